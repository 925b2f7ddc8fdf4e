"""Triangles: three vertices that are all linked, each triangle once."""

from __future__ import annotations

from itertools import permutations

from shoal.relational.network import Network

WHAT = "triangles"


def list_triangles(net: Network) -> str:
    """Return a table (x, y, z, xy, xz, yz) of triangles, with the number of links of each pair.

    Each pair is oriented from the vertex with fewer neighbors (then from the lesser id) to the other, so few pairs
    begin at a hub. A triangle has one vertex x with two pairs that begin there, and one pair between their ends.
    """
    return net.keep_once("triangles", lambda: _join_pairs(net))


def _join_pairs(net: Network) -> str:
    pairs = net.keep(
        "pairs",
        f"""SELECT a.v AS x, a.w AS y, {net.total} AS links FROM arcs a
            JOIN people p ON p.v = a.v JOIN people q ON q.v = a.w
            WHERE p.near < q.near OR (p.near = q.near AND a.v < a.w)""",
        WHAT,
    )
    # In one query, an engine may join the pairs that end at one hub first, which are too many.
    paths = net.keep(
        "paths",
        f"SELECT p.x, p.y, q.y AS z, p.links AS xy, q.links AS yz FROM {pairs} p JOIN {pairs} q ON q.x = p.y",
        WHAT,
    )
    triangles = net.keep(
        "triangles",
        f"SELECT p.x, p.y, p.z, p.xy, r.links AS xz, p.yz FROM {paths} p JOIN {pairs} r ON r.x = p.x AND r.y = p.z",
        WHAT,
    )
    net.engine.drop(pairs, paths)
    return triangles


def list_corners(net: Network) -> str:
    """Return a table (v, member, other): each ordered pair of linked neighbors of each vertex."""

    def list_orders() -> str:
        triangles = list_triangles(net)
        orders = [
            f"SELECT {v} AS v, {member} AS member, {other} AS other FROM {triangles}"
            for v, member, other in permutations("xyz")
        ]
        return net.keep("corners", " UNION ALL ".join(orders), WHAT)

    return net.keep_once("corners", list_orders)
