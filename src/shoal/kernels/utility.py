"""Utility measures of a graph: core numbers, triangles and 4-cycles, sums of distances."""

from __future__ import annotations

import numpy as np
from numba import njit

# Core numbers: vertices are taken away one by one, always one with the fewest links left (Batagelj & Zaversnik).


@njit(nogil=True, cache=True)
def cores(indptr, indices, order, starts, left):
    """Turn degrees into core numbers.

    `order` lists the vertices by degree, ascending; `starts[d]` is where those of degree d begin in it; `left` are the
    degrees. All three are changed as vertices go, and `left` ends as the core numbers.
    """
    n = len(left)
    place = np.empty(n, dtype=np.int64)
    for i in range(n):
        place[order[i]] = i
    for i in range(n):
        v = order[i]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if left[u] > left[v]:
                # u changes places with the first of its degree, and becomes the last of the degree below
                d = left[u]
                first = max(starts[d], i + 1)
                w = order[first]
                order[place[u]], order[first] = w, u
                place[w], place[u] = place[u], first
                starts[d] = first + 1
                left[u] -= 1


# Triangles and 4-cycles, each met once at its last vertex.
#
# Vertices are numbered by degree, ascending, so that few pairs meet at a hub; rows are ascending, and a row is left as
# soon as its entries come later than the vertex at hand.


@njit(nogil=True, cache=True)
def triangles(first, last, indptr, indices, found):
    """Add for v = first..last every triangle whose last vertex is v to the number of each of its corners."""
    seen = np.full(len(indptr) - 1, -1, dtype=np.int64)
    for v in range(first, last):
        for e in range(indptr[v], indptr[v + 1]):
            seen[indices[e]] = v
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u > v:
                break
            for f in range(indptr[u], indptr[u + 1]):
                w = indices[f]
                if w > u:
                    break
                if seen[w] == v:
                    found[v] += 1
                    found[u] += 1
                    found[w] += 1


@njit(nogil=True, cache=True)
def squares(first, last, indptr, indices, found):
    """Write for v = first..last the number of 4-cycles whose last vertex is v.

    Opposite v is a vertex w; two paths of length two from v to w, both over earlier vertices, make a 4-cycle.
    """
    paths = np.zeros(len(indptr) - 1, dtype=np.int64)
    for v in range(first, last):
        total = 0
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u > v:
                break
            for f in range(indptr[u], indptr[u + 1]):
                w = indices[f]
                if w >= v:
                    break
                total += paths[w]
                paths[w] += 1
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u > v:
                break
            for f in range(indptr[u], indptr[u + 1]):
                w = indices[f]
                if w >= v:
                    break
                paths[w] = 0
        found[v] = total


# Distances from up to 64 vertices at once: a bit per source says who has been reached.


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
