"""Smallest sets of columns that reveal a record: fewer than k records agree with it on these columns.

All sets of few columns are counted. If there are too many sets, each record is searched for separately.

Records that agree on all columns are interchangeable, so each distinct row is handled once, with its weight. Sets are
tried by size. A set is counted only among the records that no subset of it reveals. The counts are complete: a record
that agrees with one of these on the set is not revealed by a subset either.

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

from shoal.core.exposing_sets import AT_LEAST, EVERY, EXACT
from shoal.core.grouping import group_columns, stack_codes
from shoal.data.arrays import Bools, Ints
from shoal.settings import run_in_pieces, size_heavy_pieces

NODES = 200_000
"""The most search steps for one record."""
WORTH = 20
"""Searching for one record costs about as much as counting this many sets of columns."""

TRIED = 5_000
"""The most sets that are tried one by one for a single record."""

RevealingSet = tuple[tuple[int, ...], Ints]
Bits = np.ndarray[tuple[int], np.dtype[np.uint8]]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table for compiled loops: one array of codes per column, each distinct row once."""

    codes: Ints
    """One array per column, one entry per distinct row."""
    cards: Ints
    """The number of possible codes in each column."""
    weight: Ints
    """The number of records with each distinct row."""
    kind: Ints
    """The distinct row of each record."""

    @classmethod
    def of(cls, columns: Sequence[Ints]) -> Cells:
        """Merge the records that agree on all columns."""
        codes, cards = stack_codes(columns)
        kind = group_columns(columns)
        _, first, weight = np.unique(kind, return_index=True, return_counts=True)
        return cls(np.ascontiguousarray(codes[:, first]), cards, weight, kind)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.codes)

    @cached_property
    def members(self) -> tuple[Ints, Ints]:
        """The records sorted by distinct row, and the start of each row's records."""
        return np.argsort(self.kind, kind="stable"), np.concatenate([[0], np.cumsum(self.weight)])

    def records(self, rows: Ints) -> Ints:
        """Return the records that have one of these distinct rows."""
        order, starts = self.members
        return np.concatenate([order[starts[r] : starts[r + 1]] for r in rows.tolist()] or [order[:0]])


def count_fewest_columns(columns: Sequence[Ints], l: int, kind: Ints | None = None) -> Ints:
    """Return, for each record, the fewest records (of its kind) that agree with it on at most l columns.

    >>> count_fewest_columns([np.array([1, 1, 2]), np.array([7, 8, 7])], 1).tolist()
    [2, 1, 1]
    """
    from shoal.core._kernels.alike import lower

    cells = Cells.of([*columns, *([] if kind is None else [kind])])
    always = tuple(range(len(columns), cells.width))
    size = min(l, len(columns))  # smaller sets leave at least as many
    many = comb(len(columns), size)
    best, lock = np.full(len(cells.weight), len(cells.kind), dtype=np.int64), Lock()
    rows = np.arange(len(best))

    def piece(first: int, last: int) -> None:
        mine = best.copy()
        for S in islice(combinations(range(len(columns)), size), first, last):  # a list could fill the memory
            lower(cells.codes, cells.cards, cells.weight, np.array(S + always, dtype=np.int64), rows, mine)
        with lock:
            np.minimum(best, mine, out=best)

    run_in_pieces(piece, many, "counting combinations of columns", piece=max(1, many // 64))
    return best[cells.kind]


def count_fewest_columns_in_release(columns: Sequence[Ints], n: int, l: int) -> tuple[Ints, list[tuple[int, ...]]]:
    """Return the fewest published records, at least one, that match n known records on at most l columns.

    Also return a set of columns for each minimum. The first n cells of each column are known, the others published.
    """
    from shoal.core._kernels.alike import known_sizes

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
    """Return, for each of n known records, whether its values on some l columns match no published record.

    A subset of matching columns also matches, so only sets of l columns are checked.
    """
    from shoal.core._kernels.alike import known_sizes

    codes, cards = stack_codes(columns)
    found = np.zeros(n, dtype=np.bool_)
    for S in combinations(range(len(columns)), min(l, len(columns))):
        found |= known_sizes(codes, cards, np.array(S, dtype=np.int64), n) == 0
    return found


def list_minimal_sets(columns: Sequence[Ints], below: Sequence[int | None]) -> Iterator[RevealingSet]:
    """Yield sets of columns, by size, with the records that they reveal and no proper subset reveals.

    A set of s columns reveals a record if fewer than `below[s - 1]` records agree with it; never if that is None.

    >>> table = [np.array([1, 1, 2]), np.array([7, 8, 7])]
    >>> [(S, rows.tolist()) for S, rows in list_minimal_sets(table, [2, 2])]
    [((0,), [2]), ((1,), [1]), ((0, 1), [0])]
    """
    cells = Cells.of(columns)
    for found in _list_by_size(cells, below[: cells.width]):
        yield from ((S, np.sort(cells.records(rows))) for S, rows in found)


def _list_by_size(cells: Cells, below: Sequence[int | None]) -> Iterator[list[RevealingSet]]:
    """Yield, for sizes 1, 2, ..., the sets with the distinct rows that they reveal and no proper subset reveals."""
    told: dict[tuple[int, ...], Bits] = {(): np.packbits(np.zeros(len(cells.weight), dtype=np.bool_))}
    for s, least in enumerate(below, 1):
        found, told = _list_of_size(cells, s, least or 0, told, last=s == len(below))
        yield found


def _list_of_size(
    cells: Cells, s: int, least: int, told: dict[tuple[int, ...], Bits], last: bool
) -> tuple[list[RevealingSet], dict[tuple[int, ...], Bits]]:
    """Return the rows that each set of s columns reveals first, and the rows that it or a subset reveals.

    `told` holds the latter, as packed bits, for the sets of s - 1 columns.
    """
    from shoal.core._kernels.alike import revealed

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
    """Return, for each record, the size of the smallest set of columns that reveals it, and the meaning of the size.

    A set reveals a record if fewer than k records agree with it. If k is a sequence, a set of s columns needs fewer
    than k[s - 1], and larger sets than len(k) are not checked.

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
        meaning[meaning == AT_LEAST] = EVERY  # every set was tried
    return sizes[cells.kind], meaning[cells.kind]


def list_thresholds(k: int | Sequence[int | None], most: int) -> list[int | None]:
    """Return the threshold of sets of 1, 2, ... up to `most` columns.

    >>> list_thresholds(5, 2), list_thresholds((None, 1000, 100), 8)
    ([5, 5], [None, 1000, 100])
    """
    return [k] * most if isinstance(k, int) else list(k)[:most]


def _search(cells: Cells, k: int, least: int, most: int, todo: Ints, sizes: Ints, meaning: Ints) -> None:
    """Search for each distinct row of `todo`, which no set of fewer than `least` columns reveals."""
    from shoal.core._kernels.alike import smallest_sets

    def piece(first: int, last: int) -> None:
        smallest_sets(first, last, todo, cells.codes, cells.weight, k, least, most, NODES, sizes, meaning)

    run_in_pieces(piece, len(todo), "searching revealing columns", piece=size_heavy_pieces(len(todo)))


def find_revealing_set(columns: Sequence[Ints], v: int, k: int, size: int) -> tuple[int, ...]:
    """Return a set of `size` columns, the smallest possible size, on which fewer than k records agree with v.

    >>> find_revealing_set([np.array([1, 1, 2]), np.array([7, 8, 7])], 0, 2, 2)
    (0, 1)
    """
    if comb(len(columns), size) > TRIED:
        return _search_set(columns, v, k, size)
    alike = np.array([column == column[v] for column in columns])
    return next(S for S in combinations(range(len(columns)), size) if np.count_nonzero(alike[list(S)].all(axis=0)) < k)


def _search_set(columns: Sequence[Ints], v: int, k: int, size: int) -> tuple[int, ...]:
    from shoal.core._kernels.alike import smallest_set

    cells = Cells.of(columns)
    _, _, found = smallest_set(cells.codes, cells.weight, int(cells.kind[v]), k, size, size, NODES)
    return tuple(sorted(found.tolist()))
