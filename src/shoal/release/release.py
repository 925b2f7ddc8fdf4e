"""Release: the output of a method, and its guarantees.

`release.data` keeps the original names. :meth:`Release.save` writes new names in a shuffled order. A seed that protects
a permutation is secret: it is written to the mapping file, never to a published one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from shoal.core.edge_diff import find_edge_difference
from shoal.core.grouping import find_components
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import public
from shoal.knowledge import DEFAULT_KNOWLEDGE, Adversary
from shoal.release.guarantee import (
    AnyPromise,
    ConfusionPromise,
    PartialPromise,
    Promise,
    Reason,
    covers,
    covers_kinds,
)
from shoal.show import as_html, as_text
from shoal.utility.base import measure_kolmogorov_smirnov
from shoal.utility.network import (
    DEGREE_DISTANCE,
    EDGES,
    EDIT_RATIO,
    LARGEST_COMPONENT,
    LARGEST_DEGREE,
    TRANSITIVITY,
    VERTICES,
)

if TYPE_CHECKING:
    import os


class Maker(Protocol):
    """The method that made a release, as far as a release uses it."""

    shell: ClassVar[str]
    """Its name on the command line."""
    redraws: ClassVar[bool]
    """Whether all links are drawn anew. Then none counts as added or removed."""
    alone: ClassVar[tuple[str, ...]]
    """Notes that are true only if no other method runs before or after this one."""

    def declare_policy(self) -> dict[str, Any]:
        """Return the fields that may stand in a public file."""

    def reason_to_publish(self, measure: str) -> Reason | None:
        """Return why a key of `measured` may stand in a public file; None if it may not."""


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """The output of a method, with guarantees that were verified first."""

    original: Dataset
    """The data that it was made from."""
    data: Dataset
    """The data to publish, under the original names."""
    promises: tuple[AnyPromise, ...]
    """Its guarantees."""
    method: Maker
    """The method that made it."""
    codes: Ints | None = None
    """A number per individual, equal inside a class; None if the method makes no classes."""
    seed: int | tuple[int | None, ...] | None = None
    """The seed of every random choice. It is secret. One per step, if there were several."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """Measurements of the method: loss of information, edits and the like. They are private; `public_measures` of the
    method lists those that may be published."""
    notes: tuple[str, ...] = ()
    """Notes for the person who made the release."""
    verification: tuple[str, ...] = ()
    """How each guarantee was verified, one sentence each."""

    @property
    def table(self) -> Table:
        """The columns of the data to publish."""
        return self.data.attributes

    @property
    def uncovered(self) -> tuple[str, ...]:
        """The columns that no guarantee covers. An attacker who knows them may distinguish people."""
        covered = {name for promise in self.promises for name in promise.columns_of(self.table)}
        return tuple(name for name in self.data.attributes if name not in covered)

    @property
    def kinds(self) -> dict[str, int]:
        """The kinds of links to publish, each with its number of links; none if links have no kinds."""
        return self.data.count_kinds() if isinstance(self.data, Graph) else {}

    @property
    def uncovered_kinds(self) -> tuple[str, ...]:
        """The kinds of links that no guarantee covers. An attacker who knows them may distinguish people."""
        return () if any(map(covers_kinds, self.promises)) else tuple(self.kinds)

    @property
    def k(self) -> int | None:
        """The largest number of candidates that a guarantee states; None if none states one."""
        return max((promise.k for promise in self.promises if not isinstance(promise, ConfusionPromise)), default=None)

    @cached_property
    def uncovered_knowledge(self) -> tuple[Adversary, ...]:
        """The attacker models of `shoal risk` that no guarantee about links covers; none if there is no such one."""
        about = [promise for promise in self.promises if isinstance(promise, Promise) and promise.knowledge.reads_links]
        simple = self.data.is_simple
        left = (
            knows for knows in DEFAULT_KNOWLEDGE if not any(covers(promise, knows, simple=simple) for promise in about)
        )
        return tuple(left) if about else ()

    @property
    def leaves_others_out(self) -> bool:
        """Whether a guarantee covers only some individuals. The others are not protected by it."""
        return any(
            promise.protected < promise.of if isinstance(promise, PartialPromise) else promise.vertices != "all"
            for promise in self.promises
            if isinstance(promise, Promise | PartialPromise)
        )

    @property
    def rests_on_classes(self) -> bool:
        """Whether the guarantees hold for all individuals because every class has at least two members."""
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
        """The links that are only in the release or only in the original; None if all were drawn anew."""
        return find_edits(self.original, self.data)

    @cached_property
    def utility(self) -> Utility | None:
        """A few numbers about the change of the links; None for a table, whose loss is in `measured`."""
        if not isinstance(self.original, Graph) or not isinstance(self.data, Graph):
            return None
        return measure_utility(self.original, self.data, self.edits)

    @public
    def save(
        self, path: str | os.PathLike[str], mapping: str | os.PathLike[str] | None = None, **how: Any
    ) -> tuple[str, ...]:
        """Write the release under new names in a shuffled order; see :func:`shoal.release.save.publish`."""
        from shoal.release.save import publish

        return publish(self, path, mapping, **how)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


# Edits: the links that differ between release and original, and a short summary of the utility.
#
# Each number of the summary is a count over the whole network, or a share. The numbers depend only on the two networks.
# Exchanging two twins of the release does not change them, so they do not distinguish twins. They may reveal more if a
# release has no twins.

Link = tuple[Hashable, ...]
"""The names of two linked vertices, the source first; then the kind, where links have kinds; then "out" or "both",
where some links have a direction and others have none."""


@dataclass(frozen=True)
class Edits:
    """The links that were changed, by the names of their ends. A multiple link is listed with its multiplicity.

    A link with a direction is listed as it points: source, target. Where links have kinds, the kind comes third. Where
    some links have a direction and others have none, "out" or "both" comes last.
    """

    added: tuple[Link, ...]
    """The links only in the release."""
    removed: tuple[Link, ...]
    """The links only in the original."""
    m: int
    """The number of links of the original."""

    def __len__(self) -> int:
        return len(self.added) + len(self.removed)

    @property
    def ratio(self) -> float:
        """The number of links added and removed, per link of the original; 0 if it has none."""
        return len(self) / self.m if self.m else 0.0


def find_edits(original: Dataset, released: Dataset) -> Edits:
    """Return the links that were changed. Vertices correspond by name. Tables have no links.

    >>> path, ring = (Graph.from_pairs("abc", [0, 1, 0][:q], [1, 2, 2][:q]) for q in (2, 3))
    >>> find_edits(path, ring), find_edits(path, ring).ratio
    (Edits(added=(('a', 'c'),), removed=(), m=2), 0.5)

    A link with a direction is listed as it points, with its kind:

    >>> mail, call = (Graph.from_pairs("ab", [1], [0], directed=True, kinds=[kind]) for kind in ("mail", "call"))
    >>> find_edits(mail, call)
    Edits(added=(('b', 'a', 'call'),), removed=(('b', 'a', 'mail'),), m=1)
    """
    if not isinstance(original, Graph) or not isinstance(released, Graph):
        return Edits((), (), 0)
    found = find_edge_difference(original, released, released.names.find(original.names))
    ways = {one.direction for g in (original, released) if g.ties is not None for one in g.ties.relations}
    mixed = {"both", "out"} <= ways
    sides = [tuple(_name_links(g, links, mixed)) for g, links in ((released, found.added), (original, found.removed))]
    return Edits(sides[0], sides[1], original.m)


def _name_links(graph: Graph, links: tuple[Ints, Ints, Ints | None], mixed: bool) -> Iterator[Link]:
    """Yield links by the names of their ends, with the kind and, if `mixed`, the direction."""
    a, b, relation = links
    if graph.ties is None or relation is None:
        return ((graph.names[u], graph.names[v]) for u, v in zip(a.tolist(), b.tolist(), strict=True))
    ends = [
        (*([] if kind is None else [kind]), *([direction] if mixed else [])) for kind, direction in graph.ties.relations
    ]
    return (
        (graph.names[u], graph.names[v], *ends[r])
        for u, v, r in zip(a.tolist(), b.tolist(), relation.tolist(), strict=True)
    )


@dataclass(frozen=True)
class Utility:
    """Numbers about the change of the links. Pairs are before and after."""

    vertices: tuple[int, int]
    edges: tuple[int, int]
    added: int | None
    """Number of edges only in the release; None if all were drawn anew."""
    removed: int | None
    """Number of edges only in the original; None if all were drawn anew."""
    degree_distance: float
    """Kolmogorov-Smirnov: the largest difference in the share of vertices with at most d edges, over all d."""
    largest_degree: tuple[int, int]
    largest_component: tuple[int, int]
    """The number of its vertices."""
    transitivity: tuple[float, float]
    """The share of the paths of length two whose ends are linked; 0 if there is no such path."""

    @property
    def kept(self) -> int | None:
        """Number of edges in both graphs; None if all were drawn anew."""
        return None if self.removed is None else self.edges[0] - self.removed

    @property
    def edit_ratio(self) -> float | None:
        """Edges added and removed, per edge of the original; 0 if it has none, None if all were drawn anew."""
        if self.added is None or self.removed is None:
            return None
        return (self.added + self.removed) / self.edges[0] if self.edges[0] else 0.0

    @property
    def connected(self) -> tuple[float, float]:
        """The share of the vertices in the largest component; 0 without vertices."""
        (a, b), (n, o) = self.largest_component, self.vertices
        return a / n if n else 0.0, b / o if o else 0.0

    def public(self, *, exchangeable: bool) -> dict[str, Any]:
        """Return the numbers that may be published.

        If the guarantee rests on classes of vertices with the same links, exchanging two members of a class in the
        original changes no number. Otherwise even a coarse number about the original, such as the share of changed
        edges, may fit only one of few possible originals. Then only numbers that can be counted in the published data
        are returned.
        """
        after: dict[str, Any] = {  # counted in the published data
            VERTICES.title: {"after": self.vertices[1]},
            EDGES.title: {"after": self.edges[1]},
            LARGEST_DEGREE.title: {"after": self.largest_degree[1]},
            LARGEST_COMPONENT.title: {"after": self.connected[1]},
            TRANSITIVITY.title: {"after": self.transitivity[1]},
        }
        if not exchangeable:
            return after
        return after | {
            VERTICES.title: name_pair(self.vertices),  # renaming does not change the number of vertices
            # the exchange maps the release to itself, so it keeps how many edges both have
            EDGES.title: {**name_pair(self.edges), "kept": self.kept, "added": self.added, "removed": self.removed},
            EDIT_RATIO.title: self.edit_ratio,  # it follows from the numbers of edges
            DEGREE_DISTANCE.title: self.degree_distance,  # it depends only on the degree distributions
            # the largest degree before stays the same too, but is left out: it describes one person
            LARGEST_COMPONENT.title: name_pair(self.connected),  # the same in isomorphic networks
            TRANSITIVITY.title: name_pair(self.transitivity),  # the same in isomorphic networks
        }


def measure_utility(before: Graph, after: Graph, edits: Edits | None) -> Utility:
    """Compare two networks. `edits` lead from one to the other (None if all links were drawn anew).

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
    """Return whether exchanging any two members of a class leaves the graph unchanged.

    That is so if every pair of classes, and the inside of each class, has either all edges or none. Where links have
    directions or kinds, all edges between two classes must also be alike, and those inside a class the same both ways.

    >>> square = Graph.from_pairs("abcd", [0, 1, 2, 0], [1, 2, 3, 3])
    >>> is_linked_by_class(square, np.array([0, 1, 0, 1])), is_linked_by_class(square, np.array([0, 0, 1, 1]))
    (True, False)
    """
    if graph.is_multigraph:
        return False
    _, code = np.unique(codes, return_inverse=True)
    if graph.ties is not None:
        rows = np.repeat(code, np.diff(graph.indptr))
        seen = np.unique(np.stack([rows, code[graph.indices], graph.ties.codes], axis=1), axis=0)
        if len(np.unique(seen[:, :2], axis=0)) < len(seen):
            return False
    sizes = np.bincount(code).astype(np.int64)
    a, b, _ = graph.edges()
    low, high = np.minimum(code[a], code[b]), np.maximum(code[a], code[b])
    blocks, edges = np.unique(low * len(sizes) + high, return_counts=True)
    i, j = blocks // len(sizes), blocks % len(sizes)
    return bool((edges == np.where(i == j, sizes[i] * (sizes[i] - 1) // 2, sizes[i] * sizes[j])).all())


def name_pair(pair: tuple[float, float]) -> dict[str, float]:
    """Return a pair as a dictionary with keys before and after."""
    return {"before": pair[0], "after": pair[1]}


def count_largest_component(graph: Graph) -> int:
    """Count the vertices of the largest component."""
    return int(np.bincount(find_components(graph.n, *graph.edges()[:2])).max()) if graph.n else 0


def measure_transitivity(graph: Graph) -> float:
    """Return the share of the paths of length two whose ends are linked. Parallel edges count as one.

    Every edge is directed to the end with the higher degree. So each triangle is found once, and hubs cost little.
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
