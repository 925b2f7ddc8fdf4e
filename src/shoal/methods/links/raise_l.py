"""Raising l: Algorithm 4 of the paper, as corrected. Vertices whose row is like fewer than k rows go, or get copies.

What is raised is the similarity radius l at k (Algorithms 2 and 3), and never promised to be the l of (k,l)-anonymity,
which may even drop (E22). The number of vertices is the current one (E24): then a vertex that has to go has to go from
every smaller graph too, so that what remains is the one largest such graph, whatever the order, like a k-core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.dataset import check_k
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.errors import BadParameter, CannotPromise, must, notice, whole
from shoal.methods.base import Method, WorksOn, add_names, check_choice
from shoal.parts import option
from shoal.progress import track
from shoal.release.guarantee import RadiusPromise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.risk.levels import Levels, levels
from shoal.risk.similarity import similarity_radius

Similarity = Literal["manhattan", "2-path"]
READS: dict[str, Literal["relations", "neighbors"]] = {"manhattan": "relations", "2-path": "neighbors"}
"""The definition of (k,l)-anonymity that each similarity was meant for: I, and II."""
AFTER = "exact l after"
NONE = np.empty(0, dtype=np.int64)
NOBODY = "copies stand for nobody: whoever knows which vertices are copies is left with fewer candidates"


@dataclass(frozen=True)
class RaiseL(Method):
    """Raise the similarity radius at k by one: delete each vertex that fewer than k vertices are that similar to.

    With l the similarity radius of the graph, v goes while fewer than k vertices u, v itself included, have
    sim(u, v) >= l + 1.

    Parameters
    ----------
    k
        How many vertices must be that similar, the vertex itself included.
    similarity
        "manhattan": entries in which two rows agree (meant for Definition I); "2-path": common neighbors (for II).
    keep
        None deletes. "vertices" is the paper's remedy: all stay, and copies of the vertices that would go are added
        (for "2-path" also of a neighbor, where a vertex has too few neighbors to share). Copies stand for nobody: the
        promise counts them, and how many real vertices are that similar is measured beside it.
    allow_empty
        Whether a release without vertices may be handed over, which promises nothing. Otherwise it is refused.

    Examples
    --------
    Of a square with a roof the square stays, whose opposite corners agree in all entries:

    >>> import networkx as nx
    >>> release = RaiseL(k=2)(nx.house_graph())
    >>> list(release.data.names), release.promises
    ([0, 1, 2, 3], (RadiusPromise(k=2, l=4, similarity='manhattan'),))
    >>> release.measured["exact l before"], release.measured["exact l after"]
    (1, 'every')

    Now it holds for every l, and nothing can be raised:

    >>> RaiseL(k=2)(release.data)
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: RaiseL: the graph holds for every l at k = 2 already: there is nothing to raise.

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    similarity: Similarity = option("manhattan", "Similarity of vertices.", metavar="manhattan|2-path")
    keep: Literal["vertices"] | None = option(None, "Add copies instead of deleting vertices.")
    allow_empty: bool = option(False, "Allow a release without vertices.")

    shell: ClassVar[str] = "raise-l"
    works_on: ClassVar[WorksOn] = "links"
    changes: ClassVar[str] = "the vertices: those unlike the others go, or are copied"
    protects: ClassVar[str] = "nobody exactly: it raises a similarity radius, an upper bound of l"
    promises: ClassVar[str] = "a similarity radius, which is no anonymity"
    source: ClassVar[str] = "Stokes & Torra 2012, Algorithm 4"
    public_measures: ClassVar[Mapping[str, Reason]] = {AFTER: "release"}

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "RaiseL", "k", least=1))
        check_choice(self.similarity, tuple(READS), "RaiseL", "similarity")
        if self.keep is not None:
            check_choice(self.keep, ("vertices",), "RaiseL", "keep")
            if self.allow_empty:
                raise BadParameter("RaiseL: 'allow_empty' must be False where all vertices are kept. Got True.")

    @property
    def keeps_vertices(self) -> bool:
        """Some go, or copies come."""
        return False

    def __call__(self, data: Any) -> Release:
        """Return what is left with a larger radius, or the graph with copies."""
        original = as_graph(data)
        check_k("RaiseL", self.k, original)
        must(original.multiplicity is None, "RaiseL", "data", "a simple graph (leave out multigraph)", original)
        before = find_exact_l(original, self.k, self.similarity)
        if before == "every":
            raise CannotPromise(
                f"RaiseL: the graph holds for every l at k = {self.k} already: there is nothing to raise."
            )
        l = similarity_radius(original, self.k, self.similarity).l + 1
        promise = RadiusPromise(self.k, l, self.similarity)
        graph = find_remaining(original, promise) if self.keep is None else add_copies(original, promise)
        if graph.n == 0:
            return self._refuse_empty(original, l, before)
        measured = {"radius before": l - 1, "exact l before": before}
        measured[AFTER] = find_exact_l(graph, self.k, self.similarity)
        release = Release(original, graph, (update_radius(promise, graph),), self, measured=measured)
        return verify_release(self._warn_of_loss(release) if self.keep is None else _note_copies(release, promise))

    def _refuse_empty(self, original: Graph, l: int, before: int | str) -> Release:
        told = (
            f"no vertex remains where each must be like {self.k} with a {self.similarity} similarity of {l:,} or more"
        )
        if not self.allow_empty:
            raise CannotPromise(
                f"RaiseL: {told}. Say keep='vertices' (--keep vertices) to add copies, "
                "or allow_empty=True (--allow-empty) to have nothing."
            )
        notice(f"RaiseL: {told}; the release is empty.")
        measured = {"radius before": l - 1, "exact l before": before, "vertices removed": original.n}
        return Release(original, induce_subgraph(original, NONE), (), self, measured=measured, notes=(told,))

    def _warn_of_loss(self, release: Release) -> Release:
        before, after = release.original, release.data
        if 2 * after.n < before.n or 2 * after.m < before.m:
            notice(
                f"RaiseL: {after.n:,} of {before.n:,} vertices and {after.m:,} of {before.m:,} edges are left "
                "(keep='vertices' or --keep vertices adds copies instead)."
            )
        return replace(release, measured={**release.measured, "vertices removed": before.n - after.n})


def update_radius(promise: RadiusPromise, graph: Graph) -> RadiusPromise:
    """Return the promise with the radius that the release has, which is what may be published."""
    return replace(promise, reached=similarity_radius(graph, promise.k, promise.similarity).l)


def find_exact_l(graph: Graph, k: int, similarity: str) -> int | str:
    """Return the largest l of the definition that the similarity was meant for: a number, "every", or ">= ..."."""
    limit = 1
    found: Levels = levels(graph, READS[similarity], k=k, max_size=limit)
    while not found.l_exact and limit < graph.n:
        limit = min(4 * limit, graph.n)
        found = levels(graph, READS[similarity], k=k, max_size=limit)
    l: int | str = "every" if found.l == inf else int(found.l)
    return l if found.l_exact else f">= {l}"


def find_remaining(graph: Graph, promise: RadiusPromise) -> Graph:
    """Return the largest induced subgraph in which every vertex has the radius; it may be without vertices.

    Similarities only fall as vertices go, so all that lack the radius at once can go at once.
    """
    ids = np.arange(graph.n)
    left = graph
    while left.n >= promise.k:
        track("deleting", graph.n - left.n, graph.n)
        stays = similarity_radius(left, promise.k, promise.similarity).per_vertex >= promise.l
        if stays.all():
            return left
        ids = ids[stays]
        left = induce_subgraph(graph, ids)
    return induce_subgraph(graph, NONE)


def induce_subgraph(graph: Graph, ids: Ints) -> Graph:
    """Return the subgraph of some vertices, ascending, with their names and attributes."""
    place = np.full(graph.n, -1, dtype=np.int64)
    place[ids] = np.arange(len(ids))
    names, table = Names([graph.names[int(v)] for v in ids]), graph.attributes.take(ids)
    if len(ids) == 0:
        return Graph(names, np.zeros(1, dtype=np.int64), graph.indices[:0], None, table)
    a, b, _ = graph.edges()
    inside = (place[a] >= 0) & (place[b] >= 0)
    return Graph.from_pairs(names, place[a[inside]], place[b[inside]], attributes=table)


def add_copies(graph: Graph, promise: RadiusPromise) -> Graph:
    """Return the graph with copies such that every vertex has the radius.

    A round adds one copy of each vertex that needs one. Similarities only rise as copies come, so no round undoes
    another; copies of one vertex have equal rows, so that at most k - 1 of each are needed.
    """
    sources = np.arange(graph.n)
    while True:
        short = similarity_radius(graph, promise.k, promise.similarity).per_vertex < promise.l
        if not short.any():
            return graph
        track("copying", int(np.count_nonzero(~short)), graph.n)
        chosen = _choose_copies(graph, sources, np.flatnonzero(short), promise)
        graph, sources = copy_vertices(graph, chosen), np.concatenate([sources, sources[chosen]])


def _choose_copies(graph: Graph, sources: Ints, short: Ints, promise: RadiusPromise) -> Ints:
    """Choose one vertex of each set of copies that lacks the radius; or a neighbor where it has too few of them."""
    _, first = np.unique(sources[short], return_index=True)
    chosen = short[first]
    if promise.similarity == "manhattan":
        return chosen
    poor = chosen[graph.degree[chosen] < promise.l]
    if (graph.degree[poor] == 0).any():
        raise CannotPromise(
            f"RaiseL: a vertex without neighbors shares none, and no copy changes that "
            f"({int((graph.degree == 0).sum()):,} of {graph.n:,}). Leave them out, or take similarity='manhattan'."
        )
    rich = [int(near[np.argmax(graph.degree[near])]) for near in map(graph.neighbors, poor.tolist())]
    return np.union1d(np.setdiff1d(chosen, poor), np.array(rich, dtype=np.int64))


def copy_vertices(graph: Graph, chosen: Ints) -> Graph:
    """Return the graph with one more vertex for each of `chosen`, linked to whom that one is linked to.

    The copies of two linked vertices are linked too: one after the other, each gets the neighbors of its original.
    """
    fresh = np.full(graph.n, -1, dtype=np.int64)
    fresh[chosen] = graph.n + np.arange(len(chosen))
    a, b, _ = graph.edges()
    pairs = [(a, b), (fresh[a], b), (a, fresh[b]), (fresh[a], fresh[b])]
    sources, targets = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    there = (sources >= 0) & (targets >= 0)
    names = add_names(graph.names, (f"copy of {graph.names[v]}" for v in chosen.tolist()))
    table = graph.attributes.take(np.concatenate([np.arange(graph.n), chosen]))
    return Graph.from_pairs(names, sources[there], targets[there], attributes=table)


def _note_copies(release: Release, promise: RadiusPromise) -> Release:
    """Return the release with the count over real individuals beside the promise, and the paper's warning."""
    graph, real = as_graph(release.data), release.original.n
    similar = count_real_similar(graph, promise, real)
    measured = {"copies added": graph.n - real, "fewest real vertices that similar": int(similar.min())}
    measured["real vertices like fewer than k real ones"] = int((similar < promise.k).sum())
    many = f"{graph.n - real:,} {'copy was' if graph.n - real == 1 else 'copies were'}"
    notice(f"RaiseL: {many} added to {real:,} vertices; {NOBODY}.")
    return replace(release, measured={**release.measured, **measured}, notes=(*release.notes, NOBODY))


def count_real_similar(graph: Graph, promise: RadiusPromise, real: int) -> Ints:
    """Count, for each of the first `real` vertices, those of them that are as similar as promised, itself included."""
    degree = graph.degree.astype(np.int64)
    found = np.empty(real, dtype=np.int64)
    for v in range(real):
        near = [graph.neighbors(int(w)) for w in graph.neighbors(v)]
        shared = np.bincount(np.concatenate(near), minlength=graph.n) if near else np.zeros(graph.n, dtype=np.int64)
        like = shared if promise.similarity == "2-path" else graph.n - degree - degree[v] + 2 * shared
        found[v] = np.count_nonzero(like[:real] >= promise.l)
    return found
