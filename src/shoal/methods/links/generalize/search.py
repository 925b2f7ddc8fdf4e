"""Classes to begin with: around hubs, by similarity, and no more of a component mixed with others than must be.

A class that holds members of two components joins them in what is drawn from it. So components of fewer than k
vertices are put together among themselves, like with like, and one of k to 2k-1 is a class.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from shoal.core.grouping import members_by_class, number_by_first_appearance
from shoal.core.threads import announce_compilation
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph, Ints
from shoal.optimize.annealing import generator
from shoal.optimize.class_partition import STORED, Found, grown, most_alike
from shoal.progress import searching, track


def started(graph: Graph, k: int) -> Ints:
    """Return the class of each vertex; sizes are k to 2k-1, but for a single class of all.

    >>> pairs = Graph.from_pairs("abcdefg", [0, 1, 2, 3, 5], [1, 2, 0, 4, 6])
    >>> started(pairs, 2).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    if graph.n < 2 * k:
        return np.zeros(graph.n, dtype=np.int64)
    component, size = _components(graph)
    small, large = np.flatnonzero(size < k), np.flatnonzero(size >= 2 * k)
    if 0 < len(small) < k:  # too few for a class of their own
        return _grown(graph, k)
    codes = component + len(small)  # those of k to 2k-1 are a class each
    parts = len(small) // k
    if parts:
        codes[_like_with_like(graph, component, size, small)] = np.arange(len(small)) * parts // len(small)
    if len(large):
        codes[large] = int(codes.max()) + 1 + _grown(_induced(graph, large), k)
    return number_by_first_appearance(codes)


def _grown(graph: Graph, k: int) -> Ints:
    return grown(graph, k, "jaccard", np.ones(graph.n, dtype=np.bool_))


def _components(graph: Graph) -> tuple[Ints, Ints]:
    """Return the component of each vertex, and the number of vertices in it."""
    from scipy.sparse.csgraph import connected_components

    component = connected_components(graph.to_scipy(), directed=False)[1].astype(np.int64)
    return component, np.bincount(component)[component]


def _like_with_like(graph: Graph, component: Ints, size: Ints, members: Ints) -> Ints:
    """List vertices component by component, those of as many vertices and edges together."""
    ends = np.bincount(component, weights=graph.degree)[component]
    order: Ints = np.lexsort((-graph.degree[members], component[members], ends[members], size[members]))
    return members[order]


def _induced(graph: Graph, members: Ints) -> Graph:
    """Return the graph of some vertices, which are numbered anew."""
    rank = np.full(graph.n, -1, dtype=np.int64)
    rank[members] = np.arange(len(members))
    a, b, _ = graph.edges()
    both = (rank[a] >= 0) & (rank[b] >= 0)
    return Graph.from_pairs(range(len(members)), rank[a[both]], rank[b[both]])


# The search for classes with few worlds: simulated annealing on the logarithm of their number itself.
#
# Vertices change class or places, most often to be with those whose rows are alike, or with neighbors; classes are
# dissolved (merged into others) and put together anew (split off others).
#
# Classes have k to 2k-1 members, and larger ones are never needed: a class of 2k or more can be split into two of k or
# more, which leaves no more worlds. For each block of it with s pairs and e edges becomes two, and C(s, e) >=
# C(s1, e1) C(s - s1, e - e1), since choosing e1 of some pairs and e - e1 of the others is one way of choosing e of all.
# Nor does it make degrees less alike inside the classes: means of parts fit no worse than the mean of the whole.

HOT, COLD = 2.0, 0.2
"""By how much the logarithm may grow with a chance of 1/e, at first and in the end."""
AGAIN = 4.0
"""The same at the start of a further try on a small graph, so that it ends elsewhere."""
STEP = 30_000
"""Proposals between which a search can be interrupted: a fraction of a second."""
QUENCH = 2
"""Sweeps that put the classes in order after an interrupt."""
FEW, MANY = 2, 5
"""With how many members of a class a vertex tries to change places, where its edges are stored, or counted first."""
LISTED = 131_072
"""For so many pairs of a block logarithms of factorials are listed; for more they are computed."""
USUAL = 36_000_000
"""Sweeps unless told otherwise, times the vertices and edges that one looks at; at least 100 and at most 4,000."""


def objective(graph: Graph, codes: Ints, degrees: float) -> float:
    """Return what is searched for the least of: the logarithm of the number of worlds, and what unlike degrees add."""
    root = np.sqrt(2.0 * graph.degree)
    mean = np.bincount(codes, weights=root) / np.maximum(1, np.bincount(codes))
    return Generalized.of(graph, codes).log_worlds + degrees * float(np.sum((root - mean[codes]) ** 2))


def classes_found(graph: Graph, k: int, degrees: float, effort: int | float | None, seed: int) -> Found:
    """Return classes of k to 2k-1 vertices that leave few worlds, found in so many sweeps or seconds; None as usual.

    The search sees the vertices in an order that is drawn from the seed: whoever knows only the order of a file
    cannot tell by the classes who is who. The numbers of classes are by first appearance in the graph given.
    """
    rank = generator(seed).permutation(graph.n)
    a, b, _ = graph.edges()
    mixed = Graph.from_pairs(range(graph.n), rank[a], rank[b])
    start = started(mixed, k)
    sweeps = min(4000, max(100, USUAL // (graph.n + graph.m))) if effort is None else effort
    if k == 1 or graph.n < 2 * k or not graph.m:
        found = Found(np.arange(graph.n) if k == 1 else start, 0)
    else:
        whole = sweeps_within(sweeps, mixed, k, start, degrees) if isinstance(sweeps, float) else sweeps
        found = searched(mixed, k, start, degrees, whole, seed)
    return Found(number_by_first_appearance(found.codes[rank]), found.sweeps, found.stopped)


def searched(graph: Graph, k: int, start: Ints, degrees: float, sweeps: int, seed: int) -> Found:
    """Return classes that are no worse than `start`, found in so many sweeps; a sweep proposes a change per vertex.

    Small graphs are tried several times, within the same number of sweeps. An interrupt (Ctrl-C) ends the search, and
    the best classes so far are returned; a second one, while the last of them are put in order, is raised.
    """
    tries = max(1, min(16, 4000 // graph.n, sweeps // 50))
    best, least, done, stopped = start, objective(graph, start, degrees), 0, False
    alike = most_alike(graph) if sweeps else np.zeros((1, 1), dtype=np.int32)
    for i in range(tries if sweeps else 0):
        state = _state(graph, k, start, degrees, seed, i, alike)
        proposals = graph.n * ((i + 1) * sweeps // tries - i * sweeps // tries)
        made = _cool(graph, state, proposals, AGAIN if i else HOT)
        done, stopped = done + made, made < proposals
        if stopped:
            _quench(graph, state)
        found = state.code.astype(np.int64)
        came = objective(graph, found, degrees)
        if came < least:
            best, least = found, came
        if stopped:
            break
    return Found(best, done // graph.n, stopped)


def _cool(graph: Graph, state: Any, proposals: int, hot: float) -> int:
    """Anneal in short steps, between which it says how far it is; return the proposals made before an interrupt."""
    from shoal.kernels.worlds_search import anneal

    step, done = max(1, min(STEP, proposals // 20)), 0
    worlds = Generalized.of(graph, state.code.astype(np.int64)).log_worlds
    try:
        with searching():
            while done < proposals:
                share = min(step, proposals - done)
                heat = [hot * (COLD / hot) ** (at / proposals) for at in (done, done + share)]
                worlds += anneal(state, share, *heat)
                done += share
                track(f"searching classes, about exp({worlds:,.0f}) worlds", done, proposals)
    except KeyboardInterrupt:
        return min(done, proposals - 1)
    return done


def _quench(graph: Graph, state: Any) -> None:
    """Take only changes that add nothing, for a few sweeps: what was found while it was warm is put in order."""
    from shoal.kernels.worlds_search import anneal

    proposals = QUENCH * graph.n
    for done in range(0, proposals, STEP):
        anneal(state, min(STEP, proposals - done), 0.0, 0.0)
        track("stopping: putting the classes in order", min(done + STEP, proposals), proposals)


def sweeps_within(seconds: float, graph: Graph, k: int, start: Ints, degrees: float) -> int:
    """Return how many sweeps take about so long here, by a short trial; at least one."""
    announce_compilation()
    from shoal.kernels.worlds_search import anneal

    state = _state(graph, k, start, degrees, 0, 0, most_alike(graph))
    anneal(state, 0, HOT, COLD)  # compiles
    began, trial = time.perf_counter(), 50_000
    anneal(state, trial, HOT, COLD)
    return max(1, int(seconds * trial / (time.perf_counter() - began) / graph.n))


def _state(graph: Graph, k: int, codes: Ints, degrees: float, seed: int, attempt: int, alike: Ints) -> Any:
    """Return the classes as the compiled loops change them."""
    from shoal.kernels.worlds import Partition

    n, capacity, most = graph.n, graph.n // k, min(2 * k - 1, graph.n)
    order, bounds = members_by_class(codes)
    place = np.empty(n, dtype=np.int32)
    place[order] = np.arange(n) - np.repeat(bounds[:-1], np.diff(bounds))
    members = np.zeros((capacity, most), dtype=np.int32)
    members[codes, place] = np.arange(n)
    size = np.bincount(codes, minlength=capacity).astype(np.int32)
    none = np.flatnonzero(size == 0)
    empty = np.zeros(capacity + 1, dtype=np.int64)
    empty[: len(none) + 1] = [len(none), *none]
    blocks = np.zeros((capacity if capacity <= STORED else 0, capacity), dtype=np.int32)
    if len(blocks):
        np.add.at(blocks, (np.repeat(codes, np.diff(graph.indptr)), codes[graph.indices]), 1)
    here, there, shift = np.zeros((3, capacity), dtype=np.int32)
    root = np.sqrt(2.0 * graph.degree)
    random = generator(seed).integers(0, 2**63, size=attempt + 1, dtype=np.uint64)[-1:].copy()
    return Partition(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        k,
        most,
        codes.astype(np.int32),
        place,
        members,
        size,
        empty,
        blocks,
        here,
        there,
        shift,
        _logs(most),
        float(degrees),
        root,
        np.bincount(codes, weights=root, minlength=capacity),
        FEW if len(blocks) else MANY,
        alike,
        random,
    )


def _logs(most: int) -> Any:
    """List the logarithms of 0!, 1!, ..., as far as a block of two classes may need them, or less."""
    from scipy.special import gammaln

    return gammaln(np.arange(min(most * most, LISTED) + 1) + 1.0)
