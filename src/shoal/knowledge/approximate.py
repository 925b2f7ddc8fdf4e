"""Approximate knowledge: an attacker whose facts may be wrong by a known error (degree~5%, neighbors:3~1).

The measured number x(v) of a vertex is within the error e of the number x(u) of a candidate: |x(v) - x(u)| <= e x(u).
The inequality is not symmetric. e is a fraction from 0 to below 1, and all comparisons are exact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from shoal.core.approximate import ListsWithin, NumbersWithin, Side, VectorsWithin
from shoal.core.balls import group_balls, list_degrees_of_balls, list_vectors_of_balls
from shoal.core.grouping import find_first_members, group_columns, group_multisets, take_rows
from shoal.core.refinement import group_degrees, select_degrees, spread_degrees
from shoal.data.arrays import Bools, Ints
from shoal.errors import must
from shoal.knowledge.base import Adversary, BallKnowledge, StructuralKnowledge
from shoal.knowledge.candidates import FittingCandidates, Tell
from shoal.knowledge.view import View
from shoal.shares import describe_share, parse_share, spell_share

WIDER = "a larger error excludes no candidate"
LONGEST = 40
"""The longest spelling of an error that can be read again."""


@dataclass(frozen=True, repr=False)
class Approximate(Adversary):
    """A kind of knowledge whose shell name may end in an error after a tilde. Its field of the error has no repr."""

    @abstractmethod
    def with_error(self, text: str) -> Self:
        """Return the same knowledge with the error that the shell name spells."""

    @property
    @abstractmethod
    def as_fact(self) -> dict[str, Any]:
        """The error as an entry of a fact, by the name of its field; none, if there is no error."""

    @property
    def stays_true(self) -> bool:  # type: ignore[override]
        """Whether there is no error: a wrong fact that fits the target may fit fewer vertices than a true one."""
        return not self.as_fact

    @property
    def spec(self) -> str:
        """The shell name, with the error if there is one."""
        return "~".join([super().spec, *map(str, self.as_fact.values())])

    def __repr__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}
        told = [f"{name}={value!r}" for name, value in (given | self.as_fact).items()]
        return f"{type(self).__qualname__}({', '.join(told)})"


@dataclass(frozen=True, repr=False)
class ApproximateNumbers(Approximate, StructuralKnowledge):
    """Knows numbers, exactly or within an error. A subclass has the field `error`."""

    error: Any = field(repr=False, kw_only=True)

    def __post_init__(self) -> None:
        who = type(self).__name__
        error = parse_share(self.error, who, "error")
        must(len(spell_share(error)) <= LONGEST, who, "error", f"spelled in at most {LONGEST} characters", self.error)
        object.__setattr__(self, "error", error)

    @property
    def tolerance(self) -> Fraction:
        """The error as an exact fraction; 0: the numbers are exact."""
        return self.error  # type: ignore[no-any-return]

    @property
    def within_error(self) -> str:
        """The error in words, as " (within 5 %)"; empty if there is none."""
        return format_error(spell_share(self.tolerance)) if self.tolerance else ""

    @property
    def assumes(self) -> str:
        """That the attacker is imprecise; nothing, if there is no error."""
        if not self.tolerance:
            return super().assumes
        return (
            "The attacker is assumed to be imprecise: each number may be wrong by up to "
            f"{describe_share(self.tolerance)}. Exact numbers may leave fewer candidates."
        )

    @property
    def as_fact(self) -> dict[str, str]:
        """The error as an entry of a fact; none, if there is no error."""
        return {"error": spell_share(self.tolerance)} if self.tolerance else {}

    def explain_coarser(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: a candidate within a smaller error, or none, is a candidate within this error."""
        exact = replace(self, error=0)
        if not self.tolerance:
            return super().explain_coarser(other, simple=simple)
        if type(other) is type(self) and replace(other, error=0) == exact:
            return WIDER if other.tolerance <= self.tolerance else None
        return other.explain_finer(exact, simple=simple) or exact.explain_coarser(other, simple=simple)

    def with_error(self, text: str) -> Self:
        """Return the same knowledge with this error, as "5%"."""
        return replace(self, error=text)


@dataclass(frozen=True, repr=False)
class ApproximateBall(ApproximateNumbers, BallKnowledge):
    """Knows numbers about the ball, exactly or within an error."""

    error: Fraction | float | str = field(default=0, repr=False)

    def __post_init__(self) -> None:
        BallKnowledge.__post_init__(self)
        ApproximateNumbers.__post_init__(self)


def format_error(error: str | None) -> str:
    """Return the error of a fact in words; empty if there is none.

    >>> format_error("5%"), format_error(None)
    (' (within 5 %)', '')
    """
    return f" (within {error.replace('%', ' %')})" if error else ""


# Answers: the numbers of the known vertices beside those of the published ones.

Index = Callable[[Ints, Ints], NumbersWithin | ListsWithin | VectorsWithin]
"""From the classes of the known and of the published vertices to an index of fitting vertices within the classes."""


def fit_numbers(view: View, columns: list[Ints], error: Fraction, tell: Tell) -> FittingCandidates:
    """Compare one or two numbers about each vertex, given for all vertices of `view.together`."""
    split = [_split(view, column.astype(np.int64)) for column in columns]
    known, published = tuple(one for one, _ in split), tuple(other for _, other in split)

    def make(known_kind: Ints, published_kind: Ints) -> NumbersWithin:
        return NumbersWithin(Side(known_kind, known), Side(published_kind, published), error)

    return _fit(make, *_make_one_class(view), tell)


def fit_degree_vectors(view: View, counted: Bools | None, error: Fraction, tell: Tell) -> FittingCandidates:
    """Compare the numbers of links of each relation that counts (None: all), where links have directions or kinds."""
    graph = view.together
    assert graph.ties is not None
    many = len(graph.ties.relations) if counted is None else int(counted.sum())
    if many <= 2:
        return fit_numbers(view, [*spread_degrees(graph, counted)], error, tell)
    codes, (indptr, relation, times) = group_degrees(graph, counted), select_degrees(graph, counted)
    # Only 0 is within the error of 0. So two vertices fit only if they have links of the same relations, and a list
    # has only the numbers of these. It starts with a 0, since a list must not be empty.
    same_relations = group_multisets(indptr, relation)

    def make(known_kind: Ints, published_kind: Ints) -> ListsWithin:
        kind = _join(view, known_kind, published_kind)
        lists = group_columns([codes, kind])
        rows = find_first_members(lists)
        ptr, numbers = take_rows(indptr, times, rows)
        values, ptr = np.insert(numbers, ptr[:-1], 0), ptr + np.arange(len(ptr))
        return ListsWithin(*_split(view, lists), group_columns([kind, same_relations])[rows], ptr, values, error)

    return _fit(make, *_make_one_class(view), tell)


def fit_ball_degrees(view: View, radius: int, error: Fraction, tell: Tell) -> FittingCandidates:
    """Compare the ascending degrees inside the balls, position by position; vectors of degrees are paired."""
    codes, tied = group_balls(view.together, radius, "degrees"), view.together.ties is not None

    def make(known_kind: Ints, published_kind: Ints) -> ListsWithin | VectorsWithin:
        kind = _join(view, known_kind, published_kind)
        lists = group_columns([codes, kind])
        rows = find_first_members(lists)
        if tied:
            vectors = list_vectors_of_balls(view.together, radius, rows)
            return VectorsWithin(*_split(view, lists), kind[rows], vectors, error)
        ptr, degrees = list_degrees_of_balls(view.together, radius, rows)
        return ListsWithin(*_split(view, lists), kind[rows], ptr, degrees, error)

    return _fit(make, *_make_one_class(view), tell)


def _join(view: View, known: Ints, published: Ints) -> Ints:
    """Join an array about known and one about published vertices to one about all vertices of `view.together`."""
    return published if view.original is None else np.concatenate([known, published])


def _split(view: View, together: Ints) -> tuple[Ints, Ints]:
    """Split an array about all vertices of `view.together` into the known and the published ones."""
    n = view.known.n
    return (together, together) if view.original is None else (together[:n], together[n:])


def _make_one_class(view: View) -> tuple[Ints, Ints]:
    return np.zeros(view.known.n, dtype=np.int64), np.zeros(view.published.n, dtype=np.int64)


def _fit(make: Index, known: Ints, published: Ints, tell: Tell) -> FittingCandidates:
    index = make(known, published)

    def among(v: int, ids: Ints | None) -> Ints:
        found = index.find(v)
        return found if ids is None else np.intersect1d(found, ids, assume_unique=True)

    def inside(others_known: Ints, others_published: Ints) -> FittingCandidates:
        sides = np.concatenate([known, published]), np.concatenate([others_known, others_published])
        classes = group_columns(sides).astype(np.int64)
        return _fit(make, classes[: len(known)], classes[len(known) :], tell)

    return FittingCandidates(index.count(), among, tell, inside)
