"""The page of an audit: one file that needs no network, and no script to be read.

The page is a function of the audit. The template escapes all texts; the policy of the page allows its own style sheet
and script, by their digests, and nothing else.
"""

from __future__ import annotations

from pathlib import Path

from shoal.attacks.base import Rate
from shoal.auditing.findings import AttackResult, ImpliedBound
from shoal.auditing.model import Audit, PublishedChange
from shoal.comparison.compare import ComparisonRow
from shoal.errors import spell_controls
from shoal.report.html.audit_dossier import (
    build_certificate,
    build_columns,
    build_identification,
    build_methods,
    build_model,
    build_questions,
    build_reproduction,
    build_residual,
    build_scenario,
    describe_untried,
    format_amount,
    list_measured,
)
from shoal.report.html.audit_risk import build_after, build_before
from shoal.report.html.blocks import Block, FactList, Grid, Paragraph, Section
from shoal.report.html.charts.audit import draw_attack_intervals, draw_tradeoff_map
from shoal.report.html.charts.draw import build_page, load_template, read_page_part
from shoal.report.text.audit import list_headlines, list_sentences
from shoal.report.text.outcomes import LEAKS
from shoal.report.text.phrases import capitalize, format_number, format_percent, mark_partial, title_attack
from shoal.show import as_picture
from shoal.utility.base import Measurement

HARD = "\u00a0"
"""A space at which no line ends."""


@as_picture.register
def save_audit(audit: Audit, path: Path, force: bool) -> None:
    """Write an audit as a page."""
    audit.write(path, render_page(audit), force)


def render_page(audit: Audit) -> str:
    """Return the whole page."""
    heading = "Report on a release" if audit.output is not None else "Report on data before release"
    style, script = read_page_part("audit.css"), read_page_part("audit.js")
    body = load_template("audit.html").render(
        heading=heading,
        form=audit.form,
        headlines=list_headlines(audit),
        sentences=list_sentences(audit),
        verdict=audit.verdict.overall,
        date=audit.date,
        shoal=audit.versions.shoal,
        sections=list_sections(audit),
        script=script,
    )
    return spell_controls(build_page(f"{heading} – shoal", style, body, script, images="data:"))


def list_sections(audit: Audit) -> list[Section]:
    """Return the sections, in the order in which authorities ask for them."""
    return [
        build_identification(audit),
        build_columns(audit),
        build_model(audit),
        build_scenario(audit),
        build_questions(audit),
        build_before(audit),
        build_methods(audit),
        build_after(audit),
        build_utility(audit),
        build_attacks(audit),
        build_residual(audit),
        build_certificate(audit),
        build_reproduction(audit),
    ]


# Utility: what the release did to the data.

BESIDE = (
    "Each metric is shown before and after. Two baselines stand beside it: as many random edits as the release made, "
    "and the network without links."
)
MAP = (
    "Utility lost is the mean distance of the metrics from the original: 0 is the original, 1 is a network without "
    "links. Random edits show what the same number of edits does without a method."
)
NO_MORE = "These numbers are published with the data. Other numbers about the original are private."
PUBLISHED = {
    "vertices": "number of people",
    "edges": "number of links",
    "edit ratio": "links added and removed, per link of the original",
    "degree distance (Kolmogorov-Smirnov)": "distance between the numbers of links before and after (0 to 1)",
    "largest degree": "number of links of the best-connected person",
    "share in the largest component": "share of the people who can reach each other along links",
    "transitivity": "share of pairs of a person's neighbors that are linked",
}
"""Meanings of the published numbers about a change."""
GOALS = {"higher": "Higher is better.", "lower": "Lower is better.", "closer": "Closer to before is better."}


def build_utility(audit: Audit) -> Section:
    """Return how the release differs from the original."""
    if audit.output is None:
        return Section("utility", "Utility", [Paragraph("There is no release to compare with the original.")])
    if audit.utility is None:
        return Section("utility", "Effect on analysis", _list_published(audit.published_change))
    found = audit.utility
    head = ["metric", "before", "after", "random edits", "no links", "what it means"]
    legend = "±: standard deviation, where a number depends on chance. –: the metric has no such value."
    blocks: list[Block] = [
        Paragraph(BESIDE),
        Grid("Utility metrics", head, [_list_metric_cells(row) for row in found.rows], legend=legend),
    ]
    blocks += [Paragraph(f"Left out: {name}: {why}", tone="note") for name, why in found.left_out]
    blocks += [Paragraph(note, tone="note") for note in found.notes]
    if audit.tradeoff is not None and audit.tradeoff.points:
        blocks += [Paragraph(MAP), draw_tradeoff_map(audit.tradeoff)]
    return Section("utility", "Utility", blocks)


def _list_metric_cells(row: ComparisonRow) -> list[str]:
    numbers = [_format_measurement(one) for one in (row.before, row.after, row.random, row.empty)]
    return [row.metric.name, *numbers, f"{row.metric.means} {GOALS[row.metric.better]}"]


def _format_measurement(measured: Measurement | None) -> str:
    if measured is None:
        return "–"
    value = format_signed(measured.value)
    return value if not measured.spread else f"{value} ± {format_signed(measured.spread)}"


def format_signed(value: float) -> str:
    """Write a number that may be below 0.

    >>> format_signed(-0.25), format_signed(1045.0)
    ('-0.250', '1,045')
    """
    return f"-{format_number(-value)}" if value < 0 else format_number(value)


def _list_published(told: PublishedChange | None) -> list[Block]:
    """Return what the manifest says about the change."""
    otherwise = "measured by the method and published with the data"
    utility, measured = ({}, {}) if told is None else (told.utility, told.measured)
    rows = [(str(name), format_amount(value), PUBLISHED.get(name, otherwise)) for name, value in utility.items()]
    rows += list_measured(measured, otherwise)
    if not rows:
        return [Paragraph("No numbers about the effect are published with this data.")]
    return [Paragraph(NO_MORE), FactList(rows)]


# Attacks: what was tried, and how far it got.

SCALE = (
    "An attack has a rate: how often the attacker was right, with an interval where something was drawn at random. "
    "Measuring it needs the mapping. A rate is not a worst case; the tables of risk are. The two are not on one scale. "
    "An attack that fails proves nothing."
)
NO_RATES = (
    "Rates of attacks are measured with the mapping, which is private, and so are the rates. They are in the internal "
    "report."
)


def build_attacks(audit: Audit) -> Section:
    """Return what each attack achieved."""
    if audit.attacks is None:
        return Section("attacks", "Attacks", [Paragraph(NO_RATES)])
    untried = [Paragraph(describe_untried(one), tone="note") for one in audit.attacks.left_out]
    if not audit.attacks.tried:
        return Section("attacks", "Attacks", [Paragraph("No attack was tried."), *untried])
    blocks: list[Block] = [Paragraph(SCALE), draw_attack_intervals(audit.attacks.tried)]
    for attack in audit.attacks.tried:
        blocks += _list_attack_blocks(attack)
    return Section("attacks", "Attacks", [*blocks, *untried])


def _list_attack_blocks(attack: AttackResult) -> list[Block]:
    names = list(dict.fromkeys(name for trial in attack.trials for name in trial.rates))
    rows = [
        [trial.graph, *(_format_rate(trial.rates.get(name)) for name in names), trial.means] for trial in attack.trials
    ]
    blocks: list[Block] = [
        Paragraph(capitalize(title_attack(attack.attack)), tone="head"),
        Paragraph(attack.means),
        Grid(
            "Rates of the attack",
            ["attacked", *names, "what it means"],
            rows,
            legend="In brackets: 95 % intervals, where there are any.",
        ),
        FactList([(name, "", attack.meanings.get(name, "")) for name in names]),
    ]
    if attack.bound is not None:
        blocks.append(Paragraph(_describe_bound(attack.bound), tone="" if attack.bound.holds else "warning"))
    notes = [*mark_partial(attack.partial), *attack.notes]
    return [*blocks, *(Paragraph(note, tone="note") for note in notes)]


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


def _describe_bound(bound: ImpliedBound) -> str:
    shown = ", ".join(f"{name} {format_signed(float(value))}" for name, value in bound.numbers.items())
    return f"{bound.means} {'It holds.' if bound.holds else LEAKS} In numbers: {shown}."
