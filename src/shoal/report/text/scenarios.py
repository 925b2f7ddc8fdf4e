"""Text of scenarios, and of judgments by them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import format_count, join_lines, join_names
from shoal.methods.passing import Attempt, ScenarioRecommendation
from shoal.methods.spelling import Typed, spell_command
from shoal.parts import split_words
from shoal.report.text.phrases import describe_knowledge, format_share, shorten_spec, title_knowledge
from shoal.risk.scenario import QUASI, Decision, Judgment, Scenario
from shoal.shares import describe_share
from shoal.show import as_text

WORDS: dict[Decision, str] = {"pass": "PASS", "fail": "FAIL", "cannot tell": "CANNOT TELL"}
ATTACK = "`shoal attack` tries to find such people"
UNNAMED = "check"
"""The name of a scenario that was not declared, but given by options."""
FACTS = {
    "release": "facts from the release",
    "original": "facts from the original",
    "recoded": "links from the original and columns as released",
}


def describe_scenario(scenario: Scenario) -> str:
    """Return a scenario as a few lines: its numbers, its kinds of knowledge, and in what it is weaker than its base."""
    allowed = f"At most {describe_share(scenario.allow)} of the people" if scenario.allow else "No person"
    told = [
        f"{scenario.name}: k = {scenario.k:,}. {allowed} may have fewer than {format_count(scenario.k, 'candidate')}.",
        *(f"    {spec}: {describe_kind(spec)}" for spec in scenario.knows),
    ]
    return join_lines([*told, *describe_weaknesses(scenario)])


def describe_kind(spec: str) -> str:
    """Say what an attacker with a kind of knowledge knows, also where it has quasi-identifiers.

    >>> describe_kind("degree+quasi-identifiers")
    'the number of links of a person, and the quasi-identifiers (columns that you name)'
    """
    named = "the quasi-identifiers (columns that you name)"
    links = "+".join(part for part in spec.split("+") if part != QUASI)
    if links == spec:
        return describe_knowledge(spec)
    return f"{describe_knowledge(links)}, and {named}" if links else named


def title_kind(spec: str) -> str:
    """Return a few words for a kind of knowledge of a scenario, also where it has quasi-identifiers.

    >>> title_kind("degree+quasi-identifiers")
    'number of links + quasi-identifiers'
    """
    return " + ".join(part if part == QUASI else title_knowledge(part) for part in split_words(spec, "+"))


def describe_weaknesses(scenario: Scenario) -> list[str]:
    """Say that a scenario is weaker than its base, in a line; nothing where it is not."""
    found = scenario.list_weaknesses()
    return [f"WEAKER than the scenario “{scenario.base}”: {'; '.join(found)}."] if found else []


@as_text.register
def describe_judgment(found: Judgment, facts: str = "", *, titles: bool = False) -> str:
    """Return a judgment in one line, the verdict and what it is about first; `facts` says which facts were judged.

    With `titles`, the kinds of knowledge are called by a few words, not by their specs.

    >>> import shoal
    >>> from shoal.risk.scenario import judge_risks
    >>> risks = [shoal.assess(shoal.examples.karate(), "degree")]
    >>> judge_risks(risks, shoal.Scenario.preset("internal"))
    FAIL for the knowledge of the scenario “internal” (degree): 8 of 34 people (23.5 %) have fewer than 3 ...
    """
    by = f" by {facts}" if facts else ""
    scope = f"{WORDS[found.verdict]} for {describe_scope(found.scenario.name, found.kinds, titles=titles)}{by}"
    told = describe_people(found, describe_share(found.scenario.allow))
    return f"{scope}: {told.replace(ATTACK, 'an audit tries to find such people') if titles else told}"


def describe_scope(name: str, kinds: Sequence[str], *, titles: bool = False) -> str:
    """Say which knowledge a verdict is about, by the name of the scenario and the specs that were counted.

    >>> describe_scope("internal", ["degree", "neighbors:1"])
    'the knowledge of the scenario “internal” (degree and neighbors:1)'
    >>> describe_scope("internal", ["degree", "columns:age,sex"], titles=True)
    'the knowledge of the scenario “internal” (number of links; age and sex)'
    """
    of = "that was checked" if name == UNNAMED else f"of the scenario “{name}”"
    told = "; ".join(map(title_knowledge, kinds)) if titles else join_names(list(map(shorten_spec, kinds)))
    return f"the knowledge {of}{f' ({told})' if kinds else ''}"


def describe_people(found: Judgment, allowed: str = "") -> str:
    """Say how many people are below k, not proved, and misled."""
    kinds = len(found.kinds)
    return describe_counts(
        found.below, found.unproved, found.misled, found.people, found.scenario.k, kinds=kinds, allowed=allowed
    )


def describe_counts(
    below: int,
    unproved: int,
    misled: int,
    people: int,
    k: int,
    *,
    kinds: int,
    allowed: str = "",
    see: str = ATTACK,
) -> str:
    """Say how many people are below k under one of so many kinds of knowledge, not proved, and misled.

    `allowed` is the share of people that may be below k. `see` says where misled people are assessed further.

    >>> describe_counts(1, 2, 0, 34, 5, kinds=1, allowed="2 %")
    '1 of 34 people (2.9 %) has fewer than 5 candidates; 2 % are allowed. For 2 more people, at least 5 ...'
    >>> describe_counts(2, 0, 3, 34, 5, kinds=2)
    '2 of 34 people (5.9 %) have fewer than 5 candidates under at least one kind. For 3 more people, ...'
    """
    has, under = "has" if below == 1 else "have", " under at least one kind" if kinds > 1 else ""
    few = f"{below:,} of {people:,} people ({format_share(below, people)}) {has} fewer than {k:,} candidates{under}"
    told = [f"{few}{f'; {allowed} are allowed' if allowed else ''}."]
    if unproved:
        more = format_count(unproved, "more person", "more people")
        told.append(f"For {more}, at least {k:,} candidates are not proved.")
    if misled:
        more = format_count(misled, "more person", "more people")
        told.append(
            f"For {more}, the exact facts of at least one kind match no released person. That counts neither as below "
            f"{k:,} nor as safe: {see}."
        )
    return " ".join(told)


SHOWN = 3
"""So many commands are shown."""


@as_text.register
def describe_recommendation(found: ScenarioRecommendation, typed: Typed = Typed()) -> str:  # noqa: B008 - it is frozen
    """Return ready commands, the fewest changes first, each with its cost and the people who stay below k."""
    name = found.scenario.name
    if found.unchanged[0].verdict == "pass":
        return f"The data passes the scenario “{name}” as it is. {describe_people(found.unchanged[0])}"
    untried = [f"Not tried (time or size): {join_names(found.untried)}."] if found.untried else []
    tried, passing = len(found.attempts), found.passing
    if not tried:
        return join_lines([f"No method was tried for the scenario “{name}”.", *untried])
    most = found.most_edits
    within = "" if most is None else f" with at most {most:,} changed {'link' if most == 1 else 'links'}"
    if not passing:
        return join_lines([*_describe_closest(found, typed, within), *untried])
    pass_ = "passes" if len(passing) == 1 else "pass"
    shown = "The command" if len(passing) == 1 else f"The {min(len(passing), SHOWN)} that change the least"
    head = f"{len(passing):,} of {tried:,} methods tried {pass_} the scenario “{name}”{within}. {shown}:"
    lines = [line for one in passing[:SHOWN] for line in describe_attempt(found, one, typed)]
    return join_lines([head, *lines, *untried])


def _describe_closest(found: ScenarioRecommendation, typed: Typed, within: str) -> list[str]:
    """Say that no method passes, and show the closest ones, and one that passes with more edits than accepted."""
    closest, costly = found.closest[:SHOWN], found.too_costly[:1]
    head = (
        f"None of the {format_count(len(found.attempts), 'method')} tried passes the scenario “{found.scenario.name}”"
    )
    keeps = within or (" and keeps links" if found.data.has_links else "")
    lines = [f"{head}{keeps}.{' The closest, which do not pass:' if closest else ''}"]
    lines += [line for one in closest for line in describe_attempt(found, one, typed)]
    lines += ["This one passes, and changes more links than you accept:"] if costly else []
    return lines + [line for one in costly for line in describe_attempt(found, one, typed)]


def describe_attempt(found: ScenarioRecommendation, one: Attempt, typed: Typed) -> list[str]:
    """Return the command of one method, and its cost and risk."""
    share = format_share(one.below, one.people)
    risk = f"at risk: {one.below:,} of {one.people:,} people ({share}) below {found.scenario.k:,}"
    return [f"  {spell_command(found, one, typed)}", f"      {risk}; cost: {', '.join(describe_cost(one))}"]


def describe_cost(one: Attempt) -> list[str]:
    """Return what a release changes, in a few words each: links, people left out, and columns."""
    assert one.release is not None
    cost, before = one.cost, one.release.original
    share = format_share(cost.links, cost.m) if cost.links <= cost.m else f"{100 * cost.share:.0f} %"
    links = f"{cost.links:,} of {format_count(cost.m, 'link')} changed ({share})"
    changed = f"{cost.links:,} links changed, for {cost.m:,} in the original ({share})"
    links = "all links drawn anew" if one.redraws else links if cost.links <= cost.m else changed
    people = f"{format_count(cost.left_out, 'person', 'people')} left out"
    columns = f"{format_count(cost.columns, 'column')} changed"
    return [
        *([links] if before.has_links else []),
        *([people] if cost.left_out or before.has_links else []),
        *([columns] if cost.columns or not before.has_links else []),
    ]
