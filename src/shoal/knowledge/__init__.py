"""Knowledge: what an attacker knows about a vertex or a record. This is the registry; each kind has a file.

>>> parse_knowledge("degree+columns:age")
Degree() & Columns('age')
"""

from __future__ import annotations

from shoal.errors import BadParameter, find_by_name, show_value
from shoal.knowledge.adjacency import Adjacency
from shoal.knowledge.base import Adversary, Both, split_words
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

REGISTRY: dict[str, type[Adversary]] = {
    kind.shell: kind
    for kind in (
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
    )
}
"""Every kind of knowledge by the first word of its shell name; the command line, the docs and the laws read it."""

SPELLINGS = {name: read for kind in REGISTRY.values() for name, read in kind.spellings().items()}
"""Every first word of a shell name, with how to read what follows."""

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
"""The knowledge that `shoal risk` looks at if none is named, from the least to the most."""


def parse_knowledge(spec: str | Adversary) -> Adversary:
    """Return the knowledge that a shell name stands for.

    >>> parse_knowledge("hubs:5:2:open")
    Hubs(hubs=5, reach=2, world='open')
    """
    if isinstance(spec, Adversary):
        return spec
    if not isinstance(spec, str):
        raise BadParameter(f"Knowledge must be an adversary or its shell name. Got {show_value(spec)}.")
    parts = [_parse_one(part.strip()) for part in split_words(spec, "+")]
    return parts[0] if len(parts) == 1 else Both.of(*parts)


def _parse_one(text: str) -> Adversary:
    name, *words = split_words(text, ":")
    return find_by_name("knowledge called", name, SPELLINGS)(words)


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
]
