"""Approximate knowledge: sets of neighbors of which some may be wrong, and lists of numbers within an error.

S is a set of known neighbors of v, e the number of errors that the attacker allows. u fits S if at least |S| - e of its
members are neighbors of u. A larger S never fits more vertices.

Where links have directions or kinds, S is a set of items (w, relation) of a bipartite graph; see relation_sets. u fits
S if the items that it lacks are about at most e people.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t
from cython.cimports.shoal.core._kernels.sorting import argsort

from shoal.core._kernels import view_bytes

EASY = cython.declare(int64_t, 20_000)
"""Entries to read before the fewest possible candidates are counted: most searches end earlier."""


@cython.cclass
class Search:
    """Room for one vertex at a time: the sets of at most l of its neighbors, in order, depth first.

    `hits[u]` is the number of people in the chosen set whose chosen items u has, for vertices u of the wanted kind;
    `tally[h]` counts the vertices with h hits. A neighbor is one item, unless items have owners.
    """

    indptr: cython.const[int64_t][::1]
    indices: cython.const[int32_t][::1]
    weights: cython.const[int32_t][::1]
    weighted: cython.bint
    kind: cython.const[int64_t][::1]
    want: int64_t
    total: int64_t
    """The number of vertices of the wanted kind."""
    errors: int64_t
    hits: int32_t[::1]
    tally: int64_t[::1]
    items: int64_t[::1]
    """The neighbors of v in ids of the searched graph, those with few neighbors first."""
    entries: int64_t[::1]
    """How often v is linked to each of them."""
    owned: cython.bint
    """Whether several items may be about one person."""
    start: int64_t
    owners: cython.const[int64_t][::1]
    newest: int64_t[::1]
    """For each owner the item about it that was chosen last, -1 if there is none."""
    older: int64_t[::1]
    """For each chosen item the one about the same person that was chosen before it, -1 if there is none."""
    stamp: int64_t[::1]
    tag: int64_t
    people: int64_t
    """The number of people in the chosen set."""
    at: int64_t[::1]
    best: int64_t[::1]
    size: int64_t
    fewest: int64_t
    spent: int64_t

    def __init__(self, g, kind, l, errors, longest) -> None:
        self.indptr, self.indices, self.weights = g[:3]
        self.weighted = len(self.weights) > 0
        self.owned, self.people, self.tag = len(g) > 3, 0, 0
        if self.owned:
            self.start = len(g[3]) - 1
            self.owners = np.repeat(np.arange(len(g[3]) - 1), np.diff(g[3]))
            self.newest = np.full(len(g[3]) - 1, -1, dtype=np.int64)
            self.older, self.stamp = np.empty(longest + 1, dtype=np.int64), np.zeros(len(g[3]), dtype=np.int64)
        self.kind, self.errors = kind, errors
        self.hits, self.tally = np.zeros(len(g[0]) - 1, dtype=np.int32), np.zeros(longest + 2, dtype=np.int64)
        self.items, self.entries = np.empty(longest + 1, dtype=np.int64), np.empty(longest + 1, dtype=np.int64)
        self.at, self.best = np.zeros(l + 1, dtype=np.int64), np.empty(l + 1, dtype=np.int64)
        self.want = self.total = self.size = self.fewest = self.spent = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self, i: int64_t, step: int32_t) -> cython.void:
        """Add item i to the chosen ones (step 1), or take it back (step -1), the last first."""
        x, entry = self.items[i], self.entries[i]
        if self.owned:
            owner = self.owners[x - self.start]
            if step > 0:
                self.older[i] = self.newest[owner]
            before = self.older[i]
            self.newest[owner] = i if step > 0 else before
            if before >= 0:
                self.choose_another(i, before, step)
                return
        self.people += step
        for e in range(self.indptr[x], self.indptr[x + 1]):
            u = self.indices[e]
            if self.kind[u] == self.want and (not self.weighted or self.weights[e] == entry):
                self.tally[self.hits[u]] -= 1
                self.hits[u] += step
                self.tally[self.hits[u]] += 1
        self.spent += 1 + self.indptr[x + 1] - self.indptr[x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_another(self, i: int64_t, before: int64_t, step: int32_t) -> cython.void:
        """Do what `choose` does, where item `before` is about the same person as item i.

        Vertices that have all chosen items about that person but lack item i lose the person.
        """
        x, y = self.items[i], self.items[before]
        stamp = cython.address(self.stamp[0])
        self.tag += 1
        for e in range(self.indptr[x], self.indptr[x + 1]):
            if not self.weighted or self.weights[e] == self.entries[i]:
                stamp[self.indices[e]] = self.tag
        for e in range(self.indptr[y], self.indptr[y + 1]):
            u = self.indices[e]
            other: cython.bint = self.weighted and self.weights[e] != self.entries[before]
            if stamp[u] == self.tag or other or self.kind[u] != self.want:
                continue
            j = self.older[before]
            while j >= 0 and self.has(u, j):
                j = self.older[j]
            if j < 0:
                self.tally[self.hits[u]] -= 1
                self.hits[u] -= step
                self.tally[self.hits[u]] += 1
        self.spent += 1 + self.indptr[x + 1] - self.indptr[x] + self.indptr[y + 1] - self.indptr[y]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has(self, u: int64_t, i: int64_t) -> cython.bint:
        """Return whether u has item i, as often as v."""
        x, low, high = self.items[i], self.indptr[u], self.indptr[u + 1]
        while low < high:
            middle = (low + high) // 2
            if self.indices[middle] < x:
                low = middle + 1
            else:
                high = middle
        if low == self.indptr[u + 1] or self.indices[low] != x:
            return False
        return not self.weighted or self.weights[low] == self.entries[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_at_least(self, least: int64_t, most: int64_t) -> int64_t:
        """Count the vertices with at least so many hits; none has more than `most`."""
        found: int64_t = 0
        h: int64_t = least if least > 0 else 0
        while h <= most:
            found += self.tally[h]
            h += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_with(self, i: int64_t) -> int64_t:
        """Count the vertices that fit the chosen items and item i, without choosing it."""
        if self.owned and self.newest[self.owners[self.items[i] - self.start]] >= 0:
            if self.people <= self.errors:
                return self.total
            self.choose(i, 1)
            left: int64_t = self.count_at_least(self.people - self.errors, self.people)
            self.choose(i, -1)
            return left
        chosen: int64_t = self.people
        least = chosen + 1 - self.errors
        found: int64_t = self.count_at_least(least, chosen)
        if least > 0:
            x, entry = self.items[i], self.entries[i]
            for e in range(self.indptr[x], self.indptr[x + 1]):
                u = self.indices[e]
                agrees: cython.bint = not self.weighted or self.weights[e] == entry
                found += agrees and self.hits[u] == least - 1 and self.kind[u] == self.want
            self.spent += 1 + self.indptr[x + 1] - self.indptr[x]
        return found

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def count_column(self, i: int64_t) -> int64_t:
        """Return the number of vertices that have item i."""
        return self.indptr[self.items[i] + 1] - self.indptr[self.items[i]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def note(self, found: int64_t, size: int64_t) -> cython.void:
        """Remember the items up to depth `size` if they leave the fewest candidates, but at least one."""
        if 0 < found < self.fewest:
            self.fewest, self.size = found, size
            for j in range(size):
                self.best[j] = self.items[self.at[j] - 1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(self, many: int64_t, l: int64_t, floor: int64_t, limit: int64_t) -> cython.bint:
        """Search all sets; return whether the search ended because none can leave fewer. Nothing is chosen after it."""
        whole: cython.bint = not self.weighted and self.total == self.kind.shape[0]
        h: int64_t = 0
        done: cython.bint = True
        self.at[0] = 0
        while True:
            if self.fewest <= floor or self.spent > limit:
                done = self.fewest <= floor
                break
            i = self.at[h]
            if i == many:
                if h == 0:
                    break
                h -= 1
                self.choose(self.at[h] - 1, -1)
                continue
            self.at[h] += 1
            if h + 1 == l or i + 1 == many:  # no set continues with item i
                if whole and self.people <= self.errors and self.count_column(i) >= self.fewest:
                    self.at[h] = many  # all vertices with one of the items from here on fit
                    continue
                self.note(self.count_with(i), h + 1)
                continue
            self.choose(i, 1)
            found = self.count_at_least(self.people - self.errors, self.people)
            self.note(found, h + 1)
            more = min(l, h + many - i) - h - 1
            stay = self.count_at_least(self.people + more - self.errors, self.people)  # these fit whatever is added
            if found == 0 or stay >= self.fewest:
                self.choose(i, -1)
                continue
            h += 1
            self.at[h] = i + 1
        while h > 0:
            h -= 1
            self.choose(self.at[h] - 1, -1)
        return done

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_fewest(self, many: int64_t, l: int64_t, limit: int64_t) -> cython.bint:
        """Find the fewest candidates, but at least one, into `fewest`; return whether that is proved.

        The known neighbors are the first `size` of `best`. `fewest` is 0 if not even the empty set fits a vertex.
        """
        self.fewest, self.size, self.spent = self.total, 0, 0
        self.tally[0] = self.total
        if many <= self.errors or l <= self.errors or self.total <= 1:
            return True
        if self.descend(many, l, 1, min(limit, EASY)):
            return True
        if limit <= EASY:
            return False
        for i in range(many):
            self.choose(i, 1)
        floor: int64_t = self.count_at_least(self.people - self.errors, self.people)
        if floor == 0:
            floor = 1
        for i in range(many):
            self.choose(many - 1 - i, -1)
        self.spent = 0
        return self.descend(many, l, floor, limit)


def count_below(ranks: int64_t[::1], first: int64_t[::1], last: int64_t[::1], limit: int64_t[::1], bits: int):
    """Count, for each query, the places from `first` to before `last` whose rank is below `limit`.

    All numbers are below 2 ** bits. The arrays are overwritten.
    """
    size: cython.Py_ssize_t = ranks.shape[0]
    zeros: int64_t[::1] = np.zeros(size + 1, dtype=np.int64)
    spare: int64_t[::1] = np.empty(size, dtype=np.int64)
    counted = np.zeros(limit.shape[0], dtype=np.int64)
    found: int64_t[::1] = counted
    levels: cython.int = bits
    bit: cython.int
    i: cython.Py_ssize_t
    with cython.nogil:
        for bit in range(levels - 1, -1, -1):
            for i in range(size):
                zeros[i + 1] = zeros[i] + 1 - ((ranks[i] >> bit) & 1)
            for i in range(limit.shape[0]):
                left = zeros[first[i]]
                right = zeros[last[i]]
                if (limit[i] >> bit) & 1:
                    found[i] += right - left
                    first[i] += zeros[size] - left
                    last[i] += zeros[size] - right
                else:
                    first[i] = left
                    last[i] = right
            for i in range(size):
                if (ranks[i] >> bit) & 1:
                    spare[zeros[size] + i - zeros[i]] = ranks[i]
                else:
                    spare[zeros[i]] = ranks[i]
            for i in range(size):
                ranks[i] = spare[i]
    return counted


def fewest_with_errors(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    todo: cython.const[int64_t][::1],
    known,
    g,
    kind: cython.const[int64_t][::1],
    wants: cython.const[int64_t][::1],
    totals: cython.const[int64_t][::1],
    l: int64_t,
    errors: int64_t,
    limit: int64_t,
    sizes: int64_t[::1],
    proved,
    best: int64_t[:, ::1],
    lengths: int64_t[::1],
):
    """Write the fewest candidates of `todo[first:last]`, whose rows in ids of the graph g are `known`.

    Candidates of v are of the kind `wants[v]`; `totals` counts each kind. Row i of `best` takes the known neighbors of
    `todo[i]`, `lengths[i]` of them.
    """
    ptr: cython.const[int64_t][::1] = known[0]
    row: cython.const[int64_t][::1] = known[1]
    weights: cython.const[int32_t][::1] = known[2]
    weighted: cython.bint = len(weights) > 0
    marks: uint8_t[::1] = view_bytes(proved)
    longest = int(np.max(np.diff(known[0]), initial=0))
    room: Search = Search(g, kind, l, errors, longest)
    degrees: int64_t[::1] = np.empty(longest + 1, dtype=np.int64)
    order: int64_t[::1] = np.empty(longest + 1, dtype=np.int64)
    spare: int64_t[::1] = np.empty(longest + 1, dtype=np.int64)
    with cython.nogil:
        for a in range(first, last):
            v = todo[a]
            many = ptr[v + 1] - ptr[v]
            for i in range(many):
                x = row[ptr[v] + i]
                degrees[i] = room.indptr[x + 1] - room.indptr[x]
            argsort(
                cython.cast(cython.pointer(cython.const[int64_t]), cython.address(degrees[0])),
                cython.address(order[0]),
                cython.address(spare[0]),
                many,
            )
            for i in range(many):
                at = ptr[v] + order[i]
                room.items[i] = row[at]
                room.entries[i] = weights[at] if weighted else 1
            room.want = wants[v]
            room.total = totals[wants[v]]
            marks[a] = room.leave_fewest(many, l, limit)
            sizes[a] = room.fewest
            for i in range(room.size):
                best[a, i] = room.best[i]
            lengths[a] = room.size


def count_lists_within(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    starts: cython.const[int64_t][::1],
    lengths: cython.const[int64_t][::1],
    low: cython.const[int64_t][::1],
    high: cython.const[int64_t][::1],
    groups: cython.const[int64_t][::1],
    least: cython.const[int64_t][::1],
    most: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    places: cython.const[int64_t][::1],
    sums: cython.const[int64_t][::1],
    times: cython.const[int64_t][::1],
    values: cython.const[int64_t][::1],
    sizes: int64_t[::1],
):
    """Write for each measured list how many published lists of its group lie between its low and high numbers.

    Measured list c has `lengths[c]` numbers from `starts[c]` on in `low` and `high`, and sums between `least[c]` and
    `most[c]`. Group g has the published lists `bounds[g]` to `bounds[g + 1]`, by ascending sum; each begins at its
    place in `values` and counts so many times. All lists of a group have one length.
    """
    with cython.nogil:
        for c in range(first, last):
            begin, end = bounds[groups[c]], bounds[groups[c] + 1]
            high_end = end
            while begin < high_end:
                middle = (begin + high_end) // 2
                if sums[middle] < least[c]:
                    begin = middle + 1
                else:
                    high_end = middle
            found: int64_t = 0
            for d in range(begin, end):
                if sums[d] > most[c]:
                    break
                a, b = starts[c], places[d]
                fits: cython.bint = True
                for i in range(lengths[c]):
                    if values[b + i] < low[a + i] or values[b + i] > high[a + i]:
                        fits = False
                        break
                if fits:
                    found += times[d]
            sizes[c] = found
