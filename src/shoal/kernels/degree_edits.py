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

from shoal.kernels import rows


@njit(nogil=True, cache=True)
def adjacent(u, v, s):
    """Tell whether the graph links two vertices, whatever was toggled."""
    return rows.linked(s[0], s[1], u, v)


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


# Switches of the ends of links, and partners who need nothing: what two in need cannot give each other.
# population[c] counts who aims at c.


@njit(nogil=True, cache=True)
def count_common(v, s, common, seen):
    """Count the common neighbors of v with everybody two steps away; list them in `seen` and return how many."""
    indptr, indices = s[0], s[1]
    found = 0
    for i in range(indptr[v], indptr[v + 1]):
        w = indices[i]
        for j in range(indptr[w], indptr[w + 1]):
            x = indices[j]
            if common[x] == 0:
                seen[found] = x
                found += 1
            common[x] += 1
    return found


@njit(nogil=True, cache=True)
def switches(givers, takers, need, s, mark, common, seen):
    """Move ends of links from those who have too many to those who lack some; the third vertex keeps its degree.

    Of the neighbors of the giver the one that shares most with the taker is taken.
    """
    indptr, indices = s[0], s[1]
    for v in takers:
        if need[v] <= 0:
            continue
        mark[:] = -1
        stamp(v, s, mark)
        found = count_common(v, s, common, seen)
        for u in givers:
            while need[v] > 0 > need[u]:
                best, score = -1, -1
                for i in range(indptr[u], indptr[u + 1]):
                    w = indices[i]
                    if mark[w] != v and w != v and common[w] > score and entry(u, w, s) == -1:
                        best, score = w, common[w]
                if best == -1:
                    break
                toggle(u, best, s)
                toggle(v, best, s)
                mark[best] = v
                need[u] += 1
                need[v] -= 1
        for i in range(found):
            common[seen[i]] = 0


@njit(nogil=True, cache=True)
def movable(w, sign, need, aim, population, k):
    """Tell whether w may go one degree up or down while its class and the next one keep k members."""
    c = aim[w]
    if need[w] != 0 or c + sign < 0 or c + sign >= len(population):
        return False
    return population[c] > k and population[c + sign] >= k


@njit(nogil=True, cache=True)
def move(v, w, sign, need, aim, population, s):
    """Toggle the pair of v, which needs it, and w, whose target moves with it."""
    toggle(v, w, s)
    need[v] -= sign
    population[aim[w]] -= 1
    aim[w] += sign
    population[aim[w]] += 1


@njit(nogil=True, cache=True)
def partners(order, pool, sign, need, aim, population, k, near, s, mark, common, seen):
    """Serve what no pair serves with others who need nothing, and whose class can spare them, one degree up or down.

    With `near`, those with the least neighborhood centrality come first: few neighbors that are not shared. Then they
    come in the order of the pool.
    """
    indptr = s[0]
    at = 0
    for v in order:
        if sign * need[v] <= 0:
            continue
        mark[:] = -1
        stamp(v, s, mark)
        if near:
            found = count_common(v, s, common, seen)
            score = np.empty(found, dtype=np.int64)
            for i in range(found):
                w = seen[i]
                score[i] = indptr[w + 1] - indptr[w] - 2 * common[w]
                common[w] = 0
            chosen = seen[:found][np.argsort(score, kind="mergesort")]
            for w in chosen:
                if need[v] == 0:
                    break
                if w != v and (mark[w] == v) == (sign < 0) and movable(w, sign, need, aim, population, k):
                    move(v, w, sign, need, aim, population, s)
                    mark[w] = v if sign > 0 else -1
        tried = 0
        while need[v] != 0 and tried < len(pool):
            w = pool[at]
            at = (at + 1) % len(pool)
            tried += 1
            if w != v and (mark[w] == v) == (sign < 0) and movable(w, sign, need, aim, population, k):
                move(v, w, sign, need, aim, population, s)
                mark[w] = v if sign > 0 else -1


@njit(nogil=True, cache=True)
def force(order, pool, sign, need, s, mark):
    """Serve what is left with others, one after the other in the order of the pool, whatever becomes of them."""
    at = 0
    for v in order:
        if sign * need[v] <= 0:
            continue
        mark[:] = -1
        stamp(v, s, mark)
        for _ in range(len(pool)):
            w = pool[at]
            at = (at + 1) % len(pool)
            if w != v and (mark[w] == v) == (sign < 0):
                toggle(v, w, s)
                mark[w] = v if sign > 0 else -1
                need[v] -= sign
                need[w] -= sign
            if need[v] == 0:
                break


# From an empty graph to the target degrees with as many of the known links as possible: `s` is the state over a graph
# without links, so that whoever is listed is linked; the known links are in compressed rows, indptr and indices.


@njit(nogil=True, cache=True)
def link_known(order, indptr, indices, need, s):
    """Take over known links as far as both ends need them: each vertex with those of its neighbors who need most."""
    for v in order:
        row = indices[indptr[v] : indptr[v + 1]]
        for i in np.argsort(-need[row], kind="mergesort"):
            u = row[i]
            if need[v] > 0 and need[u] > 0 and entry(v, u, s) == -1:
                settle(v, u, 1, need, s)


@njit(nogil=True, cache=True)
def strange(v, known, s, found):
    """List the neighbors of v that are no known ones; return how many."""
    head, after, other = s[2], s[3], s[4]
    e = head[v]
    many = 0
    while e != -1 and many < len(found):
        if not adjacent(v, other[e], known):
            found[many] = other[e]
            many += 1
        e = after[e]
    return many


@njit(nogil=True, cache=True)
def best_swap(i, j, xs, ys, known, s):
    """Return which of xs and ys to part from i and j and to link instead; the most known links, or -1 for none."""
    best, at, to = 0, -1, -1
    for x in xs:
        for y in ys:
            if x not in (y, j) and y != i and entry(x, y, s) == -1:
                gain = 2 if adjacent(x, y, known) else 1
                if gain > best:
                    best, at, to = gain, x, y
                if best == 2:
                    return at, to
    return at, to


@njit(nogil=True, cache=True)
def greedy_swaps(left, right, known, s, sample):
    """Bring in known links by swaps that keep all degrees, (i, x), (j, y) to (i, j), (x, y); return how many.

    Of up to `sample` strange neighbors of each end those are taken that bring in most.
    """
    swapped = 0
    xs, ys = np.empty(sample, dtype=np.int64), np.empty(sample, dtype=np.int64)
    for e in range(len(left)):
        i, j = np.int64(left[e]), np.int64(right[e])
        if entry(i, j, s) != -1:
            continue
        p = strange(i, known, s, xs)
        q = strange(j, known, s, ys)
        x, y = best_swap(i, j, xs[:p], ys[:q], known, s)
        if x != -1:
            toggle(i, x, s)
            toggle(j, y, s)
            toggle(i, j, s)
            toggle(x, y, s)
            swapped += 1
    return swapped
