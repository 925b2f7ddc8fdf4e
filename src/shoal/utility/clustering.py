"""Clustering: whether friends of friends are friends, and how often two vertices share two neighbors."""

from __future__ import annotations

import numpy as np

from shoal.utility.comparison import Metric
from shoal.utility.group import Values, alone
from shoal.utility.network import Network

GROUP = "clustering"
METRICS = (
    Metric(
        "transitivity",
        "The share of the pairs of friends of somebody who are friends themselves; 0 where nobody has two friends.",
        GROUP, 0, 1, "closer", unit="share",
    ),
    Metric(
        "local clustering",
        "The same share at each vertex, then the mean over all vertices; 0 at a vertex with fewer than two links.",
        GROUP, 0, 1, "closer", unit="share",
    ),
    Metric(
        "4-cycles",
        "How many rings of four links there are: twins who share neighbors make many.",
        GROUP, 0, None, "closer", unit="count",
    ),
)  # fmt: skip


def counted(network: Network) -> Values:
    """Count triangles and 4-cycles.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> counted(Network.of(as_graph(nx.complete_graph(4))))
    {'transitivity': 1.0, 'local clustering': 1.0, '4-cycles': 3}
    """
    paths = network.degree * (network.degree - 1) // 2
    whole = int(paths.sum())
    return {
        "transitivity": int(network.triangles.sum()) / whole if whole else 0.0,
        "local clustering": float((network.triangles / np.maximum(paths, 1)).mean()),
        "4-cycles": network.squares,
    }


CLUSTERING = alone(METRICS, counted)
