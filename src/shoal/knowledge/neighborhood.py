"""Knowledge of the subgraph around a vertex: isomorphic neighborhoods (Zhou & Pei 2008; de Jong et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shoal.core.balls import count_ball, group_balls
from shoal.errors import format_count, join_names, must
from shoal.knowledge.base import MANY_LINKS, Adversary, BallKnowledge
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.columns import NAMED, Columns
from shoal.knowledge.counts import Counts
from shoal.knowledge.degree import Degree
from shoal.knowledge.degrees import Degrees
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.refinement import Refinement
from shoal.knowledge.relation_counts import describe_counts, spell_degree
from shoal.knowledge.subgraph import Subgraph
from shoal.knowledge.view import View
from shoal.parts import check_word_count, escape, parse_number, split_words, unescape

INSIDE = "isomorphic balls have isomorphic smaller balls, with the same counts and degrees"


@dataclass(frozen=True)
class Neighborhood(BallKnowledge):
    """Knows the ball up to isomorphism, with the center marked.

    u is a candidate of v if and only if an isomorphism of their balls maps v to u and preserves direction, kind and
    multiplicity of links, and the labels where columns are named. Distances ignore directions and kinds. In a simple
    undirected graph, the center of a ball of radius 1 adds nothing to the induced subgraph of the neighbors, so this is
    Zhou & Pei's 1-neighborhood.

    Parameters
    ----------
    radius
        The radius of the ball.
    labels
        Attributes that are known for every vertex in the ball.

    Examples
    --------
    Two triangles that share a corner: the shared corner is unique.

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
    description: ClassVar[str] = "The pattern of links among the vertices within RADIUS steps, with these columns."
    notion: ClassVar[str] = "isomorphic neighborhoods (Zhou & Pei; d-k-anonymity)"
    stays_true: ClassVar[bool] = True
    most_links: ClassVar[int | None] = MANY_LINKS

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

    @property
    def title(self) -> str:
        """The pattern, and the columns."""
        reach = "in the neighborhood" if self.radius == 1 else f"within {format_count(self.radius, 'step')}"
        return f"pattern of all links {reach}{f' with {join_names(self.labels)}' if self.labels else ''}"

    @property
    def phrase(self) -> str:
        """The pattern around a person."""
        people = "a person and their neighbors" if self.radius == 1 else f"the people {self.within}"
        return f"the pattern of links among {people}{_describe_labels(self.labels)}"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the size of the pattern, which is known as a whole."""
        vertices, edges, radius = (fact.value[name] for name in ("vertices", "edges", "radius"))
        labels = _describe_labels(fact.value["labels"])
        own, near = fact.value.get("own"), format_count(vertices - 1, "neighbor")
        if radius == 1 and own is not None and vertices > 1:
            total = own if isinstance(own, int) else sum(many for many, _ in own)
            among = format_count(edges - total, "link")
            return f"has {describe_counts(own)} to {near} with {among} among them, in a known pattern{labels}"
        if radius == 1 and vertices <= 2:
            return f"has {near}{labels}"
        if radius == 1:
            among = format_count(edges - (vertices - 1), "link")
            return f"has {near} with {among} among them, in a known pattern{labels}"
        size = f"{format_count(vertices, 'vertex', 'vertices')} and {format_count(edges, 'link')}"
        return f"is the center of a known pattern of {size} within {format_count(radius, 'step')}{labels}"

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: a ball contains smaller balls, what can be counted there, and its labels."""
        if isinstance(other, Columns) and set(other.names) <= set(self.labels):
            return NAMED
        smaller = isinstance(other, BallKnowledge) and other.radius <= self.radius
        labels = set(other.labels) if isinstance(other, Neighborhood) else set()
        inside = (
            (smaller and isinstance(other, Neighborhood | Counts | Degrees) and labels <= set(self.labels))
            or (isinstance(other, Degree) and self.radius >= 1)
            or (isinstance(other, Refinement) and other.depth <= self.radius)
            or (isinstance(other, Subgraph) and other.edges < self.radius)
        )
        return INSIDE if inside else None

    def incremental(self) -> Incremental | None:
        """Return the ball of radius 1, without labels."""
        return Incremental(frozenset({"neighborhood"})) if self == Neighborhood(1) else None

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of isomorphic balls."""
        codes, known = view.number_values(self.labels) if self.labels else None, view.known_graph

        def tell(v: int) -> tuple[Fact, ...]:
            vertices, edges = count_ball(known, v, self.radius)
            seen: dict[str, Any] = {
                "radius": self.radius,
                "vertices": vertices,
                "edges": edges,
                "labels": list(self.labels),
            }
            if known.ties is not None or known.multiplicity is not None:
                seen["own"] = spell_degree(known, v)
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


def _describe_labels(labels: Sequence[str]) -> str:
    return f", with the {join_names(labels)} of each" if labels else ""
