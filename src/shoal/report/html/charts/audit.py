"""Charts of an audit, each with its numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.errors import load
from shoal.report.html.blocks import Grid, Picture
from shoal.report.html.charts.draw import render_svg
from shoal.report.text.phrases import describe_knowledge, label_knowledge, title_attack
from shoal.report.text.wording import format_fraction, format_rate, format_share

BUCKETS = ("1", "2-4", "5-10", "11-20", ">20")
WHOM = ("1: singled out", "2 to 4", "5 to 10", "11 to 20", "more than 20", "nothing fits (misled)")
WIDE = 380
BAR = 13
SHAPES = {"before": "circle", "after": "square"}


def load_altair() -> Any:
    """Return the library that draws."""
    return load("altair", "A report", extra="report")


def _pick_inks(*names: str) -> Any:
    return [INKS[name] for name in names]


def draw_candidate_bars(panels: dict[str, Sequence[dict[str, Any]]]) -> Picture:
    """Draw, for each kind of knowledge, how many people have how many candidates: before and after.

    `panels` goes from a word for the data, e.g. "before", to its rows.
    """
    specs = list(dict.fromkeys(r["knows"] for panel in panels.values() for r in panel))
    charts = [_draw_bars(panels, spec, last=spec == specs[-1]) for spec in specs]
    title = "How many candidates people have, by what is known about them"
    described = (
        "Each bar is all the people, the darkest part those who are singled out. "
        + "; ".join(f"{label_knowledge(spec)}: {describe_knowledge(spec)}" for spec in specs)
        + "."
    )
    legend = [(f"risk-{at}" if at < len(BUCKETS) else "misled", words) for at, words in enumerate(WHOM)]
    svg = render_chart(stack_charts(charts), "bars", title, described)
    told = "Each bar is all the people: red are singled out, blue are among many (sizes as in Hay et al. 2008)."
    return Picture("bars", title, told, svg, _tabulate_bars(panels), legend=legend)


def _draw_bars(panels: dict[str, Sequence[dict[str, Any]]], spec: str, *, last: bool) -> Any:
    rows = [
        found for when, panel in panels.items() for r in panel if r["knows"] == spec for found in _list_bars(r, when)
    ]
    there = [when for when in panels if any(row["when"] == when for row in rows)]
    alt = load_altair()
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labels=last, ticks=last, domain=last)
    return (
        alt.Chart(
            alt.Data(values=rows), width=WIDE - 90, height={"step": BAR}, title=make_heading(label_knowledge(spec))
        )
        .mark_bar()
        .encode(
            y=alt.Y("when:N", title=None, sort=there, axis=alt.Axis(ticks=False, domain=False, minExtent=90)),
            x=alt.X("share:Q", title="share of the people" if last else None, axis=axis, stack="zero").scale(
                domain=[0, 1]
            ),
            color=alt.Color("whom:N", legend=None).scale(
                domain=list(WHOM), range=_pick_inks("risk-0", "risk-1", "risk-2", "risk-3", "risk-4", "misled")
            ),
            order=alt.Order("at:Q"),
            description="told:N",
        )
    )


def make_heading(text: str) -> Any:
    """Return a heading for one of several charts."""
    return load_altair().Title(
        text, anchor="start", fontSize=12, fontWeight="bold", color=INKS["ink"], offset=4, limit=460
    )


def stack_charts(charts: Sequence[Any]) -> Any:
    """Return charts one below the other."""
    return load_altair().vconcat(*charts, spacing=10)


def _list_bars(row: dict[str, Any], when: str) -> list[dict[str, Any]]:
    counts = [*(row["buckets"][name] for name in BUCKETS), row["misled"]]
    return [
        {
            "knows": row["knows"],
            "when": when,
            "at": at,
            "whom": WHOM[at],
            "share": many / row["vertices"],
            "told": f"{row['knows']}, {when}. Candidates {WHOM[at]}: {many:,} of {row['vertices']:,} people "
            f"({format_share(many, row['vertices'])})",
        }
        for at, many in enumerate(counts)
        if many
    ]


def _tabulate_bars(panels: dict[str, Sequence[dict[str, Any]]]) -> Grid:
    specs = list(dict.fromkeys(r["knows"] for panel in panels.values() for r in panel))
    rows = [
        [spec, when, *(f"{r['buckets'][name]:,}" for name in BUCKETS), f"{r['misled']:,}"]
        for spec in specs
        for when, panel in panels.items()
        for r in panel
        if r["knows"] == spec
    ]
    return Grid("People by the number of their candidates", ["known", "data", *WHOM], rows)


def draw_exposure_curve(curves: dict[str, dict[str, Any]]) -> Picture:
    """Draw the share of people whom l known neighbors leave fewer than k candidates."""
    first = next(iter(curves.values()))
    what, k = first["of"], first["k"]
    rows = [
        {
            "when": when,
            "l": step["l"],
            "share": step["share"],
            "told": f"{when}: {step['l']} known {what} leave {step['exposed']:,} of {curve['people']:,} people fewer "
            f"than {k} candidates ({format_share(step['exposed'], curve['people'])})",
        }
        for when, curve in curves.items()
        for step in curve["steps"]
    ]
    alt = load_altair()
    base = alt.Chart(alt.Data(values=rows), width=WIDE, height=220).encode(
        x=alt.X("l:Q", title=f"known {what}", axis=alt.Axis(values=[s["l"] for s in first["steps"]], format="d")),
        y=alt.Y("share:Q", title=f"share with fewer than {k} candidates", axis=alt.Axis(format="%")).scale(
            domain=[0, 1]
        ),
        color=alt.Color("when:N", title=None, sort=list(curves)).scale(domain=list(curves), range=_pick_inks(*curves)),
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        description="told:N",
        shape=alt.Shape("when:N", title=None, sort=list(curves)).scale(
            domain=list(curves), range=[SHAPES[when] for when in curves]
        ),
    )
    title = f"How many people a few known {what} give away"
    described = f"The lower a curve, the better. It rises with the number of known {what}."
    table = Grid(
        title,
        ["data", f"known {what}", f"fewer than {k} candidates", "share", "could not be told"],
        [
            [when, str(s["l"]), f"{s['exposed']:,}", format_share(s["exposed"], c["people"]), f"{s['undecided']:,}"]
            for when, c in curves.items()
            for s in c["steps"]
        ],
    )
    return Picture("curve", title, described, render_chart(base.mark_line() + dots, "curve", title, described), table)


def draw_degree_curve(degrees: dict[str, Sequence[Sequence[int]]]) -> Picture:
    """Draw the share of people with at least d links, on logarithmic axes; nobody with no link is on such an axis."""
    rows = [row for when, pairs in degrees.items() for row in _list_curve_points(pairs, when)]
    alt = load_altair()
    base = alt.Chart(alt.Data(values=rows), width=WIDE, height=220).encode(
        x=alt.X("links:Q", title="number of links", axis=alt.Axis(format="~s", tickCount=4)).scale(type="log"),
        y=alt.Y("share:Q", title="share with at least as many", axis=alt.Axis(format="~g", tickCount=4)).scale(
            type="log"
        ),
        color=alt.Color("when:N", title=None, sort=list(degrees)).scale(
            domain=list(degrees), range=_pick_inks(*degrees)
        ),
    )
    dots = base.mark_point(filled=True, size=26, opacity=1).encode(description="told:N")
    title = "How many links people have"
    none = [f"{when} {sum(many for links, many in pairs if not links):,}" for when, pairs in degrees.items()]
    described = (
        "Share of people with at least so many links. Where two curves lie upon each other, nothing changed. "
        f"People without any link have no place on this axis: {', '.join(none)}."
    )
    table = Grid(title, ["data", "links", "people with exactly so many"], _tabulate_degrees(degrees))
    line = base.mark_line(interpolate="step-before")
    return Picture("degrees", title, described, render_chart(line + dots, "degrees", title, described), table)


def _list_curve_points(pairs: Sequence[Sequence[int]], when: str) -> list[dict[str, Any]]:
    n = left = sum(many for _, many in pairs)
    rows = []
    for links, many in pairs:
        told = f"{when}: {left:,} of {n:,} people have {links:,} links or more ({format_share(left, n)})"
        if links > 0:
            rows.append({"when": when, "links": links, "share": left / n, "told": told})
        left -= many
    return rows


def _tabulate_degrees(degrees: dict[str, Sequence[Sequence[int]]], most: int = 40) -> list[list[str]]:
    """Return the table of a long curve: the first numbers of links, and what is left in one line."""
    rows = []
    for when, pairs in degrees.items():
        rows += [[when, f"{links:,}", f"{many:,}"] for links, many in pairs[:most]]
        if rest := pairs[most:]:
            rows.append([when, f"{rest[0][0]:,} to {rest[-1][0]:,}", f"{sum(many for _, many in rest):,}"])
    return rows


def draw_tradeoff_map(found: dict[str, Any]) -> Picture:
    """Draw the risk that is left against the utility that is lost."""
    k, points = found["k"], found["points"]
    specs = list(points[0]["risk"])
    title = "Risk that is left, and utility that is lost"
    described = "Farther left is better for analysis, farther down is better for people; seldom can both be had."
    table = Grid(
        title,
        ["data", "known", "utility lost", f"share with fewer than {k} candidates"],
        [
            [p["name"], spec, format_fraction(p["lost"]), format_fraction(p["risk"][spec])]
            for spec in specs
            for p in points
        ],
    )
    charts = [_draw_map(points, spec, k, first=spec == specs[0], last=spec == specs[-1]) for spec in specs]
    svg = render_chart(
        stack_charts(charts).resolve_scale(color="independent", shape="independent"), "map", title, described
    )
    return Picture("map", title, described, svg, table, zoom=True)


def _draw_map(points: Sequence[dict[str, Any]], spec: str, k: int, *, first: bool, last: bool) -> Any:
    rows = [
        {
            "name": point["name"],
            "lost": point["lost"],
            "risk": point["risk"][spec],
            "told": f"{point['name']}: utility lost {format_fraction(point['lost'])}; "
            f"{format_fraction(point['risk'][spec])} of the people have fewer than {k} candidates",
        }
        for point in points
    ]
    alt = load_altair()
    names = [point["name"] for point in points]
    inks = {"original": "before", "release": "after", "random edits": "other", "no links": "faint"}
    shapes = {"original": "circle", "release": "square", "random edits": "triangle-up", "no links": "cross"}
    legend = alt.Legend() if first else None
    return (
        alt.Chart(alt.Data(values=rows), width=WIDE, height=150, title=make_heading(label_knowledge(spec)))
        .mark_point(filled=True, size=130, opacity=1)
        .encode(
            x=alt.X("lost:Q", title="utility lost (1: as if there were no links)" if last else None).scale(
                domain=[0, 1]
            ),
            y=alt.Y("risk:Q", title=f"fewer than {k} candidates", axis=alt.Axis(format="%", tickCount=5)).scale(
                domain=[0, 1]
            ),
            color=alt.Color("name:N", title=None, sort=names, legend=legend).scale(
                domain=names, range=[INKS[inks[n]] for n in names]
            ),
            shape=alt.Shape("name:N", title=None, sort=names, legend=legend).scale(
                domain=names, range=[shapes[n] for n in names]
            ),
            description="told:N",
        )
    )


def draw_attack_intervals(tried: Sequence[dict[str, Any]]) -> Picture:
    """Draw the main rate of each attack on the release and on what it is compared with, with intervals."""
    charts = [_draw_intervals(attack, last=attack is tried[-1]) for attack in tried]
    title = "What attacks achieved, with 95 % intervals"
    described = (
        "A dot is what was measured, a line its 95 % interval, where it has one. On the release (first line) it should "
        "be near guessing; "
        "“only renamed” is what the attack can do at all, “random edits” what damage alone does."
    )
    return Picture(
        "attacks-chart", title, described, render_chart(stack_charts(charts), "attacks-chart", title, described)
    )


def _draw_intervals(attack: dict[str, Any], *, last: bool) -> Any:
    main = attack["main"]
    rows = [
        {
            "graph": trial["graph"],
            **{key: trial["rates"][main][key] for key in ("rate", "low", "high")},
            "told": f"{title_attack(attack['attack'])}, on {trial['graph']}: {main} "
            f"{format_rate(trial['rates'][main])}",
        }
        for trial in attack["trials"]
        if main in trial["rates"]
    ]
    alt = load_altair()
    heading = make_heading(f"{title_attack(attack['attack'])}: {main}")
    base = alt.Chart(alt.Data(values=rows), width=WIDE - 90, height={"step": 17}, title=heading).encode(
        y=alt.Y("graph:N", title=None, sort=[row["graph"] for row in rows]).axis(
            ticks=False, labelPadding=8, minExtent=90
        ),
        color=alt.condition("datum.graph == 'release'", alt.value(INKS["after"]), alt.value(INKS["faint"])),
    )
    axis = alt.Axis(format="%", tickCount=5, labels=last, ticks=last)
    across = alt.X("low:Q", title="share, by each attack's own measure" if last else None, axis=axis).scale(
        domain=[0, 1]
    )
    line = base.transform_filter("datum.low !== null").mark_rule(strokeWidth=3).encode(x=across, x2="high:Q")
    return line + base.mark_point(filled=True, size=70, opacity=1).encode(x="rate:Q", description="told:N")


# The colors and letters of the charts of a report: names (:data:`INKS`) that the style sheet gives a meaning.

INKS = {
    "ink": "#010101",
    "faint": "#020202",
    "grid": "#030303",
    "risk-0": "#040401",
    "risk-1": "#040402",
    "risk-2": "#040403",
    "risk-3": "#040404",
    "risk-4": "#040405",
    "misled": "#040406",
    "before": "#050501",
    "after": "#050502",
    "other": "#050503",
}
"""Colors that are never seen, and what the style sheet calls them."""
PAPER = "transparent"
FONT = 12


def apply_theme(chart: Any) -> Any:
    """Return a chart whose lines and letters have the colors of the page."""
    ink, faint, grid = INKS["ink"], INKS["faint"], INKS["grid"]
    axis = {"labelColor": ink, "titleColor": ink, "tickColor": faint, "domainColor": faint, "gridColor": grid}
    sizes = {"labelFontSize": FONT, "titleFontSize": FONT, "titleFontWeight": "normal"}
    legend = {"labelColor": ink, "titleColor": ink, **sizes, "orient": "top", "labelLimit": 300}
    return chart.configure(
        background=PAPER,
        view={"stroke": None},
        axis={**axis, **sizes, "labelLimit": 260},
        legend=legend,
        header={"labelColor": ink, "titleColor": ink, "labelFontSize": FONT, "labelLimit": 260},
        text={"color": ink, "fontSize": FONT},
    )


def render_chart(chart: Any, name: str, title: str, description: str) -> str:
    """Render a chart as a picture with a title and a description."""
    return render_svg(
        apply_theme(chart).to_json(), {color: ink for ink, color in INKS.items()}, name, title, description
    )
