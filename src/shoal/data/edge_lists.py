"""Edge lists in text: a line is an edge, two of its cells are the names of the ends, the others are not used.

A line whose second name is empty (`name,` in csv, `name ""` where blanks separate) is an isolated vertex.

Three ways to the same names, block by block: whole numbers, where every cell is proven to be the plain
spelling of one ("7", never "007" or "+7"); texts, cut by arrow where nothing unusual occurs; and cell by cell
from the first unusual block on, which also finds the number of a broken line.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from shoal.data.cuts import Cut, Truths, cut
from shoal.data.delimited import Record
from shoal.data.encode import NO_ONE, texts, whole_numbers
from shoal.data.files import check_text, opened
from shoal.data.frames import tell_unused
from shoal.data.names import Names
from shoal.data.pairs import Pairs
from shoal.data.rows import Ints
from shoal.data.sniff import Layout, TextOptions, layout_of
from shoal.errors import BadFile, notice

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 24
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
        layout = layout_of(path, _head(first[1]), options)
        tell_unused(layout.columns, layout.ends, str(path))
        found = list(_cuts(chain([_body(first, layout)], blocks), layout))
    _tell_trimmed(path, sum(part.trimmed for part in found))
    pairs = _joined(found)
    layout.check_header(pairs.names)
    return pairs


def _blocks(path: Path, stream: BinaryIO) -> Iterator[Block]:
    """Yield blocks of whole lines, checked to be text."""
    line, rest = 1, b""
    while data := stream.read(BLOCK):
        block = rest + data
        end = block.rfind(b"\n") + 1
        block, rest = block[:end], block[end:]
        if block:
            check_text(block, path, line)
            yield line, block
            line += block.count(b"\n")
    if rest:
        check_text(rest, path, line)
        yield line, rest


def _head(block: bytes) -> list[str]:
    """Return the first lines, of which the last is whole."""
    end = len(block) if len(block) <= HEAD else (block.rfind(b"\n", 0, HEAD) + 1 or block.find(b"\n") + 1)
    return _lines(block[: end or len(block)].removeprefix(b"\xef\xbb\xbf"))


def _body(first: Block, layout: Layout) -> Block:
    """Leave out what stands before the first edge."""
    _, block = first
    at = 0
    for _ in range(layout.body - 1):
        at = block.find(b"\n", at) + 1 or len(block)
    return layout.body, block[at:].removeprefix(b"\xef\xbb\xbf")


def _lines(block: bytes) -> list[str]:
    return block.decode().removesuffix("\n").split("\n")


def _cuts(blocks: Iterator[Block], layout: Layout) -> Iterator[Cut]:
    """Cut block by block, and cell by cell from the first unusual block on."""
    whole = True
    for line, block in blocks:
        found = cut(block, layout, whole=whole)
        if found is None:
            yield from _patiently(chain([(line, block)], blocks), line, layout)
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
        spelled, sources, targets = texts(*columns)
        names = Names(spelled)
    return Pairs(names, sources, _marked(targets, alone))


def _one_column(parts: list[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    spelled = (pa.chunked_array([part]).cast(pa.string()) if isinstance(part, np.ndarray) else part for part in parts)
    return pa.chunked_array([chunk for part in spelled for chunk in part.chunks], type=pa.string())


def _marked(targets: Ints, alone: Truths) -> Ints:
    return np.where(alone, NO_ONE, targets) if alone.any() else targets


def _tell_trimmed(path: Path, trimmed: int) -> None:
    if trimmed:
        notice(f"{path}: names that lost the blanks around them: {trimmed:,}. Quotes keep blanks.")
