"""The manifest of a release, `OUT.release.json`: reading it, with strict checks, and the files that it names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.dataset import Dataset
from shoal.data.table import Table
from shoal.errors import BadFile
from shoal.io.digest import digest_file, digest_release
from shoal.io.files import TABLES, detect_format, find_file
from shoal.io.read import read_attributes
from shoal.io.strict_json import read_json
from shoal.knowledge import parse_knowledge
from shoal.terminal import cut

# Written: what a release says about itself in the file beside it, read with care: it may have been touched since.

SHAPE: dict[str, type] = {
    "method": dict,
    "promise": list,
    "verification": list,
    "release": str,
    "files": dict,
    "measured": dict,
    "columns in no promise": list,
}
"""What must be there, and what it is."""
PROMISES: dict[str, dict[str, type]] = {
    "candidates": {"knows": str, "k": int, "for": str, "source": str},
    "radius": {"similarity": str, "k": int, "l": int},
    "confusion": {"n": int, "ground": str},
    "exchangeability": {"k": int},
}
"""Each kind of promise, and what must be said in it."""
WORDS = {"for": ("all", "some"), "source": ("release", "original"), "similarity": ("manhattan", "2-path")}


def read_manifest(place: str | Path | None, more: Sequence[str | Path | None] = ()) -> dict[str, Any] | None:
    """Read what stands beside a file, where there is something; `more` are other files of the same release."""
    about = None if place is None else Path(f"{place}.release.json")
    if about is None or not about.is_file():
        return None
    try:
        found: dict[str, Any] = read_json(about)
        check_shape(found)
    except (ValueError, TypeError) as error:
        raise BadFile(
            f"{about}: must be what 'shoal anonymize' wrote beside a release. Got: {cut(error)}. Get it back, or "
            "move it away."
        ) from error
    for one in (place, *more):
        if one is not None:
            _check_same(Path(one), about, found)
    return found


def check_shape(found: Any) -> None:
    """Raise TypeError, or ValueError, where something is not as shoal writes it."""
    _check_fields(found, SHAPE, "the file")
    _check_fields(found["method"], {"name": str}, "'method'")
    for name, file in found["files"].items():
        _check_fields(file, {"sha256": str}, f"the file {name!r}")
    if found["release"] != digest_release(file["sha256"] for file in found["files"].values()):
        raise ValueError("its release id is not that of the files it names")
    for key in ("verification", "columns in no promise"):
        if not all(isinstance(one, str) for one in found[key]):
            raise TypeError(f"{key!r} is no list of texts")
    if not isinstance(found.get("utility", {}), dict):
        raise TypeError("'utility' is no object")
    for promise in found["promise"]:
        _check_promise(promise)


def _check_promise(promise: Any) -> None:
    _check_fields(promise, {"kind": str}, "a promise")
    if promise["kind"] not in PROMISES:
        raise ValueError(f"a promise of an unknown kind, {promise['kind']!r}")
    shape = PROMISES[promise["kind"]]
    _check_fields(promise, shape, f"a promise of {promise['kind']}")
    for key, kind in shape.items():
        if kind is int and promise[key] < (0 if key == "l" else 1):
            raise ValueError(f"a promise with {key} = {promise[key]}")
        if promise[key] not in WORDS.get(key, (promise[key],)):
            raise ValueError(f"a promise with {key} = {promise[key]!r}")
    if "knows" in shape:
        parse_knowledge(promise["knows"])


def _check_fields(found: Any, shape: dict[str, type], what: str) -> None:
    """Refuse what is no object, or lacks something; True is no number."""
    if not isinstance(found, dict):
        raise TypeError(f"{what} is no object")
    for key, kind in shape.items():
        if not isinstance(found.get(key), kind) or isinstance(found[key], bool):
            raise TypeError(f"{what} says nothing about {key!r}, or not in its form")


def _check_same(place: Path, about: Path, found: dict[str, Any]) -> None:
    """Refuse a promise that was made about other data, whatever the file is called now."""
    own = digest_file(find_file(place))
    if own not in [file["sha256"] for file in found["files"].values()]:
        raise BadFile(
            f"{place}: must be a file that {about.name} speaks of; all of them have another SHA-256. What was promised "
            "was verified for those. Get the file back, or move the .release.json away."
        )


# Companions: the other files that `OUT.release.json` names beside a release, found there and unchanged.

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
    named, own = read_digests(about), digest_file(place)
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
    if digest_file(found) != named[others[0]]:
        raise BadFile(
            f"{found}: must be the file that {about.name} names; it has another SHA-256. Get the published file back, "
            f"or {NAME_IT}."
        )
    return found


def _holds_table(path: Path) -> bool:
    """Tell whether a file holds attributes: a generalized graph is in .json or .graphml."""
    return detect_format(path).format in TABLES


def add_columns(released: Dataset, about: Path) -> Dataset:
    """Return a release with the columns of its table about the vertices, where it was read without them."""
    if not released.has_links:
        return released
    known = read_attributes(about)
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
