"""(k,l)-anonymity by Definition II, with few edits: l known neighbors leave k candidates (Stokes & Torra 2012).

For l = 1 every degree becomes 0 or at least k. For larger l, any l vertices that have a common neighbor must have k of
them.
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
from shoal.seeds import Seed


@dataclass(frozen=True)
class HideNeighbors(HidingMethod):
    """Change links until l known neighbors of a vertex leave k candidates: (k,l)-anonymity by Definition II.

    For l = 1 this takes few edits, close to the lower bound (`release.measured["lower bound on edits"]`). For l = 2 or
    3 it takes many more. The search has several starts: classes with equal rows, closed classes, and removal of the
    links that expose vertices. From each start it walks towards the original through graphs that all keep the
    guarantee. `release.measured` lists the edits from each start. For l >= 4, or more than 50,000 vertices, only
    classes are tried.

    Where links have a direction or a kind, a known neighbor is a known link with both. For l = 1 every vertex then has
    0 or at least k links of each kind and direction. The lower bound is proved for them, too. Multiplicities are
    refused.

    Parameters
    ----------
    k
        The number of candidates that must be left.
    l
        The number of known neighbors.
    add_only
        Keep all edges of the original. Then the guarantee also holds for neighbors known from the original, but not for
        degrees or missing links known from the original.
    effort
        How long to search if l > 1: sweeps from each start (a sweep proposes one change per vertex), or seconds in
        total, such as 60.0 or "60s". None chooses by the size of the graph. `release.measured` has the sweeps done.
    seed
        Seed that breaks ties and drives the search.

    Examples
    --------
    A path becomes a cycle, in which every vertex has two neighbors:

    >>> import networkx as nx
    >>> release = HideNeighbors(k=2)(nx.path_graph(6))
    >>> release.edits.added, release.edits.removed
    (((0, 5),), ())

    With two vertices and additions only it is impossible:

    >>> HideNeighbors(k=2, add_only=True)(nx.path_graph(2))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: HideNeighbors: with additions only, every linked vertex needs k = 2 neighbors, ...

    In a cube, two opposite corners of a side have two common neighbors, so nothing changes:

    >>> HideNeighbors(k=2, l=2)(nx.hypercube_graph(3)).edits.ratio
    0.0

    Two people write to two others, but one mail is missing. With it, each sender has two receivers, and each receiver
    two senders:

    >>> mails = nx.DiGraph([("a", "x"), ("a", "y"), ("b", "x")])
    >>> release = HideNeighbors(k=2)(mails)
    >>> release.data.to_networkx().has_edge("b", "y"), release.measured["edits"]
    (True, 1)

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    l: int = 1
    add_only: bool = option(False, "Keep all links of the original.")
    effort: int | float | str | None = effort_option()
    seed: Seed[int] = Seed(0)

    shell: ClassVar[str] = "hide-neighbors"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: adds or removes few for l = 1, many for l = 2 or 3"
    protects: ClassVar[str] = "an attacker who knows l neighbors of a vertex"
    promises: ClassVar[str] = "at least k candidates against neighbors:l"
    source: ClassVar[str] = "Stokes & Torra 2012, Definition II"

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return as many neighbors as are known, less those that may be wrong."""
        known = [part.exact_facts for part in wanted.parts if isinstance(part, Neighbors)]
        return [({"l": l}, Neighbors(l)) for l in known]

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
