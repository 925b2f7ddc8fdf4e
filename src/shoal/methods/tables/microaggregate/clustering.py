"""Clustering: near records into classes of k to 2k-1, by MDAV (Domingo-Ferrer & Torra 2005), or in blocks.

MDAV looks at all records for each class, which takes n^2/k steps. Above some ten thousand records they are first cut
into blocks of about 2,000, always in half along the widest column, and clustered block by block.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Literal

import numpy as np

from shoal.core.grouping import number_by_first_appearance
from shoal.core.threads import announce_compilation, run_in_pieces
from shoal.data.arrays import Floats, Ints
from shoal.errors import BadParameter
from shoal.methods.tables.mixed import Mixed

Algorithm = Literal["auto", "mdav", "blocks"]

MOST = 30_000
"""Up to so many records "auto" is MDAV."""
BLOCK = 2_000
"""About so many records make a block."""


def find_clusters(mixed: Mixed, k: int, algorithm: Algorithm = "auto") -> Ints:
    """Return a class for each record, of k to 2k-1 records that are near each other; all in one if n < 2k.

    >>> from shoal.data.table import Table
    >>> find_clusters(Mixed(Table.of({"age": [20, 61, 21, 60, 22]}), ("age",)), 2).tolist()
    [0, 1, 0, 1, 0]
    """
    announce_compilation()
    from shoal.methods.tables._kernels.clustering import mdav

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
    """Cut records into blocks of about `size`, in half along the column that is the widest there.

    >>> [block.tolist() for block in cut_blocks(np.array([[1.0, 9.0, 2.0, 8.0], [0.0, 0.0, 1.0, 1.0]]), 2)]
    [[0, 2], [3, 1]]
    """
    blocks = [(np.arange(keys.shape[1]), keys)]
    for _ in range(max(0, round(log2(max(1.0, keys.shape[1] / size))))):
        blocks = [half for rows, here in blocks for half in _halve_block(rows, here)]
    return [rows for rows, _ in blocks]


def _halve_block(rows: Ints, here: Floats) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
    """Cut a block, given by its rows and their keys."""
    widest = here[np.argmax(here.max(axis=1) - here.min(axis=1))]
    order = np.argpartition(widest, len(rows) // 2)
    low, high = order[: len(rows) // 2], order[len(rows) // 2 :]
    return (rows[low], here[:, low]), (rows[high], here[:, high])


def _make_keys(mixed: Mixed) -> Floats:
    """Return what is cut: numbers, the missing ones below all, and categories spread from 0 to 1."""
    x, c, _ = mixed.space
    low = np.array([[np.nanmin(line) - 1] for line in x]).reshape(len(x), 1)
    return np.concatenate([np.where(np.isnan(x), low, x), c / np.maximum(1, c.max(axis=1, initial=1, keepdims=True))])


# Perpendicular points: the paper's second way to publish a class, with confusion but without k-anonymity.
#
# A class of s points with mean A is published as s points A + c V with c from -epsilon to epsilon in equal steps: for
# three points A - epsilon V, A, A + epsilon V. V is a unit vector perpendicular to all differences of the class where
# there is one, else the direction in which the class varies least. Who gets which point must be a secret: by a fixed
# rule, everybody would be re-identified (E29).
#
# s is the size of a class, d the number of columns.


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
    mean = _find_mean(ordered)
    away, radius = _measure_away(ordered, mean)
    padded = np.concatenate([away, np.zeros((max(0, d - s), d))])  # as many lines as columns, so that V is among them
    _, widths, directions = np.linalg.svd(padded, full_matrices=False)
    flat = s <= d or bool(widths[-1] <= widths[0] * max(s, d) * np.finfo(np.float64).eps)
    steps = (2 * np.arange(s) - (s - 1)) / (s - 1)
    last = radius / 2 if epsilon is None else epsilon
    return Spread(mean + np.outer(last * steps, _orient_vector(directions[-1])), radius, flat)


def _find_mean(ordered: Floats) -> Floats:
    announce_compilation()
    from shoal.methods.tables._kernels.clustering import mean_of

    return np.array([mean_of(np.sort(line), len(line)) for line in ordered.T])


def _orient_vector(v: Floats) -> Floats:
    """Return the one of v and -v whose largest component is positive."""
    return v if v[np.argmax(np.abs(v))] > 0 else -v


def _measure_away(ordered: Floats, mean: Floats) -> tuple[Floats, float]:
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
