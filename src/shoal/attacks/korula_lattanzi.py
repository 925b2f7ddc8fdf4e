"""Matching by common witnesses from a few known pairs (Korula & Lattanzi 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks.matching import SeededMatchingAttack, match_seeds
from shoal.attacks.protocol import Generator
from shoal.core.threads import announce_compilation, run_in_pieces, size_heavy_pieces
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.errors import whole

FEW = 1_024
"""Fewer vertices than this are not worth a thread."""


@dataclass(frozen=True)
class KorulaLattanzi(SeededMatchingAttack):
    """Match two networks from seeds: a pair is accepted if more known pairs vouch for it than for any rival.

    A witness of a person u and a released vertex w is a matched pair of which one is a neighbor of u and the other
    one of w. Those with many links come first: for 2^j falling, among the unmatched of both graphs that have 2^j
    links or more, u and w are matched if they have `threshold` witnesses or more, and no other pair with u or with w
    has more. Ties are broken by one random order of all pairs, drawn anew each time. What is matched stays so.

    Parameters
    ----------
    auxiliary
        Which share of the original's links the attacker has, drawn at random.
    seeds
        Whom the attacker knows beforehand in both: a share as 0.05, or a whole number.
    threshold
        How many witnesses a pair needs.
    rounds
        How often one goes through all degrees.
    repeats
        How often all is tried, each time with other links, other seeds and other names; 10 or more for intervals.

    Examples
    --------
    >>> import shoal
    >>> from shoal.knowledge.view import Pair
    >>> novel = shoal.examples.les_miserables()
    >>> outcome = KorulaLattanzi(auxiliary=1, seeds=0.2)(Pair.of(novel, novel), None, seed=0)
    >>> outcome.rate > 10 * outcome.baseline
    True

    References
    ----------
    N. Korula, S. Lattanzi: An efficient reconciliation algorithm for social networks. PVLDB 7(5), 2014.
    """

    threshold: int = 2
    rounds: int = 3
    repeats: int = 10

    shell: ClassVar[str] = "korula-lattanzi"
    means: ClassVar[str] = (
        "Has part of the original's links and knows some people in both; matches whoever shares the most matched "
        "neighbors, those with many links first."
    )
    source: ClassVar[str] = "Korula & Lattanzi 2014"

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("threshold", "rounds"):
            object.__setattr__(self, what, whole(getattr(self, what), "KorulaLattanzi", what, least=1))

    def match(self, auxiliary: Graph, released: Graph, seeds: tuple[Ints, Ints], rng: Generator) -> Ints:
        """Return whom each vertex of the auxiliary graph is matched with."""
        return reconcile_graphs(auxiliary, released, seeds, self.threshold, self.rounds, rng)


def reconcile_graphs(g: Graph, h: Graph, seeds: tuple[Ints, Ints], threshold: int, rounds: int, rng: Generator) -> Ints:
    """Return for each vertex of g the one of h that it is matched with, -1 for none; the seeds with each other."""
    announce_compilation()
    partner, taken = match_seeds(g, h, seeds)
    highest = int(min(g.degree.max(), h.degree.max())).bit_length() - 1
    lowest = threshold.bit_length() - 1  # fewer links than the threshold have fewer witnesses
    for _ in range(rounds):
        for j in range(highest, lowest - 1, -1):
            open_g, open_h = (partner < 0) & (g.degree >= 1 << j), (taken < 0) & (h.degree >= 1 << j)
            salt = np.uint64(rng.integers(1 << 63))
            best = _find_favorites(g, h, partner, open_g, open_h, threshold, salt, flipped=False)
            back = _find_favorites(h, g, taken, open_h, open_g, threshold, salt, flipped=True)
            u = np.flatnonzero(best >= 0)
            u = u[back[best[u]] == u]
            partner[u], taken[best[u]] = best[u], u
    return partner


def _find_favorites(
    g: Graph, h: Graph, partner: Ints, open_g: Bools, open_h: Bools, least: int, salt: np.uint64, *, flipped: bool
) -> Ints:
    """Return for each open vertex of g the open one of h with the most witnesses, -1 where none has enough."""
    from shoal.attacks._kernels.matching import favorites

    best = np.full(g.n, -1, dtype=np.int64)
    others = g.n if flipped else h.n

    def loop(first: int, last: int) -> None:
        rows = (g.indptr, g.indices, h.indptr, h.indices)
        favorites(first, last, *rows, partner, open_g, open_h, least, flipped, others, salt, best)

    run_in_pieces(loop, g.n, "counting witnesses", piece=max(FEW, size_heavy_pieces(g.n)))
    return best
