"""Names of vertices or records, in the order of their ids, kept as written; and the ids of names in columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, overload
from unicodedata import normalize

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.column import exact, is_missing
from shoal.errors import DIGITS, BadGraph, BadParameter, UnknownVertex, did_you_mean, notice, parse_whole, show_value
from shoal.settings import in_order, spans

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = re.compile("0|[1-9][0-9]*")
SURROGATE = re.compile("[\ud800-\udfff]")
BITS = (10**DIGITS).bit_length()
"""An integer of more bits has more than DIGITS digits."""
COMPARED = 4_000
"""Longer names are not normalized, since that can take quadratic time."""
NUMBERS_AND_TEXTS = (int, float, np.number, str, bytes, NoneType)
"""Types of names for which == agrees with the exact comparison of a column, if there is no bool."""


def check_one_value_each(names: Sequence[Hashable]) -> None:
    """Raise BadGraph if two names are equal in Python but different values in a column, such as True and 1.

    1 and 1.0 are the same number in a column too.
    """
    kinds = set(map(type, names))
    plain = all(issubclass(kind, NUMBERS_AND_TEXTS) and not issubclass(kind, bool) for kind in kinds)
    if plain or kinds <= {str, bool, NoneType}:
        return
    first: dict[Hashable, Hashable] = {}
    for name in names:
        other = first.setdefault(name, name)
        if other is not name and exact(other) != exact(name):
            raise BadGraph(
                f"Vertices must have different names. Got {other!r} and {name!r}, which are equal in Python. "
                "Convert them to text."
            )


def check_spelling(values: Iterable[object], who: str, what: str) -> None:
    """Raise BadParameter for values that no file can hold: a lone surrogate in a text, or a very long integer.

    >>> check_spelling(["Zoë", 7], "as_graph", "a name")
    """
    for value in values:
        if isinstance(value, str):
            if not value.isascii() and SURROGATE.search(value):
                raise BadParameter(
                    f"{who}: a text must be valid Unicode. Got {value!r:.60} in {what}, with a lone surrogate."
                )
        elif isinstance(value, int) and value.bit_length() > BITS:
            raise BadParameter(f"{who}: a number must have at most {DIGITS:,} digits. Got a longer one in {what}.")


class Names(Sequence[Hashable]):
    """An immutable sequence of distinct names, with a fast lookup of the id of a name.

    Names read from a file are text. If all of them are plain decimal numbers, they are stored as integers and
    converted to text on access, which saves memory in large graphs.

    Parameters
    ----------
    values
        The names; or a one-dimensional array of signed integers that stand for their texts.
    fresh
        Whether the names are new, assigned when a release was saved. Such a name does not refer to a vertex of the
        original, even if the original has the same name.
    positions
        Whether the names are only the positions of the rows of a table without names.

    Examples
    --------
    >>> names = Names(["Medici", "Ridolfi"])
    >>> names[1], names.id("Ridolfi"), len(names)
    ('Ridolfi', 1, 2)
    >>> list(Names(np.array([7, 12])))
    ['7', '12']
    """

    __slots__ = ("_ids", "_values", "fresh", "positions")

    def __init__(
        self, values: Iterable[Hashable] | np.ndarray[Any, Any], *, fresh: bool = False, positions: bool = False
    ):
        if isinstance(values, np.ndarray) and not np.issubdtype(values.dtype, np.signedinteger):
            values = values.tolist()
        self._values: Any = values if isinstance(values, np.ndarray | range) else tuple(values)
        if isinstance(self._values, tuple):
            check_one_value_each(self._values)
        self._ids: dict[Hashable, int] | None = None
        self.fresh = fresh
        self.positions = positions

    @classmethod
    def number(cls, n: int) -> Names:
        """Return the default names of n rows: their positions from 0."""
        return cls(range(n), positions=True)

    def given_anew(self) -> Names:
        """Return the same names, marked as newly assigned to a saved release."""
        return Names(self._values, fresh=True)

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> Hashable: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hashable, ...]: ...
    def __getitem__(self, index: int | slice) -> Hashable | tuple[Hashable, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        value: Hashable = self._values[index]
        return str(value) if isinstance(self._values, np.ndarray) else value

    def __iter__(self) -> Iterator[Hashable]:
        if isinstance(self._values, np.ndarray):
            return map(str, self._values.tolist())
        return iter(self._values)

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Names | list | tuple):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        shown = ", ".join(repr(name) for name in self[:6])
        return f"Names({shown}{', …' if len(self) > 6 else ''}; {len(self)} in all)"

    @property
    def numbers(self) -> np.ndarray[Any, np.dtype[np.int64]] | None:
        """The names as integers if they are stored as integers, else None."""
        return self._values if isinstance(self._values, np.ndarray) else None

    def id(self, name: object) -> int:
        """Return the id of a name, or raise UnknownVertex with similar names."""
        found = self._find(name)
        if found is None:
            hint = did_you_mean(name, self)
            raise UnknownVertex(f"There is no vertex {show_value(name)} among the {len(self):,} vertices.{hint}")
        return found

    def spelled(self, text: Hashable) -> Hashable:
        """Return the name that a text from a file or a command line refers to, which may be an integer.

        >>> Names(range(3)).spelled("2"), Names(["2"]).spelled("2"), Names(range(3)).spelled("02")
        (2, '2', '02')
        >>> Names([7, 5]).spelled("5"), Names([7, "5"]).spelled("5")
        (5, '5')
        """
        if not isinstance(text, str) or not WHOLE.fullmatch(text):
            return text
        number = parse_whole(text)
        if number is None:
            return text
        return number if isinstance(self._values, range) or (text not in self and number in self) else text

    def find(self, names: Iterable[Hashable]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the id of each name; -1 if no vertex has it."""
        if isinstance(self._values, range):
            if isinstance(names, Names) and isinstance(names._values, range) and names._values == self._values:
                return np.arange(len(self))
            return np.fromiter((-1 if (at := self._find(name)) is None else at for name in names), dtype=np.int64)
        lookup = self._lookup()
        return np.fromiter((lookup.get(name, -1) for name in names), dtype=np.int64)

    def _find(self, name: Any) -> int | None:
        if isinstance(self._values, range):
            return self._values.index(name) if isinstance(name, int) and name in self._values else None
        try:
            return self._lookup().get(name)
        except TypeError:  # not hashable
            return None

    def _lookup(self) -> dict[Hashable, int]:
        if self._ids is None:
            self._ids = {name: i for i, name in enumerate(self)}
            if len(self._ids) != len(self):
                raise BadGraph(f"Names must be distinct. Got {len(self):,} names, {len(self._ids):,} distinct.")
        return self._ids


def warn_of_lookalikes(names: Collection[Hashable], who: str) -> None:
    """Issue a notice if different names are equal after Unicode normalization, such as two encodings of é.

    Names in ASCII are skipped, so that millions of names cost little time.
    """
    if isinstance(names, Names) and not isinstance(names._values, tuple):
        return  # whole numbers
    odd = [name for name in names if isinstance(name, str) and not name.isascii() and len(name) <= COMPARED]
    keys = [normalize("NFKC", name) for name in odd]
    first = {key: key for key in {key for key in keys if key.isascii()}.intersection(names)}
    alike: dict[str, None] = {}
    for name, key in zip(odd, keys, strict=True):
        other = first.setdefault(key, name)
        if other != name:
            alike |= {other: None, name: None}
    if alike:
        a, b = list(alike)[:2]
        notice(
            f"{who}: {len(alike):,} different names are equal after Unicode normalization (NFKC), such as "
            f"{a!a:.60} and {b!a:.60}. They are kept apart. If they mean the same, write them the same way.",
            f"names equal after normalization: {len(alike):,}",
        )


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
FEWER = 2**31
"""Places of ends are kept in 32 bits where there are fewer ends; arrow numbers the texts of more."""
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
    short = 0 < longest <= 2 * WORD and not any(column.null_count for column in ends) and 2 * len(ends[0]) < FEWER
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
