"""Where data are: Parquet files, tables of a DuckDB file, and relations of an engine."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.errors import BadFile, BadParameter, cut, did_you_mean, list_names, show_value
from shoal.progress import note_input
from shoal.relational.engine import Engine, quote

DATABASE = "duckdb:"
"""How the name of a table in a database file begins: duckdb:FILE/TABLE."""
KINDS = (
    "Parquet files (a path, a pattern such as 'edges/*.parquet', or a folder), duckdb:FILE/TABLE, a relation of "
    "DuckDB, or a DataFrame of Spark"
)
WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
"""Whole numbers that fit into 64 bits with a sign."""
WIDE = {"UBIGINT", "HUGEINT", "UHUGEINT"}
"""Longer whole numbers; as names they are compared by their digits."""
PLAIN = WHOLE | WIDE | {"BOOLEAN", "VARCHAR", "BLOB", "DATE", "TIME", "UUID", "FLOAT", "DOUBLE"}
"""Types of cells for which equality of the engine is equality of values, with DECIMAL, ENUM and TIMESTAMP."""

DIGITS = 38
"""The most digits of a decimal number in an engine."""
NOTHING = '"NULL"'
"""The type of a column whose cells are all missing."""


@dataclass(frozen=True)
class Source:
    """A table that an engine can select from."""

    place: str
    """What the source is called in messages."""
    table: str
    """What a query selects from."""
    engine: Engine
    narrowed: Mapping[str, str] = field(default_factory=dict)
    """Columns of files whose cells have more digits than the engine reads, with their types."""
    marks: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The files, each with what changes when it is written."""
    is_view: bool = False
    """Whether it is a view of a database, whose rows may be others each time."""

    @cached_property
    def types(self) -> dict[str, str]:
        """The columns, with their types in the engine. A view of a database is looked into here for the first time."""
        with _naming(self.place):
            types = self.engine.describe(self.table)
        return {name: self.narrowed.get(name, kind) for name, kind in types.items()}

    def check_unchanged(self) -> None:
        """Raise BadFile if a file was written since it was opened: it is read several times."""
        for path, mark in self.marks.items():
            if _mark(path) != mark:
                raise BadFile(f"{path}: must not change while it is read. It did. Read it again.")

    def find(self, column: str | int, what: str) -> str:
        """Return the name of a column, given by name or position; raise BadParameter if it is not there."""
        if isinstance(column, int) and 0 <= column < len(self.types):
            return list(self.types)[column]
        return _check_column(self.place, column, what, self.types)

    def family(self, column: str, what: str) -> str:
        """Return how the names in a column are compared: "integer", "wide" or "text"."""
        kind = self.types[column]
        if kind in WHOLE or kind in WIDE:
            return "integer" if kind in WHOLE else "wide"
        if kind == "VARCHAR" or kind.startswith("ENUM"):
            return "text"
        raise BadFile(
            f"{self.place}: {what} must be integers or texts. Got {kind} in the column {column!r}. Convert it to text."
        )

    def cell(self, column: str, what: str = "a known column") -> str:
        """Return an expression for the value of a column, so that equal values are equal in the engine.

        NaN is a missing value, as in memory. Texts lose the collation of their column, which may ignore case.
        """
        kind, named = self.types[column], quote(column)
        if kind == "VARCHAR" or kind.startswith("ENUM"):
            return self.engine.text(named)
        if kind in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN isnan({named}) THEN NULL ELSE {named} END"
        if kind == NOTHING:
            return "CAST(NULL AS BOOLEAN)"
        if kind in PLAIN or (kind.startswith(("DECIMAL(", "TIMESTAMP")) and not kind.endswith("]")):
            return named
        raise BadFile(
            f"{self.place}: {what} must hold numbers, texts, dates, times or truth values. Got {kind} in the column "
            f"{column!r}. Convert it to text."
        )


def _check_column(place: str, column: Any, what: str, known: Collection[str]) -> str:
    """Return the name of a column; raise BadParameter if there is none."""
    if isinstance(column, str) and column in known:
        return column
    raise BadParameter(
        f"{place}: {what} must be a column. No column is called {show_value(column)}.{did_you_mean(column, known)} "
        f"The columns are {list_names(known)}."
    )


def open_source(engine: Engine, source: Any, columns: Sequence[str] | None = None) -> Source:
    """Open a source.

    Parameters
    ----------
    engine
        The engine that will read it.
    source
        A path, a pattern or a folder of Parquet files, or a sequence of paths; duckdb:FILE/TABLE; or a relation.
    columns
        The columns that are wanted of a relation; None: all.
    """
    if isinstance(source, str) and source.startswith(DATABASE):
        return _open_table(engine, source)
    if isinstance(source, str | os.PathLike):
        return _open_files(engine, os.fspath(source), _list_files(engine, os.fspath(source)))
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source):
        paths = [path for one in source for path in _list_files(engine, os.fspath(one))]
        return _open_files(engine, f"{os.fspath(source[0])} and others", paths)
    known = engine.list_columns(source)
    if known is not None:
        for name in columns or ():
            _check_column("the relation", name, "a named column", known)
        return Source("the relation", engine.take(source, known if columns is None else columns), engine)
    raise BadParameter(f"relational: 'source' must be {KINDS}. Got {show_value(source)}.")


def _is_pattern(text: str) -> bool:
    """Return whether a text is a pattern of file names.

    >>> _is_pattern("edges/*.parquet"), _is_pattern("edges.parquet")
    (True, False)
    """
    return glob.has_magic(text)


def _list_files(engine: Engine, text: str) -> list[str]:
    """Return the Parquet files that a path, a pattern or a folder names, sorted."""
    if "://" in text:
        return engine.list_files(text)
    if not text:
        raise BadParameter(f"relational: 'source' must be {KINDS}. Got an empty name.")
    path = Path(text)
    if path.is_dir():
        found = sorted(map(str, path.glob("**/*.parquet")))
        if not found:
            raise BadFile(f"{text}: the folder must hold Parquet files (*.parquet). Got none.")
    elif path.exists() or not _is_pattern(text):
        found = [text]
    else:
        found = sorted(glob.glob(text, recursive=True))
        if not found:
            raise BadFile(f"{text}: the pattern must match files. Got none.")
    for one in found:
        _check_file(one)
    return [os.path.realpath(one) for one in found]


def _check_file(path: str) -> None:
    """Raise BadFile unless a file begins as a Parquet file does."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(4)
    except OSError as error:
        raise BadFile(f"{path}: cannot be read ({error.strerror}).") from error
    if start != b"PAR1":
        raise BadFile(
            f"{path}: 'source' must be {KINDS}. Got a file that is no Parquet file. Other formats are read into memory "
            "(without --engine); shoal.write converts them to Parquet."
        )
    note_input(path)


def _open_files(engine: Engine, place: str, paths: list[str]) -> Source:
    """Open Parquet files as one table; a column must have one type in all of them, up to the width of numbers."""
    found: dict[str, dict[str, str]] = {}
    narrowed: dict[str, str] = {}
    marks = {path: _mark(path) for path in paths if "://" not in path}
    for path in paths:
        with _naming(path):
            narrowed |= {} if "://" in path else _check_schema(engine, path)
            found[path] = engine.describe(engine.read_parquet([path]))
    first = found[paths[0]]
    for path, types in found.items():
        if types.keys() != first.keys():
            raise BadFile(
                f"{path}: all files must have the same columns. Got {list_names(types)}, and {list_names(first)} in "
                f"{paths[0]}."
            )
        for name, kind in types.items():
            if _widen(kind) != _widen(first[name]):
                raise BadFile(
                    f"{path}: the column {name!r} must have one type in all files. Got {kind}, and {first[name]} in "
                    f"{paths[0]}. Equal values of different types would be taken for different ones, or the reverse."
                )
    return Source(place, engine.read_parquet(paths), engine, narrowed, marks)


def _mark(path: str) -> tuple[int, ...]:
    try:
        about = os.stat(path)
    except OSError as error:
        raise BadFile(f"{path}: cannot be read ({error.strerror}).") from error
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns


def _check_schema(engine: Engine, path: str) -> dict[str, str]:
    """Return the columns of a Parquet file that an engine reads with fewer digits than they have, with their types.

    Raise BadFile if columns have one name.
    """
    from pyarrow import ArrowException, parquet

    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema
            names = [str(name).casefold() if engine.folds_case else name for name in file.schema_arrow.names]
    except (ArrowException, OSError, ValueError) as error:
        raise BadFile(f"{path}: cannot be read as Parquet ({cut(error)}).") from error
    if twice := sorted({name for name in names if names.count(name) > 1}):
        case = " DuckDB does not tell upper and lower case apart." if engine.folds_case else ""
        raise BadFile(f"{path}: columns must have different names. Got {list_names(twice)} more than once.{case}")
    found = {}
    for column in map(schema.column, range(len(schema))):
        if column.physical_type == "INT96":
            found[column.path] = "INT96"
        elif column.logical_type.type == "DECIMAL" and column.precision > DIGITS:
            found[column.path] = f"DECIMAL of {column.precision} digits"
    return found


@contextmanager
def _naming(place: str) -> Iterator[None]:
    """Name the place in an error of the engine."""
    try:
        yield
    except BadFile as error:
        raise BadFile(f"{place}: {str(error).removeprefix('relational: ')}") from error


def _widen(kind: str) -> str:
    return "integer" if kind in WHOLE else kind


def _open_table(engine: Engine, source: str) -> Source:
    """Open a table of a database file."""
    text = source.removeprefix(DATABASE)
    file, slash, table = text.rpartition("/")
    if not slash or not file or not table:
        raise BadParameter(f"relational: a table must be named duckdb:FILE/TABLE. Got {source!r}.")
    path = Path(file)
    if not path.is_file():
        raise BadFile(f"{file}: must be a DuckDB database file. Got no such file.")
    note_input(path)
    read, is_view = engine.attach(path, table)
    return Source(source, read, engine, is_view=is_view)
