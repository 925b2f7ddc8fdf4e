"""Random edits: links drawn to go, missing links drawn to come, and switches of two links that keep all degrees."""

from __future__ import annotations

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.core.threads import announce_compilation
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.progress import track

CHUNK = 1 << 18
"""Pairs of links drawn at once, at most."""
PATIENCE = 64
"""Draws for each link of the graph, and for each switch asked for, after which switching gives up."""


def count_missing(graph: Graph) -> int:
    """Count the pairs that are not linked."""
    return graph.n * (graph.n - 1) // 2 - graph.m


def draw_absent(graph: Graph, many: int, rng: np.random.Generator) -> Ints:
    """Draw as many pairs that are not linked, uniformly and none twice, as numbers."""
    n, there = np.int64(graph.n), number_edges(graph)
    if 4 * many >= count_missing(graph):  # then all pairs are not many more than those to draw
        a, b = np.triu_indices(graph.n, 1)
        return rng.choice(np.setdiff1d(a * n + b, there, assume_unique=True), many, replace=False)
    found = np.empty(0, dtype=np.int64)
    while len(found) < many:  # the first different ones of a row of uniform draws are a uniform set
        track("drawing links to add", len(found), many)
        a, b = rng.integers(n, size=(2, 2 * (many - len(found)) + 64))
        fresh = (np.minimum(a, b) * n + np.maximum(a, b))[a != b]
        at = np.minimum(np.searchsorted(there, fresh), max(0, len(there) - 1))
        together = np.concatenate([found, fresh[there[at] != fresh] if len(there) else fresh])
        _, first = np.unique(together, return_index=True)
        found = together[np.sort(first)]
    return found[:many]


def perturb_links(graph: Graph, add: int, delete: int, rng: np.random.Generator) -> Graph:
    """Return the graph without `delete` of its links and with `add` that were missing, both drawn uniformly."""
    keys = number_edges(graph)
    stay = np.ones(len(keys), dtype=np.bool_)
    stay[rng.choice(len(keys), delete, replace=False)] = False
    return replace_links(graph, np.concatenate([keys[stay], draw_absent(graph, add, rng)]))


def replace_links(graph: Graph, keys: Ints) -> Graph:
    """Return the graph with other links."""
    return Graph.from_pairs(graph.names, keys // graph.n, keys % graph.n, attributes=graph.attributes)


def switch_links(graph: Graph, wanted: int, rng: np.random.Generator) -> tuple[Graph, int]:
    """Return the graph after so many switches, and how many there were.

    Each is drawn uniformly among all that keep the graph simple, by drawing until one does. A switch can be switched
    back, so that where one is possible any number is; only where none is found for long there may be fewer.
    """
    announce_compilation()
    from shoal.methods.links._kernels.perturbation import fill, switch

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
    """Tell whether no switch is possible at all: whether it is a threshold graph.

    Then, and only then, no two links (a, b), (c, d) have a, d and c, b unlinked: vertices can be taken away one by one,
    each linked to all that are left or to none. Degrees, the largest first and their partners counted, decide it.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
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
