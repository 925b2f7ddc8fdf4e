"""Partitions of the vertices into classes that can change: what a change of them costs.

A class has k or more members; 2k-1 are enough. What a partition costs is a sum over its blocks: pairs of classes, and
the inside of one. A block has s pairs of vertices and e edges. There are two objectives:

Edits, for classes whose rows become equal: all edges of a block are kept, and the rest is added, where 2e > s. Against
deleting every edge that saves max(0, 2e - s), so that the edits are m minus the sum of it, and only blocks more than
half full count. While it is warm, edges in blocks that are not half full count a little too (`soft`): there would be no
slope there. Nothing stays inside a class, unless cliques are allowed: then the inside of a class that is large enough
is a block like others. Where only some vertices are sensitive the others may stand alone, as classes of one.

Worlds, for classes of which only the numbers of edges are published: a block can be filled in C(s, e) ways, and the
cost is the logarithm. An empty block can be filled in one way, whatever its size, so that blocks without edges never
count. Beside it, how unlike the degrees in a class are may count: the sum of squares of r - mean(r), where r is the
root of twice the degree. That is nearly the logarithm of how much more likely the degrees would be as Poisson numbers
of their own means than of one mean for the class.

Where links have directions or kinds, a vertex sees each link as an entry (w, relation), and an entry counts in the
*column* (class of w, relation). A block is a pair of classes and a relation: links that class a sees as the relation r
are the links that class b sees as the reverse of r. So a pair of classes has as many blocks as there are relations.
Inside a class, a relation and its reverse are the same block: s counts ordered pairs, and pairs where the relation is
its own reverse. With one relation, entries are neighbors and columns are classes.

Where there are few classes the edges of each block are stored. Where there are many, the edges of a class to all others
are counted anew from the rows of its members, which costs the sum of their degrees and no memory.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import lgamma
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import accept, below, chance, cooling, draw

from shoal.core._kernels import view_bytes

LISTED = cython.declare(cython.int, 0)
GATHERED = cython.declare(cython.int, 1)
LINKED = cython.declare(cython.int, 2)
STRANGERS = cython.declare(cython.int, 3)
"""Shares of proposals: with one of the most alike; the same where a class is put together anew; of the others, with a
neighbor; with any vertex. Those that are left share a neighbor."""
REBUILT = cython.declare(cython.double, 0.002)
"""The share of proposals that dissolve a class, or make one of members that others can spare."""


@cython.cclass
class Partition:
    """A partition that can change, and room to count in. Empty classes have size 0."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]  # the neighbor of each entry
    sensitive: cython.const[uint8_t][::1]
    protected: cython.const[int64_t][::1]  # the ids of the sensitive vertices
    k: int64_t
    most: int64_t  # members a class can have
    clique: int64_t  # from how many members on a class may become a clique; 0 for never
    code: int32_t[::1]  # the class of each vertex
    place: int32_t[::1]  # where it stands among the members of its class
    members: int32_t[:, ::1]  # one line per class
    size: int32_t[::1]
    empty: int64_t[::1]  # empty[0] of them: empty[1], empty[2], ...
    blocks: int32_t[:, ::1]  # entries of a class in each column; no line where there are too many classes
    here: int32_t[::1]  # entries of one class in each column, 0 between calls
    there: int32_t[::1]  # the same for another class
    shift: int32_t[::1]
    logs: cython.const[cython.double][::1]  # logarithms of 0!, 1!, 2!, ... where worlds are counted; none for edits
    weight: cython.double  # how much unlike degrees inside a class count; 0 for nothing
    root: cython.const[cython.double][::1]  # the root of twice the degree of each vertex
    roots: cython.double[::1]  # the sum of them in each class
    partners: int64_t  # members of another class with whom a vertex tries to change places at a time
    alike: cython.const[int32_t][:, ::1]  # vertices with similar rows, a line per vertex
    shares: cython.const[cython.double][::1]  # of proposals, see above
    random: uint64_t[::1]  # the state of the generator
    items: cython.const[int32_t][::1]  # each entry: the neighbor times the number of relations, plus the relation
    column: int32_t[::1]  # the column of each such number; with one relation, the same memory as `code`
    width: int32_t[::1]  # the members of the class of each column; with one relation, the same memory as `size`
    reversals: cython.const[int32_t][::1]  # the reverse of each relation
    many: int64_t  # how many relations there are
    linked: int32_t[::1]  # of each relation, whether the two vertices of an exchange are linked by it
    stored: cython.bint  # whether the edges of each block are stored
    edits: cython.bint  # whether edits are counted, not worlds
    moved: int64_t[::1]  # the vertices of a change of several
    old: int64_t[::1]  # the classes that they were in

    def __init__(self, fields) -> None:
        (
            self.indptr,
            self.indices,
            sensitive,
            self.protected,
            self.k,
            self.most,
            self.clique,
            self.code,
            self.place,
            self.members,
            self.size,
            self.empty,
            self.blocks,
            self.here,
            self.there,
            self.shift,
            self.logs,
            self.weight,
            self.root,
            self.roots,
            self.partners,
            self.alike,
            self.shares,
            self.random,
            self.items,
            self.column,
            self.width,
            self.reversals,
        ) = fields
        self.many, self.linked = self.reversals.shape[0], np.zeros(self.reversals.shape[0], dtype=np.int32)
        self.sensitive = view_bytes(sensitive)
        self.stored, self.edits = self.blocks.shape[0] > 0, self.logs.shape[0] == 0
        self.moved, self.old = np.empty(self.most + 1, dtype=np.int64), np.empty(self.most + 1, dtype=np.int64)

    # What a change costs.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def block_cost(self, e: int64_t, s: int64_t, soft: cython.double) -> cython.double:
        """Return what a block with e edges of s costs: minus the edits saved, or the log of the ways to fill it."""
        if self.edits:
            saved = 2.0 * e - s
            return -((saved if saved > 0.0 else 0.0) + (soft * e * e / s if e > 0 else 0.0))
        if e == 0 or e == s:
            return 0.0
        if s < self.logs.shape[0]:
            return self.logs[s] - self.logs[e] - self.logs[s - e]
        return lgamma(s + 1.0) - lgamma(e + 1.0) - lgamma(s - e + 1.0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def inner_cost(
        self, before: int64_t, more: int64_t, size: int64_t, other: int64_t, r: int64_t, soft: cython.double
    ) -> cython.double:
        """Return what the inside of a class adds by relation r.

        It had `size` members and `before` entries, and has `other` members and `more` entries more. What cannot be kept
        costs nothing.
        """
        if more == 0 and size == other:
            return 0.0
        now = self.kept_inside(before + more, other, r, soft)
        return now - self.kept_inside(before, size, r, soft)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kept_inside(self, entries: int64_t, size: int64_t, r: int64_t, soft: cython.double) -> cython.double:
        """Return the cost of the inside of a class with some entries of relation r; 0 where it cannot be kept."""
        if self.edits and (self.clique == 0 or size < self.clique):
            return 0.0
        if self.reversals[r] != r:
            return self.block_cost(entries, size * (size - 1), soft)
        return self.block_cost(entries // 2, size * (size - 1) // 2, soft)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def degree_cost(self, a: int64_t, size: int64_t, more: cython.double) -> cython.double:
        """Return what the degrees of class a add if it has `size` members and its sum of roots is `more` larger.

        The squares themselves do not depend on the classes: only the part with the means changes.
        """
        if self.weight == 0.0:
            return 0.0
        was = self.roots[a] * self.roots[a] / self.size[a] if self.size[a] > 0 else 0.0
        now = self.roots[a] + more
        return self.weight * (was - (now * now / size if size > 0 else 0.0))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def edges_of(self, a: int64_t, counts: int32_t[::1]) -> cython.pointer(int32_t):
        """Return the entries of class a in every column: those stored, or counted into `counts`."""
        if self.stored:
            return cython.address(self.blocks[a, 0])
        for i in range(self.size[a]):
            u = self.members[a, i]
            for e in range(self.indptr[u], self.indptr[u + 1]):
                counts[self.column[self.items[e]]] += 1
        return cython.address(counts[0])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def forget_edges(self, a: int64_t, counts: int32_t[::1]) -> cython.void:
        """Set what edges_of counted back to 0."""
        if self.stored:
            return
        for i in range(self.size[a]):
            u = self.members[a, i]
            for e in range(self.indptr[u], self.indptr[u + 1]):
                counts[self.column[self.items[e]]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def swap_cost(
        self,
        u: int64_t,
        v: int64_t,
        here: cython.pointer(int32_t),
        there: cython.pointer(int32_t),
        soft: cython.double,
    ) -> cython.double:
        """Return what it adds if u and v, of two classes, change places. Only blocks with their neighbors change.

        `here` and `there` are the entries of their classes in every column.
        """
        if self.many == 1:
            return self.plain_swap_cost(u, v, here, there, soft)
        a: int64_t = self.code[u]
        b: int64_t = self.code[v]
        sa: int64_t = self.size[a]
        sb: int64_t = self.size[b]
        many = self.many
        x: int64_t = v * many
        for e in range(self.indptr[u], self.indptr[u + 1]):
            w: int64_t = self.items[e]
            self.shift[self.column[w]] -= 1
            if w >= x and w < x + many:
                self.linked[w - x] = 1
        for e in range(self.indptr[v], self.indptr[v + 1]):
            self.shift[self.column[self.items[e]]] += 1
        a *= many
        b *= many
        more = self.shift_cost(u, 0.0, here, there, a, b, sa, sb, soft)
        more = self.shift_cost(v, more, here, there, a, b, sa, sb, soft)
        more = self.pair_cost(more, here, there, a, b, sa, sb, soft)
        r = self.root[v] - self.root[u]
        return more + self.degree_cost(self.code[u], sa, r) + self.degree_cost(self.code[v], sb, -r)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def plain_swap_cost(
        self,
        u: int64_t,
        v: int64_t,
        here: cython.pointer(int32_t),
        there: cython.pointer(int32_t),
        soft: cython.double,
    ) -> cython.double:
        """Return the same where there is one relation, which is the fastest to count."""
        a, b = self.code[u], self.code[v]
        sa: int64_t = self.size[a]
        sb: int64_t = self.size[b]
        ua: int64_t = 0
        ub: int64_t = 0
        va: int64_t = 0
        vb: int64_t = 0
        linked: int64_t = 0
        for e in range(self.indptr[u], self.indptr[u + 1]):
            w = self.indices[e]
            j = self.code[w]
            if j == a:
                ua += 1
            elif j == b:
                ub += 1
                if w == v:
                    linked = 1
            else:
                self.shift[j] -= 1
        for e in range(self.indptr[v], self.indptr[v + 1]):
            j = self.code[self.indices[e]]
            if j == a:
                va += 1
            elif j == b:
                vb += 1
            else:
                self.shift[j] += 1
        more = self.shift_cost(u, 0.0, here, there, a, b, sa, sb, soft)
        more = self.shift_cost(v, more, here, there, a, b, sa, sb, soft)
        between: int64_t = here[b]
        now = between - ub - va + ua + vb + 2 * linked
        more += self.block_cost(now, sa * sb, soft) - self.block_cost(between, sa * sb, soft)
        more += self.inner_cost(here[a], 2 * (va - ua - linked), sa, sa, 0, soft)
        more += self.inner_cost(there[b], 2 * (ub - vb - linked), sb, sb, 0, soft)
        r = self.root[v] - self.root[u]
        return more + self.degree_cost(a, sa, r) + self.degree_cost(b, sb, -r)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pair_cost(
        self,
        more: cython.double,
        here: cython.pointer(int32_t),
        there: cython.pointer(int32_t),
        a: int64_t,
        b: int64_t,
        sa: int64_t,
        sb: int64_t,
        soft: cython.double,
    ) -> cython.double:
        """Add to `more` what the blocks between and inside the two classes of an exchange add; forget their shifts.

        `a` and `b` are the first columns of the classes.
        """
        for r in range(self.many):
            t = self.reversals[r]
            if r > t:  # it was counted with its reverse
                continue
            both = self.linked[r] + self.linked[t]
            gone, come = self.shift[b + r] + self.shift[b + t], self.shift[a + r] + self.shift[a + t]
            between: int64_t = here[b + r]
            now = between + self.shift[b + r] - self.shift[a + t] + both
            more += self.block_cost(now, sa * sb, soft) - self.block_cost(between, sa * sb, soft)
            if r != t:
                between = here[b + t]
                now = between + self.shift[b + t] - self.shift[a + r] + both
                more += self.block_cost(now, sa * sb, soft) - self.block_cost(between, sa * sb, soft)
            if self.clique > 0 or not self.edits:
                more += self.inner_cost(here[a + r], come - both, sa, sa, r, soft)
                more += self.inner_cost(there[b + r], -gone - both, sb, sb, r, soft)
            self.linked[r] = self.linked[t] = 0
            self.shift[a + r] = self.shift[a + t] = 0
            self.shift[b + r] = self.shift[b + t] = 0
        return more

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_column(self, j: int64_t, first: int64_t) -> cython.bint:
        """Return whether j is a column of the class, or an item of the vertex, whose first one is given."""
        return cython.cast(uint64_t, j - first) < cython.cast(uint64_t, self.many)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shift_cost(
        self,
        x: int64_t,
        more: cython.double,
        here: cython.pointer(int32_t),
        there: cython.pointer(int32_t),
        a: int64_t,
        b: int64_t,
        sa: int64_t,
        sb: int64_t,
        soft: cython.double,
    ) -> cython.double:
        """Add to `more` what the blocks with neighbors of x in other classes add, and forget their shifts.

        `a` and `b` are the first columns of the two classes.
        """
        for e in range(self.indptr[x], self.indptr[x + 1]):
            j = self.column[self.items[e]]
            d = self.shift[j]
            if d != 0 and not self.is_column(j, a) and not self.is_column(j, b):
                s: int64_t = self.width[j]
                p: int64_t = here[j]
                q: int64_t = there[j]
                more += self.block_cost(p + d, sa * s, soft) - self.block_cost(p, sa * s, soft)
                more += self.block_cost(q - d, sb * s, soft) - self.block_cost(q, sb * s, soft)
                self.shift[j] = 0
        return more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def resize_cost(
        self,
        a: int64_t,
        but: int64_t,
        counts: cython.pointer(int32_t),
        size: int64_t,
        step: int64_t,
        soft: cython.double,
    ) -> cython.double:
        """Return what the blocks of class a, not that with `but`, would add with `size` members and the shift moved."""
        now: cython.double = 0.0
        before: cython.double = 0.0
        was: int64_t = self.size[a]
        own: int64_t = a * self.many
        other: int64_t = but * self.many
        for i in range(self.size[a]):
            u = self.members[a, i]
            for e in range(self.indptr[u], self.indptr[u + 1]):
                j = self.column[self.items[e]]
                if counts[j] > 0:
                    if not self.is_column(j, own) and not self.is_column(j, other):
                        s: int64_t = self.width[j]
                        now += self.block_cost(counts[j] + step * self.shift[j], size * s, soft)
                        before += self.block_cost(counts[j], was * s, soft)
                    counts[j] = -counts[j]
        for i in range(self.size[a]):
            u = self.members[a, i]
            for e in range(self.indptr[u], self.indptr[u + 1]):
                j = self.column[self.items[e]]
                if counts[j] < 0:
                    counts[j] = -counts[j]
        return now - before

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move_cost(self, u: int64_t, b: int64_t, soft: cython.double) -> cython.double:
        """Return what it adds if u moves from its class to class b."""
        a: int64_t = self.code[u]
        sa: int64_t = self.size[a]
        sb: int64_t = self.size[b]
        here, there = self.edges_of(a, self.here), self.edges_of(b, self.there)
        many = self.many
        first: int64_t = a * many
        second: int64_t = b * many
        for e in range(self.indptr[u], self.indptr[u + 1]):
            self.shift[self.column[self.items[e]]] += 1
        more = self.resize_cost(a, b, here, sa - 1, -1, soft) + self.resize_cost(b, a, there, sb + 1, 1, soft)
        for e in range(self.indptr[u], self.indptr[u + 1]):
            j = self.column[self.items[e]]
            # a block that class b has only by u
            if there[j] == 0 and not self.is_column(j, first) and not self.is_column(j, second):
                more += self.block_cost(self.shift[j], (sb + 1) * self.width[j], soft)
                there[j] = -1
        for r in range(many):
            between: int64_t = here[second + r]
            now = between - self.shift[second + r] + self.shift[first + self.reversals[r]]
            more += self.block_cost(now, (sa - 1) * (sb + 1), soft) - self.block_cost(between, sa * sb, soft)
        if self.clique > 0 or not self.edits:
            for r in range(many):
                t = self.reversals[r]
                if r <= t:
                    gone = self.shift[first + r] + self.shift[first + t]
                    come = self.shift[second + r] + self.shift[second + t]
                    more += self.inner_cost(here[first + r], -gone, sa, sa - 1, r, soft)
                    more += self.inner_cost(there[second + r], come, sb, sb + 1, r, soft)
        for e in range(self.indptr[u], self.indptr[u + 1]):
            j = self.column[self.items[e]]
            self.shift[j] = 0
            there[j] = max(there[j], 0)
        self.forget_edges(a, self.here)
        self.forget_edges(b, self.there)
        return more + self.degree_cost(a, sa - 1, -self.root[u]) + self.degree_cost(b, sb + 1, self.root[u])

    # Changes.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recode(self, u: int64_t, a: int64_t, b: int64_t) -> cython.void:
        """Write down that u was in class a and is in class b."""
        many = self.many
        if self.stored:
            for e in range(self.indptr[u], self.indptr[u + 1]):
                w = self.indices[e]
                i, j, t = self.column[self.items[e]], self.code[w], self.reversals[self.items[e] - w * many]
                self.blocks[a, i] -= 1
                self.blocks[j, a * many + t] -= 1
                self.blocks[b, i] += 1
                self.blocks[j, b * many + t] += 1
        self.code[u] = cython.cast(int32_t, b)
        for r in range(many):
            self.column[u * many + r] = cython.cast(int32_t, b * many + r)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def swap(self, u: int64_t, v: int64_t) -> cython.void:
        """Let u and v change places."""
        a, b, i, j = self.code[u], self.code[v], self.place[u], self.place[v]
        self.members[a, i] = cython.cast(int32_t, v)
        self.members[b, j] = cython.cast(int32_t, u)
        self.place[u] = j
        self.place[v] = i
        r = self.root[v] - self.root[u]
        self.roots[a] += r
        self.roots[b] -= r
        self.recode(u, a, b)
        self.recode(v, b, a)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move(self, u: int64_t, b: int64_t) -> cython.void:
        """Move u to class b; a class that loses its last member is empty."""
        a: int64_t = self.code[u]
        last = self.members[a, self.size[a] - 1]
        self.members[a, self.place[u]] = last
        self.place[last] = self.place[u]
        self.size[a] -= 1
        if self.size[a] == 0:
            self.empty[0] += 1
            self.empty[self.empty[0]] = a
        if self.size[b] == 0:  # it is the one on top, or is searched
            i: int64_t = self.empty[0]
            while i > 0:
                if self.empty[i] == b:
                    self.empty[i] = self.empty[self.empty[0]]
                    self.empty[0] -= 1
                    break
                i -= 1
        self.members[b, self.size[b]] = cython.cast(int32_t, u)
        self.place[u] = self.size[b]
        self.size[b] += 1
        for r in range(self.many):
            self.width[a * self.many + r] = self.size[a]
            self.width[b * self.many + r] = self.size[b]
        self.roots[a] -= self.root[u]
        self.roots[b] += self.root[u]
        self.recode(u, a, b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undo(self, count: int64_t) -> cython.void:
        """Move back, last first."""
        while count > 0:
            count -= 1
            self.move(self.moved[count], self.old[count])

    # Proposals: random changes of classes, taken if they cost nothing, else by chance.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def near(self, u: int64_t) -> int64_t:
        """Return a random neighbor of u, a vertex that shares one with it, or any."""
        d = self.indptr[u + 1] - self.indptr[u]
        if d == 0 or chance(self.random) < self.shares[STRANGERS]:
            return below(self.random, self.code.shape[0])
        s: int64_t = self.indices[self.indptr[u] + below(self.random, d)]
        if self.shares[LINKED] > 0.0 and chance(self.random) < self.shares[LINKED]:
            return s
        return self.indices[self.indptr[s] + below(self.random, self.indptr[s + 1] - self.indptr[s])]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mate(self, u: int64_t, listed: cython.double) -> int64_t:
        """Return a vertex that u may share a class with, of those most alike with the given chance."""
        if listed > 0.0 and chance(self.random) < listed:
            return self.alike[u, below(self.random, self.alike.shape[1])]
        return self.near(u)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def dissolve(self, a: int64_t, heat: cython.double, soft: cython.double) -> cython.double:
        """Spread the members of class a over classes near them, if that is accepted; return what it added."""
        more: cython.double = 0.0
        count: int64_t = 0
        while self.size[a] > 0:
            u: int64_t = self.members[a, 0]
            b: int64_t = -1
            for _ in range(8):
                t = self.code[self.near(u)]
                if t != a and self.k <= self.size[t] and self.size[t] < self.most:
                    b = t
                    break
            if b < 0:
                self.undo(count)
                return 0.0
            more += self.move_cost(u, b, soft)
            self.moved[count] = u
            self.old[count] = a
            count += 1
            self.move(u, b)
        if accept(self.random, more, heat):
            return more
        self.undo(count)
        return 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def assemble(self, u: int64_t, heat: cython.double, soft: cython.double) -> cython.double:
        """Make a class of u and others near it that their classes can spare, if accepted; return what it added."""
        b = self.empty[self.empty[0]]
        more: cython.double = 0.0
        count: int64_t = 0
        x = u
        wanted = self.clique if self.clique > 0 and draw(self.random) & 1 else self.k
        for _ in range(8 * wanted):
            if self.code[x] != b and self.size[self.code[x]] != self.k:
                self.moved[count] = x
                self.old[count] = self.code[x]
                more += self.move_cost(x, b, soft)
                self.move(x, b)
                count += 1
                if count == wanted:
                    break
            x = self.mate(u, self.shares[GATHERED])
        if count == wanted and accept(self.random, more, heat):
            return more
        self.undo(count)
        return 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def exchange(self, u: int64_t, b: int64_t, w: int64_t, heat: cython.double, soft: cython.double) -> cython.double:
        """Let u change places with the first of some members of class b, not w, that is accepted.

        Returns what it added.
        """
        a: int64_t = self.code[u]
        sb: int64_t = self.size[b]
        here, there = self.edges_of(a, self.here), self.edges_of(b, self.there)
        first = below(self.random, sb)
        found: int64_t = -1
        more: cython.double = 0.0
        for i in range(first, first + (sb if sb < self.partners else self.partners)):
            v: int64_t = self.members[b, i % sb]
            if v == w or (self.size[a] == 1 and self.sensitive[v]):
                continue
            more = self.swap_cost(u, v, here, there, soft)
            if accept(self.random, more, heat):
                found = v
                break
        self.forget_edges(a, self.here)
        self.forget_edges(b, self.there)
        if found < 0:
            return 0.0
        self.swap(u, found)
        return more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def relocate(self, u: int64_t, b: int64_t, heat: cython.double, soft: cython.double) -> cython.double:
        """Let u move to class b, if accepted; return what it added."""
        more = self.move_cost(u, b, soft)
        if not accept(self.random, more, heat):
            return 0.0
        self.move(u, b)
        return more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def join(self, u: int64_t, w: int64_t, heat: cython.double, soft: cython.double) -> cython.double:
        """Let u come into the class of w, by a move or in exchange for a member, if accepted; return what it adds."""
        b: int64_t = self.code[w]
        sa, sb = self.size[self.code[u]], self.size[b]
        if sb < self.k:
            return 0.0
        if (sa > self.k or sa == 1) and sb < self.most and draw(self.random) & 1:
            return self.relocate(u, b, heat, soft)
        return self.exchange(u, b, w, heat, soft)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def anneal(self, proposals: int64_t, hot: cython.double, cold: cython.double, soft: cython.double) -> cython.double:
        """Propose changes while it cools from `hot` to `cold`; return what they added to the cost."""
        n = self.code.shape[0]
        some: cython.bint = self.protected.shape[0] < n
        total: cython.double = 0.0
        heat = hot
        factor = cooling(proposals, hot, cold)
        for i in range(proposals):
            if i % 64 == 63:
                heat *= factor
            u = below(self.random, n)
            a: int64_t = self.code[u]
            if some:  # most vertices stand alone and far from every class
                a = self.code[self.protected[below(self.random, self.protected.shape[0])]]
                u = self.members[a, below(self.random, self.size[a])]
            if self.size[a] >= self.k and chance(self.random) < REBUILT:
                if self.empty[0] > 0 and draw(self.random) & 1:
                    total += self.assemble(u, heat, soft)
                else:
                    total += self.dissolve(a, heat, soft)
                continue
            w = self.mate(u, self.shares[LISTED])
            if self.code[w] == a:
                continue
            if some and not self.sensitive[u] and self.size[a] > self.k and chance(self.random) < 0.3:
                total += self.relocate(u, self.empty[self.empty[0]], heat, soft)
            elif self.size[self.code[w]] == 1:
                total += self.join(w, u, heat, soft)
            else:
                total += self.join(u, w, heat, soft)
        return total


def anneal(fields, proposals: int64_t, hot: cython.double, cold: cython.double, soft: cython.double):
    """Propose changes of a partition while it cools from `hot` to `cold`; return what they added to the cost.

    `fields` are those of :class:`Partition`, in their order; the arrays are changed.
    """
    partition: Partition = Partition(fields)
    total: cython.double
    with cython.nogil:
        total = partition.anneal(proposals, hot, cold, soft)
    return total
