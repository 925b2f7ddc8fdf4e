"""verify_certificate: confirm a certificate by counting in the graph. It shares no code with the search, on purpose."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any, NamedTuple

from shoal.data.convert import as_graph


class Verified(NamedTuple):
    """What came of checking a certificate."""

    holds: bool | None
    """True: confirmed. False: refuted. None: it rests on a search, or cannot be read."""
    reason: str
    """What was looked at."""


def verify_certificate(graph: Any, certificate: dict[str, Any]) -> Verified:
    """Check by counting that a vertex has the level that its certificate claims.

    >>> import shoal
    >>> florence = shoal.examples.florentine()
    >>> claim = shoal.levels(florence, 2).certificate("Ridolfi")
    >>> verify_certificate(florence, claim).holds, verify_certificate(florence, claim | {"l": 2}).holds
    (True, False)
    """
    try:
        return _checked(_rows(as_graph(graph), certificate["reading"]), certificate)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        return Verified(None, f"the certificate cannot be read for this graph: {error!r}")


def _rows(g: Any, reading: str) -> dict[Any, dict[Any, int]]:
    """Return the rows as {name: {name: number of edges}}."""
    plain = g.multiplicity is None or reading == "neighbors"
    near, ties = [g.names[w] for w in g.indices], [1] * len(g.indices) if plain else g.multiplicity.tolist()
    ends = g.indptr.tolist()
    return {x: dict(zip(near[ends[i] : ends[i + 1]], ties[ends[i] :], strict=False)) for i, x in enumerate(g.names)}


def _checked(rows: dict[Any, dict[Any, int]], c: dict[str, Any]) -> Verified:
    v, k, l, row = c["vertex"], c["k"], c["l"], rows[c["vertex"]]
    some, located = "neighbors" in c["reading"], c["reading"] == "located-relations"
    columns = list(row) if some else [x for x in rows if not (located and x == v)]

    def told(u: Any) -> set[Any]:
        differ = {x for x in (row if some else {**row, **rows[u]}) if row.get(x, 0) != rows[u].get(x, 0)}
        return (differ | {u}) - {v} if located else differ

    def left(known: Any) -> set[Any]:
        near = min((rows[x].keys() for x in known if x in row), key=len, default=rows.keys())
        return {u for u in near if all(rows[u].get(x, 0) == row.get(x, 0) and not (located and u == x) for x in known)}

    if l == "every":
        hidden = set(c["hidden"])
        return Verified(v in hidden and len(hidden) >= k and not any(map(told, hidden)), "who is said to be alike")
    if c["exact"]:
        known, found = {x for x, _ in c["exposes"]["known"]}, set(c["exposes"]["candidates"])
        if len(known) != l + 1 or not known <= set(columns) or len(found) >= k or found != left(known):
            return Verified(False, "whom the known relations leave")
    why = c["none_smaller"]
    if why["size"] != l or why["by"] == "search":
        return Verified(None if why["size"] == l else False, "a claim that rests on an exhaustive search")
    if why["by"] != "weights":
        size = {"nothing": 0, "degrees": 1, "pairs": 2}[why["by"]]
        short = any(len(left(known)) < k for known in combinations(columns, size))
        return Verified(size == l and not short, f"all sets of {size} relations")
    y, alike, load = dict(map(tuple, why["weights"])), set(why["alike"]) - {v}, Counter[Any]()
    for u, w in y.items():
        load.update(dict.fromkeys(told(u), w))
    fair = max(load.values()) <= why["unit"] and 0 <= min(y.values()) <= max(y.values()) <= why["cap"]
    apart = v not in y and not alike & y.keys() and not any(map(told, alike))
    survive = -(-(sum(y.values()) - l * why["unit"]) // why["cap"])
    return Verified(fair and apart and survive + len(alike) + 1 >= k, "how much so many relations can tell apart")
