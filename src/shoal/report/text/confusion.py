"""Text of confusion, and the chart of its curve over the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.data.dataset import Dataset
from shoal.errors import format_count, join_lines, join_names, load
from shoal.linkage.confusion import ConfusionCurve, NConfusion
from shoal.report.html.charts.draw import save_chart
from shoal.report.html.charts.results import count_axis
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import render_table
from shoal.show import as_chart, as_html, as_text

REACHED = "individuals who reach t"
FALLBACK = "no individual reaches t for any record, so all count"
SHOWN = 12
"""Rows of a curve that are printed."""
HEAD = ["t up to", "confusion"]
LEGEND = (
    "confusion: the fewest individuals with probability t or more, over all records. "
    "It can rise with t: where no individual reaches t, all of them count."
)
CALIBRATED = "The methods are calibrated: for each individual, their probabilities also sum to 1 over the records."
NOT_CALIBRATED = (
    "NOT CALIBRATED: for some individual, the probabilities do not sum to 1 over the records. A method is then more "
    "certain than it can be, or it guesses. Its confusion describes the method and bounds nothing about the release."
)


def _describe_reached(at: int, t: Any, individuals: int) -> str:
    """Say what a confusion means; at most 1/t individuals can reach t, so more than that is the fallback to all."""
    if at * t > 1:
        return f"no individual reaches this probability for any record, so all {individuals:,} individuals count."
    return f"in the worst case, {format_count(at, 'individual')} {'reaches' if at == 1 else 'reach'} this probability."


def describe_confusion(
    methods: Sequence[str],
    release: Dataset,
    original: Dataset,
    found: Sequence[NConfusion],
    calibrated: bool,
    curve: ConfusionCurve,
    t: Any = None,
    at: int | None = None,
) -> str:
    """Return the confusion that re-identification methods leave, as a few lines.

    `found` holds the largest n by each of three definitions: threshold, ties, peak.
    """
    one = release.noun[0]
    lines = [f"Confusion of {join_names(methods)}: each {one} of {release!r} against {original.n:,} individuals."]
    if t is not None and at is not None:
        lines.append(f"conf = {at:,} at t = {float(t):.4g}: {_describe_reached(at, t, original.n)}")
    largest, ties, peak = found
    lines.append(f"n-confusion: n = {largest.n:,}, reached at t = {float(largest.t):.4g}; against these methods only.")
    lines.append(
        f"By other definitions: for every record, at least {format_count(ties.n, 'individual')} "
        f"{'has' if ties.n == 1 else 'have'} the highest probability (ties), which is at most 1/{peak.n:,} (peak)."
    )
    lines.append(CALIBRATED if calibrated else NOT_CALIBRATED)
    rows = build_curve_rows(curve)
    shown = rows if len(rows) <= SHOWN else [*rows[: SHOWN // 2], ["...", "..."], *rows[-SHOWN // 2 :]]
    return join_lines([*lines, "", *render_table(HEAD, shown), LEGEND])


def build_curve_rows(curve: ConfusionCurve) -> list[list[str]]:
    """Return the steps of a curve as rows: the largest t, and the confusion up to it."""
    return [[f"{float(bound):.4g}", f"{n:,}"] for bound, n in zip(curve.t, curve.confusion, strict=True)]


@as_text.register
def describe_curve(curve: ConfusionCurve) -> str:
    """Return a curve as a table."""
    return join_lines([*render_table(HEAD, build_curve_rows(curve)), LEGEND])


@as_html.register
def render_curve(curve: ConfusionCurve) -> str:
    """Return a curve as an HTML table for notebooks."""
    return render_html_table(HEAD, build_curve_rows(curve)) + render_paragraphs([LEGEND])


def save_curve(curve: ConfusionCurve, path: Path, force: bool) -> None:
    """Draw confusion against the threshold into a .png, .svg or .html file."""
    save_chart(lambda: draw_curve(curve), path, force)


@as_chart.register
def draw_curve(curve: ConfusionCurve) -> Any:
    """Return the curve as an altair chart of steps; gray where no individual reaches t, so all of them count."""
    altair = load("altair", "Drawing", extra="plots")
    bounds = [float(bound) for bound in curve.t]
    steps = [
        {"t": low, "up to": high, "confusion": int(n), "what": FALLBACK if n * high > 1 + 1e-9 else REACHED}
        for low, high, n in zip([0.0, *bounds[:-1]], bounds, curve.confusion, strict=True)
    ]
    title = f"Confusion over the threshold ({curve.individuals:,} individuals)"
    lines = altair.Chart(altair.Data(values=steps), title=title, description=title, width=560, height=320)
    x = altair.X("t:Q", title="threshold t", scale=altair.Scale(domain=[0, 1]))
    y = altair.Y(
        "confusion:Q", title="individuals with probability t or more", axis=count_axis(int(curve.confusion.max()))
    )
    tip = [altair.Tooltip("t:Q", title="above"), altair.Tooltip("up to:Q"), altair.Tooltip("confusion:Q")]
    tones = altair.Scale(domain=[REACHED, FALLBACK], range=["#4c78a8", "#bbbbbb"])
    color = altair.Color("what:N", title=None, scale=tones, legend=altair.Legend(orient="bottom", labelLimit=400))
    return lines.mark_rule(strokeWidth=3).encode(x=x, x2="up to:Q", y=y, color=color, tooltip=tip)
