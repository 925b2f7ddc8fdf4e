"""Smallest sets that meet many rows, and with them the smallest set of neighbors that gives a vertex away."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memcmp, memcpy, memset
from cython.cimports.shoal.core._kernels.rows import linked
from cython.cimports.shoal.core._kernels.sorting import argsort, sort
from cython.cimports.shoal.core._kernels.words import count_ones, lowest, mix

# Smallest partial hitting sets: the fewest items that meet all rows but some of weight at most `slack`.
#
# Rows are bit sets over items, W words of 64 bits each. What survives a set of items are the rows that it does not
# meet. Rows and items are reduced first, a greedy choice bounds the answer from above and disjoint rows from below; in
# between a depth-first search branches on the row with the fewest items: one of them is taken, or the row survives.
#
# A caller reserves room for rows, writes `masks` and `weight`, and asks for `fewest_items`. The room is used again for
# the next rows. The header exposing_sets.pxd lists the attributes.
#
# q is a number of items, t the slack, R the number of rows.

BIT = cython.declare(uint64_t, 1)
FEW = cython.declare(cython.int, 16)
"""So many largest numbers are found by insertion; more are found by sorting."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_inside(
    a: cython.pointer(cython.const[uint64_t]), b: cython.pointer(cython.const[uint64_t]), width: cython.Py_ssize_t
) -> cython.bint:
    """Return whether row a is a subset of row b."""
    for j in range(width):
        if a[j] & ~b[j]:
            return False
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def meets(mask: cython.pointer(cython.const[uint64_t]), item: int64_t) -> cython.bint:
    """Return whether a row holds the item."""
    return (mask[item >> 6] >> cython.cast(uint64_t, item & 63)) & 1 != 0


@cython.cclass
class Search:
    """Rows at hand, what was found, and room for the search."""

    def __init__(self, chosen) -> None:
        self.chosen = chosen
        self.count = self.width = self.size = self.kept = 0
        self.spent = 0
        self.attempt = np.empty(len(chosen), dtype=np.int64)
        self.masks, self.weight = np.empty(1, dtype=np.uint64), np.empty(1, dtype=np.int64)
        self.alive = np.empty(0, dtype=np.int32)
        self.hits, self.slack = self.weight, self.weight[:0]  # views are quicker made than arrays
        self.branch, self.allowed = self.alive, self.masks[:0]

    def reserve(self, count, width):
        """Make room for rows; `masks` and `weight` hold nothing yet."""
        self.count, self.width = count, width
        if count * width > self.masks.shape[0]:
            with cython.gil:
                self.masks = np.empty(2 * count * width, dtype=np.uint64)
        if count > self.weight.shape[0] or self.weight.shape[0] == 1:
            with cython.gil:
                cells = 2 * count + 1
                self.weight, self.weights = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
                self.spare = np.empty(cells, dtype=np.int64)
                self.keep, self.order = np.empty(cells, dtype=np.int32), np.empty(cells, dtype=np.int32)
                self.sizes = np.empty(cells, dtype=np.int32)
        if 64 * width > self.hits.shape[0]:
            with cython.gil:
                self.hits, self.top = np.empty(128 * width, dtype=np.int64), np.empty(256 * width, dtype=np.int64)
                self.union, self.used = np.empty(2 * width, dtype=np.uint64), np.empty(2 * width, dtype=np.uint64)
                self.bucket = np.empty(128 * width + 2, dtype=np.int32)
        return 0

    def sort_by_size(self, count):
        """Write the positions 0..count-1 into `order`, those with the smallest of `sizes` first."""
        order, sizes, bucket = (
            cython.address(self.order[0]),
            cython.address(self.sizes[0]),
            cython.address(self.bucket[0]),
        )
        cells = 64 * self.width + 2
        memset(bucket, 0, cells * cython.sizeof(int32_t))
        for a in range(count):
            bucket[sizes[a] + 1] += 1
        for c in range(1, cells):
            bucket[c] += bucket[c - 1]
        for a in range(count):
            order[bucket[sizes[a]]] = cython.cast(int32_t, a)
            bucket[sizes[a]] += 1

    def reduce_rows(self, t):
        """List in `keep` the rows that matter; equal rows are merged into one and their weights added.

        If row r survives, so does every row inside it. So r may be left out where rows of weight above t are inside
        it: if at most t of the kept rows survive, r does not.
        """
        masks, weight, keep = (
            cython.address(self.masks[0]),
            cython.address(self.weight[0]),
            cython.address(self.keep[0]),
        )
        sizes, width = cython.address(self.sizes[0]), self.width
        for r in range(self.count):
            size: int64_t = 0
            for j in range(width):
                size += count_ones(masks[r * width + j])
            sizes[r] = cython.cast(int32_t, size)
        self.sort_by_size(self.count)
        kept: cython.Py_ssize_t = 0
        for i in range(self.count):
            r = self.order[i]
            row = masks + r * width
            heavier: int64_t = 0
            equal: cython.Py_ssize_t = -1
            for a in range(kept):
                if is_inside(masks + keep[a] * width, row, width):
                    if sizes[keep[a]] == sizes[r]:
                        equal = keep[a]
                        break
                    heavier += weight[keep[a]]
                    if heavier > t:
                        break
            if equal >= 0:
                weight[equal] += weight[r]
            elif heavier <= t:
                keep[kept] = cython.cast(int32_t, r)
                kept += 1
        self.kept = kept

    def packing_bound(self, rows, count, allowed, t, enough):
        """Return how many items are needed at least: one for each of some disjoint rows, but for those that may stay.

        `sizes` holds the number of allowed items of each of `rows`. The count may end above `enough`.
        """
        masks, width, used = cython.address(self.masks[0]), self.width, cython.address(self.used[0])
        weights = cython.address(self.weights[0])
        self.sort_by_size(count)
        for j in range(width):
            used[j] = 0
        found: int64_t = 0
        for a in range(count):
            r = rows[self.order[a]]
            row = masks + r * width
            free: cython.bint = True
            for j in range(width):
                if row[j] & allowed[j] & used[j]:
                    free = False
                    break
            if free:
                for j in range(width):
                    used[j] |= row[j] & allowed[j]
                weights[found] = self.weight[r]
                found += 1
                if found - t > enough:  # each row that stays weighs 1 or more
                    return found - t
        if t == 0:
            return found
        if found:
            sort(weights, cython.address(self.spare[0]), found)
        stay: int64_t = 0
        while stay < found and weights[stay] <= t:
            t -= weights[stay]
            stay += 1
        return found - stay

    def add_hits(self, mask, allowed, weight):
        """Add the weight to the hits of each allowed item of a row."""
        hits = cython.address(self.hits[0])
        for j in range(self.width):
            x = mask[j] & allowed[j]
            while x:
                hits[j * 64 + count_ones(lowest(x) - 1)] += weight
                x &= x - 1

    def greedy(self, t):
        """Take the item that meets the most until at most t survives; return how many were taken.

        Returns -1 if no items are enough.
        """
        masks, weight, width = cython.address(self.masks[0]), cython.address(self.weight[0]), self.width
        hits, alive, union = cython.address(self.hits[0]), cython.address(self.order[0]), cython.address(self.union[0])
        memset(hits, 0, 64 * width * cython.sizeof(int64_t))
        left, total = self.kept, cython.cast(int64_t, 0)
        for a in range(left):
            alive[a] = self.keep[a]
            total += weight[alive[a]]
            self.add_hits(masks + alive[a] * width, union, weight[alive[a]])
        taken: int64_t = 0
        while total > t:
            best: int64_t = 0
            for i in range(64 * width):
                if hits[i] > hits[best]:
                    best = i
            if hits[best] == 0:
                return -1
            self.chosen[taken] = best
            taken += 1
            still: cython.Py_ssize_t = 0
            for a in range(left):
                r = alive[a]
                if meets(masks + r * width, best):
                    total -= weight[r]
                    self.add_hits(masks + r * width, union, -weight[r])
                else:
                    alive[still] = r
                    still += 1
            left = still
        return taken

    def deepen(self, depth):
        """Make room for a search of some depth."""
        if depth > self.slack.shape[0]:
            with cython.gil:
                cells = 2 * depth
                self.slack, self.budget = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
                self.branches, self.at = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
                self.item, self.alive_count = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
        if depth * self.kept > self.alive.shape[0]:
            with cython.gil:
                self.alive = np.empty(depth * self.kept, dtype=np.int32)
        if depth * self.width > self.allowed.shape[0]:
            with cython.gil:
                self.allowed = np.empty(depth * self.width, dtype=np.uint64)
                self.idle = np.empty(depth * self.width, dtype=np.uint64)
        if depth * (64 * self.width + 1) > self.branch.shape[0]:
            with cython.gil:
                self.branch = np.empty(depth * (64 * self.width + 1), dtype=np.int32)
        return 0

    def settle(self, h):
        """Write off rows without an allowed item; return the weight still alive, with the smallest row at `at[h]`."""
        masks, weight, width = cython.address(self.masks[0]), cython.address(self.weight[0]), self.width
        alive, sizes = cython.address(self.alive[h * self.kept]), cython.address(self.sizes[0])
        allowed = cython.address(self.allowed[h * width])
        left: cython.Py_ssize_t = 0
        smallest: cython.Py_ssize_t = -1
        total: int64_t = 0
        for a in range(self.alive_count[h]):
            r = alive[a]
            c: int64_t = 0
            for j in range(width):
                c += count_ones(masks[r * width + j] & allowed[j])
            if c == 0:
                self.slack[h] -= weight[r]
                continue
            alive[left] = r
            sizes[left] = cython.cast(int32_t, c)
            total += weight[r]
            if smallest < 0 or c < sizes[smallest]:
                smallest = left
            left += 1
        self.alive_count[h] = left
        self.at[h] = smallest
        return total

    def count_hits(self, h):
        """Write for each allowed item the weight of the rows alive that it meets.

        A row that holds most of the items is counted for all of them and taken back for the others.
        """
        masks, weight, width = cython.address(self.masks[0]), cython.address(self.weight[0]), self.width
        alive, sizes = cython.address(self.alive[h * self.kept]), cython.address(self.sizes[0])
        allowed, hits = cython.address(self.allowed[h * width]), cython.address(self.hits[0])
        memset(hits, 0, 64 * width * cython.sizeof(int64_t))
        items: int64_t = 0
        for j in range(width):
            items += count_ones(allowed[j])
        base: int64_t = 0
        for a in range(self.alive_count[h]):
            row, w = masks + alive[a] * width, weight[alive[a]]
            if 2 * sizes[a] <= items:
                self.add_hits(row, allowed, w)
                continue
            base += w
            for j in range(width):
                x = allowed[j] & ~row[j]
                while x:
                    hits[j * 64 + count_ones(lowest(x) - 1)] -= w
                    x &= x - 1
        if base:
            self.add_hits(allowed, allowed, base)

    def hopeless(self, h, total):
        """Return whether the items that are left to take cannot meet enough."""
        hits, top, items = cython.address(self.hits[0]), cython.address(self.top[0]), 64 * self.width
        q, need = self.budget[h], total - self.slack[h]
        reach: int64_t = 0
        some: cython.Py_ssize_t = 0
        if q <= FEW:
            for i in range(items):
                if hits[i] == 0 or (some == q and hits[i] <= top[some - 1]):
                    continue
                j = some if some < q else some - 1
                while j > 0 and top[j - 1] < hits[i]:
                    top[j] = top[j - 1]
                    j -= 1
                top[j] = hits[i]
                if some < q:
                    some += 1
            for i in range(some):
                reach += top[i]
        else:
            for i in range(items):
                if hits[i]:
                    top[some] = hits[i]
                    some += 1
            sort(top, top + items, some)
            for i in range(min(q, some)):
                reach += top[some - 1 - i]
        if reach < need:
            return True
        rows, allowed = cython.address(self.alive[h * self.kept]), cython.address(self.allowed[h * self.width])
        return self.packing_bound(rows, self.alive_count[h], allowed, self.slack[h], q) > q

    def list_branches(self, h):
        """List the items of the smallest row, the most useful first; -1 at the end stands for letting the row survive.

        That branch comes last, when nothing was found with one of its items. So if the row is a single item that meets
        no other row, then other such rows that weigh no more must survive too: with one of their items in its place
        there would have been a solution before. `idle` takes these items.
        """
        width, hits = self.width, cython.address(self.hits[0])
        branch = cython.address(self.branch[h * (64 * width + 1)])
        r = self.alive[h * self.kept + self.at[h]]
        found: cython.Py_ssize_t = 0
        for j in range(width):
            x = self.masks[r * width + j] & self.allowed[h * width + j]
            while x:
                item = cython.cast(int32_t, j * 64 + count_ones(lowest(x) - 1))
                at = found
                while at > 0 and hits[branch[at - 1]] < hits[item]:
                    branch[at] = branch[at - 1]
                    at -= 1
                branch[at] = item
                found += 1
                x &= x - 1
        weight = self.weight[r]
        memset(cython.address(self.idle[h * width]), 0, width * cython.sizeof(uint64_t))
        if found == 1 and weight <= self.slack[h] and hits[branch[0]] == weight:
            weight = self.list_idle(h, weight)
        if weight <= self.slack[h]:
            branch[found] = -1
            found += 1
        self.branches[h] = found
        self.at[h] = 0

    def list_idle(self, h, most):
        """List in `idle` the items that meet one row alive, weighing at most so much and without other items.

        Returns what these rows weigh together. `sizes` holds the number of allowed items of each row alive.
        """
        width, allowed = self.width, cython.address(self.allowed[h * self.width])
        idle = cython.address(self.idle[h * width])
        total: int64_t = 0
        for a in range(self.alive_count[h]):
            r = self.alive[h * self.kept + a]
            if self.sizes[a] > 1 or self.weight[r] > most:
                continue
            row = cython.address(self.masks[r * width])
            for j in range(width):
                x = row[j] & allowed[j]
                if x and self.hits[j * 64 + count_ones(x - 1)] == self.weight[r]:
                    idle[j] |= x
                    total += self.weight[r]
        return total

    def descend(self, h):
        """Fill depth h + 1 with the next branch of h: what earlier branches took is not allowed any more."""
        masks, width, kept = cython.address(self.masks[0]), self.width, self.kept
        branch, allowed = cython.address(self.branch[h * (64 * width + 1)]), cython.address(self.allowed[h * width])
        alive = cython.address(self.alive[h * kept])
        i = self.at[h]
        self.at[h] = i + 1
        if i > 0:
            before = branch[i - 1]
            allowed[before >> 6] &= ~(BIT << cython.cast(uint64_t, before & 63))
        item = branch[i]
        memcpy(allowed + width, allowed, width * cython.sizeof(uint64_t))
        self.slack[h + 1] = self.slack[h]
        self.budget[h + 1] = self.budget[h]
        self.item[h + 1] = item
        left: cython.Py_ssize_t = 0
        if item < 0:
            left = self.alive_count[h]
            memcpy(alive + kept, alive, left * cython.sizeof(int32_t))
            for j in range(width):
                allowed[width + j] &= ~self.idle[h * width + j]
        else:
            for a in range(self.alive_count[h]):
                if not meets(masks + alive[a] * width, item):
                    alive[kept + left] = alive[a]
                    left += 1
            self.budget[h + 1] -= 1
            allowed[width + (item >> 6)] &= ~(BIT << cython.cast(uint64_t, item & 63))
        self.alive_count[h + 1] = left

    def search(self, t, q, limit):
        """Look for at most q items that leave at most t of the kept rows: YES, NO or GAVE_UP.

        The items are in `attempt`, their number in `size`. `spent` counts the nodes of all searches for one vertex;
        above `limit` the search gives up.
        """
        self.deepen(q + min(t, cython.cast(int64_t, self.kept)) + 3)
        h: cython.Py_ssize_t = 0
        if self.kept:
            memcpy(cython.address(self.alive[0]), cython.address(self.keep[0]), self.kept * cython.sizeof(int32_t))
        memcpy(cython.address(self.allowed[0]), cython.address(self.union[0]), self.width * cython.sizeof(uint64_t))
        self.alive_count[0], self.slack[0], self.budget[0], self.item[0] = self.kept, t, q, -1
        entering: cython.bint = True
        while h >= 0:
            if entering:
                self.spent += 1
                if self.spent > limit:
                    return GAVE_UP
                total = self.settle(h)
                if total <= self.slack[h] and self.slack[h] >= 0:
                    self.size = 0
                    for g in range(1, h + 1):
                        if self.item[g] >= 0:
                            self.attempt[self.size] = self.item[g]
                            self.size += 1
                    return YES
                dead: cython.bint = self.slack[h] < 0 or self.budget[h] == 0
                if not dead:
                    self.count_hits(h)
                    dead = self.hopeless(h, total)
                if dead:
                    h -= 1
                    entering = False
                    continue
                self.list_branches(h)
            if self.at[h] == self.branches[h]:
                h -= 1
                entering = False
                continue
            self.descend(h)
            h += 1
            entering = True
        return NO

    def fewest_items(self, t, least, most, limit):
        """Find the smallest number of items that leave at most t, into `size`, and the items, into `chosen`.

        Returns whether that is proved. At least `least` items are known to be needed. More than `most` are not looked
        for: size most + 1 and YES say that more are needed. Size q and GAVE_UP say that q items or more are needed;
        size -1 and YES that no set will do. The rows are used up.
        """
        width, union = self.width, cython.address(self.union[0])
        memset(union, 0, width * cython.sizeof(uint64_t))
        self.reduce_rows(t)
        for a in range(self.kept):
            r = self.keep[a]
            size: int64_t = 0
            for j in range(width):
                x = self.masks[r * width + j]
                size += count_ones(x)
                union[j] |= x
            self.sizes[a] = cython.cast(int32_t, size)
        enough = self.greedy(t)
        if enough < 0:
            self.size = -1
            return YES
        q = max(least, self.packing_bound(cython.address(self.keep[0]), self.kept, union, t, enough))
        while q < enough and q <= most:
            answer = self.search(t, q, limit)
            if answer == YES:
                for i in range(self.size):
                    self.chosen[i] = self.attempt[i]
                return YES
            if answer == GAVE_UP:
                self.size = q
                return GAVE_UP
            q += 1
        self.size = min(enough, q)
        return YES


# The smallest set of neighbors that gives a vertex away (Definition II): fewer than k vertices have all of them.
#
# For v with neighbors N(v), u stays a candidate under S if and only if S misses N(v) without N(u). So the smallest S
# meets all of these differences but those of at most k - 1 - f vertices, f of whom have all of N(v). Most vertices are
# settled without a search: by a neighbor of degree below k, because k vertices have all of N(v), or by two neighbors
# that few vertices share.
#
# d is the degree of v, W the number of 64-bit words for its neighbors.

ALL = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
ONES = cython.declare(uint64_t, 0x0101010101010101)
TOPS = cython.declare(uint64_t, 0x8080808080808080)

LANES = cython.declare(cython.int, 8)
"""So many neighbors are compared at once with another one: their counts share a word."""
STRIDE = cython.declare(cython.int, 16)
"""So many entries are read before the counts are looked at."""
MERGED = cython.declare(cython.int, 4)
"""A row that is at most so many times as long is merged with another one; a longer one is searched for each entry."""
WIDEST = cython.declare(cython.int, 64)
"""Counts up to this fit into a lane, with those of a stride added."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_twin(
    indptr: cython.pointer(cython.const[int64_t]),
    indices: cython.pointer(cython.const[int32_t]),
    todo: cython.pointer(cython.const[int64_t]),
    places: int64_t[::1],
    v: int64_t,
) -> int64_t:
    """Return the place in a hash table of the row that equals that of v; it may be empty (-1).

    Places hold positions in `todo`, which holds one vertex for each row. Rows are ascending, and compared in full.
    """
    first, d = indptr[v], indptr[v + 1] - indptr[v]
    code: uint64_t = d
    for e in range(first, first + d):
        code += mix(cython.cast(uint64_t, indices[e]))  # a sum, so that no entry waits for the one before
    last: int64_t = places.shape[0] - 1
    at: int64_t = code & cython.cast(uint64_t, last)
    while places[at] >= 0:
        u = todo[places[at]]
        if indptr[u + 1] - indptr[u] == d and (
            memcmp(cython.address(indices[indptr[u]]), cython.address(indices[first]), d * cython.sizeof(int32_t)) == 0
        ):
            return at
        at = (at + 1) & last
    return at


def sort_by_degree(indptr: cython.const[int64_t][::1], indices: cython.const[int32_t][::1]):
    """Return the graph with its vertices numbered by degree, the lowest first, and the new number of each vertex.

    Its rows are ascending, hence by degree too.
    """
    n = indptr.shape[0] - 1
    found = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64), np.empty(indices.shape[0], dtype=np.int32)
    rank: int64_t[::1] = found[0]
    ptr: int64_t[::1] = found[1]
    near: int32_t[::1] = found[2]
    room: int64_t[::1] = np.empty(2 * n + 2, dtype=np.int64)
    order, at = cython.address(room[0]), cython.address(room[n])
    ptr[0] = 0
    with cython.nogil:
        memset(at, 0, (n + 2) * cython.sizeof(int64_t))
        for v in range(n):
            at[indptr[v + 1] - indptr[v] + 1] += 1
        for d in range(1, n + 2):
            at[d] += at[d - 1]
        for v in range(n):
            d = indptr[v + 1] - indptr[v]
            order[at[d]] = v
            at[d] += 1
        for r in range(n):
            v = order[r]
            rank[v] = r
            at[v] = ptr[r]
            ptr[r + 1] = ptr[r] + indptr[v + 1] - indptr[v]
        for r in range(n):
            v = order[r]
            for e in range(indptr[v], indptr[v + 1]):
                w = indices[e]
                near[at[w]] = cython.cast(int32_t, r)
                at[w] += 1
    return found[1], found[2], found[0]


def settle_by_degree(
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    rank: cython.const[int64_t][::1],
    k: int64_t,
):
    """Return what degrees tell about exposing sets, and what is left to search, in a graph sorted by degree.

    That is the size and its meaning for each vertex in the old order; then the vertices that are left; for each of
    them the position of its row among those that differ; and for each such row its vertex by the new number.
    """
    n = rank.shape[0]
    found = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    sizes: int64_t[::1] = found[0]
    meaning: int64_t[::1] = found[1]
    rest: int64_t[::1] = found[2]
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        for v in range(n):
            r = rank[v]
            d = indptr[r + 1] - indptr[r]
            meaning[v] = EVERY
            if d == 0 or k <= 1:
                continue
            w = indices[indptr[r]]
            if indptr[w + 1] - indptr[w] < k:
                sizes[v], meaning[v] = 1, EXACT
            elif d > 1:
                rest[count] = v
                count += 1
    size: cython.Py_ssize_t = 16
    while size < 2 * count:
        size *= 2
    left = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    which: int64_t[::1] = left[0]
    todo: int64_t[::1] = left[1]
    rows = cython.address(todo[0]) if count else cython.NULL
    places: int64_t[::1] = np.empty(size, dtype=np.int64)
    many: cython.Py_ssize_t = 0
    with cython.nogil:
        memset(cython.address(places[0]), 255, size * cython.sizeof(int64_t))  # -1 everywhere
        for i in range(count):
            r = rank[rest[i]]
            at = find_twin(cython.address(indptr[0]), cython.address(indices[0]), rows, places, r)
            if places[at] < 0:
                places[at], rows[many] = many, r
                many += 1
            which[i] = places[at]
    return found[0], found[1], found[2][:count], left[0], left[1][:many]


@cython.cclass
class Room:
    """A graph with ascending rows, and room to look at one vertex at a time."""

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    near: int32_t[::1]
    degrees: int64_t[::1]
    order: int64_t[::1]
    spare: int64_t[::1]
    seen: int32_t[::1]
    around: int32_t[::1]
    marks: uint64_t[::1]
    search: Search
    count: int64_t
    ranked: cython.bint
    """Whether the vertices are numbered by degree, so that rows are by degree too."""

    def __init__(self, indptr, indices, ranked=False) -> None:
        self.indptr, self.indices, self.ranked = indptr, indices, ranked
        n = self.indptr.shape[0] - 1
        most: cython.Py_ssize_t = 1
        for v in range(max(0, n - 1) if ranked else 0, n):
            most = max(most, self.indptr[v + 1] - self.indptr[v])
        cells: int32_t[::1] = np.empty(most + 2 * n + 1, dtype=np.int32)
        self.near, self.seen, self.around = cells[:most], cells[most : most + n], cells[most + n :]
        memset(cython.address(cells[most]), 255, n * cython.sizeof(int32_t))  # -1 everywhere
        sorting: cython.Py_ssize_t = 0 if ranked else most
        numbers: int64_t[::1] = np.empty(3 * sorting, dtype=np.int64)
        self.degrees, self.order, self.spare = numbers[:sorting], numbers[sorting : 2 * sorting], numbers[2 * sorting :]
        self.marks = np.zeros(n, dtype=np.uint64)
        self.search = Search(np.empty(n + 64, dtype=np.int64))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_by_degree(self, v: int64_t) -> cython.void:
        """List the neighbors of v in `near`, those with the lowest degree first."""
        first, d = self.indptr[v], self.indptr[v + 1] - self.indptr[v]
        if self.ranked:
            memcpy(cython.address(self.near[0]), cython.address(self.indices[first]), d * cython.sizeof(int32_t))
            return
        for i in range(d):
            w = self.indices[first + i]
            self.degrees[i] = self.indptr[w + 1] - self.indptr[w]
        argsort(
            cython.cast(cython.pointer(cython.const[int64_t]), cython.address(self.degrees[0])),
            cython.address(self.order[0]),
            cython.address(self.spare[0]),
            d,
        )
        for i in range(d):
            self.near[i] = self.indices[first + self.order[i]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def thin_out(self, d: int64_t, k: int64_t) -> int64_t:
        """Intersect the rows of `near` one after the other until fewer than k vertices are left.

        Returns the position of the row where that is so, or -1; `count` is how many rows made a difference. So any two
        of the rows before that position share k vertices or more.
        """
        indptr, indices, common = self.indptr, self.indices, cython.address(self.around[0])
        left: int64_t = 0
        for e in range(indptr[self.near[0]], indptr[self.near[0] + 1]):
            common[left] = indices[e]
            left += 1
        self.count = 1
        for i in range(1, d):
            still: int64_t = 0
            e = indptr[self.near[i]]
            end: int64_t = indptr[self.near[i] + 1]
            if end - e <= MERGED * left:
                for a in range(left):
                    while e < end and indices[e] < common[a]:
                        e += 1
                    if e < end and indices[e] == common[a]:
                        common[still] = common[a]
                        still += 1
            else:
                for a in range(left):
                    if linked(indptr, indices, common[a], self.near[i]):
                        common[still] = common[a]
                        still += 1
            if still < left:
                self.count += 1
            left = still
            if left < k:
                return i
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_pair(self, d: int64_t, start: int64_t, k: int64_t) -> cython.bint:
        """Return whether one of some neighbors of lowest degree and another one share fewer than k; `chosen` has them.

        Each of the lowest owns a lane of a word: the words of a row add up to how many vertices they share with it.
        Rows are read from the end, where the vertices known to most are if they are numbered by degree. Two neighbors
        before `start` share k.
        """
        indptr, indices, near = self.indptr, cython.address(self.indices[0]), cython.address(self.near[0])
        marks = cython.address(self.marks[0])
        lanes: int64_t = min(LANES, d)
        for i in range(lanes):
            for e in range(indptr[near[i]], indptr[near[i] + 1]):
                marks[indices[e]] += BIT << cython.cast(uint64_t, 8 * i)
        lift = ONES * cython.cast(uint64_t, 128 - k)
        wanted = TOPS if lanes == LANES else TOPS & ((BIT << cython.cast(uint64_t, 8 * lanes)) - 1)
        found: cython.bint = False
        for j in range(start, d):
            full: uint64_t = BIT << cython.cast(uint64_t, 8 * j + 7) if j < lanes else 0
            counts: uint64_t = 0
            low: int64_t = indptr[near[j]]
            at: int64_t = indptr[near[j] + 1]
            while at > low:
                end: int64_t = max(low, at - STRIDE)
                while at > end:
                    at -= 1
                    counts += marks[indices[at]]
                reached = (counts + lift) & TOPS
                if reached:
                    full |= reached
                    if full & wanted == wanted:
                        break
                    counts &= ~((reached >> 7) * 255)
            if full & wanted != wanted:
                for i in range(lanes):
                    if not (full >> cython.cast(uint64_t, 8 * i + 7)) & 1:
                        self.search.chosen[0], self.search.chosen[1] = near[i], near[j]
                        break
                found = True
                break
        for i in range(lanes):
            for e in range(indptr[near[i]], indptr[near[i] + 1]):
                marks[indices[e]] = 0
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_sharing_two(self, d: int64_t) -> int64_t:
        """List in `around` who has at least two of `near`, number them in `seen`, and return how many there are.

        Who has only one of them is told from v by any two neighbors, so as soon as two must be known they do not
        matter. `seen` holds -1 for all other vertices.
        """
        seen, around = cython.address(self.seen[0]), cython.address(self.around[0])
        met: int64_t = 0
        for i in range(d):
            s = self.near[i]
            for e in range(self.indptr[s], self.indptr[s + 1]):
                u = self.indices[e]
                if seen[u] == -1:
                    around[met] = u
                    met += 1
                seen[u] -= 1
        count: int64_t = 0
        for a in range(met):
            u = around[a]
            if seen[u] < -2:
                seen[u] = cython.cast(int32_t, count)
                around[count] = u
                count += 1
            else:
                seen[u] = -1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def list_missing(self, d: int64_t) -> int64_t:
        """Write, for every vertex with two of `near`, which of them it lacks, into the rows of the search.

        Those who lack none are counted and returned. `seen` holds -1 everywhere, before and after.
        """
        count, width = self.list_sharing_two(d), (d + 63) // 64
        self.search.reserve(count, width)
        masks, seen = cython.address(self.search.masks[0]), cython.address(self.seen[0])
        last = ALL if d % 64 == 0 else (BIT << cython.cast(uint64_t, d % 64)) - 1
        memset(masks, 255, count * width * cython.sizeof(uint64_t))
        for r in range(count):
            masks[r * width + width - 1] = last
        for i in range(d):
            off, s, word = ~(BIT << cython.cast(uint64_t, i % 64)), self.near[i], i // 64
            for e in range(self.indptr[s], self.indptr[s + 1]):
                r = seen[self.indices[e]]
                if r >= 0:
                    masks[r * width + word] &= off
        kept: int64_t = 0
        for r in range(count):
            seen[self.around[r]] = -1
            some: uint64_t = 0
            for j in range(width):
                some |= masks[r * width + j]
                masks[kept * width + j] = masks[r * width + j]
            if some:
                self.search.weight[kept] = 1
                kept += 1
        self.search.count = kept
        return count - kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def expose(self, v: int64_t, k: int64_t, most: int64_t, limit: int64_t) -> cython.int:
        """Find the size of the smallest exposing set of v, into `count`, and return what it means.

        The set is in `chosen` where the size is exact. A search that takes more than `limit` steps is given up.
        """
        d = self.indptr[v + 1] - self.indptr[v]
        self.count = 0
        if d == 0 or k <= 1:
            return EVERY
        self.list_by_degree(v)
        self.search.chosen[0] = self.near[0]
        if self.indptr[self.near[0] + 1] - self.indptr[self.near[0]] < k:
            self.count = 1
            return EXACT
        start = self.thin_out(d, k)
        if start < 0:
            self.count = 0
            return EVERY
        steps = self.count
        self.count = 2
        if most < 2:
            return AT_LEAST
        if steps == 2:
            self.search.chosen[1] = self.near[start]
            return EXACT
        if k <= WIDEST and self.find_pair(d, start, k):
            return EXACT
        self.search.spent = 0
        full = self.list_missing(d)
        answer = self.search.fewest_items(k - 1 - full, 2, most, limit)
        self.count = self.search.size
        if answer == GAVE_UP or self.count > most:
            return AT_LEAST
        while self.count < 2:  # one would do among those who share two; any other neighbor tells the rest
            self.search.chosen[self.count] = 0 if self.count == 0 or self.search.chosen[0] != 0 else 1
            self.count += 1
        for i in range(self.count):
            self.search.chosen[i] = self.near[self.search.chosen[i]]
        return EXACT


def exposing_set(room: Room, v: int64_t, k: int64_t, most: int64_t, limit: int64_t):
    """Return the size of the smallest exposing set of v, what it means, and the set where the size is exact."""
    with cython.nogil:
        meaning = room.expose(v, k, most, limit)
    return room.count, meaning, np.array(room.search.chosen[: room.count if meaning == EXACT else 0])


def exposing_sizes(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    room: Room,
    k: int64_t,
    most: int64_t,
    limit: int64_t,
    sizes: int64_t[::1],
    meaning: int64_t[::1],
):
    """Write the sizes of the smallest exposing sets of `todo[first:last]`, and what they mean."""
    with cython.nogil:
        for i in range(first, last):
            meaning[i] = room.expose(todo[i], k, most, limit)
            sizes[i] = room.count
