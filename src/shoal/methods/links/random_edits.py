"""Random edits: uniform deletions, uniform additions, and switches of two links that keep all degrees."""

from __future__ import annotations

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.progress import track

CHUNK = 1 << 18
"""The largest number of pairs of links drawn at once."""
PATIENCE = 64
"""Switching gives up after this many draws per link of the graph and per requested switch."""


def count_missing(graph: Graph) -> int:
    """Return the number of pairs that are not linked."""
    return graph.n * (graph.n - 1) // 2 - graph.m


def draw_absent(graph: Graph, many: int, rng: np.random.Generator) -> Ints:
    """Draw `many` pairs that are not linked, uniformly and without replacement, as edge numbers."""
    n, there = np.int64(graph.n), number_edges(graph)
    if 4 * many >= count_missing(graph):  # all pairs are not many more than those to draw, so list them
        a, b = np.triu_indices(graph.n, 1)
        return rng.choice(np.setdiff1d(a * n + b, there, assume_unique=True), many, replace=False)
    found = np.empty(0, dtype=np.int64)
    while len(found) < many:  # the first distinct values of a sequence of uniform draws are a uniform set
        track("drawing links to add", len(found), many)
        a, b = rng.integers(n, size=(2, 2 * (many - len(found)) + 64))
        fresh = (np.minimum(a, b) * n + np.maximum(a, b))[a != b]
        at = np.minimum(np.searchsorted(there, fresh), max(0, len(there) - 1))
        together = np.concatenate([found, fresh[there[at] != fresh] if len(there) else fresh])
        _, first = np.unique(together, return_index=True)
        found = together[np.sort(first)]
    track("drawing links to add", 1, 1)
    return found[:many]


def perturb_links(graph: Graph, add: int, delete: int, rng: np.random.Generator) -> Graph:
    """Return the graph with `delete` links removed and `add` links added, both drawn uniformly."""
    keys = number_edges(graph)
    stay = np.ones(len(keys), dtype=np.bool_)
    stay[rng.choice(len(keys), delete, replace=False)] = False
    return replace_links(graph, np.concatenate([keys[stay], draw_absent(graph, add, rng)]))


def replace_links(graph: Graph, keys: Ints) -> Graph:
    """Return the graph with these links instead of its own."""
    return Graph.from_pairs(graph.names, keys // graph.n, keys % graph.n, attributes=graph.attributes)


def switch_links(graph: Graph, wanted: int, rng: np.random.Generator) -> tuple[Graph, int]:
    """Return the graph after the wanted number of switches, and the number of switches made.

    Each switch is drawn uniformly among all that keep the graph simple, by rejection. A switch can be reversed, so if
    one is possible, any number is. There may be fewer than wanted if no valid switch is drawn for a long time.
    """
    from shoal.methods.links._kernels.edits import fill, switch

    sources, targets, _ = (ends if ends is None else ends.astype(np.int64) for ends in graph.edges())
    assert sources is not None
    assert targets is not None
    keys = np.full(1 << int(4 * graph.m + 4).bit_length(), -1, dtype=np.int64)
    fill(sources, targets, graph.n, keys)
    done, left = 0, 0 if is_frozen(graph) else PATIENCE * (graph.m + wanted) + 10_000
    while done < wanted and left > 0:
        track("switching links", done, wanted)
        size = min(CHUNK, left, 4 * (wanted - done) + 64)
        pairs, turned = rng.integers(graph.m, size=(2, size)), rng.integers(2, size=size).astype(np.bool_)
        done += switch(*pairs, turned, sources, targets, graph.n, keys, wanted - done)
        left -= size
    return Graph.from_pairs(graph.names, sources, targets, attributes=graph.attributes) if done else graph, done


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
