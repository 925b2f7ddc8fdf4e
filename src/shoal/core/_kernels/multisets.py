"""Which rows are equal as multisets? Proposed by hash, decided by counting.

A row v holds the items `items[indptr[v]:indptr[v + 1]]`, each as often as its weight says (an empty weight array
stands for ones). Rows whose `start` differs are never equal.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import mix, mix_again

from shoal.core._kernels import view_bytes

Item = cython.fused_type(int32_t, int64_t)


def hash_rows(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    items: cython.const[Item][::1],
    weights: cython.const[int32_t][::1],
    mask: uint64_t,
    low: uint64_t[::1],
    high: uint64_t[::1],
):
    """Hash the rows `rows[first:last]` into `low` and `high`, indexed like `rows`."""
    weighted: cython.bint = len(weights) > 0
    with cython.nogil:
        for i in range(first, last):
            v = rows[i]
            a: uint64_t = 0
            b: uint64_t = 0
            for e in range(indptr[v], indptr[v + 1]):
                x = cython.cast(uint64_t, items[e])
                if weighted:
                    a += mix(x) * cython.cast(uint64_t, weights[e])
                    b += mix_again(x + 1) * cython.cast(uint64_t, weights[e])
                else:
                    a += mix(x)
                    b += mix_again(x + 1)
            low[i] = a & mask
            high[i] = b & mask


def propose(
    start: cython.const[int64_t][::1],
    low: cython.const[uint64_t][::1],
    high: cython.const[uint64_t][::1],
):
    """Number the distinct triples (start, low, high) by first appearance, with an open hash table.

    Returns the number of each triple, and where each of them first occurs.
    """
    n = start.shape[0]
    size: int64_t = 16
    while size < 2 * n:
        size *= 2
    slots: int64_t[::1] = np.full(size, -1, dtype=np.int64)
    codes: int64_t[::1] = np.empty(n, dtype=np.int64)
    leaders: int64_t[::1] = np.empty(n, dtype=np.int64)
    found: int64_t = 0
    with cython.nogil:
        for i in range(n):
            at = cython.cast(
                int64_t,
                mix(low[i] ^ mix(cython.cast(uint64_t, start[i]) ^ high[i])) & cython.cast(uint64_t, size - 1),
            )
            while True:
                j = slots[at]
                if j < 0:
                    slots[at] = i
                    leaders[found] = i
                    codes[i] = found
                    found += 1
                    break
                if start[j] == start[i] and low[j] == low[i] and high[j] == high[i]:
                    codes[i] = codes[j]
                    break
                at = (at + 1) & (size - 1)
    return np.asarray(codes), np.asarray(leaders)[:found]


def list_members(codes: cython.const[int64_t][::1]):
    """List the positions class by class, ascending within a class, with the bounds of each class.

    Codes are 0, 1, ...; what is below 0 is refused.
    """
    n = codes.shape[0]
    classes: int64_t = 0
    with cython.nogil:
        for i in range(n):
            if codes[i] < 0:
                classes = -1
                break
            classes = max(classes, codes[i] + 1)
    if classes < 0:
        raise ValueError("codes of classes must not be negative")
    bounds: int64_t[::1] = np.zeros(classes + 1, dtype=np.int64)
    members: int64_t[::1] = np.empty(n, dtype=np.int64)
    at: int64_t[::1] = np.empty(classes, dtype=np.int64)
    with cython.nogil:
        for i in range(n):
            bounds[codes[i] + 1] += 1
        for c in range(classes):
            at[c] = bounds[c]
            bounds[c + 1] += bounds[c]
        for i in range(n):
            members[at[codes[i]]] = i
            at[codes[i]] += 1
    return np.asarray(members), np.asarray(bounds)


def contradicted(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    members: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    items: cython.const[Item][::1],
    weights: cython.const[int32_t][::1],
    tally: int64_t[::1],
    wrong,
):
    """Mark in `wrong` the members of the proposed classes first..last that differ from the first member of their class.

    Class c holds the positions `members[bounds[c]:bounds[c + 1]]` of `rows`; `tally` is zero, one cell per item.
    """
    marks: uint8_t[::1] = view_bytes(wrong)
    weighted: cython.bint = len(weights) > 0
    with cython.nogil:
        for c in range(first, last):
            if bounds[c + 1] - bounds[c] < 2:
                continue
            leader = rows[members[bounds[c]]]
            for e in range(indptr[leader], indptr[leader + 1]):
                tally[items[e]] += weights[e] if weighted else 1
            for i in range(bounds[c] + 1, bounds[c + 1]):
                v = rows[members[i]]
                for e in range(indptr[v], indptr[v + 1]):
                    tally[items[e]] -= weights[e] if weighted else 1
                same: cython.bint = True
                for e in range(indptr[v], indptr[v + 1]):
                    same = same and tally[items[e]] == 0
                for e in range(indptr[leader], indptr[leader + 1]):
                    same = same and tally[items[e]] == 0
                marks[members[i]] = not same
                for e in range(indptr[v], indptr[v + 1]):
                    tally[items[e]] += weights[e] if weighted else 1
            for e in range(indptr[leader], indptr[leader + 1]):
                tally[items[e]] = 0
