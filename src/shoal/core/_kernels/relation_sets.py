"""The smallest set of relations that gives a vertex away (Definition I, and its located reading), and its converse.

u stays a candidate of v under the index set S if and only if S misses the columns in which their rows differ. There are
as many rows as vertices, and nearly all of them are irrelevant, so they come in only when needed: a smallest set that
meets the rows at hand is found; who still agrees with v on that set is looked up in the graph; if that is too many,
some of them join the rows and the search goes on. With fewer rows the smallest set can only be smaller, so the first
one that holds in the graph is a smallest one.

Readings: RELATIONS compares whole rows. LOCATED knows where the vertices of S are: v is not in S, and a vertex of S is
no candidate. NEIGHBORS knows some edges at v, with their multiplicities, and nothing of non-neighbors.

The converse is asked in two ways: how few candidates l facts leave inside one graph, and of an original in a release.

A graph is a tuple of arrays (indptr, indices, weights); no weights stand for ones. In a graph with directions or kinds
of links, a column is an entry (w, relation), an *item*. Then a fourth array `first` comes with the tuple: the graph is
bipartite, with people 0, 1, ... on one side and items on the other, and w owns the items first[w] to first[w + 1] - 1.
Without it every vertex is its own item. t is how many others may be left, k - 2.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.shoal.core._kernels.exposing_sets import AT_LEAST, EVERY, EXACT, GAVE_UP, ROWS, Search
from cython.cimports.shoal.core._kernels.sorting import argsort, select
from cython.cimports.shoal.core._kernels.words import count_ones

from shoal.core._kernels import view_bytes

RELATIONS = cython.declare(cython.int, 0)
LOCATED = cython.declare(cython.int, 1)
NEIGHBORS = cython.declare(cython.int, 2)
BIT = cython.declare(uint64_t, 1)
COMPARED = cython.declare(int64_t, 8192)
"""So many rows are compared with a row at a time: one that differs little is nearly always among them."""

Columns = cython.typedef(cython.pointer(cython.const[int64_t]))


@cython.final
@cython.cclass
class Rows:
    """The rows of a graph, with how many edges each entry stands for, and the owner of each column."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    weights: cython.const[int32_t][::1]
    weighted: cython.bint
    n: cython.Py_ssize_t
    """The number of rows; in a bipartite graph also those of items."""
    people: cython.Py_ssize_t
    """Candidates are 0, 1, ... up to here."""
    start: cython.Py_ssize_t
    """The first column."""
    owned: cython.bint
    """Whether columns are items, and not the vertices themselves."""
    first: cython.const[int64_t][::1]
    owners: cython.const[int64_t][::1]
    entries: cython.pointer(cython.const[int32_t])
    """The same as `indices`, for the innermost loop; a graph without edges has none."""

    def __init__(self, g) -> None:
        self.indptr, self.indices, self.weights = g[:3]
        self.entries = cython.address(self.indices[0]) if len(self.indices) else cython.NULL
        self.weighted = len(self.weights) > 0
        self.n = self.people = len(self.indptr) - 1
        self.start = 0
        self.owned = len(g) > 3
        if self.owned:
            self.first = g[3]
            self.people = self.start = len(g[3]) - 1
            self.owners = np.repeat(np.arange(self.people), np.diff(g[3]))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def owner(self, x: int64_t) -> int64_t:
        """Return the vertex that column x is about."""
        return self.owners[x - self.start] if self.owned else x

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def degree(self, x: int64_t) -> int64_t:
        """Return the degree of x, multiple edges counted once."""
        return self.indptr[x + 1] - self.indptr[x]

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def weight_at(self, e: int64_t) -> int64_t:
        """Return the multiplicity of entry e."""
        return self.weights[e] if self.weighted else 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tie(self, u: int64_t, x: int64_t) -> int64_t:
        """Return how many edges there are between u and x."""
        low, high, end = self.indptr[u], self.indptr[u + 1], self.indptr[u + 1]
        while low < high:
            middle = (low + high) // 2
            if self.indices[middle] < x:
                low = middle + 1
            else:
                high = middle
        return self.weight_at(low) if low < end and self.indices[low] == x else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def difference(self, v: int64_t, u: int64_t, reading: cython.int, found: cython.pointer(int64_t)) -> int64_t:
        """List the columns that tell u from v; return their number."""
        indices = self.entries
        a, b, last_a, last_b = self.indptr[v], self.indptr[u], self.indptr[v + 1], self.indptr[u + 1]
        count: int64_t = 0
        x: int64_t
        while a < last_a or b < last_b:
            if b == last_b or (a < last_a and indices[a] < indices[b]):
                x = indices[a]
                a += 1
            elif a == last_a or indices[b] < indices[a]:
                x = indices[b]
                b += 1
                if reading == NEIGHBORS:
                    continue
            else:
                x = indices[a]
                same: cython.bint = not self.weighted or self.weights[a] == self.weights[b]
                a += 1
                b += 1
                if same:
                    continue
            if reading == LOCATED and (x == v or x == u):
                continue
            found[count] = x
            count += 1
        if reading == LOCATED:
            if self.owned:
                return self.locate(v, u, found, count)
            found[count] = u
            count += 1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def locate(self, v: int64_t, u: int64_t, found: cython.pointer(int64_t), count: int64_t) -> int64_t:
        """Drop the items about v and u from so many that were found, and add all items about u."""
        kept: int64_t = 0
        for i in range(count):
            owner = self.owner(found[i])
            if owner != v and owner != u:
                found[kept] = found[i]
                kept += 1
        for x in range(self.first[u], self.first[u + 1]):
            found[kept] = x
            kept += 1
        return kept


@cython.final
@cython.cclass
class Work:
    """Room for one thread: everything is clear before and after a vertex.

    Candidates of v are only looked for among those of the same `kind`.
    """

    g: Rows
    reading: cython.int
    near: int64_t[::1]
    """The row of v."""
    slot: int64_t[::1]
    columns: int64_t[::1]
    differ: int64_t[::1]
    left: int64_t[::1]
    stamp: int64_t[::1]
    tag: int64_t
    joined: int64_t[::1]
    kind: cython.const[int64_t][::1]
    want: int64_t
    rows: int64_t[::1]
    """The vertices whose rows are at hand, `count` of them."""
    count: int64_t
    tells: uint64_t[::1]
    """For each column the rows that it tells from v, as bits; `words` words each."""
    words: int64_t
    sizes: int64_t[::1]
    order: int64_t[::1]
    spare: int64_t[::1]
    size: int64_t
    search: Search
    best: int64_t[::1]

    def __init__(self, g, kind, reading) -> None:
        self.g, self.kind, self.reading = Rows(g), kind, reading
        n = self.g.n
        self.near, self.stamp = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.slot, self.joined = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        self.columns, self.left = np.empty(n, dtype=np.int64), np.empty(max(1, n), dtype=np.int64)
        self.differ = np.empty(n + 1, dtype=np.int64)
        self.sizes, self.order = np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
        self.spare, self.best = np.empty(n + 1, dtype=np.int64), np.empty(n + 64, dtype=np.int64)
        self.rows, self.tells = np.empty(ROWS, dtype=np.int64), np.empty(64, dtype=np.uint64)
        self.tag = self.want = self.count = self.words = self.size = 0
        self.search = Search(np.empty(n + 64, dtype=np.int64))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recall(self, v: int64_t) -> cython.void:
        """Write the row of v into `near`."""
        self.want = self.kind[v]
        for e in range(self.g.indptr[v], self.g.indptr[v + 1]):
            self.near[self.g.indices[e]] = self.g.weight_at(e)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def forget(self, v: int64_t) -> cython.void:
        """Clear the row of v."""
        for e in range(self.g.indptr[v], self.g.indptr[v + 1]):
            self.near[self.g.indices[e]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def agrees(self, u: int64_t, S: Columns, size: int64_t, base: int64_t) -> cython.bint:
        """Return whether u is left when v is known on S; that u is a neighbor of `base` is known already."""
        for i in range(size):
            x = S[i]
            if self.reading == LOCATED and (x == u or (self.g.owned and self.g.owner(x) == u)):
                return False
            if (x != base or self.g.weighted) and self.g.tie(u, x) != self.near[x]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def who_is_left(self, v: int64_t, S: Columns, size: int64_t) -> int64_t:
        """List in `left` who agrees with v on S, v left out; return their number. `near` holds the row of v."""
        kind, left, stamp = self.kind, cython.address(self.left[0]), self.stamp
        base: int64_t = -1
        count: int64_t = 0
        for i in range(size):
            if self.near[S[i]] and (base < 0 or self.g.degree(S[i]) < self.g.degree(base)):
                base = S[i]
        if base >= 0:
            for e in range(self.g.indptr[base], self.g.indptr[base + 1]):
                u = self.g.indices[e]
                if u != v and kind[u] == self.want and self.agrees(u, S, size, base):
                    left[count] = u
                    count += 1
            return count
        self.tag += 1
        tag = self.tag
        for i in range(size):
            if self.reading == LOCATED:
                stamp[self.g.owner(S[i])] = tag
            for e in range(self.g.indptr[S[i]], self.g.indptr[S[i] + 1]):
                stamp[self.g.indices[e]] = tag
        for u in range(self.g.people):
            if u != v and kind[u] == self.want and stamp[u] != tag:
                left[count] = u
                count += 1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_similar(self, v: int64_t, left: int64_t, most: int64_t, token: int64_t) -> int64_t:
        """Keep those in `left` who did not join, at most so many, by the difference of their degree to that of v."""
        gaps, spare = cython.address(self.sizes[0]), cython.address(self.spare[0])
        degree = self.g.degree(v)
        count: int64_t = 0
        for i in range(left):
            u = self.left[i]
            if self.joined[u] != token:
                self.left[count] = u
                gap = self.g.degree(u) - degree
                gaps[count] = spare[count] = gap if gap > 0 else -gap
                count += 1
        if count <= most:
            return count
        select(spare, count, most)
        widest: int64_t = 0
        for i in range(most):
            widest = max(widest, spare[i])
        narrow: int64_t = 0
        for i in range(most):
            narrow += spare[i] < widest
        kept: int64_t = 0
        for i in range(count):
            if gaps[i] < widest or (gaps[i] == widest and narrow < most):
                narrow += gaps[i] == widest
                self.left[kept] = self.left[i]
                kept += 1
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def join(self, v: int64_t, left: int64_t, wanted: int64_t, token: int64_t, capacity: int64_t) -> int64_t:
        """Let those of `left` who differ least from v join the rows; return how many of those compared never differ.

        Where very many are left, only those of similar degree who did not join before are compared.
        """
        sizes = cython.address(self.sizes[0])
        never: int64_t = 0
        if left > max(COMPARED, 4 * wanted):
            left = self.keep_similar(v, left, max(COMPARED, 4 * wanted), token)
        for i in range(left):
            sizes[i] = self.g.difference(v, self.left[i], self.reading, cython.address(self.differ[0]))
            never += sizes[i] == 0
        if left:
            argsort(cython.cast(Columns, sizes), cython.address(self.order[0]), cython.address(self.spare[0]), left)
        for i in range(left):
            if wanted == 0 or self.count == capacity:
                break
            u = self.left[self.order[i]]
            if self.joined[u] != token:
                self.joined[u] = token
                self.rows[self.count] = u
                self.count += 1
                wanted -= 1
        return never

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def list_columns(self, v: int64_t) -> int64_t:
        """List in `columns` those that tell any of the rows from v, with these rows in `tells`; return how many."""
        differ, slot, columns = cython.address(self.differ[0]), self.slot, self.columns
        count: int64_t = 0
        for r in range(self.count):
            for i in range(self.g.difference(v, self.rows[r], self.reading, differ)):
                x = differ[i]
                if slot[x] < 0:
                    slot[x] = count
                    columns[count] = x
                    count += 1
        words = (self.count + 63) // 64
        self.words = words
        if count * words > self.tells.shape[0]:
            with cython.gil:
                self.tells = np.empty(2 * count * words, dtype=np.uint64)
        tells = cython.address(self.tells[0])
        memset(tells, 0, count * words * cython.sizeof(uint64_t))
        for r in range(self.count):
            for i in range(self.g.difference(v, self.rows[r], self.reading, differ)):
                tells[slot[differ[i]] * words + r // 64] |= BIT << cython.cast(uint64_t, r % 64)
        for c in range(count):
            slot[columns[c]] = -1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_best_columns(self, count: int64_t) -> int64_t:
        """Keep the columns that no other can stand in for: none tells the same rows and more. Return how many."""
        tells, words, sizes = cython.address(self.tells[0]), self.words, cython.address(self.sizes[0])
        keep = cython.address(self.spare[0])
        for c in range(count):
            size: int64_t = 0
            for j in range(words):
                size += count_ones(tells[c * words + j])
            sizes[c] = -size
        if count:
            argsort(cython.cast(Columns, sizes), cython.address(self.order[0]), cython.address(self.spare[0]), count)
        kept: int64_t = 0
        for i in range(count):
            column = tells + self.order[i] * words
            spare: cython.bint = False
            for a in range(kept):
                spare = True
                for j in range(words):
                    if column[j] & ~tells[keep[a] * words + j]:
                        spare = False
                        break
                if spare:
                    break
            if not spare:
                keep[kept] = self.order[i]
                kept += 1
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def turn(self, kept: int64_t) -> int64_t:
        """Turn columns into rows of the search: which of the kept columns tell each row; count rows that none tells."""
        count, width = self.count, (kept + 63) // 64 if kept else 1
        self.search.reserve(count, width)
        masks, tells, words = cython.address(self.search.masks[0]), cython.address(self.tells[0]), self.words
        memset(masks, 0, count * width * cython.sizeof(uint64_t))
        for a in range(kept):
            column, bit = tells + self.spare[a] * words, BIT << cython.cast(uint64_t, a % 64)
            for r in range(count):
                if (column[r // 64] >> cython.cast(uint64_t, r % 64)) & 1:
                    masks[r * width + a // 64] |= bit
        filled: int64_t = 0
        for r in range(count):
            some: uint64_t = 0
            for j in range(width):
                some |= masks[r * width + j]
                masks[filled * width + j] = masks[r * width + j]
            if some:
                self.search.weight[filled] = 1
                filled += 1
        self.search.count = filled
        return count - filled

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, v: int64_t) -> int64_t:
        """Choose the neighbor of lowest degree, if there is one; return how many are chosen."""
        chosen = cython.address(self.search.chosen[0])
        size: int64_t = 0
        for e in range(self.g.indptr[v], self.g.indptr[v + 1]):
            x = self.g.indices[e]
            if size == 0 or self.g.degree(x) < self.g.degree(chosen[0]):
                chosen[0] = x
                size = 1
        return size

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def smallest_set(self, v: int64_t, k: int64_t, most: int64_t, limit: int64_t) -> cython.int:
        """Find the size of the smallest exposing set of v, into `size`, and return what it means.

        The set is in `chosen`. `near` holds the row of v.
        """
        t: int64_t = k - 2
        q: int64_t = 1
        self.tag += 1
        token = self.tag
        capacity: int64_t = max(ROWS, 4 * k)
        if capacity > self.rows.shape[0]:
            with cython.gil:
                self.rows = np.empty(capacity, dtype=np.int64)
        chosen = cython.address(self.search.chosen[0])
        self.count = 0
        self.size = self.begin(v)
        while True:
            left = self.who_is_left(v, chosen, self.size)
            if left <= t and self.count > 0:
                return EXACT
            if self.count == capacity:
                self.size = max(q, cython.cast(int64_t, 1))  # k <= n, so the empty set never exposes
                return AT_LEAST
            if self.join(v, left, max(t + 1, cython.cast(int64_t, 16)), token, capacity) > t:
                self.size = 0
                return EVERY
            if self.count == 0:  # one neighbor leaves no other vertex
                return EXACT
            kept = self.keep_best_columns(self.list_columns(v))
            lost = self.turn(kept)
            if lost > t:
                self.size = 0
                return EVERY
            answer = self.search.fewest_items(t - lost, q, most, limit)
            q = self.search.size
            if answer == GAVE_UP or q > most:
                self.size = max(q, cython.cast(int64_t, 1))
                return AT_LEAST
            self.size = q
            for i in range(q):
                chosen[i] = self.columns[self.spare[chosen[i]]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def expose(self, v: int64_t, k: int64_t, most: int64_t, limit: int64_t) -> cython.int:
        """Find the size of the smallest exposing set of v, into `size`, and return what it means."""
        self.size = 0
        self.search.spent = 0
        if k <= 1:
            return EVERY
        self.recall(v)
        meaning = self.smallest_set(v, k, most, limit)
        self.forget(v)
        return meaning

    # How few candidates can l known relations leave? A greedy choice first, then better ones until none is left.
    #
    # Size c is beaten if and only if at most l columns leave fewer than c candidates: an exposing set for k = c. Each
    # one found sets a new c, and the last search proves that there is none.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_best_next(self, v: int64_t, left: int64_t) -> int64_t:
        """Return the column that tells the most of `left` from v, -1 if none tells any."""
        differ, slot, columns = cython.address(self.differ[0]), self.slot, self.columns
        touched: int64_t = 0
        best: int64_t = -1
        for a in range(left):
            for i in range(self.g.difference(v, self.left[a], self.reading, differ)):
                x = differ[i]
                if slot[x] < 0:
                    slot[x] = 0
                    columns[touched] = x
                    touched += 1
                slot[x] += 1
                if best < 0 or slot[x] > slot[best]:
                    best = x
        for i in range(touched):
            slot[columns[i]] = -1
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_greedily(self, v: int64_t, l: int64_t) -> int64_t:
        """Choose up to l columns, each the best after those before; return how many others are left.

        The first is the neighbor of lowest degree; after that the one that tells the most of those who are left.
        """
        chosen = cython.address(self.search.chosen[0])
        self.size = self.begin(v)
        left = self.who_is_left(v, chosen, self.size)
        while self.size < l and left > 0:
            best = self.find_best_next(v, left)
            if best < 0:
                break
            chosen[self.size] = best
            self.size += 1
            left = self.who_is_left(v, chosen, self.size)
        return left

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def leave_fewest(self, v: int64_t, l: int64_t, limit: int64_t) -> cython.int:
        """Find how few candidates, v included, l columns leave, into `count`; return whether that is proved.

        The columns are in `best`, their number in `size`.
        """
        chosen, best = cython.address(self.search.chosen[0]), cython.address(self.best[0])
        self.search.spent = 0
        self.recall(v)
        others = self.choose_greedily(v, l)
        size = self.size
        for i in range(size):
            best[i] = chosen[i]
        proved: cython.bint = others == 0
        while not proved:
            meaning = self.smallest_set(v, others + 1, l, limit)
            if meaning != EXACT:
                proved = meaning != AT_LEAST or self.size > l
                break
            size = self.size
            for i in range(size):
                best[i] = chosen[i]
            others = self.who_is_left(v, best, size)
            proved = others == 0
        self.forget(v)
        self.size, self.count = size, others + 1
        return proved


def exposing_set(g, kind, v: int64_t, k: int64_t, reading: cython.int, most: int64_t, limit: int64_t):
    """Return the size of the smallest exposing set of v, what it means, and the set where the size is exact."""
    work: Work = Work(g, kind, reading)
    with cython.nogil:
        meaning = work.expose(v, k, most, limit)
    return work.size, meaning, np.array(work.search.chosen[: work.size if meaning == EXACT else 0])


def exposing_sizes(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    g,
    k: int64_t,
    reading: cython.int,
    most: int64_t,
    limit: int64_t,
    sizes: int64_t[::1],
    meaning: int64_t[::1],
):
    """Write the sizes of the smallest exposing sets of `todo[first:last]`, and what they mean."""
    work: Work = Work(g, np.zeros(len(g[0]) - 1, dtype=np.int64), reading)
    with cython.nogil:
        for i in range(first, last):
            meaning[i] = work.expose(todo[i], k, most, limit)
            sizes[i] = work.size


def fewest_candidates(g, kind, v: int64_t, l: int64_t, reading: cython.int, limit: int64_t):
    """Return how few candidates, v included, l columns leave, whether that is proved, and the columns."""
    work: Work = Work(g, kind, reading)
    with cython.nogil:
        proved = work.leave_fewest(v, l, limit)
    return work.count, bool(proved), np.array(work.best[: work.size])


def all_fewest(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    g,
    kind: cython.const[int64_t][::1],
    l: int64_t,
    reading: cython.int,
    limit: int64_t,
    sizes: int64_t[::1],
    proved,
):
    """Write how few candidates l columns leave to each of `todo[first:last]`, and whether that is proved."""
    work: Work = Work(g, kind, reading)
    marks: uint8_t[::1] = view_bytes(proved)
    with cython.nogil:
        for i in range(first, last):
            marks[i] = cython.cast(uint8_t, work.leave_fewest(todo[i], l, limit))
            sizes[i] = work.count


# The fewest candidates, but at least one, that l facts of an original leave in a release.
#
# The facts may contradict the release, so sets that leave no candidate do not count, and more facts need not be better:
# every set is looked at, column by column, until one leaves a single candidate.


@cython.final
@cython.cclass
class Attack:
    """Room to look at one vertex of an original at a time.

    `near[x]` is how many edges the original has between v and the vertex that is x in the release (or that owns the
    item x); -1 where x is no vertex of the original. Depth h of the search has chosen h items; `at[h]` is the next item
    to try there. At depth 0 all vertices are left, and they are not copied for every vertex.
    """

    g: Rows
    reading: cython.int
    l: int64_t
    near: int64_t[::1]
    touched: int64_t[::1]
    left: int64_t[::1]
    """Who is left at depth 1, 2, ..., a line each."""
    count: int64_t[::1]
    at: int64_t[::1]
    agree: int64_t[::1]
    """How many agree with each item at depth 0, 1, ..., a line each."""
    best: int64_t[::1]
    size: int64_t
    fewest: int64_t

    def __init__(self, g, blank, l, reading, longest) -> None:
        self.g, self.reading, self.l = Rows(g), reading, l
        n = self.g.n
        self.near, self.touched = blank.copy(), np.zeros(n, dtype=np.int64)
        self.left = np.empty(max(1, self.g.people * (l - 1)), dtype=np.int64)
        self.count, self.at = np.zeros(l, dtype=np.int64), np.zeros(l, dtype=np.int64)
        self.agree, self.best = np.empty(max(1, l * longest), dtype=np.int64), np.empty(l, dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_all(self, items: Columns, many: int64_t) -> cython.void:
        """Write for each item how many of all vertices agree with it."""
        for i in range(many):
            x = items[i]
            same: int64_t = 0
            for e in range(self.g.indptr[x], self.g.indptr[x + 1]):
                same += self.near[x] == 0 or self.g.weight_at(e) == self.near[x]
            others = self.g.people - same - (1 if self.reading == LOCATED else 0)
            self.agree[i] = same if self.near[x] > 0 else others

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_left(self, items: Columns, many: int64_t, h: int64_t) -> cython.void:
        """Write for each item how many of those left at depth h agree with it; `touched` is zero before and after."""
        left, count, touched = cython.address(self.left[(h - 1) * self.g.people]), self.count[h], self.touched
        agree = cython.address(self.agree[h * many])
        indptr, indices, near = self.g.indptr, self.g.indices, self.near
        for a in range(count):
            for e in range(indptr[left[a]], indptr[left[a] + 1]):
                x = indices[e]
                touched[x] += near[x] == 0 or self.g.weight_at(e) == near[x]
        for i in range(many):
            agree[i] = touched[items[i]] if near[items[i]] > 0 else count - touched[items[i]]
        if self.reading == LOCATED:
            # a known vertex is no candidate; it has no link to itself, so it counts above only where no link is known
            for a in range(count):
                touched[left[a]] = -1
            for i in range(many):
                agree[i] -= touched[self.g.owner(items[i])] == -1 and near[items[i]] == 0
        for a in range(count):
            touched[left[a]] = 0
            for e in range(indptr[left[a]], indptr[left[a] + 1]):
                touched[indices[e]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_agreeing(self, x: int64_t, h: int64_t) -> cython.void:
        """Write who of those left at depth h agrees on x, as left at depth h + 1."""
        n = self.g.people
        kept = cython.address(self.left[h * n])
        found: int64_t = 0
        for a in range(self.count[h]):
            u = a if h == 0 else self.left[(h - 1) * n + a]
            if (self.reading != LOCATED or u != self.g.owner(x)) and self.g.tie(u, x) == self.near[x]:
                kept[found] = u
                found += 1
        self.count[h + 1] = found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_fewest(self, items: Columns, many: int64_t, limit: int64_t) -> cython.bint:
        """Find the smallest number above 0 of vertices that agree on at most l items, into `fewest`.

        Returns whether that is proved; the items are in `best`, their number in `size`.
        """
        n, at = self.g.people, cython.address(self.at[0])
        self.count[0] = n
        at[0] = 0
        self.fewest, self.size = n, 0
        spent: int64_t = 0
        h: int64_t = 0
        self.count_all(items, many)
        while h >= 0:
            i = at[h]
            if i == many or self.fewest <= 1:
                h -= 1
                continue
            at[h] += 1
            spent += 1
            if spent > limit:
                return False
            agree = self.agree[h * many + i]
            if 0 < agree < self.fewest:
                self.fewest = agree
                self.size = h + 1
                for j in range(self.size):
                    self.best[j] = items[at[j] - 1]
            if h + 1 < self.l and 1 < agree < self.count[h]:
                self.keep_agreeing(items[i], h)
                at[h + 1] = i + 1
                h += 1
                self.count_left(items, many, h)
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_items(self, own: int64_t, found: cython.pointer(int64_t)) -> int64_t:
        """List all columns that can be compared, v itself not where it must be located; return how many."""
        count: int64_t = 0
        for x in range(self.g.start, self.g.n):
            if self.near[x] >= 0 and not (self.reading == LOCATED and self.g.owner(x) == own):
                found[count] = x
                count += 1
        return count


def attack(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    known,
    own: cython.const[int64_t][::1],
    blank: cython.const[int64_t][::1],
    g,
    l: int64_t,
    reading: cython.int,
    limit: int64_t,
    sizes: int64_t[::1],
    proved,
    best: int64_t[:, ::1],
    lengths: int64_t[::1],
):
    """Write the fewest candidates of `todo[first:last]`, whose rows in ids of the release are `known`.

    `blank[x]` is 0 where column x is about the counterpart of a vertex, -1 elsewhere. Row i of `best` takes the columns
    for `todo[i]`, if it has rows.
    """
    ptr: cython.const[int64_t][::1] = known[0]
    row: cython.const[int64_t][::1] = known[1]
    weights: cython.const[int32_t][::1] = known[2]
    weighted: cython.bint = len(weights) > 0
    marks: uint8_t[::1] = view_bytes(proved)
    longest = int(np.max(np.diff(known[0]), initial=0)) if reading == NEIGHBORS else len(blank)
    room: Attack = Attack(g, np.asarray(blank), l, reading, longest)
    items: int64_t[::1] = np.empty(longest + 1, dtype=np.int64)
    with cython.nogil:
        for a in range(first, last):
            v = todo[a]
            many: int64_t = 0
            for e in range(ptr[v], ptr[v + 1]):
                room.near[row[e]] = weights[e] if weighted else 1
            if reading == NEIGHBORS:
                for e in range(ptr[v], ptr[v + 1]):
                    items[many] = row[e]
                    many += 1
            else:
                many = room.list_items(own[v], cython.address(items[0]))
            marks[a] = room.leave_fewest(cython.address(items[0]), many, limit)
            sizes[a] = room.fewest
            if best.shape[0]:
                for i in range(room.size):
                    best[a, i] = room.best[i]
                lengths[a] = room.size
            for e in range(ptr[v], ptr[v + 1]):
                room.near[row[e]] = blank[row[e]]


# One known link of a graph with ties.


def fewest_of_one_link(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    least: cython.const[int64_t][:, ::1],
    found: int64_t[::1],
):
    """Lower `found[v]` to the smallest `least[t, w]` over the neighbors w of v, where t is the tie of v to w."""
    with cython.nogil:
        for v in range(found.shape[0]):
            best: int64_t = found[v]
            for e in range(indptr[v], indptr[v + 1]):
                best = min(best, least[codes[e], indices[e]])
            found[v] = best
