"""The kinds of knowledge that engines count: one file each, with its SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from shoal.errors import BadParameter
from shoal.knowledge import (
    Adjacency,
    Adversary,
    Columns,
    Counts,
    Degree,
    Degrees,
    Hubs,
    Neighbors,
    Refinement,
    SomeColumns,
)
from shoal.relational.classes import meet_classes
from shoal.relational.kinds import (
    adjacency,
    columns,
    counts,
    degree,
    degrees,
    hubs,
    neighbors,
    refinement,
    some_columns,
)
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network

COUNTERS: dict[type[Adversary], tuple[Counter, ...]] = {
    Degree: (degree.COUNTER,),
    Columns: (columns.COUNTER,),
    SomeColumns: (some_columns.COUNTER,),
    Adjacency: (adjacency.COUNTER,),
    Refinement: (refinement.COUNTER,),
    Counts: (counts.COUNTER,),
    Degrees: (degrees.COUNTER,),
    Hubs: (hubs.COUNTER, hubs.OPEN),
    Neighbors: (neighbors.COUNTER,),
}
"""What each kind of knowledge is counted by."""
FORMS = [counter.form for counters in COUNTERS.values() for counter in counters]
JOINED = "those that put vertices into classes can be joined by +, also with neighbors:1"


class Plan(NamedTuple):
    """How a kind of knowledge is counted."""

    run: Callable[[Network], str]
    """Returns a table (v, candidates, exact)."""
    classes: bool
    """Whether candidates are classes."""


def plan_count(knowledge: Adversary) -> Plan:
    """Return how to count a kind of knowledge, or refuse it by name, before any work."""
    parts = [(part, _find_counter(part)) for part in knowledge.parts]
    grouped = [(part, counter) for part, counter in parts if counter.group is not None]
    others = [(part, counter) for part, counter in parts if counter.group is None]
    if len(parts) == 1 and others:
        ((part, counter),) = others
        assert counter.count is not None
        return Plan(partial(_call, counter.count, part), classes=False)
    alone = [part.spec for part, _ in others if part != Neighbors(1)]
    if alone or len(others) > 1:
        first = (alone or ["neighbors:1 twice"])[0]
        raise BadParameter(
            f"relational: {first} can be joined with others in memory only. Got {knowledge.spec}. Of the kinds that an "
            f"engine counts, {JOINED}."
        )
    return Plan(partial(_count_classes, grouped, bool(others)), classes=not others)


def list_columns(kinds: Sequence[Adversary]) -> list[str] | None:
    """Return the columns that some kinds of knowledge name; None if one of them means all columns."""
    found: dict[str, None] = {}
    for part in (part for kind in kinds for part in kind.parts):
        if isinstance(part, SomeColumns) and not part.names:
            return None
        if isinstance(part, Columns | SomeColumns):
            found |= dict.fromkeys(part.names)
    return list(found)


def _find_counter(part: Adversary) -> Counter:
    for counter in COUNTERS.get(type(part), ()):
        if not counter.refuse(part):
            return counter
    raise BadParameter(
        f"relational: 'knowledge' must be one that an engine counts. Got {part.spec}. Counted are {', '.join(FORMS)}; "
        f"and {JOINED}. For others, read the data into memory (without --engine)."
    )


def _call(count: Callable[[Network, Any], str], part: Adversary, net: Network) -> str:
    return count(net, part)


def _count_classes(grouped: list[tuple[Adversary, Counter]], one_neighbor: bool, net: Network) -> str:
    """Count the vertices of each class, or those of it that have a known neighbor."""
    tables = [counter.group(net, part) for part, counter in grouped if counter.group is not None]
    codes = tables[0] if len(tables) == 1 else meet_classes(net, tables, "joining")
    if one_neighbor:
        sizes = neighbors.count_one(net, codes)
    else:
        sizes = net.keep(
            "sizes",
            f"""SELECT c.v, k.many AS candidates, TRUE AS exact FROM {codes} c
                JOIN (SELECT code, count(*) AS many FROM {codes} GROUP BY code) k ON k.code = c.code""",
            "counting",
        )
    net.drop(codes, *tables)
    return sizes
