"""Table: named columns about individuals. A missing value counts as a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from shoal.data.column import MISSING, Codes, Column, exact, is_missing, plain
from shoal.data.names import Names, check_spelling
from shoal.errors import BadParameter, UnknownColumn, did_you_mean, list_names, show_value, tame


def find_position(known: Sequence[str], column: str | int, who: str) -> int:
    """Return the position of a column, given its name or its position from 0."""
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(known):
        return column
    if isinstance(column, str) and column in known:
        return list(known).index(str(column))
    listed = list_names(known) or "none"
    raise UnknownColumn(
        f"{who}: there is no column {show_value(column)}. The columns are: {listed}.{did_you_mean(column, known)}"
    )


SHOWN = 32
"""The most column names that the repr of a table shows."""

__all__ = ["MISSING", "Codes", "Column", "Table", "exact", "is_missing", "plain"]


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns about the same individuals, in the same order.

    Build one with :func:`shoal.as_table`, :func:`shoal.read_table` or :meth:`Table.of`.

    Examples
    --------
    >>> table = Table.of({"age": [30, 30, None], "sex": ["f", "m", "f"]})
    >>> table.n, list(table), list(table["age"]), list(table.names)
    (3, ['age', 'sex'], [30, 30, None], [0, 1, 2])
    """

    n: int
    """The number of individuals."""
    columns: Mapping[str, Column] = field(default_factory=dict)
    """The columns, by name."""
    names: Names = None  # type: ignore[assignment] # it depends on n
    """The names of the individuals (default: their positions from 0)."""

    noun: ClassVar[tuple[str, str]] = ("record", "records")
    has_links: ClassVar[bool] = False
    m: ClassVar[int] = 0
    is_multigraph: ClassVar[bool] = False
    is_simple: ClassVar[bool] = True

    @classmethod
    def of(cls, columns: Mapping[str, Iterable[Any]], n: int | None = None, names: Names | None = None) -> Table:
        """Build a table from a mapping of columns to cells; `n` is needed only without columns."""
        encoded = {str(name): c if isinstance(c, Column) else Column.of(c) for name, c in columns.items()}
        check_spelling(encoded, "Table", "the name of a column")
        for name, column in encoded.items():
            check_spelling(column.values, "Table", f"the column {name!r}")
        lengths = {len(column) for column in encoded.values()} | ({n} if n is not None else set())
        if len(lengths) > 1:
            raise BadParameter(f"Table: columns must have the same length. Got the lengths {sorted(lengths)}.")
        size = lengths.pop() if lengths else 0
        return cls(size, encoded, Names.number(size) if names is None else names)

    def __post_init__(self) -> None:
        if self.names is None:
            object.__setattr__(self, "names", Names.number(self.n))  # type: ignore[unreachable]
        if len(self.names) != self.n:
            raise BadParameter(f"Table: there must be one name per row ({self.n:,}). Got {len(self.names):,} names.")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            known = list_names(self.columns) or "none (to read the file as a table, use --table)"
            hint = did_you_mean(name, self.columns)
            raise UnknownColumn(f"There is no column {name!r}. The columns are: {known}.{hint}")
        return self.columns[name]

    def __eq__(self, other: object) -> bool:
        """Return whether names, columns (in order) and cells are equal."""
        if not isinstance(other, Table):
            return NotImplemented
        return self is other or (self.names == other.names and self.has_same_cells(other))

    def __hash__(self) -> int:
        return hash((self.n, tuple(self.columns)))

    def has_same_cells(self, other: Table) -> bool:
        """Return whether columns (in order) and cells are equal."""
        return list(self) == list(other) and all(self[name].alike(other[name]) for name in self)

    def __repr__(self) -> str:
        return f"Table({self.n:,} rows; columns: {self.heads or 'none'})"

    @property
    def heads(self) -> str:
        """The names of the first columns as a text, and the number of the others."""
        return list_names(self.columns, SHOWN, tame)

    @property
    def attributes(self) -> Table:
        """The table itself; a graph has its attributes as a table."""
        return self

    @property
    def is_keyed(self) -> bool:
        """Whether the individuals have given names and not only positions."""
        return not self.names.positions

    def with_attributes(self, attributes: Table) -> Table:
        """Return the same individuals with other columns."""
        return replace(attributes, names=self.names)

    def take(self, ids: np.ndarray[Any, Any]) -> Table:
        """Return the given rows; a row id of -1 gives missing values.

        Names are kept only if every row has a distinct one: not with a row id of -1 or a repeated row.

        >>> table = Table.of({"age": [30, 40]}, names=Names(["Ann", "Bo"]))
        >>> list(table.take(np.array([1])).names), list(table.take(np.array([1, -1])).names)
        (['Bo'], [0, 1])
        """
        columns = {name: column.take(ids) for name, column in self.columns.items()}
        return Table(len(ids), columns, _take_names(self.names, ids))

    def only(self, names: Sequence[str]) -> Table:
        """Return the table with only these columns, in this order.

        >>> list(Table.of({"age": [30], "sex": ["f"], "zip": ["02139"]}).only(["zip", "age"]))
        ['zip', 'age']
        """
        if isinstance(names, str):
            raise BadParameter(f"Table.only: 'names' must be a list of columns. Got the text {names!r}.")
        return replace(self, columns={name: self[name] for name in names})

    def from_file(self) -> Table:
        """Return the table with its columns marked as read from a file."""
        return replace(self, columns={name: replace(c, from_text=True) for name, c in self.columns.items()})

    def with_columns(self, columns: Mapping[str, Column]) -> Table:
        """Return the table with columns replaced by those of the same name; new columns come last.

        >>> table = Table.of({"age": [30, 40], "sex": ["f", "m"]})
        >>> table = table.with_columns({"age": Column.of(["30-39", "40-49"]), "city": Column.of(["x", "x"])})
        >>> list(table), list(table["age"])
        (['age', 'sex', 'city'], ['30-39', '40-49'])
        """
        for name, column in columns.items():
            if len(column) != self.n:
                raise BadParameter(f"Table: the column {name!r} must have {self.n:,} cells. Got {len(column):,}.")
        return replace(self, columns={**self.columns, **columns})

    def canonical(self, names: Iterable[str]) -> Table:
        """Return the table with one spelling per number in these columns."""
        changed = {name: self[name].canonical for name in names if self[name].has_numerals}
        return self.with_columns(changed) if changed else self

    def to_frame(self) -> Any:
        """Return a pandas frame, a polars frame if pandas is not installed, or else a pyarrow table."""
        from shoal.data.frames import to_frame

        return to_frame(self)

    def to_pandas(self) -> Any:
        """Return a pandas frame.

        Integers are int64, or the nullable Int64 if some are missing. Other numbers are float64, with NaN for
        missing. Booleans are bool, or the nullable boolean. Texts and dates have the type that pandas infers. A
        column of mixed types is object.

        >>> Table.of({"age": [30, None], "size": [1.5, None]}).to_pandas().dtypes.astype(str).tolist()
        ['Int64', 'float64']
        """
        from shoal.data.frames import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """Return a polars frame; a column of mixed types becomes text, and a notice names it."""
        from shoal.data.frames import to_polars

        return to_polars(self)

    def to_arrow(self) -> Any:
        """Return a pyarrow table; a column of mixed types becomes text, and a notice names it.

        >>> Table.of({"age": [30, None], "zip": ["02139", "02140"]}).to_arrow().schema.types
        [DataType(int64), DataType(string)]
        """
        from shoal.data.frames import to_arrow

        return to_arrow(self)


def _take_names(names: Names, ids: np.ndarray[Any, Any]) -> Names:
    if names.positions or (ids < 0).any() or np.bincount(ids, minlength=1).max() > 1:
        return Names.number(len(ids))
    return Names(names.numbers[ids] if names.numbers is not None else [names[i] for i in ids.tolist()])
