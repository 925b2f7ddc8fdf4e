"""shoal classes: write the generalized graph: classes of vertices with equal neighbors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.options import WHOLE, json_option, load_data, reading_options
from shoal.cli.output import TARGET, SectionedCommand, check_targets, force_option, print_json, print_text
from shoal.core.twins import find_equal_rows
from shoal.data.dataset import as_graph
from shoal.data.generalized import Generalized
from shoal.errors import BadParameter, tame
from shoal.io.atomic import write_together
from shoal.report.text.generalized import describe_generalized, save_generalized

SCHEMA = 1


@click.command("classes", cls=SectionedCommand)
@click.argument("file")
@click.option("-o", "--output", required=True, type=TARGET, help="Output file of the classes: .json or .graphml.")
@click.option("--plot", type=TARGET, metavar="FILE", help="Output file of a drawing: .png, .svg or .html.")
@click.option("--seed", type=WHOLE, help="Random seed of the class order. Keep it private; random by default.")
@reading_options
@force_option
@json_option
def classes(
    file: str, output: Path, plot: Path | None, seed: int | None, force: bool, as_json: bool, **given: Any
) -> None:
    """Write the classes of vertices with equal neighbors.

    OUTPUT is the generalized graph of FILE: the size of each class, and the number of edges inside and between
    classes. For a k-anonymous network it reveals everything except which member of a class is which person. It has no
    names, and the order of the classes is shuffled. But a vertex that is a class of its own is as exposed as in FILE.

    \b
    Printed, a row per class size:
      class size  number of vertices in a class
      classes     number of such classes
      vertices    number of vertices in them, and their share

    \b
    Example:
      shoal classes example:davis -o classes.json --plot classes.svg
    """
    check_targets([output, plot], force)
    data = load_data(file, given)
    if not data.has_links:
        raise BadParameter("'shoal classes': FILE must be a network. Got a table, which has no links.")
    found = Generalized.of(data, find_equal_rows(as_graph(data))).published(seed)
    with write_together([path for path in (output, plot) if path is not None], force=force) as (part, *drawing):
        found.save(part)
        for picture in drawing:
            save_generalized(found, picture, force=False)
    if as_json:
        print_json(as_data(found))
        return
    files = ", ".join(tame(path) for path in (output, plot) if path is not None)
    print_text(f"{describe_generalized(found)}\nWritten: {files}")


def as_data(found: Generalized) -> dict[str, Any]:
    """Return the classes as plain data."""
    counts = {"vertices": found.n, "edges": found.m, "classes": len(found.sizes), "k": found.k}
    return {"schema": SCHEMA, **counts, "lossless": found.lossless}
