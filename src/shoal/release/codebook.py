"""The codebook of a release, `OUT.README.md`: what each published file and column is, for a data archive.

It is public. It is built from the manifest and the published files; descriptions of columns come only from a file that
the user names.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.data.dataset import Dataset
from shoal.errors import BadFile, cut, did_you_mean
from shoal.io.files import find_file, open_text

DESCRIPTIONS_HEADER = ["column", "description"]


@dataclass(frozen=True)
class ColumnNote:
    """A published column."""

    name: str
    kind: str
    """"numbers" or "categories"."""
    values: int
    """Different values, without the missing one."""
    missing: int
    """Individuals without a value."""
    description: str | None


@dataclass(frozen=True)
class KindNote:
    """A published kind of links."""

    name: str
    links: int
    covered: bool
    """Whether a guarantee covers it."""


@dataclass(frozen=True)
class FileNote:
    """A published file."""

    name: str
    role: str
    """"links", "network", "network with columns", "table", "attributes" or "classes"."""


@dataclass(frozen=True)
class Codebook:
    """What the codebook says."""

    manifest: Mapping[str, Any]
    manifest_name: str
    files: tuple[FileNote, ...]
    columns: tuple[ColumnNote, ...]
    is_table: bool
    kinds: tuple[KindNote, ...] = ()
    """The kinds of links; none if links have no kinds."""


def build_codebook(
    manifest: Mapping[str, Any],
    data: Dataset,
    roles: Sequence[FileNote],
    columns: Sequence[str],
    descriptions: Mapping[str, str],
    manifest_name: str,
) -> Codebook:
    """Collect the published files and columns."""
    notes = []
    for name in columns:
        column = data.attributes[name]
        codes = set(column.codes.tolist())
        missing = int((column.codes < 0).sum())
        kind = "numbers" if column.is_numeric else "categories"
        notes.append(ColumnNote(name, kind, len(codes - {-1}), missing, descriptions.get(name)))
    kinds = tuple(
        KindNote(kind, links, kind not in manifest["kinds in no promise"])
        for kind, links in manifest.get("kinds", {}).items()
    )
    return Codebook(manifest, manifest_name, tuple(roles), tuple(notes), not data.has_links, kinds)


def read_descriptions(path: str | Path, columns: Sequence[str]) -> dict[str, str]:
    """Read descriptions of columns from a csv file with the header "column,description"; each column must exist."""
    place = find_file(path)
    try:
        with open_text(place, "utf-8-sig", newline="") as stream:
            rows = [row for row in csv.reader(stream, strict=True) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(
            f"{path}: must be a csv file in UTF-8 with descriptions of columns. Got: {cut(error)}."
        ) from error
    if not rows or [cell.strip().lower() for cell in rows[0]] != DESCRIPTIONS_HEADER:
        raise BadFile(
            f"{path}: must start with the line 'column,description'. Got {cut(rows[0] if rows else 'nothing')}."
        )
    found: dict[str, str] = {}
    for row in rows[1:]:
        if len(row) != len(DESCRIPTIONS_HEADER):
            raise BadFile(f"{path}: each line must have a column and its description. Got {cut(row)}.")
        if row[0] not in columns:
            raise BadFile(
                f"{path}: each column must be one that is published. Got {row[0]!r:.60}.{did_you_mean(row[0], columns)}"
            )
        if row[0] in found:
            raise BadFile(f"{path}: each column must be described once. Got {row[0]!r:.60} again.")
        found[row[0]] = row[1].strip()
    return found
