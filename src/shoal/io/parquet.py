"""Parquet: edge lists in two columns of texts or integers, and a column of kinds where links have kinds.

A row without a target is an isolated vertex.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from shoal.data.column import Column
from shoal.data.edge_columns import EdgeColumns, choose_ends, choose_kind
from shoal.data.encode import encode_arrow
from shoal.data.graph import Graph, Pairs
from shoal.data.names import Names, mark_isolated, number_texts, number_whole_ends
from shoal.errors import BadFile, BadParameter, Place, cut, lacks_memory, notice
from shoal.io.files import check_count, check_ratio, measure_file, open_file
from shoal.io.sniff import find_well_known

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet


ROWS = 1 << 10
"""Rows that are read at a time where only some are wanted."""
BYTES_PER_LINK = 84
"""Memory that a network needs, per link, while it is read and counted."""


def read_parquet(path: Path, compression: str) -> pa.Table:
    """Read a parquet file, with checks of its size and contents."""
    from pyarrow import parquet

    with _open_parquet(path, compression) as source:
        found = parquet.read_table(source)
        found.validate(full=True)  # for example that texts are UTF-8
    return found


def read_rows(path: Path, compression: str, first: int, count: int) -> pa.Table:
    """Read `count` rows of a parquet file, from row `first` on; only their row groups are read."""
    import pyarrow as pa
    from pyarrow import parquet

    with _open_parquet(path, compression) as source:
        file = parquet.ParquetFile(source)
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        group = 0
        while group < len(sizes) and first >= sizes[group]:
            first -= sizes[group]
            group += 1
        taken: list[pa.RecordBatch] = []
        groups = list(range(group, len(sizes)))
        for batch in file.iter_batches(batch_size=ROWS, row_groups=groups) if groups else ():
            batch.validate(full=True)
            if sum(part.num_rows for part in taken) + batch.num_rows > first:
                taken.append(batch)
            else:
                first -= batch.num_rows
            if sum(part.num_rows for part in taken) >= first + count:
                break
        return pa.Table.from_batches(taken, file.schema_arrow).slice(first, count)


@contextmanager
def _open_parquet(path: Path, compression: str) -> Iterator[Any]:
    """Open a parquet file for reading, with a check of its size; raise BadFile if it is damaged."""
    import pyarrow as pa
    from pyarrow import parquet

    with open_file(path, compression) as stream:
        try:
            source = stream if not compression else pa.BufferReader(stream.read())
            _check_size(parquet.read_metadata(source), path)
            yield source
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # also a name of a column is no text
            if lacks_memory(error):
                raise
            reason = cut(str(error).split("\n")[0].rstrip("."))
            raise BadFile(f"{path}: must be a complete parquet file. Got: {reason}.") from error


def _check_size(said: parquet.FileMetaData, path: Path) -> None:
    """Raise BadFile if the file declares far too many rows or bytes for its size."""
    size = measure_file(path)
    groups = [said.row_group(i) for i in range(said.num_row_groups)]
    check_count(said.num_rows, size, str(path), "rows")
    check_ratio(sum(group.total_byte_size for group in groups), size, path)


def describe_row(row: int) -> tuple[str, int]:
    """Return how a message names a row, and its number from 1, which is its line in a place."""
    return f"row {row}", row + 1


def read_column(table: pa.Table, at: int, path: Path) -> Column:
    """Return a column of a table, or raise BadFile with its name."""
    try:
        return encode_arrow(table.column(at))
    except BadParameter as error:
        name, reason = table.column_names[at], str(error).removeprefix("as_table: ")
        raise BadFile(f"{path}: the column {name!r}: {reason}") from error


def read_edges(
    path: Path, compression: str, columns: Sequence[str | int] | None, kind: str | int | None = None
) -> Pairs:
    """Read an edge list from a parquet file; `kind` is the column that holds the kinds of links."""
    from pyarrow import parquet

    with _open_parquet(path, compression) as source:
        _warn_of_memory(parquet.read_metadata(source).num_rows, path)
    found = read_parquet(path, compression)
    chosen = choose_columns(path, found.column_names, columns, kind)
    pairs = pair_rows(path, found, chosen)
    chosen.report_unread(str(path))
    return pairs


def _warn_of_memory(links: int, path: Path) -> None:
    """Issue a notice if a network will hardly fit into the memory of this machine; an engine counts it on disk."""
    need, there = links * BYTES_PER_LINK, measure_memory()
    if there and need > there:
        notice(
            f"{path}: {links:,} links need about {need / 1e9:,.0f} GB of memory, and this machine has "
            f"{there / 1e9:,.0f} GB. To count them on disk, use --engine duckdb (in Python: shoal.relational)."
        )


def measure_memory() -> int:
    """Return the bytes of memory of this machine; 0 if the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def choose_columns(
    path: Path, known: list[str], columns: Sequence[str | int] | None, kind: str | int | None
) -> EdgeColumns:
    """Return the columns of an edge list: those that the caller names, or else those with well-known names."""
    if len(known) < 2:
        raise BadFile(f"{path}: an edge list must have at least two columns. Got {known!r}.")
    wanted = columns or find_well_known(known)
    ends = choose_ends(known, wanted, str(path))
    return EdgeColumns(tuple(known), ends, wanted is not None, kind=choose_kind(known, kind, ends, str(path)))


def pair_rows(path: Path, found: pa.Table, chosen: EdgeColumns) -> Pairs:
    """Return the links in the rows of a table."""
    sources, targets = (_check_ends(found.column(at), found.column_names[at], path) for at in chosen.ends)
    kinds = None if chosen.kind is None else read_column(found, chosen.kind, path)
    pairs = _make_pairs(sources, targets, path)
    return replace(pairs, columns=chosen, unread=chosen.unread, kinds=kinds, kind=chosen.kind_name)


def _check_ends(ends: pa.ChunkedArray, name: str, path: Path) -> pa.ChunkedArray:
    """Return a column as 64-bit integers or as texts; other types have no unique spelling."""
    import pyarrow as pa

    kind = ends.type.value_type if pa.types.is_dictionary(ends.type) else ends.type
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return ends.cast(pa.int64())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return ends.cast(pa.large_string())
    if kind == pa.uint64():
        return ends.cast(pa.large_string())
    raise BadFile(f"{path}: names must be texts or integers. Got {kind} in the column {name!r}. Store them as texts.")


def _make_pairs(sources: pa.ChunkedArray, targets: pa.ChunkedArray, path: Path) -> Pairs:
    import pyarrow as pa
    import pyarrow.compute as pc

    if sources.type != targets.type:
        sources, targets = (ends.cast(pa.large_string()) for ends in (sources, targets))
    turned = pc.coalesce(sources, targets)
    if turned.null_count:
        row = pc.index(pc.is_null(turned), True).as_py()
        where, line = f"{path}, row {row:,} (from 0)", describe_row(row)[1]
        raise BadFile.at(where, "a row must name at least one vertex. Got none.", Place(str(path), line))
    alone = pc.or_(pc.is_null(sources), pc.is_null(targets)).to_numpy()
    filled = pc.coalesce(targets, turned)
    if pa.types.is_integer(turned.type):
        known, a, b = number_whole_ends(turned.to_numpy(), filled.to_numpy())
        return Pairs(Names(known), a, mark_isolated(b, alone))
    names, a, b = number_texts([turned, filled])
    return Pairs(Names(names), a, mark_isolated(b, alone))


def write_edges(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write an edge list, with a third column of kinds if there are any; an isolated vertex has no target."""
    import pyarrow as pa
    from pyarrow import parquet

    numbers = graph.names.numbers
    known = pa.array(names, type=pa.string()) if numbers is None else pa.array(numbers)
    a, b, relation = graph.list_links()
    alone = np.flatnonzero(np.diff(graph.indptr) == 0)
    sources = pa.array(np.concatenate([a, alone]))
    missing = np.concatenate([np.zeros(len(b), dtype=bool), np.ones(len(alone), dtype=bool)])
    targets = pa.array(np.concatenate([b, alone]), mask=missing)
    columns = {"source": known.take(sources), "target": known.take(targets)}
    if graph.ties is not None and relation is not None and graph.kinds:
        kinds = pa.array([one.kind or None for one in graph.ties.relations], type=pa.string())
        columns["kind"] = kinds.take(pa.array(np.append(relation, np.zeros(len(alone), relation.dtype)), mask=missing))
    parquet.write_table(pa.table(columns), stream)
