"""Refinement: the degree, the degrees of the neighbors, and so on (H_i of Hay et al.)."""

from __future__ import annotations

from shoal.knowledge import Degree, Refinement
from shoal.relational.classes import group_multisets
from shoal.relational.kinds import degree
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network

WHAT = "refinement"


def group(net: Network, kind: Refinement) -> str:
    """Color vertices by degree; in each further round by their color and the colors of their neighbors."""
    if kind.rounds == 0:
        return net.keep("codes", "SELECT v, 0 AS code FROM people", WHAT)
    colors, done, classes = degree.group(net, Degree()), 1, 0
    while kind.rounds is None or done < kind.rounds:
        finer = _refine(net, colors)
        net.engine.drop(colors)
        colors, done = finer, done + 1
        if done == kind.rounds:
            break
        before, classes = classes, _count_classes(net, colors)
        if before == classes:  # nothing was split, so nothing will be
            break
    return colors


def _refine(net: Network, colors: str) -> str:
    """Split classes by the multiset, over the neighbors, of (how they are linked, their color).

    A vertex that is alone stays alone: only the others are signed.
    """
    shared = net.keep(
        "shared",
        f"SELECT v, code FROM {colors} WHERE code IN (SELECT code FROM {colors} GROUP BY code HAVING count(*) > 1)",
        WHAT,
    )
    near = "".join(f", a.{column}" for column in net.tie)
    split = group_multisets(
        net,
        f"(SELECT a.v, c.code AS color{near} FROM arcs a JOIN {colors} c ON c.v = a.w)",
        ["color", *net.tie],
        WHAT,
        base=shared,
    )
    finer = net.keep(
        "codes",
        f"""SELECT v, code FROM {split} UNION ALL
            SELECT c.v, c.v FROM {colors} c LEFT JOIN {shared} s ON s.v = c.v WHERE s.v IS NULL""",
        WHAT,
    )
    net.engine.drop(shared, split)
    return finer


def _count_classes(net: Network, colors: str) -> int:
    ((many,),) = net.engine.collect(f"SELECT count(DISTINCT code) FROM {colors}", WHAT)
    return int(many)


COUNTER = Counter("refinement[:ROUNDS]", group=group)
