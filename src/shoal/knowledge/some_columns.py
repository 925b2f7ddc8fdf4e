"""Knows any l columns of a table: (k,l) for tables, the rule of statistical offices.

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
from shoal.knowledge.base import Adversary, at_most, escape, number, split, unescape
from shoal.knowledge.candidates import Alike, Candidates, Fact, Found, Worst, known_too, worst_of
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

    def see(self, view: View) -> Worst:
        """Find the worst set of columns for every vertex."""
        names = self.columns(view.known.attributes)
        if not names:
            raise BadParameter("SomeColumns: there must be a column to know. Got data without any.")
        sets = _ColumnSets(view, names, view.columns(names), min(self.l, len(names)))
        return sets.in_release() if view.original is not None else sets.in_itself()

    def words(self) -> Sequence[str]:
        """Return l, and the columns where they are named."""
        return [str(self.l), *([",".join(map(escape, self.names))] if self.names else [])]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read l and the columns."""
        at_most(words, 2, cls.form)
        if not words:
            raise BadParameter(f"'{cls.shell}' must be spelled {cls.form}. Got no L.")
        names = [unescape(name) for name in split(words[1], ",")] if len(words) == 2 else []
        return cls(number(words[0], cls.form), *names)


@dataclass(frozen=True, eq=False)
class _ColumnSets:
    """The columns of a view, of which at most l are known."""

    view: View
    names: tuple[str, ...]
    columns: Sequence[Ints]
    l: int

    def in_itself(self) -> Worst:
        sizes = count_fewest_columns(self.columns, self.l)
        proved = np.ones(len(sizes), dtype=np.bool_)
        return Worst(sizes, self.every, proved, self.best, proved, self.within)

    def in_release(self) -> Worst:
        n = self.view.known.n
        sizes, sets = count_fewest_columns_in_release(self.columns, n, self.l)
        proved = np.ones(n, dtype=np.bool_)
        return Worst(sizes, self.every, proved, lambda v: self.left(v, sets[v]), proved)

    def left(self, v: int, S: tuple[int, ...]) -> Found:
        """Return what S tells about v, and the published vertices that agree with v on S."""
        first = 0 if self.view.original is None else self.view.known.n
        fits = np.ones(len(self.columns[0]) - first, dtype=np.bool_)
        for c in S:
            fits &= self.columns[c][first:] == self.columns[c][v]
        return Found((self.fact(v, S),), np.flatnonzero(fits))

    def fact(self, v: int, S: tuple[int, ...]) -> Fact:
        table = self.view.known.attributes
        return Fact("some-columns", [(self.names[c], table[self.names[c]][v]) for c in S])

    def largest(self) -> Iterator[tuple[int, ...]]:
        """Return the sets of l columns: smaller ones leave at least as many."""
        return combinations(range(len(self.names)), self.l)

    def every(self, v: int) -> Iterator[Found]:
        for S in chain.from_iterable(combinations(range(len(self.names)), s) for s in range(self.l + 1)):
            yield self.left(v, S)

    def best(self, v: int, kind: Ints | None = None) -> Found:
        alike = np.array([column == column[v] for column in self.columns])
        alike = alike if kind is None else alike & (kind == kind[v])
        fewest = min(self.largest(), key=lambda S: np.count_nonzero(alike[list(S)].all(axis=0)))
        return Found((self.fact(v, fewest),), np.flatnonzero(alike[list(fewest)].all(axis=0)))

    def within(self, other: Candidates) -> Worst | None:
        """Search among the candidates of another answer only."""
        if isinstance(other, Alike):
            kind = other.published
            sizes = count_fewest_columns(self.columns, self.l, kind)
            proved = np.ones(len(sizes), dtype=np.bool_)
            return known_too(other, Worst(sizes, self.every, proved, lambda v: self.best(v, kind), proved))
        if not isinstance(other, Worst) or other.within is None:
            return None
        parts = [other.within(self.classes(S)) for S in self.largest()]
        found = [part for part in parts if part is not None]
        return worst_of(found) if len(found) == len(parts) else None

    def classes(self, S: tuple[int, ...]) -> Alike:
        codes = group_columns([self.columns[c] for c in S])
        return Alike(codes, codes, lambda v: (self.fact(v, S),))
