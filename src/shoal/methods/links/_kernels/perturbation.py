"""Random perturbation: switches of two links that keep all degrees, and nearest rows of the release."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.shoal.core._kernels.words import mix

from shoal.core._kernels import view_bytes

# Degree-preserving switches: two links (a, b) and (c, d) become (a, d) and (c, b), and the graph stays simple.
#
# Links are in `sources` and `targets`, and as keys low * n + high in the hash table `keys`, whose entries are compared
# in full; -1 is an empty place.


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_of(a: int64_t, b: int64_t, n: int64_t) -> int64_t:
    """Return the number of a link."""
    return a * n + b if a < b else b * n + a


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def home(key: int64_t, last: int64_t) -> int64_t:
    """Return where a key belongs."""
    return cython.cast(int64_t, mix(cython.cast(uint64_t, key)) & cython.cast(uint64_t, last))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_place(keys: int64_t[::1], key: int64_t) -> int64_t:
    """Return where a key is, or the empty place where it would be."""
    last: int64_t = keys.shape[0] - 1
    at = home(key, last)
    while keys[at] >= 0 and keys[at] != key:
        at = (at + 1) & last
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remove_key(keys: int64_t[::1], key: int64_t) -> cython.void:
    """Take a key out, and move up those that it had pushed on."""
    last: int64_t = keys.shape[0] - 1
    hole = find_place(keys, key)
    at = hole
    while True:
        at = (at + 1) & last
        if keys[at] < 0:
            break
        # it may fill the hole if it does not belong behind it, cyclically
        if ((at - home(keys[at], last)) & last) >= ((at - hole) & last):
            keys[hole] = keys[at]
            hole = at
    keys[hole] = -1


def place(keys: int64_t[::1], key: int64_t):
    """Return where a key is, or the empty place where it would be."""
    return find_place(keys, key)


def remove(keys: int64_t[::1], key: int64_t):
    """Take a key out, and move up those that it had pushed on."""
    remove_key(keys, key)


def fill(sources: cython.const[int64_t][::1], targets: cython.const[int64_t][::1], n: int64_t, keys: int64_t[::1]):
    """Enter all links."""
    with cython.nogil:
        for e in range(sources.shape[0]):
            key = key_of(sources[e], targets[e], n)
            keys[find_place(keys, key)] = key


def switch(
    first: cython.const[int64_t][::1],
    second: cython.const[int64_t][::1],
    turned,
    sources: int64_t[::1],
    targets: int64_t[::1],
    n: int64_t,
    keys: int64_t[::1],
    wanted: int64_t,
):
    """Try the drawn pairs of links one after the other until `wanted` were switched; return how many were.

    `turned` says whether the second link is read from its other end.
    """
    turns: cython.const[uint8_t][::1] = view_bytes(turned)
    done: int64_t = 0
    with cython.nogil:
        for i in range(first.shape[0]):
            if done == wanted:
                break
            e, f = first[i], second[i]
            a, b = sources[e], targets[e]
            c = targets[f] if turns[i] else sources[f]
            d = sources[f] if turns[i] else targets[f]
            if a == c or a == d or b == c or b == d:
                continue
            one, other = key_of(a, d, n), key_of(c, b, n)
            if keys[find_place(keys, one)] >= 0 or keys[find_place(keys, other)] >= 0:
                continue
            remove_key(keys, key_of(a, b, n))
            remove_key(keys, key_of(c, d, n))
            keys[find_place(keys, one)] = one
            keys[find_place(keys, other)] = other
            sources[e] = a
            targets[e] = d
            sources[f] = c
            targets[f] = b
            done += 1
    return done


# The vertex whose links in the release are nearest to the links that a vertex has in the original.


def found_again(
    first: int64_t,
    last: int64_t,
    known: int64_t[::1],
    row_ptr: cython.const[int64_t][::1],
    rows: cython.const[int32_t][::1],
    indptr: cython.const[int64_t][::1],
    indices: cython.const[int32_t][::1],
    lowest: cython.const[int64_t][::1],
    found,
):
    """Write for v = first..last whether its published row is nearer to its known row than any other published one.

    Known rows are rows[row_ptr[v]:row_ptr[v + 1]], published ones indices[indptr[v]:indptr[v + 1]], over the same ids;
    the distance is the number of entries in which they differ. `lowest` are all ids by published degree, ascending.
    `known` is zero, one cell per vertex.
    """
    marks: uint8_t[::1] = view_bytes(found)
    touched: int64_t[::1] = np.empty(len(known), dtype=np.int64)
    far: cython.Py_ssize_t
    alone: cython.bint
    with cython.nogil:
        for v in range(first, last):
            far = 0
            for i in range(row_ptr[v], row_ptr[v + 1]):
                for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
                    u = indices[e]
                    if known[u] == 0:
                        touched[far] = u
                        far += 1
                    known[u] += 1
            # the known degree is the same for all, and left out
            own = indptr[v + 1] - indptr[v] - 2 * known[v]
            alone = True
            for i in range(far):
                x = touched[i]
                alone = alone and (x == v or indptr[x + 1] - indptr[x] - 2 * known[x] > own)
            for i in range(lowest.shape[0]):  # a vertex that shares nothing with v differs in all links of both
                x = lowest[i]
                if x != v and known[x] == 0:
                    alone = alone and indptr[x + 1] - indptr[x] > own
                    break
            marks[v] = alone
            for i in range(far):
                known[touched[i]] = 0
