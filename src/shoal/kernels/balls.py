"""Balls and patterns around a vertex: members, edges, degrees inside, isomorphism from the center, embeddings.

A ball of radius r is the subgraph induced by the vertices at distance at most r. `place` maps a vertex id to its
position in the current ball and holds -1 elsewhere; every function that fills it clears it again.

A hub is in the balls of all its neighbors, so its row must not be read for each of them: in a row much longer than
the ball, the vertices of the ball are looked up instead. All balls of radius 1 together then cost at most
m^1.5 steps, up to a constant, as listing triangles does.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.rows import find_entry, linked
from shoal.kernels.words import mix, mix_again

_CENTER = np.uint64(0x632BE59BD9B4E019)
LOOKUP = 16
"""Looking up one vertex in a row costs about as much as reading so many entries."""


@njit(nogil=True, cache=True)
def gather(indptr, indices, v, radius, place, ball):
    """List the ball around v breadth-first in `ball`, number its vertices in `place`, and return their number."""
    ball[0] = v
    place[v] = 0
    size = 1
    head = 0
    for _ in range(radius):
        level_end = size
        while head < level_end:
            w = ball[head]
            head += 1
            for e in range(indptr[w], indptr[w + 1]):
                x = indices[e]
                if place[x] < 0:
                    place[x] = size
                    ball[size] = x
                    size += 1
        if size == level_end:
            break
    return size


@njit(nogil=True, cache=True)
def inner_degrees(indptr, indices, weights, ball, size, place, inner):
    """Write the degree inside the ball of each of its vertices; return their sum."""
    total = 0
    for i in range(size):
        w = ball[i]
        degree = 0
        if indptr[w + 1] - indptr[w] <= LOOKUP * size:
            for e in range(indptr[w], indptr[w + 1]):
                if place[indices[e]] >= 0:
                    degree += weights[e] if len(weights) else 1
        else:
            for j in range(size):
                e = find_entry(indptr, indices, w, ball[j])
                if e >= 0:
                    degree += weights[e] if len(weights) else 1
        inner[i] = degree
        total += degree
    return total


@njit(nogil=True, cache=True)
def measure(first, last, rows, indptr, indices, weights, radius, mask, sizes, edges, low, high):
    """Count vertices and edges of the balls around `rows[first:last]` and hash the degrees inside."""
    n = len(indptr) - 1
    place = np.full(n, -1, dtype=np.int32)
    ball = np.empty(n, dtype=np.int32)
    inner = np.empty(n, dtype=np.int64)
    for r in range(first, last):
        size = gather(indptr, indices, rows[r], radius, place, ball)
        edges[r] = inner_degrees(indptr, indices, weights, ball, size, place, inner) // 2
        sizes[r] = size
        a = np.uint64(0)
        b = np.uint64(0)
        for i in range(size):
            a += mix(np.uint64(inner[i]))
            b += mix_again(np.uint64(inner[i]) + np.uint64(1))
            place[ball[i]] = -1
        low[r] = a & mask
        high[r] = b & mask


@njit(nogil=True, cache=True)
def degrees_of(indptr, indices, weights, v, radius):
    """Return the degrees inside the ball around v, ascending."""
    n = len(indptr) - 1
    place = np.full(n, -1, dtype=np.int32)
    ball = np.empty(n, dtype=np.int32)
    inner = np.empty(n, dtype=np.int64)
    size = gather(indptr, indices, v, radius, place, ball)
    inner_degrees(indptr, indices, weights, ball, size, place, inner)
    return np.sort(inner[:size])


@njit(nogil=True, cache=True)
def contradicted(first, last, rows, members, bounds, indptr, indices, weights, radius, wrong):
    """Mark the members of the proposed classes first..last whose degrees inside differ from the first member's."""
    n = len(indptr) - 1
    place = np.full(n, -1, dtype=np.int32)
    ball = np.empty(n, dtype=np.int32)
    inner = np.empty(n, dtype=np.int64)
    leader = np.empty(n, dtype=np.int64)
    for c in range(first, last):
        if bounds[c + 1] - bounds[c] < 2:
            continue
        for i in range(bounds[c], bounds[c + 1]):
            size = gather(indptr, indices, rows[members[i]], radius, place, ball)
            inner_degrees(indptr, indices, weights, ball, size, place, inner)
            for j in range(size):
                place[ball[j]] = -1
            inner[:size].sort()
            if i == bounds[c]:
                leader_size = size
                leader[:size] = inner[:size]
            else:
                same = size == leader_size
                for j in range(min(size, leader_size)):
                    same &= inner[j] == leader[j]
                wrong[members[i]] = not same


@njit(nogil=True, cache=True)
def localize(indptr, indices, weights, ball, size, place, ptr, near, heavy):
    """Copy the ball into compressed rows of its own: positions of the neighbors, and weights; rows stay unsorted."""
    ptr[0] = 0
    filled = 0
    for i in range(size):
        w = ball[i]
        if indptr[w + 1] - indptr[w] <= LOOKUP * size:
            for e in range(indptr[w], indptr[w + 1]):
                x = place[indices[e]]
                if x >= 0:
                    near[filled] = x
                    heavy[filled] = weights[e] if len(weights) else 1
                    filled += 1
        else:
            for x in range(size):
                e = find_entry(indptr, indices, w, ball[x])
                if e >= 0:
                    near[filled] = x
                    heavy[filled] = weights[e] if len(weights) else 1
                    filled += 1
        ptr[i + 1] = filled


@njit(nogil=True, cache=True)
def color(size, ptr, near, heavy, shades, mask, colors, fresh):
    """Refine the hashed colors of a ball, its center marked, until their number stops growing; return that number.

    The colors are functions of the ball's isomorphism class alone: equal balls get equal colors.
    """
    for i in range(size):
        colors[i] = mix(np.uint64(shades[i])) & mask
    colors[0] = mix(colors[0] ^ _CENTER) & mask
    known = len(np.unique(colors[:size]))
    while known < size:
        for i in range(size):
            a = np.uint64(0)
            for e in range(ptr[i], ptr[i + 1]):
                a += mix(colors[near[e]] * np.uint64(3) + mix_again(np.uint64(heavy[e])))
            fresh[i] = mix(a ^ mix_again(colors[i])) & mask
        colors[:size] = fresh[:size]
        now = len(np.unique(colors[:size]))
        if now <= known:
            break
        known = now
    return known


@njit(nogil=True, cache=True)
def portray(first, last, rows, indptr, indices, weights, labels, radius, mask, low, high):
    """Hash what the balls around `rows[first:last]` look like: an invariant of their isomorphism class."""
    n = len(indptr) - 1
    place = np.full(n, -1, dtype=np.int32)
    ball = np.empty(n, dtype=np.int32)
    ptr = np.empty(n + 1, dtype=np.int64)
    shades = np.empty(n, dtype=np.int64)
    colors = np.empty(n, dtype=np.uint64)
    fresh = np.empty(n, dtype=np.uint64)
    inner = np.empty(n, dtype=np.int64)
    none = np.empty(0, dtype=np.int32)
    near = np.empty(16, dtype=np.int32)
    heavy = np.empty(16, dtype=np.int64)
    for r in range(first, last):
        size = gather(indptr, indices, rows[r], radius, place, ball)
        entries = inner_degrees(indptr, indices, none, ball, size, place, inner)
        if entries > len(near):
            near = np.empty(2 * entries, dtype=np.int32)
            heavy = np.empty(2 * entries, dtype=np.int64)
        localize(indptr, indices, weights, ball, size, place, ptr, near, heavy)
        for i in range(size):
            shades[i] = labels[ball[i]] if len(labels) else 0
            place[ball[i]] = -1
        color(size, ptr, near, heavy, shades, mask, colors, fresh)
        a = mix(colors[0])
        b = mix_again(colors[0])
        for i in range(size):
            a += mix(colors[i] ^ _CENTER)
            b += mix_again(colors[i] + np.uint64(1))
        low[r] = a & mask
        high[r] = b & mask


@njit(nogil=True, cache=True)
def settled(size, ptr, near, heavy, shades, colors, order):
    """Tell whether ties in the coloring are only between twins, so that any order by color gives the same drawing.

    Within a run of equal colors every vertex must have the label and the row of the run's first, the two themselves
    set aside and their joint edge equal throughout the run.
    """
    stamp = np.full(size, -1, dtype=np.int64)
    weight = np.zeros(size, dtype=np.int64)
    start = 0
    while start < size:
        end = start + 1
        while end < size and colors[order[end]] == colors[order[start]]:
            end += 1
        if end - start > 1:
            x = order[start]
            for e in range(ptr[x], ptr[x + 1]):
                stamp[near[e]] = x
                weight[near[e]] = heavy[e]
            link = weight[order[start + 1]] if stamp[order[start + 1]] == x else 0
            for i in range(start + 1, end):
                y = order[i]
                if shades[y] != shades[x]:
                    return False
                if (weight[y] if stamp[y] == x else 0) != link:
                    return False
                if ptr[y + 1] - ptr[y] != ptr[x + 1] - ptr[x]:
                    return False
                for e in range(ptr[y], ptr[y + 1]):
                    z = near[e]
                    if z != x and (stamp[z] != x or weight[z] != heavy[e]):
                        return False
        start = end
    return True


@njit(nogil=True, cache=True)
def draw(indptr, indices, weights, labels, v, radius, mask, place, ball):
    """Draw the ball around v with its vertices in the order of their colors, the center first.

    Returns the labels in that order, the edges (smaller position, larger position, weight) in order, and whether the
    drawing is canonical: then two balls are isomorphic if and only if their drawings are equal. Equal drawings
    always prove an isomorphism.
    """
    size = gather(indptr, indices, v, radius, place, ball)
    inner = np.empty(size, dtype=np.int64)
    entries = inner_degrees(indptr, indices, np.empty(0, dtype=np.int32), ball, size, place, inner)
    ptr = np.empty(size + 1, dtype=np.int64)
    near = np.empty(entries, dtype=np.int32)
    heavy = np.empty(entries, dtype=np.int64)
    localize(indptr, indices, weights, ball, size, place, ptr, near, heavy)
    shades = np.zeros(size, dtype=np.int64)
    for i in range(size):
        if len(labels):
            shades[i] = labels[ball[i]]
        place[ball[i]] = -1
    colors = np.empty(size, dtype=np.uint64)
    color(size, ptr, near, heavy, shades, mask, colors, np.empty(size, dtype=np.uint64))
    order = np.empty(size, dtype=np.int64)
    order[0] = 0
    order[1:] = 1 + np.argsort(colors[1:], kind="mergesort")
    alone = True
    for i in range(1, size):
        alone &= colors[i] != colors[0]
    canonical = alone and settled(size, ptr, near, heavy, shades, colors, order)
    position = np.empty(size, dtype=np.int64)
    for i in range(size):
        position[order[i]] = i
    keys = np.empty(entries // 2, dtype=np.int64)
    at = np.empty(entries // 2, dtype=np.int64)
    filled = 0
    for i in range(size):
        for e in range(ptr[i], ptr[i + 1]):
            if position[i] < position[near[e]]:
                keys[filled] = position[i] * size + position[near[e]]
                at[filled] = heavy[e]
                filled += 1
    sorting = np.argsort(keys, kind="mergesort")
    edges = np.empty((filled, 3), dtype=np.int64)
    for i in range(filled):
        edges[i, 0] = keys[sorting[i]] // size
        edges[i, 1] = keys[sorting[i]] % size
        edges[i, 2] = at[sorting[i]]
    return shades[order], edges, canonical


# Does a small rooted pattern fit at a vertex? Injective, not necessarily induced, exact degrees where they are known.
#
# A pattern has vertices 0, 1, ... with the root first; vertex i > 0 hangs on the earlier vertex `parent[i]`, is linked
# to the earlier vertices in the bit set `links[i]`, and has `exact[i]` neighbors in all (-1: at least `least[i]`).

NO, YES, UNDECIDED = 0, 1, 2


@njit(nogil=True, cache=True)
def admits(indptr, indices, image, i, x, links, exact, least):
    """Tell whether pattern vertex i may be placed on x, the earlier ones standing on `image`."""
    degree = indptr[x + 1] - indptr[x]
    if degree < least[i] or (exact[i] >= 0 and degree != exact[i]):
        return False
    for j in range(i):
        if image[j] == x:
            return False
        if (links[i] >> j) & 1 and not linked(indptr, indices, image[j], x):
            return False
    return True


@njit(nogil=True, cache=True)
def fits(indptr, indices, u, parent, links, exact, least, image, cursor, limit):
    """Search, depth first, a placement of the pattern with its root on u; give up after `limit` steps."""
    size = len(parent)
    if not admits(indptr, indices, image, 0, u, links, exact, least):
        return NO
    image[0] = u
    if size == 1:
        return YES
    i = 1
    cursor[1] = indptr[u]
    for _ in range(limit):
        base = image[parent[i]]
        if cursor[i] == indptr[base + 1]:
            i -= 1
            if i == 0:
                return NO
            cursor[i] += 1
            continue
        x = indices[cursor[i]]
        if not admits(indptr, indices, image, i, x, links, exact, least):
            cursor[i] += 1
            continue
        image[i] = x
        i += 1
        if i == size:
            return YES
        cursor[i] = indptr[image[parent[i]]]
    return UNDECIDED


@njit(nogil=True, cache=True)
def fits_at(first, last, indptr, indices, parent, links, exact, least, limit, verdicts):
    """Write for each vertex first..last whether the pattern fits there."""
    image = np.empty(len(parent), dtype=np.int64)
    cursor = np.empty(len(parent), dtype=np.int64)
    for u in range(first, last):
        verdicts[u] = fits(indptr, indices, u, parent, links, exact, least, image, cursor, limit)
