"""Data distortion by probability distribution: values are redrawn from a fit to each class (Liew, Choi & Liew 1985).

Stokes & Torra (2012) require that the draw cannot be reversed. If the fitted parameters determine the values, as a mean
and a deviation determine two numbers, an attacker could compute the values.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.core.grouping import list_members_by_class
from shoal.data.arrays import Bools, Floats, Ints
from shoal.data.column import Column
from shoal.data.table import MISSING, Table, exact
from shoal.errors import BadParameter, CannotPromise, must
from shoal.methods.classes import CLASS_SIZES, GivenClasses, measure_sizes, name_class, shuffle_classes
from shoal.methods.tables.mixed import Mixed, describe_mixed_columns, is_whole, make_number_column, read_numbers
from shoal.release.guarantee import Ground, Reason

DETERMINED = "class columns determined by their fit"
OFF = "largest shift of a class mean"


@dataclass(frozen=True)
class Distort(GivenClasses):
    """Redraw the values of each class from a distribution fitted to the class.

    Parameters
    ----------
    classes
        The classes: the name of the column that holds the class (which does not change), one label per record, or a
        release with classes. None if :class:`Confuse` sets the classes.
    columns
        The columns to redraw; None for all except the class column.
    seed
        Random seed. Keep it private; random by default.
    preserve_means
        Whether to shift the drawn numbers of a class to the mean of the class, up to float rounding. `measured` has the
        largest difference. Whole numbers are then not rounded.
    allow_determined
        Whether to allow a class column whose fit determines its values: at most 2 different numbers (as many as
        parameters, mean and deviation), or a single category. An error by default. `measured` and `notes` count them.

    Notes
    -----
    Numbers are drawn from the normal distribution with the mean and the standard deviation (over s, not s - 1) of the
    class. They are rounded if the column holds only whole numbers. Categories are drawn by their frequencies in the
    class; missing is a category. Each class keeps its number of missing numbers, at random positions.

    Relations between columns are lost. Small classes may differ from the distribution they were drawn from. A drawn
    number may lie outside the original range of the column, even below 0.

    Examples
    --------
    >>> people = {"team": list("xxxxyyyy"), "age": [20, 25, 31, 40, 50, 52, 61, 65]}
    >>> release = Distort("team", seed=1, preserve_means=True)(people)
    >>> round(sum(list(release.table["age"])[:4]) / 4, 9)
    29.0

    A mean and a deviation determine two numbers, so this is an error:

    >>> Distort("team")({"team": ["x", "x"], "age": [20, 25]})
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: Distort: the fit to a class must not determine its values. Got 2 ...

    References
    ----------
    C. K. Liew, U. J. Choi, C. J. Liew: A data distortion by probability distribution. ACM Transactions on Database
    Systems 1985.
    """

    preserve_means: bool = False
    allow_determined: bool = False

    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        DETERMINED: "classes",  # depends on the multiset of values of each class
    }
    shell: ClassVar[str] = "distort"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "columns: draws the values again inside each class"
    protects: ClassVar[str] = "an attacker who knows the whole original table"
    promises: ClassVar[str] = "n-confusion inside the given classes"
    source: ClassVar[str] = "Liew, Choi & Liew 1985; Stokes & Torra 2012, n-Confusion for graphs"
    ground: ClassVar[Ground] = "exchangeable draw"

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("preserve_means", "allow_determined"):
            must(isinstance(getattr(self, what), bool), "Distort", what, "True or False", getattr(self, what))

    def notes(self, table: Table, measured: dict[str, Any]) -> tuple[str, ...]:
        """Return notes on columns read as categories, and on class columns that their fit determines."""
        many = measured[DETERMINED]
        what = "1 class column" if many == 1 else f"{many:,} class columns"
        determined = (f"The fit determines the values of {what}.",) if many else ()
        return (*describe_mixed_columns(Mixed(table, self.names(table))), *determined)

    def inside(self, table: Table, codes: Ints, rng: np.random.Generator) -> tuple[Table, dict[str, Any]]:
        """Return the table with its columns drawn again inside the given classes."""
        names = self.names(table)
        mixed = Mixed(table, names)
        table = mixed.table
        determined = {name: _find_determined(table[name], codes, name in mixed.numbers) for name in names}
        count = sum(int(found.sum()) for found in determined.values())
        if count and not self.allow_determined:
            self._refuse(table, codes, determined, count)
        measured: dict[str, Any] = {**measure_sizes(codes), DETERMINED: count}
        columns = {}
        for name in names:
            if name not in mixed.numbers:
                columns[name] = _draw_categories(table[name], codes, rng)
                continue
            x, off = self._draw_numbers(mixed, name, codes, rng)
            columns[name] = make_number_column(x, table[name])
            if self.preserve_means:
                measured[OFF] = max(measured.get(OFF, 0.0), off)
        return table.with_columns(columns), measured

    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return the fitted parameters of a class, column by column."""
        return tuple(_fit_class(table[name], members) for name in self.names(table))

    def _draw_numbers(self, mixed: Mixed, name: str, codes: Ints, rng: np.random.Generator) -> tuple[Floats, float]:
        """Return the drawn numbers, and the largest difference of a class mean from the original one."""
        order, bounds = list_members_by_class(codes)
        mean, deviation = _measure_moments(mixed.numbers[name], order, bounds)
        missing = np.empty(len(codes), dtype=np.bool_)
        missing[shuffle_classes(codes, rng)] = np.isnan(mixed.numbers[name])[order]
        with np.errstate(over="ignore", invalid="ignore"):
            x = mean[codes] + deviation[codes] * rng.standard_normal(len(codes))
        x[missing] = np.nan
        if not np.isfinite(x[~missing]).all():
            raise BadParameter(f"Distort: the numbers of the column {name!r} are too large for floats. Scale them.")
        if not self.preserve_means:
            return (np.rint(x) if is_whole(mixed.table[name]) else x), np.nan
        for _ in range(2):  # the second shift removes most of the rounding error of the first
            x += (mean - _measure_moments(x, order, bounds)[0])[codes]
        left = np.abs(mean - _measure_moments(x, order, bounds)[0])
        return x, float(np.nanmax(left))

    def _refuse(self, table: Table, codes: Ints, determined: dict[str, Bools], count: int) -> None:
        name = next(name for name, found in determined.items() if found.any())
        code = int(np.flatnonzero(determined[name])[0])
        values = len(np.unique(table[name].codes[codes == code]))
        raise CannotPromise(
            f"Distort: the fit to a class must not determine its values. Got {values:,} distinct "
            f"{'value' if values == 1 else 'values'} in the column {name!r} of the class "
            f"{name_class(codes, code, self.classes, table)}. Affected class columns: {count:,}. "
            "Use larger classes, leave out the column, or allow it with allow_determined=True."
        )


def _measure_moments(x: Floats, order: Ints, bounds: Ints) -> tuple[Floats, Floats]:
    """Return the mean and the deviation of each class, independent of the order of its members."""
    from shoal.methods.tables._kernels.records import moments

    mean, deviation = np.empty(len(bounds) - 1), np.empty(len(bounds) - 1)
    moments(x, order, bounds, mean, deviation)
    return mean, deviation


def _find_determined(column: Column, codes: Ints, numeric: bool) -> Bools:
    """Return, for each class, whether its fit determines its values."""
    joint = codes * (len(column.values) + 1) + column.codes + 1
    distinct = np.unique(joint)
    present = distinct % (len(column.values) + 1) > 0
    kept = distinct[present] if numeric else distinct
    values = np.bincount(kept // (len(column.values) + 1), minlength=int(codes.max()) + 1)
    found: Bools = values <= (2 if numeric else 1)
    return found


def _draw_categories(column: Column, codes: Ints, rng: np.random.Generator) -> Column:
    """Draw the value of a random member of the class for each individual, so that values follow their frequencies."""
    order, bounds = list_members_by_class(codes)
    sizes = np.diff(bounds)
    owner = order[bounds[codes] + rng.integers(sizes[codes])]
    return Column(column.codes[owner], column.values)


def _fit_class(column: Column, members: Ints) -> Hashable:
    """Return the mean, deviation and numbers of present and missing values of a class, or the counts of categories."""
    if column.is_numeric:
        x = read_numbers(column, members)
        mean, deviation = _measure_moments(x, np.arange(len(x)), np.array([0, len(x)]))
        there = int(np.count_nonzero(~np.isnan(x)))
        return (float(mean[0]), float(deviation[0]), there, len(x) - there) if there else (there, len(x))
    found, counts = np.unique(column.codes[members], return_counts=True)
    keys = (None if code == MISSING else exact(column.values[code]) for code in found.tolist())
    return frozenset(zip(keys, counts.tolist(), strict=True))
