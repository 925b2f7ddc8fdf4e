"""Propagation from a few known pairs while the best match stands out (Narayanan & Shmatikov 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks.matching import SeededMatchingAttack, check_number, match_seeds
from shoal.attacks.protocol import Generator
from shoal.attacks.relation_rows import count_neighbors, pair_rows
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import whole
from shoal.parts import option
from shoal.progress import track

SWEPT = 50_000
"""The most links for which an audit tries it unasked: beyond, it takes minutes."""
PIECE = 4_096
"""Vertices visited between two checks for an interrupt."""


@dataclass(frozen=True)
class NarayananShmatikov(SeededMatchingAttack):
    """Match two networks from seeds: a match must stand out, and the reverse search must lead back to the start.

    The score of a person u and a released vertex w is the number of matched pairs of a neighbor of u and a neighbor of
    w, over the root of the degree of w. The best w is taken if its score exceeds the second best by at least
    `eccentricity` standard deviations of all scores, and if the same search from w leads back to u. One sweep visits
    all vertices but the seeds in a random order, also those already matched, and changes a match if a better one stands
    out. Sweeps continue until nothing changes, at most `sweeps` times.

    Where links have directions or kinds, the score is a sum over the relations (kind and direction): the number of
    matched pairs of neighbors linked to u and to w by this relation, over the root of the number of links of w by it.
    With directions only, this is the score of the paper, from in- and out-neighbors.

    A vertex with a twin never stands out while the twin is unmatched. For releases with twins a low `eccentricity`
    hardly helps, and with 0 chance decides ties.

    Parameters
    ----------
    auxiliary
        The share of the original's links that the attacker has, drawn at random.
    seeds
        The people known to the attacker in both networks: a share as 0.05, or a whole number.
    false_links
        The links that the attacker has and the original does not, drawn at random: a share of the original's links, as
        "5%" or 0.05.
    eccentricity
        The standard deviations by which the best score must exceed the second; 0: ties are broken at random.
    sweeps
        The most sweeps over all vertices.
    repeats
        The number of repeats, each with other links, seeds and names; 10 or more give intervals.

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
    repeats: int = option(10, "Number of repeats; 10 or more give intervals.", metavar="N")

    shell: ClassVar[str] = "narayanan-shmatikov"
    title: ClassVar[str] = "matching outward, checked in reverse (Narayanan & Shmatikov)"
    means: ClassVar[str] = (
        "Has part of the original's links and knows some people in both networks. Matches vertices that stand out by "
        "shared matched neighbors, checks each match in reverse, and repeats until nothing changes."
    )
    source: ClassVar[str] = "Narayanan & Shmatikov 2009"
    reads_ties: ClassVar[bool] = True

    def __post_init__(self) -> None:
        who = "NarayananShmatikov"
        super().__post_init__()
        object.__setattr__(self, "eccentricity", check_number(self.eccentricity, who, "eccentricity", zero=True))
        object.__setattr__(self, "sweeps", whole(self.sweeps, who, "sweeps", least=1))

    @classmethod
    def explain_omission(cls, original: Dataset) -> str | None:
        """Return the number of links, where it is large."""
        told = f"It is slow on {original.m:,} links; the default limit is {SWEPT:,} links. Name it to try it."
        return told if original.m > SWEPT else None

    def list_warnings(self, original: Graph) -> tuple[str, ...]:
        """Return a note about the limit of sweeps."""
        ends = f"The search ends after {self.sweeps:,} sweeps over all vertices, even if matches still change."
        return (*super().list_warnings(original), ends)

    def match(self, auxiliary: Graph, released: Graph, seeds: tuple[Ints, Ints], rng: Generator) -> Ints:
        """Return the match of each vertex of the auxiliary graph."""
        return propagate_matches(auxiliary, released, seeds, self.eccentricity, self.sweeps, rng)


def propagate_matches(g: Graph, h: Graph, seeds: tuple[Ints, Ints], theta: float, sweeps: int, rng: Generator) -> Ints:
    """Return for each vertex of g its match in h, -1 for none; the seeds are matched."""
    from shoal.attacks._kernels.matching import propagate

    partner, taken = match_seeds(g, h, seeds)
    free, other_free = partner < 0, taken < 0
    searching, rows = np.flatnonzero(free & (count_neighbors(g) > 0)), pair_rows(g, h)
    for sweep in range(sweeps):
        order, changes = rng.permutation(searching), 0
        for first in range(0, len(order), PIECE):
            track(f"visiting vertices, sweep {sweep + 1}", first, len(order))
            part, salt = order[first : first + PIECE], np.uint64(rng.integers(1 << 63))
            changes += propagate(part, *rows, partner, taken, free, other_free, theta, salt)
        if not changes:
            break
    return partner
