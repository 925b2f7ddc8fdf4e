"""Edits that bring every degree to its target: pairs are toggled, so that a link is added, or one that is there goes.

need[v] is how many links v still lacks (negative: has too many). The graph stays as it is in compressed rows; the
toggled pairs are kept in lists, one a vertex: head[v] is the first entry, after[e] the next one, other[e] the other
end; e ^ 1 is the entry of the same pair at the other end. many[v] counts them; room[0] entries were ever used, and
room[1] begins the list of those that are free again. `s` is all of that: (indptr, indices, head, after, other, many,
room).
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def adjacent(u, v, s):
    """Tell whether the graph links two vertices, whatever was toggled."""
    indptr, indices = s[0], s[1]
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    low, high = indptr[u], indptr[u + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low < indptr[u + 1] and indices[low] == v


@njit(nogil=True, cache=True)
def entry(u, v, s):
    """Return the entry of a toggled pair in the list of u, or -1."""
    head, after, other, many = s[2], s[3], s[4], s[5]
    swapped = many[u] > many[v]
    if swapped:
        u, v = v, u
    e = head[u]
    while e != -1 and other[e] != v:
        e = after[e]
    return e ^ 1 if swapped and e != -1 else e


@njit(nogil=True, cache=True)
def linked(u, v, s):
    """Tell whether two vertices are linked now."""
    return adjacent(u, v, s) != (entry(u, v, s) != -1)


@njit(nogil=True, cache=True)
def unlist(v, e, s):
    """Take an entry out of the list of v."""
    head, after, many = s[2], s[3], s[5]
    many[v] -= 1
    if head[v] == e:
        head[v] = after[e]
        return
    before = head[v]
    while after[before] != e:
        before = after[before]
    after[before] = after[e]


@njit(nogil=True, cache=True)
def toggle(u, v, s):
    """Add the link of two vertices, or take it away if it is there."""
    head, after, other, many, room = s[2], s[3], s[4], s[5], s[6]
    e = entry(u, v, s)
    if e != -1:
        unlist(u, e, s)
        unlist(v, e ^ 1, s)
        first = min(e, e ^ 1)
        other[first] = other[first ^ 1] = -1
        after[first] = room[1]
        room[1] = first
        return
    if room[1] != -1:
        e = room[1]
        room[1] = after[e]
    else:
        e = room[0]
        room[0] += 2
    other[e], other[e ^ 1] = v, u
    after[e], after[e ^ 1] = head[u], head[v]
    head[u], head[v] = e, e ^ 1
    many[u] += 1
    many[v] += 1


@njit(nogil=True, cache=True)
def stamp(v, s, mark):
    """Mark v and whoever it is linked to now with v, and nobody else."""
    indptr, indices, head, after, other = s[0], s[1], s[2], s[3], s[4]
    for i in range(indptr[v], indptr[v + 1]):
        mark[indices[i]] = v
    e = head[v]
    while e != -1:
        mark[other[e]] = -1 if mark[other[e]] == v else v
        e = after[e]
    mark[v] = v


@njit(nogil=True, cache=True)
def settle(u, v, sign, need, s):
    """Toggle a pair of which both ends need it."""
    toggle(u, v, s)
    need[u] -= sign
    need[v] -= sign


@njit(nogil=True, cache=True)
def pair_up(order, sign, need, mark, s):
    """Toggle pairs of which both ends need it: whoever needs most with the others who need most (Havel and Hakimi)."""
    top = 0
    for v in order:
        top = max(top, sign * need[v])
    head = np.full(top + 1, -1, dtype=np.int64)
    below = np.full(len(need), -1, dtype=np.int64)
    for v in order:
        if sign * need[v] > 0:
            below[v] = head[sign * need[v]]
            head[sign * need[v]] = v
    while top > 0:
        v = head[top]
        if v == -1:
            top -= 1
            continue
        head[top] = below[v]
        stamp(v, s, mark)
        aside, d = -1, top
        while d > 0 and need[v] != 0:
            u = head[d]
            if u == -1:
                d -= 1
                continue
            head[d] = below[u]
            if (mark[u] == v) == (sign < 0):
                settle(v, u, sign, need, s)
            below[u] = aside
            aside = u
        while aside != -1:
            u = aside
            aside = below[u]
            if need[u] != 0:
                below[u] = head[sign * need[u]]
                head[sign * need[u]] = u


@njit(nogil=True, cache=True)
def walkable(v, sign, mark, s):
    """Stamp v; tell whether it could take over an end of a pair that was toggled."""
    stamp(v, s, mark)
    other, room = s[4], s[6]
    for e in range(room[0]):
        x = other[e]
        if x not in (-1, v) and (mark[x] == v) == (sign < 0):
            return True
    return False


@njit(nogil=True, cache=True)
def walk_from(u, v, sign, need, first, second, s):
    """Look for a toggled pair (x, y) to give up for (u, x) and (v, y), all of one sign; tell whether there was one."""
    other, room = s[4], s[6]
    for e in range(room[0]):
        x, y = other[e], other[e ^ 1]
        if x == -1 or x in (u, v) or y in (u, v):
            continue
        if (first[x] == u) == (sign < 0) and (second[y] == v) == (sign < 0) and adjacent(x, y, s) == (sign < 0):
            toggle(x, y, s)
            toggle(u, x, s)
            toggle(v, y, s)
            need[u] -= sign
            need[v] -= sign
            return True
    return False


@njit(nogil=True, cache=True)
def walks(order, sign, need, first, second, s, most):
    """Serve needs that no pair is left for by alternating walks of three steps; stop after `most` looks at a pair."""
    looks = 0
    for a in range(len(order)):
        u = order[a]
        looks += s[6][0] // 8  # most of those who cannot take over an end are seen to soon
        if looks >= most:
            break
        if sign * need[u] <= 0 or not walkable(u, sign, first, s):
            continue
        for b in range(a, len(order)):
            v = order[b]
            while looks < most and sign * need[u] > (u == v) and sign * need[v] > 0:
                first[:] = -1
                second[:] = -1
                stamp(u, s, first)
                stamp(v, s, second)
                looks += s[6][0] + len(need)
                if not walk_from(u, v, sign, need, first, second, s):
                    break
