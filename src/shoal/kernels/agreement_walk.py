"""A walk over graphs in which l known entries leave k candidates: random changes of rows, few edits in the end.

Every graph on the way is valid, so that it can stop at any time. A row gains or loses one link, becomes like another
row (whose twin always has company), or goes back to nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.agreement import LOCATED, changed_to, flip, linked, mask_of, row_violation, valid
from shoal.kernels.words import accept, below, chance, cooling, count_ones, lowest

TOGGLED, IMITATED = 0.5, 0.97
"""Up to these shares of the proposals one link changes, or a row becomes like another; the others empty a row."""


@njit(nogil=True, cache=True)
def apart(a, b):
    """Count the columns in which two rows differ."""
    count = 0
    for w in range(len(a)):
        count += count_ones(a[w] ^ b[w])
    return count


@njit(nogil=True, cache=True)
def some_link(r, u):
    """Return a random neighbor of u, which has one."""
    left, row = below(r.random, r.degree[u]), r.bits[u]
    for w in range(len(row)):
        here = count_ones(row[w])
        if left < here:
            m = row[w]
            for _ in range(left):
                m &= m - np.uint64(1)
            return (w << 6) + count_ones(lowest(m) - np.uint64(1))
        left -= here
    return np.int64(-1)


@njit(nogil=True, cache=True)
def some_original(r, u):
    """Return a random neighbor of u in the original, which has one."""
    return np.int64(r.indices[r.indptr[u] + below(r.random, r.indptr[u + 1] - r.indptr[u])])


@njit(nogil=True, cache=True)
def toggle(r, u, had):
    """Propose the row of u with one link more or less: most often one of the original, else near by."""
    if had and (r.degree[u] == 0 or (not r.keep and chance(r.random) < 0.7)):
        v = some_original(r, u)
    else:
        v = some_link(r, u)
        if chance(r.random) < 0.5:
            v = some_link(r, v)
    if v != u:
        r.new[v >> 6] ^= mask_of(v)


@njit(nogil=True, cache=True)
def imitate(r, u, had):
    """Propose for u the row of a vertex two steps away, with or without a link to it."""
    e = some_original(r, some_original(r, u)) if had else some_link(r, some_link(r, u))
    if e == u or r.degree[e] == 0:
        return
    near = linked(r.new, e)
    r.new[:] = r.bits[e]
    r.new[u >> 6] &= ~mask_of(u)
    if (near or chance(r.random) < 0.3) and chance(r.random) < 0.8:
        r.new[e >> 6] |= mask_of(e)


@njit(nogil=True, cache=True)
def room_for(r, u):
    """Tell whether nobody gets a link more than anybody may have, if u gets its new row."""
    links = 0
    for w in range(len(r.new)):
        links += count_ones(r.new[w])
        more = r.new[w] & ~r.bits[u, w]
        while more != 0:
            if r.degree[(w << 6) + count_ones(lowest(more) - np.uint64(1))] >= r.most:
                return False
            more &= more - np.uint64(1)
    return links <= max(r.most, r.degree[u])


@njit(nogil=True, cache=True)
def walk(r, proposals, hot, cold):
    """Propose changes while it cools from `hot` to `cold`; return by how many edits there are more."""
    total, heat, factor = 0, hot, cooling(proposals, hot, cold)
    for p in range(proposals):
        if p % 64 == 63:
            heat *= factor
        u = below(r.random, len(r.degree))
        had = r.indptr[u + 1] > r.indptr[u]
        if not had and r.degree[u] == 0:
            continue
        r.new[:] = r.bits[u]
        kind = chance(r.random)
        if kind < TOGGLED:
            toggle(r, u, had)
        elif kind < IMITATED:
            imitate(r, u, had)
        else:
            r.new[:] = 0
        if r.keep:
            r.new[:] = r.new | r.original[u]
        more = apart(r.new, r.original[u]) - apart(r.bits[u], r.original[u])
        if not accept(r.random, more, heat):
            continue
        if (more != 0 or apart(r.new, r.bits[u]) > 0) and room_for(r, u) and changed_to(r, u, r.new):
            total += more
    return total


@njit(nogil=True, cache=True)
def restore(r, order):
    """Take back single edits as long as the graph stays valid; return how many."""
    count = 0
    for u in order:
        for w in range(r.bits.shape[1]):
            d = r.bits[u, w] ^ r.original[u, w]
            while d != 0:
                r.new[:] = r.bits[u]
                r.new[w] ^= lowest(d)
                d &= d - np.uint64(1)
                count += changed_to(r, u, r.new)
    return count


@njit(nogil=True, cache=True)
def remove(r, who):
    """Remove links until nobody of `who` is betrayed: of each set that leaves too few, the link to the lowest degree.

    Return how many. Others may be betrayed by it. Where nobody can be hidden, all links go.
    """
    count = 0
    for c in who:
        size = row_violation(r, c, 0)
        while size > 0:
            v = r.found[0]
            a, b = weakest(r, c, size)
            if b < 0:
                return count
            flip(r, a, b)
            count += 1
            size = row_violation(r, c, v)
    return count


@njit(nogil=True, cache=True)
def weakest(r, c, size):
    """Return the link of c to the lowest degree among the columns found, or one of the largest, or -1 for none."""
    s = big = -1
    for i in range(size):
        x = r.found[i]
        if linked(r.bits[c], x):
            if s < 0 or r.degree[x] < r.degree[s]:
                s = x
        elif big < 0 or r.degree[x] > r.degree[big]:
            big = x
    if s >= 0:
        return c, s
    return big, (some_link(r, big) if r.degree[big] > 0 else np.int64(-1))


@njit(nogil=True, cache=True)
def joiner(r, c, size):
    """Return who does not agree with c on the columns found and lacks the fewest links to; of these the largest."""
    best, fewest = -1, size + 1
    for x in range(len(r.degree)):
        lacks = 0
        for i in range(size):
            s, link = r.found[i], linked(r.bits[c], r.found[i])
            if (x == s and (link or r.reading == LOCATED)) or (not link and linked(r.bits[x], s)):
                lacks += size + 1
            elif link and not linked(r.bits[x], s):
                lacks += 1 if r.degree[s] < r.most else size + 1
        if r.degree[x] + lacks > r.most:
            continue
        if 0 < lacks < fewest or (lacks == fewest and best >= 0 and r.degree[x] > r.degree[best]):
            best, fewest = x, lacks
    return best


@njit(nogil=True, cache=True)
def add(r, who, most):
    """Add links until nobody of `who` is betrayed: who lacks least joins those who are too few.

    Return how many, or more than `most` where so many are not enough. Others may be betrayed by it.
    """
    count = 0
    for c in who:
        size = row_violation(r, c, 0)
        while size > 0:
            x = joiner(r, c, size)
            if x < 0 or count > most:
                return most + 1
            for i in range(size):
                if linked(r.bits[c], r.found[i]) and not linked(r.bits[x], r.found[i]):
                    flip(r, x, r.found[i])
                    count += 1
            size = row_violation(r, c, 0)
    return count


@njit(nogil=True, cache=True)
def fewest_of_all(r, pairs):
    """Try every graph (that keeps the original, if asked): leave the best one in r.bits; return its edits, or -1."""
    best, fewest, made = np.int64(-1), -1, np.int64(0)
    for code in range(np.int64(1) << len(pairs)):
        gray = code ^ (code >> 1)
        for i in range(len(pairs)):
            if ((gray ^ made) >> i) & 1:
                flip(r, pairs[i, 0], pairs[i, 1])
        made = gray
        edits = count_ones(np.uint64(gray))
        if (fewest < 0 or edits < fewest) and valid(r):
            best, fewest = gray, edits
    for i in range(len(pairs)):
        if best >= 0 and ((best ^ made) >> i) & 1:
            flip(r, pairs[i, 0], pairs[i, 1])
    return fewest


@njit(nogil=True, cache=True)
def listed(bits, count):
    """Return the pairs of linked vertices, `count` of them."""
    sources, targets, p = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), 0
    for u in range(len(bits)):
        for w in range(bits.shape[1]):
            m = bits[u, w]
            while m != 0:
                v = (w << 6) + count_ones(lowest(m) - np.uint64(1))
                m &= m - np.uint64(1)
                if u < v:
                    sources[p], targets[p] = u, v
                    p += 1
    return sources, targets
