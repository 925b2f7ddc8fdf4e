"""Text of scenarios, and of judgments by them."""

from __future__ import annotations

from shoal.errors import format_count, join_lines, join_names
from shoal.methods.passing import Attempt, ScenarioRecommendation, Typed, spell_command
from shoal.report.text.phrases import describe_knowledge, format_bound, format_share, shorten_spec
from shoal.risk.assess import Risk
from shoal.risk.scenario import QUASI, Decision, Judgment, Scenario, format_allowed
from shoal.show import as_text

WORDS: dict[Decision, str] = {"pass": "PASS.", "fail": "FAIL.", "cannot tell": "CANNOT TELL."}
UNNAMED = "check"
"""The name of a scenario that was not declared, but given by options."""
FACTS = {"release": "facts from the release", "original": "facts from the original"}


def describe_scenario(scenario: Scenario) -> str:
    """Return a scenario as a few lines: its numbers, its kinds of knowledge, and in what it is weaker than its base."""
    allowed = f"At most {format_allowed(scenario.allow)} of the people" if scenario.allow else "No person"
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


def describe_weaknesses(scenario: Scenario) -> list[str]:
    """Say that a scenario is weaker than its base, in a line; nothing where it is not."""
    found = scenario.list_weaknesses()
    return [f"WEAKER than the scenario “{scenario.base}”: {'; '.join(found)}."] if found else []


@as_text.register
def describe_judgment(found: Judgment) -> str:
    """Return a judgment in one line, the verdict first.

    >>> import shoal
    >>> from shoal.risk.scenario import judge_risks
    >>> risks = [shoal.assess(shoal.examples.karate(), "degree")]
    >>> judge_risks(risks, shoal.Scenario.preset("internal"))
    FAIL. 8 of 34 people (23.5 %) have fewer than 3 candidates. The scenario “internal” allows 5 %.
    """
    by = "This check" if found.scenario.name == UNNAMED else f"The scenario “{found.scenario.name}”"
    return f"{WORDS[found.verdict]} {describe_people(found)} {by} allows {format_allowed(found.scenario.allow)}."


def describe_people(found: Judgment) -> str:
    """Say how many people are below k, not proved, and misled."""
    return describe_counts(found.below, found.unproved, found.misled, found.people, found.scenario.k)


def describe_counts(below: int, unproved: int, misled: int, people: int, k: int) -> str:
    """Say how many people are below k, not proved, and misled.

    >>> describe_counts(1, 2, 0, 34, 5)
    '1 of 34 people (2.9 %) has fewer than 5 candidates. For 2 more people it is not proved.'
    """
    has = "has" if below == 1 else "have"
    told = [f"{below:,} of {people:,} people ({format_share(below, people)}) {has} fewer than {k:,} candidates."]
    if unproved:
        told.append(f"For {format_count(unproved, 'more person', 'more people')} it is not proved.")
    if misled:
        told.append(f"Exact facts match no released person for {format_count(misled, 'person', 'people')}.")
    return " ".join(told)


def describe_kind_counts(risk: Risk, k: int) -> str:
    """Return one kind of knowledge in a line: the people below k and the smallest candidate set.

    >>> import shoal
    >>> describe_kind_counts(shoal.assess(shoal.examples.karate(), "degree"), 3)
    'degree: 8 below 3 (23.5 %), smallest candidate set 1'
    """
    below, people = int(((risk.sizes > 0) & (risk.sizes < k)).sum()), len(risk.sizes)
    least = not bool(risk.exact_sizes.all())
    many = f"{'>= ' if least else ''}{below:,} below {k:,} ({format_share(below, people, least=least)})"
    misled = int((risk.sizes == 0).sum())
    rest = f", {misled:,} misled" if misled else ""
    return (
        f"{shorten_spec(risk.adversary.spec)}: {many}, smallest candidate set {format_bound(risk.k, risk.exact)}{rest}"
    )


SHOWN = 3
"""So many commands are shown."""


@as_text.register
def describe_recommendation(found: ScenarioRecommendation, typed: Typed = Typed()) -> str:  # noqa: B008 - it is frozen
    """Return ready commands, the cheapest first, each with its cost and the people who stay below k."""
    name = found.scenario.name
    if found.unchanged[0].verdict == "pass":
        return f"The data passes the scenario “{name}” as it is. {describe_people(found.unchanged[0])}"
    untried = [f"Not tried (time or size): {join_names(found.untried)}."] if found.untried else []
    tried, passing = len(found.attempts), found.passing
    if not tried:
        return join_lines([f"No method was tried for the scenario “{name}”.", *untried])
    if not passing:
        nearest = [describe_attempt(found, one, typed) for one in found.attempts[:SHOWN] if one.release is not None]
        keeps = f"{' and keeps links' if found.data.has_links else ''}.{' The nearest:' if nearest else ''}"
        head = f"None of the {format_count(tried, 'method')} tried passes the scenario “{name}”{keeps}"
        return join_lines([head, *(line for lines in nearest for line in lines), *untried])
    pass_ = "passes" if len(passing) == 1 else "pass"
    head = f"{len(passing):,} of {tried:,} methods tried {pass_} the scenario “{name}”. Cheapest first:"
    lines = [line for one in passing[:SHOWN] for line in describe_attempt(found, one, typed)]
    return join_lines([head, *lines, *untried])


def describe_attempt(found: ScenarioRecommendation, one: Attempt, typed: Typed) -> list[str]:
    """Return the command of one method, and its cost and risk."""
    assert one.release is not None
    links, columns = one.cost
    costs = [f"{format_share(links, 1) if links <= 1 else f'{links:.0%}'} of the links changed"]
    costs = costs if found.data.has_links else []
    costs += [f"{format_count(int(columns), 'column')} changed"] if len(found.data.attributes) else []
    share = format_share(one.below, found.people)
    return [
        f"  {spell_command(found, one, typed)}",
        f"      {', '.join(costs)}; {one.below:,} of {found.people:,} people ({share}) below {found.scenario.k:,}",
    ]
