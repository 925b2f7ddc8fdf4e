"""Rows that links are added to, and who shares how many neighbors with whom, counted over paths of length two.

A graph is (indptr, indices, head, following, ends): the rows it came with, and the links added since as lists: the
first added half of v is head[v], the next one following[half], and it leads to ends[half] (-1 where it was taken
away). The link e has the halves 2e and 2e + 1.
"""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True)
def row(v, added, graph, out):
    """Write the neighbors of v into `out`, with or without the links added since; return how many."""
    indptr, indices, head, following, ends = graph
    many = 0
    for e in range(indptr[v], indptr[v + 1]):
        out[many] = indices[e]
        many += 1
    half = head[v] if added else -1
    while half >= 0:
        if ends[half] >= 0:
            out[many] = ends[half]
            many += 1
        half = following[half]
    return many


@njit(nogil=True, cache=True)
def tally(v, first, second, graph, near, seen, touched):
    """Count in `seen` for everybody how many neighbors of v they are next to; return how many are in `touched`.

    `first` tells whether links added since count from v to its neighbors, `second` whether they do from there on. v
    itself is counted too.
    """
    indptr, indices, head, following, ends = graph
    far = 0
    for i in range(row(v, first, graph, near)):
        y = near[i]
        for e in range(indptr[y], indptr[y + 1]):
            w = indices[e]
            if seen[w] == 0:
                touched[far] = w
                far += 1
            seen[w] += 1
        half = head[y] if second else -1
        while half >= 0:
            w = ends[half]
            if w >= 0:
                if seen[w] == 0:
                    touched[far] = w
                    far += 1
                seen[w] += 1
            half = following[half]
    return far


@njit(nogil=True, cache=True)
def clear(seen, touched, far):
    """Make `seen` zero again."""
    for i in range(far):
        seen[touched[i]] = 0


@njit(nogil=True, cache=True)
def join(u, x, e, graph):
    """Add the link e between u and x."""
    _, _, head, following, ends = graph
    ends[2 * e], ends[2 * e + 1] = x, u
    following[2 * e], following[2 * e + 1] = head[u], head[x]
    head[u], head[x] = 2 * e, 2 * e + 1


@njit(nogil=True, cache=True)
def part(u, x, e, graph, gone):
    """Take the link e between u and x away, or bring it back."""
    ends = graph[4]
    ends[2 * e], ends[2 * e + 1] = (-1, -1) if gone else (x, u)


@njit(nogil=True, cache=True)
def meet(u, x, seen, graph, near, aim, count, change):
    """Return how many deficits fall as u becomes a neighbor of x, by those who are next to x; `change` counts them.

    `seen` is how many neighbors u shares with everybody so far. aim = (l, want, strong): everybody must share l
    neighbors with `want` others; where it is strong, the neighbors of each must be old ones, so that u gains nothing.
    """
    l, want, strong = aim
    lowered, met = 0, 0
    for i in range(row(x, not strong, graph, near)):
        w = near[i]
        if w != u and seen[w] == l - 1:
            met += 1
            lowered += count[w] < want
            count[w] += change
    if not strong:
        lowered += min(met, max(0, want - count[u]))
        count[u] += change * met
    return lowered
