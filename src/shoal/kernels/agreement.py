"""Rows of bits, and how many of them agree on a few columns: what l known entries of a row leave over.

A row is the adjacency of a vertex, 64 columns a word; by symmetry the row of x is also its column. Known are at most l
columns of a row: those with a link only (Definition II), any of them (Definition I), or any but its own, whose
vertices are then no candidates (the located reading). Whoever agrees with the row on them is a candidate.

After a change of some entries only sets of columns with a changed one can matter, so :func:`violation` looks for sets
that contain a given column. A column that excludes nobody is left out: the set without it leaves as many. Columns with
links come first, so that few candidates are left to look at. Sets without any link leave nearly everybody: their
columns are tried from the largest, which must be large for the set to matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.kernels.words import count_ones, lowest

NEIGHBORS, RELATIONS, LOCATED = 0, 1, 2


class BitRows(NamedTuple):
    """A graph that can change, what must be left over, and room to work in."""

    bits: np.ndarray
    original: np.ndarray
    indptr: np.ndarray  # of the original
    indices: np.ndarray
    degree: np.ndarray
    k: int
    l: int
    reading: int
    keep: bool  # whether all links of the original stay
    most: int  # links that nobody may come to have more of
    random: np.ndarray
    masks: np.ndarray  # the candidates left by the columns so far, one line per column
    words: np.ndarray  # where these have ones
    many: np.ndarray  # how many such words
    left: np.ndarray  # how many candidates
    at: np.ndarray  # the column in turn
    columns: np.ndarray
    found: np.ndarray
    row: np.ndarray
    old: np.ndarray
    new: np.ndarray
    changed: np.ndarray


@njit(nogil=True, cache=True)
def mask_of(x):
    """Return the bit of column x in its word."""
    return np.uint64(1) << np.uint64(x & 63)


@njit(nogil=True, cache=True)
def linked(row, x):
    """Tell whether a row has a link in column x."""
    return row[x >> 6] & mask_of(x) != 0


@njit(nogil=True, cache=True)
def narrow(r, depth, x, link):
    """Write who of the candidates one level up also agrees on column x; return how many."""
    located, kept, count = r.reading == LOCATED, 0, 0
    for i in range(r.many[depth - 1]):
        w = r.words[depth - 1, i]
        m = r.masks[depth - 1, w] & (r.bits[x, w] if link else ~r.bits[x, w])
        if located and w == x >> 6:
            m &= ~mask_of(x)
        if m != 0:
            r.masks[depth, w] = m
            r.words[depth, kept] = w
            kept += 1
            count += count_ones(m)
    r.many[depth] = kept
    return count


@njit(nogil=True, cache=True)
def list_columns(r, row, u, v):
    """List the columns that may be known beside v, those with links first; return how many, and how many links."""
    n, total = len(r.degree), 0
    for w in range(len(row)):
        m = row[w]
        while m != 0:
            x = (w << 6) + count_ones(lowest(m) - np.uint64(1))
            m &= m - np.uint64(1)
            if x != v:
                r.columns[total] = x
                total += 1
    links = total
    if r.reading != NEIGHBORS:
        for x in range(n):
            if x != v and not linked(row, x) and not (r.reading == LOCATED and x == u):
                r.columns[total] = x
                total += 1
    return total, links


@njit(nogil=True, cache=True)
def large(r, depth, x):
    """Tell whether column x is so large that it may be the largest of those missing in a set without links."""
    return (r.degree[x] + 1) * (r.l - depth + 1) > r.left[depth - 1] - r.k


@njit(nogil=True, cache=True)
def violation(r, row, u, v, zero):
    """Find at most l columns, v among them, on which fewer than k rows agree with `row`, the row of u.

    They are written to r.found; their number is returned, 0 if there are none. With `zero` nobody at all is no
    violation: then `row` is one that was, and nobody has these entries any more.
    """
    link = linked(row, v)
    if r.reading == NEIGHBORS and not link:
        return 0
    r.found[0] = v
    count = narrow(r, 1, v, link)
    if count < r.k:
        return 0 if zero and count == 0 else 1
    if r.l == 1:
        return 0
    r.left[1] = count
    total, links = list_columns(r, row, u, v)
    depth = 2
    r.at[2] = 0
    while depth >= 2:
        i = r.at[depth]
        if i == total:
            depth -= 1
            continue
        r.at[depth] = i + 1
        x = r.columns[i]
        bare = not link and i >= links and (depth == 2 or r.at[2] > links)  # no link is among the columns
        if bare and not large(r, depth, x):
            continue
        count = narrow(r, depth, x, i < links)
        if count == r.left[depth - 1]:
            continue
        r.found[depth - 1] = x
        if count < r.k:
            if not zero or count > 0:
                return depth
        elif depth < r.l:
            r.left[depth] = count
            depth += 1
            r.at[depth] = links if bare else i + 1
    return 0


@njit(nogil=True, cache=True)
def row_violation(r, u, first):
    """Find at most l columns, `first` or a later one among them, on which fewer than k rows agree with the row of u."""
    r.row[:] = r.bits[u]
    for v in range(first, len(r.degree)):
        if not linked(r.row, v) and (r.reading == NEIGHBORS or (r.reading == LOCATED and u == v) or not large(r, 1, v)):
            continue
        size = violation(r, r.row, u, v, False)
        if size > 0:
            return size
    return 0


@njit(nogil=True, cache=True)
def valid(r):
    """Tell whether at most l known columns leave k candidates, whatever the row."""
    for u in range(len(r.degree)):  # noqa: SIM110 - a generator does not compile
        if row_violation(r, u, 0) > 0:
            return False
    return True


@njit(nogil=True, cache=True)
def flip(r, u, v):
    """Change the entry of u and v, and their degrees."""
    r.bits[u, v >> 6] ^= mask_of(v)
    r.bits[v, u >> 6] ^= mask_of(u)
    step = 1 if linked(r.bits[u], v) else -1
    r.degree[u] += step
    r.degree[v] += step


@njit(nogil=True, cache=True)
def set_row(r, u, row):
    """Make the row of u, and its column, equal `row`; list the columns that changed, return how many."""
    many = 0
    for w in range(len(row)):
        d = r.bits[u, w] ^ row[w]
        while d != 0:
            r.changed[many] = (w << 6) + count_ones(lowest(d) - np.uint64(1))
            many += 1
            d &= d - np.uint64(1)
    for i in range(many):
        flip(r, u, r.changed[i])
    return many


@njit(nogil=True, cache=True)
def still_valid(r, u, old, many):
    """Tell whether the graph is valid after `many` listed entries of u changed from `old`; before, it was."""
    for i in range(2 * many):
        v = r.changed[i % many]
        r.row[:] = r.bits[v]
        if i >= many:
            r.row[u >> 6] ^= mask_of(u)
        if violation(r, r.row, v, u, i >= many) > 0:
            return False
    for i in range(2 * many):
        r.row[:] = r.bits[u] if i < many else old
        if violation(r, r.row, u, r.changed[i % many], i >= many) > 0:
            return False
    return True


@njit(nogil=True, cache=True)
def changed_to(r, u, row):
    """Make the row of u equal `row` if the graph stays valid; tell whether it was done."""
    r.old[:] = r.bits[u]
    many = set_row(r, u, row)
    if still_valid(r, u, r.old, many):
        return True
    set_row(r, u, r.old)
    return False
