"""Partitions of the vertices into classes of k to 2k-1: growth around hubs, edges between classes, and the search.

Larger classes are never needed: a class of 2k or more can be split at no cost. Between two classes is a *block* of
edges. To make rows equal each block is completed or emptied. Inside a class nothing stays: in a simple graph two
vertices with the same neighbors are never adjacent (E4, E5). Where cliques are allowed the inside of a large enough
class is a block too.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.core.grouping import list_members_by_class, number_by_first_appearance
from shoal.core.threads import announce_compilation, run_in_pieces, size_heavy_pieces
from shoal.core.twins import find_equal_rows
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.optimize.annealing import AnnealingProblem, AnnealingResult, anneal, make_generator, quench

SIMILARITIES = ("jaccard", "manhattan", "2-path")


def grow_classes(graph: Graph, k: int, similarity: str, sensitive: Bools) -> Ints:
    """Return the class of each vertex: twins together first, then hubs with who is most alike.

    Sizes are k to 2k-1, and 1 for those who are not sensitive and that no class needs. Sensitive vertices that share
    neighbors with too few others are put together by degree. Where only some are sensitive, they are also put together
    among themselves, and what takes fewer edits is returned.
    """
    found = _grow_around_hubs(graph, k, similarity, sensitive, _split_twins(graph, k, sensitive))
    if sensitive.all():
        return found
    among = _grow_around_hubs(graph, k, similarity, sensitive, np.where(sensitive, -1, graph.n))
    return min(found, among, key=lambda codes: count_blocks(graph, codes).cheapest)


def _grow_around_hubs(graph: Graph, k: int, similarity: str, sensitive: Bools, code: Ints) -> Ints:
    """Give a class to the sensitive vertices whose code is -1, with others whose code is -1."""
    announce_compilation()
    from shoal.core._kernels.similar_rows import grow

    order = np.argsort(-np.diff(graph.indptr), kind="stable")
    kind, begun = SIMILARITIES.index(similarity), np.where(code < graph.n, code, -1).max() + 1
    first = grow(graph.indptr, graph.indices, sensitive, order, k, kind, code, int(begun))
    code[code == graph.n] = -1
    _place_the_rest(graph, code, order, k, sensitive, first)
    return isolate_others(code, sensitive)


def _split_twins(graph: Graph, k: int, sensitive: Bools) -> Ints:
    """Return classes of vertices that have equal rows already, in even parts of k to 2k-1, and -1 for the others."""
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
    """Put the sensitive vertices without a class together by degree; where they are too few, with others."""
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
    if room.sum() < len(left):  # every class can spare k-1
        spare = np.flatnonzero(code == int(np.argmin(room)))
        code[np.concatenate([left, spare[: k - len(left)]])] = first
        return
    for v in left.tolist():
        code[v] = _find_most_shared(graph, v, code, room)
        room[code[v]] -= 1


def _find_most_shared(graph: Graph, v: int, code: Ints, room: Ints) -> int:
    """Return the class with room that most paths of length two from v lead to."""
    shared = np.zeros(len(room), dtype=np.int64)
    for w in graph.neighbors(v).tolist():
        near = code[graph.neighbors(w)]
        np.add.at(shared, near[near >= 0], 1)
    return int(np.argmax(np.where(room > 0, shared, -1)))


def isolate_others(code: Ints, sensitive: Bools) -> Ints:
    """Number the classes anew; who is in none, or in one without a sensitive vertex, stands alone."""
    needed = np.bincount(code[sensitive], minlength=int(code.max()) + 1) > 0
    alone = (code < 0) | ~needed[code]
    return number_by_first_appearance(np.where(alone, len(needed) + np.arange(len(code)), code))


FILLS = ("majority", "budget")


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs of classes with an edge between them, and the classes with an edge inside that may become cliques."""

    first: Ints
    second: Ints
    """Another class, or the same for the inside of one."""
    edges: Ints
    space: Ints
    """How many edges there could be."""
    inside: int
    """Edges inside the other classes."""

    @property
    def cheapest(self) -> int:
        """The fewest edits by which each block is completed or emptied, and nothing stays inside the others."""
        return int(np.minimum(self.edges, self.space - self.edges).sum()) + self.inside

    def choose_majority(self) -> Bools:
        """Tell the blocks more than half full; a tie is none (E6)."""
        return 2 * self.edges > self.space

    def choose_within(self, most: int) -> Bools:
        """Tell the fullest blocks, as many as make at most so many edges together."""
        order = np.lexsort((self.second, self.first, self.space, -self.edges / self.space))
        chosen = np.zeros(len(order), dtype=np.bool_)
        chosen[order[np.cumsum(self.space[order]) <= most]] = True
        return chosen

    def choose_fullest(self) -> Bools:
        """Tell one block, the one with the largest share of its edges."""
        chosen = np.zeros(len(self.edges), dtype=np.bool_)
        chosen[np.argmax(self.edges / self.space)] = True
        return chosen


def count_blocks(graph: Graph, codes: Ints, clique: int = 0) -> Blocks:
    """Count the edges between each pair of classes, and inside those of `clique` members or more (0: none)."""
    a, b, _ = graph.edges()
    low, high = np.minimum(codes[a], codes[b]).astype(np.int64), np.maximum(codes[a], codes[b])
    many = int(codes.max()) + 1
    keys, counts = np.unique(low * many + high, return_counts=True)
    first, second = keys // many, keys % many
    sizes, within = np.bincount(codes, minlength=many), first == second
    space = np.where(within, sizes[first] * (sizes[first] - 1) // 2, sizes[first] * sizes[second])
    apart = ~within | ((sizes[first] >= clique) & (clique > 0))
    return Blocks(first[apart], second[apart], counts[apart], space[apart], int(counts[~apart].sum()))


def fill_blocks(
    graph: Graph, codes: Ints, fill: str = "majority", *, clique: int = 0, require_edges: bool = False
) -> Graph:
    """Return the graph with all edges in some blocks, and none elsewhere.

    By "majority" the blocks more than half full are completed, which takes the fewest edits for these classes; by
    "budget" the fullest ones, as long as there are not more edges than before. With `require_edges` one block is
    completed where none would be.
    """
    blocks = count_blocks(graph, codes, clique)
    full = blocks.choose_majority() if fill == "majority" else blocks.choose_within(graph.m)
    if require_edges and len(full) and not full.any():
        full = blocks.choose_fullest()
    sources, targets = _list_pairs(codes, blocks.first[full], blocks.second[full])
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes)


def complete_blocks(graph: Graph, codes: Ints, clique: int) -> Graph:
    """Return the graph with all edges between two classes wherever there is one, and inside if cliques are allowed."""
    blocks = count_blocks(graph, codes, clique)
    sources, targets = _list_pairs(codes, blocks.first, blocks.second)
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes)


def _list_pairs(codes: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """List all pairs of a member of one class and another member of the other, block by block."""
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    space = sizes[first] * sizes[second]
    block = np.repeat(np.arange(len(first)), space)
    within = np.arange(len(block)) - np.repeat(np.cumsum(space) - space, space)
    wide = sizes[second][block]
    row, column = within // wide, within % wide
    once = (first != second)[block] | (row < column)
    return order[starts[first][block] + row][once], order[starts[second][block] + column][once]


# The search for better classes: vertices change class or places, most often to be with those whose rows are most
# alike; classes are dissolved and put together anew.

LISTED = 10
"""How many of the most similar vertices are proposed more often than others."""
FEW, MANY = 2, 5
"""With how many members of a class a vertex tries to change places, where its edges are stored, or counted first."""
STORED = 1024
"""Up to so many classes the edges of every block are stored; counting them anew is faster for more."""
USUAL = 36_000_000
"""Sweeps unless told otherwise, times the vertices and edges that one looks at; at least 100 and at most 4,000."""


def choose_sweeps(graph: Graph) -> int:
    """Return how many sweeps are usual for a graph of this size."""
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
    blocks: Any  # edges between classes, twice those inside; no line where there are too many classes
    here: Any  # edges of one class to each other class, 0 between calls
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


@dataclass(eq=False)
class PartitionProblem(AnnealingProblem[Ints]):
    """Classes of k to 2k-1 vertices that cost little; what they cost is for each method to say."""

    graph: Graph
    k: int
    sensitive: Bools
    """Who needs a class; others may stand alone."""
    seed: int
    clique: int = 0
    """From how many members on a class may become a clique; 0 for never."""
    weight: float = 0.0
    """How much unlike degrees inside a class count."""

    hot: ClassVar[float]
    """The heat at the start of the first run."""
    again: ClassVar[float]
    """The same for further runs on a small graph, so that they end elsewhere."""

    @property
    def size(self) -> int:
        """Proposals that make a sweep."""
        return self.graph.n

    @property
    @abstractmethod
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of proposals, see :mod:`shoal.optimize._kernels.partition`."""

    @property
    def logs(self) -> Any:
        """The logarithms of 0!, 1!, ... where the ways to fill blocks are counted; none where edits are."""
        return np.zeros(0)

    @cached_property
    def alike(self) -> Ints:
        """For each vertex the others whose rows are most similar to its own."""
        return list_most_alike(self.graph)

    def search(self, start: Ints, sweeps: int) -> AnnealingResult[Ints]:
        """Return classes that are no worse than `start`, found in so many sweeps.

        Small graphs are tried several times, within the same number of sweeps.
        """
        tries = max(1, min(16, 4000 // self.size, sweeps // 50))
        runs = ((i + 1) * sweeps // tries - i * sweeps // tries for i in range(tries if sweeps else 0))
        return anneal(self, start, runs)

    def heat(self, attempt: int) -> float:
        """Return the heat at the start of a run."""
        return self.again if attempt else self.hot

    def begin(self, start: Ints, attempt: int) -> Any:
        """Return the classes as the compiled loops change them."""
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
        blocks = np.zeros((len(size) if len(size) <= STORED else 0, len(size)), dtype=np.int32)
        if len(blocks):
            np.add.at(blocks, (np.repeat(start, np.diff(graph.indptr)), start[graph.indices]), 1)
        here, there, shift = np.zeros((3, len(size)), dtype=np.int32)
        root = np.sqrt(2.0 * graph.degree)
        return PartitionState(
            graph.indptr.astype(np.int64),
            graph.indices.astype(np.int32),
            self.sensitive,
            np.flatnonzero(self.sensitive),
            self.k,
            most,
            self.clique,
            start.astype(np.int32),
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
        )

    def propose(self, state: Any, proposals: int, hot: float, cold: float, done: int, total: int) -> None:
        """Propose changes of classes."""
        from shoal.optimize._kernels.partition import anneal

        anneal(state, proposals, hot, cold, self.soften(done, total))

    def soften(self, done: int, total: int) -> float:
        """Return how much blocks that are not half full count."""
        return 0.0

    def finish(self, state: Any, stopped: bool) -> Ints:
        """Return the classes; those of an interrupted run are put in order first."""
        if stopped:
            quench(self, state, "stopping: putting the classes in order")
        codes: Ints = state.code.astype(np.int64)
        return codes


def list_most_alike(graph: Graph) -> Ints:
    """List for each vertex the others whose rows are most similar to its own."""
    announce_compilation()
    from shoal.core._kernels.similar_rows import most_alike

    lists = np.zeros((graph.n, LISTED), dtype=np.int32)
    indptr, indices = graph.indptr, graph.indices

    def piece(first: int, last: int) -> None:
        most_alike(first, last, indptr, indices, lists)

    run_in_pieces(piece, graph.n, "finding similar rows", piece=size_heavy_pieces(graph.n))
    return lists
