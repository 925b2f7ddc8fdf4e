"""The values of a column at each level of its hierarchy. The hierarchy is given, or made from the column.

A *place* is a distinct value of the column. If cells are missing, missing is one of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.data.arrays import Bools, Floats, Ints
from shoal.data.column import MISSING, Column
from shoal.data.encode import renumber_codes
from shoal.data.hierarchy import Hierarchy
from shoal.errors import BadParameter, did_you_mean, list_names
from shoal.io.hierarchies import read_hierarchy

STAR = "*"
"""The published value of a suppressed cell."""


@dataclass(frozen=True, eq=False)
class Rungs:
    """A column as places, and the published value of each place at each level."""

    at: Ints
    """The place of each record."""
    levels: tuple[Column, ...]
    """One column per level, with a cell per place. The first holds the values themselves."""

    @classmethod
    def of(cls, column: Column, hierarchy: Hierarchy) -> Rungs:
        """Read a column at every level of its hierarchy."""
        there = np.zeros(len(column.values) + 1, dtype=np.bool_)
        there[column.codes] = True  # the last entry is MISSING
        places = np.flatnonzero(there)
        found = hierarchy.levels(column)
        levels = tuple(Column(codes[places], labels) for codes, labels in zip(found.codes, found.labels, strict=True))
        return cls((np.cumsum(there) - 1)[column.codes], levels)

    @property
    def places(self) -> int:
        """The number of distinct values, missing included."""
        return len(self.levels[0])

    @cached_property
    def often(self) -> Ints:
        """The number of records at each place."""
        return np.bincount(self.at, minlength=self.places)

    def column(self, level: int, hidden: Any = None) -> Column:
        """Return the whole column at a level, with STAR in the `hidden` cells."""
        short = self.levels[level]
        codes, values = short.codes[self.at], short.values
        if hidden is not None:
            star = next((code for code, value in enumerate(values) if value == STAR), len(values))
            codes, values = np.where(hidden, star, codes), (*values, STAR)[: max(len(values), star + 1)]
        return renumber_codes(codes, values)


def parse_hierarchies(given: Any, who: str) -> dict[str, Any] | None:
    """Return the given hierarchies by column, with paths as strings."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise BadParameter(f"{who}: 'hierarchies' must map columns to hierarchies. Got a {type(given).__name__}.")
    for name, one in given.items():
        if not isinstance(name, str) or not isinstance(one, Hierarchy | Mapping | str | os.PathLike):
            raise BadParameter(
                f"{who}: 'hierarchies' must map columns to hierarchies, paths or dictionaries. "
                f"Got {name!r:.60}: a {type(one).__name__}."
            )
    return {name: os.fspath(one) if isinstance(one, os.PathLike) else one for name, one in given.items()}


def build_hierarchies(given: Mapping[str, Any] | None, names: tuple[str, ...], who: str) -> dict[str, Hierarchy]:
    """Read and build the given hierarchies. Each must belong to one of the columns."""
    for name in given or {}:
        if name not in names:
            hint = did_you_mean(name, names)
            raise BadParameter(
                f"{who}: 'hierarchies' must be for the columns {list_names(names)}. Got one for {name!r}.{hint}"
            )
    return {name: _build_hierarchy(one) for name, one in (given or {}).items()}


def read_rungs(name: str, column: Column, hierarchy: Hierarchy, who: str) -> Rungs:
    """Read a column at every level of its hierarchy, which must contain all of its values."""
    try:
        return Rungs.of(column, hierarchy)
    except BadParameter as error:
        raise BadParameter(f"{who}: the hierarchy of {name!r} must hold all values of the column. {error}") from error


def make_hierarchy(name: str, column: Column) -> tuple[Hierarchy, str]:
    """Return a hierarchy made from a column, and a name for its kind.

    >>> make_hierarchy("sex", Column.of(["f", "m"]))[1], make_hierarchy("age", Column.of([33, None]))[1]
    ('a value or *', 'intervals')
    """
    if column.is_numeric:
        return Hierarchy.intervals(column, name=name), "intervals"
    return Hierarchy.flat(column), "a value or *"


def _build_hierarchy(given: Any) -> Hierarchy:
    if isinstance(given, Hierarchy):
        return given
    if isinstance(given, str):
        return read_hierarchy(given)
    return Hierarchy.of(read_tree(given) if is_tree(given) else given)


def is_tree(given: Mapping[Any, Any]) -> bool:
    """Return whether this is a tree from the top down, not a mapping of values to their generalizations.

    >>> is_tree({"Europe": ["fr", "de"]}), is_tree({"fr": ("Europe",), "de": ("Europe",)})
    (True, False)
    """
    return any(isinstance(below, Mapping | list | set | frozenset) for below in given.values())


def read_tree(tree: Mapping[Any, Any]) -> dict[Any, tuple[Any, ...]]:
    """Return the generalizations of each leaf of a tree, level by level. A leaf higher up keeps its value longer.

    >>> read_tree({"Europe": {"west": ["fr"], "east": ["pl"]}, "Asia": ["jp"]})
    {'fr': ('west', 'Europe', '*'), 'pl': ('east', 'Europe', '*'), 'jp': ('jp', 'Asia', '*')}
    """
    top = (STAR,) if len(tree) > 1 else ()
    paths = [(leaf, (*above, *top)) for leaf, above in _list_leaves(tree)]
    deepest = max((len(above) for _, above in paths), default=0)
    found: dict[Any, tuple[Any, ...]] = {}
    for leaf, above in paths:
        if leaf in found:
            raise BadParameter(f"A tree of values must contain each value once. Got {leaf!r:.60} twice.")
        found[leaf] = (leaf,) * (deepest - len(above)) + above
    return found


def _list_leaves(tree: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield each leaf with the labels above it, nearest first."""
    for label, below in tree.items():
        if isinstance(below, Mapping):
            yield from ((leaf, (*above, label)) for leaf, above in _list_leaves(below))
        else:
            held: Iterable[Any] = below if isinstance(below, list | set | frozenset | tuple) else [below]
            yield from ((leaf, (label,)) for leaf in held)


# Recoding of rare values: they are generalized until they are frequent, and the others stay at a common level.
#
# Letters: j is the level of the frequent values; a value with fewer than t records is rare. The *height* of a place is
# the level at which it is published.

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
