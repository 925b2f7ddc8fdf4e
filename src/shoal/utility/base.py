"""Metrics, groups of metrics that are measured together, and the network that they measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean, stdev
from typing import Any, Literal

import numpy as np

from shoal.core.grouping import find_components
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph, link_graph
from shoal.settings import run_in_pieces

Better = Literal["higher", "lower", "closer"]
"""Which values are better. "closer": those closer to the value of the original."""


@dataclass(frozen=True)
class Metric:
    """A measure of utility, with its own description."""

    name: str
    """The key of the metric, e.g. "transitivity"."""
    description: str
    """A noun phrase that begins with a capital and ends with a full stop, e.g. "Number of vertices."."""
    group: str
    """links, degrees, directions, kinds, clustering, distances, centrality, communities, spectrum, cores or columns."""
    low: float | None
    high: float | None
    """The range of the values. None: unbounded on that side."""
    better: Better
    needs_mapping: bool = False
    """Whether it needs the mapping from original to released vertices."""
    unit: str = ""
    """"share", "count" or empty."""
    title: str = ""
    """A few words for headings and for keys of public files. Default: the name."""
    note: str = ""
    """What a reader must know beyond the description, in full sentences."""
    compares_edges: bool = False
    """Whether it matches edges one by one. It has no meaning if all edges were drawn anew."""
    depends_on_edges: bool = True
    """Whether other edges can change it. If so, random edits and the empty graph are baselines."""
    undirected: bool = False
    """Whether it is defined for undirected graphs only. Where links have directions or kinds, it is measured on the
    undirected view, which has one edge per linked pair."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name)

    @property
    def phrase(self) -> str:
        """The description as part of a sentence, e.g. "the number of vertices"."""
        return f"the {self.description[:1].lower()}{self.description[1:].removesuffix('.')}"

    @property
    def means(self) -> str:
        """The description and the note, as one text."""
        return f"{self.description} {self.note}".rstrip()


@dataclass(frozen=True)
class Measurement:
    """A number, with its spread if it comes from samples."""

    value: float
    spread: float | None = None
    """The standard deviation over draws, or the standard error of a number from sampled vertices. None: the number is
    exact, or there was only one draw."""

    def data(self) -> dict[str, float | None]:
        """Return it as plain data."""
        return {"value": self.value, "spread": self.spread}


@dataclass(frozen=True)
class NoValue:
    """A metric without a value, and the reason."""

    why: str
    """A sentence without its full stop, e.g. "no two vertices are connected"."""


Value = float | Measurement | NoValue
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Group:
    """Metrics that are measured together."""

    metrics: tuple[Metric, ...]
    before: Callable[[Network], Values]
    """Measures the original, for the metrics that describe one graph."""
    after: Callable[[Network, Network], Values]
    """Measures another graph, given the original first. Without a mapping it leaves out the metrics that need one."""
    slow: bool = False
    """Whether only one draw of a large graph is measured."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Metrics that these graphs cannot have, each with the reason."""


def group_alone(metrics: tuple[Metric, ...], measure: Callable[[Network], Values], *, slow: bool = False) -> Group:
    """Return a group of metrics that each describe a single graph."""
    return Group(metrics, measure, lambda _, other: measure(other), slow)


def pool_values(values: Sequence[Value]) -> Measurement | NoValue:
    """Return the mean over draws with its standard deviation. If one draw has no value, there is none.

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
        return Measurement(plain[0], 0.0)  # the mean of equal numbers could be rounded
    return Measurement(fmean(plain), stdev(plain))


# Network: a simple graph to measure, and the counts that several metrics share.
#
# Where links have directions or kinds, the simple graph is the undirected view: one edge per linked pair.

LARGE = 200_000
"""With more edges than this, slow metrics are measured fewer times. A note says so."""


@dataclass(frozen=True, eq=False)
class Network:
    """A simple graph or a table, with the results computed on it so far."""

    data: Dataset
    who: Ints | None = None
    """For each vertex of the original its id here, or -1 if it has none. None: the mapping is not known."""
    seed: int = 0
    stream: int = 0
    """Number of the graph in a comparison. Different graphs get different random numbers."""

    memory: dict[str, Any] = field(default_factory=dict)
    """Results that were computed once, by name."""
    ties: Graph | None = None
    """The graph with the directions and kinds of its links; None if links have neither."""

    @classmethod
    def of(cls, data: Dataset, **how: Any) -> Network:
        """Return data to measure. Parallel edges count once.

        >>> two = Graph.from_pairs("ab", [0, 0], [1, 1], multigraph=True)
        >>> two.m, Network.of(two).m
        (2, 1)
        >>> arcs = Network.of(Graph.from_pairs("ab", [0, 1], [1, 0], directed=True))
        >>> arcs.m, arcs.links.m
        (1, 2)
        """
        if not isinstance(data, Graph) or not (data.is_multigraph or data.ties is not None):
            return cls(data, **how)
        view = Graph(data.names, data.indptr, data.indices, None, data.attributes)
        return cls(view, **how) if data.ties is None else cls(view, ties=_count_each_link_once(data), **how)

    @property
    def graph(self) -> Graph:
        """The graph, or its undirected view where links have directions or kinds. A table raises an error."""
        return as_graph(self.data)

    @property
    def links(self) -> Graph:
        """The graph with the directions and kinds of its links."""
        return self.graph if self.ties is None else self.ties

    @cached_property
    def adjacency(self) -> Any:
        """The sparse matrix with the number of links from i to j; a link without direction leads both ways."""
        return self.links.to_scipy()

    def remember(self, what: str, how: Callable[[Network], Any]) -> Any:
        """Return the result of a function on this network. The function is called only once."""
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
        """A component number for each vertex, equal for connected vertices."""
        return find_components(self.n, *self.graph.edges()[:2])

    @cached_property
    def by_degree(self) -> tuple[Ints, Ints, Ints]:
        """The vertices sorted by degree, and the adjacency lists of the graph renumbered in this order."""
        order = np.argsort(self.degree, kind="stable")
        rank = np.empty(self.n, dtype=np.int32)
        rank[order] = np.arange(self.n, dtype=np.int32)
        ends = np.repeat(rank, self.degree), rank[self.graph.indices]
        indptr = np.concatenate([[0], np.cumsum(self.degree[order])])
        return order, indptr, ends[1][np.lexsort(ends[::-1])]

    @cached_property
    def triangles(self) -> Ints:
        """Number of triangles at each vertex."""
        from shoal.core._kernels.balls import triangles

        order, indptr, indices = self.by_degree
        counted = np.zeros(self.n, dtype=np.int64)
        triangles(0, self.n, indptr, indices, counted)
        found = np.empty_like(counted)
        found[order] = counted
        return found

    @cached_property
    def squares(self) -> int:
        """Number of 4-cycles."""
        from shoal.core._kernels.balls import squares

        _, indptr, indices = self.by_degree
        found = np.zeros(self.n, dtype=np.int64)
        run_in_pieces(lambda first, last: squares(first, last, indptr, indices, found), self.n, "counting 4-cycles")
        return sum(map(int, found[found > 0]))  # Python integers: the sum may exceed 64 bits

    @cached_property
    def cores(self) -> Ints:
        """The core number of each vertex: the largest c such that it is in a subgraph of minimum degree c."""
        from shoal.core._kernels.balls import cores

        order, left = np.argsort(self.degree, kind="stable"), self.degree.copy()
        starts = np.concatenate([[0], np.cumsum(np.bincount(left))])
        cores(self.graph.indptr, self.graph.indices, order, starts, left)
        return left


def _count_each_link_once(graph: Graph) -> Graph:
    """Return a graph with ties in which equal parallel links count once."""
    if not graph.is_multigraph:
        return graph
    assert graph.ties is not None
    a, b, relation, _ = graph.links()
    return link_graph(graph.names, a, b, relation, None, graph.ties.relations, False, graph.attributes)


def measure_kolmogorov_smirnov(x: Ints, y: Ints) -> float:
    """Return the Kolmogorov-Smirnov distance of two samples of small non-negative integers; 1 if only one is empty.

    >>> measure_kolmogorov_smirnov(np.array([1, 1, 2]), np.array([2, 1, 1]))
    0.0
    >>> measure_kolmogorov_smirnov(np.array([0]), np.array([5]))
    1.0
    """
    if not len(x) or not len(y):
        return float(len(x) != len(y))
    most = int(max(x.max(), y.max())) + 1
    rises = [np.cumsum(np.bincount(sample, minlength=most)).astype(np.int64) for sample in (x, y)]
    worst = int(np.abs(rises[0] * len(y) - rises[1] * len(x)).max())  # integers: equal samples have distance exactly 0
    return worst / (len(x) * len(y))
