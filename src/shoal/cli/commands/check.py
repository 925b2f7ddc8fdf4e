"""shoal check: test that every vertex has at least K candidates. Exit code 0 pass, 1 fail, 2 cannot tell."""

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
from shoal.errors import BadParameter, check_k
from shoal.knowledge import Adversary, Columns
from shoal.report.text.risk import describe_verdict
from shoal.risk.assess import assess


@click.command()
@click.argument("file")
@knows_option("Attacker model, e.g. degree. Repeatable: all must pass.  [default: the columns of a table]")
@click.option("--at-least", "k", required=True, type=WHOLE, help="Number of candidates that every vertex must have.")
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
    """Check that every vertex has at least K candidates.

    FILE is a network or a table (then: every record). One line is printed for each --knows: PASS, FAIL or CANNOT TELL,
    with the number of vertices that have fewer than K candidates, and k, the smallest number of candidates.

    Exit code: 0 if all pass, 1 if one fails, 2 if one cannot be told (a search was cut short, nothing fits, bad input).

    \b
    Examples:
      shoal check example:karate --knows degree --at-least 2
      shoal check people.csv --columns age,sex,zip --at-least 5
    """
    published, source = load_attacked(file, original, mapping, given)
    check_k("shoal check", k, published, what="at-least")
    if not knows and published.has_links:
        raise BadParameter("'--knows' must name an attacker model, e.g. degree. Got nothing.")
    knows = knows or (Columns(*list_known_columns(published, given)),)
    verdicts = [(adversary.spec, *describe_verdict(assess(published, adversary, **source), k)) for adversary in knows]
    if as_json:
        rows = [{"knows": spec, "exit": code, "verdict": text} for spec, code, text in verdicts]
        print_json({"schema": SCHEMA, "at_least": k, "checks": rows})
    else:
        print_text("\n".join(text for _, _, text in verdicts))
    codes = {code for _, code, _ in verdicts}
    return 1 if 1 in codes else max(codes)
