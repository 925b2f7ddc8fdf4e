"""Outgoing: a table as a frame of pandas, polars or pyarrow, each value as the frame's own kind where it has one.

The distinct values are converted once, and the rows take them by their codes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.column import MISSING, WHOLE_LIMIT, Column
from shoal.data.frame import frame
from shoal.data.holding import held
from shoal.data.table import Table
from shoal.errors import BadParameter, load

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


def to_frame(table: Table) -> Any:
    """Return a frame of whichever library is at hand."""
    if find_spec("pandas"):
        return frame(_each(table, pandas_array))
    arrow = to_arrow(table)
    return frame(dict(zip(arrow.column_names, arrow.columns, strict=True)))


def to_pandas(table: Table) -> pd.DataFrame:
    """Return a frame of pandas."""
    pandas = load("pandas", "Table.to_pandas", "frames")
    return pandas.DataFrame(_each(table, pandas_array), index=pandas.RangeIndex(table.n))


def to_polars(table: Table) -> pl.DataFrame:
    """Return a frame of polars."""
    return load("polars", "Table.to_polars", "frames").from_arrow(to_arrow(table))


def to_arrow(table: Table, who: str = "to_arrow") -> pa.Table:
    """Return a table of pyarrow; `who` begins the notice about columns that are said in text."""
    import pyarrow as pa

    return pa.table({name: arrow_array(column, name, who) for name, column in table.columns.items()})


def _each(table: Table, convert: Callable[[Column], Any]) -> dict[str, Any]:
    return {name: convert(column) for name, column in table.columns.items()}


def pandas_array(column: Column) -> Any:
    """Return the cells as an array for a pandas frame."""
    import pandas as pd

    column = column.canonical
    values = _occurring_values(column)
    kinds = set(map(type, values))
    gaps = bool((column.codes == MISSING).any())
    if kinds == {int} and (whole := _whole_type(values)):
        return _spread(column, pd.array(values, dtype=whole[0]) if gaps else np.array(values, dtype=whole[1]))
    if kinds == {float} or (kinds == {int, float} and _fit(values, -WHOLE_LIMIT, WHOLE_LIMIT)):
        return _spread(column, np.array(values, dtype=np.float64))
    if kinds == {bool}:
        return _spread(column, pd.array(values, dtype="boolean") if gaps else np.array(values))
    if kinds == {str} or (kinds == {datetime} and len({value.tzinfo for value in values}) == 1):
        return _spread(column, pd.Series(values).array)
    return _objects(column)


def _occurring_values(column: Column) -> list[Any]:
    if len(column.occurring) == len(column.values):
        return list(column.values)
    return [column.values[code] for code in column.occurring.tolist()]


def _fit(values: list[Any], low: int, high: int) -> bool:
    """Tell whether every whole number among the values lies between two limits."""
    return all(low <= value <= high for value in values if type(value) is int)


def _whole_type(values: list[int]) -> tuple[str, type[np.integer[Any]]] | None:
    """Return the type of 64 bits that holds these whole numbers, in pandas' word and in numpy's, if one does."""
    if _fit(values, -(2**63), 2**63 - 1):
        return "Int64", np.int64
    return ("UInt64", np.uint64) if _fit(values, 0, 2**64 - 1) else None


def _spread(column: Column, values: Any) -> Any:
    """Return the values that occur, converted to an array of numpy or of pandas, at the rows where they do."""
    if isinstance(values, np.ndarray):
        return (np.append(values, np.nan) if values.dtype.kind == "f" else values)[_places(column)]
    return values.take(_places(column), allow_fill=True)


def _places(column: Column) -> Any:
    """Return where each cell's value stands among those that occur, -1 for a missing one."""
    if len(column.occurring) == len(column.values):
        return column.codes
    place = np.full(len(column.values) + 1, MISSING, dtype=np.int64)
    place[column.occurring] = np.arange(len(column.occurring))
    return place[column.codes]


def _objects(column: Column) -> Any:
    values = np.empty(len(column.values) + 1, dtype=object)  # the last one, None, is that of MISSING
    for code, value in enumerate(column.values):
        values[code] = value
    return values[column.codes]


def arrow_array(column: Column, name: str, who: str) -> pa.Array:
    """Return the cells as an arrow array; values that arrow has no one type for are said in text."""
    import pyarrow as pa

    column = column.canonical
    try:
        values = _arrow_values(_occurring_values(column))
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        values = _arrow_texts(column, name, who)
    places = _places(column)
    return values.take(pa.array(places, mask=places == MISSING))


def _arrow_values(values: list[Any]) -> pa.Array:
    """Return the values in the one type that keeps each as it is, or fail."""
    import pyarrow as pa

    kinds = set(map(type, values))
    if kinds == {int}:
        return pa.array(values, type=pa.int64() if _fit(values, -(2**63), 2**63 - 1) else pa.uint64())
    if kinds == {int, float} and _fit(values, -WHOLE_LIMIT, WHOLE_LIMIT):
        return pa.array(values, type=pa.float64())
    if len(kinds) > 1:
        raise TypeError("values of several kinds")
    array = pa.array(values)
    # arrow fills up dicts and widens numbers in lists, which can make two values one
    if not kinds <= {str, float, bool} and not Column.of(values).alike(Column.of(array.to_pylist())):
        raise TypeError("values that arrow does not give back")
    return array


def _arrow_texts(column: Column, name: str, who: str) -> pa.Array:
    import pyarrow as pa

    spelled = held(Table(len(column), {name: column}), ("str",), who)[name]
    try:
        return pa.array(_occurring_values(spelled), type=pa.string())
    except UnicodeEncodeError as error:
        raise BadParameter(
            f"{who}: a text must be Unicode. Got {error.object!r:.60} in the column {name!r}. Change it."
        ) from error
