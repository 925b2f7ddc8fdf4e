"""Twins: vertices with the same links to the same neighbors, each other aside. They are interchangeable in the graph.

Links are the same if their kinds, directions and multiplicities are. Twins may be linked to each other, but not by an
arc from one to the other, which distinguishes them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.grouping import find_entries, group_multisets, number_by_first_appearance
from shoal.core.link_labels import LinkKinds, label_links
from shoal.data.arrays import Ints
from shoal.data.graph import Graph

FEW = 3
"""Linked twins are found for so many labels of links. To miss others costs time, not exactness."""


def find_twins(
    graph: Graph,
    labels: Ints | None = None,
    *,
    among: Ints | None = None,
) -> Ints:
    """Number the classes of twins: vertices with the same neighbors, each other aside.

    `among` holds the distinct ids of the vertices to compare (default: all); twins have equal `labels`.
    """
    own, kinds = np.arange(graph.n) if among is None else among, LinkKinds.of(graph)
    ptr, items, seen = graph.indptr, graph.indices, label_links(graph)
    if among is not None:
        ptr, at = find_entries(graph.indptr, among)
        items, seen = items[at], None if seen is None else seen[at]
    links = (1,) if kinds is None else kinds.edges[:FEW].tolist()
    return group_twin_rows(ptr, items, own, seen, labels, links)[0]


def find_equal_rows(graph: Graph) -> Ints:
    """Number the classes of vertices with equal rows: the same links to the same neighbors.

    >>> find_equal_rows(Graph.from_pairs("abcd", [0, 1, 2, 3], [1, 2, 3, 0])).tolist()
    [0, 1, 0, 1]
    """
    return group_multisets(graph.indptr, graph.indices, label_links(graph))


def group_twin_rows(
    indptr: Ints,
    items: Ints,
    own: Ints,
    labels: Ints | None = None,
    start: Ints | None = None,
    links: Sequence[int] = (1,),
) -> tuple[Ints, Ints]:
    """Number the classes of twins by first appearance; also return by which label each is linked to its twins, or 0.

    Row i belongs to the vertex `own[i]`. Twins have equal rows, or equal rows after each vertex is added to its own row
    (linked twins, with one of the labels `links`).

    A triangle with a tail at its first corner:

    >>> group_twin_rows(np.array([0, 3, 5, 7, 8]), np.array([1, 2, 3, 0, 2, 0, 1, 0]), np.arange(4))[0].tolist()
    [0, 1, 1, 2]
    """
    codes, joined = group_multisets(indptr, items, labels, start), np.zeros(len(own), dtype=np.int64)
    ptr, with_own = indptr + np.arange(len(indptr)), np.insert(items, indptr[:-1], own.astype(items.dtype))
    for times, link in enumerate(links, 1):
        seen = None if labels is None else np.insert(labels, indptr[:-1], link)
        linked = group_multisets(ptr, with_own, seen, start)
        # The twins of a vertex are all linked to it alike: two that were not would see each other in two ways.
        here = np.bincount(linked)[linked] > 1
        codes, joined = np.where(here, times * len(own) + linked, codes), np.where(here, link, joined)
    return number_by_first_appearance(codes), joined
