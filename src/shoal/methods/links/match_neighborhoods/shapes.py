"""The 1-neighborhoods of a changing graph, grouped by isomorphism (neighborhoods as in Zhou & Pei 2008).

The shape of v is its label and the components of the labeled subgraph that its neighbors induce. Two neighborhoods are
isomorphic if and only if the labels of the centers and the multisets of components agree (the center itself is linked
to all, and adds nothing). A link between a and b belongs to the neighborhoods of a, of b and of their common neighbors.
These vertices *see* the link. A label belongs to the neighborhoods of its vertex and of the neighbors of that vertex.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from shoal.core.grouping import group_columns
from shoal.data.arrays import Ints
from shoal.data.column import Column
from shoal.data.graph import Graph
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.methods.tables.ladders import Rungs, build_hierarchies, read_rungs

Pair = tuple[int, int]
Undo = list[tuple[int, int, int]]
"""Updated vertices, with their former shape and number of links among neighbors."""


class Components:
    """Numbers for connected labeled graphs: the same number if and only if they are isomorphic."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}
        self._forms: dict[Any, int] = {}
        self.sizes: list[int] = []

    def number(self, vertices: list[int], inner: dict[int, set[int]], label: list[int]) -> int:
        """Return the number of the component with these vertices; `inner` holds their neighbors in it."""
        size = len(vertices)
        if all(len(inner[u]) == size - 1 for u in vertices):
            return self.clique(label[u] for u in vertices)
        drawing = _draw_component(vertices, inner, label)
        found = self._known.get(drawing)
        if found is None:
            found = self._known[drawing] = self._find_number(_find_form(drawing), size)
        return found

    def clique(self, labels: Iterable[int]) -> int:
        """Return the number of the complete graph with these labels."""
        form = tuple(sorted(labels))
        return self._find_number(("clique", *form), len(form))

    def _find_number(self, form: Any, size: int) -> int:
        number = self._forms.setdefault(form, len(self._forms))
        if number == len(self.sizes):
            self.sizes.append(size)
        return number


def _draw_component(vertices: list[int], inner: dict[int, set[int]], label: list[int]) -> tuple[Any, ...]:
    """Return labels and rows in an order that depends little on the numbers of the vertices.

    Equal drawings prove an isomorphism. For different drawings the canonical form decides.
    """
    color: dict[int, Any] = {u: (label[u], len(inner[u])) for u in vertices}
    for _ in range(2):
        finer = {u: (color[u], tuple(sorted(color[w] for w in inner[u]))) for u in vertices}
        rank = {one: place for place, one in enumerate(sorted(set(finer.values())))}
        color = {u: rank[finer[u]] for u in vertices}
    order = sorted(vertices, key=color.__getitem__)
    bit = {u: 1 << place for place, u in enumerate(order)}
    return tuple(label[u] for u in order), tuple(sum(bit[w] for w in inner[u]) for u in order)


def _find_form(drawing: tuple[Any, ...]) -> tuple[Any, ...]:
    import igraph

    labels, rows = drawing
    links = [(j, i) for i, row in enumerate(rows) for j in range(i) if row >> j & 1]
    comes = igraph.Graph(n=len(rows), edges=links).canonical_permutation(color=list(labels))
    place = [0] * len(comes)
    for position, one in enumerate(comes):
        place[one] = position
    ends = sorted((min(place[a], place[b]), max(place[a], place[b])) for a, b in links)
    return tuple(labels[one] for one in comes), tuple(ends)


class Shapes:
    """A changing graph, with its vertices grouped by the shape of their neighborhood."""

    def __init__(self, near: list[set[int]], label: list[int], k: int) -> None:
        self.near, self.label, self.k = near, label, k
        self.n = len(near)
        self.components = Components()
        self._numbers: dict[Any, int] = {}
        self.keys: list[tuple[int, tuple[int, ...]]] = []
        self.members: list[set[int]] = []
        self.inner = np.zeros(self.n, dtype=np.int64)
        self.degree = np.array([len(row) for row in near], dtype=np.int64)
        self.below = 0
        self.looked = 0
        self.shape = [-1] * self.n
        for v in range(self.n):
            self._enter(v, *self._number_shape(v))

    def parts(self, v: int) -> Iterator[tuple[list[int], dict[int, set[int]]]]:
        """Yield the components of the neighborhood of v: their vertices, and the adjacency inside."""
        around = self.near[v]
        inner = {u: self.near[u] & around for u in around}
        left = set(around)
        while left:
            found = [left.pop()]
            for u in found:
                fresh = inner[u] & left
                left -= fresh
                found.extend(fresh)
            yield found, inner

    def _number_shape(self, v: int) -> tuple[int, int]:
        """Return the number of the shape of v, and the number of links among its neighbors."""
        found, edges = [], 0
        for vertices, inner in self.parts(v):
            found.append(self.components.number(vertices, inner, self.label))
            edges += sum(len(inner[u]) for u in vertices)
        return self.number((self.label[v], tuple(sorted(found)))), edges // 2

    def number(self, key: tuple[int, tuple[int, ...]]) -> int:
        """Return the number of the shape with a label and components."""
        number = self._numbers.setdefault(key, len(self.keys))
        if number == len(self.keys):
            self.keys.append(key)
            self.members.append(set())
        return number

    def _enter(self, v: int, shape: int, edges: int) -> None:
        members = self.members[shape]
        self.shape[v], self.inner[v] = shape, edges
        members.add(v)
        size = len(members)
        self.below += 1 if size < self.k else 1 - self.k if size == self.k else 0

    def _leave(self, v: int) -> None:
        members = self.members[self.shape[v]]
        size = len(members)
        members.remove(v)
        self.below -= 1 if size < self.k else 1 - self.k if size == self.k else 0

    def shapes_beside(self, members: Iterable[int], label: int) -> tuple[int, ...]:
        """Return the shapes that some vertices would have if a new vertex were linked to exactly these."""
        members = tuple(members)
        self.near.append(set())
        self.label.append(label)
        pairs = self.link((self.n, x) for x in members)
        found = tuple(self._number_shape(x)[0] for x in members)
        self.unlink(pairs)
        self.near.pop()
        self.label.pop()
        return found

    def size(self, v: int) -> int:
        """Return the number of vertices with the neighborhood of v, itself included."""
        return len(self.members[self.shape[v]])

    def list_short(self) -> list[int]:
        """Return the vertices below k: in classes of fewer than k members."""
        return [v for members in self.members if 0 < len(members) < self.k for v in members]

    def link(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Add links without updating shapes. Return those that are new."""
        fresh = []
        for a, b in pairs:
            if b not in self.near[a]:
                self.near[a].add(b)
                self.near[b].add(a)
                fresh.append((a, b))
        return fresh

    def unlink(self, pairs: Iterable[Pair]) -> None:
        """Remove links without updating shapes."""
        for a, b in pairs:
            self.near[a].remove(b)
            self.near[b].remove(a)

    def find_seers(self, pairs: Iterable[Pair]) -> set[int]:
        """Return the vertices whose neighborhoods contain one of these links."""
        found: set[int] = set()
        for a, b in pairs:
            found |= {a, b}
            found |= self.near[a] & self.near[b]
        return found

    def look(self, vertices: Iterable[int]) -> Undo:
        """Update the shapes of some vertices. Return the data to undo this."""
        undo: Undo = []
        for v in sorted(vertices):
            shape, edges = self._number_shape(v)
            self.degree[v] = len(self.near[v])
            self.looked += 1 + edges + len(self.near[v])
            if shape != self.shape[v]:
                undo.append((v, self.shape[v], int(self.inner[v])))
                self._leave(v)
                self._enter(v, shape, edges)
        return undo

    def forget(self, undo: Undo) -> None:
        """Undo an update by `look`."""
        for v, shape, edges in undo:
            self._leave(v)
            self._enter(v, shape, edges)
            self.degree[v] = len(self.near[v])


# Vertex labels at one level of their hierarchies, and the loss of each choice of levels.
#
# The loss of a label is (q - 1) / (d - 1), the normalized certainty penalty along the hierarchy. The column has d
# distinct values (missing counts as one), and q of them are published as the same value. Above the last level every
# label is "*".

MANY = 100
"""If there are more choices of levels than this, all columns are raised together."""


@dataclass(frozen=True)
class Labels:
    """The label columns of a graph, with their generalizations."""

    graph: Graph
    names: tuple[str, ...]
    rungs: tuple[Rungs, ...]

    @classmethod
    def of(cls, graph: Graph, names: tuple[str, ...], hierarchies: Mapping[str, Any] | None, who: str) -> Labels:
        """Read columns and hierarchies. A column without a hierarchy is published unchanged or suppressed."""
        given = build_hierarchies(hierarchies, names, who)
        columns = {name: graph.attributes[name] for name in names}
        ways = {name: given[name] if name in given else Hierarchy.flat(one) for name, one in columns.items()}
        return cls(graph, names, tuple(read_rungs(name, columns[name], ways[name], who) for name in names))

    def choices(self) -> Iterator[tuple[int, ...]]:
        """Yield the choices of levels, one level per column; the last one suppresses all labels."""
        depths = [len(rungs.levels) + 1 for rungs in self.rungs]
        if prod(depths) <= MANY:
            yield from product(*map(range, depths))
        else:
            for level in range(max(depths)):
                yield tuple(min(level, depth - 1) for depth in depths)

    def column(self, at: int, level: int) -> Column:
        """Return a column at a level."""
        rungs = self.rungs[at]
        if level < len(rungs.levels):
            return rungs.column(level) if level else self.graph.attributes[self.names[at]]
        return rungs.column(0, np.ones(self.graph.n, dtype=np.bool_))

    def table(self, levels: tuple[int, ...]) -> Table:
        """Return all attributes, with the labels at these levels."""
        raised = {name: self.column(at, level) for at, (name, level) in enumerate(zip(self.names, levels, strict=True))}
        return self.graph.attributes.with_columns(raised) if raised else self.graph.attributes

    def codes(self, levels: tuple[int, ...]) -> Ints:
        """Return one number per vertex; two are equal if and only if all labels are."""
        if not self.names:
            return np.zeros(self.graph.n, dtype=np.int64)
        return group_columns([self.column(at, level).codes for at, level in enumerate(levels)])

    def loss(self, levels: tuple[int, ...]) -> float:
        """Return the sum of the losses of all labels of all vertices."""
        return float(sum(self._losses[at][level] for at, level in enumerate(levels)))

    @cached_property
    def _losses(self) -> list[list[float]]:
        return [
            [*(_measure_loss(rungs, level) for level in rungs.levels), float(self._suppress(rungs))]
            for rungs in self.rungs
        ]

    def _suppress(self, rungs: Rungs) -> int:
        return self.graph.n if rungs.places > 1 else 0


def _measure_loss(rungs: Rungs, level: Column) -> float:
    if rungs.places == 1:
        return 0.0
    _, kind, many = np.unique(level.codes, return_inverse=True, return_counts=True)
    return float((rungs.often * (many[kind.reshape(-1)] - 1)).sum() / (rungs.places - 1))
