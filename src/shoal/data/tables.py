"""Tables in and out: a frame, a mapping, a graph or a file becomes a table, and a table becomes a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from shoal.data import attributes, written
from shoal.data.atomic import replacing
from shoal.data.column import Column
from shoal.data.files import RATIO, Kind, as_path, existing, kind_of, reading_within
from shoal.data.formats import parquet
from shoal.data.frames import is_frame, position
from shoal.data.graph import Graph
from shoal.data.holding import distinct
from shoal.data.incoming import column_of, renumbered
from shoal.data.joining import Known, check_distinct
from shoal.data.names import Names, warn_of_lookalikes
from shoal.data.numerals import Numeral
from shoal.data.parallel import in_order
from shoal.data.spelling import number
from shoal.data.table import MISSING, Table
from shoal.errors import BadFile, BadParameter, must, notice

FORMATS = ("csv", "tsv", "text", "parquet")
NEARLY, FEW = 8, 3
"""A column of so many different values, so few of which are no numbers, was probably meant to be numbers."""


def as_table(obj: Any, *, key: str | int | None = None, columns: Sequence[str] | None = None) -> Table:
    """Return data about individuals as a table, by exact comparison: 1 and 1.0 are alike, True is not 1.

    NaN, null, None, NaT and pandas' NA are the same missing value. Values become plain Python values.

    Parameters
    ----------
    obj
        A Table; a frame of pandas, polars or pyarrow (the index of pandas is not used); a mapping from column
        to cells; the path of a file, which :func:`read_table` reads; or a graph, whose attributes are taken with the
        names of its vertices.
    key
        The column that holds the names of the individuals, by name or by position from 0. It leaves the table.
        If not given, individuals are called by their position from 0.
    columns
        The columns to keep, in this order; all of them if not given.

    Examples
    --------
    >>> table = as_table({"who": ["Ann", "Bo"], "age": [30, None], "sex": ["f", "m"]}, key="who")
    >>> table, list(table.who), list(table["age"])
    (Table(2 rows; columns: age, sex), ['Ann', 'Bo'], [30, None])
    """
    if isinstance(obj, str | os.PathLike):
        table = read_table(obj, key=key)
    else:
        table = _encoded(obj)
        table = table if key is None else _keyed(table, key)
    _check_filled(table, "as_table")
    return table if columns is None else _only(table, columns)


def _encoded(obj: Any) -> Table:
    if isinstance(obj, Table):
        return obj
    if isinstance(obj, Graph):
        return Table(obj.n, obj.attributes.columns, obj.names)
    if type(obj).__name__ == "LazyFrame":
        raise BadParameter("as_table: a frame must hold its data. Got a polars LazyFrame; call .collect() first.")
    if is_frame(obj):
        return _from_frame(obj)
    if isinstance(obj, Mapping):
        return Table.of(_named((str(name), _cells(name, cells)) for name, cells in obj.items()))
    raise BadParameter(
        "as_table: a table must be a frame of pandas, polars or pyarrow, a mapping from column to cells, a path, "
        f"a graph or a Table. Got {type(obj).__name__}."
    )


def _from_frame(frame: Any) -> Table:
    """Encode a frame column by column; pandas' columns are taken by position, since their labels may be anything."""
    import narwhals as nw

    if hasattr(frame, "iloc"):
        labels, cells = frame.columns, [frame.iloc[:, at] for at in range(len(frame.columns))]
    elif hasattr(frame, "column_names"):
        labels, cells = frame.column_names, frame.columns
    else:
        table = nw.from_native(frame, eager_only=True)
        labels, cells = table.columns, [table[name].to_native() for name in table.columns]
    encoded = (column for _, column in in_order(column_of, cells))
    return Table.of(_named(zip(map(str, labels), encoded, strict=True)), len(frame))


def _named(columns: Iterable[tuple[str, Column]]) -> dict[str, Column]:
    """Return the columns by name, or refuse two of one name, since one of them would be lost."""
    found: dict[str, Column] = {}
    for name, column in columns:
        if name in found:
            raise BadParameter(
                f"as_table: columns must have names of their own. Got {name!r} twice. Rename one of them."
            )
        found[name] = column
    return found


def _cells(name: Any, cells: Any) -> Column:
    if isinstance(cells, str | bytes | Mapping) or not isinstance(cells, Iterable):
        raise BadParameter(f"as_table: the column {name!r} must be one cell per row, in order. Got {cells!r:.80}.")
    return column_of(cells)


def _keyed(table: Table, key: str | int) -> Table:
    """Return the table with a column as the names of its individuals."""
    label = list(table)[position(list(table), key, "as_table")]
    names = [str(name) if isinstance(name, Numeral) else name for name in table[label]]
    check_distinct(Known(names, table, "as_table"), "record")
    warn_of_lookalikes(names, "as_table")
    columns = {name: column for name, column in table.columns.items() if name != label}
    return Table(table.n, columns, Names(names))


def _only(table: Table, columns: Sequence[str]) -> Table:
    if isinstance(columns, str):
        raise BadParameter(f"as_table: 'columns' must be a list of columns. Got the text {columns!r}.")
    must(hasattr(columns, "__iter__"), "as_table", "columns", "a list of columns", columns)
    kept = table.only(columns)
    _check_filled(kept, "as_table")
    return kept


def _check_filled(table: Table, who: str) -> None:
    error = BadParameter if who == "as_table" else BadFile
    if not table.n:
        raise error(f"{who}: a table must have at least one row. Got none.")
    if not len(table):
        besides = "" if table.names is None else " besides the names"
        raise error(f"{who}: a table must have at least one column{besides}. Got none.")


def read_table(
    path: str | os.PathLike[str],
    *,
    key: str | int | None = None,
    format: str | None = None,  # noqa: A002 - the word of the command line
    separator: str | None = None,
    missing: Sequence[str] = (),
    trim: bool = False,
    trust_counts: bool = False,
    max_ratio: float = RATIO,
) -> Table:
    r"""Return the table that a file holds: a header that names the columns, then a row for each individual.

    Cells of a text file are alike if and only if they are spelled alike, blanks included: "a" is not "a ", and "1.0" is
    not "1". Quotes are no part of a spelling. A column is numbers only if every cell is one ("007" stays text); each
    keeps its spelling. An empty cell is missing, and a column with cells in quotes is text, unless the whole file is in
    quotes. Parquet holds types: its numbers are compared by value.

    Parameters
    ----------
    path
        A file in csv, tsv, text or parquet, perhaps packed as .gz, .zst or .bz2.
    key
        The column that holds the names of the individuals, by name or by position from 0; names are texts.
    format
        What the file holds, if its name does not say so.
    separator
        What stands between the cells of a text: one character, or "tab", "comma", "semicolon", "pipe", "space"
        (any run of blanks). Found out if not given.
    missing
        Texts that stand for a missing value besides the empty cell: ("?",) or ("NA", "-"), for example.
    trim
        Drop the blanks around cells, in quotes too; a notice counts the cells. Without it they count, and a notice says
        how many there are. Names of columns, and of individuals in a key column, lose blanks that are not in quotes.
    trust_counts
        Take the number of rows in a parquet file at its word, even if it exceeds 1,000,000 and 20 per byte.
    max_ratio
        The largest growth of a packed file that unpacks to more than 1 GB; more is refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.csv")
    ...     _ = file.write_text("age,zip,job\n30,02139,?\n,10001,nurse\n")
    ...     table = read_table(file, missing=("?",))
    >>> {name: list(table[name]) for name in table}
    {'age': [30, None], 'zip': ['02139', '10001'], 'job': [None, 'nurse']}
    """
    if isinstance(missing, str):
        raise BadParameter(f"read_table: 'missing' must be a list of texts. Got the text {missing!r}.")
    found = existing(path)
    kind = kind_of(found, format, FORMATS)
    if kind.format == "parquet" and separator is not None:
        raise BadParameter(f"{found}: 'separator' must be left out for a file in parquet. Got {separator!r}.")
    with reading_within(trust_counts, max_ratio):
        if kind.format == "parquet":
            table = _parquet(found, kind, key, missing, trim)
        else:
            table = _text(found, kind, key, separator, missing, trim)
    _check_filled(table, str(found))
    return table.from_file()


def _text(
    path: Path, kind: Kind, key: str | int | None, separator: str | None, missing: Sequence[str], trim: bool
) -> Table:
    found = written.read(path, kind, separator)
    at = None if key is None else position(found.names, key, str(path))
    columns = found.columns(at, missing, trim)
    _doubt_header(path, columns)
    for name, column in columns.items():
        _doubt_text(path, name, column)
    keys = [] if at is None else found.keys(at)
    known = Known(keys, Table.of(columns, found.rows), str(path), lambda row: f"line {found.line(row):,}", BadFile)
    return known.table if at is None else _with_names(known)


def _doubt_header(path: Path, columns: Mapping[str, Column]) -> None:
    """Say so if the first line could as well be a row: a number over numbers."""
    if any(number(name) is not None and column.is_numeric for name, column in columns.items()):
        notice(
            f"{path}: the first line, {', '.join(columns)!r:.60}, is read as the names of the columns, and looks like "
            "a row. If it is one, write a line of names above it."
        )


def _doubt_text(path: Path, name: str, column: Column) -> None:
    """Say so if all but very few of a column's texts are numbers: a mark for a missing value, say, made it text."""
    if len(column.values) < NEARLY or not isinstance(column.values[0], str):
        return
    odd = list(islice((text for text in column.values if number(text) is None), FEW + 1))
    if 0 < len(odd) <= FEW and "" not in odd:  # an empty text is one because of its quotes
        notice(
            f"{path}: the column {name!r} is read as text, because of {', '.join(map(repr, odd))!s:.80}; the other "
            f"{len(column.values) - len(odd):,} values are numbers. If it means a missing value, say "
            f"missing={tuple(odd)!r:.80} (--missing)."
        )


def _parquet(path: Path, kind: Kind, key: str | int | None, missing: Sequence[str], trim: bool) -> Table:
    found = parquet.table(path, kind.compression)
    at = None if key is None else position(found.column_names, key, str(path))
    cells = {name: parquet.column(found, i, path) for i, name in enumerate(found.column_names)}
    keys = [] if at is None else attributes.texts_of(cells.pop(found.column_names[at]))
    cells = attributes.trimmed(cells, path) if trim else cells
    columns = {name: _without(column, missing) for name, column in cells.items()}
    known = Known(keys, Table.of(columns, found.num_rows), str(path), error=BadFile)
    return known.table if at is None else _with_names(known)


def _with_names(known: Known) -> Table:
    check_distinct(known, "record")
    warn_of_lookalikes(known.keys, known.who)
    return replace(known.table, names=Names(known.keys))


def _without(column: Column, marks: Sequence[str]) -> Column:
    """Return the column with the texts that stand for a missing value missing."""
    gone = [code for code, value in enumerate(column.values) if isinstance(value, str) and value in marks]
    codes = column.codes.copy()
    for code in gone:
        codes[codes == code] = MISSING
    return renumbered(codes, column.values) if gone else column


def write_table(
    table: Any,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    force: bool = False,
    names: bool = False,
) -> None:
    """Write a table to a file that :func:`read_table` reads back alike.

    Numbers and texts are read back as they are; in csv and tsv other values (dates, truth values) are texts, and
    a notice says so. The file is written under a temporary name and moved into place, so that a failure leaves nothing.

    Parameters
    ----------
    table
        What to write, or anything that :func:`as_table` takes.
    path
        Where to: a name in .csv, .tsv or .parquet, perhaps with .gz, .zst or .bz2.
    format
        What to write, if the name of the file does not say so.
    force
        Replace a file that exists.
    names
        Write the names of the individuals too, as a first column called "name".

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table({"age": [30, None], "code": ["12", "7"]}, Path(folder, "people.csv"))
    ...     print(Path(folder, "people.csv").read_text())
    age,code
    30,"12"
    ,"7"
    """
    place = as_path(path)
    kind = kind_of(place, format, ("csv", "tsv", "parquet"))
    found = as_table(table)
    if names:
        texts = distinct("name", tuple(map(str, found.who)), str(place))
        found = attributes.named(found, list(texts), str(place))
    with replacing(place, force=force, compression=kind.compression) as stream:
        attributes.write_table(found, stream, place, kind, names="name" if names else None)
