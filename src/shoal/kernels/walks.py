"""Distances from a vertex, and vertices two steps away."""

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
def count_sharing(first, last, members, bounds, row_ptr, rows, indptr, indices, own, least, seen, sizes):
    """Count for the members of the classes first..last the vertices with at least `least` neighbors in their row.

    Class c holds the vertices in `members[bounds[c]:bounds[c + 1]]`, which have equal rows; v's row is
    `rows[row_ptr[v]:row_ptr[v + 1]]`, ids of the graph (indptr, indices); `own[v]` (or -1) is not counted. `seen` is
    zero, one cell per vertex.
    """
    touched = np.empty(len(seen), dtype=np.int32)
    for c in range(first, last):
        v = members[bounds[c]]
        far = 0
        for i in range(row_ptr[v], row_ptr[v + 1]):
            w = rows[i]
            for e in range(indptr[w], indptr[w + 1]):
                u = indices[e]
                if seen[u] == 0:
                    touched[far] = u
                    far += 1
                seen[u] += 1
        total = 0
        for i in range(far):
            if seen[touched[i]] >= least:
                total += 1
        for i in range(bounds[c], bounds[c + 1]):
            u = own[members[i]]
            sizes[members[i]] = total - 1 if u >= 0 and seen[u] >= least else total
        for i in range(far):
            seen[touched[i]] = 0
