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
from shoal.core.exposing_sets import count_fewest, count_fewest_in_release, count_fewest_of_one_link, find_fewest_set
from shoal.core.incidence import Incidence, Reading
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph
from shoal.data.ties import Relation
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
from shoal.knowledge.known_entries import KnownEntries
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
        Where links have a direction or a kind, all known links to one neighbor are one such fact.

    Examples
    --------
    Only Ridolfi is linked to both Medici and Strozzi:

    >>> import shoal
    >>> risk = shoal.assess(shoal.examples.florentine(), Neighbors(2))
    >>> risk.k, risk.witness("Ridolfi")
    (1, Witness(knows=(Fact(kind='neighbors', value={'known': [('Medici', 1), ('Strozzi', 1)], ...

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

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
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
            return _search_with_errors(KnownEntries(view, self._reading), self.l, self.errors)
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
    entries = KnownEntries(view, reading)
    if view.original is not None:
        return _search_release(entries, l)
    quick = count_fewest_of_one_link(view.graph) if l == 1 and reading == "neighbors" else None
    sizes, exact = count_fewest(entries.published, l) if quick is None else (quick, np.ones(len(quick), dtype=np.bool_))
    best, within = _search_best(entries, l, None), _search_within(entries, l)
    return WorstCandidates(sizes, _list_family(entries, l), exact, best, np.ones(len(sizes), dtype=np.bool_), within)


def _search_best(entries: KnownEntries, l: int, kind: Ints | None) -> Callable[[int], CandidateSet]:
    def best(v: int) -> CandidateSet:
        known = find_fewest_set(entries.published, v, l, kind)
        left = entries.find_candidates(v, known)
        return CandidateSet((entries.describe(v, known),), left if kind is None else left[kind[left] == kind[v]])

    return best


def _search_within(entries: KnownEntries, l: int) -> Callable[[Candidates], WorstCandidates | None]:
    """Return how to search inside classes only, where the class is known too."""

    def within(other: Candidates) -> WorstCandidates | None:
        if not isinstance(other, AlikeCandidates):
            return None
        sizes, exact = count_fewest(entries.published, l, other.published)
        best, whole = _search_best(entries, l, other.published), np.ones(len(sizes), dtype=np.bool_)
        return add_class_facts(other, WorstCandidates(sizes, _list_family(entries, l), exact, best, whole))

    return within


def _search_release(entries: KnownEntries, l: int) -> WorstCandidates:
    own = entries.view.counterpart
    sizes, exact, known = count_fewest_in_release(entries.published, entries.rows, own, l)

    def best(v: int) -> CandidateSet:
        return CandidateSet((entries.describe(v, known[v]),), entries.find_candidates(v, known[v]))

    return WorstCandidates(sizes, _list_family(entries, l), exact, best, np.ones(len(sizes), dtype=np.bool_))


def _search_with_errors(
    entries: KnownEntries, l: int, errors: int, other: AlikeCandidates | None = None
) -> WorstCandidates:
    """Return the smallest candidate sets if some known neighbors may be wrong, inside the classes of `other`."""
    kinds = None if other is None else (other.known.astype(np.int64), other.published.astype(np.int64))
    sizes, exact, known = count_fewest_with_errors(entries.published, entries.rows, l, errors, kinds)

    def best(v: int) -> CandidateSet:
        left = entries.find_candidates(v, known[v], errors)
        kept = left if kinds is None else left[kinds[1][left] == kinds[0][v]]
        return CandidateSet((entries.describe(v, known[v], errors),), kept)

    def within(classes: Candidates) -> WorstCandidates | None:
        if not isinstance(classes, AlikeCandidates):
            return None
        return add_class_facts(classes, _search_with_errors(entries, l, errors, classes))

    family, whole_family = _list_family(entries, l, errors), np.ones(len(sizes), dtype=np.bool_)
    return WorstCandidates(sizes, family, exact, best, whole_family, within if other is None else None)


def _list_family(entries: KnownEntries, l: int, errors: int = 0) -> Callable[[int], Iterator[CandidateSet]]:
    """Return a function that yields all sets of at most l relations of a vertex."""

    def every(v: int) -> Iterator[CandidateSet]:
        items = entries.list_knowable(v)
        for known in chain.from_iterable(combinations(items, size) for size in range(l + 1)):
            ids = np.array(known, dtype=np.int64)
            yield CandidateSet((entries.describe(v, ids, errors),), entries.find_candidates(v, ids, errors))

    return every


# Facts in words, and their cost.


def describe_entries(known: Sequence[Sequence[Any]]) -> str:
    """Return known links and missing links as a verb phrase; empty where none is known.

    An entry is a name, the number of links, and how the link is seen if links have a direction or a kind.

    >>> describe_entries([("Medici", 1), ("Pazzi", 2), ("Strozzi", 0)])
    'is linked to Medici and Pazzi (2 times) and not linked to Strozzi'
    >>> out, back = ({"kind": None, "direction": direction} for direction in ("out", "in"))
    >>> describe_entries([("Medici", 1, out), ("Pazzi", 1, out), ("Medici", 1, back), ("Strozzi", 0, out)])
    'links to Medici and Pazzi, is linked from Medici and does not link to Strozzi'
    >>> call, kin = {"kind": "call", "direction": "out"}, {"kind": "kin", "direction": "both"}
    >>> describe_entries([("Medici", 2, call), ("Pazzi", 0, kin)])
    'has the call link to Medici (2 times) and does not have the kin link with Pazzi'
    >>> describe_entries([("Medici", 1, call), ("Pazzi", 1, {"kind": "kin", "direction": "in"})])
    'has the call link to Medici and the kin link from Pazzi'
    """
    if known and len(known[0]) > 2:
        return _describe_relations(known)
    linked = [name_with_times(name, times) for name, times in known if times]
    apart = [str(name) for name, times in known if not times]
    parts = [f"linked to {join_names(linked, most=60)}"] if linked else []
    parts += [f"not linked to {join_names(apart, most=60)}"] if apart else []
    return f"is {' and '.join(parts)}" if parts else ""


LINKED = {"out": "links to", "in": "is linked from", "both": "is linked both ways with"}
APART = {"out": "does not link to", "in": "is not linked from", "both": "is not linked both ways with"}
PREPOSITIONS = {"out": "to", "in": "from", "both": "with"}


def _describe_relations(known: Sequence[Sequence[Any]]) -> str:
    """Return known entries with directions or kinds as a verb phrase: links first, then missing links."""
    parts: dict[str, list[str]] = {}
    for there in (True, False):
        for name, times, relation in known:
            if bool(times) == there:
                verb, role = _name_relation(relation, there)
                parts.setdefault(verb, []).append(f"{role}{name_with_times(name, times)}")
    return join_names([f"{verb} {join_names(ends, most=60)}" for verb, ends in parts.items()])


def _name_relation(relation: dict[str, Any], there: bool) -> tuple[str, str]:
    """Return the verb for an entry, and the words between the verb and the name."""
    kind, direction = relation["kind"], relation["direction"]
    if kind is None:
        return (LINKED if there else APART)[direction], ""
    verb = "has" if there else "does not have"
    return verb, f"the {kind or '(missing kind)'} link {PREPOSITIONS[direction]} "


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
    return {**fact.value, "known": [[aliases(name), *rest] for name, *rest in fact.value["known"]]}


def count_sets(facts: Iterable[int], l: int) -> int:
    """Return the number of sets of up to l facts, over vertices with so many facts each."""
    many, often = np.unique(np.asarray(facts), return_counts=True)
    return sum(times * comb(d, min(l, d // 2, DEEP)) for d, times in zip(many.tolist(), often.tolist(), strict=True))


# One drawn set of facts, for attacks.


@dataclass(frozen=True, eq=False)
class DrawnRelations(DrawnFacts):
    """At most l known entries of the row of a vertex, or at most l entries that it may have."""

    l: int
    reading: Reading
    original: Graph
    released: Bools
    errors: int = 0

    note: ClassVar[str] = (
        "The attacker is assumed to find the other people in these facts, such as known neighbors, in the release."
    )

    def draw(self, v: int, rng: np.random.Generator) -> Ints:
        """Draw l released entries of v, or l entries that it may have; all, if there are fewer.

        An entry (w, relation) is the number w * (number of relations) + relation.
        """
        if self.reading in ("neighbors", "exact-neighbors"):
            row = self._entries.row(v) - self._entries.start
            near = self._entries.owners[row]
            known: Ints = self._entries.keys[rng.permutation(row[self.released[near]])[: self.l]]
            return known
        return self._draw_entries(v, rng)

    def _draw_entries(self, v: int, rng: np.random.Generator) -> Ints:
        known: dict[int, None] = {}
        many = max(1, len(self._entries.relations))
        own = self.reading == "located-relations" and bool(self.released[v])
        most = min(self.l, (len(self._there) - own) * many)
        while len(known) < most:  # the first l distinct entries of uniform draws
            at, relation = divmod(int(rng.integers(len(self._there) * many)), many)
            x = int(self._there[at])
            if not (own and x == v):
                known[x * many + relation] = None
        return np.array(list(known), dtype=np.int64)

    @cached_property
    def _there(self) -> Ints:
        return np.flatnonzero(self.released)

    @cached_property
    def _entries(self) -> Incidence:
        return Incidence.of(self.original, "neighbors")

    def seek(self, view: View) -> Search:
        """Return the vertices that agree with v on every known entry."""
        entries = KnownEntries(view, self.reading)

        def left(v: int, known: Ints) -> VertexSet:
            found = VertexSet(view.published.n, np.empty(0, dtype=np.int64), inside=False)
            if self.errors:
                return self._keep_most(entries, v, known)
            for w, relation in self._name_entries(view, known):
                found = found.meet(_read_column(entries, v, entries.find_item(w, relation)))
                if self.reading == "located-relations":
                    found = found.meet(VertexSet(view.published.n, np.array([w]), inside=False))
            return found

        return left

    def _name_entries(self, view: View, known: Ints) -> Iterator[tuple[int, Relation | None]]:
        """Yield the published vertex and the relation of each known entry."""
        relations = self._entries.relations or (None,)
        for key in known.tolist():
            w, relation = divmod(key, len(relations))
            yield int(view.counterpart[w]), relations[relation]

    def _keep_most(self, entries: KnownEntries, v: int, known: Ints) -> VertexSet:
        """Return the vertices that lack at most `errors` of the known neighbors."""
        near: dict[int, VertexSet] = {}
        for w, relation in self._name_entries(entries.view, known):
            column = _read_column(entries, v, entries.find_item(w, relation))
            near[w] = near[w].meet(column) if w in near else column
        if len(near) <= self.errors:
            return VertexSet(entries.published.n, np.empty(0, dtype=np.int64), inside=False)
        ids, hits = np.unique(np.concatenate([column.ids for column in near.values()]), return_counts=True)
        return VertexSet(entries.published.n, ids[hits >= len(near) - self.errors])


def _read_column(entries: KnownEntries, v: int, x: int | None) -> VertexSet:
    """Return the vertices that have item x as often as v; no vertex has an item that does not occur."""
    if x is None:
        return VertexSet(entries.published.n, np.empty(0, dtype=np.int64), inside=False)
    times, row = entries.count(v, x), entries.published.row(x)
    ids = row[entries.published.times(x) == times] if times else row
    return VertexSet(entries.published.n, ids, inside=times > 0)
