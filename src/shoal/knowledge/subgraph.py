"""Knowledge of a subgraph around a vertex: subgraph queries, counted in edge facts (Hay et al. 2008).

The attacker explores breadth-first from v. The first vertex in the queue reveals its links one by one, in any order.
Each link is one edge fact, and new vertices join the queue. A vertex is exhausted when all its links are known; then
the next one begins. The exploration ends when another edge fact would exceed the budget.

b is the budget of edge facts, c what is left of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset, as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, format_count, join_names, must, whole
from shoal.knowledge.base import LESS, MANY_LINKS, Adversary, Aliases
from shoal.knowledge.candidates import CandidateSet, DrawnFacts, Fact, Search, VertexSet, WorstCandidates, weigh_bounds
from shoal.knowledge.view import View
from shoal.parts import check_word_count, parse_number
from shoal.progress import track
from shoal.settings import run_in_pieces

Bits = np.ndarray[Any, np.dtype[np.uint8]]
"""A set of vertices, one bit each."""

EXPLORATIONS = 1_000
"""The most explorations of one vertex. Beyond, the rest is left out and its size is only an upper bound."""
STEPS = 100
"""The steps that one exploration counts for: it is not compiled."""


@dataclass(frozen=True)
class Subgraph(Adversary):
    """Knows a connected subgraph of at most `edges` edges, found breadth-first from v.

    u is a candidate if and only if the subgraph can be embedded in the published graph with v on u: distinct vertices
    on distinct vertices, links on links (further links are allowed), and every exhausted vertex on a vertex with
    exactly as many neighbors. The size is the minimum over all explorations; the minimal one is the witness.
    Multiplicities do not count.

    Parameters
    ----------
    edges
        The budget b of edge facts.
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
        links = join_names([f"{a}–{b}" for a, b in edges], most=60)
        counts = join_names([f"{name} has {format_count(d, 'neighbor')} in all" for name, d in exact], most=60)
        return f"lies in the pattern {links}{f', where {counts}' if exact else ''}"

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the pattern with aliases."""
        return {
            "vertex": aliases(fact.value["vertex"]),
            "edges": [[aliases(a), aliases(b)] for a, b in fact.value["edges"]],
            "exact": [[aliases(name), d] for name, d in fact.value["exact"]],
        }

    def explain_finer(self, other: Adversary) -> str | None:
        """Return why: more links include fewer."""
        fewer = isinstance(other, Subgraph) and other.edges <= self.edges and self.exact_degrees >= other.exact_degrees
        return LESS if fewer else None

    def estimate_steps(self, data: Dataset) -> int:
        """Return the steps of all explorations: they double with each link."""
        return data.n * STEPS << self.edges

    def draw_facts(self, original: Dataset, released: Bools) -> DrawnFacts:
        """Return how one exploration is drawn."""
        return DrawnSubgraph(self, as_graph(original))

    def see(self, view: View) -> WorstCandidates:
        """Explore from every vertex, and embed the patterns."""
        patterns: dict[Pattern, int] = {}
        shown: list[Ints] = []
        whole_search = np.ones(view.known.n, dtype=np.bool_)
        for v in range(view.known.n):
            views = self._list_views(view, v)
            whole_search[v] = len(views) < EXPLORATIONS
            shown.append(np.unique([patterns.setdefault(seen.pattern, len(patterns)) for seen in views]))
            if v % 1024 == 0:
                track("exploring", v, view.known.n)
        placed = self._place_patterns(view, list(patterns))
        limits = np.array([one.bounds for one in placed])
        low, high = (np.array([limit[ids].min() for ids in shown]) for limit in limits.T)
        sizes, exact = weigh_bounds(low, high, whole_search, view.published.n)

        def every(v: int) -> Iterator[CandidateSet]:
            own = v if view.original is None else None
            for seen in self._list_views(view, v):
                yield placed[patterns[seen.pattern]].leave((self._describe_view(view.known_graph, seen),), own)

        return WorstCandidates(sizes, every, exact, whole=whole_search)

    def _list_views(self, view: View, v: int) -> list[Exploration]:
        """Return the distinct explorations from v; with `original` also shorter ones, which may be all that fit."""
        budgets = [self.edges] if view.original is None else range(self.edges + 1)
        found: dict[Pattern, Exploration] = {}
        for b in budgets:
            for seen in list_explorations(view.known_graph, v, b, every_order=view.original is not None):
                found.setdefault((seen if self.exact_degrees else seen.blur_degrees()).pattern, seen)
                if len(found) >= EXPLORATIONS:
                    break
        return [seen if self.exact_degrees else seen.blur_degrees() for seen in found.values()]

    def _place_patterns(self, view: View, patterns: Sequence[Pattern]) -> list[Placement]:
        found: list[Placement] = []
        for done, pattern in enumerate(patterns):
            found.append(Placement.of(*place_pattern(view.graph, pattern, self.exact_degrees), view))
            track("placing subgraphs", done + 1, len(patterns))
        return found

    def _describe_view(self, g: Graph, seen: Exploration) -> Fact:
        name = [g.names[x] for x in seen.vertices]
        edges = [(name[a], name[b]) for a, b in seen.pattern.edges]
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


@dataclass(frozen=True)
class Pattern:
    """A small connected subgraph explored from its target, vertex 0."""

    edges: tuple[tuple[int, int], ...]
    """Pairs of positions, smaller first, ascending."""
    exhausted: tuple[bool, ...]
    """For each position, whether `edges` holds all its edges."""


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
    def of(cls, maybe: Bools, surely: Bools, view: View) -> Placement:
        """Store where a pattern fits. A pattern seen in the published graph itself fits at least one vertex."""
        n, most, least = view.published.n, int(maybe.sum()), int(surely.sum())
        fits = least > 0 or view.original is None
        limits = (max(1, least) if most else n + 1, most if fits else n + 1)
        return cls(np.packbits(maybe), None if most == least else np.packbits(surely), n, limits)

    def leave(self, facts: tuple[Fact, ...], own: int | None) -> CandidateSet:
        """Return the candidates; the vertex `own`, from which the pattern was explored, surely fits."""
        ids = self._unpack_ids(self.maybe)
        if self.surely is None:
            return CandidateSet(facts, ids)
        sure = self._unpack_ids(self.surely)
        return CandidateSet(facts, ids, sure if own is None else np.union1d(sure, [own]))

    def _unpack_ids(self, bits: Bits) -> Ints:
        return np.flatnonzero(np.unpackbits(bits, count=self.n))


@dataclass(frozen=True)
class Exploration:
    """The result of one exploration: a pattern, and the vertices it consists of."""

    vertices: tuple[int, ...]
    pattern: Pattern

    def blur_degrees(self) -> Exploration:
        """Return the exploration without the exact degrees."""
        return replace(self, pattern=Pattern(self.pattern.edges, (False,) * len(self.vertices)))


@dataclass(frozen=True)
class PartialExploration:
    """An unfinished exploration: vertices in the order seen, links between their positions, and the queue.

    `waiting` is the queue in batches: vertices revealed by the same vertex may come in any order.
    """

    vertices: tuple[int, ...]
    edges: frozenset[tuple[int, int]]
    exhausted: frozenset[int]
    waiting: tuple[tuple[int, ...], ...]

    def view(self) -> Exploration:
        """Return the exploration so far."""
        flags = tuple(i in self.exhausted for i in range(len(self.vertices)))
        return Exploration(self.vertices, Pattern(tuple(sorted(self.edges)), flags))

    def list_unknown(self, g: Graph, i: int, c: int) -> tuple[list[int], list[int]]:
        """Return the other ends of the unknown links at position i: positions of known vertices, and new vertices.

        New vertices that c edge facts cannot reveal need not be listed, so only the beginning of a hub's row is read.
        """
        at = {x: j for j, x in enumerate(self.vertices)}
        row = g.neighbors(self.vertices[i])
        near, rest = row[: len(at) + c + 1].tolist(), row[len(at) + c + 1 :]  # if more follow, over c of near are new
        known = [w for w in near if w in at]
        if len(rest):
            ids = np.sort(self.vertices)
            known += ids[rest[np.minimum(np.searchsorted(rest, ids), len(rest) - 1)] == ids].tolist()
        old = [at[w] for w in known if (min(i, at[w]), max(i, at[w])) not in self.edges]
        return old, [w for w in near if w not in at]

    def reveal(self, i: int, old: Iterable[int], new: Sequence[int]) -> PartialExploration:
        """Learn links at position i to known positions and to new vertices."""
        first = len(self.vertices)
        links = {(min(i, j), max(i, j)) for j in (*old, *range(first, first + len(new)))}
        return replace(self, vertices=self.vertices + tuple(new), edges=self.edges | links)

    def finish(self, i: int, revealed: int) -> PartialExploration:
        """Exhaust position i; the last `revealed` vertices join the queue."""
        head, *rest = self.waiting
        left = tuple(j for j in head if j != i)
        fresh = tuple(range(len(self.vertices) - revealed, len(self.vertices)))
        batches = ((left,) if left else ()) + tuple(rest) + ((fresh,) if fresh else ())
        return replace(self, exhausted=self.exhausted | {i}, waiting=batches)


def list_explorations(g: Graph, v: int, b: int, every_order: bool) -> Iterator[Exploration]:
    """Yield every breadth-first exploration from v with b edge facts.

    If the next vertex needs no further edge fact, taking it first only adds knowledge. `every_order` also yields the
    other orders.
    """
    stack = [(PartialExploration((v,), frozenset(), frozenset(), ((0,),)), b)]
    while stack:
        state, c = stack.pop()
        if not state.waiting:
            yield state.view()
            continue
        heads = [(i, *state.list_unknown(g, i, c)) for i in state.waiting[0]]
        free = [head for head in heads if not head[1] and not head[2]]
        for i, old, new in free[:1] if free and not every_order else heads:
            if len(old) + len(new) <= c:
                stack.append((state.reveal(i, old, new).finish(i, len(new)), c - len(old) - len(new)))
            else:
                yield from _spend_last_facts(state, i, old, new, c)


def _spend_last_facts(
    state: PartialExploration, i: int, old: list[int], new: list[int], c: int
) -> Iterator[Exploration]:
    """Spend the last c edge facts at position i. Only the number of new vertices matters, not which ones."""
    for some in range(max(0, c - len(new)), min(c, len(old)) + 1):
        for chosen in combinations(old, some):
            yield state.reveal(i, chosen, new[: c - some]).view()


@dataclass(frozen=True, eq=False)
class DrawnSubgraph(DrawnFacts):
    """One exploration from a vertex, drawn among the first that are found."""

    part: Subgraph
    original: Graph

    note: ClassVar[str] = "If a search for a subgraph is cut short, vertices that could not be excluded are candidates."

    def draw(self, v: int, rng: np.random.Generator) -> Pattern:
        """Draw one of the distinct patterns."""
        views = islice(list_explorations(self.original, v, self.part.edges, every_order=False), EXPLORATIONS)
        seen = dict.fromkeys((view if self.part.exact_degrees else view.blur_degrees()).pattern for view in views)
        return list(seen)[int(rng.integers(len(seen)))]

    def seek(self, view: View) -> Search:
        """Return the vertices where the pattern fits or could not be excluded."""
        placed: dict[Pattern, Bits] = {}

        def left(v: int, known: Pattern) -> VertexSet:
            if known not in placed:
                placed[known] = np.packbits(place_pattern(view.graph, known, self.part.exact_degrees)[0])
            return VertexSet(view.published.n, np.flatnonzero(np.unpackbits(placed[known], count=view.published.n)))

        return left


# Patterns: a depth-first search at every vertex, with a limit on its steps.

SEARCH_STEPS = 1_000_000
"""The most steps of one search; beyond it, the result is undecided."""


def place_pattern(graph: Graph, pattern: Pattern, exact_degrees: bool) -> tuple[Bools, Bools]:
    """Return where the pattern fits or the search is undecided, and where it certainly fits."""
    from shoal.core._kernels import balls as loops

    verdicts = np.zeros(graph.n, dtype=np.int8)
    plan = _plan_search(pattern, exact_degrees)

    def piece(first: int, last: int) -> None:
        loops.fits_at(first, last, graph.indptr, graph.indices, *plan, SEARCH_STEPS, verdicts)

    run_in_pieces(piece, graph.n, "placing patterns")
    return verdicts != loops.NO, verdicts == loops.YES


def _plan_search(pattern: Pattern, exact_degrees: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the search order: each vertex after a linked one, the most constrained first."""
    size = len(pattern.exhausted)
    near: list[set[int]] = [set() for _ in range(size)]
    for a, b in pattern.edges:
        near[a].add(b)
        near[b].add(a)
    order = [0]
    while len(order) < size:
        rest = [v for v in range(size) if v not in order and near[v] & set(order)]
        order.append(max(rest, key=lambda v: (pattern.exhausted[v], len(near[v] & set(order)), len(near[v]), -v)))
    at = {v: i for i, v in enumerate(order)}
    earlier = [sorted(at[w] for w in near[v] if at[w] < at[v]) for v in order]
    parent = np.array([back[0] if back else -1 for back in earlier], dtype=np.int64)
    links = np.array([sum(1 << j for j in back) for back in earlier], dtype=np.int64)
    least = np.array([len(near[v]) for v in order], dtype=np.int64)
    known = np.array([pattern.exhausted[v] and exact_degrees for v in order])
    return parent, links, np.where(known, least, -1), least
