"""Mixed columns: numbers where every value is one, categories else, and how far two records are apart.

Two records are apart by the squares of the differences of their numbers, each column divided by its standard deviation,
and by 1 for each category in which they differ. A missing number is 1 from any number and 0 from a missing one; a
missing category is a category.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from shoal.data.column import Column, Floats
from shoal.data.graph import Ints
from shoal.data.table import MISSING, Table
from shoal.engines.local.grouping import members_by_class
from shoal.engines.local.pool import announce_compilation

Kind = Literal["mean", "median", "mode"]
"""What stands for a class; categories have only a mode."""


def holds_numbers(column: Column) -> bool:
    """Tell whether there are values and each is an int or a float; whether they are finite is asked elsewhere.

    >>> holds_numbers(Column.of([1, None, float("inf")])), holds_numbers(Column.of([1, "1"]))
    (True, False)
    """
    kinds = {type(column.values[code]) for code in column.occurring.tolist()}
    return bool(kinds) and kinds <= {int, float}


def is_whole(column: Column) -> bool:
    """Tell whether every value is an int."""
    return all(type(column.values[code]) is int for code in column.occurring.tolist())


def number_column(numbers: Floats, like: Column) -> Column:
    """Return numbers as a column; where `like` holds ints, those that are whole are ints again.

    >>> number_column(np.array([2.0, 2.5, np.nan]), Column.of([1, 2, 3])).values
    (2, 2.5)
    """
    column = Column.from_numbers(numbers)
    if not is_whole(like):
        return column
    return Column(column.codes, tuple(int(value) if value.is_integer() else value for value in column.values))


@dataclass(frozen=True, eq=False)
class Mixed:
    """Some columns of a table, each read once."""

    table: Table
    names: tuple[str, ...]

    @cached_property
    def numbers(self) -> dict[str, Floats]:
        """The columns that hold numbers, NaN where missing; infinities are refused."""
        return {name: self.table[name].numbers(name) for name in self.names if holds_numbers(self.table[name])}

    @cached_property
    def categories(self) -> dict[str, Column]:
        """The other columns."""
        return {name: self.table[name] for name in self.names if name not in self.numbers}

    @cached_property
    def deviation(self) -> dict[str, float]:
        """The standard deviation of each column of numbers; 1 where all are the same, which changes no distance."""
        return {name: _deviation(x) for name, x in self.numbers.items()}

    @cached_property
    def space(self) -> tuple[Floats, Ints, Ints]:
        """The records as the loops read them: numbers by line, categories by line, and where their counts begin."""
        x = np.empty((len(self.numbers), self.table.n))
        for line, (name, numbers) in zip(x, self.numbers.items(), strict=True):
            np.divide(numbers, self.deviation[name], out=line)
            line -= np.nanmean(line)
        c = np.empty((len(self.categories), self.table.n), dtype=np.int64)
        for codes, column in zip(c, self.categories.values(), strict=True):
            codes[:] = np.where(column.codes == MISSING, len(column.values), column.codes)
        sizes = [len(column.values) + 1 for column in self.categories.values()]
        return x, c, np.cumsum([0, *sizes])

    def of_classes(self, codes: Ints, kind: Kind) -> dict[str, Column]:
        """Return one cell per class and column: the mean or median of the numbers, the most frequent of the others.

        What is missing is left out unless nothing else is there. Of values that are equally frequent the first in
        the order of the column's values stands.
        """
        announce_compilation()
        from shoal.engines.local.kernels import clusters as loops

        order, bounds = members_by_class(codes)
        found = {}
        for name in self.names:
            column, x = self.table[name], self.numbers.get(name)
            if x is None or kind == "mode":
                mode = np.empty(len(bounds) - 1, dtype=np.int64)
                loops.modes(column.codes, order, bounds, mode)
                found[name] = Column(mode, column.values)
                continue
            middle = np.empty(len(bounds) - 1)
            if kind == "median":
                loops.medians(x, order, bounds, middle)
            else:
                loops.moments(x, order, bounds, middle, np.empty_like(middle))
            found[name] = number_column(middle, column)
        return found

    def loss(self, after: Table) -> float:
        """Return SSE/SST: how far records are from what is published for them, per how far from one center of all.

        0 where nothing changed, also if all records are the same.
        """
        everywhere = np.zeros(self.table.n, dtype=np.int64)
        whole = self.of_classes(everywhere, "mean")
        error = sum(self._apart(name, after[name]) for name in self.names)
        total = sum(self._apart(name, whole[name].take(everywhere)) for name in self.names)
        return error / total if total > 0 else 0.0

    def _apart(self, name: str, other: Column) -> float:
        if name not in self.numbers:
            codes = self.table[name].followed_by(other)
            return float(np.count_nonzero(codes[: self.table.n] != codes[self.table.n :]))
        x, y = self.numbers[name], other.numbers(name)
        squares = ((x - y) / self.deviation[name]) ** 2
        one_missing, both = np.isnan(x) != np.isnan(y), np.isnan(x) & np.isnan(y)
        return float(np.where(one_missing, 1.0, np.where(both, 0.0, squares)).sum())


def _deviation(x: Floats) -> float:
    if np.nanmin(x) == np.nanmax(x):
        return 1.0
    largest = float(np.nanmax(np.abs(x)))  # squares of what is at most 1 do not overflow
    return (float(np.nanstd(x / largest)) * largest) or 1.0


def told_apart(mixed: Mixed) -> tuple[str, ...]:
    """Say which columns hold numbers beside other things and so were read as categories."""
    return tuple(
        f"The column {name!r} holds numbers and other things, so that its values are compared, not averaged."
        for name, column in mixed.categories.items()
        if any(_is_number(column.values[code]) for code in column.occurring.tolist())
    )


def _is_number(value: Any) -> bool:
    return type(value) in {int, float}
