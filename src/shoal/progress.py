"""Progress of long work, handling of signals, and the files that this run has read and written."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, NoReturn, Protocol

from shoal.errors import OutOfTime

# Progress: long work calls :func:`track`, and the command line sets a watcher with :func:`watching`.
# Without a watcher, nothing is printed.


Watcher = Callable[[str, int, int], None]
"""Called with the name of the work, the units done, and the total."""

_watcher: ContextVar[Watcher | None] = ContextVar("shoal_watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Send the progress of everything inside the block to `watcher`."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def track(what: str, done: int, total: int) -> None:
    """Report that `done` of `total` units of `what` are done; a total of 0 means unknown.

    >>> with watching(lambda what, done, total: print(f"{what}: {done} of {total}")):
    ...     track("balls", 3, 4)
    balls: 3 of 4
    """
    check()
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)


# Stops: work that reports progress also ends when its time is over, where it may end.


class Stop(Protocol):
    """When work must end, and why. See :class:`shoal.limits.TimeLimit`."""

    @property
    def deadline(self) -> float:
        """In seconds of the monotonic clock."""

    @property
    def reason(self) -> str:
        """Why the work ends."""


_stop: ContextVar[Stop | None] = ContextVar("shoal_stop", default=None)


@contextmanager
def stopping(stop: Stop | None) -> Iterator[None]:
    """Inside the block, :func:`track` raises OutOfTime when the time is over. None: it does not."""
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


def find_stop() -> Stop | None:
    """Return when the present work must end; None if it may take any time."""
    return _stop.get()


# Interrupts: when a signal ends the work at once, when it ends a search, and when it has to wait.
#
# There are three cases. In a search (:func:`searching`) Ctrl-C ends the search and the best result so far is kept.
# While files are moved into place (:func:`holding`) every signal waits until all of them are moved. At any other time a
# signal ends the work.
#
# The command line runs the work in a process that a supervisor watches (:mod:`shoal.cli.supervisor`). The supervisor
# must know which case applies, which temporary folders to remove and which files were written. A listener reports it.

Event = Literal["stage", "unstage", "search", "searched", "hold", "release", "written", "told"]
"""Temporary folder made, removed; search begun (with the seconds that it has to end), ended; moving files begun, ended;
file written; message shown."""
Listener = Callable[[Event, str], None]
HELD = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGINT")
"""Signals that wait while files are moved. The supervisor passes Ctrl-C on as SIGUSR1. The handler of SIGINT, which may
raise at once, is restored last."""

_listener: Listener | None = None
_written: list[str] = []
_holds = _searches = 0
_pending = False


def listen(listener: Listener | None) -> None:
    """Send every event of this process to `listener`."""
    global _listener  # noqa: PLW0603 - signals belong to the process, and so does its listener
    _listener = listener


def tell(event: Event, path: str = "") -> None:
    """Report an event to the listener, if there is one."""
    if event == "written" and path not in _written:
        _written.append(path)
    if _listener is not None:
        _listener(event, path)


def forget_written() -> None:
    """Clear the list of written files, before the next command."""
    _written.clear()


def describe_written() -> str:
    """Return the files written so far, as the end of a sentence.

    >>> forget_written()
    >>> describe_written()
    'nothing was written'
    """
    return f"written before: {', '.join(_written)}" if _written else "nothing was written"


def interrupt(*_: object) -> NoReturn:
    """Handle Ctrl-C: raise, and remember it, because an exception inside a callback can get lost."""
    global _pending  # noqa: PLW0603 - the same
    _pending = True
    raise KeyboardInterrupt


def is_interrupted() -> bool:
    """Return whether Ctrl-C came, also if its exception got lost."""
    return _pending


def check() -> None:
    """Raise KeyboardInterrupt if an earlier one got lost, and OutOfTime if the time is over."""
    if _pending:
        raise KeyboardInterrupt
    stop = _stop.get()
    if stop is not None and time.monotonic() > stop.deadline:
        raise OutOfTime(stop.reason)


@contextmanager
def searching(within: float | None = None) -> Iterator[None]:
    """Mark a search: Ctrl-C ends it with a KeyboardInterrupt, and the caller keeps the best result so far.

    `within` are the seconds that it has to end; None for any time.
    """
    global _searches, _pending  # noqa: PLW0603 - the same
    _searches += 1
    if _searches == 1:
        tell("search", "" if within is None else str(within))
    try:
        yield
        check()
    finally:
        _searches, _pending = _searches - 1, False
        if not _searches:
            tell("searched")


@contextmanager
def holding() -> Iterator[None]:
    """Delay signals until the end of the block; the first one is raised there."""
    global _holds  # noqa: PLW0603 - the same
    if _holds or threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield
        return
    came: list[int] = []
    handlers = _replace_handlers(lambda number, _: came.append(number))
    _holds += 1
    tell("hold")
    try:
        yield
    finally:
        tell("release")
        _holds -= 1
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _replace_handlers(handler: Callable[[int, Any], object]) -> dict[int, Any]:
    """Install a handler for the signals that Python handles; return the old handlers."""
    numbers = [getattr(signal, name) for name in HELD if hasattr(signal, name)]
    found = {number: signal.getsignal(number) for number in numbers}
    replaced = {number: old for number, old in found.items() if callable(old) or old == signal.SIG_DFL}
    for number in replaced:
        signal.signal(number, handler)
    return replaced


# Inputs: the files that a run reads. They must not be overwritten.

_inputs: ContextVar[dict[tuple[int, int], str] | None] = ContextVar("shoal_inputs", default=None)


@contextmanager
def remember_inputs(*paths: str | os.PathLike[str]) -> Iterator[None]:
    """Inside the block, refuse to overwrite these files and every file that is read."""
    token = _inputs.set(dict(_inputs.get() or {}))
    try:
        for path in paths:
            note_input(path)
        yield
    finally:
        _inputs.reset(token)


def note_input(path: str | os.PathLike[str]) -> None:
    """Remember an input file by device and inode."""
    known, identity = _inputs.get(), identify_file(path)
    if known is not None and identity is not None:
        known[identity] = os.fspath(path)


def find_input(path: str | os.PathLike[str]) -> str | None:
    """Return the path under which a file was read in this block; None if it was not read."""
    return (_inputs.get() or {}).get(identify_file(path) or (0, 0))


def identify_file(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Return the device and inode of a file; None if there is no file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
