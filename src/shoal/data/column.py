"""Column: one attribute, stored as integer codes into its distinct values. A missing value counts as a value.

Two cells are equal if and only if their codes are equal. So counting never compares floats, and text never
becomes a number: "007" is not 7. Cells of a text file are equal if and only if their spellings are equal.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from itertools import count
from math import isfinite
from types import NoneType
from typing import Any

import numpy as np

from shoal.data.arrays import Floats
from shoal.data.numerals import Numeral, RealNumeral, WholeNumeral, strip_numeral
from shoal.errors import BadParameter

Codes = np.ndarray[Any, np.dtype[np.int64]]

MISSING = -1
"""The code of a missing value. A missing value equals another missing value and nothing else."""

WHOLE_LIMIT = 2**53
"""Up to this limit floats represent all integers exactly; above it, two integers can become the same float."""

NUMBERS = (int, float, WholeNumeral, RealNumeral)
"""The types of numeric cells; bool is not one of them."""

PLAINLY_COMPARED = ({str, int, float, NoneType}, {str, bool, NoneType})
"""Sets of cell types for which == agrees with `exact`. Since True == 1, no set has both bool and int."""


def is_missing(value: object) -> bool:
    """Return whether a cell is missing: None, NaN, NaT or pandas' NA. An empty text is not missing.

    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing(0)
    (True, True, False, False)
    """
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.generic) and bool(value != value)  # noqa: PLR0124 - only NaN and NaT differ from themselves


def plain(value: Any) -> Any:
    """Convert numpy scalars (numbers, booleans, texts) to Python values; return anything else unchanged.

    >>> plain(np.float64(0.5)), plain(np.str_("x")), plain((1, 2))
    (0.5, 'x', (1, 2))
    """
    # datetime64 is not converted: in nanoseconds its .item() is an int, so a date would become a number.
    return value.item() if isinstance(value, np.number | np.bool | np.str_ | np.bytes_) else value


def _instant(value: datetime) -> Hashable:
    """Return a key that is equal for two times if and only if they are the same instant, in any time zone."""
    try:
        return value.astimezone(UTC)
    except OverflowError:  # in UTC the year is 0 or 10000
        return value.replace(tzinfo=None) - datetime.min - (value.utcoffset() or timedelta())


def exact(value: Any) -> Hashable:
    """Return a key that is equal for two cells if and only if the cells are equal.

    Text differs from numbers, and True differs from 1, also inside lists; 1 and 1.0 are the same number. Numerals are
    equal if and only if their spellings are.

    >>> exact(1) == exact(1.0), exact(1) == exact(True), exact(1) == exact("1"), exact([1]) == exact([True])
    (True, False, False, False)
    >>> exact(50.6) == exact(RealNumeral("50.600"))
    False
    """
    value = plain(value)
    kind = type(value).__name__
    match value:
        case bool():
            return kind, value
        case Numeral():
            return "numeral", value.text
        case int() | float():
            return "number", value
        case datetime() if value.tzinfo is not None:
            return kind, _instant(value)  # == does not distinguish the repeated hour in autumn
        case datetime() | time():
            return kind, value, value.fold
        case list() | tuple():
            return kind, tuple(map(exact, value))
        case set() | frozenset():
            return "set", frozenset(map(exact, value))
        case dict():
            return kind, frozenset((exact(key), exact(cell)) for key, cell in value.items())
        case np.ndarray():
            return kind, value.shape, tuple(map(exact, value.ravel().tolist()))
        case Hashable():
            return kind, value
    raise BadParameter(f"Table: a value must be hashable, or a list, set or dict of such. Got a {kind}: {value!r:.80}.")


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute: `values[codes[v]]` is the value in row v; `codes[v]` is MISSING if there is none.

    The values are distinct. Some may occur in no row, for example after :meth:`take`.
    """

    codes: Codes
    values: tuple[Any, ...]
    from_text: bool = False
    """Whether the cells come from a file, where a number may be read as text and a missing cell as empty text."""

    @classmethod
    def of(cls, cells: Iterable[Any]) -> Column:
        """Encode cells by exact comparison; codes follow the order of first appearance.

        >>> Column.of(["a", None, "a", float("nan")]).codes.tolist()
        [0, -1, 0, -1]
        """
        cells = cells if isinstance(cells, list) else list(cells)
        kinds = set(map(type, cells))
        if any(kinds <= comparable for comparable in PLAINLY_COMPARED):
            return cls._compared(cells)
        seen: dict[Hashable, int] = {}
        values: list[Any] = []
        codes: list[int] = []
        for cell in cells:
            code = MISSING if is_missing(cell) else seen.setdefault(exact(cell), len(seen))
            if code == len(values):
                values.append(plain(cell))
            codes.append(code)
        return cls(np.array(codes, dtype=np.int64), tuple(values))

    @classmethod
    def _compared(cls, cells: list[Any]) -> Column:
        """Encode cells for which == agrees with `exact`."""
        seen: dict[Any, int] = dict.fromkeys(cells, MISSING)
        values = [cell for cell in seen if not is_missing(cell)]
        seen.update((value, code) for code, value in enumerate(values))
        return cls(np.fromiter(map(seen.__getitem__, cells), dtype=np.int64, count=len(cells)), tuple(values))

    @classmethod
    def from_numbers(cls, numbers: Any) -> Column:
        """Encode an array of numbers, like :meth:`of` but faster; NaN is missing and -0.0 is 0.0.

        >>> column = Column.from_numbers(np.array([0.5, np.nan, 0.5, -0.0, 0.0]))
        >>> column.codes.tolist(), column.values
        ([0, -1, 0, 1, 1], (0.5, 0.0))
        """
        import pyarrow as pa

        array = np.asarray(numbers)
        if array.ndim != 1 or array.dtype.kind not in "iuf":
            raise BadParameter(
                "Column.from_numbers: 'numbers' must be a one-dimensional array of numbers. "
                f"Got {array.dtype} in {array.ndim} dimensions. Use Column.of for other cells."
            )
        if array.dtype.kind != "f":
            return cls.from_arrow(pa.array(array))
        if array.dtype.itemsize > 8:
            return cls.of(array.tolist())
        array = array.astype(np.float64) + 0.0  # -0.0 + 0.0 is 0.0
        return cls.from_arrow(pa.array(array, mask=np.isnan(array)))

    @classmethod
    def from_arrow(cls, cells: Any) -> Column:
        """Encode an arrow array of integers, texts or another type whose equality is that of :func:`exact`."""
        coded = cells.dictionary_encode()
        codes = coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
        return cls(codes.astype(np.int64), tuple(coded.dictionary.to_pylist()))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, v: int) -> Any:
        code = self.codes[v]
        return None if code == MISSING else self.values[code]

    def __iter__(self) -> Iterator[Any]:
        return (None if code == MISSING else self.values[code] for code in self.codes.tolist())

    @cached_property
    def occurring(self) -> Codes:
        """The codes of the values that occur in at least one row, ascending."""
        occurs = np.zeros(len(self.values) + 1, dtype=bool)  # the last entry is for MISSING
        occurs[self.codes] = True
        return np.flatnonzero(occurs[:-1])

    @cached_property
    def is_numeric(self) -> bool:
        """Whether values occur and all of them are finite numbers; bool is not a number.

        >>> Column.of([1, 2.5, None]).is_numeric, Column.of(["1"]).is_numeric, Column.of([True]).is_numeric
        (True, False, False)
        """
        return len(self.occurring) > 0 and all(_is_number(self.values[code]) for code in self.occurring.tolist())

    @cached_property
    def ascending(self) -> Codes:
        """The codes of the values that occur in a numeric column, from the smallest number to the largest.

        Numbers are compared exactly, at any size, also ints with floats.

        >>> Column.of([2**53 + 1, 2**53, 0.5]).ascending.tolist()
        [2, 1, 0]
        """
        codes = self.occurring
        present = [self.values[code] for code in codes.tolist()]
        if _plainly_numbers(present):
            return codes[np.argsort(np.array(present, dtype=np.float64), kind="stable")]
        return np.array(sorted(codes.tolist(), key=self.values.__getitem__), dtype=np.int64)

    @property
    def has_numerals(self) -> bool:
        """Whether a value is a :class:`~shoal.data.numerals.Numeral`: a number stored with its spelling."""
        return not {RealNumeral, WholeNumeral}.isdisjoint(map(type, self.values))

    @cached_property
    def canonical(self) -> Column:
        """The column with one spelling per number, so that equal numbers are one value.

        >>> column = Column.of([RealNumeral("50.600"), 50.6, 7.0])
        >>> column.codes.tolist(), column.canonical.codes.tolist(), column.canonical.values
        ([0, 1, 2], [0, 0, 1], (50.6, 7.0))
        """
        if not self.has_numerals:
            return self
        merged = Column.of([strip_numeral(value) for value in self.values])
        return Column(np.append(merged.codes, MISSING)[self.codes], merged.values)

    def numbers(self, name: str) -> Floats:
        """Return the cells as floats, NaN if missing; raise BadParameter if a value is not a number.

        `name` is the name of the column in the message.

        >>> Column.of([1, None, 2.5]).numbers("size").tolist()
        [1.0, nan, 2.5]
        """
        present = [self.values[code] for code in self.occurring.tolist()]
        if not present:
            raise BadParameter(f"The column {name!r} must hold numbers. Got only missing values.")
        for value in () if _plainly_numbers(present) else present:
            if not _is_number(value) or (isinstance(value, int) and abs(value) > WHOLE_LIMIT):
                raise BadParameter(f"The column {name!r} must hold numbers. Got {_what_is_wrong(value)}")
        floats = np.full(len(self.values) + 1, np.nan)
        floats[self.occurring] = present
        return floats[self.codes]

    def take(self, ids: np.ndarray[Any, Any]) -> Column:
        """Return the given rows; a row id of -1 gives MISSING."""
        padded = np.append(self.codes, MISSING)
        return Column(padded[ids], self.values, self.from_text)

    def alike(self, other: Column) -> bool:
        """Return whether both columns hold equal values in the same rows.

        >>> Column.of([1, None]).alike(Column.of([1.0, None])), Column.of([1]).alike(Column.of([True]))
        (True, False)
        """
        codes = self._beside(other, {})
        return len(self) == len(other) and np.array_equal(codes[: len(self)], codes[len(self) :])

    def followed_by(self, other: Column) -> Codes:
        """Return one code per cell of both columns, equal if and only if the values match.

        A number of `self` whose spelling is not in `other` matches another spelling of it there: 50.600 matches 50.6.
        If there are several, it matches the rarest one. If one of the columns comes from a file, a number also matches
        its text, since quotes or other cells of the column can make it a text. If both come from files, a missing cell
        also matches an empty text, and the reverse. Different values of `other` always keep different codes.

        >>> Column.of([7, 8]).followed_by(Column.of(["7", "8-9"])).tolist()
        [0, 1, 2, 3]
        >>> from_files = [Column.of([7, 8]), Column.of(["7", "8-9"])]
        >>> seven, other = (Column(column.codes, column.values, from_text=True) for column in from_files)
        >>> seven.followed_by(other).tolist()
        [0, 2, 0, 1]
        """
        kinds = [set(map(type, column.values)) for column in (self, other)]
        mixed = any(str in a and b - {str} for a, b in (kinds, kinds[::-1])) and (self.from_text or other.from_text)
        codes = self._beside(other, {str(value): code for code, value in enumerate(other.values)} if mixed else {})
        return self._find_empty(other, codes) if self.from_text and other.from_text else codes

    def _find_empty(self, other: Column, codes: Codes) -> Codes:
        """Match missing cells of `self` to empty texts of `other`, and the reverse, if `other` has no equal cell."""
        empty, absent = _places(other, ""), _places(self, "")
        mine = codes[: len(self)].copy()
        theirs = codes[len(self) :]
        if len(empty) and not (theirs == MISSING).any():
            mine[codes[: len(self)] == MISSING] = theirs[empty[0]]
        if len(absent) and not len(empty) and (theirs == MISSING).any():
            mine[absent] = MISSING
        return np.concatenate([mine, theirs])

    def _beside(self, other: Column, written: Mapping[str, int]) -> Codes:
        """Return common codes for both columns; `written` maps texts of the values of `other` to their codes."""
        if not (self.has_numerals or other.has_numerals or written):
            known = {exact(value): code for code, value in enumerate(self.values)}
            moved = [known.setdefault(exact(value), len(known)) for value in other.values]
            return np.concatenate([self.codes, np.array([*moved, MISSING], dtype=np.int64)[other.codes]])
        spelled = {_spelling_key(value): code for code, value in enumerate(other.values)}
        rows = np.bincount(other.codes + 1, minlength=len(other.values) + 1)[1:]
        often = sorted(
            range(len(other.values)), key=lambda code: (rows[code] > 0, -rows[code], str(other.values[code]))
        )
        # The rarest spelling that occurs comes last and so replaces the others.
        numbers = {exact(strip_numeral(other.values[code])): code for code in often}
        fresh = count(len(other.values))
        moved = []
        for value in self.values:
            code = spelled.get(_spelling_key(value), numbers.get(exact(strip_numeral(value)), MISSING))
            if code == MISSING and written:
                code = written.get(str(value), written.get(str(strip_numeral(value)), MISSING))
            moved.append(next(fresh) if code == MISSING else code)
        return np.concatenate([np.array([*moved, MISSING], dtype=np.int64)[self.codes], other.codes])


def _places(column: Column, value: object) -> Codes:
    """Return the rows that hold the value."""
    found = [code for code, known in enumerate(column.values) if type(known) is type(value) and known == value]
    return np.flatnonzero(np.isin(column.codes, found))


def _spelling_key(value: Any) -> Hashable:
    """Return a key that is equal for two numbers only if their spellings are equal."""
    return ("spelled", repr(value)) if type(value) in NUMBERS else exact(value)


def _is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return type(value) in NUMBERS and (isinstance(value, int) or isfinite(value))


def _plainly_numbers(values: list[Any]) -> bool:
    """Return whether all values are finite floats, or all are integers that floats represent exactly."""
    kinds = set(map(type, values))
    if kinds <= {float, RealNumeral}:
        return bool(np.isfinite(values).all())
    return kinds <= {int, WholeNumeral} and max(values) <= WHOLE_LIMIT and min(values) >= -WHOLE_LIMIT


def _what_is_wrong(value: Any) -> str:
    """Return why a value is not a usable number, and what to do about it."""
    match value:
        case str():
            return f"the text {value!r:.60}. Leave the column out, or turn it into numbers first."
        case bool():
            return f"{value!r}, a boolean. Leave the column out, or turn it into numbers first."
        case float():
            return f"{value!r}, which is not finite. Replace it, or leave it empty."
        case int():
            return f"{value!r:.60}, beyond 2**53, where floats do not represent all whole numbers. Scale it first."
    return f"{value!r:.60}, a {type(value).__name__}. Leave the column out, or turn it into numbers first."
