"""Leaving out vertices or links of a network in an engine, so that it can be counted again."""

from __future__ import annotations

from shoal.relational.network import Network


def keep_people(net: Network, kept: str, what: str) -> None:
    """Leave out the vertices that are not in a table (v), with their links."""
    for table in ("arcs", "entries") if net.relations else ("arcs",):
        both = f"JOIN {kept} x ON x.v = t.v JOIN {kept} y ON y.v = t.w"
        if net.has_links:
            _replace(net, table, f"SELECT t.* FROM {table} t {both}", what)
    if net.columns:
        _replace(net, "cells", f"SELECT t.* FROM cells t JOIN {kept} x ON x.v = t.v", what)
    _count_again(net, kept, what)


def keep_pairs(net: Network, kept: str, what: str) -> None:
    """Leave out the links of all pairs that are not in a table (v, w), which has each pair from both ends."""
    for table in ("arcs", "entries") if net.relations else ("arcs",):
        _replace(net, table, f"SELECT t.* FROM {table} t JOIN {kept} x ON x.v = t.v AND x.w = t.w", what)
    _count_again(net, "people", what)


def _replace(net: Network, table: str, query: str, what: str) -> None:
    net.engine.keep(table, query, what, order="v")


def _count_again(net: Network, kept: str, what: str) -> None:
    """Count neighbors, vertices and links again; what was counted before is forgotten."""
    net.forget()
    near = "SELECT v, count(*) AS many FROM arcs GROUP BY v" if net.has_links else "SELECT v, 0 AS many FROM people"
    net.engine.keep(
        "people",
        f"""SELECT k.v, CAST(coalesce(c.many, 0) AS INTEGER) AS near FROM {kept} k
            LEFT JOIN ({near}) c ON c.v = k.v""",
        what,
    )
    ((net.n,),) = net.engine.collect("SELECT count(*) FROM people", what)
    if net.has_links:
        links = "SELECT coalesce(sum(times), 0) FROM entries" if net.relations else "SELECT count(*) FROM arcs"
        ((ends,),) = net.engine.collect(links, what)
        net.m = int(ends) // 2
