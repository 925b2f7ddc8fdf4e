"""Matching attacks: a network with names is matched with the release, vertex by vertex.

Each attack has its own matching. This module has the attacked graphs, the controls and the counts that they share.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.base import (
    FEWEST_REPEATS,
    Attack,
    Outcome,
    Trial,
    describe_sampled,
    explain_missing_interval,
    note_known_ties,
)
from shoal.attacks.protocol import (
    Arena,
    Generator,
    Tally,
    check_twin_law,
    count_guesses,
    draw_attacker_data,
    find_twin_classes,
    keep_links,
    pool_rates,
    rate_guessing,
    shuffle_arena,
)
from shoal.core.layers import find_directed_layers, list_layers, number_links, replace_links, split_numbers
from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, format_count, must, whole
from shoal.knowledge.view import Pair
from shoal.limits import Pace
from shoal.methods.links.random_edits import count_missing, perturb_links
from shoal.parts import option
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.release.release import Release
from shoal.seeds import AnySeed, parse_seed
from shoal.shares import parse_share

MEANINGS = {
    "mapped": "The share of people in both networks, not known before, with a guess, right or wrong.",
    "precision": "The share of right guesses among all guesses: how far the attacker can trust a guess.",
    "recall": "The share of people in both networks, not known before, who are identified.",
    "right class": "The share of guesses with the same links as the right vertex: the best that links allow.",
}
GUESSING = "Every person gets a random vertex, no vertex twice: a guess without any data."
ONE_ATTACKER = "This is one attacker with one kind of data. A failed attack proves no safety: another may succeed."
FALSE_LINKS = "Wrong links that the attacker has, as a share of the original's links, e.g. 5%."
FEW_GUESSES = f"A rate of guesses has no interval if fewer than {FEWEST_REPEATS} repeats made a guess."


class MatchingAttack(Attack):
    """An attack that guesses a released vertex for some vertices of the auxiliary graph, no vertex twice."""

    main: ClassVar[str] = "recall"
    success: ClassVar[str] = "identifies {} of the people"
    auxiliary: float
    """The share of the original's links that the attacker has."""
    false_links: float | str = 0.0
    """The number of links that the attacker has and the original does not, as a share of the original's links."""
    repeats: int
    """The number of repeats, each with other links, seeds and names."""

    @abstractmethod
    def match(self, auxiliary: Any, released: Graph, seeds: tuple[Ints, Ints], rng: Generator) -> Ints:
        """Return for each vertex of the auxiliary graph the guessed released vertex, -1 for none.

        Parameters
        ----------
        auxiliary, released
            Two graphs with unrelated ids, the first as `study` returns it.
        seeds
            The ids of some vertices of the auxiliary graph, and their ids in the released graph.
        rng
            The generator that breaks ties.
        """

    def study(self, auxiliary: Graph) -> Any:
        """Return what can be computed from the auxiliary graph alone, once for all attacked graphs."""
        return auxiliary

    def count_known(self, people: int) -> int:
        """Return how many of so many people are known beforehand."""
        return 0

    def list_warnings(self, original: Graph) -> tuple[str, ...]:
        """Return notes about this attack on this network in particular."""
        ties = note_known_ties(original)
        return (ties,) if ties else ()

    def __call__(self, pair: Pair, release: Release | None, seed: AnySeed) -> Outcome:
        """Run the attack on the release and on the controls."""
        who, seed = type(self).__name__, parse_seed(seed, type(self).__name__)
        there = find_people(pair, who)
        self.check(pair)
        fields = make_arenas(pair, release)
        seeds = self.count_known(len(there))
        must(seeds < len(there), who, "seeds", f"fewer than the {len(there):,} people in both graphs", seeds)
        original = keep_links(as_graph(pair.original))
        false = self._count_false_links(original)
        tallies: list[list[Tally]] = [[] for _ in fields]
        pace = Pace()
        for turn in range(self.repeats):
            rng = make_stream(seed, turn)
            has = draw_attacker_data(original, there, self.auxiliary, seeds, rng, false)
            studied = self.study(has.auxiliary)
            for i, arena in enumerate(fields):
                track(f"matching, {arena.name}", turn * len(fields) + i, self.repeats * len(fields))
                tallies[i].append(self._attack_once(studied, has.seeds, arena, make_stream(seed, turn, i)))
            if not pace.fits_another():
                break
        track("matching", 1, 1)
        notes = (*list_notes(pair, release), *self.list_warnings(original))
        return self._make_outcome(fields, tallies, seed, notes, seeds)

    def check(self, pair: Pair) -> None:
        """Refuse graphs that this attack cannot work on."""

    def _count_false_links(self, original: Graph) -> int:
        """Return the number of false links; refuse more than there are pairs without a link."""
        many, most = round(float(self.false_links) * original.m), count_missing(original)
        apart = "" if original.ties is None else ", each kind and direction apart"
        rule = f"a share of the {original.m:,} links that is at most {format_count(most, 'pair')} without a link{apart}"
        must(many <= most, type(self).__name__, "false_links", rule, self.false_links)
        return many

    def _attack_once(self, studied: Any, seeds: Ints, arena: Arena, rng: Generator) -> Tally:
        graph, truth, codes = shuffle_arena(arena, rng)
        guess = self.match(studied, graph, (seeds, truth[seeds]), rng)
        return count_guesses(guess, truth, seeds, codes, graph.n)

    def _describe_means(self, seeds: int) -> str:
        """Return what the attacker has, in numbers, and does."""
        has = f"Has {100 * self.auxiliary:.10g} % of the original's links"
        has += f", {100 * float(self.false_links):.10g} % as many false ones," if self.false_links else ""
        known = format_count(seeds, "person", "people") if seeds else "no person"
        return f"{has} and recognizes {known} in the release. {self.means.partition('. ')[2]}"

    def _make_outcome(
        self, fields: list[Arena], tallies: list[list[Tally]], seed: int, notes: tuple[str, ...], seeds: int
    ) -> Outcome:
        classes, repeats = fields[0].codes is not None, len(tallies[0])
        pooled = sum(tallies[0], Tally())
        tried = [Trial(a.name, a.means, pool_rates(t, classes)) for a, t in zip(fields, tallies, strict=True)]
        chance = Trial("guessing", GUESSING, rate_guessing(pooled, repeats, classes))
        return Outcome(
            attack=self,
            shell=self.shell,
            means=self._describe_means(seeds),
            main=self.main,
            trials=(*tried, chance),
            seed=seed,
            settings=self.settings() | {"repeats": repeats},
            meanings={name: MEANINGS[name] for name in tried[0].rates},
            law=check_twin_law(pooled) if classes else None,
            notes=(*notes, *describe_intervals(repeats, tried), ONE_ATTACKER),
            partial=describe_sampled(repeats, self.repeats, "repeat"),
        )


@dataclass(frozen=True)
class SeededMatchingAttack(MatchingAttack):
    """A matching that starts from people known to the attacker in both networks."""

    success: ClassVar[str] = "identifies {} of the other people"
    auxiliary: float = option(0.9, "Share of the original's links that the attacker has.", metavar="SHARE")
    seeds: int | float = option(
        0.05, "People known to the attacker in both networks, as 0.05 or 20.", name="known-seeds"
    )
    false_links: float | str = option(0.0, FALSE_LINKS, metavar="SHARE")

    def __post_init__(self) -> None:
        who = type(self).__name__
        object.__setattr__(self, "auxiliary", check_share(self.auxiliary, who, "auxiliary"))
        object.__setattr__(self, "false_links", float(parse_share(self.false_links, who, "false_links")))
        object.__setattr__(self, "seeds", check_amount(self.seeds, who, "seeds"))
        object.__setattr__(self, "repeats", whole(self.repeats, who, "repeats", least=1))

    def count_known(self, people: int) -> int:
        """Return how many of so many people are known beforehand."""
        return count_share(self.seeds, people)


def match_seeds(g: Graph, h: Graph, seeds: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return for each vertex of g its match in h, and the reverse; -1 for all but the seeds.

    >>> path = Graph.from_pairs("abc", [0, 1], [1, 2])
    >>> [matched.tolist() for matched in match_seeds(path, path, (np.array([0]), np.array([2])))]
    [[2, -1, -1], [-1, -1, 0]]
    """
    partner, taken = np.full(g.n, -1, dtype=np.int64), np.full(h.n, -1, dtype=np.int64)
    partner[seeds[0]], taken[seeds[1]] = seeds[1], seeds[0]
    return partner, taken


def describe_intervals(repeats: int, tried: Sequence[Trial]) -> tuple[str, ...]:
    """Return what an interval is for, or why there is none."""
    if repeats < FEWEST_REPEATS:
        return (explain_missing_interval(repeats),)
    told = (
        "An interval is for the mean over other draws of links, seeds, names and edits, for this original and this "
        f"release: Student's t over the repeats. It does not reflect events rarer than one in {repeats:,} repeats."
    )
    lacking = any(rate.interval is None for trial in tried for rate in trial.rates.values())
    return (told, *([FEW_GUESSES] if lacking else []))


def make_stream(seed: int, *part: int) -> Generator:
    """Return the random numbers of one part of an attack.

    Numbers start at 1, since numpy reads (7, 0) as 7: the attack would draw the same numbers as a method with the same
    seed.

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


# The attacked graphs: the release, and three controls that separate damage from anonymity.
#
# From the original under new names to random edits, recall drops by the number of edits alone. From there to the
# surviving links it drops by the choice of the removed links. Only the last step, to the release, can be anonymity.

RELEASE = "The release, under names in a new random order."
RENAMED = (
    "The original with only the names changed: the most that this attack can reach. The drop from here to the release "
    "is the effect of damage and anonymity together."
)
EDITS = (
    "The original with as many random removals and additions as in the release. The drop from 'only renamed' to here "
    "is the effect of so many edits: damage, not anonymity."
)
SURVIVING = (
    "The links of the original that the release still has, with nothing added. The drop from 'random edits' to here is "
    "damage by the choice of removed links. Only the step from here to the release can be anonymity."
)
ONCE = "Each link counts once, also where there are several between the same two vertices."
ONCE_EACH = "Each link counts once, also where there are several of one kind and direction between the same vertices."
DRAWN = (
    "All links of this release were drawn anew: no link was kept, removed or added. So there are no controls with "
    "random edits or surviving edges."
)


def find_people(pair: Pair, who: str) -> Ints:
    """Return the released vertices of the original; refuse data that cannot be attacked."""
    if pair.counterpart is None:
        raise BadParameter(
            f"{who}: 'mapping' must be given, to judge the guesses. Got none. Pass mapping= (--mapping), or "
            "same_names=True (--same-names) if names were not changed."
        )
    for graph in (pair.original, pair.released):
        if not graph.has_links:
            raise BadParameter(f"{who}: 'data' must be networks: their links are matched. Got a table: {graph!r}.")
    return np.flatnonzero(pair.counterpart >= 0)


def make_arenas(pair: Pair, release: Release | None) -> list[Arena]:
    """Return the attacked graphs, the release first. Only links count, each once."""
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


def keep_surviving_edges(pair: Pair) -> Graph:
    """Return the original with only the links that the release has too, with the same direction and kind.

    >>> pair = Pair.of(Graph.from_pairs("abc", [0, 1], [1, 2]), Graph.from_pairs("cab", [0, 0], [1, 2]))
    >>> list(keep_surviving_edges(pair).each_edge())  # b and c
    [(1, 2)]
    """
    assert pair.counterpart is not None
    before, after = pair.graphs
    keys, layers = number_links(before), list_layers(after)
    layer, a, b = split_numbers(before.n, keys)
    at = np.array([layers.index(one) if one in layers else -1 for one in list_layers(before)], dtype=np.int64)[layer]
    source, target = pair.counterpart[a].astype(np.int64), pair.counterpart[b].astype(np.int64)
    turned = ~find_directed_layers(before)[layer] & (source > target)
    source, target = np.where(turned, target, source), np.where(turned, source, target)
    there = (source >= 0) & (target >= 0) & (at >= 0)
    there &= np.isin((at * after.n + source) * after.n + target, number_links(after))
    return replace_links(keep_links(before), keys[there])


def carry_classes_back(codes: Ints, counterpart: Ints) -> Ints:
    """Return the release's classes as classes of the original's vertices; an unreleased vertex has its own class.

    >>> carry_classes_back(np.array([0, 0, 1, 1]), np.array([3, -1, 0])).tolist()
    [1, 3, 0]
    """
    return np.where(counterpart >= 0, codes[counterpart], int(codes.max()) + 1 + np.arange(len(counterpart)))


def list_notes(pair: Pair, release: Release | None) -> tuple[str, ...]:
    """Return notes about these graphs."""
    assert pair.counterpart is not None
    there = int((pair.counterpart >= 0).sum())
    told = {
        DRAWN: isinstance(release, DrawnRelease),
        "The release lacks some vertices of the original. Rates count people in both; the controls have all.": there
        < pair.original.n,
        "The release has vertices that the original does not have. They can be taken for people.": there
        < pair.released.n,
        ONCE if as_graph(pair.original).ties is None else ONCE_EACH: any(
            graph.is_multigraph for graph in (pair.original, pair.released)
        ),
    }
    return tuple(note for note, applies in told.items() if applies)
