"""Realization of target degree vectors: links are added and removed layer by layer.

In a directed layer, every vertex has units to serve on two sides: out-numbers and in-numbers. Adding an arc from a to b
moves one unit from the out-side of a to the in-side of b; removing it moves one back. So the edits are a flow in the
graph on both sides, and units are served by paths: one arc added or removed serves two units; two edits move the end of
an arc from a vertex with too many to one with too few; longer paths serve what is left. If no path is left, no graph
has these numbers (a maximum flow), or with additions only none that contains the original.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from shoal.core.layers import count_links_by_layer, list_layers, number_links, replace_links, split_numbers
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.data.ties import Relation
from shoal.errors import CannotPromise
from shoal.methods.links.match_degrees.realization import DegreeEdits
from shoal.methods.links.match_degrees.vectors import VectorTargets, list_columns, list_vectors
from shoal.optimize.annealing import make_generator
from shoal.progress import track

ROUNDS = 12
"""The number of times that vectors are grouped, before layers that cannot be matched lose all links or get all."""
FILLED = 2_000
"""The largest number of vertices for which a layer gets all links."""


@dataclass
class ArcEdits:
    """The arcs of a layer, and the units that each vertex still needs."""

    out: list[set[int]]
    """The targets of the arcs of each vertex."""
    into: list[set[int]]
    """The sources of the arcs of each vertex."""
    out_need: list[int]
    """How many more arcs must leave each vertex; negative: fewer."""
    in_need: list[int]
    order: list[int]
    """The vertices in a random order, which breaks ties."""
    delete: bool
    """Whether arcs of the original may be removed."""
    added: set[tuple[int, int]] = field(default_factory=set)

    @property
    def left(self) -> int:
        """The number of units not yet served."""
        return sum(map(abs, self.out_need)) + sum(map(abs, self.in_need))

    def serve(self) -> None:
        """Serve as many units as possible, with few edits."""
        self.add_arcs()
        if self.delete:
            self.remove_arcs()
            self.move_ends(self.out, self.out_need, forward=True)
            self.move_ends(self.into, self.in_need, forward=False)
            self.remove_with_detour()
        while self.serve_by_path():
            pass

    def link(self, a: int, b: int) -> None:
        """Add an arc."""
        self.out[a].add(b)
        self.into[b].add(a)
        self.added.add((a, b))

    def unlink(self, a: int, b: int) -> None:
        """Remove an arc."""
        self.out[a].discard(b)
        self.into[b].discard(a)
        self.added.discard((a, b))

    def list_needy(self, need: list[int], sign: int) -> list[int]:
        """Return the vertices that need edits of one sign, largest need first."""
        return sorted((v for v in self.order if sign * need[v] > 0), key=lambda v: -sign * need[v])

    def add_arcs(self) -> None:
        """Add arcs between vertices that lack out-arcs and vertices that lack in-arcs, the largest needs first."""
        takers = self.list_needy(self.in_need, 1)
        for a in self.list_needy(self.out_need, 1):
            takers.sort(key=lambda b: -self.in_need[b])
            free = [b for b in takers if self.in_need[b] > 0 and b != a and b not in self.out[a]]
            for b in free[: self.out_need[a]]:
                self.link(a, b)
                self.in_need[b] -= 1
                self.out_need[a] -= 1

    def remove_arcs(self) -> None:
        """Remove as many arcs as possible from vertices with too many out-arcs to those with too many in-arcs.

        That is a maximum flow: each vertex gives or takes at most what it has too many, and each arc at most 1.
        """
        givers, takers = self.list_needy(self.out_need, -1), self.list_needy(self.in_need, -1)
        place = {b: 1 + len(givers) + j for j, b in enumerate(takers)}
        sink = 1 + len(givers) + len(takers)
        arcs = [(0, 1 + i, -self.out_need[a]) for i, a in enumerate(givers)]
        arcs += [(1 + i, place[b], 1) for i, a in enumerate(givers) for b in sorted(self.out[a] & place.keys())]
        arcs += [(place[b], sink, -self.in_need[b]) for b in takers]
        tails, heads, room = np.array(arcs, dtype=np.int32).reshape(-1, 3).T
        flow = maximum_flow(csr_array((room, (tails, heads)), shape=(sink + 1, sink + 1)), 0, sink).flow
        for i, j in zip(*(ends.tolist() for ends in (flow > 0).nonzero()), strict=True):
            if 0 < i <= len(givers) and j < sink:
                a, b = givers[i - 1], takers[j - 1 - len(givers)]
                self.unlink(a, b)
                self.in_need[b] += 1
                self.out_need[a] += 1

    def move_ends(self, rows: list[set[int]], need: list[int], *, forward: bool) -> None:
        """Move ends of arcs from vertices with too many to vertices with too few; the other ends stay."""
        takers = deque(self.list_needy(need, 1))
        for c in self.list_needy(need, -1):
            for _ in range(len(takers)):
                if not need[c]:
                    break
                a = takers[0]
                free = sorted(rows[c] - rows[a] - {a})[: min(need[a], -need[c])]
                for y in free:
                    pair, fresh = ((c, y), (a, y)) if forward else ((y, c), (y, a))
                    self.unlink(*pair)
                    self.link(*fresh)
                need[a] -= len(free)
                need[c] += len(free)
                if need[a]:
                    takers.rotate(-1)
                else:
                    takers.popleft()

    def remove_with_detour(self) -> None:
        """Remove an out-arc of c and an in-arc of x where c and x are not linked, and link their other ends."""
        extra = deque(self.list_needy(self.in_need, -1))
        for c in self.list_needy(self.out_need, -1):
            for _ in range(len(extra)):
                x = extra[0]
                for z in sorted(self.into[x]):
                    if not self.out_need[c] or not self.in_need[x]:
                        break
                    free = self.out[c] - self.out[z] - {z}
                    if free:
                        y = min(free)
                        self.unlink(c, y)
                        self.link(z, y)
                        self.unlink(z, x)
                        self.out_need[c] += 1
                        self.in_need[x] += 1
                if self.in_need[x]:
                    extra.rotate(-1)
                else:
                    extra.popleft()
                if not self.out_need[c]:
                    break

    def serve_by_path(self) -> bool:
        """Serve two units by a shortest path of edits that alternately adds and removes arcs; return whether one was.

        It starts where an out-arc is lacking or an in-arc is too many, and ends where it is the other way round.
        """
        n = len(self.out)
        starts = [v for v in self.order if self.out_need[v] > 0] + [n + v for v in self.order if self.in_need[v] < 0]
        before = dict.fromkeys(starts, -1)
        queue, unseen = deque(starts), set(range(n)) - {x - n for x in starts if x >= n}
        while queue:
            x = queue.popleft()
            if x < n:
                near = sorted(unseen - self.out[x] - {x})
                unseen.difference_update(near)
                steps = [n + b for b in near]
            else:
                b = x - n
                steps = sorted(a for a in self.into[b] if a not in before and (self.delete or (a, b) in self.added))
            for y in steps:
                before[y] = x
                if (y < n and self.out_need[y] < 0) or (y >= n and self.in_need[y - n] > 0):
                    self._follow(y, before)
                    return True
            queue.extend(steps)
        return False

    def force(self, pool: list[int]) -> None:
        """Link the vertices that still lack arcs to the first vertices of a pool, whatever these need.

        All take the first ones, so that many vertices of the pool change alike.
        """
        for rows, need, forward in ((self.out, self.out_need, True), (self.into, self.in_need, False)):
            for a in self.list_needy(need, 1):
                free = (b for b in pool if b != a and b not in rows[a])
                for b in list(islice(free, need[a])):
                    self.link(*((a, b) if forward else (b, a)))

    def _follow(self, end: int, before: dict[int, int]) -> None:
        """Make the edits of a path, and serve the units at its ends."""
        n, x = len(self.out), end
        if end < n:
            self.out_need[end] += 1
        else:
            self.in_need[end - n] -= 1
        while before[x] >= 0:
            y, x = x, before[x]
            if x < n:
                self.link(x, y - n)
            else:
                self.unlink(y, x - n)
        if x < n:
            self.out_need[x] -= 1
        else:
            self.in_need[x - n] += 1


def serve_directed_layer(
    n: int, a: Ints, b: Ints, need: Ints, order: Ints, pool: Ints, *, delete: bool
) -> tuple[Ints, Ints, int]:
    """Return the arcs of a layer after edits towards its targets, and the number of units that were left.

    `need` has two columns: how many more arcs must leave and enter each vertex. Units that no path serves are forced.
    """
    out: list[set[int]] = [set() for _ in range(n)]
    into: list[set[int]] = [set() for _ in range(n)]
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        out[x].add(y)
        into[y].add(x)
    edits = ArcEdits(out, into, need[:, 0].tolist(), need[:, 1].tolist(), order.tolist(), delete)
    edits.serve()
    left = edits.left
    if left:
        edits.force(pool.tolist())
    sources = np.repeat(np.arange(n), [len(row) for row in out])
    targets = np.array([y for row in out for y in row], dtype=np.int64)
    return sources, targets, left


def serve_undirected_layer(
    n: int, a: Ints, b: Ints, aim: Ints, rng: np.random.Generator, *, delete: bool
) -> tuple[Ints, Ints, int]:
    """Return the links of a layer without direction after edits towards its targets, and the units that are left."""
    layer = Graph.from_pairs(range(n), a, b)
    edits = DegreeEdits(layer, 1, rng, near=False)
    edits.aim_at(aim)
    for sign in (1, -1) if delete else (1,):
        edits.pair(sign)
    if delete:
        edits.switch()
        for sign in (1, -1):
            edits.pair(sign)
    made = edits.make_graph(layer)
    if edits.left and delete:
        rows, need = [set(made.neighbors(v).tolist()) for v in range(n)], edits.need.tolist()
        serve_with_detour(rows, need)
        left = sum(map(abs, need))
        _force_links(rows, need)
        ends = [(x, y) for x, row in enumerate(rows) for y in sorted(row) if x < y]
        sources, targets = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        return sources, targets, left
    left = edits.left
    if left:
        edits.force()
        made = edits.make_graph(layer)
    sources, targets, _ = made.edges()
    return sources.astype(np.int64), targets.astype(np.int64), left


def serve_with_detour(rows: list[set[int]], need: list[int]) -> None:
    """Serve two units per three edits in a layer without direction, where no pair is left: u-x, v-y and x-y change.

    >>> rows, need = [{2}, {3}, {0}, {1}], [-1, -1, 0, 0]
    >>> serve_with_detour(rows, need)
    >>> rows, need
    ([set(), set(), {3}, {2}], [0, 0, 0, 0])
    """
    for sign in (1, -1):
        needy = [v for v, lacks in enumerate(need) if sign * lacks > 0]
        for i, u in enumerate(needy):
            for v in needy[i:]:
                while sign * need[u] > (u == v) and sign * need[v] > 0:
                    found = _find_detour(rows, u, v, sign)
                    if found is None:
                        break
                    x, y = found
                    for a, b in ((u, x), (v, y), (x, y)):
                        rows[a] ^= {b}
                        rows[b] ^= {a}
                    need[u] -= sign
                    need[v] -= sign


def _force_links(rows: list[set[int]], need: list[int]) -> None:
    """Serve the remaining units with any partners: those with the fewest links."""
    for v in [v for v, lacks in enumerate(need) if lacks]:
        free = rows[v] if need[v] < 0 else set(range(len(rows))) - rows[v] - {v}
        for w in sorted(free, key=lambda w: (len(rows[w]), w))[: abs(need[v])]:
            rows[v] ^= {w}
            rows[w] ^= {v}


def _find_detour(rows: list[set[int]], u: int, v: int, sign: int) -> tuple[int, int] | None:
    """Return x and y so that u-x and v-y can change in one way and x-y in the other; None if there are none."""
    ends = {u, v}
    for x in sorted(rows[u] - ends) if sign < 0 else sorted(set(range(len(rows))) - rows[u] - ends):
        free = rows[v] - rows[x] - ends - {x} if sign < 0 else rows[x] - rows[v] - ends
        if free:
            return x, min(free)
    return None


def match_vectors(graph: Graph, k: int, *, delete: bool, seed: int) -> Graph:
    """Return a graph with ties in which each degree vector occurs at least k times.

    If a layer cannot be matched after some rounds, it loses all its links, or with additions only gets all links: then
    all of its numbers are equal.
    """
    rng, now = make_generator(seed), graph
    for rounds in range(ROUNDS):
        track("matching degrees, round", rounds, 0)
        targets = VectorTargets.find(list_vectors(now), list_columns(now), k, delete=delete)
        now, left = _realize_layers(now, targets.moved, rng, delete=delete)
        if not left:
            return now
    if not delete and now.n > FILLED:
        raise CannotPromise(
            f"MatchDegrees: no k-anonymous degree vectors were found by adding links in {ROUNDS} rounds. Use "
            "edits='add-delete'."
        )
    keys, unmatched = number_links(now), [i for i, layer in enumerate(list_layers(now)) if layer in left]
    kept = keys[~np.isin(split_numbers(now.n, keys)[0], unmatched)]
    return replace_links(now, kept if delete else np.concatenate([kept, *(_fill_layer(now, i) for i in unmatched)]))


def _realize_layers(
    graph: Graph, moved: Ints, rng: np.random.Generator, *, delete: bool
) -> tuple[Graph, list[Relation]]:
    """Return the graph after edits towards the targets, and the layers in which some units are left."""
    keys, n = number_links(graph), graph.n
    bounds = np.concatenate([[0], np.cumsum(count_links_by_layer(graph, keys))])
    _, a, b = split_numbers(n, keys)
    vectors, made = list_vectors(graph), [np.empty(0, dtype=np.int64)]
    unmatched: list[Relation] = []
    pool = _order_by_class(moved)
    for i, columns in enumerate(list_columns(graph)):
        ends = a[bounds[i] : bounds[i + 1]], b[bounds[i] : bounds[i + 1]]
        if len(columns) == 2:
            need = (moved - vectors)[:, list(columns)]
            x, y, left = serve_directed_layer(n, *ends, need, rng.permutation(n), pool, delete=delete)
        else:
            x, y, left = serve_undirected_layer(n, *ends, moved[:, columns[0]].copy(), rng, delete=delete)
        made.append((np.int64(i) * n + x) * n + y)
        unmatched += [list_layers(graph)[i]] if left else []
    return replace_links(graph, np.sort(np.concatenate(made))), unmatched


def _order_by_class(moved: Ints) -> Ints:
    """Return the vertices class by class, the largest class first."""
    _, which, often = np.unique(moved, axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    return np.lexsort((which, -often[which]))


def _fill_layer(graph: Graph, layer: int) -> Ints:
    """Return all possible links of a layer as numbers."""
    directed = list_layers(graph)[layer].direction == "out"
    a, b = np.nonzero(~np.eye(graph.n, dtype=np.bool_)) if directed else np.triu_indices(graph.n, 1)
    return (np.int64(layer) * graph.n + a) * graph.n + b
