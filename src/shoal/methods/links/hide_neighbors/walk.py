"""The walk from a graph that keeps the promise towards the original, through graphs that all keep it.

It is simulated annealing: changes that cost edits are accepted by chance, the less the colder. Every graph on the way
is valid, so that it can be stopped at any time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.core.threads import announce_compilation
from shoal.data.graph import Graph
from shoal.methods.links.hide_neighbors.aim import READINGS, Aim
from shoal.methods.links.hide_neighbors.degrees import fewest_edits
from shoal.optimize.annealing import generator
from shoal.optimize.blocks import filled, joined
from shoal.optimize.class_partition import grown
from shoal.progress import searching, track

if TYPE_CHECKING:
    from shoal.methods.links.hide_neighbors.starts import Starts

HOT, COLD = 0.6, 0.1
"""Edits more that are accepted with a chance of 1/e, at first and in the end."""
TRIES = (HOT, 0.25, 0.12)
"""The same at the start of further tries on a small graph, which stay nearer to where they started."""
STARTS = 4
"""How many starts share the seconds that are given; fewer take less."""
AT_ONCE = 20_000
"""Changes between two reports of progress."""


@dataclass
class Walk:
    """Walks over the graphs that keep a promise about the original."""

    original: Graph
    aim: Aim
    seed: int
    done: int = 0

    def __post_init__(self) -> None:
        self.random = generator(self.seed)
        self.floor = fewest_edits(self.original, self.aim.k, self.aim.add_only)  # nobody needs to look for fewer

    @property
    def sweeps_done(self) -> int:
        """The sweeps of the last walk."""
        return self.done // self.original.n

    @property
    def tries(self) -> int:
        """How often to walk from each start."""
        return max(1, min(8, 1000 // self.original.n))

    def towards(self, name: str, start: Graph, starts: Starts) -> tuple[Graph, bool]:
        """Return the best graph on walks from one start, and whether they were stopped."""
        best, fewest, sweeps = start, count_edits(self.original, start), int(starts.sweeps)
        if not self.aim.walks(self.original) or not sweeps or fewest <= self.floor:
            return best, False
        for i in range(self.tries):
            rows = self.rows(start)
            stopped = self._cool(name, rows, sweeps * self.original.n, TRIES[i % 3])
            made = self.graph(rows)
            many = count_edits(self.original, made)
            if many < fewest:
                best, fewest = made, many
            if stopped or fewest <= self.floor:
                return best, stopped
        return best, False

    def _cool(self, name: str, rows: Any, proposals: int, hot: float) -> bool:
        """Walk in steps, then take back what still can be; tell whether it was stopped between two steps."""
        from shoal.kernels.agreement_walk import restore, walk

        many, order, stopped = (
            count_edits(self.original, self.graph(rows)),
            self.random.permutation(self.original.n),
            False,
        )
        self.done = 0
        try:
            with searching():
                while self.done < proposals:
                    share = min(AT_ONCE, proposals - self.done)
                    heat = [hot * (COLD / hot) ** (at / proposals) for at in (self.done, self.done + share)]
                    many += walk(rows, share, *heat)
                    self.done += share
                    track(f"from {name}, {many / max(1, self.original.m):.3f} edits per edge", self.done, proposals)
        except KeyboardInterrupt:
            stopped = True
        while restore(rows, order):
            pass
        return stopped

    def within(self, seconds: float) -> int:
        """Return how many sweeps from each start take about so long together, by a short trial; at least one."""
        announce_compilation()
        from shoal.kernels.agreement_walk import walk

        everyone = np.ones(self.original.n, dtype=np.bool_)
        size = min(self.original.n, self.aim.size + self.aim.l * self.aim.add_only)
        codes = grown(self.original, size, "jaccard", everyone)
        start = joined(self.original, codes, size) if self.aim.add_only else filled(self.original, codes)
        rows = rows_of(self.original, start, self.aim, 0)
        walk(rows, 1, HOT, COLD)  # compiles
        began, trial = time.perf_counter(), 20_000
        walk(rows, trial, HOT, COLD)
        each = seconds / (STARTS * self.tries)
        return max(1, int(each * trial / (time.perf_counter() - began) / self.original.n))

    def rows(self, graph: Graph) -> Any:
        """Return a graph as the compiled loops change it."""
        return rows_of(self.original, graph, self.aim, int(self.random.integers(0, 2**63)))

    def graph(self, rows: Any) -> Graph:
        """Return what the compiled loops made."""
        from shoal.kernels.agreement_walk import listed

        sources, targets = listed(rows.bits, int(rows.degree.sum()) // 2)
        return Graph.from_pairs(self.original.names, sources, targets, attributes=self.original.attributes)


def rows_of(original: Graph, graph: Graph, aim: Aim, seed: int) -> Any:
    """Return a graph as rows of bits, on its way to the original, with room to work in."""
    from shoal.kernels.agreement import Rows

    n, wide, deep = graph.n, (graph.n + 63) // 64, aim.l + 2
    masks, words = np.zeros((deep, wide), dtype=np.uint64), np.zeros((deep, wide), dtype=np.int64)
    masks[0], words[0] = ~np.uint64(0), np.arange(wide)
    if n % 64:
        masks[0, -1] = (np.uint64(1) << np.uint64(n % 64)) - np.uint64(1)
    many, left, at = np.zeros((3, deep + 1), dtype=np.int64)
    many[0], left[0] = wide, n
    columns, found, changed = (np.zeros(size, dtype=np.int64) for size in (n, deep, n))
    row, old, new = np.zeros((3, wide), dtype=np.uint64)
    fields: list[Any] = [_bits(graph, wide), _bits(original, wide)]
    fields += [original.indptr.astype(np.int64), original.indices.astype(np.int64), graph.degree.astype(np.int64)]
    fields += [aim.k, aim.l, READINGS.index(aim.reading), aim.add_only, aim.most(original)]
    fields += [np.array([seed], dtype=np.uint64)]
    fields += [masks, words, many, left, at, columns, found, row, old, new, changed]
    return Rows(*fields)


def _bits(graph: Graph, wide: int) -> Any:
    """Return the adjacency matrix, 64 entries a word."""
    bits = np.zeros((graph.n, wide), dtype=np.uint64)
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.bitwise_or.at(bits, (rows, graph.indices >> 6), np.uint64(1) << (graph.indices & 63).astype(np.uint64))
    return bits
