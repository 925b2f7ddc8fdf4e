"""Whole orbits: vertices in rows of k or more, and links that go around with them, so that rows are alike all round.

Turning every row by one place maps the result to itself, so that the members of a row have isomorphic neighborhoods,
whatever the graph is. Which vertices share a row decides how many links that takes: simulated annealing looks for it.
"""

from __future__ import annotations

from collections import defaultdict
from math import gcd

import numpy as np

from shoal.anonymizers.neighborhood_shapes import Pair
from shoal.data.graph import Ints
from shoal.engines.local.pool import announce_compilation
from shoal.progress import track

ROOM = 100_000_000
"""Orbits that are counted at most; above, rows stay as they begin."""
WORK = 400_000_000
"""Looks at links that a search takes, about."""
EACH, TINY = 10_000, 120
"""Steps per vertex at most, of so many vertices; a quarter for each of all."""
RESTARTS = 3
"""How often graphs of so few are searched."""
LARGE, COLD = 1_000, 0.15
"""Larger graphs begin less hot, since their rows are near each other to begin with; all end cold."""
PIECES = 20


def rows_of(label: list[int], order: list[int], k: int) -> list[list[int]]:
    """Put vertices of one label, in that order, into rows of k; the last row of each label takes the rest.

    Each label must have none or at least k vertices.
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


def around(
    near: list[set[int]], label: list[int], loads: list[int], k: int, seed: int
) -> tuple[list[list[int]], list[list[Pair]]]:
    """Return rows, and for each orbit the links that it lacks.

    Parameters
    ----------
    near
        The neighbors of each vertex, all inside.
    label
        Vertices share a row only if their labels are equal.
    loads
        How many links to outside each has: rows in which they are equal are preferred.
    """
    announce_compilation()
    links = np.array([len(row) for row in near], dtype=np.int64)
    found = []
    for turn in range(RESTARTS if len(near) <= TINY else 1):
        rows = rows_of(label, _by_company(near, seed + turn), k)
        rows = _searched(near, label, loads, rows, links, seed + turn)
        orbits = missing(near, rows)
        found.append((sum(map(len, orbits)), turn, rows, orbits))
    return min(found)[2:]


def _by_company(near: list[set[int]], seed: int) -> list[int]:
    """Order vertices so that those with common neighbors come together: by the first three of a drawn order."""
    first = np.random.default_rng([seed, 4]).permutation(len(near)).tolist()
    company = [sorted(first[u] for u in (v, *row))[:3] for v, row in enumerate(near)]
    return sorted(range(len(near)), key=lambda v: (company[v], v))


def _searched(
    near: list[set[int]], label: list[int], loads: list[int], rows: list[list[int]], links: Ints, seed: int
) -> list[list[int]]:
    from shoal.engines.local.kernels import neighborhood_orbits as loops

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


def missing(near: list[set[int]], rows: list[list[int]]) -> list[list[Pair]]:
    """Return for each orbit that has any link those that it lacks.

    >>> missing([{1}, {0}, set(), set()], [[0, 2], [1, 3]])
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
                    done[kind] = _lacking(near, rows[ra], rows[rb], ca, cb)
    return [pairs for pairs in done.values() if pairs]


def _lacking(near: list[set[int]], a: list[int], b: list[int], ca: int, cb: int) -> list[Pair]:
    """Return the pairs that two places turn through and that are not linked."""
    many = len(a) * len(b) // gcd(len(a), len(b))
    pairs = {(a[(ca + turn) % len(a)], b[(cb + turn) % len(b)]) for turn in range(many)}
    return sorted({(min(pair), max(pair)) for pair in pairs if pair[1] not in near[pair[0]]})
