"""Cuts: the fast way through a block of an edge list, taken only where nothing unusual occurs in it.

What counts as usual is checked on the bytes: no quotes but those that merely wrap a plain cell, no lone CR, no
comment among quoted cells. For everything else :func:`cut` answers None, and the patient reader takes over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.data.sniff import Layout

if TYPE_CHECKING:
    import pyarrow as pa

WINDOW = 1 << 20
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
    """Return the ends in a block of whole lines, as numbers if `whole` is asked for and proven; None to give up."""
    tidy = _tidy(block, layout)
    if tidy is None:
        return None
    block, separator = tidy
    if whole and len(layout.columns) == 2 and all_plain_numbers(block, separator):
        found = _parsed(block, separator, layout, whole=True)
        if found is not None:
            return found
    found = _parsed(block, separator, layout, whole=False)
    return _as_numbers(found) if found is not None and whole else found


def _tidy(block: bytes, layout: Layout) -> tuple[bytes, str] | None:
    """Return the block with no comments and no quotes, and the one character that separates its cells."""
    bare = _without_comments(block, layout.text.comments)
    separator = layout.text.separator
    if QUOTE in bare:
        unwrapped = _unwrapped(bare, separator) if separator and len(bare) == len(block) else None
        if unwrapped is None:
            return None
        bare = unwrapped
    if b"\r" in bare and bare.count(b"\r") != bare.count(b"\r\n"):
        return None
    return (bare, separator) if separator else _single_gaps(bare)


def _without_comments(block: bytes, signs: str) -> bytes:
    starts = [sign.encode() for sign in signs if sign.encode() in block]
    if not any(block.startswith(sign) or b"\n" + sign in block for sign in starts):
        return block
    either = b"|".join(map(re.escape, starts))
    return re.sub(rb"(?m)^(?:" + either + rb")[^\n]*\n?", b"", block)


def _unwrapped(block: bytes, separator: str) -> bytes | None:
    """Return the block without its quotes, if each pair of them wraps a whole cell that needs none."""
    data = np.frombuffer(b"\n" + block + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(data == QUOTE)
    if len(quotes) % 2:
        return None
    opening, closing = quotes[0::2], quotes[1::2]
    edge = np.isin(data, [ord(separator), LF])
    blank = (data == BLANK) | (data == TAB)
    count = np.cumsum(edge, dtype=np.int32)
    wraps = edge[opening - 1] & (edge[closing + 1] | (data[closing + 1] == CR))
    plain = (count[opening] == count[closing]) & ~blank[opening + 1] & ~blank[closing - 1]
    return block.replace(b'"', b"") if bool((wraps & plain).all()) else None


def _single_gaps(block: bytes) -> tuple[bytes, str]:
    """Turn each run of blanks between two cells into one, and leave out those at either end of a line."""
    if b"\t" not in block and not any(map(_has_odd_gaps, _windows(block))):
        return block, " "
    data = np.frombuffer(block.replace(b"\t", b" ") + b"\n", dtype=np.uint8)
    follows = np.isin(data[1:], [BLANK, LF, CR])
    data = data[:-1][~((data[:-1] == BLANK) & follows)]
    leads = np.concatenate([[True], data[:-1] == LF])
    return data[~((data == BLANK) & leads)].tobytes(), " "


def _has_odd_gaps(data: Bytes) -> bool:
    """Tell whether a blank stands beside another one or at an end of a line."""
    blank = data == BLANK
    edge = blank | (data == LF) | (data == CR)
    return bool((blank[:-1] & edge[1:]).any() or (edge[:-1] & blank[1:]).any())


def _windows(block: bytes) -> Iterator[Bytes]:
    """Yield pieces that fit into the cache, each with one byte of its neighbors, line ends around the whole."""
    data = np.frombuffer(b"\n" + block + b"\n", dtype=np.uint8)
    return (data[at : at + WINDOW + 2] for at in range(0, len(data) - 2, WINDOW))


def all_plain_numbers(block: bytes, separator: str) -> bool:
    """Tell whether no cell has a sign other than a minus, a leading zero, or anything but digits.

    Whether each cell is a number of 64 bits is left to the parser; this proves that its spelling is the usual one.

    >>> [all_plain_numbers(cells, ",") for cells in (b"7,-12", b"07,1", b"-0,1", b"+7,1", b"0x7,1", b"7,a", b"0,")]
    [True, False, False, False, False, False, True]
    """
    data = np.frombuffer(b"\n" + block + b"\n", dtype=np.uint8)
    return all(_plain_window(data[at : at + WINDOW + 2], ord(separator)) for at in range(0, len(data) - 2, WINDOW))


def _plain_window(data: Bytes, separator: int) -> bool:
    digit = (data - np.uint8(ZERO)) < 10
    known = digit | (data == separator) | (data == LF)
    if not known.all():
        minus = data == MINUS
        if not (known | minus | (data == CR)).all() or (minus[:-1] & (data[1:] == ZERO)).any():
            return False
    zero = data[1:-1] == ZERO
    return not (zero & ~digit[:-2] & digit[2:]).any()


def _parsed(block: bytes, separator: str, layout: Layout, *, whole: bool) -> Cut | None:
    """Let arrow cut the block; None where a line has too few or too many cells, or no source."""
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(len(layout.columns))]
    ends = [names[i] for i in layout.ends]
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=names),
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(ends, pa.int64() if whole else pa.string()),
                include_columns=ends,
                null_values=[""],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    sources, targets = table.column(0), table.column(1)
    if whole:
        return None if sources.null_count else _numbers(sources, targets)
    return _texts(sources, targets, trim=_has_blanks(block, separator))


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
    import pyarrow.compute as pc

    try:
        numbers = [ends.cast(pa.int64()) for ends in (found.sources, found.targets)]
    except pa.ArrowInvalid:
        return found
    texts = (found.sources, found.targets)
    same = all(
        pc.all(pc.equal(n.cast(pa.string()), t)).as_py() is not False for n, t in zip(numbers, texts, strict=True)
    )
    return found._replace(sources=numbers[0].to_numpy(), targets=numbers[1].to_numpy()) if same else found
