"""The smallest set of neighbors that gives a vertex away (Definition II): fewer than k vertices have all of them.

For v with neighbors N(v), u stays a candidate under S if and only if S misses N(v) without N(u). So the smallest S
meets all of these differences but those of at most k - 1 - f vertices, f of whom have all of N(v).
Most vertices are settled without a search: by a neighbor of degree below k, by two neighbors of low degree, or because
k vertices have all of N(v).

d is the degree of v, W the number of 64-bit words for its neighbors.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.hitting_sets import AT_LEAST, EVERY, EXACT, GAVE_UP, fewest_items
from shoal.kernels.rows import linked

_0, _1 = np.uint64(0), np.uint64(1)


@njit(nogil=True, cache=True)
def by_degree(indptr, indices, v):
    """Return the neighbors of v, those with the lowest degree first."""
    near = indices[indptr[v] : indptr[v + 1]]
    degrees = np.empty(len(near), dtype=np.int64)
    for i in range(len(near)):
        degrees[i] = indptr[near[i] + 1] - indptr[near[i]]
    return near[np.argsort(degrees, kind="mergesort")]


@njit(nogil=True, cache=True)
def thin_out(indptr, indices, near, k, common):
    """Intersect the rows of `near` one after the other until fewer than k vertices are left.

    Returns how many are left, how many rows made a difference, and the last one that did.
    """
    left = 0
    for e in range(indptr[near[0]], indptr[near[0] + 1]):
        common[left] = indices[e]
        left += 1
    steps, last = 1, near[0]
    for i in range(1, len(near)):
        still = 0
        for a in range(left):
            if linked(indptr, indices, common[a], near[i]):
                common[still] = common[a]
                still += 1
        if still < left:
            steps += 1
            last = near[i]
        left = still
        if left < k:
            break
    return left, steps, last


@njit(nogil=True, cache=True)
def who_shares_two(indptr, indices, near, seen, around):
    """List who has at least two of `near`, and number them in `seen`, which holds -1 for everybody else.

    Who has only one of them is told from v by any two neighbors, so as soon as two must be known they do not matter.
    """
    met = 0
    for s in near:
        for e in range(indptr[s], indptr[s + 1]):
            u = indices[e]
            if seen[u] == -1:
                around[met] = u
                met += 1
            seen[u] -= 1
    count = 0
    for a in range(met):
        u = around[a]
        if seen[u] < -2:
            seen[u] = count
            around[count] = u
            count += 1
        else:
            seen[u] = -1
    return count


@njit(nogil=True, cache=True)
def missing(indptr, indices, near, seen, around):
    """Return, for everybody with two of `near`, which of them they lack; those who lack none are counted apart.

    `seen` holds -1 everywhere, before and after.
    """
    d, count = len(near), who_shares_two(indptr, indices, near, seen, around)
    masks = np.full((count, (d + 63) // 64), ~_0, dtype=np.uint64)
    if d % 64:
        masks[:, -1] = (_1 << np.uint64(d % 64)) - _1
    for i in range(d):
        off = ~(_1 << np.uint64(i % 64))
        for e in range(indptr[near[i]], indptr[near[i] + 1]):
            if seen[indices[e]] >= 0:
                masks[seen[indices[e]], i // 64] &= off
    kept = 0
    for r in range(count):
        seen[around[r]] = -1
        if np.any(masks[r]):
            masks[kept] = masks[r]
            kept += 1
    return masks[:kept], count - kept


@njit(nogil=True, cache=True)
def exposing_set(indptr, indices, v, k, most, limit, seen, around, spent, chosen):
    """Return the size of the smallest exposing set of v, what it means, and how many items of `chosen` are set.

    `chosen` holds the neighbors of a smallest set where the size is exact.
    """
    d = indptr[v + 1] - indptr[v]
    if d == 0 or k <= 1:
        return 0, EVERY, 0
    near = by_degree(indptr, indices, v)
    chosen[0] = near[0]
    if indptr[near[0] + 1] - indptr[near[0]] < k:
        return 1, EXACT, 1
    left, steps, last = thin_out(indptr, indices, near, k, around)
    if left >= k:
        return 0, EVERY, 0
    if most < 2:
        return 2, AT_LEAST, 0
    if steps == 2:
        chosen[1] = last
        return 2, EXACT, 2
    masks, full = missing(indptr, indices, near, seen, around)
    weight = np.ones(len(masks), dtype=np.int64)
    q, answer = fewest_items(masks, weight, k - 1 - full, 2, most, limit, spent, chosen)
    if answer == GAVE_UP or q > most:
        return q, AT_LEAST, 0
    while q < 2:  # one would do among those who share two; any other neighbor tells the rest
        chosen[q] = 0 if q == 0 or chosen[0] != 0 else 1
        q += 1
    for i in range(q):
        chosen[i] = near[chosen[i]]
    return q, EXACT, q


@njit(nogil=True, cache=True)
def exposing_sizes(first, last, todo, indptr, indices, k, most, limit, sizes, meaning):
    """Write the sizes of the smallest exposing sets of `todo[first:last]`, and what they mean."""
    n = len(indptr) - 1
    seen = np.full(n, -1, dtype=np.int32)
    around = np.empty(n, dtype=np.int32)
    chosen = np.empty(n + 64, dtype=np.int64)
    spent = np.zeros(1, dtype=np.int64)
    for i in range(first, last):
        spent[0] = 0
        found = exposing_set(indptr, indices, todo[i], k, most, limit, seen, around, spent, chosen)
        sizes[i], meaning[i], _ = found
