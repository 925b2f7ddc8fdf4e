"""The picture of a frontier: risk against what is lost, a mark per release, the unbeaten ones joined by a line."""

from __future__ import annotations

from typing import Any

from shoal.auditing.frontier import MethodFrontier
from shoal.auditing.frontier_loss import METRICS
from shoal.auditing.frontier_points import Point, place
from shoal.errors import load
from shoal.report.frontiers import below_text, k_text, lost_text, named

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
COLORS = tuple(f"#0000{i:02x}" for i in range(1, 9))
"""Stand-ins for colors, which the page gives as variables for light and dark; a shape and a color never meet twice."""
INK, PAPER, GRID, FRONT = "#000010", "#000011", "#000012", "#000013"
WIDTH, HEIGHT = 600, 360


def rows_of(found: MethodFrontier, k: int) -> list[dict[str, Any]]:
    """Return what is drawn: where each release lies, and what is said of it."""
    rows = []
    front = {id(point): i for i, point in enumerate(found.front(k))}
    for point in found.points:
        at = place(point, k, found.utility, found.facts)
        if at is not None:
            rows.append(
                {
                    "method": _legend(point),
                    "end": point.kind == "end",
                    "label": point.method if point.kind == "end" else "" if point.k is None else k_text(point),
                    "risk": float(at[0]),
                    "lost": at[2],
                    "front": front.get(id(point), -1),
                    "said": said(point, found, k),
                }
            )
    return rows


def _legend(point: Point) -> str:
    """Return what a release is called in the legend: perturbations with different amounts are one method."""
    return point.method if point.k is None else point.called


def said(point: Point, found: MethodFrontier, k: int) -> str:
    """Say in a line where a release lies."""
    risk = point.exposure(found.facts)
    assert risk is not None
    return f"{named(point)}: {below_text(risk, k)} below {k}, lost {lost_text(point, found.utility)}"


def labels_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what is written beside marks: the k of all that lie in one place, and above them the name of an end."""
    places: dict[tuple[float, float, bool], dict[str, None]] = {}
    for row in rows:
        if row["label"]:
            places.setdefault((row["lost"], row["risk"], row["end"]), {})[row["label"]] = None
    return [
        {"lost": lost, "risk": risk, "end": end, "label": ", ".join(texts)}
        for (lost, risk, end), texts in places.items()
    ]


def frontier_chart(found: MethodFrontier, k: int) -> dict[str, Any]:
    """Return the picture for one k as a Vega-Lite chart."""
    altair = load("altair", "Drawing", extra="plots")
    rows = rows_of(found, k)
    names = list(dict.fromkeys(row["method"] for row in rows))
    most = max(row["lost"] for row in rows) or 1.0
    base = altair.Chart(altair.Data(values=rows), width=WIDTH, height=HEIGHT)
    front = base.transform_filter("datum.front >= 0")
    scale = altair.Scale(domain=[0, 1.05 * most], nice=False)
    x = altair.X("lost:Q", title=f"lost ({found.utility}): less is better", scale=scale)
    percent, whole = altair.Axis(format="%"), altair.Scale(domain=[0, 1])
    y = altair.Y("risk:Q", title=f"share of people with fewer than {k} candidates", axis=percent, scale=whole)
    line = {"strokeWidth": 2, "color": FRONT, "aria": False}
    mark = {"size": 80, "filled": True, "opacity": 1, "stroke": PAPER, "strokeWidth": 0.7}
    shown = {"color": _colors(altair, names), "shape": _shapes(altair, names), "description": "said:N"}
    beside = altair.Chart(altair.Data(values=labels_of(rows)))
    drawn = [
        front.mark_line(interpolate="step-after", strokeDash=[5, 4], **line).encode(x=x, y=y, order="front:Q"),
        front.mark_point(size=260, filled=False, shape="circle", **line).encode(x=x, y=y),
        base.mark_point(**mark).encode(x=x, y=y, **shown),
        *(
            beside.transform_filter(where)
            .mark_text(dx=9, dy=dy, align="left", fontSize=11, color=INK, aria=False)
            .encode(x=x, y=y, text="label:N")
            for where, dy in (("datum.end", -21), ("!datum.end", -8))
        ),
    ]
    chart = altair.layer(*drawn).configure(background="transparent").configure_view(stroke=GRID)
    chart = chart.configure_axis(labelColor=INK, titleColor=INK, gridColor=GRID, domainColor=INK, tickColor=INK)
    legend = {"orient": "bottom", "columns": 3, "title": None, "labelLimit": 260, "symbolSize": 80}
    spec: dict[str, Any] = chart.configure_legend(labelColor=INK, titleColor=INK, **legend).to_dict()
    return spec


def _colors(altair: Any, names: list[str]) -> Any:
    colors = [COLORS[i % len(COLORS)] for i in range(len(names))]
    return altair.Color("method:N", title=None, sort=names, scale=altair.Scale(domain=names, range=colors))


def _shapes(altair: Any, names: list[str]) -> Any:
    shapes = [SHAPES[(i + i // len(COLORS)) % len(SHAPES)] for i in range(len(names))]
    return altair.Shape("method:N", title=None, sort=names, scale=altair.Scale(domain=names, range=shapes))


def meaning(found: MethodFrontier, k: int) -> str:
    """Say what the picture for one k shows, for whoever does not see it."""
    front = found.front(k)
    told = "; ".join(said(point, found, k) for point in front)
    return (
        f"Each mark is a release. To the left less is lost ({METRICS[found.utility].means}); further down fewer people "
        f"have fewer than {k} candidates. No other is better in both than these: {told}."
    )
