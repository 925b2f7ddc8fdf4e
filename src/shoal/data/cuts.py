"""Cuts: the fast way through a block of an edge list, taken only where nothing unusual occurs in it.

What counts as usual is checked on the bytes: no quotes but those that wrap a whole cell on one line, no lone CR,
no comment among quoted cells. For everything else :func:`cut` answers None, and the patient reader takes over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.data.parallel import spans
from shoal.data.sniff import Layout

if TYPE_CHECKING:
    import pyarrow as pa

WINDOW = 1 << 17
BOM = b"\xef\xbb\xbf"
LF, CR, TAB, BLANK, QUOTE, MINUS, ZERO = b'\n\r\t "-0'

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Truths = np.ndarray[Any, np.dtype[np.bool]]


class Cut(NamedTuple):
    """The ends of the edges in one block: arrays of whole numbers, or arrow arrays of texts."""

    sources: Any
    targets: Any
    """Where a line names one vertex only, the source stands here again."""
    alone: Truths
    trimmed: int


def cut(block: bytes, layout: Layout, *, whole: bool) -> Cut | None:
    """Return the ends in a block of whole lines, as numbers if `whole` is asked for and proven."""
    bare = _tidy(block, layout)
    if bare is None:
        return None
    separator = layout.text.separator or " "
    whole_pairs = whole and len(layout.columns) == 2
    found = _whole(bare, separator, layout) if whole_pairs else None
    if found is None and layout.text.separator is None:
        even = _single_gaps(bare)
        found = _whole(even, separator, layout) if whole_pairs and even is not bare else None
        bare = even
    if found is None:
        found = _parsed(bare, separator, layout, "string")
        return _as_numbers(found) if found is not None and whole else found
    return found


def _whole(block: bytes, separator: str, layout: Layout) -> Cut | None:
    """Return pairs of whole numbers, if the block holds nothing but their plain spellings."""
    if not all_plain_numbers(block, separator):
        return None
    # numbers of 32 bits take half the time and memory later on
    return _parsed(block, separator, layout, "int32") or _parsed(block, separator, layout, "int64")


def _tidy(block: bytes, layout: Layout) -> bytes | None:
    """Return the block without comments, if arrow understands the rest as the patient reader does."""
    bare = _without_comments(block, layout.text.comments)
    separator = layout.text.separator
    if QUOTE in bare and not (separator and len(bare) == len(block) and _wraps(bare, separator)):
        return None
    lone = b"\r" in bare and bare.count(b"\r") != bare.count(b"\r\n")
    return None if lone or bare.startswith(BOM) else bare  # arrow would leave out what looks like a BOM


def _without_comments(block: bytes, signs: str) -> bytes:
    starts = [sign.encode() for sign in signs if sign.encode() in block]
    if not any(block.startswith(sign) or b"\n" + sign in block for sign in starts):
        return block
    either = b"|".join(map(re.escape, starts))
    return re.sub(rb"(?m)^(?:" + either + rb")[^\n]*\n?", b"", block)


def _wraps(block: bytes, separator: str) -> bool:
    """Tell whether quotes stand in pairs around whole cells that hold neither quotes nor line ends.

    Blanks just inside quotes belong to the name, which the patient reader knows.
    """
    data = np.frombuffer(b"\n" + block + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(data == QUOTE)
    opening, closing = quotes[0::2], quotes[1::2]
    if len(opening) != len(closing):
        return False
    lines = np.searchsorted(np.flatnonzero((data == LF) | (data == CR)), quotes)
    outside = np.isin(data[opening - 1], [ord(separator), LF]) & np.isin(data[closing + 1], [ord(separator), LF, CR])
    inside = ~np.isin(data[opening + 1], [BLANK, TAB]) & ~np.isin(data[closing - 1], [BLANK, TAB])
    return bool((outside & inside & (lines[0::2] == lines[1::2])).all())


def _single_gaps(block: bytes) -> bytes:
    """Turn each run of blanks between two cells into one, and leave out those at either end of a line."""
    if b"\t" not in block and not any(map(_has_odd_gaps, _windows(block))):
        return block
    data = np.frombuffer(block.replace(b"\t", b" ") + b"\n", dtype=np.uint8)
    follows = np.isin(data[1:], [BLANK, LF, CR])
    data = data[:-1][~((data[:-1] == BLANK) & follows)]
    leads = np.concatenate([[True], data[:-1] == LF])
    return bytes(data[~((data == BLANK) & leads)])


def _has_odd_gaps(data: Bytes) -> bool:
    """Tell whether a blank stands beside another one or at an end of a line."""
    blank = data == BLANK
    edge = blank | (data == LF) | (data == CR)
    return bool((blank[:-1] & edge[1:]).any() or (edge[:-1] & blank[1:]).any())


def _windows(block: bytes) -> Iterator[Bytes]:
    """Yield pieces that fit into the cache, each with a byte of its neighbors, LF around the whole."""
    for piece in spans(len(block), WINDOW):
        if piece.start > 0 and piece.stop < len(block):
            yield np.frombuffer(block, np.uint8, piece.stop - piece.start + 2, piece.start - 1)
        else:
            around = b"\n" + block[max(piece.start - 1, 0) : piece.stop + 1] + b"\n"
            yield np.frombuffer(around, dtype=np.uint8)


def all_plain_numbers(block: bytes, separator: str) -> bool:
    """Tell whether no cell has a sign other than a minus, a leading zero, or anything but digits.

    Whether each cell is a number of 64 bits is left to the parser; this proves that its spelling is plain.

    >>> [all_plain_numbers(cells, ",") for cells in (b"7,-12", b"0,", b"07,1", b"-0,1", b"+7,1", b"0x7,1")]
    [True, True, False, False, False, False]
    """
    return all(_plain_window(data, ord(separator)) for data in _windows(block))


def _plain_window(data: Bytes, separator: int) -> bool:
    digit = (data - np.uint8(ZERO)) < 10
    mark = data == separator
    edge = mark | (data == LF)
    if separator == BLANK and ((mark[:-1] & edge[1:]).any() or (edge[:-1] & mark[1:]).any()):
        return False  # a run of blanks, or one at the end of a line
    if not (digit | edge).all():
        minus = data == MINUS
        ends = edge | (data == CR) if separator != BLANK else edge
        if not (digit | ends | minus).all() or (minus[:-1] & (data[1:] == ZERO)).any():
            return False
    zero = data[1:-1] == ZERO
    return not (zero & ~digit[:-2] & digit[2:]).any()


def _parsed(block: bytes, separator: str, layout: Layout, kind: str) -> Cut | None:
    """Let arrow cut the block; None where a line is broken, names no source, or holds another kind of cell."""
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(len(layout.columns))]
    ends = [names[i] for i in layout.ends]
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=names, use_threads=False),  # blocks are read side by side
            csv.ParseOptions(delimiter=separator, quote_char='"' if QUOTE in block else False),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(ends, pa.type_for_alias(kind)),
                include_columns=ends,
                null_values=[""],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    sources, targets = table.column(0), table.column(1)
    if kind == "string":
        return _texts(sources, targets, trim=_has_blanks(block, separator))
    return None if sources.null_count else _numbers(sources, targets)


def _has_blanks(block: bytes, separator: str) -> bool:
    return any(blank in block for blank in (b" ", b"\t") if blank != separator.encode())


def _numbers(sources: pa.ChunkedArray, targets: pa.ChunkedArray) -> Cut:
    import pyarrow.compute as pc

    alone = targets.is_null().to_numpy() if targets.null_count else np.zeros(len(targets), dtype=bool)
    filled = pc.coalesce(targets, sources) if targets.null_count else targets
    return Cut(sources.to_numpy(), filled.to_numpy(), alone, 0)


def _texts(sources: pa.ChunkedArray, targets: pa.ChunkedArray, *, trim: bool) -> Cut | None:
    import pyarrow.compute as pc

    trimmed = 0
    if trim:
        short = [pc.ascii_trim(ends, " \t") for ends in (sources, targets)]
        pairs = zip(short, (sources, targets), strict=True)
        trimmed = sum(pc.sum(pc.not_equal(a, b)).as_py() or 0 for a, b in pairs)
        sources, targets = short
    if len(sources) and pc.min(pc.binary_length(sources)).as_py() == 0:
        return None
    alone = pc.equal(pc.binary_length(targets), 0)
    if pc.any(alone).as_py():
        targets = pc.if_else(alone, sources, targets)
    return Cut(sources, targets, alone.to_numpy(), trimmed)


def _as_numbers(found: Cut) -> Cut:
    """Return texts as numbers if spelling the numbers gives the very same texts."""
    import pyarrow as pa

    texts = (found.sources, found.targets)
    try:
        numbers = [ends.cast(pa.int64()) for ends in texts]
    except pa.ArrowInvalid:
        return found
    spelled = [ends.cast(pa.string()) for ends in numbers]
    same = all(spelling.equals(text) for spelling, text in zip(spelled, texts, strict=True))
    sources, targets = (ends.to_numpy() for ends in numbers)
    return found._replace(sources=sources, targets=targets) if same else found
