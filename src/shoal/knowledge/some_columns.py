"""Knowledge of any l columns of a table: (k,l)-anonymity for tables, the rule of statistical offices.

Offices require that every combination of values of up to three key columns occurs at least k times or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import ClassVar, Self

import numpy as np

from shoal.core.column_sets import count_fewest_columns, count_fewest_columns_in_release, find_unfit_records
from shoal.core.grouping import group_columns
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset
from shoal.data.table import Table
from shoal.errors import BadParameter, format_count, join_names, must, whole
from shoal.knowledge.base import Adversary
from shoal.knowledge.candidates import (
    AlikeCandidates,
    Candidates,
    CandidateSet,
    DrawnFacts,
    Fact,
    Search,
    VertexSet,
    WorstCandidates,
    add_class_facts,
    take_worst,
)
from shoal.knowledge.columns import NAMED, ColumnKnowledge, Columns
from shoal.knowledge.view import View
from shoal.parts import check_word_count, escape, parse_number, split_words, unescape


@dataclass(frozen=True, init=False, repr=False)
class SomeColumns(ColumnKnowledge):
    """Knows the values of any l columns: candidates have the same values there.

    The size is the minimum over all sets S of at most l columns. The minimal S is the witness. A missing value is a
    value.

    Parameters
    ----------
    l
        The number of known columns.
    *names
        The columns that may be known; all columns if none is named.

    Examples
    --------
    Each age and each sex occurs twice, but each pair of them only once:

    >>> import shoal
    >>> people = {"age": [30, 30, 41, 41], "sex": ["f", "m", "f", "m"]}
    >>> shoal.assess(people, SomeColumns(1)).k, shoal.assess(people, SomeColumns(2)).k
    (2, 1)
    """

    l: int
    names: tuple[str, ...]

    shell: ClassVar[str] = "some-columns"
    form: ClassVar[str] = "some-columns:L[:NAME,NAME]"
    description: ClassVar[str] = "The values of any L columns, of these or of all."
    notion: ClassVar[str] = "(k,l)-anonymity of a table: all combinations of up to l columns occur k times"
    several_sets: ClassVar[bool] = True

    def __init__(self, l: int, *names: str):
        object.__setattr__(self, "l", whole(l, "SomeColumns", "l", least=1))
        must(all(isinstance(name, str) for name in names), "SomeColumns", "names", "texts", names)
        must(len(set(names)) == len(names), "SomeColumns", "names", "different columns", names)
        object.__setattr__(self, "names", names)

    def __repr__(self) -> str:
        return f"SomeColumns({', '.join(map(repr, (self.l, *self.names)))})"

    @property
    def title(self) -> str:
        """The number of columns."""
        return f"any {format_count(self.l, 'column')}"

    @property
    def phrase(self) -> str:
        """The number of columns about a person."""
        names = f", of {join_names(self.names)}" if self.names else ""
        return f"any {format_count(self.l, 'column')} about a person{names}"

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: any l columns include any fewer of the same columns."""
        if not isinstance(other, Columns | SomeColumns) or not self._has_columns(other.names):
            return None
        many = len(set(other.names)) if isinstance(other, Columns) else other.l
        return NAMED if many <= self.l else None

    def _has_columns(self, names: tuple[str, ...]) -> bool:
        """Return whether these columns may be known; without names all are meant."""
        return not self.names or (bool(names) and set(names) <= set(self.names))

    def explain_coarser(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: named columns include any of themselves. Without names there may be further columns."""
        within = isinstance(other, Columns) and bool(self.names) and set(self.names) <= set(other.names)
        return NAMED if within else None

    def estimate_steps(self, data: Dataset) -> int:
        """Return the number of sets of columns times the number of records."""
        return data.n * comb(len(self.columns(data.attributes)), self.l)

    def draw_facts(self, original: Dataset, released: Bools) -> DrawnFacts:
        """Return how l columns are drawn."""
        return DrawnColumns(self.l, self.columns(original.attributes))

    def find_unfit(self, view: View) -> Bools:
        """Return the records of which some known values fit no released record: left out, or recoded there."""
        return find_unfit_records(view.code_columns(self.columns(view.known.attributes)), view.known.n, self.l)

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns that may be known: all of the table, if none is named."""
        return self.names or tuple(table)

    def see(self, view: View) -> WorstCandidates:
        """Find the worst set of columns for every vertex."""
        names = self.columns(view.known.attributes)
        if not names:
            raise BadParameter("SomeColumns: there must be a column to know. Got data without any.")
        sets = _ColumnSets(view, names, view.code_columns(names), min(self.l, len(names)))
        return sets.search_release() if view.original is not None else sets.search_itself()

    def words(self) -> Sequence[str]:
        """Return l, and the columns where they are named."""
        return [str(self.l), *([",".join(map(escape, self.names))] if self.names else [])]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read l and the columns."""
        check_word_count(words, 2, cls.form)
        if not words:
            raise BadParameter(f"'{cls.shell}' must be spelled {cls.form}. Got no L.")
        names = [unescape(name) for name in split_words(words[1], ",")] if len(words) == 2 else []
        return cls(parse_number(words[0], cls.form), *names)


@dataclass(frozen=True, eq=False)
class _ColumnSets:
    """The columns of a view, any l of which are known."""

    view: View
    names: tuple[str, ...]
    columns: Sequence[Ints]
    l: int

    def search_itself(self) -> WorstCandidates:
        sizes = count_fewest_columns(self.columns, self.l)
        exact = np.ones(len(sizes), dtype=np.bool_)
        return WorstCandidates(sizes, self.list_every, exact, self.find_best, exact, self.search_within)

    def search_release(self) -> WorstCandidates:
        n = self.view.known.n
        sizes, sets = count_fewest_columns_in_release(self.columns, n, self.l)
        exact = np.ones(n, dtype=np.bool_)
        return WorstCandidates(sizes, self.list_every, exact, lambda v: self.leave(v, sets[v]), exact)

    def leave(self, v: int, S: tuple[int, ...]) -> CandidateSet:
        """Return the values of v in S, and the published vertices that agree with v on S."""
        first = 0 if self.view.original is None else self.view.known.n
        fits = np.ones(len(self.columns[0]) - first, dtype=np.bool_)
        for c in S:
            fits &= self.columns[c][first:] == self.columns[c][v]
        return CandidateSet((self.describe_values(v, S),), np.flatnonzero(fits))

    def describe_values(self, v: int, S: tuple[int, ...]) -> Fact:
        table = self.view.known.attributes
        return Fact("some-columns", [(self.names[c], table[self.names[c]][v]) for c in S])

    def list_largest(self) -> Iterator[tuple[int, ...]]:
        """Return the sets of l columns: smaller sets leave at least as many candidates."""
        return combinations(range(len(self.names)), self.l)

    def list_every(self, v: int) -> Iterator[CandidateSet]:
        for S in chain.from_iterable(combinations(range(len(self.names)), s) for s in range(self.l + 1)):
            yield self.leave(v, S)

    def find_best(self, v: int, kind: Ints | None = None) -> CandidateSet:
        alike = np.array([column == column[v] for column in self.columns])
        alike = alike if kind is None else alike & (kind == kind[v])
        fewest = min(self.list_largest(), key=lambda S: np.count_nonzero(alike[list(S)].all(axis=0)))
        return CandidateSet((self.describe_values(v, fewest),), np.flatnonzero(alike[list(fewest)].all(axis=0)))

    def search_within(self, other: Candidates) -> WorstCandidates | None:
        """Search among the candidates of another answer only."""
        if isinstance(other, AlikeCandidates):
            kind = other.published
            sizes = count_fewest_columns(self.columns, self.l, kind)
            exact = np.ones(len(sizes), dtype=np.bool_)
            return add_class_facts(
                other, WorstCandidates(sizes, self.list_every, exact, lambda v: self.find_best(v, kind), exact)
            )
        if not isinstance(other, WorstCandidates) or other.within is None:
            return None
        parts = [other.within(self.group_classes(S)) for S in self.list_largest()]
        found = [part for part in parts if part is not None]
        return take_worst(found) if len(found) == len(parts) else None

    def group_classes(self, S: tuple[int, ...]) -> AlikeCandidates:
        codes = group_columns([self.columns[c] for c in S])
        return AlikeCandidates(codes, codes, lambda v: (self.describe_values(v, S),))


@dataclass(frozen=True, eq=False)
class DrawnColumns(DrawnFacts):
    """The values of l columns."""

    l: int
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.names:
            raise BadParameter("SomeColumns: there must be a column to know. Got data without any.")

    def draw(self, v: int, rng: np.random.Generator) -> Ints:
        """Draw l of the columns."""
        return rng.permutation(len(self.names))[: self.l]

    def seek(self, view: View) -> Search:
        """Return the records with the same values in these columns."""
        columns, n = view.code_columns(self.names), view.known.n

        def left(v: int, known: Ints) -> VertexSet:
            fits = np.ones(view.published.n, dtype=np.bool_)
            for c in known.tolist():
                fits &= columns[c][n:] == columns[c][v]
            return VertexSet(len(fits), np.flatnonzero(fits))

        return left
