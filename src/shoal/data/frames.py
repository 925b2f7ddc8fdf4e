"""Conversion from and to data frames of pandas, polars and pyarrow: edge lists, attributes and tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.column import MISSING, WHOLE_LIMIT, Column
from shoal.data.edge_columns import EdgeColumns, choose_ends, choose_kind
from shoal.data.encode import encode_column
from shoal.data.graph import Pairs
from shoal.data.joining import KnownRows
from shoal.data.names import Names, check_one_value_each, number_texts, number_values, number_whole_ends
from shoal.data.spelling import convert_values
from shoal.data.table import Table, find_position, is_missing
from shoal.errors import BadGraph, BadParameter, load, notice

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

# From frames: edge lists and vertex attributes, read through narwhals.


def is_frame(obj: Any) -> bool:
    """Return whether `obj` is a data frame; a library that is not imported cannot have made it."""
    if not {"pandas", "polars", "pyarrow"} & set(sys.modules):
        return False
    from narwhals.dependencies import is_into_dataframe, is_polars_lazyframe

    if is_polars_lazyframe(obj):
        raise BadParameter("as_graph: a frame must hold its data. Got a polars LazyFrame; call .collect() first.")
    return is_into_dataframe(obj)


def is_adjacency(frame: Any) -> bool:
    """Return whether a pandas frame is an adjacency matrix: its rows and columns have the same labels.

    Default labels (0, 1, ...) do not count, since every unlabeled frame has them: such a frame is an edge list.
    """
    index: Any = getattr(frame, "index", None)
    if type(getattr(frame, "columns", None)).__name__ == "RangeIndex":
        return False
    return hasattr(index, "tolist") and len(frame.columns) == len(frame) and index.tolist() == list(frame.columns)


def read_edge_frame(frame: Any, columns: Sequence[str | int] | None = None, kind: str | int | None = None) -> Pairs:
    """Return the pairs of an edge frame; a missing end marks the other end as an isolated vertex.

    `kind` is the column that holds the kinds of the links.

    >>> import pyarrow as pa
    >>> said = read_edge_frame(pa.table({"from": [7, 8], "to": [8, None]}))
    >>> list(said.names), said.sources.tolist(), said.targets.tolist()
    ([7, 8], [0, 1], [1, -1])
    """
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    if len(table.columns) < 2:
        raise BadGraph(f"as_graph: an edge frame must have at least two columns. Got {table.columns!r:.120}.")
    ends = choose_ends(table.columns, columns, "as_graph")
    at = choose_kind(table.columns, kind, ends, "as_graph")
    found = EdgeColumns(tuple(map(str, table.columns)), ends, kind=at)
    found.report_unread("as_graph")
    kinds = None if at is None else encode_column(table[:, at].to_native())
    pairs = _number_ends(*(table[:, end] for end in ends))
    return replace(pairs, columns=found, unread=found.unread, kinds=kinds, kind=found.kind_name)


def _number_ends(a: Any, b: Any) -> Pairs:
    """Return the pairs of two columns of a frame."""
    import narwhals as nw

    if all(ends.dtype.is_signed_integer() and not ends.is_null().any() for ends in (a, b)):
        known, sources, targets = number_whole_ends(a.to_numpy(), b.to_numpy())
        return Pairs(Names(known.tolist()), sources, targets)
    if all(ends.dtype == nw.String and not ends.is_null().any() for ends in (a, b)):
        with suppress(UnicodeEncodeError):  # as_graph reports the name
            return Pairs(*_number_frame_texts(a, b))
    return number_pairs(
        *(_restore_whole(ends.to_list()) if ends.dtype.is_float() else ends.to_list() for ends in (a, b))
    )


def _restore_whole(ends: list[Any]) -> list[Any]:
    """Convert floats back to ints if all are whole: pandas makes ints beside a missing value floats."""
    missing = [is_missing(end) for end in ends]
    if not any(missing) or not all(gone or float(end).is_integer() for end, gone in zip(ends, missing, strict=True)):
        return ends
    return [None if gone else int(end) for end, gone in zip(ends, missing, strict=True)]


def _number_frame_texts(a: Any, b: Any) -> tuple[Names, Ints, Ints]:
    import pyarrow as pa

    ends = [pa.chunked_array([column.to_arrow()]).cast(pa.large_string()) for column in (a, b)]
    names, sources, targets = number_texts(ends)
    return Names(names), sources, targets


def number_pairs(a: Sequence[Any], b: Sequence[Any]) -> Pairs:
    """Return pairs of hashable values; one end of each pair may be missing."""
    turned = [(y, x) if is_missing(x) else (x, y) for x, y in zip(a, b, strict=True)]
    empty = next((at for at, (first, _) in enumerate(turned) if is_missing(first)), None)
    if empty is not None:
        raise BadGraph(f"as_graph: pair {empty} must have at least one end. Got {(a[empty], b[empty])!r}.")
    try:
        names, sources, targets = number_values([x for x, _ in turned], [y for _, y in turned])
    except TypeError as error:
        raise BadGraph(f"as_graph: a name must be hashable. Got an {error}.") from error
    return Pairs(Names(names), sources, targets)


def read_attribute_rows(given: Any, names: Names) -> KnownRows:
    """Return attributes, given as a frame, a Table or a mapping of columns, as rows with names."""
    if isinstance(given, Table):
        return KnownRows(_check_names(names, given.n, "the table"), given)
    if is_frame(given):
        return _read_frame(given)
    if isinstance(given, Mapping):
        return _read_mapping(given, names)
    raise BadParameter(
        "as_graph: 'attributes' must be a frame with a column of names, or a mapping from column to cells. "
        f"Got {type(given).__name__}."
    )


def find_key_column(known: Sequence[str], wanted: str | int | None, who: str) -> int:
    """Return the position of the column of names: `wanted`, or else the first called "name" or "id", or else 0.

    >>> find_key_column(["age", "name"], None, "people.csv"), find_key_column(["age", "sex"], None, "people.csv")
    (1, 0)
    """
    if wanted is not None:
        return find_position(known, wanted, who)
    called = [at for at, name in enumerate(known) if str(name).lower() in ("name", "id")]
    if len(called) > 1:
        taken, other = (known[at] for at in called[:2])
        notice(
            f"{who}: {taken!r} is read as the column of names. To use {other!r}, set key={other!r} (--key).",
            f"column of names: {taken!r} (--key)",
        )
    return called[0] if called else 0


def _read_frame(frame: Any) -> KnownRows:
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    if not table.columns:
        raise BadParameter("attributes: a frame must have a column of names. Got no columns.")
    at = find_key_column(table.columns, None, "attributes")
    rest = [name for i, name in enumerate(table.columns) if i != at]
    keys = table[:, at].to_list()
    return KnownRows(keys, Table.of({name: table[name].to_list() for name in rest}, len(keys)))


def _read_mapping(given: Mapping[Any, Any], names: Names) -> KnownRows:
    by_name = [isinstance(cells, Mapping) for cells in given.values()]
    if given and all(by_name):
        named = [key for cells in given.values() for key in cells]
        check_one_value_each(named)
        keys: dict[Hashable, None] = dict.fromkeys(named)
        table = {column: [cells.get(key) for key in keys] for column, cells in given.items()}
        return KnownRows(list(keys), Table.of(table, len(keys)))
    if any(by_name):
        raise BadParameter("as_graph: 'attributes' must hold either mappings by name or lists of cells. Got both.")
    columns = {column: _check_cells(cells, column) for column, cells in given.items()}
    for column, cells in columns.items():
        _check_names(names, len(cells), f"column {column!r}")
    return KnownRows(names, Table.of(columns, len(names)))


def _check_cells(cells: Any, column: Any) -> list[Any]:
    if isinstance(cells, str | bytes) or not isinstance(cells, Iterable):
        raise BadParameter(f"as_graph: attribute {column!r} must hold one cell per vertex. Got {cells!r:.80}.")
    return list(cells)


def _check_names(names: Names, length: int, what: str) -> Names:
    if length != len(names):
        raise BadParameter(
            f"as_graph: 'attributes': {what} must have one cell per vertex ({len(names):,}). Got {length:,}."
        )
    return names


# To frames: a table as a frame of pandas, polars or pyarrow, with the frame's own types where they fit.
#
# Each distinct value is converted once; the rows take it by its code.


def to_frame(table: Table) -> Any:
    """Return a pandas frame, a polars frame if pandas is not installed, or else a pyarrow table."""
    if find_spec("pandas"):
        return make_frame(_convert_columns(table, make_pandas_array))
    arrow = to_arrow(table)
    return make_frame(dict(zip(arrow.column_names, arrow.columns, strict=True)))


def to_pandas(table: Table) -> pd.DataFrame:
    """Return a pandas frame."""
    pandas = load("pandas", "Table.to_pandas", "frames")
    return pandas.DataFrame(_convert_columns(table, make_pandas_array), index=pandas.RangeIndex(table.n))


def to_polars(table: Table) -> pl.DataFrame:
    """Return a polars frame."""
    return load("polars", "Table.to_polars", "frames").from_arrow(to_arrow(table))


def to_arrow(table: Table, who: str = "to_arrow") -> pa.Table:
    """Return a pyarrow table; `who` starts the notice about columns that become text."""
    import pyarrow as pa

    return pa.table({name: make_arrow_array(column, name, who) for name, column in table.columns.items()})


def _convert_columns(table: Table, convert: Callable[[Column], Any]) -> dict[str, Any]:
    return {name: convert(column) for name, column in table.columns.items()}


def make_pandas_array(column: Column) -> Any:
    """Return the cells as an array for a pandas frame."""
    import pandas as pd

    column = column.canonical
    values = _find_occurring(column)
    kinds = set(map(type, values))
    gaps = bool((column.codes == MISSING).any())
    if kinds == {int} and (whole := _find_whole_type(values)):
        return _spread_values(column, pd.array(values, dtype=whole[0]) if gaps else np.array(values, dtype=whole[1]))
    if kinds == {float} or (kinds == {int, float} and _fits_between(values, -WHOLE_LIMIT, WHOLE_LIMIT)):
        return _spread_values(column, np.array(values, dtype=np.float64))
    if kinds == {bool}:
        return _spread_values(column, pd.array(values, dtype="boolean") if gaps else np.array(values))
    if kinds == {str} or (kinds == {datetime} and len({value.tzinfo for value in values}) == 1):
        return _spread_values(column, pd.Series(values).array)
    return _list_objects(column)


def _find_occurring(column: Column) -> list[Any]:
    if len(column.occurring) == len(column.values):
        return list(column.values)
    return [column.values[code] for code in column.occurring.tolist()]


def _fits_between(values: list[Any], low: int, high: int) -> bool:
    """Return whether every int among the values lies between two limits."""
    return all(low <= value <= high for value in values if type(value) is int)


def _find_whole_type(values: list[int]) -> tuple[str, type[np.integer[Any]]] | None:
    """Return the 64-bit integer type that holds these ints, for pandas and for numpy; None if there is none."""
    if _fits_between(values, -(2**63), 2**63 - 1):
        return "Int64", np.int64
    return ("UInt64", np.uint64) if _fits_between(values, 0, 2**64 - 1) else None


def _spread_values(column: Column, values: Any) -> Any:
    """Return the cells of a column, given its occurring values as a numpy or pandas array."""
    if isinstance(values, np.ndarray):
        return (np.append(values, np.nan) if values.dtype.kind == "f" else values)[_find_places(column)]
    return values.take(_find_places(column), allow_fill=True)


def _find_places(column: Column) -> Any:
    """Return the position of each cell's value among the occurring values; -1 if missing."""
    if len(column.occurring) == len(column.values):
        return column.codes
    place = np.full(len(column.values) + 1, MISSING, dtype=np.int64)
    place[column.occurring] = np.arange(len(column.occurring))
    return place[column.codes]


def _list_objects(column: Column) -> Any:
    values = np.empty(len(column.values) + 1, dtype=object)  # the last entry, None, is for MISSING
    for code, value in enumerate(column.values):
        values[code] = value
    return values[column.codes]


def make_arrow_array(column: Column, name: str, who: str) -> pa.Array:
    """Return the cells as an arrow array; values without a common arrow type become text."""
    import pyarrow as pa

    column = column.canonical
    try:
        values = _make_arrow_values(_find_occurring(column))
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        values = _make_arrow_texts(column, name, who)
    places = _find_places(column)
    return values.take(pa.array(places, mask=places == MISSING))


def _make_arrow_values(values: list[Any]) -> pa.Array:
    """Return the values in one type that keeps each of them unchanged, or raise."""
    import pyarrow as pa

    kinds = set(map(type, values))
    if kinds == {int}:
        return pa.array(values, type=pa.int64() if _fits_between(values, -(2**63), 2**63 - 1) else pa.uint64())
    if kinds == {int, float} and _fits_between(values, -WHOLE_LIMIT, WHOLE_LIMIT):
        return pa.array(values, type=pa.float64())
    if len(kinds) > 1:
        raise TypeError("values of several types")
    array = pa.array(values)
    # Arrow adds missing keys to dicts and widens numbers in lists, which can make two values equal.
    if not kinds <= {str, float, bool} and not Column.of(values).alike(Column.of(array.to_pylist())):
        raise TypeError("values that arrow changes")
    return array


def _make_arrow_texts(column: Column, name: str, who: str) -> pa.Array:
    import pyarrow as pa

    spelled = convert_values(Table(len(column), {name: column}), ("str",), who)[name]
    try:
        return pa.array(_find_occurring(spelled), type=pa.string())
    except UnicodeEncodeError as error:
        raise BadParameter(
            f"{who}: a text must be valid Unicode. Got {error.object!r:.60} in the column {name!r}. Change it."
        ) from error


# Results as a data frame of an installed library.


def make_frame(columns: Mapping[str, Any]) -> Any:
    """Return a pandas frame, a polars frame if pandas is not installed, or else a pyarrow table.

    >>> make_frame({"name": ["a", "b"], "candidates": [1, 2]}).shape
    (2, 2)
    """
    if find_spec("pandas"):
        return import_module("pandas").DataFrame(dict(columns))
    if find_spec("polars"):
        return import_module("polars").DataFrame(dict(columns))
    return import_module("pyarrow").table(dict(columns))
