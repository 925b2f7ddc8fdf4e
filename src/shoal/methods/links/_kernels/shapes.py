"""Isomorphism classes of neighborhoods of radius 1, as 64 bits, in a graph that is edited.

The center is linked to all its neighbors. So two balls are isomorphic if and only if the graphs of their neighbors are,
and these if and only if their components can be paired. A shape is the sum of the hashes of the components. Most
components are single vertices or cliques. A dense component is a clique without some links, so its complement is
divided into components once more. The others are colored by refinement and drawn: their links are listed with the
vertices in order of color. If only twins share a color, the drawing identifies the component. Else its canonical form
does, which BLISS finds once for each drawing.

A shape is exact, but for collisions of hashes. A cache remembers the shapes of recent balls by a hash of their links,
so that an edit that is undone costs nothing. The header shapes.pxd lists the attributes.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.shoal.core._kernels.sorting import argsort, sort
from cython.cimports.shoal.core._kernels.words import mix, mix_again

LOOKUP = cython.declare(cython.int, 16)
"""Looking up one vertex in a row costs about as much as reading so many entries."""
MOST_FORMS = 1_000_000
"""The most canonical forms that are remembered."""
MOST_CACHED = 1 << 20
"""The most balls that are remembered."""
CLIQUE = cython.declare(uint64_t, 0x632BE59BD9B4E019)
DENSE = cython.declare(uint64_t, 0xD1B54A32D192ED03)
UNSETTLED = cython.declare(uint64_t, 0x9FB21C651E98DF25)


@cython.cclass
class Shapes:
    """Room for one ball at a time, and the shapes of recent ones."""

    def __init__(self, start, degree, rows, forms, find_form) -> None:
        n = len(degree)
        self.start, self.degree, self.rows = start, degree, rows
        self.place, self.ball = np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
        self.ptr, self.near = np.zeros(2 * n + 1, dtype=np.int64), np.empty(2 * len(rows), dtype=np.int32)
        self.parts = np.empty(2 * n, dtype=np.int32)
        self.colors, self.fresh, self.sorted_colors, self.spare_colors = (np.empty(2 * n, np.uint64) for _ in range(4))
        self.order, self.spare, self.rank, self.stamp, self.seen = (np.zeros(2 * n, dtype=np.int64) for _ in range(5))
        self.turn, self.check = 0, 0
        cells = min(MOST_CACHED, 1 << int(16 * n).bit_length())
        self.key, self.word = np.zeros(cells, dtype=np.uint64), np.zeros(cells, dtype=np.uint64)
        self.forms, self.find_form, self.failure = forms, find_form, None

    def find(self, v, key):
        """Return the shape of the ball around v; `key` is a hash of its links."""
        at = cython.cast(int64_t, mix(key) & cython.cast(uint64_t, self.key.shape[0] - 1))
        if self.word[at] == 0 or self.key[at] != key:
            self.key[at] = key
            self.word[at] = self.measure(v)
        return self.word[at]

    def measure(self, v):
        """Return the shape of the ball around v, which is not 0."""
        self.localize(v)
        self.turn += 1
        word: uint64_t = self.add_components(0, self.degree[v], True)
        return word if word != 0 else 1

    def add_components(self, begin, end, divide):
        """Return the hash of the components of the graph of positions from `begin` to `end`."""
        total: uint64_t = 0
        first: int64_t = begin
        size: int64_t
        for i in range(begin, end):
            if self.stamp[i] == self.turn:
                continue
            self.parts[first] = cython.cast(int32_t, i)
            last = self.list_component(first)
            size = last - first
            links: int64_t = 0
            for j in range(first, last):
                links += self.ptr[self.parts[j] + 1] - self.ptr[self.parts[j]]
            if links == size * (size - 1):
                total += mix(cython.cast(uint64_t, size) ^ CLIQUE)
            elif divide and 2 * links > size * (size - 1):
                self.complement(first, last, end)
                total += mix(self.add_components(end, end + size, False) ^ DENSE)
            else:
                total += mix(self.draw(first, last))
            first = last
        return mix(total + cython.cast(uint64_t, end - begin))

    def complement(self, first, last, base):
        """Write the complement of a component, which has no more links, to the positions from `base` on."""
        filled: int64_t = self.ptr[base]
        for i in range(first, last):
            x = self.parts[i]
            self.check += 1
            self.seen[x] = self.check
            for e in range(self.ptr[x], self.ptr[x + 1]):
                self.seen[self.near[e]] = self.check
            for j in range(first, last):
                if self.seen[self.parts[j]] != self.check:
                    self.near[filled] = cython.cast(int32_t, base + j - first)
                    filled += 1
            self.ptr[base + i - first + 1] = filled
            self.stamp[base + i - first] = 0

    def localize(self, v):
        """Copy the links among the neighbors of v, by position."""
        many: int64_t = self.degree[v]
        filled: int64_t = 0
        for i in range(many):
            self.ball[i] = self.rows[self.start[v] + i]
            self.place[self.ball[i]] = cython.cast(int32_t, i)
        for i in range(many):
            w = self.ball[i]
            if self.degree[w] <= LOOKUP * many:
                for e in range(self.start[w], self.start[w] + self.degree[w]):
                    x = self.place[self.rows[e]]
                    if x >= 0:
                        self.near[filled] = x
                        filled += 1
            else:
                for j in range(many):
                    if self.is_linked(w, self.ball[j]):
                        self.near[filled] = cython.cast(int32_t, j)
                        filled += 1
            self.ptr[i + 1] = filled
        for i in range(many):
            self.place[self.ball[i]] = -1

    def is_linked(self, w, x):
        """Return whether two vertices are linked."""
        low: int64_t = self.start[w]
        end: int64_t = low + self.degree[w]
        high: int64_t = end
        while low < high:
            middle = (low + high) // 2
            if self.rows[middle] < x:
                low = middle + 1
            else:
                high = middle
        return low < end and self.rows[low] == x

    def list_component(self, first):
        """List the component of `parts[first]` from there on; return its end."""
        head: int64_t = first
        tail: int64_t = first + 1
        self.stamp[self.parts[first]] = self.turn
        while head < tail:
            x = self.parts[head]
            head += 1
            for e in range(self.ptr[x], self.ptr[x + 1]):
                y = self.near[e]
                if self.stamp[y] != self.turn:
                    self.stamp[y] = self.turn
                    self.parts[tail] = y
                    tail += 1
        return tail

    def color(self, first, last):
        """Refine the hashed colors of a component until their number stops growing."""
        for i in range(first, last):
            x = self.parts[i]
            self.colors[x] = mix(cython.cast(uint64_t, self.ptr[x + 1] - self.ptr[x]))
        known: int64_t = self.count_colors(first, last)
        while known < last - first:
            for i in range(first, last):
                x = self.parts[i]
                total: uint64_t = 0
                for e in range(self.ptr[x], self.ptr[x + 1]):
                    total += mix(self.colors[self.near[e]])
                self.fresh[x] = mix(total ^ mix_again(self.colors[x]))
            for i in range(first, last):
                self.colors[self.parts[i]] = self.fresh[self.parts[i]]
            now: int64_t = self.count_colors(first, last)
            if now <= known:
                break
            known = now

    def count_colors(self, first, last):
        """Count the different colors of a component."""
        for i in range(first, last):
            self.sorted_colors[i - first] = self.colors[self.parts[i]]
        sort(cython.address(self.sorted_colors[0]), cython.address(self.spare_colors[0]), last - first)
        found: int64_t = 1
        for i in range(1, last - first):
            found += self.sorted_colors[i] != self.sorted_colors[i - 1]
        return found

    def draw(self, first, last):
        """Return a hash that identifies a component."""
        size: int64_t = last - first
        total: uint64_t = 0
        self.color(first, last)
        for i in range(size):
            self.fresh[i] = self.colors[self.parts[first + i]]
        argsort(cython.address(self.fresh[0]), cython.address(self.order[0]), cython.address(self.spare[0]), size)
        for i in range(size):
            self.order[i] = self.parts[first + self.order[i]]
            self.rank[self.order[i]] = i
        for i in range(size):
            x = self.order[i]
            for e in range(self.ptr[x], self.ptr[x + 1]):
                j = self.rank[self.near[e]]
                if i < j:
                    total += mix((cython.cast(uint64_t, i) << 32) | cython.cast(uint64_t, j))
        word: uint64_t = mix(total ^ mix_again(cython.cast(uint64_t, size)))
        return word if self.is_settled(first, last) else self.look_up(word, first, last)

    def is_settled(self, first, last):
        """Return whether only twins share a color: then any order by color gives the same drawing."""
        size: int64_t = last - first
        begin: int64_t = 0
        while begin < size:
            x = self.order[begin]
            end = begin + 1
            while end < size and self.colors[self.order[end]] == self.colors[x]:
                end += 1
            if end - begin > 1:
                self.check += 1
                for e in range(self.ptr[x], self.ptr[x + 1]):
                    self.seen[self.near[e]] = self.check
                linked: cython.bint = self.seen[self.order[begin + 1]] == self.check
                for i in range(begin + 1, end):
                    y = self.order[i]
                    if (self.seen[y] == self.check) != linked:
                        return False
                    if self.ptr[y + 1] - self.ptr[y] != self.ptr[x + 1] - self.ptr[x]:
                        return False
                    for e in range(self.ptr[y], self.ptr[y + 1]):
                        if self.near[e] != x and self.seen[self.near[e]] != self.check:
                            return False
            begin = end
        return True

    def look_up(self, drawing, first, last):
        """Return a hash of the canonical form of a component; an error is kept for the end of the loop."""
        try:
            form = self.forms.get(drawing)
            if form is None:
                if len(self.forms) >= MOST_FORMS:
                    self.forms.clear()
                order, ptr, rank = np.asarray(self.order)[: last - first], np.asarray(self.ptr), np.asarray(self.rank)
                near = [np.asarray(self.near)[ptr[x] : ptr[x + 1]] for x in order]
                a, b = np.repeat(rank[order], [len(row) for row in near]), rank[np.concatenate(near)]
                self.forms[drawing] = form = self.find_form(len(order), a[a < b], b[a < b])
            return mix(cython.cast(uint64_t, form) ^ UNSETTLED)
        except BaseException as error:
            self.failure = error
            return 0
