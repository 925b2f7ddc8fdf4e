"""Release: what a method made of the data, and what it promises.

`release.graph` keeps the original names for whoever made it; :meth:`Release.save` writes fresh ones in a shuffled
order. A seed that protects a permutation is secret: it goes into the mapping file, never into the published ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from shoal.data.graph import Graph, Ints
from shoal.data.records import Records
from shoal.data.table import Table
from shoal.release.edits import Utility, utility
from shoal.show import as_html, as_text

if TYPE_CHECKING:
    import os

Ground = Literal["equal records", "secret permutation", "exchangeable draw"]
"""What a promise of confusion rests on: the members of a class are published alike; who gets which of the published
records of the class is a secret uniform permutation; they are drawn alike from what depends on the class as a set."""

Reason = Literal["release", "policy", "classes"]
"""Why a number may stand in a public file: it can be counted in the published files; it was declared before the data
were looked at; or the promise rests on classes, and it stays the same when two members of a class are exchanged in the
original."""


@dataclass(frozen=True)
class Promise:
    """Whoever knows `knows` is left with at least k candidates."""

    knows: Any
    """An adversary."""
    k: int
    vertices: Literal["all"] | tuple[Hashable, ...] = "all"
    """Who is protected; the others count as candidates."""
    source: Literal["release", "original"] = "release"
    """Where the attacker measures what is known: in the release itself, or in the original."""

    @property
    def covers(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        parts = getattr(self.knows, "parts", (self.knows,))
        return tuple(name for part in parts for name in (*getattr(part, "names", ()), *getattr(part, "labels", ())))


@dataclass(frozen=True)
class ConfusionPromise:
    """n-confusion: what is published could be of any of n individuals, as far as the columns (and the links) tell.

    It holds against an attacker who knows the whole original and the method, everything but the seed: given that, the
    members of a class are equally probable, so that n individuals or more reach the probability t. (A method that is
    calibrated but knows less may spread its probabilities unevenly; see :func:`shoal.linkage.calibrated_threshold`.)
    """

    n: int
    t: Fraction
    columns: tuple[str, ...]
    by: Any
    """The method that protected the records inside their classes."""
    of: Literal["entries", "vertices"] = "entries"
    """What could be of any of n: every published entry, and which record is whose; or only which vertex somebody is,
    though a value may still tell whose it was (E30)."""

    @property
    def covers(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        return self.columns

    @property
    def ground(self) -> Ground:
        """What it rests on."""
        found: Ground = self.by.ground
        return found


@dataclass(frozen=True)
class RadiusPromise:
    """A similarity radius: the row of every vertex is like those of k vertices or more, itself included.

    It is what the paper's Algorithm 4 raises, and only an upper bound of the l of (k,l)-anonymity (E1, E2, E22).
    """

    k: int
    l: int
    """How similar they are at least."""
    similarity: Literal["manhattan", "2-path"]
    """Counted in entries in which two rows agree, or in common neighbors."""
    reached: int | None = field(default=None, compare=False, repr=False)
    """The radius that the release has, at least l. It is what is published: where l is one more than the radius of the
    original, it would tell that."""

    @property
    def covers(self) -> tuple[str, ...]:
        """The columns it speaks of: none."""
        return ()


@dataclass(frozen=True)
class ExchangeabilityPromise:
    """The members of a class, k or more, are exchangeable: nothing published tells them apart by their links.

    What is published depends on the links only by the number of edges inside and between classes, and on chance.
    Taking all worlds, the graphs with these numbers, as equally likely, any question about the structure around a
    vertex leaves the members of its class as equally likely answers (Hay et al. 2008). It is no promise of equal
    rows: in a drawn graph the members of a class have different neighbors, which are nobody's in particular.
    """

    k: int

    @property
    def covers(self) -> tuple[str, ...]:
        """The columns it speaks of: none."""
        return ()


AnyPromise = Promise | ConfusionPromise | RadiusPromise | ExchangeabilityPromise


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What a method made of the data, with a promise that was verified before it was handed over."""

    original: Graph
    """What it was made from."""
    graph: Graph
    """What may be published, under the original names."""
    promise: tuple[AnyPromise, ...]
    method: Any
    """The method that made it."""
    codes: Ints | None = None
    """One number per individual, equal inside a class; None where the method makes no classes."""
    seed: int | tuple[int | None, ...] | None = None
    """What every random choice was drawn from: a secret. One for each step, where there were several."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """What the method counted: loss of information, edits, and the like. Its maker sees all of it; what of it may stand
    in a public file is in the `public_measures` of the method."""
    notes: tuple[str, ...] = ()
    """What its maker must know."""
    verification: tuple[str, ...] = ()
    """How each promise was verified, a sentence each."""

    @property
    def table(self) -> Table:
        """What may be published about each individual besides the links."""
        return self.graph.attributes

    @property
    def uncovered(self) -> tuple[str, ...]:
        """The columns that no promise speaks of: whoever knows them may tell people apart."""
        covered = {name for promise in self.promise for name in promise.covers}
        return tuple(name for name in self.graph.attributes if name not in covered)

    @property
    def leaves_others_out(self) -> bool:
        """Whether a promise is about some of the individuals only: the others are not protected by it."""
        return any(isinstance(promise, Promise) and promise.vertices != "all" for promise in self.promise)

    @property
    def rests_on_classes(self) -> bool:
        """Whether what is promised holds for everybody because nobody is alone in a class."""
        if not self.promise or self.leaves_others_out or self.codes is None or not len(self.codes):
            return False
        return bool(np.unique(self.codes, return_counts=True)[1].min() > 1)

    @cached_property
    def classes(self) -> tuple[tuple[Hashable, ...], ...]:
        """The names of the members of each class."""
        if self.codes is None:
            return ()
        order = np.argsort(self.codes, kind="stable")
        ends = np.flatnonzero(np.diff(self.codes[order])) + 1
        return tuple(tuple(self.graph.names[int(v)] for v in part) for part in np.split(order, ends))

    @cached_property
    def added(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The edges that only the release has."""
        return _edges_beyond(self.graph, self.original)

    @cached_property
    def removed(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The edges that only the original has."""
        return _edges_beyond(self.original, self.graph)

    @property
    def edit_ratio(self) -> float:
        """Edges added and removed, per edge of the original; 0 where it has none."""
        return (len(self.added) + len(self.removed)) / self.original.m if self.original.m else 0.0

    @cached_property
    def utility(self) -> Utility | None:
        """What became of the links, in a few numbers; None for a table, whose loss is in `measured`."""
        if isinstance(self.graph, Records):
            return None
        return utility(self.original, self.graph, len(self.added), len(self.removed))

    def save(
        self, path: str | os.PathLike[str], mapping: str | os.PathLike[str] | None = None, **how: Any
    ) -> tuple[str, ...]:
        """Write the release under fresh names in a shuffled order; see :func:`shoal.release.save.publish`."""
        from shoal.release.save import publish

        return publish(self, path, mapping, **how)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def _edges_beyond(g: Graph, h: Graph) -> tuple[tuple[Hashable, Hashable], ...]:
    """Return the edges of g that h does not have, as often as they are more; vertices correspond by name."""
    if g is h:
        return ()
    same = np.arange(g.n) if g.names is h.names or g.names == h.names else g.names.find(h.names)
    mine, often = _keys(g, np.arange(g.n), g.n)
    theirs, counts = _keys(h, same, g.n)
    order = np.argsort(theirs)
    theirs, counts = np.append(theirs[order], -1), np.append(counts[order], 0)
    at = np.searchsorted(theirs[:-1], mine)
    more = np.maximum(0, often - np.where(theirs[at] == mine, counts[at], 0))
    ends = np.repeat(mine, more)
    return tuple((g.names[a], g.names[b]) for a, b in zip((ends // g.n).tolist(), (ends % g.n).tolist(), strict=True))


def _keys(g: Graph, called: Ints, n: int) -> tuple[Ints, Ints]:
    """Return a number per edge, and how often it is there, the vertex v being `called[v]`; none at vertices -1."""
    a, b, counts = g.edges()
    low, high = np.minimum(called[a], called[b]).astype(np.int64), np.maximum(called[a], called[b])
    there = low >= 0
    often = np.ones(len(a), dtype=np.int64) if counts is None else counts.astype(np.int64)
    return low[there] * n + high[there], often[there]
