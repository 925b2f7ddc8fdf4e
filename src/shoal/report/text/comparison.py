"""Text of comparisons: a table of metrics, and the description of each metric."""

from __future__ import annotations

from textwrap import wrap

from shoal.comparison.compare import SIDES, Comparison, ComparisonRow
from shoal.errors import join_lines, tame
from shoal.report.text.wording import render_table
from shoal.show import as_text
from shoal.utility.base import Measurement

WIDTH = 100
NAME = 28
"""Longer names are shortened in the table and written out in the legend."""
GOALS = {"closer": "as before", "higher": "high", "lower": "low"}


@as_text.register
def describe_comparison(comparison: Comparison) -> str:
    """Return the table, its legend, the metrics left out and the notes."""
    shown = [side for side in SIDES if any(getattr(row, side) is not None for row in comparison.rows)]
    head = ["metric", *shown, "good is"]
    rows = [[cut_name(row.metric.name), *format_cells(row, shown), GOALS[row.metric.better]] for row in comparison.rows]
    lines = render_table(head, rows) if rows else ["There is nothing to compare."]
    lines += [
        "",
        *describe_columns(shown, has_spread(comparison)),
        *(line for row in comparison.rows for line in describe_metric(row)),
    ]
    if comparison.left_out:
        lines += ["", "Left out:", *describe_left_out(comparison)]
    return join_lines([*lines, *([""] if comparison.notes else []), *list_notes(comparison)])


def format_cells(row: ComparisonRow, sides: list[str]) -> list[str]:
    """Return the numbers of a row."""
    return [format_number(getattr(row, side), row.metric.unit) for side in sides]


def has_spread(comparison: Comparison) -> bool:
    """Return whether a number has a spread."""
    found = [getattr(row, side) for row in comparison.rows for side in SIDES]
    return any(one is not None and one.spread for one in found)


def describe_columns(sides: list[str], spread: bool) -> list[str]:
    """Return the legend of the columns."""
    means = {
        "before": "the original",
        "after": "the release",
        "random": "the original after as many random edits as the release has",
        "empty": "the original without links",
    }
    legend = "; ".join(f"{side} is {means[side]}" for side in sides)
    about = " ± is the standard deviation of a random number." if spread else ""
    return wrap(f"{legend[:1].upper()}{legend[1:]}.{about}", WIDTH) if sides else []


def describe_metric(row: ComparisonRow) -> list[str]:
    """Return the description of a metric."""
    return fold_text(f"{row.metric.name}: {row.metric.means}")


def describe_left_out(comparison: Comparison) -> list[str]:
    """Return the metrics without a value, grouped by reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in comparison.left_out:
        reasons.setdefault(why, []).append(name)
    return [line for why, names in reasons.items() for line in fold_text(f"{', '.join(names)}: {why}.")]


def list_notes(comparison: Comparison) -> list[str]:
    """Return the notes, one paragraph each."""
    return [line for note in comparison.notes for line in wrap(tame(f"Note: {note}"), WIDTH, subsequent_indent="  ")]


def fold_text(text: str) -> list[str]:
    """Wrap a text; all lines but the first are indented further."""
    return wrap(tame(text), WIDTH, initial_indent="  ", subsequent_indent="    ")


def cut_name(name: str) -> str:
    """Return a name, shortened to fit the table.

    >>> cut_name("transitivity"), len(cut_name("x" * 90 + ": mean"))
    ('transitivity', 28)
    """
    return name if len(name) <= NAME else f"{name[: NAME - 15]}…{name[-14:]}"


def format_number(found: Measurement | None, unit: str = "") -> str:
    """Format a number with its spread. A share is shown as 0 or 1 only if it is exactly that.

    >>> format_number(Measurement(0.25)), format_number(Measurement(0.00001), "share"), format_number(None)
    ('0.250', '<0.001', '')
    >>> format_number(Measurement(1045.0)), format_number(Measurement(-0.4756))
    ('1,045', '-0.476')
    >>> format_number(Measurement(6.7694, 0.0534)), format_number(Measurement(14243624.0, 187993.1))
    ('6.769 ±0.053', '1.424e7 ±1.9e5')
    """
    if found is None:
        return ""
    text = format_short(found.value, unit)
    return f"{text} ±{format_short(found.spread, 'spread')}" if found.spread else text


def format_short(value: float, unit: str) -> str:
    """Format a number in few characters."""
    if unit == "share" and 0 < value < 0.0005:
        return "<0.001"
    if unit == "share" and 0.9995 <= value < 1:
        return ">0.999"
    size = abs(value)
    if size >= 1e7:
        return f"{value:.{1 if unit == 'spread' else 3}e}".replace("e+0", "e").replace("e+", "e")
    if unit == "spread":
        return format_spread(size)
    if value == int(value):
        return f"{value:,.0f}"
    if size < 0.001:
        return f"{value:.2g}"
    return f"{value:,.{1 if unit == 'count' or size >= 1000 else 2 if size >= 10 else 3}f}"


def format_spread(size: float) -> str:
    """Format a spread with two significant digits, never as 0.

    >>> format_spread(0.0534), format_spread(187993.1), format_spread(6.72), format_spread(0.00031)
    ('0.053', '1.9e5', '6.7', '<0.001')
    """
    if size < 0.0005:
        return "<0.001"
    if size >= 1e4:
        return f"{size:.1e}".replace("e+0", "e")
    return f"{size:.0f}" if size >= 10 else f"{size:.1f}" if size >= 1 else f"{size:.3f}"
