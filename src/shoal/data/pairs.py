"""Pairs: links as read from a file or an object, before they become a graph; names get ids by exact comparison."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.edge_columns import EdgeColumns
from shoal.data.graph import Graph, begin_notice, build_graph, count_ordered_pairs, report_repeats
from shoal.data.names import Names, check_one_value_each
from shoal.data.table import Table, is_missing
from shoal.errors import BadGraph, notice
from shoal.settings import in_order, spans

if TYPE_CHECKING:
    import pyarrow as pa


# Encoding: two columns of names become two columns of vertex ids, by exact comparison.
#
# There is one function each for integers, texts (in arrow arrays) and hashable values. A missing end gets the id
# NO_ONE. Texts and values are numbered in order of first appearance, row by row; integers in ascending order.

NO_ONE = -1
"""The id of a missing end; the other end of the pair is listed without a link."""

WORD = 8
"""Bytes per word; a text of at most two words is compared as one or two integers."""

ROUNDS = 8
SLOTS = 22
WINDOW = 1 << 17
MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd constants of multiplicative hashing (Knuth; xxHash). Every match is then verified by comparison."""


Words = np.ndarray[Any, np.dtype[np.uint64]]


def number_whole_ends(a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct integers, ascending, and the position of each end among them.

    >>> [part.tolist() for part in number_whole_ends(np.array([40, 7]), np.array([7, 9]))]
    [[7, 9, 40], [2, 0], [0, 1]]
    """
    low = min(int(a.min(initial=0)), int(b.min(initial=0)))
    span = max(int(a.max(initial=0)), int(b.max(initial=0))) - low + 1
    if span <= 4 * (len(a) + len(b)) + 1024:
        return _number_by_presence(a, b, low, span)
    known = np.unique(np.concatenate([a, b]))
    return known, np.searchsorted(known, a), np.searchsorted(known, b)


def _number_by_presence(a: Ints, b: Ints, low: int, span: int) -> tuple[Ints, Ints, Ints]:
    shifted = [ends if low == 0 else ends - low for ends in (a, b)]
    present = np.logical_or(*(found for _, found in in_order(lambda ends: _mark_present(ends, span), shifted)))
    known = np.flatnonzero(present) + low
    if len(known) == span:
        return known, shifted[0], shifted[1]
    place = np.cumsum(present, dtype=np.int32) - np.int32(1)
    sources, targets = (ids for _, ids in in_order(lambda ends: place.take(ends, mode="clip"), shifted))
    return known, sources, targets


def _mark_present(ends: Ints, span: int) -> np.ndarray[Any, np.dtype[np.bool]]:
    present = np.zeros(span, dtype=bool)
    present[ends] = True
    return present


def mark_isolated(targets: Ints, alone: np.ndarray[Any, np.dtype[np.bool]]) -> Ints:
    """Return the targets, with NO_ONE where the source is listed without a link."""
    return np.where(alone, NO_ONE, targets) if alone.any() else targets


def number_values(a: Sequence[Any], b: Sequence[Any]) -> tuple[list[Hashable], Ints, Ints]:
    """Return the distinct values in order of first appearance, and the ids of the ends.

    >>> values, sources, targets = number_values(["x", 7, "y"], [7, None, "x"])
    >>> values, sources.tolist(), targets.tolist()
    (['x', 7, 'y'], [0, 1, 2], [1, -1, 0])
    """
    check_one_value_each([*a, *b])
    ids: dict[Hashable, int] = {}
    flat = [
        NO_ONE if is_missing(end) else ids.setdefault(end, len(ids)) for pair in zip(a, b, strict=True) for end in pair
    ]
    both = np.array(flat, dtype=np.int64).reshape(-1, 2)
    return list(ids), both[:, 0], both[:, 1]


def number_texts(ends: list[pa.ChunkedArray]) -> tuple[list[str], Ints, Ints]:
    """Return the distinct texts in order of first appearance, and the ids of the ends.

    The list `ends` is emptied, so that the memory of the columns can be reused.

    >>> import pyarrow as pa
    >>> values, sources, targets = number_texts([pa.chunked_array([["x", "z"]]), pa.chunked_array([["y", "x"]])])
    >>> values, sources.tolist(), targets.tolist()
    (['x', 'y', 'z'], [0, 2], [1, 0])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    longest = max((pc.max(pc.binary_length(column)).as_py() or 0) for column in ends)
    short = 0 < longest <= 2 * WORD and not any(column.null_count for column in ends)
    if not short or any(_has_nul(chunk) for column in ends for chunk in column.chunks):
        return _number_by_dictionary(*ends)
    words = _pack_words(ends, 1 + (longest - 1) // WORD)
    ends.clear()
    pa.default_memory_pool().release_unused()
    return _number_by_words(words)


def _has_nul(chunk: pa.Array) -> bool:
    """Return whether a text holds a NUL, which cannot be distinguished from padding."""
    data = chunk.buffers()[2]
    return data is not None and not np.frombuffer(data, dtype=np.uint8).all()


def _number_by_dictionary(a: pa.ChunkedArray, b: pa.ChunkedArray) -> tuple[list[str], Ints, Ints]:
    """Number the texts with arrow's hash table, then renumber them in order of first appearance."""
    import pyarrow as pa

    coded = pa.chunked_array([*a.chunks, *b.chunks], type=a.type).dictionary_encode()
    values = coded.chunk(0).dictionary.to_pylist() if coded.num_chunks else []
    codes = np.empty(2 * len(a), dtype=np.int32)
    found = np.concatenate([chunk.indices.fill_null(NO_ONE).to_numpy() for chunk in coded.chunks] or [codes])
    codes[0::2], codes[1::2] = found[: len(a)], found[len(a) :]
    met = np.empty(len(values) + 1, dtype=np.int64)  # the last entry is for a missing end, which is -1
    met[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(met[:-1], kind="stable")
    rank = np.full(len(values) + 1, NO_ONE, dtype=np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    return [values[i] for i in order.tolist()], rank[codes[0::2]], rank[codes[1::2]]


def _number_by_words(words: Words) -> tuple[list[str], Ints, Ints]:
    """Number short texts as one or two 64-bit words; no text holds a NUL, so padding with NUL is safe."""
    first = _find_first_alike(words)
    leads = np.flatnonzero(first == np.arange(len(first), dtype=np.int32))
    place = np.empty(len(first), dtype=np.int32)
    place[leads] = np.arange(len(leads), dtype=np.int32)
    names = _unpack_words(words[:, leads])
    _run_pieces(len(first), lambda piece: place.take(first[piece], out=first[piece], mode="clip"))
    return names, first[0::2], first[1::2]


def _pack_words(ends: list[pa.ChunkedArray], width: int) -> Words:
    """Return the texts as columns of words, padded with NUL, in the order source, target, source, target."""
    import pyarrow.compute as pc

    words = np.empty((width, 2 * len(ends[0])), dtype=np.uint64)

    def fill(job: tuple[int, pa.Array]) -> None:
        at, chunk = job
        padded = pc.ascii_rpad(chunk, WORD * width, "\0")
        found = np.frombuffer(padded.buffers()[2], np.uint64, width * len(chunk), WORD * width * padded.offset)
        words[:, at : at + 2 * len(chunk) : 2] = found.reshape(-1, width).T

    for _ in in_order(fill, [job for first, column in enumerate(ends) for job in _place_chunks(column, first)]):
        pass
    return words


def _unpack_words(words: Words) -> list[str]:
    """Return the texts of columns of words."""
    cells = np.zeros((words.shape[1], WORD * len(words) + 1), dtype=np.uint8)
    cells[:, :-1] = np.ascontiguousarray(words.T).view(np.uint8)
    kept = cells != 0
    kept[:, -1] = True  # one NUL after each text
    return bytes(cells[kept]).decode().split("\0")[:-1]


def _place_chunks(ends: pa.ChunkedArray, at: int) -> Iterator[tuple[int, pa.Array]]:
    for chunk in ends.chunks:
        yield at, chunk
        at += 2 * len(chunk)


def _find_first_alike(words: Words) -> Ints:
    """Return, for each column, the index of the first column equal to it.

    In each round, every open column is hashed to a slot. The first column in a slot wins it, and the columns that
    equal the winner, word by word, are done. Equal columns have the same slot, so they are done in the same round.
    """
    first, done = _run_round(words, 0)
    still = np.flatnonzero(~done)
    for turn in range(1, ROUNDS):
        if len(still) == 0:
            return first
        winner, done = _run_round(words[:, still], turn)
        first[still] = still[winner]
        still = still[~done]
    known: dict[bytes, int] = {}  # a crafted file can make this slow, but not wrong
    for i in still.tolist():
        first[i] = known.setdefault(words[:, i].tobytes(), i)
    return first


def _run_round(words: Words, turn: int) -> tuple[Ints, np.ndarray[Any, np.dtype[np.bool]]]:
    """Return the winner of each column's slot, and whether the column equals it."""
    size = words.shape[1]
    slots, winner = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    done = np.empty(size, dtype=bool)
    winners = np.empty(1 << SLOTS, dtype=np.int32)

    def compare(piece: slice) -> None:
        mine = winners.take(slots[piece], mode="clip")
        winner[piece] = mine
        done[piece] = np.logical_and.reduce([row.take(mine, mode="clip") == row[piece] for row in words])

    _run_pieces(size, lambda piece: np.copyto(slots[piece], _hash_words(words[:, piece], turn), casting="unsafe"))
    for piece in reversed(spans(size, WINDOW)):  # in reverse: the first column is written last and wins
        winners[slots[piece][::-1]] = np.arange(piece.stop - 1, piece.start - 1, -1, dtype=np.int32)
    _run_pieces(size, compare)
    return winner, done


def _run_pieces(size: int, work: Callable[[slice], object]) -> None:
    """Run work in threads on pieces that fit into the cache."""
    if size <= WINDOW:
        work(slice(0, size))
        return
    for _ in in_order(work, spans(size, WINDOW)):
        pass


def _hash_words(words: Words, turn: int) -> Words:
    mixed: Words = words[0] * np.uint64(MIX[0] + 2 * turn)
    for row in words[1:]:
        mixed ^= mixed >> np.uint64(29)
        mixed += row
        mixed *= np.uint64(MIX[1] + 2 * turn)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(MIX[0])
    mixed >>= np.uint64(64 - SLOTS)
    return mixed


# Pairs: every reader and every converter returns them, so that one place handles loops, directions and repeated pairs.


@dataclass(frozen=True, eq=False)
class Pairs:
    """Names of vertices, links between their ids, and vertex attributes."""

    names: Names
    sources: Ints
    targets: Ints
    """The other ends; NO_ONE if the source is listed without a link."""
    counts: Ints | None = None
    """The multiplicity of each pair; None if all are 1."""
    attributes: Table | None = None
    directed: str = ""
    """How the input declares directed links, for a message; empty if the links are undirected."""
    unread: tuple[str, ...] = ()
    """The columns or attributes of links that are not read."""
    columns: EdgeColumns | None = None
    """The columns of an edge list; None for other inputs."""

    @classmethod
    def of(cls, ends: Iterable[tuple[Hashable, Hashable]], vertices: Iterable[Hashable] = (), **rest: Any) -> Pairs:
        """Number vertices in order of first appearance: the listed vertices, then the ends of the links.

        >>> pairs = Pairs.of([("b", "c"), ("c", "a")], vertices=["a"])
        >>> list(pairs.names), pairs.sources.tolist(), pairs.targets.tolist()
        (['a', 'b', 'c'], [1, 2], [2, 0])
        """
        met = [*vertices]
        listed = len(met)
        met += [end for pair in ends for end in pair]
        check_one_value_each(met)
        ids: dict[Hashable, int] = {}
        flat = [ids.setdefault(name, len(ids)) for name in met][listed:]
        both = np.array(flat, dtype=np.int64).reshape(-1, 2)
        return cls(Names(ids), both[:, 0], both[:, 1], **rest)

    def begins_apart(self) -> bool:
        """Return whether there are several links and the ends of the first one occur in no other."""
        if len(self.sources) < 2 or self.targets[0] == NO_ONE:
            return False
        once = [
            np.count_nonzero(self.sources == end) + np.count_nonzero(self.targets == end) == 1 for end in self._first()
        ]
        return all(once)

    def _first(self) -> tuple[int, int]:
        return int(self.sources[0]), int(self.targets[0])

    def graph(self, *, multigraph: bool, undirected: bool, drop_loops: bool, who: str = "") -> Graph:
        """Return the graph of these pairs; raise BadGraph if an option is needed. Notices start with `who`."""
        if self.directed and not undirected:
            raise BadGraph(
                f"A graph must be undirected. Got {self.directed}. "
                "Use undirected=True (--undirected) to ignore directions."
            )
        pairs = self._without_ends_missing()
        how: dict[str, Any] = {"counts": pairs.counts, "attributes": pairs.attributes, "multigraph": multigraph}
        graph, listed = build_graph(pairs.names, pairs.sources, pairs.targets, **how, drop_loops=drop_loops, who=who)
        if undirected or not pairs._warn_of_direction(graph, listed, who):
            report_repeats(graph, listed, who)
        return replace(graph, unread=self.unread)

    def _warn_of_direction(self, graph: Graph, listed: int, who: str) -> bool:
        """Issue a notice if an edge list may have directed links; return whether it did.

        Its column names suggest it, or some pairs occur in both directions and some only in one. A list in which all
        pairs occur in both directions is undirected. In a multigraph, such pairs are parallel edges.
        """
        if self.columns is None or self.counts is not None:
            return False
        linked = len(graph.indices) // 2
        ordered = count_ordered_pairs(graph.n, self.sources, self.targets) if listed > linked else linked
        both = ordered - linked
        some = 0 < both < linked and not graph.is_multigraph
        if both == linked or not (some or self.columns.suggests_direction):
            return False
        links = "1 undirected link" if graph.m == 1 else f"{graph.m:,} undirected links"
        rows = "1 row" if listed == 1 else f"{listed:,} rows"
        occur = {0: "no pair occurs", 1: "1 pair occurs"}.get(both, f"{both:,} pairs occur")
        keep = ", or multigraph=True (--multigraph) to keep multiplicities" if listed > graph.m else ""
        notice(
            f"{begin_notice(who)}{links} from {rows}; {occur} in both directions. If links have a direction, it is "
            "ignored here: directed links are not supported yet, and the numbers are about undirected links. "
            f"Use undirected=True (--undirected) to confirm this{keep}."
        )
        return True

    def _without_ends_missing(self) -> Pairs:
        linked = self.targets != NO_ONE
        if linked.all():
            return self
        counts = None if self.counts is None else self.counts[linked]
        return replace(self, sources=self.sources[linked], targets=self.targets[linked], counts=counts)
