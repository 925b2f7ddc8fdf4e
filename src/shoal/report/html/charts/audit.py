"""Charts of an audit, each with its numbers as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from typing import Any

from shoal.attacks.base import Rate
from shoal.auditing.findings import (
    DrawnCandidates,
    Exposure,
    NetworkDrawing,
    PanelRow,
    Tradeoff,
    TradeoffPoint,
)
from shoal.errors import cut, load
from shoal.report.html.blocks import Grid, Picture
from shoal.report.html.charts.draw import frame_svg, render_svg
from shoal.report.text.phrases import capitalize, format_fraction, format_share, label_knowledge, title_knowledge
from shoal.risk.assess import BUCKET_NAMES

WHOM = ("1: unique", "2 to 4", "5 to 10", "11 to 20", "more than 20", "0: no released person fits")
RISK_INKS = ("risk-0", "risk-1", "risk-2", "risk-3", "risk-4", "misled")
LEAST = 0.6
"""The least width of a part that is not 0, in percent."""
MARGIN, RADIUS = 3.0, 1.05
HEAD = 1.5
"""The length of an arrowhead."""
GAP = 0.5
"""The distance between lines side by side."""
STYLES = 3
"""The most kinds of links that have a line style each; of more, no eye keeps the styles apart."""
WIDE = 380
SHAPES = {"before": "circle", "after": "square"}


def load_altair() -> Any:
    """Return altair, or raise MissingLibrary."""
    return load("altair", "A report", extra="report")


def _pick_inks(*names: str) -> Any:
    return [INKS[name] for name in names]


# Bars and networks, written as SVG by shoal itself.


def draw_bar(parts: Sequence[tuple[float, str]], mark: float | None = None) -> str:
    """Return a bar of parts side by side, each a share of the width and a class; `mark` is a line across it.

    A part that is not 0 stays visible. The numbers must stand beside the bar, since it has no text.

    >>> draw_bar([(0.25, "before")])
    '<svg class="bar" aria-hidden="true"><rect class="before" x="0%" width="25.0%" height="100%"/></svg>'
    """
    at, drawn = 0.0, []
    for share, ink in parts:
        if share and at < 100:
            wide = min(max(100 * share, LEAST), 100 - at)
            drawn.append(f'<rect class="{ink}" x="{at:.4g}%" width="{wide:.1f}%" height="100%"/>')
            at += wide
    if mark is not None:
        at_mark = f'x1="{100 * mark:.4g}%" x2="{100 * mark:.4g}%" y1="0" y2="100%"'
        drawn += [f'<line class="{ink}" {at_mark}/>' for ink in ("edge", "mark")]  # the edge: visible on a dark part
    return f'<svg class="bar" aria-hidden="true">{"".join(drawn)}</svg>'


def draw_candidates(row: PanelRow) -> str:
    """Return a bar of all people by their number of candidates, the fewest first."""
    counts = [*(row.buckets[name] for name in BUCKET_NAMES), row.misled]
    return draw_bar([(many / row.people, ink) for many, ink in zip(counts, RISK_INKS, strict=True)])


def draw_rate(rate: Rate, ink: str) -> str:
    """Return a bar with a line at the rate of an attack, and a part for its interval, if it has one."""
    low, high = rate.interval or (rate.rate, rate.rate)
    return draw_bar([(low, "empty"), (high - low, f"interval {ink}")], rate.rate)


def draw_network(found: NetworkDrawing, lens: DrawnCandidates, when: str, name: str) -> Picture:
    """Draw the network; the color of a person is the number of candidates under one attacker model."""
    links = found.links_before if when == "before" else found.links_after or ()
    shades = lens.before if when == "before" else lens.after or ()
    title = f"{capitalize(when)}; known: {title_knowledge(lens.knows)}"
    many = [(shade, shades.count(shade)) for shade in range(len(WHOM))]
    described = f"Candidates per person: {'; '.join(f'{WHOM[s]}: {n:,} people' for s, n in many if n)}."
    described += " Arrows show the direction of links." if any(link[2:3] == (1,) for link in links) else ""
    described += " Kinds of links look the same." if len(found.kinds) > STYLES else ""
    styles = found.kinds if len(found.kinds) <= STYLES else ()
    drawn = _draw_kinds(found.at, links, len(styles)) if styles else _draw_links(found.at, links, "links")
    inside = f"{drawn}{_draw_people(found.at, [f'dot-{s}' for s in shades], shades)}"
    legend = [(RISK_INKS[shade], f"{WHOM[shade]} ({number:,})") for shade, number in many if number]
    legend += [(f"kind-{at}", f"{cut(kind) or 'kind missing'}") for at, kind in enumerate(styles)]
    return Picture(
        name,
        title,
        "",
        frame_svg(_open_svg(found, inside), name, title, described),
        zoom=True,
        legend=legend,
        half=True,
    )


def draw_changed_links(found: NetworkDrawing, when: str) -> Picture:
    """Draw the network with the links that only this side has in the ink of the side."""
    sides = {"before": found.links_before, "after": found.links_after or ()}
    both = set.intersection(*(set(map(_identify, links)) for links in sides.values()))
    kept = [link for link in sides[when] if _identify(link) in both]
    changed = [link for link in sides[when] if _identify(link) not in both]
    word = "removed" if when == "before" else "added"
    look = "dashed" if when == "before" else "colored"
    name, title = f"changes-{when}", f"{capitalize(when)}; {look}: {word}"
    described = (
        f"{len(found.at):,} of {found.of:,} people are drawn, with {len(kept):,} links that are in both networks and "
        f"{len(changed):,} links that were {word}."
    )
    dots = _draw_people(found.at, ["dot"] * len(found.at))
    inside = f"{_draw_links(found.at, kept, 'links')}{_draw_links(found.at, changed, f'links {word}')}{dots}"
    return Picture(name, title, "", frame_svg(_open_svg(found, inside), name, title, described))


def _open_svg(found: NetworkDrawing, inside: str) -> str:
    high = max(y for _, y in found.at)
    return f'<svg viewBox="{-MARGIN} {-MARGIN} {100 + 2 * MARGIN} {round(high + 2 * MARGIN, 1)}">{inside}</svg>'


def _draw_links(at: Sequence[Sequence[float]], links: Sequence[Sequence[int]], ink: str) -> str:
    """Return all links as one path, and all arrowheads as one: thousands of elements would make a page slow."""
    path = "".join(f"M{at[a][0]} {at[a][1]}L{at[b][0]} {at[b][1]}" for a, b, *_ in links)
    heads = "".join(_draw_head(at[a], at[b]) for a, b, *more in links if more and more[0])
    return "".join(
        f'<path class="{inks}" d="{drawn}"/>' for inks, drawn in ((ink, path), (f"heads {ink}", heads)) if drawn
    )


def _draw_kinds(at: Sequence[Sequence[float]], links: Sequence[Sequence[int]], kinds: int) -> str:
    """Return the links with a line style per kind; lines of several kinds between two people are side by side."""
    joined: dict[frozenset[int], set[int]] = {}
    for a, b, _, kind in links:
        joined.setdefault(frozenset((a, b)), set()).add(kind)
    drawn = []
    for kind in range(kinds):
        places, moved = list(at), []
        for a, b, arrow, of in links:
            if of == kind:
                beside = GAP * (kind - (kinds - 1) / 2) if len(joined[frozenset((a, b))]) > 1 else 0.0
                places += _shift(at[min(a, b)], at[max(a, b)], beside)[:: 1 if a < b else -1]
                moved.append((len(places) - 2, len(places) - 1, arrow))
        drawn.append(_draw_links(places, moved, f"links kind-{kind}"))
    return "".join(drawn)


def _shift(start: Sequence[float], end: Sequence[float], beside: float) -> list[tuple[float, float]]:
    """Return the ends of a line, shifted to its side.

    >>> _shift((0, 0), (10, 0), 1)
    [(0.0, 1.0), (10.0, 1.0)]
    """
    away = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    x, y = (end[1] - start[1]) / away * -beside, (end[0] - start[0]) / away * beside
    return [(round(point[0] + x, 2), round(point[1] + y, 2)) for point in (start, end)]


def _draw_head(start: Sequence[float], end: Sequence[float]) -> str:
    """Return an arrowhead that touches the dot at the end; nothing if both dots touch.

    >>> _draw_head((0, 0), (10, 0))
    'M8.85 0.0L7.35 0.6L7.35 -0.6Z'
    """
    away = hypot(end[0] - start[0], end[1] - start[1])
    if away <= 2 * RADIUS:
        return ""
    x, y = (end[0] - start[0]) / away, (end[1] - start[1]) / away
    tip = RADIUS + 0.1
    corners = ((tip, 0.0), (tip + HEAD, HEAD * 0.4), (tip + HEAD, -HEAD * 0.4))
    at = (
        f"{round(end[0] - x * back - y * side, 2)} {round(end[1] - y * back + x * side, 2)}" for back, side in corners
    )
    return f"M{'L'.join(at)}Z"


def _identify(link: Sequence[int]) -> tuple[int, ...]:
    """Return what is equal for equal links: the ends of a link without direction have no order.

    >>> _identify([2, 1]), _identify([2, 1, 0, 3]), _identify([2, 1, 1, 3])
    ((1, 2), (1, 2, 0, 3), (2, 1, 1, 3))
    """
    a, b, *more = link
    return (a, b, *more) if more and more[0] else (min(a, b), max(a, b), *more)


def _draw_people(at: Sequence[Sequence[float]], inks: Sequence[str], shades: Sequence[int] = ()) -> str:
    """Return each person as a dot; people with the fewest candidates are drawn last, on top, with a label."""
    order = sorted(range(len(at)), key=lambda v: -shades[v]) if shades else range(len(at))
    labels = [f' role="img" aria-label="candidates: {WHOM[shade]}"' for shade in shades] or [""] * len(at)
    return "".join(
        f'<circle cx="{at[v][0]}" cy="{at[v][1]}" r="{RADIUS}" class="{inks[v]}"{labels[v]}/>' for v in order
    )


# Charts drawn by vl-convert.


def make_heading(text: str, below: str = "") -> Any:
    """Return a heading for one of several charts, and a line below it."""
    how = {"subtitle": below, "subtitleColor": INKS["ink"], "subtitleFontSize": FONT} if below else {}
    return load_altair().Title(
        text, anchor="start", fontSize=FONT, fontWeight="bold", color=INKS["ink"], offset=4, limit=460, **how
    )


def stack_charts(charts: Sequence[Any]) -> Any:
    """Return charts one below the other."""
    return load_altair().vconcat(*charts, spacing=10)


def draw_exposure_curve(curves: Mapping[str, Exposure], described: str) -> Picture:
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
    svg = render_chart(base.mark_line(aria=False) + dots, "curve", title, described)
    return Picture("curve", title, described, svg, table, half=True)


def describe_known(l: int, what: str) -> str:
    """Say that l known facts leave people, with the verb in the right number.

    >>> describe_known(1, "columns"), describe_known(5, "neighbors")
    ('1 known column leaves', '5 known neighbors leave')
    """
    return f"1 known {what.removesuffix('s')} leaves" if l == 1 else f"{l:,} known {what} leave"


def draw_degree_curve(degrees: Mapping[str, Sequence[Sequence[int]]], way: str = "", name: str = "degrees") -> Picture:
    """Draw the share of people with at least d links, on logarithmic axes, which have no place for 0 links.

    `way` is "outgoing" or "incoming" for links with a direction. `name` is unique on the page.
    """
    rows = [row for when, pairs in degrees.items() for row in _list_curve_points(pairs, when)]
    alt = load_altair()
    base = alt.Chart(alt.Data(values=rows), width=WIDE, height=220).encode(
        x=alt.X(
            "links:Q", title=f"number of {way} links".replace("  ", " "), axis=alt.Axis(format="~s", tickCount=4)
        ).scale(type="log"),
        y=alt.Y("share:Q", title="share with at least this many", axis=alt.Axis(format="~g", tickCount=4)).scale(
            type="log"
        ),
        color=alt.Color("when:N", title=None, sort=list(degrees)).scale(
            domain=list(degrees), range=_pick_inks(*degrees)
        ),
    )
    dots = base.mark_point(filled=True, size=26, opacity=1).encode(description="told:N")
    links, name = f"{way} links".strip(), f"{name}-{way}".removesuffix("-")
    title = f"{capitalize(links)} per person"
    none = [f"{when} {sum(many for links, many in pairs if not links):,}" for when, pairs in degrees.items()]
    described = f"Share of people with at least this many {links}. Without {links}: {', '.join(none)}."
    table = Grid(title, ["data", links, "people with exactly this many"], _tabulate_degrees(degrees))
    line = base.mark_line(interpolate="step-before", aria=False)
    svg = render_chart(line + dots, name, title, described)
    return Picture(name, title, described, svg, table, half=True)


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
