"""Optimal k-degree groupings: the dynamic program of Liu & Terzi (2008).

Degrees are sorted, d(1) >= d(2) >= ...; groups of neighbors in that order move to one degree each. With additions only
a group moves up to its largest one, with deletions too to its median; both cost the sum of the differences, L1. It is
twice the fewest edits there could be, if only every unit of one vertex met a unit of another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.arrays import Ints

NEVER = 1 << 20
"""The price of moving down where nobody may: more than any raise of a group costs."""
HUB = 16
"""The price of one unit of a well connected vertex; the others' are less or the same."""
SCANNED = 200
"""Up to which k unequal prices are tried: groups in which they differ take k squared steps."""


@dataclass(frozen=True)
class Targets:
    """Where everybody moves to, in descending order of the degrees."""

    degrees: Ints
    moved: Ints

    @property
    def cost(self) -> int:
        """The sum of the differences, L1."""
        return int(np.abs(self.moved - self.degrees).sum())


def _load_loops() -> Any:
    from shoal.methods.links._kernels import degree_sequences

    return degree_sequences


def sort_degrees(degrees: Ints) -> Ints:
    """Return the degrees, largest first."""
    return np.sort(degrees.astype(np.int64))[::-1].copy()


def find_optimal_groups(d: Ints, k: int, *, down: bool) -> Targets:
    """Return the groups of the least cost, for degrees in descending order.

    C(i), the least cost of the first i, is the least C(j) + cost(j + 1..i) over the groups of k to 2k - 1 members that
    can end at i: O(nk) steps (Liu & Terzi 2008).

    >>> find_optimal_groups(np.array([9, 5, 4, 4, 1, 1]), 2, down=False).moved.tolist()
    [9, 9, 4, 4, 1, 1]
    >>> find_optimal_groups(np.array([9, 5, 4, 4, 1, 1]), 3, down=True).moved.tolist()
    [5, 5, 5, 1, 1, 1]
    """
    price = np.ones(len(d), dtype=np.int64)
    return find_priced_groups(d, price, price if down else price * NEVER, k)


def find_priced_groups(d: Ints, up: Ints, down: Ints, k: int) -> Targets:
    """Return the groups of the least price, a unit up or down at each place of the order having its own.

    Prices must descend. With the same price everywhere it is exact.
    """
    _, begin, place = _load_loops().priced_groups(d, up, down, k)
    moved, i = d.copy(), len(d)
    while i > 0:
        moved[begin[i] : i] = d[place[i]]
        i = begin[i]
    return Targets(d, moved)


def find_greedy_groups(d: Ints, k: int, *, down: bool) -> Targets:
    """Return groups by the greedy rule of Liu & Terzi: the next one joins unless a fresh group costs less.

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
    """Return the groups of the least even cost, where degrees beside the best ones count too; None if there are none.

    The sum of all degrees is even in every graph, so that an odd cost is that of none.

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
    """Return the groups with the least largest raise, and of those the least cost (Chester et al. 2011).

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
    """Return targets with deletions that may take fewer edits than those of the least cost.

    An edit serves two units only where both find each other. Those of well connected vertices often do not, and cost
    an edit each; the others' then cost less, for they are met by these. So units up and units down are priced apart,
    those at the first places higher.
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
