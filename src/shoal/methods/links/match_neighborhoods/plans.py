"""Plans: sets of links that make the neighborhood of a vertex isomorphic to k-1 others (after Zhou & Pei 2008).

There are four kinds:

* components: add whole components of far vertices, so that the vertex joins an existing class, or so that k vertices
  get all the components that any of them has;
* shapes: bring the vertex to the shape of an existing class, by the assignment with the fewest missing links;
* groups: find the k-1 vertices that are cheapest to pair with it, and give all the same shape (Zhou & Pei);
* twins: give k vertices with many common neighbors all the neighbors that any of them has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.methods.links.match_neighborhoods.groups import (
    NEVER,
    SWEEPS,
    LinkTaste,
    NeighborhoodGroup,
    Outsiders,
    TooDear,
)
from shoal.methods.links.match_neighborhoods.shapes import Pair, Shapes, Undo
from shoal.progress import track

POOL = 30
"""The number of candidates that are paired with a vertex; fewer if neighborhoods are large."""
NEAREST = 80
"""The number of classes that are compared component by component: those with similar degrees."""
LARGE = 16
"""Larger neighborhoods are paired greedily while candidates are compared."""
HARM = 2.0
"""The cost, in links, of a vertex that falls below k."""


class Plans:
    """Proposes links for one vertex at a time."""

    def __init__(self, outsiders: Outsiders, taste: LinkTaste, seed: int) -> None:
        self.outsiders, self.taste = outsiders, taste
        self.shapes: Shapes = outsiders.shapes
        self.draw = np.random.default_rng([seed, 2])

    def propose_links(self, v: int, tries: int, most: int) -> Iterator[list[Pair]]:
        """Yield plans of at most `most` links."""
        for pairs in self._propose(v, tries, most):
            if pairs and len(pairs) <= most:
                yield pairs

    def _propose(self, v: int, tries: int, most: int) -> Iterator[list[Pair]]:
        yield from self._plan_twins(v, tries)
        yield from self._plan_components(v, tries)
        yield from self._plan_shapes(v, tries, most)
        yield from self._list_groups(v, tries, most)

    def _measure_harm(self, u: int) -> float:
        """Return the harm if u leaves its class. It is negative if u itself is below k."""
        size, k = self.shapes.size(u), self.shapes.k
        return HARM * (k - 1 if size == k else -1 if size < k else 0)

    def _choose_some(self, order: list[int], many: int, turn: int) -> list[int]:
        """Return the first `many` of a list; on later turns a random choice that prefers early ones."""
        if turn == 0 or len(order) < many:
            return order[:many]
        weights = np.exp(-np.arange(len(order)) / (many * (1 + turn / 4)))
        chosen = self.draw.choice(len(order), many, replace=False, p=weights / weights.sum())
        return [order[i] for i in sorted(chosen.tolist())]

    # ------------------------------------------------------------ components of far vertices

    def _plan_components(self, v: int, tries: int) -> Iterator[list[Pair]]:
        shapes, k = self.shapes, self.shapes.k
        own = Counter(shapes.keys[shapes.shape[v]][1])
        there = self._list_classes(v)
        large = [c for c in there if c[0] >= shapes.degree[v] and len(shapes.members[c[1]]) >= k - 1][:NEAREST]
        forms = ((Counter(shapes.keys[shape][1]), shape) for _, shape in large)
        found = sorted((self._count_components(more - own), shape) for more, shape in forms if not own - more)
        for _, shape in found[:tries]:
            yield self._draw_links([v], Counter(shapes.keys[shape][1]))
        there.sort(key=lambda c: (abs(c[0] - int(shapes.degree[v])), c[1]))
        near = {shape: Counter(shapes.keys[shape][1]) for _, shape in there[:NEAREST]}
        for turn in range(tries):
            group, target = self._gather_group(v, own, near, turn)
            if len(group) >= k:
                yield self._draw_links(group, target)

    def _list_classes(self, v: int) -> list[Pair]:
        """Return the degree and shape of the other classes with the label of v, lowest degree first."""
        shapes = self.shapes
        label, own = shapes.label[v], shapes.shape[v]
        return sorted(
            (int(shapes.degree[next(iter(members))]), shape)
            for shape, members in enumerate(shapes.members)
            if members and shape != own and shapes.keys[shape][0] == label
        )

    def _count_components(self, forms: Counter[int]) -> int:
        return sum(self.shapes.components.sizes[form] * many for form, many in forms.items())

    def _count_missing(self, target: Counter[int], forms: Counter[int], many: int) -> int:
        """Return the links needed if one vertex joins: its own to the target's components, and those of the others."""
        return self._count_components(target - forms) + many * self._count_components(forms - target)

    def _gather_group(
        self, v: int, own: Counter[int], near: dict[int, Counter[int]], turn: int
    ) -> tuple[list[int], Counter[int]]:
        """Return k or more vertices with similar components, and the union of their components."""
        shapes, target = self.shapes, own
        group = sorted(shapes.members[shapes.shape[v]])
        left = {shape: sorted(shapes.members[shape]) for shape in near}
        while len(group) < shapes.k:
            costs = sorted(
                (self._count_missing(target, forms, len(group)) + self._measure_harm(left[shape][0]), shape)
                for shape, forms in near.items()
                if left[shape]
            )
            if not costs:
                break
            shape = costs[min(len(costs) - 1, int(self.draw.exponential(turn)) if turn else 0)][1]
            taken = 1 if len(shapes.members[shape]) > shapes.k else shapes.k - len(group)
            group += left[shape][:taken]
            left[shape] = left[shape][taken:]
            target = target | near[shape]
        return group, target

    def _draw_links(self, group: list[int], target: Counter[int]) -> list[Pair]:
        """Return the links that give all of a group the target's components, or none if a component is unavailable."""
        shapes = self.shapes
        self.outsiders.begin(group)
        pairs: list[Pair] = []
        for m in group:
            lacking = target - Counter(shapes.keys[shapes.shape[m]][1])
            more = self.outsiders.draw_in(m, lacking)
            if more is None:
                return []
            pairs += more
        return pairs

    # ------------------------------------------------------------ the shape of a class, and the shape of a group

    def _list_pool(self, v: int) -> int:
        return max(8, min(POOL, 600 // (1 + int(self.shapes.degree[v]))))

    def _plan_sweeps(self, v: int) -> int:
        return 1 if self.shapes.degree[v] < LARGE else 0

    def _plan_shapes(self, v: int, tries: int, most: int) -> Iterator[list[Pair]]:
        shapes, d, e = self.shapes, self.shapes.degree, self.shapes.inner
        found = []
        for links, shape in self._list_classes(v):
            p = min(shapes.members[shape])
            if len(shapes.members[shape]) >= shapes.k - 1 and links >= d[v] and e[p] >= e[v]:
                found.append((int(d[p] - d[v] + e[p] - e[v]), p))
        near = sorted(found)[: self._list_pool(v) // 2]
        costs = [(NeighborhoodGroup(self.outsiders, p, self.taste, fixed=True).cost(v, SWEEPS), p) for _, p in near]
        for cost, p in sorted(costs)[:tries]:
            if cost < NEVER:
                yield self._plan_closed(p, [v], most, fixed=True)

    def _list_groups(self, v: int, tries: int, most: int) -> Iterator[list[Pair]]:
        shapes = self.shapes
        mates = sorted(shapes.members[shapes.shape[v]] - {v})
        group = NeighborhoodGroup(self.outsiders, v, self.taste)
        costs = [(group.cost(u, self._plan_sweeps(v)) + self._measure_harm(u), u) for u in self._list_candidates(v)]
        order = [u for cost, u in sorted(costs) if cost < NEVER]
        need = shapes.k - 1 - len(mates)
        for turn in range(tries):
            partners = order[turn : turn + 1] if need == 1 else self._choose_some(order, need, turn)
            if len(partners) == need:
                yield self._plan_closed(v, [*mates, *partners], most)

    def _list_candidates(self, v: int) -> list[int]:
        """Return vertices with the label and about the size of v, and those that share most neighbors with v."""
        shapes, pool = self.shapes, self._list_pool(v)
        low = np.abs(shapes.degree - shapes.degree[v]) + np.abs(shapes.inner - shapes.inner[v])
        order = np.argsort(low, kind="stable").tolist()
        alike = (u for u in order if shapes.shape[u] != shapes.shape[v] and shapes.label[u] == shapes.label[v])
        near = [u for u, _ in zip(alike, range(pool), strict=False)]
        close = [u for u in self._list_close(v) if shapes.shape[u] != shapes.shape[v]][: pool // 2]
        return list(dict.fromkeys([*near, *close]))

    def _plan_closed(self, first: int, others: list[int], most: int, *, fixed: bool = False) -> list[Pair]:
        self.outsiders.begin([first, *others])
        group = NeighborhoodGroup(self.outsiders, first, self.taste, fixed=fixed)
        try:
            for p in others:
                group.join(p)
            return group.close(most)
        except TooDear:
            return []

    # ------------------------------------------------------------ twins

    def _list_close(self, v: int) -> list[int]:
        """Return the vertices with v's label that are linked to v or share a neighbor, fewest differences first."""
        shapes = self.shapes
        shared = Counter(w for u in shapes.near[v] for w in (u, *shapes.near[u]))
        del shared[v]
        apart = ((int(shapes.degree[v] + shapes.degree[w]) - 2 * many, w) for w, many in shared.items())
        return [w for _, w in sorted(apart) if shapes.label[w] == shapes.label[v]]

    def _plan_twins(self, v: int, tries: int) -> Iterator[list[Pair]]:
        k = self.shapes.k
        order = self._list_close(v)[: 4 * k + tries]
        for turn in range(tries):
            others = order[turn : turn + 1] if k == 2 else self._choose_some(order, k - 1, turn)
            if len(others) == k - 1:
                yield from self._make_twins([v, *others])

    def _make_twins(self, group: list[int]) -> Iterator[list[Pair]]:
        """Yield the links that make a group twins: without links among them (if there are none yet), and with links."""
        near = self.shapes.near
        union = set().union(*(near[x] for x in group)) - set(group)
        outside = [(a, x) for a in group for x in sorted(union) if x not in near[a]]
        inside = [(a, b) for a, b in combinations(group, 2) if b not in near[a]]
        if 2 * len(inside) == len(group) * (len(group) - 1):
            yield outside
        yield inside + outside


# Rounds: repair the neighborhoods of vertices below k, largest first, by the best plan.
#
# A plan is applied, and the shapes of all affected vertices are updated. It is kept only if fewer vertices are below k
# than before, with a limited number of links for each. So no round breaks more than it repairs, and rounds end.


@dataclass(frozen=True)
class Worth:
    """The links of a plan and their score; a lower score is better."""

    score: float
    pairs: list[Pair]
    repaired: int
    """By how much the number of vertices below k falls."""


class Rounds:
    """A graph under repair, and a log of its changes for undo."""

    def __init__(self, shapes: Shapes, taste: LinkTaste, seed: int) -> None:
        self.shapes, self.taste = shapes, taste
        self.outsiders = Outsiders(shapes)
        self.plans = Plans(self.outsiders, taste, seed)
        self.log: list[tuple[list[Pair], Undo]] = []
        self.began = shapes.below

    @property
    def added(self) -> list[Pair]:
        """All added links, in order."""
        return [pair for pairs, _ in self.log for pair in pairs]

    def apply(self, pairs: list[Pair]) -> None:
        """Add links, and update the shapes of all affected vertices."""
        fresh = self.shapes.link(pairs)
        self.log.append((fresh, self.shapes.look(self.shapes.find_seers(fresh))))

    def revert(self, length: int) -> None:
        """Undo all changes after the first `length` log entries."""
        while len(self.log) > length:
            pairs, undo = self.log.pop()
            self.shapes.unlink(pairs)
            self.shapes.forget(undo)

    def repair_all(self, tries: int, dear: int, most: int = 4) -> None:
        """Repair all vertices below k, largest neighborhoods first, until a pass repairs none."""
        shapes = self.shapes
        for _ in range(most):
            before = shapes.below
            self.outsiders.renew()
            for v in sorted(shapes.list_short(), key=self.measure_size):
                self.report_progress()
                if shapes.size(v) < shapes.k:
                    self.repair(v, tries, dear)
            if shapes.below in (0, before):
                return

    def measure_size(self, v: int) -> tuple[int, int, int]:
        """Return a sort key: largest neighborhood first."""
        return -int(self.shapes.degree[v]), -int(self.shapes.inner[v]), v

    def report_progress(self) -> None:
        """Report the progress."""
        below, total = self.shapes.below, max(self.began, self.shapes.below)
        track(f"matching neighborhoods, {below:,} below k", total - below, total)

    def repair(self, v: int, tries: int, dear: int) -> bool:
        """Apply the best plan for a vertex, if it repairs more than it breaks. Return whether it was applied."""
        best: Worth | None = None
        for pairs in self.plans.propose_links(v, tries, dear * self.shapes.k):
            found = self.measure_worth(pairs)
            fair = found.repaired > 0 and len(pairs) <= dear * found.repaired
            if fair and (best is None or found.score < best.score):
                best = found
        if best is not None:
            self.apply(best.pairs)
        return best is not None

    def measure_worth(self, pairs: list[Pair]) -> Worth:
        """Return the worth of some links, without keeping them."""
        before, length = self.shapes.below, len(self.log)
        self.apply(pairs)
        repaired = before - self.shapes.below
        self.revert(length)
        return Worth(len(pairs) - HARM * repaired, pairs, repaired)
