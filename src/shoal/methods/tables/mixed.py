"""Distances of records with numbers and categories (as in Domingo-Ferrer & Torra 2005).

A column holds numbers if every value is a number, else categories. The distance of two records is the sum of the
squared differences of their numbers, each column divided by its standard deviation, plus 1 for each different category.
A missing number has distance 1 from any number and 0 from a missing one. A missing category is a category.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from shoal.core.grouping import list_members_by_class
from shoal.data.arrays import Floats, Ints
from shoal.data.column import Column
from shoal.data.table import MISSING, Table

Kind = Literal["mean", "median", "mode"]
"""The representative of a class. Categories have only a mode."""


def holds_numbers(column: Column) -> bool:
    """Return whether a column has values and each is an int or a float, finite or not.

    >>> holds_numbers(Column.of([1, None, float("inf")])), holds_numbers(Column.of([1, "1"]))
    (True, False)
    """
    kinds = _list_kinds(column)
    return bool(kinds) and kinds <= {int, float}


def is_whole(column: Column) -> bool:
    """Return whether every value is an int."""
    return _list_kinds(column) <= {int}


def _list_kinds(column: Column) -> set[type]:
    """Return the types of the occurring values."""
    if len(column.occurring) == len(column.values):
        return set(map(type, column.values))
    return {type(column.values[code]) for code in column.occurring.tolist()}


def make_number_column(numbers: Floats, like: Column) -> Column:
    """Return numbers as a column. If `like` holds ints, whole numbers become ints.

    >>> make_number_column(np.array([2.0, 2.5, np.nan]), Column.of([1, 2, 3])).values
    (2, 2.5)
    """
    column = Column.from_numbers(numbers)
    if not is_whole(like):
        return column
    return Column(column.codes, tuple(int(value) if value.is_integer() else value for value in column.values))


@dataclass(frozen=True, eq=False)
class Mixed:
    """Some columns of a table."""

    table: Table
    """The table in canonical form: equal numbers have one code."""
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", self.table.canonical(self.names))

    @cached_property
    def numbers(self) -> dict[str, Floats]:
        """The columns that hold numbers, NaN for missing. Infinities raise an error."""
        return {name: self.table[name].numbers(name) for name in self.names if holds_numbers(self.table[name])}

    @cached_property
    def categories(self) -> dict[str, Column]:
        """The other columns."""
        return {name: self.table[name] for name in self.names if name not in self.numbers}

    @cached_property
    def deviation(self) -> dict[str, float]:
        """The standard deviation of each column of numbers; 1 if all are equal, which changes no distance."""
        return {name: _measure_deviation(x) for name, x in self.numbers.items()}

    @cached_property
    def space(self) -> tuple[Floats, Ints, Ints]:
        """The records for the compiled loops: lines of numbers, lines of categories, and offsets of their counts."""
        x = np.empty((len(self.numbers), self.table.n))
        for j, (name, numbers) in enumerate(self.numbers.items()):
            x[j] = numbers / self.deviation[name]
            x[j] -= np.nanmean(x[j])
        c = np.empty((len(self.categories), self.table.n), dtype=np.int64)
        for codes, column in zip(c, self.categories.values(), strict=True):
            codes[:] = np.where(column.codes == MISSING, len(column.values), column.codes)
        sizes = [len(column.values) + 1 for column in self.categories.values()]
        return x, c, np.cumsum([0, *sizes])

    def of_classes(self, codes: Ints, kind: Kind) -> dict[str, Column]:
        """Return one cell per class and column: the mean or median of numbers, the most frequent category.

        Missing values are ignored unless there are no others. Ties go to the first in the order of the column's values.
        """
        order, bounds = list_members_by_class(codes)
        return {
            name: summarize_classes(self.table[name], self.numbers.get(name), order, bounds, kind)
            for name in self.names
        }

    def loss(self, after: Table) -> float:
        """Return SSE/SST: the distances to the published records over the distances to the center of all records.

        It is 0 if nothing changed, also if all records are equal.
        """
        total = sum(self._measure_from_center(name) for name in self.names)
        return sum(self._measure_apart(name, after[name]) for name in self.names) / total if total > 0 else 0.0

    def expected_loss(self, lines: Floats, points: Floats, bounds: Ints) -> float:
        """Return the mean SSE/SST over all assignments of the points of each class to its members.

        Members and points are listed class by class, cut at `bounds`. The mean squared distance of a point and a member
        is the sum of their mean squared distances to their own means, plus the squared distance of the two means.
        """
        scale = np.array([self.deviation[name] for name in self.names])
        sizes = np.diff(bounds)[:, None]
        x, p = lines / scale, points / scale
        x_mean, p_mean = (np.add.reduceat(z, bounds[:-1], axis=0) / sizes for z in (x, p))
        inside = sum(((z - np.repeat(mean, sizes[:, 0], axis=0)) ** 2).sum() for z, mean in ((x, x_mean), (p, p_mean)))
        total = sum(self._measure_from_center(name) for name in self.names)
        return float((inside + (sizes * (x_mean - p_mean) ** 2).sum()) / total) if total > 0 else 0.0

    def _measure_from_center(self, name: str) -> float:
        """Return the summed distances of all records from the mean or the most frequent value."""
        if name in self.categories:
            counts = np.bincount(self.categories[name].codes + 1)  # the first entry counts missing values
            return float(self.table.n - max(counts[1:].max(initial=0), counts[0] * (counts[1:].sum() == 0)))
        z = self.numbers[name] / self.deviation[name]
        return float(np.where(np.isnan(z), 1.0, (z - np.nanmean(z)) ** 2).sum())

    def _measure_apart(self, name: str, other: Column) -> float:
        if name in self.categories:
            codes = self.table[name].followed_by(other)
            return float(np.count_nonzero(codes[: self.table.n] != codes[self.table.n :]))
        x, y = self.numbers[name] / self.deviation[name], other.numbers(name) / self.deviation[name]
        one_missing, both = np.isnan(x) != np.isnan(y), np.isnan(x) & np.isnan(y)
        return float(np.where(one_missing, 1.0, np.where(both, 0.0, (x - y) ** 2)).sum())


def summarize_classes(column: Column, x: Floats | None, order: Ints, bounds: Ints, kind: Kind) -> Column:
    """Return one cell per class of `order`, which is cut at `bounds`. `x` has the numbers; None for categories."""
    from shoal.methods.tables._kernels import records as loops

    if x is None or kind == "mode":
        mode = np.empty(len(bounds) - 1, dtype=np.int64)
        loops.modes(column.codes, order, bounds, mode)
        return Column(mode, column.values)
    middle = np.empty(len(bounds) - 1)
    if kind == "median":
        loops.medians(x, order, bounds, middle)
    else:
        loops.moments(x, order, bounds, middle, np.empty_like(middle))
    return make_number_column(middle, column)


def read_numbers(column: Column, members: Ints) -> Floats:
    """Return the numbers of a few rows, NaN for missing, without reading the others."""
    cells = (column[v] for v in members.tolist())
    return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)


def _measure_deviation(x: Floats) -> float:
    if np.nanmin(x) == np.nanmax(x):
        return 1.0
    largest = float(np.nanmax(np.abs(x)))  # squares of numbers up to 1 do not overflow
    return (float(np.nanstd(x / largest)) * largest) or 1.0


def describe_mixed_columns(mixed: Mixed) -> tuple[str, ...]:
    """Return notes on columns with numbers and other values, which are read as categories."""
    return tuple(
        f"The column {name!r} holds numbers and other values, so its values are compared, not averaged."
        for name, column in mixed.categories.items()
        if _list_kinds(column) & {int, float}
    )
