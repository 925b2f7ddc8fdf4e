"""Attacks on a release and its comparison with the original, for an audit; each one left out has a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.attacks import ATTACKS
from shoal.attacks.base import DRAWN
from shoal.auditing.case import Case, count_changes
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import BadParameter, ShoalError, did_you_mean
from shoal.knowledge import REGISTRY, Columns, parse_knowledge
from shoal.progress import track
from shoal.risk.assess import assess

KNOWS = "knows:"
LINKLESS = "It needs links, and a table has none. Name one that knows columns, e.g. knows:columns:age,sex."
EDITED = ("random edits", "surviving edges")
"""What an attack is compared with where links were added and removed one by one."""
REPEATS = 5
"""So many draws of random edits."""


def check_attacks(attacks: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the attacks, or refuse one that there is not."""
    standard = (f"{KNOWS}neighbors:2", *ATTACKS)
    names = standard if attacks == "standard" else (attacks,) if isinstance(attacks, str) else tuple(attacks)
    for name in names:
        if str(name).startswith(KNOWS):
            parse_knowledge(name.removeprefix(KNOWS))
        elif name not in ATTACKS:
            known = [*ATTACKS, *(KNOWS + shell for shell in REGISTRY)]
            raise BadParameter(
                f"audit: 'attacks' must be standard, {', '.join(ATTACKS)} or knows:SPEC, e.g. knows:neighbors:2. "
                f"Got {name!r}.{did_you_mean(name, known)}"
            )
    return names


def try_attacks(case: Case, attacks: str | Sequence[str], columns: Sequence[str], seed: int) -> dict[str, Any]:
    """Try attacks on the release, by known columns too where some are named; return what came of it, and what not."""
    names = check_attacks(attacks)
    if attacks == "standard" and columns:
        names = (f"{KNOWS}{Columns(*columns).spec}", *(() if case.is_table else names))
    elif attacks == "standard" and case.is_table:
        return {"tried": [], "left out": [{"name": "any attack by links", "why": LINKLESS}]}
    done: list[dict[str, Any]] = []
    lacking: list[dict[str, str]] = []
    for at, name in enumerate(names):
        track(f"attacking, {name}", at, len(names))
        reason = _explain_left_out(case, name) if attacks == "standard" else _explain_impossible(case, name)
        if reason is None:
            try:
                done.append(run_attack(case, name, seed))
                continue
            except ShoalError as error:
                reason = str(error)
        lacking.append({"name": name, "why": reason})
    return {"tried": done, "left out": lacking}


def _explain_impossible(case: Case, name: str) -> str | None:
    """Say why an attack cannot be judged."""
    if case.released is None:
        return "There is no release to attack."
    if case.is_table and (not name.startswith(KNOWS) or parse_knowledge(name.removeprefix(KNOWS)).reads_links):
        return LINKLESS
    if not case.matched:
        return "Nobody said who is who in the release, and an attack is judged by that. Pass the mapping."
    return None


def _explain_left_out(case: Case, name: str) -> str | None:
    """Say why an attack is left out of a standard report."""
    if (why := _explain_impossible(case, name)) is not None:
        return why
    return None if name.startswith(KNOWS) else ATTACKS[name].explain_omission(case.original)


def run_attack(case: Case, name: str, seed: int) -> dict[str, Any]:
    """Return the outcome of one attack as plain data."""
    from shoal.attacks import attack

    what: dict[str, Any] = {"knowledge": name.removeprefix(KNOWS)} if name.startswith(KNOWS) else {"by": name}
    same = case.pair is not None and case.pair.by == "name"
    release = case.released if case.release is None else case.release
    found = attack(case.original, release, mapping=case.mapping, same_names=same, seed=seed, **what)
    data: dict[str, Any] = found.data()
    if case.redraws and case.release is None:  # a file of links that were drawn anew has no edits to compare with
        data["trials"] = [trial for trial in data["trials"] if trial["graph"] not in EDITED]
        data["notes"] = [*data["notes"], DRAWN]
    return data


def compare_release(case: Case, seed: int) -> dict[str, Any] | None:
    """Return what became of the data, as plain data; None without a release."""
    if case.released is None or case.pair is None:
        return None
    from shoal.comparison.compare import ComparisonRun, compare, match_people

    same = case.pair.by == "name"
    if case.redraws and case.release is None:
        pair = match_people(case.original, case.released, case.mapping, same, "audit")
        return ComparisonRun(pair, [case.released], True, REPEATS, seed).run().data()
    release = case.released if case.release is None else case.release
    return compare(case.original, release, mapping=case.mapping, same_names=same, repeats=REPEATS, seed=seed).data()


def measure_tradeoff(case: Case, utility: dict[str, Any] | None, lenses: Sequence[str], k: int, seed: int) -> Any:
    """Return risk left against utility lost, for the original, the release, random edits and no links at all.

    Risk is the share of people with fewer than k candidates in the graph itself; the loss is :func:`measure_loss`.
    """
    if utility is None or case.released is None or not isinstance(case.original, Graph):
        return None
    from shoal.comparison.compare import remove_links

    graphs = {
        ("original", "before"): case.original,
        ("release", "after"): case.released,
        ("random edits", "random"): _draw_random_edits(case, seed),
        ("no links", "empty"): remove_links(case.original),
    }
    points = [
        {
            "name": name,
            "lost": measure_loss(utility, key),
            "risk": {spec: _measure_share_below(graph, spec, k) for spec in lenses},
        }
        for (name, key), graph in graphs.items()
        if graph is not None
    ]
    return {"k": k, "points": [point for point in points if point["lost"] is not None]}


def _measure_share_below(graph: Dataset, spec: str, k: int) -> float:
    """Return the share with fewer than k candidates, also where there are fewer than k vertices."""
    return float((assess(graph, parse_knowledge(spec)).sizes < k).mean())


def _draw_random_edits(case: Case, seed: int) -> Dataset | None:
    """Return the original after as many random edits as the release made; None where they cannot be counted."""
    from shoal.comparison.compare import draw_random_edits
    from shoal.utility.base import Network

    if count_changes(case) is None or case.pair is None or case.original.is_multigraph:
        return None
    if case.pair.released.is_multigraph:
        return None
    before = Network.of(case.original, who=np.arange(case.original.n), seed=seed)
    after = Network.of(case.pair.released, who=case.pair.counterpart, seed=seed)
    return next(draw_random_edits(before, after, drawn=False, repeats=1)).graph


def measure_loss(utility: dict[str, Any], key: str) -> float | None:
    """Return how much of the data is lost: the mean, over metrics, of how far each is from the original.

    Each is measured from 0, the original's value (or the best there is, for what compares both), to 1, that of a graph
    without links; farther than that is 1 too. None where no metric has both ends.
    """
    found = []
    for metric in utility["metrics"]:
        ends = _find_best_value(metric), _get_number(metric["empty"])
        value = ends[0] if key == "before" else _get_number(metric[key])
        if value is not None and ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            found.append(min(1.0, abs(value - ends[0]) / abs(ends[1] - ends[0])))
    return float(np.mean(found)) if found else None


def _find_best_value(metric: dict[str, Any]) -> float | None:
    """Return the original's value, or the end of the range that is better where there is none."""
    if metric["better"] == "closer":
        return _get_number(metric["before"])
    best: float | None = metric["high"] if metric["better"] == "higher" else metric["low"]
    return best


def _get_number(measured: dict[str, Any] | None) -> float | None:
    return None if measured is None else measured["value"]
