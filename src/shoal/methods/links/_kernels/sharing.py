"""Shared neighbors: rows that links are added to, counts over paths of length two, and which link to add next.

A graph is (indptr, indices, head, following, ends): the rows it came with, and the links added since as lists: the
first added half of v is head[v], the next one following[half], and it leads to ends[half] (-1 where it was taken
away). The link e has the halves 2e and 2e + 1.

Links are added until every vertex shares l neighbors with enough others, each time the one that lowers most deficits.
aim = (l, want, strong): every vertex must share l neighbors with `want` others; where it is strong, the neighbors of
each must be old ones. room = (degree, limit, added): how many links each vertex has, may come to have, and got.
work = (near, seen, touched, other, met, mark, around): arrays of n entries, `seen` and `other` zero between calls.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import mix

from shoal.core._kernels import view_bytes

TRIES = cython.declare(cython.int, 12)
"""How many links of each kind are tried for one vertex."""
WORST = cython.declare(int64_t, -(1 << 62))
VALUE = cython.declare(int64_t, 1 << 40)
STEP = cython.declare(int64_t, 1 << 20)
MOST_ADDED = cython.declare(int64_t, 1 << 19)


@cython.cclass
class Sharing:
    """A graph that links are added to, the aim, and room to count in."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    head: int64_t[::1]
    following: int64_t[::1]
    ends: int64_t[::1]
    l: int64_t
    want: int64_t
    strong: cython.bint
    count: int64_t[::1]
    """With how many others each vertex shares l neighbors."""
    degree: int64_t[::1]
    limit: cython.const[int64_t][::1]
    added: int64_t[::1]
    near: int64_t[::1]
    seen: int64_t[::1]
    touched: int64_t[::1]
    other: int64_t[::1]
    met: int64_t[::1]
    mark: int64_t[::1]
    around: int64_t[::1]
    hungry: cython.const[int64_t][::1]
    """The vertices that lack candidates."""
    dice: uint64_t[::1]
    """The state of the generator."""
    most: int64_t
    """Entries that are read to find vertices beyond."""
    keys: int64_t[::1]
    best: int64_t[::1]
    """The best few vertices, and the keys by which they are."""
    ways: int64_t[::1]
    hubs: int64_t[::1]
    """The same for the neighbors of a vertex."""
    u: int64_t
    x: int64_t
    """The link that was chosen."""

    def __init__(self, graph, aim, count, room, work) -> None:
        self.indptr, self.indices, self.head, self.following, self.ends = graph
        self.l, self.want, self.strong = aim
        self.count = count
        self.degree, self.limit, self.added = room
        self.near, self.seen, self.touched, self.other, self.met, self.mark, self.around = work
        self.keys, self.best = np.empty(TRIES, dtype=np.int64), np.empty(TRIES, dtype=np.int64)
        self.ways, self.hubs = np.empty(TRIES, dtype=np.int64), np.empty(TRIES, dtype=np.int64)

    # Rows and counts.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_row(self, v: int64_t, added: cython.bint, out: int64_t[::1]) -> int64_t:
        """Write the neighbors of v into `out`, with or without the links added since; return how many."""
        many: int64_t = 0
        for e in range(self.indptr[v], self.indptr[v + 1]):
            out[many] = self.indices[e]
            many += 1
        half = self.head[v] if added else -1
        while half >= 0:
            if self.ends[half] >= 0:
                out[many] = self.ends[half]
                many += 1
            half = self.following[half]
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally(
        self, v: int64_t, first: cython.bint, second: cython.bint, seen: int64_t[::1], touched: int64_t[::1]
    ) -> int64_t:
        """Count in `seen` for each vertex how many neighbors of v it is next to; return how many are in `touched`.

        `first` says whether links added since count from v to its neighbors, `second` whether they do from there on. v
        itself is counted too.
        """
        far: int64_t = 0
        for i in range(self.list_row(v, first, self.near)):
            y = self.near[i]
            for e in range(self.indptr[y], self.indptr[y + 1]):
                w: int64_t = self.indices[e]
                if seen[w] == 0:
                    touched[far] = w
                    far += 1
                seen[w] += 1
            half = self.head[y] if second else -1
            while half >= 0:
                z = self.ends[half]
                if z >= 0:
                    if seen[z] == 0:
                        touched[far] = z
                        far += 1
                    seen[z] += 1
                half = self.following[half]
        return far

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self, seen: int64_t[::1], touched: int64_t[::1], far: int64_t) -> cython.void:
        """Make `seen` zero again."""
        for i in range(far):
            seen[touched[i]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def meet(self, u: int64_t, x: int64_t, change: int64_t) -> int64_t:
        """Return how many deficits fall as u becomes a neighbor of x, by the vertices next to x; `change` counts them.

        `other` is how many neighbors u shares with each vertex so far. Where the aim is strong u gains nothing.
        """
        lowered: int64_t = 0
        met: int64_t = 0
        for i in range(self.list_row(x, not self.strong, self.near)):
            w = self.near[i]
            if w != u and self.other[w] == self.l - 1:
                met += 1
                lowered += self.count[w] < self.want
                self.count[w] += change
        if not self.strong:
            lacking = self.want - self.count[u] if self.want > self.count[u] else 0
            lowered += met if met < lacking else lacking
            self.count[u] += change * met
        return lowered

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def meet_from(self, a: int64_t, b: int64_t, change: int64_t) -> int64_t:
        """Do the same after counting what a shares with each vertex."""
        far = self.tally(a, True, not self.strong, self.other, self.met)
        lowered = self.meet(a, b, change)
        self.clear(self.other, self.met, far)
        return lowered

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def helps(self, a: int64_t, b: int64_t) -> cython.bint:
        """Return whether a link from a to b may lower a deficit of a or of a vertex next to b."""
        if not self.strong and self.count[a] < self.want:
            return True
        for i in range(self.list_row(b, not self.strong, self.near)):
            if self.count[self.near[i]] < self.want:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(self, u: int64_t, x: int64_t) -> int64_t:
        """Return how many deficits a link between u and x would lower."""
        total: int64_t = 0
        if self.helps(u, x):
            total += self.meet_from(u, x, 0)
        if self.helps(x, u):
            total += self.meet_from(x, u, 0)
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def link(self, u: int64_t, x: int64_t, e: int64_t) -> cython.void:
        """Add the link e between u and x, and count which vertices share enough now."""
        self.meet_from(u, x, 1)
        self.meet_from(x, u, 1)
        self.ends[2 * e] = x
        self.ends[2 * e + 1] = u
        self.following[2 * e] = self.head[u]
        self.following[2 * e + 1] = self.head[x]
        self.head[u] = 2 * e
        self.head[x] = 2 * e + 1
        self.degree[u] += 1
        self.added[u] += 1
        self.degree[x] += 1
        self.added[x] += 1

    # The choice of a link.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def draw(self, many: int64_t) -> int64_t:
        """Return a number below `many`."""
        self.dice[0] += 1
        return cython.cast(int64_t, mix(self.dice[0]) % cython.cast(uint64_t, many))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stamp(self, w: int64_t) -> cython.void:
        """Mark w and its neighbors."""
        for i in range(self.list_row(w, True, self.near)):
            self.mark[self.near[i]] = w
        self.mark[w] = w

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rank(self, value: int64_t, x: int64_t) -> int64_t:
        """Return a key by which the larger value goes first, then the vertex that got fewer links, then chance."""
        got = self.added[x] if self.added[x] < MOST_ADDED else MOST_ADDED
        return value * VALUE - got * STEP + self.draw(STEP)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def offer(self, key: int64_t, x: int64_t, keys: int64_t[::1], best: int64_t[::1]) -> cython.void:
        """Keep the best few."""
        low: cython.int = 0
        i: cython.int
        for i in range(TRIES):
            if best[i] == x:
                return
            if keys[i] < keys[low]:
                low = i
        if key > keys[low]:
            keys[low] = key
            best[low] = x

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_free(self, x: int64_t, w: int64_t) -> cython.bint:
        """Return whether x may be linked to w, whose neighbors are marked."""
        return x >= 0 and self.mark[x] != w and self.degree[x] < self.limit[x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_vertex(self) -> int64_t:
        """Return a vertex at random: one that lacks candidates, a neighbor of one, any, or a neighbor of any."""
        kind = self.draw(4)
        x = self.hungry[self.draw(self.hungry.shape[0])] if kind < 2 else self.draw(self.seen.shape[0])
        if kind % 2:
            many = self.list_row(x, True, self.near)
            x = self.near[self.draw(many)] if many else x
        return x

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_beyond(self, v: int64_t, level: int64_t, far: int64_t) -> cython.void:
        """Keep the best to link v itself to: those next to many vertices that share `level` neighbors with v."""
        start = self.draw(far if far > 1 else 1)
        looked: int64_t = 0
        reached: int64_t = 0
        for j in range(far):
            w = self.touched[(start + j) % far]
            if w == v or self.seen[w] != level:
                continue
            many = self.list_row(w, True, self.near)
            looked += many
            for i in range(many):
                x = self.near[i]
                if self.other[x] == 0:
                    self.met[reached] = x
                    reached += 1
                self.other[x] += 1
            if looked > self.most:
                break
        for i in range(reached):
            x = self.met[i]
            if self.is_free(x, v):
                value = self.other[x] if self.other[x] < self.want else self.want
                self.offer(self.rank(value, x), x, self.keys, self.best)
        self.clear(self.other, self.met, reached)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_level(self, v: int64_t, far: int64_t) -> int64_t:
        """Return the most neighbors below l that any vertex shares with v."""
        level: int64_t = 0
        for i in range(far):
            shared = self.seen[self.touched[i]]
            if self.touched[i] != v and level < shared < self.l:
                level = shared
        return level

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_neediest(self, v: int64_t) -> cython.void:
        """Keep the neighbors of v that are next to most that lack candidates; those of old links where it is strong."""
        for i in range(self.list_row(v, not self.strong, self.around)):
            w = self.around[i]
            needy: int64_t = 0
            for j in range(self.list_row(w, not self.strong, self.near)):
                needy += self.count[self.near[j]] < self.want
            self.offer(needy * STEP + self.draw(STEP), w, self.ways, self.hubs)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_towards(self, v: int64_t, w: int64_t, level: int64_t, far: int64_t) -> cython.void:
        """Keep the best to link w, a neighbor of v, to: those that share `level` neighbors with v, the needy first."""
        self.stamp(w)
        i: int64_t
        if level == 0:
            for i in range(2 * TRIES):
                y = self.draw_vertex()
                if y != v and self.seen[y] == 0 and self.is_free(y, w):
                    self.offer(self.rank(1 + (self.count[y] < self.want), y), y, self.keys, self.best)
        else:
            for i in range(far):
                y = self.touched[i]
                if y != v and self.seen[y] == level and self.is_free(y, w):
                    self.offer(self.rank(1 + (self.count[y] < self.want), y), y, self.keys, self.best)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_from(self, v: int64_t, level: int64_t, far: int64_t) -> cython.void:
        """Keep the best to link v itself to."""
        self.stamp(v)
        if level > 0:
            self.look_beyond(v, level, far)
            return
        for _ in range(4 * TRIES):
            x = self.draw_vertex()
            if self.is_free(x, v):
                value = self.degree[x] if self.degree[x] < self.want else self.want
                self.offer(self.rank(value, x), x, self.keys, self.best)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_last_resort(self, v: int64_t) -> cython.void:
        """Take any link that may help v: of a neighbor to one that shares most with v and not enough, or of v."""
        many = self.list_row(v, not self.strong, self.around)
        for i in range(many + (0 if self.strong else 1)):
            w = self.around[i] if i < many else v
            if self.degree[w] >= self.limit[w]:
                continue
            self.stamp(w)
            top: int64_t = -1
            found: int64_t = -1
            y: int64_t
            for y in range(self.seen.shape[0]):
                if y != v and (self.seen[y] < self.l or w == v) and self.is_free(y, w):
                    key = self.rank(1 + (self.seen[y] if self.seen[y] < self.l else self.l), y)
                    if key > top:
                        top, found = key, y
            if found >= 0:
                self.u, self.x = w, found
                return

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self, v: int64_t) -> cython.void:
        """Take the link that lowers most deficits among those that may help v; (-1, -1) if there is none."""
        self.u, self.x = -1, -1
        far = self.tally(v, not self.strong, True, self.seen, self.touched)
        level = self.find_level(v, far)
        i: cython.int
        j: cython.int
        for i in range(TRIES):
            self.ways[i] = WORST
            self.hubs[i] = -1
        if self.strong or self.degree[v] >= self.l:
            self.list_neediest(v)
        top: int64_t = -1
        tie: int64_t = 0
        for i in range(-1, TRIES):
            w = v if i < 0 else self.hubs[i]
            if w < 0 or self.degree[w] >= self.limit[w] or (i < 0 and self.strong):
                continue
            for j in range(TRIES):
                self.keys[j] = WORST
                self.best[j] = -1
            if i < 0:
                self.look_from(v, level, far)
            else:
                self.look_towards(v, w, level, far)
            for j in range(TRIES):
                if self.best[j] >= 0:
                    value = self.worth(w, self.best[j])
                    key = self.keys[j] - (self.added[w] if self.added[w] < MOST_ADDED else MOST_ADDED) * STEP
                    if value > top or (value == top and key > tie):
                        top, tie = value, key
                        self.u, self.x = w, self.best[j]
        if self.u < 0:
            self.find_last_resort(v)
        self.clear(self.seen, self.touched, far)

    # Links that are not needed any more.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lose(self, a: int64_t, b: int64_t, change: int64_t) -> cython.bint:
        """Count a link from a to b out (change -1) or in again (1); return whether all keep enough."""
        far = self.tally(a, True, not self.strong, self.other, self.met)
        self.meet(a, b, change)
        enough: cython.bint = True
        if change < 0:
            enough = self.count[a] >= self.want
            for i in range(self.list_row(b, not self.strong, self.near)):
                enough = enough and self.count[self.near[i]] >= self.want
        self.clear(self.other, self.met, far)
        return enough


def satisfy(
    order: cython.const[int64_t][:],
    made: int64_t,
    until: int64_t,
    graph,
    aim,
    count,
    room,
    work,
    hungry,
    most,
    dice,
    stuck,
):
    """Add links for the vertices of `order` until there are `until`, where `made` were; return how many there are.

    `stuck` marks those for which no link is allowed any more.
    """
    sharing: Sharing = Sharing(graph, aim, count, room, work)
    sharing.hungry, sharing.most, sharing.dice = hungry, most, dice
    marks: uint8_t[::1] = view_bytes(stuck)
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            while sharing.count[v] < sharing.want and made < until:
                sharing.choose(v)
                if sharing.u < 0:
                    marks[v] = 1
                    break
                sharing.link(sharing.u, sharing.x, made)
                made += 1
    return made


def drop(order: cython.const[int64_t][:], graph, aim, count, room, work):
    """Take away the added links of `order`, one after the other, where every vertex keeps enough; return how many."""
    sharing: Sharing = Sharing(graph, aim, count, room, work)
    gone: int64_t = 0
    enough: cython.bint
    with cython.nogil:
        for i in range(order.shape[0]):
            e = order[i]
            x, u = sharing.ends[2 * e], sharing.ends[2 * e + 1]
            sharing.ends[2 * e] = -1
            sharing.ends[2 * e + 1] = -1
            enough = sharing.lose(u, x, -1)
            enough = sharing.lose(x, u, -1) and enough
            if enough:
                gone += 1
                sharing.degree[u] -= 1
                sharing.added[u] -= 1
                sharing.degree[x] -= 1
                sharing.added[x] -= 1
            else:
                sharing.lose(u, x, 1)
                sharing.lose(x, u, 1)
                sharing.ends[2 * e] = x
                sharing.ends[2 * e + 1] = u
    return gone
