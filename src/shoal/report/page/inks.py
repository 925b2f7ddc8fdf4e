"""The colors and letters of the charts of a report: names (:data:`INKS`) that the style sheet gives a meaning."""

from __future__ import annotations

from typing import Any

from shoal.report.svg import rendered

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
    return rendered(themed(chart).to_json(), {color: ink for ink, color in INKS.items()}, name, title, description)
