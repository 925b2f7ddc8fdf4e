"""Perpendicular points: the paper's second way to publish a class, with confusion but without k-anonymity.

A class of s points with mean A is published as s points A + c V with c from -epsilon to epsilon in equal steps: for
three points A - epsilon V, A, A + epsilon V. V is a unit vector perpendicular to all differences of the class where
there is one, else the direction in which the class varies least. Who gets which point must be a secret: by a fixed
rule, everybody would be re-identified (E29).

s is the size of a class, d the number of columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.column import Floats
from shoal.engines.local.pool import announce_compilation
from shoal.errors import BadParameter


@dataclass(frozen=True, eq=False)
class Spread:
    """What a class is published as."""

    points: Floats
    """One line per point, along V."""
    radius: float
    """Of the smallest ball around the mean that holds the class; 0 where all members coincide."""
    perpendicular: bool
    """Whether V is perpendicular to the class, as far as floats can tell."""


def spread_points(members: Floats, epsilon: float | None = None) -> Spread:
    """Return the points that a class is published as, bit for bit the same in whatever order its members come.

    Parameters
    ----------
    members
        One line per member.
    epsilon
        How far from the mean the last points are; None for half the radius of the class.

    Examples
    --------
    >>> spread_points(np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), epsilon=1.0).points.round(6)
    array([[ 1.,  1., -1.],
           [ 1.,  1.,  0.],
           [ 1.,  1.,  1.]])
    """
    ordered = members[np.lexsort(members.T[::-1])]
    if (ordered == ordered[0]).all():
        return Spread(ordered, 0.0, perpendicular=True)
    s, d = ordered.shape
    mean = _mean(ordered)
    away, radius = _away(ordered, mean)
    padded = np.concatenate([away, np.zeros((max(0, d - s), d))])  # as many lines as columns, so that V is among them
    _, widths, directions = np.linalg.svd(padded, full_matrices=False)
    flat = s <= d or bool(widths[-1] <= widths[0] * max(s, d) * np.finfo(np.float64).eps)
    steps = (2 * np.arange(s) - (s - 1)) / (s - 1)
    last = radius / 2 if epsilon is None else epsilon
    return Spread(mean + np.outer(last * steps, _forward(directions[-1])), radius, flat)


def _mean(ordered: Floats) -> Floats:
    announce_compilation()
    from shoal.engines.local.kernels.clusters import mean_of

    return np.array([mean_of(np.sort(line), len(line)) for line in ordered.T])


def _forward(v: Floats) -> Floats:
    """Return the one of v and -v whose largest component is positive."""
    return v if v[np.argmax(np.abs(v))] > 0 else -v


def _away(ordered: Floats, mean: Floats) -> tuple[Floats, float]:
    """Return where the members are as seen from the mean, at most 1 away in each column, and the radius."""
    with np.errstate(over="ignore"):
        away = ordered - mean
        largest = float(np.abs(away).max())
        radius = largest * float(np.sqrt(((away / largest) ** 2).sum(axis=1)).max())
    if not np.isfinite(radius):
        raise BadParameter(
            "Microaggregate: the numbers are too large for floats to measure their distances. Scale them."
        )
    return away / largest, radius
