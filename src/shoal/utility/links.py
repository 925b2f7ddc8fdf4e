"""Links: how many there are, and which of them the original has too."""

from __future__ import annotations

import numpy as np

from shoal.data.counterparts import Pair
from shoal.utility.comparison import Metric
from shoal.utility.group import Group, Lacking, Value, Values
from shoal.utility.network import Network

GROUP = "links"
SPLIT = ("edges kept", "edges added", "edges removed", "edit ratio")
"""What has no meaning where all links were drawn anew."""
METRICS = (
    Metric("vertices", "How many vertices there are.", GROUP, 1, None, "closer", unit="count"),
    Metric("edges", "How many pairs of vertices are linked.", GROUP, 0, None, "closer", unit="count"),
    Metric("edges kept", "How many links are in both.", GROUP, 0, None, "higher", True, "count"),
    Metric(
        "edges added", "How many links only the release has: they are not true.", GROUP, 0, None, "lower", True, "count"
    ),
    Metric("edges removed", "How many links only the original has.", GROUP, 0, None, "lower", True, "count"),
    Metric(
        "edit ratio",
        "Links added and removed, per link of the original: 0 is no change.",
        GROUP,
        0,
        None,
        "lower",
        True,
    ),
    Metric("without links", "The share of the vertices that have no link at all.", GROUP, 0, 1, "closer", unit="share"),
)


def counted(network: Network) -> Values:
    """Count vertices and links."""
    alone = np.count_nonzero(network.degree == 0) / network.n
    return {"vertices": network.n, "edges": network.m, "without links": float(alone)}


def compared(before: Network, after: Network) -> Values:
    """Split the links into those of both, and those of one alone."""
    if after.who is None:
        return counted(after)
    kept = links_kept(before, after)
    added, removed = after.m - kept, before.m - kept
    ratio: Value = (added + removed) / before.m if before.m else Lacking("the original has no links")
    return {**counted(after), **dict(zip(SPLIT, (kept, added, removed, ratio), strict=True))}


def links_kept(before: Network, after: Network) -> int:
    """Count the links of the original whose ends are linked in the other graph."""
    return int(Pair(before.graph, after.graph, after.who, "name").kept.sum())


LINKS = Group(METRICS, counted, compared)
