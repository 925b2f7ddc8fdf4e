"""Text of audits: the verdict in one line, then the risk, the guarantees, the best attack and the changes."""

from __future__ import annotations

from shoal.attacks.base import Rate
from shoal.auditing.findings import AttackResult, PanelRow
from shoal.auditing.model import (
    Audit,
    CandidatesGuarantee,
    ConfusionGuarantee,
    Guarantee,
    PromiseCheck,
    RadiusGuarantee,
)
from shoal.errors import format_count, join_lines, join_names
from shoal.knowledge import parse_knowledge
from shoal.report.text.phrases import (
    describe_knowledge,
    format_percent,
    format_rate,
    format_share,
    shorten_spec,
    title_attack,
)
from shoal.show import as_text

CERTAINTY = {
    True: "Guarantee:",
    False: "Guarantee (BROKEN):",
    None: "Guarantee (stated by the release, not recounted here):",
}
DOUBTS = {
    "recoded": "the release changed values in a known column",
    "misled": "the true facts about some people fit no released person",
    "cut short": "a search was cut short",
}
"""Why an attacker model cannot be judged by its counts."""
NOT_COVERED = "facts from the original were not assessed, and no guarantee covers it"
MET = {"pass": "It is met.", "fail": "It is not met.", "cannot tell": "Whether it is met cannot be told."}
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
        _describe_verdict(audit),
        _describe_threshold(audit),
        _describe_release_facts_only(audit),
        _describe_uncounted_columns(audit),
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


def _describe_verdict(audit: Audit) -> str:
    verdict, k = audit.verdict, count_required_candidates(audit.thresholds.risk)
    kinds, failed, unsure = len(verdict.judgments), len(verdict.select("fail")), len(verdict.select("cannot tell"))
    if not kinds:
        return "CANNOT TELL. No attacker model can be judged: the data has none of the columns that count as known."
    if verdict.overall == "fail":
        leaves = "leaves" if failed == 1 else "leave"
        more = f" {unsure:,} more cannot be judged: {_explain_unsure(audit)}." if unsure else ""
        return f"FAIL. {_of(failed, kinds)} {leaves} some people with fewer than {k:,} candidates.{more}"
    if verdict.overall == "cannot tell":
        judged = f"cannot be judged against the threshold of {k:,} candidates: {_explain_unsure(audit)}"
        return f"CANNOT TELL. {_of(unsure, kinds)} {judged}."
    meets = "meets" if kinds == 1 else "meet"
    meant = f"{meets} the threshold of {k:,} candidates for every person"
    return f"PASS. {_of(kinds, kinds)} {meant}. Other knowledge was not assessed."


def _explain_unsure(audit: Audit) -> str:
    """Name the attacker models that cannot be judged, grouped by the reason."""
    reasons: dict[str, list[str]] = {}
    for spec in audit.verdict.select("cannot tell"):
        reasons.setdefault(_explain_doubts(audit, spec), []).append(shorten_spec(spec))
    return "; ".join(f"{join_names(specs)} ({why})" for why, specs in reasons.items())


def _explain_doubts(audit: Audit, spec: str) -> str:
    after = audit.after
    rows = (audit.before or ()) if after is None else (*after.release_facts, *(after.original_facts or ()))
    doubts = {doubt for row in rows if row.knows == spec for doubt in row.doubts}
    return ", and ".join(why for doubt, why in DOUBTS.items() if doubt in doubts) or NOT_COVERED


def _describe_threshold(audit: Audit) -> str:
    """State the threshold, who set it, and whether it is met."""
    risk, who = audit.thresholds.risk, audit.thresholds.set_by
    k = count_required_candidates(risk)
    means = f"a risk of at most {risk:g} for every person, that is, at least {format_count(k, 'candidate')}"
    return f"Threshold: {means}{f' (set by {who})' if who else ''}. {MET[audit.verdict.overall]}"


def _of(many: int, kinds: int) -> str:
    return f"{many:,} of {kinds:,} attacker models"


def count_required_candidates(risk: float) -> int:
    """Return the fewest candidates whose risk, 1 / candidates, is at most `risk`.

    >>> count_required_candidates(0.09), count_required_candidates(0.2), count_required_candidates(1 / 3)
    (12, 5, 3)
    """
    least = max(1, int(1 / risk) - 1)
    return next(k for k in range(least, least + 4) if 1 / k <= risk)


def _describe_release_facts_only(audit: Audit) -> str:
    many, kinds = len(audit.verdict.release_facts_only), len(audit.verdict.judgments)
    if not many:
        return ""
    verb = "was" if many == 1 else "were"
    return f"{_of(many, kinds)} {verb} judged by facts from the release alone, not by facts from the original."


def _describe_uncounted_columns(audit: Audit) -> str:
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
    >>> found = shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree"])
    >>> print(*list_headlines(found), *list_sentences(found), sep="\n")
    FAIL. 1 of 1 attacker models leaves some people with fewer than 12 candidates.
    Threshold: a risk of at most 0.09 for every person, that is, at least 12 candidates... It is not met.
    Highest risk before: an attacker who knows ... can identify 1 of 15 people (6.7 %). 1 person has fewer than ...
    """
    k = audit.thresholds.k
    before, after = audit.worst_before, audit.worst_after
    found = [
        f"Highest risk before: {describe_people_at_risk(before, k)}" if before is not None else "",
        f"Highest risk after: {describe_people_at_risk(after, k)}" if after is not None else "",
        _describe_method(audit),
        *(describe_check(one) for one in audit.promises),
        _describe_best_attack(audit),
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
    if isinstance(made, ConfusionGuarantee):
        return f"every published entry could be that of any of at least {made.n:,} people (basis: {made.ground})"
    if isinstance(made, RadiusGuarantee):
        like = f"similarity radius {made.l:,}, {made.similarity}"
        return f"the links of every person are similar to those of {made.k:,} people ({like})"
    return (
        f"{made.k:,} people are equally likely answers to any question about links, if all possible networks are "
        "equally likely"
    )


def _describe_best_attack(audit: Audit) -> str:
    tried = () if audit.attacks is None else audit.attacks.tried
    rates = [(rate, one) for one in tried if (rate := find_rate(one, "release")) is not None]
    if not rates:
        return ""
    rate, best = max(rates, key=lambda found: found[0].rate)
    guess = find_rate(best, "guessing")
    beside = "" if guess is None else f" Random guesses reach {format_percent(guess.rate)}."
    name = title_attack(best.attack)
    return f"Attack: the most successful is “{name}”. Its rate ({best.main}) is {format_rate(rate)}.{beside}"


def find_rate(attack: AttackResult, graph: str) -> Rate | None:
    """Return the main rate of an attack on one of the networks; None where there is none."""
    return next((trial.rates.get(attack.main) for trial in attack.trials if trial.graph == graph), None)


def _describe_changes(audit: Audit) -> str:
    made = audit.changes
    if made is None or made.ratio is None:
        return ""
    return f"Changed: {made.removed:,} of {made.kept + made.removed:,} links removed, {made.added:,} added."
