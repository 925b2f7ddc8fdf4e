"""shoal scenarios: list the scenarios that come with shoal, or show one from a file."""

from __future__ import annotations

import click

from shoal.cli.options import SCENARIO, json_option
from shoal.cli.output import print_json, print_text
from shoal.report.text.scenarios import describe_scenario
from shoal.risk.scenario import PRESETS, Scenario, record_policy


@click.command()
@click.argument("scenario", required=False, type=SCENARIO)
@json_option
def scenarios(scenario: Scenario | None, as_json: bool) -> None:
    """List the scenarios, or show one.

    A scenario says what a release is defended against: kinds of knowledge, a number k of candidates, and the share of
    people that may stay below k. SCENARIO is the name of a preset or a .toml file.

    \b
    Examples:
      shoal scenarios
      shoal scenarios agreement --json
    """
    chosen = list(PRESETS.values()) if scenario is None else [scenario]
    if as_json:
        print_json({"schema": 1, "scenarios": [record_policy(one) for one in chosen]})
        return
    print_text("\n\n".join(describe_scenario(one) for one in chosen))
    if scenario is None:
        print_text("\nWithout --scenario: agreement. A .toml file declares your own (see: docs/scenarios.md).")
