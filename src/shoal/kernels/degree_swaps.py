"""From an empty graph to the target degrees with as many of the known links as possible.

`s` is the state of :mod:`shoal.kernels.degree_edits` over a graph without links, so that whoever is
listed is linked; the known links are in compressed rows, indptr and indices.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.degree_edits import adjacent, entry, settle, toggle


@njit(nogil=True, cache=True)
def link_known(order, indptr, indices, need, s):
    """Take over known links as far as both ends need them: each vertex with those of its neighbors who need most."""
    for v in order:
        row = indices[indptr[v] : indptr[v + 1]]
        for i in np.argsort(-need[row]):
            u = row[i]
            if need[v] > 0 and need[u] > 0 and entry(v, u, s) == -1:
                settle(v, u, 1, need, s)


@njit(nogil=True, cache=True)
def strange(v, known, s, found):
    """List the neighbors of v that are no known ones; return how many."""
    head, after, other = s[2], s[3], s[4]
    e = head[v]
    many = 0
    while e != -1 and many < len(found):
        if not adjacent(v, other[e], known):
            found[many] = other[e]
            many += 1
        e = after[e]
    return many


@njit(nogil=True, cache=True)
def best_swap(i, j, xs, ys, known, s):
    """Return which of xs and ys to part from i and j and to link instead; the most known links, or -1 for none."""
    best, at, to = 0, -1, -1
    for x in xs:
        for y in ys:
            if x not in (y, j) and y != i and entry(x, y, s) == -1:
                gain = 2 if adjacent(x, y, known) else 1
                if gain > best:
                    best, at, to = gain, x, y
                if best == 2:
                    return at, to
    return at, to


@njit(nogil=True, cache=True)
def greedy_swaps(left, right, known, s, sample):
    """Bring in known links by swaps that keep all degrees, (i, x), (j, y) to (i, j), (x, y); return how many.

    Of up to `sample` strange neighbors of each end those are taken that bring in most.
    """
    swapped = 0
    xs, ys = np.empty(sample, dtype=np.int64), np.empty(sample, dtype=np.int64)
    for e in range(len(left)):
        i, j = np.int64(left[e]), np.int64(right[e])
        if entry(i, j, s) != -1:
            continue
        p = strange(i, known, s, xs)
        q = strange(j, known, s, ys)
        x, y = best_swap(i, j, xs[:p], ys[:q], known, s)
        if x != -1:
            toggle(i, x, s)
            toggle(j, y, s)
            toggle(i, j, s)
            toggle(x, y, s)
            swapped += 1
    return swapped
