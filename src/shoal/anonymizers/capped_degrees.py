"""The fewest links to add so that one known entry of a row leaves k candidates, or the proof that none are enough.

Every vertex with a link needs k of them, and k others must lack the link to it: a degree from k to n - k (one's own
entry lacks it too). In the located reading the vertex itself is no candidate: k to n - 1 - k, or all n - 1. Which links
to add is a whole-number program, solved exactly.
"""

from __future__ import annotations

import numpy as np

from shoal.data.graph import Graph
from shoal.progress import track

LARGEST = 150
"""Vertices up to which it is tried: there is a variable for each missing link."""
NODES = 2_000
"""Branches after which it gives up, so that "none" is not proved."""


def fewest_additions(graph: Graph, k: int, *, located: bool) -> tuple[Graph | None, bool]:
    """Return the graph with the fewest links added, or None and whether that is proved.

    >>> from shoal.data.convert import as_graph
    >>> import networkx as nx
    >>> fewest_additions(as_graph(nx.path_graph(4)), 2, located=False)[0].m
    4
    >>> fewest_additions(as_graph(nx.complete_graph(3)), 2, located=False)
    (None, True)
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, diags_array, hstack, vstack

    track("choosing links to add", 0, 0)
    n, degree = graph.n, graph.degree.astype(np.float64)
    linked = graph.to_scipy().toarray() > 0
    u, v = np.nonzero(np.triu(~linked, 1))
    ends = csr_array((np.ones(2 * len(u)), (np.concatenate([u, v]), np.tile(np.arange(len(u)), 2))), shape=(n, len(u)))
    most = n - k - located
    one = diags_array(np.ones(n))
    # for each vertex: does it have links (y), and is it linked to all (z)
    low = hstack([ends, -k * one, 0 * one])  # degree + added >= k y
    high = hstack([ends, -most * one, -(n - 1 - most) * one])  # degree + added <= most y + (n - 1 - most) z
    whole = hstack([ends, 0 * one, -(n - 1) * one])  # degree + added >= (n - 1) z
    none = np.full(n, np.inf)
    rules = LinearConstraint(
        vstack([low, high, whole]), np.concatenate([-degree, -none, -degree]), np.concatenate([none, -degree, none])
    )
    yes = np.ones(len(u) + 2 * n)
    least = np.concatenate([np.zeros(len(u)), degree > 0, np.zeros(n)])
    yes[len(u) + n :] = located
    cost = np.concatenate([np.ones(len(u)), np.zeros(2 * n)])
    found = milp(cost, constraints=rules, integrality=np.ones_like(cost), bounds=Bounds(least, yes), options=_OPTIONS)
    track("choosing links to add", 1, 1)
    if found.x is None:
        return None, found.status == 2
    chosen = found.x[: len(u)] > 0.5
    a, b, _ = graph.edges()
    sources, targets = np.concatenate([a, u[chosen]]), np.concatenate([b, v[chosen]])
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes), True


_OPTIONS = {"node_limit": NODES, "mip_rel_gap": 0.0}
