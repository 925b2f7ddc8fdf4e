"""Orbits of links: cyclic rows of k or more vertices (after Zou, Chen & Ozsu 2009).

A rotation of every row by one place maps the result to itself. So the members of a row have isomorphic neighborhoods,
for any graph. The choice of rows determines how many links this takes; simulated annealing searches for good rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import gcd

import numpy as np

from shoal.data.arrays import Ints
from shoal.methods.links.match_neighborhoods.plans import Rounds
from shoal.methods.links.match_neighborhoods.shapes import Pair, Shapes
from shoal.progress import track

ROOM = 100_000_000
"""The largest number of orbits that are counted. With more, the initial rows are used."""
WORK = 400_000_000
"""The approximate limit on link checks in a search."""
EACH, TINY = 10_000, 120
"""The step limit: EACH per vertex for the first TINY vertices, and a quarter of it more for every vertex."""
RESTARTS = 3
"""The number of searches for graphs with at most TINY vertices."""
LARGE, COLD = 1_000, 0.15
"""Graphs with LARGE or more vertices start at a lower temperature, as their initial rows are good; COLD is the last."""
PIECES = 20


def make_rows(label: list[int], order: list[int], k: int) -> list[list[int]]:
    """Put the vertices of each label into rows of k, in the given order. The last row of each label takes the rest.

    Each label must have no vertices or at least k.
    """
    kinds: dict[int, list[int]] = defaultdict(list)
    for v in order:
        kinds[label[v]].append(v)
    rows = []
    for members in kinds.values():
        cut = (len(members) // k - 1) * k
        rows += [members[i : i + k] for i in range(0, cut, k)]
        rows.append(members[cut:])
    return rows


def find_orbits(
    near: list[set[int]], label: list[int], loads: list[int], k: int, seed: int
) -> tuple[list[list[int]], list[list[Pair]]]:
    """Return rows, and the missing links of each orbit.

    Parameters
    ----------
    near
        The neighbors of each vertex inside the set.
    label
        Vertices share a row only if their labels are equal.
    loads
        The number of links of each vertex to the outside. Rows with equal numbers are preferred.
    """
    links = np.array([len(row) for row in near], dtype=np.int64)
    found = []
    for turn in range(RESTARTS if len(near) <= TINY else 1):
        rows = make_rows(label, _order_by_company(near, seed + turn), k)
        rows = _search_rows(near, label, loads, rows, links, seed + turn)
        orbits = list_missing(near, rows)
        found.append((sum(map(len, orbits)), turn, rows, orbits))
    return min(found)[2:]


def _order_by_company(near: list[set[int]], seed: int) -> list[int]:
    """Order vertices by their three first neighbors in a random order, so that common neighbors bring them together."""
    first = np.random.default_rng([seed, 4]).permutation(len(near)).tolist()
    company = [sorted(first[u] for u in (v, *row))[:3] for v, row in enumerate(near)]
    return sorted(range(len(near)), key=lambda v: (company[v], v))


def _search_rows(
    near: list[set[int]], label: list[int], loads: list[int], rows: list[list[int]], links: Ints, seed: int
) -> list[list[int]]:
    from shoal.methods.links._kernels import neighborhoods as loops

    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    most = int(lengths.max())
    if len(rows) ** 2 * most > ROOM or links.sum() == 0:
        return rows
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    places = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
    row, column = np.empty(len(near), dtype=np.int64), np.empty(len(near), dtype=np.int64)
    row[places] = np.repeat(np.arange(len(rows)), lengths)
    column[places] = np.arange(len(near)) - starts[row[places]]
    indptr = np.concatenate([[0], np.cumsum(links)])
    indices = np.array([w for one in near for w in sorted(one)], dtype=np.int64)
    many = np.zeros(len(rows) ** 2 * most, dtype=np.int32)
    loops.counted(indptr, indices, row, column, lengths, most, many)
    steps = int(min(WORK / (8 * links.mean() + 4 * most), EACH * min(len(near), TINY) + EACH // 4 * len(near)))
    heat = np.geomspace(2.0 * most if len(near) < LARGE else 2.0, COLD, PIECES + 1)
    random = np.random.default_rng([seed, 3]).integers(1, 2**63, 1).astype(np.uint64)
    shades, weights = np.array(label, dtype=np.int64), np.array(loads, dtype=np.int64)
    for piece in range(PIECES):
        track("turning rows", piece, PIECES)
        fixed = indptr, indices, shades, weights, places, starts, row, column, lengths, most, many
        loops.annealed(random, steps // PIECES, heat[piece], heat[piece + 1], *fixed)
    return [places[start : start + length].tolist() for start, length in zip(starts, lengths, strict=True)]


def list_missing(near: list[set[int]], rows: list[list[int]]) -> list[list[Pair]]:
    """Return the missing links of each orbit that has at least one link.

    >>> list_missing([{1}, {0}, set(), set()], [[0, 2], [1, 3]])
    [[(2, 3)]]
    """
    place = {v: (r, c) for r, row in enumerate(rows) for c, v in enumerate(row)}
    done: dict[tuple[int, int, int], list[Pair]] = {}
    for v, one in enumerate(near):
        for w in sorted(one):
            if v < w:
                (ra, ca), (rb, cb) = sorted((place[v], place[w]))
                turns = gcd(len(rows[ra]), len(rows[rb]))
                apart = (ca - cb) % turns
                kind = ra, rb, min(apart, turns - apart) if ra == rb else apart
                if kind not in done:
                    done[kind] = _list_lacking(near, rows[ra], rows[rb], ca, cb)
    return [pairs for pairs in done.values() if pairs]


def _list_lacking(near: list[set[int]], a: list[int], b: list[int], ca: int, cb: int) -> list[Pair]:
    """Return the unlinked pairs in the orbit of two places."""
    many = len(a) * len(b) // gcd(len(a), len(b))
    pairs = {(a[(ca + turn) % len(a)], b[(cb + turn) % len(b)]) for turn in range(many)}
    return sorted({(min(pair), max(pair)) for pair in pairs if pair[1] not in near[pair[0]]})


# Knots: sets of vertices whose neighborhoods overlap too much to be repaired one by one. A whole knot becomes cyclic.
#
# A set W is closed if no vertex outside is linked to two of its members. Then links inside W change only neighborhoods
# of members of W, and the outside neighbors of a member form separate components. Inside W, whole orbits are linked.
# Then each member of a row gets the outside components that any member of the row has, built from far vertices.

MESSY = 3
"""Components with more vertices that are not complete belong to a knot; other vertices cannot get such components."""
AGAIN = 8
"""How often a knot is extended by the vertices that are still below k."""
WIDE = 0.5
"""If a knot has a larger share of all vertices, rows of the whole graph are used instead."""
TRIES, DEAR = 8, 20


def untie_knots(rounds: Rounds, seed: int) -> bool:
    """Make the knots around vertices below k cyclic, and repair the rest. Return whether no vertex is below k.

    If some vertices are still below k, all changes are undone, and these vertices join the knots.
    """
    shapes = rounds.shapes
    length, hard = len(rounds.log), set(shapes.list_short())
    for turn in range(AGAIN):
        knot = pad_set(shapes, close_set(shapes, list_seeds(shapes, hard)))
        if knot is None or len(knot) > WIDE * shapes.n:
            return False
        turn_set(rounds, knot, seed + turn)
        rounds.repair_all(TRIES, DEAR)
        if not shapes.below:
            return True
        hard |= set(shapes.list_short())
        rounds.revert(length)
    return False


def list_seeds(shapes: Shapes, hard: Iterable[int]) -> set[int]:
    """Return vertices together with their neighbors in components that other vertices cannot get."""
    found = set(hard)
    for v in sorted(found):
        for part, inner in shapes.parts(v):
            if len(part) > MESSY and any(len(inner[u]) < len(part) - 1 for u in part):
                found.update(part)
    return found


def close_set(shapes: Shapes, start: set[int]) -> set[int]:
    """Return the smallest closed set that contains `start`: no vertex outside is linked to two of its members."""
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


def pad_set(shapes: Shapes, knot: set[int]) -> set[int] | None:
    """Add far vertices to a closed set until each label occurs a multiple of k times. Return None if too few exist."""
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


def turn_set(rounds: Rounds, knot: set[int], seed: int) -> None:
    """Link whole orbits inside a closed set, then give all members of a row the same components outside."""
    shapes, names = rounds.shapes, sorted(knot)
    place = {v: i for i, v in enumerate(names)}
    near = [{place[y] for y in shapes.near[x] & knot} for x in names]
    loads = [len(shapes.near[x]) - len(row) for x, row in zip(names, near, strict=True)]
    rows, orbits = find_orbits(near, [shapes.label[x] for x in names], loads, shapes.k, seed)
    rounds.apply([(names[a], names[b]) for pairs in orbits for a, b in pairs])
    rounds.outsiders.renew()
    rounds.outsiders.begin(names)
    for row in rows:
        _equalize_outside(rounds, [names[i] for i in row], knot)


def _equalize_outside(rounds: Rounds, row: list[int], knot: set[int]) -> None:
    seen = {w: count_outside(rounds.shapes, w, knot) for w in row}
    target: Counter[int] = Counter()
    for forms in seen.values():
        target |= forms
    for w in row:
        pairs = rounds.outsiders.draw_in(w, target - seen[w], all_or_none=False)
        if pairs:
            rounds.apply(pairs)


def count_outside(shapes: Shapes, w: int, knot: set[int]) -> Counter[int]:
    """Count the components of a member's neighborhood outside the set, by form."""
    parts = (part for part in shapes.parts(w) if part[0][0] not in knot)
    return Counter(shapes.components.number(part, inner, shapes.label) for part, inner in parts)
