"""Where a walk can start: graphs that keep the promise already, each made in another way."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.anonymizers.aim import DEEPEST, Aim
from shoal.anonymizers.blocks import filled, joined
from shoal.anonymizers.capped_degrees import LARGEST, fewest_additions
from shoal.anonymizers.degrees import repaired
from shoal.anonymizers.equalize_rows import EqualizeRows
from shoal.anonymizers.known_walk import Walk
from shoal.anonymizers.open_classes import Coloring
from shoal.anonymizers.row_classes import grown
from shoal.data.graph import Graph, Ints
from shoal.engines.local.pool import announce_compilation
from shoal.errors import CannotPromise, Notice
from shoal.progress import track

SHORT = 400
"""Sweeps for classes with equal rows where the walk leads far away from them."""
PIECE = 16
"""Vertices that are seen to at once."""
FEW = 10_000
"""Links up to which as many may be added; to more, a tenth of them."""
SMALL = 1000
"""Vertices up to which links are added and removed one by one for three known entries."""
ALL_TRIED = 7
"""Vertices up to which every graph is tried, where nothing else was found."""


@dataclass
class Starts:
    """The graphs from which to walk, by name."""

    original: Graph
    aim: Aim
    seed: int
    walk: Walk
    sweeps: int | float
    """For the walk, and for classes with equal rows; seconds where there is no walk, until they are known as sweeps."""
    usual: bool
    """Whether no effort was asked for."""
    stopped: bool = False
    """Whether the making of one was stopped: it is valid, and the last."""
    none_proved: bool = False
    """Whether that nothing was found means that there is nothing."""

    names: ClassVar[tuple[str, ...]] = (
        "degree repair",
        "addition",
        "removal",
        "closed twins",
        "equal rows",
        "all graphs",
    )

    def each(self) -> Iterator[tuple[str, Graph]]:
        """Yield valid graphs by name."""
        count = 0
        for name, graph in self._each():
            count += graph is not None
            if graph is not None:
                yield name, graph
        if not count and self.original.n <= ALL_TRIED:
            self.none_proved = True
            if (graph := self._of_all()) is not None:
                yield "all graphs", graph

    def _each(self) -> Iterator[tuple[str, Graph | None]]:
        aim = self.aim
        if aim.l == 1:
            made = self._by_degrees()
            yield "degree repair", made
            if made is not None or self.none_proved:
                return
        if aim.walks(self.original) and (aim.l < DEEPEST or self.original.n <= SMALL):
            yield "addition", self._extended()
            if not aim.add_only:
                yield "removal", self._removed()
        yield from self._kept() if aim.add_only else self._cut()

    def _by_degrees(self) -> Graph | None:
        """Return a graph whose degrees are 0, or at least k and not too large, with few edits."""
        aim, original = self.aim, self.original
        if not aim.add_only or original.n > aim.k:
            graph = repaired(original, aim.k, aim.add_only, self.seed, aim.who)
            if aim.by_degrees(graph):
                return graph
        if not aim.add_only or original.n > LARGEST:
            return None
        made, self.none_proved = fewest_additions(original, aim.k, located=aim.reading == "located-relations")
        return made

    def _cut(self) -> Iterator[tuple[str, Graph]]:
        aim, n = self.aim, self.original.n
        if aim.cliques and aim.k + aim.l <= n:
            closed = aim.reading == "neighbors"
            yield "closed twins", self._equalized(aim.k, aim.l) if closed else self._filled()
        if aim.size <= n and not self.stopped:
            yield "equal rows", self._equalized(aim.size)

    def _kept(self) -> Iterator[tuple[str, Graph | None]]:
        aim, n = self.aim, self.original.n
        if aim.cliques and aim.k + aim.l <= n:
            yield "closed twins", joined(self.original, self._grown(), aim.k + aim.l)
        coloring = Coloring(self.original, aim.size)
        codes = coloring.found()
        self.none_proved = aim.reading == "neighbors" and coloring.proved
        yield "equal rows", None if codes is None else joined(self.original, codes, 0)

    def _filled(self) -> Graph:
        """Return classes of k + l or more made equal, or cliques."""
        return filled(self.original, self._grown(), clique=self.aim.k + self.aim.l)

    def _grown(self) -> Ints:
        """Return classes of k + l or more, alike."""
        everyone = np.ones(self.original.n, dtype=np.bool_)
        return grown(self.original, self.aim.k + self.aim.l, "jaccard", everyone)

    def _equalized(self, k: int, closed: int | None = None) -> Graph:
        """Return the graph with equal rows; what it says of links lost is not the last word."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            release = EqualizeRows(k, closed=closed, effort=self._effort, seed=self.seed)(self.original)
        self.stopped = bool(release.measured.get("stopped early", False))
        if isinstance(self.sweeps, float):
            self.sweeps = int(release.measured["sweeps"])
        return release.graph

    @property
    def _effort(self) -> int | float | None:
        walks = self.aim.walks(self.original)
        if isinstance(self.sweeps, int) and walks and self.aim.reading == "neighbors" and self.aim.l < DEEPEST:
            return min(SHORT, self.sweeps)
        if self.usual:
            return None
        return self.sweeps if isinstance(self.sweeps, int) else self.sweeps / 2  # seconds, of which others need some

    def _removed(self) -> Graph:
        """Return the original without links that betray somebody."""
        announce_compilation()
        from shoal.engines.local.kernels.agreement_walk import remove

        rows = self.walk.rows(self.original)
        while sum(remove(rows, who) for who in self._pieces("removing links")):
            pass
        return self.walk.graph(rows)

    def _extended(self) -> Graph | None:
        """Return the original with links for those who betray somebody by what they lack, if a few are enough."""
        announce_compilation()
        from shoal.engines.local.kernels.agreement_walk import add

        many = self.original.m
        rows, left, before = self.walk.rows(self.original), many if many < FEW else many // 10, -1
        while before != left:
            before = left
            for who in self._pieces("adding links"):
                left -= add(rows, who, left)
                if left < 0:
                    return None
        return self.walk.graph(rows)

    def _pieces(self, what: str) -> Iterator[Ints]:
        """Yield the vertices from the largest degree on, a few at a time; between them it can be stopped."""
        order = np.argsort(-self.original.degree, kind="stable")
        for first in range(0, len(order), PIECE):
            track(what, first, len(order))
            yield order[first : first + PIECE]

    def _of_all(self) -> Graph | None:
        """Return the best of all graphs that keep the original, if it may lose nothing; else of all."""
        from shoal.engines.local.kernels.agreement_walk import fewest_of_all

        rows, n = self.walk.rows(self.original), self.original.n
        free = [(u, v) for u in range(n) for v in range(u + 1, n) if v not in self.original.neighbors(u)]
        fewest = fewest_of_all(rows, np.array(free, dtype=np.int64).reshape(-1, 2))
        return self.walk.graph(rows) if fewest >= 0 else None

    def none(self) -> CannotPromise:
        """Say that nothing was found, and whether that is proved."""
        aim = self.aim
        what = ("neighbor" if aim.reading == "neighbors" else "relation") + ("s" if aim.l > 1 else "")
        sure = "there is none" if self.none_proved else "none was found, which does not prove that there is none"
        return CannotPromise(
            f"{aim.who}: with additions only, a graph in which {aim.l} known {what} leave k = {aim.k} candidates was "
            f"looked for; {sure}. Got {self.original.n:,} vertices. Leave add_only out (--add-only), or lower k or l."
        )
