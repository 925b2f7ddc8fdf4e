"""Equal rows: Algorithm 1 of the paper, as corrected. Between two classes of vertices all edges are there, or none.

Classes have k vertices or more. Inside a class nothing stays: in a simple graph two vertices with the same neighbors
are never adjacent (E4, E5). Between two classes a strict majority decides (E6). Classes grow around hubs, by the
Jaccard similarity of neighbor sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.adversaries import KnowsAdjacency
from shoal.anonymizers.method import Method
from shoal.data.convert import as_graph
from shoal.data.graph import Graph, Ints
from shoal.data.release import Promise, Release
from shoal.engines.local.grouping import by_first_appearance
from shoal.errors import must, notice, whole
from shoal.progress import track
from shoal.risk.assess import assess
from shoal.risk.promises import verified
from shoal.risk.sizes import checked_k


@dataclass(frozen=True)
class EqualizeRows(Method):
    """Make the rows of the adjacency matrix equal in classes of at least k: the paper's k-anonymous graph.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of vertices.
    seed
        Kept with the release; the classes themselves do not depend on chance.

    Examples
    --------
    A square is 2-anonymous already, and stays:

    >>> import networkx as nx, shoal
    >>> release = shoal.EqualizeRows(k=2)(nx.cycle_graph(4))
    >>> release.classes, release.edit_ratio
    (((0, 2), (1, 3)), 0.0)

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    seed: int = 0

    shell: ClassVar[str] = "equalize-rows"
    changes: ClassVar[str] = "the links: classes of vertices get the same neighbors"
    protects: ClassVar[str] = "from whoever knows all links of a vertex"
    source: ClassVar[str] = "Stokes & Torra 2012, Algorithm 1"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "EqualizeRows", "k", least=1))
        object.__setattr__(self, "seed", whole(self.seed, "EqualizeRows", "seed", least=0))

    def __call__(self, data: Any) -> Release:
        """Return the graph with equal rows in each class."""
        original = as_graph(data)
        checked_k("EqualizeRows", self.k, original)
        must(original.multiplicity is None, "EqualizeRows", "data", "a simple graph", original)
        codes = classes(original, self.k)
        graph = filled(original, codes)
        if original.m and graph.m < original.m / 2:
            lost = 100 * (1 - graph.m / original.m)
            notice(f"EqualizeRows: {lost:.1f} % fewer edges are left ({graph.m:,} of {original.m:,}).")
        promise = (Promise(KnowsAdjacency(), self.k),)
        return verified(Release(original, graph, promise, self, codes, self.seed))


def classes(graph: Graph, k: int) -> Ints:
    """Return the class of each vertex: k or more that share neighbors, grown around the vertices of highest degree.

    Vertices that have equal rows already, k or more of them, stay a class.
    """
    rows: Any = assess(graph, KnowsAdjacency()).answer
    sizes = np.bincount(rows.published)
    codes = np.where(sizes[rows.published] >= k, rows.published, -1)
    free = codes < 0
    fresh, degree = len(sizes), np.diff(graph.indptr)
    for done, hub in enumerate(np.argsort(-degree, kind="stable").tolist()):
        if done % 256 == 0:
            track("growing classes", done, graph.n)
        if not free[hub]:
            continue
        if np.count_nonzero(free) < 2 * k:
            break
        members = [hub, *_nearest(graph, hub, free, degree, k - 1)]
        codes[members], free[members] = fresh, False
        fresh += 1
    _place_the_rest(graph, codes, free, fresh, k)
    return by_first_appearance(codes)


def _nearest(graph: Graph, v: int, free: Any, degree: Ints, wanted: int) -> list[int]:
    """Return the free vertices most similar to v by Jaccard, ties and strangers by degree and id."""
    shared = np.zeros(graph.n, dtype=np.int64)
    for w in graph.neighbors(v).tolist():
        shared[graph.neighbors(w)] += 1
    similar = shared / np.maximum(1, degree + degree[v] - shared)
    others = np.flatnonzero(free)
    others = others[others != v]
    best = np.lexsort((others, np.abs(degree[others] - degree[v]), -similar[others]))[:wanted]
    return others[best].tolist()  # type: ignore[no-any-return]


def _place_the_rest(graph: Graph, codes: Ints, free: Any, fresh: int, k: int) -> None:
    """Put fewer than 2k left vertices into a class of their own, or where they are too few with whom is most alike."""
    left = np.flatnonzero(free)
    if len(left) >= k or not (codes >= 0).any():
        codes[left] = fresh
        return
    degree, taken = np.diff(graph.indptr), codes >= 0
    for v in left.tolist():
        codes[v] = codes[_nearest(graph, v, taken, degree, 1)[0]]


def filled(graph: Graph, codes: Ints) -> Graph:
    """Return the graph with all edges between two classes where more than half are there, and none elsewhere."""
    a, b, _ = graph.edges()
    low, high = np.minimum(codes[a], codes[b]), np.maximum(codes[a], codes[b])
    many = int(codes.max()) + 1
    keys, counts = np.unique(low.astype(np.int64) * many + high, return_counts=True)
    ci, cj = keys // many, keys % many
    sizes = np.bincount(codes, minlength=many)
    full = (ci != cj) & (2 * counts > sizes[ci] * sizes[cj])
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.cumsum(sizes)[:-1])
    ends = [np.meshgrid(members[i], members[j]) for i, j in zip(ci[full], cj[full], strict=True)]
    sources = np.concatenate([x.ravel() for x, _ in ends] or [order[:0]])
    targets = np.concatenate([y.ravel() for _, y in ends] or [order[:0]])
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes)
