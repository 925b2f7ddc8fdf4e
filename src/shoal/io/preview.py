"""Previews: the first rows of a file, and how it would be read.

The readers of the formats find the layout, so that a preview says what :func:`~shoal.read_graph` and
:func:`~shoal.read_table` then do. Of a text file, only the beginning is read. A row that cannot be read does not
prevent a preview: it is shown as it is, and `problem` is the error of reading the file.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal.data.edge_columns import EdgeColumns, find_table_reason
from shoal.data.frames import find_key_column
from shoal.data.graph import Pairs
from shoal.data.names import NO_ONE
from shoal.errors import (
    BadFile,
    BadParameter,
    UnknownColumn,
    hear_warnings,
    must,
    public,
    spell_controls,
    whole,
)
from shoal.io import edge_lists, parquet, text_tables
from shoal.io.delimited import BOM, Delimited
from shoal.io.excel import list_sheets, read_sheet
from shoal.io.files import (
    CHUNK,
    FORMATS,
    TABLES,
    FileFormat,
    check_encoding,
    check_text,
    detect_format,
    find_file,
    open_file,
    recode,
)
from shoal.io.read import LINES, check_options, check_table_options, read_pairs
from shoal.io.sniff import SAMPLE, TextOptions, name_separator

SHOWN, NEAR = 20, 3
"""Rows that are shown of a beginning, and lines that are shown before and after a line."""
WIDEST, LONGEST = 100, 200
"""The most columns that are shown if none behind them is used, and the most characters of a cell."""
BEGINNING = 1 << 21
"""Bytes of a text file that are read. The layout of an edge list is decided by fewer, see edge_lists.HEAD."""
UNKNOWN = "?"
"""What is shown of a value that cannot be shown."""
LINE = 1 << 16
"""The most bytes that are read of a line around another one."""

Found = TypeVar("Found")


class Row(NamedTuple):
    """A row of a file."""

    line: int
    """Its first line, from 1; in a parquet file, its number."""
    cells: tuple[str, ...]
    """Its cells as texts. A long one is cut and ends in "…"; control characters are escaped."""
    split: bool = True
    """Whether it could be split; if not, its only cell is the line."""


@dataclass(frozen=True)
class NetworkPreview:
    """What a file of a format that describes a network holds."""

    vertices: int
    links: int
    """The number of listed links."""
    direction: str
    """Whether the links have a direction: "undirected", "directed" or "partly directed"."""
    attributes: tuple[str, ...]
    """The names of the attributes of vertices."""
    link_attributes: tuple[str, ...]
    """The names of the attributes of links, each of which can be their kind."""


@dataclass(frozen=True)
class Preview:
    """The first rows of a file, and how it would be read."""

    file: str
    format: str
    """The name of the format, as `format` in read_graph."""
    taken_for: str
    """What the file is read as: "links", "table", or "network" if its format describes one."""
    columns: tuple[str, ...] = ()
    """The names of the columns, as read_graph and read_table name them; empty if they are not known."""
    width: int = 0
    """The number of columns; more than there are names if not all are shown."""
    rows: tuple[Row, ...] = ()
    ends: tuple[int, int] | None = None
    """The columns of the two ends of a link, by position from 0; None if there are none."""
    header: bool = False
    """Whether the first line names the columns."""
    separator: str = ""
    """The separator of a text file, as a word such as "comma" or as it is; empty if it is not known."""
    sheets: tuple[str, ...] = ()
    sheet: str | None = None
    """The sheet that is read."""
    kind: int | None = None
    """The column that holds the kinds of links; None if there is none."""
    key: int | None = None
    """The column of a table that names people where the table is joined to a network; None if it is no table."""
    unread: tuple[int, ...] = ()
    """The columns of an edge list that are not used."""
    suggests_direction: bool = False
    """Whether the names of the ends suggest that links have a direction."""
    reason: str = ""
    """Why a list of links looks like a table with one row per person; empty if it does not. The values of a file that
    is longer than the beginning are not judged, only the names of its columns."""
    network: NetworkPreview | None = None
    problem: str = ""
    """The error that reading the file with these options gives, if the beginning shows it."""


@public
def preview(
    file: str | os.PathLike[str],
    *,
    table: bool = False,
    columns: Sequence[str | int] | None = None,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    kind: str | int | None = None,
    key: str | int | None = None,
    around: int | None = None,
) -> Preview:
    r"""Return the first rows of a file, and how read_graph or read_table would read it with these options.

    Parameters
    ----------
    file
        The path of the file.
    table
        Whether it is read as a table with one row per person.
    columns, header, separator, encoding, sheet, kind
        As in :func:`~shoal.read_graph`.
    key
        The column of a table that names people, as in :func:`~shoal.read_graph`.
    around
        A line, from 1: return the rows around it in place of the first ones.

    Examples
    --------
    >>> from shoal.io.files import hold_files
    >>> with hold_files({"calls.csv": b"caller;callee;day\nAnn;Bo;Monday\n"}):
    ...     seen = preview("calls.csv")
    >>> seen.columns, seen.ends, seen.separator, seen.header, seen.suggests_direction
    (('caller', 'callee', 'day'), (0, 1), 'semicolon', True, True)
    >>> seen.rows
    (Row(line=2, cells=('Ann', 'Bo', 'Monday'), split=True),)
    """
    path = find_file(file)
    found = detect_format(path, None, TABLES if table else tuple(FORMATS))
    check_encoding(encoding, str(path))
    loose = found.format == "text" and not table
    options = TextOptions(separator, header, columns, loose=loose, encoding=encoding, sheet=sheet, kind=kind)
    _check_options(path, found, options, table, key)
    line = None if around is None else whole(around, str(path), "around", least=1)
    with hear_warnings(lambda _: None):  # reading the file issues the notices
        if found.format in LINES:
            return _Text(path, found, options, key).preview(table, line)
        if found.format == "parquet":
            return _preview_parquet(path, found, options, table, key, line)
        return _preview_network(path, found, options, line)


def _check_options(path: Path, found: FileFormat, options: TextOptions, table: bool, key: str | int | None) -> None:
    """Raise BadParameter for an option without effect."""
    if not table:
        must(key is None, str(path), "key", "left out, unless it is a table (table=True)", key)
        check_options(path, found, options, {})
        return
    for name in ("columns", "header", "kind"):
        value = getattr(options, name)
        must(value is None, str(path), name, "left out, since it has no effect on a table", value)
    check_table_options(path, found, options)


# Text files and sheets.


class _Beginning(NamedTuple):
    """The first lines of a text."""

    data: bytes
    """In UTF-8; what could not be decoded is replaced."""
    more: bool
    """Whether the file has more lines."""
    problem: str = ""
    """Why the lines cannot be read as text."""


@dataclass(frozen=True)
class _Text:
    """A text file, or a sheet of a workbook as csv text."""

    path: Path
    kind: FileFormat
    options: TextOptions
    key: str | int | None

    def preview(self, table: bool, around: int | None) -> Preview:
        """Return the preview."""
        seen = Preview(str(self.path), self.kind.format, "table" if table else "links")
        if self.kind.format == "xlsx":
            sheets = list_sheets(self.path, self.kind.compression)
            seen = replace(seen, sheets=sheets, sheet=self.options.sheet or sheets[0])
        beginning = self._read_beginning(table)
        text: Delimited | None = None
        rows = _show_lines(beginning.data.decode().split("\n"))
        problem = beginning.problem
        try:
            if b"\0" not in beginning.data:  # a NUL shows that it is text in UTF-16, or no text
                seen, text, rows = self._find_rows(seen, table, beginning)
        except BadFile as error:
            problem = problem or str(error)
        if around is not None:
            rows = _show_around(text, around, *self._read_around(around))
        most = _count_shown(seen)
        return replace(
            seen,
            columns=seen.columns[:most],
            rows=tuple(row._replace(cells=row.cells[:most]) for row in islice(rows, SHOWN)),
            problem=problem or seen.problem,
        )

    def _find_rows(self, seen: Preview, table: bool, beginning: _Beginning) -> tuple[Preview, Delimited, Iterator[Row]]:
        """Return how the file is read, how rows are split, and the rows. If a line is bad, those above it decide."""
        find = self._find_table if table else self._find_links
        lines = beginning.data.decode().split("\n")
        try:
            return find(seen, beginning, lines)
        except BadFile as error:
            if error.place is None or error.place.line == 1:
                raise
            above = "".join(f"{line}\n" for line in lines[: error.place.line - 1]).encode()
            try:
                seen, text, rows = find(seen, _Beginning(above, True), lines)
            except BadFile:
                raise error from None
            return replace(seen, problem=str(error)), text, rows

    def _find_links(
        self, seen: Preview, beginning: _Beginning, lines: list[str]
    ) -> tuple[Preview, Delimited, Iterator[Row]]:
        """Return how the file is read as links, how rows are split, and the rows."""

        def detect(options: TextOptions) -> Any:
            return edge_lists.find_layout(self.path, self.kind, beginning.data, options, more=beginning.more)

        layout, problem = _detect_columns(detect, self.options)
        pairs = None
        if not beginning.more:
            try:
                pairs = edge_lists.pair_lines(beginning.data, layout)
            except BadFile as error:
                problem = problem or str(error)
        seen = _describe_links(seen, layout.columns, pairs)
        mark = "" if self.kind.format == "xlsx" else name_separator(layout.text.separator)
        seen = replace(seen, header=not layout.columns.first, separator=mark, problem=problem)
        return seen, layout.text, _split_rows(layout.text, lines[layout.body - 1 :], layout.body)

    def _find_table(
        self, seen: Preview, beginning: _Beginning, lines: list[str]
    ) -> tuple[Preview, Delimited, Iterator[Row]]:
        """Return how the file is read as a table, how rows are split, and the rows."""
        cut = beginning.more and len(lines) < SAMPLE
        mark = text_tables.find_separator(self.path, self.kind, beginning.data, self.options, cut=cut)
        text = text_tables.describe_rows(self.path, mark)
        names = text_tables.find_header(text, lines).cells
        seen = _describe_table(seen, names, self.key)
        seen = replace(seen, separator="" if self.kind.format == "xlsx" else name_separator(mark))
        return seen, text, islice(_split_rows(text, lines), 1, None)

    def _read_beginning(self, table: bool) -> _Beginning:
        if self.kind.format == "xlsx":
            return self._read_sheet()
        with open_file(self.path, self.kind.compression) as stream:
            data: bytes = stream.read(BEGINNING + 1)
        if not data:  # the reader says what it must hold
            self._read_whole(table)
        more = len(data) > BEGINNING
        if self.options.encoding is None:
            end = data.rfind(b"\n", 0, BEGINNING) + 1 if more else len(data)
            data = data[: end or BEGINNING]
            return _Beginning(_replace_bytes(data.removeprefix(BOM)), more, self._find_bad_bytes(data))
        return self._decode(data[:BEGINNING], more, self.options.encoding)

    def _decode(self, data: bytes, more: bool, encoding: str) -> _Beginning:
        """Return text in another encoding; an incomplete character or line at the end is dropped if there is more."""
        problem = ""
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(data, final=not more)
        except UnicodeDecodeError:
            problem = _catch(lambda: recode(data, self.path, encoding))
            text = codecs.getincrementaldecoder(encoding)("replace").decode(data, final=not more)
        text = text.removeprefix("\ufeff")
        text = text[: text.rfind("\n") + 1 or len(text)] if more else text
        recoded = text.encode("utf-8", "surrogatepass")
        return _Beginning(_replace_bytes(recoded), more, problem or self._find_bad_bytes(recoded))

    def _find_bad_bytes(self, data: bytes) -> str:
        return _catch(lambda: check_text(data, self.path, 1, options=True))

    def _read_sheet(self) -> _Beginning:
        problem, data = "", b""
        try:
            data = read_sheet(self.path, self.kind.compression, self.options.sheet)
        except BadFile as error:
            problem = str(error)
            with suppress(BadFile):
                data = read_sheet(self.path, self.kind.compression, self.options.sheet, as_is=True)
        return _Beginning(data, False, problem)

    def _read_whole(self, table: bool) -> None:
        if table:
            text_tables.read_text_table(self.path, self.kind, self.options)
        else:
            edge_lists.read_edge_list(self.path, self.kind, self.options)

    def _read_around(self, line: int) -> tuple[int, list[str]]:
        if self.kind.format == "xlsx":
            return _take_lines(iter([self._read_sheet().data]), line)
        return _read_around(self.path, self.kind, line, self.options.encoding)


def _catch(call: Callable[[], object]) -> str:
    """Return the message of the BadFile that a call raises; empty if it raises none."""
    try:
        call()
    except BadFile as error:
        return str(error)
    return ""


def _replace_bytes(data: bytes) -> bytes:
    """Return bytes as UTF-8, with a visible mark in place of what is none."""
    return data.decode("utf-8", "replace").encode()


def _detect_columns(detect: Callable[[TextOptions], Found], options: TextOptions) -> tuple[Found, str]:
    """Return what is detected; if the file has no such columns, without the names of columns, and the error."""
    try:
        return detect(options), ""
    except (BadParameter, UnknownColumn) as error:
        if options.columns is None and options.kind is None:
            raise
        return detect(replace(options, columns=None, kind=None)), str(error)


def _describe_links(seen: Preview, columns: EdgeColumns, pairs: Pairs | None) -> Preview:
    unread = [at for at in range(min(len(columns.names), WIDEST)) if at not in columns.read]
    return replace(
        seen,
        columns=columns.names,
        width=len(columns.names),
        ends=columns.ends,
        kind=columns.kind,
        unread=tuple(unread),
        suggests_direction=columns.suggests_direction,
        reason=find_table_reason(columns, *(() if pairs is None else (pairs.sources, pairs.targets))),
    )


def _describe_table(seen: Preview, names: Sequence[str], key: str | int | None) -> Preview:
    problem = ""
    try:
        at = find_key_column(names, key, seen.file)
    except UnknownColumn as error:
        at, problem = find_key_column(names, None, seen.file), str(error)
    return replace(seen, columns=tuple(names), width=len(names), key=at, header=True, problem=problem)


def _count_shown(seen: Preview) -> int:
    """Return the number of columns that are shown; the columns that are used are among them."""
    used = [at for at in (*(seen.ends or ()), seen.kind, seen.key) if at is not None]
    return max(WIDEST, *(at + 1 for at in used)) if used else WIDEST


# Rows.


def _split_rows(text: Delimited, lines: Sequence[str], first: int = 1) -> Iterator[Row]:
    """Yield the rows of lines; a line that cannot be split is a row of its own. `first` is the first line's number."""
    at = 0
    while at < len(lines):
        used = 1
        if not text.skips(lines[at]):
            following = enumerate(islice(lines, at, None), 1)
            counted: list[int] = []
            try:
                [record] = islice(text.records(_count(following, counted), first + at), 1)
                yield _make_row(first + at, record.cells)
                used = counted[-1]
            except BadFile:
                yield _make_row(first + at, [lines[at]], split=False)
        at += used


def _count(numbered: Iterator[tuple[int, str]], counted: list[int]) -> Iterator[str]:
    """Yield lines, and note the number of the last one."""
    for number, line in numbered:
        counted[:] = [number]
        yield line


def _show_lines(lines: Sequence[str], first: int = 1) -> Iterator[Row]:
    """Yield lines as rows that are not split; the text after the last line end is no line if it is empty."""
    shown = lines[:-1] if lines and not lines[-1] else lines
    return (_make_row(number, [line], split=False) for number, line in enumerate(shown, first))


def _make_row(line: int, cells: Sequence[str], *, split: bool = True) -> Row:
    return Row(line, tuple(map(_show_cell, cells)), split)


def _show_cell(text: str) -> str:
    shown = spell_controls(text[: LONGEST + 1])
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _show_around(text: Delimited | None, line: int, first: int, lines: list[str]) -> Iterator[Row]:
    """Yield the rows of lines; `line` begins a row, even if a cell above it seems to be open."""
    if text is None:
        yield from _show_lines([*lines, ""], first)
        return
    above = line - first
    yield from _split_rows(text, lines[:above], first)
    yield from _split_rows(text, lines[above:], line)


def _read_around(path: Path, kind: FileFormat, line: int, encoding: str | None = None) -> tuple[int, list[str]]:
    """Return the lines around a line of a text file, and the number of the first of them."""
    with closing(_read_chunks(path, kind, encoding)) as chunks:
        return _take_lines(chunks, line)


def _read_chunks(path: Path, kind: FileFormat, encoding: str | None) -> Generator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding or "utf-8")("replace")
    with open_file(path, kind.compression) as stream:
        while chunk := stream.read(CHUNK):
            yield chunk if encoding is None else decoder.decode(chunk).encode("utf-8", "surrogatepass")


def _take_lines(chunks: Iterator[bytes], line: int) -> tuple[int, list[str]]:
    """Return the lines around a line, each up to LINE bytes, and the number of the first of them."""
    first, last = max(1, line - NEAR), line + NEAR
    number = 1
    found: list[bytearray] = []
    for chunk in chunks:
        start, ends = 0, chunk.count(b"\n") if number < first else 0
        if number + ends < first:
            number += ends
            continue
        while number < first:
            start = chunk.index(b"\n", start) + 1
            number += 1
        found = found or [bytearray()]
        for at, piece in enumerate(chunk[start:].split(b"\n", last - number + 1)):
            if at:
                found.append(bytearray())
            found[-1] += piece[: max(0, LINE - len(found[-1]))]
        number = first + len(found) - 1
        if number > last:
            break
    # The last text follows the last line, or is empty where the file ends in a line end.
    shown = found[:-1] if found and (number > last or not found[-1]) else found
    texts = [bytes(text).decode("utf-8", "replace") for text in shown]
    return first, [text.removeprefix("\ufeff") if first + at == 1 else text for at, text in enumerate(texts)]


# Parquet files, and formats that describe a network.


def _preview_parquet(
    path: Path, found: FileFormat, options: TextOptions, table: bool, key: str | int | None, around: int | None
) -> Preview:
    seen = Preview(str(path), "parquet", "table" if table else "links", header=True)
    first, last = (0, SHOWN + 1) if around is None else (max(0, around - 1 - NEAR), around + NEAR)
    some = parquet.read_rows(path, found.compression, first, last - first)
    names = some.column_names
    try:
        if table:
            seen = _describe_table(seen, names, key)
        else:
            seen = _describe_stored_links(seen, path, some, options, complete=first == 0 and some.num_rows < last)
    except BadFile as error:
        seen = replace(seen, problem=str(error))
    most = _count_shown(seen)
    shown = zip(*(_list_values(some.column(at)) for at in range(min(most, len(names)))), strict=True)
    rows = [_make_row(first + 1 + at, [_spell_value(value) for value in values]) for at, values in enumerate(shown)]
    return replace(seen, columns=seen.columns[:most], rows=tuple(rows if around is not None else rows[:SHOWN]))


def _describe_stored_links(seen: Preview, path: Path, some: Any, options: TextOptions, *, complete: bool) -> Preview:
    def choose(told: TextOptions) -> EdgeColumns:
        return parquet.choose_columns(path, some.column_names, told.columns, told.kind)

    columns, problem = _detect_columns(choose, options)
    pairs = None
    try:
        pairs = parquet.pair_rows(path, some, columns)
    except BadFile as error:
        problem = problem or str(error)
    return replace(_describe_links(seen, columns, pairs if complete else None), problem=problem)


def _list_values(cells: Any) -> list[Any]:
    """Return the values of a column, with marks in place of dates and times that Python cannot hold."""
    import pyarrow as pa

    try:
        found: list[Any] = cells.to_pylist()
    except (ValueError, OverflowError, LookupError, pa.ArrowException):
        return [UNKNOWN] * len(cells)
    return found


def _spell_value(value: object) -> str:
    return "" if value is None else str(value)


def _preview_network(path: Path, found: FileFormat, options: TextOptions, around: int | None) -> Preview:
    seen = Preview(str(path), found.format, "network")
    if around is not None:
        first, lines = _read_around(path, found, around)
        return replace(seen, rows=tuple(_show_around(None, around, first, lines)))
    pairs = read_pairs(path, found, replace(options, kind=None), multigraph=False, undirected=False)
    problem = ""
    if options.kind is not None and options.kind not in pairs.unread:
        try:
            read_pairs(path, found, options, multigraph=False, undirected=False)
        except UnknownColumn as error:
            problem = str(error)
    network = NetworkPreview(
        vertices=len(pairs.names),
        links=int(np.count_nonzero(pairs.targets != NO_ONE)),
        direction=_describe_direction(pairs),
        attributes=tuple(pairs.attributes or ()),
        link_attributes=pairs.unread,
    )
    return replace(seen, network=network, problem=problem)


def _describe_direction(pairs: Pairs) -> str:
    if not np.any(pairs.arrows):
        return "undirected"
    return "directed" if np.all(pairs.arrows) else "partly directed"
