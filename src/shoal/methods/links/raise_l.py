"""A larger similarity radius: Algorithm 4 of Stokes & Torra (2012), with corrections (see docs/errata.md).

A vertex whose row is similar to fewer than k rows is deleted or copied. This raises the similarity radius l at k
(Algorithms 2 and 3). It is not the l of (k,l)-anonymity, which may even fall (E22). Similarities use the current number
of vertices (E24). Then a vertex that must be deleted must also be deleted from every smaller graph. So the result is
the unique largest such subgraph, independent of the order of deletions, like a k-core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph, refuse_ties
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.errors import BadParameter, CannotPromise, check_k, must, notice, whole
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
"""The definition of (k,l)-anonymity that the paper uses with each similarity: I and II."""
AFTER = "exact l after"
NONE = np.empty(0, dtype=np.int64)
COPIES = "Copies represent no real person. An attacker who recognizes the copies finds fewer candidates."


@dataclass(frozen=True)
class RaiseL(Method):
    """Raise the similarity radius at k by one: delete each vertex that is similar to fewer than k vertices.

    Let l be the similarity radius of the graph. A vertex v is deleted while fewer than k vertices u, v included, have
    sim(u, v) >= l + 1.

    Parameters
    ----------
    k
        The number of vertices that must be similar enough, the vertex itself included.
    similarity
        "manhattan": the number of entries in which two rows agree (for Definition I). "2-path": the number of common
        neighbors (for Definition II).
    keep
        None deletes. "vertices" is the paper's alternative: it keeps all vertices and adds copies of those that would
        be deleted (for "2-path" also copies of a neighbor, if a vertex has too few neighbors). Copies represent no real
        person. The guarantee counts them; `release.measured` also has the counts over real vertices.
    allow_empty
        Whether to return an empty release, which guarantees nothing, instead of an error.

    Notes
    -----
    Links with directions or kinds are refused. The similarity radius is a number of the symmetric adjacency matrix: the
    paper counts equal entries of two rows, or paths of two links. With directions there are two rows per vertex and
    four kinds of such paths, and the paper does not say which count.

    Examples
    --------
    The house graph keeps its square, whose opposite corners agree in all entries:

    >>> import networkx as nx
    >>> release = RaiseL(k=2)(nx.house_graph())
    >>> list(release.data.names), release.promises
    ([0, 1, 2, 3], (RadiusPromise(k=2, l=4, similarity='manhattan'),))
    >>> release.measured["exact l before"], release.measured["exact l after"]
    (1, 'every')

    The square is (2,l)-anonymous for every l, so nothing can be raised:

    >>> RaiseL(k=2)(release.data)
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: RaiseL: nothing to raise. The graph is already (k,l)-anonymous for k = 2 and every l.

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
    changes: ClassVar[str] = "vertices: deletes or copies those with few similar vertices"
    protects: ClassVar[str] = "no attacker for certain: raises a similarity radius, an upper bound on l"
    promises: ClassVar[str] = "a similarity radius, which is not anonymity"
    source: ClassVar[str] = "Stokes & Torra 2012, Algorithm 4"
    public_measures: ClassVar[Mapping[str, Reason]] = {AFTER: "release"}

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "RaiseL", "k", least=1))
        check_choice(self.similarity, tuple(READS), "RaiseL", "similarity")
        if self.keep is not None:
            check_choice(self.keep, ("vertices",), "RaiseL", "keep")
            if self.allow_empty:
                raise BadParameter("RaiseL: 'allow_empty' must be False if keep='vertices'. Got True.")

    @property
    def keeps_vertices(self) -> bool:
        """False: vertices are deleted, or copies are added."""
        return False

    def __call__(self, data: Any) -> Release:
        """Return the subgraph with a larger radius, or the graph with copies."""
        original = refuse_ties(as_graph(data), type(self).__name__)
        check_k("RaiseL", self.k, original)
        must(original.multiplicity is None, "RaiseL", "data", "a simple graph (leave out multigraph)", original)
        before = find_exact_l(original, self.k, self.similarity)
        if before == "every":
            raise CannotPromise(
                f"RaiseL: nothing to raise. The graph is already (k,l)-anonymous for k = {self.k} and every l."
            )
        l = similarity_radius(original, self.k, self.similarity).l + 1
        promise = RadiusPromise(self.k, l, self.similarity)
        graph = find_remaining(original, promise) if self.keep is None else add_copies(original, promise)
        if graph.n == 0:
            return self._refuse_empty(original, l, before)
        measured = {"similarity radius before": l - 1, "exact l before": before}
        measured[AFTER] = find_exact_l(graph, self.k, self.similarity)
        release = Release(original, graph, (update_radius(promise, graph),), self, measured=measured)
        return verify_release(self._warn_of_loss(release) if self.keep is None else _note_copies(release, promise))

    def _refuse_empty(self, original: Graph, l: int, before: int | str) -> Release:
        told = (
            f"no vertex remains if each must have {self.k} vertices with a {self.similarity} similarity of {l:,}"
            " or more."
        )
        if not self.allow_empty:
            raise CannotPromise(
                f"RaiseL: {told} Use keep='vertices' (--keep vertices) to add copies, "
                "or allow_empty=True (--allow-empty) to get an empty release."
            )
        notice(f"RaiseL: {told} The release is empty.")
        measured = {"similarity radius before": l - 1, "exact l before": before, "vertices removed": original.n}
        nothing, notes = induce_subgraph(original, NONE), (told.capitalize(),)
        return Release(original, nothing, (), self, measured=measured, notes=notes)

    def _warn_of_loss(self, release: Release) -> Release:
        before, after = release.original, release.data
        if 2 * after.n < before.n or 2 * after.m < before.m:
            notice(
                f"RaiseL: {after.n:,} of {before.n:,} vertices and {after.m:,} of {before.m:,} edges are left. "
                "To add copies instead, use keep='vertices' (--keep vertices)."
            )
        return replace(release, measured={**release.measured, "vertices removed": before.n - after.n})


def update_radius(promise: RadiusPromise, graph: Graph) -> RadiusPromise:
    """Return the guarantee with the radius that the release reaches, which may be published."""
    return replace(promise, reached=similarity_radius(graph, promise.k, promise.similarity).l)


def find_exact_l(graph: Graph, k: int, similarity: str) -> int | str:
    """Return the largest l of the (k,l)-anonymity that belongs to the similarity: a number, "every", or ">= ..."."""
    limit = 1
    found: Levels = levels(graph, READS[similarity], k=k, max_size=limit)
    while not found.l_exact and limit < graph.n:
        limit = min(4 * limit, graph.n)
        found = levels(graph, READS[similarity], k=k, max_size=limit)
    l: int | str = "every" if found.l == inf else int(found.l)
    return l if found.l_exact else f">= {l}"


def find_remaining(graph: Graph, promise: RadiusPromise) -> Graph:
    """Return the largest induced subgraph in which every vertex has the radius. It may be empty.

    Similarities only fall when vertices are deleted, so all vertices that lack the radius can be deleted at once.
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
    """Return the subgraph induced by some vertices, in ascending order, with their names and attributes."""
    place = np.full(graph.n, -1, dtype=np.int64)
    place[ids] = np.arange(len(ids))
    names, table = Names([graph.names[int(v)] for v in ids]), graph.attributes.take(ids)
    if len(ids) == 0:
        return Graph(names, np.zeros(1, dtype=np.int64), graph.indices[:0], None, table)
    a, b, _ = graph.edges()
    inside = (place[a] >= 0) & (place[b] >= 0)
    return Graph.from_pairs(names, place[a[inside]], place[b[inside]], attributes=table)


def add_copies(graph: Graph, promise: RadiusPromise) -> Graph:
    """Return the graph with copies, so that every vertex has the radius.

    A round adds one copy of each vertex that needs one. Similarities only rise when copies are added, so no round
    undoes another. Copies of one vertex have equal rows, so at most k - 1 of each are needed.
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
    """Choose one vertex of each set of copies that lacks the radius, or its neighbor if it has too few neighbors."""
    _, first = np.unique(sources[short], return_index=True)
    chosen = short[first]
    if promise.similarity == "manhattan":
        return chosen
    poor = chosen[graph.degree[chosen] < promise.l]
    if (graph.degree[poor] == 0).any():
        raise CannotPromise(
            f"RaiseL: with similarity='2-path' every vertex must have a neighbor. Got "
            f"{int((graph.degree == 0).sum()):,} of {graph.n:,} without. Remove them, or use similarity='manhattan'."
        )
    rich = [int(near[np.argmax(graph.degree[near])]) for near in map(graph.neighbors, poor.tolist())]
    return np.union1d(np.setdiff1d(chosen, poor), np.array(rich, dtype=np.int64))


def copy_vertices(graph: Graph, chosen: Ints) -> Graph:
    """Return the graph with a copy of each chosen vertex, linked to the same neighbors.

    The copies of two linked vertices are linked too, as if the copies were made one after the other.
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
    """Return the release with counts over real vertices, and the paper's warning about copies."""
    graph, real = as_graph(release.data), release.original.n
    similar = count_real_similar(graph, promise, real)
    measured = {"copies added": graph.n - real, "fewest similar real vertices": int(similar.min())}
    measured["real vertices similar to fewer than k real ones"] = int((similar < promise.k).sum())
    many = f"{graph.n - real:,} {'copy was' if graph.n - real == 1 else 'copies were'}"
    notice(f"RaiseL: {many} added to {real:,} vertices. {COPIES}")
    return replace(release, measured={**release.measured, **measured}, notes=(*release.notes, COPIES))


def count_real_similar(graph: Graph, promise: RadiusPromise, real: int) -> Ints:
    """Return, for each of the first `real` vertices, how many of these are similar enough, itself included."""
    degree = graph.degree.astype(np.int64)
    found = np.empty(real, dtype=np.int64)
    for v in range(real):
        near = [graph.neighbors(int(w)) for w in graph.neighbors(v)]
        shared = np.bincount(np.concatenate(near), minlength=graph.n) if near else np.zeros(graph.n, dtype=np.int64)
        like = shared if promise.similarity == "2-path" else graph.n - degree - degree[v] + 2 * shared
        found[v] = np.count_nonzero(like[:real] >= promise.l)
    return found
