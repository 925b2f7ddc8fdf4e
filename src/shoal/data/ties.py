"""Ties: which links join a vertex to each of its neighbors, where links have a direction, a kind, or both.

A link has two ends and a kind, and it may have a direction. Seen from the vertex v, it is an entry (w, relation), where
the relation is the kind with "both" (no direction), "out" (from v to w) or "in" (from w to v). All entries of v for one
neighbor w, with their multiplicities, are the *tie* of v to w. Each distinct tie has a code. So a graph keeps one row
of neighbors per vertex, as without directions and kinds, and one code per entry of it: two entries are alike if and
only if their codes are equal, and loops that only ask who is linked to whom read the rows as they are.

Codes are canonical: equal graphs have equal codes, however their links were listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.intervals import order_kind
from shoal.errors import BadGraph

Direction = Literal["both", "out", "in"]

DIRECTIONS: tuple[Direction, ...] = ("both", "out", "in")
REVERSED: dict[Direction, Direction] = {"both": "both", "out": "in", "in": "out"}

MISSING_KIND = ""
"""The kind of a link whose kind is missing, where other links have one."""


class Relation(NamedTuple):
    """How a vertex sees a link: its kind, and whether it leads both ways, out or in."""

    kind: str | None
    """The kind; None if links have no kinds."""
    direction: Direction

    @property
    def reverse(self) -> Relation:
        """How the other end sees the same link.

        >>> Relation("call", "out").reverse
        Relation(kind='call', direction='in')
        """
        return Relation(self.kind, REVERSED[self.direction])

    @property
    def order(self) -> tuple[str, int]:
        """Where it stands in a sorted list of relations."""
        return self.kind or "", DIRECTIONS.index(self.direction)


@dataclass(frozen=True, eq=False)
class Ties:
    """The ties of a graph: a code for each entry of its rows, and the relations that each code consists of."""

    relations: tuple[Relation, ...]
    """The relations, sorted. A relation is here if and only if its reverse is."""
    codes: Ints
    """The tie of each entry of the graph's `indices`, as its row's vertex sees it."""
    indptr: Ints
    """Tie t consists of the entries indptr[t] to indptr[t + 1] of `relation` and `times`."""
    relation: Ints
    """Relations by position in `relations`, ascending within a tie."""
    times: Ints
    """The multiplicity of each relation in its tie."""
    counted: bool = False
    """Whether multiplicities were kept when the graph was built."""

    def __post_init__(self) -> None:
        for array in (self.codes, self.indptr, self.relation, self.times):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writable

    @property
    def many(self) -> int:
        """The number of distinct ties."""
        return len(self.indptr) - 1

    @property
    def directed(self) -> bool:
        """Whether links may have a direction."""
        return any(relation.direction != "both" for relation in self.relations)

    @property
    def mixed(self) -> bool:
        """Whether some links have a direction and some have none."""
        return self.directed and any(relation.direction == "both" for relation in self.relations)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of links, sorted (intervals by their bounds); none if links have no kinds."""
        return tuple(sorted({kind for kind, _ in self.relations if kind is not None}, key=order_kind))

    @cached_property
    def totals(self) -> Ints:
        """The number of links in each tie."""
        return np.add.reduceat(np.append(self.times, 0).astype(np.int64), self.indptr[:-1]) if self.many else self.times

    @cached_property
    def reversals(self) -> Ints:
        """For each relation the position of its reverse."""
        at = {relation: i for i, relation in enumerate(self.relations)}
        return np.array([at[relation.reverse] for relation in self.relations], dtype=np.int32)

    @cached_property
    def reverse(self) -> Ints:
        """For each tie the tie that the other end sees."""
        at = {tie: code for code, tie in enumerate(self.bundles)}
        turned = (tuple(sorted((int(self.reversals[r]), q) for r, q in tie)) for tie in self.bundles)
        return np.array([at[tie] for tie in turned], dtype=np.int32)

    @cached_property
    def bundles(self) -> list[tuple[tuple[int, int], ...]]:
        """Each tie as pairs of a relation and its multiplicity."""
        entries = list(zip(self.relation.tolist(), self.times.tolist(), strict=True))
        bounds = self.indptr.tolist()
        return [tuple(entries[first:last]) for first, last in pairwise(bounds)]

    def expand(self, indptr: Ints, indices: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return every entry of the rows: bounds of the rows, neighbors, relations and multiplicities.

        Within a row, entries are sorted by neighbor and then by relation.
        """
        lengths = np.diff(self.indptr)[self.codes]
        before = np.concatenate([[0], np.cumsum(lengths)])
        at = np.repeat(self.indptr[self.codes] - before[:-1], lengths) + np.arange(before[-1])
        return before[indptr], np.repeat(indices, lengths), self.relation[at], self.times[at]

    def is_equal(self, other: Ties) -> bool:
        """Return whether both have the same relations and the same codes with the same meaning."""
        mine, theirs = ((x.codes, x.indptr, x.relation, x.times) for x in (self, other))
        return self.relations == other.relations and all(map(np.array_equal, mine, theirs))

    def followed_by(self, other: Ties) -> Ties:
        """Return the ties of this graph and then those of another; relations correspond by kind and direction.

        >>> out, back = Relation(None, "out"), Relation(None, "in")
        >>> one = Ties((out, back), *(np.array(x) for x in ([0, 1], [0, 1, 2], [0, 1], [1, 1])))
        >>> one.followed_by(one).codes.tolist()
        [0, 1, 0, 1]
        """
        relations = sort_relations([*self.relations, *other.relations])
        at = {relation: i for i, relation in enumerate(relations)}
        bundles = [
            [tuple((at[ties.relations[r]], q) for r, q in tie) for tie in ties.bundles] for ties in (self, other)
        ]
        number = {tie: code for code, tie in enumerate(sorted({*bundles[0], *bundles[1]}))}
        codes = [
            np.array([number[tie] for tie in some], dtype=np.int32)[ties.codes] if some else ties.codes
            for some, ties in zip(bundles, (self, other), strict=True)
        ]
        return make_ties(relations, np.concatenate(codes), list(number), self.counted or other.counted)


def make_ties(
    relations: tuple[Relation, ...], codes: Ints, bundles: Sequence[tuple[tuple[int, int], ...]], counted: bool
) -> Ties:
    """Return ties whose codes are positions in `bundles`."""
    lengths = [len(tie) for tie in bundles]
    flat = np.array([entry for tie in bundles for entry in tie], dtype=np.int32).reshape(-1, 2)
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    return Ties(relations, codes, indptr, flat[:, 0].copy(), flat[:, 1].copy(), counted)


def sort_relations(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Return the relations and their reverses, each once, sorted.

    >>> sort_relations([Relation("call", "in")])
    (Relation(kind='call', direction='out'), Relation(kind='call', direction='in'))
    """
    found = set(relations)
    return tuple(sorted(found | {relation.reverse for relation in found}, key=lambda relation: relation.order))


def tie_rows(
    n: int, a: Ints, b: Ints, relation: Ints, counts: Ints | None, relations: tuple[Relation, ...], counted: bool
) -> tuple[Ints, Ints, Ties]:
    """Return the rows of neighbors (`indptr`, `indices`) and the ties of links from a[i] to b[i].

    `relation` is the position in `relations` of how a[i] sees link i. Links that are listed more than once count once,
    unless `counted`.
    """
    many = len(relations)
    if n * n * max(many, 1) >= 2**63:
        raise BadGraph(
            f"A graph with {many:,} relations must have fewer than {int((2**63 // many) ** 0.5):,} vertices. Got {n:,}."
        )
    reversals = np.array([relations.index(r.reverse) for r in relations], dtype=np.int64)
    wide_a, wide_b, seen = a.astype(np.int64), b.astype(np.int64), relation.astype(np.int64)
    keys = np.concatenate([(wide_a * n + wide_b) * many + seen, (wide_b * n + wide_a) * many + reversals[seen]])
    if counts is None:
        keys.sort()
        starts = find_starts(keys)
        times = np.diff(starts, append=len(keys))
    else:
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = find_starts(keys)
        times = np.add.reduceat(np.tile(counts.astype(np.int64), 2)[order], starts) if len(starts) else starts
    keys = keys[starts]
    if not counted:
        times = np.ones(len(keys), dtype=np.int64)
    elif len(times) and times.max() > np.iinfo(np.int32).max:
        raise BadGraph(f"A pair must have fewer than 2**31 links of one kind and direction. Got {times.max():,}.")
    return _gather(n, keys // many, keys % many, times, relations, counted)


def _gather(
    n: int, pairs: Ints, relation: Ints, times: Ints, relations: tuple[Relation, ...], counted: bool
) -> tuple[Ints, Ints, Ties]:
    """Join the entries of each pair of vertices, which are adjacent and sorted, into one tie."""
    starts = find_starts(pairs)
    lengths = np.diff(starts, append=len(pairs))
    kept = pairs[starts]
    indptr = np.searchsorted(kept, np.arange(n + 1, dtype=np.int64) * n)
    item = _rank(relation * (int(times.max(initial=1)) + 1) + times)
    codes, span = np.zeros(len(starts), dtype=np.int64), int(item.max(initial=0)) + 2
    for depth in range(int(lengths.max(initial=0))):
        # 0 stands for "no more entries", so that codes are in the order of the sorted lists
        there = lengths > depth
        step = np.zeros(len(starts), dtype=np.int64)
        step[there] = item[starts[there] + depth] + 1
        codes = _rank(codes * span + step)
    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    bundles = [
        tuple(zip(relation[s : s + q].tolist(), times[s : s + q].tolist(), strict=True))
        for s, q in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
    ]
    return indptr, (kept % n).astype(np.int32), make_ties(relations, codes.astype(np.int32), bundles, counted)


FEW = 1 << 22
"""Numbers below this are ranked by counting, which is faster than sorting."""


def _rank(numbers: Ints) -> Ints:
    """Return the rank of each number among the distinct numbers, from 0.

    >>> _rank(np.array([7, 3, 7])).tolist()
    [1, 0, 1]
    """
    if int(numbers.max(initial=0)) < FEW:
        there = np.bincount(numbers) > 0
        return (np.cumsum(there) - 1)[numbers]
    found: Ints = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    return found


def find_starts(keys: Ints) -> Ints:
    """Return the start of each run of equal keys."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
