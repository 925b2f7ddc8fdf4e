"""Distances from a few vertices, kept current while links come and go.

A new link changes distances only if its ends are more than one step apart, as seen from the source: then they fall
breadth-first from the farther end. A link that goes changes them only if it was the last one from the farther end to a
vertex one step nearer. Then all vertices that lost their last such link are found level by level, and get new distances
from the others in order of distance (Ramalingam & Reps 1996, with all links of length 1). Both cost as many steps as
the vertices that change have links. The header distances.pxd lists the attributes.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.shoal.core._kernels.sorting import sort


@cython.cclass
class Distances:
    """Lines of distances, in a graph that another kernel edits."""

    def __init__(self, start, degree, rows, lines) -> None:
        n = len(degree)
        self.start, self.degree, self.rows = start, degree, rows
        self.far = np.empty((lines, n), dtype=np.int32)
        self.changed, self.old, self.queue = (np.empty(n, dtype=np.int32) for _ in range(3))
        self.mark, self.keys, self.spare = (np.zeros(n, dtype=np.int64) for _ in range(3))
        self.stamp = 0

    def search(self, line, source):
        """Measure all distances from a vertex."""
        head: int64_t = 0
        tail: int64_t = 1
        for v in range(self.far.shape[1]):
            self.far[line, v] = ABSENT
        self.far[line, source] = 0
        self.queue[0] = cython.cast(int32_t, source)
        while head < tail:
            x = self.queue[head]
            head += 1
            for i in range(self.start[x], self.start[x] + self.degree[x]):
                y = self.rows[i]
                if self.far[line, y] == ABSENT:
                    self.far[line, y] = self.far[line, x] + 1
                    self.queue[tail] = y
                    tail += 1

    def add(self, line, u, w):
        """Update a line after a link was added; return how many distances changed."""
        if self.far[line, u] > self.far[line, w]:
            u, w = w, u
        if self.far[line, w] <= self.far[line, u] + 1:
            return 0
        head: int64_t = 0
        tail: int64_t = 1
        self.changed[0] = cython.cast(int32_t, w)
        self.old[0] = self.far[line, w]
        self.far[line, w] = self.far[line, u] + 1
        while head < tail:
            x = self.changed[head]
            head += 1
            for i in range(self.start[x], self.start[x] + self.degree[x]):
                y = self.rows[i]
                if self.far[line, y] > self.far[line, x] + 1:
                    self.changed[tail] = y
                    self.old[tail] = self.far[line, y]
                    self.far[line, y] = self.far[line, x] + 1
                    tail += 1
        return tail

    def remove(self, line, u, w):
        """Update a line after a link was removed; return how many distances changed."""
        if self.far[line, u] > self.far[line, w]:
            u, w = w, u
        if self.far[line, u] == self.far[line, w] or self.has_parent(line, w):
            return 0
        many: int64_t = self.find_lost(line, w)
        self.reconnect(line, many)
        return many

    def has_parent(self, line, v):
        """Return whether v has a neighbor one step nearer to the source that has not lost its distance."""
        for i in range(self.start[v], self.start[v] + self.degree[v]):
            x = self.rows[i]
            if self.far[line, x] == self.far[line, v] - 1 and self.mark[x] != self.stamp:
                return True
        return False

    def find_lost(self, line, w):
        """List and mark the vertices that have no shortest path left, nearest first; return how many there are."""
        head: int64_t = 0
        tail: int64_t = 1
        self.stamp += 1
        self.changed[0] = cython.cast(int32_t, w)
        self.mark[w] = self.stamp
        while head < tail:
            x = self.changed[head]
            self.old[head] = self.far[line, x]
            head += 1
            for i in range(self.start[x], self.start[x] + self.degree[x]):
                y = self.rows[i]
                if (
                    self.far[line, y] == self.far[line, x] + 1
                    and self.mark[y] != self.stamp
                    and not self.has_parent(line, y)
                ):
                    self.mark[y] = self.stamp
                    self.changed[tail] = y
                    tail += 1
        return tail

    def reconnect(self, line, many):
        """Give the marked vertices their new distances: from the others, then from each other in order of distance."""
        least: int64_t
        for j in range(many):
            x = self.changed[j]
            least = ABSENT
            for i in range(self.start[x], self.start[x] + self.degree[x]):
                y = self.rows[i]
                if self.mark[y] != self.stamp and self.far[line, y] + 1 < least:
                    least = self.far[line, y] + 1
            self.keys[j] = (least << 32) | x
        for j in range(many):
            self.far[line, self.changed[j]] = cython.cast(int32_t, self.keys[j] >> 32)
        sort(cython.address(self.keys[0]), cython.address(self.spare[0]), many)
        at: int64_t = 0
        head: int64_t = 0
        tail: int64_t = 0
        while at < many or head < tail:
            if head < tail and (at == many or self.far[line, self.queue[head]] <= (self.keys[at] >> 32)):
                x = self.queue[head]
                head += 1
            else:
                x = cython.cast(int32_t, self.keys[at] & 0x7FFFFFFF)
                at += 1
                if self.far[line, x] != (self.keys[at - 1] >> 32):
                    continue  # it was reached by a shorter path
            if self.far[line, x] >= ABSENT:
                break
            for i in range(self.start[x], self.start[x] + self.degree[x]):
                y = self.rows[i]
                if self.far[line, y] > self.far[line, x] + 1:
                    self.far[line, y] = self.far[line, x] + 1
                    self.queue[tail] = y
                    tail += 1
