"""Hiding one neighbor: (k,1)-anonymity by Definition II, with few edits. Every degree becomes 0 or at least k.

Whoever knows one neighbor w of v is left with the neighbors of w. So nobody falls below k exactly if every vertex that
is somebody's neighbor has k neighbors or more. A vertex with fewer gets edges, best to another one that needs some
too, and best near by; or it loses all, where that is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.adversaries import KnowsSomeNeighbors
from shoal.anonymizers.method import Method, generator
from shoal.data.convert import as_graph
from shoal.data.graph import Graph, Ints
from shoal.data.release import Promise, Release
from shoal.engines import Bools
from shoal.engines.local.pool import announce_compilation
from shoal.errors import BadParameter, CannotPromise, must, notice, whole
from shoal.progress import track
from shoal.risk.promises import verified
from shoal.risk.sizes import checked_k


@dataclass(frozen=True)
class HideNeighbors(Method):
    """Leave k candidates to whoever knows l neighbors of a vertex: (k,l)-anonymity by Definition II, for l = 1.

    Parameters
    ----------
    k
        How many candidates must be left.
    l
        How many neighbors are known: 1.
    add_only
        Keep all edges of the original. Then the promise also holds for neighbors known from the original (not for
        degrees known from there, nor for missing links).
    seed
        What decides between edges that are equally good.

    Examples
    --------
    A path closes to a ring, in which everybody has two neighbors:

    >>> import networkx as nx
    >>> release = HideNeighbors(k=2)(nx.path_graph(6))
    >>> release.added, release.removed
    (((0, 5),), ())

    Two vertices can only be taken apart, for a third neighbor is not there:

    >>> HideNeighbors(k=2, add_only=True)(nx.path_graph(2))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: HideNeighbors: with additions only, somebody's neighbor needs k = 2 neighbors, ...

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    l: int = 1
    add_only: bool = False
    seed: int = 0

    shell: ClassVar[str] = "hide-neighbors"
    changes: ClassVar[str] = "the links: who has few neighbors gets more, or none"
    protects: ClassVar[str] = "from whoever knows some neighbors of a vertex"
    source: ClassVar[str] = "Stokes & Torra 2012, Definition II"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "HideNeighbors", "k", least=1))
        object.__setattr__(self, "l", whole(self.l, "HideNeighbors", "l", least=1))
        object.__setattr__(self, "seed", whole(self.seed, "HideNeighbors", "seed", least=0))
        must(isinstance(self.add_only, bool), "HideNeighbors", "add_only", "True or False", self.add_only)
        if self.l > 1:
            raise BadParameter(
                f"HideNeighbors: 'l' must be 1; more known neighbors are not there yet. Got {self.l}. "
                "EqualizeRows hides any number of them."
            )

    def __call__(self, data: Any) -> Release:
        """Return the graph in which every degree is 0 or at least k."""
        original = as_graph(data)
        checked_k("HideNeighbors", self.k, original)
        must(original.multiplicity is None, "HideNeighbors", "data", "a simple graph", original)
        graph = self._cheapest(original)
        if 2 * graph.m < original.m:
            notice(f"HideNeighbors: {graph.m:,} of {original.m:,} edges are left.")
        knows = KnowsSomeNeighbors(self.l)
        from_original = (Promise(knows, self.k, source="original"),) if self.add_only else ()
        measured = {
            "edits at least": fewest_edits(original, self.k, self.add_only),
            "vertices isolated": int(((original.degree > 0) & (graph.degree == 0)).sum()),
        }
        promise = (Promise(knows, self.k), *from_original)
        return verified(Release(original, graph, promise, self, seed=self.seed, measured=measured))

    def _cheapest(self, original: Graph) -> Graph:
        """Return the cheapest of: additions only; additions after isolating whom it pays to isolate; no edge at all."""
        nobody = np.zeros(original.n, dtype=np.bool_)
        if not low(original, self.k).any():
            return original
        if self.add_only:
            if original.n <= self.k:
                raise CannotPromise(
                    f"HideNeighbors: with additions only, somebody's neighbor needs k = {self.k} neighbors, "
                    f"which takes {self.k + 1} vertices. Got {original.n}. Leave add_only out, or lower k."
                )
            return raised(original, nobody, self.k, self.seed)
        best = without(original, ~nobody)
        cost, floor = original.m, fewest_edits(original, self.k, add_only=False)
        for least, gone in self._tries(original) if original.n > self.k else ():
            if least < cost:
                made = raised(original, gone, self.k, self.seed)
                pairs = (best, cost), (made, edits(original, made))
                best, cost = min(pairs, key=lambda pair: (pair[1], -pair[0].m))
            if cost <= floor:
                break
        return best

    def _tries(self, original: Graph) -> Iterator[tuple[int, Bools]]:
        """Yield whom to isolate before edges are added, with a bound of what that costs at least."""
        yield from ((0, isolated(original, self.k, self.seed, least)) for least in (1, 0))
        yield fewest_edits(original, self.k, add_only=True), np.zeros(original.n, dtype=np.bool_)


def low(graph: Graph, k: int) -> Bools:
    """Tell who has fewer than k neighbors, and some."""
    few: Bools = (graph.degree > 0) & (graph.degree < k)
    return few


def fewest_edits(graph: Graph, k: int, add_only: bool) -> int:
    """Return a lower bound on the edits of any solution.

    In halves of an edit: an edge added serves two vertices, half for each. One removed serves both its ends where both
    have too few, else the one that has. So a low v of degree d needs k - d halves, or to lose all: one half for each
    low neighbor and two for each other one.

    >>> import networkx as nx
    >>> star = as_graph(nx.star_graph(9))
    >>> fewest_edits(star, 9, add_only=False), fewest_edits(star, 9, add_only=True)
    (9, 36)
    """
    few = low(graph, k)
    halves = k - graph.degree[few]
    if not add_only:
        rows = np.repeat(np.arange(graph.n), graph.degree)
        losing = np.bincount(rows, weights=np.where(few[graph.indices], 1, 2), minlength=graph.n).astype(np.int64)
        halves = np.minimum(halves, losing[few])
    return -(-int(halves.sum()) // 2)


def edits(before: Graph, after: Graph) -> int:
    """Count the edges that only one of two graphs over the same vertices has."""
    (a, b, _), (c, d, _) = before.edges(), after.edges()
    both = np.intersect1d(a * np.int64(before.n) + b, c * np.int64(before.n) + d, assume_unique=True)
    return before.m + after.m - 2 * len(both)


def isolated(graph: Graph, k: int, seed: int, least: int) -> Bools:
    """Tell whom to isolate because that saves edits, one by one from the lowest degrees, and small components whole.

    What is saved, in halves of an edit, supposes that every edge added serves two vertices; it must be `least` or more.
    """
    announce_compilation()
    from shoal.engines.local.kernels import degree_repair as loops

    gone, degree = np.zeros(graph.n, dtype=np.bool_), graph.degree.astype(np.int64)
    order = by_degree(degree, seed)
    while loops.isolate(order, graph.indptr, graph.indices, k, least, degree, gone):
        track("isolating", int(np.count_nonzero(gone)), graph.n)
    label = components(without(graph, gone))
    needed = np.bincount(label, weights=np.where(degree > 0, np.maximum(0, k - degree), 0))
    found: Bools = gone | (needed >= np.bincount(label, weights=degree) + least)[label]
    return found


def components(graph: Graph) -> Ints:
    """Number the connected components."""
    from scipy.sparse.csgraph import connected_components

    label: Ints = connected_components(graph.to_scipy(), directed=False)[1]
    return label


def by_degree(degree: Ints, seed: int) -> Ints:
    """Return the vertices by ascending degree; the seed decides between equal ones."""
    shuffled = generator(seed).permutation(len(degree))
    return shuffled[np.argsort(degree[shuffled], kind="stable")]


def without(graph: Graph, gone: Bools) -> Graph:
    """Return the graph without the edges at some vertices."""
    a, b, _ = graph.edges()
    stay = ~(gone[a] | gone[b])
    return Graph.from_pairs(graph.names, a[stay], b[stay], attributes=graph.attributes)


def raised(original: Graph, gone: Bools, k: int, seed: int) -> Graph:
    """Return the graph without the edges at `gone`, and with edges until every degree is 0 or at least k.

    It needs more than k vertices with edges; where there are fewer, some without are taken in.
    """
    graph = without(original, gone) if gone.any() else original
    if graph.m == 0:
        return graph
    degree = graph.degree.astype(np.int64)
    order = by_degree(degree, seed)
    taken = degree > 0
    taken[order[: max(0, k + 1 - int(taken.sum()))]] = True
    needed = np.where(taken, np.maximum(0, k - degree), 0)
    low_ones, pool = order[degree[order] < k], order[taken[order]]
    sources, targets = linked(graph, low_ones, pool, needed, near=True)
    if 2 * len(sources) > needed.sum():  # some edge serves one vertex only: with free choice it may be fewer
        sources, targets = min((sources, targets), linked(graph, low_ones, pool, needed, near=False), key=_many)
    a, b, _ = graph.edges()
    return Graph.from_pairs(
        graph.names, np.concatenate([a, sources]), np.concatenate([b, targets]), attributes=graph.attributes
    )


def _many(ends: tuple[Ints, Ints]) -> int:
    return len(ends[0])


def linked(graph: Graph, order: Ints, pool: Ints, needed: Ints, *, near: bool) -> tuple[Ints, Ints]:
    """Return edges that give every vertex as many as it needs: among those who need some first, perhaps near ones."""
    announce_compilation()
    from shoal.engines.local.kernels import degree_repair as loops

    left, used = needed.copy(), np.zeros(graph.n, dtype=np.int64)
    begin = np.cumsum(needed) - needed
    partner, mark = np.empty(int(needed.sum()), dtype=np.int64), np.full(graph.n, -1, dtype=np.int64)
    state = (graph.indptr, graph.indices, begin, used, partner, mark, left)
    track("linking", 0, 2)
    if near:
        loops.link_near(order, *state)
        mark[:] = -1
    loops.link_most(order, *state)
    mark[:] = -1
    track("linking", 1, 2)
    loops.link_any(order, pool, *state)
    rows = np.repeat(np.arange(graph.n), used)
    mutual = np.stack([np.minimum(rows, partner), np.maximum(rows, partner)], axis=1)
    pairs = np.unique(mutual, axis=0)  # an edge between two who needed one was noted by both
    return pairs[:, 0], pairs[:, 1]
