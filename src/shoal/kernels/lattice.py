"""Classes of rows whose columns are read at a level each, from rows or from the classes of a lower node.

A row is a place in `codes`, one line per column; `lookup[starts[c] + code]`, below `cards[c]`, is what column c
publishes for it. What a row publishes is written as one number in mixed radix, so that equal numbers are equal cells;
where the number would not fit into 62 bits, what was read so far is numbered anew first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.tables import DIRECT, WIDE, number, number_directly


@njit(nogil=True, cache=True)
def keys_at(codes, rows, lookup, starts, cards, keys):
    """Write one number per row, equal exactly where the rows publish the same cells; return a bound on them."""
    span = np.int64(1)
    keys[:] = 0
    for c in range(len(codes)):
        card = np.int64(cards[c])
        if card == 1:
            continue
        if span > WIDE // card:
            span = number(keys)
        column, start = codes[c], starts[c]
        for i in range(len(rows)):
            keys[i] = keys[i] * card + lookup[start + column[rows[i]]]
        span *= card
    return span


@njit(nogil=True, cache=True)
def classes_at(codes, rows, weight, lookup, starts, cards):
    """Return the class of each row, and for each class one of its rows and its weight."""
    keys = np.empty(len(rows), dtype=np.int64)
    span = keys_at(codes, rows, lookup, starts, cards, keys)
    found = number_directly(keys, span) if span <= max(DIRECT, 4 * len(rows)) else number(keys)
    first = np.empty(found, dtype=np.int64)
    total = np.zeros(found, dtype=np.int64)
    for i in range(len(rows)):
        first[keys[i]] = rows[i]
        total[keys[i]] += weight[i]
    return keys, first, total


@njit(nogil=True, cache=True)
def spread_over(codes, rows, weight, lookup, starts):
    """Return for each column the sum over rows of their weight times what is looked up for them."""
    sums = np.zeros(len(codes), dtype=np.int64)
    for c in range(len(codes)):
        column, start = codes[c], starts[c]
        for i in range(len(rows)):
            sums[c] += weight[i] * lookup[start + column[rows[i]]]
    return sums
