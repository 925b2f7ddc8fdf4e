"""Table: what is known about each individual besides the links. A missing value is a value.

A column is stored as codes into its distinct values. Two cells are alike if and only if their codes are
equal, so that counting never compares floats, and text never turns into numbers: "007" is not 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    return isinstance(value, float | np.floating) and bool(value != value)  # noqa: PLR0124 - only NaN differs from itself


def _exact(value: object) -> tuple[str, object]:
    """Tell text from numbers and True from 1, while 1 and 1.0 stay the same number."""
    if isinstance(value, np.generic):
        value = value.item()
    kind = (
        "bool"
        if isinstance(value, bool)
        else "number"
        if isinstance(value, int | float)
        else type(value).__name__
    )
    return kind, value


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
        seen: dict[tuple[str, object], int] = {}
        codes = [MISSING if is_missing(cell) else seen.setdefault(_exact(cell), len(seen)) for cell in cells]
        return cls(np.array(codes, dtype=np.int64), tuple(value for _, value in seen))

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

    def followed_by(self, other: Column) -> Codes:
        """Return one code per cell of both columns, equal if and only if the values are."""
        known = {_exact(value): code for code, value in enumerate(self.values)}
        moved = [known.setdefault(_exact(value), len(known)) for value in other.values]
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
