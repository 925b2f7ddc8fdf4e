"""Similar rows: co-degrees over paths of length two, classes grown around hubs, and distances that none can avoid.

The co-degree of v and u is the number of their common neighbors; rows differ in deg(v) + deg(u) - 2 co-degree entries.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.rows import reach

JACCARD, MANHATTAN, TWO_PATH = 0, 1, 2


@njit(nogil=True, cache=True)
def alike(kind, shared, degree, size, degrees):
    """Return how similar a row is to the rows of a class of `size` with the sum of degrees `degrees`."""
    if kind == JACCARD:
        return shared / max(1.0, float(size * degree + degrees - shared))
    if kind == MANHATTAN:
        return 2.0 * shared - float(size * degree)
    return float(shared)


@njit(nogil=True, cache=True)
def grow(indptr, indices, sensitive, order, k, kind, code, first):
    """Give each sensitive vertex a class, hubs first; code is -1 for who is free. Return the number of the next class.

    Who finds too few that share a neighbor stays free. By Manhattan similarity strangers of low degree count too.
    """
    n = len(code)
    shared = np.zeros(n, dtype=np.int64)
    touched, chosen = np.empty(n, dtype=np.int64), np.empty(k, dtype=np.int64)
    lowest = n - 1
    for v in order:
        if code[v] >= 0 or not sensitive[v]:
            continue
        chosen[0], size, degrees = v, 1, indptr[v + 1] - indptr[v]
        code[v] = first
        far = reach(indices[indptr[v] : indptr[v + 1]], indptr, indices, shared, touched, 0)
        while size < k:
            best, most = -1, -np.inf
            for i in range(far):
                u = touched[i]
                if code[u] < 0:
                    s = alike(kind, shared[u], indptr[u + 1] - indptr[u], size, degrees)
                    if s > most or (s == most and u < best):
                        best, most = u, s
            if kind == MANHATTAN:
                while lowest >= 0 and code[order[lowest]] >= 0 and code[order[lowest]] < first:
                    lowest -= 1
                p = lowest
                while p >= 0 and code[order[p]] >= 0:
                    p -= 1
                if p >= 0:
                    u = order[p]
                    s = alike(kind, shared[u], indptr[u + 1] - indptr[u], size, degrees)
                    if s > most:
                        best = u
            if best < 0:
                break
            chosen[size] = best
            size += 1
            code[best] = first
            degrees += indptr[best + 1] - indptr[best]
            if size < k:
                far = reach(indices[indptr[best] : indptr[best + 1]], indptr, indices, shared, touched, far)
        if size < k:
            code[chosen[:size]] = -1
        else:
            first += 1
        for i in range(far):
            shared[touched[i]] = 0
    return first


@njit(nogil=True, cache=True)
def most_alike(first, last, indptr, indices, lists):
    """Write for each vertex those whose rows are most similar to its own, by shared neighbors over all neighbors.

    Where fewer share a neighbor with it they are listed again and again, and where none do, it is itself.
    """
    n, length = len(indptr) - 1, lists.shape[1]
    shared, touched = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    score = np.empty(length, dtype=np.float64)
    for v in range(first, last):
        far = reach(indices[indptr[v] : indptr[v + 1]], indptr, indices, shared, touched, 0)
        degree, count = indptr[v + 1] - indptr[v], 0
        for t in range(far):
            u = touched[t]
            s = alike(JACCARD, shared[u], indptr[u + 1] - indptr[u], 1, degree)
            shared[u] = 0
            if u == v or (count == length and s <= score[length - 1]):
                continue
            count = min(count + 1, length)
            i = count - 1
            while i > 0 and score[i - 1] < s:
                score[i], lists[v, i] = score[i - 1], lists[v, i - 1]
                i -= 1
            score[i], lists[v, i] = s, u
        for i in range(count, length):
            lists[v, i] = lists[v, i - count] if count else v


@njit(nogil=True, cache=True)
def least_distances(first, last, who, indptr, indices, lowest, k, closed, total):
    """Write for each of `who` the sum of the k-1 smallest numbers of entries in which another row differs from its own.

    Who shares no neighbor with v differs in deg(v) + deg(u) entries, so of them the lowest degrees are enough. With
    `closed` each vertex is its own neighbor, too: linked ones share two more, and all have one more.
    """
    n, own = len(indptr) - 1, 2 if closed else 0
    shared = np.zeros(n, dtype=np.int64)
    touched, found = np.empty(n, dtype=np.int64), np.empty(n + k, dtype=np.int64)
    for i in range(first, last):
        v = who[i]
        degree = indptr[v + 1] - indptr[v] + own
        far = reach(indices[indptr[v] : indptr[v + 1]], indptr, indices, shared, touched, 0)
        for e in range(indptr[v], indptr[v + 1] if closed else indptr[v]):
            if shared[indices[e]] == 0:
                touched[far] = indices[e]
                far += 1
            shared[indices[e]] += 2
        count = 0
        for t in range(far):
            u = touched[t]
            if u != v:
                found[count] = degree + indptr[u + 1] - indptr[u] - 2 * shared[u]
                count += 1
        strangers = 0
        for u in lowest:
            if strangers == k - 1:
                break
            if u != v and shared[u] == 0:
                found[count] = degree + indptr[u + 1] - indptr[u]
                count += 1
                strangers += 1
        if count > k - 1:
            total[i] = np.partition(found[:count], k - 2)[: k - 1].sum()
        else:
            total[i] = found[:count].sum()
        for t in range(far):
            shared[touched[t]] = 0


@njit(nogil=True, cache=True)
def kth_largest_codegree(degree, codegrees, k):
    """Return the k-th largest among `degree` (v with itself), `codegrees` and enough zeros."""
    if k == 1:
        return degree
    if len(codegrees) < k - 1:
        return np.int64(0)
    return -np.partition(-codegrees, k - 2)[k - 2]


@njit(nogil=True, cache=True)
def kth_smallest_distance(degrees, v, touched, codegrees, lowest, shared, k):
    """Return the k-th smallest number of entries in which a row differs from that of v, whose own is 0.

    Who shares no neighbor with v differs in deg(v) + deg(u) entries, so only the k lowest degrees matter among them.
    """
    if k == 1:
        return np.int64(0)
    found = np.empty(len(touched) + k, dtype=np.int64)
    for i in range(len(touched)):
        found[i] = degrees[v] + degrees[touched[i]] - 2 * codegrees[i]
    count = len(touched)
    for u in lowest:
        if count == len(touched) + k:
            break
        if u != v and shared[u] == 0:
            found[count] = degrees[v] + degrees[u]
            count += 1
    return np.partition(found[:count], k - 2)[k - 2]


@njit(nogil=True, cache=True)
def radii(first, last, indptr, indices, lowest, k, kind, radius):
    """Write for v = first..last the k-th largest similarity of a row to that of v, v's own counted."""
    n = len(indptr) - 1
    shared = np.zeros(n, dtype=np.int64)
    touched = np.empty(n, dtype=np.int64)
    codegrees = np.empty(n, dtype=np.int64)
    degrees = np.diff(indptr)
    for v in range(first, last):
        met, far = reach(indices[indptr[v] : indptr[v + 1]], indptr, indices, shared, touched, 0), 0
        shared[v] = 0
        for i in range(met):
            if touched[i] != v:
                touched[far] = touched[i]
                codegrees[far] = shared[touched[i]]
                far += 1
        if kind == TWO_PATH:
            radius[v] = kth_largest_codegree(degrees[v], codegrees[:far], k)
        else:
            radius[v] = n - kth_smallest_distance(degrees, v, touched[:far], codegrees[:far], lowest, shared, k)
        for i in range(far):
            shared[touched[i]] = 0
