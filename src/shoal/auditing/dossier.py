"""Dossier: what data-protection authorities, medicines agencies and statistical offices ask to see beside the numbers.

Which data, which columns in which role, under which model they are released, by whose thresholds, by which method, and
what nobody promised. Plain data; the report room puts it into words.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from shoal.auditing.case import Case
from shoal.knowledge import PANEL
from shoal.release.coverage import covers
from shoal.release.guarantee import Promise
from shoal.release.save import describe_promise, make_plain

LIBRARIES = ("numpy", "scipy", "numba", "igraph", "networkx", "pyarrow")
CONVENTION = 0.09
"""The largest risk of a person that medicines agencies take for acceptable in public releases: a convention."""


def versions() -> dict[str, Any]:
    """Return what the numbers were counted with."""
    return {"shoal": version("shoal"), "python": platform.python_version(), "libraries": _libraries()}


def _libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an optional one
            continue
    return found


def columns_of(case: Case, known: Sequence[str], sensitive: Sequence[str]) -> list[dict[str, Any]]:
    """Return each column with its role, its kind, and whether it is released."""
    rows = []
    released = case.released.attributes if case.released is not None else None
    for name in dict.fromkeys([*case.original.attributes, *(released or ())]):
        column = case.original.attributes[name] if name in case.original.attributes else released[name]  # type: ignore[index]
        role = "quasi-identifier" if name in known else "sensitive" if name in sensitive else "other"
        kind = "numbers" if column.is_numeric else "categories"
        rows.append(
            {"name": name, "role": role, "kind": kind, "released": None if released is None else name in released}
        )
    return rows


def thresholds(threshold: float, k: int, set_by: str | None) -> list[dict[str, Any]]:
    """Return the thresholds, who set them, and which of them are only a convention."""
    usual = threshold == CONVENTION
    return [
        {"what": "maximum risk", "value": threshold, "set by": set_by, "convention": usual},
        {"what": "candidates", "value": k, "set by": set_by, "convention": k == 5},
    ]


def method(case: Case) -> dict[str, Any] | None:
    """Return what was done and why it protects, as far as it is known; None without a release."""
    if case.about is None:
        return None
    told = {"name": case.about["method"]["name"], "settings": {}}
    told["settings"] = {name: value for name, value in case.about["method"].items() if name != "name"}
    made = None if case.release is None else case.release.method
    words = {} if made is None else {key: getattr(made, key) for key in ("changes", "protects", "promises", "source")}
    return told | {"words": words or _described(told["name"])}


def _described(name: str) -> dict[str, str]:
    """Return what is said about a method that is known only by its name."""
    kind = method_kind(name)
    return {} if kind is None else {key: getattr(kind, key) for key in ("changes", "protects", "promises", "source")}


def method_kind(name: str) -> Any:
    """Return the kind of method that a public file names; None where there is none of that name."""
    from shoal.methods.pipeline import Pipeline
    from shoal.methods.registry import METHODS, find_method

    return find_method(name) if name in METHODS else Pipeline if name == Pipeline.shell else None


def promises(case: Case) -> list[dict[str, Any]]:
    """Return what is promised, as plain data."""
    if case.release is not None:
        return [describe_promise(promise) for promise in case.release.promises]
    return [] if case.about is None else list(case.about["promise"])


def not_promised(case: Case) -> list[str]:
    """Return the kinds of knowledge of the standard panel that no promise about links covers."""
    if case.is_table:
        return []
    about = _about_links(case)
    return [spec for spec in PANEL if not any(covers(promise, spec) for promise in about)]


def _about_links(case: Case) -> list[Any]:
    from shoal.knowledge import parse_knowledge

    if case.release is not None:
        return [p for p in case.release.promises if isinstance(p, Promise) and p.vertices == "all"]
    told = [p for p in promises(case) if p.get("kind") == "candidates" and p.get("for") == "all"]
    return [Promise(parse_knowledge(p["knows"]), p["k"], source=p["source"]) for p in told]


def residual(case: Case) -> dict[str, Any]:
    """Return what the promise leaves open."""
    open_columns = [] if case.about is None else list(case.about["columns in no promise"])
    return {
        "not promised": not_promised(case),
        "columns in no promise": open_columns,
        "notes": [] if case.release is None else list(case.release.notes),
    }


def certificate(case: Case, output: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what was promised and how that was verified, with commands that check it again; None without a promise."""
    made = promises(case)
    if not made or case.about is None:
        return None
    name = (output or {}).get("file") or "RELEASED"
    table = " --table" if case.is_table else ""
    again = [
        f"shoal check {name}{table} --knows {p['knows']} --at-least {p['k']}"
        for p in made
        if p["kind"] == "candidates" and p["for"] == "all" and p["source"] == "release"
    ]
    return {
        "promise": made,
        "verification": list(case.about["verification"]),
        "files": case.about["files"],
        "check again": again,
    }


def secrets(case: Case, *, names: bool) -> dict[str, Any]:
    """Return what repeats a release and must not leave the house; a method may name people, and is shown if asked."""
    if case.release is None:
        return {}
    whole = {"method": repr(case.release.method)} if names else {}
    return {"seed": make_plain(case.release.seed), **whole}


def measured(case: Case) -> dict[str, Any]:
    """Return what the method measured, all of it for its maker."""
    if case.release is not None:
        found: dict[str, Any] = make_plain(case.release.measured)
        return found
    return {} if case.about is None else dict(case.about["measured"])
