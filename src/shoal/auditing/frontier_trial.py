"""A trial: one release is made, and asked what it leaves at risk and what it lost."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from shoal.adversaries import Adversary
from shoal.auditing.frontier_loss import losses
from shoal.auditing.frontier_plans import Plan
from shoal.auditing.frontier_points import UNCHANGED, Exposure, Point
from shoal.data.counterparts import Pair
from shoal.data.graph import Graph
from shoal.data.publish import promised
from shoal.data.records import Records
from shoal.data.release import Release
from shoal.data.table import Column
from shoal.errors import Notice, ShoalError
from shoal.risk.assess import Risk, assess
from shoal.risk.coverage import covers

QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


@dataclass(frozen=True)
class Question:
    """What every release of a frontier is asked."""

    data: Graph
    """The original, with the columns that are looked at."""
    adversary: Adversary
    ks: tuple[int, ...]


def tried(plan: Plan, question: Question) -> Point:
    """Make a release and measure it; where that cannot be, the point tells why.

    A search that was stopped by hand is no result: the interrupt goes on.
    """
    start = time.perf_counter()
    options = plan.options(tuple(question.data.attributes))
    point = Point(plan.name, plan.k, options, "end" if plan.method is None else "method")
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            point = _measured(point, plan, question)
    except (ShoalError, MemoryError) as error:
        told = nameless(str(error) or "not enough memory", question.data)
        point = replace(point, refused=told, again=isinstance(error, MemoryError))
    except Exception as error:  # one method that breaks must not take the others with it
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None  # a compiled loop wraps an interrupt that came while it was called
        told = f"it failed: {type(error).__name__}: {error}"
        point = replace(point, refused=nameless(told, question.data), again=True)
    said = [str(each.message) for each in heard if issubclass(each.category, Notice)]
    notes = tuple(nameless(text, question.data) for text in dict.fromkeys(said) if not text.startswith("compiling"))
    return replace(point, notes=notes, seconds=time.perf_counter() - start)


def _measured(point: Point, plan: Plan, question: Question) -> Point:
    if plan.method is None:
        graph = question.data if plan.end == UNCHANGED else emptied(question.data)
        return measured(point, Pair.of(question.data, graph), question)
    release = plan.method(question.data)
    if release.measured.get("stopped early"):
        raise KeyboardInterrupt
    found = measured(point, Pair.of(question.data, release.graph, who="frontier"), question)
    return replace(found, promise=tuple(map(promised, release.promise)), covered=_covered(release, question.adversary))


def measured(point: Point, pair: Pair, question: Question) -> Point:
    """Return a point with the risk of a release, and with what it lost."""
    risk = exposure(assess(pair.released, question.adversary), question.ks)
    return replace(point, risk=risk, attacked=_attacked(pair, question), lost=losses(pair))


def exposure(risk: Risk, ks: tuple[int, ...]) -> Exposure:
    """Count for each k who has fewer candidates, and who may have: a size that is a bound may be smaller in truth."""
    sizes, proved = risk.sizes, risk.proved_sizes
    misled = int((sizes == 0).sum())
    below = {k: int(((sizes > 0) & (sizes < k)).sum()) for k in ks}
    unsure = {k: int((~proved & (sizes >= k)).sum()) + misled for k in ks}
    return Exposure(len(sizes), risk.k, risk.proved, below, unsure, misled)


def _attacked(pair: Pair, question: Question) -> Exposure | None:
    """Return what is left to whoever measures in the original; None where who is who is not known, or it is refused."""
    if pair.counterpart is None:
        return None
    there = np.flatnonzero(pair.counterpart >= 0).tolist()
    mapping: Mapping[Hashable, Hashable] = {
        pair.original.names[v]: pair.released.names[int(pair.counterpart[v])] for v in there
    }
    try:
        risk = assess(pair.released, question.adversary, knowing=pair.original, mapping=mapping)
    except ShoalError:
        return None
    return exposure(risk, question.ks)


def _covered(release: Release, adversary: Adversary) -> bool:
    """Tell whether a promise for everybody, about the release, covers what the attacker knows."""
    return any(
        getattr(promise, "vertices", "all") == "all"
        and getattr(promise, "source", "release") == "release"
        and covers(promise, adversary)
        for promise in release.promise
    )


def emptied(data: Graph) -> Graph:
    """Return the same people without links, all values missing.

    >>> g = emptied(Graph.from_pairs("ab", [0], [1]))
    >>> g.n, g.m
    (2, 0)
    """
    nothing = Column.of([None] * data.n)
    table = data.attributes.with_columns(dict.fromkeys(data.attributes, nothing))
    if isinstance(data, Records):
        return data.with_attributes(table)
    multi = data.multiplicity is not None
    return Graph.from_pairs(data.names, [], [], attributes=table, multigraph=multi)


def nameless(text: str, data: Graph) -> str:
    """Return a message without the names of people: reasons are shown, and kept in a file.

    >>> nameless("There is no link of 'Ann' to 'Bo'.", Graph.from_pairs(["Ann", "Bo"], [0], [1]))
    "There is no link of '...' to '...'."
    """
    if not QUOTED.search(text):
        return text
    spelled = {repr(name) for name in data.names} | {str(name) for name in data.names}

    def hidden(found: re.Match[str]) -> str:
        sign, word = found.group(0)[0], found.group(0)[1:-1]
        return f"{sign}...{sign}" if found.group(0) in spelled or word in spelled else found.group(0)

    return QUOTED.sub(hidden, text)
