"""Knowledge of all links and missing links of a vertex: equal rows protect (Stokes & Torra 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.core.grouping import group_multisets
from shoal.core.twins import find_equal_rows
from shoal.data.arrays import Ints
from shoal.errors import join_names
from shoal.knowledge.base import Adversary, Aliases
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.neighbors import Neighbors, name_with_times
from shoal.knowledge.relations import Relations
from shoal.knowledge.view import View

TWINS = "vertices with the same neighbors can change places, so links without names do not distinguish them"
ROWS = "vertices with the same neighbors agree on every known link and every known missing link"


@dataclass(frozen=True)
class Adjacency(Adversary):
    """Knows all neighbors by name: candidates are the vertices with the same row of the adjacency matrix.

    In a multigraph, rows are equal if all multiplicities are. In a graph without loops, vertices with equal rows are
    never linked. With `original`, rows are compared on the vertices that both graphs have.

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
        near = [name_with_times(name, times) for name, times in fact.value["neighbors"]]
        return f"is linked to {join_names(near, most=60)} and to no other vertex" if near else "has no links"

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the neighbors by alias."""
        return {"neighbors": [[aliases(name), times] for name, times in fact.value["neighbors"]]}

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: vertices with equal rows are exchangeable, and agree on every entry of their rows."""
        rows = isinstance(other, Neighbors) or (isinstance(other, Relations) and not other.located)
        return ROWS if rows else TWINS if other.is_structural else None

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal rows."""
        g = view.known_graph

        def tell(v: int) -> tuple[Fact, ...]:
            row = slice(g.indptr[v], g.indptr[v + 1])
            times = [1] * (row.stop - row.start) if g.multiplicity is None else g.multiplicity[row].tolist()
            near = [(g.names[w], t) for w, t in zip(g.indices[row].tolist(), times, strict=True)]
            return (Fact("adjacency", {"neighbors": near}),)

        if view.original is None:
            codes = find_equal_rows(g)
        else:
            codes = group_multisets(*_join_rows(view.list_known_rows(), view.list_published_rows()))
        return view.group_alike(codes, tell)


Rows = tuple[Ints, Ints, Ints | None]


def _join_rows(a: Rows, b: Rows) -> Rows:
    """Put two sets of rows over the same columns under each other."""
    ptr = np.concatenate([a[0], b[0][1:] + a[0][-1]])
    items = np.concatenate([a[1], b[1]])
    if a[2] is None and b[2] is None:
        return ptr, items, None
    weights = [rows[2] if rows[2] is not None else np.ones(len(rows[1]), dtype=np.int32) for rows in (a, b)]
    return ptr, items, np.concatenate(weights)
