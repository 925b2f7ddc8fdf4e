"""Drawn facts: one random set among all facts that an attacker model may know, and the candidates that it leaves.

Risk takes the worst of all sets of l known facts. An attacker has one such set and did not choose it: it is drawn at
random among all of them, as Hay et al. do. Knowledge without a choice (a degree, an orbit) has one set.

The facts are drawn in the original, once, and searched in every graph that is attacked. From the same seed, the set
drawn for l is part of the set drawn for l + 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.data.arrays import Ints
from shoal.knowledge.view import View

if TYPE_CHECKING:
    from shoal.knowledge.base import Adversary


@dataclass(frozen=True, eq=False)
class VertexSet:
    """The candidates among n published vertices: those in `ids`, ascending; or, unless `inside`, all others."""

    n: int
    ids: Ints
    inside: bool = True

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self.ids) if self.inside else self.n - len(self.ids)

    def holds(self, u: int) -> bool:
        """Return whether u is a candidate."""
        at = int(np.searchsorted(self.ids, u))
        return bool(at < len(self.ids) and self.ids[at] == u) == self.inside

    def meet(self, other: VertexSet) -> VertexSet:
        """Return the candidates that both sets contain.

        >>> few, most = VertexSet(5, np.array([0, 1])), VertexSet(5, np.array([1, 2]), inside=False)
        >>> few.meet(most).ids.tolist(), most.meet(most).size
        ([0], 3)
        """
        if self.inside and other.inside:
            return VertexSet(self.n, np.intersect1d(self.ids, other.ids, assume_unique=True))
        if self.inside:
            return VertexSet(self.n, np.setdiff1d(self.ids, other.ids, assume_unique=True))
        return other.meet(self) if other.inside else VertexSet(self.n, np.union1d(self.ids, other.ids), inside=False)


Search = Callable[[int, Any], VertexSet]
"""From a vertex of the original and its known facts to the candidates."""


class DrawnFacts(ABC):
    """How facts about a vertex are drawn in the original and searched in a graph."""

    note: ClassVar[str] = ""
    """What a reader must know about the search."""

    @abstractmethod
    def draw(self, v: int, rng: np.random.Generator) -> Any:
        """Return the known facts about v."""

    @abstractmethod
    def seek(self, view: View) -> Search:
        """Return the function that finds the candidates of known facts."""


@dataclass(frozen=True, eq=False)
class WholeKnowledge(DrawnFacts):
    """Knowledge without a choice of facts."""

    part: Adversary

    def draw(self, v: int, rng: np.random.Generator) -> None:
        """Draw nothing: there is only one set of facts."""

    def seek(self, view: View) -> Search:
        """Ask the adversary."""
        answer = self.part.see(view)
        return lambda v, known: VertexSet(view.published.n, answer.of(v))
