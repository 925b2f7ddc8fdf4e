"""A progress bar on stderr for work that takes longer than a moment, where stderr is a terminal.

What is done is shown up to its first comma as one piece of work, and what follows the comma as where it stands:
"searching classes, 0.41 edits per edge" goes on as "searching classes, 0.39 edits per edge".
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shoal.progress import track, watching
from shoal.terminal import tame

PATIENCE = 0.7
"""Seconds before a bar appears."""


class Bar:
    """One line on a terminal: what is being done, how far it is, and how long it will take."""

    line: Any = None
    since = 0.0

    def __init__(self) -> None:
        self.tasks: dict[str, Any] = {}

    def show(self, what: str, done: int, total: int) -> None:
        """Say that `done` of `total` is done, once it takes longer than a moment; a total of 0 is not known."""
        work = what.partition(",")[0]
        if work not in self.tasks:
            self._begin(work, what, total)
        if total and done >= total:
            self._end(work)
            return
        self.line.update(self.tasks[work], description=tame(what), completed=done, total=total or None)
        if not total or time.monotonic() - self.since > PATIENCE:
            self.line.start()

    def clear(self) -> None:
        """Take the line away; the next thing said begins on an empty one."""
        if self.line is not None:
            self.line.stop()

    def forget(self) -> None:
        """Take the line away, and all work with it."""
        self.clear()
        self.line, self.tasks = None, {}

    def _begin(self, work: str, what: str, total: int) -> None:
        """Go over to other work; it is a part of what was begun before only if nobody knows how long that takes."""
        self.line = line() if self.line is None else self.line
        if self.tasks and self.line.tasks[-1].total is not None:
            self.line.remove_task(self.tasks.popitem()[1])
        self.tasks[work], self.since = self.line.add_task(tame(what), total=total or None), time.monotonic()

    def _end(self, work: str) -> None:
        """End some work, and its parts with it."""
        names = list(self.tasks)
        for name in names[names.index(work) :]:
            self.line.remove_task(self.tasks.pop(name))
        if not self.tasks:
            self.clear()


def line() -> Any:
    """Return a progress bar that shows the latest work which takes longer than a moment."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, Task, TextColumn, TimeRemainingColumn

    class Latest(Progress):
        def get_renderables(self) -> Iterator[Any]:
            yield self.make_tasks_table([task for task in self.tasks if (task.elapsed or 0) > PATIENCE][-1:])

    class Percent(TextColumn):
        def render(self, task: Task) -> Any:
            return super().render(task) if task.total else ""

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), Percent("{task.percentage:>3.0f} %"))
    return Latest(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)


_shown = Bar()


def hush() -> None:
    """Take the bar away before something is said; it comes back with the next step."""
    _shown.clear()


@contextmanager
def bar() -> Iterator[None]:
    """Show the progress of everything inside the block."""
    if not sys.stderr.isatty():
        yield
        return
    try:
        with watching(_shown.show):
            yield
    finally:
        _shown.forget()


@contextmanager
def phase(what: str) -> Iterator[None]:
    """Show that something is being done of which nobody knows how long it takes."""
    track(what, 0, 0)
    try:
        yield
    finally:
        track(what, 1, 1)
