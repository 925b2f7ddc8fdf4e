"""Degree repair: degrees of 0 or at least k with few edits, so that one known neighbor leaves k candidates.

If an attacker knows one neighbor w of v, the candidates are the neighbors of w. So every vertex has at least k
candidates if and only if every degree is 0 or at least k. A vertex with a lower degree gets edges, preferably to a
nearby vertex that needs edges too. Or it loses all its edges, if that is cheaper.

Where links have directions or kinds, the candidates are the vertices on one line of w: those that w is linked to by one
relation. So every line must have 0 or at least k of them. Kinds are independent of each other, and so are links with
and without direction: each is repaired by itself, as a graph of lines (:class:`Layer`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.core.edge_diff import count_edits
from shoal.core.grouping import find_components
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.errors import CannotPromise
from shoal.methods.links.hide_neighbors.lines import Layer, join_layers, split_layers
from shoal.optimize.annealing import make_generator
from shoal.progress import track


def repair_degrees(original: Graph, k: int, add_only: bool, seed: int, who: str) -> Graph:
    """Return the cheapest of: additions only; additions after isolating some vertices; removal of all edges."""
    if original.ties is None:
        return _repair_layer(Layer(original, 1, 0), k, add_only, seed, who)
    layers = list(split_layers(original))
    made = [replace(layer, graph=_repair_layer(layer, k, add_only, seed, who)) for layer in layers]
    same = all(before.graph is after.graph for before, after in zip(layers, made, strict=True))
    return original if same else join_layers(original, made)


def _repair_layer(layer: Layer, k: int, add_only: bool, seed: int, who: str) -> Graph:
    """Return the repaired graph of lines of a layer."""
    original, n = layer.graph, layer.graph.n // layer.sides
    none = np.zeros(original.n, dtype=np.bool_)
    if not find_low_degrees(original, k).any():
        return original
    if add_only:
        if n <= k:
            raise CannotPromise(
                f"{who}: with additions only, every linked vertex needs k = {k} neighbors, "
                f"which takes {k + 1} vertices. Got {n}. Leave out add_only (--add-only), or lower k."
            )
        return raise_degrees(layer, none, k, seed)
    best = remove_edges_at(original, ~none)
    cost, floor = original.m, _bound_layer(layer, k, add_only=False)
    for least, gone in _propose_isolations(layer, k, seed) if n > k else ():
        if least < cost:
            made = raise_degrees(layer, gone, k, seed)
            pairs = (best, cost), (made, count_edits(original, made))
            best, cost = min(pairs, key=lambda pair: (pair[1], -pair[0].m))
        if cost <= floor:
            break
    return best


def _propose_isolations(layer: Layer, k: int, seed: int) -> Iterator[tuple[int, Bools]]:
    """Yield sets of vertices to isolate before edges are added, with a lower bound on the cost.

    An added edge is taken to serve both ends. If it is an arc, and one side lacks more, most arcs serve one end: so
    that side is also tried at the full price, and the other side for nothing.
    """
    for prices in [(1,)] if layer.sides == 1 else [(1, 1), (2, 0), (0, 2)]:
        yield from ((0, choose_isolated(layer.graph, k, seed, least, prices)) for least in (1, 0))
    yield _bound_layer(layer, k, add_only=True), np.zeros(layer.graph.n, dtype=np.bool_)


def find_low_degrees(graph: Graph, k: int) -> Bools:
    """Return which vertices have at least one neighbor and fewer than k."""
    few: Bools = (graph.degree > 0) & (graph.degree < k)
    return few


def bound_edits(graph: Graph, k: int, add_only: bool) -> int:
    """Return a lower bound on the edits of any solution.

    In any solution for l = 1, every degree is 0 or at least k. A degree d from 1 to k - 1 is low. Count in halves of an
    edit. An added edge serves two vertices, a half for each. A removed edge serves both ends, a half for each, if both
    degrees are low; if one is, this end takes both halves. So a vertex with a low degree d ends with k edges or more
    and takes at least k - d halves, or it loses all edges: one half for each neighbor with a low degree, and two for
    each other neighbor. No edit serves more than two halves.

    Where links have directions or kinds, the same holds for the lines of each layer: a link joins two lines. An edit
    changes one layer, so the bounds of the layers are added. An arc is on one line of a source and one of a target. So
    the edits are also at least the sum, over the lines of one side with a low degree d, of the smaller of k - d and d.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> star = as_graph(nx.star_graph(9))
    >>> bound_edits(star, 9, add_only=False), bound_edits(star, 9, add_only=True)
    (9, 36)
    """
    return sum(_bound_layer(layer, k, add_only) for layer in split_layers(graph))


def _bound_layer(layer: Layer, k: int, add_only: bool) -> int:
    graph = layer.graph
    few = find_low_degrees(graph, k)
    halves = k - graph.degree[few]
    alone = halves if add_only else np.minimum(halves, graph.degree[few])
    one_side = np.bincount(np.flatnonzero(few) % 2, weights=alone) if layer.sides == 2 else np.zeros(1)
    if not add_only:
        rows = np.repeat(np.arange(graph.n), graph.degree)
        losing = np.bincount(rows, weights=np.where(few[graph.indices], 1, 2), minlength=graph.n).astype(np.int64)
        halves = np.minimum(halves, losing[few])
    return max(-(-int(halves.sum()) // 2), int(one_side.max(initial=0)))


def choose_isolated(graph: Graph, k: int, seed: int, least: int, prices: tuple[int, ...] = (1,)) -> Bools:
    """Return the vertices to isolate: single ones from the lowest degrees on, and whole small components.

    Isolation must save at least `least` halves of an edit. `prices` are the halves that an added edge costs at an end
    of each side, 1 if every added edge serves two vertices.
    """
    from shoal.methods.links._kernels import degrees as loops

    gone, degree = np.zeros(graph.n, dtype=np.bool_), graph.degree.astype(np.int64)
    order, price = order_by_degree(degree, seed), np.array(prices)
    while loops.isolate(order, graph.indptr, graph.indices, k, least, degree, gone, price):
        track("isolating", int(np.count_nonzero(gone)), graph.n)
    label = find_components(graph.n, *remove_edges_at(graph, gone).edges()[:2])
    lacking = np.where(degree > 0, np.maximum(0, k - degree), 0) * price[np.arange(graph.n) % len(price)]
    needed = np.bincount(label, weights=lacking)
    found: Bools = gone | (needed >= np.bincount(label, weights=degree) + least)[label]
    return found


def order_by_degree(degree: Ints, seed: int) -> Ints:
    """Return the vertices by ascending degree; the seed breaks ties."""
    shuffled = make_generator(seed).permutation(len(degree))
    return shuffled[np.argsort(degree[shuffled], kind="stable")]


def remove_edges_at(graph: Graph, gone: Bools) -> Graph:
    """Return the graph without the edges of some vertices."""
    a, b, _ = graph.edges()
    stay = ~(gone[a] | gone[b])
    return Graph.from_pairs(graph.names, a[stay], b[stay], attributes=graph.attributes)


def raise_degrees(layer: Layer, gone: Bools, k: int, seed: int) -> Graph:
    """Remove the edges of `gone`, then add edges until every degree is 0 or at least k.

    This needs more than k vertices with edges; k sources and k targets are enough if no vertex is both. If there are
    fewer, some isolated ones get edges too.
    """
    graph = remove_edges_at(layer.graph, gone) if gone.any() else layer.graph
    if graph.m == 0:
        return graph
    degree = graph.degree.astype(np.int64)
    order = order_by_degree(degree, seed)
    taken = degree > 0
    if layer.sides == 2:
        _take_more(taken, order, 2, k)
    if layer.sides == 1 or (taken[::2] & taken[1::2]).any():
        _take_more(taken, order, layer.sides, k + 1)
    needed = np.where(taken, np.maximum(0, k - degree), 0)
    low_ones, pool = order[degree[order] < k], order[taken[order]]
    sources, targets = choose_links(graph, layer.sides, low_ones, pool, needed, near=True)
    if 2 * len(sources) > needed.sum():  # some edge serves one vertex only: a free choice of partners may take fewer
        others = choose_links(graph, layer.sides, low_ones, pool, needed, near=False)
        sources, targets = min((sources, targets), others, key=_count_edges)
    a, b, _ = graph.edges()
    return Graph.from_pairs(
        graph.names, np.concatenate([a, sources]), np.concatenate([b, targets]), attributes=graph.attributes
    )


def _take_more(taken: Bools, order: Ints, sides: int, least: int) -> None:
    """Mark vertices as taken, in order, until each side has at least so many."""
    for side in range(sides):
        mine = order[order % sides == side]
        free = mine[~taken[mine]]
        taken[free[: max(0, least - (len(mine) - len(free)))]] = True


def _count_edges(ends: tuple[Ints, Ints]) -> int:
    return len(ends[0])


def choose_links(graph: Graph, sides: int, order: Ints, pool: Ints, needed: Ints, *, near: bool) -> tuple[Ints, Ints]:
    """Return edges that give every vertex as many as it needs, between two vertices in need if possible.

    With `near`, pairs at a small distance come first.
    """
    from shoal.methods.links._kernels import degrees as loops

    left, used = needed.copy(), np.zeros(graph.n, dtype=np.int64)
    begin = np.cumsum(needed) - needed
    partner, mark = np.empty(int(needed.sum()), dtype=np.int64), np.full(graph.n, -1, dtype=np.int64)
    state = (sides, graph.indptr, graph.indices, begin, used, partner, mark, left)
    track("linking", 0, 2)
    if near:
        loops.link_near(order, *state)
        mark[:] = -1
    loops.link_most(order, *state)
    mark[:] = -1
    track("linking", 1, 2)
    loops.link_any(order, pool, *state)
    rows = np.repeat(np.arange(graph.n), used)
    mutual = np.stack([np.minimum(rows, partner), np.maximum(rows, partner)], axis=1)
    pairs = np.unique(mutual, axis=0)  # both ends recorded an edge between two vertices in need
    return pairs[:, 0], pairs[:, 1]
