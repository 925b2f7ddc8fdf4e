"""Local suppression: remove few cells until every occurring combination of a few columns is frequent.

See Willenborg & de Waal (2001). A suppressed cell becomes missing, and missing is a value: the combinations with it
must be frequent too. In every round, each row with a rare combination loses one cell: the one that removes the most
rare combinations and creates the fewest. Counts are updated after each cell. If all cells of a rare combination are
missing already, other rows join it. Cells are only removed until no combination is rare, so the rounds end, at the
latest when all cells are missing. Then each cell is restored that makes no combination rare.

Letters: r is a row (of distinct cells, for `weight[r]` records), c is a column, q is a set of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.errors import CannotPromise

DIRECT = 1 << 24
"""Up to this many possible combinations are counted in an array; more in a hash table."""
WIDE = 1 << 62
Loop = Callable[[int], int]


@dataclass(frozen=True)
class SuppressionTaste:
    """Weights for the choice of a cell. They affect how many cells are suppressed, not the guarantee."""

    entered: float = 0.3
    """The penalty if the row enters a rare combination."""
    left: float = 0.0
    """The penalty if the combination that the row leaves becomes rare."""
    wide: float = 3.0
    """The bonus for a cell of the column with the most values, relative to the one with the fewest."""


@dataclass(frozen=True, eq=False)
class SuppressionPlan:
    """The combinations that must be frequent, in the form of the compiled loops."""

    arrays: tuple[Ints, Ints, Ints, Ints, Ints]
    span: int
    """The number of possible combinations."""

    @classmethod
    def of(cls, cards: Ints, needs: Mapping[int, int]) -> SuppressionPlan:
        """Plan for columns with these numbers of codes. `needs` maps sizes of sets to thresholds."""
        sets = [(S, k) for size, k in needs.items() for S in combinations(range(len(cards)), size)]
        columns = np.full((len(sets), max(needs)), -1, dtype=np.int64)
        radix = np.zeros((len(sets), len(cards)), dtype=np.int64)
        base = []
        span = 0
        for q, (S, _) in enumerate(sets):
            base.append(span)
            columns[q, : len(S)] = S
            span += prod(int(cards[c]) for c in S)
            if span >= WIDE:
                raise CannotPromise(_describe_too_many(needs))
            radix[q, list(S)] = np.cumprod([1, *(cards[c] for c in S[:-1])])
        least = np.array([k for _, k in sets], dtype=np.int64)
        return cls((columns, radix, np.array(base, dtype=np.int64), least, _list_having(columns, len(cards))), span)


def _list_having(columns: Ints, width: int) -> Ints:
    """Return, for each column, the sets that contain it, padded with -1."""
    lists = [np.flatnonzero((columns == c).any(axis=1)) for c in range(width)]
    found = np.full((width, max(map(len, lists)) + 1), -1, dtype=np.int64)
    for c, held in enumerate(lists):
        found[c, : len(held)] = held
    return found


def _describe_too_many(needs: Mapping[int, int]) -> str:
    return (
        f"HideColumns: fewer than 2**62 possible combinations of {max(needs)} columns can be counted. Got more. "
        "Use fewer columns, a smaller l, or hierarchies whose first levels merge more values."
    )


class CombinationCounts:
    """The count of each combination, updated while cells change."""

    def __init__(self, cells: Ints, weight: Ints, plan: SuppressionPlan):
        from shoal.methods.tables._kernels import records

        self.loops, self.cells, self.weight, self.plan = records, cells, weight, plan
        self.recount()

    def recount(self) -> None:
        """Count all combinations from the cells."""
        direct = self.plan.span <= DIRECT
        size = 1 << max(16, (8 * self.cells.shape[1] * len(self.plan.arrays[2])).bit_length())
        self.keys = np.full(0 if direct else size, -1, dtype=np.int64)
        self.counts = np.zeros(self.plan.span if direct else size, dtype=np.int32)
        self.filled = np.zeros(1, dtype=np.int64)
        self._run_to_end(lambda at: self.loops.count_combinations(self.cells, self.weight, *self._state, at))

    @property
    def _state(self) -> tuple[Any, ...]:
        return self.plan.arrays, self.keys, self.counts, self.filled

    def _run_to_end(self, loop: Loop, total: int | None = None) -> None:
        """Run a loop that stops when the hash table is full. Enlarge the table and continue."""
        at = loop(0)
        while at < (len(self.cells) if total is None else total):
            keys = np.full(2 * len(self.keys), -1, dtype=np.int64)
            counts = np.zeros(len(keys), dtype=np.int32)
            self.loops.move_counts(self.keys, self.counts, keys, counts, self.filled)
            self.keys, self.counts = keys, counts
            at = loop(at)

    def suppress(self, order: Ints, taste: SuppressionTaste, likes: Floats) -> tuple[int, int]:
        """Run one round. Return the number of suppressed cells, and of rows with a rare combination."""
        told, scoring = np.zeros(2, dtype=np.int64), np.array([taste.entered, taste.left])
        self._run_to_end(
            lambda at: self.loops.suppress_round(
                self.cells, self.weight, order, *self._state, scoring, taste.wide * likes, at, told
            ),
            len(order),
        )
        return int(told[0]), int(told[1])

    def restore(self, before: Ints, order: Ints) -> int:
        """Restore cells. Return their number."""
        told = np.zeros(2, dtype=np.int64)
        self._run_to_end(
            lambda at: self.loops.restore_round(self.cells, before, self.weight, order, *self._state, at, told),
            len(order),
        )
        return int(told[0])

    def join(self) -> None:
        """Add rows to each rare combination of only missing cells: those with the fewest cells to lose."""
        columns, _, _, least, _ = self.plan.arrays
        for S, k in zip(columns, least.tolist(), strict=True):
            there = (self.cells[:, S[S >= 0]] != 0).sum(axis=1)
            wanted = k - int(self.weight[there == 0].sum())
            if wanted > 0 and (there == 0).any():
                order = np.lexsort((self.weight, (self.cells != 0).sum(axis=1), there))
                order = order[there[order] > 0]
                enough = int(np.searchsorted(np.cumsum(self.weight[order]), wanted)) + 1
                self.cells[np.ix_(order[:enough], S[S >= 0])] = 0
        self.recount()


def suppress_cells(
    before: Ints, weight: Ints, needs: Mapping[int, int], order: Ints, taste: SuppressionTaste
) -> tuple[Ints, int]:
    """Return the cells after suppression, and the number of combinations looked up.

    `before` has one line per distinct row; 0 is a missing cell.

    >>> cells = np.array([[1, 1], [1, 2], [2, 1], [2, 3]])
    >>> suppress_cells(cells, np.array([5, 5, 5, 1]), {2: 5}, np.arange(4), SuppressionTaste())[0].tolist()
    [[0, 0], [1, 2], [2, 1], [0, 0]]
    """
    before = np.ascontiguousarray(before)  # kernels read rows that lie one after the other
    cells = before.copy()
    cards = before.max(axis=0, initial=0).astype(np.int64) + 1
    likes = np.argsort(np.argsort(cards, kind="stable"), kind="stable") / len(cards)
    counts = CombinationCounts(cells, weight, SuppressionPlan.of(cards, needs))
    suppressed, rare, rounds = 0, 1, 0
    while rare:
        suppressed, rare = counts.suppress(order, taste, likes)
        if rare and not suppressed:
            counts.join()
        rounds += 1
    while counts.restore(before, order[::-1].copy()):
        rounds += 1
    return cells, rounds * len(cells) * len(counts.plan.arrays[2])


def count_missing_cells(before: Ints, cells: Ints, weight: Ints) -> Ints:
    """Return the number of suppressed cells of each column.

    >>> count_missing_cells(np.array([[1, 2], [3, 0]]), np.array([[1, 0], [0, 0]]), np.array([5, 2])).tolist()
    [2, 5]
    """
    found: Ints = weight @ ((cells == 0) & (before != 0))
    return found
