"""Planted vertices sought one after the other: partial matches are extended by one vertex, the best are kept.

i is the position of the planted vertex that comes next, j that of an earlier one. `matches[b]` holds the vertices taken
for positions 0 to i - 1; its cost is how many links among them differ from the planted ones, and by how many their
degrees do.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def chance(seed, a, b):
    """Return a number between 0 and 1 that looks drawn, the same for the same arguments."""
    x = (
        np.uint64(seed)
        ^ (np.uint64(a) * np.uint64(0x9E3779B97F4A7C15))
        ^ (np.uint64(b) * np.uint64(0xC2B2AE3D27D4EB4F))
    )
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)) / 9007199254740992.0


@njit(nogil=True, cache=True)
def touch(indptr, indices, match, i, linked, agree, differ, touched):
    """Count, for whoever is linked to a vertex of the match, where that is as planted and where it is not."""
    far = 0
    for j in range(i):
        y = match[j]
        for e in range(indptr[y], indptr[y + 1]):
            u = indices[e]
            if agree[u] == 0 and differ[u] == 0:
                touched[far] = u
                far += 1
            if linked[j]:
                agree[u] += 1
            else:
                differ[u] += 1
    return far


@njit(nogil=True, cache=True)
def inside(match, i, u):
    """Tell whether u is in the match."""
    found = False
    for j in range(i):
        found = found or match[j] == u
    return found


@njit(nogil=True, cache=True)
def extend(
    indptr, indices, matches, costs, i, linked, degree, allowed, least, share, seed, work, counts, out, out_costs
):
    """Extend every match by whoever is linked to one of the vertices that they must be linked to.

    Without room in `out` only count, in `counts`, how many extensions there are of each cost up to `allowed`. With room
    write those that cost less than `least`, and of those that cost as much a `share`, drawn; return how many.
    """
    agree, differ, touched = work
    wanted = 0
    for j in range(i):
        wanted += linked[j]
    filled = 0
    for b in range(len(matches)):
        far = touch(indptr, indices, matches[b], i, linked, agree, differ, touched)
        for t in range(far):
            u = touched[t]
            good, bad = agree[u], differ[u]
            agree[u] = differ[u] = 0
            cost = costs[b] + wanted - good + bad + abs(indptr[u + 1] - indptr[u] - degree)
            if good == 0 or cost > allowed or inside(matches[b], i, u):
                continue
            if len(out) == 0:
                counts[cost] += 1
            elif filled < len(out) and (cost < least or (cost == least and chance(seed, b, u) < share)):
                out[filled, :i] = matches[b, :i]
                out[filled, i] = u
                out_costs[filled] = cost
                filled += 1
    return filled
