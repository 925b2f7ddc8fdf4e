"""The smallest set of relations that gives a vertex away (Definition I, and its located reading).

u stays a candidate of v under the index set S if and only if S misses the columns in which their rows differ. There are
as many rows as vertices, and nearly all of them are irrelevant, so they come in only when needed: a smallest set that
meets the rows at hand is found; who still agrees with v on that set is looked up in the graph; if that is too many,
some of them join the rows and the search goes on. With fewer rows the smallest set can only be smaller, so the first
one that holds in the graph is a smallest one.

Readings: RELATIONS compares whole rows. LOCATED knows where the vertices of S are: v is not in S, and a vertex of S is
no candidate. NEIGHBORS knows some edges at v, with their multiplicities, and nothing of non-neighbors.

t is how many others may be left, k - 2.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

from shoal.kernels.hitting_sets import AT_LEAST, EVERY, EXACT, GAVE_UP, ROWS, fewest_items
from shoal.kernels.words import count_ones

RELATIONS, LOCATED, NEIGHBORS = 0, 1, 2

Csr = namedtuple("Csr", "indptr indices weights")
Work = namedtuple("Work", "near slot columns differ left stamp tag joined kind want")

_1 = np.uint64(1)


@njit(nogil=True, cache=True)
def new_work(n, kind):
    """Return room for one thread: everything is clear before and after a vertex.

    Candidates of v are only looked for among those of the same `kind`.
    """
    return Work(
        np.zeros(n, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n + 1, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        kind,
        np.zeros(1, dtype=np.int64),
    )


@njit(nogil=True, cache=True)
def tie(g, u, x):
    """Return how many edges there are between u and x."""
    low, high = g.indptr[u], g.indptr[u + 1]
    while low < high:
        middle = (low + high) // 2
        if g.indices[middle] < x:
            low = middle + 1
        else:
            high = middle
    if low < g.indptr[u + 1] and g.indices[low] == x:
        return np.int64(g.weights[low]) if len(g.weights) else np.int64(1)
    return np.int64(0)


@njit(nogil=True, cache=True)
def difference(g, v, u, reading, found):
    """List the columns that tell u from v; return their number."""
    a, b, last_a, last_b = g.indptr[v], g.indptr[u], g.indptr[v + 1], g.indptr[u + 1]
    count = 0
    while a < last_a or b < last_b:
        if b == last_b or (a < last_a and g.indices[a] < g.indices[b]):
            x = g.indices[a]
            a += 1
        elif a == last_a or g.indices[b] < g.indices[a]:
            x = g.indices[b]
            b += 1
            if reading == NEIGHBORS:
                continue
        else:
            x = g.indices[a]
            same = len(g.weights) == 0 or g.weights[a] == g.weights[b]
            a += 1
            b += 1
            if same:
                continue
        if reading == LOCATED and x in (v, u):
            continue
        found[count] = x
        count += 1
    if reading == LOCATED:
        found[count] = u
        count += 1
    return count


@njit(nogil=True, cache=True)
def agrees(g, v, u, S, reading, near, base):
    """Tell whether u is left when v is known on S; that u is a neighbor of `base` is known already."""
    for x in S:
        if reading == LOCATED and x == u:
            return False
        if (x != base or len(g.weights)) and tie(g, u, x) != near[x]:
            return False
    return True


@njit(nogil=True, cache=True)
def who_is_left(g, v, S, reading, work):
    """List in `work.left` who agrees with v on S, v left out; return their number. `work.near` holds the row of v."""
    base, n, count = -1, len(g.indptr) - 1, 0
    for x in S:
        if work.near[x] and (base < 0 or g.indptr[x + 1] - g.indptr[x] < g.indptr[base + 1] - g.indptr[base]):
            base = x
    if base >= 0:
        for e in range(g.indptr[base], g.indptr[base + 1]):
            u = g.indices[e]
            if u != v and work.kind[u] == work.want[0] and agrees(g, v, u, S, reading, work.near, base):
                work.left[count] = u
                count += 1
        return count
    work.tag[0] += 1
    for x in S:
        if reading == LOCATED:
            work.stamp[x] = work.tag[0]
        for e in range(g.indptr[x], g.indptr[x + 1]):
            work.stamp[g.indices[e]] = work.tag[0]
    for u in range(n):
        if u != v and work.kind[u] == work.want[0] and work.stamp[u] != work.tag[0]:
            work.left[count] = u
            count += 1
    return count


@njit(nogil=True, cache=True)
def columns_of(g, v, rows, reading, work):
    """Return the columns that tell any of `rows` from v, and for each column which rows it tells, as bits."""
    count = 0
    for u in rows:
        for i in range(difference(g, v, u, reading, work.differ)):
            x = work.differ[i]
            if work.slot[x] < 0:
                work.slot[x] = count
                work.columns[count] = x
                count += 1
    tells = np.zeros((count, (len(rows) + 63) // 64), dtype=np.uint64)
    for r in range(len(rows)):
        for i in range(difference(g, v, rows[r], reading, work.differ)):
            tells[work.slot[work.differ[i]], r // 64] |= _1 << np.uint64(r % 64)
    for c in range(count):
        work.slot[work.columns[c]] = -1
    return work.columns[:count].copy(), tells


@njit(nogil=True, cache=True)
def best_columns(tells):
    """Return the columns that no other column can stand in for: nobody tells the same rows and more."""
    sizes = np.zeros(len(tells), dtype=np.int64)
    for c in range(len(tells)):
        for j in range(tells.shape[1]):
            sizes[c] += count_ones(tells[c, j])
    keep = np.empty(len(tells), dtype=np.int64)
    kept = 0
    for c in np.argsort(-sizes, kind="mergesort"):
        spare = False
        for a in range(kept):
            spare = True
            for j in range(tells.shape[1]):
                if tells[c, j] & ~tells[keep[a], j]:
                    spare = False
                    break
            if spare:
                break
        if not spare:
            keep[kept] = c
            kept += 1
    return keep[:kept]


@njit(nogil=True, cache=True)
def as_rows(tells, keep, count):
    """Turn columns into rows: which of the kept columns tell each row; rows that none tells are counted apart."""
    masks = np.zeros((count, max(1, (len(keep) + 63) // 64)), dtype=np.uint64)
    for a in range(len(keep)):
        for r in range(count):
            if (tells[keep[a], r // 64] >> np.uint64(r % 64)) & _1:
                masks[r, a // 64] |= _1 << np.uint64(a % 64)
    kept = 0
    for r in range(count):
        if np.any(masks[r]):
            masks[kept] = masks[r]
            kept += 1
    return masks[:kept], count - kept


@njit(nogil=True, cache=True)
def join(g, v, left, wanted, token, reading, work, rows, count):
    """Let those of `left` who differ least from v join the rows; return how many rows, and how many never differ."""
    sizes = np.empty(len(left), dtype=np.int64)
    never = 0
    for i in range(len(left)):
        sizes[i] = difference(g, v, left[i], reading, work.differ)
        never += sizes[i] == 0
    for i in np.argsort(sizes, kind="mergesort"):
        if wanted == 0 or count == len(rows):
            break
        if work.joined[left[i]] != token:
            work.joined[left[i]] = token
            rows[count] = left[i]
            count += 1
            wanted -= 1
    return count, never


@njit(nogil=True, cache=True)
def smallest_set(g, v, k, reading, most, limit, work, spent, chosen):
    """Return the size of the smallest exposing set of v and what it means; `work.near` holds the row of v."""
    t, q, size = k - 2, 1, 0
    work.tag[0] += 1
    token = work.tag[0]
    rows, count = np.empty(max(ROWS, 4 * k), dtype=np.int64), 0
    for e in range(g.indptr[v], g.indptr[v + 1]):  # begin with those who share the neighbor of lowest degree
        x = g.indices[e]
        if size == 0 or g.indptr[x + 1] - g.indptr[x] < g.indptr[chosen[0] + 1] - g.indptr[chosen[0]]:
            chosen[0] = x
            size = 1
    while True:
        left = who_is_left(g, v, chosen[:size], reading, work)
        if left <= t and count > 0:
            return size, EXACT
        if count == len(rows):
            return max(q, 1), AT_LEAST  # k <= n, so the empty set never exposes
        count, never = join(g, v, work.left[:left].copy(), max(t + 1, 16), token, reading, work, rows, count)
        if never > t:
            return 0, EVERY
        if count == 0:  # one neighbor leaves nobody else
            return size, EXACT
        columns, tells = columns_of(g, v, rows[:count], reading, work)
        keep = best_columns(tells)
        masks, lost = as_rows(tells, keep, count)
        weight = np.ones(len(masks), dtype=np.int64)
        q, answer = fewest_items(masks, weight, t - lost, q, most, limit, spent, chosen)
        if answer == GAVE_UP or q > most:
            return max(q, 1), AT_LEAST
        size = q
        for i in range(size):
            chosen[i] = columns[keep[chosen[i]]]


@njit(nogil=True, cache=True)
def recall(g, v, work):
    """Write the row of v into `work.near`."""
    work.want[0] = work.kind[v]
    for e in range(g.indptr[v], g.indptr[v + 1]):
        work.near[g.indices[e]] = g.weights[e] if len(g.weights) else 1


@njit(nogil=True, cache=True)
def forget(g, v, work):
    """Clear the row of v."""
    for e in range(g.indptr[v], g.indptr[v + 1]):
        work.near[g.indices[e]] = 0


@njit(nogil=True, cache=True)
def exposing_set(g, v, k, reading, most, limit, work, spent, chosen):
    """Return the size of the smallest exposing set of v, what it means, and how many columns of `chosen` are set."""
    if k <= 1:
        return 0, EVERY, 0
    recall(g, v, work)
    size, meaning = smallest_set(g, v, k, reading, most, limit, work, spent, chosen)
    forget(g, v, work)
    return size, meaning, size if meaning == EXACT else 0


@njit(nogil=True, cache=True)
def exposing_sizes(first, last, todo, g, k, reading, most, limit, sizes, meaning):
    """Write the sizes of the smallest exposing sets of `todo[first:last]`, and what they mean."""
    n = len(g.indptr) - 1
    work = new_work(n, np.zeros(n, dtype=np.int64))
    chosen = np.empty(n + 64, dtype=np.int64)
    spent = np.zeros(1, dtype=np.int64)
    for i in range(first, last):
        spent[0] = 0
        sizes[i], meaning[i], _ = exposing_set(g, todo[i], k, reading, most, limit, work, spent, chosen)
