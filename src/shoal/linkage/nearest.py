"""Nearest points of the original for each record of the release, by compiled loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from shoal.core.threads import announce_compilation, run_in_pieces
from shoal.data.arrays import Floats, Ints
from shoal.linkage.columns import RecordPoints

SLACK = 1e-12
"""More than the rounding of a distance can be, as a share of it: who is within it must be compared exactly."""
CELLS = 4_000_000
"""How many distances are held at once."""
PIECE = 32
"""How many records a thread measures at a time."""

Around = Callable[[int], tuple[Ints, Ints]]
"""From a record point to the points surely among its k nearest, and to those that may be; all others are not."""


def find_around(original: RecordPoints, release: RecordPoints, scale: Floats, k: int) -> Around:
    """Search the k nearest individuals of every record."""
    with np.errstate(over="ignore"):
        placed = all(np.isfinite(side.numbers / scale).all() for side in (original, release))
    search = _search_one_by_one if original.codes.shape[1] or not placed else _search_tree
    starts, points, found = search(original, release, 1 / scale, k)

    def of(q: int) -> tuple[Ints, Ints]:
        here, far = points[starts[q] : starts[q + 1]], found[starts[q] : starts[q + 1]]
        order = np.argsort(far, kind="stable")
        kth = far[order[np.searchsorted(np.cumsum(original.many[here[order]]), k)]]
        return here[far < kth * (1 - SLACK)], here[(far >= kth * (1 - SLACK)) & (far <= kth * (1 + SLACK))]

    return of


def _search_tree(original: RecordPoints, release: RecordPoints, inverse: Floats, k: int) -> tuple[Ints, Ints, Floats]:
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


def _search_one_by_one(
    original: RecordPoints, release: RecordPoints, inverse: Floats, k: int
) -> tuple[Ints, Ints, Floats]:
    """Return the points within reach of each record, with their distances, whatever the columns are."""
    announce_compilation()
    from shoal.linkage._kernels import comparisons as loops

    total = len(release.many)
    counts, pieces = np.zeros(total, dtype=np.int64), {}

    def piece(first: int, last: int) -> None:
        sides = (*original.lines, original.many, release.numbers, release.codes)
        pieces[first] = loops.nearest(first, last, *sides, inverse, k, 1 + SLACK, counts)

    run_in_pieces(piece, total, "searching the nearest")
    points, found = (np.concatenate(parts) for parts in zip(*(pieces[i] for i in sorted(pieces)), strict=True))
    return np.concatenate([[0], np.cumsum(counts)]), points, found


def compute_softmax(
    original: RecordPoints, release: RecordPoints, scale: Floats, temperature: float
) -> Iterator[Floats]:
    """Yield for each record, in its order, what an individual at each point gets of it."""
    announce_compilation()
    from shoal.linkage._kernels import comparisons as loops

    (x, c), inverse, many = original.lines, 1 / scale, original.many.astype(np.float64)

    def block(asked: Ints) -> Floats:
        out, y, d = np.empty((len(asked), len(many))), release.numbers[asked], release.codes[asked]

        def fill(first: int, last: int) -> None:
            loops.distances(first, last, x, c, y, d, inverse, out)
            for row in out[first:last]:  # one by one: the rounding of equal records must not depend on the block
                np.exp((row.min() - row) / temperature, out=row)
                np.divide(row, (row * many).sum(), out=row)

        run_in_pieces(fill, len(asked), "measuring distances", piece=PIECE)
        return out

    return fill_blocks(release.of, len(many), block)


def fill_blocks(of: Ints, width: int, block: Callable[[Ints], Any]) -> Iterator[Any]:
    """Yield a row of `width` cells for each record, computed for blocks of records; `of` tells their points."""
    for part in np.array_split(of, max(1, len(of) * width // CELLS)):
        asked, at = np.unique(part, return_inverse=True)
        rows = block(asked)
        yield from (rows[i] for i in at.tolist())
