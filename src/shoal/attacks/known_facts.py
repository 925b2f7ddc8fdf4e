"""Random known facts: a draw from the facts that an attacker model may know, and the candidates they leave.

Risk takes the worst of all sets of l known facts. An attacker has one such set, and did not choose it: it is drawn at
random among all of them, as Hay et al. do. Of knowledge that leaves no choice (a degree, an orbit) there is one.

The facts are drawn in the original, once, and sought in every graph that is attacked. What is drawn for l is part of
what is drawn for l + 1 from the same seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from shoal.core.types import Pattern, Reading
from shoal.core.walks import place_pattern
from shoal.data.arrays import Bools, Ints
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import BadParameter, list_names
from shoal.knowledge import Adversary, Neighbors, Relations, SomeColumns
from shoal.knowledge.neighbors import count_ties
from shoal.knowledge.subgraph import EXPLORATIONS, Bits, Subgraph, list_explorations
from shoal.knowledge.view import Pair, View

NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class VertexSet:
    """Whom known facts leave of n published vertices: those in `ids`, ascending; or all others."""

    n: int
    ids: Ints
    inside: bool = True

    @property
    def size(self) -> int:
        """How many."""
        return len(self.ids) if self.inside else self.n - len(self.ids)

    def holds(self, u: int) -> bool:
        """Tell whether u is left."""
        at = int(np.searchsorted(self.ids, u))
        return bool(at < len(self.ids) and self.ids[at] == u) == self.inside

    def meet(self, other: VertexSet) -> VertexSet:
        """Return whom both leave.

        >>> few, most = VertexSet(5, np.array([0, 1])), VertexSet(5, np.array([1, 2]), inside=False)
        >>> few.meet(most).ids.tolist(), most.meet(most).size
        ([0], 3)
        """
        if self.inside and other.inside:
            return VertexSet(self.n, np.intersect1d(self.ids, other.ids, assume_unique=True))
        if self.inside:
            return VertexSet(self.n, np.setdiff1d(self.ids, other.ids, assume_unique=True))
        return other.meet(self) if other.inside else VertexSet(self.n, np.union1d(self.ids, other.ids), inside=False)


Search = Callable[[int, Any], VertexSet]
"""From a vertex of the original and what is known about it to whom that leaves."""


class DrawnFacts(ABC):
    """How facts about a vertex are drawn in the original, and sought in a graph."""

    @abstractmethod
    def draw(self, v: int, rng: np.random.Generator) -> Any:
        """Return what is known about v."""

    @abstractmethod
    def seek(self, view: View) -> Search:
        """Return how to find whom facts leave."""


def list_facts(adversary: Adversary, original: Dataset, released: Bools) -> list[DrawnFacts]:
    """Return what each part of the knowledge consists of; `released` tells who can be looked for at all."""
    return [_choose_facts(part, original, released) for part in adversary.parts]


def list_recoded(pair: Pair, adversary: Adversary) -> tuple[str, ...]:
    """Return the known columns with other values in the release than whoever was released has in the original.

    Facts are sought value by value, and "41" is not "40-49". Values that only the release has count too: of somebody
    whose 41 became "*" the same 41 of another still fits.
    """
    assert pair.counterpart is not None
    there, found = pair.counterpart >= 0, []
    for name in adversary.columns(pair.original.attributes):
        if name in pair.released.attributes:
            codes = pair.original.attributes[name].followed_by(pair.released.attributes[name])
            known, published = codes[: pair.original.n][there], codes[pair.original.n :]
            if len(np.setxor1d(known, published)):
                found.append(name)
    return tuple(found)


def describe_recoded(columns: Sequence[str]) -> str:
    """Say that values are compared as they are, so that a rate is what is reached at least."""
    return (
        f"{list_names(columns, spell=str)} of the release has other values than the original. Values are compared as "
        "they are; whoever understands how they were recoded (a range, a mean, *) may find more: the rate is a lower "
        "bound."
    )


def _choose_facts(part: Adversary, original: Dataset, released: Bools) -> DrawnFacts:
    match part:
        case Neighbors():
            reading: Reading = "exact-neighbors" if part.multiplicities else "neighbors"
            return DrawnRelations(part.l, reading, as_graph(original), released)
        case Relations():
            reading = "located-relations" if part.located else "relations"
            return DrawnRelations(part.l, reading, as_graph(original), released)
        case SomeColumns():
            return DrawnColumns(part.l, part.columns(original.attributes))
        case Subgraph():
            return DrawnSubgraph(part, as_graph(original))
    return WholeKnowledge(part)


@dataclass(frozen=True, eq=False)
class WholeKnowledge(DrawnFacts):
    """Knowledge that leaves no choice."""

    part: Adversary

    def draw(self, v: int, rng: np.random.Generator) -> None:
        """Draw nothing: the facts are what they are."""

    def seek(self, view: View) -> Search:
        """Ask the adversary."""
        answer = self.part.see(view)
        return lambda v, known: VertexSet(view.published.n, answer.of(v))


@dataclass(frozen=True, eq=False)
class DrawnRelations(DrawnFacts):
    """At most l neighbors of a vertex, or l entries of its row."""

    l: int
    reading: Reading
    original: Graph
    released: Bools

    def draw(self, v: int, rng: np.random.Generator) -> Ints:
        """Draw l of the neighbors that were released, or l of the vertices that were; all, where there are fewer."""
        if self.reading in ("neighbors", "exact-neighbors"):
            row = self.original.neighbors(v)
            return rng.permutation(row[self.released[row]])[: self.l]
        return self._draw_entries(v, rng)

    def _draw_entries(self, v: int, rng: np.random.Generator) -> Ints:
        known: dict[int, None] = {}
        own = self.reading == "located-relations" and bool(self.released[v])
        most = min(self.l, len(self._there) - own)
        while len(known) < most:  # the first different ones of a row of uniform draws
            x = int(self._there[rng.integers(len(self._there))])
            if not (own and x == v):
                known[x] = None
        return np.array(list(known), dtype=np.int64)

    @cached_property
    def _there(self) -> Ints:
        return np.flatnonzero(self.released)

    def seek(self, view: View) -> Search:
        """Leave who agrees with v on every known entry."""
        g = view.graph

        def column(x: int, entry: int) -> VertexSet:
            """Leave whose entry in column x is this one."""
            row = g.neighbors(x)
            if entry and self.reading != "neighbors":
                times = 1 if g.multiplicity is None else g.multiplicity[g.indptr[x] : g.indptr[x + 1]]
                row = row[np.broadcast_to(times, row.shape) == entry]
            return VertexSet(g.n, row, inside=entry > 0)

        def left(v: int, known: Ints) -> VertexSet:
            found = VertexSet(g.n, NOBODY, inside=False)
            for x in view.counterpart[known].tolist():
                found = found.meet(column(x, count_ties(view, v, x, self.reading)))
                if self.reading == "located-relations":
                    found = found.meet(VertexSet(g.n, np.array([x]), inside=False))
            return found

        return left


@dataclass(frozen=True, eq=False)
class DrawnColumns(DrawnFacts):
    """The values of l columns."""

    l: int
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.names:
            raise BadParameter("SomeColumns: there must be a column to know. Got data without any.")

    def draw(self, v: int, rng: np.random.Generator) -> Ints:
        """Draw l of the columns."""
        return rng.permutation(len(self.names))[: self.l]

    def seek(self, view: View) -> Search:
        """Leave who has the same values there."""
        columns, n = view.code_columns(self.names), view.known.n

        def left(v: int, known: Ints) -> VertexSet:
            fits = np.ones(view.published.n, dtype=np.bool_)
            for c in known.tolist():
                fits &= columns[c][n:] == columns[c][v]
            return VertexSet(len(fits), np.flatnonzero(fits))

        return left


@dataclass(frozen=True, eq=False)
class DrawnSubgraph(DrawnFacts):
    """A piece of the graph around a vertex: one of its explorations, among the first that are found."""

    part: Subgraph
    original: Graph

    def draw(self, v: int, rng: np.random.Generator) -> Pattern:
        """Draw one of the different explorations."""
        views = islice(list_explorations(self.original, v, self.part.edges, every_order=False), EXPLORATIONS)
        seen = dict.fromkeys((view if self.part.exact_degrees else view.blur_degrees()).pattern for view in views)
        return list(seen)[int(rng.integers(len(seen)))]

    def seek(self, view: View) -> Search:
        """Leave where it can be placed, or cannot be excluded."""
        placed: dict[Pattern, Bits] = {}

        def left(v: int, known: Pattern) -> VertexSet:
            if known not in placed:
                placed[known] = np.packbits(place_pattern(view.graph, known, self.part.exact_degrees)[0])
            return VertexSet(view.published.n, np.flatnonzero(np.unpackbits(placed[known], count=view.published.n)))

        return left
