"""Cells are suppressed one at a time until every combination of values of the given sets of columns is frequent.

`cells[r, c]` is the code of row r in column c, 0 where it is missing; a row stands for `weight[r]` records. A plan is
(columns, radix, base, least, having): the columns of each set q (padded with -1), what a code of column c adds to the
key of a combination on q, where the keys of q begin, how many records a combination on q must have, and the sets that
hold each column (padded with -1). Keys of different combinations differ, so that counts are exact. They are places in
`counts`, or where these would be too many, entries of the hash table `keys`, whose entries are compared in full.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.words import mix


@njit(nogil=True, cache=True)
def sought(keys, filled, key):
    """Return the place of a key in the table, which it enters if it is not there."""
    last = np.uint64(len(keys) - 1)
    at = np.int64(mix(np.uint64(key)) & last)
    while keys[at] != key:
        if keys[at] < 0:
            keys[at] = key
            filled[0] += 1
            return at
        at = (at + 1) & np.int64(last)
    return at


@njit(nogil=True, cache=True)
def crowded(keys, filled, wanted):
    """Tell whether the table must grow before so many keys may enter it."""
    return len(keys) > 0 and filled[0] + wanted > len(keys) // 2


@njit(nogil=True, cache=True)
def keys_of(cells, r, columns, radix, base, own):
    """Write the keys of the combinations of row r, a set after the other."""
    # one loop, called once a row: a function per key costs several times as much
    for q in range(len(base)):
        key = base[q]
        for j in range(columns.shape[1]):
            c = columns[q, j]
            if c < 0:
                break
            key += cells[r, c] * radix[q, c]
        own[q] = key


@njit(nogil=True, cache=True)
def count_combinations(cells, weight, plan, keys, counts, filled, first):
    """Count the combinations of the rows from `first` on; return the row at which there was no more room."""
    columns, radix, base, _, _ = plan
    own = np.empty(len(base), dtype=np.int64)
    for r in range(first, len(cells)):
        if crowded(keys, filled, len(base)):
            return r
        keys_of(cells, r, columns, radix, base, own)
        for q in range(len(base)):
            at = own[q] if len(keys) == 0 else sought(keys, filled, own[q])
            counts[at] += weight[r]
    return len(cells)


@njit(nogil=True, cache=True)
def move_counts(keys, counts, new_keys, new_counts, filled):
    """Copy all counts above 0 to a new table."""
    filled[0] = 0
    for i in range(len(keys)):
        if keys[i] >= 0 and counts[i] > 0:
            new_counts[sought(new_keys, filled, keys[i])] = counts[i]


@njit(nogil=True, cache=True)
def worth(c, code, w, radix, least, having, keys, counts, filled, own, often, scoring):
    """Return how good it is to suppress the cell in column c of a row: rare combinations end, others may begin.

    `own` are the keys of the row's combinations and `often` is how often each occurs.
    """
    score = 0.0
    for i in range(having.shape[1]):
        q = having[c, i]
        if q < 0:
            break
        if often[q] < least[q]:
            score += 1.0
        elif 0 < often[q] - w < least[q]:
            score -= scoring[1]
        key = own[q] - code * radix[q, c]
        at = key if len(keys) == 0 else sought(keys, filled, key)
        joined = counts[at] + w
        if joined < least[q]:
            score -= scoring[0] * (least[q] - joined) / least[q]
    return score


@njit(nogil=True, cache=True)
def mark_useful(cells, r, columns, often, least, useful):
    """Mark the columns in which row r has a cell that is part of a rare combination."""
    useful[:] = False
    for q in range(len(columns)):
        if often[q] < least[q]:
            for j in range(columns.shape[1]):
                c = columns[q, j]
                if c < 0:
                    break
                useful[c] |= cells[r, c] != 0


@njit(nogil=True, cache=True)
def put(r, c, code, cells, w, radix, having, keys, counts, filled, own):
    """Write a code into a cell and keep the counts and the row's keys true."""
    for i in range(having.shape[1]):
        q = having[c, i]
        if q < 0:
            break
        key = own[q] + (code - cells[r, c]) * radix[q, c]
        counts[own[q] if len(keys) == 0 else sought(keys, filled, own[q])] -= w
        counts[key if len(keys) == 0 else sought(keys, filled, key)] += w
        own[q] = key
    cells[r, c] = code


@njit(nogil=True, cache=True)
def suppress_round(cells, weight, order, plan, keys, counts, filled, scoring, likes, first, told):
    """Suppress the best cell of every row with a rare combination, where it has a cell left in one.

    Return the place in `order` at which the table had no more room; `told` counts the cells and the rare rows.
    """
    columns, radix, base, least, having = plan
    own = np.empty(len(base), dtype=np.int64)
    often = np.empty(len(base), dtype=np.int64)
    useful = np.empty(cells.shape[1], dtype=np.bool_)
    for i in range(first, len(order)):
        if crowded(keys, filled, len(base) * cells.shape[1]):
            return i
        r = order[i]
        keys_of(cells, r, columns, radix, base, own)
        any_rare = False
        for q in range(len(base)):
            at = own[q] if len(keys) == 0 else sought(keys, filled, own[q])
            often[q] = counts[at]
            any_rare |= often[q] < least[q]
        if not any_rare:
            continue
        told[1] += 1
        mark_useful(cells, r, columns, often, least, useful)
        best, most = -1, 0.0
        for c in range(cells.shape[1]):
            if useful[c]:
                score = likes[c] + worth(
                    c, cells[r, c], weight[r], radix, least, having, keys, counts, filled, own, often, scoring
                )
                if best < 0 or score > most:
                    best, most = c, score
        if best >= 0:
            put(r, best, 0, cells, weight[r], radix, having, keys, counts, filled, own)
            told[0] += 1
    return len(order)


@njit(nogil=True, cache=True)
def may_return(c, code, w, radix, least, having, keys, counts, filled, own):
    """Tell whether a cell of a row may get its code back without making any combination rare."""
    for i in range(having.shape[1]):
        q = having[c, i]
        if q < 0:
            break
        key = own[q] + code * radix[q, c]
        if 0 < counts[own[q] if len(keys) == 0 else sought(keys, filled, own[q])] - w < least[q]:
            return False
        if counts[key if len(keys) == 0 else sought(keys, filled, key)] + w < least[q]:
            return False
    return True


@njit(nogil=True, cache=True)
def restore_round(cells, before, weight, order, plan, keys, counts, filled, first, told):
    """Give suppressed cells their code back where that harms nobody; return as `suppress_round` does."""
    columns, radix, base, least, having = plan
    own = np.empty(len(base), dtype=np.int64)
    for i in range(first, len(order)):
        if crowded(keys, filled, len(base) * cells.shape[1]):
            return i
        r = order[i]
        ready = False
        for c in range(cells.shape[1]):
            code = before[r, c]
            if cells[r, c] != 0 or code == 0:
                continue
            if not ready:
                keys_of(cells, r, columns, radix, base, own)
                ready = True
            if may_return(c, code, weight[r], radix, least, having, keys, counts, filled, own):
                put(r, c, code, cells, weight[r], radix, having, keys, counts, filled, own)
                told[0] += 1
    return len(order)
