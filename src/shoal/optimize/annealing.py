"""Simulated annealing: effort, seeds, schedule, restarts and interrupts, shared by all searches.

A search describes itself as an :class:`AnnealingProblem`: a state that compiled loops change, how warm it begins and
ends, and what a solution costs. :func:`anneal` does the rest.
"""

from __future__ import annotations

import math
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from shoal.core.threads import announce_compilation
from shoal.errors import whole
from shoal.progress import searching, track

STOPPED = "The search was stopped by hand, so that the same seed alone does not make the same release again."
METHOD = 2
"""Follows the seed; the order of published files is drawn with 1, and 0 would be no addition at all."""
QUENCH = 2
"""Sweeps that put a solution in order after an interrupt."""
RARELY = 20
"""Describing the state takes no more than one of so many parts of the time."""

Solution = TypeVar("Solution")


def draw_seed(seed: int | None, who: str) -> int:
    """Return the seed, or where none was given a secret one that cannot be guessed.

    >>> draw_seed(7, "SwapWithin")
    7
    """
    return secrets.randbits(128) if seed is None else whole(seed, who, "seed", least=0, most=None)


def make_generator(seed: int) -> np.random.Generator:
    """Return the generator of a method's seed; what other code draws from the same seed is independent of it."""
    return np.random.default_rng([seed, METHOD])


class AnnealingProblem(ABC, Generic[Solution]):
    """What differs between searches: the state, the changes proposed, and the cost."""

    cold: ClassVar[float]
    """The heat at the end: by how much the cost may grow with a chance of 1/e."""
    floor: float = -math.inf
    """A cost that no solution is below; a search that reaches it ends."""
    step: ClassVar[int] = 30_000
    """Proposals after which a search can be interrupted at the latest: a fraction of a second."""
    steps: ClassVar[int] = 20
    """The fewest steps in which a run is done."""
    trial: ClassVar[int] = 50_000
    """Proposals by which their speed is measured."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Proposals that make a sweep: the vertices."""

    @abstractmethod
    def heat(self, attempt: int) -> float:
        """Return the heat at the start of a run."""

    @abstractmethod
    def begin(self, start: Solution, attempt: int) -> Any:
        """Return the state of a run as the compiled loops change it."""

    @abstractmethod
    def propose(self, state: Any, proposals: int, hot: float, cold: float, done: int, total: int) -> None:
        """Propose changes while it cools from `hot` to `cold`, after `done` of the `total` proposals of a run."""

    @abstractmethod
    def describe(self, state: Any) -> str:
        """Return what is being done and how good the state is, for the progress."""

    @abstractmethod
    def finish(self, state: Any, stopped: bool) -> Solution:
        """Return the solution that a run ended with, put in order."""

    @abstractmethod
    def cost(self, solution: Solution) -> float:
        """Return what a solution costs: the fewer the better."""


@dataclass(frozen=True, eq=False)
class AnnealingResult(Generic[Solution]):
    """The best solution of a search."""

    solution: Solution
    sweeps: int
    """How many were done."""
    stopped: bool = False
    """Whether it was stopped by hand before its time."""


def anneal(problem: AnnealingProblem[Solution], start: Solution, sweeps: Iterable[int]) -> AnnealingResult[Solution]:
    """Return the best solution of several runs from one start, of so many sweeps each; never a worse one than `start`.

    An interrupt (Ctrl-C) ends the search, and the best solution so far is returned; a second one, while the last
    solution is put in order, is raised.
    """
    best, least, done, stopped = start, problem.cost(start), 0, False
    for attempt, many in enumerate(sweeps):
        if stopped or least <= problem.floor:
            break
        announce_compilation()
        state, proposals = problem.begin(start, attempt), many * problem.size
        made = _cool(problem, state, proposals, problem.heat(attempt))
        done, stopped = done + made, made < proposals
        found = problem.finish(state, stopped)
        cost = problem.cost(found)
        if cost < least:
            best, least = found, cost
    return AnnealingResult(best, done // problem.size, stopped)


def _cool(problem: AnnealingProblem[Any], state: Any, proposals: int, hot: float) -> int:
    """Anneal in short steps, between which it says how far it is; return the proposals made before an interrupt."""
    step, done = max(1, min(problem.step, proposals // problem.steps)), 0
    described = spent = 0.0
    text = ""
    try:
        with searching():
            while done < proposals:
                share = min(step, proposals - done)
                first, last = (hot * (problem.cold / hot) ** (at / proposals) for at in (done, done + share))
                problem.propose(state, share, first, last, done, proposals)
                done += share
                began = time.perf_counter()
                if began - described > RARELY * spent:
                    text = problem.describe(state)
                    described = time.perf_counter()
                    spent = described - began
                track(text, done, proposals)
    except KeyboardInterrupt:
        return min(done, proposals - 1)
    return done


def quench(problem: AnnealingProblem[Any], state: Any, what: str) -> None:
    """Take only changes that cost nothing, for a few sweeps: what was found while it was warm is put in order."""
    proposals = QUENCH * problem.size
    for done in range(0, proposals, problem.step):
        problem.propose(state, min(problem.step, proposals - done), 0.0, 0.0, 1, 1)
        track(what, min(done + problem.step, proposals), proposals)


def count_sweeps_within(seconds: float, problem: AnnealingProblem[Solution], start: Solution) -> int:
    """Return how many sweeps take about so long here, by a short trial; at least one."""
    announce_compilation()
    state, heat = problem.begin(start, 0), (problem.heat(0), problem.cold)
    problem.propose(state, 0, *heat, 0, 1)  # compiles
    began = time.perf_counter()
    problem.propose(state, problem.trial, *heat, 0, 1)
    return max(1, int(seconds * problem.trial / (time.perf_counter() - began) / problem.size))
