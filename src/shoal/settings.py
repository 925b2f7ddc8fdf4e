"""Settings, and helpers to run work in threads.

Set ``shoal.settings.threads = 2``, or the environment variable SHOAL_THREADS, to use fewer cores.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from shoal.errors import BadParameter, parse_whole, show_value, whole

Piece = TypeVar("Piece")
Result = TypeVar("Result")

threads: int | None = None
"""The number of threads. None: the value of SHOAL_THREADS, or the number of cores."""

MOST_READING = 4
"""The most threads that read or encode data; with more, disk and memory are the limit."""


def count_threads() -> int:
    """Return the number of threads to use."""
    named = os.environ.get("SHOAL_THREADS") if threads is None else None
    if named is None:
        return count_cores() if threads is None else whole(threads, "shoal.settings", "threads", least=1)
    found = parse_whole(named)
    if found is None or found < 1:
        raise BadParameter(f"SHOAL_THREADS must be a whole number of threads, 1 or more. Got {show_value(named)}.")
    return found


@cache
def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Result]]:
    """Run work on pieces in threads; yield each piece and its result in order, with few pieces in memory.

    >>> list(in_order(len, ["a", "bc"]))
    [('a', 1), ('bc', 2)]
    """
    waiting: deque[tuple[Piece, Future[Result]]] = deque()
    many = min(MOST_READING, count_threads())
    with ThreadPoolExecutor(many) as pool:  # arrow and numpy release the GIL
        try:
            for piece in pieces:
                waiting.append((piece, pool.submit(work, piece)))
                if len(waiting) > many:
                    first, result = waiting.popleft()
                    yield first, result.result()
            while waiting:
                first, result = waiting.popleft()
                yield first, result.result()
        finally:
            for _, unused in waiting:
                unused.cancel()


def spans(size: int, window: int) -> list[slice]:
    """Return slices of length at most `window` that cover range(size).

    >>> spans(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + window, size)) for start in range(0, size, window)]
