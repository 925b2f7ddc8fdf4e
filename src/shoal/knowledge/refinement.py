"""Knowledge of the degrees around a vertex, round by round: k-candidate anonymity for H_i (Hay et al. 2008).

H_0 is the same for all; H_i(x) is the multiset of H_{i-1} over the neighbors of x. So H_1 is the degree, H_2 the
degrees of the neighbors, and so on. Where links have multiplicities, kinds or directions, each neighbor comes with all
links to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Self

from shoal.core.refinement import refine
from shoal.data.graph import Graph
from shoal.errors import format_count, join_names, whole
from shoal.knowledge.base import COUNTED, LESS, Adversary, StructuralKnowledge, explain_finer
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.degree import Degree
from shoal.knowledge.incremental import Incremental, Part
from shoal.knowledge.relation_counts import describe_counts, spell_degree, spell_tie
from shoal.knowledge.view import View
from shoal.parts import check_word_count, parse_number

LONGEST = 200
"""The most numbers that a witness spells out."""


@dataclass(frozen=True)
class Refinement(StructuralKnowledge):
    """Knows the degrees around a vertex, collected in `rounds` rounds: H_i for i = rounds.

    Round 1 gives the degree, round 2 the degrees of the neighbors, and so on. From round 2 on, each neighbor comes with
    all links to it: a double link to one neighbor is not two links to two neighbors of the same degree. Where links
    have a direction or a kind, a degree is the number of links of each kind and direction.

    Parameters
    ----------
    rounds
        The number of rounds; 0 knows nothing. None continues until a round changes nothing (color refinement).

    Examples
    --------
    On a path of six vertices the second round distinguishes the second vertex from the third:

    >>> import networkx as nx, shoal
    >>> path = shoal.as_graph(nx.path_graph(6))
    >>> [shoal.assess(path, Refinement(i)).sizes.tolist() for i in (0, 1, 2)]
    [[6, 6, 6, 6, 6, 6], [2, 4, 4, 4, 4, 2], [2, 2, 2, 2, 2, 2]]

    References
    ----------
    M. Hay, G. Miklau, D. Jensen, D. Towsley, P. Weis: Resisting structural re-identification in anonymized social
    networks. PVLDB 2008.
    """

    rounds: int | None = None

    shell: ClassVar[str] = "refinement"
    form: ClassVar[str] = "refinement:ROUNDS"
    description: ClassVar[str] = "The degree, the degrees of the neighbors, of their neighbors, ..., in ROUNDS rounds."
    notion: ClassVar[str] = "k-candidate anonymity for H_i (Hay et al.)"
    stays_true: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.rounds is not None:
            object.__setattr__(self, "rounds", whole(self.rounds, "Refinement", "rounds", least=0))

    @property
    def title(self) -> str:
        """How far link counts are known."""
        if self.rounds is None:
            return "numbers of links of neighbors, all rounds"
        names = {0: "nothing", 1: "number of links", 2: "own and each neighbor's number of links"}
        return names.get(self.rounds, f"numbers of links of neighbors, {self.rounds} rounds")

    @property
    def phrase(self) -> str:
        """The degrees around a person."""
        if self.rounds == 0:
            return "nothing"
        if self.rounds == 1:
            return "the number of links of a person"
        if self.rounds == 2:
            return "the numbers of links of a person and of each neighbor"
        steps = "" if self.rounds is None else f", up to {self.rounds - 1} steps away"
        return f"the numbers of links of a person, the neighbors, their neighbors and so on{steps}"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the degrees, as far as they were spelled out."""
        rounds, view = fact.value["rounds"], fact.value["view"]
        if rounds == 0:
            return ""
        if rounds == 1:
            return f"has {describe_counts(view)}"
        if view == []:
            return "has no neighbors"
        if rounds == 2 and view is not None and isinstance(view[0], dict):
            near = "; ".join(
                f"one by {describe_counts(one['by'])} that has {describe_counts(one['view'])}" for one in view
            )
            return f"has {format_count(len(view), 'neighbor')}: {near}"
        if rounds == 2 and view is not None:
            verb = "has" if len(view) == 1 else "have"
            links = f"{join_names(view, most=40)} {'link' if view == [1] else 'links'}"
            return f"has {format_count(len(view), 'neighbor')}, which {verb} {links}"
        if rounds == 3 and view is not None and not isinstance(view[0], dict):
            links = "; ".join(join_names(near, most=40) for near in view)
            return f"has {format_count(len(view), 'neighbor')}, whose neighbors have {links} links"
        steps = "at every distance" if rounds is None else f"up to {rounds - 1} steps away"
        return f"has known link counts of itself, its neighbors, their neighbors and so on, {steps}"

    @property
    def is_empty(self) -> bool:
        """Whether there is no round."""
        return self.rounds == 0

    @property
    def depth(self) -> float:
        """The number of rounds, infinite at the fixed point."""
        return inf if self.rounds is None else self.rounds

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: each round contains the one before, and the first is the degree."""
        if isinstance(other, Refinement) and other.depth <= self.depth:
            return LESS
        return COUNTED if isinstance(other, Degree) and self.depth >= 1 else None

    def explain_coarser(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: one round is the degree, which exact knowledge of a ball of radius 1 contains."""
        return COUNTED if self.depth <= 1 and explain_finer(other, Degree(), simple=simple) else None

    def incremental(self) -> Incremental | None:
        """Return the degrees of neighbors, for two rounds; one round is the degree."""
        parts: dict[int | None, Part] = {1: "degree", 2: "refinement"}
        return Incremental(frozenset({parts[self.rounds]})) if self.rounds in parts else None

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal H_rounds; two graphs are colored together."""

        def tell(v: int) -> tuple[Fact, ...]:
            tree = None if self.rounds is None else spell_refinement(view.known_graph, v, self.rounds)
            return (Fact("refinement", {"rounds": self.rounds, "view": tree}),)

        return view.group_alike(refine(view.together, self.rounds), tell)

    def words(self) -> Sequence[str]:
        """Return the number of rounds, or nothing for the fixed point."""
        return [] if self.rounds is None else [str(self.rounds)]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the number of rounds."""
        check_word_count(words, 1, cls.form)
        return cls(parse_number(words[0], cls.form) if words else None)


def spell_refinement(graph: Graph, v: int, rounds: int) -> Any:
    """Spell H_rounds(v) out as nested sorted lists, with the degree at the leaves; None if that gets long.

    Where links have multiplicities, kinds or directions, each neighbor is a dictionary with the links to it.
    """
    budget, tied = [LONGEST], graph.ties is not None or graph.multiplicity is not None

    def unfold(x: int, i: int) -> Any:
        budget[0] -= 1
        if i <= 1 or budget[0] < 0:
            return spell_degree(graph, x)
        row = range(graph.indptr[x], graph.indptr[x + 1])
        seen = [unfold(w, i - 1) for w in graph.neighbors(x).tolist()]
        if tied:
            seen = [{"by": spell_tie(graph, e), "view": one} for e, one in zip(row, seen, strict=True)]
        return sorted(seen, key=repr) if tied or i > 2 else sorted(seen)

    full = unfold(v, rounds)
    return full if rounds and budget[0] >= 0 else None
