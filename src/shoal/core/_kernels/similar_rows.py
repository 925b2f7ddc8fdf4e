"""Similar rows: co-degrees over paths of length two, classes grown around hubs, and distances that none can avoid.

The co-degree of v and u is the number of their common neighbors; rows differ in deg(v) + deg(u) - 2 co-degree entries.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t
from cython.cimports.shoal.core._kernels.sorting import select

from shoal.core._kernels import view_bytes

JACCARD, MANHATTAN, TWO_PATH = 0, 1, 2

C_JACCARD = cython.declare(cython.int, 0)
C_MANHATTAN = cython.declare(cython.int, 1)
C_TWO_PATH = cython.declare(cython.int, 2)


@cython.cclass
class Reach:
    """The vertices at the end of paths of length two from some vertices, and how many such paths lead there."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    shared: int64_t[::1]
    """The number of paths to each vertex; 0 between searches."""
    touched: int64_t[::1]
    """The vertices with a path, in the order in which they were met."""
    far: cython.Py_ssize_t
    """How many vertices have a path."""

    def __init__(self, indptr, indices) -> None:
        n = len(indptr) - 1
        self.indptr, self.indices = indptr, indices
        self.shared, self.touched = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        self.far = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def degree(self, v: int64_t) -> int64_t:
        return self.indptr[v + 1] - self.indptr[v]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk_from(self, v: int64_t) -> cython.void:
        """Add the paths of length two from v."""
        far = self.far
        for i in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[i]
            for e in range(self.indptr[w], self.indptr[w + 1]):
                u = self.indices[e]
                if self.shared[u] == 0:
                    self.touched[far] = u
                    far += 1
                self.shared[u] += 1
        self.far = far

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_neighbors(self, v: int64_t) -> cython.void:
        """Count the neighbors of v as sharing two with it: v and themselves, where each is its own neighbor."""
        for i in range(self.indptr[v], self.indptr[v + 1]):
            u = self.indices[i]
            if self.shared[u] == 0:
                self.touched[self.far] = u
                self.far += 1
            self.shared[u] += 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self) -> cython.void:
        """Forget all paths."""
        for i in range(self.far):
            self.shared[self.touched[i]] = 0
        self.far = 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def alike(kind: cython.int, shared: int64_t, degree: int64_t, size: int64_t, degrees: int64_t) -> cython.double:
    """Return how similar a row is to the rows of a class of `size` with the sum of degrees `degrees`."""
    if kind == C_JACCARD:
        union = cython.cast(cython.double, size * degree + degrees - shared)
        return cython.cast(cython.double, shared) / (union if union > 1.0 else 1.0)
    if kind == C_MANHATTAN:
        return 2.0 * cython.cast(cython.double, shared) - cython.cast(cython.double, size * degree)
    return cython.cast(cython.double, shared)


def grow(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    sensitive,
    order: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    kind: cython.int,
    code: int64_t[::1],
    first: int64_t,
):
    """Give each sensitive vertex a class, hubs first; the code of a free vertex is -1. Return the next class number.

    A vertex that shares a neighbor with too few others stays free. By Manhattan similarity, vertices of low degree
    that share no neighbor count too.
    """
    marked: cython.const[uint8_t][::1] = view_bytes(sensitive)
    reach: Reach = Reach(indptr, indices)
    chosen: int64_t[::1] = np.empty(k, dtype=np.int64)
    lowest: cython.Py_ssize_t = code.shape[0] - 1
    position: cython.Py_ssize_t
    p: cython.Py_ssize_t
    size: cython.Py_ssize_t
    i: cython.Py_ssize_t
    best: int64_t
    most: cython.double
    with cython.nogil:
        for position in range(order.shape[0]):
            v = order[position]
            if code[v] >= 0 or not marked[v]:
                continue
            chosen[0] = v
            size = 1
            degrees = reach.degree(v)
            code[v] = first
            reach.walk_from(v)
            while size < k:
                best, most = -1, -INFINITY
                for i in range(reach.far):
                    u = reach.touched[i]
                    if code[u] < 0:
                        s = alike(kind, reach.shared[u], reach.degree(u), size, degrees)
                        if s > most or (s == most and u < best):
                            best, most = u, s
                if kind == C_MANHATTAN:
                    while lowest >= 0 and code[order[lowest]] >= 0 and code[order[lowest]] < first:
                        lowest -= 1
                    p = lowest
                    while p >= 0 and code[order[p]] >= 0:
                        p -= 1
                    if p >= 0:
                        u = order[p]
                        s = alike(kind, reach.shared[u], reach.degree(u), size, degrees)
                        if s > most:
                            best = u
                if best < 0:
                    break
                chosen[size] = best
                size += 1
                code[best] = first
                degrees += reach.degree(best)
                if size < k:
                    reach.walk_from(best)
            if size < k:
                for i in range(size):
                    code[chosen[i]] = -1
            else:
                first += 1
            reach.clear()
    return first


def most_alike(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lists: int32_t[:, ::1],
):
    """Write for each vertex those whose rows are most similar to its own, by shared neighbors over all neighbors.

    Where fewer share a neighbor with it they are listed again and again, and where none do, it is itself.
    """
    length = lists.shape[1]
    reach: Reach = Reach(indptr, indices)
    score: cython.double[::1] = np.empty(length, dtype=np.float64)
    count: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    with cython.nogil:
        for v in range(first, last):
            reach.walk_from(v)
            degree = reach.degree(v)
            count = 0
            for t in range(reach.far):
                u = reach.touched[t]
                s = alike(C_JACCARD, reach.shared[u], reach.degree(u), 1, degree)
                if u == v or (count == length and s <= score[length - 1]):
                    continue
                count = count + 1 if count < length else length
                i = count - 1
                while i > 0 and score[i - 1] < s:
                    score[i], lists[v, i] = score[i - 1], lists[v, i - 1]
                    i -= 1
                score[i], lists[v, i] = s, cython.cast(int32_t, u)
            reach.clear()
            for i in range(count, length):
                lists[v, i] = lists[v, i - count] if count else cython.cast(int32_t, v)


def least_distances(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    who: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lowest: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    closed: cython.bint,
    total: int64_t[::1],
):
    """Write for each of `who` the sum of the k-1 smallest numbers of entries in which another row differs from its own.

    A vertex u that shares no neighbor with v differs in deg(v) + deg(u) entries, so of these the lowest degrees are
    enough. With `closed` each vertex is its own neighbor, too: linked ones share two more, and all have one more.
    """
    n = indptr.shape[0] - 1
    reach: Reach = Reach(indptr, indices)
    found: int64_t[::1] = np.empty(n + k, dtype=np.int64)
    count: cython.Py_ssize_t
    strangers: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    with cython.nogil:
        for i in range(first, last):
            v = who[i]
            degree = reach.degree(v) + (2 if closed else 0)
            reach.walk_from(v)
            if closed:
                reach.add_neighbors(v)
            count = 0
            for t in range(reach.far):
                u = reach.touched[t]
                if u != v:
                    found[count] = degree + reach.degree(u) - 2 * reach.shared[u]
                    count += 1
            strangers = 0
            for t in range(lowest.shape[0]):
                if strangers == k - 1:
                    break
                u = lowest[t]
                if u != v and reach.shared[u] == 0:
                    found[count] = degree + reach.degree(u)
                    count += 1
                    strangers += 1
            if count > k - 1:
                if k > 1:
                    select(cython.address(found[0]), count, k - 1)
                count = k - 1
            apart: int64_t = 0
            for t in range(count):
                apart += found[t]
            total[i] = apart
            reach.clear()


def radii(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lowest: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    kind: cython.int,
    radius: int64_t[::1],
):
    """Write for v = first..last the k-th largest similarity of a row to that of v, v's own counted."""
    n = indptr.shape[0] - 1
    reach: Reach = Reach(indptr, indices)
    found: int64_t[::1] = np.empty(n + k, dtype=np.int64)
    count: cython.Py_ssize_t
    t: cython.Py_ssize_t
    with cython.nogil:
        for v in range(first, last):
            reach.walk_from(v)
            count = 0
            for t in range(reach.far):
                u = reach.touched[t]
                if u != v:
                    # in the order of select: the largest co-degree or the smallest distance first
                    found[count] = (
                        -reach.shared[u]
                        if kind == C_TWO_PATH
                        else reach.degree(v) + reach.degree(u) - 2 * reach.shared[u]
                    )
                    count += 1
            if kind == C_TWO_PATH:
                radius[v] = kth_largest_codegree(reach.degree(v), found, count, k)
            else:
                radius[v] = n - kth_smallest_distance(reach, v, found, count, lowest, k)
            reach.clear()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def kth_largest_codegree(
    degree: int64_t, negated: int64_t[::1], count: cython.Py_ssize_t, k: cython.Py_ssize_t
) -> int64_t:
    """Return the k-th largest among `degree` (v with itself), the co-degrees and enough zeros."""
    if k == 1:
        return degree
    if count < k - 1:
        return 0
    select(cython.address(negated[0]), count, k - 1)
    return -find_largest(negated, k - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def kth_smallest_distance(
    reach: Reach,
    v: int64_t,
    found: int64_t[::1],
    count: cython.Py_ssize_t,
    lowest: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
) -> int64_t:
    """Return the k-th smallest number of entries in which a row differs from that of v, whose own is 0.

    A vertex u that shares no neighbor with v differs in deg(v) + deg(u) entries, so only the k lowest degrees matter
    among these.
    """
    if k == 1:
        return 0
    most = count + k
    for t in range(lowest.shape[0]):
        if count == most:
            break
        u = lowest[t]
        if u != v and reach.shared[u] == 0:
            found[count] = reach.degree(v) + reach.degree(u)
            count += 1
    select(cython.address(found[0]), count, k - 1)
    return find_largest(found, k - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_largest(values: int64_t[::1], count: cython.Py_ssize_t) -> int64_t:
    """Return the largest of the first values."""
    most = values[0]
    for i in range(1, count):
        most = max(most, values[i])
    return most
