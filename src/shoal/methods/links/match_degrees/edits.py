"""Edits towards target degrees: pairs in need, alternating walks, switches of ends, and partners.

Where a unit meets a unit, one edit serves both. Where none is left to meet, an alternating walk may set one free; a
switch moves the end of a link from somebody with too many to somebody who lacks one; and at last a partner is taken
who needs nothing, and moves to the next degree, whose class has k members as its own still has without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.data.arrays import Ints
from shoal.data.graph import Graph

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
