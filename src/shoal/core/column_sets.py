"""Smallest sets of columns that reveal a record.

All sets of few columns are counted; where there are too many of them, each record is searched.

Records that agree on all columns can change places, so each kind is looked at once, with its weight. Sets are tried by
size. A set is counted only among the records that none of its parts reveals: a record that agrees with one of these on
the set is one of them too, so that the counts are complete.

S is a set of columns, s its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, islice
from math import comb
from threading import Lock

import numpy as np

from shoal.core.grouping import group_columns, stack_codes
from shoal.core.threads import run_in_pieces, size_heavy_pieces
from shoal.core.types import AT_LEAST, EVERY, EXACT
from shoal.data.arrays import Bools, Ints

NODES = 200_000
"""Steps of the search for one record before it is given up."""
WORTH = 20
"""A search for one record costs about as much as counting so many sets of columns."""

TRIED = 5_000
"""More sets than this are not tried one after the other for a single record."""

RevealingSet = tuple[tuple[int, ...], Ints]
Bits = np.ndarray[tuple[int], np.dtype[np.uint8]]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table as the loops read them: one line of codes per column, each distinct row once."""

    codes: Ints
    """A line per column, a place per distinct row."""
    cards: Ints
    """How many codes there can be in each column."""
    weight: Ints
    """How many records each distinct row stands for."""
    kind: Ints
    """For each record the distinct row that it has."""

    @classmethod
    def of(cls, columns: Sequence[Ints]) -> Cells:
        """Join the records that agree on all columns."""
        codes, cards = stack_codes(columns)
        kind = group_columns(columns)
        _, first, weight = np.unique(kind, return_index=True, return_counts=True)
        return cls(np.ascontiguousarray(codes[:, first]), cards, weight, kind)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.codes)

    @cached_property
    def members(self) -> tuple[Ints, Ints]:
        """The records by distinct row, and where each row's begin."""
        return np.argsort(self.kind, kind="stable"), np.concatenate([[0], np.cumsum(self.weight)])

    def records(self, rows: Ints) -> Ints:
        """Return the records that have one of these distinct rows."""
        order, starts = self.members
        return np.concatenate([order[starts[r] : starts[r + 1]] for r in rows.tolist()] or [order[:0]])


def count_fewest_columns(columns: Sequence[Ints], l: int, kind: Ints | None = None) -> Ints:
    """Return how few records (of its kind) at most l columns leave to each record.

    >>> count_fewest_columns([np.array([1, 1, 2]), np.array([7, 8, 7])], 1).tolist()
    [2, 1, 1]
    """
    from shoal.core._kernels.columns import lower

    cells = Cells.of([*columns, *([] if kind is None else [kind])])
    always = tuple(range(len(columns), cells.width))
    size = min(l, len(columns))  # smaller sets leave more
    many = comb(len(columns), size)
    best, lock = np.full(len(cells.weight), len(cells.kind), dtype=np.int64), Lock()
    rows = np.arange(len(best))

    def piece(first: int, last: int) -> None:
        mine = best.copy()
        for S in islice(combinations(range(len(columns)), size), first, last):  # a list of all could fill the memory
            lower(cells.codes, cells.cards, cells.weight, np.array(S + always, dtype=np.int64), rows, mine)
        with lock:
            np.minimum(best, mine, out=best)

    run_in_pieces(piece, many, "counting combinations of columns", piece=max(1, many // 64))
    return best[cells.kind]


def count_fewest_columns_in_release(columns: Sequence[Ints], n: int, l: int) -> tuple[Ints, list[tuple[int, ...]]]:
    """Return how few published records, at least one, at most l columns leave to each of n known records, and which.

    The first n cells of each column are known, the others published.
    """
    from shoal.core._kernels.columns import known_sizes

    codes, cards = stack_codes(columns)
    sets: list[tuple[int, ...]] = [()]
    sizes, which = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for S in chain.from_iterable(combinations(range(len(columns)), s) for s in range(min(l, len(columns)) + 1)):
        left = known_sizes(codes, cards, np.array(S, dtype=np.int64), n)
        better = (left > 0) & ((sizes == 0) | (left < sizes))
        if better.any():
            sizes[better], which[better] = left[better], len(sets)
            sets.append(S)
    return sizes, [sets[i] for i in which.tolist()]


def find_unfit_records(columns: Sequence[Ints], n: int, l: int) -> Bools:
    """Tell for each of n known records whether the values of some l columns are those of no published record.

    Fewer columns fit whoever more do, so only sets of l are looked at.
    """
    from shoal.core._kernels.columns import known_sizes

    codes, cards = stack_codes(columns)
    found = np.zeros(n, dtype=np.bool_)
    for S in combinations(range(len(columns)), min(l, len(columns))):
        found |= known_sizes(codes, cards, np.array(S, dtype=np.int64), n) == 0
    return found


def list_minimal_sets(columns: Sequence[Ints], below: Sequence[int | None]) -> Iterator[RevealingSet]:
    """Yield sets of columns, by size, with the records of which they, but no part of them, leave too few.

    `below[s - 1]` is how many records a set of s columns must leave; None if it may leave any number.

    >>> table = [np.array([1, 1, 2]), np.array([7, 8, 7])]
    >>> [(S, rows.tolist()) for S, rows in list_minimal_sets(table, [2, 2])]
    [((0,), [2]), ((1,), [1]), ((0, 1), [0])]
    """
    cells = Cells.of(columns)
    for found in _list_by_size(cells, below[: cells.width]):
        yield from ((S, np.sort(cells.records(rows))) for S, rows in found)


def _list_by_size(cells: Cells, below: Sequence[int | None]) -> Iterator[list[RevealingSet]]:
    """Yield, for sizes 1, 2, ..., the sets that reveal distinct rows which none of their parts reveals."""
    told: dict[tuple[int, ...], Bits] = {(): np.packbits(np.zeros(len(cells.weight), dtype=np.bool_))}
    for s, least in enumerate(below, 1):
        found, told = _list_of_size(cells, s, least or 0, told, last=s == len(below))
        yield found


def _list_of_size(
    cells: Cells, s: int, least: int, told: dict[tuple[int, ...], Bits], last: bool
) -> tuple[list[RevealingSet], dict[tuple[int, ...], Bits]]:
    """Return what the sets of s columns reveal, and for each of them the rows that it or a part of it reveals.

    `told` holds the latter for the sets of one column less, as packed bits.
    """
    from shoal.core._kernels.columns import revealed

    sets = list(combinations(range(cells.width), s))
    found: list[RevealingSet] = [(S, np.empty(0, dtype=np.int64)) for S in sets]
    after: dict[tuple[int, ...], Bits] = {}

    def piece(first: int, end: int) -> None:
        for i in range(first, end):
            S = sets[i]
            parts = np.bitwise_or.reduce([told[S[:j] + S[j + 1 :]] for j in range(s)])
            known = np.unpackbits(parts, count=len(cells.weight)).view(np.bool_)
            where, rows = np.array(S, dtype=np.int64), np.flatnonzero(~known)
            fresh = revealed(cells.codes, cells.cards, cells.weight, where, rows, least)
            found[i] = S, fresh
            if not last:
                known[fresh] = True
                after[S] = np.packbits(known)

    run_in_pieces(piece, len(sets), f"counting sets of {s} columns", piece=max(1, len(sets) // 64))
    return [(S, rows) for S, rows in found if len(rows)], after


def find_revealing_sizes(columns: Sequence[Ints], k: int | Sequence[int | None], most: int) -> tuple[Ints, Ints]:
    """Return the size of the smallest set of columns that leaves too few records to each record, and what it means.

    Too few are fewer than k; or, for a set of s columns, fewer than k[s - 1], where sizes beyond k are not looked at.

    >>> find_revealing_sizes([np.array([1, 1, 2]), np.array([7, 8, 7])], 2, 2)[0].tolist()
    [2, 1, 1]
    """
    cells = Cells.of(columns)
    below = list_thresholds(k, min(most, cells.width))
    sizes = np.full(len(cells.weight), len(below) + 1, dtype=np.int64)
    meaning = np.full(len(sizes), AT_LEAST, dtype=np.int64)
    if isinstance(k, int):
        meaning[cells.weight >= k] = EVERY
    sweep = _list_by_size(cells, below)
    for s in range(1, len(below) + 1):
        still = np.flatnonzero(meaning == AT_LEAST)
        if not len(still):
            break
        if isinstance(k, int) and comb(cells.width, s) > WORTH * len(still):
            _search(cells, k, s, len(below), still, sizes, meaning)
            return sizes[cells.kind], meaning[cells.kind]
        for _, rows in next(sweep):
            fresh = rows[meaning[rows] == AT_LEAST]
            sizes[fresh], meaning[fresh] = s, EXACT
    if len(below) == cells.width:
        meaning[meaning == AT_LEAST] = EVERY  # all sets were tried
    return sizes[cells.kind], meaning[cells.kind]


def list_thresholds(k: int | Sequence[int | None], most: int) -> list[int | None]:
    """Return how many records a set of 1, 2, ... up to `most` columns must leave.

    >>> list_thresholds(5, 2), list_thresholds((None, 1000, 100), 8)
    ([5, 5], [None, 1000, 100])
    """
    return [k] * most if isinstance(k, int) else list(k)[:most]


def _search(cells: Cells, k: int, least: int, most: int, todo: Ints, sizes: Ints, meaning: Ints) -> None:
    """Search for each distinct row of `todo`, of which fewer than `least` columns do not reveal it."""
    from shoal.core._kernels.columns import smallest_sets

    def piece(first: int, last: int) -> None:
        smallest_sets(first, last, todo, cells.codes, cells.weight, k, least, most, NODES, sizes, meaning)

    run_in_pieces(piece, len(todo), "searching revealing columns", piece=size_heavy_pieces(len(todo)))


def find_revealing_set(columns: Sequence[Ints], v: int, k: int, size: int) -> tuple[int, ...]:
    """Return a set of `size` columns, the smallest size there is, that leaves fewer than k records of v.

    >>> find_revealing_set([np.array([1, 1, 2]), np.array([7, 8, 7])], 0, 2, 2)
    (0, 1)
    """
    if comb(len(columns), size) > TRIED:
        return _search_set(columns, v, k, size)
    alike = np.array([column == column[v] for column in columns])
    return next(S for S in combinations(range(len(columns)), size) if np.count_nonzero(alike[list(S)].all(axis=0)) < k)


def _search_set(columns: Sequence[Ints], v: int, k: int, size: int) -> tuple[int, ...]:
    from shoal.core._kernels.columns import smallest_set

    cells = Cells.of(columns)
    _, _, found = smallest_set(cells.codes, cells.weight, int(cells.kind[v]), k, size, size, NODES)
    return tuple(sorted(found.tolist()))
