"""Mappings in files: a csv of two columns, original and published names."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from shoal.data.names import warn_of_lookalikes
from shoal.errors import BadFile
from shoal.io.files import existing
from shoal.terminal import cut

HEADER = ["original", "published"]


def read_mapping(path: str | Path) -> dict[str, str]:
    r"""Read a mapping from original to published names: csv, two columns, headed "original,published".

    Lines before the header that begin with # are comments; below it, a name may begin with #.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     secret = pathlib.Path(folder) / "secret.csv"
    ...     _ = secret.write_text("# a secret\noriginal,published\nMedici,7\n#1,3\n")
    ...     read_mapping(secret)
    {'Medici': '7', '#1': '3'}
    """
    path = existing(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:  # csv knows which ends of lines are in a name
            found = _mapping(path, stream)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: a mapping must be a readable csv file in UTF-8. Got: {cut(error)}.") from error
    warn_of_lookalikes(found, str(path))
    warn_of_lookalikes(dict.fromkeys(found.values()), str(path))
    return found


def _mapping(path: Path, stream: Iterable[str]) -> dict[str, str]:
    lines = enumerate(stream, 1)
    before, first = next(((at, line) for at, line in lines if line.strip() and not line.startswith("#")), (0, ""))
    if [cell.strip().lower() for cell in next(csv.reader([first]), [])] != HEADER:
        came = first.rstrip("\r\n") or "nothing"
        raise BadFile(f"{path}: a mapping must begin with the line 'original,published'. Got {came!r}.")
    mapping: dict[str, str] = {}
    rows = csv.reader((line for _, line in lines), strict=True)
    for row in rows:
        at = before + rows.line_num
        if not "".join(row).strip() and len(row) < 2:
            continue  # an empty line
        if len(row) != 2:
            raise BadFile(f"{path}, line {at}: a mapping must have two columns. Got {len(row)}.")
        if row[0] in mapping:
            raise BadFile(f"{path}, line {at}: every original name must come once. Got {row[0]!r} again.")
        mapping[row[0]] = row[1]
    return mapping
