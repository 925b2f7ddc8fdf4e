"""Matching attacks: a network with names is matched with the release, vertex by vertex.

Each attack brings its own matching; this module has the arenas, the controls and the counts that all of them share.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.base import FEWEST_REPEATS, Attack, Outcome, Trial, explain_missing_interval
from shoal.attacks.protocol import (
    Arena,
    Generator,
    Tally,
    check_twin_law,
    count_guesses,
    draw_attacker_data,
    find_twin_classes,
    pool_rates,
    rate_guessing,
    shuffle_arena,
)
from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, must, whole
from shoal.knowledge.view import Pair
from shoal.methods.links.random_edits import count_missing, perturb_links
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.release.release import Release

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

    def count_known(self, people: int) -> int:
        """Return how many of so many people are known beforehand."""
        return 0

    def list_warnings(self) -> tuple[str, ...]:
        """Return what a reader must know about this attack in particular."""
        return ()

    def __call__(self, pair: Pair, release: Release | None, seed: int) -> Outcome:
        """Try it on the release, and on what the release must be compared with."""
        who, seed = type(self).__name__, whole(seed, type(self).__name__, "seed", least=0, most=None)
        there = find_people(pair, who)
        self.check(pair)
        fields = make_arenas(pair, release)
        seeds = self.count_known(len(there))
        must(seeds < len(there), who, "seeds", f"fewer than the {len(there):,} who are in both graphs", seeds)
        tallies: list[list[Tally]] = [[] for _ in fields]
        for turn in range(self.repeats):
            has = draw_attacker_data(as_graph(pair.original), there, self.auxiliary, seeds, make_stream(seed, turn))
            studied = self.study(has.auxiliary)
            for i, arena in enumerate(fields):
                track(f"matching, {arena.name}", turn * len(fields) + i, self.repeats * len(fields))
                tallies[i].append(self._attack_once(studied, has.seeds, arena, make_stream(seed, turn, i)))
        track("matching", 1, 1)
        return self._make_outcome(fields, tallies, seed, list_notes(pair, release))

    def check(self, pair: Pair) -> None:
        """Refuse graphs that this attack cannot work on."""

    def _attack_once(self, studied: Any, seeds: Ints, arena: Arena, rng: Generator) -> Tally:
        graph, truth, codes = shuffle_arena(arena, rng)
        guess = self.match(studied, graph, (seeds, truth[seeds]), rng)
        return count_guesses(guess, truth, seeds, codes, graph.n)

    def _make_outcome(
        self, fields: list[Arena], tallies: list[list[Tally]], seed: int, notes: tuple[str, ...]
    ) -> Outcome:
        classes = fields[0].codes is not None
        pooled = sum(tallies[0], Tally())
        tried = [Trial(a.name, a.means, pool_rates(t, classes)) for a, t in zip(fields, tallies, strict=True)]
        chance = Trial("guessing", GUESSING, rate_guessing(pooled, self.repeats, classes))
        return Outcome(
            attack=self,
            shell=self.shell,
            means=self.means,
            main=self.main,
            trials=(*tried, chance),
            seed=seed,
            settings=self.settings(),
            meanings={name: MEANINGS[name] for name in tried[0].rates},
            law=check_twin_law(pooled) if classes else None,
            notes=(*notes, *self.list_warnings(), *describe_intervals(self.repeats, tried), ONE_ATTACKER),
        )


@dataclass(frozen=True)
class SeededMatchingAttack(MatchingAttack):
    """A matching that starts from people whom the attacker knows in both networks."""

    auxiliary: float = 0.9
    seeds: int | float = 0.05
    """Whom the attacker knows beforehand in both: a share as 0.05, or a whole number."""

    def __post_init__(self) -> None:
        who = type(self).__name__
        object.__setattr__(self, "auxiliary", check_share(self.auxiliary, who, "auxiliary"))
        object.__setattr__(self, "seeds", check_amount(self.seeds, who, "seeds"))
        object.__setattr__(self, "repeats", whole(self.repeats, who, "repeats", least=1))

    def count_known(self, people: int) -> int:
        """Return how many of so many people are known beforehand."""
        return count_share(self.seeds, people)


def match_seeds(g: Graph, h: Graph, seeds: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return for each vertex of g the one of h that it is matched with, and the reverse; -1 for all but the seeds.

    >>> path = Graph.from_pairs("abc", [0, 1], [1, 2])
    >>> [matched.tolist() for matched in match_seeds(path, path, (np.array([0]), np.array([2])))]
    [[2, -1, -1], [-1, -1, 0]]
    """
    partner, taken = np.full(g.n, -1, dtype=np.int64), np.full(h.n, -1, dtype=np.int64)
    partner[seeds[0]], taken[seeds[1]] = seeds[1], seeds[0]
    return partner, taken


def describe_intervals(repeats: int, tried: Sequence[Trial]) -> tuple[str, ...]:
    """Say what an interval is for, or why there is none."""
    if repeats < FEWEST_REPEATS:
        return (explain_missing_interval(repeats),)
    told = (
        "An interval is for the mean over other draws of links, seeds, names and edits, in this original and this "
        f"release: Student's t over the repeats. It does not see what happens in fewer than one of {repeats:,} repeats."
    )
    lacking = any(rate.interval is None for trial in tried for rate in trial.rates.values())
    return (told, *([FEW_GUESSES] if lacking else []))


def make_stream(seed: int, *part: int) -> Generator:
    """Return the random numbers of one part of an attack.

    Numbers from 1 on, for numpy takes (7, 0) for 7: the attack would draw as a method with the same seed did.

    >>> bool(make_stream(7, 0).random() != np.random.default_rng(7).random())
    True
    """
    return np.random.default_rng((seed, *(1 + number for number in part)))


def check_share(value: object, who: str, what: str) -> float:
    """Return a share above 0, at most 1, or refuse it."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1
    must(good, who, what, "a share above 0 and at most 1, as 0.9", value)
    return float(value)  # type: ignore[arg-type]


def check_number(value: object, who: str, what: str, *, zero: bool) -> float:
    """Return a finite number above 0, or 0 where `zero` is allowed, or refuse it."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and ((zero and value == 0) or 0 < value < inf)
    must(good, who, what, "a number of 0 or more" if zero else "a number above 0", value)
    return float(value)  # type: ignore[arg-type]


def check_amount(value: object, who: str, what: str) -> int | float:
    """Return a share below 1, or a whole number, or refuse it."""
    if isinstance(value, float):
        must(0 <= value < 1, who, what, "a share below 1, as 0.05, or a whole number of 0 or more", value)
        return float(value)
    return whole(value, who, what, least=0)


def count_share(part: int | float, people: int) -> int:
    """Return a share of the people, or a number of them, as a number.

    >>> count_share(0.05, 90), count_share(7, 90)
    (4, 7)
    """
    return round(part * people) if isinstance(part, float) else part


# What a matching attack is tried on: the release, and three graphs that tell damage from anonymity.
#
# From the original under new names to random edits, recall falls by the number of edits alone; from there to the
# surviving links by which links went; only the last step, to the release, can be anonymity.

RELEASE = "What was released, under names in a new random order."
RENAMED = (
    "The original itself, nothing changed but the names: what this attack reaches at all. From here down to the "
    "release is what was won by damage and by anonymity together."
)
EDITS = (
    "The original with as many links removed and as many added as in the release, at random: from 'only renamed' down "
    "to here is what so many edits do to the attack, and is damage, not anonymity."
)
SURVIVING = (
    "Only those links of the original that the release still has, nothing added: from 'random edits' down to here is "
    "damage by which links went. Only the step from here to the release can be anonymity."
)
DRAWN = (
    "All links of this release were drawn anew, so that no link was kept, removed or added: random edits and surviving "
    "edges, as many as those, would have no meaning."
)


def find_people(pair: Pair, who: str) -> Ints:
    """Return the original's vertices that were released; refuse a pair that cannot be attacked."""
    if pair.counterpart is None:
        raise BadParameter(
            f"{who}: it must be known who is who, to tell a right guess from a wrong one. Got no correspondence. "
            "Pass mapping= (--mapping), or same_names=True (--same-names) if names were not changed."
        )
    for graph in (pair.original, pair.released):
        if not graph.has_links:
            raise BadParameter(f"{who}: 'data' must be networks, whose links are matched. Got a table: {graph!r}.")
    return np.flatnonzero(pair.counterpart >= 0)


def make_arenas(pair: Pair, release: Release | None) -> list[Arena]:
    """Return what is attacked, the release first. Nothing but the links is looked at, each once."""
    assert pair.counterpart is not None
    counterpart = pair.counterpart.astype(np.int64)
    before, after = pair.graphs
    original, codes = keep_links(before), find_twin_classes(after)
    same = np.where(counterpart >= 0, np.arange(original.n), -1)
    carried = None if codes is None else carry_classes_back(codes, counterpart)
    released, kept = keep_links(after), keep_surviving_edges(pair)

    def edited(rng: Generator) -> Graph:
        add = min(released.m - kept.m, count_missing(original))
        return perturb_links(original, add, original.m - kept.m, rng)

    found = [
        Arena("release", RELEASE, lambda _: released, counterpart, codes),
        Arena("only renamed", RENAMED, lambda _: original, same, carried),
        Arena("random edits", EDITS, edited, same, carried),
        Arena("surviving edges", SURVIVING, lambda _: kept, same, carried),
    ]
    return found[:2] if isinstance(release, DrawnRelease) else found


def keep_links(graph: Graph) -> Graph:
    """Return the links alone, each once, under ids.

    >>> keep_links(Graph.from_pairs("abc", [0, 0, 1], [1, 1, 2], multigraph=True))
    Graph(3 vertices, 2 edges)
    """
    a, b, _ = graph.edges()
    return Graph.from_pairs(range(graph.n), a, b)


def keep_surviving_edges(pair: Pair) -> Graph:
    """Return the original with only those links that the release has too.

    >>> pair = Pair.of(Graph.from_pairs("abc", [0, 1], [1, 2]), Graph.from_pairs("cab", [0, 0], [1, 2]))
    >>> list(keep_surviving_edges(pair).each_edge())  # b and c
    [(1, 2)]
    """
    a, b, _ = as_graph(pair.original).edges()
    return Graph.from_pairs(range(pair.original.n), a[pair.kept], b[pair.kept])


def carry_classes_back(codes: Ints, counterpart: Ints) -> Ints:
    """Return the release's classes as classes of the original's vertices; who was not released is alone.

    >>> carry_classes_back(np.array([0, 0, 1, 1]), np.array([3, -1, 0])).tolist()
    [1, 3, 0]
    """
    return np.where(counterpart >= 0, codes[counterpart], int(codes.max()) + 1 + np.arange(len(counterpart)))


def list_notes(pair: Pair, release: Release | None) -> tuple[str, ...]:
    """Say what is special about these graphs."""
    assert pair.counterpart is not None
    there = int((pair.counterpart >= 0).sum())
    told = {
        DRAWN: isinstance(release, DrawnRelease),
        "The release does not have all vertices of the original. Rates count those who are in both; the graphs that "
        "it is compared with have all.": there < pair.original.n,
        "The release has vertices that the original does not have. They can be taken for somebody.": there
        < pair.released.n,
        "A link counts once, however often it is there.": any(
            graph.is_multigraph for graph in (pair.original, pair.released)
        ),
    }
    return tuple(note for note, applies in told.items() if applies)
