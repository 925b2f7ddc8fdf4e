"""Tried: attacks and the comparison with the original, where it is known who is who. What was left out has a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.adversaries import parse
from shoal.auditing.case import Case
from shoal.errors import ShoalError
from shoal.progress import track
from shoal.risk.assess import assess

STANDARD = ("knows:neighbors:2", "korula-lattanzi", "narayanan-shmatikov", "grampa", "cascade", "planted-walk")
"""What is tried if nothing is named: a known few neighbors, three matchings, whoever falls next, and planted people."""
KNOWS = "knows:"
DENSE = 1_000
"""GRAMPA takes all pairs of vertices into account: beyond so many it is left out of a report."""

SWEPT = 50_000
"""Narayanan and Shmatikov's propagation takes minutes beyond so many links, and is left out of a report."""


def attempts(case: Case, attacks: str | Sequence[str], seed: int) -> dict[str, Any]:
    """Try attacks on the release, and return what they came to and which were left out."""
    names = STANDARD if attacks == "standard" else (attacks,) if isinstance(attacks, str) else tuple(attacks)
    done: list[dict[str, Any]] = []
    lacking: list[dict[str, str]] = []
    for at, name in enumerate(names):
        track(f"attacking, {name}", at, len(names))
        reason = _too_much(case, name) if attacks == "standard" else _impossible(case)
        if reason is None:
            try:
                done.append(attacked(case, name, seed))
                continue
            except ShoalError as error:
                reason = str(error)
        lacking.append({"name": name, "why": reason})
    return {"tried": done, "left out": lacking}


def _impossible(case: Case) -> str | None:
    """Say why no attack can be judged."""
    if case.released is None:
        return "There is no release to attack."
    if case.is_table:
        return "It matches links, and a table has none."
    if not case.matched:
        return "Nobody said who is who in the release, and an attack is judged by that. Pass the mapping."
    return None


def _too_much(case: Case, name: str) -> str | None:
    """Say why an attack is left out of a standard report."""
    if (why := _impossible(case)) is not None:
        return why
    n = case.original.n
    if name == "grampa" and n > DENSE:
        return f"It compares all pairs of {n:,} vertices, and is tried up to {DENSE:,}. Name it to have it tried."
    if name == "narayanan-shmatikov" and case.original.m > SWEPT:
        links = f"{case.original.m:,} links"
        return f"It goes over all vertices until nothing changes, and is tried up to {SWEPT:,} links. Got {links}."
    if name == "planted-walk":
        return "It plants people and runs the method again, many times, which may take long. Name it to have it tried."
    return None


def attacked(case: Case, name: str, seed: int) -> dict[str, Any]:
    """Return the outcome of one attack as plain data."""
    from shoal.attacks.front import attack

    what: dict[str, Any] = {"knows": name.removeprefix(KNOWS)} if name.startswith(KNOWS) else {"by": name}
    found = attack(case.original, case.release or case.released, mapping=case.mapping, seed=seed, **what)
    data: dict[str, Any] = found.data()
    return data


def compared(case: Case, seed: int) -> dict[str, Any] | None:
    """Return what became of the data, as plain data; None without a release."""
    if case.released is None or case.pair is None:
        return None
    from shoal.utility.compare import compare

    same = case.pair.by == "name"
    found = compare(case.original, case.release or case.released, mapping=case.mapping, same_names=same, seed=seed)
    data: dict[str, Any] = found.data()
    return data


def tradeoff(case: Case, utility: dict[str, Any] | None, lenses: Sequence[str], k: int, seed: int) -> Any:
    """Return risk left against utility lost, for the original, the release, random edits and no links at all.

    Risk is the share of people with fewer than k candidates in the graph itself; the loss is :func:`lost`.
    """
    if utility is None or case.released is None or case.is_table:
        return None
    graphs = {"original": case.original, "release": case.released, "random edits": _random(case, seed)}
    points = []
    for name, graph in graphs.items():
        if graph is not None and k <= graph.n:
            key = {"original": "before", "release": "after", "random edits": "random"}[name]
            rates = {spec: assess(graph, parse(spec)).rate(k) for spec in lenses}
            points.append({"name": name, "lost": lost(utility, key), "risk": rates})
    points.append({"name": "no links", "lost": lost(utility, "empty"), "risk": dict.fromkeys(lenses, 0.0)})
    return {"k": k, "points": [point for point in points if point["lost"] is not None]}


def _random(case: Case, seed: int) -> Any:
    """Return the original after as many random edits as the release made; None where they cannot be counted."""
    from shoal.anonymizers.perturbation_draws import perturbed
    from shoal.auditing.case import changes

    made = changes(case)
    if made is None or case.original.multiplicity is not None:
        return None
    return perturbed(case.original, made["added"], made["removed"], np.random.default_rng(seed))


def lost(utility: dict[str, Any], key: str) -> float | None:
    """Return how much of the data is lost: the mean, over metrics, of how far each is from the original.

    Each is measured from 0, the original's value (or the best there is, for what compares both), to 1, that of a graph
    without links; farther than that is 1 too. None where no metric has both ends.
    """
    found = []
    for metric in utility["metrics"]:
        ends = _best(metric), _number(metric["empty"])
        value = ends[0] if key == "before" else _number(metric[key])
        if value is not None and ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            found.append(min(1.0, abs(value - ends[0]) / abs(ends[1] - ends[0])))
    return float(np.mean(found)) if found else None


def _best(metric: dict[str, Any]) -> float | None:
    """Return the original's value, or the end of the range that is better where there is none."""
    if metric["better"] == "closer":
        return _number(metric["before"])
    best: float | None = metric["high"] if metric["better"] == "higher" else metric["low"]
    return best


def _number(measured: dict[str, Any] | None) -> float | None:
    return None if measured is None else measured["value"]
