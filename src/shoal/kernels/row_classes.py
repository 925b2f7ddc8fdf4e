"""Classes of vertices whose rows are to become equal: what a change of them gains.

Between classes i and j there are e edges of S = size(i) size(j); all of them are kept, and the rest is added, where
2e > S. What that saves against deleting every edge is gain(e, S) = max(0, 2e - S), so the edits are m - sum of gains,
and only blocks more than half full count. A class has k or more members; 2k-1 are enough. Where only some vertices are
sensitive the others may stand alone, as classes of one. Nothing stays inside a class, unless cliques are allowed: then
the inside of a class that is large enough is a block like others.

While it is warm, edges in blocks that are not half full count a little too (`soft`): there would be no slope there.

Where there are few classes the edges of each block are stored. Where there are many, the edges of a class to all others
are counted anew from the rows of its members, which costs the sum of their degrees and no memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

JACCARD, MANHATTAN, TWO_PATH = 0, 1, 2


class Classes(NamedTuple):
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
    partners: int  # members of another class with whom a vertex tries to change places at a time
    alike: np.ndarray  # vertices with similar rows, a line per vertex
    random: np.ndarray  # the state of the generator


@njit(nogil=True, cache=True)
def draw(random):
    """Return 64 random bits (splitmix)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(nogil=True, cache=True)
def below(random, limit):
    """Return a random whole number from 0 to limit - 1; the bias is below limit / 2**32."""
    return np.int64(((draw(random) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@njit(nogil=True, cache=True)
def chance(random):
    """Return a random number from 0 to 1."""
    return np.float64(draw(random) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(nogil=True, cache=True)
def gain(e, s, soft):
    """Return what a block with e of s edges saves against deleting them, and a little for edges that are together."""
    return max(0.0, 2.0 * e - s) + (soft * e * e / s if e > 0 else 0.0)


@njit(nogil=True, cache=True)
def inner(c, twice, size, soft):
    """Return what the inside of a class saves that has `twice` ends of edges in it: nothing, unless it may be full."""
    if c.clique == 0 or size < c.clique:
        return 0.0
    return gain(twice // 2, size * (size - 1) // 2, soft)


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
def swap_gain(c, u, v, here, there, soft):
    """Return what it gains if u and v, of two classes, change places. Only blocks with their neighbors change.

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
                more += gain(p + d, sa * s, soft) - gain(p, sa * s, soft)
                more += gain(q - d, sb * s, soft) - gain(q, sb * s, soft)
                c.shift[j] = 0
    between = here[b]
    more += gain(between - ub - va + ua + vb + 2 * linked, sa * sb, soft) - gain(between, sa * sb, soft)
    more += inner(c, here[a] + 2 * (va - ua - linked), sa, soft) - inner(c, here[a], sa, soft)
    more += inner(c, there[b] + 2 * (ub - vb - linked), sb, soft) - inner(c, there[b], sb, soft)
    return more


@njit(nogil=True, cache=True)
def class_gain(c, a, but, counts, size, step, soft):
    """Return the gains of class a in all blocks but that with `but`, if it had `size` and `step` times c.shift more."""
    total = 0.0
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            j = c.code[c.indices[e]]
            if counts[j] > 0:
                if j != a and j != but:  # noqa: PLR1714 - a tuple of mixed widths does not compile
                    total += gain(counts[j] + step * c.shift[j], size * c.size[j], soft)
                counts[j] = -counts[j]
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            j = c.code[c.indices[e]]
            counts[j] = abs(counts[j])
    return total


@njit(nogil=True, cache=True)
def move_gain(c, u, b, soft):
    """Return what it gains if u moves from its class to class b."""
    a = c.code[u]
    sa, sb = np.int64(c.size[a]), np.int64(c.size[b])
    here, there = edges_of(c, a, c.here), edges_of(c, b, c.there)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        c.shift[c.code[c.indices[e]]] += 1
    more = class_gain(c, a, b, here, sa - 1, -1, soft) - class_gain(c, a, b, here, sa, 0, soft)
    more += class_gain(c, b, a, there, sb + 1, 1, soft) - class_gain(c, b, a, there, sb, 0, soft)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        j = c.code[c.indices[e]]
        if there[j] == 0 and j != a and j != b:  # noqa: PLR1714 - a block that class b has only by u
            more += gain(c.shift[j], (sb + 1) * c.size[j], soft)
            there[j] = -1
    between = here[b]
    more += gain(between - c.shift[b] + c.shift[a], (sa - 1) * (sb + 1), soft) - gain(between, sa * sb, soft)
    more += inner(c, here[a] - 2 * c.shift[a], sa - 1, soft) - inner(c, here[a], sa, soft)
    more += inner(c, there[b] + 2 * c.shift[b], sb + 1, soft) - inner(c, there[b], sb, soft)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        j = c.code[c.indices[e]]
        c.shift[j] = 0
        there[j] = max(there[j], 0)
    forget_edges(c, a, c.here)
    forget_edges(c, b, c.there)
    return more


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
    recode(c, u, a, b)
