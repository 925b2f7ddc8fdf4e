"""The workspace: the data sets that are open, what is known about each, and the work on them.

There is one workspace per server. All pages and tabs show it, so that a reload or a second tab shows the same state.
Everything here runs in the thread of the server; only the jobs run elsewhere.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, find_place
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.view import View
from shoal.risk.assess import Risk
from shoal.risk.panel import PanelRisk
from shoal.risk.scenario import DEFAULT, Scenario, as_scenario
from shoal.web.jobs import Job, Jobs
from shoal.web.reading import Reading
from shoal.web.releasing import Loss
from shoal.web.tasks import (
    CountCandidates,
    Counted,
    Drawing,
    DrawNetwork,
    ListPeople,
    Material,
    Policy,
    ReadData,
    Shelf,
    ShowFile,
    WriteReport,
)
from shoal.web.trials import Round

ROLES = {
    "identifier": "identifier (left out): names the person, or is not to be released",
    "quasi-identifier": "quasi-identifier: others may know it",
    "sensitive": "sensitive: released, but must not be traced to a person",
    "other": "other: released, not known to others, not sensitive",
}
NAMING = 0.9
"""A column of texts with at least this share of unique values names people."""
MOST_OPEN = 200
"""The most data sets that can be open at once."""


STATE = ("reading", "material", "data", "notes", "roles", "risks", "seconds", "drawing", "results", "rounds")
"""What belongs to one way of reading a data set."""


@dataclass(eq=False)
class Opened:
    """One open data set."""

    key: str
    reading: Reading
    material: Material
    data: Dataset | None = None
    notes: tuple[str, ...] = ()
    """What was noticed while it was read."""
    roles: dict[str, str] = field(default_factory=dict)
    scenario: Scenario = field(default_factory=lambda: as_scenario(DEFAULT))
    k: int = 0
    """The number of candidates; 0 for that of the scenario."""
    risks: dict[str, Risk] = field(default_factory=dict)
    """Counted risks by the spec of the knowledge."""
    seconds: dict[str, float] = field(default_factory=dict)
    drawing: Drawing | None = None
    results: dict[str, Any] = field(default_factory=dict)
    """Files to take away, by name, each with the policy that it was made for."""
    jobs: dict[str, Job] = field(default_factory=dict)
    """The last job of each name."""
    rounds: list[Round] = field(default_factory=list)
    """Methods that were tried."""
    loss: Loss = field(default_factory=Loss)
    """The loss that is accepted."""
    earlier: list[dict[str, Any]] = field(default_factory=list)
    """Earlier ways of reading the data, each with all that was counted and made; the newest last."""

    @property
    def title(self) -> str:
        """The name of the data."""
        return self.reading.file

    @property
    def policy(self) -> Policy:
        """What the data is judged by."""
        scenario = self.scenario if not self.k else self.scenario.with_k(self.k)
        columns = (self.list_columns(role) for role in ("quasi-identifier", "sensitive", "identifier"))
        return Policy(scenario, *columns)

    def list_columns(self, role: str) -> tuple[str, ...]:
        """Return the columns with this role."""
        return tuple(name for name, own in self.roles.items() if own == role)

    def list_kinds(self) -> list[Adversary]:
        """Return the kinds of knowledge of the scenario; raise BadParameter if none fits the data."""
        assert self.data is not None
        policy = self.policy
        return list(policy.scenario.choose_kinds(self.data, policy.columns, policy.sensitive).values())

    def list_counted(self) -> list[Risk]:
        """Return the risks of the scenario that have been counted."""
        return [self.risks[kind.spec] for kind in self.list_kinds() if kind.spec in self.risks]

    def judge(self) -> PanelRisk | None:
        """Return all risks of the scenario; None while one of them has not been counted."""
        found = self.list_counted()
        if not found or len(found) < len(self.list_kinds()):
            return None
        return PanelRisk(self.policy.scenario, tuple(found), len(found))

    def list_state(self) -> dict[str, Any]:
        """Return everything that belongs to the present way of reading."""
        return {name: getattr(self, name) for name in STATE}

    def is_busy(self, name: str) -> bool:
        """Return whether a job of this name waits or runs."""
        return name in self.jobs and not self.jobs[name].ended


class Workspace:
    """All open data sets of a server."""

    def __init__(self, *, memory: int | None = None, workers: int = 2) -> None:
        self.opened: dict[str, Opened] = {}
        self.used = time.monotonic()
        """When the last request came."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Queue[dict[str, Any]]] = set()
        self._then: dict[str, Callable[[Job], None]] = {}
        self._ends: dict[str, asyncio.Event] = {}
        self.jobs = Jobs(self._find_material, self._tell, memory=memory, workers=workers, shelf=Shelf)

    def start(self) -> None:
        """Note the loop of the server, in which everything here runs."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """End all work and forget all data."""
        self.jobs.close()
        self.opened.clear()

    # Data sets.

    def open(self, reading: Reading, files: dict[str, bytes]) -> Opened:
        """Open a data set, and begin to read it."""
        if len(self.opened) >= MOST_OPEN:
            raise BadParameter(f"At most {MOST_OPEN} data sets can be open. Close one first.")
        key = secrets.token_hex(8)
        found = self.opened[key] = Opened(key, reading, Material(files))
        self.read(found)
        return found

    def forget(self, opened: Opened) -> None:
        """Close a data set: its work ends, and its data are forgotten."""
        self.opened.pop(opened.key, None)
        self.jobs.forget(opened.key)
        self.publish({"data": opened.key, "what": "closed"})

    def reread(self, opened: Opened, reading: Reading, files: dict[str, bytes] | None = None) -> None:
        """Read a data set again, in another way. What was counted before is kept with the earlier way."""
        self.cancel_all(opened)
        if opened.data is not None:
            opened.earlier.append(opened.list_state())
        opened.reading = reading
        opened.material = Material(opened.material.files if files is None else files)
        opened.data, opened.notes, opened.drawing = None, (), None
        opened.risks, opened.seconds, opened.results, opened.jobs, opened.rounds = {}, {}, {}, {}, []
        opened.roles = dict(opened.roles)  # those of the earlier way do not change any more
        self.read(opened)

    def step_back(self, opened: Opened, place: int) -> None:
        """Return to an earlier way of reading, with all that was counted and made then; the present one is kept."""
        if not 0 <= place < len(opened.earlier):
            raise BadParameter("This earlier state is gone. Load the page again.")
        self.cancel_all(opened)
        now = opened.list_state()
        before = opened.earlier.pop(place)
        if opened.data is not None:
            opened.earlier.append(now)
        for name, value in before.items():
            setattr(opened, name, value)
        opened.jobs = {}

    def read(self, opened: Opened) -> None:
        """Show the first rows of the files, and read them."""
        reading = opened.reading
        if not reading.is_example:
            seen = ShowFile(reading.file, self._list_shown(reading))
            self.submit(opened, "preview", "look at the file", seen, urgent=True)
            if reading.people is not None:
                told = {"table": True} | ({} if reading.encoding is None else {"encoding": reading.encoding})
                told |= {} if reading.key is None else {"key": reading.key}
                self.submit(opened, "preview people", "look at the table", ShowFile(reading.people, told), urgent=True)
        self.submit(opened, "read", "read the data", ReadData(reading), then=partial(self._take_data, opened))

    def _take_data(self, opened: Opened, job: Job) -> None:
        if job.state != "done":
            self._show_broken_row(opened, job)
            return
        opened.data, opened.notes = job.result, job.notes
        opened.material = Material(opened.material.files, opened.data)
        known = opened.roles
        opened.roles = {name: known.get(name) or guess_role(opened.data, name) for name in opened.data.attributes}
        job.result = None

    def _show_broken_row(self, opened: Opened, job: Job) -> None:
        """Show the rows around the one that an error is about."""
        place = None if job.cause is None else find_place(job.cause)
        if place is None:
            return
        options = self._list_shown(opened.reading) if place.file == opened.reading.file else {"table": True}
        self.submit(opened, ROWS_AROUND, "look at the row", ShowFile(place.file, options | {"around": place.line}))

    def _list_shown(self, reading: Reading) -> dict[str, Any]:
        """Return the options of reading that change how rows are split into cells."""
        given = {name: value for name, value in reading.list_arguments().items() if name not in NOT_SHOWN}
        return given | ({"table": True} if reading.table else {})

    # Work.

    def count(self, opened: Opened) -> None:
        """Begin to count what the scenario needs and has not been counted."""
        for kind in opened.list_kinds():
            name, spec = f"count {kind.spec}", kind.spec
            if spec not in opened.risks and not opened.is_busy(name):
                self.submit(opened, name, name, CountCandidates(spec), then=partial(_take_risk, opened, spec))

    def draw(self, opened: Opened) -> None:
        """Begin to place the people in a plane."""
        if opened.drawing is None and not opened.is_busy("draw"):
            self.submit(opened, "draw", "draw the network", DrawNetwork(), then=partial(_take_drawing, opened))

    def write_report(self, opened: Opened) -> None:
        """Begin to write the report."""
        self._make(opened, "report", "write the report", WriteReport(opened.reading, opened.policy))

    def list_people(self, opened: Opened) -> None:
        """Begin to list all people."""
        self._make(opened, "people", "list the people", ListPeople(opened.policy))

    def _make(self, opened: Opened, name: str, told: str, call: Any) -> None:
        policy = opened.policy

        def take(job: Job) -> None:
            if job.state == "done":
                opened.results[name], job.result = (policy, job.result), None

        if opened.is_busy(name):
            if opened.jobs[name].call == call:
                return
            self.jobs.cancel(opened.jobs[name])  # other choices were made since it began
        self.submit(opened, name, told, call, then=take)

    def submit(
        self,
        opened: Opened,
        name: str,
        told: str,
        call: Any,
        *,
        then: Callable[[Job], None] | None = None,
        urgent: bool = False,
    ) -> Job:
        """Begin a job on a data set; `then` is called when it has ended."""
        job = opened.jobs[name] = Job(opened.key, name, told, call, urgent)
        self._ends[job.key] = asyncio.Event()
        if then is not None:
            self._then[job.key] = then
        return self.jobs.submit(job)

    async def wait(self, job: Job, seconds: float | None = None) -> bool:
        """Wait until a job has ended, or the time is over; return whether it has ended."""
        if (event := self._ends.get(job.key)) is None:
            return True
        try:
            await asyncio.wait_for(event.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def cancel_all(self, opened: Opened) -> None:
        """End all work on a data set."""
        for job in list(opened.jobs.values()):
            self.jobs.cancel(job)

    # Events.

    def listen(self) -> asyncio.Queue[dict[str, Any]]:
        """Return a queue of events for one connection."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(1_000)
        self._listeners.add(queue)
        return queue

    def ignore(self, queue: asyncio.Queue[dict[str, Any]]) -> None:
        """End a connection."""
        self._listeners.discard(queue)

    def publish(self, event: dict[str, Any]) -> None:
        """Send an event to all connections; one that does not read loses the oldest."""
        for queue in self._listeners:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(event)

    def publish_from_outside(self, event: dict[str, Any]) -> None:
        """Send an event from another thread, or from the handler of a signal."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.publish, event)

    def _find_material(self, key: str) -> Material | None:
        opened = self.opened.get(key)
        return None if opened is None else opened.material

    def _tell(self, job: Job) -> None:
        """Pass a change on to the thread of the server."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._change, job)

    def _change(self, job: Job) -> None:
        if job.ended:
            then, opened = self._then.pop(job.key, None), self.opened.get(job.owner)
            if then is not None and opened is not None and opened.jobs.get(job.name) is job:
                then(job)  # otherwise the data was closed, or read in another way, meanwhile
            event = self._ends.pop(job.key, None)
            if event is not None:
                event.set()
        if job.owner not in self.opened:
            return  # a page of closed data must not ask for it
        what, done, total = job.progress
        self.publish(
            {
                "data": job.owner,
                "what": "ended" if job.ended else "progress",
                "job": job.told,
                "text": what,
                "done": done,
                "total": total,
            }
        )


ROWS_AROUND = "rows around"
"""The name of the job that shows the row that cannot be read."""
NOT_SHOWN = ("attributes", "directed", "undirected", "bins", "drop_loops", "key")
"""Options that do not change how rows are split into cells."""


def _take_risk(opened: Opened, spec: str, job: Job) -> None:
    if job.state != "done" or opened.data is None:
        return
    found: Counted = job.result  # kept also if the scenario was changed meanwhile
    view = View.of(opened.data, None, None)
    opened.risks[spec] = Risk(view, parse_knowledge(spec), found.sizes, found.exact_sizes)
    opened.seconds[spec], job.result = found.seconds, None


def _take_drawing(opened: Opened, job: Job) -> None:
    if job.state == "done":
        opened.drawing, job.result = job.result, None


def guess_role(data: Dataset, name: str) -> str:
    """Return the role of a column until a person chooses: an attacker may know it, unless it names people."""
    names = not data.attributes[name].is_numeric and has_unique_values(data, name)
    return "identifier" if names else "quasi-identifier"


def has_unique_values(data: Dataset, name: str) -> bool:
    """Return whether nearly every person has a value of their own in a column."""
    column = data.attributes[name]
    unique = int(np.count_nonzero(np.bincount(column.codes + 1)[1:] == 1))
    return len(column) > 1 and unique >= NAMING * len(column)
