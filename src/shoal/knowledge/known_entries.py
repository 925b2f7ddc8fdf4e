"""Known entries: which entries of its row may be known about a vertex, and which published vertices agree on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.core.incidence import Incidence, Reading, Rows, join_incidences
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.data.ties import Relation
from shoal.knowledge.candidates import Fact
from shoal.knowledge.view import View


@dataclass(frozen=True, eq=False)
class KnownEntries:
    """What may be known about the rows of vertices, as items: pairs of a published vertex and a relation."""

    view: View
    reading: Reading

    @classmethod
    def of(cls, graph: Graph, reading: Reading) -> KnownEntries:
        """Return the entries of a graph in which the facts are measured too."""
        return cls(View.of(graph, None, None), reading)

    @cached_property
    def _joined(self) -> tuple[Incidence, Rows]:
        view = self.view
        if view.original is None:
            found = Incidence.of(view.graph, self.reading)
            return found, found.rows
        return join_incidences(view.graph, view.known_graph, view.counterpart, self.reading)

    @property
    def published(self) -> Incidence:
        """The items of the published vertices."""
        return self._joined[0]

    @property
    def rows(self) -> Rows:
        """The known rows, in items of the published vertices."""
        return self._joined[1]

    def read_row(self, v: int) -> Ints:
        """Return the items that v has."""
        ptr, items, _ = self.rows
        return items[ptr[v] : ptr[v + 1]]

    def count(self, v: int, x: int) -> int:
        """Return how often v has item x."""
        ptr, _, weights = self.rows
        at = np.flatnonzero(self.read_row(v) == x)
        return 0 if not len(at) else 1 if weights is None else int(weights[ptr[v] + at[0]])

    def list_knowable(self, v: int) -> list[int]:
        """Return the items that may be known about v."""
        if self.reading in ("neighbors", "exact-neighbors"):
            return self.read_row(v).tolist()  # type: ignore[no-any-return]
        there: Bools = np.zeros(self.published.n, dtype=np.bool_)
        there[self.view.counterpart[self.view.counterpart >= 0]] = True
        if self.reading == "located-relations" and self.view.counterpart[v] >= 0:
            there[self.view.counterpart[v]] = False
        return self.published.list_about(there).tolist()  # type: ignore[no-any-return]

    def find_item(self, w: int, relation: Relation | None) -> int | None:
        """Return the item of a published vertex and a relation; None if there is no such item."""
        return next((x for x in self.published.list_owned(w) if self.published.relation(x) == relation), None)

    def find_candidates(self, v: int, known: Ints, errors: int = 0) -> Ints:
        """Return the vertices that agree with v on the known items, by the definition.

        With errors, the items in which they differ are about at most so many people.
        """
        differ: dict[int, Bools] = {}
        for x in known.tolist():
            column = np.zeros(self.published.n, dtype=np.int64)
            column[self.published.row(x)] = self.published.times(x)
            w, wrong = self.published.owner(x), column != self.count(v, x)
            if self.reading == "located-relations":
                wrong[w] = True
            differ[w] = differ[w] | wrong if w in differ else wrong
        many = np.zeros(self.published.n, dtype=np.int64)
        for wrong in differ.values():
            many += wrong
        return np.flatnonzero(many <= errors)

    def describe(self, v: int, known: Ints, errors: int = 0) -> Fact:
        """Return the known vertices by name, with the number of links to each, and the relation if links have any."""
        told = [self._describe_item(v, x) for x in known.tolist()]
        kind = "neighbors" if self.reading == "exact-neighbors" else self.reading
        allowed = {"errors": errors} if errors else {}
        return Fact(kind, {"known": told, "exactly": self.reading == "exact-neighbors", **allowed})

    def _describe_item(self, v: int, x: int) -> tuple[object, ...]:
        name, relation = (
            self.view.known.names[int(self.view.source[self.published.owner(x)])],
            self.published.relation(x),
        )
        return name, self.count(v, x), *(() if relation is None else (relation._asdict(),))
