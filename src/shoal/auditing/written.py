"""Written: what a release says about itself in the file beside it, read with care: it may have been touched since."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.adversaries import parse
from shoal.data.digest import release_id, sha256_of
from shoal.data.files import existing
from shoal.data.json_files import read_json
from shoal.errors import BadFile
from shoal.terminal import cut

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


def written(place: str | Path | None, more: Sequence[str | Path | None] = ()) -> dict[str, Any] | None:
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
    _have(found, SHAPE, "the file")
    _have(found["method"], {"name": str}, "'method'")
    for name, file in found["files"].items():
        _have(file, {"sha256": str}, f"the file {name!r}")
    if found["release"] != release_id(file["sha256"] for file in found["files"].values()):
        raise ValueError("its release id is not that of the files it names")
    for key in ("verification", "columns in no promise"):
        if not all(isinstance(one, str) for one in found[key]):
            raise TypeError(f"{key!r} is no list of texts")
    if not isinstance(found.get("utility", {}), dict):
        raise TypeError("'utility' is no object")
    for promise in found["promise"]:
        _check_promise(promise)


def _check_promise(promise: Any) -> None:
    _have(promise, {"kind": str}, "a promise")
    if promise["kind"] not in PROMISES:
        raise ValueError(f"a promise of an unknown kind, {promise['kind']!r}")
    shape = PROMISES[promise["kind"]]
    _have(promise, shape, f"a promise of {promise['kind']}")
    for key, kind in shape.items():
        if kind is int and promise[key] < (0 if key == "l" else 1):
            raise ValueError(f"a promise with {key} = {promise[key]}")
        if promise[key] not in WORDS.get(key, (promise[key],)):
            raise ValueError(f"a promise with {key} = {promise[key]!r}")
    if "knows" in shape:
        parse(promise["knows"])


def _have(found: Any, shape: dict[str, type], what: str) -> None:
    """Refuse what is no object, or lacks something; True is no number."""
    if not isinstance(found, dict):
        raise TypeError(f"{what} is no object")
    for key, kind in shape.items():
        if not isinstance(found.get(key), kind) or isinstance(found[key], bool):
            raise TypeError(f"{what} says nothing about {key!r}, or not in its form")


def _check_same(place: Path, about: Path, found: dict[str, Any]) -> None:
    """Refuse a promise that was made about other data, whatever the file is called now."""
    own = sha256_of(existing(place))
    if own not in [file["sha256"] for file in found["files"].values()]:
        raise BadFile(
            f"{place}: must be a file that {about.name} speaks of; all of them have another SHA-256. What was promised "
            "was verified for those. Get the file back, or move the .release.json away."
        )
