r"""Delimited text: splitting lines into cells, exactly with :class:`Delimited` and fast with pyarrow.csv.

A record is one line, or several if a quoted cell holds line breaks. Quoted text is kept unchanged; blanks (spaces and
tabs) between a quote and the separator are not part of the cell. Blanks around an unquoted cell are dropped in an edge
list, where cells are names, and kept in a table. A line that starts with a comment sign is skipped, unless it is inside
quotes.

pyarrow.csv reads blocks of lines. It does not report which cells were quoted, and it accepts malformed quotes. So
:func:`split_block` makes it return cells with their quotes, and :func:`strip_quotes` checks each cell. If all cells
pass, the result equals that of :meth:`Delimited.records`. If not, :meth:`Delimited.records` reads the block, and also
reports the line number of an error.

The csv module of the standard library cannot replace :meth:`Delimited.records`. It does not report which cells were
quoted ("7" is text, 7 is a number), it cannot skip blanks around quotes (it splits `a, "b,c"` into three cells), it
accepts "\r\r\n" as a line end, and its limit on the size of a cell is global. For writing, neither library can quote
chosen cells only: those that start with "#", or that would be read as numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from shoal.data.column import MISSING, Codes
from shoal.errors import BadFile, Place, notice
from shoal.settings import spans

if TYPE_CHECKING:
    import pyarrow as pa

BLANKS = " \t"
BOM = b"\xef\xbb\xbf"
COMMENTS = "#%"
LONGEST = 1 << 20
"""The longest quoted cell; a longer one counts as not closed."""
WIDEST = 1_000_000
"""The most cells of a line: each takes far more memory than its bytes."""
SPECIAL = r'[",;|\t\r\n]|\A[ #%\x{feff}]| \z'
"""Cells that need quotes with any separator, since other programs guess the separator."""
CHUNK, ROWS = 1 << 20, 1 << 17
"""Bytes that arrow reads at a time, and rows that are written at a time."""


class TextRecord(NamedTuple):
    """The cells of one record, and the number of its first line."""

    line: int
    cells: list[str]
    quoted: tuple[int, ...]
    """The positions of the quoted cells."""
    trimmed: tuple[int, ...]
    """The positions of the cells that lost leading or trailing blanks."""


class Patterns(NamedTuple):
    """Regular expressions for cells and for the gap between two cells."""

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
    """Rules for splitting a text: the separator (None for runs of spaces and tabs) and the comment signs."""

    path: Path
    separator: str | None
    comments: str = COMMENTS
    trims: bool = True
    """Whether leading and trailing blanks of an unquoted cell are dropped."""
    tabs_count: bool = False
    """Whether a line of only tabs, with the separator tab, is a record of missing values."""

    def records(self, lines: Iterable[str], first: int = 1) -> Iterator[TextRecord]:
        """Yield the records of lines without their LF; `first` is the number of the first line.

        Every line is read once, even if a quoted cell has many lines.

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
        """Return whether a line at the start of a record is a comment or empty."""
        return text.startswith(tuple(self.comments)) or self.is_empty(text)

    def is_empty(self, text: str) -> bool:
        """Return whether a line is empty."""
        return not text.strip(" \r" if self.tabs_count and self.separator == "\t" else " \t\r")

    def _read_plain(self, text: str, line: int) -> TextRecord:
        text = self._check_one_line(text.removesuffix("\r"), line)
        if self.separator is None:
            return TextRecord(line, self._check_width(re.split("[ \t]+", text.strip(BLANKS)), line), (), ())
        cells = self._check_width(text.split(self.separator), line)
        short = [self._trim(cell) for cell in cells]
        lost = () if cells == short else tuple(i for i, cell in enumerate(cells) if cell != short[i])
        return TextRecord(line, short, (), lost)

    def _trim(self, text: str) -> str:
        return text.strip(BLANKS) if self.trims else text

    def _read_quoted(self, text: str, line: int, following: Iterator[tuple[int, str]]) -> TextRecord:
        """Read a record with quotes, and further lines while a quoted cell is open."""
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
                return TextRecord(line, self._check_width(cells, line), tuple(quoted), tuple(lost))
            gap = pattern.gap.match(text, at)
            if not gap:
                raise BadFile.at(
                    Place(str(self.path), line),
                    f"a closing quote must end its cell. Got {text[at : at + 20]!r} "
                    'after it. Write a quote inside quotes twice: "".',
                )
            at = gap.end()

    def _find_end(self, text: str) -> int:
        """Return the position where the last cell of a line ends."""
        text = text.removesuffix("\r")
        return len(text.rstrip(BLANKS) if self.separator is None else text)

    def _read_inside(self, text: str, at: int, line: int, following: Iterator[tuple[int, str]]) -> tuple[str, str, int]:
        """Return the quoted text from position `at`, the line of the closing quote, and its position there."""
        inside = _compile_patterns(self.separator).inside
        parts: list[str] = []
        size = 0
        while (end := inside.match(text, at).end()) == len(text):  # type: ignore[union-attr]
            parts.append(text[at:])
            size += len(text) - at
            _, more = next(following, (0, None))
            if more is None or size > LONGEST:
                raise BadFile.at(Place(str(self.path), line), "a quote must be closed. Got an open one.")
            text, at = more, 0
        return "\n".join([*parts, text[at:end]]), text, end

    def _check_width(self, cells: list[str], line: int) -> list[str]:
        if len(cells) > WIDEST:
            raise BadFile.at(
                Place(str(self.path), line),
                f"a line must have at most {WIDEST:,} cells. Got {len(cells):,}. Are its line ends "
                "missing, or is the separator another one?",
            )
        return cells

    def _check_one_line(self, text: str, line: int) -> str:
        if "\r" in text:
            raise BadFile.at(
                Place(str(self.path), line),
                "lines must end in LF or CRLF. Got a lone CR inside a line. "
                "Save the file with Unix or Windows line ends.",
            )
        return text


def report_trimmed(path: Path, what: str, trimmed: int, hint: str = " Use quotes to keep them.") -> None:
    """Issue a notice with the number of names or cells that lost leading or trailing blanks."""
    if trimmed:
        told = f"blanks dropped at the ends of {what}: {trimmed:,}"
        notice(f"{path}: {told}.{hint}", told)


# Blocks of lines, read with pyarrow.csv.


def drop_comments(block: bytes, text: Delimited) -> bytes | None:
    """Return a block of lines without comments; None if arrow would read it differently from Delimited."""
    bare = _drop_comments(block, text.comments)
    if b'"' in bare and (text.separator is None or len(bare) < len(block)):
        return None  # blanks inside quotes do not separate, and a line inside quotes is not a comment
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
    r"""Replace each run of spaces and tabs by one space, and remove those at both ends of a line.

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
    r"""Yield tables of the cells of a block, with their quotes, as arrow splits it.

    The first table is split at every separator, the second only at separators outside quotes. A table in which
    :func:`strip_quotes` accepts every cell is that of :class:`Delimited`. So, if there are quotes, all columns are
    yielded, even if only some are wanted. A table is not yielded if a row has another width.

    >>> [table.column(0).to_pylist() for table in split_block(b'"a,b",c\n', ",", 2)]
    [['"a,b"']]
    """
    quoted = b'"' in block
    wanted = range(width) if quoted or columns is None else columns
    found = parse_block(block, separator, width, wanted, threads=threads)
    if found is not None:
        yield found
    if quoted and b'""' not in block:
        # Arrow reads three quotes as an opening quote and a quote in the cell, so that cells keep their quotes.
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
    """Split a block into cells of a type with arrow; None if a line has another width or a cell another type."""
    import pyarrow as pa
    from pyarrow import csv

    if block.startswith(BOM):
        return None  # arrow would drop it from the first cell
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
    """Return whether each cell with a quote starts with one, and no cell holds a line break."""
    import pyarrow.compute as pc

    late = pc.and_not(pc.match_substring(cells, '"'), pc.starts_with(cells, '"'))
    return not pc.any(late).as_py() and not pc.any(pc.match_substring(cells, "\n")).as_py()


def strip_quotes(cells: Any) -> tuple[Any, Any] | None:
    """Return trimmed cells without their quotes, and which cells had quotes; None if a quoted cell is malformed.

    A cell that starts with a quote must end with one and hold others only in pairs.

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


# Writing: quote cells that need it, and write rows.


def quote_cells(texts: pa.Array, special: str = SPECIAL, *, everywhere: bool = False) -> pa.Array:
    """Put quotes around the texts that need them, or around all.

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
    """Write rows; a column is given by its distinct cells and the code of each row (MISSING for an empty cell)."""
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


def render_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a csv text of names and numbers; all cells are quoted if one holds a carriage return.

    csv quotes its own line ends, but readers take a single carriage return as a line end too.

    >>> render_csv(["name"], [["Ann"], ["B\r"]])
    '"name"\n"Ann"\n"B\r"\n'
    """
    text, lines = io.StringIO(), [list(map(str, line)) for line in (head, *rows)]
    returns = any("\r" in cell for line in lines for cell in line)
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL).writerows(lines)
    return text.getvalue()
