"""shoal check: judge data by a scenario, or by a number of candidates. Exit code 0 pass, 1 fail, 2 cannot tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from shoal.cli.engines import (
    assess_in_engine,
    engine_options,
    judge_in_engine,
    open_in_engine,
    record_network,
    takes_engine,
)
from shoal.cli.options import (
    SHARE,
    WHOLE,
    attacker_options,
    json_option,
    knows_option,
    list_known_columns,
    load_attacked,
    reading_options,
    scenario_option,
    tell_unknown_columns,
)
from shoal.cli.output import SectionedCommand, print_json, print_text, record_data
from shoal.errors import BadParameter, check_k, join_lines
from shoal.knowledge import Adversary, Columns
from shoal.report.text.risk import describe_kind_counts, describe_verdict
from shoal.report.text.scenarios import (
    FACTS,
    UNNAMED,
    describe_judgment,
    describe_weaknesses,
)
from shoal.risk.assess import assess
from shoal.risk.scenario import (
    Decision,
    Judgment,
    Scenario,
    combine_decisions,
    judge_risks,
    record_judgment,
    record_policy,
)
from shoal.shares import spell_share

SCHEMA = 2


@click.command(cls=SectionedCommand)
@click.argument("file")
@knows_option("Attacker model, e.g. degree. Repeatable.  [default: those of --scenario, or the columns of a table]")
@click.option("--at-least", "k", type=WHOLE, help="Number of candidates that a person must have.")
@click.option("--allow", type=SHARE, help="Largest share of people that may have fewer, e.g. 3%.  [default: 0]")
@scenario_option("Judge by a scenario: a preset or a .toml file.")
@attacker_options
@engine_options
@reading_options
@json_option
def check(
    file: str,
    knows: tuple[Adversary, ...],
    k: int | None,
    allow: Fraction | None,
    scenario: Scenario | None,
    original: str | None,
    mapping: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Check that people have enough candidates.

    FILE is a network or a table. With --scenario, one line says whether more people than the scenario allows have fewer
    than k candidates under at least one of its kinds of knowledge; a line per kind follows. With --at-least K, the
    kinds of knowledge are those of --knows, and --allow is the share of people that may have fewer. With --original,
    facts from the original and facts from FILE are both judged; both must pass.

    Exit code: 0 pass, 1 fail, 2 cannot tell (a search was cut short, no person fits, bad input).

    \b
    Examples:
      shoal check example:karate --knows degree --at-least 2
      shoal check people.csv --columns age,sex,zip --at-least 5 --allow 3%
      shoal check friends.csv --scenario agreement
      shoal check duckdb:calls.db/edges --knows degree --knows neighbors:1 --at-least 5
    """
    if (k is None) == (scenario is None):
        got = "neither" if k is None else "both"
        raise BadParameter(f"'--at-least K' or '--scenario NAME' must say what is asked for. Got {got}.")
    if allow is not None and scenario is not None:
        raise BadParameter("'--allow' must come with '--at-least': a scenario has its own share. Got both.")
    asked = Request(tuple(dict.fromkeys(knows)), k, allow, scenario)
    if takes_engine(file, given):
        others = {"original": original, "mapping": mapping}
        with open_in_engine(file, given | others, asked.knows, scenario) as network:
            calls = assess_in_engine, judge_in_engine, record_network
            columns = given["columns"] or (() if network.has_links else list(network.attributes))
            return asked.judge(network, columns, *calls, as_json=as_json)
    published, source = load_attacked(file, original, mapping, given)
    if scenario is not None and not knows:
        tell_unknown_columns(published, given)
    columns = list_known_columns(published, given) if given["columns"] or not published.has_links else ()
    sources = [{}, *([source] if original is not None else [])]
    return asked.judge(published, columns, assess, judge_risks, record_data, sources, as_json=as_json)


@dataclass(frozen=True)
class Request:
    """What is asked of the data: kinds of knowledge, and a number of candidates or a scenario."""

    knows: tuple[Adversary, ...]
    k: int | None
    allow: Fraction | None
    scenario: Scenario | None

    def judge(
        self,
        data: Any,
        columns: Sequence[str],
        count: Callable[..., Any],
        judge: Callable[[Sequence[Any], Scenario], Judgment],
        record: Callable[[Any], dict[str, Any]],
        sources: Sequence[dict[str, Any]] = ({},),
        *,
        as_json: bool,
    ) -> int:
        """Judge data in memory or in an engine, by facts from each source; print the verdict, return the exit code."""
        if self.k is not None:
            check_k("shoal check", self.k, data, what="at-least")
            if not self.knows and data.has_links:
                raise BadParameter("'--knows' must name an attacker model, e.g. degree. Got nothing.")
        chosen = self.scenario or Scenario(
            UNNAMED, self.knows or [Columns(*columns)], self.k or 1, self.allow or 0, base=None
        )
        chosen = chosen.with_kinds(self.knows) if self.knows and self.scenario else chosen
        kinds = list(self.knows) or list(chosen.choose_kinds(data, columns).values())
        judged = [[count(data, kind, **one) for kind in kinds] for one in sources]
        judgments = [judge(risks, chosen) for risks in judged]
        lines = describe_judged(chosen, judgments, judged)
        verdict = combine_decisions([one.verdict for one in judgments])
        if self.scenario is None and self.allow is None:  # every person must have k candidates under each kind
            codes, lines = describe_kind_verdicts(judged, chosen.k)
            verdict = combine_decisions([DECISIONS[code] for code in codes])
        if as_json:
            named = self.scenario is not None
            told = as_data(chosen, named=named, judgments=judgments, judged=judged, verdict=verdict)
            print_json(told | {"graph": record(data)})
        else:
            print_text(join_lines(lines))
        return DECISIONS.index(verdict)


DECISIONS: tuple[Decision, ...] = ("pass", "fail", "cannot tell")
"""What the exit codes 0, 1 and 2 mean."""


def describe_kind_verdicts(judged: list[list[Any]], k: int) -> tuple[list[int], list[str]]:
    """Return the exit code and the verdict on each kind of knowledge; every person must have k candidates.

    With the original, facts from FILE are judged too, and shown where they do not pass.
    """
    found = [describe_verdict(risk, k) for risk in judged[-1]]
    inside = [describe_verdict(risk, k) for risk in (judged[0] if len(judged) > 1 else [])]
    shown = [text for _, text in found] + [f"By facts from the release: {text}" for code, text in inside if code]
    return [code for code, _ in (*found, *inside)], shown


def describe_judged(scenario: Scenario, judgments: list[Judgment], judged: list[list[Any]]) -> list[str]:
    """Return the judgment, in what the scenario is weaker than its base, and a line per kind of knowledge."""
    both = len(judgments) > 1
    lines = []
    for found, risks in zip(judgments, judged, strict=True):
        lines.append(describe_judgment(found, FACTS[found.facts] if both else ""))
        lines += [f"    {describe_kind_counts(risk, scenario.k)}" for risk in risks]
    return [*describe_weaknesses(scenario), *lines]


def as_data(
    scenario: Scenario, *, named: bool, judgments: list[Judgment], judged: list[list[Any]], verdict: Decision
) -> dict[str, Any]:
    """Return the judgment as plain data."""
    return {
        "schema": SCHEMA,
        "scenario": record_policy(scenario) if named else None,
        "at_least": scenario.k,
        "allow": spell_share(scenario.allow),
        "verdict": verdict,
        "exit": DECISIONS.index(verdict),
        "judgments": [
            record_judgment(one)
            | {
                "checks": [
                    {"knows": risk.adversary.spec, "k": risk.k, "exact": risk.exact, "verdict": text, "exit": code}
                    for risk in risks
                    for code, text in [describe_verdict(risk, scenario.k)]
                ],
            }
            for one, risks in zip(judgments, judged, strict=True)
        ],
    }
