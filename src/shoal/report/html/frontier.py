"""The page of a frontier: risk against loss, one mark per release, the points that no other beats joined by a line."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Any

from shoal import __version__
from shoal.auditing.frontier import Frontier
from shoal.auditing.frontier.points import EMPTY, Plan, Point, locate_point
from shoal.auditing.frontier.trial import METRICS
from shoal.errors import load
from shoal.io.atomic import write_text
from shoal.io.files import check_targets
from shoal.report.html.charts.draw import build_page, draw_chart, load_template, read_page_part, render_svg
from shoal.report.text.frontier import (
    build_frontier_rows,
    check_ending,
    describe_columns,
    format_below,
    format_k,
    format_loss,
    list_left_out,
    list_notes,
    list_recoded,
    list_refused,
    name_point,
)
from shoal.report.text.wording import format_count, join_names
from shoal.show import as_picture

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
COLORS = tuple(f"#0000{i:02x}" for i in range(1, 9))
"""Stand-ins for colors, which the page gives as variables for light and dark; a shape and a color never meet twice."""
INK, PAPER, GRID, FRONT = "#000010", "#000011", "#000012", "#000013"
WIDTH, HEIGHT = 600, 360


def list_marks(found: Frontier, k: int) -> list[dict[str, Any]]:
    """Return what is drawn: where each release lies, and what is said of it."""
    rows = []
    front = {id(point): i for i, point in enumerate(found.front(k))}
    for point in found.points:
        at = locate_point(point, k, found.utility, found.facts)
        if at is not None:
            rows.append(
                {
                    "method": _name_legend_entry(point),
                    "end": point.kind == "end",
                    "label": point.method if point.kind == "end" else "" if point.k is None else format_k(point),
                    "risk": float(at[0]),
                    "lost": at[2],
                    "front": front.get(id(point), -1),
                    "said": describe_mark(point, found, k),
                }
            )
    return rows


def _name_legend_entry(point: Point) -> str:
    """Return what a release is called in the legend: perturbations with different amounts are one method."""
    return point.method if point.k is None else point.called


def describe_mark(point: Point, found: Frontier, k: int) -> str:
    """Say in a line where a release lies."""
    risk = point.get_risk(found.facts)
    assert risk is not None
    return f"{name_point(point)}: {format_below(risk, k)} below {k}, lost {format_loss(point, found.utility)}"


def list_labels(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what is written beside marks: the k of all that lie in one place, and above them the name of an end."""
    places: dict[tuple[float, float, bool], dict[str, None]] = {}
    for row in rows:
        if row["label"]:
            places.setdefault((row["lost"], row["risk"], row["end"]), {})[row["label"]] = None
    return [
        {"lost": lost, "risk": risk, "end": end, "label": ", ".join(texts)}
        for (lost, risk, end), texts in places.items()
    ]


def draw_frontier(found: Frontier, k: int) -> dict[str, Any]:
    """Return the picture for one k as a Vega-Lite chart."""
    altair = load("altair", "Drawing", extra="plots")
    rows = list_marks(found, k)
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
    shown = {"color": _pick_colors(altair, names), "shape": _pick_shapes(altair, names), "description": "said:N"}
    beside = altair.Chart(altair.Data(values=list_labels(rows)))
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


def _pick_colors(altair: Any, names: list[str]) -> Any:
    colors = [COLORS[i % len(COLORS)] for i in range(len(names))]
    return altair.Color("method:N", title=None, sort=names, scale=altair.Scale(domain=names, range=colors))


def _pick_shapes(altair: Any, names: list[str]) -> Any:
    shapes = [SHAPES[(i + i // len(COLORS)) % len(SHAPES)] for i in range(len(names))]
    return altair.Shape("method:N", title=None, sort=names, scale=altair.Scale(domain=names, range=shapes))


def describe_figure(found: Frontier, k: int) -> str:
    """Say what the picture for one k shows, for whoever does not see it."""
    front = found.front(k)
    told = "; ".join(describe_mark(point, found, k) for point in front)
    return (
        f"Each mark is a release. To the left less is lost ({METRICS[found.utility].means}); further down fewer people "
        f"have fewer than {k} candidates. No other is better in both than these: {told}."
    )


# The page of a frontier: a picture for each k, the table, what could not be made, and how to repeat it.

VARIABLES = {INK: "ink", PAPER: "paper", GRID: "grid", FRONT: "front"} | {c: f"m{i}" for i, c in enumerate(COLORS)}
LIGHT = ("#1f77b4", "#b5480a", "#2a7d2a", "#a3195b", "#6b4ca3", "#7a5230", "#0e7c86", "#5f5f5f")
DARK = ("#6cb4ee", "#ff9d5c", "#7ed07e", "#ff7fb5", "#b9a2f0", "#d9a679", "#5fd3dd", "#c0c0c0")
HEADING = "Methods side by side: who is left at risk, and what is lost"


@as_picture.register
def save_frontier_page(found: Frontier, path: Path, force: bool) -> None:
    """Write a page, a picture for the largest k, or the numbers; only their owner can read them."""
    check_targets([path], force)
    check_ending(path)
    text = {".html": render_frontier_page, ".json": _format_numbers, ".svg": _render_picture}[path.suffix.lower()](
        found
    )
    write_text(path, text, force=force, private=True)  # it tells exact numbers about the original


def render_frontier_page(found: Frontier) -> str:
    """Return the page."""
    style = _render_style()
    head, rows = build_frontier_rows(found)
    body = load_template("frontier.html").render(
        heading=HEADING,
        asked=describe_question(found),
        verdict=describe_verdict(found),
        figures=[render_figure(found, k) for k in reversed(found.ks)],
        head=head,
        rows=[(row, any("*" in cell for cell in row[2:])) for row in rows],
        legend=describe_columns(found),
        recoded=list_recoded(found),
        refused=list_refused(found),
        left_out=list_left_out(found),
        notes=list_notes(found.points),
        redrawn=any(point.method == "generalize" for point in found.points),
        repeat=format_command(found),
        version=__version__,
    )
    return build_page(HEADING, style, body)


def render_figure(found: Frontier, k: int) -> dict[str, Any]:
    """Return the picture for one k, with its title and its words."""
    title, told = f"Who is left with fewer than {k} candidates, and what is lost", describe_figure(found, k)
    chart = json.dumps(draw_frontier(found, k)) if list_marks(found, k) else None
    drawing = "" if chart is None else render_svg(chart, VARIABLES, f"k{k}", title, told, hover=True)
    return {"k": k, "title": title, "told": told, "svg": drawing, "lost": chart is not None and not drawing}


def describe_question(found: Frontier) -> str:
    """Say what the data are and what the attacker knows."""
    data, columns = found.original, join_names(list(found.original.attributes))
    about = f", with {columns}" if len(data.attributes) else ""
    what = (
        f"a table of {format_count(data.n, 'record')}"
        if not data.has_links
        else (f"a network of {format_count(data.n, 'person', 'people')} and {format_count(data.m, 'link')}")
    )
    knows = f"The attacker knows {found.adversary.spec} ({found.adversary.notion}), measured"
    return f"The data: {what}{about}. {knows} in the {found.facts}."


def describe_verdict(found: Frontier) -> list[str]:
    """Say in a sentence for each k what comes cheapest with nobody below it."""
    made = sum(point.risk is not None for point in found.points)
    said = [f"{format_count(made, 'release')} {_agree_verb(made)} compared."]
    for k in found.ks:
        safe = [p for p in found.front(k) if (e := p.get_risk(found.facts)) is not None and e.bounds(k)[1] == 0]
        best = next((point for point in safe if point.method != EMPTY), None)
        if best is None:
            said.append(_describe_none_safe(found, k))
            continue
        promised = "which it promises" if best.covered else "which was counted, and is not promised"
        said.append(
            f"Everybody is left with {k} candidates or more, at the least loss ({format_loss(best, found.utility)}), "
            f"by {name_point(best)}, {promised}."
        )
    return said


def _describe_none_safe(found: Frontier, k: int) -> str:
    """Say that no method leaves everybody k candidates; or that it cannot be told of those where it is open."""
    seen = [(p, e) for p in found.points if p.kind != "end" and (e := p.get_risk(found.facts)) is not None]
    unsure = [name_point(point) for point, exposure in seen if exposure.below[k] == 0]
    told = f"No method that keeps anything is proved to leave everybody {k} candidates or more"
    if not unsure:
        return f"No method that keeps anything leaves everybody {k} candidates or more."
    return (
        f"{told}; it is open for {join_names(unsure)} (recoded values, somebody whom nothing fits, a search cut short)."
    )


def _agree_verb(many: int) -> str:
    return "was" if many == 1 else "were"


def format_command(found: Frontier) -> str:
    """Return the command that makes the page again."""
    columns = ["--columns", ",".join(found.original.attributes)] if len(found.original.attributes) else []
    facts = [] if found.facts == "release" else ["--facts", found.facts]
    axis = [] if found.utility == "changed" else ["--utility", found.utility]
    limit = [] if found.limit is None else ["--time-limit", f"{found.limit:g}s"]
    asked = ["-k", ",".join(map(str, found.ks)), *_format_methods(found), "--knows", found.adversary.spec]
    rest = [*columns, *facts, *axis, *_format_existing(found), *limit, "--seed", str(found.seed)]
    return " ".join(["shoal frontier FILE", *map(quote, [*asked, *rest]), "-o FILE.html"])


def _format_methods(found: Frontier) -> list[str]:
    """Return the methods that were asked for as options of the command: plain names together, others one by one."""
    names = [method for method in found.methods or () if isinstance(method, str)]
    words = ["--methods", ",".join(names)] if names else []
    for method in found.methods or ():
        if not isinstance(method, str):
            told = Plan(method).list_options(tuple(found.original.attributes))
            options = ",".join(f"{name}={value}" for name, value in told.items())
            words += ["--methods", f"{method.shell}:{options}" if options else method.shell]
    return words


def _format_existing(found: Frontier) -> list[str]:
    """Return the releases that stood beside, as options of the command."""
    words: list[str] = []
    for point in found.points:
        if point.kind == "given":
            words += ["--also", point.method, *([] if point.attacked is None else ["--mapping", "MAPPING"])]
    return words


def _format_numbers(found: Frontier) -> str:
    return json.dumps(found.data(), indent=2, ensure_ascii=False) + "\n"


def _render_picture(found: Frontier) -> str:
    """Return the picture alone, in the colors of a light page."""
    text = json.dumps(draw_frontier(found, found.ks[-1]))
    plain = {INK: "#1b1b1b", PAPER: "#ffffff", GRID: "#d9d9d9", FRONT: "#111111"}
    for color, shown in (plain | dict(zip(COLORS, LIGHT, strict=True))).items():
        text = text.replace(color, shown)
    return draw_chart(text, "svg").decode()


def _render_style() -> str:
    """Return the sheet of the page with the colors of methods in light and dark."""
    light, dark = (";".join(f"--m{i}:{c}" for i, c in enumerate(colors)) for colors in (LIGHT, DARK))
    text = read_page_part("frontier.css")
    return text.replace("/*light*/", light).replace("/*dark*/", dark)


# The page of a frontier: one file, without network, without script.


__all__ = ["render_frontier_page", "save_frontier_page"]
