"""Results as pictures: vector charts by altair, with a text alternative."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from shoal.errors import BadParameter, load
from shoal.io.atomic import replace_file
from shoal.report.html.charts.draw import draw
from shoal.report.html.charts.svg import allow_only, cleaned, framed
from shoal.report.text.levels import relation
from shoal.report.wording import share
from shoal.risk.curves import LevelCurves
from shoal.show import as_picture

FORMATS = ("png", "svg", "html")
STYLE = "body{margin:1em;background:#fff}svg{max-width:60em;width:100%;height:auto;font-family:sans-serif}"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{svg}
</body>
</html>
"""


@as_picture.register
def save_frontier(front: LevelCurves, path: Path, force: bool) -> None:
    """Draw the share of vertices singled out below k by 1, 2, ... known relations, a curve per k."""
    save_chart(lambda: frontier_chart(front), path, force)


def save_chart(make: Callable[[], Any], path: Path, force: bool) -> None:
    """Write a chart into a .png, .svg or .html file, after its name was checked."""
    ending = path.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise BadParameter(f"A picture must be a .png, .svg or .html file. Got {path.name!r}.")
    chart: dict[str, Any] = make().to_dict()
    page = chart_page(chart).encode() if ending == "html" else draw(json.dumps(chart), ending)
    with replace_file(path, force=force) as stream:
        stream.write(page)


def chart_page(chart: dict[str, Any]) -> str:
    """Return a page with one picture: no script, no network, and a policy that allows none. Marks tell their numbers.

    `chart` is a Vega-Lite chart with a title.
    """
    title = str(chart["title"])
    svg = framed(cleaned(draw(json.dumps(chart), "svg").decode(), {}, "chart", hover=True), "chart", title, title)
    return PAGE.format(policy=escape(allow_only(STYLE)), title=escape(title), style=STYLE, svg=svg)


def frontier_chart(front: LevelCurves) -> Any:
    """Return the curves as an altair chart."""
    altair = load("altair", "Drawing", extra="plots")
    what = relation(next(iter(front.levels.values())).reading)
    last = max(len(curve) for curve in front.shares.values()) + 1
    n = next(iter(front.levels.values())).graph.n
    rows = [
        {"k": f"k = {k}", "known": l, "share": part, "told": f"k = {k}, known: {l}, share: {share(round(part * n), n)}"}
        for k, curve in front.shares.items()
        for l, part in enumerate([0.0, *curve, *[curve[-1]] * (last - len(curve))])
    ]
    title = f"Who is left with fewer than k candidates by known {what}s ({n:,} vertices)"
    parts = altair.Y(
        "share:Q", title="share of vertices", axis=altair.Axis(format="%"), scale=altair.Scale(domain=[0, 1])
    )
    known = altair.X("known:Q", title=f"known {what}s", axis=altair.Axis(values=ticks(last), format="d"))
    return (
        altair.Chart(altair.Data(values=rows), title=title, description=title, width=560, height=320)
        .transform_calculate(told="datum.k + ', known: ' + datum.known + ', share: ' + format(datum.share, '.1%')")
        .mark_line(point=True)
        .encode(x=known, y=parts, color=altair.Color("k:N", title=None, sort=[f"k = {k}" for k in front.shares]))
        .encode(description="told:N", tooltip=["k:N", "known:Q", altair.Tooltip("share:Q", format=".1%")])
    )


def ticks(last: int) -> list[int]:
    """Return whole numbers from 0 to `last`, at most a dozen of them.

    >>> ticks(3), ticks(30)
    ([0, 1, 2, 3], [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30])
    """
    return list(range(0, last + 1, -(-last // 12)))
