"""Simulated annealing towards the original, through graphs that all keep the guarantee.

A change that costs edits is accepted with a probability that falls with the temperature. Every graph on the way is
valid, so the walk can stop at any time. The aim is the number of candidates that must be left, in one of three
readings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.methods.links.hide_neighbors.degrees import bound_edits
from shoal.methods.links.hide_neighbors.lines import Lines, count_relations
from shoal.optimize.annealing import AnnealingProblem, AnnealingResult, anneal, count_sweeps_within, make_generator
from shoal.optimize.class_partition import complete_blocks, fill_blocks, grow_classes

# The aim: l known entries of a row must leave k candidates, in one of three readings.

READINGS = ("neighbors", "relations", "located-relations")
MOST = 50_000
"""The largest number of vertices for the walk, which takes n * n / 4 bytes (for each relation)."""
DEEPEST = 3
"""The largest l for the walk: a step checks all sets of l - 1 entries."""


@dataclass(frozen=True)
class Aim:
    """The number of candidates that up to l known entries must leave, and whether links may be removed."""

    k: int
    l: int
    reading: str
    add_only: bool
    who: str
    """The name of the method, for messages."""

    @property
    def size(self) -> int:
        """The smallest size of a class with equal rows: l larger if located vertices are no candidates."""
        return self.k + self.l if self.reading == "located-relations" else self.k

    @property
    def cliques(self) -> bool:
        """Whether k + l vertices that are linked to each other, and to the same other vertices, are enough."""
        return self.reading != "relations"

    def can_walk(self, graph: Graph) -> bool:
        """Return whether the graph is small enough for the walk."""
        return graph.n**2 * count_relations(graph) <= MOST**2 and self.l <= DEEPEST

    def limit_degrees(self, lines: Lines) -> Ints:
        """Return the largest degree that an edit may create: the largest original degree, unless links are only added.

        Where links have directions or kinds, that is one number for each relation.

        Without this limit the cheapest way would be k vertices that are linked to all others. An attacker who removes
        them would see the original links of the rest.
        """
        if self.add_only:
            return np.full(lines.many, lines.n)
        longest: Ints = lines.degree.reshape(-1, lines.many).max(axis=0, initial=0)
        return np.maximum(longest, self.k)

    def holds_by_degrees(self, graph: Graph) -> bool:
        """Return whether one known entry leaves k candidates: at least k vertices (or none) have and lack each link."""
        there = Lines.of(graph).degree
        missing = graph.n - there - (self.reading == "located-relations")
        lack = (missing >= self.k) | (missing == 0) | (self.reading == "neighbors")
        return bool((((there >= self.k) | (there == 0)) & lack).all())


# The walk.

TRIES = (0.6, 0.25, 0.12)
"""The initial temperatures of repeated runs: the lower ones stay closer to their start."""
STARTS = 4
"""The number of starts that share a time limit. With fewer starts the search ends earlier."""


@dataclass
class WalkState:
    """A graph on the walk, in the form of the compiled loops."""

    rows: Any
    order: Ints
    """The order in which edits are undone."""
    edits: int


@dataclass
class Walk(AnnealingProblem[Graph]):
    """Walks through the graphs that keep the guarantee."""

    original: Graph
    aim: Aim
    seed: int
    name: str = ""
    """The name of the start."""
    done: int = 0
    """The number of proposals in the last run."""

    cold: ClassVar[float] = 0.1
    step: ClassVar[int] = 20_000
    steps: ClassVar[int] = 1
    trial: ClassVar[int] = 20_000

    def __post_init__(self) -> None:
        self.random = make_generator(self.seed)
        self.floor = bound_edits(self.original, self.aim.k, self.aim.add_only)

    @property
    def size(self) -> int:
        """The number of proposals in a sweep."""
        return self.original.n

    @property
    def sweeps_done(self) -> int:
        """The number of sweeps in the last walk."""
        return self.done // self.original.n

    @property
    def tries(self) -> int:
        """The number of walks from each start."""
        return max(1, min(8, 1000 // self.original.n))

    def improve(self, name: str, start: Graph, sweeps: int) -> AnnealingResult[Graph]:
        """Return the best graph of several walks from one start."""
        if not self.aim.can_walk(self.original):
            return AnnealingResult(start, 0)
        self.name = name
        return anneal(self, start, [sweeps] * (self.tries if sweeps else 0))

    def heat(self, attempt: int) -> float:
        """Return the initial temperature of a run."""
        return TRIES[attempt % 3]

    def begin(self, start: Graph, attempt: int) -> WalkState:
        """Return the start in the form of the compiled loops."""
        self.done = 0
        return WalkState(
            self.make_rows(start), self.random.permutation(self.original.n), count_edits(self.original, start)
        )

    def propose(self, state: WalkState, proposals: int, hot: float, cold: float, done: int, total: int) -> None:
        """Propose changes of rows."""
        from shoal.methods.links._kernels.agreement import walk

        state.edits += walk(state.rows, proposals, hot, cold)
        self.done += proposals

    def describe(self, state: WalkState) -> str:
        """Return the name of the start and the edits per edge."""
        return f"from {self.name}, {state.edits / max(1, self.original.m):.3f} edits per edge"

    def finish(self, state: WalkState, stopped: bool) -> Graph:
        """Undo edits as long as the graph stays valid, and return it."""
        from shoal.methods.links._kernels.agreement import restore

        while restore(state.rows, state.order):
            pass
        return self.make_graph(state.rows)

    def cost(self, solution: Graph) -> int:
        """Return the number of edits."""
        return count_edits(self.original, solution)

    def count_sweeps(self, seconds: float) -> int:
        """Return the number of sweeps from each start that fit into a time limit, by a short trial; at least one."""
        everyone = np.ones(self.original.n, dtype=np.bool_)
        size = min(self.original.n, self.aim.size + self.aim.l * self.aim.add_only)
        codes = grow_classes(self.original, size, "jaccard", everyone)
        start = complete_blocks(self.original, codes, size) if self.aim.add_only else fill_blocks(self.original, codes)
        # a separate walk leaves this generator untouched: the same number of sweeps then gives the same release
        return count_sweeps_within(seconds / (STARTS * self.tries), Walk(self.original, self.aim, 0), start)

    def make_rows(self, graph: Graph) -> Any:
        """Return a graph in the form of the compiled loops."""
        return make_rows(self.original, graph, self.aim, int(self.random.integers(0, 2**63)))

    def make_graph(self, rows: Any) -> Graph:
        """Return the graph that the compiled loops made."""
        from shoal.methods.links._kernels.agreement import listed

        relation = np.zeros(int(rows.degree.sum()) // 2, dtype=np.int64)
        sources, targets = listed(rows.bits, len(relation), rows.reversals, relation)
        return self.original.with_links(sources, targets, relation)


class BitRows(NamedTuple):
    """A graph that can change, what must be left over, and room to work in, as the kernel takes them."""

    bits: Any  # one line for each vertex and relation
    original: Any
    indptr: Any  # of the lines of the original
    indices: Any
    degree: Any  # of each line
    reversals: Any
    k: int
    l: int
    reading: int
    keep: bool  # whether all links of the original stay
    most: Any  # links that no line may come to have more of, for each relation
    random: Any
    masks: Any  # the candidates left by the columns so far, one line per column
    words: Any  # where these have ones
    many: Any  # how many such words
    left: Any  # how many candidates
    at: Any  # the column in turn
    columns: Any
    found: Any
    row: Any
    old: Any
    new: Any
    changed: Any


def make_rows(original: Graph, graph: Graph, aim: Aim, seed: int) -> Any:
    """Return a graph as bit rows, with the original and scratch arrays for the compiled loops."""
    before, after = Lines.of(original), Lines.of(graph, original)
    n, wide, deep, many_columns = graph.n, (graph.n + 63) // 64, aim.l + 2, graph.n * before.many
    masks, words = np.zeros((deep, wide), dtype=np.uint64), np.zeros((deep, wide), dtype=np.int64)
    masks[0], words[0] = ~np.uint64(0), np.arange(wide)
    if n % 64:
        masks[0, -1] = (np.uint64(1) << np.uint64(n % 64)) - np.uint64(1)
    many, left, at = np.zeros((3, deep + 1), dtype=np.int64)
    many[0], left[0] = wide, n
    columns, found, changed = (np.zeros(size, dtype=np.int64) for size in (many_columns, deep, many_columns))
    row, old, new = np.zeros((3, wide * before.many), dtype=np.uint64)
    fields: list[Any] = [_pack_bits(after, wide), _pack_bits(before, wide)]
    fields += [before.indptr.astype(np.int64), before.indices.astype(np.int64), after.degree.astype(np.int64)]
    fields += [before.reversals, aim.k, aim.l, READINGS.index(aim.reading), aim.add_only]
    fields += [aim.limit_degrees(before).astype(np.int64), np.array([seed], dtype=np.uint64)]
    fields += [masks, words, many, left, at, columns, found, row, old, new, changed]
    return BitRows(*fields)


def _pack_bits(lines: Lines, wide: int) -> Any:
    """Return which vertices are on each line, with 64 of them per word."""
    bits = np.zeros((len(lines.degree), wide), dtype=np.uint64)
    rows = np.repeat(np.arange(len(lines.degree)), lines.degree)
    np.bitwise_or.at(bits, (rows, lines.indices >> 6), np.uint64(1) << (lines.indices & 63).astype(np.uint64))
    return bits
