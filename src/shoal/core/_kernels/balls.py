"""Balls and patterns around a vertex, and distances, triangles, 4-cycles and cores of a whole graph.

A ball of radius r is the subgraph induced by the vertices at distance at most r. `place` maps a vertex id to its
position in the current ball and holds -1 elsewhere; every function that fills it clears it again.

A hub is in the balls of all its neighbors, so its row must not be read for each of them: in a row much longer than
the ball, the vertices of the ball are looked up instead. All balls of radius 1 together then cost at most
m^1.5 steps, up to a constant, as listing triangles does.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int8_t, int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.rows import find_entry, linked
from cython.cimports.shoal.core._kernels.sorting import argsort, sort
from cython.cimports.shoal.core._kernels.words import mix, mix_again

from shoal.core._kernels import view_bytes

Label = cython.fused_type(int32_t, int64_t)

LOOKUP = cython.declare(cython.int, 16)
"""Looking up one vertex in a row costs about as much as reading so many entries."""
CENTER = cython.declare(uint64_t, 0x632BE59BD9B4E019)
"""Marks the color of the center."""

NO, YES, UNDECIDED = 0, 1, 2


@cython.cclass
class Room:
    """Arrays that hold one ball at a time, with a cell for each vertex of the graph."""

    def __init__(self, n: int) -> None:
        self.place = np.full(n, -1, dtype=np.int32)
        self.ball = np.empty(n, dtype=np.int32)
        self.inner, self.spare = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        self.near, self.heavy = np.empty(16, dtype=np.int32), np.empty(16, dtype=np.int64)
        self.words, self.has_words = np.empty(0, dtype=np.uint64), False

    def add_words(self, words) -> None:
        """Take the words that `measure` adds up."""
        self.words, self.has_words = words, True

    def add_colors(self) -> None:
        """Make room for the colors of a ball."""
        n = len(self.ball)
        self.ptr, self.shades = np.empty(n + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
        self.colors, self.fresh = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
        self.sorted_colors, self.spare_colors = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)

    def add_entries(self, entries: int) -> None:
        """Make room for the rows of a ball."""
        self.near, self.heavy = np.empty(2 * entries, dtype=np.int32), np.empty(2 * entries, dtype=np.int64)

    def gather(self, indptr, indices, v, radius):
        """List the ball around v breadth-first in `ball`, number its vertices in `place`, and return their number."""
        place, ball = self.place, self.ball
        ball[0] = cython.cast(int32_t, v)
        place[v] = 0
        size: cython.Py_ssize_t = 1
        head: cython.Py_ssize_t = 0
        for _ in range(radius):
            level_end = size
            while head < level_end:
                w = ball[head]
                head += 1
                for e in range(indptr[w], indptr[w + 1]):
                    x = indices[e]
                    if place[x] < 0:
                        place[x] = cython.cast(int32_t, size)
                        ball[size] = x
                        size += 1
            if size == level_end:
                break
        return size

    def measure(self, indptr, indices, weights, size):
        """Write the degree inside the ball of each of its vertices into `inner`; return their sum.

        If there are `words`, weights are positions in them, and the words are added up in `colors`.
        """
        place, ball, words, worded = self.place, self.ball, self.words, self.has_words
        weighted: cython.bint = weights.shape[0] > 0
        total: int64_t = 0
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for i in range(size):
            w = ball[i]
            degree: int64_t = 0
            word: uint64_t = 0
            if indptr[w + 1] - indptr[w] <= LOOKUP * size:
                if worded:
                    for e in range(indptr[w], indptr[w + 1]):
                        # place is -1 outside, which turns the word into 0
                        word += words[weights[e]] & ~cython.cast(
                            uint64_t, cython.cast(int64_t, place[indices[e]] >> 31)
                        )
                elif weighted:
                    for e in range(indptr[w], indptr[w + 1]):
                        # a product, not a branch: which entries are inside cannot be predicted
                        degree += cython.cast(int64_t, weights[e]) * (place[indices[e]] >= 0)
                else:
                    for e in range(indptr[w], indptr[w + 1]):
                        degree += place[indices[e]] >= 0
            else:
                for j in range(size):
                    at = find_entry(indptr, indices, w, ball[j])
                    if at >= 0 and worded:
                        word += words[weights[at]]
                    elif at >= 0:
                        degree += weights[at] if weighted else 1
            if worded:
                self.colors[i] = word
            self.inner[i] = degree
            total += degree
        return total

    def reserve(self, indptr, size):
        """Make room for the rows of the ball in `ball`."""
        most: int64_t = 1
        i: cython.Py_ssize_t
        for i in range(size):
            most += min(indptr[self.ball[i] + 1] - indptr[self.ball[i]], cython.cast(int64_t, size))
        if most > self.near.shape[0]:
            with cython.gil:
                self.add_entries(most)
        return 0

    def localize(self, indptr, indices, weights, size):
        """Copy the ball into rows of its own, which are not sorted; `reserve` makes room for them and for one entry.

        `ptr` holds their bounds, `near` the positions of neighbors, `heavy` weights, or labels that w gives its links.
        """
        place, ball, near, heavy = self.place, self.ball, self.near, self.heavy
        weighted: cython.bint = weights.shape[0] > 0
        self.ptr[0] = 0
        filled: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for i in range(size):
            w = ball[i]
            if indptr[w + 1] - indptr[w] <= LOOKUP * size:
                for e in range(indptr[w], indptr[w + 1]):
                    # every entry is written, and kept if it is inside, which cannot be predicted
                    near[filled] = place[indices[e]]
                    heavy[filled] = weights[e] if weighted else 1
                    filled += near[filled] >= 0
            else:
                for j in range(size):
                    at = find_entry(indptr, indices, w, ball[j])
                    if at >= 0:
                        near[filled] = cython.cast(int32_t, j)
                        heavy[filled] = weights[at] if weighted else 1
                        filled += 1
            self.ptr[i + 1] = filled

    def color(self, size, mask):
        """Refine the hashed colors of a ball, its center marked, until their number stops growing.

        The colors are functions of the ball's isomorphism class alone: equal balls get equal colors.
        """
        colors, fresh, ptr, near, heavy = self.colors, self.fresh, self.ptr, self.near, self.heavy
        i: cython.Py_ssize_t
        for i in range(size):
            colors[i] = mix(cython.cast(uint64_t, self.shades[i])) & mask
        colors[0] = mix(colors[0] ^ CENTER) & mask
        known = self.count_colors(size)
        while known < size:
            for i in range(size):
                a: uint64_t = 0
                for e in range(ptr[i], ptr[i + 1]):
                    a += mix(colors[near[e]] * 3 + mix_again(cython.cast(uint64_t, heavy[e])))
                fresh[i] = mix(a ^ mix_again(colors[i])) & mask
            for i in range(size):
                colors[i] = fresh[i]
            now = self.count_colors(size)
            if now <= known:
                break
            known = now

    def count_colors(self, size):
        """Count the different colors."""
        i: cython.Py_ssize_t
        for i in range(size):
            self.sorted_colors[i] = self.colors[i]
        sort(cython.address(self.sorted_colors[0]), cython.address(self.spare_colors[0]), size)
        found: cython.Py_ssize_t = 1
        for i in range(1, size):
            found += self.sorted_colors[i] != self.sorted_colors[i - 1]
        return found

    def clear(self, size):
        """Forget the numbers of the vertices of the ball."""
        for i in range(size):
            self.place[self.ball[i]] = -1


def measure(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    weights: cython.const[int32_t][::1],
    radius: int64_t,
    mask: uint64_t,
    sizes: int64_t[::1],
    edges: int64_t[::1],
    low: uint64_t[::1],
    high: uint64_t[::1],
):
    """Count vertices and edges of the balls around `rows[first:last]` and hash the degrees inside."""
    room: Room = Room(len(indptr) - 1)
    with cython.nogil:
        for r in range(first, last):
            size = room.gather(indptr, indices, rows[r], radius)
            edges[r] = room.measure(indptr, indices, weights, size) // 2
            sizes[r] = size
            a: uint64_t = 0
            b: uint64_t = 0
            for i in range(size):
                a += mix(cython.cast(uint64_t, room.inner[i]))
                b += mix_again(cython.cast(uint64_t, room.inner[i]) + 1)
            room.clear(size)
            low[r] = a & mask
            high[r] = b & mask


def degrees_of(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    weights: cython.const[int32_t][::1],
    v: int64_t,
    radius: int64_t,
):
    """Return the degrees inside the ball around v, ascending."""
    room: Room = Room(len(indptr) - 1)
    size = room.gather(indptr, indices, v, radius)
    room.measure(indptr, indices, weights, size)
    return np.sort(np.asarray(room.inner)[:size])


def write_degrees(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    weights: cython.const[int32_t][::1],
    radius: int64_t,
    ptr: cython.const[int64_t][::1],
    degrees: int64_t[::1],
):
    """Write the degrees inside the balls around `rows[first:last]`, ascending, from `ptr` on."""
    room: Room = Room(len(indptr) - 1)
    with cython.nogil:
        for r in range(first, last):
            size = room.gather(indptr, indices, rows[r], radius)
            room.measure(indptr, indices, weights, size)
            room.clear(size)
            sort(cython.address(room.inner[0]), cython.address(room.spare[0]), size)
            for i in range(size):
                degrees[ptr[r] + i] = room.inner[i]


def contradicted(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    members: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    weights: cython.const[int32_t][::1],
    radius: int64_t,
    wrong,
):
    """Mark the members of the proposed classes first..last whose degrees inside differ from the first member's."""
    room: Room = Room(len(indptr) - 1)
    leader: int64_t[::1] = np.empty(len(indptr) - 1, dtype=np.int64)
    leader_size: cython.Py_ssize_t = 0
    marks: uint8_t[::1] = view_bytes(wrong)
    with cython.nogil:
        for c in range(first, last):
            if bounds[c + 1] - bounds[c] < 2:
                continue
            for i in range(bounds[c], bounds[c + 1]):
                size = room.gather(indptr, indices, rows[members[i]], radius)
                room.measure(indptr, indices, weights, size)
                room.clear(size)
                sort(cython.address(room.inner[0]), cython.address(room.spare[0]), size)
                if i == bounds[c]:
                    leader_size = size
                    for j in range(size):
                        leader[j] = room.inner[j]
                else:
                    same: cython.bint = size == leader_size
                    for j in range(min(size, leader_size)):
                        same = same and room.inner[j] == leader[j]
                    marks[members[i]] = not same


def portray(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    weights: cython.const[int32_t][::1],
    labels: cython.const[Label][::1],
    radius: int64_t,
    mask: uint64_t,
    low: uint64_t[::1],
    high: uint64_t[::1],
):
    """Hash the colored balls around `rows[first:last]`: an invariant of their isomorphism class."""
    room: Room = Room(len(indptr) - 1)
    room.add_colors()
    labeled: cython.bint = len(labels) > 0
    with cython.nogil:
        for r in range(first, last):
            size = room.gather(indptr, indices, rows[r], radius)
            room.reserve(indptr, size)
            room.localize(indptr, indices, weights, size)
            for i in range(size):
                room.shades[i] = labels[room.ball[i]] if labeled else 0
            room.clear(size)
            room.color(size, mask)
            a = mix(room.colors[0])
            b = mix_again(room.colors[0])
            for i in range(size):
                a += mix(room.colors[i] ^ CENTER)
                b += mix_again(room.colors[i] + 1)
            low[r] = a & mask
            high[r] = b & mask


@cython.cfunc
@cython.exceptval(check=False)
def is_settled(
    size: cython.Py_ssize_t,
    ptr: int64_t[::1],
    near: int32_t[::1],
    heavy: int64_t[::1],
    shades: int64_t[::1],
    colors: uint64_t[::1],
    order: int64_t[::1],
) -> cython.bint:
    """Return whether ties in the coloring are only between twins, so that any order by color gives the same drawing.

    Within a run of equal colors every vertex must have the label and the row of the run's first, the two themselves
    set aside. Their joint edge must be equal throughout the run and from both ends: an arc distinguishes its ends.
    """
    stamp: int64_t[::1] = np.full(size, -1, dtype=np.int64)
    weight: int64_t[::1] = np.zeros(size, dtype=np.int64)
    start: cython.Py_ssize_t = 0
    while start < size:
        end = start + 1
        while end < size and colors[order[end]] == colors[order[start]]:
            end += 1
        if end - start > 1:
            x = order[start]
            for e in range(ptr[x], ptr[x + 1]):
                stamp[near[e]] = x
                weight[near[e]] = heavy[e]
            link = weight[order[start + 1]] if stamp[order[start + 1]] == x else 0
            for i in range(start + 1, end):
                y = order[i]
                if shades[y] != shades[x]:
                    return False
                if (weight[y] if stamp[y] == x else 0) != link:
                    return False
                if ptr[y + 1] - ptr[y] != ptr[x + 1] - ptr[x]:
                    return False
                for e in range(ptr[y], ptr[y + 1]):
                    z = near[e]
                    if heavy[e] != (link if z == x else weight[z]) or (z != x and stamp[z] != x):
                        return False
        start = end
    return True


def draw(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    weights: cython.const[int32_t][::1],
    labels: cython.const[Label][::1],
    v: int64_t,
    radius: int64_t,
    mask: uint64_t,
    place: int32_t[::1],
    ball: int32_t[::1],
):
    """Draw the ball around v with its vertices in the order of their colors, the center first.

    Returns the labels in that order, the edges (smaller position, larger position, weight) in order, and whether the
    drawing is canonical: then two balls are isomorphic if and only if their drawings are equal. Equal drawings
    always prove an isomorphism.
    """
    room: Room = Room.__new__(Room)
    room.place, room.ball, room.words = place, ball, np.empty(0, dtype=np.uint64)
    size = room.gather(indptr, indices, v, radius)
    room.inner = np.empty(size, dtype=np.int64)
    none: cython.const[int32_t][::1] = np.empty(0, dtype=np.int32)
    entries = room.measure(indptr, indices, none, size)
    room.add_entries(max(1, entries))
    room.ptr, room.shades = np.empty(size + 1, dtype=np.int64), np.zeros(size, dtype=np.int64)
    room.colors, room.fresh = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint64)
    room.sorted_colors, room.spare_colors = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint64)
    room.localize(indptr, indices, weights, size)
    i: cython.Py_ssize_t
    if len(labels):
        for i in range(size):
            room.shades[i] = labels[ball[i]]
    room.clear(size)
    room.color(size, mask)
    colors, ptr, near, heavy = room.colors, room.ptr, room.near, room.heavy
    order: int64_t[::1] = np.zeros(size, dtype=np.int64)
    spare: int64_t[::1] = np.empty(max(size, entries), dtype=np.int64)
    if size > 1:
        argsort(cython.address(colors[1]), cython.address(order[1]), cython.address(spare[0]), size - 1)
    unique: cython.bint = True
    for i in range(1, size):
        order[i] += 1
        unique = unique and colors[i] != colors[0]
    canonical: cython.bint = unique and is_settled(size, ptr, near, heavy, room.shades, colors, order)
    position: int64_t[::1] = np.empty(size, dtype=np.int64)
    for i in range(size):
        position[order[i]] = i
    keys: int64_t[::1] = np.empty(max(1, entries // 2), dtype=np.int64)
    at: int64_t[::1] = np.empty(max(1, entries // 2), dtype=np.int64)
    sorting: int64_t[::1] = np.empty(max(1, entries // 2), dtype=np.int64)
    filled: cython.Py_ssize_t = 0
    for i in range(size):
        for e in range(ptr[i], ptr[i + 1]):
            if position[i] < position[near[e]]:
                keys[filled] = position[i] * size + position[near[e]]
                at[filled] = heavy[e]
                filled += 1
    if filled:
        argsort(cython.address(keys[0]), cython.address(sorting[0]), cython.address(spare[0]), filled)
    edges: int64_t[:, ::1] = np.empty((filled, 3), dtype=np.int64)
    for i in range(filled):
        edges[i, 0] = keys[sorting[i]] // size
        edges[i, 1] = keys[sorting[i]] % size
        edges[i, 2] = at[sorting[i]]
    return np.asarray(room.shades)[np.asarray(order)], np.asarray(edges), bool(canonical)


# Does a small rooted pattern fit at a vertex? Injective, not necessarily induced, exact degrees where they are known.
#
# A pattern has vertices 0, 1, ... with the root first; vertex i > 0 hangs on the earlier vertex `parent[i]`, is linked
# to the earlier vertices in the bit set `links[i]`, and has `exact[i]` neighbors in all (-1: at least `least[i]`).
#
# Where entries have labels, the entry of i for j must have the label `wanted[i, j]`. The vertices on which i may be
# placed by the number of its entries with each label, and in all, are then those in the row `allowed[i]`.
#
# Leaves that are certain to find their place need not be part of a pattern that is searched.


@cython.cclass
class Pattern:
    """A rooted pattern and the placement that is tried."""

    parent: int64_t[::1]
    links: int64_t[::1]
    exact: int64_t[::1]
    least: int64_t[::1]
    image: int64_t[::1]
    cursor: int64_t[::1]

    def __init__(self, parent, links, exact, least) -> None:
        self.parent, self.links, self.exact, self.least = parent, links, exact, least
        self.image, self.cursor = np.empty(len(parent), dtype=np.int64), np.empty(len(parent), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def admits(
        self,
        indptr: cython.const[int64_t][::1],
        indices: cython.const[int32_t][::1],
        i: cython.Py_ssize_t,
        x: int64_t,
    ) -> cython.bint:
        """Return whether pattern vertex i may be placed on x, the earlier ones standing on `image`."""
        degree = indptr[x + 1] - indptr[x]
        if degree < self.least[i] or (self.exact[i] >= 0 and degree != self.exact[i]):
            return False
        for j in range(i):
            if self.image[j] == x:
                return False
            if (self.links[i] >> j) & 1 and not linked(indptr, indices, self.image[j], x):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fits(
        self,
        indptr: cython.const[int64_t][::1],
        indices: cython.const[int32_t][::1],
        u: int64_t,
        limit: int64_t,
    ) -> cython.int:
        """Search, depth first, a placement of the pattern with its root on u; give up after `limit` steps."""
        image, cursor = self.image, self.cursor
        size = self.parent.shape[0]
        if not self.admits(indptr, indices, 0, u):
            return 0
        image[0] = u
        if size == 1:
            return 1
        i: cython.Py_ssize_t = 1
        cursor[1] = indptr[u]
        for _ in range(limit):
            base = image[self.parent[i]]
            if cursor[i] == indptr[base + 1]:
                i -= 1
                if i == 0:
                    return 0
                cursor[i] += 1
                continue
            x = indices[cursor[i]]
            if not self.admits(indptr, indices, i, x):
                cursor[i] += 1
                continue
            image[i] = x
            i += 1
            if i == size:
                return 1
            cursor[i] = indptr[image[self.parent[i]]]
        return 2


def fits_at(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    parent: int64_t[::1],
    links: int64_t[::1],
    exact: int64_t[::1],
    least: int64_t[::1],
    limit: int64_t,
    verdicts: int8_t[::1],
):
    """Write for each vertex first..last whether the pattern fits there: NO, YES or UNDECIDED."""
    pattern: Pattern = Pattern(parent, links, exact, least)
    with cython.nogil:
        for u in range(first, last):
            verdicts[u] = cython.cast(int8_t, pattern.fits(indptr, indices, u, limit))


@cython.cclass
class LabeledPatterns:
    """Rooted patterns that differ only in the labels of their links, rows to search, and the placement that is tried.

    `near` holds the rows sorted by label and then by id. So the neighbors that a vertex sees with one label are a run.
    The row of x has the runs run_ptr[x] to run_ptr[x + 1] - 1. `masks[which[p, i]]` says where vertex i of pattern p
    may be placed.
    """

    near: cython.const[int32_t][::1]
    run_ptr: cython.const[int64_t][::1]
    run_label: cython.const[int32_t][::1]
    run_start: cython.const[int64_t][::1]
    links: int64_t[::1]
    wanted: cython.const[int32_t][:, :, ::1]
    which: cython.const[int64_t][:, ::1]
    masks: cython.const[uint8_t][:, ::1]
    now: cython.Py_ssize_t
    """The pattern that is placed; all have the same linked pairs."""
    image: int64_t[::1]
    cursor: int64_t[::1]
    stop: int64_t[::1]
    source: int64_t[::1]
    """The earlier vertex in whose row the images of a vertex are tried."""
    ahead: int64_t[:, ::1]
    end: int64_t[:, ::1]
    """For a vertex and an earlier one that it is linked to: what is left of the run of that one, and its end."""

    def __init__(self, links, wanted, which, masks) -> None:
        self.links, self.wanted, self.which, self.masks = links, wanted, which, masks
        self.image, self.cursor, self.stop, self.source = np.empty((4, len(links)), dtype=np.int64)
        self.ahead, self.end = np.empty((2, len(links), len(links)), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_run(self, x: int64_t, label: int32_t) -> int64_t:
        """Return the run of x with this label, or -1."""
        low, high = self.run_ptr[x], self.run_ptr[x + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if self.run_label[middle] < label:
                low = middle + 1
            else:
                high = middle
        return low if low < end and self.run_label[low] == label else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, i: cython.Py_ssize_t) -> cython.void:
        """Try the images of vertex i from the start of the shortest run of an earlier vertex that it is linked to."""
        self.cursor[i], self.stop[i], self.source[i] = 0, 0, -1
        for j in range(i):
            if (self.links[i] >> j) & 1:
                run = self.find_run(self.image[j], self.wanted[self.now, j, i])
                if run < 0:
                    self.cursor[i], self.stop[i], self.source[i] = 0, 0, j
                    return
                low, high = self.run_start[run], self.run_start[run + 1]
                self.ahead[i, j], self.end[i, j] = low, high
                if self.source[i] < 0 or high - low < self.stop[i] - self.cursor[i]:
                    self.cursor[i], self.stop[i], self.source[i] = low, high, j

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_tie(self, i: cython.Py_ssize_t, x: int64_t, j: cython.Py_ssize_t) -> cython.bint:
        """Return whether x is in the run of j for i; images of i are tried in ascending order, so the rest is read."""
        low, end = self.ahead[i, j], self.end[i, j]
        high, step = low, cython.cast(int64_t, 1)
        while high < end and self.near[high] < x:
            low = high + 1
            high += step
            step *= 2
        high = min(high, end)
        while low < high:
            middle = (low + high) // 2
            if self.near[middle] < x:
                low = middle + 1
            else:
                high = middle
        self.ahead[i, j] = low
        return low < end and self.near[low] == x

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def admits(self, i: cython.Py_ssize_t, x: int64_t) -> cython.bint:
        """Return whether pattern vertex i may be placed on x, the earlier ones standing on `image`."""
        if not self.masks[self.which[self.now, i], x]:
            return False
        for j in range(i):
            if self.image[j] == x:
                return False
            if (self.links[i] >> j) & 1 and j != self.source[i] and not self.has_tie(i, x, j):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fits(self, u: int64_t, limit: int64_t) -> cython.int:
        """Search, depth first, a placement of the pattern with its root on u; give up after `limit` steps."""
        size = self.links.shape[0]
        if not self.masks[self.which[self.now, 0], u]:
            return 0
        self.image[0] = u
        if size == 1:
            return 1
        i: cython.Py_ssize_t = 1
        self.begin(1)
        for _ in range(limit):
            if self.cursor[i] == self.stop[i]:
                i -= 1
                if i == 0:
                    return 0
                self.cursor[i] += 1
                continue
            x = self.near[self.cursor[i]]
            if not self.admits(i, x):
                self.cursor[i] += 1
                continue
            self.image[i] = x
            i += 1
            if i == size:
                return 1
            self.begin(i)
        return 2


def labels_fit_at(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    near: cython.const[int32_t][::1],
    run_ptr: cython.const[int64_t][::1],
    run_label: cython.const[int32_t][::1],
    run_start: cython.const[int64_t][::1],
    links: int64_t[::1],
    wanted: cython.const[int32_t][:, :, ::1],
    which: cython.const[int64_t][:, ::1],
    masks: cython.const[uint8_t][:, ::1],
    limit: int64_t,
    ids: cython.const[int64_t][::1],
    verdicts: int8_t[:, ::1],
):
    """Write for each pattern p, into row ids[p], whether it fits at the vertices first..last: NO, YES or UNDECIDED."""
    patterns: LabeledPatterns = LabeledPatterns(links, wanted, which, masks)
    patterns.near, patterns.run_ptr, patterns.run_label, patterns.run_start = near, run_ptr, run_label, run_start
    with cython.nogil:
        for p in range(ids.shape[0]):
            patterns.now = p
            for u in range(first, last):
                verdicts[ids[p], u] = cython.cast(int8_t, patterns.fits(u, limit))


# Patterns of a root, a center that it is linked to, and leaves of these two. Up to 64 are placed at once, as bits.
#
# The sets of vertices where the root and the center may be placed say that each has enough entries for its leaves. What
# is left to show is that no vertex is needed for a leaf of both. That is sure if the root has enough entries of each
# label when all leaves of the center are taken away from them; otherwise a search decides.


def pack_sets(masks: cython.const[uint8_t][:, ::1], sets: cython.const[int64_t][::1], words: uint64_t[::1]):
    """Write into `words[v]` as bit p whether vertex v is in the set `sets[p]`."""
    with cython.nogil:
        for p in range(sets.shape[0]):
            for v in range(words.shape[0]):
                words[v] |= cython.cast(uint64_t, masks[sets[p], v]) << cython.cast(uint64_t, p)


def centers_fit_at(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    near: cython.const[int32_t][::1],
    run_ptr: cython.const[int64_t][::1],
    run_label: cython.const[int32_t][::1],
    run_start: cython.const[int64_t][::1],
    links: int64_t[::1],
    wanted: cython.const[int32_t][:, :, ::1],
    which: cython.const[int64_t][:, ::1],
    masks: cython.const[uint8_t][:, ::1],
    limit: int64_t,
    ids: cython.const[int64_t][::1],
    roots: cython.const[uint64_t][::1],
    centers: cython.const[uint64_t][::1],
    labels: cython.const[int32_t][::1],
    by_label: cython.const[uint64_t][::1],
    crowded: cython.const[uint64_t][:, ::1],
    verdicts: int8_t[:, ::1],
):
    """Do what `labels_fit_at` does for patterns with a center, whose possible places are bits of the vertices.

    `labels` are those that a root sees, ascending. `by_label[i]` says which patterns link the root to the center with
    the i-th one, and `crowded[i, d]` for which of them a root with d such entries, or more in the last column, may have
    too few.
    """
    patterns: LabeledPatterns = LabeledPatterns(links, wanted, which, masks)
    patterns.near, patterns.run_ptr, patterns.run_label, patterns.run_start = near, run_ptr, run_label, run_start
    fitting: uint64_t[::1] = np.zeros(max(0, last - first), dtype=np.uint64)
    undecided: uint64_t[::1] = np.zeros(max(0, last - first), dtype=np.uint64)
    many, most = labels.shape[0], crowded.shape[1] - 1
    one: uint64_t = 1
    with cython.nogil:
        for u in range(first, last):
            root = roots[u]
            found: uint64_t = 0
            doubtful: uint64_t = 0
            at: cython.Py_ssize_t = 0
            for r in range(run_ptr[u], run_ptr[u + 1]):
                while at < many and labels[at] < run_label[r]:
                    at += 1
                if root == 0 or at == many:
                    break
                if labels[at] > run_label[r]:
                    continue
                start, end = run_start[r], run_start[r + 1]
                asked: uint64_t = root & by_label[at]
                met: uint64_t = 0
                for e in range(start, end):
                    met |= centers[near[e]] & asked
                    if met == asked:
                        break
                found |= met
                doubtful |= crowded[at, min(end - start, most)]
            fitting[u - first] = found & ~doubtful
            found &= doubtful
            for p in range(ids.shape[0]):
                if (found >> cython.cast(uint64_t, p)) & 1:
                    patterns.now = p
                    verdict = patterns.fits(u, limit)
                    if verdict == 1:
                        fitting[u - first] |= one << cython.cast(uint64_t, p)
                    elif verdict == 2:
                        undecided[u - first] |= one << cython.cast(uint64_t, p)
        for p in range(ids.shape[0]):
            for u in range(first, last):
                bit = (fitting[u - first] >> cython.cast(uint64_t, p)) & 1
                bit |= ((undecided[u - first] >> cython.cast(uint64_t, p)) & 1) << one
                verdicts[ids[p], u] = cython.cast(int8_t, bit)


# Searches from a vertex.


def distances(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    source: int64_t,
    reach: int64_t,
    found: int32_t[::1],
):
    """Write into `found`, which holds -1 everywhere, the distance from `source` of all vertices within `reach`."""
    queue: int32_t[::1] = np.empty(len(found), dtype=np.int32)
    head: cython.Py_ssize_t = 0
    tail: cython.Py_ssize_t = 1
    with cython.nogil:
        queue[0] = cython.cast(int32_t, source)
        found[source] = 0
        while head < tail:
            v = queue[head]
            head += 1
            if found[v] == reach:
                break
            for e in range(indptr[v], indptr[v + 1]):
                w = indices[e]
                if found[w] < 0:
                    found[w] = found[v] + 1
                    queue[tail] = w
                    tail += 1


def keep_entries(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    kept: cython.const[uint8_t][::1],
):
    """Return the rows with only the entries whose code is kept: their bounds and their entries."""
    bounds = np.zeros(indptr.shape[0], dtype=np.int64)
    near = np.empty(indices.shape[0] + 1, dtype=np.int32)
    ptr: int64_t[::1] = bounds
    items: int32_t[::1] = near
    size: int64_t = 0
    with cython.nogil:
        for v in range(indptr.shape[0] - 1):
            for e in range(indptr[v], indptr[v + 1]):
                items[size] = indices[e]
                size += kept[codes[e]]
            ptr[v + 1] = size
    return bounds, near[:size]


def count_sharing(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    members: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    row_ptr: cython.const[int64_t][::1],
    rows: cython.const[Label][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    own: cython.const[int64_t][::1],
    least: int64_t,
    seen: int32_t[::1],
    sizes: int64_t[::1],
    owner=None,
):
    """Count for the members of the classes first..last the vertices with at least `least` neighbors in their row.

    Class c holds the vertices in `members[bounds[c]:bounds[c + 1]]`, which have equal rows; v's row is
    `rows[row_ptr[v]:row_ptr[v + 1]]`, ids of the graph (indptr, indices); `own[v]` (or -1) is not counted. `seen` is
    zero, one cell per vertex.

    Where links have directions or kinds, the last ids of the graph are items, and `owner` holds the neighbor that each
    is about. Items of one neighbor are adjacent in a row, and count once.
    """
    touched: int32_t[::1] = np.empty(len(seen), dtype=np.int32)
    owned: cython.bint = owner is not None
    owners: cython.const[int64_t][::1] = owner if owned else members[:0]
    met: int32_t[::1] = np.full(len(seen) if owned else 0, -1, dtype=np.int32)
    start: cython.Py_ssize_t = indptr.shape[0] - 1 - owners.shape[0]
    far: cython.Py_ssize_t
    near: int32_t
    with cython.nogil:
        for c in range(first, last):
            v = members[bounds[c]]
            far = 0
            for i in range(row_ptr[v], row_ptr[v + 1]):
                w = rows[i]
                if owned:
                    near = cython.cast(int32_t, owners[w - start])
                    for e in range(indptr[w], indptr[w + 1]):
                        u = indices[e]
                        if seen[u] == 0:
                            touched[far] = u
                            far += 1
                        seen[u] += met[u] != near
                        met[u] = near
                    continue
                for e in range(indptr[w], indptr[w + 1]):
                    u = indices[e]
                    if seen[u] == 0:
                        touched[far] = u
                        far += 1
                    seen[u] += 1
            total: int64_t = 0
            for j in range(far):
                total += seen[touched[j]] >= least
            for i in range(bounds[c], bounds[c + 1]):
                x = own[members[i]]
                sizes[members[i]] = total - 1 if x >= 0 and seen[x] >= least else total
            for j in range(far):
                seen[touched[j]] = 0
                if owned:
                    met[touched[j]] = -1


# Structure of a graph: core numbers, triangles and 4-cycles, sums of distances.

# Core numbers: vertices are removed one by one, always one with the fewest links left (Batagelj & Zaversnik 2003).


def cores(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    order: int64_t[::1],
    starts: int64_t[::1],
    left: int64_t[::1],
):
    """Turn degrees into core numbers.

    `order` lists the vertices by degree, ascending; `starts[d]` is where those of degree d begin in it; `left` are the
    degrees. All three change as vertices are removed, and `left` ends as the core numbers.
    """
    n = left.shape[0]
    place: int64_t[::1] = np.empty(n, dtype=np.int64)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            place[order[i]] = i
        for i in range(n):
            v = order[i]
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if left[u] > left[v]:
                    # u changes places with the first of its degree, and becomes the last of the degree below
                    d = left[u]
                    first = starts[d] if starts[d] > i + 1 else i + 1
                    w = order[first]
                    order[place[u]] = w
                    order[first] = u
                    place[w] = place[u]
                    place[u] = first
                    starts[d] = first + 1
                    left[u] -= 1


# Triangles and 4-cycles, each met once at its last vertex.
#
# Vertices are numbered by degree, ascending, so that few pairs meet at a hub; rows are ascending, and a row is left as
# soon as its entries come later than the vertex at hand.


def triangles(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    found: int64_t[::1],
):
    """Add for v = first..last every triangle whose last vertex is v to the number of each of its corners."""
    seen: int64_t[::1] = np.full(len(indptr) - 1, -1, dtype=np.int64)
    with cython.nogil:
        for v in range(first, last):
            for e in range(indptr[v], indptr[v + 1]):
                seen[indices[e]] = v
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if u > v:
                    break
                for f in range(indptr[u], indptr[u + 1]):
                    w = indices[f]
                    if w > u:
                        break
                    if seen[w] == v:
                        found[v] += 1
                        found[u] += 1
                        found[w] += 1


def squares(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    found: int64_t[::1],
):
    """Write for v = first..last the number of 4-cycles whose last vertex is v.

    Opposite v is a vertex w; two paths of length two from v to w, both over earlier vertices, make a 4-cycle.
    """
    paths: int64_t[::1] = np.zeros(len(indptr) - 1, dtype=np.int64)
    total: int64_t
    with cython.nogil:
        for v in range(first, last):
            total = 0
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if u > v:
                    break
                for f in range(indptr[u], indptr[u + 1]):
                    w = indices[f]
                    if w >= v:
                        break
                    total += paths[w]
                    paths[w] += 1
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if u > v:
                    break
                for f in range(indptr[u], indptr[u + 1]):
                    w = indices[f]
                    if w >= v:
                        break
                    paths[w] = 0
            found[v] = total


# Distances from up to 64 vertices at once: each source has a bit, which is set at the vertices that it reached.


def distance_sums(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    sources: cython.const[int64_t][::1],
    totals: int64_t[::1],
):
    """Write for each of up to 64 sources the sum of the distances to all vertices that it reaches."""
    n: cython.Py_ssize_t = indptr.shape[0] - 1
    seen: uint64_t[::1] = np.zeros(n, dtype=np.uint64)
    here: uint64_t[::1] = np.zeros(n, dtype=np.uint64)
    there: uint64_t[::1] = np.zeros(n, dtype=np.uint64)
    distance: int64_t = 0
    moved: cython.bint = True
    one: uint64_t = 1
    i: cython.Py_ssize_t
    v: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sources.shape[0]):
            here[sources[i]] |= one << i
        for v in range(n):
            seen[v] = here[v]
        while moved:
            distance += 1
            moved = False
            for v in range(n):
                if here[v]:
                    for e in range(indptr[v], indptr[v + 1]):
                        there[indices[e]] |= here[v]
            for v in range(n):
                fresh = there[v] & ~seen[v]
                there[v] = 0
                here[v] = fresh
                if fresh:
                    moved = True
                    seen[v] |= fresh
                    i = 0
                    while fresh:
                        if fresh & 1:
                            totals[i] += distance
                        fresh >>= 1
                        i += 1
