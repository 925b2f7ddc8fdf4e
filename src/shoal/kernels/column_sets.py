"""The smallest set of columns that gives a record away, where there are too many columns to try all sets.

u stays a candidate of v under the set S if and only if S misses the columns in which they differ: the same partial
hitting sets as in Definition I, with the rows coming in only when needed (see :mod:`.relation_sets`). Records that
agree on all columns are one row with a weight.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.hitting import GAVE_UP, fewest_items
from shoal.kernels.neighbor_sets import AT_LEAST, EVERY, EXACT

ROWS = 4_000
"""Rows at hand before the search gives up."""

_1 = np.uint64(1)


@njit(nogil=True, cache=True)
def agreeing(codes, v, S, found):
    """List who agrees with v on S, v left out; return their number."""
    count = 0
    for u in range(codes.shape[1]):
        if u == v:
            continue
        same = True
        for c in S:
            if codes[c, u] != codes[c, v]:
                same = False
                break
        if same:
            found[count] = u
            count += 1
    return count


@njit(nogil=True, cache=True)
def difference(codes, v, u, mask):
    """Write the columns in which u and v differ as bits; return their number."""
    mask[:] = np.uint64(0)
    count = 0
    for c in range(len(codes)):
        if codes[c, u] != codes[c, v]:
            mask[c // 64] |= _1 << np.uint64(c % 64)
            count += 1
    return count


@njit(nogil=True, cache=True)
def join(codes, v, left, wanted, token, joined, weight, masks, weights, count):
    """Let those of `left` who differ least from v join the rows; return how many rows there are."""
    sizes = np.empty(len(left), dtype=np.int64)
    scratch = np.empty(masks.shape[1], dtype=np.uint64)
    for i in range(len(left)):
        sizes[i] = difference(codes, v, left[i], scratch)
    for i in np.argsort(sizes, kind="mergesort"):
        if wanted == 0 or count == len(masks):
            break
        u = left[i]
        if joined[u] != token:
            joined[u] = token
            difference(codes, v, u, masks[count])
            weights[count] = weight[u]
            count += 1
            wanted -= 1
    return count


@njit(nogil=True, cache=True)
def smallest_set(codes, weight, v, k, least, most, limit, left, joined, spent, chosen):
    """Return the size of the smallest set that leaves fewer than k records of v, and what it means."""
    t = k - 1 - weight[v]
    if t < 0:
        return 0, EVERY
    masks = np.zeros((ROWS, (len(codes) + 63) // 64), dtype=np.uint64)
    weights = np.zeros(ROWS, dtype=np.int64)
    q, size, count = max(1, least), 0, 0
    while True:
        found = agreeing(codes, v, chosen[:size], left)
        others = 0
        for i in range(found):
            others += weight[left[i]]
        if others <= t:
            return size, EXACT
        before = count
        count = join(codes, v, left[:found], max(16, min(t + 1, 512)), v + 1, joined, weight, masks, weights, count)
        if count == before:  # no room for more rows
            return q, AT_LEAST
        q, answer = fewest_items(masks[:count].copy(), weights[:count].copy(), t, q, most, limit, spent, chosen)
        if answer == GAVE_UP or q > most:
            return q, AT_LEAST
        size = q


@njit(nogil=True, cache=True)
def smallest_sets(first, last, todo, codes, weight, k, least, most, limit, sizes, meaning):
    """Write the sizes of the smallest revealing sets of `todo[first:last]`, and what they mean."""
    n = codes.shape[1]
    left, joined = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    chosen, spent = np.empty(len(codes) + 64, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for i in range(first, last):
        spent[0] = 0
        v = todo[i]
        sizes[v], meaning[v] = smallest_set(codes, weight, v, k, least, most, limit, left, joined, spent, chosen)
