"""The search for classes with fewer edits: simulated annealing on the number of edits itself.

Vertices change class or places, most often to be with those whose rows are most alike; classes are dissolved and put
together anew.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.anonymizers.blocks import blocks_of
from shoal.anonymizers.method import generator
from shoal.anonymizers.row_classes import others_alone
from shoal.data.graph import Graph, Ints
from shoal.engines import Bools
from shoal.engines.local.grouping import NONE, members_by_class
from shoal.engines.local.pool import announce_compilation, heavy, spread
from shoal.interrupts import searching
from shoal.progress import track

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
    from shoal.engines.local.kernels.row_search import anneal

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
    from shoal.engines.local.kernels.row_search import anneal

    proposals, some = QUENCH * graph.n, not state.sensitive.all()
    for done in range(0, proposals, STEP):
        anneal(state, min(STEP, proposals - done), 0.0, 0.0, 0.0, some)
        track("stopping: putting the classes in order", min(done + STEP, proposals), proposals)


def most_alike(graph: Graph) -> Ints:
    """List for each vertex the others whose rows are most similar to its own."""
    announce_compilation()
    from shoal.engines.local.kernels.row_growth import most_alike

    lists = np.zeros((graph.n, LISTED), dtype=np.int32)
    indptr, indices = graph.indptr, graph.indices

    def piece(first: int, last: int) -> None:
        most_alike(first, last, indptr, indices, lists)

    spread(piece, graph.n, None, "finding similar rows", piece=heavy(graph.n))
    return lists


def sweeps_within(seconds: float, graph: Graph, k: int, start: Ints, sensitive: Bools, clique: int = 0) -> int:
    """Return how many sweeps take about so long here, by a short trial; at least one."""
    announce_compilation()
    from shoal.engines.local.kernels.row_search import anneal

    state = _state(graph, k, start, sensitive, 0, 0, clique, most_alike(graph))
    anneal(state, 0, HOT, COLD, 1.0, False)  # compiles
    began, trial = time.perf_counter(), 50_000
    anneal(state, trial, HOT, COLD, 1.0, not sensitive.all())
    return max(1, int(seconds * trial / (time.perf_counter() - began) / graph.n))


def _state(
    graph: Graph, k: int, codes: Ints, sensitive: Bools, seed: int, attempt: int, clique: int, alike: Ints
) -> Any:
    """Return the classes as the compiled loops change them."""
    from shoal.engines.local.kernels.row_classes import Classes

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
