"""Coverage: the other knowledge that a promise is proved to protect against.

A promise about `a` covers `b` if in every simple graph, for every vertex, every candidate set of `b` holds one of `a`:
then k candidates for `a` are k for `b`. Each rule below says why, in a sentence that proves it; what no rule says is
not covered, and the tests hold a graph for each such pair of a panel in which `b` leaves somebody fewer than `a` does.

r is a radius, l a number of known facts, b a number of edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from math import inf
from typing import Any

from shoal.errors import must, public
from shoal.knowledge import (
    Adjacency,
    Adversary,
    Columns,
    Counts,
    Degree,
    Degrees,
    Hubs,
    Neighborhood,
    Neighbors,
    Orbit,
    Refinement,
    Relations,
    SharedNeighbors,
    SomeColumns,
    Subgraph,
    parse_knowledge,
)
from shoal.release.guarantee import ConfusionPromise, ExchangeabilityPromise, Promise, RadiusPromise
from shoal.release.release import Release

SAME = "it is about this knowledge"
NOTHING = "who knows nothing can tell nobody apart"
LESS = "it is about more of the same"
TWINS = "vertices with the same neighbors can change places, so that they are alike in all that links tell"
ROWS = "vertices with the same neighbors agree on every known one, and on every one that is known to be missing"
MOVED = "an automorphism that moves one to the other preserves all that links tell without naming anybody"
INSIDE = "isomorphic balls have isomorphic smaller balls, with the same counts and degrees"
COUNTED = "it can be counted from what the promise is about"
LINKS = "a known neighbor is a known relation"
LOCATED = "no common neighbor of known vertices is one of them, so that none of them is lost by being located"
NAMED = "who agrees on more columns agrees on fewer"
RADIUS = "vertices whose rows share l neighbors are what this knowledge leaves"

SEVERAL = (Neighbors, Relations, SomeColumns, Subgraph)
"""Kinds of knowledge with many candidate sets, of which the smallest counts: two of them add up when they meet."""


PROMISES = (Promise, ConfusionPromise, RadiusPromise, ExchangeabilityPromise)


@public
def covers(promise: Any, adversary: Adversary | str) -> bool:
    """Tell whether a promise, or one of a release, holds with its k for other knowledge too.

    Only what is proved for every simple graph counts. A promise for some of the vertices covers those; one about what
    is known of the original is about that alone.

    Examples
    --------
    Equal rows hide whatever is computed from links, and nothing about who is how far from a known hub:

    >>> from shoal.knowledge import Adjacency
    >>> from shoal.release import Promise
    >>> equal_rows = Promise(Adjacency(), 5)
    >>> covers(equal_rows, "neighbors:7"), covers(equal_rows, "hubs:1")
    (True, False)
    """
    return explain_coverage(promise, adversary) is not None


def explain_coverage(promise: Any, adversary: Adversary | str) -> str | None:
    """Return why a promise covers other knowledge; None if it is not proved to.

    >>> from shoal.knowledge import Degree
    >>> from shoal.release import Promise
    >>> explain_coverage(Promise(Degree(), 2), "refinement:1")
    'it can be counted from what the promise is about'
    """
    wanted = parse_knowledge(adversary)
    if isinstance(promise, Release):
        return next((why for one in promise.promises for why in [explain_coverage(one, wanted)] if why), None)
    must(isinstance(promise, PROMISES), "covers", "promise", "a promise or a release", promise)
    if isinstance(promise, RadiusPromise):
        least = wanted.l if isinstance(wanted, SharedNeighbors) else inf
        return RADIUS if promise.similarity == "2-path" and least <= promise.l else None
    if not isinstance(promise, Promise):
        return None
    same = SAME if promise.knowledge == wanted else None
    return explain_finer(promise.knowledge, wanted) if promise.source == "release" else same


def explain_finer(a: Adversary, b: Adversary) -> str | None:
    """Return why every candidate set of b holds one of a, in every simple graph; None if that is not proved."""
    if a == b:
        return SAME
    parts, wanted = a.parts, b.parts
    if len(wanted) > 1:
        return _explain_each(parts, wanted)
    return next((why for part in parts for why in [_explain_alone(part, wanted[0])] if why), None)


def _explain_each(parts: tuple[Adversary, ...], wanted: tuple[Adversary, ...]) -> str | None:
    """Find for each wanted part one that is finer; one with many candidate sets can serve only once."""
    many = [part for part in parts if isinstance(part, SEVERAL)]
    single = [part for part in parts if not isinstance(part, SEVERAL)]
    open_ones = [part for part in wanted if not any(_explain_alone(one, part) for one in single)]
    matched = any(
        all(_explain_alone(one, part) for one, part in zip(order, open_ones, strict=True))
        for order in permutations(many, len(open_ones))
    )
    told = [why for part in wanted for one in parts for why in [_explain_alone(one, part)] if why]
    return told[0] if matched else None


def _explain_alone(a: Adversary, b: Adversary) -> str | None:
    if a == b or _knows_nothing(b):
        return SAME if a == b else NOTHING
    return next((why for kind, other, holds, why in RULES if isinstance(a, kind) and isinstance(b, other)
                 and holds(a, b)), None)  # fmt: skip


def _knows_nothing(a: Any) -> bool:
    """Tell whether nothing is known: no round, or a ball that is the vertex alone, without labels."""
    balls = Neighborhood | Counts | Degrees
    alone = isinstance(a, balls) and a.radius == 0 and not _read_labels(a)
    return alone or (isinstance(a, Refinement) and a.rounds == 0)


def _read_labels(a: Any) -> tuple[str, ...]:
    return a.labels if isinstance(a, Neighborhood) else ()


def _holds_always(a: Any, b: Any) -> bool:
    return True


def _knows_fewer(a: Any, b: Any) -> bool:
    return bool(b.l <= a.l)


def _has_no_labels(a: Any, b: Any) -> bool:
    return not b.labels


def _reaches_less(a: Any, b: Any) -> bool:
    return bool(b.radius <= a.radius) and set(_read_labels(b)) <= set(a.labels)


def _count_rounds(x: Any) -> float:
    return inf if x.rounds is None else x.rounds


def _read_reach(x: Any) -> float:
    return inf if x.reach is None else x.reach


def _sees_farther(a: Any, b: Any) -> bool:
    """Tell whether a knows the distances to all hubs of b, as far, in a world that excludes no fewer."""
    counted = isinstance(a.hubs, int) and isinstance(b.hubs, int) and b.hubs <= a.hubs
    named = not isinstance(a.hubs, int) and not isinstance(b.hubs, int) and set(b.hubs) <= set(a.hubs)
    return (counted or named) and _read_reach(b) <= _read_reach(a) and (a.world == "closed" or b.world == "open")


def _is_named_among(a: Any, b: Any) -> bool:
    """Tell whether the columns of b are named among those of a; without names all are meant, whichever they are."""
    return bool(b.names) and set(b.names) <= set(a.names)


def _knows_columns(a: Any, b: Any) -> bool:
    return (not a.names and bool(b.names)) or _is_named_among(a, b) or (not a.names and not b.names)


Rule = tuple[type[Adversary], type[Adversary], Callable[[Any, Any], bool], str]


def _list_rules() -> Iterator[Rule]:
    for whole, why in ((Adjacency, TWINS), (Orbit, MOVED)):
        for kind in (Degree, Refinement, Counts, Degrees, Subgraph):
            yield whole, kind, _holds_always, why
        yield whole, Neighborhood, _has_no_labels, why
    yield Adjacency, Orbit, _holds_always, TWINS
    yield Adjacency, Neighbors, _holds_always, ROWS
    yield Adjacency, Relations, lambda a, b: not b.located, ROWS
    yield Neighborhood, Degree, lambda a, b: a.radius >= 1, INSIDE
    yield Neighborhood, Refinement, lambda a, b: _count_rounds(b) <= a.radius, INSIDE
    yield Neighborhood, Subgraph, lambda a, b: b.edges < a.radius, INSIDE
    yield Neighborhood, Neighborhood, _reaches_less, INSIDE
    yield Neighborhood, Counts, _reaches_less, INSIDE
    yield Neighborhood, Degrees, _reaches_less, INSIDE
    yield Neighborhood, Columns, lambda a, b: set(b.names) <= set(a.labels), NAMED
    yield Degree, Refinement, lambda a, b: _count_rounds(b) <= 1, COUNTED
    yield Refinement, Degree, lambda a, b: _count_rounds(a) >= 1, COUNTED
    yield Refinement, Refinement, lambda a, b: _count_rounds(b) <= _count_rounds(a), LESS
    yield Counts, Degree, lambda a, b: a.radius == 1, COUNTED
    yield Degrees, Degree, lambda a, b: a.radius == 1, COUNTED
    yield Degrees, Counts, lambda a, b: a.radius == b.radius, COUNTED
    yield Counts, Refinement, lambda a, b: a.radius == 1 and _count_rounds(b) <= 1, COUNTED
    yield Degrees, Refinement, lambda a, b: a.radius == 1 and _count_rounds(b) <= 1, COUNTED
    yield SharedNeighbors, SharedNeighbors, _knows_fewer, LESS
    yield (
        Neighbors,
        Neighbors,
        lambda a, b: _knows_fewer(a, b) and a.multiplicities >= b.multiplicities,
        LESS,
    )
    yield Relations, Relations, lambda a, b: _knows_fewer(a, b) and a.located == b.located, LESS
    yield Relations, Neighbors, lambda a, b: _knows_fewer(a, b) and not a.located, LINKS
    yield Relations, Neighbors, lambda a, b: _knows_fewer(a, b) and a.located, LOCATED
    yield Subgraph, Subgraph, lambda a, b: b.edges <= a.edges and a.exact_degrees >= b.exact_degrees, LESS
    yield Hubs, Hubs, _sees_farther, LESS
    yield Columns, Columns, _is_named_among, NAMED
    yield Columns, SomeColumns, _is_named_among, NAMED
    yield SomeColumns, Columns, lambda a, b: len(set(b.names)) <= a.l and _knows_columns(a, b), NAMED
    yield SomeColumns, SomeColumns, lambda a, b: _knows_fewer(a, b) and _knows_columns(a, b), NAMED


RULES = tuple(_list_rules())
"""What is finer than what, when, and why."""
