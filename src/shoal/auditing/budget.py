"""Budget: how many steps the recount of a promise may take. A file may promise what takes longer than anyone waits.

The estimate depends on the data and the knowledge alone, never on a clock: the same audit gives the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, prod

import numpy as np

from shoal.adversaries import (
    PANEL,
    Adversary,
    KnowsHubs,
    KnowsSomeColumns,
    KnowsSomeNeighbors,
    KnowsSomeRelations,
    KnowsSubgraph,
)
from shoal.adversaries.ball import KnowsBall
from shoal.data.graph import Graph
from shoal.risk.assess import columns_of, parts_of

STEPS = 100_000_000
"""The most steps of a recount; a set of known facts that is looked at is one."""
EXPLORED = 100
"""How many steps an exploration of a subgraph counts for: it is not compiled."""
LEAST = 2
"""Sets of so many neighbors or relations are counted in any case, as the usual panel does."""


DEEP = 20
"""Sets of more facts than this are taken for as many: their number is above any budget, and takes long to write out."""


def beyond_budget(knows: Adversary, data: Graph) -> str | None:
    """Say why the candidates are not counted unasked; None where they are."""
    steps = estimate_steps(knows, data)
    if steps <= STEPS:
        return None
    return (
        f"It was not counted: that takes about {steps:.1e} steps, and an audit takes at most {STEPS:.0e}. "
        f"To count it: shoal check RELEASED --knows {knows.spec} --at-least K"
    )


def estimate_steps(knows: Adversary, data: Graph) -> int:
    """Return about how many steps it takes to count the candidates of all vertices; 0 for what is always counted.

    >>> import shoal
    >>> [estimate_steps(shoal.adversaries.parse(spec), shoal.examples.karate()) for spec in ("orbit", "subgraph:30")]
    [0, 3650722201600]
    """
    if knows.spec in PANEL:
        return 0
    steps = [_steps_of(part, data) for part in parts_of(knows)]
    return prod(max(1, many) for many in steps) if any(steps) else 0


def _steps_of(part: Adversary, data: Graph) -> int:
    if isinstance(part, KnowsSubgraph):
        return data.n * EXPLORED << part.edges
    if isinstance(part, KnowsSomeNeighbors):
        return _sets(data.degree, part.l) if part.l > LEAST else 0
    if isinstance(part, KnowsSomeRelations):
        return _sets(2 * data.degree, part.l) if part.l > LEAST else 0
    if isinstance(part, KnowsSomeColumns):
        return data.n * comb(len(columns_of(part, data.attributes)), part.l)
    if isinstance(part, KnowsHubs):
        return (part.hubs if isinstance(part.hubs, int) else len(part.hubs)) * (data.n + data.m)
    if isinstance(part, KnowsBall) and part.radius > 1:
        return data.n * (data.n + data.m)
    return 0


def _sets(facts: Iterable[int], l: int) -> int:
    """Count the sets of up to l facts of each vertex that has so many."""
    many, often = np.unique(np.asarray(facts), return_counts=True)
    return sum(times * comb(d, min(l, d // 2, DEEP)) for d, times in zip(many.tolist(), often.tolist(), strict=True))
