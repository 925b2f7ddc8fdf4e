"""Knowledge of the degree of a vertex: k-degree anonymity (Liu & Terzi 2008)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from shoal.core.grouping import group_columns
from shoal.errors import format_count
from shoal.knowledge.approximate import ApproximateNumbers, fit_numbers, format_error
from shoal.knowledge.candidates import Candidates, Fact
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View


@dataclass(frozen=True, repr=False)
class Degree(ApproximateNumbers):
    """Knows the degree: candidates are the vertices with the same number of links.

    In a multigraph every edge counts. This is H_1 of :class:`Refinement`. With an error e, u is a candidate of v if and
    only if |deg(v) - deg(u)| <= e deg(u).

    Parameters
    ----------
    error
        The share by which the known number may be wrong, as "5%" or 0.05.

    Examples
    --------
    In a star the center is unique:

    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.star_graph(4)), Degree()).sizes.tolist()
    [1, 4, 4, 4, 4]

    A person with 5 links may be counted as 4, with an error of 20 %. A person with 4 links is not counted as 5: that is
    an error of 25 %.

    >>> shoal.assess(shoal.as_graph(nx.complete_bipartite_graph(4, 5)), Degree(error="20%")).sizes.tolist()
    [4, 4, 4, 4, 9, 9, 9, 9, 9]

    References
    ----------
    K. Liu, E. Terzi: Towards identity anonymization on graphs. SIGMOD 2008.
    """

    error: Fraction | float | str = field(default=0, repr=False)

    shell: ClassVar[str] = "degree"
    form: ClassVar[str] = "degree[~ERROR%]"
    description: ClassVar[str] = "The number of links of a vertex; with ~ERROR%, it may be wrong by so much."
    notion: ClassVar[str] = "k-degree anonymity (Liu & Terzi)"

    @property
    def title(self) -> str:
        """The number of links."""
        return f"number of links{self.within_error}"

    @property
    def phrase(self) -> str:
        """The number of links of a person."""
        return f"the number of links{self.within_error} of a person"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the number of links."""
        if isinstance(fact.value, dict):
            return f"has about {format_count(fact.value['links'], 'link')}{format_error(fact.value['error'])}"
        return f"has {format_count(fact.value, 'link')}"

    def incremental(self) -> Incremental | None:
        """Return the degree."""
        return Incremental(frozenset({"degree"})) if self == Degree() else None

    def see(self, view: View) -> Candidates:
        """Return classes of equal degree, or the vertices within the error."""
        degree = view.known_graph.degree

        def tell(v: int) -> tuple[Fact, ...]:
            links = int(degree[v])
            return (Fact("degree", {"links": links, **self.as_fact} if self.tolerance else links),)

        if self.tolerance:
            return fit_numbers(view, [view.together.degree], self.tolerance, tell)
        return view.group_alike(group_columns([view.together.degree]), tell)
