"""Smallest sets of known relations that leave fewer than k candidates, and the fewest candidates for l relations.

Known relations are items of an incidence. Vertices with equal rows are interchangeable, so the search runs for one of
them.
"""

from __future__ import annotations

import numpy as np

from shoal.core.grouping import NONE, find_first_members, group_multisets
from shoal.core.incidence import Incidence, Rows
from shoal.core.refinement import count_entries
from shoal.core.relation_pairs import CODES, count_fewest_of_one, find_fewest_pair, lower_by_pairs
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.settings import run_in_pieces, size_heavy_pieces, size_pieces_by_entries

EXACT, AT_LEAST, EVERY = 0, 1, 2
"""The meaning of the size of an exposing set: it is exact; no smaller set exposes; no set exposes."""

NODES = 200_000
"""The most search steps for one vertex."""

EASY = 100
"""Steps that are enough for nearly all vertices whose neighbors are known."""

SETS = 2_000_000
"""The most sets that are tried for one vertex of an original."""


def find_exposing_sizes(entries: Incidence, k: int, most: int) -> tuple[Ints, Ints]:
    """Return, for every vertex, the size of the smallest set that leaves fewer than k candidates, and its meaning."""
    if entries.reading == "neighbors":
        return _find_exposing_neighbors(entries, k, most)
    from shoal.core._kernels.relation_sets import exposing_sizes

    sizes, meaning = _find_exposing_pairs(entries, k, most)
    left = np.flatnonzero(meaning == AT_LEAST)
    if not len(left):
        return sizes, meaning
    _, at, twins = np.unique(group_multisets(*entries.rows)[left], return_index=True, return_inverse=True)
    todo, g, code = left[at], entries.csr, CODES[entries.reading]
    found, means = np.zeros(len(todo), dtype=np.int64), np.zeros(len(todo), dtype=np.int64)

    def piece(first: int, last: int) -> None:
        exposing_sizes(first, last, todo, g, k, code, most, NODES, found, means)

    run_in_pieces(piece, len(todo), "searching exposing sets", piece=size_heavy_pieces(len(todo)))
    found, means = found[twins], means[twins]
    sizes[left], meaning[left] = np.where(means == AT_LEAST, np.maximum(found, sizes[left]), found), means
    return sizes, meaning


def _find_exposing_pairs(entries: Incidence, k: int, most: int) -> tuple[Ints, Ints]:
    """Return who is exposed by one or two known entries, by counting; for the others, which size is at least needed."""
    sizes, meaning = np.ones(entries.n, dtype=np.int64), np.full(entries.n, AT_LEAST, dtype=np.int64)
    if k < 2 or not _can_count(entries, 1, None):
        return sizes, meaning
    fewest = count_fewest_of_one(entries)
    one = fewest < k
    sizes[~one], meaning[one] = 2, EXACT
    if most > 1:
        fewest, done = lower_by_pairs(entries, fewest, k - 1)
        meaning[fewest < k] = EXACT
        sizes[done & (fewest >= k)] = 3
    return sizes, meaning


def _find_exposing_neighbors(entries: Incidence, k: int, most: int) -> tuple[Ints, Ints]:
    """Do what `find_exposing_sizes` does, for neighbors.

    Degrees tell where one neighbor is enough, and where there is no other. Searches that take longer than most come
    last, in small pieces.
    """
    from shoal.core._kernels import exposing_sets as loops

    indptr, indices, rank = loops.sort_by_degree(entries.indptr, entries.indices)
    sizes, meaning, rest, twins, todo = loops.settle_by_degree(indptr, indices, rank[: entries.n], k)
    if not len(todo):
        return sizes, meaning
    rooms: list[loops.Room] = []  # one for each thread, used again for its next piece

    def search(todo: Ints, limit: int, piece: int) -> tuple[Ints, Ints]:
        found, means = np.zeros(len(todo), dtype=np.int64), np.zeros(len(todo), dtype=np.int64)

        def search_piece(first: int, last: int) -> None:
            room = rooms.pop() if rooms else loops.Room(indptr, indices, True)
            loops.exposing_sizes(first, last, todo, room, k, most, limit, found, means)
            rooms.append(room)

        run_in_pieces(search_piece, len(todo), "searching exposing sets", piece=piece)
        return found, means

    found, means = search(todo, EASY, size_pieces_by_entries(len(todo), len(indices)))
    left = (means == AT_LEAST).nonzero()[0]
    left = left[found[left] <= most] if len(left) else left
    if len(left):
        found[left], means[left] = search(todo[left], NODES, size_heavy_pieces(len(left)))
    sizes[rest], meaning[rest] = found.take(twins), means.take(twins)
    return sizes, meaning


def find_exposing_set(entries: Incidence, v: int, k: int, most: int) -> tuple[int, int, Ints]:
    """Return the size of a smallest set that leaves fewer than k candidates for v, its meaning, and the set."""
    from shoal.core._kernels import exposing_sets, relation_sets

    if entries.reading == "neighbors":
        room = exposing_sets.Room(entries.indptr, entries.indices)
        size, meaning, found = exposing_sets.exposing_set(room, v, k, most, NODES)
    else:
        for l in range(1, min(most, 2) + 1) if k > 1 and _can_count(entries, 1, None) else ():
            fewest, known, _ = find_fewest_pair(entries, v, l, k - 1)
            if fewest < k:
                return l, EXACT, np.sort(known)
        kinds, code = np.zeros(entries.n, dtype=np.int64), CODES[entries.reading]
        size, meaning, found = relation_sets.exposing_set(entries.csr, kinds, v, k, code, most, NODES)
    return size, meaning, np.sort(found)


def count_fewest(entries: Incidence, l: int, kind: Ints | None = None) -> tuple[Ints, Bools]:
    """Return, for every vertex, the fewest candidates for at most l items, and whether the number is exact."""
    from shoal.core._kernels.relation_sets import all_fewest

    n = entries.n
    sizes, exact = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    if counted := _can_count(entries, l, kind):
        sizes, exact = count_fewest_of_one(entries), np.ones(n, dtype=np.bool_)
        if l == 2:
            sizes, exact = lower_by_pairs(entries, sizes)
    left = np.flatnonzero(~exact)
    if not len(left):
        return sizes, exact
    _, at, twins = np.unique(group_multisets(*entries.rows, kind)[left], return_index=True, return_inverse=True)
    todo = left[at]
    found, proved = np.zeros(len(todo), dtype=np.int64), np.zeros(len(todo), dtype=np.bool_)
    g, kinds = entries.csr, np.zeros(n, dtype=np.int64) if kind is None else kind

    def piece(first: int, last: int) -> None:
        all_fewest(first, last, todo, g, kinds, l, CODES[entries.reading], NODES, found, proved)

    run_in_pieces(piece, len(todo), "searching the fewest candidates", piece=size_heavy_pieces(len(todo)))
    found = found[twins]
    if counted:  # a pair that was found before time ran out may be better
        found = np.minimum(found, sizes[left])
    sizes[left], exact[left] = found, proved[twins]
    return sizes, exact


def _can_count(entries: Incidence, l: int, kind: Ints | None) -> bool:
    """Return whether sets of so many entries are counted for all vertices at once."""
    return l <= 2 and kind is None and not len(entries.weights)


def count_fewest_of_one_link(graph: Graph) -> Ints | None:
    """Return the fewest candidates for one known link of a graph with ties; None if it has too many kinds of ties.

    A known entry (w, relation) leaves the vertices that have it: as many as w has entries with the reverse relation. So
    the ties of w are counted once, and a table holds the fewest candidates for each vertex w and each tie to it.

    >>> count_fewest_of_one_link(Graph.from_pairs("abc", [0, 0], [1, 2], directed=True)).tolist()
    [1, 2, 2]
    """
    ties, n = graph.ties, graph.n
    if ties is None or not len(graph.indices) or n * max(ties.many, len(ties.relations)) > 4 * len(graph.indices):
        return None
    from shoal.core._kernels.relation_sets import fewest_of_one_link

    left, least = count_entries(graph)[ties.reversals], np.full((ties.many, n), n)
    for code, tie in enumerate(ties.bundles):
        for relation, _ in tie:
            np.minimum(least[code], left[relation], out=least[code])
    found = np.full(n, n, dtype=np.int64)
    fewest_of_one_link(graph.indptr, graph.indices, ties.codes, least, found)
    return found


def find_fewest_set(entries: Incidence, v: int, l: int, kind: Ints | None = None) -> Ints:
    """Return at most l items that leave the fewest candidates for v."""
    from shoal.core._kernels.relation_sets import fewest_candidates

    fewest, known, done = entries.n + 1, NONE, False
    if _can_count(entries, l, kind):
        fewest, known, done = find_fewest_pair(entries, v, l)
    if not done:
        kinds = np.zeros(entries.n, dtype=np.int64) if kind is None else kind
        left, _, found = fewest_candidates(entries.csr, kinds, v, l, CODES[entries.reading], NODES)
        known = found if left < fewest else known
    return np.sort(known)


def count_fewest_in_release(entries: Incidence, known: Rows, own: Ints, l: int) -> tuple[Ints, Bools, list[Ints]]:
    """Return the fewest candidates, at least one, for l facts of each known row, whether exact, and the facts."""
    from shoal.core._kernels.relation_sets import attack

    ptr, items, weights = known
    rows = ptr, np.asarray(items, dtype=np.int64), NONE if weights is None else weights
    blank, there = np.full(len(entries.indptr) - 1, -1, dtype=np.int64), np.zeros(entries.n, dtype=np.bool_)
    there[own[own >= 0]] = True
    blank[entries.list_about(there)] = 0
    # In the located reading, equal rows do not give equal facts: no fact is about the vertex itself.
    located = entries.reading == "located-relations"
    twins = np.arange(len(ptr) - 1) if located else group_multisets(ptr, items, weights)
    todo, l = find_first_members(twins), min(l, max(1, entries.items))
    n = len(todo)
    sizes, exact = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    best, lengths = np.full((n, l), -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    fixed = todo, rows, own, blank, entries.csr, l, CODES[entries.reading], SETS

    def piece(first: int, last: int) -> None:
        attack(first, last, *fixed, sizes, exact, best, lengths)

    run_in_pieces(piece, n, "attacking the release", piece=size_heavy_pieces(n))
    facts = [np.sort(best[i, : lengths[i]]) for i in range(n)]
    return sizes[twins], exact[twins], [facts[i] for i in twins.tolist()]


def measure_similarity_radii(graph: Graph, k: int, similarity: str) -> Ints:
    """Return, for each vertex, the k-th largest similarity of a row to its row, including its own."""
    from shoal.core._kernels.alike import MANHATTAN, TWO_PATH, radii

    radius = np.zeros(graph.n, dtype=np.int64)
    lowest = np.argsort(np.diff(graph.indptr), kind="stable")
    kind = TWO_PATH if similarity == "2-path" else MANHATTAN

    def piece(first: int, last: int) -> None:
        radii(first, last, graph.indptr, graph.indices, lowest, k, kind, radius)

    run_in_pieces(piece, graph.n, "comparing rows")
    return radius
