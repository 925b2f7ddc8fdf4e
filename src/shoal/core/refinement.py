"""Vertex refinement (Hay et al.): H_0 is constant, and H_i(x) is the multiset of H_{i-1} over the neighbors of x.

H_1 is the degree. H_i refines H_{i-1}, so a unique vertex stays unique, and each round handles only the others.

Where links have multiplicities, kinds or directions, H_1 is the number of links of each relation. Then H_i(x) is
H_{i-1}(x) and the multiset, over the neighbors w, of all links between x and w with H_{i-1}(w).
"""

from __future__ import annotations

import numpy as np

from shoal.core.grouping import group_columns, group_multisets, number_by_first_appearance
from shoal.core.link_labels import label_links
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.progress import track

FEW = 8
"""The degrees of so many relations are compared as columns."""
WIDE = 4
"""Numbers of a range so many times the number of entries are renumbered before they are counted."""


def refine(graph: Graph, rounds: int | None) -> Ints:
    """Return the classes of H_i with i = `rounds`, or of the fixed point if `rounds` is None."""
    colors = np.zeros(graph.n, dtype=np.int64)
    if rounds == 0 or not len(graph.indices):
        return colors
    colors, labels = group_degrees(graph), label_links(graph)
    done = 1
    while done != rounds:
        track("refining", 0, 0)
        finer = refine_once(graph, colors, labels)
        if finer is colors:
            break
        colors, done = finer, done + 1
    return number_by_first_appearance(colors)


def group_degrees(graph: Graph, counted: Bools | None = None) -> Ints:
    """Number the classes of equal degrees; with directions or kinds, of equal numbers of links of each relation.

    `counted` marks the relations that count (default: all).

    >>> group_degrees(Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)).tolist()
    [0, 1, 2]
    """
    if graph.ties is None:
        return group_columns([graph.degree])
    if len(graph.ties.relations) <= FEW:
        return group_columns([*spread_degrees(graph, counted)])
    indptr, relation, times = select_degrees(graph, counted)
    return group_multisets(indptr, group_columns([relation, times]))


def spread_degrees(graph: Graph, counted: Bools | None) -> Ints:
    """Return a row for each relation that counts (None: all), with its number of links at every vertex.

    >>> spread_degrees(Graph.from_pairs("abc", [0, 1], [1, 2], directed=True), None).tolist()  # to, from
    [[1, 1, 0], [0, 1, 1]]
    """
    ties = graph.ties
    assert ties is not None
    if counted is None:
        return _add_links(graph, np.arange(len(ties.relations)), len(ties.relations))
    return _add_links(graph, np.where(counted, np.cumsum(counted) - 1, -1), int(counted.sum()))


def count_links(graph: Graph) -> Ints:
    """Return the number of links of each vertex, of any direction and kind: its degree.

    >>> count_links(Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)).tolist()
    [1, 2, 1]
    """
    if graph.ties is None:
        return graph.degree
    found: Ints = _add_links(graph, np.zeros(len(graph.ties.relations), dtype=np.int64), 1)[0]
    return found


def count_entries(graph: Graph) -> Ints:
    """Return a row for each relation of a graph with ties: the number of neighbors that each vertex sees so.

    >>> count_entries(Graph.from_pairs("abc", [0, 0], [1, 2], directed=True)).tolist()  # to, from
    [[2, 0, 0], [0, 1, 1]]
    """
    assert graph.ties is not None
    many = len(graph.ties.relations)
    return _add_links(graph, np.arange(many), many, np.ones(len(graph.ties.times), dtype=np.int64))


def _add_links(graph: Graph, row: Ints, many: int, times: Ints | None = None) -> Ints:
    """Return so many rows with a number for each vertex; row[r] counts the links of relation r, none if it is -1.

    `times` is how much each entry of a tie counts (default: its multiplicity).
    """
    from shoal.core._kernels.degree_vectors import spread

    ties = graph.ties
    assert ties is not None
    rows = np.zeros((many, graph.n), dtype=np.int64)
    counted = ties.times.astype(np.int64) if times is None else times
    spread(graph.indptr, ties.codes, ties.indptr, row.astype(np.int32)[ties.relation], counted, rows)
    return rows


def select_degrees(graph: Graph, counted: Bools | None) -> tuple[Ints, Ints, Ints]:
    """Return the degree vectors with only the relations that count (None: all)."""
    indptr, relation, times = graph.degree_vectors
    if counted is None or counted.all():
        return indptr, relation, times
    kept = counted[relation]
    return np.concatenate([[0], np.cumsum(kept)])[indptr], relation[kept], times[kept]


def refine_once(graph: Graph, colors: Ints, labels: Ints | None) -> Ints:
    """Split the classes by the multiset of the links to neighbors and their colors.

    `labels` are those of the links (see :func:`shoal.core.link_labels.label_links`). Returns `colors` itself if no
    class splits.
    """
    sizes = np.bincount(colors)
    active = np.flatnonzero(sizes[colors] > 1)
    if not len(active):
        return colors
    items = colors[graph.indices]
    if labels is not None:
        items = items * (int(labels.max(initial=0)) + 1) + labels
        if int(items.max(initial=0)) > WIDE * len(items):
            items = np.unique(items, return_inverse=True)[1].reshape(-1)
    codes = group_multisets(graph.indptr, items, None, colors[active], rows=active)
    if codes.max() + 1 == np.count_nonzero(sizes > 1):
        return colors
    return _renumber_colors(colors, active, codes, len(sizes))


def _renumber_colors(colors: Ints, active: Ints, codes: Ints, taken: int) -> Ints:
    """Keep the old number for one part of each split class, so that numbers stay below n."""
    part_class = np.empty(codes.max() + 1, dtype=np.int64)
    part_class[codes] = colors[active]
    order = np.argsort(part_class, kind="stable")
    heir = np.ones(len(order), dtype=np.bool_)
    heir[1:] = part_class[order][1:] != part_class[order][:-1]
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.where(heir, part_class[order], taken + np.cumsum(~heir) - 1)
    finer = colors.copy()
    finer[active] = number[codes]
    return finer
