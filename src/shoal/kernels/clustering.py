"""Classes of records: MDAV with means, medians and modes of a class, and median cuts (Mondrian)."""

from __future__ import annotations

import numpy as np
from numba import njit

# Classes of k to 2k-1 near records (MDAV), and what stands for a class: its mean, median, most frequent value.
#
# x holds numbers, one line per column, NaN where missing; c holds codes of categories from 0, one line per column.
# R is what is left to be clustered, kept in front; r is its size.


@njit(nogil=True, cache=True)
def apart(x, c, r, numbers, codes, far):
    """Write the distance of each record of R to a point: squares of differences, 1 for what is different or missing.

    The loops run along columns, one after the other, so that the machine can take several records at once.
    """
    far[:r] = 0.0
    for j in range(len(x)):
        line, p = x[j], numbers[j]
        if p == p:  # noqa: PLR0124 - only NaN, a missing number, differs from itself
            for i in range(r):
                d = line[i] - p
                d *= d
                far[i] += d if d == d else 1.0  # noqa: PLR0124
        else:
            for i in range(r):
                far[i] += 1.0 if line[i] == line[i] else 0.0
    for j in range(len(c)):
        line, q = c[j], codes[j]
        for i in range(r):
            far[i] += 1.0 if line[i] != q else 0.0


@njit(nogil=True, cache=True)
def farthest(far, r):
    """Return the position of the largest distance, the first of several."""
    best = 0
    for i in range(1, r):
        if far[i] > far[best]:
            best = i
    return best


@njit(nogil=True, cache=True)
def nearest(far, r, seed, chosen, k):
    """Write the positions of `seed` and of the k-1 records nearest to it into `chosen`, ascending."""
    far[seed] = -1.0  # before others in the same place
    for i in range(k):
        chosen[i] = i
    worst = farthest(far, k)
    limit = far[worst]
    for i in range(k, r):
        if far[i] < limit:
            chosen[worst] = i
            worst = 0
            for q in range(1, k):
                if far[chosen[q]] > far[chosen[worst]]:
                    worst = q
            limit = far[chosen[worst]]
    chosen[:k].sort()


@njit(nogil=True, cache=True)
def tally(x, c, i, step, sums, present, counts, starts):
    """Count the record at i in (step 1) or out (step -1) of what the center of R is computed from."""
    for j in range(len(x)):
        if x[j, i] == x[j, i]:
            sums[j] += step * x[j, i]
            present[j] += step
    for j in range(len(c)):
        counts[starts[j] + c[j, i]] += step


@njit(nogil=True, cache=True)
def center(sums, present, counts, starts, numbers, codes):
    """Write the means of the numbers and the most frequent codes of R."""
    for j in range(len(sums)):
        numbers[j] = sums[j] / present[j] if present[j] else np.nan
    for j in range(len(codes)):
        codes[j] = np.argmax(counts[starts[j] : starts[j + 1]])


@njit(nogil=True, cache=True)
def take_out(x, c, ids, far, r, chosen, k, label, labels):
    """Give the chosen records their class, and fill their places from the end of R, distances included."""
    for q in range(k - 1, -1, -1):
        i = chosen[q]
        r -= 1
        labels[ids[i]] = label
        ids[i], far[i] = ids[r], far[r]
        for j in range(len(x)):
            x[j, i] = x[j, r]
        for j in range(len(c)):
            c[j, i] = c[j, r]
    return r


@njit(nogil=True, cache=True)
def mdav(x, c, starts, ids, k, label, labels):
    """Cut records into classes of k to 2k-1, numbered from `label`; x, c and ids are used up.

    While 3k or more are left: the record farthest from the center of R with its k-1 nearest is a class, and so is the
    record farthest from that one with its k-1 nearest. Of 2k to 3k-1 the first of these two and the rest; fewer than
    2k are one class. `starts` says where the counts of each column of categories begin.
    """
    r = len(ids)
    far, chosen = np.empty(r), np.empty(k, dtype=np.int64)
    sums, present = np.zeros(len(x)), np.zeros(len(x), dtype=np.int64)
    counts = np.zeros(starts[-1], dtype=np.int64)
    numbers, codes = np.empty(len(x)), np.empty(len(c), dtype=np.int64)
    for i in range(r):
        tally(x, c, i, 1, sums, present, counts, starts)
    while r >= 2 * k:
        center(sums, present, counts, starts, numbers, codes)
        apart(x, c, r, numbers, codes, far)
        for _ in range(2 if r >= 3 * k else 1):
            seed = farthest(far, r)  # from the center, and then from the first seed
            for j in range(len(x)):
                numbers[j] = x[j, seed]
            for j in range(len(c)):
                codes[j] = c[j, seed]
            apart(x, c, r, numbers, codes, far)
            nearest(far, r, seed, chosen, k)
            for q in range(k):
                tally(x, c, chosen[q], -1, sums, present, counts, starts)
            r = take_out(x, c, ids, far, r, chosen, k, label, labels)
            label += 1
    for i in range(r):
        labels[ids[i]] = label


@njit(nogil=True, cache=True)
def gather(x, order, first, last, found):
    """Copy the numbers of a class that are not missing, ascending, so that sums do not depend on the order of rows."""
    size = 0
    for e in range(first, last):
        value = x[order[e]]
        if value == value:  # noqa: PLR0124
            found[size] = value
            size += 1
    found[:size].sort()
    return size


@njit(nogil=True, cache=True)
def mean_of(found, size):
    """Return the mean of ascending numbers: never outside them, and finite where they are."""
    total = 0.0
    for i in range(size):
        total += found[i]
    mean = total / size
    if not np.isfinite(mean):
        mean = 0.0
        for i in range(size):
            mean += found[i] / size
    return min(max(mean, found[0]), found[size - 1])


@njit(nogil=True, cache=True)
def moments(x, order, bounds, mean, deviation):
    """Write the mean and the standard deviation of each class over the numbers that are there, NaN if none is."""
    found = np.empty(np.max(np.diff(bounds)))
    for q in range(len(bounds) - 1):
        size = gather(x, order, bounds[q], bounds[q + 1], found)
        mean[q], deviation[q] = np.nan, np.nan
        if size:
            mean[q] = mean_of(found, size)
            scale = max(found[size - 1] - mean[q], mean[q] - found[0])
            squares = 0.0
            for i in range(size):
                if scale > 0:
                    squares += ((found[i] - mean[q]) / scale) ** 2
            deviation[q] = scale * np.sqrt(squares / size)


@njit(nogil=True, cache=True)
def medians(x, order, bounds, median):
    """Write the median of each class over the numbers that are there, between two the point halfway; NaN if none is."""
    found = np.empty(np.max(np.diff(bounds)))
    for q in range(len(bounds) - 1):
        size = gather(x, order, bounds[q], bounds[q + 1], found)
        median[q] = mean_of(found[(size - 1) // 2 :], 2 - size % 2) if size else np.nan


@njit(nogil=True, cache=True)
def modes(codes, order, bounds, mode):
    """Write the most frequent code of each class that is not negative, the smallest of several; -1 if none is."""
    found = np.empty(np.max(np.diff(bounds)), dtype=np.int64)
    for q in range(len(bounds) - 1):
        size = 0
        for e in range(bounds[q], bounds[q + 1]):
            if codes[order[e]] >= 0:
                found[size] = codes[order[e]]
                size += 1
        found[:size].sort()
        mode[q] = -1
        longest, first = 0, 0
        for i in range(1, size + 1):
            if i == size or found[i] != found[first]:
                if i - first > longest:
                    longest, mode[q] = i - first, found[first]
                first = i


# Median cuts: a table of ranks is halved, along the widest column, as long as k rows are left on both sides.
#
# A row is a line of ranks, one per column; in a column with missing values these have rank 0. A cut is strict: rows of
# the same rank stay together. lo and hi are the lowest and the highest rank of a block of rows in each column.

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
