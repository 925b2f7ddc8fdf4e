"""Clustering into classes of k to 2k-1 similar records: MDAV (Domingo-Ferrer & Torra 2005), also in blocks.

MDAV reads all records for each class, which takes n^2/k steps. Larger tables are first cut into blocks of about 2,000
records, by repeated halving along the widest column. Then each block is clustered.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Literal

import numpy as np

from shoal.core.grouping import number_by_first_appearance
from shoal.data.arrays import Floats, Ints
from shoal.errors import BadParameter
from shoal.methods.tables.mixed import Mixed
from shoal.settings import run_in_pieces

Algorithm = Literal["auto", "mdav", "blocks"]

MOST = 30_000
"""The largest number of records for which "auto" is MDAV."""
BLOCK = 2_000
"""The approximate number of records in a block."""


def find_clusters(mixed: Mixed, k: int, algorithm: Algorithm = "auto") -> Ints:
    """Return the class of each record. Classes have k to 2k-1 similar records; there is one class if n < 2k.

    >>> from shoal.data.table import Table
    >>> find_clusters(Mixed(Table.of({"age": [20, 61, 21, 60, 22]}), ("age",)), 2).tolist()
    [0, 1, 0, 1, 0]
    """
    from shoal.methods.tables._kernels.records import mdav

    n = mixed.table.n
    whole = algorithm == "mdav" or (algorithm == "auto" and n <= MOST)
    blocks = [np.arange(n)] if whole else cut_blocks(_make_keys(mixed), max(BLOCK, 8 * k))
    firsts = np.cumsum([0, *(max(1, len(block) // k) for block in blocks)])
    x, c, starts = mixed.space
    labels = np.empty(n, dtype=np.int64)

    def piece(first: int, last: int) -> None:
        for b in range(first, last):
            rows = blocks[b]
            mdav(
                np.ascontiguousarray(x[:, rows]),
                np.ascontiguousarray(c[:, rows]),
                starts,
                rows.copy(),
                k,
                firsts[b],
                labels,
            )

    run_in_pieces(piece, len(blocks), "clustering", piece=4)
    return number_by_first_appearance(labels)


def cut_blocks(keys: Floats, size: int) -> list[Ints]:
    """Cut records into blocks of about `size` by repeated halving along the widest column.

    >>> [block.tolist() for block in cut_blocks(np.array([[1.0, 9.0, 2.0, 8.0], [0.0, 0.0, 1.0, 1.0]]), 2)]
    [[0, 2], [3, 1]]
    """
    blocks = [(np.arange(keys.shape[1]), keys)]
    for _ in range(max(0, round(log2(max(1.0, keys.shape[1] / size))))):
        blocks = [half for rows, here in blocks for half in _halve_block(rows, here)]
    return [rows for rows, _ in blocks]


def _halve_block(rows: Ints, here: Floats) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
    """Cut a block, given by its rows and their keys, into halves."""
    widest = here[np.argmax(here.max(axis=1) - here.min(axis=1))]
    order = np.argpartition(widest, len(rows) // 2)
    low, high = order[: len(rows) // 2], order[len(rows) // 2 :]
    return (rows[low], here[:, low]), (rows[high], here[:, high])


def _make_keys(mixed: Mixed) -> Floats:
    """Return the keys for cutting: numbers, with missing ones below all, and categories scaled to 0..1."""
    x, c, _ = mixed.space
    low = np.array([[np.nanmin(line) - 1] for line in x]).reshape(len(x), 1)
    return np.concatenate([np.where(np.isnan(x), low, x), c / np.maximum(1, c.max(axis=1, initial=1, keepdims=True))])


# Perpendicular points: confusion without k-anonymity (Stokes & Torra 2012, the 30-point example).
#
# A class of s points with mean A is published as s points A + c V, with c from -epsilon to epsilon in equal steps.
# Three points become A - epsilon V, A, A + epsilon V. V is a unit vector perpendicular to all differences of the class
# if one exists, else the direction of least variance. The assignment of points to members must be secret: with a fixed
# rule an attacker could re-identify every member (E29).
#
# s is the size of a class, d the number of columns.


@dataclass(frozen=True, eq=False)
class Spread:
    """The published points of a class."""

    points: Floats
    """One row per point, along V."""
    radius: float
    """The radius of the smallest ball around the mean that contains the class; 0 if all members are identical."""
    perpendicular: bool
    """Whether V is perpendicular to the class, up to float precision."""


def spread_points(members: Floats, epsilon: float | None = None) -> Spread:
    """Return the published points of a class, bit for bit independent of the order of its members.

    Parameters
    ----------
    members
        One row per member.
    epsilon
        The distance of the outermost points from the mean; None for half the radius of the class.

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
    mean = _find_mean(ordered)
    away, radius = _measure_away(ordered, mean)
    padded = np.concatenate([away, np.zeros((max(0, d - s), d))])  # so that V is one of the directions
    _, widths, directions = np.linalg.svd(padded, full_matrices=False)
    flat = s <= d or bool(widths[-1] <= widths[0] * max(s, d) * np.finfo(np.float64).eps)
    steps = (2 * np.arange(s) - (s - 1)) / (s - 1)
    last = radius / 2 if epsilon is None else epsilon
    return Spread(mean + np.outer(last * steps, _orient_vector(directions[-1])), radius, flat)


def _find_mean(ordered: Floats) -> Floats:
    from shoal.methods.tables._kernels.records import mean_of

    return np.array([mean_of(np.sort(line), len(line)) for line in ordered.T])


def _orient_vector(v: Floats) -> Floats:
    """Return v or -v, so that the component with the largest absolute value is positive."""
    return v if v[np.argmax(np.abs(v))] > 0 else -v


def _measure_away(ordered: Floats, mean: Floats) -> tuple[Floats, float]:
    """Return the differences of the members from the mean, scaled to at most 1 in each column, and the radius."""
    with np.errstate(over="ignore"):
        away = ordered - mean
        largest = float(np.abs(away).max())
        radius = largest * float(np.sqrt(((away / largest) ** 2).sum(axis=1)).max())
    if not np.isfinite(radius):
        raise BadParameter("Microaggregate: the numbers are too large to compute distances in floats. Scale them.")
    return away / largest, radius
