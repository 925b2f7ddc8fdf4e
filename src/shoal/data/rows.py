"""Rows: pairs of vertex ids in any order become sorted rows of neighbors (CSR).

n is the number of vertices, m the number of pairs; every pair is entered twice, once from each end.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Ints
from shoal.errors import BadGraph
from shoal.settings import in_order, spans

MANY = 100_000
"""From so many pairs on, two counting sorts (in scipy) beat one sort of 64-bit keys by two to three times."""


WINDOW = 1 << 14


def compress_rows(
    n: int, a: Ints, b: Ints, counts: Ints | None = None, *, counted: bool = True
) -> tuple[Ints, Ints, Ints | None]:
    """Return `indptr`, `indices`, and, if `counted`, how often each entry was listed (None for once each).

    >>> indptr, indices, listed = compress_rows(3, np.array([0, 2, 1]), np.array([1, 1, 0]))
    >>> indptr.tolist(), indices.tolist(), listed.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1], [2, 2, 1, 1])
    """
    if len(a) == 0:
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int32), None
    if counts is not None:
        return _compress_by_weighted_keys(n, a, b, counts)
    return _compress_by_counting(n, a, b, counted) if len(a) >= MANY else _compress_by_keys(n, a, b)


def _compress_by_keys(n: int, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints | None]:
    keys = _make_keys(n, a, b)
    keys.sort()
    starts = _find_starts(keys)
    return *_split_keys(n, keys[starts]), _measure_runs(starts, len(keys))


def _compress_by_weighted_keys(n: int, a: Ints, b: Ints, counts: Ints) -> tuple[Ints, Ints, Ints | None]:
    keys = _make_keys(n, a, b)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = _find_starts(keys)
    sums = np.add.reduceat(np.tile(counts.astype(np.int64), 2)[order], starts)
    return *_split_keys(n, keys[starts]), _shrink_counts(sums)


def _compress_by_counting(n: int, a: Ints, b: Ints, counted: bool) -> tuple[Ints, Ints, Ints | None]:
    """Sort by the larger end, then stably by the smaller, then stably by the larger again.

    The second order gives each vertex its larger neighbors, the third its smaller ones, both ascending.
    """
    from scipy.sparse import coo_array, csc_array

    ends = np.maximum(a, b).astype(np.int32, copy=False), np.minimum(a, b).astype(np.int32, copy=False)
    entries = coo_array((np.zeros(len(a), dtype=np.int8), ends), shape=(n, n))
    entries.has_canonical_format = True  # repeated entries are counted next, not summed
    larger = entries.tocsr().tocsc()
    indptr, indices, listed = _merge_repeats(larger.indptr, larger.indices)
    if listed is not None:
        carried = listed if counted else np.zeros(len(indices), dtype=np.int8)
        larger = csc_array((carried, indices, indptr), shape=(n, n))
    smaller = larger.tocsr()
    times = None
    if counted and listed is not None:
        times = _merge_rows(smaller.indptr, smaller.data, larger.indptr, larger.data)
    neighbors = _merge_rows(smaller.indptr, smaller.indices, larger.indptr, larger.indices)
    return smaller.indptr.astype(np.int64) + larger.indptr, neighbors, times


def _merge_repeats(indptr: Ints, indices: Ints) -> tuple[Ints, Ints, Ints | None]:
    """Make one entry of equal neighbors in a row, with how many they were; few repeats are expected."""
    equal = np.flatnonzero(indices[1:] == indices[:-1]) + 1
    rows = np.searchsorted(indptr, equal, side="right") - 1
    inside = indptr[rows] < equal
    repeats, rows = equal[inside], rows[inside]
    if len(repeats) == 0:
        return indptr, indices, None
    kept = np.ones(len(indices), dtype=bool)
    kept[repeats] = False
    listed = np.ones(len(indices) - len(repeats), dtype=np.int32)
    np.add.at(listed, repeats - np.arange(1, len(repeats) + 1), 1)
    lost = np.append(0, np.cumsum(np.bincount(rows, minlength=len(indptr) - 1)))
    return (indptr - lost).astype(np.int32), indices[kept], listed


def _merge_rows(first: Ints, a: Ints, second: Ints, b: Ints) -> Ints:
    """Put the rows of `b` behind those of `a`; `first` and `second` say where each row begins."""
    rows = np.empty(len(a) + len(b), dtype=np.int32)

    def place(piece: slice) -> None:
        reach = slice(piece.start, piece.stop + 1)
        for begins, shifts, cells in ((first, second[:-1], a), (second, first[1:], b)):
            starts = begins[reach]
            at = np.repeat(shifts[piece], np.diff(starts))
            at += np.arange(starts[0], starts[-1], dtype=at.dtype)
            rows[at] = cells[starts[0] : starts[-1]]

    for _ in in_order(place, spans(len(first) - 1, WINDOW)):
        pass
    return rows


def _make_keys(n: int, a: Ints, b: Ints) -> Ints:
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    return np.concatenate([wide_a * n + wide_b, wide_b * n + wide_a])


def _find_starts(keys: Ints) -> Ints:
    """Return where each run of equal keys begins."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def _split_keys(n: int, keys: Ints) -> tuple[Ints, Ints]:
    return np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n), (keys % n).astype(np.int32)


def _measure_runs(starts: Ints, end: int) -> Ints | None:
    return None if len(starts) == end else _shrink_counts(np.diff(starts, append=end))


def _shrink_counts(counts: Ints) -> Ints:
    if counts.max() > np.iinfo(np.int32).max:
        raise BadGraph(f"A pair must stand for fewer than 2**31 edges. Got {counts.max():,}.")
    return counts.astype(np.int32)
