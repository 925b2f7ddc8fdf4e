"""Mapping: who in the original is who in the release. It undoes the release, so it is a secret."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

from shoal.data.files import existing
from shoal.errors import BadFile, BadParameter

HEADER = ["original", "published"]
OF = "# of the release whose file has the SHA-256"
"""Begins the line that tells which file a mapping belongs to."""


def digest(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def refuse_another(mapping: object, released: object) -> None:
    """Refuse the mapping of another release, where both are files and the mapping says which one it belongs to."""
    if not isinstance(mapping, str | Path) or not isinstance(released, str | Path) or not Path(released).is_file():
        return
    own = belongs_to(mapping)
    if own is not None and own != digest(released):
        raise BadParameter(
            f"{mapping} is the mapping of another release than {released}, or of one that was changed since: the "
            "SHA-256 that it names is another. Pass the mapping that was saved with this file."
        )


def belongs_to(mapping: str | Path) -> str | None:
    """Return the SHA-256 of the file that a mapping belongs to; None where it does not say."""
    try:
        with Path(mapping).open(encoding="utf-8-sig") as stream:
            comments = list(takewhile(lambda line: line.startswith("#") or not line.strip(), stream))
    except (OSError, UnicodeDecodeError):
        return None  # reading it will say why
    return next((line.removeprefix(OF).strip() for line in comments if line.startswith(OF)), None)


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
            return _mapping(path, stream)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: a mapping must be a readable csv file in UTF-8. Got: {error}.") from error


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
