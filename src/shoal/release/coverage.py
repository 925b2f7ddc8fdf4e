"""Coverage: the other knowledge that a guarantee is proved to protect against.

A guarantee about `a` covers `b` if `a` is finer than `b` (:mod:`shoal.knowledge.finer`). What is not proved is not
covered.
"""

from __future__ import annotations

from typing import Any

from shoal.errors import must, public
from shoal.knowledge import Adversary, SharedNeighbors, parse_knowledge
from shoal.knowledge.finer import SAME, explain_finer
from shoal.release.guarantee import ConfusionPromise, ExchangeabilityPromise, PartialPromise, Promise, RadiusPromise
from shoal.release.release import Release

RADIUS = "the candidates are the vertices whose rows share l neighbors"

PROMISES = (Promise, PartialPromise, ConfusionPromise, RadiusPromise, ExchangeabilityPromise)


@public
def covers(promise: Any, adversary: Adversary | str) -> bool:
    """Return whether a guarantee, or one of a release, holds with its k for other knowledge too.

    Only what is proved for every simple graph counts. A guarantee for some vertices covers those vertices. A partial
    guarantee, which does not say whom it protects, covers no other knowledge, and neither does a guarantee about facts
    of the original.

    Examples
    --------
    Equal rows protect against all that links show without names, but not against distances to known hubs:

    >>> from shoal.knowledge import Adjacency
    >>> from shoal.release import Promise
    >>> equal_rows = Promise(Adjacency(), 5)
    >>> covers(equal_rows, "neighbors:7"), covers(equal_rows, "hubs:1")
    (True, False)
    """
    return explain_coverage(promise, adversary) is not None


def explain_coverage(promise: Any, adversary: Adversary | str) -> str | None:
    """Return why a guarantee covers other knowledge; None if that is not proved.

    >>> from shoal.knowledge import Degree
    >>> from shoal.release import Promise
    >>> explain_coverage(Promise(Degree(), 2), "refinement:1")
    'it can be counted from the protected knowledge'
    """
    wanted = parse_knowledge(adversary)
    if isinstance(promise, Release):
        return next((why for one in promise.promises if (why := explain_coverage(one, wanted))), None)
    must(isinstance(promise, PROMISES), "covers", "promise", "a promise or a release", promise)
    if isinstance(promise, RadiusPromise):
        shares = isinstance(wanted, SharedNeighbors) and wanted.l <= promise.l
        return RADIUS if promise.similarity == "2-path" and shares else None
    if not isinstance(promise, Promise):
        return None
    if promise.source == "release":
        return explain_finer(promise.knowledge, wanted)
    return SAME if promise.knowledge == wanted else None
