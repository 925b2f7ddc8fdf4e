"""Outcome: how often an attack was right, on the release and on what it must be compared with.

A rate alone tells little. Beside the release stand the original under fresh names (what the attack can do at all), the
same number of random edits (what damage alone does), and guessing. Each rate has a Wilson interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from shoal.errors import BadParameter, did_you_mean
from shoal.show import as_html, as_text

NORMAL_95 = 1.959963984540054
"""Half the width, in standard deviations, of an interval that a normal number is in with probability 95 %."""


@dataclass(frozen=True)
class Rate:
    """So many of so many."""

    hits: float
    """A whole number, but for an expected number of hits, as of guessing."""
    of: int

    @property
    def rate(self) -> float:
        """The share; 0 of nothing."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; all of 0 to 1 where nothing was tried.

        >>> [round(end, 3) for end in Rate(0, 10).interval], Rate(0, 0).interval
        ([0.0, 0.278], (0.0, 1.0))
        """
        if not self.of:
            return 0.0, 1.0
        z2, p, n = NORMAL_95**2, self.rate, self.of
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = NORMAL_95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        # exactly 0 and 1 at the ends, where rounding would leave a little
        return (
            0.0 if self.hits == 0 else max(0.0, middle - half),
            1.0 if self.hits == self.of else min(1.0, middle + half),
        )

    def data(self) -> dict[str, float]:
        """Return it as plain data."""
        low, high = self.interval
        return {"rate": self.rate, "low": low, "high": high, "hits": self.hits, "of": self.of}


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
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
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
