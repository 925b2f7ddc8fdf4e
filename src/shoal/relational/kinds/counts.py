"""Counts: the numbers of vertices and links among a vertex and its neighbors."""

from __future__ import annotations

from shoal.knowledge import Counts
from shoal.relational.classes import group_columns
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network
from shoal.relational.triangles import list_triangles

WHAT = "counts:1"


def group(net: Network, kind: Counts) -> str:
    """Group vertices by their number of neighbors, and of links to and among them.

    Each triangle of a vertex is a linked pair among its neighbors, with all links of this pair.
    """
    triangles = list_triangles(net)
    return group_columns(
        net,
        f"""(SELECT p.v, p.near, coalesce(e.links, 0) AS links FROM people p LEFT JOIN (
                SELECT v, sum(links) AS links FROM (
                    SELECT v, {net.total} AS links FROM arcs
                    UNION ALL SELECT x, yz FROM {triangles}
                    UNION ALL SELECT y, xz FROM {triangles}
                    UNION ALL SELECT z, xy FROM {triangles}) GROUP BY v) e ON e.v = p.v)""",
        ["near", "links"],
        WHAT,
    )


COUNTER = Counter("counts:1", lambda kind: kind.radius != 1 or bool(kind.tolerance), group)
