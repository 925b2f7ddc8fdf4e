"""Pairs: what a file or an object says, before it is a graph.

Every reader and every converter ends here, so that loops, directions and repeated pairs meet one law.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.data.encode import NO_ONE
from shoal.data.graph import Graph
from shoal.data.names import Names, check_one_value_each
from shoal.data.rows import Ints
from shoal.data.table import Table
from shoal.errors import BadGraph


@dataclass(frozen=True, eq=False)
class Pairs:
    """Vertices, links between their ids, and what else was said about them."""

    names: Names
    sources: Ints
    targets: Ints
    """Ends of the links; NO_ONE where the source is only listed, without a link."""
    counts: Ints | None = None
    """How many edges each pair stands for; None for one each."""
    attributes: Table | None = None
    directed: str = ""
    """The words by which the input says that its links have a direction; empty where it does not."""

    @classmethod
    def of(cls, ends: Iterable[tuple[Hashable, Hashable]], vertices: Iterable[Hashable] = (), **rest: Any) -> Pairs:
        """Give ids in the order in which vertices are met: the listed ones, then the ends of the links.

        >>> pairs = Pairs.of([("b", "c"), ("c", "a")], vertices=["a"])
        >>> list(pairs.names), pairs.sources.tolist(), pairs.targets.tolist()
        (['a', 'b', 'c'], [1, 2], [2, 0])
        """
        met = [*vertices]
        listed = len(met)
        met += [end for pair in ends for end in pair]
        check_one_value_each(met)
        ids: dict[Hashable, int] = {}
        flat = [ids.setdefault(name, len(ids)) for name in met][listed:]
        both = np.array(flat, dtype=np.int64).reshape(-1, 2)
        return cls(Names(ids), both[:, 0], both[:, 1], **rest)

    def begins_apart(self) -> bool:
        """Tell whether the first link joins two vertices that occur nowhere else, though there are others."""
        if len(self.sources) < 2 or self.targets[0] == NO_ONE:
            return False
        once = [
            np.count_nonzero(self.sources == end) + np.count_nonzero(self.targets == end) == 1 for end in self._first()
        ]
        return all(once)

    def _first(self) -> tuple[int, int]:
        return int(self.sources[0]), int(self.targets[0])

    def graph(self, *, multigraph: bool, undirected: bool, drop_loops: bool) -> Graph:
        """Return the graph these pairs describe, or say which option would make them one."""
        if self.directed and not undirected:
            raise BadGraph(
                f"A graph must be undirected. Got {self.directed}. "
                "Read each link as an edge, whatever its direction, with undirected=True (--undirected)."
            )
        pairs = self._without_ends_missing()
        return Graph.from_pairs(
            pairs.names,
            pairs.sources,
            pairs.targets,
            counts=pairs.counts,
            attributes=pairs.attributes,
            multigraph=multigraph,
            drop_loops=drop_loops,
        )

    def _without_ends_missing(self) -> Pairs:
        linked = self.targets != NO_ONE
        if linked.all():
            return self
        counts = None if self.counts is None else self.counts[linked]
        return replace(self, sources=self.sources[linked], targets=self.targets[linked], counts=counts)
