"""Jobs: work in two worker processes, in a fair order, with progress, cancellation and a memory limit.

Each data set has a queue of jobs, and the queues take turns, so that a long count of one data set does not hold up
the others. A worker keeps the data sets that it worked on last; another one is sent to it with the job.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import RLock, Thread
from typing import Any, Literal

from shoal.errors import ShoalError, cut, lacks_memory
from shoal.workers import READY, Answer, Failure, Progress, Worker

State = Literal["waiting", "running", "done", "failed", "canceled"]
ENDED = ("done", "failed", "canceled")
WORKERS = 2
KEPT = 3
"""The most data sets that a worker keeps."""
TICK = 0.1
"""Seconds between two measurements of memory."""
WAKE = "wake"
"""Put into the queue of answers when there is something new to do."""


@dataclass(eq=False)
class Job:
    """One piece of work on one data set."""

    owner: str
    """The key of the data set."""
    name: str
    """Unique among the jobs of a data set that count; a later one of the same name replaces it."""
    told: str
    """What it does, in a few words for people: "count degree"."""
    call: Callable[[Any], Any]
    """Called in the worker with the data set; it can be pickled."""
    urgent: bool = False
    """Whether a person waits for it: it comes before the others of its data set."""
    key: str = field(default_factory=lambda: secrets.token_hex(6))
    state: State = "waiting"
    progress: tuple[str, int, int] = ("", 0, 0)
    """What is done, how many units of it, and how many there are; 0 if unknown."""
    since: float = 0.0
    """When the present step began, in seconds of the monotonic clock."""
    result: Any = None
    error: str = ""
    """Why it failed, in plain words."""
    cause: Exception | None = None
    notes: tuple[str, ...] = ()
    """The notices of the work."""

    @property
    def ended(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in ENDED


@dataclass(frozen=True)
class Parcel:
    """A job as it is sent to a worker: the key of a data set, the data set if the worker lacks it, and the call."""

    owner: str
    data: Any
    forget: tuple[str, ...]
    call: Callable[[Any], Any]

    def __call__(self, kept: dict[str, Any]) -> Any:
        """Run the call on the data set."""
        for owner in self.forget:
            kept.pop(owner, None)
        if self.data is not None:
            kept[self.owner] = self.data
        return self.call(kept[self.owner])


@dataclass(eq=False)
class Slot:
    """A place for a worker process."""

    worker: Worker
    ready: bool = False
    job: Job | None = None
    kept: OrderedDict[str, Any] = field(default_factory=OrderedDict)
    """The data sets that the worker keeps, the oldest first, each with the object that was sent."""
    lost: bool = False
    """Whether no process could be started."""


class Jobs:
    """All jobs of a server. `tell` is called with each job that changes, in the thread of the jobs."""

    def __init__(
        self,
        find_data: Callable[[str], Any],
        tell: Callable[[Job], None],
        *,
        workers: int = WORKERS,
        memory: int | None = None,
        shelf: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.find_data, self.tell, self.shelf = find_data, tell, shelf
        """`shelf` makes what a worker keeps data sets in; a worker loads the libraries of its class at the start."""
        self.memory = memory or measure_memory() // 2
        """The most bytes that the workers may use together."""
        self._answers: Queue[Any] = Queue()
        self._lock = RLock()
        self._queues: OrderedDict[str, deque[Job]] = OrderedDict()
        self._open = True
        self._slots = [self._start() for _ in range(workers)]
        self._thread = Thread(target=self._run, daemon=True, name="shoal-jobs")
        self._thread.start()

    def submit(self, job: Job) -> Job:
        """Put a job into the queue of its data set."""
        with self._lock:
            queue = self._queues.setdefault(job.owner, deque())
            if job.urgent:
                queue.insert(sum(other.urgent for other in queue), job)
            else:
                queue.append(job)
        self._answers.put(WAKE)
        return job

    def cancel(self, job: Job) -> None:
        """End a job at once: the process that runs it is killed."""
        with self._lock:
            if job.ended:
                return
            for slot in self._slots:
                if slot.job is job:
                    self._replace(slot)
            if job in self._queues.get(job.owner, ()):
                self._queues[job.owner].remove(job)
            self._end(job, "canceled")
        self._answers.put(WAKE)

    def withdraw(self, job: Job) -> None:
        """End a job that has not begun. One that runs goes on: another process would have to count all again."""
        with self._lock:
            if job.state == "waiting":
                self.cancel(job)

    def forget(self, owner: str) -> None:
        """End all jobs of a data set; no worker keeps it."""
        with self._lock:
            for job in [*self._queues.pop(owner, ()), *(slot.job for slot in self._slots if slot.job)]:
                if job.owner == owner:
                    self.cancel(job)
            for slot in self._slots:
                if owner in slot.kept:
                    self._replace(slot)  # a process gives memory back only when it ends

    def close(self) -> None:
        """Kill all workers."""
        with self._lock:
            self._open = False
            for slot in self._slots:
                slot.worker.end()
        self._answers.put(WAKE)
        self._thread.join(2)

    def list_processes(self) -> list[int]:
        """Return the process numbers of the workers."""
        with self._lock:
            return [slot.worker.process.pid for slot in self._slots]

    # The thread of the jobs.

    def _start(self) -> Slot:
        return Slot(Worker(self.shelf(), self._answers))

    def _run(self) -> None:
        while self._open:
            with suppress(Empty):
                came = self._answers.get(timeout=TICK)
                with self._lock:
                    if came != WAKE and self._open:  # the end of a worker that was closed needs no other one
                        self._take(*came)
            with self._lock:
                if self._open:
                    self._check_memory()
                    self._hand_out()

    def _take(self, worker: Worker, came: Any) -> None:
        slot = next((one for one in self._slots if one.worker is worker), None)
        if slot is None:
            return  # it was killed before its answer was read
        if came == READY:
            slot.ready = True
            return
        job = slot.job
        if isinstance(came, Progress):
            if job is not None:
                if came.what != job.progress[0]:
                    job.since = time.monotonic()
                job.progress = (came.what, came.done, came.total)
                self.tell(job)
            return
        slot.job = None
        if isinstance(came, Answer):
            if job is not None:
                job.result = came.value
                job.notes = tuple(str(message) for message, _ in came.heard)
                self._end(job, "done")
        elif isinstance(came, Failure):
            if job is not None:
                self._fail(job, describe_failure(came.error), came.error)
        else:  # the process ended, or could not read its input
            ended = worker.describe_end() if came is None else cut(came)
            self._replace(slot)
            if job is not None:
                self._fail(job, f"The process that did this ended ({ended}). Usually there is too little memory.")

    def _hand_out(self) -> None:
        """Give waiting jobs to idle workers, one data set after the other."""
        for slot in self._slots:
            if slot.lost and self._queues:
                self._replace(slot)
        if self._queues and all(slot.lost for slot in self._slots):
            for job in [job for queue in self._queues.values() for job in queue]:
                self._fail(job, "No process could be started for this. End other programs, and try again.")
            self._queues.clear()
        while (idle := [slot for slot in self._slots if slot.ready and slot.job is None]) and self._queues:
            owner, queue = next(iter(self._queues.items()))
            if not queue:
                del self._queues[owner]
                continue
            self._queues.move_to_end(owner)
            job = queue.popleft()
            data = self.find_data(owner)
            if data is None:  # it was closed
                self._end(job, "canceled")
                continue
            slot = next((one for one in idle if one.kept.get(owner) is data), idle[0])
            job.state, slot.job, job.since = "running", job, time.monotonic()
            slot.worker.give(job.key, self._pack(slot, job, data))
            self.tell(job)

    def _pack(self, slot: Slot, job: Job, data: Any) -> Parcel:
        known = slot.kept.get(job.owner) is data
        slot.kept[job.owner] = data
        slot.kept.move_to_end(job.owner)
        gone = [] if known else [job.owner]
        while len(slot.kept) > KEPT:
            gone.append(slot.kept.popitem(last=False)[0])
        return Parcel(job.owner, None if known else data, tuple(gone), job.call)

    def _check_memory(self) -> None:
        """Kill the largest worker while all together use too much memory."""
        busy = [slot for slot in self._slots if slot.job is not None or slot.kept]
        used = {id(slot): measure_process(slot.worker.process.pid) for slot in busy}
        if sum(used.values()) <= self.memory:
            return
        slot = max(busy, key=lambda one: used[id(one)])
        job = slot.job
        self._replace(slot)
        if job is not None:
            self._fail(
                job,
                f"This needs more than {format_bytes(self.memory)} of memory, the limit of this server. Close other "
                "data, or start `shoal serve` with a larger --memory.",
            )

    def _replace(self, slot: Slot) -> None:
        """Kill a worker and start another one in its place."""
        slot.worker.end()
        slot.ready, slot.job, slot.kept, slot.lost = False, None, OrderedDict(), False
        if not self._open:
            return
        try:
            slot.worker = self._start().worker
        except (OSError, MemoryError, RuntimeError):  # there are too many processes, or there is no memory
            slot.lost = True

    def _fail(self, job: Job, error: str, cause: Exception | None = None) -> None:
        job.error, job.cause = error, cause
        self._end(job, "failed")

    def _end(self, job: Job, state: State) -> None:
        job.state = state
        self.tell(job)


def describe_failure(error: Exception) -> str:
    """Say why a call failed: in the words of shoal, or by the kind of an unexpected error."""
    if isinstance(error, ShoalError):
        return str(error)
    if lacks_memory(error):
        return "There is too little memory for this. Close other data or other programs, and try again."
    return f"This is a bug in shoal: {type(error).__name__}: {error}. Please report it, without your data."


def measure_memory() -> int:
    """Return the bytes of memory that this machine has."""
    import psutil

    return int(psutil.virtual_memory().total)


def measure_process(number: int) -> int:
    """Return the bytes of memory that a process uses; 0 if it has ended."""
    import psutil

    try:
        return int(psutil.Process(number).memory_info().rss)
    except psutil.Error:
        return 0


def format_bytes(size: int) -> str:
    """Return a size in words.

    >>> format_bytes(1_500_000_000), format_bytes(20_000)
    ('1.5 GB', '0.02 MB')
    """
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"
