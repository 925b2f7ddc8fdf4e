"""Vertex labels at one level of their hierarchies, and the loss of each choice of levels.

The loss of a label is (q - 1) / (d - 1), the normalized certainty penalty along the hierarchy. The column has d
distinct values (missing counts as one), and q of them are published as the same value. Above the last level every label
is "*".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from shoal.core.grouping import group_columns
from shoal.data.arrays import Ints
from shoal.data.column import Column
from shoal.data.graph import Graph
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.methods.tables.ladders import Rungs, build_hierarchies, read_rungs

MANY = 100
"""If there are more choices of levels than this, all columns are raised together."""


@dataclass(frozen=True)
class Labels:
    """The label columns of a graph, with their generalizations."""

    graph: Graph
    names: tuple[str, ...]
    rungs: tuple[Rungs, ...]

    @classmethod
    def of(cls, graph: Graph, names: tuple[str, ...], hierarchies: Mapping[str, Any] | None, who: str) -> Labels:
        """Read columns and hierarchies. A column without a hierarchy is published unchanged or suppressed."""
        given = build_hierarchies(hierarchies, names, who)
        columns = {name: graph.attributes[name] for name in names}
        ways = {name: given[name] if name in given else Hierarchy.flat(one) for name, one in columns.items()}
        return cls(graph, names, tuple(read_rungs(name, columns[name], ways[name], who) for name in names))

    def choices(self) -> Iterator[tuple[int, ...]]:
        """Yield the choices of levels, one level per column; the last one suppresses all labels."""
        depths = [len(rungs.levels) + 1 for rungs in self.rungs]
        if prod(depths) <= MANY:
            yield from product(*map(range, depths))
        else:
            for level in range(max(depths)):
                yield tuple(min(level, depth - 1) for depth in depths)

    def column(self, at: int, level: int) -> Column:
        """Return a column at a level."""
        rungs = self.rungs[at]
        if level < len(rungs.levels):
            return rungs.column(level) if level else self.graph.attributes[self.names[at]]
        return rungs.column(0, np.ones(self.graph.n, dtype=np.bool_))

    def table(self, levels: tuple[int, ...]) -> Table:
        """Return all attributes, with the labels at these levels."""
        raised = {name: self.column(at, level) for at, (name, level) in enumerate(zip(self.names, levels, strict=True))}
        return self.graph.attributes.with_columns(raised) if raised else self.graph.attributes

    def codes(self, levels: tuple[int, ...]) -> Ints:
        """Return one number per vertex; two are equal if and only if all labels are."""
        if not self.names:
            return np.zeros(self.graph.n, dtype=np.int64)
        return group_columns([self.column(at, level).codes for at, level in enumerate(levels)])

    def loss(self, levels: tuple[int, ...]) -> float:
        """Return the sum of the losses of all labels of all vertices."""
        return float(sum(self._losses[at][level] for at, level in enumerate(levels)))

    @cached_property
    def _losses(self) -> list[list[float]]:
        return [
            [*(_measure_loss(rungs, level) for level in rungs.levels), float(self._suppress(rungs))]
            for rungs in self.rungs
        ]

    def _suppress(self, rungs: Rungs) -> int:
        return self.graph.n if rungs.places > 1 else 0


def _measure_loss(rungs: Rungs, level: Column) -> float:
    if rungs.places == 1:
        return 0.0
    _, kind, many = np.unique(level.codes, return_inverse=True, return_counts=True)
    return float((rungs.often * (many[kind.reshape(-1)] - 1)).sum() / (rungs.places - 1))
