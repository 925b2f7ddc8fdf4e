"""Forces: positions of the vertices of one large connected network, laid out in levels (Hu 2005).

Links pull with their length, and vertices push each other away by their degrees and the inverse of their distance, as
in ForceAtlas2 (Jacomy et al. 2014). The push is that of a mesh: its degrees are convolved with the force of one vertex
(Hockney & Eastwood 1981), so that a round takes a time that is linear in vertices and links. Pairs that are closer than
the mesh can tell are pushed apart directly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.progress import track

SMALLEST = 30
"""Vertices of the smallest level."""
ROUNDS, ROUNDS_OF_ALL = (40, 150), 1_000_000
"""Fewest and most rounds of forces for a level, and vertices times rounds between them."""
MESH = (32, 256)
"""Fewest and most cells of the mesh, across and down."""
HEAT, COLD = 0.05, 0.002
"""The longest move of a vertex in the first and in the last round, as a share of the width."""
DAMPED = 0.7
"""The share of the way to the balance of forces that a vertex goes in a round."""
CENTER = 0.1
"""The pull of the center on a mass, so that few vertices are far outside."""
NEXT = 8
"""Vertices of the same cell, next in order, that push a vertex directly."""

Positions = Any
"""An array with two numbers for each vertex."""


class Level:
    """A network of groups of vertices: weighted links, and masses that push."""

    def __init__(self, mass: Any, a: Ints, b: Ints, weight: Any) -> None:
        self.mass, self.a, self.b, self.weight = mass, a, b, weight
        self.n = len(mass)
        self.pull = np.bincount(a, weight, self.n) + np.bincount(b, weight, self.n)
        """The sum of the weights of links."""

    def find_groups(self, rng: np.random.Generator) -> Ints:
        """Return the group of each vertex: it joins the neighbor to which its link is the strongest by their masses."""
        strength = self.weight / (self.mass[self.a] * self.mass[self.b]) * rng.uniform(1, 1.1, len(self.a))
        order = np.argsort(strength, kind="stable")
        chosen = np.empty(self.n, dtype=np.int64)
        chosen[np.stack([self.a[order], self.b[order]], axis=1).ravel()] = np.repeat(order, 2)  # the last one stays
        towards = self.a[chosen] + self.b[chosen] - np.arange(self.n)
        first = (towards[towards] == np.arange(self.n)) & (np.arange(self.n) < towards)
        towards[first] = np.flatnonzero(first)
        while not np.array_equal(further := towards[towards], towards):
            towards = further
        group: Ints = np.unique(towards, return_inverse=True)[1].reshape(-1)
        return group

    def contract(self, group: Ints) -> Level:
        """Return the network of these groups."""
        n = int(group.max()) + 1
        a, b = group[self.a], group[self.b]
        outside = a != b
        pairs, place = np.unique(np.minimum(a, b)[outside] * n + np.maximum(a, b)[outside], return_inverse=True)
        weight = np.bincount(place.reshape(-1), self.weight[outside], len(pairs))
        return Level(np.bincount(group, self.mass, n), pairs // n, pairs % n, weight)

    def spread(self, at: Positions, group: Ints, rng: np.random.Generator) -> Positions:
        """Return positions around those of the groups."""
        far = 0.3 * np.ptp(at, axis=0).max() / np.sqrt(self.n)
        return at[group] + rng.normal(size=(self.n, 2)) * far

    def count_rounds(self) -> int:
        """Return the rounds of forces for this network."""
        return min(max(ROUNDS[0], ROUNDS_OF_ALL // self.n), ROUNDS[1])

    def apply_forces(self, at: Positions, rng: np.random.Generator, show: Callable[[int], None]) -> Positions:
        """Return the positions after rounds of smaller and smaller moves; `show` is told how many were made."""
        rounds = self.count_rounds()
        size = int(2 ** np.ceil(np.log2(np.clip(2 * np.sqrt(self.n), *MESH))))
        x, y = at[:, 0].copy(), at[:, 1].copy()
        for done in range(rounds):
            show(done)
            wide = max(np.ptp(x), np.ptp(y)) * 1.0001 + 1e-9
            pushes = self._push(x, y, wide, size), self._push_close(x, y, wide / size, rng)
            fx, fy = (self._balance(c, far + near) for c, far, near in zip((x, y), *pushes, strict=True))
            heat = wide * (HEAT * (1 - done / rounds) + COLD)
            slow = np.minimum(1, heat / np.maximum(np.hypot(fx, fy), 1e-300))
            x += fx * slow
            y += fy * slow
        return np.stack([x, y], axis=1)

    def _balance(self, at: Any, push: Any) -> Any:
        """Return the moves along an axis that balance this push with the links and the pull of the center."""
        pull = (at[self.a] - at[self.b]) * self.weight
        force = push + np.bincount(self.b, pull, self.n) - np.bincount(self.a, pull, self.n)
        force -= CENTER * self.mass * (at - np.average(at, weights=self.mass))
        return force * (DAMPED / self.pull)

    def _push(self, x: Any, y: Any, wide: float, size: int) -> tuple[Any, Any]:
        """Return the push of far vertices, read from a mesh of that size."""
        u, v = (x - x.min()) / wide * (size - 1), (y - y.min()) / wide * (size - 1)
        column, row = np.minimum(u.astype(np.int64), size - 2), np.minimum(v.astype(np.int64), size - 2)
        u, v = u - column, v - row
        corners = [(0, (1 - u) * (1 - v)), (1, u * (1 - v)), (size, (1 - u) * v), (size + 1, u * v)]
        cell, cells = row * size + column, size * size
        mass = np.sum([np.bincount(cell + step, share * self.mass, cells) for step, share in corners], axis=0)
        spectrum = np.fft.rfft2(mass.reshape(size, size), (2 * size, 2 * size))
        pushes = []
        for kernel in transform_push(size):
            field = np.fft.irfft2(spectrum * kernel)[:size, :size].ravel()
            push = sum(field[cell + step] * share for step, share in corners)
            pushes.append(push * self.mass * ((size - 1) / wide))
        return pushes[0], pushes[1]

    def _push_close(self, x: Any, y: Any, cell: float, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return the push of some vertices that are closer than a cell; cells are somewhere else in each round."""
        column, row = ((c / cell + rng.uniform()).astype(np.int64) for c in (x - x.min(), y - y.min()))
        cells = row * (column.max() + 1) + column
        order = np.argsort(cells, kind="stable")
        cells = cells[order]
        fx, fy = np.zeros(self.n), np.zeros(self.n)
        for step in range(1, NEXT + 1):
            same = np.flatnonzero(cells[step:] == cells[:-step])
            p, q = order[same + step], order[same]
            dx, dy = x[p] - x[q], y[p] - y[q]
            much = self.mass[p] * self.mass[q] / (dx * dx + dy * dy + (cell / 100) ** 2)
            fx += np.bincount(p, dx * much, self.n) - np.bincount(q, dx * much, self.n)
            fy += np.bincount(p, dy * much, self.n) - np.bincount(q, dy * much, self.n)
        return fx, fy


@lru_cache(maxsize=8)
def transform_push(size: int) -> tuple[Any, Any]:
    """Return the transformed push of a vertex of mass 1, across and down, on a mesh without wrapping round."""
    far = np.fft.fftfreq(2 * size, 1 / (2 * size))
    square = far[:, None] ** 2 + far[None, :] ** 2
    square[0, 0] = 1
    return np.fft.rfft2(far[None, :] / square), np.fft.rfft2(far[:, None] / square)


def place_by_forces(n: int, links: Ints, rng: np.random.Generator) -> Positions:
    """Return the positions of the vertices of a connected network.

    Parameters
    ----------
    n
        The number of vertices, 2 or more.
    links
        Pairs of linked vertices; loops are left out.
    rng
        Draws the first positions.
    """
    links = links[links[:, 0] != links[:, 1]]
    degrees = np.bincount(links.ravel(), minlength=n)
    levels = [Level(degrees + 1.0, links[:, 0], links[:, 1], np.ones(len(links))).contract(np.arange(n))]
    groups: list[Ints] = []
    while levels[-1].n > SMALLEST:
        group = levels[-1].find_groups(rng)
        if not group.any():
            break  # all join one vertex
        groups.append(group)
        levels.append(levels[-1].contract(group))
    total, done = sum(level.n * level.count_rounds() for level in levels), 0
    at = rng.normal(size=(levels[-1].n, 2)) * np.sqrt(levels[-1].mass.sum())
    for place, level in list(enumerate(levels))[::-1]:
        if place < len(groups):
            at = level.spread(at, groups[place], rng)
        at = level.apply_forces(at, rng, partial(_show_rounds, level.n, done, total))
        done += level.n * level.count_rounds()
    return at


def _show_rounds(n: int, before: int, total: int, rounds: int) -> None:
    track("drawing", before + n * rounds, total)
