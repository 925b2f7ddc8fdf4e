"""Classes without links inside, of at least so many: what equal rows need where no link may be removed.

That is a coloring of the graph in which no color is rare. Where it exists all links between two classes can be added
wherever there is one. It is found by trying, the vertices with most links first.

With fewer than k + l vertices, and additions only, such classes of k are also the only way to hide l neighbors, so that
without them nothing can be promised. For then a degree above l leaves fewer than k common neighbors to l of them; so
all degrees are at most l, and k vertices have all the neighbors of v, for each v. Those with a largest such set form
classes of k or more with equal rows. Put every v into one whose row holds its own. Two of a class are never linked:
if v and w were, with the row of m holding both of theirs, w and then m itself would be a neighbor of m.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from shoal.data.graph import Graph, Ints
from shoal.progress import track

STEPS = 20_000
"""Steps after which the search gives up, so that "none" is not proved."""
DEEP = 300
"""Larger graphs are tried once, without going back."""


@dataclass
class Coloring:
    """A search for classes of at least `size`; with `proved`, that none was found means that there are none."""

    graph: Graph
    size: int
    steps: int = 0
    most: int = 0
    """How many classes there can be."""
    proved: bool = True
    members: list[set[int]] = field(default_factory=list)

    def found(self) -> Ints | None:
        """Return the class of each vertex, or None."""
        self.most = self.graph.n // self.size
        if self.graph.degree.max(initial=0) > self.graph.n - self.size:  # too few are left to be with
            return None
        order = np.argsort(-self.graph.degree, kind="stable").tolist()
        if self.graph.n < self.size or not (self._try(order, 0) if self.graph.n <= DEEP else self._once(order)):
            return None
        codes = np.empty(self.graph.n, dtype=np.int64)
        for i, members in enumerate(self.members):
            codes[list(members)] = i
        return codes

    def _try(self, order: list[int], done: int) -> bool:
        """Place the vertices from `done` on, and go back where that fails."""
        if done == len(order):
            return True
        self.steps += 1
        track("looking for classes without links inside", self.steps, STEPS)
        if self.steps > STEPS:
            self.proved = False
            return False
        for members in self._places(order[done]):
            members.add(order[done])
            if self._missing() < len(order) - done and self._try(order, done + 1):
                return True
            members.remove(order[done])
        return False

    def _once(self, order: list[int]) -> bool:
        """Place each vertex where it fits first."""
        self.proved = False
        self.most = max(1, self.most * 3 // 4)  # some room is left for those who find only neighbors
        for done, v in enumerate(order):
            place = next(self._places(v), None)
            if place is None:
                return False
            place.add(v)
            if self._missing() >= len(order) - done:
                return False
        return True

    def _missing(self) -> int:
        """Count how many the classes so far still need."""
        return sum(max(0, self.size - len(members)) for members in self.members)

    def _places(self, v: int) -> Iterator[set[int]]:
        """Yield the classes without a neighbor of v: those that need members, a new one, those that have room."""
        near = set(self.graph.neighbors(v).tolist())
        fit = [c for c in self.members if len(c) < 2 * self.size - 1 and near.isdisjoint(c)]
        yield from (c for c in fit if len(c) < self.size)
        if len(self.members) < self.most:
            self.members.append(set())
            yield self.members[-1]
            self.members.pop()
        yield from (c for c in fit if len(c) >= self.size)
