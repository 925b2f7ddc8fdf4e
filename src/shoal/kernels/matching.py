"""Witnesses: u of one graph and w of another have one for each neighbor of u whose partner is a neighbor of w.

Rows of the one graph are `ptr`, `idx`, of the other `other_ptr`, `other_idx`. `partner[u]` is the vertex of the other
graph that u was matched with, -1 for none; `taken[w]` the same from the other side. Ties go to the pair with the
larger random number, which both sides see alike: it is the mix of `salt` and the pair.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.hashing import mix


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
