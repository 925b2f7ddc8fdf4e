"""Record: one record of a release, together with the whole of it; the paper's y."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.data.convert import is_graph
from shoal.data.frames import is_frame
from shoal.data.graph import Graph
from shoal.data.table import Table, exact
from shoal.errors import BadParameter, whole


def is_data(obj: Any) -> bool:
    """Tell whether `obj` is a whole table or graph (or a file), and not a list of records or of informations.

    >>> is_data(Table.of({"age": [30]})), is_data({"age": [30]}), is_data([30])
    (True, True, False)
    """
    return isinstance(obj, Table | Mapping | Path) or is_graph(obj) or is_frame(obj)


def as_data(obj: Any) -> Graph:
    """Return a table as records without links, a graph as it is.

    >>> as_data(Table.of({"age": [30, 41]})).n
    2
    """
    if isinstance(obj, Graph):
        return obj
    from shoal.data.records import as_records, records

    return records(obj) if isinstance(obj, Table) else as_records(obj)


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """One record of a release, or one vertex of a graph, together with the whole.

    Two records are equal if their entries are: the values of all columns, and in a graph the row of the adjacency
    matrix too. The paper asks that equal protected records get equal probabilities.

    Parameters
    ----------
    data
        The release: a table, a graph, or what :func:`shoal.as_table` takes.
    i
        Which of its records, from 0.

    Examples
    --------
    >>> trio = Table.of({"age": [30, 41, 30]})
    >>> Record(trio, 0) == Record(trio, 2), Record(trio, 0) == Record(trio, 1)
    (True, False)
    """

    data: Graph
    i: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", as_data(self.data))
        object.__setattr__(self, "i", whole(self.i, "Record", "i", least=0))
        if self.i >= self.data.n:
            raise BadParameter(f"Record: 'i' must be below the number of records, {self.data.n:,}. Got {self.i:,}.")

    @cached_property
    def entries(self) -> Hashable:
        """What makes two records equal: the values of the columns and, for a vertex, its row."""
        g, i = self.data, self.i
        row = slice(g.indptr[i], g.indptr[i + 1])
        many = None if g.multiplicity is None else tuple(g.multiplicity[row].tolist())
        cells = tuple((name, exact(g.attributes[name][i])) for name in g.attributes)
        return cells, tuple(g.indices[row].tolist()), many

    def __eq__(self, other: object) -> bool:
        return self.entries == other.entries if isinstance(other, Record) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.entries)

    def __repr__(self) -> str:
        return f"Record({self.data!r}, {self.i})"


def records_of(data: Any) -> list[Record]:
    """Return all records of a release.

    >>> [record.i for record in records_of(Table.of({"age": [30, 41]}))]
    [0, 1]
    """
    whole_data = as_data(data)
    return [Record(whole_data, i) for i in range(whole_data.n)]
