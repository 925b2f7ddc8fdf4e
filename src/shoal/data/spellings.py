"""Spellings: the cells of a column in a text file, as they are written, and what they mean.

Two cells are alike if and only if they are spelled alike, blanks included; quotes are no part of a spelling. An empty
cell is missing. A column with cells in quotes is text, unless the whole file is in quotes; which other texts are
numbers is said in :mod:`shoal.data.spelling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from shoal.data.column import MISSING, Codes, Column
from shoal.data.delimited import BLANKS
from shoal.data.incoming import regrouped
from shoal.data.spelling import values_of

if TYPE_CHECKING:
    import pyarrow as pa

OPENING = r'\A[ \t]*"'
QUOTED = r'\A[ \t]*"((?:[^"]|"")*)"[ \t]*\z'

Truths = np.ndarray[Any, np.dtype[np.bool]]


class Spellings(NamedTuple):
    """The cells of a column as they are written, without their quotes."""

    codes: Codes
    """Which of the texts stands in each row."""
    texts: pa.Array
    quoted: Truths
    """Which of the texts stood in quotes."""
    padded: Truths
    """Which of the texts have blanks around them."""
    outside: Truths
    """Which of them had blanks outside their quotes, which are no part of the cell."""
    distinct: bool = False
    """Whether no text is there twice, as far as is known."""

    def count(self, which: Truths) -> int:
        """Count the cells whose text is one of these."""
        return int(np.count_nonzero(which[self.codes])) if which.any() else 0

    def trim(self, which: Truths | None = None) -> Spellings:
        """Return the cells without the blanks around them; only those of some texts, if `which` says so."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pc.ascii_trim(self.texts, BLANKS)
        kept = texts if which is None else pc.if_else(pa.array(which), texts, self.texts)
        return self._replace(texts=kept, distinct=False)

    def kept(self, loud: bool) -> Truths:
        """Tell which texts are values: those that are not empty, or that quotes make an empty text."""
        import pyarrow.compute as pc

        filled: Truths = pc.not_equal(self.texts, "").to_numpy(zero_copy_only=False)
        return filled | self.quoted if loud else filled

    def column(self, loud: bool, missing: Sequence[str]) -> Column:
        """Return the values; `loud` if quotes say that a cell is text, because not every cell has them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kept = self.kept(loud)
        if missing:
            kept &= ~pc.is_in(self.texts, pa.array(missing, self.texts.type)).to_numpy(zero_copy_only=False)
        said, groups = self._grouped(kept)
        values = tuple(said.to_pylist()) if loud and self.quoted.any() else values_of(said)
        return replace(regrouped(self.codes, Column(groups, values)), from_text=True)

    def _grouped(self, kept: Truths) -> tuple[pa.Array, Codes]:
        """Return the distinct texts among those kept, and for each text which of them it is."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.distinct:
            return self.texts.filter(pa.array(kept)), np.where(kept, np.cumsum(kept) - 1, MISSING)
        coded = pc.if_else(pa.array(kept), self.texts, None).dictionary_encode()
        return coded.dictionary, coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int64)

    def names(self, loud: bool) -> list[str | None]:
        """Return the cells as names: texts, or None where there is none. Only quotes keep blanks around a name."""
        named = self.trim(~self.quoted)
        texts = np.array([*named.texts.to_pylist(), None], dtype=object)
        texts[:-1][~named.kept(loud)] = None
        return cast("list[str | None]", texts[self.codes].tolist())


def cut(cells: pa.ChunkedArray) -> Spellings | None:
    """Return cells without the quotes around them; None if a quoted cell was cut into pieces."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = cells.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
    raw = coded.dictionary.cast(pa.large_string())
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    if not pc.any(pc.match_substring(raw, '"')).as_py():
        none = np.zeros(len(raw), dtype=bool)
        return Spellings(codes, raw, none, padded(raw), none, distinct=True)
    quoted = pc.match_substring_regex(raw, OPENING)
    if pc.any(pc.and_not(quoted, pc.match_substring_regex(raw, QUOTED))).as_py():
        return None
    inside = pc.replace_substring(pc.replace_substring_regex(raw, QUOTED, r"\1"), '""', '"')
    texts, truths = pc.if_else(quoted, inside, raw), quoted.to_numpy(zero_copy_only=False)
    return Spellings(codes, texts, truths, padded(texts), truths & padded(raw))


def padded(texts: pa.Array) -> Truths:
    """Tell which texts have blanks around them."""
    import pyarrow.compute as pc

    found: Truths = pc.not_equal(pc.ascii_trim(texts, BLANKS), texts).to_numpy(zero_copy_only=False)
    return found
