"""Knowledge of the degree of a vertex: k-degree anonymity (Liu & Terzi 2008)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from shoal.core.grouping import group_columns
from shoal.core.refinement import count_links, group_degrees
from shoal.data.arrays import Bools
from shoal.data.graph import Graph
from shoal.errors import BadParameter, format_count, must, show_value
from shoal.knowledge.approximate import ApproximateNumbers, fit_degree_vectors, fit_numbers, format_error
from shoal.knowledge.base import COUNTED, Adversary
from shoal.knowledge.candidates import Candidates, Fact
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.relation_counts import describe_counts, spell_degree
from shoal.knowledge.view import View
from shoal.parts import check_word_count

PARTS = ("out", "in", "total")
LINKS = {None: "links", "out": "outgoing links", "in": "incoming links", "total": "links of any kind and direction"}
"""What a part counts, in words."""


@dataclass(frozen=True, repr=False)
class Degree(ApproximateNumbers):
    """Knows the degree: candidates are the vertices with the same number of links.

    In a multigraph every edge counts. Where links have a direction or a kind, the degree is a list of numbers: how many
    links of each kind lead out, lead in, or have no direction. This is H_1 of :class:`Refinement`. With an error e, u
    is a candidate of v if and only if |deg(v) - deg(u)| <= e deg(u), for every number.

    Parameters
    ----------
    part
        The links that are counted: "out" or "in", those of this direction, kind by kind; "total", all links in one
        number; None, all links, kind by kind and direction by direction.
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

    a pays b, who pays c:

    >>> paid = shoal.Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
    >>> [shoal.assess(paid, Degree(part)).sizes.tolist() for part in (None, "out", "in", "total")]
    [[1, 1, 1], [2, 2, 1], [1, 2, 2], [2, 1, 2]]

    References
    ----------
    K. Liu, E. Terzi: Towards identity anonymization on graphs. SIGMOD 2008.
    """

    part: str | None = field(default=None, repr=False)
    error: Fraction | float | str = field(default=0, repr=False, kw_only=True)

    shell: ClassVar[str] = "degree"
    form: ClassVar[str] = "degree[:PART][~ERROR%]"
    description: ClassVar[str] = (
        "The number of links of a vertex (PART: only out, in, or total); with ~ERROR%, it may be wrong by so much."
    )
    notion: ClassVar[str] = "k-degree anonymity (Liu & Terzi)"

    def __post_init__(self) -> None:
        must(self.part is None or self.part in PARTS, "Degree", "part", "'out', 'in', 'total' or None", self.part)
        super().__post_init__()

    def __repr__(self) -> str:
        given = ({} if self.part is None else {"part": self.part}) | self.as_fact
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @property
    def title(self) -> str:
        """The number of links."""
        return f"number of {LINKS[self.part]}{self.within_error}"

    @property
    def phrase(self) -> str:
        """The number of links of a person."""
        return f"the number of {LINKS[self.part]}{self.within_error} of a person"

    @property
    def reads_kinds(self) -> bool:  # type: ignore[override]
        """Whether it distinguishes kinds of links: a total is one number over all kinds."""
        return self.part != "total"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the number of links."""
        if not isinstance(fact.value, dict):
            return f"has {format_count(fact.value, 'link')}"
        links, error = fact.value["links"], fact.value.get("error")
        return f"has {'about ' if error else ''}{describe_counts(links)}{format_error(error)}"

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: the numbers of links of all relations contain those of a part, and their sum.

        With an error, each number is within it, and so is the sum. A simple graph has one relation, so the sum is all.
        """
        if not isinstance(other, Degree) or self.part == other.part or other.tolerance < self.tolerance:
            return None
        return COUNTED if self.part is None or (simple and {self.part, other.part} == {"total", None}) else None

    def incremental(self) -> Incremental | None:
        """Return the degree."""
        return Incremental(frozenset({"degree"})) if self == Degree() else None

    def see(self, view: View) -> Candidates:
        """Return classes of equal degree, or the vertices within the error."""
        if self.part in ("out", "in") and not view.together.directed:
            raise BadParameter(
                f"Degree: links must have a direction for 'part' {self.part!r}. Got undirected links. "
                "Use degree or degree:total, or read the network as directed."
            )
        if view.together.ties is None or self.part == "total":
            return self._compare_totals(view)
        known = view.known_graph
        counted = None if self.part is None else self._find_counted(view.together)

        def tell(v: int) -> tuple[Fact, ...]:
            among = np.flatnonzero(self._find_counted(known)).tolist()
            return (Fact("degree", {"links": spell_degree(known, v, among), **self.as_fact}),)

        if self.tolerance:
            return fit_degree_vectors(view, counted, self.tolerance, tell)
        return view.group_alike(group_degrees(view.together, counted), tell)

    def _find_counted(self, graph: Graph) -> Bools:
        """Return which relations of a graph are counted."""
        assert graph.ties is not None
        return np.array([self.part in (None, one.direction) for one in graph.ties.relations], dtype=np.bool_)

    def _compare_totals(self, view: View) -> Candidates:
        known, degree = view.known_graph, count_links(view.together)

        def tell(v: int) -> tuple[Fact, ...]:
            links = int(known.degree[v])
            return (Fact("degree", {"links": links, **self.as_fact} if self.tolerance else links),)

        if self.tolerance:
            return fit_numbers(view, [degree], self.tolerance, tell)
        return view.group_alike(group_columns([degree]), tell)

    def words(self) -> Sequence[str]:
        """Return the part, where there is one."""
        return [] if self.part is None else [self.part]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the part."""
        check_word_count(words, 1, cls.form)
        if words and words[0] not in PARTS:
            raise BadParameter(f"'degree' must be spelled {cls.form}. Got {show_value(words[0])} where a part belongs.")
        return cls(words[0] if words else None)
