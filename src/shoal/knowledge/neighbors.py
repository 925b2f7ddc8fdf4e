"""Knowledge of any l neighbors of a vertex by name: (k,l)-anonymity, Definition II (Stokes & Torra 2012).

Non-neighbors are assumed unknown. An attacker who also knows that a vertex is *not* a neighbor knows more than is
counted here, see :class:`shoal.knowledge.Relations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import ClassVar, Self

import numpy as np

from shoal.core.known_sets import count_fewest, count_fewest_in_release, find_fewest_set
from shoal.core.types import Reading
from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.knowledge.base import SomeFacts
from shoal.knowledge.candidates import AlikeCandidates, Candidates, CandidateSet, Fact, WorstCandidates, add_class_facts
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Neighbors(SomeFacts):
    """Knows at most l neighbors of v, whichever: candidates are the vertices linked to all of them.

    The size is that of the worst set S of at most l neighbors, min |{u : S within N(u)}|, with S as its witness.
    Non-neighbors are assumed unknown.

    Parameters
    ----------
    l
        How many neighbors are known.
    multiplicities
        Whether it is known how many edges lead to each of them (in a multigraph). False: only that there is one.

    Examples
    --------
    Nobody but Ridolfi is linked to both Medici and Tornabuoni:

    >>> import shoal
    >>> risk = shoal.assess(shoal.examples.florentine(), Neighbors(2))
    >>> risk.k, risk.witness("Ridolfi")
    (1, Witness(knows=(Fact(kind='neighbors', value={'known': [('Medici', 1), ('Tornabuoni', 1)], ...

    The ends of a star are safe from it, whatever l:

    >>> import networkx as nx
    >>> shoal.assess(nx.star_graph(4), Neighbors(3)).sizes.tolist()
    [1, 4, 4, 4, 4]

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    multiplicities: bool = False

    shell: ClassVar[str] = "neighbors"
    form: ClassVar[str] = "neighbors:L[:multiplicities]"
    notion: ClassVar[str] = "(k,l)-anonymity, Definition II (Stokes & Torra); non-neighbors assumed unknown"

    @property
    def assumes(self) -> str:
        """That missing links are not known, for they would leak more (erratum E16)."""
        return "Non-neighbors are assumed unknown (Definition II)."

    def see(self, view: View) -> WorstCandidates:
        """Find the worst set of neighbors for every vertex."""
        return find_worst_subset(view, self.l, "exact-neighbors" if self.multiplicities else "neighbors")

    def words(self) -> Sequence[str]:
        """Return l, and whether multiplicities are known."""
        return [*super().words(), *(["multiplicities"] if self.multiplicities else [])]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read l, and whether multiplicities are known."""
        known = len(words) == 2 and words[1] == "multiplicities"
        return replace(super().from_words(words[:1] if known else words), multiplicities=known)


# What the adversaries of some relations have in common: the worst of many known sets, found by search.


def find_worst_subset(view: View, l: int, reading: Reading) -> WorstCandidates:
    """Return, for every vertex, the smallest candidate set that at most l known relations leave."""
    if view.original is not None:
        return _search_release(view, l, reading)
    graph = view.graph
    sizes, proved = count_fewest(graph, l, reading)
    best, within = _search_best(view, l, reading, None), _search_within(view, l, reading)
    return WorstCandidates(
        sizes, _list_family(view, l, reading), proved, best, np.ones(graph.n, dtype=np.bool_), within
    )


def _search_best(view: View, l: int, reading: Reading, kind: Ints | None) -> Callable[[int], CandidateSet]:
    def best(v: int) -> CandidateSet:
        known = find_fewest_set(view.graph, v, l, reading, kind)
        left = find_candidates(view, v, known, reading)
        return CandidateSet(
            (describe_ties(view, v, known, reading),), left if kind is None else left[kind[left] == kind[v]]
        )

    return best


def _search_within(view: View, l: int, reading: Reading) -> Callable[[Candidates], WorstCandidates | None]:
    """Return how to search among the members of classes only: knowing the class as well."""

    def within(other: Candidates) -> WorstCandidates | None:
        if not isinstance(other, AlikeCandidates):
            return None
        sizes, proved = count_fewest(view.graph, l, reading, other.published)
        best, whole = _search_best(view, l, reading, other.published), np.ones(len(sizes), dtype=np.bool_)
        return add_class_facts(other, WorstCandidates(sizes, _list_family(view, l, reading), proved, best, whole))

    return within


def _search_release(view: View, l: int, reading: Reading) -> WorstCandidates:
    sizes, proved, known = count_fewest_in_release(view.graph, view.list_known_rows(), view.counterpart, l, reading)

    def best(v: int) -> CandidateSet:
        return CandidateSet((describe_ties(view, v, known[v], reading),), find_candidates(view, v, known[v], reading))

    return WorstCandidates(sizes, _list_family(view, l, reading), proved, best, np.ones(len(sizes), dtype=np.bool_))


def _list_family(view: View, l: int, reading: Reading) -> Callable[[int], Iterator[CandidateSet]]:
    """Return how to go through all sets of at most l relations of a vertex."""

    def every(v: int) -> Iterator[CandidateSet]:
        columns = list_knowable(view, v, reading)
        for known in chain.from_iterable(combinations(columns, size) for size in range(l + 1)):
            ids = np.array(known, dtype=np.int64)
            yield CandidateSet((describe_ties(view, v, ids, reading),), find_candidates(view, v, ids, reading))

    return every


def list_knowable(view: View, v: int, reading: Reading) -> list[int]:
    """Return the published vertices to which a relation of v may be known."""
    if reading in ("neighbors", "exact-neighbors"):
        row = view.counterpart[view.known_graph.neighbors(v)]
        return row[row >= 0].tolist()  # type: ignore[no-any-return]
    there = view.counterpart[view.counterpart >= 0]
    return [x for x in np.sort(there).tolist() if reading == "relations" or x != view.counterpart[v]]


def find_candidates(view: View, v: int, known: Ints, reading: Reading) -> Ints:
    """Return who agrees with v on the published vertices `known`, straight from the definition."""
    fits = np.ones(view.published.n, dtype=np.bool_)
    for x in known.tolist():
        row = read_column(view.graph, x, reading)
        fits &= row == count_ties(view, v, x, reading)
        if reading == "located-relations":
            fits[x] = False
    return np.flatnonzero(fits)


def read_column(graph: Graph, x: int, reading: Reading) -> Ints:
    """Return the entry of every vertex in column x."""
    row = np.zeros(graph.n, dtype=np.int64)
    plain = reading == "neighbors" or graph.multiplicity is None
    row[graph.neighbors(x)] = 1 if plain else graph.multiplicity[graph.indptr[x] : graph.indptr[x + 1]]  # type: ignore[index]
    return row


def count_ties(view: View, v: int, x: int, reading: Reading) -> int:
    """Return the entry of v in the column of the vertex that is published as x."""
    g, w = view.known_graph, view.source[x]
    row = g.neighbors(v)
    at = int(np.searchsorted(row, w))
    if at == len(row) or row[at] != w:
        return 0
    return 1 if reading == "neighbors" or g.multiplicity is None else int(g.multiplicity[g.indptr[v] + at])


def describe_ties(view: View, v: int, known: Ints, reading: Reading) -> Fact:
    """Say what is known: the names of the vertices, and how many links there are to each."""
    told = [(view.known.names[int(view.source[x])], count_ties(view, v, x, reading)) for x in known.tolist()]
    kind = "neighbors" if reading == "exact-neighbors" else reading
    return Fact(kind, {"known": told, "exactly": reading == "exact-neighbors"})
