"""shoal risk: the number of candidates of each vertex under one or many attacker models."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Any

import click

from shoal.auditing.panel import build_graph_panel, build_table_panel
from shoal.cli.options import (
    NAMES,
    WHOLE,
    attacker_options,
    json_option,
    knows_option,
    list_known_columns,
    load_attacked,
    load_data,
    reading_options,
)
from shoal.cli.output import print_json, print_text
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, check_k, notice, tame
from shoal.knowledge import Adversary
from shoal.report.text.risk import RiskLines, describe_recoded
from shoal.report.text.tables import ColumnRisks
from shoal.risk.assess import Risk, assess

SCHEMA = 1
NAMED = 8
"""So many columns are named that are not assumed known."""


@click.command()
@click.argument("file")
@knows_option("Attacker model, e.g. degree or refinement:2+columns:age. Repeatable.")
@click.option("-k", type=WHOLE, help="Count the vertices with fewer than K candidates.  [default: 5]")
@click.option(
    "--sensitive", type=NAMES, default=(), help="Sensitive columns: report what the classes disclose about them."
)
@click.option(
    "--fraction", type=float, metavar="SHARE", help="Share of the population that the table is a random sample of."
)
@click.option("--population", metavar="FILE", help="Table of the whole population with the same columns.")
@attacker_options
@reading_options
@json_option
def risk(
    file: str,
    knows: tuple[Adversary, ...],
    k: int | None,
    sensitive: tuple[str, ...],
    fraction: float | None,
    population: str | None,
    original: str | None,
    mapping: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Measure re-identification risk.

    FILE is a network or a table. A row is printed for each attacker model. The candidates of a vertex are all vertices,
    itself included, that fit everything the attacker knows about it.

    \b
    Columns:
      knows     attacker model (see: shoal knowledge)
      k         fewest candidates that any vertex has; <= if a search was cut short
      unique    vertices with 1 candidate
      below K   vertices with fewer than K candidates
      share     below K, as a share of all vertices
      misled    with --original: vertices that no published vertex fits; not counted as safe
      time      running time
      in words  the attacker model in a few words

    Without --knows: degree, refinement:2, counts:1, degrees:1, neighborhood:1, hubs:5, subgraph:3, neighbors:2,
    adjacency and orbit. For a table: all columns, and any one, two or three of them (up to 1,000,000 sets; a note says
    what is not counted).

    \b
    Examples:
      shoal risk example:florentine -k 2
      shoal risk friends.csv --attributes people.csv --knows degree --knows degree+columns:age,sex
      shoal risk people.csv --columns age,sex,zip --sensitive income
    """
    published, source = load_attacked(file, original, mapping, given)
    default_k = k is None
    k = check_k("shoal risk", min(5, published.n) if k is None else k, published)
    columns = list_known_columns(published, given, sensitive)
    table = not published.has_links
    chosen = list(knows) or (
        build_table_panel(published, columns) if table else build_graph_panel(published, given["columns"])
    )
    if not knows and not table and given["columns"] is None and len(published.attributes):
        names = ",".join(islice(published.attributes, NAMED))
        more = f" and {len(published.attributes) - NAMED:,} more" if len(published.attributes) > NAMED else ""
        notice(f"the columns {names}{more} are not assumed known. To assess them, add for example --columns {names}")
    about = None
    extra = sensitive or fraction is not None or population is not None
    if extra and original is not None:
        raise BadParameter("'--sensitive', '--fraction' and '--population' must come without '--original'. Got both.")
    if extra or (table and original is None):
        about = ColumnRisks.of(
            published,
            columns,
            sensitive,
            fraction,
            None if population is None else load_data(population, given | {"table": True}),
        )
    if as_json:
        risks = [assess_timed(published, adversary, source) for adversary in chosen]
        data = as_data(published, risks, k) | ({} if about is None else {"table": about.data()})
        print_json(data)
        return
    specs, attacked = [adversary.spec for adversary in chosen], original is not None
    lines = RiskLines(specs, k, published.n, published.noun, attacked=attacked, default_k=default_k)
    seen, rows = [], []
    for i, adversary in enumerate(chosen):
        found, seconds = assess_timed(published, adversary, source)
        seen.append(found)
        rows.append(build_risk_row(found, k, seconds))
        line = lines.format_row(rows[-1])
        print_text(line if i else f"{published!r}\n\n{lines.format_head()}\n{line}")
    print_text(f"\n{lines.describe_columns(rows)}")
    lacking = [found for found in seen if found.unmatched]
    if lacking:
        notice(describe_recoded(lacking[0]))
    for adversary in chosen:
        if adversary.assumes:
            print_text(f"\n{tame(adversary.spec)}: {adversary.assumes}")
    if about is not None:
        print_text(f"\n{about.describe()}")


def assess_timed(graph: Dataset, adversary: Adversary, source: dict[str, Any]) -> tuple[Risk, float]:
    """Assess the risk, and measure the time."""
    start = time.perf_counter()
    found = assess(graph, adversary, **source)
    return found, time.perf_counter() - start


def as_data(graph: Dataset, risks: list[tuple[Risk, float]], k: int) -> dict[str, Any]:
    """Return the table as plain data."""
    return {
        "schema": SCHEMA,
        "graph": {graph.noun[1]: graph.n, "edges": graph.m, "multigraph": graph.is_multigraph},
        "below": k,
        "risks": [build_risk_row(found, k, seconds) for found, seconds in risks],
    }


def build_risk_row(found: Risk, k: int, seconds: float) -> dict[str, Any]:
    """Return one attacker model as plain data."""
    return {
        "knows": found.adversary.spec,
        "notion": found.adversary.notion,
        "assumes": found.adversary.assumes,
        "k": found.k,
        "exact": found.exact,
        "vertices": len(found.sizes),
        "unique": int((found.sizes == 1).sum()),
        "below": len(found.at_risk(k)),
        "rate": found.rate(k),
        "misled": len(found.misled),
        "buckets": found.buckets(),
        "all_exact": bool(found.exact_sizes.all()),
        "seconds": round(seconds, 6),
    }
