"""How similar are the k most similar rows? Co-degrees over paths of length two, without a matrix.

The co-degree of v and u is the number of their common neighbors; rows differ in deg(v) + deg(u) - 2 co-degree entries.
"""

from __future__ import annotations

import numpy as np
from numba import njit

MANHATTAN, TWO_PATH = 0, 1


@njit(nogil=True, cache=True)
def kth_largest_codegree(degree, codegrees, k):
    """Return the k-th largest among `degree` (v with itself), `codegrees` and enough zeros."""
    if k == 1:
        return degree
    if len(codegrees) < k - 1:
        return np.int64(0)
    return -np.partition(-codegrees, k - 2)[k - 2]


@njit(nogil=True, cache=True)
def kth_smallest_distance(degrees, v, touched, codegrees, lowest, shared, k):
    """Return the k-th smallest number of entries in which a row differs from that of v, whose own is 0.

    Who shares no neighbor with v differs in deg(v) + deg(u) entries, so only the k lowest degrees matter among them.
    """
    if k == 1:
        return np.int64(0)
    found = np.empty(len(touched) + k, dtype=np.int64)
    for i in range(len(touched)):
        found[i] = degrees[v] + degrees[touched[i]] - 2 * codegrees[i]
    count = len(touched)
    for u in lowest:
        if count == len(touched) + k:
            break
        if u != v and shared[u] == 0:
            found[count] = degrees[v] + degrees[u]
            count += 1
    return np.partition(found[:count], k - 2)[k - 2]


@njit(nogil=True, cache=True)
def radii(first, last, indptr, indices, lowest, k, kind, radius):
    """Write for v = first..last the k-th largest similarity of a row to that of v, v's own counted."""
    n = len(indptr) - 1
    shared = np.zeros(n, dtype=np.int64)
    touched = np.empty(n, dtype=np.int64)
    codegrees = np.empty(n, dtype=np.int64)
    degrees = np.diff(indptr)
    for v in range(first, last):
        far = 0
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            for f in range(indptr[w], indptr[w + 1]):
                u = indices[f]
                if u != v:
                    if shared[u] == 0:
                        touched[far] = u
                        far += 1
                    shared[u] += 1
        for i in range(far):
            codegrees[i] = shared[touched[i]]
        if kind == TWO_PATH:
            radius[v] = kth_largest_codegree(degrees[v], codegrees[:far], k)
        else:
            radius[v] = n - kth_smallest_distance(degrees, v, touched[:far], codegrees[:far], lowest, shared, k)
        for i in range(far):
            shared[touched[i]] = 0
