"""How few candidates can l known relations leave? A greedy choice first, then better ones until none is left.

Size c is beaten if and only if at most l columns leave fewer than c candidates: an exposing set for k = c. Each one
found sets a new c, and the last search proves that there is none.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.neighbor_sets import AT_LEAST, EXACT
from shoal.kernels.relation_sets import difference, forget, new_work, recall, smallest_set, who_is_left


@njit(nogil=True, cache=True)
def greedy_columns(g, v, l, reading, work, chosen):
    """Choose up to l columns, each the best after those before; return how many, and how many others are left.

    The first is the neighbor of lowest degree; after that whoever tells the most of those who are left.
    """
    size = 0
    for e in range(g.indptr[v], g.indptr[v + 1]):
        x = g.indices[e]
        if size == 0 or g.indptr[x + 1] - g.indptr[x] < g.indptr[chosen[0] + 1] - g.indptr[chosen[0]]:
            chosen[0] = x
            size = 1
    left = who_is_left(g, v, chosen[:size], reading, work)
    while size < l and left > 0:
        best = best_next(g, v, work.left[:left], reading, work)
        if best < 0:
            break
        chosen[size] = best
        size += 1
        left = who_is_left(g, v, chosen[:size], reading, work)
    return size, left


@njit(nogil=True, cache=True)
def best_next(g, v, left, reading, work):
    """Return the column that tells the most of `left` from v, -1 if none tells any."""
    from_v = work.differ
    touched = 0
    best = -1
    for u in left:
        for i in range(difference(g, v, u, reading, from_v)):
            x = from_v[i]
            if work.slot[x] < 0:
                work.slot[x] = 0
                work.columns[touched] = x
                touched += 1
            work.slot[x] += 1
            if best < 0 or work.slot[x] > work.slot[best]:
                best = x
    for i in range(touched):
        work.slot[work.columns[i]] = -1
    return best


@njit(nogil=True, cache=True)
def fewest_candidates(g, v, l, reading, limit, work, spent, chosen, best):
    """Return how few candidates, v included, l columns leave, whether that is proved, and how many are in `best`."""
    recall(g, v, work)
    size, others = greedy_columns(g, v, l, reading, work, chosen)
    best[:size] = chosen[:size]
    proved = others == 0
    while not proved:
        q, meaning = smallest_set(g, v, others + 1, reading, l, limit, work, spent, chosen)
        if meaning != EXACT:
            proved = meaning != AT_LEAST or q > l
            break
        size = q
        best[:size] = chosen[:size]
        others = who_is_left(g, v, best[:size], reading, work)
        proved = others == 0
    forget(g, v, work)
    return others + 1, proved, size


@njit(nogil=True, cache=True)
def all_fewest(first, last, todo, g, kind, l, reading, limit, sizes, proved):
    """Write how few candidates l columns leave to each of `todo[first:last]`, and whether that is proved."""
    n = len(g.indptr) - 1
    work = new_work(n, kind)
    chosen = np.empty(n + 64, dtype=np.int64)
    best = np.empty(n + 64, dtype=np.int64)
    spent = np.zeros(1, dtype=np.int64)
    for i in range(first, last):
        spent[0] = 0
        sizes[i], proved[i], _ = fewest_candidates(g, todo[i], l, reading, limit, work, spent, chosen, best)
