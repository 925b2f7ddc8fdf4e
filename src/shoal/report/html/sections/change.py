"""Sections about the utility of a release and the success of attacks on it."""

from __future__ import annotations

from typing import Any

from shoal.methods.links.equalize_rows import BOUND_FOR
from shoal.report.html.blocks import Block, FactList, Grid, Paragraph, Section
from shoal.report.html.charts.audit import draw_attack_intervals, draw_tradeoff_map
from shoal.report.html.sections.verdict import format_amount
from shoal.report.text.phrases import describe_untried, title_attack
from shoal.report.text.wording import format_number, format_percent

LEAKS = "IT DOES NOT HOLD: the release leaks or is not what it claims."
HARD = "\u00a0"
"""A space at which no line ends."""
MAP = (
    "Utility lost is the mean over the measured numbers of how far each is from the original: 0 is the original "
    "itself, 1 is a network without links. Random edits are as many as the release made, at random: what damage alone "
    "comes to."
)
SCALE = (
    "An attack gives a rate: how often somebody who tried was right, with an interval if something was drawn. It needs "
    "the truth, and is no worst case; the tables of risk are. The two are never on one scale. An attack that fails "
    "proves nothing."
)
BESIDE = (
    "Each number is shown before and after, and beside it what as many random edits would do, and what it would be "
    "without any links."
)
TOLD = {
    "vertices": "how many people there are",
    "edges": "how many links there are",
    "edit ratio": "links added and removed, per link of the original",
    "degree distance (Kolmogorov-Smirnov)": "how far the numbers of links are from those before (0 to 1)",
    "largest degree": "how many links the best connected person has",
    "share in the largest component": "share of the people who can reach each other along links",
    "transitivity": "how often two neighbors of somebody are linked to each other",
}
"""What is published about a change, and what it means."""
MEASURED = {
    "edits": "links that were added or removed",
    "lower bound on edits": "no release of this kind has fewer edits",
    "edits above the lower bound": "edits that a better search for classes of this kind might save, at most",
    BOUND_FOR: "what the lower bound is about: the promise is weaker than these classes",
    "sweeps": "rounds of the search",
}
"""What methods measure, where it needs more words than its name."""
CLOSED_BOUND = (
    "no release of this kind (closed classes) can be had with fewer edits; the promise may be kept with fewer in "
    "another way"
)
NO_MORE = (
    "These numbers are published beside the data. More about the original is not told, because it could help to undo "
    "the release."
)
NO_RATES = (
    "Attacks are judged by who is who in the release, which is a secret, and so are their rates; they are in the "
    "internal report."
)


def build_utility(data: dict[str, Any]) -> Section:
    """Return what became of the data."""
    if data["output"] is None:
        return Section("utility", "Utility", [Paragraph("There is no release to compare with the original.")])
    if data["utility"] is None:
        return Section("utility", "Effect on analysis", _list_told(data["told"]))
    found = data["utility"]
    blocks: list[Block] = [Paragraph(BESIDE)]
    blocks.append(
        Grid(
            "What became of the data",
            ["number", "before", "after", "random edits", "no links", "what it means"],
            [_list_metric_cells(metric) for metric in found["metrics"]],
        )
    )
    blocks += [Paragraph(f"Left out: {one['name']}: {one['why']}", tone="note") for one in found["left out"]]
    blocks += [Paragraph(note, tone="note") for note in found["notes"]]
    if data["tradeoff"] is not None and data["tradeoff"]["points"]:
        blocks += [Paragraph(MAP), draw_tradeoff_map(data["tradeoff"])]
    return Section("utility", "Utility", blocks)


def _list_metric_cells(metric: dict[str, Any]) -> list[str]:
    direction = {"higher": "Higher is better.", "lower": "Lower is better.", "closer": "Closer to before is better."}
    numbers = [_format_number(metric[key]) for key in ("before", "after", "random", "empty")]
    return [metric["name"], *numbers, f"{metric['means']} {direction[metric['better']]}"]


def _format_number(measured: dict[str, Any] | None) -> str:
    if measured is None or measured["value"] is None:
        return "–"
    value = format_signed(measured["value"])
    return value if not measured["spread"] else f"{value} ± {format_signed(measured['spread'])}"


def format_signed(value: float) -> str:
    """Write a number that may be below 0.

    >>> format_signed(-0.25), format_signed(1045.0)
    ('-0.250', '1,045')
    """
    return f"-{format_number(-value)}" if value < 0 else format_number(value)


def list_measured(measured: dict[str, Any], otherwise: str) -> list[tuple[str, str, str]]:
    """Return what a method measured, each with its meaning; the bound of closed classes is about those only."""
    means = MEASURED | ({"lower bound on edits": CLOSED_BOUND} if BOUND_FOR in measured else {})
    return [(str(name), format_amount(value), means.get(name, otherwise)) for name, value in measured.items()]


def _list_told(told: dict[str, Any]) -> list[Block]:
    """Return what the release itself tells about its effect, and no more."""
    otherwise = "measured by the method, as published beside the data"
    rows = [(str(name), format_amount(value), TOLD.get(name, otherwise)) for name, value in told["utility"].items()]
    rows += list_measured(told["measured"], otherwise)
    head = Paragraph(NO_MORE)
    return [head, FactList(rows)] if rows else [Paragraph("Nothing about the effect is published beside these data.")]


def build_attacks(data: dict[str, Any]) -> Section:
    """Return what attacks came to."""
    found = data["attacks"]
    if data["form"] == "external":
        told = NO_RATES
        return Section("attacks", "Attacks", [Paragraph(told)])
    if not found["tried"]:
        reasons = [Paragraph(f"Not tried: {describe_untried(one)}", tone="note") for one in found["left out"]]
        return Section("attacks", "Attacks", [Paragraph("No attack was tried."), *reasons])
    blocks: list[Block] = [Paragraph(SCALE), draw_attack_intervals(found["tried"])]
    for attack in found["tried"]:
        blocks += _list_attack_blocks(attack)
    blocks += [Paragraph(f"Not tried: {describe_untried(one)}", tone="note") for one in found["left out"]]
    return Section("attacks", "Attacks", blocks)


def _list_attack_blocks(attack: dict[str, Any]) -> list[Block]:
    names = list(dict.fromkeys(name for trial in attack["trials"] for name in trial["rates"]))
    rows = [
        [trial["graph"], *(_format_rate(trial["rates"].get(name)) for name in names), trial["means"]]
        for trial in attack["trials"]
    ]
    blocks: list[Block] = [
        Paragraph(_capitalize(title_attack(str(attack["attack"]))), tone="head"),
        Paragraph(str(attack["means"])),
        Grid(
            "What it achieved (in brackets: 95 % intervals, where there are any)",
            ["attacked", *names, "what it means"],
            rows,
        ),
        FactList([(name, "", attack["meanings"].get(name, "")) for name in names]),
    ]
    if attack["law"] is not None:
        blocks.append(Paragraph(_describe_law(attack["law"]), tone="" if does_law_hold(attack["law"]) else "warning"))
    return [*blocks, *(Paragraph(note, tone="note") for note in attack["notes"])]


def _capitalize(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _format_rate(rate: dict[str, Any] | None) -> str:
    """Write a rate with its interval in brackets, if it has one, so short that several fit."""
    if rate is None or not rate["of"]:
        return "–"
    if rate["low"] is None:
        return format_percent(rate["rate"]).replace(" ", HARD)
    found, low, high = (format_percent(rate[key]) for key in ("rate", "low", "high"))
    short = found.replace(" ", HARD), f"[{low.removesuffix(' %')} – {high}]".replace(" ", HARD)
    return " ".join(short)


def _describe_law(law: dict[str, Any]) -> str:
    told = str(law.get("means", "What twins imply."))
    numbers = {
        name: value for name, value in law.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }
    shown = ", ".join(f"{name} {format_signed(float(value))}" for name, value in numbers.items())
    return f"{told} {'It holds.' if does_law_hold(law) else LEAKS} In numbers: {shown}."


def does_law_hold(law: dict[str, Any]) -> bool:
    """Tell whether what a promise implies was measured; with twins a rate may miss its interval by chance, not by far.

    >>> does_law_hold({"inside": False}), does_law_hold({"inside": False, "leak": False})
    (False, True)
    >>> does_law_hold({"inside": True, "leak": True})
    False
    """
    return not law["leak"] if "leak" in law else bool(law["inside"])
