"""The engines room: it counts. One protocol of few primitives, one file an engine.

An engine answers which vertices are alike in one respect (dense codes 0, 1, ... by first appearance: two vertices are
alike if and only if their codes are equal), how far apart they are, and where a pattern fits. Knowledge is put
together from these in the adversaries' room; whoever brings another engine brings these methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from shoal.data.graph import Graph

Ints = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]


Reading = Literal["neighbors", "exact-neighbors", "relations", "located-relations"]
"""What a known relation is: a neighbor; a neighbor with its multiplicity; any entry of the row (Definition I); any
entry of the row at a vertex that is located and so no candidate (Definition I, located)."""

EXACT, AT_LEAST, EVERY = 0, 1, 2
"""What the size of an exposing set means: it is exact; no smaller set exposes; no set ever does."""


@dataclass(frozen=True)
class Pattern:
    """A small connected subgraph as it was explored: vertex 0 is the target."""

    edges: tuple[tuple[int, int], ...]
    """Pairs of positions, smaller first, ascending."""
    exhausted: tuple[bool, ...]
    """For each position, whether all edges at it are among `edges`."""


class Engine(Protocol):
    """What an adversary may ask for."""

    def group_columns(self, columns: Sequence[Ints]) -> Ints:
        """Number the distinct rows of a table of integers."""
        ...

    def group_multisets(
        self, indptr: Ints, items: Ints, weights: Ints | None = None, start: Ints | None = None
    ) -> Ints:
        """Number the distinct rows, a row being a multiset of items >= 0; rows with different `start` are apart."""
        ...

    def refine(self, graph: Graph, rounds: int | None) -> Ints:
        """Number the classes of Hay et al.'s H_rounds, or of the fixed point."""
        ...

    def orbits(self, graph: Graph) -> Ints:
        """Number the classes of vertices whose connected components look the same from there."""
        ...

    def balls(
        self,
        graph: Graph,
        radius: int,
        view: Literal["counts", "degrees", "shape"],
        labels: Ints | None = None,
    ) -> Ints:
        """Number the distinct balls, seen as counts, as degrees inside, or up to isomorphism with the center marked."""
        ...

    def ball_counts(self, graph: Graph, v: int, radius: int) -> tuple[int, int]:
        """Return how many vertices and edges the ball around v has."""
        ...

    def ball_degrees(self, graph: Graph, v: int, radius: int) -> Ints:
        """Return the degrees inside the ball around v, ascending."""
        ...

    def twins(self, graph: Graph, vertices: Ints) -> Ints:
        """Number the classes of some vertices with equal neighbors, each other aside; multiplicities do not count."""
        ...

    def distances(self, graph: Graph, sources: Sequence[int], reach: int | None) -> Ints:
        """Return one row of distances per source, -1 where there is no way or it is longer than `reach`."""
        ...

    def sharing(self, graph: Graph, row_ptr: Ints, rows: Ints, own: Ints, least: int) -> Ints:
        """Count for each given row the vertices with at least `least` neighbors in it, `own[v]` not counted."""
        ...

    def placements(self, graph: Graph, pattern: Pattern, exact_degrees: bool) -> tuple[Bools, Bools]:
        """Tell at which vertices the pattern fits or could not be excluded, and at which it surely fits."""
        ...

    def exposing_sizes(self, graph: Graph, k: int, reading: Reading, most: int) -> tuple[Ints, Ints]:
        """Return for every vertex the size of the smallest set that leaves fewer than k, and what it means."""
        ...

    def exposing_set(self, graph: Graph, v: int, k: int, reading: Reading, most: int) -> tuple[int, int, Ints]:
        """Return the size of a smallest set that leaves fewer than k candidates of v, what it means, and the set."""
        ...

    def fewest(self, graph: Graph, l: int, reading: Reading, kind: Ints | None = None) -> tuple[Ints, Bools]:
        """Return how few candidates (of their kind) l relations leave to every vertex, and where that is proved."""
        ...

    def fewest_set(self, graph: Graph, v: int, l: int, reading: Reading, kind: Ints | None = None) -> Ints:
        """Return at most l relations that leave the fewest candidates of v."""
        ...

    def fewest_in_release(
        self,
        graph: Graph,
        known: tuple[Ints, Ints, Ints | None],
        own: Ints,
        l: int,
        reading: Reading,
    ) -> tuple[Ints, Bools, list[Ints]]:
        """Return how few candidates, at least one, l facts of `known` rows leave, where it is proved, and the facts."""
        ...

    def similarity_radii(self, graph: Graph, k: int, similarity: str) -> Ints:
        """Return the k-th largest similarity ("manhattan", "2-path") of rows to that of each vertex, itself counted."""
        ...

    def fewest_columns(self, columns: Sequence[Ints], l: int, kind: Ints | None = None) -> Ints:
        """Return how few records (of its kind) at most l columns leave to each record."""
        ...

    def fewest_columns_in_release(self, columns: Sequence[Ints], n: int, l: int) -> tuple[Ints, list[tuple[int, ...]]]:
        """Return how few records from n on, at least one, at most l columns leave to each of the first n, and which."""
        ...

    def unfit_columns(self, columns: Sequence[Ints], n: int, l: int) -> Bools:
        """Tell for each of the first n records whether some l columns fit none of the others."""
        ...

    def revealing_sizes(self, columns: Sequence[Ints], k: int | Sequence[int | None], most: int) -> tuple[Ints, Ints]:
        """Return for every record the size of the smallest set of columns that leaves too few, and what it means."""
        ...

    def revealing_set(self, columns: Sequence[Ints], v: int, k: int, size: int) -> tuple[int, ...]:
        """Return a set of `size` columns that leaves fewer than k records of v."""
        ...

    def minimal_sets(
        self, columns: Sequence[Ints], below: Sequence[int | None]
    ) -> Iterator[tuple[tuple[int, ...], Ints]]:
        """Yield sets of columns with the records of which they, but no part of them, leave too few."""
        ...
