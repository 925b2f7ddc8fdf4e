"""Certificates for a level l(v): plain data that a small checker confirms without a search.

A certificate holds either k vertices that agree with v on everything that may be known, or relations that expose v with
the candidates that they leave. In the second case it also holds evidence that no smaller set exposes v:

* "nothing": the only smaller set is the empty one, and it leaves all vertices as candidates;
* "degrees", "pairs": all single relations, or all pairs of neighbors, leave k candidates; the checker recounts them;
* "weights": integers y(u), each at most a cap. For every relation, the y(u) of all u that it distinguishes from v sum
  to at most `unit`. So s relations rule out vertices of total weight at most s * unit. The remaining vertices weigh at
  most the cap each, which gives a lower bound on their number. (0/1 weights with cap 1 are rows without a common
  relation: a packing.)
* "search": it rests on an exhaustive search and cannot be confirmed without one.

A known relation is a name and a number of links. In a graph whose links have a direction or a kind, the kind and the
direction follow.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.core.exposing_sets import EVERY, EXACT
from shoal.core.incidence import Incidence
from shoal.data.arrays import Ints

if TYPE_CHECKING:
    from shoal.risk.levels import Levels

SCHEMA, SCHEMA_OF_TIES = 1, 2
"""The form of certificates, without and with directions or kinds of links."""
UNIT = 1_000_000
"""The maximum total weight of the vertices that one relation distinguishes from v."""
ROWS = 600
"""At most this many vertices get weights: those most similar to v."""

Columns = frozenset[int]


def make_certificate(levels: Levels, v: Hashable) -> dict[str, Any]:
    """Return the certificate of the vertex named `v`."""
    i, names = levels.graph.names.id(v), levels.graph.names
    size, meaning = int(levels.sizes[i]), int(levels.meaning[i])
    schema = SCHEMA if levels.links.ties is None else SCHEMA_OF_TIES
    made: dict[str, Any] = {"schema": schema, "vertex": v, "k": levels.k, "reading": levels.reading}
    if meaning == EVERY:
        return made | {"l": "every", "exact": True, "hidden": [names[u] for u in _find_alike(levels, i)]}
    witness = levels.witness(v) if meaning == EXACT else None  # another search, which may end before it finds one
    made |= {"l": size - 1, "exact": witness is not None}
    if witness is not None:
        known = [list(entry) for entry in witness.knows[0].value["known"]]
        made["exposes"] = {"known": known, "candidates": list(witness.candidates)}
    return made | {"none_smaller": _find_evidence(levels, i, size - 1)}


def _find_alike(levels: Levels, v: int) -> list[int]:
    """Return k vertices that no relation distinguishes from v, v first."""
    g = levels.entries.published
    around = _find_around(g, v) if len(g.row(v)) else range(g.n)
    others = (u for u in around if u != v and not find_telling(g, v, u))
    return [v, *(u for u, _ in zip(others, range(levels.k - 1), strict=False))]


def _find_around(g: Incidence, v: int) -> list[int]:
    """Return the vertices that share an item with v."""
    columns = [g.row(int(x)) for x in g.row(v)]
    return np.unique(np.concatenate(columns)).tolist() if columns else []


def find_telling(g: Incidence, v: int, u: int) -> Columns:
    """Return the items that distinguish u from v."""
    mine, theirs = (dict(zip(g.row(x).tolist(), g.times(x).tolist(), strict=True)) for x in (v, u))
    if g.reading in ("neighbors", "exact-neighbors"):
        return frozenset(x for x, q in mine.items() if theirs.get(x, 0) != q)
    differ = frozenset(x for x in mine.keys() | theirs.keys() if mine.get(x, 0) != theirs.get(x, 0))
    return differ if g.reading == "relations" else (differ | {*g.list_owned(u)}) - {*g.list_owned(v)}


def _find_evidence(levels: Levels, v: int, size: int) -> dict[str, Any]:
    """Return the evidence that no set of `size` relations exposes v."""
    if size == 0:
        return {"size": 0, "by": "nothing"}
    if size == 1:
        return {"size": 1, "by": "degrees"}
    if size == 2 and levels.reading == "neighbors":
        return {"size": 2, "by": "pairs"}
    weighed = _find_weights(levels, v, size)
    return {"size": size, **(weighed or {"by": "search"})}


def _find_weights(levels: Levels, v: int, size: int) -> dict[str, Any] | None:
    """Find, by linear programming, weights that prove that `size` relations are too few; None if there are none."""
    g, names = levels.entries.published, levels.graph.names
    differing = {u: find_telling(g, v, u) for u in _find_similar(g, v)}
    alike = [u for u, columns in differing.items() if not columns]
    rows = sorted((u for u in differing if differing[u]), key=lambda u: len(differing[u]))[:ROWS]
    spare = levels.k - 2 - len(alike)
    y = _solve([differing[u] for u in rows], spare) if rows else None
    if y is None or sum(y) - size * UNIT <= spare * max(y):
        return None
    named = [[names[u], w] for u, w in zip(rows, y, strict=True) if w]
    return {"by": "weights", "unit": UNIT, "cap": max(y), "weights": named, "alike": [names[u] for u in alike]}


def _find_similar(g: Incidence, v: int) -> list[int]:
    """Return vertices that may get weights: those that share an item with v, and those with the fewest items."""
    few = np.argsort(np.diff(g.rows[0]), kind="stable")[:ROWS].tolist()
    found = set(_find_around(g, v)) | (set() if g.reading in ("neighbors", "exact-neighbors") else set(few))
    return sorted(found - {v})


def _solve(rows: list[Columns], spare: int) -> list[int] | None:
    """Return integer weights of the rows that maximize their sum minus `spare` times the largest; None without them."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    columns = {x: i for i, x in enumerate(sorted(set().union(*rows)))}
    at = [(columns[x], r) for r, row in enumerate(rows) for x in row]
    n, m = len(rows), len(columns)
    i, j = np.array(at, dtype=np.int64).T
    # the last variable is the cap: one constraint y(r) - cap <= 0 per row, after those of the columns
    i = np.concatenate([i, m + np.arange(n), m + np.arange(n)])
    j = np.concatenate([j, np.arange(n), np.full(n, n)])
    a = np.concatenate([np.ones(len(at) + n), -np.ones(n)])
    bounds = np.concatenate([np.ones(m), np.zeros(n)])
    found = linprog(np.append(-np.ones(n), spare), A_ub=coo_array((a, (i, j)), shape=(m + n, n + 1)), b_ub=bounds)
    if found.status != 0:
        return None
    y: Ints = (np.maximum(found.x[:n], 0) * (UNIT - n)).astype(np.int64)
    return y.tolist()  # type: ignore[no-any-return]
