"""Classes whose rows become equal with few edits: simulated annealing on the number of edits, and a lower bound."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from shoal.core.threads import announce_compilation, run_in_pieces, size_heavy_pieces
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.optimize.class_partition import PartitionProblem, count_blocks, isolate_others

SOME = 4.0
"""The heat at the start where only some are sensitive: a class must be left at a loss before a better one is found."""
SOFT = 0.8
"""The share of the time in which blocks that are not half full count a little too."""


class EditProblem(PartitionProblem):
    """Classes with equal rows that take few edits; those who are not sensitive may stand alone."""

    hot: ClassVar[float] = 0.3
    again: ClassVar[float] = 2.0
    cold: ClassVar[float] = 0.15
    floor = 0.0

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of proposals, see :mod:`shoal.kernels.partition_search`."""
        return 0.7, 0.0, 0.0, 0.06

    def heat(self, attempt: int) -> float:
        """Return the heat at the start of a run."""
        return super().heat(attempt) if self.sensitive.all() else SOME

    def soften(self, done: int, total: int) -> float:
        """Return how much blocks that are not half full count: there would be no slope there while it is warm."""
        return max(0.0, 1.0 - done / (SOFT * total))

    def describe(self, state: Any) -> str:
        """Return the edits per edge."""
        return f"searching classes, {self.cost(state.code) / self.graph.m:.3f} edits per edge"

    def finish(self, state: Any, stopped: bool) -> Ints:
        """Return the classes, numbered anew."""
        return isolate_others(super().finish(state, stopped), self.sensitive)

    def cost(self, solution: Ints) -> int:
        """Return the edits."""
        return count_blocks(self.graph, solution, self.clique).cheapest


def bound_edits(graph: Graph, k: int, sensitive: Bools, clique: int = 0) -> int:
    """Return a number of edits that no release with equal rows in classes of k can do without.

    If row v is edited in d(v) places, twins differ in at most d(u) + d(v) before. Summed over the pairs of a class,
    and over all classes, the edits are at least a quarter of the sum, over the sensitive vertices, of the mean number
    of entries in which the k-1 nearest rows differ. With k > n/2 all edges go, where all are sensitive (E4).

    Where classes of `clique` or more may become cliques, rows in those are equal if each vertex counts as its own
    neighbor. The same sum holds for them with these rows and `clique`, and for each vertex the smaller mean is taken.
    """
    if k == 1 or not graph.m:
        return 0
    closed = 0 < clique <= graph.n
    if 2 * k > graph.n and sensitive.all() and not closed:
        return graph.m
    total = _sum_nearest(graph, k, sensitive, False)
    if not closed:
        return -(-int(total.sum()) // (4 * (k - 1)))
    least = np.minimum(total * (clique - 1), _sum_nearest(graph, clique, sensitive, True) * (k - 1))
    return -(-int(least.sum()) // (4 * (k - 1) * (clique - 1)))


def _sum_nearest(graph: Graph, k: int, sensitive: Bools, closed: bool) -> Ints:
    """Sum for each sensitive vertex the entries in which the k-1 nearest rows differ from its own."""
    announce_compilation()
    from shoal.kernels.similar_rows import least_distances

    who, lowest = np.flatnonzero(sensitive), np.argsort(np.diff(graph.indptr), kind="stable")
    total = np.zeros(len(who), dtype=np.int64)

    def piece(first: int, last: int) -> None:
        least_distances(first, last, who, graph.indptr, graph.indices, lowest, k, closed, total)

    run_in_pieces(piece, len(who), "bounding the edits", piece=size_heavy_pieces(len(who)))
    return total
