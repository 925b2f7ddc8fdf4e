"""How few links can be enough so that everybody shares l neighbors with k - 1 others: a bound, and what cannot be had.

Letters: n is the number of vertices, N(v) the neighbors of v in the original, N[v] the same with v itself; an *end* is
an added link with one of its two vertices, so that a links have 2a ends.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymizers.shared_links import Sharing, sharing_counts
from shoal.data.graph import Graph, Ints
from shoal.errors import CannotPromise


def refuse_impossible(graph: Graph, sharing: Sharing, who: str) -> None:
    """Refuse what even the complete graph does not have; it has all that additions can give, since sharing only grows.

    In it two vertices share the n - 2 others. Of the old neighbors of v all are shared with whoever is not one of
    them, and all but one with those who are.
    """
    l, k, n = sharing.l, sharing.want + 1, graph.n
    if k == 1:
        return
    if l > n - 2:
        raise CannotPromise(
            f"{who}: two of {n:,} vertices can share {max(0, n - 2):,} neighbors at most, so that 'l' must be at most "
            f"that. Got {l}. Take a smaller l."
        )
    if sharing.strong:
        _refuse_degrees(graph, l, k, who)


def _refuse_degrees(graph: Graph, l: int, k: int, who: str) -> None:
    low = graph.degree < l
    v = int(low.argmax())
    weak = "or take variant='weak' (--variant weak), which counts new neighbors too"
    if low.any():
        raise CannotPromise(
            f"{who}: in the strong variant everybody must have l = {l} neighbors in the original to share. "
            f"Got {int(low.sum()):,} of {graph.n:,} with fewer, the first {graph.names[v]!r} with {graph.degree[v]:,}. "
            f"Take a smaller l, leave them out, {weak}."
        )
    exact = np.flatnonzero(graph.degree == l)
    if len(exact) and k > graph.n - l:
        raise CannotPromise(
            f"{who}: who has just l = {l} neighbors cannot share all of them with one of these, so that 'k' must be at "
            f"most n - l = {graph.n - l:,}. Got {k}, and {graph.names[int(exact[0])]!r} has {l}. Lower k or l, {weak}."
        )


def fewest_links(graph: Graph, sharing: Sharing) -> int:
    """Return a lower bound on the links that must be added.

    Weak: whoever has fewer than l neighbors needs l - deg(v) ends at v. Whoever else lacks somebody needs an end in
    N[v]: a new shared neighbor comes by a link of v or of a neighbor, and if v gets none, its neighbors are the old.
    Sets N[v] that are disjoint, and without anybody counted before, need different ends.

    Strong: v gains only by ends in N(v), one share with one vertex each. So it needs as many as the k - 1 others that
    share most with v are short of l neighbors; disjoint sets N(v) need different ends.

    >>> import networkx as nx
    >>> from shoal.data.convert import as_graph
    >>> pairs = as_graph(nx.from_edgelist([(0, 1), (2, 3), (4, 5), (6, 7)]))
    >>> fewest_links(pairs, Sharing(1, 1, strong=False)), fewest_links(pairs, Sharing(1, 1, strong=True))
    (2, 4)
    >>> fewest_links(pairs, Sharing(2, 1, strong=False))
    4
    """
    lacking = np.flatnonzero(sharing_counts(graph, sharing.l) < sharing.want)
    if sharing.strong:
        needs = np.array([_short(graph, int(v), sharing) for v in lacking], dtype=np.int64)
        return -(-_packed(graph, lacking, needs, np.zeros(graph.n, dtype=np.bool_), closed=False) // 2)
    if not len(lacking):
        return 0
    forced = np.maximum(0, sharing.l - graph.degree)
    ends = _packed(graph, lacking, np.ones(len(lacking), dtype=np.int64), forced > 0, closed=True)
    return -(-(int(forced.sum()) + ends) // 2)


def _short(graph: Graph, v: int, sharing: Sharing) -> int:
    """Return how many shares v lacks until l neighbors are shared with the `want` others that share most."""
    near = [graph.neighbors(int(w)) for w in graph.neighbors(v)]
    others, shared = np.unique(np.concatenate(near), return_counts=True)
    most = np.sort(shared[others != v])[::-1][: sharing.want]
    return sharing.l * sharing.want - int(np.minimum(most, sharing.l).sum())


def _packed(graph: Graph, vertices: Ints, needs: Ints, taken: np.ndarray, *, closed: bool) -> int:
    """Add up the needs of vertices whose neighbor sets are disjoint and not taken, chosen greedily."""
    taken, total = taken.copy(), 0
    worth = needs / (graph.degree[vertices] + closed)
    for i in np.argsort(-worth, kind="stable"):
        v = int(vertices[i])
        around = graph.neighbors(v)
        if not taken[around].any() and not (closed and taken[v]):
            taken[around], taken[v] = True, taken[v] or closed
            total += int(needs[i])
    return total
