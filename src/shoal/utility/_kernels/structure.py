"""Structure of a graph: core numbers, triangles and 4-cycles, sums of distances."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t

# Core numbers: vertices are removed one by one, always one with the fewest links left (Batagelj & Zaversnik 2003).


def cores(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    order: int64_t[::1],
    starts: int64_t[::1],
    left: int64_t[::1],
):
    """Turn degrees into core numbers.

    `order` lists the vertices by degree, ascending; `starts[d]` is where those of degree d begin in it; `left` are the
    degrees. All three change as vertices are removed, and `left` ends as the core numbers.
    """
    n = left.shape[0]
    place: int64_t[::1] = np.empty(n, dtype=np.int64)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            place[order[i]] = i
        for i in range(n):
            v = order[i]
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if left[u] > left[v]:
                    # u changes places with the first of its degree, and becomes the last of the degree below
                    d = left[u]
                    first = starts[d] if starts[d] > i + 1 else i + 1
                    w = order[first]
                    order[place[u]] = w
                    order[first] = u
                    place[w] = place[u]
                    place[u] = first
                    starts[d] = first + 1
                    left[u] -= 1


# Triangles and 4-cycles, each met once at its last vertex.
#
# Vertices are numbered by degree, ascending, so that few pairs meet at a hub; rows are ascending, and a row is left as
# soon as its entries come later than the vertex at hand.


def triangles(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    found: int64_t[::1],
):
    """Add for v = first..last every triangle whose last vertex is v to the number of each of its corners."""
    seen: int64_t[::1] = np.full(len(indptr) - 1, -1, dtype=np.int64)
    with cython.nogil:
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


def squares(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    found: int64_t[::1],
):
    """Write for v = first..last the number of 4-cycles whose last vertex is v.

    Opposite v is a vertex w; two paths of length two from v to w, both over earlier vertices, make a 4-cycle.
    """
    paths: int64_t[::1] = np.zeros(len(indptr) - 1, dtype=np.int64)
    total: int64_t
    with cython.nogil:
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


# Distances from up to 64 vertices at once: each source has a bit, which is set at the vertices that it reached.


def distance_sums(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    sources: cython.const[int64_t][::1],
    totals: int64_t[::1],
):
    """Write for each of up to 64 sources the sum of the distances to all vertices that it reaches."""
    n: cython.Py_ssize_t = indptr.shape[0] - 1
    seen: uint64_t[::1] = np.zeros(n, dtype=np.uint64)
    here: uint64_t[::1] = np.zeros(n, dtype=np.uint64)
    there: uint64_t[::1] = np.zeros(n, dtype=np.uint64)
    distance: int64_t = 0
    moved: cython.bint = True
    one: uint64_t = 1
    i: cython.Py_ssize_t
    v: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sources.shape[0]):
            here[sources[i]] |= one << i
        for v in range(n):
            seen[v] = here[v]
        while moved:
            distance += 1
            moved = False
            for v in range(n):
                if here[v]:
                    for e in range(indptr[v], indptr[v + 1]):
                        there[indices[e]] |= here[v]
            for v in range(n):
                fresh = there[v] & ~seen[v]
                there[v] = 0
                here[v] = fresh
                if fresh:
                    moved = True
                    seen[v] |= fresh
                    i = 0
                    while fresh:
                        if fresh & 1:
                            totals[i] += distance
                        fresh >>= 1
                        i += 1
