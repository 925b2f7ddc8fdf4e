"""Graphs in which at most l known entries of a row leave k candidates, with few edits.

Whole classes with equal rows are one way, and the only one for every l. For a small l much less is enough, so that
they are only where a walk starts (:mod:`shoal.engines.local.kernels.agreement_walk`): from graph to graph, each of them
valid, towards the original. Another start is the original without the links that betray somebody. The walk goes from
each start, and the fewest edits win.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.anonymizers.blocks import blocks_of, completed, filled
from shoal.anonymizers.degrees import edits, repaired
from shoal.anonymizers.effort import amount
from shoal.anonymizers.equalize_rows import EqualizeRows
from shoal.anonymizers.method import generator
from shoal.anonymizers.open_classes import Coloring
from shoal.anonymizers.row_classes import grown
from shoal.data.graph import Graph, Ints
from shoal.engines.local.pool import announce_compilation
from shoal.errors import CannotPromise, Notice, notice
from shoal.progress import track

READINGS = ("neighbors", "relations", "located-relations")
MOST = 50_000
"""Vertices up to which the walk is tried: it takes n * n / 4 bytes."""
DEEPEST = 3
"""Known entries up to which the walk is tried: a step looks at all sets of one less."""
PROPOSALS = {"neighbors": (10_000_000, 10_000_000, 1_000_000), "relations": (6_000_000, 1_500_000, 200_000)}
"""Changes tried from each start unless told otherwise, for 1, 2 and 3 known entries; in 100 to 10,000 sweeps."""
HOT, COLD = 0.6, 0.1
"""Edits more that are accepted with a chance of 1/e, at first and in the end."""
TRIES = (HOT, 0.25, 0.12)
"""The same at the start of further tries on a small graph, which stay nearer to where they started."""
PIECE = 16
"""Vertices that are seen to at once before the walk."""
AT_ONCE = 20_000
"""Changes between two reports of progress."""
SHORT = 100
"""Sweeps for classes with equal rows where the walk leads far away from them, or where seconds are for the walk."""
FEW = 10_000
"""Links up to which as many may be added at first; to more, a tenth of them."""
SMALL = 1000
"""Vertices up to which links are added and removed at first for three known entries."""
ALL_TRIED = 6
"""Vertices up to which every graph is tried, where nothing else was found."""


@dataclass(frozen=True)
class Aim:
    """What must be left over, and whether links may go."""

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

    def by_degrees(self, graph: Graph) -> bool:
        """Tell whether one known entry leaves k candidates: that many have the link, and that many lack it, or none."""
        there, missing = graph.degree, graph.n - graph.degree - (self.reading == "located-relations")
        lack = (missing >= self.k) | (missing == 0) | (self.reading == "neighbors")
        return bool((((there >= self.k) | (there == 0)) & lack).all())


@dataclass
class Search:
    """The best graph so far, and what each start came to."""

    original: Graph
    aim: Aim
    effort: Any
    seed: int
    best: Graph | None = None
    tried: dict[str, int] = field(default_factory=dict)
    sweeps: int = 0
    stopped: bool = False

    def run(self) -> Graph:
        """Return the graph with the fewest edits."""
        self.random = generator(self.seed)
        for name, start in self._starts():
            graph = start
            if self._walks and start.m + self.original.m:
                graph = self._walked(name, start)
            self.tried[name] = edits(self.original, graph)
            if self.best is None or self.tried[name] < edits(self.original, self.best):
                self.best = graph
            if self.stopped or not self.tried[name]:
                break
        if self.best is None:
            raise self._none()
        return self.best

    @property
    def by(self) -> str:
        """The start that the best graph came from."""
        return min(self.tried, key=lambda name: self.tried[name])

    @property
    def _walks(self) -> bool:
        return self.original.n <= MOST and self.aim.l <= DEEPEST

    @property
    def _repairs(self) -> bool:
        """Whether violations are looked for one by one: by three known entries that takes longer than it gains."""
        return self._walks and (self.aim.l < DEEPEST or self.original.n <= SMALL)

    def _starts(self) -> Iterator[tuple[str, Graph]]:
        """Yield valid graphs by name, from which to walk."""
        original, aim = self.original, self.aim
        if aim.l == 1 and (made := self._by_degrees()):
            yield "degree repair", made
            return
        if self._repairs and (made := self._extended()):
            yield "addition", made
        yield from self._kept() if aim.add_only else self._cut()
        if aim.add_only and not self.tried and original.n <= ALL_TRIED and (made := self._of_all()):
            yield "all graphs", made

    def _by_degrees(self) -> Graph | None:
        """Return the graph whose degrees are 0 or at least k, if that is enough."""
        if self.aim.add_only and self.original.n <= self.aim.k:
            return None
        graph = repaired(self.original, self.aim.k, self.aim.add_only, self.seed, self.aim.who)
        return graph if self.aim.by_degrees(graph) else None

    def _cut(self) -> Iterator[tuple[str, Graph]]:
        if self._repairs:
            yield "removal", self._removed()
        aim = self.aim
        forgotten = self._walks and aim.reading == "neighbors" and aim.l < DEEPEST
        effort = SHORT if self.effort != 0 and (forgotten or isinstance(self._given, float)) else self.effort
        if aim.cliques and aim.k + aim.l <= self.original.n:
            yield (
                "closed twins",
                self._equalized(aim.k, closed=aim.l, effort=effort)
                if aim.reading == "neighbors"
                else filled(self.original, self._grown(), clique=aim.size),
            )
        if aim.size <= self.original.n:
            yield "equal rows", self._equalized(aim.size, effort=effort)

    def _grown(self) -> Ints:
        """Return classes of k + l or more, alike."""
        everyone = np.ones(self.original.n, dtype=np.bool_)
        return grown(self.original, self.aim.k + self.aim.l, "jaccard", everyone)

    def _equalized(self, k: int, **how: Any) -> Graph:
        """Return the graph with equal rows; what it says of links lost is not the last word."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            return EqualizeRows(k, seed=self.seed, **how)(self.original).graph

    def _kept(self) -> Iterator[tuple[str, Graph]]:
        original, aim = self.original, self.aim
        if aim.cliques and aim.k + aim.l <= original.n:
            yield "closed twins", _joined(original, self._grown(), aim.k + aim.l)
        self.coloring = Coloring(original, aim.size)
        if (codes := self.coloring.found()) is not None:
            yield "equal rows", _joined(original, codes, 0)

    @property
    def _given(self) -> int | float:
        """The sweeps, or seconds, that were asked for or are usual."""
        if self.effort is not None:
            return amount(self.effort, self.aim.who)
        many = PROPOSALS["neighbors" if self.aim.reading == "neighbors" else "relations"]
        return min(10_000, max(100, many[min(self.aim.l, DEEPEST) - 1] // self.original.n))

    def _walked(self, name: str, start: Graph) -> Graph:
        """Walk from one start, on a small graph several times."""
        sweeps = self._given
        if isinstance(sweeps, float):
            sweeps = self.sweeps or self._within(start, sweeps / (2 if self.aim.add_only else 3))
        self.sweeps = sweeps
        best, fewest = start, edits(self.original, start)
        for i in range(max(1, min(8, 1000 // self.original.n)) if sweeps else 0):
            rows = self._rows(start)
            self._cool(name, rows, sweeps * self.original.n, edits(self.original, start), TRIES[i % 3])
            made = self._graph(rows)
            if edits(self.original, made) < fewest:
                best, fewest = made, edits(self.original, made)
            if self.stopped or not fewest:
                break
        return best

    def _cool(self, name: str, rows: Any, proposals: int, many: int, hot: float) -> None:
        """Walk in steps, between which it can be stopped and says how far it is; then take back what still can be."""
        from shoal.engines.local.kernels.agreement_walk import restore, walk

        steps = -(-proposals // AT_ONCE)
        heat = hot * (COLD / hot) ** (np.arange(steps + 1) / steps)
        order = self.random.permutation(self.original.n)
        try:
            for i in range(steps):
                share = proposals * (i + 1) // steps - proposals * i // steps
                many += walk(rows, share, heat[i], heat[i + 1])
                track(f"from {name}, {many / max(1, self.original.m):.2f} edits per edge", i + 1, steps)
        except KeyboardInterrupt:
            self.stopped = True
            notice(f"{self.aim.who}: stopped; the best so far is verified next. Stop again to drop it.")
        while restore(rows, order):
            pass

    def _within(self, start: Graph, seconds: float) -> int:
        """Return how many sweeps take about so long, by a short trial; at least one."""
        from shoal.engines.local.kernels.agreement_walk import walk

        rows = self._rows(start)
        walk(rows, 1, HOT, COLD)  # compiles
        began, trial = time.perf_counter(), 5_000
        walk(rows, trial, HOT, COLD)
        return max(1, int(seconds * trial / (time.perf_counter() - began) / self.original.n))

    def _removed(self) -> Graph:
        """Return the original without links that betray somebody."""
        announce_compilation()
        from shoal.engines.local.kernels.agreement_walk import remove

        rows = self._rows(self.original)
        while sum(remove(rows, who) for who in self._pieces("removing links")):
            pass
        return self._graph(rows)

    def _extended(self) -> Graph | None:
        """Return the original with links for those who betray somebody by what they lack, if a few are enough."""
        announce_compilation()
        from shoal.engines.local.kernels.agreement_walk import add

        rows, left, before = self._rows(self.original), self._few, -1
        while before != left:
            before = left
            for who in self._pieces("adding links"):
                left -= add(rows, who, left)
                if left < 0:
                    return None
        return self._graph(rows)

    @property
    def _few(self) -> int:
        """How many links may be added at first."""
        return self.original.m if self.original.m < FEW else self.original.m // 10

    def _pieces(self, what: str) -> Iterator[Ints]:
        """Yield the vertices from the largest degree on, a few at a time; between them it can be stopped."""
        order = np.argsort(-self.original.degree, kind="stable")
        for first in range(0, len(order), PIECE):
            track(what, first, len(order))
            yield order[first : first + PIECE]

    def _of_all(self) -> Graph | None:
        """Return the best of all graphs that keep the original."""
        from shoal.engines.local.kernels.agreement_walk import fewest_of_all

        rows, n = self._rows(self.original), self.original.n
        free = [(u, v) for u in range(n) for v in range(u + 1, n) if v not in self.original.neighbors(u)]
        fewest = fewest_of_all(rows, np.array(free, dtype=np.int64).reshape(-1, 2))
        return self._graph(rows) if fewest >= 0 else None

    def _rows(self, graph: Graph) -> Any:
        return rows_of(self.original, graph, self.aim, int(self.random.integers(0, 2**63)))

    def _graph(self, rows: Any) -> Graph:
        from shoal.engines.local.kernels.agreement_walk import listed

        sources, targets = listed(rows.bits, int(rows.degree.sum()) // 2)
        return Graph.from_pairs(self.original.names, sources, targets, attributes=self.original.attributes)

    def _none(self) -> CannotPromise:
        """Say that nothing was found, and whether that is proved."""
        aim, n = self.aim, self.original.n
        known = f"{aim.l} known {'neighbors' if aim.reading == 'neighbors' else 'relations'}"
        proved = n <= ALL_TRIED or (aim.reading == "neighbors" and self.coloring.proved)
        sure = "there is none" if proved else "none was found, which does not prove that there is none"
        return CannotPromise(
            f"{aim.who}: with additions only, a graph in which {known} leave k = {aim.k} candidates was looked for; "
            f"{sure}. Got {n:,} vertices. Leave add_only out (--add-only), or lower k or l."
        )


def _joined(graph: Graph, codes: Ints, clique: int) -> Graph:
    """Return the graph with all edges between two classes wherever there is one, and inside if cliques are allowed."""
    blocks = blocks_of(graph, codes, clique)
    sources, targets = completed(codes, blocks.first, blocks.second)
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes)


def rows_of(original: Graph, graph: Graph, aim: Aim, seed: int) -> Any:
    """Return a graph as the compiled loops change it, on its way to the original."""
    from shoal.engines.local.kernels.agreement import Rows

    n, wide, deep = graph.n, (graph.n + 63) // 64, aim.l + 2
    everyone = np.full(wide, ~np.uint64(0))
    if n % 64:
        everyone[-1] = (np.uint64(1) << np.uint64(n % 64)) - np.uint64(1)
    masks, words = np.zeros((deep, wide), dtype=np.uint64), np.zeros((deep, wide), dtype=np.int64)
    masks[0], words[0] = everyone, np.arange(wide)
    many, left, at = np.zeros((3, deep + 1), dtype=np.int64)
    many[0], left[0] = wide, n
    return Rows(
        bits=_bits(graph, wide),
        original=_bits(original, wide),
        indptr=original.indptr.astype(np.int64),
        indices=original.indices.astype(np.int64),
        degree=graph.degree.astype(np.int64),
        k=aim.k,
        l=aim.l,
        reading=READINGS.index(aim.reading),
        keep=aim.add_only,
        random=np.array([seed], dtype=np.uint64),
        masks=masks,
        words=words,
        many=many,
        left=left,
        at=at,
        columns=np.zeros(n, dtype=np.int64),
        found=np.zeros(deep, dtype=np.int64),
        row=np.zeros(wide, dtype=np.uint64),
        old=np.zeros(wide, dtype=np.uint64),
        new=np.zeros(wide, dtype=np.uint64),
        changed=np.zeros(n, dtype=np.int64),
    )


def _bits(graph: Graph, wide: int) -> Any:
    """Return the adjacency matrix, 64 entries a word."""
    bits = np.zeros((graph.n, wide), dtype=np.uint64)
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.bitwise_or.at(bits, (rows, graph.indices >> 6), np.uint64(1) << (graph.indices & 63).astype(np.uint64))
    return bits
