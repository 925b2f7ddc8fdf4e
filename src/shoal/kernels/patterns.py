"""Does a small rooted pattern fit at a vertex? Injective, not necessarily induced, exact degrees where they are known.

A pattern has vertices 0, 1, ... with the root first; vertex i > 0 hangs on the earlier vertex `parent[i]`, is linked to
the earlier vertices in the bit set `links[i]`, and has `exact[i]` neighbors in all (-1: at least `least[i]`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

NO, YES, UNDECIDED = 0, 1, 2


@njit(nogil=True, cache=True)
def linked(indptr, indices, u, w):
    """Tell whether u and w are neighbors, by bisection in the shorter row."""
    if indptr[u + 1] - indptr[u] > indptr[w + 1] - indptr[w]:
        u, w = w, u
    low = indptr[u]
    high = indptr[u + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < w:
            low = middle + 1
        else:
            high = middle
    return low < indptr[u + 1] and indices[low] == w


@njit(nogil=True, cache=True)
def admits(indptr, indices, image, i, x, links, exact, least):
    """Tell whether pattern vertex i may be placed on x, the earlier ones standing on `image`."""
    degree = indptr[x + 1] - indptr[x]
    if degree < least[i] or (exact[i] >= 0 and degree != exact[i]):
        return False
    for j in range(i):
        if image[j] == x:
            return False
        if (links[i] >> j) & 1 and not linked(indptr, indices, image[j], x):
            return False
    return True


@njit(nogil=True, cache=True)
def fits(indptr, indices, u, parent, links, exact, least, image, cursor, limit):
    """Search, depth first, a placement of the pattern with its root on u; give up after `limit` steps."""
    size = len(parent)
    if not admits(indptr, indices, image, 0, u, links, exact, least):
        return NO
    image[0] = u
    if size == 1:
        return YES
    i = 1
    cursor[1] = indptr[u]
    for _ in range(limit):
        base = image[parent[i]]
        if cursor[i] == indptr[base + 1]:
            i -= 1
            if i == 0:
                return NO
            cursor[i] += 1
            continue
        x = indices[cursor[i]]
        if not admits(indptr, indices, image, i, x, links, exact, least):
            cursor[i] += 1
            continue
        image[i] = x
        i += 1
        if i == size:
            return YES
        cursor[i] = indptr[image[parent[i]]]
    return UNDECIDED


@njit(nogil=True, cache=True)
def fits_at(first, last, indptr, indices, parent, links, exact, least, limit, verdicts):
    """Write for each vertex first..last whether the pattern fits there."""
    image = np.empty(len(parent), dtype=np.int64)
    cursor = np.empty(len(parent), dtype=np.int64)
    for u in range(first, last):
        verdicts[u] = fits(indptr, indices, u, parent, links, exact, least, image, cursor, limit)
