"""Attacks on a release: cascading re-identification, matching by witnesses, and the search for planted vertices."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import sqrt
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import fraction, mix, scramble

from shoal.core._kernels import view_bytes

# One level of a cascade: which neighbors of a vertex that was found already are unique in their kind.
#
# x is a vertex of the original that was found, at `found[x]` in the attacked graph; y is a neighbor of x, w a neighbor
# of `found[x]`. `taken[w]` is the vertex that was found at w. Both are -1 where there is none. Entry e of a row has the
# kind `kinds[labels[e]]`, a number that means the same in both graphs. Without directions and kinds of links, labels
# are the neighbors, and `kinds` are what is known about each vertex.

NONE = cython.declare(int64_t, -1)
SEVERAL = cython.declare(int64_t, -2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_kinds(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    labels: cython.const[int32_t][::1],
    v: int64_t,
    kinds: cython.const[int64_t][::1],
    done: int64_t[::1],
    exclude: cython.bint,
    counts: int64_t[::1],
    last: int64_t[::1],
) -> cython.void:
    """Count the neighbors of v by their kind, without those found already if they are excluded; note the last one."""
    for e in range(indptr[v], indptr[v + 1]):
        y = indices[e]
        if not (exclude and done[y] >= 0):
            kind = kinds[labels[e]]
            counts[kind] += 1
            last[kind] = y


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def clear_kinds(
    indptr: cython.const[int64_t][::1],
    labels: cython.const[int32_t][::1],
    v: int64_t,
    kinds: cython.const[int64_t][::1],
    counts: int64_t[::1],
) -> cython.void:
    """Undo :func:`count_kinds`."""
    for e in range(indptr[v], indptr[v + 1]):
        counts[kinds[labels[e]]] = 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def claim(at: int64_t, value: int64_t, claims: int64_t[::1]) -> cython.void:
    """Note a claim; two that differ are a contradiction."""
    if claims[at] == NONE:
        claims[at] = value
    elif claims[at] != value:
        claims[at] = SEVERAL


def claims_around(
    known,
    graph,
    kinds: cython.const[int64_t][::1],
    seen: cython.const[int64_t][::1],
    found: int64_t[::1],
    taken: int64_t[::1],
    closed,
    shut,
    look,
    exclude: cython.bint,
    scratch,
    where: int64_t[::1],
    whose: int64_t[::1],
):
    """Note for every x that must be looked at which neighbor is which, by being unique in their kind.

    `known` and `graph` are the rows of the two graphs: bounds, neighbors, and labels.

    `where[y]` becomes the vertex that y is claimed to be, `whose[w]` the vertex that is claimed to be w; a vertex that
    is `closed` or `shut` was claimed in two ways before. `scratch` are two arrays of zeros and two of anything, one
    cell a kind.
    """
    indptr: cython.const[int64_t][::1] = known[0]
    indices: cython.const[int32_t][::1] = known[1]
    labels: cython.const[int32_t][::1] = known[2]
    other_ptr: cython.const[int64_t][::1] = graph[0]
    others: cython.const[int32_t][::1] = graph[1]
    other_labels: cython.const[int32_t][::1] = graph[2]
    here: int64_t[::1] = scratch[0]
    there: int64_t[::1] = scratch[1]
    one: int64_t[::1] = scratch[2]
    other: int64_t[::1] = scratch[3]
    is_closed: cython.const[uint8_t][::1] = view_bytes(closed)
    is_shut: cython.const[uint8_t][::1] = view_bytes(shut)
    looks: cython.const[uint8_t][::1] = view_bytes(look)
    with cython.nogil:
        for x in range(found.shape[0]):
            if not looks[x] or found[x] < 0:
                continue
            u = found[x]
            count_kinds(indptr, indices, labels, x, kinds, found, exclude, here, one)
            count_kinds(other_ptr, others, other_labels, u, seen, taken, exclude, there, other)
            for e in range(indptr[x], indptr[x + 1]):
                kind = kinds[labels[e]]
                if here[kind] == 1 and there[kind] == 1:
                    y, w = one[kind], other[kind]
                    if found[y] < 0 and taken[w] < 0 and not is_closed[y] and not is_shut[w]:
                        claim(y, w, where)
                        claim(w, y, whose)
            clear_kinds(indptr, labels, x, kinds, here)
            clear_kinds(other_ptr, other_labels, u, seen, there)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def look_around(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    v: int64_t,
    done: int64_t[::1],
    back: cython.bint,
    look: uint8_t[::1],
) -> cython.void:
    """Mark those found around v, who have one more neighbor found; `back` leads to their ids in `look`."""
    for e in range(indptr[v], indptr[v + 1]):
        y = indices[e]
        if done[y] >= 0:
            look[done[y] if back else y] = 1


def settle(
    known,
    graph,
    found: int64_t[::1],
    taken: int64_t[::1],
    where: int64_t[::1],
    whose: int64_t[::1],
    closed,
    shut,
    look,
):
    """Take the claims that nothing contradicts, close the others for good, and mark where to look next.

    Return how many were found. `where` and `whose` are emptied.
    """
    indptr: cython.const[int64_t][::1] = known[0]
    indices: cython.const[int32_t][::1] = known[1]
    other_ptr: cython.const[int64_t][::1] = graph[0]
    others: cython.const[int32_t][::1] = graph[1]
    is_closed: uint8_t[::1] = view_bytes(closed)
    is_shut: uint8_t[::1] = view_bytes(shut)
    looks: uint8_t[::1] = view_bytes(look)
    new: int64_t = 0
    y: cython.Py_ssize_t
    w: cython.Py_ssize_t
    with cython.nogil:
        for y in range(looks.shape[0]):
            looks[y] = 0
        for w in range(whose.shape[0]):
            if whose[w] == SEVERAL:
                is_shut[w] = 1
        for y in range(where.shape[0]):
            place = where[y]
            if place == SEVERAL:
                is_closed[y] = 1
            if place >= 0 and (is_shut[place] or is_closed[y]):
                is_closed[y] = 1
                where[y] = NONE
        for w in range(whose.shape[0]):  # a vertex that only closed ones point at is left alone, too
            owner = whose[w]
            if owner >= 0 and is_closed[owner]:
                is_shut[w] = 1
            whose[w] = NONE
        for y in range(where.shape[0]):
            place = where[y]
            where[y] = NONE
            if place >= 0 and not is_shut[place]:
                found[y] = place
                taken[place] = y
                looks[y] = 1
                new += 1
                # those that shared a kind with y or with its place may be unique now
                look_around(indptr, indices, y, found, False, looks)
                look_around(other_ptr, others, place, taken, True, looks)
    return new


# Witnesses: u of one graph and w of another have one for each neighbor of u whose partner is a neighbor of w.
#
# Rows of the one graph are `ptr`, `idx`, of the other `other_ptr`, `other_idx`. `partner[u]` is the vertex of the other
# graph that u was matched with, -1 for none; `taken[w]` the same from the other side. Ties go to the pair with the
# larger random number, which both sides see alike: it is the mix of `salt` and the pair.
#
# Where links have directions or kinds, a witness of u and w is a neighbor of u whose partner is linked to w by the same
# relation. Rows then list a neighbor once for each relation to it. The links of v by one relation are a *slot*: slots
# of v are `first[v]` to `first[v + 1]`, by ascending `relations`; slot s lists the neighbors `members[bounds[s]]` to
# `members[bounds[s + 1]]`.


@cython.cclass
class Side:
    """One graph, as it is matched with another: for each of its vertices, how to count witnesses in the other."""

    ptr: cython.const[int64_t][::1]
    idx: cython.const[int32_t][::1]
    other_ptr: cython.const[int64_t][::1]
    other_idx: cython.const[int32_t][::1]
    partner: int64_t[::1]
    free: uint8_t[::1]
    """Which vertices of the other graph may be matched."""
    flipped: cython.bint
    """Whether this is the second graph of the pair."""
    others: uint64_t
    """How many vertices the second graph has."""
    salt: uint64_t
    counts: int32_t[::1]
    touched: int32_t[::1]
    tied: cython.bint
    """Whether links have directions or kinds. The other arrays are for such links only."""
    relation: cython.const[int32_t][::1]
    """The relation of each entry of the rows."""
    first: cython.const[int64_t][::1]
    relations: cython.const[int32_t][::1]
    bounds: cython.const[int64_t][::1]
    members: cython.const[int32_t][::1]
    other_first: cython.const[int64_t][::1]
    other_relations: cython.const[int32_t][::1]
    other_bounds: cython.const[int64_t][::1]
    other_members: cython.const[int32_t][::1]
    reversals: cython.const[int32_t][::1]
    """For each relation how the other end sees it."""
    scores: cython.double[::1]
    witnesses: int32_t[::1]
    last: int32_t[::1]
    """The last witness of each w."""
    fresh: int32_t[::1]

    def __init__(self, here, there, partner, free, flipped, others, salt) -> None:
        self.ptr, self.idx = here[0], here[1]
        self.other_ptr, self.other_idx = there[0], there[1]
        self.partner, self.free = partner, view_bytes(free)
        self.flipped, self.others, self.salt = flipped, others, salt
        n = len(there[0]) - 1
        self.counts, self.touched = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        self.tied = len(here) > 2
        if self.tied:
            self.relation, self.first, self.relations, self.bounds, self.members, self.reversals = here[2:]
            self.other_first, self.other_relations, self.other_bounds, self.other_members = there[3:7]
            self.scores, self.fresh = np.zeros(n), np.empty(n, dtype=np.int32)
            self.witnesses, self.last = np.zeros(n, dtype=np.int32), np.full(n, -1, dtype=np.int32)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def lot(self, u: int64_t, w: int64_t) -> uint64_t:
        """Return the random number of a pair, the same from both sides."""
        if self.flipped:
            return mix(self.salt ^ mix(cython.cast(uint64_t, w) * self.others + cython.cast(uint64_t, u)))
        return mix(self.salt ^ mix(cython.cast(uint64_t, u) * self.others + cython.cast(uint64_t, w)))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_witnesses(self, u: int64_t) -> cython.Py_ssize_t:
        """Count the witnesses of u with every free w that has any; return how many w there are, in `touched`."""
        many: cython.Py_ssize_t = 0
        for e in range(self.ptr[u], self.ptr[u + 1]):
            b = self.partner[self.idx[e]]
            if b < 0:
                continue
            for f in range(self.other_ptr[b], self.other_ptr[b + 1]):
                w = self.other_idx[f]
                if self.free[w]:
                    if self.counts[w] == 0:
                        self.touched[many] = w
                        many += 1
                    self.counts[w] += 1
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_slot(self, w: int64_t, relation: int32_t) -> int64_t:
        """Return the slot of the other graph's w with this relation; -1 where there is none."""
        low: int64_t = self.other_first[w]
        high: int64_t = self.other_first[w + 1]
        while low < high:
            middle: int64_t = (low + high) >> 1
            if self.other_relations[middle] < relation:
                low = middle + 1
            else:
                high = middle
        if low < self.other_first[w + 1] and self.other_relations[low] == relation:
            return low
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_scores(self, u: int64_t) -> cython.Py_ssize_t:
        """Set the score of u with every free w that has witnesses; return how many w there are, in `touched`.

        The score is a sum over relations: the number of witnesses over the root of the number of links of w by this
        relation. Witnesses are counted before they are divided, so that rounding does not depend on their order.
        """
        many: cython.Py_ssize_t = 0
        for s in range(self.first[u], self.first[u + 1]):
            new: cython.Py_ssize_t = 0
            back = self.reversals[self.relations[s]]
            for e in range(self.bounds[s], self.bounds[s + 1]):
                b = self.partner[self.members[e]]
                if b < 0:
                    continue
                t = self.find_slot(b, back)
                if t < 0:
                    continue
                for f in range(self.other_bounds[t], self.other_bounds[t + 1]):
                    w = self.other_members[f]
                    if self.free[w]:
                        if self.counts[w] == 0:
                            self.fresh[new] = w
                            new += 1
                        self.counts[w] += 1
            for i in range(new):
                w = self.fresh[i]
                t = self.find_slot(w, self.relations[s])
                if self.scores[w] == 0.0:
                    self.touched[many] = w
                    many += 1
                self.scores[w] += self.counts[w] / sqrt(
                    cython.cast(cython.double, self.other_bounds[t + 1] - self.other_bounds[t])
                )
                self.counts[w] = 0
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_shared(self, u: int64_t, least: int64_t) -> cython.Py_ssize_t:
        """Count the links to witnesses that u and every free w share; 0 if w has fewer witnesses than `least`.

        A neighbor that shares several relations is one witness.
        """
        many: cython.Py_ssize_t = 0
        for e in range(self.ptr[u], self.ptr[u + 1]):
            y = self.idx[e]
            b = self.partner[y]
            if b < 0:
                continue
            t = self.find_slot(b, self.reversals[self.relation[e]])
            if t < 0:
                continue
            for f in range(self.other_bounds[t], self.other_bounds[t + 1]):
                w = self.other_members[f]
                if self.free[w]:
                    if self.counts[w] == 0:
                        self.touched[many] = w
                        many += 1
                    self.counts[w] += 1
                    if self.last[w] != y:
                        self.last[w] = y
                        self.witnesses[w] += 1
        for i in range(many):
            w = self.touched[i]
            if self.witnesses[w] < least:
                self.counts[w] = 0
            self.witnesses[w] = 0
            self.last[w] = -1
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_favorite(self, u: int64_t, least: int64_t) -> int64_t:
        """Return the free w with the most witnesses, `least` or more; -1 where there is none."""
        many = self.count_shared(u, least) if self.tied else self.count_witnesses(u)
        best: int64_t = -1
        most = least
        luck: uint64_t = 0
        for i in range(many):
            w = self.touched[i]
            if self.counts[w] >= most:
                drawn = self.lot(u, w)
                if best < 0 or self.counts[w] > most or drawn > luck:
                    most, luck, best = self.counts[w], drawn, w
            self.counts[w] = 0
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_standout(self, u: int64_t, theta: cython.double) -> int64_t:
        """Return the free w with the highest score, if it stands out from all others by `theta` deviations; else -1.

        The score is the number of witnesses over the root of the degree of w; it is 0 for all without witnesses, and
        these count in the deviation.
        """
        n: cython.double = self.touched.shape[0]
        by_relation: cython.bint = self.tied
        many = self.sum_scores(u) if by_relation else self.count_witnesses(u)
        best: int64_t = -1
        first: cython.double = 0.0
        second: cython.double = 0.0
        total: cython.double = 0.0
        squares: cython.double = 0.0
        luck: uint64_t = 0
        for i in range(many):
            w = self.touched[i]
            if by_relation:
                score = self.scores[w]
                self.scores[w] = 0.0
            else:
                score = self.counts[w] / sqrt(cython.cast(cython.double, self.other_ptr[w + 1] - self.other_ptr[w]))
                self.counts[w] = 0
            total += score
            squares += score * score
            if score < first:
                second = score if score > second else second
                continue
            drawn = self.lot(u, w)
            if score > first:
                second = first
                best, first, luck = w, score, drawn
            else:
                second = first
                if drawn > luck:
                    best, luck = w, drawn
        mean = total / n
        variance = squares / n - mean * mean
        spread = sqrt(variance if variance > 0.0 else 0.0)
        tied: cython.bint = theta > 0 and first == second  # even where there is no spread at all
        return -1 if tied or first - second < theta * spread else best


def favorites(
    first: int64_t,
    last: int64_t,
    here,
    there,
    partner,
    open_here,
    open_there,
    least: int64_t,
    flipped: cython.bint,
    others,
    salt,
    best: int64_t[::1],
):
    """Set for each open u in the range the open w with the most witnesses, `least` or more; -1 where there is none."""
    side: Side = Side(here, there, partner, open_there, flipped, others, salt)
    is_open: cython.const[uint8_t][::1] = view_bytes(open_here)
    with cython.nogil:
        for u in range(first, last):
            best[u] = side.find_favorite(u, least) if is_open[u] else -1


def propagate(
    order: cython.const[int64_t][::1],
    here,
    there,
    partner: int64_t[::1],
    taken: int64_t[::1],
    free,
    other_free,
    theta: cython.double,
    salt,
):
    """Visit vertices in order, and match each with the one that stands out for it and vice versa; count changes.

    A vertex that was matched is visited as if it were not, and keeps its partner if no other is found.
    """
    others = len(there[0]) - 1
    ahead: Side = Side(here, there, partner, other_free, False, others, salt)
    back: Side = Side(there, here, taken, free, True, others, salt)
    changes: int64_t = 0
    with cython.nogil:
        for i in range(order.shape[0]):
            u = order[i]
            old = partner[u]
            if old >= 0:
                partner[u] = -1
                taken[old] = -1
                back.free[u] = 1
                ahead.free[old] = 1
            new = ahead.find_standout(u, theta)
            if new >= 0 and back.find_standout(new, theta) != u:
                new = -1
            if new < 0:
                new = old
            elif new != old:
                changes += 1
            if new >= 0:
                partner[u] = new
                taken[new] = u
                back.free[u] = 0
                ahead.free[new] = 0
    return changes


# Planted vertices are searched one after the other: partial matches are extended by one vertex, the best are kept.
#
# i is the position of the planted vertex that comes next, j that of an earlier one. `matches[b]` holds the vertices
# taken for positions 0 to i - 1; its cost is how many links among them differ from the planted ones, and by how many
# their degrees do.

ONE = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
OTHER = cython.declare(uint64_t, 0xC2B2AE3D27D4EB4F)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def toss(seed: uint64_t, a: uint64_t, b: uint64_t) -> cython.double:
    """Return a number between 0 and 1 that looks drawn, the same for the same arguments."""
    return fraction(scramble(seed ^ (a * ONE) ^ (b * OTHER)))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_inside(matches: int32_t[:, ::1], b: cython.Py_ssize_t, i: int64_t, u: int64_t) -> cython.bint:
    """Return whether u is in match b."""
    for j in range(i):
        if matches[b, j] == u:
            return True
    return False


def extend(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    matches: int32_t[:, ::1],
    costs: int64_t[::1],
    i: int64_t,
    linked,
    degree: int64_t,
    allowed: int64_t,
    least: int64_t,
    share: cython.double,
    seed,
    work,
    counts: int64_t[::1],
    out: int32_t[:, ::1],
    out_costs: int64_t[::1],
):
    """Extend every match by each vertex that is linked to one of those that the next must be linked to.

    Without room in `out` only count, in `counts`, how many extensions there are of each cost up to `allowed`. With room
    write those that cost less than `least`, and of those that cost as much a `share`, drawn; return how many.
    """
    agree: int64_t[::1] = work[0]
    differ: int64_t[::1] = work[1]
    touched: int64_t[::1] = work[2]
    links: cython.const[uint8_t][::1] = view_bytes(linked)
    drawn_from: uint64_t = int(seed) & 0xFFFFFFFFFFFFFFFF
    wanted: int64_t = 0
    filled: cython.Py_ssize_t = 0
    far: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for j in range(i):
            wanted += links[j]
        for b in range(matches.shape[0]):
            far = 0
            for j in range(i):
                y = matches[b, j]
                for e in range(indptr[y], indptr[y + 1]):
                    x = indices[e]
                    if agree[x] == 0 and differ[x] == 0:
                        touched[far] = x
                        far += 1
                    if links[j]:
                        agree[x] += 1
                    else:
                        differ[x] += 1
            for t in range(far):
                u = touched[t]
                good, bad = agree[u], differ[u]
                agree[u] = 0
                differ[u] = 0
                apart = indptr[u + 1] - indptr[u] - degree
                cost = costs[b] + wanted - good + bad + (apart if apart >= 0 else -apart)
                if good == 0 or cost > allowed or is_inside(matches, b, i, u):
                    continue
                if out.shape[0] == 0:
                    counts[cost] += 1
                elif filled < out.shape[0] and (
                    cost < least
                    or (cost == least and toss(drawn_from, cython.cast(uint64_t, b), cython.cast(uint64_t, u)) < share)
                ):
                    for j in range(i):
                        out[filled, j] = matches[b, j]
                    out[filled, i] = cython.cast(int32_t, u)
                    out_costs[filled] = cost
                    filled += 1
    return filled
