"""Rounds: repair the neighborhoods that fewer than k have, the largest first, by the plan that is worth most.

A plan is applied, everybody who sees one of its links is looked at again, and it is kept only if fewer vertices are
below k than before, for a fair number of links each. So no round undoes more than it repairs, and rounds end.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.anonymizers.neighborhood_groups import Taste
from shoal.anonymizers.neighborhood_outsiders import Outsiders
from shoal.anonymizers.neighborhood_plans import HARM, Plans
from shoal.anonymizers.neighborhood_shapes import Pair, Shapes, Undo
from shoal.progress import track


@dataclass(frozen=True)
class Worth:
    """Links, and what they are worth: fewer is better."""

    score: float
    pairs: list[Pair]
    repaired: int
    """How many vertices fewer are below k."""


class Rounds:
    """A graph that is repaired, and the log that takes it back."""

    def __init__(self, shapes: Shapes, taste: Taste, seed: int) -> None:
        self.shapes, self.taste = shapes, taste
        self.outsiders = Outsiders(shapes)
        self.plans = Plans(self.outsiders, taste, seed)
        self.log: list[tuple[list[Pair], Undo]] = []
        self.began = shapes.below

    @property
    def added(self) -> list[Pair]:
        """All links that were added, in order."""
        return [pair for pairs, _ in self.log for pair in pairs]

    def apply(self, pairs: list[Pair]) -> None:
        """Add links, and look again at everybody who sees one of them."""
        fresh = self.shapes.link(pairs)
        self.log.append((fresh, self.shapes.look(self.shapes.seers(fresh))))

    def revert(self, length: int) -> None:
        """Take back what was logged since."""
        while len(self.log) > length:
            pairs, undo = self.log.pop()
            self.shapes.unlink(pairs)
            self.shapes.forget(undo)

    def passes(self, tries: int, dear: int, most: int = 4) -> None:
        """Go through all below k, the largest first, until a pass repairs nobody."""
        shapes = self.shapes
        for _ in range(most):
            before = shapes.below
            self.outsiders.renew()
            for v in sorted(shapes.short(), key=self.size):
                self.tell()
                if shapes.size(v) < shapes.k:
                    self.repair(v, tries, dear)
            if shapes.below in (0, before):
                return

    def size(self, v: int) -> tuple[int, int, int]:
        """Return what orders vertices: the largest neighborhood first."""
        return -int(self.shapes.degree[v]), -int(self.shapes.inner[v]), v

    def tell(self) -> None:
        """Say how far it is."""
        below, total = self.shapes.below, max(self.began, self.shapes.below)
        track(f"matching neighborhoods, {below:,} below k", total - below, total)

    def repair(self, v: int, tries: int, dear: int) -> bool:
        """Apply the best plan for a vertex, if it repairs more than it breaks; tell whether."""
        best: Worth | None = None
        for pairs in self.plans.each(v, tries, dear * self.shapes.k):
            found = self.worth(pairs)
            fair = found.repaired > 0 and len(pairs) <= dear * found.repaired
            if fair and (best is None or found.score < best.score):
                best = found
        if best is not None:
            self.apply(best.pairs)
        return best is not None

    def worth(self, pairs: list[Pair]) -> Worth:
        """Return what links are worth, as if they were applied."""
        before, length = self.shapes.below, len(self.log)
        self.apply(pairs)
        repaired = before - self.shapes.below
        self.revert(length)
        return Worth(len(pairs) - HARM * repaired, pairs, repaired)
