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
from shoal.errors import BadFile, Place, ShoalError, cut, find_by_name, list_names, load, notice
from shoal.io.files import check_count, check_ratio, read_bytes
from shoal.io.formats.markup import read_elements

RELATIONS = "xl/_rels/workbook.xml.rels"
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
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
EXACT = 2**53
"""Whole numbers below this are exact in a workbook, which stores numbers as floats."""
SPECIAL = re.compile('[",\r\n]|\\A[#%\ufeff]')
"""Texts that need quotes in csv; blanks around a text need none, as in a csv file."""
NUMERIC = tuple("0123456789-. ")
"""How the text of a number begins."""
REFERENCE = re.compile(rb"<(?:\w+:)?c\s[^>]*?\br=[\"']([A-Z]{1,3})([0-9]{1,7})[\"']")
ERROR = re.compile(rb"<(?:\w+:)?c\s(?=[^>]*\bt=[\"']e[\"'])[^>]*\br=[\"']([A-Z]+[0-9]+)[\"']")
FORMULA = re.compile(rb"<(?:\w+:)?c\s(?![^>]*\bt=[\"']str[\"'])[^>]*\br=[\"']([A-Z]+[0-9]+)[\"'][^>]*>\s*<(?:\w+:)?f\b")
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


def _check_cells(markup: bytes, path: Path, sheet: str, size: int, *, as_is: bool) -> None:
    """Raise BadFile for far more cells than the file can hold; unless `as_is`, also for errors and missing results."""
    places = REFERENCE.findall(markup)
    width = max((_parse_column(letters) for letters in {letters for letters, _ in places}), default=0)
    check_count(width * max((int(row) for _, row in places), default=0), size, f"{path}, sheet {sheet!r}", "cells")
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


def _refuse_cell(path: Path, sheet: str, cell: bytes, message: str) -> BadFile:
    """Return the error about a cell such as AB10."""
    where = f"{path}, sheet {sheet!r}, cell {cell.decode()}"
    return BadFile.at(where, message, Place(str(path), int(cell.lstrip(LETTERS))))


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
