"""Digests (SHA-256) of files, of releases, and of the contents of data in any order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.column import exact, is_missing
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.io.files import open_stored


def digest_file(path: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with open_stored(Path(path)) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def digest_release(digests: Iterable[str]) -> str:
    """Return the id of a release: the SHA-256 of the digests of its published data files, one per line.

    The manifest and the mapping hold it, to show that they belong together. It depends only on the published files, not
    on the original or a seed, so every recipient can compute it.

    >>> digest_release(["ab", "cd"])[:8]
    '5141648c'
    """
    return digest_text("".join(f"{digest}\n" for digest in digests))


def digest_text(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest_contents(
    data: Dataset, columns: Iterable[str] | None = None, spell: Callable[[Any], str] | None = None
) -> str:
    """Return a SHA-256 of names, links and columns (None for all), independent of their order.

    >>> g, h = Graph.from_pairs("abc", [0, 1], [1, 2]), Graph.from_pairs("cba", [0, 1], [1, 2])
    >>> digest_contents(g) == digest_contents(h), digest_contents(g) == digest_contents(
    ...     Graph.from_pairs("abc", [0, 0], [1, 2])
    ... )
    (True, False)
    """
    names = [*map(spell or spell_exactly, data.names)]
    order = sorted(range(data.n), key=names.__getitem__)
    rank = np.empty(data.n, dtype=np.int64)
    rank[order] = np.arange(data.n)
    summed = hashlib.sha256(json.dumps([names[v] for v in order]).encode())
    if isinstance(data, Graph) and data.ties is not None:
        a, b, relation, often = data.links()
        x, y = rank[a], rank[b]
        turned = np.array([one.direction == "both" for one in data.ties.relations], dtype=np.bool_)[relation] & (x > y)
        rows = np.stack([np.where(turned, y, x), np.where(turned, x, y), relation, often], axis=1)
        summed.update(json.dumps(data.ties.relations).encode())
        summed.update(rows[np.lexsort(rows.T[::-1])].astype("<i8").tobytes())
    elif isinstance(data, Graph):
        a, b, counts = data.edges()
        low, high = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
        often = np.ones(len(a), dtype=np.int64) if counts is None else counts.astype(np.int64)
        links = np.lexsort((high, low))
        summed.update(np.stack([low, high, often], axis=1)[links].astype("<i8").tobytes())
    for name in sorted(data.attributes if columns is None else columns):
        column = data.attributes[name]
        cells = [None if is_missing(column[v]) else spell_exactly(column[v]) for v in order]
        summed.update(json.dumps([name, cells]).encode())
    return summed.hexdigest()


def digest_layout(data: Dataset) -> str:
    """Return a SHA-256 of links and columns in order, without names, which do not affect a method.

    >>> path, other = (Graph.from_pairs(names, [0, 1], [1, 2]) for names in ("abc", "xyz"))
    >>> digest_layout(path) == digest_layout(other), digest_layout(path) == digest_layout(
    ...     Graph.from_pairs("abc", [0], [1])
    ... )
    (True, False)
    """
    summed = hashlib.sha256(f"{type(data).__name__} {data.n} {data.m}".encode())
    arrays: list[Ints | None] = [data.indptr, data.indices, data.multiplicity] if isinstance(data, Graph) else []
    if isinstance(data, Graph) and data.ties is not None:
        ties = data.ties
        summed.update(json.dumps(ties.relations).encode())
        arrays += [ties.codes, ties.indptr, ties.relation, ties.times]
    for array in arrays:
        if array is not None:
            summed.update(f"{array.dtype} {len(array)}".encode() + array.tobytes())
    for name, column in data.attributes.columns.items():
        summed.update(repr((name, column.values)).encode() + column.codes.tobytes())
    return summed.hexdigest()


def spell_exactly(value: Any) -> str:
    """Return a text that is equal for two values if and only if they are: 1 equals 1.0 but not True.

    >>> spell_exactly(1) == spell_exactly(1.0), spell_exactly(1) == spell_exactly(True)
    (True, False)
    """
    whole = isinstance(value, float) and value.is_integer()
    return repr(exact(int(value) if whole else value))
