"""Clustering: whether friends of friends are friends, and how often two vertices share two neighbors."""

from __future__ import annotations

import numpy as np

from shoal.utility.base import Group, Metric, Network, Values, alone, kolmogorov_smirnov

CLUSTERING_GROUP = "clustering"
CLUSTERING_METRICS = (
    Metric(
        "transitivity",
        "The share of the pairs of friends of somebody who are friends themselves; 0 where nobody has two friends.",
        CLUSTERING_GROUP, 0, 1, "closer", unit="share",
    ),
    Metric(
        "local clustering",
        "The same share at each vertex, then the mean over all vertices; 0 at a vertex with fewer than two links.",
        CLUSTERING_GROUP, 0, 1, "closer", unit="share",
    ),
    Metric(
        "4-cycles",
        "How many rings of four links there are: twins who share neighbors make many.",
        CLUSTERING_GROUP, 0, None, "closer", unit="count",
    ),
)  # fmt: skip


def measure_clustering(network: Network) -> Values:
    """Count triangles and 4-cycles.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> measure_clustering(Network.of(as_graph(nx.complete_graph(4))))
    {'transitivity': 1.0, 'local clustering': 1.0, '4-cycles': 3}
    """
    paths = network.degree * (network.degree - 1) // 2
    whole = int(paths.sum())
    return {
        "transitivity": int(network.triangles.sum()) / whole if whole else 0.0,
        "local clustering": float((network.triangles / np.maximum(paths, 1)).mean()),
        "4-cycles": network.squares,
    }


CLUSTERING = alone(CLUSTERING_METRICS, measure_clustering)


# Cores: how deep vertices are inside the network.

CORE_GROUP = "cores"
CORE_METRICS = (
    Metric(
        "largest core",
        "The largest c for which some vertices have c links or more among themselves.",
        CORE_GROUP, 0, None, "closer", unit="count",
    ),
    Metric(
        "core distance",
        "By how much the share of vertices with a core number of at most c differs, for the worst c "
        "(Kolmogorov-Smirnov).",
        CORE_GROUP, 0, 1, "lower", unit="share",
    ),
    Metric(
        "core number kept",
        "The share of the original's vertices whose core number is what it was.",
        CORE_GROUP, 0, 1, "higher", True, "share",
    ),
)  # fmt: skip


def measure_cores(network: Network) -> Values:
    """Return the largest core number."""
    return {"largest core": int(network.cores.max())}


def compare_cores(before: Network, after: Network) -> Values:
    """Compare core numbers, those of each vertex where it is known who is who."""
    found = {**measure_cores(after), "core distance": kolmogorov_smirnov(before.cores, after.cores)}
    if after.who is None:
        return found
    here = after.who >= 0
    same = np.count_nonzero(before.cores[here] == after.cores[after.who[here]])
    return {**found, "core number kept": float(same / before.n)}


CORES = Group(CORE_METRICS, measure_cores, compare_cores)
