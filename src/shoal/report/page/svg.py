"""Charts as markup for a page: rendered when the page is made, colored by the style sheet, alone with their texts.

A page forbids inline styles, and is read in the light, in the dark and on paper: so the colors of a chart are names
(:data:`INKS`), which become variables of the style sheet.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from shoal.errors import load

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


def themed(chart: Any) -> Any:
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


def drawn(chart: Any, name: str, title: str, description: str) -> str:
    """Render a chart as a picture with a title and a description."""
    convert = load("vl_convert", "A report", extra="report")
    return framed(cleaned(convert.vegalite_to_svg(themed(chart).to_json()), name), name, title, description)


def cleaned(svg: str, name: str) -> str:
    """Return the inside of a picture with named colors, ids of its own, and no word about groups and axes.

    >>> cleaned('<svg viewBox="0 0 1 1"><path id="clip1" fill="#010101"/></svg>', "a")
    '<svg viewBox="0 0 1 1"><path id="a-clip1" fill="var(--ink)"/></svg>'
    """
    for called, color in INKS.items():
        svg = svg.replace(f'"{color}"', f'"var(--{called})"')
    svg = re.sub(r' (?:style|xmlns|xmlns:xlink|font-family|aria-roledescription|role|version)="[^"]*"', "", svg)
    svg = re.sub(r' aria-label="(?:[XY]-axis|Title text|Symbol legend|Gradient legend)[^"]*"', "", svg)
    svg = re.sub(r"<path[^>]*(?: d=\"\"|display=\"none\")[^>]*/>", "", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)


def framed(svg: str, name: str, title: str, description: str) -> str:
    """Return a picture that says what it is to whoever cannot see it."""
    box = re.search(r'viewBox="([^"]+)"', svg)
    assert box is not None
    inside = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    told = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    head = f'<svg viewBox="{box[1]}" role="img" aria-labelledby="{name}-title {name}-desc" class="chart">'
    return f"{head}{told}{inside}</svg>"
