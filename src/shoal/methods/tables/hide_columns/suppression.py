"""Suppression of cells: few of them are left out until every combination of a few columns that occurs is frequent.

A suppressed cell is missing, and missing is a value: the combinations that it enters must be frequent too. In every
round each row with a rare combination gives up one cell, the one whose loss ends most rare combinations and begins
fewest; the counts are kept true cell by cell. Where all cells of a rare combination are missing already, others join
it. Cells are only ever given up until no combination is rare, so the rounds end: at the latest when all is missing.
Then each cell comes back that can do so without making a combination rare.

Letters: r is a row (of distinct cells, standing for `weight[r]` records), c a column, q a set of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from shoal.core.threads import announce_compilation
from shoal.data.arrays import Floats, Ints
from shoal.errors import CannotPromise

DIRECT = 1 << 24
"""Up to so many possible combinations are counted in a plain array; more in a hash table."""
WIDE = 1 << 62
Loop = Callable[[int], int]


@dataclass(frozen=True)
class SuppressionTaste:
    """What makes a cell a good one to suppress; none of it matters to what is reached, only to how many it takes."""

    entered: float = 0.3
    """How bad it is to enter a combination that is rare."""
    left: float = 0.0
    """How bad it is to leave others behind in a combination that becomes rare."""
    wide: float = 3.0
    """How much better a cell of the column with most values is than one of that with fewest."""


@dataclass(frozen=True, eq=False)
class SuppressionPlan:
    """Which combinations must be frequent, as the loops read it."""

    arrays: tuple[Ints, Ints, Ints, Ints, Ints]
    span: int
    """How many combinations are possible."""

    @classmethod
    def of(cls, cards: Ints, needs: Mapping[int, int]) -> SuppressionPlan:
        """Plan for columns of so many codes; `needs` says for sizes of sets how frequent their combinations must be."""
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
    """Return for each column the sets that hold it, padded with -1."""
    lists = [np.flatnonzero((columns == c).any(axis=1)) for c in range(width)]
    found = np.full((width, max(map(len, lists)) + 1), -1, dtype=np.int64)
    for c, held in enumerate(lists):
        found[c, : len(held)] = held
    return found


def _describe_too_many(needs: Mapping[int, int]) -> str:
    return (
        f"HideColumns: there must be fewer than 2**62 combinations of {max(needs)} columns to count. Got more. "
        "Name fewer columns, a smaller l, or hierarchies whose first levels join more values."
    )


class CombinationCounts:
    """How often each combination occurs, kept true while cells change."""

    def __init__(self, cells: Ints, weight: Ints, plan: SuppressionPlan):
        announce_compilation()
        from shoal.methods.tables._kernels import suppression

        self.loops, self.cells, self.weight, self.plan = suppression, cells, weight, plan
        self.recount()

    def recount(self) -> None:
        """Count everything from the cells."""
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
        """Run a loop that stops where the table is full, and let the table grow there."""
        at = loop(0)
        while at < (len(self.cells) if total is None else total):
            keys = np.full(2 * len(self.keys), -1, dtype=np.int64)
            counts = np.zeros(len(keys), dtype=np.int32)
            self.loops.move_counts(self.keys, self.counts, keys, counts, self.filled)
            self.keys, self.counts = keys, counts
            at = loop(at)

    def suppress(self, order: Ints, taste: SuppressionTaste, likes: Floats) -> tuple[int, int]:
        """Run one round; return how many cells were suppressed, and how many rows had a rare combination."""
        told, scoring = np.zeros(2, dtype=np.int64), np.array([taste.entered, taste.left])
        self._run_to_end(
            lambda at: self.loops.suppress_round(
                self.cells, self.weight, order, *self._state, scoring, taste.wide * likes, at, told
            ),
            len(order),
        )
        return int(told[0]), int(told[1])

    def restore(self, before: Ints, order: Ints) -> int:
        """Give cells back; return how many."""
        told = np.zeros(2, dtype=np.int64)
        self._run_to_end(
            lambda at: self.loops.restore_round(self.cells, before, self.weight, order, *self._state, at, told),
            len(order),
        )
        return int(told[0])

    def join(self) -> None:
        """Let others join each combination of nothing but missing cells that is rare: those who lose least."""
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
    """Return the cells with few of them suppressed, and how many combinations were looked up for it.

    `before` has a line per distinct row, and 0 where a cell is missing.

    >>> cells = np.array([[1, 1], [1, 2], [2, 1], [2, 3]])
    >>> suppress_cells(cells, np.array([5, 5, 5, 1]), {2: 5}, np.arange(4), SuppressionTaste())[0].tolist()
    [[0, 0], [1, 2], [2, 1], [0, 0]]
    """
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
    """Return how many cells of each column were suppressed.

    >>> count_missing_cells(np.array([[1, 2], [3, 0]]), np.array([[1, 0], [0, 0]]), np.array([5, 2])).tolist()
    [2, 5]
    """
    found: Ints = weight @ ((cells == 0) & (before != 0))
    return found
