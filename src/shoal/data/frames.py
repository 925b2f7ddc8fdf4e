"""Data frames of pandas, polars and pyarrow: edge lists and vertex attributes, read through narwhals."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from shoal.data.encode import texts, things, whole_numbers
from shoal.data.joining import Known
from shoal.data.names import Names, check_one_value_each
from shoal.data.pairs import Pairs
from shoal.data.rows import Ints
from shoal.data.table import Table, is_missing
from shoal.errors import BadGraph, BadParameter, UnknownColumn, did_you_mean, list_names, notice, show_value


def is_frame(obj: Any) -> bool:
    """Tell whether `obj` is a frame; a library that is not loaded yet cannot have made it."""
    if not {"pandas", "polars", "pyarrow"} & set(sys.modules):
        return False
    from narwhals.dependencies import is_into_dataframe, is_polars_lazyframe

    if is_polars_lazyframe(obj):
        raise BadParameter("as_graph: a frame must hold its data. Got a polars LazyFrame; call .collect() first.")
    return is_into_dataframe(obj)


def is_adjacency(frame: Any) -> bool:
    """Tell whether a pandas frame is a matrix whose rows and columns were given the same names.

    Columns that nobody named are numbered like the rows, so they say nothing: such a frame is an edge list.
    """
    index: Any = getattr(frame, "index", None)
    if type(getattr(frame, "columns", None)).__name__ == "RangeIndex":
        return False
    return hasattr(index, "tolist") and len(frame.columns) == len(frame) and index.tolist() == list(frame.columns)


def choose(known: Sequence[str], wanted: Sequence[str | int] | None, who: str) -> tuple[int, int]:
    """Return the positions of the two columns that hold the ends.

    >>> choose(["from", "to", "weight"], ("from", 2), "friends.csv")
    (0, 2)
    """
    if wanted is None:
        wanted = (0, 1)
    if isinstance(wanted, str) or len(wanted) != 2:
        raise BadParameter(f"{who}: 'columns' must be two columns, by name or by position from 0. Got {wanted!r}.")
    first, second = (position(known, column, who) for column in wanted)
    if first == second:
        raise BadParameter(f"{who}: 'columns' must be two different columns. Got {wanted!r}.")
    return first, second


def position(known: Sequence[str], column: str | int, who: str) -> int:
    """Return where a column stands, given its name or its position from 0."""
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(known):
        return column
    if isinstance(column, str) and column in known:
        return list(known).index(str(column))
    listed = list_names(known) or "none at all"
    raise UnknownColumn(
        f"{who}: there is no column {show_value(column)}. The columns are: {listed}.{did_you_mean(column, known)}"
    )


def tell_unused(known: Sequence[str], used: Sequence[int], who: str) -> None:
    """Name the columns that are not read."""
    rest = [name for at, name in enumerate(known) if at not in used]
    if rest:
        ends = " and ".join(repr(known[at]) for at in used)
        notice(f"{who}: {ends} are read as the ends of the edges; not used: {list_names(rest)}.")


def edges(frame: Any, columns: Sequence[str | int] | None = None) -> Pairs:
    """Return the links of an edge frame; a missing end marks the other one as an isolated vertex.

    >>> import pyarrow as pa
    >>> said = edges(pa.table({"from": [7, 8], "to": [8, None]}))
    >>> list(said.names), said.sources.tolist(), said.targets.tolist()
    ([7, 8], [0, 1], [1, -1])
    """
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    if len(table.columns) < 2:
        raise BadGraph(f"as_graph: an edge frame must have two columns. Got {table.columns!r:.120}.")
    chosen = choose(table.columns, columns, "as_graph")
    tell_unused(table.columns, chosen, "as_graph")
    a, b = (table[:, at] for at in chosen)
    if all(ends.dtype.is_signed_integer() and not ends.is_null().any() for ends in (a, b)):
        known, sources, targets = whole_numbers(a.to_numpy(), b.to_numpy())
        return Pairs(Names(known.tolist()), sources, targets)
    if all(ends.dtype == nw.String and not ends.is_null().any() for ends in (a, b)):
        with suppress(UnicodeEncodeError):  # as_graph says whose name it is
            return Pairs(*_texts(a, b))
    return numbered(*(_whole_again(ends.to_list()) if ends.dtype.is_float() else ends.to_list() for ends in (a, b)))


def _whole_again(ends: list[Any]) -> list[Any]:
    """Undo what pandas does to whole numbers beside a missing one: 2.0 is 2 if all others are whole."""
    missing = [is_missing(end) for end in ends]
    if not any(missing) or not all(gone or float(end).is_integer() for end, gone in zip(ends, missing, strict=True)):
        return ends
    return [None if gone else int(end) for end, gone in zip(ends, missing, strict=True)]


def _texts(a: Any, b: Any) -> tuple[Names, Ints, Ints]:
    import pyarrow as pa

    ends = [pa.chunked_array([column.to_arrow()]).cast(pa.large_string()) for column in (a, b)]
    names, sources, targets = texts(ends)
    return Names(names), sources, targets


def numbered(a: Sequence[Any], b: Sequence[Any]) -> Pairs:
    """Return pairs of anything hashable, in which one end may be missing."""
    turned = [(y, x) if is_missing(x) else (x, y) for x, y in zip(a, b, strict=True)]
    empty = next((at for at, (first, _) in enumerate(turned) if is_missing(first)), None)
    if empty is not None:
        raise BadGraph(f"as_graph: pair {empty} must name at least one vertex. Got {(a[empty], b[empty])!r}.")
    try:
        names, sources, targets = things([x for x, _ in turned], [y for _, y in turned])
    except TypeError as error:
        raise BadGraph(f"as_graph: a name must be hashable, as a key of a dict is. Got an {error}.") from error
    return Pairs(Names(names), sources, targets)


def attributes(given: Any, names: Names) -> Known:
    """Return a frame, a Table or a mapping of columns as rows with names."""
    if isinstance(given, Table):
        return Known(_one_each(names, given.n, "the table"), given)
    if is_frame(given):
        return _from_frame(given)
    if isinstance(given, Mapping):
        return _from_mapping(given, names)
    raise BadParameter(
        "as_graph: 'attributes' must be a frame with a column of names, or a mapping from column to cells. "
        f"Got {type(given).__name__}."
    )


def key_column(known: Sequence[str], wanted: str | int | None, who: str) -> int:
    """Return where the names stand: the column asked for, or the first called "name" or "id", or the first of all.

    >>> key_column(["age", "name"], None, "people.csv"), key_column(["age", "sex"], None, "people.csv")
    (1, 0)
    """
    if wanted is not None:
        return position(known, wanted, who)
    called = [at for at, name in enumerate(known) if str(name).lower() in ("name", "id")]
    if len(called) > 1:
        taken, other = (known[at] for at in called[:2])
        notice(f"{who}: {taken!r} is read as the column of the names. If it is {other!r}, say key={other!r} (--key).")
    return called[0] if called else 0


def _from_frame(frame: Any) -> Known:
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    at = key_column(table.columns, None, "attributes")
    rest = [name for i, name in enumerate(table.columns) if i != at]
    keys = table[:, at].to_list()
    return Known(keys, Table.of({name: table[name].to_list() for name in rest}, len(keys)))


def _from_mapping(given: Mapping[Any, Any], names: Names) -> Known:
    by_name = [isinstance(cells, Mapping) for cells in given.values()]
    if given and all(by_name):
        named = [key for cells in given.values() for key in cells]
        check_one_value_each(named)
        keys: dict[Hashable, None] = dict.fromkeys(named)
        table = {column: [cells.get(key) for key in keys] for column, cells in given.items()}
        return Known(list(keys), Table.of(table, len(keys)))
    if any(by_name):
        raise BadParameter("as_graph: 'attributes' must hold its columns all by name or all in order. Got both.")
    columns = {column: _cells(cells, column) for column, cells in given.items()}
    for column, cells in columns.items():
        _one_each(names, len(cells), f"column {column!r}")
    return Known(names, Table.of(columns, len(names)))


def _cells(cells: Any, column: Any) -> list[Any]:
    if isinstance(cells, str | bytes) or not isinstance(cells, Iterable):
        raise BadParameter(f"as_graph: attribute {column!r} must be one cell per vertex. Got {cells!r:.80}.")
    return list(cells)


def _one_each(names: Names, length: int, what: str) -> Names:
    if length != len(names):
        raise BadParameter(
            f"as_graph: 'attributes': {what} must have one cell per vertex ({len(names):,}). Got {length:,}."
        )
    return names
