"""Knows any l neighbors of a vertex by name: (k,l)-anonymity, Definition II (Stokes & Torra).

What is not known to be a neighbor is assumed unknown: whoever also knows that somebody is *not* a neighbor knows more
than is counted here, see :class:`shoal.knowledge.Relations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from shoal.knowledge.base import SomeFacts
from shoal.knowledge.candidates import Worst
from shoal.knowledge.subsets import worst_subset
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Neighbors(SomeFacts):
    """Knows at most l neighbors of v, whichever: candidates are the vertices linked to all of them.

    The size is that of the worst set S of at most l neighbors, min |{u : S within N(u)}|, with S as its witness.
    Non-neighbors are assumed unknown.

    Parameters
    ----------
    l
        How many neighbors are known.
    multiplicities
        Whether it is known how many edges lead to each of them (in a multigraph). False: only that there is one.

    Examples
    --------
    Nobody but Ridolfi is linked to both Medici and Tornabuoni:

    >>> import shoal
    >>> risk = shoal.assess(shoal.examples.florentine(), Neighbors(2))
    >>> risk.k, risk.witness("Ridolfi")
    (1, Witness(knows=(Fact(kind='neighbors', value={'known': [('Medici', 1), ('Tornabuoni', 1)], ...

    The ends of a star are safe from it, whatever l:

    >>> import networkx as nx
    >>> shoal.assess(nx.star_graph(4), Neighbors(3)).sizes.tolist()
    [1, 4, 4, 4, 4]

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    multiplicities: bool = False

    shell: ClassVar[str] = "neighbors"
    form: ClassVar[str] = "neighbors:L[:multiplicities]"
    notion: ClassVar[str] = "(k,l)-anonymity, Definition II (Stokes & Torra); non-neighbors assumed unknown"

    @property
    def assumes(self) -> str:
        """That missing links are not known, for they would leak more (erratum E16)."""
        return "Non-neighbors are assumed unknown (Definition II)."

    def see(self, view: View) -> Worst:
        """Find the worst set of neighbors for every vertex."""
        return worst_subset(view, self.l, "exact-neighbors" if self.multiplicities else "neighbors")

    def words(self) -> Sequence[str]:
        """Return l, and whether multiplicities are known."""
        return [*super().words(), *(["multiplicities"] if self.multiplicities else [])]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read l, and whether multiplicities are known."""
        known = len(words) == 2 and words[1] == "multiplicities"
        return replace(super().from_words(words[:1] if known else words), multiplicities=known)
