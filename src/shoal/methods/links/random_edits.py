"""Random edits: uniform deletions, uniform additions, and switches of two links that keep all degrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.core.layers import (
    count_links_by_layer,
    count_possible,
    find_directed_layers,
    join_sides,
    number_links,
    replace_links,
    split_sides,
)
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.progress import track

CHUNK = 1 << 18
"""The largest number of pairs of links drawn at once."""
PATIENCE = 64
"""Switching gives up after this many draws per link of the graph and per requested switch."""


def count_missing(graph: Graph) -> int:
    """Return the number of links that are missing: pairs that are not linked, for each kind and direction of links."""
    return int(count_possible(graph).sum()) - graph.m


def draw_absent(graph: Graph, many: int, rng: np.random.Generator) -> Ints:
    """Draw `many` missing links, uniformly and without replacement, as numbers (:mod:`shoal.core.layers`).

    Where links have directions or kinds, :func:`share_out` says how many are drawn in each layer.
    """
    there = number_links(graph)
    if graph.ties is None:
        return _draw_absent_pairs(graph.n, there, many, False, rng)
    counts, size = count_links_by_layer(graph, there), np.int64(graph.n) * graph.n
    bounds = np.concatenate([[0], np.cumsum(counts)])
    drawn = [np.empty(0, dtype=np.int64)]
    shares = share_out(many, counts.tolist(), (count_possible(graph) - counts).tolist())
    for i, (share, directed) in enumerate(zip(shares, find_directed_layers(graph).tolist(), strict=True)):
        here = there[bounds[i] : bounds[i + 1]] - i * size
        drawn.append(_draw_absent_pairs(graph.n, here, share, directed, rng) + i * size)
    return np.concatenate(drawn)


def share_out(many: int, weights: Sequence[int], most: Sequence[int]) -> list[int]:
    """Return whole numbers with the sum `many`, in proportion to the weights and at most `most`.

    Layers thus keep their shares of the links. If all weights are 0, the numbers are in proportion to `most`. What a
    layer cannot take goes to the others.

    >>> share_out(10, [3, 1], [100, 100]), share_out(10, [3, 1], [4, 9])
    ([8, 2], [4, 6])
    """
    taken = [0] * len(weights)
    while (left := many - sum(taken)) > 0:
        room = [limit - used for limit, used in zip(most, taken, strict=True)]
        share = [weight if free else 0 for weight, free in zip(weights, room, strict=True)]
        share = share if any(share) else room
        total = sum(share)
        step = [left * one // total for one in share]
        rest = sorted(range(len(share)), key=lambda i: -(left * share[i] % total))[: left - sum(step)]
        taken = [taken[i] + min(step[i] + (i in rest), room[i]) for i in range(len(share))]
    return taken


def _draw_absent_pairs(n: int, there: Ints, many: int, directed: bool, rng: np.random.Generator) -> Ints:
    """Draw pairs that are not in `there`, which is sorted, as numbers: ordered pairs if `directed`."""
    wide, possible = np.int64(n), n * (n - 1) // (1 if directed else 2)
    if 4 * many >= possible - len(there):  # all pairs are not many more than those to draw, so list them
        a, b = np.nonzero(~np.eye(n, dtype=np.bool_)) if directed else np.triu_indices(n, 1)
        return rng.choice(np.setdiff1d(a * wide + b, there, assume_unique=True), many, replace=False)
    found = np.empty(0, dtype=np.int64)
    while len(found) < many:  # the first distinct values of a sequence of uniform draws are a uniform set
        track("drawing links to add", len(found), many)
        a, b = rng.integers(wide, size=(2, 2 * (many - len(found)) + 64))
        one, other = (a, b) if directed else (np.minimum(a, b), np.maximum(a, b))
        fresh = (one * wide + other)[a != b]
        at = np.minimum(np.searchsorted(there, fresh), max(0, len(there) - 1))
        together = np.concatenate([found, fresh[there[at] != fresh] if len(there) else fresh])
        _, first = np.unique(together, return_index=True)
        found = together[np.sort(first)]
    track("drawing links to add", 1, 1)
    return found[:many]


def perturb_links(graph: Graph, add: int, delete: int, rng: np.random.Generator) -> Graph:
    """Return the graph with `delete` links removed and `add` links added, both drawn uniformly."""
    keys = number_links(graph)
    stay = np.ones(len(keys), dtype=np.bool_)
    stay[rng.choice(len(keys), delete, replace=False)] = False
    return replace_links(graph, np.concatenate([keys[stay], draw_absent(graph, add, rng)]))


def switch_links(graph: Graph, wanted: int, rng: np.random.Generator) -> tuple[Graph, int]:
    """Return the graph after the wanted number of switches, and the number of switches made.

    Each switch is drawn uniformly among all that keep the graph simple, by rejection. A switch can be reversed, so if
    one is possible, any number is. There may be fewer than wanted if no valid switch is drawn for a long time.

    Where links have directions or kinds, both links of a switch are of one layer, and arcs keep their direction:
    a -> b, c -> d become a -> d, c -> b. So every vertex keeps its number of links of each kind and direction.
    """
    from shoal.methods.links._kernels.edits import fill, switch

    start = _list_ends(graph)
    sources, targets, ids = start.sources, start.targets, start.ids
    keys = np.full(1 << int(4 * (graph.m + len(start.loops)) + 4).bit_length(), -1, dtype=np.int64)
    fill(sources, targets, ids, keys)
    fill(start.loops, start.loops + graph.n, ids, keys)  # an arc from a vertex to itself counts as taken
    done, left = 0, 0 if start.frozen else PATIENCE * (graph.m + wanted) + 10_000
    while done < wanted and left > 0:
        track("switching links", done, wanted)
        size = min(CHUNK, left, 4 * (wanted - done) + 64)
        pairs, turned = start.draw(size, rng)
        done += switch(*pairs, turned, sources, targets, ids, keys, wanted - done)
        left -= size
    return start.restore() if done else graph, done


@dataclass(frozen=True, eq=False)
class _Ends:
    """The links of a graph as edges between sides of vertices (:func:`shoal.core.layers.split_sides`).

    Switches inside a layer are switches of these edges. If two arcs are read from their sources, a switch keeps
    directions.
    """

    graph: Graph
    sources: Ints
    targets: Ints
    ids: int
    """The number of sides of all vertices."""
    loops: Ints
    """The out-sides of the vertices in directed layers. The in-side is larger by n."""
    bounds: Ints
    """The first link of each layer."""
    frozen: bool
    """Whether it is known that no switch is possible."""

    def draw(self, size: int, rng: np.random.Generator) -> tuple[tuple[Ints, Ints], Bools]:
        """Draw pairs of links of one layer, uniformly, and whether the second is read from its other end."""
        if self.graph.ties is None:
            first, second = rng.integers(self.graph.m, size=(2, size))
            return (first, second), rng.integers(2, size=size).astype(np.bool_)
        counts = np.diff(self.bounds).astype(np.float64)
        layer = rng.choice(len(counts), size=size, p=counts**2 / (counts**2).sum())
        first, second = (rng.integers(self.bounds[layer], self.bounds[layer + 1]) for _ in range(2))
        return (first, second), rng.integers(2, size=size).astype(np.bool_) & ~find_directed_layers(self.graph)[layer]

    def restore(self) -> Graph:
        """Return the graph of the current ends."""
        return replace_links(self.graph, join_sides(self.graph, self.sources, self.targets))


def _list_ends(graph: Graph) -> _Ends:
    """List the links layer by layer."""
    sources, targets, mates = split_sides(graph)
    n, out = np.int64(graph.n), np.flatnonzero(mates > np.arange(len(mates)))
    loops: Ints = (out[:, None] * n + np.arange(n)).reshape(-1)
    bounds = np.concatenate([[0], np.cumsum(count_links_by_layer(graph, number_links(graph)))])
    frozen = not graph.m or (graph.ties is None and is_frozen(graph))
    return _Ends(graph, sources, targets, len(mates) * graph.n, loops, bounds, frozen)


def is_frozen(graph: Graph) -> bool:
    """Return whether no switch is possible: whether the graph is a threshold graph.

    In these graphs, and only in these, no two links (a, b), (c, d) have a, d and c, b unlinked. Their vertices can be
    removed one by one, each linked to all remaining vertices or to none. The degrees decide this.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> [is_frozen(as_graph(g)) for g in (nx.star_graph(4), nx.complete_graph(4), nx.path_graph(4), nx.cycle_graph(4))]
    [True, True, False, False]
    """
    degrees = sorted(graph.degree.tolist())
    low, high, gone = 0, len(degrees) - 1, 0
    while low <= high:
        if degrees[low] == gone:
            low += 1
        elif degrees[high] - gone == high - low:
            high, gone = high - 1, gone + 1
        else:
            return False
    return True
