"""The fewest edits of any graph in which each degree is had by k vertices or more: what is proved.

d(1) >= d(2) >= ... are the degrees, t the degrees of any such graph, a(v) = t(v) - d(v). Half of the least sum of |a|
is a bound, and seldom reached: one hub that lacks 700 links has no 700 others who lack one too. Weights say more.

**Additions only.** For any weights y(v) of 0, 1/2 or 1 an added edge uv counts at most 1, plus y(u) + y(v) - 1 where
that is positive, towards the sum of y(v) a(v). So the edits are at least

    sum of y(v) t(v)  -  sum of y(v) d(v)  -  sum over pairs without an edge of (y(u) + y(v) - 1)+.

The last sum over *all* pairs is a matter of how many there are of each weight; what edges it counts too much, with the
degrees, makes the sum of min(1, y(u) + y(v)) over all edges, and that is at most the sum of y(v) r(v) plus the number
of edges in X, for any set X of edges, where r(v) counts the edges at v outside X. Let r be made descending in the order
of d (only larger, at most d).

Now give weight 1 to the first s in the order of t (ties: of d), but 0 to the first of each group of equal t, its
leader (groups of 2k or more are taken as several). Since t(v) >= d(v), groups of k or more, and a last one of any
size, of *consecutive* places in the order of d make the sum of t - r over all but the leaders least: a vertex among the
first s by t but not by d changes places with one that is the other way round, and two groups that are not in order put
their members together and take them apart again in order; neither makes the sum larger, as d and r are in one order.
So the least sum is found by a dynamic program that counts groups. With s and s + m places, half of the weight each, the
bound is half of both sums less the pairs among them. It holds for every s, m and X; the largest is returned.

**Additions and deletions.** An edit serves two units only if both ends move up, or both move down. So for any p
vertices that move up and q that move down, the edits are at least the sum of their |a| less p(p-1)/2 and q(q-1)/2. If t
is not in the order of d, two vertices can change targets: of both, neither the larger |a|, nor the sum, of those up or
of those down, becomes larger. So for the largest ones the sum is least where t is in order, and a dynamic program over
the first s places that counts those who move up, and groups of which one place stays, finds the least, again with a
last group that others complete.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymizers.degree_groups import descending, optimal
from shoal.data.graph import Graph, Ints
from shoal.engines.local.pool import announce_compilation

STEPS = 200_000_000
"""How many steps of the dynamic programs are worth a better bound."""


def fewest_edits(graph: Graph, k: int, *, delete: bool) -> int:
    """Return a lower bound on the edits of any graph that is k-degree anonymous.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> star = as_graph(nx.star_graph(9))
    >>> fewest_edits(star, 2, delete=False), fewest_edits(star, 2, delete=True)
    (8, 8)
    """
    d = descending(graph.degree)
    half = -(-optimal(d, k, down=delete).cost // 2)
    return max(half, moving_bound(d, k) if delete else adding_bound(graph, d, k))


def moving_bound(d: Ints, k: int) -> int:
    """Return the bound of the first places that move up or down."""
    announce_compilation()
    from shoal.engines.local.kernels import degree_bounds as loops

    most = min(len(d), 6 * k + 40)
    while most > 1 and most * most * (most // k + 2) * min(most, 2 * k) ** 2 > 4 * STEPS:
        most -= 1
    found = loops.signed_groups(d, k, most)
    s, p, e = np.ogrid[: most + 1, : most + 1, : most // k + 2]
    q = s - p - e
    least = np.where(q >= 0, found - p * (p - 1) // 2 - q * (q - 1) // 2, loops.FAR).min(axis=(1, 2))
    return max(0, int(least.max()))


def adding_bound(graph: Graph, d: Ints, k: int) -> int:
    """Return the bound of the first places that move up, the edges among them known."""
    announce_compilation()
    from shoal.engines.local.kernels import degree_bounds as loops

    most = min(graph.n, 10 * k + 100)
    indptr, near = first_places(graph, most)
    best = 0
    for s, m in _places(graph.n, k, most):
        outside = int(d[s + m]) if s + m < graph.n else 0
        taken, many = loops.spare_edges(d, indptr, near, s, m, outside)
        r = d.copy()
        r[: s + m] -= taken
        r = np.maximum.accumulate(r[::-1])[::-1].copy()
        twice = loops.twice_the_edits(loops.led_groups(d, r, k, s + m), s, m) - 2 * many
        best = max(best, -(-int(twice) // 2))
    return best


def _places(n: int, k: int, most: int) -> list[tuple[int, int]]:
    """Return how many first places are tried with all of the weight, and how many more with half; few if k is large."""
    ends = {group * k + more for group in range(1, 7) for more in (0, 1, 2)} | set(range(1, 5 * k, max(1, k // 5)))
    pairs = [(s, m) for s in sorted(ends) for m in (0, k // 2, k, 2 * k) if 0 < s + m <= min(n, most)]
    steps = sum((s + m) * 2 * (s + m + k) for s, m in pairs)
    return pairs[:: max(1, -(-steps // STEPS))]


def first_places(graph: Graph, most: int) -> tuple[Ints, Ints]:
    """Return the graph of the first places in the order of the degrees, in compressed rows."""
    place = np.empty(graph.n, dtype=np.int64)
    place[np.argsort(-graph.degree.astype(np.int64), kind="stable")] = np.arange(graph.n)
    a, b, _ = graph.edges()
    inside = (place[a] < most) & (place[b] < most)
    x, y = place[a[inside]], place[b[inside]]
    rows, others = np.concatenate([x, y]), np.concatenate([y, x])
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=most))])
    return indptr, others[order]
