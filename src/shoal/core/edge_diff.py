"""Edge difference of two graphs: the edges in both graphs, and the edges in only one of them.

`counterpart` holds the released id of each vertex of the original, -1 if it was not released. Without it, both graphs
have the same vertices.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph, join_ties


def number_edges(graph: Graph) -> Ints:
    """Return each linked pair as a number, ascending: the smaller id times n plus the larger id.

    >>> number_edges(Graph.from_pairs("abc", [1, 0], [2, 1])).tolist()
    [1, 5]
    """
    a, b, _ = graph.edges()
    return a * np.int64(graph.n) + b


@dataclass(frozen=True, eq=False)
class EdgeDifference:
    """The common edges of two graphs, per linked pair in the order of :meth:`Graph.edges`."""

    original: Graph
    released: Graph
    kept: Ints
    """For each linked pair of the original, the number of its edges that are also in the release."""
    known: Ints
    """For each linked pair of the release, the number of its edges that are also in the original."""
    counterpart: Ints | None = None
    """The released id of each vertex of the original; None if both graphs have the same vertices."""

    @property
    def both(self) -> int:
        """The number of edges in both graphs."""
        return int(self.kept.sum())

    @property
    def edits(self) -> int:
        """The number of edges in only one of the graphs."""
        return self.original.m + self.released.m - 2 * self.both

    @property
    def added(self) -> tuple[Ints, Ints, Ints | None]:
        """The edges that only the release has, in its ids, as :meth:`Graph.list_links` lists them."""
        if self._links is None:
            return *_list_edges_beyond(self.released, self.known), None
        return _list_links_beyond(self.released, self._links[1])

    @property
    def removed(self) -> tuple[Ints, Ints, Ints | None]:
        """The edges that only the original has, in its ids, as :meth:`Graph.list_links` lists them."""
        if self._links is None:
            return *_list_edges_beyond(self.original, self.kept), None
        return _list_links_beyond(self.original, self._links[0])

    @cached_property
    def _links(self) -> tuple[Ints, Ints] | None:
        """For each link of both graphs, how often the other graph has it; None if neither has directions or kinds."""
        ties = join_ties(self.original, self.released)
        if ties is None:
            return None
        at = {relation: i for i, relation in enumerate(ties.relations)}
        keys, times, n = [], [], self.released.n
        for g, ids in ((self.original, self.counterpart), (self.released, None)):
            assert g.ties is not None
            a, b, relation, often = g.links()
            a, b = (ends.astype(np.int64) if ids is None else ids[ends] for ends in (a, b))
            seen = np.array([at[one] for one in g.ties.relations], dtype=np.int64)[relation]
            turned = (a > b) & np.array([one.direction == "both" for one in ties.relations], dtype=np.bool_)[seen]
            a, b = np.where(turned, b, a), np.where(turned, a, b)
            keys.append(np.where((a < 0) | (b < 0), -1, (a * n + b) * len(ties.relations) + seen))
            times.append(often.astype(np.int64))
        _, mine, theirs = np.intersect1d(keys[0], keys[1], return_indices=True)  # no link of the release has the key -1
        common = np.minimum(times[0][mine], times[1][theirs])
        shared = np.zeros(len(keys[0]), dtype=np.int64), np.zeros(len(keys[1]), dtype=np.int64)
        shared[0][mine], shared[1][theirs] = common, common
        return shared


def find_edge_difference(original: Graph, released: Graph, counterpart: Ints | None = None) -> EdgeDifference:
    """Return the edge difference of two graphs.

    >>> path, ring = (Graph.from_pairs("abc", [0, 1, 0][:q], [1, 2, 2][:q]) for q in (2, 3))
    >>> found = find_edge_difference(path, ring)
    >>> found.kept.tolist(), found.known.tolist(), found.edits
    ([1, 1], [1, 0, 1], 1)

    No edge of a vertex that was not released is kept:

    >>> find_edge_difference(path, ring, np.array([0, 1, -1])).edits
    3

    Where links have directions or kinds, an edge is in both graphs if its direction and kind are the same:

    >>> there, back = (Graph.from_pairs("ab", [a], [1 - a], directed=True) for a in (0, 1))
    >>> find_edge_difference(there, back).edits, find_edge_difference(there, there).edits
    (2, 0)
    >>> [ends.tolist() for ends in find_edge_difference(there, back).added[:2]]  # from b to a
    [[1], [0]]
    """
    (a, b, often), (_, _, theirs) = original.edges(), released.edges()
    if counterpart is not None:
        a, b = counterpart[a], counterpart[b]
    mine, keys = np.minimum(a, b) * np.int64(released.n) + np.maximum(a, b), number_edges(released)
    at = np.searchsorted(keys, mine)
    here = np.flatnonzero((np.append(keys, -1)[at] == mine) & (a >= 0) & (b >= 0))
    kept, known = np.zeros(len(mine), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    if original.ties is None and released.ties is None:
        kept[here] = np.minimum(_read_multiplicities(mine, often)[here], _read_multiplicities(keys, theirs)[at[here]])
    elif len(here):
        turned = a[here] > b[here]  # the released ids of the ends are in the other order
        kept[here] = _count_common_links(original, released, here, at[here], turned)
    known[at[here]] = kept[here]
    return EdgeDifference(original, released, kept, known, counterpart)


def _count_common_links(original: Graph, released: Graph, mine: Ints, theirs: Ints, turned: Bools) -> Ints:
    """Count the links that two graphs have in common, for some linked pairs, by their positions in `edges`.

    `turned` says for which pairs the smaller id of the original is the larger id of the release.
    """
    ties = join_ties(original, released)
    assert ties is not None
    entries = len(original.indices)
    sides = [
        codes[np.repeat(np.arange(g.n, dtype=np.int32), np.diff(g.indptr)) < g.indices]
        for g, codes in ((original, ties.codes[:entries]), (released, ties.codes[entries:]))
    ]
    seen = sides[0][mine].copy()
    seen[turned] = ties.reverse[seen[turned]]
    both, which = np.unique(np.stack([seen, sides[1][theirs]], axis=1), axis=0, return_inverse=True)
    common = [sum((Counter(dict(ties.bundles[x])) & Counter(dict(ties.bundles[y]))).values()) for x, y in both.tolist()]
    found: Ints = np.array(common, dtype=np.int64)[which.reshape(-1)]
    return found


def count_edits(before: Graph, after: Graph) -> int:
    """Return the number of edges in only one of two graphs on the same vertices."""
    return find_edge_difference(before, after).edits


def _read_multiplicities(pairs: Ints, often: Ints | None) -> Ints:
    return np.ones(len(pairs), dtype=np.int64) if often is None else often.astype(np.int64)


def _list_edges_beyond(graph: Graph, common: Ints) -> tuple[Ints, Ints]:
    a, b, often = graph.edges()
    more = _read_multiplicities(a, often) - common
    return np.repeat(a, more), np.repeat(b, more)


def _list_links_beyond(graph: Graph, common: Ints) -> tuple[Ints, Ints, Ints]:
    a, b, relation, times = graph.links()
    more = times - common
    return np.repeat(a, more), np.repeat(b, more), np.repeat(relation, more)
