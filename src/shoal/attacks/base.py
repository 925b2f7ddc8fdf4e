"""Attack: the interface of a re-identification attack, its controls, and its outcome with rates and intervals.

An attack is a frozen dataclass: the data that the attacker has and the search. It is tried on the release and on the
controls, each time under names in a new random order, so that nothing but the data helps.

A rate alone tells little. Beside the release stand the original under fresh names (the most that the attack can do),
the original after as many random edits (the effect of damage alone), and guessing.

A rate's 95 % interval is for its mean over the attack's random choices, with the original and the release as they are.
Which interval that is depends on what was drawn: independent targets (Wilson's), or whole repeats, in which one guess
leads to others (Student's t over the repeats). A rate of which nothing was drawn, or too little, has none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, PublicCall, did_you_mean
from shoal.knowledge.view import Pair
from shoal.methods.links.random_edits import count_missing, perturb_links
from shoal.release.drawn import DrawnRelease
from shoal.release.release import Release
from shoal.show import as_html, as_text

# Rates and their intervals.

NORMAL_95 = 1.959963984540054
"""Half the width, in standard deviations, of an interval that a normal number is in with probability 95 %."""
FEWEST_REPEATS = 10
"""So many repeats an interval needs."""
MISSED = 0.05
"""How often an interval may miss."""
ROUNDING = 1e-12
"""Rates of repeats that differ by no more than this are the same: chances are added up as floats."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Rate:
    """So many of so many."""

    hits: float
    """A whole number, but for an expected number of hits, as of guessing."""
    of: int
    interval: Interval | None = None
    """The 95 % interval of its mean over the attack's random choices; None where nothing, or too little, was drawn."""

    @classmethod
    def of_targets(cls, hits: float, of: int) -> Rate:
        """Return the rate of targets that were drawn, or about which facts were drawn, independently of each other."""
        return cls(hits, of, compute_wilson_interval(hits, of))

    @classmethod
    def over_repeats(cls, counts: Sequence[tuple[float, int]]) -> Rate:
        """Return the pooled rate of hits, and of how many, repeat by repeat.

        >>> Rate.over_repeats([(3, 10), (4, 10)])
        Rate(hits=7, of=20, interval=None)
        """
        return cls(sum(hits for hits, _ in counts), sum(of for _, of in counts), compute_repeats_interval(counts))

    @property
    def rate(self) -> float:
        """The share; 0 of nothing."""
        return self.hits / self.of if self.of else 0.0

    def data(self) -> dict[str, float | None]:
        """Return it as plain data; "low" and "high" are None where there is no interval."""
        low, high = self.interval or (None, None)
        return {"rate": self.rate, "low": low, "high": high, "hits": self.hits, "of": self.of}


def compute_wilson_interval(hits: float, of: float) -> Interval:
    """Return Wilson's 95 % interval of independent trials; all of 0 to 1 where nothing was tried.

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
    """Return the 95 % interval of a rate's mean over ever more repeats, from its hits and tries in each repeat.

    Guesses of one repeat lead to each other; the repeats are independent. So it is Student's t-interval over the R
    repeats in which something was tried. Where their numbers of tries differ, the rate is a ratio of means, and its
    spread is that of hits - rate * tries.

    Where all repeats have the same rate, their spread tells nothing. Another rate then has a probability of at most
    1 - .05^(1/R), or R equal ones were seen with a chance below 5 %. The mean is no farther away than that.

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


def explain_missing_interval(repeats: int) -> str:
    """Say why so few repeats have no interval, and what to do.

    >>> explain_missing_interval(1)
    'No rate has an interval: there is 1 repeat, and an interval needs 10 (repeats=10, --repeats 10).'
    """
    there = f"there {'is 1 repeat' if repeats == 1 else f'are {repeats:,} repeats'}"
    least = FEWEST_REPEATS
    return f"No rate has an interval: {there}, and an interval needs {least} (repeats={least}, --repeats {least})."


@dataclass(frozen=True)
class Trial:
    """What one attack reached on one graph, over all its permutations."""

    graph: str
    """What was attacked: "release", "only renamed", "random edits", "surviving edges", "guessing"."""
    means: str
    """One sentence: what that graph is, and what comparing with it shows."""
    rates: Mapping[str, Rate]
    """By name, e.g. mapped, precision, recall, right class. Those that an attack does not have are left out."""

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"graph": self.graph, "means": self.means, "rates": {n: r.data() for n, r in self.rates.items()}}


@dataclass(frozen=True, repr=False)
class Outcome:
    """What an attack reached: the release first, then what it must be compared with."""

    attack: Any
    """The attack, a frozen dataclass whose repr can be evaluated; or the adversary whose knowledge was used."""
    shell: str
    """Its name on the command line, e.g. korula-lattanzi, knows:neighbors:2."""
    means: str
    """One sentence: what the attacker has and does."""
    main: str
    """The rate to look at first, e.g. recall."""
    trials: tuple[Trial, ...]
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it was run with, as plain data."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """For each name of a rate one sentence that says what it means."""
    law: Mapping[str, Any] | None = None
    """What must hold if the release keeps its promise, and whether it does: where everybody has twins the precision
    that exchangeable twins imply; where k are promised a chance of 1/k. It has a sentence in "means", the truth value
    "inside", and numbers."""
    notes: tuple[str, ...] = ()
    """What a reader must know, a sentence each."""

    @property
    def rate(self) -> float:
        """The main rate on the release."""
        return self.trials[0].rates[self.main].rate

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval; None where nothing, or too little, was drawn."""
        return self.trials[0].rates[self.main].interval

    @property
    def baseline(self) -> float:
        """The main rate of guessing."""
        return self["guessing"].rates[self.main].rate

    def __getitem__(self, graph: str) -> Trial:
        """Return what it reached on one graph, by its name."""
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
        }

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


# The interface.


class Attack(PublicCall, ABC):
    """A way to find people in a release."""

    shell: ClassVar[str]
    """Its name on the command line."""
    means: ClassVar[str]
    """One sentence: what the attacker has and does."""
    source: ClassVar[str]
    """Where it was published first."""
    main: ClassVar[str]
    """The rate to look at first."""

    @abstractmethod
    def __call__(self, pair: Pair, release: Release | None, seed: int) -> Outcome:
        """Try it.

        Parameters
        ----------
        pair
            The original and the released graph, and who is who: the truth, by which success is judged.
        release
            The release where it is at hand, with its method and its classes; None where only its graph is.
        seed
            What every random choice is drawn from.
        """

    def settings(self) -> dict[str, Any]:
        """Return what it is run with, as plain data."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]


# Controls: what a release must be compared with, so that damage is not taken for protection.
#
# A release may defend against an attack only because it is full of wrong links. So every attack is also tried on the
# original under fresh names, which shows what it can do at all, and on the original after as many random edits.

MEANS = {
    "release": "What would be published.",
    "only renamed": "The original with nothing changed but the names: what the attack can do at all.",
    "random edits": "The original after as many random removals and additions as the release has: what damage alone "
    "does. Only what the release withstands beyond this is due to its method.",
    "guessing": "Somebody who looks at nothing and guesses.",
}
"""One sentence for each graph: what it is, and what comparing with it shows."""
DRAWN = "All links of the release were drawn anew, so that there are no edits to compare with random ones."
MULTIPLE = "Random edits are drawn in simple graphs only; this one has multiple edges."


@dataclass(frozen=True, eq=False)
class AttackedData:
    """Data to attack, with the id that each vertex of the original has in it, -1 where it has none."""

    name: str
    graph: Dataset
    counterpart: Ints

    @property
    def means(self) -> str:
        """One sentence: what it is."""
        return MEANS[self.name]


def list_attacked(
    pair: Pair, release: Release | None, rng: np.random.Generator
) -> tuple[list[AttackedData], list[str]]:
    """Return the release and what it must be compared with, and a note where a control makes no sense."""
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
    added = min(added, count_missing(original))  # a release with more vertices has room for more links
    return [*found, AttackedData("random edits", perturb_links(original, added, removed, rng), same)], []
