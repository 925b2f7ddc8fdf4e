"""Dataset: the common interface of Graph and Table. Both hold individuals with names and attributes."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

from shoal.data.convert import as_graph, as_table, is_graph
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.table import Table


class Dataset(Protocol):
    """Individuals with names and attributes: the vertices of a :class:`Graph`, or the records of a :class:`Table`."""

    noun: ClassVar[tuple[str, str]]
    """The word for one individual, and for several."""
    has_links: ClassVar[bool]
    """Whether individuals can have links. True for every graph, even one without edges."""

    @property
    def n(self) -> int:
        """Number of individuals."""

    @property
    def m(self) -> int:
        """Number of edges between them; a table has none."""

    @property
    def is_multigraph(self) -> bool:
        """Whether multiplicities are kept: how often each pair is linked."""

    @property
    def names(self) -> Names:
        """The names of the individuals, by id."""

    @property
    def attributes(self) -> Table:
        """The attributes of the individuals; for a table, the table itself."""

    def with_attributes(self, attributes: Table) -> Self:
        """Return the same individuals and links with other attributes."""


def as_dataset(obj: Any) -> Dataset:
    """Convert an object to a Graph or a Table.

    Parameters
    ----------
    obj
        A :class:`Graph` or a :class:`Table`; an object with one of them in its attribute `data`, such as a release;
        a graph of networkx or igraph; or anything else that :func:`shoal.as_table` accepts.

    Examples
    --------
    >>> as_dataset({"age": [30, 30, 41]})
    Table(3 rows; columns: age)
    >>> as_dataset(Graph.from_pairs("ab", [0], [1]))
    Graph(2 vertices, 1 edge)
    """
    found = unwrap_data(obj)
    return as_graph(found) if is_graph(found) else as_table(found)


def as_linked(data: Dataset) -> Graph:
    """Return a graph unchanged; for a table, return a graph of its records without links."""
    return data if isinstance(data, Graph) else Graph.from_pairs(data.names, [], [], attributes=data.attributes)


def unwrap_data(obj: Any) -> Any:
    """Return `obj.data` if it is a graph or a table, as for a release; otherwise `obj` itself."""
    held = getattr(obj, "data", None)  # a frame may have a column 'data', and an array has a buffer 'data'
    return held if isinstance(held, Graph | Table) else obj
