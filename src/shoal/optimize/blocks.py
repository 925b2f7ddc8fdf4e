"""Blocks: the edges between two classes of vertices. To make rows equal each is completed or emptied.

Inside a class nothing stays: in a simple graph two vertices with the same neighbors are never adjacent (E4, E5).
Where cliques are allowed the inside of a large enough class is a block too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.core.types import Bools
from shoal.data.graph import Graph, Ints

FILLS = ("majority", "budget")


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs of classes with an edge between them, and the classes with an edge inside that may become cliques."""

    first: Ints
    second: Ints
    """Another class, or the same for the inside of one."""
    edges: Ints
    space: Ints
    """How many edges there could be."""
    inside: int
    """Edges inside the other classes."""

    @property
    def cheapest(self) -> int:
        """The fewest edits by which each block is completed or emptied, and nothing stays inside the others."""
        return int(np.minimum(self.edges, self.space - self.edges).sum()) + self.inside

    def majority(self) -> Bools:
        """Tell the blocks more than half full; a tie is none (E6)."""
        return 2 * self.edges > self.space

    def budget(self, most: int) -> Bools:
        """Tell the fullest blocks, as many as make at most so many edges together."""
        order = np.lexsort((self.second, self.first, self.space, -self.edges / self.space))
        chosen = np.zeros(len(order), dtype=np.bool_)
        chosen[order[np.cumsum(self.space[order]) <= most]] = True
        return chosen

    def fullest(self) -> Bools:
        """Tell one block, the one with the largest share of its edges."""
        chosen = np.zeros(len(self.edges), dtype=np.bool_)
        chosen[np.argmax(self.edges / self.space)] = True
        return chosen


def blocks_of(graph: Graph, codes: Ints, clique: int = 0) -> Blocks:
    """Count the edges between each pair of classes, and inside those of `clique` members or more (0: none)."""
    a, b, _ = graph.edges()
    low, high = np.minimum(codes[a], codes[b]).astype(np.int64), np.maximum(codes[a], codes[b])
    many = int(codes.max()) + 1
    keys, counts = np.unique(low * many + high, return_counts=True)
    first, second = keys // many, keys % many
    sizes, within = np.bincount(codes, minlength=many), first == second
    space = np.where(within, sizes[first] * (sizes[first] - 1) // 2, sizes[first] * sizes[second])
    apart = ~within | ((sizes[first] >= clique) & (clique > 0))
    return Blocks(first[apart], second[apart], counts[apart], space[apart], int(counts[~apart].sum()))


def filled(graph: Graph, codes: Ints, fill: str = "majority", *, clique: int = 0, require_edges: bool = False) -> Graph:
    """Return the graph with all edges in some blocks, and none elsewhere.

    By "majority" the blocks more than half full are completed, which takes the fewest edits for these classes; by
    "budget" the fullest ones, as long as there are not more edges than before. With `require_edges` one block is
    completed where none would be.
    """
    blocks = blocks_of(graph, codes, clique)
    full = blocks.majority() if fill == "majority" else blocks.budget(graph.m)
    if require_edges and len(full) and not full.any():
        full = blocks.fullest()
    sources, targets = _completed(codes, blocks.first[full], blocks.second[full])
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes)


def joined(graph: Graph, codes: Ints, clique: int) -> Graph:
    """Return the graph with all edges between two classes wherever there is one, and inside if cliques are allowed."""
    blocks = blocks_of(graph, codes, clique)
    sources, targets = _completed(codes, blocks.first, blocks.second)
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes)


def _completed(codes: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """List all pairs of a member of one class and another member of the other, block by block."""
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    space = sizes[first] * sizes[second]
    block = np.repeat(np.arange(len(first)), space)
    within = np.arange(len(block)) - np.repeat(np.cumsum(space) - space, space)
    wide = sizes[second][block]
    row, column = within // wide, within % wide
    once = (first != second)[block] | (row < column)
    return order[starts[first][block] + row][once], order[starts[second][block] + column][once]
