"""Rows of a table that agree on a set of columns: counts, levels of recoding, and smallest identifying sets.

A row is a point of codes, one per column, each below the column's `card`; S is a set of columns. The codes on S are
written as one number in mixed radix, so that equal numbers are equal cells and nothing needs to be verified; where the
number would not fit into 62 bits, what was read so far is numbered anew first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.hitting_sets import AT_LEAST, EVERY, EXACT, GAVE_UP, ROWS, fewest_items
from shoal.kernels.words import mix

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


# Classes of rows whose columns are read at a level each, from rows or from the classes of a lower node.
#
# A row is a place in `codes`, one line per column; `lookup[starts[c] + code]`, below `cards[c]`, is what column c
# publishes for it. What a row publishes is written as one number in mixed radix, so that equal numbers are equal cells;
# where the number would not fit into 62 bits, what was read so far is numbered anew first.


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


# The smallest set of columns that gives a record away, where there are too many columns to try all sets.
#
# u stays a candidate of v under the set S if and only if S misses the columns in which they differ: the same partial
# hitting sets as in Definition I, with the rows coming in only when needed (see :mod:`.relation_sets`). Records that
# agree on all columns are one row with a weight.


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
