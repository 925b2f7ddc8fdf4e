"""Classes of vertices of which only the numbers of edges are told: in how many worlds these numbers could be.

A block, two classes or the inside of one, with s pairs of vertices and e edges can be filled in C(s, e) ways; a
partition leaves the product over its blocks. What is kept is the logarithm, and only what a change of classes adds to
it: an empty block can be filled in one way, whatever its size, so that blocks without edges never count.

Beside it, how unlike the degrees in a class are may count: the sum of squares of r - mean(r), where r is the root of
twice the degree. That is nearly the logarithm of how much more likely the degrees would be as Poisson numbers of their
own means than of one mean for the class.

How members, sizes and blocks are kept is that of :mod:`shoal.kernels.row_classes`.
"""

from __future__ import annotations

from math import lgamma
from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.kernels.row_classes import edges_of, exchanged, forget_edges, move, swap


class Partition(NamedTuple):
    """A partition that can change, and room to count in. Empty classes have size 0."""

    indptr: np.ndarray
    indices: np.ndarray
    k: int
    most: int  # members a class can have
    code: np.ndarray  # the class of each vertex
    place: np.ndarray  # where it stands among the members of its class
    members: np.ndarray  # one line per class
    size: np.ndarray
    empty: np.ndarray  # empty[0] of them: empty[1], empty[2], ...
    blocks: np.ndarray  # edges between classes, twice those inside; no line where there are too many classes
    here: np.ndarray  # edges of one class to each other class, 0 between calls
    there: np.ndarray  # the same for another class
    shift: np.ndarray
    logs: np.ndarray  # the logarithms of 0!, 1!, 2!, ...
    weight: float  # how much unlike degrees inside a class count; 0 for nothing
    root: np.ndarray  # the root of twice the degree of each vertex
    roots: np.ndarray  # the sum of them in each class
    partners: int  # members of another class with whom a vertex tries to change places at a time
    alike: np.ndarray  # vertices with similar rows, a line per vertex
    random: np.ndarray  # the state of the generator


@njit(nogil=True, cache=True)
def ways(c, e, s):
    """Return the logarithm of the number of ways to choose e of s pairs."""
    if e == 0 or e == s:  # noqa: PLR1714 - a tuple of mixed widths does not compile
        return 0.0
    if s < len(c.logs):
        return c.logs[s] - c.logs[e] - c.logs[s - e]
    return lgamma(s + 1.0) - lgamma(e + 1.0) - lgamma(s - e + 1.0)


@njit(nogil=True, cache=True)
def inner(c, twice, size):
    """Return the same for the inside of a class that has `twice` ends of edges in it."""
    return ways(c, twice // 2, size * (size - 1) // 2)


@njit(nogil=True, cache=True)
def unlike(c, a, size, more):
    """Return what it adds for the degrees of class a if it has `size` members and its sum of roots is `more` larger.

    The squares themselves stay, whoever is where: only the part with the means changes.
    """
    was = c.roots[a] ** 2 / c.size[a] if c.size[a] > 0 else 0.0
    return c.weight * (was - ((c.roots[a] + more) ** 2 / size if size > 0 else 0.0))


@njit(nogil=True, cache=True)
def swap_cost(c, u, v, here, there):
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
                more += ways(c, p + d, sa * s) - ways(c, p, sa * s)
                more += ways(c, q - d, sb * s) - ways(c, q, sb * s)
                c.shift[j] = 0
    between = here[b]
    more += ways(c, between - ub - va + ua + vb + 2 * linked, sa * sb) - ways(c, between, sa * sb)
    more += inner(c, here[a] + 2 * (va - ua - linked), sa) - inner(c, here[a], sa)
    more += inner(c, there[b] + 2 * (ub - vb - linked), sb) - inner(c, there[b], sb)
    r = c.root[v] - c.root[u]
    return more + unlike(c, a, sa, r) + unlike(c, b, sb, -r)


@njit(nogil=True, cache=True)
def resized(c, a, but, counts, size, step):
    """Return what the blocks of class a, not that with `but`, would add with `size` members and c.shift moved."""
    more, was = 0.0, np.int64(c.size[a])
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            j = c.code[c.indices[e]]
            if counts[j] > 0:
                if j != a and j != but:  # noqa: PLR1714 - a tuple of mixed widths does not compile
                    s = np.int64(c.size[j])
                    more += ways(c, counts[j] + step * c.shift[j], size * s) - ways(c, counts[j], was * s)
                counts[j] = -counts[j]
    for i in range(c.size[a]):
        u = c.members[a, i]
        for e in range(c.indptr[u], c.indptr[u + 1]):
            j = c.code[c.indices[e]]
            counts[j] = abs(counts[j])
    return more


@njit(nogil=True, cache=True)
def move_cost(c, u, b):
    """Return what it adds if u moves from its class to class b."""
    a = c.code[u]
    sa, sb = np.int64(c.size[a]), np.int64(c.size[b])
    here, there = edges_of(c, a, c.here), edges_of(c, b, c.there)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        c.shift[c.code[c.indices[e]]] += 1
    more = resized(c, a, b, here, sa - 1, -1) + resized(c, b, a, there, sb + 1, 1)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        j = c.code[c.indices[e]]
        if there[j] == 0 and j != a and j != b:  # noqa: PLR1714 - a block that class b has only by u
            more += ways(c, c.shift[j], (sb + 1) * c.size[j])
            there[j] = -1
    between = here[b]
    more += ways(c, between - c.shift[b] + c.shift[a], (sa - 1) * (sb + 1)) - ways(c, between, sa * sb)
    more += inner(c, here[a] - 2 * c.shift[a], sa - 1) - inner(c, here[a], sa)
    more += inner(c, there[b] + 2 * c.shift[b], sb + 1) - inner(c, there[b], sb)
    for e in range(c.indptr[u], c.indptr[u + 1]):
        j = c.code[c.indices[e]]
        c.shift[j] = 0
        there[j] = max(there[j], 0)
    forget_edges(c, a, c.here)
    forget_edges(c, b, c.there)
    return more + unlike(c, a, sa - 1, -c.root[u]) + unlike(c, b, sb + 1, c.root[u])


@njit(nogil=True, cache=True)
def transfer(c, u, b):
    """Move u to class b."""
    c.roots[c.code[u]] -= c.root[u]
    c.roots[b] += c.root[u]
    move(c, u, b)


@njit(nogil=True, cache=True)
def swap_places(c, u, v):
    """Let u and v change places."""
    r = c.root[v] - c.root[u]
    c.roots[c.code[u]] += r
    c.roots[c.code[v]] -= r
    swap(c, u, v)
