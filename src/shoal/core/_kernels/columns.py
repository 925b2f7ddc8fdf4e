"""Rows of a table that agree on a set of columns: counts, levels of recoding, and smallest identifying sets.

A row is a point of codes, one per column, each below the column's `card`; S is a set of columns. The codes on S are
written as one number in mixed radix, so that equal numbers are equal cells and nothing needs to be verified; where the
number would not fit into 62 bits, what was read so far is numbered anew first.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.shoal.core._kernels.hitting_sets import AT_LEAST, EVERY, EXACT, GAVE_UP, ROWS, Search
from cython.cimports.shoal.core._kernels.sorting import argsort
from cython.cimports.shoal.core._kernels.words import mix

DIRECT = cython.declare(int64_t, 1 << 20)
"""Keys below this are counted in a plain array that stays in the cache; above it, in a hash table of the keys."""
WIDE = cython.declare(int64_t, 1 << 62)
BIT = cython.declare(uint64_t, 1)


@cython.cclass
class Keys:
    """One number per row, equal exactly where the rows agree; all numbers are below `span`."""

    keys: int64_t[::1]
    span: int64_t

    def __init__(self, n) -> None:
        self.keys, self.span = np.zeros(n, dtype=np.int64), 1

    @cython.cfunc
    @cython.exceptval(-1)
    def number(self) -> cython.int:
        """Replace keys by 0, 1, ... in the order in which they first occur."""
        keys, n = self.keys, self.keys.shape[0]
        size: int64_t = 16
        while size < 2 * n:
            size *= 2
        slots: int64_t[::1] = np.full(size, -1, dtype=np.int64)
        first: int64_t[::1] = np.empty(n, dtype=np.int64)
        found: int64_t = 0
        with cython.nogil:
            for i in range(n):
                at = cython.cast(int64_t, mix(cython.cast(uint64_t, keys[i])) & cython.cast(uint64_t, size - 1))
                while slots[at] >= 0 and first[slots[at]] != keys[i]:
                    at = (at + 1) & (size - 1)
                if slots[at] < 0:
                    slots[at] = found
                    first[found] = keys[i]
                    found += 1
                keys[i] = slots[at]
        self.span = found
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def number_directly(self) -> cython.int:
        """Do what `number` does, for keys below a small span."""
        keys = self.keys
        seen: int32_t[::1] = np.full(self.span, -1, dtype=np.int32)
        found: int32_t = 0
        with cython.nogil:
            for i in range(keys.shape[0]):
                if seen[keys[i]] < 0:
                    seen[keys[i]] = found
                    found += 1
                keys[i] = seen[keys[i]]
        self.span = found
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_small(self) -> cython.bint:
        """Return whether the keys are counted in a plain array."""
        return self.span <= max(DIRECT, 4 * cython.cast(int64_t, self.keys.shape[0]))

    @cython.cfunc
    @cython.exceptval(-1)
    def widen(self, card: int64_t) -> cython.int:
        """Make sure that one more column with so many codes fits, and count it in."""
        if self.span > WIDE // card:
            self.number()
        self.span *= card
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def read(
        self,
        codes: cython.const[int32_t][:, ::1],
        cards: cython.const[int64_t][::1],
        S: cython.const[int64_t][::1],
        rows: cython.const[int64_t][::1],
    ) -> cython.int:
        """Read the columns S of rows."""
        for s in range(S.shape[0]):
            c, card = S[s], cards[S[s]]
            self.widen(card)
            keys = self.keys
            with cython.nogil:
                for i in range(rows.shape[0]):
                    keys[i] = keys[i] * card + codes[c, rows[i]]
        return 0

    @cython.cfunc
    def weigh(self, rows: cython.const[int64_t][::1], weight: cython.const[int64_t][::1]):
        """Return for each row the weight of those that agree with it."""
        if not self.is_small():
            self.number()
        keys = self.keys
        counts: int64_t[::1] = np.zeros(self.span, dtype=np.int64)
        sizes: int64_t[::1] = np.empty(keys.shape[0], dtype=np.int64)
        with cython.nogil:
            for i in range(keys.shape[0]):
                counts[keys[i]] += weight[rows[i]]
            for i in range(keys.shape[0]):
                sizes[i] = counts[keys[i]]
        return np.asarray(sizes)


def group(codes: cython.const[int32_t][:, ::1], cards: cython.const[int64_t][::1]):
    """Number the rows that agree on all columns, by first appearance."""
    keys: Keys = Keys(codes.shape[1])
    keys.read(codes, cards, np.arange(codes.shape[0]), np.arange(codes.shape[1]))
    if keys.is_small():
        keys.number_directly()
    else:
        keys.number()
    return np.asarray(keys.keys)


def revealed(
    codes: cython.const[int32_t][:, ::1],
    cards: cython.const[int64_t][::1],
    weight: cython.const[int64_t][::1],
    S: cython.const[int64_t][::1],
    rows: cython.const[int64_t][::1],
    below: int64_t,
):
    """Return those of `rows` of which S leaves a weight below `below`."""
    keys: Keys = Keys(len(rows))
    keys.read(codes, cards, S, rows)
    return np.asarray(rows)[keys.weigh(rows, weight) < below]


def lower(
    codes: cython.const[int32_t][:, ::1],
    cards: cython.const[int64_t][::1],
    weight: cython.const[int64_t][::1],
    S: cython.const[int64_t][::1],
    rows: cython.const[int64_t][::1],
    best: int64_t[::1],
):
    """Lower `best` to the weight of the class on S, for each of `rows`."""
    keys: Keys = Keys(len(rows))
    keys.read(codes, cards, S, rows)
    sizes: int64_t[::1] = keys.weigh(rows, weight)
    with cython.nogil:
        for i in range(rows.shape[0]):
            best[rows[i]] = min(best[rows[i]], sizes[i])


def known_sizes(
    codes: cython.const[int32_t][:, ::1],
    cards: cython.const[int64_t][::1],
    S: cython.const[int64_t][::1],
    n: cython.Py_ssize_t,
):
    """Return how many of the rows from n on agree with each of the first n on S."""
    rows = np.arange(codes.shape[1])
    weight = np.ones(codes.shape[1], dtype=np.int64)
    weight[:n] = 0
    keys: Keys = Keys(codes.shape[1])
    keys.read(codes, cards, S, rows)
    return keys.weigh(rows, weight)[:n].copy()


# Classes of rows whose columns are read at a level each, from rows or from the classes of a lower node.
#
# A row is a place in `codes`, one line per column; `lookup[starts[c] + code]`, below `cards[c]`, is what column c
# publishes for it. What a row publishes is written as one number in mixed radix, so that equal numbers are equal cells;
# where the number would not fit into 62 bits, what was read so far is numbered anew first.


def classes_at(
    codes: cython.const[int32_t][:, ::1],
    rows: cython.const[int64_t][::1],
    weight: cython.const[int64_t][::1],
    lookup: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    cards: cython.const[int64_t][::1],
):
    """Return the class of each row, and for each class one of its rows and its weight."""
    keys: Keys = Keys(len(rows))
    for c in range(codes.shape[0]):
        card, start = cards[c], starts[c]
        if card == 1:
            continue
        keys.widen(card)
        x = keys.keys
        with cython.nogil:
            for i in range(rows.shape[0]):
                x[i] = x[i] * card + lookup[start + codes[c, rows[i]]]
    if keys.is_small():
        keys.number_directly()
    else:
        keys.number()
    x = keys.keys
    first: int64_t[::1] = np.empty(keys.span, dtype=np.int64)
    total: int64_t[::1] = np.zeros(keys.span, dtype=np.int64)
    with cython.nogil:
        for i in range(rows.shape[0]):
            first[x[i]] = rows[i]
            total[x[i]] += weight[i]
    return np.asarray(x), np.asarray(first), np.asarray(total)


def spread_over(
    codes: cython.const[int32_t][:, ::1],
    rows: cython.const[int64_t][::1],
    weight: cython.const[int64_t][::1],
    lookup: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
):
    """Return for each column the sum over rows of their weight times what is looked up for them."""
    sums: int64_t[::1] = np.zeros(codes.shape[0], dtype=np.int64)
    with cython.nogil:
        for c in range(codes.shape[0]):
            start = starts[c]
            total: int64_t = 0
            for i in range(rows.shape[0]):
                total += weight[i] * lookup[start + codes[c, rows[i]]]
            sums[c] = total
    return np.asarray(sums)


# The smallest set of columns that gives a record away, where there are too many columns to try all sets.
#
# u stays a candidate of v under the set S if and only if S misses the columns in which they differ: the same partial
# hitting sets as in Definition I, with the rows coming in only when needed (see :mod:`.relation_sets`). Records that
# agree on all columns are one row with a weight.


@cython.cclass
class Work:
    """A table, and room to look at one record at a time."""

    codes: cython.const[int32_t][:, ::1]
    weight: cython.const[int64_t][::1]
    left: int64_t[::1]
    joined: int64_t[::1]
    sizes: int64_t[::1]
    order: int64_t[::1]
    spare: int64_t[::1]
    masks: uint64_t[::1]
    """The rows at hand, `width` words each; their weights are in `weights`."""
    weights: int64_t[::1]
    count: int64_t
    width: int64_t
    size: int64_t
    search: Search

    def __init__(self, codes, weight) -> None:
        self.codes, self.weight = codes, weight
        n = codes.shape[1]
        self.left, self.joined = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.sizes, self.order = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        self.spare, self.weights = np.empty(n, dtype=np.int64), np.empty(ROWS, dtype=np.int64)
        self.width = (codes.shape[0] + 63) // 64
        self.masks = np.empty(ROWS * self.width, dtype=np.uint64)
        self.count = self.size = 0
        self.search = Search(np.empty(codes.shape[0] + 64, dtype=np.int64))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_agreeing(self, v: int64_t) -> int64_t:
        """List in `left` who agrees with v on the chosen columns, v left out; return their number."""
        codes, chosen, n = cython.address(self.codes[0, 0]), cython.address(self.search.chosen[0]), self.codes.shape[1]
        count: int64_t = 0
        for u in range(n):
            same: cython.bint = u != v
            for i in range(self.size):
                if not same:
                    break
                same = codes[chosen[i] * n + u] == codes[chosen[i] * n + v]
            if same:
                self.left[count] = u
                count += 1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_differences(self, v: int64_t, u: int64_t) -> int64_t:
        """Return in how many columns u and v differ."""
        codes, n = cython.address(self.codes[0, 0]), self.codes.shape[1]
        count: int64_t = 0
        for c in range(self.codes.shape[0]):
            count += codes[c * n + u] != codes[c * n + v]
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def join(self, v: int64_t, left: int64_t, wanted: int64_t) -> cython.void:
        """Let those of `left` who differ least from v join the rows."""
        for i in range(left):
            self.sizes[i] = self.count_differences(v, self.left[i])
        argsort(
            cython.cast(cython.pointer(cython.const[int64_t]), cython.address(self.sizes[0])),
            cython.address(self.order[0]),
            cython.address(self.spare[0]),
            left,
        )
        for i in range(left):
            if wanted == 0 or self.count == ROWS:
                break
            u = self.left[self.order[i]]
            if self.joined[u] != v + 1:
                self.joined[u] = v + 1
                mask = cython.address(self.masks[self.count * self.width])
                memset(mask, 0, self.width * cython.sizeof(uint64_t))
                for c in range(self.codes.shape[0]):
                    if self.codes[c, u] != self.codes[c, v]:
                        mask[c // 64] |= BIT << cython.cast(uint64_t, c % 64)
                self.weights[self.count] = self.weight[u]
                self.count += 1
                wanted -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def reveal(self, v: int64_t, k: int64_t, least: int64_t, most: int64_t, limit: int64_t) -> cython.int:
        """Find the size of a smallest set that leaves fewer than k records of v, into `size`; return what it means."""
        t: int64_t = k - 1 - self.weight[v]
        q: int64_t = max(1, least)
        self.size = self.count = 0
        if t < 0:
            return EVERY
        while True:
            left = self.list_agreeing(v)
            others: int64_t = 0
            for i in range(left):
                others += self.weight[self.left[i]]
            if others <= t:
                return EXACT
            before = self.count
            self.join(v, left, max(16, min(t + 1, 512)))
            if self.count == before:  # no room for more rows
                self.size = q
                return AT_LEAST
            self.search.reserve(self.count, self.width)
            for i in range(self.count * self.width):
                self.search.masks[i] = self.masks[i]
            for i in range(self.count):
                self.search.weight[i] = self.weights[i]
            answer = self.search.fewest_items(t, q, most, limit)
            q = self.search.size
            if answer == GAVE_UP or q > most:
                self.size = q
                return AT_LEAST
            self.size = q


def smallest_set(
    codes: cython.const[int32_t][:, ::1],
    weight: cython.const[int64_t][::1],
    v: int64_t,
    k: int64_t,
    least: int64_t,
    most: int64_t,
    limit: int64_t,
):
    """Return the size of the smallest set that leaves fewer than k records of v, what it means, and an exact set."""
    work: Work = Work(np.asarray(codes), weight)
    with cython.nogil:
        meaning = work.reveal(v, k, least, most, limit)
    return work.size, meaning, np.array(work.search.chosen[: work.size if meaning == EXACT else 0])


def smallest_sets(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    codes: cython.const[int32_t][:, ::1],
    weight: cython.const[int64_t][::1],
    k: int64_t,
    least: int64_t,
    most: int64_t,
    limit: int64_t,
    sizes: int64_t[::1],
    meaning: int64_t[::1],
):
    """Write the sizes of the smallest revealing sets of `todo[first:last]`, and what they mean."""
    work: Work = Work(np.asarray(codes), weight)
    with cython.nogil:
        for i in range(first, last):
            work.search.spent = 0
            v = todo[i]
            meaning[v] = work.reveal(v, k, least, most, limit)
            sizes[v] = work.size
