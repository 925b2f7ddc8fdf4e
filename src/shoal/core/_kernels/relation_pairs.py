"""The fewest candidates that two known entries of a row leave, by counting for all vertices at once.

A search for one vertex after the other looks at whole rows, again and again. Counting is faster: for an item w, the
paths w - u - x count for every item x how many vertices have both. That says how many have w and x, and how many have w
but not x. Of the x that a vertex v does not have, the best one is the first in the list by that number. So all vertices
that have w are served by one list. Two items that v does not have are tried by their degrees, from the highest.

A graph is a tuple of arrays (indptr, indices, first, steps): rows of vertices, and columns of items. The items first[w]
to first[w + 1] - 1 are about vertex w. Without directions and kinds every vertex is its own item. Multiplicities are
not counted here.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t

from shoal.core._kernels import view_bytes

RELATIONS = cython.declare(cython.int, 0)
LOCATED = cython.declare(cython.int, 1)
NEIGHBORS = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class Room:
    """The graph, and room for one thread."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    first: cython.const[int64_t][::1]
    owners: cython.const[int64_t][::1]
    """The vertex that each item is about, from item `start` on."""
    start: int64_t
    people: int64_t
    reading: cython.int
    least: int64_t[::1]
    """The fewest candidates of each vertex so far."""
    pairs: int64_t[:, ::1]
    """The items that leave so few, -1 if they were not found here; no rows if they are not kept."""
    both: int64_t[::1]
    """For each item, how many have it and the current item."""
    seen: int64_t[::1]
    """Items that are in the list of the current item."""
    mine: int64_t[::1]
    """Items of the current vertex."""
    has: int64_t[::1]
    """Vertices that have the current item, or that it excludes when it is missing; a room serves one of the two."""
    steps: cython.const[int64_t][::1]
    """For each vertex and item, how many paths of two entries begin there."""
    items: int64_t[::1]
    apart: int64_t[::1]
    """For each listed item, how many it excludes when it is missing; beside a current item, of those who have that."""
    order: int64_t[::1]
    heads: int64_t[::1]

    def __init__(self, g, reading: int, least, pairs) -> None:
        indptr, self.indices, first, self.steps = g
        self.indptr, self.first, self.reading = indptr, first, reading
        owners = np.repeat(np.arange(len(least)), np.diff(first))
        n, items = len(indptr) - 1, len(owners)
        self.owners, self.start, self.people = owners, first[0], len(least)
        self.least, self.pairs = least, pairs
        self.both, self.seen, self.mine = (np.full(n, value, dtype=np.int64) for value in (0, -1, -1))
        self.has = np.full(self.people, -1, dtype=np.int64)
        self.items, self.apart, self.order = (np.empty(items, dtype=np.int64) for _ in range(3))
        self.heads = np.zeros(int(np.max(np.diff(indptr), initial=0)) + 3, dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_paths(self, w: int64_t) -> int64_t:
        """List the items of those who have w, with how many have both; return how many items."""
        count: int64_t = 0
        for e in range(self.indptr[w], self.indptr[w + 1]):
            u = self.indices[e]
            self.has[u] = w
            for f in range(self.indptr[u], self.indptr[u + 1]):
                x = self.indices[f]
                if self.seen[x] != w:
                    self.seen[x] = w
                    self.both[x] = 0
                    self.items[count] = x
                    count += 1
                self.both[x] += 1
        if self.reading == LOCATED:  # a missing item also excludes the vertex that it is about
            for e in range(self.indptr[w], self.indptr[w + 1]):
                u = self.indices[e]
                for y in range(self.first[u], self.first[u + 1]):
                    if self.seen[y] != w:
                        self.seen[y] = w
                        self.both[y] = 0
                        self.items[count] = y
                        count += 1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_paths(self, w: int64_t, count: int64_t) -> cython.void:
        """List the items in `order`, those first that exclude the most of those who have w when they are missing."""
        top = self.indptr[w + 1] - self.indptr[w] + 1
        for size in range(top + 2):
            self.heads[size] = 0
        for i in range(count):
            x = self.items[i]
            self.apart[i] = self.both[x]
            if self.reading == LOCATED and self.has[self.owners[x - self.start]] == w:
                self.apart[i] += 1
            self.heads[top - self.apart[i] + 1] += 1
        for size in range(top):
            self.heads[size + 1] += self.heads[size]
        for i in range(count):
            place = top - self.apart[i]
            self.order[self.heads[place]] = i
            self.heads[place] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def note(self, v: int64_t, left: int64_t, w: int64_t, x: int64_t) -> cython.void:
        """Keep how many candidates w and x leave to v, if they are the fewest so far."""
        if left < self.least[v]:
            self.least[v] = left
            if self.pairs.shape[0]:
                self.pairs[v, 0], self.pairs[v, 1] = w, x

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_open(self, v: int64_t, enough: int64_t) -> cython.bint:
        """Return whether a pair may still lower the number of v: one that is known to be there needs two items."""
        return self.least[v] > enough and (self.reading != NEIGHBORS or self.indptr[v + 1] - self.indptr[v] > 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def compare_with(self, w: int64_t, enough: int64_t) -> cython.void:
        """Do what `serve` does where few need it: compare the column of w with those of their items."""
        for e in range(self.indptr[w], self.indptr[w + 1]):
            self.has[self.indices[e]] = w
        for e in range(self.indptr[w], self.indptr[w + 1]):
            v = self.indices[e]
            if not self.is_open(v, enough):
                continue
            for f in range(self.indptr[v], self.indptr[v + 1]):
                x = self.indices[f]
                if x == w:
                    continue
                count: int64_t = 0
                for i in range(self.indptr[x], self.indptr[x + 1]):
                    count += self.has[self.indices[i]] == w
                self.note(v, count, w, x)
                if self.least[v] <= enough:
                    break

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def serve(self, w: int64_t, enough: int64_t) -> cython.void:
        """Lower `least` by pairs of w and another item, for those who have w and more than `enough` candidates."""
        open_steps: int64_t = 0
        for e in range(self.indptr[w], self.indptr[w + 1]):
            v = self.indices[e]
            if self.is_open(v, enough):
                open_steps += self.steps[v]
        if open_steps == 0:
            return
        if self.reading == NEIGHBORS and open_steps < self.steps[w]:
            self.compare_with(w, enough)
            return
        have = self.indptr[w + 1] - self.indptr[w]
        count = self.list_paths(w)
        if self.reading != NEIGHBORS:
            self.sort_paths(w, count)
        for e in range(self.indptr[w], self.indptr[w + 1]):
            v = self.indices[e]
            if not self.is_open(v, enough):
                continue
            for f in range(self.indptr[v], self.indptr[v + 1]):
                x = self.indices[f]
                self.mine[x] = v
                if x != w:
                    self.note(v, self.both[x], w, x)
            if self.reading == NEIGHBORS:
                continue
            for i in range(count):
                at = self.order[i]
                x = self.items[at]
                if self.mine[x] != v and not (self.reading == LOCATED and self.owners[x - self.start] == v):
                    self.note(v, have - self.apart[at], w, x)
                    break

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark(self, x: int64_t) -> int64_t:
        """Mark who is excluded when x is known to be missing; return how many."""
        size = self.indptr[x + 1] - self.indptr[x]
        for e in range(self.indptr[x], self.indptr[x + 1]):
            self.has[self.indices[e]] = x
        if self.reading == LOCATED:  # nobody has an item about himself
            self.has[self.owners[x - self.start]] = x
            size += 1
        return size

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_more(self, x: int64_t, y: int64_t) -> int64_t:
        """Return how many are excluded when y is known to be missing, and are not marked with x."""
        more: int64_t = 0
        for e in range(self.indptr[y], self.indptr[y + 1]):
            more += self.has[self.indices[e]] != x
        if self.reading == LOCATED:
            more += self.has[self.owners[y - self.start]] != x
        return more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def exclude_most(
        self, v: int64_t, highest: cython.pointer(cython.const[int64_t]), enough: int64_t, limit: int64_t
    ) -> cython.bint:
        """Lower `least` by pairs of items that v lacks, in at most `limit` steps; return whether all are done."""
        count: int64_t = 0
        spent: int64_t = 0
        for f in range(self.indptr[v], self.indptr[v + 1]):
            self.mine[self.indices[f]] = v
        own: int64_t = 1 if self.reading == LOCATED else 0
        for i in range(self.owners.shape[0]):
            x = highest[i]
            if self.mine[x] == v or (own and self.owners[x - self.start] == v):
                continue
            size = self.indptr[x + 1] - self.indptr[x] + own
            if count and self.people - size - self.apart[0] >= self.least[v]:
                break  # no pair with x or one after it is better
            self.items[count], self.apart[count] = x, size
            count += 1
            # pairs with those before, of which the first exclude the most
            marked: cython.bint = False
            for j in range(count - 1):
                if self.people - size - self.apart[j] >= self.least[v]:
                    break
                if self.least[v] <= enough:
                    return True
                if not marked:
                    self.mark(x)
                    marked = True
                y = self.items[j]
                spent += self.apart[j] + size
                if spent > limit:
                    return False
                self.note(v, self.people - size - self.count_more(x, y), x, y)
        return True


def serve_all(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    g,
    reading: cython.int,
    enough: int64_t,
    least,
    pairs,
):
    """Lower `least` by all pairs with one of the items `todo[first:last]` that is there; write the pairs."""
    room: Room = Room(g, reading, least, pairs)
    with cython.nogil:
        for i in range(first, last):
            room.serve(todo[i], enough)


def exclude_all(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    highest: cython.const[int64_t][::1],
    g,
    reading: cython.int,
    enough: int64_t,
    limit: int64_t,
    least,
    pairs,
    done,
):
    """Lower `least` of `todo[first:last]` by pairs that are missing; write the pairs, and whether all were tried.

    `highest` lists all items by their number of vertices, the highest first.
    """
    marks: uint8_t[::1] = view_bytes(done)
    room: Room = Room(g, reading, least, pairs)
    with cython.nogil:
        for i in range(first, last):
            marks[i] = room.exclude_most(todo[i], cython.address(highest[0]), enough, limit)
