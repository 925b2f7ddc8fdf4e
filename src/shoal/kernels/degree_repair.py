"""Degrees become 0 or at least k: which vertices to isolate, and whom to link so that one edge helps two.

left[v] is how many edges v still needs. Rows are those of a simple graph: indices[indptr[v]:indptr[v + 1]].
"""

from __future__ import annotations

import numpy as np
from numba import njit

STEPS = 4096
"""How many vertices at distance two are looked at for one vertex."""


@njit(nogil=True, cache=True)
def isolate(order, indptr, indices, k, least, degree, gone):
    """Mark in `gone` who loses all edges, and count degrees down, where that saves `least` or more; return how many.

    In halves of an edge: v needs k - degree of them, an edge that goes costs two, one more to an end that then needs
    one; whose only edge it was needs nothing any more.
    """
    isolated = 0
    for v in order:
        if gone[v] or degree[v] == 0 or degree[v] >= k:
            continue
        saved = k - degree[v]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if not gone[u]:
                saved -= 2
                if degree[u] == 1:
                    saved += k - 1
                elif degree[u] <= k:
                    saved -= 1
        if saved >= least:
            for e in range(indptr[v], indptr[v + 1]):
                if not gone[indices[e]]:
                    degree[indices[e]] -= 1
            degree[v] = 0
            gone[v] = True
            isolated += 1
    return isolated


@njit(nogil=True, cache=True)
def stamp(v, indptr, indices, begin, used, partner, mark):
    """Mark v, its neighbors and those it was linked to."""
    mark[v] = v
    for e in range(indptr[v], indptr[v + 1]):
        mark[indices[e]] = v
    for e in range(begin[v], begin[v] + used[v]):
        mark[partner[e]] = v


@njit(nogil=True, cache=True)
def link(v, u, begin, used, partner, left):
    """Link two vertices that both need an edge."""
    partner[begin[v] + used[v]] = u
    partner[begin[u] + used[u]] = v
    used[v] += 1
    used[u] += 1
    left[v] -= 1
    left[u] -= 1


@njit(nogil=True, cache=True)
def link_near(order, indptr, indices, begin, used, partner, mark, left):
    """Link vertices that need an edge to others at distance two that need one."""
    start = indptr[:-1].copy()
    for v in order:
        if left[v] == 0:
            continue
        stamp(v, indptr, indices, begin, used, partner, mark)
        steps = 0
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            while start[w] < indptr[w + 1] and left[indices[start[w]]] == 0:
                start[w] += 1
            f = start[w]
            while f < indptr[w + 1] and left[v] > 0 and steps < STEPS:
                u = indices[f]
                if left[u] > 0 and mark[u] != v:
                    link(v, u, begin, used, partner, left)
                    mark[u] = v
                f += 1
                steps += 1


@njit(nogil=True, cache=True)
def push(v, left, head, below):
    """Put v on top of those who need as many edges."""
    below[v] = head[left[v]]
    head[left[v]] = v


@njit(nogil=True, cache=True)
def link_most(order, indptr, indices, begin, used, partner, mark, left):
    """Link who needs the most edges to the others who need the most, again and again (Havel and Hakimi)."""
    top = 0
    for v in order:
        top = max(top, left[v])
    head = np.full(top + 1, -1, dtype=np.int64)
    below = np.full(len(left), -1, dtype=np.int64)
    for v in order:
        if left[v] > 0:
            push(v, left, head, below)
    while top > 0:
        v = head[top]
        if v == -1:
            top -= 1
            continue
        head[top] = below[v]
        stamp(v, indptr, indices, begin, used, partner, mark)
        aside = -1
        d = top
        while d > 0 and left[v] > 0:
            u = head[d]
            if u == -1:
                d -= 1
                continue
            head[d] = below[u]
            if mark[u] != v:
                link(v, u, begin, used, partner, left)
            below[u] = aside
            aside = u
        while aside != -1:
            u = aside
            aside = below[u]
            if left[u] > 0:
                push(u, left, head, below)


@njit(nogil=True, cache=True)
def link_any(order, pool, indptr, indices, begin, used, partner, mark, left):
    """Link who still needs edges to vertices of the pool that need none: near ones first, then in the pool's order."""
    linked = np.zeros(len(left), dtype=np.bool_)
    linked[pool] = True
    at = 0
    for v in order:
        if left[v] == 0:
            continue
        stamp(v, indptr, indices, begin, used, partner, mark)
        steps = 0
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            for f in range(indptr[w], indptr[w + 1]):
                u = indices[f]
                if left[v] > 0 and steps < STEPS and mark[u] != v and linked[u]:
                    partner[begin[v] + used[v]] = u
                    used[v] += 1
                    left[v] -= 1
                    mark[u] = v
                steps += 1
                if left[v] == 0 or steps >= STEPS:
                    break
        tried = 0
        while left[v] > 0 and tried < len(pool):
            u = pool[at]
            at = (at + 1) % len(pool)
            tried += 1
            if mark[u] != v:
                partner[begin[v] + used[v]] = u
                used[v] += 1
                left[v] -= 1
                mark[u] = v
