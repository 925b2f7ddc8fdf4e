"""k-neighborhood anonymity: each vertex has k-1 others with an isomorphic neighborhood (Zhou & Pei 2008).

The method adds links and generalizes labels; vertices are not added or removed. If few vertices are below k, they are
matched in groups, and the weight of a link counts the neighborhoods that it changes: those of its ends and of their
common neighbors. If many are below k, or if the groups do not end, vertices are put into cyclic rows, as in the
automorphic graphs of Zou, Chen & Ozsu (2009). This works for every graph.

*Below k* means: fewer than k vertices have this neighborhood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from shoal.core.balls import group_balls
from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph, refuse_ties
from shoal.data.graph import Graph
from shoal.errors import BadParameter, check_k, must, whole
from shoal.knowledge import Adversary, Neighborhood
from shoal.methods.base import ATTRIBUTES_STAY, Method, Proposals, WorksOn, parse_columns
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.match_neighborhoods.groups import LinkTaste
from shoal.methods.links.match_neighborhoods.orbits import find_orbits, untie_knots
from shoal.methods.links.match_neighborhoods.plans import Rounds
from shoal.methods.links.match_neighborhoods.shapes import Labels, Pair, Shapes
from shoal.methods.tables.ladders import parse_hierarchies
from shoal.parts import option
from shoal.progress import track
from shoal.release.guarantee import Promise
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.seeds import Seed

SMALL = 60
"""Graphs with at most this many vertices try both ways: groups and rows."""
FEW = 12
"""Larger graphs match groups if at most one vertex in FEW is below k."""
PASSES = ((3, 5), (8, 8))
"""For each pass: plans of each kind tried per vertex, and the largest number of links per repaired vertex."""
MADE = 3
"""The number of choices of levels that are tried; one for graphs of LARGE or more vertices."""
LARGE = 2_000
DENSE = 50_000_000
"""If links times the largest degree exceed this, added links are not pruned."""


@dataclass(frozen=True)
class MatchNeighborhoods(Method):
    """Add links until every vertex has at least k-1 others with an isomorphic 1-neighborhood (Zhou & Pei).

    The 1-neighborhood of a vertex is the subgraph induced by its neighbors; with `labels`, it includes the labels of
    the vertex and of its neighbors. Links are only added. A vertex below k is matched with the vertices for which this
    is cheapest, largest neighborhoods first. Vertices that cannot be matched one by one are put into cyclic rows of k;
    if many vertices are below k, all are. Labels are generalized along their hierarchies, each column to one level for
    all vertices.

    Parameters
    ----------
    k
        The number of vertices that must have each neighborhood; at most the number of vertices.
    labels
        Attribute columns that the attacker knows for every vertex in the neighborhood. Other attributes do not change
        and are not protected.
    hierarchies
        The generalizations of each column, as in :class:`~shoal.methods.tables.recode.Recode`. A column without a
        hierarchy is kept as it is, or suppressed: every vertex gets "*".
    alpha, beta, gamma
        Weights in the cost: of lost labels (0 for none, `alpha` for a suppressed one), of an added link, and of a
        vertex that is added to a neighborhood.
    seed
        Seed that breaks ties between plans and drives the search for rows.

    Notes
    -----
    Links with directions or kinds are refused. The definition carries over, but the orbits, the plans and their costs
    are those of simple graphs, in which a pair has two states. With directions it has four, and more with kinds.

    Examples
    --------
    In a path of five vertices each neighborhood already occurs twice or more. A star needs added links:

    >>> import networkx as nx
    >>> MatchNeighborhoods(k=2)(nx.path_graph(5)).edits.added
    ()
    >>> release = MatchNeighborhoods(k=2)(nx.star_graph(4))
    >>> len(release.edits.added), release.edits.removed
    (3, ())

    References
    ----------
    B. Zhou, J. Pei: Preserving privacy in social networks against neighborhood attacks. ICDE 2008.
    L. Zou, L. Chen, M. T. Ozsu: K-automorphism: a general framework for privacy preserving network publication. 2009.
    """

    k: int
    labels: tuple[str, ...] = option((), "Columns that are known for each person of a neighborhood.")
    hierarchies: Mapping[str, Any] | None = None
    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0
    seed: Seed[int] = Seed(0)

    shell: ClassVar[str] = "match-neighborhoods"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "links: adds some; labels: generalizes them"
    protects: ClassVar[str] = "an attacker who knows the pattern of links among a vertex and its neighbors"
    promises: ClassVar[str] = "at least k candidates against neighborhood:1 (with the labels)"
    source: ClassVar[str] = "Zhou & Pei 2008"

    def __post_init__(self) -> None:
        who = "MatchNeighborhoods"
        object.__setattr__(self, "k", whole(self.k, who, "k", least=1))
        object.__setattr__(self, "labels", _parse_labels(self.labels))
        object.__setattr__(self, "hierarchies", parse_hierarchies(self.hierarchies, who))
        for name in ("alpha", "beta", "gamma"):
            object.__setattr__(self, name, _check_weight(getattr(self, name), name))

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return neighborhoods with the labels that are known."""
        parts = [part for part in wanted.parts if isinstance(part, Neighborhood)]
        labels = tuple(dict.fromkeys(name for part in parts for name in part.labels))
        return [({"labels": labels} if labels else {}, Neighborhood(1, labels))]

    def __call__(self, data: Any) -> Release:
        """Return a graph in which each neighborhood occurs at least k times."""
        original, who = refuse_ties(as_graph(data), type(self).__name__), type(self).__name__
        check_k(who, self.k, original)
        must(original.multiplicity is None, who, "data", "a simple graph (leave out multigraph)", original)
        labels = Labels.of(original, self.labels, self.hierarchies, who)
        made = min(
            (self._find_links(labels, levels) for levels in self._choose_levels(labels)), key=lambda one: one.cost
        )
        levels = {name: level for name, level in zip(self.labels, made.levels, strict=True) if level}
        measured = {
            "edges added": len(made.pairs),
            "way": made.way,
            "vertices below k before": _count_below(original, labels.codes((0,) * len(self.labels)), self.k),
            **({"levels": levels, "label loss": labels.loss(made.levels)} if self.labels else {}),
        }
        graph = original if made.way == "unchanged" else _add_links(original, labels.table(made.levels), made.pairs)
        promise = Promise(Neighborhood(1, self.labels), self.k)
        notes = tuple(
            note
            for note, applies in (
                (ATTRIBUTES_STAY, self._has_other_attributes(original)),
                (UNCHANGED, graph is original),
            )
            if applies
        )
        return verify_release(
            Release(original, graph, (promise,), self, seed=self.seed, measured=measured, notes=notes)
        )

    def _has_other_attributes(self, graph: Graph) -> bool:
        """Return whether some attributes are not labels."""
        return any(name not in self.labels for name in graph.attributes)

    def _choose_levels(self, labels: Labels) -> list[tuple[int, ...]]:
        """Return the most promising choices of levels, by the label loss and an estimate of the links needed.

        Links cannot hide a label that fewer than k vertices have.
        """
        found = []
        for levels in labels.choices():
            codes = labels.codes(levels)
            if np.bincount(codes).min(where=np.bincount(codes) > 0, initial=labels.graph.n) >= self.k:
                below = _count_below(labels.graph, codes, self.k)
                links = min(self.k * below, (self.k - 1) * labels.graph.m)
                found.append((self.alpha * labels.loss(levels) + self.beta * links, levels))
        return [levels for _, levels in sorted(found)[: MADE if labels.graph.n < LARGE else 1]]

    def _find_links(self, labels: Labels, levels: tuple[int, ...]) -> LevelResult:
        """Return the links to add for one choice of levels."""
        graph, codes = labels.graph, labels.codes(levels)
        lost, below = self.alpha * labels.loss(levels), _count_below(graph, codes, self.k)
        if not below:
            return LevelResult(lost, levels, [], "labels" if any(levels) else "unchanged")
        found: list[tuple[int, str, list[Pair]]] = []
        if graph.n <= SMALL or below * FEW <= graph.n:
            grouped = self._match_groups(graph, codes)
            found += [] if grouped is None else [(len(grouped), "groups", grouped)]
        if not found or graph.n <= SMALL or 2 * found[0][0] > graph.m:
            turned = self._turn_rows(graph, codes)
            found.append((len(turned), "rows", turned))
        links, way, pairs = min(found)
        return LevelResult(lost + self.beta * links, levels, pairs, way)

    def _turn_rows(self, graph: Graph, codes: Ints) -> list[Pair]:
        """Return the links that make all rows cyclic, without those that no vertex needs."""
        near = _list_neighbors(graph)
        _, orbits = find_orbits(near, codes.tolist(), [0] * graph.n, self.k, self.seed)
        for a, b in chain.from_iterable(orbits):
            near[a].add(b)
            near[b].add(a)
        if sum(map(len, near)) * max(map(len, near)) > DENSE:
            return list(chain.from_iterable(orbits))
        return prune_links(Shapes(near, codes.tolist(), self.k), orbits)

    def _match_groups(self, graph: Graph, codes: Ints) -> list[Pair] | None:
        """Return the links that match vertices below k in groups, or None if that does not succeed."""
        rounds = Rounds(
            Shapes(_list_neighbors(graph), codes.tolist(), self.k), LinkTaste(self.beta, self.gamma), self.seed
        )
        for tries, dear in PASSES:
            rounds.repair_all(tries, dear, most=1)
        if rounds.shapes.below and not untie_knots(rounds, self.seed):
            return None
        return prune_links(rounds.shapes, [[pair] for pair in rounds.added])


@dataclass(frozen=True)
class LevelResult:
    """The result for one choice of levels."""

    cost: float
    levels: tuple[int, ...]
    pairs: list[Pair]
    way: str


def _list_neighbors(graph: Graph) -> list[set[int]]:
    return [set(graph.neighbors(v).tolist()) for v in range(graph.n)]


def _count_below(graph: Graph, labels: Ints, k: int) -> int:
    """Return the number of vertices below k."""
    codes = group_balls(graph, 1, "shape", labels)
    sizes = np.bincount(codes)
    return int(sizes[sizes < k].sum())


def _add_links(graph: Graph, table: Any, pairs: list[Pair]) -> Graph:
    a, b, _ = graph.edges()
    more = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    ends = (np.concatenate([one.astype(np.int64), more[:, i]]) for i, one in enumerate((a, b)))
    return Graph.from_pairs(graph.names, *ends, attributes=table)


def _parse_labels(labels: Any) -> tuple[str, ...]:
    names = parse_columns(labels, "MatchNeighborhoods") or ()
    if len(set(names)) != len(names):
        raise BadParameter(f"MatchNeighborhoods: 'labels' must name each column once. Got {names!r}.")
    return names


def _check_weight(value: Any, what: str) -> float:
    plain = not isinstance(value, bool) and isinstance(value, Real)
    number = float(value) if plain else -1.0
    must(isfinite(number) and number >= 0, "MatchNeighborhoods", what, "a number of 0 or more", value)
    return number


# Pruning: remove added links as long as each neighborhood still occurs at least k times.
#
# Orbits make vertices equivalent in every respect, which is more than needed: most vertices at the periphery of a
# network had k candidates before.

WORK = 4_000_000
"""The limit on vertices and links that are checked."""


def prune_links(shapes: Shapes, bundles: list[list[Pair]]) -> list[Pair]:
    """Remove unneeded links from bundles of added links, whole bundles first, then single links. Return the rest.

    Small neighborhoods come first, because a link there changes the fewest neighborhoods.
    """
    order = sorted(bundles, key=lambda bundle: (max(_choose_prune_weight(shapes, pair) for pair in bundle), bundle))
    left: list[Pair] = []
    for done, bundle in enumerate(order):
        if done % 64 == 0:
            track("taking back links", done, len(order))
        if shapes.looked > WORK:
            left += bundle
        elif not _drop_links(shapes, bundle):
            left += [pair for pair in bundle if len(bundle) == 1 or not _drop_links(shapes, [pair])]
    return left


def _choose_prune_weight(shapes: Shapes, pair: Pair) -> int:
    return int(shapes.degree[pair[0]] + shapes.degree[pair[1]])


def _drop_links(shapes: Shapes, pairs: list[Pair]) -> bool:
    """Remove links if no vertex is below k without them. Return whether they were removed."""
    seers = shapes.find_seers(pairs)
    shapes.unlink(pairs)
    undo = shapes.look(seers)
    if not shapes.below:
        return True
    shapes.link(pairs)
    shapes.forget(undo)
    return False
