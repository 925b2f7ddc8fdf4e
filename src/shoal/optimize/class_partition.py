"""Which vertices get equal rows: classes of k to 2k-1 (larger ones never take fewer edits), grown around hubs.

:func:`grown` is the paper's clustering, by similarity to the whole class; :func:`least_edits` is what no classes can do
without.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.core.grouping import NONE, group_multisets, members_by_class, number_by_first_appearance
from shoal.core.threads import announce_compilation, heavy, spread
from shoal.core.types import Bools
from shoal.data.graph import Graph, Ints
from shoal.optimize.annealing import generator
from shoal.optimize.blocks import blocks_of
from shoal.progress import searching, track

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
    from shoal.kernels.row_growth import grow

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
    return number_by_first_appearance(np.where(alone, len(needed) + np.arange(len(code)), code))


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
    from shoal.kernels.row_growth import least_distances

    who, lowest = np.flatnonzero(sensitive), np.argsort(np.diff(graph.indptr), kind="stable")
    total = np.zeros(len(who), dtype=np.int64)

    def piece(first: int, last: int) -> None:
        least_distances(first, last, who, graph.indptr, graph.indices, lowest, k, closed, total)

    spread(piece, len(who), "bounding the edits", piece=heavy(len(who)))
    return total


# The search for classes with fewer edits: simulated annealing on the number of edits itself.
#
# Vertices change class or places, most often to be with those whose rows are most alike; classes are dissolved and put
# together anew.

HOT, COLD = 0.3, 0.15
"""Edits more that are accepted with a chance of 1/e, at first and in the end."""
AGAIN = 2.0
"""The same at the start of a further try on a small graph, so that it ends elsewhere."""
SOME = 4.0
"""The same where only some are sensitive: a class must be left at a loss before a better one is found."""
SOFT = 0.8
"""The share of the time in which blocks that are not half full count a little too."""
STEP = 30_000
"""Proposals between which a search can be interrupted: a fraction of a second."""
QUENCH = 2
"""Sweeps that put the classes in order after an interrupt."""
LISTED = 10
"""How many of the most similar vertices are proposed more often than others."""
FEW, MANY = 2, 5
"""With how many members of a class a vertex tries to change places, where its edges are stored, or counted first."""
STORED = 1024
"""Up to so many classes the edges of every block are stored; counting them anew is faster for more."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a search came to."""

    codes: Ints
    """The class of each vertex."""
    sweeps: int
    """How many were done."""
    stopped: bool = False
    """Whether it was stopped by hand before its time."""


def searched(graph: Graph, k: int, start: Ints, sensitive: Bools, sweeps: int, seed: int, clique: int = 0) -> Found:
    """Return classes with fewer edits than `start`, found in so many sweeps; a sweep proposes a change per vertex.

    Small graphs are tried several times, within the same number of sweeps. With `clique`, classes of as many or more
    may become cliques. An interrupt (Ctrl-C) ends the search, and the best classes so far are returned; a second one,
    while the last of them are put in order, is raised.
    """
    tries = max(1, min(16, 4000 // graph.n, sweeps // 50))
    best, fewest, done, stopped = start, blocks_of(graph, start, clique).cheapest, 0, False
    alike = most_alike(graph) if sweeps and fewest else NONE
    for i in range(tries if sweeps and fewest else 0):
        state = _state(graph, k, start, sensitive, seed, i, clique, alike)
        proposals = graph.n * ((i + 1) * sweeps // tries - i * sweeps // tries)
        made = _cool(graph, state, proposals, (AGAIN if i else HOT) if sensitive.all() else SOME, fewest)
        done, stopped = done + made, made < proposals
        if stopped:
            _quench(graph, state)
        found = others_alone(state.code.astype(np.int64), sensitive)
        edits = blocks_of(graph, found, clique).cheapest
        if edits < fewest:
            best, fewest = found, edits
        if stopped:
            break
    return Found(best, done // graph.n, stopped)


def _cool(graph: Graph, state: Any, proposals: int, hot: float, edits: int) -> int:
    """Anneal in short steps, between which it says how far it is; return the proposals made before an interrupt."""
    from shoal.kernels.row_search import anneal

    step, done, some = max(1, min(STEP, proposals // 20)), 0, not state.sensitive.all()
    told = spent = 0.0
    try:
        with searching():
            while done < proposals:
                share = min(step, proposals - done)
                heat = [hot * (COLD / hot) ** (at / proposals) for at in (done, done + share)]
                anneal(state, share, *heat, max(0.0, 1.0 - done / (SOFT * proposals)), some)
                done += share
                began = time.perf_counter()
                if began - told > 20 * spent:  # counting takes no more than a twentieth of the time
                    edits = blocks_of(graph, state.code, state.clique).cheapest
                    told = time.perf_counter()
                    spent = told - began
                track(f"searching classes, {edits / graph.m:.3f} edits per edge", done, proposals)
    except KeyboardInterrupt:
        return min(done, proposals - 1)
    return done


def _quench(graph: Graph, state: Any) -> None:
    """Take only changes that lose no edit, for a few sweeps: what was found while it was warm is put in order."""
    from shoal.kernels.row_search import anneal

    proposals, some = QUENCH * graph.n, not state.sensitive.all()
    for done in range(0, proposals, STEP):
        anneal(state, min(STEP, proposals - done), 0.0, 0.0, 0.0, some)
        track("stopping: putting the classes in order", min(done + STEP, proposals), proposals)


def most_alike(graph: Graph) -> Ints:
    """List for each vertex the others whose rows are most similar to its own."""
    announce_compilation()
    from shoal.kernels.row_growth import most_alike

    lists = np.zeros((graph.n, LISTED), dtype=np.int32)
    indptr, indices = graph.indptr, graph.indices

    def piece(first: int, last: int) -> None:
        most_alike(first, last, indptr, indices, lists)

    spread(piece, graph.n, "finding similar rows", piece=heavy(graph.n))
    return lists


def sweeps_within(seconds: float, graph: Graph, k: int, start: Ints, sensitive: Bools, clique: int = 0) -> int:
    """Return how many sweeps take about so long here, by a short trial; at least one."""
    announce_compilation()
    from shoal.kernels.row_search import anneal

    state = _state(graph, k, start, sensitive, 0, 0, clique, most_alike(graph))
    anneal(state, 0, HOT, COLD, 1.0, False)  # compiles
    began, trial = time.perf_counter(), 50_000
    anneal(state, trial, HOT, COLD, 1.0, not sensitive.all())
    return max(1, int(seconds * trial / (time.perf_counter() - began) / graph.n))


def _state(
    graph: Graph, k: int, codes: Ints, sensitive: Bools, seed: int, attempt: int, clique: int, alike: Ints
) -> Any:
    """Return the classes as the compiled loops change them."""
    from shoal.kernels.row_classes import Classes

    n, capacity = graph.n, graph.n // k if sensitive.all() else graph.n
    most = 2 * max(k, clique) - 1
    order, bounds = members_by_class(codes)
    place = np.empty(n, dtype=np.int32)
    place[order] = np.arange(n) - np.repeat(bounds[:-1], np.diff(bounds))
    members = np.zeros((max(1, capacity), most), dtype=np.int32)
    members[codes, place] = np.arange(n)
    size = np.bincount(codes, minlength=len(members)).astype(np.int32)
    none = np.flatnonzero(size == 0)
    empty = np.zeros(len(size) + 1, dtype=np.int64)
    empty[: len(none) + 1] = [len(none), *none]
    blocks = np.zeros((len(size) if len(size) <= STORED else 0, len(size)), dtype=np.int32)
    if len(blocks):
        rows = np.repeat(codes, np.diff(graph.indptr))
        np.add.at(blocks, (rows, codes[graph.indices]), 1)
    here, there, shift = np.zeros((3, len(size)), dtype=np.int32)
    random = generator(seed).integers(0, 2**63, size=attempt + 1, dtype=np.uint64)[-1:].copy()
    return Classes(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        sensitive,
        np.flatnonzero(sensitive),
        k,
        most,
        clique,
        codes.astype(np.int32),
        place,
        members,
        size,
        empty,
        blocks,
        here,
        there,
        shift,
        FEW if len(blocks) else MANY,
        alike,
        random,
    )
