"""The mapping from original to released names. It undoes the release, so it is secret."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from shoal.data.dataset import Dataset
from shoal.errors import BadParameter
from shoal.io.digest import digest_contents, digest_file

OF = "# of the release whose file has the SHA-256"
"""Begins the line that tells which file a mapping belongs to."""
SECRET = "# a secret: it undoes the release."
"""Begins every mapping that shoal writes."""
RELEASE = "# release id"
"""Begins the line that tells which release a mapping belongs to."""
ORIGIN = "# of the original with the salt and salted SHA-256"
"""Begins the line that tells which original a mapping belongs to."""
FIRST = 4096
"""So many bytes of a file are enough to see whether it is a mapping, and of which original."""


class Origin(NamedTuple):
    """Which original a mapping belongs to."""

    salt: str
    digest: str


def digest_original(graph: Dataset) -> str:
    """Return a SHA-256 of the names and links of an original, or of the names and cells of a table.

    Names count as they are spelled in a mapping: 7 is "7".
    """
    return digest_contents(graph, None if not graph.has_links else (), str)


def salt_digest(digest: str, salt: str) -> str:
    """Return the digest with a salt, which cannot be compared with that of another mapping."""
    return hashlib.sha256(f"{salt} {digest}".encode()).hexdigest()


def describe_origin(graph: Dataset, seed: int) -> str:
    """Return the line of a mapping that tells its original; the salt is drawn from the secret seed."""
    salt = hashlib.sha256(f"salt of {seed}".encode()).hexdigest()[:32]
    return f"{ORIGIN} {salt} {salt_digest(digest_original(graph), salt)}\n"


def read_origin(path: Path) -> Origin | None:
    """Return which original a file says to be the mapping of; None where it is no mapping, or does not say."""
    try:
        with path.open("rb") as stream:
            text = stream.read(FIRST).decode("utf-8-sig", errors="replace")
    except OSError:
        return None
    lines = text.splitlines() if text.startswith(SECRET) else []
    told = next((line.removeprefix(ORIGIN).split() for line in lines if line.startswith(ORIGIN)), [])
    return Origin(*told) if len(told) == 2 else None


def refuse_another(mapping: object, released: object) -> None:
    """Refuse the mapping of another release, where both are files and the mapping says which one it belongs to."""
    if not isinstance(mapping, str | Path) or not isinstance(released, str | Path) or not Path(released).is_file():
        return
    own = belongs_to(mapping)
    if own is not None and own != digest_file(released):
        raise BadParameter(
            f"{mapping} is the mapping of another release than {released}, or of one that was changed since: the "
            "SHA-256 that it names is another. Pass the mapping that was saved with this file."
        )


def refuse_mix(mapping: object, about: Mapping[str, Any] | None) -> None:
    """Refuse a mapping and a manifest of two releases, where both say which one they belong to."""
    if about is None or not isinstance(mapping, str | Path):
        return
    own = _find_comment(mapping, RELEASE)
    if own is not None and own != about["release"]:
        raise BadParameter(
            f"{mapping}: must belong to the same release as the .release.json. It names another release id: the files "
            "are a mix of two releases. Pass the mapping that was saved with this release."
        )


def belongs_to(mapping: str | Path) -> str | None:
    """Return the SHA-256 of the file that a mapping belongs to; None where it does not say."""
    return _find_comment(mapping, OF)


def _find_comment(mapping: str | Path, beginning: str) -> str | None:
    """Return the rest of the comment that begins so, above the names; None where there is none."""
    try:
        with Path(mapping).open(encoding="utf-8-sig") as stream:
            comments = list(takewhile(lambda line: line.startswith("#") or not line.strip(), stream))
    except (OSError, UnicodeDecodeError):
        return None  # reading it will say why
    return next((line.removeprefix(beginning).strip() for line in comments if line.startswith(beginning)), None)
