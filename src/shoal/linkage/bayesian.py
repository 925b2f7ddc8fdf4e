"""Bayesian linkage: the exact posterior, for an anonymization method with known randomness."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.data.arrays import Floats
from shoal.errors import BadParameter, must
from shoal.linkage.base import Record, Reidentifies, as_data, is_data
from shoal.linkage.probabilities import is_exact, is_finite
from shoal.linkage.rows import as_row


@dataclass(frozen=True)
class Bayesian(Reidentifies):
    """The posterior probability of each individual given y, by Bayes' rule. It is exact if likelihood and prior are.

    Without evidence (a is None) it is the prior. If y is impossible for all individuals, it is 1/n each.

    Parameters
    ----------
    likelihood
        likelihood(y, i, a): the probability that the record y is published if it belongs to individual i.
    prior
        One probability per individual. None: 1/n each.

    Examples
    --------
    Randomized response: each person answers truthfully with probability 3/4. Of three persons, only for the first the
    true answer is yes.

    >>> def likelihood(y, i, a):
    ...     return Fraction(3, 4) if y == a[i] else Fraction(1, 4)
    >>> list(map(str, Bayesian(likelihood)("yes", ["yes", "no", "no"])))
    ['3/5', '1/5', '1/5']
    """

    likelihood: Callable[[Any, int, Any], Any]
    prior: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        must(callable(self.likelihood), "Bayesian", "likelihood", "a function of y, i and a", self.likelihood)
        if self.prior is not None:
            object.__setattr__(self, "prior", tuple(self.prior))
            try:
                as_row(self.prior)
            except BadParameter as error:
                raise BadParameter(f"Bayesian: 'prior' must be a distribution. {error}") from error

    def __call__(self, y: Any, a: Any) -> Sequence[Fraction] | Floats:
        """Return the posterior probability of each individual."""
        n = self._list_individuals(y, a)
        prior = self.prior or (Fraction(1, n),) * n
        if a is None:
            return as_row(prior).values  # type: ignore[return-value]
        likely = [self.likelihood(y, i, a) for i in range(n)]
        wrong = next((p for p in likely if not is_finite(p) or p < 0), None)
        if wrong is not None:
            raise BadParameter(f"Bayesian: a likelihood must be a number, 0 or more. Got {wrong!r:.60}.")
        return _compute_posterior(prior, likely)

    def _list_individuals(self, y: Any, a: Any) -> int:
        if self.prior is not None:
            return len(self.prior)
        if is_data(a):
            return as_data(a).n
        if isinstance(a, Sized):
            return len(a)
        if isinstance(y, Record):
            return y.data.n
        raise BadParameter(
            f"Bayesian: 'prior' must be given if 'a' does not show how many individuals there are. Got {a!r:.60}."
        )


def _compute_posterior(prior: Sequence[Any], likely: Sequence[Any]) -> Sequence[Fraction] | Floats:
    n = len(prior)
    if all(map(is_exact, prior)) and all(map(is_exact, likely)):
        weights = [Fraction(p) * Fraction(q) for p, q in zip(prior, likely, strict=True)]
        total = sum(weights)
        return [weight / total for weight in weights] if total else [Fraction(1, n)] * n
    products = np.array([float(p) for p in prior]) * np.array([float(q) for q in likely])
    return products / products.sum() if products.sum() > 0 else np.full(n, 1 / n)
