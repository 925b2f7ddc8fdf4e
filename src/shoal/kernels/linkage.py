"""Record linkage: distances and comparison vectors between records, without a matrix of all pairs.

x holds the numbers of the points (NaN is missing) and c their codes, a line per column; y and d those of the records, a
row per record. Numbers differ by |x - y| * inverse, codes by 0 or 1, and a missing value is at 1 from every other and
at 0 from itself. The inner loops run over all points, so that they are compiled to vector instructions.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def measure(x, c, y, d, q, inverse, out):
    """Write the distances of record q to all points."""
    out[:] = 0
    for j in range(len(c)):
        column, wanted = c[j], d[q, j]
        for i in range(len(out)):
            out[i] += 1.0 if column[i] != wanted else 0.0
    for j in range(len(inverse)):
        column, number, scale = x[j], y[q, j], inverse[j]
        if np.isnan(number):
            for i in range(len(out)):
                out[i] += 0.0 if np.isnan(column[i]) else 1.0
        else:
            for i in range(len(out)):
                apart = abs(column[i] - number) * scale
                out[i] += 1.0 if np.isnan(apart) else apart


@njit(nogil=True, cache=True)
def distances(first, last, x, c, y, d, inverse, out):
    """Write the distances of the records first..last to all points."""
    for q in range(first, last):
        measure(x, c, y, d, q, inverse, out[q])


@njit(nogil=True, cache=True)
def kth_smallest(row, many, best):
    """Return the k-th smallest distance of an individual, k the length of `best`; `many` stand at each point."""
    k = len(best)
    if k == 1:
        return row.min()
    best[:] = np.inf
    for i in range(len(row)):
        if row[i] >= best[k - 1]:
            continue
        times = 0
        while times < many[i] and row[i] < best[k - 1]:
            at = k - 1
            while at > 0 and best[at - 1] > row[i]:
                best[at] = best[at - 1]
                at -= 1
            best[at] = row[i]
            times += 1
    return best[k - 1]


@njit(nogil=True, cache=True)
def longer(array, need):
    """Return the array, or a longer copy where `need` does not fit."""
    if need <= len(array):
        return array
    copy = np.empty(2 * need, dtype=array.dtype)
    copy[: len(array)] = array
    return copy


@njit(nogil=True, cache=True)
def count_within(row, bound):
    """Count the distances up to `bound`."""
    count = 0
    for i in range(len(row)):
        count += row[i] <= bound
    return count


@njit(nogil=True, cache=True)
def take_within(row, bound, points, found):
    """Write the points up to `bound`, and their distances."""
    size = 0
    for i in range(len(row)):
        if row[i] <= bound:
            points[size] = i
            found[size] = row[i]
            size += 1


@njit(nogil=True, cache=True)
def nearest(first, last, x, c, many, y, d, inverse, k, slack, counts):
    """Return the points of the k nearest individuals of the records first..last, and their distances.

    Points beyond the k-th by no more than the share `slack` are among them. `counts` is how many each record has.
    """
    row, best = np.empty(len(many)), np.empty(k)
    points = np.empty(4 * (last - first), dtype=np.int64)
    found = np.empty(4 * (last - first))
    size = 0
    for q in range(first, last):
        measure(x, c, y, d, q, inverse, row)
        bound = kth_smallest(row, many, best) * slack
        counts[q] = count_within(row, bound)
        points, found = longer(points, size + counts[q]), longer(found, size + counts[q])
        take_within(row, bound, points[size:], found[size:])
        size += counts[q]
    return points[:size], found[:size]


@njit(nogil=True, cache=True)
def compare(x, c, y, d, q, limits, radix, out):
    """Write the comparison vectors of record q with all points, as numbers in mixed radix.

    For numbers the level is how many of the limits of the column hold the difference, for codes 1 if they agree.
    """
    out[:] = 0
    for j in range(len(limits)):
        column, number, top = x[j], y[q, j], np.int32(radix[j])
        for i in range(len(out)):
            out[i] *= top
        if np.isnan(number):
            for i in range(len(out)):
                out[i] += top - 1 if np.isnan(column[i]) else 0
        else:
            for h in range(top - 1):
                limit = limits[j, h]
                for i in range(len(out)):
                    out[i] += abs(column[i] - number) <= limit
    for j in range(len(c)):
        column, wanted = c[j], d[q, j]
        for i in range(len(out)):
            out[i] = 2 * out[i] + (column[i] == wanted)


@njit(nogil=True, cache=True)
def tally(first, last, x, c, many, y, d, times, limits, radix, size):
    """Count the comparison vectors of the records first..last with all individuals."""
    counts = np.zeros(size, dtype=np.int64)
    row = np.empty(len(many), dtype=np.int32)
    for q in range(first, last):
        compare(x, c, y, d, q, limits, radix, row)
        for i in range(len(row)):
            counts[row[i]] += many[i] * times[q]
    return counts


@njit(nogil=True, cache=True)
def comparisons(first, last, x, c, y, d, limits, radix, rank, out):
    """Write the ranks of the comparison vectors of the records first..last with every point."""
    for q in range(first, last):
        compare(x, c, y, d, q, limits, radix, out[q])
        for i in range(out.shape[1]):
            out[q, i] = rank[out[q, i]]
