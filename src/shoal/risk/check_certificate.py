"""Check a certificate by counting in the graph. The code is independent of the search on purpose."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any, NamedTuple

from shoal.data.dataset import as_graph
from shoal.errors import must, public, show_value
from shoal.io.strict_json import find_misfit, is_a, is_list_of, is_one_of, is_pair_of

READINGS = ("neighbors", "exact-neighbors", "relations", "located-relations")


class CertificateCheck(NamedTuple):
    """The result of checking a certificate."""

    holds: bool | None
    """True: confirmed. False: refuted. None: it rests on a search, or cannot be read."""
    reason: str
    """What was checked, or why it could not be."""


@public
def check_certificate(graph: Any, certificate: dict[str, Any]) -> CertificateCheck:
    """Check by counting that a vertex has the level that its certificate claims.

    A certificate must have exactly the keys and types that `shoal.levels(...).certificate` writes.

    >>> import shoal
    >>> florence = shoal.examples.florentine()
    >>> claim = shoal.levels(florence, k=2).certificate("Ridolfi")
    >>> check_certificate(florence, claim).holds, check_certificate(florence, claim | {"l": 2}).holds
    (True, False)
    """
    must(isinstance(certificate, dict), "check_certificate", "certificate", "what 'certificate' returned", certificate)
    misfit = _explain_misfit(certificate)
    if misfit is not None:
        return CertificateCheck(None, f"It cannot be read: {misfit}.")
    rows = _read_rows(as_graph(graph), certificate["reading"])
    if _make_key(certificate["vertex"]) not in rows:
        return CertificateCheck(
            None, f"It is about {show_value(certificate['vertex'])}, which is not a vertex of this network."
        )
    try:
        return _check_claim(rows, certificate)
    except (ArithmeticError, KeyError, ValueError) as error:
        return CertificateCheck(None, f"It cannot be read: {show_value(error)}")


def _explain_misfit(c: dict[str, Any]) -> str | None:
    """Return why this is not a certificate, or None if it is one."""
    every, exact = type(c.get("l")) is str, c.get("exact") is True
    shape = BASE | (EVERY if every else SOME)
    misfit = find_misfit(c, shape if every or not exact else shape | {"exposes": is_a(dict)}, "it")
    if misfit is None and not every and exact:
        misfit = find_misfit(c["exposes"], EXPOSES, "'exposes'")
    if misfit is None and not every:
        weighed = c["none_smaller"].get("by") == "weights"
        misfit = find_misfit(c["none_smaller"], WEIGHTS if weighed else EVIDENCE, "'none_smaller'")
    return misfit


def _is_name(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


BASE = {
    "schema": is_one_of(1),
    "vertex": _is_name,
    "k": is_a(int),
    "reading": is_one_of(*READINGS),
}
EVERY = {"l": is_one_of("every"), "exact": is_one_of(True), "hidden": is_list_of(_is_name)}
SOME = {"l": is_a(int), "exact": is_a(bool), "none_smaller": is_a(dict)}
EXPOSES = {"known": is_list_of(is_pair_of(_is_name, is_a(int))), "candidates": is_list_of(_is_name)}
EVIDENCE = {"size": is_a(int), "by": is_one_of("nothing", "degrees", "pairs", "search")}
WEIGHTS = {
    "size": is_a(int),
    "by": is_one_of("weights"),
    "unit": is_a(int),
    "cap": is_a(int),
    "weights": is_list_of(is_pair_of(_is_name, is_a(int))),
    "alike": is_list_of(_is_name),
}


def _make_key(name: Any) -> tuple[str, Any]:
    """Return the key of a name: 1, 1.0 and True are three different names."""
    return type(name).__name__, name


def _read_rows(g: Any, reading: str) -> dict[Any, dict[Any, int]]:
    """Return the rows as {name: {name: number of edges}}."""
    plain = g.multiplicity is None or reading == "neighbors"
    names = [_make_key(name) for name in g.names]
    near, ties = [names[w] for w in g.indices], [1] * len(g.indices) if plain else g.multiplicity.tolist()
    ends = g.indptr.tolist()
    return {x: dict(zip(near[ends[i] : ends[i + 1]], ties[ends[i] :], strict=False)) for i, x in enumerate(names)}


def _is_sane(c: dict[str, Any], n: int) -> bool:
    """Return whether the numbers are in their ranges."""
    why = c.get("none_smaller", {})
    numbers = [] if c["l"] == "every" else [c["l"], why["size"]]
    numbers += [why["unit"], why["cap"], *(w for _, w in why["weights"])] if why.get("by") == "weights" else []
    return all(x >= 0 for x in numbers) and 1 <= c["k"] <= n


def _check_claim(rows: dict[Any, dict[Any, int]], c: dict[str, Any]) -> CertificateCheck:
    v, k, l = _make_key(c["vertex"]), c["k"], c["l"]
    row = rows[v]
    some, located = "neighbors" in c["reading"], c["reading"] == "located-relations"
    columns = list(row) if some else [x for x in rows if not (located and x == v)]
    if not _is_sane(c, len(rows)):
        return CertificateCheck(False, "Its numbers are out of range.")

    def find_differences(u: Any) -> set[Any]:
        differ = {x for x in (row if some else {**row, **rows[u]}) if row.get(x, 0) != rows[u].get(x, 0)}
        return (differ | {u}) - {v} if located else differ

    def left(known: Any) -> set[Any]:
        near = min((rows[x].keys() for x in known if x in row), key=len, default=rows.keys())
        return {u for u in near if all(rows[u].get(x, 0) == row.get(x, 0) and not (located and u == x) for x in known)}

    if l == "every":
        hidden = set(map(_make_key, c["hidden"]))
        alike = v in hidden and len(hidden) >= k and not any(map(find_differences, hidden))
        return CertificateCheck(
            alike,
            "No relation distinguishes the hidden vertices."
            if alike
            else "The hidden vertices are too few, or a relation distinguishes them.",
        )
    if c["exact"]:
        known = {_make_key(x): q for x, q in c["exposes"]["known"]}
        found = set(map(_make_key, c["exposes"]["candidates"]))
        true = known.keys() <= set(columns) and all(row.get(x, 0) == q for x, q in known.items())
        if len(known) != l + 1 or not true or len(found) >= k or found != left(known):
            return CertificateCheck(False, "The known relations are wrong, or leave other candidates than claimed.")
    why = c["none_smaller"]
    if why["size"] != l:
        return CertificateCheck(False, "Its evidence covers sets of another size.")
    if why["by"] == "search":
        return CertificateCheck(
            None, "No smaller set exposes the vertex by an exhaustive search, which was not repeated."
        )
    if why["by"] != "weights":
        size = {"nothing": 0, "degrees": 1, "pairs": 2}[why["by"]]
        enough = all(len(left(known)) >= k for s in range(size + 1) for known in combinations(columns, s))
        return CertificateCheck(
            size == l and enough, f"The candidates of all sets of up to {size} relations were counted."
        )
    y, alike, load = (
        {_make_key(u): w for u, w in why["weights"]},
        set(map(_make_key, why["alike"])) - {v},
        Counter[Any](),
    )
    for u, w in y.items():
        load.update(dict.fromkeys(find_differences(u), w))
    fair = max(load.values()) <= why["unit"] and max(y.values()) <= why["cap"]
    apart = (
        v not in y and not alike & y.keys() and not any(map(find_differences, alike)) and len(y) == len(why["weights"])
    )
    survive = -(-(sum(y.values()) - l * why["unit"]) // why["cap"])
    return CertificateCheck(fair and apart and survive + len(alike) + 1 >= k, "The weights were added up.")
