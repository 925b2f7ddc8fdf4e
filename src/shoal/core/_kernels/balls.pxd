# Room for one ball at a time, for kernels that read balls: see balls.py.

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef class Room:
    cdef int32_t[::1] place, ball
    cdef int64_t[::1] inner, spare
    # the ball as rows of its own: bounds, positions of neighbors, weights or labels
    cdef int64_t[::1] ptr
    cdef int32_t[::1] near
    cdef int64_t[::1] heavy
    # a cell per vertex, for its label and its color
    cdef int64_t[::1] shades
    cdef uint64_t[::1] colors, fresh, sorted_colors, spare_colors
    cdef const uint64_t[::1] words
    cdef bint has_words  # False when a room is made

    cdef Py_ssize_t gather(self, const int64_t[::1] indptr, const int32_t[::1] indices, int64_t v, int64_t radius) noexcept nogil
    cdef int64_t measure(self, const int64_t[::1] indptr, const int32_t[::1] indices, const int32_t[::1] weights, Py_ssize_t size) noexcept nogil
    cdef int reserve(self, const int64_t[::1] indptr, Py_ssize_t size) except -1 nogil
    cdef void localize(self, const int64_t[::1] indptr, const int32_t[::1] indices, const int32_t[::1] weights, Py_ssize_t size) noexcept nogil
    cdef void color(self, Py_ssize_t size, uint64_t mask) noexcept nogil
    cdef Py_ssize_t count_colors(self, Py_ssize_t size) noexcept nogil
    cdef void clear(self, Py_ssize_t size) noexcept nogil
