"""Knowledge of l shared neighbors: the (k,l)-anonymity of Feder, Nabar & Terzi (2008).

Stokes & Torra show that this notion does not protect: an attacker who knows two neighbors may still identify the
vertex. It is included so that its guarantee can be checked and attacked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.core.grouping import group_multisets, list_members_by_class
from shoal.core.incidence import Incidence, Rows
from shoal.data.arrays import Ints
from shoal.errors import format_count, join_names
from shoal.knowledge.base import LESS, Adversary, Aliases, SomeFacts
from shoal.knowledge.candidates import Fact, FittingCandidates
from shoal.knowledge.known_entries import KnownEntries
from shoal.knowledge.neighbors import describe_entries
from shoal.knowledge.relation_counts import spell_tie
from shoal.knowledge.view import View
from shoal.settings import run_in_pieces


@dataclass(frozen=True)
class SharedNeighbors(SomeFacts):
    """Knows at least l neighbors of v, but not which: candidates are the vertices that share l neighbors with v.

    v itself is added by convention, so Feder's own k, which counts the others, is `risk.k - 1`. Multiplicities do not
    count. Where links have a direction or a kind, two vertices share the neighbor w if both have a link of the same
    kind and direction to it. With `original`, u must have at least l of v's original neighbors. The counterpart of v is
    added only where v has fewer than l neighbors, so that no vertex can share l.

    Parameters
    ----------
    l
        The number of neighbors that must be shared.

    Examples
    --------
    Opposite corners of a square share both neighbors:

    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.cycle_graph(4)), SharedNeighbors(2)).sizes.tolist()
    [2, 2, 2, 2]

    References
    ----------
    T. Feder, S. U. Nabar, E. Terzi: Anonymizing graphs. 2008.
    """

    shell: ClassVar[str] = "shared-neighbors"
    form: ClassVar[str] = "shared-neighbors:L"
    description: ClassVar[str] = "Which vertices share L neighbors with a vertex."
    notion: ClassVar[str] = "(k-1,l)-anonymity of Feder, Nabar & Terzi"

    @property
    def title(self) -> str:
        """The people who share l neighbors."""
        return f"others with {format_count(self.l, 'neighbor')} in common"

    @property
    def phrase(self) -> str:
        """The people that share neighbors with a person."""
        return f"which people share {format_count(self.l, 'neighbor')} with a person"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the neighbors, and how many a candidate shares."""
        near, least = fact.value["neighbors"], format_count(fact.value["least"], "neighbor")
        if not near:
            return "has no neighbors"
        if isinstance(near[0], tuple | list):
            return f"{describe_entries(near)}, and a candidate shares {least} or more"
        noun = "neighbor" if len(near) == 1 else "neighbors"
        return f"has the {noun} {join_names(near)}, and a candidate shares {least} or more"

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the neighbors by alias."""
        near = fact.value["neighbors"]
        return {**fact.value, "neighbors": [_redact(one, aliases) for one in near]}

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: vertices that share more neighbors share fewer."""
        return LESS if isinstance(other, SharedNeighbors) and other.l <= self.l else None

    def see(self, view: View) -> FittingCandidates:
        """Count co-neighbors."""
        entries, added = KnownEntries(view, "neighbors"), self._add_own(view)
        sizes = count_sharing(entries.published, entries.rows, added, self.l) + (added >= 0)

        def among(v: int, ids: Ints | None) -> Ints:
            near: dict[int, list[Ints]] = {}
            for x in entries.read_row(v).tolist():
                near.setdefault(entries.published.owner(x), []).append(entries.published.row(x))
            shared = np.zeros(view.published.n, dtype=np.int64)
            for columns in near.values():
                shared[np.concatenate(columns)] += 1  # a vertex in two columns counts once
            fits = shared >= self.l
            if added[v] >= 0:
                fits[added[v]] = True
            return np.flatnonzero(fits) if ids is None else ids[fits[ids]]

        return FittingCandidates(sizes, among, lambda v: (self._tell(view, v),))

    def _tell(self, view: View, v: int) -> Fact:
        g = view.known_graph
        if g.ties is None:
            near: list[Any] = [g.names[int(w)] for w in g.neighbors(v)]
        else:
            row = range(g.indptr[v], g.indptr[v + 1])
            near = [(g.names[int(g.indices[e])], 1, relation) for e in row for _, relation in spell_tie(g, e)]
        return Fact("shared-neighbors", {"least": self.l, "neighbors": near})

    def _add_own(self, view: View) -> Ints:
        """Return for each vertex the candidate that is added by convention, -1 where there is none."""
        if view.original is None:
            return view.counterpart
        return np.where(np.diff(view.known_graph.indptr) < self.l, view.counterpart, -1)


def _redact(neighbor: Any, aliases: Aliases) -> Any:
    """Return a neighbor by alias; with its relation, if links have any."""
    if isinstance(neighbor, tuple | list) and len(neighbor) == 3:
        return [aliases(neighbor[0]), *neighbor[1:]]
    return aliases(neighbor)


def count_sharing(entries: Incidence, known: Rows, own: Ints, least: int) -> Ints:
    """Count, for each known row, the vertices except `own[v]` that share at least `least` neighbors with it."""
    from shoal.core._kernels import balls as loops

    row_ptr, rows, _ = known
    sizes = np.zeros(len(row_ptr) - 1, dtype=np.int64)
    members, bounds = list_members_by_class(group_multisets(row_ptr, rows))
    owners = None if entries.first is None else entries.owners

    def piece(first: int, last: int) -> None:
        seen = np.zeros(entries.n, dtype=np.int32)
        lines = members, bounds, row_ptr, rows
        loops.count_sharing(first, last, *lines, entries.indptr, entries.indices, own, least, seen, sizes, owners)

    run_in_pieces(piece, len(bounds) - 1, "counting shared neighbors")
    return sizes
