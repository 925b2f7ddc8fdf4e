"""Layout: positions of vertices in a plane, so that linked vertices are close.

A component of up to 500 vertices is laid out by the forces of Fruchterman & Reingold (1991), a larger one in levels
(forces.py).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from shoal.auditing.forces import Positions, place_by_forces
from shoal.data.arrays import Ints

STEPS = 400
"""Rounds of forces for a small component."""
LARGE = 500
"""Vertices of a component from which it is laid out in levels."""
SIDE, GAP, LEAST = 100.0, 3.0, 2.5
"""Width of the largest component, distance of components, and width of a single vertex."""
BELOW = 6_000.0
"""The largest area of all other components, which are below the largest one."""


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
    if part.vcount() < LARGE:
        at = _place_few(part, rng)
    else:
        at = place_by_forces(part.vcount(), np.array(part.get_edgelist(), dtype=np.int64), rng)
    at -= at.min(axis=0)
    return at / max(at.max(), 1e-9) * wide


def _place_few(part: Any, rng: np.random.Generator) -> Positions:
    """Return positions by forces between all pairs."""
    n = part.vcount()
    with _seed_igraph(int(rng.integers(2**31))):
        start = (rng.uniform(-1, 1, (n, 2)) * np.sqrt(n)).tolist()
        return np.array(part.layout_fruchterman_reingold(seed=start, niter=STEPS, grid="nogrid").coords)


@contextmanager
def _seed_igraph(seed: int) -> Iterator[None]:
    """Let igraph draw from a seeded generator inside the block, and from Python's afterwards."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)
