"""The verdict of an audit: one judgment per attacker model, from the counts and the guarantees that hold.

The risk of a person is 1 / (number of candidates). A search that was cut short gives an upper bound on the candidates
and so a lower bound on the risk: it can fail a threshold, never pass one.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.auditing.case import Case
from shoal.auditing.findings import Decision, PanelRow, RiskAfter
from shoal.auditing.model import Judgment, PromiseCheck, Verdict
from shoal.data.dataset import Dataset
from shoal.knowledge import Adversary, parse_knowledge
from shoal.release.guarantee import AnyPromise, Promise, covers
from shoal.risk.assess import Risk

Recounted = Sequence[tuple[AnyPromise | None, PromiseCheck]]


def judge_risk(risk: Risk, threshold: float) -> Decision:
    """Compare the highest risk of a person with the threshold.

    >>> import networkx as nx, shoal
    >>> [judge_risk(shoal.assess(nx.cycle_graph(n), "degree"), 0.09) for n in (11, 12)]
    ['fail', 'pass']
    """
    if risk.k == 0:
        return "cannot tell"
    if 1 / risk.k > threshold:
        return "fail"
    return "cannot tell" if list_doubts(risk) else "pass"


def list_doubts(risk: Risk) -> tuple[str, ...]:
    """Return why a count cannot pass: people are misled, values were recoded, or a search was cut short."""
    reasons = {
        "misled": bool((risk.sizes == 0).any()),
        "recoded": bool(risk.unmatched) or bool(risk.unfit.any()),
        "cut short": not risk.exact_sizes.all(),
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def reach_verdict(
    case: Case, before: Sequence[PanelRow], after: RiskAfter | None, recounted: Recounted, threshold: float
) -> Verdict:
    """Return the judgment on each attacker model of the release, or of the original where there is no release."""
    if after is None:
        return Verdict(tuple(Judgment(row.knows, row.verdict, False, False, True) for row in before))
    facts = {row.knows: row for row in after.original_facts or ()}
    return Verdict(
        tuple(_judge_release(case, row, facts.get(row.knows), recounted, threshold) for row in after.release_facts)
    )


def _judge_release(
    case: Case, row: PanelRow, facts: PanelRow | None, recounted: Recounted, threshold: float
) -> Judgment:
    covered = is_covered(case, recounted, row.knows, threshold, with_original=facts is not None)
    verdict = combine_verdicts(row, facts, covered)
    by_guarantee = verdict == "pass" and (facts is None or facts.verdict != "pass")
    return Judgment(row.knows, verdict, covered, by_guarantee, facts is not None)


def combine_verdicts(row: PanelRow, facts: PanelRow | None, covered: bool) -> Decision:
    """Return the verdict by facts from the release (`row`) and from the original (`facts`; None: not assessed).

    A guarantee of k candidates bounds the chance of identifying any person by 1 / k, whatever the attacker's facts are.
    Either the facts do not fit the person, who is then not found; or they are true in the release, and k people fit.
    """
    if row.verdict == "fail" or (facts is not None and facts.verdict == "fail"):
        return "fail"
    if row.verdict != "pass":
        return "cannot tell"
    if facts is not None and facts.verdict == "pass":
        return "pass"
    recoded = facts is not None and "recoded" in facts.doubts
    return "pass" if covered and not recoded else "cannot tell"


def is_covered(case: Case, recounted: Recounted, spec: str, threshold: float, *, with_original: bool) -> bool:
    """Tell whether a recounted guarantee that holds bounds the risk of every person by the threshold.

    Knowledge of columns is covered only if facts from the original were assessed: values may have been recoded.
    """
    knows = parse_knowledge(spec)
    if case.released is None or case.released.is_multigraph:
        return False  # the proofs of what covers what are for simple graphs
    if not with_original and _reads_columns(knows, case.original):
        return False
    sure = all(part.stays_true for part in knows.parts)
    return any(
        isinstance(promise, Promise)
        and promise.vertices == "all"
        and 1 / promise.k <= threshold
        and covers(promise, knows)
        and (sure or promise.source == "original")
        for promise, check in recounted
        if check.holds
    )


def _reads_columns(knows: Adversary, data: Dataset) -> bool:
    return any(not part.reads_links or part.columns(data.attributes) for part in knows.parts)
