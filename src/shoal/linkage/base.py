"""Re-identification methods r(y, a): the probability that record y belongs to each individual, given a."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_dataset, is_graph
from shoal.data.frames import is_frame
from shoal.data.graph import Graph
from shoal.data.table import Table, exact
from shoal.errors import BadParameter, PublicCall, public, whole
from shoal.linkage.rows import Row, as_row, share_evenly
from shoal.parts import check_word_count
from shoal.progress import track

# Re-identification methods: functions r(y, a) that return, for each individual, the probability that y belongs to it.
#
# Definition 2 of the paper. y is one protected record. a is a piece of auxiliary information: here the whole original,
# or None for no information. Any callable works. A method with `rows` is asked about all records at once.


class Reidentifies(PublicCall, ABC):
    """A re-identification method r(y, a)."""

    @abstractmethod
    def __call__(self, y: Any, a: Any) -> Any:
        """Return one probability per individual."""


class Linkage(Reidentifies):
    """A method that links the records of a release to those of the original."""

    shell: ClassVar[str]
    """The first word of its shell name."""
    form: ClassVar[str]
    """The form of its shell name. Parts in square brackets are optional."""

    @abstractmethod
    def link(self, release: Dataset, original: Dataset, which: Ints) -> Iterator[Row]:
        """Yield a row over the individuals of the original for each record of the release in `which`."""

    def rows(self, release: Any, original: Any, which: Ints | None = None) -> Iterator[Row]:
        """Yield a row for each record of the release (or only for those in `which`), one at a time.

        Without an original (None) nothing is known: all individuals are equally probable.
        """
        published = as_data(release)
        asked = np.arange(published.n) if which is None else np.asarray(which)
        if original is None:
            return iter([share_evenly(published.n)] * len(asked))
        return self.link(published, as_data(original), asked)

    def __call__(self, y: Any, a: Any) -> Any:
        """Return one probability per individual of the original `a`; 1/n each if `a` is None."""
        if not isinstance(y, Record):
            name = type(self).__name__
            raise BadParameter(f"{name}: 'y' must be a Record of a release. Got {y!r:.60}. Use Record(release, i).")
        return next(iter(self.rows(y.data, a, np.array([y.i])))).values

    @classmethod
    def from_words(cls, name: str, words: Sequence[str], columns: Sequence[str] | None) -> Self:
        """Build a method from a shell name: its first word, the other words (still escaped), and the columns."""
        check_word_count(words, 0, cls.form)
        return cls()


# Questions: a method is asked about every record and every information, one row at a time. No matrix is kept.

Method = Callable[[Any, Any], Any]
"""r(y, a), one probability per individual."""


@dataclass(frozen=True, eq=False)
class Questions:
    """All records y, and all pieces of information a."""

    who: str
    """The public function that asks; used in error messages."""
    ys: Sequence[Any]
    infos: Sequence[Any]

    @classmethod
    def of(cls, who: str, y: Any, a: Any) -> Questions:
        """Take a release as all its records, and an original (or None) as a single piece of information."""
        ys = records_of(y) if is_data(y) else _as_list(who, "y", "protected records", y)
        infos = [a] if a is None or is_data(a) else _as_list(who, "a", "auxiliary informations", a)
        return cls(who, ys, infos)

    def each(self, methods: Sequence[Method]) -> Iterator[tuple[Method, Any, tuple[Row, ...]]]:
        """Yield for each method and record one row per information, all over the same individuals."""
        n, total = 0, len(self.ys)
        for r in methods:
            done = 0
            for done, rows in enumerate(islice(self._list_answers(r), total), 1):
                n = n or rows[0].n
                self._check_individuals(rows, n, done - 1)
                if done % 256 == 1:
                    track("linking records", done - 1, total)
                yield r, self.ys[done - 1], rows
            if done < total:
                raise BadParameter(
                    f"{self.who}: {r!r:.60} must return a row for each of {total:,} records. Got {done:,}."
                )

    def _check_individuals(self, rows: Sequence[Row], n: int, j: int) -> None:
        for h, row in enumerate(rows):
            if row.n != n:
                came = f"{row.n:,} after {n:,}. {self._describe_place(j, h)}"
                raise BadParameter(
                    f"{self.who}: r(y, a) must return the same number of probabilities each time. Got {came}"
                )

    def _list_answers(self, r: Method) -> Iterator[tuple[Row, ...]]:
        release = self._find_release()
        return self._link_rows(r, release) if release is not None and hasattr(r, "rows") else self._call_method(r)

    def _find_release(self) -> Any:
        """Return the release of all records; None if they have different releases or none."""
        first = self.ys[0]
        if not isinstance(first, Record):
            return None
        same = all(isinstance(y, Record) and y.data is first.data for y in self.ys)
        return first.data if same else None

    def _link_rows(self, r: Any, release: Any) -> Iterator[tuple[Row, ...]]:
        which = np.array([y.i for y in self.ys])
        some = [] if np.array_equal(which, np.arange(release.n)) else [which]
        streams = [r.rows(release, a, *some) for a in self.infos]
        for j, answers in enumerate(zip(*streams, strict=False)):
            yield tuple(self._check_row(answer, j, h) for h, answer in enumerate(answers))

    def _call_method(self, r: Method) -> Iterator[tuple[Row, ...]]:
        for j in range(len(self.ys)):
            yield tuple(self._check_row(r(self.ys[j], a), j, h) for h, a in enumerate(self.infos))

    def _check_row(self, answer: Any, j: int, h: int) -> Row:
        try:
            return as_row(answer)
        except BadParameter as error:
            raise BadParameter(f"{self.who}: {error} {self._describe_place(j, h)}") from error

    def _describe_place(self, j: int, h: int) -> str:
        return f"This was record {j} of y, {self.ys[j]!r:.60}, and information {h} of a, {self.infos[h]!r:.60}."


def as_methods(who: str, methods: Any) -> list[Method]:
    """Return one or several methods as a list."""
    found = [methods] if callable(methods) else list(methods) if isinstance(methods, Iterable) else []
    if not found or not all(map(callable, found)):
        raise BadParameter(f"{who}: a re-identification method must be a function r(y, a). Got {methods!r:.60}.")
    return found


def _as_list(who: str, name: str, what: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadParameter(f"{who}: '{name}' must be a list of {what}. Got {values!r:.60}.")
    found = list(values)
    if not found:
        raise BadParameter(f"{who}: '{name}' must not be empty: it is a list of {what}. Got none.")
    return found


# Record: one record of a release, with a reference to the release; the paper's y.


def is_data(obj: Any) -> bool:
    """Return whether `obj` is a whole table or graph (or a file), and not a list of records or informations.

    >>> is_data(Table.of({"age": [30]})), is_data({"age": [30]}), is_data([30])
    (True, True, False)
    """
    return isinstance(obj, Table | Mapping | Path) or is_graph(obj) or is_frame(obj)


def as_data(obj: Any) -> Dataset:
    """Return the graph or table to link.

    >>> as_data(Table.of({"age": [30, 41]})).n
    2
    """
    return as_dataset(obj)


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """One record of a release, or one vertex of a graph, with a reference to the whole.

    Two records are equal if their entries are equal: the values of all columns and, in a graph, the row of the
    adjacency matrix. The paper requires that equal protected records get equal probabilities.

    Parameters
    ----------
    data
        The release: a table, a graph, or anything that :func:`shoal.as_table` takes.
    i
        The index of the record, from 0.

    Examples
    --------
    >>> trio = Table.of({"age": [30, 41, 30]})
    >>> Record(trio, 0) == Record(trio, 2), Record(trio, 0) == Record(trio, 1)
    (True, False)
    """

    data: Dataset
    i: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", as_data(self.data))
        object.__setattr__(self, "i", whole(self.i, "Record", "i", least=0))
        if self.i >= self.data.n:
            raise BadParameter(f"Record: 'i' must be below the number of records, {self.data.n:,}. Got {self.i:,}.")

    @cached_property
    def entries(self) -> Hashable:
        """The values that are compared: those of the columns and, for a vertex, its row."""
        g, i = self.data, self.i
        cells = tuple((name, exact(g.attributes[name][i])) for name in g.attributes)
        if not isinstance(g, Graph):
            return cells, (), None
        row = slice(g.indptr[i], g.indptr[i + 1])
        many: Hashable = None if g.multiplicity is None else tuple(g.multiplicity[row].tolist())
        if g.ties is not None:
            bundles = (g.ties.bundles[code] for code in g.ties.codes[row].tolist())
            many = tuple(tuple((g.ties.relations[r], q) for r, q in tie) for tie in bundles)
        return cells, tuple(g.indices[row].tolist()), many

    def __eq__(self, other: object) -> bool:
        return self.entries == other.entries if isinstance(other, Record) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.entries)

    def __repr__(self) -> str:
        return f"Record({self.data!r}, {self.i})"


@public
def records_of(data: Any) -> list[Record]:
    """Return all records of a release.

    >>> [record.i for record in records_of(Table.of({"age": [30, 41]}))]
    [0, 1]
    """
    whole_data = as_data(data)
    return [Record(whole_data, i) for i in range(whole_data.n)]
