"""Spelling: when the texts of a column are numbers.

A column is whole numbers only if every cell is the plain spelling of one, and other numbers only if every cell is a
decimal number without needless zeros before it; all else is text, so that "007" stays "007". Blanks around a number
are part of its spelling. Different spellings are different values, also of the same number: see
:mod:`shoal.data.numerals`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.column import MISSING, Column
from shoal.data.numerals import RealNumeral, WholeNumeral

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = r"0|-?[1-9][0-9]*"
REAL = r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

PLAIN = 1e-4, 1e15
"""Between these numbers arrow and Python spell decimals alike."""

LONGEST = 4_000
"""A number of more digits than this is text; Python itself stops reading whole numbers a little above."""


def typed(cells: Sequence[str | None]) -> Column:
    """Return texts as numbers, each with its spelling, if all of them are numbers.

    >>> typed(["7", None, "12"]).values, typed(["007", "12"]).values, typed(["0.5", "2"]).values
    ((7, 12), ('007', '12'), (0.5, 2))
    >>> column = typed(["1.0", "1", "1.0"])
    >>> column.codes.tolist(), column.is_numeric
    ([0, 1, 0], True)
    """
    import pyarrow as pa

    coded = pa.array(cells, type=pa.large_string()).dictionary_encode()
    codes = coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int64)
    return Column(codes, values_of(coded.dictionary))


def number(text: str) -> int | float | None:
    """Return the number that a text spells, by itself, if it does.

    >>> number("25"), number(" 2.50"), number("007"), number("1e999")
    (25, 2.5, None, None)
    """
    text = text.strip(" ")
    if len(text) > LONGEST:
        return None
    if re.fullmatch(WHOLE, text):
        return int(text)
    return float(text) if re.fullmatch(REAL, text) and isfinite(float(text)) else None


def values_of(texts: pa.Array) -> tuple[Any, ...]:
    """Return distinct texts as numbers, each with its spelling, if all of them are numbers; else as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(texts) and pc.max(pc.binary_length(texts)).as_py() <= LONGEST:
        if _all_match(texts, WHOLE):
            return _whole_numbers(texts)
        if _all_match(texts, REAL):
            numbers = pc.ascii_trim(texts, " ").cast(pa.float64())
            if pc.all(pc.is_finite(numbers)).as_py():
                return _decimals(texts, numbers)
    return tuple(texts.to_pylist())


def _all_match(texts: pa.Array, pattern: str) -> bool:
    import pyarrow.compute as pc

    pattern = rf"\A *(?:{pattern}) *\z"
    parts = (texts[:100], texts) if len(texts) > 100 else (texts,)  # most texts are told by their first
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in parts)


def _whole_numbers(texts: pa.Array) -> tuple[int, ...]:
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


def _decimals(texts: pa.Array, numbers: pa.Array) -> tuple[float, ...]:
    """Return decimal numbers; those that Python spells in another way keep their spelling."""
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
