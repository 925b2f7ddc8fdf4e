"""Canonical forms and automorphisms of small colored graphs, by BLISS (inside igraph).

Edges may carry weights (multiplicities). BLISS knows only vertex colors, so an edge whose weight is not 1 becomes a
path through a vertex of its own whose color tells the weight.

Twins can change places, which makes groups of automorphisms as large as the leaves of a hub are many. So a class of
twins becomes one vertex first, whose color tells how many they are and whether they are linked. Two graphs are
isomorphic if and only if the folded ones are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.engines import Ints
from shoal.engines.local.grouping import first_members, group_twins, members_by_class

FEW = 64
"""In a graph of fewer vertices twins cost less than looking for them."""


@dataclass(frozen=True, eq=False)
class Folded:
    """A colored graph with one vertex for each class of twins."""

    colors: Ints
    """A row per class: the color, how many twins there are, and whether they are linked."""
    edges: Ints
    """Rows (i, j, weight) between classes."""
    twins: Ints
    """The class of each vertex, by first appearance."""

    @classmethod
    def of(cls, colors: Ints, edges: Ints) -> Folded:
        """Fold a graph, or leave a small one as it is."""
        if len(colors) < FEW:
            alone = np.ones_like(colors)
            return cls(np.stack([colors, alone, 0 * alone], 1), edges, np.arange(len(colors)))
        twins, linked = _twins(colors, edges)
        first = first_members(twins)
        leads = np.zeros(len(colors), dtype=np.bool_)
        leads[first] = True
        kept = edges[leads[edges[:, 0]] & leads[edges[:, 1]]]
        between = np.column_stack([twins[kept[:, :2]], kept[:, 2]])
        return cls(np.stack([colors[first], np.bincount(twins), linked[first]], 1), between, twins)

    def unfold(self, place: Ints) -> Ints:
        """Return places of the vertices from those of the classes: twins follow each other."""
        sizes, order = self.colors[:, 1], np.argsort(place)
        before = np.empty_like(sizes)
        before[order] = np.cumsum(sizes[order]) - sizes[order]
        members, bounds = members_by_class(self.twins)
        rank = np.empty_like(members)
        rank[members] = np.arange(len(members)) - bounds[self.twins[members]]
        return before[self.twins] + rank


def _twins(colors: Ints, edges: Ints) -> tuple[Ints, Ints]:
    """Return the classes of twins of one color, and which vertices are linked to theirs."""
    ends = np.concatenate([edges[:, :2], edges[:, 1::-1]])
    order = np.argsort(ends[:, 0], kind="stable")
    ptr = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=len(colors)))])
    items, weights = ends[order, 1].astype(np.int32), np.tile(edges[:, 2], 2)[order].astype(np.int32)
    twins, linked = group_twins(ptr, items, np.arange(len(colors)), weights, colors)
    return twins, linked.astype(np.int64)


def canonical_form(colors: Ints, edges: Ints) -> tuple[bytes, Ints]:
    """Return bytes that two colored graphs share if and only if they are isomorphic, and the order that gives them.

    Parameters
    ----------
    colors
        One color per vertex; an isomorphism preserves colors.
    edges
        Rows (i, j, weight) with i != j and weight >= 1.

    Examples
    --------
    A path has one form however it is numbered, and another one with its middle marked:

    >>> path, other = np.array([[0, 1, 1], [1, 2, 1]]), np.array([[0, 2, 1], [1, 2, 1]])
    >>> canonical_form(np.zeros(3, int), path)[0] == canonical_form(np.zeros(3, int), other)[0]
    True
    >>> canonical_form(np.array([0, 1, 0]), path)[0] == canonical_form(np.zeros(3, int), path)[0]
    False
    """
    import igraph

    folded = Folded.of(colors, edges)
    shades, palette, links = _subdivided(folded.colors, folded.edges)
    graph = igraph.Graph(n=len(shades), edges=links)
    # igraph 1.x lists which vertex comes to each place; before 1.0 it listed the place of each vertex
    place = np.argsort(np.array(graph.canonical_permutation(color=shades.tolist()), dtype=np.int64))
    ends = np.sort(place[links], axis=1) if len(links) else np.empty((0, 2), dtype=np.int64)
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    painted = np.empty_like(shades)
    painted[place] = shades
    head = np.array([len(colors), len(shades), len(palette)], dtype=np.int64)
    form = b"".join(part.tobytes() for part in (head, palette.astype(np.int64), painted, ends))
    return form, folded.unfold(place[: len(folded.colors)])


def automorphism_orbits(colors: Ints, edges: Ints) -> Ints:
    """Return for each vertex the smallest vertex that an automorphism maps it to.

    >>> automorphism_orbits(np.zeros(3, int), np.array([[0, 1, 1], [1, 2, 1]])).tolist()
    [0, 1, 0]
    """
    import igraph

    folded = Folded.of(colors, edges)
    shades, _, links = _subdivided(folded.colors, folded.edges)
    graph = igraph.Graph(n=len(shades), edges=links)
    leader = np.arange(len(shades))
    for generator in graph.automorphism_group(color=shades.tolist()):
        for a, b in enumerate(generator):
            if a != b:
                x, y = sorted((_root(leader, a), _root(leader, b)))
                leader[y] = x
    roots = [_root(leader, c) for c in range(len(folded.colors))]
    least: Ints = first_members(folded.twins)[roots]
    return least[folded.twins]


def _root(leader: Ints, v: int) -> int:
    while leader[v] != v:
        leader[v] = leader[leader[v]]
        v = int(leader[v])
    return v


def _subdivided(colors: Ints, edges: Ints) -> tuple[Ints, Ints, Ints]:
    """Return dense vertex colors, what each stands for, and plain links of the graph with weighted edges subdivided."""
    n = len(colors)
    plain = edges[:, 2] == 1
    heavy = edges[~plain]
    middle = n + np.arange(len(heavy))
    meaning = np.concatenate(
        [
            np.column_stack([np.zeros(n, np.int64), colors]),
            np.column_stack([np.ones(len(heavy), np.int64), heavy[:, 2], np.zeros((len(heavy), 2), np.int64)]),
        ]
    )
    palette, shades = np.unique(meaning, axis=0, return_inverse=True)
    links = np.concatenate([edges[plain, :2], np.stack([heavy[:, 0], middle], 1), np.stack([middle, heavy[:, 1]], 1)])
    return shades.reshape(-1), palette, links
