"""Case: what is audited. The original, and perhaps a release: an object with its method, or only a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.auditing.written import written
from shoal.data.column import exact, is_missing
from shoal.data.convert import is_graph
from shoal.data.counterparts import Pair, by_name
from shoal.data.files import existing
from shoal.data.graph import Graph, Ints
from shoal.data.mapping import refuse_another
from shoal.data.publish import told
from shoal.data.records import Records, as_records, records
from shoal.data.release import Release

Place = str | Path | None


@dataclass(frozen=True, eq=False)
class Case:
    """The original, what was made of it, and what is known about how."""

    original: Graph
    released: Graph | None
    release: Release | None
    """The release where it is at hand, with its method; None where only its data are."""
    about: dict[str, Any] | None
    """What may be published about the release; None where nobody wrote it down."""
    pair: Pair | None
    """Who is who; None without a release."""
    mapping: Any
    files: tuple[Place, Place]
    """Where both came from; None where they are no files."""
    outside: bool = False
    """Whether only what is published may be looked at."""

    @classmethod
    def of(
        cls,
        original: Any,
        release: Any,
        mapping: Mapping[Hashable, Hashable] | str | Path | None,
        same_names: bool | None,
        files: Sequence[Place],
    ) -> Case:
        """Read what must be read, and match who is who."""
        data, found = _data(original, table=False), release if isinstance(release, Release) else None
        table = isinstance(data, Records)
        released = None if release is None else release.graph if found else _data(release, table=table)
        own = tuple(
            place if isinstance(place, str | Path) else given
            for place, given in zip((original, release), files[:2], strict=True)
        )
        about = told(found, []) if found else written(own[1], files[2:]) if released is not None else None
        refuse_another(mapping, own[1])
        same = by_name(release if found or isinstance(release, str | Path) else released, same_names)
        pair = None if released is None else Pair.of(data, released, mapping, same_names=same, who="audit")
        return cls(data, released, found, about, pair, mapping, own)  # type: ignore[arg-type]

    def from_outside(self) -> Case:
        """Return the case as somebody sees it who has what is published, and nothing else."""
        assert self.released is not None
        return replace(self, original=self.released, pair=None, mapping=None, outside=True)

    @property
    def matched(self) -> bool:
        """Whether it is known who is who."""
        return self.pair is not None and self.pair.counterpart is not None

    @property
    def is_table(self) -> bool:
        """Whether there are records and no links."""
        return isinstance(self.original, Records)

    @property
    def redraws(self) -> bool:
        """Whether all links were drawn anew, so that none counts as added or removed."""
        if self.release is not None:
            return bool(self.release.method.redraws)
        from shoal.anonymizers import HOMES, method_called

        name = None if self.about is None else self.about["method"]["name"]
        return name in HOMES and bool(method_called(str(name)).redraws)


def _data(obj: Any, *, table: bool) -> Graph:
    """Return a network as it is, or read from its file, which holds a table where that is said; else a table."""
    if isinstance(obj, str | Path):
        from shoal.data.read import read_graph
        from shoal.data.tables import read_table

        return records(read_table(obj)) if table else read_graph(obj)
    return obj if isinstance(obj, Graph) else _converted(obj)


def _converted(obj: Any) -> Graph:
    from shoal.data.convert import as_graph

    return as_graph(obj) if is_graph(obj) else as_records(obj)


def changes(case: Case) -> dict[str, Any] | None:
    """Count the links that were kept, added and removed; None where nobody is matched, or all were drawn anew."""
    if case.pair is None or case.pair.counterpart is None or case.is_table or case.redraws:
        return None
    before, after = _keys(case.original, case.pair.counterpart, case.pair.released.n), _own(case.pair.released)
    kept = len(np.intersect1d(before[before >= 0], after, assume_unique=True))
    added, removed = len(after) - kept, len(before) - kept
    ratio = (added + removed) / len(before) if len(before) else None
    return {"kept": kept, "added": added, "removed": removed, "ratio": ratio}


def _own(graph: Graph) -> Ints:
    return _keys(graph, np.arange(graph.n), graph.n)


def _keys(graph: Graph, called: Ints, n: int) -> Ints:
    """Return a number per link, the vertex v being `called[v]`; numbers below 0, all different, where it is nobody."""
    a, b, _ = graph.edges()
    low, high = np.minimum(called[a], called[b]).astype(np.int64), np.maximum(called[a], called[b])
    return np.where(low >= 0, low * n + high, -1 - np.arange(len(low)))


def identified(graph: Graph, place: Place) -> dict[str, Any]:
    """Return what data it is: its size, and a digest of its file, or else of its contents."""
    shape = {graph.noun[1]: graph.n} | ({} if isinstance(graph, Records) else {"edges": graph.m})
    known = {"kind": "table" if isinstance(graph, Records) else "network", **shape, "columns": len(graph.attributes)}
    if place is None or str(place).startswith("example:"):
        return known | {"file": None if place is None else str(place), "sha256": digest(graph), "of": "contents"}
    data = existing(place).read_bytes()
    return known | {"file": Path(place).name, "sha256": hashlib.sha256(data).hexdigest(), "of": "file"}


def digest(graph: Graph) -> str:
    """Return a SHA-256 of names, links and columns that does not depend on the order in which they are kept.

    >>> g, h = Graph.from_pairs("abc", [0, 1], [1, 2]), Graph.from_pairs("cba", [0, 1], [1, 2])
    >>> digest(g) == digest(h), digest(g) == digest(Graph.from_pairs("abc", [0, 0], [1, 2]))
    (True, False)
    """
    order = sorted(range(graph.n), key=lambda v: _spelled(graph.names[v]))
    rank = np.empty(graph.n, dtype=np.int64)
    rank[order] = np.arange(graph.n)
    a, b, counts = graph.edges()
    low, high = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
    often = np.ones(len(a), dtype=np.int64) if counts is None else counts.astype(np.int64)
    links = np.lexsort((high, low))
    summed = hashlib.sha256(json.dumps([_spelled(graph.names[v]) for v in order]).encode())
    summed.update(np.stack([low, high, often], axis=1)[links].astype("<i8").tobytes())
    for name in sorted(graph.attributes):
        column = graph.attributes[name]
        cells = [None if is_missing(column[v]) else _spelled(column[v]) for v in order]
        summed.update(json.dumps([name, cells]).encode())
    return summed.hexdigest()


def _spelled(value: Any) -> str:
    """Write a value so that 1 and 1.0, which are alike, are written alike, and 1 and True, which are not, are not."""
    whole = type(value) is float and value.is_integer()
    return repr(exact(int(value) if whole else value))
