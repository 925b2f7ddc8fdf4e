"""The engine for one machine: numpy arrays, loops compiled by numba on all cores, canonical forms by BLISS.

It loads numba and igraph on first use, not on import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.core import balls, column_sets, grouping, known_sets, orbits, patterns, refinement
from shoal.core.threads import announce_compilation, spread
from shoal.core.types import Bools, Ints, Pattern, Reading
from shoal.data.graph import Graph
from shoal.errors import must


@dataclass(frozen=True)
class LocalEngine:
    """Counts on one machine.

    Parameters
    ----------
    threads
        How many cores to use; None for all.
    hash_bits
        How many bits of each half of a hash to keep. Results do not depend on it, because hashes are verified: 0 makes
        every hash collide, which is how the tests show it.

    Examples
    --------
    >>> from shoal.data.graph import Graph
    >>> path = Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 3])
    >>> LocalEngine().refine(path, 1).tolist(), LocalEngine(hash_bits=0).orbits(path).tolist()
    ([0, 1, 1, 0], [0, 1, 1, 0])
    """

    threads: int | None = None
    hash_bits: int = 64

    def __post_init__(self) -> None:
        must(0 <= self.hash_bits <= 64, "LocalEngine", "hash_bits", "0 to 64", self.hash_bits)

    @property
    def mask(self) -> np.uint64:
        """The bits of a hash that are kept."""
        return np.uint64((1 << self.hash_bits) - 1)

    def group_columns(self, columns: Sequence[Ints]) -> Ints:
        """Number the distinct rows of a table of integers."""
        return column_sets.group_columns(columns)

    def group_multisets(
        self, indptr: Ints, items: Ints, weights: Ints | None = None, start: Ints | None = None
    ) -> Ints:
        """Number the distinct rows, a row being a multiset of items >= 0; rows with different `start` are apart."""
        return grouping.group_multisets(indptr, items, weights, start, mask=self.mask, threads=self.threads)

    def refine(self, graph: Graph, rounds: int | None) -> Ints:
        """Number the classes of Hay et al.'s H_rounds, or of the fixed point."""
        return refinement.refine(graph, rounds, mask=self.mask, threads=self.threads)

    def orbits(self, graph: Graph) -> Ints:
        """Number the classes of vertices whose connected components look the same from there."""
        return orbits.orbits(graph, mask=self.mask, threads=self.threads)

    def balls(self, graph: Graph, radius: int, view: balls.View, labels: Ints | None = None) -> Ints:
        """Number the distinct balls, seen as counts, as degrees inside, or up to isomorphism with the center marked."""
        return balls.balls(graph, radius, view, labels, mask=self.mask, threads=self.threads)

    def ball_counts(self, graph: Graph, v: int, radius: int) -> tuple[int, int]:
        """Return how many vertices and edges the ball around v has."""
        degrees = self.ball_degrees(graph, v, radius)
        return len(degrees), int(degrees.sum()) // 2

    def ball_degrees(self, graph: Graph, v: int, radius: int) -> Ints:
        """Return the degrees inside the ball around v, ascending."""
        return balls.inside(graph, v, radius)

    def twins(self, graph: Graph, vertices: Ints) -> Ints:
        """Number the classes of some vertices with equal neighbors, each other aside; multiplicities do not count."""
        plain = replace(graph, multiplicity=None)
        return balls.twin_classes(plain, among=vertices, mask=self.mask, threads=self.threads)

    def distances(self, graph: Graph, sources: Sequence[int], reach: int | None) -> Ints:
        """Return one row of distances per source, -1 where there is no way or it is longer than `reach`."""
        announce_compilation()
        from shoal.kernels.rows import distances

        found = np.full((len(sources), graph.n), -1, dtype=np.int32)

        def piece(first: int, last: int) -> None:
            for i in range(first, last):
                distances(graph.indptr, graph.indices, sources[i], graph.n if reach is None else reach, found[i])

        spread(piece, len(sources), self.threads, "walking from the hubs", piece=1)
        return found

    def sharing(self, graph: Graph, row_ptr: Ints, rows: Ints, own: Ints, least: int) -> Ints:
        """Count for each given row the vertices with at least `least` neighbors in it, `own[v]` not counted."""
        announce_compilation()
        from shoal.kernels.rows import count_sharing

        sizes = np.zeros(len(row_ptr) - 1, dtype=np.int64)
        members, bounds = grouping.members_by_class(self.group_multisets(row_ptr, rows))

        def piece(first: int, last: int) -> None:
            seen = np.zeros(graph.n, dtype=np.int32)
            lines = members, bounds, row_ptr, rows
            count_sharing(first, last, *lines, graph.indptr, graph.indices, own, least, seen, sizes)

        spread(piece, len(bounds) - 1, self.threads, "counting shared neighbors")
        return sizes

    def placements(self, graph: Graph, pattern: Pattern, exact_degrees: bool) -> tuple[Bools, Bools]:
        """Tell at which vertices the pattern fits or could not be excluded, and at which it surely fits."""
        return patterns.placements(graph, pattern, exact_degrees, threads=self.threads)

    def exposing_sizes(self, graph: Graph, k: int, reading: Reading, most: int) -> tuple[Ints, Ints]:
        """Return for every vertex the size of the smallest set that leaves fewer than k, and what it means."""
        return known_sets.exposing_sizes(graph, k, reading, most, threads=self.threads)

    def exposing_set(self, graph: Graph, v: int, k: int, reading: Reading, most: int) -> tuple[int, int, Ints]:
        """Return the size of a smallest set that leaves fewer than k candidates of v, what it means, and the set."""
        return known_sets.exposing_set(graph, v, k, reading, most)

    def fewest(self, graph: Graph, l: int, reading: Reading, kind: Ints | None = None) -> tuple[Ints, Bools]:
        """Return how few candidates (of their kind) l relations leave to every vertex, and where that is proved."""
        return known_sets.fewest(graph, l, reading, kind, threads=self.threads)

    def fewest_set(self, graph: Graph, v: int, l: int, reading: Reading, kind: Ints | None = None) -> Ints:
        """Return at most l relations that leave the fewest candidates of v."""
        return known_sets.fewest_set(graph, v, l, reading, kind)

    def fewest_in_release(
        self,
        graph: Graph,
        known: tuple[Ints, Ints, Ints | None],
        own: Ints,
        l: int,
        reading: Reading,
    ) -> tuple[Ints, Bools, list[Ints]]:
        """Return how few candidates, at least one, l facts of `known` rows leave, where it is proved, and the facts."""
        return known_sets.fewest_in_release(graph, known, own, l, reading, threads=self.threads)

    def similarity_radii(self, graph: Graph, k: int, similarity: str) -> Ints:
        """Return the k-th largest similarity ("manhattan", "2-path") of rows to that of each vertex, itself counted."""
        return known_sets.similarity_radii(graph, k, similarity, threads=self.threads)

    def fewest_columns(self, columns: Sequence[Ints], l: int, kind: Ints | None = None) -> Ints:
        """Return how few records (of its kind) at most l columns leave to each record."""
        return column_sets.fewest_columns(columns, l, kind, self.threads)

    def fewest_columns_in_release(self, columns: Sequence[Ints], n: int, l: int) -> tuple[Ints, list[tuple[int, ...]]]:
        """Return how few records from n on, at least one, at most l columns leave to each of the first n, and which."""
        return column_sets.fewest_columns_in_release(columns, n, l)

    def unfit_columns(self, columns: Sequence[Ints], n: int, l: int) -> Bools:
        """Tell for each of the first n records whether some l columns fit none of the others."""
        return column_sets.unfit_columns(columns, n, l)

    def revealing_sizes(self, columns: Sequence[Ints], k: int | Sequence[int | None], most: int) -> tuple[Ints, Ints]:
        """Return for every record the size of the smallest set of columns that leaves too few, and what it means."""
        return column_sets.revealing_sizes(columns, k, most, self.threads)

    def revealing_set(self, columns: Sequence[Ints], v: int, k: int, size: int) -> tuple[int, ...]:
        """Return a set of `size` columns that leaves fewer than k records of v."""
        return column_sets.revealing_set(columns, v, k, size)

    def minimal_sets(
        self, columns: Sequence[Ints], below: Sequence[int | None]
    ) -> Iterator[tuple[tuple[int, ...], Ints]]:
        """Yield sets of columns with the records of which they, but no part of them, leave too few."""
        return column_sets.minimal_sets(columns, below, self.threads)
