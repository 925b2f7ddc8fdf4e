"""Edge lists in text: each line is an edge. Two cells hold the names of its ends, and one may hold its kind.

A line with an empty second name (`name,` in csv, `name ""` with spaces as separator) is an isolated vertex.

pyarrow.csv reads blocks of lines: as integers if every cell is proven to be a plain integer ("7", never "007" or "+7"),
else as texts. From the first unusual block on, :class:`~shoal.io.delimited.Delimited` reads record by record, and
reports the line number of an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from shoal.data.arrays import Bools
from shoal.data.encode import encode_arrow
from shoal.data.graph import Graph, Pairs
from shoal.data.names import NO_ONE, Names, mark_isolated, number_texts, number_whole_ends
from shoal.errors import BadFile, BadParameter, Place
from shoal.io.delimited import (
    BLANKS,
    BOM,
    SPECIAL,
    TextRecord,
    drop_comments,
    join_gaps,
    parse_block,
    quote_cells,
    report_trimmed,
    split_block,
    strip_quotes,
    write_rows,
)
from shoal.io.files import FileFormat, check_text
from shoal.io.sniff import NO_HEADER, Layout, TextOptions, can_head, detect_layout
from shoal.settings import in_order

if TYPE_CHECKING:
    import pyarrow as pa


BLOCK = 1 << 23
HEAD = 1 << 16
LOOK = 4096
"""Bytes of a block that are checked before arrow tries to read numbers."""
RECORDS = 100_000
"""Records collected at a time when they are read one by one."""

Block = tuple[int, bytes]
"""The number of the first line, and complete lines."""


class Cut(NamedTuple):
    """The ends of the edges in one block: arrays of integers, or arrow arrays of texts."""

    sources: Any
    targets: Any
    """If a line names only one vertex, the source again."""
    alone: Bools
    trimmed: int
    kinds: Any = None
    """The texts of the column of kinds; None if there is none."""


def read_edge_list(path: Path, kind: FileFormat, options: TextOptions) -> Pairs:
    """Read an edge list from a text file or a sheet of a workbook."""
    with options.open(path, kind) as stream:
        blocks = _read_blocks(path, stream)
        first = next(blocks, None)
        if first is None:
            raise BadFile(f"{path}: must hold an edge list. Got an empty file.")
        layout = find_layout(path, kind, first[1], options)
        layout.columns.report_unread(str(path))
        found = list(_cut_blocks(chain([_drop_head(first, layout)], blocks), layout))
    report_trimmed(path, "names", sum(part.trimmed for part in found))
    kinds = None if layout.columns.kind is None else _join_columns([part.kinds for part in found])
    pairs = _join_cuts(found)
    layout.check_header(pairs.names, _begins_apart(pairs))
    pairs = replace(pairs, columns=layout.columns, unread=layout.columns.unread, kind=layout.columns.kind_name)
    return pairs if kinds is None else replace(pairs, kinds=replace(encode_arrow(kinds), from_text=True))


def find_layout(path: Path, kind: FileFormat, block: bytes, options: TextOptions, *, more: bool = False) -> Layout:
    """Detect the layout of an edge list from its beginning; `more` says that the file is longer than the block."""
    told = replace(options, separator=",") if kind.format == "xlsx" else options
    return detect_layout(path, _read_head(block), told, cut=more or len(block) > HEAD)


def pair_lines(block: bytes, layout: Layout) -> Pairs:
    """Return the links of an edge list that is one block of lines."""
    return _join_cuts(list(_cut_blocks(iter([_drop_head((1, block), layout)]), layout)))


def _begins_apart(pairs: Pairs) -> bool:
    """Return whether there are several links and the ends of the first one occur in no other."""
    if len(pairs.sources) < 2 or pairs.targets[0] == NO_ONE:
        return False
    ends = pairs.sources, pairs.targets
    return all(sum(np.count_nonzero(column == one[0]) for column in ends) == 1 for one in ends)


def _read_blocks(path: Path, stream: BinaryIO) -> Iterator[Block]:
    """Yield blocks of complete lines that are valid UTF-8 text; the last line may lack its end."""
    line, kept, buffer = 1, 0, bytearray(BLOCK)
    while full := _fill_buffer(stream, buffer, kept):
        end = buffer.rfind(b"\n", kept, full) + 1 if full == len(buffer) else full
        if end == 0:  # a long line: twice as much is read next time, or the time would grow with its square
            buffer += bytes(full)
            kept = full
            continue
        block = bytes(memoryview(buffer)[:end])
        kept = full - end
        buffer[:kept] = buffer[end:full]
        check_text(block, path, line, options=True)
        yield line, block
        line += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")))


def _fill_buffer(stream: BinaryIO, buffer: bytearray, full: int) -> int:
    """Read into a buffer, behind its first bytes, until it is full or the stream ends; return the bytes in it."""
    while size := stream.readinto(memoryview(buffer)[full:]):  # type: ignore[attr-defined]
        full += size
    return full


def _read_head(block: bytes) -> list[str]:
    """Return the first lines, all complete."""
    end = len(block) if len(block) <= HEAD else (block.rfind(b"\n", 0, HEAD) + 1 or block.find(b"\n") + 1)
    return _split_lines(block[: end or len(block)].removeprefix(BOM))


def _drop_head(first: Block, layout: Layout) -> Block:
    """Drop the lines before the first edge."""
    block = first[1].removeprefix(BOM)
    at = 0
    for _ in range(layout.body - 1):
        at = block.find(b"\n", at) + 1 or len(block)
    return layout.body, block[at:]


def _split_lines(block: bytes) -> list[str]:
    return block.decode().removesuffix("\n").split("\n")


def _cut_blocks(blocks: Iterator[Block], layout: Layout) -> Iterator[Cut]:
    """Read block by block, and record by record from the first unusual block on."""
    whole = True
    results = in_order(lambda piece: _cut_block(piece[1], layout, whole=whole), blocks)
    for (line, block), found in results:
        if found is None:
            later = chain((piece for piece, _ in results), blocks)
            yield from _read_records(chain([(line, block)], later), line, layout)
            return
        whole = whole and isinstance(found.sources, np.ndarray)
        yield found


def _read_records(blocks: Iterator[Block], line: int, layout: Layout) -> Iterator[Cut]:
    import pyarrow as pa

    lines = chain.from_iterable(_split_lines(block) for _, block in blocks)
    records = layout.text.records(lines, line)
    while some := list(islice(records, RECORDS)):
        pairs = [_find_ends(record, layout) for record in some]
        sources = pa.chunked_array([[a for a, _ in pairs]], type=pa.string())
        targets = pa.chunked_array([[b or a for a, b in pairs]], type=pa.string())
        trimmed = sum(i in layout.columns.read for record in some for i in record.trimmed)
        at = layout.columns.kind
        kinds = None if at is None else pa.chunked_array([[record.cells[at] for record in some]], type=pa.string())
        yield Cut(sources, targets, np.array([not b for _, b in pairs]), trimmed, kinds)


def _find_ends(record: TextRecord, layout: Layout) -> tuple[str, str]:
    """Return the two names of a record; the second may be empty."""
    where, wanted = Place(str(layout.text.path), record.line), len(layout.columns.names)
    if len(record.cells) != wanted:
        raise BadFile.at(
            where,
            f"a line must have {wanted} cells, as the first one has. Got {len(record.cells)}: "
            f"{record.cells!r:.120}. Put a name that holds the separator in quotes.",
        )
    source, target = (record.cells[i] for i in layout.columns.ends)
    if not source:
        raise BadFile.at(
            where,
            f"a line must name a vertex in column {layout.columns.heads[0]!r}. Got an empty cell. "
            "For an isolated vertex, put its name in the first cell and leave the second one empty.",
        )
    return source, target


def _join_cuts(found: list[Cut]) -> Pairs:
    """Number the vertices of all blocks; if one block holds texts, all names are texts."""
    alone = np.concatenate([part.alone for part in found] or [np.zeros(0, dtype=bool)])
    if all(isinstance(part.sources, np.ndarray) for part in found):
        none = np.zeros(0, dtype=np.int64)
        ends = [np.concatenate([part[i] for part in found] or [none]) for i in (0, 1)]
        found.clear()
        known, sources, targets = number_whole_ends(*ends)
        names = Names(known)
    else:
        columns = [_join_columns([part[i] for part in found]) for i in (0, 1)]
        found.clear()
        spelled, sources, targets = number_texts(columns)
        names = Names(spelled)
    return Pairs(names, sources, mark_isolated(targets, alone))


def _join_columns(parts: list[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    spelled = (pa.chunked_array([part]).cast(pa.string()) if isinstance(part, np.ndarray) else part for part in parts)
    return pa.chunked_array([chunk for part in spelled for chunk in part.chunks], type=pa.string())


# Blocks, read with pyarrow.csv.


def _cut_block(block: bytes, layout: Layout, *, whole: bool) -> Cut | None:
    """Return the ends in a block, as integers if `whole` and proven; None if the block is unusual."""
    bare = drop_comments(block, layout.text)
    if bare is None:
        return None
    pairs = whole and len(layout.columns.names) == 2
    found = _cut_numbers(bare, layout) if pairs else None
    if found is None and layout.text.separator is None:
        even = join_gaps(bare)
        found = _cut_numbers(even, layout) if pairs and even != bare else None
        bare = even
    if found is None:
        found = _cut_texts(bare, layout)
        return _read_numbers(found) if found is not None and whole else found
    return found


def _cut_numbers(block: bytes, layout: Layout) -> Cut | None:
    """Return pairs of integers if the block holds only their plain spellings, else None.

    Arrow also accepts 007, -0 and blanks around a number. All are longer than the plain spelling, so every cell is
    plain if and only if the block is as long as all plain spellings together. Arrow also accepts 0x7, which may be
    shorter; a block with an x is not read here.
    """
    import pyarrow.compute as pc

    separator = layout.text.separator or " "
    plain = re.compile(b"[-0-9\r\n" + re.escape(separator.encode()) + b"]*")
    if not plain.fullmatch(block, 0, LOOK) or b"x" in block or b"X" in block:
        return None  # usually the first bytes show that the cells are texts
    # 32-bit integers take half the time and memory later
    kinds = (parse_block(block, separator, 2, layout.columns.ends, kind) for kind in ("int32", "int64"))
    table = next((found for found in kinds if found is not None), None)
    if table is None:
        return None
    sources, targets = table.columns
    if sources.null_count or (targets.null_count and layout.text.separator is None):
        return None  # a blank at the end of a line is not a separator
    others = len(sources) + sum(_count_bytes(block, sign) for sign in "\n\r")
    if len(block) != others + sum(_count_digits(ends.drop_null().to_numpy()) for ends in (sources, targets)):
        return None
    alone = targets.is_null().to_numpy() if targets.null_count else np.zeros(len(targets), dtype=bool)
    filled = pc.coalesce(targets, sources) if targets.null_count else targets
    return Cut(sources.to_numpy(), filled.to_numpy(), alone, 0)


def _count_bytes(block: bytes, sign: str) -> int:
    return int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == ord(sign)))


def _count_digits(numbers: np.ndarray[Any, Any]) -> int:
    """Return the total length of the plain spellings of all numbers.

    >>> _count_digits(np.array([0, 9, 10, -10]))
    7
    """
    digits, power = len(numbers) + int(np.count_nonzero(numbers < 0)), 10
    while beyond := int(np.count_nonzero(numbers >= power) + np.count_nonzero(numbers <= -power)):
        digits += beyond
        power *= 10
    return digits


def _cut_texts(block: bytes, layout: Layout) -> Cut | None:
    """Return pairs of texts; None if a line is malformed or has no source."""
    import pyarrow.compute as pc

    separator, width = layout.text.separator or " ", len(layout.columns.names)
    blanks, quotes = any(blank.encode() in block for blank in BLANKS if blank != separator), b'"' in block
    for table in split_block(block, separator, width, layout.columns.read):
        found = [_strip_names(cells, blanks=blanks, quotes=quotes) for cells in table.columns]
        cells = [column for column in found if column is not None]
        if len(cells) == len(found):
            break
    else:
        return None
    (sources, few), (targets, many), *kinds = [cells[at] for at in layout.columns.read] if quotes else cells
    if len(sources) and pc.min(pc.binary_length(sources)).as_py() == 0:
        return None
    alone = pc.equal(pc.binary_length(targets), 0)
    if pc.any(alone).as_py():
        targets = pc.if_else(alone, sources, targets)
    trimmed = few + many + sum(lost for _, lost in kinds)
    return Cut(sources, targets, alone.to_numpy(), trimmed, kinds[0][0] if kinds else None)


def _strip_names(cells: pa.ChunkedArray, *, blanks: bool, quotes: bool) -> tuple[pa.ChunkedArray, int] | None:
    """Return names without blanks and quotes, and how many lost blanks; None if quotes are malformed."""
    import pyarrow.compute as pc

    lost = 0
    if blanks:
        bare = pc.ascii_trim(cells, BLANKS)
        lost = pc.sum(pc.not_equal(bare, cells)).as_py() or 0
        cells = bare
    if not quotes:
        return cells, lost
    stripped = strip_quotes(cells)
    return None if stripped is None else (stripped[0], lost)


def _read_numbers(found: Cut) -> Cut:
    """Convert texts to integers if the integers have exactly these spellings."""
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


def write_edge_list(graph: Graph, names: list[str], stream: BinaryIO, path: Path, separator: str) -> None:
    """Write an edge list; a multiple edge is repeated, and an isolated vertex has an empty second cell.

    Kinds are a third column. There is then always a header, since a reader names that column.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    odd = next((name for name in names if not name or "\0" in name), None)
    if odd is None:
        odd = next((kind for kind in graph.kinds if "\0" in kind), None)
    if odd is not None:
        raise BadParameter(
            f"{path}: in an edge list a name must not be empty, and a name or a kind must not hold a NUL. "
            f"Got {odd!r:.60}. Write parquet or json, or rename it."
        )
    special = f"{SPECIAL}| " if separator == " " else SPECIAL
    empty = '""' if separator == " " else ""
    cells = quote_cells(pa.array(names, pa.large_string()), special)
    header = ("source", "target", "kind") if graph.kinds else ("source", "target")
    headed = bool(graph.kinds) or (separator != " " and can_head(("source", "target"), names))
    stream.write(f"{separator.join(header)}\n".encode() if headed else f"# {NO_HEADER}\n".encode())
    a, b, relation = graph.list_links()
    columns = [(cells, a), (cells, b)]
    if graph.ties is not None and relation is not None and graph.kinds:
        texts = pa.array([one.kind or "" for one in graph.ties.relations], pa.large_string())
        kinds = quote_cells(texts, special)
        columns.append((pc.if_else(pc.equal(texts, ""), empty, kinds), relation))
    write_rows(stream, columns, separator)
    alone = np.flatnonzero(np.diff(graph.indptr) == 0)
    nothing = pa.array([empty], pa.large_string()), np.zeros_like(alone)
    write_rows(stream, [(cells, alone), *[nothing] * (len(header) - 1)], separator)
