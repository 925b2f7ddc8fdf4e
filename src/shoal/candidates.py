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
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from shoal.engines import Bools, Engine, Ints
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

    def family(self, v: int) -> Iterable[tuple[tuple[Fact, ...], Ints]]:
        """Yield every set that v may be left with, and what is known there."""
        yield self.facts(v), self.of(v)


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
    """Many sets per vertex. The size is the smallest among those that leave somebody; 0 if none does.

    A search that finds the smallest set without going through all of them passes it as `best`.
    """

    sizes: Ints
    """The smallest size for each vertex."""
    every: Callable[[int], Iterable[tuple[tuple[Fact, ...], Ints]]]
    """From a vertex to all its sets, with what is known there."""
    exact: Bools
    """Where `sizes` is exact and not only an upper bound."""
    best: Callable[[int], tuple[tuple[Fact, ...], Ints]] | None = None
    """From a vertex to its smallest set."""
    whole: Bools | None = None
    """Where `every` really goes through every set; None: wherever `sizes` is exact."""
    within: Callable[[Candidates], Worst | None] | None = None
    """How to search among the candidates of another answer only; None where it knows no better than to intersect."""

    @property
    def proved(self) -> Bools:
        """For each vertex, whether its size is exact."""
        return self.exact

    def family(self, v: int) -> Iterable[tuple[tuple[Fact, ...], Ints]]:
        """Yield every set that v may be left with."""
        return self.every(v)

    def smallest(self, v: int) -> tuple[tuple[Fact, ...], Ints]:
        """Return the smallest set that is not empty, with what is known there."""
        if self.best is not None:
            return self.best(v)
        return smallest(self.every(v))

    def of(self, v: int) -> Ints:
        """Return the smallest set of v."""
        return self.smallest(v)[1]

    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return what is known where v is left with its smallest set."""
        return self.smallest(v)[0]


def smallest(family: Iterable[tuple[tuple[Fact, ...], Ints]]) -> tuple[tuple[Fact, ...], Ints]:
    """Return the first of the smallest sets that are not empty; an empty one if there is no other."""
    best: tuple[tuple[Fact, ...], Ints] = ((), np.empty(0, dtype=np.int64))
    for facts, ids in family:
        if len(ids) and (not len(best[1]) or len(ids) < len(best[1])):
            best = facts, ids
        elif not best[0]:
            best = facts, best[1]
    return best


def known_too(other: Alike, found: Worst) -> Worst:
    """Return what was found among the members of each class, with the class told too."""

    def best(v: int) -> tuple[tuple[Fact, ...], Ints]:
        facts, ids = found.smallest(v)
        return other.facts(v) + facts, ids

    def every(v: int) -> Iterable[tuple[tuple[Fact, ...], Ints]]:
        for facts, ids in found.every(v):
            yield other.facts(v) + facts, np.intersect1d(ids, other.of(v), assume_unique=True)

    return Worst(found.sizes, every, found.exact, best, found.whole)


def worst_of(answers: Sequence[Worst]) -> Worst:
    """Return the answer of whoever may be in any of several positions: the worst of them counts, vertex by vertex."""
    which = np.argmin([answer.sizes for answer in answers], axis=0)
    sizes: Ints = np.minimum.reduce([answer.sizes for answer in answers])
    exact = np.all([answer.exact for answer in answers], axis=0)

    def every(v: int) -> Iterable[tuple[tuple[Fact, ...], Ints]]:
        return chain.from_iterable(answer.every(v) for answer in answers)

    whole = np.all([_complete(answer) for answer in answers], axis=0)
    return Worst(sizes, every, exact, lambda v: answers[which[v]].smallest(v), whole)


def meet(a: Candidates, b: Candidates, engine: Engine) -> Candidates:
    """Intersect two answers: whoever knows both is left with those who fit both.

    Where an answer has many sets per vertex, the two are chosen independently and the worst pair counts.
    """
    if isinstance(a, Worst) or isinstance(b, Worst):
        return _searched(a, b) or _searched(b, a) or _worst_of_both(a, b)
    if isinstance(a, Alike) and isinstance(b, Alike):
        return _alike_in_both(a, b, engine)
    return _fits_both(a, b)


def _searched(a: Candidates, b: Candidates) -> Worst | None:
    return a.within(b) if isinstance(a, Worst) and a.within is not None else None


def _tell_both(a: Candidates, b: Candidates) -> Tell:
    return lambda v: a.facts(v) + b.facts(v)


def _alike_in_both(a: Alike, b: Alike, engine: Engine) -> Alike:
    codes = engine.group_columns([np.concatenate([x.known, x.published]) for x in (a, b)])
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


def _worst_of_both(a: Candidates, b: Candidates) -> Worst:
    def every(v: int) -> Iterable[tuple[tuple[Fact, ...], Ints]]:
        others = list(b.family(v))
        for facts, ids in a.family(v):
            for more, others_ids in others:
                yield facts + more, np.intersect1d(ids, others_ids, assume_unique=True)

    sizes = np.empty(len(a.sizes), dtype=np.int64)
    for v in range(len(sizes)):
        sizes[v] = len(smallest(every(v))[1])
        if v % 256 == 0:
            track("intersecting", v, len(sizes))
    return Worst(sizes, every, _complete(a) & _complete(b))


def _complete(a: Candidates) -> Bools:
    """Tell for which vertices the family holds every set, so that a minimum over it is one over all."""
    return a.whole if isinstance(a, Worst) and a.whole is not None else a.proved
