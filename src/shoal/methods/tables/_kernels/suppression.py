"""Cells are suppressed one at a time until every combination of values of the given sets of columns is frequent.

`cells[r, c]` is the code of row r in column c, 0 where it is missing; a row stands for `weight[r]` records. A plan is
(columns, radix, base, least, having): the columns of each set q (padded with -1), what a code of column c adds to the
key of a combination on q, where the keys of q begin, how many records a combination on q must have, and the sets that
hold each column (padded with -1). Keys of different combinations differ, so that counts are exact. They are places in
`counts`, or where these would be too many, entries of the hash table `keys`, whose entries are compared in full.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import mix


@cython.cclass
class Table:
    """Cells, the plan, and how often each combination occurs."""

    cells: int64_t[:, ::1]
    weight: cython.const[int64_t][::1]
    columns: cython.const[int64_t][:, ::1]
    radix: cython.const[int64_t][:, ::1]
    base: cython.const[int64_t][::1]
    least: cython.const[int64_t][::1]
    having: cython.const[int64_t][:, ::1]
    keys: int64_t[::1]
    counts: int32_t[::1]
    filled: int64_t[::1]
    own: int64_t[::1]
    """The keys of the combinations of one row."""
    often: int64_t[::1]
    """How often each of them occurs."""
    useful: uint8_t[::1]
    """The columns in which the row has a cell that is part of a rare combination."""

    def __init__(self, cells, weight, plan, keys, counts, filled) -> None:
        self.cells, self.weight = cells, weight
        self.columns, self.radix, self.base, self.least, self.having = plan
        self.keys, self.counts, self.filled = keys, counts, filled
        self.own, self.often = np.empty(len(self.base), dtype=np.int64), np.empty(len(self.base), dtype=np.int64)
        self.useful = np.empty(max(1, cells.shape[1]), dtype=np.uint8)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, key: int64_t) -> int64_t:
        """Return the place of the count of a key, which enters the table if it is not there."""
        if self.keys.shape[0] == 0:
            return key
        return find_key(self.keys, self.filled, key)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_crowded(self, wanted: int64_t) -> cython.bint:
        """Return whether the table must grow before so many keys may enter it."""
        return self.keys.shape[0] > 0 and self.filled[0] + wanted > self.keys.shape[0] // 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_keys(self, r: cython.Py_ssize_t) -> cython.void:
        """Write the keys of the combinations of row r into `own`, a set after the other."""
        q: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for q in range(self.base.shape[0]):
            key: int64_t = self.base[q]
            for j in range(self.columns.shape[1]):
                c = self.columns[q, j]
                if c < 0:
                    break
                key += self.cells[r, c] * self.radix[q, c]
            self.own[q] = key

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(
        self, c: cython.Py_ssize_t, code: int64_t, w: int64_t, scoring: cython.const[cython.double][::1]
    ) -> cython.double:
        """Return how good it is to suppress the cell in column c of a row: rare combinations end, others may begin."""
        score: cython.double = 0.0
        i: cython.Py_ssize_t
        for i in range(self.having.shape[1]):
            q = self.having[c, i]
            if q < 0:
                break
            if self.often[q] < self.least[q]:
                score += 1.0
            elif self.often[q] - w > 0 and self.often[q] - w < self.least[q]:
                score -= scoring[1]
            joined: int64_t = self.counts[self.find(self.own[q] - code * self.radix[q, c])] + w
            if joined < self.least[q]:
                score -= scoring[0] * (self.least[q] - joined) / self.least[q]
        return score

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark_useful(self, r: cython.Py_ssize_t) -> cython.void:
        """Mark the columns in which row r has a cell that is part of a rare combination."""
        q: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for j in range(self.useful.shape[0]):
            self.useful[j] = 0
        for q in range(self.columns.shape[0]):
            if self.often[q] < self.least[q]:
                for j in range(self.columns.shape[1]):
                    c = self.columns[q, j]
                    if c < 0:
                        break
                    if self.cells[r, c] != 0:
                        self.useful[c] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put(self, r: cython.Py_ssize_t, c: cython.Py_ssize_t, code: int64_t) -> cython.void:
        """Write a code into a cell and keep the counts and the row's keys true."""
        w = cython.cast(int32_t, self.weight[r])
        i: cython.Py_ssize_t
        for i in range(self.having.shape[1]):
            q = self.having[c, i]
            if q < 0:
                break
            key = self.own[q] + (code - self.cells[r, c]) * self.radix[q, c]
            self.counts[self.find(self.own[q])] -= w
            self.counts[self.find(key)] += w
            self.own[q] = key
        self.cells[r, c] = code

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_return(self, r: cython.Py_ssize_t, c: cython.Py_ssize_t, code: int64_t) -> cython.bint:
        """Return whether a cell of row r may get its code back without making any combination rare."""
        w = self.weight[r]
        i: cython.Py_ssize_t
        for i in range(self.having.shape[1]):
            q = self.having[c, i]
            if q < 0:
                break
            left = self.counts[self.find(self.own[q])] - w
            if left > 0 and left < self.least[q]:
                return False
            if self.counts[self.find(self.own[q] + code * self.radix[q, c])] + w < self.least[q]:
                return False
        return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_key(keys: int64_t[::1], filled: int64_t[::1], key: int64_t) -> int64_t:
    """Return the place of a key in the table, which it enters if it is not there."""
    last: int64_t = keys.shape[0] - 1
    at = cython.cast(int64_t, mix(cython.cast(uint64_t, key)) & cython.cast(uint64_t, last))
    while keys[at] != key:
        if keys[at] < 0:
            keys[at] = key
            filled[0] += 1
            return at
        at = (at + 1) & last
    return at


def count_combinations(cells, weight, plan, keys, counts, filled, first: cython.Py_ssize_t):
    """Count the combinations of the rows from `first` on; return the row at which there was no more room."""
    table: Table = Table(cells, weight, plan, keys, counts, filled)
    many: cython.Py_ssize_t = len(cells)
    q: cython.Py_ssize_t
    r: cython.Py_ssize_t
    with cython.nogil:
        for r in range(first, many):
            if table.is_crowded(table.base.shape[0]):
                many = r
                break
            table.take_keys(r)
            for q in range(table.base.shape[0]):
                table.counts[table.find(table.own[q])] += cython.cast(int32_t, table.weight[r])
    return many


def move_counts(
    keys: int64_t[::1], counts: int32_t[::1], new_keys: int64_t[::1], new_counts: int32_t[::1], filled: int64_t[::1]
):
    """Copy all counts above 0 to a new table."""
    filled[0] = 0
    with cython.nogil:
        for i in range(keys.shape[0]):
            if keys[i] >= 0 and counts[i] > 0:
                new_counts[find_key(new_keys, filled, keys[i])] = counts[i]


def suppress_round(
    cells,
    weight,
    order: cython.const[int64_t][::1],
    plan,
    keys,
    counts,
    filled,
    scoring: cython.const[cython.double][::1],
    likes: cython.const[cython.double][::1],
    first: cython.Py_ssize_t,
    told: int64_t[::1],
):
    """Suppress the best cell of every row with a rare combination, where it has a cell left in one.

    Return the place in `order` at which the table had no more room; `told` counts the cells and the rare rows.
    """
    table: Table = Table(cells, weight, plan, keys, counts, filled)
    width: cython.Py_ssize_t = cells.shape[1]
    end: cython.Py_ssize_t = order.shape[0]
    best: cython.Py_ssize_t
    most: cython.double
    rare: cython.bint
    i: cython.Py_ssize_t
    q: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for i in range(first, end):
            if table.is_crowded(table.base.shape[0] * width):
                end = i
                break
            r = order[i]
            table.take_keys(r)
            rare = False
            for q in range(table.base.shape[0]):
                table.often[q] = table.counts[table.find(table.own[q])]
                rare = rare or table.often[q] < table.least[q]
            if not rare:
                continue
            told[1] += 1
            table.mark_useful(r)
            best, most = -1, 0.0
            for c in range(width):
                if table.useful[c]:
                    score = likes[c] + table.worth(c, table.cells[r, c], table.weight[r], scoring)
                    if best < 0 or score > most:
                        best, most = c, score
            if best >= 0:
                table.put(r, best, 0)
                told[0] += 1
    return end


def restore_round(
    cells,
    before: cython.const[int64_t][:, ::1],
    weight,
    order: cython.const[int64_t][::1],
    plan,
    keys,
    counts,
    filled,
    first: cython.Py_ssize_t,
    told: int64_t[::1],
):
    """Give suppressed cells their code back where that makes nothing rare; return as `suppress_round` does."""
    table: Table = Table(cells, weight, plan, keys, counts, filled)
    width: cython.Py_ssize_t = cells.shape[1]
    end: cython.Py_ssize_t = order.shape[0]
    ready: cython.bint
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for i in range(first, end):
            if table.is_crowded(table.base.shape[0] * width):
                end = i
                break
            r = order[i]
            ready = False
            for c in range(width):
                code = before[r, c]
                if table.cells[r, c] != 0 or code == 0:
                    continue
                if not ready:
                    table.take_keys(r)
                    ready = True
                if table.may_return(r, c, code):
                    table.put(r, c, code)
                    told[0] += 1
    return end
