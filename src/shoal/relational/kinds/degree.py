"""Degree: the number of links, by kind and direction."""

from __future__ import annotations

from shoal.errors import BadParameter
from shoal.knowledge import Degree
from shoal.relational.classes import group_columns, group_multisets
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network

WHAT = "degree"


def group(net: Network, kind: Degree) -> str:
    """Group vertices by their numbers of links."""
    if kind.part in ("out", "in") and not net.directed:
        raise BadParameter(
            f"Degree: links must have a direction for 'part' {kind.part!r}. Got undirected links. Use degree or "
            "degree:total, or read the links as directed (directed=True, --directed)."
        )
    if not net.relations:
        return net.keep("codes", "SELECT v, near AS code FROM people", WHAT)
    if kind.part == "total":
        return group_columns(
            net,
            """(SELECT p.v, coalesce(e.links, 0) AS links FROM people p
                LEFT JOIN (SELECT v, sum(times) AS links FROM entries GROUP BY v) e ON e.v = p.v)""",
            ["links"],
            WHAT,
        )
    counted = [at for at, one in enumerate(net.relations) if kind.part in (None, one.direction)]
    return group_multisets(
        net,
        f"""(SELECT v, relation, sum(times) AS links FROM entries
            WHERE relation IN ({", ".join(map(str, counted))}) GROUP BY v, relation)""",
        ["relation", "links"],
        WHAT,
    )


COUNTER = Counter("degree[:out|in|total]", lambda kind: bool(kind.tolerance), group)
