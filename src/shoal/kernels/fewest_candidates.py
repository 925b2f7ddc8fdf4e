"""Fewest candidates that l known facts leave: inside one graph, and of an original in a release."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.hitting_sets import AT_LEAST, EXACT
from shoal.kernels.relation_sets import (
    LOCATED,
    NEIGHBORS,
    difference,
    forget,
    new_work,
    recall,
    smallest_set,
    tie,
    who_is_left,
)

# How few candidates can l known relations leave? A greedy choice first, then better ones until none is left.
#
# Size c is beaten if and only if at most l columns leave fewer than c candidates: an exposing set for k = c. Each one
# found sets a new c, and the last search proves that there is none.


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


# The fewest candidates, but at least one, that l facts of an original leave in a release.
#
# The facts may contradict the release, so sets that leave nobody do not count, and more facts need not be better: every
# set is looked at, column by column, until one leaves a single candidate.
#
# `near[x]` is how many edges the original has between v and the vertex that is x in the release; -1 where x is nobody.


@njit(nogil=True, cache=True)
def weight_at(g, e):
    """Return the multiplicity of entry e."""
    return np.int64(g.weights[e]) if len(g.weights) else np.int64(1)


@njit(nogil=True, cache=True)
def count_everybody(g, near, items, reading, agree):
    """Write for each item how many of all vertices agree with it."""
    for i in range(len(items)):
        x = items[i]
        same = 0
        for e in range(g.indptr[x], g.indptr[x + 1]):
            same += near[x] == 0 or weight_at(g, e) == near[x]
        agree[i] = same if near[x] > 0 else len(g.indptr) - 1 - same - (reading == LOCATED)


@njit(nogil=True, cache=True)
def count_left(g, near, items, left, reading, agree, touched):
    """Write for each item how many of `left` agree with it. `touched`, a cell per vertex, is zero before and after."""
    for u in left:
        for e in range(g.indptr[u], g.indptr[u + 1]):
            x = g.indices[e]
            touched[x] += near[x] == 0 or weight_at(g, e) == near[x]
    for i in range(len(items)):
        agree[i] = touched[items[i]] if near[items[i]] > 0 else len(left) - touched[items[i]]
    if reading == LOCATED:
        # a known vertex is no candidate; it has no link to itself, so it counts above only where no link is known
        for u in left:
            touched[u] = -1
        for i in range(len(items)):
            agree[i] -= touched[items[i]] == -1 and near[items[i]] == 0
    for u in left:
        touched[u] = 0
        for e in range(g.indptr[u], g.indptr[u + 1]):
            touched[g.indices[e]] = 0


@njit(nogil=True, cache=True)
def keep_agreeing(g, near, x, left, reading, kept):
    """Write who of `left` agrees on x; return their number."""
    count = 0
    for u in left:
        if (reading != LOCATED or u != x) and tie(g, u, x) == near[x]:
            kept[count] = u
            count += 1
    return count


@njit(nogil=True, cache=True)
def fewest_in_release(g, near, items, everybody, l, reading, limit, touched, best):
    """Return the smallest number above 0 of vertices that agree on at most l items, whether that is proved, and |best|.

    Depth h of the search has chosen h items; `at[h]` is the next item to try there. At depth 0 everybody is left,
    and is not copied for every vertex.
    """
    left = np.empty((l - 1, len(everybody)), dtype=np.int64)  # row h - 1: who is left at depth h
    count = np.zeros(l, dtype=np.int64)
    agree = np.empty((l, len(items)), dtype=np.int64)
    at = np.zeros(l, dtype=np.int64)
    count[0] = len(everybody)
    fewest, size, spent, h = len(everybody), 0, 0, 0
    count_everybody(g, near, items, reading, agree[0])
    while h >= 0:
        i = at[h]
        if i == len(items) or fewest <= 1:
            h -= 1
            continue
        at[h] += 1
        spent += 1
        if spent > limit:
            return fewest, False, size
        if 0 < agree[h, i] < fewest:
            fewest = agree[h, i]
            size = h + 1
            for j in range(size):
                best[j] = items[at[j] - 1]
        if h + 1 < l and 1 < agree[h, i] < count[h]:
            before = everybody if h == 0 else left[h - 1, : count[h]]
            count[h + 1] = keep_agreeing(g, near, items[i], before, reading, left[h])
            at[h + 1] = i + 1
            h += 1
            count_left(g, near, items, left[h - 1, : count[h]], reading, agree[h], touched)
    return fewest, True, size


@njit(nogil=True, cache=True)
def items_of(near, row, own, reading):
    """Return the columns that may be known: neighbors only, or all that can be compared; v itself is not located."""
    if reading == NEIGHBORS:
        return row
    found = np.empty(len(near), dtype=np.int64)
    count = 0
    for x in range(len(near)):
        if near[x] >= 0 and not (reading == LOCATED and x == own):
            found[count] = x
            count += 1
    return found[:count]


@njit(nogil=True, cache=True)
def attack(first, last, todo, known, own, blank, g, l, reading, limit, sizes, proved, best, lengths):
    """Write the fewest candidates of `todo[first:last]`, whose rows in ids of the release are `known`.

    `blank[x]` is 0 where x is somebody's counterpart, -1 elsewhere. Row i of `best` takes the columns for `todo[i]`, if
    it has rows.
    """
    n = len(g.indptr) - 1
    near, everybody, touched = blank.copy(), np.arange(n), np.zeros(n, dtype=np.int64)
    chosen = np.empty(l, dtype=np.int64)
    for a in range(first, last):
        v = todo[a]
        row = known.indices[known.indptr[v] : known.indptr[v + 1]].astype(np.int64)
        for i in range(len(row)):
            near[row[i]] = weight_at(known, known.indptr[v] + i)
        items = items_of(near, row, own[v], reading)
        sizes[a], proved[a], size = fewest_in_release(g, near, items, everybody, l, reading, limit, touched, chosen)
        if len(best):
            best[a, :size] = chosen[:size]
            lengths[a] = size
        for x in row:
            near[x] = blank[x]
