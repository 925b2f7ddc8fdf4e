"""Reading: a file becomes a graph or a table, or an error says by name and line why it cannot."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import ne
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.column import MISSING, Column
from shoal.data.convert import check_filled
from shoal.data.encode import regroup_codes, renumber_codes
from shoal.data.frames import find_key_column
from shoal.data.graph import Graph
from shoal.data.joining import KnownRows, check_distinct, join_known
from shoal.data.names import Names, warn_of_lookalikes
from shoal.data.pairs import Pairs
from shoal.data.spelling import parse_number
from shoal.data.table import Table, find_position
from shoal.errors import BadFile, BadGraph, BadParameter, notice, public
from shoal.io import edge_lists, parquet, text_tables
from shoal.io.delimited import BLANKS, COMMENTS, report_trimmed
from shoal.io.files import RATIO, TABLES, FileFormat, detect_format, find_file, limit_reading
from shoal.io.formats import gexf, gml, graphml, matrix_market, node_link, pajek
from shoal.io.sniff import TextOptions

READERS = {
    "graphml": graphml.read,
    "gexf": gexf.read,
    "gml": gml.read,
    "pajek": pajek.read,
    "json": node_link.read,
}
TEXT = ("csv", "tsv", "text")


@public
def read_graph(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    columns: Sequence[str | int] | None = None,
    separator: str | None = None,
    header: bool | None = None,
    comments: str = COMMENTS,
    attributes: str | os.PathLike[str] | None = None,
    key: str | int | None = None,
    trim: bool = False,
    multigraph: bool = False,
    undirected: bool = False,
    drop_loops: bool = False,
    trust_counts: bool = False,
    max_ratio: float = RATIO,
) -> Graph:
    r"""Return the graph that a file holds; names are texts, kept as they are written.

    The suffix tells the format: an edge list in csv, tsv, txt or parquet; GraphML, GEXF, GML, Pajek .net, Matrix
    Market .mtx, node-link .json; each also packed as .gz, .zst or .bz2. Nothing changes in silence: links with
    a direction and loops are refused unless an option says what to do with them; a pair listed twice is one
    edge, blanks around names are trimmed, other columns are not used, and a notice counts or names them.

    In an edge list a line (or row) without a second name is an isolated vertex: `name,` in csv, `name` and a tab
    in tsv, `name ""` where blanks separate, a missing target in parquet.

    Parameters
    ----------
    path
        The file.
    format
        What it holds, if its name does not say so: csv, tsv, text, parquet, graphml, gexf, gml, pajek, mtx, json.
    columns
        The two columns that hold the ends, by name or by position from 0. If not given: those under well-known
        words such as source and target, else the first two.
    separator
        What stands between the cells of a text: one character, or "tab", "comma", "semicolon", "pipe", "space"
        (any run of blanks). Found out if not given.
    header
        Whether the first line names the columns. Found out if not given, in favor of an edge.
    comments
        The signs that begin a line to be skipped; "" for none.
    attributes
        A second file with a row for each vertex. Names in it that no link has are isolated vertices.
    key
        The column of that file that holds the names: by default the first called "name" or "id", or the first of all.
    trim
        Drop the blanks around the cells of that file; a notice counts them. Without it they count, as in
        :func:`~shoal.read_table`.
    multigraph
        Keep how often a pair is listed; in .mtx, whole numbers are multiplicities. Weights never are.
    undirected
        Read each directed link as an edge.
    drop_loops
        Leave loops out.
    trust_counts
        Take a number of vertices, edges or rows in a file at its word. Otherwise one above 1,000,000 that exceeds 20
        per byte of the file is refused: memory is taken for it.
    max_ratio
        The largest growth of a packed file that unpacks to more than 1 GB; more is refused.

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
    kind = detect_format(found, format)
    options = TextOptions(separator, header, columns, comments, loose=kind.format == "text")
    _check_options(found, kind, options, {} if attributes is not None else {"key": key, "trim": trim or None})
    try:
        with limit_reading(trust_counts, max_ratio):
            pairs = _read_pairs(found, kind, options, multigraph)
            known = None if attributes is None else read_attributes(attributes, key, trim=trim)
        pairs = pairs if known is None else join_known(pairs, known)
        warn_of_lookalikes(pairs.names, str(found))
        graph = pairs.graph(multigraph=multigraph, undirected=undirected, drop_loops=drop_loops)
        graph = graph.with_attributes(graph.attributes.from_file())
    except BadGraph as error:
        raise error if str(error).startswith(str(found)) else BadGraph(f"{found}: {error}") from None
    return replace(graph, names=graph.names.given_anew()) if was_saved(found) else graph


def was_saved(path: Path) -> bool:
    """Tell whether a file is a release that was saved: what it promises lies beside it."""
    return Path(f"{path}.release.json").is_file()


def _read_pairs(path: Path, kind: FileFormat, options: TextOptions, multigraph: bool) -> Pairs:
    if kind.format in TEXT:
        return edge_lists.read_edge_list(path, kind.compression, options)
    if kind.format == "parquet":
        return parquet.read_edges(path, kind.compression, options.columns)
    if kind.format == "mtx":
        return matrix_market.read(path, kind.compression, multigraph=multigraph)
    return READERS[kind.format](path, kind.compression)


def _check_options(path: Path, kind: FileFormat, options: TextOptions, about: dict[str, Any]) -> None:
    """Refuse an option that would do nothing; `about` are those about attributes, where there are none."""
    useless = dict(about)
    if kind.format not in TEXT:
        useless |= {"separator": options.separator, "header": options.header}
    if kind.format not in (*TEXT, "parquet"):
        useless["columns"] = options.columns
    for option, value in useless.items():
        if value is not None:
            reason = "without attributes" if option in about else f"for a file in {kind.format}"
            raise BadParameter(f"{path}: '{option}' must be left out {reason}. Got {value!r}.")


# Tables.

NEARLY, FEW = 8, 3
"""A column of so many different values, so few of which are no numbers, was probably meant to be numbers."""


@public
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
    found = find_file(path)
    kind = detect_format(found, format, TABLES)
    if kind.format == "parquet" and separator is not None:
        raise BadParameter(f"{found}: 'separator' must be left out for a file in parquet. Got {separator!r}.")
    with limit_reading(trust_counts, max_ratio):
        if kind.format == "parquet":
            table = _read_parquet_table(found, kind, key, missing, trim)
        else:
            table = _read_text_table(found, kind, key, separator, missing, trim)
    check_filled(table, str(found))
    return table.from_file()


def _read_text_table(
    path: Path, kind: FileFormat, key: str | int | None, separator: str | None, missing: Sequence[str], trim: bool
) -> Table:
    found = text_tables.read_text_table(path, kind, separator)
    at = None if key is None else find_position(found.names, key, str(path))
    columns = found.columns(at, missing, trim)
    _warn_of_header(path, columns)
    for name, column in columns.items():
        _warn_of_text(path, name, column)
    keys = [] if at is None else found.keys(at)
    known = KnownRows(keys, Table.of(columns, found.rows), str(path), lambda row: f"line {found.line(row):,}", BadFile)
    return known.table if at is None else _take_names(known)


def _warn_of_header(path: Path, columns: Mapping[str, Column]) -> None:
    """Say so if the first line could as well be a row: a number over numbers."""
    if any(parse_number(name) is not None and column.is_numeric for name, column in columns.items()):
        notice(
            f"{path}: the first line, {', '.join(columns)!r:.60}, is read as the names of the columns, and looks like "
            "a row. If it is one, write a line of names above it."
        )


def _warn_of_text(path: Path, name: str, column: Column) -> None:
    """Say so if all but very few of a column's texts are numbers: a mark for a missing value, say, made it text."""
    if len(column.values) < NEARLY or not isinstance(column.values[0], str):
        return
    odd = list(islice((text for text in column.values if parse_number(text) is None), FEW + 1))
    if 0 < len(odd) <= FEW and "" not in odd:  # an empty text is one because of its quotes
        notice(
            f"{path}: the column {name!r} is read as text, because of {', '.join(map(repr, odd))!s:.80}; the other "
            f"{len(column.values) - len(odd):,} values are numbers. If it means a missing value, say "
            f"missing={tuple(odd)!r:.80} (--missing)."
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
    known = KnownRows(keys, Table.of(columns, found.num_rows), str(path), error=BadFile)
    return known.table if at is None else _take_names(known)


def _take_names(known: KnownRows) -> Table:
    check_distinct(known, "record")
    warn_of_lookalikes(known.keys, known.who)
    return replace(known.table, names=Names(known.keys))


def _drop_marks(column: Column, marks: Sequence[str]) -> Column:
    """Return the column with the texts that stand for a missing value missing."""
    gone = [code for code, value in enumerate(column.values) if isinstance(value, str) and value in marks]
    codes = column.codes.copy()
    for code in gone:
        codes[codes == code] = MISSING
    return renumber_codes(codes, column.values) if gone else column


# Attribute files: a table with a header and a row for each vertex, in csv, tsv, text or parquet.


def read_attributes(
    path: str | os.PathLike[str],
    key: str | int | None = None,
    format: str | None = None,  # noqa: A002
    *,
    trim: bool = False,
) -> KnownRows:
    """Return the rows of an attribute file with the names they belong to."""
    found = find_file(path)
    kind = detect_format(found, format, TABLES)
    return (_read_parquet_attributes if kind.format == "parquet" else _read_text_attributes)(found, kind, key, trim)


def _read_parquet_attributes(path: Path, kind: FileFormat, key: str | int | None, trim: bool) -> KnownRows:
    table = parquet.read_parquet(path, kind.compression)
    at = find_key_column(table.column_names, key, str(path))
    columns = {name: parquet.read_column(table, i, path) for i, name in enumerate(table.column_names) if i != at}
    columns = _trim_columns(columns, path) if trim else columns
    return KnownRows(
        _spell_keys(parquet.read_column(table, at, path)), Table.of(columns, table.num_rows), str(path), error=BadFile
    )


def _read_text_attributes(path: Path, kind: FileFormat, key: str | int | None, trim: bool) -> KnownRows:
    found = text_tables.read_text_table(path, kind)
    at = find_key_column(found.names, key, str(path))
    columns = found.columns(at, trim=trim)
    keys = found.keys(at)
    return KnownRows(keys, Table.of(columns, len(keys)), str(path), lambda row: f"line {found.line(row):,}", BadFile)


def _trim_columns(columns: dict[str, Column], path: Path) -> dict[str, Column]:
    """Return columns without the blanks around their texts; a notice counts the cells. A text of blanks is missing."""
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
    """Return cells as names in text, or None where there is none.

    >>> _spell_keys(Column.of([7, None, "x"]))
    ['7', None, 'x']
    """
    texts = [*map(str, column.values), None]
    return [texts[code] for code in column.codes.tolist()]
