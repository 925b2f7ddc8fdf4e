"""The verdict of an audit: the counted risks, judged by the scenario.

A search that was cut short gives an upper bound on the candidates. It can prove that a person is below k, never that a
person is not.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.auditing.case import Case
from shoal.auditing.findings import JudgedPeople, ScenarioKind, ScenarioRecord, Verdict
from shoal.auditing.model import PromiseCheck
from shoal.auditing.panel import CountedRisks
from shoal.knowledge import Adversary
from shoal.release.guarantee import AnyPromise, Promise, covers
from shoal.risk.assess import Risk
from shoal.risk.scenario import Scenario, combine_decisions, judge_risks
from shoal.shares import spell_share

Recounted = Sequence[tuple[AnyPromise | None, PromiseCheck]]


def reach_verdict(
    case: Case, scenario: Scenario, risks: CountedRisks, recounted: Recounted, *, attacked: bool
) -> Verdict:
    """Judge the release by facts from both sources, or the original where there is no release.

    Where the release recodes columns, facts from the original are judged with its columns as released, and also as they
    are: the release fails if one of both fails.

    With people whose exact facts match no released person, a release passes only if attacks were tried (`attacked`):
    an attacker who allows for errors may still find them.
    """
    before = _judge_group(risks.select(risks.before), scenario)
    if case.released is None:
        return Verdict("cannot tell" if before is None else before.verdict, None, None, None, before)
    proved = [risk.adversary.spec for risk in risks.inside if is_proved(case, recounted, risk.adversary, scenario.k)]
    inside = _judge_group(risks.select(risks.inside), scenario, proved)
    facts = _judge_group(risks.select(risks.attacked), scenario)
    exact = _judge_group(risks.exact, scenario, beside_recoded=True)
    if exact is not None and exact.verdict == "fail" and facts is not None and facts.verdict != "fail":
        facts = exact
    overall = combine_decisions([one.verdict for one in (inside, facts) if one is not None])
    doubt = None
    if overall == "pass" and not case.outside:
        doubt = "not matched" if facts is None else "no attacks" if facts.misled and not attacked else None
    return Verdict("cannot tell" if doubt else overall, doubt, inside, facts, before)  # type: ignore[arg-type]


def _judge_group(
    risks: Sequence[Risk], scenario: Scenario, proved: Sequence[str] = (), *, beside_recoded: bool = False
) -> JudgedPeople | None:
    """Judge the risks under the kinds of knowledge of the scenario; None where none was counted."""
    if not risks:
        return None
    found = judge_risks(risks, scenario, proved, beside_recoded=beside_recoded)
    return JudgedPeople(found.people, found.below, found.unproved, found.misled, found.verdict)


def record_scenario(scenario: Scenario, risks: CountedRisks) -> ScenarioRecord:
    """Return the scenario as it is shown in reports, with the knowledge that was counted."""
    told = scenario.sentences or ("",) * len(scenario.knows)
    before, after = risks.panel.before, risks.panel.after
    return ScenarioRecord(
        name=scenario.name,
        k=scenario.k,
        allow=spell_share(scenario.allow),
        base=scenario.base,
        weaknesses=scenario.list_weaknesses(),
        kinds=tuple(
            ScenarioKind(
                spec,
                before[spec].spec if spec in before else None,
                after[spec].spec if spec in after else None,
                sentence or None,
                (sentence or None) if scenario.publish_sentences else None,
            )
            for spec, sentence in zip(scenario.knows, told, strict=True)
        ),
        decided_by=scenario.decided_by,
        published_decider=scenario.decided_by if scenario.publish_decider else None,
    )


def is_proved(case: Case, recounted: Recounted, knows: Adversary, k: int) -> bool:
    """Return whether a recounted guarantee that holds proves k candidates for every released person."""
    released = case.released
    return released is not None and any(
        isinstance(promise, Promise)
        and promise.vertices == "all"
        and promise.source == "release"
        and promise.k >= k
        and covers(promise, knows, simple=released.is_simple)
        for promise, check in recounted
        if check.holds
    )
