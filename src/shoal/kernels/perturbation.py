"""Random perturbation: switches of two links that keep all degrees, and nearest rows of the release."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.words import mix

# Degree-preserving switches: two links (a, b) and (c, d) become (a, d) and (c, b), and the graph stays simple.
#
# Links are in `sources` and `targets`, and as keys low * n + high in the hash table `keys`, whose entries are compared
# in full; -1 is an empty place.


@njit(nogil=True, cache=True)
def key_of(a, b, n):
    """Return the number of a link."""
    return min(a, b) * n + max(a, b)


@njit(nogil=True, cache=True)
def home(key, last):
    """Return where a key belongs."""
    return np.int64(mix(np.uint64(key)) & np.uint64(last))


@njit(nogil=True, cache=True)
def place(keys, key):
    """Return where a key is, or the empty place where it would be."""
    last = len(keys) - 1
    at = home(key, last)
    while keys[at] >= 0 and keys[at] != key:
        at = (at + 1) & last
    return at


@njit(nogil=True, cache=True)
def remove(keys, key):
    """Take a key out, and move those up that were pushed on by it."""
    last = len(keys) - 1
    hole = place(keys, key)
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


@njit(nogil=True, cache=True)
def fill(sources, targets, n, keys):
    """Enter all links."""
    for e in range(len(sources)):
        key = key_of(sources[e], targets[e], n)
        keys[place(keys, key)] = key


@njit(nogil=True, cache=True)
def switch(first, second, turned, sources, targets, n, keys, wanted):
    """Try the drawn pairs of links one after the other until `wanted` were switched; return how many were.

    `turned` tells whether the second link is read from its other end.
    """
    done = 0
    for i in range(len(first)):
        if done == wanted:
            break
        e, f = first[i], second[i]
        a, b = sources[e], targets[e]
        c, d = (targets[f], sources[f]) if turned[i] else (sources[f], targets[f])
        if a in (c, d) or b in (c, d):
            continue
        one, other = key_of(a, d, n), key_of(c, b, n)
        if keys[place(keys, one)] >= 0 or keys[place(keys, other)] >= 0:
            continue
        remove(keys, key_of(a, b, n))
        remove(keys, key_of(c, d, n))
        keys[place(keys, one)] = one
        keys[place(keys, other)] = other
        sources[e], targets[e], sources[f], targets[f] = a, d, c, b
        done += 1
    return done


# Whose links in the release are nearest to those that somebody has in the original.


@njit(nogil=True, cache=True)
def found_again(first, last, known, row_ptr, rows, indptr, indices, lowest, found):
    """Tell for v = first..last whether its published row is nearer to its known row than any other published one.

    Known rows are rows[row_ptr[v]:row_ptr[v + 1]], published ones indices[indptr[v]:indptr[v + 1]], over the same ids;
    the distance is the number of entries in which they differ. `lowest` are all ids by published degree, ascending.
    `known` is zero, one cell per vertex.
    """
    touched = np.empty(len(known), dtype=np.int64)
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
            u = touched[i]
            alone &= u == v or indptr[u + 1] - indptr[u] - 2 * known[u] > own
        for u in lowest:  # who shares nothing with v differs in all links of both
            if u != v and known[u] == 0:
                alone &= indptr[u + 1] - indptr[u] > own
                break
        found[v] = alone
        for i in range(far):
            known[touched[i]] = 0
