"""Adjacency: all neighbors by name, with all their links. Rows of entries are equal."""

from __future__ import annotations

from shoal.knowledge import Adjacency
from shoal.relational.classes import group_multisets
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network


def group(net: Network, kind: Adjacency | None = None) -> str:
    """Group vertices with equal rows."""
    return group_multisets(net, "arcs", ["w", *net.tie], "adjacency")


COUNTER = Counter("adjacency", group=group)
