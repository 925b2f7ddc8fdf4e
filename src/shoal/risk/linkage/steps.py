"""Steps: how many individuals reach a threshold, as a function of the threshold.

Counts are constant between the values that probabilities take: `counts[i]` holds for t in (bounds[i-1], bounds[i]],
the first interval begins at 0 (open) and the last ends at 1. Bounds are floats, or exact Fractions in an object array.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from shoal.risk.linkage.probabilities import Ints, Probability

Bounds = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Steps:
    """A function of t in (0, 1] that is constant between its bounds.

    >>> steps = Steps.of(exactly([Fraction(1, 4), Fraction(1, 2)]), np.array([3, 1]))
    >>> [steps.at(t) for t in (Fraction(1, 8), Fraction(1, 4), Fraction(1, 3), Fraction(3, 4))]
    [3, 3, 1, 0]
    """

    bounds: Bounds
    counts: Ints

    @classmethod
    def of(cls, values: Bounds, counts: Ints) -> Steps:
        """Build from distinct positive values, ascending, and how many individuals reach each; above them nobody."""
        if values.dtype != object:
            values = np.minimum(values, 1.0)  # a sum of floats may exceed 1 by a hair
        if values[-1] == 1:
            return cls(values, counts)
        one: Any = Fraction(1) if values.dtype == object else 1.0
        return cls(np.append(values, one), np.append(counts, 0))

    def at(self, t: Probability) -> int:
        """Return the count at t in (0, 1]; as floats, unless both t and the bounds are exact."""
        if self.bounds.dtype == object and isinstance(t, Fraction):
            return int(self.counts[np.searchsorted(self.bounds, exactly([t]), side="left")[0]])
        return int(self.counts[np.searchsorted(self.bounds.astype(np.float64), float(t), side="left")])

    def instead_of_nobody(self, n: int) -> Steps:
        """Return the steps with n where they are 0: whom nobody is linked to could be anybody."""
        return Steps(self.bounds, np.where(self.counts == 0, n, self.counts))

    def __and__(self, other: Steps) -> Steps:
        """Return the smaller of both at every t."""
        bounds = np.unique(np.concatenate([self.bounds, other.bounds]))
        mine = self.counts[np.searchsorted(self.bounds, bounds, side="left")]
        theirs = other.counts[np.searchsorted(other.bounds, bounds, side="left")]
        return Steps(bounds, np.minimum(mine, theirs)).joined()

    def joined(self) -> Steps:
        """Return the same function without bounds at which nothing changes."""
        change = np.append(self.counts[1:] != self.counts[:-1], True)
        return self if change.all() else Steps(self.bounds[change], self.counts[change])


def lowest(steps: list[Steps]) -> Steps:
    """Return the smallest count at every t."""
    return reduce(lambda a, b: a & b, steps)


def exactly(values: list[Fraction]) -> Bounds:
    """Return Fractions as an array that keeps them exact."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
