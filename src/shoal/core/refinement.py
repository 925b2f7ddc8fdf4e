"""Vertex refinement H_i of Hay et al.: H_0 is constant, H_i(x) the multiset of H_{i-1} over the neighbors of x.

H_1 is the degree and H_i refines H_{i-1}, so a vertex that is alone in its class stays alone: only the others are
looked at again.
"""

from __future__ import annotations

import numpy as np

from shoal.core.grouping import group_multisets, number_by_first_appearance
from shoal.data.arrays import Ints
from shoal.data.graph import Graph


def refine(graph: Graph, rounds: int | None) -> Ints:
    """Return the classes of H_rounds, or of the fixed point where `rounds` is None."""
    colors = np.zeros(graph.n, dtype=np.int64)
    if rounds == 0 or not len(graph.indices):
        return colors
    colors = number_by_first_appearance(graph.degree)
    done = 1
    while done != rounds:
        finer = refine_once(graph, colors)
        if finer is colors:
            break
        colors, done = finer, done + 1
    return number_by_first_appearance(colors)


def refine_once(
    graph: Graph,
    colors: Ints,
    *,
    links: Ints | None = None,
) -> Ints:
    """Split the classes by the multiset of colors next door; return `colors` itself if nothing splits.

    `links` are kinds of edges that count as different (default: an edge of multiplicity q counts q times).
    """
    sizes = np.bincount(colors)
    active = np.flatnonzero(sizes[colors] > 1)
    if not len(active):
        return colors
    items = colors[graph.indices]
    weights = graph.multiplicity
    if links is not None:
        items, weights = items * (int(links.max(initial=0)) + 1) + links, None
    codes = group_multisets(graph.indptr, items, weights, colors[active], rows=active)
    if codes.max() + 1 == np.count_nonzero(sizes > 1):
        return colors
    return _renumber_colors(colors, active, codes, len(sizes))


def _renumber_colors(colors: Ints, active: Ints, codes: Ints, taken: int) -> Ints:
    """Keep one part of each split class under its old number, so that numbers stay below n."""
    part_class = np.empty(codes.max() + 1, dtype=np.int64)
    part_class[codes] = colors[active]
    order = np.argsort(part_class, kind="stable")
    heir = np.ones(len(order), dtype=np.bool_)
    heir[1:] = part_class[order][1:] != part_class[order][:-1]
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.where(heir, part_class[order], taken + np.cumsum(~heir) - 1)
    finer = colors.copy()
    finer[active] = number[codes]
    return finer
