"""Attribute files: a table with a header and a row for each vertex, in csv, tsv, text or parquet.

In text a column is whole numbers only if every cell is the plain spelling of one, and other numbers only if
no two different spellings are the same number; all else is text, so that "007" stays "007". An empty cell is
missing. A column with cells in quotes is text, unless the whole file is in quotes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data.delimited import Delimited, Record
from shoal.data.files import Kind, existing, kind_of, text_of
from shoal.data.formats import parquet
from shoal.data.frames import key_column
from shoal.data.graph import Graph
from shoal.data.holding import distinct, held
from shoal.data.joining import Known
from shoal.data.sniff import TextOptions, separator_of
from shoal.data.table import MISSING, Column, Table
from shoal.errors import BadFile, BadParameter, notice

FORMATS = ("csv", "tsv", "text", "parquet")
WHOLE = re.compile(r"0|-?[1-9][0-9]*")
REAL = re.compile(r"-?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")


def read(path: str | os.PathLike[str], key: str | int | None = None, format: str | None = None) -> Known:  # noqa: A002
    """Return the rows of an attribute file with the names they belong to."""
    found = existing(path)
    kind = kind_of(found, format, FORMATS)
    return _read_parquet(found, kind, key) if kind.format == "parquet" else _read_text(found, kind, key)


def _read_parquet(path: Path, kind: Kind, key: str | int | None) -> Known:
    table = parquet.table(path, kind.compression)
    at = key_column(table.column_names, key, str(path))
    names = table.column(at).to_pylist()
    keys = [name if name is None else str(name) for name in names]
    columns = {name: table.column(i).to_pylist() for i, name in enumerate(table.column_names) if i != at}
    return Known(keys, Table.of(columns, len(keys)), str(path), error=BadFile)


def _read_text(path: Path, kind: Kind, key: str | int | None) -> Known:
    lines = text_of(path, kind.compression).removesuffix("\n").split("\n")
    separator = separator_of(path, lines, TextOptions(loose=False))
    separator = "," if separator is None and kind.format != "text" else separator  # a single column, say
    records = list(Delimited(path, separator).records(lines))
    if not records:
        raise BadFile(f"{path}: must begin with a line that names its columns. Got no line.")
    header, *rows = records
    names = _checked(path, header, rows)
    at = key_column(names, key, str(path))
    loud = any(i not in record.quoted for record in records for i, cell in enumerate(record.cells) if cell)
    columns = {name: _column(rows, i, loud) for i, name in enumerate(names) if i != at}
    keys = _cells(rows, at, loud)
    return Known(keys, Table.of(columns, len(keys)), str(path), lambda row: f"line {rows[row].line:,}", BadFile)


def _checked(path: Path, header: Record, rows: list[Record]) -> list[str]:
    names = header.cells
    if len(set(names)) != len(names) or not all(names):
        raise BadFile(f"{path}, line {header.line:,}: columns must have names of their own. Got {names!r:.120}.")
    for row in rows:
        if len(row.cells) != len(names):
            raise BadFile(
                f"{path}, line {row.line:,}: a row must have {len(names)} cells, as the header has. "
                f"Got {len(row.cells)}: {row.cells!r:.120}."
            )
    return names


def _column(rows: list[Record], at: int, loud: bool) -> Column:
    """Return a column; `loud` if quotes say that a cell is text, because not every cell has them."""
    text = loud and any(at in row.quoted for row in rows)
    cells = _cells(rows, at, loud)
    return Column.of(cells) if text else typed(cells)


def _cells(rows: list[Record], at: int, loud: bool) -> list[str | None]:
    """Return the cells of a column, None for an empty one that no quotes make a text."""
    return [row.cells[at] if row.cells[at] or (loud and at in row.quoted) else None for row in rows]


def typed(cells: Sequence[str | None]) -> Column:
    """Return texts as numbers if nothing is lost by it.

    >>> typed(["7", None, "12"]).values, typed(["007", "12"]).values, typed(["0.5", "2"]).values
    ((7, 12), ('007', '12'), (0.5, 2.0))
    >>> typed(["1.0", "1"]).values
    ('1.0', '1')
    """
    column = Column.of(cells)
    if all(map(WHOLE.fullmatch, column.values)):
        return Column(column.codes, tuple(map(int, column.values)))
    if all(re.search("[0-9]", text) and REAL.fullmatch(text) for text in column.values):
        numbers = tuple(map(float, column.values))
        if all(map(isfinite, numbers)) and len(set(numbers)) == len(numbers):
            return Column(column.codes, numbers)
    return column


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path, kind: Kind) -> None:
    """Write the attributes of the vertices, one row each, under a header that begins with "name"."""
    if "name" in graph.attributes:
        raise BadParameter(f"{path}: a column called 'name' has no place beside the names. Rename it.")
    if kind.format == "parquet":
        _write_parquet(graph, names, stream, path)
    else:
        _write_text(graph, names, stream, path, "\t" if kind.format == "tsv" else ",")


def _write_parquet(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet as file

    columns = {"name": pa.array(names, type=pa.string())}
    for name, column in graph.attributes.columns.items():
        try:
            columns[name] = pa.array(list(column))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            one = held(Table(graph.n, {name: column}), ("str",), str(path))
            columns[name] = pa.array(list(one[name]), type=pa.string())
    file.write_table(pa.table(columns), stream)


def _write_text(graph: Graph, names: list[str], stream: BinaryIO, path: Path, separator: str) -> None:
    header = ["name", *graph.attributes]
    columns = [_said(name, column, path) for name, column in graph.attributes.columns.items()]
    _check_cells(path, header, names, *(said for _, said, _ in columns))
    stream.write((separator.join(_cell(name) for name in header) + "\n").encode())
    for v, name in enumerate(names):
        cells = [_cell(name, quoted=not name)]
        cells += ["" if codes[v] == MISSING else _cell(said[codes[v]], quoted) for codes, said, quoted in columns]
        stream.write((separator.join(cells) + "\n").encode())


def _check_cells(path: Path, header: list[str], *texts: Iterable[str]) -> None:
    if "" in header:
        raise BadParameter(f"{path}: a column must have a name. Got one without.")
    for text in chain(header, *texts):
        if "\0" in text:
            raise BadParameter(f"{path}: a text file cannot hold a NUL. Got {text!r:.60}. Write parquet instead.")


def _said(name: str, column: Column, path: Path) -> tuple[Any, tuple[str, ...], bool]:
    """Return codes, the values as text, and whether they need quotes to be read as text again."""
    said = distinct(name, tuple(map(_spelling, column.values)), str(path))
    if "" not in said and typed(said).alike(Column(Column.of(said).codes, column.values)):
        return column.codes, said, False
    if not all(isinstance(value, str) for value in column.values):
        notice(f"{path}: the column {name!r} holds values that a text file cannot tell from text; they are text.")
    return column.codes, said, True


def _spelling(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _cell(text: str, quoted: bool = False) -> str:
    special = quoted or re.search(r'[",;|\t\r\n]|^[ #%\ufeff]| $', text)
    return '"' + text.replace('"', '""') + '"' if special else text
