"""Writing: a graph becomes a file, whole or not at all."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data.graph import Graph
from shoal.data.spelling import spelled
from shoal.errors import BadParameter, list_names, notice
from shoal.io import attributes as attribute_files
from shoal.io import edge_lists, parquet
from shoal.io.atomic import replacing
from shoal.io.files import as_path, kind_of
from shoal.io.formats import gexf, gml, graphml, matrix_market, node_link, pajek
from shoal.io.tables import write_table

WRITERS = {
    "parquet": parquet.write,
    "graphml": graphml.write,
    "gexf": gexf.write,
    "gml": gml.write,
    "pajek": pajek.write,
    "mtx": matrix_market.write,
    "json": node_link.write,
}
SEPARATORS = {"csv": ",", "tsv": "\t", "text": " "}
HOLD_ATTRIBUTES = ("graphml", "gexf", "gml", "json")


def write(data: Graph | Any, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a graph or a table to a file, in the format that its name says; nothing is overwritten without `force`.

    Parameters
    ----------
    data
        A :class:`~shoal.Graph`, or a :class:`~shoal.Table` or anything else that :func:`~shoal.as_table` takes.
    path
        Where to write.
    options
        For a graph `format`, `force` and `attributes`, a second file for what is known about the vertices
        (:func:`write_graph`); for a table `format`, `force` and `names` (:func:`~shoal.io.tables.write_table`).

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
    format: str | None = None,  # noqa: A002 - the word of the command line
    force: bool = False,
    attributes: str | os.PathLike[str] | None = None,
) -> None:
    """Write a graph to a file that :func:`~shoal.read_graph` reads back: same names (as texts), edges, attributes.

    The suffix tells the format, as in read_graph. A multiple edge is repeated (in .mtx it is a whole number), an
    isolated vertex has an empty second cell in an edge list, and .mtx keeps names in comments. The file is
    written under a temporary name and moved into place, so that a failure leaves nothing.

    Parameters
    ----------
    graph
        What to write.
    path
        Where to.
    format
        What to write, if the name of the file does not say so.
    force
        Replace a file that exists.
    attributes
        A second file (csv, tsv or parquet) for what is known about the vertices. GraphML, GEXF, GML and json hold
        it themselves; for the other formats a notice says that it is not written unless there is a second file.

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
    place = as_path(path)
    kind = kind_of(place, format)
    names = spelled(graph, str(place))
    _check_text(names, place)
    with ExitStack() as stack:
        stream = stack.enter_context(replacing(place, force=force, compression=kind.compression))
        if attributes is not None:
            _write_attributes(graph, names, Path(attributes), force, stack)
        elif len(graph.attributes) and kind.format not in HOLD_ATTRIBUTES:
            notice(
                f"{place}: a file in {kind.format} holds no attributes; not written: {list_names(graph.attributes)}. "
                "Say attributes='people.csv' (--attributes-output people.csv) to write them to a second file."
            )
        bare = graph.without_attributes() if attributes is not None else graph
        _write(bare, names, stream, place, kind.format)


def _write(graph: Graph, names: list[str], stream: BinaryIO, path: Path, kind: str) -> None:
    if kind in SEPARATORS:
        edge_lists.write_edge_list(graph, names, stream, path, SEPARATORS[kind])
    else:
        WRITERS[kind](graph, names, stream, path)


def _write_attributes(graph: Graph, names: list[str], path: Path, force: bool, stack: ExitStack) -> None:
    kind = kind_of(path, None, attribute_files.FORMATS)
    stream = stack.enter_context(replacing(path, force=force, compression=kind.compression))
    attribute_files.write(graph, names, stream, path, kind)


def _check_text(names: list[str], path: Path) -> None:
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise BadParameter(f"{path}: a name must be text in Unicode. Got {name!r:.60}. Rename it.") from error
