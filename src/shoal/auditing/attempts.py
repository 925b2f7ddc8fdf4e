"""Attacks on a release, its comparison with the original, and the tradeoff; each one left out has a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from shoal.attacks import ATTACKS, find_attack
from shoal.attacks.base import DRAWN, Attack, Outcome, does_law_hold, list_law_numbers
from shoal.auditing.case import Case, count_changes
from shoal.auditing.findings import AttackResult, Attacks, ImpliedBound, LeftOut, Tradeoff, TradeoffPoint
from shoal.auditing.panel import Assessments
from shoal.comparison.compare import Comparison, ComparisonRow
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import BadParameter, OutOfTime, ShoalError, did_you_mean
from shoal.knowledge import REGISTRY, Adversary, Columns, parse_knowledge
from shoal.limits import find_limit, limit_time
from shoal.progress import track
from shoal.release.manifest import make_plain
from shoal.utility.base import Measurement
from shoal.workers import BoundedWork

KNOWS = "knows:"
LINKLESS = "It needs links, and a table has none. Name an attack that knows columns, e.g. knows:columns:age,sex."
EDITED = ("random edits", "surviving edges")
"""Controls that exist only where links were added and removed one by one."""
REPEATS = 5
"""Draws of random edits."""
COMPARING = 0.8
"""The share of the time left that metrics may take; little else follows."""
LINKS = 5_000_000
"""The most links that all repeats of an attack, or all draws of random edits, have together unless they are named."""


def check_attacks(attacks: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the attacks; refuse an unknown name."""
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


def try_attacks(case: Case, attacks: str | Sequence[str], columns: Sequence[str], seed: int) -> Attacks:
    """Try attacks on the release, by known columns too where some are named."""
    names = check_attacks(attacks)
    if attacks == "standard" and columns:
        names = (f"{KNOWS}{Columns(*columns).spec}", *(() if case.is_table else names))
    elif attacks == "standard" and case.is_table:
        return Attacks((), (LeftOut("any attack by links", LINKLESS),), ())
    done: list[AttackResult] = []
    explain = _explain_left_out if attacks == "standard" else _explain_impossible
    lacking = {name: why for name in names if (why := explain(case, name)) is not None}
    possible, limit = [name for name in names if name not in lacking], find_limit()
    limit, ended = None if limit is None else limit.share(), []
    with BoundedWork(case, limit) as work:
        for at, name in enumerate(possible, 1):
            track(f"attacking, {name}", at - 1, len(possible))
            tried = choose_attack(name, case.original if attacks == "standard" else None)
            try:
                done.append(work.run(partial(run_attack, tried, seed), last=at == len(possible)))
            except OutOfTime as late:
                lacking[name] = f"It was {late}."
                ended.append(name)
            except ShoalError as error:
                lacking[name] = str(error)
    track("attacking", 1, 1)
    return Attacks(tuple(done), tuple(LeftOut(name, lacking[name]) for name in names if name in lacking), tuple(ended))


def choose_attack(name: str, original: Dataset | None) -> Attack | Adversary:
    """Return the attack, or the knowledge, of this name; with fewer repeats if `original` is a large network."""
    if name.startswith(KNOWS):
        return parse_knowledge(name.removeprefix(KNOWS))
    made: Any = find_attack(name)()
    if original is None or not hasattr(made, "repeats"):
        return made  # type: ignore[no-any-return]
    return replace(made, repeats=limit_repeats(made.repeats, original))  # type: ignore[no-any-return]


def limit_repeats(many: int, original: Dataset) -> int:
    """Return how many repeats are affordable: an estimate by the number of links, never by a clock.

    >>> import shoal
    >>> limit_repeats(10, shoal.examples.karate())
    10
    """
    return max(1, min(many, LINKS // max(1, original.m)))


def _explain_impossible(case: Case, name: str) -> str | None:
    """Return why an attack cannot be evaluated; None where it can."""
    if case.released is None:
        return "There is no release to attack."
    if case.is_table and (not name.startswith(KNOWS) or parse_knowledge(name.removeprefix(KNOWS)).reads_links):
        return LINKLESS
    if not case.matched:
        return "Evaluating an attack needs the original-to-released mapping. Pass the mapping."
    return None


def _explain_left_out(case: Case, name: str) -> str | None:
    """Return why an attack is left out of a standard report; None where it is tried."""
    if (why := _explain_impossible(case, name)) is not None:
        return why
    return None if name.startswith(KNOWS) else ATTACKS[name].explain_omission(case.original)


def run_attack(tried: Attack | Adversary, seed: int, case: Case) -> AttackResult:
    """Try one attack."""
    from shoal.attacks import attack

    what: dict[str, Any] = {"knowledge": tried} if isinstance(tried, Adversary) else {"by": tried}
    same = case.pair is not None and case.pair.by == "name"
    release = case.released if case.release is None else case.release
    found: Outcome = attack(case.original, release, mapping=case.mapping, same_names=same, seed=seed, **what)
    trials, notes = found.trials, found.notes
    if case.redraws and case.release is None:  # a file of links that were drawn again has no edits to compare with
        trials, notes = tuple(trial for trial in trials if trial.graph not in EDITED), (*notes, DRAWN)
    law = found.law
    bound = None if law is None else ImpliedBound(str(law["means"]), does_law_hold(law), list_law_numbers(law))
    settings, meanings = make_plain(found.settings), dict(found.meanings)
    return AttackResult(found.shell, found.means, found.main, settings, trials, meanings, bound, notes, found.partial)


def compare_release(case: Case, seed: int) -> Comparison | None:
    """Compare the release with the original; None without a release."""
    if case.released is None or case.pair is None:
        return None
    from shoal.comparison.compare import ComparisonRun, compare, match_people

    same, limit, repeats = case.pair.by == "name", find_limit(), limit_repeats(REPEATS, case.original)
    with limit_time(None if limit is None else limit.cap(COMPARING * limit.left)):
        if case.redraws and case.release is None:
            pair = match_people(case.original, case.released, case.mapping, same, "audit")
            return ComparisonRun(pair, [case.released], True, repeats, seed).run()
        release = case.released if case.release is None else case.release
        return compare(case.original, release, mapping=case.mapping, same_names=same, repeats=repeats, seed=seed)


def measure_tradeoff(
    case: Case, seen: Assessments, utility: Comparison | None, lenses: Sequence[str], k: int, seed: int
) -> Tradeoff | None:
    """Return the risk left and the utility lost, for the original, the release, random edits and no links at all.

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
    points = []
    for (name, side), graph in graphs.items():
        lost = None if graph is None else measure_loss(utility, side)
        if graph is not None and lost is not None:
            risk = {spec: _measure_share_below(graph, spec, k, seen) for spec in lenses}
            points.append(TradeoffPoint(name, lost, risk))
    return Tradeoff(k, tuple(points))


def _measure_share_below(graph: Dataset, spec: str, k: int, seen: Assessments) -> float:
    """Return the share with fewer than k candidates, also where there are fewer than k vertices."""
    return float((seen.count(graph, parse_knowledge(spec)).sizes < k).mean())


def _draw_random_edits(case: Case, seed: int) -> Dataset | None:
    """Return the original after as many random edits as the release has; None where they cannot be counted."""
    from shoal.comparison.compare import draw_random_edits
    from shoal.utility.base import Network

    if count_changes(case) is None or case.pair is None or case.original.is_multigraph:
        return None
    if case.pair.released.is_multigraph:
        return None
    before = Network.of(case.original, who=np.arange(case.original.n), seed=seed)
    after = Network.of(case.pair.released, who=case.pair.counterpart, seed=seed)
    return next(draw_random_edits(before, after, drawn=False, repeats=1)).links


def measure_loss(utility: Comparison, side: str) -> float | None:
    """Return the utility lost: the mean distance of the metrics from the original.

    The distance of a metric is 0 at the original's value (or at the best value, for a metric that compares both) and 1
    at the value of a graph without links; beyond that it is 1. None where no metric has both ends.
    """
    found = []
    for row in utility.rows:
        best, worst = _find_best_value(row), _get_number(row.empty)
        value = best if side == "before" else _get_number(getattr(row, side))
        if value is not None and best is not None and worst is not None and best != worst:
            found.append(min(1.0, abs(value - best) / abs(worst - best)))
    return float(np.mean(found)) if found else None


def _find_best_value(row: ComparisonRow) -> float | None:
    """Return the original's value; for a metric that compares both, the better end of its range."""
    if row.metric.better == "closer":
        return _get_number(row.before)
    return row.metric.high if row.metric.better == "higher" else row.metric.low


def _get_number(measured: Measurement | None) -> float | None:
    return None if measured is None else measured.value
