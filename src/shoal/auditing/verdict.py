"""Findings of an audit as plain data, what authorities ask for beside the numbers, and the verdict.

Data-protection authorities, medicines agencies and statistical offices ask which data, which columns in which role,
under which model they are released, by whose thresholds, by which method, and what is not guaranteed.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from shoal.auditing.attempts import compare_release, measure_tradeoff
from shoal.auditing.case import Case, count_changes, identify_data
from shoal.auditing.network_drawing import count_candidates_after, draw_network
from shoal.auditing.panel import (
    assess_panel,
    build_panel_row,
    count_degrees,
    list_unaffordable,
    list_unpublished,
    measure_exposure,
)
from shoal.auditing.recount import Recount, combine_verdicts, is_covered, recount_promises
from shoal.knowledge import DEFAULT_KNOWLEDGE, Adversary, Columns
from shoal.knowledge.candidates import AlikeCandidates
from shoal.release.coverage import covers
from shoal.release.guarantee import Promise
from shoal.release.manifest import describe_promise, make_plain
from shoal.risk.assess import Risk
from shoal.tables.diversity import diversity

# What authorities ask to see beside the numbers.

LIBRARIES = ("numpy", "scipy", "numba", "igraph", "networkx", "pyarrow")
CONVENTION = 0.09
"""The largest risk of a person that medicines agencies take for acceptable in public releases: a convention."""


def list_versions() -> dict[str, Any]:
    """Return what the numbers were counted with."""
    return {"shoal": version("shoal"), "python": platform.python_version(), "libraries": _list_libraries()}


def _list_libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an optional one
            continue
    return found


def list_columns(case: Case, known: Sequence[str], sensitive: Sequence[str]) -> list[dict[str, Any]]:
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


def list_thresholds(threshold: float, k: int, set_by: str | None) -> list[dict[str, Any]]:
    """Return the thresholds, who set them, and which of them are only a convention."""
    usual = threshold == CONVENTION
    return [
        {"what": "maximum risk", "value": threshold, "set by": set_by, "convention": usual},
        {"what": "candidates", "value": k, "set by": set_by, "convention": k == 5},
    ]


def describe_method(case: Case) -> dict[str, Any] | None:
    """Return what was done and why it protects, as far as it is known; None without a release."""
    if case.about is None:
        return None
    told = {"name": case.about["method"]["name"], "settings": {}}
    told["settings"] = {name: value for name, value in case.about["method"].items() if name != "name"}
    made = None if case.release is None else case.release.method
    words = {} if made is None else {key: getattr(made, key) for key in ("changes", "protects", "promises", "source")}
    return told | {"words": words or _describe_method_kind(told["name"])}


def _describe_method_kind(name: str) -> dict[str, str]:
    """Return what is said about a method that is known only by its name."""
    kind = find_method_kind(name)
    return {} if kind is None else {key: getattr(kind, key) for key in ("changes", "protects", "promises", "source")}


def find_method_kind(name: str) -> Any:
    """Return the kind of method that a public file names; None where there is none of that name."""
    from shoal.methods.pipeline import Pipeline
    from shoal.methods.registry import METHODS, find_method

    return find_method(name) if name in METHODS else Pipeline if name == Pipeline.shell else None


def list_promises(case: Case) -> list[dict[str, Any]]:
    """Return what is promised, as plain data."""
    if case.release is not None:
        return [describe_promise(promise) for promise in case.release.promises]
    return [] if case.about is None else list(case.about["promise"])


def list_unpromised(case: Case) -> list[str]:
    """Return the kinds of knowledge of the standard panel that no promise about links covers."""
    if case.is_table:
        return []
    about = _list_link_promises(case)
    return [knows.spec for knows in DEFAULT_KNOWLEDGE if not any(covers(promise, knows) for promise in about)]


def _list_link_promises(case: Case) -> list[Any]:
    from shoal.knowledge import parse_knowledge

    if case.release is not None:
        return [p for p in case.release.promises if isinstance(p, Promise) and p.vertices == "all"]
    told = [p for p in list_promises(case) if p.get("kind") == "candidates" and p.get("for") == "all"]
    return [Promise(parse_knowledge(p["knows"]), p["k"], source=p["source"]) for p in told]


def list_residual_risks(case: Case) -> dict[str, Any]:
    """Return what the promise leaves open."""
    open_columns = [] if case.about is None else list(case.about["columns in no promise"])
    return {
        "not promised": list_unpromised(case),
        "columns in no promise": open_columns,
        "notes": [] if case.release is None else list(case.release.notes),
    }


def build_certificate(case: Case, output: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what was promised and how that was verified, with commands that check it again; None without a promise."""
    made = list_promises(case)
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


def list_secrets(case: Case, *, names: bool) -> dict[str, Any]:
    """Return what repeats a release and must not leave the house; a method may name people, and is shown if asked."""
    if case.release is None:
        return {}
    whole = {"method": repr(case.release.method)} if names else {}
    return {"seed": make_plain(case.release.seed), **whole}


def list_measured(case: Case) -> dict[str, Any]:
    """Return what the method measured, all of it for its maker."""
    if case.release is not None:
        found: dict[str, Any] = make_plain(case.release.measured)
        return found
    return {} if case.about is None else dict(case.about["measured"])


# What was counted, and the verdict that follows from it.

SCHEMA = 1
VERDICTS = ("pass", "fail", "cannot tell")


@dataclass(frozen=True, eq=False)
class CountedRisks:
    """What was counted: each kind of knowledge before, in the release itself, and with facts of the original."""

    before: list[Risk]
    inside: list[Risk]
    attacked: list[Risk]
    left_out: list[dict[str, str]]
    """Kinds of knowledge that were not sought with facts of the original, each with the reason."""

    @classmethod
    def of(cls, case: Case, panel: Sequence[Adversary], *, all_of_it: bool) -> CountedRisks:
        """Count; what would take too long is left out unless all of it was asked for."""
        before = [] if case.outside else assess_panel(case.original, panel, "risk before")
        if case.released is None:
            return cls(before, [], [], [])
        gone = list_unpublished(case.original, case.released, panel)
        there = [adversary for adversary in panel if adversary.spec not in gone]
        inside = assess_panel(case.released, there, "risk after")
        reasons = dict(gone)
        attacked = []
        if case.matched:
            reasons |= {} if all_of_it else list_unaffordable(case.original, there)
            sought = [adversary for adversary in there if adversary.spec not in reasons]
            attacked = assess_panel(case.released, sought, "attacked", case.original, case.mapping)
        return cls(before, inside, attacked, [{"knows": spec, "why": why} for spec, why in reasons.items()])


def list_findings(
    case: Case, seen: CountedRisks, k: int, threshold: float, known: Sequence[str], sensitive: Sequence[str], seed: int
) -> dict[str, Any]:
    """Return what was counted, as plain data."""
    rows = [
        [build_panel_row(risk, k, threshold) for risk in risks] for risks in (seen.before, seen.inside, seen.attacked)
    ]
    utility = compare_release(case, seed)
    lenses = _choose_lenses(case, seen)
    counted = [] if case.released is None else recount_promises(case, seen.inside)
    released = case.released
    output = None if released is None else identify_data(released, case.files[1])
    return {
        "schema": SCHEMA,
        **list_versions(),
        "form": "internal",
        "input": identify_data(case.original, case.files[0]),
        "output": output,
        "matched": None if case.pair is None else case.pair.by,
        "columns": list_columns(case, known, sensitive),
        "before": {"panel": rows[0]},
        "after": None
        if released is None
        else {"itself": rows[1], "attacked": rows[2] or None, "left out": seen.left_out},
        "inference": _measure_inference(case, known, sensitive),
        "levels": {
            "before": None if case.outside else measure_exposure(case.original, k, known),
            "after": None if released is None else measure_exposure(released, k, known),
        },
        "degrees": {
            "before": count_degrees(case.original),
            "after": None if released is None else count_degrees(released),
        },
        "changes": count_changes(case),
        "utility": utility,
        "tradeoff": measure_tradeoff(case, utility, lenses, k, seed),
        "drawing": _draw_case(case, seen, lenses, seed),
        "method": describe_method(case),
        "promise": list_promises(case),
        "recounted": [one.data() for one in counted],
        "promised": _list_covered(case, counted, rows[1], rows[2], threshold),
        "verification": [] if case.about is None else list(case.about["verification"]),
        "measured": list_measured(case),
        "residual": list_residual_risks(case),
        "certificate": build_certificate(case, output),
        "seeds": {"audit": seed},
    }


def _list_covered(
    case: Case, counted: Sequence[Recount], inside: Sequence[Any], facts: Sequence[Any], threshold: float
) -> list[str]:
    """Return the kinds of knowledge that a promise covers which was counted again and holds."""
    sought = {found["knows"] for found in facts}
    specs = [found["knows"] for found in inside]
    return [spec for spec in specs if is_covered(case, counted, spec, threshold, sought=spec in sought)]


def _choose_lenses(case: Case, seen: CountedRisks) -> list[str]:
    """Return through which knowledge the network is drawn: the promised one, and one that is usually not promised."""
    last = seen.before if case.released is None else seen.inside
    there = [
        risk.adversary.spec for risk in last if risk.adversary.reads_links and not isinstance(risk.adversary, Columns)
    ]
    promised = [p["knows"] for p in list_promises(case) if p.get("kind") == "candidates" and p["knows"] in there]
    wanted = [*(promised or ["degree"]), "neighbors:2", "degree", *there]
    return [spec for spec in dict.fromkeys(wanted) if spec in there][:2]


def _draw_case(case: Case, seen: CountedRisks, lenses: Sequence[str], seed: int) -> dict[str, Any] | None:
    """Return the drawing, everybody's candidates after being the fewer of two ways to know."""
    if case.outside:
        return None
    before = {r.adversary.spec: r.sizes for r in seen.before if r.adversary.spec in lenses}
    facts = {r.adversary.spec: r.sizes for r in seen.attacked}
    after = {}
    if case.pair is not None and case.pair.counterpart is not None:
        for risk in seen.inside:
            if (spec := risk.adversary.spec) in lenses:
                after[spec] = count_candidates_after(risk.sizes, facts.get(spec), case.pair.counterpart)
    return draw_network(case, {spec: before[spec] for spec in lenses}, after, seed)


def _measure_inference(case: Case, known: Sequence[str], sensitive: Sequence[str]) -> dict[str, Any]:
    """Return what classes give away about sensitive columns without telling their members apart."""
    found: dict[str, Any] = {"columns": list(sensitive), "known": list(known), "before": [], "after": []}
    if not sensitive or not known:
        return found
    for when, data in (("before", None if case.outside else case.original), ("after", case.released)):
        if data is not None and all(name in data.attributes for name in (*known, *sensitive)):
            (risk,) = assess_panel(data, [Columns(*known)], "inference")
            assert isinstance(risk.answer, AlikeCandidates)
            found[when] = [{**vars(one)} for one in diversity(risk, list(sensitive))]
    return found


def reach_verdict(data: dict[str, Any]) -> dict[str, Any]:
    """Return which kinds of knowledge pass, the worst before and after, and the attack that went farthest.

    What is decided by a promise is named in "by promise", and those that were not sought with facts of the original in
    "not sought".
    """
    before, after = data["before"]["panel"], data["after"]
    rows = before if after is None else after["itself"]
    facts = {} if after is None else {r["knows"]: r for r in after["attacked"] or []}
    every = [*rows, *facts.values()]
    judged = {r["knows"]: r["verdict"] for r in rows}
    if after is not None:
        judged = {r["knows"]: combine_verdicts(r, facts.get(r["knows"]), r["knows"] in data["promised"]) for r in rows}
    groups = {name: [spec for spec, found in judged.items() if found == name] for name in VERDICTS}
    by_promise = [s for s in groups["pass"] if after is not None and facts.get(s, {}).get("verdict") != "pass"]
    unsought = [spec for spec in judged if after is not None and spec not in facts]
    worst = {"before": _find_worst_row(before), "itself": _find_worst_row(rows), "after": _find_worst_row(every)}
    return {
        **groups,
        "by promise": by_promise,
        "not sought": unsought,
        "kinds": len(rows),
        "worst": worst,
        "attack": _find_farthest_attack(data["attacks"]["tried"]),
    }


def _find_worst_row(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the row with most people below k; None of none."""
    if not rows:
        return None
    found = max(rows, key=lambda r: (r["below"], r["alone"]))
    return {key: found[key] for key in ("knows", "k", "exact", "all_exact", "alone", "below", "vertices", "misled")}


def _find_farthest_attack(tried: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the attack whose main rate on the release is the highest."""
    rates = []
    for attack in tried:
        trials = {trial["graph"]: trial["rates"] for trial in attack["trials"]}
        rate = trials.get("release", {}).get(attack["main"])
        if rate is not None:
            guess = trials.get("guessing", {}).get(attack["main"])
            rates.append(
                {"attack": attack["attack"], "main": attack["main"], **rate, "guessing": guess and guess["rate"]}
            )
    return max(rates, key=lambda found: found["rate"]) if rates else None


def list_repeat_commands(
    case: Case, k: int, threshold: float, columns: Sequence[str], sensitive: Sequence[str], seed: int
) -> list[str]:
    """Return commands that repeat the audit and check the promise again; options of reading are to be added."""
    first, second = (str(Path(f).name) if f and not str(f).startswith("example:") else f for f in case.files)
    words = ["shoal audit", first or "ORIGINAL"]
    if case.released is not None:
        by = "--mapping SECRET" if case.pair is not None and case.pair.by == "mapping" else "--same-names"
        words += [second or "RELEASED", *([by] if case.matched else [])]
    named = {"--columns": columns, "--sensitive": sensitive}
    words += [f"{option} {shlex.quote(','.join(names))}" for option, names in named.items() if names]
    words += [f"-k {k} --threshold {threshold:g} --seed {seed}", "-o report.html"]
    return [" ".join(map(str, words)), *((build_certificate(case, {"file": second}) or {}).get("check again", []))]
