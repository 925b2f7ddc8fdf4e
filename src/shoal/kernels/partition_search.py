"""Annealing of a partition: random changes of classes, taken if they cost nothing, else by chance."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.partition import edges_of, forget_edges, move, move_cost, swap, swap_cost
from shoal.kernels.words import accept, below, chance, cooling, draw

LISTED, GATHERED, LINKED, STRANGERS = 0, 1, 2, 3
"""Shares of proposals: with one of the most alike; the same where a class is put together anew; of the others, with a
neighbor; with any vertex. Those that are left share a neighbor."""
REBUILT = 0.002
"""The share of proposals that dissolve a class, or make one of members that others can spare."""


@njit(nogil=True, cache=True)
def near(c, u):
    """Return a random neighbor of u, a vertex that shares one with it, or any."""
    d = c.indptr[u + 1] - c.indptr[u]
    if d == 0 or chance(c.random) < c.shares[STRANGERS]:
        return below(c.random, len(c.code))
    s = np.int64(c.indices[c.indptr[u] + below(c.random, d)])
    if c.shares[LINKED] > 0.0 and chance(c.random) < c.shares[LINKED]:
        return s
    return np.int64(c.indices[c.indptr[s] + below(c.random, c.indptr[s + 1] - c.indptr[s])])


@njit(nogil=True, cache=True)
def mate(c, u, listed):
    """Return a vertex that u may go together with, of those most alike with the given chance."""
    if listed > 0.0 and chance(c.random) < listed:
        return np.int64(c.alike[u, below(c.random, c.alike.shape[1])])
    return near(c, u)


@njit(nogil=True, cache=True)
def undo(c, moved, old, count):
    """Move back, last first."""
    for i in range(count - 1, -1, -1):
        move(c, moved[i], old[i])


@njit(nogil=True, cache=True)
def dissolve(c, a, heat, soft, moved, old):
    """Spread the members of class a over classes near them, if that is accepted; return what it added."""
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
        more += move_cost(c, u, b, soft)
        moved[count], old[count] = u, a
        count += 1
        move(c, u, b)
    if accept(c.random, more, heat):
        return more
    undo(c, moved, old, count)
    return 0.0


@njit(nogil=True, cache=True)
def assemble(c, u, heat, soft, moved, old):
    """Make a class of u and others near it that their classes can spare, if that is accepted; return what it added."""
    b = np.int64(c.empty[c.empty[0]])
    more, count, x = 0.0, 0, u
    wanted = c.clique if c.clique > 0 and draw(c.random) & np.uint64(1) else c.k
    for _ in range(8 * wanted):
        if c.code[x] != b and c.size[c.code[x]] != c.k:
            moved[count], old[count] = x, c.code[x]
            more += move_cost(c, x, b, soft)
            move(c, x, b)
            count += 1
            if count == wanted:
                break
        x = mate(c, u, c.shares[GATHERED])
    if count == wanted and accept(c.random, more, heat):
        return more
    undo(c, moved, old, count)
    return 0.0


@njit(nogil=True, cache=True)
def exchange(c, u, b, w, heat, soft):
    """Let u change places with the first of some members of class b, not w, that is accepted; return what it added."""
    a, sb = c.code[u], c.size[b]
    here, there = edges_of(c, a, c.here), edges_of(c, b, c.there)
    first, found, more = below(c.random, sb), -1, 0.0
    for i in range(first, first + min(sb, c.partners)):
        v = np.int64(c.members[b, i % sb])
        if v == w or (c.size[a] == 1 and c.sensitive[v]):
            continue
        more = swap_cost(c, u, v, here, there, soft)
        if accept(c.random, more, heat):
            found = v
            break
    forget_edges(c, a, c.here)
    forget_edges(c, b, c.there)
    if found < 0:
        return 0.0
    swap(c, u, found)
    return more


@njit(nogil=True, cache=True)
def relocate(c, u, b, heat, soft):
    """Let u move to class b, if accepted; return what it added."""
    more = move_cost(c, u, b, soft)
    if not accept(c.random, more, heat):
        return 0.0
    move(c, u, b)
    return more


@njit(nogil=True, cache=True)
def join(c, u, w, heat, soft):
    """Let u come into the class of w, by a move or in exchange for another member, if accepted; return what it adds."""
    a, b = c.code[u], c.code[w]
    sa, sb, k = c.size[a], c.size[b], c.k
    if sb < k:
        return 0.0
    if (sa > k or sa == 1) and sb < c.most and draw(c.random) & np.uint64(1):
        return relocate(c, u, np.int64(b), heat, soft)
    return exchange(c, u, b, w, heat, soft)


@njit(nogil=True, cache=True)
def anneal(c, proposals, hot, cold, soft):
    """Propose changes while it cools from `hot` to `cold`; return what they added to the cost."""
    n, some = len(c.code), len(c.protected) < len(c.code)
    moved, old = np.empty(c.most + 1, dtype=np.int64), np.empty(c.most + 1, dtype=np.int64)
    total, heat, factor = 0.0, hot, cooling(proposals, hot, cold)
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
        w = mate(c, u, c.shares[LISTED])
        if c.code[w] == a:
            continue
        if some and not c.sensitive[u] and c.size[a] > c.k and chance(c.random) < 0.3:
            total += relocate(c, u, np.int64(c.empty[c.empty[0]]), heat, soft)
        elif c.size[c.code[w]] == 1:
            total += join(c, w, u, heat, soft)
        else:
            total += join(c, u, w, heat, soft)
    return total
