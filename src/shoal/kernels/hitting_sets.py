"""Smallest partial hitting sets: the fewest items that meet all rows but some of weight at most `slack`.

Rows are bit sets over items, W words of 64 bits each. What survives a set of items are the rows that it does not meet.
Rows and items are reduced first, a greedy choice bounds the answer from above and disjoint rows from below; in between
a depth-first search branches on the row with the fewest items: one of them is taken, or the row survives.

q is a number of items, t the slack, R the number of rows.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

from shoal.kernels.words import count_ones

NO, YES, GAVE_UP = 0, 1, 2

# numba reads plain named tuples; the fields are arrays with one row per depth of the search, or scratch space
Stack = namedtuple("Stack", "alive count allowed slack budget branch branches at chosen")
Scratch = namedtuple("Scratch", "sizes weights used hits top")

_0, _1 = np.uint64(0), np.uint64(1)


@njit(nogil=True, cache=True)
def sizes_of(masks, allowed, rows, sizes):
    """Write how many allowed items each of `rows` has."""
    for a in range(len(rows)):
        c = 0
        for j in range(masks.shape[1]):
            c += count_ones(masks[rows[a], j] & allowed[j])
        sizes[a] = c


@njit(nogil=True, cache=True)
def inside(masks, w, r):
    """Tell whether row w is a subset of row r."""
    for j in range(masks.shape[1]):  # noqa: SIM110 - compiled: a loop is what is meant
        if masks[w, j] & ~masks[r, j]:
            return False
    return True


@njit(nogil=True, cache=True)
def reduce_rows(masks, weight, t):
    """Return the rows that matter; equal rows are merged into one and their weights added.

    If row r survives, so does every row inside it. So r may be left out where rows of weight above t are inside it:
    if at most t of the kept rows survive, r does not.
    """
    everything = np.full(masks.shape[1], ~_0, dtype=np.uint64)
    sizes = np.empty(len(masks), dtype=np.int64)
    sizes_of(masks, everything, np.arange(len(masks)), sizes)
    keep = np.empty(len(masks), dtype=np.int64)
    kept = 0
    for r in np.argsort(sizes, kind="mergesort"):
        heavier = 0
        equal = -1
        for a in range(kept):
            if inside(masks, keep[a], r):
                if sizes[keep[a]] == sizes[r]:
                    equal = keep[a]
                    break
                heavier += weight[keep[a]]
                if heavier > t:
                    break
        if equal >= 0:
            weight[equal] += weight[r]
        elif heavier <= t:
            keep[kept] = r
            kept += 1
    return keep[:kept]


@njit(nogil=True, cache=True)
def packing_bound(masks, weight, rows, allowed, t, scratch):
    """Return how many items are needed at least: rows without a common item need one each, but for those that may stay.

    `scratch.sizes` holds the number of allowed items of each of `rows`.
    """
    width = masks.shape[1]
    scratch.used[:] = _0
    found = 0
    for a in np.argsort(scratch.sizes[: len(rows)], kind="mergesort"):
        r = rows[a]
        free = True
        for j in range(width):
            if masks[r, j] & allowed[j] & scratch.used[j]:
                free = False
                break
        if free:
            for j in range(width):
                scratch.used[j] |= masks[r, j] & allowed[j]
            scratch.weights[found] = weight[r]
            found += 1
    if t == 0:
        return found
    scratch.weights[:found].sort()
    stay = 0
    while stay < found and scratch.weights[stay] <= t:
        t -= scratch.weights[stay]
        stay += 1
    return found - stay


@njit(nogil=True, cache=True)
def count_hits(masks, weight, rows, allowed, hits):
    """Write for each allowed item the weight of the rows that it meets."""
    hits[:] = 0
    for a in range(len(rows)):
        r = rows[a]
        for j in range(masks.shape[1]):
            x = masks[r, j] & allowed[j]
            while x:
                lowest = x & (~x + _1)
                hits[j * 64 + count_ones(lowest - _1)] += weight[r]
                x ^= lowest


@njit(nogil=True, cache=True)
def has(masks, r, item):
    """Tell whether row r holds the item."""
    return (masks[r, item // 64] >> np.uint64(item % 64)) & _1 != _0


@njit(nogil=True, cache=True)
def greedy(masks, weight, rows, t, chosen):
    """Take the item that meets the most until at most t survives; return how many were taken, -1 if that cannot be."""
    alive = rows.copy()
    everything = np.full(masks.shape[1], ~_0, dtype=np.uint64)
    hits = np.empty(64 * masks.shape[1], dtype=np.int64)
    taken = 0
    while True:
        total = 0
        for r in alive:
            total += weight[r]
        if total <= t:
            return taken
        count_hits(masks, weight, alive, everything, hits)
        best = np.argmax(hits)
        if hits[best] == 0:
            return -1
        chosen[taken] = best
        taken += 1
        left = 0
        for r in alive:
            if not has(masks, r, best):
                alive[left] = r
                left += 1
        alive = alive[:left]


@njit(nogil=True, cache=True)
def new_stack(masks, rows, t, q):
    """Return room for a search and its first node."""
    depth, width, count = q + t + 3, masks.shape[1], len(rows)
    stack = Stack(
        np.empty((depth, count), dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
        np.full((depth, width), ~_0, dtype=np.uint64),
        np.zeros(depth, dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
        np.empty((depth, 64 * width + 1), dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
        np.full(depth, -1, dtype=np.int64),
    )
    stack.alive[0] = rows
    stack.count[0] = count
    stack.slack[0] = t
    stack.budget[0] = q
    return stack


@njit(nogil=True, cache=True)
def new_scratch(count, width):
    """Return scratch space for `count` rows of `width` words."""
    return Scratch(
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
        np.empty(width, dtype=np.uint64),
        np.empty(64 * width, dtype=np.int64),
        np.empty(64 * width, dtype=np.int64),
    )


@njit(nogil=True, cache=True)
def settle(masks, weight, stack, h, scratch):
    """Write off rows without an allowed item; return the weight still alive and where the smallest row is."""
    left, total, smallest = 0, 0, -1
    for a in range(stack.count[h]):
        r = stack.alive[h, a]
        c = 0
        for j in range(masks.shape[1]):
            c += count_ones(masks[r, j] & stack.allowed[h, j])
        if c == 0:
            stack.slack[h] -= weight[r]
            continue
        stack.alive[h, left] = r
        scratch.sizes[left] = c
        total += weight[r]
        if smallest < 0 or c < scratch.sizes[smallest]:
            smallest = left
        left += 1
    stack.count[h] = left
    return total, smallest


@njit(nogil=True, cache=True)
def hopeless(masks, weight, stack, h, total, scratch):
    """Tell whether the items that are left to take cannot meet enough."""
    rows, allowed, q = stack.alive[h, : stack.count[h]], stack.allowed[h], stack.budget[h]
    scratch.top[:] = scratch.hits
    scratch.top.sort()
    reach = 0
    for i in range(min(q, len(scratch.top))):
        reach += scratch.top[len(scratch.top) - 1 - i]
    if reach < total - stack.slack[h]:
        return True
    return packing_bound(masks, weight, rows, allowed, stack.slack[h], scratch) > q


@njit(nogil=True, cache=True)
def list_branches(masks, weight, stack, h, smallest, hits):
    """List the items of the smallest row, the most useful first; -1 at the end stands for letting the row survive."""
    r = stack.alive[h, smallest]
    found = 0
    for j in range(masks.shape[1]):
        x = masks[r, j] & stack.allowed[h, j]
        while x:
            lowest = x & (~x + _1)
            item = j * 64 + count_ones(lowest - _1)
            at = found
            while at > 0 and hits[stack.branch[h, at - 1]] < hits[item]:
                stack.branch[h, at] = stack.branch[h, at - 1]
                at -= 1
            stack.branch[h, at] = item
            found += 1
            x ^= lowest
    if weight[r] <= stack.slack[h]:
        stack.branch[h, found] = -1
        found += 1
    stack.branches[h] = found
    stack.at[h] = 0


@njit(nogil=True, cache=True)
def descend(masks, stack, h):
    """Fill depth h + 1 with the next branch of h: what earlier branches took is not allowed any more."""
    i = stack.at[h]
    stack.at[h] = i + 1
    if i > 0:
        before = stack.branch[h, i - 1]
        stack.allowed[h, before // 64] &= ~(_1 << np.uint64(before % 64))
    item = stack.branch[h, i]
    stack.allowed[h + 1] = stack.allowed[h]
    stack.slack[h + 1] = stack.slack[h]
    stack.chosen[h + 1] = item
    left = 0
    for a in range(stack.count[h]):
        r = stack.alive[h, a]
        if item < 0 or not has(masks, r, item):
            stack.alive[h + 1, left] = r
            left += 1
    stack.count[h + 1] = left
    stack.budget[h + 1] = stack.budget[h]
    if item >= 0:
        stack.budget[h + 1] -= 1
        stack.allowed[h + 1, item // 64] &= ~(_1 << np.uint64(item % 64))


@njit(nogil=True, cache=True)
def taken(stack, h, chosen):
    """Copy the items on the way down to depth h; return their number."""
    found = 0
    for g in range(1, h + 1):
        if stack.chosen[g] >= 0:
            chosen[found] = stack.chosen[g]
            found += 1
    return found


@njit(nogil=True, cache=True)
def search(masks, weight, rows, t, q, limit, spent, chosen):
    """Look for at most q items that leave at most t of `rows`: (YES, how many were needed), (NO, 0) or (GAVE_UP, 0).

    `spent[0]` counts the nodes of all searches for one vertex; above `limit` the search gives up.
    """
    stack, scratch = new_stack(masks, rows, t, q), new_scratch(len(rows), masks.shape[1])
    h = 0
    entering = True
    while h >= 0:
        if entering:
            spent[0] += 1
            if spent[0] > limit:
                return GAVE_UP, 0
            total, smallest = settle(masks, weight, stack, h, scratch)
            if total <= stack.slack[h] and stack.slack[h] >= 0:
                return YES, taken(stack, h, chosen)
            dead = stack.slack[h] < 0 or stack.budget[h] == 0
            if not dead:
                count_hits(masks, weight, stack.alive[h, : stack.count[h]], stack.allowed[h], scratch.hits)
                dead = hopeless(masks, weight, stack, h, total, scratch)
            if dead:
                h -= 1
                entering = False
                continue
            list_branches(masks, weight, stack, h, smallest, scratch.hits)
        if stack.at[h] == stack.branches[h]:
            h -= 1
            entering = False
            continue
        descend(masks, stack, h)
        h += 1
        entering = True
    return NO, 0


@njit(nogil=True, cache=True)
def fewest_items(masks, weight, t, least, most, limit, spent, chosen):
    """Return the smallest number of items that leave at most t, and whether that is proved; the items are in `chosen`.

    At least `least` items are known to be needed. More than `most` are not looked for: (most + 1, YES) says that more
    are needed. (q, GAVE_UP) says that q items or more are needed; (-1, YES) that no set will do.
    """
    rows = reduce_rows(masks, weight, t)
    enough = greedy(masks, weight, rows, t, chosen)
    if enough < 0:
        return -1, YES
    everything = np.full(masks.shape[1], ~_0, dtype=np.uint64)
    scratch = new_scratch(len(rows), masks.shape[1])
    sizes_of(masks, everything, rows, scratch.sizes)
    q = max(least, packing_bound(masks, weight, rows, everything, t, scratch))
    attempt = np.empty(len(chosen), dtype=np.int64)
    while q < enough and q <= most:
        answer, needed = search(masks, weight, rows, t, q, limit, spent, attempt)
        if answer == YES:
            chosen[:needed] = attempt[:needed]
            return needed, YES
        if answer == GAVE_UP:
            return q, GAVE_UP
        q += 1
    return min(enough, q), YES


EXACT, AT_LEAST, EVERY = 0, 1, 2
"""What a size means (see shoal.core.types): it is exact; no smaller set will do; no set will ever do."""
ROWS = 4_000
"""Rows at hand before the search gives up."""
