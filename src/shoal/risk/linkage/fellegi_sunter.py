"""Fellegi-Sunter: how often pairs agree if they are the same person (m) and if not (u), by expectation-maximization.

A pair of records has a comparison vector: a level per column, 0 if they disagree, higher if they agree (better). Given
what kind of pair it is, the columns are taken as independent. The pairs are counted by their vectors, so that billions
of them cost no more than the few vectors there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.errors import must, whole
from shoal.risk.linkage.probabilities import Floats, Ints, finite


class FellegiSunter(NamedTuple):
    """What the pairs say about agreement."""

    share: float
    """The share of pairs that are the same person."""
    m: Floats
    """m[j, level]: how probable a level of column j is for the same person."""
    u: Floats
    """u[j, level]: how probable it is for two different persons."""


def fit_fellegi_sunter(
    vectors: Any,
    counts: Any,
    *,
    share: float = 0.1,
    m: float | Floats = 0.9,
    u: float | Floats = 0.1,
    iterations: int = 1_000,
    tolerance: float = 1e-9,
) -> FellegiSunter:
    """Estimate the share of matches and the m- and u-probabilities from counted comparison vectors.

    Parameters
    ----------
    vectors
        The different comparison vectors, one per row: a level from 0 per column.
    counts
        How many pairs have each.
    share, m, u
        Where to start; m and u as a matrix of a level per column, or as the probability of the highest level, the
        others sharing the rest.
    iterations
        The most steps.
    tolerance
        Stop when no probability changes by more than this.

    Returns
    -------
    FellegiSunter
        (share, m, u), to which (1 - share, u, m) would be an equal solution: it is the start that tells which is which.

    Examples
    --------
    Half of the pairs agree in both columns, half in none:

    >>> share, m, u = fit_fellegi_sunter([[0, 0], [1, 1]], [50, 50])
    >>> round(share, 3), m.round(3).tolist(), u.round(3).tolist()
    (0.5, [[0.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]])

    References
    ----------
    I. P. Fellegi, A. B. Sunter: A theory for record linkage. Journal of the American Statistical Association 1969.
    M. A. Jaro: Advances in record-linkage methodology as applied to matching the 1985 census of Tampa, Florida. 1989.
    """
    levels, pairs = _checked(vectors, counts)
    whole(iterations, "fit_fellegi_sunter", "iterations", least=1)
    must(0 < share < 1, "fit_fellegi_sunter", "share", "between 0 and 1", share)
    top = levels.max(axis=0)
    now = FellegiSunter(float(share), _start(m, top), _start(u, top))
    for _ in range(iterations):
        before, now = now, _step(now, levels, pairs)
        if max(float(np.abs(a - b).max()) for a, b in _pairs(before, now)) <= tolerance:
            break
    return now


def _pairs(before: FellegiSunter, now: FellegiSunter) -> list[tuple[Floats, Floats]]:
    return [(np.asarray(a), np.asarray(b)) for a, b in zip(before, now, strict=True)]


def log_ratio(fit: FellegiSunter, levels: Ints) -> Floats:
    """Return the logarithm of the likelihood ratio of each vector; -inf and inf where one of the two cannot be."""
    with np.errstate(divide="ignore"):
        same, other = (np.log(p[np.arange(levels.shape[1]), levels]).sum(axis=1) for p in (fit.m, fit.u))
    impossible = np.isneginf(same)
    return np.where(impossible, -np.inf, same - np.where(impossible, 0, other))


def _checked(vectors: Any, counts: Any) -> tuple[Ints, Floats]:
    levels, pairs = np.asarray(vectors), np.asarray(counts, dtype=np.float64)
    who = "fit_fellegi_sunter"
    fine = levels.ndim == 2 and levels.size and levels.dtype.kind in "iub" and (levels >= 0).all()
    must(fine, who, "vectors", "a matrix of whole numbers from 0, a vector per row", vectors)
    counted = pairs.shape == (len(levels),) and np.isfinite(pairs).all() and (pairs >= 0).all() and pairs.sum() > 0
    must(counted, who, "counts", f"one number of pairs for each of the {len(levels):,} vectors", counts)
    return levels.astype(np.int64), pairs


def _start(given: float | Floats, top: Ints) -> Floats:
    width = int(top.max()) + 1
    if not finite(given):
        table = np.asarray(given, dtype=np.float64)
        must(table.shape == (len(top), width), "fit_fellegi_sunter", "m and u", f"{len(top)} x {width}", table.shape)
        return table
    table = np.zeros((len(top), width))
    for j, highest in enumerate(top.tolist()):
        table[j, :highest] = (1 - float(given)) / max(1, highest)
        table[j, highest] = given if highest else 1
    return table


def _step(now: FellegiSunter, levels: Ints, pairs: Floats) -> FellegiSunter:
    """Return the estimate that the pairs give, weighed by how probably each is a match under the last one."""
    columns = np.arange(levels.shape[1])
    same = now.share * now.m[columns, levels].prod(axis=1)
    other = (1 - now.share) * now.u[columns, levels].prod(axis=1)
    match = np.divide(same, same + other, out=np.full(len(same), now.share), where=same + other > 0) * pairs
    return FellegiSunter(
        float(match.sum() / pairs.sum()), _mean(match, levels, now.m), _mean(pairs - match, levels, now.u)
    )


def _mean(weights: Floats, levels: Ints, last: Floats) -> Floats:
    """Return how often each level occurs among the weighed pairs; as before, if no weight is left."""
    total = weights.sum()
    if total <= 0:
        return last
    return np.array([np.bincount(column, weights, minlength=last.shape[1]) / total for column in levels.T])
