"""shoal minimal-uniques: find the smallest sets of columns that single out a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.commands.levels import save_private_rows
from shoal.cli.commands.risk import SCHEMA
from shoal.cli.options import WHOLE, json_option, list_known_columns, load_data, reading_options
from shoal.cli.output import TARGET, check_targets, force_option, print_json, print_text
from shoal.report.text.tables import describe_uniques
from shoal.tables.uniques import MinimalUniques, minimal_uniques


@click.command("minimal-uniques")
@click.argument("file")
@click.option("--max-size", type=WHOLE, default=3, show_default=True, metavar="L", help="The largest set looked for.")
@click.option(
    "-k", type=WHOLE, default=2, show_default=True, help="A set reveals a record if fewer than K have its values."
)
@reading_options
@click.option("--csv", "per_record", type=TARGET, metavar="FILE", help="Write one row per record.")
@force_option
@json_option
def uniques(
    file: str, max_size: int, k: int, per_record: Path | None, force: bool, as_json: bool, **given: Any
) -> None:
    """Find, in the table FILE, every smallest set of columns that singles out a record.

    A set is minimal if no part of it singles out that record. Each column's share of the SUDA scores says how much it
    adds to the risk: recode the highest first.

    \b
    Examples:
      shoal minimal-uniques example:people --columns age,sex,zip
      shoal minimal-uniques people.csv --max-size 2 --csv per-record.csv
    """
    check_targets([per_record], force)
    data = load_data(file, given | {"table": True})
    found = minimal_uniques(data, list_known_columns(data, given), max_size=max_size, k=k)
    if per_record is not None:
        head = ["name", "smallest", "sets", "score"]
        columns = [found.smallest.tolist(), found.counts.tolist(), found.scores.tolist()]
        save_private_rows(per_record, force, head, zip(data.names, *columns, strict=True))
    if as_json:
        print_json(as_data(found))
        return
    print_text(describe_uniques(found))


def as_data(found: MinimalUniques) -> dict[str, Any]:
    """Return minimal uniques as plain data; records are counted, not named."""
    return {
        "schema": SCHEMA,
        "k": found.k,
        "max_size": found.max_size,
        "columns": list(found.columns),
        "records": found.graph.n,
        "revealed": {str(s): int((found.smallest == s).sum()) for s in range(1, found.max_size + 1)},
        "contributions": found.contributions,
        "sets": [{"columns": list(S), "records": len(rows)} for S, rows in found.sets.items()],
    }
