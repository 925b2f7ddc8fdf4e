"""Exact classes of vertices whose facts are multisets of rows, such as their entries or the colors of neighbors.

A class is named by its least vertex. Every round signs each multiset by sums of the halves of a hash, groups by the
signature, and compares each member with the representative of its group, row by row. Members that differ are signed
again with a new salt. So a collision costs a further round and never joins two classes.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.relational.network import Network


def group_multisets(net: Network, rows: str, columns: Sequence[str], what: str, base: str | None = None) -> str:
    """Return a table (v, code): two vertices have one code iff their multisets of rows are equal.

    Parameters
    ----------
    net
        The network. Every vertex gets a code; one without rows has the empty multiset.
    rows
        What a query selects from to read (v, columns ...); a row may occur several times.
    columns
        The columns that make a row.
    what
        The step, for progress.
    base
        A table (v, code): only vertices with one code there can have one code here. None: all vertices.
    """
    engine, listed = net.engine, ", ".join(columns)
    active = net.keep(
        "active", "SELECT v, 0 AS base FROM people" if base is None else f"SELECT v, code AS base FROM {base}", what
    )
    done: list[str] = []
    salt = 0
    while True:
        grouped = _sign(net, rows, columns, active, salt, what, everyone=base is None and not salt)
        members = net.keep(
            "members",
            f"""SELECT g.v, g.code, {listed}, count(*) AS times
                FROM {rows} r JOIN (SELECT v, code FROM {grouped} WHERE size > 1) g ON g.v = r.v
                GROUP BY g.v, g.code, {listed}""",
            what,
        )
        same = " AND ".join(f"m.{column} = r.{column}" for column in columns)
        wrong = net.keep(
            "wrong",
            f"""SELECT DISTINCT m.v, m.code FROM {members} m
                LEFT JOIN (SELECT * FROM {members} WHERE v = code) r ON r.code = m.code AND r.times = m.times AND {same}
                WHERE r.code IS NULL""",
            what,
        )
        ((left,),) = engine.collect(f"SELECT count(*) FROM {wrong}", what)
        if not left:
            done.append(net.keep("codes", f"SELECT v, code FROM {grouped}", what) if done else grouped)
            engine.drop(members, wrong, active)
            break
        done.append(
            net.keep(
                "codes", f"SELECT g.v, g.code FROM {grouped} g LEFT JOIN {wrong} w ON w.v = g.v WHERE w.v IS NULL", what
            )
        )
        engine.drop(members, grouped, active)
        active = net.keep("active", f"SELECT v, code AS base FROM {wrong}", what)
        engine.drop(wrong)
        salt += 1
    if len(done) == 1:
        return done[0]
    codes = net.keep("codes", " UNION ALL ".join(f"SELECT v, code FROM {part}" for part in done), what)
    engine.drop(*done)
    return codes


def _sign(net: Network, rows: str, columns: Sequence[str], active: str, salt: int, what: str, *, everyone: bool) -> str:
    """Return a table (v, code, size): vertices with one signature have one code; size is how many they are.

    Two vertices with one code have multisets with the same number of rows. If each row of one is as often in the other,
    the two are equal.
    """
    engine = net.engine
    low, high = engine.halve("h")
    some = "" if everyone else f" WHERE v IN (SELECT v FROM {active})"
    signed = net.keep(
        "signed",
        f"""SELECT p.v, p.base, coalesce(s.x, 0) AS x, coalesce(s.y, 0) AS y, coalesce(s.many, 0) AS many
            FROM {active} p LEFT JOIN (
                SELECT v, CAST(sum({low}) AS BIGINT) AS x, CAST(sum({high}) AS BIGINT) AS y, count(*) AS many
                FROM (SELECT v, {engine.sign(columns, salt)} AS h FROM {rows}{some}) GROUP BY v) s ON s.v = p.v""",
        what,
    )
    grouped = net.keep(
        "grouped",
        f"""SELECT s.v, g.code, g.size FROM {signed} s JOIN (
                SELECT base, x, y, many, min(v) AS code, count(*) AS size FROM {signed} GROUP BY base, x, y, many) g
            ON g.base = s.base AND g.x = s.x AND g.y = s.y AND g.many = s.many""",
        what,
    )
    engine.drop(signed)
    return grouped


def group_columns(net: Network, query: str, columns: Sequence[str], what: str) -> str:
    """Return a table (v, code): two vertices have one code iff their cells are equal; a missing value is a value."""
    listed = ", ".join(columns)
    named = net.keep("held", f"SELECT v, {listed} FROM {query}", what)
    same = " AND ".join(f"g.{column} IS NOT DISTINCT FROM s.{column}" for column in columns)
    codes = net.keep(
        "codes",
        f"""SELECT s.v, g.least_v AS code FROM {named} s
            JOIN (SELECT {listed}, min(v) AS least_v FROM {named} GROUP BY {listed}) g ON {same}""",
        what,
    )
    net.engine.drop(named)
    return codes


def meet_classes(net: Network, tables: Sequence[str], what: str) -> str:
    """Return a table (v, code): two vertices have one code iff they have one code in each of the tables."""
    columns = [f"part{number}" for number in range(len(tables))]
    listed = ", ".join(f"t{number}.code AS part{number}" for number in range(len(tables)))
    joins = "".join(f" JOIN {table} t{number} ON t{number}.v = t0.v" for number, table in enumerate(tables) if number)
    return group_columns(net, f"(SELECT t0.v, {listed} FROM {tables[0]} t0{joins})", columns, what)
