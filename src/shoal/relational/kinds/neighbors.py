"""Neighbors: any one or two entries of a vertex, with direction and kind. The smallest candidate set counts.

Two known entries leave the vertices that have both. All pairs of entries of a hub are too many, and rarely needed: the
entries that few vertices have leave the fewest candidates. So pairs among the 2, 8, 32, ... rarest entries of each
vertex are counted, and a vertex is decided as soon as its size is that of its floor: every vertex with the same row
fits whatever is known, so no pair leaves fewer. Where a budget of steps ends, the size so far is an upper bound.
"""

from __future__ import annotations

from shoal.knowledge import Neighbors
from shoal.relational.kinds import adjacency
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network

WHAT = "neighbors"
FIRST, GROWTH = 2, 4
"""The rarest entries that are paired first, and the factor from round to round."""
BUDGET = 2_000_000_000
"""Steps of one round: rows that are joined to count the vertices with both entries of a pair."""


def count(net: Network, kind: Neighbors) -> str:
    """Count the vertices that have each entry, or each pair of entries."""
    return count_one(net, None) if kind.l == 1 else PairSearch(net, BUDGET).count()


def count_one(net: Network, codes: str | None) -> str:
    """Return the sizes for one known entry; with codes, inside classes (v, code) that are known too."""
    if codes is None and not net.relations:  # how many vertices have the neighbor w is how many neighbors w has
        holders = "SELECT a.v, min(p.near) AS candidates FROM arcs a JOIN people p ON p.v = a.w GROUP BY a.v"
    elif codes is None:
        holders = f"""SELECT i.v, min(h.many) AS candidates FROM {net.items} i
            JOIN (SELECT x, count(*) AS many FROM {net.items} GROUP BY x) h ON h.x = i.x GROUP BY i.v"""
    else:
        items = f"(SELECT i.v, i.x, c.code FROM {net.items} i JOIN {codes} c ON c.v = i.v)"
        holders = f"""SELECT i.v, min(h.many) AS candidates FROM {items} i
            JOIN (SELECT x, code, count(*) AS many FROM {items} GROUP BY x, code) h
            ON h.x = i.x AND h.code = i.code GROUP BY i.v"""
    if codes is None:
        all_fit = f"SELECT v, {net.n} AS many FROM people"
    else:
        all_fit = f"""SELECT c.v, k.many FROM {codes} c
            JOIN (SELECT code, count(*) AS many FROM {codes} GROUP BY code) k ON k.code = c.code"""
    return net.keep(
        "sizes",
        f"""SELECT p.v, coalesce(h.candidates, p.many) AS candidates, TRUE AS exact
            FROM ({all_fit}) p LEFT JOIN ({holders}) h ON h.v = p.v""",
        f"{WHAT}:1",
    )


class PairSearch:
    """Counts pairs of entries, the rarest first, until each vertex is decided.

    Tables: ranked(v, x, many, rank) has the entries of each vertex, rank 1 for the rarest. open(v, best, floor,
    entries) has the vertices that are not decided.

    Parameters
    ----------
    net
        The network.
    budget
        The most steps of a round.
    enough
        A vertex is decided, too, as soon as its size is at most this; 0 for the smallest size.
    exhaustive
        Whether vertices beyond the budget are searched in further rounds, and not left with an upper bound.
    """

    def __init__(self, net: Network, budget: int, enough: int = 0, *, exhaustive: bool = False) -> None:
        self.net, self.budget, self.enough, self.exhaustive = net, budget, enough, exhaustive
        self.what = f"{WHAT}:2"
        self.items = net.keep_once("items", lambda: net.keep("items", f"SELECT v, x FROM {net.items}", self.what))
        self.ranked = net.keep_once("ranked", self._rank)

    def _rank(self) -> str:
        return self.net.keep(
            "ranked",
            f"""SELECT i.v, i.x, h.many, row_number() OVER (PARTITION BY i.v ORDER BY h.many, i.x) AS rank
                FROM {self.items} i JOIN (SELECT x, count(*) AS many FROM {self.items} GROUP BY x) h ON h.x = i.x""",
            self.what,
        )

    def count(self) -> str:
        """Return the table (v, candidates, exact)."""
        net = self.net
        one = count_one(net, None)
        undecided = self._open(one)
        done: list[str] = [
            net.keep(
                "sizes",
                f"""SELECT s.v, s.candidates, TRUE AS exact FROM {one} s
                    LEFT JOIN {undecided} o ON o.v = s.v WHERE o.v IS NULL""",
                self.what,
            )
        ]
        net.engine.drop(one)
        first, most = 0, FIRST
        while self._count_rows(undecided):
            left = []
            for tested, affordable in self._split_by_cost(undecided, first, most):
                if not affordable:
                    done.append(self._keep_sizes(tested, "best", exact=False))
                    continue
                better = self._improve(tested, first, most)
                decided = f"best <= floor OR entries <= {most}"
                done.append(self._keep_sizes(better, "best", exact=True, where=decided))
                left.append(self.net.keep("open", f"SELECT * FROM {better} WHERE NOT ({decided})", self.what))
                net.engine.drop(tested, better)
            undecided = left[0] if len(left) == 1 else net.keep("open", _join(left), self.what)
            net.engine.drop(*(part for part in left if part != undecided))
            first, most = most, most * GROWTH
        sizes = net.keep("sizes", _join(done), self.what)
        net.engine.drop(undecided, *done)
        return sizes

    def _keep_sizes(self, table: str, candidates: str, *, exact: bool, where: str = "TRUE") -> str:
        query = f"SELECT v, {candidates} AS candidates, {str(exact).upper()} AS exact FROM {table} WHERE {where}"
        return self.net.keep("sizes", query, self.what)

    def _open(self, one: str) -> str:
        """Return the vertices with two entries or more whose size for one entry is above their floor.

        The floor is the number of vertices with the same row, or what is enough. A vertex that no pair can bring down
        to what is enough is decided, too.
        """
        net = self.net
        rows = net.keep_once("rows", lambda: adjacency.group(net))
        hopeless = f" AND k.many <= {self.enough}" if self.enough else ""
        return net.keep(
            "open",
            f"""SELECT s.v, s.candidates AS best, greatest(k.many, {self.enough}) AS floor, e.entries FROM {one} s
                JOIN {rows} c ON c.v = s.v
                JOIN (SELECT code, count(*) AS many FROM {rows} GROUP BY code) k ON k.code = c.code
                JOIN (SELECT v, count(*) AS entries FROM {self.items} GROUP BY v) e ON e.v = s.v
                WHERE e.entries > 1 AND s.candidates > greatest(k.many, {self.enough}){hopeless}""",
            self.what,
        )

    def _count_rows(self, table: str) -> int:
        ((many,),) = self.net.engine.collect(f"SELECT count(*) FROM {table}", self.what)
        return int(many)

    def _split_by_cost(self, undecided: str, first: int, most: int) -> list[tuple[str, bool]]:
        """Return the vertices in parts, the cheapest first, and whether each part is searched.

        The cost of a pair is the number of vertices with its rarer entry. With ranks r < s it is paid once for each s.
        """
        net = self.net
        costs = net.keep(
            "costs",
            f"""SELECT o.v, o.best, o.floor, o.entries,
                    sum(r.many * (least({most}, o.entries) - greatest(r.rank, {first}))) AS cost
                FROM {undecided} o JOIN {self.ranked} r ON r.v = o.v AND r.rank < least({most}, o.entries)
                GROUP BY o.v, o.best, o.floor, o.entries""",
            self.what,
        )
        net.engine.drop(undecided)
        ((cost,),) = net.engine.collect(f"SELECT coalesce(sum(cost), 0) FROM {costs}", self.what)
        if cost <= self.budget:
            return [(costs, True)]
        summed = net.keep(
            "summed",
            f"""SELECT *, CAST(floor((sum(cost) OVER (ORDER BY cost, v) - cost) / {self.budget}) AS BIGINT) AS part
                FROM {costs}""",
            self.what,
        )
        parts = [part for (part,) in net.engine.collect(f"SELECT DISTINCT part FROM {summed} ORDER BY part", self.what)]
        found = []
        for at, some in enumerate([f"= {part}" for part in parts] if self.exhaustive else ["= 0", "> 0"]):
            query = f"SELECT v, best, floor, entries FROM {summed} WHERE part {some}"
            found.append((net.keep("open", query, self.what), self.exhaustive or not at))
        net.engine.drop(costs, summed)
        return found

    def _improve(self, tested: str, first: int, most: int) -> str:
        """Return (v, best, floor, entries) after the new pairs: those with an entry of a rank above `first`."""
        net = self.net
        pairs = net.keep(
            "pairs",
            f"""SELECT t.v, a.x AS rare, b.x AS other FROM {tested} t
                JOIN {self.ranked} a ON a.v = t.v AND a.rank < {most}
                JOIN {self.ranked} b ON b.v = t.v AND b.rank > a.rank AND b.rank > {first} AND b.rank <= {most}""",
            self.what,
        )
        both = net.keep(
            "both",
            f"""SELECT p.rare, p.other, count(*) AS many FROM (SELECT DISTINCT rare, other FROM {pairs}) p
                JOIN {self.items} a ON a.x = p.rare
                WHERE EXISTS (SELECT 1 FROM {self.items} b WHERE b.x = p.other AND b.v = a.v)
                GROUP BY p.rare, p.other""",
            self.what,
        )
        better = net.keep(
            "better",
            f"""SELECT t.v, least(t.best, coalesce(f.many, t.best)) AS best, t.floor, t.entries FROM {tested} t
                LEFT JOIN (SELECT p.v, min(b.many) AS many FROM {pairs} p
                    JOIN {both} b ON b.rare = p.rare AND b.other = p.other GROUP BY p.v) f ON f.v = t.v""",
            self.what,
        )
        net.engine.drop(pairs, both)
        return better


def _join(parts: list[str]) -> str:
    return " UNION ALL ".join(f"SELECT * FROM {part}" for part in parts)


def refuse(kind: Neighbors) -> bool:
    """Return whether a search for these facts is left to memory."""
    return kind.l > 2 or kind.multiplicities or bool(kind.errors)


COUNTER = Counter("neighbors:1, neighbors:2", refuse, count=count)
