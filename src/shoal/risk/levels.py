"""Levels of (k,l)-anonymity: the exact number of facts that leave fewer than k candidates for a vertex.

A graph is (k,l)-anonymous if no l known relations leave fewer than k candidates. l(v) is the largest such l for the
vertex v: the size of the smallest exposing set, minus one; infinite if there is none.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from shoal.core.column_sets import find_revealing_set, find_revealing_sizes
from shoal.core.known_sets import find_exposing_set, find_exposing_sizes
from shoal.core.types import AT_LEAST, EVERY, EXACT, Reading
from shoal.data.arrays import Bools, Floats, Ints
from shoal.data.convert import as_graph, is_graph
from shoal.data.dataset import Dataset, as_dataset, check_k
from shoal.data.frames import make_frame
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import BadParameter, must, whole
from shoal.knowledge.candidates import Fact, Witness
from shoal.knowledge.neighbors import describe_ties, find_candidates
from shoal.knowledge.view import View
from shoal.show import as_html, as_text

READINGS = ("neighbors", "relations", "located-relations", "columns")


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

    For a table, or with `columns`: for every record, the largest l such that no l known columns do.

    Parameters
    ----------
    data
        A graph, or anything that :func:`shoal.as_graph` takes; or a :class:`shoal.Table`.
    knowledge
        "neighbors": Definition II, the known relations are neighbors and non-neighbors are assumed unknown.
        "relations": Definition I, links and missing links alike. "located-relations": the same where the known
        vertices are located and so no candidates. "columns": columns of a table. None: "columns" for a table or where
        `columns` are named, else "neighbors".
    k
        How many candidates must be left, the vertex itself included; at most the number of vertices. For columns also
        one number per size of the set, None where none is asked: (None, 1000, 100).
    columns
        With "columns": which are known; None for all.
    max_size
        Do not look for sets larger than this: a vertex without a smaller one is reported as l >= max_size.
    multiplicities
        With "neighbors": whether the multiplicities of the known edges are known too.

    Examples
    --------
    In the karate club one vertex falls to a single known neighbor, and half of them to nothing of the kind:

    >>> import shoal
    >>> found = shoal.levels(shoal.examples.karate(), k=2)
    >>> found.l, found.histogram()
    (0.0, {0: 1, 1: 15, 2: 1, inf: 17})

    Every graph is safe at k = 1, and a square at k = 2 whatever is known:

    >>> import networkx as nx
    >>> shoal.levels(nx.cycle_graph(4), "relations", k=2).l
    inf

    Nobody in this table falls to one known column, two to two:

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
    most = data.n if max_size is None else whole(max_size, "levels", "max_size", least=1)
    reading: Reading = "exact-neighbors" if multiplicities else knowledge
    sizes, meaning = find_exposing_sizes(data, k, reading, most)
    return Levels(data, k, reading, most, sizes, meaning)


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """How much must be known about each vertex."""

    graph: Dataset
    k: Any
    """How many candidates must be left; for columns, perhaps one number per size of the set."""
    reading: Any
    """What a known relation is: a Reading, or "columns"."""
    most: int
    """The size up to which exposing sets were looked for."""
    sizes: Ints
    """The size of the smallest exposing set of each vertex, as far as `meaning` says so."""
    meaning: Ints
    """Whether a size is exact, a lower bound, or there is no exposing set at all."""

    @property
    def links(self) -> Graph:
        """The graph whose links are known; refused for a table."""
        return as_graph(self.graph)

    @cached_property
    def per_vertex(self) -> Floats:
        """The largest l of each vertex; infinite where no set exposes it; a lower bound where not `exact`."""
        return np.where(self.meaning == EVERY, np.inf, self.sizes - 1.0)

    @property
    def exact(self) -> Bools:
        """For each vertex whether its l is exact; where not, l is at least that."""
        exact: Bools = self.meaning != AT_LEAST
        return exact

    @property
    def l(self) -> float:
        """The largest l of the graph: the smallest over its vertices."""
        return float(self.per_vertex.min())

    @property
    def l_exact(self) -> bool:
        """Whether l is exact: the l of some vertex that has it is exact."""
        return bool(self.exact[self.per_vertex == self.l].any())

    @property
    def capped(self) -> Floats:
        """The paper's convention: l is at most the minimum degree of the graph."""
        return np.minimum(self.per_vertex, float(np.diff(self.links.indptr).min()))

    def histogram(self) -> dict[float, int]:
        """Count the vertices by their exact l, ascending; `lower_bounds` counts the others."""
        return _count_values(self.per_vertex[self.exact])

    def lower_bounds(self) -> dict[float, int]:
        """Count the vertices whose l is only known to be at least so much."""
        return _count_values(self.per_vertex[~self.exact])

    def exposed(self, l: int) -> Bools:
        """Tell for each vertex whether at most l known relations leave fewer than k candidates."""
        found: Bools = self.exact & (self.per_vertex < l)
        return found

    def witness(self, v: Hashable) -> Witness | None:
        """Return a smallest set of relations that leaves the vertex `v` fewer than k candidates; None if none does."""
        i = self.graph.names.id(v)
        if self.meaning[i] != EXACT:
            return None
        _, meaning, known = find_exposing_set(self.links, i, self.k, self.reading, self.most)
        return find_exposing_witness(self.links, i, known, self.reading) if meaning == EXACT else None

    def certificate(self, v: Hashable) -> dict[str, Any]:
        """Return plain data that :func:`shoal.check_certificate` can confirm without searching."""
        from shoal.risk.certificate import make_certificate

        return make_certificate(self, v)

    def to_frame(self) -> Any:
        """Return one row per vertex as a pandas (or else polars, or else pyarrow) frame."""
        return make_frame({"name": list(self.graph.names), "l": self.per_vertex, "exact": self.exact})

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def find_exposing_witness(graph: Graph, v: int, known: Ints, reading: Reading) -> Witness:
    """Return what is known about v, and whom that leaves, counted anew from the definition."""
    view = View.of(graph, None, None)
    left = find_candidates(view, v, known, reading)
    return Witness((describe_ties(view, v, known, reading),), tuple(graph.names[int(u)] for u in left))


def _count_values(values: Floats) -> dict[float, int]:
    found, counts = np.unique(values, return_counts=True)
    return {float("inf") if x == np.inf else int(x): int(c) for x, c in zip(found, counts, strict=True)}


# Levels of a table: how many columns must be known about a record before too few candidates are left, exactly.
#
# The rule of statistical offices is that every combination of up to three key columns occurs at least k times, perhaps
# with a number of its own for each size. l(v) is the size of the smallest set of columns that breaks it, minus one.

Thresholds = tuple[int | None, ...]


def measure_column_levels(
    data: Any, k: int | Sequence[int | None], columns: Sequence[str] | None, max_size: int | None
) -> ColumnLevels:
    """Compute the levels of a table, or of the attributes of a graph; see :func:`shoal.levels`."""
    found = as_dataset(data)
    names = tuple(found.attributes) if columns is None else tuple(columns)
    if not names or len(set(names)) != len(names):
        what = "graph whose vertices have attributes" if is_graph(data) else "table"
        raise BadParameter(
            f"levels: 'columns' must be different columns of a {what}, at least one. Got {names!r:.120}."
        )
    least = check_k("levels", k, found) if isinstance(k, int) else _check_k_by_size(k, found)
    most = len(names) if max_size is None else whole(max_size, "levels", "max_size", least=1)
    most = min(most, len(names) if isinstance(least, int) else len(least))
    codes = [found.attributes[name].codes for name in names]
    sizes, meaning = find_revealing_sizes(codes, least, most)
    return ColumnLevels(found, least, "columns", most, sizes, meaning, names)


def _check_k_by_size(k: Any, data: Dataset) -> Thresholds:
    if isinstance(k, str) or not hasattr(k, "__len__") or all(least is None for least in k):
        raise BadParameter(
            f"levels: 'k' must be a whole number, or one per size of the set with None where none is asked. Got {k!r}."
        )
    return tuple(None if least is None else check_k("levels", least, data) for least in k)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnLevels(Levels):
    """How many columns must be known about each record."""

    columns: tuple[str, ...]
    """The columns among which the known ones are."""

    @property
    def capped(self) -> Floats:
        """The levels themselves: there are no degrees to cap them with."""
        return self.per_vertex

    def witness(self, v: Hashable) -> Witness | None:
        """Return a smallest set of columns that leaves too few candidates of the record `v`; None if none does."""
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
        """Refuse: a certificate speaks of links. The witness of a record can be counted in the table."""
        raise BadParameter(f"certificate: levels must be those of a graph's links. Got columns. See witness({v!r}).")
