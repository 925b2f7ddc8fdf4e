"""Distances: how far vertices of the largest component are from each other, and how large it is."""

from __future__ import annotations

from math import sqrt

import numpy as np

from shoal.core.threads import announce_compilation
from shoal.data.graph import Ints
from shoal.utility.base import Lacking, Measured, Metric, Network, Value, Values, alone

GROUP = "distances"
EXACT = 2_000
"""Up to so many vertices in the largest component, all distances are counted; in a larger one, those from SOURCES."""
SOURCES = 256
AT_ONCE = 64
"""Sources in one run of the compiled loop: a bit each."""
METRICS = (
    Metric(
        "mean distance",
        "How many links apart two vertices of the largest component are, in the mean.",
        GROUP, 1, None, "closer",
    ),
    Metric(
        "largest component",
        "The share of the vertices that are in the largest component: distances are about these alone.",
        GROUP, 0, 1, "closer", unit="share",
    ),
)  # fmt: skip


def measured(network: Network) -> Values:
    """Measure the largest component."""
    sizes = np.bincount(network.components)
    return {"mean distance": mean_distance(network), "largest component": int(sizes.max()) / network.n}


def mean_distance(network: Network) -> Value:
    """Return the mean distance in the largest component; where several are largest, in all of them.

    From some vertices of a large one, drawn from the seed; the spread is the standard error of the mean.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> mean_distance(Network.of(as_graph(nx.star_graph(3))))
    Measured(value=1.5, spread=None)
    """
    sizes = np.bincount(network.components)
    size = int(sizes.max())
    if size == 1:
        return Lacking("no two vertices are connected")
    inside = np.flatnonzero(sizes[network.components] == size)
    if size <= EXACT:
        sums = distance_sums(network, inside)
        return Measured(int(sums.sum()) / (len(inside) * (size - 1)))
    sources = np.random.default_rng([network.seed, 1]).choice(inside, SOURCES, replace=False)
    means = distance_sums(network, sources) / (size - 1)
    left = 1 - len(sources) / len(inside)  # nothing is uncertain once every vertex is a source
    return Measured(float(means.mean()), float(means.std(ddof=1)) * sqrt(left / len(sources)))


def distance_sums(network: Network, sources: Ints) -> Ints:
    """Return for each source the sum of the distances to all that it reaches."""
    announce_compilation()
    from shoal.kernels.utility import distance_sums

    totals = np.zeros(len(sources), dtype=np.int64)
    for first in range(0, len(sources), AT_ONCE):
        last = first + AT_ONCE
        distance_sums(network.graph.indptr, network.graph.indices, sources[first:last], totals[first:last])
    return totals


DISTANCES = alone(METRICS, measured)
