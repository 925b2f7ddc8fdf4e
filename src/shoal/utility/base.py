"""Metrics, groups of metrics that are measured together, and a network with what several metrics need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np

from shoal.core.components import find_components
from shoal.core.threads import announce_compilation
from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph

Better = Literal["higher", "lower", "closer"]
"""Which direction is better: "closer" is closer to the original's value."""


@dataclass(frozen=True)
class Metric:
    """What is measured."""

    name: str
    """In a few words, e.g. transitivity."""
    means: str
    """One sentence: what the number says to somebody who does not know the field."""
    group: str
    """links, degrees, clustering, distances, centrality, communities, spectrum, cores or columns."""
    low: float | None
    high: float | None
    """The range it is in; None where there is no smallest or no largest value."""
    better: Better
    needs_mapping: bool = False
    """Whether one must know who is who."""
    unit: str = ""
    """share, count, or nothing."""


@dataclass(frozen=True)
class Measurement:
    """A number, with its spread where it comes from samples."""

    value: float
    spread: float | None = None
    """How much it depends on chance: the standard deviation over draws, or the standard error of a number from sampled
    vertices; None where the number is exact, and where there was one draw only."""

    def data(self) -> dict[str, float | None]:
        """Return it as plain data."""
        return {"value": self.value, "spread": self.spread}


@dataclass(frozen=True)
class NoValue:
    """There is no such number, and this is why."""

    why: str
    """A sentence without its full stop, e.g. no two vertices are connected."""


Value = float | Measurement | NoValue
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Group:
    """Metrics that are measured together."""

    metrics: tuple[Metric, ...]
    before: Callable[[Network], Values]
    """What the original comes to, for the metrics that it has alone."""
    after: Callable[[Network, Network], Values]
    """What another graph comes to, given the original first; without who is who, what needs it is left out."""
    slow: bool = False
    """Whether it is measured on one draw of a large graph, not on several."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Metrics that these graphs cannot have, each with the reason."""
    baselined: frozenset[str] | None = None
    """The metrics that depend on links, so that other links are a baseline; None: all."""


def group_alone(metrics: tuple[Metric, ...], measure: Callable[[Network], Values], *, slow: bool = False) -> Group:
    """Return a group of metrics each of which is a number about one graph."""
    return Group(metrics, measure, lambda _, other: measure(other), slow)


def pool_values(values: Sequence[Value]) -> Measurement | NoValue:
    """Return the mean over draws with its standard deviation; what one of them lacks, all lack.

    >>> pool_values([1.0, 2.0, 3.0]), pool_values([0.5])
    (Measurement(value=2.0, spread=1.0), Measurement(value=0.5, spread=None))
    """
    lacking = [value for value in values if isinstance(value, NoValue)]
    if lacking:
        return lacking[0]
    numbers = [value if isinstance(value, Measurement) else Measurement(float(value)) for value in values]  # type: ignore[arg-type]
    if len(numbers) == 1:
        return numbers[0]
    plain = [number.value for number in numbers]
    if min(plain) == max(plain):
        return Measurement(plain[0], 0.0)  # the mean of equal numbers would be rounded
    return Measurement(fmean(plain), stdev(plain))


# Network: a graph to be measured, every pair of linked vertices once, with what several metrics need of it.

LARGE = 200_000
"""With more links than this, slow metrics are measured fewer times, and a note says so."""


@dataclass(frozen=True, eq=False)
class Network:
    """A simple graph, or a table, and what was counted in it so far."""

    data: Dataset
    who: Ints | None = None
    """For each vertex of the original its id here, -1 where it has none; None where nobody knows."""
    seed: int = 0
    stream: int = 0
    """Which graph of a comparison it is: random searches of different graphs do not share their chance."""

    memory: dict[str, Any] = field(default_factory=dict)
    """What was found once, by name."""

    @classmethod
    def of(cls, data: Dataset, **how: Any) -> Network:
        """Return data to be measured; parallel edges count once.

        >>> two = Graph.from_pairs("ab", [0, 0], [1, 1], multigraph=True)
        >>> two.m, Network.of(two).m
        (2, 1)
        """
        if isinstance(data, Graph) and data.is_multigraph:
            return cls(Graph(data.names, data.indptr, data.indices, None, data.attributes), **how)
        return cls(data, **how)

    @property
    def graph(self) -> Graph:
        """The graph, for whatever reads links; a table is refused."""
        return as_graph(self.data)

    def remember(self, what: str, how: Callable[[Network], Any]) -> Any:
        """Return what a function finds here; it is called once."""
        if what not in self.memory:
            self.memory[what] = how(self)
        return self.memory[what]

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self.data.n

    @property
    def m(self) -> int:
        """Number of linked pairs."""
        return self.data.m

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
        return find_components(self.n, *self.graph.edges()[:2])

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
        from shoal.utility._kernels.structure import triangles

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
        from shoal.utility._kernels.structure import squares

        _, indptr, indices = self.by_degree
        found = np.zeros(self.n, dtype=np.int64)
        squares(0, self.n, indptr, indices, found)
        return sum(map(int, found[found > 0]))  # of Python's numbers: it may be more than a machine number holds

    @cached_property
    def cores(self) -> Ints:
        """The core number of each vertex: the largest c such that it is among vertices that all have c links inside."""
        announce_compilation()
        from shoal.utility._kernels.structure import cores

        order, left = np.argsort(self.degree, kind="stable"), self.degree.copy()
        starts = np.concatenate([[0], np.cumsum(np.bincount(left))])
        cores(self.graph.indptr, self.graph.indices, order, starts, left)
        return left


def measure_kolmogorov_smirnov(x: Ints, y: Ints) -> float:
    """Return the Kolmogorov-Smirnov distance of two samples of small whole numbers; 1 if one of them is empty.

    >>> measure_kolmogorov_smirnov(np.array([1, 1, 2]), np.array([2, 1, 1]))
    0.0
    >>> measure_kolmogorov_smirnov(np.array([0]), np.array([5]))
    1.0
    """
    if not len(x) or not len(y):
        return float(len(x) != len(y))
    most = int(max(x.max(), y.max())) + 1
    rises = [np.cumsum(np.bincount(sample, minlength=most)).astype(np.int64) for sample in (x, y)]
    worst = int(np.abs(rises[0] * len(y) - rises[1] * len(x)).max())  # whole numbers: equal samples are at 0
    return worst / (len(x) * len(y))
