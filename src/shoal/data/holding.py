"""Holding: which values a format can hold as they are, and how the others are said in text.

Nothing merges on the way: two different values never become the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shoal.data.graph import Graph
from shoal.data.numerals import Numeral
from shoal.data.table import Column, Table
from shoal.errors import BadGraph, BadParameter, notice

KINDS: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "str"}

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def kind(value: Any) -> str:
    """Return "bool", "int", "float", "str", or "other".

    >>> [kind(value) for value in (True, 1, 1.0, "1", (1,))]
    ['bool', 'int', 'float', 'str', 'other']
    """
    return KINDS.get(type(value), "other")


def spelled(graph: Graph, who: str) -> list[str]:
    """Return the names as text, or refuse two names that read alike."""
    texts = [str(name) for name in graph.names]
    if graph.names.numbers is None and len(set(texts)) != len(texts):
        seen: dict[str, Any] = {}
        for name, text in zip(graph.names, texts, strict=True):
            if text in seen:
                raise BadGraph(
                    f"{who}: names must differ when they are written. Got {seen[text]!r} and {name!r}, "
                    f"both written {text!r}. Rename one of them."
                )
            seen[text] = name
    return texts


def in_one_spelling(table: Table, who: str) -> Table:
    """Return the table for a format that holds numbers and not their spellings; a notice counts the cells that change.

    >>> in_one_spelling(Table.of({"age": [30, None]}), "x.gml")["age"].values
    (30,)
    """
    changed = [column for column in table.columns.values() if column.has_numerals]
    spelled = [np.array([*(isinstance(v, Numeral) for v in column.values), False])[column.codes] for column in changed]
    cells = sum(map(np.count_nonzero, spelled))
    if cells:
        first = changed[0][int(np.argmax(spelled[0]))]
        notice(
            f"{who}: the format holds numbers and not how they are spelled; cells in another spelling than in the "
            f"source: {cells:,} (such as {first.number} for {first}). csv and tsv keep spellings."
        )
    return table.canonical(table)


def held(table: Table, kinds: Iterable[str], who: str, finite: bool = False) -> Table:
    """Return the table with every value of another kind said in text; a notice names those columns.

    >>> list(held(Table.of({"age": [30, None]}), ["int", "str"], "x.gml")["age"])
    [30, None]
    """
    keep = set(kinds)
    table = in_one_spelling(table, who)

    def fits(value: Any) -> bool:
        infinite = isinstance(value, float) and value in (float("inf"), float("-inf"))
        return kind(value) in keep and not (finite and infinite)

    return Table(table.n, {name: _column(name, column, fits, who) for name, column in table.columns.items()})


def _column(name: str, column: Column, fits: Callable[[Any], bool], who: str) -> Column:
    odd = [value for value in column.values if not fits(value)]
    if not odd:
        return column
    notice(f"{who}: the column {name!r} holds values that the format cannot, such as {odd[0]!r:.60}; they are text.")
    values = tuple(value if fits(value) else str(value) for value in column.values)
    return Column(column.codes, distinct(name, values, who))


def distinct(name: str, values: tuple[Any, ...], who: str) -> tuple[Any, ...]:
    """Refuse values that were different and would be written alike."""
    if len(set(values)) != len(values):
        alike = next(value for value in values if values.count(value) > 1)
        raise BadParameter(
            f"{who}: different values must be written differently. Got two in the column {name!r} that are both "
            f"written {alike!r:.60}. Change the column, or write parquet."
        )
    return values


def check_xml(texts: Iterable[str], who: str) -> None:
    """Refuse characters that XML cannot hold."""
    for text in texts:
        found = NOT_XML.search(text)
        if found:
            raise BadParameter(
                f"{who}: XML cannot hold the character {found[0]!r}. Got it in {text!r:.60}. "
                "Write node-link json instead, or rename."
            )
