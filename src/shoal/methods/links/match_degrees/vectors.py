"""Groups of equal degree vectors, where links have directions or kinds.

The degree of a vertex is then a vector: for each relation the number of its links. A group of k or more vertices moves
to one vector, its target. There is no exact dynamic program for vectors. The groups come from a heuristic: the vertex
with the most links takes its nearest vertices (in L1), and so on; then vertices move and change places between groups
as long as the sum of the changes decreases.

Targets of a layer must be possible: out- and in-numbers have the same sum, and numbers without direction have an even
sum. Until they have, whole groups move by one, or single vertices change their group, at the least cost.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from shoal.core.grouping import number_by_first_appearance
from shoal.core.layers import find_directed_layers, list_layers
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.methods.links.match_degrees.groups import find_optimal_groups, sort_degrees

BLOCK = 4096
"""The largest number of vertices among which the nearest ones are searched for a new group."""
PASSES = 30
"""The largest number of passes over all vertices that improve the groups."""
NEAREST = 12
"""The number of nearest groups that a vertex may move to."""
STEP = 1000
"""The price of a change of 1 in the search for possible sums. A step by itself costs 1, so that few are taken."""
FEW = 64
"""An excess up to this, or 4k, is removed by the cheapest steps; a larger one first by many steps at once."""
TRIES = 60
"""The number of times that targets are moved to a possible sum, before only whole groups move."""


def list_vectors(graph: Graph) -> Ints:
    """Return the degree vectors of a graph with ties, one row per vertex and one column per relation.

    >>> list_vectors(Graph.from_pairs("abc", [0, 0], [1, 2], directed=True)).tolist()
    [[2, 0], [0, 1], [0, 1]]
    """
    from scipy.sparse import csr_array

    assert graph.ties is not None
    indptr, relation, counts = graph.degree_vectors
    dense: Ints = csr_array((counts, relation, indptr), shape=(graph.n, len(graph.ties.relations))).toarray()
    return dense.astype(np.int64)


def list_columns(graph: Graph) -> list[tuple[int, ...]]:
    """Return for each layer its columns in the vectors: out and in, or one.

    >>> list_columns(Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False]))
    [(0,), (1, 2)]
    """
    assert graph.ties is not None
    at = {relation: i for i, relation in enumerate(graph.ties.relations)}
    directed = find_directed_layers(graph).tolist()
    return [
        (at[layer], at[layer.reverse]) if arrows else (at[layer],)
        for layer, arrows in zip(list_layers(graph), directed, strict=True)
    ]


def count_rarest_vector(vectors: Ints) -> int:
    """Return the number of vertices with the rarest vector."""
    return int(np.unique(vectors, axis=0, return_counts=True)[1].min())


def bound_vector_edits(graph: Graph, k: int, *, delete: bool) -> int:
    """Return a lower bound on the edits of any graph in which each degree vector occurs at least k times.

    It is the larger of two bounds.

    By relation: the sum, over the layers, of the largest one-dimensional optimum of its relations: the least sum of
    changes after which each number of that relation occurs at least k times, as the dynamic program finds it. For links
    without direction it is half of that, rounded up.

    Proof. If each vector occurs k times, each number of one relation does, so its numbers change in sum by the optimum
    or more. An arc that is added or removed changes one out-number and one in-number of its layer by 1, and no number
    of another layer. So a directed layer takes as many edits as the changes of its out-numbers, and as those of its
    in-numbers. A link without direction changes two numbers by 1. Edits of different layers are different edits.

    By nearest vectors: a quarter of the sum, over the vertices, of the mean distance (in L1) to the k - 1 nearest ones.

    Proof. Let g >= k vertices move to one vector c. For two of them, |u - c| + |v - c| >= |u - v|. Summed over all
    pairs, each vertex occurs g - 1 times, so the changes of the group are at least the sum of all |u - v| over its
    pairs, divided by g - 1: half the sum, over its members, of the mean distance to the g - 1 others. That mean is at
    least the mean over the g - 1 nearest vertices, and so over the k - 1 nearest. An edit changes two numbers by 1.

    >>> star = Graph.from_pairs(range(6), [0] * 5, range(1, 6), directed=True)
    >>> bound_vector_edits(star, 2, delete=True), bound_vector_edits(star, 2, delete=False)
    (5, 5)
    """
    vectors = list_vectors(graph)
    total = 0
    for columns in list_columns(graph):
        least = max(find_optimal_groups(sort_degrees(vectors[:, c]), k, down=delete).cost for c in columns)
        total += least if len(columns) == 2 else -(-least // 2)
    return max(total, _bound_by_nearest(vectors, k))


def _bound_by_nearest(vectors: Ints, k: int) -> int:
    """Return the bound by the nearest vectors."""
    from scipy.spatial import KDTree

    if k == 1:
        return 0
    far = KDTree(vectors).query(vectors, k=np.arange(1, k + 1), p=1)[0]  # a vertex is its own nearest one
    return -(-int(far.sum()) // (4 * (k - 1)))


def sum_changes(original: Graph, graph: Graph) -> int:
    """Return the sum of the changes of all numbers of links, over vertices and relations."""
    vectors = list_vectors(original.beside(graph))
    return int(np.abs(vectors[: original.n] - vectors[original.n :]).sum())


# Groups.


def group_vectors(vectors: Ints, k: int, *, delete: bool) -> Ints:
    """Return the group of each vertex. Each group has k or more members."""
    _, which, often = np.unique(vectors, axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    codes = np.where(often[which] >= k, which, -1)
    rare, first = np.flatnonzero(codes < 0), len(often)
    order = rare[np.argsort(-vectors[rare].sum(axis=1), kind="stable")]
    for block in _split_blocks(vectors, order, k):
        first = _take_nearest(vectors, block, k, codes, first)
    return _improve_groups(vectors, number_by_first_appearance(codes), k, delete=delete)


def _split_blocks(vectors: Ints, order: Ints, k: int) -> list[Ints]:
    """Split many vertices at medians into blocks, each sorted as `order` is; no block is smaller than k if one exists.

    A block is split in the column with the widest range.
    """
    most = max(BLOCK, 4 * k)
    if len(order) <= most:
        return [order]
    rows = vectors[order]
    column = rows[:, int(np.argmax(rows.max(axis=0) - rows.min(axis=0)))]
    upper = np.zeros(len(order), dtype=np.bool_)
    upper[np.argsort(-column, kind="stable")[: len(order) // 2]] = True
    return [*_split_blocks(vectors, order[upper], k), *_split_blocks(vectors, order[~upper], k)]


def _take_nearest(vectors: Ints, block: Ints, k: int, codes: Ints, first: int) -> int:
    """Form groups: the first vertex of the block takes its k - 1 nearest ones, until fewer than 2k are left.

    The last group may be smaller than k; later steps dissolve it. Return the next free number of a group.
    """
    left = block
    while len(left) >= 2 * k:
        far = np.abs(vectors[left] - vectors[left[0]]).sum(axis=1)
        far[0] = -1
        taken = np.argpartition(far, k - 1)[:k]
        codes[left[taken]] = first
        left, first = np.delete(left, taken), first + 1
    codes[left] = first
    return first + 1


@dataclass
class _Grouping:
    """Groups with their centers: medians, or the largest numbers if links may only be added."""

    vectors: Ints
    codes: Ints
    k: int
    delete: bool
    sizes: Ints = field(init=False)
    centers: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.update()

    def update(self) -> None:
        """Drop empty groups and find the centers."""
        self.codes = number_by_first_appearance(self.codes)
        self.sizes = np.bincount(self.codes)
        order = np.argsort(self.codes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        self.centers = np.empty((len(self.sizes), self.vectors.shape[1]), dtype=np.int64)
        for c in range(self.vectors.shape[1]):
            sorted_ = np.lexsort((self.vectors[:, c], self.codes))
            at = starts + ((self.sizes - 1) // 2 if self.delete else self.sizes - 1)
            self.centers[:, c] = self.vectors[sorted_[at], c]
        self.members = np.split(order, starts[1:])

    def measure(self, v: Ints, group: Ints) -> Ints:
        """Return the cost of each vertex in a group with its present center; more than any if it cannot join."""
        change = self.centers[group] - self.vectors[v]
        cost: Ints = np.abs(change).sum(axis=-1)
        return cost if self.delete else np.where((change < 0).any(axis=-1), np.iinfo(np.int64).max // 4, cost)

    @property
    def cost(self) -> int:
        """The sum of all changes."""
        return int(self.measure(np.arange(len(self.codes)), self.codes).sum())

    def list_nearest(self) -> Ints:
        """Return the nearest groups of each vertex, one row per vertex."""
        from scipy.spatial import KDTree

        tree = KDTree(self.centers)
        near: Ints = tree.query(self.vectors, k=np.arange(1, min(NEAREST, len(self.sizes)) + 1), p=1)[1]
        return near.astype(np.int64)


def _improve_groups(vectors: Ints, codes: Ints, k: int, *, delete: bool) -> Ints:
    """Move vertices, exchange them and dissolve groups as long as the cost decreases."""
    found = _Grouping(vectors, codes, k, delete)
    _dissolve_small(found)
    best, kept = found.cost, found.codes.copy()
    for _ in range(PASSES):
        near = found.list_nearest()
        _dissolve_costly(found, near)
        _move_members(found, found.list_nearest())
        found.update()
        if found.cost >= best:
            break
        best, kept = found.cost, found.codes.copy()
    return kept


def _dissolve_small(found: _Grouping) -> None:
    """Move the members of groups with fewer than k members to the nearest group that is large enough."""
    from scipy.spatial import KDTree

    while len(found.sizes) > 1 and found.sizes.min() < found.k:
        small = found.sizes < found.k
        large = np.flatnonzero(~small)
        if not len(large):
            found.codes = np.zeros_like(found.codes)
        else:
            some = np.flatnonzero(small[found.codes])
            found.codes[some] = large[KDTree(found.centers[large]).query(found.vectors[some], p=1)[1]]
        found.update()


def _dissolve_costly(found: _Grouping, near: Ints) -> None:
    """Dissolve groups whose members cost less in other groups, one after the other."""
    everyone = np.arange(len(found.codes))
    costs = found.measure(everyone[:, None], near)
    costs[near == found.codes[:, None]] = np.iinfo(np.int64).max // 4
    at = np.argmin(costs, axis=1)
    other, cost = near[everyone, at], np.minimum(costs[everyone, at], np.iinfo(np.int32).max)
    own = found.measure(everyone, found.codes)
    gain = np.bincount(found.codes, weights=own - cost)
    fixed: set[int] = set()
    for g in np.argsort(-gain, kind="stable")[: int(np.count_nonzero(gain > 0))].tolist():
        members = found.members[g]
        if g not in fixed and not fixed & set(other[members].tolist()):
            found.codes[members] = other[members]
            fixed |= {g}
    # a group that was dissolved must not receive members of another one
    if fixed & set(np.unique(found.codes).tolist()):
        found.update()
        _dissolve_small(found)
    else:
        found.update()


def _move_members(found: _Grouping, near: Ints) -> None:
    """Move each vertex to its cheapest group, or exchange it with a member there if its own group has only k."""
    everyone = np.arange(len(found.codes))
    costs = found.measure(everyone[:, None], near)
    own = found.measure(everyone, found.codes)
    gain = own - costs.min(axis=1)
    target = near[everyone, np.argmin(costs, axis=1)]
    sizes, members = found.sizes.copy(), [set(some.tolist()) for some in found.members]
    for v in np.argsort(-gain, kind="stable")[: int(np.count_nonzero(gain > 0))].tolist():
        g, h = int(found.codes[v]), int(target[v])
        if g == h:
            continue
        if sizes[g] <= found.k:
            there = np.array(sorted(members[h]))
            more = found.measure(there, np.full(len(there), g)) - found.measure(there, np.full(len(there), h))
            w = int(there[np.argmin(more)])
            if more.min() >= gain[v]:
                continue
            found.codes[w] = g
            members[h].discard(w)
            members[g].add(w)
        else:
            sizes[g] -= 1
            sizes[h] += 1
        found.codes[v] = h
        members[g].discard(v)
        members[h].add(v)


# Targets.


@dataclass
class VectorTargets:
    """The group of each vertex, and the vector that each group moves to."""

    vectors: Ints
    codes: Ints
    aims: Ints
    k: int
    delete: bool

    @classmethod
    def find(cls, vectors: Ints, columns: list[tuple[int, ...]], k: int, *, delete: bool) -> VectorTargets:
        """Return targets whose sums are possible."""
        codes = group_vectors(vectors, k, delete=delete)
        grouping = _Grouping(vectors, codes, k, delete)
        found = cls(vectors, grouping.codes, grouping.centers, k, delete)
        for layer in range(len(columns)):
            found._balance(columns, layer)
        return found

    @property
    def moved(self) -> Ints:
        """The target of each vertex."""
        return self.aims[self.codes]

    def measure_excess(self, columns: tuple[int, ...]) -> int:
        """Return how far the sums of a layer are from possible: 0 if they are possible."""
        sums = self.moved[:, list(columns)].sum(axis=0)
        return int(sums[0] - sums[1]) if len(columns) == 2 else int(sums[0] % 2)

    def _balance(self, columns: list[tuple[int, ...]], layer: int) -> None:
        """Move targets, or single vertices to other groups, until the sums of a layer are possible.

        If targets are at their limits, the sums stay as they are, and realization leaves some units.
        """
        tries = 0
        while excess := self.measure_excess(columns[layer]):
            if (
                len(columns[layer]) == 2
                and abs(excess) > max(FEW, 4 * self.k)
                and self._move_many(columns[layer], excess)
            ):
                continue
            steps = {change: some[0] for change, some in self._list_group_steps(columns[layer]).items()}
            if tries < TRIES:
                for change, step in self._list_vertex_steps(columns, layer).items():
                    if change not in steps or step[0] < steps[change][0]:
                        steps[change] = step
            prices, small = {change: step[0] for change, step in steps.items()}, max(2 * self.k, 2 * abs(excess))
            few = {change: price for change, price in prices.items() if abs(change) <= small}
            path = find_cheapest_path(excess, few, len(columns[layer]))
            path = find_cheapest_path(excess, prices, len(columns[layer])) if path is None else path
            if path is None or tries > 2 * TRIES:
                return
            self._take_steps([steps[change] for change in path])
            tries += 1

    def _take_steps(self, steps: list[tuple[int, int, int, int]]) -> None:
        """Take steps until one is repeated that can be taken only once."""
        once: set[tuple[int, int, int, int]] = set()
        for step in steps:
            _, v, at, sign = step
            if step in once:
                return
            if v >= 0:
                self.codes[v] = at
                once |= {one for one in steps if one[1] >= 0}
            else:
                group, column = divmod(at, self.aims.shape[1])
                if not 0 <= self.aims[group, column] + sign < len(self.codes):
                    return
                self.aims[group, column] += sign

    def _move_many(self, columns: tuple[int, ...], excess: int) -> bool:
        """Move many groups by one, those with the lowest cost per unit first; return whether any was moved."""
        steps = [(change, step) for change, some in self._list_group_steps(columns).items() for step in some]
        towards = [(step[0] / abs(change), change, step) for change, step in steps if change * excess < 0]
        left, moved = abs(excess), False
        for _, change, (_, _, at, sign) in sorted(towards):
            if abs(change) <= left:
                self.aims[divmod(at, self.aims.shape[1])] += sign
                left -= abs(change)
                moved = True
        return moved

    def _list_group_steps(self, columns: tuple[int, ...]) -> dict[int, list[tuple[int, int, int, int]]]:
        """Return for each change of the excess the steps of whole groups, cheapest first: (cost, -1, place, sign)."""
        found: dict[int, list[tuple[int, int, int, int]]] = {}
        sizes, many = np.bincount(self.codes, minlength=len(self.aims)), self.aims.shape[1]
        for i, c in enumerate(columns):
            aim, now = self.aims[:, c], self.vectors[:, c]
            for sign in (1, -1) if self.delete else (1,):
                gone = (now <= aim[self.codes]) if sign == 1 else (now >= aim[self.codes])
                cost = 2 * np.bincount(self.codes, weights=gone, minlength=len(aim)).astype(np.int64) - sizes
                free = np.flatnonzero((aim + sign >= 0) & (aim + sign < len(self.codes)) & (sizes > 0))
                for g in free[np.argsort(cost[free], kind="stable")].tolist():
                    change = int(sizes[g]) * sign * (-1 if i else 1)
                    found.setdefault(change, []).append((int(cost[g]), -1, g * many + c, sign))
        for some in found.values():
            some.sort()
        return found

    def _list_vertex_steps(self, columns: list[tuple[int, ...]], layer: int) -> dict[int, tuple[int, int, int, int]]:
        """Return for each small change of the excess the cheapest move of one vertex: (cost, vertex, group, 0).

        The sums of other layers do not change.
        """
        from scipy.spatial import KDTree

        sizes = np.bincount(self.codes, minlength=len(self.aims))
        some = np.flatnonzero(sizes[self.codes] > self.k)
        used = np.flatnonzero(sizes)
        if not len(some):
            return {}
        tree = KDTree(self.aims[used])
        near = used[tree.query(self.vectors[some], k=np.arange(1, min(NEAREST, len(used)) + 1), p=1)[1]]
        change = self.aims[near] - self.vectors[some][:, None, :]
        cost = (
            np.abs(change).sum(axis=2) - np.abs(self.aims[self.codes[some]] - self.vectors[some]).sum(axis=1)[:, None]
        )
        fits: Bools = near != self.codes[some][:, None]
        if not self.delete:
            fits &= (change >= 0).all(axis=2)
        shift = self.aims[near] - self.aims[self.codes[some]][:, None, :]
        for other, its in enumerate(columns):
            if other != layer:
                fits &= _measure_shift(shift, its) == 0
        moves = _measure_shift(shift, columns[layer])
        found: dict[int, tuple[int, int, int, int]] = {}
        rows, places = np.nonzero(fits & (moves != 0))
        for i in np.argsort(cost[rows, places], kind="stable").tolist():
            v, j = rows[i], places[i]
            found.setdefault(int(moves[v, j]), (int(cost[v, j]), int(some[v]), int(near[v, j]), 0))
        return found


def _measure_shift(shift: Ints, columns: tuple[int, ...]) -> Ints:
    """Return how the excess of a layer changes with these changes of targets."""
    moved: Ints = shift[..., columns[0]]
    return moved - shift[..., columns[1]] if len(columns) == 2 else moved % 2


def find_cheapest_path(excess: int, steps: dict[int, int], columns: int) -> list[int] | None:
    """Return changes with the sum -excess and the least cost, as few as possible (Dijkstra); None if there are none.

    With one column, the sum must only be odd.

    >>> find_cheapest_path(1, {6: 3, -5: 2, 2: 1, -3: 1}, 2), find_cheapest_path(1, {5: 1, 2: 0}, 1)
    ([-3, 2], [5])
    """
    if columns == 1:
        odd = [change for change in steps if change % 2]
        return [min(odd, key=lambda change: steps[change])] if odd else None
    widest = abs(excess) + 2 * max(map(abs, steps), default=0)
    best, before, heap = {excess: 0}, {excess: 0}, [(0, excess)]
    while heap:
        cost, at = heapq.heappop(heap)
        if at == 0:
            break
        if cost > best[at]:
            continue
        for change, price in steps.items():
            there, total = at + change, cost + STEP * max(price, 0) + 1
            if abs(there) <= widest and total < best.get(there, total + 1):
                best[there], before[there] = total, change
                heapq.heappush(heap, (total, there))
    if 0 not in best:
        return None
    path, at = [], 0
    while at != excess:
        path.append(before[at])
        at -= before[at]
    return path[::-1]
