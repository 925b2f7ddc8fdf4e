"""Widths: nested intervals of round widths over numbers, with labels that say where they begin and end.

Intervals of width w begin at multiples of w, so that each width that is a multiple of another nests it. Where a number
falls is decided exactly, by its decimal spelling: 0.15 lies in [0.15, 0.2), although no float is 0.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count, pairwise
from math import isfinite
from typing import Any

import numpy as np

from shoal.errors import must

MOST = 32
"""A round width cuts the range of the numbers into at most this many pieces."""

NEAR = 1e-6
"""A quotient nearer than this to a whole number is calculated again, exactly."""


def labels(values: Sequence[float], widths: Sequence[float] | None = None) -> list[tuple[str, ...]]:
    """Return the interval in which each number falls, level by level.

    >>> labels([17, 24], [5, 10]), labels([0.15, 1.0], [0.5])
    ([('15-19', '20-24'), ('10-19', '20-29')], [('[0, 0.5)', '[1, 1.5)')])
    """
    whole = all(type(value) is int or float(value).is_integer() for value in values)
    chosen = round_widths(values, whole) if widths is None else _checked(widths, whole)
    if not chosen:
        return []
    first = np.array(_places(values, chosen[0]), dtype=object)
    return [_labeled(first // (width // chosen[0]), width, whole) for width in chosen]


def round_widths(values: Sequence[float], whole: bool) -> list[Fraction]:
    """Return 1, 2 or 5 times a power of ten, and its doubles up to the range of the values.

    >>> [str(width) for width in round_widths([17, 90], whole=True)]
    ['5', '10', '20', '40']
    """
    span = _decimal(max(values)) - _decimal(min(values))
    found = [_round(span, whole)] if span else []
    while found and found[-1] <= span:
        found.append(found[-1] * 2)
    return found[:-1]


def _round(span: Fraction, whole: bool) -> Fraction:
    """Return the smallest round width of which MOST cover a span; whole numbers need 2 at least."""
    digits = len(str(span.numerator)) - len(str(span.denominator))
    powers = (Fraction(10) ** power for power in count(digits - 4))  # the first of them is below span / 1000
    steps = (power * step for power in powers for step in (1, 2, 5))
    return next(w for w in steps if w * MOST >= span and (not whole or (w >= 2 and w.denominator == 1)))


def _checked(widths: Sequence[float], whole: bool) -> list[Fraction]:
    rule = "numbers above 0, each a multiple of the one before"
    fine = all(type(width) in (int, float) and isfinite(width) and width > 0 for width in widths)
    must(len(widths) and fine, "Hierarchy.intervals", "widths", rule, widths)
    exact = [_decimal(width) for width in widths]
    nested = all((b / a).denominator == 1 and b > a for a, b in pairwise(exact))
    must(nested, "Hierarchy.intervals", "widths", rule, widths)
    if whole:
        must(
            all(w.denominator == 1 for w in exact), "Hierarchy.intervals", "widths", "whole, as the values are", widths
        )
    return exact


def _decimal(value: float) -> Fraction:
    """Return a number as it is spelled."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def _places(values: Sequence[float], width: Fraction) -> list[int]:
    """Return the number of the interval in which each value falls, counted from 0."""
    if max(map(abs, values)) > 2**53 * min(width, Fraction(1)):
        return [_decimal(value) // width for value in values]
    quotients = np.array(values, dtype=np.float64) / float(width)
    places: list[int] = np.floor(quotients).astype(np.int64).tolist()
    near = np.abs(quotients - np.round(quotients)) <= NEAR * np.maximum(1, np.abs(quotients))
    for at in np.flatnonzero(near).tolist():
        places[at] = _decimal(values[at]) // width
    return places


def _labeled(places: np.ndarray[Any, np.dtype[np.object_]], width: Fraction, whole: bool) -> tuple[str, ...]:
    said = {place: _label(place * width, width, whole) for place in set(places.tolist())}
    return tuple(said[place] for place in places.tolist())


def _label(low: Fraction, width: Fraction, whole: bool) -> str:
    if not whole:
        return f"[{_spelled(low)}, {_spelled(low + width)})"
    between = "-" if low >= 0 else " to "
    return f"{low}{between}{low + width - 1}"


def _spelled(number: Fraction) -> str:
    """Return a boundary in decimals, exactly; it is a multiple of a decimal width, so they end.

    >>> _spelled(Fraction(3, 2)), _spelled(Fraction(-20)), _spelled(Fraction(-1, 8)), _spelled(Fraction(3, 10**20))
    ('1.5', '-20', '-0.125', '3e-20')
    """
    places = next(places for places in count() if (number * 10**places).denominator == 1)
    digits = int(number * 10**places)
    if places == 0 or places > 15:
        return f"{digits}e-{places}" if places else str(digits)
    text = str(abs(digits)).rjust(places + 1, "0")
    return f"{'-' * (number < 0)}{text[:-places]}.{text[-places:]}"
