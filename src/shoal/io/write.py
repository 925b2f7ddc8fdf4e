"""Writing of graphs and tables to files, completely or not at all.

In a text table, a number keeps the spelling of its source file, else it has Python's spelling. A text is quoted if it
could be read as a number, or holds a separator, a quote, a line break or blanks at its ends. Values that a text file
cannot distinguish from text (dates, booleans) become text, and a notice says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from shoal.data.column import MISSING, NUMBERS, Codes, Column
from shoal.data.dataset import as_table
from shoal.data.encode import renumber_codes
from shoal.data.frames import to_arrow
from shoal.data.graph import Graph
from shoal.data.spelling import check_distinct_values, parse_texts, unify_spellings
from shoal.data.table import Table
from shoal.errors import BadGraph, BadParameter, list_names, notice, public
from shoal.io import edge_lists, parquet
from shoal.io.atomic import replace_file
from shoal.io.delimited import SPECIAL, quote_cells, write_rows
from shoal.io.files import WRITTEN, FileFormat, check_path, detect_format
from shoal.io.formats import gexf, gml, graphml, matrix_market, node_link, pajek

if TYPE_CHECKING:
    import pyarrow as pa


WRITERS = {
    "parquet": parquet.write_edges,
    "graphml": graphml.write,
    "gexf": gexf.write,
    "gml": gml.write,
    "pajek": pajek.write,
    "mtx": matrix_market.write,
    "json": node_link.write,
}
SEPARATORS = {"csv": ",", "tsv": "\t", "text": " "}
HOLD_ATTRIBUTES = ("graphml", "gexf", "gml", "json")
HOLD_MIXED = (*HOLD_ATTRIBUTES, "pajek")
"""Formats in which some links may have a direction and others none."""


@public
def write(data: Graph | Any, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a graph or a table to a file; the suffix gives the format. Overwriting needs `force=True`.

    Parameters
    ----------
    data
        A :class:`~shoal.Graph`, a :class:`~shoal.Table`, or any object that :func:`~shoal.as_table` accepts.
    path
        The path of the file.
    options
        For a graph: `format`, `force` and `attributes`, a second file for vertex attributes (:func:`write_graph`).
        For a table: `format`, `force` and `names` (:func:`~shoal.io.write.write_table`).

    Examples
    --------
    >>> import tempfile, shoal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shoal.write(shoal.examples.karate(), Path(folder, "club.graphml"))
    ...     shoal.read_graph(Path(folder, "club.graphml")).n
    34
    """
    if isinstance(data, Graph):
        write_graph(data, path, **options)
    else:
        write_table(data, path, **options)


def write_graph(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as on the command line
    force: bool = False,
    attributes: str | os.PathLike[str] | None = None,
) -> None:
    """Write a graph to a file; :func:`~shoal.read_graph` returns the same names (as texts), edges and attributes.

    The suffix gives the format, as in read_graph. A multiple edge is repeated (in .mtx it is a whole number), an
    isolated vertex has an empty second cell in an edge list, and .mtx keeps names in comments. The file is
    written under a temporary name and moved into place, so that a failure leaves no partial file.

    Links keep their direction and kind. Kinds are a column or an attribute called "kind": read them with kind="kind".
    An edge list (csv, tsv, text, parquet) does not say whether links have a direction: read it with directed=True. It
    cannot hold a graph in which some links have a direction and others none, and .mtx cannot hold kinds either.

    Parameters
    ----------
    graph
        The graph.
    path
        The path of the file.
    format
        The format (default: from the suffix).
    force
        Replace an existing file.
    attributes
        A second file (csv, tsv or parquet) for vertex attributes. GraphML, GEXF, GML and json hold attributes
        themselves. For the other formats, attributes are not written without a second file, and a notice says so.

    Examples
    --------
    >>> import tempfile
    >>> from shoal.data.examples import florentine
    >>> from shoal.io.read import read_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "florentine.graphml")
    ...     write_graph(florentine(), file)
    ...     read_graph(file) == florentine()
    True
    """
    place = check_path(path)
    kind = detect_format(place, format, WRITTEN)
    names = _spell_names(graph, str(place))
    _check_text([*names, *graph.kinds], place)
    _check_links(graph, place, kind.format)
    with ExitStack() as stack:
        stream = stack.enter_context(replace_file(place, force=force, compression=kind.compression))
        if attributes is not None:
            _write_attributes(graph, names, Path(attributes), force, stack)
        elif len(graph.attributes) and kind.format not in HOLD_ATTRIBUTES:
            notice(
                f"{place}: {kind.format} cannot hold attributes. Not written: {list_names(graph.attributes)}. "
                "Use attributes='people.csv' (--attributes-output people.csv) to write them to a second file."
            )
        bare = graph.without_attributes() if attributes is not None else graph
        _write_format(bare, names, stream, place, kind.format)


def _check_links(graph: Graph, path: Path, kind: str) -> None:
    """Raise BadGraph if the format cannot hold the directions or kinds of the links."""
    if graph.kinds and kind == "mtx":
        raise BadGraph(
            f"{path}: mtx cannot hold kinds of links. Write another format, or leave them out with without_kinds()."
        )
    if graph.ties is not None and graph.ties.mixed and kind not in HOLD_MIXED:
        raise BadGraph(
            f"{path}: {kind} cannot hold links with and without direction in one graph. Write one of "
            f"{', '.join(HOLD_MIXED)}, or ignore directions with to_undirected()."
        )


def _spell_names(graph: Graph, who: str) -> list[str]:
    """Return the names as texts; raise BadGraph if two names have the same text."""
    texts = [str(name) for name in graph.names]
    if graph.names.numbers is None and len(set(texts)) != len(texts):
        seen: dict[str, Any] = {}
        for name, text in zip(graph.names, texts, strict=True):
            if text in seen:
                raise BadGraph(
                    f"{who}: names must be distinct as text. Got {seen[text]!r} and {name!r}, "
                    f"both written as {text!r}. Rename one of them."
                )
            seen[text] = name
    return texts


def _write_format(graph: Graph, names: list[str], stream: BinaryIO, path: Path, kind: str) -> None:
    if kind in SEPARATORS:
        edge_lists.write_edge_list(graph, names, stream, path, SEPARATORS[kind])
    else:
        WRITERS[kind](graph, names, stream, path)


def _write_attributes(graph: Graph, names: list[str], path: Path, force: bool, stack: ExitStack) -> None:
    kind = detect_format(path, None, ("csv", "tsv", "text", "parquet"))
    stream = stack.enter_context(replace_file(path, force=force, compression=kind.compression))
    _write_attribute_rows(graph, names, stream, path, kind)


def _check_text(names: list[str], path: Path) -> None:
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise BadParameter(
                f"{path}: a name or a kind must be valid Unicode. Got {name!r:.60}. Rename it."
            ) from error


# Text tables; :mod:`shoal.io.text_tables` reads the same values back.

NEEDS_QUOTES = rf"\A\z|{SPECIAL}"
"""Cells that need quotes; an empty text needs them because an empty cell is missing."""


class SpelledColumn(NamedTuple):
    """A column as text: its distinct cells as written, and the code of each row."""

    codes: Codes
    cells: pa.Array
    guarded: bool
    """Whether quotes are needed so that texts are not read as numbers, or empty texts as missing."""
    bare: bool
    """Whether some cell has no quotes."""


def _write_text(
    columns: Mapping[str, Column], stream: BinaryIO, path: Path, separator: str, names: str | None = None
) -> None:
    """Write a header and rows; `names` is the column that is read as names, never as numbers."""
    header = quote_cells(_check_texts(list(columns), "the header", path), NEEDS_QUOTES)
    if "" in columns:
        raise BadParameter(f"{path}: a column must have a name. Got an empty one.")
    said = [_spell_column(name, column, path, is_names=name == names) for name, column in columns.items()]
    _check_readable(path, header, said)
    stream.write((separator.join(header.to_pylist()) + "\n").encode())
    write_rows(stream, [(part.cells, part.codes) for part in said], separator)


def _check_readable(path: Path, header: pa.Array, said: list[SpelledColumn]) -> None:
    """Raise BadParameter if the file would be read differently."""
    import pyarrow.compute as pc

    if len(said) == 1 and (said[0].codes == MISSING).any():
        raise BadParameter(
            f"{path}: a text file of one column cannot hold missing values, which would be empty lines. "
            "Write parquet, or add the names with names=True (write_table)."
        )
    loud = any(part.bare for part in said) or not pc.all(pc.starts_with(header, '"')).as_py()
    if not loud and any(part.guarded for part in said):
        raise BadParameter(
            f"{path}: if every cell is quoted, quotes do not distinguish text from numbers. Rename a column to a "
            "plain word, or write parquet."
        )


def _spell_column(name: str, column: Column, path: Path, *, is_names: bool) -> SpelledColumn:
    import pyarrow.compute as pc

    column = renumber_codes(column.codes, column.values)
    texts = _check_texts(_spell_values(name, column.values, path), f"the column {name!r}", path)
    empty = "" in column.values
    guarded = empty or (not is_names and not _reads_back(texts, column.values))
    if guarded and not all(isinstance(value, str) for value in column.values):
        notice(
            f"{path}: the column {name!r} holds values (for example ranges, dates, or numbers among texts) that are "
            "written as text. They are read back as text."
        )
    bare = column.has_numerals and not guarded and not is_names  # quotes would make " 5" a text
    cells = texts if bare else quote_cells(texts, NEEDS_QUOTES, everywhere=guarded and not is_names)
    return SpelledColumn(column.codes, cells, guarded, bool(pc.any(pc.invert(pc.starts_with(cells, '"'))).as_py()))


def _spell_values(name: str, values: tuple[Any, ...], path: Path) -> list[str]:
    spelled = [repr(value) if isinstance(value, float) else str(value) for value in values]
    return list(check_distinct_values(name, tuple(spelled), str(path)))


def _check_texts(texts: list[str], where: str, path: Path) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = pa.array(texts, type=pa.large_string())
    except UnicodeEncodeError as error:
        raise BadParameter(
            f"{path}: a text must be valid Unicode. Got {error.object!r:.60} in {where}. Change it."
        ) from error
    nul = pc.index(pc.match_substring(found, "\0"), True).as_py()
    if nul != -1:
        raise BadParameter(f"{path}: a text file cannot hold a NUL. Got {texts[nul]!r:.60}. Write parquet instead.")
    return found


def _reads_back(texts: pa.Array, values: tuple[Any, ...]) -> bool:
    """Return whether the texts, without quotes, are read as these values."""
    kinds, back = set(map(type, values)), parse_texts(texts)
    if kinds <= {str}:
        return set(map(type, back)) <= {str}
    if kinds <= set(NUMBERS):
        return back == values
    places = np.arange(len(values))
    return Column(places, back).alike(Column(places, values))


def write_table(
    table: Any,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as on the command line
    force: bool = False,
    names: bool = False,
) -> None:
    """Write a table to a file; :func:`read_table` returns the same values.

    In csv and tsv, values other than numbers and texts (dates, booleans) become texts, and a notice says so. The file
    is written under a temporary name and moved into place, so that a failure leaves no partial file.

    Parameters
    ----------
    table
        The table, or any object that :func:`as_table` accepts.
    path
        The path of the file: .csv, .tsv or .parquet, optionally with .gz, .zst or .bz2.
    format
        The format (default: from the suffix).
    force
        Replace an existing file.
    names
        Also write the names of the individuals, as a first column called "name".

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
    place = check_path(path)
    kind = detect_format(place, format, ("csv", "tsv", "parquet"))
    found = as_table(table)
    if names:
        texts = check_distinct_values("name", tuple(map(str, found.names)), str(place))
        found = _add_names(found, list(texts), str(place))
    with replace_file(place, force=force, compression=kind.compression) as stream:
        _write_columns(found, stream, place, kind, names="name" if names else None)


def _write_attribute_rows(graph: Graph, names: list[str], stream: BinaryIO, path: Path, kind: FileFormat) -> None:
    """Write the attributes of the vertices, one row each, after a first column "name"."""
    _write_columns(_add_names(graph.attributes, names, str(path)), stream, path, kind, names="name")


def _add_names(table: Table, names: list[str], who: str) -> Table:
    """Return the table with the names as its first column."""
    if "name" in table:
        raise BadParameter(f"{who}: the names are written to a column 'name', which the data has already. Rename it.")
    return Table(table.n, {"name": Column.of(names), **table.columns})


def _write_columns(table: Table, stream: BinaryIO, path: Path, kind: FileFormat, names: str | None = None) -> None:
    """Write a table; `names` is the column that is read as names."""
    if kind.format != "parquet":
        _write_text(table.columns, stream, path, "\t" if kind.format == "tsv" else ",", names)
        return
    from pyarrow import parquet as file

    file.write_table(to_arrow(unify_spellings(table, str(path)), str(path)), stream)
