"""Groups of vertices whose neighborhoods become isomorphic: slots of a common shape, and what fills them.

The first member's neighbors are the slots. Whoever joins has each neighbor put into a slot, or into one of its own:
who is in several neighborhoods keeps the slot, the others are paired so that few links are missing. Then links are
added until every member has every slot filled and every link of the shape, and nobody else around.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.core.threads import announce_compilation
from shoal.data.arrays import Ints
from shoal.methods.links.match_neighborhoods.outsiders import Outsiders
from shoal.methods.links.match_neighborhoods.shapes import Pair

NEVER = 1e6
"""The cost of what must not be."""
SWEEPS = 4


class TooDear(Exception):
    """More links than allowed, or nobody to fill a slot."""


@dataclass(frozen=True)
class LinkTaste:
    """What counts how much: a link that is added, a vertex that is drawn in."""

    beta: float
    gamma: float


class NeighborhoodGroup:
    """Members and their common shape; nothing is linked before :meth:`close`."""

    def __init__(self, outsiders: Outsiders, first: int, taste: LinkTaste, *, fixed: bool = False) -> None:
        announce_compilation()
        self.outsiders, self.shapes, self.taste = outsiders, outsiders.shapes, taste
        self.fixed = fixed  # whether the first member's neighborhood is the shape, and may not grow
        around = sorted(self.shapes.near[first])
        self.members = [first]
        self.fill = [dict(enumerate(around))]
        self.at = [{u: q for q, u in enumerate(around)}]
        self.rows = [{self.at[0][w] for w in self.shapes.near[u] & self.shapes.near[first]} for u in around]
        self.added: list[Pair] = []

    def cost(self, p: int, sweeps: int) -> float:
        """Return about what it costs that p joins."""
        return self._pair_neighbors(p, sweeps)[1]

    def join(self, p: int) -> None:
        """Give every neighbor of p a slot."""
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
        """Return the links that all members need, at most so many; they are taken back."""
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
        """Return the neighbors of p that have a slot already; of two linked members each is in the other's slot."""
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
        """Return the slot of each neighbor of p, None for one of its own, and the cost."""
        kept = self._list_kept(p)
        free = [u for u in sorted(self.shapes.near[p]) if u not in kept]
        empty = [q for q in range(len(self.rows)) if q not in kept.values()]
        held, cost = self._search_pairing(free, empty, kept, sweeps)
        slots: dict[int, int | None] = dict(kept)
        slots.update((u, empty[j] if j >= 0 else None) for u, j in zip(free, held.tolist(), strict=True))
        return slots, cost + self._cost_of_kept(kept)

    def _weigh_links(self) -> tuple[float, float, float, float]:
        """Return the cost of a link for the newcomer and for the others, of a slot for the others and the newcomer."""
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
        """Return the cost of the links among those who keep their slots."""
        ours, theirs, _, _ = self._weigh_links()
        here, there = (
            _find_links(self.shapes.near, list(kept), list(kept)),
            _find_links(self.rows, list(kept.values()), list(kept.values())),
        )
        return float(np.triu(there & ~here).sum() * ours + np.triu(here & ~there).sum() * theirs)

    def _slot_strangers(self) -> bool:
        """Give a slot to whoever became a neighbor of a member unasked."""
        found = False
        for m, at, fill in zip(self.members, self.at, self.fill, strict=True):
            for u in sorted(self.shapes.near[m] - at.keys()):
                known = next((o[u] for o in self.at if u in o and o[u] not in fill), None)
                at[u] = self._add_slot() if known is None else known
                fill[at[u]] = u
                found = True
        return found

    def _grow_rows(self) -> bool:
        """Let the shape have each link that some member sees."""
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
        """Return who is drawn in for a slot: somebody far away, or who fills it for another member."""
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
        """Link for every member what the shape has linked."""
        before = len(self.added)
        for fill in self.fill:
            for q, row in enumerate(self.rows):
                self.added += self.shapes.link((fill[q], fill[r]) for r in sorted(row) if r < q)
        return len(self.added) > before


def _find_links(rows: list[set[int]], a: list[int], b: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return who of a is linked to whom of b."""
    return np.array([[y in rows[x] for y in b] for x in a], dtype=np.bool_).reshape(len(a), len(b))
