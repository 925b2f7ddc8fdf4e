"""Degree vectors inside balls: for each vertex of a ball, the number of its links there, relation by relation.

The tie of an entry (see shoal.data.ties) is a code. Tie t consists of the relations `relation[tie_ptr[t]]` to
`relation[tie_ptr[t + 1] - 1]`, each so many `times`. A vector is a list of relations, ascending, with their numbers of
links; relations without links are left out. Each tie has a word, linear in its numbers of links, so that the sum of the
words at a vertex is a hash of its vector.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.balls import Room
from cython.cimports.shoal.core._kernels.sorting import argsort, sort
from cython.cimports.shoal.core._kernels.vectors import add_multiple, count_in_rows
from cython.cimports.shoal.core._kernels.words import mix, mix_again

from shoal.core._kernels import view_bytes

FEW = cython.declare(cython.int, 8)
"""So many distinct ties are counted two by two: rows are read more than once, but many entries at a time."""


def spread(
    indptr: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    tie_ptr: cython.const[int64_t][::1],
    tie_relation: cython.const[int32_t][::1],
    tie_times: cython.const[int64_t][::1],
    rows: int64_t[:, ::1],
):
    """Add to `rows[r, v]` the number of links of relation r of vertex v; a relation below 0 is not counted."""
    n: cython.Py_ssize_t = indptr.shape[0] - 1
    many: cython.Py_ssize_t = tie_ptr.shape[0] - 1
    counts: int32_t[:, ::1] = np.zeros((many + 1, n), dtype=np.int32)
    if n == 0 or codes.shape[0] == 0:
        return
    with cython.nogil:
        if many > FEW:
            for v in range(n):
                for e in range(indptr[v], indptr[v + 1]):
                    for t in range(tie_ptr[codes[e]], tie_ptr[codes[e] + 1]):
                        if tie_relation[t] >= 0:
                            rows[tie_relation[t], v] += tie_times[t]
        else:
            # Each entry has one tie, so the last is what is left of the rows. -1 is no tie: it is counted where no
            # second one is left.
            last: cython.Py_ssize_t = many - 1
            for v in range(n):
                counts[last, v] = cython.cast(int32_t, indptr[v + 1] - indptr[v])
            for tie in range(0, last, 2):
                second: int32_t = cython.cast(int32_t, tie + 1) if tie + 1 < last else -1
                count_in_rows(
                    cython.address(counts[tie, 0]),
                    cython.address(counts[second if second >= 0 else many, 0]),
                    cython.address(counts[last, 0]),
                    cython.address(indptr[0]),
                    cython.address(codes[0]),
                    cython.cast(int32_t, tie),
                    second,
                    n,
                )
            for tie in range(many):
                for t in range(tie_ptr[tie], tie_ptr[tie + 1]):
                    if tie_relation[t] >= 0:
                        to = cython.address(rows[tie_relation[t], 0])
                        add_multiple(to, cython.address(counts[tie, 0]), tie_times[t], n)


@cython.cclass
class Vectors:
    """The degree vectors of the vertices of balls, one after the other, with room for more."""

    tie_ptr: cython.const[int64_t][::1]
    tie_relation: cython.const[int32_t][::1]
    tie_times: cython.const[int32_t][::1]
    ptr: int64_t[::1]
    relation: int32_t[::1]
    times: int64_t[::1]
    hashes: uint64_t[::1]
    order: int64_t[::1]
    spare: int64_t[::1]
    tally: int64_t[::1]
    touched: int64_t[::1]
    sorting: int64_t[::1]
    size: cython.Py_ssize_t
    """The number of vectors."""

    def __init__(self, tie_ptr, tie_relation, tie_times, many: int) -> None:
        self.tie_ptr, self.tie_relation, self.tie_times = tie_ptr, tie_relation, tie_times
        self.tally, self.touched = np.zeros(many, dtype=np.int64), np.empty(many, dtype=np.int64)
        self.sorting = np.empty(many, dtype=np.int64)
        self.ptr = np.zeros(1, dtype=np.int64)
        self.relation, self.times = np.empty(16, dtype=np.int32), np.empty(16, dtype=np.int64)
        self.size = 0

    def grow_vectors(self, size: int) -> None:
        """Make room for so many vectors."""
        ptr = np.zeros(2 * size + 1, dtype=np.int64)
        ptr[: self.size + 1] = np.asarray(self.ptr)[: self.size + 1]
        self.ptr = ptr
        self.hashes, self.order = np.empty(2 * size, dtype=np.uint64), np.empty(2 * size, dtype=np.int64)
        self.spare = np.empty(2 * size, dtype=np.int64)

    def grow_entries(self, entries: int) -> None:
        """Make room for so many entries of vectors."""
        relation, times = np.empty(2 * entries, dtype=np.int32), np.empty(2 * entries, dtype=np.int64)
        filled = self.ptr[self.size]
        relation[:filled], times[:filled] = np.asarray(self.relation)[:filled], np.asarray(self.times)[:filled]
        self.relation, self.times = relation, times

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def append(self, room: Room, size: cython.Py_ssize_t) -> cython.int:
        """Add the vectors of a ball, whose rows are in the room with ties in place of weights."""
        if self.size + size >= self.ptr.shape[0]:
            with cython.gil:
                self.grow_vectors(self.size + size)
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for i in range(size):
            filled: cython.Py_ssize_t = self.ptr[self.size]
            met: cython.Py_ssize_t = 0
            for e in range(room.ptr[i], room.ptr[i + 1]):
                tie = room.heavy[e]
                for t in range(self.tie_ptr[tie], self.tie_ptr[tie + 1]):
                    r = self.tie_relation[t]
                    if self.tally[r] == 0:
                        self.touched[met] = r
                        met += 1
                    self.tally[r] += self.tie_times[t]
            if filled + met > self.relation.shape[0]:
                with cython.gil:
                    self.grow_entries(filled + met)
            if met > 1:
                sort(cython.address(self.touched[0]), cython.address(self.sorting[0]), met)
            for k in range(met):
                self.relation[filled + k] = cython.cast(int32_t, self.touched[k])
                self.times[filled + k] = self.tally[self.touched[k]]
                self.tally[self.touched[k]] = 0
            self.size += 1
            self.ptr[self.size] = filled + met
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def hold(self, room: Room, size: cython.Py_ssize_t) -> cython.int:
        """Hold only the vectors of this ball, and list them in `order`, by their hashes."""
        i: cython.Py_ssize_t
        self.size = 0
        self.append(room, size)
        for i in range(self.size):
            a: uint64_t = 0
            for e in range(self.ptr[i], self.ptr[i + 1]):
                a += mix(cython.cast(uint64_t, self.relation[e])) * cython.cast(uint64_t, self.times[e])
            self.hashes[i] = a
        if self.size:
            argsort(
                cython.address(self.hashes[0]), cython.address(self.order[0]), cython.address(self.spare[0]), self.size
            )
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def equals(self, other: Vectors) -> cython.bint:
        """Return whether both have the same vectors, in the order of their hashes."""
        if self.size != other.size or self.ptr[self.size] != other.ptr[other.size]:
            return False
        i: cython.Py_ssize_t
        for i in range(self.size):
            a, b = self.order[i], other.order[i]
            shift = other.ptr[b] - self.ptr[a]
            if self.ptr[a + 1] + shift != other.ptr[b + 1]:
                return False
            for e in range(self.ptr[a], self.ptr[a + 1]):
                if self.relation[e] != other.relation[e + shift] or self.times[e] != other.times[e + shift]:
                    return False
        return True


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def copy_ball(
    room: Room,
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    v: int64_t,
    radius: int64_t,
) -> cython.Py_ssize_t:
    """Copy the ball around v into rows of its own in the room, with ties in place of weights; return its size."""
    size = room.gather(indptr, indices, v, radius)
    room.reserve(indptr, size)
    room.localize(indptr, indices, codes, size)
    room.clear(size)
    return size


def make_words(
    tie_ptr: cython.const[int64_t][::1], relation: cython.const[int32_t][::1], times: cython.const[int32_t][::1]
):
    """Return the word of each tie."""
    words: uint64_t[::1] = np.zeros(len(tie_ptr) - 1, dtype=np.uint64)
    for t in range(words.shape[0]):
        for e in range(tie_ptr[t], tie_ptr[t + 1]):
            words[t] += mix(cython.cast(uint64_t, relation[e])) * cython.cast(uint64_t, times[e])
    return np.asarray(words)


def measure_vectors(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    words: cython.const[uint64_t][::1],
    radius: int64_t,
    mask: uint64_t,
    sizes: int64_t[::1],
    low: uint64_t[::1],
    high: uint64_t[::1],
):
    """Count the vertices of the balls around `rows[first:last]` and hash the degree vectors inside."""
    room: Room = Room(len(indptr) - 1)
    room.add_colors()
    room.add_words(words)
    i: cython.Py_ssize_t
    with cython.nogil:
        for r in range(first, last):
            size = room.gather(indptr, indices, rows[r], radius)
            room.measure(indptr, indices, codes, size)
            room.clear(size)
            sizes[r] = size
            a: uint64_t = 0
            b: uint64_t = 0
            for i in range(size):
                a += mix(room.colors[i])
                b += mix_again(room.colors[i] + 1)
            low[r] = a & mask
            high[r] = b & mask


def contradicted_vectors(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    members: cython.const[int64_t][::1],
    bounds: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    ties,
    radius: int64_t,
    wrong,
):
    """Mark all members of each proposed class first..last in which not all balls are found to have equal vectors.

    `ties` are the bounds of the ties, their relations and times, and the number of relations. Vectors are compared in
    the order of their hashes; if two differ and have the same hash, equal balls may be marked, too.
    """
    room: Room = Room(len(indptr) - 1)
    room.add_colors()
    leader: Vectors = Vectors(*ties)
    member: Vectors = Vectors(*ties)
    marks: uint8_t[::1] = view_bytes(wrong)
    with cython.nogil:
        for c in range(first, last):
            if bounds[c + 1] - bounds[c] < 2:
                continue
            same: cython.bint = True
            for i in range(bounds[c], bounds[c + 1]):
                size = copy_ball(room, indptr, indices, codes, rows[members[i]], radius)
                if i == bounds[c]:
                    leader.hold(room, size)
                    continue
                member.hold(room, size)
                if not leader.equals(member):
                    same = False
                    break
            for i in range(bounds[c], bounds[c + 1]):
                marks[members[i]] = not same


def list_vectors(
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    rows: cython.const[int64_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    ties,
    radius: int64_t,
):
    """Return the degree vectors inside the balls around `rows[first:last]`, the center's first in each ball.

    They are the bounds of the balls, the bounds of the vectors, and the relations and numbers of links of the vectors.
    """
    room: Room = Room(len(indptr) - 1)
    room.add_colors()
    vectors: Vectors = Vectors(*ties)
    balls: int64_t[::1] = np.zeros(last - first + 1, dtype=np.int64)
    with cython.nogil:
        for r in range(first, last):
            size = copy_ball(room, indptr, indices, codes, rows[r], radius)
            vectors.append(room, size)
            balls[r - first + 1] = vectors.size
    entries = vectors.ptr[vectors.size]
    return (
        np.asarray(balls),
        np.asarray(vectors.ptr)[: vectors.size + 1].copy(),
        np.asarray(vectors.relation)[:entries].copy(),
        np.asarray(vectors.times)[:entries].copy(),
    )
