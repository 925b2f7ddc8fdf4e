# Isomorphism classes of neighborhoods under edits, for kernels that edit links: see shapes.py.

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef class Shapes:
    cdef const int64_t[::1] start  # the rows of the graph: shared with the kernel that edits them
    cdef const int32_t[::1] degree, rows
    cdef int32_t[::1] place, ball  # the neighbors of the center, by vertex and by position
    cdef int64_t[::1] ptr  # the links among the neighbors, by position; after them, those of a complement
    cdef int32_t[::1] near
    cdef int32_t[::1] parts  # positions, one component after the other
    cdef uint64_t[::1] colors, fresh, sorted_colors, spare_colors  # by position, or by place in a component
    cdef int64_t[::1] order, spare, rank  # of the vertices of a component
    cdef int64_t[::1] stamp, seen
    cdef int64_t turn, check
    cdef uint64_t[::1] key, word  # shapes of recent balls, by the hash of their links
    cdef dict forms  # canonical forms by drawing
    cdef object find_form
    cdef public object failure  # an error of `find_form`

    cdef uint64_t find(self, int64_t v, uint64_t key) noexcept nogil
    cdef uint64_t measure(self, int64_t v) noexcept nogil
    cdef uint64_t add_components(self, int64_t begin, int64_t end, bint divide) noexcept nogil
    cdef void complement(self, int64_t first, int64_t last, int64_t base) noexcept nogil
    cdef void localize(self, int64_t v) noexcept nogil
    cdef bint is_linked(self, int64_t w, int64_t x) noexcept nogil
    cdef int64_t list_component(self, int64_t first) noexcept nogil
    cdef void color(self, int64_t first, int64_t last) noexcept nogil
    cdef int64_t count_colors(self, int64_t first, int64_t last) noexcept nogil
    cdef uint64_t draw(self, int64_t first, int64_t last) noexcept nogil
    cdef bint is_settled(self, int64_t first, int64_t last) noexcept nogil
    cdef uint64_t look_up(self, uint64_t drawing, int64_t first, int64_t last) noexcept with gil
