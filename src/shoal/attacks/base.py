"""Attack: somebody who holds some data of their own tries to find people in a release. One file an attack.

An attack is a frozen dataclass: what the attacker has and how the search goes. It is tried on the release and on what
the release must be compared with, each time under names in a new random order, so that nothing but the data helps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.outcome import Outcome
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset
from shoal.data.graph import Ints
from shoal.knowledge.view import Pair
from shoal.methods.links.random_edits import count_missing, perturb_links
from shoal.release.drawn import DrawnRelease
from shoal.release.release import Release


class Attack(ABC):
    """A way to find people in a release."""

    shell: ClassVar[str]
    """Its name on the command line."""
    means: ClassVar[str]
    """One sentence: what the attacker has and does."""
    source: ClassVar[str]
    """Where it was published first."""
    main: ClassVar[str]
    """The rate to look at first."""

    @abstractmethod
    def __call__(self, pair: Pair, release: Release | None, seed: int) -> Outcome:
        """Try it.

        Parameters
        ----------
        pair
            The original and the released graph, and who is who: the truth, by which success is judged.
        release
            The release where it is at hand, with its method and its classes; None where only its graph is.
        seed
            What every random choice is drawn from.
        """

    def settings(self) -> dict[str, Any]:
        """Return what it is run with, as plain data."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]


# Controls: what a release must be compared with, so that damage is not taken for protection.
#
# A release may defend against an attack only because it is full of wrong links. So every attack is also tried on the
# original under fresh names, which shows what it can do at all, and on the original after as many random edits.

MEANS = {
    "release": "What would be published.",
    "only renamed": "The original with nothing changed but the names: what the attack can do at all.",
    "random edits": "The original after as many random removals and additions as the release has: what damage alone "
    "does. Only what the release withstands beyond this is due to its method.",
    "guessing": "Somebody who looks at nothing and guesses.",
}
"""One sentence for each graph: what it is, and what comparing with it shows."""
DRAWN = "All links of the release were drawn anew, so that there are no edits to compare with random ones."
MULTIPLE = "Random edits are drawn in simple graphs only; this one has multiple edges."


@dataclass(frozen=True, eq=False)
class Attacked:
    """Data to attack, with the id that each vertex of the original has in it, -1 where it has none."""

    name: str
    graph: Dataset
    counterpart: Ints

    @property
    def means(self) -> str:
        """One sentence: what it is."""
        return MEANS[self.name]


def attacked(pair: Pair, release: Release | None, rng: np.random.Generator) -> tuple[list[Attacked], list[str]]:
    """Return the release and what it must be compared with, and a note where a control makes no sense."""
    assert pair.counterpart is not None
    same = np.arange(pair.original.n)
    found = [
        Attacked("release", pair.released, pair.counterpart),
        Attacked("only renamed", pair.original, same),
    ]
    if isinstance(release, DrawnRelease):
        return found, [DRAWN]
    if pair.original.is_multigraph or pair.released.is_multigraph:
        return found, [MULTIPLE]
    if not pair.original.has_links:
        return found, []
    original, (added, removed) = as_graph(pair.original), pair.edits
    added = min(added, count_missing(original))  # a release with more vertices has room for more links
    return [*found, Attacked("random edits", perturb_links(original, added, removed, rng), same)], []
