"""What to do after an audit: sentences and commands, chosen by rules from the verdict."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from shoal.auditing.case import Case, list_reading_options, name_file
from shoal.auditing.findings import Attacks, PanelRow, Verdict, find_rate
from shoal.auditing.verdict import Recounted
from shoal.data.graph import Graph
from shoal.errors import format_count, join_names
from shoal.io.files import MANIFEST, README, is_file
from shoal.knowledge import parse_knowledge
from shoal.methods.base import find_method
from shoal.methods.passing import Attempt, ScenarioRecommendation
from shoal.methods.recommend import list_covering
from shoal.methods.spelling import Typed, spell_command
from shoal.risk.scenario import PRESETS, Scenario

AUDIT, ANONYMIZE = "shoal audit", "shoal anonymize"
COMMANDS = (AUDIT, ANONYMIZE)
"""A step that begins with one of these is a command; any other is a sentence."""
RELEASE = "the release"
SAFE, PEOPLE, SECRET = "safe.csv", "safe-people.csv", "secret.csv"
"""Names of new files in commands."""


def build_next_steps(
    case: Case,
    scenario: Scenario,
    verdict: Verdict,
    rows: Sequence[PanelRow],
    recounted: Recounted,
    tried: Attacks | None,
    advice: ScenarioRecommendation | None = None,
) -> tuple[str, ...]:
    """Return what to do next, the most important first.

    Parameters
    ----------
    case, scenario, verdict
        What was audited and how it was judged.
    rows
        The risk under each attacker model: in the release by both kinds of facts, or in the original without a release.
    recounted
        The guarantees of the release.
    tried
        The attacks on the release.
    advice
        Methods that were tried on the original; None where none was tried.
    """
    inside = [row for row in rows if row.in_scenario]
    if any(check.holds is False for _, check in recounted):
        return (
            "Do not publish: a guarantee is broken. Make the release again.",
            *(_suggest_passing(case, advice) or _suggest_method(case, inside, scenario)),
        )
    if verdict.overall == "fail":
        what = "the data as it is" if case.released is None else "this release"
        found = _suggest_passing(case, advice) or _suggest_method(case, inside, scenario)
        return (f"Do not publish {what}.", *found)
    if verdict.overall == "pass":
        return _prepare_publication(case, scenario, verdict, tried)
    return _resolve_doubt(case, verdict)


def _suggest_passing(case: Case, advice: ScenarioRecommendation | None) -> list[str]:
    """Return the cheapest command whose release passed when it was tried; else the closest, if any was tried."""
    if advice is None:
        return []
    reading = list_reading_options(case.original, case.files[0])
    typed = Typed(name_file(case.files[0], "ORIGINAL"), reading)
    if advice.passing:
        first = advice.passing[0]
        told = (
            "This audit tried the command below, and its release passed. A new run makes other random choices, so "
            f"audit the new release too. The command {_describe_cost(advice, first)}:"
        )
        return [told, spell_command(advice, first, typed)]
    if not advice.closest:
        return []
    tried, first = format_count(len(advice.attempts), "method"), advice.closest[0]
    told = (
        f"This audit tried {tried}, and no release passed. The closest does not pass either. The command "
        f"{_describe_cost(advice, first)}:"
    )
    return [told, spell_command(advice, first, typed)]


def _describe_cost(advice: ScenarioRecommendation, one: Attempt) -> str:
    """Say what a command changes, and how many people stay below k."""
    cost = one.cost
    edits = f"changes {cost.links:,} links, for {cost.m:,} in the original"
    costs = ["draws all links anew" if one.redraws else edits] if advice.data.has_links else []
    costs += [f"leaves {format_count(cost.left_out, 'person', 'people')} out"] if cost.left_out else []
    costs += [f"changes {format_count(cost.columns, 'column')}"] if cost.columns else []
    left = f"{one.below:,} of {one.people:,} people stay below {advice.scenario.k:,}"
    return f"{join_names(costs)}; {left}"


def _suggest_method(case: Case, rows: Sequence[PanelRow], scenario: Scenario) -> list[str]:
    """Name the knowledge that exposes most people, and a method that covers it and most of the scenario."""
    if not rows:
        return []
    worst = max(rows, key=lambda row: (row.below, row.unique))
    told = [f"Most people are exposed by {parse_knowledge(worst.knows).phrase}: {worst.below:,} of {worst.people:,}."]
    kinds = list(dict.fromkeys(row.knows for row in rows))
    tied = isinstance(case.original, Graph) and case.original.ties is not None
    covering = {
        spec: [name for name, _ in list_covering(parse_knowledge(spec)) if not tied or find_method(name).reads_ties]
        for spec in kinds
    }
    if not covering[worst.knows]:
        return [
            *told,
            "No method has a guarantee against it. Release fewer columns (--leave-out), or try confuse:",
            _write_anonymize(case, "confuse", scenario.k),
        ]
    best = max(dict.fromkeys(covering[worst.knows]), key=lambda name: sum(name in found for found in covering.values()))
    covered = [spec for spec in kinds if best in covering[spec]]
    left = [parse_knowledge(spec).title for spec in kinds if spec not in covered]
    rest = f" It does not cover: {'; '.join(left)}." if left else ""
    return [
        *told,
        f"The method {best} covers {len(covered):,} of {len(kinds):,} kinds of knowledge.{rest}",
        _write_anonymize(case, best, scenario.k, worst.knows),
    ]


def _write_anonymize(case: Case, method: str, k: int, knows: str = "") -> str:
    """Return the command that makes a release of the original."""
    columns = parse_knowledge(knows).columns(case.original.attributes) if knows else ()
    words = [ANONYMIZE, name_file(case.files[0], "ORIGINAL"), f"--method {method}", f"-k {k}"]
    words += list_reading_options(case.original, case.files[0])
    words += [f"--columns {shlex.quote(','.join(columns))}"] if columns else []
    words.append(f"-o {SAFE}")
    words += [f"--attributes-output {PEOPLE}"] if case.original.has_links and len(case.original.attributes) else []
    return " ".join([*words, f"--mapping {SECRET}"])


def _prepare_publication(case: Case, scenario: Scenario, verdict: Verdict, tried: Attacks | None) -> tuple[str, ...]:
    """Return what to publish, and what to keep private."""
    if case.released is None:
        return ("The scenario asks for no change. It says nothing about names: replace them before you publish.",)
    files = [] if case.about is None else list(case.about["files"])
    also = [f"{name_file(case.files[1], 'RELEASED')}{MANIFEST}"] if files else []
    also += [f"{name_file(case.files[1], 'RELEASED')}{README}"] if files and _has_readme(case) else []
    return (
        *_warn_of_attacks(scenario, verdict, tried),
        f"By the scenario “{scenario.name}”, its audience may get {join_names([*files, *also]) if files else RELEASE}.",
        "Keep private: the original, the mapping and this report. This command writes a report to publish:",
        " ".join([AUDIT, *_name_files(case), _name_scenario(scenario), "--external -o public.html"]),
    )


def _name_scenario(scenario: Scenario) -> str:
    """Return the option that names the scenario again; one of a file is a file."""
    return f"--scenario {scenario.name if scenario.name in PRESETS else 'SCENARIO.toml'}"


def _has_readme(case: Case) -> bool:
    """Return whether the release has a description beside it."""
    return case.files[1] is not None and is_file(f"{case.files[1]}{README}")


def _warn_of_attacks(scenario: Scenario, verdict: Verdict, tried: Attacks | None) -> list[str]:
    """Ask to read the attacks where the counts of exact facts do not tell enough."""
    rates = [find_rate(one, "release") for one in (() if tried is None else tried.tried)]
    if any(rate is not None and rate.rate > scenario.allow for rate in rates):
        told = (
            "Read the attacks first: one is right about a larger share of people than may be below k. The verdict "
            "counts what the scenario assumes to be known. Decide whether an attacker may know what that attack knows."
        )
        return [told]
    misled = verdict.original_facts is not None and verdict.original_facts.misled
    return ["Read the attacks first: for some people, the exact facts match no released person."] if misled else []


def _resolve_doubt(case: Case, verdict: Verdict) -> tuple[str, ...]:
    """Return what would turn CANNOT TELL into a verdict."""
    if verdict.doubt == "not matched":
        again = " ".join([AUDIT, *_name_files(case), f"--mapping {SECRET}", "-o report.html"])
        return ("Do not publish yet. Audit again with the mapping, to judge facts from the original:", again)
    if verdict.doubt == "no attacks":
        return ("Do not publish yet. Audit again without --no-attacks.",)
    judged = [one for one in (verdict.release_facts, verdict.original_facts, verdict.before) if one is not None]
    if any(one.unproved for one in judged):
        return (
            "Do not publish yet: k is not proved for some people.",
            "Release fewer columns or exact values, or name knowledge that can be counted exactly.",
        )
    return ("Do not publish yet. Name the columns that an attacker may know (--columns), and audit again.",)


def _name_files(case: Case) -> list[str]:
    """Return the files of both, and how they are matched, as words of a command."""
    place = name_file(case.mapping if isinstance(case.mapping, str | Path) else None, SECRET)
    by = "" if case.pair is None else {"mapping": f"--mapping {place}", "name": "--same-names"}.get(case.pair.by, "")
    names = [name_file(case.files[0], "ORIGINAL"), name_file(case.files[1], "RELEASED")]
    return [*names, *([by] if by else [])]
