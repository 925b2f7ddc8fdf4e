"""Types of the counting layer: readings of a known relation, and patterns of edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reading = Literal["neighbors", "exact-neighbors", "relations", "located-relations"]
"""The meaning of a known relation: a neighbor; a neighbor with its multiplicity; any entry of the row (Definition I);
any entry of the row at a located vertex, which is not a candidate (Definition I, located)."""

EXACT, AT_LEAST, EVERY = 0, 1, 2
"""The meaning of the size of an exposing set: it is exact; no smaller set exposes; no set exposes."""


@dataclass(frozen=True)
class Pattern:
    """A small connected subgraph explored from its target, vertex 0."""

    edges: tuple[tuple[int, int], ...]
    """Pairs of positions, smaller first, ascending."""
    exhausted: tuple[bool, ...]
    """For each position, whether `edges` holds all its edges."""
