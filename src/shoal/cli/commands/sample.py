"""shoal sample: draw graphs from a published generalized graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import WHOLE, json_option, limit_options, list_limits
from shoal.cli.output import TARGET, check_targets, force_option, print_json, print_text, show_phase
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph
from shoal.errors import format_count, tame, whole
from shoal.io.atomic import write_together
from shoal.io.write import write_graph
from shoal.release.drawn import Estimates, estimate_numbers
from shoal.report.text.releases import describe_estimates

SCHEMA = 1


@click.command("sample")
@click.argument("classes", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=TARGET, help="Output file of the drawn graph.")
@click.option(
    "--samples",
    type=WHOLE,
    default=1,
    metavar="N",
    help="Number of graphs to draw; draw.csv becomes draw-01.csv, draw-02.csv, ...",
)
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="Random seed; it need not be private here.")
@click.option("--format", "format_", metavar="NAME", help="Output format (default: by file ending).")
@limit_options
@force_option
@json_option
def sample(
    classes: Path,
    output: Path,
    samples: int,
    seed: int,
    format_: str | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Draw random graphs from published classes.

    CLASSES is a generalized graph (.json or .graphml), as written by `shoal classes` and `shoal anonymize --method
    generalize`. Each graph with exactly its numbers of edges inside and between classes is equally likely. Vertices
    are named 0, 1, ..., class by class in the order of the file. What all samples have in common follows from CLASSES;
    what differs between them does not.

    \b
    Printed, a row per statistic:
      mean         mean over the samples
      spread       standard deviation over the samples
      least, most  smallest and largest value

    \b
    Example:
      shoal sample classes.json -o draw.csv --samples 30
    """
    outputs = list_places(output, whole(samples, "shoal sample", "samples", least=1))
    check_targets(outputs, force)
    with show_phase("reading"):
        found = Generalized.read(classes, **list_limits(given))
    with show_phase("drawing"):
        told = write_samples(found, outputs, seed, format_, force)
    if as_json:
        print_json(as_data(found, told, outputs))
        return
    last = f" to {tame(outputs[-1])}" if samples > 1 else ""
    head = f"{format_count(samples, 'graph')} drawn from {found!r}."
    print_text(f"{head}\n{describe_estimates(told)}\nWritten: {tame(outputs[0])}{last}")


def list_places(output: Path, samples: int) -> list[Path]:
    """Return the output file of each sample: several get a number before the file endings.

    >>> [str(path) for path in list_places(Path("out/draw.csv.gz"), 2)], list_places(Path("draw.csv"), 1)
    (['out/draw-01.csv.gz', 'out/draw-02.csv.gz'], [...Path('draw.csv')])
    """
    if samples == 1:
        return [output]
    stem, dot, endings = output.name.partition(".")
    width = max(2, len(str(samples)))
    return [output.with_name(f"{stem}-{i:0{width}}{dot}{endings}") for i in range(1, samples + 1)]


def write_samples(found: Generalized, outputs: list[Path], seed: int, format: str | None, force: bool) -> Estimates:  # noqa: A002
    """Write all samples or none, and return statistics about them."""

    def each(parts: list[Path]) -> Iterator[Graph]:
        for part, graph in zip(parts, found.samples(len(outputs), seed), strict=True):
            write_graph(graph, part, format=format)
            yield graph

    with write_together(outputs, force=force) as parts:
        return estimate_numbers(each(parts), len(outputs))


def as_data(found: Generalized, told: Estimates, outputs: list[Path]) -> dict[str, Any]:
    """Return the statistics of the samples as plain data."""
    rows = {x.name: dict(zip(("mean", "spread", "least", "most"), x.numbers, strict=True)) for x in told.rows}
    numbers = {"vertices": found.n, "edges": found.m, "classes": len(found.sizes), "k": found.k}
    files = [str(path) for path in outputs]
    return {"schema": SCHEMA, **numbers, "log worlds": found.log_worlds, "samples": rows, "files": files}
