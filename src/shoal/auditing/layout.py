"""Layout: positions of vertices in a plane, so that linked vertices are close.

A component of up to 1,500 vertices is laid out by the forces of Fruchterman & Reingold (1991). A larger one is laid out
in levels: its communities first, then their members around them, then some rounds of the same forces.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.progress import track

STEPS = 400
"""Rounds of forces for a small component."""
LARGE = 1_500
"""Vertices of a component from which it is laid out in levels."""
ROUNDS, ROUNDS_OF_ALL = (20, 100), 1_000_000
"""Fewest and most rounds of forces for a large component, and vertices times rounds between them."""
PIECE = 10
"""Rounds between two reports of progress."""
SIDE, GAP, LEAST = 100.0, 3.0, 2.5
"""Width of the largest component, distance of components, and width of a single vertex."""
BELOW = 6_000.0
"""The largest area of all other components, which are below the largest one."""

Positions = Any
"""An array with two numbers for each vertex."""


def place_vertices(n: int, links: Ints, seed: int) -> Positions:
    """Return positions, 0 to 100 across: the largest component first, the others below it by size.

    Parameters
    ----------
    n
        The number of vertices.
    links
        Pairs of linked vertices.
    seed
        Seed of the first positions.

    Examples
    --------
    >>> at = place_vertices(4, np.array([[0, 1], [1, 2]]), seed=0)
    >>> at.shape, bool(at[3, 1] > at[:3, 1].max())
    ((4, 2), True)
    """
    import igraph

    graph = igraph.Graph(n, links.tolist())
    graph.vs["id"] = range(n)
    parts = sorted(graph.decompose(), key=lambda part: -part.vcount())
    at, rng = np.zeros((n, 2)), np.random.default_rng(seed)
    if not n:
        return at
    wide = SIDE * np.sqrt(np.array([part.vcount() for part in parts]) / parts[0].vcount()) * 0.7
    wide = np.maximum(LEAST, wide)
    shrink = min(1.0, float(np.sqrt(BELOW / max(1.0, np.sum((wide[1:] + GAP) ** 2)))))
    wide, gap = wide * shrink, GAP * shrink
    wide[0] = SIDE
    x, y, high = 0.0, 0.0, 0.0
    for part, own in zip(parts, wide.tolist(), strict=True):
        if x + own > SIDE + 0.01:
            x, y, high = 0.0, y + high + gap, 0.0
        laid = _place_component(part, own, rng)
        at[part.vs["id"]] = laid + np.array([x, y])
        x, high = x + own + gap, max(high, float(laid[:, 1].max()))
    return at


def _place_component(part: Any, wide: float, rng: np.random.Generator) -> Positions:
    """Return the positions of one component in a square of that width."""
    if part.vcount() == 1:
        return np.full((1, 2), wide / 2)
    with _seed_igraph(int(rng.integers(2**31))):
        at = _place_by_levels(part, rng)
    at -= at.min(axis=0)
    return at / max(at.max(), 1e-9) * wide


def _place_by_levels(graph: Any, rng: np.random.Generator) -> Positions:
    n = graph.vcount()
    if n < LARGE:
        start = (rng.uniform(-1, 1, (n, 2)) * np.sqrt(n)).tolist()
        return np.array(graph.layout_fruchterman_reingold(seed=start, niter=STEPS, grid="nogrid").coords)
    own = np.array(graph.community_multilevel(return_levels=True)[0].membership)
    sizes = np.bincount(own)
    if 2 * len(sizes) < n:  # else the levels would hardly become smaller
        above = graph.copy()
        above.contract_vertices(own.tolist())
        centers = _place_by_levels(above.simplify(), rng) * np.sqrt(n / len(sizes))
    else:
        centers = rng.uniform(-1, 1, (len(sizes), 2)) * np.sqrt(n)
    angle, far = rng.uniform(0, 2 * np.pi, n), 0.6 * np.sqrt(rng.uniform(0, 1, n) * sizes[own])
    return _apply_forces(graph, centers[own] + far[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def _apply_forces(graph: Any, at: Positions) -> Positions:
    """Return the positions after some rounds of forces between close vertices, smaller and smaller."""
    n = graph.vcount()
    rounds = min(max(ROUNDS[0], ROUNDS_OF_ALL // n), ROUNDS[1])
    for done in range(0, rounds, PIECE):
        track("drawing", done, rounds)
        heat = np.sqrt(n) / 10 * (1 - done / rounds)
        at = np.array(
            graph.layout_fruchterman_reingold(seed=at.tolist(), niter=PIECE, grid="grid", start_temp=heat).coords
        )
    return at


@contextmanager
def _seed_igraph(seed: int) -> Iterator[None]:
    """Let igraph draw from a seeded generator inside the block, and from Python's afterwards."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)
