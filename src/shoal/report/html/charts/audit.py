"""Charts of an audit, each with its numbers as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.auditing.findings import AttackResult, Exposure, PanelRow, Tradeoff, TradeoffPoint
from shoal.errors import load
from shoal.report.html.blocks import Grid, Picture
from shoal.report.html.charts.draw import render_svg
from shoal.report.text.phrases import (
    describe_knowledge,
    format_fraction,
    format_rate,
    format_share,
    label_knowledge,
    title_attack,
)

BUCKETS = ("1", "2-4", "5-10", "11-20", ">20")
WHOM = ("1: unique", "2 to 4", "5 to 10", "11 to 20", "more than 20", "misled: no person fits")
WIDE = 380
BAR = 13
SHAPES = {"before": "circle", "after": "square"}


def load_altair() -> Any:
    """Return altair, or raise MissingLibrary."""
    return load("altair", "A report", extra="report")


def _pick_inks(*names: str) -> Any:
    return [INKS[name] for name in names]


Panels = Mapping[str, Sequence[PanelRow]]
"""From a word for the data, e.g. "before", to its rows."""


def draw_candidate_bars(panels: Panels) -> Picture:
    """Draw, for each attacker model, how many people have how many candidates, before and after."""
    specs = _list_specs(panels)
    charts = [_draw_bars(panels, spec, last=spec == specs[-1]) for spec in specs]
    title = "Candidates per person, by attacker model"
    described = (
        "Each bar is all the people; the darkest part is unique people. "
        + "; ".join(f"{label_knowledge(spec)}: {describe_knowledge(spec)}" for spec in specs)
        + "."
    )
    legend = [(f"risk-{at}" if at < len(BUCKETS) else "misled", words) for at, words in enumerate(WHOM)]
    svg = render_chart(stack_charts(charts), "bars", title, described)
    told = "Each bar is all the people, by their number of candidates (classes as in Hay et al. 2008)."
    return Picture("bars", title, told, svg, _tabulate_bars(panels), legend=legend)


def _list_specs(panels: Panels) -> list[str]:
    return list(dict.fromkeys(row.knows for panel in panels.values() for row in panel))


def _draw_bars(panels: Panels, spec: str, *, last: bool) -> Any:
    rows = [
        found for when, panel in panels.items() for row in panel if row.knows == spec for found in _list_bars(row, when)
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


def make_heading(text: str, below: str = "") -> Any:
    """Return a heading for one of several charts, and a line below it."""
    how = {"subtitle": below, "subtitleColor": INKS["ink"], "subtitleFontSize": FONT} if below else {}
    return load_altair().Title(
        text, anchor="start", fontSize=FONT, fontWeight="bold", color=INKS["ink"], offset=4, limit=460, **how
    )


def stack_charts(charts: Sequence[Any]) -> Any:
    """Return charts one below the other."""
    return load_altair().vconcat(*charts, spacing=10)


def _list_bars(row: PanelRow, when: str) -> list[dict[str, Any]]:
    counts = [*(row.buckets[name] for name in BUCKETS), row.misled]
    return [
        {
            "knows": row.knows,
            "when": when,
            "at": at,
            "whom": WHOM[at],
            "share": many / row.people,
            "told": f"{row.knows}, {when}. Candidates {WHOM[at]}: {many:,} of {row.people:,} people "
            f"({format_share(many, row.people)})",
        }
        for at, many in enumerate(counts)
        if many
    ]


def _tabulate_bars(panels: Panels) -> Grid:
    rows = [
        [spec, when, *(f"{row.buckets[name]:,}" for name in BUCKETS), f"{row.misled:,}"]
        for spec in _list_specs(panels)
        for when, panel in panels.items()
        for row in panel
        if row.knows == spec
    ]
    return Grid("People by number of candidates", ["knows", "data", *WHOM], rows)


def draw_exposure_curve(curves: Mapping[str, Exposure]) -> Picture:
    """Draw the share of people that l known neighbors or columns leave fewer than k candidates."""
    first = next(iter(curves.values()))
    what, k = first.of, first.k
    rows = [
        {
            "when": when,
            "l": step.l,
            "share": step.exposed / curve.people,
            "told": f"{when}: {describe_known(step.l, what)} {step.exposed:,} of {curve.people:,} people with fewer "
            f"than {k} candidates ({format_share(step.exposed, curve.people)})",
        }
        for when, curve in curves.items()
        for step in curve.steps
    ]
    alt = load_altair()
    base = alt.Chart(alt.Data(values=rows), width=WIDE, height=220).encode(
        x=alt.X("l:Q", title=f"known {what}", axis=alt.Axis(values=[step.l for step in first.steps], format="d")),
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
    title = f"People exposed by known {what}"
    described = f"A lower curve is better. It rises with the number of known {what}."
    table = Grid(
        title,
        ["data", f"known {what}", f"below {k}", "share", "undecided"],
        [
            [when, str(s.l), f"{s.exposed:,}", format_share(s.exposed, c.people), f"{s.undecided:,}"]
            for when, c in curves.items()
            for s in c.steps
        ],
        legend=f"below {k}: people with fewer than {k} candidates. undecided: the search for them was cut short.",
    )
    return Picture("curve", title, described, render_chart(base.mark_line() + dots, "curve", title, described), table)


def describe_known(l: int, what: str) -> str:
    """Say that l known facts leave people, with the verb in the right number.

    >>> describe_known(1, "columns"), describe_known(5, "neighbors")
    ('1 known column leaves', '5 known neighbors leave')
    """
    return f"1 known {what.removesuffix('s')} leaves" if l == 1 else f"{l:,} known {what} leave"


def draw_degree_curve(degrees: Mapping[str, Sequence[Sequence[int]]]) -> Picture:
    """Draw the share of people with at least d links, on logarithmic axes, which have no place for 0 links."""
    rows = [row for when, pairs in degrees.items() for row in _list_curve_points(pairs, when)]
    alt = load_altair()
    base = alt.Chart(alt.Data(values=rows), width=WIDE, height=220).encode(
        x=alt.X("links:Q", title="number of links", axis=alt.Axis(format="~s", tickCount=4)).scale(type="log"),
        y=alt.Y("share:Q", title="share with at least this many", axis=alt.Axis(format="~g", tickCount=4)).scale(
            type="log"
        ),
        color=alt.Color("when:N", title=None, sort=list(degrees)).scale(
            domain=list(degrees), range=_pick_inks(*degrees)
        ),
    )
    dots = base.mark_point(filled=True, size=26, opacity=1).encode(description="told:N")
    title = "Links per person"
    none = [f"{when} {sum(many for links, many in pairs if not links):,}" for when, pairs in degrees.items()]
    described = (
        "Share of people with at least this many links. Where the curves coincide, nothing changed. "
        f"People without links are not on this axis: {', '.join(none)}."
    )
    table = Grid(title, ["data", "links", "people with exactly this many"], _tabulate_degrees(degrees))
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


def _tabulate_degrees(degrees: Mapping[str, Sequence[Sequence[int]]], most: int = 40) -> list[list[str]]:
    """Return the table of a long curve: the first numbers of links, and the rest in one line."""
    rows = []
    for when, pairs in degrees.items():
        rows += [[when, f"{links:,}", f"{many:,}"] for links, many in pairs[:most]]
        if rest := pairs[most:]:
            rows.append([when, f"{rest[0][0]:,} to {rest[-1][0]:,}", f"{sum(many for _, many in rest):,}"])
    return rows


def draw_tradeoff_map(found: Tradeoff) -> Picture:
    """Draw the risk left against the utility lost."""
    k, points = found.k, found.points
    specs = list(points[0].risk)
    title = "Risk left and utility lost"
    described = "Farther left is better for analysis; farther down is better for privacy."
    table = Grid(
        title,
        ["data", "knows", "utility lost", f"below {k}"],
        [[p.name, spec, format_fraction(p.lost), format_fraction(p.risk[spec])] for spec in specs for p in points],
        legend=f"below {k}: share of people with fewer than {k} candidates.",
    )
    charts = [_draw_map(points, spec, k, first=spec == specs[0], last=spec == specs[-1]) for spec in specs]
    svg = render_chart(
        stack_charts(charts).resolve_scale(color="independent", shape="independent"), "map", title, described
    )
    return Picture("map", title, described, svg, table, zoom=True)


def _draw_map(points: Sequence[TradeoffPoint], spec: str, k: int, *, first: bool, last: bool) -> Any:
    rows = [
        {
            "name": point.name,
            "lost": point.lost,
            "risk": point.risk[spec],
            "told": f"{point.name}: utility lost {format_fraction(point.lost)}; "
            f"{format_fraction(point.risk[spec])} of the people have fewer than {k} candidates",
        }
        for point in points
    ]
    alt = load_altair()
    names = [point.name for point in points]
    inks = {"original": "before", "release": "after", "random edits": "other", "no links": "faint"}
    shapes = {"original": "circle", "release": "square", "random edits": "triangle-up", "no links": "cross"}
    legend = alt.Legend() if first else None
    return (
        alt.Chart(alt.Data(values=rows), width=WIDE, height=150, title=make_heading(label_knowledge(spec)))
        .mark_point(filled=True, size=130, opacity=1)
        .encode(
            x=alt.X("lost:Q", title="utility lost (1: a network without links)" if last else None).scale(domain=[0, 1]),
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


def draw_attack_intervals(tried: Sequence[AttackResult]) -> Picture:
    """Draw the main rate of each attack on the release and on its controls, with intervals."""
    charts = [_draw_intervals(attack, last=attack is tried[-1]) for attack in tried]
    title = "Rates of attacks, with 95 % intervals"
    described = (
        "A dot is the measured rate, a line its 95 % interval, if it has one. On the release (first line) the rate "
        "should be near guessing. “only renamed” shows what the attack can do at all; “random edits” shows what the "
        "same number of random edits does."
    )
    return Picture(
        "attacks-chart", title, described, render_chart(stack_charts(charts), "attacks-chart", title, described)
    )


def _draw_intervals(attack: AttackResult, *, last: bool) -> Any:
    main, name = attack.main, title_attack(attack.attack)
    rows = []
    for trial in attack.trials:
        if (rate := trial.rates.get(main)) is not None:
            low, high = rate.interval or (None, None)
            told = f"{name}, on {trial.graph}: {main} {format_rate(rate)}"
            rows.append({"graph": trial.graph, "rate": rate.rate, "low": low, "high": high, "told": told})
    alt = load_altair()
    heading = make_heading(name, f"rate: {main}")
    base = alt.Chart(alt.Data(values=rows), width=WIDE - 105, height={"step": 17}, title=heading).encode(
        y=alt.Y("graph:N", title=None, sort=[row["graph"] for row in rows]).axis(
            ticks=False, labelPadding=8, minExtent=105
        ),
        color=alt.condition("datum.graph == 'release'", alt.value(INKS["after"]), alt.value(INKS["faint"])),
    )
    axis = alt.Axis(format="%", tickCount=5, labels=last, ticks=last)
    across = alt.X("low:Q", title="share, by each attack's own measure" if last else None, axis=axis).scale(
        domain=[0, 1]
    )
    line = base.transform_filter("datum.low !== null").mark_rule(strokeWidth=3).encode(x=across, x2="high:Q")
    return line + base.mark_point(filled=True, size=70, opacity=1).encode(x="rate:Q", description="told:N")


# Colors and fonts of the charts: stand-in colors that become variables of the style sheet.

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
"""Names of the style sheet, and the stand-in color of each."""
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
