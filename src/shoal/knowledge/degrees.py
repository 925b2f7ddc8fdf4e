"""Knowledge of the degrees inside the ball around a vertex (de Jong, van der Loo & Takes 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.core.balls import group_balls, list_ball_degrees
from shoal.knowledge.base import BallKnowledge
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Degrees(BallKnowledge):
    """Knows the multiset of degrees inside the ball, but not which of them is the center's.

    Parameters
    ----------
    radius
        How far the ball reaches.

    Examples
    --------
    The end of a path sees (1, 1), everybody else (1, 1, 2):

    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.path_graph(5)), Degrees()).sizes.tolist()
    [2, 3, 3, 3, 2]

    References
    ----------
    R. G. de Jong, M. P. J. van der Loo, F. W. Takes: Algorithms for efficiently computing structural anonymity in
    complex networks. ACM JEA 2023.
    """

    shell: ClassVar[str] = "degrees"
    form: ClassVar[str] = "degrees:RADIUS"
    notion: ClassVar[str] = "degrees inside the ball (de Jong et al.)"

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal multisets."""

        def tell(v: int) -> tuple[Fact, ...]:
            degrees = list_ball_degrees(view.known_graph, v, self.radius).tolist()
            return (Fact("degrees", {"radius": self.radius, "degrees": degrees}),)

        return view.group_alike(group_balls(view.together, self.radius, "degrees"), tell)
