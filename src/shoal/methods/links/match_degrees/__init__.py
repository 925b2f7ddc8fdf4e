"""k-degree anonymity: each degree occurs at least k times (Liu & Terzi 2008).

Step 1 groups the degrees so that they change as little as possible (:mod:`shoal.methods.links.match_degrees.groups`).
Step 2 edits the graph until it has these degrees (:mod:`shoal.methods.links.match_degrees.realization`). Step 2 may
need more edits than step 1 suggests. :mod:`shoal.methods.links.match_degrees.bounds` has lower bounds with proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadGraph, BadParameter, check_k, must, notice, whole
from shoal.knowledge import Adversary, Degree
from shoal.methods.base import ATTRIBUTES_STAY, Method, Proposals, WorksOn, check_choice
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.match_degrees.arcs import match_vectors
from shoal.methods.links.match_degrees.bounds import bound_edits
from shoal.methods.links.match_degrees.groups import find_greedy_groups, find_optimal_groups, sort_degrees
from shoal.methods.links.match_degrees.realization import (
    add_vertices,
    choose_targets,
    construct_graph,
    find_fewest_edits,
    realize_degrees,
)
from shoal.methods.links.match_degrees.vectors import bound_vector_edits, count_rarest_vector, list_vectors, sum_changes
from shoal.parts import option
from shoal.progress import track
from shoal.release.guarantee import Promise
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.seeds import Seed

REALIZE = {
    "add": ("supergraph", "umga"),
    "add-delete": ("priority", "greedy-swap", "simultaneous-swap", "umga"),
    "add-vertices": (),
}
"""The ways to realize degrees, for each kind of edits."""
RELATIONS = 8
"""The largest number of relations: groups of vectors with many numbers change most links."""
ALL = tuple(dict.fromkeys(name for names in REALIZE.values() for name in names))

DEGREES_ONLY = (
    "Only the number of links is hidden. An attacker who also knows a neighbor, or the numbers of links of the "
    "neighbors, may identify people."
)
NEW_VERTICES = (
    "The new vertices represent no real person. An attacker who recognizes them can restore the original graph. "
    "Each degree occurs at least k times among the original vertices, too. A new vertex has the attributes of an "
    "original one: a value that only one person had, and that now two vertices have, points to that person."
)


@dataclass(frozen=True)
class MatchDegrees(Method):
    """Change links until every degree occurs at least k times: k-degree anonymity.

    Parameters
    ----------
    k
        The number of vertices that must have each degree.
    edits
        "add" keeps every link and adds some. "add-delete" may also remove links, and needs far fewer edits.
        "add-vertices" changes no link between original vertices: it links them to new vertices instead. These
        represent no real person, are named "new vertex 1" and so on, belong to a degree class of k or more, and copy
        the attributes of randomly drawn vertices.
    degrees
        "optimal" groups the degrees by an exact dynamic program. "greedy" uses the greedy rule of Liu & Terzi.
    realize
        How to reach the target degrees. None takes the way with the fewest edits found.

        To add links: "supergraph" (Liu & Terzi) links the vertices that lack the most links; "umga" (Casas-Roma et
        al.) prefers partners of low neighborhood centrality, to preserve the structure, and takes more edits.

        To add and delete: "umga"; "simultaneous-swap" moves ends of links from vertices with too many to vertices with
        too few; "priority" builds a graph from the degrees, original links first; "greedy-swap" builds a graph from
        the degrees only, then swaps links towards the original.

        If the rule leaves some degrees unmatched, alternating walks, other vertices whose class stays large enough, or
        another round match them.
    seed
        Seed that breaks ties.

    Notes
    -----
    Where links have directions or kinds, the degree is a vector: the number of links of each kind and direction. Each
    vector then occurs at least k times. The groups come from a heuristic
    (:mod:`shoal.methods.links.match_degrees.vectors`), and `measured` has a lower bound on the edits, with its proof in
    :func:`~shoal.methods.links.match_degrees.vectors.bound_vector_edits`. There may be 8 relations at most. The
    algorithms of `degrees` and `realize`, and new vertices, are for links without directions and kinds.

    Examples
    --------
    A path of four vertices has two degrees. For k = 4 it becomes a cycle:

    >>> import networkx as nx
    >>> MatchDegrees(k=4)(nx.path_graph(4)).edits.added
    ((0, 3),)

    The center of a star has a unique degree. The method makes a second center:

    >>> release = MatchDegrees(k=2)(nx.star_graph(9))
    >>> sorted(release.data.degree.tolist()), release.measured["edits"]
    ([2, 2, 2, 2, 2, 2, 2, 2, 9, 9], 8)

    Deletions save edits:

    >>> from shoal.data.examples import karate
    >>> [MatchDegrees(5, edits)(karate()).measured["edits"] for edits in ("add", "add-delete")]
    [19, 14]

    A regular graph does not change:

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
    seed: Seed[int] = Seed(0)

    shell: ClassVar[str] = "match-degrees"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: adds (or also removes) a few, or adds vertices with links"
    protects: ClassVar[str] = "an attacker who knows the number of links of a vertex"
    promises: ClassVar[str] = "at least k candidates against degree"
    source: ClassVar[str] = "Liu & Terzi 2008"
    alone: ClassVar[tuple[str, ...]] = (DEGREES_ONLY,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "MatchDegrees", "k", least=1))
        check_choice(self.edits, tuple(REALIZE), "MatchDegrees", "edits")
        check_choice(self.degrees, ("optimal", "greedy"), "MatchDegrees", "degrees")
        if self.realize is not None:
            check_choice(self.realize, ALL, "MatchDegrees", "realize")
            self._check_options()
        must(
            self.edits != "add-vertices" or self.degrees == "optimal",
            "MatchDegrees",
            "degrees",
            "'optimal' for edits='add-vertices' (which minimizes the largest increase)",
            self.degrees,
        )

    def _check_options(self) -> None:
        """Raise an error if this way to realize degrees does not work with these edits."""
        fitting = REALIZE[self.edits]
        if self.realize in fitting:
            return
        here = f"one of {', '.join(fitting)} or None" if fitting else "None"
        meant = " or ".join(repr(edits) for edits, names in REALIZE.items() if self.realize in names)
        raise BadParameter(
            f"MatchDegrees: 'realize' must be {here} for edits={self.edits!r}. Got {self.realize!r}, "
            f"which works with edits={meant}."
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
        """Return a graph in which each degree occurs at least k times."""
        original = as_graph(data)
        check_k("MatchDegrees", self.k, original)
        must(not original.is_multigraph, "MatchDegrees", "data", "a simple graph (leave out multigraph)", original)
        if original.ties is not None:
            return self._match_vectors(original)
        if count_rarest_degree(original) >= self.k:
            return self._make_release(original, original, {"edits": 0})
        if self.edits == "add-vertices":
            return self._add_vertices(original)
        graph = self._realize(original)
        best = find_optimal_groups(sort_degrees(original.degree), self.k, down=self.edits == "add-delete").cost
        changed = np.abs(graph.degree.astype(np.int64) - original.degree)
        measured = {
            "edits": count_edits(original, graph),
            "lower bound on edits": bound_edits(original, self.k, delete=self.edits == "add-delete"),
            "least sum of degree changes": best,
            "half of the least sum": best / 2,
            "sum of degree changes": int(changed.sum()),
        }
        return self._make_release(original, graph, measured)

    def _match_vectors(self, original: Graph) -> Release:
        """Return the release of a graph whose links have directions or kinds."""
        assert original.ties is not None
        if len(original.ties.relations) > RELATIONS:
            raise BadGraph(
                f"MatchDegrees: links must have at most {RELATIONS} relations (kinds with their directions). Got "
                f"{len(original.ties.relations):,}. Merge kinds, or read the network without directions (--undirected) "
                "or without --kind."
            )
        rule = "for links with directions or kinds"
        must(self.edits != "add-vertices", "MatchDegrees", "edits", f"'add' or 'add-delete' {rule}", self.edits)
        must(self.realize is None, "MatchDegrees", "realize", f"None {rule}", self.realize)
        must(self.degrees == "optimal", "MatchDegrees", "degrees", f"'optimal' {rule}", self.degrees)
        before = list_vectors(original)
        if count_rarest_vector(before) >= self.k:
            return self._make_release(original, original, {"edits": 0})
        delete = self.edits == "add-delete"
        graph = match_vectors(original, self.k, delete=delete, seed=self.seed)
        measured = {
            "edits": count_edits(original, graph),
            "lower bound on edits": bound_vector_edits(original, self.k, delete=delete),
            "sum of degree changes": sum_changes(original, graph),
        }
        return self._make_release(original, graph, measured)

    def _realize(self, original: Graph) -> Graph:
        """Return the graph with the target degrees, realized as requested."""
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
        notice(f"MatchDegrees: {many:,} {'vertex was' if many == 1 else 'vertices were'} added. {NEW_VERTICES}")
        measured = {
            "edits": graph.m - original.m,
            "vertices added": many,
            "largest degree increase": int((targets.moved - targets.degrees).max()),
            "least sum of degree changes": targets.cost,
        }
        return self._make_release(original, graph, measured)

    def _make_release(self, original: Graph, graph: Graph, measured: dict[str, Any]) -> Release:
        if self.keeps_vertices and measured["edits"] > original.m:
            notice(
                f"MatchDegrees: {measured['edits']:,} links changed; the original has {original.m:,}. "
                f"A k below {self.k} changes fewer."
            )
        told = {
            DEGREES_ONLY: True,
            NEW_VERTICES: graph.n > original.n,
            ATTRIBUTES_STAY: len(original.attributes),
            UNCHANGED: graph is original,
        }
        notes = tuple(note for note, applies in told.items() if applies)
        promise = (Promise(Degree(), self.k),)
        return verify_release(Release(original, graph, promise, self, seed=self.seed, measured=measured, notes=notes))


def count_rarest_degree(graph: Graph) -> int:
    """Return the number of vertices with the rarest degree."""
    often = np.bincount(graph.degree)
    return int(often[often > 0].min())
