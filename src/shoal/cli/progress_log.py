"""Progress as lines of a log: one line every ten seconds, where stderr is no terminal."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from threading import Event, Thread
from typing import TextIO

from shoal.errors import tame

PERIOD = 10.0
"""Seconds between two lines; a shorter command prints none."""


class ProgressLog:
    """The state of long work. A thread prints it, so that a long call of a library does not delay a line."""

    def __init__(self, command: str, stream: TextIO | None = None) -> None:
        self.command, self.stream = command, sys.stderr if stream is None else stream
        self.start = time.monotonic()
        self._open: dict[str, str] = {}
        """What is under way, by the name of the work, outermost first."""
        self._ended = Event()

    def show(self, what: str, done: int, total: int) -> None:
        """Remember that `done` of `total` is done; a total of 0 means unknown."""
        work = what.partition(",")[0]
        names = list(self._open)
        if total and done >= total:
            inner = names[names.index(work) :] if work in names else []
        else:
            inner = names[names.index(work) + 1 :] if work in names else names[1:]
        kept = {name: self._open[name] for name in names if name not in inner}
        if not total or done < total:
            kept[work] = f"{what} ({done:,} of {total:,})" if total else what
        self._open = kept  # replaced as a whole: the printing thread reads it at any time

    def describe(self) -> str:
        """Return the line: the command, the outermost and the innermost work, and the seconds since the start.

        >>> log = ProgressLog("shoal audit")
        >>> log.show("risk before, degree", 2, 8)
        >>> log.show("comparing balls", 3, 128)
        >>> log.describe().rpartition(",")[0]
        'shoal audit: risk before, degree (2 of 8); comparing balls (3 of 128)'
        """
        states = list(self._open.values())
        told = "; ".join(dict.fromkeys(states[:1] + states[-1:])) or "working"
        return f"{self.command}: {tame(told)}, {time.monotonic() - self.start:.0f} s"

    def run(self) -> None:
        """Start to print."""
        Thread(target=self._print_lines, daemon=True).start()

    def end(self) -> None:
        """Print nothing more."""
        self._ended.set()

    def _print_lines(self) -> None:
        while not self._ended.wait(PERIOD):
            with suppress(OSError, ValueError):  # stderr was closed: the work goes on
                print(self.describe(), file=self.stream, flush=True)
