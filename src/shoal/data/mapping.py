"""Mapping: who in the original is who in the release. It undoes the release, so it is a secret."""

from __future__ import annotations

import csv
from pathlib import Path

from shoal.errors import BadFile

HEADER = ["original", "published"]


def read_mapping(path: str | Path) -> dict[str, str]:
    r"""Read a mapping from original to published names: csv, two columns, headed "original,published".

    Lines that begin with # are comments.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     secret = pathlib.Path(folder) / "secret.csv"
    ...     _ = secret.write_text("original,published\nMedici,7\nStrozzi,3\n")
    ...     read_mapping(secret)
    {'Medici': '7', 'Strozzi': '3'}
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path}: a mapping must be a readable csv file in UTF-8. Got: {error}.") from error
    lines = [(at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    rows = list(csv.reader(line for _, line in lines))
    if not rows or [cell.strip().lower() for cell in rows[0]] != HEADER:
        came = lines[0][1] if lines else "nothing"
        raise BadFile(f"{path}: a mapping must begin with the line 'original,published'. Got {came!r}.")
    mapping: dict[str, str] = {}
    for (at, _), row in zip(lines[1:], rows[1:], strict=True):
        if len(row) != 2:
            raise BadFile(f"{path}, line {at}: a mapping must have two columns. Got {len(row)}.")
        if row[0] in mapping:
            raise BadFile(f"{path}, line {at}: every original name must come once. Got {row[0]!r} again.")
        mapping[row[0]] = row[1]
    return mapping
