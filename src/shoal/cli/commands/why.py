"""shoal why: state the facts that expose a vertex, and the candidates they leave."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import (
    WHOLE,
    attacker_options,
    find_vertex,
    json_option,
    knows_option,
    list_known_columns,
    load_attacked,
    reading_options,
)
from shoal.cli.output import SectionedCommand, print_json, print_text, record_data
from shoal.core.exposing_sets import AT_LEAST, EXACT, find_exposing_set
from shoal.core.incidence import Reading
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, check_k, list_names, tame
from shoal.knowledge import Adversary
from shoal.knowledge.known_entries import KnownEntries
from shoal.report.text.levels import describe_assumption, name_relation
from shoal.report.text.phrases import describe_witness as sentence
from shoal.report.text.phrases import shorten_spec
from shoal.risk.assess import Risk, assess
from shoal.risk.levels import find_exposing_witness, levels
from shoal.risk.panel import build_graph_panel, build_table_panel

SCHEMA = 1


@click.command(cls=SectionedCommand)
@click.argument("file")
@click.argument("name")
@knows_option("Known facts, e.g. degree. Repeatable (default: the usual panel).")
@click.option(
    "-k", type=WHOLE, help="Find the fewest neighbors, relations or columns that leave fewer than K candidates."
)
@attacker_options
@reading_options
@json_option
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
    """Explain which facts identify a vertex or a record.

    Each sentence can be checked in the data. It states the known facts and the candidates that fit them.

    \b
    Examples:
      shoal why example:florentine Medici --knows degree
      shoal why example:florentine Ridolfi -k 2
      shoal why people.csv 17 --columns age,sex,zip -k 2
    """
    published, source = load_attacked(file, original, mapping, given)
    known = published if source["original"] is None else source["original"]
    who = find_vertex(known, name)
    if k is not None:
        if knows or original:
            raise BadParameter(
                "'-k' must come without '--knows' and '--original': it searches for the fewest neighbors itself."
            )
        least = check_k("shoal why", k, published)
        columns = list_known_columns(published, given) if not published.has_links else None
        text = (
            describe_smallest_set(as_graph(published), who, least)
            if columns is None
            else describe_fewest_columns(published, who, least, columns)
        )
        if as_json:
            print_json(
                {"schema": SCHEMA, "graph": record_data(published), "name": name, "k": k, "sentence": text}, indent=None
            )
        else:
            print_text(text)
        return
    risks = [assess(published, adversary, **source) for adversary in knows or choose_panel(published, given)]
    if as_json:
        told = [build_data(found, who) for found in risks]
        print_json({"schema": SCHEMA, "graph": record_data(published), "name": name, "why": told})
        return
    for found in risks:
        label = "" if len(risks) == 1 else f"{tame(shorten_spec(found.adversary.spec))}: "
        print_text(label + describe_vertex(found, who))


def describe_smallest_set(graph: Graph, name: Hashable, k: int) -> str:
    """Return a sentence about the fewest neighbors, or else relations, that leave fewer than k candidates."""
    v = graph.names.id(name)
    readings: tuple[Reading, ...] = ("neighbors", "relations")
    for kind in readings:
        entries = KnownEntries.of(graph, kind)
        size, meaning, known = find_exposing_set(entries.published, v, k, entries.published.items)
        if meaning == EXACT:
            told = sentence(name, find_exposing_witness(entries, v, known))
            smaller = f"No smaller set of known {name_relation(kind, graph)}s leaves fewer than {k} candidates."
            return f"{told} {smaller} {describe_assumption(kind, graph)}"
        if meaning == AT_LEAST:
            what = name_relation(kind, graph)
            few = f"leave fewer than {k} candidates for {tame(name)}"
            return f"At least {size} known {what}s are needed to {few}. The search was cut short."
    return f"Any knowledge of the links of {tame(name)} leaves at least {k} candidates: they have the same neighbors."


def describe_fewest_columns(data: Dataset, name: Hashable, k: int, columns: tuple[str, ...]) -> str:
    """Return a sentence about the fewest columns that leave fewer than k candidates for a record."""
    found, v = levels(data, "columns", k=k, columns=columns), data.names.id(name)
    witness, known = found.witness(name), list_names(columns, spell=str)
    if not found.exact[v]:
        few = f"to leave fewer than {k} candidates for {name}"
        return tame(f"At least {found.sizes[v]} of {known} must be known {few}. The search was cut short.")
    if witness is None:
        return tame(f"Any knowledge of {known} leaves at least {k} candidates for {name}.")
    return f"{sentence(name, witness, noun=data.noun[0])} No smaller set of columns leaves fewer than {k} candidates."


def choose_panel(data: Dataset, given: dict[str, Any]) -> list[Adversary]:
    """Return the default attacker models for a network, or for a table."""
    if not data.has_links:
        return build_table_panel(data, list_known_columns(data, given))
    return build_graph_panel(data, given["columns"])


def describe_vertex(found: Risk, name: Hashable) -> str:
    """Return the sentence about a vertex."""
    witness, noun = found.witness(name), found.graph.noun[0]
    told = sentence(name, witness, misled=not found.holds(name), original=found.view.original is not None, noun=noun)
    return f"{told} {found.adversary.assumes}".rstrip()


def build_data(found: Risk, name: Hashable) -> dict[str, Any]:
    """Return the facts about a vertex and its candidates as plain data."""
    witness = found.witness(name)
    return {
        "knows": found.adversary.spec,
        "facts": [{"kind": fact.kind, "value": fact.value} for fact in witness.knows],
        "candidates": list(witness.candidates),
        "exact": witness.exact,
        "sentence": describe_vertex(found, name),
    }
