"""The target of hiding: l known entries of a row must leave k candidates, in one of three readings."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.graph import Graph

READINGS = ("neighbors", "relations", "located-relations")
MOST = 50_000
"""The largest number of vertices for the walk, which takes n * n / 4 bytes."""
DEEPEST = 3
"""The largest l for the walk: a step checks all sets of l - 1 entries."""


@dataclass(frozen=True)
class Aim:
    """The number of candidates that up to l known entries must leave, and whether links may be removed."""

    k: int
    l: int
    reading: str
    add_only: bool
    who: str
    """The name of the method, for messages."""

    @property
    def size(self) -> int:
        """The smallest size of a class with equal rows: l larger if located vertices are no candidates."""
        return self.k + self.l if self.reading == "located-relations" else self.k

    @property
    def cliques(self) -> bool:
        """Whether k + l vertices that are linked to each other, and to the same other vertices, are enough."""
        return self.reading != "relations"

    def can_walk(self, graph: Graph) -> bool:
        """Return whether the graph is small enough for the walk."""
        return graph.n <= MOST and self.l <= DEEPEST

    def limit_degree(self, graph: Graph) -> int:
        """Return the largest degree that an edit may create: the largest original degree, unless links are only added.

        Without this limit the cheapest way would be k vertices that are linked to all others. An attacker who removes
        them would see the original links of the rest.
        """
        return graph.n if self.add_only else max(int(graph.degree.max(initial=0)), self.k)

    def holds_by_degrees(self, graph: Graph) -> bool:
        """Return whether one known entry leaves k candidates: at least k vertices (or none) have and lack each link."""
        there, missing = graph.degree, graph.n - graph.degree - (self.reading == "located-relations")
        lack = (missing >= self.k) | (missing == 0) | (self.reading == "neighbors")
        return bool((((there >= self.k) | (there == 0)) & lack).all())
