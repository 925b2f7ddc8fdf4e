"""shoal levels: how much must be known about each vertex before fewer than k candidates are left."""

from __future__ import annotations

import csv
import io
import json
from math import inf
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import load, reading
from shoal.cli.risk import SCHEMA
from shoal.data.files import replacing
from shoal.errors import BadParameter
from shoal.report.levels import claimed, levels_text
from shoal.risk.frontier import Frontier
from shoal.risk.levels import READINGS, Levels, levels
from shoal.risk.similarity import SimilarityRadius, similarity_radius

known = click.option(
    "--knows", type=click.Choice(READINGS), default="neighbors", show_default=True, help="What is known."
)
force = click.option("--force", is_flag=True, help="Overwrite existing files.")


@click.command("levels")
@click.argument("file")
@click.option("-k", required=True, type=int, help="How many candidates must be left.")
@known
@click.option("--limit", type=int, metavar="L", help="Do not look for sets of more than L relations.")
@click.option("--multiplicities", is_flag=True, help="With neighbors: multiplicities of known edges are known too.")
@reading
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.option("--csv", "per_vertex", type=click.Path(path_type=Path), metavar="FILE", help="Write one row per vertex.")
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the curve into a .png, .svg or .html."
)
@force
def levels_command(
    file: str,
    k: int,
    knows: Any,
    limit: int | None,
    multiplicities: bool,
    as_json: bool,
    per_vertex: Path | None,
    plot: Path | None,
    force: bool,
    **given: Any,
) -> None:
    """Compute, for FILE and each vertex, the largest l such that no l known relations leave fewer than K candidates.

    Beside the exact values stands what the paper's algorithm would have claimed, which is only an upper bound.

    \b
    Examples:
      shoal levels example:karate -k 2
      shoal levels friends.csv -k 5 --knows relations --csv per-vertex.csv --plot curve.png
    """
    refuse_existing([per_vertex, plot], force)
    found = levels(load(file, given), k, knows, limit=limit, multiplicities=multiplicities)
    radius = similarity_radius(found.graph, k, "2-path" if knows == "neighbors" else "manhattan")
    if per_vertex is not None:
        save_rows(found, per_vertex, force)
    if plot is not None:
        Frontier({k: found}).save(plot, force=force)
    if as_json:
        click.echo(json.dumps(as_data(found, radius), indent=2))
        return
    click.echo(f"{levels_text(found)}\n\n{claimed(found, radius)}")


def refuse_existing(paths: list[Path | None], force: bool) -> None:
    """Refuse before the work begins what would be refused after it."""
    for path in paths:
        if path is not None and path.exists() and not force:
            raise BadParameter(f"{path}: exists and is not overwritten. Say --force to replace it.")


def save_rows(found: Levels, path: Path, force: bool) -> None:
    """Write name, l and whether it is exact; "inf" stands for every l."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["name", "l", "proved"])
    for name, l, proved in zip(found.graph.names, found.per_vertex.tolist(), found.proved.tolist(), strict=True):
        rows.writerow([name, "inf" if l == inf else int(l), "true" if proved else "false"])
    with replacing(path, force=force) as stream:
        stream.write(text.getvalue().encode())


def as_data(found: Levels, radius: SimilarityRadius) -> dict[str, Any]:
    """Return the levels as plain data; "every" stands for every l."""
    return {
        "schema": SCHEMA,
        "k": found.k,
        "knows": found.reading,
        "l": "every" if found.l == inf else int(found.l),
        "proved": found.l_proved,
        "capped": "every" if found.capped.min() == inf else int(found.capped.min()),
        "histogram": {"every" if l == inf else str(l): many for l, many in found.histogram().items()},
        "at_least": {str(l): many for l, many in found.unproved().items()},
        "upper_bound": {"algorithm": 3 if radius.similarity == "2-path" else 2, "l": radius.l},
    }
