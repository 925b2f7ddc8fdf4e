# Sorting for all kernels: stable, so that equal keys keep their order, and without Python objects.
#
# Short arrays are sorted by insertion, longer ones by merging. `spare` needs as many cells as the array that is sorted.

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

ctypedef fused Key:
    int64_t
    uint64_t
    double


cdef inline void _insert(const Key *keys, int64_t *order, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef int64_t x
    for i in range(1, n):
        x = order[i]
        j = i
        while j > 0 and keys[order[j - 1]] > keys[x]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = x


cdef inline void argsort(const Key *keys, int64_t *order, int64_t *spare, Py_ssize_t n) noexcept nogil:
    """Write the positions 0..n-1 into `order`, by ascending key; equal keys keep their order."""
    cdef Py_ssize_t width = 16, i, j, k, start, middle, end
    for i in range(n):
        order[i] = i
    start = 0
    while start < n:
        _insert(keys, order + start, width if start + width < n else n - start)
        start += width
    while width < n:
        start = 0
        while start + width < n:
            middle = start + width
            end = middle + width if middle + width < n else n
            if keys[order[middle - 1]] > keys[order[middle]]:
                memcpy(spare, order + start, width * sizeof(int64_t))
                i, j, k = 0, middle, start
                while i < width and j < end:
                    if keys[order[j]] < keys[spare[i]]:
                        order[k] = order[j]
                        j += 1
                    else:
                        order[k] = spare[i]
                        i += 1
                    k += 1
                memcpy(order + k, spare + i, (width - i) * sizeof(int64_t))
            start += 2 * width
        width *= 2


cdef inline void sort(Key *x, Key *spare, Py_ssize_t n) noexcept nogil:
    """Sort an array in place, ascending."""
    cdef Py_ssize_t width = 16, i, j, k, start, middle, end, last
    cdef Key key
    start = 0
    while start < n:
        last = start + width if start + width < n else n
        for i in range(start + 1, last):
            key = x[i]
            j = i
            while j > start and x[j - 1] > key:
                x[j] = x[j - 1]
                j -= 1
            x[j] = key
        start += width
    while width < n:
        start = 0
        while start + width < n:
            middle = start + width
            end = middle + width if middle + width < n else n
            if x[middle - 1] > x[middle]:
                memcpy(spare, x + start, width * sizeof(Key))
                i, j, k = 0, middle, start
                while i < width and j < end:
                    if x[j] < spare[i]:
                        x[k] = x[j]
                        j += 1
                    else:
                        x[k] = spare[i]
                        i += 1
                    k += 1
                memcpy(x + k, spare + i, (width - i) * sizeof(Key))
            start += 2 * width
        width *= 2


cdef inline void select(int64_t *x, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """Move the k smallest values to the front, in any order (quickselect); k is 1 to n."""
    cdef Py_ssize_t low = 0, high = n - 1, i, j
    cdef int64_t pivot, held
    while low < high:
        pivot = x[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while pivot < x[j]:
                j -= 1
            if i <= j:
                held = x[i]
                x[i] = x[j]
                x[j] = held
                i += 1
                j -= 1
        # now x[low..j] <= pivot <= x[i..high], and what is between equals the pivot
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return
