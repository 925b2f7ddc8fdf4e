"""Data: the common interface of Graph and Table, and their conversion from objects of other libraries.

A dataset holds individuals with names and attributes: the vertices of a graph, or the records of a table.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np

from shoal.data import frames
from shoal.data.column import Column
from shoal.data.convert import from_igraph, from_networkx, from_pairs, read_matrix
from shoal.data.encode import encode_column
from shoal.data.frames import is_frame
from shoal.data.graph import Graph, Pairs
from shoal.data.joining import KnownRows, check_distinct, join_known
from shoal.data.kinds import Bins, check_bins
from shoal.data.names import Names, check_spelling, warn_of_lookalikes
from shoal.data.numerals import Numeral
from shoal.data.table import Table, find_position
from shoal.errors import BadFile, BadGraph, BadParameter, must, public
from shoal.settings import in_order

AnyData = TypeVar("AnyData", bound="Dataset")


class Dataset(Protocol):
    """Individuals with names and attributes: the vertices of a :class:`Graph`, or the records of a :class:`Table`."""

    noun: ClassVar[tuple[str, str]]
    """The word for one individual, and for several."""
    has_links: ClassVar[bool]
    """Whether individuals can have links. True for every graph, even one without edges."""

    @property
    def n(self) -> int:
        """Number of individuals."""

    @property
    def m(self) -> int:
        """Number of edges between them; a table has none."""

    @property
    def is_multigraph(self) -> bool:
        """Whether multiplicities are kept: how often each pair is linked."""

    @property
    def is_simple(self) -> bool:
        """Whether links have no directions, no kinds and no multiplicities."""

    @property
    def names(self) -> Names:
        """The names of the individuals, by id."""

    @property
    def attributes(self) -> Table:
        """The attributes of the individuals; for a table, the table itself."""

    def with_attributes(self, attributes: Table) -> Self:
        """Return the same individuals and links with other attributes."""


def as_dataset(obj: Any) -> Dataset:
    """Convert an object to a Graph or a Table.

    Parameters
    ----------
    obj
        A :class:`Graph` or a :class:`Table`; an object with one of them in its attribute `data`, such as a release;
        a graph of networkx or igraph; or anything else that :func:`shoal.as_table` accepts.

    Examples
    --------
    >>> as_dataset({"age": [30, 30, 41]})
    Table(3 rows; columns: age)
    >>> as_dataset(Graph.from_pairs("ab", [0], [1]))
    Graph(2 vertices, 1 edge)
    """
    found = unwrap_data(obj)
    return as_graph(found) if is_graph(found) else as_table(found)


def as_linked(data: Dataset) -> Graph:
    """Return a graph unchanged; for a table, return a graph of its records without links."""
    return data if isinstance(data, Graph) else Graph.from_pairs(data.names, [], [], attributes=data.attributes)


def unwrap_data(obj: Any) -> Any:
    """Return `obj.data` if it is a graph or a table, as for a release; otherwise `obj` itself."""
    held = getattr(obj, "data", None)  # a frame may have a column 'data', and an array has a buffer 'data'
    return held if isinstance(held, Graph | Table) else obj


# Graphs.


@public
def as_graph(
    obj: Any,
    *,
    multigraph: bool = False,
    directed: bool = False,
    undirected: bool = False,
    kind: str | int | None = None,
    bins: Bins | None = None,
    drop_loops: bool = False,
    attributes: Any = None,
    columns: Sequence[str | int] | None = None,
) -> Graph:
    """Convert an object of another library to a Graph.

    Names are kept: a networkx label, an igraph "name" (or the vertex id), a cell of a frame, the row number of
    a matrix. Objects that say whether links have a direction are read as they are: graphs of networkx and igraph, and
    matrices (one that differs from its transpose is directed). Loops raise an error unless an option says how to handle
    them. A :class:`~shoal.errors.Notice` counts what is left out.

    Parameters
    ----------
    obj
        A shoal Graph (returned unchanged); a networkx or igraph graph; a square adjacency matrix of numpy or
        scipy; an edge list as a frame of pandas, polars or pyarrow, in which a missing end marks the other
        end as an isolated vertex; or an iterable of pairs.
    multigraph
        Keep multiplicities: how often each pair is listed. In a matrix, non-negative integers are multiplicities.
    directed
        Each link leads from its first end to its second: for edge frames, pairs and symmetric matrices, which do not
        say it themselves.
    undirected
        Ignore directions. Two links in opposite directions are one edge listed twice.
    kind
        The column of an edge frame, or the edge attribute of a networkx or igraph graph, that holds the kind of each
        link. A missing kind is a kind of its own. At most 1,000 kinds.
    bins
        Intervals for a column of numbers or dates: ascending bounds such as [0, 10, 100], or "quantiles:N"; or a
        :class:`~shoal.Hierarchy`, of which the first generalization is used. Bounds of quantiles are round
        values that no link has.
    drop_loops
        Drop loops instead of raising an error.
    attributes
        Vertex attributes: a frame whose first column (or the column called "name" or "id") holds the names
        of the vertices; or a mapping from column to cells, either one cell per vertex in order or a mapping
        by name. Names without a link become isolated vertices.
    columns
        The two columns of a frame that hold the ends, by name or by position (default: the first two).

    Examples
    --------
    >>> g = as_graph([("Medici", "Ridolfi"), ("Ridolfi", "Strozzi")])
    >>> g, list(g.names)
    (Graph(3 vertices, 2 edges), ['Medici', 'Ridolfi', 'Strozzi'])
    >>> as_graph(np.array([[0, 2], [2, 0]]), multigraph=True)
    Multigraph(2 vertices, 2 edges)
    >>> as_graph([("Ann", "Bo"), ("Bo", "Ann")], directed=True)
    Graph(2 vertices, 2 links; directed)
    >>> as_graph([("a", "a")])
    Traceback (most recent call last):
    ...
    shoal.errors.BadGraph: A graph must not have loops. Got 1, the first at vertex 'a'. Leave them out with
    drop_loops=True (--drop-loops).
    """
    check_link_options(directed, undirected, kind, bins, "as_graph")
    if isinstance(bins, str) and bins.startswith("hierarchy:"):
        raise BadParameter(f"as_graph: 'bins' must be a Hierarchy. Got {bins!r:.80}. Read it with read_hierarchy.")
    if isinstance(obj, Graph):
        _refuse_relabeling(obj, directed, kind)
        obj = obj.to_undirected() if undirected else obj
        return obj if attributes is None else _join_attributes(obj, attributes)
    pairs = _find_pairs(obj, multigraph, directed, kind, columns)
    if attributes is not None:
        pairs = join_known(pairs, frames.read_attribute_rows(attributes, pairs.names))
    if pairs.names.numbers is None:
        check_spelling(pairs.names, "as_graph", "a name")
    return pairs.graph(
        multigraph=multigraph, directed=directed, undirected=undirected, drop_loops=drop_loops, bins=bins
    )


def _join_attributes(graph: Graph, given: Any) -> Graph:
    """Return the graph with more attributes; names that it does not have become isolated vertices."""
    none = np.zeros(0, dtype=np.int64)
    known = frames.read_attribute_rows(given, graph.names)
    joined = join_known(Pairs(graph.names, none, none, attributes=graph.attributes), known)
    if joined.names.numbers is None:
        check_spelling(joined.names, "as_graph", "a name")
    indptr = np.append(graph.indptr, np.full(len(joined.names) - graph.n, graph.indptr[-1]))
    attributes = joined.attributes or Table(len(joined.names))
    return replace(graph, names=joined.names, indptr=indptr, attributes=attributes, unread=())


def check_link_options(directed: bool, undirected: bool, kind: str | int | None, bins: Bins | None, who: str) -> None:
    """Raise BadParameter for options about links that contradict each other."""
    if directed and undirected:
        raise BadParameter(f"{who}: 'directed' and 'undirected' (--directed, --undirected) must not come together.")
    if bins is not None:
        if kind is None:
            raise BadParameter(f"{who}: 'bins' (--bins) must come with 'kind' (--kind). Got {bins!r:.60} without it.")
        check_bins(bins, who)


def _refuse_relabeling(graph: Graph, directed: bool, kind: str | int | None) -> None:
    """Raise an error if direction or kinds are asked of a Graph, which has its own."""
    if kind is not None:
        raise BadParameter(f"as_graph: 'kind' is for frames and graphs of other libraries. Got {kind!r} for {graph!r}.")
    if directed and not graph.directed:
        raise BadGraph(f"as_graph: 'directed' must be used only where links have a direction. Got {graph!r}.")


def describe_form(data: Dataset) -> dict[str, Any]:
    """Return whether links have directions, and their kinds, as plain data; nothing for a table.

    >>> describe_form(Graph.from_pairs("ab", [0], [1], directed=True))
    {'directed': True, 'kinds': []}
    """
    return {"directed": data.directed, "kinds": list(data.kinds)} if isinstance(data, Graph) else {}


def refuse_ties(data: AnyData, who: str) -> AnyData:
    """Return the data; raise BadGraph if its links have directions or kinds, which `who` does not handle yet."""
    if not isinstance(data, Graph) or data.ties is None:
        return data
    kinds = "kinds" if data.kinds else ""
    found = " and ".join(filter(None, ["directions" if data.directed else "", kinds]))
    ways = (["--undirected"] if data.directed else []) + (["no --kind"] if data.kinds else [])
    calls = (".to_undirected()" if data.directed else "") + (".without_kinds()" if data.kinds else "")
    raise BadGraph(
        f"{who}: links must have neither directions nor kinds. Got links with {found}, which it does not handle yet. "
        f"To use it without them, read the network with {' and '.join(ways)} (in Python: graph{calls})."
    )


def _find_pairs(
    obj: Any, multigraph: bool, directed: bool, kind: str | int | None, columns: Sequence[str | int] | None
) -> Pairs:
    """Return the pairs of an object of any supported kind, without importing libraries that did not make it."""
    way = True if directed else None
    if frames.is_frame(obj) and (columns is not None or not frames.is_adjacency(obj)):
        return frames.read_edge_frame(obj, columns, kind)
    if columns is not None:
        raise BadParameter(f"as_graph: 'columns' is only for an edge frame. Got {columns!r}.")
    attribute = None if kind is None else str(kind)
    if _comes_from(obj, "networkx", "Graph"):
        return from_networkx(obj, attribute)
    if _comes_from(obj, "igraph", "Graph"):
        return from_igraph(obj, attribute)
    if kind is not None:
        raise BadParameter(
            f"as_graph: 'kind' is for an edge frame, or a networkx or igraph graph. Got {kind!r} for "
            f"{_name_kind(obj)}. Graph.from_pairs takes kinds=."
        )
    if frames.is_frame(obj):
        matrix = read_matrix(obj.to_numpy(), multigraph=multigraph, directed=way)
        return replace(matrix, names=Names(obj.columns.tolist()))
    if isinstance(obj, Table):
        raise BadParameter(
            f"as_graph: 'obj' must have links. Got the table {obj!r}. If it lists edges, pass its frame."
        )
    if isinstance(obj, np.ndarray) or _comes_from(obj, "scipy.sparse", "sparray", "spmatrix"):
        return read_matrix(obj, multigraph=multigraph, directed=way)
    if isinstance(obj, Iterable) and not isinstance(obj, str | bytes | Mapping):
        return from_pairs(obj)
    raise BadParameter(
        "as_graph: 'obj' must be a graph of networkx or igraph, an adjacency matrix (numpy, scipy), an edge "
        f"frame (pandas, polars, pyarrow) or an iterable of pairs. Got {_name_kind(obj)}. read_graph reads files."
    )


def is_graph(obj: Any) -> bool:
    """Return whether `obj` is a graph of shoal, networkx or igraph.

    >>> is_graph(Graph.from_pairs("ab", [0], [1])), is_graph([("a", "b")])
    (True, False)
    """
    return isinstance(obj, Graph) or _comes_from(obj, "networkx", "Graph") or _comes_from(obj, "igraph", "Graph")


def _comes_from(obj: Any, module: str, *classes: str) -> bool:
    library = sys.modules.get(module)
    return library is not None and isinstance(obj, tuple(getattr(library, name) for name in classes))


def _name_kind(obj: Any) -> str:
    return f"{type(obj).__module__}.{type(obj).__qualname__}".removeprefix("builtins.")


# Tables.


@public
def as_table(obj: Any, *, key: str | int | None = None, columns: Sequence[str] | None = None) -> Table:
    """Convert an object to a Table by exact comparison: 1 equals 1.0, but True is not 1.

    NaN, null, None, NaT and pandas' NA are the same missing value. Values become plain Python values.

    Parameters
    ----------
    obj
        A Table; a frame of pandas, polars or pyarrow (a pandas index is not used); a mapping from column to
        cells; the path of a file, which :func:`read_table` reads; or a graph, which gives its vertex attributes and
        names.
    key
        The column that holds the names of the individuals, by name or by position from 0. It is removed from the
        table. Without it, individuals are named by their position from 0.
    columns
        The columns to keep, in this order (default: all).

    Examples
    --------
    >>> table = as_table({"who": ["Ann", "Bo"], "age": [30, None], "sex": ["f", "m"]}, key="who")
    >>> table, list(table.names), list(table["age"])
    (Table(2 rows; columns: age, sex), ['Ann', 'Bo'], [30, None])
    """
    if isinstance(obj, str | os.PathLike):
        from shoal.io.read import read_table

        table = read_table(obj, key=key)
    else:
        table = _encode_table(obj)
        table = table if key is None else _take_key(table, key)
    check_filled(table, "as_table")
    return table if columns is None else _take_columns(table, columns)


def _encode_table(obj: Any) -> Table:
    if isinstance(obj, Table):
        return obj
    if isinstance(obj, Graph):
        return Table(obj.n, obj.attributes.columns, obj.names)
    if type(obj).__name__ == "LazyFrame":
        raise BadParameter("as_table: a frame must hold its data. Got a polars LazyFrame; call .collect() first.")
    if is_frame(obj):
        return _encode_frame(obj)
    if isinstance(obj, Mapping):
        return Table.of(_name_columns((str(name), _encode_cells(name, cells)) for name, cells in obj.items()))
    raise BadParameter(
        "as_table: a table must be a frame of pandas, polars or pyarrow, a mapping from column to cells, a path, "
        f"a graph or a Table. Got {type(obj).__name__}."
    )


def _encode_frame(frame: Any) -> Table:
    """Encode a frame column by column; pandas columns are taken by position, since labels may repeat."""
    import narwhals as nw

    if hasattr(frame, "iloc"):
        labels, cells = frame.columns, [frame.iloc[:, at] for at in range(len(frame.columns))]
    elif hasattr(frame, "column_names"):
        labels, cells = frame.column_names, frame.columns
    else:
        table = nw.from_native(frame, eager_only=True)
        labels, cells = table.columns, [table[name].to_native() for name in table.columns]
    encoded = (column for _, column in in_order(encode_column, cells))
    return Table.of(_name_columns(zip(map(str, labels), encoded, strict=True)), len(frame))


def _name_columns(columns: Iterable[tuple[str, Column]]) -> dict[str, Column]:
    """Return the columns by name; raise BadParameter if two have the same name, since one would be lost."""
    found: dict[str, Column] = {}
    for name, column in columns:
        if name in found:
            raise BadParameter(f"as_table: column names must be distinct. Got {name!r} twice. Rename one of them.")
        found[name] = column
    return found


def _encode_cells(name: Any, cells: Any) -> Column:
    if isinstance(cells, str | bytes | Mapping) or not isinstance(cells, Iterable):
        raise BadParameter(f"as_table: the column {name!r} must hold one cell per row, in order. Got {cells!r:.80}.")
    return encode_column(cells)


def _take_key(table: Table, key: str | int) -> Table:
    """Return the table with one column used as the names of its individuals."""
    label = list(table)[find_position(list(table), key, "as_table")]
    names = [str(name) if isinstance(name, Numeral) else name for name in table[label]]
    check_distinct(KnownRows(names, table, "as_table"), "record")
    warn_of_lookalikes(names, "as_table")
    columns = {name: column for name, column in table.columns.items() if name != label}
    return Table(table.n, columns, Names(names))


def _take_columns(table: Table, columns: Sequence[str]) -> Table:
    if isinstance(columns, str):
        raise BadParameter(f"as_table: 'columns' must be a list of columns. Got the text {columns!r}.")
    must(hasattr(columns, "__iter__"), "as_table", "columns", "a list of columns", columns)
    kept = table.only(columns)
    check_filled(kept, "as_table")
    return kept


def check_filled(table: Table, who: str) -> None:
    """Raise an error if a table has no rows or no columns."""
    error = BadParameter if who == "as_table" else BadFile
    if not table.n:
        raise error(f"{who}: a table must have at least one row. Got none.")
    if not len(table):
        besides = " besides the names" if table.is_keyed else ""
        raise error(f"{who}: a table must have at least one column{besides}. Got none.")
