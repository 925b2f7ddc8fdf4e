"""Record linkage: distances and comparison vectors between records, without a matrix of all pairs.

x holds the numbers of the points (NaN is missing) and c their codes, a line per column; y and d those of the records, a
row per record. Numbers differ by |x - y| * inverse, codes by 0 or 1, and a missing value is at 1 from every other and
at 0 from itself. The inner loops run over all points, so that they are compiled to vector instructions.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY, isnan
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memset
from cython.cimports.shoal.core._kernels.vectors import (
    add_apart,
    add_different,
    add_missing,
    add_present,
    add_within,
    append_equal,
    count_within,
    find_least,
    multiply,
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def measure(
    x: cython.const[cython.double][:, ::1],
    c: cython.const[int32_t][:, ::1],
    y: cython.const[cython.double][:, ::1],
    d: cython.const[int32_t][:, ::1],
    q: cython.Py_ssize_t,
    inverse: cython.const[cython.double][::1],
    out: cython.p_double,
    n: cython.Py_ssize_t,
) -> cython.void:
    """Write the distances of record q to all n points."""
    j: cython.Py_ssize_t
    memset(out, 0, n * cython.sizeof(cython.double))
    if n == 0:
        return
    for j in range(c.shape[0]):
        add_different(out, cython.address(c[j, 0]), d[q, j], n)
    for j in range(inverse.shape[0]):
        if isnan(y[q, j]):
            add_present(out, cython.address(x[j, 0]), n)
        else:
            add_apart(out, cython.address(x[j, 0]), y[q, j], inverse[j], n)


def distances(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    x: cython.const[cython.double][:, ::1],
    c: cython.const[int32_t][:, ::1],
    y: cython.const[cython.double][:, ::1],
    d: cython.const[int32_t][:, ::1],
    inverse: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write the distances of the records first..last to all points."""
    if out.shape[1] == 0:
        return
    with cython.nogil:
        for q in range(first, last):
            measure(x, c, y, d, q, inverse, cython.address(out[q, 0]), out.shape[1])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def kth_smallest(row: cython.double[::1], many: cython.const[int64_t][::1], best: cython.double[::1]) -> cython.double:
    """Return the k-th smallest distance of an individual, k the length of `best`; `many` stand at each point."""
    k = best.shape[0]
    i: cython.Py_ssize_t
    times: int64_t
    if k == 1:
        return find_least(cython.address(row[0]), row.shape[0])
    for i in range(k):
        best[i] = INFINITY
    for i in range(row.shape[0]):
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


def nearest(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    x: cython.const[cython.double][:, ::1],
    c: cython.const[int32_t][:, ::1],
    many: cython.const[int64_t][::1],
    y: cython.const[cython.double][:, ::1],
    d: cython.const[int32_t][:, ::1],
    inverse: cython.const[cython.double][::1],
    k: cython.Py_ssize_t,
    slack: cython.double,
    counts: int64_t[::1],
):
    """Return the points of the k nearest individuals of the records first..last, and their distances.

    Points beyond the k-th by no more than the share `slack` are among them. `counts` is how many each record has.
    """
    n = many.shape[0]
    row: cython.double[::1] = np.empty(n)
    best: cython.double[::1] = np.empty(k)
    room: cython.Py_ssize_t = 4 * (last - first)
    points: int64_t[::1] = np.empty(room, dtype=np.int64)
    found: cython.double[::1] = np.empty(room)
    size: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for q in range(first, last):
            measure(x, c, y, d, q, inverse, cython.address(row[0]), n)
            bound = kth_smallest(row, many, best) * slack
            count = count_within(cython.address(row[0]), bound, n)
            counts[q] = count
            if size + count > room:
                with cython.gil:
                    room = 2 * (size + count)
                    points = np.concatenate([np.asarray(points)[:size], np.empty(room - size, dtype=np.int64)])
                    found = np.concatenate([np.asarray(found)[:size], np.empty(room - size)])
            i = 0
            while count > 0:
                if row[i] <= bound:
                    points[size] = i
                    found[size] = row[i]
                    size += 1
                    count -= 1
                i += 1
    return np.asarray(points)[:size], np.asarray(found)[:size]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare(
    x: cython.const[cython.double][:, ::1],
    c: cython.const[int32_t][:, ::1],
    y: cython.const[cython.double][:, ::1],
    d: cython.const[int32_t][:, ::1],
    q: cython.Py_ssize_t,
    limits: cython.const[cython.double][:, ::1],
    radix: cython.const[int64_t][::1],
    out: cython.pointer(int32_t),
    n: cython.Py_ssize_t,
) -> cython.void:
    """Write the comparison vectors of record q with all n points, as numbers in mixed radix.

    For numbers the level is how many of the limits of the column hold the difference, for codes 1 if they agree.
    """
    j: cython.Py_ssize_t
    h: int32_t
    memset(out, 0, n * cython.sizeof(int32_t))
    if n == 0:
        return
    for j in range(limits.shape[0]):
        top = cython.cast(int32_t, radix[j])
        multiply(out, top, n)
        if isnan(y[q, j]):
            add_missing(out, cython.address(x[j, 0]), top - 1, n)
        else:
            for h in range(top - 1):
                add_within(out, cython.address(x[j, 0]), y[q, j], limits[j, h], n)
    for j in range(c.shape[0]):
        append_equal(out, cython.address(c[j, 0]), d[q, j], n)


def tally(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    x: cython.const[cython.double][:, ::1],
    c: cython.const[int32_t][:, ::1],
    many: cython.const[int64_t][::1],
    y: cython.const[cython.double][:, ::1],
    d: cython.const[int32_t][:, ::1],
    times: cython.const[int64_t][::1],
    limits: cython.const[cython.double][:, ::1],
    radix: cython.const[int64_t][::1],
    size: cython.Py_ssize_t,
):
    """Count the comparison vectors of the records first..last with all individuals."""
    counts: int64_t[::1] = np.zeros(size, dtype=np.int64)
    row: int32_t[::1] = np.empty(max(1, len(many)), dtype=np.int32)
    n = many.shape[0]
    i: cython.Py_ssize_t
    with cython.nogil:
        for q in range(first, last):
            compare(x, c, y, d, q, limits, radix, cython.address(row[0]), n)
            for i in range(n):
                counts[row[i]] += many[i] * times[q]
    return np.asarray(counts)


def comparisons(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    x: cython.const[cython.double][:, ::1],
    c: cython.const[int32_t][:, ::1],
    y: cython.const[cython.double][:, ::1],
    d: cython.const[int32_t][:, ::1],
    limits: cython.const[cython.double][:, ::1],
    radix: cython.const[int64_t][::1],
    rank: cython.const[int32_t][::1],
    out: int32_t[:, ::1],
):
    """Write the ranks of the comparison vectors of the records first..last with every point."""
    n = out.shape[1]
    i: cython.Py_ssize_t
    if n == 0:
        return
    with cython.nogil:
        for q in range(first, last):
            compare(x, c, y, d, q, limits, radix, cython.address(out[q, 0]), n)
            for i in range(n):
                out[q, i] = rank[out[q, i]]
