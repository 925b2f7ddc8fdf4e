"""Search: the points of the original around those of the release, found by compiled loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from shoal.engines.local.pool import announce_compilation, spread
from shoal.risk.linkage.columns import Points
from shoal.risk.linkage.probabilities import Floats, Ints

SLACK = 1e-12
"""More than the rounding of a distance can be, as a share of it: who is within it must be compared exactly."""
CELLS = 4_000_000
"""How many distances are held at once."""
PIECE = 32
"""How many records a thread measures at a time."""

Around = Callable[[int], tuple[Ints, Ints]]
"""From a record point to the points surely among its k nearest, and to those that may be; all others are not."""


def around(original: Points, release: Points, scale: Floats, k: int) -> Around:
    """Search the k nearest individuals of every record."""
    announce_compilation()
    if not len(scale):
        return _by_codes(original, release, k)
    complete = not original.codes.shape[1] and not any(np.isnan(side.numbers).any() for side in (original, release))
    starts, points, found = (_in_a_tree if complete else _by_sweeping)(original, release, 1 / scale, k)

    def of(q: int) -> tuple[Ints, Ints]:
        here, far = points[starts[q] : starts[q + 1]], found[starts[q] : starts[q + 1]]
        order = np.argsort(far, kind="stable")
        kth = far[order[np.searchsorted(np.cumsum(original.many[here[order]]), k)]]
        return here[far < kth * (1 - SLACK)], here[(far >= kth * (1 - SLACK)) & (far <= kth * (1 + SLACK))]

    return of


def _in_a_tree(original: Points, release: Points, inverse: Floats, k: int) -> tuple[Ints, Ints, Floats]:
    """Return the points within reach of each record, with their distances, where everything is a number."""
    from scipy.spatial import cKDTree

    x, y = original.numbers, release.numbers
    tree = cKDTree(x * inverse)
    kth = tree.query(y * inverse, k=[min(k, len(x))], p=1, workers=-1)[0][:, 0]
    # scaled before it is subtracted, a number is rounded by a share of itself and not of the difference
    widest = max(float(np.abs(side * inverse).sum(axis=1).max()) for side in (x, y))
    reach = kth * (1 + SLACK) + widest * SLACK
    lists = tree.query_ball_point(y * inverse, reach, p=1, workers=-1, return_sorted=False)
    counts = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    points = np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(counts.sum()))
    found = (np.abs(x[points] - np.repeat(y, counts, axis=0)) * inverse).sum(axis=1)
    return np.concatenate([[0], np.cumsum(counts)]), points, found


def _by_sweeping(original: Points, release: Points, inverse: Floats, k: int) -> tuple[Ints, Ints, Floats]:
    """Return the points within reach of each record, with their distances, whatever the columns are."""
    from shoal.engines.local.kernels import linkage as loops

    sweep = int(np.argmax([len(np.unique(column)) for column in original.numbers.T]))
    order = np.argsort(original.numbers[:, sweep], kind="stable")
    valid = int(np.count_nonzero(~np.isnan(original.numbers[:, sweep])))
    x, c, many = original.numbers[order], original.codes[order], original.many[order]
    y, d, kth = release.numbers, release.codes, np.empty(len(release.numbers))

    def search(first: int, last: int) -> None:
        loops.kth_smallest(first, last, x, c, many, valid, y, d, inverse, sweep, k, kth)

    def collect(first: int, last: int, counts: Ints) -> Any:
        return loops.within(first, last, x, c, valid, y, d, inverse, sweep, kth * (1 + SLACK), counts)

    spread(search, len(y), None, "searching the nearest")
    starts, (points, found) = _pieced(collect, len(y))
    return starts, order[points], found


def _by_codes(original: Points, release: Points, k: int) -> Around:
    from shoal.engines.local.kernels import linkage as loops

    columns, d = np.ascontiguousarray(original.codes.T.astype(np.int32)), release.codes.astype(np.int32)

    def collect(first: int, last: int, counts: Ints) -> Any:
        return (loops.fewest_disagreements(first, last, columns, original.many, d, k, counts),)

    starts, (points,) = _pieced(collect, len(d))
    return lambda q: (points[starts[q] : starts[q + 1]], points[:0])


def _pieced(collect: Callable[[int, int, Ints], Any], total: int) -> tuple[Ints, list[Any]]:
    """Collect lists of different length for range(total), piece by piece; return where each begins, and the lists."""
    counts = np.zeros(total, dtype=np.int64)
    pieces: dict[int, Any] = {}

    def piece(first: int, last: int) -> None:
        pieces[first] = collect(first, last, counts)

    spread(piece, total, None, "listing the nearest")
    joined = [np.concatenate(parts) for parts in zip(*(pieces[first] for first in sorted(pieces)), strict=True)]
    return np.concatenate([[0], np.cumsum(counts)]), joined


def softmax(original: Points, release: Points, scale: Floats, temperature: float) -> Iterator[Floats]:
    """Yield for each record, in its order, what an individual at each point gets of it."""
    announce_compilation()
    from shoal.engines.local.kernels import linkage as loops

    x, c, inverse = original.numbers, original.codes, 1 / scale

    def block(asked: Ints) -> Floats:
        out, y, d = np.empty((len(asked), len(x))), release.numbers[asked], release.codes[asked]

        def fill(first: int, last: int) -> None:
            loops.softmax(first, last, x, c, original.many, y, d, inverse, temperature, out)

        spread(fill, len(asked), None, "measuring distances", piece=PIECE)
        return out

    return in_blocks(release.of, len(x), block)


def in_blocks(of: Ints, width: int, block: Callable[[Ints], Any]) -> Iterator[Any]:
    """Yield a row of `width` cells for each record, computed for blocks of records; `of` tells their points."""
    for part in np.array_split(of, max(1, len(of) * width // CELLS)):
        asked, at = np.unique(part, return_inverse=True)
        rows = block(asked)
        yield from (rows[i] for i in at.tolist())
