"""Matrix Market: the adjacency matrix, entry by entry (Boisvert, Pozo & Remington 1996).

The format numbers its rows and holds no names, so names other than 1 to n are written as comments at the top,
one a line: `%name 1 "Medici"`, in JSON. Programs that do not know them skip them.
"""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data import matrices
from shoal.data.files import text_of
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.pairs import Pairs
from shoal.errors import BadFile, BadGraph

NAME = re.compile(r"%name (\d+) (\".*\")\s*")


def read(path: Path, compression: str, *, multigraph: bool) -> Pairs:
    """Return the links of a Matrix Market file."""
    text = text_of(path, compression)
    if not text.lower().startswith("%%matrixmarket matrix"):
        raise BadFile(f"{path}, line 1: must begin with '%%MatrixMarket matrix'. Got {text[:40]!r}.")
    if re.match(r"\S+ +matrix +\S+ +\S+ +(skew-symmetric|hermitian)", text, re.IGNORECASE):
        raise BadFile(f"{path}, line 1: the matrix must be general or symmetric. Got {text.splitlines()[0]!r}.")
    matrix = _matrix(path, text)
    size = matrix.shape[0]
    try:
        return matrices.pairs(matrix, multigraph=multigraph, names=_names(text, size, path))
    except BadGraph as error:
        raise BadGraph(f"{path}: {str(error).partition(' To give pairs')[0]}") from error


def _matrix(path: Path, text: str) -> Any:
    from scipy.io import mmread

    try:
        return mmread(BytesIO(text.encode()), spmatrix=False)
    except (ValueError, OverflowError, TypeError) as error:
        reason = str(error).strip().rstrip(".")
        raise BadFile(f"{path}: must be a whole Matrix Market file. Got: {reason}.") from error


def _names(text: str, size: int, path: Path) -> Names:
    """Return the names in the comments, or 1 to n."""
    found: list[str] = []
    for line, row in enumerate(text.split("\n"), 1):
        if not row.startswith("%"):
            break
        if named := NAME.fullmatch(row):
            if int(named[1]) != len(found) + 1:
                raise BadFile(f"{path}, line {line:,}: names must be numbered in order. Got {row!r:.60}.")
            found.append(_spelled(named[2], path, line))
    if found and (len(found) != size or len(set(found)) != size):
        raise BadFile(f"{path}: each of the {size:,} rows must have a name of its own. Got {len(set(found)):,} names.")
    return Names(found or map(str, range(1, size + 1)))


def _spelled(text: str, path: Path, line: int) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise BadFile(f"{path}, line {line:,}: a name must be text in JSON. Got {text!r:.60}.") from error


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write the lower triangle of the adjacency matrix; multiplicities are whole numbers."""
    kind = "pattern" if graph.multiplicity is None else "integer"
    stream.write(f"%%MatrixMarket matrix coordinate {kind} symmetric\n".encode())
    if names != [str(i) for i in range(1, len(names) + 1)]:
        for number, name in enumerate(names, 1):
            stream.write(f"%name {number} {json.dumps(name)}\n".encode())
    a, b, counts = graph.edges()
    stream.write(f"{graph.n} {graph.n} {len(a)}\n".encode())
    times = [""] * len(a) if counts is None else [f" {count}" for count in counts.tolist()]
    for small, large, count in zip(a.tolist(), b.tolist(), times, strict=True):
        stream.write(f"{large + 1} {small + 1}{count}\n".encode())
