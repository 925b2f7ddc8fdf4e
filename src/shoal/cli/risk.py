"""shoal risk: how many vertices each vertex could be, for one or many kinds of knowledge."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click

from shoal.adversaries import PANEL, Adversary, parse
from shoal.cli.options import KNOWS, attacking, reading, scene
from shoal.data.graph import Graph
from shoal.errors import notice
from shoal.report.text import Panel
from shoal.risk.assess import Risk, assess
from shoal.risk.sizes import checked_k

SCHEMA = 1


@click.command()
@click.argument("file")
@click.option(
    "--knows",
    multiple=True,
    type=KNOWS,
    help="What is known, e.g. degree or refinement:2+columns:age. Repeat for more.",
)
@click.option("-k", type=int, help="Count the vertices with fewer candidates than this.  [default: 5]")
@attacking
@reading
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def risk(
    file: str,
    knows: tuple[Adversary, ...],
    k: int | None,
    knowing: str | None,
    mapping: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Count, for every kind of knowledge, how many vertices each vertex in FILE could be.

    \b
    knows  what the attacker knows about a vertex (see: shoal knowledge)
    k      size of the smallest candidate set; <= says that a search was cut short
    alone  vertices that are their only candidate
    below  vertices with fewer than K candidates, and their share
    time   how long it took; the first run after an install also compiles

    Without --knows: degree, refinement:2, counts:1, degrees:1, neighborhood:1, hubs:5, subgraph:3, neighbors:2,
    adjacency and orbit.

    \b
    Examples:
      shoal risk example:florentine -k 2
      shoal risk friends.csv --attributes people.csv --knows degree --knows degree+columns:age,sex
    """
    published, original = scene(file, knowing, mapping, given)
    k = min(5, published.n) if k is None else checked_k("shoal risk", k, published)
    chosen = list(knows) or default_panel(published)
    if not knows and len(published.attributes):
        columns = ",".join(published.attributes)
        notice(f"the columns {columns} are not assumed known; add, for example, --knows columns:{columns}")
    if as_json:
        risks = [timed(published, adversary, original) for adversary in chosen]
        click.echo(json.dumps(as_data(published, risks, k), indent=2, ensure_ascii=False))
        return
    lines = Panel([adversary.spec for adversary in chosen], k, published.n, attacked=knowing is not None)
    for i, adversary in enumerate(chosen):
        row = lines.row(*timed(published, adversary, original))
        click.echo(row if i else f"{published!r}\n\n{lines.head()}\n{row}")
    for adversary in chosen:
        if adversary.assumes:
            click.echo(f"\n{adversary.spec}: {adversary.assumes}")


def default_panel(graph: Graph) -> list[Adversary]:
    """Return the usual kinds of knowledge that make sense for a graph, and its columns where it has some."""
    specs = [spec for spec in PANEL if not spec.startswith("hubs") or graph.n >= 5]
    return [parse(spec) for spec in specs]


def timed(graph: Graph, adversary: Adversary, original: dict[str, Any]) -> tuple[Risk, float]:
    """Assess, and take the time."""
    start = time.perf_counter()
    found = assess(graph, adversary, **original)
    return found, time.perf_counter() - start


def as_data(graph: Graph, risks: list[tuple[Risk, float]], k: int) -> dict[str, Any]:
    """Return the table as plain data."""
    return {
        "schema": SCHEMA,
        "graph": {"vertices": graph.n, "edges": graph.m, "multigraph": graph.multiplicity is not None},
        "below": k,
        "risks": [row(found, k, seconds) for found, seconds in risks],
    }


def row(found: Risk, k: int, seconds: float) -> dict[str, Any]:
    """Return one kind of knowledge as plain data."""
    return {
        "knows": found.adversary.spec,
        "notion": found.adversary.notion,
        "assumes": found.adversary.assumes,
        "k": found.k,
        "proved": found.proved,
        "vertices": len(found.sizes),
        "alone": int((found.sizes == 1).sum()),
        "below": len(found.at_risk(k)),
        "rate": found.rate(k),
        "misled": len(found.misled),
        "buckets": found.buckets(),
        "all_proved": bool(found.proved_sizes.all()),
        "seconds": round(seconds, 6),
    }
