"""The external form of an audit, which may be published: it never tells more than `OUT.release.json` does.

What stays is what is written beside a release anyway (method, promise, verification, what may be said about the
change), and what anybody can count in the published data: everything here was counted there, and the verdict too, by
the rule of the internal form. What goes: everything about the original that the release
does not tell. That includes its digest, by which a guess at the original could be confirmed; attacks, whose rates are
measured by who is who; the drawing, whose order is the original's; every seed and every name.
"""

from __future__ import annotations

from typing import Any

from shoal.auditing.case import Case, Place, identify_data
from shoal.auditing.verdict import find_method_kind

KEPT = (
    "schema",
    "shoal",
    "python",
    "libraries",
    "date",
    "model",
    "thresholds",
    "method",
    "promise",
    "recounted",
    "promised",
    "verification",
    "certificate",
)
"""What is the same in both forms."""


def select_publishable(data: dict[str, Any], case: Case) -> dict[str, Any]:
    """Return what of an audit may be published."""
    return {
        **{key: data[key] for key in KEPT},
        "form": "external",
        "input": None,
        "output": _identify_output(case, case.files[1]),
        "matched": None,
        "columns": data["columns"],
        "before": None,
        "after": {"itself": data["after"]["itself"], "attacked": None, "left out": []},
        "inference": {"columns": data["inference"]["columns"], "before": [], "after": data["inference"]["after"]},
        "changes": None,
        "levels": {"before": None, "after": data["levels"]["after"]},
        "degrees": {"before": None, "after": data["degrees"]["after"]},
        "riskiest": [],
        "attacks": {"tried": [], "left out": []},
        "utility": None,
        "told": _select_told(case.about or {}),
        "measured": {},
        "tradeoff": None,
        "drawing": None,
        "residual": {**data["residual"], "notes": []},
        "verdict": {**data["verdict"], "worst": {"before": None, "after": data["verdict"]["worst"]["itself"]}},
        "seeds": {},
        "secrets": {},
        "names": False,
        "reproduce": [line for line in data["reproduce"] if line.startswith("shoal check")],
    }


def _select_told(about: dict[str, Any]) -> dict[str, Any]:
    """Return what may be told about the change; a file by another version may hold more, which is left out."""
    kind = find_method_kind(about["method"]["name"]) if about else None
    measured = about.get("measured", {})
    allowed = {name: value for name, value in measured.items() if kind is not None and kind.reason_to_publish(name)}
    return {"measured": allowed, "utility": about.get("utility", {})}


def _identify_output(case: Case, place: Place) -> dict[str, Any]:
    """Return the size and the digest of the published file; contents under original names have none to publish."""
    assert case.released is not None
    if place is not None:
        return identify_data(case.released, place)
    return {key: value for key, value in _count_sizes(case).items() if value is not None}


def _count_sizes(case: Case) -> dict[str, Any]:
    assert case.released is not None
    noun = case.released.noun[1]
    edges = None if case.is_table else case.released.m
    kind = "table" if case.is_table else "network"
    return {"kind": kind, noun: case.released.n, "edges": edges, "columns": len(case.released.attributes)}
