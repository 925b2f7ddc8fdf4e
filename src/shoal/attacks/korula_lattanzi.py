"""Matching by common witnesses from a few known pairs (Korula & Lattanzi 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks.matching import SeededMatchingAttack, match_seeds
from shoal.attacks.protocol import Generator
from shoal.attacks.relation_rows import Rows, count_neighbors, pair_rows
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.errors import whole
from shoal.parts import option
from shoal.settings import run_in_pieces, size_heavy_pieces

FEW = 1_024
"""The least number of vertices that is worth a thread."""


@dataclass(frozen=True)
class KorulaLattanzi(SeededMatchingAttack):
    """Match two networks from seeds: a pair is matched if more matched neighbors support it than any rival.

    A witness of a person u and a released vertex w is a matched pair of a neighbor of u and a neighbor of w. Vertices
    with many neighbors come first: for falling j, among the unmatched vertices of both graphs with 2^j neighbors or
    more, u and w are matched if they have at least `threshold` witnesses and no other pair with u or w has more. Ties
    are broken by a random order of all pairs, drawn each time. A match is final.

    Where links have directions or kinds, the two neighbors of a witness are linked to u and w by the same relation
    (kind and direction). Rivals are compared by the number of such relations: a witness who is linked both ways on both
    sides counts twice. For `threshold` it counts once.

    Parameters
    ----------
    auxiliary
        The share of the original's links that the attacker has, drawn at random.
    seeds
        The people known to the attacker in both networks: a share as 0.05, or a whole number.
    false_links
        The links that the attacker has and the original does not, drawn at random: a share of the original's links, as
        "5%" or 0.05.
    threshold
        The number of witnesses that a pair needs.
    rounds
        The number of passes over all degrees.
    repeats
        The number of repeats, each with other links, seeds and names; 10 or more give intervals.

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

    threshold: int = option(2, "Matched neighbors that a pair must have in common.", metavar="N")
    rounds: int = 3
    repeats: int = option(10, "Number of repeats; 10 or more give intervals.", metavar="N")

    shell: ClassVar[str] = "korula-lattanzi"
    title: ClassVar[str] = "matching outward from known people (Korula & Lattanzi)"
    means: ClassVar[str] = (
        "Has part of the original's links and knows some people in both networks. Matches the vertices that share the "
        "most matched neighbors, well-connected ones first."
    )
    source: ClassVar[str] = "Korula & Lattanzi 2014"
    reads_ties: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("threshold", "rounds"):
            object.__setattr__(self, what, whole(getattr(self, what), "KorulaLattanzi", what, least=1))

    def match(self, auxiliary: Graph, released: Graph, seeds: tuple[Ints, Ints], rng: Generator) -> Ints:
        """Return the match of each vertex of the auxiliary graph."""
        return reconcile_graphs(auxiliary, released, seeds, self.threshold, self.rounds, rng)


def reconcile_graphs(g: Graph, h: Graph, seeds: tuple[Ints, Ints], threshold: int, rounds: int, rng: Generator) -> Ints:
    """Return for each vertex of g its match in h, -1 for none; the seeds are matched."""
    partner, taken = match_seeds(g, h, seeds)
    near_g, near_h = count_neighbors(g), count_neighbors(h)
    highest = int(min(near_g.max(), near_h.max())).bit_length() - 1
    lowest = threshold.bit_length() - 1  # a vertex has at most as many witnesses as neighbors
    rows, others = pair_rows(g, h)
    for _ in range(rounds):
        for j in range(highest, lowest - 1, -1):
            open_g, open_h = (partner < 0) & (near_g >= 1 << j), (taken < 0) & (near_h >= 1 << j)
            salt = np.uint64(rng.integers(1 << 63))
            best = _find_favorites(rows, others, partner, open_g, open_h, threshold, salt, flipped=False)
            back = _find_favorites(others, rows, taken, open_h, open_g, threshold, salt, flipped=True)
            u = np.flatnonzero(best >= 0)
            u = u[back[best[u]] == u]
            partner[u], taken[best[u]] = best[u], u
    return partner


def _find_favorites(
    rows: Rows, others: Rows, partner: Ints, open_g: Bools, open_h: Bools, least: int, salt: np.uint64, *, flipped: bool
) -> Ints:
    """Return for each open vertex of one graph the open vertex of the other with the most witnesses, -1 for none."""
    from shoal.attacks._kernels.matching import favorites

    n = len(open_g)
    best, second = np.full(n, -1, dtype=np.int64), n if flipped else len(open_h)

    def loop(first: int, last: int) -> None:
        favorites(first, last, rows, others, partner, open_g, open_h, least, flipped, second, salt, best)

    run_in_pieces(loop, n, "counting witnesses", piece=max(FEW, size_heavy_pieces(n)))
    return best
