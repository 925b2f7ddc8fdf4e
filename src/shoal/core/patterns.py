"""Where does a small pattern fit? A depth-first search at every vertex, stopped after a fixed number of steps."""

from __future__ import annotations

import numpy as np

from shoal.core.threads import announce_compilation, spread
from shoal.core.types import Bools, Ints, Pattern
from shoal.data.graph import Graph

STEPS = 1_000_000
"""Steps of one search before it is given up as undecided."""


def place_pattern(graph: Graph, pattern: Pattern, exact_degrees: bool) -> tuple[Bools, Bools]:
    """Return where the pattern fits or could not be excluded, and where it surely fits."""
    announce_compilation()
    from shoal.kernels import balls as loops

    verdicts = np.zeros(graph.n, dtype=np.int8)
    plan = _plan(pattern, exact_degrees)

    def piece(first: int, last: int) -> None:
        loops.fits_at(first, last, graph.indptr, graph.indices, *plan, STEPS, verdicts)

    spread(piece, graph.n, "placing patterns")
    return verdicts != loops.NO, verdicts == loops.YES


def _plan(pattern: Pattern, exact_degrees: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """Lay the pattern out for the search: each vertex after one it is linked to, the most constrained first."""
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
