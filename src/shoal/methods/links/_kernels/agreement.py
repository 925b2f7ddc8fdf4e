"""Rows of bits, and how many of them agree on a few columns: what l known entries of a row leave over.

A row is the adjacency of a vertex, 64 columns a word; by symmetry the row of x is also its column. Known are at most l
columns of a row: those with a link only (Definition II), any of them (Definition I), or any but its own, whose
vertices are then no candidates (the located reading). The vertices that agree with the row on them are candidates.

Where links have directions or kinds, a vertex has one line of words for each of R relations, and its row is all of
them, one after the other. Line w * R + r holds the vertices that w is linked to by relation r. So it is also a column:
the vertices that have the entry (w, reverse of r). This number names the column, for R = 1 as well.

After a change of some entries only sets of columns with a changed one can matter, so :meth:`BitRows.violation` looks
for sets that contain a given column. A column that excludes no candidate is left out: the set without it leaves as
many. Columns with links come first, so that few candidates are left to look at. Sets without any link leave nearly all
vertices: their columns are tried from the largest, which must be large for the set to matter.

A walk over graphs in which l known entries leave k candidates makes random changes of rows, with few edits in the end.
Every graph on the way is valid, so that it can stop at any time. A row gains or loses one link, becomes like another
row (so that both are twins), or goes back to nothing.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.shoal.core._kernels.words import accept, below, chance, cooling, count_ones, lowest

NEIGHBORS = cython.declare(cython.int, 0)
LOCATED = cython.declare(cython.int, 2)
"""Readings: 0 for neighbors, 1 for relations, 2 for located relations."""
TOGGLED = cython.declare(cython.double, 0.5)
IMITATED = cython.declare(cython.double, 0.97)
"""Up to these shares of the proposals one link changes, or a row becomes like another; the others empty a row."""

FAR = cython.declare(int64_t, 1 << 60)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mask_of(x: int64_t) -> uint64_t:
    """Return the bit of column x in its word."""
    return cython.cast(uint64_t, 1) << (x & 63)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def first_column(word: int64_t, bits: uint64_t) -> int64_t:
    """Return the column of the lowest bit of a word."""
    return (word << 6) + count_ones(lowest(bits) - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_linked(row: cython.pointer(cython.const[uint64_t]), x: int64_t) -> cython.bint:
    """Return whether a row has a link in column x."""
    return (row[x >> 6] & mask_of(x)) != 0


@cython.cclass
class BitRows:
    """A graph that can change, what must be left over, and room to work in."""

    bits: uint64_t[:, ::1]  # one line for each vertex and relation
    original: cython.const[uint64_t][:, ::1]
    indptr: cython.const[int64_t][::1]  # of the lines of the original
    indices: cython.const[int64_t][::1]
    degree: int64_t[::1]  # of each line
    reversals: cython.const[int64_t][::1]  # the relation that the other end sees, for each relation
    k: int64_t
    l: int64_t
    reading: int64_t
    keep: cython.bint  # whether all links of the original stay
    most: cython.const[int64_t][::1]  # links that no line may come to have more of, for each relation
    random: uint64_t[::1]
    masks: uint64_t[:, ::1]  # the candidates left by the columns so far, one line per column
    words: int64_t[:, ::1]  # where these have ones
    many: int64_t[::1]  # how many such words
    left: int64_t[::1]  # how many candidates
    at: int64_t[::1]  # the column in turn
    columns: int64_t[::1]
    found: int64_t[::1]
    row: uint64_t[::1]
    old: uint64_t[::1]
    new: uint64_t[::1]
    changed: int64_t[::1]
    links: int64_t  # how many of the listed columns have links
    relations: int64_t
    n: int64_t
    wide: int64_t  # words in a line

    def __init__(self, fields) -> None:
        (
            self.bits,
            self.original,
            self.indptr,
            self.indices,
            self.degree,
            self.reversals,
            self.k,
            self.l,
            self.reading,
            self.keep,
            self.most,
            self.random,
            self.masks,
            self.words,
            self.many,
            self.left,
            self.at,
            self.columns,
            self.found,
            self.row,
            self.old,
            self.new,
            self.changed,
        ) = fields
        self.relations = self.reversals.shape[0]
        self.n = self.bits.shape[0] // self.relations
        self.wide = self.bits.shape[1]

    # Columns and their places in a row.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def owner(self, x: int64_t) -> int64_t:
        """Return the vertex that column x is about."""
        return x if self.relations == 1 else x // self.relations

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def mirror(self, u: int64_t, x: int64_t) -> int64_t:
        """Return the column about u in which the vertex of column x stands if u stands in column x."""
        return u if self.relations == 1 else u * self.relations + self.reversals[x % self.relations]

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def place(self, x: int64_t) -> int64_t:
        """Return where column x is in a row."""
        if self.relations == 1:
            return x
        return ((self.reversals[x % self.relations] * self.wide) << 6) + x // self.relations

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def place_of(self, w: int64_t, relation: int64_t) -> int64_t:
        """Return where a link to w by a relation is in a row."""
        return ((relation * self.wide) << 6) + w

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def column(self, word: int64_t, bits: uint64_t) -> int64_t:
        """Return the column of the lowest bit of a word of a row."""
        if self.relations == 1:
            return first_column(word, bits)
        return first_column(word % self.wide, bits) * self.relations + self.reversals[word // self.wide]

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def has(self, row: cython.pointer(cython.const[uint64_t]), x: int64_t) -> cython.bint:
        """Return whether a row has a link in column x."""
        return is_linked(row, self.place(x))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def row_of(self, u: int64_t) -> cython.pointer(uint64_t):
        """Return the row of u."""
        return cython.address(self.bits[u * self.relations, 0])

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def original_of(self, u: int64_t) -> cython.pointer(cython.const[uint64_t]):
        """Return the row of u in the original."""
        return cython.address(self.original[u * self.relations, 0])

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def count_links(self, u: int64_t) -> int64_t:
        """Return the number of links of u."""
        if self.relations == 1:
            return self.degree[u]
        count: int64_t = 0
        for y in range(u * self.relations, (u + 1) * self.relations):
            count += self.degree[y]
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def copy(self, to: uint64_t[::1], row: cython.pointer(cython.const[uint64_t])) -> cython.void:
        """Copy a row."""
        w: cython.Py_ssize_t
        for w in range(to.shape[0]):
            to[w] = row[w]

    # Sets of columns that leave too few.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def narrow(self, depth: int64_t, x: int64_t, link: cython.bint) -> int64_t:
        """Write which of the candidates one level up also agree on column x; return how many."""
        located: cython.bint = self.reading == LOCATED
        at = self.owner(x)
        kept: int64_t = 0
        count: int64_t = 0
        for i in range(self.many[depth - 1]):
            w = self.words[depth - 1, i]
            m: uint64_t = self.masks[depth - 1, w] & (self.bits[x, w] if link else ~self.bits[x, w])
            if located and w == at >> 6:
                m &= ~mask_of(at)
            if m != 0:
                self.masks[depth, w] = m
                self.words[depth, kept] = w
                kept += 1
                count += count_ones(m)
        self.many[depth] = kept
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_columns(self, row: cython.pointer(cython.const[uint64_t]), u: int64_t, v: int64_t) -> int64_t:
        """List the columns that may be known beside v, those with links first; return how many."""
        total: int64_t = 0
        x: int64_t
        w: int64_t
        for w in range(self.row.shape[0]):
            m: uint64_t = row[w]
            while m != 0:
                x = self.column(w, m)
                m &= m - 1
                if x != v:
                    self.columns[total] = x
                    total += 1
        self.links = total
        if self.reading != NEIGHBORS:
            for x in range(self.degree.shape[0]):
                if x != v and not self.has(row, x) and not (self.reading == LOCATED and self.owner(x) == u):
                    self.columns[total] = x
                    total += 1
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_large(self, depth: int64_t, x: int64_t) -> cython.bint:
        """Return whether column x is so large that it may be the largest of those missing in a set without links."""
        return (self.degree[x] + 1) * (self.l - depth + 1) > self.left[depth - 1] - self.k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def violation(
        self, row: cython.pointer(cython.const[uint64_t]), u: int64_t, v: int64_t, zero: cython.bint
    ) -> int64_t:
        """Find at most l columns, v among them, on which fewer than k rows agree with `row`, the row of u.

        They are written to `found`; their number is returned, 0 if there are none. With `zero` no candidate at all is
        no violation: then `row` is one that was, and no vertex has these entries any more.
        """
        link = self.has(row, v)
        if self.reading == NEIGHBORS and not link:
            return 0
        self.found[0] = v
        count = self.narrow(1, v, link)
        if count < self.k:
            return 0 if zero and count == 0 else 1
        if self.l == 1:
            return 0
        self.left[1] = count
        total = self.list_columns(row, u, v)
        links = self.links
        depth: int64_t = 2
        self.at[2] = 0
        while depth >= 2:
            i = self.at[depth]
            if i == total:
                depth -= 1
                continue
            self.at[depth] = i + 1
            x = self.columns[i]
            # no link is among the columns
            bare: cython.bint = not link and i >= links and (depth == 2 or self.at[2] > links)
            if bare and not self.is_large(depth, x):
                continue
            count = self.narrow(depth, x, i < links)
            if count == self.left[depth - 1]:
                continue
            self.found[depth - 1] = x
            if count < self.k:
                if not zero or count > 0:
                    return depth
            elif depth < self.l:
                self.left[depth] = count
                depth += 1
                self.at[depth] = links if bare else i + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def row_violation(self, u: int64_t, first: int64_t) -> int64_t:
        """Find at most l columns, `first` or later among them, on which fewer than k rows agree with the row of u."""
        self.copy(self.row, self.row_of(u))
        row = cython.address(self.row[0])
        for v in range(first, self.degree.shape[0]):
            if not self.has(row, v) and (
                self.reading == NEIGHBORS or (self.reading == LOCATED and u == self.owner(v)) or not self.is_large(1, v)
            ):
                continue
            size = self.violation(row, u, v, False)
            if size > 0:
                return size
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_valid(self) -> cython.bint:
        """Return whether at most l known columns leave k candidates, whatever the row."""
        for u in range(self.n):
            if self.row_violation(u, 0) > 0:
                return False
        return True

    # Changes that keep the graph valid.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def flip(self, u: int64_t, x: int64_t) -> cython.void:
        """Change the entry of u in column x, the same link at the other end, and the degrees."""
        v, y = self.owner(x), self.mirror(u, x)
        self.bits[y, v >> 6] ^= mask_of(v)
        self.bits[x, u >> 6] ^= mask_of(u)
        step = 1 if is_linked(cython.address(self.bits[y, 0]), v) else -1
        self.degree[y] += step
        self.degree[x] += step

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def set_row(self, u: int64_t, row: cython.pointer(cython.const[uint64_t])) -> int64_t:
        """Make the row of u, and its column, equal `row`; list the columns that changed, return how many."""
        many: int64_t = 0
        here = self.row_of(u)
        w: int64_t
        for w in range(self.row.shape[0]):
            d: uint64_t = here[w] ^ row[w]
            while d != 0:
                self.changed[many] = self.column(w, d)
                many += 1
                d &= d - 1
        for i in range(many):
            self.flip(u, self.changed[i])
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def turn_back(self, v: int64_t, u: int64_t, old: cython.pointer(cython.const[uint64_t])) -> cython.void:
        """Take the changes of u back in `row`, the row of v, where u was `old`."""
        if self.relations == 1:  # they are in `changed`
            self.row[u >> 6] ^= mask_of(u)
            return
        for r in range(self.relations):
            at = self.place_of(v, r)
            if is_linked(old, at) != is_linked(self.row_of(u), at):
                at = self.place_of(u, self.reversals[r])
                self.row[at >> 6] ^= mask_of(at)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_still_valid(self, u: int64_t, old: cython.pointer(cython.const[uint64_t]), many: int64_t) -> cython.bint:
        """Return whether the graph is valid after `many` listed entries of u changed from `old`; before, it was."""
        row = cython.address(self.row[0])
        for i in range(2 * many):
            x = self.changed[i % many]
            v = self.owner(x)
            self.copy(self.row, self.row_of(v))
            if i >= many:
                self.turn_back(v, u, old)
            if self.violation(row, v, self.mirror(u, x), i >= many) > 0:
                return False
        for i in range(2 * many):
            if i < many:
                self.copy(self.row, self.row_of(u))
            else:
                self.copy(self.row, old)
            if self.violation(row, u, self.changed[i % many], i >= many) > 0:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def change_row(self, u: int64_t, row: cython.pointer(cython.const[uint64_t])) -> cython.bint:
        """Make the row of u equal `row` if the graph stays valid; return whether it was done."""
        self.copy(self.old, self.row_of(u))
        many = self.set_row(u, row)
        if self.is_still_valid(u, cython.address(self.old[0]), many):
            return True
        self.set_row(u, cython.address(self.old[0]))
        return False

    # The walk.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_apart(
        self, a: cython.pointer(cython.const[uint64_t]), b: cython.pointer(cython.const[uint64_t])
    ) -> int64_t:
        """Count the columns in which two rows differ."""
        count: int64_t = 0
        w: cython.Py_ssize_t
        for w in range(self.row.shape[0]):
            count += count_ones(a[w] ^ b[w])
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_link(self, u: int64_t) -> int64_t:
        """Return a random column in which u, which has links, has one."""
        left = below(self.random, self.count_links(u))
        row = self.row_of(u)
        w: int64_t
        for w in range(self.row.shape[0]):
            here = count_ones(row[w])
            if left < here:
                m: uint64_t = row[w]
                for _ in range(left):
                    m &= m - 1
                return self.column(w, m)
            left -= here
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_member(self, x: int64_t) -> int64_t:
        """Return a random vertex that has a link in column x, which is not empty."""
        left = below(self.random, self.degree[x])
        w: int64_t
        for w in range(self.wide):
            here = count_ones(self.bits[x, w])
            if left < here:
                m: uint64_t = self.bits[x, w]
                for _ in range(left):
                    m &= m - 1
                return first_column(w, m)
            left -= here
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_original(self, u: int64_t) -> int64_t:
        """Return a random column in which u has a link in the original, where it has one."""
        y = u * self.relations
        first = self.indptr[y]
        e = first + below(self.random, self.indptr[y + self.relations] - first)
        if self.relations == 1:
            return self.indices[e]
        while self.indptr[y + 1] <= e:
            y += 1
        return self.indices[e] * self.relations + self.reversals[y - u * self.relations]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_original_member(self, x: int64_t) -> int64_t:
        """Return a random vertex that has a link in column x in the original, where it is not empty."""
        return self.indices[self.indptr[x] + below(self.random, self.indptr[x + 1] - self.indptr[x])]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def toggle(self, u: int64_t, had: cython.bint) -> cython.void:
        """Propose the row of u with one link more or less: most often one of the original, else near by."""
        if had and (self.count_links(u) == 0 or (not self.keep and chance(self.random) < 0.7)):
            x = self.draw_original(u)
        else:
            x = self.draw_link(u)
            if chance(self.random) < 0.5:
                x = self.draw_link(self.owner(x))
        if self.owner(x) == u:
            return
        if self.relations > 1 and chance(self.random) < 0.5:
            self.toggle_tie(u, self.owner(x))
            return
        at = self.place(x)
        self.new[at >> 6] ^= mask_of(at)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def toggle_tie(self, u: int64_t, v: int64_t) -> cython.void:
        """Propose that all links between u and v go; if there are none, that they are as in the original."""
        was = self.original_of(u)
        linked: cython.bint = False
        for r in range(self.relations):
            linked |= is_linked(cython.address(self.new[0]), self.place_of(v, r))
        for r in range(self.relations):
            at = self.place_of(v, r)
            self.new[at >> 6] &= ~mask_of(at)
            if not linked and is_linked(was, at):
                self.new[at >> 6] |= mask_of(at)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def imitate(self, u: int64_t, had: cython.bint) -> cython.void:
        """Propose for u the row of a vertex that has a link in the same column, with or without a link to it."""
        e = self.draw_original_member(self.draw_original(u)) if had else self.draw_member(self.draw_link(u))
        if e == u or self.count_links(e) == 0:
            return
        near: cython.bint = False
        for r in range(self.relations):
            near |= is_linked(cython.address(self.new[0]), self.place_of(e, r))
        self.copy(self.new, self.row_of(e))
        for r in range(self.relations):
            at = self.place_of(u, r)
            self.new[at >> 6] &= ~mask_of(at)
        if (near or chance(self.random) < 0.3) and chance(self.random) < 0.8:
            self.link_twin(u, e, near)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_twin(self, u: int64_t, e: int64_t, near: cython.bint) -> cython.void:
        """Link u and e in the proposal: as they are linked now, or by one relation both ways."""
        one: int64_t = 0 if near or self.relations == 1 else below(self.random, self.relations)
        for r in range(self.relations):
            at = self.place_of(e, r)
            if is_linked(self.row_of(u), at) if near else r in (one, self.reversals[one]):
                self.new[at >> 6] |= mask_of(at)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_room(self, u: int64_t) -> cython.bint:
        """Return whether no line gets a link more than it may have, if u gets its new row."""
        row = self.row_of(u)
        w: int64_t = 0
        x: int64_t
        for r in range(self.relations):
            links: int64_t = 0
            for _ in range(self.wide):
                links += count_ones(self.new[w])
                more: uint64_t = self.new[w] & ~row[w]
                while more != 0:
                    x = self.column(w, more)
                    if self.degree[x] >= self.most[self.reversals[r]]:
                        return False
                    more &= more - 1
                w += 1
            now = self.degree[u * self.relations + r]
            if links > (self.most[r] if self.most[r] > now else now):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk(self, proposals: int64_t, hot: cython.double, cold: cython.double) -> int64_t:
        """Propose changes while it cools from `hot` to `cold`; return by how many edits there are more."""
        total: int64_t = 0
        heat = hot
        factor = cooling(proposals, hot, cold)
        w: cython.Py_ssize_t
        new = cython.address(self.new[0])
        for p in range(proposals):
            if p % 64 == 63:
                heat *= factor
            u = below(self.random, self.n)
            had: cython.bint = self.indptr[(u + 1) * self.relations] > self.indptr[u * self.relations]
            if not had and self.count_links(u) == 0:
                continue
            here, was = self.row_of(u), self.original_of(u)
            self.copy(self.new, here)
            kind = chance(self.random)
            if kind < TOGGLED:
                self.toggle(u, had)
            elif kind < IMITATED:
                self.imitate(u, had)
            else:
                for w in range(self.new.shape[0]):
                    self.new[w] = 0
            if self.keep:
                for w in range(self.new.shape[0]):
                    self.new[w] |= was[w]
            more = self.count_apart(new, was) - self.count_apart(here, was)
            if not accept(self.random, cython.cast(cython.double, more), heat):
                continue
            if (more != 0 or self.count_apart(new, here) > 0) and self.has_room(u) and self.change_row(u, new):
                total += more
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def restore_row(self, u: int64_t) -> int64_t:
        """Take back single edits of u as long as the graph stays valid; return how many."""
        count: int64_t = 0
        here, was = self.row_of(u), self.original_of(u)
        w: int64_t
        for w in range(self.row.shape[0]):
            d: uint64_t = here[w] ^ was[w]
            while d != 0:
                self.copy(self.new, here)
                self.new[w] ^= lowest(d)
                d &= d - 1
                count += self.change_row(u, cython.address(self.new[0]))
        return count

    # Ways to begin.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remove_for(self, c: int64_t) -> int64_t:
        """Remove links until no set identifies c: of each that leaves too few, the link to the lowest degree.

        Return how many; minus that, less 1, where c cannot be hidden.
        """
        count: int64_t = 0
        size = self.row_violation(c, 0)
        while size > 0:
            v = self.found[0]
            a = c
            b: int64_t = -1
            big: int64_t = -1
            for i in range(size):
                x = self.found[i]
                if self.has(self.row_of(c), x):
                    if b < 0 or self.degree[x] < self.degree[b]:
                        b = x
                elif big < 0 or self.degree[x] > self.degree[big]:
                    big = x
            if b < 0:  # none of them is a link of c: one of the largest
                b = big
                a = self.draw_member(big) if self.degree[big] > 0 else -1
            if a < 0:
                return -count - 1
            self.flip(a, b)
            count += 1
            size = self.row_violation(c, v)
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_joiner(self, c: int64_t, size: int64_t) -> int64_t:
        """Return a vertex that differs from c on the columns found and lacks the fewest links; of these the largest."""
        best: int64_t = -1
        fewest = size + 1
        x: int64_t
        for x in range(self.n):
            lacks: int64_t = 0
            over: int64_t = -FAR  # by how much the fullest line of x that gets a link exceeds its limit
            row = self.row_of(x)
            for i in range(size):
                s = self.found[i]
                link = self.has(self.row_of(c), s)
                if (x == self.owner(s) and (link or self.reading == LOCATED)) or (not link and self.has(row, s)):
                    lacks += size + 1
                elif link and not self.has(row, s):
                    y = self.mirror(x, s)
                    lacks += 1 if self.degree[s] < self.most[s % self.relations] else size + 1
                    more = self.degree[y] - self.most[y % self.relations]
                    over = more if more > over else over
            if over + lacks > 0:
                continue
            if (lacks > 0 and lacks < fewest) or (
                lacks == fewest and best >= 0 and self.count_links(x) > self.count_links(best)
            ):
                best, fewest = x, lacks
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_for(self, c: int64_t, count: int64_t, most: int64_t) -> int64_t:
        """Add links until no set identifies c: the vertex that lacks least joins the candidates.

        `count` were added before; return how many there are, or more than `most` where so many are not enough.
        """
        size = self.row_violation(c, 0)
        while size > 0:
            x = self.find_joiner(c, size)
            if x < 0 or count > most:
                return most + 1
            for i in range(size):
                s = self.found[i]
                if self.has(self.row_of(c), s) and not self.has(self.row_of(x), s):
                    self.flip(x, s)
                    count += 1
            size = self.row_violation(c, 0)
        return count


# Entry points; `fields` are those of BitRows, in their order, and their arrays are changed.


def valid(fields):
    """Return whether at most l known columns leave k candidates, whatever the row."""
    rows: BitRows = BitRows(fields)
    return bool(rows.is_valid())


def row_violation(fields, u: int64_t, first: int64_t):
    """Find at most l columns, `first` or later among them, on which fewer than k rows agree with the row of u."""
    rows: BitRows = BitRows(fields)
    return rows.row_violation(u, first)


def changed_to(fields, u: int64_t, row: cython.const[uint64_t][::1]):
    """Make the row of u equal `row` if the graph stays valid; return whether it was done."""
    rows: BitRows = BitRows(fields)
    return bool(rows.change_row(u, cython.address(row[0])))


def walk(fields, proposals: int64_t, hot: cython.double, cold: cython.double):
    """Propose changes while it cools from `hot` to `cold`; return by how many edits there are more."""
    rows: BitRows = BitRows(fields)
    with cython.nogil:
        more = rows.walk(proposals, hot, cold)
    return more


def restore(fields, order: cython.const[int64_t][::1]):
    """Take back single edits as long as the graph stays valid; return how many."""
    rows: BitRows = BitRows(fields)
    count: int64_t = 0
    with cython.nogil:
        for i in range(order.shape[0]):
            count += rows.restore_row(order[i])
    return count


def remove(fields, who: cython.const[int64_t][::1]):
    """Remove links until no set of columns identifies any of `who`; return how many.

    Others may be identified by it. Where one cannot be hidden, all links go.
    """
    rows: BitRows = BitRows(fields)
    count: int64_t = 0
    with cython.nogil:
        for i in range(who.shape[0]):
            gone = rows.remove_for(who[i])
            if gone < 0:
                count += -gone - 1
                break
            count += gone
    return count


def add(fields, who: cython.const[int64_t][::1], most: int64_t):
    """Add links until no set of columns identifies any of `who`; return how many.

    More than `most` says that so many are not enough. Others may be identified by it.
    """
    rows: BitRows = BitRows(fields)
    count: int64_t = 0
    with cython.nogil:
        for i in range(who.shape[0]):
            count = rows.add_for(who[i], count, most)
            if count > most and rows.row_violation(who[i], 0) > 0:
                break
    return count


def fewest_of_all(fields, pairs: cython.const[int64_t][:, ::1]):
    """Try every graph (that keeps the original, if asked): leave the best one in the bits; return its edits, or -1."""
    rows: BitRows = BitRows(fields)
    best: int64_t = -1
    fewest: int64_t = -1
    made: int64_t = 0
    one: int64_t = 1
    i: cython.Py_ssize_t
    with cython.nogil:
        for code in range(one << pairs.shape[0]):
            gray = code ^ (code >> 1)
            for i in range(pairs.shape[0]):
                if ((gray ^ made) >> i) & 1:
                    rows.flip(pairs[i, 0], pairs[i, 1])
            made = gray
            edits = count_ones(cython.cast(uint64_t, gray))
            if (fewest < 0 or edits < fewest) and rows.is_valid():
                best, fewest = gray, edits
        for i in range(pairs.shape[0]):
            if best >= 0 and ((best ^ made) >> i) & 1:
                rows.flip(pairs[i, 0], pairs[i, 1])
    return fewest


def listed(
    bits: cython.const[uint64_t][:, ::1],
    count: cython.Py_ssize_t,
    reversals: cython.const[int64_t][::1],
    relation: int64_t[::1],
):
    """Return the links, `count` of them, each from one end, which sees it as `relation`: sources and targets."""
    sources: int64_t[::1] = np.empty(count, dtype=np.int64)
    targets: int64_t[::1] = np.empty(count, dtype=np.int64)
    many: int64_t = reversals.shape[0]
    p: cython.Py_ssize_t = 0
    y: int64_t
    w: int64_t
    with cython.nogil:
        for y in range(bits.shape[0]):
            u = y // many
            r = y % many
            if reversals[r] < r:
                continue
            for w in range(bits.shape[1]):
                m: uint64_t = bits[y, w]
                while m != 0:
                    v = first_column(w, m)
                    m &= m - 1
                    if u < v or reversals[r] != r:
                        sources[p] = u
                        targets[p] = v
                        relation[p] = r
                        p += 1
    return np.asarray(sources), np.asarray(targets)
