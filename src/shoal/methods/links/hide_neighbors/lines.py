"""Lines: the links of each vertex by relation, so that searches for plain graphs also run on directions and kinds.

Let R be the number of relations. Line v * R + r lists the vertices that v is linked to by relation r. An attacker who
knows the entry (w, r) finds as candidates the vertices on one line of w: that of the reverse of r. Without directions
and kinds R is 1, and the lines are the rows of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.graph import Graph


def count_relations(graph: Graph) -> int:
    """Return the number of relations; 1 without directions and kinds."""
    return 1 if graph.ties is None else len(graph.ties.relations)


@dataclass(frozen=True, eq=False)
class Lines:
    """The vertices on each line, in compressed sparse rows."""

    n: int
    indptr: Ints
    indices: Ints
    reversals: Ints
    """For each relation the one that the other end sees."""

    @classmethod
    def of(cls, graph: Graph, like: Graph | None = None) -> Lines:
        """Return the lines of a graph, with the relations of another one that has all of them.

        >>> found = Lines.of(Graph.from_pairs("abc", [0, 0], [1, 2], directed=True))  # out and in
        >>> found.degree.tolist(), found.indices.tolist()
        ([2, 0, 0, 1, 0, 1], [1, 2, 0, 0])
        """
        ties = (like or graph).ties
        if graph.ties is None or ties is None:
            return cls(graph.n, graph.indptr, graph.indices, np.zeros(1, dtype=np.int64))
        indptr, near, relation, _ = graph.entries()
        if graph.ties.relations != ties.relations:
            relation = np.array([ties.relations.index(one) for one in graph.ties.relations])[relation]
        many = len(ties.relations)
        at = np.repeat(np.arange(graph.n, dtype=np.int64), np.diff(indptr)) * many + relation
        bounds = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=graph.n * many))])
        return cls(graph.n, bounds, near[np.argsort(at, kind="stable")], ties.reversals.astype(np.int64))

    @property
    def many(self) -> int:
        """The number of relations."""
        return len(self.reversals)

    @property
    def degree(self) -> Ints:
        """The number of vertices on each line."""
        return np.diff(self.indptr)

    def list_free(self) -> Iterator[tuple[int, int]]:
        """Yield each link that may be added, as a vertex and the line of the other end that it comes to be on.

        >>> list(Lines.of(Graph.from_pairs("abc", [0, 0], [1, 2])).list_free())
        [(1, 2)]
        """
        for r, back in enumerate(self.reversals.tolist()):
            for u in range(self.n):
                there = set(self.indices[self.indptr[u * self.many + r] : self.indptr[u * self.many + r + 1]].tolist())
                others = range(u + 1 if r == back else 0, self.n if r <= back else 0)
                yield from ((u, v * self.many + back) for v in others if v != u and v not in there)


@dataclass(frozen=True, eq=False)
class Layer:
    """The links of one kind, with a direction or without, as a graph of lines.

    Without direction the lines are the vertices. With it, line 2v is v as a source, line 2v + 1 is v as a target, and
    an arc from u to v links 2u and 2v + 1. So an edit of a link is an edit of this graph.
    """

    graph: Graph
    sides: int
    """The number of lines for each vertex: 1 or 2."""
    relation: int
    """How the source of a link sees it."""


def split_layers(graph: Graph) -> Iterator[Layer]:
    """Yield the layers of a graph. A graph without directions and kinds is its only layer.

    >>> g = Graph.from_pairs("ab", [0, 0], [1, 1], directed=[True, False])
    >>> [(layer.sides, list(layer.graph.each_edge())) for layer in split_layers(g)]
    [(1, [(0, 1)]), (2, [(0, 3)])]
    """
    if graph.ties is None:
        yield Layer(graph, 1, 0)
        return
    a, b, relation, _ = graph.links()
    for r, one in enumerate(graph.ties.relations):
        here = relation == r
        if one.direction == "both":
            yield Layer(Graph.from_pairs(range(graph.n), a[here], b[here]), 1, r)
        elif one.direction == "out":
            ends = 2 * a[here].astype(np.int64), 2 * b[here].astype(np.int64) + 1
            yield Layer(Graph.from_pairs(range(2 * graph.n), *ends), 2, r)


def join_layers(original: Graph, layers: Iterable[Layer]) -> Graph:
    """Return the graph that has these layers; its vertices are those of the original."""
    parts: list[tuple[Ints, Ints, Ints]] = []
    for layer in layers:
        a, b, _ = layer.graph.edges()
        if layer.sides == 2:
            source, target = np.where(a % 2, b, a), np.where(a % 2, a, b)
            a, b = source // 2, target // 2
        parts.append((a, b, np.full(len(a), layer.relation)))
    a, b, relation = (np.concatenate(part) for part in zip(*parts, strict=True))
    return original.with_links(a, b, relation)
