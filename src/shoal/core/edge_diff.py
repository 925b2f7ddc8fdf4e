"""Edge difference of two graphs: the edges that both have, and those that only one of them has.

Vertices correspond by a counterpart: for each vertex of the original the id of the released one that it is, -1 where it
was not released. Without one, both graphs are over the same vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.graph import Graph


def number_edges(graph: Graph) -> Ints:
    """Return each linked pair as a number, ascending: the smaller id times n plus the larger one.

    >>> number_edges(Graph.from_pairs("abc", [1, 0], [2, 1])).tolist()
    [1, 5]
    """
    a, b, _ = graph.edges()
    return a * np.int64(graph.n) + b


@dataclass(frozen=True, eq=False)
class EdgeDifference:
    """What two graphs have in common, linked pair by linked pair, as :meth:`Graph.edges` lists them."""

    original: Graph
    released: Graph
    kept: Ints
    """For each linked pair of the original, how many of its edges the release has too."""
    known: Ints
    """For each linked pair of the release, how many of its edges the original has too."""

    @property
    def both(self) -> int:
        """How many edges both have."""
        return int(self.kept.sum())

    @property
    def edits(self) -> int:
        """How many edges only one of them has."""
        return self.original.m + self.released.m - 2 * self.both

    @property
    def added(self) -> tuple[Ints, Ints]:
        """The ends of the edges that only the release has, in its ids, each as often as it came."""
        return _list_edges_beyond(self.released, self.known)

    @property
    def removed(self) -> tuple[Ints, Ints]:
        """The ends of the edges that only the original has, in its ids, each as often as it went."""
        return _list_edges_beyond(self.original, self.kept)


def find_edge_difference(original: Graph, released: Graph, counterpart: Ints | None = None) -> EdgeDifference:
    """Find out which edges two graphs have in common.

    >>> path, ring = (Graph.from_pairs("abc", [0, 1, 0][:q], [1, 2, 2][:q]) for q in (2, 3))
    >>> found = find_edge_difference(path, ring)
    >>> found.kept.tolist(), found.known.tolist(), found.edits
    ([1, 1], [1, 0, 1], 1)

    Of a vertex that was not released no edge is kept:

    >>> find_edge_difference(path, ring, np.array([0, 1, -1])).edits
    3
    """
    (a, b, often), (_, _, theirs) = original.edges(), released.edges()
    if counterpart is not None:
        a, b = counterpart[a], counterpart[b]
    mine, keys = np.minimum(a, b) * np.int64(released.n) + np.maximum(a, b), number_edges(released)
    at = np.searchsorted(keys, mine)
    here = np.flatnonzero((np.append(keys, -1)[at] == mine) & (a >= 0) & (b >= 0))
    kept, known = np.zeros(len(mine), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    kept[here] = np.minimum(_read_multiplicities(mine, often)[here], _read_multiplicities(keys, theirs)[at[here]])
    known[at[here]] = kept[here]
    return EdgeDifference(original, released, kept, known)


def count_edits(before: Graph, after: Graph) -> int:
    """Count the edges that only one of two graphs over the same vertices has."""
    return find_edge_difference(before, after).edits


def _read_multiplicities(pairs: Ints, often: Ints | None) -> Ints:
    return np.ones(len(pairs), dtype=np.int64) if often is None else often.astype(np.int64)


def _list_edges_beyond(graph: Graph, common: Ints) -> tuple[Ints, Ints]:
    a, b, often = graph.edges()
    more = _read_multiplicities(a, often) - common
    return np.repeat(a, more), np.repeat(b, more)
