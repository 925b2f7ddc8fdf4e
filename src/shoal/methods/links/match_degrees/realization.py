"""Graphs with the target degrees: the rounds of Liu & Terzi, with a fallback that leaves no unit over.

A round sets targets and serves them. What is left over has no partner whose class could spare it: it is served anyhow
(their "probing"), and the next round groups the degrees as they are then. With additions only every such round adds an
edge, and the complete graph, in which all degrees are the same, ends it at the latest.
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

# Edits towards target degrees: pairs in need, alternating walks, switches of ends, and partners.
#
# Where a unit meets a unit, one edit serves both. Where none is left to meet, an alternating walk may set one free; a
# switch moves the end of a link from somebody with too many to somebody who lacks one; and at last a partner is taken
# who needs nothing, and moves to the next degree, whose class has k members as its own still has without it.

LOOKS = 100_000_000
"""How many pairs are looked at for alternating walks."""


def _load_loops() -> Any:
    from shoal.methods.links._kernels import degree_edits

    return degree_edits


@dataclass
class DegreeEdits:
    """A graph, the pairs that were toggled in it, and what everybody still needs."""

    graph: Graph
    k: int
    rng: np.random.Generator
    near: bool
    """Whether partners are taken where few neighbors are not shared, rather than in a drawn order."""
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
        """The degrees as they are now."""
        return self.aim - self.need

    @property
    def left(self) -> int:
        """How many units are not served."""
        return int(np.abs(self.need).sum())

    def order_by_degree(self) -> Ints:
        """Return the vertices by descending degree; the seed decides between equal ones."""
        return self._drawn[np.argsort(-self.degree[self._drawn], kind="stable")]

    def aim_at(self, aim: Ints) -> None:
        """Set what everybody moves to."""
        self.need = aim - self.degree
        self.aim = aim.copy()

    def aim_in_order(self, moved: Ints) -> None:
        """Set what everybody moves to, given in descending order of the degrees."""
        aim = np.empty(self.graph.n, dtype=np.int64)
        aim[self.order_by_degree()] = moved
        self.aim_at(aim)

    def pair(self, sign: int) -> None:
        """Serve two units by one edit each, those who need most first; then by alternating walks."""
        order, state = self.list_needy(sign), self.make_state()
        _load_loops().pair_up(order, sign, self.need, self._clear_marks(), state)
        order = self.list_needy(sign)
        if len(order):
            _load_loops().walks(order, sign, self.need, self._clear_marks(), self._second, state, LOOKS)

    def pair_once(self) -> int:
        """Serve two units by one edit each, as far as it goes at once; return how many are left."""
        for sign in (1, -1):
            _load_loops().pair_up(self.list_needy(sign), sign, self.need, self._clear_marks(), self.make_state())
        return self.left

    def switch(self) -> None:
        """Move ends of links from those with too many to those who lack some."""
        givers, takers = self.list_needy(-1), self.list_needy(1)
        if len(givers) and len(takers):
            scratch = (self._clear_marks(), self._common, self._seen)
            _load_loops().switches(givers, takers, self.need, self.make_state(), *scratch)

    def partner(self, sign: int) -> None:
        """Serve what is left with others whose class can spare them."""
        order = self.list_needy(sign)
        if len(order):
            population = np.bincount(self.aim, minlength=self.graph.n)
            numbers = (self.need, self.aim, population, self.k, self.near, self.make_state())
            scratch = (self._clear_marks(), self._common, self._seen)
            _load_loops().partners(order, self._list_pool(), sign, *numbers, *scratch)

    def lift(self) -> bool:
        """Let whole classes move up by one, below those who lack links, as many as these can serve; tell if any does.

        A class that moves as a whole joins the next one, or takes its place: either way it has its k members.
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
        """Serve what is left with anybody, whatever becomes of their degrees."""
        for sign, order in [(sign, self.list_needy(sign)) for sign in (1, -1)]:
            if len(order):
                _load_loops().force(order, self._list_pool(), sign, self.need, self.make_state(), self._clear_marks())

    def list_toggled(self) -> tuple[Ints, Ints]:
        """Return the pairs that were toggled."""
        _, _, other, _, room = self._lists
        u, v = other[1 : room[0] : 2], other[0 : room[0] : 2]
        return u[u >= 0], v[u >= 0]

    def make_graph(self, names: Graph) -> Graph:
        """Return the graph as it is now, with the names and attributes of another one."""
        u, v = self.list_toggled()
        n = np.int64(self.graph.n)
        keys = np.setxor1d(number_edges(self.graph), np.minimum(u, v) * n + np.maximum(u, v), assume_unique=True)
        return Graph.from_pairs(names.names, keys // n, keys % n, attributes=names.attributes)

    def list_needy(self, sign: int) -> Ints:
        """Return who needs edits of one sign, most first."""
        some = self._drawn[sign * self.need[self._drawn] > 0]
        return some[np.argsort(-np.abs(self.need[some]), kind="stable")]

    def _list_pool(self) -> Ints:
        """Return possible partners: few links first, but those without any after them, and those in need last."""
        order, now = self.order_by_degree()[::-1], self.degree
        return order[np.lexsort((now[order] == 0, self.need[order] != 0))]

    def _clear_marks(self) -> Ints:
        self._mark.fill(-1)
        return self._mark

    def make_state(self) -> tuple[Ints, ...]:
        """Return the rows and the lists, with room for an edit and a switch for every unit."""
        head, after, other, many, room = self._lists
        short = room[0] + 4 * self.left + 8 - len(after)
        if short > 0:
            more = np.full(short + len(after) // 2, -1)
            after, other = np.concatenate([after, more]), np.concatenate([other, more])
            self._lists = (head, after, other, many, room)
        return (self.graph.indptr, self.graph.indices, *self._lists)


# Rounds of edits, until every degree is that of k vertices.

DELETING = 4
"""Rounds in which links may go; after that links are only added, so that it ends."""
SMALL, DRAWS = 60, 4
"""Up to how many vertices many targets are realized, and how often each."""


def serve_units(edits: DegreeEdits, *, delete: bool) -> bool:
    """Serve all units, as cheaply as it goes; tell whether none is left over."""
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
    """Go round after round until every unit is served."""
    rounds = 0
    while not serve_units(edits, delete=delete):
        edits.force()
        rounds += 1
        track("matching degrees, round", rounds, 0)
        delete = delete and rounds < DELETING
        edits.aim_in_order(choose_targets(sort_degrees(edits.degree), edits.k, delete=delete).moved)
    return edits


def choose_targets(d: Ints, k: int, *, delete: bool) -> Targets:
    """Return the targets of the least cost; of the least even cost where that is no dearer or nobody can be spared."""
    found = find_optimal_groups(d, k, down=delete)
    if found.cost % 2 == 0:
        return found
    other = find_even_groups(d, k, down=delete)
    return other if other and (other.cost <= found.cost + 1 or not can_spare(found.moved, k)) else found


def can_spare(moved: Ints, k: int) -> bool:
    """Tell whether somebody can be spared by a class for the next one."""
    population = np.bincount(moved)
    return bool(((population[:-1] > k) & (population[1:] >= k)).any())


def estimate_edits(graph: Graph, k: int, targets: Targets, seed: int) -> int:
    """Return twice about how many edits some targets take: whatever does not meet costs one each."""
    edits = DegreeEdits(graph, k, make_generator(seed), near=False)
    edits.aim_in_order(targets.moved)
    return targets.cost + edits.pair_once()


def find_fewest_edits(graph: Graph, k: int, *, delete: bool, seed: int) -> DegreeEdits:
    """Return the fewest edits found: a few targets are realized that promise few, many in small graphs."""
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
    """Return edits of a graph that make it k-degree anonymous, starting with some targets.

    "umga" takes partners with little neighborhood centrality before two units are paired, "simultaneous-swap" switches
    before; both take more edits.
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


# Graphs built from the target degrees alone, and brought near the original afterwards (Liu & Terzi 2008).
#
# ConstructGraph joins whoever lacks most links to the others who lack most (Havel and Hakimi). Priority takes over the
# original's links first. Greedy-Swap begins with a graph that ignores them, and swaps the ends of two links wherever
# that brings back one of the original's, or two.

SAMPLE, PASSES = 16, 12
"""Neighbors looked at for a swap, and how often all of the original's links are gone through."""


def construct_graph(original: Graph, k: int, targets: Targets, *, priority: bool, seed: int) -> DegreeEdits:
    """Return edits of a graph without links: a graph with the target degrees, or near them, k-degree anonymous."""
    from shoal.methods.links._kernels import degree_edits as loops

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
    """Bring in links of the original until a pass finds none, or after some passes."""
    from shoal.methods.links._kernels import degree_edits as loops

    a, b, _ = original.edges()
    known = (original.indptr, original.indices)
    for done in range(PASSES):
        track("swapping towards the original", done, PASSES)
        order = edits.rng.permutation(len(a))
        if not loops.greedy_swaps(a[order], b[order], known, edits.make_state(), SAMPLE):
            break


# k-degree anonymity by adding vertices: links between original vertices stay as they are (Chester et al. 2011).
#
# Groups are chosen so that the largest raise in them is the least there can be. As many new vertices as that, or a few
# more, take the links that are lacking in turns, so that their degrees differ by one at most; links among them bring
# all to the same degree, one that original vertices have.


def add_vertices(original: Graph, k: int, seed: int) -> tuple[Graph, Targets]:
    """Return the graph with new vertices after its own, and the targets of its own."""
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
    """Return the fewest new vertices that can do it, and the degree that each of them gets.

    It is a degree that k original vertices have, so that the new ones are not a class of their own. That can always be:
    the sum of all degrees must be even, and where no degree is odd, neither is what is lacking.
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
    """Return links that give everybody the degree asked for; degrees differ by one at most, and their sum is even."""
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
