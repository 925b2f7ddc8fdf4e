"""Classes to begin with: around hubs, by similarity, and no more of a component mixed with others than must be.

A class that holds members of two components joins them in what is drawn from it. So components of fewer than k
vertices are put together among themselves, like with like, and one of k to 2k-1 is a class.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymizers.row_classes import grown
from shoal.data.graph import Graph, Ints
from shoal.engines.local.grouping import by_first_appearance


def started(graph: Graph, k: int) -> Ints:
    """Return the class of each vertex; sizes are k to 2k-1, but for a single class of all.

    >>> pairs = Graph.from_pairs("abcdefg", [0, 1, 2, 3, 5], [1, 2, 0, 4, 6])
    >>> started(pairs, 2).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    if graph.n < 2 * k:
        return np.zeros(graph.n, dtype=np.int64)
    component, size = _components(graph)
    small, large = np.flatnonzero(size < k), np.flatnonzero(size >= 2 * k)
    if 0 < len(small) < k:  # too few for a class of their own
        return _grown(graph, k)
    codes = component + len(small)  # those of k to 2k-1 are a class each
    parts = len(small) // k
    if parts:
        codes[_like_with_like(graph, component, size, small)] = np.arange(len(small)) * parts // len(small)
    if len(large):
        codes[large] = int(codes.max()) + 1 + _grown(_induced(graph, large), k)
    return by_first_appearance(codes)


def _grown(graph: Graph, k: int) -> Ints:
    return grown(graph, k, "jaccard", np.ones(graph.n, dtype=np.bool_))


def _components(graph: Graph) -> tuple[Ints, Ints]:
    """Return the component of each vertex, and the number of vertices in it."""
    from scipy.sparse.csgraph import connected_components

    component = connected_components(graph.to_scipy(), directed=False)[1].astype(np.int64)
    return component, np.bincount(component)[component]


def _like_with_like(graph: Graph, component: Ints, size: Ints, members: Ints) -> Ints:
    """List vertices component by component, those of as many vertices and edges together."""
    ends = np.bincount(component, weights=graph.degree)[component]
    order: Ints = np.lexsort((-graph.degree[members], component[members], ends[members], size[members]))
    return members[order]


def _induced(graph: Graph, members: Ints) -> Graph:
    """Return the graph of some vertices, which are numbered anew."""
    rank = np.full(graph.n, -1, dtype=np.int64)
    rank[members] = np.arange(len(members))
    a, b, _ = graph.edges()
    both = (rank[a] >= 0) & (rank[b] >= 0)
    return Graph.from_pairs(range(len(members)), rank[a[both]], rank[b[both]])
