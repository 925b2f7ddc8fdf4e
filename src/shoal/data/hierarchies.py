"""Hierarchies: for each value of a column its generalizations, from the value itself to the coarsest.

Level 0 is the value, the last level is the coarsest, usually "*" for all. Two values that share a generalization
share all higher ones, so that a level merges whole groups, as global recoding asks (Samarati 2001).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.data import widths as interval_widths
from shoal.data.column import MISSING, Codes, Column, exact, is_missing
from shoal.data.delimited import tell_trimmed
from shoal.data.files import existing, kind_of
from shoal.data.incoming import renumbered
from shoal.data.numerals import bare_number
from shoal.data.spelling import number
from shoal.data.written import Rows, text_in
from shoal.errors import BadFile, BadParameter, did_you_mean, must, whole

ALL = "*"
"""What stands for every value, the missing ones too."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The generalizations of a column's values, as codes."""

    codes: Codes
    """A row per level; entry i is that of the column's value i, and the last one that of a missing value."""
    labels: tuple[tuple[Any, ...], ...]
    """What the codes of each level stand for."""

    @property
    def depth(self) -> int:
        """How many levels there are, the values themselves included."""
        return len(self.labels)


@dataclass(frozen=True)
class Hierarchy:
    """Generalizations by value and level.

    A missing value stays missing on every level but one on which all is "*", unless None is among the values.

    Examples
    --------
    >>> city = Hierarchy.of({"Oslo": ("Norway", "*"), "Bergen": ("Norway", "*"), "Lund": ("Sweden", "*")})
    >>> column = Column.of(["Lund", "Oslo", None])
    >>> [list(city.recoded(column, level)) for level in range(city.depth)]
    [['Lund', 'Oslo', None], ['Sweden', 'Norway', None], ['*', '*', '*']]
    """

    values: tuple[Any, ...]
    """The values of level 0."""
    generalizations: tuple[tuple[Any, ...], ...]
    """Level by level from 1, the generalization of each value."""

    def __post_init__(self) -> None:
        must(self.generalizations, "Hierarchy", "generalizations", "one level or more", self.generalizations)
        for labels in self.generalizations:
            must(len(labels) == len(self.values), "Hierarchy", "generalizations", "one per value and level", labels)
        must(len(self._known) == len(self.values), "Hierarchy", "values", "all different", self.values)
        _check_nested(self.values, self.generalizations)

    @classmethod
    def of(cls, generalizations: Mapping[Any, Sequence[Any]]) -> Hierarchy:
        """Build a hierarchy from the generalizations of each value, finest first."""
        what = "a mapping from values to generalizations"
        must(isinstance(generalizations, Mapping), "Hierarchy.of", "generalizations", what, generalizations)
        rows = {value: (row,) if isinstance(row, str) else tuple(row) for value, row in generalizations.items()}
        for value, row in rows.items():
            problem = _problem(row, len(next(iter(rows.values()))))
            if problem:
                raise BadParameter(f"Hierarchy: {problem} Look at the value {value!r}.")
        must(rows, "Hierarchy.of", "generalizations", what, generalizations)
        return cls(tuple(rows), tuple(zip(*rows.values(), strict=True)))

    @classmethod
    def flat(cls, column: Column) -> Hierarchy:
        """Build the hierarchy of two levels: the values of a column, and "*".

        >>> Hierarchy.flat(Column.of(["f", "m"])).generalizations
        (('*', '*'),)
        """
        values = renumbered(column.codes, column.values).values
        return cls(values, ((ALL,) * len(values),))

    @classmethod
    def intervals(cls, column: Column, widths: Sequence[float] | None = None, name: str = "") -> Hierarchy:
        """Build nested intervals over the numbers of a column, with "*" above them.

        Intervals begin at multiples of their width. Whole numbers are labeled "20-24", others "[1.5, 2)".

        Parameters
        ----------
        column
            Numbers; some may be missing.
        widths
            The width of each level, each a multiple of the one before. If not given: a round width that makes 33
            intervals at most, then its doubles up to the range of the numbers.
        name
            What the column is called, for messages.

        Examples
        --------
        >>> ages = Column.of([17, 38, 90])
        >>> hierarchy = Hierarchy.intervals(ages)
        >>> [list(hierarchy.recoded(ages, level)) for level in (1, 2, 3)]
        [['15-19', '35-39', '90-94'], ['10-19', '30-39', '90-99'], ['0-19', '20-39', '80-99']]
        """
        if not column.is_numeric:
            column.numbers(name)
        values = renumbered(column.codes, column.values).values
        levels = interval_widths.labels(values, widths)
        return cls(values, (*levels, (ALL,) * len(values)))

    @property
    def depth(self) -> int:
        """How many levels there are, the values themselves included."""
        return len(self.generalizations) + 1

    def levels(self, column: Column) -> Levels:
        """Return the levels of a column's values as codes: `levels.codes[j][column.codes]` is the column on level j."""
        rows = np.full(len(column.values) + 1, MISSING, dtype=np.int64)
        rows[:-1] = self._rows(column)
        rows[-1] = next((row for row, value in enumerate(self.values) if is_missing(value)), MISSING)
        found = [(np.append(np.arange(len(column.values)), MISSING), column.values)]
        found += [self._level(labels, rows) for labels in self.generalizations]
        return Levels(np.stack([codes for codes, _ in found]), tuple(labels for _, labels in found))

    def recoded(self, column: Column, level: int) -> Column:
        """Return a column on a level of the hierarchy."""
        level = whole(level, "Hierarchy.recoded", "level", 0)
        must(level < self.depth, "Hierarchy.recoded", "level", f"{self.depth - 1} or less", level)
        levels = self.levels(column)
        return renumbered(levels.codes[level][column.codes], levels.labels[level])

    def _level(self, labels: tuple[Any, ...], rows: Codes) -> tuple[Codes, tuple[Any, ...]]:
        coded = Column.of(labels)
        codes = np.append(coded.codes, MISSING)[rows]
        if coded.values == (ALL,):
            codes[-1] = 0
        return codes, coded.values

    def _rows(self, column: Column) -> list[int]:
        """Return the row of each value of a column; one that occurs must have a row."""
        if column.values is self.values:  # made from this column
            return list(range(len(self.values)))
        rows = [self._row(value) for value in column.values]
        lacking = [column.values[code] for code in column.occurring.tolist() if rows[code] == MISSING]
        if lacking:
            more = f" and {len(lacking) - 1:,} others" if len(lacking) > 1 else ""
            raise BadParameter(
                "Hierarchy: each value of the column must have its generalizations. "
                f"Got none for {lacking[0]!r:.60}{more}."
                f"{did_you_mean(lacking[0], self.values)}"
            )
        return rows

    def _row(self, value: Any) -> int:
        """Find a value as it is, or by its spelling, or as the number that a text spells."""
        row = self._known.get(exact(value))
        if row is None:
            row = self._spelled.get(str(value))
        return self._numbers.get(exact(bare_number(value)), MISSING) if row is None else row

    @cached_property
    def _known(self) -> dict[Any, int]:
        return {exact(value): row for row, value in enumerate(self.values)}

    @cached_property
    def _spelled(self) -> dict[str, int]:
        """The rows by the spelling of their values; where two are spelled alike, that of the text."""
        others = {str(value): row for row, value in enumerate(self.values) if not is_missing(value)}
        return others | {value: row for row, value in enumerate(self.values) if isinstance(value, str)}

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        """The rows by the number that their text spells, unless two of them spell it ("25" and "25.0")."""
        found: dict[Any, int] = {}
        for row, value in enumerate(self.values):
            key = exact(number(value) if isinstance(value, str) else bare_number(value))
            found[key] = MISSING if key in found else row
        return found


def _problem(row: tuple[Any, ...], width: int) -> str | None:
    """Say what is wrong with the generalizations of a value, if anything is."""
    if len(row) != width or not row:
        return f"each value must have as many generalizations as the first ({width}), at least one. Got {len(row)}."
    if any(is_missing(label) or label == "" for label in row):
        return f"a generalization must not be empty. Got {row!r:.80}."
    return None


def _check_nested(values: tuple[Any, ...], generalizations: tuple[tuple[Any, ...], ...]) -> None:
    """Refuse two values that part again above a generalization they share."""
    coded = [Column.of(labels) for labels in generalizations]
    for level, (below, above) in enumerate(pairwise(coded), 1):
        first = np.empty(len(below.values), dtype=np.int64)
        first[below.codes[::-1]] = np.arange(len(values) - 1, -1, -1)  # backwards: the first row is written last
        apart = np.flatnonzero(above.codes != above.codes[first[below.codes]])
        if len(apart):
            a, b = int(first[below.codes[apart[0]]]), int(apart[0])
            raise BadParameter(
                f"Hierarchy: values that share a generalization must share all higher ones. {values[a]!r} and "
                f"{values[b]!r} are both {below[b]!r} on level {level}, but {above[a]!r} and {above[b]!r} on level "
                f"{level + 1}. Give one of the two groups another name."
            )


def read_hierarchy(path: str | os.PathLike[str], *, separator: str = ";") -> Hierarchy:
    r"""Return the hierarchy in a file as ARX writes it: a row per value, the value first, its generalizations after it.

    Values are matched to those of a column by their spelling: `25` is the number 25 or the text "25". An empty first
    cell is the row of missing values. Blanks around a cell are dropped and counted by a notice; quotes keep them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "age.csv")
    ...     _ = file.write_text("17;10-19;*\n18;10-19;*\n25;20-29;*\n")
    ...     hierarchy = read_hierarchy(file)
    >>> hierarchy.depth, list(hierarchy.recoded(Column.of([25, 17]), 1))
    (3, ['20-29', '10-19'])
    """
    found = existing(path)
    text = text_in(found, kind_of(found, "csv").compression, "a hierarchy").decode()
    rows: dict[str | None, tuple[str, ...]] = {}
    lines: dict[str | None, int] = {}
    trimmed = 0
    for record in Rows(found, separator, "").records(text.removesuffix("\n").split("\n")):
        value, labels = record.cells[0] or None, tuple(record.cells[1:])
        where = f"{found}, line {record.line:,}"
        if value in rows:
            raise BadFile(f"{where}: each value must have one row. Got {value!r} again, after line {lines[value]:,}.")
        rows[value], lines[value] = labels, record.line
        trimmed += len(record.trimmed)
        problem = _problem(labels, len(next(iter(rows.values()))))
        if problem:
            raise BadFile(f"{where}: {problem}{_hint(record.cells, separator)}")
    tell_trimmed(found, "cells", trimmed)
    try:
        return Hierarchy.of(rows)
    except BadParameter as error:
        raise BadFile(f"{found}: {error}") from error


def _hint(cells: list[str], separator: str) -> str:
    other = next((mark for mark in ";,\t" if mark != separator and len(cells) == 1 and mark in cells[0]), None)
    return (
        f" Are the cells separated by {other!r}? Write semicolons, or say separator={other!r} to read_hierarchy."
        if other
        else ""
    )
