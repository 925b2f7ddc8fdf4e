"""Some columns: the values of any l columns. The smallest class over all sets of l columns counts."""

from __future__ import annotations

from itertools import combinations

from shoal.errors import BadParameter
from shoal.knowledge import SomeColumns
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network, check_columns

WHAT = "some-columns"


def count(net: Network, kind: SomeColumns) -> str:
    """Count each set of l columns; fewer columns never leave fewer candidates."""
    names = list(kind.names or net.columns)
    check_columns(net, names, "SomeColumns")
    if not names:
        raise BadParameter("SomeColumns: there must be known columns (vertices=, --attributes). Got none.")
    columns = [net.columns[name] for name in names]
    worst = ""
    for some in combinations(columns, min(kind.l, len(columns))):
        listed = ", ".join(some)
        same = " AND ".join(f"g.{column} IS NOT DISTINCT FROM s.{column}" for column in some)
        before = f"JOIN {worst} b ON b.v = s.v" if worst else ""
        least = "least(b.candidates, g.many)" if worst else "g.many"
        table = net.keep(
            "sizes",
            f"""SELECT s.v, {least} AS candidates, TRUE AS exact FROM cells s
                JOIN (SELECT {listed}, count(*) AS many FROM cells GROUP BY {listed}) g ON {same} {before}""",
            f"{WHAT}:{kind.l}",
        )
        if worst:
            net.engine.drop(worst)
        worst = table
    return worst


COUNTER = Counter("some-columns:L[:NAME,NAME]", count=count)
