"""Exact classes: of rows of columns, of multisets, of twins, and connected components.

Hashes propose classes, and comparisons verify them. Twins are vertices with the same neighbors, each other aside; they
are interchangeable in the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.settings import run_in_pieces, size_light_pieces

WIDE = 2**31
"""Codes with a larger range are renumbered, to fit into 32 bits."""


def stack_codes(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the codes shifted to start at 0, one row per column, and the number of possible codes of each."""
    codes = np.empty((len(columns), len(columns[0])), dtype=np.int32)
    cards = np.empty(len(columns), dtype=np.int64)
    for i, column in enumerate(columns):
        low, high, narrow = int(column.min(initial=0)), int(column.max(initial=0)), column
        if high - low >= WIDE:
            low, narrow = 0, number_by_first_appearance(column)
            high = int(narrow.max())
        np.subtract(narrow, low, out=codes[i], casting="unsafe")
        cards[i] = high - low + 1
    return codes, cards


def group_columns(columns: Sequence[Ints]) -> Ints:
    """Number the distinct rows of integer columns by first appearance, by exact comparison.

    >>> group_columns([np.array([1, 1, 2]), np.array([7, -1, 7])]).tolist()
    [0, 1, 2]
    """
    from shoal.core._kernels.alike import group

    found: Ints = group(*stack_codes(columns))
    return found


def count_class_sizes(columns: Sequence[Ints]) -> Ints:
    """Return, for each row, the number of rows that agree with it on all columns.

    >>> count_class_sizes([np.array([1, 1, 2])]).tolist()
    [2, 2, 1]
    """
    codes = group_columns(columns)
    return np.bincount(codes)[codes]


HASH_BITS = 64
"""The number of bits of each half of a hash. Results do not depend on it, because hashes are verified. Tests set it to
0, so that every hash collides."""
NONE = np.empty(0, dtype=np.int32)
"""Means weights of 1, or no labels, in compiled loops."""


def make_hash_mask() -> np.uint64:
    """Return the mask of the bits of a hash that are used."""
    return np.uint64((1 << HASH_BITS) - 1)


def number_by_first_appearance(codes: Ints) -> Ints:
    """Renumber codes as 0, 1, ... in order of first appearance.

    >>> number_by_first_appearance(np.array([5, 2, 5, 9])).tolist()
    [0, 1, 0, 2]
    """
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which.reshape(-1)]


def find_first_members(codes: Ints) -> Ints:
    """Return the first position of each class, ascending.

    >>> find_first_members(np.array([0, 1, 0, 2])).tolist()
    [0, 1, 3]
    """
    members, bounds = list_members_by_class(codes)
    first = members[bounds[:-1][np.diff(bounds) > 0]]
    return first if np.all(first[1:] > first[:-1]) else np.sort(first)


def list_members_by_class(codes: Ints) -> tuple[Ints, Ints]:
    """Return the positions class by class, ascending within a class, and the bounds of the classes."""
    from shoal.core._kernels.alike import list_members

    found: tuple[Ints, Ints] = list_members(np.ascontiguousarray(codes, dtype=np.int64))
    return found


def take_apart(codes: Ints, wrong: Bools, exact: Callable[[int], Hashable]) -> Ints:
    """Give new codes, by exact keys, to the positions whose class a comparison contradicted."""
    if not wrong.any():
        return codes
    codes = codes.copy()
    fresh: dict[tuple[int, Hashable], int] = {}
    most = int(codes.max()) + 1
    for i in np.flatnonzero(wrong):
        codes[i] = most + fresh.setdefault((int(codes[i]), exact(int(i))), len(fresh))
    return number_by_first_appearance(codes)


def group_multisets(
    indptr: Ints,
    items: Ints,
    weights: Ints | None = None,
    start: Ints | None = None,
    *,
    rows: Ints | None = None,
) -> Ints:
    """Number the distinct multisets among `rows` (default: all); rows with different `start` are never merged.

    >>> group_multisets(np.array([0, 2, 4, 6]), np.array([1, 112, 11, 12, 112, 1])).tolist()
    [0, 1, 0]
    """
    from shoal.core._kernels import alike as loops

    rows = np.arange(len(indptr) - 1) if rows is None else rows
    heavy = NONE if weights is None else weights
    low, high = np.empty(len(rows), dtype=np.uint64), np.empty(len(rows), dtype=np.uint64)
    start = np.zeros(len(rows), dtype=np.int64) if start is None else start

    def hash_piece(first: int, last: int) -> None:
        loops.hash_rows(first, last, rows, indptr, items, heavy, make_hash_mask(), low, high)

    run_in_pieces(hash_piece, len(rows), "comparing rows", piece=size_light_pieces(len(rows)))
    codes, _ = loops.propose(start, low, high)
    members, bounds = list_members_by_class(codes)
    wrong = np.zeros(len(rows), dtype=np.bool_)
    span = int(items.max(initial=0)) + 1

    def check_piece(first: int, last: int) -> None:
        tally = np.zeros(span, dtype=np.int64)
        loops.contradicted(first, last, rows, members, bounds, indptr, items, heavy, tally, wrong)

    classes = len(bounds) - 1
    run_in_pieces(check_piece, classes, "verifying classes", piece=size_light_pieces(classes))
    return take_apart(codes, wrong, lambda i: _read_multiset(indptr, items, weights, int(rows[i])))


def take_rows(indptr: Ints, items: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return some rows, one after the other: their bounds and their items.

    >>> [part.tolist() for part in take_rows(np.array([0, 2, 3]), np.array([7, 8, 9]), np.array([1, 0]))]
    [[0, 1, 3], [9, 7, 8]]
    """
    ptr, at = find_entries(indptr, rows)
    return ptr, items[at]


def find_entries(indptr: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return where the entries of some rows stand, one row after the other, and the bounds of the rows in this list.

    >>> [part.tolist() for part in find_entries(np.array([0, 2, 3]), np.array([1, 0]))]
    [[0, 1, 3], [2, 0, 1]]
    """
    lengths = indptr[rows + 1] - indptr[rows]
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    return ptr, np.repeat(indptr[rows] - ptr[:-1], lengths) + np.arange(ptr[-1])


def _read_multiset(indptr: Ints, items: Ints, weights: Ints | None, v: int) -> Hashable:
    row = slice(indptr[v], indptr[v + 1])
    counts: Counter[Any] = Counter()
    for item, weight in zip(
        items[row].tolist(),
        (weights[row].tolist() if weights is not None else [1] * (row.stop - row.start)),
        strict=True,
    ):
        counts[item] += weight
    return frozenset(counts.items())


# Components.


def find_components(n: int, a: Ints, b: Ints) -> Ints:
    """Return the number of the connected component of each of n vertices, with links between a[i] and b[i].

    >>> find_components(5, np.array([0, 3]), np.array([2, 4])).tolist()
    [0, 1, 0, 2, 2]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(n, n))
    found: Ints = connected_components(links, directed=False)[1].astype(np.int64)
    return found
