"""Clustering: near records into classes of k to 2k-1, by MDAV (Domingo-Ferrer & Torra 2005), or in blocks.

MDAV looks at all records for each class, which takes n^2/k steps. Above some ten thousand records they are first cut
into blocks of about 2,000, always in half along the widest column, and clustered block by block.
"""

from __future__ import annotations

from math import log2
from typing import Literal

import numpy as np

from shoal.anonymizers.mixed import Mixed
from shoal.data.column import Floats
from shoal.data.graph import Ints
from shoal.engines.local.grouping import by_first_appearance
from shoal.engines.local.pool import announce_compilation, spread

Algorithm = Literal["auto", "mdav", "blocks"]

MOST = 30_000
"""Up to so many records "auto" is MDAV."""
BLOCK = 2_000
"""About so many records make a block."""


def clusters(mixed: Mixed, k: int, algorithm: Algorithm = "auto", threads: int | None = None) -> Ints:
    """Return a class for each record, of k to 2k-1 records that are near each other; all in one if n < 2k.

    >>> from shoal.data.table import Table
    >>> clusters(Mixed(Table.of({"age": [20, 61, 21, 60, 22]}), ("age",)), 2).tolist()
    [0, 1, 0, 1, 0]
    """
    announce_compilation()
    from shoal.engines.local.kernels.clusters import mdav

    n = mixed.table.n
    whole = algorithm == "mdav" or (algorithm == "auto" and n <= MOST)
    blocks = [np.arange(n)] if whole else cut(_keys(mixed), max(BLOCK, 8 * k))
    firsts = np.cumsum([0, *(max(1, len(block) // k) for block in blocks)])
    x, c, starts = mixed.space
    labels = np.empty(n, dtype=np.int64)

    def piece(first: int, last: int) -> None:
        for b in range(first, last):
            rows = blocks[b]
            mdav(
                np.ascontiguousarray(x[:, rows]),
                np.ascontiguousarray(c[:, rows]),
                starts,
                rows.copy(),
                k,
                firsts[b],
                labels,
            )

    spread(piece, len(blocks), threads, "clustering", piece=4)
    return by_first_appearance(labels)


def cut(keys: Floats, size: int) -> list[Ints]:
    """Cut records into blocks of about `size`, in half along the column that is the widest there.

    >>> [block.tolist() for block in cut(np.array([[1.0, 9.0, 2.0, 8.0], [0.0, 0.0, 1.0, 1.0]]), 2)]
    [[0, 2], [3, 1]]
    """
    blocks = [(np.arange(keys.shape[1]), keys)]
    for _ in range(max(0, round(log2(max(1.0, keys.shape[1] / size))))):
        blocks = [half for rows, here in blocks for half in _halves(rows, here)]
    return [rows for rows, _ in blocks]


def _halves(rows: Ints, here: Floats) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
    """Cut a block, given by its rows and their keys."""
    widest = here[np.argmax(here.max(axis=1) - here.min(axis=1))]
    order = np.argpartition(widest, len(rows) // 2)
    low, high = order[: len(rows) // 2], order[len(rows) // 2 :]
    return (rows[low], here[:, low]), (rows[high], here[:, high])


def _keys(mixed: Mixed) -> Floats:
    """Return what is cut: numbers, the missing ones below all, and categories spread from 0 to 1."""
    x, c, _ = mixed.space
    low = np.array([[np.nanmin(line) - 1] for line in x]).reshape(len(x), 1)
    return np.concatenate([np.where(np.isnan(x), low, x), c / np.maximum(1, c.max(axis=1, initial=1, keepdims=True))])
