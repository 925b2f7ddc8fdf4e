"""Which balls are alike? Cheap exact invariants first, drawings next, canonical forms only where drawings leave doubt.

Vertices that are twins (the same neighbors, or the same neighbors and each other) have isomorphic balls: one of them
stands for all. Then balls are split by their counts, by the degrees inside, and by a coloring of the ball; what is
still together is drawn in the order of its colors. Equal drawings prove an isomorphism; different ones disprove it
where the coloring leaves no choice but among twins; the few others get canonical forms.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from shoal.data.graph import Graph
from shoal.engines import Ints
from shoal.engines.local.canonical import canonical_form
from shoal.engines.local.grouping import (
    ALL,
    NONE,
    by_first_appearance,
    first_members,
    group_twins,
    members_by_class,
    take_apart,
)
from shoal.engines.local.pool import announce_compilation, spread
from shoal.engines.local.tables import group_columns
from shoal.progress import track

View = Literal["counts", "degrees", "shape"]
Hashes = np.ndarray[Any, np.dtype[np.uint64]]


def balls(
    graph: Graph,
    radius: int,
    view: View,
    labels: Ints | None = None,
    *,
    mask: np.uint64 = ALL,
    threads: int | None = None,
) -> Ints:
    """Number the distinct balls of the given radius by first appearance; `labels` count only for the shape."""
    announce_compilation()
    if view == "shape":
        return _shapes(graph, radius, labels, mask, threads)
    # at radius 1 a ball is counted in less time than its twins are found
    twins = np.arange(graph.n) if radius <= 1 else twin_classes(graph, None, mask=mask, threads=threads)
    rows = first_members(twins)
    sizes, edges, low, high = _measure(graph, radius, rows, mask, threads)
    codes = group_columns([sizes, edges])
    return (codes if view == "counts" else _by_degrees(graph, radius, rows, codes, low, high, threads))[twins]


def inside(graph: Graph, v: int, radius: int) -> Ints:
    """Return the degrees inside the ball around v, ascending."""
    announce_compilation()
    from shoal.engines.local.kernels.balls import degrees_of

    degrees: Ints = degrees_of(graph.indptr, graph.indices, _weights(graph), v, radius)
    return degrees


def _weights(graph: Graph) -> Ints:
    return NONE if graph.multiplicity is None else graph.multiplicity


def _measure(
    graph: Graph, radius: int, rows: Ints, mask: np.uint64, threads: int | None
) -> tuple[Ints, Ints, Hashes, Hashes]:
    from shoal.engines.local.kernels import balls as loops

    sizes, edges = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    low, high = np.empty(len(rows), dtype=np.uint64), np.empty(len(rows), dtype=np.uint64)

    def piece(first: int, last: int) -> None:
        loops.measure(
            first,
            last,
            rows,
            graph.indptr,
            graph.indices,
            _weights(graph),
            radius,
            mask,
            sizes,
            edges,
            low,
            high,
        )

    spread(piece, len(rows), threads, "measuring balls")
    return sizes, edges, low, high


def _by_degrees(
    graph: Graph, radius: int, rows: Ints, codes: Ints, low: Hashes, high: Hashes, threads: int | None
) -> Ints:
    from shoal.engines.local.kernels import balls as loops
    from shoal.engines.local.kernels.multisets import propose

    codes, _ = propose(codes, low, high)
    members, bounds = members_by_class(codes)
    wrong = np.zeros(len(rows), dtype=np.bool_)
    weights = _weights(graph)

    def piece(first: int, last: int) -> None:
        loops.contradicted(first, last, rows, members, bounds, graph.indptr, graph.indices, weights, radius, wrong)

    spread(piece, len(bounds) - 1, threads, "verifying balls")

    return take_apart(codes, wrong, lambda i: inside(graph, int(rows[i]), radius).tobytes())


def _shapes(graph: Graph, radius: int, labels: Ints | None, mask: np.uint64, threads: int | None) -> Ints:
    twins = twin_classes(graph, labels, mask=mask, threads=threads)
    rows = first_members(twins)
    sizes, edges, low, high = _measure(graph, radius, rows, mask, threads)
    start = group_columns([sizes, edges] if labels is None else [sizes, edges, labels[rows]])
    codes = group_columns([start, low.view(np.int64), high.view(np.int64)])
    codes = _by_portrait(graph, radius, labels, rows, codes, mask, threads)
    return by_first_appearance(_by_drawing(graph, radius, labels, rows, codes, mask)[twins])


def twin_classes(
    graph: Graph,
    labels: Ints | None = None,
    *,
    among: Ints | None = None,
    mask: np.uint64 = ALL,
    threads: int | None = None,
) -> Ints:
    """Number the classes of twins: vertices with the same neighbors, each other aside.

    `among` are the ids of the vertices to compare, each once (default: all); `labels` are theirs.
    """
    own = np.arange(graph.n) if among is None else among
    ptr, items, weights = _rows_of(graph, among)
    return group_twins(ptr, items, own, weights, labels, mask=mask, threads=threads)[0]


def _rows_of(graph: Graph, among: Ints | None) -> tuple[Ints, Ints, Ints | None]:
    """Return the rows of some vertices, one after the other."""
    if among is None:
        return graph.indptr, graph.indices, graph.multiplicity
    lengths = np.diff(graph.indptr)[among]
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(graph.indptr[among] - ptr[:-1], lengths) + np.arange(ptr[-1])
    return ptr, graph.indices[at], None if graph.multiplicity is None else graph.multiplicity[at]


def _by_portrait(
    graph: Graph,
    radius: int,
    labels: Ints | None,
    rows: Ints,
    codes: Ints,
    mask: np.uint64,
    threads: int | None,
) -> Ints:
    """Split the classes by what the balls look like when their vertices are colored by refinement."""
    from shoal.engines.local.kernels import balls as loops

    doubtful = np.flatnonzero(np.bincount(codes)[codes] > 1)
    low, high = np.empty(len(doubtful), dtype=np.uint64), np.empty(len(doubtful), dtype=np.uint64)
    shades = NONE if labels is None else labels

    def piece(first: int, last: int) -> None:
        arrays = graph.indptr, graph.indices, _weights(graph), shades
        loops.portray(first, last, rows[doubtful], *arrays, radius, mask, low, high)

    spread(piece, len(doubtful), threads, "coloring balls")
    finer = codes + 0
    if len(doubtful):
        finer[doubtful] = codes.max() + 1 + group_columns([codes[doubtful], low.view(np.int64), high.view(np.int64)])
    return by_first_appearance(finer)


def _by_drawing(graph: Graph, radius: int, labels: Ints | None, rows: Ints, codes: Ints, mask: np.uint64) -> Ints:
    """Decide, in every class that is left, which balls are isomorphic."""
    from shoal.engines.local.kernels import balls as loops

    place, ball = np.full(graph.n, -1, dtype=np.int32), np.empty(graph.n, dtype=np.int32)
    fixed = graph.indptr, graph.indices, _weights(graph), NONE if labels is None else labels
    doubtful = np.flatnonzero(np.bincount(codes)[codes] > 1)
    known: dict[tuple[int, bytes, bytes], int] = {}
    forms: dict[tuple[int, bool, bytes], int] = {}
    finer, taken = codes + 0, int(codes.max()) + 1
    for done, i in enumerate(doubtful.tolist()):
        if done % 512 == 0:
            track("comparing balls", done, len(doubtful))
        shades, edges, canonical = loops.draw(*fixed, rows[i], radius, mask, place, ball)
        drawing = int(codes[i]), shades.tobytes(), edges.tobytes()
        if drawing not in known:
            form = drawing[1] + drawing[2] if canonical else _marked_form(shades, edges)
            known[drawing] = forms.setdefault((drawing[0], canonical, form), len(forms))
        finer[i] = taken + known[drawing]
    return finer


def _marked_form(shades: Ints, edges: Ints) -> bytes:
    """Return the canonical form of a drawn ball whose center, vertex 0, has a color of its own."""
    colors = 2 * shades
    colors[0] += 1
    return canonical_form(colors, edges)[0]
