"""Long work says how far it is; whoever watches decides how to show it.

Engines call :func:`track`; the command line sets a watcher with :func:`watching`. Without a watcher
nothing is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from shoal.interrupts import check

Watcher = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""

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
    """Report that `done` of `total` units of `what` are done; a total of 0 is not known.

    >>> with watching(lambda what, done, total: print(f"{what}: {done} of {total}")):
    ...     track("balls", 3, 4)
    balls: 3 of 4
    """
    check()
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)
