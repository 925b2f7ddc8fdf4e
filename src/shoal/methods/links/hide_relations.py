"""(k,l)-anonymity by Definition I: l known links or missing links leave k candidates (Stokes & Torra 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.data.graph import Graph
from shoal.errors import CannotPromise, must
from shoal.knowledge import Adversary, Neighbors, Relations
from shoal.methods.base import Proposals, WorksOn, count_known_facts, effort_option
from shoal.methods.links.hide_neighbors.lines import Lines
from shoal.methods.links.hide_neighbors.search import HidingMethod
from shoal.parts import option
from shoal.release.guarantee import Promise
from shoal.release.release import Release
from shoal.seeds import Seed


@dataclass(frozen=True)
class HideRelations(HidingMethod):
    """Change links until l known links or missing links leave k candidates: (k,l)-anonymity by Definition I.

    For l = 1, each vertex must be linked to 0 or at least k vertices, and not linked to 0 or at least k vertices. That
    is more than :class:`HideNeighbors` requires. On a sparse graph with l > 1 it is nearly as much as equal rows
    (:class:`EqualizeRows`, which hides any number of entries). The search is that of :class:`HideNeighbors`.

    Where links have a direction or a kind, a known entry says whether a link of one kind and direction is there. For
    l = 1 the numbers of such links at each vertex, and of those that are missing, must be 0 or at least k.

    Parameters
    ----------
    k
        The number of candidates that must be left.
    l
        The number of known entries of a row.
    located
        Whether the attacker knows the positions of the known vertices in the release, so that these are no candidates.
        Equal rows in classes of k do not protect against this attacker; classes of k + l do.
    add_only
        Keep all edges of the original. Then l neighbors known from the original also leave k candidates.
    effort
        How long to search: sweeps from each start (a sweep proposes one change per vertex), or seconds in total, such
        as 60.0 or "60s". None chooses by the size of the graph. `release.measured` has the sweeps done.
    seed
        Seed that breaks ties and drives the search.

    Examples
    --------
    In a complete graph each vertex lacks only the link to itself. Removing a perfect matching leaves two candidates:

    >>> import networkx as nx
    >>> len(HideRelations(k=2)(nx.complete_graph(6)).edits.removed)
    3

    With additions only it is impossible:

    >>> HideRelations(k=2, add_only=True)(nx.complete_graph(6))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: HideRelations: with additions only, no vertex may have more than n - k = 4 links, ...

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    l: int = 1
    located: bool = option(False, "The attacker locates the known vertices; they are no candidates.")
    add_only: bool = option(False, "Keep all links of the original.")
    effort: int | float | str | None = effort_option()
    seed: Seed[int] = Seed(0)

    shell: ClassVar[str] = "hide-relations"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: adds and removes some"
    protects: ClassVar[str] = "an attacker who knows l links or missing links of a vertex"
    promises: ClassVar[str] = "at least k candidates against relations:l (located: against located-relations:l)"
    source: ClassVar[str] = "Stokes & Torra 2012, Definition I"

    def __post_init__(self) -> None:
        super().__post_init__()
        must(isinstance(self.located, bool), "HideRelations", "located", "True or False", self.located)

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return as many relations as are known; a known neighbor is a relation."""
        known = [part for part in wanted.parts if isinstance(part, Relations)]
        near = [part.exact_facts for part in wanted.parts if isinstance(part, Neighbors)]
        return [
            *(({"l": l}, Relations(l)) for l in near),
            *(({"l": part.l, "located": part.located}, part) for part in known),
        ]

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
        """Raise an error if no graph with these vertices can keep the guarantee."""
        n, k, others = graph.n, self.k, min(self.l, graph.n - 1)
        if self.located and n - others < k:
            raise CannotPromise(
                f"HideRelations: {others} located vertices are no candidates, which leaves {n - others} of {n:,}. "
                f"Got k = {k}. Lower k or l."
            )
        if not self.add_only or self.located or not graph.m:
            return
        lines, most = Lines.of(graph), n - k
        top = int(lines.degree.argmax())
        if lines.degree[top] > most:
            links = "links" if graph.ties is None else "links of one kind and direction"
            raise CannotPromise(
                f"HideRelations: with additions only, no vertex may have more than n - k = {most:,} {links}, because k "
                f"vertices must lack the link to it. Got {graph.names[top // lines.many]!r} with "
                f"{lines.degree[top]:,}. "
                "Leave out add_only (--add-only), or lower k."
            )
        if 2 * k > n:
            raise CannotPromise(
                f"HideRelations: with additions only, some vertex needs k = {k} links and {k} missing links. Got {n:,} "
                "vertices. Leave out add_only (--add-only), or lower k."
            )
