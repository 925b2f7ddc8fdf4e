"""Balls of radius 1 in a graph whose links have directions or kinds, kept current while links come and go.

Each vertex has a row of its neighbors, whatever the direction and kind. Each side of a link (its kind and direction, as
one end sees it) has a random word. The links of a vertex, to one neighbor or inside a ball, are the sum of the words of
their sides: sums are equal, but for collisions, where the numbers of links of each kind and direction are. A link
changes the balls of its ends and of their common neighbors. If it is the first or the last one between its ends, each
end also enters or leaves the ball of the other. The header tied_balls.pxd lists the attributes.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memmove
from cython.cimports.shoal.core._kernels.words import mix


@cython.cclass
class TiedBalls:
    """The balls of all vertices; `room` has the most neighbors of each."""

    def __init__(self, room, counts_links, counts_inside, counts_around) -> None:
        n = len(room)
        start = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(room, out=start[1:])
        places = max(1, int(start[n]))
        self.start, self.degree, self.rows = start, np.zeros(n, np.int32), np.empty(places, np.int32)
        self.mine, self.theirs, self.inner = (np.empty(places, dtype=np.uint64) for _ in range(3))
        self.many = np.empty(places, dtype=np.int32)
        self.total, self.inside, self.around = (np.zeros(n, dtype=np.uint64) for _ in range(3))
        self.links = np.zeros(n, dtype=np.int64)
        self.changed, self.mark = np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.int64)
        self.stamp, self.found = 0, 0
        self.counts_links, self.counts_inside, self.counts_around = counts_links, counts_inside, counts_around

    def toggle(self, u, w, here, there, more):
        """Add a link (more = 1) or remove it (more = -1); `here` and `there` are the words of its sides at u and w.

        Return how many vertices are listed in `changed`.
        """
        gained: uint64_t[2]
        gained[0] = 0
        gained[1] = 0
        at = self.find(u, w)
        linked: cython.bint = at < self.start[u] + self.degree[u] and self.rows[at] == w
        apart: cython.bint = not linked if more > 0 else self.many[at] == 1
        self.stamp += 1
        self.found = 0
        self.note(u)
        self.note(w)
        if self.counts_around:
            self.count_around(u, False)
            self.count_around(w, False)
        if self.counts_links:
            self.change_common(u, w, here, there, more, apart, gained)
            self.links[u] += more
            self.links[w] += more
        old, other = self.total[u], self.total[w]
        self.total[u] = old + here if more > 0 else old - here
        self.total[w] = other + there if more > 0 else other - there
        self.inside[u] += mix(self.total[u]) - mix(old)
        self.inside[w] += mix(self.total[w]) - mix(other)
        self.change_entry(u, w, here, there, more, gained[0])
        self.change_entry(w, u, there, here, more, gained[1])
        if self.counts_around:
            self.count_around(u, True)
            self.count_around(w, True)
        return self.found

    def find(self, u, w):
        """Return where w is, or would be, in the row of u."""
        low = self.start[u]
        high = low + self.degree[u]
        while low < high:
            middle = (low + high) // 2
            if self.rows[middle] < w:
                low = middle + 1
            else:
                high = middle
        return low

    def note(self, v):
        """List a vertex among those whose ball changed."""
        if self.mark[v] != self.stamp:
            self.mark[v] = self.stamp
            self.changed[self.found] = cython.cast(int32_t, v)
            self.found += 1

    def shift_inner(self, v, at, change):
        """Change the links that a neighbor of v has inside the ball of v."""
        old = self.inner[at]
        self.inner[at] = old + change
        self.inside[v] += mix(old + change) - mix(old)

    def count_around(self, v, add):
        """Count the tie to v and all links of v at every neighbor of v, or no longer."""
        known = mix(self.total[v])
        for i in range(self.start[v], self.start[v] + self.degree[v]):
            x = self.rows[i]
            word = mix(self.theirs[i] + known)
            self.around[x] += word if add else -word
            self.note(x)

    def change_common(self, u, w, here, there, more, apart, gained):
        """Update the balls of the common neighbors of u and w, and what u and w see of them if they come apart.

        `gained` gets the links between w and the ball of u, and those between u and the ball of w.
        """
        short, long = (u, w) if self.degree[u] <= self.degree[w] else (w, u)
        one: uint64_t = here if more > 0 else -here
        two: uint64_t = there if more > 0 else -there
        end = self.start[long] + self.degree[long]
        for at in range(self.start[short], self.start[short] + self.degree[short]):
            x = self.rows[at]
            beside = self.find(long, x)
            if beside >= end or self.rows[beside] != x:
                continue
            i, j = (at, beside) if short == u else (beside, at)  # x in the rows of u and w
            self.note(x)
            self.links[x] += more
            if apart:
                self.links[u] += more * self.many[j]
                self.links[w] += more * self.many[i]
            if not self.counts_inside:
                continue
            self.shift_inner(x, self.find(x, u), one)
            self.shift_inner(x, self.find(x, w), two)
            if apart:
                self.shift_inner(u, i, self.theirs[j] if more > 0 else -self.theirs[j])
                self.shift_inner(w, j, self.theirs[i] if more > 0 else -self.theirs[i])
                gained[0] += self.mine[j]
                gained[1] += self.mine[i]

    def change_entry(self, u, w, here, there, more, gained):
        """Update the entry of w in the row of u; `gained` are the links of w to the ball of u, if it is new there."""
        at = self.find(u, w)
        if more > 0 and (at >= self.start[u] + self.degree[u] or self.rows[at] != w):
            self.insert(u, at, w)
            self.mine[at] = here
            self.theirs[at] = there
            self.many[at] = 1
            self.inner[at] = there + gained
            self.inside[u] += mix(self.inner[at])
        elif more < 0 and self.many[at] == 1:
            self.inside[u] -= mix(self.inner[at])
            self.remove(u, at)
        else:
            self.mine[at] += here if more > 0 else -here
            self.theirs[at] += there if more > 0 else -there
            self.many[at] += more
            self.shift_inner(u, at, there if more > 0 else -there)

    def insert(self, u, at, w):
        """Make room for w in the row of u."""
        left: int64_t = self.start[u] + self.degree[u] - at
        if left > 0:
            memmove(cython.address(self.rows[at + 1]), cython.address(self.rows[at]), 4 * left)
            memmove(cython.address(self.many[at + 1]), cython.address(self.many[at]), 4 * left)
            memmove(cython.address(self.mine[at + 1]), cython.address(self.mine[at]), 8 * left)
            memmove(cython.address(self.theirs[at + 1]), cython.address(self.theirs[at]), 8 * left)
            memmove(cython.address(self.inner[at + 1]), cython.address(self.inner[at]), 8 * left)
        self.rows[at] = cython.cast(int32_t, w)
        self.degree[u] += 1

    def remove(self, u, at):
        """Take an entry out of the row of u."""
        self.degree[u] -= 1
        left: int64_t = self.start[u] + self.degree[u] - at
        if left > 0:
            memmove(cython.address(self.rows[at]), cython.address(self.rows[at + 1]), 4 * left)
            memmove(cython.address(self.many[at]), cython.address(self.many[at + 1]), 4 * left)
            memmove(cython.address(self.mine[at]), cython.address(self.mine[at + 1]), 8 * left)
            memmove(cython.address(self.theirs[at]), cython.address(self.theirs[at + 1]), 8 * left)
            memmove(cython.address(self.inner[at]), cython.address(self.inner[at + 1]), 8 * left)
