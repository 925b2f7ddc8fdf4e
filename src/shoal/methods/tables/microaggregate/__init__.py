"""Microaggregation: near records are put into classes of k or more, and each class is published as one (or nearly).

The paper's 30-point example: a class is replaced by its mean (k-anonymity), or by points around the mean that are
handed out by a secret permutation (confusion without k-anonymity).
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
from shoal.data.dataset import Dataset, as_dataset, check_k
from shoal.data.table import Table, exact
from shoal.errors import BadParameter, must, whole
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
from shoal.optimize.annealing import draw_seed, make_generator
from shoal.release.guarantee import Ground, Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release

LOSS = "information loss (SSE/SST)"
LEAST = "classes spread along their direction of least variance"
SCALES = 10
"""Columns whose standard deviations differ by more than this factor are not in the same unit."""


@dataclass(frozen=True)
class Microaggregate(InsideClasses):
    """Put near records into classes of k to 2k-1, and publish for each what stands for its class.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of records. With fewer than 2k records all are one class.
    columns
        What to protect; None for all. The others stay as they are.
    seed
        For "perpendicular", which draws who gets which point: a secret. None draws one.
    representative
        "mean" or "median" of the numbers of a class, and the most frequent of its categories; "mode" takes the most
        frequent of the numbers too. Missing values are left out, unless there is nothing else. Whole numbers stay whole
        where their mean is. "perpendicular": points around the mean, see `epsilon`; numbers only, two columns or more.
    algorithm
        "mdav"; "blocks", which cuts the records into blocks of about 2,000 first; "auto": mdav up to 30,000 records.
    epsilon
        For "perpendicular": how far the last points are from the mean of their class, in the units of the columns; it
        must be smaller than the radius of each class. None for half the radius. For three points with mean A they are
        A, A + epsilon V and A - epsilon V, and V is perpendicular to the class (where its rank is below the number
        of columns; else the direction of least variance, which `notes` tell). A class whose members coincide is
        published as it is.

    Notes
    -----
    Records are apart by the squares of the differences of their numbers, each column divided by its standard
    deviation, plus 1 for each different category. `measured` tells the information loss: the sum of these between what
    was and what is published, over that between what was and the one center of all.

    Every member of a class is published alike, which is k-anonymity and k-confusion. "perpendicular" promises only the
    latter: each point is published for one member, but nobody can tell for which. It is meant in the units of the
    columns; where their standard deviations differ by more than a factor of 10, in standard deviations.

    Examples
    --------
    >>> ages = {"age": [20, 61, 22, 60], "sex": ["f", "m", "f", "f"]}
    >>> release = Microaggregate(k=2)(ages)
    >>> list(release.table["age"]), list(release.table["sex"])
    ([21, 60.5, 21, 60.5], ['f', 'f', 'f', 'f'])

    With fewer than 2k records there is one class, and nothing is left to tell them apart:

    >>> Microaggregate(k=3, columns=("age",))(ages).measured["information loss (SSE/SST)"]
    1.0

    References
    ----------
    J. Domingo-Ferrer, V. Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data Mining
    and Knowledge Discovery 2005.
    """

    k: int
    columns: tuple[str, ...] | None = None
    seed: int | None = None
    representative: Literal["mean", "median", "mode", "perpendicular"] = "mean"
    algorithm: Algorithm = "auto"
    epsilon: float | None = None

    shell: ClassVar[str] = "microaggregate"
    changes: ClassVar[str] = "the columns: near records get the same values"
    protects: ClassVar[str] = "from whoever knows the columns"
    promises: ClassVar[str] = "the columns leave k; k-confusion"
    source: ClassVar[str] = "Domingo-Ferrer & Torra 2005; the paper's 30-point example"
    rank: ClassVar[int] = 2
    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        LOSS: "classes",  # members are published alike, or the mean is taken over all permutations of a class
        LEAST: "classes",  # it reads the points of each class as a set
    }

    def __post_init__(self) -> None:
        who = "Microaggregate"
        object.__setattr__(self, "k", whole(self.k, who, "k", least=1))
        object.__setattr__(self, "columns", parse_columns(self.columns, who))
        if self.seed is not None:
            object.__setattr__(self, "seed", whole(self.seed, who, "seed", least=0, most=None))
        check_choice(self.representative, ("mean", "median", "mode", "perpendicular"), who, "representative")
        check_choice(self.algorithm, ("auto", "mdav", "blocks"), who, "algorithm")
        _check_epsilon(self.epsilon, self.representative)
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", float(self.epsilon))

    @property
    def ground(self) -> Ground:
        """Members of a class are published alike, or by a secret permutation."""
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
        """Return the table with each of the given classes published as one, whatever its size."""
        return self._protect(self._read_columns(table), codes, rng)

    def notes(self, table: Table, measured: dict[str, Any]) -> tuple[str, ...]:
        """Tell which columns were taken for categories, and where points lie along no perpendicular."""
        mixed = self._read_columns(table)
        return (*describe_mixed_columns(mixed), *_describe_points(mixed, measured))

    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return what stands for a class, or its points in order."""
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
        """Return the columns with the points handed out, and what may be told: nothing that depends on who got which.

        The loss is its mean over all permutations. The loss that came about would give the permutation away.
        """
        order, bounds = list_members_by_class(codes)
        lines = _stack_lines(mixed)
        scale = _find_scale(mixed.table, mixed.names)
        spreads = [spread_points(part / scale, self.epsilon) for part in np.split(lines[order], bounds[1:-1])]
        smallest = min((spread.radius for spread in spreads if spread.radius > 0), default=np.inf)
        if self.epsilon is not None and self.epsilon >= smallest:
            raise BadParameter(
                "Microaggregate: 'epsilon' must be smaller than the radius of each class, the smallest of which is "
                f"{smallest:.6g}. Got {self.epsilon!r}."
            )
        published, points = np.empty_like(lines), np.concatenate([spread.points for spread in spreads]) * scale
        published[shuffle_classes(codes, rng)] = points
        columns = {
            name: make_number_column(x, mixed.table[name]) for name, x in zip(mixed.names, published.T, strict=True)
        }
        loss = mixed.expected_loss(lines[order], points, bounds)
        return columns, {LOSS: loss, LEAST: sum(not spread.perpendicular for spread in spreads)}


def _describe_points(mixed: Mixed, measured: dict[str, Any]) -> tuple[str, ...]:
    """Say where nothing is perpendicular, and where the columns are in different units."""
    if LEAST not in measured:
        return ()
    widths = mixed.deviation.values()
    rank = (
        f"{measured[LEAST]:,} of {measured['classes']:,} classes have full rank: nothing is perpendicular to them, and "
        "their points lie along the direction of least variance."
    )
    units = (
        f"The standard deviations of the columns go from {min(widths):.3g} to {max(widths):.3g}, so that perpendicular "
        "and epsilon are meant in standard deviations and not in the units of the columns."
    )
    return (*([rank] if measured[LEAST] else []), *([units] if max(widths) / SCALES > min(widths) else []))


def _summarize_cell(column: Column, members: Ints, kind: Kind) -> Hashable:
    """Return what stands for a class in one column."""
    column, bounds = column.canonical, np.array([0, len(members)])
    if column.is_numeric and kind != "mode":
        found = summarize_classes(column, read_numbers(column, members), np.arange(len(members)), bounds, kind)
    else:
        found = summarize_classes(column, None, members, bounds, kind)
    return exact(found[0])


def _find_scale(table: Table, names: tuple[str, ...]) -> Floats:
    """Return by what each column is divided: nothing, or its deviation where the columns are not in the same unit."""
    known = _SCALE_OF.setdefault(table, {})
    if names not in known:
        widths = np.array([*Mixed(table, names).deviation.values()])
        known[names] = widths if widths.max() / SCALES > widths.min() else np.ones(len(widths))
    return known[names]


_SCALE_OF: WeakKeyDictionary[Table, dict[tuple[str, ...], Floats]] = WeakKeyDictionary()
"""What was found for a table, which is asked for again with each of its classes."""


def _stack_lines(mixed: Mixed) -> Floats:
    """Return the records as points, one line each."""
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
    """Refuse what is no point: columns that are no numbers, a missing number, a single column."""
    must(len(mixed.names) > 1, "Microaggregate", "columns", "two or more for 'perpendicular'", mixed.names)
    for name in mixed.names:
        x = mixed.table[name].numbers(name)
        if np.isnan(x).any():
            raise BadParameter(
                f"Microaggregate: for 'perpendicular' the column {name!r} must hold a number for everybody. "
                f"Got {int(np.isnan(x).sum()):,} missing. Use 'mean'."
            )
