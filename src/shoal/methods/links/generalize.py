"""Generalization of a graph to the numbers of edges inside and between classes (Hay et al. 2008).

Many graphs have the same numbers; they are called possible worlds. The fewer worlds, the more the numbers reveal about
the original. But they reveal the same about all members of a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, cast

import numpy as np

from shoal.core.grouping import find_components, number_by_first_appearance
from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph, link_graph
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.errors import check_k, must, notice, whole
from shoal.methods.base import ATTRIBUTES_STAY, Method, WorksOn, effort_option, parse_effort
from shoal.methods.classes import CLASS_SIZES
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.optimize.annealing import STOPPED, AnnealingResult, count_sweeps_within, make_generator
from shoal.optimize.class_partition import PartitionProblem, choose_sweeps, grow_classes
from shoal.release.drawn import DrawnRelease
from shoal.release.guarantee import ExchangeabilityPromise, Reason
from shoal.release.verify import verify_release
from shoal.seeds import Seed, draw_seed

WORLDS, CERTAIN = "log of the number of possible worlds", "edges revealed for certain"


@dataclass(frozen=True)
class Generalize(Method):
    """Publish only the numbers of edges inside and between classes of at least k vertices, and a graph drawn from them.

    Simulated annealing searches for the classes with the fewest possible worlds. Possible worlds are the graphs with
    the same numbers; there are Π C(pairs of a block, its edges) of them. `release.generalized` holds the numbers.
    `release.data` is a world drawn uniformly, `release.sample(seed)` draws others, and `release.estimates(30)` compares
    samples with the original. All links are drawn again, so no link counts as added or removed.

    The guarantee is exchangeability inside classes, not equal rows. If all worlds are equally likely, then for any
    question about the links of a vertex all k or more members of its class are equally likely answers. It does not
    cover single links: a block with all of its edges, or with none, reveals them for certain.

    Where links have directions or kinds, there is a number for each ordered pair of classes and each kind.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of vertices. Classes have k to 2k-1 members.
    degrees
        The weight of different degrees inside a class in the objective. A larger weight keeps the drawn degrees closer
        to the original ones. 1 counts them as Poisson numbers would add to the logarithm; 0 is the objective of Hay et
        al.
    effort
        How long to search: a whole number of sweeps (each proposes one change per vertex), or seconds, such as 60.0 or
        "60s". 0 does not search. None chooses the sweeps by the size of the graph. Ctrl-C ends the search early and
        uses the best classes so far; a second Ctrl-C ends the program.
    seed
        Random seed. Keep it private; random by default. An attacker who knows the seed, the classes and the order of
        the original file can restore the mapping.

    Examples
    --------
    A cycle of six vertices in classes of three. Nine edges are possible between two classes, and three inside each:

    >>> import networkx as nx, shoal
    >>> release = shoal.methods.Generalize(k=3, seed=7)(nx.cycle_graph(6))
    >>> release.generalized
    Generalized(2 classes of 3; 6 vertices, 6 edges)
    >>> release.data.m, release.sample(seed=1).m, release.edits
    (6, 6, None)

    A square in classes of two has one possible world, so it is published unchanged:

    >>> release = shoal.methods.Generalize(k=2, seed=7)(nx.cycle_graph(4))
    >>> release.generalized.log_worlds, release.data == release.original
    (0.0, True)

    Mails have a direction. Ann and Bo send three of the four mails that are possible, and get one:

    >>> mails = [("Ann", "Cy"), ("Ann", "Di"), ("Bo", "Cy"), ("Di", "Bo")]
    >>> release = shoal.methods.Generalize(k=2, seed=7)(shoal.as_graph(mails, directed=True))
    >>> release.generalized.links.tolist(), release.generalized.between.tolist(), release.data
    ([[0, 1, 0], [1, 0, 0]], [3, 1], Graph(4 vertices, 4 links; directed))

    References
    ----------
    M. Hay, G. Miklau, D. Jensen, D. Towsley, P. Weis: Resisting structural re-identification in anonymized social
    networks. PVLDB 2008.
    """

    k: int
    degrees: float = 0.5
    effort: int | float | str | None = effort_option()
    seed: Seed[None] = Seed(None, secret=True)

    shell: ClassVar[str] = "generalize"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: draws all again, with the same numbers inside and between classes"
    protects: ClassVar[str] = "an attacker who knows the links around a vertex, if possible worlds are equally likely"
    promises: ClassVar[str] = "exchangeability inside classes of at least k"
    source: ClassVar[str] = "Hay, Miklau, Jensen, Towsley & Weis 2008"
    redraws: ClassVar[bool] = True
    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        WORLDS: "classes",  # a function of the numbers of edges inside and between classes
        CERTAIN: "classes",  # also a function of these numbers
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "Generalize", "k", least=1))
        weight: Any = self.degrees
        fits = type(weight) is not bool and isinstance(weight, int | float) and 0 <= weight < inf
        must(fits, "Generalize", "degrees", "a number of 0 or more", weight)
        parse_effort(self.effort, "Generalize")

    def __call__(self, data: Any) -> DrawnRelease:
        """Return the numbers of edges inside and between classes, and a graph drawn from them."""
        original = as_graph(data)
        check_k("Generalize", self.k, original)
        must(not original.is_multigraph, "Generalize", "data", "a simple graph (leave out multigraph)", original)
        seed = draw_seed(self.seed, "Generalize")
        found = self._find_classes(original, seed)
        generalized = Generalized.of(original, found.solution)
        graph = generalized.sample(seed).with_attributes(original.attributes)
        only = generalized.certain == original.m
        told = {ATTRIBUTES_STAY: len(original.attributes), UNCHANGED: only, STOPPED: found.stopped}
        release = DrawnRelease(
            original,
            graph,
            (ExchangeabilityPromise(self.k),),
            self,
            found.solution,
            seed,
            _measure_classes(generalized, found),
            tuple(note for note, applies in told.items() if applies),
            generalized=generalized,
        )
        return cast(DrawnRelease, verify_release(release))

    def _find_classes(self, graph: Graph, seed: int) -> AnnealingResult[Ints]:
        effort = None if self.effort is None else parse_effort(self.effort, "Generalize")
        found = find_classes(graph, self.k, self.degrees, effort, seed)
        if found.stopped:
            notice(f"Generalize: stopped after {found.sweeps:,} sweeps. The best classes so far are used.")
        return found


def _measure_classes(generalized: Generalized, found: AnnealingResult[Ints]) -> dict[str, Any]:
    """Return measures of the classes. All except the sweeps are functions of the numbers of edges."""
    told = {
        "classes": len(generalized.sizes),
        "smallest class": generalized.k,
        "largest class": int(generalized.sizes.max()),
        WORLDS: generalized.log_worlds,
        CERTAIN: generalized.certain,
        "sweeps": found.sweeps,
    }
    return told | ({"stopped early": True} if found.stopped else {})


# Classes with few possible worlds: a start around hubs, then simulated annealing (Hay et al. 2008).
#
# A class with members of two components connects these components in the drawn graphs. So components of fewer than k
# vertices are merged only with each other, similar ones first. A component of k to 2k-1 vertices is a class.


def start_classes(graph: Graph, k: int) -> Ints:
    """Return the initial class of each vertex. Sizes are k to 2k-1, unless there is a single class.

    >>> pairs = Graph.from_pairs("abcdefg", [0, 1, 2, 3, 5], [1, 2, 0, 4, 6])
    >>> start_classes(pairs, 2).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    if graph.n < 2 * k:
        return np.zeros(graph.n, dtype=np.int64)
    component, size = _find_components(graph)
    small, large = np.flatnonzero(size < k), np.flatnonzero(size >= 2 * k)
    if 0 < len(small) < k:  # too few for a class of their own
        return _grow_jaccard(graph, k)
    codes = component + len(small)  # a component of k to 2k-1 vertices is a class
    parts = len(small) // k
    if parts:
        codes[_order_by_likeness(graph, component, size, small)] = np.arange(len(small)) * parts // len(small)
    if len(large):
        codes[large] = int(codes.max()) + 1 + _grow_jaccard(_induce_subgraph(graph, large), k)
    return number_by_first_appearance(codes)


def _grow_jaccard(graph: Graph, k: int) -> Ints:
    return grow_classes(graph, k, "jaccard", np.ones(graph.n, dtype=np.bool_))


def _find_components(graph: Graph) -> tuple[Ints, Ints]:
    """Return the component of each vertex, and its number of vertices."""
    component = find_components(graph.n, *graph.edges()[:2])
    return component, np.bincount(component)[component]


def _order_by_likeness(graph: Graph, component: Ints, size: Ints, members: Ints) -> Ints:
    """Return vertices component by component; components with the same numbers of vertices and edges are adjacent."""
    ends = np.bincount(component, weights=graph.degree)[component]
    order: Ints = np.lexsort((-graph.degree[members], component[members], ends[members], size[members]))
    return members[order]


def _induce_subgraph(graph: Graph, members: Ints) -> Graph:
    """Return the subgraph induced by some vertices, renumbered."""
    rank = np.full(graph.n, -1, dtype=np.int64)
    rank[members] = np.arange(len(members))
    a, b, relation = graph.list_links()
    both = (rank[a] >= 0) & (rank[b] >= 0)
    a, b, names = rank[a[both]], rank[b[both]], Names(range(len(members)))
    if relation is None or graph.ties is None:
        return Graph.from_pairs(names, a, b)
    return link_graph(names, a, b, relation[both], None, graph.ties.relations, False, Table(len(members)))


# The search: simulated annealing on the logarithm of the number of worlds.
#
# Proposals move or exchange vertices, mostly to classes with similar rows or with neighbors. They also merge a class
# into others, or split off a new one.
#
# Classes have k to 2k-1 members; larger ones are never needed. A class of 2k or more can be split into two of k or
# more, which gives no more worlds: each of its blocks with s pairs and e edges becomes two, and C(s, e) >= C(s1, e1)
# C(s - s1, e - e1), because choosing e1 of some pairs and e - e1 of the others is one way to choose e of all. The split
# does not increase the spread of degrees inside classes either: the means of the parts fit at least as well.

LISTED = 131_072
"""Logarithms of factorials are tabulated for blocks of up to this many pairs, and computed for larger ones."""
STRANGERS, SOME = 0.003, 10.0
"""The share of proposals that pair two arbitrary vertices: STRANGERS, or SOME / n if that is more.

The share is small because a class with members of several components does not reduce the number of worlds, and it
connects the components in the drawn graphs.
"""


@dataclass(eq=False)
class WorldProblem(PartitionProblem):
    """Classes with few worlds; `weight` is the weight of different degrees inside a class."""

    hot: ClassVar[float] = 2.0
    again: ClassVar[float] = 4.0
    cold: ClassVar[float] = 0.2

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of proposals, see :mod:`shoal.optimize._kernels.partition`."""
        return 0.5, 0.5, 0.2, max(STRANGERS, SOME / self.graph.n)

    @property
    def logs(self) -> Any:
        """The logarithms of 0!, 1!, ..., up to the largest block or LISTED."""
        from scipy.special import gammaln

        return gammaln(np.arange(min((2 * self.k - 1) ** 2, LISTED) + 1) + 1.0)

    def describe(self, state: Any) -> str:
        """Return the number of worlds, rounded."""
        worlds = Generalized.of(self.graph, state.code.astype(np.int64)).log_worlds
        return f"searching classes, about exp({worlds:,.0f}) worlds"

    def cost(self, solution: Ints) -> float:
        """Return the logarithm of the number of worlds plus the weighted spread of degrees."""
        root = np.sqrt(2.0 * self.graph.degree)
        mean = np.bincount(solution, weights=root) / np.maximum(1, np.bincount(solution))
        unlike = float(np.sum((root - mean[solution]) ** 2))
        return Generalized.of(self.graph, solution).log_worlds + self.weight * unlike


def find_classes(graph: Graph, k: int, degrees: float, effort: int | float | None, seed: int) -> AnnealingResult[Ints]:
    """Return classes of k to 2k-1 vertices with few worlds. The effort is in sweeps or seconds; None is the default.

    The search uses an order of the vertices that is drawn from the seed. So an attacker who knows only the order of the
    file learns nothing from the classes. Classes are numbered by first appearance in the given graph.
    """
    rank = make_generator(seed).permutation(graph.n)
    mixed = graph.renumbered(Names(range(graph.n)), np.argsort(rank), Table(graph.n))
    start = start_classes(mixed, k)
    if k == 1 or graph.n < 2 * k or not graph.m:
        found = AnnealingResult(np.arange(graph.n) if k == 1 else start, 0)
    else:
        problem = WorldProblem(mixed, k, np.ones(graph.n, dtype=np.bool_), seed, weight=degrees)
        sweeps = choose_sweeps(graph) if effort is None else effort
        many = count_sweeps_within(sweeps, problem, start) if isinstance(sweeps, float) else sweeps
        found = problem.search(start, many)
    return AnnealingResult(number_by_first_appearance(found.solution[rank]), found.sweeps, found.stopped)
