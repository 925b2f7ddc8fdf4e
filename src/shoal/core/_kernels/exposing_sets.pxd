# Smallest partial hitting sets, for kernels that search exposing sets: see exposing_sets.py.

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef enum:  # what a search found
    NO
    YES
    GAVE_UP

cdef enum:  # what a size means (see shoal.core.exposing_sets): it is exact; no smaller set will do; no set will ever do
    EXACT
    AT_LEAST
    EVERY

cdef enum:
    ROWS = 4_000  # rows at hand before the search gives up


cdef class Search:
    cdef Py_ssize_t count, width  # of the rows at hand; a row has `width` words
    cdef public int64_t spent
    cdef Py_ssize_t size
    cdef public int64_t[::1] chosen
    cdef uint64_t[::1] masks
    cdef int64_t[::1] weight
    cdef int64_t[::1] attempt
    # scratch: a cell per row, per word or per item
    cdef int32_t[::1] keep, order, sizes
    cdef int64_t[::1] weights, spare, hits, top
    cdef uint64_t[::1] union, used
    cdef int32_t[::1] bucket
    # a line per depth of the search
    cdef int32_t[::1] alive, branch
    cdef uint64_t[::1] allowed, idle
    cdef int64_t[::1] alive_count, slack, budget, branches, at, item
    cdef Py_ssize_t kept

    cdef int reserve(self, Py_ssize_t count, Py_ssize_t width) except -1 nogil
    cdef int fewest_items(self, int64_t t, int64_t least, int64_t most, int64_t limit) except -1 nogil
    cdef void sort_by_size(self, Py_ssize_t count) noexcept nogil
    cdef void reduce_rows(self, int64_t t) noexcept nogil
    cdef int64_t greedy(self, int64_t t) noexcept nogil
    cdef void add_hits(self, const uint64_t *mask, const uint64_t *allowed, int64_t weight) noexcept nogil
    cdef int64_t packing_bound(self, const int32_t *rows, Py_ssize_t count, const uint64_t *allowed, int64_t t, int64_t enough) noexcept nogil
    cdef int deepen(self, Py_ssize_t depth) except -1 nogil
    cdef int64_t settle(self, Py_ssize_t h) noexcept nogil
    cdef void count_hits(self, Py_ssize_t h) noexcept nogil
    cdef bint hopeless(self, Py_ssize_t h, int64_t total) noexcept nogil
    cdef void list_branches(self, Py_ssize_t h) noexcept nogil
    cdef int64_t list_idle(self, Py_ssize_t h, int64_t most) noexcept nogil
    cdef void descend(self, Py_ssize_t h) noexcept nogil
    cdef int search(self, int64_t t, int64_t q, int64_t limit) except -1 nogil
