"""Cascading re-identification, starting from uniquely identified vertices (de Jong, van der Loo & Takes 2024).

The attacker knows the original. Vertices with a single candidate are identified first. Then a neighbor of an identified
vertex is identified if it is unique among its neighbors, and so on, level by level.

v and x are vertices of the original, u is one of the attacked graph, y and w are neighbors of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from shoal.attacks.base import (
    MEANS,
    Attack,
    AttackedData,
    Outcome,
    Rate,
    Trial,
    describe_recoded,
    list_attacked,
    list_recoded,
    note_known_ties,
)
from shoal.core.grouping import find_first_members, group_columns, group_multisets
from shoal.core.twins import find_twins
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph, join_ties
from shoal.errors import BadParameter, format_count, must, whole
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.candidates import AlikeCandidates, Candidates
from shoal.knowledge.view import Pair, View
from shoal.parts import option
from shoal.progress import track
from shoal.release.release import Release
from shoal.seeds import AnySeed, parse_seed

FIRST, LAST, RIGHT, WRONG = "identified at first", "identified at the end", "identified correctly", "identified wrongly"
MEANINGS = {
    FIRST: "Identified by the initial knowledge: no other vertex fits.",
    LAST: "Identified in the end: at first, or as unique among the neighbors of an identified person.",
    RIGHT: "Identified, and correctly.",
    WRONG: "Identified, but as another person: an added or removed link misled the attacker.",
}
CENSUS = "Every person is counted and nothing is drawn, so rates have no interval. (Random edits are one draw.)"
SEVERAL = "If two identified people point to different vertices for the same person, that person is not identified."
UP_TO_TWINS = "Twins count as identified together: their places are known, but not which twin has which place."


@dataclass(frozen=True)
class Cascade(Attack):
    """Identifies unique people first, and then their unique neighbors, along links.

    Level 0 are the people with a single candidate under `start`. At each next level, a neighbor of an identified person
    is identified if it is unique under `then` among the neighbors of that person. This ends when nothing changes.

    Where links have directions or kinds, neighbors also differ by their links to the identified person: the only one
    who is linked from that person, or by a call, is unique.

    Facts are measured in the original and searched in the release. A match needs uniqueness on both sides: in the
    original and in the release. After an edit it may be wrong, and then leads to further wrong matches.

    Parameters
    ----------
    start
        The initial knowledge about every person: an adversary or its shell name.
    then
        The knowledge that distinguishes neighbors: an adversary with classes (degree, counts:1, refinement:2, ...).
    twins
        Whether a class of twins (the same neighbors, linked to each other or not) counts as identified together.
    exclude
        Whether identified vertices are no longer candidates of other people. False: a neighbor must be unique among
        all neighbors, identified or not, so fewer people are identified.
    limit
        The most levels after the first; None continues until no further person is identified.

    Examples
    --------
    The center of a path of five is not unique by its degree, but by the degrees around it. The two sides of a path are
    alike, so the cascade ends there. A twig on one side makes them differ:

    >>> import networkx as nx, shoal
    >>> path = nx.path_graph(5)
    >>> shoal.attack(path, path, by=Cascade(start="refinement:2")).settings["levels"]["release"]
    [1]
    >>> path.add_edge(4, 5)
    >>> path.add_edge(1, 6)  # a twig on one side
    >>> shoal.attack(path, path, by=Cascade()).settings["levels"]["release"]
    [1, 1, 1, 1, 1]

    References
    ----------
    R. G. de Jong, M. P. J. van der Loo, F. W. Takes: The effect of distant connections on node anonymity in complex
    networks. Scientific Reports 2024.
    """

    start: Adversary | str = option("degree", "Initial knowledge about each person.", metavar="SPEC")
    then: Adversary | str = option("degree", "Knowledge that distinguishes neighbors.", metavar="SPEC")
    twins: bool = False
    exclude: bool = True
    limit: int | None = None

    shell: ClassVar[str] = "cascade"
    title: ClassVar[str] = "cascade from uniquely identified people"
    means: ClassVar[str] = "Knows the original. Identifies unique people, and then their unique neighbors."
    success: ClassVar[str] = "identifies {} of the people"
    source: ClassVar[str] = "de Jong, van der Loo & Takes 2024"
    main: ClassVar[str] = RIGHT
    reads_ties: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for what in ("start", "then"):
            object.__setattr__(self, what, parse_knowledge(getattr(self, what)).spec)
        for what in ("twins", "exclude"):
            must(isinstance(getattr(self, what), bool), "Cascade", what, "True or False", getattr(self, what))
        if self.limit is not None:
            object.__setattr__(self, "limit", whole(self.limit, "Cascade", "limit", least=0))

    def __call__(self, pair: Pair, release: Release | None, seed: AnySeed) -> Outcome:
        """Run the cascade on the release and on the controls."""
        assert pair.counterpart is not None
        seed = parse_seed(seed, "Cascade")
        graphs, notes = list_attacked(pair, release, np.random.default_rng(seed))
        there = pair.counterpart >= 0
        fallen = {each.name: self._run_on(as_graph(pair.original), each, there) for each in graphs}
        many = int(there.sum())
        guessed = {RIGHT: Rate(many / pair.released.n, many)}
        trials = [Trial(each.name, each.means, fallen[each.name].count_rates(each)) for each in graphs]
        levels = {name: found.levels for name, found in fallen.items()}
        columns, assumes = self._list_recoded(pair), parse_knowledge(self.start).assumes
        told = {
            CENSUS: True,
            describe_unreleased(fallen["release"]): not there.all(),
            describe_recoded(columns): columns,
            (ties := note_known_ties(pair.original)): ties,
            assumes: assumes,
            SEVERAL: True,
            UP_TO_TWINS: self.twins,
        }
        return Outcome(
            self,
            self.shell,
            self.means,
            self.main,
            (*trials, Trial("guessing", MEANS["guessing"], guessed)),
            seed,
            {**self.settings(), "levels": levels, **({"recoded": list(columns)} if columns else {})},
            MEANINGS,
            None,
            (*(note for note, applies in told.items() if applies), *notes),
        )

    def _list_recoded(self, pair: Pair) -> tuple[str, ...]:
        """Return the known columns that the release recodes."""
        known = [name for what in (self.start, self.then) for name in list_recoded(pair, parse_knowledge(what))]
        return tuple(dict.fromkeys(known))

    def _run_on(self, original: Graph, graph: AttackedData, there: Bools) -> CascadeResult:
        """Return the identified vertices by level; only people who are `there`, in the release, are counted."""
        view = View(graph.graph, original, graph.counterpart)
        answer, kinds = parse_knowledge(self.start).see(view), parse_knowledge(self.then).see(view)
        if not isinstance(kinds, AlikeCandidates):
            raise BadParameter(f"Cascade: 'then' must be knowledge with classes, as degree. Got {self.then!r}.")
        published = as_graph(graph.graph)
        sides = Side.of_vertices(original), Side.of_vertices(published)
        if self.twins:
            start = answer if isinstance(answer, AlikeCandidates) else kinds
            known = group_columns([np.concatenate([x.known, x.published]) for x in (start, kinds)])
            sides = Side.of_twins(original, known[: original.n]), Side.of_twins(published, known[original.n :])
        ways = label_neighbors(sides, (kinds.known, kinds.published)), find_claims(answer, *sides)
        return _run_cascade(sides, *ways, self.exclude, self.limit, there)


@dataclass(frozen=True, eq=False)
class Side:
    """The links among units of the cascade: single vertices, or classes of twins with one representative."""

    graph: Graph
    whole: Ints
    """For each vertex the representative of its class."""

    @classmethod
    def of_vertices(cls, graph: Graph) -> Side:
        """Make every vertex a unit."""
        return cls(graph, np.arange(graph.n))

    @classmethod
    def of_twins(cls, graph: Graph, known: Ints) -> Side:
        """Make twins a unit: vertices with the same neighbors, each other aside, and the same known facts.

        No vertex has both linked and unlinked twins. With multiple edges only unlinked twins are searched. With
        directions or kinds, linked twins are searched for the most frequent links only.

        >>> square = Graph.from_pairs("abcd", [0, 1, 2, 3], [1, 2, 3, 0])
        >>> Side.of_twins(square, np.zeros(4, dtype=np.int64)).whole.tolist()
        [0, 1, 0, 1]
        """
        if graph.multiplicity is None or graph.ties is not None:
            codes = find_twins(graph, known)
        else:
            codes = group_multisets(graph.indptr, graph.indices, graph.multiplicity, known)
        return cls(graph, find_first_members(codes)[codes])

    @cached_property
    def links(self) -> tuple[Ints, Ints, Ints]:
        """The rows of the representatives, and the position of each entry; links inside a class are left out."""
        g, stands = self.graph, self.whole == np.arange(self.graph.n)
        rows = np.repeat(np.arange(g.n), np.diff(g.indptr))
        keep = np.flatnonzero(stands[rows] & stands[g.indices])
        return np.concatenate([[0], np.cumsum(np.bincount(rows[keep], minlength=g.n))]), g.indices[keep], keep


@dataclass(frozen=True, eq=False)
class CascadeResult:
    """The identified vertices."""

    sides: tuple[Side, Side]
    found: Ints
    """For each representative of the original its identified vertex, -1 if there is none."""
    levels: list[int]
    """The number of counted people identified at each level, twins counted one by one."""
    there: Bools
    """The counted people: those of the original that were released."""

    @property
    def where(self) -> Ints:
        """For each vertex of the original its identified vertex, -1 if there is none."""
        return self.found[self.sides[0].whole]

    def count_rates(self, graph: AttackedData) -> dict[str, Rate]:
        """Count the identified people, and those identified correctly, among the released people."""
        own = graph.counterpart[self.there]
        where, truth = self.where[self.there], np.where(own >= 0, self.sides[1].whole[own], -2)
        right = int(np.count_nonzero((where >= 0) & (where == truth)))
        end = int(np.count_nonzero(where >= 0))
        counts = {FIRST: self.levels[0], LAST: end, RIGHT: right, WRONG: end - right}
        return {name: Rate(many, len(own)) for name, many in counts.items()}


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """The rows of one side, with the kind of each entry: what distinguishes a neighbor from other neighbors."""

    rows: tuple[Ints, Ints, Ints]
    """Bounds, neighbors, and a label of each entry."""
    kinds: Ints
    """The kind of each label, a number that means the same on both sides."""


def label_neighbors(sides: tuple[Side, Side], kinds: tuple[Ints, Ints]) -> tuple[LabeledRows, LabeledRows]:
    """Return the rows of both sides with the kinds of neighbors: the known facts, and with ties the links to them too.

    Without directions and kinds of links, the label of an entry is the neighbor.
    """
    ties = join_ties(*(side.graph for side in sides))
    links = [side.links for side in sides]
    if ties is None:
        one, other = (LabeledRows((ptr, near, near), kind) for (ptr, near, _), kind in zip(links, kinds, strict=True))
        return one, other
    entries = len(sides[0].graph.indices)
    codes = ties.codes[:entries][links[0][2]], ties.codes[entries:][links[1][2]]
    facts = np.concatenate([kind[near] for (_, near, _), kind in zip(links, kinds, strict=True)])
    labels = group_columns([facts, np.concatenate(codes)]).astype(np.int32)
    same = np.arange(int(labels.max(initial=-1)) + 1)
    parts = np.split(labels, [len(codes[0])])
    one, other = (LabeledRows((ptr, near, part), same) for (ptr, near, _), part in zip(links, parts, strict=True))
    return one, other


def describe_unreleased(fallen: CascadeResult) -> str:
    """Return how many people are not counted, and how many of them would be taken for a released person."""
    absent = ~fallen.there
    taken = int(np.count_nonzero(fallen.where[absent] >= 0))
    wrongly = f" {taken:,} of them would be taken for a released person." if taken else ""
    lacking = format_count(int(absent.sum()), "person", "people")
    return f"The release lacks {lacking} of the original, not counted here.{wrongly}"


def find_claims(answer: Candidates, known: Side, seen: Side) -> tuple[Ints, Ints]:
    """Return the people whose only candidates are one vertex or its twins, and that vertex; no vertex twice."""
    who = np.flatnonzero((known.whole == np.arange(known.graph.n)) & (answer.sizes > 0) & answer.exact_sizes)
    where = _find_only(answer, who, seen)
    who, where = who[where >= 0], where[where >= 0]
    once = np.bincount(where, minlength=1)[where] == 1
    return who[once], where[once]


def _find_only(answer: Candidates, who: Ints, seen: Side) -> Ints:
    """Return for each of `who` the representative of all candidates, -1 if there is no single one."""
    if not isinstance(answer, AlikeCandidates):
        left = [np.unique(seen.whole[answer.of(int(v))]) for v in who]
        return np.array([ids[0] if len(ids) == 1 else -1 for ids in left], dtype=np.int64)
    span = int(max(answer.known.max(), answer.published.max())) + 1
    least, most = np.full(span, seen.graph.n), np.full(span, -1)
    np.minimum.at(least, answer.published, seen.whole)
    np.maximum.at(most, answer.published, seen.whole)
    return np.where(least == most, most, -1)[answer.known[who]]


def _run_cascade(
    sides: tuple[Side, Side],
    labeled: tuple[LabeledRows, LabeledRows],
    first: tuple[Ints, Ints],
    exclude: bool,
    limit: int | None,
    there: Bools,
) -> CascadeResult:
    from shoal.attacks._kernels.matching import claims_around, settle

    known, graph = (each.rows for each in labeled)
    kinds = [each.kinds for each in labeled]
    n, many = (side.graph.n for side in sides)
    found, taken = np.full(n, -1, dtype=np.int64), np.full(many, -1, dtype=np.int64)
    where, whose = found.copy(), taken.copy()
    closed, shut = np.zeros(n, dtype=np.bool_), np.zeros(many, dtype=np.bool_)
    look: Bools = np.zeros(n, dtype=np.bool_)
    span = int(max(code.max(initial=0) for code in kinds)) + 1
    scratch = tuple(np.zeros(span, dtype=np.int64) for _ in range(4))
    weight = np.bincount(sides[0].whole[there], minlength=n)
    where[first[0]], whose[first[1]] = first[1], first[0]
    levels: list[int] = []
    while settle(known, graph, found, taken, where, whose, closed, shut, look) or not levels:
        levels.append(int(weight[found >= 0].sum()) - sum(levels))
        track("following links", 0, 0)
        if limit is not None and len(levels) > limit:
            break
        claims_around(known, graph, *kinds, found, taken, closed, shut, look, exclude, scratch, where, whose)
    return CascadeResult(sides, found, levels, there)
