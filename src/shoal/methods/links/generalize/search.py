"""Classes that leave few possible worlds: a start around hubs, then simulated annealing (Hay et al. 2008).

A class that holds members of two components joins them in what is drawn from it. So components of fewer than k
vertices are put together among themselves, like with like, and one of k to 2k-1 is a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.core.components import find_components
from shoal.core.grouping import number_by_first_appearance
from shoal.data.arrays import Ints
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph
from shoal.optimize.annealing import AnnealingResult, count_sweeps_within, make_generator
from shoal.optimize.class_partition import PartitionProblem, choose_sweeps, grow_classes


def start_classes(graph: Graph, k: int) -> Ints:
    """Return the class of each vertex; sizes are k to 2k-1, but for a single class of all.

    >>> pairs = Graph.from_pairs("abcdefg", [0, 1, 2, 3, 5], [1, 2, 0, 4, 6])
    >>> start_classes(pairs, 2).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    if graph.n < 2 * k:
        return np.zeros(graph.n, dtype=np.int64)
    component, size = _find_components(graph)
    small, large = np.flatnonzero(size < k), np.flatnonzero(size >= 2 * k)
    if 0 < len(small) < k:  # too few for a class of their own
        return _grow_jaccard(graph, k)
    codes = component + len(small)  # those of k to 2k-1 are a class each
    parts = len(small) // k
    if parts:
        codes[_order_by_likeness(graph, component, size, small)] = np.arange(len(small)) * parts // len(small)
    if len(large):
        codes[large] = int(codes.max()) + 1 + _grow_jaccard(_induce_subgraph(graph, large), k)
    return number_by_first_appearance(codes)


def _grow_jaccard(graph: Graph, k: int) -> Ints:
    return grow_classes(graph, k, "jaccard", np.ones(graph.n, dtype=np.bool_))


def _find_components(graph: Graph) -> tuple[Ints, Ints]:
    """Return the component of each vertex, and the number of vertices in it."""
    component = find_components(graph.n, *graph.edges()[:2])
    return component, np.bincount(component)[component]


def _order_by_likeness(graph: Graph, component: Ints, size: Ints, members: Ints) -> Ints:
    """List vertices component by component, those of as many vertices and edges together."""
    ends = np.bincount(component, weights=graph.degree)[component]
    order: Ints = np.lexsort((-graph.degree[members], component[members], ends[members], size[members]))
    return members[order]


def _induce_subgraph(graph: Graph, members: Ints) -> Graph:
    """Return the graph of some vertices, which are numbered anew."""
    rank = np.full(graph.n, -1, dtype=np.int64)
    rank[members] = np.arange(len(members))
    a, b, _ = graph.edges()
    both = (rank[a] >= 0) & (rank[b] >= 0)
    return Graph.from_pairs(range(len(members)), rank[a[both]], rank[b[both]])


# The search for classes with few worlds: simulated annealing on the logarithm of their number itself.
#
# Vertices change class or places, most often to be with those whose rows are alike, or with neighbors; classes are
# dissolved (merged into others) and put together anew (split off others).
#
# Classes have k to 2k-1 members, and larger ones are never needed: a class of 2k or more can be split into two of k or
# more, which leaves no more worlds. For each block of it with s pairs and e edges becomes two, and C(s, e) >=
# C(s1, e1) C(s - s1, e - e1), since choosing e1 of some pairs and e - e1 of the others is one way of choosing e of all.
# Nor does it make degrees less alike inside the classes: means of parts fit no worse than the mean of the whole.

LISTED = 131_072
"""For so many pairs of a block logarithms of factorials are listed; for more they are computed."""
STRANGERS, SOME = 0.003, 10.0
"""The share of proposals that pair two vertices anywhere, at least so many in n.

Few: classes that hold members of several components leave no fewer worlds, and join the components in what is drawn.
"""


@dataclass(eq=False)
class WorldProblem(PartitionProblem):
    """Classes that leave few worlds; `weight` is how much unlike degrees inside a class count."""

    hot: ClassVar[float] = 2.0
    again: ClassVar[float] = 4.0
    cold: ClassVar[float] = 0.2

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of proposals, see :mod:`shoal.kernels.partition_search`."""
        return 0.5, 0.5, 0.2, max(STRANGERS, SOME / self.graph.n)

    @property
    def logs(self) -> Any:
        """The logarithms of 0!, 1!, ..., as far as a block of two classes may need them, or less."""
        from scipy.special import gammaln

        return gammaln(np.arange(min((2 * self.k - 1) ** 2, LISTED) + 1) + 1.0)

    def describe(self, state: Any) -> str:
        """Return about how many worlds are left."""
        worlds = Generalized.of(self.graph, state.code.astype(np.int64)).log_worlds
        return f"searching classes, about exp({worlds:,.0f}) worlds"

    def cost(self, solution: Ints) -> float:
        """Return the logarithm of the number of worlds, and what unlike degrees add."""
        root = np.sqrt(2.0 * self.graph.degree)
        mean = np.bincount(solution, weights=root) / np.maximum(1, np.bincount(solution))
        unlike = float(np.sum((root - mean[solution]) ** 2))
        return Generalized.of(self.graph, solution).log_worlds + self.weight * unlike


def find_classes(graph: Graph, k: int, degrees: float, effort: int | float | None, seed: int) -> AnnealingResult[Ints]:
    """Return classes of k to 2k-1 vertices that leave few worlds, found in so many sweeps or seconds; None as usual.

    The search sees the vertices in an order that is drawn from the seed: an attacker who knows only the order of a
    file learns nothing from the classes. The numbers of classes are by first appearance in the graph given.
    """
    rank = make_generator(seed).permutation(graph.n)
    a, b, _ = graph.edges()
    mixed = Graph.from_pairs(range(graph.n), rank[a], rank[b])
    start = start_classes(mixed, k)
    if k == 1 or graph.n < 2 * k or not graph.m:
        found = AnnealingResult(np.arange(graph.n) if k == 1 else start, 0)
    else:
        problem = WorldProblem(mixed, k, np.ones(graph.n, dtype=np.bool_), seed, weight=degrees)
        sweeps = choose_sweeps(graph) if effort is None else effort
        many = count_sweeps_within(sweeps, problem, start) if isinstance(sweeps, float) else sweeps
        found = problem.search(start, many)
    return AnnealingResult(number_by_first_appearance(found.solution[rank]), found.sweeps, found.stopped)
