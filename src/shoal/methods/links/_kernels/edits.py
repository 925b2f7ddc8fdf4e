"""Edits of links: those that bring every degree to its target, and random switches that keep all degrees."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.rows import linked
from cython.cimports.shoal.core._kernels.sorting import argsort
from cython.cimports.shoal.core._kernels.words import mix

from shoal.core._kernels import view_bytes

# Edits that bring every degree to its target: pairs are toggled, so that a link is added, or one that is there goes.
#
# need[v] is how many links v still lacks (negative: has too many). The graph stays as it is in compressed rows; the
# toggled pairs are kept in lists, one a vertex: head[v] is the first entry, after[e] the next one, other[e] the other
# end; e ^ 1 is the entry of the same pair at the other end. many[v] counts them; room[0] entries were ever used, and
# room[1] begins the list of those that are free again. `s` is all of that: (indptr, indices, head, after, other, many,
# room).


@cython.cclass
class Edits:
    """A graph, the pairs that were toggled in it, what each vertex needs, and room to count in."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    head: int64_t[::1]
    after: int64_t[::1]
    other: int64_t[::1]
    many: int64_t[::1]
    room: int64_t[::1]
    sign: int64_t
    """1 where links are lacking, -1 where there are too many."""
    need: int64_t[::1]
    mark: int64_t[::1]
    second: int64_t[::1]
    common: int64_t[::1]
    """How many neighbors each vertex shares with one, 0 between calls."""
    seen: int64_t[::1]
    first: int64_t[::1]
    """The first vertex that needs so many, for each number."""
    below: int64_t[::1]
    """The next vertex that needs as many."""
    aim: int64_t[::1]
    population: int64_t[::1]
    """How many vertices aim at each degree."""
    k: int64_t
    keys: int64_t[::1]
    order: int64_t[::1]
    spare: int64_t[::1]
    known_indptr: cython.const[int64_t][::1]
    known_indices: cython.const[int32_t][::1]
    xs: int64_t[::1]
    ys: int64_t[::1]
    x: int64_t
    y: int64_t
    """The ends that were chosen for a swap."""

    def __init__(self, s) -> None:
        self.indptr, self.indices, self.head, self.after, self.other, self.many, self.room = s

    def add_keys(self, size: int) -> None:
        """Make room to sort so many vertices."""
        self.keys, self.order = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
        self.spare = np.empty(size, dtype=np.int64)

    # The toggled pairs.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def entry(self, u: int64_t, v: int64_t) -> int64_t:
        """Return the entry of a toggled pair in the list of u, or -1."""
        swapped: cython.bint = self.many[u] > self.many[v]
        if swapped:
            u, v = v, u
        e = self.head[u]
        while e != -1 and self.other[e] != v:
            e = self.after[e]
        return e ^ 1 if swapped and e != -1 else e

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def unlist(self, v: int64_t, e: int64_t) -> cython.void:
        """Take an entry out of the list of v."""
        self.many[v] -= 1
        if self.head[v] == e:
            self.head[v] = self.after[e]
            return
        before = self.head[v]
        while self.after[before] != e:
            before = self.after[before]
        self.after[before] = self.after[e]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def toggle(self, u: int64_t, v: int64_t) -> cython.void:
        """Add the link of two vertices, or take it away if it is there."""
        e = self.entry(u, v)
        if e != -1:
            self.unlist(u, e)
            self.unlist(v, e ^ 1)
            if e & 1:
                e ^= 1
            self.other[e] = -1
            self.other[e ^ 1] = -1
            self.after[e] = self.room[1]
            self.room[1] = e
            return
        if self.room[1] != -1:
            e = self.room[1]
            self.room[1] = self.after[e]
        else:
            e = self.room[0]
            self.room[0] += 2
        self.other[e] = v
        self.other[e ^ 1] = u
        self.after[e] = self.head[u]
        self.after[e ^ 1] = self.head[v]
        self.head[u] = e
        self.head[v] = e ^ 1
        self.many[u] += 1
        self.many[v] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stamp(self, v: int64_t, mark: int64_t[::1]) -> cython.void:
        """Mark v and the vertices it is linked to now with v, and no others."""
        for i in range(self.indptr[v], self.indptr[v + 1]):
            mark[self.indices[i]] = v
        e = self.head[v]
        while e != -1:
            w = self.other[e]
            mark[w] = -1 if mark[w] == v else v
            e = self.after[e]
        mark[v] = v

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stamp_alone(self, v: int64_t, mark: int64_t[::1]) -> cython.void:
        """Do the same after all marks were taken away."""
        for i in range(mark.shape[0]):
            mark[i] = -1
        self.stamp(v, mark)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_open(self, w: int64_t, v: int64_t) -> cython.bint:
        """Return whether the pair of w and v, whose neighbors are marked, can be toggled as the sign wants it."""
        return (self.mark[w] == v) == (self.sign < 0)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self, u: int64_t, v: int64_t) -> cython.void:
        """Toggle a pair of which both ends need it."""
        self.toggle(u, v)
        self.need[u] -= self.sign
        self.need[v] -= self.sign

    # Two that are in need.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def push(self, v: int64_t) -> cython.void:
        """Put v on top of those that need as many edits."""
        self.below[v] = self.first[self.sign * self.need[v]]
        self.first[self.sign * self.need[v]] = v

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pair_up(self, top: int64_t) -> cython.void:
        """Toggle pairs of which both ends need it; `top` is the largest need."""
        first, below = self.first, self.below
        while top > 0:
            v = first[top]
            if v == -1:
                top -= 1
                continue
            first[top] = below[v]
            self.stamp(v, self.mark)
            aside: int64_t = -1
            d = top
            while d > 0 and self.need[v] != 0:
                u = first[d]
                if u == -1:
                    d -= 1
                    continue
                first[d] = below[u]
                if self.is_open(u, v):
                    self.settle(v, u)
                below[u] = aside
                aside = u
            while aside != -1:
                u = aside
                aside = below[u]
                if self.need[u] != 0:
                    self.push(u)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_walkable(self, v: int64_t) -> cython.bint:
        """Stamp v; return whether it could take over an end of a pair that was toggled."""
        self.stamp(v, self.mark)
        for e in range(self.room[0]):
            x = self.other[e]
            if x not in (-1, v) and self.is_open(x, v):
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk(self, u: int64_t, v: int64_t) -> cython.bint:
        """Look for a toggled pair (x, y) to give up for (u, x) and (v, y), all of one sign; return whether there was.

        The neighbors of u are marked in `mark`, those of v in `second`.
        """
        there: cython.bint = self.sign < 0
        for e in range(self.room[0]):
            x, y = self.other[e], self.other[e ^ 1]
            if x in (-1, u, v) or y in (u, v):
                continue
            if (self.mark[x] == u) != there or (self.second[y] == v) != there:
                continue
            if linked(self.indptr, self.indices, x, y) == there:
                self.toggle(x, y)
                self.toggle(u, x)
                self.toggle(v, y)
                self.need[u] -= self.sign
                self.need[v] -= self.sign
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk_between(self, u: int64_t, v: int64_t, looks: int64_t, most: int64_t) -> int64_t:
        """Serve u and v by walks as long as there is one; return the looks at a pair, `looks` of which were before."""
        least: int64_t = 1 if u == v else 0
        while looks < most and self.sign * self.need[u] > least and self.sign * self.need[v] > 0:
            self.stamp_alone(u, self.mark)
            self.stamp_alone(v, self.second)
            looks += self.room[0] + self.need.shape[0]
            if not self.walk(u, v):
                break
        return looks

    # Switches of the ends of links, and partners that need nothing: what two in need cannot give each other.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_common(self, v: int64_t) -> int64_t:
        """Count the common neighbors of v with all two steps away; list them in `seen` and return how many."""
        found: int64_t = 0
        for i in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[i]
            for j in range(self.indptr[w], self.indptr[w + 1]):
                x = self.indices[j]
                if self.common[x] == 0:
                    self.seen[found] = x
                    found += 1
                self.common[x] += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_most_shared(self, u: int64_t, v: int64_t) -> int64_t:
        """Return the neighbor of u that shares most with v and can become its neighbor instead, or -1."""
        best: int64_t = -1
        score: int64_t = -1
        for i in range(self.indptr[u], self.indptr[u + 1]):
            w = self.indices[i]
            if self.mark[w] != v and w != v and self.common[w] > score and self.entry(u, w) == -1:
                best, score = w, self.common[w]
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def switch_to(self, v: int64_t, givers: cython.const[int64_t][::1]) -> cython.void:
        """Move ends of links from those that have too many to v, as many as it lacks."""
        self.stamp_alone(v, self.mark)
        found = self.count_common(v)
        for i in range(givers.shape[0]):
            u = givers[i]
            while self.need[v] > 0 and self.need[u] < 0:
                best = self.find_most_shared(u, v)
                if best == -1:
                    break
                self.toggle(u, best)
                self.toggle(v, best)
                self.mark[best] = v
                self.need[u] += 1
                self.need[v] -= 1
        for i in range(found):
            self.common[self.seen[i]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_movable(self, w: int64_t) -> cython.bint:
        """Return whether w may go one degree up or down while its class and the next one keep k members."""
        c = self.aim[w]
        to = c + self.sign
        if self.need[w] != 0 or to < 0 or to >= self.population.shape[0]:
            return False
        return self.population[c] > self.k and self.population[to] >= self.k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move(self, v: int64_t, w: int64_t) -> cython.void:
        """Toggle the pair of v, which needs it, and w, whose target moves with it, if that can be."""
        if w != v and self.is_open(w, v) and self.is_movable(w):
            self.toggle(v, w)
            self.need[v] -= self.sign
            self.population[self.aim[w]] -= 1
            self.aim[w] += self.sign
            self.population[self.aim[w]] += 1
            self.mark[w] = v if self.sign > 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move_near(self, v: int64_t) -> cython.void:
        """Serve v with vertices two steps away, those with few neighbors that are not shared first."""
        found = self.count_common(v)
        if found == 0:
            return
        for i in range(found):
            w = self.seen[i]
            self.keys[i] = self.indptr[w + 1] - self.indptr[w] - 2 * self.common[w]
            self.common[w] = 0
        argsort[int64_t](
            cython.address(self.keys[0]), cython.address(self.order[0]), cython.address(self.spare[0]), found
        )
        for i in range(found):
            if self.need[v] == 0:
                break
            self.move(v, self.seen[self.order[i]])

    # From an empty graph to the target degrees with known links.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_known(self, v: int64_t) -> cython.void:
        """Take over known links of v as far as both ends need them, to those that need most first."""
        start = self.known_indptr[v]
        size = self.known_indptr[v + 1] - start
        if size == 0:
            return
        for i in range(size):
            self.keys[i] = -self.need[self.known_indices[start + i]]
        argsort[int64_t](
            cython.address(self.keys[0]), cython.address(self.order[0]), cython.address(self.spare[0]), size
        )
        for i in range(size):
            u = self.known_indices[start + self.order[i]]
            if self.need[v] > 0 and self.need[u] > 0 and self.entry(v, u) == -1:
                self.settle(v, u)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_strange(self, v: int64_t, found: int64_t[::1]) -> int64_t:
        """List the neighbors of v that are no known ones, as many as there is room for; return how many."""
        e = self.head[v]
        many: int64_t = 0
        while e != -1 and many < found.shape[0]:
            if not linked(self.known_indptr, self.known_indices, v, self.other[e]):
                found[many] = self.other[e]
                many += 1
            e = self.after[e]
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_swap(self, i: int64_t, j: int64_t, p: int64_t, q: int64_t) -> cython.void:
        """Choose of p xs and q ys whom to part from i and j and to link instead; the most known links, or -1."""
        best: int64_t = 0
        self.x, self.y = -1, -1
        for a in range(p):
            for b in range(q):
                x, y = self.xs[a], self.ys[b]
                if x not in (y, j) and y != i and self.entry(x, y) == -1:
                    gain: int64_t = 2 if linked(self.known_indptr, self.known_indices, x, y) else 1
                    if gain > best:
                        best = gain
                        self.x, self.y = x, y
                    if best == 2:
                        return


def pair_up(order: cython.const[int64_t][::1], sign: int64_t, need, mark, s):
    """Toggle pairs of which both ends need it: those in most need with the others in most need (Havel and Hakimi)."""
    edits: Edits = Edits(s)
    edits.sign, edits.need, edits.mark = sign, need, mark
    top: int64_t = 0
    for i in range(order.shape[0]):
        top = max(top, sign * edits.need[order[i]])
    edits.first, edits.below = np.full(top + 1, -1, dtype=np.int64), np.empty(len(need), dtype=np.int64)
    with cython.nogil:
        for i in range(order.shape[0]):
            if sign * edits.need[order[i]] > 0:
                edits.push(order[i])
        edits.pair_up(top)


def walks(order: cython.const[int64_t][::1], sign: int64_t, need, first, second, s, most: int64_t):
    """Serve needs that no pair is left for by alternating walks of three steps; stop after `most` looks at a pair."""
    edits: Edits = Edits(s)
    edits.sign, edits.need, edits.mark, edits.second = sign, need, first, second
    looks: int64_t = 0
    with cython.nogil:
        for a in range(order.shape[0]):
            u = order[a]
            looks += edits.room[0] // 8  # most of those that cannot take over an end are seen to soon
            if looks >= most:
                break
            if sign * edits.need[u] <= 0 or not edits.is_walkable(u):
                continue
            for b in range(a, order.shape[0]):
                looks = edits.walk_between(u, order[b], looks, most)


def switches(givers: cython.const[int64_t][::1], takers: cython.const[int64_t][::1], need, s, mark, common, seen):
    """Move ends of links from those that have too many to those that lack some; the third vertex keeps its degree.

    Of the neighbors of the giver the one that shares most with the taker is taken.
    """
    edits: Edits = Edits(s)
    edits.need, edits.mark, edits.common, edits.seen = need, mark, common, seen
    with cython.nogil:
        for i in range(takers.shape[0]):
            if edits.need[takers[i]] > 0:
                edits.switch_to(takers[i], givers)


def partners(
    order: cython.const[int64_t][::1],
    pool: cython.const[int64_t][::1],
    sign: int64_t,
    need,
    aim,
    population,
    k: int64_t,
    near: cython.bint,
    s,
    mark,
    common,
    seen,
):
    """Serve what no pair serves with others that need nothing, and whose class can spare them, a degree up or down.

    With `near`, those with the least neighborhood centrality come first: few neighbors that are not shared. Then they
    come in the order of the pool.
    """
    edits: Edits = Edits(s)
    edits.sign, edits.need, edits.mark, edits.common, edits.seen = sign, need, mark, common, seen
    edits.aim, edits.population, edits.k = aim, population, k
    if near:
        edits.add_keys(len(seen))
    at: cython.Py_ssize_t = 0
    many: cython.Py_ssize_t = pool.shape[0]
    tried: cython.Py_ssize_t
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            if sign * edits.need[v] <= 0:
                continue
            edits.stamp_alone(v, edits.mark)
            if near:
                edits.move_near(v)
            tried = 0
            while edits.need[v] != 0 and tried < many:
                edits.move(v, pool[at])
                at = at + 1 if at + 1 < many else 0
                tried += 1


def force(order: cython.const[int64_t][::1], pool: cython.const[int64_t][::1], sign: int64_t, need, s, mark):
    """Serve what is left with others, one after the other in the order of the pool, even if they then need some."""
    edits: Edits = Edits(s)
    edits.sign, edits.need, edits.mark = sign, need, mark
    at: cython.Py_ssize_t = 0
    many: cython.Py_ssize_t = pool.shape[0]
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            if sign * edits.need[v] <= 0:
                continue
            edits.stamp_alone(v, edits.mark)
            for _ in range(many):
                w = pool[at]
                at = at + 1 if at + 1 < many else 0
                if w != v and edits.is_open(w, v):
                    edits.settle(v, w)
                    edits.mark[w] = v if sign > 0 else -1
                if edits.need[v] == 0:
                    break


# From an empty graph to the target degrees with as many of the known links as possible: `s` is the state over a graph
# without links, so that a listed vertex is a linked one; the known links are in compressed rows, indptr and indices.


def link_known(order: cython.const[int64_t][::1], indptr, indices, need, s):
    """Take over known links as far as both ends need them: each vertex with those of its neighbors that need most."""
    edits: Edits = Edits(s)
    edits.known_indptr, edits.known_indices = indptr, indices
    edits.sign, edits.need = 1, need
    edits.add_keys(int(np.diff(indptr).max(initial=0)))
    with cython.nogil:
        for i in range(order.shape[0]):
            edits.link_known(order[i])


def greedy_swaps(
    left: cython.const[int32_t][::1], right: cython.const[int32_t][::1], known, s, sample: cython.Py_ssize_t
):
    """Bring in known links by swaps that keep all degrees, (i, x), (j, y) to (i, j), (x, y); return how many.

    Of up to `sample` strange neighbors of each end those are taken that bring in most.
    """
    edits: Edits = Edits(s)
    edits.known_indptr, edits.known_indices = known
    edits.xs, edits.ys = np.empty(sample, dtype=np.int64), np.empty(sample, dtype=np.int64)
    swapped: int64_t = 0
    with cython.nogil:
        for e in range(left.shape[0]):
            i: int64_t = left[e]
            j: int64_t = right[e]
            if edits.entry(i, j) != -1:
                continue
            edits.choose_swap(i, j, edits.list_strange(i, edits.xs), edits.list_strange(j, edits.ys))
            if edits.x != -1:
                edits.toggle(i, edits.x)
                edits.toggle(j, edits.y)
                edits.toggle(i, j)
                edits.toggle(edits.x, edits.y)
                swapped += 1
    return swapped


# Random perturbation: switches of two links that keep all degrees, and nearest rows of the release.

# Degree-preserving switches: two links (a, b) and (c, d) become (a, d) and (c, b), and the graph stays simple.
#
# Links are in `sources` and `targets`, and as keys low * n + high in the hash table `keys`, whose entries are compared
# in full; -1 is an empty place.


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_of(a: int64_t, b: int64_t, n: int64_t) -> int64_t:
    """Return the number of a link."""
    return a * n + b if a < b else b * n + a


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def home(key: int64_t, last: int64_t) -> int64_t:
    """Return where a key belongs."""
    return cython.cast(int64_t, mix(cython.cast(uint64_t, key)) & cython.cast(uint64_t, last))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_place(keys: int64_t[::1], key: int64_t) -> int64_t:
    """Return where a key is, or the empty place where it would be."""
    last: int64_t = keys.shape[0] - 1
    at = home(key, last)
    while keys[at] >= 0 and keys[at] != key:
        at = (at + 1) & last
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remove_key(keys: int64_t[::1], key: int64_t) -> cython.void:
    """Take a key out, and move up those that it had pushed on."""
    last: int64_t = keys.shape[0] - 1
    hole = find_place(keys, key)
    at = hole
    while True:
        at = (at + 1) & last
        if keys[at] < 0:
            break
        # it may fill the hole if it does not belong behind it, cyclically
        if ((at - home(keys[at], last)) & last) >= ((at - hole) & last):
            keys[hole] = keys[at]
            hole = at
    keys[hole] = -1


def place(keys: int64_t[::1], key: int64_t):
    """Return where a key is, or the empty place where it would be."""
    return find_place(keys, key)


def remove(keys: int64_t[::1], key: int64_t):
    """Take a key out, and move up those that it had pushed on."""
    remove_key(keys, key)


def fill(sources: cython.const[int64_t][::1], targets: cython.const[int64_t][::1], n: int64_t, keys: int64_t[::1]):
    """Enter all links."""
    with cython.nogil:
        for e in range(sources.shape[0]):
            key = key_of(sources[e], targets[e], n)
            keys[find_place(keys, key)] = key


def switch(
    first: cython.const[int64_t][::1],
    second: cython.const[int64_t][::1],
    turned,
    sources: int64_t[::1],
    targets: int64_t[::1],
    n: int64_t,
    keys: int64_t[::1],
    wanted: int64_t,
):
    """Try the drawn pairs of links one after the other until `wanted` were switched; return how many were.

    `turned` says whether the second link is read from its other end.
    """
    turns: cython.const[uint8_t][::1] = view_bytes(turned)
    done: int64_t = 0
    with cython.nogil:
        for i in range(first.shape[0]):
            if done == wanted:
                break
            e, f = first[i], second[i]
            a, b = sources[e], targets[e]
            c = targets[f] if turns[i] else sources[f]
            d = sources[f] if turns[i] else targets[f]
            if a == c or a == d or b == c or b == d:
                continue
            one, other = key_of(a, d, n), key_of(c, b, n)
            if keys[find_place(keys, one)] >= 0 or keys[find_place(keys, other)] >= 0:
                continue
            remove_key(keys, key_of(a, b, n))
            remove_key(keys, key_of(c, d, n))
            keys[find_place(keys, one)] = one
            keys[find_place(keys, other)] = other
            sources[e] = a
            targets[e] = d
            sources[f] = c
            targets[f] = b
            done += 1
    return done


# The vertex whose links in the release are nearest to the links that a vertex has in the original.


def found_again(
    first: int64_t,
    last: int64_t,
    known: int64_t[::1],
    row_ptr: cython.const[int64_t][::1],
    rows: cython.const[int32_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lowest: cython.const[int64_t][::1],
    found,
):
    """Write for v = first..last whether its published row is nearer to its known row than any other published one.

    Known rows are rows[row_ptr[v]:row_ptr[v + 1]], published ones indices[indptr[v]:indptr[v + 1]], over the same ids;
    the distance is the number of entries in which they differ. `lowest` are all ids by published degree, ascending.
    `known` is zero, one cell per vertex.
    """
    marks: uint8_t[::1] = view_bytes(found)
    touched: int64_t[::1] = np.empty(len(known), dtype=np.int64)
    far: cython.Py_ssize_t
    alone: cython.bint
    with cython.nogil:
        for v in range(first, last):
            far = 0
            for i in range(row_ptr[v], row_ptr[v + 1]):
                for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
                    u = indices[e]
                    if known[u] == 0:
                        touched[far] = u
                        far += 1
                    known[u] += 1
            # the known degree is the same for all, and left out
            own = indptr[v + 1] - indptr[v] - 2 * known[v]
            alone = True
            for i in range(far):
                x = touched[i]
                alone = alone and (x == v or indptr[x + 1] - indptr[x] - 2 * known[x] > own)
            for i in range(lowest.shape[0]):  # a vertex that shares nothing with v differs in all links of both
                x = lowest[i]
                if x != v and known[x] == 0:
                    alone = alone and indptr[x + 1] - indptr[x] > own
                    break
            marks[v] = alone
            for i in range(far):
                known[touched[i]] = 0
