"""Knowledge of any l entries of a row, links and missing links: (k,l)-anonymity, Definition I (Stokes & Torra 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shoal.core.incidence import Reading
from shoal.data.arrays import Bools
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph
from shoal.errors import format_count
from shoal.knowledge.base import LESS, Adversary, Aliases, SomeFacts
from shoal.knowledge.candidates import DrawnFacts, Fact, WorstCandidates
from shoal.knowledge.neighbors import (
    ALWAYS,
    DrawnRelations,
    Neighbors,
    count_sets,
    describe_entries,
    find_worst_subset,
    redact_entries,
)
from shoal.knowledge.view import View

LINKS = "a known neighbor is a known relation"
LOCATED = "no common neighbor of the known vertices is one of them, so locating them excludes no candidate"


@dataclass(frozen=True)
class Relations(SomeFacts):
    """Knows whether v is linked to any l vertices: candidates agree with v on these entries of the row.

    The size is the minimum over all index sets I of at most l vertices. In a multigraph entries are multiplicities. In
    the located reading the attacker knows which released vertices I are. Then v is not in I, and no vertex of I is a
    candidate; so no vertex keeps candidates for every l.

    Parameters
    ----------
    l
        The number of known entries.
    located
        Whether the vertices of I are located, and so are no candidates.

    Examples
    --------
    In a complete graph a vertex is unique by its own entry, unless the known vertices are located:

    >>> import networkx as nx, shoal
    >>> triangle = nx.complete_graph(3)
    >>> shoal.assess(triangle, Relations(1)).k, shoal.assess(triangle, Relations(1, located=True)).k
    (1, 2)

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    located: bool = False

    shell: ClassVar[str] = "relations"
    other_names: ClassVar[tuple[str, ...]] = ("located-relations",)
    form: ClassVar[str] = "relations:L or located-relations:L"
    description: ClassVar[str] = "Whether a vertex is linked to any L others (located: which are no candidates)."
    notion: ClassVar[str] = "(k,l)-anonymity, Definition I (Stokes & Torra), or its located reading"
    several_sets: ClassVar[bool] = True
    stays_true: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """The number of known relations."""
        return format_count(self.l, f"{'located' if self.located else 'known'} relation")

    @property
    def phrase(self) -> str:
        """The relations of a person."""
        others = "1 other person" if self.l == 1 else f"{self.l:,} other people"
        return f"whether a person is linked to {others}{' located in the release' if self.located else ''}"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the known entries by name."""
        entries = describe_entries(fact.value["known"])
        return f"{entries} (located in the release)" if entries and fact.kind == "located-relations" else entries

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the known entries by alias."""
        return redact_entries(fact, aliases)

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: more entries include fewer, and a link is an entry; so l - e neighbors cover l with e errors."""
        if isinstance(other, Relations) and other.l <= self.l and other.located == self.located:
            return LESS
        neighbors = isinstance(other, Neighbors) and other.exact_facts <= self.l
        return (LOCATED if self.located else LINKS) if neighbors else None

    def estimate_steps(self, data: Dataset) -> int:
        """Return the number of sets of links, and of as many missing links."""
        return count_sets(2 * data.degree, self.l) if isinstance(data, Graph) and self.l > ALWAYS else 0

    def draw_facts(self, original: Dataset, released: Bools) -> DrawnFacts:
        """Return how l entries are drawn."""
        return DrawnRelations(self.l, self._reading, as_graph(original), released)

    @property
    def _reading(self) -> Reading:
        return "located-relations" if self.located else "relations"

    def see(self, view: View) -> WorstCandidates:
        """Find the worst set of relations for every vertex."""
        return find_worst_subset(view, self.l, self._reading)

    @property
    def spec(self) -> str:
        """The shell name."""
        return f"{'located-' if self.located else ''}relations:{self.l}"

    @classmethod
    def from_name(cls, first: str, words: Sequence[str]) -> Self:
        """Read l; the first word says whether the relations are located."""
        return cls(cls.from_words(words).l, located=first == "located-relations")
