"""The target of hiding: how many candidates l known entries of a row must leave, and in which reading."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.graph import Graph

READINGS = ("neighbors", "relations", "located-relations")
MOST = 50_000
"""Vertices up to which the walk is tried: it takes n * n / 4 bytes."""
DEEPEST = 3
"""Known entries up to which the walk is tried: a step looks at all sets of one less."""


@dataclass(frozen=True)
class Aim:
    """How many candidates at most l known entries must leave, and whether links may go."""

    k: int
    l: int
    reading: str
    add_only: bool
    who: str
    """The method, for what it says."""

    @property
    def size(self) -> int:
        """How large a class with equal rows must be: located vertices are no candidates, so l more."""
        return self.k + self.l if self.reading == "located-relations" else self.k

    @property
    def cliques(self) -> bool:
        """Whether k + l vertices that see each other, and the same others, are enough."""
        return self.reading != "relations"

    def can_walk(self, graph: Graph) -> bool:
        """Tell whether the walk is tried."""
        return graph.n <= MOST and self.l <= DEEPEST

    def limit_degree(self, graph: Graph) -> int:
        """Return how many links nobody may come to have more of: as many as somebody has, unless links only come.

        Otherwise k vertices that are linked to everybody would be the cheapest way, and whoever leaves them out again
        would find the others as they were.
        """
        return graph.n if self.add_only else max(int(graph.degree.max(initial=0)), self.k)

    def holds_by_degrees(self, graph: Graph) -> bool:
        """Tell whether one known entry leaves k candidates: that many have the link, and that many lack it, or none."""
        there, missing = graph.degree, graph.n - graph.degree - (self.reading == "located-relations")
        lack = (missing >= self.k) | (missing == 0) | (self.reading == "neighbors")
        return bool((((there >= self.k) | (there == 0)) & lack).all())
