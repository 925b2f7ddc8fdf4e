"""Shared neighbors: the (k,l)-anonymity of Feder, Nabar & Terzi (2008), reached by adding links.

Stokes & Torra (2012) show that this notion protects less than it seems: each candidate may share different neighbors.
An attacker who knows which neighbors these are may still identify the vertex. The method is included for comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import check_k, must, notice, whole
from shoal.knowledge import Adversary, SharedNeighbors
from shoal.methods.base import ATTRIBUTES_STAY, Method, Proposals, WorksOn, check_choice, count_known_facts
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.share_neighbors.adding import Sharing, bound_links, find_links, refuse_impossible
from shoal.methods.links.share_neighbors.adding_ties import add_tied_links
from shoal.parts import option
from shoal.release.guarantee import Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.seeds import Seed

VARIANTS = ("weak", "strong")
FEDER = "k of Feder, Nabar & Terzi"
OTHER_NEIGHBORS = (
    "The guarantee is about the number of shared neighbors, not about which ones: each candidate may share different "
    "neighbors. An attacker who knows two neighbors by name may identify the person. HideNeighbors protects against "
    "this attacker."
)


@dataclass(frozen=True)
class ShareNeighbors(Method):
    """Add links until every vertex shares l neighbors with k - 1 others: Feder, Nabar & Terzi's (k-1,l)-anonymity.

    k counts the vertex itself, as everywhere in shoal. The k of Feder, Nabar & Terzi counts the others and is one less
    (`release.measured["k of Feder, Nabar & Terzi"]`). Links are only added, greedily: the next link is the one that
    lowers the most deficits. No degree exceeds the largest original (or needed) degree unless there is no other way.
    Otherwise the cheapest way would be l vertices linked to all others, and an attacker who removes them would undo it.

    Where links have a direction or a kind, two vertices share a neighbor if both are linked to it by the same kind and
    direction. A simpler search then adds such links. Its lower bound is proved in the same way.

    Parameters
    ----------
    k
        The number of vertices, itself included, that must share l neighbors with each vertex.
    l
        The least number of shared neighbors. Each candidate may share different ones.
    variant
        "weak" counts shared neighbors in the release. "strong" counts only neighbors that the vertex had in the
        original; then the guarantee also covers an attacker who knows the original neighbors.
    seed
        Seed that breaks ties.

    Examples
    --------
    In a path of four vertices no two share two neighbors. In a cycle of four, opposite corners do:

    >>> import networkx as nx
    >>> release = ShareNeighbors(k=2, l=2)(nx.path_graph(4))
    >>> release.edits.added, release.measured["k of Feder, Nabar & Terzi"]
    (((0, 3),), 1)

    If only original neighbors count, each end of the path has too few:

    >>> ShareNeighbors(k=2, l=2, variant="strong")(nx.path_graph(4))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: ShareNeighbors: in the strong variant every vertex must have l = 2 neighbors in the ...

    References
    ----------
    T. Feder, S. U. Nabar, E. Terzi: Anonymizing graphs. 2008.
    """

    k: int
    l: int = 1
    variant: Literal["weak", "strong"] = option(
        "weak", "Neighbors that must be shared: released ones, or original ones."
    )
    seed: Seed[int] = Seed(0)

    shell: ClassVar[str] = "share-neighbors"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: adds some"
    protects: ClassVar[str] = "an attacker who knows how many neighbors a vertex shares with others, not which ones"
    promises: ClassVar[str] = "at least k candidates against shared-neighbors:l (strong: also from the original)"
    source: ClassVar[str] = "Feder, Nabar & Terzi 2008"
    alone: ClassVar[tuple[str, ...]] = (OTHER_NEIGHBORS,)
    public_measures: ClassVar[Mapping[str, Reason]] = {FEDER: "policy"}  # k - 1

    def __post_init__(self) -> None:
        for name in ("k", "l"):
            object.__setattr__(self, name, whole(getattr(self, name), "ShareNeighbors", name, least=1))
        check_choice(self.variant, VARIANTS, "ShareNeighbors", "variant")

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return as many shared neighbors as are known."""
        return [({"l": part.l}, part) for part in wanted.parts if isinstance(part, SharedNeighbors)]

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return as many shared neighbors as are known, or 1."""
        return [{"l": count_known_facts(wanted, SharedNeighbors) or 1}]

    def __call__(self, data: Any) -> Release:
        """Return the graph with links added until every vertex shares l neighbors with k - 1 others."""
        original = as_graph(data)
        check_k("ShareNeighbors", self.k, original)
        must(not original.is_multigraph, "ShareNeighbors", "data", "a simple graph (leave out multigraph)", original)
        sharing = Sharing(self.l, self.k - 1, self.variant == "strong")
        refuse_impossible(original, sharing, "ShareNeighbors")
        least = bound_links(original, sharing)
        graph = self._link(original, sharing, least)
        got = graph.degree - original.degree
        measured = {
            FEDER: self.k - 1,
            "edits": graph.m - original.m,
            "lower bound on edits": least,
            "most links added at one vertex": int(got.max()),
        }
        told = {ATTRIBUTES_STAY: len(original.attributes), UNCHANGED: graph is original, OTHER_NEIGHBORS: self.k > 1}
        notes = tuple(note for note, applies in told.items() if applies)
        release = Release(original, graph, self._make_promise(), self, seed=self.seed, measured=measured, notes=notes)
        return verify_release(release)

    def _make_promise(self) -> tuple[Promise, ...]:
        """Return the guarantee. The strong one is about the original, and also the release, as links are only added."""
        knows = SharedNeighbors(self.l)
        from_original = (Promise(knows, self.k, source="original"),) if self.variant == "strong" else ()
        return (Promise(knows, self.k), *from_original)

    def _link(self, original: Graph, sharing: Sharing, least: int) -> Graph:
        """Return the graph with the needed links, or the original if no link is needed."""
        if least == 0:  # the bound is 0 only if no vertex lacks a candidate
            return original
        if original.ties is not None:
            graph = add_tied_links(original, sharing, self.seed)
            _warn_of_hubs(graph, sharing.limit_degree(original))
            return graph
        sources, targets = find_links(original, sharing, self.seed, least)
        a, b, _ = original.edges()
        ends = np.concatenate([a, sources]), np.concatenate([b, targets])
        graph = Graph.from_pairs(original.names, *ends, attributes=original.attributes)
        _warn_of_hubs(graph, sharing.limit_degree(original))
        return graph


def _warn_of_hubs(graph: Graph, most: int) -> None:
    """Give a notice if some degrees exceed the limit: an attacker may recognize and remove the new hubs."""
    now = int(graph.degree.max(initial=0))
    if now > most:
        many = int((graph.degree > most).sum())
        who = "vertex has" if many == 1 else "vertices have"
        notice(
            f"ShareNeighbors: {many:,} {who} more links now (up to {now:,}) than any vertex had before. "
            "An attacker who removes these vertices finds fewer candidates. Use a smaller k or l."
        )
