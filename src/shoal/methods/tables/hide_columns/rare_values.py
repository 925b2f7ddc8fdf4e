"""Rare values of a column go up its hierarchy until they are frequent; the others stay on a level chosen for all.

Letters: j is the level of the frequent values; t is how many records a value must have not to be rare. A place is a
distinct value of the column (see :mod:`.ladders`), and its height is the level at which it is published.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.data.arrays import Bools, Floats, Ints
from shoal.data.column import MISSING
from shoal.methods.tables.ladders import Rungs

STEP = 8
"""How much larger the next t is that is tried."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """One way to publish a column."""

    rungs: Rungs
    level: int
    """j"""
    heights: Ints
    """The height of each place."""
    cells: Ints
    """The code of each place on the level of its height; MISSING where missing is published."""

    @cached_property
    def codes(self) -> Ints:
        """For each place a number of what is published for it, from 1; 0 where that is missing."""
        keys = _number_places(self.cells, self.heights, self.rungs)
        used = np.zeros(int(keys.max()) + 1, dtype=np.bool_)
        used[keys] = True
        used[0] = False
        return np.where(keys == 0, 0, np.cumsum(used)[keys])

    @cached_property
    def lost(self) -> Floats:
        """For each code what a cell loses that has it: the share of the other values that are published alike."""
        return np.maximum(np.bincount(self.codes) - 1, 0) / max(1, self.rungs.places - 1)

    @cached_property
    def loss(self) -> float:
        """What all cells of the column lose together."""
        return float(self.lost[self.codes] @ self.rungs.often)

    @property
    def recoded(self) -> int:
        """How many cells are published together with other values."""
        return int(self.rungs.often[self.lost[self.codes] > 0].sum())

    @property
    def labels(self) -> list[Any]:
        """What the codes from 1 on stand for."""
        first = np.zeros(int(self.codes.max()) + 1, dtype=np.int64)
        first[self.codes] = np.arange(len(self.codes))
        return [self.rungs.levels[self.heights[place]].values[self.cells[place]] for place in first[1:].tolist()]


def list_recodings(rungs: Rungs, least: int) -> list[Recoding]:
    """Return ways to publish a column, those that lose least first.

    At height j, or above, each value should occur t times, for several t from `least` on. Values that are still rarer
    than `least` on the last level stay so in one way, and the rarest others join them in another.

    >>> from shoal.data.column import Column
    >>> from shoal.data.hierarchy import Hierarchy
    >>> column = Column.of(["a"] * 5 + ["b"] * 2 + ["c"])
    >>> ways = list_recodings(Rungs.of(column, Hierarchy.of({"a": ["other"], "b": ["other"], "c": ["other"]})), 2)
    >>> [way.labels for way in ways]
    [['a', 'b', 'c'], ['a', 'other'], ['other']]
    """
    lines = np.stack([level.codes for level in rungs.levels])
    if len(rungs.levels[-1].values) == 1 and len(lines) > 1:
        lines[-1] = 0  # one label for all is one for the missing, too
    found: dict[bytes, Recoding] = {}
    for j in range(len(lines)):
        for t in _list_thresholds(least, len(rungs.at)):
            lifted = _lift_rare(lines, rungs, j, t)
            for heights in (lifted, _join_rarest(lines, rungs, lifted, least)):
                heights[_find_alone(lines, rungs, heights)] = 0  # who is published alone may be published as it is
                way = Recoding(rungs, j, heights, lines[heights, np.arange(rungs.places)])
                found.setdefault(heights.tobytes(), way)
    return sorted(found.values(), key=lambda way: way.loss)


def _list_thresholds(least: int, n: int) -> Iterator[int]:
    t = least
    while t <= n:
        yield t
        t *= STEP


def _number_places(cells: Ints, heights: Ints, rungs: Rungs) -> Ints:
    """Return a number for each place, equal exactly where the same is published; 0 for missing."""
    starts = np.cumsum([1, *(len(level.values) for level in rungs.levels)])
    return np.where(cells == MISSING, 0, starts[heights] + cells)


def _count_together(lines: Ints, rungs: Rungs, heights: Ints) -> tuple[Ints, Ints]:
    """Return the keys of the places, and how many records share the key of each."""
    keys = _number_places(lines[heights, np.arange(rungs.places)], heights, rungs)
    totals = np.bincount(keys, weights=rungs.often).astype(np.int64)
    return keys, totals[keys]


def _find_alone(lines: Ints, rungs: Rungs, heights: Ints) -> Bools:
    """Tell which places are published like no other."""
    keys, _ = _count_together(lines, rungs, heights)
    alone: Bools = np.bincount(keys)[keys] == 1
    return alone


def _lift_rare(lines: Ints, rungs: Rungs, j: int, t: int) -> Ints:
    """Return the height of each place: j, or the first above at which it is published t times, or the last."""
    heights = np.full(rungs.places, j, dtype=np.int16)
    for level in range(j + 1, len(lines)):
        _, totals = _count_together(lines, rungs, heights)
        heights[(totals < t) & (heights == level - 1)] = level
    return heights


def _join_rarest(lines: Ints, rungs: Rungs, heights: Ints, least: int) -> Ints:
    """Let the rarest others join those on the last level while these are too few, where it has one label for all."""
    last = len(lines) - 1
    heights = heights.copy()
    while (lines[last] == 0).all() and 0 < rungs.often[heights == last].sum() < least and (heights < last).any():
        keys, totals = _count_together(lines, rungs, heights)
        others = np.flatnonzero(heights < last)
        rarest = keys[others[totals[others].argmin()]]
        heights[keys == rarest] = last
    return heights
