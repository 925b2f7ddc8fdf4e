"""Pairing the vertices of a neighborhood with the slots of a shape, so that few links are missing on either side.

P are the vertices, Q the slots that nobody fills yet. A unit (i, j) is a vertex in a slot; (i, -1) a vertex in a slot
of its own, (-1, j) a slot that will be filled from outside by the vertex that fills it elsewhere, (-1, -1) nothing.
Unit x < a holds vertex x and slot `held[x]`; the others hold no vertex. So every way to pair is an order of the slots,
and one step of the search is to exchange the slots of two units.

pp, pq, qq tell who is linked: two vertices; a vertex with the one that fills a slot elsewhere; two slots of the shape.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def missing(here, there, ours, theirs):
    """Return what it costs that a link is on one side only: `ours` if it must be added here, `theirs` if there."""
    if here == there:
        return 0.0
    return theirs if here else ours


@njit(nogil=True, cache=True)
def between(i, j, x, y, pp, pq, qq, ours, theirs):
    """Return the cost of the links between the units (i, j) and (x, y)."""
    if i >= 0 and j >= 0:
        if x >= 0:
            return missing(pp[i, x], qq[j, y] if y >= 0 else pq[x, j], ours, theirs)
        return missing(pq[i, y], qq[j, y], ours, theirs) if y >= 0 else 0.0
    if x >= 0 and y >= 0:
        if i >= 0:
            return missing(pp[x, i], pq[i, y], ours, theirs)
        return missing(pq[x, j], qq[y, j], ours, theirs) if j >= 0 else 0.0
    return 0.0


@njit(nogil=True, cache=True)
def alone(i, j, base, lone_p, lone_q):
    """Return the cost of a unit by itself."""
    if i >= 0:
        return base[i, j] if j >= 0 else lone_p
    return lone_q if j >= 0 else 0.0


@njit(nogil=True, cache=True)
def of_two(x, y, jx, jy, held, a, base, pp, pq, qq, ours, theirs, lone_p, lone_q, limit):
    """Return the cost of all that two units take part in, if they hold the slots jx and jy."""
    ix = x if x < a else -1
    iy = y if y < a else -1
    total = alone(ix, jx, base, lone_p, lone_q) + alone(iy, jy, base, lone_p, lone_q)
    total += between(ix, jx, iy, jy, pp, pq, qq, ours, theirs)
    for z in range(len(held)):
        if z not in (x, y):
            iz = z if z < a else -1
            total += between(ix, jx, iz, held[z], pp, pq, qq, ours, theirs)
            total += between(iy, jy, iz, held[z], pp, pq, qq, ours, theirs)
            if total >= limit:
                break
    return total


@njit(nogil=True, cache=True)
def begin(base, pp, qq, ours, theirs, worth, held):
    """Pair greedily: the best first pair, then whoever agrees best with those paired; breadth-first, as links count.

    A pair is only made if it costs less than `worth`, what the two would cost apart.
    """
    a, b = base.shape
    cost = base.copy()
    agree = np.zeros((a, b))
    dp = np.zeros(a)
    dq = np.zeros(b)
    for i in range(a):
        dp[i] = pp[i].sum()
    for j in range(b):
        dq[j] = qq[j].sum()
    free_p = np.ones(a, dtype=np.bool_)
    free_q = np.ones(b, dtype=np.bool_)
    for _ in range(min(a, b)):
        best = np.inf
        bi = -1
        bj = -1
        for i in range(a):
            if free_p[i]:
                for j in range(b):
                    if free_q[j] and cost[i, j] < worth:
                        score = cost[i, j] - agree[i, j] + 0.5 * abs(dp[i] - dq[j]) - 0.001 * min(dp[i], dq[j])
                        if score < best:
                            best = score
                            bi = i
                            bj = j
        if bi < 0:
            return
        held[bi] = bj
        free_p[bi] = False
        free_q[bj] = False
        for i in range(a):
            if free_p[i]:
                for j in range(b):
                    if free_q[j]:
                        if pp[i, bi] and qq[j, bj]:
                            agree[i, j] += 1
                        cost[i, j] += missing(pp[i, bi], qq[j, bj], ours, theirs)


@njit(nogil=True, cache=True)
def pair(base, pp, pq, qq, ours, theirs, lone_p, lone_q, sweeps):
    """Return for each vertex its slot, or -1, and what it all costs; `base` is the cost of each pair by itself."""
    a, b = base.shape
    held = np.full(a + b, -1, dtype=np.int64)
    begin(base, pp, qq, ours, theirs, lone_p + lone_q, held)
    taken = np.zeros(b, dtype=np.bool_)
    for i in range(a):
        if held[i] >= 0:
            taken[held[i]] = True
    place = a
    for j in range(b):
        if not taken[j]:
            held[place] = j
            place += 1
    for _ in range(sweeps):
        better = False
        for x in range(a + b):
            for y in range(x):
                if held[x] == held[y] or (x >= a and y >= a):
                    continue
                rest = base, pp, pq, qq, ours, theirs, lone_p, lone_q
                now = of_two(x, y, held[x], held[y], held, a, *rest, np.inf)
                if of_two(x, y, held[y], held[x], held, a, *rest, now - 1e-9) < now - 1e-9:
                    held[x], held[y] = held[y], held[x]
                    better = True
        if not better:
            break
    total = 0.0
    for x in range(a + b):
        ix = x if x < a else -1
        total += alone(ix, held[x], base, lone_p, lone_q)
        for y in range(x):
            total += between(ix, held[x], y if y < a else -1, held[y], pp, pq, qq, ours, theirs)
    return held[:a], total
