"""Degrees: how many links vertices have, and whether those with many are linked to each other."""

from __future__ import annotations

import numpy as np

from shoal.data.utility import distance
from shoal.utility.comparison import Metric
from shoal.utility.group import Group, Lacking, Value, Values
from shoal.utility.network import Network

GROUP = "degrees"
METRICS = (
    Metric(
        "degree distance",
        "By how much the share of vertices with at most d links differs, for the worst d (Kolmogorov-Smirnov).",
        GROUP, 0, 1, "lower", unit="share",
    ),
    Metric("largest degree", "How many links the best connected vertex has.", GROUP, 0, None, "closer", unit="count"),
    Metric(
        "degree assortativity",
        "Whether well connected vertices are linked to each other (1) or to badly connected ones (-1).",
        GROUP, -1, 1, "closer",
    ),
)  # fmt: skip


def counted(network: Network) -> Values:
    """Measure the degrees of one graph."""
    return {"largest degree": int(network.degree.max()), "degree assortativity": assortativity(network)}


def compared(before: Network, after: Network) -> Values:
    """Measure the degrees of a graph, and how far they are from those of the original."""
    return {**counted(after), "degree distance": distance(before.degree, after.degree)}


def assortativity(network: Network) -> Value:
    """Return the correlation of the degrees at the two ends of a link (Newman 2002).

    In whole numbers until the last step, so that a graph whose linked vertices all have one degree is told exactly.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> assortativity(Network.of(as_graph(nx.star_graph(3)))), assortativity(Network.of(as_graph(nx.cycle_graph(5))))
    (-1.0, Lacking(why='all vertices with links have equally many'))
    """
    if not network.m:
        return Lacking("there are no links")
    d = [int(many) for many in np.bincount(network.degree)]
    ends = sum(x * many for x, many in enumerate(d))
    first, second = (sum(x**power * many for x, many in enumerate(d)) for power in (2, 3))
    a, b, _ = network.graph.edges()
    product = 2 * int((network.degree[a] * network.degree[b]).sum())
    spread = second * ends - first * first
    return (product * ends - first * first) / spread if spread else Lacking("all vertices with links have equally many")


DEGREES = Group(METRICS, counted, compared)
