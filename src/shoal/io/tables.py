"""Tables and hierarchies in files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from shoal.data.column import MISSING, Column
from shoal.data.convert import as_table, check_filled
from shoal.data.frames import position
from shoal.data.hierarchy import Hierarchy, find_problem
from shoal.data.incoming import renumbered
from shoal.data.joining import Known, check_distinct
from shoal.data.names import Names, warn_of_lookalikes
from shoal.data.spelling import distinct, number
from shoal.data.table import Table
from shoal.errors import BadFile, BadParameter, notice
from shoal.io import attributes, parquet, text_tables
from shoal.io.atomic import replacing
from shoal.io.delimited import Delimited, report_trimmed
from shoal.io.files import RATIO, Kind, as_path, existing, kind_of, reading_within
from shoal.io.text_tables import text_in


def read_hierarchy(path: str | os.PathLike[str], *, separator: str = ";") -> Hierarchy:
    r"""Return the hierarchy in a file as ARX writes it: a row per value, the value first, its generalizations after it.

    Values are matched to those of a column by their spelling: `25` is the number 25 or the text "25". An empty first
    cell is the row of missing values. Blanks around a cell are dropped and counted by a notice; quotes keep them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "age.csv")
    ...     _ = file.write_text("17;10-19;*\n18;10-19;*\n25;20-29;*\n")
    ...     hierarchy = read_hierarchy(file)
    >>> hierarchy.depth, list(hierarchy.recoded(Column.of([25, 17]), 1))
    (3, ['20-29', '10-19'])
    """
    found = existing(path)
    text = text_in(found, kind_of(found, "csv").compression, "a hierarchy").decode()
    rows: dict[str | None, tuple[str, ...]] = {}
    lines: dict[str | None, int] = {}
    trimmed = 0
    for record in Delimited(found, separator, "", tabs_count=True).records(text.removesuffix("\n").split("\n")):
        value, labels = record.cells[0] or None, tuple(record.cells[1:])
        where = f"{found}, line {record.line:,}"
        if value in rows:
            raise BadFile(f"{where}: each value must have one row. Got {value!r} again, after line {lines[value]:,}.")
        rows[value], lines[value] = labels, record.line
        trimmed += len(record.trimmed)
        problem = find_problem(labels, len(next(iter(rows.values()))))
        if problem:
            raise BadFile(f"{where}: {problem}{_hint(record.cells, separator)}")
    report_trimmed(found, "cells", trimmed)
    try:
        return Hierarchy.of(rows)
    except BadParameter as error:
        raise BadFile(f"{found}: {error}") from error


def _hint(cells: list[str], separator: str) -> str:
    other = next((mark for mark in ";,\t" if mark != separator and len(cells) == 1 and mark in cells[0]), None)
    return (
        f" Are the cells separated by {other!r}? Write semicolons, or say separator={other!r} to read_hierarchy."
        if other
        else ""
    )


# Tables in and out: a frame, a mapping, a graph or a file becomes a table, and a table becomes a file.

FORMATS = ("csv", "tsv", "text", "parquet")
NEARLY, FEW = 8, 3
"""A column of so many different values, so few of which are no numbers, was probably meant to be numbers."""


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
    check_filled(table, str(found))
    return table.from_file()


def _text(
    path: Path, kind: Kind, key: str | int | None, separator: str | None, missing: Sequence[str], trim: bool
) -> Table:
    found = text_tables.read(path, kind, separator)
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
