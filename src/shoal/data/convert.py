"""Conversion of graphs from and to networkx, igraph, numpy, scipy and pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data import frames
from shoal.data.arrays import Ints
from shoal.data.graph import Graph, Pairs
from shoal.data.names import Names
from shoal.data.table import Column, Table, find_position, plain
from shoal.errors import LARGEST, BadGraph, list_names, notice

if TYPE_CHECKING:
    import igraph
    import networkx
    import scipy.sparse


def from_pairs(pairs: Iterable[Any]) -> Pairs:
    """Return the pairs of an iterable; None or NaN for an end marks the other end as an isolated vertex."""
    ends = list(pairs)
    for at, pair in enumerate(ends):
        if isinstance(pair, str | bytes) or not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise BadGraph(f"as_graph: item {at} must be a pair of names. Got {pair!r:.80}.")
    return frames.number_pairs([plain(a) for a, _ in ends], [plain(b) for _, b in ends])


def from_networkx(graph: networkx.Graph[Any], kind: str | None = None) -> Pairs:
    """Return the pairs of a networkx graph; `kind` is the edge attribute that is the kind of a link.

    The keys of a multigraph are no kinds. A notice names the other edge attributes, which are not used.
    """
    said = sorted({str(key) for _, _, data in graph.edges(data=True) for key in data})
    kinds = _find_kinds(said, kind, [data.get(kind) for _, _, data in graph.edges(data=True)] if kind else [])
    unread = _report_unused(said, kind)
    cells: dict[str, dict[int, Any]] = {}
    for v, (_, found) in enumerate(graph.nodes(data=True)):
        for column, value in found.items():
            cells.setdefault(str(column), {})[v] = value
    n = graph.number_of_nodes()
    table = Table.of({name: [known.get(v) for v in range(n)] for name, known in cells.items()}, n)
    how = _declare_direction(graph.is_directed(), "networkx")
    return Pairs.of(graph.edges(), graph.nodes(), attributes=table, unread=unread, kinds=kinds, kind=kind or "", **how)


def from_igraph(graph: igraph.Graph, kind: str | None = None) -> Pairs:
    """Return the pairs of an igraph graph; vertices are named by their attribute "name", or else by their ids.

    `kind` is the edge attribute that is the kind of a link.
    """
    kinds = _find_kinds(graph.es.attributes(), kind, graph.es[kind] if kind in graph.es.attributes() else [])
    unread = _report_unused(graph.es.attributes(), kind)
    known = {name: graph.vs[name] for name in graph.vs.attributes()}
    names = Names(known.pop("name", range(graph.vcount())))
    if len(set(names)) != len(names):
        raise BadGraph(
            "as_graph: the vertex attribute 'name' must be distinct. Got "
            f"{len(names):,} vertices, distinct names: {len(set(names)):,}. Delete it (del g.vs['name']) to "
            "name the vertices by their ids."
        )
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    how = _declare_direction(graph.is_directed(), "igraph")
    table = Table.of(known, len(names))
    return Pairs(names, ends[:, 0], ends[:, 1], attributes=table, unread=unread, kinds=kinds, kind=kind or "", **how)


def _declare_direction(directed: bool, library: str) -> dict[str, Any]:
    return {"arrows": directed, "declared": f"{'a directed' if directed else 'an undirected'} {library} graph"}


def _find_kinds(attributes: Sequence[str], kind: str | None, cells: list[Any]) -> Column | None:
    """Return the cells of the edge attribute that is the kind; None if none is named."""
    if kind is None:
        return None
    find_position(attributes, kind, "as_graph")
    return Column.of(cells)


def _report_unused(attributes: Sequence[str], kind: str | None) -> tuple[str, ...]:
    """Issue a notice that names the edge attributes other than the kind, and return them."""
    unused = tuple(name for name in attributes if name != kind)
    if unused:
        named = list_names(unused)
        notice(
            f"as_graph: edge attributes are not used: {named}. A weight is not a multiplicity; a kind of link is named "
            "by kind= (--kind).",
            f"edge attributes not read: {named}",
        )
    return unused


def _list_arcs(graph: Graph, who: str) -> Iterator[tuple[int, int, str | None]]:
    """Yield the ends and the kind of each link, for libraries in which all links or none are directed.

    In a directed graph, a link without direction becomes two links; a notice counts them.
    """
    mixed = graph.ties is not None and graph.ties.mixed
    two = 0
    for a, b, relation in graph.each_link():
        yield a, b, relation.kind
        if mixed and relation.direction == "both":
            two += 1
            yield b, a, relation.kind
    if two:
        notice(f"{who}: links without direction, each converted to two directed links: {two:,}.")


def to_networkx(graph: Graph) -> networkx.Graph[Any]:
    """Return the graph as a networkx Graph or DiGraph; with multiplicities or kinds, as a MultiGraph or MultiDiGraph.

    A missing value becomes an absent node attribute, and a missing kind an absent edge attribute. In a directed graph,
    a link without direction becomes two directed links.

    >>> from shoal import as_graph
    >>> as_graph([("a", "b")], attributes={"age": [30, None]}).to_networkx().nodes(data=True)
    NodeDataView({'a': {'age': 30}, 'b': {}})
    """
    import networkx as nx

    several = graph.is_multigraph or bool(graph.kinds)
    made = (
        (nx.MultiDiGraph if several else nx.DiGraph)() if graph.directed else (nx.MultiGraph if several else nx.Graph)()
    )
    names = list(graph.names)
    made.add_nodes_from(names)
    for column, cells in graph.attributes.columns.items():
        for name, value in zip(names, cells, strict=True):
            if value is not None:
                made.nodes[name][column] = value
    arcs = _list_arcs(graph, "to_networkx")
    made.add_edges_from((names[a], names[b], {"kind": kind} if kind else {}) for a, b, kind in arcs)
    return made


def to_igraph(graph: Graph) -> igraph.Graph:
    """Return the graph as an igraph Graph with the vertex names in the attribute "name", and kinds in "kind".

    In a directed graph, a link without direction becomes two directed links.

    >>> from shoal import as_graph
    >>> as_graph([("a", "b")]).to_igraph().vs["name"]
    ['a', 'b']
    """
    import igraph as ig

    if "name" in graph.attributes:
        notice("to_igraph: the column 'name' is left out, because igraph stores the vertex names in 'name'.")
    arcs = list(_list_arcs(graph, "to_igraph"))
    made = ig.Graph(n=graph.n, edges=[(a, b) for a, b, _ in arcs], directed=graph.directed)
    if graph.kinds:
        made.es["kind"] = [kind or None for _, _, kind in arcs]
    for column, cells in graph.attributes.columns.items():
        made.vs[column] = list(cells)
    made.vs["name"] = list(graph.names)
    return made


# Adjacency matrices: row i and column i are vertex i, and a nonzero entry is a link.

Values = np.ndarray[Any, np.dtype[Any]]


def read_matrix(matrix: Any, *, multigraph: bool, directed: bool | None = None) -> Pairs:
    """Return the links of a square matrix of numpy or scipy; row i has the links from vertex i.

    Unless `directed` says it, a symmetric matrix is undirected: the entries (i, j) and (j, i) are one edge of that
    multiplicity. Any other matrix is directed: each entry is a separate link.

    >>> said = read_matrix(np.array([[0, 1], [1, 0]]), multigraph=False)
    >>> said.sources.tolist(), said.targets.tolist(), said.arrows
    ([0], [1], False)
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
    if directed is None:
        directed = abs(entries - entries.T).nnz > 0
    if not directed:
        once = rows <= columns
        rows, columns, values = rows[once], columns[once], values[once]
    counts = values.astype(np.int64) if multigraph else None
    n = matrix.shape[0]
    declared = "a matrix that differs from its transpose" if directed else "a symmetric matrix"
    ends = _widen_ids(rows), _widen_ids(columns)
    return Pairs(Names(range(n)), *ends, counts, arrows=directed, declared=declared)


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
            "Use multigraph=True (--multigraph) to read whole numbers as multiplicities.",
            f"entries other than 0 and 1 read as one edge: {others:,} (--multigraph)",
        )


def _widen_ids(ids: Any) -> Ints:
    return np.asarray(ids, dtype=np.int64)
