"""The worst record: where a re-identification method is left with the fewest individuals.

M is how many individuals reach the threshold t for one record, at the worst information a.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import must
from shoal.risk.linkage.asking import Method, Questions
from shoal.risk.linkage.probabilities import Probability
from shoal.risk.linkage.rows import Row
from shoal.risk.linkage.steps import Steps, lowest

Convention = Literal["per-a", "paper"]
CONVENTIONS = ("per-a", "paper")


@dataclass(frozen=True)
class Exposure:
    """Where confusion is lowest: this method, asked about y with a, is left with `count` individuals."""

    method: Method
    y: Any
    a: Any
    count: int


def checked_convention(who: str, convention: Convention) -> Convention:
    """Return the convention, or refuse it."""
    must(convention in CONVENTIONS, who, "convention", f"one of {', '.join(CONVENTIONS)}", convention)
    return convention


def worst(rows: Sequence[Row], t: Probability, convention: Convention) -> tuple[int, int]:
    """Return M for one record, and which information it is due to."""
    counts = [row.count(t) for row in rows]
    if convention == "per-a":
        counts = [count or rows[0].n for count in counts]
    least = min(counts)
    return least or rows[0].n, counts.index(least)


def tightest(methods: Sequence[Method], asked: Questions, t: Probability, convention: Convention) -> Exposure:
    """Return the first of the records with the lowest confusion at t."""
    best: Exposure | None = None
    for r, y, rows in asked.each(methods):
        count, h = worst(rows, t, convention)
        if best is None or count < best.count:
            best = Exposure(r, y, asked.infos[h], count)
    assert best is not None
    return best


def curve_of(methods: Sequence[Method], asked: Questions, convention: Convention) -> tuple[int, Steps]:
    """Return the number of individuals, and the lowest confusion at every t; equal steps are looked at once."""
    seen: set[Hashable] = set()
    curve: Steps | None = None
    n = 0
    for _, _, rows in asked.each(methods):
        n = rows[0].n
        key = tuple(row.key for row in rows)
        if key in seen:
            continue
        if None not in key:
            seen.add(key)
        steps = _steps(rows, n, convention)
        curve = steps if curve is None else curve & steps
    assert curve is not None
    return n, curve


def _steps(rows: Sequence[Row], n: int, convention: Convention) -> Steps:
    """Return M of one record as a function of t."""
    steps = [row.steps() for row in rows]
    if convention == "per-a":
        return lowest([each.instead_of_nobody(n) for each in steps]).joined()
    return lowest(steps).instead_of_nobody(n).joined()
