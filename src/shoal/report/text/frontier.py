"""Text of frontiers: methods as a table, unbeaten ones marked, and the releases that could not be made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.auditing.frontier import Frontier
from shoal.auditing.frontier.points import Point, PointRisk
from shoal.auditing.frontier.trial import METRICS
from shoal.errors import BadParameter, join_lines
from shoal.report.text.wording import format_bound, format_share, join_names, render_table
from shoal.show import as_text

NONE = "-"
FORMATS = (".html", ".svg", ".json")


def check_ending(path: Path) -> None:
    """Refuse a file that a frontier cannot be saved as."""
    if path.suffix.lower() not in FORMATS:
        raise BadParameter(f"A frontier must be saved as .html, .svg or .json. Got {path.name!r}.")


@as_text.register
def describe_frontier(found: Frontier) -> str:
    """Return the points as a table, a star where no other is better in both, and what the columns mean."""
    head, rows = build_frontier_rows(found)
    parts = [
        [f"{describe_heading(found)}."],
        render_table(head, rows),
        [f"{term:<10} {told}" for term, told in describe_columns(found)],
    ]
    parts += [lines for lines in (list_recoded(found), list_refused(found), list_left_out(found)) if lines]
    return "\n\n".join(join_lines(part) for part in parts)


def describe_heading(found: Frontier) -> str:
    """Say what was compared."""
    where = " in the release" if found.facts == "release" else " in the original"
    return f"Methods on {found.original!r} against whoever knows {found.adversary.spec}{where}"


def build_frontier_rows(found: Frontier) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table and its rows: those that have a release."""
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
    """Return the head of the column about the attacker who measures elsewhere."""
    return "original" if found.facts == "release" else "release"


def format_below(risk: PointRisk, k: int) -> str:
    """Write a share of people, or that it is at least so much."""
    return format_share(risk.below[k], risk.people, least=risk.unsure[k] > (0 if risk.recoded else risk.misled))


def format_k(point: Point) -> str:
    """Write what a method was asked for."""
    return NONE if point.k is None else f"{point.k:,}"


def format_loss(point: Point, axis: str) -> str:
    """Write what is lost; some is never nothing.

    >>> format_loss(Point("empty", lost={"changed": 0.00001}), "changed"), format_loss(Point("empty"), "changed")
    ('<0.001', '-')
    """
    lost = point.lost.get(axis)
    return NONE if lost is None else "<0.001" if 0 < lost < 0.0005 else f"{lost:.3f}"


def describe_columns(found: Frontier) -> list[tuple[str, str]]:
    """Say in a sentence each what the columns mean."""
    there, here = ("original", "release") if found.facts == "release" else ("release", "original")
    cut = "; >= where a search was cut short, or where values were recoded"
    return [
        ("k", "how many candidates the method was asked to leave everybody"),
        ("below K", f"share of people with fewer than K candidates, to whoever measures in the {here}{cut}"),
        ("*", "no other is better in both, this share and what is lost; an unfinished search beats nobody by it"),
        ("k reached", "the fewest candidates that anybody is left with"),
        (there, f"the share below {found.ks[-1]} to whoever measures what is known in the {there}"),
        (
            "misled",
            "whom nothing fits that is known from the original (as where values were recoded), which is not safety",
        ),
        ("lost", f"{found.utility}: {METRICS[found.utility].means}"),
    ]


def list_recoded(found: Frontier) -> list[str]:
    """Say in which releases known values are not as they were, so that what is counted from the original is open."""
    by_columns: dict[tuple[str, ...], dict[str, None]] = {}
    for point in found.points:
        if point.attacked is not None and point.attacked.recoded and point.kind != "end":
            by_columns.setdefault(point.attacked.recoded, {})[point.called] = None
    return [
        f"Recoded: {join_names(columns)}, by {join_names(list(called))}. "
        "What is known from the original is sought as it is; "
        "whoever understands what became of it (a range, a mean, *) may be left with fewer, so that nobody is proved "
        "safe from that attacker."
        for columns, called in by_columns.items()
    ]


def list_refused(found: Frontier) -> list[str]:
    """Say which releases could not be made, and why."""
    return [f"{name_point(point)}: no release. {point.refused}" for point in found.points if point.refused]


def list_left_out(found: Frontier) -> list[str]:
    """Say which methods were not tried; those with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for name, why in found.left_out:
        by_reason.setdefault(why, []).append(name)
    return [f"Left out: {', '.join(names)}: {why.rstrip('.')}." for why, names in by_reason.items()]


def name_point(point: Point) -> str:
    """Return a point by its method and k."""
    return point.called if point.k is None else f"{point.called}, k = {point.k:,}"


def list_notes(points: Sequence[Point]) -> list[tuple[str, str]]:
    """Return what was said while releases were made, with the release it was said of."""
    return [(name_point(point), note) for point in points for note in point.notes]
