"""Settings: how many threads work at once, and the same work on many pieces by a few threads, results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")

THREADS = min(4, os.cpu_count() or 1)
"""arrow and numpy let go of the interpreter while they work, so threads are enough."""


def in_order(work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Result]]:
    """Yield each piece with its result, in the order of the pieces, of which few are held at a time.

    >>> list(in_order(len, ["a", "bc"]))
    [('a', 1), ('bc', 2)]
    """
    waiting: deque[tuple[Piece, Future[Result]]] = deque()
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for piece in pieces:
                waiting.append((piece, pool.submit(work, piece)))
                if len(waiting) > THREADS:
                    first, result = waiting.popleft()
                    yield first, result.result()
            while waiting:
                first, result = waiting.popleft()
                yield first, result.result()
        finally:
            for _, unused in waiting:
                unused.cancel()


def spans(size: int, window: int) -> list[slice]:
    """Return slices of at most `window` that cover `size`.

    >>> spans(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + window, size)) for start in range(0, size, window)]
