"""Calibrated and compatible re-identification methods, as defined in the paper.

n is the number of individuals, k the size of the smallest class of equal records. The theorem "k-anonymity implies
k-confusion" is false for an arbitrary r (E26). It holds for a calibrated one: its matrix r(y, a)[i], over all records y
and individuals i, is doubly stochastic. Then at least k entries of each row are 1/(k(n-k+1)) or more.

Floats are compared with a tolerance of 1e-9, exact values exactly. Entropies are always floats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.data.arrays import Floats
from shoal.errors import must, public, whole
from shoal.linkage.base import Method, Questions, as_methods
from shoal.linkage.probabilities import SUM
from shoal.linkage.rows import DenseRow, Row, SharedRow, as_exact_array

MOST_SIZES = 256
"""After this many different sizes of shared rows, the exact column sums are added up."""


@public
def calibrated_threshold(k: int, n: int) -> Fraction:
    """Return 1/(k(n-k+1)): at least k entries of each row of a calibrated method reach it, for classes of k records.

    For n = k and for n >= 2k no larger threshold has this property (E26).

    >>> calibrated_threshold(3, 3), calibrated_threshold(3, 30)
    (Fraction(1, 3), Fraction(1, 84))
    """
    k, n = (whole(value, "calibrated_threshold", name, least=1) for value, name in ((k, "k"), (n, "n")))
    must(k <= n, "calibrated_threshold", "k", f"at most n, which is {n}", k)
    return Fraction(1, k * (n - k + 1))


@dataclass(frozen=True)
class Calibration:
    """Whether a method is calibrated; usable as a condition."""

    violation: str | None
    """The first violation, in words; None if there is none."""

    def __bool__(self) -> bool:
        return self.violation is None


@public
def is_calibrated(r: Method, y: Any, a: Any) -> Calibration:
    """Return whether each individual has exactly one record: for each a, the matrix r(y, a)[i] is doubly stochastic.

    Parameters
    ----------
    r
        A re-identification method.
    y
        All protected records (a record that occurs twice is listed twice), or a whole release.
    a
        The pieces of auxiliary information, or a whole original, or None.

    Examples
    --------
    A table of four equal records is 4-anonymous. This method has confusion 3 because it is not calibrated:

    >>> def r(y, a):
    ...     return [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), 0]
    >>> is_calibrated(r, ["y", "y", "y", "y"], None).violation
    'Under information 0 of a, the probabilities of individual 0 sum to 2 over all records, not to 1.'
    >>> bool(is_calibrated(lambda y, a: [Fraction(1, 4)] * 4, ["y", "y", "y", "y"], None))
    True
    """
    asked = Questions.of("is_calibrated", y, a)
    sums = [_ColumnSums() for _ in asked.infos]
    for _, _, rows in asked.each(as_methods("is_calibrated", [r])):
        for total, row in zip(sums, rows, strict=True):
            total.add(row)
        if len(asked.ys) != rows[0].n:
            return Calibration(
                f"There are {len(asked.ys):,} records for {rows[0].n:,} individuals. Each must have exactly one."
            )
    for h, total in enumerate(sums):
        wrong = total.find_first_wrong()
        if wrong is not None:
            i, came = wrong
            what = f"the probabilities of individual {i:,} sum to {came} over all records, not to 1"
            return Calibration(f"Under information {h:,} of a, {what}.")
    return Calibration(None)


class _ColumnSums:
    """The sum of the probabilities of each individual over all records; exact as long as all rows are."""

    def __init__(self) -> None:
        self._shared: dict[int, np.ndarray[Any, Any]] = {}
        self._exact: Any = 0
        self._floats: Any = None

    def add(self, row: Row) -> None:
        """Add one row."""
        if isinstance(row, DenseRow):
            self._floats = row.values + (0 if self._floats is None else self._floats)
        elif isinstance(row, SharedRow):
            size = len(row.linked)
            self._shared.setdefault(size, np.zeros(row.n, dtype=np.int64))[row.linked] += 1
            if len(self._shared) > MOST_SIZES:
                self._fold()
        else:
            self._exact = self._exact + as_exact_array(row.values)

    def _fold(self) -> None:
        for size, many in self._shared.items():
            for_each = {c: Fraction(c, size) for c in np.unique(many).tolist()}
            self._exact = self._exact + as_exact_array([for_each[c] for c in many.tolist()])
        self._shared.clear()

    def find_first_wrong(self) -> tuple[int, Any] | None:
        """Return the first individual whose probabilities do not sum to 1, and their sum."""
        self._fold()
        if self._floats is None:
            wrong = np.flatnonzero(self._exact != 1)
            return (int(wrong[0]), self._exact[wrong[0]]) if len(wrong) else None
        total: Floats = self._floats + np.asarray(self._exact, dtype=np.float64)
        wrong = np.flatnonzero(np.abs(total - 1) > SUM)
        return (int(wrong[0]), float(total[wrong[0]])) if len(wrong) else None


@dataclass(frozen=True)
class Compatibility:
    """Whether a method is compatible; usable as a condition."""

    violation: str | None
    """The first violation, in words; None if there is none."""
    entropy: tuple[float, ...]
    """The mean entropy over the records, in nats, for each piece of information."""
    pointwise: tuple[tuple[int, int], ...]
    """Pairs (j, h) where the entropy of record j rises from information h-1 to h. This is allowed."""

    def __bool__(self) -> bool:
        return self.violation is None


@public
def is_compatible(r: Method, y: Any, a: Any) -> Compatibility:
    """Return whether r is compatible with the protected records and the auxiliary information.

    It is if no evidence gives 1/n each, more evidence never raises the mean entropy over the records, and equal records
    get equal probabilities. The entropy of a single record may rise with more evidence. This is allowed and reported in
    `pointwise`.

    Parameters
    ----------
    r
        A re-identification method.
    y
        The protected records, or a whole release.
    a
        The pieces of auxiliary information in order: first no evidence, last the most.

    Examples
    --------
    >>> def r(y, a):
    ...     return [Fraction(1, 2)] * 2 if a is None else [int(y == i) for i in range(2)]
    >>> bool(is_compatible(r, [0, 1], [None, "all"])), is_compatible(r, [0, 1], [None, "all"]).pointwise
    (True, ())
    >>> is_compatible(r, [0, 1], ["all", None]).violation
    'Without evidence (information 0 of a) record 0 of y must have probability 1/2 for each individual.'
    """
    asked = Questions.of("is_compatible", y, a)
    twins = _find_first_equal(asked.ys)
    many = Counter(twins)
    firsts: dict[int, tuple[Row, ...]] = {}
    entropies = np.empty((len(asked.ys), len(asked.infos)))
    violation = None
    for j, (_, _, rows) in enumerate(asked.each(as_methods("is_compatible", [r]))):
        entropies[j] = [row.entropy() for row in rows]
        violation = violation or _check_no_evidence(j, rows[0])
        if many[twins[j]] > 1:
            violation = violation or _find_unlike(twins[j], j, firsts.setdefault(twins[j], rows), rows)
    mean = tuple(float(x) for x in entropies.mean(axis=0))
    rises = [(int(j), int(h) + 1) for j, h in np.argwhere(np.diff(entropies) > SUM)]
    return Compatibility(violation or _find_rise(mean), mean, tuple(rises))


def _find_first_equal(ys: Sequence[Any]) -> list[int]:
    """Return, for each record, the position of the first equal one."""
    try:
        seen: dict[Any, int] = {}
        return [seen.setdefault(y, j) for j, y in enumerate(ys)]
    except TypeError:  # lists, arrays: not hashable
        first: list[int] = []
        for j, y in enumerate(ys):
            first.append(next((i for i in first if first[i] == i and np.array_equal(ys[i], y)), j))
        return first


def _check_no_evidence(j: int, row: Row) -> str | None:
    if isinstance(row, DenseRow):
        even = bool((np.abs(row.values - 1 / row.n) <= SUM / row.n).all())
    else:
        even = len(row.linked) == row.n and row.peak()[1] == row.n
    wanted = f"must have probability 1/{row.n} for each individual"
    return None if even else f"Without evidence (information 0 of a) record {j:,} of y {wanted}."


def _find_unlike(i: int, j: int, first: Sequence[Row], rows: Sequence[Row]) -> str | None:
    for h, (one, other) in enumerate(zip(first, rows, strict=True)):
        if not _is_same(one, other):
            what = f"but information {h:,} of a gives them different probabilities"
            return f"Records {i:,} and {j:,} of y are equal, {what}."
    return None


def _is_same(one: Row, other: Row) -> bool:
    if isinstance(one, SharedRow) and isinstance(other, SharedRow):
        return np.array_equal(np.sort(one.linked), np.sort(other.linked))
    if isinstance(one, DenseRow) or isinstance(other, DenseRow):
        both = (np.asarray(row.values, dtype=np.float64) for row in (one, other))
        return bool(np.abs(np.subtract(*both)).max() <= SUM)
    return list(one.values) == list(other.values)


def _find_rise(mean: Sequence[float]) -> str | None:
    for h in range(1, len(mean)):
        if mean[h] > mean[h - 1] + SUM:
            what = f"the mean entropy rises from {mean[h - 1]:.6g} to {mean[h]:.6g}"
            return f"From information {h - 1:,} of a to information {h:,}, {what}."
    return None
