"""Worker processes of a frontier: they make several releases at once, and each can be stopped.

A release that exceeds its time limit, or runs out of memory, ends only its own process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from queue import Empty, Queue, SimpleQueue
from threading import Thread
from typing import Any

from shoal.auditing.frontier.points import Kind, Plan, Point
from shoal.auditing.frontier.trial import Question, try_plan
from shoal.errors import BadParameter, MissingResource, cut, describe_exit, notice
from shoal.progress import watching

TICK = 0.1
"""Seconds between two checks of the time limit."""
PATIENCE = 5
"""Seconds that a process has to end after closing its output."""
ADVICE = "Use jobs=1 (--jobs 1) and no time limit: then no other process is needed."


def try_plans(
    plans: Mapping[str, Plan], question: Question, jobs: int, limit: float | None
) -> Iterator[tuple[str, Point]]:
    """Yield the key and the point of each plan as soon as it is made, in this process or in several."""
    if jobs == 1 and limit is None:
        for key, plan in plans.items():
            with watching(lambda *_: None):  # progress is shown per release, not inside one
                point = try_plan(plan, question)
            yield key, point
        return
    crew = Crew(question, limit)
    try:
        yield from crew.make_points(plans, min(jobs, len(plans)))
    finally:
        crew.end()


class Worker:
    """A process, and a thread that talks to it. Its answers go to a queue; None means that it ended."""

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
            start_new_session=os.name == "posix",  # an interrupt from the keyboard is for the parent only
        )
        try:
            Thread(target=self._talk, args=(answers,), daemon=True).start()
        except BaseException:
            self.end()
            raise

    def give(self, key: str, plan: Plan) -> None:
        """Start work on a plan."""
        self.at, self.since = key, time.monotonic()
        self._to_do.put(plan)

    def describe_end(self) -> str:
        """Return how the process ended after closing its output; a process that did not end is stopped."""
        try:
            return describe_exit(self.process.wait(PATIENCE))
        except subprocess.TimeoutExpired:
            self.end()
            return "its answers could not be read"

    def end(self) -> None:
        """Stop the process at once."""
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
    """All workers, with their current plans and start times."""

    def __init__(self, question: Question, limit: float | None) -> None:
        self.question, self.limit = question, limit
        self.answers: Queue[tuple[Worker, Any]] = Queue()
        self.workers: list[Worker] = []
        self.lacking = ""
        """Why there are fewer workers than requested."""

    def make_points(self, plans: Mapping[str, Plan], jobs: int) -> Iterator[tuple[str, Point]]:
        """Yield the key and the point of each plan, in the order in which they are finished."""
        waiting = list(plans)[::-1]
        self._hire(jobs)
        while waiting or any(worker.at for worker in self.workers):
            if not self.workers:
                raise MissingResource(f"frontier: no worker process could be started. {self.lacking} {ADVICE}")
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
        """Stop all workers."""
        for worker in self.workers:
            worker.end()

    def _take_answers(self) -> Iterator[tuple[Worker, Any]]:
        """Yield the next answer, if one comes soon, and a timeout for each worker over the limit."""
        with suppress(Empty):
            yield self.answers.get(timeout=TICK)
        now = time.monotonic()
        for worker in list(self.workers):
            if worker.at is not None and self.limit is not None and now - worker.since > self.limit:
                yield worker, TimeoutError()

    def _build_lost_point(self, worker: Worker, plan: Plan, answer: Any) -> Point:
        """Return the point of a plan whose release could not be made."""
        options = plan.list_options(tuple(self.question.data.attributes))
        kind: Kind = "end" if plan.method is None else "method"
        late = isinstance(answer, TimeoutError)
        if late:
            why = f"not finished in {self.limit:g} s"
        elif isinstance(answer, Exception):
            why = (
                f"the plan or the point could not be passed to another process ({type(answer).__name__}: {cut(answer)})"
            )
        else:
            why = f"its process ended ({worker.describe_end()})"
        spent = self.limit if late and self.limit is not None else 0.0
        limit = self.limit if late else None
        return Point(plan.name, plan.k, options, kind, refused=why, limit=limit, again=True, seconds=spent)

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


# A worker is a process that makes releases for a frontier, one after the other.
#
# It is a plain Python process and not a fork or a spawned copy, so a script that calls :func:`shoal.frontier` needs no
# guard. It reads a question and then plans from its input, and writes points to its output. When its input ends, it
# ends at once, because the parent no longer waits for an answer.

READY = "ready"
START = "import sys; sys.path[:] = sys.argv[1:]; from shoal.auditing.frontier.workers import work; work()"
"""The code of the process: it imports shoal, and the classes of the data, from the same paths as its parent."""


def work() -> None:
    """Answer plans until the input ends."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # output of a library must not mix with the answers
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
    """Queue what the parent sends, and end the process when its input ends."""
    while True:
        try:
            plans.put(pickle.load(sys.stdin.buffer))
        except EOFError:
            os._exit(0)
        except Exception as error:  # data of a class that only the parent can import
            plans.put(RuntimeError(f"{type(error).__name__}: {cut(error)}"))
            return
