"""shoal levels: how much must be known about each vertex before fewer than k candidates are left."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any, Literal

import click

from shoal.cli.options import NUMBERS, WHOLE, known_columns, load, reading
from shoal.cli.output import say
from shoal.cli.risk import SCHEMA
from shoal.data.files import replacing
from shoal.data.records import Records
from shoal.errors import BadParameter
from shoal.report.levels import claimed, levels_text
from shoal.risk.frontier import Frontier
from shoal.risk.levels import READINGS, Levels, levels
from shoal.risk.similarity import SimilarityRadius, similarity_radius

known = click.option(
    "--knows", type=click.Choice(READINGS), help="What is known.  [default: columns for a table, else neighbors]"
)
force = click.option("--force", is_flag=True, help="Overwrite existing files.")


@click.command("levels")
@click.argument("file")
@click.option(
    "-k",
    required=True,
    type=NUMBERS,
    help="How many candidates must be left; for columns also -,1000,100, one per size.",
)
@known
@click.option("--limit", type=WHOLE, metavar="L", help="Do not look for sets of more than L relations or columns.")
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
    k: Any,
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

    Beside the exact values stands what the paper's algorithm would have claimed, which is only an upper bound. For a
    table: the largest l such that no l known columns do, the rule of statistical offices.

    \b
    Examples:
      shoal levels example:karate -k 2
      shoal levels people.csv --columns age,sex,zip -k 5 --limit 3
      shoal levels friends.csv -k 5 --knows relations --csv per-vertex.csv --plot curve.png
    """
    refuse_existing([per_vertex, plot], force)
    data = load(file, given)
    named = isinstance(data, Records) or given["columns"] is not None
    about_columns = knows == "columns" or (knows is None and named)
    if named and not about_columns:
        raise BadParameter(f"'--knows {knows}' must come without '--columns' and '--table'. Got both.")
    columns = known_columns(data, given) if about_columns else None
    found = levels(data, k, knows, columns=columns, limit=limit, multiplicities=multiplicities)
    radius = None if about_columns else similarity_radius(found.graph, k, radius_of(found.reading))
    if per_vertex is not None:
        save_rows(found, per_vertex, force)
    if plot is not None:
        Frontier({k: found}).save(plot, force=force)
    if as_json:
        click.echo(json.dumps(as_data(found, radius), indent=2))
        return
    say(levels_text(found) if radius is None else f"{levels_text(found)}\n\n{claimed(found, radius)}")


def radius_of(reading: str) -> Literal["2-path", "manhattan"]:
    """Return the similarity by which the paper would have bounded the levels."""
    return "2-path" if "neighbors" in reading else "manhattan"


def refuse_existing(paths: list[Path | None], force: bool) -> None:
    """Refuse before the work begins what would be refused after it."""
    for path in filter(None, paths):
        if path.is_dir():
            raise BadParameter(f"{path}: is a folder. Name a file in it.")
        if not path.parent.is_dir():
            raise BadParameter(f"{path}: there is no folder {path.parent}. Make it first, or name another.")
        if path.exists() and not force:
            raise BadParameter(f"{path}: exists and is not overwritten. Say --force to replace it.")


def save_rows(found: Levels, path: Path, force: bool) -> None:
    """Write name, l and whether it is exact; "inf" stands for every l."""
    rows = zip(found.graph.names, found.per_vertex.tolist(), found.proved.tolist(), strict=True)
    spelled = ([name, "inf" if l == inf else int(l), "true" if proved else "false"] for name, l, proved in rows)
    save_rows_of(path, force, ["name", "l", "proved"], spelled)


def save_rows_of(path: Path, force: bool, head: Sequence[str], cells: Iterable[Sequence[object]]) -> None:
    """Write a csv file."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerows([head, *cells])
    with replacing(path, force=force) as stream:
        stream.write(text.getvalue().encode())


def as_data(found: Levels, radius: SimilarityRadius | None) -> dict[str, Any]:
    """Return the levels as plain data; "every" stands for every l."""
    bound = radius and {"algorithm": 3 if radius.similarity == "2-path" else 2, "l": radius.l}
    return {
        "schema": SCHEMA,
        "k": found.k,
        "knows": found.reading,
        "l": "every" if found.l == inf else int(found.l),
        "proved": found.l_proved,
        "capped": "every" if found.capped.min() == inf else int(found.capped.min()),
        "histogram": {"every" if l == inf else str(l): many for l, many in found.histogram().items()},
        "at_least": {str(l): many for l, many in found.unproved().items()},
        "upper_bound": bound,
    }
