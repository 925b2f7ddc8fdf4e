"""Attacks on a release: cascading re-identification, matching by witnesses, and the search for planted vertices."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.words import fraction, mix, scramble

# One level of a cascade: who is alone among the neighbors of a vertex that was found already.
#
# x is somebody of the original who was found, at `found[x]` in the attacked graph; y is a neighbor of x, w a neighbor
# of `found[x]`. `taken[w]` is who was found at w. Both are -1 where there is nobody. `kinds` are what is known about
# each, numbers that mean the same in both graphs.

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


# Witnesses: u of one graph and w of another have one for each neighbor of u whose partner is a neighbor of w.
#
# Rows of the one graph are `ptr`, `idx`, of the other `other_ptr`, `other_idx`. `partner[u]` is the vertex of the other
# graph that u was matched with, -1 for none; `taken[w]` the same from the other side. Ties go to the pair with the
# larger random number, which both sides see alike: it is the mix of `salt` and the pair.


@njit(nogil=True, cache=True)
def lot(u, w, others, flipped, salt):
    """Return the random number of a pair, the same from both sides."""
    if flipped:
        return mix(salt ^ mix(np.uint64(w) * np.uint64(others) + np.uint64(u)))
    return mix(salt ^ mix(np.uint64(u) * np.uint64(others) + np.uint64(w)))


@njit(nogil=True, cache=True)
def witnesses(u, ptr, idx, other_ptr, other_idx, partner, free, counts, touched):
    """Count the witnesses of u with every free w that has any; return how many w there are, listed in `touched`."""
    many = 0
    for e in range(ptr[u], ptr[u + 1]):
        b = partner[idx[e]]
        if b < 0:
            continue
        for f in range(other_ptr[b], other_ptr[b + 1]):
            w = other_idx[f]
            if free[w]:
                if counts[w] == 0:
                    touched[many] = w
                    many += 1
                counts[w] += 1
    return many


@njit(nogil=True, cache=True)
def favorites(
    first, last, ptr, idx, other_ptr, other_idx, partner, open_here, open_there, least, flipped, others, salt, best
):
    """Set for each open u in the range the open w with the most witnesses, `least` or more; -1 where there is none."""
    n = len(other_ptr) - 1
    counts, touched = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for u in range(first, last):
        best[u] = -1
        if not open_here[u]:
            continue
        many = witnesses(u, ptr, idx, other_ptr, other_idx, partner, open_there, counts, touched)
        most, luck = least, np.uint64(0)
        for i in range(many):
            w = touched[i]
            if counts[w] >= most:
                drawn = lot(u, w, others, flipped, salt)
                if best[u] < 0 or counts[w] > most or drawn > luck:
                    most, luck, best[u] = counts[w], drawn, w
            counts[w] = 0


@njit(nogil=True, cache=True)
def standout(u, ptr, idx, other_ptr, other_idx, partner, free, theta, flipped, others, salt, counts, touched):
    """Return the free w with the highest score, if it stands out from all others by `theta` deviations; else -1.

    The score is the number of witnesses over the root of the degree of w; it is 0 for all without witnesses, and these
    count in the deviation.
    """
    n = len(other_ptr) - 1
    many = witnesses(u, ptr, idx, other_ptr, other_idx, partner, free, counts, touched)
    best, first, second, luck = -1, 0.0, 0.0, np.uint64(0)
    total, squares = 0.0, 0.0
    for i in range(many):
        w = touched[i]
        score = counts[w] / np.sqrt(float(other_ptr[w + 1] - other_ptr[w]))
        counts[w] = 0
        total += score
        squares += score * score
        if score < first:
            second = max(second, score)
            continue
        drawn = lot(u, w, others, flipped, salt)
        if score > first:
            second = first
            best, first, luck = w, score, drawn
        else:
            second = first
            if drawn > luck:
                best, luck = w, drawn
    spread = np.sqrt(max(0.0, squares / n - (total / n) ** 2))
    tied = theta > 0 and first == second  # even where there is no spread at all
    return -1 if tied or first - second < theta * spread else best


@njit(nogil=True, cache=True)
def propagate(order, ptr, idx, other_ptr, other_idx, partner, taken, free, other_free, theta, salt):
    """Visit vertices in order, and match each with whom it stands out for and who stands out for it; count changes.

    A vertex that was matched is visited as if it were not, and keeps its partner if no other is found.
    """
    n, others = len(ptr) - 1, len(other_ptr) - 1
    counts, touched = np.zeros(others, dtype=np.int32), np.empty(others, dtype=np.int32)
    back_counts, back_touched = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    changes = 0
    for u in order:
        old = partner[u]
        if old >= 0:
            partner[u], taken[old], free[u], other_free[old] = -1, -1, True, True
        new = standout(
            u, ptr, idx, other_ptr, other_idx, partner, other_free, theta, False, others, salt, counts, touched
        )
        if new >= 0:
            back = standout(
                new, other_ptr, other_idx, ptr, idx, taken, free, theta, True, others, salt, back_counts, back_touched
            )
            if back != u:
                new = -1
        if new < 0:
            new = old
        elif new != old:
            changes += 1
        if new >= 0:
            partner[u], taken[new], free[u], other_free[new] = new, u, False, False
    return changes


# Planted vertices sought one after the other: partial matches are extended by one vertex, the best are kept.
#
# i is the position of the planted vertex that comes next, j that of an earlier one. `matches[b]` holds the vertices
# taken for positions 0 to i - 1; its cost is how many links among them differ from the planted ones, and by how many
# their degrees do.


@njit(nogil=True, cache=True)
def toss(seed, a, b):
    """Return a number between 0 and 1 that looks drawn, the same for the same arguments."""
    one, other = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15), np.uint64(b) * np.uint64(0xC2B2AE3D27D4EB4F)
    return fraction(scramble(np.uint64(seed) ^ one ^ other))


@njit(nogil=True, cache=True)
def touch(indptr, indices, match, i, linked, agree, differ, touched):
    """Count, for whoever is linked to a vertex of the match, where that is as planted and where it is not."""
    far = 0
    for j in range(i):
        y = match[j]
        for e in range(indptr[y], indptr[y + 1]):
            u = indices[e]
            if agree[u] == 0 and differ[u] == 0:
                touched[far] = u
                far += 1
            if linked[j]:
                agree[u] += 1
            else:
                differ[u] += 1
    return far


@njit(nogil=True, cache=True)
def inside(match, i, u):
    """Tell whether u is in the match."""
    found = False
    for j in range(i):
        found = found or match[j] == u
    return found


@njit(nogil=True, cache=True)
def extend(
    indptr, indices, matches, costs, i, linked, degree, allowed, least, share, seed, work, counts, out, out_costs
):
    """Extend every match by whoever is linked to one of the vertices that they must be linked to.

    Without room in `out` only count, in `counts`, how many extensions there are of each cost up to `allowed`. With room
    write those that cost less than `least`, and of those that cost as much a `share`, drawn; return how many.
    """
    agree, differ, touched = work
    wanted = 0
    for j in range(i):
        wanted += linked[j]
    filled = 0
    for b in range(len(matches)):
        far = touch(indptr, indices, matches[b], i, linked, agree, differ, touched)
        for t in range(far):
            u = touched[t]
            good, bad = agree[u], differ[u]
            agree[u] = differ[u] = 0
            cost = costs[b] + wanted - good + bad + abs(indptr[u + 1] - indptr[u] - degree)
            if good == 0 or cost > allowed or inside(matches[b], i, u):
                continue
            if len(out) == 0:
                counts[cost] += 1
            elif filled < len(out) and (cost < least or (cost == least and toss(seed, b, u) < share)):
                out[filled, :i] = matches[b, :i]
                out[filled, i] = u
                out_costs[filled] = cost
                filled += 1
    return filled
