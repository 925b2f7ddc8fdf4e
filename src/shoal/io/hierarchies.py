"""Files of generalization hierarchies, in the format of ARX."""

from __future__ import annotations

import os

from shoal.data.hierarchy import Hierarchy, find_problem
from shoal.errors import BadFile, BadParameter, Place, public
from shoal.io.delimited import Delimited, report_trimmed
from shoal.io.files import detect_format, find_file
from shoal.io.text_tables import read_text_bytes


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
        where = Place(str(found), record.line)
        if value in rows:
            raise BadFile.at(where, f"each value must have one row. Got {value!r} again, after line {lines[value]:,}.")
        rows[value], lines[value] = labels, record.line
        trimmed += len(record.trimmed)
        problem = find_problem(labels, len(next(iter(rows.values()))))
        if problem:
            raise BadFile.at(where, f"{problem}{_suggest_separator(record.cells, separator)}")
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
