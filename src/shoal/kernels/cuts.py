"""Median cuts: a table of ranks is halved, along the widest column, as long as k rows are left on both sides.

A row is a line of ranks, one per column; in a column with missing values these have rank 0. A cut is strict: rows of
the same rank stay together. lo and hi are the lowest and the highest rank of a block of rows in each column.
"""

import numpy as np
from numba import njit

NO_CUT = -1


@njit(nogil=True, cache=True)
def bound(rows, first, last, lo, hi):
    """Write the lowest and the highest rank of each column over rows first..last."""
    for j in range(rows.shape[1]):
        lo[j] = hi[j] = rows[first, j]
    for i in range(first + 1, last):
        for j in range(rows.shape[1]):
            rank = rows[i, j]
            lo[j] = min(lo[j], rank)
            hi[j] = max(hi[j], rank)


@njit(nogil=True, cache=True)
def median_by_counting(rows, first, last, j, low, high, counts):
    """Return the median rank of column j, and how many rows are below it and how many not above it."""
    for rank in range(low, high + 1):
        counts[rank] = 0
    for i in range(first, last):
        counts[rows[i, j]] += 1
    half = (last - first + 1) // 2
    rank, upto = low, counts[low]
    while upto < half:
        rank += 1
        upto += counts[rank]
    return rank, upto - counts[rank], upto


@njit(nogil=True, cache=True)
def median_by_sorting(rows, first, last, j):
    """Do the same where there are more ranks than rows."""
    ranks = np.sort(rows[first:last, j])
    rank = ranks[(last - first - 1) // 2]
    return rank, np.searchsorted(ranks, rank), np.searchsorted(ranks, rank, side="right")


@njit(nogil=True, cache=True)
def find_cut(rows, first, last, j, low, high, absent, k, counts):
    """Return the rank up to which rows go to the left side of a cut along column j, or NO_CUT.

    Missing values are cut off first. Else the cut is just below or just above the median, whichever halves better: if
    neither leaves k rows on both sides, no cut does, because every other one leaves a side of one of these smaller.
    """
    size = last - first
    if absent and low == 0:
        missing = 0
        for i in range(first, last):
            missing += rows[i, j] == 0
        if k <= missing <= size - k:
            return 0
    if high - low <= size:
        rank, below, upto = median_by_counting(rows, first, last, j, low, high, counts)
    else:
        rank, below, upto = median_by_sorting(rows, first, last, j)
    under, over = min(below, size - below), min(upto, size - upto)
    if max(under, over) < k:
        return NO_CUT
    return rank if over >= under else rank - 1


@njit(nogil=True, cache=True)
def split(rows, ids, first, last, j, cut):
    """Bring the rows with rank up to `cut` in column j to the front, and return where the others begin."""
    left, right = first, last - 1
    while left <= right:
        if rows[left, j] <= cut:
            left += 1
            continue
        for q in range(rows.shape[1]):
            rows[left, q], rows[right, q] = rows[right, q], rows[left, q]
        ids[left], ids[right] = ids[right], ids[left]
        right -= 1
    return left


@njit(nogil=True, cache=True)
def best_cut(rows, first, last, lo, hi, place, starts, absent, k, counts, tried):
    """Return the column to cut along and the rank to cut at: the widest column that can be cut, or NO_CUT.

    `place[starts[j] + rank]` says where a rank of column j lies between 0 and 1. A column in which some are missing and
    others are not is wider than all that have no such mixture.
    """
    tried[:] = False
    for _ in range(len(lo)):
        widest, widest_of = 0.0, NO_CUT
        for j in range(len(lo)):
            if tried[j] or lo[j] == hi[j]:
                continue
            width = place[starts[j] + hi[j]] - place[starts[j] + lo[j]]
            if absent[j] and lo[j] == 0:
                width = 2.0
            if widest_of == NO_CUT or width > widest:
                widest, widest_of = width, j
        if widest_of == NO_CUT:
            break
        j = widest_of
        tried[j] = True
        cut = find_cut(rows, first, last, j, lo[j], hi[j], absent[j], k, counts)
        if cut != NO_CUT:
            return j, cut
    return NO_CUT, NO_CUT


@njit(nogil=True, cache=True)
def median_cuts(rows, ids, place, starts, absent, k, labels, lows, highs):
    """Cut until nothing can be cut; write the class of each row and the bounds of each class, return how many.

    rows and ids are brought into another order, by class.
    """
    n, d = rows.shape
    lo, hi, tried = np.empty(d, dtype=rows.dtype), np.empty(d, dtype=rows.dtype), np.empty(d, dtype=np.bool_)
    counts = np.empty(np.max(np.diff(starts)), dtype=np.int64)
    waiting = [(0, n)]
    classes = 0
    while waiting:
        first, last = waiting.pop()
        bound(rows, first, last, lo, hi)
        j = NO_CUT
        if last - first >= 2 * k:
            j, cut = best_cut(rows, first, last, lo, hi, place, starts, absent, k, counts, tried)
        if j != NO_CUT:
            middle = split(rows, ids, first, last, j, cut)
            waiting.append((middle, last))
            waiting.append((first, middle))
            continue
        lows[classes], highs[classes] = lo, hi
        for i in range(first, last):
            labels[ids[i]] = classes
        classes += 1
    return classes
