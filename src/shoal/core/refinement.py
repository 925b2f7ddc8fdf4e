"""Vertex refinement (Hay et al.): H_0 is constant, and H_i(x) is the multiset of H_{i-1} over the neighbors of x.

H_1 is the degree. H_i refines H_{i-1}, so a unique vertex stays unique, and each round handles only the others.
"""

from __future__ import annotations

import numpy as np

from shoal.core.grouping import group_multisets, number_by_first_appearance
from shoal.data.arrays import Ints
from shoal.data.graph import Graph


def refine(graph: Graph, rounds: int | None) -> Ints:
    """Return the classes of H_i with i = `rounds`, or of the fixed point if `rounds` is None."""
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
    """Split the classes by the multiset of the neighbors' colors; return `colors` itself if no class splits.

    `links` gives the kind of each edge; different kinds differ (default: an edge of multiplicity q counts q times).
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
    """Keep the old number for one part of each split class, so that numbers stay below n."""
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
