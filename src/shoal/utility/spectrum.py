"""Spectrum: the largest eigenvalue of the adjacency matrix."""

from __future__ import annotations

import numpy as np

from shoal.utility.comparison import Metric
from shoal.utility.group import Values, alone
from shoal.utility.network import Network

DENSE = 100
"""Up to so many vertices the whole matrix is taken apart."""
CLOSE = 1e-7
"""How exact an eigenvector is; its eigenvalue is more so."""
METRICS = (
    Metric(
        "lambda1",
        "The largest eigenvalue of the adjacency matrix: how easily something spreads along the links.",
        "spectrum", 0, None, "closer",
    ),
)  # fmt: skip


def measured(network: Network) -> Values:
    """Return the largest eigenvalue."""
    return {METRICS[0].name: largest_eigenvalue(network) if network.m else 0.0}


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


SPECTRUM = alone(METRICS, measured)
