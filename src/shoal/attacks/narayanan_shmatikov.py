"""Propagation from a few known pairs while the best match stands out (Narayanan & Shmatikov 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks.matching import SeededMatchingAttack, check_number, match_seeds
from shoal.attacks.protocol import Generator
from shoal.core.threads import announce_compilation
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.errors import whole
from shoal.progress import track

PIECE = 4_096
"""Vertices visited between two looks at the keyboard."""


@dataclass(frozen=True)
class NarayananShmatikov(SeededMatchingAttack):
    """Match two networks from seeds: a vertex is accepted if it stands out, and if the way back leads to the start.

    The score of a person u and a released vertex w is the number of matched pairs of which one is a neighbor of u and
    the other one of w, over the root of the degree of w. The best w is taken if its score is above the second best by
    `eccentricity` standard deviations of the scores of all vertices or more, and if the same from w back leads to u.
    One sweep visits all but the seeds, in a random order, those already matched too, and changes their partner where
    a better one stands out; sweeps go on until nothing changes, `sweeps` at most.

    A vertex with a twin never stands out while the twin is free: for releases with twins a low `eccentricity` hardly
    helps, and 0 lets chance decide ties.

    Parameters
    ----------
    auxiliary
        Which share of the original's links the attacker has, drawn at random.
    seeds
        Whom the attacker knows beforehand in both: a share as 0.05, or a whole number.
    eccentricity
        By how many standard deviations the best score must be above the second; 0: ties are broken at random.
    sweeps
        How often all are visited at most.
    repeats
        How often all is tried, each time with other links, other seeds and other names; 10 or more for intervals.

    Examples
    --------
    >>> import shoal
    >>> from shoal.knowledge.view import Pair
    >>> novel = shoal.examples.les_miserables()
    >>> outcome = NarayananShmatikov(auxiliary=1, seeds=0.2)(Pair.of(novel, novel), None, seed=0)
    >>> outcome.rate > 10 * outcome.baseline
    True

    References
    ----------
    A. Narayanan, V. Shmatikov: De-anonymizing social networks. IEEE Symposium on Security and Privacy, 2009.
    """

    eccentricity: float = 0.5
    sweeps: int = 20
    repeats: int = 10

    shell: ClassVar[str] = "narayanan-shmatikov"
    means: ClassVar[str] = (
        "Has part of the original's links and knows some people in both; matches whoever stands out from all others by "
        "shared matched neighbors, seen from both sides, and goes over it again until nothing changes."
    )
    source: ClassVar[str] = "Narayanan & Shmatikov 2009"

    def __post_init__(self) -> None:
        who = "NarayananShmatikov"
        super().__post_init__()
        object.__setattr__(self, "eccentricity", check_number(self.eccentricity, who, "eccentricity", zero=True))
        object.__setattr__(self, "sweeps", whole(self.sweeps, who, "sweeps", least=1))

    def list_warnings(self) -> tuple[str, ...]:
        """Say where the search ends."""
        return (f"A search that still changes after {self.sweeps:,} sweeps over all vertices ends there.",)

    def match(self, auxiliary: Graph, released: Graph, seeds: tuple[Ints, Ints], rng: Generator) -> Ints:
        """Return whom each vertex of the auxiliary graph is matched with."""
        return propagate_matches(auxiliary, released, seeds, self.eccentricity, self.sweeps, rng)


def propagate_matches(g: Graph, h: Graph, seeds: tuple[Ints, Ints], theta: float, sweeps: int, rng: Generator) -> Ints:
    """Return for each vertex of g the one of h that it is matched with, -1 for none; the seeds with each other."""
    announce_compilation()
    from shoal.attacks._kernels.matching import propagate

    partner, taken = match_seeds(g, h, seeds)
    free, other_free = partner < 0, taken < 0
    searching = np.flatnonzero(free & (g.degree > 0))
    for sweep in range(sweeps):
        order, changes = rng.permutation(searching), 0
        for first in range(0, len(order), PIECE):
            track(f"visiting vertices, sweep {sweep + 1}", first, len(order))
            part, salt = order[first : first + PIECE], np.uint64(rng.integers(1 << 63))
            rows = (g.indptr, g.indices, h.indptr, h.indices)
            changes += propagate(part, *rows, partner, taken, free, other_free, theta, salt)
        if not changes:
            break
    return partner
