"""Builder of pairs, shared by all formats that list vertices and then links between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.data.column import Column
from shoal.data.graph import Pairs
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.errors import BadFile, UnknownColumn, did_you_mean, list_names, notice


class Builder:
    """Collects the vertices, columns and links of a file."""

    def __init__(self, path: Path, kind: str | None = None):
        self.path = path
        self.kind = kind
        """The attribute of links that is their kind; None if they have no kinds."""
        self.ids: dict[str, int] = {}
        self.cells: dict[str, dict[int, Any]] = {}
        self.ends: list[tuple[int, int]] = []
        self.counts: Ints | None = None
        """The multiplicity of each link; None if all are 1."""
        self.directed: bool | Bools = False
        """Whether links have a direction, where the file says it for all of them."""
        self.declared = ""
        """How the file declares directed or undirected links, for a message."""
        self.arrows: list[bool] = []
        """Whether each link has a direction."""
        self.kinds: list[Any] = []
        """The kind of each link; None if it is missing."""
        self.described: dict[str, None] = {}
        """The names of the attributes of links."""

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

    def parse_direction(self, said: Any, known: Mapping[Any, bool]) -> bool:
        """Return what a declared direction means; raise BadFile for an unknown one."""
        if isinstance(said, str | int) and said in known:
            return known[said]
        words = " or ".join(map(repr, known))
        raise BadFile(f"{self.path}: the direction of links must be declared as {words}. Got {said!r:.60}.")

    def declare_link_attribute(self, name: str) -> None:
        """Declare an attribute of links, so that it exists even if no link has a value."""
        self.described[name] = None

    def add_link(self, source: str | None, target: str | None, known: Mapping[str, Any], directed: bool) -> None:
        """Add a link between two listed vertices, with its attributes."""
        for end in (source, target):
            if end is None or end not in self.ids:
                hint = did_you_mean(end, self.ids) if end is not None and len(self.ids) < 10_000 else ""
                said = "a missing end" if end is None else f"{end!r}"
                raise BadFile(f"{self.path}: an edge must join two listed vertices. Got {said}.{hint}")
        self.ends.append((self.ids[str(source)], self.ids[str(target)]))
        self.arrows.append(directed)
        if known:
            self.described.update(dict.fromkeys(known))
        if self.kind is not None:
            self.kinds.append(known.get(self.kind))

    def add_matrix(self, entries: Pairs) -> None:
        """Add the links of an adjacency matrix whose rows are the vertices in order."""
        self.ends += zip(entries.sources.tolist(), entries.targets.tolist(), strict=True)
        self.counts, self.declared = entries.counts, entries.declared
        self.directed = False if entries.arrows is None else entries.arrows

    def build_pairs(self) -> Pairs:
        """Return the pairs; a notice names the edge attributes that are not used."""
        kinds = None if self.kind is None else self._find_kinds(self.kind)
        unused = tuple(name for name in self.described if name != self.kind)
        if unused:
            named = list_names(unused)
            notice(
                f"{self.path}: edge attributes are not used: {named}. A weight is not a multiplicity; a kind of link "
                "is named by kind= (--kind).",
                f"edge attributes not read: {named}",
            )
        n = len(self.ids)
        ends = np.array(self.ends, dtype=np.int64).reshape(-1, 2)
        table = Table.of({c: [known.get(v) for v in range(n)] for c, known in self.cells.items()}, n)
        made = Pairs(Names(self.ids), ends[:, 0], ends[:, 1], self.counts, attributes=table, unread=unused)
        return replace(made, arrows=self._find_arrows(), declared=self.declared, kind=self.kind or "", kinds=kinds)

    def _find_arrows(self) -> bool | Bools:
        if not self.arrows:
            return self.directed
        arrows = np.array(self.arrows, dtype=np.bool_)
        return bool(arrows[0]) if (arrows == arrows[0]).all() else arrows

    def _find_kinds(self, kind: str) -> Column:
        if kind not in self.described:
            raise UnknownColumn(
                f"{self.path}: there is no link attribute {kind!r:.60}. The link attributes are: "
                f"{list_names(self.described) or 'none'}.{did_you_mean(kind, self.described)}"
            )
        return Column.of(self.kinds)
