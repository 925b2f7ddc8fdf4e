"""Walks in a graph: distances from given vertices, and vertices that share neighbors with a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.grouping import group_multisets, members_by_class
from shoal.core.threads import announce_compilation, spread
from shoal.core.types import Ints
from shoal.data.graph import Graph


def measure_distances(graph: Graph, sources: Sequence[int], reach: int | None) -> Ints:
    """Return one row of distances per source, -1 where there is no way or it is longer than `reach`."""
    announce_compilation()
    from shoal.kernels.rows import distances

    found = np.full((len(sources), graph.n), -1, dtype=np.int32)

    def piece(first: int, last: int) -> None:
        for i in range(first, last):
            distances(graph.indptr, graph.indices, sources[i], graph.n if reach is None else reach, found[i])

    spread(piece, len(sources), "walking from the hubs", piece=1)
    return found


def count_sharing(graph: Graph, row_ptr: Ints, rows: Ints, own: Ints, least: int) -> Ints:
    """Count for each given row the vertices with at least `least` neighbors in it, `own[v]` not counted."""
    announce_compilation()
    from shoal.kernels import rows as loops

    sizes = np.zeros(len(row_ptr) - 1, dtype=np.int64)
    members, bounds = members_by_class(group_multisets(row_ptr, rows))

    def piece(first: int, last: int) -> None:
        seen = np.zeros(graph.n, dtype=np.int32)
        lines = members, bounds, row_ptr, rows
        loops.count_sharing(first, last, *lines, graph.indptr, graph.indices, own, least, seen, sizes)

    spread(piece, len(bounds) - 1, "counting shared neighbors")
    return sizes
