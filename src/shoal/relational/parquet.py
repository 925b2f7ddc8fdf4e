"""Rows that leave an engine: Parquet files of the private folder become one file, or are read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.io.files import create_file
from shoal.progress import check, track

ROWS = 1 << 18
"""Rows of a group: what is in memory at a time."""


@contextmanager
def removing(parts: Sequence[Path]) -> Iterator[None]:
    """Remove files at the end."""
    try:
        yield
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def read_batches(parts: Sequence[Path], what: str) -> Iterator[Any]:
    """Yield the rows of files in order, as record batches of one schema.

    All but the last have equally many rows. So rows make the same file, however an engine has split them.
    """
    held: list[Any] = []
    many = 0
    for found in _read_parts(parts, what):
        batch = found
        while many + batch.num_rows >= ROWS:
            missing = ROWS - many
            yield _join_batches([*held, batch.slice(0, missing)])
            batch, held, many = batch.slice(missing), [], 0
        held.append(batch)
        many += batch.num_rows
    if many:
        yield _join_batches(held)


def _join_batches(batches: list[Any]) -> Any:
    from pyarrow import Table

    (joined,) = Table.from_batches(batches).combine_chunks().to_batches()
    return joined


def _read_parts(parts: Sequence[Path], what: str) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import parquet

    schema = None
    for done, part in enumerate(parts):
        with parquet.ParquetFile(part) as file:
            found = pa.schema([pa.field(field.name, field.type) for field in file.schema_arrow])
            schema = found if schema is None else schema
            for batch in file.iter_batches(batch_size=ROWS):
                check()
                track(what, done, len(parts))
                yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)


def join_parquet(parts: Sequence[Path], target: Path, what: str = "writing") -> int:
    """Write the rows of files as one file, without notes of the engine; return how many they are."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = 0
    with parquet.ParquetFile(parts[0]) as first, create_file(target) as stream:
        schema = pa.schema([pa.field(field.name, field.type) for field in first.schema_arrow])
        with parquet.ParquetWriter(stream, schema) as writer:
            for batch in read_batches(parts, what):
                writer.write_batch(batch)
                rows += batch.num_rows
    return rows
