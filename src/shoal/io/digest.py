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


def digest_file(path: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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
    if isinstance(data, Graph):
        a, b, counts = data.edges()
        low, high = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
        often = np.ones(len(a), dtype=np.int64) if counts is None else counts.astype(np.int64)
        links = np.lexsort((high, low))
        summed.update(np.stack([low, high, often], axis=1)[links].astype("<i8").tobytes())
        if data.ties is not None:
            summed.update(json.dumps(_spell_links(data, rank)).encode())
    for name in sorted(data.attributes if columns is None else columns):
        column = data.attributes[name]
        cells = [None if is_missing(column[v]) else spell_exactly(column[v]) for v in order]
        summed.update(json.dumps([name, cells]).encode())
    return summed.hexdigest()


def _spell_links(graph: Graph, rank: Ints) -> list[tuple[int, int, str | None, str, int]]:
    """Return the links with their kinds, directions and multiplicities, sorted; `rank` numbers the vertices."""
    assert graph.ties is not None
    a, b, relation, times = graph.links()
    found = []
    for x, y, r, q in zip(rank[a].tolist(), rank[b].tolist(), relation.tolist(), times.tolist(), strict=True):
        kind, direction = graph.ties.relations[r]
        low, high = (min(x, y), max(x, y)) if direction == "both" else (x, y)
        found.append((low, high, kind, direction, q))
    return sorted(found, key=lambda link: (link[0], link[1], link[2] or "", link[3]))


def digest_layout(data: Dataset) -> str:
    """Return a SHA-256 of links and columns in order, without names, which do not affect a method.

    >>> path, other = (Graph.from_pairs(names, [0, 1], [1, 2]) for names in ("abc", "xyz"))
    >>> digest_layout(path) == digest_layout(other), digest_layout(path) == digest_layout(
    ...     Graph.from_pairs("abc", [0], [1])
    ... )
    (True, False)
    """
    summed = hashlib.sha256(f"{type(data).__name__} {data.n} {data.m}".encode())
    for array in (data.indptr, data.indices, data.multiplicity) if isinstance(data, Graph) else ():
        if array is not None:
            summed.update(f"{array.dtype} {len(array)}".encode() + array.tobytes())
    if isinstance(data, Graph) and data.ties is not None:
        summed.update(repr((data.ties.relations, data.ties.bundles)).encode() + data.ties.codes.tobytes())
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
