"""Fingerprints: digests of what data hold, whatever the order in which it is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shoal.data.column import exact, is_missing
from shoal.data.graph import Graph


def digest_contents(
    graph: Graph, columns: Iterable[str] | None = None, spell: Callable[[Any], str] | None = None
) -> str:
    """Return a SHA-256 of names, links and columns (None for all) that does not depend on their order.

    >>> g, h = Graph.from_pairs("abc", [0, 1], [1, 2]), Graph.from_pairs("cba", [0, 1], [1, 2])
    >>> digest_contents(g) == digest_contents(h), digest_contents(g) == digest_contents(
    ...     Graph.from_pairs("abc", [0, 0], [1, 2])
    ... )
    (True, False)
    """
    names = [*map(spell or spell_exactly, graph.names)]
    order = sorted(range(graph.n), key=names.__getitem__)
    rank = np.empty(graph.n, dtype=np.int64)
    rank[order] = np.arange(graph.n)
    a, b, counts = graph.edges()
    low, high = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
    often = np.ones(len(a), dtype=np.int64) if counts is None else counts.astype(np.int64)
    links = np.lexsort((high, low))
    summed = hashlib.sha256(json.dumps([names[v] for v in order]).encode())
    summed.update(np.stack([low, high, often], axis=1)[links].astype("<i8").tobytes())
    for name in sorted(graph.attributes if columns is None else columns):
        column = graph.attributes[name]
        cells = [None if is_missing(column[v]) else spell_exactly(column[v]) for v in order]
        summed.update(json.dumps([name, cells]).encode())
    return summed.hexdigest()


def spell_exactly(value: Any) -> str:
    """Write a value so that 1 and 1.0, which are alike, are written alike, and 1 and True, which are not, are not.

    >>> spell_exactly(1) == spell_exactly(1.0), spell_exactly(1) == spell_exactly(True)
    (True, False)
    """
    whole = isinstance(value, float) and value.is_integer()
    return repr(exact(int(value) if whole else value))
