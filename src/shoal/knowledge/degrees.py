"""Knowledge of the degrees inside the ball around a vertex (de Jong, van der Loo & Takes 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.core.balls import group_balls, list_ball_degrees, list_ball_vectors
from shoal.data.graph import Graph
from shoal.errors import format_count, join_names
from shoal.knowledge.approximate import ApproximateBall, fit_ball_degrees, format_error
from shoal.knowledge.base import COUNTED, Adversary
from shoal.knowledge.candidates import Candidates, Fact
from shoal.knowledge.counts import Counts
from shoal.knowledge.degree import Degree
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.relation_counts import describe_counts, list_counts
from shoal.knowledge.view import View

MOST = 40
"""The most degrees that a sentence lists."""


@dataclass(frozen=True, repr=False)
class Degrees(ApproximateBall):
    """Knows the multiset of degrees inside the ball, but not which of them is the center's.

    Where links have a direction or a kind, a degree is the number of links of each kind and direction. With an error e,
    the ascending lists of degrees must have the same length, and |x(v) - x(u)| <= e x(u) must hold at every position.
    With directions or kinds, u is a candidate if the members of both balls can be paired one to one so that this holds
    for every number of every pair; for single numbers, this is the same.

    Parameters
    ----------
    radius
        The radius of the ball.
    error
        The share by which each known degree may be wrong, as "5%" or 0.05.

    Examples
    --------
    The ends of a path see (1, 1), the other vertices (1, 1, 2):

    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.path_graph(5)), Degrees()).sizes.tolist()
    [2, 3, 3, 3, 2]

    References
    ----------
    R. G. de Jong, M. P. J. van der Loo, F. W. Takes: Algorithms for efficiently computing structural anonymity in
    complex networks. ACM JEA 2023.
    """

    shell: ClassVar[str] = "degrees"
    form: ClassVar[str] = "degrees:RADIUS[~ERROR%]"
    description: ClassVar[str] = "The degrees among all vertices within RADIUS steps; with ~ERROR%, each may be wrong."
    notion: ClassVar[str] = "degrees inside the ball (de Jong et al.)"

    @property
    def title(self) -> str:
        """The degrees in the ball."""
        where = "the neighborhood" if self.radius == 1 else f"{format_count(self.radius, 'step')}"
        return f"links of each member inside {where}{self.within_error}"

    @property
    def phrase(self) -> str:
        """The degrees around a person."""
        return f"how many links{self.within_error} each person {self.within} has to the others there"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the degrees inside the ball."""
        within, degrees = format_count(fact.value["radius"], "step"), fact.value["degrees"]
        many = format_count(len(degrees), "vertex", "vertices")
        about, error = ("about ", fact.value["error"]) if "error" in fact.value else ("", None)
        if isinstance(degrees[0], list):
            links = f"{'; '.join(map(describe_counts, degrees[:MOST]))}{'; ...' if len(degrees) > MOST else ''},"
        else:
            links = f"{join_names(degrees, most=MOST)} links"
        told = f"which have {about}{links} to each other{format_error(error)}"
        return f"has {many} within {within} (itself included), {told}"

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: the number of degrees is the number of vertices, half their sum that of the edges.

        In a simple graph the number of vertices of a ball of radius 1 is that of links of its center, and the center.

        With an error the number of degrees is still exact, and the sum is within the error.
        """
        around = simple and isinstance(other, Degree) and self.radius == 1
        counts = isinstance(other, Counts) and other.radius == self.radius and other.tolerance >= self.tolerance
        return COUNTED if around or counts else None

    def incremental(self) -> Incremental | None:
        """Return the degrees in the ball of radius 1."""
        return Incremental(frozenset({"degrees"})) if self == Degrees(1) else None

    def see(self, view: View) -> Candidates:
        """Return classes of equal multisets, or the vertices within the error."""

        def tell(v: int) -> tuple[Fact, ...]:
            degrees = _spell_degrees(view.known_graph, v, self.radius)
            return (Fact("degrees", {"radius": self.radius, "degrees": degrees, **self.as_fact}),)

        if self.tolerance:
            return fit_ball_degrees(view, self.radius, self.tolerance, tell)
        return view.group_alike(group_balls(view.together, self.radius, "degrees"), tell)


def _spell_degrees(graph: Graph, v: int, radius: int) -> list[Any]:
    """Return the degrees inside the ball around v; lists, where links have a direction or a kind."""
    if graph.ties is None:
        return [int(degree) for degree in list_ball_degrees(graph, v, radius)]
    relations = graph.ties.relations
    return [list_counts(one, relations, range(len(relations))) for one in list_ball_vectors(graph, v, radius)]
