"""What any graph with k vertices of each degree costs at least: sums over the first places of a descending sequence.

d are the degrees, descending; a place is an index of d. Groups are of k to 2k - 1 places, the last of any number of
them (others complete it). The proofs are with :mod:`shoal.methods.links.match_degrees.bounds`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FAR = np.int64(1) << 60


@njit(nogil=True, cache=True)
def spare_edges(room, indptr, near, s):
    """Choose edges of the first places, an end among the first s; return how many at each, and in all.

    At place v they are at most room[v].
    """
    room = room.copy()
    taken = np.zeros(len(room), dtype=np.int64)
    total = 0
    for v in range(len(room) - 1, -1, -1):
        row = near[indptr[v] : indptr[v + 1]]
        row = row[(row < v) & (row < s)]
        for i in np.argsort(-room[row]):
            u = row[i]
            if room[v] > 0 and room[u] > 0:
                room[v] -= 1
                room[u] -= 1
                taken[v] += 1
                taken[u] += 1
                total += 1
    return taken, total


@njit(nogil=True, cache=True)
def led_groups(d, r, k, most):
    """Return for each s <= most and number of groups the least sum of d[leader] - r over all but the leaders."""
    mass = np.zeros(most + 1, dtype=np.int64)
    for i in range(most):
        mass[i + 1] = mass[i] + r[i]
    groups = most // k + 2
    whole, found = np.full((most + 1, groups), FAR), np.full((most + 1, groups), FAR)
    whole[0, 0] = found[0, 0] = 0
    for i in range(1, most + 1):
        for g in range(1, groups):
            for j in range(max(0, i - 2 * k + 1), i):
                if whole[j, g - 1] < FAR:
                    c = whole[j, g - 1] + d[j] * (i - j - 1) - (mass[i] - mass[j + 1])
                    found[i, g] = min(found[i, g], c)
                    if i - j >= k:
                        whole[i, g] = min(whole[i, g], c)
    return found


@njit(nogil=True, cache=True)
def twice_the_edits(found, s, m):
    """Return twice what is left of the first s places, and half of the next m, less the pairs among them."""
    low = FAR
    for g in range(found.shape[1]):
        for h in range(g, found.shape[1]):
            if found[s, g] < FAR and found[s + m, h] < FAR:
                full = s - g
                half = s + m - h - full
                low = min(low, found[s, g] + found[s + m, h] - full * (full - 1) - full * half)
    return low


@njit(nogil=True, cache=True)
def moving(j, i, c, at, mass):
    """Return what it costs to move d[j:i] to the degree c, where d[j:at] is at least c and the others at most."""
    return mass[at] - mass[j] - c * (at - j) + c * (i - at) - (mass[i] - mass[at])


@njit(nogil=True, cache=True)
def parted(j, i, at, d, mass):
    """Return the least cost of moving d[j:at] down and d[at:i] up to a degree that none of them has."""
    if at == j:
        return moving(j, i, d[j] + 1, at, mass)
    if at == i:
        return moving(j, i, d[i - 1] - 1, at, mass)
    if d[at - 1] - d[at] < 2:
        return FAR
    return min(moving(j, i, d[at] + 1, at, mass), moving(j, i, d[at - 1] - 1, at, mass))


@njit(nogil=True, cache=True)
def lower(whole, found, i, j, up, stays, c, k):
    """Enter a last group d[j:i] of which so many move up and stay."""
    for p in range(up, j + up + 1):
        for e in range(stays, whole.shape[2]):
            x = whole[j, p - up, e - stays] + c
            found[i, p, e] = min(found[i, p, e], x)
            if i - j >= k:
                whole[i, p, e] = min(whole[i, p, e], x)


@njit(nogil=True, cache=True)
def signed_groups(d, k, most):
    """Return the least cost of d[:s] for each s <= most, p places that move up, and e groups of which one place stays.

    The others move down. Whoever else stays counts as moving, by nothing.
    """
    mass = np.zeros(most + 1, dtype=np.int64)
    for i in range(most):
        mass[i + 1] = mass[i] + d[i]
    shape = (most + 1, most + 1, most // k + 2)
    whole, found = np.full(shape, FAR), np.full(shape, FAR)
    whole[0, 0, 0] = found[0, 0, 0] = 0
    for i in range(1, most + 1):
        for j in range(max(0, i - 2 * k + 1), i):
            for at in range(j, i):
                lower(whole, found, i, j, i - at - 1, 1, moving(j, i, d[at], at, mass), k)
            for at in range(j, i + 1):
                c = parted(j, i, at, d, mass)
                if c < FAR:
                    lower(whole, found, i, j, i - at, 0, c, k)
    return found


@njit(nogil=True, cache=True)
def quarters_paid(d, low, high, levels, q, p, z):
    """Return for each number of first places, and each degree they could move to, the quarters that they pay in all.

    The first q pay 2 for a unit down; the first p pay 2 for a unit up, others z. Below low it is 2 more, above high
    2 - z more.
    """
    paid = np.zeros((len(d) + 1, len(levels)), dtype=np.int64)
    for v in range(len(d)):
        down = 2 if v < q else 0
        up = 2 if v < p else z
        for x in range(len(levels)):
            t = levels[x]
            lost = down * max(0, d[v] - t) + 2 * max(0, low[v] - t)
            got = up * max(0, t - d[v]) + (2 - z) * max(0, t - high[v])
            paid[v + 1, x] = paid[v, x] + lost + got
    return paid


@njit(nogil=True, cache=True)
def least_paid(paid, k, last):
    """Return the least that all places pay in groups, each of which moves to one degree; the last has last or more.

    What a group pays is convex in that degree, and the best one of the group before is near.
    """
    most, x = len(paid) - 1, 0
    whole = np.full(most + 1, FAR)
    whole[0] = 0
    for i in range(1, most + 1):
        for j in range(i - (last if i == most else k), max(-1, i - 2 * k), -1):
            if whole[j] < FAR:
                x = lowest(paid[i], paid[j], x)
                whole[i] = min(whole[i], whole[j] + paid[i, x] - paid[j, x])
    return whole[most]


@njit(nogil=True, cache=True)
def lowest(here, there, x):
    """Return where the difference, which falls and then rises, is lowest, beginning at x."""
    while x + 1 < len(here) and here[x + 1] - there[x + 1] <= here[x] - there[x]:
        x += 1
    while x > 0 and here[x - 1] - there[x - 1] <= here[x] - there[x]:
        x -= 1
    return x
