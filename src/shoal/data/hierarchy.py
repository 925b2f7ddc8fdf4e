"""Generalization hierarchies: the generalizations of each value of a column, level by level (Samarati 2001).

Level 0 is the value itself; the last level is the coarsest, usually "*" for every value. Values with the same
generalization have the same generalizations on all higher levels, as global recoding requires.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, pairwise
from math import isfinite
from typing import Any

import numpy as np

from shoal.data.column import MISSING, Codes, Column, exact, is_missing
from shoal.data.encode import renumber_codes
from shoal.data.numerals import strip_numeral
from shoal.data.spelling import parse_number
from shoal.errors import BadParameter, did_you_mean, must, whole

ALL = "*"
"""The generalization of every value, also of a missing one."""


@dataclass(frozen=True, eq=False)
class HierarchyLevels:
    """The generalizations of a column's values as codes."""

    codes: Codes
    """One row per level. Entry i is for the column's value i; the last entry is for a missing value."""
    labels: tuple[tuple[Any, ...], ...]
    """The labels of the codes, level by level."""

    @property
    def depth(self) -> int:
        """The number of levels, including level 0."""
        return len(self.labels)


@dataclass(frozen=True)
class Hierarchy:
    """Generalizations by value and level.

    A missing value stays missing on every level, except on a level where every label is "*". If None is among the
    values, it is generalized like any other value.

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
    """The generalization of each value, level by level from 1."""

    def __post_init__(self) -> None:
        must(self.generalizations, "Hierarchy", "generalizations", "one level or more", self.generalizations)
        for labels in self.generalizations:
            must(len(labels) == len(self.values), "Hierarchy", "generalizations", "one per value and level", labels)
        must(len(self._known) == len(self.values), "Hierarchy", "values", "all different", self.values)
        _check_nested(self.values, self.generalizations)

    @classmethod
    def of(cls, generalizations: Mapping[Any, Sequence[Any]]) -> Hierarchy:
        """Build a hierarchy from a mapping of each value to its generalizations, finest first."""
        what = "a mapping from values to generalizations"
        must(isinstance(generalizations, Mapping), "Hierarchy.of", "generalizations", what, generalizations)
        rows = {value: (row,) if isinstance(row, str) else tuple(row) for value, row in generalizations.items()}
        for value, row in rows.items():
            problem = find_problem(row, len(next(iter(rows.values()))))
            if problem:
                raise BadParameter(f"Hierarchy: {problem} Check the value {value!r}.")
        must(rows, "Hierarchy.of", "generalizations", what, generalizations)
        return cls(tuple(rows), tuple(zip(*rows.values(), strict=True)))

    @classmethod
    def flat(cls, column: Column) -> Hierarchy:
        """Build a hierarchy of two levels: the values of a column, and "*".

        >>> Hierarchy.flat(Column.of(["f", "m"])).generalizations
        (('*', '*'),)
        """
        values = renumber_codes(column.codes, column.values).values
        return cls(values, ((ALL,) * len(values),))

    @classmethod
    def intervals(cls, column: Column, widths: Sequence[float] | None = None, name: str = "") -> Hierarchy:
        """Build a hierarchy of nested intervals over a numeric column, with "*" on top.

        Intervals start at multiples of their width. Labels are "20-24" for whole numbers and "[1.5, 2)" for others.

        Parameters
        ----------
        column
            A column of numbers; cells may be missing.
        widths
            The width of each level, each a multiple of the one before. Default: a round width that makes at most 33
            intervals, then doubled up to the range of the numbers.
        name
            The name of the column, for messages.

        Examples
        --------
        >>> ages = Column.of([17, 38, 90])
        >>> hierarchy = Hierarchy.intervals(ages)
        >>> [list(hierarchy.recoded(ages, level)) for level in (1, 2, 3)]
        [['15-19', '35-39', '90-94'], ['10-19', '30-39', '90-99'], ['0-19', '20-39', '80-99']]
        """
        if not column.is_numeric:
            column.numbers(name)
        values = renumber_codes(column.codes, column.values).values
        levels = label_intervals(values, widths)
        return cls(values, (*levels, (ALL,) * len(values)))

    @property
    def depth(self) -> int:
        """The number of levels, including level 0."""
        return len(self.generalizations) + 1

    def levels(self, column: Column) -> HierarchyLevels:
        """Return the levels as codes: `levels.codes[j][column.codes]` is the column on level j."""
        rows = np.full(len(column.values) + 1, MISSING, dtype=np.int64)
        rows[:-1] = self._rows(column)
        rows[-1] = next((row for row, value in enumerate(self.values) if is_missing(value)), MISSING)
        found = [(np.append(np.arange(len(column.values)), MISSING), column.values)]
        found += [self._level(labels, rows) for labels in self.generalizations]
        return HierarchyLevels(np.stack([codes for codes, _ in found]), tuple(labels for _, labels in found))

    def recoded(self, column: Column, level: int) -> Column:
        """Return the column generalized to a level."""
        level = whole(level, "Hierarchy.recoded", "level", 0)
        must(level < self.depth, "Hierarchy.recoded", "level", f"{self.depth - 1} or less", level)
        levels = self.levels(column)
        return renumber_codes(levels.codes[level][column.codes], levels.labels[level])

    def _level(self, labels: tuple[Any, ...], rows: Codes) -> tuple[Codes, tuple[Any, ...]]:
        coded = Column.of(labels)
        codes = np.append(coded.codes, MISSING)[rows]
        if coded.values == (ALL,):
            codes[-1] = 0
        return codes, coded.values

    def _rows(self, column: Column) -> list[int]:
        """Return the row of each value of a column; every value that occurs must have one."""
        if column.values is self.values:  # made from this column
            return list(range(len(self.values)))
        rows = [self._row(value) for value in column.values]
        lacking = [column.values[code] for code in column.occurring.tolist() if rows[code] == MISSING]
        if lacking:
            more = f" and {len(lacking) - 1:,} others" if len(lacking) > 1 else ""
            raise BadParameter(
                "Hierarchy: each value of the column must have generalizations. "
                f"Got none for {lacking[0]!r:.60}{more}."
                f"{did_you_mean(lacking[0], self.values)}"
            )
        return rows

    def _row(self, value: Any) -> int:
        """Find a value by exact comparison, else by its spelling, else as the number that a text spells."""
        row = self._known.get(exact(value))
        if row is None:
            row = self._spelled.get(str(value))
        return self._numbers.get(exact(strip_numeral(value)), MISSING) if row is None else row

    @cached_property
    def _known(self) -> dict[Any, int]:
        return {exact(value): row for row, value in enumerate(self.values)}

    @cached_property
    def _spelled(self) -> dict[str, int]:
        """The rows by spelling; if a text and another value have the same spelling, the row of the text."""
        others = {str(value): row for row, value in enumerate(self.values) if not is_missing(value)}
        return others | {value: row for row, value in enumerate(self.values) if isinstance(value, str)}

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        """The rows by the number that their text spells; MISSING if two texts spell it ("25" and "25.0")."""
        found: dict[Any, int] = {}
        for row, value in enumerate(self.values):
            key = exact(parse_number(value) if isinstance(value, str) else strip_numeral(value))
            found[key] = MISSING if key in found else row
        return found


def find_problem(row: tuple[Any, ...], width: int) -> str | None:
    """Return what is wrong with the generalizations of a value, or None."""
    if len(row) != width or not row:
        return f"each value must have at least one generalization, and as many as the first ({width}). Got {len(row)}."
    if any(is_missing(label) or label == "" for label in row):
        return f"a generalization must not be empty. Got {row!r:.80}."
    return None


def _check_nested(values: tuple[Any, ...], generalizations: tuple[tuple[Any, ...], ...]) -> None:
    """Raise BadParameter if two values share a generalization but differ on a higher level."""
    coded = [Column.of(labels) for labels in generalizations]
    for level, (below, above) in enumerate(pairwise(coded), 1):
        first = np.empty(len(below.values), dtype=np.int64)
        first[below.codes[::-1]] = np.arange(len(values) - 1, -1, -1)  # in reverse: the first row is written last
        apart = np.flatnonzero(above.codes != above.codes[first[below.codes]])
        if len(apart):
            a, b = int(first[below.codes[apart[0]]]), int(apart[0])
            raise BadParameter(
                f"Hierarchy: values that share a generalization must share all higher ones. {values[a]!r} and "
                f"{values[b]!r} are both {below[b]!r} on level {level}, but {above[a]!r} and {above[b]!r} on level "
                f"{level + 1}. Give one of the two groups another name."
            )


# Widths: nested intervals of round widths, labeled by their ends.
#
# Intervals of width w start at multiples of w, so intervals nest if one width is a multiple of the other. The interval
# of a number is decided exactly, by its decimal spelling: 0.15 lies in [0.15, 0.2), although no float equals 0.15.

MOST = 32
"""The default width divides the range of the numbers into at most this many parts."""

NEAR = 1e-6
"""A quotient this close to a whole number is computed again with exact arithmetic."""


def label_intervals(values: Sequence[float], widths: Sequence[float] | None = None) -> list[tuple[str, ...]]:
    """Return the label of the interval of each number, level by level.

    >>> label_intervals([17, 24], [5, 10]), label_intervals([0.15, 1.0], [0.5])
    ([('15-19', '20-24'), ('10-19', '20-29')], [('[0, 0.5)', '[1, 1.5)')])
    """
    whole = all(type(value) is int or float(value).is_integer() for value in values)
    chosen = find_round_widths(values, whole) if widths is None else _check_widths(widths, whole)
    if not chosen:
        return []
    first = np.array(_find_intervals(values, chosen[0]), dtype=object)
    return [_label_places(first // (width // chosen[0]), width, whole) for width in chosen]


def find_round_widths(values: Sequence[float], whole: bool) -> list[Fraction]:
    """Return a width of 1, 2 or 5 times a power of ten, doubled up to the range of the values.

    >>> [str(width) for width in find_round_widths([17, 90], whole=True)]
    ['5', '10', '20', '40']
    """
    span = _parse_decimal(max(values)) - _parse_decimal(min(values))
    found = [_find_round_width(span, whole)] if span else []
    while found and found[-1] <= span:
        found.append(found[-1] * 2)
    return found[:-1]


def _find_round_width(span: Fraction, whole: bool) -> Fraction:
    """Return the smallest round width w with MOST * w >= span; at least 2 for whole numbers."""
    digits = len(str(span.numerator)) - len(str(span.denominator))
    powers = (Fraction(10) ** power for power in count(digits - 4))  # the first of them is below span / 1000
    steps = (power * step for power in powers for step in (1, 2, 5))
    return next(w for w in steps if w * MOST >= span and (not whole or (w >= 2 and w.denominator == 1)))


def _check_widths(widths: Sequence[float], whole: bool) -> list[Fraction]:
    rule = "numbers above 0, each a multiple of the previous one"
    fine = all(type(width) in (int, float) and isfinite(width) and width > 0 for width in widths)
    must(len(widths) and fine, "Hierarchy.intervals", "widths", rule, widths)
    exact = [_parse_decimal(width) for width in widths]
    nested = all((b / a).denominator == 1 and b > a for a, b in pairwise(exact))
    must(nested, "Hierarchy.intervals", "widths", rule, widths)
    if whole:
        must(
            all(w.denominator == 1 for w in exact), "Hierarchy.intervals", "widths", "whole, as the values are", widths
        )
    return exact


def _parse_decimal(value: float) -> Fraction:
    """Return a number as an exact fraction of its decimal spelling."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def _find_intervals(values: Sequence[float], width: Fraction) -> list[int]:
    """Return the number of each value's interval; interval 0 starts at 0."""
    if max(map(abs, values)) > 2**53 * min(width, Fraction(1)):
        return [_parse_decimal(value) // width for value in values]
    quotients = np.array(values, dtype=np.float64) / float(width)
    places: list[int] = np.floor(quotients).astype(np.int64).tolist()
    near = np.abs(quotients - np.round(quotients)) <= NEAR * np.maximum(1, np.abs(quotients))
    for at in np.flatnonzero(near).tolist():
        places[at] = _parse_decimal(values[at]) // width
    return places


def _label_places(places: np.ndarray[Any, np.dtype[np.object_]], width: Fraction, whole: bool) -> tuple[str, ...]:
    said = {place: _label_interval(place * width, width, whole) for place in set(places.tolist())}
    return tuple(said[place] for place in places.tolist())


def _label_interval(low: Fraction, width: Fraction, whole: bool) -> str:
    if not whole:
        return f"[{_spell_boundary(low)}, {_spell_boundary(low + width)})"
    between = "-" if low >= 0 else " to "
    return f"{low}{between}{low + width - 1}"


def _spell_boundary(number: Fraction) -> str:
    """Return a boundary exactly in decimals; they are finite, since it is a multiple of a decimal width.

    >>> [_spell_boundary(x) for x in (Fraction(3, 2), Fraction(-20), Fraction(-1, 8), Fraction(3, 10**20))]
    ['1.5', '-20', '-0.125', '3e-20']
    """
    places = next(places for places in count() if (number * 10**places).denominator == 1)
    digits = int(number * 10**places)
    if places == 0 or places > 15:
        return f"{digits}e-{places}" if places else str(digits)
    text = str(abs(digits)).rjust(places + 1, "0")
    return f"{'-' * (number < 0)}{text[:-places]}.{text[-places:]}"
