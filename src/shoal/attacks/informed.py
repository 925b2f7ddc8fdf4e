"""Attacks with given knowledge: facts about a target from the original, searched for in the release.

For each target facts are drawn, and the candidates are the vertices of the release that fit all of them. The attacker
guesses one candidate at random. The chance to guess right is counted, [target among them] / (number of candidates):
this is the mean of a drawn guess, and it varies less from target to target than a guess that is right or wrong. So
Wilson's interval, which is meant for such guesses, is too wide rather than too narrow. Targets and facts are drawn
independently of each other. Where every person is a target and nothing is drawn, there is no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.base import MEANS, Attack, AttackedData, Outcome, Rate, Trial, list_attacked
from shoal.attacks.recoded import describe_recoded, list_recoded
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import check_k
from shoal.errors import whole
from shoal.knowledge import Adversary, Subgraph, parse_knowledge
from shoal.knowledge.view import Pair, View
from shoal.progress import track
from shoal.release.coverage import covers
from shoal.release.guarantee import Promise
from shoal.release.release import Release

FOUND, RIGHT, WRONG, BELOW, LOST, MISLED = (
    "found",
    "singled out rightly",
    "singled out wrongly",
    "below k",
    "lost",
    "misled",
)
USUAL = 5
"""k where a release promises none."""
SHOWN = 20
"""Sizes of candidate sets up to this one are counted one by one."""
TARGETS, EDITS = 0, 1
"""What is drawn from the seed besides the facts."""
ALL = "Everybody in the release was a target, once"
NOTHING_DRAWN = "nothing is drawn, and rates have no interval. (Random edits are one draw.)"
SOME = "Targets were drawn at random, one by one: an interval is for other targets, and other draws of what is known."
ONE_DRAW = "The facts known about a target are one draw among all that may be known; the worst are what risk counts."
EVENLY = "The attacker guesses evenly among those who fit, and has nothing else to go by."
CUT_SHORT = "Where a subgraph is too much to place, whoever could not be excluded counts as somebody who fits."


@dataclass(frozen=True)
class Informed(Attack):
    """Knows about a target what an adversary knows, from the original; guesses among those in the release who fit.

    Parameters
    ----------
    knows
        The adversary, or its shell name.
    trials
        How many targets are drawn; all, once each, where there are no more.
    k
        Count the targets with 1 to k-1 candidates. None: what the release promises, or else 5.
    """

    knows: Adversary
    trials: int = 10_000
    k: int | None = None

    shell: ClassVar[str] = "knows"
    title: ClassVar[str] = "guessing by known facts"
    means: ClassVar[str] = "Knows something about the target from the original, and guesses among those whom it fits."
    source: ClassVar[str] = "Hay et al. 2008"
    main: ClassVar[str] = FOUND

    def __post_init__(self) -> None:
        object.__setattr__(self, "knows", parse_knowledge(self.knows))
        object.__setattr__(self, "trials", whole(self.trials, "attack", "trials", least=1))
        if self.k is not None:
            object.__setattr__(self, "k", whole(self.k, "attack", "k", least=1))

    def __call__(self, pair: Pair, release: Release | None, seed: int) -> Outcome:
        """Try it on every target, in the release and in what it must be compared with."""
        assert pair.counterpart is not None
        targets = self._draw_targets(pair, seed)
        k = self._choose_k(pair, release)
        graphs, notes = list_attacked(pair, release, np.random.default_rng([seed, EDITS]))
        if not self.knows.reads_links:  # random links change nothing for whoever knows columns
            graphs, notes = graphs[:2], []
        tried = {each.name: self._try_on(pair, each, targets, seed) for each in graphs}
        rate = Rate.of_targets if self._chooses or len(targets) < _count_released(pair) else Rate
        trials = [Trial(each.name, each.means, _count_rates(*tried[each.name], k, rate)) for each in graphs]
        guessed = {FOUND: Rate(len(targets) / pair.released.n, len(targets))}
        return Outcome(
            self.knows,
            f"knows:{self.knows.spec}",
            f"Knows {self.knows.spec} of the target, from the original, and guesses among those whom it fits.",
            FOUND,
            (*trials, Trial("guessing", MEANS["guessing"], guessed)),
            seed,
            self._describe_settings(pair, k, len(targets), tried),
            describe_rates(k),
            check_promised_bound(pair, release, self.knows, targets, *tried["release"]),
            (*self._list_notes(pair, targets), *notes),
        )

    @property
    def _chooses(self) -> bool:
        """Whether facts are drawn among several that may be known."""
        return any(part.several_sets for part in self.knows.parts)

    def _draw_targets(self, pair: Pair, seed: int) -> Ints:
        """Draw targets among those who were released."""
        there = np.flatnonzero(pair.counterpart >= 0)  # type: ignore[operator]
        rng = np.random.default_rng([seed, TARGETS])
        return np.sort(rng.permutation(there)[: self.trials])

    def _choose_k(self, pair: Pair, release: Release | None) -> int:
        if self.k is not None:
            return check_k("attack", self.k, pair.released)
        promised = [promise.k for promise in list_promises(release, self.knows)]
        return max(promised, default=min(USUAL, pair.released.n))

    def _try_on(self, pair: Pair, graph: AttackedData, targets: Ints, seed: int) -> tuple[Ints, Bools]:
        """Return for each target how many fit, and whether it is one of them."""
        assert pair.counterpart is not None
        view = View(graph.graph, pair.original, graph.counterpart)
        facts = [part.draw_facts(pair.original, pair.counterpart >= 0) for part in self.knows.parts]
        ways = [(each, each.seek(view)) for each in facts]
        sizes, holds = np.zeros(len(targets), dtype=np.int64), np.zeros(len(targets), dtype=np.bool_)
        for i, v in enumerate(targets.tolist()):
            rng = np.random.default_rng([seed, v, 1])  # the same facts about v in every graph
            left = reduce(lambda a, b: a.meet(b), [sought(v, each.draw(v, rng)) for each, sought in ways])
            sizes[i], holds[i] = left.size, left.holds(int(graph.counterpart[v]))
            if i % 256 == 0:
                track(f"attacking, {graph.name}", i, len(targets))
        return sizes, holds

    def _describe_settings(
        self, pair: Pair, k: int, targets: int, tried: Mapping[str, tuple[Ints, Bools]]
    ) -> dict[str, Any]:
        sizes = {name: count_sizes(found[0]) for name, found in tried.items()}
        columns = list_recoded(pair, self.knows)
        differ = {"recoded": list(columns)} if columns else {}
        return {"knows": self.knows.spec, "trials": targets, "k": k, "candidates": sizes, **differ}

    def _list_notes(self, pair: Pair, targets: Ints) -> list[str]:
        absent = pair.original.n - _count_released(pair)
        parts = self.knows.parts
        columns = list_recoded(pair, self.knows)
        everybody, chosen = len(targets) == _count_released(pair), self._chooses
        told = {
            SOME: not everybody,
            f"{ALL}; an interval is for other draws of what is known.": everybody and chosen,
            f"{ALL}, and what is known leaves no choice: {NOTHING_DRAWN}": everybody and not chosen,
            f"{absent:,} of the original are not in the release, and were no targets.": absent,
            describe_recoded(columns): columns,
            ONE_DRAW: chosen,
            CUT_SHORT: any(isinstance(part, Subgraph) for part in parts),
            self.knows.assumes: self.knows.assumes,
            EVENLY: True,
        }
        return [note for note, applies in told.items() if applies]


def _count_released(pair: Pair) -> int:
    """Count those of the original who are in the release."""
    return int(np.count_nonzero(pair.counterpart >= 0))  # type: ignore[operator]


def _count_rates(sizes: Ints, holds: Bools, k: int, rate: Callable[[float, int], Rate]) -> dict[str, Rate]:
    counted = {
        RIGHT: (sizes == 1) & holds,
        WRONG: (sizes == 1) & ~holds,
        BELOW: (sizes > 0) & (sizes < k),
        LOST: (sizes > 0) & ~holds,
        MISLED: sizes == 0,
    }
    found = rate(float((holds / np.maximum(sizes, 1)).sum()), len(sizes))
    return {FOUND: found, **{name: rate(int(hit.sum()), len(sizes)) for name, hit in counted.items()}}


def describe_rates(k: int) -> dict[str, str]:
    """Return for each rate one sentence that says what it means."""
    few = "1 candidate" if k <= 2 else f"1 to {k - 1:,} candidates"
    return {
        FOUND: "The chance that the guess is the target, averaged over the targets.",
        RIGHT: "Only one fits, and it is the target.",
        WRONG: "Only one fits, and it is somebody else, who would be taken for the target.",
        BELOW: f"Left with {few}, the target or not." if k > 1 else "Below 1 there is nobody.",
        LOST: "Somebody fits, but the target is not among them.",
        MISLED: "Nobody fits: the attacker learns that the release differs from what is known. It is not safety.",
    }


def count_sizes(sizes: Ints) -> dict[str, int]:
    """Count the targets by how many candidates they have; "0" are the misled.

    >>> count_sizes(np.array([1, 0, 2, 2, 500]))
    {'0': 1, '1': 1, '2': 2, '>20': 1}
    """
    counts = np.bincount(np.minimum(sizes, SHOWN + 1), minlength=SHOWN + 2)
    return {f">{SHOWN}" if size > SHOWN else str(size): int(many) for size, many in enumerate(counts) if many}


# The chance that a promise leaves: who has k candidates is guessed with a chance of 1/k at most.
#
# A promise about what is known in the release bounds the chance of an attacker who knows the original, too. Either the
# target is not among those who fit, and the chance is 0. Or it is: then the facts are true of it in the release, so
# that whoever fits them is whoever knowledge of the release would leave, and that is k or more.


def list_promises(release: Release | None, knows: Adversary) -> list[Promise]:
    """Return those promises that cover this knowledge."""
    found = () if release is None else release.promises
    return [promise for promise in found if isinstance(promise, Promise) and covers(promise, knows)]


def check_promised_bound(
    pair: Pair, release: Release | None, knows: Adversary, targets: Ints, sizes: Ints, holds: Bools
) -> dict[str, Any] | None:
    """Return the bound on the chance of every target, and whether it holds; None where nothing bounds it."""
    if pair.original.is_multigraph or pair.released.is_multigraph:
        return None  # what covers what is proved for simple graphs
    sure = all(part.stays_true for part in knows.parts)
    about = [p for p in list_promises(release, knows) if sure or p.source == "original"]
    if not about:
        return None
    promise = max(about, key=lambda p: (p.vertices == "all", p.k))
    protected = np.ones(len(targets), dtype=np.bool_)
    if promise.vertices != "all":
        protected = np.isin(targets, pair.original.names.find(promise.vertices))
    most = float((holds / np.maximum(sizes, 1))[protected].max(initial=0.0))
    who = "everybody" if promise.vertices == "all" else "the protected ones (the others are NOT protected)"
    told = f"{promise.k:,} candidates are promised to {who} against this knowledge, so that"
    return {
        "promised k": promise.k,
        "bound": 1 / promise.k,
        "measured": most,
        "inside": most <= 1 / promise.k,
        "means": f"{told} nobody of them is guessed with a chance above 1/{promise.k:,}.",
    }
