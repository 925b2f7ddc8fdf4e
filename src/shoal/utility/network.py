"""Metrics of a network: links, degrees, clustering, cores, distances, centrality and the spectrum."""

from __future__ import annotations

from math import sqrt

import numpy as np

from shoal.core.edge_diff import find_edge_difference
from shoal.core.threads import announce_compilation
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

# Links: how many there are, and which of them the original has too.

LINK_GROUP = "links"
SPLIT = ("edges kept", "edges added", "edges removed", "edit ratio")
"""What has no meaning where all links were drawn anew."""
LINK_METRICS = (
    Metric("vertices", "How many vertices there are.", LINK_GROUP, 1, None, "closer", unit="count"),
    Metric("edges", "How many pairs of vertices are linked.", LINK_GROUP, 0, None, "closer", unit="count"),
    Metric("edges kept", "How many links are in both.", LINK_GROUP, 0, None, "higher", True, "count"),
    Metric(
        "edges added",
        "How many links only the release has: they are not true.",
        LINK_GROUP,
        0,
        None,
        "lower",
        True,
        "count",
    ),
    Metric("edges removed", "How many links only the original has.", LINK_GROUP, 0, None, "lower", True, "count"),
    Metric(
        "edit ratio",
        "Links added and removed, per link of the original: 0 is no change.",
        LINK_GROUP,
        0,
        None,
        "lower",
        True,
    ),
    Metric(
        "without links", "The share of the vertices that have no link at all.", LINK_GROUP, 0, 1, "closer", unit="share"
    ),
)


def count_links(network: Network) -> Values:
    """Count vertices and links."""
    alone = np.count_nonzero(network.degree == 0) / network.n
    return {"vertices": network.n, "edges": network.m, "without links": float(alone)}


def compare_links(before: Network, after: Network) -> Values:
    """Split the links into those of both, and those of one alone."""
    if after.who is None:
        return count_links(after)
    kept = count_links_kept(before, after)
    added, removed = after.m - kept, before.m - kept
    ratio: Value = (added + removed) / before.m if before.m else NoValue("the original has no links")
    return {**count_links(after), **dict(zip(SPLIT, (kept, added, removed, ratio), strict=True))}


def count_links_kept(before: Network, after: Network) -> int:
    """Count the links of the original whose ends are linked in the other graph."""
    assert after.who is not None
    return find_edge_difference(before.graph, after.graph, after.who).both


LINKS = Group(LINK_METRICS, count_links, compare_links)


# Degrees: how many links vertices have, and whether those with many are linked to each other.

DEGREE_GROUP = "degrees"
DEGREE_METRICS = (
    Metric(
        "degree distance",
        "By how much the share of vertices with at most d links differs, for the worst d (Kolmogorov-Smirnov).",
        DEGREE_GROUP, 0, 1, "lower", unit="share",
    ),
    Metric(
        "largest degree", "How many links the best connected vertex has.",
        DEGREE_GROUP, 0, None, "closer", unit="count",
    ),
    Metric(
        "degree assortativity",
        "Whether well connected vertices are linked to each other (1) or to badly connected ones (-1).",
        DEGREE_GROUP, -1, 1, "closer",
    ),
)  # fmt: skip


def count_degrees(network: Network) -> Values:
    """Measure the degrees of one graph."""
    return {"largest degree": int(network.degree.max()), "degree assortativity": measure_assortativity(network)}


def compare_degrees(before: Network, after: Network) -> Values:
    """Measure the degrees of a graph, and how far they are from those of the original."""
    return {**count_degrees(after), "degree distance": measure_kolmogorov_smirnov(before.degree, after.degree)}


def measure_assortativity(network: Network) -> Value:
    """Return the correlation of the degrees at the two ends of a link (Newman 2002).

    In whole numbers until the last step, so that a graph whose linked vertices all have one degree is told exactly.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> [measure_assortativity(Network.of(as_graph(g))) for g in (nx.star_graph(3), nx.cycle_graph(5))]
    [-1.0, NoValue(why='all vertices with links have equally many')]
    """
    if not network.m:
        return NoValue("there are no links")
    d = [int(many) for many in np.bincount(network.degree)]
    ends = sum(x * many for x, many in enumerate(d))
    first, second = (sum(x**power * many for x, many in enumerate(d)) for power in (2, 3))
    a, b, _ = network.graph.edges()
    product = 2 * int((network.degree[a] * network.degree[b]).sum())
    spread = second * ends - first * first
    return (product * ends - first * first) / spread if spread else NoValue("all vertices with links have equally many")


DEGREES = Group(DEGREE_METRICS, count_degrees, compare_degrees)


# Clustering: whether friends of friends are friends, and how often two vertices share two neighbors.

CLUSTERING_GROUP = "clustering"
CLUSTERING_METRICS = (
    Metric(
        "transitivity",
        "The share of the pairs of friends of somebody who are friends themselves; 0 where nobody has two friends.",
        CLUSTERING_GROUP, 0, 1, "closer", unit="share",
    ),
    Metric(
        "local clustering",
        "The same share at each vertex, then the mean over all vertices; 0 at a vertex with fewer than two links.",
        CLUSTERING_GROUP, 0, 1, "closer", unit="share",
    ),
    Metric(
        "4-cycles",
        "How many rings of four links there are: twins who share neighbors make many.",
        CLUSTERING_GROUP, 0, None, "closer", unit="count",
    ),
)  # fmt: skip


def measure_clustering(network: Network) -> Values:
    """Count triangles and 4-cycles.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> measure_clustering(Network.of(as_graph(nx.complete_graph(4))))
    {'transitivity': 1.0, 'local clustering': 1.0, '4-cycles': 3}
    """
    paths = network.degree * (network.degree - 1) // 2
    whole = int(paths.sum())
    return {
        "transitivity": int(network.triangles.sum()) / whole if whole else 0.0,
        "local clustering": float((network.triangles / np.maximum(paths, 1)).mean()),
        "4-cycles": network.squares,
    }


CLUSTERING = group_alone(CLUSTERING_METRICS, measure_clustering)


# Cores: how deep vertices are inside the network.

CORE_GROUP = "cores"
CORE_METRICS = (
    Metric(
        "largest core",
        "The largest c for which some vertices have c links or more among themselves.",
        CORE_GROUP, 0, None, "closer", unit="count",
    ),
    Metric(
        "core distance",
        "By how much the share of vertices with a core number of at most c differs, for the worst c "
        "(Kolmogorov-Smirnov).",
        CORE_GROUP, 0, 1, "lower", unit="share",
    ),
    Metric(
        "core number kept",
        "The share of the original's vertices whose core number is what it was.",
        CORE_GROUP, 0, 1, "higher", True, "share",
    ),
)  # fmt: skip


def measure_cores(network: Network) -> Values:
    """Return the largest core number."""
    return {"largest core": int(network.cores.max())}


def compare_cores(before: Network, after: Network) -> Values:
    """Compare core numbers, those of each vertex where it is known who is who."""
    found = {**measure_cores(after), "core distance": measure_kolmogorov_smirnov(before.cores, after.cores)}
    if after.who is None:
        return found
    here = after.who >= 0
    same = np.count_nonzero(before.cores[here] == after.cores[after.who[here]])
    return {**found, "core number kept": float(same / before.n)}


CORES = Group(CORE_METRICS, measure_cores, compare_cores)


# Distances: how far vertices of the largest component are from each other, and how large it is.

DISTANCE_GROUP = "distances"
EXACT_DISTANCES = 2_000
"""Up to so many vertices in the largest component, all distances are counted; in a larger one, those from SOURCES."""
SOURCES = 256
AT_ONCE = 64
"""Sources in one run of the compiled loop: a bit each."""
DISTANCE_METRICS = (
    Metric(
        "mean distance",
        "How many links apart two vertices of the largest component are, in the mean.",
        DISTANCE_GROUP, 1, None, "closer",
    ),
    Metric(
        "largest component",
        "The share of the vertices that are in the largest component: distances are about these alone.",
        DISTANCE_GROUP, 0, 1, "closer", unit="share",
    ),
)  # fmt: skip


def measure_distances(network: Network) -> Values:
    """Measure the largest component."""
    sizes = np.bincount(network.components)
    return {"mean distance": measure_mean_distance(network), "largest component": int(sizes.max()) / network.n}


def measure_mean_distance(network: Network) -> Value:
    """Return the mean distance in the largest component; where several are largest, in all of them.

    From some vertices of a large one, drawn from the seed; the spread is the standard error of the mean.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
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
    left = 1 - len(sources) / len(inside)  # nothing is uncertain once every vertex is a source
    return Measurement(float(means.mean()), float(means.std(ddof=1)) * sqrt(left / len(sources)))


def sum_distances(network: Network, sources: Ints) -> Ints:
    """Return for each source the sum of the distances to all that it reaches."""
    announce_compilation()
    from shoal.utility._kernels.structure import distance_sums

    totals = np.zeros(len(sources), dtype=np.int64)
    for first in range(0, len(sources), AT_ONCE):
        last = first + AT_ONCE
        distance_sums(network.graph.indptr, network.graph.indices, sources[first:last], totals[first:last])
    return totals


DISTANCES = group_alone(DISTANCE_METRICS, measure_distances)


# Centrality: whether the most central vertices, by PageRank, are still the same.
#
# Twins have the same PageRank, so that "the best t" is often no set. Vertices tied at the last place get a fraction of
# it: a top set is a weight from 0 to 1 per vertex, and the weights add up to t. No order of ids enters.


DAMPING = 0.85
ROUNDS = 200
STEADY = 1e-10
"""The iteration ends where all changes together are below this."""
TIED = 1e-9
"""Ranks whose difference is a smaller share of them are the same number, but for rounding."""
CENTRALITY_METRICS = (
    Metric(
        "PageRank top 1 %",
        "The share of the most central vertices, one in a hundred, that are still among them; who is tied for the last "
        "place counts by a fraction.",
        "centrality", 0, 1, "higher", True, "share",
    ),
)  # fmt: skip


def compare_centrality(before: Network, after: Network) -> Values:
    """Return how much of the top set of the original is in that of the other graph."""
    if after.who is None:
        return {}
    many = -(-before.n // 100)
    here = after.who >= 0
    old, new = (weigh_top(network.remember("pagerank", compute_pagerank), many) for network in (before, after))
    return {CENTRALITY_METRICS[0].name: float(np.minimum(old[here], new[after.who[here]]).sum()) / many}


def compute_pagerank(network: Network) -> Floats:
    """Return the PageRank of each vertex; who has no links passes what it has on to everybody alike.

    All vertices change at once, from equal ranks on, so that vertices with the same neighbors are equal in every bit.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> compute_pagerank(Network.of(as_graph(nx.star_graph(2)))).round(3).tolist()
    [0.486, 0.257, 0.257]
    """
    links = network.graph.to_scipy().astype(np.float64)
    out = np.maximum(network.degree, 1)
    idle = network.degree == 0
    rank: Floats = np.full(network.n, 1 / network.n)
    for _ in range(ROUNDS):
        passed = links @ (rank / out)
        fresh = (1 - DAMPING) / network.n + DAMPING * (passed + rank[idle].sum() / network.n)
        change, rank = float(np.abs(fresh - rank).sum()), fresh
        if change < STEADY:
            break
    return rank


def weigh_top(rank: Floats, many: int) -> Floats:
    """Return the top set as weights: 1 above the last place, an equal fraction for all who are tied for it.

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


CENTRALITY = Group(CENTRALITY_METRICS, lambda _: {}, compare_centrality)


# Spectrum: the largest eigenvalue of the adjacency matrix.

DENSE = 100
"""Up to so many vertices the whole matrix is taken apart."""
CLOSE = 1e-7
"""How exact an eigenvector is; its eigenvalue is more so."""
SPECTRUM_METRICS = (
    Metric(
        "lambda1",
        "The largest eigenvalue of the adjacency matrix: how easily something spreads along the links.",
        "spectrum", 0, None, "closer",
    ),
)  # fmt: skip


def measure_spectrum(network: Network) -> Values:
    """Return the largest eigenvalue."""
    return {SPECTRUM_METRICS[0].name: find_largest_eigenvalue(network) if network.m else 0.0}


def find_largest_eigenvalue(network: Network) -> float:
    """Return the largest eigenvalue, by Lanczos' method from a fixed vector on where the graph is not small.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
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


SPECTRUM = group_alone(SPECTRUM_METRICS, measure_spectrum)
