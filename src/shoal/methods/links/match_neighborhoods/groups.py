"""Groups of vertices whose neighborhoods become isomorphic to a common shape (Zhou & Pei 2008).

The neighbors of the first member are the slots of the shape. When a vertex joins, each of its neighbors is assigned to
a slot or gets a new one. A vertex in several neighborhoods keeps its slot; the others are paired so that few links are
missing. Then links are added until every member has all slots filled, all links of the shape, and no other neighbors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np

from shoal.data.arrays import Ints
from shoal.methods.links.match_neighborhoods.shapes import Pair, Shapes

# Far vertices that can be added to a neighborhood: connected sets of a wanted form that do little harm.
#
# A set X is far from m if no member is linked to m or to a neighbor of m. If m is linked to all of X, X becomes a
# component of m's neighborhood, and only the neighborhoods of m and of the members of X change. The harm is the number
# of additional vertices below k.

LOOKED_AT = 1000
"""The number of sets of one form that are checked, fewest links first."""
FITTING = 100
"""The number of far sets from which the least harmful one is chosen."""


@dataclass(frozen=True)
class Outside:
    """A set, and the shapes of its members before and after it is added to a neighborhood."""

    members: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


class Outsiders:
    """Sets that can be added to a neighborhood, cached by form."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self._found: dict[Pair, list[Outside]] = {}
        self._classes: list[int] = []
        self.renew()
        self.begin(())

    def begin(self, members: Iterable[int]) -> None:
        """Start a new plan: forget the sets taken for the last one. Members of this plan cannot be taken."""
        self.moved: Counter[int] = Counter()
        self.taken = set(members)

    def renew(self) -> None:
        """Clear the cache, after many changes."""
        shapes = self.shapes
        self._found.clear()
        there = [shape for shape, members in enumerate(shapes.members) if members]
        self._classes = sorted(there, key=lambda shape: (self._count_links(shape), shape))

    def take(self, m: int, form: int) -> tuple[int, ...] | None:
        """Return a set of this form to link m to, and mark it as taken. Return None if no set is far enough."""
        found = self._find_single(m, form) if self.shapes.components.sizes[form] == 1 else self._find_several(m, form)
        if found is None:
            return None
        self.taken.update(found.members)
        self.moved.subtract(found.before)
        self.moved.update(found.after)
        return found.members

    def draw_in(self, m: int, forms: Counter[int], *, all_or_none: bool = True) -> list[Pair] | None:
        """Return links of m to far sets of these forms, largest first. If one is missing, return None or the others."""
        sizes, pairs = self.shapes.components.sizes, []
        found = True
        for form in sorted(forms.elements(), key=lambda form: (-sizes[form], form)):
            members = self.take(m, form)
            found = members is not None
            if members is not None:
                pairs += self.shapes.link([(m, x) for x in members])
            elif all_or_none:
                break
        self.shapes.unlink(pairs)
        return pairs if found or not all_or_none else None

    def is_far(self, m: int, members: tuple[int, ...]) -> bool:
        """Return whether a set is far from m, and not taken."""
        near = self.shapes.near
        around = near[m]
        return all(x != m and x not in self.taken and x not in around and near[x].isdisjoint(around) for x in members)

    def measure_harm(self, found: Outside) -> int:
        """Return the number of additional vertices below k if a set is added to a neighborhood."""
        moves = Counter(found.after)
        moves.subtract(found.before)
        total = 0
        for shape, many in moves.items():
            size = len(self.shapes.members[shape]) + self.moved[shape]
            total += self._count_short(size + many) - self._count_short(size)
        return total

    def _count_company(self, found: Outside) -> int:
        """Return the least number of vertices with a shape that the set would get. More is better."""
        return min(len(self.shapes.members[shape]) + self.moved[shape] for shape in found.after)

    def _count_short(self, size: int) -> int:
        return size if size < self.shapes.k else 0

    def _count_links(self, shape: int) -> int:
        return int(self.shapes.degree[next(iter(self.shapes.members[shape]))])

    def _find_single(self, m: int, form: int) -> Outside | None:
        """Return one vertex with the label of the form: least harm first, then fewest links."""
        shapes = self.shapes
        seen = shapes.components.clique([shapes.label[m]])
        best: tuple[tuple[int, int, int], Outside] | None = None
        for shape in self._classes:
            label, parts = shapes.keys[shape]
            if not shapes.members[shape] or shapes.components.clique([label]) != form:
                continue
            after = shapes.number((label, tuple(sorted((*parts, seen)))))
            move = Outside((), (shape,), (after,))
            rank = (
                max(0, self.measure_harm(move)),
                -min(self.shapes.k, self._count_company(move)),
                self._count_links(shape),
            )
            if best is None or rank < best[0]:
                x = next((x for x in islice(sorted(shapes.members[shape]), 200) if self.is_far(m, (x,))), None)
                if x is not None:
                    best = rank, Outside((x,), (shape,), (after,))
            if best is not None and best[0][0] == 0:
                break
        return best and best[1]

    def _find_several(self, m: int, form: int) -> Outside | None:
        best, least, fitting = None, (0, 0), 0
        for found in self._list_sets(form, self.shapes.label[m]):
            if not self.is_far(m, found.members):
                continue
            if tuple(self.shapes.shape[x] for x in found.members) != found.before:
                continue
            rank, fitting = (max(0, self.measure_harm(found)), -self._count_company(found)), fitting + 1
            if best is None or rank < least:
                best, least = found, rank
            if least[0] == 0 or fitting == FITTING:
                break
        return best

    def _list_sets(self, form: int, label: int) -> list[Outside]:
        """Return sets of a form with their shapes next to a center of this label, fewest links first."""
        if (form, label) not in self._found:
            sets = {tuple(sorted(members)) for members in self._find_sets(form)}
            degree = self.shapes.degree
            order = sorted(sets, key=lambda members: (sum(int(degree[x]) for x in members), members))
            self._found[form, label] = [self._look_at_set(members, label) for members in order[:LOOKED_AT]]
        return self._found[form, label]

    def _find_sets(self, form: int) -> chain[tuple[int, ...]]:
        """Return connected sets of a form: sets of two or three from anywhere, larger ones from neighborhoods."""
        shapes, size = self.shapes, self.shapes.components.sizes[form]
        low = sorted(range(shapes.n), key=lambda v: (int(shapes.degree[v]), v))[: 4 * LOOKED_AT]
        small: list[tuple[int, ...]] = []
        if size == 2:
            small = [(v, w) for v in low for w in shapes.near[v]]
        elif size == 3:
            small = [(v, a, b) for v in low if shapes.degree[v] < 12 for a, b in combinations(shapes.near[v], 2)]
        fitting = (members for members in small if self._find_form(members) == form)
        return chain(islice(fitting, 4 * LOOKED_AT), self._list_seen(form))

    def _list_seen(self, form: int) -> list[tuple[int, ...]]:
        shapes = self.shapes
        found: list[tuple[int, ...]] = []
        for shape in self._classes:
            if form in shapes.keys[shape][1]:
                for v in islice(sorted(shapes.members[shape]), 3):
                    found += [tuple(part) for part, _ in shapes.parts(v) if self._find_form(tuple(part)) == form]
            if len(found) > LOOKED_AT:
                break
        return found

    def _find_form(self, members: tuple[int, ...]) -> int:
        own = set(members)
        inner = {x: self.shapes.near[x] & own for x in members}
        return self.shapes.components.number(list(members), inner, self.shapes.label)

    def _look_at_set(self, members: tuple[int, ...], label: int) -> Outside:
        """Return a set with the shapes that its members would have next to a new center."""
        shapes = self.shapes
        before = tuple(shapes.shape[x] for x in members)
        return Outside(members, before, shapes.shapes_beside(members, label))


# Groups, and their slots.

NEVER = 1e6
"""The cost of a forbidden assignment."""
SWEEPS = 4


class TooDear(Exception):
    """More links than allowed, or no vertex to fill a slot."""


@dataclass(frozen=True)
class LinkTaste:
    """The weights of an added link (beta) and of a vertex that is added to a neighborhood (gamma)."""

    beta: float
    gamma: float


class NeighborhoodGroup:
    """Members and their common shape. No link is added before :meth:`close`."""

    def __init__(self, outsiders: Outsiders, first: int, taste: LinkTaste, *, fixed: bool = False) -> None:
        self.outsiders, self.shapes, self.taste = outsiders, outsiders.shapes, taste
        self.fixed = fixed  # whether the shape is the first member's neighborhood and may not grow
        around = sorted(self.shapes.near[first])
        self.members = [first]
        self.fill = [dict(enumerate(around))]
        self.at = [{u: q for q, u in enumerate(around)}]
        self.rows = [{self.at[0][w] for w in self.shapes.near[u] & self.shapes.near[first]} for u in around]
        self.added: list[Pair] = []

    def cost(self, p: int, sweeps: int) -> float:
        """Return an estimate of the cost if p joins."""
        return self._pair_neighbors(p, sweeps)[1]

    def join(self, p: int) -> None:
        """Add p to the group, and assign every neighbor of p to a slot."""
        slots, cost = self._pair_neighbors(p, SWEEPS)
        if cost >= NEVER:
            raise TooDear
        at: dict[int, int] = {}
        for u, q in slots.items():
            at[u] = self._add_slot() if q is None else q
        self.members.append(p)
        self.at.append(at)
        self.fill.append({q: u for u, q in at.items()})

    def close(self, most: int) -> list[Pair]:
        """Return the links that all members need, at most `most`. They are not left in the graph."""
        try:
            again = True
            while again:
                again = self._slot_strangers() | self._grow_rows()
                again |= self._fill_slots() | self._link_rows()
                if len(self.added) > most:
                    raise TooDear
        finally:
            self.shapes.unlink(self.added)
        return self.added

    def _add_slot(self) -> int:
        self.rows.append(set())
        return len(self.rows) - 1

    def _list_kept(self, p: int) -> dict[int, int]:
        """Return the neighbors of p that already have a slot. Of two linked members, each fills the other's slot."""
        first: dict[int, int] = {}
        for at in self.at:
            for u, q in at.items():
                first.setdefault(u, q)
        home, around = first.get(p), self.shapes.near[p]
        kept: dict[int, int] = {}
        for u in sorted(around & first.keys()):
            if first[u] != home and first[u] not in kept.values():
                kept[u] = first[u]
        stand_in = next((m for m in self.members if m in around and m not in kept), None)
        if home is not None and stand_in is not None:
            kept[stand_in] = home
        return kept

    def _pair_neighbors(self, p: int, sweeps: int) -> tuple[dict[int, int | None], float]:
        """Return the slot of each neighbor of p (None for a new one), and the cost."""
        kept = self._list_kept(p)
        free = [u for u in sorted(self.shapes.near[p]) if u not in kept]
        empty = [q for q in range(len(self.rows)) if q not in kept.values()]
        held, cost = self._search_pairing(free, empty, kept, sweeps)
        slots: dict[int, int | None] = dict(kept)
        slots.update((u, empty[j] if j >= 0 else None) for u, j in zip(free, held.tolist(), strict=True))
        return slots, cost + self._cost_of_kept(kept)

    def _weigh_links(self) -> tuple[float, float, float, float]:
        """Return the costs of a link (new member, others) and of a slot (others, new member)."""
        link, drawn, many = self.taste.beta, self.taste.beta + self.taste.gamma, len(self.members)
        return (link, NEVER, NEVER, drawn) if self.fixed else (link, link * many, drawn * many, drawn)

    def _search_pairing(
        self, free: list[int], empty: list[int], kept: dict[int, int], sweeps: int
    ) -> tuple[Ints, float]:
        from shoal.methods.links._kernels.neighborhoods import pair

        ours, theirs, lone_p, lone_q = self._weigh_links()
        if not free or not empty:
            return np.full(len(free), -1), len(free) * lone_p + len(empty) * lone_q
        near, label = self.shapes.near, self.shapes.label
        fillers = [next(fill[q] for fill in self.fill if q in fill) for q in empty]
        here = _find_links(near, free, list(kept))
        there = _find_links(self.rows, empty, list(kept.values()))
        base = (there[None] & ~here[:, None]).sum(2) * ours + (here[:, None] & ~there[None]).sum(2) * theirs
        base = base + NEVER * np.array([[label[u] != label[w] for w in fillers] for u in free])
        pp, pq, qq = (
            _find_links(near, free, free),
            _find_links(near, free, fillers),
            _find_links(self.rows, empty, empty),
        )
        held, cost = pair(base, pp, pq, qq, ours, theirs, lone_p, lone_q, sweeps)
        return held, float(cost)

    def _cost_of_kept(self, kept: dict[int, int]) -> float:
        """Return the cost of the links among neighbors that keep their slots."""
        ours, theirs, _, _ = self._weigh_links()
        here, there = (
            _find_links(self.shapes.near, list(kept), list(kept)),
            _find_links(self.rows, list(kept.values()), list(kept.values())),
        )
        return float(np.triu(there & ~here).sum() * ours + np.triu(here & ~there).sum() * theirs)

    def _slot_strangers(self) -> bool:
        """Assign a slot to each vertex that became a neighbor of a member as a side effect."""
        found = False
        for m, at, fill in zip(self.members, self.at, self.fill, strict=True):
            for u in sorted(self.shapes.near[m] - at.keys()):
                known = next((o[u] for o in self.at if u in o and o[u] not in fill), None)
                at[u] = self._add_slot() if known is None else known
                fill[at[u]] = u
                found = True
        return found

    def _grow_rows(self) -> bool:
        """Add to the shape each link in the neighborhood of some member."""
        found = False
        for m, at in zip(self.members, self.at, strict=True):
            for u, q in at.items():
                row = {at[w] for w in self.shapes.near[u] & self.shapes.near[m]}
                if not row <= self.rows[q]:
                    self.rows[q] |= row
                    found = True
        return found

    def _fill_slots(self) -> bool:
        found = False
        for m, at, fill in zip(self.members, self.at, self.fill, strict=True):
            for q in range(len(self.rows)):
                if q not in fill:
                    u = self._find_filler(m, q)
                    at[u], fill[q] = q, u
                    self.added += self.shapes.link([(m, u)])
                    found = True
        return found

    def _find_filler(self, m: int, q: int) -> int:
        """Return the vertex that fills a slot: a far vertex, or the one that fills it for another member."""
        others = [fill[q] for fill in self.fill if q in fill]
        form = self.shapes.components.clique([self.shapes.label[others[0]]])
        if not self.rows[q]:
            drawn = self.outsiders.take(m, form)
            if drawn is not None:
                return drawn[0]
        for u in others:
            if u != m and u not in self.shapes.near[m]:
                return u
        drawn = self.outsiders.take(m, form)
        if drawn is None:
            raise TooDear
        return drawn[0]

    def _link_rows(self) -> bool:
        """Add the links of the shape for every member."""
        before = len(self.added)
        for fill in self.fill:
            for q, row in enumerate(self.rows):
                self.added += self.shapes.link((fill[q], fill[r]) for r in sorted(row) if r < q)
        return len(self.added) > before


def _find_links(rows: list[set[int]], a: list[int], b: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return the adjacency matrix between the vertices a and b."""
    return np.array([[y in rows[x] for y in b] for x in a], dtype=np.bool_).reshape(len(a), len(b))
