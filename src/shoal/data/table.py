"""Table: what is known about each individual besides the links. A missing value is a value.

A column is stored as codes into its distinct values. Two cells are alike if and only if their codes are
equal, so that counting never compares floats, and text never turns into numbers: "007" is not 7.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.errors import BadParameter, UnknownColumn, did_you_mean

Codes = np.ndarray[Any, np.dtype[np.int64]]

MISSING = -1
"""The code of a missing value; it equals itself and nothing else."""


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


def exact(value: Any) -> Hashable:
    """Return a key that is equal for two cells if and only if they are alike.

    Text is told from numbers and True from 1, also inside lists; 1 and 1.0 are the same number.

    >>> exact(1) == exact(1.0), exact(1) == exact(True), exact(1) == exact("1"), exact([1]) == exact([True])
    (True, False, False, False)
    """
    value = plain(value)
    kind = type(value).__name__
    match value:
        case bool():
            return kind, value
        case int() | float():
            return "number", value
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
    """One attribute: `values[codes[v]]` is the value at v, and `codes[v]` is MISSING where there is none."""

    codes: Codes
    values: tuple[Any, ...]

    @classmethod
    def of(cls, cells: Iterable[Any]) -> Column:
        """Encode cells by exact comparison.

        >>> Column.of(["a", None, "a", float("nan")]).codes.tolist()
        [0, -1, 0, -1]
        """
        seen: dict[Hashable, int] = {}
        values: list[Any] = []
        codes: list[int] = []
        for cell in cells:
            code = MISSING if is_missing(cell) else seen.setdefault(exact(cell), len(seen))
            if code == len(values):
                values.append(plain(cell))
            codes.append(code)
        return cls(np.array(codes, dtype=np.int64), tuple(values))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, v: int) -> Any:
        code = self.codes[v]
        return None if code == MISSING else self.values[code]

    def __iter__(self) -> Iterator[Any]:
        return (None if code == MISSING else self.values[code] for code in self.codes.tolist())

    def take(self, ids: np.ndarray[Any, Any]) -> Column:
        """Return the column of the given rows, MISSING for a row of -1."""
        padded = np.append(self.codes, MISSING)
        return Column(padded[ids], self.values)

    def alike(self, other: Column) -> bool:
        """Tell whether both columns hold the same values in the same rows.

        >>> Column.of([1, None]).alike(Column.of([1.0, None])), Column.of([1]).alike(Column.of([True]))
        (True, False)
        """
        codes = self.followed_by(other)
        return len(self) == len(other) and np.array_equal(codes[: len(self)], codes[len(self) :])

    def followed_by(self, other: Column) -> Codes:
        """Return one code per cell of both columns, equal if and only if the values are."""
        known = {exact(value): code for code, value in enumerate(self.values)}
        moved = [known.setdefault(exact(value), len(known)) for value in other.values]
        lookup = np.array([*moved, MISSING], dtype=np.int64)
        return np.concatenate([self.codes, lookup[other.codes]])


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns over the same individuals, in their order.

    Examples
    --------
    >>> table = Table.of({"age": [30, 30, None], "sex": ["f", "m", "f"]})
    >>> table.n, list(table), list(table["age"])
    (3, ['age', 'sex'], [30, 30, None])
    """

    n: int
    columns: Mapping[str, Column] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, Iterable[Any]], n: int | None = None) -> Table:
        """Build a table from cells by column; `n` is needed only where there is no column."""
        encoded = {str(name): c if isinstance(c, Column) else Column.of(c) for name, c in columns.items()}
        lengths = {len(column) for column in encoded.values()} | ({n} if n is not None else set())
        if len(lengths) > 1:
            raise BadParameter(f"Table: columns must have one length. Got lengths {sorted(lengths)}.")
        return cls(lengths.pop() if lengths else 0, encoded)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            known = ", ".join(map(repr, self.columns)) or "none at all"
            hint = did_you_mean(name, self.columns)
            raise UnknownColumn(f"There is no column {name!r}. The columns are: {known}.{hint}")
        return self.columns[name]

    def __repr__(self) -> str:
        return f"Table({self.n:,} rows; columns: {', '.join(self.columns) or 'none'})"

    def take(self, ids: np.ndarray[Any, Any]) -> Table:
        """Return the table of the given rows, all missing for a row of -1."""
        return Table(len(ids), {name: column.take(ids) for name, column in self.columns.items()})
