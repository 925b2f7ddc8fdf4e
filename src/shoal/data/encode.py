"""Encode: two columns of names become two columns of vertex ids, by exact comparison.

Three ways to the same answer: whole numbers, texts (in arrow arrays), and anything hashable. An end that is
missing has no id: NO_ONE. Texts and things are numbered as they are met, row by row; whole numbers ascend.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.rows import Ints
from shoal.data.table import is_missing

if TYPE_CHECKING:
    import pyarrow as pa

NO_ONE = -1
"""The id of an end that is missing: the other end of that pair is an isolated vertex."""

WORD = 8
"""Bytes compared at once; a text of at most two words is compared as two whole numbers."""

ROUNDS = 8
SLOTS = 22
WINDOW = 1 << 16
MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd constants of multiplicative hashing (Knuth; xxHash). They only spread: every match is then compared."""


Words = np.ndarray[Any, np.dtype[np.uint64]]


def whole_numbers(a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct numbers, ascending, and the place of each end among them.

    >>> [part.tolist() for part in whole_numbers(np.array([40, 7]), np.array([7, 9]))]
    [[7, 9, 40], [2, 0], [0, 1]]
    """
    low = min(int(a.min(initial=0)), int(b.min(initial=0)))
    span = max(int(a.max(initial=0)), int(b.max(initial=0))) - low + 1
    if span <= 4 * (len(a) + len(b)) + 1024:
        return _by_presence(a, b, low, span)
    known = np.unique(np.concatenate([a, b]))
    return known, np.searchsorted(known, a), np.searchsorted(known, b)


def _by_presence(a: Ints, b: Ints, low: int, span: int) -> tuple[Ints, Ints, Ints]:
    present = np.zeros(span, dtype=bool)
    shifted = [ends if low == 0 else ends - low for ends in (a, b)]
    for ends in shifted:
        present[ends] = True
    known = np.flatnonzero(present) + low
    if len(known) == span:
        return known, shifted[0], shifted[1]
    place = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return known, place[shifted[0]], place[shifted[1]]


def things(a: Sequence[Any], b: Sequence[Any]) -> tuple[list[Hashable], Ints, Ints]:
    """Return the distinct values in the order in which they are met, and the ids of the ends.

    >>> values, sources, targets = things(["x", 7, "y"], [7, None, "x"])
    >>> values, sources.tolist(), targets.tolist()
    (['x', 7, 'y'], [0, 1, 2], [1, -1, 0])
    """
    ids: dict[Hashable, int] = {}
    flat = [
        NO_ONE if is_missing(end) else ids.setdefault(end, len(ids)) for pair in zip(a, b, strict=True) for end in pair
    ]
    both = np.array(flat, dtype=np.int64).reshape(-1, 2)
    return list(ids), both[:, 0], both[:, 1]


def texts(a: pa.ChunkedArray, b: pa.ChunkedArray) -> tuple[list[str], Ints, Ints]:
    """Return the distinct texts in the order in which they are met, and the ids of the ends.

    >>> import pyarrow as pa
    >>> values, sources, targets = texts(pa.chunked_array([["x", "z"]]), pa.chunked_array([["y", "x"]]))
    >>> values, sources.tolist(), targets.tolist()
    (['x', 'y', 'z'], [0, 2], [1, 0])
    """
    import pyarrow.compute as pc

    longest = max((pc.max(pc.binary_length(ends)).as_py() or 0) for ends in (a, b))
    whole = a.null_count == b.null_count == 0 and 0 < longest <= 2 * WORD
    return _by_words(_words(a, b)) if whole else _by_dictionary(a, b)


def _by_dictionary(a: pa.ChunkedArray, b: pa.ChunkedArray) -> tuple[list[str], Ints, Ints]:
    """Let arrow's hash table number the texts, then renumber them as they are met."""
    import pyarrow as pa

    coded = pa.chunked_array([*a.chunks, *b.chunks], type=a.type).dictionary_encode()
    values = coded.chunk(0).dictionary.to_pylist() if coded.num_chunks else []
    codes = np.empty(2 * len(a), dtype=np.int32)
    found = np.concatenate([chunk.indices.fill_null(NO_ONE).to_numpy() for chunk in coded.chunks] or [codes])
    codes[0::2], codes[1::2] = found[: len(a)], found[len(a) :]
    met = np.empty(len(values) + 1, dtype=np.int64)  # one place more: a missing end is found at -1, the last
    met[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(met[:-1], kind="stable")
    rank = np.full(len(values) + 1, NO_ONE, dtype=np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    return [values[i] for i in order.tolist()], rank[codes[0::2]], rank[codes[1::2]]


def _by_words(words: Words) -> tuple[list[str], Ints, Ints]:
    """Compare short texts as one or two 64-bit words; a text holds no NUL, so padding with NUL is safe."""
    first = _first_alike(words)
    leads = np.flatnonzero(first == np.arange(len(first), dtype=np.int32))
    place = np.empty(len(first), dtype=np.int32)
    place[leads] = np.arange(len(leads), dtype=np.int32)
    spelled = np.ascontiguousarray(words[:, leads].T).view(f"S{WORD * len(words)}").ravel()
    names = [text.decode() for text in spelled.tolist()]
    return names, place[first[0::2]], place[first[1::2]]


def _words(a: pa.ChunkedArray, b: pa.ChunkedArray) -> Words:
    """Return the texts as columns of words, padded with NUL, in the order source, target, source, target."""
    import pyarrow.compute as pc

    longest = max(pc.max(pc.binary_length(ends)).as_py() for ends in (a, b))
    width = 1 + (longest - 1) // WORD
    words = np.empty((width, 2 * len(a)), dtype=np.uint64)
    for offset, ends in ((0, a), (1, b)):
        at = offset
        for chunk in ends.chunks:
            padded = pc.ascii_rpad(chunk, WORD * width, "\0")
            size = WORD * width * len(chunk)
            start = WORD * width * padded.offset
            found = np.frombuffer(padded.buffers()[2], dtype=np.uint8)[start : start + size].view(np.uint64)
            words[:, at : at + 2 * len(chunk) : 2] = found.reshape(-1, width).T
            at += 2 * len(chunk)
    return words


def _first_alike(words: Words) -> Ints:
    """Return for each column the index of the first column equal to it.

    In each round every column still open goes to the slot of its hash; the first one there wins it, and all
    that equal the winner, word by word, are done. Equal columns share their slots, so they are done together.
    """
    first, done = _one_round(words, 0)
    still = np.flatnonzero(~done)
    for turn in range(1, ROUNDS):
        if len(still) == 0:
            return first
        winner, done = _one_round(words[:, still], turn)
        first[still] = still[winner]
        still = still[~done]
    known: dict[bytes, int] = {}  # no made-up file can make this wrong, only slow
    for i in still.tolist():
        first[i] = known.setdefault(words[:, i].tobytes(), i)
    return first


def _one_round(words: Words, turn: int) -> tuple[Ints, np.ndarray[Any, np.dtype[np.bool]]]:
    """Return who won the slot of each column, and whether the two are equal."""
    size = words.shape[1]
    pieces = [slice(start, min(start + WINDOW, size)) for start in range(0, size, WINDOW)]
    slots, winner = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    for piece in pieces:
        slots[piece] = _slots(words[:, piece], turn)
    winners = np.empty(1 << SLOTS, dtype=np.int32)
    for piece in reversed(pieces):  # backwards: the first column is the last to be written, and stays
        winners[slots[piece][::-1]] = np.arange(piece.stop - 1, piece.start - 1, -1, dtype=np.int32)
    done = np.empty(size, dtype=bool)
    for piece in pieces:
        winner[piece] = winners[slots[piece]]
        done[piece] = np.logical_and.reduce([row[winner[piece]] == row[piece] for row in words])
    return winner, done


def _slots(words: Words, turn: int) -> Words:
    mixed = words[0] * np.uint64(MIX[0] + 2 * turn)
    for row in words[1:]:
        mixed ^= mixed >> np.uint64(29)
        mixed += row
        mixed *= np.uint64(MIX[1] + 2 * turn)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(MIX[0])
    mixed >>= np.uint64(64 - SLOTS)
    return mixed
