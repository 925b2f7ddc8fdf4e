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
    graph = as_graph(graph)
    if (certificate["schema"] == 1) != (graph.ties is None):
        told = "with a direction or a kind" if graph.ties is None else "without direction and kind"
        have = "neither" if graph.ties is None else "one"
        return CertificateCheck(None, f"It is about links {told}. The links of this network have {have}.")
    rows = _read_rows(graph, certificate["reading"])
    if _make_key(certificate["vertex"]) not in rows:
        return CertificateCheck(
            None, f"It is about {show_value(certificate['vertex'])}, which is not a vertex of this network."
        )
    try:
        return _check_claim(rows, _list_relations(graph), certificate)
    except (ArithmeticError, KeyError, ValueError) as error:
        return CertificateCheck(None, f"It cannot be read: {show_value(error)}")


def _explain_misfit(c: dict[str, Any]) -> str | None:
    """Return why this is not a certificate, or None if it is one."""
    every, exact = type(c.get("l")) is str, c.get("exact") is True
    shape = BASE | (EVERY if every else SOME)
    misfit = find_misfit(c, shape if every or not exact else shape | {"exposes": is_a(dict)}, "it")
    if misfit is None and not every and exact:
        misfit = find_misfit(c["exposes"], EXPOSES if c["schema"] == 1 else EXPOSES_BY_RELATIONS, "'exposes'")
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


def _is_entry(value: Any) -> bool:
    """Return whether this is a name, a number of links, and a relation."""
    if not is_a(list)(value) or len(value) != 3 or not is_a(dict)(value[2]):
        return False
    return _is_name(value[0]) and is_a(int)(value[1]) and find_misfit(value[2], RELATION, "a relation") is None


RELATION = {"kind": lambda kind: kind is None or type(kind) is str, "direction": is_one_of("both", "out", "in")}
BASE = {
    "schema": is_one_of(1, 2),
    "vertex": _is_name,
    "k": is_a(int),
    "reading": is_one_of(*READINGS),
}
EVERY = {"l": is_one_of("every"), "exact": is_one_of(True), "hidden": is_list_of(_is_name)}
SOME = {"l": is_a(int), "exact": is_a(bool), "none_smaller": is_a(dict)}
EXPOSES = {"known": is_list_of(is_pair_of(_is_name, is_a(int))), "candidates": is_list_of(_is_name)}
EXPOSES_BY_RELATIONS = EXPOSES | {"known": is_list_of(_is_entry)}
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


Column = tuple[Any, Any]
"""A name, and a relation (kind, direction); None for the only relation of a graph without directions and kinds."""


def _list_relations(g: Any) -> list[Any]:
    return [None] if g.ties is None else [tuple(relation) for relation in g.ties.relations]


def _read_rows(g: Any, reading: str) -> dict[Any, dict[Column, int]]:
    """Return the rows as {name: {(name, relation): number of links}}."""
    names, relations = [_make_key(name) for name in g.names], _list_relations(g)
    if g.ties is None:
        ends, near, times, label = g.indptr, g.indices, g.multiplicity, [0] * len(g.indices)
    else:
        ends, near, labels, times = g.entries()
        label = labels.tolist()
    plain = times is None or reading == "neighbors"
    columns = [(names[w], relations[r]) for w, r in zip(near.tolist(), label, strict=True)]
    ends, ties = ends.tolist(), [1] * len(columns) if plain else times.tolist()
    return {x: dict(zip(columns[ends[i] : ends[i + 1]], ties[ends[i] :], strict=False)) for i, x in enumerate(names)}


def _list_columns(rows: dict[Any, dict[Column, int]], relations: list[Any]) -> dict[Any, list[Column]]:
    """Return for each vertex the columns about it: those that a row has, and one more if there is another relation.

    All columns that no row has say the same: no vertex has them.
    """
    found: dict[Any, set[Any]] = {x: set() for x in rows}
    for row in rows.values():
        for x, relation in row:
            found[x].add(relation)
    unused = {x: [relation for relation in relations if relation not in found[x]][:1] for x in rows}
    return {x: [(x, relation) for relation in [*found[x], *unused[x]]] for x in rows}


def _read_relation(rest: list[dict[str, Any]]) -> Any:
    """Return the relation of a known entry, if it has one."""
    return (rest[0]["kind"], rest[0]["direction"]) if rest else None


def _is_sane(c: dict[str, Any], n: int) -> bool:
    """Return whether the numbers are in their ranges."""
    why = c.get("none_smaller", {})
    numbers = [] if c["l"] == "every" else [c["l"], why["size"]]
    numbers += [why["unit"], why["cap"], *(w for _, w in why["weights"])] if why.get("by") == "weights" else []
    return all(x >= 0 for x in numbers) and 1 <= c["k"] <= n


def _check_claim(rows: dict[Any, dict[Column, int]], relations: list[Any], c: dict[str, Any]) -> CertificateCheck:
    v, k, l = _make_key(c["vertex"]), c["k"], c["l"]
    row, about = rows[v], _list_columns(rows, relations)
    some, located = "neighbors" in c["reading"], c["reading"] == "located-relations"
    columns = list(row) if some else [x for w in rows if not (located and w == v) for x in about[w]]
    have: dict[Column, list[Any]] = {x: [] for x in row}
    for u, theirs in rows.items():
        for x in theirs.keys() & have.keys():
            have[x].append(u)
    if not _is_sane(c, len(rows)):
        return CertificateCheck(False, "Its numbers are out of range.")

    def find_differences(u: Any) -> set[Column]:
        differ = {x for x in (row if some else {**row, **rows[u]}) if row.get(x, 0) != rows[u].get(x, 0)}
        return (differ | {*about[u]}) - {*about[v]} if located else differ

    def left(known: Any) -> set[Any]:
        near = min((have[x] for x in known if x in row), key=len, default=list(rows))
        return {
            u for u in near if all(rows[u].get(x, 0) == row.get(x, 0) and not (located and u == x[0]) for x in known)
        }

    def may_be_known(x: Column) -> bool:
        return x in row if some else x[0] in rows and x[1] in relations and not (located and x[0] == v)

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
        known = {(_make_key(x), _read_relation(rest)): q for x, q, *rest in c["exposes"]["known"]}
        found = set(map(_make_key, c["exposes"]["candidates"]))
        true = all(may_be_known(x) and row.get(x, 0) == q for x, q in known.items())
        once = (
            len(known) == len(c["exposes"]["known"]) == l + 1
        )  # a second entry about the same would replace the first
        if not once or not true or len(found) >= k or found != left(known):
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
