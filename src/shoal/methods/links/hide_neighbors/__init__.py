"""Hiding from whoever knows l neighbors of a vertex: (k,l)-anonymity by Definition II, with few edits.

For l = 1 every degree becomes 0 or at least k. For more, any two (or three, ...) vertices that have a common neighbor
must have k of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.knowledge import Adversary, Neighbors, Relations
from shoal.methods.base import Proposals, WorksOn, count_known_facts, effort_option
from shoal.methods.links.hide_neighbors.degrees import repair_degrees
from shoal.methods.links.hide_neighbors.search import HidingMethod
from shoal.parts import option
from shoal.release.guarantee import Promise
from shoal.release.release import Release


@dataclass(frozen=True)
class HideNeighbors(HidingMethod):
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
    >>> release.edits.added, release.edits.removed
    (((0, 5),), ())

    Two vertices can only be taken apart, for a third neighbor is not there:

    >>> HideNeighbors(k=2, add_only=True)(nx.path_graph(2))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: HideNeighbors: with additions only, somebody's neighbor needs k = 2 neighbors, ...

    In a cube two corners of a side have two common neighbors, and nobody needs more:

    >>> HideNeighbors(k=2, l=2)(nx.hypercube_graph(3)).edits.ratio
    0.0

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    l: int = 1
    add_only: bool = option(False, "Keep all links of the original.")
    effort: int | float | str | None = effort_option()
    seed: int = 0

    shell: ClassVar[str] = "hide-neighbors"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "the links: few more or less for one known neighbor, many for two or three"
    protects: ClassVar[str] = "from whoever knows l neighbors of a vertex"
    promises: ClassVar[str] = "neighbors:l leaves k"
    source: ClassVar[str] = "Stokes & Torra 2012, Definition II"

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return as many neighbors as are known."""
        return [({"l": part.l}, Neighbors(part.l)) for part in wanted.parts if isinstance(part, Neighbors)]

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return as many neighbors as are known, or 1."""
        return [{"l": count_known_facts(wanted, Neighbors, Relations) or 1}]

    def __call__(self, data: Any) -> Release:
        """Return a graph in which l known neighbors leave k candidates."""
        original, knows = self.check_data(data), Neighbors(self.l)
        told: dict[str, Any] = {}
        if self.l == 1:
            graph = repair_degrees(original, self.k, self.add_only, self.seed, "HideNeighbors")
        else:
            graph, told = self.find_graph(original, knows, "neighbors")
        from_original = (Promise(knows, self.k, source="original"),) if self.add_only else ()
        return self.make_release(original, graph, (Promise(knows, self.k), *from_original), told)
