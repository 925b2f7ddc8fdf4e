"""Recommendations in words: which method, why its promise is enough, and what the others would change."""

from __future__ import annotations

from shoal.anonymizers.recommend import Offer, Recommendation
from shoal.report.wording import share
from shoal.show import as_text
from shoal.terminal import join_lines


@as_text.register
def recommendation_text(found: Recommendation) -> str:
    """Return why the first is recommended, and a line for each of the others."""
    first, *others = found.offers
    lines = [
        f"{called(first)}: its promise about {first.promises.spec} covers {found.adversary.spec}, since {first.covers}."
    ]
    lines.append(f"It changes {cost_text(first, found.data.m)}." if first.release else _untried(bool(others)))
    return join_lines([*lines, *(f"Instead: {_other(offer, found.data.m)}" for offer in others)])


def _untried(others: bool) -> str:
    if not others:
        return "No other method has a promise that covers it."
    return (
        "None was tried: of the promises that cover it, this one is the weakest, which mostly takes the fewest changes."
    )


def _other(offer: Offer, edges: int) -> str:
    told = offer.refused or (f"changes {cost_text(offer, edges)}." if offer.release else "not tried.")
    return f"{called(offer)}, promises {offer.promises.spec}: {told}"


def cost_text(offer: Offer, edges: int) -> str:
    """Return how many edges a tried method changes."""
    assert offer.release is not None
    many = offer.cost
    if not many:
        return "nothing"
    early = " (it was stopped early)" if offer.release.measured.get("stopped early") else ""
    return f"as many edges as {share(many, edges)} of them{early}" if edges else f"{many:,} edges{early}"


def called(offer: Offer) -> str:
    """Return the name of a method, with how it edits where it has the choice."""
    edits = getattr(offer.method, "edits", None)
    name = type(offer.method).__name__
    return f"{name}(edits={edits!r})" if isinstance(edits, str) else name
