"""Distance-based record linkage: the original records nearest to a protected one (Domingo-Ferrer & Torra 2001).

The distance is Gower's, summed over the columns: scaled differences of numbers, 0 or 1 for other values. Two missing
values have distance 0; a missing and a present value have distance 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, ClassVar, Literal, Self

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, must, whole
from shoal.linkage.base import Linkage
from shoal.linkage.columns import ColumnComparison, RecordPoints, check_names, compute_softmax, find_around
from shoal.linkage.probabilities import is_finite
from shoal.linkage.rows import DenseRow, Row, SharedRow
from shoal.parts import check_word_count, parse_number

TAKES = ("nearest", "k-nearest", "softmax")
SCALES = ("range", "deviation", None)


@dataclass(frozen=True)
class DistanceLinkage(Linkage):
    """Link a record to the nearest individuals.

    Parameters
    ----------
    columns
        The columns to compare. None: all that the release and the original share.
    take
        "nearest": equal probabilities for all individuals at the smallest distance, compared exactly. "k-nearest": the
        same for the k nearest and all individuals tied with the k-th. "softmax": proportional to exp(-distance /
        temperature).
    k
        With "k-nearest": the number of neighbors.
    temperature
        With "softmax": the lower, the more probable are the nearest.
    scale
        The divisor of differences of numbers: the "range" or standard "deviation" of the original's column, or None for
        no scaling. With scaling, a column that is constant in the original is compared for equality.

    Examples
    --------
    >>> import shoal
    >>> from shoal.linkage import Record
    >>> original = shoal.Table.of({"age": [30, 40, 50], "sex": ["f", "m", "m"]})
    >>> release = shoal.Table.of({"age": [38, 45], "sex": ["m", "m"]})
    >>> r = DistanceLinkage()
    >>> [list(map(str, r(Record(release, i), original))) for i in (0, 1)]
    [['0', '1', '0'], ['0', '1/2', '1/2']]

    References
    ----------
    J. Domingo-Ferrer, V. Torra: A quantitative comparison of disclosure control methods for microdata. 2001.
    J. C. Gower: A general coefficient of similarity and some of its properties. Biometrics 1971.
    """

    columns: tuple[str, ...] | None = None
    take: Literal["nearest", "k-nearest", "softmax"] = "nearest"
    k: int = 1
    temperature: float = 1.0
    scale: Literal["range", "deviation"] | None = "range"

    shell: ClassVar[str] = "distance"
    form: ClassVar[str] = "distance"

    def __post_init__(self) -> None:
        who = "DistanceLinkage"
        object.__setattr__(self, "columns", check_names(who, self.columns))
        must(self.take in TAKES, who, "take", f"one of {', '.join(TAKES)}", self.take)
        object.__setattr__(self, "k", whole(self.k, who, "k", least=1))
        must(self.k == 1 or self.take == "k-nearest", who, "k", "used with take='k-nearest'", self.k)
        warm = is_finite(self.temperature) and self.temperature > 0
        must(warm, who, "temperature", "a number above 0", self.temperature)
        must(self.scale in SCALES, who, "scale", "'range', 'deviation' or None", self.scale)

    def link(self, release: Dataset, original: Dataset, which: Ints) -> Iterator[Row]:
        """Yield the nearest individuals of each record, or the weights of all individuals."""
        who = "DistanceLinkage"
        must(self.k <= original.n, who, "k", f"at most the number of individuals, {original.n:,}", self.k)
        both = ColumnComparison.of(
            who, release.attributes, original.attributes, which, self.columns, constant=self.scale is None
        )
        scale = np.ones(len(both.numeric)) if self.scale is None else both.measure_spread(self.scale)
        for name, width in zip(both.numeric, scale.tolist(), strict=True):
            if not (np.isfinite(width) and width > np.finfo(float).tiny):
                raise BadParameter(
                    f"{who}: the {self.scale} of column {name!r} must be finite and above 0. Got {width}. Rescale it."
                )
        return self._weigh_all(both, scale) if self.take == "softmax" else self._link_nearest(both, scale)

    def _link_nearest(self, both: ColumnComparison, scale: Floats) -> Iterator[Row]:
        people = both.original
        near = find_around(people, both.release, scale, self.k)
        exact = ExactDistances(people, both.release, scale)
        rows: dict[int, Row] = {}
        for q in both.release.of.tolist():
            if q not in rows:
                sure, maybe = near(q)
                if len(maybe) > 1 and both.numeric:  # without numeric columns, distances are integers and exact already
                    left = self.k - int(people.many[sure].sum())
                    maybe = maybe[find_nearest(exact.of(q, maybe), people.many[maybe], left)]
                rows[q] = SharedRow(people.list_individuals(np.concatenate([sure, maybe])), len(people.of))
            yield rows[q]

    def _weigh_all(self, both: ColumnComparison, scale: Floats) -> Iterator[Row]:
        for weights in compute_softmax(both.original, both.release, scale, float(self.temperature)):
            yield DenseRow(weights[both.original.of])

    @classmethod
    def from_words(cls, name: str, words: Sequence[str], columns: Sequence[str] | None) -> Self:
        """Parse distance, nearest:K or softmax:T."""
        chosen = None if columns is None else tuple(columns)
        if name == "nearest":
            check_word_count(words, 1, "nearest:K")
            return cls(chosen, "k-nearest", k=parse_number(words[0] if words else "1", "nearest:K"))
        if name == "softmax":
            check_word_count(words, 1, "softmax:T")
            return cls(chosen, "softmax", temperature=_parse_temperature(words[0] if words else "1"))
        check_word_count(words, 0, cls.form)
        return cls(chosen)


def _parse_temperature(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise BadParameter(f"'softmax' must be spelled softmax:T. Got {word!r} where a number belongs.") from None


# Ties: nearly equal distances are compared exactly, so that rounding neither merges nor splits ties.
#
# Stored floats are rational numbers, so a distance is rational too: the sum of |x - y| / scale over the numeric
# columns, plus 1 for each column where one value is missing or the codes differ.

FITS = 2**62


class ExactDistances:
    """Distances between points of the original and of the release, as exact numbers in a common unit.

    Integers with integer scales are multiplied by the least common multiple of the scales and stay integers. Other
    numbers are Fractions.
    """

    def __init__(self, original: RecordPoints, release: RecordPoints, scale: Floats):
        self.original, self.release, self.scale = original, release, scale
        self.unit = self._find_unit()

    def _find_unit(self) -> int | None:
        """Return the integer for the distance 1; None if distances would not be integers or would overflow."""
        numbers = np.concatenate([self.original.numbers, self.release.numbers, self.scale[None, :]])
        known = numbers[~np.isnan(numbers)]
        if not np.equal(known, np.floor(known)).all():
            return None
        scales = [int(s) for s in self.scale]
        unit = lcm(*scales) if scales else 1
        # the scales are among the numbers, so a column is at least about as wide as its largest number
        widest = np.nanmax(numbers, axis=0) - np.nanmin(numbers, axis=0) if scales else np.empty(0)
        longest = sum(int(w) * (unit // s) for w, s in zip(widest, scales, strict=True))
        columns = len(scales) + self.original.codes.shape[1]
        return unit if longest + unit * columns < FITS else None

    def of(self, q: int, points: Ints) -> np.ndarray[Any, Any]:
        """Return the exact distances of point q of the release to `points` of the original."""
        x, y = self.original.numbers[points], self.release.numbers[q]
        apart = (self.original.codes[points] != self.release.codes[q]).sum(axis=1)
        apart += (np.isnan(x) != np.isnan(y)).sum(axis=1)
        if self.unit is None:
            return self._compute_fractions(x, y, apart)
        x, y = np.where(np.isnan(x) | np.isnan(y), 0.0, [x, np.broadcast_to(y, x.shape)]).astype(np.int64)
        steps = np.abs(x - y)  # integers: the difference of two floats can need one bit more than a float has
        weights = np.array([self.unit // int(s) for s in self.scale], dtype=np.int64)
        return np.asarray(steps @ weights + self.unit * apart)

    def _compute_fractions(self, x: Floats, y: Floats, apart: Ints) -> np.ndarray[Any, Any]:
        scales = [Fraction(s) for s in self.scale.tolist()]
        found = np.empty(len(x), dtype=object)
        for i, row in enumerate(x.tolist()):
            terms = zip(row, y.tolist(), scales, strict=True)
            parts = (abs(Fraction(a) - Fraction(b)) / s for a, b, s in terms if a == a and b == b)  # noqa: PLR0124 - NaN
            found[i] = sum(parts, Fraction(int(apart[i])))
        return found


def find_nearest(keys: np.ndarray[Any, Any], many: Ints, k: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which points hold the k nearest individuals, including all tied with the k-th.

    >>> find_nearest(np.array([5, 3, 5, 9]), np.array([1, 1, 1, 1]), 2).tolist()
    [True, True, True, False]
    """
    order = np.argsort(keys)
    last = np.searchsorted(np.cumsum(many[order]), k)
    near: np.ndarray[Any, np.dtype[np.bool_]] = keys <= keys[order[last]]
    return near
