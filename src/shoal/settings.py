"""Settings: the number of threads; and how reading and compiled loops run in them.

Set ``shoal.settings.threads = 2``, or the environment variable SHOAL_THREADS, to use fewer cores.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from shoal.errors import BadParameter, parse_whole, show_value, whole
from shoal.progress import track

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


# Compiled loops: they run in pieces that report progress and can be interrupted.

SMALLEST = 128
"""The fewest items per thread."""


def size_light_pieces(total: int) -> int:
    """Return the piece length for light loops, in which starting a thread costs as much as 10,000 items."""
    return max(16_384, -(-total // (4 * count_threads())))


def size_pieces_by_entries(total: int, entries: int) -> int:
    """Return the length of pieces that have about a hundred thousand entries each, of so many in all."""
    return max(SMALLEST, min(4_096, total * 100_000 // max(1, entries)))


def size_heavy_pieces(total: int) -> int:
    """Return the piece length for searches of very different duration.

    Each piece allocates memory for all vertices, so a large graph must not have too many pieces.
    """
    return max(64, -(-total // 128))


def run_in_pieces(
    loop: Callable[[int, int], Any],
    total: int,
    what: str,
    piece: int | None = None,
    *,
    describe: Callable[[], tuple[str, int, int]] | None = None,
    cancel: Callable[[], object] | None = None,
) -> None:
    """Call `loop(first, last)` for pieces that cover range(total).

    The loops release the GIL. On an interrupt, pieces that have not started are canceled. `describe` returns the
    progress, in place of `what` and the number of finished pieces. `cancel` is called on an interrupt and may ask
    running loops to end.
    """
    workers = count_threads()
    step = piece or max(SMALLEST, min(65_536, -(-total // (8 * workers))))
    starts = range(0, total, step)
    if len(starts) <= 1:
        if total:
            loop(0, total)
        return
    with ThreadPoolExecutor(workers) as pool:
        ended: SimpleQueue[Future[Any]] = SimpleQueue()
        done = 0
        try:
            for first in starts:
                pool.submit(loop, first, min(first + step, total)).add_done_callback(ended.put)
            while done < len(starts):
                with suppress(Empty):
                    ended.get(timeout=0.2).result()
                    done += 1
                track(*(describe() if describe else (what, done, len(starts))))
        except BaseException:
            if cancel:
                cancel()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
