"""Triangles and 4-cycles, each met once at its last vertex.

Vertices are numbered by degree, ascending, so that few pairs meet at a hub; rows are ascending, and a row is left as
soon as its entries come later than the vertex at hand.
"""

from __future__ import annotations

import numpy as np
from numba import njit


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
