"""Kinds of links: from the cells of a column to labels, with intervals for numbers and dates."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import islice, pairwise
from math import isfinite
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.column import MISSING, WHOLE_LIMIT, Column
from shoal.data.hierarchy import Hierarchy
from shoal.data.numerals import strip_numeral
from shoal.data.spelling import parse_number, parse_texts
from shoal.data.ties import MISSING_KIND
from shoal.errors import BadGraph, BadParameter, notice, parse_whole, show_value

Bins = Sequence[Any] | str | Hierarchy
"""Ascending bounds (numbers or dates), "quantiles:N", or a hierarchy."""

MOST = 1_000
"""More kinds than this are refused."""

FEW_KINDS, MOSTLY_ONCE = 10, 0.9
"""From this number of kinds on, a notice says if at least this share of them occurs once."""

ADVICE = "Group them into intervals with bins= (--bins), for example 0,10,100, quantiles:5 or hierarchy:FILE."

QUANTILES = re.compile(r"quantiles:([0-9]{1,9})")
MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")


@dataclass(frozen=True, eq=False)
class KindCodes:
    """The kind of each link, as a code."""

    codes: Ints
    """For each link the position of its kind."""
    labels: tuple[str, ...]
    """The kinds, each once."""

    @classmethod
    def of(cls, kinds: Sequence[str | None]) -> KindCodes:
        """Number kinds in order of appearance; None is the missing kind.

        >>> KindCodes.of(["kin", None, "kin"])
        KindCodes(codes=array([0, 1, 0]), labels=('kin', ''))
        """
        at: dict[str, int] = {}
        codes = [at.setdefault(MISSING_KIND if kind is None else str(kind), len(at)) for kind in kinds]
        return cls(np.array(codes, dtype=np.int64), tuple(at))


def label_kinds(cells: Column, bins: Bins | None = None, name: str = "kind", who: str = "as_graph") -> KindCodes:
    """Return the kind of each link: the spelling of its cell, or the label of its bin.

    A missing cell or an empty text is the missing kind, and a notice counts such links.

    Parameters
    ----------
    cells
        One cell per link.
    bins
        None for the cells as they are; bounds, "quantiles:N" (:func:`find_quantile_bounds`), or a hierarchy, whose
        first generalization is used. Bounds b < c make the intervals "< b", "[b, c)" and ">= c".
    name
        The name of the column, for messages.
    who
        The start of messages.

    Examples
    --------
    >>> label_kinds(Column.of(["call", "text", "call"])).labels
    ('call', 'text')
    >>> label_kinds(Column.of([3, 12, 250, 10]), bins=[10, 100])
    KindCodes(codes=array([0, 1, 2, 1]), labels=('< 10', '[10, 100)', '>= 100'))
    """
    cells = _drop_empty(cells)
    used = [cells.values[code] for code in cells.occurring.tolist()]
    if bins is None:
        labels = _spell_values(used, name, who)
    elif isinstance(bins, Hierarchy):
        return _number_labels(cells, bins.recoded(cells, 1), name, who)
    else:
        counts = np.bincount(cells.codes[cells.codes != MISSING], minlength=len(cells.values))[cells.occurring]
        labels = _label_bins(used, counts.tolist(), bins, name, who)
    spelled = Column.of(labels)
    place = np.full(len(cells.values) + 1, MISSING, dtype=np.int64)
    place[cells.occurring] = spelled.codes
    return _number_labels(cells, Column(place[cells.codes], spelled.values), name, who)


def _number_labels(cells: Column, labels: Column, name: str, who: str) -> KindCodes:
    """Return the codes of labels, with the missing kind as a label; refuse too many."""
    used = labels.occurring
    if len(used) > MOST:
        raise BadGraph(
            f"{who}: the column {name!r} must have at most {MOST:,} kinds. Got {len(used):,}, such as "
            f"{labels.values[used[0]]!r:.60}. {ADVICE}"
        )
    gone = int(np.count_nonzero(labels.codes == MISSING))
    if gone:
        told = f"{gone:,} of {len(cells):,} links {'has' if gone == 1 else 'have'} no kind in {name!r}"
        notice(f"{who}: {told}. Missing is a kind of its own.", told)
    once = int(np.count_nonzero(np.bincount(labels.codes[labels.codes != MISSING]) == 1))
    if len(used) >= FEW_KINDS and once >= MOSTLY_ONCE * len(used):
        notice(
            f"{who}: {once:,} of {len(used):,} kinds in the column {name!r} occur once, so a kind may identify its "
            f"link. Is it a kind? {ADVICE}",
            f"{once:,} of {len(used):,} kinds in {name!r} occur once (--bins)",
        )
    place = np.full(len(labels.values) + 1, len(used), dtype=np.int64)  # the last entry is for MISSING
    place[used] = np.arange(len(used))
    spelled = tuple(str(labels.values[code]) for code in used.tolist())
    return KindCodes(place[labels.codes], (*spelled, MISSING_KIND) if gone else spelled)


def _drop_empty(cells: Column) -> Column:
    """Return the cells with empty texts as missing values."""
    if "" not in cells.values:
        return cells
    return Column(np.where(cells.codes == cells.values.index(""), MISSING, cells.codes), cells.values, cells.from_text)


def _spell_values(values: list[Any], name: str, who: str) -> list[str]:
    """Return values as texts; a whole float has the spelling of the integer, which it equals."""
    whole = (int(value) if type(value) is float and value.is_integer() else value for value in values)
    texts = [str(value) for value in whole]
    if len(set(texts)) < len(texts):
        alike = next(text for text in texts if texts.count(text) > 1)
        raise BadGraph(
            f"{who}: different kinds must differ as text. Got two values in the column {name!r} that are both written "
            f"as {alike!r:.60}. Change one of them."
        )
    return texts


# Bins: intervals of numbers or dates.

Scale = Literal["numbers", "dates"]


def _label_bins(values: list[Any], counts: list[int], bins: Sequence[Any] | str, name: str, who: str) -> list[str]:
    """Return the label of the interval of each value; `counts` says how often each occurs."""
    quantiles = QUANTILES.fullmatch(bins) if isinstance(bins, str) else None
    places, scale = _measure(values, name, who)
    if quantiles:
        bounds = find_quantile_bounds(places, counts, int(quantiles[1]))
        if len(bounds) + 1 < int(quantiles[1]):
            intervals = "1 interval" if not bounds else f"{len(bounds) + 1:,} intervals"
            notice(f"{who}: {bins} makes {intervals} of the column {name!r}, because many links have equal values.")
    else:
        bounds = _parse_bounds(bins, scale, name, who)
    aware = any(isinstance(place, datetime) and place.tzinfo is not None for place in places)
    marks = [mark.replace(tzinfo=mark.tzinfo or UTC) for mark in bounds] if aware else bounds
    spelled = [_spell_bound(bound) for bound in bounds]
    inner = [f"[{a}, {b})" for a, b in pairwise(spelled)]
    labels = [f"< {spelled[0]}", *inner, f">= {spelled[-1]}"] if spelled else ["all"]
    return [labels[bisect_right(marks, place)] for place in places]


def _measure(values: list[Any], name: str, who: str) -> tuple[list[Any], Scale]:
    """Return values as numbers, or as datetimes; raise BadParameter for text."""
    import pyarrow as pa

    if values and all(isinstance(value, str) for value in values):
        numbers = parse_texts(pa.array(values, pa.large_string()))
        values = list(numbers) if not isinstance(numbers[0], str) else [_parse_date(value) or value for value in values]
    if all(map(_is_finite, values)):
        return [strip_numeral(value) for value in values], "numbers"
    times = [_widen_date(value) for value in values]
    if all(times) and len({time.tzinfo is None for time in times}) == 1:
        return times, "dates"
    odd = next(value for value, time in zip(values, times, strict=True) if not time) if not all(times) else values[0]
    raise BadParameter(
        f"{who}: 'bins' (--bins) must be used on numbers or dates. Got {odd!r:.60} in the column {name!r}. Leave it "
        "out, or name a hierarchy: hierarchy:FILE."
    )


def _parse_date(text: str) -> datetime | None:
    """Return the date or time that a text spells in ISO form, or None.

    >>> _parse_date("2024-03"), _parse_date("soon")
    (datetime.datetime(2024, 3, 1, 0, 0), None)
    """
    try:
        return datetime.fromisoformat(f"{text}-01" if MONTH.fullmatch(text) else text)
    except ValueError:
        return None


def _widen_date(value: Any) -> Any:
    """Return a date as a datetime; None for anything else."""
    if isinstance(value, datetime):
        return value
    return datetime(value.year, value.month, value.day) if isinstance(value, date) else None


def _parse_bounds(bins: Sequence[Any] | str, scale: Scale, name: str, who: str) -> list[Any]:
    """Return ascending bounds of the same scale as the values."""
    listed = bins.split(",") if isinstance(bins, str) else bins
    found = [_parse_bound(bound, scale) for bound in listed] if hasattr(listed, "__iter__") else []
    if not found or any(bound is None for bound in found):
        raise BadParameter(
            f"{who}: 'bins' (--bins) must be {scale} such as "
            f"{'0,10,100' if scale == 'numbers' else '2024-01-01,2025-01-01'}, as the values of {name!r} are, or "
            f"quantiles:N or hierarchy:FILE. Got {bins!r:.80}."
        )
    if not all(a < b for a, b in pairwise(found)):
        raise BadParameter(f"{who}: 'bins' (--bins) must ascend. Got {bins!r:.80}.")
    return found


def _parse_bound(bound: Any, scale: Scale) -> Any:
    if scale == "dates":
        return _parse_date(bound.strip()) if isinstance(bound, str) else _widen_date(bound)
    number = parse_number(bound) if isinstance(bound, str) else bound
    return number if _is_finite(number) else None


def _is_finite(value: Any) -> bool:
    return type(value) is not bool and (isinstance(value, int) or (isinstance(value, float) and isfinite(value)))


def _spell_bound(bound: Any) -> str:
    """Return a bound as text: a date without midnight, a number as Python writes it."""
    if isinstance(bound, datetime) and bound.tzinfo is None and bound == datetime(bound.year, bound.month, bound.day):
        return str(bound.date())
    return str(bound)


def check_bins(bins: Any, who: str) -> None:
    """Raise BadParameter if `bins` is nothing that could be bins, before data is read."""
    if isinstance(bins, str) and bins.startswith("quantiles:"):
        number = parse_whole(bins.removeprefix("quantiles:"))
        if number is None or number < 2 or not QUANTILES.fullmatch(bins):
            raise BadParameter(f"{who}: 'bins' (--bins) quantiles:N must have N of 2 or more. Got {bins!r:.60}.")
    elif not isinstance(bins, str | Hierarchy | Iterable):
        raise BadParameter(
            f"{who}: 'bins' must be ascending bounds, 'quantiles:N' or a Hierarchy. Got {show_value(bins)}."
        )


# Quantiles: u is the list of distinct values, ascending; t the rank of a quantile; n the number of links with a value.


def find_quantile_bounds(values: Sequence[Any], counts: Sequence[int], parts: int) -> list[Any]:
    """Return round bounds that cut values (numbers or datetimes) into about equally frequent parts.

    A bound is a value that no record has, so a label never holds the exact value of a person. For the quantile of rank
    t = q n / parts, the bound may lie anywhere between the values of rank t - n / (4 parts) and t + n / (4 parts).
    There, the roundest number that no record has is chosen: multiples of 1, 5, 10, ... as large as possible, or the
    start of a year, a month, a day, an hour, and so on. Equal values stay together, so there may be fewer parts.

    >>> find_quantile_bounds([17, 23, 31, 38, 44, 59], [1] * 6, 3)
    [30, 40]
    >>> find_quantile_bounds([1, 2, 3, 4], [5] * 4, 2)
    [2.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    u = [values[i] for i in order]
    below = np.cumsum([counts[i] for i in order])
    bounds: list[Any] = []
    for q in range(1, parts):
        bound = _find_bound(u, below, Fraction(q, parts) * int(below[-1]), Fraction(int(below[-1]), 4 * parts))
        if bound is not None and (not bounds or bounds[-1] < bound):
            bounds.append(bound)
    return [bound for bound in bounds if u[0] < bound < u[-1]]


def _find_bound(u: list[Any], below: Ints, rank: Fraction, slack: Fraction) -> Any:
    """Return the roundest value that no record has, near a rank; None if there is none."""
    if len(u) < 2:
        return None
    cut = int(np.argmin(np.abs(below[:-1] - float(rank))))  # between u[cut] and u[cut + 1]
    first = min(cut, int(np.searchsorted(below[:-1], float(rank - slack))))
    last = max(cut, int(np.searchsorted(below[:-1], float(rank + slack), side="right")) - 1)
    low, high, near = u[first], u[last + 1], (u[cut], u[cut + 1])
    grids = _list_times(low, high, near) if isinstance(low, datetime) else _list_numbers(low, high, near)
    tried = (x for grid in grids for x in islice(grid, TRIED))
    return next((x for x in tried if low < x < high and not _contains(u, x)), None)


def _contains(u: list[Any], x: Any) -> bool:
    at = bisect_left(u, x)
    return at < len(u) and u[at] == x


FINEST = 40
"""So many times the grid is refined."""
TRIED = 1_000
"""So many numbers of a grid are tried. On a finer grid, most numbers are new."""


def _list_numbers(low: float, high: float, near: tuple[float, float]) -> Iterator[Iterable[Any]]:
    """Yield ever finer grids of round numbers between two limits; each begins near the middle of two values."""
    *limits, x, y = [Fraction(x) if isinstance(x, int) else Fraction(repr(x)) for x in (low, high, *near)]
    ends = [*limits, (x + y) / 2]
    power = len(str(int(ends[1] - ends[0])))
    for finer in range(FINEST):
        step = Fraction(10) ** (power - finer // 2) / (2 if finer % 2 else 1)
        yield (_shrink(at * step) for at in _step_outwards(*(end / step for end in ends)))


def _shrink(number: Fraction) -> int | float:
    """Return a number as an int or a float; beyond the precision of floats, without its fraction."""
    return int(number) if number.denominator == 1 or abs(number) >= WHOLE_LIMIT else float(number)


def _step_outwards(low: Fraction, high: Fraction, middle: Fraction) -> Iterator[int]:
    """Yield the whole numbers between two limits, those near the middle first."""
    center = round(middle)
    for away in range(int(high - low) + 2):
        yield from (at for at in {center + away, center - away} if low < at < high)


def _list_times(low: datetime, high: datetime, near: tuple[datetime, datetime]) -> Iterator[Iterable[datetime]]:
    """Yield ever finer grids of dates and times between two limits; each begins near the middle of two values."""
    middle = near[0] + (near[1] - near[0]) / 2

    def measure(time: datetime) -> timedelta:
        return abs(time - middle)

    months = [(year, month) for year in range(low.year, high.year + 1) for month in range(1, 13)]
    starts = [datetime(year, month, 1, tzinfo=low.tzinfo) for year, month in months]
    yield sorted((start for start in starts if start.month == 1), key=measure)
    yield sorted(starts, key=measure)
    origin = datetime(low.year, 1, 1, tzinfo=low.tzinfo)
    for step in (timedelta(days=1), *(timedelta(seconds=s) for s in (43_200, 3_600, 60, 1)), timedelta(microseconds=1)):
        ends = [Fraction((time - origin) // timedelta(microseconds=1)) for time in (low, high, middle)]
        size = step // timedelta(microseconds=1)
        yield (origin + at * step for at in _step_outwards(*(end / size for end in ends)))
