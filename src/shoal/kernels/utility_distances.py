"""Distances from up to 64 vertices at once: a bit per source says who has been reached."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def count_bits(word, totals, distance):
    """Add the distance to the total of every source whose bit is set."""
    i = 0
    while word:
        if word & np.uint64(1):
            totals[i] += distance
        word >>= np.uint64(1)
        i += 1


@njit(nogil=True, cache=True)
def distance_sums(indptr, indices, sources, totals):
    """Write for each of up to 64 sources the sum of the distances to all vertices that it reaches."""
    n = len(indptr) - 1
    seen = np.zeros(n, dtype=np.uint64)
    here = np.zeros(n, dtype=np.uint64)
    there = np.zeros(n, dtype=np.uint64)
    for i in range(len(sources)):
        here[sources[i]] |= np.uint64(1) << np.uint64(i)
    seen[:] = here
    distance = 0
    moved = True
    while moved:
        distance += 1
        moved = False
        for v in range(n):
            if here[v]:
                for e in range(indptr[v], indptr[v + 1]):
                    there[indices[e]] |= here[v]
        for v in range(n):
            fresh = there[v] & ~seen[v]
            there[v] = np.uint64(0)
            here[v] = fresh
            if fresh:
                moved = True
                seen[v] |= fresh
                count_bits(fresh, totals, distance)
