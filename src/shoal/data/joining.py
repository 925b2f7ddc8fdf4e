"""Joining vertex attributes to vertices by name. No row and no vertex is lost."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.data.graph import Pairs
from shoal.data.names import Names, check_one_value_each
from shoal.data.table import Table, is_missing
from shoal.errors import BadParameter, Place, ShoalError, list_names, notice


def _describe_row(row: int) -> tuple[str, int | None]:
    return f"row {row}", None


@dataclass(frozen=True, eq=False)
class KnownRows:
    """A table with a name for each row."""

    keys: Sequence[Hashable]
    table: Table
    who: str = "attributes"
    """The source, for the start of a message."""
    where: Callable[[int], tuple[str, int | None]] = _describe_row
    """A function that describes the position of row i, and gives its line if the source is a file."""
    error: type[ShoalError] = BadParameter

    def refuse_row(self, row: int, message: str) -> ShoalError:
        """Return the error about row i."""
        line = self.where(row)[1]
        return self.error.at(self.who, message, None if line is None else Place(self.who, line))


def join_known(pairs: Pairs, known: KnownRows) -> Pairs:
    """Join rows to the vertices of the same names.

    A row without a vertex becomes an isolated vertex; a vertex without a row has missing values.

    >>> joined = join_known(Pairs.of([("a", "b")]), KnownRows(["b", "a"], Table.of({"age": [30, 40]})))
    >>> list(joined.attributes["age"])
    [40, 30]
    """
    check_distinct(known)
    if pairs.names.numbers is None:
        check_one_value_each([*pairs.names, *known.keys])
    ids = pairs.names.find(known.keys)
    strangers = np.flatnonzero(ids == -1)
    if len(strangers) == len(ids) > 0 and len(pairs.names):
        raise known.error(
            f"{known.who}: at least one name must be the name of a vertex. Got {len(ids):,} names, the first "
            f"{known.keys[0]!r}; the first vertex is {pairs.names[0]!r}. Is this the right column of names?"
        )
    names = pairs.names
    if len(strangers):
        ids[strangers] = len(names) + np.arange(len(strangers))
        names = Names([*names, *(known.keys[i] for i in strangers.tolist())])
    rows = np.full(len(names), -1, dtype=np.int64)
    rows[ids] = np.arange(len(ids))
    _report_unmatched(known.who, len(strangers), int((rows == -1).sum()))
    return replace(pairs, names=names, attributes=_combine_tables(pairs, len(names), known, rows))


def _combine_tables(pairs: Pairs, n: int, known: KnownRows, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Table:
    before = pairs.attributes or Table(len(pairs.names))
    twice = [name for name in known.table if name in before]
    if twice:
        raise BadParameter(
            f"{known.who}: its columns must not exist in the graph already. Got {list_names(twice)}, which "
            "the graph has. Rename or remove the column in one of the two."
        )
    ids = np.append(np.arange(before.n), np.full(n - before.n, -1))
    return Table(n, {**before.take(ids).columns, **known.table.take(rows).columns})


def check_distinct(known: KnownRows, one: str = "vertex") -> None:
    """Raise an error if a row has no name, or a name has two rows."""
    first: dict[Hashable, int] = {}
    for row, key in enumerate(known.keys):
        if is_missing(key):
            raise known.refuse_row(row, f"each row must name a {one}. Got none in {known.where(row)[0]}.")
        if first.setdefault(key, row) != row:
            raise known.refuse_row(
                row,
                f"each {one} must have one row. Got {key!r} in {known.where(first[key])[0]} and again in "
                f"{known.where(row)[0]}. Remove one of them.",
            )


def _report_unmatched(who: str, strangers: int, lacking: int) -> None:
    if strangers:
        told = f"names without links, kept as isolated vertices: {strangers:,}"
        notice(f"{who}: {told}.", told)
    if lacking:
        told = f"vertices without a row, with missing values: {lacking:,}"
        notice(f"{who}: {told}.", told)
