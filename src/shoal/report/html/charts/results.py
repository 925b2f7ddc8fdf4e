"""Charts of results: the candidates of a risk, and the curves of levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import load
from shoal.report.html.charts.draw import save_chart
from shoal.report.text.levels import name_relation
from shoal.report.text.phrases import format_share
from shoal.report.text.risk import build_bucket_rows, describe_attacker, describe_headline, describe_recoded
from shoal.risk.assess import Risk
from shoal.risk.curves import LevelCurves
from shoal.show import as_chart, as_picture

COUNTED, MISLED = "#4c78a8", "#9aa0a6"
UPPER_BOUNDS = "A search was cut short: some vertices may have fewer candidates than shown."


@as_chart.register
def draw_candidate_counts(risk: Risk) -> Any:
    """Draw a bar per bucket of candidate counts (Hay et al. 2008): how many vertices have so many candidates."""
    altair = load("altair", "Drawing", extra="plots")
    n, many = len(risk.sizes), risk.graph.noun[1]
    rows = [
        {
            "candidates": name,
            "count": count,
            "label": f"{count:,} ({format_share(count, n)}){', not safe' if name == 'misled' else ''}",
            "color": MISLED if name == "misled" else COUNTED,
            "told": f"{name if name == 'misled' else f'{name} candidates'}: {count:,} of {n:,} {many}",
        }
        for name, count in build_bucket_rows(risk)
    ]
    title = f"Candidates per {risk.graph.noun[0]}, for {describe_attacker(risk.adversary)}"
    heading = altair.Title(title, subtitle=[describe_headline(risk), *_list_cautions(risk)], anchor="start")
    order = [row["candidates"] for row in rows]
    base = altair.Chart(altair.Data(values=rows)).encode(
        y=altair.Y("candidates:N", title="candidates", sort=order),
        x=altair.X("count:Q", title=f"number of {many}", axis=altair.Axis(tickMinStep=1, format=",d")),
        description="told:N",
        tooltip=["candidates:N", altair.Tooltip("count:Q", title=many, format=",d")],
    )
    bars = base.mark_bar().encode(color=altair.Color("color:N", scale=None))
    labels = base.mark_text(align="left", dx=4).encode(text="label:N")
    return (bars + labels).properties(title=heading, description=title, width=480)


def _list_cautions(risk: Risk) -> list[str]:
    cut_short = [] if risk.exact_sizes.all() else [UPPER_BOUNDS]
    return [*cut_short, *([f"Caution: {describe_recoded(risk)}"] if risk.unmatched else [])]


@as_picture.register
def save_level_curves(front: LevelCurves, path: Path, force: bool) -> None:
    """Write the curves into a picture file."""
    save_chart(lambda: draw_level_curves(front), path, force)


@as_chart.register
def draw_level_curves(front: LevelCurves) -> Any:
    """Draw a curve per k: the share of vertices with fewer than k candidates, by 1, 2, ... known relations."""
    altair = load("altair", "Drawing", extra="plots")
    what = name_relation(next(iter(front.levels.values())).reading)
    last = max(len(curve) for curve in front.shares.values()) + 1
    n = next(iter(front.levels.values())).graph.n
    rows = [
        {
            "k": f"k = {k}",
            "known": l,
            "share": part,
            "told": f"k = {k}, known: {l}, share: {format_share(round(part * n), n)}",
        }
        for k, curve in front.shares.items()
        for l, part in enumerate([0.0, *curve, *[curve[-1]] * (last - len(curve))])
    ]
    title = f"Vertices with fewer than k candidates, by known {what}s ({n:,} vertices)"
    parts = altair.Y(
        "share:Q", title="share of vertices", axis=altair.Axis(format="%"), scale=altair.Scale(domain=[0, 1])
    )
    known = altair.X("known:Q", title=f"known {what}s", axis=altair.Axis(values=list_ticks(last), format="d"))
    return (
        altair.Chart(altair.Data(values=rows), title=title, description=title, width=560, height=320)
        .mark_line(point=True)
        .encode(x=known, y=parts, color=altair.Color("k:N", title=None, sort=[f"k = {k}" for k in front.shares]))
        .encode(description="told:N", tooltip=["k:N", "known:Q", altair.Tooltip("share:Q", format=".1%")])
    )


def list_ticks(last: int) -> list[int]:
    """Return whole numbers from 0 to `last`, at most a dozen of them.

    >>> list_ticks(3), list_ticks(30)
    ([0, 1, 2, 3], [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30])
    """
    return list(range(0, last + 1, -(-last // 12)))
