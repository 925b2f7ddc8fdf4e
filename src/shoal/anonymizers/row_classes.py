"""Which vertices get equal rows: classes of k to 2k-1 (larger ones never take fewer edits), grown around hubs.

:func:`grown` is the paper's clustering, by similarity to the whole class; :func:`least_edits` is what no classes can do
without.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymizers.blocks import blocks_of
from shoal.data.graph import Graph, Ints
from shoal.engines import Bools
from shoal.engines.local.grouping import by_first_appearance, group_multisets, members_by_class
from shoal.engines.local.pool import announce_compilation, heavy, spread

SIMILARITIES = ("jaccard", "manhattan", "2-path")


def grown(graph: Graph, k: int, similarity: str, sensitive: Bools) -> Ints:
    """Return the class of each vertex: twins together first, then hubs with who is most alike.

    Sizes are k to 2k-1, and 1 for those who are not sensitive and that no class needs. Sensitive vertices that share
    neighbors with too few others are put together by degree. Where only some are sensitive, they are also put together
    among themselves, and what takes fewer edits is returned.
    """
    found = _grown(graph, k, similarity, sensitive, _twins(graph, k, sensitive))
    if sensitive.all():
        return found
    among = _grown(graph, k, similarity, sensitive, np.where(sensitive, -1, graph.n))
    return min(found, among, key=lambda codes: blocks_of(graph, codes).cheapest)


def _grown(graph: Graph, k: int, similarity: str, sensitive: Bools, code: Ints) -> Ints:
    """Give a class to the sensitive vertices whose code is -1, with others whose code is -1."""
    announce_compilation()
    from shoal.engines.local.kernels.row_growth import grow

    order = np.argsort(-np.diff(graph.indptr), kind="stable")
    kind, begun = SIMILARITIES.index(similarity), np.where(code < graph.n, code, -1).max() + 1
    first = grow(graph.indptr, graph.indices, sensitive, order, k, kind, code, int(begun))
    code[code == graph.n] = -1
    _place_the_rest(graph, code, order, k, sensitive, first)
    return others_alone(code, sensitive)


def _twins(graph: Graph, k: int, sensitive: Bools) -> Ints:
    """Return classes of vertices that have equal rows already, in even parts of k to 2k-1, and -1 for the others."""
    rows = group_multisets(graph.indptr, graph.indices)
    members, bounds = members_by_class(rows)
    sizes = np.diff(bounds)
    wanted = np.bincount(rows, weights=sensitive) > 0
    parts = np.where((sizes >= k) & wanted, sizes // k, 0)
    rank = np.arange(graph.n) - np.repeat(bounds[:-1], sizes)
    part = np.repeat(np.cumsum(parts) - parts, sizes) + rank * np.repeat(parts, sizes) // np.repeat(sizes, sizes)
    code = np.empty(graph.n, dtype=np.int64)
    code[members] = np.where(np.repeat(parts, sizes) > 0, part, -1)
    return code


def _place_the_rest(graph: Graph, code: Ints, order: Ints, k: int, sensitive: Bools, first: int) -> None:
    """Put the sensitive vertices without a class together by degree; where they are too few, with others."""
    free = order[code[order] < 0]
    left = free[sensitive[free]]
    if not len(left):
        return
    if len(left) < k:
        left = np.concatenate([left, free[~sensitive[free]][::-1][: k - len(left)]])
    parts = len(left) // k
    if parts or first == 0:
        code[left] = first + np.arange(len(left)) * max(1, parts) // len(left)
        return
    room = 2 * k - 1 - np.bincount(code[code >= 0], minlength=first)
    if room.sum() < len(left):  # every class can spare k-1
        spare = np.flatnonzero(code == int(np.argmin(room)))
        code[np.concatenate([left, spare[: k - len(left)]])] = first
        return
    for v in left.tolist():
        code[v] = _most_shared(graph, v, code, room)
        room[code[v]] -= 1


def _most_shared(graph: Graph, v: int, code: Ints, room: Ints) -> int:
    """Return the class with room that most paths of length two from v lead to."""
    shared = np.zeros(len(room), dtype=np.int64)
    for w in graph.neighbors(v).tolist():
        near = code[graph.neighbors(w)]
        np.add.at(shared, near[near >= 0], 1)
    return int(np.argmax(np.where(room > 0, shared, -1)))


def others_alone(code: Ints, sensitive: Bools) -> Ints:
    """Number the classes anew; who is in none, or in one without a sensitive vertex, stands alone."""
    needed = np.bincount(code[sensitive], minlength=int(code.max()) + 1) > 0
    alone = (code < 0) | ~needed[code]
    return by_first_appearance(np.where(alone, len(needed) + np.arange(len(code)), code))


def least_edits(graph: Graph, k: int, sensitive: Bools, clique: int = 0) -> int:
    """Return a number of edits that no release with equal rows in classes of k can do without.

    If row v is edited in d(v) places, twins differ in at most d(u) + d(v) before. Summed over the pairs of a class,
    and over all classes, the edits are at least a quarter of the sum, over the sensitive vertices, of the mean number
    of entries in which the k-1 nearest rows differ. With k > n/2 all edges go, where all are sensitive (E4).

    Where classes of `clique` or more may become cliques, rows in those are equal if each vertex counts as its own
    neighbor. The same sum holds for them with these rows and `clique`, and for each vertex the smaller mean is taken.
    """
    if k == 1 or not graph.m:
        return 0
    closed = 0 < clique <= graph.n
    if 2 * k > graph.n and sensitive.all() and not closed:
        return graph.m
    total = _nearest(graph, k, sensitive, False)
    if not closed:
        return -(-int(total.sum()) // (4 * (k - 1)))
    least = np.minimum(total * (clique - 1), _nearest(graph, clique, sensitive, True) * (k - 1))
    return -(-int(least.sum()) // (4 * (k - 1) * (clique - 1)))


def _nearest(graph: Graph, k: int, sensitive: Bools, closed: bool) -> Ints:
    """Sum for each sensitive vertex the entries in which the k-1 nearest rows differ from its own."""
    announce_compilation()
    from shoal.engines.local.kernels.row_growth import least_distances

    who, lowest = np.flatnonzero(sensitive), np.argsort(np.diff(graph.indptr), kind="stable")
    total = np.zeros(len(who), dtype=np.int64)

    def piece(first: int, last: int) -> None:
        least_distances(first, last, who, graph.indptr, graph.indices, lowest, k, closed, total)

    spread(piece, len(who), None, "bounding the edits", piece=heavy(len(who)))
    return total
