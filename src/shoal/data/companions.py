"""Companions: the other files that `OUT.release.json` names beside a release, found there and unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shoal.data import attributes as attribute_files
from shoal.data.digest import sha256_of
from shoal.data.files import kind_of
from shoal.data.graph import Graph
from shoal.data.json_files import read_json
from shoal.data.records import Records
from shoal.data.table import Table
from shoal.errors import BadFile

NAME_IT = "name it (--released-attributes FILE; in Python: files=(ORIGINAL, RELEASED, FILE))"


def read_digests(about: Path) -> dict[str, str]:
    """Return the names of the files that a manifest speaks of, each with its SHA-256."""
    try:
        found = read_json(about)["files"]
        return {str(name): str(file["sha256"]) for name, file in found.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"{about}: must be what shoal wrote beside a release. Got: {error!r:.80}.") from error


def find_attributes(released: str | Path) -> Path | None:
    """Return the table about the vertices that the manifest of a release names; None where it names none.

    It must lie beside the release and be what was published: otherwise columns that are published would be taken for
    unpublished.
    """
    place, about = Path(released), Path(f"{released}.release.json")
    if not place.is_file() or not about.is_file():
        return None
    named, own = read_digests(about), sha256_of(place)
    if own not in named.values():
        return None  # it speaks of other data
    others = [name for name, sha in named.items() if sha != own and name != place.name and _holds_table(Path(name))]
    if not others:
        return None
    found = place.with_name(Path(others[0]).name)
    if not found.is_file():
        raise BadFile(
            f"{found}: must be beside {place.name}, since {about.name} names it as a part of the release. There is "
            f"none, so what it tells cannot be counted. Put it there, or {NAME_IT}."
        )
    if sha256_of(found) != named[others[0]]:
        raise BadFile(
            f"{found}: must be the file that {about.name} names; it has another SHA-256. Get the published file back, "
            f"or {NAME_IT}."
        )
    return found


def _holds_table(path: Path) -> bool:
    """Tell whether a file holds attributes: a generalized graph is in .json or .graphml."""
    return kind_of(path).format in attribute_files.FORMATS


def add_columns(released: Graph, about: Path) -> Graph:
    """Return a release with the columns of its table about the vertices, where it was read without them."""
    if isinstance(released, Records):
        return released
    known = attribute_files.read(about)
    new = known.table.only([name for name in known.table if name not in released.attributes])
    if not len(new):
        return released
    ids = released.names.find([released.names.spelled(str(key)) for key in known.keys])
    if (ids < 0).any() or len(set(ids.tolist())) < released.n:
        raise BadFile(f"{about}: must have a row for each vertex of the release, and no other. It has not.")
    rows = np.empty(released.n, dtype=np.int64)
    rows[ids] = np.arange(len(ids))
    return released.with_attributes(
        Table(released.n, {**released.attributes.columns, **new.take(rows).from_file().columns})
    )
