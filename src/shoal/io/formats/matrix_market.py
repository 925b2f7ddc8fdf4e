"""Matrix Market: the adjacency matrix, entry by entry (Boisvert, Pozo & Remington 1996).

A symmetric matrix is an undirected graph, and a general matrix is a directed one: its row is the source.

The format numbers its rows and has no names. So names other than 1 to n are written as JSON in comments at the top,
one per line: `%name 1 "Medici"`. Other programs skip these comments.
"""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data import convert
from shoal.data.graph import Graph, Pairs
from shoal.errors import BadFile, BadGraph, Place, parse_whole, show_value
from shoal.io.files import check_count, decode_text, read_bytes
from shoal.io.formats.builder import Builder
from shoal.io.strict_json import parse_json

NAME = re.compile(r"%name ([0-9]+) (\".*\")\s*")


def read(path: Path, compression: str, *, multigraph: bool, undirected: bool) -> Pairs:
    """Read a Matrix Market file; `undirected` says that a general matrix may be the two halves of a symmetric one."""
    data = read_bytes(path, compression)
    text = decode_text(data, path)
    if not text.lower().startswith("%%matrixmarket matrix"):
        raise BadFile.at(Place(str(path), 1), f"must start with '%%MatrixMarket matrix'. Got {text[:40]!r}.")
    if re.match(r"\S+ +matrix +\S+ +\S+ +(skew-symmetric|hermitian)", text, re.IGNORECASE):
        raise BadFile.at(Place(str(path), 1), f"the matrix must be general or symmetric. Got {text.splitlines()[0]!r}.")
    _check_size(text, len(data), path)
    matrix = _read_matrix(path, text)
    half = _is_symmetric(text)
    try:
        directed = False if half else None if undirected else True
        entries = convert.read_matrix(matrix, multigraph=multigraph, directed=directed)
    except BadGraph as error:
        raise BadGraph(f"{path}: {str(error).partition(' To give pairs')[0]}") from error
    if entries.counts is not None:
        check_count(int(entries.counts.sum()), len(data), str(path), "edges")
    found = Builder(path)
    for name in _read_names(text, matrix.shape[0], path):
        found.add_vertex(name)
    found.add_matrix(entries)
    return found.build_pairs()


def _is_symmetric(text: str) -> bool:
    return text.partition("\n")[0].lower().split()[-1] == "symmetric"


def _check_size(text: str, size: int, path: Path) -> None:
    """Raise BadFile for implausible counts, before memory is allocated for them, and for a truncated file.

    mmread checks everything else, but it may crash on a file with fewer lines than entries.
    """
    lines = enumerate(text.split("\n"), 1)
    line, row = next(((at, row) for at, row in lines if row.strip() and not row.startswith("%")), (0, ""))
    numbers = [parse_whole(cell) for cell in row.split()]
    if not 2 <= len(numbers) <= 3 or any(number is None or number < 0 for number in numbers):
        raise BadFile.at(
            Place(str(path), line), f"the numbers of rows, columns and entries must come first. Got {row!r:.60}."
        )
    rows, columns, *listed = (number or 0 for number in numbers)
    where = Place(str(path), line)
    check_count(max(rows, columns), size, where, "rows and columns")
    entries = listed[0] if listed else rows * (rows + 1) // 2 if _is_symmetric(text) else rows * columns
    there = sum(1 for _, row in lines if row and not row.isspace())
    if there < entries:
        raise BadFile.at(
            where, f"must be a complete Matrix Market file. Got {there:,} of {show_value(entries)} entries."
        )


def _read_matrix(path: Path, text: str) -> Any:
    from scipy.io import mmread

    try:
        return mmread(BytesIO(f"{text}\n".encode()), spmatrix=False)
    except (ValueError, OverflowError, TypeError, IndexError, MemoryError) as error:
        reason = str(error).strip().rstrip(".")
        raise BadFile(f"{path}: must be a complete Matrix Market file. Got: {reason}.") from error


def _read_names(text: str, size: int, path: Path) -> list[str]:
    """Return the names in the comments, or 1 to n."""
    found: list[str] = []
    for line, row in enumerate(text.split("\n"), 1):
        if not row.startswith("%"):
            break
        if named := NAME.fullmatch(row):
            if parse_whole(named[1]) != len(found) + 1:
                raise BadFile.at(Place(str(path), line), f"names must be numbered in order. Got {row!r:.60}.")
            found.append(_parse_name(named[2], path, line))
    if found and (len(found) != size or len(set(found)) != size):
        raise BadFile(f"{path}: each of the {size:,} rows must have a distinct name. Got {len(set(found)):,} names.")
    return found or [*map(str, range(1, size + 1))]


def _parse_name(text: str, path: Path, line: int) -> str:
    try:
        return str(parse_json(text, "the name"))
    except BadFile as error:
        raise BadFile.at(Place(str(path), line), f"a name must be a JSON string. Got {text!r:.60}.") from error


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write the adjacency matrix, its lower triangle if links are undirected; multiplicities are whole numbers."""
    kind = "integer" if graph.is_multigraph else "pattern"
    shape = "general" if graph.directed else "symmetric"
    stream.write(f"%%MatrixMarket matrix coordinate {kind} {shape}\n".encode())
    if names != [str(i) for i in range(1, len(names) + 1)]:
        for number, name in enumerate(names, 1):
            stream.write(f"%name {number} {json.dumps(name)}\n".encode())
    columns, rows, counts = graph.edges()
    if graph.directed:
        rows, columns, _, counts = graph.links()
    stream.write(f"{graph.n} {graph.n} {len(rows)}\n".encode())
    times = (
        [f" {count}" for count in counts.tolist()] if graph.is_multigraph and counts is not None else [""] * len(rows)
    )
    for row, column, count in zip(rows.tolist(), columns.tolist(), times, strict=True):
        stream.write(f"{row + 1} {column + 1}{count}\n".encode())
