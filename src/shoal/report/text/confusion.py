"""Text of confusion, and its curve over the threshold as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.data.dataset import Dataset
from shoal.errors import join_lines, load
from shoal.linkage.confusion import ConfusionCurve, NConfusion
from shoal.report.html.charts.draw import save_chart
from shoal.report.text.wording import render_table
from shoal.show import as_text
from shoal.wording import format_count, join_names

REACHED, NOBODY = "individuals who reach t", "nobody reaches t for any record, so that all count"
SHOWN = 12
"""Rows of a curve that are printed."""


CALIBRATED = "The methods are calibrated: their probabilities also sum to 1 over the records, for each individual."
NOT_CALIBRATED = (
    "NOT CALIBRATED: for some individual the probabilities do not sum to 1 over the records, so that a method is surer "
    "than it can be, or guesses. Its confusion tells about the method, and bounds nothing about the release."
)


def _describe_reached(at: int, t: Any, individuals: int) -> str:
    """Say what a confusion means; more than 1/t individuals cannot reach t, so that all of them are the fallback."""
    if at * t > 1:
        return f"nobody reaches this probability, for any record, and then all {individuals:,} individuals count."
    return f"at worst {format_count(at, 'individual')} {'reaches' if at == 1 else 'reach'} this probability."


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
    """Return what re-identification methods can tell apart, as a few lines.

    `found` are the largest n by the three definitions: threshold, ties, peak.
    """
    one = release.noun[0]
    lines = [f"Confusion of {join_names(methods)}: each {one} of {release!r} against {original.n:,} individuals."]
    if t is not None and at is not None:
        lines.append(f"conf = {at:,} at t = {float(t):.4g}: {_describe_reached(at, t, original.n)}")
    largest, ties, peak = found
    lines.append(f"n-confusion: n = {largest.n:,}, shown by t = {float(largest.t):.4g}; against these methods only.")
    lines.append(f"Otherwise defined: the highest value is taken {ties.n:,} times or more; it is at most 1/{peak.n:,}.")
    lines.append(CALIBRATED if calibrated else NOT_CALIBRATED)
    rows = [[f"{float(bound):.4g}", f"{n:,}"] for bound, n in zip(curve.t, curve.confusion, strict=True)]
    shown = rows if len(rows) <= SHOWN else [*rows[: SHOWN // 2], ["...", "..."], *rows[-SHOWN // 2 :]]
    lines += ["", *render_table(["t up to", "confusion"], shown)]
    lines.append("It need not fall: where nobody reaches t, all individuals count.")
    return join_lines(lines)


@as_text.register
def describe_curve(curve: ConfusionCurve) -> str:
    """Return a curve as a table."""
    rows = [[f"{float(bound):.4g}", f"{n:,}"] for bound, n in zip(curve.t, curve.confusion, strict=True)]
    return join_lines(render_table(["t up to", "confusion"], rows))


def save_curve(curve: ConfusionCurve, path: Path, force: bool) -> None:
    """Draw confusion over the threshold into a .png, .svg or .html."""
    save_chart(lambda: draw_curve(curve), path, force)


def draw_curve(curve: ConfusionCurve) -> Any:
    """Return the curve as an altair chart of steps; gray where nobody reaches t, so that everybody counts."""
    altair = load("altair", "Drawing", extra="plots")
    bounds = [float(bound) for bound in curve.t]
    steps = [
        {"t": low, "up to": high, "confusion": int(n), "what": NOBODY if n * high > 1 + 1e-9 else REACHED}
        for low, high, n in zip([0.0, *bounds[:-1]], bounds, curve.confusion, strict=True)
    ]
    title = f"Confusion over the threshold ({curve.individuals:,} individuals)"
    lines = altair.Chart(altair.Data(values=steps), title=title, description=title, width=560, height=320)
    x = altair.X("t:Q", title="threshold t", scale=altair.Scale(domain=[0, 1]))
    y = altair.Y("confusion:Q", title="individuals with probability t or more", axis=altair.Axis(tickMinStep=1))
    tip = [altair.Tooltip("t:Q", title="above"), altair.Tooltip("up to:Q"), altair.Tooltip("confusion:Q")]
    tones = altair.Scale(domain=[REACHED, NOBODY], range=["#4c78a8", "#bbbbbb"])
    color = altair.Color("what:N", title=None, scale=tones, legend=altair.Legend(orient="bottom", labelLimit=400))
    return lines.mark_rule(strokeWidth=3).encode(x=x, x2="up to:Q", y=y, color=color, tooltip=tip)
