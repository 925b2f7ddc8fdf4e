"""Conversion of graphs and tables from and to networkx, igraph, numpy, scipy, data frames and pairs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data import frames
from shoal.data.arrays import Ints
from shoal.data.column import Column
from shoal.data.encode import encode_column
from shoal.data.frames import is_frame
from shoal.data.graph import Graph, Pairs
from shoal.data.joining import KnownRows, check_distinct, join_known
from shoal.data.names import Names, check_spelling, warn_of_lookalikes
from shoal.data.numerals import Numeral
from shoal.data.table import Table, find_position, plain
from shoal.errors import LARGEST, BadFile, BadGraph, BadParameter, list_names, must, notice, public
from shoal.settings import in_order

if TYPE_CHECKING:
    import igraph
    import networkx
    import scipy.sparse


@public
def as_graph(
    obj: Any,
    *,
    multigraph: bool = False,
    undirected: bool = False,
    drop_loops: bool = False,
    attributes: Any = None,
    columns: Sequence[str | int] | None = None,
) -> Graph:
    """Convert an object of another library to a Graph.

    Names are kept: a networkx label, an igraph "name" (or the vertex id), a cell of a frame, the row number of
    a matrix. Directed links and loops raise an error unless an option says how to handle them. A
    :class:`~shoal.errors.Notice` counts what is left out.

    Parameters
    ----------
    obj
        A shoal Graph (returned unchanged); a networkx or igraph graph; a square adjacency matrix of numpy or
        scipy; an edge list as a frame of pandas, polars or pyarrow, in which a missing end marks the other
        end as an isolated vertex; or an iterable of pairs.
    multigraph
        Keep multiplicities: how often each pair is listed. In a matrix, non-negative integers are multiplicities.
    undirected
        Read each directed link as an undirected edge. Two links in opposite directions are one edge listed twice.
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
    >>> as_graph([("a", "a")])
    Traceback (most recent call last):
    ...
    shoal.errors.BadGraph: A graph must not have loops. Got 1, the first at vertex 'a'. Leave them out with
    drop_loops=True (--drop-loops).
    """
    if isinstance(obj, Graph) and attributes is None:
        return obj
    pairs = _find_pairs(obj, multigraph=multigraph, columns=columns)
    if attributes is not None:
        pairs = join_known(pairs, frames.read_attribute_rows(attributes, pairs.names))
    if pairs.names.numbers is None:
        check_spelling(pairs.names, "as_graph", "a name")
    multigraph = multigraph or (isinstance(obj, Graph) and obj.multiplicity is not None)
    return pairs.graph(multigraph=multigraph, undirected=undirected, drop_loops=drop_loops)


def _find_pairs(obj: Any, *, multigraph: bool, columns: Sequence[str | int] | None) -> Pairs:
    """Return the pairs of an object of any supported kind, without importing libraries that did not make it."""
    if frames.is_frame(obj):
        if columns is None and frames.is_adjacency(obj):
            return replace(read_matrix(obj.to_numpy(), multigraph=multigraph), names=Names(obj.columns.tolist()))
        return frames.read_edge_frame(obj, columns)
    if columns is not None:
        raise BadParameter(f"as_graph: 'columns' is only for an edge frame. Got {columns!r}.")
    if isinstance(obj, Graph):
        return Pairs(obj.names, *obj.edges(), attributes=obj.attributes)
    if isinstance(obj, Table):
        raise BadParameter(
            f"as_graph: 'obj' must have links. Got the table {obj!r}. If it lists edges, pass its frame."
        )
    if _comes_from(obj, "networkx", "Graph"):
        return from_networkx(obj)
    if _comes_from(obj, "igraph", "Graph"):
        return from_igraph(obj)
    if isinstance(obj, np.ndarray) or _comes_from(obj, "scipy.sparse", "sparray", "spmatrix"):
        return read_matrix(obj, multigraph=multigraph)
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


def from_pairs(pairs: Iterable[Any]) -> Pairs:
    """Return the pairs of an iterable; None or NaN for an end marks the other end as an isolated vertex."""
    ends = list(pairs)
    for at, pair in enumerate(ends):
        if isinstance(pair, str | bytes) or not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise BadGraph(f"as_graph: item {at} must be a pair of names. Got {pair!r:.80}.")
    return frames.number_pairs([plain(a) for a, _ in ends], [plain(b) for _, b in ends])


def from_networkx(graph: networkx.Graph[Any]) -> Pairs:
    """Return the pairs of a networkx graph; a notice names the edge attributes, which are not used."""
    said = sorted({str(key) for _, _, data in graph.edges(data=True) for key in data})
    _report_unused(said)
    cells: dict[str, dict[int, Any]] = {}
    for v, (_, found) in enumerate(graph.nodes(data=True)):
        for column, value in found.items():
            cells.setdefault(str(column), {})[v] = value
    n = graph.number_of_nodes()
    table = Table.of({name: [known.get(v) for v in range(n)] for name, known in cells.items()}, n)
    directed = "a directed networkx graph" if graph.is_directed() else ""
    return Pairs.of(graph.edges(), graph.nodes(), attributes=table, directed=directed)


def from_igraph(graph: igraph.Graph) -> Pairs:
    """Return the pairs of an igraph graph; vertices are named by their attribute "name", or else by their ids."""
    _report_unused(graph.es.attributes())
    known = {name: graph.vs[name] for name in graph.vs.attributes()}
    names = Names(known.pop("name", range(graph.vcount())))
    if len(set(names)) != len(names):
        raise BadGraph(
            "as_graph: the vertex attribute 'name' must be distinct. Got "
            f"{len(names):,} vertices, distinct names: {len(set(names)):,}. Delete it (del g.vs['name']) to "
            "name the vertices by their ids."
        )
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    directed = "a directed igraph graph" if graph.is_directed() else ""
    return Pairs(names, ends[:, 0], ends[:, 1], attributes=Table.of(known, len(names)), directed=directed)


def _report_unused(attributes: Sequence[str]) -> None:
    if attributes:
        notice(f"as_graph: edge attributes are not used: {list_names(attributes)}. A weight is not a multiplicity.")


def to_networkx(graph: Graph) -> networkx.Graph[Any]:
    """Return the graph as a networkx Graph, or as a MultiGraph if it has multiplicities.

    A missing value becomes an absent node attribute.

    >>> as_graph([("a", "b")], attributes={"age": [30, None]}).to_networkx().nodes(data=True)
    NodeDataView({'a': {'age': 30}, 'b': {}})
    """
    import networkx as nx

    made = nx.Graph() if graph.multiplicity is None else nx.MultiGraph()
    names = list(graph.names)
    made.add_nodes_from(names)
    for column, cells in graph.attributes.columns.items():
        for name, value in zip(names, cells, strict=True):
            if value is not None:
                made.nodes[name][column] = value
    made.add_edges_from((names[a], names[b]) for a, b in graph.each_edge())
    return made


def to_igraph(graph: Graph) -> igraph.Graph:
    """Return the graph as an igraph Graph with the vertex names in the attribute "name".

    >>> as_graph([("a", "b")]).to_igraph().vs["name"]
    ['a', 'b']
    """
    import igraph as ig

    if "name" in graph.attributes:
        notice("to_igraph: the column 'name' is left out, because igraph stores the vertex names in 'name'.")
    made = ig.Graph(n=graph.n, edges=list(graph.each_edge()))
    for column, cells in graph.attributes.columns.items():
        made.vs[column] = list(cells)
    made.vs["name"] = list(graph.names)
    return made


def to_scipy(graph: Graph) -> scipy.sparse.csr_array[Any]:
    """Return the adjacency matrix as a sparse array of multiplicities.

    >>> as_graph([("a", "b")]).to_scipy().toarray().tolist()
    [[0, 1], [1, 0]]
    """
    from scipy.sparse import csr_array

    entries = np.ones(len(graph.indices), np.int32) if graph.multiplicity is None else graph.multiplicity.copy()
    return csr_array((entries, graph.indices.copy(), graph.indptr.copy()), shape=(graph.n, graph.n))


# Adjacency matrices: row i and column i are vertex i, and a nonzero entry is a link.

Values = np.ndarray[Any, np.dtype[Any]]


def read_matrix(matrix: Any, *, multigraph: bool) -> Pairs:
    """Return the links of a square matrix of numpy or scipy.

    A symmetric matrix is undirected: the entries (i, j) and (j, i) are one edge of that multiplicity.
    Any other matrix is directed: each entry is a separate link.

    >>> said = read_matrix(np.array([[0, 1], [1, 0]]), multigraph=False)
    >>> said.sources.tolist(), said.targets.tolist(), said.directed
    ([0], [1], '')
    """
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise BadGraph(
            f"An adjacency matrix must be square. Got the shape {matrix.shape}. "
            "To give pairs of vertices, pass a list of them: as_graph(array.tolist())."
        )
    entries = _make_sparse(matrix)
    _check_entries(entries.data, multigraph)
    rows, columns = entries.nonzero()  # in the order of the data, which has no zeros
    values = entries.data
    directed = "" if abs(entries - entries.T).nnz == 0 else "a matrix that differs from its transpose"
    if not directed:
        once = rows <= columns
        rows, columns, values = rows[once], columns[once], values[once]
    counts = values.astype(np.int64) if multigraph else None
    n = matrix.shape[0]
    return Pairs(Names(range(n)), _widen_ids(rows), _widen_ids(columns), counts, directed=directed)


def _make_sparse(matrix: Any) -> scipy.sparse.csr_array[Any]:
    """Return the nonzero entries in a signed type; entries listed twice are added."""
    from scipy.sparse import csr_array, issparse

    kind = matrix.dtype.kind
    if kind not in "biuf":
        raise BadGraph(f"An adjacency matrix must hold whole or real numbers. Got the type {matrix.dtype}.")
    if kind in "bu" or matrix.dtype.itemsize < 8:
        matrix = matrix.astype(np.float64 if kind == "f" else np.int64)
    entries = csr_array(matrix if issparse(matrix) else np.asarray(matrix), copy=True)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    return entries


def _check_entries(values: Values, multigraph: bool) -> None:
    strange = values[~np.isfinite(values) | (values < 0)]
    if len(strange):
        raise BadGraph(
            f"An adjacency matrix must hold finite numbers, 0 or greater. Got {len(strange):,} others, "
            f"the first {strange[0]}. Set them to 0 or 1 first."
        )
    if multigraph and (values != np.floor(values)).any():
        broken = values[values != np.floor(values)]
        raise BadGraph(
            f"An adjacency matrix of a multigraph must hold whole numbers. Got {len(broken):,} others, "
            f"the first {broken[0]}. Without multigraph=True (--multigraph) each nonzero entry is one edge."
        )
    if multigraph and (values > LARGEST).any():
        raise BadGraph(f"A multiplicity must be at most {LARGEST:,}. Got {values.max()}.")
    others = int((values != 1).sum())
    if others and not multigraph:
        notice(
            f"{others:,} entries of the matrix are neither 0 nor 1; each is read as one edge. "
            "Use multigraph=True (--multigraph) to read whole numbers as multiplicities."
        )


def _widen_ids(ids: Any) -> Ints:
    return np.asarray(ids, dtype=np.int64)


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
