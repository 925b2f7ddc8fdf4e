"""Knowledge of the numbers of vertices and edges in the ball around a vertex (de Jong, van der Loo & Takes 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.core.balls import count_ball, count_balls, group_balls
from shoal.errors import format_count
from shoal.knowledge.approximate import ApproximateBall, fit_numbers, format_error
from shoal.knowledge.base import COUNTED, Adversary
from shoal.knowledge.candidates import Candidates, Fact
from shoal.knowledge.degree import Degree
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View


@dataclass(frozen=True, repr=False)
class Counts(ApproximateBall):
    """Knows the numbers of vertices and of edges in the ball. Every parallel edge counts, and every arc.

    With an error e, u is a candidate of v if and only if |x(v) - x(u)| <= e x(u) for both numbers x.

    Parameters
    ----------
    radius
        The radius of the ball.
    error
        The share by which each known number may be wrong, as "5%" or 0.05.

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
    form: ClassVar[str] = "counts:RADIUS[~ERROR%]"
    description: ClassVar[str] = (
        "The numbers of vertices and links within RADIUS steps; with ~ERROR%, each may be wrong."
    )
    notion: ClassVar[str] = "vertices and edges in the ball (de Jong et al.)"
    reads_kinds: ClassVar[bool] = False

    @property
    def title(self) -> str:
        """The size of the ball."""
        where = "in the neighborhood" if self.radius == 1 else f"within {format_count(self.radius, 'step')}"
        return f"numbers of people and links {where}{self.within_error}"

    @property
    def phrase(self) -> str:
        """The counts around a person."""
        return f"the numbers{self.within_error} of people and links {self.within}"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return both counts; the vertex itself is one of the vertices."""
        vertices, edges = format_count(fact.value["vertices"], "vertex", "vertices"), fact.value["edges"]
        radius = format_count(fact.value["radius"], "step")
        error = fact.value.get("error")
        told = f"{vertices} (itself included) and {format_count(edges, 'link')} within {radius}"
        return f"has {'about ' if error else ''}{told}{format_error(error)}"

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: in a simple graph, a ball of radius 1 has a vertex for each link of its center, and the center.

        With an error e: if d(v) and d(u) differ at all, by at most e (d(u) + 1), then d(u) + 1 >= 1 / e. So they differ
        by at most e / (1 - e) d(u).
        """
        if not simple or self.radius != 1 or not isinstance(other, Degree):
            return None
        return COUNTED if other.tolerance * (1 - self.tolerance) >= self.tolerance else None

    def incremental(self) -> Incremental | None:
        """Return the counts in the ball of radius 1."""
        return Incremental(frozenset({"counts"})) if self == Counts(1) else None

    def see(self, view: View) -> Candidates:
        """Return classes of equal counts, or the vertices within the error."""

        def tell(v: int) -> tuple[Fact, ...]:
            vertices, edges = count_ball(view.known_graph, v, self.radius)
            return (Fact("counts", {"radius": self.radius, "vertices": vertices, "edges": edges, **self.as_fact}),)

        if self.tolerance:
            return fit_numbers(view, [*count_balls(view.together, self.radius)], self.tolerance, tell)
        return view.group_alike(group_balls(view.together, self.radius, "counts"), tell)
