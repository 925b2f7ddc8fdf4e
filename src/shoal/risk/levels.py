"""Levels of (k,l)-anonymity: how many facts leave fewer than k candidates for a vertex.

A graph is (k,l)-anonymous if no l known relations leave fewer than k candidates. l(v) is the largest such l for the
vertex v: the size of its smallest exposing set, minus one. It is infinite if no set exposes v.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from shoal.core.column_sets import find_revealing_set, find_revealing_sizes
from shoal.core.exposing_sets import AT_LEAST, EVERY, EXACT, find_exposing_set, find_exposing_sizes
from shoal.core.incidence import Incidence
from shoal.data.arrays import Bools, Floats, Ints
from shoal.data.dataset import Dataset, as_dataset, as_graph, is_graph
from shoal.data.frames import make_frame
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import BadParameter, check_k, must, public, whole
from shoal.knowledge.candidates import Fact, Witness
from shoal.knowledge.known_entries import KnownEntries
from shoal.show import as_chart, as_html, as_text

READINGS = ("neighbors", "relations", "located-relations", "columns")


@public
def levels(
    data: Any,
    knowledge: Literal["neighbors", "relations", "located-relations", "columns"] | None = None,
    *,
    k: int | Sequence[int | None],
    columns: Sequence[str] | None = None,
    max_size: int | None = None,
    multiplicities: bool = False,
) -> Levels:
    """Compute, for every vertex, the largest l such that no l known relations leave fewer than k candidates.

    For a table, or with `columns`: the largest l such that no l known columns leave fewer than k candidates for a
    record.

    Parameters
    ----------
    data
        A graph, or anything that :func:`shoal.as_graph` takes; or a :class:`shoal.Table`.
    knowledge
        "neighbors": Definition II. The known relations are neighbors; non-neighbors are assumed unknown. "relations":
        Definition I. Edges and missing edges may both be known. "located-relations": as "relations", but the known
        vertices are located and so are not candidates. "columns": columns of a table. None: "columns" for a table or
        with `columns`, else "neighbors".
    k
        Minimum number of candidates, including the vertex itself; at most the number of vertices. For columns it may
        also be one number per size of the set, None for no requirement, e.g. (None, 1000, 100).
    columns
        With "columns": the columns that may be known. None: all.
    max_size
        Largest size of sets to search. A vertex without an exposing set up to this size is reported as l >= max_size.
    multiplicities
        With "neighbors": whether the multiplicities of the known edges are known too.

    Examples
    --------
    In the karate club 1 known neighbor exposes 1 vertex. No known neighbors expose 17 of the 34 vertices:

    >>> import shoal
    >>> found = shoal.levels(shoal.examples.karate(), k=2)
    >>> found.l, found.histogram()
    (0.0, {0: 1, 1: 15, 2: 1, inf: 17})

    In a square, every vertex has 2 candidates whatever relations are known:

    >>> import networkx as nx
    >>> shoal.levels(nx.cycle_graph(4), "relations", k=2).l
    inf

    No single column exposes a record of this table; two columns expose three records:

    >>> people = shoal.Table.of({"age": [30, 30, 41, 41, 41], "sex": ["f", "m", "f", "m", "m"]})
    >>> shoal.levels(people, k=2).per_vertex.tolist()
    [1.0, 1.0, 1.0, inf, inf]

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """
    table = isinstance(data, Table) or columns is not None
    knowledge = ("columns" if table else "neighbors") if knowledge is None else knowledge
    must(str(knowledge) in READINGS, "levels", "knowledge", f"one of {', '.join(READINGS)}", knowledge)
    must(
        knowledge == "columns" or not table, "levels", "knowledge", "'columns' for a table or named columns", knowledge
    )
    must(not multiplicities or knowledge == "neighbors", "levels", "multiplicities", "used with 'neighbors'", knowledge)
    if knowledge == "columns":
        return measure_column_levels(data, k, columns, max_size)
    data = as_graph(data)
    k = check_k("levels", k, data)
    entries = Incidence.of(data, "exact-neighbors" if multiplicities else knowledge)
    most = entries.items if max_size is None else whole(max_size, "levels", "max_size", least=1)
    sizes, meaning = find_exposing_sizes(entries, k, most)
    return Levels(data, k, entries.reading, most, sizes, meaning)


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """How many relations must be known to expose each vertex."""

    graph: Dataset
    k: Any
    """Minimum number of candidates. For columns, possibly one number per size of the set."""
    reading: Any
    """What a known relation is: a Reading, or "columns"."""
    most: int
    """The largest size of exposing sets that was searched."""
    sizes: Ints
    """The size of the smallest exposing set of each vertex; `meaning` says whether it is exact."""
    meaning: Ints
    """For each vertex: the size is exact, it is a lower bound, or no exposing set exists."""

    @property
    def links(self) -> Graph:
        """The graph. A table raises an error."""
        return as_graph(self.graph)

    @cached_property
    def entries(self) -> KnownEntries:
        """The entries of rows that may be known."""
        return KnownEntries.of(self.links, self.reading)

    @cached_property
    def per_vertex(self) -> Floats:
        """The largest l of each vertex: infinite if no set exposes it, a lower bound if it is not `exact`."""
        return np.where(self.meaning == EVERY, np.inf, self.sizes - 1.0)

    @property
    def exact(self) -> Bools:
        """For each vertex whether its l is exact. If not, it is a lower bound."""
        exact: Bools = self.meaning != AT_LEAST
        return exact

    @property
    def l(self) -> float:
        """The largest l of the graph: the minimum over its vertices."""
        return float(self.per_vertex.min())

    @property
    def l_exact(self) -> bool:
        """Whether l is exact: some vertex with this l has an exact level."""
        return bool(self.exact[self.per_vertex == self.l].any())

    @property
    def capped(self) -> Floats:
        """The levels by the paper's convention: l is at most the minimum degree of the graph."""
        return np.minimum(self.per_vertex, float(np.diff(self.entries.rows[0]).min()))

    def histogram(self) -> dict[float, int]:
        """Count the vertices by exact l, ascending. `lower_bounds` counts the others."""
        return _count_values(self.per_vertex[self.exact])

    def lower_bounds(self) -> dict[float, int]:
        """Count the vertices whose l is a lower bound, by this bound."""
        return _count_values(self.per_vertex[~self.exact])

    def exposed(self, l: int) -> Bools:
        """Return for each vertex whether at most l known relations leave fewer than k candidates.

        Only exact levels count, so the number of exposed vertices is a lower bound.
        """
        found: Bools = self.exact & (self.per_vertex < l)
        return found

    def witness(self, v: Hashable) -> Witness | None:
        """Return a smallest set of relations that exposes `v`; None if there is none or none is known."""
        i = self.graph.names.id(v)
        if self.meaning[i] != EXACT:
            return None
        _, meaning, known = find_exposing_set(self.entries.published, i, self.k, self.most)
        return find_exposing_witness(self.entries, i, known) if meaning == EXACT else None

    def certificate(self, v: Hashable) -> dict[str, Any]:
        """Return plain data that :func:`shoal.check_certificate` can confirm without a search."""
        from shoal.risk.certificate import make_certificate

        return make_certificate(self, v)

    def to_frame(self) -> Any:
        """Return one row per vertex, as a pandas, polars or pyarrow frame (the first that is installed)."""
        return make_frame({"name": list(self.graph.names), "l": self.per_vertex, "exact": self.exact})

    @public
    def plot(self) -> Any:
        """Return an altair chart: how many vertices have each level.

        In a notebook the chart shows itself; ``chart.save("levels.svg")`` writes it. Needs ``pip install
        'shoal[plots]'``.
        """
        return as_chart(self)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def find_exposing_witness(entries: KnownEntries, v: int, known: Ints) -> Witness:
    """Return what is known about v and the candidates that this leaves, counted again from the definition."""
    names, left = entries.view.published.names, entries.find_candidates(v, known)
    return Witness((entries.describe(v, known),), tuple(names[int(u)] for u in left))


def _count_values(values: Floats) -> dict[float, int]:
    found, counts = np.unique(values, return_counts=True)
    return {float("inf") if x == np.inf else int(x): int(c) for x, c in zip(found, counts, strict=True)}


# Levels of a table: how many columns must be known to leave a record too few candidates.
#
# Statistical offices require that every combination of up to three key columns occurs at least k times. k may depend on
# the size of the set. l(v) is the size of the smallest set of columns that violates this rule, minus one.

Thresholds = tuple[int | None, ...]


def measure_column_levels(
    data: Any, k: int | Sequence[int | None], columns: Sequence[str] | None, max_size: int | None
) -> ColumnLevels:
    """Compute the levels of a table, or of the attributes of a graph. See :func:`shoal.levels`."""
    found = as_dataset(data)
    names = tuple(found.attributes) if columns is None else tuple(columns)
    if not names or len(set(names)) != len(names):
        what = "graph whose vertices have attributes" if is_graph(data) else "table"
        raise BadParameter(f"levels: 'columns' must be one or more different columns of a {what}. Got {names!r:.120}.")
    least = check_k("levels", k, found) if isinstance(k, int) else _check_k_by_size(k, found)
    most = len(names) if max_size is None else whole(max_size, "levels", "max_size", least=1)
    most = min(most, len(names) if isinstance(least, int) else len(least))
    codes = [found.attributes[name].codes for name in names]
    sizes, meaning = find_revealing_sizes(codes, least, most)
    return ColumnLevels(found, least, "columns", most, sizes, meaning, names)


def _check_k_by_size(k: Any, data: Dataset) -> Thresholds:
    if isinstance(k, str) or not hasattr(k, "__len__") or all(least is None for least in k):
        raise BadParameter(
            f"levels: 'k' must be a whole number, or a list of one number (or None) per size of the set. Got {k!r}."
        )
    return tuple(None if least is None else check_k("levels", least, data) for least in k)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnLevels(Levels):
    """How many columns must be known to expose each record."""

    columns: tuple[str, ...]
    """The columns that may be known."""

    @property
    def capped(self) -> Floats:
        """The levels themselves. A table has no degrees to cap them."""
        return self.per_vertex

    def witness(self, v: Hashable) -> Witness | None:
        """Return a smallest set of columns that exposes the record `v`; None if there is none or none is known."""
        i = self.graph.names.id(v)
        if self.meaning[i] != EXACT:
            return None
        size, table = int(self.sizes[i]), self.graph.attributes
        least = self.k if isinstance(self.k, int) else self.k[size - 1]
        codes = [table[name].codes for name in self.columns]
        known = find_revealing_set(codes, i, least, size)
        left = np.logical_and.reduce([codes[c] == codes[c][i] for c in known])
        fact = Fact("some-columns", [(self.columns[c], table[self.columns[c]][i]) for c in known])
        return Witness((fact,), tuple(self.graph.names[int(u)] for u in np.flatnonzero(left)))

    def certificate(self, v: Hashable) -> dict[str, Any]:
        """Raise an error: certificates cover only edges. The witness of a record can be counted in the table."""
        raise BadParameter(f"certificate: levels must be about links of a graph. Got columns. Use witness({v!r}).")
