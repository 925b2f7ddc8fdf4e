"""k-degree anonymity: each degree occurs at least k times (Liu & Terzi 2008).

First the degrees are grouped so that little has to change (:mod:`shoal.methods.links.match_degrees.groups`), then a
graph is made that has them (:mod:`shoal.methods.links.match_degrees.realization`). The second step may need more edits
than the first one promised; what is proved about the fewest is in :mod:`shoal.methods.links.match_degrees.bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.data.convert import as_graph
from shoal.data.dataset import check_k
from shoal.data.graph import Graph
from shoal.errors import BadParameter, must, notice, whole
from shoal.knowledge import Adversary, Degree
from shoal.methods.base import ATTRIBUTES_STAY, Method, Proposals, WorksOn, check_choice
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.match_degrees.bounds import bound_edits
from shoal.methods.links.match_degrees.groups import find_greedy_groups, find_optimal_groups, sort_degrees
from shoal.methods.links.match_degrees.realization import (
    add_vertices,
    choose_targets,
    construct_graph,
    find_fewest_edits,
    realize_degrees,
)
from shoal.parts import option
from shoal.progress import track
from shoal.release.guarantee import Promise
from shoal.release.release import Release
from shoal.release.verify import verify_release

REALIZE = {
    "add": ("supergraph", "umga"),
    "add-delete": ("priority", "greedy-swap", "simultaneous-swap", "umga"),
    "add-vertices": (),
}
"""How the degrees can be realized, by what may be changed."""
ALL = tuple(dict.fromkeys(name for names in REALIZE.values() for name in names))

DEGREES_ONLY = (
    "Only the number of links is hidden. Whoever also knows a neighbor, or how many links the neighbors have, may tell "
    "people apart."
)
NOBODY = (
    "The new vertices stand for nobody, and whoever tells them from the others has the original again. "
    "The vertices of the original alone are k of each degree, too. New ones carry attributes of others: a value that "
    "only one person had, and now two, points at them."
)


@dataclass(frozen=True)
class MatchDegrees(Method):
    """Change links until every degree is had by k vertices or more: k-degree anonymity.

    Parameters
    ----------
    k
        How many vertices must have each degree.
    edits
        "add" keeps every link and adds some. "add-delete" may also take links away, and needs far fewer edits.
        "add-vertices" changes no link between original vertices: new vertices, who stand for nobody, take the links
        that are lacking. They are called "new vertex 1" and so on, are in a degree class of k like everybody, and have
        the attributes of vertices that were drawn.
    degrees
        "optimal" groups the degrees by an exact dynamic program; "greedy" by the rule of Liu & Terzi.
    realize
        None takes the fewest edits known. Links are added by "supergraph" (Liu & Terzi: whoever lacks most is linked to
        who lacks most) or "umga" (Casas-Roma et al.: partners of little neighborhood centrality first, which is meant
        to spare the structure and takes more edits). With deletions: "umga"; "simultaneous-swap" (ends of links move
        from who has too many to who lacks some); "priority" (the graph is built anew from the degrees, the original's
        links first); "greedy-swap" (it is built ignoring them, then swapped towards the original). Whatever is chosen,
        what no rule serves is served by alternating walks, by others whose class can spare them, or in another round.
    seed
        What decides between equally good choices.

    Examples
    --------
    A path of four has two ends and two others. For k = 4 it closes:

    >>> import networkx as nx
    >>> MatchDegrees(k=4)(nx.path_graph(4)).edits.added
    ((0, 3),)

    The center of a star is lonely, until there is another one:

    >>> release = MatchDegrees(k=2)(nx.star_graph(9))
    >>> sorted(release.data.degree.tolist()), release.measured["edits"]
    ([2, 2, 2, 2, 2, 2, 2, 2, 9, 9], 8)

    Links that may go save others:

    >>> from shoal.data.examples import karate
    >>> [MatchDegrees(5, edits)(karate()).measured["edits"] for edits in ("add", "add-delete")]
    [19, 14]

    Where everybody has the same degree nothing changes:

    >>> MatchDegrees(k=8)(nx.hypercube_graph(3)).edits.ratio
    0.0

    References
    ----------
    K. Liu, E. Terzi: Towards identity anonymization on graphs. SIGMOD 2008.
    J. Casas-Roma, J. Herrera-Joancomarti, V. Torra: k-degree anonymity and edge selection. KAIS 2017.
    S. Chester, B. Kapron, G. Ramesh, G. Srivastava, A. Thomo, S. Venkatesh: k-anonymization of social networks by
    vertex addition. ADBIS 2011.
    """

    k: int
    edits: Literal["add", "add-delete", "add-vertices"] = option("add", "Edits that are allowed.")
    degrees: Literal["optimal", "greedy"] = "optimal"
    realize: str | None = option(
        None, "An algorithm of the literature instead of the fewest edits.", metavar="supergraph|umga|..."
    )
    seed: int = 0

    shell: ClassVar[str] = "match-degrees"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "the links: few more (or less), or links to new vertices"
    protects: ClassVar[str] = "from whoever knows how many links a vertex has"
    promises: ClassVar[str] = "degree leaves k"
    source: ClassVar[str] = "Liu & Terzi 2008"
    alone: ClassVar[tuple[str, ...]] = (DEGREES_ONLY,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "MatchDegrees", "k", least=1))
        object.__setattr__(self, "seed", whole(self.seed, "MatchDegrees", "seed", least=0, most=None))
        check_choice(self.edits, tuple(REALIZE), "MatchDegrees", "edits")
        check_choice(self.degrees, ("optimal", "greedy"), "MatchDegrees", "degrees")
        if self.realize is not None:
            check_choice(self.realize, ALL, "MatchDegrees", "realize")
            self._check_options()
        must(
            self.edits != "add-vertices" or self.degrees == "optimal",
            "MatchDegrees",
            "degrees",
            "'optimal' where vertices are added (they take the least largest raise)",
            self.degrees,
        )

    def _check_options(self) -> None:
        """Refuse ways to realize degrees that are not meant for these edits."""
        fitting = REALIZE[self.edits]
        if self.realize in fitting:
            return
        here = f"one of {', '.join(fitting)} or None" if fitting else "None"
        meant = " or ".join(repr(edits) for edits, names in REALIZE.items() if self.realize in names)
        raise BadParameter(
            f"MatchDegrees: 'realize' must be {here} for edits={self.edits!r}. Got {self.realize!r}, "
            f"which is meant for edits={meant}."
        )

    @property
    def keeps_vertices(self) -> bool:
        """Whether no vertices are added."""
        return self.edits != "add-vertices"

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return both kinds of edits, the one with fewer edits first."""
        return [({"edits": edits}, Degree()) for edits in ("add-delete", "add")]

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return both kinds of edits."""
        return [{"edits": "add"}, {"edits": "add-delete"}]

    def __call__(self, data: Any) -> Release:
        """Return a graph in which each degree is had by k vertices or more."""
        original = as_graph(data)
        check_k("MatchDegrees", self.k, original)
        must(original.multiplicity is None, "MatchDegrees", "data", "a simple graph (leave out multigraph)", original)
        if count_rarest_degree(original) >= self.k:
            return self._make_release(original, original, {"edits": 0})
        if self.edits == "add-vertices":
            return self._add_vertices(original)
        graph = self._realize(original)
        best = find_optimal_groups(sort_degrees(original.degree), self.k, down=self.edits == "add-delete").cost
        changed = np.abs(graph.degree.astype(np.int64) - original.degree)
        measured = {
            "edits": count_edits(original, graph),
            "edits at least": bound_edits(original, self.k, delete=self.edits == "add-delete"),
            "L1 of the optimal degrees": best,
            "half of that": best / 2,
            "L1 of the realized degrees": int(changed.sum()),
        }
        if measured["edits"] > original.m:
            notice(
                f"MatchDegrees: {measured['edits']:,} links changed, of {original.m:,} that there were. "
                f"A smaller k than {self.k} changes fewer."
            )
        return self._make_release(original, graph, measured)

    def _realize(self, original: Graph) -> Graph:
        """Return the graph with the degrees realized as was asked for."""
        delete, how = self.edits == "add-delete", {"k": self.k, "seed": self.seed}
        track("matching degrees, grouping", 0, 0)
        if self.realize is None and self.degrees == "optimal":
            return find_fewest_edits(original, delete=delete, **how).make_graph(original)
        d = sort_degrees(original.degree)
        targets = (
            find_greedy_groups(d, self.k, down=delete)
            if self.degrees == "greedy"
            else choose_targets(d, self.k, delete=delete)
        )
        track("matching degrees, linking", 0, 0)
        if self.realize in ("priority", "greedy-swap"):
            edits = construct_graph(original, targets=targets, priority=self.realize == "priority", **how)
        else:
            edits = realize_degrees(original, targets=targets, realize=self.realize, delete=delete, **how)
        return edits.make_graph(original)

    def _add_vertices(self, original: Graph) -> Release:
        graph, targets = add_vertices(original, self.k, self.seed)
        many = graph.n - original.n
        notice(f"MatchDegrees: {many:,} {'vertex was' if many == 1 else 'vertices were'} added. {NOBODY}")
        measured = {
            "edits": graph.m - original.m,
            "vertices added": many,
            "largest raise": int((targets.moved - targets.degrees).max()),
            "L1 of the optimal degrees": targets.cost,
        }
        return self._make_release(original, graph, measured)

    def _make_release(self, original: Graph, graph: Graph, measured: dict[str, Any]) -> Release:
        told = {
            DEGREES_ONLY: True,
            NOBODY: graph.n > original.n,
            ATTRIBUTES_STAY: len(original.attributes),
            UNCHANGED: graph is original,
        }
        notes = tuple(note for note, applies in told.items() if applies)
        promise = (Promise(Degree(), self.k),)
        return verify_release(Release(original, graph, promise, self, seed=self.seed, measured=measured, notes=notes))


def count_rarest_degree(graph: Graph) -> int:
    """Return how many vertices have the rarest degree."""
    often = np.bincount(graph.degree)
    return int(often[often > 0].min())
