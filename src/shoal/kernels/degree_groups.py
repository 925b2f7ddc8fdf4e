"""Groups of k or more neighbors in a descending sequence d, at the least cost: exact dynamic programs.

A group d[j:i] moves to one degree. RAISE: to its largest one, d[j], at the cost of what each member lacks. NEAREST: to
its median, at the cost of the absolute differences. A group of 2k or more can be split at no cost, so that only k to
2k - 1 members are looked at. `mass` holds prefix sums of d.
"""

from __future__ import annotations

import numpy as np
from numba import njit

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
