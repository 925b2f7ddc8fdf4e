"""Knowledge of the degree of a vertex: k-degree anonymity (Liu & Terzi 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.core.grouping import group_columns
from shoal.errors import format_count
from shoal.knowledge.base import StructuralKnowledge
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Degree(StructuralKnowledge):
    """Knows the degree: candidates are the vertices with the same number of links.

    In a multigraph every edge counts. This is H_1 of :class:`Refinement`.

    Examples
    --------
    In a star the center is unique:

    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.star_graph(4)), Degree()).sizes.tolist()
    [1, 4, 4, 4, 4]

    References
    ----------
    K. Liu, E. Terzi: Towards identity anonymization on graphs. SIGMOD 2008.
    """

    shell: ClassVar[str] = "degree"
    form: ClassVar[str] = "degree"
    description: ClassVar[str] = "The number of links of a vertex."
    notion: ClassVar[str] = "k-degree anonymity (Liu & Terzi)"
    stays_true: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """The number of links."""
        return "number of links"

    @property
    def phrase(self) -> str:
        """The number of links of a person."""
        return "the number of links of a person"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the number of links."""
        return f"has {format_count(fact.value, 'link')}"

    def incremental(self) -> Incremental | None:
        """Return the degree."""
        return Incremental(frozenset({"degree"})) if self == Degree() else None

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal degree."""
        degree = view.known_graph.degree

        def tell(v: int) -> tuple[Fact, ...]:
            return (Fact("degree", int(degree[v])),)

        return view.group_alike(group_columns([view.together.degree]), tell)
