"""Text of frontiers: a table of releases with the best ones marked, and the releases that could not be made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.auditing.frontier import Frontier
from shoal.auditing.frontier.points import Point, PointRisk
from shoal.errors import BadParameter, join_lines, join_names
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import describe_knowledge, format_bound, format_share, mark_partial, render_table
from shoal.report.text.risk import describe_known_ties
from shoal.show import as_html, as_text
from shoal.utility.registry import METRICS

NONE = "-"
FORMATS = (".html", ".svg", ".json")


def check_ending(path: Path) -> None:
    """Refuse a file that a frontier cannot be saved as."""
    if path.suffix.lower() not in FORMATS:
        raise BadParameter(f"A frontier must be saved as .html, .svg or .json. Got {path.name!r}.")


@as_text.register
def describe_frontier(found: Frontier) -> str:
    """Return the points as a table, the legend, and what is missing."""
    head, rows = build_frontier_rows(found)
    parts = [
        [*list_partial(found), f"{describe_heading(found)}.", *list_assumptions(found)],
        render_table(head, rows),
        [f"{term:<10} {told}" for term, told in describe_columns(found)],
    ]
    parts += [lines for lines in (list_recoded(found), list_refused(found), list_left_out(found)) if lines]
    return "\n\n".join(join_lines(part) for part in parts)


@as_html.register
def render_frontier(found: Frontier) -> str:
    """Return the points as an HTML table for notebooks, with the legend below."""
    head, rows = build_frontier_rows(found)
    legend = render_html_table(["column", "meaning"], describe_columns(found), left=2)
    missing = [*list_recoded(found), *list_refused(found), *list_left_out(found)]
    heading = " ".join([*list_partial(found), f"{describe_heading(found)}.", *list_assumptions(found)])
    return render_html_table(head, rows, heading) + legend + render_paragraphs(missing)


def describe_heading(found: Frontier) -> str:
    """Say what was compared."""
    knows = describe_kinds(found)
    return f"Methods on {found.original!r} against an attacker who knows {knows}, measured in the {found.facts}"


def list_assumptions(found: Frontier) -> list[str]:
    """Return what the kinds of knowledge assume about the attacker, each once."""
    ties = describe_known_ties(found.original, found.kinds)
    return list(dict.fromkeys(told for told in (ties, *(kind.assumes for kind in found.kinds)) if told))


def describe_kinds(found: Frontier) -> str:
    """Say what the attacker knows: one of several kinds of knowledge."""
    one_of = [f"{describe_knowledge(kind.spec)} ({kind.spec})" for kind in found.kinds]
    return one_of[0] if len(one_of) == 1 else f"one of these: {'; '.join(one_of)}"


def build_frontier_rows(found: Frontier) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table and a row per release that was made."""
    head = [
        "method",
        "k",
        *(f"below {k}" for k in found.ks),
        "k reached",
        title_other_attacker(found),
        "misled",
        "lost",
    ]
    fronts = {k: set(map(id, found.front(k))) for k in found.ks}
    rows = []
    for point in found.points:
        risk = point.get_risk(found.facts)
        if risk is None:
            continue
        below = [format_below(risk, k) + ("*" if id(point) in fronts[k] else " ") for k in found.ks]
        rows.append(
            [point.called, format_k(point), *below, format_bound(risk.k, risk.exact), *_format_rest(point, found)]
        )
    return head, rows


def _format_rest(point: Point, found: Frontier) -> list[str]:
    other = point.attacked if found.facts == "release" else point.risk
    last = NONE if other is None else format_below(other, found.ks[-1])
    misled = NONE if point.attacked is None else format_share(point.attacked.misled, point.attacked.people)
    return [last, misled, format_loss(point, found.utility)]


def title_other_attacker(found: Frontier) -> str:
    """Return the head of the column about the other attacker, who measures facts in the other data."""
    return "original" if found.facts == "release" else "release"


def format_below(risk: PointRisk, k: int) -> str:
    """Format a share of people, marked where it is only a lower bound."""
    return format_share(risk.below[k], risk.people, least=risk.unsure[k] > (0 if risk.recoded else risk.misled))


def format_k(point: Point) -> str:
    """Format the k that a method was asked for."""
    return NONE if point.k is None else f"{point.k:,}"


def format_loss(point: Point, axis: str) -> str:
    """Format a loss, never rounded to 0.

    >>> format_loss(Point("empty", lost={"changed": 0.00001}), "changed"), format_loss(Point("empty"), "changed")
    ('<0.001', '-')
    """
    lost = point.lost.get(axis)
    return NONE if lost is None else "<0.001" if 0 < lost < 0.0005 else f"{lost:.3f}"


def describe_columns(found: Frontier) -> list[tuple[str, str]]:
    """Return the legend: the meaning of each column."""
    there, here = ("original", "release") if found.facts == "release" else ("release", "original")
    cut = "; >= where a search was cut short or values were recoded"
    return [
        ("k", "number of candidates that the method was asked for"),
        ("below K", f"share of people with fewer than K candidates, from facts measured in the {here}{cut}"),
        ("*", "no other release is better in both this share and the loss; a bound never counts as better"),
        ("k reached", "candidates of the least protected person"),
        (there, f"the share below {found.ks[-1]}, from facts measured in the {there}"),
        (
            "misled",
            "share of people whose original facts fit no released person, e.g. recoded values; not safe",
        ),
        ("lost", f"{found.utility}: {METRICS[found.utility].means}"),
    ]


def list_partial(found: Frontier) -> list[str]:
    """Say first what the time limit ended."""
    return mark_partial(found.partial)


def list_recoded(found: Frontier) -> list[str]:
    """Say which releases recoded known values, so that counts from the original are only bounds."""
    by_columns: dict[tuple[str, ...], dict[str, None]] = {}
    for point in found.points:
        if point.attacked is not None and point.attacked.recoded and point.kind != "end":
            by_columns.setdefault(point.attacked.recoded, {})[point.called] = None
    return [
        f"Recoded: {join_names(columns)}, by {join_names(list(called))}. Original values are compared as they are. "
        "An attacker who understands the recoding (a range, a mean, *) may find fewer candidates, so no person is "
        "proved safe from that attacker."
        for columns, called in by_columns.items()
    ]


def list_refused(found: Frontier) -> list[str]:
    """Return which releases could not be made, and why."""
    return [f"{name_point(point)}: no release. {point.refused}" for point in found.points if point.refused]


def list_left_out(found: Frontier) -> list[str]:
    """Return which methods were not tried, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for name, why in found.left_out:
        by_reason.setdefault(why, []).append(name)
    return [f"Left out: {', '.join(names)}: {why.rstrip('.')}." for why, names in by_reason.items()]


def name_point(point: Point) -> str:
    """Return the name of a point: its method and k."""
    return point.called if point.k is None else f"{point.called}, k = {point.k:,}"


def list_notes(points: Sequence[Point]) -> list[tuple[str, str]]:
    """Return the notes of all releases, each with the name of its release."""
    return [(name_point(point), note) for point in points for note in point.notes]
