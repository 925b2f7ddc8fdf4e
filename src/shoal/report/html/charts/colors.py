"""Colors of the pages of frontiers and trade-offs: stand-ins in a chart become variables of the style sheet.

The style sheet sets them for light and dark. A chart outside a page has the light ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from shoal.report.html.charts.draw import read_page_part

COLORS = tuple(f"#0000{i:02x}" for i in range(1, 9))
"""Stand-ins for the colors of curves and marks."""
INK, PAPER, GRID, FRONT = "#000010", "#000011", "#000012", "#000013"
VARIABLES = {INK: "ink", PAPER: "paper", GRID: "grid", FRONT: "front"} | {c: f"m{i}" for i, c in enumerate(COLORS)}
LIGHT = ("#1f77b4", "#b5480a", "#2a7d2a", "#a3195b", "#6b4ca3", "#7a5230", "#0e7c86", "#5f5f5f")
DARK = ("#6cb4ee", "#ff9d5c", "#7ed07e", "#ff7fb5", "#b9a2f0", "#d9a679", "#5fd3dd", "#c0c0c0")
PLAIN = {INK: "#1b1b1b", PAPER: "#ffffff", GRID: "#d9d9d9", FRONT: "#111111"} | dict(zip(COLORS, LIGHT, strict=True))
"""The colors of a chart outside a page."""


def paint_chart(spec: Mapping[str, Any]) -> Any:
    """Return a Vega-Lite chart in the colors of a light page."""
    text = json.dumps(spec)
    for color, shown in PLAIN.items():
        text = text.replace(color, shown)
    return json.loads(text)


def render_style(*more: str) -> str:
    """Return the style sheet of a page with charts, with the colors for light and dark, and other sheets after it."""
    light, dark = (";".join(f"--m{i}:{c}" for i, c in enumerate(colors)) for colors in (LIGHT, DARK))
    text = "".join(map(read_page_part, ("charts.css", *more)))
    return text.replace("/*light*/", light).replace("/*dark*/", dark)
