"""Options of commands that put a release beside its original, and how both are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.options import laid_out_anew, load, stacked
from shoal.data.companions import find_attributes
from shoal.data.graph import Graph
from shoal.data.mapping import refuse_another
from shoal.data.records import Records
from shoal.errors import BadParameter

matching = stacked(
    click.option(
        "--mapping",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="csv 'original,published': who in FILE is who in RELEASED. `shoal anonymize --mapping` writes it.",
    ),
    click.option("--same-names", is_flag=True, help="Equal names mean the same person: nothing was renamed."),
    click.option(
        "--released-attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table about the vertices of RELEASED.  [default: the one that RELEASED.release.json names]",
    ),
)
"""Who is who. A release that was saved has fresh names, so that nobody is matched by name unless that is asked for."""


def refuse_both(mapping: Path | None, same_names: bool, released: str | None = None) -> None:
    """Refuse a mapping between names that are said to be the same, and one of another release."""
    refuse_another(mapping, released)
    if mapping is not None and same_names:
        raise BadParameter("'--mapping' and '--same-names' must not come together: either names were changed or not.")


def load_released(file: str, original: Graph, about: Path | None, given: dict[str, Any]) -> Graph:
    """Read what was released, by its own name and contents; it is a table where the original is one.

    The table about its vertices is read too where the manifest beside FILE names it.
    """
    if about is None and not isinstance(original, Records):
        about = find_attributes(file)
    keyless = {"keyless": True} if isinstance(original, Records) else {}
    return load(file, given | laid_out_anew(original, about) | keyless)
