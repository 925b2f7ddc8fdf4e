"""The page of a trade-off: people at risk against links changed, the utility that is left, and the numbers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from shoal import __version__
from shoal.auditing.tradeoff import RANDOM, SEARCH, UNCHANGED, UTILITY, WAYS, Tradeoff, TradeoffPoint
from shoal.errors import format_count, load
from shoal.io.atomic import write_text
from shoal.io.targets import check_targets
from shoal.report.html.charts.colors import COLORS, GRID, INK, PAPER, VARIABLES, paint_chart, render_style
from shoal.report.html.charts.draw import build_page, draw_chart, load_template, render_svg
from shoal.report.text.phrases import describe_links, format_share, mark_partial
from shoal.report.text.tradeoff import (
    KEEP_PRIVATE,
    RANDOM_EDITS,
    build_risk_rows,
    build_utility_rows,
    check_ending,
    describe_attacker,
    describe_columns,
    describe_count,
    describe_facts,
    describe_metrics,
    format_command,
    format_metric,
    format_point,
    format_release,
    list_assumptions,
    list_ended,
    list_reused,
    list_views,
)
from shoal.show import as_chart, as_picture

HEADING = "People at risk against links changed"
LOOKS = dict(zip(WAYS, zip(COLORS, ("circle", "square", "triangle-up", "diamond"), strict=False), strict=True))
"""The color and the shape of each way of choosing edits."""
DASHES = dict(zip(WAYS, ([], [2, 3], [7, 4], [10, 3, 2, 3]), strict=True))
WIDE, NARROW, SMALL = (600, 340), (205, 250), (215, 120)
"""The width and height of the curve on a wide and on a narrow page, and of the small charts."""
PADDING = {"left": 5, "top": 5, "bottom": 5, "right": 20}
"""Around a chart; labels at the right may be wider in a browser than they were drawn."""
LINE, APART = 100, 15
"""The most characters in a line below a title, and the least distance of two labels."""


@dataclass(frozen=True)
class Panel:
    """A chart: its size, and what is drawn against the links changed."""

    title: str
    value: Callable[[TradeoffPoint], float | None]
    said: Callable[[TradeoffPoint], str]
    """The value in words."""
    width: int
    height: int
    high: float | None = None
    """The largest possible value."""
    percent: bool = False
    labeled: bool = False
    """Whether names and shares stand beside the curves."""
    spread: bool = False
    """Whether the range of the draws is shown."""

    @property
    def is_small(self) -> bool:
        """Whether it is one of the small charts."""
        return self.height == SMALL[1]


def show_share(found: Tradeoff, width: int, height: int) -> Panel:
    """Return the panel of the people at risk."""
    title = f"share of people with fewer than {format_count(found.k, 'candidate')}"
    drawn = {"labeled": True, "spread": True}
    return Panel(title, lambda p: float(p.share), describe_count, width, height, 1.0, True, **drawn)


def list_fact_panels(found: Tradeoff) -> list[Panel]:
    """Return the small charts of the people at risk by each source of facts, if both count."""
    counts = {"by_release": "release", "by_original": "original"} if found.both else {}
    return [
        Panel(f"share at risk by facts of the {data}", _get_share(name), _say_share(name), *SMALL, 1.0, True)
        for name, data in counts.items()
    ]


def list_utility_panels(found: Tradeoff) -> list[Panel]:
    """Return the small charts of the utility."""
    return [
        Panel(metric.name, _get_metric(metric.name), _say_metric(metric.name), *SMALL, metric.high)
        for metric in UTILITY
        if any(metric.name in point.utility for point in found.points)
    ]


def _get_share(name: str) -> Callable[[TradeoffPoint], float | None]:
    return lambda point: getattr(point, name) / point.people


def _say_share(name: str) -> Callable[[TradeoffPoint], str]:
    return lambda point: f"{getattr(point, name):,} of {point.people:,}"


def _get_metric(name: str) -> Callable[[TradeoffPoint], float | None]:
    return lambda point: point.utility.get(name)


def _say_metric(name: str) -> Callable[[TradeoffPoint], str]:
    return lambda point: format_metric(point, name)


def list_marks(found: Tradeoff, panel: Panel) -> list[dict[str, Any]]:
    """Return the marks of a panel, curve by curve; the start is on each curve."""
    rows = []
    for way in WAYS:
        for at, point in enumerate(found.curve(way)):
            value = panel.value(point)
            if value is not None:
                low, high = (point.draws[i] / point.people if panel.spread and point.draws else None for i in (0, -1))
                rows.append(
                    {
                        "way": way,
                        "at": at,
                        "changed": point.edits / found.original.m,
                        "value": value,
                        "low": low,
                        "high": high,
                        "share": format_point(point) if way == SEARCH and point.edits else "",
                        "said": describe_mark(found, point, panel),
                    }
                )
    return rows


def describe_mark(found: Tradeoff, point: TradeoffPoint, panel: Panel) -> str:
    """Return the links changed and the value of a release in one line."""
    changed = f"{point.edits:,} links changed ({format_share(point.edits, found.original.m)})"
    name = point.way if point.way == UNCHANGED else f"{point.way}, budget {point.asked}"
    return f"{name}: {changed}, {panel.title} {panel.said(point)}"


def place_labels(rows: Sequence[dict[str, Any]], panel: Panel, most: float) -> list[dict[str, Any]]:
    """Return the names of the curves at their right ends, moved apart; `most` is the value at the top.

    >>> panel = Panel("", lambda p: 0, str, 100, 100)
    >>> rows = [{"way": w, "changed": 1, "value": v, "said": ""} for w, v in (("random", 0.5), ("reduce-risk", 0.49))]
    >>> [(label["way"], round(label["y"], 2)) for label in place_labels(rows, panel, 1)]
    [('reduce-risk', 0.35), ('random', 0.5)]
    """
    ends = {row["way"]: row for row in rows}  # the last mark of each curve
    labels = sorted(({**row, "y": row["value"]} for row in ends.values()), key=lambda row: row["value"])
    apart, top = most * APART / panel.height, most
    for row in reversed(labels):
        row["y"] = top = min(row["y"], top - (apart if row is not labels[-1] else 0))
    low = 0.0
    for i, row in enumerate(labels):  # the lowest label is above the axis
        row["y"] = low = max(row["y"], low + (apart if i else 0.6 * apart))
    return labels


def draw_panel(found: Tradeoff, panel: Panel) -> dict[str, Any]:
    """Return a panel as a Vega-Lite specification, in stand-in colors."""
    altair = load("altair", "Drawing", extra="plots")
    rows = list_marks(found, panel)
    most = 1.08 * max(row["high"] or row["value"] for row in rows) or 0.1
    most = most if panel.high is None else min(panel.high, most)
    far = max(row["changed"] for row in rows) or 0.01
    ticks = 3 if panel.is_small else 6
    x_axis = altair.Axis(format="~%", tickCount=ticks)
    y_axis = altair.Axis(format="~%" if panel.percent else "~g", tickCount=ticks, minExtent=30)
    title = None if panel.is_small else "links changed"
    x = altair.X("changed:Q", title=title, scale=altair.Scale(domain=[0, far], nice=False), axis=x_axis)
    how = {"title": None, "scale": altair.Scale(domain=[0, most], nice=False), "axis": y_axis}
    value, low, label = (altair.Y(f"{name}:Q", **how) for name in ("value", "low", "y"))
    base = altair.Chart(altair.Data(values=rows), width=panel.width, height=panel.height)
    drawn = [layer for way in reversed(WAYS) for layer in _draw_curve(altair, base, way, panel, x, value, low)]
    drawn += (
        _draw_labels(altair, found, place_labels(rows, panel, most), rows, panel, x, label) if panel.labeled else []
    )
    chart = altair.layer(*drawn).configure(background="transparent", padding=PADDING).configure_view(stroke=GRID)
    inks = dict.fromkeys(("labelColor", "titleColor", "domainColor", "tickColor"), INK)
    spec: dict[str, Any] = chart.configure_axis(
        gridColor=GRID, labelFontSize=11, titleFontSize=12, titleFontWeight="normal", **inks
    ).to_dict()
    return spec


def _draw_curve(altair: Any, base: Any, way: str, panel: Panel, x: Any, y: Any, low: Any) -> list[Any]:
    """Return one curve: the ranges of its draws, the line and the marks."""
    color, shape = LOOKS[way]
    here = base.transform_filter(altair.datum.way == way)
    dash = {"strokeDash": DASHES[way]} if DASHES[way] else {}
    wide = (1 if panel.is_small else 1.5) * (2 if way == SEARCH else 1)
    marks = {"color": color, "size": 30 if panel.is_small else 70, "filled": True, "opacity": 1, "stroke": PAPER}
    line = here.mark_line(color=color, strokeWidth=wide, aria=False, **dash).encode(x=x, y=y, order="at:Q")
    mark = here.mark_point(shape=shape, strokeWidth=0.7, **marks).encode(x=x, y=y, description="said:N")
    if not panel.spread or way == SEARCH:
        return [line, mark]
    beside = 3 * (WAYS.index(way) - 2)  # ranges at the same place would cover each other
    ranges = here.transform_filter("isValid(datum.low)").mark_rule(
        color=color, strokeWidth=1, opacity=0.6, aria=False, xOffset=beside
    )
    return [ranges.encode(x=x, y=low, y2="high:Q"), line, mark]


def _draw_labels(
    altair: Any, found: Tradeoff, names: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], panel: Panel,
    x: Any, y: Any,
) -> list[Any]:  # fmt: skip
    """Return the names at the ends of curves, the shares along the curve of the method, and that of the start."""
    is_wide, blue = panel.width == WIDE[0], LOOKS[SEARCH][0]
    at = {"x": x, "y": y}

    def write(labels: Sequence[dict[str, Any]], color: str, **how: Any) -> Any:
        text = {"align": "left", "fontSize": 11, "color": color, "aria": False} | how
        return altair.Chart(altair.Data(values=list(labels))).mark_text(**text).encode(**at, text="name:N")

    made = []
    for row in names:
        way = row["way"]
        name = f"{way}, {format_point(found.curve(way)[-1])}" if is_wide else way
        weight = "bold" if way == SEARCH else "normal"
        size = 12 if is_wide else 11
        made.append(write([row | {"name": name}], LOOKS[way][0], dx=9, fontSize=size, fontWeight=weight))
    start = {"changed": 0, "y": float(found.start.share), "name": f"no change, {format_point(found.start)}"}
    mark = altair.Chart(altair.Data(values=[start])).mark_point(
        color=INK, shape="circle", size=70, filled=True, opacity=1, aria=False
    )
    made += [mark.encode(**at), write([start], INK, dx=7, dy=-9)]
    along = [row | {"y": row["value"], "name": row["share"]} for row in rows if row["share"]][:-1]
    return [*made, write(along, blue, dx=6, dy=-8)] if is_wide and along else made


def describe_curve(found: Tradeoff) -> list[str]:
    """Say what each budget buys, beside random edits."""
    start, k = found.start, found.k
    said = [
        f"Without any change, {describe_count(start)} people ({format_point(start)}) have fewer than {k:,} candidates."
    ]
    for asked, links in found.budgets:
        search, drawn = found[SEARCH, asked], found[RANDOM, asked]
        if search.ended:
            continue
        beside = "" if drawn.ended else f" After {RANDOM_EDITS[found.method.edits]}: {drawn.at_risk:,}."
        most = f"{links:,} {'link' if links == 1 else 'links'} changed ({asked})"
        said.append(f"With at most {most}: {describe_count(search)} people ({format_point(search)}).{beside}")
    return said


# The page: one file, without network and without scripts.


@as_picture.register
def save_tradeoff(found: Tradeoff, path: Path, force: bool) -> None:
    """Write a page, a chart or the numbers, readable only by their owner."""
    check_targets([path], force)
    check_ending(path)
    made = {".html": render_tradeoff_page, ".json": _format_numbers, ".csv": _format_rows, ".svg": _render_picture}
    write_text(path, made[path.suffix.lower()](found), force=force, private=True)  # exact numbers about the original


def render_tradeoff_page(found: Tradeoff) -> str:
    """Return the page."""
    told = " ".join(describe_curve(found))
    figures = [
        render_svg(json.dumps(draw_panel(found, show_share(found, *size))), VARIABLES, name, HEADING, told, hover=True)
        for name, size in (("wide", WIDE), ("narrow", NARROW))
    ]
    body = load_template("tradeoff.html").render(
        heading=HEADING,
        asked=describe_question(found),
        partial=mark_partial(found.partial),
        verdict=describe_curve(found),
        private=KEEP_PRIVATE,
        axis=show_share(found, *WIDE).title,
        wide=figures[0],
        narrow=figures[1],
        ranges=found.draws > 1,
        ways=list_ways(found),
        facts=[render_small_panel(found, panel, f"facts{i}") for i, panel in enumerate(list_fact_panels(found))],
        panels=[render_small_panel(found, panel, f"use{i}") for i, panel in enumerate(list_utility_panels(found))],
        risk=build_risk_rows(found),
        utility=build_utility_rows(found),
        legend=[*describe_columns(found), *describe_metrics()],
        notes=[*list_views(found), *list_reused(found), *list_ended(found)],
        release=format_release(found),
        repeat=format_command(found),
        version=__version__,
    )
    return build_page(HEADING, render_style("tradeoff.css"), body)


def render_small_panel(found: Tradeoff, panel: Panel, name: str) -> dict[str, str]:
    """Return a small chart with its title."""
    last = found.curve()[-1]
    told = f"{panel.title}: {panel.said(found.start)} without any change, {panel.said(last)} with {last.asked or '0'}."
    svg = render_svg(json.dumps(draw_panel(found, panel)), VARIABLES, name, panel.title, told, hover=True)
    return {"title": panel.title, "svg": svg}


def list_ways(found: Tradeoff) -> list[dict[str, Any]]:
    """Return the legend of the curves: the variable of the color, dashes, shape and meaning of each."""
    paths = {
        "circle": "M14,1a5,5,0,1,0,0.001,0Z",
        "square": "M9.5,1.5h9v9h-9Z",
        "triangle-up": "M14,1L19,10.5H9Z",
        "diamond": "M14,0.5L19.5,6L14,11.5L8.5,6Z",
    }
    meanings = {
        SEARCH: "the search of shoal within the budget",
        RANDOM: RANDOM_EDITS[found.method.edits],
        "at risk first": "deleting links of people at risk",
        "most affected": "deleting the links that affect most people at risk",
    }
    return [
        {
            "name": way,
            "color": VARIABLES[LOOKS[way][0]],
            "dash": " ".join(map(str, DASHES[way])),
            "path": paths[LOOKS[way][1]],
            "means": meanings[way],
        }
        for way in WAYS
    ]


def describe_question(found: Tradeoff) -> str:
    """Describe the data, the attacker model and the edits."""
    data = found.original
    links = describe_links(data.m, data.directed, data.kinds)
    what = f"a network of {format_count(data.n, 'person', 'people')} and {links}"
    kinds = {"delete": "deleted", "add": "added", "add-delete": "deleted and added", "swap": "swapped"}
    more = list_assumptions(found)
    return " ".join(
        [
            f"The data: {what}. The attacker knows {describe_attacker(found)}. {describe_facts(found)}",
            f"Links are {kinds[found.method.edits]}.",
            *more,
        ]
    )


def _format_numbers(found: Tradeoff) -> str:
    return json.dumps(found.data(), indent=2, ensure_ascii=False) + "\n"


def _format_rows(found: Tradeoff) -> str:
    """Return the rows as csv; an empty cell is a missing number."""
    text, rows = io.StringIO(), found.rows()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _render_picture(found: Tradeoff) -> str:
    """Return the chart without the page."""
    return draw_chart(json.dumps(draw_tradeoff_chart(found).to_dict()), "svg").decode()


@as_chart.register
def draw_tradeoff_chart(found: Tradeoff) -> Any:
    """Draw the curve in the colors of a light page."""
    altair = load("altair", "Drawing", extra="plots")
    panel = show_share(found, *WIDE)
    chart = altair.LayerChart.from_dict(paint_chart(draw_panel(found, panel)))
    lines = wrap(f"Y axis: {panel.title}. {describe_question(found)}", LINE)
    heading = altair.Title(HEADING, subtitle=lines, anchor="start", offset=12)
    return chart.properties(background="white", title=heading, description=HEADING)


__all__ = ["render_tradeoff_page", "save_tradeoff"]
