"""Links that go around together: vertices in rows, one step turns every row by one place, and whole orbits are linked.

Row r has `lengths[r]` places. Under the turns a pair of places of rows a and b (g the greatest common divisor of
their lengths) is in the orbit of its difference modulo g. `many` counts the links of each orbit of two rows; an orbit
with any must get all, so that what counts is the size of the orbits that are not empty. `most` is the largest length.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.row_classes import below, chance

AIMED = 0.8
"""The share of proposals that make two links go around together."""


@njit(nogil=True, cache=True)
def gcd(a, b):
    """Return the greatest common divisor."""
    while b:
        a, b = b, a % b
    return a


@njit(nogil=True, cache=True)
def orbit(ra, ca, rb, cb, lengths, most):
    """Return the number of the orbit of two places, and its size."""
    if ra == rb:
        length = lengths[ra]
        d = (ca - cb) % length
        d = min(d, length - d)
        return (ra * len(lengths) + rb) * most + d, length // 2 if 2 * d == length else length
    if ra > rb:
        ra, ca, rb, cb = rb, cb, ra, ca
    g = gcd(lengths[ra], lengths[rb])
    return (ra * len(lengths) + rb) * most + (ca - cb) % g, lengths[ra] * lengths[rb] // g


@njit(nogil=True, cache=True)
def counted(indptr, indices, row, column, lengths, most, many):
    """Count the links of each orbit; return the size of those that are not empty."""
    total = 0
    for v in range(len(row)):
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            if v < w:
                o, size = orbit(row[v], column[v], row[w], column[w], lengths, most)
                if many[o] == 0:
                    total += size
                many[o] += 1
    return total


@njit(nogil=True, cache=True)
def moved(v, other, by, indptr, indices, row, column, lengths, most, many):
    """Add `by` to the orbits of the links of v, but for that with `other`; return what the sizes change by."""
    change = 0
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        if w == other:
            continue
        o, size = orbit(row[v], column[v], row[w], column[w], lengths, most)
        if by < 0:
            many[o] -= 1
            if many[o] == 0:
                change -= size
        else:
            if many[o] == 0:
                change += size
            many[o] += 1
    return change


@njit(nogil=True, cache=True)
def lacking(r, x, y, loads, rows, starts, lengths):
    """Return how many links to outside the members of a row lack to have as many as the one with the most.

    x and y count as if they had changed places.
    """
    top = 0
    total = 0
    for place in range(starts[r], starts[r] + lengths[r]):
        v = rows[place]
        if v == x:
            v = y
        elif v == y:
            v = x
        top = max(top, loads[v])
        total += loads[v]
    return top * lengths[r] - total


@njit(nogil=True, cache=True)
def swapped(x, y, indptr, indices, row, column, lengths, most, many):
    """Let two vertices change places; return what the sizes of the orbits change by."""
    arrays = indptr, indices, row, column, lengths, most, many
    change = moved(x, y, -1, *arrays) + moved(y, x, -1, *arrays)
    row[x], row[y] = row[y], row[x]
    column[x], column[y] = column[y], column[x]
    return change + moved(x, y, 1, *arrays) + moved(y, x, 1, *arrays)


@njit(nogil=True, cache=True)
def proposed(x, random, indptr, indices, rows, starts, row, column, lengths):
    """Return with whom x may change places: at random, or where a link of x goes around with a link of somebody else.

    That is, w being a neighbor of x and z one of a mate of w, the place that z comes to when the mate comes to w.
    """
    if chance(random) < AIMED and indptr[x] < indptr[x + 1]:
        w = indices[indptr[x] + below(random, indptr[x + 1] - indptr[x])]
        mate = rows[starts[row[w]] + below(random, lengths[row[w]])]
        if indptr[mate] < indptr[mate + 1]:
            z = indices[indptr[mate] + below(random, indptr[mate + 1] - indptr[mate])]
            return rows[starts[row[z]] + (column[z] + column[w] - column[mate]) % lengths[row[z]]]
    return np.int64(below(random, len(row)))


@njit(nogil=True, cache=True)
def annealed(random, steps, hot, cold, indptr, indices, label, loads, rows, starts, row, column, lengths, most, many):
    """Let vertices of one label change places for a while: always if orbits get no larger, else by chance.

    `rows` lists the vertices by place. Returns what the cost changed by.
    """
    total = 0
    for step in range(steps):
        x = np.int64(below(random, len(row)))
        y = proposed(x, random, indptr, indices, rows, starts, row, column, lengths)
        if x == y or label[x] != label[y]:
            continue
        change = 0
        if row[x] != row[y]:
            for r in (row[x], row[y]):
                change += lacking(r, x, y, loads, rows, starts, lengths)
                change -= lacking(r, -1, -1, loads, rows, starts, lengths)
        change += swapped(x, y, indptr, indices, row, column, lengths, most, many)
        heat = hot * (cold / hot) ** (step / steps)
        if change <= 0 or chance(random) < np.exp(-change / heat):
            rows[starts[row[x]] + column[x]] = x
            rows[starts[row[y]] + column[y]] = y
            total += change
        else:
            swapped(x, y, indptr, indices, row, column, lengths, most, many)
    return total
