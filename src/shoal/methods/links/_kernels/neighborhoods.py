"""Neighborhoods: isomorphic ones, by links that rotate together, and neighbors that enough vertices share."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY, fabs, pow
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import accept, below, chance, mix

from shoal.core._kernels import view_bytes

# Isomorphic neighborhoods: orbits of links that rotate together, and the pairing of vertices with slots.
#
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


# Shared neighbors: rows that links are added to, counts over paths of length two, and which link to add next.
#
# A graph is (indptr, indices, head, following, ends): the rows it came with, and the links added since as lists: the
# first added half of v is head[v], the next one following[half], and it leads to ends[half] (-1 where it was taken
# away). The link e has the halves 2e and 2e + 1.
#
# Links are added until every vertex shares l neighbors with enough others, each time the one that lowers most deficits.
# aim = (l, want, strong): every vertex must share l neighbors with `want` others; where it is strong, the neighbors of
# each must be old ones. room = (degree, limit, added): how many links each vertex has, may come to have, and got.
# work = (near, seen, touched, other, met, mark, around): arrays of n entries, `seen` and `other` zero between calls.

TRIES = cython.declare(cython.int, 12)
"""How many links of each kind are tried for one vertex."""
WORST = cython.declare(int64_t, -(1 << 62))
VALUE = cython.declare(int64_t, 1 << 40)
STEP = cython.declare(int64_t, 1 << 20)
MOST_ADDED = cython.declare(int64_t, 1 << 19)


@cython.cclass
class Sharing:
    """A graph that links are added to, the aim, and room to count in."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    head: int64_t[::1]
    following: int64_t[::1]
    ends: int64_t[::1]
    l: int64_t
    want: int64_t
    strong: cython.bint
    count: int64_t[::1]
    """With how many others each vertex shares l neighbors."""
    degree: int64_t[::1]
    limit: cython.const[int64_t][::1]
    added: int64_t[::1]
    near: int64_t[::1]
    seen: int64_t[::1]
    touched: int64_t[::1]
    other: int64_t[::1]
    met: int64_t[::1]
    mark: int64_t[::1]
    around: int64_t[::1]
    hungry: cython.const[int64_t][::1]
    """The vertices that lack candidates."""
    dice: uint64_t[::1]
    """The state of the generator."""
    most: int64_t
    """Entries that are read to find vertices beyond."""
    keys: int64_t[::1]
    best: int64_t[::1]
    """The best few vertices, and the keys by which they are."""
    ways: int64_t[::1]
    hubs: int64_t[::1]
    """The same for the neighbors of a vertex."""
    u: int64_t
    x: int64_t
    """The link that was chosen."""

    def __init__(self, graph, aim, count, room, work) -> None:
        self.indptr, self.indices, self.head, self.following, self.ends = graph
        self.l, self.want, self.strong = aim
        self.count = count
        self.degree, self.limit, self.added = room
        self.near, self.seen, self.touched, self.other, self.met, self.mark, self.around = work
        self.keys, self.best = np.empty(TRIES, dtype=np.int64), np.empty(TRIES, dtype=np.int64)
        self.ways, self.hubs = np.empty(TRIES, dtype=np.int64), np.empty(TRIES, dtype=np.int64)

    # Rows and counts.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_row(self, v: int64_t, added: cython.bint, out: int64_t[::1]) -> int64_t:
        """Write the neighbors of v into `out`, with or without the links added since; return how many."""
        many: int64_t = 0
        for e in range(self.indptr[v], self.indptr[v + 1]):
            out[many] = self.indices[e]
            many += 1
        half = self.head[v] if added else -1
        while half >= 0:
            if self.ends[half] >= 0:
                out[many] = self.ends[half]
                many += 1
            half = self.following[half]
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally(
        self, v: int64_t, first: cython.bint, second: cython.bint, seen: int64_t[::1], touched: int64_t[::1]
    ) -> int64_t:
        """Count in `seen` for each vertex how many neighbors of v it is next to; return how many are in `touched`.

        `first` says whether links added since count from v to its neighbors, `second` whether they do from there on. v
        itself is counted too.
        """
        far: int64_t = 0
        for i in range(self.list_row(v, first, self.near)):
            y = self.near[i]
            for e in range(self.indptr[y], self.indptr[y + 1]):
                w: int64_t = self.indices[e]
                if seen[w] == 0:
                    touched[far] = w
                    far += 1
                seen[w] += 1
            half = self.head[y] if second else -1
            while half >= 0:
                z = self.ends[half]
                if z >= 0:
                    if seen[z] == 0:
                        touched[far] = z
                        far += 1
                    seen[z] += 1
                half = self.following[half]
        return far

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self, seen: int64_t[::1], touched: int64_t[::1], far: int64_t) -> cython.void:
        """Make `seen` zero again."""
        for i in range(far):
            seen[touched[i]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def meet(self, u: int64_t, x: int64_t, change: int64_t) -> int64_t:
        """Return how many deficits fall as u becomes a neighbor of x, by the vertices next to x; `change` counts them.

        `other` is how many neighbors u shares with each vertex so far. Where the aim is strong u gains nothing.
        """
        lowered: int64_t = 0
        met: int64_t = 0
        for i in range(self.list_row(x, not self.strong, self.near)):
            w = self.near[i]
            if w != u and self.other[w] == self.l - 1:
                met += 1
                lowered += self.count[w] < self.want
                self.count[w] += change
        if not self.strong:
            lacking = self.want - self.count[u] if self.want > self.count[u] else 0
            lowered += met if met < lacking else lacking
            self.count[u] += change * met
        return lowered

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def meet_from(self, a: int64_t, b: int64_t, change: int64_t) -> int64_t:
        """Do the same after counting what a shares with each vertex."""
        far = self.tally(a, True, not self.strong, self.other, self.met)
        lowered = self.meet(a, b, change)
        self.clear(self.other, self.met, far)
        return lowered

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def helps(self, a: int64_t, b: int64_t) -> cython.bint:
        """Return whether a link from a to b may lower a deficit of a or of a vertex next to b."""
        if not self.strong and self.count[a] < self.want:
            return True
        for i in range(self.list_row(b, not self.strong, self.near)):
            if self.count[self.near[i]] < self.want:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(self, u: int64_t, x: int64_t) -> int64_t:
        """Return how many deficits a link between u and x would lower."""
        total: int64_t = 0
        if self.helps(u, x):
            total += self.meet_from(u, x, 0)
        if self.helps(x, u):
            total += self.meet_from(x, u, 0)
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link(self, u: int64_t, x: int64_t, e: int64_t) -> cython.void:
        """Add the link e between u and x, and count which vertices share enough now."""
        self.meet_from(u, x, 1)
        self.meet_from(x, u, 1)
        self.ends[2 * e] = x
        self.ends[2 * e + 1] = u
        self.following[2 * e] = self.head[u]
        self.following[2 * e + 1] = self.head[x]
        self.head[u] = 2 * e
        self.head[x] = 2 * e + 1
        self.degree[u] += 1
        self.added[u] += 1
        self.degree[x] += 1
        self.added[x] += 1

    # The choice of a link.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def draw(self, many: int64_t) -> int64_t:
        """Return a number below `many`."""
        self.dice[0] += 1
        return cython.cast(int64_t, mix(self.dice[0]) % cython.cast(uint64_t, many))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stamp(self, w: int64_t) -> cython.void:
        """Mark w and its neighbors."""
        for i in range(self.list_row(w, True, self.near)):
            self.mark[self.near[i]] = w
        self.mark[w] = w

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rank(self, value: int64_t, x: int64_t) -> int64_t:
        """Return a key by which the larger value goes first, then the vertex that got fewer links, then chance."""
        got = self.added[x] if self.added[x] < MOST_ADDED else MOST_ADDED
        return value * VALUE - got * STEP + self.draw(STEP)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def offer(self, key: int64_t, x: int64_t, keys: int64_t[::1], best: int64_t[::1]) -> cython.void:
        """Keep the best few."""
        low: cython.int = 0
        i: cython.int
        for i in range(TRIES):
            if best[i] == x:
                return
            if keys[i] < keys[low]:
                low = i
        if key > keys[low]:
            keys[low] = key
            best[low] = x

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_free(self, x: int64_t, w: int64_t) -> cython.bint:
        """Return whether x may be linked to w, whose neighbors are marked."""
        return x >= 0 and self.mark[x] != w and self.degree[x] < self.limit[x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_vertex(self) -> int64_t:
        """Return a vertex at random: one that lacks candidates, a neighbor of one, any, or a neighbor of any."""
        kind = self.draw(4)
        x = self.hungry[self.draw(self.hungry.shape[0])] if kind < 2 else self.draw(self.seen.shape[0])
        if kind % 2:
            many = self.list_row(x, True, self.near)
            x = self.near[self.draw(many)] if many else x
        return x

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_beyond(self, v: int64_t, level: int64_t, far: int64_t) -> cython.void:
        """Keep the best to link v itself to: those next to many vertices that share `level` neighbors with v."""
        start = self.draw(far if far > 1 else 1)
        looked: int64_t = 0
        reached: int64_t = 0
        for j in range(far):
            w = self.touched[(start + j) % far]
            if w == v or self.seen[w] != level:
                continue
            many = self.list_row(w, True, self.near)
            looked += many
            for i in range(many):
                x = self.near[i]
                if self.other[x] == 0:
                    self.met[reached] = x
                    reached += 1
                self.other[x] += 1
            if looked > self.most:
                break
        for i in range(reached):
            x = self.met[i]
            if self.is_free(x, v):
                value = self.other[x] if self.other[x] < self.want else self.want
                self.offer(self.rank(value, x), x, self.keys, self.best)
        self.clear(self.other, self.met, reached)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_level(self, v: int64_t, far: int64_t) -> int64_t:
        """Return the most neighbors below l that any vertex shares with v."""
        level: int64_t = 0
        for i in range(far):
            shared = self.seen[self.touched[i]]
            if self.touched[i] != v and level < shared < self.l:
                level = shared
        return level

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_neediest(self, v: int64_t) -> cython.void:
        """Keep the neighbors of v that are next to most that lack candidates; those of old links where it is strong."""
        for i in range(self.list_row(v, not self.strong, self.around)):
            w = self.around[i]
            needy: int64_t = 0
            for j in range(self.list_row(w, not self.strong, self.near)):
                needy += self.count[self.near[j]] < self.want
            self.offer(needy * STEP + self.draw(STEP), w, self.ways, self.hubs)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_towards(self, v: int64_t, w: int64_t, level: int64_t, far: int64_t) -> cython.void:
        """Keep the best to link w, a neighbor of v, to: those that share `level` neighbors with v, the needy first."""
        self.stamp(w)
        i: int64_t
        if level == 0:
            for i in range(2 * TRIES):
                y = self.draw_vertex()
                if y != v and self.seen[y] == 0 and self.is_free(y, w):
                    self.offer(self.rank(1 + (self.count[y] < self.want), y), y, self.keys, self.best)
        else:
            for i in range(far):
                y = self.touched[i]
                if y != v and self.seen[y] == level and self.is_free(y, w):
                    self.offer(self.rank(1 + (self.count[y] < self.want), y), y, self.keys, self.best)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_from(self, v: int64_t, level: int64_t, far: int64_t) -> cython.void:
        """Keep the best to link v itself to."""
        self.stamp(v)
        if level > 0:
            self.look_beyond(v, level, far)
            return
        for _ in range(4 * TRIES):
            x = self.draw_vertex()
            if self.is_free(x, v):
                value = self.degree[x] if self.degree[x] < self.want else self.want
                self.offer(self.rank(value, x), x, self.keys, self.best)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_last_resort(self, v: int64_t) -> cython.void:
        """Take any link that may help v: of a neighbor to one that shares most with v and not enough, or of v."""
        many = self.list_row(v, not self.strong, self.around)
        for i in range(many + (0 if self.strong else 1)):
            w = self.around[i] if i < many else v
            if self.degree[w] >= self.limit[w]:
                continue
            self.stamp(w)
            top: int64_t = -1
            found: int64_t = -1
            y: int64_t
            for y in range(self.seen.shape[0]):
                if y != v and (self.seen[y] < self.l or w == v) and self.is_free(y, w):
                    key = self.rank(1 + (self.seen[y] if self.seen[y] < self.l else self.l), y)
                    if key > top:
                        top, found = key, y
            if found >= 0:
                self.u, self.x = w, found
                return

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self, v: int64_t) -> cython.void:
        """Take the link that lowers most deficits among those that may help v; (-1, -1) if there is none."""
        self.u, self.x = -1, -1
        far = self.tally(v, not self.strong, True, self.seen, self.touched)
        level = self.find_level(v, far)
        i: cython.int
        j: cython.int
        for i in range(TRIES):
            self.ways[i] = WORST
            self.hubs[i] = -1
        if self.strong or self.degree[v] >= self.l:
            self.list_neediest(v)
        top: int64_t = -1
        tie: int64_t = 0
        for i in range(-1, TRIES):
            w = v if i < 0 else self.hubs[i]
            if w < 0 or self.degree[w] >= self.limit[w] or (i < 0 and self.strong):
                continue
            for j in range(TRIES):
                self.keys[j] = WORST
                self.best[j] = -1
            if i < 0:
                self.look_from(v, level, far)
            else:
                self.look_towards(v, w, level, far)
            for j in range(TRIES):
                if self.best[j] >= 0:
                    value = self.worth(w, self.best[j])
                    key = self.keys[j] - (self.added[w] if self.added[w] < MOST_ADDED else MOST_ADDED) * STEP
                    if value > top or (value == top and key > tie):
                        top, tie = value, key
                        self.u, self.x = w, self.best[j]
        if self.u < 0:
            self.find_last_resort(v)
        self.clear(self.seen, self.touched, far)

    # Links that are not needed any more.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lose(self, a: int64_t, b: int64_t, change: int64_t) -> cython.bint:
        """Count a link from a to b out (change -1) or in again (1); return whether all keep enough."""
        far = self.tally(a, True, not self.strong, self.other, self.met)
        self.meet(a, b, change)
        enough: cython.bint = True
        if change < 0:
            enough = self.count[a] >= self.want
            for i in range(self.list_row(b, not self.strong, self.near)):
                enough = enough and self.count[self.near[i]] >= self.want
        self.clear(self.other, self.met, far)
        return enough


def satisfy(
    order: cython.const[int64_t][:],
    made: int64_t,
    until: int64_t,
    graph,
    aim,
    count,
    room,
    work,
    hungry,
    most,
    dice,
    stuck,
):
    """Add links for the vertices of `order` until there are `until`, where `made` were; return how many there are.

    `stuck` marks those for which no link is allowed any more.
    """
    sharing: Sharing = Sharing(graph, aim, count, room, work)
    sharing.hungry, sharing.most, sharing.dice = hungry, most, dice
    marks: uint8_t[::1] = view_bytes(stuck)
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            while sharing.count[v] < sharing.want and made < until:
                sharing.choose(v)
                if sharing.u < 0:
                    marks[v] = 1
                    break
                sharing.link(sharing.u, sharing.x, made)
                made += 1
    return made


def drop(order: cython.const[int64_t][:], graph, aim, count, room, work):
    """Take away the added links of `order`, one after the other, where every vertex keeps enough; return how many."""
    sharing: Sharing = Sharing(graph, aim, count, room, work)
    gone: int64_t = 0
    enough: cython.bint
    with cython.nogil:
        for i in range(order.shape[0]):
            e = order[i]
            x, u = sharing.ends[2 * e], sharing.ends[2 * e + 1]
            sharing.ends[2 * e] = -1
            sharing.ends[2 * e + 1] = -1
            enough = sharing.lose(u, x, -1)
            enough = sharing.lose(x, u, -1) and enough
            if enough:
                gone += 1
                sharing.degree[u] -= 1
                sharing.added[u] -= 1
                sharing.degree[x] -= 1
                sharing.added[x] -= 1
            else:
                sharing.lose(u, x, 1)
                sharing.lose(x, u, 1)
                sharing.ends[2 * e] = x
                sharing.ends[2 * e + 1] = u
    return gone
