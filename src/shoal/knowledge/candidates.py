"""Candidates: for every vertex, the vertices it could be. The answer has one of three shapes.

=================== ============================================================ ============================
shape               what it says                                                 example
=================== ============================================================ ============================
`AlikeCandidates`   a partition: candidates are the vertices of the same class   degree, orbit, equal rows
`FittingCandidates` one set per vertex, not always symmetric                     hubs in an open world
`WorstCandidates`   many sets per vertex, one for each set of known facts; the   any l neighbors, any b edges
                    smallest counts, and its facts are the witness
=================== ============================================================ ============================

v is a vertex with known facts (one of the original, or a published one); candidates are ids of published vertices. A
size of 0 means that no vertex fits.

A search may be cut short. Then a set holds the vertices that fit and those that could not be excluded, and possibly
none of them fits. So a size that is not exact is the size of a set in which some vertex surely fits, or else the number
of all vertices: never below the truth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from shoal.core.grouping import group_columns
from shoal.data.arrays import Bools, Ints
from shoal.progress import track

if TYPE_CHECKING:
    from shoal.knowledge.base import Adversary
    from shoal.knowledge.view import View


@dataclass(frozen=True)
class Fact:
    """A known fact about a vertex, as plain data; its kind of knowledge puts it into words."""

    kind: str
    """The shell name of the knowledge, e.g. "degree"."""
    value: Any
    """The fact: numbers, texts, lists and dictionaries of them."""


@dataclass(frozen=True)
class Witness:
    """The known facts about a vertex, and the candidates they leave."""

    knows: tuple[Fact, ...]
    """The facts; for `WorstCandidates` those of the smallest candidate set."""
    candidates: tuple[Hashable, ...]
    """Names of the published vertices that fit all facts."""
    exact: bool = True
    """False if a search was cut short: then there may be fewer candidates."""


class CandidateSet(NamedTuple):
    """Known facts, and the candidates they leave."""

    facts: tuple[Fact, ...]
    ids: Ints
    """The vertices that fit or could not be excluded, ascending."""
    fitting: Ints | None = None
    """Those of `ids` that surely fit; None: all of them."""

    @property
    def sure(self) -> Ints:
        """The vertices that surely fit."""
        return self.ids if self.fitting is None else self.fitting

    def meet(self, other: CandidateSet) -> CandidateSet:
        """Return the facts of both, and the candidates that fit all of them."""
        ids = np.intersect1d(self.ids, other.ids, assume_unique=True)
        decided = self.fitting is None and other.fitting is None
        sure = None if decided else np.intersect1d(self.sure, other.sure, assume_unique=True)
        return CandidateSet(self.facts + other.facts, ids, sure)


Tell = Callable[[int], tuple[Fact, ...]]
"""From a vertex to the facts about it."""


class Candidates(ABC):
    """For every vertex the set of vertices it could be."""

    sizes: Ints
    """The number of candidates of each vertex (the fewest, for `WorstCandidates`)."""

    @property
    def exact_sizes(self) -> Bools:
        """For each vertex, whether its size is exact; otherwise it is an upper bound."""
        return np.ones(len(self.sizes), dtype=np.bool_)

    @abstractmethod
    def of(self, v: int) -> Ints:
        """Return the candidates of v, ascending."""

    @abstractmethod
    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return the facts that leave v these candidates."""

    def family(self, v: int) -> Iterable[CandidateSet]:
        """Yield every candidate set of v, with the facts that leave it."""
        yield CandidateSet(self.facts(v), self.of(v))


@dataclass(frozen=True, eq=False)
class AlikeCandidates(Candidates):
    """A partition: u is a candidate of v if and only if their codes are equal."""

    known: Ints
    published: Ints
    tell: Tell

    @cached_property
    def sizes(self) -> Ints:  # type: ignore[override]
        """For each known vertex, the number of published vertices with the same code."""
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
        """Return the facts that the class of v shares."""
        return self.tell(v)


@dataclass(frozen=True, eq=False)
class FittingCandidates(Candidates):
    """One set per vertex: `among(v, ids)` keeps those of `ids` (None: of all) that fit the facts about v."""

    sizes: Ints
    among: Callable[[int, Ints | None], Ints]
    tell: Tell
    inside: Callable[[Ints, Ints], FittingCandidates] | None = None
    """How to count within classes, given those of the known and of the published vertices; None: set by set."""

    def of(self, v: int) -> Ints:
        """Return all published vertices that fit."""
        return self.among(v, None)

    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return the facts that must fit."""
        return self.tell(v)


@dataclass(frozen=True, eq=False)
class WorstCandidates(Candidates):
    """Many sets per vertex. The size is the smallest among those that surely contain a fitting vertex; 0 if none does.

    A search that finds the smallest set without enumerating all of them passes it as `best`.
    """

    sizes: Ints
    """The smallest size for each vertex; the number of all vertices if no set is known to contain a fitting one."""
    every: Callable[[int], Iterable[CandidateSet]]
    """From a vertex to all its sets, with the facts that leave them."""
    exact: Bools
    """Where `sizes` is exact, and not only an upper bound."""
    best: Callable[[int], CandidateSet] | None = None
    """From a vertex to its smallest set."""
    whole: Bools | None = None
    """Where `every` yields every set, decided or not; None: wherever `sizes` is exact."""
    within: Callable[[Candidates], WorstCandidates | None] | None = None
    """How to search inside the candidates of another answer; None: intersect set by set."""

    @property
    def exact_sizes(self) -> Bools:
        """For each vertex, whether its size is exact."""
        return self.exact

    def family(self, v: int) -> Iterable[CandidateSet]:
        """Yield every candidate set of v."""
        return self.every(v)

    def find_smallest(self, v: int) -> CandidateSet:
        """Return the smallest set that surely contains a fitting vertex, or all vertices if there is none."""
        if self.best is not None:
            return self.best(v)
        found = find_smallest(self.every(v))
        return found if len(found.ids) == self.sizes[v] else CandidateSet(found.facts, np.arange(self.sizes[v]))

    def of(self, v: int) -> Ints:
        """Return the smallest set of v."""
        return self.find_smallest(v).ids

    def facts(self, v: int) -> tuple[Fact, ...]:
        """Return the facts of the smallest set of v."""
        return self.find_smallest(v).facts


def find_smallest(family: Iterable[CandidateSet]) -> CandidateSet:
    """Return the first of the smallest sets that surely contain a fitting vertex; an empty one if there is none."""
    best = CandidateSet((), np.empty(0, dtype=np.int64))
    for found in family:
        if len(found.sure) and (not len(best.ids) or len(found.ids) < len(best.ids)):
            best = found
        elif not best.facts:
            best = CandidateSet(found.facts, best.ids)
    return best


def bound_smallest(family: Iterable[CandidateSet], n: int) -> tuple[int, int]:
    """Return a lower and an upper bound of the smallest set with a fitting vertex; n + 1 stands for no such set.

    The smallest set is at most as large as any set in which a vertex surely fits. It is at least as large as the number
    of surely fitting vertices in any set that may have one.
    """
    low = high = n + 1
    for found in family:
        if len(found.ids):
            low = min(low, max(1, len(found.sure)))
        if len(found.sure):
            high = min(high, len(found.ids))
    return low, high


def weigh_bounds(low: Ints, high: Ints, whole: Bools, n: int) -> tuple[Ints, Bools]:
    """Return the sizes that follow from the bounds of :func:`bound_smallest`, and where they are exact.

    A size of 1 is exact, however many sets were left out.
    """
    exact = (whole & (low == high)) | (high == 1)
    return np.where(high <= n, high, np.where(exact, 0, n)), exact


def add_class_facts(other: AlikeCandidates, found: WorstCandidates) -> WorstCandidates:
    """Return what was found inside each class, with the facts of the class added."""

    def best(v: int) -> CandidateSet:
        left = found.find_smallest(v)
        return left._replace(facts=other.facts(v) + left.facts)

    def every(v: int) -> Iterable[CandidateSet]:
        (known,) = other.family(v)
        return (known.meet(left) for left in found.every(v))

    return WorstCandidates(found.sizes, every, found.exact, best, found.whole)


def take_worst(answers: Sequence[WorstCandidates]) -> WorstCandidates:
    """Return the worst of several answers, vertex by vertex."""
    which = np.argmin([answer.sizes for answer in answers], axis=0)
    sizes: Ints = np.minimum.reduce([answer.sizes for answer in answers])
    exact = np.all([answer.exact for answer in answers], axis=0)

    def every(v: int) -> Iterable[CandidateSet]:
        return chain.from_iterable(answer.every(v) for answer in answers)

    whole = np.all([_find_complete(answer) for answer in answers], axis=0)
    return WorstCandidates(sizes, every, exact, lambda v: answers[which[v]].find_smallest(v), whole)


def intersect_answers(a: Candidates, b: Candidates, n: int) -> Candidates:
    """Intersect two answers about n published vertices: an attacker who knows both keeps the vertices that fit both.

    If an answer has many sets per vertex, the sets are chosen independently and the worst pair counts.
    """
    if isinstance(a, WorstCandidates) or isinstance(b, WorstCandidates):
        return _search_within(a, b) or _search_within(b, a) or _intersect_families(a, b, n)
    if isinstance(a, AlikeCandidates) and isinstance(b, AlikeCandidates):
        return _intersect_classes(a, b)
    return _count_inside(a, b) or _intersect_sets(a, b)


def _search_within(a: Candidates, b: Candidates) -> WorstCandidates | None:
    return a.within(b) if isinstance(a, WorstCandidates) and a.within is not None else None


def _tell_both(a: Candidates, b: Candidates) -> Tell:
    return lambda v: a.facts(v) + b.facts(v)


def _intersect_classes(a: AlikeCandidates, b: AlikeCandidates) -> AlikeCandidates:
    codes = group_columns([np.concatenate([x.known, x.published]) for x in (a, b)])
    n = len(a.known)
    return AlikeCandidates(codes[:n], codes[n:], _tell_both(a, b))


def _count_inside(a: Candidates, b: Candidates) -> FittingCandidates | None:
    """Count the fitting vertices inside classes, where one answer has classes and the other knows how."""
    for sets, classes in ((a, b), (b, a)):
        if isinstance(classes, AlikeCandidates) and isinstance(sets, FittingCandidates) and sets.inside is not None:
            return replace(sets.inside(classes.known, classes.published), tell=_tell_both(a, b))
    return None


def _intersect_sets(a: Candidates, b: Candidates) -> FittingCandidates:
    first, second = (a, b) if isinstance(b, FittingCandidates) else (b, a)
    assert isinstance(second, FittingCandidates)

    def among(v: int, ids: Ints | None) -> Ints:
        found = second.among(v, first.of(v))
        return found if ids is None else np.intersect1d(found, ids, assume_unique=True)

    sizes = np.empty(len(a.sizes), dtype=np.int64)
    for v in range(len(sizes)):
        sizes[v] = len(among(v, None))
        if v % 1024 == 0:
            track("intersecting", v, len(sizes))
    return FittingCandidates(sizes, among, _tell_both(a, b))


def _intersect_families(a: Candidates, b: Candidates, n: int) -> WorstCandidates:
    def every(v: int) -> Iterable[CandidateSet]:
        others = list(b.family(v))
        return (one.meet(other) for one in a.family(v) for other in others)

    limits = np.empty((len(a.sizes), 2), dtype=np.int64)
    for v in range(len(limits)):
        limits[v] = bound_smallest(every(v), n)
        if v % 256 == 0:
            track("intersecting", v, len(limits))
    whole = _find_complete(a) & _find_complete(b)
    none_fits = (a.exact_sizes & (a.sizes == 0)) | (b.exact_sizes & (b.sizes == 0))
    sizes, exact = weigh_bounds(limits[:, 0], limits[:, 1], whole | none_fits, n)
    return WorstCandidates(sizes, every, exact, whole=whole)


def _find_complete(a: Candidates) -> Bools:
    """Return for which vertices the family contains every set, so that its minimum is the minimum of all."""
    return a.whole if isinstance(a, WorstCandidates) and a.whole is not None else a.exact_sizes


# Drawn facts: one random set among all facts that an attacker model may know, and the candidates that it leaves.
#
# Risk takes the worst of all sets of l known facts. An attacker has one such set and did not choose it: it is drawn at
# random among all of them, as Hay et al. do. Knowledge without a choice (a degree, an orbit) has one set.
#
# The facts are drawn in the original, once, and searched in every graph that is attacked. From the same seed, the set
# drawn for l is part of the set drawn for l + 1.


@dataclass(frozen=True, eq=False)
class VertexSet:
    """The candidates among n published vertices: those in `ids`, ascending; or, unless `inside`, all others."""

    n: int
    ids: Ints
    inside: bool = True

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self.ids) if self.inside else self.n - len(self.ids)

    def holds(self, u: int) -> bool:
        """Return whether u is a candidate."""
        at = int(np.searchsorted(self.ids, u))
        return bool(at < len(self.ids) and self.ids[at] == u) == self.inside

    def meet(self, other: VertexSet) -> VertexSet:
        """Return the candidates that both sets contain.

        >>> few, most = VertexSet(5, np.array([0, 1])), VertexSet(5, np.array([1, 2]), inside=False)
        >>> few.meet(most).ids.tolist(), most.meet(most).size
        ([0], 3)
        """
        if self.inside and other.inside:
            return VertexSet(self.n, np.intersect1d(self.ids, other.ids, assume_unique=True))
        if self.inside:
            return VertexSet(self.n, np.setdiff1d(self.ids, other.ids, assume_unique=True))
        return other.meet(self) if other.inside else VertexSet(self.n, np.union1d(self.ids, other.ids), inside=False)


Search = Callable[[int, Any], VertexSet]
"""From a vertex of the original and its known facts to the candidates."""


class DrawnFacts(ABC):
    """How facts about a vertex are drawn in the original and searched in a graph."""

    note: ClassVar[str] = ""
    """What a reader must know about the search."""

    @abstractmethod
    def draw(self, v: int, rng: np.random.Generator) -> Any:
        """Return the known facts about v."""

    @abstractmethod
    def seek(self, view: View) -> Search:
        """Return the function that finds the candidates of known facts."""


@dataclass(frozen=True, eq=False)
class WholeKnowledge(DrawnFacts):
    """Knowledge without a choice of facts."""

    part: Adversary

    def draw(self, v: int, rng: np.random.Generator) -> None:
        """Draw nothing: there is only one set of facts."""

    def seek(self, view: View) -> Search:
        """Ask the adversary."""
        answer = self.part.see(view)
        return lambda v, known: VertexSet(view.published.n, answer.of(v))
