"""Partitions of the vertices into classes of k to 2k-1: growth around hubs, edges between classes, and the search.

Larger classes are never needed: a class of 2k or more can be split at no cost. The edges between two classes are a
*block*. To make rows equal, each block is completed or emptied, and no edge stays inside a class: in a simple graph two
vertices with the same neighbors are never adjacent (E4, E5). If cliques are allowed, the inside of a large enough class
is a block too.

Where links have directions or kinds, a block is an ordered pair of classes and a relation: the links that vertices of
the first class see as this relation to vertices of the second. The second class sees the same links as the reverse
relation, so the block is listed once, for the smaller class. Blocks of two relations are completed or emptied
independently.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.core.grouping import list_members_by_class, number_by_first_appearance
from shoal.core.incidence import Incidence
from shoal.core.twins import find_equal_rows
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.errors import BadGraph
from shoal.optimize.annealing import AnnealingProblem, AnnealingResult, anneal, make_generator, quench
from shoal.settings import run_in_pieces, size_heavy_pieces

SIMILARITIES = ("jaccard", "manhattan", "2-path")


def grow_classes(graph: Graph, k: int, similarity: str, sensitive: Bools) -> Ints:
    """Return the class of each vertex: first twins together, then each hub with the most similar vertices.

    Classes have k to 2k-1 members. A vertex that is not sensitive and that no class needs is a class of its own.
    Sensitive vertices that share neighbors with too few others are grouped by degree. If only some vertices are
    sensitive, they are also grouped among themselves, and the result with fewer edits is returned.
    """
    found = _grow_around_hubs(graph, k, similarity, sensitive, _split_twins(graph, k, sensitive))
    if sensitive.all():
        return found
    among = _grow_around_hubs(graph, k, similarity, sensitive, np.where(sensitive, -1, graph.n))
    return min(found, among, key=lambda codes: count_blocks(graph, codes).cheapest)


def _grow_around_hubs(graph: Graph, k: int, similarity: str, sensitive: Bools, code: Ints) -> Ints:
    """Assign classes to the sensitive vertices with code -1, together with others with code -1."""
    from shoal.core._kernels.alike import grow

    indptr, indices = list_rows(graph)
    order = np.argsort(-np.diff(indptr[: graph.n + 1]), kind="stable")
    kind, begun = SIMILARITIES.index(similarity), np.where(code < graph.n, code, -1).max() + 1
    first = grow(indptr, indices, sensitive, order, k, kind, code, int(begun))
    code[code == graph.n] = -1
    _place_the_rest(graph, code, order, k, sensitive, first)
    return isolate_others(code, sensitive)


def list_rows(graph: Graph) -> tuple[Ints, Ints]:
    """Return the rows of the vertices and the columns of their items, as one graph.

    Vertices that share an item are joined by a path of length two. Items are neighbors, or entries (neighbor,
    relation), which have ids of their own, from n.
    """
    found = Incidence.of(graph, "neighbors")
    return found.indptr, found.indices


def _split_twins(graph: Graph, k: int, sensitive: Bools) -> Ints:
    """Return classes of vertices with equal rows, in even parts of k to 2k-1, and -1 for the other vertices."""
    rows = find_equal_rows(graph)
    members, bounds = list_members_by_class(rows)
    sizes = np.diff(bounds)
    wanted = np.bincount(rows, weights=sensitive) > 0
    parts = np.where((sizes >= k) & wanted, sizes // k, 0)
    rank = np.arange(graph.n) - np.repeat(bounds[:-1], sizes)
    part = np.repeat(np.cumsum(parts) - parts, sizes) + rank * np.repeat(parts, sizes) // np.repeat(sizes, sizes)
    code = np.empty(graph.n, dtype=np.int64)
    code[members] = np.where(np.repeat(parts, sizes) > 0, part, -1)
    return code


def _place_the_rest(graph: Graph, code: Ints, order: Ints, k: int, sensitive: Bools, first: int) -> None:
    """Group the sensitive vertices without a class by degree. If they are too few, add other vertices."""
    free = order[code[order] < 0]
    left = free[sensitive[free]]
    if not len(left):
        return
    if len(left) < k:
        left = np.concatenate([left, free[~sensitive[free]][::-1][: k - len(left)]])
    parts = len(left) // k
    if parts or first == 0:
        code[left] = first + np.arange(len(left)) * max(1, parts) // len(left)
        return
    room = 2 * k - 1 - np.bincount(code[code >= 0], minlength=first)
    if room.sum() < len(left):  # every class can give up k - len(left) members and keep k
        spare = np.flatnonzero(code == int(np.argmin(room)))
        code[np.concatenate([left, spare[: k - len(left)]])] = first
        return
    for v in left.tolist():
        code[v] = _find_most_shared(graph, v, code, room)
        room[code[v]] -= 1


def _find_most_shared(graph: Graph, v: int, code: Ints, room: Ints) -> int:
    """Return the class with free places that most paths of length two from v lead to."""
    shared = np.zeros(len(room), dtype=np.int64)
    for w in graph.neighbors(v).tolist():
        near = code[graph.neighbors(w)]
        np.add.at(shared, near[near >= 0], 1)
    return int(np.argmax(np.where(room > 0, shared, -1)))


def isolate_others(code: Ints, sensitive: Bools) -> Ints:
    """Renumber the classes. A vertex outside every class with a sensitive vertex becomes a class of its own."""
    needed = np.bincount(code[sensitive], minlength=int(code.max()) + 1) > 0
    alone = (code < 0) | ~needed[code]
    return number_by_first_appearance(np.where(alone, len(needed) + np.arange(len(code)), code))


FILLS = ("majority", "budget")


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs of classes with edges between them, and the classes with edges inside that may become cliques."""

    first: Ints
    second: Ints
    """The other class, or the same class for its inside."""
    edges: Ints
    space: Ints
    """The largest possible number of edges."""
    inside: int
    """Number of edges inside the other classes."""
    relation: Ints | None = None
    """How the first class sees the edges of each block; None without directions and kinds."""

    @property
    def cheapest(self) -> int:
        """The fewest edits that complete or empty each block and remove the edges inside the other classes."""
        return int(np.minimum(self.edges, self.space - self.edges).sum()) + self.inside

    def choose_majority(self) -> Bools:
        """Return the blocks that are more than half full; a tie does not count (E6)."""
        return 2 * self.edges > self.space

    def choose_within(self, most: int) -> Bools:
        """Return the fullest blocks that together have at most `most` edges when completed."""
        order = np.lexsort((self.second, self.first, self.space, -self.edges / self.space))
        chosen = np.zeros(len(order), dtype=np.bool_)
        chosen[order[np.cumsum(self.space[order]) <= most]] = True
        return chosen

    def choose_fullest(self) -> Bools:
        """Return only the block with the largest share of its possible edges."""
        chosen = np.zeros(len(self.edges), dtype=np.bool_)
        chosen[np.argmax(self.edges / self.space)] = True
        return chosen

    def complete(self, graph: Graph, codes: Ints, chosen: Bools) -> Graph:
        """Return the graph with all edges in the chosen blocks, and none elsewhere."""
        ordered = np.zeros(len(chosen), dtype=np.bool_)
        if self.relation is not None and graph.ties is not None:
            ordered = graph.ties.reversals[self.relation] != self.relation
        block, a, b = _list_pairs(codes, self.first[chosen], self.second[chosen], ordered[chosen])
        return graph.with_links(a, b, None if self.relation is None else self.relation[chosen][block])


def count_blocks(graph: Graph, codes: Ints, clique: int = 0) -> Blocks:
    """Count the edges between each pair of classes, and inside those of `clique` members or more (0: none)."""
    a, b, relation = graph.list_links()
    low, high = np.minimum(codes[a], codes[b]).astype(np.int64), np.maximum(codes[a], codes[b])
    many, seen, ordered = int(codes.max()) + 1, None, np.False_
    keys = low * many + high
    if relation is not None and graph.ties is not None:
        reversals, relations = graph.ties.reversals, len(graph.ties.relations)
        turned = np.where(codes[a] > codes[b], reversals[relation], relation)
        keys, counts = np.unique(keys * relations + turned, return_counts=True)
        keys, seen = keys // relations, keys % relations
        ordered = reversals[seen] != seen
    else:
        keys, counts = np.unique(keys, return_counts=True)
    first, second = keys // many, keys % many
    sizes, within = np.bincount(codes, minlength=many), first == second
    pairs = sizes[first] * (sizes[first] - 1)
    space = np.where(within, np.where(ordered, pairs, pairs // 2), sizes[first] * sizes[second])
    apart = ~within | ((sizes[first] >= clique) & (clique > 0))
    kept = None if seen is None else seen[apart]
    return Blocks(first[apart], second[apart], counts[apart], space[apart], int(counts[~apart].sum()), kept)


def fill_blocks(
    graph: Graph, codes: Ints, fill: str = "majority", *, clique: int = 0, require_edges: bool = False
) -> Graph:
    """Return the graph with all edges in some blocks, and none elsewhere.

    "majority" completes the blocks that are more than half full: the fewest edits for these classes. "budget" completes
    the fullest blocks as long as there are no more edges than before. With `require_edges` at least one block is
    completed.
    """
    blocks = count_blocks(graph, codes, clique)
    full = blocks.choose_majority() if fill == "majority" else blocks.choose_within(graph.m)
    if require_edges and len(full) and not full.any():
        full = blocks.choose_fullest()
    return blocks.complete(graph, codes, full)


def complete_blocks(graph: Graph, codes: Ints, clique: int) -> Graph:
    """Return the graph with every non-empty block completed, and the inside of classes if cliques are allowed."""
    blocks = count_blocks(graph, codes, clique)
    return blocks.complete(graph, codes, np.ones(len(blocks.edges), dtype=np.bool_))


def _list_pairs(codes: Ints, first: Ints, second: Ints, ordered: Bools) -> tuple[Ints, Ints, Ints]:
    """List all pairs of different members of the two classes of each block: the block, and the two members.

    Inside a class, each pair is listed once, or in both orders if the block is `ordered`.
    """
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    space = sizes[first] * sizes[second]
    block = np.repeat(np.arange(len(first)), space)
    within = np.arange(len(block)) - np.repeat(np.cumsum(space) - space, space)
    wide = sizes[second][block]
    row, column = within // wide, within % wide
    listed = (first != second)[block] | (row < column) | (ordered[block] & (row != column))
    block, row, column = block[listed], row[listed], column[listed]
    return block, order[starts[first][block] + row], order[starts[second][block] + column]


# The search for better classes: vertices move or swap classes, mostly towards vertices with similar rows. Classes are
# dissolved and merged.

LISTED = 10
"""Number of most similar vertices that are proposed more often than others."""
FEW, MANY = 2, 5
"""How many members of a class a vertex tries to swap with: if block counts are stored, or counted first."""
STORED = 1024
"""Up to this many classes, the edge counts of all blocks are stored. With more, counting again is faster."""
USUAL = 36_000_000
"""The default number of sweeps, times the vertices and edges that a sweep visits; at least 100 and at most 4,000
sweeps."""


def choose_sweeps(graph: Graph) -> int:
    """Return the default number of sweeps for a graph of this size."""
    return min(4000, max(100, USUAL // (graph.n + graph.m)))


class PartitionState(NamedTuple):
    """A partition that can change, and room to count in, in the order in which the kernel takes it."""

    indptr: Any
    indices: Any
    sensitive: Any
    protected: Any  # the ids of the sensitive vertices
    k: int
    most: int  # members a class can have
    clique: int  # from how many members on a class may become a clique; 0 for never
    code: Any  # the class of each vertex
    place: Any  # where it stands among the members of its class
    members: Any  # one line per class
    size: Any
    empty: Any  # empty[0] of them: empty[1], empty[2], ...
    blocks: Any  # entries of a class in each column, see the kernel; no line where there are too many classes
    here: Any  # entries of one class in each column, 0 between calls
    there: Any  # the same for another class
    shift: Any
    logs: Any  # the logarithms of 0!, 1!, 2!, ... where worlds are counted; none where edits are
    weight: float  # how much unlike degrees inside a class count; 0 for nothing
    root: Any  # the root of twice the degree of each vertex
    roots: Any  # the sum of them in each class
    partners: int  # members of another class with whom a vertex tries to change places at a time
    alike: Any  # vertices with similar rows, a line per vertex
    shares: Any  # of proposals, see shoal.optimize._kernels.partition
    random: Any  # the state of the generator
    items: Any  # each entry: the neighbor times the number of relations, plus the relation
    column: Any  # the column of each such number; with one relation, `code` itself
    width: Any  # the members of the class of each column; with one relation, `size` itself
    reversals: Any  # the reverse of each relation


@dataclass(eq=False)
class PartitionProblem(AnnealingProblem[Ints]):
    """Classes of k to 2k-1 vertices with low cost. Each method defines the cost."""

    graph: Graph
    k: int
    sensitive: Bools
    """The vertices that need a class. Others may be classes of their own."""
    seed: int
    clique: int = 0
    """The minimum number of members of a class that may become a clique. 0: never."""
    weight: float = 0.0
    """The weight of differing degrees inside a class."""

    hot: ClassVar[float]
    """The temperature at the start of the first run."""
    again: ClassVar[float]
    """The same for further runs on a small graph, so that they reach other solutions."""

    @property
    def size(self) -> int:
        """Proposals per sweep."""
        return self.graph.n

    @property
    @abstractmethod
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of the kinds of proposals; see :mod:`shoal.optimize._kernels.partition`."""

    @property
    def logs(self) -> Any:
        """The logarithms of 0!, 1!, ... if the cost counts the ways to fill blocks; empty if it counts edits."""
        return np.zeros(0)

    @cached_property
    def alike(self) -> Ints:
        """For each vertex the others with the most similar rows."""
        return list_most_alike(self.graph)

    def search(self, start: Ints, sweeps: int) -> AnnealingResult[Ints]:
        """Return classes that are no worse than `start`, found in this many sweeps.

        Small graphs get several runs within the same total number of sweeps.
        """
        tries = max(1, min(16, 4000 // self.size, sweeps // 50))
        runs = ((i + 1) * sweeps // tries - i * sweeps // tries for i in range(tries if sweeps else 0))
        return anneal(self, start, runs)

    def heat(self, attempt: int) -> float:
        """Return the temperature at the start of a run."""
        return self.again if attempt else self.hot

    def begin(self, start: Ints, attempt: int) -> Any:
        """Return the state of the classes that the compiled loops change."""
        graph, n = self.graph, self.graph.n
        capacity, most = n // self.k if self.sensitive.all() else n, 2 * max(self.k, self.clique) - 1
        order, bounds = list_members_by_class(start)
        place = np.empty(n, dtype=np.int32)
        place[order] = np.arange(n) - np.repeat(bounds[:-1], np.diff(bounds))
        members = np.zeros((max(1, capacity), most), dtype=np.int32)
        members[start, place] = np.arange(n)
        size = np.bincount(start, minlength=len(members)).astype(np.int32)
        none = np.flatnonzero(size == 0)
        empty = np.zeros(len(size) + 1, dtype=np.int64)
        empty[: len(none) + 1] = [len(none), *none]
        indptr, indices, items, reversals = _list_entries(graph)
        code, many = start.astype(np.int32), len(reversals)
        column = code if many == 1 else (np.repeat(code, many) * many + np.tile(np.arange(many), n)).astype(np.int32)
        stored = len(size) ** 2 * many <= STORED**2
        blocks = np.zeros((len(size) if stored else 0, len(size) * many), dtype=np.int32)
        if stored:
            np.add.at(blocks, (np.repeat(start, np.diff(indptr)), column[items]), 1)
        here, there, shift = np.zeros((3, len(size) * many), dtype=np.int32)
        root = np.sqrt(2.0 * graph.degree)
        return PartitionState(
            indptr,
            indices,
            self.sensitive,
            np.flatnonzero(self.sensitive),
            self.k,
            most,
            self.clique,
            code,
            place,
            members,
            size,
            empty,
            blocks,
            here,
            there,
            shift,
            self.logs,
            float(self.weight),
            root,
            np.bincount(start, weights=root, minlength=len(size)),
            FEW if len(blocks) else MANY,
            self.alike,
            np.array(self.shares),
            make_generator(self.seed).integers(0, 2**63, size=attempt + 1, dtype=np.uint64)[-1:].copy(),
            items,
            column,
            size if many == 1 else np.repeat(size, many),
            reversals,
        )

    def propose(self, state: Any, proposals: int, hot: float, cold: float, done: int, total: int) -> None:
        """Propose changes of classes."""
        from shoal.optimize._kernels.partition import anneal

        anneal(state, proposals, hot, cold, self.soften(done, total))

    def soften(self, done: int, total: int) -> float:
        """Return the weight of blocks that are not half full."""
        return 0.0

    def finish(self, state: Any, stopped: bool) -> Ints:
        """Return the classes. Those of an interrupted run are improved first."""
        if stopped:
            quench(self, state, "stopping: improving the classes")
        codes: Ints = state.code.astype(np.int64)
        return codes


def _list_entries(graph: Graph) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the bounds of the rows, the neighbor of each entry, the entries as numbers, and the reverse relations.

    An entry is the number (neighbor) * (number of relations) + relation. With one relation it is the neighbor.
    """
    if graph.ties is None:
        indices = graph.indices.astype(np.int32)
        return graph.indptr.astype(np.int64), indices, indices, np.zeros(1, dtype=np.int32)
    many = max(1, len(graph.ties.relations))
    if graph.n * many >= 2**31:
        raise BadGraph(f"Classes need fewer than 2**31 vertices times relations. Got {graph.n:,} times {many:,}.")
    indptr, near, relation, _ = graph.entries()
    items = near.astype(np.int64) * many + relation
    return indptr.astype(np.int64), near.astype(np.int32), items.astype(np.int32), graph.ties.reversals


def list_most_alike(graph: Graph) -> Ints:
    """List for each vertex the others with the most similar rows."""
    from shoal.core._kernels.alike import most_alike

    lists = np.zeros((graph.n, LISTED), dtype=np.int32)
    indptr, indices = list_rows(graph)

    def piece(first: int, last: int) -> None:
        most_alike(first, last, indptr, indices, lists)

    run_in_pieces(piece, graph.n, "finding similar rows", piece=size_heavy_pieces(graph.n))
    return lists
