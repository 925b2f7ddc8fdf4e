"""Hubs: the distances to the best-connected vertices (Hay et al.)."""

from __future__ import annotations

from shoal.errors import BadParameter, must
from shoal.knowledge import Hubs
from shoal.relational.classes import group_multisets
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network

WHAT = "hubs"
MOST = 2_000_000_000
"""The most distances: hubs times vertices."""
MOST_PAIRS = 2_000_000_000
"""The most comparisons of two fingerprints in an open world."""


def group(net: Network, kind: Hubs) -> str:
    """Group vertices by their distances; in a closed world an absent hub is known to be absent."""
    far = _measure(net, kind)
    codes = group_multisets(net, far, ["way", "hub", "far"], WHAT)
    net.engine.drop(far)
    return codes


def count(net: Network, kind: Hubs) -> str:
    """Count, for each fingerprint, the vertices whose fingerprint has all its entries: the open world.

    Equal fingerprints are compared once, by the least vertex that has them.
    """
    far = _measure(net, kind)
    codes = group_multisets(net, far, ["way", "hub", "far"], WHAT)
    prints = net.keep("prints", f"SELECT * FROM {far} WHERE v IN (SELECT code FROM {codes})", WHAT)
    ((pairs,),) = net.engine.collect(
        f"SELECT coalesce(sum(many * many), 0) FROM (SELECT count(*) AS many FROM {prints} GROUP BY way, hub, far)",
        WHAT,
    )
    must(
        pairs <= MOST_PAIRS,
        "Hubs",
        "hubs",
        "fewer in an open world, where fingerprints are compared in pairs",
        kind.hubs,
    )
    classes = net.keep("classes", f"SELECT code, count(*) AS many FROM {codes} GROUP BY code", WHAT)
    sizes = net.keep(
        "sizes",
        f"""SELECT c.v, coalesce(s.candidates, {net.n}) AS candidates, TRUE AS exact
            FROM {codes} c LEFT JOIN (
                SELECT f.code, CAST(sum(k.many) AS BIGINT) AS candidates FROM (
                    SELECT a.v AS code, b.v AS other, count(*) AS same FROM {prints} a
                    JOIN {prints} b ON b.way = a.way AND b.hub = a.hub AND b.far = a.far GROUP BY a.v, b.v) f
                JOIN (SELECT v, count(*) AS entries FROM {prints} GROUP BY v) e ON e.v = f.code AND e.entries = f.same
                JOIN {classes} k ON k.code = f.other GROUP BY f.code) s ON s.code = c.code""",
        WHAT,
    )
    net.engine.drop(far, codes, prints, classes)
    return sizes


def _measure(net: Network, kind: Hubs) -> str:
    """Return a table (way, hub, v, far): all distances that are known, by breadth-first search from every hub.

    Where links have a direction, way 0 is from the hub to the vertex, and way 1 from the vertex to the hub.
    """
    hubs = _choose(net, kind)
    ways = ("out", "in") if net.directed else (None,)
    starts = " UNION ALL ".join(f"SELECT {way} AS way, v AS hub, v, 0 AS far FROM {hubs}" for way in range(len(ways)))
    reached = net.keep("reached", starts, WHAT)
    front, steps = net.keep("front", f"SELECT way, hub, v FROM {reached}", WHAT), _list_steps(net, ways)
    far = 0
    while kind.reach is None or far < kind.reach:
        far += 1
        ahead = net.keep(
            "front",
            f"""SELECT n.way, n.hub, n.v FROM (
                    SELECT DISTINCT f.way, f.hub, s.w AS v
                    FROM {front} f JOIN {steps} s ON s.way = f.way AND s.v = f.v) n
                LEFT JOIN {reached} r ON r.way = n.way AND r.hub = n.hub AND r.v = n.v WHERE r.v IS NULL""",
            WHAT,
        )
        ((new,),) = net.engine.collect(f"SELECT count(*) FROM {ahead}", WHAT)
        net.engine.drop(front)
        front = ahead
        if not new:
            break
        wider = net.keep(
            "reached",
            f"SELECT * FROM {reached} UNION ALL SELECT way, hub, v, {far} FROM {front}",
            WHAT,
        )
        net.engine.drop(reached)
        reached = wider
    net.engine.drop(front, hubs)
    return reached


def _choose(net: Network, kind: Hubs) -> str:
    """Keep the vertices whose number of links is at least the h-th highest."""
    must(int(str(kind.hubs)) <= net.n, "Hubs", "hubs", f"at most the number of vertices, {net.n:,}", kind.hubs)
    totals = net.keep(
        "totals",
        f"""SELECT p.v, coalesce(e.links, 0) AS links FROM people p
            LEFT JOIN (SELECT v, sum({net.total}) AS links FROM arcs GROUP BY v) e ON e.v = p.v""",
        WHAT,
    )
    ((least,),) = net.engine.collect(
        f"SELECT min(links) FROM (SELECT links FROM {totals} ORDER BY links DESC LIMIT {kind.hubs})", WHAT
    )
    hubs = net.keep("hubs", f"SELECT v FROM {totals} WHERE links >= {least}", WHAT)
    net.engine.drop(totals)
    ((many,),) = net.engine.collect(f"SELECT count(*) FROM {hubs}", WHAT)
    if many * net.n * (2 if net.directed else 1) > MOST:
        raise BadParameter(
            f"Hubs: the hubs must be fewer here, because each is searched from. Got {many:,} hubs with at least "
            f"{least:,} links, and {net.n:,} vertices. Choose another number of hubs, or count in memory."
        )
    return hubs


def _list_steps(net: Network, ways: tuple[str | None, ...]) -> str:
    """Return what a query selects from to read where one step leads: (way, v, w).

    Links without direction lead both ways.
    """
    if len(ways) == 1:
        return "(SELECT 0 AS way, v, w FROM arcs)"

    def list_steps() -> str:
        queries = []
        for at, way in enumerate(ways):
            kept = [str(r) for r, one in enumerate(net.relations) if one.direction in (way, "both")]
            queries.append(f"SELECT DISTINCT {at} AS way, v, w FROM entries WHERE relation IN ({', '.join(kept)})")
        return net.keep("steps", " UNION ALL ".join(queries), WHAT)

    return net.keep_once("steps", list_steps)


COUNTER = Counter("hubs:COUNT[:REACH]", lambda kind: not isinstance(kind.hubs, int) or kind.world == "open", group)
OPEN = Counter(
    "hubs:COUNT:REACH:open", lambda kind: not isinstance(kind.hubs, int) or kind.world != "open", count=count
)
