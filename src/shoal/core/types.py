"""Types of the counting layer: readings of a known relation, and patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reading = Literal["neighbors", "exact-neighbors", "relations", "located-relations"]
"""What a known relation is: a neighbor; a neighbor with its multiplicity; any entry of the row (Definition I); any
entry of the row at a vertex that is located and so no candidate (Definition I, located)."""

EXACT, AT_LEAST, EVERY = 0, 1, 2
"""What the size of an exposing set means: it is exact; no smaller set exposes; no set ever does."""


@dataclass(frozen=True)
class Pattern:
    """A small connected subgraph as it was explored: vertex 0 is the target."""

    edges: tuple[tuple[int, int], ...]
    """Pairs of positions, smaller first, ascending."""
    exhausted: tuple[bool, ...]
    """For each position, whether all edges at it are among `edges`."""
