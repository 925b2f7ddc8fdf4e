"""Group: metrics that are measured together, and how; what cannot be measured says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from shoal.utility.comparison import Measured, Metric
from shoal.utility.network import Network


@dataclass(frozen=True)
class Lacking:
    """There is no such number, and this is why."""

    why: str
    """A sentence without its full stop, e.g. no two vertices are connected."""


Value = float | Measured | Lacking
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Group:
    """Metrics that are measured together."""

    metrics: tuple[Metric, ...]
    before: Callable[[Network], Values]
    """What the original comes to, for the metrics that it has alone."""
    after: Callable[[Network, Network], Values]
    """What another graph comes to, given the original first; without who is who, what needs it is left out."""
    slow: bool = False
    """Whether it is measured on one draw of a large graph, not on several."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Metrics that these graphs cannot have, each with the reason."""
    baselined: frozenset[str] | None = None
    """The metrics that depend on links, so that other links are a baseline; None: all."""


def alone(metrics: tuple[Metric, ...], measure: Callable[[Network], Values], *, slow: bool = False) -> Group:
    """Return a group of metrics each of which is a number about one graph."""
    return Group(metrics, measure, lambda _, other: measure(other), slow)


def pooled(values: Sequence[Value]) -> Measured | Lacking:
    """Return the mean over draws with its standard deviation; what one of them lacks, all lack.

    >>> pooled([1.0, 2.0, 3.0]), pooled([0.5])
    (Measured(value=2.0, spread=1.0), Measured(value=0.5, spread=None))
    """
    lacking = [value for value in values if isinstance(value, Lacking)]
    if lacking:
        return lacking[0]
    numbers = [value if isinstance(value, Measured) else Measured(float(value)) for value in values]  # type: ignore[arg-type]
    if len(numbers) == 1:
        return numbers[0]
    plain = [number.value for number in numbers]
    if min(plain) == max(plain):
        return Measured(plain[0], 0.0)  # the mean of equal numbers would be rounded
    return Measured(fmean(plain), stdev(plain))
