"""Layers: the links of one kind that have a direction, or those of one kind that have none.

A graph without directions and kinds has one layer. A link is a number: (layer * n + source) * n + target. The source of
a link without direction is its smaller id. So edits of links are edits of sets of numbers, in every kind of graph.
"""

from __future__ import annotations

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph, link_graph
from shoal.data.ties import Relation, sort_relations

PLAIN = (Relation(None, "both"),)


def list_layers(graph: Graph) -> tuple[Relation, ...]:
    """Return the layers of a graph, each as the relation that the source of a link sees.

    >>> list_layers(Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False]))
    (Relation(kind=None, direction='both'), Relation(kind=None, direction='out'))
    """
    return PLAIN if graph.ties is None else tuple(one for one in graph.ties.relations if one.direction != "in")


def find_directed_layers(graph: Graph) -> Bools:
    """Return which layers have a direction."""
    return np.array([layer.direction == "out" for layer in list_layers(graph)], dtype=np.bool_)


def number_links(graph: Graph) -> Ints:
    """Return every link as a number, ascending, without multiplicities.

    >>> number_links(Graph.from_pairs("abc", [2, 1], [1, 0], directed=True)).tolist()
    [3, 7]
    """
    if graph.ties is None:
        return number_edges(graph)
    a, b, relation, _ = graph.links()
    n = np.int64(graph.n)
    layers = list_layers(graph)
    at = np.array([layers.index(one) if one in layers else -1 for one in graph.ties.relations], dtype=np.int64)
    return np.sort((at[relation] * n + a) * n + b)


def split_numbers(n: int, keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the layers, sources and targets of numbered links.

    >>> [part.tolist() for part in split_numbers(3, np.array([3, 16]))]
    [[0, 1], [1, 2], [0, 1]]
    """
    rows = keys // n
    return rows // n, rows % n, keys % n


def replace_links(graph: Graph, keys: Ints) -> Graph:
    """Return the graph with these links instead of its own. Relations that no link has are left out.

    If there are no links, all relations stay, so that the form of the graph does.
    """
    layer, a, b = split_numbers(graph.n, keys)
    if graph.ties is None:
        return Graph.from_pairs(graph.names, a, b, attributes=graph.attributes)
    layers = list_layers(graph)
    used = np.flatnonzero(np.bincount(layer, minlength=len(layers)))
    relations = sort_relations([layers[i] for i in used.tolist()]) if len(used) else graph.ties.relations
    at = np.array([relations.index(one) if one in relations else -1 for one in layers], dtype=np.int64)
    return link_graph(graph.names, a, b, at[layer], None, relations, False, graph.attributes)


def split_sides(graph: Graph) -> tuple[Ints, Ints, Ints]:
    """Return the links as edges between sides of vertices, layer by layer, and the mates of the sides.

    A vertex has one side in a layer without direction, and two in a directed one: a link joins the out-side of its
    source to the in-side of its target. The id of a side is its number times n, plus the vertex. The mate of a side is
    the number of the side at the other end.

    >>> [part.tolist() for part in split_sides(Graph.from_pairs("abc", [2, 1], [1, 0], directed=True))]
    [[1, 2], [3, 4], [1, 0]]
    """
    n, directed = np.int64(graph.n), find_directed_layers(graph)
    layer, a, b = split_numbers(graph.n, number_links(graph))
    first = np.concatenate([[0], np.cumsum(np.where(directed, 2, 1))])
    mates = np.arange(first[-1])
    out = first[:-1][directed]
    mates[out], mates[out + 1] = out + 1, out
    return first[layer] * n + a, (first[layer] + directed[layer]) * n + b, mates


def join_sides(graph: Graph, a: Ints, b: Ints) -> Ints:
    """Return the numbers of links that are given as edges between sides, as :func:`split_sides` returns them.

    >>> g = Graph.from_pairs("abc", [2, 1], [1, 0], directed=True)
    >>> join_sides(g, np.array([3, 4]), np.array([1, 2])).tolist() == number_links(g).tolist()
    True
    """
    n = np.int64(graph.n)
    low, high = np.minimum(a, b), np.maximum(a, b)  # the in-side of a layer follows the out-side
    layer = np.repeat(np.arange(len(list_layers(graph))), np.where(find_directed_layers(graph), 2, 1))[low // n]
    return np.sort((layer * n + low % n) * n + high % n)


def count_possible(graph: Graph) -> Ints:
    """Return for each layer the number of pairs that could be linked.

    >>> count_possible(Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False])).tolist()
    [3, 6]
    """
    pairs = graph.n * (graph.n - 1)
    return np.where(find_directed_layers(graph), pairs, pairs // 2).astype(np.int64)


def count_links_by_layer(graph: Graph, keys: Ints) -> Ints:
    """Return the number of links in each layer."""
    return np.bincount(keys // (np.int64(graph.n) * graph.n), minlength=len(list_layers(graph)))
