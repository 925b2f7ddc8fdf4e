"""Dataset: what a graph and a table have in common. Both are about individuals, who have names and attributes."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

from shoal.data.convert import as_graph, as_table, is_graph
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.errors import must, whole


class Dataset(Protocol):
    """Individuals with names and attributes: the vertices of a :class:`Graph`, or the records of a :class:`Table`."""

    noun: ClassVar[tuple[str, str]]
    """What one individual is called, and several."""
    has_links: ClassVar[bool]
    """Whether individuals can be linked, as in a graph, even one without edges."""

    @property
    def n(self) -> int:
        """Number of individuals."""

    @property
    def m(self) -> int:
        """Number of edges between them; a table has none."""

    @property
    def is_multigraph(self) -> bool:
        """Whether it is kept how often a pair is linked."""

    @property
    def names(self) -> Names:
        """What the individuals are called, by id."""

    @property
    def attributes(self) -> Table:
        """What is known about them besides links; of a table, the table itself."""

    def with_attributes(self, attributes: Table) -> Self:
        """Return the same individuals, and links, with other attributes."""


def as_dataset(obj: Any) -> Dataset:
    """Return data about individuals: of a release its data, of anything else a graph, or else a table.

    Parameters
    ----------
    obj
        A :class:`Graph` or a :class:`Table`; whatever has one of them as its `data`, as a release does; a graph of
        networkx or igraph; or anything else that :func:`shoal.as_table` takes.

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
    """Return a graph as it is; of a table, beside which stands a graph, its records as vertices without links."""
    return data if isinstance(data, Graph) else Graph.from_pairs(data.names, [], [], attributes=data.attributes)


def unwrap_data(obj: Any) -> Any:
    """Return the graph or the table that `obj` holds as its `data`, as a release does; else `obj` itself."""
    held = getattr(obj, "data", None)  # in a frame a column, in an array a buffer: neither is a dataset
    return held if isinstance(held, Graph | Table) else obj


def check_k(who: str, k: object, data: Dataset, what: str = "k") -> int:
    """Return k if it is a whole number from 1 to the number of vertices or records, or refuse it."""
    number = whole(k, who, what, least=1)
    must(number <= data.n, who, what, f"at most the number of {data.noun[1]}, {data.n:,}", number)
    return number
