"""Reading of text tables: a header with the names of the columns, then one row per individual.

Two cells are equal if and only if their spellings are, including blanks (spaces and tabs) around them. Unquoted names
of columns and individuals lose blanks around them. Quotes are not part of a spelling. An empty cell is missing. A
column with quoted cells is text, unless all cells of the file are quoted; :mod:`shoal.data.spelling` defines which
other columns are numeric.

pyarrow.csv reads usual files. :class:`~shoal.io.delimited.Delimited` reads the others, and reports the line number of
an error.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from shoal.data.arrays import Bools
from shoal.data.column import MISSING, Codes, Column
from shoal.data.encode import regroup_codes
from shoal.data.spelling import parse_texts
from shoal.errors import BadFile, BadParameter, Place, notice
from shoal.io.delimited import (
    BLANKS,
    BOM,
    COMMENTS,
    Delimited,
    TextRecord,
    drop_comments,
    report_trimmed,
    split_block,
    strip_quotes,
)
from shoal.io.files import FileFormat, check_text
from shoal.io.sniff import TextOptions, detect_separator
from shoal.settings import in_order

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 1_000
"""Rows below which cells are encoded one by one."""


@dataclass(frozen=True, eq=False)
class TextTable:
    """A text file as a table of spellings."""

    path: Path
    header: TextRecord
    spellings: list[Spellings]
    line: Callable[[int], int]
    """Return the number of the first line of a row."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self.header.cells

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.spellings[0].codes)

    def describe_row(self, row: int) -> tuple[str, int]:
        """Return how a message names a row, and its line."""
        line = self.line(row)
        return f"line {line:,}", line

    @cached_property
    def loud(self) -> bool:
        """Whether quotes mark text: at least one cell that is not empty has no quotes."""
        quoted = set(self.header.quoted)
        if any(cell and i not in quoted for i, cell in enumerate(self.header.cells)):
            return True
        return any((spellings.kept(False) & ~spellings.quoted).any() for spellings in self.spellings)

    def columns(self, key: int | None, missing: Sequence[str] = (), trim: bool = False) -> dict[str, Column]:
        """Return all columns except the key; notices count the names and cells with blanks around them."""
        places = {name: at for at, name in enumerate(self.names) if at != key}
        if key is not None:
            names = self.spellings[key]
            report_trimmed(self.path, "names", names.count((names.padded & ~names.quoted) | names.outside))
        self._tell_blanks([self.spellings[at] for at in places.values()], trim)
        return {name: self.column(at, missing, trim) for name, at in places.items()}

    def column(self, at: int, missing: Sequence[str] = (), trim: bool = False) -> Column:
        """Return the column at a position."""
        cells = self.spellings[at]
        return (cells.trim() if trim else cells).column(self.loud, missing)

    def keys(self, at: int) -> list[str | None]:
        """Return the cells at a position as names."""
        return self.spellings[at].names(self.loud)

    def _tell_blanks(self, columns: list[Spellings], trim: bool) -> None:
        """Issue notices that count the cells that lose blanks, and the unquoted cells that keep them."""
        if trim:
            report_trimmed(self.path, "cells", sum(cells.count(cells.padded | cells.outside) for cells in columns), "")
            return
        report_trimmed(
            self.path, "cells, outside their quotes", sum(cells.count(cells.outside) for cells in columns), ""
        )
        padded = sum(cells.count(cells.padded & ~cells.quoted) for cells in columns)
        if padded:
            notice(
                f"{self.path}: cells with blanks at their ends: {padded:,}. Blanks are kept: 'a ' is not 'a'. "
                "To drop them, use trim=True (--trim).",
                f"cells with blanks at their ends: {padded:,} (--trim)",
            )


def read_text_table(path: Path, kind: FileFormat, options: TextOptions) -> TextTable:
    """Read a table from a text file or a sheet of a workbook."""
    data = read_text_bytes(path, kind, "a table", options)
    mark = find_separator(path, kind, data, options)
    found = read_quickly(path, data, mark) or read_exactly(path, data, mark)
    _warn_of_comments(describe_rows(path, mark), data, len(found.names))
    report_trimmed(path, "names of columns", len(found.header.trimmed))
    if len(found.names) == 1:
        _report_empty_lines(describe_rows(path, mark), data)
    return found


def find_separator(path: Path, kind: FileFormat, data: bytes, options: TextOptions, *, cut: bool = False) -> str | None:
    """Return the separator of a text table; `cut` says that the data end within the sample that is judged."""
    try:
        mark = "," if kind.format == "xlsx" else detect_separator(path, cast(Any, Lines(data)), options, cut=cut)
    except BadParameter as error:
        raise BadParameter(str(error).replace("read_graph", str(path))) from None
    single = mark is None and options.separator is None and kind.format != "text"  # for example a single column
    return "," if single else mark


def find_header(text: Delimited, lines: Iterable[str]) -> TextRecord:
    """Return the checked header of a text table."""
    header = next(text.records(lines), None)
    if header is None:
        raise BadFile(f"{text.path}: must start with a header line that names its columns. Got no line.")
    return _check_header(text.path, header)


def describe_rows(path: Path, separator: str | None) -> Delimited:
    """Return the rules for splitting a text table; the separator is not a comment sign."""
    return Delimited(path, separator, COMMENTS.replace(separator or " ", ""), trims=False, tabs_count=True)


def _report_empty_lines(text: Delimited, data: bytes) -> None:
    """Issue a notice that counts the empty lines of a table of one column, which are not rows."""
    empty, inside = 0, False
    for line in Lines(data.rstrip()):
        empty += not inside and text.is_empty(line)
        inside ^= line.count('"') % 2 == 1
    if empty:
        notice(
            f"{text.path}: empty lines, which are not read as rows: {empty:,}. In a table of one column, write a row "
            'without a value as "".',
            f"empty lines not read: {empty:,}",
        )


def _warn_of_comments(text: Delimited, data: bytes, width: int) -> None:
    """Issue a notice if a comment line looks like a row, such as #1,Ann."""
    if not any(data.startswith(sign.encode()) or b"\n" + sign.encode() in data for sign in text.comments):
        return
    for number, line in enumerate(Lines(data), 1):
        if line.startswith(tuple(text.comments)) and line[1:2].strip() and '"' not in line:
            [record] = text._replace(comments="").records([line.rstrip("\r")])
            if len(record.cells) == width > 1:
                notice(
                    f"{text.path}, line {number:,}: {line!r:.60} is read as a comment. If such lines are rows, put "
                    "quotes around their first cell.",
                    f"line {number:,} read as a comment",
                )
                return


def read_text_bytes(path: Path, kind: FileFormat, what: str, options: TextOptions | None = None) -> bytes:
    """Return the bytes of a file, checked to be text and not empty; `what` names the expected contents."""
    with (options or TextOptions()).open(path, kind) as stream:
        data: bytes = stream.read()
    if not data:
        raise BadFile(f"{path}: must hold {what}. Got an empty file.")
    check_text(data, path, 1, options=options is not None)
    return data.removeprefix(BOM)


class Lines:
    """The lines of a text, split lazily."""

    def __init__(self, data: bytes):
        self._data = data

    def __iter__(self) -> Iterator[str]:
        return (line for line, _ in self.ends())

    def __getitem__(self, part: slice) -> list[str]:
        return [line for _, line in zip(range(part.stop), self, strict=False)]

    def ends(self) -> Iterator[tuple[str, int]]:
        """Yield each line and the start of the next one."""
        start = 0
        while start < len(self._data):
            found = self._data.find(b"\n", start)
            end = len(self._data) if found == -1 else found
            yield self._data[start:end].decode(), end + 1
            start = end + 1


def read_exactly(path: Path, data: bytes, separator: str | None) -> TextTable:
    """Read a text table cell by cell."""
    records = describe_rows(path, separator).records(Lines(data))
    header = next(records, None)
    if header is None:
        raise BadFile(f"{path}: must start with a header line that names its columns. Got no line.")
    header = _check_header(path, header)
    columns = [_Cells() for _ in header.cells]
    lines = array("q")  # a record takes far more memory than its cells
    for row in records:
        if len(row.cells) != len(columns):
            raise BadFile.at(
                Place(str(path), row.line),
                f"a row must have {len(columns)} cells, as the header has. Got {len(row.cells)}: {row.cells!r:.120}.",
            )
        for column, cell in zip(columns, row.cells, strict=True):
            column.texts.append(cell)
        for at in row.quoted:
            columns[at].quoted.append(len(lines))
        for at in row.trimmed:
            columns[at].outside.append(len(lines))
        lines.append(row.line)
    return TextTable(path, header, [column.spell() for column in columns], lambda row: lines[row])


class _Cells:
    """The cells of a column, and the rows of those with quotes and of those with blanks outside."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.quoted: list[int] = []
        self.outside: list[int] = []

    def spell(self) -> Spellings:
        import pyarrow as pa

        texts = pa.array(self.texts, type=pa.large_string())
        in_quotes, lost = (np.zeros(len(texts), dtype=bool) for _ in range(2))
        in_quotes[self.quoted] = lost[self.outside] = True
        return Spellings(np.arange(len(texts)), texts, in_quotes, _find_padded(texts), lost)


def _check_header(path: Path, header: TextRecord) -> TextRecord:
    """Drop blanks around unquoted names in the header; raise BadFile if names are empty or repeated."""
    quoted, lost = set(header.quoted), set(header.trimmed)
    names = [cell if at in quoted else cell.strip(BLANKS) for at, cell in enumerate(header.cells)]
    lost |= {at for at, name in enumerate(names) if name != header.cells[at]}
    if len(set(names)) != len(names) or not all(names):
        raise BadFile.at(
            Place(str(path), header.line), f"column names must be distinct and not empty. Got {names!r:.120}."
        )
    return header._replace(cells=names, trimmed=tuple(lost))


def read_quickly(path: Path, data: bytes, separator: str | None) -> TextTable | None:
    """Read a text table with arrow; None if it is unusual."""
    text = describe_rows(path, separator)
    try:
        header, body = _find_header(text, data)
        header = _check_header(path, header)
    except BadFile:
        return None
    bare = drop_comments(data[body:], text)
    if separator is None or not bare:
        return None
    for cells in split_block(bare, separator, len(header.cells), threads=True):
        spellings = [found for found in _spell_columns(cells) if found is not None]
        if len(spellings) < len(header.cells):
            continue
        if len(spellings) == 1 and not spellings[0].trim().kept(True).all():
            return None  # a line of blanks is not a row
        return TextTable(path, header, spellings, lambda row: _find_line(text, data, body, row))
    return None


def _spell_columns(cells: pa.Table) -> Iterable[Spellings | None]:
    """Return the cells of each column without their quotes; calls of arrow and threads are slow on few rows."""
    if cells.num_rows < FEW:
        return map(_spell_few_cells, cells.columns)
    return (found for _, found in in_order(_spell_cells, cells.columns))


def _find_header(text: Delimited, data: bytes) -> tuple[TextRecord, int]:
    """Return the record of the first line that is not a comment, and the start of the next line."""
    for number, (line, end) in enumerate(Lines(data).ends(), 1):
        for record in text.records([line], number):
            return record, end
    raise BadFile(f"{text.path}: must start with a header line that names its columns. Got no line.")


def _find_line(text: Delimited, data: bytes, body: int, row: int) -> int:
    """Return the line number of a row, if every row is one line."""
    first = data.count(b"\n", 0, body) + 1
    held = (number for number, line in enumerate(Lines(data[body:]), first) if not text.skips(line))
    return next(number for at, number in enumerate(held) if at == row)


class Spellings(NamedTuple):
    """The cells of a column as written, without quotes."""

    codes: Codes
    """The position in `texts` of each row's cell."""
    texts: pa.Array
    quoted: Bools
    """Whether each text was quoted."""
    padded: Bools
    """Whether each text has blanks at its ends."""
    outside: Bools
    """Whether each text had blanks outside its quotes, which are not part of the cell."""
    distinct: bool = False
    """Whether the texts are known to be distinct."""

    def count(self, which: Bools) -> int:
        """Return the number of cells with one of these texts."""
        return int(np.count_nonzero(which[self.codes])) if which.any() else 0

    def trim(self, which: Bools | None = None) -> Spellings:
        """Drop blanks around all texts, or only around those in `which`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pc.ascii_trim(self.texts, BLANKS)
        kept = texts if which is None else pc.if_else(pa.array(which), texts, self.texts)
        return self._replace(texts=kept, distinct=False)

    def kept(self, loud: bool) -> Bools:
        """Return which texts are values: not empty, or quoted if `loud`."""
        import pyarrow.compute as pc

        filled: Bools = pc.not_equal(self.texts, "").to_numpy(zero_copy_only=False)
        return filled | self.quoted if loud else filled

    def column(self, loud: bool, missing: Sequence[str]) -> Column:
        """Return the column of values; `loud` says that quotes mark text, since not every cell has them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kept = self.kept(loud)
        if missing:
            kept &= ~pc.is_in(self.texts, pa.array(missing, self.texts.type)).to_numpy(zero_copy_only=False)
        said, groups = self._grouped(kept)
        values = tuple(said.to_pylist()) if loud and self.quoted.any() else parse_texts(said)
        return replace(regroup_codes(self.codes, Column(groups, values)), from_text=True)

    def _grouped(self, kept: Bools) -> tuple[pa.Array, Codes]:
        """Return the distinct kept texts, and the position of each text among them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.distinct:
            return self.texts.filter(pa.array(kept)), np.where(kept, np.cumsum(kept) - 1, MISSING)
        coded = pc.if_else(pa.array(kept), self.texts, None).dictionary_encode()
        return coded.dictionary, coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int64)

    def names(self, loud: bool) -> list[str | None]:
        """Return the cells as names, None if missing; blanks around unquoted names are dropped."""
        named = self.trim(~self.quoted)
        texts = np.array([*named.texts.to_pylist(), None], dtype=object)
        texts[:-1][~named.kept(loud)] = None
        return cast("list[str | None]", texts[self.codes].tolist())


def _spell_cells(cells: pa.ChunkedArray) -> Spellings | None:
    """Return cells without their quotes; None if a quoted cell was split."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = cells.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
    raw = coded.dictionary.cast(pa.large_string())
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    bare = pc.ascii_trim(raw, BLANKS)
    around = pc.not_equal(bare, raw).to_numpy(zero_copy_only=False)
    if not pc.any(pc.starts_with(bare, '"')).as_py():
        return Spellings(codes, raw, np.zeros(len(raw), dtype=bool), around, np.zeros(len(raw), dtype=bool), True)
    stripped = strip_quotes(bare)
    if stripped is None:
        return None
    texts, quoted = pc.if_else(stripped[1], stripped[0], raw), stripped[1].to_numpy(zero_copy_only=False)
    return Spellings(codes, texts, quoted, _find_padded(texts), quoted & around)


def _spell_few_cells(cells: pa.ChunkedArray) -> Spellings | None:
    """Return what :func:`_spell_cells` returns, faster for few cells without quotes."""
    import pyarrow as pa

    texts = cells.to_pylist()
    place = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    bare = [text.strip(BLANKS) for text in place]
    if any(text.startswith('"') for text in bare):
        return _spell_cells(cells)
    codes = np.array([place[text] for text in texts], dtype=np.int64)
    around = np.array([text != short for text, short in zip(place, bare, strict=True)], dtype=bool)
    none = np.zeros(len(place), dtype=bool)
    return Spellings(codes, pa.array(place, type=pa.large_string()), none, around, none, True)


def _find_padded(texts: pa.Array) -> Bools:
    """Return which texts have blanks at their ends."""
    import pyarrow.compute as pc

    found: Bools = pc.not_equal(pc.ascii_trim(texts, BLANKS), texts).to_numpy(zero_copy_only=False)
    return found
