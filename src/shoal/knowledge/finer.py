"""Finer knowledge: which kinds of knowledge leave no more candidates than another.

`a` is finer than `b` if in every simple graph, for every vertex, every candidate set of `b` contains one of `a`. Then k
candidates under `a` are k under `b`. The kinds state this themselves, each rule with a sentence that proves it. What no
rule states is not proved; for each such pair of a panel the tests hold a graph in which `b` leaves fewer than `a`.
"""

from __future__ import annotations

from itertools import permutations

from shoal.knowledge.base import Adversary

SAME = "it is the protected knowledge"
NOTHING = "an attacker who knows nothing cannot distinguish vertices"


def explain_finer(a: Adversary, b: Adversary) -> str | None:
    """Return why every candidate set of b contains one of a, in every simple graph; None if that is not proved.

    >>> from shoal.knowledge import Degree, Refinement
    >>> explain_finer(Degree(), Refinement(1)), explain_finer(Degree(), Refinement(2))
    ('it can be counted from the protected knowledge', None)
    """
    if a == b:
        return SAME
    if len(b.parts) > 1:
        return _explain_each(a.parts, b.parts)
    return next((why for part in a.parts if (why := _explain_one(part, b.parts[0]))), None)


def _explain_each(parts: tuple[Adversary, ...], wanted: tuple[Adversary, ...]) -> str | None:
    """Find a finer part for each wanted one. A part with several sets of facts serves only once."""
    many = [part for part in parts if part.several_sets]
    single = [part for part in parts if not part.several_sets]
    remaining = [part for part in wanted if not any(_explain_one(one, part) for one in single)]
    matched = any(
        all(_explain_one(one, part) for one, part in zip(order, remaining, strict=True))
        for order in permutations(many, len(remaining))
    )
    reasons = [why for part in wanted for one in parts if (why := _explain_one(one, part))]
    return reasons[0] if matched else None


def _explain_one(a: Adversary, b: Adversary) -> str | None:
    if a == b:
        return SAME
    return NOTHING if b.is_empty else a.explain_finer(b) or b.explain_coarser(a)
