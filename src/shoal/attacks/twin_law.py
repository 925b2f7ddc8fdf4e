"""The twin law: nothing in the links tells twins apart, so a guess inside the right class is a draw among its members.

In a release in which everybody has a twin (another vertex with the same row), a class can be permuted and nothing
changes. So a guess that hits the right class is right with probability 1 / f, where f is the number of members that
are no seeds, whatever the attacker does. A measured precision above that tells of a leak, through names or order.

Guesses inside one class lean on each other: of two twins both are found or none. With g guesses into the right class
of f free members the number of right ones has mean g / f and variance g (f - 1) / f² + g (g - 1) / (f² (f - 1)).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.attacks.outcome import Rate, wilson_interval
from shoal.data.graph import Graph, Ints
from shoal.engines.local import LocalEngine

if TYPE_CHECKING:
    from shoal.attacks.protocol import Tally

MEANS = (
    "Everybody in the release has a twin, so a guess in the right class is right by chance only, with one chance for "
    "each of its members that are no seeds. The precision that this comes to lies between low and high in nineteen of "
    "twenty runs; one measured far above it tells of a leak, through names or their order."
)


FAR = 4.0
"""So many standard deviations above the law happen by chance once in 30,000 runs: then there is a leak."""


def twin_classes(released: Graph) -> Ints | None:
    """Return for each vertex the number of its class of equal rows; None where somebody has no twin.

    >>> square, path = (Graph.from_pairs("abcd", [0, 1, 2, 3][:m], [1, 2, 3, 0][:m]) for m in (4, 3))
    >>> twin_classes(square).tolist(), twin_classes(path)
    ([0, 1, 0, 1], None)
    """
    codes = LocalEngine().group_multisets(released.indptr, released.indices, released.multiplicity)
    return codes if np.bincount(codes).min() >= 2 else None


def free_members(codes: Ints, seeds: Ints) -> Ints:
    """Count for each class its members that are no seeds."""
    classes = int(codes.max()) + 1
    return np.bincount(codes, minlength=classes) - np.bincount(codes[seeds], minlength=classes)


def expectation(into: Ints, free: Ints) -> tuple[float, float, float]:
    """Return mean and variance of the number of right guesses, and the variance if they were independent.

    Parameters
    ----------
    into
        For each guess in the right class the number of that class.
    free
        For each class its members that are no seeds.

    Examples
    --------
    Two guesses among two twins are both right or both wrong; one among three is right in a third of cases:

    >>> expectation(np.array([0, 0]), np.array([2]))
    (1.0, 1.0, 0.5)
    >>> [round(x, 3) for x in expectation(np.array([0]), np.array([3]))]
    [0.333, 0.222, 0.222]
    """
    g = np.bincount(into, minlength=len(free))
    g, f = g[g > 0].astype(np.float64), free[g > 0].astype(np.float64)
    alone = g * (f - 1) / f**2
    together = g * (g - 1) / (f**2 * np.maximum(f - 1, 1))
    return float((g / f).sum()), float((alone + together).sum()), float(alone.sum())


def law(tally: Tally) -> dict[str, Any]:
    """Compare the measured precision with the one that twins allow.

    The interval is Wilson's, for as many independent guesses as tell as much as these do.
    """
    effect = max(1.0, tally.variance / tally.independent) if tally.independent else 1.0
    low, high = wilson_interval(tally.right / effect, tally.guesses / effect)
    expected, measured = (Rate(hits, tally.guesses).rate for hits in (tally.expected, tally.right))
    deviations = (tally.right - tally.expected) / sqrt(tally.variance) if tally.variance else 0.0
    return {
        "expected precision": expected,
        "measured": measured,
        "low": low,
        "high": high,
        "inside": low <= expected <= high,
        "deviations": deviations,
        "leak": deviations > FAR,
        "means": MEANS,
    }
