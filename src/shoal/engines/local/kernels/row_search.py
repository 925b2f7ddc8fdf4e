"""Annealing: random changes of classes, made if they gain, and by chance if they lose little."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.engines.local.kernels.row_classes import below, chance, draw, move, move_gain, swap, swap_gain

STRANGERS = 0.06
"""The share of proposals that pair two vertices anywhere; the others share a neighbor."""
REBUILT = 0.002
"""The share of proposals that dissolve a class, or make one of members that others can spare."""


@njit(nogil=True, cache=True)
def near(c, u):
    """Return a random vertex at the end of a path of length two from u, or anywhere."""
    n, d = len(c.code), c.indptr[u + 1] - c.indptr[u]
    if d == 0 or chance(c.random) < STRANGERS:
        return below(c.random, n)
    s = c.indices[c.indptr[u] + below(c.random, d)]
    return np.int64(c.indices[c.indptr[s] + below(c.random, c.indptr[s + 1] - c.indptr[s])])


@njit(nogil=True, cache=True)
def accepted(c, more, heat):
    """Tell whether a change is made: always if it loses nothing, else by chance, the less the colder."""
    return more >= 0 or (heat > 0.0 and chance(c.random) < np.exp(more / heat))


@njit(nogil=True, cache=True)
def undo(c, moved, old, count):
    """Move back, last first."""
    for i in range(count - 1, -1, -1):
        move(c, moved[i], old[i])


@njit(nogil=True, cache=True)
def dissolve(c, a, heat, soft, moved, old):
    """Spread the members of class a over classes near them, if that is accepted; return what it gained."""
    more, count = 0.0, 0
    while c.size[a] > 0:
        u = np.int64(c.members[a, 0])
        b = -1
        for _ in range(8):
            t = c.code[near(c, u)]
            if t != a and c.k <= c.size[t] < c.most:
                b = t
                break
        if b < 0:
            undo(c, moved, old, count)
            return 0.0
        more += move_gain(c, u, b, soft)
        moved[count], old[count] = u, a
        count += 1
        move(c, u, b)
    if accepted(c, more, heat):
        return more
    undo(c, moved, old, count)
    return 0.0


@njit(nogil=True, cache=True)
def assemble(c, u, heat, soft, moved, old):
    """Make a class of u and others near it that their classes can spare, if that is accepted; return what it gained."""
    b = np.int64(c.empty[c.empty[0]])
    more, count, x = 0.0, 0, u
    wanted = c.clique if c.clique > 0 and draw(c.random) & np.uint64(1) else c.k
    for _ in range(8 * wanted):
        if c.code[x] != b and c.size[c.code[x]] != c.k:
            moved[count], old[count] = x, c.code[x]
            more += move_gain(c, x, b, soft)
            move(c, x, b)
            count += 1
            if count == wanted:
                break
        x = near(c, u)
    if count == wanted and accepted(c, more, heat):
        return more
    undo(c, moved, old, count)
    return 0.0


@njit(nogil=True, cache=True)
def join(c, u, w, heat, soft):
    """Let u come into the class of w, by a move or in exchange for another member, if accepted; return the gain."""
    a, b = c.code[u], c.code[w]
    sa, sb, k = c.size[a], c.size[b], c.k
    if sb < k:
        return 0.0
    if (sa > k or sa == 1) and sb < c.most and draw(c.random) & np.uint64(1):
        more = move_gain(c, u, b, soft)
        if accepted(c, more, heat):
            move(c, u, b)
            return more
        return 0.0
    v = np.int64(c.members[b, below(c.random, sb)])
    if v == w or (sa == 1 and c.sensitive[v]):
        return 0.0
    more = swap_gain(c, u, v, soft)
    if accepted(c, more, heat):
        swap(c, u, v)
        return more
    return 0.0


@njit(nogil=True, cache=True)
def leave(c, u, heat, soft):
    """Let u stand alone, if accepted; return the gain."""
    b = np.int64(c.empty[c.empty[0]])
    more = move_gain(c, u, b, soft)
    if accepted(c, more, heat):
        move(c, u, b)
        return more
    return 0.0


@njit(nogil=True, cache=True)
def anneal(c, proposals, hot, cold, soft, some):
    """Propose changes while it cools from `hot` to `cold`; return what they gained. `some`: not all are sensitive."""
    n = len(c.code)
    moved, old = np.empty(c.most + 1, dtype=np.int64), np.empty(c.most + 1, dtype=np.int64)
    total, heat = 0.0, hot
    factor = (cold / hot) ** (1.0 / max(1, proposals // 64)) if hot > 0.0 else 1.0
    for i in range(proposals):
        if i % 64 == 63:
            heat *= factor
        u = below(c.random, n)
        a = c.code[u]
        if some:  # most vertices stand alone and far from every class
            a = c.code[c.protected[below(c.random, len(c.protected))]]
            u = np.int64(c.members[a, below(c.random, c.size[a])])
        if c.size[a] >= c.k and chance(c.random) < REBUILT:
            if c.empty[0] > 0 and draw(c.random) & np.uint64(1):
                total += assemble(c, u, heat, soft, moved, old)
            else:
                total += dissolve(c, a, heat, soft, moved, old)
            continue
        w = near(c, u)
        if c.code[w] == a:
            continue
        if some and not c.sensitive[u] and c.size[a] > c.k and chance(c.random) < 0.3:
            total += leave(c, u, heat, soft)
        elif c.size[c.code[w]] == 1:
            total += join(c, w, u, heat, soft)
        else:
            total += join(c, u, w, heat, soft)
    return total
