"""Rows by relation: the links of each vertex, apart by direction and kind, for matching two networks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.data.ties import Relation, find_starts, sort_relations

Rows = tuple[Ints, ...]
"""The arrays of a graph for compiled loops: only rows of neighbors, or rows by relation."""


@dataclass(frozen=True, eq=False)
class RelationRows:
    """The entries of a graph with ties twice: by neighbor, and by relation.

    The links of v by one relation are a slot. Slots are sorted by vertex and by relation.
    """

    indptr: Ints
    near: Ints
    """The neighbors of each vertex, ascending, each once for each relation to it."""
    relation: Ints
    """The relation of each entry of `near`."""
    first: Ints
    """The slots of v are first[v] to first[v + 1] - 1."""
    relations: Ints
    """The relation of each slot."""
    bounds: Ints
    """Slot s has the members bounds[s] to bounds[s + 1] - 1."""
    members: Ints
    """The neighbors in each slot, ascending."""

    @classmethod
    def of(cls, graph: Graph, relations: tuple[Relation, ...]) -> RelationRows:
        """Return the rows of a graph with ties, whose relations are among `relations`.

        >>> g = Graph.from_pairs("abc", [0, 2, 0], [1, 0, 2], directed=True)
        >>> rows = RelationRows.of(g, g.ties.relations)  # a links to b and c, and is linked from c
        >>> rows.relations.tolist(), rows.bounds.tolist(), rows.members.tolist()
        ([0, 1, 1, 0, 1], [0, 2, 3, 4, 5, 6], [1, 2, 2, 0, 0, 0])
        """
        assert graph.ties is not None
        indptr, near, relation, _ = graph.entries()
        place = np.array([relations.index(one) for one in graph.ties.relations], dtype=np.int32)
        relation = place[relation]
        keys = np.repeat(np.arange(graph.n) * len(relations), np.diff(indptr)) + relation
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = find_starts(keys)
        first = np.searchsorted(keys[starts], np.arange(graph.n + 1) * len(relations))
        slots = (keys[starts] % len(relations)).astype(np.int32)
        return cls(indptr, near, relation, first, slots, np.append(starts, len(keys)), near[order])

    @property
    def arrays(self) -> Rows:
        """The arrays, in the order of the fields."""
        return self.indptr, self.near, self.relation, self.first, self.relations, self.bounds, self.members


def pair_rows(g: Graph, h: Graph) -> tuple[Rows, Rows]:
    """Return the rows of two graphs: by relation if links have directions or kinds, which correspond by label.

    Rows by relation end with the reverse of each relation.
    """
    if g.ties is None or h.ties is None:
        return (g.indptr, g.indices), (h.indptr, h.indices)
    relations = sort_relations([*g.ties.relations, *h.ties.relations])
    reversals = np.array([relations.index(one.reverse) for one in relations], dtype=np.int32)
    one, other = (RelationRows.of(graph, relations).arrays for graph in (g, h))
    return (*one, reversals), (*other, reversals)


def count_neighbors(graph: Graph) -> Ints:
    """Return the number of neighbors of each vertex, whatever links join them.

    >>> count_neighbors(Graph.from_pairs("ab", [0, 1], [1, 0], directed=True)).tolist()
    [1, 1]
    """
    return np.diff(graph.indptr)
