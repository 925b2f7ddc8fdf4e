"""Knowledge of any l entries of a row, links and missing links: (k,l)-anonymity, Definition I (Stokes & Torra 2012)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.knowledge.base import Adversary, SomeFacts
from shoal.knowledge.candidates import WorstCandidates
from shoal.knowledge.neighbors import find_worst_subset
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Relations(SomeFacts):
    """Knows, for at most l vertices, whether v is linked to them: candidates agree with v on these entries of the row.

    The size is that of the worst index set I of at most l vertices. Rows compare by multiplicity in a multigraph. In
    the located reading the attacker knows where the vertices of I are, so that v is none of them and none of them is
    a candidate; then nobody is hidden for every l.

    Parameters
    ----------
    l
        How many entries are known.
    located
        Whether the vertices of I are located and so no candidates.

    Examples
    --------
    In a complete graph one's own entry tells everything, unless the known vertices are located:

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
    form: ClassVar[str] = "relations:L or located-relations:L"
    notion: ClassVar[str] = "(k,l)-anonymity, Definition I (Stokes & Torra), or its located reading"

    def see(self, view: View) -> WorstCandidates:
        """Find the worst set of relations for every vertex."""
        return find_worst_subset(view, self.l, "located-relations" if self.located else "relations")

    @property
    def spec(self) -> str:
        """The shell name."""
        return f"{'located-' if self.located else ''}relations:{self.l}"

    @classmethod
    def spellings(cls) -> dict[str, Callable[[Sequence[str]], Adversary]]:
        """Return both names: relations and located-relations."""

        def located(words: Sequence[str]) -> Adversary:
            return cls(cls.from_words(words).l, located=True)

        return {"relations": cls.from_words, "located-relations": located}
