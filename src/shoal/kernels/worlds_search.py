"""Annealing: random changes of classes, made if they leave fewer worlds, and by chance if they leave a few more."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.row_classes import below, chance, draw, edges_of, forget_edges
from shoal.kernels.worlds import move_cost, swap_cost, swap_places, transfer

LISTED = 0.5
"""The share of proposals that bring a vertex to one of those most alike."""
LINKED = 0.2
"""The share of the others that bring it to a neighbor of its own."""
STRANGERS, SOME = 0.003, 10.0
"""The share of those that are left that pair two vertices anywhere, at least so many in n; the rest share a neighbor.

Few: classes that hold members of several components leave no fewer worlds, and join the components in what is drawn.
"""
REBUILT = 0.002
"""The share of proposals that dissolve a class, or make one of members that others can spare."""


@njit(nogil=True, cache=True)
def near(c, u):
    """Return a random neighbor of u, a vertex that shares one with it, or any."""
    n, d = len(c.code), c.indptr[u + 1] - c.indptr[u]
    if d == 0 or chance(c.random) < max(STRANGERS, SOME / n):
        return below(c.random, n)
    s = np.int64(c.indices[c.indptr[u] + below(c.random, d)])
    if chance(c.random) < LINKED:
        return s
    return np.int64(c.indices[c.indptr[s] + below(c.random, c.indptr[s + 1] - c.indptr[s])])


@njit(nogil=True, cache=True)
def mate(c, u):
    """Return a vertex that u may go together with."""
    if chance(c.random) < LISTED:
        return np.int64(c.alike[u, below(c.random, c.alike.shape[1])])
    return near(c, u)


@njit(nogil=True, cache=True)
def accepted(c, more, heat):
    """Tell whether a change is made: always if it adds nothing, else by chance, the less the colder."""
    return more <= 0.0 or (heat > 0.0 and chance(c.random) < np.exp(-more / heat))


@njit(nogil=True, cache=True)
def undo(c, moved, old, count):
    """Move back, last first."""
    for i in range(count - 1, -1, -1):
        transfer(c, moved[i], old[i])


@njit(nogil=True, cache=True)
def dissolve(c, a, heat, moved, old):
    """Spread the members of class a over classes near them, if that is accepted; return what it added."""
    more, count = 0.0, 0
    while c.size[a] > 0:
        u = np.int64(c.members[a, 0])
        b = -1
        for _ in range(8):
            t = c.code[near(c, u)]
            if t != a and c.size[t] < c.most:
                b = t
                break
        if b < 0:
            undo(c, moved, old, count)
            return 0.0
        more += move_cost(c, u, b)
        moved[count], old[count] = u, a
        count += 1
        transfer(c, u, b)
    if accepted(c, more, heat):
        return more
    undo(c, moved, old, count)
    return 0.0


@njit(nogil=True, cache=True)
def assemble(c, u, heat, moved, old):
    """Make a class of u and others near it that their classes can spare, if that is accepted; return what it added."""
    b = np.int64(c.empty[c.empty[0]])
    more, count, x = 0.0, 0, u
    for _ in range(8 * c.k):
        if c.code[x] != b and c.size[c.code[x]] > c.k:
            moved[count], old[count] = x, c.code[x]
            more += move_cost(c, x, b)
            transfer(c, x, b)
            count += 1
            if count == c.k:
                break
        x = mate(c, u)
    if count == c.k and accepted(c, more, heat):
        return more
    undo(c, moved, old, count)
    return 0.0


@njit(nogil=True, cache=True)
def exchange(c, u, b, w, heat):
    """Let u change places with the first of some members of class b, not w, that is accepted; return what it added."""
    a, sb = c.code[u], c.size[b]
    here, there = edges_of(c, a, c.here), edges_of(c, b, c.there)
    first, found, more = below(c.random, sb), -1, 0.0
    for i in range(first, first + min(sb, c.partners)):
        v = np.int64(c.members[b, i % sb])
        if v == w:
            continue
        more = swap_cost(c, u, v, here, there)
        if accepted(c, more, heat):
            found = v
            break
    forget_edges(c, a, c.here)
    forget_edges(c, b, c.there)
    if found < 0:
        return 0.0
    swap_places(c, u, found)
    return more


@njit(nogil=True, cache=True)
def join(c, u, w, heat):
    """Let u come into the class of w, by a move or in exchange for another member, if accepted; return what it adds."""
    a, b = c.code[u], c.code[w]
    if c.size[a] > c.k and c.size[b] < c.most and draw(c.random) & np.uint64(1):
        more = move_cost(c, u, b)
        if accepted(c, more, heat):
            transfer(c, u, b)
            return more
        return 0.0
    return exchange(c, u, b, w, heat)


@njit(nogil=True, cache=True)
def anneal(c, proposals, hot, cold):
    """Propose changes while it cools from `hot` to `cold`; return what they added."""
    n = len(c.code)
    moved, old = np.empty(c.most + 1, dtype=np.int64), np.empty(c.most + 1, dtype=np.int64)
    total, heat = 0.0, hot
    factor = (cold / hot) ** (1.0 / max(1, proposals // 64)) if hot > 0.0 else 1.0
    for i in range(proposals):
        if i % 64 == 63:
            heat *= factor
        u = below(c.random, n)
        a = c.code[u]
        if chance(c.random) < REBUILT:
            if c.empty[0] > 0 and draw(c.random) & np.uint64(1):
                total += assemble(c, u, heat, moved, old)
            else:
                total += dissolve(c, a, heat, moved, old)
            continue
        w = mate(c, u)
        if c.code[w] != a:
            total += join(c, u, w, heat)
    return total
