"""Whose links in the release are nearest to those that somebody has in the original."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def found_again(first, last, known, row_ptr, rows, indptr, indices, lowest, found):
    """Tell for v = first..last whether its published row is nearer to its known row than any other published one.

    Known rows are rows[row_ptr[v]:row_ptr[v + 1]], published ones indices[indptr[v]:indptr[v + 1]], over the same ids;
    the distance is the number of entries in which they differ. `lowest` are all ids by published degree, ascending.
    `known` is zero, one cell per vertex.
    """
    touched = np.empty(len(known), dtype=np.int64)
    for v in range(first, last):
        far = 0
        for i in range(row_ptr[v], row_ptr[v + 1]):
            for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
                u = indices[e]
                if known[u] == 0:
                    touched[far] = u
                    far += 1
                known[u] += 1
        # the known degree is the same for all, and left out
        own = indptr[v + 1] - indptr[v] - 2 * known[v]
        alone = True
        for i in range(far):
            u = touched[i]
            alone &= u == v or indptr[u + 1] - indptr[u] - 2 * known[u] > own
        for u in lowest:  # who shares nothing with v differs in all links of both
            if u != v and known[u] == 0:
                alone &= indptr[u + 1] - indptr[u] > own
                break
        found[v] = alone
        for i in range(far):
            known[touched[i]] = 0
