"""Graphs of other libraries, in and out: networkx, igraph, matrices, data frames, plain pairs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data import frames, matrices
from shoal.data.graph import Graph
from shoal.data.joining import join
from shoal.data.names import Names, check_spelling
from shoal.data.pairs import Pairs
from shoal.data.table import Table, plain
from shoal.errors import BadGraph, BadParameter, list_names, notice

if TYPE_CHECKING:
    import igraph
    import networkx
    import scipy.sparse


def as_graph(
    obj: Any,
    *,
    multigraph: bool = False,
    undirected: bool = False,
    drop_loops: bool = False,
    attributes: Any = None,
    columns: Sequence[str | int] | None = None,
) -> Graph:
    """Return the graph that an object of another library stands for.

    Names stay what they are: a networkx label, an igraph "name" (or its id), a cell of a frame, the row of
    a matrix. Nothing changes in silence: links with a direction and loops are refused unless an option says
    what to do with them, and what is left out is counted in a :class:`~shoal.errors.Notice`.

    Parameters
    ----------
    obj
        A shoal Graph (returned as it is); a networkx or igraph graph; a square adjacency matrix of numpy or
        scipy; an edge list as a frame of pandas, polars or pyarrow, in which a missing end marks the other
        end as an isolated vertex; or an iterable of pairs.
    multigraph
        Keep how often a pair is linked; in a matrix, non-negative whole numbers are multiplicities.
    undirected
        Read each directed link as an edge. Two links in opposite directions are one edge listed twice.
    drop_loops
        Leave loops out.
    attributes
        What is known about the vertices: a frame whose first column (or the column called "name" or "id")
        holds their names, or a mapping from column to cells: one per vertex in order, or a mapping by name.
        Names in it that no link has are isolated vertices.
    columns
        The two columns of a frame that hold the ends, by name or by position; the first two if not given.

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
    shoal.errors.BadGraph: A graph must have no loops. Got 1, the first at vertex 'a'. Leave them out with
    drop_loops=True (--drop-loops).
    """
    if isinstance(obj, Graph) and attributes is None:
        return obj
    pairs = _pairs(obj, multigraph=multigraph, columns=columns)
    if attributes is not None:
        pairs = join(pairs, frames.attributes(attributes, pairs.names))
    if pairs.names.numbers is None:
        check_spelling(pairs.names, "as_graph", "a name")
    multigraph = multigraph or (isinstance(obj, Graph) and obj.multiplicity is not None)
    return pairs.graph(multigraph=multigraph, undirected=undirected, drop_loops=drop_loops)


def _pairs(obj: Any, *, multigraph: bool, columns: Sequence[str | int] | None) -> Pairs:
    """Find out what `obj` is without importing libraries that it cannot come from."""
    if frames.is_frame(obj):
        if columns is None and frames.is_adjacency(obj):
            return replace(matrices.pairs(obj.to_numpy(), multigraph=multigraph), names=Names(obj.columns.tolist()))
        return frames.edges(obj, columns)
    if columns is not None:
        raise BadParameter(f"as_graph: 'columns' must be left out unless an edge frame is given. Got {columns!r}.")
    if isinstance(obj, Graph):
        return Pairs(obj.names, *obj.edges(), attributes=obj.attributes)
    if _comes_from(obj, "networkx", "Graph"):
        return from_networkx(obj)
    if _comes_from(obj, "igraph", "Graph"):
        return from_igraph(obj)
    if isinstance(obj, np.ndarray) or _comes_from(obj, "scipy.sparse", "sparray", "spmatrix"):
        return matrices.pairs(obj, multigraph=multigraph)
    if isinstance(obj, Iterable) and not isinstance(obj, str | bytes | Mapping):
        return from_pairs(obj)
    raise BadParameter(
        "as_graph: 'obj' must be a graph of networkx or igraph, an adjacency matrix (numpy, scipy), an edge "
        f"frame (pandas, polars, pyarrow) or an iterable of pairs. Got {_kind(obj)}. read_graph reads files."
    )


def is_graph(obj: Any) -> bool:
    """Tell whether `obj` is a graph of shoal, networkx or igraph.

    >>> is_graph(Graph.from_pairs("ab", [0], [1])), is_graph([("a", "b")])
    (True, False)
    """
    return isinstance(obj, Graph) or _comes_from(obj, "networkx", "Graph") or _comes_from(obj, "igraph", "Graph")


def _comes_from(obj: Any, module: str, *classes: str) -> bool:
    library = sys.modules.get(module)
    return library is not None and isinstance(obj, tuple(getattr(library, name) for name in classes))


def _kind(obj: Any) -> str:
    return f"{type(obj).__module__}.{type(obj).__qualname__}".removeprefix("builtins.")


def from_pairs(pairs: Iterable[Any]) -> Pairs:
    """Return the pairs of an iterable; None or NaN for an end marks the other end as an isolated vertex."""
    ends = list(pairs)
    for at, pair in enumerate(ends):
        if isinstance(pair, str | bytes) or not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise BadGraph(f"as_graph: item {at} must be a pair of names. Got {pair!r:.80}.")
    return frames.numbered([plain(a) for a, _ in ends], [plain(b) for _, b in ends])


def from_networkx(graph: networkx.Graph[Any]) -> Pairs:
    """Return what a networkx graph says; edge attributes are left out, with a notice that names them."""
    said = sorted({str(key) for _, _, data in graph.edges(data=True) for key in data})
    _tell_unused(said)
    cells: dict[str, dict[int, Any]] = {}
    for v, (_, found) in enumerate(graph.nodes(data=True)):
        for column, value in found.items():
            cells.setdefault(str(column), {})[v] = value
    n = graph.number_of_nodes()
    table = Table.of({name: [known.get(v) for v in range(n)] for name, known in cells.items()}, n)
    directed = "a directed networkx graph" if graph.is_directed() else ""
    return Pairs.of(graph.edges(), graph.nodes(), attributes=table, directed=directed)


def from_igraph(graph: igraph.Graph) -> Pairs:
    """Return what an igraph graph says; the vertices are called by their "name", or by their ids."""
    _tell_unused(graph.es.attributes())
    known = {name: graph.vs[name] for name in graph.vs.attributes()}
    names = Names(known.pop("name", range(graph.vcount())))
    if len(set(names)) != len(names):
        raise BadGraph(
            "as_graph: the vertex attribute 'name' must be different for each vertex. Got "
            f"{len(set(names)):,} names for {len(names):,} vertices. Without it (del g.vs['name']) the "
            "vertices are called by their ids."
        )
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    directed = "a directed igraph graph" if graph.is_directed() else ""
    return Pairs(names, ends[:, 0], ends[:, 1], attributes=Table.of(known, len(names)), directed=directed)


def _tell_unused(attributes: Sequence[str]) -> None:
    if attributes:
        notice(f"as_graph: edge attributes are not used: {list_names(attributes)}. A weight is not a multiplicity.")


def to_networkx(graph: Graph) -> networkx.Graph[Any]:
    """Return the graph as a networkx Graph, or as a MultiGraph where it has multiplicities.

    A missing value is an absent node attribute.

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
    """Return the graph as an igraph Graph whose vertices carry their name in "name".

    >>> as_graph([("a", "b")]).to_igraph().vs["name"]
    ['a', 'b']
    """
    import igraph as ig

    if "name" in graph.attributes:
        notice("to_igraph: the column 'name' is left out, since igraph keeps the names of the vertices there.")
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
