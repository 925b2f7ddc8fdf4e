"""Reading of graphs, tables and attribute files. Errors name the file and the line."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import ne
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.column import MISSING, Column
from shoal.data.dataset import check_filled, check_link_options
from shoal.data.edge_columns import warn_of_table
from shoal.data.encode import regroup_codes, renumber_codes
from shoal.data.frames import find_key_column
from shoal.data.graph import Graph, Pairs
from shoal.data.hierarchy import Hierarchy
from shoal.data.joining import KnownRows, check_distinct, join_known
from shoal.data.kinds import Bins
from shoal.data.names import Names, warn_of_lookalikes
from shoal.data.spelling import parse_number
from shoal.data.table import Table, find_position
from shoal.errors import BadFile, BadGraph, BadParameter, notice, public
from shoal.io import edge_lists, parquet, text_tables
from shoal.io.delimited import BLANKS, COMMENTS, report_trimmed
from shoal.io.files import (
    MANIFEST,
    RATIO,
    TABLES,
    FileFormat,
    check_encoding,
    detect_format,
    find_file,
    is_file,
    limit_reading,
)
from shoal.io.formats import gexf, gml, graphml, matrix_market, node_link, pajek
from shoal.io.hierarchies import read_hierarchy
from shoal.io.sniff import TextOptions

READERS = {
    "graphml": graphml.read,
    "gexf": gexf.read,
    "gml": gml.read,
    "pajek": pajek.read,
    "json": node_link.read,
}
HIERARCHY = "hierarchy:"
PLACE = re.compile(r"(?P<file>.+?)(?::(?P<level>[0-9]{1,4}))?", re.DOTALL)
"""A hierarchy file, perhaps with a level."""
TEXT = ("csv", "tsv", "text")
LINES = (*TEXT, "xlsx")
"""Formats that are read as lines of text; a sheet of a workbook is read as csv."""


@public
def read_graph(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as on the command line
    columns: Sequence[str | int] | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    comments: str = COMMENTS,
    attributes: str | os.PathLike[str] | None = None,
    key: str | int | None = None,
    trim: bool = False,
    multigraph: bool = False,
    directed: bool = False,
    undirected: bool = False,
    kind: str | int | None = None,
    bins: Bins | None = None,
    drop_loops: bool = False,
    trust_counts: bool = False,
    max_ratio: float = RATIO,
) -> Graph:
    r"""Read a graph from a file; names are texts, kept as they are written.

    The suffix gives the format: an edge list in csv, tsv, txt, parquet or xlsx; GraphML, GEXF, GML, Pajek .net, Matrix
    Market .mtx, node-link .json; each also compressed as .gz, .zst or .bz2. Loops raise an error unless an option says
    how to handle them. A pair listed twice is one edge, blanks (spaces and tabs) around names are dropped, and other
    columns are not used; a notice counts or names each of these.

    GraphML, GEXF, GML, Pajek, .mtx (general or symmetric) and node-link .json say themselves which links have a
    direction, and are read as they are. The links of an edge list have none, unless `directed` says so.

    In an edge list, a line or row without a second name is an isolated vertex: `name,` in csv, `name` and a tab
    in tsv, `name ""` with spaces as separator, a missing target in parquet.

    Parameters
    ----------
    path
        The path of the file.
    format
        The format (default: from the suffix): csv, tsv, text, parquet, xlsx, graphml, gexf, gml, pajek, mtx, json.
    columns
        The two columns that hold the ends, by name or by position from 0. Default: the columns with well-known
        names such as source and target, else the first two.
    separator
        The field delimiter of a text file: one character, or "tab", "comma", "semicolon", "pipe", "space" (any run
        of spaces and tabs). Default: auto-detect.
    header
        Whether the first line names the columns. Default: auto-detect; in doubt, the line is read as an edge.
    encoding
        The encoding of text files, such as "cp1252" or "utf-16" (default: UTF-8). It applies to the attribute file too.
    sheet
        The name of the sheet in an .xlsx file (default: the first one).
    comments
        The characters that start a comment line; "" for none.
    attributes
        A second file with one row per vertex. Names without a link become isolated vertices.
    key
        The column of names in the attribute file. Default: the first one called "name" or "id", else the first column.
    trim
        Drop blanks around the cells of the attribute file; a notice counts them. Otherwise they are part of the
        cells, as in :func:`~shoal.read_table`.
    multigraph
        Keep multiplicities: how often each pair is listed. In .mtx, whole numbers are multiplicities; weights are not.
    directed
        Each link of an edge list leads from its first end to its second. For a format that says itself which links have
        a direction, it raises an error unless some have one.
    undirected
        Ignore directions: read each directed link as an undirected edge.
    kind
        The column of an edge list, by name or by position from 0, or the attribute of links in another format, that
        holds the kind of each link. A missing kind is a kind of its own. At most 1,000 kinds.
    bins
        Intervals for kinds that are numbers or dates: ascending bounds such as [0, 10, 100] or "0,10,100"; or
        "quantiles:N" for N intervals with about equally many links, between round values that no link has. Or a
        :class:`~shoal.Hierarchy` or "hierarchy:FILE" for its first generalization, "hierarchy:FILE:LEVEL" for
        another level.
    drop_loops
        Drop loops instead of raising an error.
    trust_counts
        Accept any number of vertices, edges or rows that a file declares. Otherwise a number above 1,000,000 that
        exceeds 20 per byte of the file raises an error, since memory is allocated for it.
    max_ratio
        The largest expansion of a compressed file that expands to more than 1 GB.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "friends.csv")
    ...     _ = file.write_text("source,target\nAnn,Bo\nBo,007\nZoe,\n")
    ...     g = read_graph(file)
    >>> g, list(g.names)
    (Graph(4 vertices, 2 edges), ['Ann', 'Bo', '007', 'Zoe'])
    """
    found = find_file(path)
    file = detect_format(found, format)
    check_encoding(encoding, str(found))
    check_link_options(directed, undirected, kind, bins, str(found))
    bins = _open_hierarchy(bins)
    options = TextOptions(separator, header, columns, comments, file.format == "text", encoding, sheet, kind)
    check_options(found, file, options, {} if attributes is not None else {"key": key, "trim": trim or None})
    try:
        with limit_reading(trust_counts, max_ratio):
            pairs = read_pairs(found, file, options, multigraph, undirected)
            if pairs.columns is not None:
                warn_of_table(pairs.columns, pairs.sources, pairs.targets, str(found))
            known = None if attributes is None else read_attributes(attributes, key, trim=trim, encoding=encoding)
        pairs = pairs if known is None else join_known(pairs, known)
        warn_of_lookalikes(pairs.names, str(found))
        how: dict[str, Any] = {"directed": directed, "undirected": undirected, "bins": bins}
        graph = pairs.graph(multigraph=multigraph, drop_loops=drop_loops, who=str(found), **how)
        graph = replace(graph, attributes=graph.attributes.from_file())
    except BadGraph as error:
        raise error if str(error).startswith(str(found)) else BadGraph(f"{found}: {error}") from None
    return replace(graph, names=graph.names.given_anew()) if was_saved(found) else graph


def was_saved(path: Path) -> bool:
    """Return whether a file is a saved release: its manifest is next to it."""
    return is_file(f"{path}{MANIFEST}")


def _open_hierarchy(bins: Bins | None) -> Bins | None:
    """Return the hierarchy that bins name, cut to one level; other bins unchanged."""
    if not isinstance(bins, str) or not bins.startswith(HIERARCHY):
        return bins
    return open_hierarchy(bins.removeprefix(HIERARCHY), "'bins' (--bins)")


def open_hierarchy(place: str, option: str) -> Hierarchy:
    """Read the hierarchy FILE[:LEVEL], cut to one level."""
    found = PLACE.fullmatch(place)
    if found is None:
        raise BadParameter(f"{option} must name a file with a hierarchy. Got {place!r}.")
    hierarchy, level = read_hierarchy(found["file"]), int(found["level"] or 1)
    if not 1 <= level < hierarchy.depth:
        raise BadParameter(f"{found['file']}: {option} must name a level from 1 to {hierarchy.depth - 1}. Got {level}.")
    return Hierarchy(hierarchy.values, (hierarchy.generalizations[level - 1],))


def read_pairs(path: Path, kind: FileFormat, options: TextOptions, multigraph: bool, undirected: bool) -> Pairs:
    """Read the pairs of a file in any format."""
    if kind.format in LINES:
        return edge_lists.read_edge_list(path, kind, options)
    if kind.format == "parquet":
        return parquet.read_edges(path, kind.compression, options.columns, options.kind)
    if kind.format == "mtx":
        return matrix_market.read(path, kind.compression, multigraph=multigraph, undirected=undirected)
    return READERS[kind.format](path, kind.compression, None if options.kind is None else str(options.kind))


def check_options(path: Path, kind: FileFormat, options: TextOptions, about: dict[str, Any]) -> None:
    """Raise BadParameter for an option without effect; `about` holds the options for attributes if there are none."""
    useless = about | _find_useless(kind, options)
    if not about:
        useless.pop("encoding", None)  # it applies to the attribute file too
    if kind.format not in LINES:
        useless["header"] = options.header
    if kind.format not in TABLES:
        useless["columns"] = options.columns
    if kind.format == "mtx":
        useless["kind"] = options.kind
    _refuse_useless(path, kind, useless, about)


def check_table_options(path: Path, kind: FileFormat, options: TextOptions) -> None:
    """Raise BadParameter for an option without effect on a table of this format."""
    _refuse_useless(path, kind, _find_useless(kind, options))


def _refuse_useless(path: Path, kind: FileFormat, useless: Mapping[str, Any], about: Collection[str] = ()) -> None:
    for option, value in useless.items():
        if value is not None:
            reason = "without attributes" if option in about else f"for the format {kind.format}"
            raise BadParameter(f"{path}: '{option}' has no effect {reason}. Leave it out. Got {value!r}.")


def _find_useless(kind: FileFormat, options: TextOptions) -> dict[str, Any]:
    """Return the options that have no effect on a file of this format."""
    useless: dict[str, Any] = {} if kind.format == "xlsx" else {"sheet": options.sheet}
    return useless if kind.format in TEXT else useless | {"separator": options.separator, "encoding": options.encoding}


# Tables.

NEARLY, FEW = 8, 3
"""A column of at least NEARLY distinct values, at most FEW of them not numbers, is probably numeric."""


@public
def read_table(
    path: str | os.PathLike[str],
    *,
    key: str | int | None = None,
    format: str | None = None,  # noqa: A002 - as on the command line
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    missing: Sequence[str] = (),
    trim: bool = False,
    trust_counts: bool = False,
    max_ratio: float = RATIO,
) -> Table:
    r"""Read a table from a file: a header with the names of the columns, then one row per individual.

    Cells of a text file are equal if and only if their spellings are, including blanks (spaces and tabs): "a" is not
    "a ", and "1.0" is not "1". Quotes are not part of a spelling. A column is numeric only if every cell is a number
    ("007" is text); numbers keep their spelling. An empty cell is missing. A column with quoted cells is text, unless
    all cells of the file are quoted. Parquet stores types, and its numbers are compared by value.

    Parameters
    ----------
    path
        A file in csv, tsv, text, parquet or xlsx, optionally compressed as .gz, .zst or .bz2.
    key
        The column that holds the names of the individuals, by name or by position from 0; names are texts.
    format
        The format (default: from the suffix).
    separator
        The field delimiter of a text file: one character, or "tab", "comma", "semicolon", "pipe", "space" (any run
        of spaces and tabs). Default: auto-detect.
    encoding
        The encoding of text files, such as "cp1252" or "utf-16" (default: UTF-8).
    sheet
        The name of the sheet in an .xlsx file (default: the first one).
    missing
        Texts that mean a missing value, besides the empty cell; for example ("?",) or ("NA", "-").
    trim
        Drop blanks around cells, also inside quotes; a notice counts the cells. Otherwise blanks are part of the
        cells, and a notice counts those. Unquoted names of columns and individuals always lose blanks around them.
    trust_counts
        Accept any number of rows that a parquet file declares, even above 1,000,000 and 20 per byte.
    max_ratio
        The largest expansion of a compressed file that expands to more than 1 GB.

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
    found = find_file(path)
    kind = detect_format(found, format, TABLES)
    check_encoding(encoding, str(found))
    options = TextOptions(separator, loose=False, encoding=encoding, sheet=sheet)
    check_table_options(found, kind, options)
    with limit_reading(trust_counts, max_ratio):
        if kind.format == "parquet":
            table = _read_parquet_table(found, kind, key, missing, trim)
        else:
            table = _read_text_table(found, kind, key, options, missing, trim)
    check_filled(table, str(found))
    return table.from_file()


def _read_text_table(
    path: Path, kind: FileFormat, key: str | int | None, options: TextOptions, missing: Sequence[str], trim: bool
) -> Table:
    found = text_tables.read_text_table(path, kind, options)
    at = None if key is None else find_position(found.names, key, str(path))
    columns = found.columns(at, missing, trim)
    _warn_of_header(path, columns)
    for name, column in columns.items():
        _warn_of_text(path, name, column)
    keys = [] if at is None else found.keys(at)
    known = KnownRows(keys, Table.of(columns, found.rows), str(path), found.describe_row, BadFile)
    return known.table if at is None else _take_names(known)


def _warn_of_header(path: Path, columns: Mapping[str, Column]) -> None:
    """Issue a notice if the header looks like a row: a number above numbers."""
    if any(parse_number(name) is not None and column.is_numeric for name, column in columns.items()):
        notice(
            f"{path}: the first line, {', '.join(columns)!r:.60}, is read as the header but looks like a row. "
            "If it is a row, add a header line above it.",
            "first line read as the header",
        )


def _warn_of_text(path: Path, name: str, column: Column) -> None:
    """Issue a notice if all but a few values of a text column are numbers; the others may mean missing."""
    if len(column.values) < NEARLY or not isinstance(column.values[0], str):
        return
    odd = list(islice((text for text in column.values if parse_number(text) is None), FEW + 1))
    if 0 < len(odd) <= FEW and "" not in odd:  # an empty text is quoted, so the column is text anyway
        notice(
            f"{path}: the column {name!r} is read as text, because of {', '.join(map(repr, odd))!s:.80}; the other "
            f"{len(column.values) - len(odd):,} values are numbers. If it means a missing value, use "
            f"missing={tuple(odd)!r:.80} (--missing).",
            f"column {name!r} read as text (--missing)",
        )


def _read_parquet_table(
    path: Path, kind: FileFormat, key: str | int | None, missing: Sequence[str], trim: bool
) -> Table:
    found = parquet.read_parquet(path, kind.compression)
    at = None if key is None else find_position(found.column_names, key, str(path))
    cells = {name: parquet.read_column(found, i, path) for i, name in enumerate(found.column_names)}
    keys = [] if at is None else _spell_keys(cells.pop(found.column_names[at]))
    cells = _trim_columns(cells, path) if trim else cells
    columns = {name: _drop_marks(column, missing) for name, column in cells.items()}
    known = KnownRows(keys, Table.of(columns, found.num_rows), str(path), parquet.describe_row, BadFile)
    return known.table if at is None else _take_names(known)


def _take_names(known: KnownRows) -> Table:
    check_distinct(known, "record")
    warn_of_lookalikes(known.keys, known.who)
    return replace(known.table, names=Names(known.keys))


def _drop_marks(column: Column, marks: Sequence[str]) -> Column:
    """Replace the texts that mean a missing value by missing values."""
    gone = [code for code, value in enumerate(column.values) if isinstance(value, str) and value in marks]
    codes = column.codes.copy()
    for code in gone:
        codes[codes == code] = MISSING
    return renumber_codes(codes, column.values) if gone else column


# Attribute files: tables with a header and one row per vertex, in csv, tsv, text or parquet.


def read_attributes(
    path: str | os.PathLike[str],
    key: str | int | None = None,
    format: str | None = None,  # noqa: A002
    *,
    trim: bool = False,
    encoding: str | None = None,
) -> KnownRows:
    """Read an attribute file: rows with the names of their vertices."""
    found = find_file(path)
    kind = detect_format(found, format, TABLES)
    if kind.format == "parquet":
        return _read_parquet_attributes(found, kind, key, trim)
    return _read_text_attributes(found, kind, key, trim, encoding)


def _read_parquet_attributes(path: Path, kind: FileFormat, key: str | int | None, trim: bool) -> KnownRows:
    table = parquet.read_parquet(path, kind.compression)
    if not table.column_names:
        raise BadFile(f"{path}: an attribute file must have a column of names. Got no columns.")
    at = find_key_column(table.column_names, key, str(path))
    columns = {name: parquet.read_column(table, i, path) for i, name in enumerate(table.column_names) if i != at}
    columns = _trim_columns(columns, path) if trim else columns
    keys = _spell_keys(parquet.read_column(table, at, path))
    return KnownRows(keys, Table.of(columns, table.num_rows), str(path), parquet.describe_row, BadFile)


def _read_text_attributes(
    path: Path, kind: FileFormat, key: str | int | None, trim: bool, encoding: str | None
) -> KnownRows:
    found = text_tables.read_text_table(path, kind, TextOptions(loose=False, encoding=encoding))
    at = find_key_column(found.names, key, str(path))
    columns = found.columns(at, trim=trim)
    keys = found.keys(at)
    return KnownRows(keys, Table.of(columns, len(keys)), str(path), found.describe_row, BadFile)


def _trim_columns(columns: dict[str, Column], path: Path) -> dict[str, Column]:
    """Drop blanks around texts; a notice counts the cells. A text of only blanks becomes missing."""
    cells = 0
    found = dict(columns)
    for name, column in columns.items():
        short = [_trim_value(value) for value in column.values]
        lost = np.array([*map(ne, short, column.values), False])
        if lost.any():
            cells += int(np.count_nonzero(lost[column.codes]))
            found[name] = regroup_codes(column.codes, Column.of(short))
    report_trimmed(path, "cells", cells, "")
    return found


def _trim_value(value: Any) -> Any:
    return (value.strip(BLANKS) or None) if isinstance(value, str) else value


def _spell_keys(column: Column) -> list[str | None]:
    """Return cells as texts for names; None if missing.

    >>> _spell_keys(Column.of([7, None, "x"]))
    ['7', None, 'x']
    """
    texts = [*map(str, column.values), None]
    return [texts[code] for code in column.codes.tolist()]
