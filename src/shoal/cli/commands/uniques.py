"""shoal minimal-uniques: find the smallest sets of columns that identify a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.options import WHOLE, json_option, list_known_columns, load_data, reading_options
from shoal.cli.output import (
    TARGET,
    SectionedCommand,
    check_targets,
    force_option,
    print_json,
    print_text,
    save_private_rows,
)
from shoal.report.text.tables import describe_uniques
from shoal.tables.uniques import MinimalUniques, minimal_uniques

SCHEMA = 1


@click.command("minimal-uniques", cls=SectionedCommand)
@click.argument("file")
@click.option(
    "--max-size", type=WHOLE, default=3, show_default=True, metavar="L", help="Largest set of columns to search."
)
@click.option(
    "-k",
    type=WHOLE,
    default=2,
    show_default=True,
    help="A set identifies a record if fewer than K records have its values.",
)
@reading_options
@click.option(
    "--csv", "per_record", type=TARGET, metavar="FILE", help="Output file with one row per record. Keep it private."
)
@force_option
@json_option
def uniques(
    file: str, max_size: int, k: int, per_record: Path | None, force: bool, as_json: bool, **given: Any
) -> None:
    """Find the smallest sets of columns that identify records.

    FILE is a table. A set of columns is minimal for a record if it identifies the record and no part of the set does.

    \b
    Printed, three tables:
      smallest set                number of columns in the smallest set that identifies a record
      SUDA share                  part of all SUDA scores from minimal sets with this column: recode the highest first
                                  (special uniques detection algorithm)
      most frequent minimal sets  the sets that identify the most records

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
