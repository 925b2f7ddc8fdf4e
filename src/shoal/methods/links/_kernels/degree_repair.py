"""Degrees become 0 or at least k: which vertices to isolate, and whom to link so that one edge helps two.

left[v] is how many edges v still needs. Rows are those of a simple graph: indices[indptr[v]:indptr[v + 1]].
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t

from shoal.core._kernels import view_bytes

STEPS = cython.declare(cython.int, 4096)
"""How many vertices at distance two are looked at for one vertex."""


def isolate(
    order: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    k: int64_t,
    least: int64_t,
    degree: int64_t[::1],
    gone,
):
    """Mark in `gone` which vertices lose all edges, and count degrees down, where that saves `least` or more.

    Return how many do. In halves of an edge: v needs k - degree of them, an edge that goes costs two, one more to an
    end that then needs one; an end whose only edge it was needs nothing any more.
    """
    away: uint8_t[::1] = view_bytes(gone)
    isolated: int64_t = 0
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            if away[v] or degree[v] == 0 or degree[v] >= k:
                continue
            saved = k - degree[v]
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if not away[u]:
                    saved -= 2
                    if degree[u] == 1:
                        saved += k - 1
                    elif degree[u] <= k:
                        saved -= 1
            if saved >= least:
                for e in range(indptr[v], indptr[v + 1]):
                    if not away[indices[e]]:
                        degree[indices[e]] -= 1
                degree[v] = 0
                away[v] = 1
                isolated += 1
    return isolated


@cython.cclass
class Repair:
    """A graph, the edges that each vertex needs, and those chosen for it.

    The partners of v are partner[begin[v]:begin[v] + used[v]].
    """

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    begin: cython.const[int64_t][::1]
    used: int64_t[::1]
    partner: int64_t[::1]
    mark: int64_t[::1]
    left: int64_t[::1]
    start: int64_t[::1]
    """Where the vertices that still need an edge may begin in each row."""
    head: int64_t[::1]
    """The first vertex that needs so many, for each number."""
    below: int64_t[::1]
    """The next vertex that needs as many."""
    pooled: uint8_t[::1]
    """Whether a vertex is in the pool."""

    def __init__(self, indptr, indices, begin, used, partner, mark, left) -> None:
        self.indptr, self.indices = indptr, indices
        self.begin, self.used, self.partner, self.mark, self.left = begin, used, partner, mark, left

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stamp(self, v: int64_t) -> cython.void:
        """Mark v, its neighbors and those it was linked to."""
        self.mark[v] = v
        for e in range(self.indptr[v], self.indptr[v + 1]):
            self.mark[self.indices[e]] = v
        for e in range(self.begin[v], self.begin[v] + self.used[v]):
            self.mark[self.partner[e]] = v

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def note(self, v: int64_t, u: int64_t) -> cython.void:
        """Give v an edge to u."""
        self.partner[self.begin[v] + self.used[v]] = u
        self.used[v] += 1
        self.left[v] -= 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def link(self, v: int64_t, u: int64_t) -> cython.void:
        """Link two vertices that both need an edge."""
        self.note(v, u)
        self.note(u, v)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_near(self, v: int64_t) -> cython.void:
        """Link v to vertices at distance two that need an edge."""
        self.stamp(v)
        steps: cython.int = 0
        for e in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[e]
            end = self.indptr[w + 1]
            while self.start[w] < end and self.left[self.indices[self.start[w]]] == 0:
                self.start[w] += 1
            f = self.start[w]
            while f < end and self.left[v] > 0 and steps < STEPS:
                u = self.indices[f]
                if self.left[u] > 0 and self.mark[u] != v:
                    self.link(v, u)
                    self.mark[u] = v
                f += 1
                steps += 1
            if self.left[v] == 0 or steps >= STEPS:
                return

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def push(self, v: int64_t) -> cython.void:
        """Put v on top of those that need as many edges."""
        self.below[v] = self.head[self.left[v]]
        self.head[self.left[v]] = v

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_most(self, top: int64_t) -> cython.void:
        """Link the vertices on the lists; `top` is the most edges that one needs."""
        while top > 0:
            v = self.head[top]
            if v == -1:
                top -= 1
                continue
            self.head[top] = self.below[v]
            self.stamp(v)
            aside: int64_t = -1
            d = top
            while d > 0 and self.left[v] > 0:
                u = self.head[d]
                if u == -1:
                    d -= 1
                    continue
                self.head[d] = self.below[u]
                if self.mark[u] != v:
                    self.link(v, u)
                self.below[u] = aside
                aside = u
            while aside != -1:
                u = aside
                aside = self.below[u]
                if self.left[u] > 0:
                    self.push(u)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link_near_pooled(self, v: int64_t) -> cython.void:
        """Link v to vertices of the pool at distance two."""
        self.stamp(v)
        steps: cython.int = 0
        for e in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[e]
            for f in range(self.indptr[w], self.indptr[w + 1]):
                u = self.indices[f]
                if self.mark[u] != v and self.pooled[u]:
                    self.note(v, u)
                    self.mark[u] = v
                steps += 1
                if self.left[v] == 0 or steps >= STEPS:
                    return


def link_near(order: cython.const[int64_t][::1], indptr, indices, begin, used, partner, mark, left):
    """Link vertices that need an edge to others at distance two that need one."""
    repair: Repair = Repair(indptr, indices, begin, used, partner, mark, left)
    repair.start = np.array(indptr[: len(indptr) - 1])
    with cython.nogil:
        for i in range(order.shape[0]):
            if repair.left[order[i]] != 0:
                repair.link_near(order[i])


def link_most(order: cython.const[int64_t][::1], indptr, indices, begin, used, partner, mark, left):
    """Link the vertex that needs most edges to the others that need most, again and again (Havel and Hakimi)."""
    repair: Repair = Repair(indptr, indices, begin, used, partner, mark, left)
    top: int64_t = 0
    for i in range(order.shape[0]):
        top = max(top, repair.left[order[i]])
    repair.head, repair.below = np.full(top + 1, -1, dtype=np.int64), np.empty(len(left), dtype=np.int64)
    with cython.nogil:
        for i in range(order.shape[0]):
            if repair.left[order[i]] > 0:
                repair.push(order[i])
        repair.link_most(top)


def link_any(
    order: cython.const[int64_t][::1],
    pool: cython.const[int64_t][::1],
    indptr,
    indices,
    begin,
    used,
    partner,
    mark,
    left,
):
    """Link those that still need edges to vertices of the pool: near ones first, then in the pool's order."""
    repair: Repair = Repair(indptr, indices, begin, used, partner, mark, left)
    repair.pooled = np.zeros(len(left), dtype=np.uint8)
    at: cython.Py_ssize_t = 0
    many: cython.Py_ssize_t = pool.shape[0]
    tried: cython.Py_ssize_t
    with cython.nogil:
        for i in range(many):
            repair.pooled[pool[i]] = 1
        for i in range(order.shape[0]):
            v = order[i]
            if repair.left[v] == 0:
                continue
            repair.link_near_pooled(v)
            tried = 0
            while repair.left[v] > 0 and tried < many:
                u = pool[at]
                at = at + 1 if at + 1 < many else 0
                tried += 1
                if repair.mark[u] != v:
                    repair.note(v, u)
                    repair.mark[u] = v
