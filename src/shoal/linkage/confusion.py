"""Confusion: the fewest individuals that a re-identification method links to a record (paper, section 2).

r is a re-identification method, y a protected record, a a piece of auxiliary information, I the individuals, t a
threshold, n a number of individuals. M is the number of i with r(y, a)[i] >= t at the worst a. If no individual reaches
t, the record could belong to any of them, so M is |I|. conf(r, Y, A, t) is the smallest M over the records.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.frames import make_frame
from shoal.errors import must, public, whole
from shoal.linkage.base import Method, Questions, as_methods
from shoal.linkage.probabilities import (
    NEAR,
    Probability,
    as_threshold,
    divide_one,
    find_most_above,
    find_most_within,
    is_at_most_one_over,
)
from shoal.linkage.rows import Bounds, Row, Steps, as_row, take_lowest
from shoal.show import as_chart, as_html

__all__ = [
    "CONVENTIONS",
    "ConfusionCurve",
    "ConfusionWitness",
    "Convention",
    "NConfusion",
    "ProvidesConfusion",
    "confusion",
    "confusion_curve",
    "linked",
    "n_confusion",
    "provides_confusion",
]

Definition = Literal["threshold", "ties", "peak"]
DEFINITIONS: tuple[Definition, ...] = ("threshold", "ties", "peak")


@public
def confusion(r: Method, y: Any, a: Any, t: Any, convention: Convention = "per-a") -> int:
    """Return conf(r, Y, A, t): the fewest individuals that reach the probability t, over all records.

    Parameters
    ----------
    r
        A re-identification method: r(y, a) returns one probability per individual, exact (int, Fraction) or float.
    y
        The protected records; or a whole release (a table, graph or frame) for all its records.
    a
        The pieces of auxiliary information; or a single one: a whole original, or None for no information.
    t
        The threshold, from 0 to 1. Exact numbers are compared exactly. A float within a relative 1e-12 of t, but
        different from t, is counted both ways, and the smaller confusion is returned.
    convention
        What to do if no individual reaches t. "per-a": all individuals count for this a; then the worst a is taken.
        "paper": the worst a is taken first, so one uninformative a hides another that re-identifies (E27).

    Returns
    -------
    int
        A number from 1 to the number of individuals.

    Examples
    --------
    The first piece of information reveals nothing, the second everything:

    >>> from fractions import Fraction
    >>> def r(y, a):
    ...     return [1, 0, 0, 0] if a == "saw him" else [Fraction(1, 4)] * 4
    >>> confusion(r, ["y"], ["nothing", "saw him"], Fraction(1, 2))
    1
    >>> confusion(r, ["y"], ["nothing", "saw him"], Fraction(1, 2), convention="paper")
    4

    A larger threshold is not always stricter: no individual may reach it (E28):

    >>> [confusion(lambda y, a: [0.4, 0.3, 0.3], ["y"], None, t) for t in (0.3, 0.4, 0.5)]
    [3, 1, 3]

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """
    methods = as_methods("confusion", [r])
    asked = Questions.of("confusion", y, a)
    return find_tightest(methods, asked, as_threshold(t, "confusion"), check_convention("confusion", convention)).count


@dataclass(frozen=True)
class ProvidesConfusion:
    """Whether (n,t)-confusion holds against the given methods; usable as a condition."""

    n: int
    t: Probability
    violation: ConfusionWitness | None
    """The first record with fewer than n individuals; None if (n,t)-confusion holds."""

    def __bool__(self) -> bool:
        return self.violation is None


@public
def provides_confusion(
    methods: Method | Iterable[Method], y: Any, a: Any, n: int, t: Any, convention: Convention = "per-a"
) -> ProvidesConfusion:
    """Return whether every method leaves every record at least n individuals that reach t: (n,t)-confusion.

    The definition covers all possible methods. This function checks only the given ones.

    Parameters
    ----------
    methods
        One re-identification method, or several.
    y, a, convention
        As for :func:`confusion`.
    n
        The minimum number of individuals.
    t
        The threshold: above 0 and at most 1/n, as the definition requires.

    Examples
    --------
    >>> held = provides_confusion(lambda y, a: [0.9, 0.05, 0.05], ["y"], None, n=3, t=0.05)
    >>> bool(held)
    True
    >>> held = provides_confusion(lambda y, a: [0.9, 0.05, 0.05], ["y"], None, n=3, t=0.33)
    >>> bool(held), held.violation.count
    (False, 1)
    """
    who = "provides_confusion"
    n, threshold = whole(n, who, "n", least=1), as_threshold(t, who)
    must(threshold > 0 and is_at_most_one_over(threshold, n), who, "t", f"above 0 and at most 1/{n}", t)
    check_convention(who, convention)
    for r, record, rows in (asked := Questions.of(who, y, a)).each(as_methods(who, methods)):
        count, h = find_worst(rows, threshold, convention)
        if count < n:
            return ProvidesConfusion(n, threshold, ConfusionWitness(r, record, asked.infos[h], count))
    return ProvidesConfusion(n, threshold, None)


@dataclass(frozen=True, eq=False)
class ConfusionCurve:
    """Confusion as a function of the threshold: `confusion[i]` for t above `t[i-1]` (0 for the first), up to `t[i]`.

    It may rise: if no individual reaches t, all individuals count (E28). Floats are not rounded.
    """

    individuals: int
    t: Bounds
    """Where confusion may change, ascending up to 1: floats or exact Fractions."""
    confusion: Ints
    convention: Convention

    def at(self, t: Any) -> int:
        """Return the confusion at a threshold."""
        threshold = as_threshold(t, "ConfusionCurve")
        return self.individuals if threshold == 0 else Steps(self.t, self.confusion).at(threshold)

    def to_frame(self) -> Any:
        """Return one row per interval, as a pandas, polars or pyarrow frame (the first that is installed)."""
        upper = self.t.astype(np.float64)
        return make_frame({"above": np.append(0.0, upper[:-1]), "up_to": upper, "confusion": self.confusion})

    @public
    def plot(self) -> Any:
        """Return an altair chart: confusion against the threshold. In a notebook it shows itself."""
        return as_chart(self)

    def _repr_html_(self) -> str:
        return as_html(self)


@public
def confusion_curve(
    methods: Method | Iterable[Method], y: Any, a: Any, convention: Convention = "per-a"
) -> ConfusionCurve:
    """Return confusion as a function of the threshold; for several methods, the smallest at each threshold.

    Parameters
    ----------
    methods
        One re-identification method, or several.
    y, a, convention
        As for :func:`confusion`.

    Examples
    --------
    >>> curve = confusion_curve(lambda y, a: [0.4, 0.3, 0.3], ["y"], None)
    >>> curve.t.tolist(), curve.confusion.tolist()
    ([0.3, 0.4, 1.0], [3, 1, 3])
    """
    who = "confusion_curve"
    n, steps = trace_curve(as_methods(who, methods), Questions.of(who, y, a), check_convention(who, convention))
    return ConfusionCurve(n, steps.bounds, steps.counts, convention)


@dataclass(frozen=True)
class NConfusion:
    """The largest n for which n-confusion holds, and the evidence."""

    n: int
    t: Probability
    """The threshold that shows it; for "ties" and "peak" the highest probability of the witness."""
    witness: ConfusionWitness
    """The method, record and information with no more than n; `count` is the confusion (for "ties" the ties)."""
    definition: Definition
    convention: Convention


@public
def n_confusion(
    methods: Method | Iterable[Method],
    y: Any,
    a: Any,
    *,
    convention: Convention = "per-a",
    definition: Definition = "threshold",
) -> NConfusion:
    """Return the largest n for which n-confusion holds against the methods, and the threshold that shows it.

    Parameters
    ----------
    methods
        One re-identification method, or several.
    y, a, convention
        As for :func:`confusion`.
    definition
        "threshold": for some t with 0 < t <= 1/n, every method has confusion at least n; the largest such t is
        returned. The paper has two alternatives. "ties": the highest probability occurs at least n times, for every y
        and a. "peak": the highest probability is at most 1/n.

    Examples
    --------
    The three definitions can differ widely:

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
        return _count_peaks(known, asked, definition, check_convention(who, convention))
    _, steps = trace_curve(known, asked, check_convention(who, convention))
    for n, t in _list_thresholds(steps):
        witness = find_tightest(known, asked, t, convention)
        # floats too close to t may leave fewer than the curve says; then try a smaller t
        if witness.count >= n:
            break
    return NConfusion(n, t, witness, definition, convention)


@public
def linked(r: Method, y: Any, a: Any) -> frozenset[int]:
    """Return J: the individuals linked to the record y, i.e. those with a probability above 0.

    >>> sorted(linked(lambda y, a: [0.5, 0, 0.5], "y", None))
    [0, 2]
    """
    return frozenset(as_row(r(y, a)).linked.tolist())


def _list_thresholds(steps: Steps) -> list[tuple[int, Probability]]:
    """Return, for each interval, the largest n with confusion n at some t <= 1/n in it, and the largest such t."""
    found: list[tuple[int, Probability]] = []
    low: Probability | None = None
    for high, count in zip(steps.bounds.tolist(), steps.counts.tolist(), strict=True):
        n = count if low is None else min(count, find_most_above(low))
        if n:
            t = high if is_at_most_one_over(high, n) else divide_one(n, high)
            found.append((n, t))
            if isinstance(t, float):
                found.append((n, t * (1 - 2 * NEAR)))  # far enough from the floats next to t
        low = high
    return sorted(found, reverse=True)


def _count_peaks(
    methods: Sequence[Method], asked: Questions, definition: Definition, convention: Convention
) -> NConfusion:
    best: tuple[int, Probability, ConfusionWitness] | None = None
    for r, y, rows in asked.each(methods):
        for h, row in enumerate(rows):
            highest, ties = row.peak()
            n = ties if definition == "ties" else find_most_within(highest)
            if best is None or (n, -highest) < (best[0], -best[1]):
                best = n, highest, ConfusionWitness(r, y, asked.infos[h], ties)
    assert best is not None
    return NConfusion(*best, definition, convention)


# The worst record: the one that a re-identification method links to the fewest individuals.
#
# M is the number of individuals that reach the threshold t for one record, at the worst information a.

Convention = Literal["per-a", "paper"]
CONVENTIONS = ("per-a", "paper")


@dataclass(frozen=True)
class ConfusionWitness:
    """Where confusion is lowest: this method, asked about y with a, links `count` individuals."""

    method: Method
    y: Any
    a: Any
    count: int


def check_convention(who: str, convention: Convention) -> Convention:
    """Return the convention, or raise an error if it is unknown."""
    must(convention in CONVENTIONS, who, "convention", f"one of {', '.join(CONVENTIONS)}", convention)
    return convention


def find_worst(rows: Sequence[Row], t: Probability, convention: Convention) -> tuple[int, int]:
    """Return M for one record, and the information that it is due to."""
    counts = [row.count(t) for row in rows]
    if convention == "per-a":
        counts = [count or rows[0].n for count in counts]
    least = min(counts)
    return least or rows[0].n, counts.index(least)


def find_tightest(
    methods: Sequence[Method], asked: Questions, t: Probability, convention: Convention
) -> ConfusionWitness:
    """Return the first record with the lowest confusion at t."""
    best: ConfusionWitness | None = None
    for r, y, rows in asked.each(methods):
        count, h = find_worst(rows, t, convention)
        if best is None or count < best.count:
            best = ConfusionWitness(r, y, asked.infos[h], count)
    assert best is not None
    return best


def trace_curve(methods: Sequence[Method], asked: Questions, convention: Convention) -> tuple[int, Steps]:
    """Return the number of individuals and the lowest confusion at every t. Equal step functions are processed once."""
    seen: set[Hashable] = set()
    curve: Steps | None = None
    for _, _, rows in asked.each(methods):
        n = rows[0].n
        key = tuple(row.key for row in rows)
        if key in seen:
            continue
        if None not in key:
            seen.add(key)
        steps = _trace_steps(rows, n, convention)
        curve = steps if curve is None else curve & steps
    assert curve is not None
    return n, curve


def _trace_steps(rows: Sequence[Row], n: int, convention: Convention) -> Steps:
    """Return M of one record as a function of t."""
    steps = [row.steps() for row in rows]
    if convention == "per-a":
        return take_lowest([each.replace_zeros(n) for each in steps]).join_equal()
    return take_lowest(steps).replace_zeros(n).join_equal()
