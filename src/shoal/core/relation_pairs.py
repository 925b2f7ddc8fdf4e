"""The fewest candidates that one or two known entries of a row leave, counted for all vertices at once.

Multiplicities are not counted here: entries of a multigraph whose numbers are known are searched vertex by vertex, see
:mod:`shoal.core.exposing_sets`.
"""

from __future__ import annotations

import numpy as np

from shoal.core.grouping import NONE, group_multisets
from shoal.core.incidence import Incidence, Reading
from shoal.data.arrays import Bools, Ints
from shoal.settings import run_in_pieces

CODES: dict[Reading, int] = {"relations": 0, "located-relations": 1, "neighbors": 2, "exact-neighbors": 2}

STEPS, ALL_STEPS = 200_000, 50_000_000
"""The most steps for the pairs of missing entries: of each vertex, or of all together, whichever is more."""

PIECES, FEW_PATHS = 32, 10_000_000
"""Each piece needs memory for all vertices, so there are not too many; few paths of two entries are one piece."""
NO_PAIRS = np.empty((0, 2), dtype=np.int64)
"""In place of pairs that are not wanted."""


def count_fewest_of_one(entries: Incidence) -> Ints:
    """Return the fewest candidates for one known entry.

    A known item leaves the vertices that have it. An item that is known to be missing leaves all others.
    """
    n, (ptr, items, _), degree = entries.n, entries.rows, np.diff(entries.indptr)
    ends = np.append(degree[items], n)
    least = np.where(degree[:n] > 0, np.minimum.reduceat(ends, ptr[:-1]), n)
    if entries.reading in ("neighbors", "exact-neighbors"):
        return least
    located, highest = entries.reading == "located-relations", _list_highest(entries).tolist()
    strangers = [_find_highest_stranger(entries, highest, v, located) for v in range(n)]
    return np.minimum(least, [n if x is None else n - located - int(degree[x]) for x in strangers])


def _list_highest(entries: Incidence) -> Ints:
    """Return the items, those first that the most vertices have."""
    found: Ints = np.argsort(-np.diff(entries.indptr[entries.start :]), kind="stable") + entries.start
    return found


def _find_highest_stranger(entries: Incidence, highest: list[int], v: int, located: bool) -> int | None:
    """Return the first of `highest` that v does not have; items about v itself do not count if `located`."""
    near = set(entries.row(v).tolist()) | (set(entries.list_owned(v)) if located else set())
    return next((x for x in highest if x not in near), None)


def lower_by_pairs(entries: Incidence, fewest: Ints, enough: int = 1) -> tuple[Ints, Bools]:
    """Return the fewest candidates for at most two known entries, and whether the number is exact.

    `fewest` holds those for one entry. A number up to `enough` is not lowered any more, and counts as exact.
    """
    from shoal.core._kernels.relation_pairs import serve_all

    degree = np.diff(entries.indptr)
    items = np.argsort(degree[entries.start :], kind="stable") + entries.start
    todo = items[np.searchsorted(degree[items], enough, side="right") :]
    fewest, code, parts = fewest.astype(np.int64), CODES[entries.reading], list[Ints]()  # one for each thread
    arrays = _take_arrays(entries)

    def piece(first: int, last: int) -> None:
        least = parts.pop() if parts else fewest.copy()
        serve_all(first, last, todo, arrays, code, enough, least, NO_PAIRS)
        parts.append(least)

    size = len(todo) if int(arrays[3][todo].sum()) <= FEW_PATHS else max(64, -(-len(todo) // PIECES))
    run_in_pieces(piece, len(todo), "counting pairs of entries", piece=size)
    for least in parts:
        np.minimum(fewest, least, out=fewest)
    return _lower_by_missing(entries, arrays, fewest, enough)


def _lower_by_missing(entries: Incidence, arrays: tuple[Ints, ...], fewest: Ints, enough: int) -> tuple[Ints, Bools]:
    """Return the numbers, lowered by pairs of missing entries, and whether all such pairs were looked at."""
    from shoal.core._kernels.relation_pairs import exclude_all

    exact, highest = np.ones(entries.n, dtype=np.bool_), _list_highest(entries)
    located = entries.reading == "located-relations"
    most = int((np.diff(entries.indptr)[highest[:2]] + located).sum())
    lowered = (fewest > max(enough, entries.n - most)).nonzero()[0]
    if not len(lowered) or entries.reading in ("neighbors", "exact-neighbors"):
        return fewest, exact
    # Vertices with the same row lack the same entries. In the located reading, each has others about itself.
    alike = np.arange(len(lowered)) if located else group_multisets(*entries.rows)[lowered]
    _, at, alike = np.unique(alike, return_index=True, return_inverse=True)
    todo = lowered[at]
    done, limit = np.zeros(len(todo), dtype=np.bool_), max(STEPS, ALL_STEPS // len(todo))

    rest = CODES[entries.reading], enough, limit, fewest, NO_PAIRS, done

    def piece(first: int, last: int) -> None:
        exclude_all(first, last, todo, highest, arrays, *rest)

    run_in_pieces(piece, len(todo), "counting pairs of missing entries", piece=max(64, -(-len(todo) // PIECES)))
    fewest[lowered], exact[lowered] = fewest[todo][alike], done[alike]
    return fewest, exact


def find_fewest_pair(entries: Incidence, v: int, l: int = 2, enough: int = 1) -> tuple[int, Ints, bool]:
    """Return how few candidates at most l known entries of v leave, the entries, and whether no others leave fewer.

    l is 1 or 2. The search ends, too, when `enough` are left.
    """
    from shoal.core._kernels.relation_pairs import exclude_all, serve_all

    count, known = _find_fewest_one(entries, v)
    if l == 1 or count <= enough:
        return count, known, True
    least, pairs = np.zeros(entries.n, dtype=np.int64), np.full((entries.n, 2), -1)  # no other vertex is looked at
    least[v], arrays, code = count, _take_arrays(entries), CODES[entries.reading]
    row, done = entries.row(v).astype(np.int64), np.ones(1, dtype=np.bool_)
    serve_all(0, len(row), row, arrays, code, enough, least, pairs)
    if entries.reading in ("relations", "located-relations"):
        highest = _list_highest(entries)
        exclude_all(0, 1, np.array([v]), highest, arrays, code, enough, ALL_STEPS, least, pairs, done)
    return int(least[v]), pairs[v] if pairs[v, 0] >= 0 else known, bool(done[0])


def _find_fewest_one(entries: Incidence, v: int) -> tuple[int, Ints]:
    """Return how few candidates at most one known entry of v leaves, and the entry."""
    degree, row = np.diff(entries.indptr), entries.row(v)
    found = [(int(degree[x]), x) for x in row[np.argsort(degree[row], kind="stable")[:1]].tolist()]
    if entries.reading in ("relations", "located-relations"):
        located = entries.reading == "located-relations"
        stranger = _find_highest_stranger(entries, _list_highest(entries).tolist(), v, located)
        found += [] if stranger is None else [(entries.n - located - int(degree[stranger]), stranger)]
    found = [(count, x) for count, x in found if count < entries.n]
    return (min(found)[0], np.array([min(found)[1]])) if found else (entries.n, NONE)


def _take_arrays(entries: Incidence) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the arrays for compiled loops: with the first item about each vertex, and the paths of two entries."""
    indptr, indices = entries.indptr, entries.indices
    ends = np.diff(indptr)
    lengths = np.concatenate([[0], np.cumsum(ends[indices])])
    first = np.arange(entries.n + 1) if entries.first is None else entries.first
    return indptr, indices, first, lengths[indptr[1:]] - lengths[indptr[:-1]]
