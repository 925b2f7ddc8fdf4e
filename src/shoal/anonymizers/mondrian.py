"""Mondrian: the table is cut at medians, and each class is published as the smallest box around it.

Strict multidimensional local recoding (LeFevre, DeWitt & Ramakrishnan 2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.adversaries import KnowsColumns
from shoal.anonymizers.boxes import Ranked
from shoal.anonymizers.classes import CLASS_SIZES, LINKS_STAY, confusion_of, sizes_of
from shoal.anonymizers.method import Method, as_columns, chosen_columns
from shoal.data.graph import Ints
from shoal.data.records import as_records
from shoal.data.release import Ground, Promise, Reason, Release
from shoal.engines.local.grouping import by_first_appearance
from shoal.engines.local.pool import announce_compilation
from shoal.errors import whole
from shoal.risk.promises import verified
from shoal.risk.sizes import checked_k

PENALTY = "normalized certainty penalty"


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the records at medians as long as k are left on both sides; publish for each class what its values span.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of records.
    columns
        What to protect; None for all. The others stay as they are.

    Notes
    -----
    The widest column is cut, as a share of what it spans in the whole table; the next one if no cut of it leaves k on
    both sides. Records with the same value stay together. Where some are missing, they are cut off first.

    A value that all of a class have stays. Other numbers become their range, ``20-29`` or ``1.5-2.25`` (``-5 to -1``
    where a minus sign would confuse), and so do dates, ``2020-01-31 to 2020-02-29``; with ``or missing`` behind it if
    some are missing. Other categories become a list, ``{a, b}`` or ``{missing, a}``, of up to 8; more than that, or all
    that the column has, become ``*``. No two different sets get the same label, also if the table itself holds such
    texts: then a label gets a number.

    `measured` tells the normalized certainty penalty: the mean over all cells of the share of the column that the
    published value leaves open (the width of a range; (c - 1) / (m - 1) for c of m categories; 1 where numbers or dates
    are joined with missing ones).

    Examples
    --------
    >>> people = {"age": [20, 29, 41, 60], "sex": ["f", "m", "f", "f"]}
    >>> release = Mondrian(k=2)(people)
    >>> list(release.table["age"]), list(release.table["sex"])
    (['20-29', '20-29', '41-60', '41-60'], ['*', '*', 'f', 'f'])

    Nothing can be cut where all have the same value, and nothing must:

    >>> list(Mondrian(k=2)({"age": [30, 30, 30, 30]}).table["age"])
    [30, 30, 30, 30]

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.
    """

    k: int
    columns: tuple[str, ...] | None = None

    shell: ClassVar[str] = "mondrian"
    changes: ClassVar[str] = "the columns: values become ranges and lists, different ones for different classes"
    protects: ClassVar[str] = "from whoever knows the columns"
    promises: ClassVar[str] = "the columns leave k; k-confusion"
    source: ClassVar[str] = "LeFevre, DeWitt & Ramakrishnan 2006"
    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        PENALTY: "classes",  # it reads the ranges of each class and of the whole column
    }
    ground: ClassVar[Ground] = "equal records"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "Mondrian", "k", least=1))
        object.__setattr__(self, "columns", as_columns(self.columns, "Mondrian"))

    def __call__(self, data: Any) -> Release:
        """Return the data with its columns recoded class by class."""
        original = as_records(data)
        checked_k("Mondrian", self.k, original)
        names = chosen_columns(original, self.columns, "Mondrian")
        scales = [Ranked(name, original.attributes[name].canonical) for name in names]
        codes, rows = _cut(scales, self.k)
        sizes = np.bincount(codes)
        cells = [scale.recoded(line, sizes) for scale, line in zip(scales, rows, strict=True)]
        columns = {name: column.take(codes) for name, (column, _) in zip(names, cells, strict=True)}
        penalty = float(np.mean([sizes @ open_share for _, open_share in cells])) / original.n
        confusion = confusion_of(original, codes, self.k, names, self)
        return verified(
            Release(
                original,
                original.with_attributes(original.attributes.with_columns(columns)),
                (Promise(KnowsColumns(*names), self.k), *confusion),
                self,
                by_first_appearance(codes),
                None,
                {PENALTY: penalty, **sizes_of(codes)},
                () if confusion else (LINKS_STAY,),
            )
        )


def _cut(scales: list[Ranked], k: int) -> tuple[Ints, Ints]:
    """Return the class of each individual, and the ranks of all, a line per column, class by class."""
    announce_compilation()
    from shoal.engines.local.kernels.cuts import median_cuts

    rows = np.ascontiguousarray(np.column_stack([scale.ranks for scale in scales]))
    n, d = rows.shape
    labels, bounds = np.empty(n, dtype=np.int64), np.empty((2, n // k + 1, d), dtype=np.int32)
    place = np.concatenate([scale.place for scale in scales])
    starts = np.cumsum([0, *(scale.count for scale in scales)])
    absent = np.array([scale.absent for scale in scales])
    median_cuts(rows, np.arange(n), place, starts, absent, k, labels, bounds[0], bounds[1])
    return labels, rows.T
