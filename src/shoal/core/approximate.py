"""Numbers within an error: which published numbers a measured one may stand for, and how many vertices have them.

A measured number x may stand for y if |x - y| <= e y, that is x / (1 + e) <= y <= x / (1 - e), with an error e below 1.
So the candidates of a number are an interval. All bounds are exact whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal.core.balls import BallVectors
from shoal.core.grouping import NONE, find_entries, find_first_members, group_columns, group_multisets
from shoal.core.incidence import Incidence, Rows
from shoal.data.arrays import Bools, Ints
from shoal.settings import run_in_pieces, size_heavy_pieces

LARGEST = 2**62
"""Stands for every larger bound: no count is as large."""
ENTRIES = 20_000_000
"""The most entries of rows that a search for known neighbors reads for one vertex."""


def find_ranges(values: Ints, error: Fraction) -> tuple[Ints, Ints]:
    """Return the least and the greatest whole number that each measured value may stand for.

    >>> [bounds.tolist() for bounds in find_ranges(np.array([0, 9, 19, 20]), Fraction(1, 20))]
    [[0, 9, 19, 20], [0, 9, 20, 21]]
    """
    distinct, at = np.unique(values, return_inverse=True)
    p, q = error.numerator, error.denominator
    low = [-(-x * q // (q + p)) for x in distinct.tolist()]
    high = [min(x * q // (q - p), LARGEST) for x in distinct.tolist()]
    return np.array(low, dtype=np.int64)[at.reshape(-1)], np.array(high, dtype=np.int64)[at.reshape(-1)]


@dataclass(frozen=True, eq=False)
class Side:
    """The vertices of one graph: their class, and a number or two about each."""

    kind: Ints
    """Vertices of different classes never fit each other."""
    numbers: tuple[Ints, ...]


@dataclass(frozen=True, eq=False)
class NumbersWithin:
    """Which published vertices have numbers that the numbers of a measured vertex may stand for.

    The published vertices are sorted by class and first number, so that those with a fitting first number are a run.
    """

    known: Side
    published: Side
    error: Fraction

    @cached_property
    def _ranges(self) -> list[tuple[Ints, Ints]]:
        return [find_ranges(numbers, self.error) for numbers in self.known.numbers]

    @cached_property
    def _order(self) -> Ints:
        return np.lexsort((self.published.numbers[0], self.published.kind))

    @cached_property
    def _runs(self) -> tuple[Ints, Ints]:
        """For each measured vertex the first place of its run, and the place after it."""
        values, at = np.unique(self.published.numbers[0], return_inverse=True)
        span, (low, high) = len(values) + 1, self._ranges[0]
        keys = (self.published.kind * span + at.reshape(-1))[self._order]
        first = np.searchsorted(keys, self.known.kind * span + np.searchsorted(values, low))
        return first, np.searchsorted(keys, self.known.kind * span + np.searchsorted(values, high, side="right"))

    def count(self) -> Ints:
        """Return the number of candidates of each measured vertex."""
        first, last = self._runs
        if len(self.known.numbers) == 1:
            return last - first
        values, at = np.unique(self.published.numbers[1], return_inverse=True)
        low, high = np.searchsorted(values, self._ranges[1][0]), np.searchsorted(values, self._ranges[1][1], "right")
        same = group_columns([first, last, low, high])  # many vertices ask the same
        ask = find_first_members(same)
        ranks = at.reshape(-1)[self._order]
        limits = np.concatenate([high[ask], low[ask]])
        below = count_below(ranks, np.tile(first[ask], 2), np.tile(last[ask], 2), limits)
        found: Ints = (below[: len(ask)] - below[len(ask) :])[same]
        return found

    def find(self, v: int) -> Ints:
        """Return the candidates of a measured vertex, ascending."""
        first, last = self._runs
        found = self._order[first[v] : last[v]]
        for (low, high), numbers in zip(self._ranges[1:], self.published.numbers[1:], strict=True):
            found = found[(low[v] <= numbers[found]) & (numbers[found] <= high[v])]
        return np.sort(found)


def count_below(ranks: Ints, first: Ints, last: Ints, limit: Ints) -> Ints:
    """Count, for each query, the places from `first` to before `last` whose rank is below `limit`.

    A wavelet matrix: the ranks are split by one bit after the other, from the highest, zeros before ones.

    >>> count_below(np.array([3, 0, 2, 0]), np.array([0, 1]), np.array([4, 3]), np.array([3, 1])).tolist()
    [3, 1]
    """
    from shoal.core._kernels import approximate as loops

    bits = max(int(ranks.max(initial=0)), int(limit.max(initial=0))).bit_length()
    found: Ints = loops.count_below(*(np.array(part, dtype=np.int64) for part in (ranks, first, last, limit)), bits)
    return found


# Lists of numbers, position by position. Vertices with equal lists and classes are counted once.


@dataclass(frozen=True, eq=False)
class ListsWithin:
    """Which published vertices have a list of numbers that the list of a measured vertex may stand for.

    Lists are ascending. Two fit if they have the same length and every number fits. Values that no chain of fitting
    values connects get different marks; lists whose marks differ cannot fit, so only lists of one group are compared.
    """

    known: Ints
    """For each measured vertex the number of its distinct list with its class."""
    published: Ints
    """The same for each published vertex."""
    kind: Ints
    """For each distinct list its class."""
    ptr: Ints
    values: Ints
    """The distinct lists, one after the other."""
    error: Fraction

    @cached_property
    def _ranges(self) -> tuple[Ints, Ints]:
        return find_ranges(self.values, self.error)

    @cached_property
    def _groups(self) -> Ints:
        values, at = np.unique(self.values, return_inverse=True)
        low, high = find_ranges(values, self.error)
        apart = (high[:-1] < values[1:]) & (low[1:] > values[:-1])
        marks = np.concatenate([[0], np.cumsum(apart)])[at.reshape(-1)]
        return group_multisets(self.ptr, marks.astype(np.int32), start=self.kind)

    @cached_property
    def _sums(self) -> Ints:
        return np.add.reduceat(self.values, self.ptr[:-1])  # no list is empty: a ball has its center

    @cached_property
    def _published_lists(self) -> tuple[Ints, Ints, Ints]:
        """The distinct published lists by group and sum, the bounds of the groups, and the sums."""
        which = np.unique(self.published)
        order = which[np.lexsort((self._sums[which], self._groups[which]))]
        bounds = np.searchsorted(self._groups[order], np.arange(int(self._groups.max()) + 2))
        return order, bounds, self._sums[order]

    def count(self) -> Ints:
        """Return the number of candidates of each measured vertex."""
        from shoal.core._kernels.approximate import count_lists_within

        asked, back = np.unique(self.known, return_inverse=True)
        (low, high), (order, bounds, sums) = self._ranges, self._published_lists
        times = np.bincount(self.published, minlength=len(self.kind))[order]
        sizes = np.zeros(len(asked), dtype=np.int64)
        mine = self.ptr[asked], np.diff(self.ptr)[asked], low, high, self._groups[asked]
        ends = find_ranges(self._sums[asked], self.error)  # the inequality holds for sums, too

        def piece(first: int, last: int) -> None:
            count_lists_within(first, last, *mine, *ends, bounds, self.ptr[order], sums, times, self.values, sizes)

        run_in_pieces(piece, len(asked), "comparing lists", piece=size_heavy_pieces(len(asked)))
        return sizes[back.reshape(-1)]

    def find(self, v: int) -> Ints:
        """Return the candidates of a measured vertex, ascending."""
        return np.flatnonzero(np.isin(self.published, self.find_lists(int(self.known[v]))))

    def find_lists(self, c: int) -> Ints:
        """Return the distinct published lists that list c may stand for."""
        (low, high), (order, bounds, _) = self._ranges, self._published_lists
        row = np.arange(self.ptr[c], self.ptr[c + 1])
        others = order[bounds[self._groups[c]] : bounds[self._groups[c] + 1]]
        lists = self.values[self.ptr[others][:, None] + np.arange(len(row))]
        fits = ((low[row] <= lists) & (lists <= high[row])).all(axis=1)
        found: Ints = others[fits]
        return found


# Lists of vectors: numbers of links of each relation, for each vertex of a ball.


@dataclass(frozen=True, eq=False)
class VectorsWithin:
    """Which published vertices have a list of vectors that the list of a measured vertex may stand for.

    Two lists fit if their vectors can be paired one to one so that every number of every pair fits. Vectors fit only if
    they have the same relations, because only 0 is within an error of 0. So, for each set of relations and each of
    these, the ascending numbers of both lists must fit position by position. Lists that pass are compared in full.
    """

    known: Ints
    """For each measured vertex the number of its distinct list with its class."""
    published: Ints
    """The same for each published vertex."""
    kind: Ints
    """For each distinct list its class."""
    lists: BallVectors
    error: Fraction

    @cached_property
    def _shapes(self) -> Ints:
        """For each vector a number for its set of relations."""
        return group_multisets(self.lists.indptr, self.lists.relation)

    @cached_property
    def _groups(self) -> Ints:
        """For each list a number for its class and the sets of relations of its vectors; others cannot fit."""
        return group_multisets(self.lists.balls, self._shapes, start=self.kind)

    @cached_property
    def _contested(self) -> Ints:
        """The lists that are not the only ones of their group."""
        return np.flatnonzero(np.bincount(self._groups)[self._groups] > 1)

    @cached_property
    def _numbers(self) -> ListsWithin:
        """The numbers of each contested list by set of relations and relation, ascending, after a 0: none is empty."""
        balls, vectors = find_entries(self.lists.balls, self._contested)
        indptr, entries = find_entries(self.lists.indptr, vectors)
        ptr, times = indptr[balls], self.lists.times[entries]
        shape = np.repeat(self._shapes[vectors], np.diff(indptr))
        owner = np.repeat(np.arange(len(balls) - 1), np.diff(ptr))
        values = times[np.lexsort((times, self.lists.relation[entries], shape, owner))]
        place = np.searchsorted(self._contested, self.published)
        here = self._contested[np.minimum(place, len(self._contested) - 1)] == self.published
        return ListsWithin(
            np.arange(len(self._contested)),
            place[here],
            self._groups[self._contested],
            ptr + np.arange(len(ptr)),
            np.insert(values, ptr[:-1], 0),
            self.error,
        )

    @cached_property
    def _times(self) -> Ints:
        """For each distinct list the number of published vertices that have it."""
        return np.bincount(self.published, minlength=len(self.kind))

    def count(self) -> Ints:
        """Return the number of candidates of each measured vertex."""
        sizes = self._times.copy()  # a list fits itself
        if len(self._contested):
            sizes[self._contested] = self._numbers.count()
        for c in np.flatnonzero(sizes > self._times).tolist():
            sizes[c] = self._times[self._find_lists(c)].sum()
        return sizes[self.known]

    def find(self, v: int) -> Ints:
        """Return the candidates of a measured vertex, ascending."""
        return np.flatnonzero(np.isin(self.published, self._find_lists(int(self.known[v]))))

    def _find_lists(self, c: int) -> Ints:
        """Return the distinct published lists that list c may stand for."""
        at = int(np.searchsorted(self._contested, c))
        if at == len(self._contested) or self._contested[at] != c:
            return np.array([c])
        found = self._contested[self._numbers.find_lists(at)]
        return found[[self._can_pair(c, other) for other in found.tolist()]]

    def _can_pair(self, c: int, other: int) -> bool:
        """Return whether the vectors of two lists whose numbers fit can be paired."""
        mine, theirs = self._tables[c], self._tables[other]
        return c == other or all(_pair_within(mine[shape], theirs[shape], self.error) for shape in mine)

    @cached_property
    def _tables(self) -> _Tables:
        return _Tables(self.lists, self._shapes)


class _Tables(dict[int, dict[int, Ints]]):
    """For each list, once it is asked for, the vectors of each set of relations as rows of numbers."""

    def __init__(self, lists: BallVectors, shapes: Ints) -> None:
        super().__init__()
        self.lists, self.shapes = lists, shapes

    def __missing__(self, c: int) -> dict[int, Ints]:
        rows: dict[int, list[Ints]] = {}
        for i in range(self.lists.balls[c], self.lists.balls[c + 1]):
            numbers = self.lists.times[self.lists.indptr[i] : self.lists.indptr[i + 1]]
            rows.setdefault(int(self.shapes[i]), []).append(numbers)
        # With one relation or one vector, the numbers in order have decided.
        return self.setdefault(
            c, {shape: np.array(some) for shape, some in rows.items() if len(some) > 1 and len(some[0]) > 1}
        )


def _pair_within(measured: Ints, numbers: Ints, error: Fraction) -> bool:
    """Return whether the rows of two tables can be paired one to one so that all numbers of each pair fit.

    >>> _pair_within(np.array([[10, 20], [20, 10]]), np.array([[19, 10], [10, 21]]), Fraction(1, 10))
    True
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    low, high = (bounds.reshape(measured.shape) for bounds in find_ranges(measured.reshape(-1), error))
    fits = np.ones((len(measured), len(numbers)), dtype=np.bool_)
    for column, (least, most) in enumerate(zip(low.T, high.T, strict=True)):
        fits &= (least[:, None] <= numbers[:, column]) & (numbers[:, column] <= most[:, None])
    matched = maximum_bipartite_matching(csr_array(fits), perm_type="column")
    return bool((matched >= 0).all())


# Known neighbors of which some may be wrong.


def count_fewest_with_errors(
    entries: Incidence, known: Rows, l: int, errors: int, kinds: tuple[Ints, Ints] | None = None
) -> tuple[Ints, Bools, list[Ints]]:
    """Return the fewest candidates, at least one, for l neighbors with errors, whether exact, and the neighbors.

    Parameters
    ----------
    entries
        The published neighbors; with multiplicities, if they are compared.
    known
        The rows in which neighbors are known, in items of `entries`.
    l, errors
        A vertex fits l known neighbors if it lacks at most so many of them.
    kinds
        Classes of the rows and of the published vertices: only vertices of the same class fit.
    """
    from shoal.core._kernels.approximate import fewest_with_errors

    ptr, items, weights = known
    wants, kind = kinds or (np.zeros(len(ptr) - 1, dtype=np.int64), np.zeros(entries.n, dtype=np.int64))
    twins = group_multisets(ptr, items, weights, wants)
    todo, l = find_first_members(twins), min(l, max(1, int(np.diff(ptr).max(initial=0))))
    sizes, exact = np.zeros(len(todo), dtype=np.int64), np.zeros(len(todo), dtype=np.bool_)
    best, lengths = np.empty((len(todo), l), dtype=np.int64), np.zeros(len(todo), dtype=np.int64)
    rows = ptr, np.asarray(items, dtype=np.int64), NONE if weights is None else weights
    totals = np.bincount(kind, minlength=int(wants.max(initial=0)) + 1)
    fixed = todo, rows, entries.csr, kind, wants, totals, l, errors, ENTRIES

    def piece(first: int, last: int) -> None:
        fewest_with_errors(first, last, *fixed, sizes, exact, best, lengths)

    run_in_pieces(piece, len(todo), "searching known neighbors with errors", piece=size_heavy_pieces(len(todo)))
    facts = [np.sort(best[i, : lengths[i]]) for i in range(len(todo))]
    return sizes[twins], exact[twins], [facts[i] for i in twins.tolist()]
