"""Simulated annealing: effort, seeds, schedule, restarts and interrupts, shared by all searches.

A search is described by an :class:`AnnealingProblem`: a state that compiled loops change, the first and last
temperature, and the cost of a solution. :func:`anneal` does the rest.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from shoal.progress import searching, track

STOPPED = "The search was stopped by hand. The same seed does not reproduce this release."
METHOD = 2
"""Appended to the seed of a method. The order of published files uses 1; 0 would change nothing."""
QUENCH = 2
"""Number of sweeps without cost increases after an interrupt."""
RARELY = 20
"""Describing the state takes at most this fraction (1/20) of the time."""

Solution = TypeVar("Solution")


def make_generator(seed: int) -> np.random.Generator:
    """Return the generator for a method's seed, independent of other generators made from the same seed."""
    return np.random.default_rng([seed, METHOD])


class AnnealingProblem(ABC, Generic[Solution]):
    """What differs between searches: the state, the changes proposed, and the cost."""

    cold: ClassVar[float]
    """The temperature at the end: an increase of the cost by this much is accepted with probability 1/e."""
    floor: float = -math.inf
    """A lower bound on the cost. A search that reaches it ends."""
    step: ClassVar[int] = 30_000
    """At most this many proposals run before an interrupt is noticed: a fraction of a second."""
    steps: ClassVar[int] = 20
    """The minimum number of steps of a run."""
    trial: ClassVar[int] = 50_000
    """Number of proposals used to measure the speed."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Proposals per sweep: the number of vertices."""

    @abstractmethod
    def heat(self, attempt: int) -> float:
        """Return the temperature at the start of a run."""

    @abstractmethod
    def begin(self, start: Solution, attempt: int) -> Any:
        """Return the state of a run, as the compiled loops change it."""

    @abstractmethod
    def propose(self, state: Any, proposals: int, hot: float, cold: float, done: int, total: int) -> None:
        """Propose changes while cooling from `hot` to `cold`, after `done` of the `total` proposals of a run."""

    @abstractmethod
    def describe(self, state: Any) -> str:
        """Return a progress message with the quality of the state."""

    @abstractmethod
    def finish(self, state: Any, stopped: bool) -> Solution:
        """Return the solution of a finished run. After an interrupt, improve it first."""

    @abstractmethod
    def cost(self, solution: Solution) -> float:
        """Return the cost of a solution: lower is better."""


@dataclass(frozen=True, eq=False)
class AnnealingResult(Generic[Solution]):
    """The best solution of a search."""

    solution: Solution
    sweeps: int
    """Number of sweeps done."""
    stopped: bool = False
    """Whether the user stopped it early."""


def anneal(problem: AnnealingProblem[Solution], start: Solution, sweeps: Iterable[int]) -> AnnealingResult[Solution]:
    """Return the best solution of several runs from one start. It is never worse than `start`.

    `sweeps` holds the number of sweeps of each run. An interrupt (Ctrl-C) ends the search and returns the best solution
    so far. A second interrupt, while the last solution is improved, is raised.
    """
    best, least, done, stopped = start, problem.cost(start), 0, False
    for attempt, many in enumerate(sweeps):
        if stopped or least <= problem.floor:
            break
        state, proposals = problem.begin(start, attempt), many * problem.size
        made = _cool(problem, state, proposals, problem.heat(attempt))
        done, stopped = done + made, made < proposals
        found = problem.finish(state, stopped)
        cost = problem.cost(found)
        if cost < least:
            best, least = found, cost
    return AnnealingResult(best, done // problem.size, stopped)


def _cool(problem: AnnealingProblem[Any], state: Any, proposals: int, hot: float) -> int:
    """Anneal in short steps and report progress. Return the number of proposals made before an interrupt."""
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
    """Accept only changes that do not increase the cost, for a few sweeps, to improve a solution found while warm."""
    proposals = QUENCH * problem.size
    for done in range(0, proposals, problem.step):
        problem.propose(state, min(problem.step, proposals - done), 0.0, 0.0, 1, 1)
        track(what, min(done + problem.step, proposals), proposals)


def count_sweeps_within(seconds: float, problem: AnnealingProblem[Solution], start: Solution) -> int:
    """Return the number of sweeps that take about this many seconds here, from a short trial; at least one."""
    state, heat = problem.begin(start, 0), (problem.heat(0), problem.cold)
    began = time.perf_counter()
    problem.propose(state, problem.trial, *heat, 0, 1)
    return max(1, int(seconds * problem.trial / (time.perf_counter() - began) / problem.size))
