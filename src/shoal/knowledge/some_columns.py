"""Knowledge of any l columns of a table: (k,l) for tables, the rule of statistical offices.

Offices ask that every combination of up to three key columns that occurs, occurs at least k times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import ClassVar, Self

import numpy as np

from shoal.core.column_sets import count_fewest_columns, count_fewest_columns_in_release
from shoal.core.grouping import group_columns
from shoal.data.arrays import Ints
from shoal.data.table import Table
from shoal.errors import BadParameter, must, whole
from shoal.knowledge.base import Adversary, check_word_count, escape, parse_number, split_words, unescape
from shoal.knowledge.candidates import (
    AlikeCandidates,
    Candidates,
    CandidateSet,
    Fact,
    WorstCandidates,
    add_class_facts,
    take_worst,
)
from shoal.knowledge.view import View


@dataclass(frozen=True, init=False, repr=False)
class SomeColumns(Adversary):
    """Knows the values of at most l attributes, whichever: candidates have the same values there.

    The size is that of the worst set S of at most l columns, with S as its witness. A missing value is a value.

    Parameters
    ----------
    l
        How many columns are known.
    *names
        The columns among which they are; all of them if none is named.

    Examples
    --------
    Each age occurs twice and so does each sex, but nobody else has this age and this sex:

    >>> import shoal
    >>> people = {"age": [30, 30, 41, 41], "sex": ["f", "m", "f", "m"]}
    >>> shoal.assess(people, SomeColumns(1)).k, shoal.assess(people, SomeColumns(2)).k
    (2, 1)
    """

    l: int
    names: tuple[str, ...]

    shell: ClassVar[str] = "some-columns"
    form: ClassVar[str] = "some-columns:L[:NAME,NAME]"
    notion: ClassVar[str] = "(k,l)-anonymity of a table: all combinations of up to l columns occur k times"
    reads_links: ClassVar[bool] = False

    def __init__(self, l: int, *names: str):
        object.__setattr__(self, "l", whole(l, "SomeColumns", "l", least=1))
        must(all(isinstance(name, str) for name in names), "SomeColumns", "names", "texts", names)
        must(len(set(names)) == len(names), "SomeColumns", "names", "different columns", names)
        object.__setattr__(self, "names", names)

    def __repr__(self) -> str:
        return f"SomeColumns({', '.join(map(repr, (self.l, *self.names)))})"

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns among which the known ones are: all of the table, if none is named."""
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
    """The columns of a view, of which at most l are known."""

    view: View
    names: tuple[str, ...]
    columns: Sequence[Ints]
    l: int

    def search_itself(self) -> WorstCandidates:
        sizes = count_fewest_columns(self.columns, self.l)
        proved = np.ones(len(sizes), dtype=np.bool_)
        return WorstCandidates(sizes, self.list_every, proved, self.find_best, proved, self.search_within)

    def search_release(self) -> WorstCandidates:
        n = self.view.known.n
        sizes, sets = count_fewest_columns_in_release(self.columns, n, self.l)
        proved = np.ones(n, dtype=np.bool_)
        return WorstCandidates(sizes, self.list_every, proved, lambda v: self.leave(v, sets[v]), proved)

    def leave(self, v: int, S: tuple[int, ...]) -> CandidateSet:
        """Return what S tells about v, and the published vertices that agree with v on S."""
        first = 0 if self.view.original is None else self.view.known.n
        fits = np.ones(len(self.columns[0]) - first, dtype=np.bool_)
        for c in S:
            fits &= self.columns[c][first:] == self.columns[c][v]
        return CandidateSet((self.describe_values(v, S),), np.flatnonzero(fits))

    def describe_values(self, v: int, S: tuple[int, ...]) -> Fact:
        table = self.view.known.attributes
        return Fact("some-columns", [(self.names[c], table[self.names[c]][v]) for c in S])

    def list_largest(self) -> Iterator[tuple[int, ...]]:
        """Return the sets of l columns: smaller ones leave at least as many."""
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
            proved = np.ones(len(sizes), dtype=np.bool_)
            return add_class_facts(
                other, WorstCandidates(sizes, self.list_every, proved, lambda v: self.find_best(v, kind), proved)
            )
        if not isinstance(other, WorstCandidates) or other.within is None:
            return None
        parts = [other.within(self.group_classes(S)) for S in self.list_largest()]
        found = [part for part in parts if part is not None]
        return take_worst(found) if len(found) == len(parts) else None

    def group_classes(self, S: tuple[int, ...]) -> AlikeCandidates:
        codes = group_columns([self.columns[c] for c in S])
        return AlikeCandidates(codes, codes, lambda v: (self.describe_values(v, S),))
