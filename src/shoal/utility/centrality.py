"""Centrality: whether the vertices that matter most are the same ones, by PageRank.

Twins have the same PageRank, so that "the best t" is often no set. Whoever is tied at the last place gets a fraction of
it: a top set is a weight from 0 to 1 per vertex, and the weights add up to t. No order of ids enters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.utility.base import Group, Metric, Network, Values, alone

Floats = np.ndarray[Any, np.dtype[np.float64]]

DAMPING = 0.85
ROUNDS = 200
STEADY = 1e-10
"""The iteration ends where all changes together are below this."""
TIED = 1e-9
"""Ranks whose difference is a smaller share of them are the same number, but for rounding."""
CENTRALITY_METRICS = (
    Metric(
        "PageRank top 1 %",
        "The share of the most central vertices, one in a hundred, that are still among them; who is tied for the last "
        "place counts by a fraction.",
        "centrality", 0, 1, "higher", True, "share",
    ),
)  # fmt: skip


def compare_centrality(before: Network, after: Network) -> Values:
    """Return how much of the top set of the original is in that of the other graph."""
    if after.who is None:
        return {}
    many = -(-before.n // 100)
    here = after.who >= 0
    old, new = (top(network.once("pagerank", pagerank), many) for network in (before, after))
    return {CENTRALITY_METRICS[0].name: float(np.minimum(old[here], new[after.who[here]]).sum()) / many}


def pagerank(network: Network) -> Floats:
    """Return the PageRank of each vertex; who has no links passes what it has on to everybody alike.

    All vertices change at once, from equal ranks on, so that vertices with the same neighbors are equal in every bit.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> pagerank(Network.of(as_graph(nx.star_graph(2)))).round(3).tolist()
    [0.486, 0.257, 0.257]
    """
    links = network.graph.to_scipy().astype(np.float64)
    out = np.maximum(network.degree, 1)
    idle = network.degree == 0
    rank: Floats = np.full(network.n, 1 / network.n)
    for _ in range(ROUNDS):
        passed = links @ (rank / out)
        fresh = (1 - DAMPING) / network.n + DAMPING * (passed + rank[idle].sum() / network.n)
        change, rank = float(np.abs(fresh - rank).sum()), fresh
        if change < STEADY:
            break
    return rank


def top(rank: Floats, many: int) -> Floats:
    """Return the top set as weights: 1 above the last place, an equal fraction for all who are tied for it.

    >>> top(np.array([0.4, 0.2, 0.2, 0.2]), 2).round(3).tolist()
    [1.0, 0.333, 0.333, 0.333]
    """
    many = min(many, len(rank))
    last = np.partition(rank, len(rank) - many)[len(rank) - many]
    tied = np.abs(rank - last) <= TIED * last
    above = (rank > last) & ~tied
    weights: Floats = above.astype(np.float64)
    weights[tied] = (many - np.count_nonzero(above)) / np.count_nonzero(tied)
    return weights


CENTRALITY = Group(CENTRALITY_METRICS, lambda _: {}, compare_centrality)


# Spectrum: the largest eigenvalue of the adjacency matrix.

DENSE = 100
"""Up to so many vertices the whole matrix is taken apart."""
CLOSE = 1e-7
"""How exact an eigenvector is; its eigenvalue is more so."""
SPECTRUM_METRICS = (
    Metric(
        "lambda1",
        "The largest eigenvalue of the adjacency matrix: how easily something spreads along the links.",
        "spectrum", 0, None, "closer",
    ),
)  # fmt: skip


def measure_spectrum(network: Network) -> Values:
    """Return the largest eigenvalue."""
    return {SPECTRUM_METRICS[0].name: largest_eigenvalue(network) if network.m else 0.0}


def largest_eigenvalue(network: Network) -> float:
    """Return the largest eigenvalue, by Lanczos' method from a fixed vector on where the graph is not small.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> round(largest_eigenvalue(Network.of(as_graph(nx.star_graph(4)))), 9)
    2.0
    """
    matrix = network.graph.to_scipy().astype(np.float64)
    if network.n <= DENSE:
        return float(np.linalg.eigvalsh(matrix.toarray())[-1])
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    start = np.random.default_rng(1).uniform(0.5, 1.5, network.n) * (1 + network.degree)
    try:
        return float(eigsh(matrix, k=1, which="LA", v0=start, tol=CLOSE, return_eigenvectors=False)[0])
    except ArpackNoConvergence:
        return float(eigsh(matrix, k=1, which="LA", v0=start, ncv=min(network.n, 100), return_eigenvectors=False)[0])


SPECTRUM = alone(SPECTRUM_METRICS, measure_spectrum)
