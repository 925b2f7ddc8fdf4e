"""Run compiled loops in threads, in pieces that report progress and can be interrupted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from shoal.progress import track
from shoal.settings import count_threads

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
