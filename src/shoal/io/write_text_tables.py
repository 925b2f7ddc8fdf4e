"""Spelled out: columns as the rows of a text file, which :mod:`shoal.io.text_tables` reads back alike.

A number is spelled as in the text file that it comes from, else as Python spells it. A text that could be read as a
number stands in quotes, and so does one that holds a separator, a quote, a line break or blanks at its ends. What a
text file cannot tell from text (dates, truth values) is text, and a notice says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from shoal.data.column import MISSING, NUMBERS, Codes, Column
from shoal.data.incoming import renumbered
from shoal.data.spelling import distinct, values_of
from shoal.errors import BadParameter, notice
from shoal.io.delimited import SPECIAL, quote_cells, write_rows

if TYPE_CHECKING:
    import pyarrow as pa

NEEDS_QUOTES = rf"\A\z|{SPECIAL}"
"""An empty text needs quotes, because an empty cell is missing."""


class Said(NamedTuple):
    """A column in text: distinct cells as they are written, and which of them stands in each row."""

    codes: Codes
    cells: pa.Array
    guarded: bool
    """Whether quotes keep its texts from being read as numbers, or an empty text from being missing."""
    bare: bool
    """Whether some cell stands without quotes."""


def write(
    columns: Mapping[str, Column], stream: BinaryIO, path: Path, separator: str, names: str | None = None
) -> None:
    """Write columns as rows under a header; `names` is the column that is read as names, never as numbers."""
    header = quote_cells(_texts(list(columns), "the header", path), NEEDS_QUOTES)
    if "" in columns:
        raise BadParameter(f"{path}: a column must have a name. Got one without.")
    said = [_said(name, column, path, is_names=name == names) for name, column in columns.items()]
    _check_told(path, header, said)
    stream.write((separator.join(header.to_pylist()) + "\n").encode())
    write_rows(stream, [(part.cells, part.codes) for part in said], separator)


def _check_told(path: Path, header: pa.Array, said: list[Said]) -> None:
    """Refuse what would be read as something else."""
    import pyarrow.compute as pc

    if len(said) == 1 and (said[0].codes == MISSING).any():
        raise BadParameter(
            f"{path}: a text file of one column cannot tell a missing value from no row. "
            "Write parquet, or write the names beside it with names=True (write_table)."
        )
    loud = any(part.bare for part in said) or not pc.all(pc.starts_with(header, '"')).as_py()
    if not loud and any(part.guarded for part in said):
        raise BadParameter(
            f"{path}: where every cell needs quotes they cannot tell text from numbers. Rename a column to a plain "
            "word, or write parquet."
        )


def _said(name: str, column: Column, path: Path, *, is_names: bool) -> Said:
    import pyarrow.compute as pc

    column = renumbered(column.codes, column.values)
    texts = _texts(_spellings(name, column.values, path), f"the column {name!r}", path)
    empty = "" in column.values
    guarded = empty or (not is_names and not _read_back(texts, column.values))
    if guarded and not all(isinstance(value, str) for value in column.values):
        notice(f"{path}: the column {name!r} holds values that a text file cannot tell from text; they are text.")
    bare = column.has_numerals and not guarded and not is_names  # quotes would make texts of " 5" and the others
    cells = texts if bare else quote_cells(texts, NEEDS_QUOTES, everywhere=guarded and not is_names)
    return Said(column.codes, cells, guarded, bool(pc.any(pc.invert(pc.starts_with(cells, '"'))).as_py()))


def _spellings(name: str, values: tuple[Any, ...], path: Path) -> list[str]:
    spelled = [repr(value) if isinstance(value, float) else str(value) for value in values]
    return list(distinct(name, tuple(spelled), str(path)))


def _texts(texts: list[str], where: str, path: Path) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = pa.array(texts, type=pa.large_string())
    except UnicodeEncodeError as error:
        raise BadParameter(
            f"{path}: a text must be Unicode. Got {error.object!r:.60} in {where}. Change it."
        ) from error
    nul = pc.index(pc.match_substring(found, "\0"), True).as_py()
    if nul != -1:
        raise BadParameter(f"{path}: a text file cannot hold a NUL. Got {texts[nul]!r:.60}. Write parquet instead.")
    return found


def _read_back(texts: pa.Array, values: tuple[Any, ...]) -> bool:
    """Tell whether the texts, without quotes, are read as these values."""
    kinds, back = set(map(type, values)), values_of(texts)
    if kinds <= {str}:
        return set(map(type, back)) <= {str}
    if kinds <= set(NUMBERS):
        return back == values
    places = np.arange(len(values))
    return Column(places, back).alike(Column(places, values))
