"""Prosecutor, journalist and marketer: the attacker models of statistical offices.

The prosecutor knows that the target is in the table. The chance is 1/f, where f is the number of records with the
target's values. The journalist wants to re-identify any record of a table that is a sample of a population. The chance
is 1/F, where F is the number of people in the population with the same values. The marketer wants to re-identify as
many records as possible. The mean chance counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from typing import Any

import numpy as np

from shoal.core.grouping import group_columns
from shoal.data.arrays import Floats, Ints
from shoal.data.dataset import as_dataset
from shoal.errors import BadParameter, must, public
from shoal.knowledge import Columns
from shoal.knowledge.candidates import AlikeCandidates
from shoal.risk.assess import Risk


@dataclass(frozen=True)
class Attacker:
    """The success of one attacker model."""

    name: str
    """"prosecutor", "journalist" or "marketer"."""
    highest: float
    """The largest chance to re-identify one record. For the marketer it is the mean chance."""
    mean: float
    """The mean chance over all records: the share of correct guesses if every record is guessed."""
    expected: float
    """The expected number of correct guesses if every record is guessed."""
    estimated: bool
    """Whether the numbers are estimates, because the population was not given."""


@public
def attackers(risk: Risk, *, fraction: float | None = None, population: Any = None) -> tuple[Attacker, ...]:
    """Compute the success of the prosecutor, the journalist and the marketer.

    Parameters
    ----------
    risk
        The risk of the table, e.g. ``assess(table, Columns("age", "sex"))``.
    fraction
        The share of the population that is in the table, a random sample. F is then estimated: given f, it is assumed
        to follow a negative binomial distribution (Benedetti & Franconi), and the mean of 1/F is used.
    population
        A table of the whole population with the same columns. It must contain the sample.

    Without `fraction` and `population` the table is taken as the population.

    Examples
    --------
    Two of three people have the same age. In the town, ten people have each age:

    >>> import shoal
    >>> risk = shoal.assess({"age": [30, 30, 41]}, shoal.knowledge.Columns("age"))
    >>> [round(attacker.highest, 2) for attacker in shoal.tables.attackers(risk)]
    [1.0, 1.0, 0.67]
    >>> town = {"age": [30] * 10 + [41] * 10}
    >>> [round(attacker.highest, 2) for attacker in shoal.tables.attackers(risk, population=town)]
    [1.0, 0.1, 0.1]
    """
    if not isinstance(risk.answer, AlikeCandidates) or risk.view.original is not None:
        raise BadParameter(f"attackers: knowledge must split the records into classes. Got {risk.adversary!r}.")
    if fraction is not None and population is not None:
        raise BadParameter("attackers: 'fraction' and 'population' must not be given together. Got both.")
    alone: Floats = 1.0 / risk.sizes
    chance, estimated = alone, False
    if population is not None:
        chance = 1.0 / count_population_sizes(risk, population)
    elif fraction is not None:
        must(0 < fraction <= 1, "attackers", "fraction", "above 0, at most 1", fraction)
        chance, estimated = estimate_chance(risk.sizes, float(fraction)), fraction < 1
    return (
        _model_attacker("prosecutor", alone, float(alone.max()), False),
        _model_attacker("journalist", chance, float(chance.max()), estimated),
        _model_attacker("marketer", chance, float(chance.mean()), estimated),
    )


def _model_attacker(name: str, chance: Floats, highest: float, estimated: bool) -> Attacker:
    return Attacker(name, highest, float(chance.mean()), float(chance.sum()), estimated)


def count_population_sizes(risk: Risk, population: Any) -> Ints:
    """Count, for each record, the people of the population with the same values."""
    if not isinstance(risk.adversary, Columns):
        raise BadParameter(f"attackers: a population needs knowledge of columns. Got {risk.adversary!r}.")
    people, n = as_dataset(population), risk.graph.n
    names: Sequence[str] = risk.adversary.names
    codes = group_columns([risk.graph.attributes[name].followed_by(people.attributes[name]) for name in names])
    sizes = np.bincount(codes[n:], minlength=int(codes.max()) + 1)[codes[:n]]
    short = np.flatnonzero(sizes < risk.sizes)
    if len(short):
        v = int(short[0])
        raise BadParameter(
            f"attackers: 'population' must contain the sample. Got {int(sizes[v]):,} people with the values of record "
            f"{risk.names[v]!r}; the sample has {int(risk.sizes[v]):,}."
        )
    return sizes


def estimate_chance(sizes: Ints, p: float) -> Floats:
    r"""Return the mean of 1/F for each f, where F - f follows a negative binomial distribution with f and p.

    It is the integral of x^(f - 1) p / (p + (1 - p) x) over x from 0 to 1. With x = exp(-s), the relevant part lies
    around s = log((1 - p) / p), however small p is.

    >>> estimate_chance(np.array([1, 1]), 1.0).tolist()
    [1.0, 1.0]
    """
    from scipy.integrate import quad

    seen, which = np.unique(sizes, return_inverse=True)

    turn = log((1 - p) / p) if p < 0.5 else 0.0

    def mean(f: int) -> float:
        def chance(s: float) -> float:
            return exp(-f * s) * p / (p + (1 - p) * exp(-s))

        # for large f the integrand is concentrated near 0; for f = 1 it extends beyond the turn
        cuts = sorted({0.0, min(turn, 40 / f), turn, turn + 60 / f})
        return min(1 / f, float(sum(quad(chance, a, b, limit=200)[0] for a, b in pairwise(cuts))))

    return np.array([mean(f) for f in seen.tolist()])[which.reshape(-1)]
