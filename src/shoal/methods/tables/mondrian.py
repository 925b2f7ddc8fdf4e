"""Mondrian multidimensional k-anonymity: median cuts, and labels for the values of a class (LeFevre et al. 2006).

A column is read as ranks: numbers by size, dates by time, other values in sorted order; missing values come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from shoal.core.grouping import group_columns, number_by_first_appearance
from shoal.data.arrays import Floats, Ints
from shoal.data.column import MISSING, Column
from shoal.data.dataset import as_dataset
from shoal.errors import check_k, whole
from shoal.knowledge import Adversary, Columns
from shoal.methods.base import Method, Proposals, choose_columns, parse_columns
from shoal.methods.classes import CLASS_SIZES, LINKS_STAY, make_confusion_promise, measure_sizes
from shoal.methods.tables.mixed import holds_numbers
from shoal.release.guarantee import Ground, Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release

LISTED = 8
"""A set of more categories than this is published as EVERYTHING."""
EVERYTHING = "*"
EPOCH = datetime(1970, 1, 1)
Published = tuple[Column, Floats]
"""One cell per class, and the share of the column that each cell leaves open, from 0 to 1."""


class Label(str):
    """A text that represents several values, not a value of the column."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Ranked:
    """A column as ranks."""

    name: str
    column: Column

    @cached_property
    def numeric(self) -> bool:
        """Whether all values are numbers. Infinities raise an error."""
        return holds_numbers(self.column)

    @cached_property
    def spans(self) -> bool:
        """Whether classes are published as ranges, because the values are numbers or dates."""
        return self.numeric or holds_dates(self.column)

    @cached_property
    def absent(self) -> int:
        """1 if some values are missing (they have rank 0), else 0."""
        return int((self.column.codes == MISSING).any())

    @cached_property
    def ordered(self) -> Ints:
        """The codes of the occurring values, in sorted order."""
        if self.numeric:
            return self.column.ascending
        return np.array(sorted(self.column.occurring.tolist(), key=_make_sort_key(self.column)), dtype=np.int64)

    @cached_property
    def count(self) -> int:
        """The number of ranks."""
        return self.absent + len(self.ordered)

    def value(self, rank: int) -> Any:
        """Return the value of a rank, None for missing."""
        return None if rank < self.absent else self.column.values[self.ordered[rank - self.absent]]

    @cached_property
    def ranks(self) -> Ints:
        """The rank of each individual."""
        rank = np.zeros(len(self.column.values) + 1, dtype=np.int32)
        rank[self.ordered] = np.arange(self.absent, self.count)
        return rank[self.column.codes]

    @cached_property
    def place(self) -> Floats:
        """The position of each rank between the first value (0) and the last (1). Missing is at 0."""
        x = self._by_code[self.ordered] / 2 if self.spans else np.arange(float(len(self.ordered)))  # a finite width
        width = x[-1] - x[0] if len(x) else 0.0
        return np.concatenate([np.zeros(self.absent), (x - x[:1]) / width if width > 0 else np.zeros(len(x))])

    @cached_property
    def _by_code(self) -> Floats:
        """The position of the value of each code."""
        found = np.empty(len(self.column.values) + 1)  # the last entry belongs to missing values
        if self.numeric:
            found[self.column.codes] = self.column.numbers(self.name)
        else:
            found[self.column.occurring] = [
                _count_time(self.column.values[code]) for code in self.column.occurring.tolist()
            ]
        return found

    def recode_classes(self, line: Ints, sizes: Ints) -> Published:
        """Return one cell per class, from the ranks in class order."""
        starts = np.cumsum(sizes) - sizes
        return self._make_ranges(line, starts) if self.spans else self._make_sets(line, sizes)

    def _make_ranges(self, line: Ints, starts: Ints) -> Published:
        there = line if not self.absent else np.where(line == 0, self.count, line)
        low, high = np.minimum.reduceat(there, starts), np.maximum.reduceat(line, starts)
        low = np.minimum(low, high)  # if all are missing: 0 and 0
        some = np.minimum.reduceat(line, starts) < low
        key, first, which = _find_distinct([low, high, some.astype(np.int64)])
        triples = zip(low[first].tolist(), high[first].tolist(), some[first].tolist(), strict=True)
        cells = (self.value(a) if a == b and not mixed else self._make_range(a, b, mixed) for a, b, mixed in triples)
        share = np.where(some, 1.0, self.place[high] - self.place[low])
        return self._make_column(cells, len(key), which), share

    def _make_range(self, low: int, high: int, mixed: bool) -> Label:
        a, b = str(self.value(low)), str(self.value(high))
        between = "-" if "-" not in a + b else " to "
        spelled = a if low == high else a + between + b
        return Label(f"{spelled} or missing" if mixed else spelled)

    def _make_sets(self, line: Ints, sizes: Ints) -> Published:
        m, classes = self.count, len(sizes)
        pairs = np.unique(np.repeat(np.arange(classes), sizes) * m + line)
        owner, rank = pairs // m, pairs % m
        counts = np.bincount(owner, minlength=classes)
        everything = (counts > 1) & ((counts == m) | (counts > LISTED))
        position = np.arange(len(pairs)) - (np.cumsum(counts) - counts)[owner]
        listed = np.full((LISTED, classes), -1, dtype=np.int64)
        kept = ~everything[owner]
        listed[position[kept], owner[kept]] = rank[kept]
        key, first, which = _find_distinct(list(listed))
        cells = (self._make_set([r for r in column if r >= 0]) for column in listed[:, first].T.tolist())
        share = np.where(everything, 1.0, (counts - 1) / max(1, m - 1))
        return self._make_column(cells, len(key), which), share

    def _make_set(self, ranks: list[int]) -> Any:
        if len(ranks) == 1:
            return self.value(ranks[0])
        return Label("{" + ", ".join(_spell_value(self.value(r)) for r in ranks) + "}" if ranks else EVERYTHING)

    def _make_column(self, cells: Iterable[Any], count: int, which: Ints) -> Column:
        """Return a column of distinct cells. A label that equals a value of the column gets a number."""
        taken = set() if self.spans else {value for value in self.column.values if isinstance(value, str)}
        values: list[Any] = []
        codes = np.full(count, MISSING, dtype=np.int64)
        for i, cell in enumerate(cells):
            if cell is not None:
                codes[i] = len(values)
                values.append(_make_unlike(taken, cell) if isinstance(cell, Label) else cell)
        return Column(codes[which], tuple(values))


def holds_dates(column: Column) -> bool:
    """Return whether a column has values, and all are dates or all are times without a time zone.

    >>> holds_dates(Column.of([date(2020, 1, 31), None])), holds_dates(Column.of([date(2020, 1, 31), "2020"]))
    (True, False)
    """
    values = [column.values[code] for code in column.occurring.tolist()]
    times = [isinstance(value, datetime) for value in values]
    if not values or not all(isinstance(value, date) for value in values) or any(times) != all(times):
        return False
    return not any(times) or all(value.tzinfo is None for value in values)


def _count_time(value: Any) -> float:
    return (value - EPOCH).total_seconds() if isinstance(value, datetime) else float(value.toordinal())


def _find_distinct(columns: list[Ints]) -> tuple[Ints, Ints, Ints]:
    """Return the distinct combinations, the first index of each, and the combination at each index."""
    which = group_columns(columns)
    key, first = np.unique(which, return_index=True)
    return key, first, which


def _make_sort_key(column: Column) -> Callable[[int], Any]:
    """Return a sort key: by type, then in the order of the type, or by repr if a type has no order."""
    kinds = {type(value).__name__ for value in column.values}
    try:
        for kind in kinds:
            sorted(value for value in column.values if type(value).__name__ == kind)
    except TypeError:
        return lambda code: (type(column.values[code]).__name__, repr(column.values[code]))
    return lambda code: (type(column.values[code]).__name__, column.values[code])


def _spell_value(value: Any) -> str:
    """Return a value as text for a list, quoted if the text would be ambiguous."""
    if value is None:
        return "missing"
    odd = not isinstance(value, str) or value != value.strip() or set(value) & set("{},'\"\\") or not value
    return repr(value) if odd or value == "missing" else value


def _make_unlike(taken: set[str], label: Label) -> str:
    """Return the label, with a number if it is already used, and mark it as used."""
    free, count = str(label), 1
    while free in taken:
        count += 1
        free = f"{label} ({count})"
    taken.add(free)
    return free


# Mondrian: cut the table at medians, and publish each class as its bounding box.
#
# This is strict multidimensional local recoding (LeFevre, DeWitt & Ramakrishnan 2006).

PENALTY = "normalized certainty penalty"


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the records at medians while k remain on both sides, and publish the range of values of each class.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of records.
    columns
        The columns to protect; None for all. The others do not change.

    Notes
    -----
    Each cut takes the widest column, relative to its range in the whole table. If no cut of it leaves k records on both
    sides, the next column is tried. Records with the same value stay together. Missing values are cut off first.

    A value that all members of a class share is kept. Other numbers become a range, ``20-29`` or ``1.5-2.25`` (``-5 to
    -1`` if there is a minus sign), and so do dates, ``2020-01-31 to 2020-02-29``. If some values are missing,
    ``or missing`` follows. Up to 8 other categories become a list, ``{a, b}`` or ``{missing, a}``. More than 8, or all
    categories of the column, become ``*``. Different sets never get the same label: if the table itself contains such a
    text, the label gets a number.

    `measured` has the normalized certainty penalty: the mean, over all cells, of the share of the column that the
    published value leaves open. It is the width of a range, (c - 1) / (m - 1) for c of m categories, and 1 if numbers
    or dates are joined with missing values.

    Examples
    --------
    >>> people = {"age": [20, 29, 41, 60], "sex": ["f", "m", "f", "f"]}
    >>> release = Mondrian(k=2)(people)
    >>> list(release.table["age"]), list(release.table["sex"])
    (['20-29', '20-29', '41-60', '41-60'], ['*', '*', 'f', 'f'])

    If all records have the same value, nothing changes:

    >>> list(Mondrian(k=2)({"age": [30, 30, 30, 30]}).table["age"])
    [30, 30, 30, 30]

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.
    """

    k: int
    columns: tuple[str, ...] | None = None

    shell: ClassVar[str] = "mondrian"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "columns: values become ranges and lists, class by class"
    protects: ClassVar[str] = "an attacker who knows the columns"
    promises: ClassVar[str] = "at least k candidates against columns; k-confusion"
    source: ClassVar[str] = "LeFevre, DeWitt & Ramakrishnan 2006"
    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        PENALTY: "classes",  # depends on the ranges of each class and of the whole column
    }
    ground: ClassVar[Ground] = "equal records"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "Mondrian", "k", least=1))
        object.__setattr__(self, "columns", parse_columns(self.columns, "Mondrian"))

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return the columns that are known."""
        return [({"columns": part.names}, part) for part in wanted.parts if isinstance(part, Columns)]

    def __call__(self, data: Any) -> Release:
        """Return the data with its columns recoded class by class."""
        original = as_dataset(data)
        check_k("Mondrian", self.k, original)
        names = choose_columns(original, self.columns, "Mondrian")
        scales = [Ranked(name, original.attributes[name].canonical) for name in names]
        codes, rows = _cut_records(scales, self.k)
        sizes = np.bincount(codes)
        cells = [scale.recode_classes(line, sizes) for scale, line in zip(scales, rows, strict=True)]
        columns = {name: column.take(codes) for name, (column, _) in zip(names, cells, strict=True)}
        penalty = float(np.mean([sizes @ open_share for _, open_share in cells])) / original.n
        confusion = make_confusion_promise(original, codes, self.k, names, self)
        return verify_release(
            Release(
                original,
                original.with_attributes(original.attributes.with_columns(columns)),
                (Promise(Columns(*names), self.k), *confusion),
                self,
                number_by_first_appearance(codes),
                None,
                {PENALTY: penalty, **measure_sizes(codes)},
                () if confusion else (LINKS_STAY,),
            )
        )


def _cut_records(scales: list[Ranked], k: int) -> tuple[Ints, Ints]:
    """Return the class of each individual, and the ranks in class order, one line per column."""
    from shoal.methods.tables._kernels.records import median_cuts

    rows = np.ascontiguousarray(np.column_stack([scale.ranks for scale in scales]))
    n, d = rows.shape
    labels, bounds = np.empty(n, dtype=np.int64), np.empty((2, n // k + 1, d), dtype=np.int32)
    place = np.concatenate([scale.place for scale in scales])
    starts = np.cumsum([0, *(scale.count for scale in scales)])
    absent = np.array([scale.absent for scale in scales])
    median_cuts(rows, np.arange(n), place, starts, absent, k, labels, bounds[0], bounds[1])
    return labels, rows.T
