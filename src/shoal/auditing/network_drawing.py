"""Layout of a network drawing: positions in the original, links before and after, and candidates of each vertex.

Large networks are sampled by a random walk, so that the drawn people are linked to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.auditing.case import Case
from shoal.auditing.findings import DrawnCandidates, NetworkDrawing
from shoal.auditing.layout import place_vertices
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.data.intervals import order_kind
from shoal.risk.assess import BUCKETS

MOST = 320
"""The most people that are drawn; more would be a cloud."""
MISLED = len(BUCKETS)
"""Follows the buckets of Hay et al.: no vertex fits, so the attacker is wrong."""
RESTART = 0.15
"""The probability that the random walk goes on at a vertex that it met before, so that it stays in one region."""
PATIENCE, LONGEST = 20, 500
"""Steps without a new vertex, per vertex of the region and at most, after which the walk goes on at any vertex: it met
all of a small component."""
ABSENT = -1

Sizes = Mapping[str, Ints]
"""By knowledge: the number of candidates of each person."""


def draw_network(case: Case, before: Sizes, after: Sizes, seed: int) -> NetworkDrawing | None:
    """Lay out the network; None for a table, or a network without links.

    Parameters
    ----------
    case
        The case under audit.
    before, after
        Candidates of each original vertex in the original and in the release; `after` is empty without a matching.
    seed
        Seed of the sample and of the first positions.
    """
    if not isinstance(case.original, Graph) or not case.original.m:
        return None
    chosen = sample_vertices(case.original, MOST, seed)
    at = place_vertices(len(chosen), list_links_among(case.original, chosen), seed)
    released, places = None, None
    if case.pair is not None and case.pair.counterpart is not None:
        released, places = as_graph(case.pair.released), case.pair.counterpart[chosen]
    kinds = sorted({*case.original.kinds, *(() if released is None else released.kinds)}, key=order_kind)
    return NetworkDrawing(
        case.original.n,
        tuple((round(float(x), 1), round(float(y), 1)) for x, y in at),
        list_drawn_links(case.original, chosen, kinds),
        None if released is None or places is None else list_drawn_links(released, places, kinds),
        tuple(
            DrawnCandidates(
                spec,
                tuple(find_buckets(sizes[chosen]).tolist()),
                tuple(find_buckets(after[spec][chosen]).tolist()) if spec in after else None,
            )
            for spec, sizes in before.items()
        ),
        tuple(kinds),
    )


def list_drawn_links(graph: Graph, chosen: Ints, kinds: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the links among the chosen vertices, as a drawing has them; parallel links are drawn once.

    >>> g = Graph.from_pairs("abc", [0, 2], [1, 1], directed=[False, True], kinds=["kin", "call"])
    >>> list_drawn_links(g, np.arange(3), ["call", "kin"])
    ((0, 1, 0, 1), (2, 1, 1, 0))
    """
    if graph.ties is None:
        return tuple((a, b) for a, b in list_links_among(graph, chosen).tolist())
    place, (a, b, relation, _) = _find_places(graph, chosen), graph.links()
    inside = (place[a] >= 0) & (place[b] >= 0)
    told = [
        (int(one.direction == "out"), 0 if one.kind is None else kinds.index(one.kind)) for one in graph.ties.relations
    ]
    ends = zip(place[a[inside]].tolist(), place[b[inside]].tolist(), relation[inside].tolist(), strict=True)
    return tuple((v, w, *told[r]) for v, w, r in ends)


def sample_vertices(graph: Graph, most: int, seed: int) -> Ints:
    """Return the ids of all vertices, or of those that a random walk with restarts meets first, ascending.

    >>> import networkx as nx
    >>> g = Graph.from_pairs(range(9), range(8), range(1, 9))
    >>> len(sample_vertices(g, 4, seed=0)), len(sample_vertices(g, 40, seed=0))
    (4, 9)
    """
    if graph.n <= most:
        return np.arange(graph.n)
    rng = np.random.default_rng(seed)
    linked = np.flatnonzero(graph.degree > 0)
    if not len(linked):
        return np.sort(rng.choice(graph.n, most, replace=False))
    met: dict[int, None] = {}
    order: list[int] = []
    now, idle, region = int(rng.choice(linked)), 0, 0
    for _ in range(200 * most):  # small components may have fewer vertices
        idle = idle + 1 if now in met else 0
        if now not in met:
            met[now] = None
            order.append(now)
            region += 1
        if len(met) == most:
            break
        if idle > min(PATIENCE * region, LONGEST):
            now, idle, region = int(linked[rng.integers(len(linked))]), 0, 1
        elif rng.random() < RESTART:
            now = order[len(order) - 1 - int(rng.integers(region))]
        else:
            near = graph.neighbors(now)
            now = int(near[rng.integers(len(near))])
    return np.array(sorted(met))


def list_links_among(graph: Graph, chosen: Ints) -> Ints:
    """Return the linked pairs among the chosen vertices, as positions in `chosen`; -1 there is no vertex."""
    place = _find_places(graph, chosen)
    a, b, _ = graph.edges()
    inside = (place[a] >= 0) & (place[b] >= 0)
    return np.stack([place[a[inside]], place[b[inside]]], axis=1)


def _find_places(graph: Graph, chosen: Ints) -> Ints:
    """Return the position of each vertex in `chosen`, or ABSENT."""
    place = np.full(graph.n, ABSENT)
    there = np.flatnonzero(chosen >= 0)
    place[chosen[there]] = there
    return place


def find_buckets(sizes: Ints) -> Ints:
    """Return the number of the bucket of each size; the last where no vertex fits.

    >>> find_buckets(np.array([1, 2, 10, 20, 21, 0])).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    lows = np.array([low for low, _ in BUCKETS])
    return np.where(sizes > 0, np.searchsorted(lows, sizes, side="right") - 1, MISLED)


def count_candidates_after(inside: Ints, attacked: Ints | None, own: Ints) -> Ints:
    """Return the candidates of each original vertex in the release, by the worse of two kinds of facts.

    Facts are measured in the release (`inside`) or in the original (`attacked`). Where the latter fit no vertex, the
    former count. A vertex that was not released has 0 candidates, unless facts from the original fit some vertex.
    """
    there: Bools = own >= 0
    found = np.zeros(len(own), dtype=np.int64)
    found[there] = inside[own[there]]
    if attacked is None:
        return found
    known = attacked > 0
    return np.where(known & there, np.minimum(found, attacked), np.where(known, attacked, found))
