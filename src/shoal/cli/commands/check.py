"""shoal check: test that every vertex has at least K candidates. Exit code 0 yes, 1 no, 2 cannot tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.commands.risk import SCHEMA
from shoal.cli.options import (
    WHOLE,
    attacker_options,
    json_option,
    knows_option,
    list_known_columns,
    load_attacked,
    reading_options,
)
from shoal.cli.output import print_json, print_text
from shoal.data.dataset import check_k
from shoal.errors import BadParameter
from shoal.knowledge import Adversary, Columns
from shoal.report.text.risk import describe_verdict
from shoal.risk.assess import assess


@click.command()
@click.argument("file")
@knows_option("What is known, e.g. degree. Repeat for more: all must hold.  [default: the columns of a table]")
@click.option("--at-least", "k", required=True, type=WHOLE, help="How many candidates every vertex must have.")
@attacker_options
@reading_options
@json_option
def check(
    file: str,
    knows: tuple[Adversary, ...],
    k: int,
    original: str | None,
    mapping: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Check that whoever knows SPEC is left with at least K candidates for every vertex of FILE.

    Exits with 0 if it holds, 1 if it does not, 2 if it cannot be told (a search cut short, nothing fits, bad input).

    \b
    Examples:
      shoal check example:karate --knows degree --at-least 2
      shoal check people.csv --columns age,sex,zip --at-least 5
    """
    published, source = load_attacked(file, original, mapping, given)
    check_k("shoal check", k, published, what="at-least")
    if not knows and published.has_links:
        raise BadParameter("'--knows' must say what is known, e.g. degree. Got nothing.")
    knows = knows or (Columns(*list_known_columns(published, given)),)
    verdicts = [(adversary.spec, *describe_verdict(assess(published, adversary, **source), k)) for adversary in knows]
    if as_json:
        rows = [{"knows": spec, "exit": code, "verdict": text} for spec, code, text in verdicts]
        print_json({"schema": SCHEMA, "at_least": k, "checks": rows})
    else:
        print_text("\n".join(text for _, _, text in verdicts))
    codes = {code for _, code, _ in verdicts}
    return 1 if 1 in codes else max(codes)
