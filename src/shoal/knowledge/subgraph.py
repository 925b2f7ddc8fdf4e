"""Knowledge of a subgraph around a vertex: subgraph queries, counted in edge facts (Hay et al. 2008).

The attacker explores breadth-first from v. The first vertex in the queue reveals its links one by one, in any order.
Each link is one edge fact, and new vertices join the queue. A vertex is exhausted when all its links are known; then
the next one begins. The exploration ends when another edge fact would exceed the budget.

Where links have directions, kinds or multiplicities, one edge fact reveals all links of a linked pair. What joins the
pair, as its first vertex sees it, is a label.

b is the budget of edge facts, c what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import combinations, groupby, islice, product
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
Verdicts = np.ndarray[Any, np.dtype[np.int8]]
"""For each pattern a row with a verdict about each vertex: NO, YES, or undecided."""
NO, YES = 0, 1

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
        must(self.edges <= 60, "Subgraph", "edges", "at most 60", self.edges)

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
        placed = [one for some in verdicts for one in Placement.list_of(some, view)]
        limits = np.array([one.bounds for one in placed])[np.concatenate(shown)]
        many = np.array([len(ids) for ids in shown])
        low, high = np.minimum.reduceat(limits, np.cumsum(many) - many)[which].T
        whole_search = (many < EXPLORATIONS)[which]
        sizes, exact = weigh_bounds(low, high, whole_search, view.published.n)

        def every(v: int) -> Iterator[CandidateSet]:
            own = v if view.original is None else None
            for seen in self._list_views(view, explored, v):
                left = placed[explored.patterns[seen.pattern]]
                yield left.leave((self._describe_view(view.known_graph, seen),), own)

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
class Placement:
    """Where a pattern fits."""

    maybe: Bits
    """Where it fits or could not be excluded."""
    surely: Bits | None
    """Where it surely fits; None: wherever it may."""
    n: int
    """The number of published vertices."""
    bounds: tuple[int, int]
    """Lower and upper bound of the number of fitting vertices (:func:`shoal.knowledge.candidates.bound_smallest`)."""

    @classmethod
    def list_of(cls, verdicts: Verdicts, view: View) -> Iterator[Self]:
        """Yield where each pattern fits. A pattern seen in the published graph itself fits at least one vertex."""
        n, (maybe, surely) = view.published.n, (verdicts != NO, verdicts == YES)
        many = zip(maybe.sum(axis=1).tolist(), surely.sum(axis=1).tolist(), strict=True)
        bits = np.packbits(maybe, axis=1)
        for i, (most, least) in enumerate(many):
            fits = least > 0 or view.original is None
            limits = (max(1, least) if most else n + 1, most if fits else n + 1)
            yield cls(bits[i], None if most == least else np.packbits(surely[i]), n, limits)

    def leave(self, facts: tuple[Fact, ...], own: int | None) -> CandidateSet:
        """Return the candidates; the vertex `own`, from which the pattern was explored, surely fits."""
        ids = self._unpack_ids(self.maybe)
        if self.surely is None:
            return CandidateSet(facts, ids)
        sure = self._unpack_ids(self.surely)
        return CandidateSet(facts, ids, sure if own is None else np.union1d(sure, [own]))

    def _unpack_ids(self, bits: Bits) -> Ints:
        return np.flatnonzero(np.unpackbits(bits, count=self.n))


class Exploration(NamedTuple):
    """The result of one exploration: a pattern, and the vertices it consists of."""

    vertices: tuple[int, ...]
    pattern: Pattern


Group = tuple[int, list[int]]
"""A label, and vertices that a vertex sees with this label."""


class Endings(NamedTuple):
    """All ways to spend the last edge facts."""

    taken: list[tuple[int, ...]]
    """How many vertices of each group are revealed."""
    patterns: list[Pattern]
    """The pattern that is then known."""
    numbers: dict[int, None]
    """The numbers of the patterns."""


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
    shown: dict[Any, dict[Any, tuple[Pattern, int]]] = field(default_factory=dict, init=False)
    """The numbered patterns that edge facts at one vertex show, by what was known before and by these facts."""
    _groups: dict[int, tuple[list[Group], bool]] = field(default_factory=dict, init=False)
    _labels: dict[int, dict[int, int]] = field(default_factory=dict, init=False)
    _counts: dict[int, Ints] = field(default_factory=dict, init=False)
    _allowed: dict[Any, Bools] = field(default_factory=dict, init=False)

    def number(self, pattern: Pattern) -> int:
        """Return the number of a pattern."""
        return self.patterns.setdefault(pattern, len(self.patterns))

    @cached_property
    def _by_label(self) -> tuple[Ints, Ints]:
        """The entries, sorted by label within each row, and the rank of each among those with its label."""
        assert self.labels is not None
        rows = np.repeat(np.arange(self.graph.n), np.diff(self.graph.indptr))
        keys = rows * (int(self.labels.max(initial=0)) + 1) + self.labels
        if int(keys.max(initial=0)) < FEW * len(keys):
            order, bounds = list_members_by_class(keys)
            starts = bounds[:-1][np.diff(bounds) > 0]
        else:
            order = np.argsort(keys, kind="stable")
            starts = find_starts(keys[order])
        return order, np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))

    @cached_property
    def sorted_rows(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The rows sorted by label and then by id, in runs of one label.

        The neighbors, the runs of each row, the label of each run, and the bounds of each run.
        """
        return self._cut_runs(len(self.graph.indices))

    def _cut_runs(self, most: int) -> tuple[Ints, Ints, Ints, Ints]:
        """Return sorted rows with the first `most` neighbors of each label."""
        assert self.labels is not None
        order, rank = self._by_label
        before = np.concatenate([[0], np.cumsum(rank == 0)])
        kept = rank < most
        chosen, starts = order[kept], np.flatnonzero(rank[kept] == 0)
        bounds = np.append(starts, len(chosen))
        return self.graph.indices[chosen], before[self.graph.indptr], self.labels[chosen[starts]], bounds

    def find_alike(self) -> tuple[Ints, Ints]:
        """Return the first vertex of each class that shows the same patterns, and the class of each vertex."""
        stars = self.number_stars()
        alike = np.where(stars >= 0, stars, int(stars.max(initial=0)) + 1 + np.arange(self.graph.n))
        _, first, which = np.unique(alike, return_index=True, return_inverse=True)
        return first, which.reshape(-1)

    @cached_property
    def _short_rows(self) -> list[memoryview]:
        """The beginnings of the sorted rows: of each label as many neighbors as an exploration asks for."""
        return [part.data for part in self._cut_runs(self.budget + 2)]  # short slices of views are quicker

    def number_stars(self) -> Ints:
        """Number the vertices that reveal the same patterns; -1 where more than the links of the vertex is revealed.

        A vertex with more neighbors than the budget reveals only its own links. Only the number of those with each
        label matters, up to the budget.
        """
        large = np.diff(self.graph.indptr) > self.budget
        if self.labels is None:
            return np.where(large, 0, -1)
        order, rank = self._by_label
        kept = rank < self.budget
        before = np.concatenate([[0], np.cumsum(kept)])
        return np.where(large, group_multisets(before[self.graph.indptr], self.labels[order[kept]]), -1)

    def begin_row(self, v: int, many: int) -> tuple[list[Group], bool]:
        """Return the first neighbors of v, in groups by label, and whether these are all.

        Each group has all neighbors with its label, or at least `many`, which must not exceed the budget plus 2.
        """
        if self.labels is None:
            row = self.graph.neighbors(v)
            return [(0, row[:many].tolist())], len(row) <= many
        found = self._groups.get(v)
        if found is None:
            found = self._groups[v] = self._list_groups(v)
        return found

    def _list_groups(self, v: int) -> tuple[list[Group], bool]:
        near, of_row, labels, bounds = self._short_rows
        first, last = of_row[v], of_row[v + 1]
        ends = bounds[first : last + 1].tolist()
        ids = near[ends[0] : ends[-1]].tolist()
        complete = len(ids) == self.graph.indptr[v + 1] - self.graph.indptr[v]
        if last == first + 1:
            return [(labels[first], ids)], complete
        runs = zip(labels[first:last].tolist(), ends, ends[1:], strict=False)
        return [(label, ids[low - ends[0] : high - ends[0]]) for label, low, high in runs], complete

    def find_neighbors(self, v: int, among: Sequence[int]) -> list[int]:
        """Return which of some vertices are neighbors of v, ascending."""
        row = self.graph.neighbors(v)
        ids = sorted(among)
        at = row.searchsorted(ids).tolist()
        return [w for w, i in zip(ids, at, strict=True) if i < len(row) and row[i] == w]

    def label(self, v: int, w: int) -> int:
        """Return the label of the linked pair v, w as v sees it; 0 without labels."""
        if self.labels is None:
            return 0
        if v not in self._labels:
            self._labels[v] = {x: label for label, some in self.begin_row(v, 0)[0] for x in some}
        found = self._labels[v].get(w)
        if found is None:
            at = self.graph.indptr[v] + np.searchsorted(self.graph.neighbors(v), w)
            found = self._labels[v][w] = int(self.labels[at])
        return found

    def join(self, i: int, j: int, label: int) -> Edge:
        """Return the edge of two positions; i sees the label."""
        back = label if self.reverse is None else self.reverse[label]
        return (i, j, label, back) if i < j else (j, i, back, label)

    def allow(self, needed: tuple[int, ...], exact: bool) -> Bools:
        """Return the vertices that have these labels among their entries, each so often, and if `exact` no others.

        `needed` is ascending.
        """
        found = self._allowed.get((needed, exact))
        if found is None:
            degree = np.diff(self.graph.indptr)
            found = degree == len(needed) if exact else degree >= len(needed)
            for label, same in groupby(needed):
                found &= self._count_entries(label) >= len(list(same))
            self._allowed[needed, exact] = found
        return found

    def _count_entries(self, label: int) -> Ints:
        if label not in self._counts:
            assert self.labels is not None
            before = np.concatenate([[0], np.cumsum(self.labels == label)])
            self._counts[label] = np.diff(before[self.graph.indptr])
        return self._counts[label]


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

    def show(self, links: KnownLinks, edges: Iterable[Edge] = (), new: int = 0) -> Pattern:
        """Return the known pattern, with further edges and so many new vertices."""
        flags = [links.exact_degrees and i in self.exhausted for i in range(len(self.vertices))]
        return Pattern(tuple(sorted([*self.edges, *edges])), (*flags, *[False] * new))

    def list_unknown(self, links: KnownLinks, i: int, c: int) -> tuple[list[int], list[Group]]:
        """Return the other ends of the unknown links at position i: positions of known vertices, and new vertices.

        New vertices that c edge facts cannot reveal need not be listed, so only the beginning of a hub's row is read.
        """
        at = {x: j for j, x in enumerate(self.vertices)}
        x = self.vertices[i]
        groups, all_near = links.begin_row(x, len(at) + c + 1)  # if more follow, over c of a group are new
        if all_near:
            known = [w for _, near in groups for w in near if w in at]
        else:
            known = links.find_neighbors(x, self.vertices)
        joined = {a + b - i for a, b, _, _ in self.edges if i in (a, b)}
        old = [at[w] for w in known if at[w] not in joined]
        return old, [(label, new) for label, near in groups if (new := [w for w in near if w not in at])]

    def reveal(self, links: KnownLinks, i: int, old: Iterable[int], new: Iterable[Group]) -> PartialExploration:
        """Learn links at position i to known positions and to new vertices."""
        x, vertices, edges = self.vertices[i], list(self.vertices), list(self.edges)
        edges += [links.join(i, j, links.label(x, vertices[j])) for j in old]
        for label, some in new:
            edges += [links.join(i, len(vertices) + j, label) for j in range(len(some))]
            vertices += some
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
    for state, groups, endings in explore(links, v, b, every_order):
        for taken, pattern in zip(endings.taken, endings.patterns, strict=True):
            fresh = (w for many, (_, some) in zip(taken, groups, strict=True) for w in some[:many])
            yield Exploration((*state.vertices, *fresh), pattern)


def explore(
    links: KnownLinks, v: int, b: int, every_order: bool
) -> Iterator[tuple[PartialExploration, Sequence[Group], Endings]]:
    """Explore breadth-first from v with b edge facts: yield what is known before the last facts, and all endings.

    The last facts reveal vertices of the groups. If the next vertex needs no further edge fact, taking it first only
    adds knowledge. `every_order` also yields the other orders.
    """
    stack = [(PartialExploration((v,), (), frozenset(), ((0,),)), b)]
    while stack:
        state, c = stack.pop()
        if not state.waiting:
            pattern = state.show(links)
            yield state, (), Endings([()], [pattern], {links.number(pattern): None})
            continue
        heads = [(i, *state.list_unknown(links, i, c)) for i in state.waiting[0]]
        free = [head for head in heads if not head[1] and not head[2]]
        for i, old, groups in free[:1] if free and not every_order else heads:
            many = sum(len(some) for _, some in groups)
            if len(old) + many <= c:
                stack.append((state.reveal(links, i, old, groups).finish(i, many), c - len(old) - many))
            else:
                yield state, groups, _spend_last_facts(state, links, i, old, groups, c)


def _spend_last_facts(
    state: PartialExploration, links: KnownLinks, i: int, old: list[int], groups: list[Group], c: int
) -> Endings:
    """Spend the last c edge facts at position i. Only the number of new vertices of each label matters."""
    labeled = tuple([(label, min(len(some), c)) for label, some in groups])
    joins = tuple([links.join(i, j, links.label(state.vertices[i], state.vertices[j])) for j in old])
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
    shown = links.shown.setdefault((state.edges, state.exhausted, len(state.vertices), i), {})
    ends, free = Endings([], [], {}), sum([size for _, size in labeled])
    for many in range(max(0, c - free), min(c, len(joins)) + 1):
        for chosen in combinations(joins, many):
            for taken, labels in _share_out(c - many, labeled):
                found = shown.get((chosen, labels))
                if found is None:
                    new = [links.join(i, j, label) for j, label in enumerate(labels, len(state.vertices))]
                    pattern = state.show(links, [*chosen, *new], len(new))
                    found = shown[chosen, labels] = pattern, links.number(pattern)
                ends.taken.append(taken)
                ends.patterns.append(found[0])
                ends.numbers[found[1]] = None
    return ends


@lru_cache(1024)
def _share_out(many: int, labeled: tuple[tuple[int, int], ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return every way to take `many` members in all from groups, which have a label and a size each.

    Each is the number from each group, and the label of each member.

    >>> _share_out(2, ((7, 3), (9, 1)))
    [((1, 1), (7, 9)), ((2, 0), (7, 7))]
    """
    if not labeled:
        return [((), ())] if many == 0 else []
    (label, first), *rest = labeled
    least = max(0, many - sum(size for _, size in rest))
    return [
        ((taken, *more), (*[label] * taken, *labels))
        for taken in range(least, min(many, first) + 1)
        for more, labels in _share_out(many - taken, tuple(rest))
    ]


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
"""The most vertices at which a pattern is placed in one piece of work."""
VERDICTS = 50_000_000
"""The most verdicts that are kept at once, one for each pattern and vertex."""


def place_patterns(sought: KnownLinks, patterns: Sequence[Pattern], exact_degrees: bool) -> Iterator[Verdicts]:
    """Yield, for some patterns at a time, where each fits, does not fit, or was not decided."""
    n = sought.graph.n
    at_once = max(1, VERDICTS // n)
    for start in range(0, len(patterns), at_once):
        some = patterns[start : start + at_once]
        verdicts = np.zeros((len(some), n), dtype=np.int8)
        shapes: dict[Any, list[int]] = {}
        for i, (edges, exhausted) in enumerate(some):
            shapes.setdefault((tuple([(a, b) for a, b, _, _ in edges]), exhausted), []).append(i)
        searches = [
            search
            for (pairs, exhausted), ids in shapes.items()
            for search in SearchPlan.of(pairs, exhausted, exact_degrees).list_searches(sought, some, ids, verdicts)
        ]

        def piece(first: int, last: int, searches: Sequence[Callable[[], None]] = searches) -> None:
            for search in searches[first:last]:
                search()

        run_in_pieces(piece, len(searches), "placing patterns", piece=max(1, len(searches) * BLOCK // verdicts.size))
        yield verdicts


@dataclass(frozen=True, eq=False)
class SearchPlan:
    """The order in which a pattern is placed: each vertex after a linked one, the most constrained first."""

    place: list[int]
    """The rank of each position of the pattern in this order. All that follows is in this order."""
    parent: Ints
    """An earlier vertex that it is linked to; -1 for the root."""
    links: Ints
    """The earlier vertices that it is linked to, as bits."""
    least: Ints
    """The number of known neighbors."""
    known: list[bool]
    """Whether it is known to have no further neighbors."""

    @classmethod
    @lru_cache(4096)
    def of(cls, pairs: tuple[tuple[int, int], ...], exhausted: tuple[bool, ...], exact_degrees: bool) -> Self:
        """Plan the search for patterns with these linked pairs."""
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
        place = sorted(range(size), key=order.__getitem__)
        earlier = [sorted(j for w in near[v] if (j := place[w]) < i) for i, v in enumerate(order)]
        parent = np.array([back[0] if back else -1 for back in earlier], dtype=np.int64)
        links = np.array([sum(1 << j for j in back) for back in earlier], dtype=np.int64)
        least = np.array([len(near[v]) for v in order], dtype=np.int64)
        return cls(place, parent, links, least, [exhausted[v] and exact_degrees for v in order])

    @cached_property
    def exact(self) -> Ints:
        """The number of neighbors; -1 if there may be more than are known."""
        return np.where(self.known, self.least, -1)

    @cached_property
    def is_star(self) -> bool:
        """Whether only the links of the root are known, so that the labels of its entries decide."""
        return not any(self.known[1:]) and bool((self.links[1:] == 1).all())

    def list_searches(
        self, sought: KnownLinks, patterns: Sequence[Pattern], ids: Sequence[int], verdicts: Verdicts
    ) -> Iterator[Callable[[], None]]:
        """Yield functions that place the patterns with these numbers, which have this shape, and write the verdicts."""
        from shoal.core._kernels import balls as loops

        n, (indptr, indices) = sought.graph.n, (sought.graph.indptr, sought.graph.indices)
        blocks = [(first, min(first + BLOCK, n)) for first in range(0, n, BLOCK)]
        if sought.labels is None:
            order = self.parent, self.links, self.exact, self.least
            for i, block in product(ids, blocks):
                yield partial(loops.fits_at, *block, indptr, indices, *order, SEARCH_STEPS, verdicts[i])
            return
        wanted = self._list_labels([patterns[i].edges for i in ids])
        masks, which = self._allow(sought, wanted)
        if self.is_star:
            verdicts[ids] = masks[which[:, 0]]
            return
        rows, step = (indptr, indices, sought.labels, *sought.sorted_rows), max(1, BLOCK // n)
        for at, block in product(range(0, len(ids), step), blocks):
            some, part = np.array(ids[at : at + step]), slice(at, at + step)
            known = self.links, wanted[part], which[part], masks
            yield partial(loops.labels_fit_at, *block, *rows, *known, SEARCH_STEPS, some, verdicts)

    def _list_labels(self, edges: Sequence[tuple[Edge, ...]]) -> Ints:
        """Return for each pattern the label of each two linked vertices; -1 where two are not linked."""
        wanted = np.full((len(edges), len(self.place), len(self.place)), -1, dtype=np.int32)
        for a, b, ahead, back in np.array(edges, dtype=np.int32).transpose(1, 2, 0) if edges[0] else ():
            i, j = self.place[a[0]], self.place[b[0]]
            wanted[:, i, j], wanted[:, j, i] = ahead, back
        return wanted

    def _allow(self, sought: KnownLinks, wanted: Ints) -> tuple[Bits, Ints]:
        """Return sets of vertices of the graph, and which of them says where each vertex of each pattern may be."""
        at: dict[tuple[tuple[int, ...], bool], int] = {}
        which = [
            [
                at.setdefault((tuple(seen[len(seen) - many :]), known), len(at))
                for seen, many, known in zip(labels, self.least.tolist(), self.known, strict=True)
            ]
            for labels in np.sort(wanted, axis=2).tolist()
        ]
        masks = np.stack([sought.allow(needed, known) for needed, known in at])
        return masks.view(np.uint8), np.array(which, dtype=np.int64)


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
