"""Time limits: a limit holds for everything inside a block, and each part of the work gets a share of the time left.

Without a limit nothing depends on a clock. With one, parts that are not finished are left out, and repeated work stops
after the repeats that fit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from typing import ParamSpec, TypeVar

from shoal.errors import OutOfTime, format_count, join_names, must
from shoal.progress import stopping

P = ParamSpec("P")
R = TypeVar("R")
UNITS = {"h": 3_600, "m": 60}


@dataclass(frozen=True)
class TimeLimit:
    """A time limit as the user gave it, and when it ends for a part of the work."""

    seconds: float
    deadline: float
    """In seconds of the monotonic clock."""

    @classmethod
    def of(cls, seconds: float) -> TimeLimit:
        """Return a limit that starts now."""
        return cls(seconds, time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds left; 0 if there are none."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def told(self) -> str:
        """The limit in words.

        >>> TimeLimit.of(300).told
        'the time limit of 5m'
        """
        return f"the time limit of {format_duration(self.seconds)}"

    @property
    def reason(self) -> str:
        """Why a part of the work is missing."""
        return f"not finished within {self.told}"

    def describe_ended(self, *parts: str) -> str:
        """Return what a partial result lacks, as a sentence; empty if nothing is missing.

        >>> TimeLimit.of(300).describe_ended("3 of 11 metrics", "")
        'The time limit of 5m ended 3 of 11 metrics.'
        """
        missing = [part for part in parts if part]
        return f"{self.told[:1].upper()}{self.told[1:]} ended {join_names(missing)}." if missing else ""

    def cap(self, seconds: float) -> TimeLimit:
        """Return the limit of a part of the work, which has at most so many of the seconds left."""
        return replace(self, deadline=min(self.deadline, time.monotonic() + max(0.0, seconds)))

    def share(self, *, last: bool = False) -> TimeLimit:
        """Return the limit of the next part: half of the time left, or all of it for the last part.

        So one endless part does not use up the time of all that follow.
        """
        return self if last else self.cap(self.left / 2)


def count_ended(ended: int, total: int, what: str) -> str:
    """Return how many parts were not finished; empty if all were.

    >>> count_ended(3, 11, "metric"), count_ended(0, 11, "metric")
    ('3 of 11 metrics', '')
    """
    return f"{ended:,} of {format_count(total, what)}" if ended else ""


def format_duration(seconds: float) -> str:
    """Write a duration as the command line takes it.

    >>> [format_duration(seconds) for seconds in (300, 90, 7200, 1.5, 0.00001)]
    ['5m', '90s', '2h', '1.5s', '0.00001s']
    """
    for unit, length in UNITS.items():
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length:.0f}{unit}"
    return f"{seconds:.9f}".rstrip("0").rstrip(".") + "s"


_limit: ContextVar[TimeLimit | None] = ContextVar("shoal_time_limit", default=None)


def find_limit() -> TimeLimit | None:
    """Return the limit that holds here; None if there is none."""
    return _limit.get()


@contextmanager
def limit_time(limit: TimeLimit | float | None, who: str = "shoal") -> Iterator[None]:
    """Limit the time of everything inside the block; a limit outside it holds too.

    >>> with limit_time(60), limit_time(600):
    ...     find_limit().seconds
    60
    """
    if limit is not None and not isinstance(limit, TimeLimit):
        number = not isinstance(limit, bool | str)
        must(number and limit > 0, who, "time_limit", "a number of seconds above 0", limit)
        limit = TimeLimit.of(limit)
    token = _limit.set(min((x for x in (limit, find_limit()) if x is not None), key=_get_deadline, default=None))
    try:
        yield
    finally:
        _limit.reset(token)


def _get_deadline(limit: TimeLimit) -> float:
    return limit.deadline


def limited(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: its parameter `time_limit` holds for everything that it calls."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # IPython and pytest do not show this frame
        with limit_time(kwargs.get("time_limit"), function.__name__):  # type: ignore[arg-type]
            return function(*args, **kwargs)

    return call


@contextmanager
def stop_after(limit: TimeLimit | None) -> Iterator[None]:
    """Let the work inside the block end with OutOfTime when its limit is over. None: it has no limit."""
    if limit is not None and not limit.left:
        raise OutOfTime(limit.reason)
    with stopping(limit):
        yield


class Pace:
    """The pace of repeated work: whether another step fits into the time left."""

    MARGIN = 1.25
    """A step may take so many times as long as the longest before."""

    def __init__(self) -> None:
        self.last, self.longest = time.monotonic(), 0.0

    def fits_another(self) -> bool:
        """Call it after each step: return whether another one fits. Without a limit it always does."""
        now, limit = time.monotonic(), find_limit()
        self.last, self.longest = now, max(self.longest, now - self.last)
        return limit is None or limit.left > self.MARGIN * self.longest
