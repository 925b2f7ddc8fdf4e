"""Isomorphism classes of balls: fast exact invariants, then drawings, then canonical forms.

An isomorphism preserves direction, kind and multiplicity of links. Twins (vertices with the same links to the same
neighbors, each other aside) have isomorphic balls, so one of them represents all. Balls are split by their counts, by
the degrees inside, and by a coloring of the ball. Balls that are still in one class are drawn: a drawing lists the
edges with vertices in the order of their colors. Equal drawings prove an isomorphism. Different drawings disprove it if
only twins share a color. The few other balls get canonical forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from shoal.core.grouping import (
    NONE,
    find_first_members,
    group_columns,
    list_members_by_class,
    make_hash_mask,
    number_by_first_appearance,
    take_apart,
)
from shoal.core.link_labels import LinkKinds, label_links
from shoal.core.twins import FEW as FEW_LINKS
from shoal.core.twins import find_twins, group_twin_rows
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.progress import track
from shoal.settings import run_in_pieces

BallView = Literal["counts", "degrees", "shape"]
Hashes = np.ndarray[Any, np.dtype[np.uint64]]


def group_balls(
    graph: Graph,
    radius: int,
    view: BallView,
    labels: Ints | None = None,
) -> Ints:
    """Number the distinct balls of a radius by first appearance; `labels` are used only for the shape."""
    if view == "shape":
        return _group_shapes(graph, radius, labels)
    twins = _find_ball_twins(graph, radius)
    rows = find_first_members(twins)
    if view == "degrees" and graph.ties is not None:
        return _group_by_vectors(graph, radius, rows)[twins]
    sizes, edges, low, high = _measure(graph, radius, rows)
    codes = group_columns([sizes, edges])
    return (codes if view == "counts" else _group_by_degrees(graph, radius, rows, codes, low, high))[twins]


def _find_ball_twins(graph: Graph, radius: int) -> Ints:
    """Number vertices so that equal numbers have equal balls."""
    # At radius 1, counting a ball is faster than finding its twins.
    return np.arange(graph.n) if radius <= 1 else find_twins(graph, None)


def count_balls(graph: Graph, radius: int) -> tuple[Ints, Ints]:
    """Return the numbers of vertices and of edges of the ball around every vertex."""
    twins = _find_ball_twins(graph, radius)
    sizes, edges, _, _ = _measure(graph, radius, find_first_members(twins))
    return sizes[twins], edges[twins]


def list_degrees_of_balls(graph: Graph, radius: int, rows: Ints) -> tuple[Ints, Ints]:
    """Return the degrees inside the ball around each of `rows`, ascending, one ball after the other, and its bounds."""
    from shoal.core._kernels.balls import write_degrees

    sizes, _, _, _ = _measure(graph, radius, rows)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    degrees = np.empty(ptr[-1], dtype=np.int64)

    def piece(first: int, last: int) -> None:
        write_degrees(first, last, rows, graph.indptr, graph.indices, _read_weights(graph), radius, ptr, degrees)

    run_in_pieces(piece, len(rows), "listing degrees inside balls")
    return ptr, degrees


def count_ball(graph: Graph, v: int, radius: int) -> tuple[int, int]:
    """Return the numbers of vertices and edges of the ball around v."""
    degrees = list_ball_degrees(graph, v, radius)
    return len(degrees), int(degrees.sum()) // 2


def list_ball_degrees(graph: Graph, v: int, radius: int) -> Ints:
    """Return the degrees inside the ball around v, ascending."""
    from shoal.core._kernels.balls import degrees_of

    degrees: Ints = degrees_of(graph.indptr, graph.indices, _read_weights(graph), v, radius)
    return degrees


def _read_weights(graph: Graph) -> Ints:
    return NONE if graph.multiplicity is None else graph.multiplicity


def _read_labels(graph: Graph) -> Ints:
    labels = label_links(graph)
    return NONE if labels is None else labels


def _measure(graph: Graph, radius: int, rows: Ints) -> tuple[Ints, Ints, Hashes, Hashes]:
    from shoal.core._kernels import balls as loops

    sizes, edges = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    low, high = np.empty(len(rows), dtype=np.uint64), np.empty(len(rows), dtype=np.uint64)

    def piece(first: int, last: int) -> None:
        loops.measure(
            first,
            last,
            rows,
            graph.indptr,
            graph.indices,
            _read_weights(graph),
            radius,
            make_hash_mask(),
            sizes,
            edges,
            low,
            high,
        )

    run_in_pieces(piece, len(rows), "measuring balls")
    return sizes, edges, low, high


def _group_by_degrees(graph: Graph, radius: int, rows: Ints, codes: Ints, low: Hashes, high: Hashes) -> Ints:
    from shoal.core._kernels import balls as loops
    from shoal.core._kernels.alike import propose

    codes, _ = propose(codes, low, high)
    members, bounds = list_members_by_class(codes)
    wrong = np.zeros(len(rows), dtype=np.bool_)
    weights = _read_weights(graph)

    def piece(first: int, last: int) -> None:
        loops.contradicted(first, last, rows, members, bounds, graph.indptr, graph.indices, weights, radius, wrong)

    run_in_pieces(piece, len(bounds) - 1, "verifying balls")

    return take_apart(codes, wrong, lambda i: list_ball_degrees(graph, int(rows[i]), radius).tobytes())


# Degree vectors: where links have a direction or a kind, the numbers of links of each relation inside the ball.


def _measure_vectors(graph: Graph, radius: int, rows: Ints) -> tuple[Ints, Hashes, Hashes]:
    """Return for each ball the number of vertices, and two halves of a hash of the degree vectors inside."""
    from shoal.core._kernels import degree_vectors as loops

    assert graph.ties is not None
    ties, sizes = graph.ties, np.empty(len(rows), dtype=np.int64)
    low, high = np.empty(len(rows), dtype=np.uint64), np.empty(len(rows), dtype=np.uint64)
    fixed = rows, graph.indptr, graph.indices, ties.codes, loops.make_words(ties.indptr, ties.relation, ties.times)

    def piece(first: int, last: int) -> None:
        loops.measure_vectors(first, last, *fixed, radius, make_hash_mask(), sizes, low, high)

    run_in_pieces(piece, len(rows), "measuring balls")
    return sizes, low, high


def _group_by_vectors(graph: Graph, radius: int, rows: Ints) -> Ints:
    from shoal.core._kernels import degree_vectors as loops
    from shoal.core._kernels.alike import propose

    sizes, low, high = _measure_vectors(graph, radius, rows)
    codes, _ = propose(sizes, low, high)
    members, bounds = list_members_by_class(codes)
    wrong = np.zeros(len(rows), dtype=np.bool_)
    fixed = graph.indptr, graph.indices, *_read_ties(graph), radius

    def piece(first: int, last: int) -> None:
        loops.contradicted_vectors(first, last, rows, members, bounds, *fixed, wrong)

    run_in_pieces(piece, len(bounds) - 1, "verifying balls")
    return take_apart(codes, wrong, lambda i: tuple(list_ball_vectors(graph, int(rows[i]), radius)))


def _read_ties(graph: Graph) -> tuple[Ints, tuple[Ints, Ints, Ints, int]]:
    """Return the tie of each entry, and what ties consist of."""
    assert graph.ties is not None
    ties = graph.ties
    return ties.codes, (ties.indptr, ties.relation, ties.times, len(ties.relations))


@dataclass(frozen=True, eq=False)
class BallVectors:
    """The degree vectors inside some balls. A vector lists relations, ascending, and their numbers of links."""

    balls: Ints
    """Ball b has the vectors balls[b] to balls[b + 1] - 1; the first is that of the center."""
    indptr: Ints
    """Vector i has the entries indptr[i] to indptr[i + 1] - 1 of `relation` and `times`."""
    relation: Ints
    times: Ints


def list_vectors_of_balls(graph: Graph, radius: int, rows: Ints) -> BallVectors:
    """Return the degree vectors inside the ball around each of `rows`."""
    from shoal.core._kernels.degree_vectors import list_vectors

    codes, ties = _read_ties(graph)
    found: dict[int, tuple[Ints, Ints, Ints, Ints]] = {}

    def piece(first: int, last: int) -> None:
        found[first] = list_vectors(first, last, rows, graph.indptr, graph.indices, codes, ties, radius)

    run_in_pieces(piece, len(rows), "listing degrees inside balls")
    parts = [found[first] for first in sorted(found)]
    bounds = [_join_bounds([part[i] for part in parts]) for i in (0, 1)]
    return BallVectors(*bounds, *(np.concatenate([part[i] for part in parts]) for i in (2, 3)))


def _join_bounds(parts: Sequence[Ints]) -> Ints:
    before = np.cumsum([0, *(part[-1] for part in parts)])
    return np.concatenate([[0], *(part[1:] + start for part, start in zip(parts, before, strict=False))])


def list_ball_vectors(graph: Graph, v: int, radius: int) -> list[tuple[tuple[int, int], ...]]:
    """Return the degree vectors inside the ball around v, sorted: pairs of a relation and its number of links."""
    found = list_vectors_of_balls(graph, radius, np.array([v]))
    entries = list(zip(found.relation.tolist(), found.times.tolist(), strict=True))
    return sorted(tuple(entries[first:last]) for first, last in pairwise(found.indptr.tolist()))


# Shapes: balls up to isomorphism.


def _group_shapes(graph: Graph, radius: int, labels: Ints | None) -> Ints:
    twins = find_twins(graph, labels)
    rows = find_first_members(twins)
    *counts, low, high = (_measure if graph.ties is None else _measure_vectors)(graph, radius, rows)
    start = group_columns(counts if labels is None else [*counts, labels[rows]])
    codes = group_columns([start, low.view(np.int64), high.view(np.int64)])
    codes = _group_by_portrait(graph, radius, labels, rows, codes)
    return number_by_first_appearance(_group_by_drawing(graph, radius, labels, rows, codes)[twins])


def _group_by_portrait(
    graph: Graph,
    radius: int,
    labels: Ints | None,
    rows: Ints,
    codes: Ints,
) -> Ints:
    """Split the classes by the coloring of their balls by refinement."""
    from shoal.core._kernels import balls as loops

    doubtful = np.flatnonzero(np.bincount(codes)[codes] > 1)
    low, high = np.empty(len(doubtful), dtype=np.uint64), np.empty(len(doubtful), dtype=np.uint64)
    shades, links = NONE if labels is None else labels, _read_labels(graph)

    def piece(first: int, last: int) -> None:
        arrays = graph.indptr, graph.indices, links, shades
        loops.portray(first, last, rows[doubtful], *arrays, radius, make_hash_mask(), low, high)

    run_in_pieces(piece, len(doubtful), "coloring balls")
    finer = codes + 0
    if len(doubtful):
        finer[doubtful] = codes.max() + 1 + group_columns([codes[doubtful], low.view(np.int64), high.view(np.int64)])
    return number_by_first_appearance(finer)


def _group_by_drawing(graph: Graph, radius: int, labels: Ints | None, rows: Ints, codes: Ints) -> Ints:
    """Decide which balls of each remaining class are isomorphic."""
    from shoal.core._kernels import balls as loops

    place, ball = np.full(graph.n, -1, dtype=np.int32), np.empty(graph.n, dtype=np.int32)
    fixed = graph.indptr, graph.indices, _read_labels(graph), NONE if labels is None else labels
    kinds = LinkKinds.of(graph)
    doubtful = np.flatnonzero(np.bincount(codes)[codes] > 1)
    known: dict[tuple[int, bytes, bytes], int] = {}
    forms: dict[tuple[int, bool, bytes], int] = {}
    finer, taken = codes + 0, int(codes.max()) + 1
    for done, i in enumerate(doubtful.tolist()):
        if done % 512 == 0:
            track("comparing balls", done, len(doubtful))
        shades, edges, canonical = loops.draw(*fixed, rows[i], radius, make_hash_mask(), place, ball)
        drawing = int(codes[i]), shades.tobytes(), edges.tobytes()
        if drawing not in known:
            oriented = edges if kinds is None else kinds.orient(edges)
            form = drawing[1] + drawing[2] if canonical else _find_marked_form(shades, oriented)
            known[drawing] = forms.setdefault((drawing[0], canonical, form), len(forms))
        finer[i] = taken + known[drawing]
    return finer


def _find_marked_form(shades: Ints, edges: Ints) -> bytes:
    """Return the canonical form of a drawn ball whose center, vertex 0, gets a color of its own."""
    colors = 2 * shades
    colors[0] += 1
    return find_canonical_form(colors, edges)[0]


# Canonical forms and automorphisms of small colored graphs, with BLISS (in igraph).
#
# Edges may have weights (multiplicities or kinds). BLISS supports only vertex colors, so an edge of weight other than 1
# becomes a path through a new vertex whose color encodes the weight. An arc has a negative weight. It becomes a path
# through two new vertices, whose colors encode the weight and the near end.
#
# Twins are interchangeable, so a hub with many leaves has a huge automorphism group. So each class of twins is first
# folded into one vertex, whose color encodes their number and whether they are linked. Two graphs are isomorphic if
# and only if the folded graphs are.

FEW = 64
"""Graphs with fewer vertices are not folded, since finding twins would take longer."""


@dataclass(frozen=True, eq=False)
class FoldedGraph:
    """A colored graph with one vertex for each class of twins."""

    colors: Ints
    """One row per class: the color, the number of twins, and the weight of the edges between them (0: not linked)."""
    edges: Ints
    """Rows (i, j, weight) between classes; arcs have negative weights."""
    twins: Ints
    """The class of each vertex, by first appearance."""

    @classmethod
    def of(cls, colors: Ints, edges: Ints) -> FoldedGraph:
        """Fold a graph; a small one is left unchanged."""
        if len(colors) < FEW:
            alone = np.ones_like(colors)
            return cls(np.stack([colors, alone, 0 * alone], 1), edges, np.arange(len(colors)))
        twins, linked = _find_colored_twins(colors, edges)
        first = find_first_members(twins)
        leads = np.zeros(len(colors), dtype=np.bool_)
        leads[first] = True
        kept = edges[leads[edges[:, 0]] & leads[edges[:, 1]]]
        between = np.column_stack([twins[kept[:, :2]], kept[:, 2]])
        return cls(np.stack([colors[first], np.bincount(twins), linked[first]], 1), between, twins)

    def unfold(self, place: Ints) -> Ints:
        """Return the places of the vertices from those of the classes; twins get consecutive places."""
        sizes, order = self.colors[:, 1], np.argsort(place)
        before = np.empty_like(sizes)
        before[order] = np.cumsum(sizes[order]) - sizes[order]
        members, bounds = list_members_by_class(self.twins)
        rank = np.empty_like(members)
        rank[members] = np.arange(len(members)) - bounds[self.twins[members]]
        return before[self.twins] + rank


def _find_colored_twins(colors: Ints, edges: Ints) -> tuple[Ints, Ints]:
    """Return the classes of twins of equal color, and the weight of the edges that link each to its twins, or 0."""
    ends = np.concatenate([edges[:, :2], edges[:, 1::-1]])
    order = np.argsort(ends[:, 0], kind="stable")
    ptr = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=len(colors)))])
    weights, at = np.unique(edges[:, 2], return_inverse=True)
    near = 2 * at.reshape(-1) + 1
    labels = np.concatenate([near, near + (edges[:, 2] < 0)])[order].astype(np.int32)
    links = (2 * np.flatnonzero(weights > 0) + 1)[:FEW_LINKS].tolist()
    twins, joined = group_twin_rows(ptr, ends[order, 1].astype(np.int32), np.arange(len(colors)), labels, colors, links)
    return twins, np.concatenate([[0], weights])[(joined + 1) // 2]


def find_canonical_form(colors: Ints, edges: Ints) -> tuple[bytes, Ints]:
    """Return bytes that are equal for two colored graphs if and only if they are isomorphic, and the vertex order.

    Parameters
    ----------
    colors
        One color per vertex; an isomorphism preserves colors.
    edges
        Rows (i, j, weight) with i != j. An edge has a weight of 1 or more, an arc from i to j one of -1 or less.

    Examples
    --------
    A path has the same form in every numbering, and another form if its middle is marked:

    >>> path, other = np.array([[0, 1, 1], [1, 2, 1]]), np.array([[0, 2, 1], [1, 2, 1]])
    >>> find_canonical_form(np.zeros(3, int), path)[0] == find_canonical_form(np.zeros(3, int), other)[0]
    True
    >>> find_canonical_form(np.array([0, 1, 0]), path)[0] == find_canonical_form(np.zeros(3, int), path)[0]
    False
    """
    import igraph

    folded = FoldedGraph.of(colors, edges)
    shades, palette, links = _subdivide_edges(folded.colors, folded.edges)
    graph = igraph.Graph(n=len(shades), edges=links)
    # igraph 1.x returns the vertex at each place; before 1.0 it returned the place of each vertex.
    place = np.argsort(np.array(graph.canonical_permutation(color=shades.tolist()), dtype=np.int64))
    ends = np.sort(place[links], axis=1) if len(links) else np.empty((0, 2), dtype=np.int64)
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    painted = np.empty_like(shades)
    painted[place] = shades
    head = np.array([len(colors), len(shades), len(palette)], dtype=np.int64)
    form = b"".join(part.tobytes() for part in (head, palette.astype(np.int64), painted, ends))
    return form, folded.unfold(place[: len(folded.colors)])


def find_automorphism_orbits(colors: Ints, edges: Ints) -> Ints:
    """Return, for each vertex, the smallest vertex of its orbit.

    >>> find_automorphism_orbits(np.zeros(3, int), np.array([[0, 1, 1], [1, 2, 1]])).tolist()
    [0, 1, 0]
    """
    import igraph

    folded = FoldedGraph.of(colors, edges)
    shades, _, links = _subdivide_edges(folded.colors, folded.edges)
    graph = igraph.Graph(n=len(shades), edges=links)
    leader = np.arange(len(shades))
    for generator in graph.automorphism_group(color=shades.tolist()):
        for a, b in enumerate(generator):
            if a != b:
                x, y = sorted((_find_root(leader, a), _find_root(leader, b)))
                leader[y] = x
    roots = [_find_root(leader, c) for c in range(len(folded.colors))]
    least: Ints = find_first_members(folded.twins)[roots]
    return least[folded.twins]


def _find_root(leader: Ints, v: int) -> int:
    while leader[v] != v:
        leader[v] = leader[leader[v]]
        v = int(leader[v])
    return v


def _subdivide_edges(colors: Ints, edges: Ints) -> tuple[Ints, Ints, Ints]:
    """Return dense colors, the meaning of each color, and the links of the graph with arcs and weights subdivided."""
    n, weight = len(colors), edges[:, 2]
    plain, heavy, arcs = edges[weight == 1], edges[weight > 1], edges[weight < 0]
    middle, tail = n + np.arange(len(heavy)), n + len(heavy) + np.arange(len(arcs))
    head = tail + len(arcs)
    added = [(1, heavy[:, 2]), (2, arcs[:, 2]), (3, arcs[:, 2])]
    meaning = np.concatenate(
        [
            np.column_stack([np.zeros(n, np.int64), colors]),
            *(np.column_stack([np.full(len(w), part), w, np.zeros((len(w), 2), np.int64)]) for part, w in added),
        ]
    )
    palette, shades = np.unique(meaning, axis=0, return_inverse=True)
    paths = [(heavy[:, 0], middle), (middle, heavy[:, 1]), (arcs[:, 0], tail), (tail, head), (head, arcs[:, 1])]
    links = np.concatenate([plain[:, :2], *(np.stack(ends, 1) for ends in paths)])
    return shades.reshape(-1), palette, links
