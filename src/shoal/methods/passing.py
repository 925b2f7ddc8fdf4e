"""Methods that pass a scenario: each method is run, and its release is judged by facts from both sources."""

from __future__ import annotations

import shlex
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from itertools import combinations
from pathlib import Path
from typing import Any

from shoal.data.dataset import Dataset, as_dataset, refuse_ties
from shoal.errors import ShoalError, must, public
from shoal.knowledge import Adversary
from shoal.knowledge.base import explain_finer
from shoal.methods.base import METHODS, Method, find_method
from shoal.methods.pipeline import Pipeline
from shoal.methods.recommend import LARGE
from shoal.parts import escape
from shoal.progress import track
from shoal.release.release import Release
from shoal.risk.assess import assess
from shoal.risk.scenario import PRESETS, Decision, Judgment, Scenario, as_scenario, combine_decisions, judge_risks
from shoal.seeds import AnySeed, draw_seed
from shoal.show import as_html, as_text

EFFORT = 20
"""Sweeps of a search, if the method has a search. Seconds would make the result depend on the machine."""
EMPTY = "The release would have no links."


@dataclass(frozen=True)
class Attempt:
    """A method that was run, and the judgment of its release."""

    method: Method
    release: Release | None
    """The release; None if the method refused."""
    judgments: tuple[Judgment, ...]
    """By facts from the release, and by facts from the original."""
    refused: str = ""
    """Why there is no release."""

    @property
    def verdict(self) -> Decision:
        """PASS needs both judgments."""
        return combine_decisions([one.verdict for one in self.judgments])

    @property
    def below(self) -> int:
        """The people below k, by the worse of both facts."""
        return max((one.below for one in self.judgments), default=0)

    @property
    def cost(self) -> tuple[float, float]:
        """Links changed per link of the original, and columns changed."""
        assert self.release is not None
        edits = self.release.edits
        links = 0.0 if edits is None else len(edits) / max(1, self.release.original.m)
        return (1.0 if self.redraws else links, float(_count_changed_columns(self.release)))

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

    @property
    def people(self) -> int:
        """The people of the data."""
        return self.unchanged[0].people

    @property
    def passing(self) -> tuple[Attempt, ...]:
        """The attempts that pass."""
        return tuple(one for one in self.attempts if one.verdict == "pass")

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
    time_limit: float = 30.0,
    seed: AnySeed | None = None,
) -> ScenarioRecommendation:
    """Run the methods, and return those whose release passes a scenario, the cheapest first.

    Parameters
    ----------
    data
        A graph or a table, in any form that shoal accepts.
    scenario
        A :class:`shoal.Scenario`, the name of a preset, or a .toml file. None: "agreement".
    columns
        The quasi-identifiers.
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
    MatchDegrees(k=2, edits='add-delete', ...)
    """
    must(time_limit > 0, "recommend", "time_limit", "a number of seconds above 0", time_limit)
    original, chosen = refuse_ties(as_dataset(data), "recommend"), as_scenario(scenario)
    kinds = chosen.choose_kinds(original, columns)
    unchanged = (judge_risks([assess(original, kind) for kind in kinds.values()], chosen),)
    drawn = None if seed is None else draw_seed(seed, "recommend")
    plans = list(_list_plans(original, chosen, list(kinds.values()), drawn))
    if original.m > LARGE:
        return ScenarioRecommendation(original, chosen, tuple(columns), unchanged, (), _name_all(plans))
    end, attempts, untried = time.monotonic() + time_limit, [], []
    for done, method in enumerate(plans):
        track(f"trying methods, {name_plan(method)}", done, len(plans))
        if time.monotonic() >= end:
            untried.append(method)
            continue
        attempts.append(try_method(method, original, chosen, columns))
    track("trying methods", len(plans), len(plans))
    attempts.sort(key=_rank_attempt)
    return ScenarioRecommendation(original, chosen, tuple(columns), unchanged, tuple(attempts), _name_all(untried))


RANKS: dict[Decision, int] = {"pass": 0, "cannot tell": 1, "fail": 2}


def _rank_attempt(one: Attempt) -> tuple[float, ...]:
    """Those that pass come first, then the cheapest, then those with the fewest people below k."""
    return (3,) if one.release is None else (RANKS[one.verdict], *one.cost, one.below)


def try_method(method: Method, data: Dataset, scenario: Scenario, columns: Sequence[str]) -> Attempt:
    """Run one method and judge its release. A release without links is useless, so it counts as refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # notices of methods that are not chosen would confuse
            release = method(data)
            if data.m and not release.data.m:
                return Attempt(method, None, (), EMPTY)
            return Attempt(method, release, judge_release(release, scenario, columns))
    except ShoalError as error:
        return Attempt(method, None, (), str(error))


def judge_release(release: Release, scenario: Scenario, columns: Sequence[str]) -> tuple[Judgment, ...]:
    """Judge a release by facts from the release, and by facts from the original.

    >>> import shoal
    >>> release = shoal.methods.MatchDegrees(k=3, seed=1)(shoal.examples.karate())
    >>> [one.verdict for one in judge_release(release, shoal.Scenario("links", ["degree"], k=3, allow="50%"), ())]
    ['pass', 'pass']
    """
    kinds = list(scenario.list_kinds(release.data, columns or _list_all_columns(release.data)).values())
    if not kinds:
        return ()
    inside = judge_risks([assess(release.data, kind) for kind in kinds], scenario)
    facts = judge_risks([assess(release.data, kind, original=release.original) for kind in kinds], scenario)
    return inside, facts


def _list_all_columns(data: Dataset) -> tuple[str, ...]:
    """Return all columns of a table, which count as known where none are named; none of a network."""
    return () if data.has_links else tuple(data.attributes)


def _list_plans(data: Dataset, scenario: Scenario, kinds: Sequence[Adversary], seed: int | None) -> Iterator[Method]:
    """Yield the methods to try: those with a guarantee for a kind of knowledge, pairs of them, and Confuse."""
    found: dict[str, tuple[Method, Adversary]] = {}
    for kind in kinds:
        for name, part in METHODS.items():
            if data.has_links or part.works_on != "links":
                for options, about in part.propose(kind):
                    method = _build_method(name, options, scenario.k, seed)
                    if explain_finer(about, kind):
                        found.setdefault(repr(method), (method, about))
    yield from (method for method, _ in found.values())
    exact = [(method, about) for method, about in found.values() if about in kinds and method.works_on == "links"]
    yield from (
        Pipeline((one, other)) for (one, a), (other, b) in combinations(exact, 2) if a != b and one.shell != other.shell
    )
    if data.has_links and any(kind.columns(data.attributes) for kind in kinds):
        yield _build_method("confuse", {}, scenario.k, seed)


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


@dataclass(frozen=True)
class Typed:
    """How the data and the scenario are named on the command line."""

    file: str = "FILE"
    reading: tuple[str, ...] = ()
    """Options about how the file is read, except --columns."""
    scenario: str | None = None
    """The preset or file; None: the name of the scenario, if it is a preset."""


def spell_command(found: ScenarioRecommendation, one: Attempt, typed: Typed = Typed()) -> str:  # noqa: B008 - it is frozen
    """Return the command that makes a release: it can be pasted into a shell."""
    name = found.scenario.name.partition(" with k = ")[0]
    scenario = typed.scenario or (name if name in PRESETS else "SCENARIO.toml")
    options = spell_method(one.method)
    words = ["shoal", "anonymize", typed.file, *typed.reading, "--scenario", scenario]
    if found.columns and "--columns" not in options:
        words += ["--columns", ",".join(map(escape, found.columns))]
    people = " --attributes-output PEOPLE.csv" if found.columns and found.data.has_links else ""
    return f"{shlex.join(words)} {options} -o OUT.csv{people} --mapping SECRET.csv"


def spell_method(method: Method) -> str:
    """Return the options of `shoal anonymize` that stand for a method, without its seed, which is secret.

    >>> from shoal.methods import HideNeighbors, MatchDegrees
    >>> spell_method(MatchDegrees(k=3, edits="add-delete") >> HideNeighbors(k=3, l=1))
    '--method match-degrees -k 3 --edits add-delete --then hide-neighbors:l=1'
    """
    first, *later = method.steps if isinstance(method, Pipeline) else (method,)
    words = [f"--method {first.shell}"]
    for name, value in _list_settings(first).items():
        metadata = next(field.metadata for field in fields(first) if field.name == name)  # type: ignore[arg-type]
        flag = f"-{name}" if len(name) == 1 else f"--{metadata.get('option') or name.replace('_', '-')}"
        plain = name in ("k", "l", "columns") or "option" in metadata
        words.append(f"{flag} {_spell_value(name, value)}" if plain else f"--set {name}={_spell_value(name, value)}")
    for step in later:
        own = {name: value for name, value in _list_settings(step).items() if name != "k"}
        told = ",".join(f"{name}={_spell_value(name, value)}" for name, value in own.items())
        words.append(f"--then {step.shell}:{told}" if told else f"--then {step.shell}")
    return " ".join(words)


def _list_settings(method: Method) -> dict[str, Any]:
    """Return the settings of a method that are not the defaults; k and l are always said."""
    usual = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(method)  # type: ignore[arg-type]
    }
    has = {name: getattr(method, name) for name in usual}
    return {
        name: value
        for name, value in has.items()
        if name in ("k", "l") or (name != "seed" and not isinstance(value, Method) and value != usual[name])
    }


def _spell_value(name: str, value: Any) -> str:
    if name == "effort" and isinstance(value, float):
        return f"{value:g}s"
    if name == "columns":
        return shlex.quote(",".join(map(escape, value)))
    return shlex.quote(str(value))
