"""Charts of results: the candidates of a risk, levels and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from textwrap import wrap
from typing import Any

from shoal.errors import load
from shoal.report.html.charts.draw import save_chart
from shoal.report.text.levels import describe_assumption, format_k, format_level, name_relation
from shoal.report.text.phrases import format_share
from shoal.report.text.risk import build_bucket_rows, describe_attacker, describe_headline, describe_recoded
from shoal.risk.assess import Risk
from shoal.risk.curves import LevelCurves
from shoal.risk.levels import Levels
from shoal.show import as_chart, as_picture

COUNTED, MISLED = "#4c78a8", "#9aa0a6"
WIDE = 480
LINE = 100
"""The most characters in a line below a title."""
FEW = 12
"""The most ticks of an axis of small whole numbers."""
MOST = 20
"""The most bars of exact levels; the highest ones share a bar."""
UPPER_BOUNDS = "A search was cut short: some vertices may have fewer candidates than shown."


@as_chart.register
def draw_candidate_counts(risk: Risk) -> Any:
    """Draw a bar per bucket of candidate counts (Hay et al. 2008): how many vertices have so many candidates."""
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
    return _draw_bars(rows, "candidates", many, title, [describe_headline(risk), *_list_cautions(risk)])


@as_chart.register
def draw_levels(found: Levels) -> Any:
    """Draw a bar per level: how many vertices have it."""
    n, (one, many), what = found.graph.n, found.graph.noun, name_relation(found.reading, found.graph)
    rows = [
        {
            "level": level,
            "count": count,
            "label": f"{count:,} ({format_share(count, n)}){f', {note}' if note else ''}",
            "color": COUNTED,
            "told": f"level {level}: {count:,} of {n:,} {many}",
        }
        for level, count, note in build_level_bars(found)
    ]
    title = f"Levels of {n:,} {many} for k = {format_k(found.k)}, by known {what}s"
    meaning = f"The level of a {one} is the largest l such that any l known {what}s leave at least k candidates."
    every = f"every l: at least k candidates remain even if all {what}s are known."
    below = [
        meaning,
        *([every] if found.per_vertex.max() == inf else []),
        describe_assumption(found.reading, found.graph),
    ]
    return _draw_bars(rows, "level", many, title, below)


def build_level_bars(found: Levels) -> list[tuple[str, int, str]]:
    """Return a bar per level: its name, the number of vertices, and a note.

    >>> import shoal
    >>> build_level_bars(shoal.levels(shoal.examples.karate(), k=2, max_size=1))
    [('0', 1, ''), ('>= 1', 16, 'search cut short'), ('every l', 17, '')]
    """
    exact = found.histogram()
    every = exact.pop(inf, 0)
    shown, rest = list(exact.items())[: MOST - 1], list(exact.items())[MOST - 1 :]
    bars = [(format_level(l), count, "") for l, count in shown]
    if rest:
        name = format_level(rest[0][0]) if len(rest) == 1 else f"{rest[0][0]} to {rest[-1][0]}"
        bars.append((name, sum(count for _, count in rest), ""))
    bars += [(format_level(l, exact=False), count, "search cut short") for l, count in found.lower_bounds().items()]
    return [*bars, *([(format_level(inf), every, "")] if every else [])]


def _draw_bars(rows: Sequence[Mapping[str, Any]], what: str, many: str, title: str, below: Sequence[str]) -> Any:
    """Draw a bar per row, with its label; `what` is the field that names the bars, `many` what they count."""
    altair = load("altair", "Drawing", extra="plots")
    lines = [line for text in below for line in wrap(text, LINE)]
    heading = altair.Title(wrap(title, LINE - 15), subtitle=lines, anchor="start")
    base = altair.Chart(altair.Data(values=rows)).encode(
        y=altair.Y(f"{what}:N", title=what, sort=[row[what] for row in rows]),
        x=altair.X("count:Q", title=f"number of {many}", axis=count_axis(max(row["count"] for row in rows))),
        description="told:N",
        tooltip=[f"{what}:N", altair.Tooltip("count:Q", title=many, format=",d")],
    )
    bars = base.mark_bar().encode(color=altair.Color("color:N", scale=None))
    labels = base.mark_text(align="left", dx=4).encode(text="label:N")
    return (bars + labels).properties(title=heading, description=title, width=WIDE)


def count_axis(most: int) -> Any:
    """Return an axis for numbers of vertices up to `most`: each tick is a whole number."""
    few = {"values": list_ticks(most)} if most <= FEW else {}
    return load("altair", "Drawing", extra="plots").Axis(format=",d", **few)


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
    first = next(iter(front.levels.values()))
    what = name_relation(first.reading, first.graph)
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
    return list(range(0, last + 1, max(1, -(-last // FEW))))
