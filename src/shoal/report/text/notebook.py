"""Results as HTML for notebooks: tables and paragraphs, with all text escaped and control characters spelled out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from shoal.errors import tame


def render_html_table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", *, left: int = 1) -> str:
    """Return an HTML table whose first column names the rows; columns after the first `left` are right-aligned.

    >>> render_html_table(["knows", "k"], [["a<b", "1"]])
    '<table><thead><tr><th scope="col" style="text-align:left">knows</th>...<th scope="row" ...>a&lt;b</th>...'
    """
    sides = ["left" if i < left else "right" for i in range(len(head))]
    titles = "".join(
        f'<th scope="col" style="text-align:{side}">{escape(tame(title))}</th>'
        for title, side in zip(head, sides, strict=True)
    )
    body = "".join(_render_row(row, sides) for row in rows)
    above = f'<caption style="text-align:left">{escape(tame(caption))}</caption>' if caption else ""
    return f"<table>{above}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _render_row(cells: Sequence[str], sides: Sequence[str]) -> str:
    first, *rest = (f' style="text-align:{side}">{escape(tame(cell))}' for cell, side in zip(cells, sides, strict=True))
    return f'<tr><th scope="row"{first}</th>{"".join(f"<td{cell}</td>" for cell in rest)}</tr>'


def render_paragraphs(lines: Iterable[str]) -> str:
    """Return one HTML paragraph per line; empty lines are left out.

    >>> render_paragraphs(["k <= 3", ""])
    '<p>k &lt;= 3</p>'
    """
    return "".join(f"<p>{escape(tame(line))}</p>" for line in lines if line)
