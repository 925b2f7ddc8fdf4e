"""shoal suppress: a release where the data are, without the people who have too few candidates."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from shoal.cli.engines import (
    check_outputs,
    engine_options,
    list_reading,
    print_engine_release,
    release_options,
    start_engine,
)
from shoal.cli.options import KNOWS, SHARE, WHOLE, json_option, reading_options
from shoal.cli.output import SectionedCommand, print_json, print_text
from shoal.knowledge import Adversary


@click.command("suppress", cls=SectionedCommand)
@click.argument("file")
@click.option("--knows", required=True, type=KNOWS, help="What the attacker knows, e.g. degree.")
@click.option("-k", required=True, type=WHOLE, help="Number of candidates that each person is guaranteed.")
@click.option("--allow", type=WHOLE, default=0, show_default=True, help="People who may have fewer candidates.")
@click.option("--max-rounds", type=WHOLE, default=20, show_default=True, help="Most rounds.")
@click.option(
    "--keep-at-least",
    type=SHARE,
    default="50%",
    show_default=True,
    help="Share of the links that must be left; of the people, for a table without links.",
)
@click.option("--dry-run", is_flag=True, help="Only count: print the rounds, and write nothing.")
@release_options
@engine_options
@reading_options
@json_option
def suppress_command(
    file: str,
    knows: Adversary,
    k: int,
    allow: int,
    max_rounds: int,
    keep_at_least: Fraction,
    dry_run: bool,
    output: Path | None,
    attributes_output: Path | None,
    mapping: Path | None,
    descriptions: Path | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Leave out people with too few candidates, in an engine.

    FILE is Parquet (a file, a pattern or a folder) or duckdb:FILE/TABLE. Each round leaves out all people with fewer
    than k candidates and counts again: those who are left have fewer links then. It ends when at most --allow people
    have fewer. The written files are counted again before they are in place.

    The rounds are printed for you. Keep them private: they count people who are not released.

    Exit code: 0; with --dry-run, 1 if there would be no release. Without, that is an error (2).

    \b
    Examples:
      shoal suppress 'edges/*.parquet' --knows degree -k 5 --dry-run
      shoal suppress duckdb:calls.db/edges --knows degree -k 5 --memory 4GB -o safe.parquet --mapping secret.csv
    """
    from shoal.relational import suppress

    if not dry_run:
        check_outputs(output, attributes_output, mapping, force)
    table = given["table"] or (given["attributes"] is None and not knows.reads_links)
    source, how = list_reading(file, given, table=table)
    how |= {"columns": given["columns"] or None, "engine": start_engine(given)}
    if dry_run:
        found = suppress(source, knows, k, allow, max_rounds, keep_at_least, dry_run=True, **how)
        print_json({"schema": 1, **asdict(found)}) if as_json else print_text(repr(found))
        return int(found.refused is not None)
    with suppress(source, knows, k, allow, max_rounds, keep_at_least, **how) as release:
        print_engine_release(release, output, attributes_output, mapping, descriptions, force, as_json)
    return 0
