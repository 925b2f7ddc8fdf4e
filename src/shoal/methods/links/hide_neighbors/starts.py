"""Starting graphs of the walk: each already keeps the guarantee, and each is made in a different way."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import CannotPromise, Notice
from shoal.methods.links.equalize_rows import EqualizeRows
from shoal.methods.links.hide_neighbors.degrees import repair_degrees
from shoal.methods.links.hide_neighbors.lines import Lines, count_relations
from shoal.methods.links.hide_neighbors.walk import DEEPEST, Aim, Walk
from shoal.optimize.class_partition import complete_blocks, fill_blocks, grow_classes
from shoal.progress import track

SHORT = 400
"""The sweeps for classes with equal rows if the walk leads far away from them."""
PIECE = 16
"""The number of vertices that are processed between two checks for an interrupt."""
FEW = 10_000
"""With fewer links than this, as many may be added; with more, a tenth of them."""
SMALL = 1000
"""The largest number of vertices for which links are added and removed one by one for three known entries."""
ALL_TRIED = 21
"""The largest number of possible links for which all graphs are tried if no other start works."""


@dataclass
class Starts:
    """The starting graphs of the walk, by name."""

    original: Graph
    aim: Aim
    seed: int
    walk: Walk
    sweeps: int | float
    """The sweeps for the walk and for classes with equal rows. Without a walk, seconds until they are converted."""
    usual: bool
    """Whether the effort is the default."""
    stopped: bool = False
    """Whether the user stopped the construction of a start. That start is valid, and the last one."""
    none_proved: bool = False
    """Whether "none found" proves that none exists."""

    names: ClassVar[tuple[str, ...]] = (
        "degree repair",
        "addition",
        "removal",
        "closed twins",
        "equal rows",
        "all graphs",
    )

    def make_each(self) -> Iterator[tuple[str, Graph]]:
        """Yield valid graphs by name."""
        count = 0
        for name, graph in self._make_each():
            count += graph is not None
            if graph is not None:
                yield name, graph
        n = self.original.n
        if not count and n * (n - 1) // 2 * count_relations(self.original) <= ALL_TRIED:
            self.none_proved = True
            if (graph := self._try_all_graphs()) is not None:
                yield "all graphs", graph

    def _make_each(self) -> Iterator[tuple[str, Graph | None]]:
        aim = self.aim
        if aim.l == 1:
            made = self._repair_degrees()
            yield "degree repair", made
            if made is not None or self.none_proved:
                return
        if aim.can_walk(self.original) and (aim.l < DEEPEST or self.original.n <= SMALL):
            yield "addition", self._add_links()
            if not aim.add_only:
                yield "removal", self._remove_links()
        yield from self._make_with_additions() if aim.add_only else self._make_with_removals()

    def _repair_degrees(self) -> Graph | None:
        """Return a graph whose degrees are 0, or at least k and not too large, with few edits."""
        aim, original = self.aim, self.original
        if not aim.add_only or original.n > aim.k:
            graph = repair_degrees(original, aim.k, aim.add_only, self.seed, aim.who)
            if aim.holds_by_degrees(graph):
                return graph
        if not aim.add_only or original.n > LARGEST or original.ties is not None:
            return None
        made, self.none_proved = find_fewest_additions(original, aim.k, located=aim.reading == "located-relations")
        return made

    def _make_with_removals(self) -> Iterator[tuple[str, Graph]]:
        aim, n = self.aim, self.original.n
        if aim.cliques and aim.k + aim.l <= n:
            closed = aim.reading == "neighbors"
            yield "closed twins", self._equalize(aim.k, aim.l) if closed else self._fill_classes()
        if aim.size <= n and not self.stopped:
            yield "equal rows", self._equalize(aim.size)

    def _make_with_additions(self) -> Iterator[tuple[str, Graph | None]]:
        aim, n = self.aim, self.original.n
        if aim.cliques and aim.k + aim.l <= n:
            yield "closed twins", complete_blocks(self.original, self._grow_classes(), aim.k + aim.l)
        coloring = Coloring(self.original, aim.size)
        codes = coloring.find_classes()
        self.none_proved = aim.reading == "neighbors" and coloring.proved and self.original.ties is None
        yield "equal rows", None if codes is None else complete_blocks(self.original, codes, 0)

    def _fill_classes(self) -> Graph:
        """Return a graph with classes of k + l or more that have equal rows or are cliques."""
        return fill_blocks(self.original, self._grow_classes(), clique=self.aim.k + self.aim.l)

    def _grow_classes(self) -> Ints:
        """Return classes of k + l or more similar vertices."""
        everyone = np.ones(self.original.n, dtype=np.bool_)
        return grow_classes(self.original, self.aim.k + self.aim.l, "jaccard", everyone)

    def _equalize(self, k: int, closed: int | None = None) -> Graph:
        """Return the graph with equal rows. Its notices are dropped, because the walk changes the result."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            release = EqualizeRows(k, closed=closed, effort=self._effort, seed=self.seed)(self.original)
        self.stopped = bool(release.measured.get("stopped early", False))
        if isinstance(self.sweeps, float):
            self.sweeps = int(release.measured["sweeps"])
        return as_graph(release.data)

    @property
    def _effort(self) -> int | float | None:
        # with directions or kinds the walk stays closer to its start
        walks = self.aim.can_walk(self.original) and self.original.ties is None
        if isinstance(self.sweeps, int) and walks and self.aim.reading == "neighbors" and self.aim.l < DEEPEST:
            return min(SHORT, self.sweeps)
        if self.usual:
            return None
        return self.sweeps if isinstance(self.sweeps, int) else self.sweeps / 2  # seconds; other starts need some

    def _remove_links(self) -> Graph:
        """Return the original without the links that leave a vertex with too few candidates."""
        from shoal.methods.links._kernels.agreement import remove

        rows = self.walk.make_rows(self.original)
        while sum(remove(rows, who) for who in self._split_vertices("removing links")):
            pass
        return self.walk.make_graph(rows)

    def _add_links(self) -> Graph | None:
        """Return the original with added links that give every vertex enough candidates, if a few links suffice."""
        from shoal.methods.links._kernels.agreement import add

        many = self.original.m
        rows, left, before = self.walk.make_rows(self.original), many if many < FEW else many // 10, -1
        while before != left:
            before = left
            for who in self._split_vertices("adding links"):
                left -= add(rows, who, left)
                if left < 0:
                    return None
        return self.walk.make_graph(rows)

    def _split_vertices(self, what: str) -> Iterator[Ints]:
        """Yield the vertices by descending degree in small pieces. The user can stop between two pieces."""
        order = np.argsort(-self.original.degree, kind="stable")
        for first in range(0, len(order), PIECE):
            track(what, first, len(order))
            yield order[first : first + PIECE]

    def _try_all_graphs(self) -> Graph | None:
        """Return the best of all valid graphs; with additions only, of those that contain the original."""
        from shoal.methods.links._kernels.agreement import fewest_of_all

        rows, lines = self.walk.make_rows(self.original), Lines.of(self.original)
        free = list(lines.list_free())
        fewest = fewest_of_all(rows, np.array(free, dtype=np.int64).reshape(-1, 2))
        return self.walk.make_graph(rows) if fewest >= 0 else None

    def explain_failure(self) -> CannotPromise:
        """Return an error that says whether it is proved that no such graph exists."""
        aim = self.aim
        what = ("neighbor" if aim.reading == "neighbors" else "relation") + ("s" if aim.l > 1 else "")
        known = f"{aim.l} known {what} {'leave' if aim.l > 1 else 'leaves'} k = {aim.k} candidates"
        sure = "exists" if self.none_proved else "was found, which does not prove that none exists"
        return CannotPromise(
            f"{aim.who}: with additions only, no graph in which {known} {sure}. "
            f"Got {self.original.n:,} vertices. Leave out add_only (--add-only), or lower k or l."
        )


# The fewest links to add so that one known entry of a row leaves k candidates, or a proof that this is impossible.
#
# Every vertex with a link needs k links, and k vertices must lack the link to it: a degree from k to n - k (the vertex
# itself also lacks it). In the located reading the vertex itself is no candidate: k to n - 1 - k, or all n - 1. An
# integer program that is solved exactly chooses the links.

LARGEST = 150
"""The largest number of vertices for the integer program, which has a variable for each missing link."""
NODES = 2_000
"""The limit on branches. If it is reached, "none" is not proved."""


def find_fewest_additions(graph: Graph, k: int, *, located: bool) -> tuple[Graph | None, bool]:
    """Return the graph with the fewest links added, or None and whether that is proved.

    >>> from shoal.data.dataset import as_graph
    >>> import networkx as nx
    >>> find_fewest_additions(as_graph(nx.path_graph(4)), 2, located=False)[0].m
    4
    >>> find_fewest_additions(as_graph(nx.complete_graph(3)), 2, located=False)
    (None, True)
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, diags_array, hstack, vstack

    track("choosing links to add", 0, 0)
    n, degree = graph.n, graph.degree.astype(np.float64)
    linked = graph.to_scipy().toarray() > 0
    u, v = np.nonzero(np.triu(~linked, 1))
    ends = csr_array((np.ones(2 * len(u)), (np.concatenate([u, v]), np.tile(np.arange(len(u)), 2))), shape=(n, len(u)))
    most = n - k - located
    one = diags_array(np.ones(n))
    # y: the vertex has links; z: the vertex is linked to all others
    low = hstack([ends, -k * one, 0 * one])  # degree + added >= k y
    high = hstack([ends, -most * one, -(n - 1 - most) * one])  # degree + added <= most y + (n - 1 - most) z
    whole = hstack([ends, 0 * one, -(n - 1) * one])  # degree + added >= (n - 1) z
    none = np.full(n, np.inf)
    rules = LinearConstraint(
        vstack([low, high, whole]), np.concatenate([-degree, -none, -degree]), np.concatenate([none, -degree, none])
    )
    yes = np.ones(len(u) + 2 * n)
    least = np.concatenate([np.zeros(len(u)), degree > 0, np.zeros(n)])
    yes[len(u) + n :] = located
    cost = np.concatenate([np.ones(len(u)), np.zeros(2 * n)])
    found = milp(cost, constraints=rules, integrality=np.ones_like(cost), bounds=Bounds(least, yes), options=_OPTIONS)
    track("choosing links to add", 1, 1)
    if found.x is None:
        return None, found.status == 2
    chosen = found.x[: len(u)] > 0.5
    a, b, _ = graph.edges()
    sources, targets = np.concatenate([a, u[chosen]]), np.concatenate([b, v[chosen]])
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes), True


_OPTIONS = {"node_limit": NODES, "mip_rel_gap": 0.0}


# Classes of at least a given size without links inside: equal rows need them if no link may be removed.
#
# They are a coloring of the graph in which each color occurs at least that often. Given one, if two classes have a link
# between them, all links between them are added. A backtracking search finds it, vertices of high degree first.
#
# With fewer than k + l vertices, and additions only, such classes of k are the only way to hide l neighbors. So without
# them no guarantee is possible. Proof: a degree above l would leave fewer than k common neighbors to l of the
# neighbors. So all degrees are at most l, and for each v, k vertices have all the neighbors of v. Vertices with a
# maximal neighbor set form classes of k or more with equal rows. Put every v into a class whose row contains its own.
# Two members of a class are never linked: if v and w were, and the row of m contained both of their rows, then w, and
# then m itself, would be a neighbor of m.

STEPS = 20_000
"""The limit on steps. If it is reached, "none" is not proved."""
DEEP = 300
"""Larger graphs are tried once, without backtracking."""


@dataclass
class Coloring:
    """A search for classes of at least `size` members. If `proved` is true, "none found" means that none exist."""

    graph: Graph
    size: int
    steps: int = 0
    most: int = 0
    """The largest possible number of classes."""
    proved: bool = True
    members: list[set[int]] = field(default_factory=list)

    def find_classes(self) -> Ints | None:
        """Return the class of each vertex, or None."""
        self.most = self.graph.n // self.size
        if (
            np.diff(self.graph.indptr).max(initial=0) > self.graph.n - self.size
        ):  # too few vertices are left for its class
            return None
        order = np.argsort(-self.graph.degree, kind="stable").tolist()
        if self.graph.n < self.size or not (self._try(order, 0) if self.graph.n <= DEEP else self._place_once(order)):
            return None
        codes = np.empty(self.graph.n, dtype=np.int64)
        for i, members in enumerate(self.members):
            codes[list(members)] = i
        return codes

    def _try(self, order: list[int], done: int) -> bool:
        """Place the vertices from `done` on, and backtrack if that fails."""
        if done == len(order):
            return True
        self.steps += 1
        track("searching classes without links inside", self.steps, STEPS)
        if self.steps > STEPS:
            self.proved = False
            return False
        for members in self._list_places(order[done]):
            members.add(order[done])
            if self._count_missing() < len(order) - done and self._try(order, done + 1):
                return True
            members.remove(order[done])
        return False

    def _place_once(self, order: list[int]) -> bool:
        """Place each vertex in the first class that it fits."""
        self.proved = False
        self.most = max(1, self.most * 3 // 4)  # leaves room for vertices with neighbors in every class
        for done, v in enumerate(order):
            place = next(self._list_places(v), None)
            if place is None:
                return False
            place.add(v)
            if self._count_missing() >= len(order) - done:
                return False
        return True

    def _count_missing(self) -> int:
        """Return the number of members that the current classes still need."""
        return sum(max(0, self.size - len(members)) for members in self.members)

    def _list_places(self, v: int) -> Iterator[set[int]]:
        """Yield the classes without a neighbor of v: first those that need members, then a new one, then full ones."""
        near = set(self.graph.neighbors(v).tolist())
        fit = [c for c in self.members if len(c) < 2 * self.size - 1 and near.isdisjoint(c)]
        yield from (c for c in fit if len(c) < self.size)
        if len(self.members) < self.most:
            self.members.append(set())
            yield self.members[-1]
            self.members.pop()
        yield from (c for c in fit if len(c) >= self.size)
