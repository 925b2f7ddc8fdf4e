"""Knowledge of a subgraph around a vertex: subgraph queries, counted in edge facts (Hay et al. 2008).

The attacker explores breadth-first from v. The first vertex in the queue reveals its links one by one, in any order.
Each link is one edge fact, and new vertices join the queue. A vertex is exhausted when all its links are known; then
the next one begins. The exploration ends when another edge fact would exceed the budget.

Where links have directions, kinds or multiplicities, one edge fact reveals all links of a linked pair. What joins the
pair, as its first vertex sees it, is a label.

b is the budget of edge facts, c what is left of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import chain, combinations, islice, product
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from shoal.core.grouping import group_multisets, list_members_by_class
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph
from shoal.data.ties import find_starts
from shoal.errors import BadParameter, format_count, join_names, must, whole
from shoal.knowledge.base import LESS, MANY_LINKS, Adversary, Aliases
from shoal.knowledge.candidates import CandidateSet, DrawnFacts, Fact, Search, VertexSet, WorstCandidates, weigh_bounds
from shoal.knowledge.relation_counts import spell_tie
from shoal.knowledge.view import View
from shoal.parts import check_word_count, parse_number
from shoal.progress import track
from shoal.settings import run_in_pieces

Bits = np.ndarray[Any, np.dtype[np.uint8]]
"""A set of vertices, one bit each."""
Words = np.ndarray[Any, np.dtype[np.uint64]]
"""For each vertex, or each label, up to 64 patterns, one bit each."""
Verdicts = np.ndarray[Any, np.dtype[np.int8]]
"""For each pattern a row with a verdict about each vertex: NO, YES, or undecided."""
NO, YES = 0, 1

MOST = 60
"""The largest budget."""
EXPLORATIONS = 1_000
"""The most explorations of one vertex. Beyond, the rest is left out and its size is only an upper bound."""
STEPS = 100
"""The steps that one exploration counts for: it is not compiled."""


@dataclass(frozen=True)
class Subgraph(Adversary):
    """Knows a connected subgraph of at most `edges` edges, found breadth-first from v.

    u is a candidate if and only if the subgraph can be embedded in the published graph with v on u: distinct vertices
    on distinct vertices, linked pairs on linked pairs (further ones are allowed), and every exhausted vertex on a
    vertex with exactly as many neighbors. The size is the minimum over all explorations; the minimal one is the
    witness. A known pair is known with all its links: their directions, kinds and multiplicities are preserved.
    Exploration follows links both ways.

    Parameters
    ----------
    edges
        The budget b of edge facts; each is a linked pair.
    exact_degrees
        Whether an exhausted vertex is known to have no further neighbors. False: "at least" these.

    Examples
    --------
    On a path of five, four edge facts identify the middle:

    >>> import networkx as nx, shoal
    >>> risk = shoal.assess(shoal.as_graph(nx.path_graph(5)), Subgraph(4))
    >>> risk.sizes.tolist(), risk.exact
    ([2, 2, 1, 2, 2], True)

    References
    ----------
    M. Hay, G. Miklau, D. Jensen, D. Towsley, P. Weis: Resisting structural re-identification in anonymized social
    networks. PVLDB 2008.
    """

    edges: int
    exact_degrees: bool = True

    shell: ClassVar[str] = "subgraph"
    form: ClassVar[str] = "subgraph:EDGES[:atleast]"
    description: ClassVar[str] = "Any connected pattern of EDGES links around a vertex, found step by step."
    notion: ClassVar[str] = "subgraph queries (Hay et al.)"
    nameless: ClassVar[bool] = True
    several_sets: ClassVar[bool] = True
    most_links: ClassVar[int | None] = MANY_LINKS

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", whole(self.edges, "Subgraph", "edges", least=1))
        must(self.edges <= MOST, "Subgraph", "edges", f"at most {MOST}", self.edges)

    @property
    def title(self) -> str:
        """The number of links."""
        return f"pattern of up to {format_count(self.edges, 'link')} nearby"

    @property
    def phrase(self) -> str:
        """The links around a person."""
        return f"a pattern of up to {format_count(self.edges, 'link')} around a person"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the pattern with the names it was found under, and the vertices whose degree is known."""
        edges, exact = fact.value["edges"], fact.value["exact"]
        if not edges:
            return "has no neighbors" if exact else ""
        links = join_names([_describe_pair(*edge) for edge in edges], most=60)
        counts = join_names([f"{name} has {format_count(d, 'neighbor')} in all" for name, d in exact], most=60)
        return f"lies in the pattern {links}{f', where {counts}' if exact else ''}"

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the pattern with aliases."""
        return {
            "vertex": aliases(fact.value["vertex"]),
            "edges": [[aliases(a), aliases(b), *links] for a, b, *links in fact.value["edges"]],
            "exact": [[aliases(name), d] for name, d in fact.value["exact"]],
        }

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: more links include fewer."""
        fewer = isinstance(other, Subgraph) and other.edges <= self.edges and self.exact_degrees >= other.exact_degrees
        return LESS if fewer else None

    def estimate_steps(self, data: Dataset) -> int:
        """Return the steps of all explorations: they double with each link."""
        return data.n * STEPS << self.edges

    def draw_facts(self, original: Dataset, released: Bools) -> DrawnFacts:
        """Return how one exploration is drawn."""
        graph = as_graph(original)
        return DrawnSubgraph(self, label_pairs(graph, graph, self.edges, self.exact_degrees)[0])

    def see(self, view: View) -> WorstCandidates:
        """Explore from every vertex, and embed the patterns."""
        explored, sought = label_pairs(view.known_graph, view.graph, self.edges, self.exact_degrees)
        first, which = explored.find_alike()
        shown: list[list[int]] = []
        for done, v in enumerate(first.tolist()):
            shown.append(self._number_patterns(view, explored, v))
            if done % 1024 == 0:
                track("exploring", done, len(first))
        verdicts = place_patterns(sought, list(explored.patterns), self.exact_degrees)
        placed = Placements.of(verdicts, view)
        many = np.array([len(ids) for ids in shown])
        limits = placed.bounds[:, np.fromiter(chain.from_iterable(shown), dtype=np.int64)]
        low, high = np.minimum.reduceat(limits, np.cumsum(many) - many, axis=1)[:, which]
        whole_search = (many < EXPLORATIONS)[which]
        sizes, exact = weigh_bounds(low, high, whole_search, view.published.n)

        def every(v: int) -> Iterator[CandidateSet]:
            own = v if view.original is None else None
            for seen in self._list_views(view, explored, v):
                facts = (self._describe_view(view.known_graph, seen),)
                yield placed.leave(explored.patterns[seen.pattern], facts, own)

        return WorstCandidates(sizes, every, exact, whole=whole_search)

    def _list_budgets(self, view: View) -> Sequence[int]:
        """Return the budgets to explore with: with `original` also smaller ones, which may be all that fit."""
        return [self.edges] if view.original is None else range(self.edges + 1)

    def _number_patterns(self, view: View, explored: KnownLinks, v: int) -> list[int]:
        """Return the numbers of the patterns that explorations from v show."""
        found: dict[int, None] = {}
        for b in self._list_budgets(view):
            for _, _, endings in explore(explored, v, b, every_order=view.original is not None):
                found.update(endings.numbers)
                if len(found) >= EXPLORATIONS:
                    break
        return list(found)[:EXPLORATIONS]

    def _list_views(self, view: View, explored: KnownLinks, v: int) -> list[Exploration]:
        """Return the explorations from v that show different patterns."""
        found: dict[Pattern, Exploration] = {}
        for b in self._list_budgets(view):
            for seen in list_explorations(explored, v, b, every_order=view.original is not None):
                found.setdefault(seen.pattern, seen)
                if len(found) >= EXPLORATIONS:
                    break
        return [found[pattern] for pattern in islice(found, EXPLORATIONS)]

    def _describe_view(self, g: Graph, seen: Exploration) -> Fact:
        name = [g.names[x] for x in seen.vertices]
        ends = [(a, b, seen.vertices[a], seen.vertices[b]) for a, b, _, _ in seen.pattern.edges]
        edges = [(name[a], name[b], *_tell_links(g, v, w)) for a, b, v, w in ends]
        degree = [
            (name[i], int(g.indptr[x + 1] - g.indptr[x]))
            for i, x in enumerate(seen.vertices)
            if seen.pattern.exhausted[i]
        ]
        return Fact("subgraph", {"vertex": name[0], "edges": edges, "exact": degree})

    def words(self) -> Sequence[str]:
        """Return the budget, and "atleast" where exact degrees are not known."""
        return [str(self.edges)] if self.exact_degrees else [str(self.edges), "atleast"]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the budget."""
        check_word_count(words, 2, cls.form)
        if not words or (len(words) == 2 and words[1] != "atleast"):
            raise BadParameter(f"'subgraph' must be spelled {cls.form}. Got {':'.join(['subgraph', *words])!r}.")
        return cls(parse_number(words[0], cls.form), exact_degrees=len(words) == 1)


Edge = tuple[int, int, int, int]
"""A linked pair of a pattern: two positions, the smaller first, and the labels that the first and the second see."""


class Pattern(NamedTuple):
    """A small connected subgraph explored from its target, vertex 0."""

    edges: tuple[Edge, ...]
    """The linked pairs, ascending."""
    exhausted: tuple[bool, ...]
    """For each position, whether `edges` is known to hold all its edges."""

    def relabel(self, labels: Mapping[int, int]) -> Pattern:
        """Return the pattern with other labels."""
        return self._replace(edges=tuple((a, b, labels[ahead], labels[back]) for a, b, ahead, back in self.edges))


@dataclass(frozen=True, eq=False)
class Placements:
    """Where patterns fit."""

    maybe: Bits
    """For each pattern, where it fits or could not be excluded."""
    surely: Mapping[int, Bits]
    """Where it surely fits, if that is not wherever it may."""
    n: int
    """The number of published vertices."""
    bounds: Ints
    """Lower and upper bounds of the numbers of fitting vertices (:func:`shoal.knowledge.candidates.bound_smallest`)."""

    @classmethod
    def of(cls, verdicts: Iterable[Verdicts], view: View) -> Self:
        """Return where patterns fit. A pattern seen in the published graph itself fits at least one vertex."""
        n = view.published.n
        maybe: list[Bits] = []
        surely: dict[int, Bits] = {}
        counts: list[tuple[Ints, Ints]] = []
        for some in verdicts:
            may, sure = some != NO, some == YES
            most, least = np.count_nonzero(may, axis=1), np.count_nonzero(sure, axis=1)
            first = sum([len(bits) for bits in maybe])
            surely |= {first + i: np.packbits(sure[i]) for i in np.flatnonzero(most != least).tolist()}
            maybe.append(np.packbits(may, axis=1))
            counts.append((most, least))
        most, least = np.concatenate(counts, axis=1)
        fits = (least > 0) | (view.original is None)
        bounds = np.stack([np.where(most, np.maximum(1, least), n + 1), np.where(fits, most, n + 1)])
        return cls(np.concatenate(maybe), surely, n, bounds)

    def leave(self, i: int, facts: tuple[Fact, ...], own: int | None) -> CandidateSet:
        """Return the candidates by pattern i; the vertex `own`, from which it was explored, surely fits."""
        ids = self._unpack_ids(self.maybe[i])
        if i not in self.surely:
            return CandidateSet(facts, ids)
        sure = self._unpack_ids(self.surely[i])
        return CandidateSet(facts, ids, sure if own is None else np.union1d(sure, [own]))

    def _unpack_ids(self, bits: Bits) -> Ints:
        return np.flatnonzero(np.unpackbits(bits, count=self.n))


class Exploration(NamedTuple):
    """The result of one exploration: a pattern, and the vertices it consists of."""

    vertices: tuple[int, ...]
    pattern: Pattern


Group = tuple[int, list[int]]
"""A label, and vertices that a vertex sees with this label."""
Joint = tuple[int, int]
"""The position of a known vertex, and the label that another one sees on the link to it."""


class Endings(NamedTuple):
    """All ways to spend the last edge facts."""

    taken: Sequence[tuple[int, ...]]
    """How many vertices of each group are revealed."""
    numbers: dict[int, None]
    """The number of the pattern that is then known; no two are equal."""


@dataclass(frozen=True, eq=False)
class KnownLinks:
    """A graph, and what is known of each linked pair besides that it is linked."""

    graph: Graph
    budget: int
    """The most edge facts of an exploration."""
    labels: Ints | None = None
    """For each entry of the rows a label; entries are alike if and only if their labels are equal. None: all are."""
    reverse: Sequence[int] | None = None
    """For each label the label that the other end sees; None: the same."""
    exact_degrees: bool = True
    """Whether a pattern says which of its vertices have no further neighbors."""
    patterns: dict[Pattern, int] = field(default_factory=dict, init=False)
    """The patterns that were seen, numbered."""
    endings: dict[Any, Endings] = field(default_factory=dict, init=False)
    """What the last edge facts reveal, by all that it depends on."""
    shown: dict[Any, dict[tuple[int, ...], int]] = field(default_factory=dict, init=False)
    """The numbers of patterns, by what was known before, and by the labels of new vertices at one vertex."""
    _numbered: list[Pattern] = field(default_factory=list, init=False)
    _groups: dict[int, list[Group]] = field(default_factory=dict, init=False)
    _stars: dict[int, tuple[list[tuple[int, int]], bool, dict[Any, tuple[tuple[int, int], ...]]]] = field(
        default_factory=dict, init=False
    )
    _counts: dict[int, Bits] = field(default_factory=dict, init=False)
    _joined: dict[tuple[int, int, tuple[int, ...]], list[Edge]] = field(default_factory=dict, init=False)

    def number(self, pattern: Pattern) -> int:
        """Return the number of a pattern."""
        return self.patterns.setdefault(pattern, len(self.patterns))

    def list_patterns(self) -> list[Pattern]:
        """Return the patterns by their numbers."""
        if len(self._numbered) < len(self.patterns):
            self._numbered.extend(islice(self.patterns, len(self._numbered), None))
        return self._numbered

    @cached_property
    def sorted_rows(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The rows sorted by label and then by id, in runs of one label.

        The neighbors, the runs of each row, the label of each run, and the bounds of each run.
        """
        assert self.labels is not None
        many = int(self.labels.max(initial=0)) + 1
        keys = np.repeat(np.arange(self.graph.n) * many, np.diff(self.graph.indptr))
        keys += self.labels
        if self.graph.n * many < FEW * len(keys):
            order, bounds = list_members_by_class(keys)
            starts = bounds[:-1][np.diff(bounds) > 0]
        else:
            order = np.argsort(keys, kind="stable")
            starts = find_starts(keys[order])
        of_row = np.searchsorted(starts, self.graph.indptr)
        return self.graph.indices[order], of_row, self.labels[order[starts]], np.append(starts, len(order))

    def find_alike(self) -> tuple[Ints, Ints]:
        """Return the first vertex of each class that shows the same patterns, and the class of each vertex."""
        alike = np.where(self.stars >= 0, self.stars, int(self.stars.max(initial=0)) + 1 + np.arange(self.graph.n))
        _, first, which = np.unique(alike, return_index=True, return_inverse=True)
        return first, which.reshape(-1)

    @cached_property
    def stars(self) -> Ints:
        """The class of each hub, that is of a vertex with more neighbors than the budget; -1 for other vertices.

        An exploration that comes to a hub ends there. Only the number of its neighbors with each label matters, up to
        the budget; these numbers are equal in a class.
        """
        large = np.diff(self.graph.indptr) > self.budget
        if self.labels is None:
            return np.where(large, 0, -1)
        _, of_row, labels, bounds = self.sorted_rows
        sizes = np.minimum(np.diff(bounds), self.budget).astype(np.int32)
        return np.where(large, group_multisets(of_row, labels, sizes), -1)

    @cached_property
    def star_of(self) -> memoryview:
        """The class of each hub; reading one is quicker here."""
        return self.stars.data

    @cached_property
    def _views(self) -> list[memoryview]:
        """The sorted rows; short slices of views are quicker."""
        return [part.data for part in self.sorted_rows]

    @cached_property
    def _rows(self) -> tuple[memoryview, memoryview, memoryview | None]:
        return self.graph.indptr.data, self.graph.indices.data, None if self.labels is None else self.labels.data

    def begin_row(self, v: int) -> list[Group]:
        """Return the neighbors of v in groups by label: of each label all, or as many as an exploration asks for."""
        if self.labels is None:
            return [(0, self.graph.neighbors(v)[: self.budget + 2].tolist())]
        found = self._groups.get(v)
        if found is None:
            found = self._groups[v] = self._list_groups(v)
        return found

    def _list_groups(self, v: int) -> list[Group]:
        near, of_row, labels, bounds = self._views
        most = self.budget + 2
        groups, low = [], bounds[of_row[v]]
        for run in range(of_row[v], of_row[v + 1]):
            high = bounds[run + 1]
            groups.append((labels[run], near[low : min(high, low + most)].tolist()))
            low = high
        return groups

    def sorts_row(self, v: int) -> bool:
        """Return whether `begin_row` sorts all neighbors of v by label."""
        if self.labels is None:
            return False
        _, of_row, _, bounds = self._views
        return all(bounds[i + 1] - bounds[i] <= self.budget + 2 for i in range(of_row[v], of_row[v + 1]))

    def find_label(self, v: int, w: int) -> int:
        """Return the label of the pair v, w as v sees it, 0 without labels; -1 if the two are not linked."""
        indptr, indices, labels = self._rows
        end = indptr[v + 1]
        at = bisect_left(indices, w, indptr[v], end)
        if at == end or indices[at] != w:
            return -1
        return 0 if labels is None else labels[at]

    def count_new(self, hub: int, known: tuple[int, ...], c: int) -> tuple[tuple[int, int], ...]:
        """Return the labels that a hub sees on links to new vertices, and the number of each, up to c.

        `known` are the labels of its links to known vertices. They and c, which is 1 or more, are within the budget.
        So of each label that occurs as often as the budget, c new ones are left.
        """
        if self.labels is None:
            return ((0, c),)
        star = self.star_of[hub]
        held = self._stars.get(star)
        if held is None:
            _, of_row, labels, bounds = self._views
            runs = range(of_row[hub], of_row[hub + 1])
            sizes = [(labels[i], min(bounds[i + 1] - bounds[i], self.budget)) for i in runs]
            held = self._stars[star] = sizes, all(size == self.budget for _, size in sizes), {}
        sizes, full, news = held
        key = c if full else (known, c)
        found = news.get(key)
        if found is None:
            left = [(label, size - known.count(label)) for label, size in sizes]
            found = news[key] = tuple([(label, min(size, c)) for label, size in left if size])
        return found

    def join(self, i: int, j: int, label: int) -> Edge:
        """Return the edge of two positions; i sees the label."""
        back = label if self.reverse is None else self.reverse[label]
        return (i, j, label, back) if i < j else (j, i, back, label)

    def turn(self, label: int) -> int:
        """Return the label that the other end sees."""
        return label if self.reverse is None else self.reverse[label]

    def join_new(self, i: int, first: int, labels: tuple[int, ...]) -> list[Edge]:
        """Return the edges of position i to new ones, from `first` on; i sees the labels."""
        key = i, first, labels
        found = self._joined.get(key)
        if found is None:
            found = self._joined[key] = [(i, first + at, label, self.turn(label)) for at, label in enumerate(labels)]
        return found

    def allow(self, needs: Sequence[tuple[tuple[int, ...], bool]]) -> Bools:
        """Return sets of vertices: those that have some labels among their entries, each so often.

        A need is these labels, and whether there may be no others.
        """
        degree = np.minimum(np.diff(self.graph.indptr), MOST + 1).astype(np.uint8)
        many = np.array([len(labels) for labels, _ in needs], dtype=np.uint8)[:, None]
        exact = np.array([exact for _, exact in needs])[:, None]
        found = np.empty((len(needs), self.graph.n), dtype=np.bool_)
        step = max(1, BLOCK // self.graph.n)
        for some in (slice(first, first + step) for first in range(0, len(needs), step)):
            np.equal(degree, many[some], out=found[some])
            found[some] |= ~exact[some] & (degree >= many[some])
            for label in {label for labels, _ in needs[some] for label in labels}:
                least = np.array([labels.count(label) for labels, _ in needs[some]], dtype=np.uint8)
                found[some] &= self._count_entries(label) >= least[:, None]
        return found

    def _count_entries(self, label: int) -> Bits:
        """Return how many entries of each vertex have a label, up to one more than any budget."""
        found = self._counts.get(label)
        if found is None:
            _, of_row, labels, bounds = self.sorted_rows
            runs = np.flatnonzero(labels == label)
            found = self._counts[label] = np.zeros(self.graph.n, dtype=np.uint8)
            found[np.searchsorted(of_row, runs, side="right") - 1] = np.minimum(
                bounds[runs + 1] - bounds[runs], MOST + 1
            )
        return found


FEW = 8
"""Entries are sorted by counting if there are at most so many times as many rows and labels."""


def label_pairs(
    known: Graph, published: Graph, budget: int, exact_degrees: bool = True
) -> tuple[KnownLinks, KnownLinks]:
    """Label the linked pairs of two graphs by the links that join them; equal links have equal labels in both.

    >>> g = Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
    >>> label_pairs(g, g, 1)[0].labels.tolist()  # of a; of b, for a and c; of c
    [0, 1, 0, 1]
    """
    both = known if known is published or (known.is_simple and published.is_simple) else known.beside(published)
    labels = both.multiplicity if both.ties is None else both.ties.codes
    first = len(known.indices)
    back = None if both.ties is None else both.ties.reverse.tolist()
    explored = KnownLinks(known, budget, None if labels is None else labels[:first], back, exact_degrees)
    if known is published:
        return explored, explored
    last = 0 if labels is None else len(labels) - len(published.indices)
    return explored, KnownLinks(published, budget, None if labels is None else labels[last:], back, exact_degrees)


class PartialExploration(NamedTuple):
    """An unfinished exploration: vertices in the order seen, links between their positions, and the queue.

    `waiting` is the queue in batches: vertices revealed by the same vertex may come in any order.
    """

    vertices: tuple[int, ...]
    edges: tuple[Edge, ...]
    exhausted: frozenset[int]
    waiting: tuple[tuple[int, ...], ...]

    def list_exhausted(self, links: KnownLinks) -> list[bool]:
        """Return for each vertex whether it is known to have no further neighbors."""
        if not links.exact_degrees:
            return [False] * len(self.vertices)
        return [i in self.exhausted for i in range(len(self.vertices))]

    def list_new(self, links: KnownLinks, i: int) -> list[Group]:
        """Return new vertices at position i: all, or at least as many of each label as edge facts can reveal."""
        return [
            (label, new)
            for label, near in links.begin_row(self.vertices[i])
            if (new := [w for w in near if w not in self.vertices])
        ]

    def list_unknown(self, links: KnownLinks, i: int) -> tuple[list[Joint], list[Group]]:
        """Return the other ends of the unknown links at position i, not a hub: known vertices, and new vertices."""
        at = {x: j for j, x in enumerate(self.vertices)}
        joined = {a + b - i for a, b, _, _ in self.edges if i in (a, b)}
        old, groups = [], []
        for label, near in links.begin_row(self.vertices[i]):
            new = []
            for w in near:
                j = at.get(w)
                if j is None:
                    new.append(w)
                elif j not in joined:
                    old.append((j, label))
            if new:
                groups.append((label, new))
        return old, groups

    def list_known(self, links: KnownLinks, i: int) -> tuple[list[Joint], tuple[int, ...]]:
        """Return the unknown links of a hub at position i to known vertices, and the labels of all to known ones."""
        hub = self.vertices[i]
        joined = {i: -1}
        for a, b, ahead, back in self.edges:
            if a == i:
                joined[b] = ahead
            elif b == i:
                joined[a] = back
        rest = sorted([(w, j) for j, w in enumerate(self.vertices) if j not in joined])
        old = [(j, label) for w, j in rest if (label := links.find_label(hub, w)) >= 0]
        if len(old) > 1 and links.sorts_row(hub):
            old.sort(key=itemgetter(1))  # as `list_unknown` does
        return old, (*joined.values(), *[label for _, label in old])

    def reveal(self, links: KnownLinks, i: int, old: Iterable[Joint], new: Iterable[Group]) -> PartialExploration:
        """Learn links at position i to known positions and to new vertices."""
        vertices, edges = list(self.vertices), list(self.edges)
        edges += [links.join(i, j, label) for j, label in old]
        for label, some in new:
            first, back = len(vertices), links.turn(label)
            vertices += some
            edges += [(i, j, label, back) for j in range(first, len(vertices))]
        return PartialExploration(tuple(vertices), tuple(edges), self.exhausted, self.waiting)

    def finish(self, i: int, revealed: int) -> PartialExploration:
        """Exhaust position i; the last `revealed` vertices join the queue."""
        head, *rest = self.waiting
        left = tuple(j for j in head if j != i)
        fresh = tuple(range(len(self.vertices) - revealed, len(self.vertices)))
        batches = ((left,) if left else ()) + tuple(rest) + ((fresh,) if fresh else ())
        return PartialExploration(self.vertices, self.edges, self.exhausted | {i}, batches)


def list_explorations(links: KnownLinks, v: int, b: int, every_order: bool) -> Iterator[Exploration]:
    """Yield every breadth-first exploration from v with b edge facts."""
    for state, last, endings in explore(links, v, b, every_order):
        groups = [] if last is None else state.list_new(links, last)
        for taken, number in zip(endings.taken, endings.numbers, strict=True):
            fresh = (w for many, (_, some) in zip(taken, groups, strict=False) for w in some[:many])
            yield Exploration((*state.vertices, *fresh), links.list_patterns()[number])


def explore(
    links: KnownLinks, v: int, b: int, every_order: bool
) -> Iterator[tuple[PartialExploration, int | None, Endings]]:
    """Explore breadth-first from v with b edge facts.

    Yield what is known before the last facts, the position that they are about, and all endings. If the next vertex
    needs no further edge fact, taking it first only adds knowledge. `every_order` also yields the other orders.
    """
    star_of = links.star_of
    start = PartialExploration((v,), (), frozenset(), ((0,),))
    if b and star_of[v] >= 0:  # all that follows, in short
        yield start, 0, _spend_last_facts(start, links, 0, [], links.count_new(v, (), b), b)
        return
    stack = [(start, b)]
    while stack:
        state, c = stack.pop()
        if not state.waiting:
            yield state, None, _end(state, links)
            continue
        heads = [
            (i, None if star_of[state.vertices[i]] >= 0 else state.list_unknown(links, i)) for i in state.waiting[0]
        ]
        free = [head for head in heads if head[1] == ([], [])]
        for i, unknown in free[:1] if free and not every_order else heads:
            many = 0 if unknown is None else sum([len(some) for _, some in unknown[1]])
            if unknown is not None and len(unknown[0]) + many <= c:
                stack.append((state.reveal(links, i, *unknown).finish(i, many), c - len(unknown[0]) - many))
            elif c == 0:
                yield state, None, _end(state, links)
            elif unknown is None:
                old, known = state.list_known(links, i)
                yield state, i, _spend_last_facts(state, links, i, old, links.count_new(state.vertices[i], known, c), c)
            else:
                labeled = tuple([(label, min(len(some), c)) for label, some in unknown[1]])
                yield state, i, _spend_last_facts(state, links, i, unknown[0], labeled, c)


def _end(state: PartialExploration, links: KnownLinks) -> Endings:
    """Return the only ending without another edge fact."""
    key = state.edges, state.exhausted, len(state.vertices)
    found = links.endings.get(key)
    if found is None:
        pattern = Pattern(tuple(sorted(state.edges)), tuple(state.list_exhausted(links)))
        found = links.endings[key] = Endings([()], {links.number(pattern): None})
    return found


def _spend_last_facts(
    state: PartialExploration,
    links: KnownLinks,
    i: int,
    old: list[Joint],
    labeled: tuple[tuple[int, int], ...],
    c: int,
) -> Endings:
    """Spend the last c edge facts at position i. Only the number of new vertices of each label matters."""
    joins = tuple([links.join(i, j, label) for j, label in old])
    key = state.edges, state.exhausted, len(state.vertices), i, joins, labeled, c
    found = links.endings.get(key)
    if found is None:
        found = links.endings[key] = _list_endings(state, links, i, joins, labeled, c)
    return found


def _list_endings(
    state: PartialExploration,
    links: KnownLinks,
    i: int,
    joins: tuple[Edge, ...],
    labeled: tuple[tuple[int, int], ...],
    c: int,
) -> Endings:
    """List every way to spend the last c edge facts at position i."""
    if not joins:
        shares, labels = _share_out(c, labeled)
        return Endings(shares, dict.fromkeys(_number_shown(state, links, i, state.edges, labels)))
    taken: list[tuple[int, ...]] = []
    numbers: dict[int, None] = {}
    free = sum([size for _, size in labeled])
    for many in range(max(0, c - free), min(c, len(joins)) + 1):
        shares, labels = _share_out(c - many, labeled)
        for chosen in combinations(joins, many):
            numbers |= dict.fromkeys(_number_shown(state, links, i, (*state.edges, *chosen), labels))
            taken += shares
    return Endings(taken, numbers)


def _number_shown(
    state: PartialExploration, links: KnownLinks, i: int, edges: tuple[Edge, ...], shares: Sequence[tuple[int, ...]]
) -> Iterator[int]:
    """Return the numbers of the patterns of some edges and of new vertices that position i sees with some labels."""
    first = len(state.vertices)
    shown = links.shown.setdefault((edges, state.exhausted, first, i), {})
    flags: tuple[bool, ...] = ()
    for labels in shares:
        if labels not in shown:
            flags = flags or (*state.list_exhausted(links), *[False] * len(labels))
            found = tuple(sorted([*edges, *links.join_new(i, first, labels)]))
            shown[labels] = links.number(Pattern._make((found, flags)))
    return map(shown.__getitem__, shares)


@lru_cache(1024)
def _share_out(
    many: int, labeled: tuple[tuple[int, int], ...]
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """Return every way to take `many` members in all from groups, which have a label and a size each.

    The numbers from each group, and the labels of the members.

    >>> _share_out(2, ((7, 3), (9, 1)))
    (((1, 1), (2, 0)), ((7, 9), (7, 7)))
    """
    if not labeled:
        return (((),), ((),)) if many == 0 else ((), ())
    (label, first), *rest = labeled
    least = max(0, many - sum(size for _, size in rest))
    found = [
        ((taken, *more), (*[label] * taken, *labels))
        for taken in range(least, min(many, first) + 1)
        for more, labels in zip(*_share_out(many - taken, tuple(rest)), strict=True)
    ]
    return tuple([some for some, _ in found]), tuple([labels for _, labels in found])


@dataclass(frozen=True, eq=False)
class DrawnSubgraph(DrawnFacts):
    """One exploration from a vertex, drawn among the first that are found."""

    part: Subgraph
    original: KnownLinks

    note: ClassVar[str] = "If a search for a subgraph is cut short, vertices that could not be excluded are candidates."

    def draw(self, v: int, rng: np.random.Generator) -> Pattern:
        """Draw one of the distinct patterns."""
        views = islice(list_explorations(self.original, v, self.part.edges, every_order=False), EXPLORATIONS)
        seen = dict.fromkeys(view.pattern for view in views)
        return list(seen)[int(rng.integers(len(seen)))]

    def seek(self, view: View) -> Search:
        """Return the vertices where the pattern fits or could not be excluded."""
        placed: dict[Pattern, Bits] = {}
        explored, sought = label_pairs(self.original.graph, view.graph, self.part.edges)
        own, both = self.original.labels, explored.labels
        joint = dict(zip(own.tolist(), both.tolist(), strict=True)) if own is not None and both is not None else None

        def left(v: int, known: Pattern) -> VertexSet:
            if known not in placed:
                pattern = known if joint is None else known.relabel(joint)
                verdicts = next(place_patterns(sought, [pattern], self.part.exact_degrees))
                placed[known] = np.packbits(verdicts[0] != NO)
            return VertexSet(view.published.n, np.flatnonzero(np.unpackbits(placed[known], count=view.published.n)))

        return left


# Patterns: a depth-first search at every vertex, with a limit on its steps.

SEARCH_STEPS = 1_000_000
"""The most steps of one search; beyond it, the result is undecided."""
BLOCK = 65_536
"""The vertices at which searches begin in one piece of work: at most so many for each search, about so many in all."""
MANY = 8
"""So many patterns with a center are placed at the same time, as bits; fewer are placed one by one."""
VERDICTS = 50_000_000
"""The most verdicts that are kept at once, one for each pattern and vertex."""


def place_patterns(sought: KnownLinks, patterns: Sequence[Pattern], exact_degrees: bool) -> Iterator[Verdicts]:
    """Yield, for some patterns at a time, where each fits, does not fit, or was not decided."""
    n = sought.graph.n
    at_once = max(1, VERDICTS // max(n, (sought.budget + 1) ** 2))  # a pattern also has a label for each two vertices
    for start in range(0, len(patterns), at_once):
        some = patterns[start : start + at_once]
        verdicts = np.zeros((len(some), n), dtype=np.int8)
        plans: dict[SearchPlan, list[int]] = {}
        ranks: list[tuple[int, ...]] = []
        edges = np.fromiter(chain.from_iterable(chain.from_iterable([one.edges for one in some])), dtype=np.int32)
        edges = edges.reshape(-1, 4)
        shapes, found = edges[:, :2].astype(np.uint8).tobytes(), dict[Any, tuple[SearchPlan, tuple[int, ...]]]()
        first = 0  # most patterns differ in their labels only
        for i, (own, exhausted) in enumerate(some):
            shape = shapes[first : (first := first + 2 * len(own))], exhausted
            planned = found.get(shape)
            if planned is None:
                pairs = tuple([(a, b) for a, b, _, _ in own])
                planned = found[shape] = plan_search(pairs, exhausted, exact_degrees)
            plans.setdefault(planned[0], []).append(i)
            ranks.append(planned[1])
        wanted = None if sought.labels is None else list_labels(edges, [len(own) for own, _ in some], ranks)
        searches, starts = list_searches(sought, plans, wanted, verdicts)

        def piece(first: int, last: int, searches: Sequence[Callable[[], None]] = searches) -> None:
            for search in searches[first:last]:
                search()

        run_in_pieces(piece, len(searches), "placing patterns", piece=max(1, len(searches) * BLOCK // max(1, starts)))
        yield verdicts


def list_labels(edges: Ints, many: Sequence[int], ranks: Sequence[Sequence[int]]) -> Ints:
    """Return for each pattern the label of each two linked vertices, by their ranks; -1 where two are not linked.

    The patterns have so many of the edges each, one pattern after the other.
    """
    size = max(map(len, ranks))
    a, b, ahead, back = edges.T
    which = np.repeat(np.arange(len(many)), many)
    start = np.cumsum([0, *map(len, ranks)])[which]
    rank = np.fromiter(chain.from_iterable(ranks), dtype=np.int32)
    i, j = rank[start + a], rank[start + b]
    wanted = np.full((len(many), size, size), -1, dtype=np.int32)
    wanted[which, i, j], wanted[which, j, i] = ahead, back
    return wanted


def list_searches(
    sought: KnownLinks, plans: Mapping[SearchPlan, Sequence[int]], wanted: Ints | None, verdicts: Verdicts
) -> tuple[list[Callable[[], None]], int]:
    """Return functions that place patterns and write the verdicts, and at how many vertices they begin a search.

    Patterns are given by their numbers for each plan, and `wanted` by their labels.
    """
    from shoal.core._kernels import balls as loops

    n = sought.graph.n
    blocks = [(first, min(first + BLOCK, n)) for first in range(0, n, BLOCK)]
    searches: list[Callable[[], None]] = []
    if wanted is None:
        rows = sought.graph.indptr, sought.graph.indices
        for plan, some in plans.items():
            for i, block in product(some, blocks):
                searches.append(partial(loops.fits_at, *block, *rows, *plan.order, SEARCH_STEPS, verdicts[i]))
        return searches, verdicts.size
    starts, step, allowed = 0, max(1, BLOCK // n), Allowed(sought)
    labels = [wanted[some] for some in plans.values()]
    which = [plan.list_allowed(own, allowed) for plan, own in zip(plans, labels, strict=True)]
    masks = allowed.stack()
    many = np.count_nonzero(masks, axis=1)
    for (plan, some), own, at in zip(plans.items(), labels, which, strict=True):
        if plan.size == 1:
            verdicts[some] = masks[at[:, 0]]
            continue
        starts += int(many[at[:, 0]].sum())
        links, searched = plan.links[: plan.size], np.ascontiguousarray(own[:, : plan.size, : plan.size])
        centered = plan.has_center and len(some) >= MANY
        ids, width = np.array(some), 64 if centered else step
        for first in range(0, len(some), width):
            part = slice(first, first + width)
            known = links, searched[part], at[part], masks, SEARCH_STEPS, ids[part]
            more = list_center_bits(plan, own[part], at[part], masks) if centered else ()
            place = loops.centers_fit_at if centered else loops.labels_fit_at
            for block in blocks:
                searches.append(partial(place, *block, *sought.sorted_rows, *known, *more, verdicts))
    return searches, starts


def list_center_bits(plan: SearchPlan, wanted: Ints, at: Ints, masks: Bits) -> tuple[Words, Words, Ints, Words, Words]:
    """Return where patterns with a center may be placed, as bits of the vertices, by the labels of their leaves.

    The places of the root, and of the center; the labels that roots see; the patterns by the label of the link to the
    center; and for each label and each number of entries the patterns for which a root with so many may have too few.
    """
    from shoal.core._kernels.balls import pack_sets

    roots, centers = np.zeros((2, masks.shape[1]), dtype=np.uint64)
    pack_sets(masks, np.ascontiguousarray(at[:, 0]), roots)
    pack_sets(masks, np.ascontiguousarray(at[:, 1]), centers)
    labels, seen = np.unique(wanted[:, 0], return_inverse=True)  # -1 is first, where there is no link
    seen = seen.reshape(len(wanted), -1)
    bits = np.uint64(1) << np.arange(len(wanted), dtype=np.uint64)
    by_label, crowded = (
        np.zeros(len(labels), dtype=np.uint64),
        np.zeros((len(labels), len(plan.least)), dtype=np.uint64),
    )
    np.bitwise_or.at(by_label, seen[:, 1], bits)
    for j in plan.leaves[0]:
        need = np.count_nonzero(seen == seen[:, j, None], axis=1) + len(plan.leaves[1])
        np.bitwise_or.at(crowded, (seen[:, j], need - 1), bits)
    crowded = np.bitwise_or.accumulate(crowded[:, ::-1], axis=1)[:, ::-1].copy()  # fewer entries are too few as well
    return roots, centers, labels, by_label, crowded


@dataclass(frozen=True, eq=False)
class Allowed:
    """Sets of vertices of a graph: where a vertex of a pattern may be placed by the labels of its entries."""

    sought: KnownLinks
    numbers: dict[tuple[tuple[int, ...], bool], int] = field(default_factory=lambda: {((), False): 0})
    """The number of each set, by the labels that are needed and whether there may be no others; 0: all vertices."""

    def stack(self) -> Bits:
        """Return the sets as rows."""
        return self.sought.allow(list(self.numbers)).view(np.uint8)


@lru_cache(4096)
def plan_search(
    pairs: tuple[tuple[int, int], ...], exhausted: tuple[bool, ...], exact_degrees: bool
) -> tuple[SearchPlan, tuple[int, ...]]:
    """Return the plan of a search for patterns with these linked pairs, and the rank of each position in it."""
    size = len(exhausted)
    near: list[set[int]] = [set() for _ in range(size)]
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    order = [0]
    while len(order) < size:
        met = set(order)
        rest = [v for v in range(size) if v not in met and near[v] & met]
        order.append(max(rest, key=lambda v: (exhausted[v], len(near[v] & met), len(near[v]), -v)))
    ranks = tuple(sorted(range(size), key=order.__getitem__))
    earlier = tuple([tuple(sorted(j for w in near[v] if (j := ranks[w]) < i)) for i, v in enumerate(order)])
    known = tuple([exhausted[v] and exact_degrees for v in order])
    return SearchPlan.of(earlier, tuple([len(near[v]) for v in order]), known), ranks


@dataclass(frozen=True, eq=False)
class SearchPlan:
    """The order in which a pattern is placed: each vertex after a linked one, the most constrained first."""

    earlier: tuple[tuple[int, ...], ...]
    """For each vertex the earlier ones that it is linked to."""
    least: tuple[int, ...]
    """The number of known neighbors."""
    known: tuple[bool, ...]
    """Whether it is known to have no further neighbors."""

    @classmethod
    @lru_cache(4096)
    def of(cls, earlier: tuple[tuple[int, ...], ...], least: tuple[int, ...], known: tuple[bool, ...]) -> Self:
        """Return the one plan for patterns of this shape."""
        return cls(earlier, least, known)

    @cached_property
    def size(self) -> int:
        """The number of vertices to place. The others are leaves of one vertex, and the rest is linked to it.

        The number of entries of that vertex then says that all its leaves find different places.
        """
        for size in range(1, len(self.least)):
            rest = range(size, len(self.least))
            on = {self.earlier[i] for i in rest}
            if len(on) == 1 and not any(self.known[i] or self.least[i] > 1 for i in rest):
                (center,) = next(iter(on))
                if all(center in self.earlier[i] or i in self.earlier[center] for i in range(size) if i != center):
                    return size
        return len(self.least)

    @cached_property
    def leaves(self) -> tuple[list[int], list[int]]:
        """The vertices after the first two of which no more is known than a link to the first, or to the second."""
        some = [i for i in range(2, len(self.least)) if self.least[i] == 1 and not self.known[i]]
        return [i for i in some if self.earlier[i] == (0,)], [i for i in some if self.earlier[i] == (1,)]

    @cached_property
    def has_center(self) -> bool:
        """Whether all vertices but the first two are leaves of these, and the second has leaves."""
        return self.size > 1 and bool(self.leaves[1]) and sum(map(len, self.leaves)) == len(self.least) - 2

    @cached_property
    def links(self) -> Ints:
        """The earlier vertices that each is linked to, as bits."""
        return np.array([sum(1 << j for j in back) for back in self.earlier], dtype=np.int64)

    @cached_property
    def order(self) -> tuple[Ints, Ints, Ints, Ints]:
        """For each vertex to place an earlier one (-1 for the root), all earlier ones, the exact degree, the least.

        The exact degree is -1 if there may be more neighbors than are known.
        """
        parent = np.array([back[0] if back else -1 for back in self.earlier[: self.size]], dtype=np.int64)
        least = np.array(self.least[: self.size], dtype=np.int64)
        return parent, self.links[: self.size], np.where(self.known[: self.size], least, -1), least

    @cached_property
    def inner(self) -> list[int]:
        """The vertices to place of which more is known than one link to an earlier vertex."""
        return [i for i in range(self.size) if i == 0 or self.known[i] or self.least[i] > 1]

    def list_allowed(self, wanted: Ints, allowed: Allowed) -> Ints:
        """Return for each pattern the set of vertices on which each of its vertices may be placed."""
        which = np.zeros((len(wanted), self.size), dtype=np.int64)
        numbers = allowed.numbers
        for i in self.inner:
            start, known = wanted.shape[2] - self.least[i], self.known[i]
            labels = np.sort(wanted[:, i], axis=1)[:, start:].tolist()
            which[:, i] = [numbers.setdefault((tuple(some), known), len(numbers)) for some in labels]
        return which


def _tell_links(g: Graph, v: int, w: int) -> list[Any]:
    """Return the links of v to w for a fact; nothing in a simple graph."""
    return [] if g.is_simple else [spell_tie(g, int(g.indptr[v] + np.searchsorted(g.neighbors(v), w)))]


ARROWS = {"both": "–", "out": "→", "in": "←"}


def _describe_pair(a: Any, b: Any, links: Any = None) -> str:
    """Return a linked pair with its directions, kinds and multiplicities.

    >>> _describe_pair("a", "b"), _describe_pair("a", "b", 2)
    ('a–b', 'a–b (2 links)')
    >>> _describe_pair("a", "b", [(3, {"kind": "call", "direction": "out"}), (1, {"kind": "kin", "direction": "both"})])
    'a→b (call, 3 times) and a–b (kin)'
    """
    if links is None or isinstance(links, int):
        return f"{a}–{b}" if links in (None, 1) else f"{a}–{b} ({format_count(links, 'link')})"
    told = []
    for times, relation in links:
        kind = [] if relation["kind"] is None else [relation["kind"] or "kind missing"]
        more = ", ".join(kind + ([f"{times:,} times"] if times > 1 else []))
        told.append(f"{a}{ARROWS[relation['direction']]}{b}{f' ({more})' if more else ''}")
    return join_names(told, most=len(told))
