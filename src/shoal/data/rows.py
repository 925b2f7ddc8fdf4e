"""Rows: pairs of vertex ids in any order become sorted rows of neighbors (CSR).

n is the number of vertices, m the number of pairs; every pair is entered twice, once from each end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.errors import BadGraph

Ints = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]

MANY = 100_000
"""From so many pairs on, two counting sorts (in scipy) beat one sort of 64-bit keys by two to three times."""


def compressed(n: int, a: Ints, b: Ints, counts: Ints | None = None) -> tuple[Ints, Ints, Ints | None]:
    """Return `indptr`, `indices`, and how often each entry was listed: None where each was listed once.

    >>> indptr, indices, listed = compressed(3, np.array([0, 2, 1]), np.array([1, 1, 0]))
    >>> indptr.tolist(), indices.tolist(), listed.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1], [2, 2, 1, 1])
    """
    if len(a) == 0:
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int32), None
    if counts is not None:
        return _by_weighted_keys(n, a, b, counts)
    return _by_counting(n, a, b) if len(a) >= MANY else _by_keys(n, a, b)


def _by_keys(n: int, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints | None]:
    keys = _keys(n, a, b)
    keys.sort()
    starts = _starts(keys)
    return *_rows(n, keys[starts]), _lengths(starts, len(keys))


def _by_weighted_keys(n: int, a: Ints, b: Ints, counts: Ints) -> tuple[Ints, Ints, Ints | None]:
    keys = _keys(n, a, b)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = _starts(keys)
    sums = np.add.reduceat(np.tile(counts.astype(np.int64), 2)[order], starts)
    return *_rows(n, keys[starts]), _small(sums)


def _by_counting(n: int, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints | None]:
    """Sort by one end, then stably by the other: the matrix is symmetric, so its columns are its rows."""
    from scipy.sparse import coo_array

    ends = np.empty((2, 2 * len(a)), dtype=np.int32)
    np.concatenate([a, b], out=ends[0], casting="same_kind")
    np.concatenate([b, a], out=ends[1], casting="same_kind")
    entries = coo_array((np.zeros(ends.shape[1], dtype=np.int8), (ends[0], ends[1])), shape=(n, n))
    entries.has_canonical_format = True  # repeated entries are counted below, not summed
    columns = entries.tocsr().tocsc()
    return _without_repeats(columns.indptr.astype(np.int64), columns.indices)


def _without_repeats(indptr: Ints, indices: Ints) -> tuple[Ints, Ints, Ints | None]:
    """Make one entry of equal neighbors in a row; few are expected, so little is moved for them."""
    again = np.empty(len(indices), dtype=bool)
    again[0] = False
    np.equal(indices[1:], indices[:-1], out=again[1:])
    again[indptr[:-1][indptr[:-1] < indptr[1:]]] = False
    if not again.any():
        return indptr, indices, None
    repeats = np.flatnonzero(again)
    kept = indices[~again]
    listed = np.ones(len(kept), dtype=np.int32)
    np.add.at(listed, repeats - np.arange(1, len(repeats) + 1), 1)
    return indptr - np.searchsorted(repeats, indptr), kept, listed


def _keys(n: int, a: Ints, b: Ints) -> Ints:
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    return np.concatenate([wide_a * n + wide_b, wide_b * n + wide_a])


def _starts(keys: Ints) -> Ints:
    """Return where each run of equal keys begins."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def _rows(n: int, keys: Ints) -> tuple[Ints, Ints]:
    return np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n), (keys % n).astype(np.int32)


def _lengths(starts: Ints, end: int) -> Ints | None:
    return None if len(starts) == end else _small(np.diff(starts, append=end))


def _small(counts: Ints) -> Ints:
    if counts.max() > np.iinfo(np.int32).max:
        raise BadGraph(f"A pair must stand for fewer than 2**31 edges. Got {counts.max():,}.")
    return counts.astype(np.int32)
