"""Knowledge of the subgraph around a vertex: isomorphic neighborhoods (Zhou & Pei 2008; de Jong et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from shoal.core.balls import count_ball, group_balls
from shoal.data.table import Table
from shoal.errors import must
from shoal.knowledge.base import BallKnowledge, check_word_count, escape, parse_number, split_words, unescape
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Neighborhood(BallKnowledge):
    """Knows the ball up to isomorphism, with the center marked.

    u is a candidate of v if and only if an isomorphism of their balls maps v to u and preserves multiplicities, and the
    labels where columns are named. For radius 1 the center adds nothing to the induced subgraph of the neighbors, so
    this is Zhou & Pei's 1-neighborhood.

    Parameters
    ----------
    radius
        How far the ball reaches.
    labels
        Columns of the vertices' attributes that are known for everybody in the ball.

    Examples
    --------
    Two triangles that share a corner: the corner stands alone.

    >>> import networkx as nx, shoal
    >>> bow_tie = shoal.as_graph(nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]))
    >>> shoal.assess(bow_tie, Neighborhood()).sizes.tolist()
    [4, 4, 1, 4, 4]

    References
    ----------
    B. Zhou, J. Pei: Preserving privacy in social networks against neighborhood attacks. ICDE 2008.
    """

    labels: tuple[str, ...] = ()

    shell: ClassVar[str] = "neighborhood"
    form: ClassVar[str] = "neighborhood:RADIUS[:COLUMN,COLUMN]"
    notion: ClassVar[str] = "isomorphic neighborhoods (Zhou & Pei; d-k-anonymity)"

    def __post_init__(self) -> None:
        super().__post_init__()
        must(
            not isinstance(self.labels, str),
            "Neighborhood",
            "labels",
            "a tuple of column names",
            self.labels,
        )
        object.__setattr__(self, "labels", tuple(self.labels))

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns that label the vertices, each once."""
        return tuple(dict.fromkeys(self.labels))

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of isomorphic balls."""
        codes = view.number_values(self.labels) if self.labels else None

        def tell(v: int) -> tuple[Fact, ...]:
            vertices, edges = count_ball(view.known_graph, v, self.radius)
            seen = {"radius": self.radius, "vertices": vertices, "edges": edges, "labels": list(self.labels)}
            return (Fact("neighborhood", seen),)

        return view.group_alike(group_balls(view.together, self.radius, "shape", codes), tell)

    def words(self) -> Sequence[str]:
        """Return the radius, and the columns where there are any."""
        return [str(self.radius), *([",".join(map(escape, self.labels))] if self.labels else [])]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read radius and columns."""
        check_word_count(words, 2, cls.form)
        radius = parse_number(words[0], cls.form) if words else 1
        return cls(radius, tuple(unescape(name) for name in split_words(words[1], ",")) if len(words) > 1 else ())
