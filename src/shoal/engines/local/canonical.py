"""Canonical forms and automorphisms of small colored graphs, by BLISS (inside igraph).

Edges may carry weights (multiplicities). BLISS knows only vertex colors, so an edge whose weight is not 1 becomes a
path through a vertex of its own whose color tells the weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]


def canonical_form(colors: Ints, edges: Ints) -> tuple[bytes, Ints]:
    """Return bytes that two colored graphs share if and only if they are isomorphic, and the order that gives them.

    Parameters
    ----------
    colors
        One color per vertex; an isomorphism preserves colors.
    edges
        Rows (i, j, weight) with i != j and weight >= 1.

    Examples
    --------
    A path has one form however it is numbered, and another one with its middle marked:

    >>> path, other = np.array([[0, 1, 1], [1, 2, 1]]), np.array([[0, 2, 1], [1, 2, 1]])
    >>> canonical_form(np.zeros(3, int), path)[0] == canonical_form(np.zeros(3, int), other)[0]
    True
    >>> canonical_form(np.array([0, 1, 0]), path)[0] == canonical_form(np.zeros(3, int), path)[0]
    False
    """
    import igraph

    shades, palette, links = _subdivided(colors, edges)
    graph = igraph.Graph(n=len(shades), edges=links)
    # igraph 1.x lists which vertex comes to each place; before 1.0 it listed the place of each vertex
    place = np.argsort(np.array(graph.canonical_permutation(color=shades.tolist()), dtype=np.int64))
    ends = np.sort(place[links], axis=1) if len(links) else np.empty((0, 2), dtype=np.int64)
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    painted = np.empty_like(shades)
    painted[place] = shades
    head = np.array([len(colors), len(shades), len(palette)], dtype=np.int64)
    form = b"".join(part.tobytes() for part in (head, palette.astype(np.int64), painted, ends))
    return form, place[: len(colors)]


def automorphism_orbits(colors: Ints, edges: Ints) -> Ints:
    """Return for each vertex the smallest vertex that an automorphism maps it to.

    >>> automorphism_orbits(np.zeros(3, int), np.array([[0, 1, 1], [1, 2, 1]])).tolist()
    [0, 1, 0]
    """
    import igraph

    shades, _, links = _subdivided(colors, edges)
    graph = igraph.Graph(n=len(shades), edges=links)
    leader = np.arange(len(shades))
    for generator in graph.automorphism_group(color=shades.tolist()):
        for a, b in enumerate(generator):
            if a != b:
                x, y = sorted((_root(leader, a), _root(leader, b)))
                leader[y] = x
    return np.array([_root(leader, v) for v in range(len(colors))])


def _root(leader: Ints, v: int) -> int:
    while leader[v] != v:
        leader[v] = leader[leader[v]]
        v = int(leader[v])
    return v


def _subdivided(colors: Ints, edges: Ints) -> tuple[Ints, Ints, Ints]:
    """Return dense vertex colors, what each stands for, and plain links of the graph with weighted edges subdivided."""
    n = len(colors)
    plain = edges[:, 2] == 1
    heavy = edges[~plain]
    middle = n + np.arange(len(heavy))
    meaning = np.concatenate(
        [
            np.stack([np.zeros(n, np.int64), colors], 1),
            np.stack([np.ones(len(heavy), np.int64), heavy[:, 2]], 1),
        ]
    )
    palette, shades = np.unique(meaning, axis=0, return_inverse=True)
    links = np.concatenate([edges[plain, :2], np.stack([heavy[:, 0], middle], 1), np.stack([middle, heavy[:, 1]], 1)])
    return shades.reshape(-1), palette, links
