"""Annealing walk from a graph that keeps the promise towards the original, through graphs that all keep it.

It is simulated annealing: changes that cost edits are accepted by chance, the less the colder. Every graph on the way
is valid, so that it can be stopped at any time. The aim says how many candidates must be left, and in which reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.methods.links.hide_neighbors.degrees import bound_edits
from shoal.optimize.annealing import AnnealingProblem, AnnealingResult, anneal, count_sweeps_within, make_generator
from shoal.optimize.class_partition import complete_blocks, fill_blocks, grow_classes

# The aim: how many candidates l known entries of a row must leave, and in which reading.

READINGS = ("neighbors", "relations", "located-relations")
MOST = 50_000
"""Vertices up to which the walk is tried: it takes n * n / 4 bytes."""
DEEPEST = 3
"""Known entries up to which the walk is tried: a step looks at all sets of one less."""


@dataclass(frozen=True)
class Aim:
    """How many candidates at most l known entries must leave, and whether links may go."""

    k: int
    l: int
    reading: str
    add_only: bool
    who: str
    """The method, for what it says."""

    @property
    def size(self) -> int:
        """How large a class with equal rows must be: located vertices are no candidates, so l more."""
        return self.k + self.l if self.reading == "located-relations" else self.k

    @property
    def cliques(self) -> bool:
        """Whether k + l vertices that see each other, and the same others, are enough."""
        return self.reading != "relations"

    def can_walk(self, graph: Graph) -> bool:
        """Tell whether the walk is tried."""
        return graph.n <= MOST and self.l <= DEEPEST

    def limit_degree(self, graph: Graph) -> int:
        """Return how many links nobody may come to have more of: as many as somebody has, unless links only come.

        Otherwise k vertices that are linked to everybody would be the cheapest way, and whoever leaves them out again
        would find the others as they were.
        """
        return graph.n if self.add_only else max(int(graph.degree.max(initial=0)), self.k)

    def holds_by_degrees(self, graph: Graph) -> bool:
        """Tell whether one known entry leaves k candidates: that many have the link, and that many lack it, or none."""
        there, missing = graph.degree, graph.n - graph.degree - (self.reading == "located-relations")
        lack = (missing >= self.k) | (missing == 0) | (self.reading == "neighbors")
        return bool((((there >= self.k) | (there == 0)) & lack).all())


# The walk.

TRIES = (0.6, 0.25, 0.12)
"""The heat at the start of further runs on a small graph, which stay nearer to where they started."""
STARTS = 4
"""How many starts share the seconds that are given; fewer take less."""


@dataclass
class WalkState:
    """A graph on the way, as the compiled loops change it."""

    rows: Any
    order: Ints
    """In which edits are taken back."""
    edits: int


@dataclass
class Walk(AnnealingProblem[Graph]):
    """Walks over the graphs that keep a promise about the original."""

    original: Graph
    aim: Aim
    seed: int
    name: str = ""
    """Where the walk started."""
    done: int = 0
    """Proposals of the last run."""

    cold: ClassVar[float] = 0.1
    step: ClassVar[int] = 20_000
    steps: ClassVar[int] = 1
    trial: ClassVar[int] = 20_000

    def __post_init__(self) -> None:
        self.random = make_generator(self.seed)
        self.floor = bound_edits(self.original, self.aim.k, self.aim.add_only)

    @property
    def size(self) -> int:
        """Proposals that make a sweep."""
        return self.original.n

    @property
    def sweeps_done(self) -> int:
        """The sweeps of the last walk."""
        return self.done // self.original.n

    @property
    def tries(self) -> int:
        """How often to walk from each start."""
        return max(1, min(8, 1000 // self.original.n))

    def improve(self, name: str, start: Graph, sweeps: int) -> AnnealingResult[Graph]:
        """Return the best graph on walks from one start, of so many sweeps each."""
        if not self.aim.can_walk(self.original):
            return AnnealingResult(start, 0)
        self.name = name
        return anneal(self, start, [sweeps] * (self.tries if sweeps else 0))

    def heat(self, attempt: int) -> float:
        """Return the heat at the start of a run."""
        return TRIES[attempt % 3]

    def begin(self, start: Graph, attempt: int) -> WalkState:
        """Return the start as the compiled loops change it."""
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
        """Return where the walk started, and the edits per edge."""
        return f"from {self.name}, {state.edits / max(1, self.original.m):.3f} edits per edge"

    def finish(self, state: WalkState, stopped: bool) -> Graph:
        """Take back edits as long as the graph stays valid, and return it."""
        from shoal.methods.links._kernels.agreement import restore

        while restore(state.rows, state.order):
            pass
        return self.make_graph(state.rows)

    def cost(self, solution: Graph) -> int:
        """Return the edits."""
        return count_edits(self.original, solution)

    def count_sweeps(self, seconds: float) -> int:
        """Return how many sweeps from each start take about so long together, by a short trial; at least one."""
        everyone = np.ones(self.original.n, dtype=np.bool_)
        size = min(self.original.n, self.aim.size + self.aim.l * self.aim.add_only)
        codes = grow_classes(self.original, size, "jaccard", everyone)
        start = complete_blocks(self.original, codes, size) if self.aim.add_only else fill_blocks(self.original, codes)
        # another walk, so that nothing is drawn from this one: as many sweeps, told as such, give the same release
        return count_sweeps_within(seconds / (STARTS * self.tries), Walk(self.original, self.aim, 0), start)

    def make_rows(self, graph: Graph) -> Any:
        """Return a graph as the compiled loops change it."""
        return make_rows(self.original, graph, self.aim, int(self.random.integers(0, 2**63)))

    def make_graph(self, rows: Any) -> Graph:
        """Return what the compiled loops made."""
        from shoal.methods.links._kernels.agreement import listed

        sources, targets = listed(rows.bits, int(rows.degree.sum()) // 2)
        return Graph.from_pairs(self.original.names, sources, targets, attributes=self.original.attributes)


class BitRows(NamedTuple):
    """A graph that can change, what must be left over, and room to work in, as the kernel takes them."""

    bits: Any
    original: Any
    indptr: Any  # of the original
    indices: Any
    degree: Any
    k: int
    l: int
    reading: int
    keep: bool  # whether all links of the original stay
    most: int  # links that no vertex may come to have more of
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
    """Return a graph as rows of bits, on its way to the original, with room to work in."""
    n, wide, deep = graph.n, (graph.n + 63) // 64, aim.l + 2
    masks, words = np.zeros((deep, wide), dtype=np.uint64), np.zeros((deep, wide), dtype=np.int64)
    masks[0], words[0] = ~np.uint64(0), np.arange(wide)
    if n % 64:
        masks[0, -1] = (np.uint64(1) << np.uint64(n % 64)) - np.uint64(1)
    many, left, at = np.zeros((3, deep + 1), dtype=np.int64)
    many[0], left[0] = wide, n
    columns, found, changed = (np.zeros(size, dtype=np.int64) for size in (n, deep, n))
    row, old, new = np.zeros((3, wide), dtype=np.uint64)
    fields: list[Any] = [_pack_bits(graph, wide), _pack_bits(original, wide)]
    fields += [original.indptr.astype(np.int64), original.indices.astype(np.int64), graph.degree.astype(np.int64)]
    fields += [aim.k, aim.l, READINGS.index(aim.reading), aim.add_only, aim.limit_degree(original)]
    fields += [np.array([seed], dtype=np.uint64)]
    fields += [masks, words, many, left, at, columns, found, row, old, new, changed]
    return BitRows(*fields)


def _pack_bits(graph: Graph, wide: int) -> Any:
    """Return the adjacency matrix, 64 entries a word."""
    bits = np.zeros((graph.n, wide), dtype=np.uint64)
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.bitwise_or.at(bits, (rows, graph.indices >> 6), np.uint64(1) << (graph.indices & 63).astype(np.uint64))
    return bits
