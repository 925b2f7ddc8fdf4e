"""The one rule for k: from 1 to the number of individuals."""

from __future__ import annotations

from shoal.data.graph import Graph
from shoal.errors import must, whole


def checked_k(who: str, k: object, graph: Graph, what: str = "k") -> int:
    """Return k if it is a whole number from 1 to the number of vertices or records, or refuse it."""
    number = whole(k, who, what, least=1)
    must(number <= graph.n, who, what, f"at most the number of {graph.noun[1]}, {graph.n:,}", number)
    return number
