"""Distance-based record linkage: the original records nearest to a protected one (Domingo-Ferrer & Torra 2001).

The distance is Gower's, summed: scaled differences of numbers, 0 or 1 for other values. A missing value is at 0 from a
missing one and at 1 from every other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from shoal.adversaries.adversary import at_most, number
from shoal.data.graph import Graph
from shoal.errors import BadParameter, must, whole
from shoal.risk.linkage.columns import Compared, checked_names
from shoal.risk.linkage.method import Linkage
from shoal.risk.linkage.probabilities import Floats, Ints, finite
from shoal.risk.linkage.rows import Dense, Row, Shared
from shoal.risk.linkage.search import around, softmax
from shoal.risk.linkage.ties import ExactDistances, nearest

TAKES = ("nearest", "k-nearest", "softmax")
SCALES = ("range", "deviation", None)


@dataclass(frozen=True)
class DistanceLinkage(Linkage):
    """Links a record to the nearest individuals.

    Parameters
    ----------
    columns
        The columns to compare; None for all that the release and the original share.
    take
        "nearest": the same probability for all at the smallest distance, compared exactly. "k-nearest": for the k
        nearest, and all at the distance of the k-th. "softmax": proportional to exp(-distance / temperature).
    k
        With "k-nearest": how many.
    temperature
        With "softmax": the lower, the more the nearest are preferred.
    scale
        What differences of numbers are divided by: the "range" or the standard "deviation" of the original's column,
        or nothing (None). A column that is constant in the original is compared by equal values.

    Examples
    --------
    >>> import shoal
    >>> from shoal.risk.linkage import Record
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
        object.__setattr__(self, "columns", checked_names(who, self.columns))
        must(self.take in TAKES, who, "take", f"one of {', '.join(TAKES)}", self.take)
        object.__setattr__(self, "k", whole(self.k, who, "k", least=1))
        must(self.k == 1 or self.take == "k-nearest", who, "k", "used with take='k-nearest'", self.k)
        warm = finite(self.temperature) and self.temperature > 0
        must(warm, who, "temperature", "a number above 0", self.temperature)
        must(self.scale in SCALES, who, "scale", "'range', 'deviation' or None", self.scale)

    def link(self, release: Graph, original: Graph, which: Ints) -> Iterator[Row]:
        """Yield the nearest individuals of each record, or the weights of all."""
        who = "DistanceLinkage"
        must(self.k <= original.n, who, "k", f"at most the number of individuals, {original.n:,}", self.k)
        both = Compared.of(
            who, release.attributes, original.attributes, which, self.columns, constant=self.scale is None
        )
        scale = np.ones(len(both.numeric)) if self.scale is None else both.spread(self.scale)
        for name, width in zip(both.numeric, scale.tolist(), strict=True):
            if not (np.isfinite(width) and width > np.finfo(float).tiny):
                raise BadParameter(
                    f"{who}: the {self.scale} of column {name!r} must be a number. Got {width}. Scale it."
                )
        return self._weighed(both, scale) if self.take == "softmax" else self._nearest(both, scale)

    def _nearest(self, both: Compared, scale: Floats) -> Iterator[Row]:
        people = both.original
        near = around(people, both.release, scale, self.k)
        exact = ExactDistances(people, both.release, scale)
        rows: dict[int, Row] = {}
        for q in both.release.of.tolist():
            if q not in rows:
                sure, maybe = near(q)
                if len(maybe) > 1 and both.numeric:  # without numbers distances are whole, and exact already
                    left = self.k - int(people.many[sure].sum())
                    maybe = maybe[nearest(exact.of(q, maybe), people.many[maybe], left)]
                rows[q] = Shared(people.individuals(np.concatenate([sure, maybe])), len(people.of))
            yield rows[q]

    def _weighed(self, both: Compared, scale: Floats) -> Iterator[Row]:
        for weights in softmax(both.original, both.release, scale, float(self.temperature)):
            yield Dense(weights[both.original.of])

    @classmethod
    def from_words(cls, name: str, words: Sequence[str], columns: Sequence[str] | None) -> Self:
        """Read distance, nearest:K or softmax:T."""
        chosen = None if columns is None else tuple(columns)
        if name == "nearest":
            at_most(words, 1, "nearest:K")
            return cls(chosen, "k-nearest", k=number(words[0] if words else "1", "nearest:K"))
        if name == "softmax":
            at_most(words, 1, "softmax:T")
            return cls(chosen, "softmax", temperature=_temperature(words[0] if words else "1"))
        at_most(words, 0, cls.form)
        return cls(chosen)


def _temperature(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise BadParameter(f"'softmax' must be spelled softmax:T. Got {word!r} where a number belongs.") from None
