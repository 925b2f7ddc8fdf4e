"""Generalization of a graph to the numbers of edges inside and between classes (Hay et al. 2008).

Many graphs have the same numbers: the worlds. The fewer they are, the more is told about the original, and whatever
is told is the same for all members of a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, cast

from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.dataset import check_k
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph
from shoal.errors import must, notice, whole
from shoal.methods.base import ATTRIBUTES_STAY, Method, WorksOn, parse_effort
from shoal.methods.classes import CLASS_SIZES
from shoal.methods.links.generalize.search import find_classes
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.optimize.annealing import STOPPED, AnnealingResult, draw_seed
from shoal.release.drawn import DrawnRelease
from shoal.release.guarantee import ExchangeabilityPromise, Reason
from shoal.release.verify import verify_release

WORLDS, CERTAIN = "log of the number of worlds", "edges told for certain"


@dataclass(frozen=True)
class Generalize(Method):
    """Tell only how many edges are inside and between classes of at least k vertices, and draw a graph from that.

    The classes are those, as far as simulated annealing finds them, that leave the fewest worlds: graphs with the same
    numbers, Π C(pairs of a block, its edges) of them. `release.generalized` holds the numbers; `release.data` is a
    world drawn from them, each as likely as another; `release.sample(seed)` draws others, and `release.estimates(30)`
    tells what they are like beside the original. All links are drawn anew, so that none was added or removed.

    The promise is exchangeability inside classes, not equal rows: taking all worlds as equally likely, whatever is
    asked about the links of a vertex has the k or more members of its class as equally likely answers. It does not
    cover single links: a block with all its edges, or none, tells them for certain.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of vertices. Classes have k to 2k-1 members.
    degrees
        How much unlike degrees inside a class count beside the worlds, so that the degrees drawn are like those of the
        original: 1 counts them as what they would add to the logarithm as Poisson numbers, 0 is the objective of Hay
        et al.
    effort
        How long to search: a whole number of sweeps (each proposes one change per vertex), or seconds, as 60.0 or
        "60s". 0 does not search. None chooses the sweeps by the size of the graph. Ctrl-C ends the search early and
        the best classes so far are used; a second one ends everything.
    seed
        What the search and the published graph are drawn from: a secret, since whoever knows it, the classes and the
        order of the original sees who sits where. None draws one that nobody can guess.

    Examples
    --------
    A ring of six, in classes of three: nine edges are possible between two classes, three inside each.

    >>> import networkx as nx, shoal
    >>> release = shoal.methods.Generalize(k=3, seed=7)(nx.cycle_graph(6))
    >>> release.generalized
    Generalized(2 classes of 3; 6 vertices, 6 edges)
    >>> release.data.m, release.sample(seed=1).m, release.edits
    (6, 6, None)

    A square is one of its kind, and comes back:

    >>> release = shoal.methods.Generalize(k=2, seed=7)(nx.cycle_graph(4))
    >>> release.generalized.log_worlds, release.data == release.original
    (0.0, True)

    References
    ----------
    M. Hay, G. Miklau, D. Jensen, D. Towsley, P. Weis: Resisting structural re-identification in anonymized social
    networks. PVLDB 2008.
    """

    k: int
    degrees: float = 0.5
    effort: int | float | str | None = None
    seed: int | None = None

    shell: ClassVar[str] = "generalize"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "the links: all are drawn anew, as many inside and between classes as there were"
    protects: ClassVar[str] = "from whoever knows the links around a vertex, all worlds taken as equally likely"
    promises: ClassVar[str] = "exchangeability inside classes of k"
    source: ClassVar[str] = "Hay, Miklau, Jensen, Towsley & Weis 2008"
    redraws: ClassVar[bool] = True
    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        WORLDS: "classes",  # it follows from the numbers of edges inside and between classes
        CERTAIN: "classes",  # the same
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "Generalize", "k", least=1))
        weight: Any = self.degrees
        fits = type(weight) is not bool and isinstance(weight, int | float) and 0 <= weight < inf
        must(fits, "Generalize", "degrees", "a number of 0 or more", weight)
        parse_effort(self.effort, "Generalize")
        if self.seed is not None:
            object.__setattr__(self, "seed", whole(self.seed, "Generalize", "seed", least=0, most=None))

    def __call__(self, data: Any) -> DrawnRelease:
        """Return the numbers of edges inside and between classes, and a graph drawn from them."""
        original = as_graph(data)
        check_k("Generalize", self.k, original)
        must(original.multiplicity is None, "Generalize", "data", "a simple graph (leave out multigraph)", original)
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
            notice(f"Generalize: stopped after {found.sweeps:,} sweeps; the best classes so far are used.")
        return found


def _measure_classes(generalized: Generalized, found: AnnealingResult[Ints]) -> dict[str, Any]:
    """Return what is told about the classes: but for the sweeps, it follows from the numbers of edges alone."""
    told = {
        "classes": len(generalized.sizes),
        "smallest class": generalized.k,
        "largest class": int(generalized.sizes.max()),
        WORLDS: generalized.log_worlds,
        CERTAIN: generalized.certain,
        "sweeps": found.sweeps,
    }
    return told | ({"stopped early": True} if found.stopped else {})
