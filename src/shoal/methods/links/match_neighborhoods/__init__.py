"""k-neighborhood anonymity: each vertex has k-1 others with an isomorphic neighborhood (Zhou & Pei 2008).

Zhou & Pei's k-anonymity against neighborhood attacks: links are added, labels generalized, nobody comes or goes. Where
few are below k, they are matched in groups, each link weighed by whom it changes: its ends and all their common
neighbors. Where many are, or groups do not end, vertices are put into rows that turn (Zou, Chen & Ozsu's automorphic
graphs do the like), which ends for every graph.
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
from shoal.data.convert import as_graph
from shoal.data.dataset import check_k
from shoal.data.graph import Graph
from shoal.errors import BadParameter, must, whole
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

SMALL = 60
"""In graphs of at most so many vertices both ways are tried."""
FEW = 12
"""In larger ones groups are matched if at most one vertex in so many is below k."""
PASSES = ((3, 5), (8, 8))
"""How many plans of each kind are tried for a vertex, and how many links are added for each that it repairs."""
MADE = 3
"""How many choices of levels are made, of which the cheapest is taken; one only for large graphs."""
LARGE = 2_000
DENSE = 50_000_000
"""Links times the largest degree, above which links that nobody needs are not looked for."""


@dataclass(frozen=True)
class MatchNeighborhoods(Method):
    """Add links until everybody has at least k-1 others with an isomorphic 1-neighborhood (Zhou & Pei).

    The 1-neighborhood of a vertex is the subgraph that its neighbors induce, with their labels and its own where
    columns are named. Links are only added. Those whose neighborhood fewer than k have are matched, the largest first,
    with those for which it is cheapest; those who cannot be matched one by one are put into rows of k that turn, and
    everybody is where many are below k. Labels go up their hierarchies, each column to one level for everybody.

    Parameters
    ----------
    k
        How many vertices must have each neighborhood; at most the number of vertices.
    labels
        Columns of the vertices' attributes that the attacker knows of everybody in the neighborhood. Other attributes
        stay, and are not protected.
    hierarchies
        For a column its generalizations, as in :class:`~shoal.methods.tables.recode.Recode`. A column without one stays
        as it is, or is suppressed: everybody gets "*".
    alpha, beta, gamma
        What a label that is lost counts (from 0 for none to `alpha` for a suppressed one), what an added link, and what
        a vertex that is drawn into a neighborhood it was not in.
    seed
        What decides among plans, and what rows are searched with.

    Examples
    --------
    In a path the two ends, the two next to them, and the middle: the middle has the neighborhood of those next to the
    ends, and nothing is added. A star needs its leaves to look like its center:

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
    seed: int = 0

    shell: ClassVar[str] = "match-neighborhoods"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "links are added, labels generalized, until neighborhoods are isomorphic"
    protects: ClassVar[str] = "from whoever knows how the neighbors of a vertex are linked"
    promises: ClassVar[str] = "neighborhood:1 leaves k (with the labels)"
    source: ClassVar[str] = "Zhou & Pei 2008"

    def __post_init__(self) -> None:
        who = "MatchNeighborhoods"
        object.__setattr__(self, "k", whole(self.k, who, "k", least=1))
        object.__setattr__(self, "seed", whole(self.seed, who, "seed", least=0, most=None))
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
        """Return a graph in which each neighborhood is there k times."""
        original, who = as_graph(data), type(self).__name__
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
            "below k before": _count_below(original, labels.codes((0,) * len(self.labels)), self.k),
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
        """Tell whether there are attributes that are no labels."""
        return any(name not in self.labels for name in graph.attributes)

    def _choose_levels(self, labels: Labels) -> list[tuple[int, ...]]:
        """Return the choices of levels that promise most: what they lose, and about what links they ask for.

        A label that fewer than k bear cannot be hidden by links.
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
        """Return the links that are to be added for some levels of the labels."""
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
        """Return links that make rows turn, but for those that nobody needs."""
        near = _list_neighbors(graph)
        _, orbits = find_orbits(near, codes.tolist(), [0] * graph.n, self.k, self.seed)
        for a, b in chain.from_iterable(orbits):
            near[a].add(b)
            near[b].add(a)
        if sum(map(len, near)) * max(map(len, near)) > DENSE:
            return list(chain.from_iterable(orbits))
        return prune_links(Shapes(near, codes.tolist(), self.k), orbits)

    def _match_groups(self, graph: Graph, codes: Ints) -> list[Pair] | None:
        """Return links that match those below k in groups; None where that does not end."""
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
    """What one choice of levels came to."""

    cost: float
    levels: tuple[int, ...]
    pairs: list[Pair]
    way: str


def _list_neighbors(graph: Graph) -> list[set[int]]:
    return [set(graph.neighbors(v).tolist()) for v in range(graph.n)]


def _count_below(graph: Graph, labels: Ints, k: int) -> int:
    """Count the vertices whose neighborhood fewer than k have."""
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


# Pruning: links that were added and are not needed are taken back, as long as all neighborhoods are there k times.
#
# Whole orbits make everybody alike in every way; most of the outskirts of a network were fine before.

WORK = 4_000_000
"""Vertices and links that are looked at, about; then it ends."""


def prune_links(shapes: Shapes, bundles: list[list[Pair]]) -> list[Pair]:
    """Return the links that are left of bundles that were added, each taken back at once, or else link by link.

    Small neighborhoods come first, since there the fewest see a link.
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
    """Take links back if nobody is below k without them; tell whether."""
    seers = shapes.find_seers(pairs)
    shapes.unlink(pairs)
    undo = shapes.look(seers)
    if not shapes.below:
        return True
    shapes.link(pairs)
    shapes.forget(undo)
    return False
