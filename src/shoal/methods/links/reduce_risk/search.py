"""Chains of simulated annealing that edit links until few people are at risk.

The number of chains is fixed, whatever the number of threads. So a result depends on the seed and on the number of
sweeps only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal

import numpy as np

from shoal.core.balls import find_canonical_form
from shoal.core.grouping import group_columns
from shoal.core.layers import split_sides
from shoal.data.arrays import Ints
from shoal.data.graph import Graph, compress_rows
from shoal.knowledge.incremental import COSTLY, Incremental, Part
from shoal.optimize.annealing import make_generator
from shoal.progress import searching
from shoal.settings import count_threads, run_in_pieces

Edits = Literal["delete", "add", "add-delete", "swap"]
MODES: dict[Edits, int] = {"delete": 1, "add": 2, "add-delete": 3, "swap": 4}
"""The kinds of edits, as the compiled loops number them."""
CHAINS = 4
SLICE, COSTLY_SLICE = 4_096, 64
"""Proposals between two checks for an interrupt: a fraction of a second."""
HOT, WARM, COLD = 0.6, 0.3, 0.12
"""Temperatures, in people at risk: at the start, at the start from an earlier result, and at the end."""
QUENCH = 8
"""Slices without any increase at the end; more of short slices, but at most an eighth of all."""
PROPOSALS, COSTLY_PROPOSALS = 2_000_000, 100_000
"""The default number of proposals of a chain, in 3 to 2,000 sweeps."""
TRIAL, TRIAL_SECONDS = 20 * SLICE, 1.0
"""Proposals that measure the speed, and the most seconds for them."""
ROUNDS = 6
"""Budgets tried between the largest that fails and the smallest that works."""
FIRST_SHARE = 0.01
"""The first budget that is tried, as a share of the links; it is doubled while it fails."""
ROOM, MOST_ROOM = 8, 64
"""A row has room for at least so many added links, and for half as many as it has."""
MOST_HUBS, MOST_DISTANCES = 256, 1 << 26
"""The most hubs, and the most distances from them."""
MOST_PAIRS = 25_000_000
"""The most pairs of links at one person; a chain needs up to 16 bytes for each."""


@dataclass(frozen=True, eq=False)
class Aim:
    """What a search works on, and its limits."""

    graph: Graph
    kinds: tuple[Incremental, ...]
    k: int
    edits: Edits
    budget: int | None
    """The most links that may differ from the original; None: as few as it finds."""
    people: int
    """The most people who may be left out."""
    target: int
    """The search ends when no more people than this are at risk."""
    both: bool
    """Whether people are at risk by facts of the original too."""
    forms: dict[int, int] = field(default_factory=dict)
    """Canonical forms of neighborhoods by drawing, as hashes; all chains add to them."""
    stop: np.ndarray[Any, np.dtype[np.uint8]] = field(default_factory=lambda: np.zeros(1, dtype=np.uint8))
    """Not 0: the search was interrupted."""

    @property
    def sweep(self) -> int:
        """Proposals per sweep: one per link."""
        return max(1, self.graph.m)

    @property
    def is_costly(self) -> bool:
        """Whether a proposal may take a millisecond."""
        return any(kind.parts & COSTLY for kind in self.kinds)

    @property
    def slice(self) -> int:
        """Proposals between two checks for an interrupt."""
        return COSTLY_SLICE if self.is_costly else SLICE

    @property
    def most_hubs(self) -> int:
        """The most hubs that a search can follow."""
        return min(MOST_HUBS, max(1, MOST_DISTANCES // self.graph.n))

    @cached_property
    def rows(self) -> tuple[Ints, Ints, Ints | None]:
        """The rows that are edited: of the vertices; or of their sides, with the mates of the sides."""
        if self.graph.ties is None:
            return self.graph.indptr, self.graph.indices, None
        a, b, mates = split_sides(self.graph)
        indptr, indices, _ = compress_rows(len(mates) * self.graph.n, a, b)
        return indptr.astype(np.int64, copy=False), indices.astype(np.int32, copy=False), mates

    def count_pairs(self) -> int:
        """Return at most how many pairs of known neighbors must be counted."""
        ends = np.diff(self.rows[0]).astype(np.int64)  # of sides, if links have directions or kinds
        degree, n = ends.reshape(-1, self.graph.n).sum(axis=0), len(ends)
        linked = int((degree * (degree - 1) // 2).sum())
        codes = [int(self._code_columns(kind.columns).max()) + 1 for kind in self.kinds if "pairs" in kind.parts]
        return sum(min(linked, n * (n - 1) // 2 * many) for many in codes)

    def begin(self, most: int, seed: int) -> Any:
        """Return the graph without edits, as the compiled loops change it."""
        from shoal.methods.links._kernels import reduction

        indptr, indices, mates = self.rows
        degree = np.diff(indptr)
        room = np.minimum(most, ROOM + degree // 2 + min(self.k, MOST_ROOM)) * (self.edits != "delete")
        reads, codes, *rest = self.list_comparisons()
        fixed = reads, codes, self.both, most, seed, *rest
        stop = self.stop if self.is_costly else None
        return reduction.Reduction(self.k, indptr, indices, room, *fixed, stop, mates)

    def list_comparisons(self) -> tuple[Any, ...]:
        """Return what the compiled loops compare: parts, columns, the line that each divides, hubs; and known forms."""
        from shoal.methods.links._kernels import reduction

        reads: list[int] = []
        coarser, codes, hubs = [], [], []
        for kind in self.kinds:
            code = self._code_columns(kind.columns)
            count, reach = kind.hubs or (0, None)
            first = len(reads)
            for parts, divides in self._list_lines(kind):
                reads.append(sum(getattr(reduction, part.upper()) for part in parts))
                coarser.append(first if divides else -1)
                codes.append(code)
                hubs.append((count, -1 if reach is None else reach, self.most_hubs if kind.hubs else 0))
        lines = np.stack(codes).astype(np.int32)
        return np.array(reads), lines, np.array(coarser), np.array(hubs), (self.forms, hash_form)

    def _list_lines(self, kind: Incremental) -> Iterator[tuple[frozenset[Part | Literal["known_hubs"]], bool]]:
        """Yield what the compiled loops compare for a kind of knowledge, and whether it divides the first of these."""
        parts = kind.parts
        if parts & {"neighbors", "pairs"}:
            yield parts, False
            if "pairs" in parts:  # a person with one neighbor has no pair
                yield frozenset({"neighbors"}), False
            if kind.columns:  # columns alone may leave too few
                yield frozenset(), False
            return
        divides = "neighborhood" in parts and not ("hubs" in parts and self.both)
        if divides:  # shapes are compared only in classes of equal degrees inside
            yield parts - {"neighborhood"} | {"degrees"}, False
        yield parts, divides
        if "hubs" in parts and self.both:
            yield parts - {"hubs"} | {"known_hubs"}, False

    def _code_columns(self, columns: Sequence[str]) -> Ints:
        if not columns:
            return np.zeros(self.graph.n, dtype=np.int64)
        return group_columns([self.graph.attributes[name].codes for name in columns])


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a chain."""

    at_risk: int
    """People at risk, but for collisions of hashes."""
    edits: int
    what: Ints
    ends: Ints
    gone: Ints
    """The people left out."""
    links: tuple[Ints, Ints]
    """The ends of the links, as vertices or sides."""
    sweeps: int = 0
    stopped: bool = False

    @property
    def rank(self) -> tuple[int, int]:
        """Fewer people at risk are better, then fewer edits."""
        return self.at_risk, self.edits


def hash_form(size: int, a: Ints, b: Ints) -> int:
    """Return 64 bits that are equal, but for collisions, for two graphs if and only if they are isomorphic.

    >>> hash_form(3, np.array([0, 1]), np.array([1, 2])) == hash_form(3, np.array([0, 0]), np.array([1, 2]))
    True
    """
    form, _ = find_canonical_form(np.zeros(size, dtype=np.int64), np.column_stack([a, b, np.ones_like(a)]))
    return int.from_bytes(blake2b(form, digest_size=8).digest(), "little")


def choose_sweeps(aim: Aim) -> int:
    """Return the default number of sweeps."""
    return min(2_000, max(3, (COSTLY_PROPOSALS if aim.is_costly else PROPOSALS) // aim.sweep))


def count_sweeps_within(seconds: float, aim: Aim) -> int:
    """Return the number of sweeps of each chain that take about this many seconds here, from a short trial."""
    most = aim.graph.m if aim.budget is None else aim.budget
    state = aim.begin(most, 0)
    began, done, more = time.perf_counter(), 1, 1
    while more and done < TRIAL and time.perf_counter() - began < TRIAL_SECONDS:
        more = state.propose(aim.slice, HOT, COLD, MODES[aim.edits], most, aim.people, aim.target)
        done += more
    speed = done / (time.perf_counter() - began)
    together = min(CHAINS, count_threads()) / CHAINS / (2 if aim.edits == "add-delete" else 1)
    return max(1, int(seconds * speed * together / aim.sweep))


class RiskSearch:
    """The search: chains from the original or from an earlier result, and the best that was found."""

    def __init__(self, aim: Aim, sweeps: int, seed: int) -> None:
        self.aim, self.sweeps = aim, sweeps
        self.draw = make_generator(seed)
        self.done, self.planned = [0] * CHAINS, 1
        self.current = [-1] * CHAINS
        start = aim.begin(0, 0)
        self.best = read_state(start)
        self.made = 0

    def run(self) -> Found:
        """Return the best result. An interrupt ends the search and returns the best so far."""
        try:
            with searching():
                self._find_edits()
        except KeyboardInterrupt:
            return replace(self.best, sweeps=self.made // self.aim.sweep, stopped=True)
        return replace(self.best, sweeps=self.made // self.aim.sweep)

    def _try_budget(self, budget: int, sweeps: int) -> Found:
        """Search with a budget. Additions start from the result that deletions have with the same seed and sweeps."""
        if self.aim.edits != "add-delete":
            return self._run_chains(budget, sweeps, self.aim.edits, None)
        first = self._run_chains(budget, sweeps, "delete", None)
        if first.at_risk <= self.aim.target:
            return first
        then = self._run_chains(budget, sweeps, "add-delete", first)
        return min(first, then, key=lambda found: found.rank)

    def _find_edits(self) -> None:
        """Search within the budget, or double it until the target is reached. Then search for fewer edits."""
        aim, sweeps, fails = self.aim, self.sweeps, 0
        if self.best.at_risk <= aim.target:
            return
        if aim.budget is not None:
            found = self._try_budget(aim.budget, sweeps)
        else:
            most, budget = max(1, aim.graph.m), max(1, int(FIRST_SHARE * aim.graph.m))
            sweeps = max(1, sweeps // ROUNDS)
            while (found := self._try_budget(budget, sweeps)).at_risk > aim.target and budget < most:
                fails, budget = budget, min(most, 2 * budget)
        if found.at_risk <= aim.target:
            self._bisect(fails, found.edits, max(1, self.sweeps // ROUNDS))

    def _bisect(self, fails: int, works: int, sweeps: int) -> None:
        """Search with budgets between one that fails and one that works."""
        for _ in range(ROUNDS):
            if works - fails <= 1:
                return
            middle = (fails + works) // 2
            found = self._try_budget(middle, sweeps)
            if found.at_risk > self.aim.target:
                fails = middle
            else:
                works = found.edits

    def _run_chains(self, budget: int, sweeps: int, edits: Edits, start: Found | None) -> Found:
        """Run all chains and return the best of them, after comparing it with the best of all."""
        seeds = self.draw.integers(2**62, size=CHAINS).tolist()
        found: list[Found | None] = [None] * CHAINS
        self.planned, self.done = sweeps * self.aim.sweep, [0] * CHAINS

        def run(first: int, last: int) -> None:
            for chain in range(first, last):
                found[chain] = self._run_chain(chain, seeds[chain], budget, edits, start)

        try:
            run_in_pieces(run, CHAINS, "reducing risk", 1, describe=self._describe, cancel=self._stop)
        finally:
            self.made += max(self.done)
            ended = [one for one in found if one is not None]
            best = min(ended, key=lambda one: one.rank, default=self.best)  # of equal ones, the first chain
            self._keep(best)
        return best

    def _keep(self, found: Found) -> None:
        """Keep a result that is better: fewer people above the target, then fewer edits."""

        def judge(one: Found) -> tuple[int, int, int]:
            return max(one.at_risk, self.aim.target), one.edits, one.at_risk

        if judge(found) < judge(self.best):
            self.best = found

    def _run_chain(self, chain: int, seed: int, budget: int, edits: Edits, start: Found | None) -> Found:
        """Cool one chain. It ends early when the target is reached or the search is stopped."""
        aim, mode = self.aim, MODES[edits]
        state, hot = aim.begin(budget, seed), HOT if start is None else WARM
        if start is not None:
            state.restore(start.what, start.ends, start.gone)
        limits = mode, budget, aim.people, aim.target
        done, total = 0, self.planned
        while done < total and state.at_risk > aim.target and not aim.stop[0]:
            many = min(aim.slice, total - done)
            first, last = (hot * (COLD / hot) ** (at / total) for at in (done, done + many))
            state.propose(many, first, last, *limits)
            done += many
            self.done[chain], self.current[chain] = done, state.at_risk
        slices = min(QUENCH * SLICE, total // 8) // aim.slice if aim.is_costly else 0
        for made in range(max(QUENCH, slices)):
            if made < QUENCH or not aim.stop[0]:
                state.propose(aim.slice, 0.0, 0.0, *limits)
        while state.trim(aim.target):
            pass
        return read_state(state)

    def _stop(self) -> None:
        """Ask the chains to end."""
        self.aim.stop[0] = 1

    def _describe(self) -> tuple[str, int, int]:
        people = [many for many in self.current if many >= 0]
        share = f", {min(people):,} of {self.aim.graph.n:,} people at risk" if people else ""
        return f"reducing risk{share}", sum(self.done), CHAINS * self.planned


def read_state(state: Any) -> Found:
    """Return the edits of a state."""
    what, ends, gone = state.list_edits()
    return Found(state.at_risk, state.changed, what, ends, gone, state.list_links())
