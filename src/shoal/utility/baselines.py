"""Baselines: the same number of random edits, and no links at all.

A release that is no nearer to the original than random edits of the same number spent them badly; one that is no nearer
than the empty graph has lost what the metric measures.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.anonymizers.perturbation_draws import perturbed
from shoal.data.graph import Graph, Ints
from shoal.data.names import Names
from shoal.utility.links import links_kept
from shoal.utility.network import Network

DRAWS = 3
"""Follows the seed where random edits are drawn."""
STREAM = 1_000
"""Where the streams of the draws begin; below are those of the original, the release and its samples."""


def without_links(original: Network) -> Network:
    """Return the original's vertices, and no link."""
    return Network(bare(original.graph), np.arange(original.n), original.seed, STREAM - 1)


def bare(graph: Graph) -> Graph:
    """Return a graph without its links."""
    return Graph.from_pairs(graph.names, [], [], attributes=graph.attributes)


def edits(original: Network, released: Network, drawn: bool) -> tuple[int, int]:
    """Return how many links were added and removed; all, where they were drawn anew."""
    kept = 0 if drawn else links_kept(original, released)
    return released.m - kept, original.m - kept


def random_edits(original: Network, released: Network, drawn: bool, repeats: int) -> Iterator[Network]:
    """Yield the original after as many additions and removals as the release has, drawn uniformly, several times.

    Where the release has vertices that are nobody's, so have these. Where all links were drawn anew, so are these: as
    many as the release has, between any two vertices.
    """
    found = min(original.n, released.n) if released.who is None else np.count_nonzero(released.who >= 0)
    base = padded(original.graph, released.n - int(found))
    base = bare(base) if drawn else base
    added, removed = edits(original, released, drawn)
    for i in range(repeats):
        rng = np.random.default_rng([original.seed, DRAWS, i])
        graph = perturbed(base, added, 0 if drawn else removed, rng)
        yield Network(graph, np.arange(original.n), original.seed, STREAM + i)


def padded(graph: Graph, strangers: int) -> Graph:
    """Return the graph with so many vertices more, which have no links and no values."""
    if not strangers:
        return graph
    rows: Ints = np.concatenate([np.arange(graph.n), np.full(strangers, -1)])
    indptr = np.concatenate([graph.indptr, np.full(strangers, graph.indptr[-1])])
    return Graph(Names(range(len(rows))), indptr, graph.indices, None, graph.attributes.take(rows))
