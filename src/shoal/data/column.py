"""Column: one attribute of the individuals, as codes into its distinct values. A missing value is a value.

Two cells are alike if and only if their codes are equal, so that counting never compares floats, and text
never turns into numbers: "007" is not 7. Cells of a text file are alike if and only if they are spelled alike.
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
"""The code of a missing value; it equals itself and nothing else."""

WHOLE_LIMIT = 2**53
"""Up to here every whole number has a float of its own; above, two of them could become one."""

NUMBERS = (int, float, WholeNumeral, RealNumeral)
"""The types of cells that are numbers; a truth value is none."""

PLAINLY_COMPARED = ({str, int, float, NoneType}, {str, bool, NoneType})
"""Kinds of cells among which Python's == is exactly what `exact` says; True == 1, so they must not meet."""


def is_missing(value: object) -> bool:
    """Tell whether a cell is empty: None, NaN, NaT or pandas' NA, but not an empty text.

    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing(0)
    (True, True, False, False)
    """
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.generic) and bool(value != value)  # noqa: PLR0124 - only NaN and NaT differ from themselves


def plain(value: Any) -> Any:
    """Return numpy's numbers, truth values and texts as Python's own, everything else as it is.

    >>> plain(np.float64(0.5)), plain(np.str_("x")), plain((1, 2))
    (0.5, 'x', (1, 2))
    """
    # the .item() of a datetime64 in nanoseconds is a bare int: a date would turn into a number
    return value.item() if isinstance(value, np.number | np.bool | np.str_ | np.bytes_) else value


def _instant(value: datetime) -> Hashable:
    """Return the same for two times if and only if they are the same instant, in whatever zone."""
    try:
        return value.astimezone(UTC)
    except OverflowError:  # there it is in the year 0 or 10000
        return value.replace(tzinfo=None) - datetime.min - (value.utcoffset() or timedelta())


def exact(value: Any) -> Hashable:
    """Return a key that is equal for two cells if and only if they are alike.

    Text is told from numbers and True from 1, also inside lists; 1 and 1.0 are the same number. A numeral is told by
    its spelling.

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
            return kind, _instant(value)  # Python's == does not tell the hour that comes twice in autumn
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
    raise BadParameter(f"Table: a value must be something that can be compared. Got a {kind}: {value!r:.80}.")


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute: `values[codes[v]]` is the value at v, and `codes[v]` is MISSING where there is none.

    The values are distinct. Some of them may occur in no row, as after :meth:`take`.
    """

    codes: Codes
    values: tuple[Any, ...]
    from_text: bool = False
    """Whether the cells come from a file: a number may be a text there, and a missing cell an empty one."""

    @classmethod
    def of(cls, cells: Iterable[Any]) -> Column:
        """Encode cells by exact comparison, numbered as they are met.

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
        """Encode cells that Python's == tells apart as `exact` does."""
        seen: dict[Any, int] = dict.fromkeys(cells, MISSING)
        values = [cell for cell in seen if not is_missing(cell)]
        seen.update((value, code) for code, value in enumerate(values))
        return cls(np.fromiter(map(seen.__getitem__, cells), dtype=np.int64, count=len(cells)), tuple(values))

    @classmethod
    def from_numbers(cls, numbers: Any) -> Column:
        """Encode an array of numbers, as :meth:`of` would, but quickly: NaN is missing, -0.0 is 0.0.

        >>> column = Column.from_numbers(np.array([0.5, np.nan, 0.5, -0.0, 0.0]))
        >>> column.codes.tolist(), column.values
        ([0, -1, 0, 1, 1], (0.5, 0.0))
        """
        import pyarrow as pa

        array = np.asarray(numbers)
        if array.ndim != 1 or array.dtype.kind not in "iuf":
            raise BadParameter(
                "Column.from_numbers: 'numbers' must be an array of numbers in one dimension. "
                f"Got {array.dtype} in {array.ndim}. Use Column.of for other cells."
            )
        if array.dtype.kind != "f":
            return cls.from_arrow(pa.array(array))
        if array.dtype.itemsize > 8:
            return cls.of(array.tolist())
        array = array.astype(np.float64) + 0.0  # -0.0 + 0.0 is 0.0
        return cls.from_arrow(pa.array(array, mask=np.isnan(array)))

    @classmethod
    def from_arrow(cls, cells: Any) -> Column:
        """Encode an arrow array whose type tells different cells apart and no two alike: whole numbers, texts."""
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
        """The codes of the values that occur in some row, ascending."""
        occurs = np.zeros(len(self.values) + 1, dtype=bool)  # the last place is that of MISSING
        occurs[self.codes] = True
        return np.flatnonzero(occurs[:-1])

    @cached_property
    def is_numeric(self) -> bool:
        """Whether there are values, and each that occurs is a finite int or float (True is none).

        >>> Column.of([1, 2.5, None]).is_numeric, Column.of(["1"]).is_numeric, Column.of([True]).is_numeric
        (True, False, False)
        """
        return len(self.occurring) > 0 and all(_is_number(self.values[code]) for code in self.occurring.tolist())

    @cached_property
    def ascending(self) -> Codes:
        """The codes of the values that occur in a column of numbers, from the smallest number to the largest.

        Numbers are compared exactly, whatever their size and whether they are ints or floats.

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
        """Whether some number has a spelling of its own."""
        return not {RealNumeral, WholeNumeral}.isdisjoint(map(type, self.values))

    @cached_property
    def canonical(self) -> Column:
        """The column with its numbers in one spelling, so that equal numbers are one value.

        >>> column = Column.of([RealNumeral("50.600"), 50.6, 7.0])
        >>> column.codes.tolist(), column.canonical.codes.tolist(), column.canonical.values
        ([0, 1, 2], [0, 0, 1], (50.6, 7.0))
        """
        if not self.has_numerals:
            return self
        merged = Column.of([strip_numeral(value) for value in self.values])
        return Column(np.append(merged.codes, MISSING)[self.codes], merged.values)

    def numbers(self, name: str) -> Floats:
        """Return the cells as floats, NaN where missing, or refuse what is no number; `name` is for the message.

        >>> Column.of([1, None, 2.5]).numbers("size").tolist()
        [1.0, nan, 2.5]
        """
        present = [self.values[code] for code in self.occurring.tolist()]
        if not present:
            raise BadParameter(f"The column {name!r} must hold numbers. Got none at all: every value is missing.")
        for value in () if _plainly_numbers(present) else present:
            if not _is_number(value) or (isinstance(value, int) and abs(value) > WHOLE_LIMIT):
                raise BadParameter(f"The column {name!r} must hold numbers. Got {_what_is_wrong(value)}")
        floats = np.full(len(self.values) + 1, np.nan)
        floats[self.occurring] = present
        return floats[self.codes]

    def take(self, ids: np.ndarray[Any, Any]) -> Column:
        """Return the column of the given rows, MISSING for a row of -1."""
        padded = np.append(self.codes, MISSING)
        return Column(padded[ids], self.values, self.from_text)

    def alike(self, other: Column) -> bool:
        """Tell whether both columns hold the same values in the same rows.

        >>> Column.of([1, None]).alike(Column.of([1.0, None])), Column.of([1]).alike(Column.of([True]))
        (True, False)
        """
        codes = self._beside(other, {})
        return len(self) == len(other) and np.array_equal(codes[: len(self)], codes[len(self) :])

    def followed_by(self, other: Column) -> Codes:
        """Return one code per cell of both columns, equal if and only if the values are.

        A number of `self` that `other` does not hold in the same spelling is found there in another one: a fact about
        50.600 is found at 50.6; of several spellings the rarest counts. If a column comes from a file, a number is
        found as a text too, which quotes or other cells of its column made of it; if both do, a missing cell is found
        as an empty text, and the reverse. Values of `other` always stay apart.

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
        """Find missing cells of `self` as empty texts of `other`, and the reverse, where it has no cell like them."""
        empty, absent = _places(other, ""), _places(self, "")
        mine = codes[: len(self)].copy()
        theirs = codes[len(self) :]
        if len(empty) and not (theirs == MISSING).any():
            mine[codes[: len(self)] == MISSING] = theirs[empty[0]]
        if len(absent) and not len(empty) and (theirs == MISSING).any():
            mine[absent] = MISSING
        return np.concatenate([mine, theirs])

    def _beside(self, other: Column, written: Mapping[str, int]) -> Codes:
        """Number the values of both columns; `written` tells those of `other` by how they are written."""
        if not (self.has_numerals or other.has_numerals or written):
            known = {exact(value): code for code, value in enumerate(self.values)}
            moved = [known.setdefault(exact(value), len(known)) for value in other.values]
            return np.concatenate([self.codes, np.array([*moved, MISSING], dtype=np.int64)[other.codes]])
        spelled = {_spelling_key(value): code for code, value in enumerate(other.values)}
        rows = np.bincount(other.codes + 1, minlength=len(other.values) + 1)[1:]
        often = sorted(
            range(len(other.values)), key=lambda code: (rows[code] > 0, -rows[code], str(other.values[code]))
        )
        numbers = {
            exact(strip_numeral(other.values[code])): code for code in often
        }  # the rarest that occurs comes last
        fresh = count(len(other.values))
        moved = []
        for value in self.values:
            code = spelled.get(_spelling_key(value), numbers.get(exact(strip_numeral(value)), MISSING))
            if code == MISSING and written:
                code = written.get(str(value), written.get(str(strip_numeral(value)), MISSING))
            moved.append(next(fresh) if code == MISSING else code)
        return np.concatenate([np.array([*moved, MISSING], dtype=np.int64)[self.codes], other.codes])


def _places(column: Column, value: object) -> Codes:
    """Return the rows that hold a value."""
    found = [code for code, known in enumerate(column.values) if type(known) is type(value) and known == value]
    return np.flatnonzero(np.isin(column.codes, found))


def _spelling_key(value: Any) -> Hashable:
    """Return a key that is equal for two numbers only if they are spelled alike."""
    return ("spelled", repr(value)) if type(value) in NUMBERS else exact(value)


def _is_number(value: Any) -> bool:
    """Tell whether a value is a finite number."""
    return type(value) in NUMBERS and (isinstance(value, int) or isfinite(value))


def _plainly_numbers(values: list[Any]) -> bool:
    """Tell at a glance that all values are finite floats, or whole numbers that floats tell apart."""
    kinds = set(map(type, values))
    if kinds <= {float, RealNumeral}:
        return bool(np.isfinite(values).all())
    return kinds <= {int, WholeNumeral} and max(values) <= WHOLE_LIMIT and min(values) >= -WHOLE_LIMIT


def _what_is_wrong(value: Any) -> str:
    """Say why a value is no number to calculate with, and what to do."""
    match value:
        case str():
            return f"the text {value!r:.60}. Leave the column out, or turn it into numbers first."
        case bool():
            return f"{value!r}, which is a truth value. Leave the column out, or turn it into numbers first."
        case float():
            return f"{value!r}, which is not finite. Replace it, or leave it empty."
        case int():
            return f"{value!r:.60}, above 2**53, where floats can no longer tell whole numbers apart. Scale it first."
    return f"{value!r:.60}, a {type(value).__name__}. Leave the column out, or turn it into numbers first."
