"""What the adversaries of some relations have in common: the worst of many known sets, found by search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations

import numpy as np

from shoal.core.known_sets import count_fewest, count_fewest_in_release, find_fewest_set
from shoal.core.types import Ints, Reading
from shoal.data.graph import Graph
from shoal.knowledge.candidates import Alike, Candidates, Fact, Found, Worst, known_too
from shoal.knowledge.view import View


def worst_subset(view: View, l: int, reading: Reading) -> Worst:
    """Return, for every vertex, the smallest candidate set that at most l known relations leave."""
    if view.original is not None:
        return _in_release(view, l, reading)
    graph = view.published
    sizes, proved = count_fewest(graph, l, reading)
    best, within = _best(view, l, reading, None), _within(view, l, reading)
    return Worst(sizes, _family(view, l, reading), proved, best, np.ones(graph.n, dtype=np.bool_), within)


def _best(view: View, l: int, reading: Reading, kind: Ints | None) -> Callable[[int], Found]:
    def best(v: int) -> Found:
        known = find_fewest_set(view.published, v, l, reading, kind)
        left = candidates_given(view, v, known, reading)
        return Found((fact(view, v, known, reading),), left if kind is None else left[kind[left] == kind[v]])

    return best


def _within(view: View, l: int, reading: Reading) -> Callable[[Candidates], Worst | None]:
    """Return how to search among the members of classes only: knowing the class as well."""

    def within(other: Candidates) -> Worst | None:
        if not isinstance(other, Alike):
            return None
        sizes, proved = count_fewest(view.published, l, reading, other.published)
        best, whole = _best(view, l, reading, other.published), np.ones(len(sizes), dtype=np.bool_)
        return known_too(other, Worst(sizes, _family(view, l, reading), proved, best, whole))

    return within


def _in_release(view: View, l: int, reading: Reading) -> Worst:
    sizes, proved, known = count_fewest_in_release(view.published, view.known_rows(), view.counterpart, l, reading)

    def best(v: int) -> Found:
        return Found((fact(view, v, known[v], reading),), candidates_given(view, v, known[v], reading))

    return Worst(sizes, _family(view, l, reading), proved, best, np.ones(len(sizes), dtype=np.bool_))


def _family(view: View, l: int, reading: Reading) -> Callable[[int], Iterator[Found]]:
    """Return how to go through all sets of at most l relations of a vertex."""

    def every(v: int) -> Iterator[Found]:
        columns = knowable(view, v, reading)
        for known in chain.from_iterable(combinations(columns, size) for size in range(l + 1)):
            ids = np.array(known, dtype=np.int64)
            yield Found((fact(view, v, ids, reading),), candidates_given(view, v, ids, reading))

    return every


def knowable(view: View, v: int, reading: Reading) -> list[int]:
    """Return the published vertices to which a relation of v may be known."""
    if reading in ("neighbors", "exact-neighbors"):
        row = view.counterpart[view.known.neighbors(v)]
        return row[row >= 0].tolist()  # type: ignore[no-any-return]
    there = view.counterpart[view.counterpart >= 0]
    return [x for x in np.sort(there).tolist() if reading == "relations" or x != view.counterpart[v]]


def candidates_given(view: View, v: int, known: Ints, reading: Reading) -> Ints:
    """Return who agrees with v on the published vertices `known`, straight from the definition."""
    fits = np.ones(view.published.n, dtype=np.bool_)
    for x in known.tolist():
        row = entries(view.published, x, reading)
        fits &= row == tie(view, v, x, reading)
        if reading == "located-relations":
            fits[x] = False
    return np.flatnonzero(fits)


def entries(graph: Graph, x: int, reading: Reading) -> Ints:
    """Return the entry of every vertex in column x."""
    row = np.zeros(graph.n, dtype=np.int64)
    plain = reading == "neighbors" or graph.multiplicity is None
    row[graph.neighbors(x)] = 1 if plain else graph.multiplicity[graph.indptr[x] : graph.indptr[x + 1]]  # type: ignore[index]
    return row


def tie(view: View, v: int, x: int, reading: Reading) -> int:
    """Return the entry of v in the column of the vertex that is published as x."""
    g, w = view.known, view.source[x]
    row = g.neighbors(v)
    at = int(np.searchsorted(row, w))
    if at == len(row) or row[at] != w:
        return 0
    return 1 if reading == "neighbors" or g.multiplicity is None else int(g.multiplicity[g.indptr[v] + at])


def fact(view: View, v: int, known: Ints, reading: Reading) -> Fact:
    """Say what is known: the names of the vertices, and how many links there are to each."""
    told = [(view.known.names[int(view.source[x])], tie(view, v, x, reading)) for x in known.tolist()]
    kind = "neighbors" if reading == "exact-neighbors" else reading
    return Fact(kind, {"known": told, "exactly": reading == "exact-neighbors"})
