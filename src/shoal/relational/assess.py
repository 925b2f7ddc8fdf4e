"""Assess risk and levels in an engine, with the same numbers as in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from shoal.errors import BadParameter, must, public
from shoal.knowledge import Adversary, parse_knowledge
from shoal.relational.kinds import Plan, list_columns, plan_count
from shoal.relational.loading import open_network
from shoal.relational.network import Network
from shoal.relational.risk import RelationalRisk


@public
def assess(source: Any, knowledge: Adversary | str, **how: Any) -> RelationalRisk:
    """Count the candidates of every vertex where the data are, with the numbers of :func:`shoal.assess`.

    Parameters
    ----------
    source
        The links: Parquet files (a path, a pattern, a folder), ``duckdb:FILE/TABLE``, or a relation of DuckDB. Or a
        network from :func:`open_network`, which is loaded once for several questions. If the attacker knows only
        columns and there are no `vertices`, the source is the table of people, one row each.
    knowledge
        What the attacker knows, e.g. ``Degree()`` or ``"degree"``. What an engine does not count is refused before any
        work.
    **how
        How the data are read, as in :func:`open_network`: `ends` (default: ``("src", "dst")``), `vertices`, `key`,
        `columns` (default: those that the knowledge names), `directed`, `undirected`, `kind`, `multigraph`,
        `drop_loops`, `engine` (default: DuckDB). A network has been read already, so it comes without.

    Returns
    -------
    RelationalRisk
        k, rates and a histogram; sizes per vertex stay in the engine until they are asked for.

    Examples
    --------
    >>> import duckdb, shoal
    >>> star = duckdb.sql("SELECT 0 AS src, range AS dst FROM range(1, 4)")
    >>> with shoal.relational.assess(star, "degree") as risk:
    ...     risk.k, risk.rate(3), risk.histogram(), sorted(risk.at_risk(3).collect())
    (1, 0.25, {1: 1, 3: 3}, [(0, 1, True)])
    """
    adversary = parse_knowledge(knowledge)
    plan = plan_count(adversary)
    if isinstance(source, Network):
        must(not how, "relational", "source", "links, if it says how they are read", source)
        return _count(source, adversary, plan)
    source, how = place_sources(source, adversary, how)
    if how.get("columns") is None:
        how = how | {"columns": list_columns([adversary])}
    network = open_network(source, **how)
    with closing_on_error(network):
        return _count(network, adversary, plan)


def place_sources(source: Any, adversary: Adversary | None, how: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the links, and how they are read. Where only columns are known, a single source is the table of people."""
    if adversary is not None and not adversary.reads_links and how.get("vertices") is None:
        return None, {**how, "vertices": source}
    return source, dict(how)


def _count(network: Network, adversary: Adversary, plan: Plan) -> RelationalRisk:
    if adversary.reads_links:
        need_links(network, adversary.spec)
    table = plan.run(network)
    return RelationalRisk(network, adversary, table, check_sizes(network, table, classes=plan.classes))


def need_links(network: Network, what: str) -> None:
    """Refuse a table without links: all people would look alike there."""
    if not network.has_links:
        raise BadParameter(f"{what}: a table has no links. Got {network.place}. Name the links as the source.")


def check_sizes(network: Network, table: str, *, classes: bool) -> tuple[tuple[int, bool, int], ...]:
    """Return how often each size occurs, after checks that every vertex has one possible size.

    There are n rows, and every vertex has one: so every vertex has exactly one. Every size is between 1 and n. Where
    vertices are in classes, a class of s vertices has s times the size s.
    """
    rows = network.engine.collect(
        f"SELECT candidates, exact, count(*) FROM {table} GROUP BY candidates, exact ORDER BY candidates", "checking"
    )
    ((lacking,),) = network.engine.collect(
        f"SELECT count(*) FROM people p LEFT JOIN {table} t ON t.v = p.v WHERE t.v IS NULL", "checking"
    )
    counted = tuple((int(size), bool(exact), int(people)) for size, exact, people in rows)
    people = sum(many for _, _, many in counted)
    fits = all(1 <= size <= network.n for size, _, _ in counted)
    adds_up = not classes or (fits and all(many % size == 0 for size, _, many in counted))
    if people != network.n or lacking or not fits or not adds_up:
        raise RuntimeError(
            f"relational: the engine returned {people:,} sizes for {network.n:,} vertices, none for {lacking:,}, or "
            "sizes that cannot be. This is a defect, and nothing was counted."
        )
    return counted


@contextmanager
def closing_on_error(network: Network) -> Iterator[None]:
    """Close a network if the block fails."""
    try:
        yield
    except BaseException:
        network.close()
        raise
