"""Text of audits: the verdict in one line, then the risk, the guarantees, the best attack and the changes."""

from __future__ import annotations

from shoal.auditing.findings import JudgedPeople, PanelRow, Verdict, find_rate
from shoal.auditing.model import (
    Audit,
    CandidatesGuarantee,
    ConfusionGuarantee,
    Guarantee,
    PartialGuarantee,
    PromiseCheck,
    RadiusGuarantee,
)
from shoal.errors import format_count, join_lines, join_names
from shoal.knowledge import parse_knowledge
from shoal.report.text.phrases import (
    describe_knowledge,
    describe_partial,
    format_percent,
    format_rate,
    format_share,
    mark_partial,
    shorten_spec,
    title_attack,
)
from shoal.report.text.scenarios import WORDS, describe_counts
from shoal.show import as_text

CERTAINTY = {
    True: "Guarantee:",
    False: "Guarantee (BROKEN):",
    None: "Guarantee (stated by the release, not recounted here):",
}
DOUBT = {
    "not matched": " People are not matched to the original, so facts from the original were not judged (--mapping).",
    "no attacks": " No attack was tried, and exact facts do not show what an attacker who allows for errors finds.",
}
"""Why a release that would pass by the counts cannot be told."""
RECOUNTED = {True: " Verified: recounted for this audit.", False: "", None: ""}


@as_text.register
def describe_audit(audit: Audit) -> str:
    """Return the verdict and the facts behind it, one line each."""
    return join_lines([*list_headlines(audit), *list_sentences(audit)])


def list_headlines(audit: Audit) -> list[str]:
    """Return the verdict; before it what is broken or unprotected, after it what was not assessed."""
    parts = (
        describe_broken(audit),
        describe_unprotected(audit),
        f"{WORDS[audit.verdict.overall]} {describe_verdict(audit)}",
        *mark_partial(audit.partial),
        describe_weaknesses(audit),
        describe_both_facts(audit),
        _describe_scenario(audit),
        describe_uncounted_columns(audit),
        _describe_not_counted(audit),
    )
    return [part for part in parts if part]


def describe_broken(audit: Audit) -> str:
    """Name the guarantees that do not hold; nothing where all hold."""
    told = [
        f"the release states that {describe_guarantee(one.guarantee)}; recounting shows otherwise "
        f"({one.evidence.rstrip('.')})"
        for one in audit.promises
        if one.holds is False
    ]
    return f"GUARANTEE BROKEN: {'; '.join(told)}." if told else ""


def describe_unprotected(audit: Audit) -> str:
    """Say that a guarantee covers some people only, where it does; nothing otherwise."""
    some = [
        one.guarantee.knows
        for one in audit.promises
        if isinstance(one.guarantee, CandidatesGuarantee) and one.guarantee.protects == "some"
    ]
    if not some:
        return ""
    knows = join_names([describe_knowledge(spec) for spec in some])
    return f"NOT PROTECTED: only some people have a guarantee against an attacker who knows {knows}."


def describe_verdict(audit: Audit) -> str:
    """Return the numbers that decide the verdict."""
    verdict, scenario = audit.verdict, audit.scenario
    judged = choose_deciding(verdict) if audit.output is not None else verdict.before
    allowed = f"The scenario “{scenario.name}” allows {scenario.allow.replace('%', ' %')}."
    if judged is None:
        return "The release has none of the columns that the scenario's kinds of knowledge need."
    told = describe_counts(judged.below, judged.unproved, judged.misled, judged.people, scenario.k)
    see = " See attacks." if judged.misled else ""
    return f"{told}{see} {allowed}{DOUBT.get(verdict.doubt or '', '')}"


def choose_deciding(verdict: Verdict) -> JudgedPeople | None:
    """Return the judgment that decides: the one with the verdict of the whole, and of these the most people below k."""
    judged = [one for one in (verdict.release_facts, verdict.original_facts) if one is not None]
    order = ("fail", "cannot tell", "pass")
    return min(judged, key=lambda one: (order.index(one.verdict), -one.below, -one.misled), default=None)


def describe_both_facts(audit: Audit) -> str:
    """Give the numbers by both kinds of facts, where both were counted."""
    verdict, k = audit.verdict, audit.scenario.k
    if audit.form == "external":
        return (
            "Judged in the published files alone, by facts that are true in the release. This does not show what facts "
            "from the original reveal."
        )
    if verdict.release_facts is None or verdict.original_facts is None:
        return ""
    inside, facts = verdict.release_facts, verdict.original_facts
    return (
        f"Below {k:,} by facts from the release: {inside.below:,} of {inside.people:,}. By facts from the original: "
        f"{facts.below:,} of {facts.people:,}."
    )


def _describe_not_counted(audit: Audit) -> str:
    """Name the attacker models outside the scenario that were not counted; nothing where all were."""
    names = [one.name for one in audit.not_counted or ()]
    return f"Not counted, outside the scenario: {join_names(names)}. The report has the reasons." if names else ""


def describe_weaknesses(audit: Audit) -> str:
    """Say that the scenario is weaker than its base; nothing where it is not."""
    found = audit.scenario.weaknesses
    return f"WEAKER than the scenario “{audit.scenario.base}”: {'; '.join(found)}." if found else ""


def _describe_scenario(audit: Audit) -> str:
    """Name the kinds of knowledge that were judged, and those that were not."""
    kinds = [(one.knows, one.after if audit.output is not None else one.before) for one in audit.scenario.kinds]
    counted = [shorten_spec(spec) for _, spec in kinds if spec is not None]
    lacking = [knows for knows, spec in kinds if spec is None]
    by = f" Decided by {audit.scenario.decided_by}." if audit.scenario.decided_by else ""
    told = (
        f"Scenario “{audit.scenario.name}”: at least {audit.scenario.k:,} candidates against {join_names(counted)}.{by}"
    )
    rest = f" Not counted, because no such column is named or released: {join_names(lacking)}." if lacking else ""
    return f"{told}{rest}"


def describe_uncounted_columns(audit: Audit) -> str:
    """Name the published columns that no attacker model knows."""
    there = [one.name for one in audit.columns if one.role == "other" and one.released is not False]
    if not there:
        return ""
    are = "column is" if len(there) == 1 else "columns are"
    where = "published" if audit.output is not None else "in the data"
    return f"{len(there):,} {are} {where} but NOT counted as known to an attacker: {join_names(there)}."


def list_sentences(audit: Audit) -> list[str]:
    r"""Return the facts behind the verdict: risk before and after, guarantees, the best attack, changes.

    >>> import shoal
    >>> found = shoal.audit(shoal.examples.florentine(), scenario="internal", knowledge=["orbit"])
    >>> print(*list_headlines(found), *list_sentences(found), sep="\n")
    FAIL. 8 of 15 people (53.3 %) have fewer than 3 candidates. The scenario “internal” allows 5 %.
    Scenario “internal”: at least 3 candidates against degree and neighbors:1. Not counted, ...
    Highest risk before: an attacker who knows ... can identify 4 of 15 people (26.7 %). 6 people have fewer than ...
    """
    k = audit.scenario.k
    before, after = audit.worst_before, audit.worst_after
    found = [
        f"Highest risk before: {describe_people_at_risk(before, k)}" if before is not None else "",
        f"Highest risk after: {describe_people_at_risk(after, k)}" if after is not None else "",
        _describe_method(audit),
        *(describe_check(one) for one in audit.promises),
        describe_best_attack(audit),
        _describe_changes(audit),
    ]
    return [sentence for sentence in found if sentence]


def describe_people_at_risk(row: PanelRow, k: int) -> str:
    """Say how many people an attacker identifies, and how many are at risk."""
    least, n = "" if row.all_exact else "at least ", row.people
    knows = f"an attacker who knows {describe_knowledge(row.knows)}"
    share = format_share(row.unique, n, least=not row.all_exact)
    have = f"{format_count(row.below, 'person', 'people')} {'has' if row.below == 1 else 'have'}"
    have = have if row.below else "0 people have"
    rest = f"{'At least ' if least else ''}{have} fewer than {k:,} candidates."
    return f"{knows} can identify {least}{row.unique:,} of {n:,} people ({share}). {rest}"


def _describe_method(audit: Audit) -> str:
    if audit.output is None:
        return ""
    if audit.method is None:
        return "Method: not recorded. No guarantee is known."
    return f"Method: {audit.method.name}.{'' if audit.promises else ' It gives no guarantee.'}"


def describe_check(one: PromiseCheck) -> str:
    """Return the line of a guarantee, with whether it was recounted."""
    return f"{CERTAINTY[one.holds]} {describe_guarantee(one.guarantee)}.{RECOUNTED[one.holds]}"


def describe_guarantee(made: Guarantee) -> str:
    """Say what is guaranteed, without a full stop."""
    if isinstance(made, CandidatesGuarantee):
        attacker = f"an attacker who knows {parse_knowledge(made.knows).phrase_in(made.source)} ({made.knows})"
        some = "" if made.protects == "all" else " for some people; THE OTHERS ARE NOT PROTECTED"
        return f"{attacker} still finds at least {format_count(made.k, 'candidate')}{some}"
    if isinstance(made, PartialGuarantee):
        return describe_partial(made.protected, made.of, made.k, made.knows)
    if isinstance(made, ConfusionGuarantee):
        return f"every published entry could be that of any of at least {made.n:,} people (basis: {made.ground})"
    if isinstance(made, RadiusGuarantee):
        like = f"similarity radius {made.l:,}, {made.similarity}"
        return f"the links of every person are similar to those of {made.k:,} people ({like})"
    return (
        f"{made.k:,} people are equally likely answers to any question about links, if all possible networks are "
        "equally likely"
    )


def describe_best_attack(audit: Audit) -> str:
    """Name the attack with the highest rate on the release; nothing where none was tried."""
    tried = () if audit.attacks is None else audit.attacks.tried
    rates = [(rate, one) for one in tried if (rate := find_rate(one, "release")) is not None]
    if not rates:
        return ""
    rate, best = max(rates, key=lambda found: found[0].rate)
    guess = find_rate(best, "guessing")
    beside = "" if guess is None else f" Random guesses reach {format_percent(guess.rate)}."
    means = best.meanings.get(best.main, best.main).rstrip(".")
    attacker = best.means.partition(". ")[0].rstrip(".")
    return (
        f"Attack: the most successful is “{title_attack(best.attack)}”: {format_rate(rate)}. {means}. The attacker: "
        f"{attacker[:1].lower()}{attacker[1:]}.{beside}"
    )


def _describe_changes(audit: Audit) -> str:
    made = audit.changes
    if made is None or made.ratio is None:
        return ""
    return f"Changed: {made.removed:,} of {made.kept + made.removed:,} links removed, {made.added:,} added."
