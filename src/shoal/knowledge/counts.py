"""Knowledge of the numbers of vertices and edges in the ball around a vertex (de Jong, van der Loo & Takes 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.core.balls import count_ball, group_balls
from shoal.knowledge.base import BallKnowledge
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Counts(BallKnowledge):
    """Knows the numbers of vertices and of edges in the ball; a multiple edge counts as often as it is there.

    Parameters
    ----------
    radius
        How far the ball reaches.

    Examples
    --------
    A triangle with a tail: its two plain corners look the same.

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
    notion: ClassVar[str] = "vertices and edges in the ball (de Jong et al.)"

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal counts."""

        def tell(v: int) -> tuple[Fact, ...]:
            vertices, edges = count_ball(view.known_graph, v, self.radius)
            return (Fact("counts", {"radius": self.radius, "vertices": vertices, "edges": edges}),)

        return view.group_alike(group_balls(view.together, self.radius, "counts"), tell)
