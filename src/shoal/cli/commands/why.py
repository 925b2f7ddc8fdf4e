"""shoal why: one sentence that says what gives a vertex away, and whom it leaves."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import click

from shoal.auditing.panel import default_panel, table_panel
from shoal.cli.commands.risk import SCHEMA
from shoal.cli.options import KNOWS, WHOLE, attacking, known_columns, load_attacked, reading, vertex
from shoal.cli.output import say, say_json
from shoal.core.known_sets import find_exposing_set
from shoal.core.types import AT_LEAST, EXACT, Reading
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset, check_k
from shoal.data.graph import Graph
from shoal.errors import BadParameter, list_names
from shoal.knowledge import Adversary
from shoal.report.phrases import why as sentence
from shoal.report.text.levels import ASSUMED, relation
from shoal.report.wording import short_spec
from shoal.risk.assess import Risk, assess
from shoal.risk.levels import find_exposing_witness, levels
from shoal.terminal import tame


@click.command()
@click.argument("file")
@click.argument("name")
@click.option(
    "--knows",
    multiple=True,
    type=KNOWS,
    help="What is known, e.g. degree. Repeat for more; default: the usual ones.",
)
@click.option("-k", type=WHOLE, help="Instead: the fewest neighbors (or relations) that leave fewer than K candidates.")
@attacking
@reading
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def why(
    file: str,
    name: str,
    knows: tuple[Adversary, ...],
    k: int | None,
    original: str | None,
    mapping: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Say what gives the vertex NAME in FILE away: a sentence to check in the data, with the candidates.

    \b
    Examples:
      shoal why example:florentine Medici --knows degree
      shoal why example:florentine Ridolfi -k 2
      shoal why people.csv 17 --columns age,sex,zip -k 2
    """
    published, source = load_attacked(file, original, mapping, given)
    known = published if source["original"] is None else source["original"]
    who = vertex(known, name)
    if k is not None:
        if knows or original:
            raise BadParameter(
                "'-k' must come without '--knows' and '--original': it looks for the fewest neighbors by itself."
            )
        least = check_k("shoal why", k, published)
        columns = known_columns(published, given) if not published.has_links else None
        text = (
            smallest(as_graph(published), who, least)
            if columns is None
            else fewest_columns(published, who, least, columns)
        )
        if as_json:
            say_json({"schema": SCHEMA, "name": name, "k": k, "sentence": text}, indent=None)
        else:
            say(text)
        return
    risks = [assess(published, adversary, **source) for adversary in knows or usual(published, given)]
    if as_json:
        say_json({"schema": SCHEMA, "name": name, "why": [data(found, who) for found in risks]})
        return
    for found in risks:
        label = "" if len(risks) == 1 else f"{tame(short_spec(found.adversary.spec))}: "
        say(label + told(found, who))


def smallest(graph: Graph, name: Hashable, k: int) -> str:
    """Return a sentence about the fewest known neighbors, or else relations, that leave fewer than k candidates."""
    v = graph.names.id(name)
    readings: tuple[Reading, ...] = ("neighbors", "relations")
    for kind in readings:
        size, meaning, known = find_exposing_set(graph, v, k, kind, graph.n)
        if meaning == EXACT:
            return f"{sentence(name, find_exposing_witness(graph, v, known, kind))} No fewer do. ({ASSUMED[kind]})"
        if meaning == AT_LEAST:
            what = relation(kind)
            few = f"leave fewer than {k} candidates for {tame(name)}"
            return f"At least {size} known {what}s are needed to {few}; the search was cut short."
    links = f"the links of {tame(name)}"
    return f"Whatever is known about {links}, at least {k} candidates are left: they have the same neighbors."


def fewest_columns(data: Dataset, name: Hashable, k: int, columns: tuple[str, ...]) -> str:
    """Return a sentence about the fewest known columns that leave fewer than k candidates of a record."""
    witness = levels(data, "columns", k=k, columns=columns).witness(name)
    if witness is None:
        known = list_names(columns, spell=str)
        return tame(f"Whatever is known of {known}, at least {k} candidates are left for {name}.")
    return f"{sentence(name, witness, noun=data.noun[0])} No fewer columns do."


def usual(data: Dataset, given: dict[str, Any]) -> list[Adversary]:
    """Return the usual kinds of knowledge about a vertex, or about a record."""
    if not data.has_links:
        return table_panel(data, known_columns(data, given))
    return default_panel(data, given["columns"])


def told(found: Risk, name: Hashable) -> str:
    """Return the sentence about a vertex."""
    told = sentence(name, found.witness(name), misled=not found.holds(name), noun=found.graph.noun[0])
    return f"{told} {found.adversary.assumes}".rstrip()


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
