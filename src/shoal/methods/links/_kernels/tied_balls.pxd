# Balls of radius 1 with ties under edits, for kernels that edit links: see tied_balls.py.

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef class TiedBalls:
    cdef const int64_t[::1] start  # where the row of each vertex begins
    cdef int32_t[::1] degree, rows  # linked vertices, ascending
    cdef uint64_t[::1] mine, theirs  # beside each of them: the sides of its links here and there, as sums of words
    cdef int32_t[::1] many  # and their number
    cdef uint64_t[::1] inner  # the links of this neighbor inside the ball, as a sum of the words of its sides
    cdef uint64_t[::1] total  # the links of each vertex, as a sum of the words of its sides
    cdef int64_t[::1] links  # in the ball
    cdef uint64_t[::1] inside  # the sum of hashes of the links of each member inside the ball
    cdef uint64_t[::1] around  # the sum of hashes of the neighbors: their ties and all their links
    cdef int32_t[::1] changed  # the vertices whose ball the last change of a link changed
    cdef int64_t[::1] mark
    cdef int64_t stamp, found
    cdef bint counts_links, counts_inside, counts_around  # what is read

    cdef int64_t toggle(self, int64_t u, int64_t w, uint64_t here, uint64_t there, int32_t more) noexcept nogil
    cdef int64_t find(self, int64_t u, int64_t w) noexcept nogil
    cdef void note(self, int64_t v) noexcept nogil
    cdef void shift_inner(self, int64_t v, int64_t at, uint64_t change) noexcept nogil
    cdef void count_around(self, int64_t v, bint add) noexcept nogil
    cdef void change_common(
        self, int64_t u, int64_t w, uint64_t here, uint64_t there, int32_t more, bint apart, uint64_t* gained
    ) noexcept nogil
    cdef void change_entry(
        self, int64_t u, int64_t w, uint64_t here, uint64_t there, int32_t more, uint64_t gained
    ) noexcept nogil
    cdef void insert(self, int64_t u, int64_t at, int64_t w) noexcept nogil
    cdef void remove(self, int64_t u, int64_t at) noexcept nogil
