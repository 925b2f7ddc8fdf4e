"""Graph: an immutable graph without loops, in compressed sparse rows.

n is the number of vertices and m the number of edges, with multiplicities. The neighbors of vertex id v are
`indices[indptr[v]:indptr[v + 1]]`, ascending, each once, so that equal rows are equal bytes. Where links have
directions or kinds, `ties` says by which links each neighbor is joined.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.data.column import Column
from shoal.data.edge_columns import EdgeColumns
from shoal.data.hierarchy import Hierarchy
from shoal.data.kinds import Bins, KindCodes, label_kinds
from shoal.data.names import NO_ONE, Names, check_one_value_each
from shoal.data.table import Table
from shoal.data.ties import MISSING_KIND, Relation, Ties, find_starts, sort_relations, tie_rows
from shoal.errors import BadGraph, BadParameter, format_count, join_names, notice
from shoal.settings import in_order, spans

if TYPE_CHECKING:
    import igraph
    import networkx
    import scipy.sparse


# Rows: convert pairs of vertex ids in any order to sorted rows of neighbors (CSR).
#
# n is the number of vertices, m the number of pairs; every pair is entered twice, once from each end.


MANY = 100_000
"""From this number of pairs, two counting sorts (scipy) are 2 to 3 times faster than a sort of 64-bit keys."""


WINDOW = 1 << 14


def compress_rows(
    n: int, a: Ints, b: Ints, counts: Ints | None = None, *, counted: bool = True
) -> tuple[Ints, Ints, Ints | None]:
    """Return `indptr`, `indices` and, if `counted`, how often each entry is listed (None if once each).

    >>> indptr, indices, listed = compress_rows(3, np.array([0, 2, 1]), np.array([1, 1, 0]))
    >>> indptr.tolist(), indices.tolist(), listed.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1], [2, 2, 1, 1])
    """
    if len(a) == 0:
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int32), None
    if counts is not None:
        return _compress_by_weighted_keys(n, a, b, counts)
    return _compress_by_counting(n, a, b, counted) if len(a) >= MANY else _compress_by_keys(n, a, b)


def _compress_by_keys(n: int, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints | None]:
    keys = _make_keys(n, a, b)
    keys.sort()
    starts = find_starts(keys)
    return *_split_keys(n, keys[starts]), _measure_runs(starts, len(keys))


def _compress_by_weighted_keys(n: int, a: Ints, b: Ints, counts: Ints) -> tuple[Ints, Ints, Ints | None]:
    keys = _make_keys(n, a, b)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = find_starts(keys)
    sums = np.add.reduceat(np.tile(counts.astype(np.int64), 2)[order], starts)
    return *_split_keys(n, keys[starts]), _shrink_counts(sums)


def _compress_by_counting(n: int, a: Ints, b: Ints, counted: bool) -> tuple[Ints, Ints, Ints | None]:
    """Sort by the larger end, then stably by the smaller, then stably by the larger again.

    The second order lists the larger neighbors of each vertex, the third the smaller ones, both ascending.
    """
    from scipy.sparse import csc_array

    larger = _enter(n, np.maximum(a, b), np.minimum(a, b)).tocsr().tocsc()
    indptr, indices, listed = _merge_repeats(larger.indptr, larger.indices)
    if listed is not None:
        carried = listed if counted else np.zeros(len(indices), dtype=np.int8)
        larger = csc_array((carried, indices, indptr), shape=(n, n))
    smaller = larger.tocsr()
    times = None
    if counted and listed is not None:
        times = _merge_rows(smaller.indptr, smaller.data, larger.indptr, larger.data)
    neighbors = _merge_rows(smaller.indptr, smaller.indices, larger.indptr, larger.indices)
    return smaller.indptr.astype(np.int64) + larger.indptr, neighbors, times


def _merge_repeats(indptr: Ints, indices: Ints) -> tuple[Ints, Ints, Ints | None]:
    """Merge equal neighbors in a row into one entry with their number; fast if there are few repeats."""
    equal = np.flatnonzero(indices[1:] == indices[:-1]) + 1
    rows = np.searchsorted(indptr, equal, side="right") - 1
    inside = indptr[rows] < equal
    repeats, rows = equal[inside], rows[inside]
    if len(repeats) == 0:
        return indptr, indices, None
    kept = np.ones(len(indices), dtype=bool)
    kept[repeats] = False
    listed = np.ones(len(indices) - len(repeats), dtype=np.int32)
    np.add.at(listed, repeats - np.arange(1, len(repeats) + 1), 1)
    lost = np.append(0, np.cumsum(np.bincount(rows, minlength=len(indptr) - 1)))
    return (indptr - lost).astype(indptr.dtype), indices[kept], listed


def _merge_rows(first: Ints, a: Ints, second: Ints, b: Ints) -> Ints:
    """Append each row of `b` to that of `a`; `first` and `second` hold the row starts."""
    rows = np.empty(len(a) + len(b), dtype=np.int32)

    def place(piece: slice) -> None:
        reach = slice(piece.start, piece.stop + 1)
        for begins, shifts, cells in ((first, second[:-1], a), (second, first[1:], b)):
            starts = begins[reach]
            at = np.repeat(shifts[piece], np.diff(starts))
            at += np.arange(starts[0], starts[-1], dtype=at.dtype)
            rows[at] = cells[starts[0] : starts[-1]]

    for _ in in_order(place, spans(len(first) - 1, WINDOW)):
        pass
    return rows


def count_ordered_pairs(n: int, a: Ints, b: Ints) -> int:
    """Return the number of distinct pairs (a, b), where (b, a) is another pair; pairs of equal ids do not count.

    >>> count_ordered_pairs(3, np.array([0, 1, 0, 2]), np.array([1, 0, 1, 2]))
    2
    """
    apart = a != b
    if not apart.all():
        a, b = a[apart], b[apart]
    if len(a) < MANY:
        return len(np.unique(a.astype(np.int64) * n + b))
    entries = _enter(n, a, b).tocsr().tocsc()  # two counting sorts
    return len(_merge_repeats(entries.indptr, entries.indices)[1])


def _enter(n: int, rows: Ints, columns: Ints) -> scipy.sparse.coo_array[Any]:
    """Return the pairs as entries of a matrix; repeated entries are not summed."""
    from scipy.sparse import coo_array

    ends = rows.astype(np.int32, copy=False), columns.astype(np.int32, copy=False)
    entries = coo_array((np.zeros(len(rows), dtype=np.int8), ends), shape=(n, n))
    entries.has_canonical_format = True
    return entries


def _make_keys(n: int, a: Ints, b: Ints) -> Ints:
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    return np.concatenate([wide_a * n + wide_b, wide_b * n + wide_a])


def _split_keys(n: int, keys: Ints) -> tuple[Ints, Ints]:
    return np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n), (keys % n).astype(np.int32)


def _measure_runs(starts: Ints, end: int) -> Ints | None:
    return None if len(starts) == end else _shrink_counts(np.diff(starts, append=end))


def _shrink_counts(counts: Ints) -> Ints:
    if counts.max() > np.iinfo(np.int32).max:
        raise BadGraph(f"A pair must have fewer than 2**31 edges. Got {counts.max():,}.")
    return counts.astype(np.int32)


FEWER = 2**31
"""The number of vertices and the multiplicity of a pair are below this: both are kept in 32 bits."""


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An immutable graph without loops, in compressed sparse rows.

    Links may have a direction and a kind. Without either, it is an undirected graph.

    Build one with :func:`shoal.as_graph`, :func:`shoal.read_graph` or :meth:`Graph.from_pairs`.

    Examples
    --------
    >>> g = Graph.from_pairs(["a", "b", "c"], [0, 1], [1, 2])
    >>> g
    Graph(3 vertices, 2 edges)
    >>> g.neighbors(1).tolist(), g.degree.tolist()
    ([0, 2], [1, 2, 1])

    Ann calls Bob, and both are kin:

    >>> Graph.from_pairs(["Ann", "Bob"], [0, 0], [1, 1], directed=[True, False], kinds=["call", "kin"])
    Graph(2 vertices, 2 links; directed; 2 kinds: call and kin)
    """

    names: Names
    """The names of the vertices, by id."""
    indptr: Ints
    """The start of each vertex's row in `indices`; n + 1 numbers."""
    indices: Ints
    """The rows: neighbor ids, ascending within a row, each once."""
    multiplicity: Ints | None
    """The number of links that each entry of `indices` stands for; None if all are 1."""
    attributes: Table
    """The attributes of the vertices, one row each."""
    unread: tuple[str, ...] = ()
    """Columns of the input that describe links (weights, dates) and were not read. No part of the graph: other graphs
    that are made from this one do not have it, and graphs are equal without it."""
    ties: Ties | None = None
    """By which links each entry of `indices` is joined; None if links have neither directions nor kinds."""

    noun: ClassVar[tuple[str, str]] = ("vertex", "vertices")
    has_links: ClassVar[bool] = True

    @classmethod
    def from_pairs(
        cls,
        names: Iterable[Hashable] | Names,
        sources: Ints | Iterable[int],
        targets: Ints | Iterable[int],
        *,
        counts: Ints | Iterable[int] | None = None,
        attributes: Table | None = None,
        directed: bool | Bools | Iterable[bool] = False,
        kinds: Sequence[str | None] | None = None,
        multigraph: bool = False,
        drop_loops: bool = False,
    ) -> Graph:
        """Build a graph from pairs of vertex ids.

        Parameters
        ----------
        names
            One name per vertex. A vertex in no pair is isolated.
        sources, targets
            The ends of the pairs, in any order; a directed link leads from its source to its target.
        counts
            The multiplicity of each pair, 1 or more (default: 1).
        attributes
            One row per vertex.
        directed
            Whether links have a direction: one answer for all links, or one per pair.
        kinds
            The kind of each pair's link (None: it is missing); without it, links have no kinds.
        multigraph
            Keep multiplicities. Otherwise a repeated pair (of the same kind and direction) is one edge, and a notice
            counts the repeats.
        drop_loops
            Drop pairs whose ends are the same vertex. Otherwise they raise BadGraph.
        """
        how: dict[str, Any] = {"counts": counts, "attributes": attributes, "multigraph": multigraph}
        how |= {"directed": directed, "kinds": None if kinds is None else KindCodes.of(kinds)}
        graph, listed = build_graph(names, sources, targets, **how, drop_loops=drop_loops)
        report_repeats(graph, listed)
        return graph

    def __post_init__(self) -> None:
        _check_size(self.n)
        if self.attributes.n != self.n:
            raise BadGraph(f"Graph: attributes must have one row per vertex ({self.n:,}). Got {self.attributes.n:,}.")
        for array in (self.indptr, self.indices, self.multiplicity):
            if array is not None:
                array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writable

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.names)

    @property
    def is_multigraph(self) -> bool:
        """Whether multiplicities are kept: how often each pair is linked."""
        return self.multiplicity is not None if self.ties is None else self.ties.counted

    @property
    def is_simple(self) -> bool:
        """Whether links have no directions, no kinds and no multiplicities."""
        return self.ties is None and self.multiplicity is None

    @property
    def directed(self) -> bool:
        """Whether links may have a direction."""
        return self.ties is not None and self.ties.directed

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of links, sorted (intervals by their bounds); none if links have no kinds."""
        return () if self.ties is None else self.ties.kinds

    @cached_property
    def m(self) -> int:
        """Number of edges, with multiplicities."""
        return len(self.indices) // 2 if self.multiplicity is None else int(self.multiplicity.sum()) // 2

    @cached_property
    def degree(self) -> Ints:
        """Number of edges at each vertex, with multiplicities."""
        if self.multiplicity is None:
            return np.diff(self.indptr)
        ends = np.concatenate([[0], np.cumsum(self.multiplicity, dtype=np.int64)])
        return np.diff(ends[self.indptr])

    @cached_property
    def degree_vectors(self) -> tuple[Ints, Ints, Ints]:
        """For each vertex of a graph with ties the number of its links of each relation that it has.

        The bounds of the vertices, then relations, ascending for each vertex, and numbers of links.

        >>> g = Graph.from_pairs("abc", [0, 0], [1, 2], directed=True)
        >>> [part.tolist() for part in g.degree_vectors], [relation.direction for relation in g.ties.relations]
        ([[0, 1, 2, 3], [0, 1, 1], [2, 1, 1]], ['out', 'in'])
        """
        from scipy.sparse import csr_array

        if self.ties is None:
            raise BadGraph("Graph.degree_vectors: links must have a direction or a kind. They have neither.")
        ties = self.ties
        held = csr_array(
            (ties.times.astype(np.int64), ties.relation, ties.indptr), shape=(ties.many, len(ties.relations))
        )
        seen = csr_array((np.ones(len(ties.codes), np.int8), ties.codes, self.indptr), shape=(self.n, ties.many))
        found = seen @ held
        found.sort_indices()
        return found.indptr.astype(np.int64), found.indices.astype(np.int64), found.data

    def neighbors(self, v: int) -> Ints:
        """Return the ids of the neighbors of vertex id `v`, ascending."""
        return self.indices[self.indptr[v] : self.indptr[v + 1]]

    def edges(self) -> tuple[Ints, Ints, Ints | None]:
        """Return each linked pair once: smaller ids, larger ids, and numbers of links (None if all are 1)."""
        rows = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))
        once = rows < self.indices
        return rows[once], self.indices[once], None if self.multiplicity is None else self.multiplicity[once]

    def entries(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return all entries of a graph with ties: bounds of the rows, neighbors, relations, and multiplicities.

        Within a row, entries are sorted by neighbor and then by relation, a position in `ties.relations`.

        >>> g = Graph.from_pairs("ab", [0, 1], [1, 0], directed=True)
        >>> [part.tolist() for part in g.entries()], [relation.direction for relation in g.ties.relations]
        ([[0, 2, 4], [1, 1, 0, 0], [0, 1, 0, 1], [1, 1, 1, 1]], ['out', 'in'])
        """
        if self.ties is None:
            raise BadGraph("Graph.entries: links must have a direction or a kind. They have neither. Use edges().")
        return self.ties.expand(self.indptr, self.indices)

    def links(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return each link of a graph with ties once: sources, targets, relations (both or out), multiplicities.

        The source of a link without direction is its smaller id.
        """
        indptr, targets, relation, times = self.entries()
        assert self.ties is not None
        sources = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(indptr))
        both, out = (
            np.array([one.direction == direction for one in self.ties.relations], dtype=np.bool_)[relation]
            for direction in ("both", "out")
        )
        once = out | (both & (sources < targets))
        return sources[once], targets[once], relation[once], times[once]

    def count_kinds(self) -> dict[str, int]:
        """Return the number of links of each kind that occurs, with multiplicity; empty if links have no kinds.

        >>> Graph.from_pairs("abc", [0, 1, 0], [1, 2, 2], kinds=["call", "mail", "call"]).count_kinds()
        {'call': 2, 'mail': 1}
        """
        if self.ties is None or not self.kinds:
            return {}
        _, _, relation, times = self.links()
        many = np.bincount(relation, weights=times, minlength=len(self.ties.relations)).astype(np.int64).tolist()
        found = dict.fromkeys(self.kinds, 0)
        for (kind, _), number in zip(self.ties.relations, many, strict=True):
            found[kind or ""] += number
        return {kind: number for kind, number in found.items() if number}

    def list_links(self) -> tuple[Ints, Ints, Ints | None]:
        """Return every link, repeated by its multiplicity: sources, targets, and relations (None without ties).

        >>> a, b, relation = Graph.from_pairs("ab", [1], [0], directed=True).list_links()
        >>> a.tolist(), b.tolist(), relation.tolist()
        ([1], [0], [0])
        """
        if self.ties is None:
            a, b, counts = self.edges()
            return (a, b, None) if counts is None else (np.repeat(a, counts), np.repeat(b, counts), None)
        a, b, relation, times = self.links()
        return np.repeat(a, times), np.repeat(b, times), np.repeat(relation, times)

    def each_link(self) -> Iterator[tuple[int, int, Relation]]:
        """Yield source, target and relation (both or out) of every link, repeated by its multiplicity.

        >>> list(Graph.from_pairs("ab", [1], [0], directed=True).each_link())
        [(1, 0, Relation(kind=None, direction='out'))]
        """
        a, b, relation = self.list_links()
        relations = (Relation(None, "both"),) if self.ties is None else self.ties.relations
        codes = np.zeros(len(a), dtype=np.int64) if relation is None else relation
        return ((u, v, relations[r]) for u, v, r in zip(a.tolist(), b.tolist(), codes.tolist(), strict=True))

    def to_undirected(self) -> Graph:
        """Return the graph without directions: one link per linked pair and kind, unless multiplicities are kept.

        >>> Graph.from_pairs("ab", [0, 1], [1, 0], directed=True).to_undirected()
        Graph(2 vertices, 1 edge)
        """
        return self._relate(lambda one: Relation(one.kind, "both")) if self.directed else self

    def without_kinds(self) -> Graph:
        """Return the graph without kinds of links: one link per linked pair and direction, unless multiplicities count.

        >>> Graph.from_pairs("ab", [0, 0], [1, 1], kinds=["call", "text"]).without_kinds()
        Graph(2 vertices, 1 edge)
        """
        return self._relate(lambda one: Relation(None, one.direction)) if self.kinds else self

    def merge_kinds(self, hierarchy: Hierarchy) -> Graph:
        """Return the graph with the first generalization of each kind; links that become equal are joined.

        >>> g = Graph.from_pairs("ab", [0, 0], [1, 1], kinds=["call", "text"])
        >>> g.merge_kinds(Hierarchy.of({"call": "phone", "text": "phone", "visit": "meeting"}))
        Graph(2 vertices, 1 link; 1 kind: phone)
        """
        if not self.kinds:
            raise BadGraph(f"merge_kinds: links must have kinds. Got {self!r}.")
        named = [kind for kind in self.kinds if kind != MISSING_KIND]
        merged = label_kinds(Column.of(named), hierarchy, who="merge_kinds")
        after = {kind: merged.labels[code] for kind, code in zip(named, merged.codes.tolist(), strict=True)}
        return self._relate(lambda one: Relation(after.get(one.kind or "", MISSING_KIND), one.direction))

    def _relate(self, change: Callable[[Relation], Relation]) -> Graph:
        """Return the same links with other relations; links that become equal are joined."""
        assert self.ties is not None
        a, b, relation, times = self.links()
        after = [change(one) for one in self.ties.relations]
        counted = self.ties.counted
        if all(one == Relation(None, "both") for one in after):
            rows = compress_rows(self.n, a, b, times if counted else None, counted=counted)
            return Graph(self.names, rows[0], rows[1], rows[2] if counted else None, self.attributes)
        relations = sort_relations(after)
        at = np.array([relations.index(one) for one in after], dtype=np.int64)[relation]
        return link_graph(self.names, a, b, at, times, relations, counted, self.attributes)

    def with_ties_like(self, other: Graph) -> Graph:
        """Return the graph with ties, if another one has them; its links have no direction and no kind.

        It can then stand beside one in which some links have a direction and others have none.

        >>> plain, mixed = (Graph.from_pairs("abc", [0, 1], [1, 2], directed=[q, False]) for q in (False, True))
        >>> plain.with_ties_like(mixed).ties.relations
        (Relation(kind=None, direction='both'),)
        """
        if self.ties is not None or other.ties is None:
            return self
        a, b, times = self.edges()
        relation = np.zeros(len(a), dtype=np.int64)
        relations = (Relation(None, "both"),) if len(a) else other.ties.relations
        return link_graph(self.names, a, b, relation, times, relations, self.is_multigraph, self.attributes)

    def renumbered(self, names: Names, order: Ints, attributes: Table) -> Graph:
        """Return the graph whose vertex i was `order[i]`, with other names and attributes.

        >>> g = Graph.from_pairs("abc", [0], [1], directed=True).renumbered(Names("xyz"), np.array([2, 1, 0]), Table(3))
        >>> list(g.each_link())
        [(2, 1, Relation(kind=None, direction='out'))]
        """
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        if self.ties is None:
            a, b, counts = self.edges()
            how: dict[str, Any] = {"counts": counts, "attributes": attributes, "multigraph": self.is_multigraph}
            return Graph.from_pairs(names, rank[a], rank[b], **how)
        a, b, relation, times = self.links()
        kept = self.ties.relations, self.ties.counted
        return link_graph(names, rank[a], rank[b], relation, times, *kept, attributes)

    def each_edge(self) -> Iterator[tuple[int, int]]:
        """Yield the ids of the ends of every edge, repeated by multiplicity."""
        a, b, counts = self.edges()
        if counts is not None:
            a, b = np.repeat(a, counts), np.repeat(b, counts)
        return zip(a.tolist(), b.tolist(), strict=True)

    def with_links(self, sources: Ints, targets: Ints, relation: Ints | None = None) -> Graph:
        """Return a graph of the same vertices and attributes with other links, each once.

        `relation` is how each source sees its link, by position in `ties.relations`; None without directions and kinds.
        Relations that no link has are left out, unless no link is left: a directed graph stays one.

        >>> g = Graph.from_pairs("abc", [0], [1], directed=True)
        >>> list(g.with_links(np.array([2]), np.array([0]), np.array([0])).each_link())
        [(2, 0, Relation(kind=None, direction='out'))]
        """
        if relation is None or self.ties is None:
            return Graph.from_pairs(self.names, sources, targets, attributes=self.attributes)
        relations = self.ties.relations
        used = np.flatnonzero(np.bincount(relation, minlength=len(relations))).tolist()
        kept = sort_relations([relations[r] for r in used]) or relations
        at = {one: i for i, one in enumerate(kept)}
        place = np.array([at.get(one, -1) for one in relations], dtype=np.int64)
        return link_graph(self.names, sources, targets, place[relation], None, kept, False, self.attributes)

    def beside(self, other: Graph) -> Graph:
        """Return the disjoint union: the ids of this graph, then those of the other, shifted by n.

        The names are the ids, and there are no attributes. Relations correspond by kind and direction.
        """
        ties = join_ties(self, other)
        if self.multiplicity is None and other.multiplicity is None:
            multiplicity = None
        else:
            multiplicity = np.concatenate(
                [
                    g.multiplicity if g.multiplicity is not None else np.ones(len(g.indices), np.int32)
                    for g in (self, other)
                ]
            )
        return Graph(
            Names(range(self.n + other.n)),
            np.concatenate([self.indptr, other.indptr[1:] + self.indptr[-1]]),
            np.concatenate([self.indices, other.indices + np.int32(self.n)]),
            multiplicity,
            Table(self.n + other.n),
            ties=ties,
        )

    def with_attributes(self, attributes: Table) -> Graph:
        """Return the same graph with other attributes, without `unread`."""
        return replace(self, attributes=attributes, unread=())

    def without_attributes(self) -> Graph:
        """Return the same graph without attributes."""
        return self.with_attributes(Table(self.n))

    def __eq__(self, other: object) -> bool:
        """Return whether names (in order), edges and attributes are equal."""
        if not isinstance(other, Graph):
            return NotImplemented
        return (
            self.names == other.names and _same_rows(self, other) and self.attributes.has_same_cells(other.attributes)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.ties is not None:
            return f"Graph({self._describe_ties()})"
        kind = "Graph" if self.multiplicity is None else "Multigraph"
        columns = f"; columns: {self.attributes.heads}" if len(self.attributes) else ""
        sizes = f"{self.n:,} {'vertex' if self.n == 1 else 'vertices'}, {self.m:,} {'edge' if self.m == 1 else 'edges'}"
        return f"{kind}({sizes}{columns})"

    def _describe_ties(self) -> str:
        parts = [
            f"{self.n:,} {'vertex' if self.n == 1 else 'vertices'}, {self.m:,} {'link' if self.m == 1 else 'links'}"
        ]
        parts += ["directed"] if self.directed else []
        parts += ["with multiplicities"] if self.is_multigraph else []
        told = join_names([kind or "(missing)" for kind in self.kinds])
        parts += [f"{format_count(len(self.kinds), 'kind')}: {told}"] if self.kinds else []
        parts += [f"columns: {self.attributes.heads}"] if len(self.attributes) else []
        return "; ".join(parts)

    def to_networkx(self) -> networkx.Graph[Any]:
        """Return a networkx Graph or DiGraph; with multiplicities or kinds, a MultiGraph or MultiDiGraph.

        The kind is the edge attribute "kind". networkx has no mixed graphs: in a directed graph, a link without
        direction becomes two links in opposite directions, and a notice counts them.
        """
        from shoal.data.convert import to_networkx

        return to_networkx(self)

    def to_igraph(self) -> igraph.Graph:
        """Return an igraph Graph with vertex names in the attribute "name", and kinds of links in "kind".

        In a directed graph, a link without direction becomes two links in opposite directions.
        """
        from shoal.data.convert import to_igraph

        return to_igraph(self)

    def to_scipy(self) -> scipy.sparse.csr_array[Any]:
        """Return the adjacency matrix as a sparse array: the number of links from i to j, whatever their kind.

        A link without direction counts from i to j and from j to i.

        >>> Graph.from_pairs("ab", [0], [1]).to_scipy().toarray().tolist()
        [[0, 1], [1, 0]]
        >>> Graph.from_pairs("ab", [0], [1], directed=True).to_scipy().toarray().tolist()
        [[0, 1], [0, 0]]
        """
        from scipy.sparse import csr_array

        if self.ties is not None and self.directed:
            indptr, targets, relation, times = self.entries()
            leaving = np.array([one.direction != "in" for one in self.ties.relations], dtype=np.int32)
            made = csr_array((times * leaving[relation], targets, indptr), shape=(self.n, self.n))
            made.sum_duplicates()
            made.eliminate_zeros()
            return made
        entries = np.ones(len(self.indices), np.int32) if self.multiplicity is None else self.multiplicity.copy()
        return csr_array((entries, self.indices.copy(), self.indptr.copy()), shape=(self.n, self.n))


def build_graph(
    names: Iterable[Hashable] | Names,
    sources: Ints | Iterable[int],
    targets: Ints | Iterable[int],
    *,
    counts: Ints | Iterable[int] | None,
    attributes: Table | None,
    multigraph: bool,
    drop_loops: bool,
    directed: bool | Bools | Iterable[bool] = False,
    kinds: KindCodes | None = None,
    who: str = "",
) -> tuple[Graph, int]:
    """Return the graph of :meth:`Graph.from_pairs`, and how many pairs were listed, without loops."""
    names = names if isinstance(names, Names) else Names(names)
    n = len(names)
    if n == 0:
        raise BadGraph("A graph must have at least one vertex. Got none.")
    _check_size(n)
    a, b = _ids(sources, n), _ids(targets, n)
    if len(a) != len(b):
        raise BadGraph(f"Each pair must have two ends. Got {len(a):,} sources and {len(b):,} targets.")
    counts = None if counts is None else _checked_counts(counts, len(a))
    arrows = _check_directions(directed, len(a))
    if kinds is not None and len(kinds.codes) != len(a):
        raise BadGraph(f"'kinds' must have one kind per pair ({len(a):,}). Got {len(kinds.codes):,}.")
    kept = _keep_links(names, a, b, drop_loops, who)
    if kept is not None:
        a, b, counts = a[kept], b[kept], None if counts is None else counts[kept]
        kinds = None if kinds is None else replace(kinds, codes=kinds.codes[kept])
        arrows = arrows if isinstance(arrows, bool) else arrows[kept]
    found = _number_relations(len(a), arrows, kinds)
    listed = len(a) if counts is None else int(counts.sum())
    if found is None:
        indptr, indices, times = compress_rows(n, a, b, counts, counted=multigraph)
        if multigraph and times is None:
            times = np.ones(len(indices), dtype=np.int32)
        return Graph(names, indptr, indices, times if multigraph else None, attributes or Table(n)), listed
    return link_graph(names, a, b, found[0], counts, found[1], multigraph, attributes or Table(n)), listed


def _check_size(n: int) -> None:
    if n >= FEWER:
        raise BadGraph(f"A graph must have fewer than {FEWER:,} vertices. Got {n:,}.")


def link_graph(
    names: Names,
    a: Ints,
    b: Ints,
    relation: Ints,
    counts: Ints | None,
    relations: tuple[Relation, ...],
    counted: bool,
    attributes: Table,
) -> Graph:
    """Return the graph of links from a[i] to b[i] that a[i] sees as relation[i]; `counted` keeps multiplicities."""
    indptr, indices, ties = tie_rows(len(names), a, b, relation, counts if counted else None, relations, counted)
    return Graph(names, indptr, indices, count_links(ties), attributes, ties=ties)


def count_links(ties: Ties) -> Ints | None:
    """Return the number of links of each entry; None if all are 1."""
    totals = ties.totals
    return None if not len(ties.codes) or totals.max() == 1 else _shrink_counts(totals)[ties.codes]


def join_ties(one: Graph, other: Graph) -> Ties | None:
    """Return the ties of two graphs, one after the other; None if neither has any."""
    if one.ties is None and other.ties is None:
        return None
    if one.ties is None or other.ties is None:
        raise BadGraph("Both graphs must have directions or kinds of links, or neither. Got one of each.")
    return one.ties.followed_by(other.ties)


def _check_directions(directed: bool | Bools | Iterable[bool], links: int) -> bool | Bools:
    if isinstance(directed, bool):
        return directed
    arrows = np.array(directed if isinstance(directed, np.ndarray) else list(directed), dtype=np.bool_)
    if arrows.shape != (links,):
        raise BadGraph(f"'directed' must be one answer, or one per pair ({links:,}). Got {arrows.size:,}.")
    return arrows


def _number_relations(
    links: int, arrows: bool | Bools, kinds: KindCodes | None
) -> tuple[Ints, tuple[Relation, ...]] | None:
    """Return how the source of each link sees it, and the relations; None if there is neither direction nor kind."""
    if kinds is None and not np.any(arrows):
        return None
    labels: tuple[str | None, ...] = (None,) if kinds is None else kinds.labels
    seen = np.zeros(links, dtype=np.int64) if kinds is None else 2 * kinds.codes
    seen = seen + arrows
    listed = [Relation(label, direction) for label in labels for direction in ("both", "out")]
    used = np.flatnonzero(np.bincount(seen, minlength=len(listed))).tolist()
    if not used and arrows is not True:
        return None
    relations = sort_relations([listed[code] for code in used] or [Relation(None, "out")])
    at = {relation: i for i, relation in enumerate(relations)}
    place = np.array([at.get(relation, -1) for relation in listed], dtype=np.int64)
    return place[seen], relations


def report_repeats(graph: Graph, listed: int, who: str = "") -> None:
    """Issue a notice that counts the listed pairs that are merged with another pair."""
    if listed > graph.m:
        another = "another pair (in either direction)" if graph.ties is None else "another link between the same pair"
        told = f"{listed - graph.m:,} of {listed:,} pairs repeat {another} and count once"
        notice(
            f"{begin_notice(who)}{told}. Use multigraph=True (--multigraph) to keep multiplicities.",
            f"{listed - graph.m:,} of {listed:,} pairs merged (--multigraph)",
        )


def begin_notice(who: str) -> str:
    """Return the start of a notice about an input; nothing if it has no name."""
    return f"{who}: " if who else ""


def _ids(ids: Ints | Iterable[int], n: int) -> Ints:
    array = ids if isinstance(ids, np.ndarray) else np.array(list(ids), dtype=np.int64)
    if len(array) and not (array.min() >= 0 and array.max() < n):
        strange = array[(array < 0) | (array >= n)][0]
        raise BadGraph(f"A pair must hold vertex ids from 0 to {n - 1:,}. Got {strange}.")
    return array


def _checked_counts(counts: Ints | Iterable[int], pairs: int) -> Ints:
    """Return the multiplicities as integers; raise BadGraph unless each is an integer of 1 or more."""
    array = counts if isinstance(counts, np.ndarray) else np.array(list(counts))
    if array.shape != (pairs,):
        raise BadGraph(f"'counts' must hold one number per pair ({pairs:,}). Got {array.size:,}, as {array.shape}.")
    if not pairs:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iuf":
        raise BadGraph(f"'counts' must hold whole numbers. Got {array.dtype}, the first {array[0]!r:.60}.")
    strange = array[~((array >= 1) & (array < FEWER) & (array == np.floor(array)))]
    if len(strange):
        raise BadGraph(
            "A pair must have a whole number of edges, 1 or more and fewer than 2**31 edges. Got "
            f"{len(strange):,} others, the first {strange[0]}. Leave out pairs without edges."
        )
    return array.astype(np.int64)


def _keep_links(names: Names, a: Ints, b: Ints, drop: bool, who: str) -> Bools | None:
    """Return which pairs are no loops; None if all are. Loops raise BadGraph unless they are to be dropped."""
    loops = a == b
    if not loops.any():
        return None
    if not drop:
        first = names[int(a[loops][0])]
        raise BadGraph(
            f"A graph must not have loops. Got {int(loops.sum()):,}, the first at vertex {first!r}. "
            "Leave them out with drop_loops=True (--drop-loops)."
        )
    told = f"loops left out: {int(loops.sum()):,}"
    notice(f"{who}: {told}." if who else f"{told.capitalize()}.", told)
    kept: Bools = ~loops
    return kept


def _same_rows(g: Graph, h: Graph) -> bool:
    arrays = ((g.indptr, h.indptr), (g.indices, h.indices), (_counts(g), _counts(h)))
    if g.ties is None or h.ties is None:
        return g.ties is h.ties and all(np.array_equal(x, y) for x, y in arrays)
    return all(np.array_equal(x, y) for x, y in arrays) and g.ties.is_equal(h.ties)


def _counts(g: Graph) -> Ints:
    return g.multiplicity if g.multiplicity is not None else np.ones(len(g.indices), dtype=np.int32)


# Pairs: every reader and every converter returns them, so that one place handles loops, directions and repeated pairs.


@dataclass(frozen=True, eq=False)
class Pairs:
    """Names of vertices, links between their ids, and vertex attributes."""

    names: Names
    sources: Ints
    targets: Ints
    """The other ends; NO_ONE if the source is listed without a link."""
    counts: Ints | None = None
    """The multiplicity of each pair; None if all are 1."""
    attributes: Table | None = None
    arrows: bool | Bools | None = None
    """Which links lead from their source to their target only; None if the input does not say."""
    declared: str = ""
    """How the input declares directed or undirected links, for a message; empty if it does not say."""
    kinds: Column | None = None
    """The cell of each link that is its kind; None if links have no kinds."""
    kind: str = ""
    """The name of the column of kinds, for a message."""
    unread: tuple[str, ...] = ()
    """The columns or attributes of links that are not read."""
    columns: EdgeColumns | None = None
    """The columns of an edge list; None for other inputs."""

    @classmethod
    def of(cls, ends: Iterable[tuple[Hashable, Hashable]], vertices: Iterable[Hashable] = (), **rest: Any) -> Pairs:
        """Number vertices in order of first appearance: the listed vertices, then the ends of the links.

        >>> pairs = Pairs.of([("b", "c"), ("c", "a")], vertices=["a"])
        >>> list(pairs.names), pairs.sources.tolist(), pairs.targets.tolist()
        (['a', 'b', 'c'], [1, 2], [2, 0])
        """
        met = [*vertices]
        listed = len(met)
        met += [end for pair in ends for end in pair]
        check_one_value_each(met)
        ids: dict[Hashable, int] = {}
        flat = [ids.setdefault(name, len(ids)) for name in met][listed:]
        both = np.array(flat, dtype=np.int64).reshape(-1, 2)
        return cls(Names(ids), both[:, 0], both[:, 1], **rest)

    def graph(
        self,
        *,
        multigraph: bool = False,
        directed: bool = False,
        undirected: bool = False,
        drop_loops: bool = False,
        bins: Bins | None = None,
        who: str = "",
    ) -> Graph:
        """Return the graph of these pairs; raise BadGraph if an option is needed. Notices start with `who`."""
        arrows = self._decide_direction(directed, undirected)
        pairs = replace(self, arrows=arrows)._without_ends_missing()
        kinds = None if pairs.kinds is None else label_kinds(pairs.kinds, bins, self.kind, who or "as_graph")
        how: dict[str, Any] = {"counts": pairs.counts, "attributes": pairs.attributes, "multigraph": multigraph}
        how |= {"directed": pairs.arrows, "kinds": kinds}
        graph, listed = build_graph(pairs.names, pairs.sources, pairs.targets, **how, drop_loops=drop_loops, who=who)
        if directed or undirected or not pairs._warn_of_direction(graph, listed, who):
            report_repeats(graph, listed, who)
        if not directed and not undirected:
            _warn_of_symmetry(graph, who)
        return replace(graph, unread=self.unread)

    def _decide_direction(self, directed: bool, undirected: bool) -> bool | Bools:
        """Return which links have a direction: as the input declares, or else as the caller does."""
        if directed and undirected:
            raise BadParameter("'directed' and 'undirected' (--directed, --undirected) must not come together.")
        if undirected or self.arrows is None:
            return directed
        if directed and not np.any(self.arrows):
            raise BadGraph(
                f"'directed' (--directed) must be used only where links have a direction. Got {self.declared}. Leave "
                "it out, or give an edge list or a file with directed links."
            )
        return self.arrows

    def _warn_of_direction(self, graph: Graph, listed: int, who: str) -> bool:
        """Issue a notice if an edge list may have directed links; return whether it did.

        Its column names suggest it, or some pairs occur in both directions and some only in one. A list in which all
        pairs occur in both directions is undirected. In a multigraph, such pairs are parallel edges.
        """
        if self.columns is None or self.counts is not None:
            return False
        linked = len(graph.indices) // 2
        ordered = count_ordered_pairs(graph.n, self.sources, self.targets) if listed > linked else linked
        both = ordered - linked
        some = 0 < both < linked and not graph.is_multigraph
        if both == linked or not (some or self.columns.suggests_direction):
            return False
        links = "1 undirected link" if graph.m == 1 else f"{graph.m:,} undirected links"
        rows = "1 row" if listed == 1 else f"{listed:,} rows"
        occur = {0: "no pair occurs", 1: "1 pair occurs"}.get(both, f"{both:,} pairs occur")
        keep = " To keep multiplicities, use multigraph=True (--multigraph)." if listed > graph.m else ""
        notice(
            f"{begin_notice(who)}{links} from {rows}; {occur} in both directions. If links have a direction, use "
            f"directed=True (--directed). If not, use undirected=True (--undirected) to confirm it.{keep}"
        )
        return True

    def _without_ends_missing(self) -> Pairs:
        linked = self.targets != NO_ONE
        if linked.all():
            return self
        return replace(
            self,
            sources=self.sources[linked],
            targets=self.targets[linked],
            counts=None if self.counts is None else self.counts[linked],
            arrows=self.arrows[linked] if isinstance(self.arrows, np.ndarray) else self.arrows,
            kinds=None if self.kinds is None else self.kinds.take(np.flatnonzero(linked)),
        )


def _warn_of_symmetry(graph: Graph, who: str) -> None:
    """Issue a notice if all links of an input that declares directions occur in both directions."""
    if (
        graph.ties is not None
        and graph.directed
        and graph.m
        and (graph.ties.reverse == np.arange(graph.ties.many)).all()
    ):
        notice(
            f"{begin_notice(who)}the {graph.m:,} links are directed, and each occurs in both directions. If links have "
            "no direction, use undirected=True (--undirected).",
            "all links occur in both directions (--undirected)",
        )
