"""Builder of pairs, shared by all formats that list vertices and then links between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.graph import Pairs
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.errors import BadFile, did_you_mean, list_names, notice


class Builder:
    """Collects the vertices, columns and links of a file."""

    def __init__(self, path: Path):
        self.path = path
        self.ids: dict[str, int] = {}
        self.cells: dict[str, dict[int, Any]] = {}
        self.ends: list[tuple[int, int]] = []
        self.counts: Ints | None = None
        """The multiplicity of each link; None if all are 1."""
        self.directed = ""
        """How the file declares directed links, for a message; empty if they are undirected."""
        self.unused: dict[str, None] = {}
        """Attributes of links, which are not used."""

    def add_vertex(self, name: str, known: Mapping[str, Any] | None = None) -> None:
        """Add a vertex with its attributes."""
        if name in self.ids:
            raise BadFile(f"{self.path}: each vertex must be listed once. Got {name!r} twice.")
        self.ids[name] = v = len(self.ids)
        for column, value in (known or {}).items():
            self.cells.setdefault(column, {})[v] = value

    def declare_column(self, name: str) -> None:
        """Declare a column, so that it exists even if no vertex has a value."""
        self.cells.setdefault(name, {})

    def add_link(self, source: str | None, target: str | None) -> None:
        """Add a link between two listed vertices."""
        for end in (source, target):
            if end is None or end not in self.ids:
                hint = did_you_mean(end, self.ids) if end is not None and len(self.ids) < 10_000 else ""
                said = "a missing end" if end is None else f"{end!r}"
                raise BadFile(f"{self.path}: an edge must join two listed vertices. Got {said}.{hint}")
        self.ends.append((self.ids[str(source)], self.ids[str(target)]))

    def add_matrix(self, entries: Pairs) -> None:
        """Add the links of an adjacency matrix whose rows are the vertices in order."""
        self.ends += zip(entries.sources.tolist(), entries.targets.tolist(), strict=True)
        self.counts, self.directed = entries.counts, entries.directed

    def build_pairs(self) -> Pairs:
        """Return the pairs; a notice names the edge attributes that are not used."""
        if self.unused:
            named = list_names(self.unused)
            notice(
                f"{self.path}: edge attributes are not used: {named}. A weight is not a multiplicity.",
                f"edge attributes not read: {named}",
            )
        n = len(self.ids)
        ends = np.array(self.ends, dtype=np.int64).reshape(-1, 2)
        table = Table.of({c: [known.get(v) for v in range(n)] for c, known in self.cells.items()}, n)
        directed = self.directed if self.ends else ""
        made = Pairs(Names(self.ids), ends[:, 0], ends[:, 1], self.counts, attributes=table, directed=directed)
        return replace(made, unread=tuple(self.unused))
