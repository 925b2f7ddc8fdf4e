"""Sampling: graphs that have given numbers of edges inside and between classes, each such world as likely as another.

Nothing else goes in: not who the members are, not which pairs were linked. So whatever is drawn tells no more than the
numbers do, and the members of a class are exchangeable in it.

c is the number of classes; members of class i have the ids from `begins[i]` on, class after class.
"""

from __future__ import annotations

import numpy as np

from shoal.data.graph import Ints

SAMPLE = 3
"""Follows the seed: what a method and the order of a file are drawn from the same seed is independent of it."""


def pairs_drawn(sizes: Ints, inside: Ints, links: Ints, between: Ints, seed: int, which: int) -> tuple[Ints, Ints]:
    """Return the ends of the edges of sample number `which` of a seed; members are numbered class by class.

    >>> a, b = pairs_drawn(np.array([2, 1]), np.array([1, 0]), np.array([[0, 1]]), np.array([2]), 0, 0)
    >>> sorted(zip(a.tolist(), b.tolist()))
    [(0, 1), (0, 2), (1, 2)]
    """
    rng = np.random.default_rng([seed, SAMPLE, which])
    begins = np.cumsum(sizes) - sizes
    at, pair = chosen(sizes * (sizes - 1) // 2, inside, rng)
    low, high = unranked(pair)
    i, j = links.reshape(-1, 2).T
    block, cell = chosen(sizes[i] * sizes[j], between, rng)
    width = sizes[j][block]
    first = np.concatenate([begins[at] + low, begins[i][block] + cell // width])
    return first, np.concatenate([begins[at] + high, begins[j][block] + cell % width])


def chosen(slots: Ints, edges: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Choose `edges[b]` of the numbers 0 to `slots[b]` - 1, for each block b; every subset is equally likely.

    Numbers are drawn until there are enough different ones: no number is treated unlike another, so neither is a
    subset. Of a block more than half full those left out are drawn, so that no more than half are repeated.

    Returns
    -------
    The block of each number, and the number.
    """
    many = 2 * edges > slots
    block, number = _distinct(slots, np.where(many, slots - edges, edges), rng)
    out = many[block]
    full = np.repeat(np.flatnonzero(many), slots[many])
    every = np.arange(len(full)) - np.repeat(np.cumsum(slots[many]) - slots[many], slots[many])
    starts = np.cumsum(slots) - slots
    stay = ~np.isin(starts[full] + every, starts[block[out]] + number[out], assume_unique=True)
    return np.concatenate([block[~out], full[stay]]), np.concatenate([number[~out], every[stay]])


def _distinct(slots: Ints, wanted: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw `wanted[b]` different numbers below `slots[b]` for each block b."""
    starts = np.cumsum(slots) - slots
    keys = np.empty(0, dtype=np.int64)
    lacking = wanted
    while lacking.any():
        block = np.repeat(np.arange(len(slots)), lacking)
        keys = np.sort(np.concatenate([keys, starts[block] + rng.integers(0, slots[block])]))
        keys = keys[np.diff(keys, prepend=-1) > 0]  # a sort is much faster here than the hashes of np.unique
        have = np.bincount(np.searchsorted(starts, keys, side="right") - 1, minlength=len(slots))
        lacking = wanted - have
    block = np.repeat(np.arange(len(slots)), wanted)
    return block, keys - starts[block]


def unranked(pair: Ints) -> tuple[Ints, Ints]:
    """Return the two members, smaller first, that a number of a pair stands for: (0,1), (0,2), (1,2), (0,3), ...

    >>> [x.tolist() for x in unranked(np.arange(6))]
    [[0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3]]
    """
    high = ((1 + np.sqrt(1 + 8 * pair.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > pair  # a root may be rounded across a whole number
    high += high * (high + 1) // 2 <= pair
    return pair - high * (high - 1) // 2, high
