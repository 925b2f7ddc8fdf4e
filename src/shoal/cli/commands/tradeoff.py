"""shoal tradeoff: people at risk against links changed, for several budgets of one method."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import click

from shoal.auditing.tradeoff import tradeoff
from shoal.cli.options import (
    WHOLE,
    json_option,
    knows_option,
    load_data,
    reading_options,
    tell_unknown_columns,
    time_limit_option,
)
from shoal.cli.output import (
    TARGET,
    SectionedCommand,
    check_targets,
    force_option,
    print_json,
    print_text,
    show_phase,
)
from shoal.cli.part_options import Effort
from shoal.errors import BadParameter, tame
from shoal.knowledge import Adversary
from shoal.methods.links.reduce_risk.search import Edits
from shoal.report.text.tradeoff import check_ending, describe_tradeoff

BUDGETS = "1%,2%,5%,10%"


@click.command("tradeoff", cls=SectionedCommand)
@click.argument("file")
@knows_option("What the attacker knows. Repeatable: a person is at risk under any of them.")
@click.option("-k", type=WHOLE, default=2, show_default=True, help="Number of candidates that a person must have.")
@click.option(
    "--budget",
    "budgets",
    default=BUDGETS,
    show_default=True,
    metavar="N|SHARE,...",
    help="Most links that may change, separated by commas: shares of the links, or numbers.",
)
@click.option("--edits", type=click.Choice(get_args(Edits)), default="delete", show_default=True, help="Kind of edits.")
@click.option(
    "--suppress",
    default="0",
    show_default=True,
    metavar="N|SHARE",
    help="Most people that may be left out; links lost with them count against the budget.",
)
@click.option(
    "--facts",
    type=click.Choice(["release", "both"]),
    default="release",
    show_default=True,
    help="Facts by which people are at risk: of the release, or also of the original.",
)
@click.option(
    "--effort",
    type=Effort(),
    metavar="60s|SWEEPS",
    help="How long to search for each budget: seconds as 60s, or sweeps as 400.",
)
@click.option("--draws", type=WHOLE, metavar="N", help="Draws of each baseline.  [default: 5; 1 for a large network]")
@time_limit_option
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="Random seed of the search and the baselines.")
@click.option(
    "-o", "--output", type=TARGET, help="Output file: a page (.html), a chart (.svg) or the numbers (.json, .csv)."
)
@force_option
@json_option
@reading_options
def tradeoff_command(
    file: str,
    knows: tuple[Adversary, ...],
    k: int,
    budgets: str,
    edits: Edits,
    suppress: str,
    facts: Literal["release", "both"],
    effort: int | str | None,
    draws: int | None,
    seed: int,
    output: Path | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Show how many people each budget of edits protects.

    One method, reduce-risk, makes a release of FILE within each budget. The people at risk are counted in each
    release, beside random edits and two published heuristics that delete links. To compare different methods, use
    `shoal frontier`. With --columns, the attacker knows these columns too.

    \b
    Columns:
      budget, links   most links that may change
      changed         links that differ from the original after reduce-risk
      at risk, share  released people with fewer than K candidates after reduce-risk
      random          people at risk after random edits of the same kind: median draw (lowest to highest)
      at risk first   people at risk after deleting links of people at risk
      most affected   people at risk after deleting the links that affect most of them

    A larger budget never shows more people at risk: if the search finds no better release with it, that of the smaller
    budget is shown again, and a line says so. The output has exact numbers about the original. Do not publish it.

    \b
    Examples:
      shoal tradeoff example:village --knows counts:1 -k 2 --budget 1%,2%,5%,10% -o curve.html
      shoal tradeoff friends.csv --knows degree --knows neighbors:1 -k 3 --edits add-delete --effort 30s
      shoal tradeoff friends.csv --knows counts:1 --budget 10,50,100 --facts both --suppress 2% -o curve.csv
    """
    if not knows:
        raise BadParameter("'--knows' must name what the attacker knows, such as --knows counts:1. Got none.")
    if output is not None:
        check_ending(output)
    check_targets([output], force)
    with show_phase("reading"):
        data = load_data(file, given)
    if not any(kind.columns(data.attributes) for kind in knows):
        tell_unknown_columns(data, given)
    found = tradeoff(
        data,
        knows,
        k,
        budgets=[part.strip() for part in budgets.split(",")],
        edits=edits,
        suppress=suppress,
        facts=facts,
        columns=given["columns"] or (),
        effort=effort,
        draws=draws,
        seed=seed,
    )
    if output is not None:
        found.save(output, force=force)
    if as_json:
        print_json(found.data())
        return
    print_text(describe_tradeoff(found) + (f"\n\nWritten: {tame(output)}" if output is not None else ""))
