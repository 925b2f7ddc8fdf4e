"""Degrees of a release: sequences in which each degree occurs k times, and links so that none is between 0 and k."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t
from cython.cimports.shoal.core._kernels.sorting import argsort

from shoal.core._kernels import view_bytes

# Degree sequences in which each degree occurs k times: optimal groupings (Liu & Terzi 2008), and lower bounds.
#
# d is the descending sequence of degrees; groups are neighbors in it.
#
# Groups of k or more neighbors in a descending sequence d, at the least cost: exact dynamic programs.
#
# A group d[j:i] moves to one degree. RAISE: to its largest one, d[j], at the cost of what each member lacks. NEAREST:
# to its median, at the cost of the absolute differences. A group of 2k or more can be split at no cost, so that only k
# to 2k - 1 members are looked at. `mass` holds prefix sums of d.

RAISE, NEAREST = 0, 1
FAR = 1 << 60

_FAR = cython.declare(int64_t, 1 << 60)  # the same for the loops


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def larger(a: int64_t, b: int64_t) -> int64_t:
    """Return the larger number."""
    return a if a > b else b


@cython.cfunc
def sum_up(d: cython.const[int64_t][::1], n: cython.Py_ssize_t) -> object:
    """Return the prefix sums of the first n numbers."""
    found = np.empty(n + 1, dtype=np.int64)
    mass: int64_t[::1] = found
    i: cython.Py_ssize_t
    mass[0] = 0
    for i in range(n):
        mass[i + 1] = mass[i] + d[i]
    return found


@cython.cfunc
def sum_products(d: cython.const[int64_t][::1], price: cython.const[int64_t][::1]) -> object:
    """Return the prefix sums of the degrees times their prices."""
    found = np.empty(d.shape[0] + 1, dtype=np.int64)
    mass: int64_t[::1] = found
    i: cython.Py_ssize_t
    mass[0] = 0
    for i in range(d.shape[0]):
        mass[i + 1] = mass[i] + price[i] * d[i]
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def cost(
    j: cython.Py_ssize_t,
    i: cython.Py_ssize_t,
    c: int64_t,
    at: cython.Py_ssize_t,
    mass: cython.pointer(cython.const[int64_t]),
) -> int64_t:
    """Return what it costs to move d[j:i] to the degree c, where d[j:at] is at least c and the others at most."""
    return mass[at] - mass[j] - c * (at - j) + c * (i - at) - (mass[i] - mass[at])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def best(
    j: cython.Py_ssize_t,
    i: cython.Py_ssize_t,
    d: cython.const[int64_t][::1],
    mass: cython.pointer(cython.const[int64_t]),
    nearest: cython.bint,
) -> int64_t:
    """Return the least cost of the group d[j:i]."""
    at = (i + j) // 2 if nearest else j
    return cost(j, i, d[at], at, mass)


def priced_groups(
    d: cython.const[int64_t][::1],
    up: cython.const[int64_t][::1],
    down: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
):
    """Return for each i the least price of d[:i] in groups, where the last one begins, and whose degree it moves to.

    Where all prices are the same (and where `down` is so high that none moves down) it is the least of all. Members of
    one group with different prices are looked at one by one.
    """
    n = d.shape[0]
    ups: cython.const[int64_t][::1] = sum_up(up, n)
    up_mass: cython.const[int64_t][::1] = sum_products(d, up)
    downs: cython.const[int64_t][::1] = sum_up(down, n)
    down_mass: cython.const[int64_t][::1] = sum_products(d, down)
    prices, begins = np.full(n + 1, FAR, dtype=np.int64), np.full(n + 1, -1, dtype=np.int64)
    places = np.full(n + 1, -1, dtype=np.int64)
    price: int64_t[::1] = prices
    begin: int64_t[::1] = begins
    place: int64_t[::1] = places
    price[0] = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k, n + 1):
            for j in range(larger(0, i - 2 * k + 1), i - k + 1):
                if price[j] >= _FAR:
                    continue
                first, last = j, i
                if up[j] == up[i - 1] and down[j] == down[i - 1]:
                    middle = (i - j) * up[j] // (up[j] + down[j])
                    first = j + (middle if middle < i - j - 1 else i - j - 1)
                    last = first + 1
                for at in range(first, last):
                    c = d[at]
                    spent = down_mass[at] - down_mass[j] - c * (downs[at] - downs[j])
                    spent += c * (ups[i] - ups[at]) - (up_mass[i] - up_mass[at])
                    if price[j] + spent < price[i]:
                        price[i] = price[j] + spent
                        begin[i] = j
                        place[i] = at
    return prices, begins, places


def even_groups(d: cython.const[int64_t][::1], k: cython.Py_ssize_t, kind: cython.int):
    """Return for each i and each parity the least cost of d[:i] in groups, where the last begins, and its degree.

    A group may also move to a degree beside the best one, which changes the parity where its size is odd.
    """
    n = d.shape[0]
    mass: cython.const[int64_t][::1] = sum_up(d, n)
    costs, begins = np.full((n + 1, 2), FAR, dtype=np.int64), np.full((n + 1, 2), -1, dtype=np.int64)
    degrees = np.full((n + 1, 2), -1, dtype=np.int64)
    least: int64_t[:, ::1] = costs
    begin: int64_t[:, ::1] = begins
    degree: int64_t[:, ::1] = degrees
    least[0, 0] = 0
    nearest: cython.bint = kind == NEAREST
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    aside: cython.int
    parity: cython.int
    with cython.nogil:
        for i in range(k, n + 1):
            for j in range(larger(0, i - 2 * k + 1), i - k + 1):
                at = (i + j) // 2 if nearest else j
                for aside in range(-1 if nearest else 0, 2):
                    c = d[at] + aside
                    if c < 0 or c >= n:
                        continue
                    if aside == 0:
                        spent = cost(j, i, c, at, cython.address(mass[0]))
                    else:
                        spent = 0
                        for m in range(j, i):
                            spent += d[m] - c if d[m] > c else c - d[m]
                    for parity in range(2):
                        odd = (parity + spent) & 1
                        if least[j, parity] < _FAR and least[j, parity] + spent < least[i, odd]:
                            least[i, odd] = least[j, parity] + spent
                            begin[i, odd] = j
                            degree[i, odd] = c
    return costs, begins, degrees


def greedy_groups(d: cython.const[int64_t][::1], k: cython.Py_ssize_t, kind: cython.int):
    """Return where groups begin by the greedy rule: the next member joins unless a fresh group costs less."""
    n = d.shape[0]
    sizes: cython.const[int64_t][::1] = sum_up(d, n)
    mass = cython.address(sizes[0])
    found = np.zeros(n, dtype=np.uint8)
    found[:1] = 1
    begins: cython.uchar[::1] = found
    nearest: cython.bint = kind == NEAREST
    j: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = k
    with cython.nogil:
        while i + k <= n:
            joined = best(j, i + 1, d, mass, nearest) - best(j, i, d, mass, nearest)
            if i + 1 < n:
                joined += best(i + 1, i + 1 + k if i + 1 + k < n else n, d, mass, nearest)
            if joined > best(i, i + k, d, mass, nearest):
                begins[i] = 1
                j = i
                i += k
            else:
                i += 1
    return found.view(np.bool_)


def least_deficiency(d: cython.const[int64_t][::1], k: cython.Py_ssize_t):
    """Return the least largest raise of a member over all groupings."""
    n = d.shape[0]
    most: int64_t[::1] = np.full(n + 1, FAR, dtype=np.int64)
    most[0] = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k, n + 1):
            low = most[i]
            for j in range(larger(0, i - 2 * k + 1), i - k + 1):
                raised = larger(most[j], d[j] - d[i - 1])
                low = raised if raised < low else low
            most[i] = low
    return most[n]


def groups_within(d: cython.const[int64_t][::1], k: cython.Py_ssize_t, deficiency: int64_t):
    """Return for each i the least cost of d[:i] in groups raised by `deficiency` at most, and where the last begins."""
    n = d.shape[0]
    mass: cython.const[int64_t][::1] = sum_up(d, n)
    costs, begins = np.full(n + 1, FAR, dtype=np.int64), np.full(n + 1, -1, dtype=np.int64)
    least: int64_t[::1] = costs
    begin: int64_t[::1] = begins
    least[0] = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(k, n + 1):
            for j in range(larger(0, i - 2 * k + 1), i - k + 1):
                if least[j] < _FAR and d[j] - d[i - 1] <= deficiency:
                    spent = least[j] + cost(j, i, d[j], j, cython.address(mass[0]))
                    if spent < least[i]:
                        least[i] = spent
                        begin[i] = j
    return costs, begins


# What any graph with k vertices of each degree costs at least: sums over the first places of a descending sequence.
#
# d are the degrees, descending; a place is an index of d. Groups are of k to 2k - 1 places, the last of any number of
# them (others complete it). The proofs are with :mod:`shoal.methods.links.match_degrees.bounds`.


def spare_edges(
    room: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    near: cython.const[int64_t][::1],
    s: int64_t,
):
    """Choose edges of the first places, an end among the first s; return how many at each, and in all.

    At place v they are at most room[v].
    """
    n = room.shape[0]
    v: cython.Py_ssize_t
    free: int64_t[::1] = np.array(room)
    counts = np.zeros(n, dtype=np.int64)
    taken: int64_t[::1] = counts
    longest: int64_t = 1
    for v in range(n):
        longest = larger(longest, indptr[v + 1] - indptr[v])
    row: int64_t[::1] = np.empty(longest, dtype=np.int64)
    keys: int64_t[::1] = np.empty(longest, dtype=np.int64)
    order: int64_t[::1] = np.empty(longest, dtype=np.int64)
    spare: int64_t[::1] = np.empty(longest, dtype=np.int64)
    total: int64_t = 0
    size: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for v in range(n - 1, -1, -1):
            size = 0
            for e in range(indptr[v], indptr[v + 1]):
                u = near[e]
                if u < v and u < s:
                    row[size] = u
                    keys[size] = -free[u]
                    size += 1
            if free[v] <= 0 or size == 0:
                continue
            argsort[int64_t](cython.address(keys[0]), cython.address(order[0]), cython.address(spare[0]), size)
            for i in range(size):
                u = row[order[i]]
                if free[v] > 0 and free[u] > 0:
                    free[v] -= 1
                    free[u] -= 1
                    taken[v] += 1
                    taken[u] += 1
                    total += 1
    return counts, total


def led_groups(
    d: cython.const[int64_t][::1],
    r: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
):
    """Return for each s <= most and number of groups the least sum of d[leader] - r over all but the leaders."""
    mass: cython.const[int64_t][::1] = sum_up(r, most)
    groups: cython.Py_ssize_t = most // k + 2
    sizes = np.full((most + 1, groups), FAR, dtype=np.int64)
    whole: int64_t[:, ::1] = np.full((most + 1, groups), FAR, dtype=np.int64)
    found: int64_t[:, ::1] = sizes
    whole[0, 0] = 0
    found[0, 0] = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    g: cython.Py_ssize_t
    with cython.nogil:
        for j in range(most):
            end: cython.Py_ssize_t = j + 2 * k if j + 2 * k < most + 1 else most + 1
            for g in range((j + 2 * k - 2) // (2 * k - 1), j // k + 1):  # so many whole groups can end at j
                base = whole[j, g] + mass[j + 1]
                for i in range(j + 1, end):
                    c = base + d[j] * (i - j - 1) - mass[i]
                    found[i, g + 1] = min(found[i, g + 1], c)
                    if i - j >= k:
                        whole[i, g + 1] = min(whole[i, g + 1], c)
    return sizes


def twice_the_edits(found: cython.const[int64_t][:, ::1], s: cython.Py_ssize_t, m: cython.Py_ssize_t):
    """Return twice what is left of the first s places, and half of the next m, less the pairs among them."""
    low: int64_t = _FAR
    g: cython.Py_ssize_t
    h: cython.Py_ssize_t
    with cython.nogil:
        for g in range(found.shape[1]):
            for h in range(g, found.shape[1]):
                if found[s, g] < _FAR and found[s + m, h] < _FAR:
                    full = s - g
                    half = s + m - h - full
                    edits = found[s, g] + found[s + m, h] - full * (full - 1) - full * half
                    low = edits if edits < low else low
    return low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def parted(
    j: cython.Py_ssize_t,
    i: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    d: cython.const[int64_t][::1],
    mass: cython.pointer(cython.const[int64_t]),
) -> int64_t:
    """Return the least cost of moving d[j:at] down and d[at:i] up to a degree that none of them has."""
    if at == j:
        return cost(j, i, d[j] + 1, at, mass)
    if at == i:
        return cost(j, i, d[i - 1] - 1, at, mass)
    if d[at - 1] - d[at] < 2:
        return _FAR
    low = cost(j, i, d[at] + 1, at, mass)
    high = cost(j, i, d[at - 1] - 1, at, mass)
    return low if low < high else high


@cython.cclass
class Moves:
    """The least costs of the first places, by how many of them move up and how many groups keep one place."""

    whole: int64_t[:, :, ::1]
    """Where the last group is whole."""
    found: int64_t[:, :, ::1]
    k: cython.Py_ssize_t

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lower(
        self, i: cython.Py_ssize_t, j: cython.Py_ssize_t, up: cython.Py_ssize_t, stays: cython.Py_ssize_t, c: int64_t
    ) -> cython.void:
        """Enter a last group d[j:i] of which so many move up and stay."""
        # Numbers that follow each other, so that all of one j are one run. Those that stay move it on by one, past the
        # end of a line too; there is nothing: whole groups are never so many.
        many = (j + 1) * self.whole.shape[2] - stays
        there, found = cython.address(self.whole[j, 0, 0]), cython.address(self.found[i, up, stays])
        e: cython.Py_ssize_t
        for e in range(many):
            x = there[e] + c
            found[e] = x if x < found[e] else found[e]
        if i - j >= self.k:
            whole = cython.address(self.whole[i, up, stays])
            for e in range(many):
                x = there[e] + c
                whole[e] = x if x < whole[e] else whole[e]


def signed_groups(d: cython.const[int64_t][::1], k: cython.Py_ssize_t, most: cython.Py_ssize_t):
    """Return the least cost of d[:s] for each s <= most, p places that move up, and e groups of which one place stays.

    The others move down. All others that stay count as moving, by nothing.
    """
    sizes: cython.const[int64_t][::1] = sum_up(d, most)
    mass = cython.address(sizes[0])
    shape = (most + 1, most + 1, most // k + 2)
    costs = np.full(shape, FAR, dtype=np.int64)
    moves: Moves = Moves()
    moves.whole, moves.found, moves.k = np.full(shape, FAR, dtype=np.int64), costs, k
    moves.whole[0, 0, 0] = 0
    moves.found[0, 0, 0] = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    with cython.nogil:
        for i in range(1, most + 1):
            for j in range(larger(0, i - 2 * k + 1), i):
                if 0 < j < k:
                    continue  # no whole group ends there
                for at in range(j, i):
                    moves.lower(i, j, i - at - 1, 1, cost(j, i, d[at], at, mass))
                for at in range(j, i + 1):
                    c = parted(j, i, at, d, mass)
                    if c < _FAR:
                        moves.lower(i, j, i - at, 0, c)
    return costs


@cython.cclass
class Payments:
    """What the first places pay in all, a line of levels for each number of places, and lines to add to them."""

    paid: int64_t[:, ::1]
    levels: cython.const[int64_t][::1]
    times: int64_t[:, ::1]
    """The levels times the slope of what a place pays, below low, up to its degree, up to high, and above."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slope(self, piece: cython.Py_ssize_t, by: int64_t) -> cython.void:
        """Set the slope of a piece."""
        x: cython.Py_ssize_t
        for x in range(self.levels.shape[0]):
            self.times[piece, x] = by * self.levels[x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, level: int64_t, x: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return how many levels are below one, beginning at x."""
        while x < self.levels.shape[0] and self.levels[x] < level:
            x += 1
        while x > 0 and self.levels[x - 1] >= level:
            x -= 1
        return x

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(
        self,
        v: cython.Py_ssize_t,
        piece: cython.Py_ssize_t,
        base: int64_t,
        x: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> cython.void:
        """Add what place v pays for the levels of a piece."""
        before, after = cython.address(self.paid[v, 0]), cython.address(self.paid[v + 1, 0])
        times = cython.address(self.times[piece, 0])
        i: cython.Py_ssize_t
        for i in range(x, end):
            after[i] = before[i] + times[i] + base


def quarters_paid(
    d: cython.const[int64_t][:],
    low: cython.const[int64_t][:],
    high: cython.const[int64_t][:],
    levels: cython.const[int64_t][:],
    q: cython.Py_ssize_t,
    p: cython.Py_ssize_t,
    z: int64_t,
):
    """Return for each number of first places, and each degree they could move to, the quarters that they pay in all.

    The first q pay 2 for a unit down; the first p pay 2 for a unit up, others z. Below low it is 2 more, above high
    2 - z more. The levels ascend, and low <= d <= high: so each place pays along four straight lines.
    """
    n, many = d.shape[0], levels.shape[0]
    sizes = np.empty((n + 1, many), dtype=np.int64)
    sizes[0] = 0
    payments: Payments = Payments()
    payments.paid, payments.times = sizes, np.empty((4, many), dtype=np.int64)
    payments.levels = np.ascontiguousarray(levels)
    v: cython.Py_ssize_t
    a: cython.Py_ssize_t = 0
    b: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t = 0
    with cython.nogil:
        for v in range(n if many else 0):
            down: int64_t = 2 if v < q else 0
            up: int64_t = 2 if v < p else z
            if v in (0, q, p):
                payments.slope(0, -down - 2)
                payments.slope(1, -down)
                payments.slope(2, up)
                payments.slope(3, up + 2 - z)
            a, b, c = payments.find(low[v], a), payments.find(d[v], b), payments.find(high[v], c)
            payments.add(v, 0, down * d[v] + 2 * low[v], 0, a)
            payments.add(v, 1, down * d[v], a, b)
            payments.add(v, 2, -up * d[v], b, c)
            payments.add(v, 3, -up * d[v] - (2 - z) * high[v], c, many)
    return sizes


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def lowest(
    here: cython.pointer(cython.const[int64_t]),
    there: cython.pointer(cython.const[int64_t]),
    many: cython.Py_ssize_t,
    x: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Return where the difference, which falls and then rises, is lowest, beginning at x."""
    while x + 1 < many and here[x + 1] - there[x + 1] <= here[x] - there[x]:
        x += 1
    while x > 0 and here[x - 1] - there[x - 1] <= here[x] - there[x]:
        x -= 1
    return x


def least_paid(paid: cython.const[int64_t][:, ::1], k: cython.Py_ssize_t, last: cython.Py_ssize_t):
    """Return the least that all places pay in groups, each of which moves to one degree; the last has last or more.

    What a group pays is convex in that degree, and the best one of the group before is near.
    """
    most, many = paid.shape[0] - 1, paid.shape[1]
    whole: int64_t[::1] = np.full(most + 1, FAR, dtype=np.int64)
    whole[0] = 0
    x: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(1, most + 1):
            for j in range(i - (last if i == most else k), larger(-1, i - 2 * k), -1):
                if whole[j] < _FAR:
                    x = lowest(cython.address(paid[i, 0]), cython.address(paid[j, 0]), many, x)
                    spent = whole[j] + paid[i, x] - paid[j, x]
                    whole[i] = spent if spent < whole[i] else whole[i]
    return whole[most]


# Degrees become 0 or at least k: which vertices to isolate, and whom to link so that one edge helps two.
#
# left[v] is how many edges v still needs. Rows are those of a simple graph: indices[indptr[v]:indptr[v + 1]].
#
# With two sides, the numbers 2x and 2x + 1 are x as a source and as a target of arcs. Then edges lead from an even to
# an odd number, and never from 2x to 2x + 1.

STEPS = cython.declare(cython.int, 4096)
"""How many vertices at distance two are looked at for one vertex."""


def isolate(
    order: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    k: int64_t,
    least: int64_t,
    degree: int64_t[::1],
    gone,
    prices: cython.const[int64_t][::1],
):
    """Mark in `gone` which vertices lose all edges, and count degrees down, where that saves `least` or more.

    Return how many do. In halves of an edge: an edge that v needs costs the price of its side, which is 1 where it
    serves both ends. An edge that goes costs two, and the price of one more at an end that then needs one. An end whose
    only edge it was needs nothing any more.
    """
    last: int64_t = prices.shape[0] - 1
    away: uint8_t[::1] = view_bytes(gone)
    isolated: int64_t = 0
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            if away[v] or degree[v] == 0 or degree[v] >= k:
                continue
            saved = prices[v & last] * (k - degree[v])
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if not away[u]:
                    saved -= 2
                    if degree[u] == 1:
                        saved += prices[u & last] * (k - 1)
                    elif degree[u] <= k:
                        saved -= prices[u & last]
            if saved >= least:
                for e in range(indptr[v], indptr[v + 1]):
                    if not away[indices[e]]:
                        degree[indices[e]] -= 1
                degree[v] = 0
                away[v] = 1
                isolated += 1
    return isolated


@cython.cclass
class Repair:
    """A graph, the edges that each vertex needs, and those chosen for it.

    The partners of v are partner[begin[v]:begin[v] + used[v]].
    """

    sides: int64_t
    """1, or 2 where edges are arcs."""
    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    begin: cython.const[int64_t][::1]
    used: int64_t[::1]
    partner: int64_t[::1]
    mark: int64_t[::1]
    left: int64_t[::1]
    start: int64_t[::1]
    """Where the vertices that still need an edge may begin in each row."""
    head: int64_t[:, ::1]
    """The first vertex that needs so many, for each side and number."""
    below: int64_t[::1]
    """The next vertex that needs as many."""
    pooled: uint8_t[::1]
    """Whether a vertex is in the pool."""

    def __init__(self, sides, indptr, indices, begin, used, partner, mark, left) -> None:
        self.sides, self.indptr, self.indices = sides, indptr, indices
        self.begin, self.used, self.partner, self.mark, self.left = begin, used, partner, mark, left

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stamp(self, v: int64_t) -> cython.void:
        """Mark v, its other side, its neighbors and those it was linked to."""
        self.mark[v] = v
        if self.sides == 2:
            self.mark[v ^ 1] = v
        for e in range(self.indptr[v], self.indptr[v + 1]):
            self.mark[self.indices[e]] = v
        for e in range(self.begin[v], self.begin[v] + self.used[v]):
            self.mark[self.partner[e]] = v

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def note(self, v: int64_t, u: int64_t) -> cython.void:
        """Give v an edge to u."""
        self.partner[self.begin[v] + self.used[v]] = u
        self.used[v] += 1
        self.left[v] -= 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def link(self, v: int64_t, u: int64_t) -> cython.void:
        """Link two vertices that both need an edge."""
        self.note(v, u)
        self.note(u, v)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_near(self, v: int64_t) -> cython.void:
        """Link v to vertices at distance two that need an edge."""
        self.stamp(v)
        steps: cython.int = 0
        for e in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[e] ^ (self.sides - 1)  # on the side of v, so that its neighbors are on the other
            end = self.indptr[w + 1]
            while self.start[w] < end and self.left[self.indices[self.start[w]]] == 0:
                self.start[w] += 1
            f = self.start[w]
            while f < end and self.left[v] > 0 and steps < STEPS:
                u = self.indices[f]
                if self.left[u] > 0 and self.mark[u] != v:
                    self.link(v, u)
                    self.mark[u] = v
                f += 1
                steps += 1
            if self.left[v] == 0 or steps >= STEPS:
                return

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def push(self, v: int64_t) -> cython.void:
        """Put v on top of those on its side that need as many edges."""
        side = v & (self.sides - 1)
        self.below[v] = self.head[side, self.left[v]]
        self.head[side, self.left[v]] = v

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_most(self, top: int64_t) -> cython.void:
        """Link the vertices on the lists; `top` is the most edges that one needs."""
        while top > 0:
            side: int64_t = 0 if self.head[0, top] != -1 else self.sides - 1
            v = self.head[side, top]
            if v == -1:
                top -= 1
                continue
            self.head[side, top] = self.below[v]
            self.stamp(v)
            aside: int64_t = -1
            d = top
            side ^= self.sides - 1
            while d > 0 and self.left[v] > 0:
                u = self.head[side, d]
                if u == -1:
                    d -= 1
                    continue
                self.head[side, d] = self.below[u]
                if self.mark[u] != v:
                    self.link(v, u)
                self.below[u] = aside
                aside = u
            while aside != -1:
                u = aside
                aside = self.below[u]
                if self.left[u] > 0:
                    self.push(u)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_near_pooled(self, v: int64_t) -> cython.void:
        """Link v to vertices of the pool at distance two."""
        self.stamp(v)
        steps: cython.int = 0
        for e in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[e] ^ (self.sides - 1)
            for f in range(self.indptr[w], self.indptr[w + 1]):
                u = self.indices[f]
                if self.mark[u] != v and self.pooled[u]:
                    self.note(v, u)
                    self.mark[u] = v
                steps += 1
                if self.left[v] == 0 or steps >= STEPS:
                    return


def link_near(order: cython.const[int64_t][::1], sides, indptr, indices, begin, used, partner, mark, left):
    """Link vertices that need an edge to others at distance two that need one."""
    repair: Repair = Repair(sides, indptr, indices, begin, used, partner, mark, left)
    repair.start = np.array(indptr[: len(indptr) - 1])
    with cython.nogil:
        for i in range(order.shape[0]):
            if repair.left[order[i]] != 0:
                repair.link_near(order[i])


def link_most(order: cython.const[int64_t][::1], sides, indptr, indices, begin, used, partner, mark, left):
    """Link the vertex that needs most edges to the others that need most, again and again (Havel and Hakimi)."""
    repair: Repair = Repair(sides, indptr, indices, begin, used, partner, mark, left)
    top: int64_t = 0
    for i in range(order.shape[0]):
        top = max(top, repair.left[order[i]])
    repair.head, repair.below = np.full((sides, top + 1), -1, dtype=np.int64), np.empty(len(left), dtype=np.int64)
    with cython.nogil:
        for i in range(order.shape[0]):
            if repair.left[order[i]] > 0:
                repair.push(order[i])
        repair.link_most(top)


def link_any(
    order: cython.const[int64_t][::1],
    pool: cython.const[int64_t][::1],
    sides,
    indptr,
    indices,
    begin,
    used,
    partner,
    mark,
    left,
):
    """Link those that still need edges to vertices of the pool: near ones first, then in the pool's order."""
    repair: Repair = Repair(sides, indptr, indices, begin, used, partner, mark, left)
    repair.pooled = np.zeros(len(left), dtype=np.uint8)
    at: cython.Py_ssize_t = 0
    many: cython.Py_ssize_t = pool.shape[0]
    tried: cython.Py_ssize_t
    with cython.nogil:
        for i in range(many):
            repair.pooled[pool[i]] = 1
        for i in range(order.shape[0]):
            v = order[i]
            if repair.left[v] == 0:
                continue
            repair.link_near_pooled(v)
            tried = 0
            while repair.left[v] > 0 and tried < many:
                u = pool[at]
                at = at + 1 if at + 1 < many else 0
                tried += 1
                if repair.mark[u] != v and (u ^ v) & (repair.sides - 1) == repair.sides - 1:
                    repair.note(v, u)
                    repair.mark[u] = v
