"""Methods that pass a scenario: each method is run, and its release is judged by facts from both sources."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.dataset import Dataset, as_dataset
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import ShoalError, must, public
from shoal.knowledge import Adversary
from shoal.knowledge.base import explain_finer
from shoal.knowledge.view import recode_known_columns
from shoal.methods.base import METHODS, Method, find_method
from shoal.methods.links.reduce_risk import is_supported
from shoal.methods.links.reduce_risk.search import Edits
from shoal.methods.pipeline import Pipeline
from shoal.methods.recommend import LARGE, count_most_edits
from shoal.progress import track
from shoal.release.release import Release
from shoal.risk.assess import Risk, assess
from shoal.risk.scenario import Decision, Judgment, Scenario, as_scenario, combine_decisions, judge_risks
from shoal.seeds import AnySeed, draw_seed
from shoal.show import as_html, as_text

EFFORT = 20
"""Sweeps of a search, if the method has a search. Seconds would make the result depend on the machine."""
PROPOSALS, MOST_SWEEPS = 400_000, 500
"""The effort of ReduceRisk: so many proposed edits in each chain, in at most so many sweeps."""
EDITS: tuple[Edits, ...] = ("add-delete", "add", "delete")
SUPPRESS = 0.02
"""The share of people that ReduceRisk may leave out in one of the attempts."""
GROUPS = (4, 3, 8)
"""Where columns are known, Mondrian recodes them first, into at most so many groups of people."""
EMPTY = "The release would have no links."
FLAT = "Every known column would have a single value."


@dataclass(frozen=True)
class Cost:
    """What a release changes."""

    links: int
    """Links added and removed; all links, if they are drawn anew."""
    left_out: int
    """People left out."""
    columns: int
    """Columns with other values."""
    m: int
    """The links of the original."""
    people: int
    """The people of the original."""

    @property
    def share(self) -> float:
        """Links changed per link of the original."""
        return self.links / max(1, self.m)

    @property
    def rank(self) -> tuple[float, int]:
        """The order of cheapness: shares of links changed and of people left out together, then columns."""
        return self.share + self.left_out / max(1, self.people), self.columns


@dataclass(frozen=True)
class Attempt:
    """A method that was run, and the judgment of its release."""

    method: Method
    release: Release | None
    """The release; None if the method refused."""
    judgments: tuple[Judgment, ...]
    """By facts from the release, and by facts from the original; see :func:`judge_release`."""
    refused: str = ""
    """Why there is no release."""

    @property
    def verdict(self) -> Decision:
        """PASS needs all judgments that decide."""
        return combine_decisions([one.verdict for one in list_deciding(self.judgments)])

    @property
    def below(self) -> int:
        """The people below k, by the worst of the facts."""
        return max((one.below for one in self.judgments), default=0)

    @property
    def people(self) -> int:
        """The released people."""
        return 0 if self.release is None else self.release.data.n

    @property
    def cost(self) -> Cost:
        """What the release changes."""
        assert self.release is not None
        edits, before = self.release.edits, self.release.original
        links = before.m if self.redraws else 0 if edits is None else len(edits)
        return Cost(links, before.n - self.release.data.n, _count_changed_columns(self.release), before.m, before.n)

    @property
    def redraws(self) -> bool:
        """Whether all links of the release are drawn anew."""
        assert self.release is not None
        return self.release.edits is None and self.release.original.has_links


def _count_changed_columns(release: Release) -> int:
    """Count the columns whose values differ from the original's."""
    place = release.original.names.find(release.data.names)
    before, after = release.original.attributes, release.data.attributes
    if (place < 0).any():
        return len(before)
    taken = before.take(place)
    return sum(name not in after or not after[name].alike(taken[name]) for name in before)


@dataclass(frozen=True, eq=False, repr=False)
class ScenarioRecommendation:
    """The methods that were tried for a scenario: those that pass first, the cheapest first."""

    data: Dataset
    scenario: Scenario
    columns: tuple[str, ...]
    """The quasi-identifiers."""
    unchanged: tuple[Judgment, ...]
    """The judgment of the data as they are."""
    attempts: tuple[Attempt, ...]
    untried: tuple[str, ...]
    """Methods that were not tried, because time was up or the network is large."""
    most_edits: int | None = None
    """The most links that may change; None: any number."""

    @property
    def people(self) -> int:
        """The people of the data."""
        return self.unchanged[0].people

    @property
    def passing(self) -> tuple[Attempt, ...]:
        """The attempts that pass and change no more links than accepted."""
        return tuple(one for one in self.attempts if one.verdict == "pass" and self.accepts(one))

    @property
    def closest(self) -> tuple[Attempt, ...]:
        """The attempts that change no more links than accepted but do not pass, the fewest people below k first."""
        return tuple(
            one for one in self.attempts if one.release is not None and one.verdict != "pass" and self.accepts(one)
        )

    @property
    def too_costly(self) -> tuple[Attempt, ...]:
        """The attempts that pass and change more links than accepted."""
        return tuple(one for one in self.attempts if one.verdict == "pass" and not self.accepts(one))

    def accepts(self, one: Attempt) -> bool:
        """Whether an attempt changes no more links than accepted."""
        return self.most_edits is None or one.cost.links <= self.most_edits

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


@public
def recommend_for_scenario(
    data: Any,
    scenario: Scenario | str | Path | None = None,
    *,
    columns: Sequence[str] = (),
    most_edits: int | float | str | None = None,
    time_limit: float = 30.0,
    seed: AnySeed | None = None,
) -> ScenarioRecommendation:
    """Run the methods, and return those whose release passes a scenario, the cheapest first.

    Methods with a guarantee for a kind of knowledge are tried, pairs of them, :class:`~shoal.methods.ReduceRisk` with
    several kinds of edits. Where none of them passes, ReduceRisk may also leave a few people out, or follow columns
    that are recoded to ranges; and Confuse is tried.

    Parameters
    ----------
    data
        A graph or a table, in any form that shoal accepts.
    scenario
        A :class:`shoal.Scenario`, the name of a preset, or a .toml file. None: "agreement".
    columns
        The quasi-identifiers.
    most_edits
        The most links that may differ from the original: a share of the links (0.1 or "10%"), or a whole number of
        links. A release that changes more does not count as passing. None: any number.
    time_limit
        Seconds after which no further method is tried.
    seed
        Random seed of the methods: an int or a numpy Generator. Keep it private.

    Examples
    --------
    >>> import shoal
    >>> club, weak = shoal.examples.karate(), shoal.Scenario("two links", ["degree"], k=2, allow="5%")
    >>> found = recommend_for_scenario(club, weak, seed=1)
    >>> found.passing[0].method
    ReduceRisk(knowledge=(Degree(),), k=2, budget=None, edits='add-delete', ...)
    """
    must(time_limit > 0, "recommend", "time_limit", "a number of seconds above 0", time_limit)
    original, chosen = as_dataset(data), as_scenario(scenario)
    kinds = chosen.choose_kinds(original, columns)
    unchanged = (judge_risks([assess(original, kind) for kind in kinds.values()], chosen),)
    most = None if most_edits is None else count_most_edits(most_edits, original, "recommend")
    drawn = None if seed is None else draw_seed(seed, "recommend")
    plans = Plans(original, chosen, tuple(kinds.values()), most, drawn)
    found = ScenarioRecommendation(original, chosen, tuple(columns), unchanged, (), (), most)
    if original.m > LARGE:
        return replace(found, untried=_name_all([*plans.list_first(), *plans.list_last()]))
    end = time.monotonic() + time_limit
    for listed in (plans.list_first(), plans.list_last()):
        if not found.passing:
            found = _try_plans(found, list(listed), end)
    return found


def _try_plans(found: ScenarioRecommendation, plans: list[Method], end: float) -> ScenarioRecommendation:
    """Return the recommendation with the attempts of these methods, as far as there is time."""
    attempts, untried = list(found.attempts), []
    for done, method in enumerate(plans):
        track(f"trying methods, {name_plan(method)}", done, len(plans))
        if time.monotonic() >= end:
            untried.append(method)
            continue
        attempts.append(try_method(method, found.data, found.scenario, found.columns))
    track("trying methods", len(plans), len(plans))
    names = tuple(dict.fromkeys((*found.untried, *_name_all(untried))))
    return replace(found, attempts=tuple(sorted(attempts, key=_rank_attempt)), untried=names)


RANKS: dict[Decision, int] = {"pass": 0, "cannot tell": 1, "fail": 2}


def _rank_attempt(one: Attempt) -> tuple[float, ...]:
    """Those that pass come first, the cheapest first. Of the others, those with the fewest people below k."""
    if one.release is None:
        return (3,)
    if one.verdict == "pass":
        return RANKS[one.verdict], *one.cost.rank, one.below
    return RANKS[one.verdict], one.below, *one.cost.rank


def try_method(method: Method, data: Dataset, scenario: Scenario, columns: Sequence[str]) -> Attempt:
    """Run one method and judge its release. A release without links or column values is useless: it is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # notices of methods that are not chosen would confuse
            release = method(data)
            if data.m and not release.data.m:
                return Attempt(method, None, (), EMPTY)
            if data.has_links and columns and all(_is_flat(release.table, name) for name in columns):
                return Attempt(method, None, (), FLAT)
            return Attempt(method, release, judge_release(release, scenario, columns))
    except ShoalError as error:
        return Attempt(method, None, (), str(error))


def _is_flat(table: Table, name: str) -> bool:
    return name in table and len(np.unique(table[name].codes)) == 1


def judge_release(release: Release, scenario: Scenario, columns: Sequence[str]) -> tuple[Judgment, ...]:
    """Judge a release by the facts of :func:`assess_release`.

    >>> import shoal
    >>> release = shoal.methods.MatchDegrees(k=3, seed=1)(shoal.examples.karate())
    >>> [one.verdict for one in judge_release(release, shoal.Scenario("links", ["degree"], k=3, allow="50%"), ())]
    ['pass', 'pass']
    """
    counted = assess_release(release, scenario, columns)
    return tuple(
        _judge_facts(facts, risks, scenario, beside_recoded=facts == "original" and "recoded" in counted)
        for facts, risks in counted.items()
    )


def list_deciding(judgments: Sequence[Judgment]) -> tuple[Judgment, ...]:
    """Return the judgments that decide together.

    Where columns as they are released are judged, and the exact values of the original match no released person, the
    exact values raise no doubt: an attacker who knows them knows what they became.
    """
    recoded = any(one.facts == "recoded" for one in judgments)
    return tuple(one for one in judgments if not (recoded and one.facts == "original" and one.all_misled))


def _judge_facts(facts: str, risks: Sequence[Risk], scenario: Scenario, *, beside_recoded: bool) -> Judgment:
    found = judge_risks(risks, scenario, beside_recoded=beside_recoded)
    return replace(found, facts="recoded") if facts == "recoded" else found


def assess_release(release: Release, scenario: Scenario, columns: Sequence[str]) -> dict[str, tuple[Risk, ...]]:
    """Count the candidates under each kind of knowledge of a scenario, by where the facts come from.

    The facts are measured in the "release" and in the "original". Where the release recodes a known column, such as
    ages to ranges, an attacker who knows the value knows the range too. Then "recoded" facts take links from the
    original, and columns as they are in the release. There is nothing where no kind fits the data.

    >>> import shoal
    >>> release = shoal.methods.MatchDegrees(k=3, seed=1)(shoal.examples.karate())
    >>> found = assess_release(release, shoal.Scenario("links", ["degree"], k=3), ())
    >>> {facts: [risk.k for risk in risks] for facts, risks in found.items()}
    {'release': [3], 'original': [3]}
    """
    kinds = list(scenario.list_kinds(release.data, columns or _list_all_columns(release.data)).values())
    if not kinds:
        return {}
    place = release.data.names.find(release.original.names)
    known = recode_known_columns(release.original, release.data, place, _list_known_columns(release.data, kinds))
    sources = {"release": None, "original": release.original} | ({} if known is None else {"recoded": known})
    return {
        facts: tuple(assess(release.data, kind, original=source) for kind in kinds) for facts, source in sources.items()
    }


def _list_known_columns(data: Dataset, kinds: Sequence[Adversary]) -> tuple[str, ...]:
    """Return the columns that at least one kind of knowledge reads."""
    return tuple(dict.fromkeys(name for kind in kinds for name in kind.columns(data.attributes)))


def _list_all_columns(data: Dataset) -> tuple[str, ...]:
    """Return all columns of a table, which count as known where none are named; none of a network."""
    return () if data.has_links else tuple(data.attributes)


@dataclass(frozen=True)
class Plans:
    """The methods to try."""

    data: Dataset
    scenario: Scenario
    kinds: tuple[Adversary, ...]
    most_edits: int | None
    seed: int | None
    left_out: float = SUPPRESS
    """The share of people that ReduceRisk may leave out in one of the attempts."""

    def list_first(self) -> Iterator[Method]:
        """Yield ReduceRisk, methods with a guarantee for a kind of knowledge, and pairs of them."""
        if self._can_edit_links and not self._columns_expose:
            yield from (self._reduce_risk(edits=edits) for edits in EDITS)
        found: dict[str, tuple[Method, Adversary]] = {}
        for kind in self.kinds:
            for name, part in METHODS.items():
                if self.data.has_links or part.works_on != "links":
                    for options, about in part.propose(kind):
                        method = _build_method(name, options, self.scenario.k, self.seed)
                        if explain_finer(about, kind, simple=self.data.is_simple):
                            found.setdefault(repr(method), (method, about))
        yield from (method for method, _ in found.values())
        exact = [(one, about) for one, about in found.values() if about in self.kinds and one.works_on == "links"]
        yield from (
            Pipeline((one, other))
            for (one, a), (other, b) in combinations(exact, 2)
            if a != b and one.shell != other.shell
        )

    def list_last(self) -> Iterator[Method]:
        """Yield methods that cost people or columns too. They are tried where no other release passes."""
        if self.left_out and self._can_edit_links and not self._columns_expose:
            yield self._reduce_risk(edits=EDITS[0], suppress=self.left_out)
        names = _list_known_columns(self.data, self.kinds) if self.data.has_links else ()
        for many in GROUPS if names and self._can_edit_links else ():
            size = max(self.scenario.k, self.data.n // many)
            recode = _build_method("mondrian", {"columns": names}, size, self.seed)
            yield Pipeline((recode, self._reduce_risk(edits=EDITS[0])))
        if names:
            yield _build_method("confuse", {}, self.scenario.k, self.seed)

    @property
    def _can_edit_links(self) -> bool:
        return self.data.has_links and bool(self._reducible)

    @property
    def _reducible(self) -> tuple[Adversary, ...]:
        """The kinds of knowledge that ReduceRisk evaluates on these links."""
        ties = isinstance(self.data, Graph) and self.data.ties is not None
        return tuple(kind for kind in self.kinds if is_supported(kind, ties=ties))

    @cached_property
    def _columns_expose(self) -> bool:
        """Whether columns alone put too many people below k. No edit of links changes that."""
        risks = [assess(self.data, kind) for kind in self.kinds if not kind.reads_links]
        return bool(risks) and judge_risks(risks, self.scenario).verdict == "fail"

    def _reduce_risk(self, **options: Any) -> Method:
        """Return ReduceRisk for the scenario: by both facts, until so many people are at risk as it allows."""
        asked = {
            "knowledge": self._reducible,
            "budget": self.most_edits,
            "target": float(self.scenario.allow),
            "facts": "both",
            "effort": max(3, min(MOST_SWEEPS, PROPOSALS // max(1, self.data.m))),
            **options,
        }
        return find_method("reduce-risk")(
            k=self.scenario.k,
            **asked,
            **({} if self.seed is None else {"seed": self.seed}),  # type: ignore[call-arg]
        )


def list_plans(
    data: Dataset, scenario: Scenario, columns: Sequence[str], *, most_edits: int | None, left_out: float
) -> tuple[Method, ...]:
    """Return all methods that may pass a scenario, without seeds.

    Parameters
    ----------
    data, scenario, columns
        The data, what it is defended against, and its quasi-identifiers.
    most_edits
        The most links that ReduceRisk may change; None for any number.
    left_out
        The share of people that it may leave out.

    Examples
    --------
    >>> import shoal
    >>> weak = shoal.Scenario("two links", ["degree"], k=2)
    >>> [name_plan(one) for one in list_plans(shoal.examples.karate(), weak, (), most_edits=7, left_out=0)][2:5]
    ['reduce-risk', 'equalize-rows', 'match-degrees']
    """
    kinds = tuple(scenario.choose_kinds(data, columns).values())
    plans = Plans(data, scenario, kinds, most_edits, None, left_out)
    return tuple(dict.fromkeys([*plans.list_first(), *plans.list_last()]))


def seed_method(method: Method, seed: int) -> Method:
    """Return a method with this seed in each of its steps, as `shoal anonymize --seed` has it.

    >>> from shoal.methods import HideNeighbors, MatchDegrees
    >>> [step.seed for step in seed_method(MatchDegrees(k=2) >> HideNeighbors(k=2), 7).steps]
    [7, 7]
    """
    if isinstance(method, Pipeline):
        return replace(method, steps=tuple(seed_method(step, seed) for step in method.steps))
    has = any(field.name == "seed" for field in fields(method))  # type: ignore[arg-type]
    return replace(method, seed=seed) if has else method  # type: ignore[type-var]


def _build_method(name: str, options: Mapping[str, Any], k: int, seed: int | None) -> Method:
    """Return a method with those of these settings that it has."""
    kind = find_method(name)
    has = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    wanted = {"k": k, "seed": seed, "effort": EFFORT, **options}
    return kind(**{key: value for key, value in wanted.items() if key in has and value is not None})


def name_plan(method: Method) -> str:
    """Return the shell name of a method, or of the steps of a pipeline."""
    return "+".join(step.shell for step in method.steps) if isinstance(method, Pipeline) else method.shell


def _name_all(plans: Sequence[Method]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name_plan(method) for method in plans))
