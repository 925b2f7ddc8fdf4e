"""Findings: what was counted about a case, as plain data, and the verdict that follows from it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.auditing.attempts import compared, tradeoff
from shoal.auditing.case import Case, changes, identified
from shoal.auditing.dossier import certificate, columns_of, measured, method, promises, residual, versions
from shoal.auditing.network_drawing import drawing, hidden_after
from shoal.auditing.panel import affordable, assessed, degrees, exposure, row, unpublished
from shoal.auditing.recount import Recount, covered, recounted, together
from shoal.knowledge import Adversary, Columns
from shoal.knowledge.candidates import AlikeCandidates
from shoal.risk.assess import Risk
from shoal.tables.diversity import diversity

SCHEMA = 1
VERDICTS = ("pass", "fail", "cannot tell")


@dataclass(frozen=True, eq=False)
class Seen:
    """What was counted: each kind of knowledge before, in the release itself, and with facts of the original."""

    before: list[Risk]
    inside: list[Risk]
    attacked: list[Risk]
    left_out: list[dict[str, str]]
    """Kinds of knowledge that were not sought with facts of the original, each with the reason."""

    @classmethod
    def of(cls, case: Case, panel: Sequence[Adversary], *, all_of_it: bool) -> Seen:
        """Count; what would take too long is left out unless all of it was asked for."""
        before = [] if case.outside else assessed(case.original, panel, "risk before")
        if case.released is None:
            return cls(before, [], [], [])
        gone = unpublished(case.original, case.released, panel)
        there = [adversary for adversary in panel if adversary.spec not in gone]
        inside = assessed(case.released, there, "risk after")
        reasons = dict(gone)
        attacked = []
        if case.matched:
            reasons |= {} if all_of_it else affordable(case.original, there)
            sought = [adversary for adversary in there if adversary.spec not in reasons]
            attacked = assessed(case.released, sought, "attacked", case.original, case.mapping)
        return cls(before, inside, attacked, [{"knows": spec, "why": why} for spec, why in reasons.items()])


def findings(
    case: Case, seen: Seen, k: int, threshold: float, known: Sequence[str], sensitive: Sequence[str], seed: int
) -> dict[str, Any]:
    """Return what was counted, as plain data."""
    rows = [[row(risk, k, threshold) for risk in risks] for risks in (seen.before, seen.inside, seen.attacked)]
    utility = compared(case, seed)
    lenses = _lenses(case, seen)
    counted = [] if case.released is None else recounted(case, seen.inside)
    released = case.released
    output = None if released is None else identified(released, case.files[1])
    return {
        "schema": SCHEMA,
        **versions(),
        "form": "internal",
        "input": identified(case.original, case.files[0]),
        "output": output,
        "matched": None if case.pair is None else case.pair.by,
        "columns": columns_of(case, known, sensitive),
        "before": {"panel": rows[0]},
        "after": None
        if released is None
        else {"itself": rows[1], "attacked": rows[2] or None, "left out": seen.left_out},
        "inference": _inference(case, known, sensitive),
        "levels": {
            "before": None if case.outside else exposure(case.original, k, known),
            "after": None if released is None else exposure(released, k, known),
        },
        "degrees": {
            "before": degrees(case.original),
            "after": None if released is None else degrees(released),
        },
        "changes": changes(case),
        "utility": utility,
        "tradeoff": tradeoff(case, utility, lenses, k, seed),
        "drawing": _drawn(case, seen, lenses, seed),
        "method": method(case),
        "promise": promises(case),
        "recounted": [one.data() for one in counted],
        "promised": _promised(case, counted, rows[1], rows[2], threshold),
        "verification": [] if case.about is None else list(case.about["verification"]),
        "measured": measured(case),
        "residual": residual(case),
        "certificate": certificate(case, output),
        "seeds": {"audit": seed},
    }


def _promised(
    case: Case, counted: Sequence[Recount], inside: Sequence[Any], facts: Sequence[Any], threshold: float
) -> list[str]:
    """Return the kinds of knowledge that a promise covers which was counted again and holds."""
    sought = {found["knows"] for found in facts}
    specs = [found["knows"] for found in inside]
    return [spec for spec in specs if covered(case, counted, spec, threshold, sought=spec in sought)]


def _lenses(case: Case, seen: Seen) -> list[str]:
    """Return through which knowledge the network is drawn: the promised one, and one that is usually not promised."""
    last = seen.before if case.released is None else seen.inside
    there = [
        risk.adversary.spec for risk in last if risk.adversary.reads_links and not isinstance(risk.adversary, Columns)
    ]
    promised = [p["knows"] for p in promises(case) if p.get("kind") == "candidates" and p["knows"] in there]
    wanted = [*(promised or ["degree"]), "neighbors:2", "degree", *there]
    return [spec for spec in dict.fromkeys(wanted) if spec in there][:2]


def _drawn(case: Case, seen: Seen, lenses: Sequence[str], seed: int) -> dict[str, Any] | None:
    """Return the drawing, everybody's candidates after being the fewer of two ways to know."""
    if case.outside:
        return None
    before = {r.adversary.spec: r.sizes for r in seen.before if r.adversary.spec in lenses}
    facts = {r.adversary.spec: r.sizes for r in seen.attacked}
    after = {}
    if case.pair is not None and case.pair.counterpart is not None:
        for risk in seen.inside:
            if (spec := risk.adversary.spec) in lenses:
                after[spec] = hidden_after(risk.sizes, facts.get(spec), case.pair.counterpart)
    return drawing(case, {spec: before[spec] for spec in lenses}, after, seed)


def _inference(case: Case, known: Sequence[str], sensitive: Sequence[str]) -> dict[str, Any]:
    """Return what classes give away about sensitive columns without telling their members apart."""
    found: dict[str, Any] = {"columns": list(sensitive), "known": list(known), "before": [], "after": []}
    if not sensitive or not known:
        return found
    for when, data in (("before", None if case.outside else case.original), ("after", case.released)):
        if data is not None and all(name in data.attributes for name in (*known, *sensitive)):
            (risk,) = assessed(data, [Columns(*known)], "inference")
            assert isinstance(risk.answer, AlikeCandidates)
            found[when] = [{**vars(one)} for one in diversity(risk, list(sensitive))]
    return found


def verdict(data: dict[str, Any]) -> dict[str, Any]:
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
        judged = {r["knows"]: together(r, facts.get(r["knows"]), r["knows"] in data["promised"]) for r in rows}
    groups = {name: [spec for spec, found in judged.items() if found == name] for name in VERDICTS}
    by_promise = [s for s in groups["pass"] if after is not None and facts.get(s, {}).get("verdict") != "pass"]
    unsought = [spec for spec in judged if after is not None and spec not in facts]
    worst = {"before": _worst(before), "itself": _worst(rows), "after": _worst(every)}
    return {
        **groups,
        "by promise": by_promise,
        "not sought": unsought,
        "kinds": len(rows),
        "worst": worst,
        "attack": _farthest(data["attacks"]["tried"]),
    }


def _worst(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the row with most people below k; None of none."""
    if not rows:
        return None
    found = max(rows, key=lambda r: (r["below"], r["alone"]))
    return {key: found[key] for key in ("knows", "k", "proved", "all_proved", "alone", "below", "vertices", "misled")}


def _farthest(tried: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
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


def again(
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
    return [" ".join(map(str, words)), *((certificate(case, identified_name(second)) or {}).get("check again", []))]


def identified_name(place: Any) -> dict[str, Any]:
    """Return a file by its name alone."""
    return {"file": place}
