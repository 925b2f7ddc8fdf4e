"""Links: how many there are, and which of them the original has too."""

from __future__ import annotations

import numpy as np

from shoal.core.edge_diff import edge_difference
from shoal.utility.base import Group, Lacking, Metric, Network, Value, Values, kolmogorov_smirnov

LINK_GROUP = "links"
SPLIT = ("edges kept", "edges added", "edges removed", "edit ratio")
"""What has no meaning where all links were drawn anew."""
LINK_METRICS = (
    Metric("vertices", "How many vertices there are.", LINK_GROUP, 1, None, "closer", unit="count"),
    Metric("edges", "How many pairs of vertices are linked.", LINK_GROUP, 0, None, "closer", unit="count"),
    Metric("edges kept", "How many links are in both.", LINK_GROUP, 0, None, "higher", True, "count"),
    Metric(
        "edges added",
        "How many links only the release has: they are not true.",
        LINK_GROUP,
        0,
        None,
        "lower",
        True,
        "count",
    ),
    Metric("edges removed", "How many links only the original has.", LINK_GROUP, 0, None, "lower", True, "count"),
    Metric(
        "edit ratio",
        "Links added and removed, per link of the original: 0 is no change.",
        LINK_GROUP,
        0,
        None,
        "lower",
        True,
    ),
    Metric(
        "without links", "The share of the vertices that have no link at all.", LINK_GROUP, 0, 1, "closer", unit="share"
    ),
)


def count_links(network: Network) -> Values:
    """Count vertices and links."""
    alone = np.count_nonzero(network.degree == 0) / network.n
    return {"vertices": network.n, "edges": network.m, "without links": float(alone)}


def compare_links(before: Network, after: Network) -> Values:
    """Split the links into those of both, and those of one alone."""
    if after.who is None:
        return count_links(after)
    kept = links_kept(before, after)
    added, removed = after.m - kept, before.m - kept
    ratio: Value = (added + removed) / before.m if before.m else Lacking("the original has no links")
    return {**count_links(after), **dict(zip(SPLIT, (kept, added, removed, ratio), strict=True))}


def links_kept(before: Network, after: Network) -> int:
    """Count the links of the original whose ends are linked in the other graph."""
    assert after.who is not None
    return edge_difference(before.graph, after.graph, after.who).both


LINKS = Group(LINK_METRICS, count_links, compare_links)


# Degrees: how many links vertices have, and whether those with many are linked to each other.

DEGREE_GROUP = "degrees"
DEGREE_METRICS = (
    Metric(
        "degree distance",
        "By how much the share of vertices with at most d links differs, for the worst d (Kolmogorov-Smirnov).",
        DEGREE_GROUP, 0, 1, "lower", unit="share",
    ),
    Metric(
        "largest degree", "How many links the best connected vertex has.",
        DEGREE_GROUP, 0, None, "closer", unit="count",
    ),
    Metric(
        "degree assortativity",
        "Whether well connected vertices are linked to each other (1) or to badly connected ones (-1).",
        DEGREE_GROUP, -1, 1, "closer",
    ),
)  # fmt: skip


def count_degrees(network: Network) -> Values:
    """Measure the degrees of one graph."""
    return {"largest degree": int(network.degree.max()), "degree assortativity": assortativity(network)}


def compare_degrees(before: Network, after: Network) -> Values:
    """Measure the degrees of a graph, and how far they are from those of the original."""
    return {**count_degrees(after), "degree distance": kolmogorov_smirnov(before.degree, after.degree)}


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


DEGREES = Group(DEGREE_METRICS, count_degrees, compare_degrees)
