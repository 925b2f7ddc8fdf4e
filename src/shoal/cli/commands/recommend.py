"""shoal recommend: methods whose release passes a scenario, as ready commands."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.options import (
    DURATION,
    WHOLE,
    json_option,
    load_data,
    reading_options,
    scenario_option,
    spell_reading_options,
    take_scenario,
    tell_unknown_columns,
)
from shoal.cli.output import SCENARIO_FILES, SectionedCommand, print_json, print_text, show_phase
from shoal.cli.part_options import Share
from shoal.errors import check_k
from shoal.methods.passing import (
    Attempt,
    ScenarioRecommendation,
    name_plan,
    recommend_for_scenario,
)
from shoal.methods.spelling import Typed, spell_command
from shoal.report.text.scenarios import describe_recommendation, describe_weaknesses
from shoal.risk.scenario import Scenario, record_policy

SCHEMA = 1


@click.command(cls=SectionedCommand)
@click.argument("file")
@scenario_option("What the release must be defended against: a preset or a .toml file.  [default: agreement]")
@click.option("-k", type=WHOLE, help="Number of candidates, instead of the scenario's.")
@click.option(
    "--most-edits",
    type=Share(),
    metavar="N|SHARE",
    help="Most links that a release may change, as 100 or 10%.  [default: any number]",
)
@click.option("--time-limit", type=DURATION, default="30s", show_default=True, help="Try no further method after this.")
@click.option("--seed", type=WHOLE, help="Random seed of the methods.")
@json_option
@reading_options
def recommend(
    file: str,
    scenario: Scenario | None,
    k: int | None,
    most_edits: int | float | str | None,
    time_limit: float,
    seed: int | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Find methods whose release passes a scenario.

    Methods with a guarantee for a kind of knowledge of the scenario are run on FILE, and reduce-risk. If none passes,
    reduce-risk may also leave people out, or follow recoded columns. Each release is judged by facts from the release
    and by facts from the original. Up to three commands that pass are printed, the cheapest first, with the people at
    risk and the cost. A new run of a command makes other random choices. A release without links does not count.
    Networks with more than 20,000 links are not tried.

    Exit code: 0 if a method passes or nothing needs to change, 1 if none of those tried passes.

    \b
    Examples:
      shoal recommend example:karate --scenario internal
      shoal recommend example:village --scenario internal --most-edits 10%
      shoal recommend friends.csv --attributes people.csv --columns age,sex --scenario agreement
    """
    data = load_data(file, given)
    if k is not None:
        check_k("shoal recommend", k, data)
    chosen = take_scenario(scenario, k)
    tell_unknown_columns(data, given)
    with show_phase("trying methods"):
        how: dict[str, Any] = {"columns": given["columns"] or (), "most_edits": most_edits}
        found = recommend_for_scenario(data, chosen, **how, time_limit=time_limit, seed=seed)
    files = click.get_current_context().meta.get(SCENARIO_FILES, ())
    typed = Typed(file, spell_reading_options(), files[0] if files else None)
    if as_json:
        print_json(as_data(found, typed))
    else:
        print_text("\n".join([*describe_weaknesses(chosen), describe_recommendation(found, typed)]))
    return 0 if found.passing or found.unchanged[0].verdict == "pass" else 1


def as_data(found: ScenarioRecommendation, typed: Typed) -> dict[str, Any]:
    """Return the attempts as plain data."""
    return {
        "schema": SCHEMA,
        "scenario": record_policy(found.scenario),
        "most_edits": found.most_edits,
        "unchanged": found.unchanged[0].verdict,
        "attempts": [describe_attempt(found, one, typed) for one in found.attempts],
        "untried": list(found.untried),
    }


def describe_attempt(found: ScenarioRecommendation, one: Attempt, typed: Typed) -> dict[str, Any]:
    """Return one attempt as plain data."""
    if one.release is None:
        return {"method": name_plan(one.method), "refused": one.refused}
    cost = one.cost
    return {
        "method": name_plan(one.method),
        "command": spell_command(found, one, typed),
        "verdict": one.verdict,
        "accepted": found.accepts(one),
        "below": one.below,
        "people": one.people,
        "links_changed": cost.share,
        "people_left_out": cost.left_out,
        "columns_changed": cost.columns,
    }
