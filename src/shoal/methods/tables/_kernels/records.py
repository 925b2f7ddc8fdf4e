"""Records of a table: classes of near records, median cuts, and cells suppressed until combinations are frequent."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import NAN, isfinite, sqrt
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.shoal.core._kernels.sorting import sort
from cython.cimports.shoal.core._kernels.vectors import add_different_long, add_present, add_squares
from cython.cimports.shoal.core._kernels.words import mix

# Classes of k to 2k-1 near records (MDAV), and what stands for a class: its mean, median, most frequent value.
#
# x holds numbers, one line per column, NaN where missing; c holds codes of categories from 0, one line per column.
# R is what is left to be clustered, kept in front; r is its size.


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_farthest(far: cython.double[::1], r: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the position of the largest distance, the first of several."""
    best: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    for i in range(1, r):
        if far[i] > far[best]:
            best = i
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_nearest(
    far: cython.double[::1],
    r: cython.Py_ssize_t,
    seed: cython.Py_ssize_t,
    chosen: int64_t[::1],
    spare: int64_t[::1],
    k: cython.Py_ssize_t,
) -> cython.void:
    """Write the positions of `seed` and of the k-1 records nearest to it into `chosen`, ascending."""
    i: cython.Py_ssize_t
    q: cython.Py_ssize_t
    far[seed] = -1.0  # before others in the same place
    for i in range(k):
        chosen[i] = i
    worst = find_farthest(far, k)
    limit = far[worst]
    for i in range(k, r):
        if far[i] < limit:
            chosen[worst] = i
            worst = 0
            for q in range(1, k):
                if far[chosen[q]] > far[chosen[worst]]:
                    worst = q
            limit = far[chosen[worst]]
    sort(cython.address(chosen[0]), cython.address(spare[0]), k)


def nearest(far: cython.double[::1], r: cython.Py_ssize_t, seed: cython.Py_ssize_t, chosen: int64_t[::1], k: int):
    """Write the positions of `seed` and of the k-1 records nearest to it into `chosen`, ascending."""
    find_nearest(far, r, seed, chosen, np.empty(k, dtype=np.int64), k)


@cython.cclass
class Records:
    """Records that are clustered, those left in front, and the sums from which their center is computed."""

    x: cython.double[:, ::1]
    c: int64_t[:, ::1]
    starts: cython.const[int64_t][::1]
    """Where the counts of each column of categories begin."""
    ids: int64_t[::1]
    far: cython.double[::1]
    sums: cython.double[::1]
    present: int64_t[::1]
    counts: int64_t[::1]
    numbers: cython.double[::1]
    codes: int64_t[::1]

    def __init__(self, x, c, starts, ids) -> None:
        self.x, self.c, self.starts, self.ids = x, c, starts, ids
        self.far = np.empty(max(1, len(ids)))
        self.sums, self.present = np.zeros(len(x)), np.zeros(len(x), dtype=np.int64)
        self.counts = np.zeros(starts[len(starts) - 1], dtype=np.int64)
        self.numbers, self.codes = np.empty(len(x)), np.empty(len(c), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally(self, i: cython.Py_ssize_t, step: int64_t) -> cython.void:
        """Count the record at i in (step 1) or out (step -1) of what the center of R is computed from."""
        j: cython.Py_ssize_t
        for j in range(self.x.shape[0]):
            value = self.x[j, i]
            if value == value:  # noqa: PLR0124 - only NaN, a missing number, differs from itself
                self.sums[j] += step * value
                self.present[j] += step
        for j in range(self.c.shape[0]):
            self.counts[self.starts[j] + self.c[j, i]] += step

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def center(self) -> cython.void:
        """Write the means of the numbers and the most frequent codes of R, the first of several."""
        j: cython.Py_ssize_t
        for j in range(self.sums.shape[0]):
            self.numbers[j] = self.sums[j] / self.present[j] if self.present[j] else NAN
        for j in range(self.codes.shape[0]):
            best = self.starts[j]
            for i in range(self.starts[j], self.starts[j + 1]):
                if self.counts[i] > self.counts[best]:
                    best = i
            self.codes[j] = best - self.starts[j]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_point(self, i: cython.Py_ssize_t) -> cython.void:
        """Make the record at i the point from which distances are measured."""
        j: cython.Py_ssize_t
        for j in range(self.x.shape[0]):
            self.numbers[j] = self.x[j, i]
        for j in range(self.c.shape[0]):
            self.codes[j] = self.c[j, i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self, r: cython.Py_ssize_t) -> cython.void:
        """Write the distance of each record of R to the point: squares of differences, 1 for different or missing."""
        j: cython.Py_ssize_t
        far = cython.address(self.far[0])
        memset(far, 0, r * cython.sizeof(cython.double))
        for j in range(self.x.shape[0]):
            p = self.numbers[j]
            if p == p:  # noqa: PLR0124
                add_squares(far, cython.address(self.x[j, 0]), p, r)
            else:
                add_present(far, cython.address(self.x[j, 0]), r)
        for j in range(self.c.shape[0]):
            add_different_long(far, cython.address(self.c[j, 0]), self.codes[j], r)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_out(
        self, r: cython.Py_ssize_t, chosen: int64_t[::1], k: cython.Py_ssize_t, label: int64_t, labels: int64_t[::1]
    ) -> cython.Py_ssize_t:
        """Give the chosen records their class, and fill their places from the end of R, distances included."""
        j: cython.Py_ssize_t
        q: cython.Py_ssize_t = k
        while q > 0:
            q -= 1
            i = chosen[q]
            r -= 1
            labels[self.ids[i]] = label
            self.ids[i] = self.ids[r]
            self.far[i] = self.far[r]
            for j in range(self.x.shape[0]):
                self.x[j, i] = self.x[j, r]
            for j in range(self.c.shape[0]):
                self.c[j, i] = self.c[j, r]
        return r


def mdav(x, c, starts, ids, k: cython.Py_ssize_t, label: int64_t, labels: int64_t[::1]):
    """Cut records into classes of k to 2k-1, numbered from `label`; x, c and ids are used up.

    While 3k or more are left: the record farthest from the center of R with its k-1 nearest is a class, and so is the
    record farthest from that one with its k-1 nearest. Of 2k to 3k-1 the first of these two and the rest; fewer than
    2k are one class. `starts` says where the counts of each column of categories begin.
    """
    records: Records = Records(x, c, starts, ids)
    chosen: int64_t[::1] = np.empty(k, dtype=np.int64)
    spare: int64_t[::1] = np.empty(k, dtype=np.int64)
    r: cython.Py_ssize_t = len(ids)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(r):
            records.tally(i, 1)
        while r >= 2 * k:
            records.center()
            records.measure(r)
            for _ in range(2 if r >= 3 * k else 1):
                seed = find_farthest(records.far, r)  # from the center, and then from the first seed
                records.take_point(seed)
                records.measure(r)
                find_nearest(records.far, r, seed, chosen, spare, k)
                for i in range(k):
                    records.tally(chosen[i], -1)
                r = records.take_out(r, chosen, k, label, labels)
                label += 1
        for i in range(r):
            labels[records.ids[i]] = label


# What stands for a class. `order` lists the rows by class, and class q is order[bounds[q]:bounds[q + 1]].


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gather(
    x: cython.const[cython.double][::1],
    order: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    found: cython.double[::1],
    spare: cython.double[::1],
) -> cython.Py_ssize_t:
    """Copy the numbers of a class that are not missing, ascending, so that sums do not depend on the order of rows."""
    size: cython.Py_ssize_t = 0
    for e in range(first, last):
        value = x[order[e]]
        if value == value:  # noqa: PLR0124
            found[size] = value
            size += 1
    if size > 1:
        sort(cython.address(found[0]), cython.address(spare[0]), size)
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def average(
    found: cython.const[cython.double][::1], first: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.double:
    """Return the mean of ascending numbers: never outside them, and finite where they are."""
    total: cython.double = 0.0
    i: cython.Py_ssize_t
    for i in range(first, first + size):
        total += found[i]
    mean = total / size
    if not isfinite(mean):
        mean = 0.0
        for i in range(first, first + size):
            mean += found[i] / size
    mean = mean if mean > found[first] else found[first]
    return mean if mean < found[first + size - 1] else found[first + size - 1]


def mean_of(found: cython.const[cython.double][::1], size: cython.Py_ssize_t):
    """Return the mean of ascending numbers: never outside them, and finite where they are."""
    return average(found, 0, size)


def moments(
    x: cython.const[cython.double][::1],
    order: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    mean: cython.double[::1],
    deviation: cython.double[::1],
):
    """Write the mean and the standard deviation of each class over the numbers that are there, NaN if none is."""
    longest = int(np.max(np.diff(bounds)))
    found: cython.double[::1] = np.empty(longest)
    spare: cython.double[::1] = np.empty(longest)
    i: cython.Py_ssize_t
    with cython.nogil:
        for q in range(bounds.shape[0] - 1):
            size = gather(x, order, bounds[q], bounds[q + 1], found, spare)
            mean[q] = NAN
            deviation[q] = NAN
            if size:
                middle = average(found, 0, size)
                above, below = found[size - 1] - middle, middle - found[0]
                scale = above if above > below else below
                squares: cython.double = 0.0
                if scale > 0:
                    for i in range(size):
                        part = (found[i] - middle) / scale
                        squares += part * part
                mean[q] = middle
                deviation[q] = scale * sqrt(squares / size)


def medians(
    x: cython.const[cython.double][::1],
    order: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    median: cython.double[::1],
):
    """Write the median of each class over the numbers that are there, between two the point halfway; NaN if none is."""
    longest = int(np.max(np.diff(bounds)))
    found: cython.double[::1] = np.empty(longest)
    spare: cython.double[::1] = np.empty(longest)
    with cython.nogil:
        for q in range(bounds.shape[0] - 1):
            size = gather(x, order, bounds[q], bounds[q + 1], found, spare)
            median[q] = average(found, (size - 1) // 2, 2 - size % 2) if size else NAN


def modes(
    codes: cython.const[int64_t][::1],
    order: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    mode: int64_t[::1],
):
    """Write the most frequent code of each class that is not negative, the smallest of several; -1 if none is."""
    longest = int(np.max(np.diff(bounds)))
    found: int64_t[::1] = np.empty(longest, dtype=np.int64)
    spare: int64_t[::1] = np.empty(longest, dtype=np.int64)
    size: cython.Py_ssize_t
    most: cython.Py_ssize_t
    first: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for q in range(bounds.shape[0] - 1):
            size = 0
            for e in range(bounds[q], bounds[q + 1]):
                if codes[order[e]] >= 0:
                    found[size] = codes[order[e]]
                    size += 1
            if size > 1:
                sort(cython.address(found[0]), cython.address(spare[0]), size)
            mode[q] = -1
            most, first = 0, 0
            for i in range(1, size + 1):
                if i == size or found[i] != found[first]:
                    if i - first > most:
                        most = i - first
                        mode[q] = found[first]
                    first = i


# Median cuts: a table of ranks is halved, along the widest column, as long as k rows are left on both sides.
#
# A row is a line of ranks, one per column; in a column with missing values these have rank 0. A cut is strict: rows of
# the same rank stay together. lo and hi are the lowest and the highest rank of a block of rows in each column.

NO_CUT = cython.declare(cython.int, -1)


@cython.cclass
class Cuts:
    """A table of ranks that is cut."""

    rows: int32_t[:, ::1]
    ids: int64_t[::1]
    place: cython.const[cython.double][::1]
    """`place[starts[j] + rank]` is where a rank of column j lies between 0 and 1."""
    starts: cython.const[int64_t][::1]
    absent: cython.const[int64_t][::1]
    k: cython.Py_ssize_t
    lo: int32_t[::1]
    hi: int32_t[::1]
    tried: uint8_t[::1]
    counts: int64_t[::1]
    ranks: int64_t[::1]
    spare: int64_t[::1]
    rank: int64_t
    below: int64_t
    upto: int64_t
    """The median rank of a column, how many rows are below it and how many not above it."""

    def __init__(self, rows, ids, place, starts, absent, k) -> None:
        n, d = rows.shape
        self.rows, self.ids, self.place, self.starts, self.absent, self.k = rows, ids, place, starts, absent, k
        self.lo, self.hi = np.empty(d, dtype=np.int32), np.empty(d, dtype=np.int32)
        self.tried, self.counts = np.empty(d, dtype=np.uint8), np.empty(np.max(np.diff(starts)), dtype=np.int64)
        self.ranks, self.spare = np.empty(max(1, n), dtype=np.int64), np.empty(max(1, n), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bound(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Write the lowest and the highest rank of each column over rows first..last."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for j in range(self.rows.shape[1]):
            self.lo[j] = self.rows[first, j]
            self.hi[j] = self.rows[first, j]
        for i in range(first + 1, last):
            for j in range(self.rows.shape[1]):
                rank = self.rows[i, j]
                self.lo[j] = min(self.lo[j], rank)
                self.hi[j] = max(self.hi[j], rank)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_median_by_counting(
        self, first: cython.Py_ssize_t, last: cython.Py_ssize_t, j: cython.Py_ssize_t
    ) -> cython.void:
        """Find the median rank of column j where there are fewer ranks than rows."""
        counts = self.counts
        i: cython.Py_ssize_t
        for i in range(self.lo[j], self.hi[j] + 1):
            counts[i] = 0
        for i in range(first, last):
            counts[self.rows[i, j]] += 1
        half = (last - first + 1) // 2
        self.rank = self.lo[j]
        self.upto = counts[self.rank]
        while self.upto < half:
            self.rank += 1
            self.upto += counts[self.rank]
        self.below = self.upto - counts[self.rank]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_median_by_sorting(
        self, first: cython.Py_ssize_t, last: cython.Py_ssize_t, j: cython.Py_ssize_t
    ) -> cython.void:
        """Do the same where there are more ranks than rows."""
        size = last - first
        i: cython.Py_ssize_t
        for i in range(size):
            self.ranks[i] = self.rows[first + i, j]
        sort(cython.address(self.ranks[0]), cython.address(self.spare[0]), size)
        middle = (size - 1) // 2
        self.rank = self.ranks[middle]
        self.below = middle
        while self.below > 0 and self.ranks[self.below - 1] == self.rank:
            self.below -= 1
        self.upto = middle
        while self.upto < size and self.ranks[self.upto] == self.rank:
            self.upto += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_cut(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t, j: cython.Py_ssize_t) -> int64_t:
        """Return the rank up to which rows go to the left side of a cut along column j, or NO_CUT.

        Missing values are cut off first. Else the cut is just below or just above the median, whichever halves better:
        if neither leaves k rows on both sides, no cut does, because every other one leaves a side of one of these
        smaller.
        """
        size = last - first
        k = self.k
        i: cython.Py_ssize_t
        missing: cython.Py_ssize_t = 0
        if self.absent[j] and self.lo[j] == 0:
            for i in range(first, last):
                missing += self.rows[i, j] == 0
            if k <= missing <= size - k:
                return 0
        if self.hi[j] - self.lo[j] <= size:
            self.find_median_by_counting(first, last, j)
        else:
            self.find_median_by_sorting(first, last, j)
        under = self.below if self.below < size - self.below else size - self.below
        over = self.upto if self.upto < size - self.upto else size - self.upto
        if (under if under > over else over) < k:
            return NO_CUT
        return self.rank if over >= under else self.rank - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def split(
        self, first: cython.Py_ssize_t, last: cython.Py_ssize_t, j: cython.Py_ssize_t, cut: int64_t
    ) -> cython.Py_ssize_t:
        """Bring the rows with rank up to `cut` in column j to the front, and return where the others begin."""
        left, right = first, last - 1
        q: cython.Py_ssize_t
        while left <= right:
            if self.rows[left, j] <= cut:
                left += 1
                continue
            for q in range(self.rows.shape[1]):
                held = self.rows[left, q]
                self.rows[left, q] = self.rows[right, q]
                self.rows[right, q] = held
            who = self.ids[left]
            self.ids[left] = self.ids[right]
            self.ids[right] = who
            right -= 1
        return left

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_column(self) -> cython.Py_ssize_t:
        """Return the widest column that was not tried, or NO_CUT.

        A column in which some values are missing and others are not is wider than all that have no such mixture.
        """
        widest: cython.double = 0.0
        found: cython.Py_ssize_t = NO_CUT
        j: cython.Py_ssize_t
        for j in range(self.lo.shape[0]):
            if self.tried[j] or self.lo[j] == self.hi[j]:
                continue
            width = self.place[self.starts[j] + self.hi[j]] - self.place[self.starts[j] + self.lo[j]]
            if self.absent[j] and self.lo[j] == 0:
                width = 2.0
            if found == NO_CUT or width > widest:
                widest, found = width, j
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut_block(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Cut a block along the widest column that can be cut; return where its second half begins, or NO_CUT."""
        if last - first < 2 * self.k:
            return NO_CUT
        j: cython.Py_ssize_t
        for j in range(self.lo.shape[0]):
            self.tried[j] = 0
        while True:
            j = self.choose_column()
            if j == NO_CUT:
                return NO_CUT
            self.tried[j] = 1
            cut = self.find_cut(first, last, j)
            if cut != NO_CUT:
                return self.split(first, last, j, cut)


def median_cuts(rows, ids, place, starts, absent, k: cython.Py_ssize_t, labels: int64_t[::1], lows, highs):
    """Cut until nothing can be cut; write the class of each row and the bounds of each class, return how many.

    rows and ids are brought into another order, by class.
    """
    cuts: Cuts = Cuts(rows, ids, place, starts, absent, k)
    low: int32_t[:, ::1] = lows
    high: int32_t[:, ::1] = highs
    # every cut leaves k rows or more on both sides, so that there are never more than n / k + 1 blocks
    waiting: int64_t[:, ::1] = np.empty((len(rows) // max(1, k) + 2, 2), dtype=np.int64)
    count: cython.Py_ssize_t = 1
    classes: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    waiting[0, 0] = 0
    waiting[0, 1] = len(rows)
    with cython.nogil:
        while count > 0:
            count -= 1
            first, last = waiting[count, 0], waiting[count, 1]
            cuts.bound(first, last)
            middle = cuts.cut_block(first, last)
            if middle != NO_CUT:
                waiting[count, 0] = middle
                waiting[count, 1] = last
                waiting[count + 1, 0] = first
                waiting[count + 1, 1] = middle
                count += 2
                continue
            for j in range(cuts.lo.shape[0]):
                low[classes, j] = cuts.lo[j]
                high[classes, j] = cuts.hi[j]
            for i in range(first, last):
                labels[cuts.ids[i]] = classes
            classes += 1
    return classes


# Cells are suppressed one at a time until every combination of values of the given sets of columns is frequent.
#
# `cells[r, c]` is the code of row r in column c, 0 where it is missing; a row stands for `weight[r]` records. A plan is
# (columns, radix, base, least, having): the columns of each set q (padded with -1), what a code of column c adds to the
# key of a combination on q, where the keys of q begin, how many records a combination on q must have, and the sets that
# hold each column (padded with -1). Keys of different combinations differ, so that counts are exact. They are places in
# `counts`, or where these would be too many, entries of the hash table `keys`, whose entries are compared in full.


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
