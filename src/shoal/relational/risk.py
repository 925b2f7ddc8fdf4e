"""The risk of every vertex, counted where the data are: few numbers are collected, sizes stay in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.errors import check_k, public
from shoal.io.atomic import write_together
from shoal.knowledge import Adversary
from shoal.relational.network import Closing, Network
from shoal.relational.parquet import join_parquet, removing
from shoal.risk.assess import BUCKET_NAMES, BUCKETS
from shoal.show import as_text


@dataclass(frozen=True, eq=False)
class EngineTable:
    """A table of the engine: nothing of it reaches Python unasked."""

    network: Network
    query: str

    @property
    def rows(self) -> int:
        """The number of rows."""
        ((rows,),) = self.network.engine.collect(f"SELECT count(*) FROM ({self.query})", "counting rows")
        return int(rows)

    @public
    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the table as a Parquet file that only the owner may read (mode 600)."""
        place = Path(path)
        with write_together([place], force=force, private=[place]) as (target,):
            parts = self.network.engine.export(self.query, "writing")
            with removing(parts):
                join_parquet(parts, target)

    @property
    def relation(self) -> Any:
        """The table as the engine has it: for DuckDB a relation, for further queries until the network is closed."""
        return self.network.engine.select(self.query)

    def collect(self) -> list[tuple[Any, ...]]:
        """Return all rows. They name people: keep them private."""
        return self.network.engine.collect(self.query, "collecting")

    def __repr__(self) -> str:
        return f"EngineTable({self.rows:,} rows in {self.network.engine.name})"


@dataclass(frozen=True, eq=False, repr=False)
class RelationalRisk(Closing):
    """The number of candidates of each vertex, as a table of the engine, and how often each number occurs.

    It is valid until its network is closed.
    """

    network: Network
    adversary: Adversary
    """What the attacker knows."""
    table: str
    """The table of the engine: (v, candidates, exact)."""
    counted: Sequence[tuple[int, bool, int]]
    """Each number of candidates, whether it is exact, and how many vertices have it."""

    @property
    def n(self) -> int:
        """The number of vertices."""
        return self.network.n

    @cached_property
    def k(self) -> int:
        """The size of the smallest candidate set."""
        return min(size for size, _, _ in self.counted)

    @property
    def exact(self) -> bool:
        """Whether k is exact. If not, a search was cut short and k is an upper bound."""
        return self.all_exact or any(size == 1 for size, _, _ in self.counted)

    @property
    def all_exact(self) -> bool:
        """Whether the numbers of candidates of all vertices are exact."""
        return all(exact for _, exact, _ in self.counted)

    def count_below(self, k: int) -> int:
        """Return how many vertices have fewer than k candidates; a lower bound if some sizes are upper bounds."""
        return sum(people for size, _, people in self.counted if size < k)

    def rate(self, k: int) -> float:
        """Return the share of vertices with fewer than k candidates; a lower bound if some sizes are upper bounds."""
        return self.count_below(check_k("RelationalRisk", k, self.network)) / self.n

    def histogram(self) -> dict[int, int]:
        """Return how many vertices have each number of candidates; upper bounds count as they are."""
        found: dict[int, int] = {}
        for size, _, people in self.counted:
            found[size] = found.get(size, 0) + people
        return dict(sorted(found.items()))

    def buckets(self) -> dict[str, int]:
        """Count the vertices by the number of their candidates, in the buckets of Hay et al."""
        found = self.histogram()
        return {
            name: sum(people for size, people in found.items() if low <= size <= (high or self.n))
            for name, (low, high) in zip(BUCKET_NAMES, BUCKETS, strict=True)
        }

    @property
    def sizes(self) -> EngineTable:
        """The number of candidates of every vertex: (name, candidates, exact)."""
        return EngineTable(self.network, select_by_name(self.network, self.table, ("candidates", "exact")))

    @public
    def at_risk(self, k: int) -> EngineTable:
        """Return the vertices with fewer than k candidates: (name, candidates, exact)."""
        k = check_k("RelationalRisk", k, self.network)
        table = f"(SELECT * FROM {self.table} WHERE candidates < {k})"
        return EngineTable(self.network, select_by_name(self.network, table, ("candidates", "exact")))

    def close(self) -> None:
        """Close the network, and remove all temporary data."""
        self.network.close()

    def __repr__(self) -> str:
        return as_text(self)


def join_sizes(risks: Sequence[RelationalRisk]) -> EngineTable:
    """Return the sizes of several kinds of knowledge: (knows, name, candidates, exact), a row per vertex and kind."""
    network = risks[0].network
    asked = network.name_table("asked")
    network.engine.fill(
        asked, ("number INTEGER", "knows STRING"), [(at, one.adversary.spec) for at, one in enumerate(risks)]
    )
    queries = [
        f"SELECT a.knows, r.* FROM {asked} a CROSS JOIN ({risk.sizes.query}) r WHERE a.number = {at}"
        for at, risk in enumerate(risks)
    ]
    return EngineTable(network, " UNION ALL ".join(queries))


def count_people(risks: Sequence[RelationalRisk], k: int) -> tuple[int, int]:
    """Return how many vertices are proved below k under at least one kind, and how many others are not decided."""
    network = risks[0].network
    every = " UNION ALL ".join(f"SELECT v, candidates, exact FROM {risk.table}" for risk in risks)
    ((below, unproved),) = network.engine.collect(
        f"""SELECT count(*) FILTER (WHERE least_size < {k}), count(*) FILTER (WHERE least_size >= {k} AND open > 0)
            FROM (SELECT v, min(candidates) AS least_size, count(*) FILTER (WHERE NOT exact) AS open
                FROM ({every}) GROUP BY v)""",
        "judging",
    )
    return int(below), int(unproved)


def select_by_name(network: Network, table: str, columns: Sequence[str]) -> str:
    """Return a query of a table (v, ...) with the names of the vertices."""
    listed = ", ".join(f"t.{column}" for column in columns)
    if not network.named:
        return f"SELECT t.v AS name, {listed} FROM {table} t"
    return f"SELECT x.name, {listed} FROM {table} t JOIN names x ON x.v = t.v"
