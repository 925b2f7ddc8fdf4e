"""Degrees: the numbers of links, by kind and direction, of a vertex and its neighbors inside their subgraph."""

from __future__ import annotations

from shoal.knowledge import Degrees
from shoal.relational.classes import group_multisets
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network
from shoal.relational.triangles import list_corners

WHAT = "degrees:1"


def group(net: Network, kind: Degrees) -> str:
    """Group vertices by the multiset of the degrees of the members of their ball.

    A member has its links to the center, and its links to every common neighbor of both.
    """
    corners = list_corners(net)
    vector = "sum(times)" if len(net.relations) < 2 else net.engine.bundle("relation", "CAST(times AS BIGINT)")
    members = net.keep(
        "members",
        f"""SELECT v, {vector} AS vector FROM (
                SELECT v, member, relation, sum(times) AS times FROM (
                    SELECT v, v AS member, relation, times FROM {net.entries}
                    UNION ALL SELECT w, v, relation, times FROM {net.entries}
                    UNION ALL SELECT c.v, c.member, e.relation, e.times
                        FROM {corners} c JOIN {net.entries} e ON e.v = c.member AND e.w = c.other)
                GROUP BY v, member, relation)
            GROUP BY v, member""",
        WHAT,
    )
    codes = group_multisets(net, members, ["vector"], WHAT)
    net.engine.drop(members)
    return codes


COUNTER = Counter("degrees:1", lambda kind: kind.radius != 1 or bool(kind.tolerance), group)
