"""Network: a graph to be measured, every pair of linked vertices once, with what several metrics need of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from shoal.data.graph import Graph, Ints
from shoal.engines.local.pool import announce_compilation

LARGE = 200_000
"""With more links than this, slow metrics are measured fewer times, and a note says so."""


@dataclass(frozen=True, eq=False)
class Network:
    """A simple graph, and what was counted in it so far."""

    graph: Graph
    who: Ints | None = None
    """For each vertex of the original its id here, -1 where it has none; None where nobody knows."""
    seed: int = 0
    stream: int = 0
    """Which graph of a comparison it is: random searches of different graphs do not share their chance."""

    memory: dict[str, Any] = field(default_factory=dict)
    """What was found once, by name."""

    @classmethod
    def of(cls, graph: Graph, **how: Any) -> Network:
        """Return a graph to be measured; parallel edges count once.

        >>> two = Graph.from_pairs("ab", [0, 0], [1, 1], multigraph=True)
        >>> two.m, Network.of(two).m
        (2, 1)
        """
        simple = Graph(graph.names, graph.indptr, graph.indices, None, graph.attributes)
        return cls(graph if graph.multiplicity is None else simple, **how)

    def once(self, what: str, how: Callable[[Network], Any]) -> Any:
        """Return what a function finds here; it is called once."""
        if what not in self.memory:
            self.memory[what] = how(self)
        return self.memory[what]

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self.graph.n

    @property
    def m(self) -> int:
        """Number of linked pairs."""
        return self.graph.m

    @property
    def large(self) -> bool:
        """Whether slow metrics are measured fewer times."""
        return self.m > LARGE

    @cached_property
    def degree(self) -> Ints:
        """Number of neighbors of each vertex."""
        return np.diff(self.graph.indptr).astype(np.int64)

    @cached_property
    def components(self) -> Ints:
        """A number per vertex, equal for those that are connected."""
        from scipy.sparse.csgraph import connected_components

        found: Ints = connected_components(self.graph.to_scipy(), directed=False)[1]
        return found

    @cached_property
    def by_degree(self) -> tuple[Ints, Ints, Ints]:
        """The vertices in the order of their degrees, and the rows of the graph that is numbered so."""
        order = np.argsort(self.degree, kind="stable")
        rank = np.empty(self.n, dtype=np.int32)
        rank[order] = np.arange(self.n, dtype=np.int32)
        ends = np.repeat(rank, self.degree), rank[self.graph.indices]
        indptr = np.concatenate([[0], np.cumsum(self.degree[order])])
        return order, indptr, ends[1][np.lexsort(ends[::-1])]

    @cached_property
    def triangles(self) -> Ints:
        """Number of triangles at each vertex."""
        announce_compilation()
        from shoal.engines.local.kernels.utility_cycles import triangles

        order, indptr, indices = self.by_degree
        counted = np.zeros(self.n, dtype=np.int64)
        triangles(0, self.n, indptr, indices, counted)
        found = np.empty_like(counted)
        found[order] = counted
        return found

    @cached_property
    def squares(self) -> int:
        """Number of 4-cycles."""
        announce_compilation()
        from shoal.engines.local.kernels.utility_cycles import squares

        _, indptr, indices = self.by_degree
        found = np.zeros(self.n, dtype=np.int64)
        squares(0, self.n, indptr, indices, found)
        return sum(map(int, found[found > 0]))  # of Python's numbers: it may be more than a machine number holds

    @cached_property
    def cores(self) -> Ints:
        """The core number of each vertex: the largest c such that it is among vertices that all have c links inside."""
        announce_compilation()
        from shoal.engines.local.kernels.utility_cores import cores

        order, left = np.argsort(self.degree, kind="stable"), self.degree.copy()
        starts = np.concatenate([[0], np.cumsum(np.bincount(left))])
        cores(self.graph.indptr, self.graph.indices, order, starts, left)
        return left
