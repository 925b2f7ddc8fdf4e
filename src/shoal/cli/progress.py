"""A progress bar on stderr for work that takes longer than a moment, where stderr is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from shoal.progress import watching

PATIENCE = 0.7
"""Seconds before a bar appears."""


@contextmanager
def bar() -> Iterator[None]:
    """Show the progress of everything inside the block."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    tasks: dict[str, TaskID] = {}
    since = time.monotonic()

    def show(what: str, done: int, total: int) -> None:
        nonlocal since
        if what not in tasks:
            for other in tasks.values():
                progress.remove_task(other)
            tasks.clear()
            tasks[what] = progress.add_task(what, total=total)
            since = time.monotonic()
        progress.update(tasks[what], completed=done, total=total)
        if time.monotonic() - since > PATIENCE:
            progress.start()
        if done >= total:
            progress.remove_task(tasks.pop(what))

    try:
        with watching(show):
            yield
    finally:
        progress.stop()
