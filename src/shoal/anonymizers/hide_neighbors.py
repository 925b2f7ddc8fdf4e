"""Hiding from whoever knows l neighbors of a vertex: (k,l)-anonymity by Definition II, with few edits.

For l = 1 every degree becomes 0 or at least k. For more, any two (or three, ...) vertices that have a common neighbor
must have k of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.adversaries import KnowsSomeNeighbors
from shoal.anonymizers.degrees import edits, fewest_edits, repaired
from shoal.anonymizers.effort import STOPPED, amount
from shoal.anonymizers.known_sets import Aim, Search
from shoal.anonymizers.method import ATTRIBUTES_STAY, Method
from shoal.data.convert import as_graph
from shoal.data.graph import Graph
from shoal.data.release import Promise, Release
from shoal.errors import must, notice, whole
from shoal.risk.assess import assess
from shoal.risk.promises import verified
from shoal.risk.sizes import checked_k


@dataclass(frozen=True)
class HideNeighbors(Method):
    """Leave k candidates to whoever knows l neighbors of a vertex: (k,l)-anonymity by Definition II.

    One known neighbor is hidden by a few links more or less, near the fewest there can be
    (`release.measured["edits at least"]`). Two or three take many more. Whole classes with equal rows, closed classes,
    and removing the links that betray somebody are each where a search starts; it goes from graph to graph, all of
    which keep the promise, towards the original. `release.measured` tells what each start came to. From l = 4 on, and
    above 50,000 vertices, only classes are tried.

    Parameters
    ----------
    k
        How many candidates must be left.
    l
        How many neighbors are known.
    add_only
        Keep all edges of the original. Then the promise also holds for neighbors known from the original (not for
        degrees known from there, nor for missing links).
    effort
        How long to search for l > 1: sweeps from each start (a sweep proposes one change per vertex), or seconds in
        all, as 60.0 or "60s". None chooses by the size of the graph. The sweeps done are in `release.measured`.
    seed
        What decides between edits that are equally good.

    Examples
    --------
    A path closes to a ring, in which everybody has two neighbors:

    >>> import networkx as nx
    >>> release = HideNeighbors(k=2)(nx.path_graph(6))
    >>> release.added, release.removed
    (((0, 5),), ())

    Two vertices can only be taken apart, for a third neighbor is not there:

    >>> HideNeighbors(k=2, add_only=True)(nx.path_graph(2))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: HideNeighbors: with additions only, somebody's neighbor needs k = 2 neighbors, ...

    In a cube two corners of a side have two common neighbors, and nobody needs more:

    >>> HideNeighbors(k=2, l=2)(nx.hypercube_graph(3)).edit_ratio
    0.0

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    l: int = 1
    add_only: bool = False
    effort: int | float | str | None = None
    seed: int = 0

    shell: ClassVar[str] = "hide-neighbors"
    changes: ClassVar[str] = "the links: few more or less for one known neighbor, many for two or three"
    protects: ClassVar[str] = "from whoever knows l neighbors of a vertex"
    source: ClassVar[str] = "Stokes & Torra 2012, Definition II"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "HideNeighbors", "k", least=1))
        object.__setattr__(self, "l", whole(self.l, "HideNeighbors", "l", least=1))
        object.__setattr__(self, "seed", whole(self.seed, "HideNeighbors", "seed", least=0))
        must(isinstance(self.add_only, bool), "HideNeighbors", "add_only", "True or False", self.add_only)
        amount(self.effort, "HideNeighbors")

    def __call__(self, data: Any) -> Release:
        """Return a graph in which l known neighbors leave k candidates."""
        original = as_graph(data)
        checked_k("HideNeighbors", self.k, original)
        must(original.multiplicity is None, "HideNeighbors", "data", "a simple graph", original)
        knows = KnowsSomeNeighbors(self.l)
        told: dict[str, Any] = {}
        if self.l == 1:
            graph = repaired(original, self.k, self.add_only, self.seed, "HideNeighbors")
        else:
            graph, told = found(original, knows, Aim(self.k, self.l, "neighbors", self.add_only, "HideNeighbors"), self)
        from_original = (Promise(knows, self.k, source="original"),) if self.add_only else ()
        return released(original, graph, (Promise(knows, self.k), *from_original), self, told)


def found(original: Graph, knows: Any, aim: Aim, method: Any) -> tuple[Graph, dict[str, Any]]:
    """Return the graph with the fewest edits that was found, and what may be told of the search."""
    if assess(original, knows).k >= aim.k:
        return original, {}
    search = Search(original, aim, method.effort, method.seed)
    graph = search.run()
    tried = {f"edits from {name}": many for name, many in search.tried.items()}
    stopped = {"stopped early": True} if search.stopped else {}
    return graph, {"chosen": search.by, **tried, "sweeps": search.sweeps, **stopped}


def released(original: Graph, graph: Graph, promise: tuple[Promise, ...], method: Any, told: dict[str, Any]) -> Release:
    """Return the verified release; say where few links are left."""
    if 2 * graph.m < original.m:
        notice(f"{type(method).__name__}: {graph.m:,} of {original.m:,} edges are left.")
    measured = {
        "edits": edits(original, graph),
        "edits at least": fewest_edits(original, method.k, method.add_only),
        "vertices isolated": int(((original.degree > 0) & (graph.degree == 0)).sum()),
        **told,
    }
    notes = (*([ATTRIBUTES_STAY] if len(original.attributes) else []), *([STOPPED] if "stopped early" in told else []))
    return verified(Release(original, graph, promise, method, seed=method.seed, measured=measured, notes=notes))
