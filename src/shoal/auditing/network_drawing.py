"""Layout of a network drawing: positions in the original, links before and after, and candidates of each vertex.

Large networks are sampled by a random walk, so that those who are drawn are linked to each other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from shoal.auditing.case import Case
from shoal.data.arrays import Bools, Ints
from shoal.data.convert import as_graph
from shoal.data.graph import Graph
from shoal.risk.assess import BUCKETS

MOST = 320
"""So many people are drawn, at most; more of them are a cloud."""
MISLED = len(BUCKETS)
"""Comes after the buckets of Hay et al.: nothing fits, the attacker is wrong."""
RESTART = 0.15
"""How often a walk begins anew somewhere else."""
STEPS = 400
"""Rounds of the layout."""
NOBODY = -1

Sizes = Mapping[str, Ints]
"""By the knowledge: how many candidates everybody has."""


def draw_network(case: Case, before: Sizes, after: Sizes, seed: int) -> dict[str, Any] | None:
    """Return positions, links and buckets of a network as plain data; None for a table, or where nobody is linked.

    Parameters
    ----------
    case
        What is audited.
    before, after
        How many candidates each original vertex has in the original, and in the release; `after` is empty where
        nobody is matched.
    seed
        What the sample and the first positions are drawn from.
    """
    if not isinstance(case.original, Graph) or not case.original.m:
        return None
    chosen = sample_vertices(case.original, MOST, seed)
    links = list_links_among(case.original, chosen)
    at = place_vertices(len(chosen), links, seed)
    found: dict[str, Any] = {
        "drawn": len(chosen),
        "of": case.original.n,
        "at": [[round(float(x), 1), round(float(y), 1)] for x, y in at],
        "links": {"before": links.tolist()},
        "hidden": [
            {"knows": spec, "before": find_buckets(sizes[chosen]).tolist()}
            | ({"after": find_buckets(after[spec][chosen]).tolist()} if spec in after else {})
            for spec, sizes in before.items()
        ],
    }
    if case.pair is not None and case.pair.counterpart is not None:
        own = case.pair.counterpart[chosen]
        found["links"]["after"] = list_links_among(as_graph(case.pair.released), own).tolist()
    return found


def sample_vertices(graph: Graph, most: int, seed: int) -> Ints:
    """Return the ids of everybody, or of those whom a random walk with restarts meets first, ascending.

    >>> import networkx as nx
    >>> g = Graph.from_pairs(range(9), range(8), range(1, 9))
    >>> len(sample_vertices(g, 4, seed=0)), len(sample_vertices(g, 40, seed=0))
    (4, 9)
    """
    if graph.n <= most:
        return np.arange(graph.n)
    rng = np.random.default_rng(seed)
    linked = np.flatnonzero(graph.degree > 0)
    met: dict[int, None] = {}
    now = int(rng.choice(linked))
    for _ in range(200 * most):  # small components may have fewer than are wanted
        met[now] = None
        if len(met) == most:
            break
        near = graph.neighbors(now)
        now = int(rng.choice(linked)) if rng.random() < RESTART else int(near[rng.integers(len(near))])
    return np.array(sorted(met))


def list_links_among(graph: Graph, chosen: Ints) -> Ints:
    """Return the links among the chosen vertices, as pairs of positions in `chosen`; -1 there is nobody."""
    place = np.full(graph.n, NOBODY)
    there = np.flatnonzero(chosen >= 0)
    place[chosen[there]] = there
    a, b, _ = graph.edges()
    inside = (place[a] >= 0) & (place[b] >= 0)
    return np.stack([place[a[inside]], place[b[inside]]], axis=1)


def find_buckets(sizes: Ints) -> Ints:
    """Return the number of the bucket of each size; the last where nothing fits.

    >>> find_buckets(np.array([1, 2, 10, 20, 21, 0])).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    lows = np.array([low for low, _ in BUCKETS])
    return np.where(sizes > 0, np.searchsorted(lows, sizes, side="right") - 1, MISLED)


def place_vertices(n: int, links: Ints, seed: int) -> Any:
    """Return positions between 0 and 100 across: the largest component by its forces, the others below, by size."""
    import igraph

    graph = igraph.Graph(n, links.tolist())
    parts = sorted(graph.connected_components(), key=len, reverse=True)
    at, rng = np.zeros((n, 2)), np.random.default_rng(seed)
    side = [100.0, *(max(2.5, 100 * np.sqrt(len(part) / len(parts[0])) * 0.7) for part in parts[1:])]
    x, y, high = 0.0, 0.0, 0.0
    for part, wide in zip(parts, side, strict=True):
        if x + wide > 100.01:
            x, y, high = 0.0, y + high + 3, 0.0
        laid = _place_component(graph.induced_subgraph(part), wide, rng)
        at[part] = laid + np.array([x, y])
        x, high = x + wide + 3, max(high, float(laid[:, 1].max()))
    return at


def _place_component(part: Any, wide: float, rng: np.random.Generator) -> Any:
    """Return the positions of one component in a square of that width."""
    n = part.vcount()
    if n == 1:
        return np.full((1, 2), wide / 2)
    start = (rng.uniform(-1, 1, (n, 2)) * np.sqrt(n)).tolist()
    with _seed_igraph(int(rng.integers(2**31))):
        at = np.array(part.layout_fruchterman_reingold(seed=start, niter=STEPS, grid="nogrid").coords)
    at -= at.min(axis=0)
    return at / max(at.max(), 1e-9) * wide


@contextmanager
def _seed_igraph(seed: int) -> Iterator[None]:
    """Let igraph draw from a generator of our own, and from Python's, as it does unasked, afterwards."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


def count_candidates_after(inside: Ints, attacked: Ints | None, own: Ints) -> Ints:
    """Return how many candidates each original vertex has in the release, by the worse of two ways to know.

    Facts may be known as they are in the release, or as they are in the original; whoever only the second misleads is
    as well hidden as the first says. Nobody who was not released has a place.
    """
    there: Bools = own >= 0
    found = np.zeros(len(own), dtype=np.int64)
    found[there] = inside[own[there]]
    if attacked is None:
        return found
    known = attacked > 0
    return np.where(known & there, np.minimum(found, attacked), np.where(known, attacked, found))
