"""Mapping files: from original to released names, below comments that name the release and its original.

A mapping undoes the release, so it is private.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from shoal.data.dataset import Dataset
from shoal.data.names import warn_of_lookalikes
from shoal.errors import BadFile, BadParameter, Place, cut, public
from shoal.io.digest import digest_contents, digest_file
from shoal.io.files import find_file, is_file, open_stored, open_text

HEADER = ["original", "published"]
"""The first line of a mapping after its comments."""
OF = "# of the release whose file has the SHA-256"
"""Start of the line that names the file of the mapping."""
SECRET = "# a secret: it undoes the release."
"""Start of every mapping that shoal writes."""
RELEASE = "# release id"
"""Start of the line that names the release of the mapping."""
ORIGIN = "# of the original with the salt and salted SHA-256"
"""Start of the line that identifies the original of the mapping."""
FIRST = 4096
"""The first bytes of a file that are read to see whether it is a mapping, and of which original."""


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
        with open_text(path, "utf-8-sig", newline="") as stream:  # csv handles line ends inside names
            found = _parse_mapping(path, stream)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: a mapping must be a readable csv file in UTF-8. Got: {cut(error)}.") from error
    warn_of_lookalikes(found, str(path))
    warn_of_lookalikes(dict.fromkeys(found.values()), str(path))
    return found


def _parse_mapping(path: Path, stream: Iterable[str]) -> dict[str, str]:
    lines = enumerate(stream, 1)
    before, first = next(((at, line) for at, line in lines if line.strip() and not line.startswith("#")), (0, ""))
    if [cell.strip().lower() for cell in next(csv.reader([first]), [])] != HEADER:
        came = first.rstrip("\r\n") or "nothing"
        raise BadFile(f"{path}: a mapping must start with the line 'original,published'. Got {came!r}.")
    mapping: dict[str, str] = {}
    rows = csv.reader((line for _, line in lines), strict=True)
    for row in rows:
        at = before + rows.line_num
        if not "".join(row).strip() and len(row) < 2:
            continue  # an empty line
        if len(row) != 2:
            raise BadFile.at(Place(str(path), at), f"a mapping must have two columns. Got {len(row)}.")
        if row[0] in mapping:
            raise BadFile.at(Place(str(path), at), f"every original name must occur once. Got {row[0]!r} again.")
        mapping[row[0]] = row[1]
    return mapping


class Origin(NamedTuple):
    """The salted digest that identifies the original of a mapping."""

    salt: str
    digest: str


def digest_original(graph: Dataset) -> str:
    """Return a SHA-256 of the names and links of an original, or of the names and cells of a table.

    Names count as spelled in a mapping: 7 is "7".
    """
    return digest_contents(graph, None if not graph.has_links else (), str)


def salt_digest(digest: str, salt: str) -> str:
    """Return the digest with a salt, so that it cannot be compared with that of another mapping."""
    return hashlib.sha256(f"{salt} {digest}".encode()).hexdigest()


def describe_origin(graph: Dataset, seed: int) -> str:
    """Return the line of a mapping that identifies its original. The salt is drawn from the secret seed."""
    salt = hashlib.sha256(f"salt of {seed}".encode()).hexdigest()[:32]
    return f"{ORIGIN} {salt} {salt_digest(digest_original(graph), salt)}\n"


def read_origin(path: Path) -> Origin | None:
    """Return the original that a mapping names; None if the file is not a mapping or names none."""
    try:
        with open_stored(path) as stream:
            text = stream.read(FIRST).decode("utf-8-sig", errors="replace")
    except OSError:
        return None
    lines = text.splitlines() if text.startswith(SECRET) else []
    words = next((line.removeprefix(ORIGIN).split() for line in lines if line.startswith(ORIGIN)), [])
    return Origin(*words) if len(words) == 2 else None


def refuse_another(mapping: object, released: object) -> None:
    """Raise an error if the mapping belongs to another release. Only files that name their release are checked."""
    if not isinstance(mapping, str | Path) or not isinstance(released, str | Path) or not is_file(released):
        return
    own = belongs_to(mapping)
    if own is not None and own != digest_file(released):
        raise BadParameter(
            f"{mapping}: must be the mapping of {released}. It names another SHA-256: it belongs to another release, "
            "or the release was changed. Pass the mapping that was saved with this file."
        )


def refuse_mix(mapping: object, about: Mapping[str, Any] | None) -> None:
    """Raise an error if the mapping and the manifest belong to different releases."""
    if about is None or not isinstance(mapping, str | Path):
        return
    own = _find_comment(mapping, RELEASE)
    if own is not None and own != about["release"]:
        raise BadParameter(
            f"{mapping}: must belong to the same release as the .release.json. It names another release id, so the "
            "files are a mix of two releases. Pass the mapping that was saved with this release."
        )


def belongs_to(mapping: str | Path) -> str | None:
    """Return the SHA-256 of the file that a mapping belongs to; None if it names none."""
    return _find_comment(mapping, OF)


def _find_comment(mapping: str | Path, beginning: str) -> str | None:
    """Return the rest of the comment with this beginning, above the names; None if there is none."""
    try:
        with open_text(Path(mapping), "utf-8-sig") as stream:
            comments = list(takewhile(lambda line: line.startswith("#") or not line.strip(), stream))
    except (OSError, UnicodeDecodeError):
        return None  # reading the mapping raises the error
    return next((line.removeprefix(beginning).strip() for line in comments if line.startswith(beginning)), None)
