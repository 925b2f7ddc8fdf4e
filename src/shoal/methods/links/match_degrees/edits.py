"""Edits towards target degrees: pairing, alternating walks, switches and partners (after Liu & Terzi 2008).

A *unit* is a difference of 1 between a vertex's degree and its target. One edit between two vertices in need serves two
units. If no such pair is left, an alternating walk may free one. A switch moves the end of a link from a vertex with
too many links to one with too few. The last resort is a partner that needs nothing: it moves to the next degree, if
that class has k members and its own class keeps k without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.core.threads import announce_compilation
from shoal.data.arrays import Ints
from shoal.data.graph import Graph

LOOKS = 100_000_000
"""The largest number of pairs checked for alternating walks."""


def _load_loops() -> Any:
    announce_compilation()
    from shoal.kernels import degree_edits

    return degree_edits


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

    def of(self, graph: Graph) -> tuple[Ints, ...]:
        """Return the rows of another graph in the form of the compiled loops, with nothing toggled."""
        return (graph.indptr, graph.indices, *self._lists)

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
