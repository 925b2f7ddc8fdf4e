"""n_confusion: the largest n for which there is n-confusion, and the threshold that shows it (section 2 of the paper).

Confusion is constant between the values that probabilities take, so the largest n is found exactly by looking at each
of these intervals. n, t and the methods are those of :mod:`shoal.risk.confusion`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import must
from shoal.risk.confusion import ConfusionCurve, Convention, Exposure, checked_convention, curve_of, tightest
from shoal.risk.linkage.asking import Method, Questions, as_methods
from shoal.risk.linkage.probabilities import NEAR, Probability, at_most_one_over, most_above, most_within, one_over

Definition = Literal["threshold", "ties", "peak"]
DEFINITIONS = ("threshold", "ties", "peak")


@dataclass(frozen=True)
class NConfusion:
    """The largest n for which there is n-confusion, and what shows it."""

    n: int
    t: Probability
    """The threshold that shows it; for "ties" and "peak" the highest value of the witness."""
    witness: Exposure
    """Who has no more: the method, the record and the information; `count` is its confusion (for "ties" its ties)."""
    definition: Definition
    convention: Convention


def n_confusion(
    methods: Method | Iterable[Method],
    y: Any,
    a: Any,
    *,
    convention: Convention = "per-a",
    definition: Definition = "threshold",
) -> NConfusion:
    """Return the largest n for which there is n-confusion against the methods, and the threshold that shows it.

    Parameters
    ----------
    methods
        One re-identification method, or several.
    y, a, convention
        As for :func:`confusion`.
    definition
        "threshold": some t with 0 < t <= 1/n has confusion at least n, for every method; the largest such t is given.
        The paper's two alternatives: "ties": the highest value is taken at least n times, for every y and a; "peak":
        the highest value is at most 1/n.

    Examples
    --------
    The three definitions can be far apart:

    >>> from fractions import Fraction
    >>> def r(y, a):
    ...     return [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), 0]
    >>> [n_confusion(r, ["y"], None, definition=which).n for which in ("threshold", "ties", "peak")]
    [3, 1, 2]
    >>> n_confusion(r, ["y"], None).t
    Fraction(1, 4)
    """
    who = "n_confusion"
    must(definition in DEFINITIONS, who, "definition", f"one of {', '.join(DEFINITIONS)}", definition)
    known, asked = as_methods(who, methods), Questions.of(who, y, a)
    if definition != "threshold":
        return _by_peaks(known, asked, definition, checked_convention(who, convention))
    curve = curve_of(known, asked, checked_convention(who, convention))
    for n, t in _shown_by(curve):
        witness = tightest(known, asked, t, convention)
        # floats that cannot be told apart from t may leave fewer than the curve says; then a smaller t must show it
        if witness.count >= n:
            break
    return NConfusion(n, t, witness, definition, convention)


def _shown_by(curve: ConfusionCurve) -> list[tuple[int, Probability]]:
    """Return for each interval the largest n with confusion n at some t <= 1/n of it, and the largest such t."""
    found: list[tuple[int, Probability]] = []
    low: Probability | None = None
    for high, count in zip(curve.t.tolist(), curve.confusion.tolist(), strict=True):
        n = count if low is None else min(count, most_above(low))
        if n:
            t = high if at_most_one_over(high, n) else one_over(n, high)
            found.append((n, t))
            if isinstance(t, float) and t * (1 - 2 * NEAR) > (low or 0):
                found.append((n, t * (1 - 2 * NEAR)))  # out of reach of the floats that are next to t
        low = high
    return sorted(found, reverse=True)


def _by_peaks(
    methods: Sequence[Method], asked: Questions, definition: Definition, convention: Convention
) -> NConfusion:
    best: tuple[int, Probability, Exposure] | None = None
    for r, y, rows in asked.each(methods):
        for h, row in enumerate(rows):
            highest, ties = row.peak()
            n = ties if definition == "ties" else most_within(highest)
            if best is None or (n, -highest) < (best[0], -best[1]):
                best = n, highest, Exposure(r, y, asked.infos[h], ties)
    assert best is not None
    return NConfusion(*best, definition, convention)
