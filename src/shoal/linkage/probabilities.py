"""Probabilities, exact or float, and their comparison with a threshold and with 1/n.

t is a threshold, n a number of individuals. Two exact numbers (int, Fraction, Decimal) are compared exactly. If one is
a float, both are compared as floats. Equal floats are equal. A float within a relative 1e-12 of t, but different from
t, could be on either side of it.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, isfinite
from numbers import Rational
from typing import Any

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.errors import BadParameter

Probability = Fraction | float

NEAR = 1e-12
"""Relative difference from t below which a float may be on either side of t."""
SUM = 1e-9
"""Tolerance for a sum of floats."""


def is_exact(value: object) -> bool:
    """Return whether a number is exact.

    >>> is_exact(1), is_exact(Fraction(1, 3)), is_exact(0.5)
    (True, True, False)
    """
    return isinstance(value, Rational | Decimal)


def as_threshold(t: Any, who: str) -> Probability:
    """Return t as a Fraction if it is exact, else as a float. Values outside [0, 1] raise an error.

    >>> as_threshold(0.5, "confusion"), as_threshold(1, "confusion")
    (0.5, Fraction(1, 1))
    """
    try:
        value: Probability = Fraction(t) if is_exact(t) and not isinstance(t, bool) else float(t)
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if isinstance(t, bool | str) or not 0 <= value <= 1:
        raise BadParameter(f"{who}: 't' must be a number from 0 to 1. Got {t!r}.")
    return value


def count_reaching(values: Floats, weights: Ints | None, t: float) -> int:
    """Count the values >= t. Values too close to t to decide are left out, unless no value would be left.

    This gives the smaller of the two possible confusions: if no individual reaches t, all count.

    >>> count_reaching(np.array([0.4, 0.3, 0.3]), None, 0.3), count_reaching(np.array([0.4, 0.3, 0.3]), None, 0.1 * 3)
    (3, 1)
    >>> count_reaching(np.array([0.3, 0.3, 0.3, 0.1]), None, 0.1 * 3)
    3
    """
    close = values >= t * (1 - NEAR)
    upper = values[close]
    sure = (upper == t) | (upper > t * (1 + NEAR))
    if weights is None:
        return int(np.count_nonzero(sure)) or len(upper)
    return int(weights[close][sure].sum()) or int(weights[close].sum())


def find_most_above(low: Probability) -> int:
    """Return the largest n with low < 1/n, for 0 < low; 0 if there is none.

    >>> [find_most_above(low) for low in (Fraction(1, 3), Fraction(1, 4) + Fraction(1, 1000), 1 / 3, 0.1)]
    [2, 3, 2, 9]
    """
    if isinstance(low, Fraction):
        return ceil(1 / low) - 1
    n = ceil(1 / low) + 1
    while n and low >= 1 / n:
        n -= 1
    return n


def find_most_within(high: Probability) -> int:
    """Return the largest n with high <= 1/n, for 0 < high <= 1.

    >>> [find_most_within(high) for high in (Fraction(1, 3), Fraction(34, 100), 0.1, 0.34)]
    [3, 2, 10, 2]
    """
    if isinstance(high, Fraction):
        return int(1 / high)
    n = int(1 / high) + 1
    while n > 1 and high > 1 / n:
        n -= 1
    return n


def is_at_most_one_over(t: Probability, n: int) -> bool:
    """Return whether t <= 1/n.

    >>> is_at_most_one_over(Fraction(1, 5), 5), is_at_most_one_over(0.2, 5), is_at_most_one_over(0.21, 5)
    (True, True, False)
    """
    return t * n <= 1 if isinstance(t, Fraction) else t <= 1 / n


def divide_one(n: int, like: Probability) -> Probability:
    """Return 1/n, exact if `like` is exact."""
    return Fraction(1, n) if isinstance(like, Fraction) else 1 / n


def is_finite(value: Any) -> bool:
    """Return whether a value is a finite number.

    >>> is_finite(Fraction(1, 2)), is_finite(float("nan")), is_finite("x")
    (True, False, False)
    """
    try:
        return isfinite(value)
    except (TypeError, ValueError):
        return False
