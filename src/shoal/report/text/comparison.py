"""Text of comparisons: a table of metrics, and the meaning of each."""

from __future__ import annotations

from textwrap import wrap

from shoal.comparison.compare import SIDES, Comparison, ComparisonRow
from shoal.errors import join_lines, tame
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import mark_partial, render_table
from shoal.show import as_html, as_text
from shoal.utility.base import Measurement

WIDTH = 100
NAME = 28
"""Longer names are cut in the table, and written in full among the meanings."""
NOTHING = "There is nothing to compare."
GOALS = {"closer": "closer to before", "higher": "higher", "lower": "lower"}


@as_text.register
def describe_comparison(comparison: Comparison) -> str:
    """Return the table, then the meaning of each number, what was left out, and the notes."""
    head, rows = build_metric_rows(comparison)
    lines = [*mark_partial(comparison.partial), *(render_table(head, rows) if rows else [NOTHING])]
    lines += ["", *(line for told in describe_columns(comparison) for line in wrap(told, WIDTH))]
    lines += [line for row in comparison.rows for line in fold_text(describe_metric(row))]
    if comparison.left_out:
        lines += ["", "Left out:", *(line for told in describe_left_out(comparison) for line in fold_text(told))]
    notes = [line for note in list_notes(comparison) for line in wrap(tame(note), WIDTH, subsequent_indent="  ")]
    return join_lines([*lines, *([""] if notes else []), *notes])


@as_html.register
def render_comparison(comparison: Comparison) -> str:
    """Return a comparison as HTML for notebooks: the table, then the meaning of each number."""
    head, rows = build_metric_rows(comparison)
    means = [(row.metric.name, row.metric.means) for row in comparison.rows]
    below = render_html_table(["metric", "meaning"], means, left=2) if means else ""
    left_out = [f"Left out: {told}" for told in describe_left_out(comparison)]
    table = render_html_table(head, rows) if rows else render_paragraphs([NOTHING])
    first = render_paragraphs(mark_partial(comparison.partial))
    return (
        f"{first}{table}{render_paragraphs([*describe_columns(comparison), *left_out, *list_notes(comparison)])}{below}"
    )


def list_sides(comparison: Comparison) -> list[str]:
    """Return the columns that have a number in some row."""
    return [side for side in SIDES if any(getattr(row, side) is not None for row in comparison.rows)]


def build_metric_rows(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table and its rows."""
    shown = list_sides(comparison)
    head, views = ["metric", *shown, "better if"], has_views(comparison)
    rows = [[cut_name(row.metric.name), *format_cells(row, shown), GOALS[row.metric.better]] for row in comparison.rows]
    if not views:
        return head, rows
    return [*head, "view"], [[*cells, name_view(row)] for cells, row in zip(rows, comparison.rows, strict=True)]


def has_views(comparison: Comparison) -> bool:
    """Return whether some metric ignores the directions and kinds that links have."""
    return any(row.on_undirected_view for row in comparison.rows)


def name_view(row: ComparisonRow) -> str:
    """Return the word for the view of the network that a metric was measured on; empty for the network itself."""
    return "undirected" if row.on_undirected_view else ""


def format_cells(row: ComparisonRow, sides: list[str]) -> list[str]:
    """Return the formatted numbers of a row."""
    return [format_number(getattr(row, side), row.metric.unit) for side in sides]


def has_spread(comparison: Comparison) -> bool:
    """Return whether some number depends on chance."""
    found = [getattr(row, side) for row in comparison.rows for side in SIDES]
    return any(one is not None and one.spread for one in found)


def describe_columns(comparison: Comparison) -> list[str]:
    """Return the legend of the columns."""
    means = {
        "before": "the original",
        "after": "the release",
        "random": "the original with as many links added and removed at random as in the release",
        "empty": "the vertices of the original without any links",
    }
    sides = list_sides(comparison)
    if not sides:
        return []
    about = " ±: standard deviation, where a number depends on chance." if has_spread(comparison) else ""
    told = ". ".join(f"{side}: {means[side]}" for side in sides)
    gaps = any(getattr(row, side) is None for row in comparison.rows for side in sides)
    empty = " Empty cell: the metric does not apply, or links do not change it." if gaps else ""
    empty += " view: undirected if the metric ignores directions and kinds." if has_views(comparison) else ""
    return [f"{told}. better if: which values of 'after' are better.{about}{empty}"]


def describe_metric(row: ComparisonRow) -> str:
    """Return the name of a metric and what it means."""
    return f"{row.metric.name}: {row.metric.means}"


def describe_left_out(comparison: Comparison) -> list[str]:
    """Return which metrics were left out, grouped by reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in comparison.left_out:
        reasons.setdefault(why, []).append(name)
    return [f"{', '.join(names)}: {why}." for why, names in reasons.items()]


def list_notes(comparison: Comparison) -> list[str]:
    """Return the notes."""
    return [f"Note: {note}" for note in comparison.notes]


def fold_text(text: str) -> list[str]:
    """Wrap a text into indented lines."""
    return wrap(tame(text), WIDTH, initial_indent="  ", subsequent_indent="    ")


def cut_name(name: str) -> str:
    """Shorten a name so that it fits the table.

    >>> cut_name("transitivity"), len(cut_name("x" * 90 + ": mean"))
    ('transitivity', 28)
    """
    return name if len(name) <= NAME else f"{name[: NAME - 15]}…{name[-14:]}"


def format_number(found: Measurement | None, unit: str = "") -> str:
    """Format a number with its spread; a share is never rounded to 0 or 1.

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
    if (
        abs(value - round(value)) < 1e-9
    ):  # an eigenvalue may be off by the last digit, on one machine and not on another
        return f"{value:,.0f}"
    if size < 0.001:
        return f"{value:.2g}"
    return f"{value:,.{1 if unit == 'count' or size >= 1000 else 2 if size >= 10 else 3}f}"


def format_spread(size: float) -> str:
    """Format a spread with two digits, never as 0.

    >>> format_spread(0.0534), format_spread(187993.1), format_spread(6.72), format_spread(0.00031)
    ('0.053', '1.9e5', '6.7', '<0.001')
    """
    if size < 0.0005:
        return "<0.001"
    if size >= 1e4:
        return f"{size:.1e}".replace("e+0", "e")
    return f"{size:.0f}" if size >= 10 else f"{size:.1f}" if size >= 1 else f"{size:.3f}"
