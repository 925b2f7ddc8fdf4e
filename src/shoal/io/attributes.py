"""Attribute files: a table with a header and a row for each vertex, in csv, tsv, text or parquet."""

from __future__ import annotations

import os
from operator import ne
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from shoal.data.column import Column
from shoal.data.frames import key_column, to_arrow
from shoal.data.graph import Graph
from shoal.data.incoming import regrouped
from shoal.data.joining import Known
from shoal.data.spelling import in_one_spelling
from shoal.data.table import Table
from shoal.errors import BadFile, BadParameter
from shoal.io import parquet, text_tables, write_text_tables
from shoal.io.delimited import BLANKS, report_trimmed
from shoal.io.files import Kind, existing, kind_of

FORMATS = ("csv", "tsv", "text", "parquet")


def read(
    path: str | os.PathLike[str],
    key: str | int | None = None,
    format: str | None = None,  # noqa: A002
    *,
    trim: bool = False,
) -> Known:
    """Return the rows of an attribute file with the names they belong to."""
    found = existing(path)
    kind = kind_of(found, format, FORMATS)
    return (_read_parquet if kind.format == "parquet" else _read_text)(found, kind, key, trim)


def _read_parquet(path: Path, kind: Kind, key: str | int | None, trim: bool) -> Known:
    table = parquet.table(path, kind.compression)
    at = key_column(table.column_names, key, str(path))
    columns = {name: parquet.column(table, i, path) for i, name in enumerate(table.column_names) if i != at}
    columns = trimmed(columns, path) if trim else columns
    return Known(texts_of(parquet.column(table, at, path)), Table.of(columns, table.num_rows), str(path), error=BadFile)


def _read_text(path: Path, kind: Kind, key: str | int | None, trim: bool) -> Known:
    found = text_tables.read(path, kind)
    at = key_column(found.names, key, str(path))
    columns = found.columns(at, trim=trim)
    keys = found.keys(at)
    return Known(keys, Table.of(columns, len(keys)), str(path), lambda row: f"line {found.line(row):,}", BadFile)


def trimmed(columns: dict[str, Column], path: Path) -> dict[str, Column]:
    """Return columns without the blanks around their texts; a notice counts the cells. A text of blanks is missing."""
    cells = 0
    found = dict(columns)
    for name, column in columns.items():
        short = [_trimmed(value) for value in column.values]
        lost = np.array([*map(ne, short, column.values), False])
        if lost.any():
            cells += int(np.count_nonzero(lost[column.codes]))
            found[name] = regrouped(column.codes, Column.of(short))
    report_trimmed(path, "cells", cells, "")
    return found


def _trimmed(value: Any) -> Any:
    return (value.strip(BLANKS) or None) if isinstance(value, str) else value


def texts_of(column: Column) -> list[str | None]:
    """Return cells as names in text, or None where there is none.

    >>> texts_of(Column.of([7, None, "x"]))
    ['7', None, 'x']
    """
    texts = [*map(str, column.values), None]
    return [texts[code] for code in column.codes.tolist()]


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path, kind: Kind) -> None:
    """Write the attributes of the vertices, one row each, under a header that begins with "name"."""
    write_table(named(graph.attributes, names, str(path)), stream, path, kind, names="name")


def named(table: Table, names: list[str], who: str) -> Table:
    """Return the table with the names as its first column."""
    if "name" in table:
        raise BadParameter(f"{who}: a column called 'name' has no place beside the names. Rename it.")
    return Table(table.n, {"name": Column.of(names), **table.columns})


def write_table(table: Table, stream: BinaryIO, path: Path, kind: Kind, names: str | None = None) -> None:
    """Write a table; `names` is the column that is read as names."""
    if kind.format != "parquet":
        write_text_tables.write(table.columns, stream, path, "\t" if kind.format == "tsv" else ",", names)
        return
    from pyarrow import parquet as file

    file.write_table(to_arrow(in_one_spelling(table, str(path)), str(path)), stream)
