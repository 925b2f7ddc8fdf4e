"""Graphs of other libraries, in and out: networkx, igraph, matrices, data frames, plain pairs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.pairs import Pairs
from shoal.data.table import Column, Table
from shoal.errors import BadGraph, BadParameter, notice

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
    if isinstance(obj, Graph):
        return obj
    return from_networkx(obj).graph(multigraph=multigraph, undirected=undirected, drop_loops=drop_loops)


def from_networkx(graph: networkx.Graph[Any]) -> Pairs:
    cells: dict[str, dict[int, Any]] = {}
    for v, (_, found) in enumerate(graph.nodes(data=True)):
        for column, value in found.items():
            cells.setdefault(str(column), {})[v] = value
    n = graph.number_of_nodes()
    table = Table.of({name: [known.get(v) for v in range(n)] for name, known in cells.items()}, n)
    directed = "a directed networkx graph" if graph.is_directed() else ""
    return Pairs.of(graph.edges(), graph.nodes(), attributes=table, directed=directed)


def to_networkx(graph: Graph) -> networkx.Graph[Any]:
    import networkx as nx

    made = nx.Graph() if graph.multiplicity is None else nx.MultiGraph()
    made.add_nodes_from(graph.names)
    names = list(graph.names)
    for column, cells in graph.attributes.columns.items():
        for name, value in zip(names, cells, strict=True):
            if value is not None:
                made.nodes[name][column] = value
    a, b, counts = graph.edges()
    times = np.ones(len(a), int) if counts is None else counts
    made.add_edges_from((names[u], names[v]) for u, v, t in zip(a.tolist(), b.tolist(), times.tolist()) for _ in range(t))
    return made
