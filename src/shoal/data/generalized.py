"""Generalized graph: one super-vertex per class of vertices, with its size and the edges inside and between classes.

It determines the graph if and only if the classes have equal rows: between two classes all edges exist or none, and
no edge is inside a class (Stokes & Torra). Otherwise several graphs, its worlds, have the same generalized graph, and
samples are drawn from them (Hay et al.).

Where links have directions or kinds, they are counted for each relation: the kind, and whether links lead both ways or
out. Directed links from class i to class j and those from j to i are counted apart.

c is the number of classes; class i has `sizes[i]` members.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph, link_graph
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.data.ties import Relation, sort_relations
from shoal.errors import LARGEST, BadGraph, BadParameter, must, public, whole
from shoal.io.files import RATIO, find_file, limit_reading
from shoal.seeds import AnySeed, draw_seed, parse_seed
from shoal.show import as_html, as_picture


@dataclass(frozen=True, eq=False, repr=False)
class Generalized:
    """Graph of classes: the size of each class, and the numbers of edges inside each class and between two classes.

    Build one with :meth:`of`. The assignment of vertices to classes is secret and never written to a file.

    Examples
    --------
    A square has two classes of opposite corners, joined by all four edges. It can be restored:

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> square = as_graph(nx.cycle_graph(4))
    >>> classes = Generalized.of(square, [0, 1, 0, 1])
    >>> classes
    Generalized(2 classes of 2; 4 vertices, 4 edges)
    >>> classes.links.tolist(), classes.between.tolist(), classes.expand() == square
    ([[0, 1]], [4], True)

    With neighbors in the same class, other graphs have the same numbers:

    >>> other = Generalized.of(square, [0, 0, 1, 1])
    >>> other.lossless, round(np.exp(other.log_worlds)), other.sample(seed=1).m
    (False, 6, 4)

    Arcs are counted by their direction:

    >>> arcs = Graph.from_pairs("abc", [0, 1, 2], [2, 2, 1], directed=True)
    >>> classes = Generalized.of(arcs, [0, 0, 1])
    >>> classes
    Generalized(2 classes of 1 to 2; 3 vertices, 3 links; directed)
    >>> classes.links.tolist(), classes.between.tolist(), classes.relations
    ([[0, 1, 0], [1, 0, 0]], [2, 1], (Relation(kind=None, direction='out'),))

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.

    M. Hay, G. Miklau, D. Jensen, D. Towsley, P. Weis: Resisting structural re-identification in anonymized social
    networks. PVLDB 2008.
    """

    sizes: Ints
    """The number of members of each class."""
    inside: Ints
    """The number of edges inside each class. With relations, a column for each."""
    links: Ints
    """The pairs of classes with an edge between them, smaller first, ascending; two columns. With relations, a third
    column holds the relation, and directed links lead from the first class to the second."""
    between: Ints
    """The number of edges between the two classes of each pair."""
    codes: Ints | None = None
    """The class of each vertex. Secret."""
    names: Names | None = None
    """The names of the vertices. Secret."""
    relations: tuple[Relation, ...] = ()
    """The kinds and directions ("both" or "out") of links, sorted; none if links have neither."""

    @classmethod
    def of(cls, graph: Any, codes: Iterable[int] | Ints) -> Self:
        """Build the graph of classes.

        Parameters
        ----------
        graph
            A simple graph, or any object that :func:`shoal.as_graph` accepts.
        codes
            The class of each vertex, as integers. Those of :func:`shoal.core.twins.find_equal_rows` give classes of
            equal rows.
        """
        graph = as_graph(graph)
        must(not graph.is_multigraph, "Generalized", "graph", "a simple graph (without multigraph)", graph)
        found = _number_densely(codes, graph.n)
        a, b, relation = graph.list_links()
        sizes = np.bincount(found)
        if relation is not None and graph.ties is not None:
            forward = [r for r, one in enumerate(graph.ties.relations) if one.direction != "in"]
            relations = tuple(graph.ties.relations[r] for r in forward)
            numbers = _count_by_relation(found[a], found[b], np.searchsorted(forward, relation), len(sizes), relations)
            return cls(sizes, *numbers, found, graph.names, relations)
        low, high = np.minimum(found[a], found[b]), np.maximum(found[a], found[b])
        c = len(sizes)
        keys, counts = np.unique(low[low < high] * c + high[low < high], return_counts=True)
        links = np.stack([keys // c, keys % c], axis=1)
        return cls(sizes, np.bincount(low[low == high], minlength=c), links, counts, found, graph.names)

    def __post_init__(self) -> None:
        i, j, at = self._ends
        c, many = len(self.sizes), max(1, len(self.relations))
        _check(c > 0 and (self.sizes >= 1).all(), "at least one class, and at least one member in each")
        _check((self.sizes <= LARGEST).all() and self.n <= LARGEST, f"at most {LARGEST:,} members in total")
        _check(
            self.inside.shape == ((c, many) if self.relations else (c,)),
            "one number of inner edges per class" + (" and relation" if self.relations else ""),
        )
        _check(
            ((self.inside >= 0) & (self.inside <= self._pairs_inside)).all(),
            "no more inner edges than pairs",
        )
        _check(len(self.between) == len(i), "one number of edges per pair of classes")
        _check((i != j).all() and ((i >= 0) & (i < c) & (j >= 0) & (j < c)).all(), "pairs of different classes")
        _check(((at >= 0) & (at < many)).all(), "relations from its list of relations")
        _check(((i < j) | self._arrows[at]).all(), "the smaller number first where links have no direction")
        keys = (i.astype(np.int64) * c + j) * many + at
        _check((np.diff(keys) > 0).all(), "each pair of classes once, in ascending order")
        _check(
            ((self.between >= 1) & (self.between <= self.sizes[i] * self.sizes[j])).all(),
            "1 to |Ci||Cj| edges per pair",
        )
        for array in (self.sizes, self.inside, self.links, self.between):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writable

    @property
    def _arrows(self) -> Bools:
        """Which relations have a direction; without relations, one that has none."""
        return np.array([one.direction == "out" for one in self.relations] or [False], dtype=np.bool_)

    @property
    def _ends(self) -> tuple[Ints, Ints, Ints]:
        """The two classes and the relation of each pair of classes."""
        links = self.links.reshape(-1, 3 if self.relations else 2)
        return links[:, 0], links[:, 1], links[:, 2] if self.relations else np.zeros(len(links), dtype=np.int64)

    @property
    def _pairs_inside(self) -> Ints:
        """The largest possible number of edges inside each class; with relations, a column for each."""
        pairs = self.sizes * (self.sizes - 1) // 2
        return pairs[:, None] * (1 + self._arrows) if self.relations else pairs

    @property
    def n(self) -> int:
        """Number of vertices."""
        return int(self.sizes.sum())

    @property
    def m(self) -> int:
        """Number of edges."""
        return int(self.inside.sum() + self.between.sum())

    @property
    def k(self) -> int:
        """The size of the smallest class. If :attr:`lossless`, the graph is k-anonymous."""
        return int(self.sizes.min())

    @cached_property
    def lossless(self) -> bool:
        """Whether the graph can be restored: between two classes all edges or none, and none inside a class."""
        i, j, _ = self._ends
        return bool((self.between == self.sizes[i] * self.sizes[j]).all()) and not self.inside.any()

    @cached_property
    def members(self) -> tuple[tuple[Hashable, ...], ...] | None:
        """The names of the members of each class. Secret; None after :meth:`published`."""
        if self.codes is None or self.names is None:
            return None
        order = np.argsort(self.codes, kind="stable")
        return tuple(tuple(self.names[int(v)] for v in part) for part in np.split(order, np.cumsum(self.sizes)[:-1]))

    def expand(self) -> Graph:
        """Return the graph that has these classes; vertices are named 0, 1, ... if their names are not known."""
        if not self.lossless:
            i, j, _ = self._ends
            torn = int((self.between != self.sizes[i] * self.sizes[j]).sum())
            full = int((self.count_inside() > 0).sum())
            raise BadGraph(
                "Generalized: to expand, all edges or none must exist between two classes, and none inside a class. "
                f"Got {torn:,} pairs of classes with only some edges and {full:,} classes "
                "with edges inside. Use sample() instead."
            )
        codes = np.repeat(np.arange(len(self.sizes)), self.sizes) if self.codes is None else self.codes
        order = np.argsort(codes, kind="stable")
        begins = np.cumsum(self.sizes) - self.sizes
        i, j, at = (np.repeat(ends, self.between) for ends in self._ends)
        place = np.arange(len(i)) - np.repeat(np.cumsum(self.between) - self.between, self.between)
        return self._link(order[begins[i] + place // self.sizes[j]], order[begins[j] + place % self.sizes[j]], at)

    def _link(self, a: Ints, b: Ints, relation: Ints) -> Graph:
        """Return the graph of links from a[i] to b[i]; vertices are named 0, 1, ... if their names are not known."""
        names = Names(range(self.n)) if self.names is None else self.names
        if not self.relations:
            return Graph.from_pairs(names, a, b)
        every = sort_relations(self.relations)
        seen = np.array([every.index(one) for one in self.relations], dtype=np.int64)[relation]
        return link_graph(names, a, b, seen, None, every, False, Table(self.n))

    def count_inside(self) -> Ints:
        """Return the number of edges inside each class, over all relations."""
        return self.inside.sum(axis=1) if self.relations else self.inside

    @property
    def links_per_pair(self) -> int:
        """The largest possible number of links between two vertices: one per kind, or two if it has a direction."""
        return int((1 + self._arrows).sum())

    def list_pairs(self) -> tuple[Ints, Ints]:
        """Return the pairs of classes with edges, smaller first, each once, and the edges over all relations."""
        if not self.relations:
            return self.links.reshape(-1, 2), self.between
        c = len(self.sizes)
        low, high = np.sort(self.links[:, :2], axis=1).T
        keys, which = np.unique(low * c + high, return_inverse=True)
        edges = np.bincount(which.reshape(-1), weights=self.between, minlength=len(keys)).astype(np.int64)
        return np.stack([keys // c, keys % c], axis=1), edges

    @cached_property
    def log_worlds(self) -> float:
        """The natural logarithm of the number of worlds: graphs with these classes and these numbers of edges.

        In each block of s pairs, e are linked, in one of C(s, e) ways. The sum is in floating point.
        """
        from scipy.special import gammaln

        s, e = self._blocks
        return float(np.sum(gammaln(s + 1.0) - gammaln(e + 1.0) - gammaln(s - e + 1.0)))

    @property
    def certain(self) -> int:
        """The number of edges in full blocks, where every pair is linked: these edges are certain."""
        s, e = self._blocks
        return int(e[e == s].sum())

    @property
    def _blocks(self) -> tuple[Ints, Ints]:
        """The numbers of vertex pairs and of edges of each block that has edges."""
        i, j, _ = self._ends
        linked = self.inside > 0
        pairs = np.concatenate([self._pairs_inside[linked], self.sizes[i] * self.sizes[j]])
        return pairs, np.concatenate([self.inside[linked], self.between])

    def sample(self, seed: AnySeed = 0) -> Graph:
        """Draw a graph uniformly from those with exactly these numbers of edges.

        The draw depends only on the numbers, their order and the seed. Vertices are named 0, 1, ..., class by class,
        if their names are not known.
        """
        return self.drawn(parse_seed(seed, "Generalized"), 0)

    def samples(self, count: int = 30, seed: AnySeed = 0) -> Samples:
        """Return a sequence of samples, each drawn on access; the first is that of :meth:`sample`."""
        return Samples(self, whole(count, "Generalized", "count", least=1), parse_seed(seed, "Generalized"))

    def drawn(self, seed: int, which: int) -> Graph:
        """Draw sample number `which`."""
        i, j, at = self._ends
        inner = (self.inside.reshape(len(self.sizes), -1), self._arrows)
        a, b, relation = draw_pairs(self.sizes, *inner, np.stack([i, j], axis=1), self.between, at, seed, which)
        if self.codes is not None:  # members of a class are numbered in the order of their ids
            seats = np.argsort(self.codes, kind="stable")
            a, b = seats[a], seats[b]
        return self._link(a, b, relation)

    def published(self, seed: AnySeed | None = None) -> Self:
        """Return a copy without names and members, its classes shuffled.

        The original order would reveal the classes of the first vertices of the original.

        Parameters
        ----------
        seed
            Random seed of the order. Keep it private; random by default.
        """
        order = np.random.default_rng([draw_seed(seed, "Generalized"), 1]).permutation(len(self.sizes))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        i, j, at = self._ends
        i, j = rank[i], rank[j]
        turned = (i > j) & ~self._arrows[at]
        i, j = np.where(turned, j, i), np.where(turned, i, j)
        ascending = np.lexsort((at, j, i))
        links = np.stack([i, j, at] if self.relations else [i, j], axis=1)[ascending]
        sizes, inside = self.sizes[order], self.inside[order]
        return replace(self, sizes=sizes, inside=inside, links=links, between=self.between[ascending],
                       codes=None, names=None)  # fmt: skip

    @public
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - as on the command line
        seed: AnySeed | None = None,
        force: bool = False,
    ) -> None:
        """Write a .json or .graphml file without names and members, shuffled as by :meth:`published`."""
        from shoal.io.formats.generalized import save

        save(self if self.codes is None and self.names is None else self.published(seed), Path(path), format, force)

    @classmethod
    @public
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - as on the command line
        trust_counts: bool = False,
        max_ratio: float = RATIO,
    ) -> Generalized:
        """Read a file of :meth:`save`; for `trust_counts` and `max_ratio` see :func:`shoal.read_graph`."""
        from shoal.io.formats.generalized import read

        with limit_reading(trust_counts, max_ratio):
            return read(find_file(path), format)

    def draw(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Draw a .png, .svg or .html file: a circle per class, a line between classes with edges."""
        as_picture(self, Path(path), force)

    def __eq__(self, other: object) -> bool:
        """Return whether sizes, relations and numbers of edges are equal, in the same order; members do not count."""
        if not isinstance(other, Generalized):
            return NotImplemented
        mine, theirs = ((x.sizes, x.inside, x.links, x.between) for x in (self, other))
        return self.relations == other.relations and all(
            np.array_equal(x, y) for x, y in zip(mine, theirs, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        least, most = self.k, int(self.sizes.max())
        classes = f"{len(self.sizes):,} {'class' if len(self.sizes) == 1 else 'classes'}"
        sizes = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        form = "; directed" if self._arrows.any() else ""
        kinds = dict.fromkeys(one.kind for one in self.relations if one.kind is not None)
        form += f"; {len(kinds):,} {'kind' if len(kinds) == 1 else 'kinds'}" if kinds else ""
        links = "links" if self.relations else "edges"
        return f"Generalized({classes} of {sizes}; {self.n:,} vertices, {self.m:,} {links}{form})"

    def _repr_html_(self) -> str:
        return as_html(self)


@dataclass(frozen=True, eq=False)
class Samples(Sequence[Graph]):
    """Sequence of graphs sampled from a generalized graph; each is drawn on access, to save memory.

    >>> ring = Generalized.of([("a", "b"), ("b", "c"), ("c", "a")], [0, 0, 1])
    >>> drawn = ring.samples(3, seed=7)
    >>> len(drawn), [g.m for g in drawn], drawn[-1] == drawn[2], len(drawn[1:])
    (3, [3, 3, 3], True, 2)
    """

    of: Generalized
    many: int
    seed: int

    def __len__(self) -> int:
        return self.many

    def __getitem__(self, which: Any) -> Any:
        """Draw one sample, or a list of samples for a slice."""
        found = range(self.many)[which]
        return (
            [self.of.drawn(self.seed, i) for i in found]
            if isinstance(found, range)
            else self.of.drawn(self.seed, found)
        )


def _number_densely(codes: Iterable[int] | Ints, n: int) -> Ints:
    array: Any = np.asarray(codes if isinstance(codes, np.ndarray) else list(codes))
    if array.shape != (n,) or not np.issubdtype(array.dtype, np.integer):
        raise BadParameter(
            f"Generalized: 'codes' must hold one integer per vertex ({n:,}). Got {array.dtype} of shape {array.shape}."
        )
    return np.unique(array, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _count_by_relation(
    first: Ints, second: Ints, relation: Ints, c: int, relations: tuple[Relation, ...]
) -> tuple[Ints, Ints, Ints]:
    """Return the links inside each class, the pairs of classes with their relation, and the links between them.

    `first` and `second` are the classes of the source and of the target of each link.
    """
    many, within = len(relations), first == second
    inside = np.bincount(first[within] * many + relation[within], minlength=c * many).reshape(c, many)
    arrows = np.array([one.direction == "out" for one in relations], dtype=np.bool_)[relation]
    turned = (first > second) & ~arrows
    low, high = np.where(turned, second, first), np.where(turned, first, second)
    keys, counts = np.unique(((low * c + high) * many + relation)[~within], return_counts=True)
    return inside, np.stack([keys // many // c, keys // many % c, keys % many], axis=1), counts


def _check(holds: object, rule: str) -> None:
    if not holds:
        raise BadGraph(f"Generalized: the data must have {rule}. It does not.")


# Sampling: draw uniformly from the graphs with given numbers of edges inside and between classes.
#
# The draw uses nothing but these numbers: neither the members nor the original edges. So a sample reveals no more than
# the numbers do, and the members of a class are exchangeable in it.
#
# c is the number of classes; the members of class i have consecutive ids from `begins[i]`.

SAMPLE = 3
"""Added to the seed, so that samples are independent of other draws from the same seed."""


def draw_pairs(
    sizes: Ints, inside: Ints, arrows: Bools, links: Ints, between: Ints, relation: Ints, seed: int, which: int
) -> tuple[Ints, Ints, Ints]:
    """Return the ends and relations of the edges of sample number `which`; members are numbered class by class.

    `inside` has a column per relation, `arrows` says which relations have a direction, and `relation` is that of each
    pair of classes.

    >>> one, none = np.zeros(1, dtype=int), np.zeros(1, dtype=bool)
    >>> a, b, _ = draw_pairs(np.array([2, 1]), np.array([[1], [0]]), none, np.array([[0, 1]]), np.array([2]), one, 0, 0)
    >>> sorted(zip(a.tolist(), b.tolist()))
    [(0, 1), (0, 2), (1, 2)]
    """
    rng = np.random.default_rng([seed, SAMPLE, which])
    begins = np.cumsum(sizes) - sizes
    pairs = sizes * (sizes - 1) // 2
    cell, place = choose_subsets((pairs[:, None] * (1 + arrows)).reshape(-1), inside.reshape(-1), rng)
    at, label = cell // len(arrows), cell % len(arrows)
    back = place >= pairs[at]  # the second half of the ordered pairs
    low, high = unrank_pairs(place - back * pairs[at])
    low, high = np.where(back, high, low), np.where(back, low, high)
    i, j = links.reshape(-1, 2).T
    block, cell = choose_subsets(sizes[i] * sizes[j], between, rng)
    width = sizes[j][block]
    first = np.concatenate([begins[at] + low, begins[i][block] + cell // width])
    second = np.concatenate([begins[at] + high, begins[j][block] + cell % width])
    return first, second, np.concatenate([label, relation[block]])


def choose_subsets(slots: Ints, edges: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Choose a uniform random subset of `edges[b]` of the numbers 0 to `slots[b]` - 1, for each block b.

    Numbers are drawn until enough distinct ones are found. All numbers are treated alike, so all subsets are equally
    likely. In a block more than half full, the complement is drawn, so that at most half of the draws repeat.

    Returns
    -------
    The block of each number, and the number.
    """
    many = 2 * edges > slots
    block, number = _draw_distinct(slots, np.where(many, slots - edges, edges), rng)
    out = many[block]
    full = np.repeat(np.flatnonzero(many), slots[many])
    every = np.arange(len(full)) - np.repeat(np.cumsum(slots[many]) - slots[many], slots[many])
    starts = np.cumsum(slots) - slots
    stay = ~np.isin(starts[full] + every, starts[block[out]] + number[out], assume_unique=True)
    return np.concatenate([block[~out], full[stay]]), np.concatenate([number[~out], every[stay]])


def _draw_distinct(slots: Ints, wanted: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw `wanted[b]` distinct numbers below `slots[b]` for each block b."""
    starts = np.cumsum(slots) - slots
    keys = np.empty(0, dtype=np.int64)
    lacking = wanted
    while lacking.any():
        block = np.repeat(np.arange(len(slots)), lacking)
        keys = np.sort(np.concatenate([keys, starts[block] + rng.integers(0, slots[block])]))
        keys = keys[np.diff(keys, prepend=-1) > 0]  # sorting is much faster here than np.unique
        have = np.bincount(np.searchsorted(starts, keys, side="right") - 1, minlength=len(slots))
        lacking = wanted - have
    block = np.repeat(np.arange(len(slots)), wanted)
    return block, keys - starts[block]


def unrank_pairs(pair: Ints) -> tuple[Ints, Ints]:
    """Return the members, smaller first, of each pair number in the order (0,1), (0,2), (1,2), (0,3), ...

    >>> [x.tolist() for x in unrank_pairs(np.arange(6))]
    [[0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3]]
    """
    high = ((1 + np.sqrt(1 + 8 * pair.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > pair  # corrects a root that was rounded past an integer
    high += high * (high + 1) // 2 <= pair
    return pair - high * (high - 1) // 2, high
