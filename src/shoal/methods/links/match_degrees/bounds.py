"""Lower bounds on the number of edits that k-degree anonymity needs, with proofs.

The bounds hold for any graph in which each degree occurs at least k times. A *place* is the position of a vertex in the
order of the degrees, d(1) >= d(2) >= ...; u is *before* v if its place is. t(v) is the degree of v in such a graph, and
a(v) = t(v) - d(v). A vertex that moves up by a gets at least a new edges; one that moves down by a loses at least a. So
half of the least sum of |a| is a bound. It is seldom reached: if one hub lacks 700 links, there are seldom 700 other
vertices that each lack one. A group is k to 2k - 1 vertices with the same t; 2k or more count as several groups. *In
order* means t(u) >= t(v) whenever u is before v. The groups of such a t are runs of places, and a dynamic program finds
the least sum of any costs of the places. It may stop at any place: then the last group has any size, and later places
complete it.

**Additions only** (``adding_bound``). Let y(v) be weights of 0, 1/2 or 1, and X any set of edges.

1. The sum of y(v) a(v) counts an added edge uv y(u) + y(v) times, at most 1 + (y(u) + y(v) - 1)+. So the edits are at
   least the sum of y t, less that of y d, less that of (y(u) + y(v) - 1)+ over the pairs without an edge.
2. Over *all* pairs the last sum depends only on how many vertices have which weight. Subtract the terms of the edges,
   which it then counts too much, from the sum of y d. This leaves the sum of min(1, y(u) + y(v)) over all edges, which
   is at most |X| plus the sum of y(v) r(v), where r(v) counts the edges at v outside of X. Make r descending by
   increasing values only (each stays at most d).
3. So the edits are at least the sum of y (t - r), less |X|, less p(p-1)/2 + ph/2 for p weights of 1 and h of 1/2.
4. y is 1 for the first s in the order of t (ties: by place) and 1/2 for m more, but 0 for the leader of each group, its
   first place. So the sum is half of that of t - r over the first s but for leaders, and half of that over the first
   s + m. Each of the two is made least, given how many leaders there are. S is the first s (or s + m).
5. S can be the first s places. If not, some u of these is outside S, and some w in S is not one of these: let u replace
   w. The t of that group is at least t(u) >= d(u), and the sum of all r in it except the largest does not decrease.
6. If the last group L has fewer than k members in S, it can have the last places. Merge the members of L and another
   group A; A takes the first |A|, and each group keeps its t. One of the old leaders is the first of all. The other is
   one of the first |A| + 1, because |L| < |A|; the new leader is the last of these. So the sum of r over the leaders
   does not increase, and over the others it does not decrease. t >= d still holds: t(A) >= t(L), and the first member
   of L comes no earlier than before.
7. Of two other groups, let A be the one with the first leader. It can have the first |A|, and B the rest: the leader of
   B was one of the first |A| + 1 and is now the last of these. The rest of the argument is as in 6.
8. Now the groups are runs of places, with t >= d(leader). A dynamic program that counts groups finds the least sum.

**Additions and deletions, by the largest moves** (``moving_bound``).

1. The moves of any p vertices that move up and q that move down are at most the edits plus p(p-1)/2 and q(q-1)/2: an
   added edge counts twice only between two of the p, a removed one between two of the q. This also holds for the p
   largest moves up, U(p), and the q largest down, D(q).
2. Two vertices that are not in order can exchange targets: their two a keep the sum and come closer to each other, so
   that no U(p) and no D(q) increases (sums of the largest values of a convex function of a).
3. So t can be in order. A dynamic program over the first s places counts the places that move up and the groups with
   one place that stays; all other places move down. With p up and q down the sum of the moves is at most U(p) + D(q).

**Additions and deletions, by shares** (``hub_bound``). Each edit costs 1, and its two ends share the cost. A vertex
that moves by a pays at least the a smallest shares it can have. So the total paid is at most the number of edits. Let
0 <= z <= 1/2.

1. H is the first q places. For a removed edge between H and the others, the end in H pays all; for any other removed
   edge each end pays half. v has h(v) neighbors in H. Down by a, it pays at least a/2 + (a - h)+/2 if it is in H, else
   (a - h)+/2.
2. So a unit down costs 1/2 in H and 0 outside, and 1/2 more below low(v) = d(v) - h(v). Make low descending by
   decreasing values only, which lowers all costs. Then an earlier vertex pays as much or more for a unit down from the
   same t. So two vertices that are not in order can exchange targets, and pay no more for moving down.
3. P is any set of p vertices. For an added edge between P and the others, the end in P pays 1 - z and the other end z;
   for any other added edge each end pays half. If v is in P, linked to c(v) or more of P, a unit up costs 1/2, and 1 -
   z from the (p - c)-th on. If v is not, a unit up costs z, and 1/2 from the (p + 1)-th on.
4. F is the first p places, X any set of edges in F, x(v) of them at v, so that 2x(v) <= d(v) - d(w) for all w outside.
   If F does not have the p largest t, pairs of u in F and w outside with t(u) < t(w) can exchange targets until it has
   them, and pay no more for moving down. Before the exchange, let P be F with w instead of u for the pairs with
   t(w) > d(u), the *replaced* ones. After the exchange, let P be F. c counts edges of X in P. The vertices pay no more
   for moving up than before:

   * If u was not replaced, it paid nothing and pays nothing, and w, outside P, moves up by less.
   * If u was replaced, w moved d(u) - d(w) units further in P than u moves now. Each of these units cost 1/2 - z more
     than a unit by which w now moves further outside P than u did. That saves at least (1/2 - z) 2x(u). The edges of X
     add at most (1/2 - z) x(u) to the cost of u, and (1/2 - z) x(u) to that of its neighbors in X. No other cost
     increases.

5. Now F has the largest t. In F a unit up costs more above high(v) = d(v) + p - 1 - x(v), made descending by increasing
   values only, which lowers all costs; outside F it costs more above high(v) = d(v) + p. So of two vertices, both in F
   or both outside, the earlier one pays as much or less for a unit up to the same t. By this and 2, t can be in order
   in F and outside F, and then everywhere.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.methods.links.match_degrees.groups import find_optimal_groups, sort_degrees

STEPS = 200_000_000
"""The limit on the steps of the dynamic programs."""
FEW = (1, 5, 20, 60)
HUBS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60)
"""The values of q, the size of H. FEW is tried with all choices of P, then HUBS with the best choice."""
SHARING = 1500
"""The largest number of first places in the bound by shares, which makes a table of the square of that number."""


def bound_edits(graph: Graph, k: int, *, delete: bool) -> int:
    """Return a lower bound on the edits of any graph that is k-degree anonymous.

    >>> import networkx as nx
    >>> from shoal.data.dataset import as_graph
    >>> star = as_graph(nx.star_graph(9))
    >>> bound_edits(star, 2, delete=False), bound_edits(star, 2, delete=True)
    (8, 8)
    """
    d = sort_degrees(graph.degree)
    half = -(-find_optimal_groups(d, k, down=delete).cost // 2)
    return max(half, bound_moves(d, k), bound_hubs(graph, d, k)) if delete else max(half, bound_additions(graph, d, k))


def bound_moves(d: Ints, k: int) -> int:
    """Return the bound from the largest moves up and down (see the module's proof)."""
    from shoal.methods.links._kernels import degrees as loops

    most = min(len(d), 6 * k + 40)
    while most > 1 and most * most * (most // k + 2) * min(most, 2 * k) ** 2 > 4 * STEPS:
        most -= 1
    found = loops.signed_groups(d, k, most)
    s, p, e = np.ogrid[: most + 1, : most + 1, : most // k + 2]
    q = s - p - e
    least = np.where(q >= 0, found - p * (p - 1) // 2 - q * (q - 1) // 2, loops.FAR).min(axis=(1, 2))
    return max(0, int(least.max()))


def bound_additions(graph: Graph, d: Ints, k: int) -> int:
    """Return the bound for additions only, from the first places and the edges among them."""
    from shoal.methods.links._kernels import degrees as loops

    most = min(graph.n, 10 * k + 100)
    indptr, near = induce_first_places(graph, most)
    best = 0
    for s, m in _choose_places(graph.n, k, most):
        outside = int(d[s + m]) if s + m < graph.n else 0
        taken, many = loops.spare_edges(d[: s + m] - outside, indptr, near, s)
        r = d.copy()
        r[: s + m] -= taken
        r = np.maximum.accumulate(r[::-1])[::-1].copy()
        twice = loops.twice_the_edits(loops.led_groups(d, r, k, s + m), s, m) - 2 * many
        best = max(best, -(-int(twice) // 2))
    return best


def _choose_places(n: int, k: int, most: int) -> list[tuple[int, int]]:
    """Return pairs (s, m): s first places get weight 1, and m more get weight 1/2. Fewer pairs if k is large."""
    ends = {group * k + more for group in range(1, 7) for more in (0, 1, 2)} | set(range(1, 5 * k, max(1, k // 5)))
    pairs = [(s, m) for s in sorted(ends) for m in (0, k // 2, k, 2 * k) if 0 < s + m <= min(n, most)]
    steps = sum((s + m) * 2 * (s + m + k) for s, m in pairs)
    return pairs[:: max(1, -(-steps // STEPS))]


def bound_hubs(graph: Graph, d: Ints, k: int) -> int:
    """Return the bound by shares: the two ends of an edit share its cost, and hubs pay more."""
    most = min(graph.n, SHARING)
    links = induce_first_places(graph, most)
    found = {
        (q, *up): bound_shared(graph, d, k, links, q, *up) for q in FEW if q <= most for up in _choose_raised(k, most)
    }
    _, p, z = max(found, key=lambda way: found[way])
    found |= {(q, *up): bound_shared(graph, d, k, links, q, *up) for q in HUBS if q <= most for up in {(0, 0), (p, z)}}
    return -(-max(found.values()) // 4)


def bound_shared(graph: Graph, d: Ints, k: int, links: tuple[Ints, Ints], q: int, p: int, z: int) -> int:
    """Return the least total cost, in quarters of an edit, for |H| = q, |P| = p and a share of z quarters."""
    from shoal.methods.links._kernels import degrees as loops

    indptr, near = links
    most = len(indptr) - 1
    rows = np.repeat(np.arange(most), np.diff(indptr))
    low = np.minimum.accumulate(d[:most] - np.bincount(rows[near < q], minlength=most))
    outside = int(d[p]) if p < graph.n else 0
    high = d[:most] + p
    high[:p] -= 1 + loops.spare_edges((d[:p] - outside) // 2, indptr, near, p)[0]
    high = np.maximum.accumulate(high[::-1])[::-1]
    levels = np.unique(np.concatenate([d[:most], low, high]))
    paid = loops.quarters_paid(d[:most], low, high, levels, q, p, z)
    return int(loops.least_paid(paid, k, k if most == graph.n else 1))


def _choose_raised(k: int, most: int) -> list[tuple[int, int]]:
    """Return pairs (p, z): the size of P, and the share z in quarters."""
    sizes = {k // 2, k, k + k // 2, *(many * k for many in (2, 3, 4, 6))}
    return [(0, 0), *((p, z) for p in sorted(sizes) if 0 < p <= min(most, 2 * k + 50) for z in (0, 1))]


def induce_first_places(graph: Graph, most: int) -> tuple[Ints, Ints]:
    """Return the subgraph of the first places in the order of the degrees, in compressed rows."""
    place = np.empty(graph.n, dtype=np.int64)
    place[np.argsort(-graph.degree.astype(np.int64), kind="stable")] = np.arange(graph.n)
    a, b, _ = graph.edges()
    inside = (place[a] < most) & (place[b] < most)
    x, y = place[a[inside]], place[b[inside]]
    rows, others = np.concatenate([x, y]), np.concatenate([y, x])
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=most))])
    return indptr, others[order]
