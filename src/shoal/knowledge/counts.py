"""Knowledge of the numbers of vertices and edges in the ball around a vertex (de Jong, van der Loo & Takes 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.core.balls import count_ball, group_balls
from shoal.errors import format_count
from shoal.knowledge.base import COUNTED, Adversary, BallKnowledge
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.degree import Degree
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Counts(BallKnowledge):
    """Knows the numbers of vertices and of edges in the ball. Every parallel edge counts.

    Parameters
    ----------
    radius
        The radius of the ball.

    Examples
    --------
    A triangle with a tail: two of its corners have the same counts.

    >>> import networkx as nx, shoal
    >>> paw = shoal.as_graph(nx.Graph([("a", "b"), ("b", "c"), ("a", "c"), ("c", "tail")]))
    >>> shoal.assess(paw, Counts()).sizes.tolist()
    [2, 2, 1, 1]

    References
    ----------
    R. G. de Jong, M. P. J. van der Loo, F. W. Takes: Algorithms for efficiently computing structural anonymity in
    complex networks. ACM JEA 2023.
    """

    shell: ClassVar[str] = "counts"
    form: ClassVar[str] = "counts:RADIUS"
    description: ClassVar[str] = "The numbers of vertices and links within RADIUS steps of a vertex."
    notion: ClassVar[str] = "vertices and edges in the ball (de Jong et al.)"

    @property
    def title(self) -> str:
        """The size of the ball."""
        where = "of the neighborhood" if self.radius == 1 else f"within {format_count(self.radius, 'step')}"
        return f"size {where} in people and links"

    @property
    def phrase(self) -> str:
        """The counts around a person."""
        return f"the numbers of people and links {self.within}"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return both counts; the vertex itself is one of the vertices."""
        vertices, edges = format_count(fact.value["vertices"], "vertex", "vertices"), fact.value["edges"]
        radius = format_count(fact.value["radius"], "step")
        return f"has {vertices} (itself included) and {format_count(edges, 'link')} within {radius}"

    def explain_finer(self, other: Adversary) -> str | None:
        """Return why: the ball of radius 1 has as many vertices besides the center as the center has links."""
        return COUNTED if self.radius == 1 and isinstance(other, Degree) else None

    def incremental(self) -> Incremental | None:
        """Return the counts in the ball of radius 1."""
        return Incremental(frozenset({"counts"})) if self == Counts(1) else None

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal counts."""

        def tell(v: int) -> tuple[Fact, ...]:
            vertices, edges = count_ball(view.known_graph, v, self.radius)
            return (Fact("counts", {"radius": self.radius, "vertices": vertices, "edges": edges}),)

        return view.group_alike(group_balls(view.together, self.radius, "counts"), tell)
