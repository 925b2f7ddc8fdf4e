"""Digests of files, and the id of a release, which is made of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def release_id(digests: Iterable[str]) -> str:
    """Return the id of a release: the SHA-256 of the digests of its published data files, a line each.

    The manifest and the mapping carry it, which tells whether they belong together. Anybody who has the published files
    can compute it; nothing in it depends on the original or on a seed.

    >>> release_id(["ab", "cd"])[:8]
    '5141648c'
    """
    return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
