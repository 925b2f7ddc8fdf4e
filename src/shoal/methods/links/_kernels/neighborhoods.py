"""Isomorphic neighborhoods: orbits of links that rotate together, and the pairing of vertices with slots."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY, fabs, pow
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import accept, below, chance

from shoal.core._kernels import view_bytes

# Links that rotate together: vertices in rows, one step turns every row by one place, and whole orbits are linked.
#
# Row r has `lengths[r]` places. Under the turns a pair of places of rows a and b (g the greatest common divisor of
# their lengths) is in the orbit of its difference modulo g. `many` counts the links of each orbit of two rows; an orbit
# with any must get all, so that what counts is the size of the orbits that are not empty. `most` is the largest length.

AIMED = cython.declare(cython.double, 0.8)
"""The share of proposals that make two links rotate together."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def gcd(a: int64_t, b: int64_t) -> int64_t:
    """Return the greatest common divisor."""
    while b:
        a, b = b, a % b
    return a


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def wrap(a: int64_t, length: int64_t) -> int64_t:
    """Return a modulo the length, from 0 to length - 1."""
    a %= length
    return a + length if a < 0 else a


@cython.cclass
class Rows:
    """Vertices in rows, the links between them, and how many links each orbit has."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int64_t][::1]
    row: int64_t[::1]
    column: int64_t[::1]
    lengths: cython.const[int64_t][::1]
    most: int64_t
    many: int32_t[::1]
    size: int64_t
    """The size of the orbit that was looked up last."""

    def __init__(self, indptr, indices, row, column, lengths, most, many) -> None:
        self.indptr, self.indices, self.row, self.column = indptr, indices, row, column
        self.lengths, self.most, self.many = lengths, most, many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_orbit(self, v: int64_t, w: int64_t) -> int64_t:
        """Return the number of the orbit of two vertices, and keep its size."""
        ra, ca, rb, cb = self.row[v], self.column[v], self.row[w], self.column[w]
        if ra == rb:
            length = self.lengths[ra]
            d = wrap(ca - cb, length)
            d = d if d < length - d else length - d
            self.size = length // 2 if 2 * d == length else length
            return (ra * self.lengths.shape[0] + rb) * self.most + d
        if ra > rb:
            ra, ca, rb, cb = rb, cb, ra, ca
        g = gcd(self.lengths[ra], self.lengths[rb])
        self.size = self.lengths[ra] * self.lengths[rb] // g
        return (ra * self.lengths.shape[0] + rb) * self.most + wrap(ca - cb, g)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shift(self, v: int64_t, other: int64_t, add: cython.bint) -> int64_t:
        """Add or remove the links of v, but for that with `other`; return what the sizes of orbits change by."""
        change: int64_t = 0
        for e in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[e]
            if w == other:
                continue
            o = self.find_orbit(v, w)
            if add:
                if self.many[o] == 0:
                    change += self.size
                self.many[o] += 1
            else:
                self.many[o] -= 1
                if self.many[o] == 0:
                    change -= self.size
        return change

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def swap(self, x: int64_t, y: int64_t) -> int64_t:
        """Let two vertices change places; return what the sizes of the orbits change by."""
        change = self.shift(x, y, False) + self.shift(y, x, False)
        self.row[x], self.row[y] = self.row[y], self.row[x]
        self.column[x], self.column[y] = self.column[y], self.column[x]
        return change + self.shift(x, y, True) + self.shift(y, x, True)


def counted(indptr, indices, row, column, lengths, most, many):
    """Count the links of each orbit; return the size of those that are not empty."""
    rows: Rows = Rows(indptr, indices, row, column, lengths, most, many)
    total: int64_t = 0
    with cython.nogil:
        for v in range(rows.row.shape[0]):
            for e in range(rows.indptr[v], rows.indptr[v + 1]):
                w = rows.indices[e]
                if v < w:
                    o = rows.find_orbit(v, w)
                    if rows.many[o] == 0:
                        total += rows.size
                    rows.many[o] += 1
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_lacking(
    r: int64_t,
    x: int64_t,
    y: int64_t,
    loads: cython.const[int64_t][::1],
    places: int64_t[::1],
    starts: cython.const[int64_t][::1],
    lengths: cython.const[int64_t][::1],
) -> int64_t:
    """Return how many links to outside the members of a row lack to have as many as the one with the most.

    x and y count as if they had changed places.
    """
    top: int64_t = 0
    total: int64_t = 0
    for place in range(starts[r], starts[r] + lengths[r]):
        v = places[place]
        if v == x:
            v = y
        elif v == y:
            v = x
        top = max(top, loads[v])
        total += loads[v]
    return top * lengths[r] - total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def propose(
    x: int64_t, random: uint64_t[::1], rows: Rows, places: int64_t[::1], starts: cython.const[int64_t][::1]
) -> int64_t:
    """Return a vertex with which x may change places: at random, or so that a link of x rotates with another link.

    That is, w being a neighbor of x and z one of a mate of w, the place that z comes to when the mate comes to w.
    """
    indptr, indices, row, column, lengths = rows.indptr, rows.indices, rows.row, rows.column, rows.lengths
    if chance(random) < AIMED and indptr[x] < indptr[x + 1]:
        w = indices[indptr[x] + below(random, indptr[x + 1] - indptr[x])]
        mate = places[starts[row[w]] + below(random, lengths[row[w]])]
        if indptr[mate] < indptr[mate + 1]:
            z = indices[indptr[mate] + below(random, indptr[mate + 1] - indptr[mate])]
            return places[starts[row[z]] + wrap(column[z] + column[w] - column[mate], lengths[row[z]])]
    return below(random, row.shape[0])


def annealed(
    random: uint64_t[::1],
    steps: int64_t,
    hot: cython.double,
    cold: cython.double,
    indptr,
    indices,
    label: cython.const[int64_t][::1],
    loads: cython.const[int64_t][::1],
    places: int64_t[::1],
    starts: cython.const[int64_t][::1],
    row,
    column,
    lengths,
    most,
    many,
):
    """Let vertices of one label change places for a while: always if orbits get no larger, else by chance.

    `places` lists the vertices by place. Returns what the cost changed by.
    """
    rows: Rows = Rows(indptr, indices, row, column, lengths, most, many)
    total: int64_t = 0
    change: int64_t
    with cython.nogil:
        for step in range(steps):
            x = below(random, rows.row.shape[0])
            y = propose(x, random, rows, places, starts)
            if x == y or label[x] != label[y]:
                continue
            change = 0
            rx, ry = rows.row[x], rows.row[y]
            if rx != ry:
                change += count_lacking(rx, x, y, loads, places, starts, rows.lengths)
                change -= count_lacking(rx, -1, -1, loads, places, starts, rows.lengths)
                change += count_lacking(ry, x, y, loads, places, starts, rows.lengths)
                change -= count_lacking(ry, -1, -1, loads, places, starts, rows.lengths)
            change += rows.swap(x, y)
            heat = hot * pow(cold / hot, cython.cast(cython.double, step) / cython.cast(cython.double, steps))
            if accept(random, cython.cast(cython.double, change), heat):
                places[starts[rows.row[x]] + rows.column[x]] = x
                places[starts[rows.row[y]] + rows.column[y]] = y
                total += change
            else:
                rows.swap(x, y)
    return total


# Pairing the vertices of a neighborhood with the slots of a shape, so that few links are missing on either side.
#
# P are the vertices, Q the slots that no vertex fills yet. A unit (i, j) is a vertex in a slot; (i, -1) a vertex in a
# slot of its own, (-1, j) a slot that will be filled from outside by the vertex that fills it elsewhere, (-1, -1)
# nothing. Unit x < a holds vertex x and slot `held[x]`; the others hold no vertex. So every way to pair is an order of
# the slots, and one step of the search is to exchange the slots of two units.
#
# pp, pq, qq say what is linked: two vertices; a vertex with the one that fills a slot elsewhere; two slots.


@cython.cclass
class Pairing:
    """Vertices, slots, and what missing links cost."""

    base: cython.const[cython.double][:, :]
    pp: cython.const[uint8_t][:, :]
    pq: cython.const[uint8_t][:, :]
    qq: cython.const[uint8_t][:, :]
    ours: cython.double
    theirs: cython.double
    lone_p: cython.double
    lone_q: cython.double
    held: int64_t[::1]
    a: int64_t

    def __init__(self, base, pp, pq, qq, ours, theirs, lone_p, lone_q) -> None:
        self.base = base
        self.pp, self.pq, self.qq = view_bytes(pp), view_bytes(pq), view_bytes(qq)
        self.ours, self.theirs, self.lone_p, self.lone_q = ours, theirs, lone_p, lone_q
        self.a = base.shape[0]
        self.held = np.full(base.shape[0] + base.shape[1], -1, dtype=np.int64)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def missing(self, here: cython.bint, there: cython.bint) -> cython.double:
        """Return what it costs that a link is on one side only: `ours` to add it here, `theirs` to add it there."""
        if here == there:
            return 0.0
        return self.theirs if here else self.ours

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def between(self, i: int64_t, j: int64_t, x: int64_t, y: int64_t) -> cython.double:
        """Return the cost of the links between the units (i, j) and (x, y)."""
        if i >= 0 and j >= 0:
            if x >= 0:
                return self.missing(self.pp[i, x], self.qq[j, y] if y >= 0 else self.pq[x, j])
            return self.missing(self.pq[i, y], self.qq[j, y]) if y >= 0 else 0.0
        if x >= 0 and y >= 0:
            if i >= 0:
                return self.missing(self.pp[x, i], self.pq[i, y])
            return self.missing(self.pq[x, j], self.qq[y, j]) if j >= 0 else 0.0
        return 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def alone(self, i: int64_t, j: int64_t) -> cython.double:
        """Return the cost of a unit by itself."""
        if i >= 0:
            return self.base[i, j] if j >= 0 else self.lone_p
        return self.lone_q if j >= 0 else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def of_two(self, x: int64_t, y: int64_t, jx: int64_t, jy: int64_t, limit: cython.double) -> cython.double:
        """Return the cost of all that two units take part in, if they hold the slots jx and jy."""
        ix = x if x < self.a else -1
        iy = y if y < self.a else -1
        total = self.alone(ix, jx) + self.alone(iy, jy)
        total += self.between(ix, jx, iy, jy)
        z: int64_t
        for z in range(self.held.shape[0]):
            if z != x and z != y:
                iz = z if z < self.a else -1
                total += self.between(ix, jx, iz, self.held[z])
                total += self.between(iy, jy, iz, self.held[z])
                if total >= limit:
                    break
        return total

    def begin(self) -> None:
        """Pair greedily: the best first pair, then those that agree best with the pairs made; breadth-first.

        A pair is only made if it costs less than the two would cost apart.
        """
        a: int64_t = self.base.shape[0]
        b: int64_t = self.base.shape[1]
        worth: cython.double = self.lone_p + self.lone_q
        cost: cython.double[:, ::1] = np.array(self.base, order="C")
        agree: cython.double[:, ::1] = np.zeros((a, b))
        dp: cython.double[::1] = np.zeros(a)
        dq: cython.double[::1] = np.zeros(b)
        free_p: uint8_t[::1] = np.ones(a, dtype=np.uint8)
        free_q: uint8_t[::1] = np.ones(b, dtype=np.uint8)
        best: cython.double
        bi: int64_t
        bj: int64_t
        i: int64_t
        j: int64_t
        with cython.nogil:
            for i in range(a):
                for j in range(self.pp.shape[1]):
                    dp[i] += self.pp[i, j]
            for i in range(b):
                for j in range(self.qq.shape[1]):
                    dq[i] += self.qq[i, j]
            for _ in range(a if a < b else b):
                best, bi, bj = INFINITY, -1, -1
                for i in range(a):
                    if free_p[i]:
                        for j in range(b):
                            if free_q[j] and cost[i, j] < worth:
                                fewer = dp[i] if dp[i] < dq[j] else dq[j]
                                score = cost[i, j] - agree[i, j] + 0.5 * fabs(dp[i] - dq[j]) - 0.001 * fewer
                                if score < best:
                                    best, bi, bj = score, i, j
                if bi < 0:
                    break
                self.held[bi] = bj
                free_p[bi] = 0
                free_q[bj] = 0
                for i in range(a):
                    if free_p[i]:
                        for j in range(b):
                            if free_q[j]:
                                if self.pp[i, bi] and self.qq[j, bj]:
                                    agree[i, j] += 1
                                cost[i, j] += self.missing(self.pp[i, bi], self.qq[j, bj])


def pair(base, pp, pq, qq, ours, theirs, lone_p, lone_q, sweeps: int64_t):
    """Return for each vertex its slot, or -1, and what it all costs; `base` is the cost of each pair by itself."""
    pairing: Pairing = Pairing(base, pp, pq, qq, ours, theirs, lone_p, lone_q)
    pairing.begin()
    a: int64_t = base.shape[0]
    b: int64_t = base.shape[1]
    held = pairing.held
    taken: uint8_t[::1] = np.zeros(b, dtype=np.uint8)
    place: int64_t = a
    total: cython.double = 0.0
    better: cython.bint
    x: int64_t
    y: int64_t
    with cython.nogil:
        for x in range(a):
            if held[x] >= 0:
                taken[held[x]] = 1
        for y in range(b):
            if not taken[y]:
                held[place] = y
                place += 1
        for _ in range(sweeps):
            better = False
            for x in range(a + b):
                for y in range(x):
                    if held[x] == held[y] or (x >= a and y >= a):
                        continue
                    now = pairing.of_two(x, y, held[x], held[y], INFINITY)
                    if pairing.of_two(x, y, held[y], held[x], now - 1e-9) < now - 1e-9:
                        held[x], held[y] = held[y], held[x]
                        better = True
            if not better:
                break
        for x in range(a + b):
            ix = x if x < a else -1
            total += pairing.alone(ix, held[x])
            for y in range(x):
                total += pairing.between(ix, held[x], y if y < a else -1, held[y])
    return np.asarray(held)[:a], total
