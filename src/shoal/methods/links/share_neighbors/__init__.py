"""Shared neighbors: the (k,l)-anonymity of Feder, Nabar & Terzi, reached by adding links.

The base paper shows that this notion protects less than it seems to: each candidate may share other neighbors, so that
whoever knows which neighbors they are may still know who it is. It is here to be run, verified, and attacked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.data.convert import as_graph
from shoal.data.dataset import check_k
from shoal.data.graph import Graph
from shoal.errors import must, notice, whole
from shoal.knowledge import Adversary, SharedNeighbors
from shoal.methods.base import ATTRIBUTES_STAY, Method, Proposals, WorksOn, check_choice, count_known_facts
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.share_neighbors.adding import Sharing, bound_links, find_links, refuse_impossible
from shoal.parts import option
from shoal.release.guarantee import Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release

VARIANTS = ("weak", "strong")
FEDER = "k of Feder, Nabar & Terzi"
OTHER_NEIGHBORS = (
    "Only how many neighbors are shared is promised, not which: each candidate may share others. Whoever knows two "
    "neighbors by name may know who it is; HideNeighbors hides from that."
)


@dataclass(frozen=True)
class ShareNeighbors(Method):
    """Add links until every vertex shares l neighbors with k - 1 others: Feder, Nabar & Terzi's (k-1,l)-anonymity.

    k counts the vertex itself, here as everywhere; their own k counts the others and is one less
    (`release.measured["k of Feder, Nabar & Terzi"]`). Links are only added, greedily: for whoever lacks somebody, the
    link that lowers most deficits. Nobody gets more links than somebody had (or needs), unless nothing else is left:
    l vertices that are linked to everybody would be the cheapest way, and whoever leaves them out would undo it.

    Parameters
    ----------
    k
        How many vertices, itself included, must share l neighbors with each vertex.
    l
        How many neighbors they share at least; each of them may share others.
    variant
        "weak": shared neighbors are counted in the release. "strong": they must have been neighbors of the vertex in
        the original; then the promise holds also for whoever knows the neighbors from there.
    seed
        What decides between links that are equally good.

    Examples
    --------
    In a path of four nobody shares two neighbors; in a ring of four opposite corners do:

    >>> import networkx as nx
    >>> release = ShareNeighbors(k=2, l=2)(nx.path_graph(4))
    >>> release.edits.added, release.measured["k of Feder, Nabar & Terzi"]
    (((0, 3),), 1)

    Where only old neighbors count, each end has a single one:

    >>> ShareNeighbors(k=2, l=2, variant="strong")(nx.path_graph(4))
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: ShareNeighbors: in the strong variant everybody must have l = 2 neighbors in the ...

    References
    ----------
    T. Feder, S. U. Nabar, E. Terzi: Anonymizing graphs. 2008.
    """

    k: int
    l: int = 1
    variant: Literal["weak", "strong"] = option(
        "weak", "Neighbors that must be shared: released ones, or original ones."
    )
    seed: int = 0

    shell: ClassVar[str] = "share-neighbors"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "the links: some are added"
    protects: ClassVar[str] = "from whoever counts shared neighbors, but not from whoever knows which"
    promises: ClassVar[str] = "shared-neighbors:l leaves k (strong: also from the original)"
    source: ClassVar[str] = "Feder, Nabar & Terzi 2008"
    alone: ClassVar[tuple[str, ...]] = (OTHER_NEIGHBORS,)
    public_measures: ClassVar[Mapping[str, Reason]] = {FEDER: "policy"}  # k - 1

    def __post_init__(self) -> None:
        for name in ("k", "l"):
            object.__setattr__(self, name, whole(getattr(self, name), "ShareNeighbors", name, least=1))
        object.__setattr__(self, "seed", whole(self.seed, "ShareNeighbors", "seed", least=0, most=None))
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
        """Return the graph with links added until everybody shares l neighbors with k - 1 others."""
        original = as_graph(data)
        check_k("ShareNeighbors", self.k, original)
        must(original.multiplicity is None, "ShareNeighbors", "data", "a simple graph (leave out multigraph)", original)
        sharing = Sharing(self.l, self.k - 1, self.variant == "strong")
        refuse_impossible(original, sharing, "ShareNeighbors")
        least = bound_links(original, sharing)
        graph = self._link(original, sharing, least)
        got = graph.degree - original.degree
        measured = {
            FEDER: self.k - 1,
            "edits": graph.m - original.m,
            "edits at least": least,
            "most links that one vertex got": int(got.max()),
        }
        told = {ATTRIBUTES_STAY: len(original.attributes), UNCHANGED: graph is original, OTHER_NEIGHBORS: self.k > 1}
        notes = tuple(note for note, applies in told.items() if applies)
        release = Release(original, graph, self._make_promise(), self, seed=self.seed, measured=measured, notes=notes)
        return verify_release(release)

    def _make_promise(self) -> tuple[Promise, ...]:
        """Return the promise; the strong one is about the original, and as links only come, about the release too."""
        knows = SharedNeighbors(self.l)
        from_original = (Promise(knows, self.k, source="original"),) if self.variant == "strong" else ()
        return (Promise(knows, self.k), *from_original)

    def _link(self, original: Graph, sharing: Sharing, least: int) -> Graph:
        """Return the graph with the links that are needed; the original where none is."""
        if least == 0:  # the bound is 0 only where nobody lacks anybody
            return original
        sources, targets = find_links(original, sharing, self.seed, least)
        a, b, _ = original.edges()
        ends = np.concatenate([a, sources]), np.concatenate([b, targets])
        graph = Graph.from_pairs(original.names, *ends, attributes=original.attributes)
        _warn_of_hubs(graph, sharing.limit_degree(original))
        return graph


def _warn_of_hubs(graph: Graph, most: int) -> None:
    """Say that some are linked to more than anybody was, which betrays how the others were hidden."""
    now = int(graph.degree.max(initial=0))
    if now > most:
        many = int((graph.degree > most).sum())
        notice(
            f"ShareNeighbors: {many:,} vertices have more links now (up to {now:,}) than anybody had. "
            "Whoever leaves them out again is left with fewer candidates. Take a smaller k or l."
        )
