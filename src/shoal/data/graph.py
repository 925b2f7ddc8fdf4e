"""Graph: an immutable undirected graph without loops, in compressed sparse rows.

n is the number of vertices and m the number of edges, with multiplicities. The neighbors of vertex id v are
`indices[indptr[v]:indptr[v + 1]]`, ascending, so that equal rows are equal bytes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.edge_columns import EdgeColumns
from shoal.data.names import NO_ONE, Names, check_one_value_each
from shoal.data.table import Table
from shoal.errors import BadGraph, notice
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
    starts = _find_starts(keys)
    return *_split_keys(n, keys[starts]), _measure_runs(starts, len(keys))


def _compress_by_weighted_keys(n: int, a: Ints, b: Ints, counts: Ints) -> tuple[Ints, Ints, Ints | None]:
    keys = _make_keys(n, a, b)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = _find_starts(keys)
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
    return (indptr - lost).astype(np.int32), indices[kept], listed


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


def _find_starts(keys: Ints) -> Ints:
    """Return the start of each run of equal keys."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def _split_keys(n: int, keys: Ints) -> tuple[Ints, Ints]:
    return np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n), (keys % n).astype(np.int32)


def _measure_runs(starts: Ints, end: int) -> Ints | None:
    return None if len(starts) == end else _shrink_counts(np.diff(starts, append=end))


def _shrink_counts(counts: Ints) -> Ints:
    if counts.max() > np.iinfo(np.int32).max:
        raise BadGraph(f"A pair must have fewer than 2**31 edges. Got {counts.max():,}.")
    return counts.astype(np.int32)


FEWER = 2**31
"""The multiplicity of a pair is below this."""


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An immutable undirected graph without loops, in compressed sparse rows.

    Build one with :func:`shoal.as_graph`, :func:`shoal.read_graph` or :meth:`Graph.from_pairs`.

    Examples
    --------
    >>> g = Graph.from_pairs(["a", "b", "c"], [0, 1], [1, 2])
    >>> g
    Graph(3 vertices, 2 edges)
    >>> g.neighbors(1).tolist(), g.degree.tolist()
    ([0, 2], [1, 2, 1])
    """

    names: Names
    """The names of the vertices, by id."""
    indptr: Ints
    """The start of each vertex's row in `indices`; n + 1 numbers."""
    indices: Ints
    """The rows: neighbor ids, ascending within a row."""
    multiplicity: Ints | None
    """The multiplicity of each entry of `indices`; None in a simple graph."""
    attributes: Table
    """The attributes of the vertices, one row each."""
    unread: tuple[str, ...] = ()
    """Columns of the input that describe links (weights, dates) and were not read. No part of the graph: other graphs
    that are made from this one do not have it, and graphs are equal without it."""

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
        multigraph: bool = False,
        drop_loops: bool = False,
    ) -> Graph:
        """Build a graph from pairs of vertex ids.

        Parameters
        ----------
        names
            One name per vertex. A vertex in no pair is isolated.
        sources, targets
            The ends of the pairs, in any order and either direction.
        counts
            The multiplicity of each pair, 1 or more (default: 1).
        attributes
            One row per vertex.
        multigraph
            Keep multiplicities. Otherwise a repeated pair is one edge, and a notice counts the repeats.
        drop_loops
            Drop pairs whose ends are the same vertex. Otherwise they raise BadGraph.
        """
        how: dict[str, Any] = {"counts": counts, "attributes": attributes}
        graph, listed = build_graph(names, sources, targets, **how, multigraph=multigraph, drop_loops=drop_loops)
        report_repeats(graph, listed)
        return graph

    def __post_init__(self) -> None:
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
        return self.multiplicity is not None

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

    def neighbors(self, v: int) -> Ints:
        """Return the ids of the neighbors of vertex id `v`, ascending."""
        return self.indices[self.indptr[v] : self.indptr[v + 1]]

    def edges(self) -> tuple[Ints, Ints, Ints | None]:
        """Return each edge once: smaller ids, larger ids, and multiplicities (None in a simple graph)."""
        rows = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))
        once = rows < self.indices
        return rows[once], self.indices[once], None if self.multiplicity is None else self.multiplicity[once]

    def each_edge(self) -> Iterator[tuple[int, int]]:
        """Yield the ids of the ends of every edge, repeated by multiplicity."""
        a, b, counts = self.edges()
        if counts is not None:
            a, b = np.repeat(a, counts), np.repeat(b, counts)
        return zip(a.tolist(), b.tolist(), strict=True)

    def beside(self, other: Graph) -> Graph:
        """Return the disjoint union: the ids of this graph, then those of the other, shifted by n.

        The names are the ids, and there are no attributes.
        """
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
        )

    def with_attributes(self, attributes: Table) -> Graph:
        """Return the same graph with other attributes, without `unread`."""
        return Graph(self.names, self.indptr, self.indices, self.multiplicity, attributes)

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
        kind = "Graph" if self.multiplicity is None else "Multigraph"
        columns = f"; columns: {self.attributes.heads}" if len(self.attributes) else ""
        sizes = f"{self.n:,} {'vertex' if self.n == 1 else 'vertices'}, {self.m:,} {'edge' if self.m == 1 else 'edges'}"
        return f"{kind}({sizes}{columns})"

    def to_networkx(self) -> networkx.Graph[Any]:
        """Return a networkx Graph, or a MultiGraph if there are multiplicities."""
        from shoal.data.convert import to_networkx

        return to_networkx(self)

    def to_igraph(self) -> igraph.Graph:
        """Return an igraph Graph with the vertex names in the attribute "name"."""
        from shoal.data.convert import to_igraph

        return to_igraph(self)

    def to_scipy(self) -> scipy.sparse.csr_array[Any]:
        """Return the adjacency matrix as a sparse array of multiplicities.

        >>> Graph.from_pairs("ab", [0], [1]).to_scipy().toarray().tolist()
        [[0, 1], [1, 0]]
        """
        from scipy.sparse import csr_array

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
    who: str = "",
) -> tuple[Graph, int]:
    """Return the graph of :meth:`Graph.from_pairs`, and how many pairs were listed, without loops."""
    names = names if isinstance(names, Names) else Names(names)
    n = len(names)
    if n == 0:
        raise BadGraph("A graph must have at least one vertex. Got none.")
    a, b = _ids(sources, n), _ids(targets, n)
    if len(a) != len(b):
        raise BadGraph(f"Each pair must have two ends. Got {len(a):,} sources and {len(b):,} targets.")
    counts = None if counts is None else _checked_counts(counts, len(a))
    a, b, counts = _without_loops(names, a, b, counts, drop_loops, who)
    indptr, indices, times = compress_rows(n, a, b, counts, counted=multigraph)
    if multigraph and times is None:
        times = np.ones(len(indices), dtype=np.int32)
    graph = Graph(names, indptr, indices, times if multigraph else None, attributes or Table(n))
    return graph, len(a) if counts is None else int(counts.sum())


def report_repeats(graph: Graph, listed: int, who: str = "") -> None:
    """Issue a notice that counts the listed pairs that are merged with another pair."""
    if listed > graph.m:
        told = f"{listed - graph.m:,} of {listed:,} pairs repeat another pair (in either direction) and count once"
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


def _without_loops(
    names: Names, a: Ints, b: Ints, counts: Ints | None, drop: bool, who: str
) -> tuple[Ints, Ints, Ints | None]:
    loops = a == b
    if not loops.any():
        return a, b, counts
    if not drop:
        first = names[int(a[loops][0])]
        raise BadGraph(
            f"A graph must not have loops. Got {int(loops.sum()):,}, the first at vertex {first!r}. "
            "Leave them out with drop_loops=True (--drop-loops)."
        )
    told = f"loops left out: {int(loops.sum()):,}"
    notice(f"{who}: {told}." if who else f"{told.capitalize()}.", told)
    return a[~loops], b[~loops], None if counts is None else counts[~loops]


def _same_rows(g: Graph, h: Graph) -> bool:
    arrays = ((g.indptr, h.indptr), (g.indices, h.indices), (_counts(g), _counts(h)))
    return all(np.array_equal(x, y) for x, y in arrays)


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
    directed: str = ""
    """How the input declares directed links, for a message; empty if the links are undirected."""
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

    def graph(self, *, multigraph: bool, undirected: bool, drop_loops: bool, who: str = "") -> Graph:
        """Return the graph of these pairs; raise BadGraph if an option is needed. Notices start with `who`."""
        if self.directed and not undirected:
            raise BadGraph(
                f"A graph must be undirected. Got {self.directed}. "
                "Use undirected=True (--undirected) to ignore directions."
            )
        pairs = self._without_ends_missing()
        how: dict[str, Any] = {"counts": pairs.counts, "attributes": pairs.attributes, "multigraph": multigraph}
        graph, listed = build_graph(pairs.names, pairs.sources, pairs.targets, **how, drop_loops=drop_loops, who=who)
        if undirected or not pairs._warn_of_direction(graph, listed, who):
            report_repeats(graph, listed, who)
        return replace(graph, unread=self.unread)

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
        keep = ", or multigraph=True (--multigraph) to keep multiplicities" if listed > graph.m else ""
        notice(
            f"{begin_notice(who)}{links} from {rows}; {occur} in both directions. If links have a direction, it is "
            "ignored here: directed links are not supported yet, and the numbers are about undirected links. "
            f"Use undirected=True (--undirected) to confirm this{keep}."
        )
        return True

    def _without_ends_missing(self) -> Pairs:
        linked = self.targets != NO_ONE
        if linked.all():
            return self
        counts = None if self.counts is None else self.counts[linked]
        return replace(self, sources=self.sources[linked], targets=self.targets[linked], counts=counts)
