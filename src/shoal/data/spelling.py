"""Spelling: when the texts of a column are numbers.

A column is whole numbers only if every cell is the plain spelling of one, and other numbers only if no two
different spellings are the same number; all else is text, so that "007" stays "007".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.column import MISSING, Column

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = r"0|-?[1-9][0-9]*"
REAL = r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

LONGEST = 4_000
"""A number of more digits than this is text; Python itself stops reading whole numbers a little above."""


def typed(cells: Sequence[str | None]) -> Column:
    """Return texts as numbers if nothing is lost by it.

    >>> typed(["7", None, "12"]).values, typed(["007", "12"]).values, typed(["0.5", "2"]).values
    ((7, 12), ('007', '12'), (0.5, 2.0))
    >>> typed(["1.0", "1"]).values
    ('1.0', '1')
    """
    import pyarrow as pa

    coded = pa.array(cells, type=pa.large_string()).dictionary_encode()
    codes = coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int64)
    return Column(codes, values_of(coded.dictionary))


def number(text: str) -> int | float | None:
    """Return the number that a text spells, by itself, if it does.

    >>> number("25"), number("2.50"), number("007"), number("1e999")
    (25, 2.5, None, None)
    """
    if len(text) > LONGEST:
        return None
    if re.fullmatch(WHOLE, text):
        return int(text)
    return float(text) if re.fullmatch(REAL, text) and isfinite(float(text)) else None


def values_of(texts: pa.Array) -> tuple[Any, ...]:
    """Return distinct texts as numbers if nothing is lost by it, else as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(texts) and pc.max(pc.binary_length(texts)).as_py() <= LONGEST:
        if _all_match(texts, WHOLE):
            return _whole_numbers(texts)
        if _all_match(texts, REAL):
            numbers = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
            if np.isfinite(numbers).all() and len(np.unique(numbers)) == len(numbers):
                return tuple(numbers.tolist())
    return tuple(texts.to_pylist())


def _all_match(texts: pa.Array, pattern: str) -> bool:
    import pyarrow.compute as pc

    pattern = rf"\A(?:{pattern})\z"
    head = texts[:100]  # most texts are told by their first
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (head, texts))


def _whole_numbers(texts: pa.Array) -> tuple[int, ...]:
    import pyarrow as pa

    try:
        return tuple(texts.cast(pa.int64()).to_pylist())
    except pa.ArrowInvalid:  # longer than 64 bits
        return tuple(map(int, texts.to_pylist()))
