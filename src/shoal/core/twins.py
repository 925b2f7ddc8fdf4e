"""Twins: vertices with the same neighbors, each other aside. Twins are interchangeable in the graph."""

from __future__ import annotations

import numpy as np

from shoal.core.grouping import group_multisets, number_by_first_appearance
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph


def find_twins(
    graph: Graph,
    labels: Ints | None = None,
    *,
    among: Ints | None = None,
) -> Ints:
    """Number the classes of twins: vertices with the same neighbors, each other aside.

    `among` holds the distinct ids of the vertices to compare (default: all); twins have equal `labels`.
    """
    own = np.arange(graph.n) if among is None else among
    ptr, items, weights = _take_rows(graph, among)
    return group_twin_rows(ptr, items, own, weights, labels)[0]


def find_equal_rows(graph: Graph) -> Ints:
    """Number the classes of vertices with equal rows: the same neighbors with the same multiplicities.

    >>> find_equal_rows(Graph.from_pairs("abcd", [0, 1, 2, 3], [1, 2, 3, 0])).tolist()
    [0, 1, 0, 1]
    """
    return group_multisets(graph.indptr, graph.indices, graph.multiplicity)


def _take_rows(graph: Graph, among: Ints | None) -> tuple[Ints, Ints, Ints | None]:
    """Return the rows of some vertices, concatenated."""
    if among is None:
        return graph.indptr, graph.indices, graph.multiplicity
    lengths = np.diff(graph.indptr)[among]
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(graph.indptr[among] - ptr[:-1], lengths) + np.arange(ptr[-1])
    return ptr, graph.indices[at], None if graph.multiplicity is None else graph.multiplicity[at]


def group_twin_rows(
    indptr: Ints,
    items: Ints,
    own: Ints,
    weights: Ints | None = None,
    start: Ints | None = None,
) -> tuple[Ints, Bools]:
    """Number the classes of twins by first appearance; also return which vertices are linked to their twins.

    Row i belongs to the vertex `own[i]`. Twins have equal rows, or equal rows after each vertex is added to its own row
    (linked twins, with a link of weight 1).

    A triangle with a tail at its first corner:

    >>> group_twin_rows(np.array([0, 3, 5, 7, 8]), np.array([1, 2, 3, 0, 2, 0, 1, 0]), np.arange(4))[0].tolist()
    [0, 1, 1, 2]
    """
    apart = group_multisets(indptr, items, weights, start)
    with_own = np.insert(items, indptr[:-1], own.astype(items.dtype))
    if weights is not None:
        weights = np.insert(weights, indptr[:-1], 1)
    ptr = indptr + np.arange(len(indptr))
    linked = group_multisets(ptr, with_own, weights, start)
    # A vertex has only linked or only unlinked twins: one of each would be both linked and not linked to each other.
    joined = np.bincount(linked)[linked] > 1
    return number_by_first_appearance(np.where(joined, len(own) + linked, apart)), joined
