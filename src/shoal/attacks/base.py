"""Attack: the interface of a re-identification attack, its controls, and its outcome with rates and intervals.

An attack is a frozen dataclass: the data of the attacker, and a search. It is tried on the release and on the controls,
each time under names in a new random order, so that only the data help.

A rate needs controls: the original under fresh names (the success without protection), the original after as many
random edits (the success against random damage), and random guesses.

The 95 % interval of a rate is for its mean over the attack's random choices, with the original and the release fixed.
It depends on what was drawn: independent targets (Wilson's interval), or whole repeats, in which one guess leads to
others (Student's t over the repeats). A rate has no interval if nothing, or too little, was drawn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, PublicCall, did_you_mean, format_count, list_names
from shoal.knowledge import Adversary
from shoal.knowledge.view import Pair
from shoal.limits import find_limit
from shoal.methods.links.random_edits import count_missing, perturb_links
from shoal.release.drawn import DrawnRelease
from shoal.release.release import Release
from shoal.seeds import AnySeed
from shoal.show import as_html, as_text

# Rates and their intervals.

NORMAL_95 = 1.959963984540054
"""Half the width of the 95 % interval of a normal variable, in standard deviations."""
FEWEST_REPEATS = 10
"""The least number of repeats for an interval."""
MISSED = 0.05
"""The probability that an interval misses the mean."""
ROUNDING = 1e-12
"""Rates of repeats that differ by no more are equal: chances are sums of floats."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Rate:
    """A number of hits out of a number of tries."""

    hits: float
    """A whole number, or an expected number, as for guessing."""
    of: int
    interval: Interval | None = None
    """The 95 % interval of its mean over the attack's random choices; None if nothing, or too little, was drawn."""

    @classmethod
    def of_targets(cls, hits: float, of: int) -> Rate:
        """Return the rate of independently drawn targets, or of targets with independently drawn facts."""
        return cls(hits, of, compute_wilson_interval(hits, of))

    @classmethod
    def over_repeats(cls, counts: Sequence[tuple[float, int]]) -> Rate:
        """Return the pooled rate of hits and tries, repeat by repeat.

        >>> Rate.over_repeats([(3, 10), (4, 10)])
        Rate(hits=7, of=20, interval=None)
        """
        return cls(sum(hits for hits, _ in counts), sum(of for _, of in counts), compute_repeats_interval(counts))

    @property
    def rate(self) -> float:
        """The share; 0 without tries."""
        return self.hits / self.of if self.of else 0.0

    def data(self) -> dict[str, float | None]:
        """Return it as plain data; "low" and "high" are None without an interval."""
        low, high = self.interval or (None, None)
        return {"rate": self.rate, "low": low, "high": high, "hits": self.hits, "of": self.of}


def compute_wilson_interval(hits: float, of: float) -> Interval:
    """Return Wilson's 95 % interval of independent trials; 0 to 1 without trials.

    >>> [round(end, 3) for end in compute_wilson_interval(0, 10)], compute_wilson_interval(0, 0)
    ([0.0, 0.278], (0.0, 1.0))
    """
    if not of:
        return 0.0, 1.0
    z2, p = NORMAL_95**2, hits / of
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = NORMAL_95 / (1 + z2 / of) * sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    # exactly 0 and 1 at the ends, where rounding would leave a little
    return 0.0 if hits == 0 else max(0.0, middle - half), 1.0 if hits == of else min(1.0, middle + half)


def compute_repeats_interval(counts: Sequence[tuple[float, int]]) -> Interval | None:
    """Return the 95 % interval of the mean rate over infinitely many repeats, from hits and tries of each repeat.

    Guesses of one repeat depend on each other; the repeats are independent. So it is Student's t-interval over the R
    repeats with at least one try. If the numbers of tries differ, the rate is a ratio of means, and its variance is
    that of hits - rate * tries.

    If all repeats have the same rate, their variance is 0 and says nothing. Then another rate has a probability of at
    most 1 - .05^(1/R), for otherwise R equal rates would occur with a chance below 5 %. The mean is no farther away.

    None for fewer than 10 repeats.

    Examples
    --------
    >>> [round(end, 3) for end in compute_repeats_interval([(3, 10), (5, 10)] * 5)]
    [0.325, 0.475]
    >>> [round(end, 3) for end in compute_repeats_interval([(0, 10)] * 10)]
    [0.0, 0.259]
    >>> compute_repeats_interval([(3, 10), (5, 10)] * 4) is None
    True
    """
    tried = [(hits, of) for hits, of in counts if of]
    many = len(tried)
    if many < FEWEST_REPEATS:
        return None
    hits, of = (np.array(part, dtype=np.float64) for part in zip(*tried, strict=True))
    rate, margin = float(hits.sum() / of.sum()), 1 - MISSED ** (1 / many)
    if np.ptp(hits / of) > ROUNDING:
        from scipy.special import stdtrit

        variance = float(((hits - rate * of) ** 2).sum()) * many / (many - 1)
        margin = float(stdtrit(many - 1, 1 - MISSED / 2)) * sqrt(variance) / float(of.sum())
    return max(0.0, rate - margin), min(1.0, rate + margin)


def describe_sampled(done: int, total: int, what: str) -> str:
    """Return how much of an attack was done before the time limit ended it; empty if all was.

    >>> describe_sampled(10, 10, "repeat")
    ''
    """
    limit = find_limit()
    if limit is None or done == total:
        return ""
    return limit.describe_ended(f"the attack after {done:,} of {format_count(total, what)}")


def explain_missing_interval(repeats: int) -> str:
    """Return why so few repeats have no interval, and what to do.

    >>> explain_missing_interval(1)
    'No rate has an interval: there is 1 repeat, and an interval needs 10 (repeats=10, --repeats 10).'
    """
    there = f"there {'is 1 repeat' if repeats == 1 else f'are {repeats:,} repeats'}"
    least = FEWEST_REPEATS
    return f"No rate has an interval: {there}, and an interval needs {least} (repeats={least}, --repeats {least})."


@dataclass(frozen=True)
class Trial:
    """The result of an attack on one graph, over all its permutations."""

    graph: str
    """The attacked graph: "release", "only renamed", "random edits", "surviving edges", "guessing"."""
    means: str
    """What that graph is, and what a comparison with it shows."""
    rates: Mapping[str, Rate]
    """By name, e.g. mapped, precision, recall, right class; only those that the attack has."""

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"graph": self.graph, "means": self.means, "rates": {n: r.data() for n, r in self.rates.items()}}


@dataclass(frozen=True, repr=False)
class Outcome:
    """The result of an attack: the release first, then the controls."""

    attack: Any
    """The attack, or the adversary whose knowledge was used."""
    shell: str
    """Its name on the command line, e.g. korula-lattanzi, knows:neighbors:2."""
    means: str
    """One sentence: what the attacker has and does."""
    main: str
    """The name of the main rate, e.g. recall."""
    trials: tuple[Trial, ...]
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the attack, as plain data."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each rate, one sentence each."""
    law: Mapping[str, Any] | None = None
    """What must hold if the release keeps its guarantee, and whether it does. If every vertex has a twin: the precision
    that exchangeable twins imply. If k candidates are guaranteed: a chance of 1/k. It has a sentence in "means", the
    truth value "inside", and numbers; with twins also "leak". :func:`does_law_hold` decides."""
    notes: tuple[str, ...] = ()
    """Notes for the reader, a sentence each."""
    partial: str = ""
    """What the time limit ended, as a sentence; empty if it ended nothing."""

    @property
    def rate(self) -> float:
        """The main rate on the release."""
        return self.trials[0].rates[self.main].rate

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval; None if nothing, or too little, was drawn."""
        return self.trials[0].rates[self.main].interval

    @property
    def baseline(self) -> float:
        """The main rate of guessing."""
        return self["guessing"].rates[self.main].rate

    def __getitem__(self, graph: str) -> Trial:
        """Return the trial on one graph, by its name."""
        found = {trial.graph: trial for trial in self.trials}
        if graph not in found:
            raise BadParameter(
                f"Outcome: there is no trial on {graph!r}. There are: {', '.join(found)}.{did_you_mean(graph, found)}"
            )
        return found[graph]

    def data(self) -> dict[str, Any]:
        """Return everything as plain data, as JSON can hold it."""
        return {
            "attack": self.shell,
            "means": self.means,
            "main": self.main,
            "settings": dict(self.settings),
            "seed": self.seed,
            "trials": [trial.data() for trial in self.trials],
            "meanings": dict(self.meanings),
            "law": None if self.law is None else dict(self.law),
            "notes": list(self.notes),
            "partial": self.partial,
        }

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def does_law_hold(law: Mapping[str, Any]) -> bool:
    """Return whether an attack agrees with what the guarantee implies.

    With twins a rate may leave its interval by chance. Only a rate far above it is a leak.

    >>> does_law_hold({"inside": False}), does_law_hold({"inside": False, "leak": False})
    (False, True)
    >>> does_law_hold({"inside": True, "leak": True})
    False
    """
    return not law["leak"] if "leak" in law else bool(law["inside"])


def list_law_numbers(law: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a law, without its truth values.

    >>> list_law_numbers({"bound": 0.5, "measured": 0.25, "inside": True, "means": "A bound."})
    {'bound': 0.5, 'measured': 0.25}
    """
    return {
        name: value for name, value in law.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }


# The interface.


class Attack(PublicCall, ABC):
    """A way to re-identify people in a release. Each attack is a frozen dataclass in its own file."""

    shell: ClassVar[str]
    """Its name on the command line."""
    title: ClassVar[str]
    """A few words for the head of a row or a chart."""
    means: ClassVar[str]
    """What the attacker has, as a sentence; then what the attacker does."""
    success: ClassVar[str] = "is right about {} of the people"
    """What the main rate is, as words that complete "an attacker ..."."""
    source: ClassVar[str]
    """Where it was published first."""
    main: ClassVar[str]
    """The name of the main rate."""
    reads_ties: ClassVar[bool] = False
    """Whether it handles directions and kinds of links. Otherwise such networks are refused."""

    @classmethod
    def explain_omission(cls, original: Dataset) -> str | None:
        """Return why an audit leaves the attack out unless it is named; None if it is tried."""
        return None

    @abstractmethod
    def __call__(self, pair: Pair, release: Release | None, seed: AnySeed) -> Outcome:
        """Run the attack.

        Parameters
        ----------
        pair
            The original and the released graph, and the true mapping, which judges the success.
        release
            The release with its method and its classes; None if only its graph is available.
        seed
            Random seed: an int or a numpy Generator.
        """

    def settings(self) -> dict[str, Any]:
        """Return the settings of the attack, as plain data."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]


# Controls: graphs to compare a release with, so that damage is not mistaken for protection.
#
# A release may resist an attack only because many of its links are wrong. So every attack is also tried on the original
# under fresh names, which shows what it can reach, and on the original after as many random edits.

MEANS = {
    "release": "The attack on the release.",
    "only renamed": "The same attack on the original with only the names changed: its success without protection.",
    "random edits": "The same attack on the original after as many random removals and additions of links as in the "
    "release: its success against random damage. The method protects better than random damage only if the rate is "
    "lower on the release than here.",
    "guessing": "Random guesses without any data.",
}
"""For each graph: what it is, and what a comparison with it shows."""
DRAWN = "All links of the release were drawn anew, so there are no edits to compare with random ones."
MULTIPLE = "Random edits are drawn in simple graphs only; this graph has multiple edges."


@dataclass(frozen=True, eq=False)
class AttackedData:
    """Data to attack, with the id of each original vertex in it, -1 if it has none."""

    name: str
    graph: Dataset
    counterpart: Ints

    @property
    def means(self) -> str:
        """What it is, and what a comparison with it shows."""
        return MEANS[self.name]


def note_known_ties(original: Dataset) -> str:
    """Say that the attacker knows links with their directions and kinds; empty where they have neither.

    >>> import shoal
    >>> note_known_ties(shoal.examples.office()), note_known_ties(shoal.examples.karate())
    ('The attacker knows the directions and kinds of links.', '')
    """
    if not isinstance(original, Graph) or original.ties is None:
        return ""
    parts = [*(["directions"] if original.directed else []), *(["kinds"] if original.kinds else [])]
    return f"The attacker knows the {' and '.join(parts)} of links." if parts else ""


def list_attacked(
    pair: Pair, release: Release | None, rng: np.random.Generator
) -> tuple[list[AttackedData], list[str]]:
    """Return the release and its controls, and a note if a control does not apply."""
    assert pair.counterpart is not None
    same = np.arange(pair.original.n)
    found = [
        AttackedData("release", pair.released, pair.counterpart),
        AttackedData("only renamed", pair.original, same),
    ]
    if isinstance(release, DrawnRelease):
        return found, [DRAWN]
    if pair.original.is_multigraph or pair.released.is_multigraph:
        return found, [MULTIPLE]
    if not pair.original.has_links:
        return found, []
    original, (added, removed) = as_graph(pair.original), pair.edits
    added = min(added, count_missing(original))  # a release with more vertices may have more links
    return [*found, AttackedData("random edits", perturb_links(original, added, removed, rng), same)], []


# Recoded columns: the release writes them differently, so that equal values are not enough.


def list_recoded(pair: Pair, adversary: Adversary) -> tuple[str, ...]:
    """Return the known columns whose values in the release differ from those of the released people in the original.

    Facts are compared value by value, and "41" is not "40-49". Values that only the release has count too: if one 41
    became "*", another 41 still fits.
    """
    assert pair.counterpart is not None
    there, found = pair.counterpart >= 0, []
    for name in adversary.columns(pair.original.attributes):
        if name in pair.released.attributes:
            codes = pair.original.attributes[name].followed_by(pair.released.attributes[name])
            known, published = codes[: pair.original.n][there], codes[pair.original.n :]
            if len(np.setxor1d(known, published)):
                found.append(name)
    return tuple(found)


def describe_recoded(columns: Sequence[str]) -> str:
    """Return a note that values are compared as they are, so that a rate is a lower bound."""
    return (
        f"The release has other values of {list_names(columns, spell=str)} than the original. Values are compared as "
        "they are. An attacker who understands the recoding (a range, a mean, *) may find more: the rate is a lower "
        "bound."
    )
