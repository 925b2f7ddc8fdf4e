"""Exact search in the lattice of generalization levels (Samarati 2001; pruning as in Kohlmayer et al. 2012).

A node v is one level per column, and u <= v if no column has a higher level in u. G(v) is the loss of the levels of v
over all records. X(v) is the additional loss because records in classes below k are suppressed. Two monotonicity laws
allow pruning. G grows along the order, because values only merge. X falls along the order, because classes only merge
and a suppressed record has less left to lose. So the loss of u is at least G(u) + X(v) for every v >= u. A node with
more records below k than may be suppressed rules out all nodes below it. Losses are integers over a common denominator.
Only the pruning uses floats, with a safety margin, so the optimum is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm, prod

import numpy as np

from shoal.core.column_sets import Cells
from shoal.data.arrays import Bools, Floats, Ints
from shoal.progress import track

Node = tuple[int, ...]

SLACK = 1e-9
"""A bound must exceed the best loss by this share before it prunes: far more than the error of floats."""
RECOUNT = 8_192
"""Open nodes are recounted after each evaluation; in larger lattices less often, by one more evaluation per RECOUNT."""
KEPT = 10_000_000
"""The largest number of classes kept in memory to evaluate higher nodes faster."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """One column at each of its levels, without levels that merge nothing."""

    codes: Ints
    """A line per level and an entry per value of the column: the code of the published value, from 0."""
    levels: tuple[int, ...]
    """The number of each level in the hierarchy."""

    @classmethod
    def of(cls, lines: Sequence[Ints]) -> Ladder:
        """Build a ladder from the codes of the values at every level. Each level merges at least as much as the last.

        >>> Ladder.of([np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([5, 5, 7])]).codes.tolist()
        [[0, 1, 2], [0, 0, 1]]
        """
        dense = [np.unique(line, return_inverse=True)[1].reshape(-1) for line in lines]
        counts = [int(line.max(initial=0)) for line in dense]
        kept = [j for j in range(len(dense)) if j == 0 or counts[j] != counts[j - 1]]
        return cls(np.array([dense[j] for j in kept], dtype=np.int64), tuple(kept))

    @cached_property
    def lost(self) -> Ints:
        """At each level, for each value, the number of other values that are published as the same value."""
        return np.array([np.bincount(line)[line] - 1 for line in self.codes], dtype=np.int64)

    @property
    def most(self) -> int:
        """The loss of a suppressed value: the number of other values, at least 1."""
        return max(1, int(self.codes.shape[1]) - 1)


@dataclass(frozen=True)
class Look:
    """The counts at a node."""

    node: Node
    suppressed: int
    """The number of records in classes below k."""
    extra: int
    """X, if these records may be suppressed."""
    rows: Ints
    """One row of each class."""
    weight: Ints
    """The number of records of each class."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """All nodes over the distinct rows of a table."""

    cells: Cells
    ladders: tuple[Ladder, ...]
    k: int
    cap: int
    """The largest number of records that may be suppressed."""

    @property
    def shape(self) -> Node:
        """The number of levels of each column."""
        return tuple(len(ladder.levels) for ladder in self.ladders)

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return prod(self.shape)

    @cached_property
    def denominator(self) -> int:
        """The common denominator of losses: the loss of a suppressed cell."""
        return lcm(*(ladder.most for ladder in self.ladders))

    @cached_property
    def losses(self) -> list[list[int]]:
        """The loss of each column over all records, level by level."""
        found = []
        for line, ladder in zip(self.cells.codes, self.ladders, strict=True):
            often = np.zeros(ladder.codes.shape[1], dtype=np.int64)
            np.add.at(often, line, self.cells.weight)
            found.append([self.denominator // ladder.most * int(often @ lost) for lost in ladder.lost])
        return found

    @cached_property
    def starts(self) -> Ints:
        """The first index of each column in a lookup of all columns."""
        return np.cumsum([0, *(ladder.codes.shape[1] for ladder in self.ladders)])[:-1]

    def sum_least_loss(self, node: Node) -> int:
        """Return G(node)."""
        return sum(column[level] for column, level in zip(self.losses, node, strict=True))

    def classes(self, node: Node, rows: Ints, weight: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the class of each row at a node, and for each class one of its rows and its weight."""
        from shoal.core._kernels.alike import classes_at

        lines = [ladder.codes[level] for ladder, level in zip(self.ladders, node, strict=True)]
        cards = np.array([int(line.max()) + 1 for line in lines], dtype=np.int64)
        found: tuple[Ints, Ints, Ints] = classes_at(
            self.cells.codes, rows, weight, np.concatenate(lines), self.starts, cards
        )
        return found

    def look(self, node: Node, rows: Ints, weight: Ints) -> Look:
        """Evaluate a node from rows, or from the classes of a lower node."""
        _, first, total = self.classes(node, rows, weight)
        small = total < self.k
        suppressed = int(total[small].sum())
        extra = self._lose_suppressed(node, first[small], total[small]) if 0 < suppressed <= self.cap else 0
        return Look(node, suppressed, extra, first, total)

    def _lose_suppressed(self, node: Node, rows: Ints, weight: Ints) -> int:
        from shoal.core._kernels.alike import spread_over

        lost = np.concatenate([ladder.lost[level] for ladder, level in zip(self.ladders, node, strict=True)])
        sums = spread_over(self.cells.codes, rows, weight, lost, self.starts)
        records = int(weight.sum())
        left = [records * ladder.most - int(lost) for ladder, lost in zip(self.ladders, sums, strict=True)]
        return sum(self.denominator // ladder.most * q for ladder, q in zip(self.ladders, left, strict=True))

    def find_suppressed(self, node: Node) -> Bools:
        """Return, for each record, whether it is in a class below k at a node."""
        which, _, total = self.classes(node, np.arange(len(self.cells.weight)), self.cells.weight)
        small: Bools = (total < self.k)[which][self.cells.kind]
        return small

    def measure_share(self, loss: int) -> Fraction:
        """Return a loss as a share of the loss if all cells are suppressed."""
        return Fraction(loss, self.denominator * len(self.ladders) * len(self.cells.kind))


@dataclass(frozen=True)
class Best:
    """The best node, and the number of evaluated nodes."""

    loss: int
    suppressed: int
    node: Node
    looked_at: int


class LatticeSearch:
    """The state of the search: a lower bound for every node, and the best node so far."""

    def __init__(self, lattice: Lattice):
        self.lattice = lattice
        self.best: tuple[int, int, Node] | None = None
        # one axis for each column with several levels, because numpy arrays have at most 64 dimensions
        self.axes = [c for c, levels in enumerate(lattice.shape) if levels > 1] or [0]
        shape = tuple(lattice.shape[c] for c in self.axes)
        self.least = np.zeros(shape)
        for axis, c in enumerate(self.axes):
            shares = np.array([loss / lattice.denominator for loss in lattice.losses[c]])
            self.least += shares.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        self.bound = self.least.copy()
        self.score = np.zeros(shape)
        self.tables = [(np.arange(len(lattice.cells.weight)), lattice.cells.weight)]
        self.places = np.zeros((1, len(lattice.shape)), dtype=np.int64)  # the node of each table
        self.sizes = np.array([len(lattice.cells.weight)])

    def run(self) -> Best | None:
        """Evaluate nodes until none can be better than the best. Return None if no node is allowed."""
        looked_at = 0
        while (node := self.choose_next(looked_at)) is not None:
            self.learn(self.lattice.look(node, *self.find_below(node)))
            looked_at += 1
        return None if self.best is None else Best(*self.best, looked_at)

    def find_open(self) -> Bools:
        """Return which nodes could still be better, or as good."""
        limit = float(np.finfo(np.float64).max)
        if self.best is not None:
            limit = self.best[0] / self.lattice.denominator * (1 + SLACK)
        still: Bools = self.bound <= limit
        return still

    def choose_next(self, looked_at: int) -> Node | None:
        """Choose the node with the most open nodes below times above: its evaluation may rule out either side."""
        still = self.find_open()
        if looked_at % (1 + still.size // RECOUNT) == 0:
            track("recodings", still.size - int(np.count_nonzero(still)), still.size)
            self.score = _count_around(still)
        place = np.unravel_index(int(np.where(still, self.score, -1.0).argmax()), still.shape)
        if not still[place]:
            track("recodings", still.size, still.size)
            return None
        node = [0] * len(self.lattice.shape)
        for c, i in zip(self.axes, place, strict=True):
            node[c] = int(i)
        return tuple(node)

    def find_below(self, node: Node) -> tuple[Ints, Ints]:
        """Return the fewest rows from which a node can be evaluated: the classes of a node below it."""
        fit = np.flatnonzero((self.places <= np.array(node)).all(axis=1))
        rows, weight = self.tables[int(fit[self.sizes[fit].argmin()])]
        return rows, weight

    def learn(self, look: Look) -> None:
        """Update the bounds and the best node with an evaluation."""
        lattice, node = self.lattice, look.node
        beneath = tuple(slice(0, node[c] + 1) for c in self.axes)
        if look.suppressed > lattice.cap:
            self.bound[beneath] = np.inf
        else:
            extra = look.extra / lattice.denominator
            self.bound[beneath] = np.maximum(self.bound[beneath], self.least[beneath] + extra)
            if look.suppressed == 0 or look.suppressed >= lattice.k:
                found = lattice.sum_least_loss(node) + look.extra, look.suppressed, node
                self.best = found if self.best is None else min(self.best, found)
        self.bound[tuple(node[c] for c in self.axes)] = np.inf  # it is evaluated
        self.keep(look)

    def keep(self, look: Look) -> None:
        """Keep the classes of a node in memory, if they are few and there is room."""
        if 2 * len(look.rows) <= self.sizes[0] and self.sizes[1:].sum() + len(look.rows) <= KEPT:
            self.tables.append((look.rows, look.weight))
            self.places = np.vstack([self.places, look.node])
            self.sizes = np.append(self.sizes, len(look.rows))


def _count_around(still: Bools) -> Floats:
    """Return, for each node, the number of open nodes below it times the number above it."""
    below, above = still.astype(np.float64), still.astype(np.float64)
    for axis in range(still.ndim):
        up, down = np.moveaxis(below, axis, 0), np.moveaxis(above, axis, 0)
        # axes are short: adding slices is several times faster than np.cumsum
        for i in range(1, len(up)):
            up[i] += up[i - 1]
            down[-1 - i] += down[-i]
    return below * above
