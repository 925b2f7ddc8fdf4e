"""Edge lists in text: a line is an edge, two of its cells are the names of the ends, the others are not used.

A line whose second name is empty (`name,` in csv, `name ""` where blanks separate) is an isolated vertex.

Three ways to the same names, block by block: whole numbers, where every cell is proven to be the plain
spelling of one ("7", never "007" or "+7"); texts, cut by arrow where nothing unusual occurs; and cell by cell
from the first unusual block on, which also finds the number of a broken line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from shoal.data.frames import tell_unused
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.pairs import Pairs, marked, texts, whole_numbers
from shoal.errors import BadFile, BadParameter
from shoal.io.delimited import Record, tell_trimmed
from shoal.io.files import check_text, opened
from shoal.io.sniff import NO_HEADER, Layout, TextOptions, layout_of, suits
from shoal.settings import in_order, spans

if TYPE_CHECKING:
    import pyarrow as pa


BLOCK = 1 << 23
HEAD = 1 << 16
PATIENT = 100_000
"""How many records the patient reader gathers at a time."""

Block = tuple[int, bytes]
"""The number of its first line, and whole lines."""


def read(path: Path, compression: str, options: TextOptions) -> Pairs:
    """Return the links of an edge list in text."""
    with opened(path, compression) as stream:
        blocks = _blocks(path, stream)
        first = next(blocks, None)
        if first is None:
            raise BadFile(f"{path}: must hold an edge list. Got an empty file.")
        head = _head(first[1])
        layout = layout_of(path, head, options, cut=len(first[1]) > HEAD)
        tell_unused(layout.columns, layout.ends, str(path))
        found = list(_cuts(chain([_body(first, layout)], blocks), layout))
    tell_trimmed(path, "names", sum(part.trimmed for part in found))
    pairs = _joined(found)
    layout.check_header(pairs.names, pairs.begins_apart())
    return pairs


def _blocks(path: Path, stream: BinaryIO) -> Iterator[Block]:
    """Yield blocks of whole lines, checked to be text."""
    line, kept, buffer = 1, 0, bytearray(BLOCK)
    while kept + (size := stream.readinto(memoryview(buffer)[kept:])):  # type: ignore[attr-defined]
        full = kept + size
        end = buffer.rfind(b"\n", 0, full) + 1 if size else full
        if end == 0:
            buffer, kept = buffer[:full] + bytearray(BLOCK), full
            continue
        block = bytes(memoryview(buffer)[:end])
        kept = full - end
        buffer[:kept] = buffer[end:full]
        check_text(block, path, line)
        yield line, block
        line += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == LF))


def _head(block: bytes) -> list[str]:
    """Return the first lines, of which the last is whole."""
    end = len(block) if len(block) <= HEAD else (block.rfind(b"\n", 0, HEAD) + 1 or block.find(b"\n") + 1)
    return _lines(block[: end or len(block)].removeprefix(BOM))


def _body(first: Block, layout: Layout) -> Block:
    """Leave out what stands before the first edge."""
    block = first[1].removeprefix(BOM)
    at = 0
    for _ in range(layout.body - 1):
        at = block.find(b"\n", at) + 1 or len(block)
    return layout.body, block[at:]


def _lines(block: bytes) -> list[str]:
    return block.decode().removesuffix("\n").split("\n")


def _cuts(blocks: Iterator[Block], layout: Layout) -> Iterator[Cut]:
    """Cut block by block, and cell by cell from the first unusual block on."""
    whole = True
    results = in_order(lambda piece: cut(piece[1], layout, whole=whole), blocks)
    for (line, block), found in results:
        if found is None:
            later = chain((piece for piece, _ in results), blocks)
            yield from _patiently(chain([(line, block)], later), line, layout)
            return
        whole = whole and isinstance(found.sources, np.ndarray)
        yield found


def _patiently(blocks: Iterator[Block], line: int, layout: Layout) -> Iterator[Cut]:
    import pyarrow as pa

    lines = chain.from_iterable(_lines(block) for _, block in blocks)
    records = layout.text.records(lines, line)
    while some := list(islice(records, PATIENT)):
        pairs = [_ends(record, layout) for record in some]
        sources = pa.chunked_array([[a for a, _ in pairs]], type=pa.string())
        targets = pa.chunked_array([[b or a for a, b in pairs]], type=pa.string())
        trimmed = sum(i in layout.ends for record in some for i in record.trimmed)
        yield Cut(sources, targets, np.array([not b for _, b in pairs]), trimmed)


def _ends(record: Record, layout: Layout) -> tuple[str, str]:
    """Return the two names of a record; the second may be empty."""
    where, wanted = f"{layout.text.path}, line {record.line:,}", len(layout.columns)
    if len(record.cells) != wanted:
        raise BadFile(
            f"{where}: a line must have {wanted} cells, as the first one has. Got {len(record.cells)}: "
            f"{record.cells!r:.120}. A name that holds the separator must stand in quotes."
        )
    source, target = (record.cells[i] for i in layout.ends)
    if not source:
        raise BadFile(
            f"{where}: a line must name a vertex in column {layout.columns[layout.ends[0]]!r}. Got an empty cell. "
            "An isolated vertex is written first, with nothing in the second place."
        )
    return source, target


def _joined(found: list[Cut]) -> Pairs:
    """Number the vertices of all blocks together; one block of texts makes texts of all."""
    alone = np.concatenate([part.alone for part in found] or [np.zeros(0, dtype=bool)])
    if all(isinstance(part.sources, np.ndarray) for part in found):
        none = np.zeros(0, dtype=np.int64)
        ends = [np.concatenate([part[i] for part in found] or [none]) for i in (0, 1)]
        found.clear()
        known, sources, targets = whole_numbers(*ends)
        names = Names(known)
    else:
        columns = [_one_column([part[i] for part in found]) for i in (0, 1)]
        found.clear()
        spelled, sources, targets = texts(columns)
        names = Names(spelled)
    return Pairs(names, sources, marked(targets, alone))


def _one_column(parts: list[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    spelled = (pa.chunked_array([part]).cast(pa.string()) if isinstance(part, np.ndarray) else part for part in parts)
    return pa.chunked_array([chunk for part in spelled for chunk in part.chunks], type=pa.string())


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path, separator: str) -> None:
    """Write an edge list; a multiple edge is repeated, an isolated vertex has an empty second cell."""
    cells = _cells(names, separator, path)
    if separator != " " and suits(("source", "target"), names):
        stream.write(f"source{separator}target\n".encode())
    else:
        stream.write(f"# {NO_HEADER}\n".encode())
    pairs = graph.each_edge()
    while some := list(islice(pairs, PATIENT)):
        stream.write("".join(f"{cells[a]}{separator}{cells[b]}\n" for a, b in some).encode())
    nothing = '""' if separator == " " else ""
    alone = np.flatnonzero(np.diff(graph.indptr) == 0)
    stream.write("".join(f"{cells[v]}{separator}{nothing}\n" for v in alone.tolist()).encode())


def _cells(names: list[str], separator: str, path: Path) -> list[str]:
    """Put names in quotes where they hold what could be taken for something else."""
    special = re.compile(r'[",;|\t\r\n]|^[ #%\ufeff]| $' + ("| " if separator == " " else ""))
    empty = next((name for name in names if not name or "\0" in name), None)
    if empty is not None:
        raise BadParameter(
            f"{path}: in an edge list a name must not be empty or hold a NUL. Got {empty!r:.60}. "
            "Write parquet or json instead, or rename."
        )
    return ['"' + name.replace('"', '""') + '"' if special.search(name) else name for name in names]


# Cuts: the fast way through a block of an edge list, taken only where nothing unusual occurs in it.
#
# What counts as usual is checked on the bytes: no quotes but those that wrap a whole cell on one line, no lone CR,
# no comment among quoted cells. For everything else :func:`cut` answers None, and the patient reader takes over.

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
