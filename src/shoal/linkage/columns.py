"""Columns of a release and of the original, side by side: numeric columns as numbers, others as codes.

Records that agree in all columns are one point. They are compared once, so equal records get equal answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.core.grouping import group_columns, list_members_by_class
from shoal.data.arrays import Floats, Ints
from shoal.data.column import Column
from shoal.data.table import Table
from shoal.errors import BadParameter, must, notice


def check_names(who: str, columns: Any) -> tuple[str, ...] | None:
    """Return the columns as a tuple of names. None stands for all columns that the release and the original share."""
    if columns is None:
        return None
    names = tuple(columns) if not isinstance(columns, str) else ()
    good = names and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    must(good, who, "columns", "a list of different names, or None (all columns)", columns)
    return names


def find_shared_columns(who: str, release: Table, original: Table, columns: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns to compare: those given, or all that both tables have."""
    if columns is not None:
        for name in columns:
            _ = release[name], original[name]
        return tuple(columns)
    found = tuple(name for name in original if name in release)
    if not found:
        known = f"{release.heads or 'none'} in the release and {original.heads or 'none'} in the original"
        raise BadParameter(f"{who}: the release and the original must have columns in common. Got {known}.")
    return found


@dataclass(frozen=True, eq=False)
class RecordPoints:
    """The distinct records of one table."""

    numbers: Floats
    """One row per point, one column per numeric column; NaN is missing."""
    codes: Ints
    """One row per point, one column per other column."""
    of: Ints
    """The point of each individual."""
    many: Ints
    """The number of individuals at each point."""

    @cached_property
    def lines(self) -> tuple[Floats, Ints]:
        """The numbers and the codes, transposed: the layout that loops over all points need."""
        return np.ascontiguousarray(self.numbers.T), np.ascontiguousarray(self.codes.T)

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        return list_members_by_class(self.of)

    def list_individuals(self, points: Ints) -> Ints:
        """Return the individuals at any of the points, ascending."""
        members, bounds = self._members
        return np.sort(np.concatenate([members[bounds[p] : bounds[p + 1]] for p in points.tolist()]))


@dataclass(frozen=True, eq=False)
class ColumnComparison:
    """Two tables with the same columns, split into numeric and other columns."""

    numeric: tuple[str, ...]
    other: tuple[str, ...]
    original: RecordPoints
    release: RecordPoints
    """Only the records that were asked for."""

    @classmethod
    def of(
        cls, who: str, release: Table, original: Table, which: Ints, columns: Sequence[str] | None, *, constant: bool
    ) -> ColumnComparison:
        """Put the columns side by side. A constant column counts as numeric only if `constant` is True."""
        names = find_shared_columns(who, release, original, columns)
        # all records decide whether a column is numeric, not only those asked for
        numeric = tuple(name for name in names if _is_numeric(name, original[name], release[name], constant))
        other = tuple(name for name in names if name not in numeric)
        both = {name: original[name].followed_by(release[name]) for name in names}
        classes = group_columns(list(both.values()))

        def points(table: Table, rows: Ints, before: int) -> RecordPoints:
            _, first, of, many = np.unique(
                classes[before + rows], return_index=True, return_inverse=True, return_counts=True
            )
            numbers = [table[name].numbers(name)[rows[first]] for name in numeric]
            codes = [both[name][before + rows[first]] for name in other]
            return RecordPoints(
                _stack_rows(numbers, len(first), np.float64), _stack_rows(codes, len(first), np.int32), of, many
            )

        return cls(numeric, other, points(original, np.arange(original.n), 0), points(release, which, original.n))

    def measure_spread(self, how: str) -> Floats:
        """Return the range or standard deviation of each numeric column of the original, without missing values."""
        values = self.original.numbers[self.original.of]
        if how == "deviation":
            return np.asarray(np.nanstd(values, axis=0), dtype=np.float64)
        with np.errstate(over="ignore"):
            return np.asarray(np.nanmax(values, axis=0) - np.nanmin(values, axis=0), dtype=np.float64)


def _stack_rows(columns: list[Any], n: int, kind: Any) -> Any:
    """Return columns as a matrix, also if there are none."""
    return np.ascontiguousarray(np.column_stack(columns), dtype=kind) if columns else np.empty((n, 0), dtype=kind)


def _is_numeric(name: str, original: Column, release: Column, constant: bool) -> bool:
    """Return whether a column is compared as numbers."""
    numbers = [column.is_numeric for column in (original, release)]
    if any(numbers) and not all(numbers) and len(original.occurring) and len(release.occurring):
        where = "original" if numbers[0] else "release"
        notice(f"Column {name!r} is numeric only in the {where}: its values are compared for equality.")
    return all(numbers) and (constant or len(original.occurring) > 1)
