"""Recoding of rare values: they are generalized until they are frequent, and the others stay at a common level.

Letters: j is the level of the frequent values; a value with fewer than t records is rare. A *place* is a distinct value
of the column (see :mod:`shoal.methods.tables.ladders`), and its *height* is the level at which it is published.
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
"""The factor between one t and the next."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """One way to publish a column."""

    rungs: Rungs
    level: int
    """j"""
    heights: Ints
    """The height of each place."""
    cells: Ints
    """The code of each place at the level of its height; MISSING if it is published as missing."""

    @cached_property
    def codes(self) -> Ints:
        """For each place the number of its published value, from 1; 0 for missing."""
        keys = _number_places(self.cells, self.heights, self.rungs)
        used = np.zeros(int(keys.max()) + 1, dtype=np.bool_)
        used[keys] = True
        used[0] = False
        return np.where(keys == 0, 0, np.cumsum(used)[keys])

    @cached_property
    def lost(self) -> Floats:
        """The loss of a cell with each code: the share of the other values that are published as the same value."""
        return np.maximum(np.bincount(self.codes) - 1, 0) / max(1, self.rungs.places - 1)

    @cached_property
    def loss(self) -> float:
        """The total loss of the column."""
        return float(self.lost[self.codes] @ self.rungs.often)

    @property
    def recoded(self) -> int:
        """The number of cells whose published value covers several values."""
        return int(self.rungs.often[self.lost[self.codes] > 0].sum())

    @property
    def labels(self) -> list[Any]:
        """The published values of the codes from 1 on."""
        first = np.zeros(int(self.codes.max()) + 1, dtype=np.int64)
        first[self.codes] = np.arange(len(self.codes))
        return [self.rungs.levels[self.heights[place]].values[self.cells[place]] for place in first[1:].tolist()]


def list_recodings(rungs: Rungs, least: int) -> list[Recoding]:
    """Return ways to publish a column, least loss first.

    At height j or above, each value should occur t times, for several t from `least` on. Some values may still be rarer
    than `least` at the last level. One way leaves them as they are; another adds the rarest other values to them.

    >>> from shoal.data.column import Column
    >>> from shoal.data.hierarchy import Hierarchy
    >>> column = Column.of(["a"] * 5 + ["b"] * 2 + ["c"])
    >>> ways = list_recodings(Rungs.of(column, Hierarchy.of({"a": ["other"], "b": ["other"], "c": ["other"]})), 2)
    >>> [way.labels for way in ways]
    [['a', 'b', 'c'], ['a', 'other'], ['other']]
    """
    lines = np.stack([level.codes for level in rungs.levels])
    if len(rungs.levels[-1].values) == 1 and len(lines) > 1:
        lines[-1] = 0  # a single label also covers missing values
    found: dict[bytes, Recoding] = {}
    for j in range(len(lines)):
        for t in _list_thresholds(least, len(rungs.at)):
            lifted = _lift_rare(lines, rungs, j, t)
            for heights in (lifted, _join_rarest(lines, rungs, lifted, least)):
                heights[_find_alone(lines, rungs, heights)] = 0  # a place that merges with no other keeps its value
                way = Recoding(rungs, j, heights, lines[heights, np.arange(rungs.places)])
                found.setdefault(heights.tobytes(), way)
    return sorted(found.values(), key=lambda way: way.loss)


def _list_thresholds(least: int, n: int) -> Iterator[int]:
    t = least
    while t <= n:
        yield t
        t *= STEP


def _number_places(cells: Ints, heights: Ints, rungs: Rungs) -> Ints:
    """Return a number for each place; two are equal if and only if their published values are. Missing is 0."""
    starts = np.cumsum([1, *(len(level.values) for level in rungs.levels)])
    return np.where(cells == MISSING, 0, starts[heights] + cells)


def _count_together(lines: Ints, rungs: Rungs, heights: Ints) -> tuple[Ints, Ints]:
    """Return the key of each place, and the number of records with this key."""
    keys = _number_places(lines[heights, np.arange(rungs.places)], heights, rungs)
    totals = np.bincount(keys, weights=rungs.often).astype(np.int64)
    return keys, totals[keys]


def _find_alone(lines: Ints, rungs: Rungs, heights: Ints) -> Bools:
    """Return which places share their published value with no other place."""
    keys, _ = _count_together(lines, rungs, heights)
    alone: Bools = np.bincount(keys)[keys] == 1
    return alone


def _lift_rare(lines: Ints, rungs: Rungs, j: int, t: int) -> Ints:
    """Return the height of each place: j, or the first level above where its value occurs t times, or the last."""
    heights = np.full(rungs.places, j, dtype=np.int16)
    for level in range(j + 1, len(lines)):
        _, totals = _count_together(lines, rungs, heights)
        heights[(totals < t) & (heights == level - 1)] = level
    return heights


def _join_rarest(lines: Ints, rungs: Rungs, heights: Ints, least: int) -> Ints:
    """If the last level is a single label with too few records, generalize the rarest other values to it."""
    last = len(lines) - 1
    heights = heights.copy()
    while (lines[last] == 0).all() and 0 < rungs.often[heights == last].sum() < least and (heights < last).any():
        keys, totals = _count_together(lines, rungs, heights)
        others = np.flatnonzero(heights < last)
        rarest = keys[others[totals[others].argmin()]]
        heights[keys == rarest] = last
    return heights
