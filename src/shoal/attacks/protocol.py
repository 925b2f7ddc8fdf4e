"""The protocol of a matching attack: arenas, the data of the attacker, and counts of guesses.

In each repeat the attacked graph gets new names in a random order. The auxiliary graph is a random share of the
original's links, with false links if the attacker has some, and the seeds are random true pairs. So only links can
help, and success is a mean over draws.

u is a vertex of the original (a person), w a vertex of the attacked graph. People are the vertices in both graphs that
are no seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import Any

import numpy as np

from shoal.attacks.base import Rate, compute_wilson_interval
from shoal.core.layers import number_links, replace_links
from shoal.core.twins import find_equal_rows
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.methods.links.random_edits import draw_absent

Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Arena:
    """A graph to attack, with the true mapping."""

    name: str
    means: str
    """What it is, and what a comparison with it shows."""
    make: Callable[[Generator], Graph]
    """Returns the graph: the same each time, or newly drawn."""
    truth: Ints
    """For each person the true vertex, -1 for none."""
    codes: Ints | None
    """For each vertex its twin class in the release; None if a vertex there has no twin."""


@dataclass(frozen=True, eq=False)
class AttackerData:
    """The data of the attacker, without the names of the seeds in the attacked graph."""

    auxiliary: Graph
    seeds: Ints
    """The people known to the attacker beforehand."""


@dataclass(frozen=True)
class Tally:
    """Counts of one repeat, or of all repeats."""

    people: int = 0
    mapped: int = 0
    """People with a guess."""
    guesses: int = 0
    """The same, with people whom the release does not have: a guess for them is wrong."""
    right: int = 0
    right_class: int = 0
    expected: float = 0.0
    """Expected right guesses among twins, see check_twin_law."""
    variance: float = 0.0
    independent: float = 0.0
    """The variance if the guesses were independent."""
    asked: int = 0
    """Vertices of the auxiliary graph that are no seeds."""
    offered: int = 0
    """Vertices of the attacked graph that are no seeds."""
    in_reach: int = 0
    """Over all people, the number of members of their class that are no seeds."""

    def __add__(self, other: Tally) -> Tally:
        """Pool the counts."""
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Tally)))


def draw_attacker_data(
    original: Graph, there: Ints, share: float, seeds: int, rng: Generator, false: int = 0
) -> AttackerData:
    """Draw the data of the attacker: a share of the links, some of the people `there` as seeds, and false links.

    Links keep their directions and kinds. False links have directions and kinds in the shares of the original.
    """
    keys, none = number_links(original), np.empty(0, dtype=np.int64)
    kept = np.sort(rng.choice(len(keys), round(share * len(keys)), replace=False)) if len(keys) else none
    known = rng.choice(there, seeds, replace=False)
    wrong = draw_absent(original, false, rng) if false else none
    return AttackerData(replace_links(keep_links(original), np.concatenate([keys[kept], wrong])), known)


def keep_links(graph: Graph) -> Graph:
    """Return the graph without attributes and multiplicities, under ids. Links keep their directions and kinds.

    >>> keep_links(Graph.from_pairs("abc", [0, 0, 1], [1, 1, 2], multigraph=True))
    Graph(3 vertices, 2 edges)
    """
    under_ids = replace(graph, names=Names(range(graph.n)), attributes=Table(graph.n), unread=())
    return under_ids if not graph.is_multigraph else replace_links(under_ids, number_links(graph))


def shuffle_arena(arena: Arena, rng: Generator) -> tuple[Graph, Ints, Ints | None]:
    """Return the graph under names in a new random order, with the true mapping and the classes under these names."""
    graph = arena.make(rng)
    called = rng.permutation(graph.n)
    fresh = graph.renumbered(Names(range(graph.n)), np.argsort(called), Table(graph.n))
    truth = np.where(arena.truth >= 0, called[arena.truth], -1)
    return fresh, truth, None if arena.codes is None else arena.codes[np.argsort(called)]


def count_guesses(guess: Ints, truth: Ints, seeds: Ints, codes: Ints | None, n: int) -> Tally:
    """Count the guesses: for each person one of the n attacked vertices, or -1; no vertex twice."""
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
    """Return the rates from the counts of all repeats."""
    counts = {
        "mapped": [(tally.mapped, tally.people) for tally in repeats],
        "precision": [(tally.right, tally.guesses) for tally in repeats],
        "recall": [(tally.right, tally.people) for tally in repeats],
    }
    if classes:
        counts["right class"] = [(tally.right_class, tally.guesses) for tally in repeats]
    return {name: Rate.over_repeats(each) for name, each in counts.items()}


def rate_guessing(tally: Tally, repeats: int, classes: bool) -> dict[str, Rate]:
    """Return the expected rates of a random assignment that uses as many vertices as possible, none twice."""
    larger, guesses = max(tally.asked, tally.offered) / repeats, min(tally.asked, tally.offered)
    right = tally.people / larger if larger else 0.0
    found = {
        "mapped": Rate(tally.people * guesses / tally.asked if tally.asked else 0.0, tally.people),
        "precision": Rate(right, guesses),
        "recall": Rate(right, tally.people),
    }
    return found | ({"right class": Rate(tally.in_reach / larger if larger else 0.0, guesses)} if classes else {})


# The twin law: links do not distinguish twins, so a guess inside the right class is a random draw of its members.
#
# If every vertex of a release has a twin (another vertex with the same row), the members of a class can be permuted and
# nothing changes. So a guess in the right class is right with probability 1 / f, where f is the number of members that
# are no seeds, for every attacker. A higher measured precision reveals a leak, through names or their order.
#
# Guesses inside one class depend on each other: of two twins both are identified or none. With g guesses into the right
# class of f free members, the number of right ones has mean g / f and variance
# g (f - 1) / f² + g (g - 1) / (f² (f - 1)).

MEANS = (
    "Every vertex of the release has a twin, so a guess in the right class is right only by chance: 1 over the number "
    "of its members that are no seeds. The resulting precision lies between low and high in 19 of 20 runs. A measured "
    "precision far above it reveals a leak, through names or their order."
)


FAR = 4.0
"""More standard deviations than this count as a leak: by chance they occur once in 30,000 runs."""


def find_twin_classes(released: Graph) -> Ints | None:
    """Return for each vertex the number of its class of equal rows; None if a vertex has no twin.

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

    The interval is Wilson's, for the equivalent number of independent guesses.
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
