"""Sections of an audit's page with its measurements: risk, people most at risk, utility and attacks."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.attacks.base import Rate
from shoal.auditing.findings import AttackResult, Exposure, ImpliedBound, LeftOut, PanelRow, RiskyPerson
from shoal.auditing.model import Audit, PublishedChange
from shoal.comparison.compare import ComparisonRow
from shoal.errors import join_names
from shoal.knowledge.candidates import Fact, Witness
from shoal.report.html.blocks import Block, BulletList, FactList, Grid, PanelLine, PanelTable, Paragraph, Section
from shoal.report.html.charts.audit import (
    RISK_INKS,
    WHOM,
    describe_known,
    draw_candidates,
    draw_degree_curve,
    draw_exposure_curve,
    draw_network,
    draw_rate,
    draw_tradeoff_map,
)
from shoal.report.html.sections.dossier import format_amount, list_measured
from shoal.report.text.outcomes import LEAKS
from shoal.report.text.phrases import (
    capitalize,
    describe_witness,
    format_bound,
    format_fraction,
    format_number,
    format_percent,
    format_share,
    label_knowledge,
    mark_partial,
    title_attack,
    title_knowledge,
)
from shoal.utility.base import Measurement
from shoal.utility.columns import GROUP as COLUMNS

HARD = "\u00a0"
"""A space at which no line ends."""

# Risk: the same table for kinds of knowledge in the scenario and outside it.

NOT_ASSESSED = {
    "internal": "Facts from the original were not searched in the release: the mapping is missing.",
    "external": "The risk in the original, and by facts from the original, is private.",
}


def build_risk(audit: Audit) -> Section:
    """Return the risk under each kind of knowledge, in the scenario and outside it."""
    k = audit.scenario.k
    panels: dict[str, Sequence[PanelRow]] = {"before": audit.before or ()}
    if audit.after is not None:
        panels["after: release facts"] = audit.after.release_facts
        panels["after: original facts"] = audit.after.original_facts or ()
    searched = is_searched(audit)
    head = ["data", "k", "unique", f"below {k}", "average risk", *(["unmatched"] if searched else []), "candidates"]
    blocks: list[Block] = [
        Paragraph(describe_heads(k, searched), tone="note"),
        _build_panel("In the scenario", head, panels, in_scenario=True),
        _build_panel("Outside the scenario; these decide nothing", head, panels, in_scenario=False),
    ]
    if audit.after is not None and audit.after.original_facts is None:
        blocks.append(Paragraph(NOT_ASSESSED[audit.form], tone="warning"))
    recoded = sorted({name for rows in panels.values() for row in rows for name in row.recoded})
    if recoded:
        told = f"The release recodes {join_names(recoded)}: facts from the original about it say little."
        blocks.append(Paragraph(told, tone="note"))
    left_out = audit.after.left_out if audit.after is not None else ()
    blocks += [
        Paragraph(f"Not assessed with facts from the original: {label_knowledge(one.name)}. {one.why}", tone="note")
        for one in left_out
    ]
    blocks += [
        Paragraph(f"Not counted: {label_knowledge(one.name)}. {one.why}", tone="note")
        for one in audit.not_counted or ()
    ]
    inside = sum(row.in_scenario for row in audit.last_panel)
    about = f"{inside:,} kinds of knowledge in the scenario, {len(audit.last_panel) - inside:,} outside"
    return Section("risk", "Risk by kind of knowledge", [*blocks, *_draw_curves(audit)], about)


def is_searched(audit: Audit) -> bool:
    """Tell whether facts from the original were searched in the release, so that some may match no person."""
    return audit.after is not None and audit.after.original_facts is not None


def describe_heads(k: int, searched: bool) -> str:
    """Say what the heads of the table of kinds of knowledge mean; `searched` is about facts from an original."""
    none = " unmatched: exact facts fit no released person; not safe." if searched else ""
    return (
        f"k: fewest candidates of a person; the highest risk is 1/k. unique: people with 1 candidate. below {k}: with "
        f"fewer than {k}. average risk: mean of 1/candidates.{none} <= and >= mark bounds, because a search was cut "
        "short."
    )


def _build_panel(
    caption: str, head: Sequence[str], panels: dict[str, Sequence[PanelRow]], *, in_scenario: bool
) -> PanelTable:
    """Return the table of the kinds of knowledge in the scenario, or outside it."""
    kinds: dict[str, list[PanelLine]] = {}
    for when, rows in panels.items():
        for row in rows:
            if row.in_scenario == in_scenario:
                line = PanelLine(when, list_cells(row)[: len(head) - 2], draw_candidates(row))
                kinds.setdefault(row.knows, []).append(line)
    return PanelTable(caption, head, [(label_knowledge(spec), lines) for spec, lines in kinds.items()])


def list_cells(row: PanelRow) -> list[str]:
    """Return the numbers of one line: k, unique people, people below k, the average risk, people without a match."""
    if row.highest is None or row.average is None:
        return ["–", "–", "–", "–", f"{row.misled:,}"]
    least = "" if row.all_exact else ">= "
    return [
        format_bound(row.k, row.exact),
        f"{least}{row.unique:,}",
        f"{least}{row.below:,} ({format_share(row.below, row.people)})",
        f"{least}{format_fraction(row.average)}",
        f"{row.misled:,}",
    ]


def _draw_curves(audit: Audit) -> list[Block]:
    curves = {"before": audit.exposure_before, "after": audit.exposure_after}
    there = {when: curve for when, curve in curves.items() if curve is not None}
    blocks: list[Block] = [draw_exposure_curve(there, _describe_curve(there))] if there else []
    return [*blocks, *_draw_degrees(audit), *_draw_networks(audit)]


def _draw_degrees(audit: Audit) -> list[Block]:
    """Draw the numbers of links of people: outgoing and incoming ones where links have directions."""
    sides = {"before": audit.directions_before, "after": audit.directions_after}
    ways = {when: found for when, found in sides.items() if found is not None}
    if ways:
        outgoing, incoming = (
            {when: getattr(found, way) for when, found in ways.items()} for way in ("outgoing", "incoming")
        )
        return [draw_degree_curve(outgoing, "outgoing"), draw_degree_curve(incoming, "incoming")]
    degrees = {"before": audit.degrees_before, "after": audit.degrees_after}
    many = {when: pairs for when, pairs in degrees.items() if pairs}
    return [draw_degree_curve(many)] if many else []


def _describe_curve(curves: dict[str, Exposure]) -> str:
    """Say what the ends of the curves mean."""
    parts = []
    for when, curve in curves.items():
        last = curve.steps[-1]
        least = "at least " if last.undecided else ""
        share = f"{least}{format_share(last.exposed, curve.people)} of the people"
        parts.append(f"{capitalize(when)}: {describe_known(last.l, curve.of)} {share} with fewer than {curve.k}.")
    return f"The worst case: the most revealing facts. {' '.join(parts)}"


def _draw_networks(audit: Audit) -> list[Block]:
    found = audit.drawing
    if found is None or audit.output is None:
        return []  # without a release, the summary has the drawing
    how = "The network, by number of candidates. Each person has the same place in all pictures."
    if is_searched(audit):
        how += " After: the fewer of the candidates by facts of the release and by facts of the original that match."
    pictures: list[Block] = []
    for at, lens in enumerate(found.candidates):
        pictures.append(draw_network(found, lens, "before", f"network-{at}-before"))
        if lens.after is not None and found.links_after is not None:
            pictures.append(draw_network(found, lens, "after", f"network-{at}-after"))
    return [Paragraph(how), *pictures]


BUCKET_LEGEND = list(zip(RISK_INKS[:-1], WHOM[:-1], strict=True))
"""The meaning of the colors of candidates, where each person fits their own facts."""


def list_bucket_legend(audit: Audit) -> list[tuple[str, str]]:
    """Return the meaning of the colors of candidates."""
    return BUCKET_LEGEND + ([(RISK_INKS[-1], WHOM[-1])] if is_searched(audit) else [])


# People most at risk, and what is learned about sensitive columns.


def build_people(audit: Audit) -> Section:
    """Return the people most at risk with the facts that expose them, and what classes disclose."""
    return Section("people", "People most at risk, and inference", [*_list_people(audit), *_list_inference(audit)])


def _list_people(audit: Audit) -> list[Block]:
    if audit.riskiest is None:
        return [Paragraph("Facts about single people are private.")]
    if not audit.riskiest.people:
        return [Paragraph("No person has few candidates under any kind of knowledge that was counted.")]
    letters = "" if audit.riskiest.names else " Letters stand for names (--names shows them)."
    told = f"Each with the knowledge that leaves the fewest candidates. Facts from the {audit.riskiest.facts_from}."
    legend = f"kinds: kinds of knowledge that leave fewer than {audit.scenario.k} candidates.{letters}"
    rows = [_list_person_cells(one) for one in audit.riskiest.people]
    head = ["person", "candidates", "kinds", "known", "facts"]
    return [Paragraph(told), Grid("People most at risk", head, rows, legend=legend, words=2)]


def _list_person_cells(one: RiskyPerson) -> list[str]:
    witness = Witness(tuple(Fact(fact.kind, fact.value) for fact in one.facts), one.candidates, one.exact)
    told = capitalize(describe_witness(one.who, witness, noun="person"))
    many = format_bound(len(one.candidates), one.exact)
    return [one.who, many, f"{one.exposed_by:,} of {one.of:,}", title_knowledge(one.knows), told]


def _list_inference(audit: Audit) -> list[Block]:
    """Return what the classes of known columns disclose about sensitive columns."""
    found = audit.inference
    if not found.columns:
        return [Paragraph("Inference was not measured: no column is named as sensitive.", tone="note")]
    rows = [
        [f"{one.column}, {when}", f"{one.known:,}", f"{one.distinct:,}", format_fraction(one.closeness)]
        for when, disclosures in (("before", found.before), ("after", found.after))
        for one in disclosures
    ]
    if not rows:
        told = "Inference was not measured: the release changes or leaves out the columns."
        return [Paragraph(told, tone="note")]
    legend = (
        "disclosed: people whose class of known columns has one value. fewest values: in a class (l-diversity). "
        "distance: largest distance of a class from the whole data (t-closeness), 0 to 1."
    )
    head = ["sensitive column", "disclosed", "fewest values", "distance"]
    return [Grid("Inference about sensitive columns", head, rows, legend=legend)]


# Utility: what the release did to the data.


def build_utility(audit: Audit) -> Section:
    """Return how the release differs from the original."""
    if audit.output is None:
        return Section("utility", "Utility", [Paragraph("There is no release to compare with the original.")])
    if audit.utility is None:
        return Section("utility", "Utility", _list_published(audit.published_change))
    found = audit.utility
    head = ["metric", "before", "after", "random edits", "no links", "best", "what it measures"]
    legend = (
        "random edits: as many as in the release, without a method. no links: the network without links. ±: standard "
        "deviation. –: no such value."
    )
    first: dict[str, str] = {}
    rows = [_list_metric_cells(row, first) for row in found.rows]
    blocks: list[Block] = [Grid("Utility metrics", head, rows, legend=legend, words=2)]
    blocks += [Paragraph(f"Left out: {name}: {why}", tone="note") for name, why in found.left_out]
    blocks += [Paragraph(note, tone="note") for note in (*mark_partial(found.partial), *found.notes)]
    if audit.tradeoff is not None and audit.tradeoff.points:
        blocks.append(draw_tradeoff_map(audit.tradeoff))
    return Section("utility", "Utility", blocks, f"{len(found.rows):,} metrics, before and after")


def _list_metric_cells(row: ComparisonRow, first: dict[str, str]) -> list[str]:
    """Return the cells of a metric. `first` has the column that a metric of columns was described for."""
    metric, numbers = row.metric, [_format_measurement(one) for one in (row.before, row.after, row.random, row.empty)]
    column, _, _ = metric.name.rpartition(": ")
    told = metric.description
    if metric.group == COLUMNS and column:
        kind = told.replace(column, "")
        told = f"as for {first[kind]}" if kind in first else told
        first.setdefault(kind, metric.name)
    name = f"{metric.name} (undirected view)" if row.on_undirected_view else metric.name
    return [name, *numbers, metric.better, told]


def _format_measurement(measured: Measurement | None) -> str:
    if measured is None:
        return "–"
    value = format_signed(measured.value)
    return value if not measured.spread else f"{value}{HARD}±{HARD}{format_signed(measured.spread)}"


def format_signed(value: float) -> str:
    """Write a number that may be below 0.

    >>> format_signed(-0.25), format_signed(1045.0)
    ('-0.250', '1,045')
    """
    return f"-{format_number(-value)}" if value < 0 else format_number(value)


def _list_published(told: PublishedChange | None) -> list[Block]:
    """Return what the manifest says about the release; numbers of the original and of edits are left out."""
    utility, measured = ({}, {}) if told is None else (told.utility, told.measured)
    after = {name: value["after"] for name, value in utility.items() if isinstance(value, dict) and "after" in value}
    rows = [(str(name), format_amount(value), "") for name, value in after.items()]
    rows += list_measured({name: value for name, value in measured.items() if "edit" not in name})
    if not rows:
        return [Paragraph("No numbers about the release are published with it.")]
    return [
        Paragraph("Numbers of the release. Those of the original, and of its changes, are private."),
        FactList(rows),
    ]


# Attacks: what was tried, and how far it got.

SCALE = (
    "A rate is how often the attacker was right; measuring it needs the mapping. It is no worst case: the tables of "
    "risk are. An attack that fails proves nothing."
)
INKS = {"release": "after", "only renamed": "before"}
NO_RATES = "Rates of attacks are measured with the mapping, so they are private."
CONTROLS = (
    "Only renamed: the original under other names, without protection. Random edits: as many as in the release. "
    "Surviving edges: links that the release kept. Guessing: without any data."
)


def build_attacks(audit: Audit) -> Section:
    """Return what each attack achieved."""
    if audit.attacks is None:
        return Section("attacks", "Attacks", [Paragraph(NO_RATES)])
    tried = audit.attacks.tried
    untried = [Paragraph(describe_untried(one), tone="note") for one in audit.attacks.left_out]
    if not tried:
        return Section("attacks", "Attacks", [Paragraph("No attack was tried."), *untried])
    means = [f"{one.attack}: {one.means}" for one in tried]
    partial = [f"{attack.attack}: {text}" for attack in tried for text in mark_partial(attack.partial)]
    notes = [*partial, *dict.fromkeys(note for attack in tried for note in attack.notes)]
    blocks: list[Block] = [Paragraph(SCALE), _build_rates(tried), Paragraph(CONTROLS, tone="note")]
    blocks += [_tabulate_other_rates(tried), BulletList(means), *_list_bounds(tried), BulletList(notes), *untried]
    return Section("attacks", "Attacks", blocks, f"{len(tried):,} tried, {len(untried):,} left out")


def _build_rates(tried: Sequence[AttackResult]) -> PanelTable:
    """Return the main rate of each attack, on the release and on its controls."""
    kinds = []
    for attack in tried:
        lines = [
            PanelLine(trial.graph, _list_rate_cells(rate), draw_rate(rate, INKS.get(trial.graph, "other")))
            for trial in attack.trials
            if (rate := trial.rates.get(attack.main)) is not None and rate.of
        ]
        kinds.append((f"{_label_attack(attack.attack)}; rate: {attack.main}", lines))
    return PanelTable("Rates of attacks", ["attacked", "rate", "95 % interval", "0 to 100 %"], kinds)


def _label_attack(shell: str) -> str:
    """Return the title of an attack, with its name in the shell."""
    title = capitalize(title_attack(shell))
    return title if title == shell else f"{title} ({shell})"


def _list_rate_cells(rate: Rate) -> list[str]:
    interval = "–" if rate.interval is None else " to ".join(map(format_percent, rate.interval))
    return [format_percent(rate.rate), interval]


def _tabulate_other_rates(tried: Sequence[AttackResult]) -> Grid:
    """Return the other rates on the release, each with its meaning once."""
    meanings = {name: means for attack in tried for name, means in attack.meanings.items()}
    rows = []
    for name, means in meanings.items():
        rates = [
            f"{attack.attack} {_format_rate(rate)}"
            for attack in tried
            for trial in attack.trials
            if trial.graph == "release" and (rate := trial.rates.get(name)) is not None and rate.of
        ]
        rows.append([name, "; ".join(rates) or "–", means])
    return Grid("All rates on the release", ["rate", "on the release", "what it means"], rows, words=2)


def _format_rate(rate: Rate | None) -> str:
    """Write a rate with its interval in brackets, if it has one, so short that several fit in a row."""
    if rate is None or not rate.of:
        return "–"
    found = format_percent(rate.rate).replace(" ", HARD)
    if rate.interval is None:
        return found
    low, high = map(format_percent, rate.interval)
    interval = f"[{low.removesuffix(' %')} – {high}]".replace(" ", HARD)
    return f"{found} {interval}"


def _list_bounds(tried: Sequence[AttackResult]) -> list[Block]:
    """Return what the guarantee implies for the rates, each meaning once, and whether the measured rates agree."""
    found: dict[str, list[tuple[str, ImpliedBound]]] = {}
    for attack in tried:
        if attack.bound is not None:
            found.setdefault(attack.bound.means, []).append((attack.attack, attack.bound))
    blocks: list[Block] = []
    for means, bounds in found.items():
        blocks.append(Paragraph(means))
        for shell, bound in bounds:
            shown = ", ".join(f"{name} {format_signed(float(value))}" for name, value in bound.numbers.items())
            told = f"{shell}: {'It holds.' if bound.holds else LEAKS} In numbers: {shown}."
            blocks.append(Paragraph(told, tone="note" if bound.holds else "warning"))
    return blocks


def describe_untried(one: LeftOut) -> str:
    """Say that an attack was not tried, with its name in the shell and the reason.

    >>> describe_untried(LeftOut("grampa", "It takes long."))
    'Not tried: ... (grampa). It takes long.'
    """
    return f"Not tried: {_label_attack(one.name)}. {one.why}"
