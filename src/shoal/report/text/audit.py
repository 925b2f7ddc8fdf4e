"""Text of audits: the verdict in one line, then the risk, the guarantees, the best attack and the changes."""

from __future__ import annotations

from collections.abc import Sequence

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
from shoal.parts import split_words
from shoal.report.text.phrases import (
    describe_knowledge,
    describe_links,
    describe_partial,
    describe_success,
    format_percent,
    format_rate,
    format_share,
    mark_partial,
    title_attack,
)
from shoal.report.text.releases import RESTS
from shoal.report.text.scenarios import WORDS, describe_counts, describe_scope, title_kind
from shoal.risk.scenario import QUASI
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
NO_PART = "The verdict counts people with few candidates; how often an attack is right does not change it."
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
        f"{WORDS[audit.verdict.overall]} {describe_verdict(audit, specs=True)}",
        *mark_partial(audit.partial),
        describe_weaknesses(audit),
        describe_both_facts(audit),
        f"The scenario was decided by {audit.scenario.decided_by}." if audit.scenario.decided_by else "",
        *describe_lacking(audit),
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


def describe_verdict(audit: Audit, *, specs: bool = False) -> str:
    """Say what the verdict is about, with the specs of the knowledge if asked for, and the numbers that decide it."""
    verdict, scenario = audit.verdict, audit.scenario
    judged = choose_deciding(verdict) if audit.output is not None else verdict.before
    counted = list(list_judged(audit).values())
    scope = f"for {describe_scope(scenario.name, counted if specs else [])}"
    if judged is None:
        return f"{scope}: the release has none of the columns that it needs."
    told = describe_counts(
        judged.below,
        judged.unproved,
        judged.misled,
        judged.people,
        scenario.k,
        kinds=len(counted),
        allowed=scenario.allow.replace("%", " %"),
        see="see the attacks",
    )
    return f"{scope}: {told}{DOUBT.get(verdict.doubt or '', '')}"


def list_judged(audit: Audit) -> dict[str, str]:
    """Return the kinds of knowledge that were judged: by their spec in the scenario, the one that was counted."""
    kinds = {one.knows: one.before if audit.output is None else one.after for one in audit.scenario.kinds}
    return {knows: spec for knows, spec in kinds.items() if spec is not None}


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
    none = "the facts of at least one kind match no released person"
    unmatched = f"; for {facts.misled:,}, {none}" if facts.misled else ""
    return (
        "Counted twice, and both must pass. If the attacker knows facts that are true in the original, "
        f"{facts.below:,} of {facts.people:,} people are below {k:,}{unmatched}. If the facts are true in the "
        f"release, as most guarantees assume, {inside.below:,} of {inside.people:,} are."
    )


def _describe_not_counted(audit: Audit) -> str:
    """Name the attacker models outside the scenario that were not counted; nothing where all were."""
    names = [one.name for one in audit.not_counted or ()]
    return f"Not counted, outside the scenario: {join_names(names)}. The report has the reasons." if names else ""


def describe_weaknesses(audit: Audit) -> str:
    """Say that the scenario is weaker than its base; nothing where it is not."""
    found = audit.scenario.weaknesses
    return f"WEAKER than the scenario “{audit.scenario.base}”: {'; '.join(found)}." if found else ""


def describe_lacking(audit: Audit) -> list[str]:
    """Name the kinds of knowledge of the scenario that were not counted, and say why."""
    data, judged = audit.output or audit.input, list_judged(audit)
    lacking = [one.knows for one in audit.scenario.kinds if one.knows not in judged]
    table = data is not None and data.kind == "table"
    linked = [spec for spec in lacking if table and any(map(_reads_links, split_words(spec, "+")))]
    quasi = [spec for spec in lacking if spec not in linked and QUASI in split_words(spec, "+")]
    released = " and released" if audit.output is not None else ""
    reasons = {
        "A table has no links.": linked,
        f"They need columns that are named as known to an attacker (--columns){released}; there are none.": quasi,
        "The data lacks their columns.": [spec for spec in lacking if spec not in (*linked, *quasi)],
    }
    return [
        f"Not counted, though the scenario has it: {'; '.join(map(title_kind, specs))}. {reason}"
        for reason, specs in reasons.items()
        if specs
    ]


def _reads_links(part: str) -> bool:
    return part != QUASI and parse_knowledge(part).reads_links


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
    FAIL for the knowledge of the scenario “internal” (degree and neighbors:1): 8 of 15 people (53.3 %) have ...
    Not counted, though the scenario has it: quasi-identifiers; number of links + quasi-identifiers. ...
    Highest risk before, within the scenario: an attacker who knows ... can identify 4 of 15 people (26.7 %). ...
    Highest risk before, outside the scenario: an attacker who knows ...
    """
    k = audit.scenario.k
    facts = " (the worse of facts of the release and of the original)" if audit.verdict.original_facts else ""
    risks = {
        "before, within the scenario": audit.worst_before,
        "before, outside the scenario": find_worst_outside(audit.before or ()) if audit.after is None else None,
        f"after, within the scenario{facts}": audit.worst_after,
        f"after, outside the scenario{facts}": find_worst_outside(list_rows_after(audit)),
    }
    found = [
        *(f"Highest risk {when}: {describe_people_at_risk(row, k)}" for when, row in risks.items() if row is not None),
        _describe_method(audit),
        *(describe_check(one) for one in audit.promises),
        describe_best_attack(audit),
        _describe_changes(audit),
        _describe_form(audit),
    ]
    return [sentence for sentence in found if sentence]


def list_rows_after(audit: Audit) -> tuple[PanelRow, ...]:
    """Return the risk in the release under each kind of knowledge, by both kinds of facts."""
    return () if audit.after is None else (*audit.after.release_facts, *(audit.after.original_facts or ()))


def find_worst_outside(rows: Sequence[PanelRow]) -> PanelRow | None:
    """Return the knowledge outside the scenario that leaves most people at risk; None where no person is at risk."""
    outside = [row for row in rows if not row.in_scenario and row.below]
    return max(outside, key=lambda row: (row.below / row.people, row.unique / row.people), default=None)


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


def describe_guarantee(made: Guarantee, *, specs: bool = True) -> str:
    """Say what is guaranteed, without a full stop; with the spec of the knowledge unless it is left out."""
    if isinstance(made, CandidatesGuarantee):
        spec = f" ({made.knows})" if specs else ""
        attacker = f"an attacker who knows {parse_knowledge(made.knows).phrase_in(made.source)}{spec}"
        some = "" if made.protects == "all" else " for some people; THE OTHERS ARE NOT PROTECTED"
        return f"{attacker} still finds at least {format_count(made.k, 'candidate')}{some}"
    if isinstance(made, PartialGuarantee):
        return describe_partial(made.protected, made.of, made.k, made.knows)
    if isinstance(made, ConfusionGuarantee):
        why = RESTS.get(made.ground, made.ground)  # type: ignore[call-overload] # a file may state another ground
        return (
            f"every published record could be that of any of at least {made.n:,} people, though a single value may "
            f"reveal more; the reason: {why}"
        )
    if isinstance(made, RadiusGuarantee):
        like = f"similarity radius {made.l:,}, {made.similarity}"
        return f"the links of every person are similar to those of {made.k:,} people ({like}); this is not anonymity"
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
    attacker = best.means.partition(". ")[0].rstrip(".")
    share = f"{'>= ' if best.settings.get('recoded') else ''}{format_rate(rate)}"
    return (
        f"Attack: the most successful is “{title_attack(best.attack)}”: an attacker who {attacker[:1].lower()}"
        f"{attacker[1:]} {describe_success(best.attack, share)}.{beside} {NO_PART}"
    )


def _describe_changes(audit: Audit) -> str:
    made = audit.changes
    if made is None or made.ratio is None:
        return ""
    return f"Changed: {made.removed:,} of {made.kept + made.removed:,} links removed, {made.added:,} added."


def _describe_form(audit: Audit) -> str:
    """Say whether links have directions, and count those of each kind; nothing if they have neither."""
    data, name = (audit.input, "original") if audit.output is None else (audit.output, "release")
    if data is None or data.edges is None or not (data.directed or data.kinds):
        return ""
    links = f"Links of the {name}: {describe_links(data.edges, data.directed, ())}"
    kinds = ", ".join(f"{kind or '(missing)'} {many:,}" for kind, many in data.links_by_kind.items())
    bare = "" if not audit.residual.kinds else " No guarantee covers their kinds."
    return f"{links}{f'; by kind: {kinds}' if kinds else ''}.{bare}"
