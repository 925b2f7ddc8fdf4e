"""Release: the output of a method, and its promises.

`release.data` keeps the original names for whoever made it; :meth:`Release.save` writes fresh ones in a shuffled
order. A seed that protects a permutation is secret: it goes into the mapping file, never into the published ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from shoal.core.components import find_components
from shoal.core.edge_diff import find_edge_difference
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import public
from shoal.release.guarantee import AnyPromise, Promise, Reason
from shoal.show import as_html, as_text
from shoal.utility.base import measure_kolmogorov_smirnov

if TYPE_CHECKING:
    import os


class Maker(Protocol):
    """The method that made a release, as far as a release asks it."""

    shell: ClassVar[str]
    """Its name on the command line."""
    redraws: ClassVar[bool]
    """Whether all links are drawn anew, so that none of them counts as added or removed."""
    alone: ClassVar[tuple[str, ...]]
    """Notes that are true of this method by itself, and not where another one follows or went before."""

    def declare_policy(self) -> dict[str, Any]:
        """Return the fields that may stand in a public file."""

    def reason_to_publish(self, measure: str) -> Reason | None:
        """Return why something in `measured` may stand in a public file; None where it may not."""


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What a method made of the data, with a promise that was verified before it was handed over."""

    original: Dataset
    """What it was made from."""
    data: Dataset
    """What may be published, under the original names."""
    promises: tuple[AnyPromise, ...]
    """What it guarantees."""
    method: Maker
    """The method that made it."""
    codes: Ints | None = None
    """One number per individual, equal inside a class; None where the method makes no classes."""
    seed: int | tuple[int | None, ...] | None = None
    """What every random choice was drawn from: a secret. One for each step, where there were several."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """What the method counted: loss of information, edits, and the like. Its maker sees all of it; what of it may stand
    in a public file is in the `public_measures` of the method."""
    notes: tuple[str, ...] = ()
    """What its maker must know."""
    verification: tuple[str, ...] = ()
    """How each promise was verified, a sentence each."""

    @property
    def table(self) -> Table:
        """What may be published about each individual besides the links."""
        return self.data.attributes

    @property
    def uncovered(self) -> tuple[str, ...]:
        """The columns that no promise speaks of: whoever knows them may tell people apart."""
        covered = {name for promise in self.promises for name in promise.columns_of(self.table)}
        return tuple(name for name in self.data.attributes if name not in covered)

    @property
    def leaves_others_out(self) -> bool:
        """Whether a promise is about some of the individuals only: the others are not protected by it."""
        return any(isinstance(promise, Promise) and promise.vertices != "all" for promise in self.promises)

    @property
    def rests_on_classes(self) -> bool:
        """Whether what is promised holds for everybody because nobody is alone in a class."""
        if not self.promises or self.leaves_others_out or self.codes is None or not len(self.codes):
            return False
        return bool(np.unique(self.codes, return_counts=True)[1].min() > 1)

    @cached_property
    def classes(self) -> tuple[tuple[Hashable, ...], ...]:
        """The names of the members of each class."""
        if self.codes is None:
            return ()
        order = np.argsort(self.codes, kind="stable")
        ends = np.flatnonzero(np.diff(self.codes[order])) + 1
        return tuple(tuple(self.data.names[int(v)] for v in part) for part in np.split(order, ends))

    @cached_property
    def edits(self) -> Edits | None:
        """The links that only the release or only the original has; None where all were drawn anew."""
        return find_edits(self.original, self.data)

    @cached_property
    def utility(self) -> Utility | None:
        """What became of the links, in a few numbers; None for a table, whose loss is in `measured`."""
        if not isinstance(self.original, Graph) or not isinstance(self.data, Graph):
            return None
        return measure_utility(self.original, self.data, self.edits)

    @public
    def save(
        self, path: str | os.PathLike[str], mapping: str | os.PathLike[str] | None = None, **how: Any
    ) -> tuple[str, ...]:
        """Write the release under fresh names in a shuffled order; see :func:`shoal.release.save.publish`."""
        from shoal.release.save import publish

        return publish(self, path, mapping, **how)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


# Edits: the links by which a release differs from the original, and a short summary of its utility.
#
# Each number of the summary is a count over the whole network, or a share. The numbers depend on the two networks
# alone: exchanging two vertices of the release that have the same neighbors gives the same numbers, which tell no twins
# apart. They may tell more where a release has no twins.

Link = tuple[Hashable, Hashable]
"""The names of two vertices that are linked."""


@dataclass(frozen=True)
class Edits:
    """The links that were changed, by the names of their ends; a multiple link as often as it came or went."""

    added: tuple[Link, ...]
    """The links that only the release has."""
    removed: tuple[Link, ...]
    """The links that only the original has."""
    m: int
    """How many links the original has."""

    def __len__(self) -> int:
        return len(self.added) + len(self.removed)

    @property
    def ratio(self) -> float:
        """Links added and removed, per link of the original; 0 where it has none."""
        return len(self) / self.m if self.m else 0.0


def find_edits(original: Dataset, released: Dataset) -> Edits:
    """Return the links that were changed, the vertices corresponding by name; between tables there are none.

    >>> path, ring = (Graph.from_pairs("abc", [0, 1, 0][:q], [1, 2, 2][:q]) for q in (2, 3))
    >>> find_edits(path, ring), find_edits(path, ring).ratio
    (Edits(added=(('a', 'c'),), removed=(), m=2), 0.5)
    """
    if not isinstance(original, Graph) or not isinstance(released, Graph):
        return Edits((), (), 0)
    found = find_edge_difference(original, released, released.names.find(original.names))
    sides = [
        tuple((g.names[a], g.names[b]) for a, b in zip(*(ends.tolist() for ends in pairs), strict=True))
        for g, pairs in ((released, found.added), (original, found.removed))
    ]
    return Edits(sides[0], sides[1], original.m)


@dataclass(frozen=True)
class Utility:
    """What became of the links; pairs are before and after."""

    vertices: tuple[int, int]
    edges: tuple[int, int]
    added: int | None
    """Edges that only the release has; None where all were drawn anew."""
    removed: int | None
    """Edges that only the original has; None where all were drawn anew."""
    degree_distance: float
    """Kolmogorov-Smirnov: by how much the share of vertices with at most d links differs, for the worst d."""
    largest_degree: tuple[int, int]
    largest_component: tuple[int, int]
    """How many vertices are in it."""
    transitivity: tuple[float, float]
    """The share of the paths of length two whose ends are linked; 0 where there is no such path."""

    @property
    def kept(self) -> int | None:
        """Edges that both have; None where all were drawn anew."""
        return None if self.removed is None else self.edges[0] - self.removed

    @property
    def edit_ratio(self) -> float | None:
        """Edges added and removed, per edge of the original; 0 where it has none, None where all were drawn anew."""
        if self.added is None or self.removed is None:
            return None
        return (self.added + self.removed) / self.edges[0] if self.edges[0] else 0.0

    @property
    def connected(self) -> tuple[float, float]:
        """The share of the vertices that are in the largest component; 0 without vertices."""
        (a, b), (n, o) = self.largest_component, self.vertices
        return a / n if n else 0.0, b / o if o else 0.0

    def public(self, *, exchangeable: bool) -> dict[str, Any]:
        """Return what may be published.

        Where the promise rests on classes of vertices that are linked alike, each number stays the same if two of a
        class are exchanged in the original. Elsewhere a number about the original, however coarse, may fit only one of
        the few originals that are possible, even the share of edges that changed: only what can be counted in the
        published data is told.
        """
        after: dict[str, Any] = {  # counted in the published data
            "vertices": {"after": self.vertices[1]},
            "edges": {"after": self.edges[1]},
            "largest degree": {"after": self.largest_degree[1]},
            "share in the largest component": {"after": self.connected[1]},
            "transitivity": {"after": self.transitivity[1]},
        }
        if not exchangeable:
            return after
        return after | {
            "vertices": name_pair(self.vertices),  # renaming leaves the number of vertices
            # the exchange maps the release to itself, so it keeps how many edges both have
            "edges": {**name_pair(self.edges), "kept": self.kept, "added": self.added, "removed": self.removed},
            "edit ratio": self.edit_ratio,  # it follows from the numbers of edges
            "degree distance (Kolmogorov-Smirnov)": self.degree_distance,  # it reads how often each degree occurs
            # the largest degree before stays too, and is left out: it is that of one person
            "share in the largest component": name_pair(self.connected),  # the same in isomorphic networks
            "transitivity": name_pair(self.transitivity),  # the same in isomorphic networks
        }


def measure_utility(before: Graph, after: Graph, edits: Edits | None) -> Utility:
    """Compare two networks, with the edits that lead from one to the other (None where all links were drawn anew).

    >>> path, ring = (Graph.from_pairs("abcd", [0, 1, 2, 0][:q], [1, 2, 3, 3][:q]) for q in (3, 4))
    >>> found = measure_utility(path, ring, find_edits(path, ring))
    >>> found.edges, found.kept, found.largest_degree, found.degree_distance
    ((3, 4), 3, (2, 2), 0.5)
    """
    both = before, after
    return Utility(
        vertices=(before.n, after.n),
        edges=(before.m, after.m),
        added=None if edits is None else len(edits.added),
        removed=None if edits is None else len(edits.removed),
        degree_distance=measure_kolmogorov_smirnov(before.degree, after.degree),
        largest_degree=tuple(int(g.degree.max(initial=0)) for g in both),  # type: ignore[arg-type]
        largest_component=tuple(map(count_largest_component, both)),  # type: ignore[arg-type]
        transitivity=tuple(map(measure_transitivity, both)),  # type: ignore[arg-type]
    )


def is_linked_by_class(graph: Graph, codes: Ints) -> bool:
    """Tell whether exchanging any two members of a class leaves the graph as it is.

    That is so where between two classes, and inside each, all edges are there or none.

    >>> square = Graph.from_pairs("abcd", [0, 1, 2, 0], [1, 2, 3, 3])
    >>> is_linked_by_class(square, np.array([0, 1, 0, 1])), is_linked_by_class(square, np.array([0, 0, 1, 1]))
    (True, False)
    """
    if graph.multiplicity is not None:
        return False
    _, code = np.unique(codes, return_inverse=True)
    sizes = np.bincount(code).astype(np.int64)
    a, b, _ = graph.edges()
    low, high = np.minimum(code[a], code[b]), np.maximum(code[a], code[b])
    blocks, edges = np.unique(low * len(sizes) + high, return_counts=True)
    i, j = blocks // len(sizes), blocks % len(sizes)
    return bool((edges == np.where(i == j, sizes[i] * (sizes[i] - 1) // 2, sizes[i] * sizes[j])).all())


def name_pair(pair: tuple[float, float]) -> dict[str, float]:
    """Return a pair by its names."""
    return {"before": pair[0], "after": pair[1]}


def count_largest_component(graph: Graph) -> int:
    """Count the vertices of the largest component."""
    return int(np.bincount(find_components(graph.n, *graph.edges()[:2])).max()) if graph.n else 0


def measure_transitivity(graph: Graph) -> float:
    """Return the share of the paths of length two whose ends are linked; parallel edges count as one.

    Every edge is directed to the end with more links, so that a triangle is met once and hubs cost little.
    """
    from scipy.sparse import csr_array

    degree = np.diff(graph.indptr).astype(np.int64)
    paths = int((degree * (degree - 1) // 2).sum())
    if not paths:
        return 0.0
    a, b, _ = graph.edges()
    up = (degree[a] < degree[b]) | ((degree[a] == degree[b]) & (a < b))
    low, high = np.where(up, a, b), np.where(up, b, a)
    ones = np.ones(len(a), dtype=np.int64)
    steps = csr_array((ones, (low, high)), shape=(graph.n, graph.n))
    return 3 * int((steps @ steps).multiply(steps).sum()) / paths
