"""Worker processes of a frontier: several releases at once, each of which can be stopped.

A release that takes longer than its limit, or runs out of memory, takes only its own process with it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from queue import Empty, Queue, SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from shoal.auditing.frontier.points import Kind, Plan, Point
from shoal.auditing.frontier.trial import Question, try_plan
from shoal.data.graph import Graph
from shoal.errors import BadParameter, MissingResource, describe_exit, notice
from shoal.progress import track, watching
from shoal.terminal import cut

TICK = 0.1
"""Seconds between two looks at the clock."""
PATIENCE = 5
"""Seconds for a process that closed its output to end."""
ADVICE = "Say jobs=1, without a limit (--jobs 1): then no other process is needed."


def try_plans(
    plans: Mapping[str, Plan], question: Question, jobs: int, limit: float | None
) -> Iterator[tuple[str, Point]]:
    """Yield the key of each plan with its point as soon as it is there: made in this process, or in several."""
    if jobs == 1 and limit is None:
        for key, plan in plans.items():
            with watching(lambda *_: None):  # the whole is shown, not its parts
                point = try_plan(plan, question)
            yield key, point
        return
    if limit is not None:
        compile_first(plans, question)
    crew = Crew(question, limit)
    try:
        yield from crew.make_points(plans, min(jobs, len(plans)))
    finally:
        crew.end()


def compile_first(plans: Mapping[str, Plan], question: Question) -> None:
    """Run every method once on very little data: loops that were never run are compiled, which counts for no limit."""
    n = min(question.data.n, max(12, 3 * max(question.ks)))
    known = question.data.attributes.take(np.arange(n))
    ring = Graph.from_pairs(range(n), np.arange(n - 1), np.arange(1, n), attributes=known)
    small = replace(question, data=ring if question.data.has_links else known)
    once = {(plan.name, plan.method is None): plan for plan in plans.values()}
    for at, plan in enumerate(once.values()):
        track("compiling what was never run", at, len(once))
        with watching(lambda *_: None):
            try_plan(_shorten_effort(plan), small)


def _shorten_effort(plan: Plan) -> Plan:
    """Return the plan with as little effort as there is: enough to run every loop."""
    if getattr(plan.method, "effort", None) is None:
        return plan
    return replace(plan, method=replace(plan.method, effort=1))  # type: ignore[type-var]


class Worker:
    """A process, and a thread that talks to it; what it answers lands in a queue, None once it is dead."""

    def __init__(self, question: Question, answers: Queue[tuple[Worker, Any]]) -> None:
        self.at: str | None = None
        self.since = 0.0
        self._to_do: SimpleQueue[Any] = SimpleQueue()
        self._to_do.put(question)
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name == "posix",  # an interrupt from the keyboard is for the parent alone
        )
        try:
            Thread(target=self._talk, args=(answers,), daemon=True).start()
        except BaseException:
            self.end()
            raise

    def give(self, key: str, plan: Plan) -> None:
        """Let it work on a plan."""
        self.at, self.since = key, time.monotonic()
        self._to_do.put(plan)

    def describe_end(self) -> str:
        """Say how its process ended, which closed its output before; one that did not is stopped."""
        try:
            return describe_exit(self.process.wait(PATIENCE))
        except subprocess.TimeoutExpired:
            self.end()
            return "its answers could not be read"

    def end(self) -> None:
        """Stop it at once."""
        self.process.kill()
        self.process.wait()
        self._to_do.put(None)
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _talk(self, answers: Queue[tuple[Worker, Any]]) -> None:
        try:
            while (said := self._to_do.get()) is not None:
                pickle.dump(said, self.process.stdin)  # type: ignore[arg-type]
                self.process.stdin.flush()  # type: ignore[union-attr]
                answers.put((self, pickle.load(self.process.stdout)))  # type: ignore[arg-type]
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            answers.put((self, None))
        except Exception as error:  # data that cannot be pickled
            answers.put((self, error))


class Crew:
    """Workers, what they are at, and since when."""

    def __init__(self, question: Question, limit: float | None) -> None:
        self.question, self.limit = question, limit
        self.answers: Queue[tuple[Worker, Any]] = Queue()
        self.workers: list[Worker] = []
        self.lacking = ""
        """Why there are fewer workers than were asked for."""

    def make_points(self, plans: Mapping[str, Plan], jobs: int) -> Iterator[tuple[str, Point]]:
        """Yield the key of each plan with its point, in the order in which they are done."""
        waiting = list(plans)[::-1]
        self._hire(jobs)
        while waiting or any(worker.at for worker in self.workers):
            if not self.workers:
                raise MissingResource(f"frontier: there is no process to make releases in. {self.lacking} {ADVICE}")
            for worker, answer in self._take_answers():
                if worker not in self.workers:
                    continue  # it was stopped before its answer was read
                key, worker.at = worker.at, None
                if key is None and isinstance(answer, Exception):
                    raise BadParameter(_describe_handover_failure(answer))
                if key is not None:
                    yield (
                        key,
                        answer if isinstance(answer, Point) else self._build_lost_point(worker, plans[key], answer),
                    )
                if answer is None and key is None:
                    self._lose(worker)
                elif answer != READY and not isinstance(answer, Point):
                    self._replace(worker, bool(waiting))
                elif waiting:
                    key = waiting.pop()
                    worker.give(key, plans[key])

    def end(self) -> None:
        """Stop all."""
        for worker in self.workers:
            worker.end()

    def _take_answers(self) -> Iterator[tuple[Worker, Any]]:
        """Yield the next answer, if one comes soon, and whoever takes too long."""
        with suppress(Empty):
            yield self.answers.get(timeout=TICK)
        now = time.monotonic()
        for worker in list(self.workers):
            if worker.at is not None and self.limit is not None and now - worker.since > self.limit:
                yield worker, TimeoutError()

    def _build_lost_point(self, worker: Worker, plan: Plan, answer: Any) -> Point:
        """Return the point of a plan that has no release."""
        options = plan.list_options(tuple(self.question.data.attributes))
        kind: Kind = "end" if plan.method is None else "method"
        late = isinstance(answer, TimeoutError)
        if late:
            why = f"not finished in {self.limit:g} s"
        elif isinstance(answer, Exception):
            why = f"it could not be handed to another process or back ({type(answer).__name__}: {cut(answer)})"
        else:
            why = f"its process ended ({worker.describe_end()})"
        spent = self.limit if late and self.limit is not None else 0.0
        limit = self.limit if late else None
        return Point(plan.name, plan.k, options, kind, refused=why, limit=limit, again=True, seconds=spent)

    def _hire(self, many: int) -> None:
        """Begin workers; where the system gives no more, those that there are go on."""
        try:
            for _ in range(many):
                self.workers.append(Worker(self.question, self.answers))
        except (OSError, MemoryError, RuntimeError) as error:
            self._lack(f"One could not be started ({type(error).__name__}: {cut(error)}).")

    def _replace(self, worker: Worker, more: bool) -> None:
        """Stop a worker, and begin another where there is more to do."""
        worker.end()
        self.workers.remove(worker)
        if more:
            self._hire(1)

    def _lose(self, worker: Worker) -> None:
        """Go on without a worker that ended before it had anything to do; another would hardly fare better."""
        why = worker.describe_end()
        self._replace(worker, more=False)
        self._lack(f"One ended as it began ({why}).")

    def _lack(self, why: str) -> None:
        self.lacking = why
        if self.workers:
            notice(f"frontier goes on with {len(self.workers)} of the processes that were asked for. {why}")


def _describe_handover_failure(error: Exception) -> str:
    return f"frontier: the data could not be handed to another process ({cut(error)}). {ADVICE}"


# A worker: a process of its own that makes releases for a frontier, one after the other.
#
# It is a plain Python process and not a fork or a spawned copy, so that a script that calls :func:`shoal.frontier`
# needs no guard. It gets a question and then plans by its input, and answers with points by its output. When its input
# ends it ends too, in the middle of its work if need be: nobody waits for the answer any more.

READY = "ready"
START = "import sys; sys.path[:] = sys.argv[1:]; from shoal.auditing.frontier.workers import work; work()"
"""What the process runs: it finds shoal, and whatever the data are made of, where its parent does."""


def work() -> None:
    """Answer plans until the input ends."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what a library prints must not end up among the answers
        plans: SimpleQueue[Any] = SimpleQueue()
        Thread(target=_listen, args=(plans,), daemon=True).start()
        from shoal.auditing.frontier.trial import try_plan

        question = plans.get()
        _answer(answers, question if isinstance(question, Exception) else READY)
        while True:
            _answer(answers, try_plan(plans.get(), question))


def _answer(answers: Any, reply: Any) -> None:
    try:
        pickle.dump(reply, answers)
        answers.flush()
    except BrokenPipeError:
        os._exit(0)


def _listen(plans: SimpleQueue[Any]) -> None:
    """Pass on what comes, and end the process where nothing comes any more."""
    while True:
        try:
            plans.put(pickle.load(sys.stdin.buffer))
        except EOFError:
            os._exit(0)
        except Exception as error:  # data of a class that only the parent knows
            plans.put(RuntimeError(f"{type(error).__name__}: {cut(error)}"))
            return
