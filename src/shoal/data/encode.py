"""Encoding of frame columns as codes, with arrow's dictionaries where they agree with exact comparison.

For every library and every storage type, the result is that of :meth:`Column.of` on the single cells: 1 equals 1.0,
True is not 1, NaN and null are the same missing value, and -0.0 is 0.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.column import MISSING, Codes, Column
from shoal.errors import BadParameter

if TYPE_CHECKING:
    import pyarrow as pa


def encode_column(cells: Any) -> Column:
    """Encode a column of a frame, an array, or an iterable of cells.

    >>> column = encode_column(np.array([2.0, np.nan, 2.0]))
    >>> column.codes.tolist(), column.values
    ([0, -1, 0], (2.0,))
    """
    import narwhals as nw

    if isinstance(cells, Column):
        return cells
    if isinstance(cells, np.ndarray):
        return _encode_numpy(cells)
    if hasattr(cells, "dictionary_encode"):  # an arrow array
        return encode_arrow(cells)
    series = nw.from_native(cells, series_only=True, pass_through=True)
    return _encode_series(series) if isinstance(series, nw.Series) else Column.of(cells)


def _encode_numpy(cells: np.ndarray[Any, Any]) -> Column:
    if cells.ndim == 1 and cells.dtype.kind in "iuf":
        return Column.from_numbers(cells)
    return Column.of(list(cells) if cells.dtype.kind in "mM" else cells.tolist())


def _encode_series(series: Any) -> Column:
    """Encode a narwhals series; pandas dtypes are checked first, because arrow would convert objects."""
    import narwhals as nw
    import pyarrow as pa

    native = series.to_native()
    kind = str(getattr(native, "dtype", ""))
    if kind == "category":
        return regroup_codes(native.cat.codes.to_numpy(), encode_column(native.cat.categories.to_series()))
    if kind == "object" or series.dtype in (nw.Object, nw.Unknown):
        return Column.of(series.to_list())
    try:
        cells = series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError):
        return Column.of(series.to_list())
    return encode_arrow(cells)


def encode_arrow(cells: pa.Array | pa.ChunkedArray) -> Column:
    """Encode an arrow array.

    >>> import pyarrow as pa
    >>> encode_arrow(pa.array([1.0, None, float("nan"), -0.0, 0.0])).codes.tolist()
    [0, -1, -1, 1, 1]
    """
    import pyarrow as pa
    from pyarrow import types

    if isinstance(cells, pa.ChunkedArray):
        cells = _combine_chunks(cells)
    kind = cells.type
    if types.is_floating(kind):
        return Column.from_numbers(cells.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False))
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return Column.from_arrow(cells.cast(pa.large_string()))
    if types.is_integer(kind) or types.is_boolean(kind):
        return Column.from_arrow(cells)
    if types.is_dictionary(kind):
        codes = cells.indices.cast(pa.int64()).fill_null(MISSING).to_numpy(zero_copy_only=False)
        return regroup_codes(codes, encode_arrow(cells.dictionary))
    return _encode_other(cells)


def _combine_chunks(cells: pa.ChunkedArray) -> pa.Array:
    """Return the chunks as one array; each chunk may have its own dictionary."""
    import pyarrow as pa

    if pa.types.is_dictionary(cells.type):
        cells = cells.unify_dictionaries() if cells.num_chunks > 1 else cells
    whole = cells.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) and whole.num_chunks == 1 else whole


def _encode_other(cells: pa.Array) -> Column:
    """Encode dates, decimals and bytes by a dictionary, and types without one (such as lists) cell by cell."""
    import pyarrow as pa

    if pa.types.is_time(cells.type):
        _check_time(cells)
    if pa.types.is_timestamp(cells.type) or pa.types.is_duration(cells.type):
        cells = _convert_to_microseconds(cells)
    elif pa.types.is_time64(cells.type) or pa.types.is_date64(cells.type):
        cells = _keep_apart(cells)
    elif _holds_finer_times(cells.type):
        raise BadParameter(
            f"as_table: times inside lists or structs must not have nanoseconds. Got {cells.type}. "
            "Cast them to text, or to microseconds."
        )
    try:
        coded = cells.dictionary_encode()
    except pa.ArrowException:
        return Column.of(_convert_to_python(cells))
    codes = coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    return regroup_codes(codes, Column.of(_convert_to_python(coded.dictionary)))


def _convert_to_python(cells: pa.Array) -> list[Any]:
    """Return the cells as Python values; raise BadParameter for dates outside the years 1 to 9999."""
    import pyarrow as pa

    try:
        found: list[Any] = cells.to_pylist()
    except (ValueError, OverflowError, LookupError, pa.ArrowException) as error:
        raise BadParameter(
            "as_table: dates and times must fit Python's types (years 1 to 9999, known time zones). Got "
            f"{cells.type}: {error!s:.80}. Cast them to text."
        ) from error
    return found


def _check_time(cells: pa.Array) -> None:
    """Raise BadParameter for a time of day outside 24 hours, which Python would merge with another time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    day = 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[cells.type.unit]
    ends = pc.min_max(cells.cast(pa.int32() if pa.types.is_time32(cells.type) else pa.int64())).as_py()
    if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < day:
        raise BadParameter(
            f"as_table: a time of day must be within 24 hours. Got {cells.type} outside. Cast them to text."
        )


def _keep_apart(cells: pa.Array) -> pa.Array:
    """Convert times of day, and dates with a time, to a type in which different values stay different."""
    import pyarrow as pa

    timed = pa.types.is_time64(cells.type)
    try:
        narrow = cells.cast(pa.time64("us") if timed else pa.date32())
        if narrow.cast(cells.type).equals(cells):
            return narrow
    except pa.ArrowInvalid:  # there are nanoseconds, or a date has a time
        pass
    return cells.cast(pa.string()) if timed else cells.cast(pa.int64()).cast(pa.timestamp("ms"))


def _holds_finer_times(kind: pa.DataType) -> bool:
    """Return whether a nested type holds times that Python would truncate."""
    import pyarrow as pa

    if pa.types.is_date64(kind) or (pa.types.is_time64(kind) and kind.unit == "ns"):
        return True
    return any(_holds_finer_times(kind.field(i).type) for i in range(kind.num_fields))


def _convert_to_microseconds(cells: pa.Array) -> pa.Array:
    """Convert times to microseconds, Python's unit, unless nanoseconds would be lost."""
    import pyarrow as pa

    kind = cells.type
    unit = pa.duration("us") if pa.types.is_duration(kind) else pa.timestamp("us", kind.tz)
    try:
        return cells.cast(unit)
    except pa.ArrowInvalid:
        return cells


def regroup_codes(codes: np.ndarray[Any, Any], groups: Column) -> Column:
    """Return the column whose row v holds cell `codes[v]` of `groups`, with codes in order of first appearance.

    >>> column = regroup_codes(np.array([2, -1, 0, 2]), Column.of(["a", "b", "c"]))
    >>> column.codes.tolist(), column.values
    ([0, -1, 1, 0], ('c', 'a'))
    """
    return renumber_codes(np.append(groups.codes, MISSING)[codes], groups.values)


def renumber_codes(codes: Codes, values: tuple[Any, ...]) -> Column:
    """Return the column with codes in order of first appearance, without the values that do not occur."""
    met = np.full(len(values) + 1, len(codes), dtype=np.int64)  # the last entry is for MISSING, which is -1
    met[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    occurring = np.flatnonzero(met[:-1] < len(codes))
    order = occurring[np.argsort(met[occurring], kind="stable")]
    if len(order) == len(values) and (order[1:] > order[:-1]).all():
        return Column(codes, values)
    rank = np.full(len(values) + 1, MISSING, dtype=np.int64)
    rank[order] = np.arange(len(order))
    return Column(rank[codes], tuple(values[i] for i in order.tolist()))
