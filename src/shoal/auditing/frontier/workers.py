"""Worker processes of a frontier: they make several releases at once, and each can be stopped.

A release that exceeds its share of the time, or runs out of memory, ends only its own process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from queue import Empty, Queue
from typing import Any

from shoal.auditing.frontier import trial
from shoal.auditing.frontier.points import Kind, Plan, Point
from shoal.auditing.frontier.trial import Question
from shoal.errors import BadParameter, MissingResource, cut, notice
from shoal.limits import TimeLimit
from shoal.progress import watching
from shoal.workers import READY, Answer, Failure, Progress, Worker

TICK = 0.1
"""Seconds between two checks of the time limit."""
ADVICE = "Use jobs=1 (--jobs 1) and no time limit: then no other process is needed."


def try_plans(
    plans: Mapping[str, Plan], question: Question, jobs: int, limit: TimeLimit | None
) -> Iterator[tuple[str, Point]]:
    """Yield the key and the point of each plan as soon as it is made, in this process or in several."""
    if jobs == 1 and limit is None:
        for key, plan in plans.items():
            with watching(lambda *_: None):  # progress is shown per release, not inside one
                point = trial.try_plan(plan, question)
            yield key, point
        return
    crew = Crew(question, limit)
    try:
        yield from crew.make_points(plans, min(jobs, len(plans)))
    finally:
        crew.end()


def answer_plan(plan: Plan, question: Question) -> Point:
    """Make a point, in a worker."""
    return trial.try_plan(plan, question)


class Crew:
    """All workers, with their current plans and start times."""

    def __init__(self, question: Question, limit: TimeLimit | None) -> None:
        self.question, self.limit = question, limit
        self.answers: Queue[tuple[Worker, Any]] = Queue()
        self.workers: list[Worker] = []
        self.shares: dict[str, TimeLimit] = {}
        """The time limit of each plan, from its start."""
        self.lacking = ""
        """Why there are fewer workers than requested."""

    def make_points(self, plans: Mapping[str, Plan], jobs: int) -> Iterator[tuple[str, Point]]:
        """Yield the key and the point of each plan, in the order in which they are finished."""
        waiting = list(plans)[::-1]
        self._hire(jobs)
        while waiting or any(worker.at for worker in self.workers):
            if self.limit is not None and not self.limit.left:
                yield from self._give_up(plans, waiting)
                return
            if not self.workers:
                raise MissingResource(f"frontier: no worker process could be started. {self.lacking} {ADVICE}")
            for worker, answer in self._take_answers(bool(waiting)):
                if worker not in self.workers:
                    continue  # it was stopped before its answer was read
                key, worker.at = worker.at, None
                if key is None and isinstance(answer, Exception):
                    raise BadParameter(_describe_handover_failure(answer))
                done = isinstance(answer, Answer)
                if key is not None:
                    yield key, answer.value if done else self._build_lost_point(worker, plans[key], answer)
                if answer is None and key is None:
                    self._lose(worker)
                elif answer != READY and not done:
                    self._replace(worker, bool(waiting))
                elif waiting:
                    self._give(worker, waiting.pop(), plans)

    def end(self) -> None:
        """Stop all workers."""
        for worker in self.workers:
            worker.end()

    def _give(self, worker: Worker, key: str, plans: Mapping[str, Plan]) -> None:
        """Start work on a plan, with a share of the time left."""
        if self.limit is not None:
            self.shares[key] = self.limit.share()
        worker.give(key, partial(answer_plan, plans[key]))

    def _take_answers(self, waiting: bool) -> Iterator[tuple[Worker, Any]]:
        """Yield the next answer, if one comes soon, and a timeout for each worker over its share of the time.

        The share matters only while other plans wait. The last ones have all the time left.
        """
        with suppress(Empty):
            worker, answer = self.answers.get(timeout=TICK)
            if not isinstance(answer, Progress):
                yield worker, answer
        for worker in list(self.workers):
            if waiting and worker.at in self.shares and not self.shares[worker.at].left:
                yield worker, TimeoutError()

    def _give_up(self, plans: Mapping[str, Plan], waiting: list[str]) -> Iterator[tuple[str, Point]]:
        """Yield a point without a release for each plan that is not finished when the time is over."""
        for worker in self.workers:
            if worker.at is not None:
                yield worker.at, self._build_lost_point(worker, plans[worker.at], TimeoutError())
        for key in reversed(waiting):
            yield key, self._build_missing_point(plans[key], self._explain_time(), 0.0)

    def _build_lost_point(self, worker: Worker, plan: Plan, answer: Any) -> Point:
        """Return the point of a plan whose release could not be made."""
        if isinstance(answer, TimeoutError):
            return self._build_missing_point(plan, self._explain_time(), time.monotonic() - worker.since)
        error = answer.error if isinstance(answer, Failure) else answer
        if isinstance(error, Exception):
            why = f"the plan or the point could not be passed to another process ({type(error).__name__}: {cut(error)})"
        else:
            why = f"its process ended ({worker.describe_end()})"
        return self._build_missing_point(plan, why)

    def _build_missing_point(self, plan: Plan, why: str, limit: float | None = None) -> Point:
        """Return a point without a release; `limit` are the seconds it had, where the time was over."""
        options = plan.list_options(tuple(self.question.data.attributes))
        kind: Kind = "end" if plan.method is None else "method"
        return Point(plan.name, plan.k, options, kind, refused=why, limit=limit, again=True, seconds=limit or 0.0)

    def _explain_time(self) -> str:
        assert self.limit is not None
        return self.limit.reason

    def _hire(self, many: int) -> None:
        """Start workers; if the system refuses, the existing ones continue."""
        try:
            for _ in range(many):
                self.workers.append(Worker(self.question, self.answers))
        except (OSError, MemoryError, RuntimeError) as error:
            self._lack(f"One could not be started ({type(error).__name__}: {cut(error)}).")

    def _replace(self, worker: Worker, more: bool) -> None:
        """Stop a worker, and start another if there are more plans."""
        worker.end()
        self.workers.remove(worker)
        if more:
            self._hire(1)

    def _lose(self, worker: Worker) -> None:
        """Continue without a worker that ended before its first plan; another would probably end too."""
        why = worker.describe_end()
        self._replace(worker, more=False)
        self._lack(f"One ended at its start ({why}).")

    def _lack(self, why: str) -> None:
        self.lacking = why
        if self.workers:
            notice(f"frontier continues with fewer worker processes than requested: {len(self.workers)}. {why}")


def _describe_handover_failure(error: Exception) -> str:
    return f"frontier: the data could not be passed to another process ({cut(error)}). {ADVICE}"
