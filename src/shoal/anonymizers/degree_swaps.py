"""Graphs built from the target degrees alone, and brought near the original afterwards (Liu & Terzi 2008).

ConstructGraph joins whoever lacks most links to the others who lack most (Havel and Hakimi). Priority takes over the
original's links first. Greedy-Swap begins with a graph that ignores them, and swaps the ends of two links wherever that
brings back one of the original's, or two.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymizers.degree_edits import Edits
from shoal.anonymizers.degree_groups import Targets
from shoal.anonymizers.degree_realization import finished
from shoal.anonymizers.method import generator
from shoal.data.graph import Graph, Ints
from shoal.engines.local.pool import announce_compilation
from shoal.progress import track

SAMPLE, PASSES = 16, 12
"""Neighbors looked at for a swap, and how often all of the original's links are gone through."""


def constructed(original: Graph, k: int, targets: Targets, *, priority: bool, seed: int) -> Edits:
    """Return edits of a graph without links: a graph with the target degrees, or near them, k-degree anonymous."""
    announce_compilation()
    from shoal.engines.local.kernels import degree_swaps as loops

    none = np.empty(0, dtype=np.int64)
    edits = Edits(Graph.from_pairs(original.names, none, none), k, generator(seed), near=False)
    edits.aim_at(_in_order(original, targets, seed))
    if priority:
        loops.link_known(edits.needy(1), original.indptr, original.indices, edits.need, edits.state())
    finished(edits, delete=False)
    _swap(original, edits)
    return edits


def _in_order(original: Graph, targets: Targets, seed: int) -> Ints:
    """Return the targets by vertex."""
    order = Edits(original, 1, generator(seed), near=False).by_degree()
    aim = np.empty(original.n, dtype=np.int64)
    aim[order] = targets.moved
    return aim


def _swap(original: Graph, edits: Edits) -> None:
    """Bring in links of the original until a pass finds none, or after some passes."""
    from shoal.engines.local.kernels import degree_swaps as loops

    a, b, _ = original.edges()
    known = edits.of(original)
    for done in range(PASSES):
        track("swapping towards the original", done, PASSES)
        order = edits.rng.permutation(len(a))
        if not loops.greedy_swaps(a[order], b[order], known, edits.state(), SAMPLE):
            break
