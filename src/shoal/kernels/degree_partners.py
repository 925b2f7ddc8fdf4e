"""What no two in need can give each other: switches of the ends of links, and partners who need nothing.

need, aim and `s` are those of :mod:`shoal.kernels.degree_edits`; population[c] counts who aims at c.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.degree_edits import entry, stamp, toggle


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
            chosen = seen[:found][np.argsort(score)]
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
