"""DuckDB as an engine: in this process, out of core, without a server and without a network.

Sources are opened read-only. Apart from them and from the private folder of the run, the engine can open no file, and
it installs no extensions. Steps run in a thread of their own, so that Ctrl-C and time limits end them at once.
"""

from __future__ import annotations

import glob
import os
import re
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from shoal import settings
from shoal.errors import (
    BadFile,
    BadParameter,
    MissingResource,
    cut,
    did_you_mean,
    lacks_memory,
    list_names,
    load,
    must,
)
from shoal.relational.engine import Row, quote, spell_text
from shoal.relational.scratch import Scratch
from shoal.relational.steps import watch_step

FIXED = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "enable_external_file_cache": False,
    "default_collation": "",
}
"""Nothing is installed, loaded or kept by itself, and texts are compared byte by byte."""
QUIET = ("preserve_insertion_order = false", "enable_progress_bar = true", "enable_progress_bar_print = false")
"""Rows come in any order, and progress is measured but not printed."""
AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)? ?[KMGT]i?B", re.IGNORECASE)
"""An amount of memory. DuckDB takes a negative amount for no limit."""
SHOWING = {"DataError", "InvalidInputException"}
"""Errors of DuckDB whose messages show cells; a name stands for what is derived from it, too."""
CELL = re.compile("['\"(0-9]|(?<!Error): ")
"""Where a cell may begin in such a message."""
TRUSTING = "statistics_propagation,compressed_materialization"
"""What DuckDB does with the smallest and largest values that a Parquet file declares. They need not be true: a column
with NaN may declare that it has none, and then a test for NaN is answered without a look. So it is off for sources."""


LONG = {"HUGEINT", "UHUGEINT"}
"""Whole numbers of 128 bits: DuckDB writes them to Parquet as DOUBLE, with fewer digits."""


class DuckDBEngine:
    """An embedded DuckDB whose tables are in memory, and in a private folder as far as they do not fit.

    Parameters
    ----------
    memory
        The most memory for tables and joins, as "4GB". What does not fit is in the private folder. None: 80 % of the
        machine's.
    temp
        The folder in which the private folder is made. None: the temporary folder of the system.
    threads
        The number of threads. None: that of :mod:`shoal.settings`.
    bits
        The number of bits of each half of a signature; for tests.
    """

    name = "duckdb"
    relation = "a relation of DuckDB"
    folds_case = True

    def __init__(
        self,
        memory: str | None = None,
        temp: str | Path | None = None,
        threads: int | None = None,
        bits: int = 32,
    ) -> None:
        duckdb = load("duckdb", "the engine duckdb", "duckdb")
        self.bits, self.used = bits, False
        self._duckdb, self._memory, self._threads = duckdb, memory, threads
        self._scratch = Scratch(temp)
        folder = self._scratch.folder
        try:
            self._connection = duckdb.connect(
                config=FIXED
                | {
                    "threads": settings.count_threads() if threads is None else threads,
                    "temp_directory": str(folder / "spill"),
                    "extension_directory": str(folder / "none"),
                    "home_directory": str(folder),
                    "secret_directory": str(folder / "none"),
                }
            )
            self._limit_memory(memory)
            for setting in QUIET:
                self._connection.execute(f"SET {setting}")
        except BaseException:
            self._scratch.remove()
            raise
        self._readable: dict[str, None] = {}
        self._attached = 0
        self._finish = weakref.finalize(self, _end, self._connection, self._scratch)

    def _limit_memory(self, memory: str | None) -> None:
        if memory is None:
            return
        known = AMOUNT.fullmatch(str(memory).strip())
        must(known, "relational", "memory", "an amount such as 4GB or 500MB (--memory)", memory)
        self._connection.execute(f"SET memory_limit = {spell_text(memory)}")

    # Sources: opened before the first step, read-only; then no other file can be opened.

    def read_parquet(self, paths: Sequence[str]) -> str:
        """Return what a query selects from to read Parquet files, as one table."""
        for path in paths:
            if not path.isprintable() or ("\\" in path and glob.has_magic(path)):  # it would open another file, or none
                raise BadFile(f"{path!r}: DuckDB cannot open a file of this name. Rename it.")
        patterns = [glob.escape(path) for path in paths]  # DuckDB takes a path with * or [ for a pattern
        self._readable |= dict.fromkeys([*paths, *patterns])
        listed = ", ".join(map(spell_text, patterns))
        return f"read_parquet([{listed}], union_by_name = true, hive_partitioning = false)"

    def attach(self, path: Path, table: str) -> tuple[str, bool]:
        """Return what a query selects from to read a table of a database file, which is opened read-only.

        Also return whether it is a view.
        """
        database = f"source{self._attached}"
        self._attached += 1
        place = spell_text(os.path.realpath(path))
        try:
            self._connection.execute(f"ATTACH {place} AS {database} (TYPE duckdb, READ_ONLY)")
        except self._duckdb.Error as error:
            raise BadFile(
                f"{path}: must be a DuckDB database that no other program is writing. Got: {_shorten(error)}."
            ) from error
        (schema, name), is_view = self._find_table(path, database, table)
        return ".".join([database, quote(schema), quote(name)]), is_view

    def _find_table(self, path: Path, database: str, table: str) -> tuple[tuple[str, str], bool]:
        """Return the schema and the name of a table or view, and whether it is a view.

        It is named as "table" or as "schema.table".
        """
        kept = "database_name, schema_name"
        rows = self._connection.execute(
            f"""SELECT schema_name, name, is_view FROM (
                    SELECT {kept}, table_name AS name, FALSE AS is_view FROM duckdb_tables()
                    UNION ALL SELECT {kept}, view_name, TRUE FROM duckdb_views() WHERE NOT internal)
                WHERE database_name = '{database}' ORDER BY ALL"""
        ).fetchall()
        views = {(schema, name): is_view for schema, name, is_view in rows}
        spelled = {(schema, name): name if schema == "main" else f"{schema}.{name}" for schema, name in views}
        found = [
            one for one, short in spelled.items() if table.lower() in (short.lower(), f"{one[0]}.{one[1]}".lower())
        ]
        if len(found) != 1:
            known = list(spelled.values())
            raise BadParameter(
                f"{path}: a table must be one of the database. {len(found) or 'No'} tables are called {table!r}."
                f"{did_you_mean(table, known)} The tables are {list_names(known) or 'none'}."
            )
        return found[0], views[found[0]]

    def list_files(self, place: str) -> list[str]:
        """Refuse a URI: nothing is fetched."""
        raise BadParameter(f"relational: 'source' must be on this machine; nothing is fetched. Got {place!r}.")

    def list_columns(self, relation: Any) -> list[str] | None:
        """Return the columns of a relation; None if this is none."""
        if type(relation).__name__ != "DuckDBPyRelation":
            return None
        known = [str(name) for name in relation.columns]
        if len({name.casefold() for name in known}) < len(known):  # DuckDB does not tell 'a' and 'A' apart
            raise BadParameter(
                f"relational: the columns of a relation must have different names. Got {list_names(known)}. Rename one."
            )
        return known

    def take(self, relation: Any, columns: Sequence[str]) -> str:
        """Copy columns of a relation of the caller's connection; return what a query selects from to read them."""
        path = self._scratch.folder / f"taken{len(list(self._scratch.folder.glob('taken*')))}.parquet"
        kinds = dict(zip(map(str, relation.columns), map(str, relation.types), strict=True))
        long = {name: kinds[name] for name in columns if kinds[name] in LONG}  # Parquet has no such numbers: as text
        copied = relation.project(
            ", ".join(f"CAST({quote(n)} AS VARCHAR) AS {quote(n)}" if n in long else quote(n) for n in columns)
        )
        owner = getattr(relation, "_con", self._duckdb)  # older versions tell the connection of a relation nowhere
        self._watch(lambda: copied.write_parquet(str(path)), owner, "reading the relation")
        read = self.read_parquet([str(path)])
        if not long:
            return read
        cells = [f"CAST({quote(n)} AS {long[n]}) AS {quote(n)}" if n in long else quote(n) for n in columns]
        return f"(SELECT {', '.join(cells)} FROM {read})"

    def close_sources(self) -> None:
        """From now on, open only the sources and the private folder."""
        self.used = True
        allowed = {"allowed_paths": self._readable, "allowed_directories": [str(self._scratch.folder)]}
        for setting, places in allowed.items():
            self._connection.execute(f"SET {setting} = [{', '.join(map(spell_text, places))}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute(f"SET disabled_optimizers = '{TRUSTING}'")

    def end_loading(self) -> None:
        """From now on, read only tables of the run, and change no setting."""
        self._connection.execute("RESET disabled_optimizers")
        self._connection.execute("SET lock_configuration = true")

    def describe(self, source: str) -> dict[str, str]:
        """Return the columns of a source with their types."""
        rows = self.collect(f"DESCRIBE SELECT * FROM {source}", "reading columns")
        return {str(name): str(kind) for name, kind, *_ in rows}

    # Steps

    def keep(self, table: str, query: str, what: str, *, order: str | None = None) -> None:
        """Keep the rows of a query as a table of the run, in an order where rows are read faster then."""
        self._run(f"CREATE OR REPLACE TABLE {table} AS {query}{'' if order is None else f' ORDER BY {order}'}", what)

    def number(self, table: str, query: str, what: str, *, order: str | None = None) -> None:
        """Keep the rows of a query with numbers v from 0."""
        over = "" if order is None else f"ORDER BY {order}"
        self.keep(table, f"SELECT CAST(row_number() OVER ({over}) - 1 AS BIGINT) AS v, * FROM ({query})", what)

    def fill(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Keep a few rows as a table of the run."""
        self._connection.execute(f"CREATE OR REPLACE TABLE {table} ({', '.join(columns)})")
        held = list(rows)
        if held:
            self._connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", held)

    def drop(self, *tables: str) -> None:
        """Drop tables of the run."""
        for table in tables:
            self._connection.execute(f"DROP TABLE IF EXISTS {table}")

    def collect(self, query: str, what: str) -> list[Row]:
        """Return the few rows of a query."""
        return self._run(query, what)

    def _run(self, query: str, what: str) -> list[Row]:
        """Run a query as a step; return its rows."""
        rows: list[Row] = []
        self._watch(lambda: rows.extend(self._connection.execute(query).fetchall()), self._connection, what)
        return rows

    def _watch(self, step: Callable[[], object], connection: Any, what: str) -> None:
        """Run a step of a connection; a signal or the end of the time interrupts it."""
        must(self._finish.alive, "relational", "engine", "open", "closed")
        failed = watch_step(step, what, connection.query_progress, connection.interrupt)
        if failed is not None:
            raise self._explain(failed) from failed

    def _explain(self, error: BaseException) -> BaseException:
        """Return the error to raise for an error of the library."""
        text = _shorten(error)
        if isinstance(error, self._duckdb.OutOfMemoryException) or lacks_memory(error):
            limit = "" if self._memory is None else f" (limit {self._memory})"
            return MissingResource(
                f"relational: DuckDB does not have enough memory or temporary space{limit}: {text}. Raise memory= "
                "(--memory), or name a folder with more space with temp= (--temp)."
            )
        if isinstance(error, self._duckdb.IOException) and ("space" in text.lower() or "quota" in text.lower()):
            return MissingResource(
                f"relational: temporary data does not fit: {text}. Name a folder with temp= (--temp)."
            )
        if isinstance(error, self._duckdb.Error) and not isinstance(error, self._duckdb.InternalException):
            return BadFile(f"relational: DuckDB cannot read or count this: {text}.")
        return error

    # What dialects spell in different ways

    def sign(self, columns: Sequence[str], salt: int) -> str:
        """Return a hash of the columns. A salt next to a value gives dependent hashes; the outer hash mends that."""
        return f"hash(hash({', '.join([*columns, str(salt)])}))"

    def digest(self, text: str) -> str:
        """Return the SHA-256 of a text."""
        return f"sha256({text})"

    def text(self, expression: str) -> str:
        """Return a text that is equal iff its bytes are, whatever the collation of the column."""
        return f"decode(encode(CAST({expression} AS VARCHAR)))"

    def halve(self, hashed: str) -> tuple[str, str]:
        """Return the halves of a hash."""
        mask = (1 << self.bits) - 1
        return f"CAST({hashed} & {mask} AS BIGINT)", f"CAST(({hashed} >> 32) & {mask} AS BIGINT)"

    def bundle(self, *columns: str) -> str:
        """Return the rows of a group as text, in the order of the first column."""
        return f"string_agg(concat_ws(':', {', '.join(columns)}), ' ' ORDER BY {columns[0]})"

    def export(self, query: str, what: str) -> list[Path]:
        """Write the rows of a query as a Parquet file in the private folder; return its path."""
        part = self._scratch.folder / "written.parquet"
        types = self.describe(f"({query})")
        cells = [
            f"CAST({quote(name)} AS DECIMAL(38, 0)) AS {quote(name)}" if kind in LONG else quote(name)
            for name, kind in types.items()
        ]
        if LONG & set(types.values()):
            query = f"SELECT {', '.join(cells)} FROM ({query})"
        try:
            self._run(f"COPY ({query}) TO {spell_text(str(part))} (FORMAT parquet)", what)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return [part]

    def select(self, query: str) -> Any:
        """Return a relation of DuckDB for a query."""
        return self._connection.sql(query)

    def start_another(self) -> DuckDBEngine:
        """Return a new engine with the same options."""
        return type(self)(self._memory, self._scratch.home, self._threads, self.bits)

    def close(self) -> None:
        """Close the connection and remove all temporary data; so does the end of the program."""
        self._finish()


def _end(connection: Any, scratch: Scratch) -> None:
    connection.close()
    scratch.remove()


def _shorten(error: BaseException) -> str:
    """Return the first line of a message of the library, up to the first cell that it shows: it may name a person."""
    line = str(error).split("\n")[0]
    shows = SHOWING & {kind.__name__ for kind in type(error).__mro__}
    return cut((CELL.split(line)[0] if shows else line).rstrip(".: "))
