"""Knots: where neighborhoods overlap too much to be repaired one by one, a whole set is made to turn around.

A set W is closed if nobody outside is linked to two of it: then links inside W are seen by W alone, and what a member
of W sees outside are components of their own. Inside, whole orbits are linked
(:mod:`shoal.anonymizers.neighborhood_orbits`); then each row gets the components that any of its members sees outside,
drawn in from far away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from shoal.anonymizers.neighborhood_orbits import around
from shoal.anonymizers.neighborhood_rounds import Rounds
from shoal.anonymizers.neighborhood_shapes import Shapes

MESSY = 3
"""Components with more vertices that are not complete belong to a knot, and are not drawn in for others."""
AGAIN = 8
"""How often a knot is grown by those who are below k after it was turned."""
WIDE = 0.5
"""Knots of a larger share of all vertices are left to :func:`turned` on everybody."""
TRIES, DEAR = 8, 20


def untied(rounds: Rounds, seed: int) -> bool:
    """Turn the knots around those below k, and repair what that broke; tell whether all have k.

    Where some are below k afterwards, all is taken back, and they are made part of the knots.
    """
    shapes = rounds.shapes
    length, hard = len(rounds.log), set(shapes.short())
    for turn in range(AGAIN):
        knot = padded(shapes, closed(shapes, seeds(shapes, hard)))
        if knot is None or len(knot) > WIDE * shapes.n:
            return False
        turned(rounds, knot, seed + turn)
        rounds.passes(TRIES, DEAR)
        if not shapes.below:
            return True
        hard |= set(shapes.short())
        rounds.revert(length)
    return False


def seeds(shapes: Shapes, hard: Iterable[int]) -> set[int]:
    """Return vertices with those of their neighbors that no others can have drawn in."""
    found = set(hard)
    for v in sorted(found):
        for part, inner in shapes.parts(v):
            if len(part) > MESSY and any(len(inner[u]) < len(part) - 1 for u in part):
                found.update(part)
    return found


def closed(shapes: Shapes, start: set[int]) -> set[int]:
    """Return the smallest set around `start` such that nobody outside is linked to two of it."""
    own: set[int] = set()
    links: Counter[int] = Counter()
    todo = sorted(start)
    while todo:
        x = todo.pop()
        if x not in own:
            own.add(x)
            links.update(shapes.near[x])
            todo += [y for y in shapes.near[x] if links[y] > 1 and y not in own]
    return own


def padded(shapes: Shapes, knot: set[int]) -> set[int] | None:
    """Return a closed set with vertices from far away, so that each label is there a multiple of k times.

    None where there are not enough.
    """
    knot, k = set(knot), shapes.k
    there = Counter(shapes.label[v] for v in knot)
    lacking = {label: -many % k for label, many in there.items()}
    touched = knot.union(*(shapes.near[x] for x in knot))
    for v in sorted(range(shapes.n), key=lambda v: (int(shapes.degree[v]), v)):
        if lacking.get(shapes.label[v], 0) and v not in touched and shapes.near[v].isdisjoint(touched):
            lacking[shapes.label[v]] -= 1
            knot.add(v)
            touched |= shapes.near[v] | {v}
    return None if any(lacking.values()) else knot


def turned(rounds: Rounds, knot: set[int], seed: int) -> None:
    """Link whole orbits inside a closed set, then give each row what any of its members sees outside."""
    shapes, names = rounds.shapes, sorted(knot)
    place = {v: i for i, v in enumerate(names)}
    near = [{place[y] for y in shapes.near[x] & knot} for x in names]
    loads = [len(shapes.near[x]) - len(row) for x, row in zip(names, near, strict=True)]
    rows, orbits = around(near, [shapes.label[x] for x in names], loads, shapes.k, seed)
    rounds.apply([(names[a], names[b]) for pairs in orbits for a, b in pairs])
    rounds.outsiders.renew()
    rounds.outsiders.begin(names)
    for row in rows:
        _equalized(rounds, [names[i] for i in row], knot)


def _equalized(rounds: Rounds, row: list[int], knot: set[int]) -> None:
    seen = {w: outside(rounds.shapes, w, knot) for w in row}
    target: Counter[int] = Counter()
    for forms in seen.values():
        target |= forms
    for w in row:
        pairs = rounds.outsiders.draw_in(w, target - seen[w], all_or_none=False)
        if pairs:
            rounds.apply(pairs)


def outside(shapes: Shapes, w: int, knot: set[int]) -> Counter[int]:
    """Count the components of a member's neighborhood that are outside the set."""
    parts = (part for part in shapes.parts(w) if part[0][0] not in knot)
    return Counter(shapes.components.number(part, inner, shapes.label) for part, inner in parts)
