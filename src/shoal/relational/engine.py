"""What an engine of SQL must offer, so that every kind of knowledge is one text of SQL for all engines.

An engine keeps the rows of a query as a table of the run, and collects a few rows. Whatever dialects spell in different
ways is a method here; all other SQL is plain: joins, groups, unions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

Row = tuple[Any, ...]


class Engine(Protocol):
    """An engine that counts where the data are. Tables of the run are private and end with it."""

    name: str
    """What the engine is called in messages."""
    relation: str
    """What a relation of the engine is called in messages."""
    folds_case: bool
    """Whether columns whose names differ only in case are one column."""
    bits: int
    """The number of bits of each half of a signature. Fewer bits give more collisions, never another answer."""
    used: bool
    """Whether a network has been loaded: its tables have fixed names, so an engine has one network."""

    # Sources are opened before the first step.

    def read_parquet(self, paths: Sequence[str]) -> str:
        """Return what a query selects from to read Parquet files, as one table."""

    def attach(self, path: Path, table: str) -> tuple[str, bool]:
        """Return what a query selects from to read a table of a database file, and whether it is a view."""

    def list_files(self, place: str) -> list[str]:
        """Return the Parquet files of a place that is named by a URI, or refuse it."""

    def list_columns(self, relation: Any) -> list[str] | None:
        """Return the columns of a relation of the engine; None if this is none."""

    def take(self, relation: Any, columns: Sequence[str]) -> str:
        """Return what a query selects from to read columns of a relation."""

    def describe(self, source: str) -> dict[str, str]:
        """Return the columns of a source with their types."""

    def close_sources(self) -> None:
        """From now on, open only the sources."""

    def end_loading(self) -> None:
        """From now on, read only tables of the run."""

    # Steps

    def keep(self, table: str, query: str, what: str, *, order: str | None = None) -> None:
        """Keep the rows of a query as a table of the run; `what` names the step for progress.

        A table of this name is replaced; the query may read it.

        An engine that reads sorted rows faster sorts them by `order`.
        """

    def number(self, table: str, query: str, what: str, *, order: str | None = None) -> None:
        """Keep the rows of a query with a column v, which numbers them from 0; by `order`, where there is one."""

    def fill(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Keep a few rows as a table of the run; a column is a name and a type, as "kind VARCHAR"."""

    def drop(self, *tables: str) -> None:
        """Drop tables of the run."""

    def collect(self, query: str, what: str) -> list[Row]:
        """Return the few rows of a query."""

    # What dialects spell in different ways

    def sign(self, columns: Sequence[str], salt: int) -> str:
        """Return an expression: a hash of the columns of a row, as an unsigned whole number of 64 bits."""

    def digest(self, text: str) -> str:
        """Return an expression: the SHA-256 of a text, as 64 hexadecimal digits in lower case."""

    def halve(self, hashed: str) -> tuple[str, str]:
        """Return two expressions: the halves of a hash, each of `bits` bits, as whole numbers that can be summed."""

    def bundle(self, *columns: str) -> str:
        """Return an aggregate: a text that is equal for two groups if and only if they have equal sets of rows.

        The columns are whole numbers, and the first one is different in each row of a group.
        """

    def text(self, expression: str) -> str:
        """Return an expression for a value as text, so that two texts are equal iff their bytes are."""

    def select(self, query: str) -> Any:
        """Return the rows of a query as what users of the engine call a table."""

    def export(self, query: str, what: str) -> list[Path]:
        """Write the rows of a query as Parquet files in the private folder of the run; return their paths.

        Who calls it reads them and removes them.
        """

    def start_another(self) -> Engine:
        """Return a new engine with the same options and tables of its own."""

    def close(self) -> None:
        """Remove all temporary data."""


def quote(name: str) -> str:
    """Return a name of a column or table as an identifier.

    >>> print(quote('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


def spell_text(text: str) -> str:
    """Return a text as a literal.

    >>> spell_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
