"""Metrics of changes: links and cells of a release that differ from the original."""

from __future__ import annotations

from shoal.core.edge_diff import find_edge_difference
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_linked
from shoal.utility.base import Metric

CHANGED = Metric(
    "changed", "Number of links and cells that changed, per link and cell of the original.",
    "links", 0.0, None, "lower", True, "share", title="links and cells changed",
    note="1 is as many changes as the original has links and cells.",
)  # fmt: skip
LINKS_CHANGED = Metric(
    "links changed", "Number of links added and removed, per link of the original.",
    "links", 0.0, None, "lower", True, "share", note="A network without links has 1. More than 1 is possible.",
)  # fmt: skip
CELLS_CHANGED = Metric(
    "cells changed", "Share of the cells that have another value than in the original.",
    "columns", 0.0, None, "lower", True, "share", note="A range or a mean in place of a value is another value.",
)  # fmt: skip
CHANGE_METRICS = (CHANGED, LINKS_CHANGED, CELLS_CHANGED)


def measure_changes(original: Dataset, released: Dataset, who: Ints) -> dict[str, float]:
    """Count the links and cells that changed. `who` holds the released id of each original vertex, -1 for none.

    >>> from shoal.data.table import Table
    >>> import numpy as np
    >>> before, after = Table.of({"age": [30, 41]}), Table.of({"age": [30, 40]})
    >>> measure_changes(before, after, np.arange(2))
    {'changed': 0.5, 'cells changed': 0.5}
    """
    links, cells = original.m or released.m, original.n * len(original.attributes)
    here = find_edge_difference(as_linked(original), as_linked(released), who).edits if links else 0
    there = count_changed_cells(original, released, who) if cells else 0
    return {
        CHANGED.name: (here + there) / max(1, original.m + cells),
        **({LINKS_CHANGED.name: here / max(1, original.m)} if links else {}),
        **({CELLS_CHANGED.name: there / cells} if cells else {}),
    }


def count_changed_cells(original: Dataset, released: Dataset, who: Ints) -> int:
    """Count the cells with another value than before. All cells of vertices that were removed or added count."""
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
