"""shoal thin: a release where the data are, with few neighbors per person or a sample of the links."""

from __future__ import annotations

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
from shoal.cli.output import SectionedCommand
from shoal.knowledge import Adversary


@click.command("thin", cls=SectionedCommand)
@click.argument("file")
@click.option("--cap-degree", type=WHOLE, help="Most neighbors that a person keeps.")
@click.option("--sample", type=SHARE, help="Share of the linked pairs to keep, e.g. 10%.")
@click.option("--knows", type=KNOWS, help="Count the release for this attacker model, and guarantee what is counted.")
@click.option("-k", type=WHOLE, help="Number of candidates for the guarantee.  [default: the smallest counted]")
@release_options
@engine_options
@reading_options
@json_option
def thin_command(
    file: str,
    cap_degree: int | None,
    sample: Fraction | None,
    knows: Adversary | None,
    k: int | None,
    output: Path | None,
    attributes_output: Path | None,
    mapping: Path | None,
    descriptions: Path | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Keep a random part of the links, in an engine.

    FILE is Parquet (a file, a pattern or a folder) or duckdb:FILE/TABLE. All people stay. By itself this promises
    nothing: with --knows, the release is counted, and the guarantee is what the count shows.

    \b
    Examples:
      shoal thin 'edges/*.parquet' --cap-degree 50 --knows degree -k 5 -o safe.parquet --mapping secret.csv
      shoal thin edges.parquet --sample 10% --undirected -o sample.parquet
    """
    from shoal.relational import thin

    check_outputs(output, attributes_output, mapping, force)
    source, how = list_reading(file, given, table=False)
    how |= {"columns": given["columns"] or None, "engine": start_engine(given)}
    with thin(source, cap_degree, sample, knowledge=knows, k=k, **how) as release:
        print_engine_release(release, output, attributes_output, mapping, descriptions, force, as_json)
