"""What a release lost, in numbers of which 0 is no difference: the axis of a frontier.

:func:`rows` is the one place that says what is compared; :func:`lost` turns each row into a distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import numpy as np

from shoal.data.counterparts import Pair
from shoal.data.graph import Graph, Ints
from shoal.utility.compare import GROUPS, Scene
from shoal.utility.comparison import Measured, Metric, Row

CHANGED = "changed"
METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            CHANGED,
            "links that came or went and cells with another value, per link and cell of the original; "
            "1 is as many changes as there is data",
            "links", 0.0, None, "lower", True, "share",
        ),
        Metric(
            "links changed",
            "links that came or went, per link of the original; the empty network has 1, and more is possible",
            "links", 0.0, None, "lower", True, "share",
        ),
        Metric(
            "cells changed",
            "cells that have another value than in the original (a range or a mean is another value), per cell",
            "columns", 0.0, None, "lower", True, "share",
        ),
        *(metric for group in GROUPS for metric in group.metrics),
    )
}  # fmt: skip
"""What can be chosen as the axis, by name."""


def rows(pair: Pair) -> Iterator[Row]:
    """Yield what is compared, metric by metric; what needs to know who is who only where that is known."""
    original, released = pair.original, pair.released
    if pair.counterpart is not None:
        links = original.m or released.m
        cells = original.n * len(original.attributes)
        here = links_changed(original, released, pair.counterpart) if links else 0
        there = cells_changed(original, released, pair.counterpart) if cells else 0
        yield _row(CHANGED, None, (here + there) / max(1, original.m + cells))
        if links:
            yield _row("links changed", None, here / max(1, original.m))
        if cells:
            yield _row("cells changed", None, there / cells)
    yield from Scene(pair, [released], drawn=False, repeats=0, seed=0).comparison().rows


def lost(row: Row) -> float | None:
    """Return how far a row is from no difference: from the value before, or else from the best end of the range.

    None where that has no meaning: no number, or no best end.

    >>> lost(_row("transitivity", 0.5, 0.25)), lost(_row("links changed", None, 0.1))
    (0.25, 0.1)
    """
    metric, after = row.metric, row.after.value
    if row.before is not None:
        best: float | None = row.before.value
    elif metric.better == "higher":
        best = metric.high
    else:
        best = metric.low
    return None if best is None or not isfinite(after - best) else abs(after - best)


def losses(pair: Pair) -> dict[str, float]:
    """Return what is lost by the name of each metric that can be had."""
    return {row.metric.name: found for row in rows(pair) if (found := lost(row)) is not None}


def links_changed(original: Graph, released: Graph, who: Ints) -> int:
    """Count the edges that only one of both has, the vertex v of the original being `who[v]`, or -1 for nobody.

    >>> path, ring = (Graph.from_pairs("abc", [0, 1, 0][:q], [1, 2, 2][:q]) for q in (2, 3))
    >>> links_changed(path, ring, np.arange(3)), links_changed(path, ring, np.array([0, 1, -1]))
    (1, 3)
    """
    old, new = _numbered(original, who, released.n), _numbered(released, np.arange(released.n), released.n)
    _, i, j = np.intersect1d(old[0], new[0], assume_unique=True, return_indices=True)
    kept = int(np.minimum(old[1][i], new[1][j]).sum())
    return original.m + released.m - 2 * kept


def cells_changed(original: Graph, released: Graph, who: Ints) -> int:
    """Count the cells with another value than before; all of whoever was not released, and of whoever was added."""
    there = who >= 0
    added = released.n - int(there.sum())
    changed = 0
    for name, column in original.attributes.columns.items():
        if name not in released.attributes:
            changed += original.n
            continue
        codes = column.followed_by(released.attributes[name])
        other = codes[: original.n][there] != codes[original.n :][who[there]]
        changed += int(other.sum()) + int((~there).sum()) + added
    return changed


def _numbered(graph: Graph, who: Ints, n: int) -> tuple[Ints, Ints]:
    """Return a number per edge between two that are there, and how often it is there."""
    a, b, counts = graph.edges()
    a, b = who[a].astype(np.int64), who[b].astype(np.int64)
    there = (a >= 0) & (b >= 0)
    often = np.ones(len(a), dtype=np.int64) if counts is None else counts.astype(np.int64)
    return (np.minimum(a, b) * n + np.maximum(a, b))[there], often[there]


def _row(name: str, before: float | None, after: float) -> Row:
    known = None if before is None else Measured(before)
    return Row(METRICS[name], known, Measured(after), None, None)
