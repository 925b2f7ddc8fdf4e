"""Supervision of a command: it runs in a child process, and the parent watches it.

A signal must end a command within a second. But Python handles signals only between its own steps: a long library call
delays them, and an exception raised inside a callback is lost. So the parent receives the signals. It passes Ctrl-C on,
kills a child that does not end in time, removes temporary folders and reports the files that were written. It waits
while files are moved into place (:mod:`shoal.progress`).
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from shoal import progress
from shoal.errors import tame

GRACE = 0.7
"""Seconds that a command has to end by itself after Ctrl-C."""
ENDS = ("SIGINT", "SIGTERM", "SIGHUP")


def block_signals() -> None:
    """Block signals until both processes are ready to handle them."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, _list_signals())


def _unblock_signals() -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _list_signals())


def supervise(work: Callable[[], int]) -> int:
    """Run `work` in a child process and return its exit code; signals to this process end it within a second.

    Where a child cannot be started (on Windows, or at a process limit), `work` runs in this process.
    """
    block_signals()
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it is ignored, the exit status of the child is lost
        (report_in, report_out), (life_in, life_out) = os.pipe(), os.pipe()
        child = os.fork()
    except (AttributeError, OSError):
        _unblock_signals()
        return work()
    if not child:
        os.close(report_in)
        os.close(life_out)
        _run_child(work, report_out, life_in)
    os.close(report_out)
    os.close(life_in)  # the other end closes when the parent ends, for whatever reason
    return Watch(child, report_in).run()


def _run_child(work: Callable[[], int], report: int, life: int) -> NoReturn:
    """Run as the child: take Ctrl-C only from the parent, report to it, and end when it has ended."""
    for number in _list_signals():
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, progress.interrupt)
    threading.Thread(target=_end_with_parent, args=(life,), daemon=True).start()
    progress.listen(lambda event, path: _report(report, event, path))
    _unblock_signals()
    code = 70
    try:
        code = work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        with suppress(OSError, ValueError):  # a closed pipe was handled before
            sys.stdout.flush()
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)


def _list_signals() -> list[int]:
    return [getattr(signal, name) for name in ENDS if hasattr(signal, name)]


def _report(number: int, event: str, path: str) -> None:
    with suppress(BrokenPipeError):
        os.write(number, json.dumps([event, path]).encode() + b"\n")


def _end_with_parent(life: int) -> None:
    os.read(life, 1)
    os._exit(128 + signal.SIGKILL)


class Watch:
    """The state of the child: its activity, the files it wrote, and the signals received."""

    def __init__(self, child: int, reports: int) -> None:
        self.child, self.reports = child, reports
        self.rest = b""
        self.folders: set[str] = set()
        self.written: list[str] = []
        self.searching = self.holding = self.told = False
        self.stops = 0
        self.patience: float | None = None
        """Seconds that a search has to end after the first Ctrl-C; None for any time."""
        self.ending: int | None = None
        """The signal that ends the command, if one does."""
        self.deadline: float | None = None
        os.set_blocking(reports, False)

    def run(self) -> int:
        """Watch until the child ends, and return the exit code."""
        wake_in, wake_out = os.pipe()
        for end in (wake_in, wake_out):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake_out, warn_on_full_buffer=False)
        for number in _list_signals():
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores one
                signal.signal(number, lambda *_: None)
        _unblock_signals()
        while True:
            due = None if self.holding else self.deadline
            left = None if due is None else max(0.0, due - time.monotonic())
            select.select([self.reports, wake_in], [], [], left)
            lives = self.hear()  # the state of the child first, then the signals
            with suppress(BlockingIOError):
                for number in os.read(wake_in, 64):
                    self.take(number)
            if not lives:
                return self.conclude(os.waitpid(self.child, 0)[1])
            if self.deadline is not None and not self.holding and time.monotonic() >= self.deadline:
                self.end()

    def take(self, number: int) -> None:
        """Handle a signal according to the state of the child."""
        if number == signal.SIGINT:
            self.stops += 1
            os.kill(self.child, signal.SIGUSR1)
            if self.searching and self.stops == 1:  # the search ends, and the best result so far is kept
                self.deadline = None if self.patience is None else time.monotonic() + self.patience
                return
            self.ending, wait = self.ending or number, GRACE
        elif number in _list_signals():
            self.ending, wait = number, 0.0
        else:
            return
        self.deadline = min(self.deadline or float("inf"), time.monotonic() + wait)

    def hear(self) -> bool:
        """Read the reports of the child; return whether it is alive."""
        while True:
            try:
                came = os.read(self.reports, 65_536)
            except BlockingIOError:
                return True
            if not came:
                return False
            *lines, self.rest = (self.rest + came).split(b"\n")
            for line in lines:
                self.note(*json.loads(line))

    def note(self, event: progress.Event, path: str) -> None:
        """Record an event that the child reported."""
        match event:
            case "stage":
                self.folders.add(path)
            case "unstage":
                self.folders.discard(path)
            case "written":
                self.written += [path] if path not in self.written else []
            case "search" | "searched":
                self.searching = event == "search"
                self.patience = float(path) if path else None
            case "hold" | "release":
                self.holding = event == "hold"
            case "told":
                self.told = True

    def end(self) -> None:
        """Kill the child, which did not end in time, unless it is moving files.

        It is stopped first, so that it cannot begin to move any.
        """
        os.kill(self.child, signal.SIGSTOP)
        os.waitid(os.P_PID, self.child, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        self.hear()
        if not self.holding:
            self.ending = self.ending or signal.SIGINT
            os.kill(self.child, signal.SIGKILL)
        os.kill(self.child, signal.SIGCONT)

    def conclude(self, status: int) -> int:
        """Remove temporary folders, report the files that exist, and return the exit code."""
        code = os.waitstatus_to_exitcode(status)
        killed = code < 0
        for folder in self.folders if not self.holding else ():  # a journal needs them
            shutil.rmtree(folder, ignore_errors=True)
        if killed and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K\x1b[?25h")  # the child may have left a progress bar without a cursor
        if self.ending is not None:
            if not self.told:
                word = "interrupted" if self.ending == signal.SIGINT else f"ended by {signal.Signals(self.ending).name}"
                self.write_line(f"{word}; {self.describe_written()}.")
            return 128 + self.ending
        if killed:
            return self.conclude_killed(-code)
        return code

    def conclude_killed(self, number: int) -> int:
        """Report that the child was ended by a signal from elsewhere."""
        name = signal.Signals(number).name
        if number == signal.SIGKILL:
            why = "the system does this when memory runs out"
        else:
            why = "this is an internal error, or too little memory for a library"
        self.write_line(f"error: the command was ended by {name} ({why}); {self.describe_written()}.")
        return 2 if number == signal.SIGKILL else 70

    def describe_written(self) -> str:
        """Return which files were written, as the end of a sentence."""
        if self.holding:
            return "it was moving its files into place: run 'shoal recover OUTPUT'"
        return f"written before: {', '.join(self.written)}" if self.written else "nothing was written"

    @staticmethod
    def write_line(text: str) -> None:
        """Write a line to stderr, if it is open."""
        with suppress(OSError):
            sys.stderr.write(tame(text) + "\n")
            sys.stderr.flush()
