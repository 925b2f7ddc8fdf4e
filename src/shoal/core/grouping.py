"""Exact classes: a hash proposes, a comparison decides, and what a collision joined is taken apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from shoal.core.threads import announce_compilation, light, spread
from shoal.core.types import Bools, Ints

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.empty(0, dtype=np.int32)
"""Stands for weights of one, or for no labels, inside compiled loops."""


def by_first_appearance(codes: Ints) -> Ints:
    """Renumber codes 0, 1, ... in the order in which they first occur.

    >>> by_first_appearance(np.array([5, 2, 5, 9])).tolist()
    [0, 1, 0, 2]
    """
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which.reshape(-1)]


def first_members(codes: Ints) -> Ints:
    """Return the first position of each class, ascending: in the order of codes numbered by first appearance.

    >>> first_members(np.array([0, 1, 0, 2])).tolist()
    [0, 1, 3]
    """
    return np.sort(np.unique(codes, return_index=True)[1])


def members_by_class(codes: Ints) -> tuple[Ints, Ints]:
    """List the positions class by class, ascending within a class, with the bounds of each class."""
    members = np.argsort(codes, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    return members, bounds


def take_apart(codes: Ints, wrong: Bools, exact: Callable[[int], Hashable]) -> Ints:
    """Give the positions that a comparison contradicted new codes, by their exact keys."""
    if not wrong.any():
        return codes
    codes = codes.copy()
    fresh: dict[tuple[int, Hashable], int] = {}
    most = int(codes.max()) + 1
    for i in np.flatnonzero(wrong):
        codes[i] = most + fresh.setdefault((int(codes[i]), exact(int(i))), len(fresh))
    return by_first_appearance(codes)


def group_multisets(
    indptr: Ints,
    items: Ints,
    weights: Ints | None = None,
    start: Ints | None = None,
    *,
    rows: Ints | None = None,
    mask: np.uint64 = ALL,
    threads: int | None = None,
) -> Ints:
    """Number the distinct multisets among `rows` (default: all rows), apart where `start` differs.

    >>> group_multisets(np.array([0, 2, 4, 6]), np.array([1, 112, 11, 12, 112, 1])).tolist()
    [0, 1, 0]
    """
    announce_compilation()
    from shoal.kernels import multisets as loops

    rows = np.arange(len(indptr) - 1) if rows is None else rows
    heavy = NONE if weights is None else weights
    low, high = np.empty(len(rows), dtype=np.uint64), np.empty(len(rows), dtype=np.uint64)
    start = np.zeros(len(rows), dtype=np.int64) if start is None else start

    def hash_piece(first: int, last: int) -> None:
        loops.hash_rows(first, last, rows, indptr, items, heavy, mask, low, high)

    spread(hash_piece, len(rows), threads, "comparing rows", piece=light(len(rows), threads))
    codes, _ = loops.propose(start, low, high)
    members, bounds = members_by_class(codes)
    wrong = np.zeros(len(rows), dtype=np.bool_)
    span = int(items.max(initial=0)) + 1

    def check_piece(first: int, last: int) -> None:
        tally = np.zeros(span, dtype=np.int64)
        loops.contradicted(first, last, rows, members, bounds, indptr, items, heavy, tally, wrong)

    classes = len(bounds) - 1
    spread(check_piece, classes, threads, "verifying classes", piece=light(classes, threads))
    return take_apart(codes, wrong, lambda i: _multiset(indptr, items, weights, int(rows[i])))


def group_twins(
    indptr: Ints,
    items: Ints,
    own: Ints,
    weights: Ints | None = None,
    start: Ints | None = None,
    *,
    mask: np.uint64 = ALL,
    threads: int | None = None,
) -> tuple[Ints, Bools]:
    """Number the classes of twins by first appearance; tell which vertices are linked to their twins.

    Row i is that of the vertex `own[i]`. Twins are vertices with equal rows, as they are or with each vertex in its own
    row (linked twins, by a link of weight 1). They can change places.

    A triangle with a tail at its first corner:

    >>> group_twins(np.array([0, 3, 5, 7, 8]), np.array([1, 2, 3, 0, 2, 0, 1, 0]), np.arange(4))[0].tolist()
    [0, 1, 1, 2]
    """
    apart = group_multisets(indptr, items, weights, start, mask=mask, threads=threads)
    with_own = np.insert(items, indptr[:-1], own.astype(items.dtype))
    if weights is not None:
        weights = np.insert(weights, indptr[:-1], 1)
    ptr = indptr + np.arange(len(indptr))
    linked = group_multisets(ptr, with_own, weights, start, mask=mask, threads=threads)
    # a vertex has twins of one kind only: an unlinked and a linked twin of v would be linked and not linked
    joined = np.bincount(linked)[linked] > 1
    return by_first_appearance(np.where(joined, len(own) + linked, apart)), joined


def _multiset(indptr: Ints, items: Ints, weights: Ints | None, v: int) -> Hashable:
    row = slice(indptr[v], indptr[v + 1])
    counts: Counter[Any] = Counter()
    for item, weight in zip(
        items[row].tolist(),
        (weights[row].tolist() if weights is not None else [1] * (row.stop - row.start)),
        strict=True,
    ):
        counts[item] += weight
    return frozenset(counts.items())
