# Compressed sparse rows: entries of a row, for all kernels.

from libc.stdint cimport int32_t, int64_t


cdef inline int64_t find_entry(const int64_t[::1] indptr, const int32_t[::1] indices, int64_t w, int64_t x) noexcept nogil:
    """Return where x stands in the row of w, or -1, by bisection."""
    cdef int64_t low = indptr[w], high = indptr[w + 1], end = indptr[w + 1], middle
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low if low < end and indices[low] == x else -1


cdef inline bint linked(const int64_t[::1] indptr, const int32_t[::1] indices, int64_t u, int64_t w) noexcept nogil:
    """Return whether u and w are neighbors, by bisection in the shorter row."""
    if indptr[u + 1] - indptr[u] > indptr[w + 1] - indptr[w]:
        u, w = w, u
    return find_entry(indptr, indices, u, w) >= 0
