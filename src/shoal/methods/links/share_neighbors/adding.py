"""Greedy addition of links until each vertex shares l neighbors with enough others (after Feder, Nabar & Terzi 2008).

Links are only added, so a vertex that shares enough keeps doing so. The search processes only vertices with a deficit,
largest deficit first; every second try takes the smallest first. For each vertex it tries links of the vertex and of
its neighbors, and adds the link that lowers the most deficits. At the end it removes added links that are not needed,
until every remaining one is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from shoal.core.incidence import Incidence
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.errors import CannotPromise
from shoal.knowledge.shared_neighbors import count_sharing
from shoal.optimize.annealing import make_generator
from shoal.progress import track

BATCH = 256
"""The number of links added between two progress reports."""
LOOK = 200_000
"""The largest number of row entries read to choose a link for a vertex."""
EFFORT, MOST_TRIES = 50_000_000, 16
"""Limits on all tries together: added links times paths of length two per vertex, and the number of tries."""


@dataclass(frozen=True)
class Sharing:
    """The requirement: every vertex shares l neighbors with `want` others."""

    l: int
    want: int
    strong: bool
    """Whether only original neighbors of the protected vertex count."""

    @property
    def aim(self) -> tuple[int, int, bool]:
        """The fields as a tuple for the compiled loops."""
        return self.l, self.want, self.strong

    def limit_degree(self, graph: Graph) -> int:
        """Return the largest degree that additions should create: the largest original degree, or the needed one.

        Without this limit the cheapest way would be l vertices that are linked to all others. An attacker who removes
        them would see the original links of the rest.
        """
        return min(graph.n - 1, max(int(graph.degree.max()), self.count_needed(graph)))

    def count_needed(self, graph: Graph) -> int:
        """Return the least degree that some vertex needs.

        A vertex with d neighbors of degree e can share l of them with `want` others only if d (e - 1) >= l want.
        """
        shares = self.l * self.want
        if self.strong:  # no new neighbor counts
            return 1 - (-shares // max(1, int(np.diff(graph.indptr).min())))
        return next(d for d in count(self.l + 1) if d * (d - 1) >= shares)


def count_sharers(graph: Graph, l: int) -> Ints:
    """Return, for each vertex, the number of others that share l neighbors with it."""
    entries = Incidence.of(graph, "neighbors")
    return count_sharing(entries, entries.rows, np.arange(graph.n), l)


def find_links(graph: Graph, sharing: Sharing, seed: int, least: int) -> tuple[Ints, Ints]:
    """Return the fewest links to add that were found. The tries end if the lower bound `least` is reached."""
    start, rng = count_sharers(graph, sharing.l), make_generator(seed)
    best = Adding(graph, sharing, start.copy(), rng, upwards=False)
    best.run()
    for number in range(1, min(MOST_TRIES, EFFORT // max(1, best.work_done))):
        if best.cost <= (0, least):
            break
        found = Adding(graph, sharing, start.copy(), rng, upwards=bool(number % 2))
        found.run()
        best = min(best, found, key=lambda one: one.cost)
    return best.links


class Adding:
    """One try: the graph with the links added so far."""

    def __init__(self, graph: Graph, sharing: Sharing, shared: Ints, rng: np.random.Generator, upwards: bool) -> None:
        n = graph.n
        self.graph, self.sharing, self.count, self.rng, self.upwards = graph, sharing, shared, rng, upwards
        self.most = sharing.limit_degree(graph)
        self.head = np.full(n, -1, dtype=np.int64)
        self.following, self.ends = (np.full(4 * n + 2 * BATCH, -1, dtype=np.int64) for _ in range(2))
        self.room = tuple(np.array(start, dtype=np.int64) for start in (graph.degree, graph.degree, np.zeros(n)))
        self.work = tuple(np.zeros(n, dtype=np.int64) for _ in range(7))
        self.work[5][:] = -1
        self.dice = rng.integers(2**63, size=1, dtype=np.uint64)
        self.made = 0

    @property
    def rows(self) -> tuple[Ints, ...]:
        """The graph in the form of the compiled loops."""
        return self.graph.indptr, self.graph.indices, self.head, self.following, self.ends

    @property
    def links(self) -> tuple[Ints, Ints]:
        """The ends of the added links."""
        there = self.ends[: 2 * self.made : 2] >= 0
        return self.ends[1 : 2 * self.made : 2][there], self.ends[: 2 * self.made : 2][there]

    @property
    def cost(self) -> tuple[int, int]:
        """By how much the largest degree exceeds the limit, and the number of added links."""
        return max(0, int(self.room[0].max()) - self.most), len(self.links[0])

    @property
    def work_done(self) -> int:
        """The work done, in a unit that is the same on every machine."""
        return self.made * int((self.room[0] ** 2).sum()) // self.graph.n

    def run(self) -> None:
        """Add links until every vertex shares enough, then remove those that are not needed."""
        for limit in self._list_limits():
            self.room[1][:] = limit
            if self._add_links():
                break
        self._drop_spare_links()

    def _list_limits(self) -> Iterator[Ints]:
        """Yield degree limits: first about twice the original degree, then the largest original degree, then more.

        The limits grow until they allow the complete graph, which is always enough.
        """
        before = self.graph.degree.astype(np.int64)
        yield np.minimum(self.most, np.maximum(2 * before, before + self.sharing.want + self.sharing.l))
        most, more = self.most, 1
        while most < self.graph.n - 1:
            yield np.full(self.graph.n, most)
            most, more = most + more, 2 * more
        yield np.full(self.graph.n, self.graph.n - 1)

    def _add_links(self) -> bool:
        """Add links up to the degree limits. Return whether every vertex shares enough."""
        from shoal.methods.links._kernels.neighborhoods import satisfy

        want, stuck = self.sharing.want, np.zeros(self.graph.n, dtype=np.bool_)
        total = 0
        while True:
            hungry = np.flatnonzero((self.count < want) & ~stuck)
            total = max(total, len(hungry))
            track("sharing neighbors", total - len(hungry), total)
            if not len(hungry):
                return not stuck.any()
            if 2 * (self.made + BATCH) > len(self.ends):
                self.following, self.ends = (np.append(x, np.full_like(x, -1)) for x in (self.following, self.ends))
            self.made = satisfy(
                self._order_vertices(hungry),
                self.made,
                self.made + BATCH,
                self.rows,
                self.sharing.aim,
                self.count,
                self.room,
                self.work,
                hungry,
                LOOK,
                self.dice,
                stuck,
            )

    def _order_vertices(self, hungry: Ints) -> Ints:
        """Return the next vertices: largest deficit first (upwards: smallest first); the seed breaks ties."""
        mixed, sign = self.rng.permutation(hungry), -1 if self.upwards else 1
        return mixed[np.argsort(sign * self.count[mixed], kind="stable")][:BATCH]

    def _drop_spare_links(self) -> None:
        """Remove added links that no vertex needs, the last ones first."""
        from shoal.methods.links._kernels.neighborhoods import drop

        order = np.arange(self.made)[::-1]
        for first in range(0, self.made, BATCH):
            track("dropping links that are not needed", first, self.made)
            drop(order[first : first + BATCH], self.rows, self.sharing.aim, self.count, self.room, self.work)


# A lower bound on the links that must be added, and a check for impossible requirements.
#
# Letters: n is the number of vertices, N(v) is the set of neighbors of v in the original, and N[v] is N(v) with v. An
# *end* is an added link together with one of its two vertices, so a links have 2a ends.


def refuse_impossible(graph: Graph, sharing: Sharing, who: str) -> None:
    """Raise an error if even the complete graph does not meet the requirement. Additions cannot give more than it has.

    In the complete graph two vertices share the n - 2 others. A vertex v shares all of its original neighbors with a
    vertex that is not one of them, and all except one with a vertex that is.
    """
    l, k, n = sharing.l, sharing.want + 1, graph.n
    if k == 1:
        return
    if l > n - 2:
        raise CannotPromise(
            f"{who}: 'l' must be at most n - 2 = {max(0, n - 2):,}, because two of {n:,} vertices cannot share more "
            f"neighbors. Got {l}. Use a smaller l."
        )
    if sharing.strong:
        _refuse_degrees(graph, l, k, who)


def _refuse_degrees(graph: Graph, l: int, k: int, who: str) -> None:
    near = np.diff(graph.indptr)
    low = near < l
    v = int(low.argmax())
    weak = "or use variant='weak' (--variant weak), which also counts new neighbors"
    if low.any():
        raise CannotPromise(
            f"{who}: in the strong variant every vertex must have l = {l} neighbors in the original. "
            f"Got {int(low.sum()):,} of {graph.n:,} with fewer; the first is {graph.names[v]!r} with "
            f"{near[v]:,}. Use a smaller l, remove these vertices, {weak}."
        )
    exact = np.flatnonzero(near == l)
    if len(exact) and k > graph.n - l:
        raise CannotPromise(
            f"{who}: 'k' must be at most n - l = {graph.n - l:,}, because a vertex with exactly l = {l} neighbors "
            f"cannot share all of them with one of them. Got {k}, and {graph.names[int(exact[0])]!r} has {l}. "
            f"Lower k or l, {weak}."
        )


def bound_links(graph: Graph, sharing: Sharing) -> int:
    """Return a lower bound on the links that must be added.

    Weak: a vertex v with fewer than l neighbors needs l - deg(v) ends at v. Any other vertex with a deficit needs an
    end in N[v]: a new shared neighbor requires a new link of v or of one of its neighbors, and if v gets none, its
    neighbors are the original ones. Disjoint sets N[v] that contain no vertex of the first kind need different ends.

    Strong: v gains only by ends in N(v), and each end gives one more shared neighbor with one vertex. So v needs as
    many ends as the k - 1 others that share most with v lack in total. Disjoint sets N(v) need different ends.

    The same holds where links have directions or kinds: a link gives v at most one new neighbor, and one end of it
    gives at most one more shared neighbor with one vertex.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> pairs = as_graph(nx.from_edgelist([(0, 1), (2, 3), (4, 5), (6, 7)]))
    >>> bound_links(pairs, Sharing(1, 1, strong=False)), bound_links(pairs, Sharing(1, 1, strong=True))
    (2, 4)
    >>> bound_links(pairs, Sharing(2, 1, strong=False))
    4
    """
    lacking = np.flatnonzero(count_sharers(graph, sharing.l) < sharing.want)
    if sharing.strong:
        needs = np.array([_count_short(graph, int(v), sharing) for v in lacking], dtype=np.int64)
        return -(-_sum_packed(graph, lacking, needs, np.zeros(graph.n, dtype=np.bool_), closed=False) // 2)
    if not len(lacking):
        return 0
    forced = np.maximum(0, sharing.l - np.diff(graph.indptr))
    ends = _sum_packed(graph, lacking, np.ones(len(lacking), dtype=np.int64), forced > 0, closed=True)
    return -(-(int(forced.sum()) + ends) // 2)


def _count_short(graph: Graph, v: int, sharing: Sharing) -> int:
    """Return how many shared neighbors v lacks in total with the `want` others that share most."""
    near = [_list_sharing(graph, v, w) for w in graph.neighbors(v).tolist()]
    others, shared = np.unique(np.concatenate(near), return_counts=True)
    most = np.sort(shared[others != v])[::-1][: sharing.want]
    return sharing.l * sharing.want - int(np.minimum(most, sharing.l).sum())


def _list_sharing(graph: Graph, v: int, w: int) -> Ints:
    """Return the vertices that share with v its neighbor w, v included: those that w is linked to as it is to v."""
    near, ties = graph.neighbors(w), graph.ties
    if ties is None:
        return near
    codes = ties.codes[graph.indptr[w] : graph.indptr[w + 1]]
    mine = {relation for relation, _ in ties.bundles[codes[np.searchsorted(near, v)]]}
    same = [not mine.isdisjoint(relation for relation, _ in bundle) for bundle in ties.bundles]
    found: Ints = near[np.array(same)[codes]]
    return found


def _sum_packed(graph: Graph, vertices: Ints, needs: Ints, taken: np.ndarray, *, closed: bool) -> int:
    """Return the summed needs of greedily chosen vertices whose neighbor sets are disjoint and not taken."""
    taken, total = taken.copy(), 0
    worth = needs / (np.diff(graph.indptr)[vertices] + closed)
    for i in np.argsort(-worth, kind="stable"):
        v = int(vertices[i])
        around = graph.neighbors(v)
        if not taken[around].any() and not (closed and taken[v]):
            taken[around], taken[v] = True, taken[v] or closed
            total += int(needs[i])
    return total
