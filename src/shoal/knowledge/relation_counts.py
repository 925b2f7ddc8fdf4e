"""Numbers of links of each relation, as facts and in words: 3 outgoing links and 1 incoming link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shoal.data.graph import Graph
from shoal.data.intervals import order_kind
from shoal.data.ties import Relation
from shoal.errors import format_count, join_names

FEW = 4
"""If there are so many relations, those without links are counted, too."""
WAYS = {"out": "outgoing", "in": "incoming", "both": ""}


def list_counts(counts: Iterable[tuple[int, int]], relations: Sequence[Relation], among: Sequence[int]) -> list[Any]:
    """Return numbers of links with their relations, as plain data.

    Parameters
    ----------
    counts
        Positions of relations, and the number of links of each; relations without links may be left out.
    relations
        All relations.
    among
        The positions of the relations that are known about.

    Examples
    --------
    >>> list_counts([(0, 3)], (Relation(None, "out"), Relation(None, "in")), (0, 1))
    [[3, {'kind': None, 'direction': 'out'}], [0, {'kind': None, 'direction': 'in'}]]
    """
    found = dict(counts)
    shown = among if len(among) <= FEW else [r for r in among if found.get(r)]
    return [[found.get(r, 0), relations[r]._asdict()] for r in shown]


def spell_degree(graph: Graph, v: int, among: Sequence[int] | None = None) -> Any:
    """Return the number of links of v; a list, where links have a direction or a kind.

    `among` holds the positions of the relations that are known about (default: all).

    >>> spell_degree(Graph.from_pairs("abc", [0, 1], [1, 2]), 1)
    2
    """
    if graph.ties is None:
        return int(graph.degree[v])
    indptr, relation, times = graph.degree_vectors
    row = slice(indptr[v], indptr[v + 1])
    counts = zip(relation[row].tolist(), times[row].tolist(), strict=True)
    return list_counts(counts, graph.ties.relations, range(len(graph.ties.relations)) if among is None else among)


def spell_tie(graph: Graph, e: int) -> Any:
    """Return by how many links entry e of the rows is joined; a list, where links have a direction or a kind."""
    if graph.ties is None:
        return 1 if graph.multiplicity is None else int(graph.multiplicity[e])
    bundle = graph.ties.bundles[graph.ties.codes[e]]
    return list_counts(bundle, graph.ties.relations, [r for r, _ in bundle])


def describe_counts(links: int | Sequence[Sequence[Any]]) -> str:
    """Return numbers of links in words.

    >>> out, kin = {"kind": None, "direction": "out"}, {"kind": "kin", "direction": "both"}
    >>> describe_counts([[3, out], [0, kin]]), describe_counts([]), describe_counts(1)
    ('3 outgoing links and no kin links', 'no links', '1 link')

    Kinds that are intervals are sorted by their bounds:

    >>> describe_counts([[many, {"kind": kind, "direction": "in"}] for many, kind in ((1, "[10, 20)"), (2, "[5, 10)"))])
    '2 incoming [5, 10) links and 1 incoming [10, 20) link'
    """
    if isinstance(links, int):
        return format_count(links, "link")
    by_kind = sorted(links, key=lambda one: order_kind(one[1]["kind"] or ""))
    told = [format_count(many, *_name_link(**relation)) for many, relation in by_kind]
    return join_names(told, most=40) if told else "no links"


def _name_link(kind: str | None, direction: str) -> tuple[str, str]:
    """Return the noun for one link of a relation, and for several."""
    label = "(missing kind)" if kind == "" else kind
    head = " ".join(word for word in (WAYS[direction], label) if word)
    tail = " both ways" if not head else ""
    return f"{head} link{tail}".strip(), f"{head} links{tail}".strip()
