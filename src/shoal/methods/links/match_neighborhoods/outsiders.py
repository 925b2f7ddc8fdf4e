"""Far vertices that can be added to a neighborhood: connected sets of a wanted form that do little harm.

A set X is far from m if no member is linked to m or to a neighbor of m. If m is linked to all of X, X becomes a
component of m's neighborhood, and only the neighborhoods of m and of the members of X change. The harm is the number of
additional vertices below k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations, islice

from shoal.methods.links.match_neighborhoods.shapes import Pair, Shapes

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
