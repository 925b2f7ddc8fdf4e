"""Microaggregation: similar records form classes of k or more that are published alike (Domingo-Ferrer & Torra 2005).

The 30-point example of Stokes & Torra (2012) has two variants. A class is replaced by its mean (k-anonymity), or by
points around the mean that a secret permutation assigns to its members (confusion without k-anonymity).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from shoal.core.grouping import list_members_by_class
from shoal.data.arrays import Floats, Ints
from shoal.data.column import Column
from shoal.data.dataset import Dataset, as_dataset
from shoal.data.table import Table, exact
from shoal.errors import BadParameter, check_k, must, whole
from shoal.knowledge import Adversary, Columns
from shoal.methods.base import Proposals, check_choice, choose_columns, parse_columns
from shoal.methods.classes import (
    CLASS_SIZES,
    LINKS_STAY,
    InsideClasses,
    make_confusion_promise,
    measure_sizes,
    shuffle_classes,
)
from shoal.methods.tables.microaggregate.clustering import Algorithm, find_clusters, spread_points
from shoal.methods.tables.mixed import (
    Kind,
    Mixed,
    describe_mixed_columns,
    make_number_column,
    read_numbers,
    summarize_classes,
)
from shoal.optimize.annealing import make_generator
from shoal.release.guarantee import Ground, Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.seeds import Seed, draw_seed

LOSS = "information loss (SSE/SST)"
LEAST = "classes spread along their direction of least variance"
SCALES = 10
"""If standard deviations of columns differ by more than this factor, the columns count as having different units."""


@dataclass(frozen=True)
class Microaggregate(InsideClasses):
    """Group similar records into classes of k to 2k-1, and publish a representative of each class.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of records. Fewer than 2k records form one class.
    columns
        The columns to protect; None for all. The others do not change.
    seed
        Random seed for "perpendicular", which assigns points to members. Keep it private; random by default.
    representative
        "mean" or "median" of the numbers of a class, and the most frequent of its categories. "mode" also takes the
        most frequent of the numbers. Missing values are ignored unless there are no others. A mean of whole numbers is
        published as a whole number if it is one. "perpendicular" publishes points around the mean (see `epsilon`). It
        needs two or more columns of numbers.
    algorithm
        "mdav"; "blocks", which first cuts the records into blocks of about 2,000; or "auto", which is "mdav" for up to
        30,000 records.
    epsilon
        For "perpendicular": the distance of the outermost points from the mean of their class, in the units of the
        columns. It must be smaller than the radius of each class. None means half the radius. Three points with mean A
        become A, A + epsilon V and A - epsilon V. V is perpendicular to the class if its rank is below the number of
        columns; otherwise V is the direction of least variance, and a note says so. A class of identical members is
        published unchanged.

    Notes
    -----
    The distance of two records is the sum of the squared differences of their numbers, each column divided by its
    standard deviation, plus 1 for each different category. `measured` has the information loss: the sum of the
    distances between original and published records, divided by the sum of the distances to the center of all records.

    All members of a class are published alike, which gives k-anonymity and k-confusion. "perpendicular" guarantees only
    k-confusion: each point is published for one member, and the attacker cannot say which. It uses the units of the
    columns. If their standard deviations differ by more than a factor of 10, it uses standard deviations.

    Examples
    --------
    >>> ages = {"age": [20, 61, 22, 60], "sex": ["f", "m", "f", "f"]}
    >>> release = Microaggregate(k=2)(ages)
    >>> list(release.table["age"]), list(release.table["sex"])
    ([21, 60.5, 21, 60.5], ['f', 'f', 'f', 'f'])

    Fewer than 2k records form one class, so all are published alike:

    >>> Microaggregate(k=3, columns=("age",))(ages).measured["information loss (SSE/SST)"]
    1.0

    References
    ----------
    J. Domingo-Ferrer, V. Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data Mining
    and Knowledge Discovery 2005.
    """

    k: int
    columns: tuple[str, ...] | None = None
    seed: Seed[None] = Seed(None, secret=True)
    representative: Literal["mean", "median", "mode", "perpendicular"] = "mean"
    algorithm: Algorithm = "auto"
    epsilon: float | None = None

    shell: ClassVar[str] = "microaggregate"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "columns: similar records get the same values"
    protects: ClassVar[str] = "an attacker who knows the columns"
    promises: ClassVar[str] = "at least k candidates against columns (perpendicular: not this); k-confusion"
    source: ClassVar[str] = "Domingo-Ferrer & Torra 2005; Stokes & Torra 2012, the 30-point example"
    rank: ClassVar[int] = 2
    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        LOSS: "classes",  # members are published alike, or it is the mean over all permutations of a class
        LEAST: "classes",  # depends on the set of points of each class
    }

    def __post_init__(self) -> None:
        who = "Microaggregate"
        object.__setattr__(self, "k", whole(self.k, who, "k", least=1))
        object.__setattr__(self, "columns", parse_columns(self.columns, who))
        check_choice(self.representative, ("mean", "median", "mode", "perpendicular"), who, "representative")
        check_choice(self.algorithm, ("auto", "mdav", "blocks"), who, "algorithm")
        _check_epsilon(self.epsilon, self.representative)
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", float(self.epsilon))

    @property
    def ground(self) -> Ground:
        """Equal records, or a secret permutation for "perpendicular"."""
        return "secret permutation" if self.representative == "perpendicular" else "equal records"

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return the columns that are known."""
        return [({"columns": part.names}, part) for part in wanted.parts if isinstance(part, Columns)]

    def __call__(self, data: Any) -> Release:
        """Return the data with its columns microaggregated."""
        original = as_dataset(data)
        check_k("Microaggregate", self.k, original)
        mixed = self._read_columns(original)
        seed = draw_seed(self.seed, "Microaggregate") if self.representative == "perpendicular" else self.seed
        codes = find_clusters(mixed, self.k, self.algorithm)
        table, measured = self._protect(mixed, codes, make_generator(seed or 0))
        confusion = make_confusion_promise(original, codes, self.k, mixed.names, self)
        equal = () if self.ground == "secret permutation" else (Promise(Columns(*mixed.names), self.k),)
        return verify_release(
            Release(
                original,
                original.with_attributes(table),
                (*equal, *confusion),
                self,
                codes,
                seed,
                measured,
                (*self.notes(original.attributes, measured), *(() if confusion else (LINKS_STAY,))),
            )
        )

    def inside(self, table: Table, codes: Ints, rng: np.random.Generator) -> tuple[Table, dict[str, Any]]:
        """Return the table with a representative for each of the given classes, of any size."""
        return self._protect(self._read_columns(table), codes, rng)

    def notes(self, table: Table, measured: dict[str, Any]) -> tuple[str, ...]:
        """Return notes on columns read as categories, and on points that are not along a perpendicular."""
        mixed = self._read_columns(table)
        return (*describe_mixed_columns(mixed), *_describe_points(mixed, measured))

    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return the representative of a class, or its sorted points."""
        names = self.names(table)
        if self.representative == "perpendicular":
            lines = np.column_stack([read_numbers(table[name], members) for name in names])
            scale = _find_scale(table, names)
            return _sort_points(spread_points(lines / scale, self.epsilon).points * scale)
        return tuple(_summarize_cell(table[name], members, self.representative) for name in names)

    def _read_columns(self, data: Dataset) -> Mixed:
        mixed = Mixed(data.attributes, choose_columns(data, self.columns, "Microaggregate"))
        if self.representative == "perpendicular":
            _check_points(mixed)
        return mixed

    def _protect(self, mixed: Mixed, codes: Ints, rng: np.random.Generator) -> tuple[Table, dict[str, Any]]:
        counted: dict[str, Any] = measure_sizes(codes)
        if self.representative == "perpendicular":
            columns, told = self._hand_out_points(mixed, codes, rng)
            return mixed.table.with_columns(columns), told | counted
        cells = mixed.of_classes(codes, self.representative)
        columns = {name: column.take(codes) for name, column in cells.items()}
        table = mixed.table.with_columns(columns)
        return table, {LOSS: mixed.loss(table), **counted}

    def _hand_out_points(
        self, mixed: Mixed, codes: Ints, rng: np.random.Generator
    ) -> tuple[dict[str, Column], dict[str, Any]]:
        """Return the columns with points assigned to members, and measures that do not depend on the assignment.

        The loss is the mean over all permutations. The actual loss would reveal the permutation.
        """
        order, bounds = list_members_by_class(codes)
        lines = _stack_lines(mixed)
        scale = _find_scale(mixed.table, mixed.names)
        spreads = [spread_points(part / scale, self.epsilon) for part in np.split(lines[order], bounds[1:-1])]
        smallest = min((spread.radius for spread in spreads if spread.radius > 0), default=np.inf)
        if self.epsilon is not None and self.epsilon >= smallest:
            raise BadParameter(
                f"Microaggregate: 'epsilon' must be smaller than the smallest radius of a class, {smallest:.6g}. "
                f"Got {self.epsilon!r}."
            )
        published, points = np.empty_like(lines), np.concatenate([spread.points for spread in spreads]) * scale
        published[shuffle_classes(codes, rng)] = points
        columns = {
            name: make_number_column(x, mixed.table[name]) for name, x in zip(mixed.names, published.T, strict=True)
        }
        loss = mixed.expected_loss(lines[order], points, bounds)
        return columns, {LOSS: loss, LEAST: sum(not spread.perpendicular for spread in spreads)}


def _describe_points(mixed: Mixed, measured: dict[str, Any]) -> tuple[str, ...]:
    """Return notes on classes without a perpendicular direction, and on columns in different units."""
    if LEAST not in measured:
        return ()
    widths = mixed.deviation.values()
    rank = (
        f"{measured[LEAST]:,} of {measured['classes']:,} classes have full rank, so no direction is perpendicular to "
        "them. Their points lie along the direction of least variance."
    )
    units = (
        f"The standard deviations of the columns range from {min(widths):.3g} to {max(widths):.3g}. So 'perpendicular' "
        "and 'epsilon' use standard deviations, not the units of the columns."
    )
    return (*([rank] if measured[LEAST] else []), *([units] if max(widths) / SCALES > min(widths) else []))


def _summarize_cell(column: Column, members: Ints, kind: Kind) -> Hashable:
    """Return the representative of a class in one column."""
    column, bounds = column.canonical, np.array([0, len(members)])
    if column.is_numeric and kind != "mode":
        found = summarize_classes(column, read_numbers(column, members), np.arange(len(members)), bounds, kind)
    else:
        found = summarize_classes(column, None, members, bounds, kind)
    return exact(found[0])


def _find_scale(table: Table, names: tuple[str, ...]) -> Floats:
    """Return the divisor of each column: 1, or its standard deviation if the columns have different units."""
    known = _SCALE_OF.setdefault(table, {})
    if names not in known:
        widths = np.array([*Mixed(table, names).deviation.values()])
        known[names] = widths if widths.max() / SCALES > widths.min() else np.ones(len(widths))
    return known[names]


_SCALE_OF: WeakKeyDictionary[Table, dict[tuple[str, ...], Floats]] = WeakKeyDictionary()
"""A cache by table: the scale is needed again for each class."""


def _stack_lines(mixed: Mixed) -> Floats:
    """Return the records as points, one row each."""
    return np.column_stack([mixed.numbers[name] for name in mixed.names])


def _sort_points(points: Floats) -> Hashable:
    return tuple(sorted(map(tuple, (points + 0.0).tolist())))


def _check_epsilon(epsilon: object, representative: str) -> None:
    if epsilon is None:
        return
    must(representative == "perpendicular", "Microaggregate", "epsilon", "used with 'perpendicular'", epsilon)
    number = isinstance(epsilon, int | float | np.number) and not isinstance(epsilon, bool)
    must(number and isfinite(epsilon) and epsilon > 0, "Microaggregate", "epsilon", "a positive number", epsilon)  # type: ignore[arg-type, operator]


def _check_points(mixed: Mixed) -> None:
    """Raise an error for a single column, a column that does not hold numbers, or a missing number."""
    must(len(mixed.names) > 1, "Microaggregate", "columns", "two or more for 'perpendicular'", mixed.names)
    for name in mixed.names:
        x = mixed.table[name].numbers(name)
        if np.isnan(x).any():
            raise BadParameter(
                f"Microaggregate: for 'perpendicular' every cell of the column {name!r} must hold a number. "
                f"Got {int(np.isnan(x).sum()):,} missing. Use 'mean'."
            )
