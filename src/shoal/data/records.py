"""Records: a table as a graph without links, so that whoever can be asked about vertices can be asked about rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from shoal.data.convert import as_graph, as_table, is_graph
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import BadParameter


class Records(Graph):
    """The rows of a table as vertices without links; the columns are their attributes."""

    noun: ClassVar[tuple[str, str]] = ("record", "records")

    def __repr__(self) -> str:
        return repr(self.attributes)


def records(table: Table) -> Records:
    """Return a table as a graph without links.

    >>> records(Table.of({"age": [30, 30, 41]}))
    Table(3 rows; columns: age)
    """
    if table.n == 0:
        raise BadParameter("A table must have at least one row. Got none.")
    return Records(table.who, np.zeros(table.n + 1, dtype=np.int64), np.empty(0, dtype=np.int32), None, table)


def as_records(obj: Any) -> Graph:
    """Return what has attributes: a graph as it is, anything that :func:`shoal.as_table` takes as records.

    >>> as_records({"age": [30, 30, 41]}).n
    3
    """
    return as_graph(obj) if is_graph(obj) else records(as_table(obj))
