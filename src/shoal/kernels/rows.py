"""Compressed sparse rows: entries, distances from a vertex, and paths of length two."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def distances(indptr, indices, source, reach, found):
    """Write into `found`, which holds -1 everywhere, the distance from `source` of all vertices within `reach`."""
    queue = np.empty(len(found), dtype=np.int32)
    queue[0] = source
    found[source] = 0
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        if found[v] == reach:
            break
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            if found[w] < 0:
                found[w] = found[v] + 1
                queue[tail] = w
                tail += 1


@njit(nogil=True, cache=True)
def reach(row, indptr, indices, shared, touched, far):
    """Count in `shared` who is next to each of `row`; list those met first in `touched`, and return how many it has."""
    for w in row:
        for e in range(indptr[w], indptr[w + 1]):
            u = indices[e]
            if shared[u] == 0:
                touched[far] = u
                far += 1
            shared[u] += 1
    return far


@njit(nogil=True, cache=True)
def count_sharing(first, last, members, bounds, row_ptr, rows, indptr, indices, own, least, seen, sizes):
    """Count for the members of the classes first..last the vertices with at least `least` neighbors in their row.

    Class c holds the vertices in `members[bounds[c]:bounds[c + 1]]`, which have equal rows; v's row is
    `rows[row_ptr[v]:row_ptr[v + 1]]`, ids of the graph (indptr, indices); `own[v]` (or -1) is not counted. `seen` is
    zero, one cell per vertex.
    """
    touched = np.empty(len(seen), dtype=np.int32)
    for c in range(first, last):
        v = members[bounds[c]]
        far = reach(rows[row_ptr[v] : row_ptr[v + 1]], indptr, indices, seen, touched, 0)
        total = 0
        for i in range(far):
            if seen[touched[i]] >= least:
                total += 1
        for i in range(bounds[c], bounds[c + 1]):
            u = own[members[i]]
            sizes[members[i]] = total - 1 if u >= 0 and seen[u] >= least else total
        for i in range(far):
            seen[touched[i]] = 0


@njit(nogil=True, cache=True)
def find_entry(indptr, indices, w, x):
    """Return where x stands in the row of w, or -1, by bisection."""
    low, high = indptr[w], indptr[w + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[w + 1] and indices[low] == x else -1


@njit(nogil=True, cache=True)
def linked(indptr, indices, u, w):
    """Tell whether u and w are neighbors, by bisection in the shorter row."""
    if indptr[u + 1] - indptr[u] > indptr[w + 1] - indptr[w]:
        u, w = w, u
    return find_entry(indptr, indices, u, w) >= 0
