"""Realization of target degrees: the rounds of Liu & Terzi (2008), with a fallback that serves every unit.

A round sets targets and serves them. Some units may find no partner whose class stays large enough. They are served
with any partner (the "probing" of Liu & Terzi), and the next round groups the new degrees. With additions only, every
such round adds an edge. It ends at the latest at the complete graph, whose degrees are all equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.methods.base import add_names
from shoal.methods.links.match_degrees.groups import (
    Targets,
    find_even_groups,
    find_least_deficient_groups,
    find_optimal_groups,
    list_candidates,
    sort_degrees,
)
from shoal.optimize.annealing import make_generator
from shoal.progress import track

# Edits towards target degrees: pairing, alternating walks, switches and partners.
#
# A *unit* is a difference of 1 between a vertex's degree and its target. One edit between two vertices in need serves
# two units. If no such pair is left, an alternating walk may free one. A switch moves the end of a link from a vertex
# with too many links to one with too few. The last resort is a partner that needs nothing: it moves to the next degree,
# if that class has k members and its own class keeps k without it.

LOOKS = 100_000_000
"""The largest number of pairs checked for alternating walks."""


def _load_loops() -> Any:
    from shoal.methods.links._kernels import edits

    return edits


@dataclass
class DegreeEdits:
    """A graph, its toggled pairs, and the units that each vertex still needs."""

    graph: Graph
    k: int
    rng: np.random.Generator
    near: bool
    """Whether partners with few unshared neighbors come first, instead of a random order."""
    aim: Ints = field(init=False)
    need: Ints = field(init=False)

    def __post_init__(self) -> None:
        n = self.graph.n
        self._lists = (np.full(n, -1), np.full(0, -1), np.full(0, -1), np.zeros(n, dtype=np.int64), np.array([0, -1]))
        self._mark, self._second = np.full(n, -1), np.full(n, -1)
        self._common, self._seen = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        self.aim = self.graph.degree.astype(np.int64)
        self.need = np.zeros(n, dtype=np.int64)
        self._drawn = self.rng.permutation(n)

    @property
    def degree(self) -> Ints:
        """The current degrees."""
        return self.aim - self.need

    @property
    def left(self) -> int:
        """The number of units not yet served."""
        return int(np.abs(self.need).sum())

    def order_by_degree(self) -> Ints:
        """Return the vertices by descending degree; the seed breaks ties."""
        return self._drawn[np.argsort(-self.degree[self._drawn], kind="stable")]

    def aim_at(self, aim: Ints) -> None:
        """Set the target degree of each vertex."""
        self.need = aim - self.degree
        self.aim = aim.copy()

    def aim_in_order(self, moved: Ints) -> None:
        """Set the target degrees, given in descending order of the degrees."""
        aim = np.empty(self.graph.n, dtype=np.int64)
        aim[self.order_by_degree()] = moved
        self.aim_at(aim)

    def pair(self, sign: int) -> None:
        """Serve two units per edit, vertices with the largest need first; then use alternating walks."""
        order, state = self.list_needy(sign), self.make_state()
        _load_loops().pair_up(order, sign, self.need, self._clear_marks(), state)
        order = self.list_needy(sign)
        if len(order):
            _load_loops().walks(order, sign, self.need, self._clear_marks(), self._second, state, LOOKS)

    def pair_once(self) -> int:
        """Serve two units per edit in a single pass. Return the number of units left."""
        for sign in (1, -1):
            _load_loops().pair_up(self.list_needy(sign), sign, self.need, self._clear_marks(), self.make_state())
        return self.left

    def switch(self) -> None:
        """Move ends of links from vertices with too many links to vertices with too few."""
        givers, takers = self.list_needy(-1), self.list_needy(1)
        if len(givers) and len(takers):
            scratch = (self._clear_marks(), self._common, self._seen)
            _load_loops().switches(givers, takers, self.need, self.make_state(), *scratch)

    def partner(self, sign: int) -> None:
        """Serve the remaining units with partners whose class stays large enough without them."""
        order = self.list_needy(sign)
        if len(order):
            population = np.bincount(self.aim, minlength=self.graph.n)
            numbers = (self.need, self.aim, population, self.k, self.near, self.make_state())
            scratch = (self._clear_marks(), self._common, self._seen)
            _load_loops().partners(order, self._list_pool(), sign, *numbers, *scratch)

    def lift(self) -> bool:
        """Raise the targets of whole classes below the vertices in need by one. Return whether any class moved.

        A class that moves as a whole joins the next class or takes its place, so its degree still has k members. No
        more members move than there are units to serve.
        """
        needy = self.need > 0
        if (self.need < 0).any() or not needy.any():
            return False
        population = np.bincount(self.aim, minlength=self.graph.n)[: self.aim[needy].min()]
        lifted, most = np.zeros(self.graph.n, dtype=np.bool_), self.left
        for c in np.flatnonzero(population).tolist():
            if population[c] <= most:
                lifted[c] = True
                most -= int(population[c])
        moved = lifted[self.aim]
        self.aim[moved] += 1
        self.need[moved] += 1
        return bool(moved.any())

    def force(self) -> None:
        """Serve the remaining units with any partners, even if this breaks their classes."""
        for sign, order in [(sign, self.list_needy(sign)) for sign in (1, -1)]:
            if len(order):
                _load_loops().force(order, self._list_pool(), sign, self.need, self.make_state(), self._clear_marks())

    def list_toggled(self) -> tuple[Ints, Ints]:
        """Return the toggled pairs."""
        _, _, other, _, room = self._lists
        u, v = other[1 : room[0] : 2], other[0 : room[0] : 2]
        return u[u >= 0], v[u >= 0]

    def make_graph(self, names: Graph) -> Graph:
        """Return the current graph with the names and attributes of another graph."""
        u, v = self.list_toggled()
        n = np.int64(self.graph.n)
        keys = np.setxor1d(number_edges(self.graph), np.minimum(u, v) * n + np.maximum(u, v), assume_unique=True)
        return Graph.from_pairs(names.names, keys // n, keys % n, attributes=names.attributes)

    def list_needy(self, sign: int) -> Ints:
        """Return the vertices that need edits of one sign, largest need first."""
        some = self._drawn[sign * self.need[self._drawn] > 0]
        return some[np.argsort(-np.abs(self.need[some]), kind="stable")]

    def _list_pool(self) -> Ints:
        """Return possible partners: few links first, then vertices without links, then vertices in need."""
        order, now = self.order_by_degree()[::-1], self.degree
        return order[np.lexsort((now[order] == 0, self.need[order] != 0))]

    def _clear_marks(self) -> Ints:
        self._mark.fill(-1)
        return self._mark

    def make_state(self) -> tuple[Ints, ...]:
        """Return the rows and the lists, with space for an edit and a switch per unit."""
        head, after, other, many, room = self._lists
        short = room[0] + 4 * self.left + 8 - len(after)
        if short > 0:
            more = np.full(short + len(after) // 2, -1)
            after, other = np.concatenate([after, more]), np.concatenate([other, more])
            self._lists = (head, after, other, many, room)
        return (self.graph.indptr, self.graph.indices, *self._lists)


# Rounds of edits, until every degree occurs at least k times.

DELETING = 4
"""Rounds that may delete links. Later rounds only add links, so that the procedure ends."""
SMALL, DRAWS = 60, 4
"""The largest number of vertices for which many targets are realized, and how often each."""


def serve_units(edits: DegreeEdits, *, delete: bool) -> bool:
    """Serve as many units as possible, cheapest ways first. Return whether all are served."""
    signs = (1, -1) if delete else (1,)
    for sign in signs:
        edits.pair(sign)
    if delete:
        edits.switch()
    for sign in signs:
        edits.partner(sign)
    while edits.left and edits.lift():
        edits.pair(1)
        edits.partner(1)
    return edits.left == 0


def serve_all_units(edits: DegreeEdits, *, delete: bool) -> DegreeEdits:
    """Run rounds until every unit is served."""
    rounds = 0
    while not serve_units(edits, delete=delete):
        edits.force()
        rounds += 1
        track("matching degrees, round", rounds, 0)
        delete = delete and rounds < DELETING
        edits.aim_in_order(choose_targets(sort_degrees(edits.degree), edits.k, delete=delete).moved)
    return edits


def choose_targets(d: Ints, k: int, *, delete: bool) -> Targets:
    """Return the targets with the least cost.

    If this cost is odd, return those with the least even cost, if they cost at most 1 more or no vertex can change
    class.
    """
    found = find_optimal_groups(d, k, down=delete)
    if found.cost % 2 == 0:
        return found
    other = find_even_groups(d, k, down=delete)
    return other if other and (other.cost <= found.cost + 1 or not can_spare(found.moved, k)) else found


def can_spare(moved: Ints, k: int) -> bool:
    """Return whether some vertex can move to the next class while both classes keep k members."""
    population = np.bincount(moved)
    return bool(((population[:-1] > k) & (population[1:] >= k)).any())


def estimate_edits(graph: Graph, k: int, targets: Targets, seed: int) -> int:
    """Return an estimate of twice the edits that some targets take: each unpaired unit costs one edit."""
    edits = DegreeEdits(graph, k, make_generator(seed), near=False)
    edits.aim_in_order(targets.moved)
    return targets.cost + edits.pair_once()


def find_fewest_edits(graph: Graph, k: int, *, delete: bool, seed: int) -> DegreeEdits:
    """Return the fewest edits found. The most promising targets are realized: a few, or many in small graphs."""
    d = sort_degrees(graph.degree)
    small = graph.n <= SMALL
    found = [
        choose_targets(d, k, delete=delete),
        find_optimal_groups(d, k, down=delete),
        *([find_even_groups(d, k, down=delete)] if small else []),
    ]
    if delete:
        found += list_candidates(d, k)
    tried = {targets.moved.tobytes(): targets for targets in found if targets}
    about = sorted(tried.values(), key=lambda targets: estimate_edits(graph, k, targets, seed))
    ways = [(t, delete) for t in about[: 12 if small else 3]]
    if small and delete:
        ways += [(t, False) for t in (choose_targets(d, k, delete=False), find_even_groups(d, k, down=False)) if t]
    draws = range(DRAWS if small else 1)
    made = [realize_degrees(graph, k, t, None, delete=down, seed=seed, draw=draw) for t, down in ways for draw in draws]
    return min(made, key=lambda edits: len(edits.list_toggled()[0]))


def realize_degrees(
    graph: Graph, k: int, targets: Targets, realize: str | None, *, delete: bool, seed: int, draw: int = 0
) -> DegreeEdits:
    """Return edits that make a graph k-degree anonymous, starting with the given targets.

    Before pairing, "umga" adds links to partners of low neighborhood centrality, and "simultaneous-swap" switches ends
    of links. Both take more edits.
    """
    rng = make_generator(seed) if draw == 0 else make_generator(seed).spawn(draw)[-1]
    edits = DegreeEdits(graph, k, rng, near=realize in (None, "umga"))
    edits.aim_in_order(targets.moved)
    if delete and realize in ("umga", "simultaneous-swap"):
        edits.switch()
    if realize == "umga":
        for sign in (1, -1) if delete else (1,):
            edits.partner(sign)
    return serve_all_units(edits, delete=delete)


# Graphs built from the target degrees, then moved towards the original (Liu & Terzi 2008).
#
# ConstructGraph links the vertex that lacks the most links to the others that lack the most (Havel and Hakimi).
# Priority prefers links of the original. Greedy-Swap starts with a graph that ignores them, and swaps the ends of two
# links if that restores one or two original links.

SAMPLE, PASSES = 16, 12
"""The number of neighbors checked for a swap, and the number of passes over the original links."""


def construct_graph(original: Graph, k: int, targets: Targets, *, priority: bool, seed: int) -> DegreeEdits:
    """Return edits of the empty graph that make it k-degree anonymous, with degrees at or near the targets."""
    from shoal.methods.links._kernels import edits as loops

    none = np.empty(0, dtype=np.int64)
    edits = DegreeEdits(Graph.from_pairs(original.names, none, none), k, make_generator(seed), near=False)
    edits.aim_at(_order_targets(original, targets, seed))
    if priority:
        loops.link_known(edits.list_needy(1), original.indptr, original.indices, edits.need, edits.make_state())
    serve_all_units(edits, delete=False)
    _swap_links(original, edits)
    return edits


def _order_targets(original: Graph, targets: Targets, seed: int) -> Ints:
    """Return the targets by vertex."""
    order = DegreeEdits(original, 1, make_generator(seed), near=False).order_by_degree()
    aim = np.empty(original.n, dtype=np.int64)
    aim[order] = targets.moved
    return aim


def _swap_links(original: Graph, edits: DegreeEdits) -> None:
    """Swap towards the original until a pass restores no link, for at most PASSES passes."""
    from shoal.methods.links._kernels import edits as loops

    a, b, _ = original.edges()
    known = (original.indptr, original.indices)
    for done in range(PASSES):
        track("swapping towards the original", done, PASSES)
        order = edits.rng.permutation(len(a))
        if not loops.greedy_swaps(a[order], b[order], known, edits.make_state(), SAMPLE):
            break


# k-degree anonymity by adding vertices: links between original vertices do not change (Chester et al. 2011).
#
# The groups minimize the largest degree increase. As many new vertices as that, or a few more, take the missing links
# in turn, so that their degrees differ by at most one. Links among the new vertices then bring all of them to one
# degree, which original vertices have too.


def add_vertices(original: Graph, k: int, seed: int) -> tuple[Graph, Targets]:
    """Return the graph with new vertices appended, and the targets of the original vertices."""
    targets = find_least_deficient_groups(sort_degrees(original.degree), k)
    if not targets.cost:
        return original, targets
    rng = make_generator(seed)
    drawn = rng.permutation(original.n)
    order = drawn[np.argsort(-original.degree[drawn].astype(np.int64), kind="stable")]
    lack = targets.moved - targets.degrees
    many, degree = count_new_vertices(lack, targets.moved)
    shuffled = rng.permutation(original.n)
    takers = np.repeat(order[shuffled], lack[shuffled])
    fresh = original.n + np.arange(len(takers)) % many
    inner = np.bincount(fresh - original.n, minlength=many)
    c, d = link_near_regular(degree - inner)
    a, b, _ = original.edges()
    sources = np.concatenate([a, takers, c + original.n])
    ends = np.concatenate([b, fresh, d + original.n])
    rows = np.concatenate([np.arange(original.n), rng.integers(original.n, size=many)])
    table = original.attributes.take(rows)
    names = add_names(original.names, (f"new vertex {number}" for number in range(1, many + 1)))
    return Graph.from_pairs(names, sources, ends, attributes=table), targets


def count_new_vertices(lack: Ints, moved: Ints) -> tuple[int, int]:
    """Return the smallest sufficient number of new vertices, and the degree that each of them gets.

    At least k original vertices have this degree, so the new vertices are not a class of their own. Such a degree
    always exists: the sum of all degrees must be even, and if no target degree is odd, the number of missing links is
    even.
    """
    total, classes = int(lack.sum()), np.unique(moved)
    many = int(lack.max())
    while True:
        least, most = -(-total // many), total // many + many - 1
        known = classes[(classes >= least) & (classes <= most) & ((many * classes - total) % 2 == 0)]
        if len(known):
            return many, int(known[0])
        many += 1


def link_near_regular(degrees: Ints) -> tuple[Ints, Ints]:
    """Return links that realize these degrees, which differ by at most one and have an even sum."""
    left = degrees.copy()
    a, b = [], []
    while left.any():
        order = np.argsort(-left, kind="stable")
        first, others = order[0], order[1 : 1 + left[order[0]]]
        left[first] = 0
        left[others] -= 1
        a.append(np.full(len(others), first))
        b.append(others)
    none = np.empty(0, dtype=np.int64)
    return np.concatenate([none, *a]), np.concatenate([none, *b])
