"""Reading: a file becomes a graph, or says by name and line why it cannot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.data.graph import Graph
from shoal.data.joining import join
from shoal.data.names import warn_of_lookalikes
from shoal.data.pairs import Pairs
from shoal.errors import BadGraph, BadParameter
from shoal.io import attributes as attribute_files
from shoal.io import edge_lists, parquet
from shoal.io.delimited import COMMENTS
from shoal.io.files import RATIO, Kind, existing, kind_of, reading_within
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
    found = existing(path)
    kind = kind_of(found, format)
    options = TextOptions(separator, header, columns, comments, loose=kind.format == "text")
    _check_options(found, kind, options, {} if attributes is not None else {"key": key, "trim": trim or None})
    try:
        with reading_within(trust_counts, max_ratio):
            pairs = _pairs(found, kind, options, multigraph)
            known = None if attributes is None else attribute_files.read(attributes, key, trim=trim)
        pairs = pairs if known is None else join(pairs, known)
        warn_of_lookalikes(pairs.names, str(found))
        graph = pairs.graph(multigraph=multigraph, undirected=undirected, drop_loops=drop_loops)
        graph = graph.with_attributes(graph.attributes.from_file())
    except BadGraph as error:
        raise error if str(error).startswith(str(found)) else BadGraph(f"{found}: {error}") from None
    return replace(graph, names=graph.names.given_anew()) if was_saved(found) else graph


def was_saved(path: Path) -> bool:
    """Tell whether a file is a release that was saved: what it promises lies beside it."""
    return Path(f"{path}.release.json").is_file()


def _pairs(path: Path, kind: Kind, options: TextOptions, multigraph: bool) -> Pairs:
    if kind.format in TEXT:
        return edge_lists.read_edge_list(path, kind.compression, options)
    if kind.format == "parquet":
        return parquet.read(path, kind.compression, options.columns)
    if kind.format == "mtx":
        return matrix_market.read(path, kind.compression, multigraph=multigraph)
    return READERS[kind.format](path, kind.compression)


def _check_options(path: Path, kind: Kind, options: TextOptions, about: dict[str, Any]) -> None:
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
