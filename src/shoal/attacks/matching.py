"""Matching attacks: somebody holds a network of people with names, and matches it with the release, vertex by vertex.

Which matching is an attack's own; what is attacked, what it is compared with and how it is counted is said here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import inf
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.arenas import arenas, notes_on, people_of
from shoal.attacks.attack import Attack
from shoal.attacks.outcome import FEWEST_REPEATS, Outcome, Trial, no_interval
from shoal.attacks.protocol import Arena, Generator, Tally, counted, guessing, held, rates, shuffled
from shoal.attacks.twin_law import law
from shoal.data.counterparts import Pair
from shoal.data.graph import Graph, Ints
from shoal.data.release import Release
from shoal.errors import must, whole
from shoal.progress import track

MEANINGS = {
    "mapped": "Of the people who are in both networks and were not known beforehand, the share for whom the attacker "
    "names a vertex of the release, right or wrong.",
    "precision": "Of the guesses, the share that is right: how far the attacker can trust a guess.",
    "recall": "Of the people who are in both networks and were not known beforehand, the share that is found.",
    "right class": "Of the guesses, the share that names a vertex with the same links as the right one: as near as "
    "anybody can come by links.",
}
GUESSING = "Everybody gets a vertex at random, none twice: what can be had without any data."
ONE_ATTACKER = "This is one attacker with one kind of data. A failed attack proves no safety: another one may succeed."
FEW_GUESSES = f"A rate of guesses has no interval where fewer than {FEWEST_REPEATS} repeats made a guess."


class MatchingAttack(Attack):
    """An attack that names for some vertices of the auxiliary graph a vertex of the release, none twice."""

    main: ClassVar[str] = "recall"
    auxiliary: float
    """Which share of the original's links the attacker has."""
    repeats: int
    """How often it is tried, each time with other links, other seeds and other names."""

    @abstractmethod
    def match(self, auxiliary: Any, released: Graph, seeds: tuple[Ints, Ints], rng: Generator) -> Ints:
        """Return for each vertex of the auxiliary graph the released one that it is held to be, -1 for none.

        Parameters
        ----------
        auxiliary, released
            Two graphs whose ids have nothing to do with each other, the first one as `study` returns it.
        seeds
            The ids of some vertices of the auxiliary graph, and those that they have in the released one.
        rng
            Where ties are drawn from.
        """

    def study(self, auxiliary: Graph) -> Any:
        """Return what is worked out from the auxiliary graph alone, once for all that is attacked with it."""
        return auxiliary

    def known(self, people: int) -> int:
        """Return how many of so many people are known beforehand."""
        return 0

    def warn(self) -> tuple[str, ...]:
        """Return what a reader must know about this attack in particular."""
        return ()

    def __call__(self, pair: Pair, release: Release | None, seed: int) -> Outcome:
        """Try it on the release, and on what the release must be compared with."""
        who, seed = type(self).__name__, whole(seed, type(self).__name__, "seed", least=0, most=None)
        there = people_of(pair, who)
        self.check(pair)
        fields = arenas(pair, release)
        seeds = self.known(len(there))
        must(seeds < len(there), who, "seeds", f"fewer than the {len(there):,} who are in both graphs", seeds)
        tallies: list[list[Tally]] = [[] for _ in fields]
        for turn in range(self.repeats):
            has = held(pair.original, there, self.auxiliary, seeds, stream(seed, turn))
            studied = self.study(has.auxiliary)
            for i, arena in enumerate(fields):
                track(f"matching, {arena.name}", turn * len(fields) + i, self.repeats * len(fields))
                tallies[i].append(self._once(studied, has.seeds, arena, stream(seed, turn, i)))
        track("matching", 1, 1)
        return self._outcome(fields, tallies, seed, notes_on(pair, release))

    def check(self, pair: Pair) -> None:
        """Refuse graphs that this attack cannot work on."""

    def _once(self, studied: Any, seeds: Ints, arena: Arena, rng: Generator) -> Tally:
        graph, truth, codes = shuffled(arena, rng)
        guess = self.match(studied, graph, (seeds, truth[seeds]), rng)
        return counted(guess, truth, seeds, codes, graph.n)

    def _outcome(self, fields: list[Arena], tallies: list[list[Tally]], seed: int, notes: tuple[str, ...]) -> Outcome:
        classes = fields[0].codes is not None
        pooled = sum(tallies[0], Tally())
        tried = [Trial(a.name, a.means, rates(t, classes)) for a, t in zip(fields, tallies, strict=True)]
        chance = Trial("guessing", GUESSING, guessing(pooled, self.repeats, classes))
        return Outcome(
            attack=self,
            shell=self.shell,
            means=self.means,
            main=self.main,
            trials=(*tried, chance),
            seed=seed,
            settings=self.settings(),
            meanings={name: MEANINGS[name] for name in tried[0].rates},
            law=law(pooled) if classes else None,
            notes=(*notes, *self.warn(), *interval_notes(self.repeats, tried), ONE_ATTACKER),
        )


def interval_notes(repeats: int, tried: Sequence[Trial]) -> tuple[str, ...]:
    """Say what an interval is for, or why there is none."""
    if repeats < FEWEST_REPEATS:
        return (no_interval(repeats),)
    told = (
        "An interval is for the mean over other draws of links, seeds, names and edits, in this original and this "
        f"release: Student's t over the repeats. It does not see what happens in fewer than one of {repeats:,} repeats."
    )
    lacking = any(rate.interval is None for trial in tried for rate in trial.rates.values())
    return (told, *([FEW_GUESSES] if lacking else []))


def stream(seed: int, *part: int) -> Generator:
    """Return the random numbers of one part of an attack.

    Numbers from 1 on, for numpy takes (7, 0) for 7: the attack would draw as a method with the same seed did.

    >>> bool(stream(7, 0).random() != np.random.default_rng(7).random())
    True
    """
    return np.random.default_rng((seed, *(1 + number for number in part)))


def share(value: object, who: str, what: str) -> float:
    """Return a share above 0, at most 1, or refuse it."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1
    must(good, who, what, "a share above 0 and at most 1, as 0.9", value)
    return float(value)  # type: ignore[arg-type]


def number(value: object, who: str, what: str, *, zero: bool) -> float:
    """Return a finite number above 0, or 0 where `zero` is allowed, or refuse it."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and ((zero and value == 0) or 0 < value < inf)
    must(good, who, what, "a number of 0 or more" if zero else "a number above 0", value)
    return float(value)  # type: ignore[arg-type]


def amount(value: object, who: str, what: str) -> int | float:
    """Return a share below 1, or a whole number, or refuse it."""
    if isinstance(value, float):
        must(0 <= value < 1, who, what, "a share below 1, as 0.05, or a whole number of 0 or more", value)
        return float(value)
    return whole(value, who, what, least=0)


def many(part: int | float, people: int) -> int:
    """Return a share of the people, or a number of them, as a number.

    >>> many(0.05, 90), many(7, 90)
    (4, 7)
    """
    return round(part * people) if isinstance(part, float) else part
