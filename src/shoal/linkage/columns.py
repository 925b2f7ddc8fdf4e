"""Columns of a release and of the original, side by side: numeric columns as numbers, others as codes.

Records that agree in all columns are one point. They are compared once, so equal records get equal answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from shoal.core.grouping import group_columns, list_members_by_class
from shoal.data.arrays import Floats, Ints
from shoal.data.column import Column
from shoal.data.table import Table
from shoal.errors import BadParameter, must, notice
from shoal.settings import run_in_pieces


def check_names(who: str, columns: Any) -> tuple[str, ...] | None:
    """Return the columns as a tuple of names. None stands for all columns that the release and the original share."""
    if columns is None:
        return None
    names = tuple(columns) if not isinstance(columns, str) else ()
    good = names and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    must(good, who, "columns", "a list of different names, or None (all columns)", columns)
    return names


def find_shared_columns(who: str, release: Table, original: Table, columns: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns to compare: those given, or all that both tables have."""
    if columns is not None:
        for name in columns:
            _ = release[name], original[name]
        return tuple(columns)
    found = tuple(name for name in original if name in release)
    if not found:
        known = f"{release.heads or 'none'} in the release and {original.heads or 'none'} in the original"
        raise BadParameter(f"{who}: the release and the original must have columns in common. Got {known}.")
    return found


@dataclass(frozen=True, eq=False)
class RecordPoints:
    """The distinct records of one table."""

    numbers: Floats
    """One row per point, one column per numeric column; NaN is missing."""
    codes: Ints
    """One row per point, one column per other column."""
    of: Ints
    """The point of each individual."""
    many: Ints
    """The number of individuals at each point."""

    @cached_property
    def lines(self) -> tuple[Floats, Ints]:
        """The numbers and the codes, transposed: the layout that loops over all points need."""
        return np.ascontiguousarray(self.numbers.T), np.ascontiguousarray(self.codes.T)

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        return list_members_by_class(self.of)

    def list_individuals(self, points: Ints) -> Ints:
        """Return the individuals at any of the points, ascending."""
        members, bounds = self._members
        return np.sort(np.concatenate([members[bounds[p] : bounds[p + 1]] for p in points.tolist()]))


@dataclass(frozen=True, eq=False)
class ColumnComparison:
    """Two tables with the same columns, split into numeric and other columns."""

    numeric: tuple[str, ...]
    other: tuple[str, ...]
    original: RecordPoints
    release: RecordPoints
    """Only the records that were asked for."""

    @classmethod
    def of(
        cls, who: str, release: Table, original: Table, which: Ints, columns: Sequence[str] | None, *, constant: bool
    ) -> ColumnComparison:
        """Put the columns side by side. A constant column counts as numeric only if `constant` is True."""
        names = find_shared_columns(who, release, original, columns)
        # all records decide whether a column is numeric, not only those asked for
        numeric = tuple(name for name in names if _is_numeric(name, original[name], release[name], constant))
        other = tuple(name for name in names if name not in numeric)
        both = {name: original[name].followed_by(release[name]) for name in names}
        classes = group_columns(list(both.values()))

        def points(table: Table, rows: Ints, before: int) -> RecordPoints:
            _, first, of, many = np.unique(
                classes[before + rows], return_index=True, return_inverse=True, return_counts=True
            )
            numbers = [table[name].numbers(name)[rows[first]] for name in numeric]
            codes = [both[name][before + rows[first]] for name in other]
            return RecordPoints(
                _stack_rows(numbers, len(first), np.float64), _stack_rows(codes, len(first), np.int32), of, many
            )

        return cls(numeric, other, points(original, np.arange(original.n), 0), points(release, which, original.n))

    def measure_spread(self, how: str) -> Floats:
        """Return the range or standard deviation of each numeric column of the original, without missing values."""
        values = self.original.numbers[self.original.of]
        spread: Floats
        with np.errstate(over="ignore"):
            if how == "deviation":
                spread = np.nanstd(values, axis=0)
            else:
                spread = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
        return spread


def _stack_rows(columns: list[Any], n: int, kind: Any) -> Any:
    """Return columns as a matrix, also if there are none."""
    return np.ascontiguousarray(np.column_stack(columns), dtype=kind) if columns else np.empty((n, 0), dtype=kind)


def _is_numeric(name: str, original: Column, release: Column, constant: bool) -> bool:
    """Return whether a column is compared as numbers."""
    numbers = [column.is_numeric for column in (original, release)]
    if any(numbers) and not all(numbers) and len(original.occurring) and len(release.occurring):
        where = "original" if numbers[0] else "release"
        notice(f"Column {name!r} is numeric only in the {where}: its values are compared for equality.")
    return all(numbers) and (constant or len(original.occurring) > 1)


# Nearest points of the original for each record of the release, by compiled loops.

SLACK = 1e-12
"""More than the relative rounding error of a distance. Points within it must be compared exactly."""
CELLS = 4_000_000
"""The maximum number of distances held at once."""
PIECE = 32
"""Records per unit of work of a thread."""

Around = Callable[[int], tuple[Ints, Ints]]
"""From a point of the release to the points that are certainly among its k nearest, and to those that may be."""


def find_around(original: RecordPoints, release: RecordPoints, scale: Floats, k: int) -> Around:
    """Find the k nearest individuals of every record."""
    with np.errstate(over="ignore"):
        placed = all(np.isfinite(side.numbers / scale).all() for side in (original, release))
    search = _search_one_by_one if original.codes.shape[1] or not placed else _search_tree
    starts, points, found = search(original, release, 1 / scale, k)

    def of(q: int) -> tuple[Ints, Ints]:
        here, far = points[starts[q] : starts[q + 1]], found[starts[q] : starts[q + 1]]
        order = np.argsort(far, kind="stable")
        kth = far[order[np.searchsorted(np.cumsum(original.many[here[order]]), k)]]
        return here[far < kth * (1 - SLACK)], here[(far >= kth * (1 - SLACK)) & (far <= kth * (1 + SLACK))]

    return of


def _search_tree(original: RecordPoints, release: RecordPoints, inverse: Floats, k: int) -> tuple[Ints, Ints, Floats]:
    """Return the points within reach of each record, with their distances, if all columns are numeric."""
    from scipy.spatial import cKDTree

    x, y = original.numbers, release.numbers
    tree = cKDTree(x * inverse)
    kth = tree.query(y * inverse, k=[min(k, len(x))], p=1, workers=-1)[0][:, 0]
    # scaling before subtracting makes the rounding error relative to the number, not to the difference
    widest = max(float(np.abs(side * inverse).sum(axis=1).max()) for side in (x, y))
    reach = kth * (1 + SLACK) + widest * SLACK
    lists = tree.query_ball_point(y * inverse, reach, p=1, workers=-1, return_sorted=False)
    counts = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    points = np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(counts.sum()))
    found = (np.abs(x[points] - np.repeat(y, counts, axis=0)) * inverse).sum(axis=1)
    return np.concatenate([[0], np.cumsum(counts)]), points, found


def _search_one_by_one(
    original: RecordPoints, release: RecordPoints, inverse: Floats, k: int
) -> tuple[Ints, Ints, Floats]:
    """Return the points within reach of each record, with their distances, for any columns."""
    from shoal.linkage._kernels import comparisons as loops

    total = len(release.many)
    counts, pieces = np.zeros(total, dtype=np.int64), {}

    def piece(first: int, last: int) -> None:
        sides = (*original.lines, original.many, release.numbers, release.codes)
        pieces[first] = loops.nearest(first, last, *sides, inverse, k, 1 + SLACK, counts)

    run_in_pieces(piece, total, "searching the nearest")
    points, found = (np.concatenate(parts) for parts in zip(*(pieces[i] for i in sorted(pieces)), strict=True))
    return np.concatenate([[0], np.cumsum(counts)]), points, found


def compute_softmax(
    original: RecordPoints, release: RecordPoints, scale: Floats, temperature: float
) -> Iterator[Floats]:
    """Yield, for each record in order, the probability of an individual at each point."""
    from shoal.linkage._kernels import comparisons as loops

    (x, c), inverse, many = original.lines, 1 / scale, original.many.astype(np.float64)

    def block(asked: Ints) -> Floats:
        out, y, d = np.empty((len(asked), len(many))), release.numbers[asked], release.codes[asked]

        def fill(first: int, last: int) -> None:
            loops.distances(first, last, x, c, y, d, inverse, out)
            for row in out[first:last]:  # row by row: the rounding of equal records must not depend on the block
                np.exp((row.min() - row) / temperature, out=row)
                np.divide(row, (row * many).sum(), out=row)

        run_in_pieces(fill, len(asked), "measuring distances", piece=PIECE)
        return out

    return fill_blocks(release.of, len(many), block)


def fill_blocks(of: Ints, width: int, block: Callable[[Ints], Any]) -> Iterator[Any]:
    """Yield a row of `width` cells for each record, computed in blocks. `of` holds the point of each record."""
    for part in np.array_split(of, max(1, len(of) * width // CELLS)):
        asked, at = np.unique(part, return_inverse=True)
        rows = block(asked)
        yield from (rows[i] for i in at.tolist())
