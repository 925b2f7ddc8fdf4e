"""Hiding from whoever knows l entries of a row, links or missing links: (k,l)-anonymity by Definition I."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.data.graph import Graph
from shoal.errors import CannotPromise, must
from shoal.knowledge import Adversary, Neighbors, Relations
from shoal.methods.base import Proposals, WorksOn, count_known_facts, effort_option
from shoal.methods.links.hide_neighbors.search import HidingMethod
from shoal.parts import option
from shoal.release.guarantee import Promise
from shoal.release.release import Release


@dataclass(frozen=True)
class HideRelations(HidingMethod):
    """Leave k candidates to whoever knows l links or missing links of a vertex: (k,l)-anonymity by Definition I.

    For each known vertex, as many as k must have the link and as many as k must lack it, or nobody. That is more than
    :class:`HideNeighbors` asks for, and on a sparse graph with l > 1 it is nearly as much as equal rows
    (:class:`EqualizeRows`, which hides every number of entries). The search is the same as there.

    Parameters
    ----------
    k
        How many candidates must be left.
    l
        How many entries of a row are known.
    located
        Whether the attacker knows where the known vertices are in the release, so that they are no candidates. Equal
        rows alone do not hide from that; classes of k + l do.
    add_only
        Keep all edges of the original. Then l neighbors known from the original leave k candidates too.
    effort
        How long to search: sweeps from each start (a sweep proposes one change per vertex), or seconds in all, as 60.0
        or "60s". None chooses by the size of the graph. The sweeps done are in `release.measured`.
    seed
        What decides between edits that are equally good.

    Examples
    --------
    In a complete graph everybody lacks only the link to himself. Without a perfect matching two do:

    >>> import networkx as nx
    >>> len(HideRelations(k=2)(nx.complete_graph(6)).edits.removed)
    3

    Additions only make it worse:

    >>> HideRelations(k=2, add_only=True)(nx.complete_graph(6))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: HideRelations: with additions only, nobody may have more than n - k = 4 links: ...

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    l: int = 1
    located: bool = option(False, "The attacker locates the known vertices; they are no candidates.")
    add_only: bool = option(False, "Keep all links of the original.")
    effort: int | float | str | None = effort_option()
    seed: int = 0

    shell: ClassVar[str] = "hide-relations"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "the links"
    protects: ClassVar[str] = "from whoever knows l links or missing links of a vertex"
    promises: ClassVar[str] = "relations:l leaves k (located: located-relations:l does)"
    source: ClassVar[str] = "Stokes & Torra 2012, Definition I"

    def __post_init__(self) -> None:
        super().__post_init__()
        must(isinstance(self.located, bool), "HideRelations", "located", "True or False", self.located)

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return as many relations as are known; a known neighbor is a relation."""
        known = [part for part in wanted.parts if isinstance(part, Relations)]
        near = [({"l": part.l}, Relations(part.l)) for part in wanted.parts if isinstance(part, Neighbors)]
        return [*near, *(({"l": part.l, "located": part.located}, part) for part in known)]

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return as many relations as are known, or 1."""
        return [{"l": count_known_facts(wanted, Neighbors, Relations) or 1}]

    def __call__(self, data: Any) -> Release:
        """Return a graph in which l known entries of a row leave k candidates."""
        original = self.check_data(data)
        self._refuse(original)
        knows = Relations(self.l, located=self.located)
        graph, told = self.find_graph(original, knows, "located-relations" if self.located else "relations")
        from_original = (Promise(Neighbors(self.l), self.k, source="original"),) if self.add_only else ()
        return self.make_release(original, graph, (Promise(knows, self.k), *from_original), told)

    def _refuse(self, graph: Graph) -> None:
        """Refuse what no graph over these vertices can be."""
        n, k, others = graph.n, self.k, min(self.l, graph.n - 1)
        if self.located and n - others < k:
            raise CannotPromise(
                f"HideRelations: {others} located vertices are no candidates, which leaves {n - others} of {n:,}. "
                f"Got k = {k}. Take a smaller k or l."
            )
        if not self.add_only or self.located or not graph.m:
            return
        most, top = n - k, int(graph.degree.argmax())
        if graph.degree[top] > most:
            raise CannotPromise(
                f"HideRelations: with additions only, nobody may have more than n - k = {most:,} links: k must lack "
                f"the link to each. Got {graph.names[top]!r} with {graph.degree[top]:,}. "
                "Leave add_only out (--add-only), or lower k."
            )
        if 2 * k > n:
            raise CannotPromise(
                f"HideRelations: with additions only, somebody needs k = {k} links and {k} missing ones. Got {n:,} "
                "vertices. Leave add_only out (--add-only), or lower k."
            )
