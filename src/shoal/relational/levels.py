"""Levels in an engine: who falls to one or two known neighbors (Definition II of (k,l)-anonymity)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import check_k, must, public, whole
from shoal.relational.assess import check_sizes, closing_on_error, need_links
from shoal.relational.kinds import neighbors
from shoal.relational.loading import open_network
from shoal.relational.network import Closing, Network
from shoal.relational.risk import EngineTable, select_by_name
from shoal.show import as_text


@public
def levels(source: Any, k: int, max_size: int = 2, **how: Any) -> RelationalLevels:
    """Find the vertices that one or two known neighbors leave with fewer than k candidates, exactly.

    The numbers are those of ``shoal.levels(graph, "neighbors", k=k, max_size=max_size)``: a vertex has level 0 if one
    known neighbor exposes it, 1 if two do, and at least `max_size` if no set up to this size does.

    Parameters
    ----------
    source
        The links, or a network from :func:`open_network`.
    k
        The number of candidates, including the vertex itself.
    max_size
        The largest size of known sets: 1 or 2.
    **how
        How the links are read, as in :func:`open_network`.

    Examples
    --------
    >>> import duckdb, shoal
    >>> path = duckdb.sql("SELECT range AS src, range + 1 AS dst FROM range(4)")
    >>> with shoal.relational.levels(path, k=2) as found:
    ...     found.histogram()
    {0: 2, 1: 1, '>=2': 2}
    """
    most = whole(max_size, "levels", "max_size", least=1, most=2)
    if isinstance(source, Network):
        must(not how, "levels", "source", "links, if it says how they are read", source)
        return _find_levels(source, check_k("levels", k, source), most)
    network = open_network(source, **({"columns": ()} | how))
    with closing_on_error(network):
        return _find_levels(network, check_k("levels", k, network), most)


def _find_levels(network: Network, k: int, most: int) -> RelationalLevels:
    need_links(network, "levels")
    one = neighbors.count_one(network, None)
    check_sizes(network, one, classes=False)
    level = f"CASE WHEN candidates < {k} THEN 0 ELSE 1 END"
    query = f"SELECT v, {level} AS l, candidates < {k} AS exact FROM {one}"
    sizes = [one]
    if most == 2:
        search = neighbors.PairSearch(network, neighbors.BUDGET, k - 1, exhaustive=True)
        two = search.count()
        check_sizes(network, two, classes=False)
        sizes.append(two)
        query = f"""SELECT s.v, CASE WHEN s.candidates < {k} THEN 0 WHEN t.candidates < {k} THEN 1 ELSE 2 END AS l,
                t.candidates < {k} AS exact FROM {one} s JOIN {two} t ON t.v = s.v"""
    table = network.keep("levels", query, "levels")
    network.engine.drop(*sizes)
    counted = network.engine.collect(f"SELECT l, exact, count(*) FROM {table} GROUP BY l, exact ORDER BY l", "levels")
    return RelationalLevels(network, k, most, table, tuple((int(l), bool(e), int(many)) for l, e, many in counted))


@dataclass(frozen=True, eq=False, repr=False)
class RelationalLevels(Closing):
    """How many known neighbors expose each vertex, as a table of the engine. Valid until its network is closed."""

    network: Network
    k: int
    """The number of candidates."""
    max_size: int
    """The largest size of known sets that was searched."""
    table: str
    """The table of the engine: (v, l, exact)."""
    counted: Sequence[tuple[int, bool, int]]
    """Each level, whether it is exact (else it is a lower bound), and how many vertices have it."""

    @property
    def l(self) -> int:
        """The smallest level; a lower bound if no vertex falls."""
        return min(level for level, _, _ in self.counted)

    def histogram(self) -> dict[int | str, int]:
        """Return how many vertices have each level; ">=2" are those that do not fall."""
        return {level if exact else f">={level}": many for level, exact, many in self.counted}

    @property
    def levels(self) -> EngineTable:
        """The level of every vertex: (name, l, exact)."""
        return EngineTable(self.network, select_by_name(self.network, self.table, ("l", "exact")))

    def close(self) -> None:
        """Close the network, and remove all temporary data."""
        self.network.close()

    def __repr__(self) -> str:
        return as_text(self)
