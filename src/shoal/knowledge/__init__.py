"""Knowledge: what an attacker knows about a vertex or a record. Each kind has a file; this is their registry.

>>> parse_knowledge("degree+columns:age")
Degree() & Columns('age')
"""

from __future__ import annotations

from collections.abc import Iterable

from shoal.errors import BadParameter, public, show_value
from shoal.knowledge.adjacency import Adjacency
from shoal.knowledge.approximate import Approximate
from shoal.knowledge.base import Adversary, Aliases, Both
from shoal.knowledge.candidates import Fact, Witness
from shoal.knowledge.columns import Columns
from shoal.knowledge.counts import Counts
from shoal.knowledge.degree import Degree
from shoal.knowledge.degrees import Degrees
from shoal.knowledge.hubs import Hubs
from shoal.knowledge.neighborhood import Neighborhood
from shoal.knowledge.neighbors import Neighbors
from shoal.knowledge.orbit import Orbit
from shoal.knowledge.refinement import Refinement
from shoal.knowledge.relations import Relations
from shoal.knowledge.shared_neighbors import SharedNeighbors
from shoal.knowledge.some_columns import SomeColumns
from shoal.knowledge.subgraph import Subgraph
from shoal.parts import Part, Registry, split_words

REGISTRY = Registry("kind of knowledge", Adversary, ("form", "description", "notion"))
"""Every kind of knowledge by its shell name. The command line, the docs and the tests of the laws read it."""


@public
def register(kind: Part) -> Part:
    """Add a kind of knowledge, in this process. Usable as a class decorator.

    The kind is then known by its shell name to every function, every command and every report.

    Parameters
    ----------
    kind
        A subclass of :class:`Adversary`. Its shell name must be new.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @register
    ... @dataclass(frozen=True)
    ... class LinkCount(Degree):
    ...     shell = form = "link-count"
    >>> parse_knowledge("link-count")
    LinkCount()
    >>> unregister(LinkCount)
    """
    return REGISTRY.register(kind)


@public
def unregister(kind: type[Adversary]) -> None:
    """Remove a kind of knowledge that was registered."""
    REGISTRY.unregister(kind)


for _kind in (
    Degree,
    Refinement,
    Hubs,
    Subgraph,
    Neighborhood,
    Counts,
    Degrees,
    SharedNeighbors,
    Neighbors,
    Relations,
    Adjacency,
    Orbit,
    Columns,
    SomeColumns,
):
    register(_kind)

DEFAULT_KNOWLEDGE: tuple[Adversary, ...] = (
    Degree(),
    Refinement(2),
    Counts(1),
    Degrees(1),
    Neighborhood(1),
    Hubs(5),
    Subgraph(3),
    Neighbors(2),
    Adjacency(),
    Orbit(),
)
"""The default panel of `shoal risk`, roughly from the least to the most knowledge."""


@public
def parse_knowledge(spec: str | Adversary) -> Adversary:
    """Return the knowledge that a shell name stands for.

    >>> parse_knowledge("hubs:5:2:open"), parse_knowledge("counts:1~5%")
    (Hubs(hubs=5, reach=2, world='open'), Counts(radius=1, error='5%'))
    """
    if isinstance(spec, Adversary):
        return spec
    if not isinstance(spec, str):
        raise BadParameter(f"Knowledge must be an adversary or its shell name. Got {show_value(spec)}.")
    parts = [_parse_one(part.strip()) for part in split_words(spec, "+")]
    return parts[0] if len(parts) == 1 else Both.of(*parts)


def _parse_one(text: str) -> Adversary:
    name, *words = split_words(text, ":")
    exact, tilde, error = text.partition("~")
    if tilde and _takes_error(name.partition("~")[0]):
        approximate: Adversary = _parse_one(exact).with_error(error)  # type: ignore[attr-defined]
        return approximate
    found: Adversary = REGISTRY.find(name).from_name(name, words)
    return found


def _takes_error(name: str) -> bool:
    """Return whether a tilde after this kind of knowledge starts an error; elsewhere it is part of a name."""
    return name in REGISTRY.words and issubclass(REGISTRY.words[name], Approximate)


def describe_facts(facts: Iterable[Fact]) -> str:
    """Return facts about one vertex as a verb phrase; empty where nothing is known.

    >>> describe_facts([Fact("degree", 6), Fact("columns", [("age", 30), ("sex", None)])])
    'has 6 links, age 30 and no sex'
    """
    told = ""
    for phrase in (REGISTRY.find(fact.kind).describe_fact(fact) for fact in facts):
        told = _join_phrases(told, phrase) if told and phrase else told or phrase
    return told


def _join_phrases(first: str, second: str) -> str:
    """Join two verb phrases; a second "has" is left out.

    >>> _join_phrases("has 6 links", "has age 30"), _join_phrases("is linked to a and b", "has age 30")
    ('has 6 links and age 30', 'is linked to a and b, and has age 30')
    """
    if first.startswith("has ") and second.startswith("has ") and ", " not in first:
        return f"{first}{',' if ' and ' in second else ' and'} {second.removeprefix('has ')}"
    return f"{first}, and {second}"


def redact_fact(fact: Fact, aliases: Aliases) -> Fact:
    """Return a fact with aliases in place of names, and without values of columns."""
    return Fact(fact.kind, REGISTRY.find(fact.kind).redact_fact(fact, aliases))


__all__ = [
    "DEFAULT_KNOWLEDGE",
    "REGISTRY",
    "Adjacency",
    "Adversary",
    "Both",
    "Columns",
    "Counts",
    "Degree",
    "Degrees",
    "Fact",
    "Hubs",
    "Neighborhood",
    "Neighbors",
    "Orbit",
    "Refinement",
    "Relations",
    "SharedNeighbors",
    "SomeColumns",
    "Subgraph",
    "Witness",
    "parse_knowledge",
    "register",
    "unregister",
]
