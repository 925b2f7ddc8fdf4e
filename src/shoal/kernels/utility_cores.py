"""Core numbers: vertices are taken away one by one, always one with the fewest links left (Batagelj & Zaversnik)."""

from __future__ import annotations

import numpy as np
from numba import njit


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
