"""shoal methods: list the methods, or those that protect against an attacker model."""

from __future__ import annotations

import shutil
from itertools import zip_longest
from textwrap import wrap
from typing import Any

import click

from shoal.cli.options import json_option
from shoal.cli.output import print_json, print_text
from shoal.cli.part_options import take_single_attacker
from shoal.knowledge import parse_knowledge
from shoal.methods.base import METHODS, find_method
from shoal.methods.recommend import list_covering
from shoal.report.text.phrases import align_cells

PARTS = {"protects against": "protects", "guarantees": "promises", "changes": "changes", "source": "source"}
"""The columns of the list, each with the attribute of the method."""
WIDE = 100
"""The least terminal width for a table."""
GAP = "  "
WORKS = {"links": "links", "tables": "columns", "both": "links and columns"}


@click.command()
@click.option("--protect", multiple=True, metavar="KNOWLEDGE", help="Only those that cover this, e.g. neighbors:2.")
@json_option
def methods(protect: tuple[str, ...], as_json: bool) -> None:
    """List the methods and what each guarantees.

    \b
    Examples:
      shoal methods
      shoal methods --protect neighbors:2
    """
    knows = take_single_attacker(protect)
    covered = None if knows is None else dict(list_covering(parse_knowledge(knows)))
    rows = [describe_method(name, covered) for name in METHODS if covered is None or name in covered]
    if as_json:
        print_json(rows)
        return
    if not rows:
        print_text(f"No method protects against {knows}.")
        return
    wide = shutil.get_terminal_size((110, 24)).columns
    print_text(render_method_table(rows, wide) if wide >= WIDE else render_cards(rows))
    print_text(
        "Run one: shoal anonymize FILE --method NAME -k K -o OUT. Combine several with --then, or let --protect choose."
    )


def render_cards(rows: list[dict[str, Any]]) -> str:
    """Return one block per method, for a narrow terminal."""
    return "\n".join(
        "\n".join([told["method"], *(f"    {key}: {text}" for key, text in told.items() if key != "method")])
        for told in rows
    )


def render_method_table(rows: list[dict[str, Any]], width: int) -> str:
    """Return a table as wide as the terminal, wrapped between words; cards if it does not fit."""
    lines = [list(rows[0]), *(list(told.values()) for told in rows)]
    widths = fit_columns(lines, width)
    if sum(widths) + len(GAP) * (len(widths) - 1) > width:
        return render_cards(rows)
    return "\n\n".join("\n".join(_wrap_row(cells, widths)) for cells in lines)


def fit_columns(lines: list[list[str]], width: int) -> list[int]:
    """Return the width of each column: at least its head and its longest word, at most its longest cell.

    The first column is not wrapped. The sum is larger than the terminal if even the longest words do not fit.

    >>> fit_columns([["a b", "c d"], ["one two", "three four five"]], 18)
    [7, 9]
    """
    longest = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    shortest = [
        max(len(cells[0]), *(len(w) for cell in cells for w in cell.split())) for cells in zip(*lines, strict=True)
    ]
    widths = [longest[0], *shortest[1:]]
    for _ in range(width - sum(widths) - len(GAP) * (len(widths) - 1)):
        narrow = [i for i in range(len(widths)) if widths[i] < longest[i]]
        if narrow:
            widths[min(narrow, key=lambda i: widths[i] / longest[i])] += 1
    return widths


def _wrap_row(cells: list[str], widths: list[int]) -> list[str]:
    wrapped = [
        wrap(cell, size, break_long_words=False, break_on_hyphens=False)
        for cell, size in zip(cells, widths, strict=True)
    ]
    return [align_cells(line, widths, len(widths)) for line in zip_longest(*wrapped, fillvalue="")]


def describe_method(name: str, covered: dict[str, str] | None) -> dict[str, Any]:
    """Return the row of a method."""
    kind = find_method(name)
    told = {
        "method": name,
        "works on": WORKS[kind.works_on],
        **{head: getattr(kind, name) for head, name in PARTS.items()},
    }
    return told if covered is None else told | {"covers it": covered[name]}
