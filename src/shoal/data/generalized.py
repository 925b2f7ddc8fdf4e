"""Generalized: the graph of classes. A super-vertex per class, with its size; how many edges are inside and between.

For a k-anonymous graph and its classes of equal rows, and only there, nothing is lost: between two classes all edges
are there or none, and inside none, so that the classes and their sizes are the graph (Stokes & Torra). Otherwise
several graphs have the same classes, its worlds, and the generalized graph tells less (Hay et al.): samples are drawn
from them.

c is the number of classes; a class i has `sizes[i]` members.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.errors import LARGEST, BadGraph, BadParameter, must, whole
from shoal.io.files import RATIO, find_file, limit_reading
from shoal.show import as_html, as_picture


@dataclass(frozen=True, eq=False, repr=False)
class Generalized:
    """The graph of classes: how many members each has, how many edges are inside, and how many between two.

    Build one with :meth:`of`. Who belongs to which class stays with whoever made it: it is never written.

    Examples
    --------
    A square has two classes of opposite corners, joined by all four edges; it comes back:

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> square = as_graph(nx.cycle_graph(4))
    >>> classes = Generalized.of(square, [0, 1, 0, 1])
    >>> classes
    Generalized(2 classes of 2; 4 vertices, 4 edges)
    >>> classes.links.tolist(), classes.between.tolist(), classes.expand() == square
    ([[0, 1]], [4], True)

    The same square in classes of neighbors could be another graph:

    >>> other = Generalized.of(square, [0, 0, 1, 1])
    >>> other.lossless, round(np.exp(other.log_worlds)), other.sample(seed=1).m
    (False, 6, 4)

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.

    M. Hay, G. Miklau, D. Jensen, D. Towsley, P. Weis: Resisting structural re-identification in anonymized social
    networks. PVLDB 2008.
    """

    sizes: Ints
    """The number of members of each class."""
    inside: Ints
    """The number of edges inside each class."""
    links: Ints
    """The pairs of classes with an edge between them, smaller first, ascending; two columns."""
    between: Ints
    """The number of edges between the two classes of each pair."""
    codes: Ints | None = None
    """The class of each vertex: a secret."""
    names: Names | None = None
    """The names of the vertices: a secret."""

    @classmethod
    def of(cls, graph: Any, codes: Iterable[int] | Ints) -> Self:
        """Return the graph of classes.

        Parameters
        ----------
        graph
            A simple graph, as whatever shoal.as_graph takes.
        codes
            A number per vertex, equal inside a class: of equal rows, if they are from
            :func:`shoal.core.twins.find_equal_rows`.
        """
        graph = as_graph(graph)
        must(graph.multiplicity is None, "Generalized", "graph", "a simple graph (leave out multigraph)", graph)
        found = _number_densely(codes, graph.n)
        a, b, _ = graph.edges()
        low, high = np.minimum(found[a], found[b]), np.maximum(found[a], found[b])
        sizes = np.bincount(found)
        c = len(sizes)
        keys, counts = np.unique(low[low < high] * c + high[low < high], return_counts=True)
        links = np.stack([keys // c, keys % c], axis=1)
        return cls(sizes, np.bincount(low[low == high], minlength=c), links, counts, found, graph.names)

    def __post_init__(self) -> None:
        i, j = self.links.reshape(-1, 2).T
        _check(len(self.sizes) > 0 and (self.sizes >= 1).all(), "one class or more, each with one member or more")
        _check((self.sizes <= LARGEST).all() and self.n <= LARGEST, f"{LARGEST:,} members or fewer in all")
        _check(len(self.inside) == len(self.sizes), "a number of inner edges for each class")
        _check(((self.inside >= 0) & (self.inside <= self._pairs_inside)).all(), "no more inner edges than pairs")
        _check(len(self.between) == len(i), "a number of edges for each pair of classes")
        _check(((i >= 0) & (i < j) & (j < len(self.sizes))).all(), "pairs of two classes, the smaller first")
        keys = i.astype(np.int64) * len(self.sizes) + j
        _check((np.diff(keys) > 0).all(), "each pair of classes once, in ascending order")
        _check(((self.between >= 1) & (self.between <= self.sizes[i] * self.sizes[j])).all(), "1 to |Ci||Cj| edges")
        for array in (self.sizes, self.inside, self.links, self.between):
            array.setflags(write=False)

    @property
    def _pairs_inside(self) -> Ints:
        return self.sizes * (self.sizes - 1) // 2

    @property
    def n(self) -> int:
        """Number of vertices in all classes."""
        return int(self.sizes.sum())

    @property
    def m(self) -> int:
        """Number of edges."""
        return int(self.inside.sum() + self.between.sum())

    @property
    def k(self) -> int:
        """The size of the smallest class. Where nothing is lost, the graph is k-anonymous."""
        return int(self.sizes.min())

    @cached_property
    def lossless(self) -> bool:
        """Whether they are classes of equal rows: between two all edges or none, inside none. Then nothing is lost."""
        i, j = self.links.T
        return bool((self.between == self.sizes[i] * self.sizes[j]).all()) and not self.inside.any()

    @cached_property
    def members(self) -> tuple[tuple[Hashable, ...], ...] | None:
        """The names of the members of each class, for whoever made it; None after it was published."""
        if self.codes is None or self.names is None:
            return None
        order = np.argsort(self.codes, kind="stable")
        return tuple(tuple(self.names[int(v)] for v in part) for part in np.split(order, np.cumsum(self.sizes)[:-1]))

    def expand(self) -> Graph:
        """Return the graph that has these classes; vertices are called 0, 1, ... where their names are not known."""
        if not self.lossless:
            i, j = self.links.T
            torn = int((self.between != self.sizes[i] * self.sizes[j]).sum())
            raise BadGraph(
                "Generalized: only a k-anonymous graph can be expanded: between two classes all edges or none, "
                f"inside none. Got {torn:,} pairs of classes with some of theirs, "
                f"{int((self.inside > 0).sum()):,} classes with edges inside."
            )
        codes = np.repeat(np.arange(len(self.sizes)), self.sizes) if self.codes is None else self.codes
        order = np.argsort(codes, kind="stable")
        begins = np.cumsum(self.sizes) - self.sizes
        i, j = np.repeat(self.links, self.between, axis=0).T
        place = np.arange(len(i)) - np.repeat(np.cumsum(self.between) - self.between, self.between)
        a, b = order[begins[i] + place // self.sizes[j]], order[begins[j] + place % self.sizes[j]]
        return Graph.from_pairs(Names(range(self.n)) if self.names is None else self.names, a, b)

    @cached_property
    def log_worlds(self) -> float:
        """The natural logarithm of the number of worlds: graphs with these members and these numbers of edges.

        Of each block of s pairs e are linked, in one of C(s, e) ways. Rounded as sums of such logarithms are.
        """
        from scipy.special import gammaln

        s, e = self._blocks
        return float(np.sum(gammaln(s + 1.0) - gammaln(e + 1.0) - gammaln(s - e + 1.0)))

    @property
    def certain(self) -> int:
        """How many edges are in full blocks, in which every pair is linked: they are told for certain."""
        s, e = self._blocks
        return int(e[e == s].sum())

    @property
    def _blocks(self) -> tuple[Ints, Ints]:
        """The pairs of vertices and the edges of each block that has edges."""
        i, j = self.links.reshape(-1, 2).T
        linked = self.inside > 0
        pairs = np.concatenate([self._pairs_inside[linked], self.sizes[i] * self.sizes[j]])
        return pairs, np.concatenate([self.inside[linked], self.between])

    def sample(self, seed: int = 0) -> Graph:
        """Draw a graph with exactly these numbers of edges, each such graph as likely as another.

        It is a function of the numbers and the seed alone. Vertices are called 0, 1, ..., class after class, where
        their names are not known. For the same numbers in the same order, the same seed draws the same graph.
        """
        return self.drawn(whole(seed, "Generalized", "seed", least=0, most=None), 0)

    def samples(self, count: int = 30, seed: int = 0) -> Samples:
        """Return several graphs, each drawn when it is looked at; the first is that of :meth:`sample`."""
        many, drawn = (
            whole(count, "Generalized", "count", least=1),
            whole(seed, "Generalized", "seed", least=0, most=None),
        )
        return Samples(self, many, drawn)

    def drawn(self, seed: int, which: int) -> Graph:
        """Draw the sample of some number."""
        a, b = draw_pairs(self.sizes, self.inside, self.links, self.between, seed, which)
        if self.codes is not None:  # the members of a class sit in the order of their ids
            seats = np.argsort(self.codes, kind="stable")
            a, b = seats[a], seats[b]
        return Graph.from_pairs(Names(range(self.n)) if self.names is None else self.names, a, b)

    def published(self, seed: int | None = None) -> Self:
        """Return it without members, the classes in a shuffled order.

        The order of classes would tell which of them the first vertices of the original belong to.

        Parameters
        ----------
        seed
            What the order is drawn from: a secret. None draws one that nobody can guess.
        """
        drawn = secrets.randbits(128) if seed is None else whole(seed, "Generalized", "seed", least=0, most=None)
        order = np.random.default_rng([drawn, 1]).permutation(len(self.sizes))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        links = np.sort(rank[self.links], axis=1)
        ascending = np.lexsort((links[:, 1], links[:, 0]))
        sizes, inside = self.sizes[order], self.inside[order]
        return replace(self, sizes=sizes, inside=inside, links=links[ascending], between=self.between[ascending],
                       codes=None, names=None)  # fmt: skip

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - the word of the command line
        seed: int | None = None,
        force: bool = False,
    ) -> None:
        """Write it to a .json or .graphml file, without members; where it has any, :meth:`published` first."""
        from shoal.io.formats.generalized import save

        save(self if self.codes is None and self.names is None else self.published(seed), Path(path), format, force)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - the word of the command line
        trust_counts: bool = False,
        max_ratio: float = RATIO,
    ) -> Generalized:
        """Read what :meth:`save` wrote; `trust_counts` and `max_ratio` are those of :func:`shoal.read_graph`."""
        from shoal.io.formats.generalized import read

        with limit_reading(trust_counts, max_ratio):
            return read(find_file(path), format)

    def draw(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Draw it into a .png, .svg or .html file: a circle per class, a line where there are edges between two."""
        as_picture(self, Path(path), force)

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same classes, in the same order, and the same edges; whoever the members are."""
        if not isinstance(other, Generalized):
            return NotImplemented
        mine, theirs = ((x.sizes, x.inside, x.links, x.between) for x in (self, other))
        return all(np.array_equal(x, y) for x, y in zip(mine, theirs, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        least, most = self.k, int(self.sizes.max())
        classes = f"{len(self.sizes):,} {'class' if len(self.sizes) == 1 else 'classes'}"
        sizes = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return f"Generalized({classes} of {sizes}; {self.n:,} vertices, {self.m:,} edges)"

    def _repr_html_(self) -> str:
        return as_html(self)


@dataclass(frozen=True, eq=False)
class Samples(Sequence[Graph]):
    """Graphs drawn from a generalized one; each is drawn when it is looked at, so that many take no room.

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
        """Draw one, or several."""
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
            f"Generalized: 'codes' must be a whole number per vertex ({n:,}). Got {array.dtype} of shape {array.shape}."
        )
    return np.unique(array, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _check(holds: object, rule: str) -> None:
    if not holds:
        raise BadGraph(f"Generalized: there must be {rule}. There are not.")


# Sampling: graphs that have given numbers of edges inside and between classes, each such world as likely as another.
#
# Nothing else goes in: not who the members are, not which pairs were linked. So whatever is drawn tells no more than
# the numbers do, and the members of a class are exchangeable in it.
#
# c is the number of classes; members of class i have the ids from `begins[i]` on, class after class.

SAMPLE = 3
"""Follows the seed: what a method and the order of a file are drawn from the same seed is independent of it."""


def draw_pairs(sizes: Ints, inside: Ints, links: Ints, between: Ints, seed: int, which: int) -> tuple[Ints, Ints]:
    """Return the ends of the edges of sample number `which` of a seed; members are numbered class by class.

    >>> a, b = draw_pairs(np.array([2, 1]), np.array([1, 0]), np.array([[0, 1]]), np.array([2]), 0, 0)
    >>> sorted(zip(a.tolist(), b.tolist()))
    [(0, 1), (0, 2), (1, 2)]
    """
    rng = np.random.default_rng([seed, SAMPLE, which])
    begins = np.cumsum(sizes) - sizes
    at, pair = choose_subsets(sizes * (sizes - 1) // 2, inside, rng)
    low, high = unrank_pairs(pair)
    i, j = links.reshape(-1, 2).T
    block, cell = choose_subsets(sizes[i] * sizes[j], between, rng)
    width = sizes[j][block]
    first = np.concatenate([begins[at] + low, begins[i][block] + cell // width])
    return first, np.concatenate([begins[at] + high, begins[j][block] + cell % width])


def choose_subsets(slots: Ints, edges: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Choose `edges[b]` of the numbers 0 to `slots[b]` - 1, for each block b; every subset is equally likely.

    Numbers are drawn until there are enough different ones: no number is treated unlike another, so neither is a
    subset. Of a block more than half full those left out are drawn, so that no more than half are repeated.

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
    """Draw `wanted[b]` different numbers below `slots[b]` for each block b."""
    starts = np.cumsum(slots) - slots
    keys = np.empty(0, dtype=np.int64)
    lacking = wanted
    while lacking.any():
        block = np.repeat(np.arange(len(slots)), lacking)
        keys = np.sort(np.concatenate([keys, starts[block] + rng.integers(0, slots[block])]))
        keys = keys[np.diff(keys, prepend=-1) > 0]  # a sort is much faster here than the hashes of np.unique
        have = np.bincount(np.searchsorted(starts, keys, side="right") - 1, minlength=len(slots))
        lacking = wanted - have
    block = np.repeat(np.arange(len(slots)), wanted)
    return block, keys - starts[block]


def unrank_pairs(pair: Ints) -> tuple[Ints, Ints]:
    """Return the two members, smaller first, that a number of a pair stands for: (0,1), (0,2), (1,2), (0,3), ...

    >>> [x.tolist() for x in unrank_pairs(np.arange(6))]
    [[0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3]]
    """
    high = ((1 + np.sqrt(1 + 8 * pair.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > pair  # a root may be rounded across a whole number
    high += high * (high + 1) // 2 <= pair
    return pair - high * (high - 1) // 2, high
