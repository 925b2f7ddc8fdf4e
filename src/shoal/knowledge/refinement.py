"""Knowledge of the degrees around a vertex, round by round: k-candidate anonymity for H_i (Hay et al. 2008).

H_0 is the same for all; H_i(x) is the multiset of H_{i-1} over the neighbors of x. So H_1 is the degree, H_2 the
degrees of the neighbors, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shoal.core.refinement import refine
from shoal.data.graph import Graph
from shoal.errors import whole
from shoal.knowledge.base import Adversary, check_word_count, parse_number
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.view import View

LONGEST = 200
"""More numbers than this are not spelled out in a witness."""


@dataclass(frozen=True)
class Refinement(Adversary):
    """Knows H_rounds, or with `rounds=None` what no further round refines.

    In a multigraph a neighbor counts as often as there are edges to it.

    Parameters
    ----------
    rounds
        0 knows nothing, 1 the degree, 2 the degrees of the neighbors, ...; None: the fixed point.

    Examples
    --------
    On a path with six vertices the second round tells the second from the third:

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
    notion: ClassVar[str] = "k-candidate anonymity for H_i (Hay et al.)"

    def __post_init__(self) -> None:
        if self.rounds is not None:
            object.__setattr__(self, "rounds", whole(self.rounds, "Refinement", "rounds", least=0))

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
    """Spell H_rounds(v) out as nested sorted lists, with the degree at the leaves; None if that gets long."""
    budget = [LONGEST]

    def unfold(x: int, i: int) -> Any:
        budget[0] -= 1
        if i <= 1 or budget[0] < 0:
            return int(graph.degree[x])
        row = slice(graph.indptr[x], graph.indptr[x + 1])
        times = [1] * (row.stop - row.start) if graph.multiplicity is None else graph.multiplicity[row].tolist()
        seen = [unfold(w, i - 1) for w, t in zip(graph.indices[row].tolist(), times, strict=True) for _ in range(t)]
        return sorted(seen, key=repr) if i > 2 else sorted(seen)

    full = unfold(v, rounds)
    return full if rounds and budget[0] >= 0 else None
