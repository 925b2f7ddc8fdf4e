"""Intervals of numbers or dates as labels: "< 10", "[10, 100)" and ">= 100"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

LABEL = re.compile(r"< (?P<below>[^<>,]+)|\[(?P<low>[^\[,]+), (?P<high>[^,)]+)\)|>= (?P<above>[^<>,]+)")


class Interval(NamedTuple):
    """The values from one bound up to, and without, another."""

    low: Any
    """A number or a datetime; None if there is no lower bound."""
    high: Any
    """None if there is no upper bound."""

    def overlaps(self, other: Interval) -> bool:
        """Return whether some value could lie in both; intervals of numbers and of dates never overlap.

        >>> Interval(None, 10).overlaps(Interval(5, None)), Interval(0, 10).overlaps(Interval(10, 20))
        (True, False)
        """
        if self.scale != other.scale:
            return False
        ends = (self.low, other.high), (other.low, self.high)
        return all(low is None or high is None or low < high for low, high in ends)

    @property
    def scale(self) -> type:
        """The type of the bounds: float or datetime."""
        return datetime if any(isinstance(bound, datetime) for bound in self) else float


def parse_interval(label: str) -> Interval | None:
    """Return the interval that a label names, or None.

    >>> parse_interval("[10, 100)"), parse_interval(">= 2.5"), parse_interval("call")
    (Interval(low=10.0, high=100.0), Interval(low=2.5, high=None), None)
    """
    found = LABEL.fullmatch(label)
    if found is None:
        return None
    texts = (found["low"] or found["above"], found["high"] or found["below"])
    bounds = [None if text is None else _parse_bound(text) for text in texts]
    unknown = any(text is not None and bound is None for text, bound in zip(texts, bounds, strict=True))
    mixed = len({type(bound) for bound in bounds if bound is not None}) > 1
    return None if unknown or mixed else Interval(*bounds)


def _parse_bound(text: str) -> float | datetime | None:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def list_bounds(labels: Iterable[str]) -> list[str]:
    """Return the bounds of intervals, ascending and as they are spelled; none if a label is no interval.

    >>> list_bounds(["< 5", ">= 10"]), list_bounds(["call"])
    (['5', '10'], [])
    """
    known: dict[Any, str] = {}
    for label in labels:
        found, read = LABEL.fullmatch(label), parse_interval(label)
        if found is None or read is None:
            return []
        low, high = found["low"] or found["above"], found["high"] or found["below"]
        known |= {bound: text for bound, text in zip(read, (low, high), strict=True) if bound is not None}
    return [known[bound] for bound in sorted(known)]


def order_kind(kind: str) -> tuple[int, Any, str]:
    """Return where a kind stands in a sorted list: the missing kind, intervals by their bounds, other kinds as texts.

    >>> sorted([">= 100", "< 20", "call", "[20, 100)"], key=order_kind)
    ['< 20', '[20, 100)', '>= 100', 'call']
    """
    found = parse_interval(kind)
    if found is None:
        return 2 if kind else -1, 0, kind
    low = (0, 0) if found.low is None else (1, found.low)
    return 0 if found.scale is float else 1, low, kind


def find_clash(some: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return two labels of different intervals that overlap, one of each list; None if there are none.

    >>> find_clash(["< 5", ">= 5"], ["< 6", ">= 6"])
    ('< 5', '< 6')
    """
    read = [[(label, found) for label in labels if (found := parse_interval(label))] for labels in (some, others)]
    clashes = ((a, b) for a, x in read[0] for b, y in read[1] if a != b and x.overlaps(y))
    return next(clashes, None)
