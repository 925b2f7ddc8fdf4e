r"""Delimited text: how lines are divided into cells, exactly by :class:`Delimited` and quickly by pyarrow.csv.

A record is a line, unless a quoted cell holds line breaks. Quoted text is kept as it is; blanks between a quote and
the separator are no part of the cell. A cell without quotes loses the blanks around it in an edge list, where cells
are names, and keeps them in a table. A line that begins with a comment sign, where a record could begin, is skipped.

pyarrow.csv reads blocks of lines. It does not say which cells were in quotes, and it accepts what an exact reader must
refuse, so :func:`split_block` asks it for cells with their quotes and :func:`strip_quotes` checks each of them. What
passes is what :meth:`Delimited.records` gives; what does not is read by it, which also finds the number of a line.

The csv module of the standard library was considered for :meth:`Delimited.records` and loses too much: it does not say
which cells were in quotes ("7" is text, 7 is a number), it cannot skip blanks around quotes (it cuts `a, "b,c"` into
three cells), it takes "\r\r\n" for a line end, and its limit for the size of a cell is global. For writing, neither
library can put chosen cells in quotes: those that begin with "#", or that would be read as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from shoal.data.column import MISSING, Codes
from shoal.errors import BadFile, notice
from shoal.settings import spans

if TYPE_CHECKING:
    import pyarrow as pa

BLANKS = " \t"
BOM = b"\xef\xbb\xbf"
COMMENTS = "#%"
LONGEST = 1 << 20
"""A quoted cell that goes on for more characters than this was never closed."""
SPECIAL = r'[",;|\t\r\n]|\A[ #%\x{feff}]| \z'
"""What makes a cell need quotes, whatever the separator: other programs guess it."""
CHUNK, ROWS = 1 << 20, 1 << 17
"""How many bytes arrow reads at a time, and how many rows are written at a time."""


class TextRecord(NamedTuple):
    """The cells of one record, and the line on which it begins."""

    line: int
    cells: list[str]
    quoted: tuple[int, ...]
    """Which cells were in quotes."""
    trimmed: tuple[int, ...]
    """Which cells lost blanks around them."""


class Patterns(NamedTuple):
    """What a cell can look like, and what stands between two cells."""

    opening: re.Pattern[str]
    inside: re.Pattern[str]
    blanks: re.Pattern[str]
    plain: re.Pattern[str]
    gap: re.Pattern[str]


@lru_cache
def _compile_patterns(separator: str | None) -> Patterns:
    blanks = "" if separator is None else "[ ]*" if separator == "\t" else "[ \t]*"
    inside = r'(?:[^"]++|"")*+'
    plain = "[^ \t]*" if separator is None else f"[^{re.escape(separator)}]*"
    gap = "[ \t]+" if separator is None else re.escape(separator)
    return Patterns(*map(re.compile, (f'{blanks}"', inside, blanks, plain, gap)))


class Delimited(NamedTuple):
    """How a text is divided: a separator (None for runs of blanks and tabs) and the signs of comments."""

    path: Path
    separator: str | None
    comments: str = COMMENTS
    trims: bool = True
    """Whether a cell without quotes loses the blanks around it."""
    tabs_count: bool = False
    """Whether a line of nothing but tabs is a record, where tabs separate: a row of missing values."""

    def records(self, lines: Iterable[str], first: int = 1) -> Iterator[TextRecord]:
        """Yield the records of lines that have no LF at their end; `first` is the number of the first line.

        Every line is read once, however many lines a quoted cell takes.

        >>> for record in Delimited(Path("x.csv"), ",").records(["a, b", "# no", '"x, y","7"']):
        ...     print(record.line, record.cells, record.quoted, record.trimmed)
        1 ['a', 'b'] () (1,)
        3 ['x, y', '7'] (0, 1) ()
        """
        numbered = enumerate(lines, first)
        for line, text in numbered:
            if not self.skips(text):
                yield self._read_quoted(text, line, numbered) if '"' in text else self._read_plain(text, line)

    def skips(self, text: str) -> bool:
        """Tell whether a line, where a record could begin, is a comment or holds nothing."""
        return text.startswith(tuple(self.comments)) or self.is_empty(text)

    def is_empty(self, text: str) -> bool:
        """Tell whether a line holds nothing."""
        return not text.strip(" \r" if self.tabs_count and self.separator == "\t" else " \t\r")

    def _read_plain(self, text: str, line: int) -> TextRecord:
        text = self._check_one_line(text.removesuffix("\r"), line)
        if self.separator is None:
            return TextRecord(line, re.split("[ \t]+", text.strip(BLANKS)), (), ())
        cells = text.split(self.separator)
        short = [self._trim(cell) for cell in cells]
        lost = () if cells == short else tuple(i for i, cell in enumerate(cells) if cell != short[i])
        return TextRecord(line, short, (), lost)

    def _trim(self, text: str) -> str:
        return text.strip(BLANKS) if self.trims else text

    def _read_quoted(self, text: str, line: int, following: Iterator[tuple[int, str]]) -> TextRecord:
        """Read a record in which quotes occur, taking further lines while a quoted cell is open."""
        pattern = _compile_patterns(self.separator)
        cells: list[str] = []
        quoted: list[int] = []
        lost: list[int] = []
        text = text.lstrip(BLANKS) if self.separator is None else text
        at, stop = 0, self._find_end(text)
        while True:
            if found := pattern.opening.match(text, at):
                cell, last, end = self._read_inside(text, found.end(), line, following)
                text, stop = last, stop if last is text else self._find_end(last)
                at = pattern.blanks.match(text, end + 1, stop).end()  # type: ignore[union-attr]
                quoted.append(len(cells))
                lost += [len(cells)] * (len(found[0]) > 1 or at > end + 1)
                cells.append(cell.replace('""', '"'))
            elif found := pattern.plain.match(text, at, stop):
                cells.append(self._trim(self._check_one_line(found[0], line)))
                lost += [len(cells) - 1] * (cells[-1] != found[0])
                at = found.end()
            if at == stop:
                return TextRecord(line, cells, tuple(quoted), tuple(lost))
            gap = pattern.gap.match(text, at)
            if not gap:
                raise BadFile(
                    f"{self.path}, line {line:,}: a closing quote must end its cell. Got {text[at : at + 20]!r} "
                    'after it. A quote inside quotes is written twice: "".'
                )
            at = gap.end()

    def _find_end(self, text: str) -> int:
        """Return where the last cell of a line ends."""
        text = text.removesuffix("\r")
        return len(text.rstrip(BLANKS) if self.separator is None else text)

    def _read_inside(self, text: str, at: int, line: int, following: Iterator[tuple[int, str]]) -> tuple[str, str, int]:
        """Return what stands in quotes from a place on, the line in which they close, and where in it they do."""
        inside = _compile_patterns(self.separator).inside
        parts: list[str] = []
        size = 0
        while (end := inside.match(text, at).end()) == len(text):  # type: ignore[union-attr]
            parts.append(text[at:])
            size += len(text) - at
            _, more = next(following, (0, None))
            if more is None or size > LONGEST:
                raise BadFile(f"{self.path}, line {line:,}: a quote must be closed. Got one that is not.")
            text, at = more, 0
        return "\n".join([*parts, text[at:end]]), text, end

    def _check_one_line(self, text: str, line: int) -> str:
        if "\r" in text:
            raise BadFile(
                f"{self.path}, line {line:,}: lines must end in LF or CRLF. Got a lone CR inside a line. "
                "Save the file with the line ends of Unix or Windows."
            )
        return text


def report_trimmed(path: Path, what: str, trimmed: int, hint: str = " Quotes keep blanks.") -> None:
    """Say how many names or cells lost the blanks around them."""
    if trimmed:
        notice(f"{path}: {what} that lost the blanks around them: {trimmed:,}.{hint}")


# Blocks of lines, by pyarrow.csv.


def drop_comments(block: bytes, text: Delimited) -> bytes | None:
    """Return a block of whole lines without comments; None if arrow would read it otherwise than Delimited does."""
    bare = _drop_comments(block, text.comments)
    if b'"' in bare and (text.separator is None or len(bare) < len(block)):
        return None  # blanks separate only outside quotes, and what looks like a comment may stand inside them
    lone = b"\r" in bare and bare.count(b"\r") != bare.count(b"\r\n")
    known = text.separator is None or text.separator.isascii()
    return None if lone or not known else bare


def _drop_comments(block: bytes, signs: str) -> bytes:
    starts = [sign.encode() for sign in signs if sign.encode() in block]
    if not any(block.startswith(sign) or b"\n" + sign in block for sign in starts):
        return block
    either = b"|".join(map(re.escape, starts))
    return re.sub(rb"(?m)^(?:" + either + rb")[^\n]*\n?", b"", block)


def join_gaps(block: bytes) -> bytes:
    r"""Turn each run of blanks and tabs between two cells into one blank, and leave out those at the ends of lines.

    >>> join_gaps(b" a \t  b\t\nc d")
    b'a b\nc d'
    """
    block = block.replace(b"\t", b" ")
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.replace(b" \n", b"\n").replace(b" \r\n", b"\r\n").replace(b"\n ", b"\n").strip(b" ")


def split_block(
    block: bytes, separator: str, width: int, columns: Sequence[int] | None = None, *, threads: bool = False
) -> Iterator[pa.Table]:
    r"""Yield the readings that arrow has of a block of lines, as columns of cells with their quotes.

    The first reading cuts at every separator, the second at those outside quotes. A reading in which
    :func:`strip_quotes` accepts every cell is that of :class:`Delimited`; so where there are quotes all columns are
    yielded, though only some may be wanted. A row of another width ends a reading.

    >>> [table.column(0).to_pylist() for table in split_block(b'"a,b",c\n', ",", 2)]
    [['"a,b"']]
    """
    quoted = b'"' in block
    wanted = range(width) if quoted or columns is None else columns
    found = parse_block(block, separator, width, wanted, threads=threads)
    if found is not None:
        yield found
    if quoted and b'""' not in block:
        # of three quotes arrow takes one for a sign and two for a quote in the cell, so that cells keep theirs
        tripled = block.replace(b'"', b'"""')
        found = parse_block(tripled, separator, width, wanted, quotes=True, threads=threads)
        if found is not None and all(map(_begin_with_quotes, found.columns)):
            yield found


def parse_block(
    block: bytes,
    separator: str,
    width: int,
    columns: Sequence[int],
    kind: str = "string",
    *,
    quotes: bool = False,
    threads: bool = False,
) -> pa.Table | None:
    """Let arrow cut a block into cells of a type; None where a line has another width, or a cell another type."""
    import pyarrow as pa
    from pyarrow import csv

    if block.startswith(BOM):
        return None  # arrow would leave it out of the first cell
    names = [str(at) for at in range(width)]
    wanted = [names[at] for at in columns]
    unused: dict[str, list[str]] = {"true_values": [], "false_values": []}  # 7 kB per column
    try:
        return csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=names, use_threads=threads, block_size=CHUNK),
            csv.ParseOptions(delimiter=separator, quote_char='"' if quotes else False),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(wanted, pa.type_for_alias(kind)),
                include_columns=wanted,
                null_values=[""],
                strings_can_be_null=False,
                **unused,
            ),
        )
    except pa.ArrowInvalid:
        return None


def _begin_with_quotes(cells: pa.ChunkedArray) -> bool:
    """Tell whether each cell that holds a quote begins with one, and none holds a line break."""
    import pyarrow.compute as pc

    late = pc.and_not(pc.match_substring(cells, '"'), pc.starts_with(cells, '"'))
    return not pc.any(late).as_py() and not pc.any(pc.match_substring(cells, "\n")).as_py()


def strip_quotes(cells: Any) -> tuple[Any, Any] | None:
    """Return cells, that have no blanks around them, without quotes, and which had them; None if one is not whole.

    A cell that begins with a quote must end with one and hold others only in pairs.

    >>> import pyarrow as pa
    >>> [part.to_pylist() for part in strip_quotes(pa.array(['a"b', '"c ""d"" e"']))]
    [['a"b', 'c "d" e'], [False, True]]
    >>> strip_quotes(pa.array(['"a'])), strip_quotes(pa.array(['"a"b"'])), strip_quotes(pa.array(['"']))
    (None, None, None)
    """
    import pyarrow.compute as pc

    quoted = pc.starts_with(cells, '"')
    ends = pc.and_(pc.ends_with(cells, '"'), pc.greater(pc.binary_length(cells), 1))
    if pc.any(pc.and_not(quoted, ends)).as_py():
        return None
    inside = pc.utf8_slice_codeunits(cells, 1, -1)
    if pc.any(pc.and_(quoted, pc.match_substring(inside, '"'))).as_py():
        single = pc.match_substring(pc.replace_substring(inside, '""', ""), '"')
        if pc.any(pc.and_(quoted, single)).as_py():
            return None
        inside = pc.replace_substring(inside, '""', '"')
    return pc.if_else(quoted, inside, cells), quoted


# Writing: cells in quotes where they need them, and rows of cells.


def quote_cells(texts: pa.Array, special: str = SPECIAL, *, everywhere: bool = False) -> pa.Array:
    """Return texts with quotes around those that need them, or around all.

    >>> import pyarrow as pa
    >>> quote_cells(pa.array(["a", "#b", 'a "b" c'], pa.large_string())).to_pylist()
    ['a', '"#b"', '"a ""b"" c"']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    needed = pa.array(np.ones(len(texts), dtype=bool)) if everywhere else pc.match_substring_regex(texts, special)
    if not pc.any(needed).as_py():
        return texts
    quote, empty = (pa.scalar(text, texts.type) for text in ('"', ""))
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise(quote, doubled, quote, empty), texts)


def write_rows(stream: BinaryIO, columns: Sequence[tuple[pa.Array, Codes]], separator: str) -> None:
    """Write rows; a column is its distinct cells, and which of them stands in each row (MISSING for none)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = pa.large_string()
    mark, line_end, nothing = (pa.scalar(text, kind) for text in (separator, "\n", ""))
    cells = [pa.concat_arrays([known.cast(kind), pa.array([""], kind)]) for known, _ in columns]
    for rows in spans(len(columns[0][1]), ROWS):
        places = [np.where(codes[rows] == MISSING, len(known), codes[rows]) for known, codes in columns]
        taken = [known.take(pa.array(at)) for known, at in zip(cells, places, strict=True)]
        lines = pc.binary_join_element_wise(*taken, mark)
        stream.write(memoryview(pc.binary_join_element_wise(lines, line_end, nothing).buffers()[2]))
