"""Knowledge of any l neighbors of a vertex by name: (k,l)-anonymity, Definition II (Stokes & Torra 2012).

Non-neighbors are assumed unknown. An attacker who also knows that some vertices are *not* neighbors knows more than is
counted here: see :class:`shoal.knowledge.Relations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations
from math import comb
from typing import Any, ClassVar, Self

import numpy as np

from shoal.core.approximate import count_fewest_with_errors
from shoal.core.exposing_sets import Reading, count_fewest, count_fewest_in_release, find_fewest_set
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph
from shoal.errors import format_count, join_names, must, whole
from shoal.knowledge.approximate import Approximate
from shoal.knowledge.base import LESS, Adversary, Aliases, SomeFacts
from shoal.knowledge.candidates import (
    AlikeCandidates,
    Candidates,
    CandidateSet,
    DrawnFacts,
    Fact,
    Search,
    VertexSet,
    WorstCandidates,
    add_class_facts,
)
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View
from shoal.parts import parse_number

ALWAYS = 2
"""Sets of up to so many neighbors or relations are always counted, as the default panel does."""
DEEP = 20
"""The largest set size that an estimate of steps uses: beyond it, every number of sets is above any budget."""
PAIRS = 10_000_000
"""With more pairs of neighbors, sets of neighbors of the original are not searched in a release unasked."""


@dataclass(frozen=True, repr=False)
class Neighbors(Approximate, SomeFacts):
    """Knows any l neighbors of v: candidates are the vertices linked to all of them.

    The size is the minimum over all sets S of at most l neighbors of |{u : S within N(u)}|. The minimal S is the
    witness. Non-neighbors are assumed unknown. With errors, candidates lack at most so many vertices of S.

    Parameters
    ----------
    l
        The number of known neighbors.
    multiplicities
        Whether the number of edges to each neighbor is known too (in a multigraph).
    errors
        The number of known neighbors that may be wrong, fewer than l. The facts are true; the attacker is not sure.

    Examples
    --------
    Only Ridolfi is linked to both Medici and Tornabuoni:

    >>> import shoal
    >>> risk = shoal.assess(shoal.examples.florentine(), Neighbors(2))
    >>> risk.k, risk.witness("Ridolfi")
    (1, Witness(knows=(Fact(kind='neighbors', value={'known': [('Medici', 1), ('Tornabuoni', 1)], ...

    The leaves of a star keep all leaves as candidates, for every l:

    >>> import networkx as nx
    >>> shoal.assess(nx.star_graph(4), Neighbors(3)).sizes.tolist()
    [1, 4, 4, 4, 4]

    If one of two known neighbors may be wrong, the neighbors of either fit:

    >>> [int(shoal.assess(nx.path_graph(5), Neighbors(2, errors=errors)).sizes[2]) for errors in (0, 1)]
    [1, 3]

    References
    ----------
    K. Stokes, V. Torra: Reidentification and k-anonymity: a model for disclosure risk in graphs. Soft Computing 2012.
    """

    multiplicities: bool = False
    errors: int = field(default=0, repr=False)

    shell: ClassVar[str] = "neighbors"
    form: ClassVar[str] = "neighbors:L[:multiplicities][~ERRORS]"
    description: ClassVar[str] = "Any L neighbors of a vertex; with ~ERRORS, so many of them may be wrong."
    notion: ClassVar[str] = "(k,l)-anonymity, Definition II (Stokes & Torra); non-neighbors assumed unknown"
    several_sets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "errors", whole(self.errors, "Neighbors", "errors", least=0))
        must(self.errors < self.l, "Neighbors", "errors", f"fewer than the {self.l:,} known neighbors", self.errors)

    @property
    def title(self) -> str:
        """The number of known neighbors."""
        return f"{format_count(self.l, 'known neighbor')}{describe_errors(self.errors)}"

    @property
    def phrase(self) -> str:
        """The number of neighbors of a person."""
        times = ", and how often the person is linked to each" if self.multiplicities else ""
        return f"{format_count(self.l, 'neighbor')}{describe_errors(self.errors)} of a person{times}"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the known neighbors by name."""
        told = describe_entries(fact.value["known"])
        return told and f"{told}{describe_errors(fact.value.get('errors', 0))}"

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the known neighbors by alias."""
        return redact_entries(fact, aliases)

    def explain_finer(self, other: Adversary) -> str | None:
        """Return why: more known neighbors include fewer, and a neighbor that is not known counts as one error.

        Let S be a set that the other knows, and T the part of it, or all of it, that this knowledge may know: at most
        other.l - l vertices of S are not in T. A vertex that lacks at most `errors` of T lacks at most so many more
        of S.
        """
        if not isinstance(other, Neighbors) or self.multiplicities < other.multiplicities:
            return None
        return LESS if self.errors + max(0, other.l - self.l) <= other.errors else None

    @property
    def exact_facts(self) -> int:
        """The known neighbors less the errors: so many exact ones are finer knowledge."""
        return self.l - self.errors

    def with_error(self, text: str) -> Self:
        """Return the same knowledge with this number of errors."""
        return replace(self, errors=parse_number(text, self.form))

    @property
    def as_fact(self) -> dict[str, Any]:
        """The number of errors; nothing, if there are none."""
        return {"errors": self.errors} if self.errors else {}

    def estimate_steps(self, data: Dataset) -> int:
        """Return the number of sets of neighbors."""
        return count_sets(data.degree, self.l) if isinstance(data, Graph) and self.l > ALWAYS else 0

    def explain_slow_search(self, original: Dataset) -> str | None:
        """Return the number of pairs of neighbors, where there are very many: each is searched by itself."""
        if not isinstance(original, Graph):
            return None
        pairs = int((original.degree.astype(np.int64) * (original.degree - 1) // 2).sum())
        told = f"It searches each of {pairs:,} pairs of neighbors. Name it to count it; that may take minutes."
        return told if pairs > PAIRS else None

    def draw_facts(self, original: Dataset, released: Bools) -> DrawnFacts:
        """Return how l neighbors are drawn."""
        return DrawnRelations(self.l, self._reading, as_graph(original), released, self.errors)

    @property
    def _reading(self) -> Reading:
        return "exact-neighbors" if self.multiplicities else "neighbors"

    @property
    def assumes(self) -> str:
        """That missing links are unknown: they would leave fewer candidates (erratum E16). And that errors occur."""
        told = (
            "The attacker is assumed to know only links that exist, never that two people are not linked "
            "(Definition II of Stokes & Torra 2012)."
        )
        if not self.errors:
            return told
        many = format_count(self.errors, "known neighbor")
        return (
            f"{told} The attacker is assumed to be imprecise: up to {many} may be wrong. An attacker who is sure may "
            "find fewer candidates."
        )

    def incremental(self) -> Incremental | None:
        """Return the neighbors, for one known neighbor or two."""
        if self == Neighbors(1):
            return Incremental(frozenset({"neighbors"}))
        return Incremental(frozenset({"pairs"})) if self == Neighbors(2) else None

    def see(self, view: View) -> WorstCandidates:
        """Find the worst set of neighbors for every vertex."""
        if self.errors:
            return _search_with_errors(view, self.l, self._reading, self.errors)
        return find_worst_subset(view, self.l, self._reading)

    def words(self) -> Sequence[str]:
        """Return l, and whether multiplicities are known."""
        return [*super().words(), *(["multiplicities"] if self.multiplicities else [])]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read l, and whether multiplicities are known."""
        known = len(words) == 2 and words[1] == "multiplicities"
        return replace(super().from_words(words[:1] if known else words), multiplicities=known)


# Neighbors and relations: the worst of many known sets, found by search.


def find_worst_subset(view: View, l: int, reading: Reading) -> WorstCandidates:
    """Return, for every vertex, the smallest candidate set that at most l known relations leave."""
    if view.original is not None:
        return _search_release(view, l, reading)
    graph = view.graph
    sizes, exact = count_fewest(graph, l, reading)
    best, within = _search_best(view, l, reading, None), _search_within(view, l, reading)
    return WorstCandidates(sizes, _list_family(view, l, reading), exact, best, np.ones(graph.n, dtype=np.bool_), within)


def _search_best(view: View, l: int, reading: Reading, kind: Ints | None) -> Callable[[int], CandidateSet]:
    def best(v: int) -> CandidateSet:
        known = find_fewest_set(view.graph, v, l, reading, kind)
        left = find_candidates(view, v, known, reading)
        return CandidateSet(
            (describe_ties(view, v, known, reading),), left if kind is None else left[kind[left] == kind[v]]
        )

    return best


def _search_within(view: View, l: int, reading: Reading) -> Callable[[Candidates], WorstCandidates | None]:
    """Return how to search inside classes only, where the class is known too."""

    def within(other: Candidates) -> WorstCandidates | None:
        if not isinstance(other, AlikeCandidates):
            return None
        sizes, exact = count_fewest(view.graph, l, reading, other.published)
        best, whole = _search_best(view, l, reading, other.published), np.ones(len(sizes), dtype=np.bool_)
        return add_class_facts(other, WorstCandidates(sizes, _list_family(view, l, reading), exact, best, whole))

    return within


def _search_release(view: View, l: int, reading: Reading) -> WorstCandidates:
    sizes, exact, known = count_fewest_in_release(view.graph, view.list_known_rows(), view.counterpart, l, reading)

    def best(v: int) -> CandidateSet:
        return CandidateSet((describe_ties(view, v, known[v], reading),), find_candidates(view, v, known[v], reading))

    return WorstCandidates(sizes, _list_family(view, l, reading), exact, best, np.ones(len(sizes), dtype=np.bool_))


def _search_with_errors(
    view: View, l: int, reading: Reading, errors: int, other: AlikeCandidates | None = None
) -> WorstCandidates:
    """Return the smallest candidate sets if some known neighbors may be wrong, inside the classes of `other`."""
    kinds = None if other is None else (other.known.astype(np.int64), other.published.astype(np.int64))
    sizes, exact, known = count_fewest_with_errors(view.graph, view.list_known_rows(), l, errors, reading, kinds)

    def best(v: int) -> CandidateSet:
        left = find_candidates(view, v, known[v], reading, errors)
        kept = left if kinds is None else left[kinds[1][left] == kinds[0][v]]
        return CandidateSet((describe_ties(view, v, known[v], reading, errors),), kept)

    def within(classes: Candidates) -> WorstCandidates | None:
        if not isinstance(classes, AlikeCandidates):
            return None
        return add_class_facts(classes, _search_with_errors(view, l, reading, errors, classes))

    family, whole_family = _list_family(view, l, reading, errors), np.ones(len(sizes), dtype=np.bool_)
    return WorstCandidates(sizes, family, exact, best, whole_family, within if other is None else None)


def _list_family(view: View, l: int, reading: Reading, errors: int = 0) -> Callable[[int], Iterator[CandidateSet]]:
    """Return a function that yields all sets of at most l relations of a vertex."""

    def every(v: int) -> Iterator[CandidateSet]:
        columns = list_knowable(view, v, reading)
        for known in chain.from_iterable(combinations(columns, size) for size in range(l + 1)):
            ids = np.array(known, dtype=np.int64)
            left = find_candidates(view, v, ids, reading, errors)
            yield CandidateSet((describe_ties(view, v, ids, reading, errors),), left)

    return every


def list_knowable(view: View, v: int, reading: Reading) -> list[int]:
    """Return the published vertices whose relation to v may be known."""
    if reading in ("neighbors", "exact-neighbors"):
        row = view.counterpart[view.known_graph.neighbors(v)]
        return row[row >= 0].tolist()  # type: ignore[no-any-return]
    there = view.counterpart[view.counterpart >= 0]
    return [x for x in np.sort(there).tolist() if reading == "relations" or x != view.counterpart[v]]


def find_candidates(view: View, v: int, known: Ints, reading: Reading, errors: int = 0) -> Ints:
    """Return the vertices that agree with v on the published vertices `known`, but for errors, by the definition."""
    differ = np.zeros(view.published.n, dtype=np.int64)
    for x in known.tolist():
        differ += read_column(view.graph, x, reading) != count_ties(view, v, x, reading)
        if reading == "located-relations":
            differ[x] += 1
    return np.flatnonzero(differ <= errors)


def read_column(graph: Graph, x: int, reading: Reading) -> Ints:
    """Return the entry of every vertex in column x."""
    row = np.zeros(graph.n, dtype=np.int64)
    plain = reading == "neighbors" or graph.multiplicity is None
    row[graph.neighbors(x)] = 1 if plain else graph.multiplicity[graph.indptr[x] : graph.indptr[x + 1]]  # type: ignore[index]
    return row


def count_ties(view: View, v: int, x: int, reading: Reading) -> int:
    """Return the entry of v in the column of the vertex published as x."""
    g, w = view.known_graph, view.source[x]
    row = g.neighbors(v)
    at = int(np.searchsorted(row, w))
    if at == len(row) or row[at] != w:
        return 0
    return 1 if reading == "neighbors" or g.multiplicity is None else int(g.multiplicity[g.indptr[v] + at])


def describe_ties(view: View, v: int, known: Ints, reading: Reading, errors: int = 0) -> Fact:
    """Return the known vertices by name, with the number of links to each."""
    told = [(view.known.names[int(view.source[x])], count_ties(view, v, x, reading)) for x in known.tolist()]
    kind = "neighbors" if reading == "exact-neighbors" else reading
    allowed = {"errors": errors} if errors else {}
    return Fact(kind, {"known": told, "exactly": reading == "exact-neighbors", **allowed})


# Facts in words, and their cost.


def describe_entries(known: Sequence[tuple[object, int]]) -> str:
    """Return known links and missing links as a verb phrase; empty where none is known.

    >>> describe_entries([("Medici", 1), ("Pazzi", 2), ("Strozzi", 0)])
    'is linked to Medici and Pazzi (2 times) and not linked to Strozzi'
    """
    linked = [name_with_times(name, times) for name, times in known if times]
    apart = [str(name) for name, times in known if not times]
    parts = [f"linked to {join_names(linked, most=60)}"] if linked else []
    parts += [f"not linked to {join_names(apart, most=60)}"] if apart else []
    return f"is {' and '.join(parts)}" if parts else ""


def describe_errors(errors: int) -> str:
    """Return how many of the known neighbors may be wrong; empty where none may be.

    >>> describe_errors(1), describe_errors(0)
    (' (1 may be wrong)', '')
    """
    return f" ({errors:,} may be wrong)" if errors else ""


def name_with_times(name: object, times: int) -> str:
    """Return a name, and how many links there are where there are several.

    >>> name_with_times("Medici", 1), name_with_times("Medici", 2)
    ('Medici', 'Medici (2 times)')
    """
    return f"{name} ({times} times)" if times > 1 else str(name)


def redact_entries(fact: Fact, aliases: Aliases) -> dict[str, Any]:
    """Return known links and missing links by alias."""
    return {**fact.value, "known": [[aliases(name), times] for name, times in fact.value["known"]]}


def count_sets(facts: Iterable[int], l: int) -> int:
    """Return the number of sets of up to l facts, over vertices with so many facts each."""
    many, often = np.unique(np.asarray(facts), return_counts=True)
    return sum(times * comb(d, min(l, d // 2, DEEP)) for d, times in zip(many.tolist(), often.tolist(), strict=True))


# One drawn set of facts, for attacks.


@dataclass(frozen=True, eq=False)
class DrawnRelations(DrawnFacts):
    """At most l neighbors of a vertex, or at most l entries of its row."""

    l: int
    reading: Reading
    original: Graph
    released: Bools
    errors: int = 0

    note: ClassVar[str] = (
        "The attacker is assumed to find the other people in these facts, such as known neighbors, in the release."
    )

    def draw(self, v: int, rng: np.random.Generator) -> Ints:
        """Draw l released neighbors, or the entries of l released vertices; all, if there are fewer."""
        if self.reading in ("neighbors", "exact-neighbors"):
            row = self.original.neighbors(v)
            return rng.permutation(row[self.released[row]])[: self.l]
        return self._draw_entries(v, rng)

    def _draw_entries(self, v: int, rng: np.random.Generator) -> Ints:
        known: dict[int, None] = {}
        own = self.reading == "located-relations" and bool(self.released[v])
        most = min(self.l, len(self._there) - own)
        while len(known) < most:  # the first l distinct vertices of uniform draws
            x = int(self._there[rng.integers(len(self._there))])
            if not (own and x == v):
                known[x] = None
        return np.array(list(known), dtype=np.int64)

    @cached_property
    def _there(self) -> Ints:
        return np.flatnonzero(self.released)

    def seek(self, view: View) -> Search:
        """Return the vertices that agree with v on every known entry."""
        g = view.graph

        def column(x: int, entry: int) -> VertexSet:
            """Return the vertices with this entry in column x."""
            row = g.neighbors(x)
            if entry and self.reading != "neighbors":
                times = 1 if g.multiplicity is None else g.multiplicity[g.indptr[x] : g.indptr[x + 1]]
                row = row[np.broadcast_to(times, row.shape) == entry]
            return VertexSet(g.n, row, inside=entry > 0)

        def left(v: int, known: Ints) -> VertexSet:
            found = VertexSet(g.n, np.empty(0, dtype=np.int64), inside=False)
            if self.errors:
                return self._keep_most(view, v, known, column) if len(known) > self.errors else found
            for x in view.counterpart[known].tolist():
                found = found.meet(column(x, count_ties(view, v, x, self.reading)))
                if self.reading == "located-relations":
                    found = found.meet(VertexSet(g.n, np.array([x]), inside=False))
            return found

        return left

    def _keep_most(self, view: View, v: int, known: Ints, column: Callable[[int, int], VertexSet]) -> VertexSet:
        """Return the vertices that lack at most `errors` of the known neighbors."""
        columns = [column(x, count_ties(view, v, x, self.reading)).ids for x in view.counterpart[known].tolist()]
        ids, hits = np.unique(np.concatenate(columns), return_counts=True)
        return VertexSet(view.published.n, ids[hits >= len(known) - self.errors])
