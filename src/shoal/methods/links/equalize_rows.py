"""k-anonymous graphs with equal rows: Algorithm 1 of Stokes & Torra (2012), with corrections (see docs/errata.md).

Classes have k vertices or more. Between two classes either all edges exist or none; a strict majority decides (E6). No
edge stays inside a class: in a simple graph two vertices with the same neighbors are never adjacent (E4, E5). Where
links have directions or kinds, this holds for each relation: an entry (w, relation) is in the rows of all members of a
class or of none. It is never about a member w of the class itself, whose own row cannot have it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, CannotPromise, check_k, must, notice, whole
from shoal.knowledge import Adjacency, Adversary, Neighbors
from shoal.methods.base import ATTRIBUTES_STAY, Method, Proposals, WorksOn, check_choice, effort_option, parse_effort
from shoal.optimize.annealing import STOPPED, AnnealingResult, count_sweeps_within
from shoal.optimize.class_partition import (
    FILLS,
    SIMILARITIES,
    PartitionProblem,
    choose_sweeps,
    count_blocks,
    fill_blocks,
    grow_classes,
    isolate_others,
    list_rows,
)
from shoal.parts import option
from shoal.release.guarantee import Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.seeds import Seed
from shoal.settings import run_in_pieces, size_heavy_pieces

SENSITIVE = (
    "Only the sensitive vertices are protected. ALL OTHER VERTICES ARE NOT PROTECTED, and have no guarantee. A vertex "
    "with twins in the release is likely to be sensitive. If that itself is secret, protect all vertices."
)
BOUND_FOR = "lower bound applies to"
CLOSED_ONLY = "closed classes only; another kind of graph may keep the guarantee with fewer edits"


@dataclass(frozen=True)
class EqualizeRows(Method):
    """Make the rows of the adjacency matrix equal in classes of at least k: the paper's k-anonymous graph.

    The choice of classes determines the number of edits. Classes grow around hubs by similarity to the whole class.
    Then simulated annealing searches for classes with fewer edits. `release.measured` has the edits, a lower bound for
    classes of this kind, the difference, and the sweeps done. With `closed` the bound applies to closed classes only:
    another kind of graph may keep the guarantee with fewer edits.

    Where links have directions or kinds, the members of a class get the same links: the same neighbors with the same
    directions and kinds. Each link that is added or removed is an edit.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of vertices. Classes have k to 2k-1 members.
    similarity
        The similarity by which classes grow: "jaccard" (shared neighbors over all neighbors), or the paper's
        "manhattan" (entries in which rows agree) or "2-path" (shared neighbors).
    fill
        "majority" completes the blocks between classes that are more than half full and empties the others: the fewest
        edits. "budget" completes the fullest blocks while the number of edges does not exceed the original.
    closed
        A number l. Classes of at least k + l may then become cliques, so that triangles remain. The guarantee is
        weaker: it is about l known neighbors (Definition II), not about all links. A clique of directed links has both
        directions.
    sensitive
        The names of the vertices to protect. All others count as candidates, may keep their rows, and are not
        protected. None protects all vertices.
    effort
        How long to search: a whole number of sweeps (each proposes one change per vertex), or seconds, such as 60.0 or
        "60s". 0 does not search: with "manhattan" or "2-path" that is the paper's own algorithm. None chooses the
        sweeps by the size of the graph. `release.measured` has the sweeps done; the same number gives the same release.
        Ctrl-C ends the search early and uses the best classes so far; a second Ctrl-C ends the program.
    require_edges
        Raise an error, instead of a notice, if no edge can remain. With k > n/2 none can (E4).
    seed
        Seed of the search. The same seed gives the same release.

    Examples
    --------
    A square is already 2-anonymous and does not change:

    >>> import networkx as nx, shoal
    >>> release = shoal.methods.EqualizeRows(k=2)(nx.cycle_graph(4))
    >>> release.classes, release.edits.ratio
    (((0, 2), (1, 3)), 0.0)

    The karate club needs at least 22 edits. The method finds 34:

    >>> release = shoal.methods.EqualizeRows(k=2)(shoal.examples.karate())
    >>> release.measured["edits"], release.measured["lower bound on edits"]
    (34, 22)

    Bob and Cleo hear from Ann and write to no one. Both directions are kept:

    >>> mails = shoal.as_graph([("Ann", "Bob"), ("Ann", "Cleo"), ("Dan", "Bob")], directed=True)
    >>> list(shoal.methods.EqualizeRows(k=2)(mails).data.each_link())[:2]
    [(0, 1, Relation(kind=None, direction='out')), (0, 2, Relation(kind=None, direction='out'))]

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    k: int
    similarity: str = option("jaccard", "Similarity by which classes are formed.", metavar="jaccard|manhattan|2-path")
    fill: str = option(
        "majority", "Blocks between classes: fewest edits, or no more edges than before.", metavar="majority|budget"
    )
    closed: int | None = option(None, "Let classes of K + L be cliques; protects L known neighbors.", metavar="L")
    sensitive: tuple[Hashable, ...] | None = option(
        None, "Protect only the names in this file, one per line; others are NOT protected.", metavar="FILE"
    )
    effort: int | float | str | None = effort_option()
    require_edges: bool = option(False, "Fail if no edge can remain.")
    seed: Seed[int] = Seed(0)

    shell: ClassVar[str] = "equalize-rows"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: all vertices of a class get the same neighbors"
    protects: ClassVar[str] = "an attacker who knows all neighbors of a vertex"
    promises: ClassVar[str] = "at least k candidates against adjacency (closed=l: against neighbors:l)"
    source: ClassVar[str] = "Stokes & Torra 2012, Algorithm 1"
    secret: ClassVar[tuple[str, ...]] = (*Method.secret, "sensitive")
    public_measures: ClassVar[Mapping[str, Reason]] = {
        "edits": "classes",  # an exchange of twins maps the release to itself
        "lower bound on edits": "classes",  # depends on distances of rows only, which a renaming of vertices keeps
        "edits above the lower bound": "classes",  # the difference of the two
        BOUND_FOR: "classes",  # a fixed text
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "EqualizeRows", "k", least=1))
        check_choice(self.similarity, SIMILARITIES, "EqualizeRows", "similarity")
        check_choice(self.fill, FILLS, "EqualizeRows", "fill")
        if self.closed is not None:
            object.__setattr__(self, "closed", whole(self.closed, "EqualizeRows", "closed", least=1))
        object.__setattr__(self, "sensitive", _parse_names(self.sensitive))
        parse_effort(self.effort, "EqualizeRows")
        must(isinstance(self.require_edges, bool), "EqualizeRows", "require_edges", "True or False", self.require_edges)

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return equal rows, whatever is known."""
        return [({}, Adjacency())]

    def __call__(self, data: Any) -> Release:
        """Return a graph with equal rows in each class."""
        original = as_graph(data)
        check_k("EqualizeRows", self.k, original)
        must(not original.is_multigraph, "EqualizeRows", "data", "a simple graph (leave out multigraph)", original)
        sensitive = self._mark_sensitive(original)
        found = self._find_classes(original, sensitive)
        codes = self._keep_an_edge(original, found.solution, sensitive)
        graph = original if self.k == 1 else self._fill(original, codes)
        knows = Neighbors(self.closed) if self.closed else Adjacency()
        promise = Promise(knows, self.k, "all" if self.sensitive is None else self.sensitive)
        told = {ATTRIBUTES_STAY: len(original.attributes), SENSITIVE: self.sensitive, STOPPED: found.stopped}
        notes = tuple(note for note, applies in told.items() if applies)
        bound = bound_edits(original, self.k, sensitive, self._clique)
        measured = {**_measure_edits(original, graph, bound), **self._describe_bound(), "sweeps": found.sweeps}
        if found.stopped:
            measured["stopped early"] = True
        self._warn_of_losses(original, graph)
        return verify_release(Release(original, graph, (promise,), self, codes, self.seed, measured, notes))

    def _describe_bound(self) -> dict[str, str]:
        """Return a measure that limits the bound to closed classes, if cliques are allowed."""
        return {BOUND_FOR: CLOSED_ONLY} if self.closed else {}

    @property
    def _clique(self) -> int:
        """The smallest class that may become a clique; 0 if none may."""
        return self.k + self.closed if self.closed else 0

    def _fill(self, graph: Graph, codes: Ints) -> Graph:
        return fill_blocks(graph, codes, self.fill, clique=self._clique, require_edges=self.require_edges)

    def _mark_sensitive(self, graph: Graph) -> Bools:
        if self.sensitive is None:
            return np.ones(graph.n, dtype=np.bool_)
        sensitive = np.zeros(graph.n, dtype=np.bool_)
        sensitive[[graph.names.id(name) for name in self.sensitive]] = True
        return sensitive

    def _find_classes(self, graph: Graph, sensitive: Bools) -> AnnealingResult[Ints]:
        """Return the classes: grown by similarity, then improved by the search."""
        if self.k == 1:
            return AnnealingResult(np.arange(graph.n), 0)
        # if cliques are allowed, start with larger classes: the search shrinks classes more easily than it grows them
        least = self._clique if self.k < self._clique <= graph.n else self.k
        codes = grow_classes(graph, least, self.similarity, sensitive)
        problem = EditProblem(graph, self.k, sensitive, self.seed, self._clique)
        sweeps = choose_sweeps(graph) if self.effort is None else parse_effort(self.effort, "EqualizeRows")
        if isinstance(sweeps, float):
            sweeps = count_sweeps_within(sweeps, problem, codes)
        found = problem.search(codes, sweeps)
        if found.stopped:
            notice(
                f"EqualizeRows: stopped after {found.sweeps:,} of {sweeps:,} sweeps. The best classes so far are used."
            )
        return found

    def _keep_an_edge(self, graph: Graph, codes: Ints, sensitive: Bools) -> Ints:
        """Return the classes. If an edge is required, change them so that two classes have an edge between them."""
        if not self.require_edges or not graph.m or len(count_blocks(graph, codes, self._clique).edges):
            return codes
        u = int(graph.edges()[0][0])
        others = np.flatnonzero((codes != codes[u]) & (sensitive | ~sensitive[u]))
        if not len(others):
            never = 2 * self.k > graph.n and sensitive.all()
            half = f"With k > n/2 none can; n is {graph.n:,}. " if never else ""
            raise CannotPromise(
                f"EqualizeRows: at least one edge must remain. None of {graph.m:,} would. {half}"
                f"Use a k below {self.k}, or leave out require_edges (--require-edges)."
            )
        codes = codes.copy()
        codes[[u, others[0]]] = codes[[others[0], u]]
        return codes

    def _warn_of_losses(self, before: Graph, after: Graph) -> None:
        if 2 * after.m < before.m:
            budget = " or fill='budget' (--fill budget)" if self.fill != "budget" and 2 * self.k <= before.n else ""
            lost = min(99.9, 100 * (1 - after.m / before.m)) if after.m else 100
            notice(
                f"EqualizeRows: with k = {self.k} the number of edges falls by {lost:.3g} %, from {before.m:,} to "
                f"{after.m:,}. A smaller k{budget} keeps more."
            )


def _parse_names(names: Any) -> tuple[Hashable, ...] | None:
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise BadParameter(f"EqualizeRows: 'sensitive' must be a list of names. Got {names!r:.120}.")
    found = tuple(dict.fromkeys(names))
    must(found, "EqualizeRows", "sensitive", "at least one name, or None for all", found)
    return found


def _measure_edits(before: Graph, after: Graph, bound: int) -> dict[str, Any]:
    """Return the number of edges added and removed, and the lower bound."""
    edits = count_edits(before, after)
    return {"edits": edits, "lower bound on edits": bound, "edits above the lower bound": edits - bound}


# Classes whose rows become equal with few edits: simulated annealing on the number of edits, and a lower bound.

SOME = 4.0
"""The initial temperature if only some vertices are sensitive: a better class is only reached through a worse one."""
SOFT = 0.8
"""The share of the run in which blocks that are less than half full also count a little."""


class EditProblem(PartitionProblem):
    """Classes with equal rows that take few edits. A vertex that is not sensitive may be a class of one."""

    hot: ClassVar[float] = 0.3
    again: ClassVar[float] = 2.0
    cold: ClassVar[float] = 0.15
    floor = 0.0

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of proposals, see :mod:`shoal.optimize._kernels.partition`."""
        return 0.7, 0.0, 0.0, 0.06

    def heat(self, attempt: int) -> float:
        """Return the initial temperature of a run."""
        return super().heat(attempt) if self.sensitive.all() else SOME

    def soften(self, done: int, total: int) -> float:
        """Return the weight of blocks that are less than half full, which gives the hot search a slope to follow."""
        return max(0.0, 1.0 - done / (SOFT * total))

    def describe(self, state: Any) -> str:
        """Return the edits per edge."""
        return f"searching classes, {self.cost(state.code) / self.graph.m:.3f} edits per edge"

    def finish(self, state: Any, stopped: bool) -> Ints:
        """Return the classes, renumbered."""
        return isolate_others(super().finish(state, stopped), self.sensitive)

    def cost(self, solution: Ints) -> int:
        """Return the number of edits."""
        return count_blocks(self.graph, solution, self.clique).cheapest


def bound_edits(graph: Graph, k: int, sensitive: Bools, clique: int = 0) -> int:
    """Return a lower bound on the edits of any release with equal rows in classes of at least k.

    Let m(v) be the mean number of entries in which the k-1 nearest rows differ from row v. The edits are at least a
    quarter of the sum of m over the sensitive vertices. Proof: let d(v) be the number of edited entries of row v; the
    sum of d is twice the number of edits. The original rows of twins u and v differ in at most d(u) + d(v) entries. Sum
    this over the ordered pairs of a class of c members: the differences sum to at most 2(c-1) times the sum of d. For
    each v they sum to at least (c-1) m(v), because the mean over c-1 >= k-1 rows is at least that over the k-1 nearest.
    So the sum of m is at most twice the sum of d, in each class and in all. If k > n/2 and all vertices are sensitive,
    all edges go (E4).

    If classes of `clique` or more may become cliques, their rows are equal when each vertex counts as its own neighbor.
    The same sum holds with these rows and `clique` instead of k. The bound takes the smaller mean for each vertex.

    Where links have directions or kinds, a row is a set of entries (w, relation). The proof stays as it is: an edit of
    a link between u and w changes one entry of row u and one of row w, so the sum of d is still twice the edits. Twins
    have equal rows of entries, and if k > n/2, all links are inside the only class. A class that is a clique by some
    relations has equal rows when each vertex has itself as an entry by these relations. Two such rows, of u and v,
    differ as the original ones do, except in entries about u and v. There they differ in 0 entries by a relation that
    joins u and v both ways, which is 2 less for each of these entries than in the original rows; in as many as there by
    a relation that joins them one way; and in no fewer by a relation that does not join them. So the bound takes for
    the distance of u and v that of the original rows, minus 2 for each entry that joins them both ways.
    """
    if k == 1 or not graph.m:
        return 0
    closed = 0 < clique <= graph.n
    if 2 * k > graph.n and sensitive.all() and not closed:
        return graph.m
    total = _sum_nearest(graph, k, sensitive, False)
    if not closed:
        return -(-int(total.sum()) // (4 * (k - 1)))
    least = np.minimum(total * (clique - 1), _sum_nearest(graph, clique, sensitive, True) * (k - 1))
    return -(-int(least.sum()) // (4 * (k - 1) * (clique - 1)))


def _sum_nearest(graph: Graph, k: int, sensitive: Bools, closed: bool) -> Ints:
    """Return, for each sensitive vertex, the summed distances of the k-1 nearest rows to its own row."""
    from shoal.core._kernels.alike import least_distances

    indptr, indices = list_rows(graph)
    who, lowest = np.flatnonzero(sensitive), np.argsort(np.diff(indptr[: graph.n + 1]), kind="stable")
    total = np.zeros(len(who), dtype=np.int64)
    mutual = () if graph.ties is None else _list_mutual(graph)

    def piece(first: int, last: int) -> None:
        least_distances(first, last, who, indptr, indices, lowest, k, closed, total, *mutual)

    run_in_pieces(piece, len(who), "bounding the edits", piece=size_heavy_pieces(len(who)))
    return total


def _list_mutual(graph: Graph) -> tuple[Ints, Ints]:
    """Return the rows of the entries whose reverse relation also joins the two vertices, as neighbors."""
    assert graph.ties is not None
    indptr, near, relation, _ = graph.entries()
    many = len(graph.ties.relations)
    owner = np.repeat(np.arange(graph.n, dtype=np.int64), np.diff(indptr))
    keys = (owner * graph.n + near) * many
    both = np.isin(keys + graph.ties.reversals[relation], keys + relation)
    return np.concatenate([[0], np.cumsum(both)])[indptr].astype(np.int64), near[both].astype(np.int32)
