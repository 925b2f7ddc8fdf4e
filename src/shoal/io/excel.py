"""Excel workbooks (.xlsx): a sheet as the csv text that it would be exported to, with dates in ISO form.

The readers of text then apply: the same rules for headers, names, numbers and missing cells, and the same notices. A
line of the text is a row of the sheet. python-calamine reads the cells. It reads an error, and a formula without a
stored result, as an empty cell, and it allocates every cell between the first and the last one. So the XML of the sheet
is checked first.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from shoal.data.spelling import parse_number
from shoal.errors import BadFile, Place, ShoalError, cut, find_by_name, list_names, load, notice, parse_whole
from shoal.io.files import check_count, check_ratio, read_bytes
from shoal.io.formats.markup import read_elements

RELATIONS = "xl/_rels/workbook.xml.rels"
TEXTS = "xl/sharedstrings.xml"
"""The part with the texts of cells; calamine ignores the case of its name."""
DAMAGE = (
    BadZipFile,
    KeyError,
    ValueError,
    OSError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    zlib.error,
    struct.error,
)
"""Errors of the zip library for a damaged or encrypted file."""
EXACT = 2**53
"""Whole numbers below this are exact in a workbook, which stores numbers as floats."""
SPECIAL = re.compile('[",\r\n]|\\A[#%\ufeff]')
"""Texts that need quotes in csv; blanks around a text need none, as in a csv file."""
NUMERIC = tuple("0123456789-. ")
"""How the text of a number begins."""
ATTRIBUTES = rb"(?:[^<>\"']|\"[^<\"]{0,500}\"|'[^<']{0,500}'){0,500}+"
"""The attributes of an element, of bounded length: an open one must not be sought up to the end of the file."""
CELL = rb"<(?:\w+:)?c(?=[\s/>])"
PLACED = re.compile(rb"<(?:\w+:)?(?:c|row)(?=[\s/>])")
"""The beginning of a cell or a row."""
USUAL = re.compile(rb"<(?:\w+:)?(?:c|row) r=\"([A-Z]{0,3})([0-9]{1,7})\"")
"""A cell or a row whose first attribute is its place, as programs write it; a row has no letters."""
ANY = re.compile(rb"<(?:\w+:)?(c|row)(?=[\s/>])(" + ATTRIBUTES + rb")>")
ATTRIBUTE = re.compile(rb"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
REFERENCE = re.compile(rb"([A-Z]{0,3})([0-9]{1,7})")
COUNTED = re.compile(rb"\buniqueCount\s*=\s*[\"']([0-9]+)[\"']")
"""A number of texts, for which calamine takes memory at once."""
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""The most rows and columns of a sheet, in every spreadsheet program."""
ERROR = re.compile(CELL + rb"(?=" + ATTRIBUTES + rb">)(?=[^<>]{0,2000}\bt\s*=\s*[\"']e[\"'])(" + ATTRIBUTES + rb")>")
FORMULA = re.compile(CELL + rb"(?![^<>]{0,2000}\bt\s*=\s*[\"']str[\"'])(" + ATTRIBUTES + rb")>\s*<(?:\w+:)?f\b")
RESULT = re.compile(rb"[^<]*(?:</(?:\w+:)?f>)?\s*<(?:\w+:)?v(?:\s[^>]*[^/])?>[^<]")
"""What follows the beginning of a formula that has a stored result."""


def list_sheets(path: Path, compression: str) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook."""
    with _refusing(path), ZipFile(BytesIO(read_bytes(path, compression))) as archive:
        return tuple(_find_parts(archive, path))


def read_sheet(path: Path, compression: str, sheet: str | None, *, as_is: bool = False) -> bytes:
    """Return a sheet, by default the first one, as csv text in UTF-8.

    `as_is` also returns a sheet with errors, formulas without a result or merged cells, which are then empty cells.
    """
    library = load("python_calamine", "Reading .xlsx files", "excel")
    data = read_bytes(path, compression)
    with _refusing(path), ZipFile(BytesIO(data)) as archive:
        check_ratio(sum(part.file_size for part in archive.infolist()), len(data), path)
        parts = _find_parts(archive, path)
        name = next(iter(parts)) if sheet is None else find_by_name(f"sheet in {path}", sheet, {n: n for n in parts})
        for part in archive.infolist():
            if part.filename.replace("\\", "/").casefold() == TEXTS:
                _check_texts(archive.read(part), path)
        _check_cells(archive.read(parts[name]), path, name, len(data), as_is=as_is)
        found = library.CalamineWorkbook.from_filelike(BytesIO(data)).get_sheet_by_name(name)
        cells, (top, _), merged = found.to_python(), found.start or (0, 0), found.merged_cell_ranges
    if sheet is None and len(parts) > 1:
        others = list_names([other for other in parts if other != name])
        notice(
            f"{path}: the first sheet, {name!r}, is read. Not read: {others}. To read another, use sheet= (--sheet).",
            f"sheets not read: {others} (--sheet)",
        )
    if merged and not as_is:
        (row, column), _ = merged[0]
        raise BadFile.at(
            f"{path}, sheet {name!r}",
            f"cells must not be merged. Got a merged cell at {_name_cell(row, column)}. Unmerge it in the spreadsheet "
            "program, and let the first row name the columns.",
            Place(str(path), row + 1),
        )
    return _write_csv(cells, top, path, name)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Raise BadFile for a file that is damaged, encrypted or no workbook."""
    try:
        yield
    except ShoalError:
        raise
    except BaseException as error:
        # A failure in compiled code of calamine is a PanicException, which derives from BaseException.
        if not isinstance(error, DAMAGE) and type(error).__module__ not in ("python_calamine", "pyo3_runtime"):
            raise
        reason = cut(str(error) or type(error).__name__)
        raise BadFile(
            f"{path}: must be a complete .xlsx file without a password. Got: {reason}. Save it again as .xlsx or csv."
        ) from error


def _find_parts(archive: ZipFile, path: Path) -> dict[str, str]:
    """Return the part of the archive that holds each sheet, by the name of the sheet."""
    targets: dict[str, str] = {}
    for event, kind, element in read_elements(archive.read(RELATIONS), path, "Relationships"):
        if event == "start" and kind == "Relationship" and element.get("Type", "").endswith("/worksheet"):
            target = element.get("Target", "")
            targets[element.get("Id", "")] = target[1:] if target.startswith("/") else f"xl/{target}"
    sheets: dict[str, str] = {}
    for event, kind, element in read_elements(archive.read("xl/workbook.xml"), path, "workbook"):
        if event == "start" and kind == "sheet":
            told = [value for key, value in element.attrib.items() if key.endswith("}id")]
            if told and told[0] in targets:
                sheets[element.get("name", "")] = targets[told[0]]
    if not sheets:
        raise BadFile(f"{path}: must hold a sheet with cells. Got none.")
    return sheets


def _check_texts(markup: bytes, path: Path) -> None:
    """Raise BadFile for more shared texts than the part can hold."""
    for told in COUNTED.findall(markup):
        number = parse_whole(told.decode())
        if number is None or number > len(markup):
            raise BadFile(
                f"{path}: must hold the shared texts that it counts. Got a count of {cut(told.decode())} in "
                f"{len(markup):,} bytes. Save it again as .xlsx or csv."
            )


def _check_cells(markup: bytes, path: Path, sheet: str, size: int, *, as_is: bool) -> None:
    """Raise BadFile for far more cells than the file can hold; unless `as_is`, also for errors and missing results."""
    where = f"{path}, sheet {sheet!r}"
    if b"\0" in markup:
        raise BadFile(f"{where}: must be XML in UTF-8. Got another encoding. Save it again as .xlsx or csv.")
    rows, width = _measure_sheet(markup, where)
    check_count(width * rows, size, where, "cells")
    if as_is:
        return
    if found := ERROR.search(markup):
        raise _refuse_cell(
            path, sheet, found[1], "a cell must not hold an error such as #N/A or #DIV/0!. Correct or clear it."
        )
    if b"<f" in markup or b":f" in markup:
        for found in FORMULA.finditer(markup):
            if not RESULT.match(markup, markup.find(b">", found.end() - 1) + 1):
                rule = "a formula must have a stored result. Got none."
                raise _refuse_cell(path, sheet, found[1], f"{rule} Open the file in a spreadsheet program and save it.")


def _measure_sheet(markup: bytes, where: str) -> tuple[int, int]:
    """Return the last row and the last column, counted from 1; calamine allocates every cell up to there."""
    places = USUAL.findall(markup)
    if len(places) == len(PLACED.findall(markup)):
        letters, rows = {letters for letters, _ in places}, {int(row) for _, row in places}
        return _check_place(max(rows, default=0), max(map(_parse_column, letters), default=0), where)
    found_any = ANY.findall(markup)
    if len(found_any) != len(PLACED.findall(markup)):
        raise BadFile(f"{where}: must be complete XML. Got a cell or a row that does not end. Save it again as .xlsx.")
    row = column = last = width = 0  # a row or a cell without a place follows the one before
    for kind, attributes in found_any:
        told = [value or other for name, value, other in ATTRIBUTE.findall(attributes) if name == b"r"]
        found = REFERENCE.fullmatch(told[0]) if told else None
        if told and (found is None or bool(found[1]) != (kind == b"c")):
            raise BadFile(f"{where}: a cell must have a place such as A1. Got {cut(told[0].decode(errors='replace'))}.")
        if kind == b"row":
            row, column = int(found[2]) if found else row + 1, 0
        else:
            row, column = (int(found[2]), _parse_column(found[1])) if found else (row, column + 1)
        last, width = _check_place(max(last, row), max(width, column), where)
    return last, width


def _check_place(row: int, column: int, where: str) -> tuple[int, int]:
    if row > MOST_ROWS or column > MOST_COLUMNS:
        raise BadFile(
            f"{where}: a sheet must have at most {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns. Got a cell in row "
            f"{row:,}, column {column:,}."
        )
    return row, column


def _refuse_cell(path: Path, sheet: str, attributes: bytes, message: str) -> BadFile:
    """Return the error about a cell, with its place, such as AB10, if it has one."""
    told = [value or other for name, value, other in ATTRIBUTE.findall(attributes) if name == b"r"]
    found = REFERENCE.fullmatch(told[0]) if told else None
    if found is None:
        return BadFile(f"{path}, sheet {sheet!r}: {message}")
    where = f"{path}, sheet {sheet!r}, cell {found[0].decode()}"
    return BadFile.at(where, message, Place(str(path), int(found[2])))


def _parse_column(letters: bytes) -> int:
    """Return the number of a column, from 1.

    >>> _parse_column(b"A"), _parse_column(b"AB")
    (1, 28)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _name_cell(row: int, column: int) -> str:
    """Return how a spreadsheet program calls a cell, counted from 0.

    >>> _name_cell(0, 0), _name_cell(9, 27)
    ('A1', 'AB10')
    """
    letters, left = "", column + 1
    while left:
        left, last = divmod(left - 1, 26)
        letters = chr(65 + last) + letters
    return f"{letters}{row + 1}"


def _write_csv(cells: list[list[Any]], top: int, path: Path, sheet: str) -> bytes:
    """Return rows as lines of csv; `top` is the number of empty rows above."""
    if not cells:
        raise BadFile(f"{path}, sheet {sheet!r}: must hold cells. Got an empty sheet.")
    columns = [_quote_column(column) for column in zip(*cells, strict=True)]
    lines = [",".join(row) if any(row) else "" for row in zip(*columns, strict=True)]
    empty = lines.count("")
    if empty and len(columns) > 1:  # the reader counts the empty lines of a single column
        told = f"empty rows, which are not read: {empty:,}"
        notice(f"{path}: {told}.", told)
    return "\n".join([*[""] * top, *lines, ""]).encode()


def _quote_column(cells: tuple[Any, ...]) -> list[str]:
    """Spell the cells of a column, with quotes where csv needs them.

    Digits that are stored as text, such as codes, have quotes too, so that the column is read as text. In a column that
    also holds numbers they are read as numbers. Beside times, a date is midnight.

    >>> _quote_column(("zip", "10001", "02139", "")), _quote_column(("age", "30", 31.0, 1.5))
    (['zip', '"10001"', '02139', ''], ['age', '30', '31', '1.5'])
    """
    coded = not any(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells[1:])
    if any(isinstance(cell, datetime) for cell in cells):
        cells = tuple(datetime.combine(cell, time()) if type(cell) is date else cell for cell in cells)
    return [_quote(cell, coded) if isinstance(cell, str) else _spell(cell) for cell in cells]


def _quote(text: str, coded: bool) -> str:
    number = coded and text[:1] in NUMERIC and parse_number(text) is not None
    return '"' + text.replace('"', '""') + '"' if number or SPECIAL.search(text) else text


def _spell(cell: Any) -> str:
    """Return the text of a number, a date or a truth value.

    >>> [_spell(cell) for cell in (12.0, 0.5, -0.0, 1e20, True, date(2024, 3, 1), timedelta(hours=30))]
    ['12', '0.5', '0', '1e+20', 'TRUE', '2024-03-01', '30:00:00']
    """
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < EXACT else repr(cell)
    if isinstance(cell, timedelta):
        seconds = cell.total_seconds()
        return f"{int(seconds // 3600)}:{int(seconds // 60) % 60:02}:{seconds % 60:02g}"
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)
