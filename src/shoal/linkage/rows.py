"""Row: one answer of a re-identification method, a distribution over the individuals.

r(y, a) has one of three forms: `SharedRow` (equal for some individuals, 0 for the others, exact), `ListedRow` (exact
probabilities) and `DenseRow` (floats). n is the number of individuals, i one of them, t a threshold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, reduce
from math import log
from typing import Any

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.errors import BadParameter
from shoal.linkage.probabilities import SUM, Probability, count_reaching, is_exact, is_finite


class Row(ABC):
    """A distribution over n individuals."""

    n: int
    """The number of individuals."""
    values: Sequence[Probability] | Floats
    """One probability per individual."""
    linked: Ints
    """The individuals with a probability above 0, ascending: the paper's J."""

    @property
    def key(self) -> Hashable:
        """Equal only for rows with the same `steps`; None if a comparison would cost too much."""
        return None

    @abstractmethod
    def count(self, t: Probability) -> int:
        """Count the individuals with a probability of at least t (for floats see :mod:`.probabilities`)."""

    @abstractmethod
    def steps(self) -> Steps:
        """Return the count as a function of t."""

    @abstractmethod
    def peak(self) -> tuple[Probability, int]:
        """Return the highest probability, and how often it occurs."""

    def entropy(self) -> float:
        """Return the entropy in nats."""
        p = np.array([float(x) for x in self.values if x > 0])
        return float(-(p * np.log(p)).sum())


@dataclass(frozen=True, eq=False)
class SharedRow(Row):
    """1/|J| for each individual of J, 0 for the others."""

    linked: Ints
    n: int

    @property
    def values(self) -> Sequence[Probability]:  # type: ignore[override]
        """One Fraction per individual."""
        share, row = Fraction(1, len(self.linked)), [Fraction(0)] * self.n
        for i in self.linked.tolist():
            row[i] = share
        return row

    @property
    def key(self) -> Hashable:
        """The size of J."""
        return len(self.linked)

    def count(self, t: Probability) -> int:
        """Count the individuals with at least t: all for t = 0, else |J| or 0."""
        if t == 0:
            return self.n
        size = len(self.linked)
        if isinstance(t, Fraction):
            return size if size * t <= 1 else 0
        return count_reaching(np.array([1 / size]), np.array([size]), t)

    def steps(self) -> Steps:
        """Return one step, down from |J| at 1/|J|."""
        size = len(self.linked)
        return Steps.of(as_exact_array([Fraction(1, size)]), np.array([size]))

    def peak(self) -> tuple[Probability, int]:
        """Return 1/|J|, which occurs |J| times."""
        return Fraction(1, len(self.linked)), len(self.linked)

    def entropy(self) -> float:
        """Return log |J|."""
        return log(len(self.linked))


@dataclass(frozen=True, eq=False)
class ListedRow(Row):
    """Exact probabilities."""

    values: tuple[Fraction, ...]

    @property
    def n(self) -> int:  # type: ignore[override]
        """The number of individuals."""
        return len(self.values)

    @property
    def linked(self) -> Ints:  # type: ignore[override]
        """The individuals with a probability above 0."""
        return np.array([i for i, value in enumerate(self.values) if value], dtype=np.int64)

    @cached_property
    def _tally(self) -> list[tuple[Fraction, int]]:
        return sorted((value, many) for value, many in Counter(self.values).items() if value)

    @property
    def key(self) -> Hashable:
        """The values that occur, and how often."""
        return tuple(self._tally)

    def count(self, t: Probability) -> int:
        """Count the individuals with at least t, exactly if t is exact."""
        if t == 0:
            return self.n
        if isinstance(t, Fraction):
            return sum(many for value, many in self._tally if value >= t)
        return count_reaching(
            np.array([float(value) for value, _ in self._tally]), np.array([many for _, many in self._tally]), t
        )

    def steps(self) -> Steps:
        """Return a step at each value."""
        many = np.array([many for _, many in self._tally])
        return Steps.of(as_exact_array([value for value, _ in self._tally]), many[::-1].cumsum()[::-1])

    def peak(self) -> tuple[Probability, int]:
        """Return the highest value, and how often it occurs."""
        return self._tally[-1]


@dataclass(frozen=True, eq=False)
class DenseRow(Row):
    """Floats, without rounding."""

    values: Floats

    @property
    def n(self) -> int:  # type: ignore[override]
        """The number of individuals."""
        return len(self.values)

    @property
    def linked(self) -> Ints:  # type: ignore[override]
        """The individuals with a probability above 0."""
        return np.flatnonzero(self.values)

    def count(self, t: Probability) -> int:
        """Count the individuals with at least t, as floats."""
        return self.n if t == 0 else count_reaching(self.values, None, float(t))

    def steps(self) -> Steps:
        """Return a step at each value."""
        values, many = np.unique(self.values[self.values > 0], return_counts=True)
        return Steps.of(values, many[::-1].cumsum()[::-1])

    def peak(self) -> tuple[Probability, int]:
        """Return the highest value, and how often exactly this value occurs."""
        highest = self.values.max()
        return min(float(highest), 1.0), int(np.count_nonzero(self.values == highest))

    def entropy(self) -> float:
        """Return the entropy in nats."""
        p = self.values[self.values > 0]
        return float(-(p * np.log(p)).sum())


class CodedRow(DenseRow):
    """Floats with few distinct values: `table[codes[i]]` for the individual i."""

    def __init__(self, table: Floats, codes: Ints, many: Ints):
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "many", many)

    table: Floats
    codes: Ints
    many: Ints
    """The number of individuals with each value of the table."""

    @property
    def n(self) -> int:  # type: ignore[override]
        """The number of individuals."""
        return len(self.codes)

    @property
    def values(self) -> Floats:  # type: ignore[override]
        """One float per individual."""
        return self.table[self.codes]

    def count(self, t: Probability) -> int:
        """Count the individuals with at least t, as floats."""
        return self.n if t == 0 else count_reaching(self.table, self.many, float(t))

    def steps(self) -> Steps:
        """Return a step at each value."""
        taken = self.table > 0
        values, which = np.unique(self.table[taken], return_inverse=True)
        many = np.bincount(which, self.many[taken]).astype(np.int64)
        return Steps.of(values, many[::-1].cumsum()[::-1])

    def peak(self) -> tuple[Probability, int]:
        """Return the highest value, and how often exactly this value occurs."""
        highest = self.table[self.many > 0].max()
        return min(float(highest), 1.0), int(self.many[self.table == highest].sum())


def share_evenly(n: int) -> SharedRow:
    """Return the answer of a method without evidence: 1/n each."""
    return SharedRow(np.arange(n), n)


def as_row(answer: Any) -> Row:
    """Return the answer of a method as a row. An answer that is not a distribution raises an error.

    >>> as_row([Fraction(1, 2), 0, Fraction(1, 2)]).count(Fraction(1, 2))
    2
    >>> as_row([0.5, 0.6])
    Traceback (most recent call last):
    ...
    shoal.errors.BadParameter: r(y, a) must be probabilities that sum to 1. Got the sum 1.1.
    """
    if isinstance(answer, Row):
        return answer
    if isinstance(answer, str | bytes | dict) or not hasattr(answer, "__iter__"):
        raise BadParameter(f"r(y, a) must be one probability per individual. Got {answer!r:.60}.")
    if isinstance(answer, np.ndarray) and answer.dtype.kind == "f" and answer.ndim == 1:
        return _check_row(DenseRow(answer.astype(np.float64)), answer.min(initial=0))
    cells = answer.tolist() if isinstance(answer, np.ndarray) else list(answer)
    strange = [cell for cell in cells if isinstance(cell, list | bool | np.bool) or not is_finite(cell)]
    if strange or not cells:
        came = repr(strange[0])[:60] if strange else "none at all"
        raise BadParameter(f"r(y, a) must be one probability per individual. Got {came}.")
    if all(map(is_exact, cells)):
        return _check_row(ListedRow(tuple(map(_as_fraction, cells))), min(cells))
    return _check_row(DenseRow(np.array(cells, dtype=np.float64)), min(cells))


def _as_fraction(value: Any) -> Fraction:
    return (
        Fraction(value)
        if isinstance(value, Decimal | Fraction)
        else Fraction(int(value.numerator), int(value.denominator))
    )


def _check_row(row: Row, least: Any) -> Row:
    if isinstance(row, DenseRow) and not np.isfinite(row.values).all():
        raise BadParameter("r(y, a) must be one probability per individual. Got NaN or an infinity.")
    if least < 0:
        raise BadParameter(f"r(y, a) must not be negative. Got {least}.")
    total: Any = float(row.values.sum()) if isinstance(row, DenseRow) else sum(row.values)
    if abs(total - 1) > (SUM if isinstance(row, DenseRow) else 0):
        raise BadParameter(f"r(y, a) must be probabilities that sum to 1. Got the sum {total}.")
    return row


# Steps: the number of individuals that reach a threshold, as a function of the threshold.
#
# Counts are constant between the values of the probabilities: `counts[i]` holds for t in (bounds[i-1], bounds[i]]. The
# first interval begins at 0 (open), the last ends at 1. Bounds are floats, or exact Fractions in an object array.

Bounds = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Steps:
    """A function of t in (0, 1] that is constant between its bounds.

    >>> steps = Steps.of(as_exact_array([Fraction(1, 4), Fraction(1, 2)]), np.array([3, 1]))
    >>> [steps.at(t) for t in (Fraction(1, 8), Fraction(1, 4), Fraction(1, 3), Fraction(3, 4))]
    [3, 3, 1, 0]
    """

    bounds: Bounds
    counts: Ints

    @classmethod
    def of(cls, values: Bounds, counts: Ints) -> Steps:
        """Build it from distinct positive values, ascending, and the number of individuals that reach each."""
        if values.dtype != object:
            values = np.minimum(values, 1.0)  # a sum of floats may slightly exceed 1
        if values[-1] == 1:
            return cls(values, counts)
        one: Any = Fraction(1) if values.dtype == object else 1.0
        return cls(np.append(values, one), np.append(counts, 0))

    def at(self, t: Probability) -> int:
        """Return the count at t in (0, 1]; compared as floats unless t and the bounds are exact."""
        if self.bounds.dtype == object and isinstance(t, Fraction):
            return int(self.counts[np.searchsorted(self.bounds, as_exact_array([t]))[0]])
        return int(self.counts[np.searchsorted(self.bounds.astype(np.float64), float(t))])

    def replace_zeros(self, n: int) -> Steps:
        """Return the steps with n in place of 0: a record linked to no individual could belong to any."""
        return Steps(self.bounds, np.where(self.counts == 0, n, self.counts))

    def __and__(self, other: Steps) -> Steps:
        """Return the smaller of both counts at every t."""
        bounds = np.unique(np.concatenate([self.bounds, other.bounds]))
        mine = self.counts[np.searchsorted(self.bounds, bounds)]
        theirs = other.counts[np.searchsorted(other.bounds, bounds)]
        return Steps(bounds, np.minimum(mine, theirs)).join_equal()

    def join_equal(self) -> Steps:
        """Return the same function without bounds at which the count does not change."""
        change = np.append(self.counts[1:] != self.counts[:-1], True)
        return self if change.all() else Steps(self.bounds[change], self.counts[change])


def take_lowest(steps: list[Steps]) -> Steps:
    """Return the smallest count at every t."""
    return reduce(lambda a, b: a & b, steps)


def as_exact_array(values: Sequence[Probability] | Floats) -> Bounds:
    """Return Fractions as an array that keeps them exact."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
