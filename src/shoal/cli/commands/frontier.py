"""shoal frontier: remaining risk and lost utility of each applicable method."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from shoal.auditing.frontier import Frontier, frontier
from shoal.auditing.frontier.points import Facts
from shoal.cli.options import (
    WHOLE,
    json_option,
    knows_option,
    load_data,
    load_released,
    reading_options,
    scenario_option,
    time_limit_option,
)
from shoal.cli.output import TARGET, SectionedCommand, check_targets, force_option, print_json, print_text
from shoal.cli.part_options import build_method, parse_value, split_pair
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, parse_whole, show_value, tame
from shoal.io.mapping import refuse_another
from shoal.knowledge import Adversary
from shoal.knowledge.view import Pair
from shoal.methods.base import Method, find_method
from shoal.report.text.frontier import check_ending, describe_frontier
from shoal.risk.scenario import Scenario
from shoal.utility.changes import CHANGED
from shoal.utility.registry import METRICS


@click.command("frontier", cls=SectionedCommand)
@click.argument("file")
@scenario_option("What the release must be defended against: a preset or a .toml file.  [default: agreement]")
@click.option(
    "-k", "ks", metavar="K,...", help="Numbers of candidates to ask for.  [default: 2, 5, 10 and the scenario's]"
)
@click.option(
    "--methods",
    multiple=True,
    metavar="NAME,...|NAME:OPTION=VALUE,...",
    help="Only these methods, or one method with its options. Repeatable.  [default: all that apply]",
)
@knows_option("Exactly this attacker model instead of the scenario's. Repeatable.")
@click.option(
    "--utility",
    type=click.Choice(list(METRICS)),
    default=CHANGED.name,
    show_default=True,
    help="Metric of the lost utility.",
)
@click.option(
    "--facts",
    type=click.Choice(["release", "original"]),
    default="release",
    show_default=True,
    help="Where the attacker measures facts.",
)
@click.option("--also", metavar="FILE", help="An existing release, to be compared with the methods.")
@click.option(
    "--mapping", type=click.Path(path_type=Path), metavar="FILE", help="Original-to-released mapping of --also."
)
@click.option("--jobs", type=WHOLE, metavar="N", help="Number of parallel processes.  [default: one per core]")
@time_limit_option
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="Random seed of the methods.")
@click.option("-o", "--output", type=TARGET, help="Output file: a page (.html), a chart (.svg) or the numbers (.json).")
@force_option
@json_option
@reading_options
def frontier_command(
    file: str,
    scenario: Scenario | None,
    ks: str | None,
    methods: tuple[str, ...],
    knows: tuple[Adversary, ...],
    utility: str,
    facts: Facts,
    also: str | None,
    mapping: Path | None,
    jobs: int | None,
    seed: int,
    output: Path | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare methods by remaining risk and lost utility.

    A release of FILE is made by every method that applies, for each K. A row is printed for each release. To compare
    budgets of one method, use `shoal tradeoff`.

    \b
    Columns:
      method            method and options; "no change" and "empty" are the two extremes
      k                 number of candidates that the method was asked for
      below K           share of people with fewer than K candidates; * if no other release is better in both this
                        share and the loss
      k reached         candidates of the least protected person
      original/release  the share for an attacker who measures facts there
      misled            share of people whose original facts fit no released person; not counted as safe
      lost              lost utility by --utility; 0 is no loss

    Results are kept in the folder OUTPUT.points, so that an interrupted run can be resumed. Remove it when you are
    done. Do not publish any of it. With --time-limit, releases that are not finished are listed with the reason.

    \b
    Examples:
      shoal frontier friends.csv -k 2,5,10 -o frontier.html
      shoal frontier friends.csv -k 5 --methods equalize-rows,match-degrees --time-limit 5m -o frontier.html
      shoal frontier people.csv --columns age,sex,zip -k 3,5 -o frontier.html
      shoal frontier friends.csv -k 5 --also safe.csv --mapping secret.csv --utility transitivity
    """
    if mapping is not None and also is None:
        raise BadParameter("'--mapping' must come with '--also RELEASE': releases made here need none.")
    if output is not None:
        check_ending(output)
    check_targets([output], force)
    if knows and scenario is not None:
        raise BadParameter("'--knows' and '--scenario' must not come together: each names the kinds of knowledge.")
    asked = None if ks is None else parse_numbers(ks)
    data = load_data(file, given)
    found = frontier(
        data,
        knows or None,
        asked,
        scenario=scenario,
        methods=[method for text in methods for method in parse_methods(text, asked[0] if asked else 2)] or None,
        columns=given["columns"] or (),
        utility=utility,
        facts=facts,
        also=None if also is None else {Path(also).name: load_existing_release(also, mapping, data, given)},
        seed=seed,
        jobs=jobs,
        folder=None if output is None else Path(f"{output}.points"),
    )
    if output is not None:
        found.save(output, force=force)
    show_frontier(found, output, as_json)


def show_frontier(found: Frontier, output: Path | None, as_json: bool) -> None:
    """Print the table and the output file."""
    if as_json:
        print_json(found.data())
        return
    print_text(describe_frontier(found) + (f"\n\nWritten: {tame(output)}" if output is not None else ""))


def parse_numbers(text: str) -> list[int]:
    """Parse whole numbers separated by commas.

    >>> parse_numbers("2,5")
    [2, 5]
    """
    found = [parse_whole(part) for part in text.split(",")]
    if None in found:
        raise BadParameter(f"'-k' must be whole numbers separated by commas, such as 2,5,10. Got {show_value(text)}.")
    return [number for number in found if number is not None]


def parse_methods(text: str, k: int) -> list[str | Method]:
    """Parse names of methods, or one method with its options.

    >>> parse_methods("mondrian,recode", 2), parse_methods("match-degrees:edits=add-delete", 2)[0].edits
    (['mondrian', 'recode'], 'add-delete')
    """
    name, colon, options = text.partition(":")
    if not colon:
        return [*(part for part in text.split(",") if find_method(part))]
    find_method(name)
    has = {f.name for f in fields(find_method(name))}  # type: ignore[arg-type]
    first = {"k": k} if "k" in has else {}
    return [
        build_method(
            name,
            first
            | {option: parse_value(part) for option, part in (split_pair(o, "--methods") for o in options.split(","))},
        )
    ]


def load_existing_release(file: str, mapping: Path | None, data: Dataset, given: dict[str, Any]) -> Pair:
    """Read an existing release; without a mapping, its vertices are not matched."""
    if mapping is not None:
        refuse_another(mapping, file)
    return Pair.of(data, load_released(file, data, None, given), mapping, same_names=False, who="frontier")
