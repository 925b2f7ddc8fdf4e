"""Smallest sets of known relations that leave fewer than k candidates, and the fewest candidates for l relations.

Vertices with equal rows are interchangeable, so the search runs for one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.core.grouping import NONE, find_first_members, group_multisets
from shoal.core.threads import announce_compilation, run_in_pieces, size_heavy_pieces
from shoal.core.types import Reading
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph

NODES = 200_000
"""The most search steps for one vertex."""

SETS = 2_000_000
"""The most sets that are tried for one vertex of an original."""

CODES: dict[Reading, int] = {"relations": 0, "located-relations": 1, "neighbors": 2, "exact-neighbors": 2}


def make_csr(graph: Graph, reading: Reading) -> Any:
    """Return the graph for compiled loops; the reading "neighbors" ignores multiplicities."""
    from shoal.kernels.relation_sets import Csr

    plain = reading == "neighbors" or graph.multiplicity is None
    return Csr(graph.indptr, graph.indices, NONE if plain else graph.multiplicity)


def find_exposing_sizes(graph: Graph, k: int, reading: Reading, most: int) -> tuple[Ints, Ints]:
    """Return, for every vertex, the size of the smallest set that leaves fewer than k candidates, and its meaning."""
    announce_compilation()
    from shoal.kernels import neighbor_sets, relation_sets

    weights = None if reading == "neighbors" else graph.multiplicity
    twins = group_multisets(graph.indptr, graph.indices, weights)
    _, todo = np.unique(twins, return_index=True)
    sizes, meaning = np.zeros(len(todo), dtype=np.int64), np.zeros(len(todo), dtype=np.int64)
    g = make_csr(graph, reading)
    plain = reading == "neighbors"

    def piece(first: int, last: int) -> None:
        if plain:
            neighbor_sets.exposing_sizes(first, last, todo, g.indptr, g.indices, k, most, NODES, sizes, meaning)
        else:
            relation_sets.exposing_sizes(first, last, todo, g, k, CODES[reading], most, NODES, sizes, meaning)

    run_in_pieces(piece, len(todo), "searching exposing sets", piece=size_heavy_pieces(len(todo)))
    return sizes[twins], meaning[twins]


def find_exposing_set(graph: Graph, v: int, k: int, reading: Reading, most: int) -> tuple[int, int, Ints]:
    """Return the size of a smallest set that leaves fewer than k candidates for v, its meaning, and the set."""
    announce_compilation()
    from shoal.kernels import neighbor_sets, relation_sets

    g, n = make_csr(graph, reading), graph.n
    chosen, spent = np.empty(n + 64, dtype=np.int64), np.zeros(1, dtype=np.int64)
    if reading == "neighbors":
        place, around = np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
        found = neighbor_sets.exposing_set(g.indptr, g.indices, v, k, most, NODES, place, around, spent, chosen)
    else:
        work = relation_sets.new_work(n, np.zeros(n, dtype=np.int64))
        found = relation_sets.exposing_set(g, v, k, CODES[reading], most, NODES, work, spent, chosen)
    return int(found[0]), int(found[1]), np.sort(chosen[: found[2]])


def count_fewest(graph: Graph, l: int, reading: Reading, kind: Ints | None = None) -> tuple[Ints, Bools]:
    """Return, for every vertex, the fewest candidates for at most l columns, and whether the number is exact."""
    announce_compilation()
    from shoal.kernels.fewest_candidates import all_fewest

    weights = None if reading == "neighbors" else graph.multiplicity
    twins = group_multisets(graph.indptr, graph.indices, weights, kind)
    _, todo = np.unique(twins, return_index=True)
    if l == 1 and kind is None and weights is None:
        return _count_fewest_of_one(graph, reading), np.ones(graph.n, dtype=np.bool_)
    sizes, proved = np.zeros(len(todo), dtype=np.int64), np.zeros(len(todo), dtype=np.bool_)
    g, kinds = make_csr(graph, reading), np.zeros(graph.n, dtype=np.int64) if kind is None else kind

    def piece(first: int, last: int) -> None:
        all_fewest(first, last, todo, g, kinds, l, CODES[reading], NODES, sizes, proved)

    run_in_pieces(piece, len(todo), "searching the fewest candidates", piece=size_heavy_pieces(len(todo)))
    return sizes[twins], proved[twins]


def _count_fewest_of_one(graph: Graph, reading: Reading) -> Ints:
    """Return the fewest candidates for one known relation.

    A known neighbor leaves its own neighbors. A known non-neighbor leaves all vertices except its neighbors.
    """
    n, degree = graph.n, np.diff(graph.indptr)
    ends = np.append(degree[graph.indices], n)
    least = np.where(degree > 0, np.minimum.reduceat(ends, graph.indptr[:-1]), n)
    if reading in ("neighbors", "exact-neighbors"):
        return least
    located = reading == "located-relations"
    highest = np.argsort(-degree, kind="stable").tolist()
    strangers = [_find_highest_stranger(graph, highest, v, located) for v in range(n)]
    return np.minimum(least, [n if x is None else n - located - int(degree[x]) for x in strangers])


def _find_highest_stranger(graph: Graph, highest: list[int], v: int, located: bool) -> int | None:
    """Return the first of `highest` that is not linked to v; v itself does not count if `located`."""
    near = set(graph.neighbors(v).tolist()) | ({v} if located else set())
    return next((x for x in highest if x not in near), None)


def find_fewest_set(graph: Graph, v: int, l: int, reading: Reading, kind: Ints | None = None) -> Ints:
    """Return at most l columns that leave the fewest candidates for v."""
    announce_compilation()
    from shoal.kernels.fewest_candidates import fewest_candidates
    from shoal.kernels.relation_sets import new_work

    n = graph.n
    work = new_work(n, np.zeros(n, dtype=np.int64) if kind is None else kind)
    chosen, best = np.empty(n + 64, dtype=np.int64), np.empty(n + 64, dtype=np.int64)
    spent = np.zeros(1, dtype=np.int64)
    _, _, size = fewest_candidates(make_csr(graph, reading), v, l, CODES[reading], NODES, work, spent, chosen, best)
    return np.sort(best[:size])


Rows = tuple[Ints, Ints, Ints | None]


def count_fewest_in_release(
    graph: Graph,
    known: Rows,
    own: Ints,
    l: int,
    reading: Reading,
) -> tuple[Ints, Bools, list[Ints]]:
    """Return the fewest candidates, at least one, for l facts of each known row, whether exact, and the facts."""
    announce_compilation()
    from shoal.kernels.fewest_candidates import attack
    from shoal.kernels.relation_sets import Csr

    ptr, items, weights = known
    weights = None if reading == "neighbors" else weights
    rows = Csr(ptr, items, NONE if weights is None else weights)
    blank = np.full(graph.n, -1, dtype=np.int64)
    blank[own[own >= 0]] = 0
    # In the located reading, equal rows do not give equal facts: no fact is about the vertex itself.
    located = reading == "located-relations"
    twins = np.arange(len(ptr) - 1) if located else group_multisets(ptr, items, weights)
    todo, l = find_first_members(twins), min(l, graph.n)
    n = len(todo)
    sizes, proved = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    best, lengths = np.full((n, l), -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    fixed = todo, rows, own, blank, make_csr(graph, reading), l, CODES[reading], SETS

    def piece(first: int, last: int) -> None:
        attack(first, last, *fixed, sizes, proved, best, lengths)

    run_in_pieces(piece, n, "attacking the release", piece=size_heavy_pieces(n))
    facts = [np.sort(best[i, : lengths[i]]) for i in range(n)]
    return sizes[twins], proved[twins], [facts[i] for i in twins.tolist()]


def measure_similarity_radii(graph: Graph, k: int, similarity: str) -> Ints:
    """Return, for each vertex, the k-th largest similarity of a row to its row, including its own."""
    announce_compilation()
    from shoal.core._kernels.similar_rows import MANHATTAN, TWO_PATH, radii

    radius = np.zeros(graph.n, dtype=np.int64)
    lowest = np.argsort(np.diff(graph.indptr), kind="stable")
    kind = TWO_PATH if similarity == "2-path" else MANHATTAN

    def piece(first: int, last: int) -> None:
        radii(first, last, graph.indptr, graph.indices, lowest, k, kind, radius)

    run_in_pieces(piece, graph.n, "comparing rows")
    return radius
