"""Knowledge of the distances to the hubs: hub fingerprints (Hay et al. 2008).

Hubs that are twins (equal neighbors, each other aside) are equally far from every other vertex, so one search serves
them all. That matters where many tie: in a star every leaf is a hub. Let G be hubs that are twins of each other in
every searched graph. The entries of G in a fingerprint are equal, except for a member of G, which has 0 at itself and
the distance between twins at the others. So three numbers determine them: which hub the vertex is itself; its distance
from G, 0 for a member; and for a member the distance between twins.

Where links have a direction, a fingerprint has two distances per hub: along the links to the hub, and from it. Twins
are then vertices that can change places without changing where a step leads.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from shoal.core.grouping import find_entries, find_first_members, group_columns
from shoal.core.twins import group_twin_rows
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.data.ties import Ties
from shoal.errors import BadParameter, format_count, join_names, must, whole
from shoal.knowledge.base import LESS, Adversary, Aliases
from shoal.knowledge.candidates import Candidates, Fact, FittingCandidates, Tell
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View
from shoal.parts import check_word_count, escape, parse_number, split_words, unescape
from shoal.settings import run_in_pieces

STEP = 16
"""The number of searches between two checks whether all fingerprints differ."""
MOST = 200_000_000
"""The most distances kept at once in an open world."""
TIES = "where vertices of one degree are all hubs: name them instead"

BOTH, AHEAD, BACK = 1, 2, 3
"""Where steps lead from a vertex to a neighbor. BOTH is 1, the multiplicity of the link of linked twins."""


class Steps(NamedTuple):
    """Where one step leads: the vertices that follow v are `indices[indptr[v]:indptr[v + 1]]`."""

    indptr: Ints
    indices: Ints


@dataclass(frozen=True, eq=False)
class Side:
    """A searched graph, and the ids of the hubs in it."""

    graph: Graph
    hubs: Ints
    directed: bool
    """Whether steps follow the direction of links."""

    @cached_property
    def ways(self) -> tuple[Steps, ...]:
        """Steps along the links, and against them; they are the same in an undirected graph, which has one way."""
        from shoal.core._kernels.balls import keep_entries

        g = self.graph
        if not self.directed or g.ties is None:
            return (Steps(g.indptr, g.indices),) * (2 if self.directed else 1)
        step = find_tie_steps(g.ties)
        kept = [(step != other).view(np.uint8) for other in (BACK, AHEAD)]
        return tuple(Steps(*keep_entries(g.indptr, g.indices, g.ties.codes, some)) for some in kept)

    def number_twins(self) -> Ints:
        """Number the classes of hubs that can change places without changing where a step leads."""
        g = self.graph
        ptr, at = find_entries(g.indptr, self.hubs)
        step = find_tie_steps(g.ties)[g.ties.codes[at]] if self.directed and g.ties is not None else None
        return group_twin_rows(ptr, g.indices[at], self.hubs, step, None, (BOTH,))[0]


@dataclass(frozen=True)
class Hubs(Adversary):
    """Knows the distances to the hubs, up to `reach`.

    Where links have a direction, it knows the number of steps along the links from the vertex to each hub, and from
    each hub to the vertex. Either may be absent. Links without direction are walked either way. Kinds are ignored.

    Parameters
    ----------
    hubs
        A number h: all vertices whose number of links, of any direction and kind, is at least the h-th highest. Ties
        are included, so the order of the vertices does not matter. Or the names of the hubs.
    reach
        The largest known distance. A hub beyond it is absent from the fingerprint. None: all distances.
    world
        "closed": absence is known, so candidates must agree on it. "open": absence is unknown, so candidates agree
        only on the present entries.

    With `original` the hubs are chosen in the original and found in the release by their counterparts. A hub that was
    not published is left out.

    Examples
    --------
    Both ends of a path of five are two steps from its center:

    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.path_graph(5)), Hubs([2])).sizes.tolist()
    [2, 2, 1, 2, 2]

    References
    ----------
    M. Hay, G. Miklau, D. Jensen, D. Towsley, P. Weis: Resisting structural re-identification in anonymized social
    networks. PVLDB 2008.
    """

    hubs: int | tuple[Hashable, ...]
    reach: int | None = None
    world: Literal["closed", "open"] = "closed"

    shell: ClassVar[str] = "hubs"
    form: ClassVar[str] = "hubs:COUNT[:REACH[:open]]"
    description: ClassVar[str] = "The distances from a vertex to the COUNT best-connected vertices, up to REACH steps."
    notion: ClassVar[str] = "hub fingerprints (Hay et al.)"
    reads_kinds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "hubs", _check_hubs(self.hubs))
        if self.reach is not None:
            object.__setattr__(self, "reach", whole(self.reach, "Hubs", "reach", least=0))
        must(self.world in ("closed", "open"), "Hubs", "world", "'closed' or 'open'", self.world)

    @property
    def title(self) -> str:
        """The hubs."""
        return f"distance to {self._people}"

    @property
    def phrase(self) -> str:
        """The distances from a person; hubs that are named are only counted."""
        reach = "" if self.reach is None else f", up to {format_count(self.reach, 'step')}"
        return f"the distance{'' if self._many == 1 else 's'} from a person to {self._people}{reach}"

    @property
    def _people(self) -> str:
        """The hubs in words."""
        if not isinstance(self.hubs, int):
            return format_count(self._many, "named person", "named people")
        return "the best-connected person" if self._many == 1 else f"the {self._many:,} best-connected people"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the distance to each hub, and in a closed world the hubs that are absent."""
        if "distances" in fact.value:
            near = _describe_distances(fact.value["distances"], "from")
            parts = [*filter(None, near), *_describe_absent(fact.value, "distances", "from", "not connected to")]
            return f"is {join_names(parts)}" if parts else ""
        both = zip(*(_describe_distances(fact.value[way], way) for way in ("to", "from")), strict=True)
        parts = [told for each in both for told in each if told]
        parts += [told for way in ("to", "from") for told in _describe_absent(fact.value, way, way, f"no path {way}")]
        return f"has {join_names(parts, most=24)}" if parts else ""

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the hubs by alias."""
        lists = [key for key in ("distances", "to", "from") if key in fact.value]
        return {**fact.value, **{key: [[aliases(hub), d] for hub, d in fact.value[key]] for key in lists}}

    @property
    def _many(self) -> int:
        return self.hubs if isinstance(self.hubs, int) else len(self.hubs)

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: it knows the distances to all hubs of the other, as far, and excludes no fewer absent hubs."""
        if not isinstance(other, Hubs):
            return None
        if isinstance(self.hubs, int) and isinstance(other.hubs, int):
            more = other.hubs <= self.hubs
        else:
            named = not isinstance(self.hubs, int) and not isinstance(other.hubs, int)
            more = named and set(other.hubs) <= set(self.hubs)  # type: ignore[arg-type]
        farther = (inf if other.reach is None else other.reach) <= (inf if self.reach is None else self.reach)
        return LESS if more and farther and (self.world == "closed" or other.world == "open") else None

    def fits_size(self, data: Dataset) -> bool:
        """Return whether there are as many vertices as hubs."""
        return self._many <= data.n

    def estimate_steps(self, data: Dataset) -> int:
        """Return one search of the whole graph per hub."""
        return self._many * (data.n + data.m)

    def incremental(self) -> Incremental | None:
        """Return the distances, for hubs that are chosen by degree in a closed world."""
        if not isinstance(self.hubs, int) or self.world != "closed":
            return None
        return Incremental(frozenset({"hubs"}), hubs=(self.hubs, self.reach))

    def see(self, view: View) -> Candidates:
        """Compare fingerprints."""
        chosen = self._choose_hubs(view)
        hubs = chosen[view.counterpart[chosen] >= 0]
        different = hubs if isinstance(self.hubs, int) else np.unique(hubs)
        directed = view.known_graph.directed or view.graph.directed
        sides = [Side(view.graph, view.counterpart[different], directed)]
        if view.original is not None:
            sides.insert(0, Side(view.known_graph, different, directed))

        def tell(v: int) -> tuple[Fact, ...]:
            names = [view.known.names[h] for h in hubs.tolist()]
            away = measure_distances(sides[0].ways, [v], self.reach)[:, 0, hubs].tolist()
            told = [[(name, d if d >= 0 else None) for name, d in zip(names, far, strict=True)] for far in away]
            lists = zip(("to", "from") if directed else ("distances",), told, strict=True)
            return (Fact("hubs", {**dict(lists), "reach": self.reach, "world": self.world}),)

        if self.world == "closed":
            return view.group_alike(self._number_fingerprints(sides), tell)
        matrix = self._list_fingerprints(sides, len(hubs))
        return _compare_open_world(matrix[:, : view.known.n], matrix[:, -view.published.n :], tell)

    def _number_fingerprints(self, sides: Sequence[Side]) -> Ints:
        """Number the fingerprints, a few searches at a time, until no two vertices have the same."""
        codes = np.zeros(sum(side.graph.n for side in sides), dtype=np.int64)
        for rows in self._list_entries(sides):
            codes = group_columns([codes, *rows])
            if codes.max() == len(codes) - 1:
                break
        return codes

    def _list_fingerprints(self, sides: Sequence[Side], many: int) -> Ints:
        """Return the fingerprints, one column a vertex."""
        rows: list[Ints] = []
        for some in self._list_entries(sides):
            rows += some
            fits = len(rows) * sides[-1].graph.n <= MOST
            must(fits, "Hubs", "hubs", f"fewer in an open world, {TIES}", many)
        return np.stack(rows)

    def _list_entries(self, sides: Sequence[Side]) -> Iterator[list[Ints]]:
        """Yield the numbers that determine the fingerprints of all vertices, some at a time; -1 is absent."""
        yield [np.concatenate([_find_own_hub(side) for side in sides])]
        groups = _group_hubs(sides)
        for first in range(0, len(groups), STEP):
            some = groups[first : first + STEP]
            found = [_measure_from_groups(side, some, self.reach) for side in sides]
            yield list(np.concatenate(found, axis=1))

    def _choose_hubs(self, view: View) -> Ints:
        """Return the ids of the hubs in the graph where the facts come from."""
        g = view.known_graph
        if not isinstance(self.hubs, int):
            return np.array([g.names.id(name) for name in self.hubs], dtype=np.int64)
        must(self.hubs <= g.n, "Hubs", "hubs", f"at most the number of vertices, {g.n:,}", self.hubs)
        return np.flatnonzero(g.degree >= np.sort(g.degree)[-self.hubs])

    def words(self) -> Sequence[str]:
        """Return the hubs, and the reach and the world unless they are the default."""
        hubs = str(self.hubs) if isinstance(self.hubs, int) else ",".join(_spell_name(str(name)) for name in self.hubs)
        reach = "*" if self.reach is None else str(self.reach)
        return [hubs, reach, "open"] if self.world == "open" else [hubs] if self.reach is None else [hubs, reach]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read hubs, reach and world."""
        check_word_count(words, 3, cls.form)
        if not words:
            raise BadParameter(f"'hubs' must be spelled {cls.form}. Got no hubs.")
        first = words[0]
        count = first.isascii() and first.isdecimal()
        hubs = parse_number(first, cls.form) if count else tuple(unescape(name) for name in split_words(first, ","))
        reach = None if len(words) < 2 or words[1] == "*" else parse_number(words[1], cls.form)
        world = words[2] if len(words) == 3 else "closed"
        return cls(hubs, reach, world)  # type: ignore[arg-type]  # __post_init__ refuses other worlds


def _check_hubs(hubs: object) -> int | tuple[Hashable, ...]:
    if isinstance(hubs, str):
        return (hubs,)
    if isinstance(hubs, Iterable):
        names = tuple(hubs)
        must(names, "Hubs", "hubs", "a number or at least one name", hubs)
        return names
    return whole(hubs, "Hubs", "hubs", least=1)


def _spell_name(name: str) -> str:
    """Escape a name so that a number is not taken for a count."""
    return "\\" + name if name.isascii() and name.isdecimal() else escape(name)


def _describe_distances(far: Iterable[tuple[Hashable, int | None]], way: str) -> list[str]:
    """Return the distance to or from each hub in words; empty where it is absent."""
    return ["" if d is None else f"{d} {'step' if d == 1 else 'steps'} {way} {hub}" for hub, d in far]


def _describe_absent(fact: dict[str, Any], key: str, way: str, apart: str) -> list[str]:
    """Return the hubs that are absent in words; none in an open world."""
    absent, reach = [str(hub) for hub, d in fact[key] if d is None], fact["reach"]
    if not absent or fact["world"] == "open":
        return []
    beyond = apart if reach is None else f"more than {format_count(reach, 'step')} {way}"
    return [f"{beyond} {join_names(absent)}"]


def find_tie_steps(ties: Ties) -> Ints:
    """Return for each tie whether steps lead along it BOTH ways, only AHEAD or only BACK.

    >>> g = Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False])
    >>> find_tie_steps(g.ties)[g.ties.codes].tolist()
    [2, 3, 1, 1]
    """
    if not ties.many:
        return np.zeros(0, dtype=np.int32)
    ahead, back = (
        np.logical_or.reduceat(
            np.array([one.direction in ("both", way) for one in ties.relations])[ties.relation], ties.indptr[:-1]
        )
        for way in ("out", "in")
    )
    return np.where(ahead & back, BOTH, np.where(ahead, AHEAD, BACK)).astype(np.int32)


def _find_own_hub(side: Side) -> Ints:
    """Return which hub each vertex is, -1 where it is none."""
    own = np.full(side.graph.n, -1, dtype=np.int32)
    own[side.hubs] = np.arange(len(side.hubs))
    return own


def _group_hubs(sides: Sequence[Side]) -> list[Ints]:
    """Return the positions of the hubs that are twins on every side, group by group."""
    if not len(sides[0].hubs):
        return []
    return _list_members(group_columns([side.number_twins() for side in sides]))


def _list_members(codes: Ints) -> list[Ints]:
    """Return the positions of each code."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _measure_from_groups(side: Side, groups: Sequence[Ints], reach: int | None) -> Ints:
    """Return the distances of all vertices from each group, 0 for its members, and for those the one between them.

    Where links have a direction, there is one distance each way.
    """
    away = measure_distances(side.ways, [int(side.hubs[group[0]]) for group in groups], reach)
    between = []
    for rows in away:
        for row, group in zip(rows, groups, strict=True):
            if len(group) > 1:
                members = side.hubs[group]
                between.append(np.full(side.graph.n, -1, dtype=np.int32))
                between[-1][members] = row[members[1]]
                row[members] = 0
    return np.stack([*away.reshape(-1, side.graph.n), *between])


def _compare_open_world(known: Ints, seen: Ints, tell: Tell) -> FittingCandidates:
    """Let u fit v if and only if it agrees with v wherever v's fingerprint is present."""

    def among(v: int, ids: Ints | None) -> Ints:
        present = known[:, v] >= 0
        columns = seen[present] if ids is None else seen[np.ix_(present, ids)]
        fits = np.flatnonzero((columns == known[present, v][:, None]).all(axis=0))
        return fits if ids is None else ids[fits]

    return FittingCandidates(_count_open_world(known, seen), among, tell)


PAIRS = 25_000
"""To compare so many pairs of fingerprints takes as long as to sort out those with one set of present hubs."""
ENTRIES = 10
"""About so many entries of a fingerprint fit into a word."""
AT_ONCE = 4_000_000
"""The most pairs of fingerprints that are compared at once."""


def _count_open_world(known: Ints, seen: Ints) -> Ints:
    """Count the vertices that agree on the present hubs. Equal fingerprints are counted once."""
    n, codes = known.shape[1], group_columns([*np.concatenate([known, seen], axis=1)])
    mine, theirs = find_first_members(codes[:n]), find_first_members(codes[n:])
    asked = known[:, mine]
    masks = group_columns([np.zeros(len(mine), dtype=np.int64), *(asked >= 0)])
    others, times = seen[:, theirs], np.bincount(codes[n:])[codes[n:][theirs]]
    words = -(-len(known) // ENTRIES)
    few = len(mine) * len(theirs) * words <= PAIRS * (int(masks.max()) + 1)
    count = _count_by_pairs if few else _count_by_masks
    sizes = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    sizes[codes[mine]] = count(asked, masks, others, times)
    return sizes[codes[:n]]


def _count_by_masks(known: Ints, masks: Ints, seen: Ints, times: Ints) -> Ints:
    """Count the vertices with agreeing fingerprints, for one set of present hubs at a time."""
    sizes = np.empty(known.shape[1], dtype=np.int64)
    for members in _list_members(masks):
        present = known[:, members[0]] >= 0
        side = np.concatenate([known[np.ix_(present, members)], seen[present]], axis=1)
        codes = group_columns([np.zeros(side.shape[1], dtype=np.int64), *side])
        counts = np.bincount(codes[len(members) :], weights=times, minlength=int(codes.max()) + 1).astype(np.int64)
        sizes[members] = counts[codes[: len(members)]]
    return sizes


def _count_by_pairs(known: Ints, _: Ints, seen: Ints, times: Ints) -> Ints:
    """Count the vertices with agreeing fingerprints by comparing each with each, packed into words."""
    sizes = np.empty(known.shape[1], dtype=np.int64)
    words = list(_pack_entries(known, seen))
    step = max(1, AT_ONCE // seen.shape[1])
    for first in range(0, len(sizes), step):
        some = slice(first, first + step)
        apart = np.zeros((len(sizes[some]), seen.shape[1]), dtype=np.int64)
        for mine, theirs, present in words:
            apart |= (mine[some, None] ^ theirs) & present[some, None]
        sizes[some] = (apart == 0) @ times
    return sizes


def _pack_entries(known: Ints, seen: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield fingerprints as words: known ones, seen ones, and the bits of the hubs that are present in the known ones.

    >>> [[part.tolist() for part in word] for word in _pack_entries(np.array([[2, -1]]), np.array([[2, 0]]))]
    [[[3, 0], [3, 1], [3, 0]]]
    """
    parts, taken = [np.zeros(x.shape[1], dtype=np.int64) for x in (known, seen, known)], 0
    for mine, theirs in zip(known, seen, strict=True):
        bits = (int(max(mine.max(), theirs.max())) + 1).bit_length()
        if taken + bits > 62:
            yield parts[0], parts[1], parts[2]
            parts, taken = [np.zeros_like(part) for part in parts], 0
        one = np.int64((1 << bits) - 1)
        fields = mine + np.int64(1), theirs + np.int64(1), np.where(mine >= 0, one, 0)
        parts, taken = [(part << bits) | entry for part, entry in zip(parts, fields, strict=True)], taken + bits
    yield parts[0], parts[1], parts[2]


LIGHT = 131_072
"""Searches that read so many vertices and entries run in one piece."""


def measure_distances(ways: Sequence[Steps], sources: Sequence[int], reach: int | None) -> Ints:
    """Return for each way a row of distances per source; -1 if there is no path of length at most `reach`."""
    from shoal.core._kernels.balls import distances

    n, entries = len(ways[0].indptr) - 1, max(len(rows.indices) for rows in ways)
    found = np.full((len(ways), len(sources), n), -1, dtype=np.int32)

    def piece(first: int, last: int) -> None:
        for way, i in (divmod(task, len(sources)) for task in range(first, last)):
            distances(*ways[way], sources[i], n if reach is None else reach, found[way, i])

    # starting a thread costs more than a walk in a small graph
    walks = max(1, LIGHT // (n + entries))
    run_in_pieces(piece, len(ways) * len(sources), "walking from the hubs", piece=walks)
    return found
