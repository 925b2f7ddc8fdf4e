"""Automorphism orbits: refinement first, then canonical forms of the ambiguous components.

Let the cells be the classes of an invariant partition, the fixed point of refinement. A permutation that preserves the
cells preserves the links between two cells if and only if it preserves the missing links. So, if most pairs between two
cells are linked, the links are replaced by the missing ones. This removes every edge at a cell of one vertex and every
complete block of twins. The remaining graph has the same color-preserving automorphisms and splits into small
components. The same holds for links of one label (kind, direction, multiplicity) among others. Two vertices share an
orbit if and only if a color-preserving isomorphism of their components maps one to the other, which canonical forms
decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.core.balls import find_automorphism_orbits, find_canonical_form
from shoal.core.grouping import find_components, number_by_first_appearance
from shoal.core.link_labels import LinkKinds, label_links
from shoal.core.refinement import refine
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.progress import track
from shoal.workers import call_stoppable

LARGE = 10_000
"""A component with so many links may take long; BLISS cannot poll, so it runs where it can be stopped."""


@dataclass(frozen=True)
class LabeledLinks:
    """Pairs with labels. An edge has a label of 0 or more, an arc from a to b one below 0.

    The ends of a pair in two cells differ, so that it needs no arc: a is in the lower cell, and the label says what a
    sees.
    """

    a: Ints
    b: Ints
    label: Ints

    @classmethod
    def of(cls, graph: Graph, cells: Ints) -> LabeledLinks:
        """Return each linked pair once."""
        rows, near = np.repeat(np.arange(graph.n), np.diff(graph.indptr)), graph.indices.astype(np.int64)
        mine, theirs = cells[rows], cells[near]
        once = (mine < theirs) | ((mine == theirs) & (rows < near))
        a, b, labels, kinds = rows[once], near[once], label_links(graph), LinkKinds.of(graph)
        label = np.ones(len(a), dtype=np.int64) if labels is None else labels[once].astype(np.int64)
        if kinds is not None:
            within = cells[a] == cells[b]
            a[within], b[within], label[within] = kinds.orient(np.stack([a, b, label], 1)[within]).T
        return cls(a, b, label)


def find_orbits(graph: Graph) -> Ints:
    """Number the orbits by first appearance.

    Vertices of different components share a number if an isomorphism of the components maps one to the other. They are
    in one orbit of the graph, because isomorphic components are interchangeable.
    """
    cells = refine(graph, None)
    links = complement_dense_cells(cells, LabeledLinks.of(graph, cells))
    return number_by_first_appearance(_settle(cells, links))


def complement_dense_cells(cells: Ints, links: LabeledLinks) -> LabeledLinks:
    """Between two cells, if most pairs are links of one label, remove these links and link the other pairs.

    A pair that was not linked becomes a link of label 0, so that all kinds of pairs stay distinct. Arcs within a cell
    stay: from its two ends, an arc and a missing link are not alike.

    >>> square = LabeledLinks(np.array([0, 0, 1, 2]), np.array([1, 3, 2, 3]), np.ones(4, int))
    >>> left = complement_dense_cells(np.zeros(4, int), square)
    >>> left.a.tolist(), left.b.tolist(), left.label.tolist()
    ([0, 1], [2, 3], [0, 0])
    """
    sizes = np.bincount(cells)
    pair = _number_cell_pairs(cells, links, len(sizes))
    kind_pair, label, which, count = _count_kinds(pair, links.label)
    dense = (2 * count > _count_slots(sizes, kind_pair)) & (label > 0)
    if not dense.any():
        return links
    rest = ~dense[which]
    missing = _list_missing_pairs(cells, links, pair, kind_pair[dense], len(sizes))
    a = np.concatenate([links.a[rest], missing[:, 0]])
    b = np.concatenate([links.b[rest], missing[:, 1]])
    return LabeledLinks(a, b, np.concatenate([links.label[rest], np.zeros(len(missing), dtype=np.int64)]))


def _count_kinds(pair: Ints, label: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the distinct pairs of cells with each label between them, which of these each link has, and how many."""
    labels, at = np.unique(label, return_inverse=True)
    keys, which, count = np.unique(pair * len(labels) + at.reshape(-1), return_inverse=True, return_counts=True)
    return keys // len(labels), labels[keys % len(labels)], which.reshape(-1), count


def _number_cell_pairs(cells: Ints, links: LabeledLinks, span: int) -> Ints:
    """Return a number for the two cells of each link."""
    one, other = cells[links.a], cells[links.b]
    return np.minimum(one, other) * span + np.maximum(one, other)


def _count_slots(sizes: Ints, pairs: Ints) -> Ints:
    one, other = pairs // len(sizes), pairs % len(sizes)
    return np.where(one == other, sizes[one] * (sizes[one] - 1) // 2, sizes[one] * sizes[other])


def _list_missing_pairs(cells: Ints, links: LabeledLinks, pair: Ints, dense: Ints, span: int) -> Ints:
    """Return the vertex pairs a < b that are not linked, in the dense pairs of cells."""
    order = np.argsort(cells, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(cells))])
    here = np.isin(pair, dense)
    sorting = np.argsort(pair[here], kind="stable")
    a, b, of = links.a[here][sorting], links.b[here][sorting], pair[here][sorting]
    edges = np.searchsorted(of, dense), np.searchsorted(of, dense, side="right")
    found = [np.empty((0, 2), dtype=np.int64)]
    for code, first, last in zip(dense.tolist(), *map(np.ndarray.tolist, edges), strict=True):
        one, other = divmod(code, span)
        xs, ys = order[bounds[one] : bounds[one + 1]], order[bounds[other] : bounds[other + 1]]
        if last - first < (len(xs) * (len(xs) - 1) // 2 if one == other else len(xs) * len(ys)):
            found.append(_list_missing_in_block(xs, ys, a[first:last], b[first:last]))
    return np.concatenate(found)


def _list_missing_in_block(xs: Ints, ys: Ints, a: Ints, b: Ints) -> Ints:
    top = int(max(xs.max(), ys.max())) + 1
    grid = np.minimum.outer(xs, ys) * top + np.maximum.outer(xs, ys)
    slots = np.unique(grid[xs[:, None] != ys[None, :]])
    missing = np.setdiff1d(slots, np.minimum(a, b) * top + np.maximum(a, b), assume_unique=True)
    return np.stack([missing // top, missing % top], axis=1)


def _settle(cells: Ints, links: LabeledLinks) -> Ints:
    """Split the cells into orbits by the canonical forms of components; vertices without links keep their cell."""
    codes = cells.copy()
    components = _split_components(cells, links)
    taken = int(cells.max()) + 1
    forms: dict[tuple[bytes, int], int] = {}
    known: dict[tuple[bytes, bytes], tuple[bytes, Ints]] = {}
    for done, (vertices, edges) in enumerate(components):
        if done % 256 == 0:
            track("settling orbits", done, len(components))
        drawing = cells[vertices].tobytes(), edges.tobytes()
        if drawing not in known:
            find = _find_form if len(edges) < LARGE else partial(call_stoppable, _find_form)
            known[drawing] = find(cells[vertices], edges)
        form, first = known[drawing]
        for v, at in zip(vertices.tolist(), first.tolist(), strict=True):
            codes[v] = taken + forms.setdefault((form, at), len(forms))
    return codes


def _find_form(cells: Ints, edges: Ints) -> tuple[bytes, Ints]:
    """Return the canonical form of a component, and for each vertex the smallest canonical place in its orbit."""
    form, place = find_canonical_form(cells, edges)
    return form, _find_first_places(place, find_automorphism_orbits(cells, edges))


def _find_first_places(place: Ints, orbit: Ints) -> Ints:
    """Return, for each vertex, the smallest canonical place in its orbit."""
    least = np.full(len(place), len(place))
    np.minimum.at(least, orbit, place)
    return least[orbit]


def _split_components(cells: Ints, links: LabeledLinks) -> list[tuple[Ints, Ints]]:
    """Return the components with links: their vertices, and their edges as rows (i, j, kind)."""
    if not len(links.a):
        return []
    n = len(cells)
    component = find_components(n, links.a, links.b)
    touched = np.unique(np.concatenate([links.a, links.b]))
    vertices = touched[np.argsort(component[touched], kind="stable")]
    local, kind = np.empty(n, dtype=np.int64), _number_kinds(cells, links)
    vertex_cuts = np.flatnonzero(np.diff(component[vertices], prepend=-1))
    order = np.argsort(component[links.a], kind="stable")
    edge_cuts = np.flatnonzero(np.diff(component[links.a][order], prepend=-1))
    found = []
    for members, edges in zip(np.split(vertices, vertex_cuts[1:]), np.split(order, edge_cuts[1:]), strict=True):
        local[members] = np.arange(len(members))
        found.append((members, np.stack([local[links.a[edges]], local[links.b[edges]], kind[edges]], axis=1)))
    return found


def _number_kinds(cells: Ints, links: LabeledLinks) -> Ints:
    """Number the labels of edges 1, 2, ... and those of arcs -1, -2, ..., by decreasing frequency.

    An isomorphism preserves cells, so that only links between the same two cells need different numbers.
    """
    if links.label.min() >= 0 and links.label.max() <= 1:  # after complementing, two cells have one kind of links
        return np.ones(len(links.label), dtype=np.int64)
    pair, label, which, count = _count_kinds(_number_cell_pairs(cells, links, int(cells.max()) + 1), links.label)
    group = 2 * pair + (label < 0)
    order = np.lexsort((-count, group))
    starts = np.concatenate([[True], np.diff(group[order]) > 0])
    rank = np.empty(len(pair), dtype=np.int64)
    rank[order] = 1 + np.arange(len(pair)) - np.flatnonzero(starts)[np.cumsum(starts) - 1]
    return np.where(label < 0, -rank, rank)[which]
