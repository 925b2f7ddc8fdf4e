"""Optimal k-degree groupings: the dynamic program of Liu & Terzi (2008).

Degrees are sorted, d(1) >= d(2) >= ..., and each run of k or more consecutive degrees moves to one value. With
additions only this value is the largest of the run; with deletions it is the median. The cost is the sum of the
absolute differences (L1). Half of it is a lower bound on the edits, reached only if every edit serves two vertices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.arrays import Ints

NEVER = 1 << 20
"""The price of moving down if deletions are not allowed: more than any increase of a group costs."""
HUB = 16
"""The price of one unit of a well-connected vertex; other prices are at most this."""
SCANNED = 200
"""The largest k for which unequal prices are tried: a group with unequal prices takes k squared steps."""


@dataclass(frozen=True)
class Targets:
    """The degrees in descending order, and the target of each."""

    degrees: Ints
    moved: Ints

    @property
    def cost(self) -> int:
        """The sum of the differences, L1."""
        return int(np.abs(self.moved - self.degrees).sum())


def _load_loops() -> Any:
    from shoal.methods.links._kernels import degrees

    return degrees


def sort_degrees(degrees: Ints) -> Ints:
    """Return the degrees, largest first."""
    return np.sort(degrees.astype(np.int64))[::-1].copy()


def find_optimal_groups(d: Ints, k: int, *, down: bool) -> Targets:
    """Return the groups with the least cost, for degrees in descending order.

    C(i), the least cost of the first i degrees, is the least C(j) + cost(j + 1..i) over all groups of k to 2k - 1
    members that end at i: O(nk) steps (Liu & Terzi 2008).

    >>> find_optimal_groups(np.array([9, 5, 4, 4, 1, 1]), 2, down=False).moved.tolist()
    [9, 9, 4, 4, 1, 1]
    >>> find_optimal_groups(np.array([9, 5, 4, 4, 1, 1]), 3, down=True).moved.tolist()
    [5, 5, 5, 1, 1, 1]
    """
    price = np.ones(len(d), dtype=np.int64)
    return find_priced_groups(d, price, price if down else price * NEVER, k)


def find_priced_groups(d: Ints, up: Ints, down: Ints, k: int) -> Targets:
    """Return the groups with the least price. Each place in the order has its own prices for a unit up and down.

    Prices must descend. The result is exact if all places have the same prices.
    """
    _, begin, place = _load_loops().priced_groups(d, up, down, k)
    moved, i = d.copy(), len(d)
    while i > 0:
        moved[begin[i] : i] = d[place[i]]
        i = begin[i]
    return Targets(d, moved)


def find_greedy_groups(d: Ints, k: int, *, down: bool) -> Targets:
    """Return groups by the greedy rule of Liu & Terzi: the next degree joins unless a new group costs less.

    >>> find_greedy_groups(np.array([9, 5, 4, 4, 1, 1]), 2, down=False).moved.tolist()
    [9, 9, 4, 4, 1, 1]
    """
    loops = _load_loops()
    kind = loops.NEAREST if down else loops.RAISE
    starts = np.append(np.flatnonzero(loops.greedy_groups(d, k, kind)), len(d))
    moved = d.copy()
    for j, i in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        moved[j:i] = d[(i + j) // 2 if down else j]
    return Targets(d, moved)


def find_even_groups(d: Ints, k: int, *, down: bool) -> Targets | None:
    """Return the groups with the least even cost, or None. Values next to the best value of a group count too.

    The sum of all degrees is even in every graph, so no graph has degrees of an odd cost.

    >>> find_even_groups(np.array([1, 1, 0]), 3, down=False).moved.tolist()
    [2, 2, 2]
    """
    loops = _load_loops()
    least, begin, degree = loops.even_groups(d, k, loops.NEAREST if down else loops.RAISE)
    moved, i, parity = d.copy(), len(d), 0
    if least[i, 0] >= loops.FAR:
        return None
    while i > 0:
        j, c = begin[i, parity], degree[i, parity]
        moved[j:i] = c
        parity = (parity + int(np.abs(d[j:i] - c).sum())) % 2
        i = j
    return Targets(d, moved)


def find_least_deficient_groups(d: Ints, k: int) -> Targets:
    """Return the groups with the smallest largest increase, and among these the least cost (Chester et al. 2011).

    >>> find_least_deficient_groups(np.array([6, 5, 2, 1, 0]), 2).moved.tolist()
    [6, 6, 2, 2, 2]
    """
    loops = _load_loops()
    _, begin = loops.groups_within(d, k, loops.least_deficiency(d, k))
    moved, i = d.copy(), len(d)
    while i > 0:
        moved[begin[i] : i] = d[begin[i]]
        i = begin[i]
    return Targets(d, moved)


def list_candidates(d: Ints, k: int) -> list[Targets]:
    """Return targets with deletions that may take fewer edits than the targets of least cost.

    An edit serves two units only if two vertices in need can be paired. Units of well-connected vertices often find no
    such pair and cost one edit each. Units of other vertices are then cheaper, because they can pair with these. So
    units up and down have separate prices, and the first places have higher ones.
    """
    found = [find_optimal_groups(d, k, down=True)]
    ones = np.ones(len(d), dtype=np.int64)
    prices = [(0, 8), *((places * k, low) for places in (2, 6, 15) for low in (1, 4, 8))] if k <= SCANNED else []
    for hubs_up, low_up in prices:
        for hubs_down, low_down in prices:
            up, down = ones * low_up, ones * low_down
            up[:hubs_up] = down[:hubs_down] = HUB
            found.append(find_priced_groups(d, up, down, k))
    return found
