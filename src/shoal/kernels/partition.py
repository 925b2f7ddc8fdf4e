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

Where there are few classes the edges of each block are stored. Where there are many, the edges of a class to all others
are counted anew from the rows of its members, which costs the sum of their degrees and no memory.
"""

from __future__ import annotations

from math import lgamma
from typing import NamedTuple

import numpy as np
from numba import njit


class Partition(NamedTuple):
    """A partition that can change, and room to count in. Empty classes have size 0."""

    indptr: np.ndarray
    indices: np.ndarray
    sensitive: np.ndarray
    protected: np.ndarray  # the ids of the sensitive vertices
    k: int
    most: int  # members a class can have
    clique: int  # from how many members on a class may become a clique; 0 for never
    code: np.ndarray  # the class of each vertex
    place: np.ndarray  # where it stands among the members of its class
    members: np.ndarray  # one line per class
    size: np.ndarray
    empty: np.ndarray  # empty[0] of them: empty[1], empty[2], ...
    blocks: np.ndarray  # edges between classes, twice those inside; no line where there are too many classes
    here: np.ndarray  # edges of one class to each other class, 0 between calls
    there: np.ndarray  # the same for another class
    shift: np.ndarray
    logs: np.ndarray  # the logarithms of 0!, 1!, 2!, ... where worlds are counted; none where edits are
    weight: float  # how much unlike degrees inside a class count; 0 for nothing
    root: np.ndarray  # the root of twice the degree of each vertex
    roots: np.ndarray  # the sum of them in each class
    partners: int  # members of another class with whom a vertex tries to change places at a time
    alike: np.ndarray  # vertices with similar rows, a line per vertex
    shares: np.ndarray  # of proposals, see shoal.kernels.partition_search
    random: np.ndarray  # the state of the generator


@njit(nogil=True, cache=True)
def block_cost(c, e, s, soft):
    """Return what a block with e edges of s costs: minus the edits saved, or the logarithm of the ways to fill it."""
    if len(c.logs) == 0:
        return -(max(0.0, 2.0 * e - s) + (soft * e * e / s if e > 0 else 0.0))
    if e == 0 or e == s:  # noqa: PLR1714 - a tuple of mixed widths does not compile
        return 0.0
    if s < len(c.logs):
        return c.logs[s] - c.logs[e] - c.logs[s - e]
    return lgamma(s + 1.0) - lgamma(e + 1.0) - lgamma(s - e + 1.0)


@njit(nogil=True, cache=True)
def inner_cost(c, twice, size, soft):
    """Return the same for the inside of a class that has `twice` ends of edges in it; 0 where it cannot be kept."""
    if len(c.logs) == 0 and (c.clique == 0 or size < c.clique):
        return 0.0
    return block_cost(c, twice // 2, size * (size - 1) // 2, soft)


@njit(nogil=True, cache=True)
def degree_cost(c, a, size, more):
    """Return what it adds for the degrees of class a if it has `size` members and its sum of roots is `more` larger.

    The squares themselves stay, whoever is where: only the part with the means changes.
    """
    if c.weight == 0.0:
        return 0.0
    was = c.roots[a] ** 2 / c.size[a] if c.size[a] > 0 else 0.0
    return c.weight * (was - ((c.roots[a] + more) ** 2 / size if size > 0 else 0.0))


@njit(nogil=True, cache=True)
def edges_of(c, a, counts):
    """Return the edges of class a to every class: those stored, or counted into `counts`."""
    if len(c.blocks):
        return c.blocks[a]
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            counts[c.code[c.indices[e]]] += 1
    return counts


@njit(nogil=True, cache=True)
def forget_edges(c, a, counts):
    """Set what edges_of counted back to 0."""
    if len(c.blocks):
        return
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            counts[c.code[c.indices[e]]] = 0


@njit(nogil=True, cache=True)
def exchanged(c, u, v):
    """Count the edges of u and of v to their two classes, and the one between them; c.shift gets those to others."""
    a, b = c.code[u], c.code[v]
    ua = ub = va = vb = linked = 0
    for e in range(c.indptr[u], c.indptr[u + 1]):
        w = c.indices[e]
        j = c.code[w]
        if j == a:
            ua += 1
        elif j == b:
            ub += 1
            if w == v:
                linked = 1
        else:
            c.shift[j] -= 1
    for e in range(c.indptr[v], c.indptr[v + 1]):
        j = c.code[c.indices[e]]
        if j == a:
            va += 1
        elif j == b:
            vb += 1
        else:
            c.shift[j] += 1
    return ua, ub, va, vb, linked


@njit(nogil=True, cache=True)
def swap_cost(c, u, v, here, there, soft):
    """Return what it adds if u and v, of two classes, change places. Only blocks with their neighbors change.

    `here` and `there` are the edges of their classes to every class.
    """
    a, b = c.code[u], c.code[v]
    sa, sb = np.int64(c.size[a]), np.int64(c.size[b])
    ua, ub, va, vb, linked = exchanged(c, u, v)
    more = 0.0
    for x in (u, v):
        for e in range(c.indptr[x], c.indptr[x + 1]):
            j = c.code[c.indices[e]]
            d = c.shift[j]
            if d != 0:
                s = np.int64(c.size[j])
                p, q = here[j], there[j]
                more += block_cost(c, p + d, sa * s, soft) - block_cost(c, p, sa * s, soft)
                more += block_cost(c, q - d, sb * s, soft) - block_cost(c, q, sb * s, soft)
                c.shift[j] = 0
    between, now = here[b], here[b] - ub - va + ua + vb + 2 * linked
    more += block_cost(c, now, sa * sb, soft) - block_cost(c, between, sa * sb, soft)
    more += inner_cost(c, here[a] + 2 * (va - ua - linked), sa, soft) - inner_cost(c, here[a], sa, soft)
    more += inner_cost(c, there[b] + 2 * (ub - vb - linked), sb, soft) - inner_cost(c, there[b], sb, soft)
    r = c.root[v] - c.root[u]
    return more + degree_cost(c, a, sa, r) + degree_cost(c, b, sb, -r)


@njit(nogil=True, cache=True)
def resize_cost(c, a, but, counts, size, step, soft):
    """Return what the blocks of class a, not that with `but`, would add with `size` members and c.shift moved."""
    now, before, was = 0.0, 0.0, np.int64(c.size[a])
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            j = c.code[c.indices[e]]
            if counts[j] > 0:
                if j != a and j != but:  # noqa: PLR1714 - a tuple of mixed widths does not compile
                    s = np.int64(c.size[j])
                    now += block_cost(c, counts[j] + step * c.shift[j], size * s, soft)
                    before += block_cost(c, counts[j], was * s, soft)
                counts[j] = -counts[j]
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            j = c.code[c.indices[e]]
            counts[j] = abs(counts[j])
    return now - before


@njit(nogil=True, cache=True)
def move_cost(c, u, b, soft):
    """Return what it adds if u moves from its class to class b."""
    a = c.code[u]
    sa, sb = np.int64(c.size[a]), np.int64(c.size[b])
    here, there = edges_of(c, a, c.here), edges_of(c, b, c.there)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        c.shift[c.code[c.indices[e]]] += 1
    more = resize_cost(c, a, b, here, sa - 1, -1, soft) + resize_cost(c, b, a, there, sb + 1, 1, soft)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        j = c.code[c.indices[e]]
        if there[j] == 0 and j != a and j != b:  # noqa: PLR1714 - a block that class b has only by u
            more += block_cost(c, c.shift[j], (sb + 1) * c.size[j], soft)
            there[j] = -1
    between, now = here[b], here[b] - c.shift[b] + c.shift[a]
    more += block_cost(c, now, (sa - 1) * (sb + 1), soft) - block_cost(c, between, sa * sb, soft)
    more += inner_cost(c, here[a] - 2 * c.shift[a], sa - 1, soft) - inner_cost(c, here[a], sa, soft)
    more += inner_cost(c, there[b] + 2 * c.shift[b], sb + 1, soft) - inner_cost(c, there[b], sb, soft)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        j = c.code[c.indices[e]]
        c.shift[j] = 0
        there[j] = max(there[j], 0)
    forget_edges(c, a, c.here)
    forget_edges(c, b, c.there)
    return more + degree_cost(c, a, sa - 1, -c.root[u]) + degree_cost(c, b, sb + 1, c.root[u])


@njit(nogil=True, cache=True)
def recode(c, u, a, b):
    """Write down that u was in class a and is in class b."""
    if len(c.blocks):
        for e in range(c.indptr[u], c.indptr[u + 1]):
            j = c.code[c.indices[e]]
            c.blocks[a, j] -= 1
            c.blocks[j, a] -= 1
            c.blocks[b, j] += 1
            c.blocks[j, b] += 1
    c.code[u] = b


@njit(nogil=True, cache=True)
def swap(c, u, v):
    """Let u and v change places."""
    a, b, i, j = c.code[u], c.code[v], c.place[u], c.place[v]
    c.members[a, i], c.members[b, j] = v, u
    c.place[u], c.place[v] = j, i
    r = c.root[v] - c.root[u]
    c.roots[a] += r
    c.roots[b] -= r
    recode(c, u, a, b)
    recode(c, v, b, a)


@njit(nogil=True, cache=True)
def move(c, u, b):
    """Move u to class b; a class that loses its last member is empty."""
    a = c.code[u]
    last = c.members[a, c.size[a] - 1]
    c.members[a, c.place[u]] = last
    c.place[last] = c.place[u]
    c.size[a] -= 1
    if c.size[a] == 0:
        c.empty[0] += 1
        c.empty[c.empty[0]] = a
    if c.size[b] == 0:  # it is the one on top, or is looked for
        for i in range(c.empty[0], 0, -1):
            if c.empty[i] == b:
                c.empty[i] = c.empty[c.empty[0]]
                c.empty[0] -= 1
                break
    c.members[b, c.size[b]] = u
    c.place[u] = c.size[b]
    c.size[b] += 1
    c.roots[a] -= c.root[u]
    c.roots[b] += c.root[u]
    recode(c, u, a, b)
