"""Minimal uniques: the smallest sets of columns that single out a record, and the share of each column in the risk.

A set of columns is a minimal unique of a record if no other record has the same values in it, and no proper subset has
this property (SUDA: Elliot, Manning & Ford). For k above 2: if fewer than k records have the same values.

m is the number of columns, M the largest size that is searched.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from shoal.core.column_sets import list_minimal_sets
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_dataset
from shoal.data.frames import make_frame
from shoal.errors import BadParameter, check_k, public, whole
from shoal.show import as_html, as_text


@public
def minimal_uniques(
    data: Any,
    columns: Sequence[str] | None = None,
    *,
    max_size: int | None = 3,
    k: int = 2,
) -> MinimalUniques:
    """Find every smallest set of at most `max_size` columns that singles out a record.

    Parameters
    ----------
    data
        A table, or anything that :func:`shoal.as_table` takes. Of a graph, the attributes of its vertices are used.
    columns
        The columns that may be known. None: all.
    max_size
        The largest size of sets to search. None: any size.
    k
        A set singles out a record if fewer than k records have the same values. 2: if no other record has them.

    Examples
    --------
    Only record 3 has age 41, and only record 0 has sex f. Records 1 and 2 are equal:

    >>> import shoal
    >>> found = shoal.tables.minimal_uniques({"age": [30, 30, 30, 41], "sex": ["f", "m", "m", "m"]})
    >>> {S: rows.tolist() for S, rows in found.sets.items()}
    {('age',): [3], ('sex',): [0]}
    >>> found.counts.tolist()
    [1, 0, 0, 1]
    """
    found = as_dataset(data)
    names = tuple(found.attributes) if columns is None else tuple(columns)
    if not names or len(set(names)) != len(names):
        raise BadParameter(f"minimal_uniques: 'columns' must be one or more different columns. Got {names!r:.120}.")
    most = len(names) if max_size is None else min(len(names), whole(max_size, "minimal_uniques", "max_size", least=1))
    least = check_k("minimal_uniques", k, found)
    codes = [found.attributes[name].codes for name in names]
    sets = list_minimal_sets(codes, [least] * most)
    return MinimalUniques(found, names, least, most, {tuple(names[c] for c in S): rows for S, rows in sets})


@dataclass(frozen=True, eq=False, repr=False)
class MinimalUniques:
    """The smallest sets of columns that single out records."""

    graph: Dataset
    """The table, as records without links."""
    columns: tuple[str, ...]
    k: int
    max_size: int
    """The largest size that was searched. Larger sets may single out more records."""
    sets: Mapping[tuple[str, ...], Ints]
    """For each set of columns, sorted by size, the records of which it is a minimal unique."""

    @cached_property
    def counts(self) -> Ints:
        """The number of minimal uniques of each record, up to the size searched."""
        return self._added(dict.fromkeys(self.sets, 1))

    @cached_property
    def smallest(self) -> Ints:
        """The size of the smallest set that singles out each record; 0 if no set up to the size searched does."""
        size = np.zeros(self.graph.n, dtype=np.int64)
        for S, rows in self.sets.items():
            size[rows] = np.where(size[rows] == 0, len(S), size[rows])
        return size

    @cached_property
    def scores(self) -> Ints:
        """The SUDA score of each record: the sum over its minimal uniques of (m - s)(m - s - 1)...(m - M).

        The smaller a set of s columns is, the more larger sets contain it and are unique too.
        """
        return self._added({S: self.score(len(S)) for S in self.sets})

    def score(self, size: int) -> int:
        """Return the score of a minimal unique of this size. M is kept below m: M = m would make every score 0."""
        m = len(self.columns)
        return prod(m - s for s in range(size, min(self.max_size, m - 1) + 1))

    @cached_property
    def contributions(self) -> dict[str, float]:
        """For each column, the share of all scores that comes from sets with that column. The shares overlap."""
        of_set = {S: self.score(len(S)) * len(rows) for S, rows in self.sets.items()}
        total = sum(of_set.values())
        return {c: sum(score for S, score in of_set.items() if c in S) / total if total else 0.0 for c in self.columns}

    def of(self, v: Hashable) -> tuple[tuple[str, ...], ...]:
        """Return the minimal uniques of the record named `v`."""
        i = self.graph.names.id(v)
        return tuple(S for S, rows in self.sets.items() if i in rows[np.searchsorted(rows, i) :][:1])

    def to_frame(self) -> Any:
        """Return one row per record, as a pandas, polars or pyarrow frame (the first that is installed)."""
        names = list(self.graph.names)
        return make_frame({"name": names, "smallest": self.smallest, "sets": self.counts, "score": self.scores})

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def _added(self, worth: Mapping[tuple[str, ...], int]) -> Ints:
        total = np.zeros(self.graph.n, dtype=np.int64)
        for S, rows in self.sets.items():
            total[rows] += worth[S]
        return total
