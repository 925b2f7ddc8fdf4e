"""One level of a cascade: who is alone among the neighbors of somebody who was found already.

x is somebody of the original who was found, at `found[x]` in the attacked graph; y is a neighbor of x, w a neighbor of
`found[x]`. `taken[w]` is who was found at w. Both are -1 where there is nobody. `kinds` are what is known about each,
numbers that mean the same in both graphs.
"""

from __future__ import annotations

from numba import njit

NOBODY, SEVERAL = -1, -2


@njit(nogil=True, cache=True)
def count_kinds(indptr, indices, v, kinds, done, exclude, counts, last):
    """Count the neighbors of v by their kind, without those found already if they are excluded; note the last one."""
    for e in range(indptr[v], indptr[v + 1]):
        y = indices[e]
        if not (exclude and done[y] >= 0):
            counts[kinds[y]] += 1
            last[kinds[y]] = y


@njit(nogil=True, cache=True)
def clear_kinds(indptr, indices, v, kinds, counts):
    """Undo :func:`count_kinds`."""
    for e in range(indptr[v], indptr[v + 1]):
        counts[kinds[indices[e]]] = 0


@njit(nogil=True, cache=True)
def claim(at, value, claims):
    """Note a claim; two that differ are a contradiction."""
    if claims[at] == NOBODY:
        claims[at] = value
    elif claims[at] != value:
        claims[at] = SEVERAL


@njit(nogil=True, cache=True)
def claims_around(known, graph, kinds, seen, found, taken, closed, shut, look, exclude, scratch, where, whose):
    """Note for all x that must be looked at which neighbor is which by being alone in their kind.

    `where[y]` becomes the vertex that y is claimed to be, `whose[w]` who is claimed to be w; who is `closed` or `shut`
    was claimed in two ways before. `scratch` are two arrays of zeros and two of anything, one cell a kind.
    """
    here, there, one, other = scratch
    for x in range(len(found)):
        if not look[x] or found[x] < 0:
            continue
        u = found[x]
        count_kinds(known[0], known[1], x, kinds, found, exclude, here, one)
        count_kinds(graph[0], graph[1], u, seen, taken, exclude, there, other)
        for e in range(known[0][x], known[0][x + 1]):
            kind = kinds[known[1][e]]
            if here[kind] == 1 and there[kind] == 1:
                y, w = one[kind], other[kind]
                if found[y] < 0 and taken[w] < 0 and not closed[y] and not shut[w]:
                    claim(y, w, where)
                    claim(w, y, whose)
        clear_kinds(known[0], known[1], x, kinds, here)
        clear_kinds(graph[0], graph[1], u, seen, there)


@njit(nogil=True, cache=True)
def look_around(indptr, indices, v, done, back, look):
    """Mark those found around v, who have one more neighbor found; `back` leads to their ids in `look`."""
    for e in range(indptr[v], indptr[v + 1]):
        y = indices[e]
        if done[y] >= 0:
            look[done[y] if back else y] = True


@njit(nogil=True, cache=True)
def settle(known, graph, found, taken, where, whose, closed, shut, look):
    """Take the claims that nothing contradicts, close the others for good, and mark where to look next.

    Return how many were found. `where` and `whose` are emptied.
    """
    new = 0
    look[:] = False
    for w in range(len(whose)):
        shut[w] = shut[w] or whose[w] == SEVERAL
    for y in range(len(where)):
        w = where[y]
        if w == SEVERAL:
            closed[y] = True
        if w >= 0 and (shut[w] or closed[y]):
            closed[y] = True
            where[y] = NOBODY
    for w in range(len(whose)):  # a vertex that only closed ones point at is left alone, too
        y = whose[w]
        if y >= 0 and closed[y]:
            shut[w] = True
        whose[w] = NOBODY
    for y in range(len(where)):
        w = where[y]
        where[y] = NOBODY
        if w >= 0 and not shut[w]:
            found[y], taken[w] = w, y
            look[y] = True
            new += 1
            # they may be alone now who shared a kind with y or with w
            look_around(known[0], known[1], y, found, False, look)
            look_around(graph[0], graph[1], w, taken, True, look)
    return new
