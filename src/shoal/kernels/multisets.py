"""Which rows are equal as multisets? Proposed by hash, decided by counting.

A row v holds the items `items[indptr[v]:indptr[v + 1]]`, each as often as its weight says (an empty weight array
stands for ones). Rows whose `start` differs are never equal.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.words import mix, mix_again


@njit(nogil=True, cache=True)
def hash_rows(first, last, rows, indptr, items, weights, mask, low, high):
    """Hash the rows `rows[first:last]` into `low` and `high`, indexed like `rows`."""
    for i in range(first, last):
        v = rows[i]
        a = np.uint64(0)
        b = np.uint64(0)
        for e in range(indptr[v], indptr[v + 1]):
            w = np.uint64(weights[e]) if len(weights) else np.uint64(1)
            x = np.uint64(items[e])
            a += mix(x) * w
            b += mix_again(x + np.uint64(1)) * w
        low[i] = a & mask
        high[i] = b & mask


@njit(nogil=True, cache=True)
def propose(start, low, high):
    """Number the distinct triples (start, low, high) by first appearance, with an open hash table."""
    n = len(start)
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    codes = np.empty(n, dtype=np.int64)
    leaders = np.empty(n, dtype=np.int64)
    found = 0
    wrap = np.uint64(size - 1)
    for i in range(n):
        at = np.int64(mix(low[i] ^ mix(np.uint64(start[i]) ^ high[i])) & wrap)
        while True:
            j = slots[at]
            if j < 0:
                slots[at] = i
                leaders[found] = i
                codes[i] = found
                found += 1
                break
            if start[j] == start[i] and low[j] == low[i] and high[j] == high[i]:
                codes[i] = codes[j]
                break
            at = (at + 1) & (size - 1)
    return codes, leaders[:found]


@njit(nogil=True, cache=True)
def contradicted(first, last, rows, members, bounds, indptr, items, weights, tally, wrong):
    """Mark in `wrong` the members of the proposed classes first..last that differ from the first member of their class.

    Class c holds the positions `members[bounds[c]:bounds[c + 1]]` of `rows`; `tally` is zero, one cell per item.
    """
    weighted = len(weights) > 0
    for c in range(first, last):
        if bounds[c + 1] - bounds[c] < 2:
            continue
        leader = rows[members[bounds[c]]]
        for e in range(indptr[leader], indptr[leader + 1]):
            tally[items[e]] += weights[e] if weighted else 1
        for i in range(bounds[c] + 1, bounds[c + 1]):
            v = rows[members[i]]
            for e in range(indptr[v], indptr[v + 1]):
                tally[items[e]] -= weights[e] if weighted else 1
            same = True
            for e in range(indptr[v], indptr[v + 1]):
                same &= tally[items[e]] == 0
            for e in range(indptr[leader], indptr[leader + 1]):
                same &= tally[items[e]] == 0
            wrong[members[i]] = not same
            for e in range(indptr[v], indptr[v + 1]):
                tally[items[e]] += weights[e] if weighted else 1
        for e in range(indptr[leader], indptr[leader + 1]):
            tally[items[e]] = 0
