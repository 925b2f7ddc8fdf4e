"""Text of trade-offs: people at risk by budget beside the baselines, and the utility that is left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from shoal.auditing.tradeoff import RANDOM, SEARCH, UNCHANGED, UTILITY, WAYS, Tradeoff, TradeoffPoint
from shoal.errors import BadParameter, format_count, join_lines, join_names
from shoal.limits import format_duration
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import (
    describe_knowledge,
    format_fraction,
    format_number,
    format_share,
    mark_partial,
    render_table,
)
from shoal.report.text.risk import describe_known_ties
from shoal.show import as_html, as_text

NONE = "-"
FORMATS = (".html", ".svg", ".json", ".csv")
KEEP_PRIVATE = "These are exact numbers about the original. Do not publish them."
RANDOM_EDITS = {
    "delete": "random deletions",
    "add": "random additions",
    "add-delete": "random additions and deletions, half each",
    "swap": "random swaps",
}
"""The random edits, by the kind of edits of the method."""
NOTES = {"community NMI": f" The row '{UNCHANGED}' compares two searches of the original, since a search is random."}
"""What a reader must know about a metric in these tables."""


def check_ending(path: Path) -> None:
    """Refuse a file that a trade-off cannot be saved as."""
    if path.suffix.lower() not in FORMATS:
        raise BadParameter(f"A trade-off must be saved as .html, .svg, .json or .csv. Got {path.name!r}.")


@as_text.register
def describe_tradeoff(found: Tradeoff) -> str:
    """Return the people at risk by budget, the utility that is left, and the legends."""
    parts = [
        [*mark_partial(found.partial), describe_heading(found), *list_assumptions(found)],
        render_table(*build_risk_rows(found)),
        [f"{term:<14}  {told}" for term, told in describe_columns(found)],
        ["Utility of the releases by reduce-risk:", *render_table(*build_utility_rows(found))],
        [*(f"{name:<17}  {told}" for name, told in describe_metrics()), *list_views(found)],
        [*list_reused(found), *list_ended(found), f"{KEEP_PRIVATE} To make a release:", f"  {format_release(found)}"],
    ]
    return "\n\n".join(join_lines(part) for part in parts)


@as_html.register
def render_tradeoff(found: Tradeoff) -> str:
    """Return both tables in HTML for notebooks, with the legends below."""
    heading = " ".join([*mark_partial(found.partial), describe_heading(found), *list_assumptions(found)])
    risk = render_html_table(*build_risk_rows(found), heading)
    legend = [*describe_columns(found), *describe_metrics()]
    utility = render_html_table(*build_utility_rows(found), "Utility of the releases by reduce-risk.")
    meaning = render_html_table(["column", "meaning"], legend, left=2)
    return risk + utility + meaning + render_paragraphs([*list_views(found), *list_reused(found), *list_ended(found)])


def describe_heading(found: Tradeoff) -> str:
    """Say what was counted."""
    return (
        f"People at risk in {found.original!r} after edits within a budget. At risk: an attacker who knows "
        f"{describe_attacker(found)} finds fewer than {format_count(found.k, 'candidate')}. {describe_facts(found)}"
    )


def describe_attacker(found: Tradeoff) -> str:
    """Say what the attacker knows: one of several kinds of knowledge."""
    one_of = [f"{describe_knowledge(kind.spec)} ({kind.spec})" for kind in found.kinds]
    return one_of[0] if len(one_of) == 1 else f"one of these: {'; '.join(one_of)}"


def describe_facts(found: Tradeoff) -> str:
    """Say where the attacker measures facts."""
    where = "in the release, or in the original" if found.both else "in the release"
    return f"The facts are measured {where}."


def list_assumptions(found: Tradeoff) -> list[str]:
    """Return what the kinds of knowledge assume about the attacker, each once."""
    ties = describe_known_ties(found.original, found.kinds)
    return list(dict.fromkeys(told for told in (ties, *(kind.assumes for kind in found.kinds)) if told))


def build_risk_rows(found: Tradeoff) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table of people at risk, and a row per budget."""
    more = ["by release", "by original", "misled"] if found.both else []
    head = ["budget", "links", "changed", "at risk", "share", *WAYS[1:], *more]
    rows = [_build_risk_row(found, UNCHANGED, 0, [found.start] * len(WAYS))]
    for asked, links in found.budgets:
        rows.append(_build_risk_row(found, asked, links, [found[way, asked] for way in WAYS]))
    return head, rows


def _build_risk_row(found: Tradeoff, name: str, links: int, points: Sequence[TradeoffPoint]) -> list[str]:
    search, *others = points
    counted = [NONE] * 3 if search.ended else [f"{search.edits:,}", describe_count(search), format_point(search)]
    row = [name, f"{links:,}", *counted, *(format_drawn(point) for point in others)]
    if found.both:
        told = (search.by_release, search.by_original, search.misled)
        row += [NONE if search.ended else f"{many or 0:,}" for many in told]
    return row


def describe_count(point: TradeoffPoint) -> str:
    """Return how many people are at risk.

    >>> describe_count(TradeoffPoint("random", "5%", 5, 5, people=1200, at_risk=2))
    '2 of 1,200'
    """
    return f"{point.at_risk:,} of {point.people:,}"


def format_point(point: TradeoffPoint) -> str:
    """Format the share of people at risk, never rounded to 0 or 100 %."""
    return NONE if point.ended else format_share(point.at_risk, point.people)


def format_drawn(point: TradeoffPoint) -> str:
    """Format the people at risk in the median draw, and in the lowest and the highest one.

    >>> format_drawn(TradeoffPoint("random", "5%", 5, 5, people=10, at_risk=2, draws=(1, 2, 4)))
    '2 (1 to 4)'
    """
    if point.ended:
        return NONE
    drawn = f" ({point.draws[0]:,} to {point.draws[-1]:,})" if len(set(point.draws)) > 1 else ""
    return f"{point.at_risk:,}{drawn}"


def build_utility_rows(found: Tradeoff) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table of utility, and a row per budget of the method."""
    head = ["budget", *(metric.name for metric in UTILITY)]
    points = [found.start, *(found[SEARCH, asked] for asked, _ in found.budgets)]
    return head, [[point.asked or UNCHANGED, *(format_metric(point, m.name) for m in UTILITY)] for point in points]


def format_metric(point: TradeoffPoint, name: str) -> str:
    """Format the value of a metric; a dash if it has none."""
    value = point.utility.get(name)
    if value is None:
        return NONE
    return f"{value:.2f}" if value > 1 else format_fraction(value) if value >= 0 else format_number(value)


def describe_columns(found: Tradeoff) -> list[tuple[str, str]]:
    """Return the legend: the meaning of each column."""
    drawn = f"median of {found.draws:,} draws (lowest to highest)" if found.draws > 1 else "1 draw"
    by_either = [
        ("by release", "people at risk by facts of the release, after reduce-risk"),
        ("by original", "people at risk by facts of the original, after reduce-risk"),
        ("misled", "people whose original facts fit no released person; not counted as at risk, nor as safe"),
    ]
    return [
        ("budget, links", "most links that may change"),
        ("changed", "links that differ from the original after reduce-risk"),
        ("at risk, share", f"released people with fewer than {format_count(found.k, 'candidate')} after reduce-risk"),
        (RANDOM, f"people at risk after {RANDOM_EDITS[found.method.edits]}: {drawn}"),
        ("at risk first", f"people at risk after deleting links of people at risk: {drawn}"),
        ("most affected", f"people at risk after deleting the links that affect most of them: {drawn}"),
        *(by_either if found.both else []),
    ]


def describe_metrics() -> list[tuple[str, str]]:
    """Return the legend of the metrics."""
    return [(metric.name, f"{metric.description}{NOTES.get(metric.name, '')}") for metric in UTILITY]


def list_views(found: Tradeoff) -> list[str]:
    """Say that the metrics ignore directions and kinds, where links have them."""
    if found.original.ties is None:
        return []
    return ["The utility is measured without directions and kinds: one edge per linked pair."]


def list_reused(found: Tradeoff) -> list[str]:
    """Say where the release of a smaller budget is shown again, and which search was stopped."""
    reused = [
        f"{point.asked}: the search found no better release than with {point.reused}, which is shown again."
        for point in found.points
        if point.reused
    ]
    stopped = [point.asked for point in found.points if point.stopped]
    return [*reused, *(f"{asked}: the search was stopped. This is the best release found." for asked in stopped)]


def list_ended(found: Tradeoff) -> list[str]:
    """Say which releases were not made, and why."""
    reasons = dict.fromkeys(point.ended for point in found.points if point.ended)
    return [
        f"No release: {join_names([f'{p.way}, {p.asked}' for p in found.points if p.ended == why])}: {why}."
        for why in reasons
    ]


def format_options(found: Tradeoff) -> list[str]:
    """Return the options of the method as they are typed, without the budget."""
    method = found.method
    words = [word for kind in found.kinds for word in ("--knows", kind.spec)] + ["-k", str(found.k)]
    usual = {"edits": "delete", "suppress": 0, "facts": "release", "effort": None}
    for name, default in usual.items():
        value = getattr(method, name)
        if value != default:
            seconds = name == "effort" and isinstance(value, float)
            words += [f"--{name}", format_duration(value) if seconds else str(value)]
    return words


def format_release(found: Tradeoff) -> str:
    """Return the command that makes the release of the largest budget."""
    made = [asked for asked, _ in found.budgets if not found[SEARCH, asked].ended] or [found.budgets[-1][0]]
    words = [*format_options(found), "--budget", made[-1]]
    return " ".join(["shoal anonymize FILE --method reduce-risk", *map(quote, words), "-o safe.csv"])


def format_command(found: Tradeoff) -> str:
    """Return the command that reproduces the page."""
    limit = [] if found.limit is None else ["--time-limit", format_duration(found.limit)]
    budgets = ["--budget", ",".join(asked for asked, _ in found.budgets)]
    words = [*format_options(found), *budgets, "--draws", str(found.draws), *limit, "--seed", str(found.seed)]
    return " ".join(["shoal tradeoff FILE", *map(quote, words), "-o FILE.html"])
