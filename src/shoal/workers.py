"""Worker processes: they call functions on one state, and can be stopped at any time.

A worker is a plain Python process and not a fork or a spawned copy, so a script that calls shoal needs no guard. It
reads a state and then calls from its input, and writes an answer to each. When its input ends, it ends at once, because
the parent no longer waits for an answer.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, Queue, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Generic, TypeVar

from shoal import settings
from shoal.errors import MissingResource, Notice, OutOfTime, cut, describe_exit, warn_caller
from shoal.limits import TimeLimit, limit_time
from shoal.progress import check, find_stop, track, watching

State = TypeVar("State")
Result = TypeVar("Result")

PATIENCE = 5
"""Seconds that a process has to end after closing its output."""
TICK = 0.2
"""Seconds between two checks of the time limit, and between two reports of progress."""
PR_SET_PDEATHSIG = 1
READY = "ready"
"""The answer to the state."""
START = "import sys; sys.path[:] = sys.argv[1:]; from shoal.workers import work; work()"
"""The code of the process: it imports shoal, and the classes of the data, from the same paths as its parent."""


@dataclass(frozen=True)
class Answer:
    """What a call returned, and the warnings that it gave."""

    value: Any
    heard: tuple[tuple[Warning | str, type[Warning]], ...] = ()


@dataclass(frozen=True)
class Failure:
    """What a call raised."""

    error: Exception


@dataclass(frozen=True)
class Progress:
    """How far a call is."""

    what: str
    done: int
    total: int


class Worker:
    """A process, and a thread that talks to it. Its answers go to a queue; None means that it ended."""

    def __init__(self, state: Any, answers: Queue[tuple[Worker, Any]]) -> None:
        self.at: Any = None
        """The key of the current call; None if there is none."""
        self.since = 0.0
        self._to_do: SimpleQueue[Any] = SimpleQueue()
        self._to_do.put((settings.threads, state))
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

    def give(self, key: Any, call: Callable[[Any], Any]) -> None:
        """Start a call on the state."""
        self.at, self.since = key, time.monotonic()
        self._to_do.put(call)

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
                while isinstance(came := pickle.load(self.process.stdout), Progress):  # type: ignore[arg-type]
                    answers.put((self, came))
                answers.put((self, came))
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            answers.put((self, None))
        except Exception as error:  # data that cannot be pickled
            answers.put((self, error))


class BoundedWork(Generic[State]):
    """Calls on one state, each within its share of a time limit.

    With a limit, a worker makes the calls and is stopped when the time is over. Without one, and inside a worker, the
    calls are made in this process. The same holds where a worker cannot be started or cannot be given the state: then
    only repeated work, which watches the limit itself, ends in time.

    The time to start a worker is not part of the share of a call: on a busy machine no call would be finished.
    """

    def __init__(self, state: State, limit: TimeLimit | None) -> None:
        self.state, self.limit = state, limit
        self._answers: Queue[tuple[Worker, Any]] = Queue()
        self._worker: Worker | None = None
        self._here = is_worker()

    def __enter__(self) -> BoundedWork[State]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def run(self, call: Callable[[State], Result], *, last: bool = False) -> Result:
        """Return `call(state)`, or raise OutOfTime. With a limit, the call must be a function that can be pickled.

        The call has half of the time left; the last one has all of it.
        """
        if self.limit is None:
            return call(self.state)
        if not self.limit.left:
            raise OutOfTime(self.limit.reason)
        here = self._here or not self._start(self.limit)
        limit = self.limit.share(last=last)
        if here:
            with limit_time(limit):
                return call(self.state)
        assert self._worker is not None
        self._worker.give(call, LimitedCall(call, limit.seconds, limit.left))
        answer = self._wait(limit)
        if isinstance(answer, Answer):
            for message, category in answer.heard:
                warn_caller(message, category)
            return answer.value  # type: ignore[no-any-return]
        if isinstance(answer, Failure):
            raise answer.error
        if answer is None:
            ended = self._worker.describe_end()
            self._stop()
            raise MissingResource(f"a worker process ended ({ended}). Leave the time limit out: then none is needed.")
        self._stop()
        self._here = True  # the call cannot be passed to another process
        return self.run(call, last=last)

    def _start(self, limit: TimeLimit) -> bool:
        """Return whether there is a worker with the state."""
        if self._worker is not None:
            return True
        try:
            self._worker = Worker(self.state, self._answers)
        except (OSError, MemoryError, RuntimeError):
            self._here = True
            return False
        if self._wait(limit) != READY:
            self._stop()
            self._here = True
        return not self._here

    def _wait(self, limit: TimeLimit) -> Any:
        """Return the next answer of the worker, or stop it when the time is over."""
        while limit.left:
            with suppress(Empty):
                worker, answer = self._answers.get(timeout=min(TICK, limit.left))
                if worker is not self._worker:
                    continue  # it was stopped before its answer was read
                if not isinstance(answer, Progress):
                    return answer
                track(answer.what, answer.done, answer.total)
        self._stop()
        raise OutOfTime(limit.reason)

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


def map_in_workers(call: Callable[[Any, Any], Result], state: Any, pieces: Sequence[Any]) -> list[Result]:
    """Return `call(state, piece)` for each piece, made in as many processes as there may be threads.

    Where none can be started, or the state cannot be passed to one, the calls are made in this process.
    """
    answers: Queue[tuple[Worker, Any]] = Queue()
    workers: list[Worker] = []
    waiting, found = list(range(len(pieces)))[::-1], dict[int, Result]()
    try:
        with suppress(OSError, MemoryError, RuntimeError):
            for _ in range(min(len(pieces), settings.count_threads())):
                workers.append(Worker(state, answers))
        while workers and len(found) < len(pieces):
            worker, answer = _get_answer(answers)
            if isinstance(answer, Failure):
                raise answer.error
            if isinstance(answer, Answer):
                found[worker.at] = answer.value
            elif answer != READY:
                break
            if waiting:
                piece = waiting.pop()
                worker.give(piece, partial(call_on_piece, call, pieces[piece]))
    finally:
        for worker in workers:
            worker.end()
    return [found[i] if i in found else call(state, piece) for i, piece in enumerate(pieces)]


def _get_answer(answers: Queue[tuple[Worker, Any]]) -> tuple[Worker, Any]:
    """Wait for the next answer; an interrupt or the end of the time ends the wait."""
    while True:
        check()
        with suppress(Empty):
            worker, answer = answers.get(timeout=TICK)
            if not isinstance(answer, Progress):
                return worker, answer


def call_on_piece(call: Callable[[Any, Any], Result], piece: Any, state: Any) -> Result:
    """Make a call on a state and a piece of work."""
    return call(state, piece)


def call_stoppable(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function that cannot poll: in a worker, if the present work has to end in time, else in this process."""
    stop = find_stop()
    if not isinstance(stop, TimeLimit):
        return function(*arguments)
    with BoundedWork(arguments, stop) as work:
        return work.run(partial(call_with, function), last=True)


def call_with(function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    """Call a function with these arguments."""
    return function(*arguments)


@dataclass(frozen=True)
class LimitedCall:
    """A call that knows how many seconds are left, so that repeated work can stop in time."""

    call: Callable[[Any], Any]
    seconds: float
    left: float

    def __call__(self, state: Any) -> Any:
        """Make the call."""
        with limit_time(TimeLimit.of(self.seconds).cap(self.left)):
            return self.call(state)


# The process of a worker.

_inside = False


def is_worker() -> bool:
    """Return whether this process is a worker."""
    return _inside


def work() -> None:
    """Answer calls until the input ends."""
    global _inside  # noqa: PLW0603 - a property of the process
    _inside = True
    _end_with_parent()
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # output of a library must not mix with the answers
        calls: SimpleQueue[Any] = SimpleQueue()
        Thread(target=_listen, args=(calls,), daemon=True).start()
        came = calls.get()
        if isinstance(came, Exception):
            _answer(answers, came)
            return
        settings.threads, state = came
        _answer(answers, READY)
        with watching(_Reporter(answers).show):
            while True:
                call = calls.get()
                _answer(answers, call if isinstance(call, Exception) else _try_call(call, state))


def _end_with_parent() -> None:
    """Ask Linux to end this process with its parent: a library that holds Python's lock delays the thread below.

    A parent that ended before is noticed too: its end of the input is closed.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            poll = select.poll()
            poll.register(0, 0)
            if any(event & select.POLLHUP for _, event in poll.poll(0)):
                os._exit(0)


def _try_call(call: Callable[[Any], Any], state: Any) -> Answer | Failure:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", Notice)
        try:
            value = call(state)
        except Exception as error:
            return Failure(error)
    said = [(each.message if each.category is Notice else str(each.message), each.category) for each in heard]
    return Answer(value, tuple(said))


class _Reporter:
    """Sends progress to the parent, a few times a second."""

    def __init__(self, answers: Any) -> None:
        self.answers, self.last = answers, 0.0

    def show(self, what: str, done: int, total: int) -> None:
        """Send how far the work is."""
        if time.monotonic() - self.last > TICK:
            self.last = time.monotonic()
            _answer(self.answers, Progress(what, done, total))


def _answer(answers: Any, reply: Any) -> None:
    try:
        said = pickle.dumps(reply)
    except Exception as error:  # what cannot be pickled is told in words
        told = reply.error if isinstance(reply, Failure) else error
        said = pickle.dumps(Failure(RuntimeError(f"{type(told).__name__}: {cut(told)}")))
    try:
        answers.write(said)
        answers.flush()
    except BrokenPipeError:
        os._exit(0)


def _listen(calls: SimpleQueue[Any]) -> None:
    """Queue what the parent sends, and end the process when its input ends."""
    while True:
        try:
            calls.put(pickle.load(sys.stdin.buffer))
        except EOFError:
            os._exit(0)
        except Exception as error:  # data of a class that only the parent can import
            calls.put(RuntimeError(f"{type(error).__name__}: {cut(error)}"))
            return
