"""Exposure: the share of people whom l known neighbors (or columns) leave fewer than k candidates, for l = 0, 1, ...

l is how much is known. Where a search was cut short somebody may be exposed without being counted: they are undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.data.graph import Graph
from shoal.data.records import Records
from shoal.risk.levels import Levels, levels

MOST = 5
"""So many known neighbors are looked at, at most: a curve is flat soon, and the search grows."""
LARGE = 200_000
"""From so many links on only sets of two are looked at."""


def exposure(data: Graph, k: int, columns: Sequence[str], most: int | None = None) -> dict[str, Any] | None:
    """Return the curve as plain data; None where nothing can be known.

    >>> import shoal
    >>> curve = exposure(shoal.examples.karate(), 2, ())
    >>> curve["of"], [step["exposed"] for step in curve["steps"]]
    ('neighbors', [0, 1, 16, 17, 17, 17])
    """
    table = isinstance(data, Records)
    names = [name for name in columns or data.attributes if name in data.attributes] if table else []
    if table and not names:
        return None
    limit = min(most or (MOST if data.m < LARGE else 2), len(names) if table else data.n)
    return {"of": "columns" if table else "neighbors", "k": k, "people": data.n} | {
        "steps": _everybody(data.n, limit) if k > data.n else _counted(data, k, names, limit)
    }


def _everybody(n: int, limit: int) -> list[dict[str, Any]]:
    """Return the curve where k is more than there are: all are exposed to whoever knows nothing."""
    return [{"l": l, "exposed": n, "share": 1.0, "undecided": 0} for l in range(limit + 1)]


def _counted(data: Graph, k: int, names: Sequence[str], limit: int) -> list[dict[str, Any]]:
    table = isinstance(data, Records)
    return _steps(levels(data, k, columns=names, limit=limit) if table else levels(data, k, limit=limit), limit)


def _steps(found: Levels, limit: int) -> list[dict[str, Any]]:
    """Return for each l who is exposed, and about whom it is not known."""
    steps = []
    for l in range(limit + 1):
        exposed = found.exposed(l)
        open_ = ~found.proved & (found.per_vertex < l)
        many = int(exposed.sum())
        steps.append({"l": l, "exposed": many, "share": many / len(exposed), "undecided": int(open_.sum())})
    return steps
