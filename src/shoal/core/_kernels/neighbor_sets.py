"""The smallest set of neighbors that gives a vertex away (Definition II): fewer than k vertices have all of them.

For v with neighbors N(v), u stays a candidate under S if and only if S misses N(v) without N(u). So the smallest S
meets all of these differences but those of at most k - 1 - f vertices, f of whom have all of N(v).
Most vertices are settled without a search: by a neighbor of degree below k, because k vertices have all of N(v), or by
two neighbors that few vertices share.

d is the degree of v, W the number of 64-bit words for its neighbors.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.shoal.core._kernels.hitting_sets import AT_LEAST, EVERY, EXACT, GAVE_UP, Search
from cython.cimports.shoal.core._kernels.rows import linked
from cython.cimports.shoal.core._kernels.sorting import argsort

BIT = cython.declare(uint64_t, 1)
ALL = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
ONES = cython.declare(uint64_t, 0x0101010101010101)
TOPS = cython.declare(uint64_t, 0x8080808080808080)

LANES = cython.declare(cython.int, 8)
"""So many neighbors are compared at once with another one: their counts share a word."""
STRIDE = cython.declare(cython.int, 16)
"""So many entries are read before the counts are looked at."""
WIDEST = cython.declare(cython.int, 64)
"""Counts up to this fit into a lane, with those of a stride added."""


def sort_by_degree(indptr: cython.const[int64_t][::1], indices: cython.const[int32_t][::1]):
    """Return the graph with its vertices numbered by degree, the lowest first, and the new number of each vertex.

    Its rows are ascending, hence by degree too.
    """
    n = indptr.shape[0] - 1
    order: int64_t[::1] = np.empty(n, dtype=np.int64)
    rank: int64_t[::1] = np.empty(n, dtype=np.int64)
    ptr: int64_t[::1] = np.empty(n + 1, dtype=np.int64)
    at: int64_t[::1] = np.zeros(n + 2, dtype=np.int64)
    near: int32_t[::1] = np.empty(len(indices), dtype=np.int32)
    ptr[0] = 0
    with cython.nogil:
        for v in range(n):
            at[indptr[v + 1] - indptr[v] + 1] += 1
        for d in range(1, n + 2):
            at[d] += at[d - 1]
        for v in range(n):
            d = indptr[v + 1] - indptr[v]
            order[at[d]] = v
            at[d] += 1
        for r in range(n):
            v = order[r]
            rank[v] = r
            at[v] = ptr[r]
            ptr[r + 1] = ptr[r] + indptr[v + 1] - indptr[v]
        for r in range(n):
            v = order[r]
            for e in range(indptr[v], indptr[v + 1]):
                w = indices[e]
                near[at[w]] = cython.cast(int32_t, r)
                at[w] += 1
    return np.asarray(ptr), np.asarray(near), np.asarray(rank)


@cython.cclass
class Room:
    """A graph with ascending rows, and room to look at one vertex at a time."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    near: int32_t[::1]
    degrees: int64_t[::1]
    order: int64_t[::1]
    spare: int64_t[::1]
    seen: int32_t[::1]
    around: int32_t[::1]
    marks: uint64_t[::1]
    search: Search
    count: int64_t
    ranked: cython.bint
    """Whether the vertices are numbered by degree, so that rows are by degree too."""

    def __init__(self, indptr, indices, ranked=False) -> None:
        n = len(indptr) - 1
        self.indptr, self.indices, self.ranked = indptr, indices, ranked
        most = int(np.max(np.diff(indptr), initial=1))
        self.near, self.degrees = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int64)
        self.order, self.spare = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
        self.seen, self.around = np.full(n, -1, dtype=np.int32), np.empty(max(1, n), dtype=np.int32)
        self.marks = np.zeros(n, dtype=np.uint64)
        self.search = Search(np.empty(n + 64, dtype=np.int64))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_by_degree(self, v: int64_t) -> cython.void:
        """List the neighbors of v in `near`, those with the lowest degree first."""
        first, d = self.indptr[v], self.indptr[v + 1] - self.indptr[v]
        if self.ranked:
            memcpy(cython.address(self.near[0]), cython.address(self.indices[first]), d * cython.sizeof(int32_t))
            return
        for i in range(d):
            w = self.indices[first + i]
            self.degrees[i] = self.indptr[w + 1] - self.indptr[w]
        argsort(
            cython.cast(cython.pointer(cython.const[int64_t]), cython.address(self.degrees[0])),
            cython.address(self.order[0]),
            cython.address(self.spare[0]),
            d,
        )
        for i in range(d):
            self.near[i] = self.indices[first + self.order[i]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def thin_out(self, d: int64_t, k: int64_t) -> int64_t:
        """Intersect the rows of `near` one after the other until fewer than k vertices are left.

        Returns the position of the row where that is so, or -1; `count` is how many rows made a difference. So any two
        of the rows before that position share k vertices or more.
        """
        indptr, indices, common = self.indptr, self.indices, cython.address(self.around[0])
        left: int64_t = 0
        for e in range(indptr[self.near[0]], indptr[self.near[0] + 1]):
            common[left] = indices[e]
            left += 1
        self.count = 1
        for i in range(1, d):
            still: int64_t = 0
            for a in range(left):
                if linked(indptr, indices, common[a], self.near[i]):
                    common[still] = common[a]
                    still += 1
            if still < left:
                self.count += 1
            left = still
            if left < k:
                return i
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_pair(self, d: int64_t, start: int64_t, k: int64_t) -> cython.bint:
        """Return whether one of some neighbors of lowest degree and another one share fewer than k; `chosen` has them.

        Each of the lowest owns a lane of a word: the words of a row add up to how many vertices they share with it.
        Rows are read from the end, where the vertices known to most are if they are numbered by degree. Two neighbors
        before `start` share k.
        """
        indptr, indices, near = self.indptr, cython.address(self.indices[0]), cython.address(self.near[0])
        marks = cython.address(self.marks[0])
        lanes: int64_t = min(LANES, d)
        for i in range(lanes):
            for e in range(indptr[near[i]], indptr[near[i] + 1]):
                marks[indices[e]] += BIT << cython.cast(uint64_t, 8 * i)
        lift = ONES * cython.cast(uint64_t, 128 - k)
        wanted = TOPS if lanes == LANES else TOPS & ((BIT << cython.cast(uint64_t, 8 * lanes)) - 1)
        found: cython.bint = False
        for j in range(start, d):
            full: uint64_t = BIT << cython.cast(uint64_t, 8 * j + 7) if j < lanes else 0
            counts: uint64_t = 0
            low: int64_t = indptr[near[j]]
            at: int64_t = indptr[near[j] + 1]
            while at > low:
                end: int64_t = max(low, at - STRIDE)
                while at > end:
                    at -= 1
                    counts += marks[indices[at]]
                reached = (counts + lift) & TOPS
                if reached:
                    full |= reached
                    if full & wanted == wanted:
                        break
                    counts &= ~((reached >> 7) * 255)
            if full & wanted != wanted:
                for i in range(lanes):
                    if not (full >> cython.cast(uint64_t, 8 * i + 7)) & 1:
                        self.search.chosen[0], self.search.chosen[1] = near[i], near[j]
                        break
                found = True
                break
        for i in range(lanes):
            for e in range(indptr[near[i]], indptr[near[i] + 1]):
                marks[indices[e]] = 0
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_sharing_two(self, d: int64_t) -> int64_t:
        """List in `around` who has at least two of `near`, number them in `seen`, and return how many there are.

        Who has only one of them is told from v by any two neighbors, so as soon as two must be known they do not
        matter. `seen` holds -1 for all other vertices.
        """
        seen, around = cython.address(self.seen[0]), cython.address(self.around[0])
        met: int64_t = 0
        for i in range(d):
            s = self.near[i]
            for e in range(self.indptr[s], self.indptr[s + 1]):
                u = self.indices[e]
                if seen[u] == -1:
                    around[met] = u
                    met += 1
                seen[u] -= 1
        count: int64_t = 0
        for a in range(met):
            u = around[a]
            if seen[u] < -2:
                seen[u] = cython.cast(int32_t, count)
                around[count] = u
                count += 1
            else:
                seen[u] = -1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def list_missing(self, d: int64_t) -> int64_t:
        """Write, for every vertex with two of `near`, which of them it lacks, into the rows of the search.

        Those who lack none are counted and returned. `seen` holds -1 everywhere, before and after.
        """
        count, width = self.list_sharing_two(d), (d + 63) // 64
        self.search.reserve(count, width)
        masks, seen = cython.address(self.search.masks[0]), cython.address(self.seen[0])
        last = ALL if d % 64 == 0 else (BIT << cython.cast(uint64_t, d % 64)) - 1
        memset(masks, 255, count * width * cython.sizeof(uint64_t))
        for r in range(count):
            masks[r * width + width - 1] = last
        for i in range(d):
            off, s, word = ~(BIT << cython.cast(uint64_t, i % 64)), self.near[i], i // 64
            for e in range(self.indptr[s], self.indptr[s + 1]):
                r = seen[self.indices[e]]
                if r >= 0:
                    masks[r * width + word] &= off
        kept: int64_t = 0
        for r in range(count):
            seen[self.around[r]] = -1
            some: uint64_t = 0
            for j in range(width):
                some |= masks[r * width + j]
                masks[kept * width + j] = masks[r * width + j]
            if some:
                self.search.weight[kept] = 1
                kept += 1
        self.search.count = kept
        return count - kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def expose(self, v: int64_t, k: int64_t, most: int64_t, limit: int64_t) -> cython.int:
        """Find the size of the smallest exposing set of v, into `count`, and return what it means.

        The set is in `chosen` where the size is exact. A search that takes more than `limit` steps is given up.
        """
        d = self.indptr[v + 1] - self.indptr[v]
        self.count = 0
        if d == 0 or k <= 1:
            return EVERY
        self.list_by_degree(v)
        self.search.chosen[0] = self.near[0]
        if self.indptr[self.near[0] + 1] - self.indptr[self.near[0]] < k:
            self.count = 1
            return EXACT
        start = self.thin_out(d, k)
        if start < 0:
            self.count = 0
            return EVERY
        steps = self.count
        self.count = 2
        if most < 2:
            return AT_LEAST
        if steps == 2:
            self.search.chosen[1] = self.near[start]
            return EXACT
        if k <= WIDEST and self.find_pair(d, start, k):
            return EXACT
        self.search.spent = 0
        full = self.list_missing(d)
        answer = self.search.fewest_items(k - 1 - full, 2, most, limit)
        self.count = self.search.size
        if answer == GAVE_UP or self.count > most:
            return AT_LEAST
        while self.count < 2:  # one would do among those who share two; any other neighbor tells the rest
            self.search.chosen[self.count] = 0 if self.count == 0 or self.search.chosen[0] != 0 else 1
            self.count += 1
        for i in range(self.count):
            self.search.chosen[i] = self.near[self.search.chosen[i]]
        return EXACT


def exposing_set(room: Room, v: int64_t, k: int64_t, most: int64_t, limit: int64_t):
    """Return the size of the smallest exposing set of v, what it means, and the set where the size is exact."""
    with cython.nogil:
        meaning = room.expose(v, k, most, limit)
    return room.count, meaning, np.array(room.search.chosen[: room.count if meaning == EXACT else 0])


def exposing_sizes(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    room: Room,
    k: int64_t,
    most: int64_t,
    limit: int64_t,
    sizes: int64_t[::1],
    meaning: int64_t[::1],
):
    """Write the sizes of the smallest exposing sets of `todo[first:last]`, and what they mean."""
    with cython.nogil:
        for i in range(first, last):
            meaning[i] = room.expose(todo[i], k, most, limit)
            sizes[i] = room.count
