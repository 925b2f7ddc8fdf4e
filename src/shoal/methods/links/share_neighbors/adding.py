"""Greedy addition of links until each vertex shares l neighbors with enough others, then removal of spare ones.

Where links only come, whoever shares enough keeps it, so that only those who lack somebody are looked at: who lacks
most first, and in every other try who lacks least. For each the links that may help are tried, of the vertex itself
and of its neighbors, and the one that lowers most deficits, of anybody, is added. At the end the links that turned out
not to be needed go again, so that none of those left can be spared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from shoal.core.threads import announce_compilation
from shoal.core.walks import count_sharing
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.errors import CannotPromise
from shoal.optimize.annealing import make_generator
from shoal.progress import track

BATCH = 256
"""Links between two words about how far it is."""
LOOK = 200_000
"""Entries of rows that are looked at to find whom to link a vertex to."""
EFFORT, MOST_TRIES = 50_000_000, 16
"""Links added, times the paths of length two at a vertex, in all tries with other random choices together."""


@dataclass(frozen=True)
class Sharing:
    """What is asked for: everybody shares l neighbors with `want` others."""

    l: int
    want: int
    strong: bool
    """Whether only neighbors from the original count, for whoever is protected."""

    @property
    def aim(self) -> tuple[int, int, bool]:
        """For the loops."""
        return self.l, self.want, self.strong

    def limit_degree(self, graph: Graph) -> int:
        """Return how many links nobody should come to have more of: as many as somebody has.

        Otherwise l vertices that are linked to everybody would be the cheapest way, and whoever leaves them out again
        would find the others as they were. Where all have few, it is as many as somebody needs at least.
        """
        return min(graph.n - 1, max(int(graph.degree.max()), self._count_needed(graph)))

    def _count_needed(self, graph: Graph) -> int:
        """Return how many links somebody needs at least.

        Who has d neighbors with e links each can share l of them with `want` others only if d (e - 1) >= l want.
        """
        shares = self.l * self.want
        if self.strong:  # no new neighbor counts
            return 1 - (-shares // max(1, int(graph.degree.min())))
        return next(d for d in count(self.l + 1) if d * (d - 1) >= shares)


def count_sharers(graph: Graph, l: int) -> Ints:
    """Count for each vertex the others that share l neighbors with it."""
    return count_sharing(graph, graph.indptr, graph.indices, np.arange(graph.n), l)


def find_links(graph: Graph, sharing: Sharing, seed: int, least: int) -> tuple[Ints, Ints]:
    """Return links to add, as few as were found; `least` is a bound that ends the tries."""
    announce_compilation()
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
        """The graph as the loops take it."""
        return self.graph.indptr, self.graph.indices, self.head, self.following, self.ends

    @property
    def links(self) -> tuple[Ints, Ints]:
        """The links added, by their ends."""
        there = self.ends[: 2 * self.made : 2] >= 0
        return self.ends[1 : 2 * self.made : 2][there], self.ends[: 2 * self.made : 2][there]

    @property
    def cost(self) -> tuple[int, int]:
        """By how much somebody has more links than anybody had, and how many links were added."""
        return max(0, int(self.room[0].max()) - self.most), len(self.links[0])

    @property
    def work_done(self) -> int:
        """How long it took, in a measure that is the same on every machine."""
        return self.made * int((self.room[0] ** 2).sum()) // self.graph.n

    def run(self) -> None:
        """Add links until everybody shares enough, and take away those that are not needed."""
        for limit in self._list_limits():
            self.room[1][:] = limit
            if self._add_links():
                break
        self._drop_spare_links()

    def _list_limits(self) -> Iterator[Ints]:
        """Yield how many links everybody may have: at first about twice as many as before, then as many as anybody had.

        Only where that is not enough more are allowed, step by step; a complete graph is always enough.
        """
        before = self.graph.degree.astype(np.int64)
        yield np.minimum(self.most, np.maximum(2 * before, before + self.sharing.want + self.sharing.l))
        most, more = self.most, 1
        while most < self.graph.n - 1:
            yield np.full(self.graph.n, most)
            most, more = most + more, 2 * more
        yield np.full(self.graph.n, self.graph.n - 1)

    def _add_links(self) -> bool:
        """Add links as far as the limits allow; tell whether everybody shares enough."""
        from shoal.methods.links._kernels.sharing import satisfy

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
        """Return who comes next: those who lack most (upwards: least), the seed decides between equal ones."""
        mixed, sign = self.rng.permutation(hungry), -1 if self.upwards else 1
        return mixed[np.argsort(sign * self.count[mixed], kind="stable")][:BATCH]

    def _drop_spare_links(self) -> None:
        """Take away links that nobody needs any more, the last ones first."""
        from shoal.methods.links._kernels.sharing import drop

        order = np.arange(self.made)[::-1]
        for first in range(0, self.made, BATCH):
            track("dropping links that are not needed", first, self.made)
            drop(order[first : first + BATCH], self.rows, self.sharing.aim, self.count, self.room, self.work)


# How few links can be enough so that everybody shares l neighbors with k - 1 others: a bound, and what cannot be had.
#
# Letters: n is the number of vertices, N(v) the neighbors of v in the original, N[v] the same with v itself; an *end*
# is an added link with one of its two vertices, so that a links have 2a ends.


def refuse_impossible(graph: Graph, sharing: Sharing, who: str) -> None:
    """Refuse what even the complete graph does not have; it has all that additions can give, since sharing only grows.

    In it two vertices share the n - 2 others. Of the old neighbors of v all are shared with whoever is not one of
    them, and all but one with those who are.
    """
    l, k, n = sharing.l, sharing.want + 1, graph.n
    if k == 1:
        return
    if l > n - 2:
        raise CannotPromise(
            f"{who}: two of {n:,} vertices can share {max(0, n - 2):,} neighbors at most, so that 'l' must be at most "
            f"that. Got {l}. Take a smaller l."
        )
    if sharing.strong:
        _refuse_degrees(graph, l, k, who)


def _refuse_degrees(graph: Graph, l: int, k: int, who: str) -> None:
    low = graph.degree < l
    v = int(low.argmax())
    weak = "or take variant='weak' (--variant weak), which counts new neighbors too"
    if low.any():
        raise CannotPromise(
            f"{who}: in the strong variant everybody must have l = {l} neighbors in the original to share. "
            f"Got {int(low.sum()):,} of {graph.n:,} with fewer, the first {graph.names[v]!r} with {graph.degree[v]:,}. "
            f"Take a smaller l, leave them out, {weak}."
        )
    exact = np.flatnonzero(graph.degree == l)
    if len(exact) and k > graph.n - l:
        raise CannotPromise(
            f"{who}: who has just l = {l} neighbors cannot share all of them with one of these, so that 'k' must be at "
            f"most n - l = {graph.n - l:,}. Got {k}, and {graph.names[int(exact[0])]!r} has {l}. Lower k or l, {weak}."
        )


def bound_links(graph: Graph, sharing: Sharing) -> int:
    """Return a lower bound on the links that must be added.

    Weak: whoever has fewer than l neighbors needs l - deg(v) ends at v. Whoever else lacks somebody needs an end in
    N[v]: a new shared neighbor comes by a link of v or of a neighbor, and if v gets none, its neighbors are the old.
    Sets N[v] that are disjoint, and without anybody counted before, need different ends.

    Strong: v gains only by ends in N(v), one share with one vertex each. So it needs as many as the k - 1 others that
    share most with v are short of l neighbors; disjoint sets N(v) need different ends.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
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
    forced = np.maximum(0, sharing.l - graph.degree)
    ends = _sum_packed(graph, lacking, np.ones(len(lacking), dtype=np.int64), forced > 0, closed=True)
    return -(-(int(forced.sum()) + ends) // 2)


def _count_short(graph: Graph, v: int, sharing: Sharing) -> int:
    """Return how many shares v lacks until l neighbors are shared with the `want` others that share most."""
    near = [graph.neighbors(int(w)) for w in graph.neighbors(v)]
    others, shared = np.unique(np.concatenate(near), return_counts=True)
    most = np.sort(shared[others != v])[::-1][: sharing.want]
    return sharing.l * sharing.want - int(np.minimum(most, sharing.l).sum())


def _sum_packed(graph: Graph, vertices: Ints, needs: Ints, taken: np.ndarray, *, closed: bool) -> int:
    """Add up the needs of vertices whose neighbor sets are disjoint and not taken, chosen greedily."""
    taken, total = taken.copy(), 0
    worth = needs / (graph.degree[vertices] + closed)
    for i in np.argsort(-worth, kind="stable"):
        v = int(vertices[i])
        around = graph.neighbors(v)
        if not taken[around].any() and not (closed and taken[v]):
            taken[around], taken[v] = True, taken[v] or closed
            total += int(needs[i])
    return total
