"""Searches from a vertex: distances, shared neighbors, and matches of a small pattern."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.grouping import group_multisets, list_members_by_class
from shoal.core.threads import run_in_pieces
from shoal.core.types import Pattern
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph


def measure_distances(graph: Graph, sources: Sequence[int], reach: int | None) -> Ints:
    """Return one row of distances per source; -1 if there is no path of length at most `reach`."""
    from shoal.core._kernels.balls import distances

    found = np.full((len(sources), graph.n), -1, dtype=np.int32)

    def piece(first: int, last: int) -> None:
        for i in range(first, last):
            distances(graph.indptr, graph.indices, sources[i], graph.n if reach is None else reach, found[i])

    run_in_pieces(piece, len(sources), "walking from the hubs", piece=1)
    return found


def count_sharing(graph: Graph, row_ptr: Ints, rows: Ints, own: Ints, least: int) -> Ints:
    """Count, for each given row v, the vertices except `own[v]` with at least `least` neighbors in the row."""
    from shoal.core._kernels import balls as loops

    sizes = np.zeros(len(row_ptr) - 1, dtype=np.int64)
    members, bounds = list_members_by_class(group_multisets(row_ptr, rows))

    def piece(first: int, last: int) -> None:
        seen = np.zeros(graph.n, dtype=np.int32)
        lines = members, bounds, row_ptr, rows
        loops.count_sharing(first, last, *lines, graph.indptr, graph.indices, own, least, seen, sizes)

    run_in_pieces(piece, len(bounds) - 1, "counting shared neighbors")
    return sizes


# Patterns: a depth-first search at every vertex, with a limit on its steps.

STEPS = 1_000_000
"""The most steps of one search; beyond it, the result is undecided."""


def place_pattern(graph: Graph, pattern: Pattern, exact_degrees: bool) -> tuple[Bools, Bools]:
    """Return where the pattern fits or the search is undecided, and where it certainly fits."""
    from shoal.core._kernels import balls as loops

    verdicts = np.zeros(graph.n, dtype=np.int8)
    plan = _plan_search(pattern, exact_degrees)

    def piece(first: int, last: int) -> None:
        loops.fits_at(first, last, graph.indptr, graph.indices, *plan, STEPS, verdicts)

    run_in_pieces(piece, graph.n, "placing patterns")
    return verdicts != loops.NO, verdicts == loops.YES


def _plan_search(pattern: Pattern, exact_degrees: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the search order: each vertex after a linked one, the most constrained first."""
    size = len(pattern.exhausted)
    near: list[set[int]] = [set() for _ in range(size)]
    for a, b in pattern.edges:
        near[a].add(b)
        near[b].add(a)
    order = [0]
    while len(order) < size:
        rest = [v for v in range(size) if v not in order and near[v] & set(order)]
        order.append(max(rest, key=lambda v: (pattern.exhausted[v], len(near[v] & set(order)), len(near[v]), -v)))
    at = {v: i for i, v in enumerate(order)}
    earlier = [sorted(at[w] for w in near[v] if at[w] < at[v]) for v in order]
    parent = np.array([back[0] if back else -1 for back in earlier], dtype=np.int64)
    links = np.array([sum(1 << j for j in back) for back in earlier], dtype=np.int64)
    least = np.array([len(near[v]) for v in order], dtype=np.int64)
    known = np.array([pattern.exhausted[v] and exact_degrees for v in order])
    return parent, links, np.where(known, least, -1), least
