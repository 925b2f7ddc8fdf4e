"""Levels of a table: how many columns must be known about a record before too few candidates are left, exactly.

The rule of statistical offices is that every combination of up to three key columns occurs at least k times, perhaps
with a number of its own for each size. l(v) is the size of the smallest set of columns that breaks it, minus one.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.candidates import Fact, Witness
from shoal.data.convert import is_graph
from shoal.data.graph import Graph
from shoal.data.records import as_records
from shoal.engines import EXACT, Engine
from shoal.errors import BadParameter, whole
from shoal.risk.levels import Floats, Levels
from shoal.risk.sizes import checked_k

Thresholds = tuple[int | None, ...]


def column_levels(
    data: Any, k: int | Sequence[int | None], columns: Sequence[str] | None, limit: int | None, engine: Engine
) -> ColumnLevels:
    """Compute the levels of a table, or of the attributes of a graph; see :func:`shoal.levels`."""
    found = as_records(data)
    names = tuple(found.attributes) if columns is None else tuple(columns)
    if not names or len(set(names)) != len(names):
        what = "graph whose vertices have attributes" if is_graph(data) else "table"
        raise BadParameter(
            f"levels: 'columns' must be different columns of a {what}, at least one. Got {names!r:.120}."
        )
    least = checked_k("levels", k, found) if isinstance(k, int) else _per_size(k, found)
    most = len(names) if limit is None else whole(limit, "levels", "limit", least=1)
    most = min(most, len(names) if isinstance(least, int) else len(least))
    codes = [found.attributes[name].codes for name in names]
    sizes, meaning = engine.revealing_sizes(codes, least, most)
    return ColumnLevels(found, least, "columns", most, sizes, meaning, engine, names)


def _per_size(k: Any, data: Graph) -> Thresholds:
    if isinstance(k, str) or not hasattr(k, "__len__") or all(least is None for least in k):
        raise BadParameter(
            f"levels: 'k' must be a whole number, or one per size of the set with None where none is asked. Got {k!r}."
        )
    return tuple(None if least is None else checked_k("levels", least, data) for least in k)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnLevels(Levels):
    """How many columns must be known about each record."""

    columns: tuple[str, ...]
    """The columns among which the known ones are."""

    @property
    def capped(self) -> Floats:
        """The levels themselves: there are no degrees to cap them with."""
        return self.per_vertex

    def witness(self, v: Hashable) -> Witness | None:
        """Return a smallest set of columns that leaves too few candidates of the record `v`; None if none does."""
        i = self.graph.names.id(v)
        if self.meaning[i] != EXACT:
            return None
        size, table = int(self.sizes[i]), self.graph.attributes
        least = self.k if isinstance(self.k, int) else self.k[size - 1]
        codes = [table[name].codes for name in self.columns]
        known = self.engine.revealing_set(codes, i, least, size)
        left = np.logical_and.reduce([codes[c] == codes[c][i] for c in known])
        fact = Fact("some-columns", [(self.columns[c], table[self.columns[c]][i]) for c in known])
        return Witness((fact,), tuple(self.graph.names[int(u)] for u in np.flatnonzero(left)))

    def certificate(self, v: Hashable) -> dict[str, Any]:
        """Refuse: a certificate speaks of links. The witness of a record can be counted in the table."""
        raise BadParameter(f"certificate: levels must be those of a graph's links. Got columns. See witness({v!r}).")
