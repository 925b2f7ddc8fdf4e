"""k-degree anonymity by adding vertices: links between original vertices stay as they are (Chester et al. 2011).

Groups are chosen so that the largest raise in them is the least there can be. As many new vertices as that, or a few
more, take the links that are lacking in turns, so that their degrees differ by one at most; links among them bring all
to the same degree, one that original vertices have.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from shoal.anonymizers.degree_groups import Targets, descending, least_deficient
from shoal.anonymizers.method import generator
from shoal.data.graph import Graph, Ints
from shoal.data.names import Names


def with_vertices(original: Graph, k: int, seed: int) -> tuple[Graph, Targets]:
    """Return the graph with new vertices after its own, and the targets of its own."""
    targets = least_deficient(descending(original.degree), k)
    if not targets.cost:
        return original, targets
    rng = generator(seed)
    drawn = rng.permutation(original.n)
    order = drawn[np.argsort(-original.degree[drawn].astype(np.int64), kind="stable")]
    lack = targets.moved - targets.degrees
    many, degree = how_many(lack, targets.moved)
    shuffled = rng.permutation(original.n)
    takers = np.repeat(order[shuffled], lack[shuffled])
    fresh = original.n + np.arange(len(takers)) % many
    inner = np.bincount(fresh - original.n, minlength=many)
    c, d = near_regular(degree - inner)
    a, b, _ = original.edges()
    sources = np.concatenate([a, takers, c + original.n])
    ends = np.concatenate([b, fresh, d + original.n])
    rows = np.concatenate([np.arange(original.n), rng.integers(original.n, size=many)])
    table = original.attributes.take(rows)
    return Graph.from_pairs(_called(original.names, many), sources, ends, attributes=table), targets


def how_many(lack: Ints, moved: Ints) -> tuple[int, int]:
    """Return the fewest new vertices that can do it, and the degree that each of them gets.

    It is a degree that k original vertices have, so that the new ones are not a class of their own. That can always be:
    the sum of all degrees must be even, and where no degree is odd, neither is what is lacking.
    """
    total, classes = int(lack.sum()), np.unique(moved)
    many = int(lack.max())
    while True:
        least, most = -(-total // many), total // many + many - 1
        known = classes[(classes >= least) & (classes <= most) & ((many * classes - total) % 2 == 0)]
        if len(known):
            return many, int(known[0])
        many += 1


def near_regular(degrees: Ints) -> tuple[Ints, Ints]:
    """Return links that give everybody the degree asked for; degrees differ by one at most, and their sum is even."""
    left = degrees.copy()
    a, b = [], []
    while left.any():
        order = np.argsort(-left, kind="stable")
        first, others = order[0], order[1 : 1 + left[order[0]]]
        left[first] = 0
        left[others] -= 1
        a.append(np.full(len(others), first))
        b.append(others)
    none = np.empty(0, dtype=np.int64)
    return np.concatenate([none, *a]), np.concatenate([none, *b])


def _called(names: Names, many: int) -> Names:
    taken: dict[Hashable, None] = dict.fromkeys(names)
    for number in range(1, many + 1):
        name = f"new vertex {number}"
        while name in taken:
            name += "'"
        taken[name] = None
    return Names(taken)
