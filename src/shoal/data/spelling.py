"""Parsing of text cells as numbers, and conversion of values to text.

A column holds integers only if every cell is a plain integer, and decimals only if every cell is a decimal number
without leading zeros. Otherwise it is text: "007" stays "007". Spaces around a number are part of its spelling.
Different spellings of a number are different values: see :mod:`shoal.data.numerals`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.column import MISSING, Column
from shoal.data.numerals import Numeral, RealNumeral, WholeNumeral
from shoal.data.table import Table
from shoal.errors import BadParameter, notice

if TYPE_CHECKING:
    import pyarrow as pa


WHOLE = r"0|-?[1-9][0-9]*"
REAL = r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

PLAIN = 1e-4, 1e15
"""Between these limits arrow and Python spell decimals in the same way."""

LONGEST = 4_000
"""A longer number is read as text; Python parses integers of at most 4,300 digits."""


def parse_cells(cells: Sequence[str | None]) -> Column:
    """Return a column of numbers, with their spellings, if all texts are numbers; else of texts.

    >>> parse_cells(["7", None, "12"]).values, parse_cells(["007", "12"]).values, parse_cells(["0.5", "2"]).values
    ((7, 12), ('007', '12'), (0.5, 2))
    >>> column = parse_cells(["1.0", "1", "1.0"])
    >>> column.codes.tolist(), column.is_numeric
    ([0, 1, 0], True)
    """
    import pyarrow as pa

    coded = pa.array(cells, type=pa.large_string()).dictionary_encode()
    codes = coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int64)
    return Column(codes, parse_texts(coded.dictionary))


def parse_number(text: str) -> int | float | None:
    """Return the number that a single text spells, or None.

    >>> parse_number("25"), parse_number(" 2.50"), parse_number("007"), parse_number("1e999")
    (25, 2.5, None, None)
    """
    text = text.strip(" ")
    if len(text) > LONGEST:
        return None
    if re.fullmatch(WHOLE, text):
        return int(text)
    return float(text) if re.fullmatch(REAL, text) and isfinite(float(text)) else None


def parse_texts(texts: pa.Array) -> tuple[Any, ...]:
    """Return distinct texts as numbers, with their spellings, if all are numbers; else unchanged."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(texts) and pc.max(pc.binary_length(texts)).as_py() <= LONGEST:
        if _all_match(texts, WHOLE):
            return _parse_whole_numbers(texts)
        if _all_match(texts, REAL):
            numbers = pc.ascii_trim(texts, " ").cast(pa.float64())
            if pc.all(pc.is_finite(numbers)).as_py():
                return _parse_decimals(texts, numbers)
    return tuple(texts.to_pylist())


def _all_match(texts: pa.Array, pattern: str) -> bool:
    import pyarrow.compute as pc

    pattern = rf"\A *(?:{pattern}) *\z"
    parts = (texts[:100], texts) if len(texts) > 100 else (texts,)  # the first texts usually decide
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in parts)


def _parse_whole_numbers(texts: pa.Array) -> tuple[int, ...]:
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.ascii_trim(texts, " ")
    try:
        numbers = bare.cast(pa.int64()).to_pylist()
    except pa.ArrowInvalid:  # longer than 64 bits
        numbers = list(map(int, bare.to_pylist()))
    for at in np.flatnonzero(pc.not_equal(bare, texts).to_numpy(zero_copy_only=False)).tolist():
        numbers[at] = WholeNumeral(texts[at].as_py())
    return tuple(numbers)


def _parse_decimals(texts: pa.Array, numbers: pa.Array) -> tuple[float, ...]:
    """Return decimal numbers; a number that Python spells differently keeps its spelling."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = numbers.to_pylist()
    size = pc.abs(numbers)
    plain = pc.and_(pc.greater_equal(size, PLAIN[0]), pc.less(size, PLAIN[1]))
    alike = pc.and_(plain, pc.and_(pc.equal(numbers.cast(pa.large_string()), texts), pc.match_substring(texts, ".")))
    for at in np.flatnonzero(~alike.to_numpy(zero_copy_only=False)).tolist():
        text = texts[at].as_py()
        if repr(found[at]) != text or text == "-0.0":  # 0.0 and -0.0 are the same number
            found[at] = RealNumeral(text)
    return tuple(found)


# Conversion of values that a format cannot hold to text. Two different values never become the same text.

KINDS: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "str"}

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def name_kind(value: Any) -> str:
    """Return "bool", "int", "float", "str", or "other".

    >>> [name_kind(value) for value in (True, 1, 1.0, "1", (1,))]
    ['bool', 'int', 'float', 'str', 'other']
    """
    return KINDS.get(type(value), "other")


def unify_spellings(table: Table, who: str) -> Table:
    """Return the table with one spelling per number, for formats without spellings; a notice counts the changes.

    >>> unify_spellings(Table.of({"age": [30, None]}), "x.gml")["age"].values
    (30,)
    """
    changed = [column for column in table.columns.values() if column.has_numerals]
    spelled = [np.array([*(isinstance(v, Numeral) for v in column.values), False])[column.codes] for column in changed]
    cells = sum(map(np.count_nonzero, spelled))
    if cells:
        first = changed[0][int(np.argmax(spelled[0]))]
        notice(
            f"{who}: the format stores numbers without their spelling. Cells whose spelling changes: {cells:,} "
            f"(such as {first.number} for {first}). csv and tsv keep spellings."
        )
    return table.canonical(table)


def convert_values(table: Table, kinds: Iterable[str], who: str, finite: bool = False) -> Table:
    """Return the table with values of other kinds converted to text; a notice names the columns.

    >>> list(convert_values(Table.of({"age": [30, None]}), ["int", "str"], "x.gml")["age"])
    [30, None]
    """
    keep = set(kinds)
    table = unify_spellings(table, who)

    def fits(value: Any) -> bool:
        infinite = isinstance(value, float) and value in (float("inf"), float("-inf"))
        return name_kind(value) in keep and not (finite and infinite)

    return Table(table.n, {name: _convert_column(name, column, fits, who) for name, column in table.columns.items()})


def _convert_column(name: str, column: Column, fits: Callable[[Any], bool], who: str) -> Column:
    odd = [value for value in column.values if not fits(value)]
    if not odd:
        return column
    notice(
        f"{who}: the column {name!r} holds values that the format cannot store, such as {odd[0]!r:.60}. "
        "They become text."
    )
    values = tuple(value if fits(value) else str(value) for value in column.values)
    return Column(column.codes, check_distinct_values(name, values, who))


def check_distinct_values(name: str, values: tuple[Any, ...], who: str) -> tuple[Any, ...]:
    """Raise BadParameter if different values would be written as the same text."""
    if len(set(values)) != len(values):
        alike = next(value for value in values if values.count(value) > 1)
        raise BadParameter(
            f"{who}: different values must differ as text. Got two in the column {name!r} that are both "
            f"written as {alike!r:.60}. Change the column, or write parquet."
        )
    return values


def check_xml(texts: Iterable[str], who: str) -> None:
    """Raise BadParameter for characters that XML cannot hold."""
    for text in texts:
        found = NOT_XML.search(text)
        if found:
            raise BadParameter(
                f"{who}: XML cannot hold the character {found[0]!r}. Got it in {text!r:.60}. "
                "Write node-link json, or rename it."
            )
