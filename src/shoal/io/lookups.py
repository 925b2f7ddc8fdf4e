"""Lookup files: generalization hierarchies, and mappings from original to published names."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path

from shoal.data.hierarchy import Hierarchy, find_problem
from shoal.data.names import warn_of_lookalikes
from shoal.errors import BadFile, BadParameter, cut, public
from shoal.io.delimited import Delimited, report_trimmed
from shoal.io.files import detect_format, find_file
from shoal.io.text_tables import read_text_bytes

MAPPING_HEADER = ["original", "published"]


@public
def read_mapping(path: str | Path) -> dict[str, str]:
    r"""Read an original-to-released mapping: a csv file with the header "original,published".

    Lines before the header that start with # are comments; after it, a name may start with #.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     secret = pathlib.Path(folder) / "secret.csv"
    ...     _ = secret.write_text("# a secret\noriginal,published\nMedici,7\n#1,3\n")
    ...     read_mapping(secret)
    {'Medici': '7', '#1': '3'}
    """
    path = find_file(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:  # csv handles line ends inside names
            found = _parse_mapping(path, stream)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: a mapping must be a readable csv file in UTF-8. Got: {cut(error)}.") from error
    warn_of_lookalikes(found, str(path))
    warn_of_lookalikes(dict.fromkeys(found.values()), str(path))
    return found


def _parse_mapping(path: Path, stream: Iterable[str]) -> dict[str, str]:
    lines = enumerate(stream, 1)
    before, first = next(((at, line) for at, line in lines if line.strip() and not line.startswith("#")), (0, ""))
    if [cell.strip().lower() for cell in next(csv.reader([first]), [])] != MAPPING_HEADER:
        came = first.rstrip("\r\n") or "nothing"
        raise BadFile(f"{path}: a mapping must start with the line 'original,published'. Got {came!r}.")
    mapping: dict[str, str] = {}
    rows = csv.reader((line for _, line in lines), strict=True)
    for row in rows:
        at = before + rows.line_num
        if not "".join(row).strip() and len(row) < 2:
            continue  # an empty line
        if len(row) != 2:
            raise BadFile(f"{path}, line {at}: a mapping must have two columns. Got {len(row)}.")
        if row[0] in mapping:
            raise BadFile(f"{path}, line {at}: every original name must occur once. Got {row[0]!r} again.")
        mapping[row[0]] = row[1]
    return mapping


@public
def read_hierarchy(path: str | os.PathLike[str], *, separator: str = ";") -> Hierarchy:
    r"""Read a generalization hierarchy in the format of ARX: one row per value, followed by its generalizations.

    Values match those of a column by their spelling: `25` is the number 25 or the text "25". An empty first cell is the
    row of missing values. Blanks around an unquoted cell are dropped, and a notice counts them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from shoal.data.column import Column
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "age.csv")
    ...     _ = file.write_text("17;10-19;*\n18;10-19;*\n25;20-29;*\n")
    ...     hierarchy = read_hierarchy(file)
    >>> hierarchy.depth, list(hierarchy.recoded(Column.of([25, 17]), 1))
    (3, ['20-29', '10-19'])
    """
    found = find_file(path)
    text = read_text_bytes(found, detect_format(found, "csv"), "a hierarchy").decode()
    rows: dict[str | None, tuple[str, ...]] = {}
    lines: dict[str | None, int] = {}
    trimmed = 0
    for record in Delimited(found, separator, "", tabs_count=True).records(text.removesuffix("\n").split("\n")):
        value, labels = record.cells[0] or None, tuple(record.cells[1:])
        where = f"{found}, line {record.line:,}"
        if value in rows:
            raise BadFile(f"{where}: each value must have one row. Got {value!r} again, after line {lines[value]:,}.")
        rows[value], lines[value] = labels, record.line
        trimmed += len(record.trimmed)
        problem = find_problem(labels, len(next(iter(rows.values()))))
        if problem:
            raise BadFile(f"{where}: {problem}{_suggest_separator(record.cells, separator)}")
    report_trimmed(found, "cells", trimmed)
    try:
        return Hierarchy.of(rows)
    except BadParameter as error:
        raise BadFile(f"{found}: {error}") from error


def _suggest_separator(cells: list[str], separator: str) -> str:
    other = next((mark for mark in ";,\t" if mark != separator and len(cells) == 1 and mark in cells[0]), None)
    return (
        f" Are the cells separated by {other!r}? Use semicolons in the file, or read_hierarchy(separator={other!r})."
        if other
        else ""
    )
