"""The page of a frontier: a chart of risk against loss for each k, a table, and the command to repeat it."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Any

from shoal import __version__
from shoal.auditing.case import list_reading_options
from shoal.auditing.frontier import Frontier
from shoal.auditing.frontier.points import EMPTY, Plan, Point, locate_point
from shoal.data.graph import Graph
from shoal.errors import BadParameter, format_count, join_names, load
from shoal.io.atomic import write_text
from shoal.io.targets import check_targets
from shoal.limits import format_duration
from shoal.report.html.charts.colors import COLORS, FRONT, GRID, INK, PAPER, VARIABLES, paint_chart, render_style
from shoal.report.html.charts.draw import build_page, draw_chart, load_template, render_svg
from shoal.report.text.frontier import (
    build_frontier_rows,
    check_ending,
    describe_columns,
    describe_kinds,
    format_below,
    format_k,
    format_loss,
    list_assumptions,
    list_left_out,
    list_notes,
    list_partial,
    list_recoded,
    list_refused,
    name_point,
)
from shoal.report.text.phrases import describe_knowledge, describe_links
from shoal.show import as_chart, as_picture
from shoal.utility.registry import METRICS

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
"""No pair of shape and color occurs twice."""
WIDTH, HEIGHT = 600, 360
LETTER, RAISED = (7, 12), 13
"""The width and height of a letter of a label, and how far the name of an extreme is above other labels."""


def list_marks(found: Frontier, k: int) -> list[dict[str, Any]]:
    """Return the marks of a chart: the position and the description of each release."""
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
    """Return the legend entry of a release: perturbations of different strength are one method."""
    return point.method if point.k is None else point.called


def describe_mark(point: Point, found: Frontier, k: int) -> str:
    """Return the risk and the loss of a release in one line."""
    risk = point.get_risk(found.facts)
    assert risk is not None
    return f"{name_point(point)}: {format_below(risk, k)} below {k}, lost {format_loss(point, found.utility)}"


def list_labels(rows: list[dict[str, Any]], most: float) -> list[dict[str, Any]]:
    """Return the labels of marks: the k of all marks at one position, and the name of an extreme above them.

    A label that would cover another is left out: extremes come first, then the front. `most` is the loss at the right.
    """
    places: dict[tuple[float, float, bool], dict[str, None]] = {}
    for row in sorted(rows, key=lambda row: (not row["end"], row["front"] < 0)):
        if row["label"]:
            places.setdefault((row["lost"], row["risk"], row["end"]), {})[row["label"]] = None
    labels: list[dict[str, Any]] = []
    boxes: list[tuple[float, float, float]] = []
    for (lost, risk, end), texts in places.items():
        text = ", ".join(texts)
        left, up = WIDTH * lost / most, HEIGHT * risk + (RAISED if end else 0)
        if all(abs(up - y) > LETTER[1] or left > right or left + LETTER[0] * len(text) < x for x, right, y in boxes):
            boxes.append((left, left + LETTER[0] * len(text), up))
            labels.append({"lost": lost, "risk": risk, "end": end, "label": text})
    return labels


def draw_frontier(found: Frontier, k: int) -> dict[str, Any]:
    """Return the chart for one k as a Vega-Lite specification."""
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
    beside = altair.Chart(altair.Data(values=list_labels(rows, 1.05 * most)))
    drawn = [
        front.mark_line(interpolate="step-after", strokeDash=[5, 4], **line).encode(x=x, y=y, order="front:Q"),
        front.mark_point(size=260, filled=False, shape="circle", **line).encode(x=x, y=y),
        base.mark_point(**mark).encode(x=x, y=y, **shown),
        *(
            beside.transform_filter(where)
            .mark_text(dx=9, dy=dy, align="left", fontSize=11, color=INK, aria=False)
            .encode(x=x, y=y, text="label:N")
            for where, dy in (("datum.end", -8 - RAISED), ("!datum.end", -8))
        ),
    ]
    chart = altair.layer(*drawn).configure(background="transparent").configure_view(stroke=GRID)
    chart = chart.configure_axis(labelColor=INK, titleColor=INK, gridColor=GRID, domainColor=INK, tickColor=INK)
    legend = {"orient": "bottom", "columns": 3, "title": None, "labelLimit": 260, "symbolSize": 80, "columnPadding": 30}
    spec: dict[str, Any] = chart.configure_legend(labelColor=INK, titleColor=INK, **legend).to_dict()
    return spec


def _pick_colors(altair: Any, names: list[str]) -> Any:
    colors = [COLORS[i % len(COLORS)] for i in range(len(names))]
    return altair.Color("method:N", title=None, sort=names, scale=altair.Scale(domain=names, range=colors))


def _pick_shapes(altair: Any, names: list[str]) -> Any:
    shapes = [SHAPES[(i + i // len(COLORS)) % len(SHAPES)] for i in range(len(names))]
    return altair.Shape("method:N", title=None, sort=names, scale=altair.Scale(domain=names, range=shapes))


def describe_figure(found: Frontier, k: int) -> str:
    """Describe the chart for one k, for readers who cannot see it."""
    front = found.front(k)
    told = "; ".join(describe_mark(point, found, k) for point in front)
    return (
        f"Each mark is a release. Further left, less is lost ({METRICS[found.utility].phrase}). Further down, fewer "
        f"people have fewer than {k} candidates. No other release is better in both than these: {told}."
    )


# The page: one file, without network and without scripts.

MARKS = (
    "Each mark is a release; a number beside it is the k of its method.",
    "The dashed line joins the releases that no other release beats in both.",
)
HEADING = "Methods compared: remaining risk and lost utility"


@as_picture.register
def save_frontier_page(found: Frontier, path: Path, force: bool) -> None:
    """Write a page, a chart for the largest k, or the numbers, readable only by their owner."""
    check_targets([path], force)
    check_ending(path)
    text = {".html": render_frontier_page, ".json": _format_numbers, ".svg": _render_picture}[path.suffix.lower()](
        found
    )
    write_text(path, text, force=force, private=True)  # it has exact numbers about the original


def render_frontier_page(found: Frontier) -> str:
    """Return the page."""
    style = render_style()
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
    """Return the chart for one k, with its title and description."""
    title, told = title_figure(k), describe_figure(found, k)
    chart = json.dumps(draw_frontier(found, k)) if list_marks(found, k) else None
    drawing = "" if chart is None else render_svg(chart, VARIABLES, f"k{k}", title, told, hover=True)
    return {"k": k, "title": title, "told": told, "svg": drawing, "lost": chart is not None and not drawing}


def title_figure(k: int) -> str:
    """Return the title of the chart for one k."""
    return f"People with fewer than {k} candidates, against lost utility"


def describe_question(found: Frontier) -> str:
    """Describe the data and the attacker model."""
    data, columns = found.original, join_names(list(found.original.attributes))
    about = f", with {columns}" if len(data.attributes) else ""
    what = f"a table of {format_count(data.n, 'record')}"
    if isinstance(data, Graph):
        links = describe_links(data.m, data.directed, data.kinds)
        what = f"a network of {format_count(data.n, 'person', 'people')} and {links}"
    knows = f"The attacker knows {describe_kinds(found)}"
    return " ".join([f"The data: {what}{about}. {knows}, measured in the {found.facts}.", *list_assumptions(found)])


def describe_verdict(found: Frontier) -> list[str]:
    """Name, for each k, the method with the least loss that leaves no person with fewer than k candidates."""
    made = sum(point.risk is not None for point in found.points)
    said = [*list_partial(found), f"{format_count(made, 'release')} {_agree_verb(made)} compared."]
    for k in found.ks:
        safe = [p for p in found.front(k) if (e := p.get_risk(found.facts)) is not None and e.bounds(k)[1] == 0]
        best = next((point for point in safe if point.method != EMPTY), None)
        if best is None:
            said.append(_describe_none_safe(found, k))
            continue
        promised = "This is guaranteed." if best.covered else "This was counted; it is not guaranteed."
        said.append(
            f"With {name_point(best)}, every person has at least {k} candidates, at the least loss "
            f"({format_loss(best, found.utility)}). {promised}"
        )
    return said


def _describe_none_safe(found: Frontier, k: int) -> str:
    """Say that no method leaves every person k candidates, or for which methods this cannot be decided."""
    seen = [(p, e) for p in found.points if p.kind != "end" and (e := p.get_risk(found.facts)) is not None]
    unsure = [name_point(point) for point, exposure in seen if exposure.below[k] == 0]
    if not unsure:
        return f"No method that keeps any data leaves every person at least {k} candidates."
    return (
        f"No method that keeps any data is proved to leave every person at least {k} candidates. Undecided: "
        f"{join_names(unsure)} (recoded values, a person whom no released person fits, or a search cut short)."
    )


def _agree_verb(many: int) -> str:
    return "was" if many == 1 else "were"


def format_command(found: Frontier) -> str:
    """Return the command that reproduces the page."""
    columns = ["--columns", ",".join(found.original.attributes)] if len(found.original.attributes) else []
    facts = [] if found.facts == "release" else ["--facts", found.facts]
    axis = [] if found.utility == "changed" else ["--utility", found.utility]
    limit = [] if found.limit is None else ["--time-limit", format_duration(found.limit)]
    asked = ["-k", ",".join(map(str, found.ks)), *_format_methods(found)]
    asked += [word for kind in found.kinds for word in ("--knows", kind.spec)]
    rest = [*columns, *facts, *axis, *_format_existing(found), *limit, "--seed", str(found.seed)]
    reading = list_reading_options(found.original, None)
    return " ".join(["shoal frontier FILE", *map(quote, [*reading, *asked, *rest]), "-o FILE.html"])


def _format_methods(found: Frontier) -> list[str]:
    """Return the requested methods as options of the command: plain names together, others one by one."""
    names = [method for method in found.methods or () if isinstance(method, str)]
    words = ["--methods", ",".join(names)] if names else []
    for method in found.methods or ():
        if not isinstance(method, str):
            told = Plan(method).list_options(tuple(found.original.attributes))
            options = ",".join(f"{name}={value}" for name, value in told.items())
            words += ["--methods", f"{method.shell}:{options}" if options else method.shell]
    return words


def _format_existing(found: Frontier) -> list[str]:
    """Return the existing releases as options of the command."""
    words: list[str] = []
    for point in found.points:
        if point.kind == "given":
            words += ["--also", point.method, *([] if point.attacked is None else ["--mapping", "MAPPING"])]
    return words


def _format_numbers(found: Frontier) -> str:
    return json.dumps(found.data(), indent=2, ensure_ascii=False) + "\n"


def _render_picture(found: Frontier) -> str:
    """Return the chart without the page."""
    return draw_chart(json.dumps(draw_frontier_chart(found).to_dict()), "svg").decode()


@as_chart.register
def draw_frontier_chart(found: Frontier) -> Any:
    """Draw the chart for the largest k, in the colors of a light page."""
    altair, k = load("altair", "Drawing", extra="plots"), found.ks[-1]
    if not list_marks(found, k):
        raise BadParameter(f"Frontier: no release has a risk and a loss ({found.utility}), so there is no chart.")
    knows = [f"The attacker knows {describe_knowledge(found.kinds[0].spec)}."]
    several = [f"The attacker knows one of: {join_names([kind.spec for kind in found.kinds])}."]
    below = [*(knows if len(found.kinds) == 1 else several), *MARKS]
    heading = altair.Title(title_figure(k), subtitle=below, anchor="start")
    chart = altair.LayerChart.from_dict(paint_chart(draw_frontier(found, k)))
    return chart.properties(background="white", title=heading, description=title_figure(k))


__all__ = ["render_frontier_page", "save_frontier_page"]
