"""Metrics of a network: links, degrees, clustering, cores, distances, centrality and the spectrum."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from shoal.core.edge_diff import find_edge_difference
from shoal.data.arrays import Floats, Ints
from shoal.utility.base import (
    Group,
    Measurement,
    Metric,
    Network,
    NoValue,
    Value,
    Values,
    group_alone,
    measure_kolmogorov_smirnov,
)

# Links: their number, and those that both graphs have.

LINK_GROUP = "links"
VERTICES = Metric("vertices", "Number of vertices.", LINK_GROUP, 1, None, "closer", unit="count")
EDGES = Metric(
    "edges", "Number of edges.", LINK_GROUP, 0, None, "closer", unit="count",
    note="Parallel edges count once, unless their directions or kinds differ.",
)  # fmt: skip
EDGES_KEPT = Metric(
    "edges kept", "Number of edges in both graphs.",
    LINK_GROUP, 0, None, "higher", True, "count", compares_edges=True,
)  # fmt: skip
EDGES_ADDED = Metric(
    "edges added", "Number of edges only in the release.",
    LINK_GROUP, 0, None, "lower", True, "count", note="These links are false.", compares_edges=True,
)  # fmt: skip
EDGES_REMOVED = Metric(
    "edges removed", "Number of edges only in the original.",
    LINK_GROUP, 0, None, "lower", True, "count", compares_edges=True,
)  # fmt: skip
EDIT_RATIO = Metric(
    "edit ratio", "Number of edges added and removed, divided by the number of edges of the original.",
    LINK_GROUP, 0, None, "lower", True, note="0: no change.", compares_edges=True,
)  # fmt: skip
WITHOUT_LINKS = Metric(
    "without links", "Share of vertices without edges.",
    LINK_GROUP, 0, 1, "closer", unit="share", title="share without links",
)  # fmt: skip
EDITS = (EDGES_KEPT, EDGES_ADDED, EDGES_REMOVED, EDIT_RATIO)
LINK_METRICS = (VERTICES, EDGES, *EDITS, WITHOUT_LINKS)


def count_links(network: Network) -> Values:
    """Count vertices and edges."""
    alone = np.count_nonzero(network.degree == 0) / network.n
    return {VERTICES.name: network.n, EDGES.name: network.links.m, WITHOUT_LINKS.name: float(alone)}


def compare_links(before: Network, after: Network) -> Values:
    """Count the edges in both graphs, only in the release, and only in the original."""
    if after.who is None:
        return count_links(after)
    kept = count_links_kept(before, after)
    added, removed = after.links.m - kept, before.links.m - kept
    ratio: Value = (added + removed) / before.links.m if before.m else NoValue("the original has no links")
    return {**count_links(after), **{m.name: x for m, x in zip(EDITS, (kept, added, removed, ratio), strict=True)}}


def count_links_kept(before: Network, after: Network) -> int:
    """Count the edges of the original that the other graph has, with the same direction and kind."""
    assert after.who is not None
    return find_edge_difference(before.links, after.links, after.who).both


LINKS = Group(LINK_METRICS, count_links, compare_links)


# Degrees: their distribution and assortativity.

DEGREE_GROUP = "degrees"
DEGREE_DISTANCE = Metric(
    "degree distance",
    "Largest difference of both graphs in the share of vertices with at most d edges, over all d "
    "(Kolmogorov-Smirnov).",
    DEGREE_GROUP, 0, 1, "lower", unit="share", title="degree distance (Kolmogorov-Smirnov)", undirected=True,
)  # fmt: skip
LARGEST_DEGREE = Metric(
    "largest degree", "Number of edges of the best-connected vertex.", DEGREE_GROUP, 0, None, "closer", unit="count",
    undirected=True,
)  # fmt: skip
ASSORTATIVITY = Metric(
    "degree assortativity", "Correlation of the degrees at the two ends of an edge.", DEGREE_GROUP, -1, 1, "closer",
    note="Above 0: vertices with many edges are linked to each other. Below 0: to vertices with few edges.",
    undirected=True,
)  # fmt: skip
DEGREE_METRICS = (DEGREE_DISTANCE, LARGEST_DEGREE, ASSORTATIVITY)


def count_degrees(network: Network) -> Values:
    """Measure the degrees of one graph."""
    return {LARGEST_DEGREE.name: int(network.degree.max()), ASSORTATIVITY.name: measure_assortativity(network)}


def compare_degrees(before: Network, after: Network) -> Values:
    """Measure the degrees of a graph, and their distance from those of the original."""
    return {**count_degrees(after), DEGREE_DISTANCE.name: measure_kolmogorov_smirnov(before.degree, after.degree)}


def measure_assortativity(network: Network) -> Value:
    """Return the correlation of the degrees at the two ends of an edge (Newman 2002).

    Integers are used until the last step. So a graph whose linked vertices all have the same degree is recognized
    exactly.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> [measure_assortativity(Network.of(as_graph(g))) for g in (nx.star_graph(3), nx.cycle_graph(5))]
    [-1.0, NoValue(why='all vertices with edges have the same degree')]
    """
    if not network.m:
        return NoValue("there are no links")
    d = [int(many) for many in np.bincount(network.degree)]
    ends = sum(x * many for x, many in enumerate(d))
    first, second = (sum(x**power * many for x, many in enumerate(d)) for power in (2, 3))
    a, b, _ = network.graph.edges()
    product = 2 * int((network.degree[a] * network.degree[b]).sum())
    spread = second * ends - first * first
    return (
        (product * ends - first * first) / spread if spread else NoValue("all vertices with edges have the same degree")
    )


DEGREES = Group(DEGREE_METRICS, count_degrees, compare_degrees)


# Clustering: triangles and 4-cycles.

CLUSTERING_GROUP = "clustering"
TRANSITIVITY = Metric(
    "transitivity", "Share of all paths of two edges whose ends are linked to each other.",
    CLUSTERING_GROUP, 0, 1, "closer", unit="share", undirected=True, note="It is 0 if there is no such path.",
)  # fmt: skip
LOCAL_CLUSTERING = Metric(
    "local clustering",
    "Mean over all vertices of the clustering coefficient: the share of pairs of neighbors that are linked.",
    CLUSTERING_GROUP, 0, 1, "closer", unit="share", undirected=True,
    note="A vertex with fewer than two neighbors counts as 0.",
)  # fmt: skip
FOUR_CYCLES = Metric(
    "4-cycles", "Number of cycles of length four.",
    CLUSTERING_GROUP, 0, None, "closer", unit="count", undirected=True,
    note="Vertices with the same neighbors create many of them.",
)  # fmt: skip
CLUSTERING_METRICS = (TRANSITIVITY, LOCAL_CLUSTERING, FOUR_CYCLES)


def measure_clustering(network: Network) -> Values:
    """Count triangles and 4-cycles.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> measure_clustering(Network.of(as_graph(nx.complete_graph(4))))
    {'transitivity': 1.0, 'local clustering': 1.0, '4-cycles': 3}
    """
    paths = network.degree * (network.degree - 1) // 2
    whole = int(paths.sum())
    return {
        TRANSITIVITY.name: int(network.triangles.sum()) / whole if whole else 0.0,
        LOCAL_CLUSTERING.name: float((network.triangles / np.maximum(paths, 1)).mean()),
        FOUR_CYCLES.name: network.squares,
    }


CLUSTERING = group_alone(CLUSTERING_METRICS, measure_clustering)


# Cores: k-core numbers.

CORE_GROUP = "cores"
LARGEST_CORE = Metric(
    "largest core", "Largest core number of a vertex.",
    CORE_GROUP, 0, None, "closer", unit="count", undirected=True,
    note="The core number of a vertex is the largest c such that it belongs to a subgraph in which every vertex has at "
    "least c neighbors.",
)  # fmt: skip
CORE_DISTANCE = Metric(
    "core distance",
    "Largest difference of both graphs in the share of vertices with a core number of at most c, over all c "
    "(Kolmogorov-Smirnov).",
    CORE_GROUP, 0, 1, "lower", unit="share", title="core distance (Kolmogorov-Smirnov)", undirected=True,
)  # fmt: skip
CORE_NUMBER_KEPT = Metric(
    "core number kept", "Share of the vertices of the original that keep their core number.",
    CORE_GROUP, 0, 1, "higher", True, "share", undirected=True,
)  # fmt: skip
CORE_METRICS = (LARGEST_CORE, CORE_DISTANCE, CORE_NUMBER_KEPT)


def measure_cores(network: Network) -> Values:
    """Return the largest core number."""
    return {LARGEST_CORE.name: int(network.cores.max())}


def compare_cores(before: Network, after: Network) -> Values:
    """Compare core numbers; with a mapping, those of each vertex too."""
    found = {**measure_cores(after), CORE_DISTANCE.name: measure_kolmogorov_smirnov(before.cores, after.cores)}
    if after.who is None:
        return found
    here = after.who >= 0
    same = np.count_nonzero(before.cores[here] == after.cores[after.who[here]])
    return {**found, CORE_NUMBER_KEPT.name: float(same / before.n)}


CORES = Group(CORE_METRICS, measure_cores, compare_cores)


# Distances: the mean distance in the largest component, and the size of this component.

DISTANCE_GROUP = "distances"
EXACT_DISTANCES = 2_000
"""All distances are computed in components of up to this many vertices. In larger ones, those from SOURCES vertices."""
SOURCES = 256
AT_ONCE = 64
"""Sources per run of the compiled loop: one bit each."""
MEAN_DISTANCE = Metric(
    "mean distance", "Mean length of the shortest paths between vertices of the largest component.",
    DISTANCE_GROUP, 1, None, "closer", undirected=True,
)  # fmt: skip
LARGEST_COMPONENT = Metric(
    "largest component", "Share of the vertices that are in the largest component.",
    DISTANCE_GROUP, 0, 1, "closer", unit="share", undirected=True,
    title="share in the largest component", note="The mean distance is about these vertices only.",
)  # fmt: skip
DISTANCE_METRICS = (MEAN_DISTANCE, LARGEST_COMPONENT)


def measure_distances(network: Network) -> Values:
    """Measure the largest component."""
    sizes = np.bincount(network.components)
    return {
        MEAN_DISTANCE.name: measure_mean_distance(network),
        LARGEST_COMPONENT.name: int(sizes.max()) / network.n,
    }


def measure_mean_distance(network: Network) -> Value:
    """Return the mean distance in the largest component. If several components are largest, all of them count.

    In a large component only the distances from some vertices are measured, drawn with the seed. The spread is then the
    standard error of the mean.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> measure_mean_distance(Network.of(as_graph(nx.star_graph(3))))
    Measurement(value=1.5, spread=None)
    """
    sizes = np.bincount(network.components)
    size = int(sizes.max())
    if size == 1:
        return NoValue("no two vertices are connected")
    inside = np.flatnonzero(sizes[network.components] == size)
    if size <= EXACT_DISTANCES:
        sums = sum_distances(network, inside)
        return Measurement(int(sums.sum()) / (len(inside) * (size - 1)))
    sources = np.random.default_rng([network.seed, 1]).choice(inside, SOURCES, replace=False)
    means = sum_distances(network, sources) / (size - 1)
    left = 1 - len(sources) / len(inside)  # no uncertainty is left if every vertex is a source
    return Measurement(float(means.mean()), float(means.std(ddof=1)) * sqrt(left / len(sources)))


def sum_distances(network: Network, sources: Ints) -> Ints:
    """Return for each source the sum of its distances to all reachable vertices."""
    from shoal.core._kernels.balls import distance_sums

    totals = np.zeros(len(sources), dtype=np.int64)
    for first in range(0, len(sources), AT_ONCE):
        last = first + AT_ONCE
        distance_sums(network.graph.indptr, network.graph.indices, sources[first:last], totals[first:last])
    return totals


DISTANCES = group_alone(DISTANCE_METRICS, measure_distances)


# Centrality: whether the most central vertices (by PageRank) stay the same.
#
# Twins have the same PageRank, so "the top t" is often not unique. Vertices tied for the last places share them: each
# vertex has a weight from 0 to 1, and the weights sum to t. The order of ids plays no role.


DAMPING = 0.85
ROUNDS = 200
STEADY = 1e-10
"""The iteration ends when all changes together are below this."""
TIED = 1e-9
"""Ranks with a smaller relative difference are equal up to rounding."""
PAGERANK_TOP = Metric(
    "PageRank top 1 %",
    "Share of the top 1 % of the vertices of the original by PageRank that are also in the top 1 % of the release.",
    "centrality", 0, 1, "higher", True, "share",
    title="most central vertices kept (PageRank top 1 %)",
    note="Vertices that tie for the last places share them: each counts as a fraction.",
)  # fmt: skip


def compare_centrality(before: Network, after: Network) -> Values:
    """Return the overlap of the top sets of both graphs."""
    if after.who is None:
        return {}
    many = -(-before.n // 100)
    here = after.who >= 0
    old, new = (weigh_top(network.remember("pagerank", compute_pagerank), many) for network in (before, after))
    return {PAGERANK_TOP.name: float(np.minimum(old[here], new[after.who[here]]).sum()) / many}


def compute_pagerank(network: Network) -> Floats:
    """Return the PageRank of each vertex. A vertex without edges spreads its rank over all vertices.

    Where links have directions, rank flows along them; each ordered pair of vertices counts once, whatever its kinds.
    All vertices are updated at once, from equal ranks. So vertices with the same neighbors get bitwise equal ranks.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> compute_pagerank(Network.of(as_graph(nx.star_graph(2)))).round(3).tolist()
    [0.486, 0.257, 0.257]
    """
    links, degree = list_incoming(network)
    out, idle = np.maximum(degree, 1), degree == 0
    rank: Floats = np.full(network.n, 1 / network.n)
    for _ in range(ROUNDS):
        passed = links @ (rank / out)
        fresh = (1 - DAMPING) / network.n + DAMPING * (passed + rank[idle].sum() / network.n)
        change, rank = float(np.abs(fresh - rank).sum()), fresh
        if change < STEADY:
            break
    return rank


def list_incoming(network: Network) -> tuple[Any, Ints]:
    """Return the matrix with 1 at (i, j) if a link leads from j to i, and to how many vertices links lead from each."""
    if network.ties is None:
        return network.graph.to_scipy().astype(np.float64), network.degree
    links = network.adjacency.T.tocsr().astype(np.float64)
    links.data[:] = 1
    return links, np.bincount(links.indices, minlength=network.n)


def weigh_top(rank: Floats, many: int) -> Floats:
    """Return the top set as weights: 1 above the last place, an equal fraction for all vertices tied for it.

    >>> weigh_top(np.array([0.4, 0.2, 0.2, 0.2]), 2).round(3).tolist()
    [1.0, 0.333, 0.333, 0.333]
    """
    many = min(many, len(rank))
    last = np.partition(rank, len(rank) - many)[len(rank) - many]
    tied = np.abs(rank - last) <= TIED * last
    above = (rank > last) & ~tied
    weights: Floats = above.astype(np.float64)
    weights[tied] = (many - np.count_nonzero(above)) / np.count_nonzero(tied)
    return weights


CENTRALITY = Group((PAGERANK_TOP,), lambda _: {}, compare_centrality)


# Spectrum: the largest eigenvalue of the adjacency matrix.

DENSE = 100
"""Up to this many vertices, all eigenvalues of the dense matrix are computed."""
CLOSE = 1e-7
"""Tolerance of the eigenvector. The eigenvalue is more accurate."""
LAMBDA1 = Metric(
    "lambda1", "Largest eigenvalue of the adjacency matrix.",
    "spectrum", 0, None, "closer", undirected=True,
    title="largest eigenvalue (lambda1)", note="The larger it is, the more easily a rumor spreads along the edges.",
)  # fmt: skip


def measure_spectrum(network: Network) -> Values:
    """Return the largest eigenvalue."""
    return {LAMBDA1.name: find_largest_eigenvalue(network) if network.m else 0.0}


def find_largest_eigenvalue(network: Network) -> float:
    """Return the largest eigenvalue. Larger graphs use Lanczos' method, with a fixed start vector.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> round(find_largest_eigenvalue(Network.of(as_graph(nx.star_graph(4)))), 9)
    2.0
    """
    matrix = network.graph.to_scipy().astype(np.float64)
    if network.n <= DENSE:
        return float(np.linalg.eigvalsh(matrix.toarray())[-1])
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    start = np.random.default_rng(1).uniform(0.5, 1.5, network.n) * (1 + network.degree)
    try:
        return float(eigsh(matrix, k=1, which="LA", v0=start, tol=CLOSE, return_eigenvectors=False)[0])
    except ArpackNoConvergence:
        return float(eigsh(matrix, k=1, which="LA", v0=start, ncv=min(network.n, 100), return_eigenvectors=False)[0])


SPECTRUM = group_alone((LAMBDA1,), measure_spectrum)
