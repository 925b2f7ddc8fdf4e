"""The manifest of a release, `OUT.release.json`: its fields, strict reading, and the files that it names.

Each field of `OUT.release.json` has one of three reasons (:data:`shoal.release.guarantee.Reason`). "release": `files`,
`individuals`, `edges`, `directed`, `kinds` with their numbers of links, `columns in no promise`, `kinds in no promise`,
the values after in `utility`, and the judgment in `scenario`. "policy": `method`, the rest of `scenario`, and the
knowledge of each promise. "classes": the sizes of classes in a guarantee of confusion and in `verification`.
The content of `measured` and `utility` is allowed field by field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import BadFile, cut
from shoal.io.digest import digest_file, digest_release
from shoal.io.files import TABLES, detect_format, find_file, is_file
from shoal.io.read import read_attributes
from shoal.io.strict_json import read_json
from shoal.knowledge import parse_knowledge
from shoal.release.guarantee import (
    AnyPromise,
    ConfusionPromise,
    ExchangeabilityPromise,
    PartialPromise,
    RadiusPromise,
    Reason,
)
from shoal.release.release import Release, is_linked_by_class
from shoal.risk.assess import assess
from shoal.risk.scenario import Scenario, judge_risks, record_policy

# Reading: the manifest may have been edited, so its form and its digests are checked.

SHAPE: dict[str, type] = {
    "method": dict,
    "promise": list,
    "verification": list,
    "release": str,
    "files": dict,
    "measured": dict,
    "columns in no promise": list,
}
"""The required fields and their types."""
PROMISES: dict[str, dict[str, type]] = {
    "candidates": {"knows": str, "k": int, "for": str, "source": str},
    "partial": {"knows": list, "k": int, "protected": int, "of": int},
    "radius": {"similarity": str, "k": int, "l": int},
    "confusion": {"n": int, "ground": str},
    "exchangeability": {"k": int},
}
"""Each kind of promise, with its required fields."""
WORDS = {"for": ("all", "some"), "source": ("release", "original"), "similarity": ("manhattan", "2-path")}


def read_manifest(place: str | Path | None, more: Sequence[str | Path | None] = ()) -> dict[str, Any] | None:
    """Read the manifest beside a file, if there is one. `more` are other files of the same release."""
    about = None if place is None else Path(f"{place}.release.json")
    if about is None or not is_file(about):
        return None
    try:
        found: dict[str, Any] = read_json(about)
        check_shape(found)
    except (ValueError, TypeError) as error:
        raise BadFile(
            f"{about}: must be the manifest that 'shoal anonymize' wrote. Got: {cut(error)}. Restore or remove it."
        ) from error
    for one in (place, *more):
        if one is not None:
            _check_same(Path(one), about, found)
    return found


def check_shape(found: Any) -> None:
    """Raise TypeError or ValueError if the manifest does not have the form that shoal writes."""
    _check_fields(found, SHAPE, "the file")
    _check_fields(found["method"], {"name": str}, "'method'")
    for name, file in found["files"].items():
        _check_fields(file, {"sha256": str}, f"the file {name!r}")
    if found["release"] != digest_release(file["sha256"] for file in found["files"].values()):
        raise ValueError("its release id does not match the files that it names")
    for key in ("verification", "columns in no promise", "kinds in no promise"):
        if not isinstance(found.get(key, []), list) or not all(isinstance(one, str) for one in found.get(key, [])):
            raise TypeError(f"{key!r} is not a list of texts")
    if not isinstance(found.get("utility", {}), dict):
        raise TypeError("'utility' is not an object")
    for promise in found["promise"]:
        _check_promise(promise)


def _check_promise(promise: Any) -> None:
    _check_fields(promise, {"kind": str}, "a promise")
    if promise["kind"] not in PROMISES:
        raise ValueError(f"a promise of an unknown kind, {promise['kind']!r}")
    shape = PROMISES[promise["kind"]]
    _check_fields(promise, shape, f"a promise of {promise['kind']}")
    for key, kind in shape.items():
        if kind is int and promise[key] < (0 if key in ("l", "protected") else 1):
            raise ValueError(f"a promise with {key} = {promise[key]}")
        if promise[key] not in WORDS.get(key, (promise[key],)):
            raise ValueError(f"a promise with {key} = {promise[key]!r}")
    if "knows" in shape:
        for spec in [promise["knows"]] if isinstance(promise["knows"], str) else promise["knows"]:
            parse_knowledge(spec)
    if promise["kind"] == "partial" and (not promise["knows"] or promise["protected"] > promise["of"]):
        raise ValueError(f"a promise for {promise['protected']} of {promise['of']} people")


def _check_fields(found: Any, shape: dict[str, type], what: str) -> None:
    """Raise an error if this is not an object, or a field is missing or has the wrong type. True is not a number."""
    if not isinstance(found, dict):
        raise TypeError(f"{what} is not an object")
    for key, kind in shape.items():
        if not isinstance(found.get(key), kind) or isinstance(found[key], bool):
            raise TypeError(f"{what} has no {key!r}, or one of the wrong type")


def _check_same(place: Path, about: Path, found: dict[str, Any]) -> None:
    """Raise an error if the manifest is about other data, whatever the name of the file."""
    own = digest_file(find_file(place))
    if own not in [file["sha256"] for file in found["files"].values()]:
        raise BadFile(
            f"{place}: must be a file that {about.name} names; all of them have another SHA-256. The guarantee was "
            "verified only for those. Restore the file, or remove the .release.json."
        )


# Companions: the other files of a release that its manifest names. They must be there, and unchanged.

NAME_IT = "pass it (--released-attributes FILE; in Python: files=(ORIGINAL, RELEASED, FILE))"


def find_manifest(released: str | Path) -> dict[str, Any] | None:
    """Return the manifest beside a release; None if there is none, or it is about other data.

    Only its files are checked; :func:`read_manifest` checks everything.
    """
    place, about = Path(released), Path(f"{released}.release.json")
    if not is_file(place) or not is_file(about):
        return None
    try:
        found: dict[str, Any] = read_json(about)
        named = [str(file["sha256"]) for file in found["files"].values()]
    except (KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"{about}: must be the manifest that shoal wrote. Got: {error!r:.80}.") from error
    return found if digest_file(place) in named else None


def find_attributes(released: str | Path) -> Path | None:
    """Return the table of attributes that the manifest of a release names; None if it names none.

    It must lie beside the release, unchanged. Otherwise its published columns would count as unpublished.
    """
    place, about = Path(released), Path(f"{released}.release.json")
    page = find_manifest(place)
    if page is None:
        return None
    named, own = {str(name): str(file["sha256"]) for name, file in page["files"].items()}, digest_file(place)
    others = [name for name, sha in named.items() if sha != own and name != place.name and _holds_table(Path(name))]
    if not others:
        return None
    found = place.with_name(Path(others[0]).name)
    if not is_file(found):
        raise BadFile(
            f"{found}: must be beside {place.name}, since {about.name} names it as a part of the release. There is "
            f"none, so the risk of its columns cannot be counted. Put it there, or {NAME_IT}."
        )
    if digest_file(found) != named[others[0]]:
        raise BadFile(
            f"{found}: must be the file that {about.name} names; it has another SHA-256. Restore the published file, "
            f"or {NAME_IT}."
        )
    return found


def _holds_table(path: Path) -> bool:
    """Return whether a file holds attributes. A generalized graph is in .json or .graphml."""
    return detect_format(path).format in TABLES


def add_columns(released: Dataset, about: Path) -> Dataset:
    """Return a release with the columns of its table of attributes, if it was read without them."""
    if not released.has_links:
        return released
    known = read_attributes(about)
    new = known.table.only([name for name in known.table if name not in released.attributes])
    if not len(new):
        return released
    ids = released.names.find([released.names.spelled(str(key)) for key in known.keys])
    if (ids < 0).any() or len(set(ids.tolist())) < released.n:
        raise BadFile(
            f"{about}: must have exactly one row for each vertex of the release. Some are missing, unknown or repeated."
        )
    rows = np.empty(released.n, dtype=np.int64)
    rows[ids] = np.arange(len(ids))
    table = Table(released.n, {**released.attributes.columns, **new.take(rows).from_file().columns})
    return replace(released, attributes=table) if isinstance(released, Graph) else released.with_attributes(table)


SCHEMA = 1
UNPROTECTED = "NOT PROTECTED: the guarantee covers only some individuals; the others have no guarantee"


def describe_release(release: Release, files: Sequence[Path], columns: Sequence[str] | None = None) -> dict[str, Any]:
    """Return what may be published about a release.

    Only three kinds of facts: what can be counted in the published files; what was declared before the data were seen;
    and, if the guarantee rests on classes, what stays the same when two members of a class are exchanged in the
    original.

    `columns` are the columns in the files; None: all of the release.
    """
    method, change = release.method, release.utility
    held = tuple(release.data.attributes) if columns is None else tuple(columns)
    digests = {file.name: digest_file(file) for file in files}
    stated = [promise for promise in release.promises if set(promise.columns_of(release.table)) <= set(held)]
    return {
        "schema": SCHEMA,
        "shoal": version("shoal"),
        "release": digest_release(digests.values()),
        "files": {name: {"sha256": digest} for name, digest in digests.items()},
        "individuals": release.data.n,
        "edges": release.data.m,
        **({"directed": True} if isinstance(release.data, Graph) and release.data.directed else {}),
        **({"kinds": release.kinds} if release.kinds else {}),
        "method": {
            "name": method.shell,
            **{name: make_plain(value) for name, value in method.declare_policy().items()},
        },
        "promise": [describe_promise(promise) for promise in stated],
        **({} if stated else {"nothing is promised": True}),
        **({"others": UNPROTECTED} if release.leaves_others_out else {}),
        "verification": [text for p, text in zip(release.promises, release.verification, strict=False) if p in stated],
        "columns in no promise": [name for name in release.uncovered if name in held],
        **({"kinds in no promise": [*release.uncovered_kinds]} if release.kinds else {}),
        "measured": make_plain(select_measures(release)),
        **({} if change is None else {"utility": round_shares(change.public(exchangeable=_hides_exchanges(release)))}),
    }


def describe_scenario(data: Dataset, scenario: Scenario, columns: Sequence[str], held: Sequence[str]) -> dict[str, Any]:
    """Return the scenario as policy, and the judgment of the published files by it, which any reader can recount."""
    published = data.with_attributes(data.attributes.only([name for name in data.attributes if name in held]))
    known = columns or (() if data.has_links else tuple(held))
    kinds = scenario.list_kinds(published, known)
    judged = judge_risks([assess(published, kind) for kind in kinds.values()], scenario) if kinds else None
    counts = ("verdict", "people", "below", "unproved")
    told = None if judged is None else {name: getattr(judged, name) for name in counts}
    return record_policy(scenario) | {
        "counted": {spec: kind.spec for spec, kind in kinds.items()},
        "facts of the release": told,
    }


def select_measures(release: Release) -> dict[str, Any]:
    """Return the part of `measured` that may be published, with shares rounded to two digits."""
    allowed: dict[Reason | None, bool] = {"release": True, "policy": True, "classes": release.rests_on_classes}
    reasons = {name: release.method.reason_to_publish(name) for name in release.measured}
    return {name: round_shares(value) for name, value in release.measured.items() if allowed.get(reasons[name])}


def _hides_exchanges(release: Release) -> bool:
    """Return whether exchanging two members of a class changes neither the links of the release nor the guarantee."""
    if release.codes is None or release.method.redraws or not release.rests_on_classes:
        return False
    return not isinstance(release.data, Graph) or is_linked_by_class(release.data, release.codes)


def round_shares(value: Any) -> Any:
    """Round shares to two digits, never to 0 or 1. All digits of a loss would reveal facts about the original.

    >>> round_shares(0.0015997440409534546), round_shares(0.9999), round_shares(3), round_shares({"age": 0.123})
    (0.0016, 0.99, 3, {'age': 0.12})
    """
    if isinstance(value, Mapping):
        return {key: round_shares(cell) for key, cell in value.items()}
    if not isinstance(value, float) or value in (0.0, 1.0):
        return value
    short = float(f"{value:.2g}")
    return 0.99 if short == 1.0 and value < 1 else short


def describe_promise(promise: AnyPromise) -> dict[str, Any]:
    """Return a promise as plain data. Protected vertices are neither named nor counted."""
    if isinstance(promise, ConfusionPromise):
        fields = {"n": promise.n, "t": str(promise.t), "of": promise.of, "columns": list(promise.columns)}
        return {"kind": "confusion", **fields, "ground": promise.ground}
    if isinstance(promise, RadiusPromise):
        reached = promise.l if promise.reached is None else promise.reached
        return {"kind": "radius", "similarity": promise.similarity, "k": promise.k, "l": reached}
    if isinstance(promise, ExchangeabilityPromise):
        return {"kind": "exchangeability", "k": promise.k, "all worlds taken as equally likely": True}
    if isinstance(promise, PartialPromise):
        specs = [knows.spec for knows in promise.knowledge]
        return {"kind": "partial", "knows": specs, "k": promise.k, "protected": promise.protected, "of": promise.of}
    many = "all" if promise.vertices == "all" else "some"  # their number could help to identify them
    return {
        "kind": "candidates",
        "knows": promise.knowledge.spec,
        "k": promise.k,
        "for": many,
        "source": promise.source,
    }


def make_plain(value: Any) -> Any:
    """Return a value as plain data for JSON. Nested methods show only their policy."""
    match value:
        case Mapping():
            return {str(key): make_plain(cell) for key, cell in value.items()}
        case list() | tuple():
            return [make_plain(cell) for cell in value]
        case Fraction():
            return str(value)
        case np.generic():
            return value.item()
        case None | bool() | int() | float() | str():
            return value
    if hasattr(value, "declare_policy"):
        return {"name": value.shell, **{name: make_plain(cell) for name, cell in value.declare_policy().items()}}
    return make_plain(asdict(value)) if is_dataclass(value) and not isinstance(value, type) else repr(value)
