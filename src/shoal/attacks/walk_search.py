"""Sybils sought in a release by their links, mistakes allowed; and targets read off by their links to the sybils.

A match gives every sybil a vertex. It costs one for each link among them that is missing or too many, and one for each
link by which a degree differs. Vertices are found along the path, and only so many of the cheapest partial matches are
kept; which of those that cost the same is drawn.
"""

from __future__ import annotations

import numpy as np

from shoal.data.graph import Graph, Ints
from shoal.engines import Bools
from shoal.engines.local.pool import announce_compilation

WIDE, KEPT = 200_000, 4_000
"""Partial matches that are kept: of the first three sybils, of which there may be many, and of more."""
EXACT = 2_000_000
"""So many are kept where no mistake is allowed."""


def sought(graph: Graph, links: Bools, degrees: Ints, tolerance: float, rng: np.random.Generator) -> Ints | None:
    """Return a cheapest match that was found, drawn where there are several; None where all cost too much."""
    allowed = int(tolerance * int(degrees.sum()))
    rooms = [EXACT if tolerance == 0 else WIDE if i < 3 else KEPT for i in range(len(degrees))]
    costs = np.abs(graph.degree - degrees[0])
    who = rng.permutation(graph.n)
    who = who[np.argsort(costs[who], kind="stable")][: rooms[0]]
    who = who[costs[who] <= allowed]
    matches, costs = np.zeros((len(who), len(degrees)), dtype=np.int32), costs[who].astype(np.int64)
    matches[:, 0] = who
    for i in range(1, len(degrees)):
        matches, costs = _extended(graph, matches, costs, i, links[i], int(degrees[i]), allowed, rooms[i], rng)
        if not len(matches):
            return None
    best = np.flatnonzero(costs == costs.min(initial=allowed))
    found: Ints | None = matches[rng.choice(best)] if len(best) else None
    return found


def _extended(
    graph: Graph,
    matches: Ints,
    costs: Ints,
    i: int,
    linked: Bools,
    degree: int,
    allowed: int,
    room: int,
    rng: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Extend all matches by one vertex, and keep as many of the cheapest as there is room for."""
    announce_compilation()
    from shoal.engines.local.kernels.walk_search import extend

    counts = np.zeros(allowed + 1, dtype=np.int64)
    work = tuple(np.zeros(graph.n, dtype=np.int64) for _ in range(3))
    seed = int(rng.integers(2**62))
    given = graph.indptr, graph.indices, matches, costs, i, linked, degree, allowed
    extend(*given, 0, 0.0, seed, work, counts, matches[:0].copy(), costs[:0].copy())
    before = np.concatenate([[0], np.cumsum(counts)])
    least = int(np.searchsorted(before, room, side="right")) - 1  # all that cost less have room
    share = (room - before[least]) / counts[least] if least <= allowed else 0.0
    most = int(min(room, before[-1]))
    out, out_costs = np.zeros((most, matches.shape[1]), dtype=np.int32), np.zeros(most, dtype=np.int64)
    filled = extend(*given, least, float(share), seed, work, counts, out, out_costs)
    return out[:filled], out_costs[:filled]


def read_off(graph: Graph, match: Ints, prints: Bools, truth: Ints) -> float:
    """Return how many targets are expected to be found, each guessed among those whose links fit it best."""
    ids = np.setdiff1d(np.concatenate([graph.neighbors(int(y)) for y in match]), match)
    if not len(ids):
        return 0.0
    seen = np.stack([np.isin(ids, graph.neighbors(int(y)), assume_unique=True) for y in match], axis=1)
    total = 0.0
    for fingerprint, target in zip(prints, truth.tolist(), strict=True):
        apart = np.count_nonzero(seen != fingerprint, axis=1)
        best = ids[apart == apart.min()]
        total += float(np.isin(target, best)) / len(best)
    return total
