"""Which rows are equal as multisets? Proposed by hash, decided by counting.

A row v holds the items `items[indptr[v]:indptr[v + 1]]`, each as often as its weight says (an empty weight array
stands for ones). Rows whose `start` differs are never equal.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.shoal.core._kernels.words import mix, mix_again

Item = cython.fused_type(int32_t, int64_t)


def hash_rows(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    items: cython.const[Item][::1],
    weights: cython.const[int64_t][::1],
    mask: uint64_t,
    low: uint64_t[::1],
    high: uint64_t[::1],
):
    """Hash the rows `rows[first:last]` into `low` and `high`, indexed like `rows`."""
    weighted: cython.bint = len(weights) > 0
    with cython.nogil:
        for i in range(first, last):
            v = rows[i]
            a: uint64_t = 0
            b: uint64_t = 0
            for e in range(indptr[v], indptr[v + 1]):
                w = cython.cast(uint64_t, weights[e]) if weighted else cython.cast(uint64_t, 1)
                x = cython.cast(uint64_t, items[e])
                a += mix(x) * w
                b += mix_again(x + 1) * w
            low[i] = a & mask
            high[i] = b & mask
