"""Incidence: which vertices have which entries in their rows, for searches over sets of known entries.

An *item* is a pair (w, relation) that a vertex may have in its row. The row of v lists its items, and the column of an
item lists the vertices that have it. Without directions and kinds there is one relation, and the vertex w is the item:
rows and columns are those of the graph, which is not copied. Otherwise they are the two sides of a bipartite graph: ids
below n are the vertices, and the items follow, by w and by relation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from shoal.core.grouping import NONE, list_members_by_class
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.data.ties import Relation, sort_relations
from shoal.errors import BadGraph

Reading = Literal["neighbors", "exact-neighbors", "relations", "located-relations"]
"""The meaning of a known relation: a neighbor; a neighbor with its multiplicity; any entry of the row (Definition I);
any entry of the row at a located vertex, which is not a candidate (Definition I, located)."""

Rows = tuple[Ints, Ints, Ints | None]
"""Bounds of rows, the items in them, and their multiplicities (None: all are 1)."""

WIDE = 1 << 22
"""Pairs (w, relation) up to this number are looked up in a table, even where few of them occur."""


@dataclass(eq=False)  # not frozen: levels of a small graph take few microseconds, and frozen fields are set slowly
class Incidence:
    """Rows of items and columns of vertices, as one undirected graph in compressed sparse rows."""

    reading: Reading
    n: int
    """The number of vertices. Only they are candidates."""
    indptr: Ints
    indices: Ints
    weights: Ints
    """The multiplicity of each entry; empty if all are 1, or if the reading does not ask for them."""
    first: Ints | None = None
    """Where items have ids of their own: w owns the items first[w] to first[w + 1] - 1."""
    labels: Ints | None = None
    """The relation of each such item, by position in `relations`."""
    relations: tuple[Relation, ...] = ()

    @classmethod
    def of(cls, graph: Graph, reading: Reading) -> Incidence:
        """Return the incidence of a graph.

        >>> g = Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
        >>> found = Incidence.of(g, "neighbors")
        >>> [(found.owner(x), found.relation(x).direction) for x in found.row(1).tolist()]
        [(0, 'in'), (2, 'out')]
        """
        if graph.ties is None:
            weights = NONE if reading == "neighbors" or graph.multiplicity is None else graph.multiplicity
            return cls(reading, graph.n, graph.indptr, graph.indices, weights)
        relations = graph.ties.relations
        entries = _list_entries(graph, relations, reading, None)
        return _connect(entries, _number_items(graph.n, len(relations), reading, entries), relations, reading)

    @property
    def start(self) -> int:
        """The id of the first item."""
        return 0 if self.first is None else self.n

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.indptr) - 1 - self.start

    @property
    def csr(self) -> tuple[Ints, ...]:
        """The arrays for compiled loops."""
        arrays = self.indptr, self.indices, self.weights
        return arrays if self.first is None else (*arrays, self.first)

    @property
    def rows(self) -> Rows:
        """The rows of the vertices."""
        end = int(self.indptr[self.n])
        return self.indptr[: self.n + 1], self.indices[:end], self.weights[:end] if len(self.weights) else None

    @cached_property
    def owners(self) -> Ints:
        """The vertex that each item is about."""
        return np.arange(self.n) if self.first is None else np.repeat(np.arange(self.n), np.diff(self.first))

    @cached_property
    def keys(self) -> Ints:
        """The number w * (number of relations) + relation of each item."""
        return self.owners if self.labels is None else self.owners * len(self.relations) + self.labels

    def row(self, x: int) -> Ints:
        """Return the items of a vertex, or the vertices that have an item; ascending."""
        return self.indices[self.indptr[x] : self.indptr[x + 1]]

    def times(self, x: int) -> Ints:
        """Return the multiplicity of each entry of `row`."""
        if not len(self.weights):
            return np.ones(int(self.indptr[x + 1] - self.indptr[x]), dtype=np.int32)
        return self.weights[self.indptr[x] : self.indptr[x + 1]]

    def owner(self, x: int) -> int:
        """Return the vertex that item x is about."""
        return int(self.owners[x - self.start])

    def relation(self, x: int) -> Relation | None:
        """Return the relation of item x; None if links have neither directions nor kinds."""
        return None if self.labels is None else self.relations[self.labels[x - self.start]]

    def list_owned(self, w: int) -> range:
        """Return the items that are about w."""
        return range(w, w + 1) if self.first is None else range(int(self.first[w]), int(self.first[w + 1]))

    def list_about(self, some: Bools) -> Ints:
        """Return the items that are about some vertices."""
        return np.flatnonzero(some[self.owners]) + self.start


def join_incidences(graph: Graph, known: Graph, counterpart: Ints, reading: Reading) -> tuple[Incidence, Rows]:
    """Return the incidence of a published graph, and the rows of an original in its items.

    `counterpart` holds the published id of each vertex of the original, -1 if it is not published: entries about such
    vertices are left out. Relations correspond by kind and direction. An item of the original that no published vertex
    has is an item with an empty column.
    """
    if graph.ties is None and known.ties is None:
        items = counterpart[known.indices]
        there = items >= 0
        before = np.concatenate([[0], np.cumsum(there)])
        weights = None if reading == "neighbors" or known.multiplicity is None else known.multiplicity[there]
        return Incidence.of(graph, reading), (before[known.indptr], items[there], weights)
    relations = sort_relations([*_list_relations(graph), *_list_relations(known)])
    entries = _list_entries(graph, relations, reading, None)
    others = _list_entries(known, relations, reading, counterpart)
    keys = _number_items(graph.n, len(relations), reading, entries, others)
    found = _connect(entries, keys, relations, reading)
    return found, (others.indptr, keys.find(others.keys) + np.int64(graph.n), others.times)


@dataclass(frozen=True, eq=False)
class _Entries:
    """Entries of rows, each with the key w * (number of relations) + relation."""

    indptr: Ints
    keys: Ints
    times: Ints | None
    """The multiplicities; None if all are 1 or do not count."""


def _list_relations(graph: Graph) -> tuple[Relation, ...]:
    """Return the relations of a graph; one without directions and kinds has one, if it has links."""
    if graph.ties is not None:
        return graph.ties.relations
    return (Relation(None, "both"),) if graph.m else ()


def _list_entries(
    graph: Graph, relations: tuple[Relation, ...], reading: Reading, counterpart: Ints | None
) -> _Entries:
    """List the entries of a graph, with neighbors by their counterparts; those without one are left out."""
    if graph.ties is None:
        indptr, near, relation = graph.indptr, graph.indices, np.zeros(len(graph.indices), dtype=np.int32)
        times = np.ones(len(near), dtype=np.int32) if graph.multiplicity is None else graph.multiplicity
    else:
        indptr, near, relation, times = graph.ties.expand(graph.indptr, graph.indices)
    mine = _list_relations(graph)
    if relations != mine and len(relation):
        relation = np.array([relations.index(one) for one in mine], dtype=np.int32)[relation]
    counted = reading != "neighbors" and graph.is_multigraph
    if counterpart is not None:
        near = counterpart[near]
        there = near >= 0
        indptr = np.concatenate([[0], np.cumsum(there)])[indptr]
        near, relation, times = near[there], relation[there], times[there]
    keys = near.astype(np.int64)
    keys *= len(relations)
    keys += relation
    return _Entries(indptr, keys, times if counted else None)


@dataclass(frozen=True, eq=False)
class _Keys:
    """The distinct keys of items, ascending, and a table from keys to their positions where it is small."""

    keys: Ints
    table: Ints | None

    def find(self, keys: Ints) -> Ints:
        """Return the position of each key."""
        found: Ints = np.searchsorted(self.keys, keys).astype(np.int32) if self.table is None else self.table[keys]
        return found


def _number_items(n: int, many: int, reading: Reading, *entries: _Entries) -> _Keys:
    """Number the items that occur among n vertices and so many relations.

    In the located reading an entry that no vertex has still says where w is, so w gets one such item if there is one.
    """
    small = n * many <= max(WIDE, 4 * sum(len(some.keys) for some in entries))
    if small:
        there = np.zeros(n * many, dtype=np.bool_)
        for some in entries:
            there[some.keys] = True
        keys = np.flatnonzero(there)
    else:
        keys = np.unique(np.concatenate([some.keys for some in entries]))
    if reading == "located-relations":
        keys = _add_empty_items(keys, n, many)
    if n + len(keys) >= 2**31:
        raise BadGraph(f"A graph must have fewer than 2**31 vertices and entries of rows. Got {n + len(keys):,}.")
    if not small:
        return _Keys(keys, None)
    table = np.empty(n * many, dtype=np.int32)
    table[keys] = np.arange(len(keys), dtype=np.int32)
    return _Keys(keys, table)


def _add_empty_items(keys: Ints, n: int, many: int) -> Ints:
    """Add for each vertex its first relation that does not occur, if there is one.

    >>> _add_empty_items(np.array([0, 1, 3]), 3, 2).tolist()
    [0, 1, 2, 3, 4]
    """
    owner = keys // many
    first = np.searchsorted(owner, np.arange(n))
    used = np.bincount(owner[keys % many == np.arange(len(keys)) - first[owner]], minlength=n)
    more = np.flatnonzero(used < many)
    return np.union1d(keys, more * many + used[more])


def _connect(entries: _Entries, keys: _Keys, relations: tuple[Relation, ...], reading: Reading) -> Incidence:
    """Return the rows over the items, and the columns of the items."""
    n, many, end = len(entries.indptr) - 1, len(relations), len(entries.keys)
    items = keys.find(entries.keys)
    at, bounds = list_members_by_class(items)
    empty = np.full(len(keys.keys) + 1 - len(bounds), end, dtype=np.int64)  # items that no row has may come last
    indptr = np.concatenate([entries.indptr, end + bounds[1:], end + empty])
    indices = np.empty(2 * end, dtype=np.int32)
    np.add(items, np.int32(n), out=indices[:end])
    np.take(np.repeat(np.arange(n, dtype=np.int32), np.diff(entries.indptr)), at, out=indices[end:])
    weights = NONE if entries.times is None else np.concatenate([entries.times, entries.times[at]]).astype(np.int32)
    first = n + np.searchsorted(keys.keys, np.arange(n + 1) * many)
    labels = (keys.keys % many).astype(np.int32)
    return Incidence(reading, n, indptr, indices, weights, first, labels, relations)
