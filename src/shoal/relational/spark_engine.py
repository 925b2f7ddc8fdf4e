"""Spark as an engine: the same SQL on a cluster, or on the cores of one machine.

The rows of every step are Parquet files in the private folder of the run. So an executor that is lost in the middle
costs time: its tasks run again from these files. A step ends with all its files or with an error.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from shoal.errors import BadFile, BadParameter, MissingResource, cut, lacks_memory, load, must
from shoal.relational.engine import Row, quote
from shoal.relational.scratch import Scratch
from shoal.relational.source import WHOLE
from shoal.relational.steps import watch_step

OURS = {
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "32MB",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.skewJoin.enabled": "true",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "64MB",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "EXCEPTION",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "EXCEPTION",
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.parquet.int96RebaseModeInRead": "EXCEPTION",
    "spark.sql.parquet.int96RebaseModeInWrite": "EXCEPTION",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.fileCompressionFactor": "4.0",
    "spark.sql.variable.substitute": "false",
}
"""Settings of the engine's session; the caller's session keeps its own. Numbers that overflow are errors. A hub that
fills a partition is split. Nothing is left out because a file cannot be read, or says something else about itself. Old
dates are not moved to other days, and names of columns are not replaced."""
PRIVATE = {
    "spark.eventLog.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""Settings of a Spark that is started here: it writes and shows nothing about its queries."""
LOGGING = """appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
"""Java logs nothing, because messages show parts of queries. Without an appender, Spark would set up logging itself."""
LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""By these, pyspark prints errors."""
CAUSE = re.compile(r": (?P<kind>(?:java|org)\.[\w.$]+)(?:: \[(?P<condition>[A-Z][A-Z0-9_.]+)\])?")
"""The kind of an error of Java in its message, and the name of Spark for it. What follows may show cells."""
TYPES = {
    "string": "VARCHAR",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "decimal(20,0)": "UBIGINT",
    "binary": "BLOB",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "void": '"NULL"',
}
"""Types of Spark by the names that sources are checked by. Whole numbers of 64 bits without sign are decimals here."""
LOCAL = "local"
CLUSTER = "local-cluster"
WAIT = 20
"""The most seconds that the Java process of Spark may take to end."""
FILE_MARKS = ("input_file_name()", "input_file_block_start()", "spark_partition_id()")
SORTED_MARKS = ("''", "CAST(0 AS BIGINT)", "spark_partition_id()")
"""Where a row stands: its file and the part of it, or its partition. Only rows of one source have files."""
PARTITIONS = 3
"""Parts of a shuffle, per core."""


class SparkEngine:
    """Spark: executors count, on this machine or on others.

    Parameters
    ----------
    session
        A session of Spark, which goes on afterwards. None: the active one; else one is started, and ended with the
        engine.
    master
        Where a Spark that is started runs, as "local[4]" or "spark://host:7077". None: as the environment says.
    memory
        The memory of each executor of a Spark that is started, as "4GB". None: as the environment says.
    temp
        The folder in which the private folder of the run is made. All executors must see it under the same path. None:
        the temporary folder of the system, which is enough where all executors are on this machine.
    bits
        The number of bits of each half of a signature; for tests.
    """

    name = "spark"
    relation = "a DataFrame of Spark"
    folds_case = False

    def __init__(
        self,
        session: Any = None,
        *,
        master: str | None = None,
        memory: str | None = None,
        temp: str | Path | None = None,
        bits: int = 32,
    ) -> None:
        load("pyspark", "the engine spark", "spark")
        self.bits, self.used = bits, False
        amount = None if memory is None else _spell_memory(memory)
        self._scratch = Scratch(temp)
        self._made = count()
        self._places: dict[str, Path] = {}
        started = outer = None
        try:
            given = session or _find_session(master)
            started = given is None
            must(
                started or memory is None,
                "relational",
                "memory",
                "left out: Spark is running already (--memory)",
                memory,
            )
            outer = _start(master, amount, self._scratch) if given is None else given
            self._session = outer.newSession()
            for setting, value in OURS.items():
                self._session.conf.set(setting, value)
            cores = self._session.sparkContext.defaultParallelism
            self._session.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS * cores))
            if not _is_local(self._session) and temp is None:
                raise BadParameter(
                    "relational: 'temp' (--temp) must be a folder that all executors see under the same path, since "
                    f"this Spark runs on {self._session.sparkContext.master}. Got none."
                )
        except BaseException:
            _stop(outer if started else None)
            self._scratch.remove()
            raise
        self._group = f"shoal {self._scratch.folder.name}"
        self._finish = weakref.finalize(self, _end, outer if started else None, self._session, self._scratch)

    # Sources

    def read_parquet(self, paths: Sequence[str]) -> str:
        """Return what a query selects from to read Parquet files, as one table.

        The files get plain names first: Spark takes a path with * for a pattern, and leaves out files such as
        _a.parquet.
        """
        table = f"source_{next(self._made)}"
        if any("://" in path for path in paths):
            reader = self._session.read.option("mergeSchema", "true")
            frame = self._explain_errors(lambda: reader.parquet(*paths))
        else:
            folder = self._scratch.folder / table
            folder.mkdir()
            links = [folder / f"part-{at:07}.parquet" for at in range(len(paths))]
            for link, path in zip(links, paths, strict=True):
                link.symlink_to(path)
            frame = self._read_files([f"file://{link}" for link in links])
        found = len(frame.inputFiles())
        if found != len(paths):
            raise BadFile(f"relational: Spark must read {len(paths):,} files. It found {found:,}.")
        frame.createOrReplaceTempView(table)
        return table

    def _read_files(self, paths: list[str]) -> Any:
        """Return files of the same columns as a frame, with whole numbers as wide as in any of them."""
        frames = self._explain_errors(lambda: [self._session.read.parquet(path) for path in paths])
        if len(frames) == 1:
            return frames[0]
        wide: dict[str, str] = {}
        for frame in frames:
            for name, kind in frame.dtypes:
                both = TYPES.get(kind) in WHOLE and TYPES.get(wide.get(name, kind)) in WHOLE
                wide[name] = "bigint" if both and wide.get(name, kind) != kind else kind
        schema = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in wide.items() if kind != "void")
        return self._session.read.schema(schema).parquet(*paths)

    def list_files(self, place: str) -> list[str]:
        """Return the files of a place that is named by a URI, such as hdfs://host/edges."""
        reader = self._session.read.option("recursiveFileLookup", "true")
        files = self._explain_errors(lambda: reader.parquet(place).inputFiles())
        return sorted(map(str, files))

    def attach(self, path: Path, table: str) -> tuple[str, bool]:
        """Refuse a table of a database file: Spark does not read them."""
        raise BadParameter(
            f"{path}: the engine spark reads Parquet files and DataFrames. Got a table of DuckDB, {table!r}. Use the "
            "engine duckdb, or write the table as Parquet."
        )

    def list_columns(self, relation: Any) -> list[str] | None:
        """Return the columns of a DataFrame; None if this is none."""
        return [str(name) for name in relation.columns] if is_frame(relation) else None

    def take(self, relation: Any, columns: Sequence[str]) -> str:
        """Copy columns of a DataFrame; return what a query selects from to read them."""
        from pyspark.sql import functions

        must(
            relation.sparkSession.sparkContext is self._session.sparkContext,
            "relational",
            "source",
            "a DataFrame of the Spark that counts",
            relation,
        )
        empty = [field.name for field in relation.schema.fields if field.dataType.typeName() == "void"]
        cells = [functions.col(f"`{name.replace('`', '``')}`") for name in columns]
        taken = relation.select(
            *[
                cell.cast("boolean").alias(name) if name in empty else cell
                for name, cell in zip(columns, cells, strict=True)
            ]
        )
        table = f"taken_{next(self._made)}"
        self._keep(table, taken, "reading the relation")
        return table

    def close_sources(self) -> None:
        """Note that the engine has a network from now on. Spark itself does not limit which files it opens."""
        self.used = True

    def end_loading(self) -> None:
        """Do nothing: tables of the run are files already."""

    def describe(self, source: str) -> dict[str, str]:
        """Return the columns of a source with their types."""
        fields = self._explain_errors(lambda: self._session.table(source).dtypes)
        return {name: TYPES.get(kind, kind.upper()) for name, kind in fields}

    # Steps

    def keep(self, table: str, query: str, what: str, *, order: str | None = None) -> None:
        """Keep the rows of a query as a table of the run. Sorting them would cost a shuffle, and would not pay."""
        self._keep(table, self._explain_errors(lambda: self._session.sql(query)), what)

    def _keep(self, table: str, frame: Any, what: str) -> None:
        """Write a frame as Parquet, and read it from there from now on."""
        place = self._scratch.folder / f"{table}-{next(self._made)}"
        self._watch(lambda: frame.write.parquet(f"file://{place}"), what)
        self._session.read.schema(frame.schema).parquet(f"file://{place}").createOrReplaceTempView(table)
        before = self._places.get(table)
        self._places[table] = place
        if before is not None:
            shutil.rmtree(before, ignore_errors=True)

    def number(self, table: str, query: str, what: str, *, order: str | None = None) -> None:
        """Keep the rows of a query with numbers v from 0; without an order, rows of files are numbered in their order.

        Rows get a number in their run first: a part of a file, or a sorted partition. Runs are in order, so the number
        of rows before each is then added.
        """
        from pyspark.sql import functions

        raw, run = f"{table}_raw", ("file_", "block_", "part_")
        frame = self._explain_errors(lambda: self._session.sql(query))
        columns = ", ".join(f"r.{quote(name)}" for name in frame.columns)
        placed = frame if order is None else frame.orderBy(functions.expr(order))
        marks = FILE_MARKS if order is None else SORTED_MARKS
        marked = placed.selectExpr(
            *(f"{mark} AS {name}" for mark, name in zip(marks, run, strict=True)),
            "monotonically_increasing_id() AS at_",
            "*",
        )
        self._keep(raw, marked, what)
        listed = ", ".join(run)
        runs = self.collect(
            f"SELECT {listed}, min(at_), max(at_), count(*) FROM {raw} GROUP BY {listed} ORDER BY {listed}", what
        )
        shifts, before = [], 0
        for *place, first, last, rows in runs:
            if last - first + 1 != rows:
                raise RuntimeError("relational: Spark numbered rows with gaps. This is a defect; nothing was counted.")
            shifts.append((*place, before - first))
            before += rows
        self.fill(f"{table}_shifts", ("file_ STRING", "block_ BIGINT", "part_ INTEGER", "shift BIGINT"), shifts)
        same = " AND ".join(f"s.{name} = r.{name}" for name in run)
        self.keep(
            table,
            f"SELECT CAST(r.at_ + s.shift AS BIGINT) AS v, {columns} FROM {raw} r JOIN {table}_shifts s ON {same}",
            what,
        )
        self.drop(raw, f"{table}_shifts")

    def fill(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Keep a few rows as a table of the run. They are no part of a query, which others may see."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*pandas")  # which is not used
            frame = self._session.createDataFrame(list(rows), ", ".join(columns))
        self._keep(table, frame.coalesce(1), "filling")

    def drop(self, *tables: str) -> None:
        """Drop tables of the run."""
        for table in tables:
            self._session.catalog.dropTempView(table)
            place = self._places.pop(table, None)
            if place is not None:
                shutil.rmtree(place, ignore_errors=True)

    def collect(self, query: str, what: str) -> list[Row]:
        """Return the few rows of a query."""
        rows: list[Row] = []
        self._watch(lambda: rows.extend(map(tuple, self._session.sql(query).collect())), what)
        return rows

    def _watch(self, step: Callable[[], object], what: str) -> None:
        """Run a step; a signal or the end of the time cancels its jobs."""
        must(self._finish.alive, "relational", "engine", "open", "closed")
        context = self._session.sparkContext

        def work() -> None:
            context.setJobGroup(self._group, what, interruptOnCancel=False)
            step()

        with _silencing_messages():
            failed = watch_step(work, what, self._measure_progress, lambda: context.cancelJobGroup(self._group))
        if failed is not None:
            raise self._explain(failed) from failed

    def _measure_progress(self) -> float:
        """Return the share of finished tasks of the running stages, in percent."""
        tracker = self._session.sparkContext.statusTracker()
        done = total = 0
        for stage in tracker.getActiveStageIds():
            about = tracker.getStageInfo(stage)
            if about is not None:
                done, total = done + about.numCompletedTasks, total + about.numTasks
        return 100 * done / total if total else 0

    def _explain_errors(self, call: Callable[[], Any]) -> Any:
        try:
            with _silencing_messages():
                return call()
        except Exception as error:
            raise self._explain(error) from error

    def _explain(self, error: BaseException) -> BaseException:
        """Return the error to raise for an error of the library. Its message may hold cells: only its kind is told."""
        if isinstance(error, ValueError | OverflowError):
            return BadFile("relational: a date or time is out of the range of Python. Convert the column to text.")
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            return error
        text, condition = str(error), getattr(error, "getCondition", lambda: None)()
        if lacks_memory(error) or "OutOfMemoryError" in text:
            return MissingResource("relational: Spark does not have enough memory. Raise memory= (--memory).")
        if "No space left" in text or "quota" in text.lower():
            return MissingResource("relational: temporary data does not fit. Name a folder with temp= (--temp).")
        cause = CAUSE.search(text)
        told = condition or (cause and (cause["condition"] or cause["kind"])) or type(error).__name__
        return BadFile(f"relational: Spark cannot read or count this: {cut(told)}.")

    # What dialects spell in different ways

    def sign(self, columns: Sequence[str], salt: int) -> str:
        """Return a hash of the columns. The salt comes first: it is the seed of all that follows."""
        return f"xxhash64({', '.join([str(salt), *columns])})"

    def halve(self, hashed: str) -> tuple[str, str]:
        """Return the halves of a hash, which has a sign here."""
        mask = (1 << self.bits) - 1
        return f"({hashed} & {mask}L)", f"(shiftrightunsigned({hashed}, 32) & {mask}L)"

    def bundle(self, *columns: str) -> str:
        """Return the rows of a group as text, in the order of the first column."""
        texts = ", ':', ".join(f"CAST({column} AS STRING)" for column in columns)
        return f"listagg(concat({texts}), ' ') WITHIN GROUP (ORDER BY {columns[0]})"

    def digest(self, text: str) -> str:
        """Return the SHA-256 of a text."""
        return f"sha2({text}, 256)"

    def text(self, expression: str) -> str:
        """Return a text that is equal iff its bytes are, whatever the collation of the column."""
        return f"collate(CAST({expression} AS STRING), 'UTF8_BINARY')"

    def export(self, query: str, what: str) -> list[Path]:
        """Write the rows of a query as Parquet files in the private folder; return their paths."""
        table = f"written_{next(self._made)}"
        try:
            self.keep(table, query, what)
        except BaseException:
            self.drop(table)
            raise
        self._session.catalog.dropTempView(table)
        return sorted(self._places.pop(table).glob("*.parquet"))

    def select(self, query: str) -> Any:
        """Return a DataFrame for a query."""
        return self._session.sql(query)

    def start_another(self) -> SparkEngine:
        """Return a new engine in the same Spark."""
        return SparkEngine(self._session, temp=self._scratch.home, bits=self.bits)

    def close(self) -> None:
        """Remove all temporary data, and end a Spark that was started here; so does the end of the program."""
        self._finish()


def is_frame(source: Any) -> bool:
    """Return whether this is a DataFrame of Spark. One of Spark Connect is refused: its jobs cannot be watched."""
    kind = type(source)
    if kind.__name__ != "DataFrame" or not kind.__module__.startswith("pyspark."):
        return False
    if ".connect." in kind.__module__:
        raise BadParameter(
            "relational: 'source' must be a DataFrame of classic Spark. Got one of Spark Connect. Write it as Parquet."
        )
    return True


def _find_session(master: str | None) -> Any:
    """Return the active session, if no other master is asked for."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is None and SparkContext._active_spark_context is not None:
        active = SparkSession.builder.getOrCreate()
    if active is None or master in (None, active.sparkContext.master):
        return active
    raise BadParameter(
        f"relational: 'master' (--master) must be that of the running Spark, {active.sparkContext.master}. Got "
        f"{cut(master)}. Stop the other session first."
    )


def _start(master: str | None, memory: str | None, scratch: Scratch) -> Any:
    """Start Spark with its temporary data in a private folder.

    Its Java process holds the lock of the folder, too. If this process is killed, Java ends by itself a moment later,
    and only then a next start may remove the folder.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf().setAll(list(_list_options(master, memory, scratch.folder).items()))
    try:
        with _keeping_signals(), _setting_environment(_list_variables(master or LOCAL, scratch.folder)):
            gateway = launch_gateway(conf, {"stderr": subprocess.DEVNULL, "pass_fds": scratch.locks})
            SparkContext(conf=conf, gateway=gateway)
            return SparkSession.builder.getOrCreate()
    except (PySparkException, FileNotFoundError) as error:
        told = error.getCondition() if isinstance(error, PySparkException) else None
        raise MissingResource(
            f"relational: Spark must have Java 17 or newer. It could not be started: {told or cut(error)}. Install "
            "Java (on Debian: openjdk-17-jre-headless), and set JAVA_HOME if it is not on the PATH."
        ) from error


def _list_options(master: str | None, memory: str | None, folder: Path) -> dict[str, str]:
    """Return the settings of a Spark that is started, and make the folders that they name."""
    for name in ("spill", "java"):
        (folder / name).mkdir()
    logging = folder / "log4j2.properties"
    logging.write_text(LOGGING)
    java = f"-Djava.io.tmpdir={folder}/java -XX:-UsePerfData -Dlog4j2.configurationFile={logging}"
    options = PRIVATE | {
        "spark.driver.extraJavaOptions": java,
        "spark.local.dir": f"{folder}/spill",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }
    if master is not None:
        options["spark.master"] = master
    if master is not None and master.startswith(LOCAL):
        options |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        options["spark.executor.extraJavaOptions"] = java
    if memory is not None:
        options |= {"spark.driver.memory": memory} if master is None or "cluster" not in master else {}
        options["spark.executor.memory"] = memory
    return options


def _spell_memory(memory: str) -> str:
    """Return an amount such as 4GB as Java spells it.

    >>> _spell_memory("4GB"), _spell_memory("500 MiB")
    ('4g', '500m')
    """
    digits, unit = memory.strip().rstrip("iBb").strip()[:-1].strip(), memory.strip().rstrip("iBb").strip()[-1:].lower()
    must(digits.isdecimal() and unit in "kmgt", "relational", "memory", "an amount such as 4GB (--memory)", memory)
    return digits + unit


@contextmanager
def _silencing_messages() -> Iterator[None]:
    """Let pyspark print no errors: they show parts of queries, and cells."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


@contextmanager
def _keeping_signals() -> Iterator[None]:
    """Keep the handler of Ctrl-C, which Spark replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _list_variables(master: str, folder: Path) -> dict[str, str]:
    """Return the environment of a Spark that is started.

    All parts of a Spark on this machine listen on its loopback address only. The executors of a local cluster log into
    the home of Spark: it gets a home in the private folder, with links to all that is in the real one.
    """
    from pyspark.find_spark_home import _find_spark_home

    variables = {}
    if master.startswith(LOCAL) and "SPARK_LOCAL_IP" not in os.environ:
        variables["SPARK_LOCAL_IP"] = "127.0.0.1"
    if master.startswith(CLUSTER):
        home = folder / "home"
        home.mkdir()
        for part in Path(_find_spark_home()).iterdir():
            if part.name != "work":
                (home / part.name).symlink_to(part)
        variables["SPARK_HOME"] = str(home)
    return variables


@contextmanager
def _setting_environment(variables: dict[str, str]) -> Iterator[None]:
    """Set variables of the environment for a block."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _is_local(session: Any) -> bool:
    """Return whether all executors are on this machine."""
    return str(session.sparkContext.master).startswith(LOCAL)


def _end(outer: Any, session: Any, scratch: Scratch) -> None:
    """End a Spark that was started for this engine, and remove all temporary data."""
    with suppress(Exception):
        for view in session.catalog.listTables():
            session.catalog.dropTempView(view.name)
    _stop(outer)
    scratch.remove()


def _stop(outer: Any) -> None:
    """End a Spark that was started here."""
    if outer is not None:
        with suppress(Exception):
            outer.stop()
        _stop_gateway()


def _stop_gateway() -> None:
    """End the Java process of Spark, which holds the private folder."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is None:
        return
    process = getattr(gateway, "proc", None)
    with suppress(Exception):
        gateway.shutdown()
    if process is not None:
        process.stdin.close()
        try:
            process.wait(WAIT)
        except subprocess.TimeoutExpired:
            process.kill()
    SparkContext._gateway = SparkContext._jvm = None
