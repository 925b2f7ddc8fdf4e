"""Candidates: for every vertex, the vertices it could be. The answer has one of three shapes.

============ =========================================================== ==================================
shape        what it says                                                example
============ =========================================================== ==================================
`Alike`      a partition: candidates are those who look the same         degree, orbit, equal rows
`Fits`       one set per vertex, not always symmetric                    hubs in an open world
`Worst`      many sets per vertex, one per thing that may be known;      any l neighbors, any b edges
             the smallest counts, and what is known there is the witness
============ =========================================================== ==================================

v runs over the vertices about which something is known (the original's, or the published ones themselves); candidates
are ids of published vertices. A size of 0 means that nothing fits.

A search may be cut short. Then a set holds those who fit and those who could not be excluded, and it may be that nobody
fits. So an unproved size is that of a set in which somebody surely fits, or else the number of all vertices: never
below the truth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from shoal.core.grouping import group_columns
from shoal.data.arrays import Bools, Ints
from shoal.progress import track


@dataclass(frozen=True)
class Fact:
    """One thing that is known about a vertex, as plain data; the report room puts it into words."""

    kind: str
    """The shell name of the knowledge, e.g. "degree"."""
    value: Any
    """What is known: numbers, texts, lists and dictionaries of them."""


@dataclass(frozen=True)
class Witness:
    """What is known about a vertex, and whom that leaves."""

    knows: tuple[Fact, ...]
    """The facts; for a `Worst` answer those of the smallest set."""
    candidates: tuple[Hashable, ...]
    """Names of the published vertices that fit all facts."""
    proved: bool = True
    """False if a search was cut short: then there may be fewer candidates than these."""


class Found(NamedTuple):
    """What is known, and whom that leaves."""

    facts: tuple[Fact, ...]
    ids: Ints
    """Who fits, or could not be excluded, ascending."""
    fitting: Ints | None = None
    """Those of `ids` who surely fit; None: all of them."""

    @property
    def sure(self) -> Ints:
        """Who surely fits."""
        return self.ids if self.fitting is None else self.fitting

    def meet(self, other: Found) -> Found:
        """Return what both know together, and whom that leaves."""
        ids = np.intersect1d(self.ids, other.ids, assume_unique=True)
        decided = self.fitting is None and other.fitting is None
        sure = None if decided else np.intersect1d(self.sure, other.sure, assume_unique=True)
        return Found(self.facts + other.facts, ids, sure)


Tell = Callable[[int], tuple[Fact, ...]]
"""From a vertex to the facts about it."""


class Candidates(ABC):
    """For every vertex the set of vertices it could be."""

    sizes: Ints
    """How many candidates each vertex has (the fewest, for `Worst`)."""

    @property
    def proved(self) -> Bools:
        """For each vertex, whether its size is exact; where not, it is an upper bound."""
        return np.ones(len(self.sizes), dtype=np.bool_)

    @abstractmethod
    def of(self, v: int) -> Ints:
        """Return the candidates of v, ascending."""

    @abstractmethod
    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return what is known about v where these are its candidates."""

    def family(self, v: int) -> Iterable[Found]:
        """Yield every set that v may be left with, and what is known there."""
        yield Found(self.facts(v), self.of(v))


@dataclass(frozen=True, eq=False)
class Alike(Candidates):
    """A partition: u is a candidate of v if and only if their codes are equal."""

    known: Ints
    published: Ints
    tell: Tell

    @cached_property
    def sizes(self) -> Ints:  # type: ignore[override]
        """How many published vertices have the code of each known one."""
        span = int(max(self.known.max(initial=-1), self.published.max(initial=-1))) + 1
        return np.bincount(self.published, minlength=span)[self.known]

    @cached_property
    def _classes(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.published, kind="stable")
        return order, self.published[order]

    def of(self, v: int) -> Ints:
        """Return the published vertices with the code of v."""
        order, codes = self._classes
        first, last = (
            np.searchsorted(codes, self.known[v]),
            np.searchsorted(codes, self.known[v], side="right"),
        )
        return order[first:last]

    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return what the members of v's class have in common."""
        return self.tell(v)


@dataclass(frozen=True, eq=False)
class Fits(Candidates):
    """One set per vertex: `among(v, ids)` keeps those of `ids` (None: of all) that fit what is known about v."""

    sizes: Ints
    among: Callable[[int, Ints | None], Ints]
    tell: Tell

    def of(self, v: int) -> Ints:
        """Return all published vertices that fit."""
        return self.among(v, None)

    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return what must fit."""
        return self.tell(v)


@dataclass(frozen=True, eq=False)
class Worst(Candidates):
    """Many sets per vertex. The size is the smallest among those that surely leave somebody; 0 if surely none does.

    A search that finds the smallest set without going through all of them passes it as `best`.
    """

    sizes: Ints
    """The smallest size for each vertex; that of all vertices where it is not known whether any set leaves somebody."""
    every: Callable[[int], Iterable[Found]]
    """From a vertex to all its sets, with what is known there."""
    exact: Bools
    """Where `sizes` is exact and not only an upper bound."""
    best: Callable[[int], Found] | None = None
    """From a vertex to its smallest set."""
    whole: Bools | None = None
    """Where `every` goes through every set, decided or not; None: wherever `sizes` is exact."""
    within: Callable[[Candidates], Worst | None] | None = None
    """How to search among the candidates of another answer only; None where it knows no better than to intersect."""

    @property
    def proved(self) -> Bools:
        """For each vertex, whether its size is exact."""
        return self.exact

    def family(self, v: int) -> Iterable[Found]:
        """Yield every set that v may be left with."""
        return self.every(v)

    def smallest(self, v: int) -> Found:
        """Return the smallest set that surely leaves somebody, with what is known there; all where none is sure to."""
        if self.best is not None:
            return self.best(v)
        found = smallest(self.every(v))
        return found if len(found.ids) == self.sizes[v] else Found(found.facts, np.arange(self.sizes[v]))

    def of(self, v: int) -> Ints:
        """Return the smallest set of v."""
        return self.smallest(v).ids

    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return what is known where v is left with its smallest set."""
        return self.smallest(v).facts


def smallest(family: Iterable[Found]) -> Found:
    """Return the first of the smallest sets that surely leave somebody; an empty one if there is none."""
    best = Found((), np.empty(0, dtype=np.int64))
    for found in family:
        if len(found.sure) and (not len(best.ids) or len(found.ids) < len(best.ids)):
            best = found
        elif not best.facts:
            best = Found(found.facts, best.ids)
    return best


def bounds(family: Iterable[Found], n: int) -> tuple[int, int]:
    """Return what the size of the smallest set that leaves somebody lies between; n + 1 stands for no such set.

    It is at most as large as any set in which somebody surely fits, and no smaller than those who surely fit in any set
    that may leave somebody.
    """
    low = high = n + 1
    for found in family:
        if len(found.ids):
            low = min(low, max(1, len(found.sure)))
        if len(found.sure):
            high = min(high, len(found.ids))
    return low, high


def weighed(low: Ints, high: Ints, whole: Bools, n: int) -> tuple[Ints, Bools]:
    """Return the sizes that :func:`bounds` come to, vertex by vertex, and where they are exact.

    One candidate is as few as there can be, however many sets were left out.
    """
    exact = (whole & (low == high)) | (high == 1)
    return np.where(high <= n, high, np.where(exact, 0, n)), exact


def known_too(other: Alike, found: Worst) -> Worst:
    """Return what was found among the members of each class, with the class told too."""

    def best(v: int) -> Found:
        left = found.smallest(v)
        return left._replace(facts=other.facts(v) + left.facts)

    def every(v: int) -> Iterable[Found]:
        (known,) = other.family(v)
        return (known.meet(left) for left in found.every(v))

    return Worst(found.sizes, every, found.exact, best, found.whole)


def worst_of(answers: Sequence[Worst]) -> Worst:
    """Return the answer of whoever may be in any of several positions: the worst of them counts, vertex by vertex."""
    which = np.argmin([answer.sizes for answer in answers], axis=0)
    sizes: Ints = np.minimum.reduce([answer.sizes for answer in answers])
    exact = np.all([answer.exact for answer in answers], axis=0)

    def every(v: int) -> Iterable[Found]:
        return chain.from_iterable(answer.every(v) for answer in answers)

    whole = np.all([_complete(answer) for answer in answers], axis=0)
    return Worst(sizes, every, exact, lambda v: answers[which[v]].smallest(v), whole)


def meet(a: Candidates, b: Candidates, n: int) -> Candidates:
    """Intersect two answers about n published vertices: whoever knows both is left with those who fit both.

    Where an answer has many sets per vertex, the two are chosen independently and the worst pair counts.
    """
    if isinstance(a, Worst) or isinstance(b, Worst):
        return _searched(a, b) or _searched(b, a) or _worst_of_both(a, b, n)
    if isinstance(a, Alike) and isinstance(b, Alike):
        return _alike_in_both(a, b)
    return _fits_both(a, b)


def _searched(a: Candidates, b: Candidates) -> Worst | None:
    return a.within(b) if isinstance(a, Worst) and a.within is not None else None


def _tell_both(a: Candidates, b: Candidates) -> Tell:
    return lambda v: a.facts(v) + b.facts(v)


def _alike_in_both(a: Alike, b: Alike) -> Alike:
    codes = group_columns([np.concatenate([x.known, x.published]) for x in (a, b)])
    n = len(a.known)
    return Alike(codes[:n], codes[n:], _tell_both(a, b))


def _fits_both(a: Candidates, b: Candidates) -> Fits:
    first, second = (a, b) if isinstance(b, Fits) else (b, a)
    assert isinstance(second, Fits)

    def among(v: int, ids: Ints | None) -> Ints:
        found = second.among(v, first.of(v))
        return found if ids is None else np.intersect1d(found, ids, assume_unique=True)

    sizes = np.empty(len(a.sizes), dtype=np.int64)
    for v in range(len(sizes)):
        sizes[v] = len(among(v, None))
        if v % 1024 == 0:
            track("intersecting", v, len(sizes))
    return Fits(sizes, among, _tell_both(a, b))


def _worst_of_both(a: Candidates, b: Candidates, n: int) -> Worst:
    def every(v: int) -> Iterable[Found]:
        others = list(b.family(v))
        return (one.meet(other) for one in a.family(v) for other in others)

    limits = np.empty((len(a.sizes), 2), dtype=np.int64)
    for v in range(len(limits)):
        limits[v] = bounds(every(v), n)
        if v % 256 == 0:
            track("intersecting", v, len(limits))
    whole = _complete(a) & _complete(b)
    nobody = (a.proved & (a.sizes == 0)) | (b.proved & (b.sizes == 0))
    sizes, exact = weighed(limits[:, 0], limits[:, 1], whole | nobody, n)
    return Worst(sizes, every, exact, whole=whole)


def _complete(a: Candidates) -> Bools:
    """Tell for which vertices the family holds every set, so that a minimum over it is one over all."""
    return a.whole if isinstance(a, Worst) and a.whole is not None else a.proved
