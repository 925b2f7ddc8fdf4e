"""Rows of a table that agree on a set of columns, counted exactly.

A row is a point of codes, one per column, each below the column's `card`; S is a set of columns. The codes on S are
written as one number in mixed radix, so that equal numbers are equal cells and nothing needs to be verified; where the
number would not fit into 62 bits, what was read so far is numbered anew first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.hashing import mix

DIRECT = 1 << 20
"""Keys below this are counted in a plain array that stays in the cache; above it, in a hash table of the keys."""
WIDE = 1 << 62


@njit(nogil=True, cache=True)
def number(keys):
    """Replace keys by 0, 1, ... in the order in which they first occur; return how many there are."""
    size = 16
    while size < 2 * len(keys):
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    first = np.empty(len(keys), dtype=np.int64)
    found = 0
    for i in range(len(keys)):
        at = np.int64(mix(np.uint64(keys[i])) & np.uint64(size - 1))
        while slots[at] >= 0 and first[slots[at]] != keys[i]:
            at = (at + 1) & (size - 1)
        if slots[at] < 0:
            slots[at] = found
            first[found] = keys[i]
            found += 1
        keys[i] = slots[at]
    return found


@njit(nogil=True, cache=True)
def number_directly(keys, span):
    """Do what `number` does, for keys below a small span."""
    seen = np.full(span, -1, dtype=np.int32)
    found = 0
    for i in range(len(keys)):
        if seen[keys[i]] < 0:
            seen[keys[i]] = found
            found += 1
        keys[i] = seen[keys[i]]
    return found


@njit(nogil=True, cache=True)
def keys_of(codes, cards, S, rows, keys):
    """Write one number per row, equal exactly where the rows agree on S; return a bound on them."""
    span = np.int64(1)
    keys[:] = 0
    for c in S:
        if span > WIDE // cards[c]:
            span = number(keys)
        column, card = codes[c], np.int64(cards[c])
        for i in range(len(rows)):
            keys[i] = keys[i] * card + column[rows[i]]
        span *= card
    return span


@njit(nogil=True, cache=True)
def class_weights(codes, cards, weight, S, rows, sizes):
    """Write for each of `rows` the weight of those of them that agree with it on S."""
    keys = np.empty(len(rows), dtype=np.int64)
    span = keys_of(codes, cards, S, rows, keys)
    if span > max(DIRECT, 4 * len(rows)):
        span = number(keys)
    counts = np.zeros(span, dtype=np.int64)
    for i in range(len(rows)):
        counts[keys[i]] += weight[rows[i]]
    for i in range(len(rows)):
        sizes[i] = counts[keys[i]]


@njit(nogil=True, cache=True)
def group(codes, cards):
    """Number the rows that agree on all columns, by first appearance."""
    n = codes.shape[1]
    keys = np.empty(n, dtype=np.int64)
    span = keys_of(codes, cards, np.arange(len(codes)), np.arange(n), keys)
    if span > max(DIRECT, 4 * n):
        number(keys)
    else:
        number_directly(keys, span)
    return keys


@njit(nogil=True, cache=True)
def revealed(codes, cards, weight, S, rows, below):
    """Return those of `rows` of which S leaves a weight below `below`."""
    sizes = np.empty(len(rows), dtype=np.int64)
    class_weights(codes, cards, weight, S, rows, sizes)
    return rows[sizes < below]


@njit(nogil=True, cache=True)
def lower(codes, cards, weight, S, rows, best):
    """Lower `best` to the weight of the class on S, for each of `rows`."""
    sizes = np.empty(len(rows), dtype=np.int64)
    class_weights(codes, cards, weight, S, rows, sizes)
    for i in range(len(rows)):
        best[rows[i]] = min(best[rows[i]], sizes[i])


@njit(nogil=True, cache=True)
def known_sizes(codes, cards, S, n):
    """Return how many of the rows from n on agree with each of the first n on S."""
    keys = np.empty(codes.shape[1], dtype=np.int64)
    span = keys_of(codes, cards, S, np.arange(codes.shape[1]), keys)
    if span > max(DIRECT, 4 * len(keys)):
        span = number(keys)
    counts = np.zeros(span, dtype=np.int64)
    for i in range(n, len(keys)):
        counts[keys[i]] += 1
    return counts[keys[:n]]
