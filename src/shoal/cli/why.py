"""shoal why: one sentence that says what gives a vertex away, and whom it leaves."""

from __future__ import annotations

import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import click

from shoal.adversaries import Adversary
from shoal.cli.options import KNOWS, attacking, reading, scene, vertex
from shoal.cli.risk import SCHEMA, default_panel
from shoal.report.sentences import why as sentence
from shoal.risk.assess import Risk, assess


@click.command()
@click.argument("file")
@click.argument("name")
@click.option(
    "--knows",
    multiple=True,
    type=KNOWS,
    help="What is known, e.g. degree. Repeat for more; default: the usual ones.",
)
@attacking
@reading
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def why(
    file: str,
    name: str,
    knows: tuple[Adversary, ...],
    knowing: str | None,
    mapping: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Say what gives the vertex NAME in FILE away: a sentence to check in the data, with the candidates.

    \b
    Example:
      shoal why example:florentine Medici --knows degree
    """
    published, original = scene(file, knowing, mapping, given)
    known = published if original["knowing"] is None else original["knowing"]
    who = vertex(known, name)
    risks = [assess(published, adversary, **original) for adversary in knows or default_panel(published)]
    if as_json:
        click.echo(
            json.dumps(
                {"schema": SCHEMA, "name": name, "why": [data(found, who) for found in risks]},
                indent=2,
                ensure_ascii=False,
            )
        )
        return
    for found in risks:
        label = "" if len(risks) == 1 else f"{found.adversary.spec}: "
        click.echo(label + told(found, who))


def told(found: Risk, name: Hashable) -> str:
    """Return the sentence about a vertex."""
    return sentence(name, found.witness(name), misled=not found.holds(name))


def data(found: Risk, name: Hashable) -> dict[str, Any]:
    """Return what is known about a vertex, and whom it leaves, as plain data."""
    witness = found.witness(name)
    return {
        "knows": found.adversary.spec,
        "facts": [{"kind": fact.kind, "value": fact.value} for fact in witness.knows],
        "candidates": list(witness.candidates),
        "proved": witness.proved,
        "sentence": told(found, name),
    }
