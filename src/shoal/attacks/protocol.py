"""The protocol of a matching attack: arenas, the data of the attacker, and counts of guesses.

Each time the attacked graph gets new names in a random order; the auxiliary graph is a random share of the original's
links, and the seeds are true pairs drawn at random. So nothing but links can help, and success is a mean over draws.

u is a vertex of the original (a person), w one of the attacked graph; people are those who are in both and no seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import sqrt
from typing import Any

import numpy as np

from shoal.attacks.base import Rate, compute_wilson_interval
from shoal.core.twins import find_equal_rows
from shoal.data.arrays import Ints
from shoal.data.graph import Graph

Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Arena:
    """A graph to attack, with the truth."""

    name: str
    means: str
    """One sentence: what it is, and what comparing with it shows."""
    make: Callable[[Generator], Graph]
    """Returns it: the same each time, or drawn anew."""
    truth: Ints
    """For each person the vertex that they are, -1 for none."""
    codes: Ints | None
    """For each vertex its twin class in the release; None where somebody there has no twin."""


@dataclass(frozen=True, eq=False)
class AttackerData:
    """What the attacker has, but for the names that the seeds have in the attacked graph."""

    auxiliary: Graph
    seeds: Ints
    """The people whom the attacker knows beforehand."""


@dataclass(frozen=True)
class Tally:
    """Counts of one repeat, or of all of them."""

    people: int = 0
    mapped: int = 0
    """People for whom the attacker names somebody."""
    guesses: int = 0
    """The same, with those whom the release does not have: a guess for them is wrong."""
    right: int = 0
    right_class: int = 0
    expected: float = 0.0
    """Right guesses that twins allow, see twin_law."""
    variance: float = 0.0
    independent: float = 0.0
    """The variance if the guesses were independent of each other."""
    asked: int = 0
    """Vertices of the auxiliary graph that are no seeds."""
    offered: int = 0
    """Vertices of the attacked graph that are no seeds."""
    in_reach: int = 0
    """Over all people, the members of their class that are no seeds."""

    def __add__(self, other: Tally) -> Tally:
        """Pool the counts."""
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Tally)))


def draw_attacker_data(original: Graph, there: Ints, share: float, seeds: int, rng: Generator) -> AttackerData:
    """Draw what the attacker has: a share of the links, and some of those who are `there` as seeds."""
    a, b, _ = original.edges()
    kept = np.sort(rng.choice(len(a), round(share * len(a)), replace=False)) if len(a) else np.empty(0, dtype=np.int64)
    auxiliary = Graph.from_pairs(range(original.n), a[kept], b[kept])
    return AttackerData(auxiliary, rng.choice(there, seeds, replace=False))


def shuffle_arena(arena: Arena, rng: Generator) -> tuple[Graph, Ints, Ints | None]:
    """Return the graph to attack under names in a new random order, and the truth and the classes under these."""
    graph = arena.make(rng)
    called = rng.permutation(graph.n)
    a, b, _ = graph.edges()
    fresh = Graph.from_pairs(range(graph.n), called[a], called[b])
    truth = np.where(arena.truth >= 0, called[arena.truth], -1)
    return fresh, truth, None if arena.codes is None else arena.codes[np.argsort(called)]


def count_guesses(guess: Ints, truth: Ints, seeds: Ints, codes: Ints | None, n: int) -> Tally:
    """Count the guesses: for each person a vertex of the attacked graph, which has n, or -1; no vertex twice."""
    guess = guess.copy()
    guess[seeds] = -1
    people = truth >= 0
    people[seeds] = False
    named = guess >= 0
    mapped = named & people
    tally = Tally(
        people=int(people.sum()),
        mapped=int(mapped.sum()),
        guesses=int(named.sum()),
        right=int((mapped & (guess == truth)).sum()),
        asked=len(guess) - len(seeds),
        offered=n - len(seeds),
    )
    if codes is None:
        return tally
    free = count_free_members(codes, truth[seeds])
    into = codes[truth[mapped]][codes[truth[mapped]] == codes[guess[mapped]]]
    reach = int(free[codes[truth[people]]].sum())
    return tally + Tally(0, 0, 0, 0, len(into), *expect_right_guesses(into, free), 0, 0, reach)


def pool_rates(repeats: Sequence[Tally], classes: bool) -> dict[str, Rate]:
    """Return the rates that the counts of all repeats come to."""
    counts = {
        "mapped": [(tally.mapped, tally.people) for tally in repeats],
        "precision": [(tally.right, tally.guesses) for tally in repeats],
        "recall": [(tally.right, tally.people) for tally in repeats],
    }
    if classes:
        counts["right class"] = [(tally.right_class, tally.guesses) for tally in repeats]
    return {name: Rate.over_repeats(each) for name, each in counts.items()}


def rate_guessing(tally: Tally, repeats: int, classes: bool) -> dict[str, Rate]:
    """Return the rates to be expected of a random assignment that gives no vertex twice and leaves nobody idle."""
    larger, guesses = max(tally.asked, tally.offered) / repeats, min(tally.asked, tally.offered)
    right = tally.people / larger if larger else 0.0
    found = {
        "mapped": Rate(tally.people * guesses / tally.asked if tally.asked else 0.0, tally.people),
        "precision": Rate(right, guesses),
        "recall": Rate(right, tally.people),
    }
    return found | ({"right class": Rate(tally.in_reach / larger if larger else 0.0, guesses)} if classes else {})


# The twin law: nothing in the links tells twins apart, so a guess inside the right class is a draw among its members.
#
# In a release in which everybody has a twin (another vertex with the same row), a class can be permuted and nothing
# changes. So a guess that hits the right class is right with probability 1 / f, where f is the number of members that
# are no seeds, whatever the attacker does. A measured precision above that tells of a leak, through names or order.
#
# Guesses inside one class lean on each other: of two twins both are found or none. With g guesses into the right class
# of f free members the number of right ones has mean g / f and variance g (f - 1) / f² + g (g - 1) / (f² (f - 1)).

MEANS = (
    "Everybody in the release has a twin, so a guess in the right class is right by chance only, with one chance for "
    "each of its members that are no seeds. The precision that this comes to lies between low and high in nineteen of "
    "twenty runs; one measured far above it tells of a leak, through names or their order."
)


FAR = 4.0
"""So many standard deviations above the law happen by chance once in 30,000 runs: then there is a leak."""


def find_twin_classes(released: Graph) -> Ints | None:
    """Return for each vertex the number of its class of equal rows; None where a vertex has no twin.

    >>> square, path = (Graph.from_pairs("abcd", [0, 1, 2, 3][:m], [1, 2, 3, 0][:m]) for m in (4, 3))
    >>> find_twin_classes(square).tolist(), find_twin_classes(path)
    ([0, 1, 0, 1], None)
    """
    codes = find_equal_rows(released)
    return codes if np.bincount(codes).min() >= 2 else None


def count_free_members(codes: Ints, seeds: Ints) -> Ints:
    """Count for each class its members that are no seeds."""
    classes = int(codes.max()) + 1
    return np.bincount(codes, minlength=classes) - np.bincount(codes[seeds], minlength=classes)


def expect_right_guesses(into: Ints, free: Ints) -> tuple[float, float, float]:
    """Return mean and variance of the number of right guesses, and the variance if they were independent.

    Parameters
    ----------
    into
        For each guess in the right class the number of that class.
    free
        For each class its members that are no seeds.

    Examples
    --------
    Two guesses among two twins are both right or both wrong; one among three is right in a third of cases:

    >>> expect_right_guesses(np.array([0, 0]), np.array([2]))
    (1.0, 1.0, 0.5)
    >>> [round(x, 3) for x in expect_right_guesses(np.array([0]), np.array([3]))]
    [0.333, 0.222, 0.222]
    """
    g = np.bincount(into, minlength=len(free))
    g, f = g[g > 0].astype(np.float64), free[g > 0].astype(np.float64)
    alone = g * (f - 1) / f**2
    together = g * (g - 1) / (f**2 * np.maximum(f - 1, 1))
    return float((g / f).sum()), float((alone + together).sum()), float(alone.sum())


def check_twin_law(tally: Tally) -> dict[str, Any]:
    """Compare the measured precision with the one that twins allow.

    The interval is Wilson's, for as many independent guesses as tell as much as these do.
    """
    effect = max(1.0, tally.variance / tally.independent) if tally.independent else 1.0
    low, high = compute_wilson_interval(tally.right / effect, tally.guesses / effect)
    expected, measured = (Rate(hits, tally.guesses).rate for hits in (tally.expected, tally.right))
    deviations = (tally.right - tally.expected) / sqrt(tally.variance) if tally.variance else 0.0
    return {
        "expected precision": expected,
        "measured": measured,
        "low": low,
        "high": high,
        "inside": low <= expected <= high,
        "deviations": deviations,
        "leak": deviations > FAR,
        "means": MEANS,
    }
