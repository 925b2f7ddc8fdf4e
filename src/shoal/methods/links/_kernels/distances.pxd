# Distances from a few vertices under edits, for kernels that edit links: see distances.py.

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef enum:
    ABSENT = 0x20000000  # the distance where there is no path


cdef class Distances:
    cdef const int64_t[::1] start  # the rows of the graph: shared with the kernel that edits them
    cdef const int32_t[::1] degree, rows
    cdef int32_t[:, ::1] far  # a line per source
    cdef int32_t[::1] changed, old  # what the last change of a link changed, and the distances before
    cdef int32_t[::1] queue
    cdef int64_t[::1] mark, keys, spare
    cdef int64_t stamp

    cdef void search(self, int64_t line, int64_t source) noexcept nogil
    cdef int64_t add(self, int64_t line, int64_t u, int64_t w) noexcept nogil
    cdef int64_t remove(self, int64_t line, int64_t u, int64_t w) noexcept nogil
    cdef bint has_parent(self, int64_t line, int64_t v) noexcept nogil
    cdef int64_t find_lost(self, int64_t line, int64_t w) noexcept nogil
    cdef void reconnect(self, int64_t line, int64_t many) noexcept nogil
