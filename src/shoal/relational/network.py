"""A network in an engine: people as whole numbers, and their links as rows that every count reads.

Tables of the run:

people(v, near)
    Every vertex, with its number of neighbors.
names(v, name)
    What the vertices are called, where ids are not the names themselves.
arcs(v, w), or arcs(v, w, tie, total)
    Each linked pair twice, once from each end, sorted by v: the rows of a vertex are then counted without spilling.
    Where links have directions, kinds or multiplicities, `tie` numbers all links of a pair as v sees them, and `total`
    is how many they are.
entries(v, w, relation, times)
    There, each relation of v to w with its multiplicity; see :mod:`shoal.data.ties`.
cells(v, c0, c1, ...)
    The known columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

from shoal.data.ties import Relation
from shoal.errors import BadParameter, format_count
from shoal.relational.engine import Engine


class Closing(ABC):
    """What lives in an open engine: a `with` block closes it, and removes all temporary data."""

    @abstractmethod
    def close(self) -> None:
        """Remove all temporary data."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(eq=False)
class Network(Closing):
    """People and links in an engine. Close it, or use it in a `with` block, to remove all temporary data."""

    engine: Engine
    place: str
    """Where the data came from, for messages."""
    n: int = 0
    m: int = 0
    directed: bool = False
    multigraph: bool = False
    relations: tuple[Relation, ...] = ()
    """How links are seen; empty if they have neither directions nor kinds nor multiplicities."""
    columns: dict[str, str] = field(default_factory=dict)
    """The known columns: by name, the column of `cells`."""
    has_links: bool = True
    named: bool = False
    """Whether ids are not the names themselves."""
    _kept: dict[str, str] = field(default_factory=dict)
    _made: int = 0

    @property
    def noun(self) -> tuple[str, str]:
        """What a row is called: one, and many."""
        return ("vertex", "vertices") if self.has_links else ("record", "records")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of links; none if links have no kinds."""
        return tuple(dict.fromkeys(one.kind for one in self.relations if one.kind is not None))

    @property
    def attributes(self) -> dict[str, str]:
        """The known columns, by name."""
        return self.columns

    @property
    def tie(self) -> tuple[str, ...]:
        """The columns of `arcs` that say how a pair is linked; none if all pairs are linked alike."""
        return ("tie",) if self.relations else ()

    @property
    def total(self) -> str:
        """An expression on `arcs`: the number of links of a pair."""
        return "total" if self.relations else "1"

    @property
    def entries(self) -> str:
        """What a query selects from to read (v, w, relation, times)."""
        return "entries" if self.relations else "(SELECT v, w, 0 AS relation, 1 AS times FROM arcs)"

    @property
    def items(self) -> str:
        """What a query selects from to read (v, x): each entry of v as one number."""
        if not self.relations:
            return "(SELECT v, w AS x FROM arcs)"
        return f"(SELECT v, CAST(w AS BIGINT) * {len(self.relations)} + relation AS x FROM entries)"

    def name_table(self, stem: str) -> str:
        """Return an unused name for a table."""
        self._made += 1
        return f"{stem}_{self._made}"

    def keep(self, stem: str, query: str, what: str) -> str:
        """Keep the rows of a query as a table; return its name."""
        table = self.name_table(stem)
        self.engine.keep(table, query, what)
        return table

    def keep_once(self, name: str, build: Callable[[], str]) -> str:
        """Return the table that was built under a name, or build it now."""
        if name not in self._kept:
            self._kept[name] = build()
        return self._kept[name]

    def drop(self, *tables: str) -> None:
        """Drop tables, but for those that are kept for further questions."""
        self.engine.drop(*(set(tables) - set(self._kept.values())))

    def forget(self) -> None:
        """Drop the tables that were built once: the network has changed."""
        self.engine.drop(*dict.fromkeys(self._kept.values()))
        self._kept.clear()

    def close(self) -> None:
        """Remove all temporary data."""
        self.engine.close()

    def __repr__(self) -> str:
        if not self.has_links:
            return f"Table({format_count(self.n, 'record')} in {self.engine.name})"
        links = format_count(self.m, "directed edge" if self.directed else "edge")
        return f"Network({format_count(self.n, 'vertex', 'vertices')}, {links} in {self.engine.name})"


@contextmanager
def keyed(network: Network, seed: int, purpose: str) -> Iterator[str]:
    """Yield a table with one row, the secret key of a purpose. It is a table, so that no query shows it."""
    table = network.name_table("secret")
    network.engine.fill(table, ("key STRING",), [(f"{purpose} {seed}",)])
    try:
        yield table
    finally:
        network.engine.drop(table)


def check_columns(network: Network, names: Sequence[str], who: str) -> None:
    """Raise BadParameter if a known column is not there."""
    lacking = [name for name in names if name not in network.columns]
    if lacking:
        known = ", ".join(map(repr, network.columns)) or "none"
        raise BadParameter(
            f"{who}: a known column must be a column of the table of vertices (vertices=, --attributes). Got "
            f"{lacking[0]!r}; the columns are {known}."
        )
