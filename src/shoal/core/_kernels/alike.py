"""Rows that are alike: equal as multisets, equal on a set of columns, or similar by their common neighbors."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memset
from cython.cimports.shoal.core._kernels.exposing_sets import AT_LEAST, EVERY, EXACT, GAVE_UP, ROWS, Search
from cython.cimports.shoal.core._kernels.sorting import argsort, select
from cython.cimports.shoal.core._kernels.words import mix, mix_again

from shoal.core._kernels import view_bytes

# Which rows are equal as multisets? Proposed by hash, decided by counting.
#
# A row v holds the items `items[indptr[v]:indptr[v + 1]]`, each as often as its weight says (an empty weight array
# stands for ones). Rows whose `start` differs are never equal.

Item = cython.fused_type(int32_t, int64_t)


def hash_rows(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    items: cython.const[Item][::1],
    weights: cython.const[int32_t][::1],
    mask: uint64_t,
    low: uint64_t[::1],
    high: uint64_t[::1],
):
    """Hash the rows `rows[first:last]` into `low` and `high`, indexed like `rows`."""
    weighted: cython.bint = len(weights) > 0
    with cython.nogil:
        for i in range(first, last):
            v = rows[i]
            a: uint64_t = 0
            b: uint64_t = 0
            for e in range(indptr[v], indptr[v + 1]):
                x = cython.cast(uint64_t, items[e])
                if weighted:
                    a += mix(x) * cython.cast(uint64_t, weights[e])
                    b += mix_again(x + 1) * cython.cast(uint64_t, weights[e])
                else:
                    a += mix(x)
                    b += mix_again(x + 1)
            low[i] = a & mask
            high[i] = b & mask


def propose(
    start: cython.const[int64_t][::1],
    low: cython.const[uint64_t][::1],
    high: cython.const[uint64_t][::1],
):
    """Number the distinct triples (start, low, high) by first appearance, with an open hash table.

    Returns the number of each triple, and where each of them first occurs.
    """
    n = start.shape[0]
    size: int64_t = 16
    while size < 2 * n:
        size *= 2
    slots: int64_t[::1] = np.full(size, -1, dtype=np.int64)
    codes: int64_t[::1] = np.empty(n, dtype=np.int64)
    leaders: int64_t[::1] = np.empty(n, dtype=np.int64)
    found: int64_t = 0
    with cython.nogil:
        for i in range(n):
            at = cython.cast(
                int64_t,
                mix(low[i] ^ mix(cython.cast(uint64_t, start[i]) ^ high[i])) & cython.cast(uint64_t, size - 1),
            )
            while True:
                j = slots[at]
                if j < 0:
                    slots[at] = i
                    leaders[found] = i
                    codes[i] = found
                    found += 1
                    break
                if start[j] == start[i] and low[j] == low[i] and high[j] == high[i]:
                    codes[i] = codes[j]
                    break
                at = (at + 1) & (size - 1)
    return np.asarray(codes), np.asarray(leaders)[:found]


def list_members(codes: cython.const[int64_t][::1]):
    """List the positions class by class, ascending within a class, with the bounds of each class.

    Codes are 0, 1, ...; what is below 0 is refused.
    """
    n = codes.shape[0]
    classes: int64_t = 0
    with cython.nogil:
        for i in range(n):
            if codes[i] < 0:
                classes = -1
                break
            classes = max(classes, codes[i] + 1)
    if classes < 0:
        raise ValueError("codes of classes must not be negative")
    bounds: int64_t[::1] = np.zeros(classes + 1, dtype=np.int64)
    members: int64_t[::1] = np.empty(n, dtype=np.int64)
    at: int64_t[::1] = np.empty(classes, dtype=np.int64)
    with cython.nogil:
        for i in range(n):
            bounds[codes[i] + 1] += 1
        for c in range(classes):
            at[c] = bounds[c]
            bounds[c + 1] += bounds[c]
        for i in range(n):
            members[at[codes[i]]] = i
            at[codes[i]] += 1
    return np.asarray(members), np.asarray(bounds)


def contradicted(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    members: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    items: cython.const[Item][::1],
    weights: cython.const[int32_t][::1],
    tally: int64_t[::1],
    wrong,
):
    """Mark in `wrong` the members of the proposed classes first..last that differ from the first member of their class.

    Class c holds the positions `members[bounds[c]:bounds[c + 1]]` of `rows`; `tally` is zero, one cell per item.
    """
    marks: uint8_t[::1] = view_bytes(wrong)
    weighted: cython.bint = len(weights) > 0
    with cython.nogil:
        for c in range(first, last):
            if bounds[c + 1] - bounds[c] < 2:
                continue
            leader = rows[members[bounds[c]]]
            for e in range(indptr[leader], indptr[leader + 1]):
                tally[items[e]] += weights[e] if weighted else 1
            for i in range(bounds[c] + 1, bounds[c + 1]):
                v = rows[members[i]]
                for e in range(indptr[v], indptr[v + 1]):
                    tally[items[e]] -= weights[e] if weighted else 1
                same: cython.bint = True
                for e in range(indptr[v], indptr[v + 1]):
                    same = same and tally[items[e]] == 0
                for e in range(indptr[leader], indptr[leader + 1]):
                    same = same and tally[items[e]] == 0
                marks[members[i]] = not same
                for e in range(indptr[v], indptr[v + 1]):
                    tally[items[e]] += weights[e] if weighted else 1
            for e in range(indptr[leader], indptr[leader + 1]):
                tally[items[e]] = 0


# Rows of a table that agree on a set of columns: counts, levels of recoding, and smallest identifying sets.
#
# A row is a point of codes, one per column, each below the column's `card`; S is a set of columns. The codes on S are
# written as one number in mixed radix, so that equal numbers are equal cells and nothing needs to be verified; where
# the number would not fit into 62 bits, what was read so far is numbered anew first.

DIRECT = cython.declare(int64_t, 1 << 20)
"""Keys below this are counted in a plain array that stays in the cache; above it, in a hash table of the keys."""
FEW = cython.declare(int64_t, 1 << 12)
"""From so many keys on, a large array takes longer to fill than a hash table of them."""
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
    n: int64_t = keys.keys.shape[0]
    if keys.is_small() and (n < FEW or keys.span <= 32 * n):
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
    """Return those of `rows` of which S leaves a weight below `below`.

    It is called for very many sets with few rows each, so that numbers below a small span need no arrays of numpy.
    """
    n = rows.shape[0]
    span: int64_t = 1
    for s in range(S.shape[0]):
        if span > DIRECT // cards[S[s]]:
            keys: Keys = Keys(n)
            keys.read(codes, cards, S, rows)
            return np.asarray(rows)[keys.weigh(rows, weight) < below]
        span *= cards[S[s]]
    x = cython.cast(cython.pointer(int64_t), calloc(n + span, cython.sizeof(int64_t)))
    if x == cython.NULL:
        raise MemoryError
    counts = x + n
    found: cython.Py_ssize_t = 0
    with cython.nogil:
        for s in range(S.shape[0]):
            c, card = S[s], cards[S[s]]
            for i in range(n):
                x[i] = x[i] * card + codes[c, rows[i]]
        for i in range(n):
            counts[x[i]] += weight[rows[i]]
        for i in range(n):
            found += counts[x[i]] < below
    try:
        kept = np.empty(found, dtype=np.int64)
        out: int64_t[::1] = kept
        found = 0
        for i in range(n):
            if counts[x[i]] < below:
                out[found] = rows[i]
                found += 1
    finally:
        free(x)
    return kept


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


# Similar rows: co-degrees over paths of length two, classes grown around hubs, and distances that none can avoid.
#
# The co-degree of v and u is the number of their common neighbors; rows differ in deg(v) + deg(u) - 2 co-degree
# entries.

JACCARD, MANHATTAN, TWO_PATH = 0, 1, 2

C_JACCARD = cython.declare(cython.int, 0)
C_MANHATTAN = cython.declare(cython.int, 1)
C_TWO_PATH = cython.declare(cython.int, 2)


@cython.cclass
class Reach:
    """The vertices at the end of paths of length two from some vertices, and how many such paths lead there."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    shared: int64_t[::1]
    """The number of paths to each vertex; 0 between searches."""
    touched: int64_t[::1]
    """The vertices with a path, in the order in which they were met."""
    far: cython.Py_ssize_t
    """How many vertices have a path."""

    def __init__(self, indptr, indices) -> None:
        n = len(indptr) - 1
        self.indptr, self.indices = indptr, indices
        self.shared, self.touched = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        self.far = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def degree(self, v: int64_t) -> int64_t:
        return self.indptr[v + 1] - self.indptr[v]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk_from(self, v: int64_t) -> cython.void:
        """Add the paths of length two from v."""
        far = self.far
        for i in range(self.indptr[v], self.indptr[v + 1]):
            w = self.indices[i]
            for e in range(self.indptr[w], self.indptr[w + 1]):
                u = self.indices[e]
                if self.shared[u] == 0:
                    self.touched[far] = u
                    far += 1
                self.shared[u] += 1
        self.far = far

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_neighbors(
        self, v: int64_t, indptr: cython.const[int64_t][::1], indices: cython.const[int32_t][::1], more: int64_t
    ) -> cython.void:
        """Count the neighbors of v in some rows as sharing more with it, once for each entry."""
        for i in range(indptr[v], indptr[v + 1]):
            u = indices[i]
            if self.shared[u] == 0:
                self.touched[self.far] = u
                self.far += 1
            self.shared[u] += more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self) -> cython.void:
        """Forget all paths."""
        for i in range(self.far):
            self.shared[self.touched[i]] = 0
        self.far = 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def alike(kind: cython.int, shared: int64_t, degree: int64_t, size: int64_t, degrees: int64_t) -> cython.double:
    """Return how similar a row is to the rows of a class of `size` with the sum of degrees `degrees`."""
    if kind == C_JACCARD:
        union = cython.cast(cython.double, size * degree + degrees - shared)
        return cython.cast(cython.double, shared) / (union if union > 1.0 else 1.0)
    if kind == C_MANHATTAN:
        return 2.0 * cython.cast(cython.double, shared) - cython.cast(cython.double, size * degree)
    return cython.cast(cython.double, shared)


def grow(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    sensitive,
    order: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    kind: cython.int,
    code: int64_t[::1],
    first: int64_t,
):
    """Give each sensitive vertex a class, hubs first; the code of a free vertex is -1. Return the next class number.

    A vertex that shares a neighbor with too few others stays free. By Manhattan similarity, vertices of low degree
    that share no neighbor count too.
    """
    marked: cython.const[uint8_t][::1] = view_bytes(sensitive)
    reach: Reach = Reach(indptr, indices)
    chosen: int64_t[::1] = np.empty(k, dtype=np.int64)
    lowest: cython.Py_ssize_t = code.shape[0] - 1
    position: cython.Py_ssize_t
    p: cython.Py_ssize_t
    size: cython.Py_ssize_t
    i: cython.Py_ssize_t
    best: int64_t
    most: cython.double
    with cython.nogil:
        for position in range(order.shape[0]):
            v = order[position]
            if code[v] >= 0 or not marked[v]:
                continue
            chosen[0] = v
            size = 1
            degrees = reach.degree(v)
            code[v] = first
            reach.walk_from(v)
            while size < k:
                best, most = -1, -INFINITY
                for i in range(reach.far):
                    u = reach.touched[i]
                    if code[u] < 0:
                        s = alike(kind, reach.shared[u], reach.degree(u), size, degrees)
                        if s > most or (s == most and u < best):
                            best, most = u, s
                if kind == C_MANHATTAN:
                    while lowest >= 0 and code[order[lowest]] >= 0 and code[order[lowest]] < first:
                        lowest -= 1
                    p = lowest
                    while p >= 0 and code[order[p]] >= 0:
                        p -= 1
                    if p >= 0:
                        u = order[p]
                        s = alike(kind, reach.shared[u], reach.degree(u), size, degrees)
                        if s > most:
                            best = u
                if best < 0:
                    break
                chosen[size] = best
                size += 1
                code[best] = first
                degrees += reach.degree(best)
                if size < k:
                    reach.walk_from(best)
            if size < k:
                for i in range(size):
                    code[chosen[i]] = -1
            else:
                first += 1
            reach.clear()
    return first


def most_alike(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lists: int32_t[:, ::1],
):
    """Write for each vertex those whose rows are most similar to its own, by shared neighbors over all neighbors.

    Where fewer share a neighbor with it they are listed again and again, and where none do, it is itself.
    """
    length = lists.shape[1]
    reach: Reach = Reach(indptr, indices)
    score: cython.double[::1] = np.empty(length, dtype=np.float64)
    count: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    with cython.nogil:
        for v in range(first, last):
            reach.walk_from(v)
            degree = reach.degree(v)
            count = 0
            for t in range(reach.far):
                u = reach.touched[t]
                s = alike(C_JACCARD, reach.shared[u], reach.degree(u), 1, degree)
                if u == v or (count == length and s <= score[length - 1]):
                    continue
                count = count + 1 if count < length else length
                i = count - 1
                while i > 0 and score[i - 1] < s:
                    score[i], lists[v, i] = score[i - 1], lists[v, i - 1]
                    i -= 1
                score[i], lists[v, i] = s, cython.cast(int32_t, u)
            reach.clear()
            for i in range(count, length):
                lists[v, i] = lists[v, i - count] if count else cython.cast(int32_t, v)


def least_distances(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    who: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lowest: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    closed: cython.bint,
    total: int64_t[::1],
    bounds: cython.const[int64_t][::1] = None,
    mutual: cython.const[int32_t][::1] = None,
):
    """Write for each of `who` the sum of the k-1 smallest numbers of entries in which another row differs from its own.

    A vertex u that shares no neighbor with v differs in deg(v) + deg(u) entries, so of these the lowest degrees are
    enough. With `closed` each vertex is its own neighbor, too: linked ones share two more, and all have one more.
    If items are not vertices, `bounds` and `mutual` are rows of neighbors that are linked both ways, and with `closed`
    each such entry lowers the number by two.
    """
    apart_items: cython.bint = bounds is not None
    n = indptr.shape[0] - 1
    reach: Reach = Reach(indptr, indices)
    found: int64_t[::1] = np.empty(n + k, dtype=np.int64)
    count: cython.Py_ssize_t
    strangers: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    with cython.nogil:
        for i in range(first, last):
            v = who[i]
            degree = reach.degree(v) + (2 if closed and not apart_items else 0)
            reach.walk_from(v)
            if closed and apart_items:
                reach.add_neighbors(v, bounds, mutual, 1)
            elif closed:  # v and u itself
                reach.add_neighbors(v, indptr, indices, 2)
            count = 0
            for t in range(reach.far):
                u = reach.touched[t]
                if u != v:
                    found[count] = degree + reach.degree(u) - 2 * reach.shared[u]
                    count += 1
            strangers = 0
            for t in range(lowest.shape[0]):
                if strangers == k - 1:
                    break
                u = lowest[t]
                if u != v and reach.shared[u] == 0:
                    found[count] = degree + reach.degree(u)
                    count += 1
                    strangers += 1
            if count > k - 1:
                if k > 1:
                    select(cython.address(found[0]), count, k - 1)
                count = k - 1
            apart: int64_t = 0
            for t in range(count):
                apart += found[t]
            total[i] = apart
            reach.clear()


def radii(
    first: int64_t,
    last: int64_t,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lowest: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    kind: cython.int,
    radius: int64_t[::1],
):
    """Write for v = first..last the k-th largest similarity of a row to that of v, v's own counted."""
    n = indptr.shape[0] - 1
    reach: Reach = Reach(indptr, indices)
    found: int64_t[::1] = np.empty(n + k, dtype=np.int64)
    count: cython.Py_ssize_t
    t: cython.Py_ssize_t
    with cython.nogil:
        for v in range(first, last):
            reach.walk_from(v)
            count = 0
            for t in range(reach.far):
                u = reach.touched[t]
                if u != v:
                    # in the order of select: the largest co-degree or the smallest distance first
                    found[count] = (
                        -reach.shared[u]
                        if kind == C_TWO_PATH
                        else reach.degree(v) + reach.degree(u) - 2 * reach.shared[u]
                    )
                    count += 1
            if kind == C_TWO_PATH:
                radius[v] = kth_largest_codegree(reach.degree(v), found, count, k)
            else:
                radius[v] = n - kth_smallest_distance(reach, v, found, count, lowest, k)
            reach.clear()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def kth_largest_codegree(
    degree: int64_t, negated: int64_t[::1], count: cython.Py_ssize_t, k: cython.Py_ssize_t
) -> int64_t:
    """Return the k-th largest among `degree` (v with itself), the co-degrees and enough zeros."""
    if k == 1:
        return degree
    if count < k - 1:
        return 0
    select(cython.address(negated[0]), count, k - 1)
    return -find_largest(negated, k - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def kth_smallest_distance(
    reach: Reach,
    v: int64_t,
    found: int64_t[::1],
    count: cython.Py_ssize_t,
    lowest: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
) -> int64_t:
    """Return the k-th smallest number of entries in which a row differs from that of v, whose own is 0.

    A vertex u that shares no neighbor with v differs in deg(v) + deg(u) entries, so only the k lowest degrees matter
    among these.
    """
    if k == 1:
        return 0
    most = count + k
    for t in range(lowest.shape[0]):
        if count == most:
            break
        u = lowest[t]
        if u != v and reach.shared[u] == 0:
            found[count] = reach.degree(v) + reach.degree(u)
            count += 1
    select(cython.address(found[0]), count, k - 1)
    return find_largest(found, k - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_largest(values: int64_t[::1], count: cython.Py_ssize_t) -> int64_t:
    """Return the largest of the first values."""
    most = values[0]
    for i in range(1, count):
        most = max(most, values[i])
    return most
