"""The adversaries' room: what the attacker sees. One file per kind of knowledge; this page is the registry.

>>> parse("degree+columns:age")
KnowsDegree() & KnowsColumns('age')
"""

from __future__ import annotations

from shoal.errors import BadParameter, did_you_mean, show_value
from shoal.knowledge.adjacency import KnowsAdjacency
from shoal.knowledge.base import Adversary, KnowsBoth, split
from shoal.knowledge.columns import KnowsColumns
from shoal.knowledge.counts import KnowsCounts
from shoal.knowledge.degree import KnowsDegree
from shoal.knowledge.degrees import KnowsDegrees
from shoal.knowledge.hubs import KnowsHubs
from shoal.knowledge.neighborhood import KnowsNeighborhood
from shoal.knowledge.neighbors import KnowsSomeNeighbors
from shoal.knowledge.orbit import KnowsOrbit
from shoal.knowledge.refinement import KnowsRefinement
from shoal.knowledge.relations import KnowsSomeRelations
from shoal.knowledge.shared_neighbors import KnowsSharedNeighbors
from shoal.knowledge.some_columns import KnowsSomeColumns
from shoal.knowledge.subgraph import KnowsSubgraph

REGISTRY: dict[str, type[Adversary]] = {
    kind.shell: kind
    for kind in (
        KnowsDegree,
        KnowsRefinement,
        KnowsHubs,
        KnowsSubgraph,
        KnowsNeighborhood,
        KnowsCounts,
        KnowsDegrees,
        KnowsSharedNeighbors,
        KnowsSomeNeighbors,
        KnowsSomeRelations,
        KnowsAdjacency,
        KnowsOrbit,
        KnowsColumns,
        KnowsSomeColumns,
    )
}
"""Every kind of knowledge by the first word of its shell name; the command line, the docs and the laws read it."""

SPELLINGS = {name: read for kind in REGISTRY.values() for name, read in kind.spellings().items()}
"""Every first word of a shell name, with how to read what follows."""

PANEL = (
    "degree",
    "refinement:2",
    "counts:1",
    "degrees:1",
    "neighborhood:1",
    "hubs:5",
    "subgraph:3",
    "neighbors:2",
    "adjacency",
    "orbit",
)
"""The knowledge that `shoal risk` looks at if none is named, from the least to the most."""


def parse(spec: str | Adversary) -> Adversary:
    """Return the knowledge that a shell name stands for.

    >>> parse("hubs:5:2:open")
    KnowsHubs(hubs=5, reach=2, world='open')
    """
    if isinstance(spec, Adversary):
        return spec
    if not isinstance(spec, str):
        raise BadParameter(f"Knowledge must be an adversary or its shell name. Got {show_value(spec)}.")
    parts = [_parse_one(part.strip()) for part in split(spec, "+")]
    return parts[0] if len(parts) == 1 else KnowsBoth.of(*parts)


def _parse_one(text: str) -> Adversary:
    name, *words = split(text, ":")
    if name not in SPELLINGS:
        known, hint = ", ".join(SPELLINGS), did_you_mean(name, SPELLINGS)
        raise BadParameter(f"There is no knowledge called {name!r:.60}. There are: {known}.{hint}")
    return SPELLINGS[name](words)


__all__ = [
    "PANEL",
    "REGISTRY",
    "Adversary",
    "KnowsAdjacency",
    "KnowsBoth",
    "KnowsColumns",
    "KnowsCounts",
    "KnowsDegree",
    "KnowsDegrees",
    "KnowsHubs",
    "KnowsNeighborhood",
    "KnowsOrbit",
    "KnowsRefinement",
    "KnowsSharedNeighbors",
    "KnowsSomeColumns",
    "KnowsSomeNeighbors",
    "KnowsSomeRelations",
    "KnowsSubgraph",
    "parse",
]
