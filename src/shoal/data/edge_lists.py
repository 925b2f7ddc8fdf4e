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
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from shoal.data.cuts import BOM, LF, Cut, cut
from shoal.data.delimited import Record, tell_trimmed
from shoal.data.encode import marked, texts, whole_numbers
from shoal.data.files import check_text, opened
from shoal.data.frames import tell_unused
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.pairs import Pairs
from shoal.data.parallel import in_order
from shoal.data.sniff import NO_HEADER, Layout, TextOptions, layout_of, suits
from shoal.errors import BadFile, BadParameter

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
