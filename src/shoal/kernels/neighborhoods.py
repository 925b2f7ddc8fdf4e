"""Isomorphic neighborhoods: orbits of links that go around together, and the pairing of vertices with slots."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.words import accept, below, chance

# Links that go around together: vertices in rows, one step turns every row by one place, and whole orbits are linked.
#
# Row r has `lengths[r]` places. Under the turns a pair of places of rows a and b (g the greatest common divisor of
# their lengths) is in the orbit of its difference modulo g. `many` counts the links of each orbit of two rows; an orbit
# with any must get all, so that what counts is the size of the orbits that are not empty. `most` is the largest length.

AIMED = 0.8
"""The share of proposals that make two links go around together."""


@njit(nogil=True, cache=True)
def gcd(a, b):
    """Return the greatest common divisor."""
    while b:
        a, b = b, a % b
    return a


@njit(nogil=True, cache=True)
def orbit(ra, ca, rb, cb, lengths, most):
    """Return the number of the orbit of two places, and its size."""
    if ra == rb:
        length = lengths[ra]
        d = (ca - cb) % length
        d = min(d, length - d)
        return (ra * len(lengths) + rb) * most + d, length // 2 if 2 * d == length else length
    if ra > rb:
        ra, ca, rb, cb = rb, cb, ra, ca
    g = gcd(lengths[ra], lengths[rb])
    return (ra * len(lengths) + rb) * most + (ca - cb) % g, lengths[ra] * lengths[rb] // g


@njit(nogil=True, cache=True)
def counted(indptr, indices, row, column, lengths, most, many):
    """Count the links of each orbit; return the size of those that are not empty."""
    total = 0
    for v in range(len(row)):
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            if v < w:
                o, size = orbit(row[v], column[v], row[w], column[w], lengths, most)
                if many[o] == 0:
                    total += size
                many[o] += 1
    return total


@njit(nogil=True, cache=True)
def moved(v, other, by, indptr, indices, row, column, lengths, most, many):
    """Add `by` to the orbits of the links of v, but for that with `other`; return what the sizes change by."""
    change = 0
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        if w == other:
            continue
        o, size = orbit(row[v], column[v], row[w], column[w], lengths, most)
        if by < 0:
            many[o] -= 1
            if many[o] == 0:
                change -= size
        else:
            if many[o] == 0:
                change += size
            many[o] += 1
    return change


@njit(nogil=True, cache=True)
def lacking(r, x, y, loads, rows, starts, lengths):
    """Return how many links to outside the members of a row lack to have as many as the one with the most.

    x and y count as if they had changed places.
    """
    top = 0
    total = 0
    for place in range(starts[r], starts[r] + lengths[r]):
        v = rows[place]
        if v == x:
            v = y
        elif v == y:
            v = x
        top = max(top, loads[v])
        total += loads[v]
    return top * lengths[r] - total


@njit(nogil=True, cache=True)
def swapped(x, y, indptr, indices, row, column, lengths, most, many):
    """Let two vertices change places; return what the sizes of the orbits change by."""
    arrays = indptr, indices, row, column, lengths, most, many
    change = moved(x, y, -1, *arrays) + moved(y, x, -1, *arrays)
    row[x], row[y] = row[y], row[x]
    column[x], column[y] = column[y], column[x]
    return change + moved(x, y, 1, *arrays) + moved(y, x, 1, *arrays)


@njit(nogil=True, cache=True)
def proposed(x, random, indptr, indices, rows, starts, row, column, lengths):
    """Return with whom x may change places: at random, or where a link of x goes around with a link of somebody else.

    That is, w being a neighbor of x and z one of a mate of w, the place that z comes to when the mate comes to w.
    """
    if chance(random) < AIMED and indptr[x] < indptr[x + 1]:
        w = indices[indptr[x] + below(random, indptr[x + 1] - indptr[x])]
        mate = rows[starts[row[w]] + below(random, lengths[row[w]])]
        if indptr[mate] < indptr[mate + 1]:
            z = indices[indptr[mate] + below(random, indptr[mate + 1] - indptr[mate])]
            return rows[starts[row[z]] + (column[z] + column[w] - column[mate]) % lengths[row[z]]]
    return np.int64(below(random, len(row)))


@njit(nogil=True, cache=True)
def annealed(random, steps, hot, cold, indptr, indices, label, loads, rows, starts, row, column, lengths, most, many):
    """Let vertices of one label change places for a while: always if orbits get no larger, else by chance.

    `rows` lists the vertices by place. Returns what the cost changed by.
    """
    total = 0
    for step in range(steps):
        x = np.int64(below(random, len(row)))
        y = proposed(x, random, indptr, indices, rows, starts, row, column, lengths)
        if x == y or label[x] != label[y]:
            continue
        change = 0
        if row[x] != row[y]:
            for r in (row[x], row[y]):
                change += lacking(r, x, y, loads, rows, starts, lengths)
                change -= lacking(r, -1, -1, loads, rows, starts, lengths)
        change += swapped(x, y, indptr, indices, row, column, lengths, most, many)
        heat = hot * (cold / hot) ** (step / steps)
        if accept(random, change, heat):
            rows[starts[row[x]] + column[x]] = x
            rows[starts[row[y]] + column[y]] = y
            total += change
        else:
            swapped(x, y, indptr, indices, row, column, lengths, most, many)
    return total


# Pairing the vertices of a neighborhood with the slots of a shape, so that few links are missing on either side.
#
# P are the vertices, Q the slots that nobody fills yet. A unit (i, j) is a vertex in a slot; (i, -1) a vertex in a slot
# of its own, (-1, j) a slot that will be filled from outside by the vertex that fills it elsewhere, (-1, -1) nothing.
# Unit x < a holds vertex x and slot `held[x]`; the others hold no vertex. So every way to pair is an order of the
# slots, and one step of the search is to exchange the slots of two units.
#
# pp, pq, qq tell who is linked: two vertices; a vertex with the one that fills a slot elsewhere; two slots.


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
