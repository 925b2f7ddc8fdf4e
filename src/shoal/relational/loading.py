"""Loading a network into an engine: names become whole numbers, links become rows that every count reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.data.edge_columns import EdgeColumns
from shoal.data.frames import find_key_column
from shoal.data.ties import Direction, Relation, sort_relations
from shoal.errors import BadFile, BadGraph, BadParameter, format_count, join_names, must, notice
from shoal.io.sniff import find_well_known
from shoal.relational.duckdb_engine import DuckDBEngine
from shoal.relational.engine import Engine, quote
from shoal.relational.link_kinds import KIND, TABLES, label_links
from shoal.relational.network import Network
from shoal.relational.source import Source, open_source
from shoal.relational.spark_engine import SparkEngine, is_frame

ENDS = ("src", "dst")
WRITTEN = ("source", "target")
"""The columns of links in files that shoal writes."""
INTEGERS = 2**31
"""Names that are whole numbers below this are their own ids, in 32 bits."""
LONG = 2**50
"""From here on, whole numbers are numbered anew where links have relations: a name and one of at most 2,002 relations
must fit into one number."""


def open_network(
    source: Any,
    *,
    ends: Sequence[str | int] | None = ENDS,
    vertices: Any = None,
    key: str | None = None,
    columns: Sequence[str] | None = None,
    directed: bool = False,
    undirected: bool = False,
    kind: str | int | None = None,
    multigraph: bool = False,
    drop_loops: bool = False,
    engine: Engine | None = None,
) -> Network:
    """Load links into an engine once, for several questions.

    Parameters
    ----------
    source
        The links: one row each. Parquet files, a table of a DuckDB file, a relation of DuckDB, or a DataFrame of Spark.
        None: no links.
    ends
        The columns that hold the two ends of a link, by name or by position from 0: integers or texts. A missing end is
        refused. None: columns with well-known names, or else the first two.
    vertices
        A table with one row per vertex, of the same forms. It names isolated vertices and holds known columns.
    key
        Its column of names. None: the first called "name" or "id", else the first.
    columns
        Its known columns. None: all.
    directed
        Whether a link leads from its first end to its second.
    undirected
        Whether links surely have no direction; then no note asks.
    kind
        The column that holds the kind of each link.
    multigraph
        Whether a link that is listed several times counts several times.
    drop_loops
        Whether to leave out links from a vertex to itself. Else they are refused.
    engine
        The engine. None: Spark for a DataFrame of Spark, else DuckDB, with their defaults.

    Examples
    --------
    >>> import duckdb, shoal
    >>> links = duckdb.sql("SELECT * FROM (VALUES ('a', 'b'), ('b', 'c')) links(src, dst)")
    >>> with shoal.relational.open_network(links) as network:
    ...     print(network)
    Network(3 vertices, 2 edges in duckdb)
    """
    chosen = _choose_engine(source, vertices) if engine is None else engine
    must(not chosen.used, "relational", "engine", "a new one for each network", chosen)
    try:
        must(not (directed and undirected), "relational", "directed", "given without 'undirected'", directed)
        must(source is not None or vertices is not None, "relational", "source", "given, or 'vertices'", source)
        loader = _Loader(chosen, directed, undirected, kind, multigraph, drop_loops)
        return loader.load(source, ends, vertices, key, columns)
    except BaseException:
        chosen.close()
        raise


def _choose_engine(*sources: Any) -> Engine:
    """Return the engine of the first DataFrame of Spark; DuckDB if there is none."""
    session = next((source.sparkSession for source in sources if is_frame(source)), None)
    return DuckDBEngine() if session is None else SparkEngine(session)


@dataclass
class _Loader:
    """How links are read."""

    engine: Engine
    directed: bool
    undirected: bool
    wanted_kind: str | int | None
    multigraph: bool
    drop_loops: bool
    ends: tuple[str, str] = ENDS
    kind: str | None = None

    def load(
        self,
        source: Any,
        ends: Sequence[str | int] | None,
        vertices: Any,
        key: str | None,
        columns: Sequence[str] | None,
    ) -> Network:
        """Load links, vertices and columns."""
        wanted = [] if ends is None or isinstance(ends, str) else [*ends]
        wanted += [] if self.wanted_kind is None else [self.wanted_kind]
        named = [one for one in wanted if isinstance(one, str)]
        some = named if ends is not None and len(named) == len(wanted) else None
        links = None if source is None else open_source(self.engine, source, some)
        people = None if vertices is None else open_source(self.engine, vertices)
        self.engine.close_sources()
        network = Network(self.engine, (links or people).place)  # type: ignore[union-attr]
        name = None if people is None else self._find_key(people, key, links)
        if columns and people is None:
            raise BadParameter(
                f"relational: known columns must come from a table of vertices (vertices=, --attributes). Got "
                f"{join_names(list(map(repr, columns)))} without one."
            )
        if links is not None:
            self._find_columns(links, ends)
            links = self._hold(links, "held_links", [*self.ends, *([] if self.kind is None else [self.kind])])
        if people is not None:
            people = self._hold(people, "held_people", list(people.types))
        if links is None:
            assert people is not None
            self._number_rows(network, people, name, columns)
        else:
            self._load_links(network, links, people, name)
            if people is not None:
                self._load_columns(network, links, people, name, columns)
        for one in (links, people):
            if one is not None:
                one.check_unchanged()
        self.engine.drop("held_links", "held_people")
        self.engine.end_loading()
        return network

    def _hold(self, source: Source, table: str, columns: Sequence[str]) -> Source:
        """Keep the rows of a view, which may be others each time that it is read."""
        if not source.is_view:
            return source
        self.engine.keep(table, f"SELECT {', '.join(map(quote, columns))} FROM {source.table}", "reading the view")
        return replace(source, table=table, is_view=False)

    def _find_columns(self, links: Source, ends: Sequence[str | int] | None) -> None:
        """Find the columns of the ends and of the kind."""
        known = list(links.types)
        chosen = ends if ends is not None else find_well_known(known) or (0, 1)
        two = not isinstance(chosen, str) and len(chosen) == 2 and chosen[0] != chosen[1]
        must(two, "relational", "ends", "two different columns", ends)
        first, second = (links.find(end, "an end of a link (ends=, --ends)") for end in chosen)
        self.ends = first, second
        if self.wanted_kind is not None:
            self.kind = links.find(self.wanted_kind, KIND)
            must(self.kind not in self.ends, "relational", "kind", "another column than the ends", self.kind)
        EdgeColumns(
            tuple(known), (known.index(first), known.index(second)), kind=known.index(self.kind) if self.kind else None
        ).report_unread(links.place)

    # Names: whole numbers are their own ids; texts are numbered in order.

    def _find_key(self, people: Source, key: str | None, links: Source | None) -> str | None:
        """Return the column of names; None where rows are only numbered."""
        if key is not None:
            return people.find(key, "the name of a vertex (key=, --key)")
        if links is None:
            return None
        known = list(people.types)
        return known[find_key_column(known, None, people.place)]

    def _spell_names(self, places: list[tuple[Source, str]]) -> tuple[str, list[str]]:
        """Return how names are compared, "integer" or "text", and an expression for each column of names."""
        families = [source.family(column, "names") for source, column in places]
        if "text" in families and len({family == "text" for family in families}) > 1:
            told = ", ".join(f"{source.types[column]} in {column!r}" for source, column in places)
            raise BadFile(
                f"{places[0][0].place}: all columns of names must be integers, or all texts: the text '1' is not the "
                f"number 1. Got {told}. Convert one of them."
            )
        if set(families) == {"integer"}:
            return "integer", [f"CAST({quote(column)} AS BIGINT)" for _, column in places]
        if "text" in families:
            return "text", [source.cell(column) for source, column in places]
        return "text", [self.engine.text(quote(column)) for _, column in places]

    def _load_links(self, network: Network, links: Source, people: Source | None, name: str | None) -> None:
        places = [(links, end) for end in self.ends]
        if people is not None and name is not None:
            places.append((people, name))
        family, (a, b, *keys) = self._spell_names(places)
        rows = f"SELECT {a} AS a, {b} AS b{self._spell_kind(links)} FROM {links.table}{self._choose_rows()}"
        listed, loops, most = self._check_rows(links, rows, family)
        known = f"SELECT {keys[0]} AS name FROM {people.table}" if people is not None else ""
        if people is not None:
            self._check_keys(people, known)
        alone = self._find_isolated(links, a)
        known = " UNION ALL ".join(filter(None, [known, alone]))
        whole = family == "integer" and most < (INTEGERS if not self._has_ties else LONG)
        if not whole and (family == "text" or self._has_ties):
            self._number_names(network, rows, known)
        ends = self._number_ends(network, rows, whole)
        network.directed, network.multigraph = self.directed, self.multigraph
        if self._has_ties:
            self._relate(network, links, ends)
        else:
            self._pair(network, links, ends, listed - loops)
        self._list_people(network, rows, loops, known)

    # In files that shoal writes, an isolated vertex has a row without a target.

    def _choose_rows(self, opposite: str = "NOT ") -> str:
        """Return the condition for rows that are links, or for those that are isolated vertices."""
        if self.ends != WRITTEN:
            return ""
        source, target = map(quote, self.ends)
        return f" WHERE {opposite}({target} IS NULL AND {source} IS NOT NULL)"

    def _find_isolated(self, links: Source, name: str) -> str:
        """Return a query of the names in rows without a target; none if there are none."""
        if self.ends != WRITTEN:
            return ""
        query = f"SELECT {name} AS name FROM {links.table}{self._choose_rows(opposite='')}"
        ((alone,),) = self.engine.collect(f"SELECT count(*) FROM ({query})", "reading links")
        if not alone:
            return ""
        told = f"{format_count(alone, 'row has', 'rows have')} no target: isolated vertices"
        notice(f"{links.place}: {told}.", told)
        return query

    @property
    def _has_ties(self) -> bool:
        return self.directed or self.kind is not None or self.multigraph

    def _spell_kind(self, links: Source) -> str:
        return "" if self.kind is None else f", {links.cell(self.kind, KIND)} AS kind"

    def _check_rows(self, links: Source, rows: str, family: str) -> tuple[int, int, int]:
        """Return the numbers of rows and of loops, and the largest absolute name; refuse what is not readable."""
        ends = "min(a), min(b), max(a), max(b)" if family == "integer" else "0"
        ((listed, first, second, loops, *extremes),) = self.engine.collect(
            f"SELECT count(*), count(a), count(b), count(*) FILTER (WHERE a = b), {ends} FROM ({rows})",
            "reading links",
        )
        missing = listed - min(first, second)
        if missing:
            raise BadFile(
                f"{links.place}: both ends of a link must have a name. Got {format_count(missing, 'row')} or more "
                "without one. Isolated vertices come from the table of vertices (vertices=, --attributes)."
            )
        if loops and not self.drop_loops:
            raise BadGraph(
                f"{links.place}: a graph must not have loops. Got {loops:,}. Leave them out with drop_loops=True "
                "(--drop-loops)."
            )
        if loops:
            notice(f"{links.place}: loops left out: {loops:,}.", f"loops left out: {loops:,}")
        return listed, loops, max(abs(extreme or 0) for extreme in extremes)

    def _check_keys(self, people: Source, known: str) -> None:
        ((rows, present, different),) = self.engine.collect(
            f"SELECT count(*), count(name), count(DISTINCT name) FROM ({known})", "reading vertices"
        )
        if present < rows:
            raise BadFile(
                f"{people.place}: a row must have a name. Got {format_count(rows - present, 'row')} without one."
            )
        if different < rows:
            raise BadFile(f"{people.place}: names must be different. Got {rows:,} rows with {different:,} names.")

    def _number_names(self, network: Network, rows: str, known: str) -> None:
        network.named = True
        more = f" UNION ALL {known}" if known else ""
        self.engine.number(
            "names",
            f"SELECT DISTINCT name FROM (SELECT a AS name FROM ({rows}) UNION ALL SELECT b FROM ({rows}){more})",
            "numbering names",
            order="name",
        )

    def _number_ends(self, network: Network, rows: str, whole: bool) -> str:
        """Return a query of links by id, without loops."""
        kind = "" if self.kind is None else ", kind"
        if not network.named:
            small = whole and not self._has_ties
            a, b = (f"CAST({end} AS INTEGER) AS {end}" if small else end for end in "ab")
            return f"SELECT {a}, {b}{kind} FROM ({rows}) WHERE a <> b"
        return f"""SELECT x.v AS a, y.v AS b{kind} FROM ({rows}) r
            JOIN names x ON x.name = r.a JOIN names y ON y.name = r.b WHERE x.v <> y.v"""

    # Links

    def _pair(self, network: Network, links: Source, ends: str, listed: int) -> None:
        """Keep each linked pair once from each end."""
        self.engine.keep("links", f"SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM ({ends})", "links")
        ((network.m,),) = self.engine.collect("SELECT count(*) FROM links", "links")
        self._tell_repeats(network, links, ends, listed)
        both = "SELECT a AS v, b AS w FROM links UNION ALL SELECT b, a FROM links"
        self.engine.keep("arcs", f"SELECT * FROM ({both})", "links", order="v")
        self.engine.drop("links")

    def _tell_repeats(self, network: Network, links: Source, ends: str, listed: int) -> None:
        """Issue a notice about links that are listed several times or in both directions."""
        names = EdgeColumns(tuple(self.ends), (0, 1))
        if self.undirected or (listed == network.m and not names.suggests_direction):
            return
        both = 0
        if listed > network.m:
            ((ordered,),) = self.engine.collect(f"SELECT count(*) FROM (SELECT DISTINCT a, b FROM ({ends}))", "links")
            both = ordered - network.m
        notice(
            f"{links.place}: {format_count(network.m, 'undirected link')} from {format_count(listed, 'row')}; "
            f"{format_count(both, 'pair occurs', 'pairs occur')} in both directions. If links have a direction, use "
            "directed=True (--directed). If not, use undirected=True (--undirected) to confirm it. To keep "
            "multiplicities, use multigraph=True (--multigraph)."
        )

    def _relate(self, network: Network, links: Source, ends: str) -> None:
        """Keep how each vertex sees its links."""
        network.relations = self._number_kinds(network, links)
        join, code = "", "0"
        if self.kind is not None:
            join, code = "LEFT JOIN kinds k ON k.kind = e.kind", "coalesce(k.code, (SELECT max(code) FROM seen))"
        a, b = ("a", "b") if self.directed else ("least(a, b)", "greatest(a, b)")
        times = "count(*)" if self.multigraph else "1"
        self.engine.keep(
            "links",
            f"""SELECT {a} AS a, {b} AS b, {code} AS code, CAST({times} AS INTEGER) AS times
                FROM ({ends}) e {join} GROUP BY 1, 2, 3""",
            "links",
        )
        self.engine.keep(
            "entries",
            """SELECT a AS v, b AS w, s.ahead AS relation, times FROM links JOIN seen s ON s.code = links.code
                UNION ALL SELECT b, a, s.back, times FROM links JOIN seen s ON s.code = links.code""",
            "links",
        )
        ((network.m,),) = self.engine.collect("SELECT coalesce(sum(times), 0) FROM links", "links")
        self.engine.drop("links")
        self.engine.keep(
            "tied",
            f"SELECT v, w, {self.engine.bundle('relation', 'times')} AS bundle, sum(times) AS total "
            "FROM entries GROUP BY v, w",
            "links",
        )
        self.engine.keep(
            "ties",
            "SELECT row_number() OVER (ORDER BY bundle) AS tie, bundle FROM (SELECT DISTINCT bundle FROM tied)",
            "links",
        )
        self.engine.keep(
            "arcs",
            "SELECT v, w, CAST(tie AS INTEGER) AS tie, CAST(total AS BIGINT) AS total FROM tied "
            "JOIN ties ON ties.bundle = tied.bundle",
            "links",
            order="v",
        )
        self.engine.drop("tied", "ties", "seen", *TABLES)

    def _number_kinds(self, network: Network, links: Source) -> tuple[Relation, ...]:
        """Label the kinds, and keep for each kind how both ends see it: seen(code, ahead, back)."""
        labels: list[str | None] = [None]
        if self.kind is not None:
            labels = [*label_links(links, self.kind, self._choose_rows())]
        ahead: Direction = "out" if self.directed else "both"
        relations = sort_relations(Relation(label, ahead) for label in labels)
        seen = [
            (code, relations.index(one), relations.index(one.reverse))
            for code, one in enumerate(Relation(label, ahead) for label in labels)
        ]
        self.engine.fill("seen", ("code INTEGER", "ahead INTEGER", "back INTEGER"), seen)
        return relations

    # People

    def _list_people(self, network: Network, rows: str, loops: int, known: str) -> None:
        """Keep every vertex with its number of neighbors."""
        parts = ["SELECT v, 1 AS one FROM arcs"]
        if network.named:
            parts.append("SELECT v, 0 FROM names")
        else:
            parts += [f"SELECT a, 0 FROM ({rows}) WHERE a = b"] if loops else []
            parts += [f"SELECT name, 0 FROM ({known})"] if known else []
        self.engine.keep(
            "people",
            f"SELECT v, CAST(sum(one) AS INTEGER) AS near FROM ({' UNION ALL '.join(parts)}) GROUP BY v",
            "people",
        )
        self._count_people(network)

    def _number_rows(self, network: Network, people: Source, name: str | None, columns: Sequence[str] | None) -> None:
        """Take each row of a table without links as a record, in the order of the table."""
        network.has_links = False
        network.named = name is not None
        named = [] if name is None else [f"{people.cell(name, 'the name of a vertex')} AS name"]
        cells = self._choose_columns(network, people, name, columns)
        listed = ", ".join([*named, *cells]) or "0 AS nothing"
        self.engine.number("records", f"SELECT {listed} FROM {people.table}", "records")
        self.engine.keep("people", "SELECT v, 0 AS near FROM records", "records")
        if name is not None:
            self._check_keys(people, "SELECT name FROM records")
            self.engine.keep("names", "SELECT v, name FROM records", "records")
        if cells:
            self.engine.keep("cells", f"SELECT {', '.join(['v', *network.columns.values()])} FROM records", "columns")
        self.engine.drop("records")
        self._count_people(network)

    def _count_people(self, network: Network) -> None:
        ((network.n,),) = self.engine.collect("SELECT count(*) FROM people", "people")
        if not network.n:
            raise BadGraph(f"{network.place}: a graph must have vertices. Got none.")

    def _choose_columns(
        self, network: Network, people: Source, name: str | None, columns: Sequence[str] | None
    ) -> list[str]:
        """Note the known columns; return expressions of their cells."""
        chosen = [one for one in people.types if one != name] if columns is None else [*columns]
        for one in chosen:
            people.find(one, "a known column (columns=)")
        network.columns = {one: f"c{at}" for at, one in enumerate(chosen)}
        return [f"{people.cell(one)} AS {column}" for one, column in network.columns.items()]

    def _load_columns(
        self, network: Network, links: Source, people: Source, name: str | None, columns: Sequence[str] | None
    ) -> None:
        """Keep the known columns of every vertex; a vertex without a row has missing values."""
        cells = self._choose_columns(network, people, name, columns)
        if not cells:
            return
        assert name is not None
        _, (_, _, spelled) = self._spell_names([*((links, end) for end in self.ends), (people, name)])
        self.engine.keep("rows", f"SELECT {spelled} AS name, {', '.join(cells)} FROM {people.table}", "columns")
        held = ", ".join(f"r.{column}" for column in network.columns.values())
        if network.named:
            query = f"SELECT x.v, {held} FROM names x LEFT JOIN rows r ON r.name = x.name"
        else:
            query = f"SELECT p.v, {held} FROM people p LEFT JOIN rows r ON r.name = p.v"
        self.engine.keep("cells", query, "columns")
        ((rows,),) = self.engine.collect("SELECT count(*) FROM rows", "columns")
        self.engine.drop("rows")
        if rows < network.n:
            told = f"vertices without a row, with missing values: {network.n - rows:,}"
            notice(f"{people.place}: {told}.", told)
