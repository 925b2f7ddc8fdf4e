"""Attacks with given knowledge: facts about a target from the original, searched in the release.

For each target facts are drawn. The candidates are the released vertices that fit all of them, and the attacker guesses
one of them at random. The chance of a right guess counts: [target is a candidate] / (number of candidates). This is the
mean of a drawn guess and varies less than a guess that is right or wrong, so Wilson's interval is too wide rather than
too narrow. Targets and facts are drawn independently. If every person is a target and nothing is drawn, there is no
interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.base import (
    MEANS,
    Attack,
    AttackedData,
    Outcome,
    Rate,
    Trial,
    describe_recoded,
    describe_sampled,
    list_attacked,
    list_recoded,
    note_known_ties,
)
from shoal.data.arrays import Bools, Ints
from shoal.errors import check_k, format_count, whole
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.candidates import DrawnFacts, Search
from shoal.knowledge.view import Pair, View
from shoal.limits import Pace
from shoal.progress import track
from shoal.release.guarantee import Promise, covers
from shoal.release.release import Release
from shoal.seeds import AnySeed, parse_seed

FOUND, RIGHT, WRONG, BELOW, EXCLUDED, MISLED = (
    "found",
    "identified correctly",
    "identified wrongly",
    "below k",
    "target excluded",
    "misled",
)
USUAL = 5
"""The k for a release without a guarantee."""
SHOWN = 20
"""The largest size of a candidate set that is counted by itself."""
AT_ONCE = 256
"""Targets between two checks of the time limit."""
TARGETS, EDITS = 0, 1
"""Streams of the seed, besides that of the facts."""
ALL = "Every person in the release is a target once"
NOTHING_DRAWN = "nothing is drawn, so rates have no interval. (Random edits are one draw.)"
SOME = "Targets and their known facts were drawn at random. The intervals show the uncertainty of this draw."
DRAWN_FACTS = "The known facts are drawn at random. The intervals show the uncertainty of this draw."
ONE_DRAW = (
    "The facts known about a target are drawn once from all that may be known. "
    "`shoal risk` does not draw: for each person it uses the facts that leave the fewest candidates."
)
EVENLY = "The attacker has no further information: each candidate is equally likely to be guessed."


@dataclass(frozen=True)
class Informed(Attack):
    """Knows facts of the original about a target, and guesses among the released vertices that fit them.

    Parameters
    ----------
    knows
        The adversary, or its shell name.
    trials
        The number of targets to draw; all people once, if there are no more.
    k
        Count the targets with 1 to k-1 candidates. None: the k that the release guarantees, or 5.
    """

    knows: Adversary
    trials: int = 10_000
    k: int | None = None

    shell: ClassVar[str] = "knows"
    title: ClassVar[str] = "search by known facts"
    means: ClassVar[str] = (
        "Knows facts of the original about each target. Guesses one of the released vertices that fit them."
    )
    success: ClassVar[str] = "finds {} of the people, on average, by guessing among those who fit"
    source: ClassVar[str] = "Hay et al. 2008"
    main: ClassVar[str] = FOUND
    reads_ties: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "knows", parse_knowledge(self.knows))
        object.__setattr__(self, "trials", whole(self.trials, "attack", "trials", least=1))
        if self.k is not None:
            object.__setattr__(self, "k", whole(self.k, "attack", "k", least=1))

    def __call__(self, pair: Pair, release: Release | None, seed: AnySeed) -> Outcome:
        """Run the attack on every target, in the release and in the controls."""
        assert pair.counterpart is not None
        seed = parse_seed(seed, "Informed")
        targets = self._draw_targets(pair, seed)
        k = self._choose_k(pair, release)
        graphs, notes = list_attacked(pair, release, np.random.default_rng([seed, EDITS]))
        if not self.knows.reads_links:  # random links change nothing about columns
            graphs, notes = graphs[:2], []
        wanted = len(targets)
        tried, targets = self._try_all(pair, graphs, targets, seed)
        rate = Rate.of_targets if self._chooses or len(targets) < _count_released(pair) else Rate
        trials = [Trial(each.name, each.means, _count_rates(*tried[each.name], k, rate)) for each in graphs]
        guessed = {FOUND: Rate(len(targets) / pair.released.n, len(targets))}
        return Outcome(
            self.knows,
            f"knows:{self.knows.spec}",
            f"Knows {self.knows.phrase_in('original')}. "
            "Searches the release for vertices that fit, and guesses one of them.",
            FOUND,
            (*trials, Trial("guessing", MEANS["guessing"], guessed)),
            seed,
            self._describe_settings(pair, k, len(targets), tried),
            describe_rates(k),
            check_promised_bound(pair, release, self.knows, targets, *tried["release"]),
            (*self._list_notes(pair, targets), *notes),
            describe_sampled(len(targets), wanted, "target"),
        )

    @property
    def _chooses(self) -> bool:
        """Whether facts are drawn among several that may be known."""
        return any(part.several_sets for part in self.knows.parts)

    def _draw_targets(self, pair: Pair, seed: int) -> Ints:
        """Draw targets among the released people, in a random order: the first ones are a sample too."""
        there = np.flatnonzero(pair.counterpart >= 0)  # type: ignore[operator]
        rng = np.random.default_rng([seed, TARGETS])
        return rng.permutation(there)[: self.trials]

    def _choose_k(self, pair: Pair, release: Release | None) -> int:
        if self.k is not None:
            return check_k("attack", self.k, pair.released)
        promised = [promise.k for promise in list_promises(pair, release, self.knows)]
        return max(promised, default=min(USUAL, pair.released.n))

    def _try_all(
        self, pair: Pair, graphs: Sequence[AttackedData], targets: Ints, seed: int
    ) -> tuple[dict[str, tuple[Ints, Bools]], Ints]:
        """Return the candidates in each graph, and the targets: all of them, or those for whom there was time."""
        searches = [(each, self._prepare(pair, each)) for each in graphs]
        found = {each.name: (np.zeros(len(targets), np.int64), np.zeros(len(targets), np.bool_)) for each in graphs}
        done, pace = 0, Pace()
        while done < len(targets):
            part = slice(done, done + AT_ONCE)
            for graph, ways in searches:
                track(f"attacking, {graph.name}", done, len(targets))
                found[graph.name][0][part], found[graph.name][1][part] = _try_on(graph, ways, targets[part], seed)
            done = min(part.stop, len(targets))
            if not pace.fits_another():
                break
        order = np.argsort(targets[:done])
        return {name: (sizes[order], holds[order]) for name, (sizes, holds) in found.items()}, targets[order]

    def _prepare(self, pair: Pair, graph: AttackedData) -> list[tuple[DrawnFacts, Search]]:
        """Return how each part of the knowledge is drawn, and searched in a graph."""
        view = View(graph.graph, pair.original, graph.counterpart)
        return [(each, each.seek(view)) for each in self._draw_facts(pair)]

    def _draw_facts(self, pair: Pair) -> list[DrawnFacts]:
        assert pair.counterpart is not None
        return [part.draw_facts(pair.original, pair.counterpart >= 0) for part in self.knows.parts]

    def _describe_settings(
        self, pair: Pair, k: int, targets: int, tried: Mapping[str, tuple[Ints, Bools]]
    ) -> dict[str, Any]:
        sizes = {name: count_sizes(found[0]) for name, found in tried.items()}
        columns = list_recoded(pair, self.knows)
        differ = {"recoded": list(columns)} if columns else {}
        return {"knows": self.knows.spec, "trials": targets, "k": k, "candidates": sizes, **differ}

    def _list_notes(self, pair: Pair, targets: Ints) -> list[str]:
        absent = pair.original.n - _count_released(pair)
        searches = [note for facts in self._draw_facts(pair) if (note := facts.note)]
        columns = list_recoded(pair, self.knows)
        complete, chosen = len(targets) == _count_released(pair), self._chooses
        told = {
            SOME: not complete,
            f"{ALL}. {DRAWN_FACTS}": complete and chosen,
            f"{ALL}, with only one set of facts each: {NOTHING_DRAWN}": complete and not chosen,
            f"The release lacks {format_count(absent, 'person', 'people')} of the original, no targets here.": absent,
            describe_recoded(columns): columns,
            ONE_DRAW: chosen,
            **dict.fromkeys(searches, True),
            (ties := note_known_ties(pair.original)): self.knows.reads_kinds and ties,
            self.knows.assumes: self.knows.assumes,
            EVENLY: True,
        }
        return [note for note, applies in told.items() if applies]


def _try_on(
    graph: AttackedData, ways: Sequence[tuple[DrawnFacts, Search]], targets: Ints, seed: int
) -> tuple[Ints, Bools]:
    """Return for each target the number of candidates, and whether it is one of them."""
    sizes, holds = np.zeros(len(targets), dtype=np.int64), np.zeros(len(targets), dtype=np.bool_)
    for i, v in enumerate(targets.tolist()):
        rng = np.random.default_rng([seed, v, 1])  # the same facts about v in every graph
        left = reduce(lambda a, b: a.meet(b), [sought(v, each.draw(v, rng)) for each, sought in ways])
        sizes[i], holds[i] = left.size, left.holds(int(graph.counterpart[v]))
    return sizes, holds


def _count_released(pair: Pair) -> int:
    """Return the number of original people in the release."""
    return int(np.count_nonzero(pair.counterpart >= 0))  # type: ignore[operator]


def _count_rates(sizes: Ints, holds: Bools, k: int, rate: Callable[[float, int], Rate]) -> dict[str, Rate]:
    counted = {
        RIGHT: (sizes == 1) & holds,
        WRONG: (sizes == 1) & ~holds,
        BELOW: (sizes > 0) & (sizes < k),
        EXCLUDED: (sizes > 0) & ~holds,
        MISLED: sizes == 0,
    }
    found = rate(float((holds / np.maximum(sizes, 1)).sum()), len(sizes))
    return {FOUND: found, **{name: rate(int(hit.sum()), len(sizes)) for name, hit in counted.items()}}


def describe_rates(k: int) -> dict[str, str]:
    """Return the meaning of each rate, one sentence each."""
    few = "1 candidate is" if k <= 2 else f"1 to {k - 1:,} candidates are"
    return {
        FOUND: "The chance that the guess is the target, averaged over the targets: the expected share found.",
        RIGHT: "Only one vertex fits, and it is the target.",
        WRONG: "Only one vertex fits, and it is not the target: another person is taken for the target.",
        BELOW: f"{few} left (k = {k:,}), the target included or not. This includes both kinds of 'identified'."
        if k > 1
        else "With k = 1 no target counts.",
        EXCLUDED: "Some vertices fit, but the target is not among them. This includes 'identified wrongly'.",
        MISLED: "No vertex fits. The attacker notices that the release differs from the known facts, and can try again "
        "with fewer facts. So these targets are not safe.",
    }


def count_sizes(sizes: Ints) -> dict[str, int]:
    """Count the targets by their number of candidates; "0" are the misled.

    >>> count_sizes(np.array([1, 0, 2, 2, 500]))
    {'0': 1, '1': 1, '2': 2, '>20': 1}
    """
    counts = np.bincount(np.minimum(sizes, SHOWN + 1), minlength=SHOWN + 2)
    return {f">{SHOWN}" if size > SHOWN else str(size): int(many) for size, many in enumerate(counts) if many}


# The bound of a guarantee: a target with k candidates is guessed with a chance of 1/k at most.
#
# A guarantee about facts of the release also bounds an attacker who knows the original, for knowledge that stays true
# (`Adversary.stays_true`). Either the target does not fit, and the chance is 0. Or it fits: then the facts are true of
# it in the release, so the candidates are those of an attacker who knows the release, and there are k or more.


def list_promises(pair: Pair, release: Release | None, knows: Adversary) -> list[Promise]:
    """Return the guarantees that cover this knowledge."""
    found = () if release is None else release.promises
    simple = pair.original.is_simple and pair.released.is_simple
    return [promise for promise in found if isinstance(promise, Promise) and covers(promise, knows, simple=simple)]


def check_promised_bound(
    pair: Pair, release: Release | None, knows: Adversary, targets: Ints, sizes: Ints, holds: Bools
) -> dict[str, Any] | None:
    """Return the bound on the chance of every target, and whether it holds; None if there is no bound."""
    sure = all(part.stays_true for part in knows.parts)
    about = [p for p in list_promises(pair, release, knows) if sure or p.source == "original"]
    if not about:
        return None
    promise = max(about, key=lambda p: (p.vertices == "all", p.k))
    protected = np.ones(len(targets), dtype=np.bool_)
    if promise.vertices != "all":
        protected = np.isin(targets, pair.original.names.find(promise.vertices))
    most = float((holds / np.maximum(sizes, 1))[protected].max(initial=0.0))
    who = "every person" if promise.vertices == "all" else "the protected people (the others are NOT protected)"
    told = f"{promise.k:,} candidates are guaranteed for {who} against this knowledge, so"
    return {
        "guaranteed k": promise.k,
        "bound": 1 / promise.k,
        "measured": most,
        "inside": most <= 1 / promise.k,
        "means": f"{told} none of them is guessed with a chance above 1/{promise.k:,}.",
    }
