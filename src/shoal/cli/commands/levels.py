"""shoal levels: the number of known facts that leaves fewer than k candidates."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any, Literal

import click

from shoal.cli.options import NUMBERS, WHOLE, json_option, list_known_columns, load_data, reading_options
from shoal.cli.output import (
    TARGET,
    SectionedCommand,
    check_targets,
    force_option,
    print_json,
    print_text,
    record_data,
    save_private_rows,
)
from shoal.errors import BadParameter
from shoal.io.atomic import write_together
from shoal.report.text.levels import describe_claim, describe_levels
from shoal.risk.curves import LevelCurves
from shoal.risk.levels import READINGS, Levels, levels
from shoal.risk.similarity import SimilarityRadius, similarity_radius

SCHEMA = 1
known = click.option(
    "--knows",
    type=click.Choice(READINGS),
    help="Kind of facts an attacker knows.  [default: columns for a table, else neighbors]",
)


@click.command("levels", cls=SectionedCommand)
@click.argument("file")
@click.option(
    "-k",
    required=True,
    type=NUMBERS,
    help="Number of candidates that must be left. For columns also one per size, e.g. -,1000,100.",
)
@known
@click.option("--max-size", type=WHOLE, metavar="L", help="Largest set of relations or columns to search.")
@click.option(
    "--multiplicities", is_flag=True, help="With neighbors: the attacker also knows the multiplicities of known edges."
)
@reading_options
@json_option
@click.option(
    "--csv", "per_vertex", type=TARGET, metavar="FILE", help="Output file with one row per vertex. Keep it private."
)
@click.option("--plot", type=TARGET, metavar="FILE", help="Output file of a chart: .png, .svg or .html.")
@force_option
def levels_command(
    file: str,
    k: Any,
    knows: Any,
    max_size: int | None,
    multiplicities: bool,
    as_json: bool,
    per_vertex: Path | None,
    plot: Path | None,
    force: bool,
    **given: Any,
) -> None:
    """Count the known facts that leave fewer than K candidates.

    The level l of a vertex of FILE is the largest number such that any l known neighbors (or relations) leave at least
    K candidates. For a table, the facts are columns: the rule of statistical offices.

    \b
    Columns:
      l             level; >= if the search was cut short
      exposed by    the fewest known facts that can leave fewer than K candidates
      vertices      number of vertices with this level, and their share

    Below the table, the value of the algorithm by Stokes & Torra is shown for comparison, for links without direction
    and kind. It is only an upper bound.

    \b
    Examples:
      shoal levels example:karate -k 2
      shoal levels people.csv --columns age,sex,zip -k 5 --max-size 3
      shoal levels friends.csv -k 5 --knows relations --csv per-vertex.csv --plot curve.png
    """
    check_targets([per_vertex, plot], force)
    data = load_data(file, given)
    named = not data.has_links or given["columns"] is not None
    about_columns = knows == "columns" or (knows is None and named)
    if named and not about_columns:
        raise BadParameter(f"'--knows {knows}' must come without '--columns' and '--table'. Got both.")
    columns = list_known_columns(data, given) if about_columns else None
    found = levels(data, knows, k=k, columns=columns, max_size=max_size, multiplicities=multiplicities)
    compared = not about_columns and found.links.ties is None  # the paper's algorithms know neither direction nor kind
    radius = similarity_radius(found.graph, k, find_radius(found.reading)) if compared else None
    save_files(found, per_vertex, plot, force)
    if as_json:
        print_json(as_data(found, radius))
        return
    print_text(
        describe_levels(found) if radius is None else f"{describe_levels(found)}\n\n{describe_claim(found, radius)}"
    )


def find_radius(reading: str) -> Literal["2-path", "manhattan"]:
    """Return the similarity that the paper uses for this reading."""
    return "2-path" if "neighbors" in reading else "manhattan"


def save_files(found: Levels, per_vertex: Path | None, plot: Path | None, force: bool) -> None:
    """Write the table and the chart: both or none."""
    places = [place for place in (per_vertex, plot) if place is not None]
    secret = [] if per_vertex is None else [per_vertex]
    with write_together(places, force=force, private=secret) as parts:
        for place, part in zip(places, parts, strict=True):
            if place is per_vertex:
                save_levels(found, part)
            else:
                LevelCurves({found.k: found}).save(part)


def save_levels(found: Levels, path: Path) -> None:
    """Write name, l and whether l is exact; "inf" stands for every l."""
    rows = zip(found.graph.names, found.per_vertex.tolist(), found.exact.tolist(), strict=True)
    spelled = ([name, "inf" if l == inf else int(l), "true" if exact else "false"] for name, l, exact in rows)
    save_private_rows(path, False, ["name", "l", "exact"], spelled)


def as_data(found: Levels, radius: SimilarityRadius | None) -> dict[str, Any]:
    """Return the levels as plain data; "every" stands for every l."""
    bound = radius and {"algorithm": 3 if radius.similarity == "2-path" else 2, "l": radius.l}
    return {
        "schema": SCHEMA,
        "graph": record_data(found.graph),
        "k": found.k,
        "knows": found.reading,
        "l": "every" if found.l == inf else int(found.l),
        "exact": found.l_exact,
        "capped": "every" if found.capped.min() == inf else int(found.capped.min()),
        "histogram": {"every" if l == inf else str(l): many for l, many in found.histogram().items()},
        "at_least": {str(l): many for l, many in found.lower_bounds().items()},
        "upper_bound": bound,
    }
