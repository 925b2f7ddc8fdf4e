"""The summary of an audit for a committee: verdict, one chart, what is left, the best attack, limits and next steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from shoal.auditing.findings import JudgedPeople, PanelRow
from shoal.auditing.model import Audit, CandidatesGuarantee, DataIdentification, PromiseCheck
from shoal.auditing.next_steps import COMMANDS
from shoal.errors import format_count, join_names
from shoal.report.html.blocks import Bar, BarChart, BarGroup, Picture, Summary
from shoal.report.html.charts.audit import draw_bar, draw_changed_links, draw_network
from shoal.report.text.audit import (
    describe_best_attack,
    describe_both_facts,
    describe_broken,
    describe_guarantee,
    describe_lacking,
    describe_uncounted_columns,
    describe_unprotected,
    describe_verdict,
    describe_weaknesses,
    list_judged,
    list_rows_after,
)
from shoal.report.text.phrases import (
    capitalize,
    describe_knowledge,
    describe_links,
    format_number,
    format_percent,
    format_share,
    mark_partial,
    title_knowledge,
)
from shoal.report.text.scenarios import WORDS
from shoal.shares import parse_share
from shoal.utility.base import Measurement

IDENTITY = "Only identity is judged: not whether a link exists, and not whether a person took part."
DISCLOSED = "Without identity: the known columns disclose the value of {} for {}."
NOT_DISCLOSED = (
    "Without identity: the known columns alone disclose the value of {} for no person. Links may disclose more."
)
NOT_CHECKED = "Not checked: whether the value of {} can be inferred without identity. No column is declared as known."
LEFT = {"internal": "What is left of the data", "external": "Size of the release"}
MOST = 3
"""The most kinds of knowledge outside the scenario that are named here; the appendix has all."""
HELD = {True: "Verified.", False: "BROKEN.", None: "Stated by the release, not recounted here."}
ROLES = {"quasi-identifier": "known to an attacker", "sensitive": "secret", "other": "not counted as known"}


def build_summary(audit: Audit) -> Summary:
    """Return the summary, in the order in which it is read."""
    alerts = (
        describe_broken(audit),
        describe_unprotected(audit),
        *mark_partial(audit.partial),
        describe_weaknesses(audit),
    )
    return Summary(
        verdict=audit.verdict.overall,
        word=WORDS[audit.verdict.overall],
        about=f"Verdict on {_name_subject(audit)}",
        before_release=audit.output is None,
        numbers=capitalize(describe_verdict(audit)),
        alerts=[text for text in alerts if text],
        lines=[text for text in (describe_both_facts(audit),) if text],
        released=_list_released(audit),
        against=[describe_knowledge(spec) for spec in list_judged(audit).values()],
        goal=_describe_goal(audit),
        chart=build_chart(audit),
        left_title=LEFT[audit.form] if audit.output is not None else "The data",
        left=_list_left(audit),
        drawings=_list_drawings(audit),
        sampled=describe_sample(audit),
        attack=_describe_attack(audit),
        open_points=_list_open_points(audit),
        steps=_list_steps(audit),
    )


def _name_subject(audit: Audit) -> str:
    if audit.form == "external":
        return "the published files only"
    return "the data before release" if audit.output is None else "the release"


def _list_released(audit: Audit) -> list[tuple[str, str]]:
    """Return which data this is, its columns, the method and the guarantees."""
    found = audit.output or audit.input
    rows = [] if found is None else [("Data", f"{found.file or f'a {found.kind}'}: {_describe_size(found)}")]
    columns = [
        f"{join_names(names, most=6)} ({told})"
        for role, told in ROLES.items()
        if (names := [one.name for one in audit.columns if one.role == role and one.released is not False])
    ]
    rows += [("Columns", "; ".join(columns) or "none")]
    if audit.output is not None:
        made = "not recorded" if audit.method is None else audit.method.name
        rows += [("Method", f"{made}{'' if audit.promises else '; no guarantee'}")]
    if audit.promises:
        rows.append(("Guarantee", " ".join(_describe_promise(one, audit.scenario.k) for one in audit.promises)))
    return rows


def _describe_promise(one: PromiseCheck, k: int) -> str:
    """Return a guarantee, with what recounting it showed, and whether its k is below that of the scenario."""
    made, fewer = one.guarantee, ""
    if isinstance(made, CandidatesGuarantee) and made.k < k:
        fewer = f" The scenario asks for {k:,}."
    return f"{capitalize(describe_guarantee(made, specs=False))}. {HELD[one.holds]}{fewer}"


def _describe_size(found: DataIdentification) -> str:
    people = f"{found.people:,} {'records' if found.kind == 'table' else 'people'}"
    return people if found.edges is None else f"{people}, {describe_links(found.edges, found.directed, found.kinds)}"


def _describe_goal(audit: Audit) -> str:
    allow = audit.scenario.allow.replace("%", " %")
    few = f"no person may have fewer than {audit.scenario.k:,} candidates"
    if audit.scenario.allow != "0%":
        few = f"at most {allow} of the people may have fewer than {audit.scenario.k:,} candidates"
    by = audit.scenario.decided_by or audit.scenario.published_decider
    return f"Scenario “{audit.scenario.name}”: {few}.{f' Decided by {by}.' if by else ''}"


# The chart: people at risk per kind of knowledge.


def build_chart(audit: Audit) -> BarChart:
    """Return the people below k, before and after: under at least one kind of knowledge, then under each."""
    k, judged = audit.scenario.k, list_judged(audit)
    titles = list(map(title_knowledge, judged.values()))
    total = titles[0] if len(titles) == 1 else "at least one of the kinds below"
    groups = [BarGroup(total, _list_total_bars(audit), total=True)]
    befores = {one.knows: one.before for one in audit.scenario.kinds}
    if len(judged) > 1:
        groups += [
            BarGroup(title_knowledge(s), _list_kind_bars(audit, befores[knows], s)) for knows, s in judged.items()
        ]
    if audit.form == "external":
        groups = [replace(one, bars=[replace(bar, when="release") for bar in one.bars]) for one in groups]
    told = f"At risk: fewer than {k:,} people in the data fit what the attacker knows."
    facts = audit.after.original_facts if audit.after is not None else None
    told += (
        " After, in each row: the larger of the counts by facts of the original and of the release." if facts else ""
    )
    title = f"People at risk{' before and after' if audit.before is not None and audit.after is not None else ''}"
    return BarChart(title, told, groups, _list_legend(audit, groups))


def _list_legend(audit: Audit, groups: Sequence[BarGroup]) -> list[tuple[str, str]]:
    first = " (first row)" if len(groups) > 1 else ""
    legend = [("mark", f"allowed: {audit.scenario.allow.replace('%', ' %')}{first}")]
    if any("not proved" in bar.also for group in groups for bar in group.bars):
        legend.append(("unproved", "not proved"))
    if any("unmatched" in bar.also for group in groups for bar in group.bars):
        told = "unmatched: exact facts match no released person; counted neither as at risk nor as safe"
        legend.append(("unmatched", told))
    return legend


def _list_total_bars(audit: Audit) -> list[Bar]:
    """Return the people below k under at least one kind of knowledge; after, by the worse kind of facts."""
    verdict = audit.verdict
    after = [one for one in (verdict.release_facts, verdict.original_facts) if one is not None]
    sides = {
        "before": verdict.before,
        "after": max(after, key=lambda one: (one.below / one.people, one.unproved, one.misled), default=None),
    }
    mark = float(parse_share(audit.scenario.allow, "Audit", "allow"))
    return [_draw_judged(one, when, mark) for when, one in sides.items() if one is not None]


def _draw_judged(one: JudgedPeople, when: str, mark: float) -> Bar:
    parts = [(one.below, when), (one.unproved, "unproved"), (one.misled, "unmatched")]
    also = [f"{one.unproved:,} not proved"] if one.unproved else []
    also += [f"{one.misled:,} unmatched"] if one.misled else []
    svg = draw_bar([(many / one.people, ink) for many, ink in parts], mark)
    return Bar(when, svg, _format_people(one.below, one.people, exact=True), "; ".join(also))


def _list_kind_bars(audit: Audit, before: str | None, after: str) -> list[Bar]:
    """Return the people below k under one kind of knowledge; after, by the worse kind of facts."""
    found = [] if audit.before is None else [_find_row(audit.before, before)]
    bars = [_draw_row(row, "before") for row in found if row is not None]
    if audit.after is None:
        return bars
    inside, facts = (_find_row(rows or (), after) for rows in (audit.after.release_facts, audit.after.original_facts))
    rows = [row for row in (inside, facts) if row is not None]
    if not rows:
        return bars
    worse = max(rows, key=lambda row: (row.below / row.people, not row.all_exact, row.misled))
    return [*bars, _draw_row(worse, "after")]


def _find_row(rows: Sequence[PanelRow], spec: str | None) -> PanelRow | None:
    return next((row for row in rows if row.knows == spec), None)


def _draw_row(row: PanelRow, when: str) -> Bar:
    svg = draw_bar([(row.below / row.people, when), (row.misled / row.people, "unmatched")])
    number = _format_people(row.below, row.people, exact=row.all_exact)
    return Bar(when, svg, number, f"{row.misled:,} unmatched" if row.misled else "")


def _format_people(below: int, people: int, *, exact: bool) -> str:
    least = "" if exact else ">= "
    return f"{least}{below:,} of {people:,} ({format_share(below, people, least=not exact)})"


# What is left of the data.


def _list_left(audit: Audit) -> list[tuple[str, str]]:
    """Return up to four numbers: what was changed, and what is left."""
    if audit.output is None:
        return []
    if audit.form == "external":
        return _list_released_numbers(audit)
    numbers = _list_table_numbers(audit) if audit.output.kind == "table" else _list_network_numbers(audit)
    return numbers[:4]


def _list_network_numbers(audit: Audit) -> list[tuple[str, str]]:
    assert audit.input is not None
    assert audit.output is not None
    made, found = audit.changes, []
    if made is not None:
        links = made.kept + made.removed
        found += [
            (format_share(made.kept, links) if links else "0", f"of the {links:,} links kept"),
            (f"{made.added:,}", "false links added"),
        ]
    else:
        found += [(f"{audit.input.edges:,} → {audit.output.edges:,}", "links")]
    label = "of the people linked, directly or through others, in the largest group (before → after)"
    found += _compare(audit, "largest component", label, format_percent)
    if audit.input.columns:
        found.append((f"{audit.output.columns:,} of {audit.input.columns:,}", "columns released"))
    if audit.cells_changed is not None:
        found.append((format_percent(audit.cells_changed), "of the values in released columns changed"))
    found += _compare(audit, "transitivity", "clustering (transitivity; before → after)", format_number)
    if audit.input.people != audit.output.people:
        return [(f"{audit.input.people:,} → {audit.output.people:,}", "people"), *found]
    return [*found, (f"{audit.input.people:,}", "people, as before")]


def _compare(audit: Audit, name: str, label: str, write: Callable[[float], str]) -> list[tuple[str, str]]:
    """Return a metric before and after; nothing where it was not measured."""
    rows = () if audit.utility is None else audit.utility.rows
    row = next((row for row in rows if row.metric.name == name), None)
    if row is None or row.before is None:
        return []
    sides: tuple[Measurement, ...] = (row.before, row.after)
    return [(" → ".join(write(one.value) for one in sides), label)]


def _list_table_numbers(audit: Audit) -> list[tuple[str, str]]:
    assert audit.input is not None
    assert audit.output is not None
    released = sum(one.released is not False for one in audit.columns)
    found = [
        (f"{audit.output.people:,} of {audit.input.people:,}", "records left"),
        (f"{released:,} of {audit.input.columns:,}", "columns left"),
    ]
    if audit.cells_changed is not None:
        found.append((format_percent(audit.cells_changed), "of the values changed"))
    rows = () if audit.utility is None else audit.utility.rows
    moved = [row for row in rows if row.metric.name.endswith(": distance")]
    if moved:
        changed = sum(row.after.value > 0 for row in moved)
        found.append((f"{changed:,} of {len(moved):,}", "columns with other frequencies"))
    recoded = 0 if audit.utility is None else len(audit.utility.left_out)
    return [*found, (f"{recoded:,}", "columns recoded, so not compared")]


def _list_released_numbers(audit: Audit) -> list[tuple[str, str]]:
    """Return the size of the release, counted in the published files."""
    assert audit.output is not None
    found = [(f"{audit.output.people:,}", "records" if audit.output.kind == "table" else "people")]
    found += [] if audit.output.edges is None else [(f"{audit.output.edges:,}", "links")]
    found.append((f"{audit.output.columns:,}", "columns"))
    degrees = audit.degrees_after
    return [*found, *([(f"{max(links for links, _ in degrees):,}", "most links of a person")] if degrees else [])]


def _list_drawings(audit: Audit) -> list[Picture]:
    """Return the network before and after, with the changed links; before release, with the candidates."""
    drawn = audit.drawing
    if drawn is None:
        return []
    if drawn.links_after is not None:
        return [draw_changed_links(drawn, when) for when in ("before", "after")]
    return [replace(draw_network(drawn, lens, "before", "network"), zoom=False) for lens in drawn.candidates[:1]]


def describe_sample(audit: Audit) -> str:
    """Say how many people are drawn; nothing where all are."""
    drawn = audit.drawing
    if drawn is None or len(drawn.at) == drawn.of:
        return ""
    return f"Drawn: {len(drawn.at):,} of {drawn.of:,} people, sampled by a random walk along links."


# Attacks, limits and next steps.


def _describe_attack(audit: Audit) -> str:
    """Name the most successful attack in one sentence, or say why there is none."""
    if audit.attacks is None:
        return "Rates of attacks are private."
    best = describe_best_attack(audit)
    if best:
        return capitalize(best.removeprefix("Attack: the most successful is "))
    if audit.output is None:
        return "There is no release to attack."
    reasons = list(dict.fromkeys(one.why for one in audit.attacks.left_out))
    return f"No attack was tried. {reasons[0] if len(reasons) == 1 else 'The appendix says why.'}"


def _list_open_points(audit: Audit) -> list[str]:
    """Return what the verdict does not cover."""
    rows = [row for row in list_rows_after(audit) or audit.before or () if not row.in_scenario and row.below]
    most: dict[str, PanelRow] = {}
    for row in sorted(rows, key=lambda row: -row.below / row.people):
        most.setdefault(row.knows, row)
    points = [IDENTITY]
    if most:
        named = _list_first([f"{title_knowledge(spec)} ({_count_people(row)})" for spec, row in most.items()])
        points.append(f"Outside the scenario, people are at risk if an attacker knows: {named}.")
    if audit.not_counted:
        named = _list_first([title_knowledge(one.name) for one in audit.not_counted])
        points.append(f"Not counted, outside the scenario: {named}.")
    points += describe_lacking(audit)
    points += [text] if (text := describe_uncounted_columns(audit)) else []
    last = audit.output or audit.input
    if last is not None and last.unread:
        points.append(f"Columns of links that were not read: {join_names(last.unread)}.")
    return points + _list_inferred(audit)


def _list_inferred(audit: Audit) -> list[str]:
    """Return for each secret column for how many people its value is disclosed without identity."""
    found = audit.inference.after if audit.output is not None else audit.inference.before
    told = [
        (DISCLOSED if one.known else NOT_DISCLOSED).format(one.column, format_count(one.known, "person", "people"))
        for one in found
    ]
    measured = {one.column for one in found}
    left = [name for name in audit.inference.columns if name not in measured and _is_released(audit, name)]
    return [*told, *map(NOT_CHECKED.format, left)]


def _is_released(audit: Audit, name: str) -> bool:
    return all(one.released is not False for one in audit.columns if one.name == name)


def _count_people(row: PanelRow) -> str:
    return f"{'' if row.all_exact else '>= '}{format_count(row.below, 'person', 'people')}"


def _list_first(titles: Sequence[str]) -> str:
    more = format_count(len(titles) - MOST, "more kind", "more kinds")
    return "; ".join([*titles[:MOST], *([f"{more} of knowledge"] if len(titles) > MOST else [])])


def _list_steps(audit: Audit) -> list[tuple[bool, str]]:
    """Return what to do next; in an external report, how to check the guarantees."""
    if audit.form == "internal":
        return [(step.startswith(COMMANDS), step) for step in audit.next_steps]
    again = () if audit.certificate is None else audit.certificate.check_again
    if not again:
        return [(False, "Judge by the scenario whether the published files are enough for your use.")]
    return [(False, "Check the guarantee with the published files:"), *((True, command) for command in again)]
