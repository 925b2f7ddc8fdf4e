"""Knowledge of all links and missing links of a vertex: equal rows protect (Stokes & Torra 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.core.grouping import group_multisets
from shoal.core.link_labels import label_links
from shoal.core.twins import find_equal_rows
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.errors import join_names
from shoal.knowledge.base import Adversary, Aliases
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.neighbors import Neighbors, describe_entries, name_with_times
from shoal.knowledge.relation_counts import spell_tie
from shoal.knowledge.relations import Relations
from shoal.knowledge.view import View

TWINS = "vertices with the same neighbors can change places, so links without names do not distinguish them"
ROWS = "vertices with the same neighbors agree on every known link and every known missing link"


@dataclass(frozen=True)
class Adjacency(Adversary):
    """Knows all neighbors by name: candidates are the vertices with the same row of the adjacency matrix.

    Rows are equal if direction, kind and multiplicity of all links are. In a graph without loops, vertices with equal
    rows are never linked. With `original`, rows are compared on the vertices that both graphs have.

    Examples
    --------
    A square is 2-anonymous, a path of four is not:

    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.cycle_graph(4)), Adjacency()).k
    2
    >>> shoal.assess(shoal.as_graph(nx.path_graph(4)), Adjacency()).k
    1

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    shell: ClassVar[str] = "adjacency"
    form: ClassVar[str] = "adjacency"
    description: ClassVar[str] = "All neighbors of a vertex."
    notion: ClassVar[str] = "k-anonymous graph: equal rows (Stokes & Torra)"
    stays_true: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """All neighbors."""
        return "all neighbors"

    @property
    def phrase(self) -> str:
        """All neighbors of a person."""
        return "all neighbors of a person"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the neighbors by name."""
        near = fact.value["neighbors"]
        if near and len(near[0]) > 2:
            return f"{describe_entries(near)} and has no other links"
        names = [name_with_times(name, times) for name, times in near]
        return f"is linked to {join_names(names, most=60)} and to no other vertex" if names else "has no links"

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the neighbors by alias."""
        return {"neighbors": [[aliases(name), *rest] for name, *rest in fact.value["neighbors"]]}

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: vertices with equal rows are exchangeable, and agree on every entry of their rows."""
        rows = isinstance(other, Neighbors) or (isinstance(other, Relations) and not other.located)
        return ROWS if rows else TWINS if other.is_structural else None

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal rows."""
        g = view.known_graph

        def tell(v: int) -> tuple[Fact, ...]:
            return (Fact("adjacency", {"neighbors": _list_entries(g, v)}),)

        codes = find_equal_rows(g) if view.original is None else group_multisets(*_join_rows(view))
        return view.group_alike(codes, tell)


def _list_entries(g: Graph, v: int) -> list[tuple[Any, ...]]:
    """Return the neighbors of v, each with a number of links; and with its relation, where there are relations."""
    row = range(g.indptr[v], g.indptr[v + 1])
    if g.ties is None:
        return [(g.names[int(g.indices[e])], spell_tie(g, e)) for e in row]
    return [(g.names[int(g.indices[e])], *entry) for e in row for entry in spell_tie(g, e)]


def _join_rows(view: View) -> tuple[Ints, Ints, Ints | None]:
    """Return the rows of known and of published vertices, on the vertices that both graphs have, with labels of links.

    Both are rows of ids of published vertices.
    """
    together = view.together
    items = np.concatenate([view.counterpart, np.where(view.source >= 0, np.arange(view.published.n), -1)])
    seen, labels = items[together.indices], label_links(together)
    kept = seen >= 0
    return np.concatenate([[0], np.cumsum(kept)])[together.indptr], seen[kept], None if labels is None else labels[kept]
