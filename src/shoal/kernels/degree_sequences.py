"""Degree sequences in which each degree occurs k times: optimal groupings (Liu & Terzi 2008), and lower bounds.

d is the descending sequence of degrees; groups are neighbors in it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Groups of k or more neighbors in a descending sequence d, at the least cost: exact dynamic programs.
#
# A group d[j:i] moves to one degree. RAISE: to its largest one, d[j], at the cost of what each member lacks. NEAREST:
# to its median, at the cost of the absolute differences. A group of 2k or more can be split at no cost, so that only k
# to 2k - 1 members are looked at. `mass` holds prefix sums of d.

RAISE, NEAREST = 0, 1
FAR = np.int64(1) << 60


@njit(nogil=True, cache=True)
def sums(d, price):
    """Return the prefix sums of the prices, and of the degrees times their prices."""
    total, mass = np.zeros(len(d) + 1, dtype=np.int64), np.zeros(len(d) + 1, dtype=np.int64)
    for i in range(len(d)):
        total[i + 1] = total[i] + price[i]
        mass[i + 1] = mass[i] + price[i] * d[i]
    return total, mass


@njit(nogil=True, cache=True)
def priced_groups(d, up, down, k):
    """Return for each i the least price of d[:i] in groups, where the last one begins, and whose degree it moves to.

    Where all prices are the same (and where `down` is so high that nobody moves down) it is the least of all. Members
    of one group with different prices are looked at one by one.
    """
    ups, up_mass = sums(d, up)
    downs, down_mass = sums(d, down)
    price, begin = np.full(len(d) + 1, FAR), np.full(len(d) + 1, -1)
    place = np.full(len(d) + 1, -1)
    price[0] = 0
    for i in range(k, len(d) + 1):
        for j in range(max(0, i - 2 * k + 1), i - k + 1):
            if price[j] >= FAR:
                continue
            first, last = j, i
            if up[j] == up[i - 1] and down[j] == down[i - 1]:
                first = j + min(i - j - 1, (i - j) * up[j] // (up[j] + down[j]))
                last = first + 1
            for at in range(first, last):
                c = d[at]
                spent = down_mass[at] - down_mass[j] - c * (downs[at] - downs[j])
                spent += c * (ups[i] - ups[at]) - (up_mass[i] - up_mass[at])
                if price[j] + spent < price[i]:
                    price[i], begin[i], place[i] = price[j] + spent, j, at
    return price, begin, place


@njit(nogil=True, cache=True)
def cost(j, i, c, at, d, mass):
    """Return what it costs to move d[j:i] to the degree c, where d[j:at] is at least c and the others at most."""
    return mass[at] - mass[j] - c * (at - j) + c * (i - at) - (mass[i] - mass[at])


@njit(nogil=True, cache=True)
def best(j, i, d, mass, kind):
    """Return the least cost of the group d[j:i]."""
    at = j if kind == RAISE else (i + j) // 2
    return cost(j, i, d[at], at, d, mass)


@njit(nogil=True, cache=True)
def even_groups(d, k, kind):
    """Return for each i and each parity the least cost of d[:i] in groups, where the last begins, and its degree.

    A group may also move to a degree beside the best one, which changes the parity where its size is odd.
    """
    _, mass = sums(d, np.ones(len(d), dtype=np.int64))
    least, begin = np.full((len(d) + 1, 2), FAR), np.full((len(d) + 1, 2), -1)
    degree = np.full((len(d) + 1, 2), -1)
    least[0, 0] = 0
    for i in range(k, len(d) + 1):
        for j in range(max(0, i - 2 * k + 1), i - k + 1):
            at = j if kind == RAISE else (i + j) // 2
            for aside in range(0 if kind == RAISE else -1, 2):
                c = d[at] + aside
                if c < 0 or c >= len(d):
                    continue
                spent = cost(j, i, d[at], at, d, mass)
                if aside:
                    spent = 0
                    for m in range(j, i):
                        spent += abs(d[m] - c)
                for parity in range(2):
                    odd = (parity + spent) % 2
                    if least[j, parity] < FAR and least[j, parity] + spent < least[i, odd]:
                        least[i, odd], begin[i, odd], degree[i, odd] = least[j, parity] + spent, j, c
    return least, begin, degree


@njit(nogil=True, cache=True)
def greedy_groups(d, k, kind):
    """Tell where groups begin by the greedy rule: the next member joins unless a fresh group costs less."""
    _, mass = sums(d, np.ones(len(d), dtype=np.int64))
    begins = np.zeros(len(d), dtype=np.bool_)
    begins[0] = True
    j, i = 0, k
    while i + k <= len(d):
        joined = best(j, i + 1, d, mass, kind) - best(j, i, d, mass, kind)
        if i + 1 < len(d):
            joined += best(i + 1, min(i + 1 + k, len(d)), d, mass, kind)
        if joined > best(i, i + k, d, mass, kind):
            begins[i] = True
            j, i = i, i + k
        else:
            i += 1
    return begins


@njit(nogil=True, cache=True)
def least_deficiency(d, k):
    """Return the least largest raise of a member over all groupings."""
    most = np.full(len(d) + 1, FAR)
    most[0] = 0
    for i in range(k, len(d) + 1):
        for j in range(max(0, i - 2 * k + 1), i - k + 1):
            most[i] = min(most[i], max(most[j], d[j] - d[i - 1]))
    return most[len(d)]


@njit(nogil=True, cache=True)
def groups_within(d, k, deficiency):
    """Return for each i the least cost of d[:i] in groups raised by `deficiency` at most, and where the last begins."""
    _, mass = sums(d, np.ones(len(d), dtype=np.int64))
    least, begin = np.full(len(d) + 1, FAR), np.full(len(d) + 1, -1)
    least[0] = 0
    for i in range(k, len(d) + 1):
        for j in range(max(0, i - 2 * k + 1), i - k + 1):
            if least[j] < FAR and d[j] - d[i - 1] <= deficiency:
                spent = least[j] + cost(j, i, d[j], j, d, mass)
                if spent < least[i]:
                    least[i], begin[i] = spent, j
    return least, begin


# What any graph with k vertices of each degree costs at least: sums over the first places of a descending sequence.
#
# d are the degrees, descending; a place is an index of d. Groups are of k to 2k - 1 places, the last of any number of
# them (others complete it). The proofs are with :mod:`shoal.methods.links.match_degrees.bounds`.


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
        for i in np.argsort(-room[row], kind="mergesort"):
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
