"""The chance that a promise leaves: who has k candidates is guessed with a chance of 1/k at most.

A promise about what is known in the release bounds the chance of an attacker who knows the original, too. Either the
target is not among those who fit, and the chance is 0. Or it is: then the facts are true of it in the release, so that
whoever fits them is whoever knowledge of the release would leave, and that is k or more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.adversaries import (
    Adversary,
    KnowsAdjacency,
    KnowsColumns,
    KnowsCounts,
    KnowsDegree,
    KnowsDegrees,
    KnowsNeighborhood,
    KnowsOrbit,
    KnowsRefinement,
    KnowsSomeColumns,
    KnowsSomeNeighbors,
    KnowsSomeRelations,
)
from shoal.data.counterparts import Pair
from shoal.data.graph import Ints
from shoal.data.release import Promise, Release
from shoal.engines import Bools
from shoal.risk.assess import parts_of
from shoal.risk.coverage import covers

SURE = (
    KnowsAdjacency, KnowsColumns, KnowsCounts, KnowsDegree, KnowsDegrees, KnowsNeighborhood, KnowsOrbit,
    KnowsRefinement, KnowsSomeColumns, KnowsSomeNeighbors, KnowsSomeRelations,
)  # fmt: skip
"""Knowledge that, where it leaves the target in, is true of it in the release. (Hubs are chosen in the original, the
row that neighbors are shared with is the original's, and a piece of a graph may be explored otherwise in the release.)
"""


def promises_about(release: Release | None, knows: Adversary) -> list[Promise]:
    """Return those promises that cover this knowledge."""
    found = () if release is None else release.promise
    return [promise for promise in found if isinstance(promise, Promise) and covers(promise, knows)]


def law(
    pair: Pair, release: Release | None, knows: Adversary, targets: Ints, sizes: Ints, holds: Bools
) -> dict[str, Any] | None:
    """Return the bound on the chance of every target, and whether it holds; None where nothing bounds it."""
    if pair.original.multiplicity is not None or pair.released.multiplicity is not None:
        return None  # what covers what is proved for simple graphs
    sure = all(isinstance(part, SURE) for part in parts_of(knows))
    about = [p for p in promises_about(release, knows) if sure or p.source == "original"]
    if not about:
        return None
    promise = max(about, key=lambda p: (p.vertices == "all", p.k))
    protected = np.ones(len(targets), dtype=np.bool_)
    if promise.vertices != "all":
        protected = np.isin(targets, pair.original.names.find(promise.vertices))
    most = float((holds / np.maximum(sizes, 1))[protected].max(initial=0.0))
    who = "everybody" if promise.vertices == "all" else "the protected ones (the others are NOT protected)"
    told = f"{promise.k:,} candidates are promised to {who} against this knowledge, so that"
    return {
        "promised k": promise.k,
        "bound": 1 / promise.k,
        "measured": most,
        "inside": most <= 1 / promise.k,
        "means": f"{told} nobody of them is guessed with a chance above 1/{promise.k:,}.",
    }
