"""Record linkage: distances and comparison vectors between records, without a matrix of all pairs.

A record is a row x of numbers (NaN is missing) and a row c of codes. Numbers differ by |x - y| * inverse, codes by 0 or
1, and a missing value is at 1 from every other and at 0 from itself. The points are sorted by their number in column
`sweep`, those without it last, from `valid` on; so a search can stop as soon as that column alone is too far away.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def distance(x, c, i, y, d, q, inverse, bound):
    """Return the distance of point i and record q; anything above `bound` may be returned as infinite."""
    total = 0.0
    for j in range(len(inverse)):
        apart = abs(x[i, j] - y[q, j]) * inverse[j]
        if np.isnan(apart):
            apart = 0.0 if np.isnan(x[i, j]) and np.isnan(y[q, j]) else 1.0
        total += apart
        if total > bound:
            return np.inf
    for j in range(c.shape[1]):
        if c[i, j] != d[q, j]:
            total += 1.0
            if total > bound:
                return np.inf
    return total


@njit(nogil=True, cache=True)
def insert(best, found, times):
    """Put a distance into the ascending list of the smallest ones, as often as there are individuals at it."""
    k = len(best)
    for _ in range(min(times, k)):
        if found >= best[k - 1]:
            return
        i = k - 1
        while i > 0 and best[i - 1] > found:
            best[i] = best[i - 1]
            i -= 1
        best[i] = found


@njit(nogil=True, cache=True)
def kth_smallest(first, last, x, c, many, valid, y, d, inverse, sweep, k, out):
    """Write for the records y[first:last] the k-th smallest distance of an individual; `many` stand at each point."""
    best = np.empty(k)
    order = x[:valid, sweep].copy()
    for q in range(first, last):
        best[:] = np.inf
        placed = valid > 0 and not np.isnan(y[q, sweep])
        if placed:
            right = np.searchsorted(order, y[q, sweep])
            left = right - 1
            while left >= 0 or right < valid:
                below = (y[q, sweep] - order[left]) * inverse[sweep] if left >= 0 else np.inf
                above = (order[right] - y[q, sweep]) * inverse[sweep] if right < valid else np.inf
                if min(below, above) > best[k - 1]:
                    break
                if right >= valid or (left >= 0 and below <= above):
                    i = left
                    left -= 1
                else:
                    i = right
                    right += 1
                insert(best, distance(x, c, i, y, d, q, inverse, best[k - 1]), many[i])
        if not placed or best[k - 1] >= 1:
            for i in range(valid, len(x)):
                insert(best, distance(x, c, i, y, d, q, inverse, best[k - 1]), many[i])
        if not placed and best[k - 1] >= 1:
            for i in range(valid):
                insert(best, distance(x, c, i, y, d, q, inverse, best[k - 1]), many[i])
        out[q] = best[k - 1]


@njit(nogil=True, cache=True)
def longer(array, need):
    """Return the array, or a longer copy where `need` does not fit."""
    if need <= len(array):
        return array
    copy = np.empty(2 * need, dtype=array.dtype)
    copy[: len(array)] = array
    return copy


@njit(nogil=True, cache=True)
def within(first, last, x, c, valid, y, d, inverse, sweep, bounds, counts):
    """Return the points within bounds[q] of the records q = first..last, and their distances; write how many each."""
    order = x[:valid, sweep].copy()
    points = np.empty(4 * (last - first), dtype=np.int64)
    found = np.empty(4 * (last - first))
    size = 0
    for q in range(first, last):
        low, high = 0, valid
        if valid > 0 and not np.isnan(y[q, sweep]):
            low = np.searchsorted(order, y[q, sweep])
            high = low
            while low > 0 and (y[q, sweep] - order[low - 1]) * inverse[sweep] <= bounds[q]:
                low -= 1
            while high < valid and (order[high] - y[q, sweep]) * inverse[sweep] <= bounds[q]:
                high += 1
        before = size
        for step in range(high - low + len(x) - valid):
            i = low + step if step < high - low else valid + step - (high - low)
            far = distance(x, c, i, y, d, q, inverse, bounds[q])
            if far <= bounds[q]:
                points = longer(points, size + 1)
                found = longer(found, size + 1)
                points[size] = i
                found[size] = far
                size += 1
        counts[q] = size - before
    return points[:size], found[:size]


@njit(nogil=True, cache=True)
def disagreements(columns, d, q, out):
    """Write in how many columns of codes each point differs from record q."""
    out[:] = 0
    for j in range(len(columns)):
        column = columns[j]
        wanted = d[q, j]
        for i in range(len(out)):
            out[i] += column[i] != wanted


@njit(nogil=True, cache=True)
def fewest_disagreements(first, last, columns, many, d, k, counts):
    """Return the points that hold the k individuals with the fewest disagreements, all with as many as the k-th."""
    apart = np.empty(columns.shape[1], dtype=np.int32)
    points = np.empty(4 * (last - first), dtype=np.int64)
    size = 0
    for q in range(first, last):
        disagreements(columns, d, q, apart)
        at = np.zeros(len(columns) + 1, dtype=np.int64)
        for i in range(len(apart)):
            at[apart[i]] += many[i]
        most, held = 0, at[0]
        while held < k:
            most += 1
            held += at[most]
        before = size
        for i in range(len(apart)):
            if apart[i] <= most:
                points = longer(points, size + 1)
                points[size] = i
                size += 1
        counts[q] = size - before
    return points[:size]


@njit(nogil=True, cache=True)
def softmax(first, last, x, c, many, y, d, inverse, temperature, out):
    """Write what each individual at a point gets of the records first..last: exp(-distance / temperature), shared out."""
    for q in range(first, last):
        least = np.inf
        for i in range(len(x)):
            out[q, i] = distance(x, c, i, y, d, q, inverse, np.inf)
            least = min(least, out[q, i])
        total = 0.0
        for i in range(len(x)):
            out[q, i] = np.exp((least - out[q, i]) / temperature)
            total += many[i] * out[q, i]
        for i in range(len(x)):
            out[q, i] /= total


@njit(nogil=True, cache=True)
def comparison(x, c, i, y, d, q, limits, radix):
    """Return the comparison vector of point i and record q as one number in mixed radix.

    For numbers the level is how many of the limits of the column hold the difference, for codes 1 if they agree.
    """
    code = 0
    for j in range(len(limits)):
        apart = abs(x[i, j] - y[q, j])
        level = 0
        if np.isnan(apart):
            level = radix[j] - 1 if np.isnan(x[i, j]) and np.isnan(y[q, j]) else 0
        else:
            for h in range(radix[j] - 1):
                if apart <= limits[j, h]:
                    level += 1
        code = code * radix[j] + level
    for j in range(c.shape[1]):
        code = 2 * code + (1 if c[i, j] == d[q, j] else 0)
    return code


@njit(nogil=True, cache=True)
def tally(first, last, x, c, many, y, d, times, limits, radix, size):
    """Count the comparison vectors of the records first..last with all individuals."""
    counts = np.zeros(size, dtype=np.int64)
    for q in range(first, last):
        for i in range(len(x)):
            counts[comparison(x, c, i, y, d, q, limits, radix)] += many[i] * times[q]
    return counts


@njit(nogil=True, cache=True)
def comparisons(first, last, x, c, y, d, limits, radix, rank, out):
    """Write the ranks of the comparison vectors of the records first..last with every point."""
    for q in range(first, last):
        for i in range(len(x)):
            out[q, i] = rank[comparison(x, c, i, y, d, q, limits, radix)]
