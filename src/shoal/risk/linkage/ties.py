"""Ties: which of some nearly equal distances are exactly equal. No rounding may join two of them, or part them.

Numbers are the rationals that they are stored as, so a distance is one too: |x - y| / scale summed over the columns of
numbers, plus 1 for each column in which one is missing or codes differ.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from shoal.risk.linkage.columns import Points
from shoal.risk.linkage.probabilities import Floats, Ints

FITS = 2**62


class ExactDistances:
    """Distances between points of the original and of the release, as exact numbers in a common unit.

    Whole numbers with whole scales are multiplied by the least common multiple of the scales, and stay whole; anything
    else is counted in Fractions.
    """

    def __init__(self, original: Points, release: Points, scale: Floats):
        self.original, self.release, self.scale = original, release, scale
        self.unit = self._unit()

    def _unit(self) -> int | None:
        """Return what the distance 1 is in whole numbers; None where they would not be whole, or would not fit."""
        numbers = np.concatenate([self.original.numbers, self.release.numbers, self.scale[None, :]])
        known = numbers[~np.isnan(numbers)]
        if not (np.equal(known, np.floor(known)).all() and np.abs(known).max(initial=0) < 2**53):
            return None
        scales = [int(s) for s in self.scale]
        unit = lcm(*scales) if scales else 1
        widest = np.nanmax(numbers, axis=0) - np.nanmin(numbers, axis=0) if scales else np.empty(0)
        longest = sum(int(w) * (unit // s) for w, s in zip(widest, scales, strict=True))
        columns = len(scales) + self.original.codes.shape[1]
        return unit if longest + unit * columns < FITS else None

    def of(self, q: int, points: Ints) -> np.ndarray[Any, Any]:
        """Return the distance of record point q to each of `points` of the original, exactly."""
        x, y = self.original.numbers[points], self.release.numbers[q]
        apart = (self.original.codes[points] != self.release.codes[q]).sum(axis=1)
        apart += (np.isnan(x) != np.isnan(y)).sum(axis=1)
        if self.unit is None:
            return self._in_fractions(x, y, apart)
        x, y = np.where(np.isnan(x) | np.isnan(y), 0.0, [x, np.broadcast_to(y, x.shape)]).astype(np.int64)
        steps = np.abs(x - y)  # whole numbers: the difference of two floats can need one bit more than a float has
        weights = np.array([self.unit // int(s) for s in self.scale], dtype=np.int64)
        return np.asarray(steps @ weights + self.unit * apart)

    def _in_fractions(self, x: Floats, y: Floats, apart: Ints) -> np.ndarray[Any, Any]:
        scales = [Fraction(s) for s in self.scale.tolist()]
        found = np.empty(len(x), dtype=object)
        for i, row in enumerate(x.tolist()):
            terms = zip(row, y.tolist(), scales, strict=True)
            parts = (abs(Fraction(a) - Fraction(b)) / s for a, b, s in terms if a == a and b == b)  # noqa: PLR0124 - NaN
            found[i] = sum(parts, Fraction(int(apart[i])))
        return found


def nearest(keys: np.ndarray[Any, Any], many: Ints, k: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Tell which points hold the k nearest individuals, all at the distance of the k-th included.

    >>> nearest(np.array([5, 3, 5, 9]), np.array([1, 1, 1, 1]), 2).tolist()
    [True, True, True, False]
    """
    order = np.argsort(keys, kind="stable")
    last = int(np.searchsorted(np.cumsum(many[order]), k, side="left"))
    near: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(keys <= keys[order[last]], dtype=np.bool_)
    return near
